"""What happens at a host's events, whatever the host calls them.

start   → wake: what the agent is told when it starts
prompt  → hear and attend: what the message asks of memory, and what fits it
stop    → the reply is recorded beside its question
compact → nothing: what was said was kept when it was said, and at the start that
          follows the agent is asked for what should last besides
end     → the session ends; whole sentences that the user asked to remember and the
          agent left are stored; a reflection may be offered
tool    → a sub-agent may not write
"""

from __future__ import annotations

import json
from contextlib import suppress
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from reverie import TriggerKind
from reverie.errors import ReverieError
from reverie.interfaces.hosts import runtime
from reverie.interfaces.hosts.sub_agents import denied
from reverie.markdown import one_line
from reverie.model.items import Role, person_named
from reverie.recall.context_block import CLOSING, OPENING, harmless

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reverie import Heard, Memory

NAMES = {"start": "SessionStart", "prompt": "UserPromptSubmit"}
"""What most hosts call the events that are answered."""

GEMINI = {**NAMES, "prompt": "BeforeAgent"}
LIMITS = {"claude-code": 9_900, "cursor": 9_900, "gemini": 9_900, "codex": 100_000}
"""Characters that a host takes from one hook; Codex is told to take more."""

USUAL_LIMIT = 9_900
LONGEST_NAME = 80
STARTING = 30.0
"""Seconds in which all parts of what is told at a start are asked for."""

MAX_TEXT_CHARS, CUT_MARGIN = 200_000, 20_000
"""Characters of a message or reply that are read, and that are searched for a secret
beyond them."""

EVERY = 4
"""Of so many prompts one reminds the agent to note what is worth keeping."""

NOTE = (
    "If this turn brings anything that should last (a fact, preference, decision or "
    "correction), call `remember` with it before you end your turn."
)
REQUEST = (
    "The user asks to remember something{}. Call `remember` with it in words that "
    "stand alone."
)
MAX_REQUEST_CHARS = 500
"""A longer sentence is not quoted: it stands in the message."""

LEFT_OUT = (
    "The end of the message was not recorded: {:,} characters. At most {:,} are. If "
    "it should last, have the user import it as a file: `reverie import FILE`."
)
REFLECTS = "The user asks for a reflection: call `reflect`."
PICTURES = "The user asks for a new self-image: call `reflect` with `self_image`."
BEFORE = (
    "What you had in sight was just summed up. If it told of anything that should last "
    "and is not in memory yet, call `remember` with it."
)
MORE = "… there is more: `recall` what you need of it."


class Event(Struct, frozen=True):
    """Something that happened in a host.

    Attributes:
        name: start, prompt, stop, compact, end or tool.
        host: Which host.
        session: The host's name for the conversation.
        text: What the user or the agent said.
        part: Which part of a long answer is wanted, from 1.
        parts: How many of them the host asks for; 0 if nobody knows.
        sub_agent: Whether a sub-agent is behind it.
        by_user: Whether the text is what the user typed.
        tool: Which tool is about to be used.
        source: What began a session, or who said something, as the host tells it.
        person: The person whose session it is; empty for everybody.
        typed: Whether the host says that its user typed the text.
        processes: The processes that started the hook, the nearest first.
    """

    name: str
    host: str
    session: str
    text: str = ""
    part: int = 1
    parts: int = 0
    sub_agent: bool = False
    by_user: bool = True
    tool: str = ""
    source: str = ""
    person: str = ""
    typed: bool = False
    processes: tuple[str, ...] = ()

    @property
    def window(self) -> str:
        """The conversation that it belongs to."""
        return f"{self.host}-{self.session}"[:LONGEST_NAME]


TYPED = {"claude-code": ("source", "user")}
"""The hosts that mark a prompt as typed by their user: the field, and what it says."""


def read_event(
    name: str,
    host: str,
    body: bytes,
    part: str = "1",
    person: str = "",
    processes: tuple[str, ...] | None = None,
) -> Event | None:
    """Parse the JSON of a host; return None if it is not a JSON object.

    Args:
        name: The event.
        host: The host.
        body: Its JSON.
        part: Which part of a long answer is wanted.
        person: The person whose session it is; empty for everybody.
        processes: The processes that started the hook; those of this process if None.
    """
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(told, dict):
        return None
    session = _text(told, "session_id", "conversation_id", "sessionId")
    said = (
        _text(told, "last_assistant_message", "prompt_response", "text")
        if name == "stop"
        else _text(told, "prompt")
    )
    return Event(
        name,
        host or "agent",
        session or "session",
        said,
        *_part(part),
        sub_agent=bool(_text(told, "agent_id")),
        by_user=_text(told, "source") in {"", "user"} or name != "prompt",
        tool=_text(told, "tool_name"),
        source=_text(told, "source"),
        person=person_named(person),
        typed=name == "prompt" and _is_typed(host, told),
        processes=runtime.host_processes() if processes is None else processes,
    )


