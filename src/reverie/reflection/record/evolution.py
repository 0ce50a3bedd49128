"""`evolution.md`: how understanding has changed (reflection v2).

Each reflection adds an entry and lets it speak in the lists above. The file has a
hard cap; what makes room goes to `evolution-archive.md`, so nothing is lost.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from reverie.markdown import Section, ended, newlines_like, parse_date, tidy
from reverie.model.origin import Origin, least, named
from reverie.model.reflection import INSIGHT_LABELS, Insight
from reverie.reflection.record.evolution_lists import CONFIRMED, listed
from reverie.reflection.record.evolution_page import (
    ENTRY,
    OTHER,
    OVERVIEW,
    EvolutionPage,
    Part,
    parse_evolution,
    with_body,
    with_entry,
    without_parts,
    words_of,
)
from reverie.reflection.record.evolution_pruning import (
    CAP,
    OUR_LINES,
    Pruned,
    foreign_tokens,
    prune_page,
)
from reverie.reflection.record.headings import (
    Heading,
    entry_sections,
    file_entries,
    heading_number,
    parse_heading,
    render_heading,
    spaced,
)
from reverie.reflection.record.milestones import MILESTONES
from reverie.reflection.record.wording import clean, clipped, render_words
from reverie.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import date

    from reverie.markdown import Piece

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
