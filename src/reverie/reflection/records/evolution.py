"""`evolution.md`: how understanding has changed (reflection v2).

Each reflection adds an entry and lets it speak in the lists above. The file has a
hard cap; what makes room goes to `evolution-archive.md`, so nothing is lost.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from reverie.markdown import (
    Piece,
    Section,
    ended,
    newlines_like,
    parse_date,
    split_items,
    split_lines,
    split_sections,
    tidy,
)
from reverie.model.origin import Origin, least, named
from reverie.model.reflection import INSIGHT_LABELS, Insight
from reverie.reflection.records.log import MILESTONES
from reverie.reflection.records.page import (
    Heading,
    clean,
    clipped,
    entry_sections,
    file_entries,
    folded,
    heading_number,
    is_entry,
    parse_heading,
    parse_words,
    render_heading,
    render_words,
    spaced,
)
from reverie.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import date

    from reverie.markdown import Section


TITLE = "Philosophical Evolution"
OVERVIEW = "Overview"
THREADS = "Active Threads"
PATTERNS = "Confirmed Patterns"
ASSUMPTIONS = "Revised Assumptions"
QUESTIONS = "Open Questions"
RECENT = "Recent Reflections"
LISTS = (THREADS, PATTERNS, ASSUMPTIONS, QUESTIONS)
SECTIONS = (OVERVIEW, *LISTS, RECENT)
ENTRY = "entry"
OTHER = ""
_NAMES = {name.casefold(): name for name in SECTIONS}
_ORDER = (*SECTIONS, ENTRY)


@dataclass(frozen=True, slots=True)
class Part:
    """One section.

    Attributes:
        name: One of `SECTIONS`, `ENTRY`, or `OTHER` for what a person added.
        head: Its heading line as it stands there; empty above the first one.
        pieces: What stands below, cut into list items where the section is a list.
        number: Of an entry, which reflection it is of.
    """

    name: str
    head: str
    pieces: tuple[Piece, ...]
    number: int = 0

    @property
    def raw(self) -> str:
        """Its very text."""
        return self.head + "".join(piece.raw for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class EvolutionPage:
    """The file in its parts; they join to its very text.

    Attributes:
        parts: All sections; the first is what stands above them.
        newline: How lines end in this file.
    """

    parts: tuple[Part, ...]
    newline: str = "\n"

    @property
    def text(self) -> str:
        """The text of the file."""
        return "".join(part.raw for part in self.parts)

    def named(self, name: str) -> tuple[Part, ...]:
        """The sections of a name; more than one where a person wrote it twice."""
        return tuple(part for part in self.parts if part.name == name)

    def items(self, name: str) -> tuple[Piece, ...]:
        """The list items of a section."""
        found = (part.pieces for part in self.named(name))
        return tuple(piece for pieces in found for piece in pieces if piece.marker)


def parse_evolution(text: str) -> EvolutionPage:
    """Read the file, whatever is in it."""
    newline = "\r\n" if text.partition("\n")[0].endswith("\r") else "\n"
    sections = split_sections(text or f"# {TITLE}\n", lambda words: bool(_name(words)))
    parts = []
    for section in sections:
        name = _name(section.heading or "")
        number = heading_number(section.heading) if name == ENTRY else 0
        head = "" if section.heading is None else split_lines(section.raw)[0]
        body = section.raw[len(head) :]
        is_list = name in LISTS or name == OVERVIEW
        pieces = split_items(body) if is_list else (Piece(0, body),)
        parts.append(Part(name, head, pieces, number))
    return EvolutionPage(tuple(parts), newline)


def _name(words: str) -> str:
    return ENTRY if is_entry(words) else _NAMES.get(words.casefold(), OTHER)


def words_of(piece: Piece) -> str:
    """What a list item says."""
    return parse_words(piece.text)


def with_body(page: EvolutionPage, name: str, body: str) -> EvolutionPage:
    """A page whose first section of a name has this body."""
    page = with_section(page, name)
    first = page.named(name)[0]
    fresh = replace(first, pieces=split_items(_native(page, body)))
    return _replaced(page, {id(first): fresh})


def with_item(page: EvolutionPage, name: str, line: str) -> EvolutionPage:
    """A page with one more item, below the others; the line must be escaped already."""
    marker = "1. " if name == THREADS else "- "
    fresh = Piece(0, _native(page, f"{marker}{line}\n"), marker)
    return _below(with_section(page, name), name, [fresh])


def moved_last(
    page: EvolutionPage, name: str, moved: Callable[[Piece], bool]
) -> EvolutionPage:
    """A page with some items of a list below the others of it."""
    found = [replace(p, raw=ended(p.raw)) for p in page.items(name) if moved(p)]
    return _below(without(page, name, moved), name, found) if found else page


def _below(page: EvolutionPage, name: str, fresh: Sequence[Piece]) -> EvolutionPage:
    last = page.named(name)[-1]
    end = len(last.pieces)
    while end and not last.pieces[end - 1].raw.strip():
        end -= 1
    before = [replace(piece, raw=ended(piece.raw)) for piece in last.pieces[:end]]
    pieces = (*before, *fresh, *last.pieces[end:])
    part = replace(last, head=ended(last.head), pieces=pieces)
    return numbered(_replaced(page, {id(last): part}))


def without(
    page: EvolutionPage, name: str, gone: Callable[[Piece], bool]
) -> EvolutionPage:
    """A page without some pieces of the sections of a name."""
    fresh = {
        id(part): replace(part, pieces=_joined(p for p in part.pieces if not gone(p)))
        for part in page.named(name)
    }
    return numbered(_replaced(page, fresh))


def squeezed(page: EvolutionPage) -> EvolutionPage:
    """A page without more than one blank line in a row between its items."""
    fresh = {
        id(part): replace(part, pieces=tuple(_squeezed(page, p) for p in part.pieces))
        for name in (OVERVIEW, *LISTS, RECENT)
        for part in page.named(name)
    }
    return _replaced(page, fresh)


def _squeezed(page: EvolutionPage, piece: Piece) -> Piece:
    blank = piece.raw and not piece.raw.strip()
    return replace(piece, raw=page.newline) if blank else piece


def _joined(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """Pieces without blank lines that only an item between them had kept apart."""
    kept: list[Piece] = []
    for piece in pieces:
        blank = not piece.raw.strip()
        if not (blank and kept and not kept[-1].raw.strip()):
            kept.append(piece)
    return tuple(kept)


def without_parts(page: EvolutionPage, gone: Callable[[Part], bool]) -> EvolutionPage:
    """A page without some of its sections."""
    return replace(page, parts=tuple(part for part in page.parts if not gone(part)))


def with_entry(page: EvolutionPage, number: int, raw: str) -> EvolutionPage:
    """A page with one more entry, below the others."""
    page = with_section(page, RECENT)
    ours = [n for n, part in enumerate(page.parts) if part.name in {RECENT, ENTRY}]
    head, *body = split_lines(_native(page, raw))
    fresh = Part(ENTRY, head, (Piece(0, "".join(body)),), number)
    return _inserted(page, ours[-1] + 1, fresh)


def with_section(page: EvolutionPage, name: str) -> EvolutionPage:
    """A page that has a section, before those that come later in the order."""
    if page.named(name):
        return page
    later = _ORDER[_ORDER.index(name) + 1 :]
    places = (n for n, part in enumerate(page.parts) if part.name in later)
    place = next(places, len(page.parts))
    head = _native(page, f"## {name}\n")
    return _inserted(page, place, Part(name, head, ()))


def _inserted(page: EvolutionPage, place: int, fresh: Part) -> EvolutionPage:
    """A page with one more part at a place, a blank line before and after it."""
    before, after = page.parts[:place], page.parts[place:]
    last = before[-1]
    gap = spaced(last.raw)[len(last.raw) :] if last.raw else ""
    last = replace(last, pieces=(*last.pieces, Piece(0, gap))) if gap else last
    if after and fresh.raw.strip():
        fresh = replace(fresh, pieces=(*fresh.pieces, Piece(0, page.newline)))
    return replace(page, parts=(*before[:-1], last, fresh, *after))


def numbered(page: EvolutionPage) -> EvolutionPage:
    """A page whose threads are counted from 1."""
    count = 0
    fresh = {}
    for part in page.named(THREADS):
        pieces = []
        for piece in part.pieces:
            if piece.marker:
                count += 1
                marker = f"{count}. "
                raw = marker + piece.raw[len(piece.marker) :]
                pieces.append(Piece(piece.line, raw, marker))
            else:
                pieces.append(piece)
        fresh[id(part)] = replace(part, pieces=tuple(pieces))
    return _replaced(page, fresh)


def same_words(words: str) -> Callable[[Piece], bool]:
    """Whether an item says the same, but for case and punctuation."""
    wanted = folded(words)
    return lambda piece: bool(piece.marker) and folded(words_of(piece)) == wanted


def _replaced(page: EvolutionPage, fresh: dict[int, Part]) -> EvolutionPage:
    """A page with other parts in place of some, which are told apart by identity."""
    return replace(page, parts=tuple(fresh.get(id(p), p) for p in page.parts))


def _native(page: EvolutionPage, text: str) -> str:
    return text.replace("\n", page.newline)


CAP = 2000
OVERVIEW_CAP = 100
ENTRIES = 10
CAPS = {THREADS: 5, PATTERNS: 7, ASSUMPTIONS: 7, QUESTIONS: 5}
"""The most items of each list, always."""
_FLOORS = {THREADS: 3, PATTERNS: 5, ASSUMPTIONS: 5, QUESTIONS: 3}
"""The items of each list that stay longer than the older entries do."""
_LARGE_ITEM, _LARGE_ENTRY = 120, 500
"""Tokens; what is larger was typed by hand, and makes room for all the others."""
_FEW_ENTRIES = 3
OUR_LINES = (
    *("First reflection:", "Total reflections:", "Milestones reached:"),
    "Made of words of:",
)


@dataclass(frozen=True, slots=True)
class Pruned:
    """A page, and what was taken out of it.

    Attributes:
        page: What stays.
        entries: Whole entries that go to the archive, oldest first.
        lines: Other texts that go there, with the section each stood in.
    """

    page: EvolutionPage
    entries: tuple[Part, ...] = ()
    lines: tuple[tuple[str, str], ...] = ()


def prune_page(pruned: Pruned, current: int, *, thorough: bool) -> Pruned:
    """A page within its caps, as far as that is ours to bring about.

    Args:
        pruned: The page, and what was taken out of it before.
        current: The number of the newest reflection.
        thorough: Whether to tidy up although nothing is over a cap.
    """
    for name, most in CAPS.items():
        pruned = _keep_items(pruned, name, most)
    if count_tokens("".join(p.raw for p in pruned.page.named(OVERVIEW))) > OVERVIEW_CAP:
        pruned = _drop_prose(pruned, OVERVIEW)
    if thorough:
        pruned = _drop_old(pruned, current)
        for name in LISTS:
            pruned = _drop_twins(pruned, name)
    pruned = _keep_entries(pruned, ENTRIES)
    if foreign_tokens(pruned.page) > CAP:
        return _drop_ours(pruned)
    return _fitted(pruned, current)


def _fitted(pruned: Pruned, current: int) -> Pruned:
    tokens = count_tokens(pruned.page.text)
    for step in _steps(current):
        if tokens <= CAP:
            break
        before, pruned = pruned, step(pruned)
        if pruned.page.text != before.page.text:
            tokens = count_tokens(pruned.page.text)
    return pruned


def foreign_tokens(page: EvolutionPage) -> int:
    """How many tokens are not ours to take out."""
    return count_tokens("".join(part.raw for part in page.named(OTHER)))


def _steps(current: int) -> Iterator[Callable[[Pruned], Pruned]]:
    """What to take out, one thing after the other, until the rest fits."""
    yield partial(_drop_old, current=current)
    yield _drop_large
    yield _squeeze
    for name in SECTIONS:
        yield partial(_drop_prose, name=name)
    yield from _shorter_lists(CAPS, _FLOORS)
    yield from _fewer_entries(ENTRIES, _FEW_ENTRIES)
    yield from _shorter_lists(_FLOORS, dict.fromkeys(LISTS, 1))
    yield from _fewer_entries(_FEW_ENTRIES, 1)
    yield from _shorter_lists(dict.fromkeys(LISTS, 1), dict.fromkeys(LISTS, 0))
    yield from _fewer_entries(1, 0)
    yield _drop_ours


def _shorter_lists(
    most: dict[str, int], least: dict[str, int]
) -> Iterator[Callable[[Pruned], Pruned]]:
    for name in LISTS:
        for size in range(most[name] - 1, least[name] - 1, -1):
            yield partial(_keep_items, name=name, most=size)


def _fewer_entries(most: int, least: int) -> Iterator[Callable[[Pruned], Pruned]]:
    for size in range(most - 1, least - 1, -1):
        yield partial(_keep_entries, most=size)


def _keep_items(pruned: Pruned, name: str, most: int) -> Pruned:
    """The newest items of a list; they stand below the older ones."""
    items = pruned.page.items(name)
    old = items[: max(0, len(items) - most)]
    return _drop_pieces(pruned, name, {id(piece) for piece in old})


def _drop_twins(pruned: Pruned, name: str) -> Pruned:
    """Of items that say the same, the newest stays."""
    newest = {folded(words_of(piece)): id(piece) for piece in pruned.page.items(name)}
    twins = {id(piece) for piece in pruned.page.items(name)} - set(newest.values())
    return _drop_pieces(pruned, name, twins)


def _drop_pieces(pruned: Pruned, name: str, gone: set[int]) -> Pruned:
    if not gone:
        return pruned
    found = [
        (name, piece.raw)
        for part in pruned.page.named(name)
        for piece in part.pieces
        if id(piece) in gone and piece.raw.strip()
    ]
    page = without(pruned.page, name, lambda piece: id(piece) in gone)
    return replace(pruned, page=page, lines=(*pruned.lines, *found))


def _drop_prose(pruned: Pruned, name: str) -> Pruned:
    """What a person wrote in a section of ours that is no list item of it."""

    def is_prose(piece: Piece) -> bool:
        ours = name != OVERVIEW or piece.text.startswith(OUR_LINES)
        return bool(piece.raw.strip()) and not (piece.marker and ours)

    pieces = [piece for part in pruned.page.named(name) for piece in part.pieces]
    return _drop_pieces(pruned, name, {id(p) for p in pieces if is_prose(p)})


def _squeeze(pruned: Pruned) -> Pruned:
    """Blank lines are nobody's words."""
    return replace(pruned, page=squeezed(pruned.page))


