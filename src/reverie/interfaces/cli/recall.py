"""`recall`: find what answers a question, or make a block for a prompt of it."""

from __future__ import annotations

import re
from datetime import time
from typing import TYPE_CHECKING, Any

import click

from reverie.interfaces.cli.command import (
    ago,
    day_ago,
    for_person_option,
    local,
    moment_type,
    verb,
)
from reverie.interfaces.cli.output import (
    Bar,
    Styled,
    Table,
    counted,
    faint,
    good,
    ident,
    match,
    place,
    shortened,
    title,
    warn,
    who,
)
from reverie.interfaces.cli.session import given_text
from reverie.model.ids import Kind, Store
from reverie.model.origin import Origin
from reverie.model.recall import Plan, Reach

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from reverie.interfaces.cli.output import Line
    from reverie.interfaces.cli.session import Session
    from reverie.model.recall import Beside, Hit, Part, Recalled

BUDGET = 1000
"""Tokens of a context block, where nothing else is said."""

LONGEST_PASSAGE, LONGEST_BESIDE, MOST_OUTDATED, MOST_WORDS = 600, 100, 3, 8

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


def question_argument(*, required: bool = True) -> Callable[[Any], Any]:
    """`QUESTION...`: its words with or without quotes, or `-` for standard input."""
    return click.argument(
        "question",
        nargs=-1,
        required=required,
        metavar="QUESTION..." if required else "[QUESTION]...",
        callback=lambda _ctx, _param, words: " ".join(words),
    )


def here_and_now(session: Session, at: datetime | None = None) -> datetime:
    """The moment to ask for, in the zone of who asks: `yesterday` is theirs."""
    return at or session.clock().astimezone()


@verb()
@question_argument()
@click.option(
    "--at",
    type=moment_type(time.max),
    metavar="WHEN",
    help="Ask as of this moment; a day means its end.  [default: now]",
)
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help="The most to show.  [default: recall.max_results]",
)
@click.option(
    "--least",
    type=click.FloatRange(0, 1),
    metavar="X",
    help="The score a memory must have.  [default: recall.min_score]",
)
@click.option(
    "-s",
    "--store",
    "stores",
    type=click.Choice(Store, case_sensitive=False),
    multiple=True,
    help="Look only there; repeatable.",
)
@click.option("--archived", is_flag=True, help="Show archived memories too.")
@for_person_option("Who asks; what is for somebody else alone is left out.")
@click.option("--explain", is_flag=True, help="Show what each score is made of.")
@click.option("--context", is_flag=True, help="Print a block for a prompt instead.")
@click.option(
    "--budget",
    type=click.IntRange(min=1),
    metavar="TOKENS",
    help=f"How long the block may be; implies --context.  [default: {BUDGET}]",
)
def recall(
    session: Session,
    question: str,
    at: datetime | None,
    budget: int | None,
    person: str,
    *,
    archived: bool,
    explain: bool,
    context: bool,
    **given: Any,  # noqa: ANN401 - passed on as it was typed
) -> None:
    """Find what answers QUESTION, each memory with where it stands.

    In plain words; quotes are optional, and '-' reads it from standard input. Times
    such as `last week` and names are understood. Finding nothing is no failure. With
    --context it is Markdown for an agent's prompt, with the source of everything.

        reverie recall what did we choose for the index
        reverie recall "When did I last see Alex?" --store episodic --limit 3
        reverie recall where does alex work --at 2026-02-02 --explain
        reverie recall "How do we deploy?" --context --budget 500
    """
    asked, now = given_text(question), here_and_now(session, at)
    if context or budget:
        if explain or archived or any(given.values()):
            message = "--context goes with --at, --person and --budget alone"
            raise click.UsageError(message, click.get_current_context())
        with session.asking() as memory:
            block = memory.context(
                asked, budget=budget or BUDGET, now=now, person=person
            )
        session.prompt({"question": asked, "context": block}, block)
        return
    with session.asking() as memory:
        reach = Reach.EVERYTHING if archived else Reach.EXPLICIT
        recalled = memory.recall(asked, now=now, reach=reach, person=person, **given)
        empty = not recalled.hits and not sum(memory.overview().counts.values())
    session.answer(
        recalled, lambda told: found_page(told, explain=explain, empty=empty)
    )


