"""What a question brought back, as a page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reverie.interfaces.cli.moments import ago, day_ago, local
from reverie.interfaces.cli.page import (
    BLANK,
    Bar,
    Grid,
    Row,
    Span,
    Style,
    counted,
    row,
    shortened,
)
from reverie.model.ids import Kind, Store
from reverie.model.origin import Origin
from reverie.model.recall import Plan

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from reverie.interfaces.cli.page import Page
    from reverie.model.recall import Beside, Hit, Part, Recalled, Understood

INDENT = 4
LONGEST_PASSAGE = 600
LONGEST_BESIDE = 100
MOST_OUTDATED = 3
MOST_WORDS = 8

_TO_THE_MINUTE = {Store.EPISODIC, Store.TURNS}
"""Stores that know the time of day; the others know the day."""

_WORD = re.compile(r"\w+")
_LONGEST_ENDING = 4
_PLANS = {
    Plan.WHEN: "a question about when",
    Plan.ABOUT: "a question about somebody or something",
    Plan.HOW: "a question about how something is done",
    Plan.LATEST: "a question about the latest",
}
_OTHERS = frozenset({Origin.TOOL, Origin.SUBAGENT})
"""Whose words a reader should not take for the agent's or their own."""

_STANDINGS = {
    "fading": Style.WARN,
    "dormant": Style.FAINT,
    "archived": Style.FAINT,
}


def found_page(recalled: Recalled, *, explain: bool) -> Page:
    """The hits, the best first, and what the reader should know about them."""
    page: Page = []
    for rank, hit in enumerate(recalled.hits, 1):
        page += [*_hit(rank, hit, recalled), *(explained(hit) if explain else ())]
        page.append(BLANK)
    doubt = []
    if not recalled.sure:
        best = recalled.hits[0].score
        words = f"Checked, and not sure: the best of these scores {best:.2f} out of 1."
        doubt = [row(Span(words, Style.WARN))]
    page += [*doubt, *_read_as(recalled.understood), *_left_out(recalled)]
    return page[:-1] if page[-1] is BLANK else page


def nothing_page(recalled: Recalled, *, empty: bool) -> Page:
    """What was looked for in vain, and what to try."""
    asked = shortened(recalled.question, LONGEST_BESIDE)
    page: Page = [row(Span(f"Checked, and found nothing for: {asked}", Style.WARN))]
    stems = recalled.understood.words
    if stems:
        more = ", …" if len(stems) > MOST_WORDS else ""
        begin = ", ".join(stems[:MOST_WORDS])
        page.append(row(f"Looked for words that begin like: {begin}{more}"))
    page += [*_read_as(recalled.understood), *_left_out(recalled)]
    if empty:
        hint = "There are no memories yet: `reverie remember` or `reverie import`."
    else:
        hint = "Try other words, or --least 0 for weak matches."
    return [*page, row(Span(hint, Style.FAINT))]


def _hit(rank: int, hit: Hit, recalled: Recalled) -> Iterator[Row]:
    yield row(
        Span(f"{rank:>2}  ", Style.FAINT),
        Span(f"{hit.score:.2f}  ", Style.GOOD if hit.score >= 0.5 else Style.PLAIN),
        Span(hit.id, Style.ID),
        Span(_when(hit, recalled.asked), Style.FAINT),
        *_standing(hit),
    )
    yield row(Span(f"{hit.path}:{hit.line}", Style.PATH), indent=INDENT)
    yield from _passage(hit, recalled.understood.words)
    for each in hit.beside:
        said = shortened(_speaker(each) + each.text, LONGEST_BESIDE)
        words = f"{each.relation:<6}  {said}"
        yield row(Span(words, Style.FAINT), indent=INDENT + 2)
    if hit.same:
        words = counted(len(hit.same), "more memory says", "more memories say")
        yield row(Span(f"{words} the same", Style.FAINT), indent=INDENT + 2)


def _when(hit: Hit, asked: datetime) -> str:
    if hit.at is None:
        return ""
    if hit.store in _TO_THE_MINUTE:
        return f"  {ago(hit.at, asked)}"
    return f"  {day_ago(hit.at.date(), asked.astimezone().date())}"


def _standing(hit: Hit) -> Iterator[Span]:
    if hit.pinned:
        yield Span("  pinned", Style.TITLE)
    elif hit.status in _STANDINGS:
        yield Span(f"  {hit.status}", _STANDINGS[hit.status])
    if hit.unconfirmed:
        yield Span("  unconfirmed", Style.WARN)
    elif hit.origin in _OTHERS:
        yield Span(f"  words of {hit.origin}", Style.WARN)


