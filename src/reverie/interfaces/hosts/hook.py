"""`reverie hook EVENT --host HOST`: what a host runs at every event.

The quick way: it reads the host's JSON, asks the service by its socket and prints what
comes back, with nothing but the standard library. Where no service answers it does the
work itself. It always ends with 0, and prints one JSON object or nothing: a memory that
fails must never be in the way of the agent.
"""

from __future__ import annotations

import os
import sys

EVENTS = ("start", "prompt", "stop", "compact", "end", "tool")
PATIENCE = {"start": 8.0, "prompt": 4.0}
"""Seconds that a service may take for an event; else as long as for a prompt."""

MOST_READ = 16 << 20
SILENT = ("REVERIE_INSIDE", "REVERIE_AGENT")
"""Set where Reverie itself, or a sub-agent, is at work: that is not its user's word."""


def run(arguments: list[str]) -> int:
    """Do what a host asks for; see `reverie hook --help`."""
    try:
        told = getattr(sys.stdin, "buffer", sys.stdin).read(MOST_READ)
        body = told.encode() if isinstance(told, str) else told
        said = _answer(arguments, body)
        sys.stdout.write(said)
        sys.stdout.flush()
    except Exception as error:
        if os.environ.get("REVERIE_HOOK_DEBUG"):
            sys.stderr.write(f"reverie hook: {error!r}\n")
    return 0


def _answer(arguments: list[str], body: bytes) -> str:
    from reverie.interfaces.hosts import runtime

    if any(word.startswith("--agent") for word in arguments):
        return ""
    event, host, part, named = read_arguments(arguments)
    root = runtime.workspace_of(named)
    if not root or event not in EVENTS or any(map(os.environ.get, SILENT)):
        return ""
    path = f"/hook/{event}?host={host}&part={part}"
    try:
        status, said = runtime.ask(root, path, body, PATIENCE.get(event, 4.0))
        return said.decode() if status == 200 else ""
    except runtime.NobodyAnswersError:
        pass
    if event == "start" and part == 1:
        runtime.start(root, wait=0)
    return _without_service(root, event, host, part, body)


def _without_service(root: str, event: str, host: str, part: int, body: bytes) -> str:
    """Do the work here; it takes longer, and nothing is lost."""
    from pathlib import Path

    from reverie import Memory
    from reverie.interfaces.hosts.events import answer, read_event

    told = read_event(event, host, body, part)
    if told is None:
        return ""
    with Memory(Path(root)) as memory:
        # What can wait is left to the service.
        memory.tidy_on_close = event == "end"
        return answer(memory, told)


def read_arguments(arguments: list[str]) -> tuple[str, str, int, str]:
    """The event, the host, which part, and the workspace; what is odd is left out."""
    event, values = "", {"--host": "", "--part": "1", "--workspace": "", "-w": ""}
    rest = iter(arguments)
    for word in rest:
        name, equals, value = word.partition("=")
        if name in values:
            values[name] = value if equals else next(rest, "")
        elif not word.startswith("-") and word != "hook":
            event = event or word
    part = int(values["--part"]) if values["--part"].isdigit() else 1
    host = "".join(c for c in values["--host"] if c.isalnum() or c == "-")
    return event, host, part, values["--workspace"] or values["-w"]
