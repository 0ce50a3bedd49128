"""Conversations: one file a window, one entry a turn, only ever appended (002)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from reverie.markdown import (
    Section,
    ended,
    escape,
    escape_field,
    find_conflicts,
    heading,
    headline,
    newlines_like,
    split_fields,
    split_sections,
    unescape_field,
    visible,
)
from reverie.model.finding import Finding
from reverie.model.ids import ItemId, Kind
from reverie.model.items import Entry, Role, Turn

if TYPE_CHECKING:
    from collections.abc import Iterable

EXPECTED = "expected '## YYYY-MM-DD HH:MM:SS | role | turn:N'"
UNKNOWN = "—"
"""Stands for a time that nobody knows."""

_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
_FROM = re.compile(r"^<!-- (?:[^\n]*\| )?Origin: ", re.MULTILINE)
_NUMBER = re.compile(r"turn:([1-9][0-9]{0,8})")
_TAKEN = re.compile(
    r"^## [^|\n]*\| *(user|assistant|system) *\|.*?\bturn:([1-9][0-9]{0,8})",
    re.MULTILINE,
)
_MEND = "Write the heading so, or make it a level-three heading."


@dataclass(frozen=True, slots=True)
class Conversation:
    """The file of one window.

    Attributes:
        path: Path inside the workspace.
        window: The name of the window, which is the file's.
        entries: The turns, in the order written.
        findings: What is wrong in it.
    """

    path: str
    window: str
    entries: tuple[Entry, ...]
    findings: tuple[Finding, ...]


def window_of(path: str) -> str:
    """The window that a file tells of."""
    return path.rpartition("/")[2].removesuffix(".md")


def new_window(window: str, title: str = "", origin: str = "") -> str:
    """The text of a window's file before anything was said."""
    fields = {"Title": title, "Origin": origin}
    said = " | ".join(f"{k}: {escape_field(v)}" for k, v in fields.items() if v)
    comment = f"\n<!-- {said} -->\n" if said else ""
    return f"# {window} — Conversation\n{comment}"


def parse_window(text: str, path: str) -> Conversation:
    """Read a window's file, whatever is in it."""
    parts = split_sections(text, lambda words: not _problem(words))[1:]
    entries, findings = _entries(parts, path, imported=_imported(text))
    findings += find_conflicts(text, path)
    return Conversation(path, window_of(path), entries, tuple(sorted(findings)))


def parse_more(text: str, path: str, known: str) -> tuple[Entry, ...]:
    """Read only the turns that were appended to a text read before."""
    parts = split_sections(text[len(known) :], lambda words: not _problem(words))[1:]
    above = known.count("\n")
    moved = [replace(part, line=part.line + above) for part in parts]
    entries = _entries(moved, path, imported=_imported(text))[0]
    taken = {(role, int(number)) for role, number in _TAKEN.findall(known)}
    return tuple(e for e in entries if _key(e) not in taken)


def begins(line: str) -> bool:
    """Whether a line of a file begins a turn, whatever stands above it."""
    words = heading(line)
    return words is not None and not _problem(words)


def _key(entry: Entry) -> tuple[str, int]:
    turn = entry.item
    return (turn.role, turn.number) if isinstance(turn, Turn) else ("", 0)


def _imported(text: str) -> bool:
    """Whether a window's file says at its top that it comes from elsewhere."""
    return bool(_FROM.search(text, 0, max(0, text.find("\n## "))))


def _entries(
    parts: Iterable[Section], path: str, *, imported: bool
) -> tuple[tuple[Entry, ...], list[Finding]]:
    found: dict[ItemId, Entry] = {}
    findings = []
    for part in parts:
        words = part.heading or ""
        problem = _problem(words)
        if problem:
            findings.append(Finding(path, part.line, *problem))
            continue
        turn = _parse_turn(words, part.body, window_of(path))
        turn = replace(turn, imported=True) if imported else turn
        item_id = turn_id(turn)
        if item_id in found:
            what = f"turn {turn.number} of the {turn.role} is written twice"
            mend = "Give the second one a number of its own."
            findings.append(Finding(path, part.line, what, mend))
            continue
        title = headline(turn.text) or f"{turn.role}, turn {turn.number}"
        found[item_id] = Entry(item_id, turn, part.line, turn.text, title, part.raw)
    return tuple(found.values()), findings


def turn_id(turn: Turn, passage: int = 0) -> ItemId:
    """The name of a turn, or of a passage in it."""
    return ItemId(Kind.TURN, f"{turn.window}/{turn.number}/{turn.role}/{passage}")


def _problem(words: str) -> tuple[str, str] | None:
    """What keeps a heading from starting a turn, and how to mend it."""
    parts = [part.strip() for part in split_fields(words)]
    if len(parts) < 3 or not any(map(_NUMBER.fullmatch, parts[2:])):
        return EXPECTED, _MEND
    if parts[1] not in Role.__members__.values():
        return f"unknown role {parts[1]!r}", f"Use one of {', '.join(Role)}."
    if parts[0] != UNKNOWN and not _moment(parts[0]):
        return f"{parts[0]!r} is not a time", "Write it as YYYY-MM-DD HH:MM:SS, in UTC."
    return None


def _moment(text: str) -> datetime | None:
    if not _TIME.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        return None


def _parse_turn(words: str, body: str, window: str) -> Turn:
    """Read a turn whose heading has no `_problem`."""
    clock, role, *rest = (part.strip() for part in split_fields(words))
    number = next(int(m[1]) for part in rest if (m := _NUMBER.fullmatch(part)))
    pairs = [part.partition(":") for part in rest if not _NUMBER.fullmatch(part)]
    fields = [(k.strip(), unescape_field(v)) for k, _, v in pairs if k.strip()]
    speaker = next((v for k, v in fields if k == "speaker"), "")
    more = tuple(field for field in fields if field[0] != "speaker")
    text = visible(body)
    return Turn(window, number, Role(role), text, _moment(clock), speaker, more)


def render_turn(turn: Turn) -> str:
    """Write one turn; white space at the edges of its text is dropped."""
    at = f"{turn.at.astimezone(UTC):%Y-%m-%d %H:%M:%S}" if turn.at else UNKNOWN
    fields = [at, turn.role, f"turn:{turn.number}"]
    if turn.speaker:
        fields.append(f"speaker:{escape_field(turn.speaker)}")
    fields += [f"{key}:{escape_field(value)}" for key, value in turn.more]
    text = escape(turn.text)
    return f"## {' | '.join(fields)}\n" + (f"{text}\n" if text else "")


def append_turns(text: str, turns: Iterable[Turn]) -> str:
    """A window's text with more turns below all others; the rest stays as it was."""
    text = ended(text)
    if not text.endswith(("\n\n", "\n\r\n")):
        text += newlines_like(text, "\n")
    return text + newlines_like(text, "\n".join(map(render_turn, turns)))
