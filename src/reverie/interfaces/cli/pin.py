"""`pin` and `reinforce`: what keeps a memory from fading."""

from __future__ import annotations

from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out


@cli.verb()
@cli.argument("id_", metavar="ID")
@cli.flag("--remove", "Let it fade again.")
@cli.actor_option()
def pin(call: cli.Invocation, id_: str, *, remove: bool) -> None:
    """Keep the memory ID from fading, or let it fade again.

    A name that fits one memory alone will do. Of a fact its page is pinned: that is
    what fades, with all it says. A pinned item of core memory is never
    moved out either. Only you may --remove a pin; notes in the vault stay pinned for
    as long as they are there.

        reverie pin entity:person--alex
        reverie pin alex
        reverie pin alex --remove
    """
    memory = call.memory
    meant = cli.named(memory, id_)
    receipt = memory.unpin(meant) if remove else memory.pin(meant, actor=call.actor)
    word, about = "Unpinned" if remove else "Pinned", out.ident(receipt.ids[0])
    done = out.good(f"{word} "), about, out.commit(receipt)
    already = about, f" was {word.lower()} already"
    page: out.Page = [done if receipt.lines else already]
    if "#" in meant:
        page.append(
            ("  ", out.faint("A fact is as vivid as its page, so that is meant."))
        )
    call.answer(receipt, page)


@cli.verb()
@cli.argument("ids", nargs=-1, required=True, metavar="ID...")
def reinforce(call: cli.Invocation, ids: tuple[str, ...]) -> None:
    """Note that memories were of use.

    What is of use fades later. A search counts for what it finds first, and a reply
    for what it used of what `attend` gave; say so for what else went into an answer.

        reverie reinforce entity:person--alex episode:2026-02-02:14:30
    """
    memory = call.memory
    # `show` raises for one that does not exist.
    count = memory.reinforce([memory.show(cli.named(memory, id_)).id for id_ in ids])
    words = f"{out.counted(count, 'memory was', 'memories were')} of use."
    none = "Nothing to note: what was named does not fade."
    call.answer(
        {"reinforced": count}, [(out.good("Noted: "), words) if count else none]
    )