def _drop_large(pruned: Pruned) -> Pruned:
    for name in SECTIONS:
        pieces = [piece for part in pruned.page.named(name) for piece in part.pieces]
        large = {id(p) for p in pieces if count_tokens(p.raw) > _LARGE_ITEM}
        pruned = _drop_pieces(pruned, name, large)
    return _drop_entries(pruned, lambda part: count_tokens(part.raw) > _LARGE_ENTRY)


def _drop_old(pruned: Pruned, current: int) -> Pruned:
    return _drop_entries(pruned, lambda part: part.number <= current - ENTRIES)


def _keep_entries(pruned: Pruned, most: int) -> Pruned:
    numbers = sorted(part.number for part in pruned.page.named(ENTRY))
    if len(numbers) <= most:
        return pruned
    last = numbers[len(numbers) - most - 1]
    return _drop_entries(pruned, lambda part: part.number <= last)


def _drop_entries(pruned: Pruned, gone: Callable[[Part], bool]) -> Pruned:
    found = [part for part in pruned.page.named(ENTRY) if gone(part)]
    taken = set(map(id, found))
    page = without_parts(pruned.page, lambda part: id(part) in taken)
    found.sort(key=lambda part: part.number)
    return replace(pruned, page=page, entries=(*pruned.entries, *found))


