"""Conversations: one entry a turn, appended to the newest part of a window (002).

A turn that was deleted stays in its file, and so does its number; but it is no entry,
so nothing finds it any more.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from reverie import markdown as md
from reverie.errors import RefusedError
from reverie.model.change import Action, Edit, checksum
from reverie.model.conversation import DELETED, EDITED, PASTED
from reverie.model.ids import ItemId, Kind, MissingItemError
from reverie.model.items import Entry, Finding, Role, Turn
from reverie.pasted import find_pasted_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence


EXPECTED = "expected '## YYYY-MM-DD HH:MM:SS | role | turn:N'"
UNKNOWN = "—"
"""Stands for a time that nobody knows."""

PART_BYTES = 131_072
"""Bytes from which on a window goes on in a further part."""

FILES = 16
"""So many parts are kept as they were read."""

SPEAKERS = (Role.SYSTEM, Role.USER, Role.ASSISTANT)
"""The order of those who speak under one number."""

MAX_HEADING_CHARACTERS = 2_000
"""Characters of a heading that are read to see whether it begins a turn."""

GAP = 3
"""So many parts in a row may have been taken away by hand."""

LEAP = 1_000_000
"""A number that is so far above those before it is taken for a slip."""

LARGEST = 999_999_999
"""No turn has a larger number."""

_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
_TOP = re.compile(r"^<!-- ((?:Title|Origin): [^\n]*?) -->", re.MULTILINE)
_NUMBER = re.compile(r"turn:([1-9][0-9]{0,8})")
_TAKEN = re.compile(
    r"^## [^|\n]*\| *(user|assistant|system) *\|.*?\bturn:([1-9][0-9]{0,8})",
    re.MULTILINE,
)
_PART = re.compile(r"~(?:[2-9]|[1-9][0-9]{1,8})\Z")
_MEND = "Write the heading so, or make it a level-three heading."

Key = tuple[int, Role]


class WindowFile(Struct, frozen=True):
    """A window's file, or one part of it.

    Attributes:
        path: Path inside the workspace.
        window: The name of the window, which is the file's.
        entries: The turns, in the order written.
        findings: What is wrong in it.
        deleted: Turns that are not brought back any more, in the order written.
        form_lines: Lines that hold no notes of a person's own.
    """

    path: str
    window: str
    entries: tuple[Entry, ...]
    findings: tuple[Finding, ...]
    deleted: tuple[Entry, ...] = ()
    form_lines: frozenset[int] = frozenset()


def key(turn: Turn) -> Key:
    """By which a turn is known in its window."""
    return turn.number, turn.role


def window_of(path: str) -> str:
    """The window that a file tells of, whichever part of it."""
    return _PART.sub("", md.stem(path))


def part_name(window: str, part: int = 1) -> str:
    """The file name of a window; a long one goes on in parts."""
    return f"{window}.md" if part == 1 else f"{window}~{part}.md"


def last_part(there: Callable[[int], bool]) -> int:
    """The number of a window's newest part; 0 where it has none.

    Args:
        there: Whether there is a part of some number. It is asked a few times, not
            once for every part.
    """
    last = 0
    while found := next((n for n in range(last + 1, last + GAP + 2) if there(n)), 0):
        last = _reach(found, there)
    return last


def _reach(part: int, there: Callable[[int], bool]) -> int:
    """A part behind which the next one is missing, in steps that double."""
    step = 1
    while there(part + step):
        part, step = part + step, 2 * step
    while step > 1:
        step //= 2
        part += step if there(part + step) else 0
    return part


def new_window(window: str, title: str = "", origin: str = "") -> str:
    """The text of a window's file before anything was said."""
    fields = {"Name": "" if origin else window, "Title": title, "Origin": origin}
    said = " | ".join(f"{k}: {md.escape_field(v)}" for k, v in fields.items() if v)
    comment = f"\n<!-- {said} -->\n" if said else ""
    return f"# {window} — Conversation\n{comment}"


