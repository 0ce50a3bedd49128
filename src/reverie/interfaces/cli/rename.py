"""`rename`: another name or type for an entity."""

from __future__ import annotations

from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out


@cli.verb()
@cli.argument("entity")
@cli.argument("name", required=False, default="")
@cli.option("--type type_", "What it is: person, project, tool, …", metavar="TYPE")
@cli.actor_option()
def rename(call: cli.Invocation, entity: str, name: str, type_: str | None) -> None:
    """Give ENTITY another name, or another type.

    Its file, title, links, score and history follow. The old name stays a name of it,
    and the old id still resolves.

        reverie rename greta "Greta Lindholm"
        reverie rename concept--rolf --type person
    """
    if not (name.strip() or type_):
        cli.misused("say what it shall be called, or its --type")
    receipt = call.memory.rename(entity, name, type=type_ or "", actor=call.actor)
    about = out.ident(receipt.ids[0])
    done = out.good("Renamed: "), about, out.commit(receipt)
    call.answer(receipt, [done if receipt.lines else (about, " is called so already")])