def _drop_ours(pruned: Pruned) -> Pruned:
    """Nothing stays but what is not ours; for files that leave us no room."""
    for name in SECTIONS:
        pruned = _drop_prose(pruned, name)
    for name in LISTS:
        pruned = _keep_items(pruned, name, 0)
    pruned = _keep_entries(pruned, 0)
    page = without_parts(pruned.page, lambda part: part.name != OTHER)
    return replace(pruned, page=page)


STABLE = 5
"""Reflections that confirm a pattern before it stands among the patterns."""
CONFIRMED = "- Confirmed pattern: "
"""What the line of an entry begins with that confirms one."""

_ITEM_TOKENS = 45
_TITLE_END = re.compile(r"\s(?:\u2014|\u2013|-)\s|:\s")
_QUOTED = re.compile(r'"([^"]+)"')


def listed(
    pruned: Pruned,
    number: int,
    told: Insight,
    questions: Iterable[str],
    seen: Iterable[Section],
) -> Pruned:
    """A page whose lists have heard of a reflection.

    Args:
        pruned: The page, and what was taken out of it before.
        number: Which reflection.
        told: What it adds.
        questions: What it would like to know.
        seen: All entries of the past.
    """
    pruned = _with_thread(_continued(pruned, told.continues), told.opens)
    if clean(told.confirmed):
        times = _confirmations(told.confirmed, seen, number)
        stable = render_words(clipped(told.confirmed, _ITEM_TOKENS))
        pruned = _with_line(pruned, PATTERNS, stable) if times >= STABLE else pruned
    if clean(told.revised):
        words = render_words(clipped(told.revised, _ITEM_TOKENS))
        pruned = _with_line(pruned, ASSUMPTIONS, f"[#{number}] {words}")
    return _with_questions(pruned, questions)


