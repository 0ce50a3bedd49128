"""`reverie hook EVENT --host HOST`: what a host runs at every event.

The quick way: it reads the host's JSON, asks the service by its socket and prints what
comes back, with nothing but the standard library. Where no service is, it does the work
itself. It always ends with 0 and in time, and prints one JSON object or nothing: a
memory that fails must never be in the way of the agent.
"""

from __future__ import annotations

import os
import sys

DEADLINES = {
    "start": 15.0,
    "prompt": 8.0,
    "stop": 8.0,
    "compact": 15.0,
    "end": 2.5,
    "tool": 5.0,
}
"""Seconds after which a hook of each event ends, whatever it is at."""

PATIENCE = {"start": 8.0, "end": 2.0}
"""Seconds that a service may take for an event; else as long as for a prompt."""

USUAL_PATIENCE = 4.0
MOST_READ = 16 << 20
SILENT = ("REVERIE_INSIDE", "REVERIE_AGENT")
"""Set where Reverie itself, or a sub-agent, is at work: that is not its user's word."""

ITS_OWN_FAULT = (400, 413)
"""What a service answers where doing it again would not help."""


class TooLateError(Exception):
    """The time of a hook is over."""


def run(arguments: list[str]) -> int:
    """Do what a host asks for; see `reverie hook --help`."""
    import signal

    def late(*_: object) -> None:
        raise TooLateError

    event, host, part, named = read_arguments(arguments)
    try:
        signal.signal(signal.SIGALRM, late)
        signal.setitimer(signal.ITIMER_REAL, DEADLINES.get(event, 5.0))
        told = getattr(sys.stdin, "buffer", sys.stdin).read(MOST_READ)
        body = told.encode() if isinstance(told, str) else told
        sub_agent = any(word.startswith("--agent") for word in arguments)
        said = _answer(event, host, part, named, body, sub_agent=sub_agent)
        sys.stdout.write(said)
        sys.stdout.flush()
    except Exception as error:
        _debug(repr(error))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return 0


def _answer(
    event: str, host: str, part: str, named: str, body: bytes, *, sub_agent: bool
) -> str:
    if event == "tool":
        return _judged(
            body, sub_agent=sub_agent or bool(os.environ.get("REVERIE_AGENT"))
        )
    from reverie.interfaces.hosts import runtime

    root = runtime.workspace_of(named)
    if not root:
        return _debug(f"there is no workspace: {named or 'here'}")
    if event not in DEADLINES:
        return _debug(f"there is no event {event!r}")
    if sub_agent or any(map(os.environ.get, SILENT)):
        return _debug("a sub-agent, or Reverie itself, is at work")
    started = ",".join(runtime.host_processes())
    path = f"/hook/{event}?host={host}&part={part}&processes={started}"
    try:
        patience = PATIENCE.get(event, USUAL_PATIENCE)
        status, said = runtime.ask(root, path, body, patience)
        if status == 200:
            return said.decode()
        _debug(f"the service says {status}")
        if status in ITS_OWN_FAULT:
            return ""
    except runtime.NobodyAnswersError:
        if event == "start" and part.startswith("1"):
            runtime.start(root, wait=0)
    except runtime.TooSlowError:
        # It has what was said, and is at it: doing it here would do it twice.
        return _debug("the service is not done in time")
    return _without_service(root, event, host, part, body)


def _judged(body: bytes, *, sub_agent: bool) -> str:
    """Whether a tool may be used, by what the host says of it."""
    import json

    from reverie.interfaces.hosts.sub_agents import denied

    told = json.loads(body)
    named = told.get("agent_id") if isinstance(told, dict) else ""
    tool = told.get("tool_name") if isinstance(told, dict) else ""
    return denied(str(tool or ""), sub_agent=sub_agent or bool(named))


def _debug(what: str) -> str:
    """Say what went wrong where somebody wants to know; nothing for the host."""
    if os.environ.get("REVERIE_HOOK_DEBUG"):
        sys.stderr.write(f"reverie hook: {what}\n")
    return ""


def _without_service(root: str, event: str, host: str, part: str, body: bytes) -> str:
    """Do the work here; it takes longer, and nothing is lost."""
    from pathlib import Path

    from reverie import Memory
    from reverie.interfaces.hosts.events import answer, read_event

    told = read_event(event, host, body, part)
    if told is None:
        return _debug("this is no JSON object")
    with Memory(Path(root)) as memory:
        # What can wait is left to the service.
        memory.tidy_on_close = event == "end"
        return answer(memory, told)


def read_arguments(arguments: list[str]) -> tuple[str, str, str, str]:
    """The event, the host, which part, and the workspace; what is odd is left out."""
    event, values = "", {"--host": "", "--part": "1", "--workspace": "", "-w": ""}
    rest = iter(arguments)
    for word in rest:
        name, equals, value = word.partition("=")
        if name in values:
            values[name] = value if equals else next(rest, "")
        elif not word.startswith("-") and word != "hook":
            event = event or word
    host = "".join(c for c in values["--host"] if c.isalnum() or c == "-")
    part = "".join(c for c in values["--part"][:7] if c.isdigit() or c == "/")
    return event, host, part or "1", values["--workspace"] or values["-w"]