def parse_window(text: str, path: str) -> WindowFile:
    """Read a window's file, whatever is in it."""
    found, findings = _read(sections_of(text)[1:], path, text)
    entries: dict[bool, list[Entry]] = {False: [], True: []}
    for turn, part in found:
        entries[is_deleted(turn)].append(_entry(turn, part))
    told = tuple(sorted([*findings, *md.find_conflicts(text, path)]))
    live, deleted = tuple(entries[False]), tuple(entries[True])
    name, title = window_of(path), md.parse_title(text) or ""
    # A record is read as what it is, or as notes if nobody speaks in it.
    form = range(1, len(md.split_lines(text)) + 1) if found else range(1, 2)
    own = bool(found) or title.removesuffix(" — Conversation") == name
    return WindowFile(path, name, live, told, deleted, frozenset(form if own else ()))


@lru_cache(maxsize=FILES)
def parse_turns(text: str, path: str) -> tuple[Turn, ...]:
    """All turns of a window's file in its order, those deleted too.

    The same few conversations are looked at again and again.
    """
    found, _ = _read(sections_of(text)[1:], path, text)
    return tuple(turn for turn, _ in found)


def last_turns(data: bytes | None, path: str, limit: int) -> tuple[Turn, ...]:
    """Return the last turns of a file, without parsing the others.

    Args:
        data: The file; nothing is read of None.
        path: Its path inside the workspace.
        limit: Number of turns.
    """
    text = (data or b"").decode("utf-8-sig", "replace")
    start, left = len(text), limit
    while left and start:
        start = text.rfind("\n## ", 0, start) + 1
        line = text[start : start + MAX_HEADING_CHARACTERS].partition("\n")[0]
        left -= bool(start) and begins(line)
    found, _ = _read(sections_of(text[start:])[start == 0 :], path, text)
    return tuple(turn for turn, _ in found)


def parse_more(text: str, path: str, known: str) -> tuple[Entry, ...]:
    """Read only the turns that were appended to a text read before."""
    above = known.count("\n")
    parts = sections_of(text[len(known) :])[1:]
    moved = [replace(part, line=part.line + above) for part in parts]
    taken = [(int(number), Role(role)) for role, number in _TAKEN.findall(known)]
    found, _ = _read(moved, path, text, taken)
    return tuple(_entry(turn, part) for turn, part in found if not is_deleted(turn))


def begins(line: str) -> bool:
    """Whether a line of a file begins a turn, whatever stands above it."""
    words = md.heading(line)
    return words is not None and not _problem(words)


def sections_of(text: str) -> tuple[md.Section, ...]:
    """The parts of a file: what stands on top, and one for each turn."""
    return md.split_sections(text, lambda words: not _problem(words))


def is_deleted(turn: Turn) -> bool:
    """Whether a turn is kept for the record alone."""
    return bool(turn.field(DELETED))


def is_shared(text: str) -> bool:
    """Whether a window's file may be gone on with under several names.

    So it is with imported ones, and with those of the time when names that differ in
    case or marks alone were one.
    """
    return "Name" not in _at_top(text)


def title_of(text: str) -> str:
    """What a window's file says at its top that it is called; perhaps nothing."""
    return _at_top(text).get("Title", "")


def origin_of(text: str) -> str:
    """Where a window's file says at its top that it comes from; perhaps nowhere."""
    return _at_top(text).get("Origin", "")


def _at_top(text: str) -> dict[str, str]:
    """What the comment of a window's file says."""
    end = 0 if text.startswith("## ") else text.find("\n## ")
    found = _TOP.search(text, 0, end if end >= 0 else len(text))
    return dict(md.parse_fields(found[1])) if found else {}


