"""`instruct`: what agents are told about their memory."""

from __future__ import annotations

from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out

FILE = "One of the files that agents read at every start."
ONE_WISH = (
    "give one of --write, --remove, --check, or --for NAME to print what a sub-agent "
    "is told."
)


@cli.verb()
@cli.option("--for agent", "For the sub-agent NAME.", metavar="NAME")
@cli.flag("--write", "Put them into FILE, or bring them up to date.")
@cli.flag("--remove", "Take them out of FILE.")
@cli.flag("--check", "End with exit code 1 if FILE has not the newest.")
@cli.option("--file path", FILE, None, "FILE", usual="AGENTS.md")
@cli.actor_option()
def instruct(
    call: cli.Invocation,
    agent: str | None,
    path: str,
    *,
    write: bool,
    remove: bool,
    check: bool,
) -> int:
    """Print what agents are told about their memory.

    Made from reverie.toml, so the numbers are those of this workspace. --write puts
    it into AGENTS.md between two markers and leaves everything else there as it is;
    once it is there, it is kept current.

        reverie instruct
        reverie instruct --write
        reverie instruct --write --file CLAUDE.md
        reverie instruct --check
        reverie instruct --for researcher
    """
    if write + remove + check + (agent is not None) > 1:
        cli.misused(ONE_WISH)
    if write or remove:
        memory = call.memory
        name = cli.inside(memory.root, path)
        receipt = memory.instruct(name, actor=call.actor, remove=remove)
        done = out.good("Taken out of " if remove else "Written to ")
        already = "has no instructions." if remove else "is current already."
        page: out.Page = [(out.place(name), f" {already}")]
        if receipt:
            page = [(done, out.place(name), out.commit(receipt))]
        call.answer(receipt, page)
        return 0
    reader = call.reader
    if not check:
        text = reader.instructions(agent or call.agent)
        call.answer({"text": text}, text.rstrip().split("\n"))
        return 0
    name = cli.inside(reader.root, path)
    current = reader.instructed(name)
    old = out.warn(" has not the newest instructions: `reverie instruct --write`.")
    said = out.place(name), " is current." if current else old
    call.answer({"file": name, "current": current}, [said])
    return int(not current)
