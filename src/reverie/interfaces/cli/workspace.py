"""`workspace`: the identity of the workspace, and the confirmation of its folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out

if TYPE_CHECKING:
    from reverie.model.views import WorkspaceStatus

SITUATIONS = {
    "known": "known in this folder",
    "moved": "moved here from",
    "copy": "copy of the workspace in",
    "replaced": "another workspace was known in this folder",
}


@cli.group()
def workspace(call: cli.Invocation) -> None:
    """Show the identity of the workspace, and confirm its folder.

    Protections such as the owner passphrase belong to the workspace ID, not to the
    folder. If a folder was copied, restored or replaced, human-only actions are locked
    until you confirm it with `accept`.

        reverie workspace
        reverie workspace accept
    """
    _show(call)


@workspace.verb()
def status(call: cli.Invocation) -> None:
    """Show the ID, the folder, this device and the device list.

    Also shows why human-only actions are locked, if they are.

        reverie workspace status
    """
    _show(call)


@workspace.verb()
def accept(call: cli.Invocation) -> None:
    """Confirm that this folder and its history are the right ones.

    Use it after you moved, copied or restored the folder, set its history back, or
    opened it on another device. It asks for the owner passphrase if one is set.

        reverie workspace accept
    """
    memory = call.memory
    waiting = [alert for alert in memory.alerts() if alert.path == ".audit"]
    if waiting and call.human is None and call.interactive and not memory.owned:
        page: out.Page = [alert.summary for alert in waiting]
        call.confirm(page, "Is this the right folder and history?")
    seen = memory.accept_workspace()
    done = "Accepted." if seen else "Nothing to accept."
    call.answer(seen, [out.good(done) if seen else done])


@workspace.verb()
def fork(call: cli.Invocation) -> None:
    """Give a copied workspace an ID of its own, so that both can be used.

    The commits are written again with the same files, times and authors. Memory IDs
    stay the same.

        reverie workspace fork
    """
    found = call.memory.fork_workspace()
    call.answer(found, [out.good(f"This workspace now has the ID {found.id}.")])


def _show(call: cli.Invocation) -> None:
    found = call.memory.describe_workspace()
    call.answer(found, _page(found))


def _page(found: WorkspaceStatus) -> out.Page:
    where = SITUATIONS[found.situation]
    if found.locked and found.situation == "known":
        where = "known in this folder, with an older or exchanged history"
    page: out.Page = [
        f"Workspace  {found.id}",
        f"Folder     {found.folder}",
        f"Situation  {where} {found.known_folder}".rstrip(),
        f"Device     {found.device or 'no key'}",
        f"State      {found.state_folder}",
    ]
    for id_, name, added in found.devices:
        page.append(f"Trusted    {id_} {name}, added {added}")
    for id_ in found.invalid:
        page.append(out.bad(f"Invalid    {id_}: the signature of its row is not valid"))
    if found.locked:
        page += [
            out.bad(f"Human-only actions are locked: {found.locked}."),
            out.faint("If this folder is right, run `reverie workspace accept`."),
            out.faint("To use a copy beside the original: `reverie workspace fork`."),
        ]
    return page