def _with_questions(pruned: Pruned, questions: Iterable[str]) -> Pruned:
    """A page with the last questions; those that do not fit are for the archive."""
    asked = list(dict.fromkeys(filter(None, map(clean, questions))))
    last = asked[-CAPS[QUESTIONS] :]
    short = {question: clipped(question, _ITEM_TOKENS) for question in last}
    gone = [each for each in asked if short.get(each) != each]
    lines = [(QUESTIONS, f"- {render_words(each)}\n") for each in gone]
    pruned = replace(pruned, lines=(*pruned.lines, *lines))
    for each in last:
        pruned = _with_line(pruned, QUESTIONS, render_words(short[each]))
    return pruned


def _with_line(pruned: Pruned, name: str, line: str) -> Pruned:
    """A page with an item at the end of a list, or the one there that says the same."""
    page = pruned.page
    same = same_words(parse_words(line))
    if any(map(same, page.items(name))):
        return replace(pruned, page=moved_last(page, name, same))
    return replace(pruned, page=with_item(page, name, line))


def _confirmations(words: str, seen: Iterable[Section], number: int) -> int:
    """How many reflections say that they confirm this, the present one included."""
    wanted = folded(words)
    found = {
        heading_number(each.heading)
        for each in seen
        for line in each.body.split("\n")
        if line.startswith(CONFIRMED)
        and folded(parse_words(line.removeprefix(CONFIRMED))) == wanted
    }
    return len(found | {number})


