"""`up`: the local service of a workspace."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reverie.errors import RefusedError, UnavailableError
from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out

if TYPE_CHECKING:
    from reverie.interfaces.web.app import Running


PORT, MINUTES = click.IntRange(0, 65_535), click.FloatRange(0)
ENDS = 10.0
"""Seconds that a service may take to end."""


@cli.verb()
@cli.option(
    "--port", "Port on 127.0.0.1 (default: one per workspace; 0: any).", PORT, "PORT"
)
@cli.option("--idle", "Minutes until it ends; 0: never.", MINUTES, "MIN", default=30.0)
@cli.flag("--detach", "Leave it in the background, and tell where it is.")
@cli.flag("--open opens", "Open its page in your browser, where there is one.")
@cli.flag("--sample", "On a sample workspace, made anew in the folder of -w.")
@cli.flag("--status", "Tell whether it is up, and where.")
@cli.flag("--stop", "End it.")
@cli.flag("--quiet", "Say nothing.")
def up(  # noqa: PLR0913 - its options
    call: cli.Invocation,
    port: int | None,
    idle: float,
    *,
    detach: bool,
    opens: bool,
    sample: bool,
    status: bool,
    stop: bool,
    quiet: bool,
) -> None:
    """Serve this workspace on this machine: a page for you, MCP and hooks for agents.

    The page shows what your agent remembers, and what waits for you; it opens by the
    link that is printed here, in a terminal only. Its address stays the same, so an
    open tab and a bookmark go on after a restart. Agents come in on 127.0.0.1 with a
    token, and on a socket that is yours alone. Hooks and hosts start it by themselves,
    and it ends when nobody comes for half an hour; killing it loses nothing.

        reverie up --open
        reverie up --detach
        reverie up --status --json
        reverie up --stop
    """
    from reverie.interfaces.hosts import runtime
    from reverie.interfaces.web.app import find_running, is_served, page_link, serve
    from reverie.memory.pool import one_thread_each

    if call.for_person and not stop:
        what = "cannot serve one person: the service shows the memories of everybody"
        raise RefusedError(what, hint=WITHOUT_PERSON)
    if sample:
        folder = Path(call.workspace or ".")
        if not (folder / "MEMORY.md").exists():
            from reverie.interfaces.web.sample import make_sample

            with call.progress("Living through a month") as progress:
                make_sample(folder, progress)
    with call.open():
        root = call.root.absolute()
    running = find_running(root)
    if stop:
        if running is not None:
            with suppress(ProcessLookupError):
                os.kill(running.pid, signal.SIGTERM)
            end = time.monotonic() + ENDS
            while time.monotonic() < end and is_served(root):
                time.sleep(runtime.LOOK)
        call.answer({"was_up": running is not None}, ["Ended." if running else DOWN])
    elif status:
        page = page_link(running) if running and call.on_a_screen else ""
        call.answer({"up": running}, told_running(running, page) if running else [DOWN])
        open_page(page if opens else "")
    elif detach:
        named = () if port is None else ("--port", str(port))
        options = (*named, "--idle", str(idle))
        runtime.start(str(root), *options)
        running = find_running(root)
        if running is None:
            place = runtime.place_of(str(root))
            hint = f"{place}.log may tell why." if place else NO_FOLDER
            raise UnavailableError("the service did not start", hint=hint)
        page = page_link(running) if call.on_a_screen else ""
        call.answer({"up": running}, told_running(running, page))
        open_page(page if opens else "")
    else:

        def told(running: Running, page: str) -> None:
            shown = page if call.on_a_screen else ""
            if not quiet:
                call.say([*told_running(running, shown), out.faint("Ctrl-C ends it.")])
            open_page(shown if opens else "")

        one_thread_each()
        serve(root, port=port, idle=60 * idle, told=told)


WITHOUT_PERSON = (
    "Run it without --person and REVERIE_PERSON. `reverie --person NAME mcp` and "
    "`reverie --person NAME hook …` serve one person."
)
NO_FOLDER = "Set XDG_RUNTIME_DIR to a folder that only you can read."
PAGE = "  page   its link is told in a terminal: reverie up --status"
DOWN = "No service is up; `reverie up` starts one."


def open_page(page: str) -> None:
    """Open a page in a browser, where one can be had; nobody waits for it.

    Where only a browser of the terminal could be had it would take the terminal, and
    one that shows its windows elsewhere is of no use; so there the link is enough.

    Args:
        page: The link; nothing is opened without one.
    """
    known, there = os.environ, sys.platform in {"darwin", "win32"}
    shows = there or known.get("DISPLAY") or known.get("WAYLAND_DISPLAY")
    wanted = known.get("BROWSER") or (shows and not known.get("SSH_CONNECTION"))
    if page and wanted:
        import webbrowser

        # Some take seconds to say that they are there. One that is not is no error.
        threading.Thread(target=webbrowser.open, args=(page,)).start()


def told_running(running: Running, page: str = "") -> out.Page:
    """Where a service listens, and how to connect.

    Args:
        running: The service.
        page: The link of its page; empty where nobody sits at a terminal.
    """
    opens = ("  page   ", page) if page else out.faint(PAGE)
    return [
        (out.good("Up: "), running.url, out.faint(f"  pid {running.pid}")),
        opens,
        ("  MCP    ", f"{running.url}/mcp"),
        ("  token  ", running.token),
        out.faint(
            f"`reverie -w {running.root} connect claude-code` connects it to Claude "
            "Code; `reverie connect --help` names the other hosts."
        ),
    ]