def _is_typed(host: str, told: Mapping[str, Any]) -> bool:
    """Return whether a host says that its user typed a prompt.

    A sender that a host does not name is not the user.
    """
    field, user = TYPED.get(host, ("", ""))
    return bool(field) and told.get(field) == user and not told.get("agent_id")


def _part(told: str) -> tuple[int, int]:
    """Which part of how many, of `2/3`; the first where it says something else."""
    one, _, of = told[:7].partition("/")
    wanted, count = (int(word) if word.isdecimal() else 0 for word in (one, of))
    return max(1, wanted), count


def _text(told: Mapping[str, Any], *names: str) -> str:
    """The first of some fields that has a text."""
    found = (told.get(name) for name in names)
    return next((value for value in found if isinstance(value, str) and value), "")


def answer(memory: Memory, event: Event, woken: Woken | None = None) -> str:
    """Do what an event asks for; what the host is to be told, as JSON, or nothing.

    Args:
        memory: The workspace.
        event: What happened.
        woken: What was told at starts, where the same process answers for all parts.
    """
    if event.name == "tool":
        return denied(event.tool, sub_agent=event.sub_agent)
    if event.sub_agent:
        return ""
    with suppress(ReverieError):
        if event.name == "prompt":
            memory.window(event.window).note_host(event.processes)
        return _told(memory, event, Woken() if woken is None else woken)
    return ""


class Woken:
    """What windows were told at their start: its parts are asked for one by one.

    They come in any order. Whoever comes first wakes the agent; who asks for a part
    for the second time begins anew.
    """

    def __init__(self) -> None:
        self._told: dict[tuple[str, str], tuple[float, str, set[int]]] = {}
        self._lock = Lock()

    def text(self, memory: Memory, event: Event) -> str:
        """All that an agent is told at its start, whichever part of it is wanted."""
        with self._lock:
            now = monotonic()
            old = [k for k, (at, _, _) in self._told.items() if now - at > STARTING]
            for expired in old:
                del self._told[expired]
            # Two people may use one conversation, and each is told something else.
            key = event.person, event.window
            at, text, asked = self._told.get(key, (now, "", {event.part}))
            if event.part in asked:
                at, text, asked = now, memory.wake(event.window).text, set()
            self._told[key] = at, text, asked | {event.part}
        return text


def _told(memory: Memory, event: Event, woken: Woken) -> str:
    match event.name:
        case "start":
            text = woken.text(memory, event)
            parts = cut(text, LIMITS.get(event.host, USUAL_LIMIT))
            wanted = "".join(parts[event.part - 1 : event.part])
            if event.part == event.parts < len(parts):
                wanted = wanted.replace(CLOSING, f"{MORE}\n{CLOSING}")
            first = event.part == 1
            if first and event.source == "compact":
                wanted = "\n".join(filter(None, (wanted, _noted([BEFORE]))))
            return tell(event, wanted, waiting(memory) if first else "")
        case "prompt" if event.by_user and event.text.strip():
            host = event.host if event.typed else ""
            return tell(event, prompted(memory, event.window, event.text, host))
        case "stop" if event.text.strip():
            text, _ = within_limit(event.text)
            memory.window(event.window).say(text, role=Role.ASSISTANT)
        case "end":
            stored, left = memory.store_requests(event.window)
            memory.leave(event.window)
            return tell(event, "", describe_requests(len(stored), left))
        case _:
            pass
    return ""


def prompted(memory: Memory, window: str, text: str, typed_in: str = "") -> str:
    """What to tell the agent besides a message; the message is recorded.

    Args:
        memory: The workspace.
        window: The conversation.
        text: The message.
        typed_in: The host that says its user typed it; empty if none says so.
    """
    text, left_out = within_limit(text)
    attended = memory.attend(window, text)
    heard = memory.hear(text, window=window, begin=False, store=False)
    said = memory.window(window)
    turn = said.record_typed(text, typed_in) if typed_in else said.say(text)
    notes = [*_heard(heard)]
    if left_out:
        notes.append(LEFT_OUT.format(left_out, MAX_TEXT_CHARS))
    if not turn.number % EVERY and _may_tell(text, heard):
        notes.append(NOTE)
    return "\n".join(filter(None, (attended.text, _noted(notes))))


def _may_tell(text: str, heard: Heard) -> bool:
    """Return whether a message has words, and does not ask to leave them out."""
    withheld = any(each.kind is TriggerKind.WITHHOLD for each in heard.triggers)
    return not withheld and any(map(str.isalnum, text))


def within_limit(text: str) -> tuple[str, int]:
    """Cut a very long text; return it and how many characters were left out.

    It is never cut inside a secret, because half of one is not recognised.
    """
    if len(text) <= MAX_TEXT_CHARS:
        return text, 0
    from reverie.secrets import find_secrets

    end = MAX_TEXT_CHARS
    for secret in find_secrets(text[: end + CUT_MARGIN]):
        if secret.start < end < secret.end:
            end = secret.start
    left_out = len(text) - end
    return f"{text[:end].rstrip()}\n\n[{left_out:,} more characters]", left_out