# --- threads -----------------------------------------------------------------


def _continued(pruned: Pruned, continues: str) -> Pruned:
    """A thread that was gone on with is the newest again."""
    words = f" {folded(continues)} "

    def is_meant(piece: Piece) -> bool:
        title = _title(words_of(piece)) if piece.marker else ""
        return bool(title) and f" {title} " in words

    return replace(pruned, page=moved_last(pruned.page, THREADS, is_meant))


def _with_thread(pruned: Pruned, opens: str) -> Pruned:
    """A page with the thread that was opened in place of an older one of its title."""
    line = _thread(clipped(opens, _ITEM_TOKENS))
    title = _title(line)
    if not title:
        return pruned
    same = same_words(parse_words(line))

    def is_older(piece: Piece) -> bool:
        mine = bool(piece.marker) and _title(words_of(piece)) == title
        return mine and not same(piece)

    old = [
        (THREADS, piece.raw) for piece in pruned.page.items(THREADS) if is_older(piece)
    ]
    page = without(pruned.page, THREADS, is_older)
    pruned = replace(pruned, page=page, lines=(*pruned.lines, *old))
    return _with_line(pruned, THREADS, line)


def _thread(words: str) -> str:
    """A thread as it is listed: `"Title" — what it is about`."""
    if _QUOTED.match(words) or not words:
        return render_words(words)
    end = _TITLE_END.search(words)
    title = words[: end.start()] if end else words
    about = words[end.end() :] if end else ""
    quoted = '"' + title.replace('"', "'") + '"'
    return render_words(f"{quoted} — {about}" if about else quoted)