def _read(
    parts: Iterable[md.Section], path: str, text: str, above: Iterable[Key] = ()
) -> tuple[list[tuple[Turn, md.Section]], list[Finding]]:
    """The turns of some sections; of two with one number the first counts.

    Args:
        parts: The sections.
        path: Path inside the workspace.
        text: The whole text.
        above: Number and role of turns above these sections.
    """
    imported, taken = bool(origin_of(text)), set(above)
    # A later part may begin anywhere; a number far above all others is a slip.
    last = None if _PART.search(path.removesuffix(".md")) else 0
    for number in sorted(number for number, _ in taken):
        last = last if last is not None and number > last + LEAP else number
    found = []
    findings = []
    for part in parts:
        problem = _problem(part.heading or "")
        if not problem:
            turn = parse_turn(part.heading or "", part.body, window_of(path))
            number, key = turn.number, (turn.number, turn.role)
            if key in taken:
                what = f"turn {number} of the {turn.role} is written twice"
                problem = what, "Give the second one a number of its own."
            elif last is not None and number > last + LEAP:
                what = f"turn {number} is far above those before it"
                problem = what, "Give it the next number."
            else:
                last = max(last or 0, number)
                taken.add(key)
                found.append((replace(turn, imported=imported), part))
        if problem:
            findings.append(Finding(path, part.line, *problem))
    return found, findings


def _entry(turn: Turn, part: md.Section) -> Entry:
    title = md.headline(turn.text) or f"{turn.role}, turn {turn.number}"
    return Entry(turn_id(turn), turn, part.line, turn.text, title, part.raw)


def standing(turn: Turn) -> int:
    """The place of a turn in its window, whichever part it is in."""
    return standing_from(turn.number) + SPEAKERS.index(turn.role)


def standing_from(number: int) -> int:
    """The first place that a turn of a number can have."""
    return number * (len(SPEAKERS) + 1)


def turn_id(turn: Turn) -> ItemId:
    """The name of a turn: of its first passage."""
    return ItemId(Kind.TURN, f"{turn.window}/{turn.number}/{turn.role}/0")


def _problem(words: str) -> tuple[str, str] | None:
    """What keeps a heading from starting a turn, and how to mend it."""
    parts = [part.strip() for part in md.split_fields(words)]
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


def parse_turn(words: str, body: str, window: str) -> Turn:
    """Read a turn whose heading has no `_problem`."""
    clock, role, *rest = (part.strip() for part in md.split_fields(words))
    number = next(int(m[1]) for part in rest if (m := _NUMBER.fullmatch(part)))
    pairs = [part.partition(":") for part in rest if not _NUMBER.fullmatch(part)]
    fields = [(k.strip(), md.unescape_field(v)) for k, _, v in pairs if k.strip()]
    speaker = next((v for k, v in fields if k == "speaker"), "")
    more = tuple(field for field in fields if field[0] != "speaker")
    text = md.visible(body)
    return Turn(window, number, Role(role), text, _moment(clock), speaker, more)


def render_turn(turn: Turn) -> str:
    """Write one turn; white space at the edges of its text is dropped."""
    at = f"{turn.at.astimezone(UTC):%Y-%m-%d %H:%M:%S}" if turn.at else UNKNOWN
    fields = [at, turn.role, f"turn:{turn.number}"]
    if turn.speaker:
        fields.append(f"speaker:{md.escape_field(turn.speaker)}")
    fields += [f"{key}:{md.escape_field(value)}" for key, value in turn.more]
    text = md.escape(turn.text)
    return f"## {' | '.join(fields)}\n" + (f"{text}\n" if text else "")


def append_turns(text: str, turns: Iterable[Turn]) -> str:
    """A window's text with more turns below all others; the rest stays as it was."""
    text = md.ended(text)
    if not text.endswith(("\n\n", "\n\r\n")):
        text += md.newlines_like(text, "\n")
    return text + md.newlines_like(text, "\n".join(map(render_turn, turns)))


# --- pasted parts -------------------------------------------------------------


class TurnWords(NamedTuple):
    """The text of a turn by origin.

    Attributes:
        own: The lines of the speaker.
        pasted: The lines of others that a user pasted.
    """

    own: str
    pasted: str


def split_turn(turn: Turn) -> TurnWords:
    """Split the text of a turn into the speaker's own lines and pasted lines."""
    lines, pasted = turn.text.split("\n"), pasted_lines(turn)
    if not pasted:
        return TurnWords(turn.text, "")
    own = (line for number, line in enumerate(lines, 1) if number not in pasted)
    others = (line for number, line in enumerate(lines, 1) if number in pasted)
    return TurnWords(md.tidy("\n".join(own)), md.tidy("\n".join(others)))


