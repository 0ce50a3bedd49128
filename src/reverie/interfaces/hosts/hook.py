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


class HookCall:
    """The arguments of one hook; unknown words are ignored.

    Args:
        arguments: The words after `reverie`.

    Attributes:
        event: The event, such as `start`.
        host: The name of the host.
        part: The wanted part of a long answer, such as `2/3`.
        workspace: The folder that was named; empty to search upwards.
        person: The person whose session it is; empty for everybody.
    """

    def __init__(self, arguments: list[str]) -> None:
        values = dict.fromkeys(
            ("--host", "--part", "--workspace", "-w", "--person"), ""
        )
        self.event = ""
        rest = iter(arguments)
        for word in rest:
            name, equals, value = word.partition("=")
            if name in values:
                values[name] = value if equals else next(rest, "")
            elif not word.startswith("-") and word != "hook":
                self.event = self.event or word
        self.host = "".join(c for c in values["--host"] if c.isalnum() or c == "-")
        digits = (c for c in values["--part"][:7] if c.isdigit() or c == "/")
        self.part = "".join(digits) or "1"
        self.workspace = values["--workspace"] or values["-w"]
        variable = os.environ.get("REVERIE_PERSON", "")
        self.person = values["--person"].strip() or variable.strip()


def run(arguments: list[str]) -> int:
    """Do what a host asks for; see `reverie hook --help`."""
    import signal

    def late(*_: object) -> None:
        raise TooLateError

    call = HookCall(arguments)
    try:
        signal.signal(signal.SIGALRM, late)
        signal.setitimer(signal.ITIMER_REAL, DEADLINES.get(call.event, 5.0))
        told = getattr(sys.stdin, "buffer", sys.stdin).read(MOST_READ)
        body = told.encode() if isinstance(told, str) else told
        sub_agent = any(word.startswith("--agent") for word in arguments)
        said = _answer(call, body, sub_agent=sub_agent)
        sys.stdout.write(said)
        sys.stdout.flush()
    except Exception as error:
        _debug(repr(error))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return 0


def _answer(call: HookCall, body: bytes, *, sub_agent: bool) -> str:
    event = call.event
    if event == "tool":
        return _judged(
            body, sub_agent=sub_agent or bool(os.environ.get("REVERIE_AGENT"))
        )
    from reverie.interfaces.hosts import runtime

    root = runtime.workspace_of(call.workspace)
    if not root:
        return _debug(f"there is no workspace: {call.workspace or 'here'}")
    if event not in DEADLINES:
        return _debug(f"there is no event {event!r}")
    if sub_agent or any(map(os.environ.get, SILENT)):
        return _debug("a sub-agent, or Reverie itself, is at work")
    path = f"/hook/{event}?host={call.host}&part={call.part}"
    if call.person:
        encoded = call.person.encode("utf-8", "replace")
        path += "&person=" + "".join(f"%{byte:02x}" for byte in encoded)
    try:
        patience = PATIENCE.get(event, USUAL_PATIENCE)
        status, said = runtime.ask(root, path, body, patience)
        if status == 200:
            return said.decode()
        _debug(f"the service says {status}")
        if status in ITS_OWN_FAULT:
            return ""
    except runtime.NobodyAnswersError:
        if event == "start" and call.part.startswith("1"):
            runtime.start(root, wait=0)
    except runtime.TooSlowError:
        # It has what was said, and is at it: doing it here would do it twice.
        return _debug("the service is not done in time")
    return _without_service(root, call, body)


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


def _without_service(root: str, call: HookCall, body: bytes) -> str:
    """Do the work here; it takes longer, and nothing is lost."""
    from pathlib import Path

    from reverie import Memory
    from reverie.interfaces.hosts.events import answer, read_event

    told = read_event(call.event, call.host, body, call.part, call.person)
    if told is None:
        return _debug("this is no JSON object")
    with Memory(Path(root), person=call.person) as memory:
        # What can wait is left to the service.
        memory.tidy_on_close = call.event == "end"
        return answer(memory, told)
