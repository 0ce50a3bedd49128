"""`evolution.md`: how understanding has changed (reflection v2).

Each reflection adds an entry and lets it speak in the lists above. The file has a
hard cap; what makes room goes to `evolution-archive.md`, so nothing is lost.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct, field
from msgspec.structs import asdict, replace

from reverie import markdown as md
from reverie.model.items import Origin, least, named
from reverie.model.reflection import INSIGHT_LABELS, Insight
from reverie.reflection import records
from reverie.reflection.log import MILESTONES
from reverie.tokens import within_tokens
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import date

    from reverie.model.change import Edit

TITLE, ARCHIVE_TITLE = "Philosophical Evolution", "Evolution Archive"
OVERVIEW, RECENT = "Overview", "Recent Reflections"
THREADS, PATTERNS = "Active Threads", "Confirmed Patterns"
ASSUMPTIONS, QUESTIONS = "Revised Assumptions", "Open Questions"
LISTS = (THREADS, PATTERNS, ASSUMPTIONS, QUESTIONS)
SECTIONS = (OVERVIEW, *LISTS, RECENT)

CAP = 2000
ENTRIES = 10
CAPS = {THREADS: 5, PATTERNS: 7, ASSUMPTIONS: 7, QUESTIONS: 5}
"""The most items of each list, always."""
STABLE = 5
"""Reflections that confirm a pattern before it stands among the patterns."""

_LARGE, _ITEM_TOKENS = 500, 45
_FIRST, _TOTAL = "First reflection", "Total reflections"
_REACHED, _MADE_OF = "Milestones reached", "Made of words of"
_CONFIRMED = "- Confirmed pattern: "
_CONTINUES = "Continues thread from "
_QUOTED = re.compile(r'"([^"]+)"')
_TITLE_END = re.compile(r"\s(?:\u2014|\u2013|-)\s|:\s")
_COUNTED = re.compile(
    r"Counted: ([0-9]{1,9}) entities, ([0-9]{1,9}) procedures, "
    r"([0-9]{1,9})% of core memory"
)
_FIELDS = {label.casefold(): name for name, label in INSIGHT_LABELS.items()}
_FIELDS["question"] = "question"
_SEVERAL = ("closes", "answers", "patterns")
_NUMBERS = re.compile(r"((?:#[0-9]{1,6}(?:, )?)+): (.+)")


class Counted(Struct, frozen=True):
    """Entities in the graph, procedures learned, and how full core memory is."""

    entities: int
    procedures: int
    core_percent: int


class EvolutionEntry(Struct, frozen=True):
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
    state = {f"- {_TOTAL}: ": str(entry.total)}
    if counted:
        state |= {
            "- Entities in graph: ": str(counted.entities),
            "- Procedures learned: ": str(counted.procedures),
            "- Core memory utilization: ": f"{counted.core_percent}% of 3K cap",
        }
    parts = {
        "Cognitive State": state,
        "Key Insight": {"": told.key},
        "Evolution Delta": {
            "- New understanding: ": told.new_understanding,
            _CONFIRMED: told.confirmed,
            "- Revised assumption: ": told.revised,
        },
        "Thread Continuity": {
            f"- {_CONTINUES}": records.clean(told.continues).removeprefix(_CONTINUES),
            "- Opens new thread: ": told.opens,
        },
    }
    # Until there are enough, a pattern is on its way.
    seen = filter(None, map(_NUMBERS.fullmatch, told.patterns))
    told_again = [(f"- Seen in {found[1]}: ", found[2]) for found in seen]
    more = {"Evolution Delta": told_again}
    lines = [records.render_heading(entry.number, entry.day)]
    for name, fields in parts.items():
        said = [
            f"{k}{word}"
            for k, text in (*fields.items(), *more.get(name, ()))
            for word in records.rendered([text])
        ]
        lines += [f"### {name}", *said] if said else []
    return "\n".join(lines) + "\n"


def render_insight(
    insight: Insight, questions: Iterable[str], counted: Counted | None
) -> str:
    """All that a reflection would add to the evolution, one line each."""
    told = [
        (INSIGHT_LABELS[name], each)
        for name, text in asdict(insight).items()
        for each in ((text,) if isinstance(text, str) else text)
    ]
    told += [("Question", question) for question in questions]
    lines = [
        f"{label}: {records.clean(text)}" for label, text in told if records.clean(text)
    ]
    if lines and counted:
        lines.append(
            f"Counted: {counted.entities} entities, {counted.procedures} procedures, "
            f"{counted.core_percent}% of core memory"
        )
    return "\n".join(lines)


def parse_insight(text: str) -> tuple[Insight, tuple[str, ...], Counted | None]:
    """Read what `render_insight` wrote; a line without a name is understood newly."""
    told: dict[str, list[str]] = {}
    counted = None
    for line in filter(None, map(records.clean, text.split("\n"))):
        label, _, words = line.partition(": ")
        name = _FIELDS.get(label.casefold(), "")
        if found := _COUNTED.fullmatch(line):
            counted = Counted(*map(int, found.groups()))
        else:
            said = words if name else line
            told.setdefault(name or "new_understanding", []).append(said)
    questions = tuple(told.pop("question", ()))
    lists = {name: tuple(told.pop(name, ())) for name in _SEVERAL}
    lines = {name: " ".join(words) for name, words in told.items()}
    return replace(Insight(), **lines, **lists), questions, counted


def words_of_whom(text: str) -> Origin:
    """Whose words the evolution is made of; of several, the least trusted."""
    known = _overview(text).get(_MADE_OF, "")
    return least([Origin.AGENT, named(known)]) if known else Origin.AGENT


def _overview(text: str) -> dict[str, str]:
    """What the lines of the overview say, by their keys; the first of each."""
    items = reversed(md.split_items(records.body_of(text, OVERVIEW)))
    pairs = (
        records.parse_words(item.text).partition(":") for item in items if item.marker
    )
    return {key: words.strip() for key, _, words in pairs}


def add_reflection(
    text: str, archive: str, entry: EvolutionEntry, questions: Sequence[str] = ()
) -> Evolved:
    """Both files with one more reflection in them.

    Args:
        text: `evolution.md`.
        archive: `evolution-archive.md`; may be empty.
        entry: What the reflection adds.
        questions: What it would like to know.
    """
    page = _EvolutionPage(text or f"# {TITLE}\n")
    page.count(entry, archive)
    page.take_up(entry, questions, archive)
    page.add_entry(render_evolution_entry(entry))
    page.prune()
    notes = []
    if entry.number not in page.numbers:
        notes.append(
            f"There was no room for reflection #{entry.number} in evolution.md; "
            "it is in evolution-archive.md."
        )
    if page.over:
        notes.append(
            f"evolution.md is over its cap of {CAP:,} tokens by what was written there "
            "by hand. Shorten it."
        )
    return Evolved(page.text, page.archived(archive, entry.number), tuple(notes))


def _says(piece: md.Piece) -> str:
    return records.folded(records.parse_words(piece.text)) if piece.marker else ""


def _thread_title(words: str) -> str:
    found = _QUOTED.match(words)
    return records.folded(found[1]) if found else ""


def open_in(text: str) -> tuple[set[str], set[str]]:
    """The threads and questions that are open, folded; a thread by its title too."""
    page = _EvolutionPage(text)
    threads = [records.parse_words(piece.text) for piece in page.items(THREADS)]
    asked = (records.parse_words(piece.text) for piece in page.items(QUESTIONS))
    titles = {*map(_thread_title, threads), *map(records.folded, threads)}
    return titles - {""}, set(map(records.folded, asked))


class _EvolutionPage(Struct):
    """The file, and what was taken out of it for the archive.

    Attributes:
        text: The file; what is no entry and no list item in it is never touched.
        entries: Whole entries that were taken out, oldest first.
        lines: List items that were, with the section each stood in.
    """

    text: str
    entries: list[str] = field(default_factory=list)
    lines: list[tuple[str, str]] = field(default_factory=list)

    @property
    def numbers(self) -> list[int]:
        """The reflections that have an entry."""
        return sorted(head.number for head, _ in records.entries_in(self.text))

    @property
    def over(self) -> bool:
        """Whether the file is longer than it may be."""
        return not within_tokens(self.text, CAP)

    def items(self, name: str) -> list[md.Piece]:
        """The items of a list."""
        return [p for p in md.split_items(records.body_of(self.text, name)) if p.marker]

    def put(self, name: str, body: str) -> None:
        """Give a section this body; it is made where missing."""
        later = SECTIONS[SECTIONS.index(name) + 1 :]
        self.text = records.with_section(self.text, name, before=later)
        place = records.place_of(self.text, name) or slice(0, 0)
        self.text = records.with_body(self.text, place, body)

    def take(self, name: str, gone: Callable[[md.Piece], bool]) -> list[md.Piece]:
        """Take some items out of a list."""
        pieces = md.split_items(records.body_of(self.text, name))
        taken = {p.line: p for p in pieces if p.marker and gone(p)}
        if taken:
            self.put(name, "".join(p.raw for p in pieces if p.line not in taken))
        return list(taken.values())

    def add(self, name: str, line: str) -> None:
        """Put an item at the end of a list, or the one there that says the same."""
        if same := records.folded(records.parse_words(line)):
            known = self.take(name, lambda piece: _says(piece) == same)
            self.put(name, records.body_of(self.text, name))
            line = md.render_item(known[-1].text if known else line)
            self.text = records.with_below(self.text, name, line)

    # --- what a reflection adds ----------------------------------------------

    def count(self, entry: EvolutionEntry, archive: str) -> None:
        """Make an overview that counts this reflection too; other words in it stay."""
        told = _overview(self.text)
        heads = [
            head
            for head, _ in (
                *records.entries_in(archive),
                *records.entries_in(self.text),
            )
        ]
        first = md.parse_date(told.get(_FIRST, ""))
        reached = {int(n) for n in re.findall(r"#([0-9]{1,4})", told.get(_REACHED, ""))}
        reached |= {head.number for head in heads}
        reached = reached & MILESTONES.keys() | {entry.milestone} - {0}
        origin = least([entry.origin, words_of_whom(self.text)])
        lines = {
            _FIRST: str(first or min([entry.day, *(head.day for head in heads)])),
            _TOTAL: str(entry.total),
            _REACHED: ", ".join(f"#{number}" for number in sorted(reached)),
            _MADE_OF: "" if origin is Origin.AGENT else origin,
        }
        ours = tuple(f"{key}:" for key in lines)
        self.take(
            OVERVIEW, lambda piece: records.parse_words(piece.text).startswith(ours)
        )
        body = "".join(f"- {key}: {said}\n" for key, said in lines.items() if said)
        rest = records.body_of(self.text, OVERVIEW).strip("\r\n")
        self.put(OVERVIEW, f"{body}{rest}\n\n" if rest else f"{body}\n")

    def take_up(
        self, entry: EvolutionEntry, questions: Iterable[str], archive: str
    ) -> None:
        """Let the lists hear of a reflection."""
        told, continues = entry.insight, f" {records.folded(entry.insight.continues)} "
        for thread in self.items(THREADS):
            words = records.parse_words(thread.text)
            if (title := _thread_title(words)) and f" {title} " in continues:
                self.add(THREADS, records.render_words(words))
        for closed in told.closes:
            self._close(THREADS, closed, _thread_title)
        for answered in told.answers:
            self._close(QUESTIONS, answered, records.folded)
        self._open_thread(records.clipped(told.opens, _ITEM_TOKENS))
        both = (*records.entries_in(archive), *records.entries_in(self.text))
        known = {head.number for head, _ in both} | {entry.number}
        for pattern in told.patterns:
            # A mind says where it was borne out; that there were so many is counted.
            found = _NUMBERS.fullmatch(pattern)
            seen = {int(n) for n in re.findall(r"[0-9]+", found[1])} if found else set()
            if found and len((seen & known) | {entry.number}) >= STABLE:
                short = records.clipped(found[2], _ITEM_TOKENS)
                self.add(PATTERNS, records.render_words(short))
        if revised := records.render_words(records.clipped(told.revised, _ITEM_TOKENS)):
            self.add(ASSUMPTIONS, f"[#{entry.number}] {revised}")
        for question in filter(None, map(records.clean, questions)):
            short = records.clipped(question, _ITEM_TOKENS)
            if short != question:
                self.lines.append((QUESTIONS, f"- {records.render_words(question)}\n"))
            self.add(QUESTIONS, records.render_words(short))

    def _close(self, name: str, words: str, key: Callable[[str], str]) -> None:
        """Take an item out of a list; the archive keeps it with what became of it."""
        title, _, became = words.partition(" → ")
        wanted = records.folded(title)

        def meant(piece: md.Piece) -> bool:
            said = records.parse_words(piece.text)
            return bool(wanted) and wanted in {key(said), records.folded(said)}

        for piece in self.take(name, meant):
            told = f" → {records.render_words(became)}" if became else ""
            self.lines.append((name, f"{piece.raw.rstrip()}{told}\n"))

    def _open_thread(self, words: str) -> None:
        """List a thread as `"Title" — about`, in place of an older one of its title."""
        if words and not _QUOTED.match(words):
            title, *about = _TITLE_END.split(words, maxsplit=1)
            words = " — ".join(['"' + title.replace('"', "'") + '"', *about])
        if title := _thread_title(words):
            older = self.take(
                THREADS,
                lambda piece: _thread_title(records.parse_words(piece.text)) == title,
            )
            gone = (piece for piece in older if _says(piece) != records.folded(words))
            self.lines += [(THREADS, piece.raw) for piece in gone]
            self.add(THREADS, records.render_words(words))

    def add_entry(self, raw: str) -> None:
        """Put one more entry below the others, and number the threads."""
        threads, count = "", 0
        for piece in md.split_items(records.body_of(self.text, THREADS)):
            count += bool(piece.marker)
            own = f"{count}. " if piece.marker else ""
            threads += own + piece.raw[len(piece.marker) :]
        if count:
            self.put(THREADS, threads)
        self.text = records.with_section(self.text, RECENT)
        at = end = 0
        for part in md.split_sections(self.text, records.is_entry):
            end += len(part.raw)
            ours = (part.heading or "").casefold() == RECENT.casefold()
            at = end if ours or records.is_entry(part.heading) else at
        gap = "\n" if at < len(self.text) else ""
        self.text = records.inserted(self.text, at, f"\n{raw}{gap}")

    # --- within the caps (reflection v2, "Size Management") --------------------

    def prune(self) -> None:
        """Keep the page within its caps, as far as that is ours to bring about."""
        for name, most in CAPS.items():
            self._keep_items(name, most)
        self._keep_entries(ENTRIES)
        if self.over:
            self._make_room()

    def _make_room(self) -> None:
        self._drop_entries(lambda _, raw: not within_tokens(raw, _LARGE))
        for floor in (3, 1, 0):
            while self.over and len(self.numbers) > floor:
                self._keep_entries(len(self.numbers) - 1)
            for name in LISTS:
                while self.over and len(self.items(name)) > floor:
                    self._keep_items(name, len(self.items(name)) - 1)

    def _keep_items(self, name: str, most: int) -> None:
        """Keep the newest items of a list; they stand below the older ones."""
        items = self.items(name)
        old = {piece.line for piece in items[: max(0, len(items) - most)]}
        taken = self.take(name, lambda piece: piece.line in old)
        self.lines += [(name, piece.raw) for piece in taken]

    def _keep_entries(self, most: int) -> None:
        old = set(self.numbers[: max(0, len(self.numbers) - most)])
        self._drop_entries(lambda number, _: number in old)

    def _drop_entries(self, gone: Callable[[int, str], bool]) -> None:
        kept = ""
        for part in md.split_sections(self.text, records.is_entry):
            head = records.parse_heading(part.heading)
            if head and gone(head.number, part.raw):
                self.entries.append(part.raw)
            else:
                kept += part.raw
        self.text = kept

    def archived(self, archive: str, number: int) -> str:
        """The archive with all that was taken out."""
        archive = records.with_entries(archive, self.entries, ARCHIVE_TITLE)
        if not self.lines:
            return archive
        block = f"## Pruned at Reflection #{number}\n"
        for name in dict.fromkeys(name for name, _ in self.lines):
            block += f"### {name}\n"
            block += "".join(md.ended(raw) for own, raw in self.lines if own == name)
        return records.with_entry(archive, ARCHIVE_TITLE, block)


def redate_entry(edits: Iterable[Edit], number: int, day: date) -> tuple[Edit, ...]:
    """Return edits in which the entry of a reflection has the day of its approval.

    It was planned on the day of the proposal; the log and the archive say when it was
    approved.
    """
    return tuple(
        replace(edit, content=_redated(edit.content, number, day))
        if edit.path == layout.EVOLUTION and edit.content
        else edit
        for edit in edits
    )


def _redated(data: bytes, number: int, day: date) -> bytes:
    heads = (head for head, _ in records.entries_in(data.decode()))
    for head in heads:
        if head.number == number and head.day != day:
            old, new = (records.render_heading(number, d) for d in (head.day, day))
            return data.replace(old.encode(), new.encode(), 1)
    return data