def pasted_lines(turn: Turn) -> frozenset[int]:
    """Return the numbers of the pasted lines of a turn, counted from 1.

    These are the lines stored in its heading, and those recognised in its text: turns
    of earlier versions have no such field, and people edit files.
    """
    if turn.role is not Role.USER or turn.imported:
        return frozenset()
    stored = (_line_range(part) for part in turn.field(PASTED).split(","))
    known = {number for numbers in stored for number in numbers}
    return frozenset(known.union(find_pasted_lines(turn.text)))


def _line_range(text: str) -> range:
    """Return the line numbers of `3-9` or `12`; none for anything else."""
    first, dash, last = text.strip().partition("-")
    ends = (first, last if dash else first)
    if not all(end.isdecimal() and len(end) < 7 for end in ends):
        return range(0)
    return range(int(ends[0]), int(ends[1]) + 1)


def mark_pasted(said: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return turns that are about to be stored, with their pasted lines noted.

    A long message makes several turns, so the pieces of one message are read together.
    """
    marked: list[Turn] = []
    for is_user, group in groupby(said, lambda turn: turn.role is Role.USER):
        turns = [*group]
        if not is_user:
            marked += turns
            continue
        above = 0
        texts = [md.tidy(turn.text) for turn in turns]
        pasted = find_pasted_lines("\n".join(texts))
        for turn, text in zip(turns, texts, strict=True):
            size = text.count("\n") + 1
            own = [n - above for n in pasted if above < n <= above + size]
            more = ((PASTED, _line_ranges(own)),) if own else ()
            marked.append(replace(turn, more=(*turn.more, *more)))
            above += size
    return tuple(marked)


def _line_ranges(numbers: Sequence[int]) -> str:
    """Return line numbers in the form of `_line_range`, joined by commas."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ",".join(f"{a}-{b}" if b > a else f"{a}" for a, b in ranges)


# --- a text that is too long for one turn, and turns for one part --------------

_ENDS = (("\n\n",), ("\n",), (". ", "! ", "? ", "。"), (" ", "\t"))
"""Where to cut, the best first: behind a paragraph, a line, a sentence, a word."""


def cut(text: str, most: int) -> list[str]:
    """A text in pieces, none of them longer than so many characters, none empty.

    Only a word that is longer than half a piece may be cut in two.
    """
    pieces = []
    while len(text) > most:
        half = most // 2
        ends = (
            max(text.rfind(mark, half, most) + len(mark) for mark in marks)
            for marks in _ENDS
        )
        end = next((end for end in ends if end > half), most)
        pieces.append(text[:end].strip())
        text = text[end:]
    return [piece for piece in (*pieces, text.strip()) if piece]


def plan_parts(
    fresh: Sequence[Turn],
    part: int,
    opened: Callable[[int], tuple[str, bytes | None]],
    start: str,
    why: Callable[[int], str],
) -> Iterator[Edit]:
    """Spread turns over the parts of a window, below what is there.

    All turns of one part come from the same place: of what was imported nobody shall
    think that its owner said it, nor the other way round.

    Args:
        fresh: What to write, with numbers that are free.
        part: The newest part.
        opened: The path of a part, and its bytes where it exists.
        start: What a new part begins with.
        why: What is said of so many turns in the log.
    """
    imported = bool(origin_of(start))
    while fresh:
        path, old = opened(part)
        data, count = old or b"", 0
        if not data or _takes(data, imported=imported):
            size = len(data)
            while count < len(fresh) and size < PART_BYTES:
                size += len(render_turn(fresh[count]).encode()) + 1
                count += 1
        if count:
            text = data.decode("utf-8-sig")
            more = append_turns(text or start, fresh[:count])[len(text) :]
            action = Action.APPEND if old else Action.CREATE
            new = data + more.encode()
            yield Edit(path, new, checksum(old), action, why(count))
        fresh, part = fresh[count:], part + 1


def _takes(data: bytes, *, imported: bool) -> bool:
    """Whether a part may get more; one that nobody can read shall hide no more."""
    try:
        return bool(origin_of(data.decode("utf-8-sig"))) is imported
    except UnicodeDecodeError:
        return False


def key_of(part: md.Section) -> Key | None:
    """Number and role of the turn that a section is; None if it is none."""
    if part.heading is None or _problem(part.heading):
        return None
    return key(parse_turn(part.heading, "", ""))


class MissingTurnError(MissingItemError):
    """A window, or a part of it, has no turn of that number."""

    def __init__(self, number: int, role: Role | None, path: str) -> None:
        who = f" of the {role}" if role else ""
        super().__init__(f"turn {number}{who}", path)


class UnchangeableTurnError(RefusedError):
    """A turn is deleted, or would be left without any words."""


def mark_deleted(text: str, path: str, keys: Collection[Key], day: str) -> str:
    """A file's text in which some turns are deleted; all else stays as it was.

    Args:
        text: The whole text.
        path: Path inside the workspace.
        keys: Number and role of each of them.
        day: Since when; one that is deleted already stays so.
    """
    parts = [(part, key_of(part)) for part in sections_of(text)]
    for number, role in sorted(set(keys) - {key for _, key in parts}):
        raise MissingTurnError(number, role, path)
    return "".join(
        _with_field(part.raw, DELETED, day) if key in keys else part.raw
        for part, key in parts
    )


def edit_turn(
    text: str, path: str, number: int, role: Role, new_text: str, day: str
) -> str:
    """A file's text in which one turn says something else; the rest stays.

    Args:
        text: The whole text.
        path: Path inside the workspace.
        number: Which turn.
        role: Which side of it.
        new_text: What it shall say.
        day: When it is changed.
    """
    if not md.tidy(new_text):
        what = f"turn {number} of the {role} would say nothing"
        hint = "Delete it instead; it stays in the record, and never comes back."
        raise UnchangeableTurnError(what, hint=hint)
    parts = sections_of(text)
    part = next((p for p in parts if key_of(p) == (number, role)), None)
    if part is None:
        raise MissingTurnError(number, role, path)
    turn = parse_turn(part.heading or "", part.body, window_of(path))
    if is_deleted(turn):
        what = f"turn {number} of the {role} in {path} is deleted"
        hint = "Bring it back first, by undoing the change that deleted it."
        raise UnchangeableTurnError(what, hint=hint)
    if turn.text == md.tidy(new_text):
        return text
    line, feed, body = part.raw.partition("\n")
    words = body.strip()
    above, _, below = body.partition(words) if words else ("", "", body)
    above = above[: above.rfind("\n") + 1]
    new = md.escape(new_text) + ("" if words else "\n")
    like = part.raw if feed else text
    raw = line + (feed or md.newlines_like(like, "\n")) + above
    raw += md.newlines_like(like, new) + below.lstrip(" \t")
    # The field names lines of the old text; the new one is read without it.
    fresh = _with_field(_without_field(raw, PASTED), EDITED, day)
    return "".join(fresh if p is part else p.raw for p in parts)


def _without_field(raw: str, key: str) -> str:
    """Return a section without a field of its heading."""
    line, end, body = raw.partition("\n")
    fields = md.split_fields(line)
    kept = [f for f in fields if f.partition(":")[0].strip() != key]
    return "|".join(kept).rstrip() + end + body if len(kept) < len(fields) else raw


def _with_field(raw: str, key: str, value: str) -> str:
    """A section whose heading has a field, and has it once."""
    line, end, body = raw.partition("\n")
    words = line.rstrip()
    fields = md.split_fields(words)
    keys = [field.partition(":")[0].strip() for field in fields]
    if key not in keys:
        fresh = f"{words} | {key}:{md.escape_field(value)}"
    elif key == DELETED and fields[keys.index(key)].partition(":")[2].strip():
        return raw
    else:
        at = keys.index(key)
        gap = " " if at + 1 < len(fields) else ""
        fields[at] = f" {key}:{md.escape_field(value)}{gap}"
        fresh = "|".join(fields)
    return fresh + line[len(words) :] + end + body