def found_page(recalled: Recalled, *, explain: bool, empty: bool) -> list[Line | Table]:
    """The hits, the best first, and what the reader should know about them."""
    page: list[Line | Table] = []
    read = recalled.understood
    for rank, hit in enumerate(recalled.hits, 1):
        page += [*_hit(rank, hit, recalled), *(explained(hit) if explain else ()), ""]
    if not recalled.hits:
        asked = shortened(recalled.question, LONGEST_BESIDE)
        page.append(warn(f"Checked, and found nothing for: {asked}"))
        if read.words:
            more = ", …" if len(read.words) > MOST_WORDS else ""
            begin = ", ".join(read.words[:MOST_WORDS])
            page.append(f"Looked for words that begin like: {begin}{more}")
    elif not recalled.sure:
        best = f"the best of these scores {recalled.hits[0].score:.2f} out of 1."
        page.append(warn(f"Checked, and not sure: {best}"))
    told = [_PLANS[read.plan]] if read.plan in _PLANS else []
    told += [f"about {', '.join(read.entities)}"] if read.entities else []
    told += [f"said by {', '.join(read.speakers)}"] if read.speakers else []
    told += read.times
    page += [faint(f"Read as: {'; '.join(told)}")] if told else []
    for count, kind, how in (
        (recalled.archived, "archived", ": --archived shows "),
        (recalled.dormant, "dormant", ""),
    ):
        if count == 1:
            page.append(f"1 {kind} memory also matches{how and f'{how}it'}")
        elif count:
            page.append(f"{count:,} {kind} memories also match{how and f'{how}them'}")
    page += [warn(f"Note: {note}") for note in recalled.notes]
    if empty:
        hint = "There are no memories yet: `reverie remember` or `reverie import`."
        page.append(faint(hint))
    elif not recalled.hits:
        page.append(faint("Try other words, or --least 0 for weak matches."))
    return page[:-1] if page[-1] == "" else page


def _hit(rank: int, hit: Hit, recalled: Recalled) -> Iterator[Line]:
    stems, score = recalled.understood.words, f"{hit.score:.2f}  "
    when = ""
    if hit.at is not None and hit.store in _TO_THE_MINUTE:
        when = f"  {ago(hit.at, recalled.asked)}"
    elif hit.at is not None:
        when = f"  {day_ago(hit.at.date(), recalled.asked.astimezone().date())}"
    yield (
        faint(f"{rank:>2}  "),
        good(score) if hit.score >= 0.5 else score,
        ident(hit.id),
        faint(when),
        *_standing(hit),
    )
    yield "    ", place(f"{hit.path}:{hit.line}")
    speaker = [who(_speaker(hit))]
    for line in filter(str.strip, _cut(hit.passage, stems).split("\n")):
        yield "    ", *speaker, *marked(line, stems)
        speaker = []
    for line in hit.outdated[:MOST_OUTDATED]:
        yield "    ", faint(f"no longer: {shortened(line, LONGEST_BESIDE)}")
    for each in hit.beside:
        said = shortened(_speaker(each) + each.text, LONGEST_BESIDE)
        yield "      ", faint(f"{each.relation:<6}  {said}")
    if hit.same:
        words = counted(len(hit.same), "more memory says", "more memories say")
        yield "      ", faint(f"{words} the same")


def _standing(hit: Hit) -> Iterator[str]:
    if hit.pinned:
        yield title("  pinned")
    elif hit.status in {"fading", "dormant", "archived"}:
        yield Styled(f"  {hit.status}", "warn" if hit.status == "fading" else "faint")
    if hit.unconfirmed:
        yield warn("  unconfirmed")
    elif hit.origin in _OTHERS:
        yield warn(f"  words of {hit.origin}")


def _speaker(said: Hit | Beside) -> str:
    """Who said it: by name, or else what part they had in the conversation."""
    kind, _, name = said.id.partition(":")
    speaker = said.speaker or (name.split("/")[-2] if kind == Kind.TURN else "")
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


def marked(line: str, stems: Sequence[str]) -> Iterator[str]:
    """A line in which the words that fit stand out."""
    start = 0
    for word in _WORD.finditer(line):
        if _fits(word[0], stems):
            yield line[start : word.start()]
            yield match(word[0])
            start = word.end()
    yield line[start:]


def _fits(word: str, stems: Sequence[str]) -> bool:
    """Whether a word seems to be one that was looked for, by how it begins."""
    folded = word.casefold()
    return any(
        folded.startswith((stem, f"{stem[:-1]}y") if stem.endswith("i") else stem)
        and len(folded) - len(stem) <= (_LONGEST_ENDING if len(stem) > 2 else 0)
        for stem in stems
    )


def explained(hit: Hit, indent: int = 6) -> Iterator[Line | Table]:
    """What a score is made of, and where the memory comes from."""
    yield ""
    yield shares(hit.parts, indent)
    told = [("because", reason) for reason in hit.why]
    if hit.at is not None:
        exact = hit.store in _TO_THE_MINUTE
        told.append(("at", local(hit.at) if exact else str(hit.at.date())))
    told += [("status", hit.status)] if hit.status else []
    told += [("change", hit.commit[:10])] if hit.commit else []
    told += [("same", id_) for id_ in hit.same]
    told += [("once", shortened(line, LONGEST_BESIDE)) for line in hit.outdated]
    for name, value in told:
        yield " " * indent, faint(f"{name:<9}"), value


def shares(parts: Sequence[Part], indent: int) -> Table:
    """The parts of a score: what is added up, then what that is multiplied with."""
    rows = [
        (
            faint(part.name),
            f"{'x' if part.factor else ' '} {part.value:.2f}",
            "" if part.factor else Bar(max(0, round(part.value * 1000)), 1000, "id"),
        )
        for part in parts
    ]
    return Table(rows, indent=indent)
