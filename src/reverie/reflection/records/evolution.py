"""`evolution.md`: how understanding has changed (reflection v2).

Each reflection adds an entry and lets it speak in the lists above. The file has a
hard cap; what makes room goes to `evolution-archive.md`, so nothing is lost.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from reverie.markdown import (
    Piece,
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
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import date

    from reverie.markdown import Section

TITLE, ARCHIVE_TITLE = "Philosophical Evolution", "Evolution Archive"
OVERVIEW, RECENT = "Overview", "Recent Reflections"
THREADS, PATTERNS = "Active Threads", "Confirmed Patterns"
ASSUMPTIONS, QUESTIONS = "Revised Assumptions", "Open Questions"
LISTS = (THREADS, PATTERNS, ASSUMPTIONS, QUESTIONS)
SECTIONS = (OVERVIEW, *LISTS, RECENT)
ENTRY, OTHER = "entry", ""
"""What a part is that is one reflection, and one that a person added."""

CAP = 2000
OVERVIEW_CAP = 100
ENTRIES = 10
CAPS = {THREADS: 5, PATTERNS: 7, ASSUMPTIONS: 7, QUESTIONS: 5}
"""The most items of each list, always."""
STABLE = 5
"""Reflections that confirm a pattern before it stands among the patterns."""

_LEVELS = (
    (CAPS, ENTRIES),
    ({THREADS: 3, PATTERNS: 5, ASSUMPTIONS: 5, QUESTIONS: 3}, 3),
    (dict.fromkeys(LISTS, 1), 1),
    (dict.fromkeys(LISTS, 0), 0),
)
"""How short the lists, and then the entries, become one after the other."""
_LARGE_ITEM, _LARGE_ENTRY = 120, 500
"""Tokens; what is larger was typed by hand, and makes room for all the others."""
_ENTRY_TOKENS = 400  # a longer entry is shortened here, and whole in the archive
_FIELD_TOKENS, _ITEM_TOKENS = 50, 45
_FIRST, _TOTAL = "First reflection:", "Total reflections:"
_REACHED, _MADE_OF = "Milestones reached:", "Made of words of:"
_OUR_LINES = (_FIRST, _TOTAL, _REACHED, _MADE_OF)
_CONFIRMED = "- Confirmed pattern: "
_CONTINUES = "Continues thread from "
_NAMES = {name.casefold(): name for name in SECTIONS}
_TITLE_END = re.compile(r"\s(?:\u2014|\u2013|-)\s|:\s")
_QUOTED = re.compile(r'"([^"]+)"')
_COUNTED = re.compile(
    r"Counted: ([0-9]{1,9}) entities, ([0-9]{1,9}) procedures, "
    r"([0-9]{1,9})% of core memory"
)
_QUESTION = "Question"
_FIELDS = {label.casefold(): name for name, label in INSIGHT_LABELS.items()}


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


def render_evolution_entry(entry: EvolutionEntry) -> str:
    """Write an entry; lines and sections without content are left out."""
    told, counted = entry.insight, entry.counted
    state = [f"- Total reflections: {entry.total}"]
    if counted:
        state += [
            f"- Entities in graph: {counted.entities}",
            f"- Procedures learned: {counted.procedures}",
            f"- Core memory utilization: {counted.core_percent}% of 3K cap",
        ]
    continues = clean(told.continues).removeprefix(_CONTINUES)
    sections = (
        ("Key Insight", (("", told.key),)),
        (
            "Evolution Delta",
            (
                ("- New understanding: ", told.new_understanding),
                (_CONFIRMED, told.confirmed),
                ("- Revised assumption: ", told.revised),
            ),
        ),
        (
            "Thread Continuity",
            ((f"- {_CONTINUES}", continues), ("- Opens new thread: ", told.opens)),
        ),
    )
    lines = [render_heading(entry.number, entry.day), "### Cognitive State", *state]
    for name, fields in sections:
        said = [
            label + words for label, text in fields if (words := render_words(text))
        ]
        lines += [f"### {name}", *said] if said else []
    return "\n".join(lines) + "\n"


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
            said = words if name else line
            told.setdefault(name or "new_understanding", []).append(said)
    insight = Insight(**{name: " ".join(words) for name, words in told.items()})
    return insight, tuple(questions), counted


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
    seen = (*entry_sections(archive_text), *entry_sections(text))
    page = EvolutionPage(text)
    page.count(entry, seen)
    page.take_up(entry.number, entry.insight, questions, seen)
    whole = render_evolution_entry(entry)
    short = whole
    if count_tokens(whole) > _ENTRY_TOKENS:
        clip = {
            name: words if name == "vibe" else clipped(words, _FIELD_TOKENS)
            for name, words in asdict(entry.insight).items()
        }
        short = render_evolution_entry(replace(entry, insight=Insight(**clip)))
        archive_text = file_entries(archive_text, [whole], ARCHIVE_TITLE)
    page.add_entry(entry.number, short)
    page.prune(entry.number, thorough=entry.milestone > 0)
    archive_text = page.archived(archive_text, entry.number)
    return Evolved(page.text, archive_text, page.notes(entry.number))


def words_of_whom(text: str) -> Origin:
    """Whose words the evolution is made of; of several, the least trusted."""
    known = EvolutionPage(text).overview().get(_MADE_OF, "")
    return least([Origin.AGENT, named(known)]) if known else Origin.AGENT


def words_of(piece: Piece) -> str:
    """What a list item says."""
    return parse_words(piece.text)


def _same_words(words: str) -> Callable[[Piece], bool]:
    """Whether an item says the same, but for case and punctuation."""
    wanted = folded(words)
    return lambda piece: bool(piece.marker) and folded(words_of(piece)) == wanted


def _thread_title(words: str) -> str:
    found = _QUOTED.match(words)
    return folded(found[1]) if found else ""


@dataclass(slots=True)
class EvolutionPart:
    """One section.

    Attributes:
        name: One of `SECTIONS`, `ENTRY`, or `OTHER` for what a person added.
        head: Its heading line as it stands there; empty above the first one.
        pieces: What stands below, cut into list items where the section is a list.
        number: Of an entry, which reflection it is of.
    """

    name: str
    head: str
    pieces: list[Piece]
    number: int = 0

    @property
    def raw(self) -> str:
        """Its very text."""
        return self.head + "".join(piece.raw for piece in self.pieces)


class EvolutionPage:
    """The file in its parts, and what was taken out of it for the archive.

    Attributes:
        parts: All sections; the first is what stands above them.
        entries: Whole entries that were taken out, oldest first.
        lines: Other texts that were, with the section each stood in.
    """

    def __init__(self, text: str) -> None:
        """Read the file, whatever is in it."""
        self.newline = "\r\n" if text.partition("\n")[0].endswith("\r") else "\n"
        self.parts: list[EvolutionPart] = []
        self.entries: list[EvolutionPart] = []
        self.lines: list[tuple[str, str]] = []

        def name_of(words: str) -> str:
            return ENTRY if is_entry(words) else _NAMES.get(words.casefold(), OTHER)

        sections = split_sections(
            text or f"# {TITLE}\n", lambda words: bool(name_of(words))
        )
        for section in sections:
            name = name_of(section.heading or "")
            number = heading_number(section.heading) if name == ENTRY else 0
            head = "" if section.heading is None else split_lines(section.raw)[0]
            body = section.raw[len(head) :]
            is_list = name in LISTS or name == OVERVIEW
            pieces = split_items(body) if is_list else (Piece(0, body),)
            self.parts.append(EvolutionPart(name, head, list(pieces), number))

    @property
    def text(self) -> str:
        """The text of the file."""
        return "".join(part.raw for part in self.parts)

    def named(self, name: str) -> list[EvolutionPart]:
        """The sections of a name; more than one where a person wrote it twice."""
        return [part for part in self.parts if part.name == name]

    def pieces(self, name: str) -> list[Piece]:
        """All that stands in the sections of a name."""
        return [piece for part in self.named(name) for piece in part.pieces]

    def items(self, name: str) -> list[Piece]:
        """The list items of a section."""
        return [piece for piece in self.pieces(name) if piece.marker]

    def overview(self) -> dict[str, str]:
        """What our lines of the overview say, by their keys; the first of each."""
        said = [words_of(piece) for piece in reversed(self.items(OVERVIEW))]
        return {
            key: words.removeprefix(key).strip()
            for words in said
            for key in _OUR_LINES
            if words.startswith(key)
        }

    # --- what a reflection adds ----------------------------------------------

    def count(self, entry: EvolutionEntry, seen: Iterable[Section]) -> None:
        """Make one overview that counts this reflection too; other words in it stay."""
        told = self.overview()
        heads = [head for each in seen if (head := parse_heading(each.heading))]
        first = parse_date(told.get(_FIRST, ""))
        first = first or min([entry.day, *(head.day for head in heads)])
        reached = {int(n) for n in re.findall(r"#([0-9]{1,4})", told.get(_REACHED, ""))}
        reached |= {head.number for head in heads}
        reached = reached & MILESTONES.keys() | {entry.milestone} - {0}
        body = f"- {_FIRST} {first.isoformat()}\n- {_TOTAL} {entry.total}\n"
        if reached:
            names = ", ".join(f"#{number}" for number in sorted(reached))
            body += f"- {_REACHED} {names}\n"
        known = told.get(_MADE_OF, "")
        origin = least([entry.origin, *([named(known)] if known else [])])
        if origin is not Origin.AGENT:
            body += f"- {_MADE_OF} {origin}\n"
        others = "".join(
            ended(piece.raw)
            for piece in self.pieces(OVERVIEW)
            if not (piece.marker and words_of(piece).startswith(_OUR_LINES))
        )
        rest = others.replace("\r\n", "\n").strip("\n")
        body += f"{rest}\n\n" if rest else "\n"
        part = self._section(OVERVIEW)
        self.parts = [p for p in self.parts if p.name != OVERVIEW or p is part]
        part.pieces = list(split_items(self._native(body)))

    def take_up(
        self,
        number: int,
        told: Insight,
        questions: Iterable[str],
        seen: Iterable[Section],
    ) -> None:
        """Let the lists hear of a reflection.

        Args:
            number: Which reflection.
            told: What it adds.
            questions: What it would like to know.
            seen: All entries of the past.
        """
        continues = f" {folded(told.continues)} "

        def is_continued(piece: Piece) -> bool:
            title = _thread_title(words_of(piece)) if piece.marker else ""
            return bool(title) and f" {title} " in continues

        self._move_last(THREADS, is_continued)
        self._open_thread(clipped(told.opens, _ITEM_TOKENS))
        if clean(told.confirmed):
            wanted = folded(told.confirmed)
            confirming = {
                heading_number(each.heading)
                for each in seen
                for line in each.body.split("\n")
                if line.startswith(_CONFIRMED)
                and folded(parse_words(line.removeprefix(_CONFIRMED))) == wanted
            }
            if len(confirming | {number}) >= STABLE:
                self._add_item(PATTERNS, clipped(told.confirmed, _ITEM_TOKENS))
        if clean(told.revised):
            words = render_words(clipped(told.revised, _ITEM_TOKENS))
            self._add_line(ASSUMPTIONS, f"[#{number}] {words}")
        asked = list(dict.fromkeys(filter(None, map(clean, questions))))
        last = asked[-CAPS[QUESTIONS] :]
        short = {question: clipped(question, _ITEM_TOKENS) for question in last}
        self.lines += [
            (QUESTIONS, f"- {render_words(each)}\n")
            for each in asked
            if short.get(each) != each
        ]
        for each in last:
            self._add_item(QUESTIONS, short[each])

    def _open_thread(self, words: str) -> None:
        """List a thread as `"Title" — about`, in place of an older one of its title."""
        if words and not _QUOTED.match(words):
            end = _TITLE_END.search(words)
            title, about = (
                (words[: end.start()], words[end.end() :]) if end else (words, "")
            )
            quoted = '"' + title.replace('"', "'") + '"'
            words = f"{quoted} — {about}" if about else quoted
        line = render_words(words)
        title = _thread_title(line)
        if not title:
            return
        same = _same_words(parse_words(line))

        def is_older(piece: Piece) -> bool:
            mine = bool(piece.marker) and _thread_title(words_of(piece)) == title
            return mine and not same(piece)

        self._drop(THREADS, is_older)
        self._add_line(THREADS, line)

    def _add_item(self, name: str, words: str) -> None:
        self._add_line(name, render_words(words))

    def _add_line(self, name: str, line: str) -> None:
        """Put an item at the end of a list, or the one there that says the same."""
        if self._move_last(name, _same_words(parse_words(line))):
            return
        self._section(name)
        marker = "1. " if name == THREADS else "- "
        self._below(name, [Piece(0, self._native(f"{marker}{line}\n"), marker)])

    def add_entry(self, number: int, raw: str) -> None:
        """Put one more entry below the others."""
        self._section(RECENT)
        ours = [n for n, part in enumerate(self.parts) if part.name in {RECENT, ENTRY}]
        head, *body = split_lines(self._native(raw))
        fresh = EvolutionPart(ENTRY, head, [Piece(0, "".join(body))], number)
        self._insert(ours[-1] + 1, fresh)

    def _section(self, name: str) -> EvolutionPart:
        """The first section of a name; where missing, made before those after it."""
        if found := self.named(name):
            return found[0]
        later = (*SECTIONS[SECTIONS.index(name) + 1 :], ENTRY)
        places = (n for n, part in enumerate(self.parts) if part.name in later)
        fresh = EvolutionPart(name, self._native(f"## {name}\n"), [])
        self._insert(next(places, len(self.parts)), fresh)
        return fresh

    def _insert(self, place: int, fresh: EvolutionPart) -> None:
        """Put a part at a place, a blank line before and after it."""
        last = self.parts[place - 1]
        gap = spaced(last.raw)[len(last.raw) :] if last.raw else ""
        if gap:
            last.pieces.append(Piece(0, gap))
        if place < len(self.parts):
            fresh.pieces.append(Piece(0, self.newline))
        self.parts.insert(place, fresh)

    def _below(self, name: str, fresh: Iterable[Piece]) -> None:
        """Put pieces below what stands in the last section of a name."""
        last = self.named(name)[-1]
        end = len(last.pieces)
        while end and not last.pieces[end - 1].raw.strip():
            end -= 1
        before = [replace(piece, raw=ended(piece.raw)) for piece in last.pieces[:end]]
        last.head = ended(last.head)
        last.pieces = [*before, *fresh, *last.pieces[end:]]
        self._number_threads()

    def _move_last(self, name: str, moved: Callable[[Piece], bool]) -> bool:
        """Put some items of a list below the others of it; whether there were any."""
        found = self._take(name, lambda piece: bool(piece.marker) and moved(piece))
        if found:
            self._below(name, [replace(p, raw=ended(p.raw)) for p in found])
        return bool(found)

    def _take(self, name: str, gone: Callable[[Piece], bool]) -> list[Piece]:
        """Take some pieces out of the sections of a name."""
        taken = [piece for piece in self.pieces(name) if gone(piece)]
        ids = set(map(id, taken))
        if not taken:
            return []
        for part in self.named(name):
            kept: list[Piece] = []
            for piece in part.pieces:
                # Blank lines that only an item between them had kept apart are one.
                twice = kept and not (piece.raw.strip() or kept[-1].raw.strip())
                if id(piece) not in ids and not twice:
                    kept.append(piece)
            part.pieces = kept
        self._number_threads()
        return taken

    def _number_threads(self) -> None:
        number = 0
        for part in self.named(THREADS):
            for n, piece in enumerate(part.pieces):
                if piece.marker:
                    number += 1
                    raw = f"{number}. " + piece.raw[len(piece.marker) :]
                    part.pieces[n] = Piece(piece.line, raw, f"{number}. ")

    def _native(self, text: str) -> str:
        return text.replace("\n", self.newline)

    # --- within the caps (reflection v2, "Size Management") --------------------

    def prune(self, current: int, *, thorough: bool) -> None:
        """Keep the page within its caps, as far as that is ours to bring about.

        Args:
            current: The number of the newest reflection.
            thorough: Whether to tidy up although nothing is over a cap.
        """
        for name, most in CAPS.items():
            self._keep_items(name, most)
        overview = "".join(part.raw for part in self.named(OVERVIEW))
        if count_tokens(overview) > OVERVIEW_CAP:
            self._drop_prose(OVERVIEW)
        if thorough:
            self._drop_entries(lambda part: part.number <= current - ENTRIES)
            for name in LISTS:
                self._drop_twins(name)
        self._keep_entries(ENTRIES)
        if self._foreign_tokens() > CAP:
            self._drop_ours()
            return
        seen, tokens = "", CAP + 1
        for _ in self._make_room(current):
            if self.text != seen:
                seen = self.text
                tokens = count_tokens(seen)
            if tokens <= CAP:
                return

    def _make_room(self, current: int) -> Iterator[None]:
        """Take out one thing after the other; who iterates stops once the rest fits."""
        yield
        self._drop_entries(lambda part: part.number <= current - ENTRIES)
        yield
        for name in SECTIONS:
            self._drop(name, lambda piece: count_tokens(piece.raw) > _LARGE_ITEM)
        self._drop_entries(lambda part: count_tokens(part.raw) > _LARGE_ENTRY)
        yield
        for part in self.parts:
            if part.name in SECTIONS:  # blank lines are nobody's words
                part.pieces = [
                    replace(p, raw=self.newline) if p.raw and not p.raw.strip() else p
                    for p in part.pieces
                ]
        yield
        for name in SECTIONS:
            self._drop_prose(name)
            yield
        for (lists, entries), (shorter, fewer) in pairwise(_LEVELS):
            for name in LISTS:
                for size in range(lists[name] - 1, shorter[name] - 1, -1):
                    self._keep_items(name, size)
                    yield
            for size in range(entries - 1, fewer - 1, -1):
                self._keep_entries(size)
                yield
        self._drop_ours()
        yield

    def _foreign_tokens(self) -> int:
        """How many tokens are not ours to take out."""
        return count_tokens("".join(part.raw for part in self.named(OTHER)))

    def _drop(self, name: str, gone: Callable[[Piece], bool]) -> None:
        """Take some pieces out, for the archive."""
        taken = self._take(name, gone)
        self.lines += [(name, piece.raw) for piece in taken if piece.raw.strip()]

    def _keep_items(self, name: str, most: int) -> None:
        """Keep the newest items of a list; they stand below the older ones."""
        items = self.items(name)
        old = {id(piece) for piece in items[: max(0, len(items) - most)]}
        self._drop(name, lambda piece: id(piece) in old)

    def _drop_twins(self, name: str) -> None:
        """Keep the newest of items that say the same."""
        newest = {folded(words_of(piece)): id(piece) for piece in self.items(name)}
        twins = {id(piece) for piece in self.items(name)} - set(newest.values())
        self._drop(name, lambda piece: id(piece) in twins)

    def _drop_prose(self, name: str) -> None:
        """Take out what a person wrote in a section of ours that is no item of it."""

        def is_prose(piece: Piece) -> bool:
            ours = name != OVERVIEW or piece.text.startswith(_OUR_LINES)
            return bool(piece.raw.strip()) and not (piece.marker and ours)

        self._drop(name, is_prose)

    def _keep_entries(self, most: int) -> None:
        numbers = sorted(part.number for part in self.named(ENTRY))
        if len(numbers) > most:
            last = numbers[len(numbers) - most - 1]
            self._drop_entries(lambda part: part.number <= last)

    def _drop_entries(self, gone: Callable[[EvolutionPart], bool]) -> None:
        found = [part for part in self.named(ENTRY) if gone(part)]
        taken = set(map(id, found))
        self.parts = [part for part in self.parts if id(part) not in taken]
        self.entries += sorted(found, key=lambda part: part.number)

    def _drop_ours(self) -> None:
        """Keep nothing but what is not ours; for files that leave us no room."""
        for name in SECTIONS:
            self._drop_prose(name)
        for name in LISTS:
            self._keep_items(name, 0)
        self._keep_entries(0)
        self.parts = self.named(OTHER)

    # --- the archive, and what a person should know -----------------------------

    def archived(self, archive: str, number: int) -> str:
        """The archive with all that was taken out."""
        there: dict[int, list[list[str]]] = {}
        for each in entry_sections(archive):
            lines = tidy(each.raw).split("\n")
            there.setdefault(heading_number(each.heading), []).append(lines)

        def is_covered(part: EvolutionPart) -> bool:
            """Whether the archive has an entry whole that was shortened here."""
            lines = [line for line in tidy(part.raw).split("\n") if line.strip()]
            return any(
                all(
                    line in whole
                    or (line.endswith("…") and _starts(whole, line.removesuffix("…")))
                    for line in lines
                )
                for whole in there.get(part.number, ())
            )

        moved = [part.raw for part in self.entries if not is_covered(part)]
        archive = file_entries(archive, moved, ARCHIVE_TITLE)
        if not self.lines:
            return archive
        start = spaced(archive) if archive.strip() else f"# {ARCHIVE_TITLE}\n\n"
        block = [f"## Pruned at Reflection #{number}"]
        for name in dict.fromkeys(name for name, _ in self.lines):
            block.append(f"### {name}")
            block += [raw.strip("\r\n") for own, raw in self.lines if own == name]
        return start + newlines_like(start, "\n".join(block) + "\n")

    def notes(self, number: int) -> tuple[str, ...]:
        """What the human of a file should know who left us no room in it."""
        notes = []
        if all(part.number != number for part in self.named(ENTRY)):
            notes.append(
                f"There was no room for reflection #{number} in evolution.md; "
                "it is in evolution-archive.md."
            )
        if count_tokens(self.text) > CAP:
            heads = [part.head.strip("# \r\n") for part in self.named(OTHER)]
            names = ", ".join(clean(head) for head in heads if head)
            where = f" ({names})" if names else ""
            notes.append(
                f"evolution.md is over its cap of {CAP:,} tokens by what was written "
                f"there by hand{where}: {self._foreign_tokens():,} tokens. Shorten it."
            )
        return tuple(notes)


def _starts(lines: Iterable[str], start: str) -> bool:
    return any(line.startswith(start) for line in lines)