def _passage(hit: Hit, stems: Sequence[str]) -> Iterator[Row]:
    """The part that fits; and what it once said and no longer holds."""
    speaker = [Span(_speaker(hit), Style.ACTOR)]
    for line in _cut(hit.passage, stems).split("\n"):
        if line.strip():
            yield row(*speaker, *marked(line, stems), indent=INDENT)
            speaker = []
    for line in hit.outdated[:MOST_OUTDATED]:
        said = shortened(line, LONGEST_BESIDE)
        yield row(Span(f"no longer: {said}", Style.FAINT), indent=INDENT)


def _speaker(said: Hit | Beside) -> str:
    """Who said it: by name, or else what part they had in the conversation."""
    kind, _, name = said.id.partition(":")
    part = name.split("/")[-2] if kind == Kind.TURN else ""
    speaker = said.speaker or part
    return f"{speaker}: " if speaker else ""


def _cut(text: str, stems: Sequence[str]) -> str:
    """A long text from a little before the first word that fits."""
    if len(text) <= LONGEST_PASSAGE:
        return text
    hits = (m.start() for m in _WORD.finditer(text) if _fits(m[0], stems))
    start = max(0, next(hits, 0) - LONGEST_PASSAGE // 4)
    start = min(start, len(text) - LONGEST_PASSAGE)
    end = start + LONGEST_PASSAGE
    before, after = "…" if start else "", "…" if end < len(text) else ""
    return f"{before}{text[start:end].strip()}{after}"


def marked(line: str, stems: Sequence[str]) -> Iterator[Span]:
    """A line in which the words that fit stand out."""
    start = 0
    for word in _WORD.finditer(line):
        if _fits(word[0], stems):
            yield Span(line[start : word.start()])
            yield Span(word[0], Style.MATCH)
            start = word.end()
    yield Span(line[start:])


def _fits(word: str, stems: Sequence[str]) -> bool:
    """Whether a word seems to be one that was looked for, by how it begins."""
    folded = word.casefold()
    return any(
        folded.startswith((stem, f"{stem[:-1]}y") if stem.endswith("i") else stem)
        and len(folded) - len(stem) <= (_LONGEST_ENDING if len(stem) > 2 else 0)
        for stem in stems
    )


def explained(hit: Hit, indent: int = INDENT + 2) -> Iterator[Row | Grid]:
    """What a score is made of, and where the memory comes from."""
    yield BLANK
    yield shares(hit.parts, indent)
    facts = [("because", reason) for reason in hit.why]
    if hit.at is not None:
        exact = hit.store in _TO_THE_MINUTE
        facts.append(("at", local(hit.at) if exact else str(hit.at.date())))
    facts += [("status", hit.status)] if hit.status else []
    facts += [("change", hit.commit[:10])] if hit.commit else []
    facts += [("same", id_) for id_ in hit.same]
    facts += [("once", shortened(line, LONGEST_BESIDE)) for line in hit.outdated]
    for name, value in facts:
        yield row(Span(f"{name:<9}", Style.FAINT), value, indent=indent)


def shares(parts: Sequence[Part], indent: int) -> Grid:
    """The parts of a score: what is added up, then what that is multiplied with."""
    return Grid(
        (),
        tuple(
            (
                Span(part.name, Style.FAINT),
                Span(("x " if part.factor else "  ") + f"{part.value:.2f}"),
                Span("")
                if part.factor
                else Bar(max(0, round(part.value * 1000)), 1000, Style.ID),
            )
            for part in parts
        ),
        indent=indent,
    )


def _read_as(understood: Understood) -> Page:
    """How the question was read, where that could surprise."""
    told = [_PLANS[understood.plan]] if understood.plan in _PLANS else []
    told += [f"about {', '.join(understood.entities)}"] if understood.entities else []
    told += [f"said by {', '.join(understood.speakers)}"] if understood.speakers else []
    told += understood.times
    return [row(Span(f"Read as: {'; '.join(told)}", Style.FAINT))] if told else []


def _left_out(recalled: Recalled) -> Page:
    page: Page = []
    for count, kind, how in (
        (recalled.archived, "archived", ": --archived shows them"),
        (recalled.dormant, "dormant", ""),
    ):
        if count:
            memories = counted(count, f"{kind} memory also", f"{kind} memories also")
            verb = "matches" if count == 1 else "match"
            shown = how.replace("them", "it") if count == 1 else how
            page.append(row(f"{memories} {verb}{shown}"))
    notes = [row(Span(f"Note: {note}", Style.WARN)) for note in recalled.notes]
    return [*page, *notes]