def _title(words: str) -> str:
    found = _QUOTED.match(words)
    return folded(found[1]) if found else ""


ARCHIVE_TITLE = "Evolution Archive"
_ENTRY_TOKENS = 400  # a longer entry is shortened here, and whole in the archive
_FIELD_TOKENS = 50
_CONTINUES = "Continues thread from "


@dataclass(frozen=True, slots=True)
class Counted:
    """Entities in the graph, procedures learned, and how full core memory is."""

    entities: int
    procedures: int
    core_percent: int


@dataclass(frozen=True, slots=True)
class EvolutionEntry:
    """One reflection as the evolution tells it.

    Attributes:
        number: Which reflection.
        day: Its day.
        total: How many reflections there were, this one included.
        counted: What there was when it was proposed; None where nobody counted.
        insight: What it adds.
        milestone: The number of the milestone that it is; 0 for most.
        origin: Whose words it is made of; of several, the least trusted.
    """

    number: int
    day: date
    total: int
    counted: Counted | None
    insight: Insight
    milestone: int = 0
    origin: Origin = Origin.AGENT


class Evolved(NamedTuple):
    """Both files as they should be, and what their human should know."""

    text: str
    archive: str
    notes: tuple[str, ...] = ()


# --- one entry ---------------------------------------------------------------


def render_evolution_entry(entry: EvolutionEntry) -> str:
    """Write an entry; lines and sections without content are left out."""
    told = entry.insight
    continues = clean(told.continues).removeprefix(_CONTINUES)
    sections = (
        (
            "Cognitive State",
            (f"- Total reflections: {entry.total}", *_state(entry.counted)),
        ),
        ("Key Insight", _line("", told.key)),
        (
            "Evolution Delta",
            (
                *_line("- New understanding: ", told.new_understanding),
                *_line(CONFIRMED, told.confirmed),
                *_line("- Revised assumption: ", told.revised),
            ),
        ),
        (
            "Thread Continuity",
            (
                *_line(f"- {_CONTINUES}", continues),
                *_line("- Opens new thread: ", told.opens),
            ),
        ),
    )
    lines = [render_heading(entry.number, entry.day)]
    for name, content in sections:
        lines += [f"### {name}", *content] if content else []
    return "\n".join(lines) + "\n"


def _state(counted: Counted | None) -> tuple[str, ...]:
    if counted is None:
        return ()
    return (
        f"- Entities in graph: {counted.entities}",
        f"- Procedures learned: {counted.procedures}",
        f"- Core memory utilization: {counted.core_percent}% of 3K cap",
    )


def _line(label: str, text: str) -> tuple[str, ...]:
    words = render_words(text)
    return (label + words,) if words else ()


def _shortened(entry: EvolutionEntry) -> EvolutionEntry:
    told = entry.insight
    fresh = Insight(
        vibe=told.vibe,
        key=clipped(told.key, _FIELD_TOKENS),
        new_understanding=clipped(told.new_understanding, _FIELD_TOKENS),
        confirmed=clipped(told.confirmed, _FIELD_TOKENS),
        revised=clipped(told.revised, _FIELD_TOKENS),
        continues=clipped(told.continues, _FIELD_TOKENS),
        opens=clipped(told.opens, _FIELD_TOKENS),
    )
    return replace(entry, insight=fresh)