def _noted(notes: Sequence[str]) -> str:
    """Notes for the agent between our marks, which nothing in them can close."""
    lines = [f"- {harmless(one_line(note))}" for note in notes]
    return "\n".join((OPENING, "## Memory", *lines, CLOSING)) if lines else ""


def _heard(heard: Heard) -> list[str]:
    """What came of what the user asked of memory."""
    fits = (0 < len(said) <= MAX_REQUEST_CHARS for said in heard.asks)
    notes = [
        REQUEST.format(f": “{said}”" if quotes else "")
        for said, quotes in zip(heard.asks, fits, strict=True)
    ]
    notes += [f"Not done: {why}" for why in heard.refused]
    for wish in heard.forgetting:
        named = ((m.name or m.id, m.text[:80]) for m in wish.matches[:5])
        ids = "; ".join(f"{id_}: {text!r}" for id_, text in named)
        found = f"found {ids}" if ids else "nothing was found"
        ask = "Show them what it is, and call `forget` with the ids they confirm."
        notes.append(
            f"The user wants something forgotten; {found}. {ask if ids else ''}"
        )
    if heard.reflection is not None:
        says = " ".join(heard.reflection.says.split())[:300]
        notes.append(f"Reflection ({heard.reflection.state}): {says} Use `reflect`.")
    elif any(each.kind is TriggerKind.REFLECT for each in heard.triggers):
        notes.append(REFLECTS)
    if any(each.kind is TriggerKind.SELF_IMAGE for each in heard.triggers):
        notes.append(PICTURES)
    return notes


def waiting(memory: Memory) -> str:
    """What waits for the user, in a line that their host shows them; or nothing."""
    news = [
        out_of(len(memory.pending()), "proposal", "reverie pending"),
        out_of(len(memory.alerts()), "alert", "reverie alerts"),
    ]
    standing = memory.reflection.status()
    if standing.state in {"asked", "tokens requested", "pending"}:
        news.append("a reflection waits for your word (`reverie reflect`)")
    if standing.image:
        news.append("a new self-image waits (`reverie reflect self-image`)")
    elif standing.notes_due:
        news.append(
            f"a new self-image is due, {standing.notes_due} notes "
            "(`reverie reflect self-image`)"
        )
    return f"Reverie: {'; '.join(told)}." if (told := [*filter(None, news)]) else ""


def describe_requests(stored: int, left: Sequence[str]) -> str:
    """Say at the end of a session what became of requests that the agent left."""
    news = []
    if stored:
        news.append(f"stored word for word: {count_requests(stored)}")
    if left:
        quoted = ", ".join(f"“{harmless(one_line(said))}”" for said in left if said)
        shown = f" ({quoted})" if 0 < len(quoted) <= MAX_REQUEST_CHARS else ""
        news.append(
            f"not stored: {count_requests(len(left))}{shown}; the recorded "
            "conversation has the message"
        )
    return f"Reverie: {'; '.join(news)}." if news else ""


def count_requests(count: int) -> str:
    """Return a number of requests in words."""
    return f"{count} request{'s' * (count > 1)} to remember"


def out_of(count: int, what: str, command: str) -> str:
    """So many of something, and the command that shows them; nothing for none."""
    return f"{count} {what}{'s' * (count > 1)} (`{command}`)" if count else ""


def tell(event: Event, text: str, to_user: str = "") -> str:
    """A text in the form in which a host takes it.

    Args:
        event: What is answered.
        text: For the agent.
        to_user: For the user themselves, where a host has a way to them.
    """
    if event.host == "cursor":
        go_on = {"continue": True} if event.name == "prompt" else {}
        return json.dumps({**go_on, "additional_context": text}) if text else ""
    names = GEMINI if event.host == "gemini" else NAMES
    context = {"hookEventName": names.get(event.name), "additionalContext": text}
    told: dict[str, object] = {"hookSpecificOutput": context} if text else {}
    told |= {"systemMessage": to_user} if to_user else {}
    return json.dumps(told) if told else ""


def cut(text: str, limit: int) -> list[str]:
    """A text in parts that a host takes whole, each marked as ours.

    Hosts put them together in the order in which they come, so each says which it is.
    """
    if _length(text) <= limit:
        return [text] if text else []
    room = limit - len(OPENING) - len(CLOSING) - 60
    # A character counts as two at most.
    half = room // 2
    parts: list[str] = [""]
    for line in text.split("\n"):
        for piece in (line[at : at + half] for at in range(0, max(1, len(line)), half)):
            if _length(parts[-1]) + _length(piece) + 1 > room:
                parts.append("")
            parts[-1] += f"{piece}\n"
    return [_marked(part, n, len(parts)) for n, part in enumerate(parts, 1)]


def _length(text: str) -> int:
    """How long a text is as hosts count, which is how JavaScript does."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _marked(part: str, number: int, of: int) -> str:
    """A part between the marks that tell what came from memory, however it was cut."""
    inside = [line for line in part.split("\n") if line not in {OPENING, CLOSING}]
    body = "\n".join(inside).strip("\n")
    return f"{OPENING}\nMemory, part {number} of {of}\n{body}\n{CLOSING}"
