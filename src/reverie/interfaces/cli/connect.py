"""`connect`: have a host use this workspace as its memory."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out

if TYPE_CHECKING:
    from reverie.interfaces.hosts.connect import Change, Records
    from reverie.interfaces.hosts.place import Place

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
    from reverie.interfaces.hosts import connect as hosts
    from reverie.interfaces.hosts.place import Place, started_by

    if remove + status + (plugin is not None) > 1:
        cli.misused(ONE_WISH)
    if host is None and not status:
        cli.misused(f"name a host, or give --status. {HOST}")
    memory, home = call.memory, Path(os.path.expanduser("~"))  # noqa: PTH111 - as typed
    core, talk = memory.config.core, memory.config.conversation
    place = Place(
        started_by(),
        memory.root.absolute(),
        home,
        Path.cwd() if project else None,
        os.environ,
        max(core.cap_tokens, talk.stable_tokens) + talk.wake_tokens,
    )
    records = hosts.records_of(os.environ, home)
    if status:
        return _status(call, place, host)
    name = host or ""
    if plugin is not None:
        return _plugin(call, place, name, plugin)
    plan = hosts.plan_remove if remove else hosts.plan_connect
    changes = plan(name, place, records)
    if not dry_run:
        hosts.carry_out(changes, records)
    page = _told(changes, records, dry_run=dry_run)
    scope = " --project" if project else ""
    if remove:
        page.append("Disconnected." if changes else "It was not connected.")
    elif not dry_run:
        page += ["", hosts.HOSTS[name].NEXT]
        page.append(out.faint(f"`reverie connect {name}{scope} --remove` undoes it."))
        if not memory.owned:
            page.append(
                "No owner passphrase is set: whoever types as you can decide for you. "
                "`reverie owner set` sets one."
            )
    said: dict[str, Any] = {"host": name, "dry_run": dry_run, "owned": memory.owned}
    files = [
        {"path": str(c.path), "does": c.does, "backup": _backup(c, records)}
        for c in changes
        if c.does
    ]
    call.answer({**said, "files": files}, page)
    return None


def _backup(change: Change, records: Records) -> str:
    kept = change.record is not None and change.record.existed
    return str(records.backup(change.path)) if kept else ""


def _told(changes: list[Change], records: Records, *, dry_run: bool) -> out.Page:
    """What becomes of each file; in a dry run with the lines that change."""
    page: out.Page = []
    seen = [change for change in changes if change.does]
    if not seen:
        page.append("Everything is as it should be already.")
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
            found = hosts.status(name, place)
        except RefusedError:  # There is no such thing for this host.
            continue
        states = {each.state for each in found}
        whole = states.pop() if len(states) == 1 else "in part"
        told[name] = {"state": whole or "not connected", "files": found}
        page.append((out.place(name), f"  {whole or 'not connected'}"))
        if whole:
            lines = (f"  {each.path}: {each.state or 'nothing'}" for each in found)
            page += [out.faint(line) for line in lines]
    call.answer(told, page)


def _plugin(call: cli.Invocation, place: Place, host: str, folder: Path) -> None:
    """Write a host's plugin into a folder."""
    from reverie.interfaces.hosts import connect as hosts

    made = hosts.write_plugin(host, place, folder)
    page: out.Page = [(out.place(str(path)), " created") for path in made]
    call.answer({"host": host, "files": [str(path) for path in made]}, page)