# --- as a change that is proposed ---------------------------------------------

_COUNTED = re.compile(
    r"Counted: ([0-9]{1,9}) entities, ([0-9]{1,9}) procedures, "
    r"([0-9]{1,9})% of core memory"
)
_QUESTION = "Question"
_FIELDS = {label.casefold(): name for name, label in INSIGHT_LABELS.items()}


def render_insight(
    insight: Insight, questions: Iterable[str], counted: Counted | None
) -> str:
    """All that a reflection would add to the evolution, one line each."""
    told = [(INSIGHT_LABELS[name], text) for name, text in asdict(insight).items()]
    told += [(_QUESTION, question) for question in questions]
    lines = [f"{label}: {clean(text)}" for label, text in told if clean(text)]
    if lines and counted:
        lines.append(
            f"Counted: {counted.entities} entities, {counted.procedures} procedures, "
            f"{counted.core_percent}% of core memory"
        )
    return "\n".join(lines)


def parse_insight(text: str) -> tuple[Insight, tuple[str, ...], Counted | None]:
    """Read what `render_insight` wrote; a line without a name is understood newly."""
    told: dict[str, list[str]] = {}
    questions: list[str] = []
    counted = None
    for line in filter(None, map(clean, text.split("\n"))):
        label, _, words = line.partition(": ")
        name = _FIELDS.get(label.casefold(), "")
        if found := _COUNTED.fullmatch(line):
            counted = Counted(*map(int, found.groups()))
        elif label.casefold() == _QUESTION.casefold():
            questions.append(words)
        else:
            told.setdefault(name or "new_understanding", []).append(
                words if name else line
            )
    insight = Insight(**{name: " ".join(words) for name, words in told.items()})
    return insight, tuple(questions), counted


# --- the whole file ----------------------------------------------------------


def add_reflection(
    text: str,
    archive_text: str,
    entry: EvolutionEntry,
    questions: Sequence[str] = (),
) -> Evolved:
    """Both files with one more reflection in them.

    Args:
        text: `evolution.md`.
        archive_text: `evolution-archive.md`; may be empty.
        entry: What the reflection adds.
        questions: What it would like to know.
    """
    seen = _seen(text, archive_text)
    page = parse_evolution(text)
    pruned = Pruned(_overviewed(page, entry, seen))
    pruned = listed(pruned, entry.number, entry.insight, questions, seen)
    whole = render_evolution_entry(entry)
    short = whole
    if count_tokens(whole) > _ENTRY_TOKENS:
        short = render_evolution_entry(_shortened(entry))
        archive_text = file_entries(archive_text, [whole], ARCHIVE_TITLE)
    pruned = replace(pruned, page=with_entry(pruned.page, entry.number, short))
    thorough = entry.milestone > 0
    pruned = prune_page(pruned, entry.number, thorough=thorough)
    archive_text = _archived(archive_text, pruned, entry.number)
    return Evolved(pruned.page.text, archive_text, _notes(pruned.page, entry.number))


def _seen(text: str, archive_text: str) -> tuple[Section, ...]:
    """All entries of the past that both files hold."""
    return (*entry_sections(archive_text), *entry_sections(text))


def _overviewed(
    page: EvolutionPage, entry: EvolutionEntry, seen: Iterable[Section]
) -> EvolutionPage:
    """A page whose one overview counts this reflection too; other words in it stay."""
    parts = page.named(OVERVIEW)
    pieces = [piece for part in parts for piece in part.pieces]
    told = dict(pair for piece in reversed(pieces) for pair in _counted(piece))
    others = "".join(ended(p.raw) for p in pieces if not list(_counted(p)))
    rest = others.replace("\r\n", "\n").strip("\n")
    more = set(map(id, parts[1:]))
    page = without_parts(page, lambda part: id(part) in more)
    heads = [head for each in seen if (head := parse_heading(each.heading))]
    body = _counts(entry, told, heads) + (f"{rest}\n" if rest else "")
    return with_body(page, OVERVIEW, body + "\n")


