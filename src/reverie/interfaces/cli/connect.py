"""`connect`: have a host use this workspace as its memory."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out

if TYPE_CHECKING:
    from reverie.interfaces.hosts.connect import Change, FileState, Records
    from reverie.interfaces.hosts.place import Place
    from reverie.memory import Memory

HOST = "HOST is one of claude-code, codex, gemini, opencode, cursor, openclaw."
ONE_WISH = "give one of --remove, --status and --plugin."
DOES = {"create": "created", "change": "changed", "delete": "removed"}


@cli.verb()
@cli.argument("host", required=False)
@cli.flag("--project", "For the project in this folder; else for all you do.")
@cli.flag("--dry-run", "Show what would change, and change nothing.")
@cli.flag("--remove", "Take out again what connecting has put in.")
@cli.flag("--status", "Tell what is connected.")
@cli.option("--plugin", "Write it as a plugin into DIR instead.", Path, "DIR")
def connect(
    call: cli.Invocation,
    host: str | None,
    plugin: Path | None,
    *,
    project: bool,
    dry_run: bool,
    remove: bool,
    status: bool,
) -> None:
    """Have HOST use this workspace as its memory.

    HOST is one of claude-code, codex, gemini, opencode, cursor, openclaw. Its MCP
    server, its hooks, a section of what it reads at every start and a skill are
    written into its own files; all else in them stays as it is. A copy of each file
    is kept, and --remove brings it back.

        reverie connect claude-code
        reverie connect codex --dry-run
        reverie connect gemini --project
        reverie connect claude-code --remove
        reverie connect --status
    """
    if remove + status + (plugin is not None) > 1:
        cli.misused(ONE_WISH)
    if host is None and not status:
        cli.misused(f"name a host, or give --status. {HOST}")
    where = Path.cwd() if project else None
    if status:
        _status(call, _place(call, where), host)
    elif remove:
        _remove(call, _place(call, where), host or "", dry_run=dry_run)
    elif plugin is not None:
        _plugin(call, _place(call, where, call.memory), host or "", plugin)
    else:
        _connect(call, where, host or "", dry_run=dry_run)


def _home() -> Path:
    return Path(os.path.expanduser("~"))  # noqa: PTH111 - as hosts do it


def _place(
    call: cli.Invocation, project: Path | None, memory: Memory | None = None
) -> Place:
    """Where a host is connected; what is taken out needs no workspace any more."""
    from reverie.interfaces.hosts.place import USUAL_TOKENS, Place, started_by

    root, tokens = Path(os.devnull), USUAL_TOKENS
    with suppress(cli.NoWorkspaceError):
        root = call.root.absolute()
    if memory is not None:
        core, talk = memory.config.core, memory.config.conversation
        tokens = max(core.cap_tokens, talk.stable_tokens) + talk.wake_tokens
    program = started_by(sys.argv[0], sys.executable, shutil.which("uvx"))
    person = call.for_person
    return Place(program, root, _home(), project, os.environ, tokens, person)


def _connect(
    call: cli.Invocation, project: Path | None, host: str, *, dry_run: bool
) -> None:
    """Connect a host, and tell what else to do."""
    from reverie.interfaces.hosts import connect as hosts

    memory = call.memory
    place, records = _place(call, project, memory), _records()
    before = hosts.status(host, place, records)
    changes = hosts.plan_connect(host, place, records)
    page = _told(changes, records, dry_run=dry_run)
    page += _left(before)
    others = {each.workspace for each in before} - {"", str(place.workspace)}
    page += [f"It was connected to {other}." for other in sorted(others)]
    if not dry_run:
        hosts.carry_out(changes, records)
        scope = " --project" if project else ""
        page += ["", hosts.HOSTS[host].NEXT]
        if project:
            page.append(
                "These files name paths of this machine: they are for you alone."
            )
        page.append(out.faint(f"`reverie connect {host}{scope} --remove` undoes it."))
        if not memory.owned:
            page.append(
                "No owner passphrase is set: whoever types as you can decide for you. "
                "`reverie owner set` sets one."
            )
    said = {"host": host, "dry_run": dry_run, "owned": memory.owned}
    call.answer({**said, "files": _files(changes, records)}, page)


def _remove(call: cli.Invocation, place: Place, host: str, *, dry_run: bool) -> None:
    """Disconnect a host."""
    from reverie.interfaces.hosts import connect as hosts

    records = _records()
    before = hosts.status(host, place, records)
    changes = hosts.plan_remove(host, place, records)
    page = _told(changes, records, dry_run=dry_run)
    page += _left(before)
    if not dry_run:
        hosts.carry_out(changes, records)
        page.append("Disconnected." if changes else "It was not connected.")
    said = {"host": host, "dry_run": dry_run, "files": _files(changes, records)}
    call.answer(said, page)


def _left(found: list[FileState]) -> out.Page:
    """What is left as it is because somebody has made it theirs."""
    return [
        (out.place(each.path), " was edited by hand, and stays as it is")
        for each in found
        if each.state == "edited"
    ]


def _records() -> Records:
    from reverie.interfaces.hosts.connect import records_of

    return records_of(os.environ, _home())


def _files(changes: list[Change], records: Records) -> list[dict[str, str]]:
    return [
        {"path": str(c.path), "does": c.does, "backup": _backup(c, records)}
        for c in changes
        if c.does
    ]


def _backup(change: Change, records: Records) -> str:
    kept = change.record is not None and change.record.existed
    return str(records.backup(change.path)) if kept else ""


def _told(changes: list[Change], records: Records, *, dry_run: bool) -> out.Page:
    """What becomes of each file; in a dry run with the lines that change."""
    page: out.Page = []
    seen = [change for change in changes if change.does]
    if not seen:
        page.append("No file changes.")
    for change in seen:
        verb = f"would be {DOES[change.does]}" if dry_run else DOES[change.does]
        page.append((out.place(str(change.path)), f" {verb}"))
        if backup := _backup(change, records):
            page.append(out.faint(f"  as it was before: {backup}"))
        if dry_run:
            page += _difference(change)
    return page


def _difference(change: Change) -> list[str]:
    from difflib import unified_diff

    old, new = (
        (data or b"").decode("utf-8", "replace").splitlines()
        for data in (change.old, change.new)
    )
    return [f"  {line}" for line in unified_diff(old, new, lineterm="", n=1)][2:]


def _status(call: cli.Invocation, place: Place, host: str | None) -> None:
    """Tell what is connected."""
    from reverie.errors import RefusedError
    from reverie.interfaces.hosts import connect as hosts

    told: dict[str, Any] = {}
    page: out.Page = []
    for name in [host] if host else hosts.HOSTS:
        try:
            found = hosts.status(name, place, _records())
        except RefusedError:  # There is no such thing for this host.
            continue
        whole = _whole(found, str(place.workspace))
        told[name] = {"state": whole or "not connected", "files": found}
        page.append((out.place(name), f"  {whole or 'not connected'}"))
        if whole:
            lines = (f"  {each.path}: {each.state or 'nothing'}" for each in found)
            page += [out.faint(line) for line in lines]
    call.answer(told, page)


def _whole(found: list[FileState], own: str) -> str:
    """How a host stands as a whole; empty where nothing of ours is in its files."""
    states = {each.state for each in found if each.state != "unreadable"}
    named = {each.workspace for each in found} - {""}
    if not states or states == {""}:
        return "unreadable" if len(states) < len({each.state for each in found}) else ""
    if named and own not in named:
        return f"connected to {', '.join(sorted(named))}"
    whole = states <= {"connected", "edited"}
    return "connected" if whole else states.pop() if len(states) == 1 else "in part"


def _plugin(call: cli.Invocation, place: Place, host: str, folder: Path) -> None:
    """Write a host's plugin into a folder."""
    from reverie.interfaces.hosts import connect as hosts

    made = hosts.write_plugin(host, place, folder)
    page: out.Page = [(out.place(str(path)), " created") for path in made]
    call.answer({"host": host, "files": [str(path) for path in made]}, page)