def _counts(
    entry: EvolutionEntry, told: Mapping[str, str], heads: Sequence[Heading]
) -> str:
    """The lines of the overview, given those before and the entries there are."""
    first = parse_date(told.get(OUR_LINES[0], ""))
    first = first or min([entry.day, *(head.day for head in heads)])
    reached = {int(n) for n in re.findall(r"#([0-9]{1,4})", told.get(OUR_LINES[2], ""))}
    reached |= {head.number for head in heads}
    reached = reached.intersection(MILESTONES)
    reached |= {entry.milestone} if entry.milestone else set()
    lines = [
        f"- {OUR_LINES[0]} {first.isoformat()}",
        f"- {OUR_LINES[1]} {entry.total}",
    ]
    if reached:
        names = ", ".join(f"#{number}" for number in sorted(reached))
        lines.append(f"- {OUR_LINES[2]} {names}")
    known = told.get(OUR_LINES[3], "")
    origin = least([entry.origin, *([named(known)] if known else [])])
    if origin is not Origin.AGENT:
        lines.append(f"- {OUR_LINES[3]} {origin}")
    return "\n".join(lines) + "\n"


def _counted(piece: Piece) -> Iterator[tuple[str, str]]:
    """The key and the words of a line that is ours, such as `Total reflections:`."""
    words = words_of(piece) if piece.marker else ""
    for key in OUR_LINES:
        if words.startswith(key):
            yield key, words.removeprefix(key).strip()


def words_of_whom(text: str) -> Origin:
    """Whose words the evolution is made of; of several, the least trusted."""
    pieces = [p for part in parse_evolution(text).named(OVERVIEW) for p in part.pieces]
    told = dict(pair for piece in reversed(pieces) for pair in _counted(piece))
    known = told.get(OUR_LINES[3], "")
    return least([Origin.AGENT, named(known)]) if known else Origin.AGENT


# --- the archive -------------------------------------------------------------


def _archived(archive: str, pruned: Pruned, number: int) -> str:
    """The archive with all that was taken out."""
    there: dict[int, list[list[str]]] = {}
    for each in entry_sections(archive):
        lines = tidy(each.raw).split("\n")
        there.setdefault(heading_number(each.heading), []).append(lines)
    moved = (p.raw for p in pruned.entries if not _covered(p, there.get(p.number, ())))
    archive = file_entries(archive, moved, ARCHIVE_TITLE)
    if not pruned.lines:
        return archive
    start = spaced(archive) if archive.strip() else f"# {ARCHIVE_TITLE}\n\n"
    block = [f"## Pruned at Reflection #{number}"]
    for name in dict.fromkeys(name for name, _ in pruned.lines):
        block.append(f"### {name}")
        block += [raw.strip("\r\n") for own, raw in pruned.lines if own == name]
    return start + newlines_like(start, "\n".join(block) + "\n")


def _covered(part: Part, there: Iterable[Sequence[str]]) -> bool:
    """Whether the archive has an entry whole that was shortened here."""
    lines = [line for line in tidy(part.raw).split("\n") if line.strip()]
    return any(all(_within(line, each) for line in lines) for each in there)


def _within(line: str, there: Sequence[str]) -> bool:
    start = line.removesuffix("…")
    return line in there or (start != line and any(x.startswith(start) for x in there))


def _notes(page: EvolutionPage, number: int) -> tuple[str, ...]:
    """What the human of a file should know who left us no room in it."""
    notes = []
    if all(part.number != number for part in page.named(ENTRY)):
        notes.append(
            f"There was no room for reflection #{number} in evolution.md; "
            "it is in evolution-archive.md."
        )
    if count_tokens(page.text) > CAP:
        names = [part.head.strip("# \r\n") for part in page.named(OTHER) if part.head]
        where = f" ({', '.join(map(clean, names))})" if names else ""
        notes.append(
            f"evolution.md is over its cap of {CAP:,} tokens by what was written "
            f"there by hand{where}: {foreign_tokens(page):,} tokens. Shorten it."
        )
    return tuple(notes)
