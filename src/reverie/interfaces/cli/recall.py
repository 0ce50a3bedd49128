"""`recall`: find what answers a question, or make a block for a prompt of it."""

from __future__ import annotations

import re
from datetime import time, timedelta
from typing import TYPE_CHECKING, Any

import click

from reverie import Reach, Store
from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out
from reverie.model.ids import TO_THE_MINUTE, Kind
from reverie.model.items import FOREIGN
from reverie.recall.context_block import quote_others, words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from reverie.model.views import Beside, Hit, Part, Recalled

BUDGET = 1000
"""Tokens of a context block, where nothing else is said."""

LONGEST_PASSAGE, LONGEST_BESIDE, MOST_OUTDATED, MOST_WORDS = 600, 100, 3, 8

"""Whose words a reader should not take for the agent's or their own."""

_AT = "Ask as of this moment; a day means its end.  [default: now]"
_LEAST = "The score a memory must have.  [default: recall.min_score]"
_BUDGET = f"How long the block may be; implies --context.  [default: {BUDGET}]"
_LIMIT = "The most to show.  [default: recall.max_results]"
_COUNT = click.IntRange(min=1)


def question_argument(*, required: bool = True) -> Callable[[Any], Any]:
    """`QUESTION...`: its words with or without quotes, or `-` for standard input."""
    return click.argument(
        "question",
        nargs=-1,
        required=required,
        metavar="QUESTION..." if required else "[QUESTION]...",
        callback=lambda _ctx, _param, words: " ".join(words),
    )


def here_and_now(call: cli.Invocation, at: datetime | None = None) -> datetime:
    """The moment to ask for, in the zone of who asks: `yesterday` is theirs."""
    return at or call.clock().astimezone(call.zone)


@cli.verb()
@question_argument()
@cli.option("--at", _AT, cli.moment_type(time.max), "WHEN")
@cli.option("-n --limit", _LIMIT, _COUNT, "N")
@cli.option("--least", _LEAST, click.FloatRange(0, 1), "X")
@cli.option("-s --store stores", "Look only there; repeatable.", Store, multiple=True)
@cli.flag("--archived", "Show archived memories too.")
@cli.person_option("Who asks; what is for somebody else alone is left out.")
@cli.flag("--explain", "Show what each score is made of.")
@cli.flag("--context", "Print a block for a prompt instead.")
@cli.option("--budget", _BUDGET, _COUNT, "TOKENS")
@cli.flag("--several", "Let the block tell of many days and pages.")
def recall(
    call: cli.Invocation,
    question: str,
    at: datetime | None,
    budget: int | None,
    *,
    archived: bool,
    explain: bool,
    context: bool,
    several: bool,
    **given: Any,
) -> None:
    """Find what answers QUESTION, each memory with where it stands.

    In plain words; quotes are optional, and '-' reads it from standard input. Times
    such as `last week` and names are understood. What fits weakly is shown as unsure;
    finding nothing is no failure. With --context it is Markdown for an agent's prompt:
    each memory is one line behind a citation, which goes wherever an id does.

        reverie recall what did we choose for the index
        reverie recall "When did I last see Alex?" --store episodic --limit 3
        reverie recall where does alex work --at 2026-02-02 --explain
        reverie recall "How do we deploy?" --context --budget 500
    """
    asked = cli.given_text(question)
    if context or budget or several:
        if explain or archived or any(given.values()):
            cli.misused("--context goes with --at, --person, --budget and --several")
        most, now = budget or BUDGET, here_and_now(call, at)
        block = call.reader.context(asked, budget=most, several=several, now=now)
        call.prompt({"question": asked, "context": block}, block)
        return
    memory = call.reader
    reach = Reach.EVERYTHING if archived else Reach.EXPLICIT
    recalled = memory.recall(asked, now=at, reach=reach, **given)
    empty = not recalled.hits and not sum(memory.overview().counts.values())
    call.answer(recalled, found_page(recalled, explain=explain, empty=empty))


def found_page(recalled: Recalled, *, explain: bool, empty: bool) -> out.Page:
    """The hits, the best first, and what the reader should know about them."""
    page: out.Page = []
    read = recalled.understood
    for rank, hit in enumerate(recalled.hits, 1):
        page += [*_hit(rank, hit, recalled), *(explained(hit) if explain else ()), ""]
    if not recalled.hits and not recalled.unread_files:
        asked = out.shortened(recalled.question, LONGEST_BESIDE)
        page.append(out.warn(f"Checked, and found nothing for: {asked}"))
        if read.words:
            more = ", …" if len(read.words) > MOST_WORDS else ""
            begin = ", ".join(read.words[:MOST_WORDS])
            page.append(f"Looked for words that begin like: {begin}{more}")
    elif recalled.hits and not recalled.sure:
        best = f"the best of these scores {recalled.hits[0].score:.2f} out of 1."
        page.append(out.warn(f"Checked, and not sure: {best}"))
    told = [f"about {', '.join(read.entities)}"] if read.entities else []
    told += [f"said by {', '.join(read.speakers)}"] if read.speakers else []
    told += read.times
    page += [out.faint(f"Read as: {'; '.join(told)}")] if told else []
    hidden = ((recalled.archived, "archived"), (recalled.dormant, "dormant"))
    for count, kind in hidden:
        one, many = f"{kind} memory also matches", f"{kind} memories also match"
        how = " (--archived)" if kind == "archived" else ""
        page += [out.counted(count, one, many) + how] if count else []
    page += [out.warn(f"Note: {note}") for note in (*recalled.notes, *recalled.gaps)]
    if empty:
        hint = "There are no memories yet: `reverie remember` or `reverie import`."
        page.append(out.faint(hint))
    elif not recalled.hits:
        page.append(out.faint("Try other words, or --least 0 for weak matches."))
    return page[:-1] if page[-1] == "" else page


def _hit(rank: int, hit: Hit, recalled: Recalled) -> out.Lines:
    stems, score = recalled.understood.words, f"{hit.score:.2f}  "
    yield (
        out.faint(f"{rank:>2}  "),
        out.good(score) if hit.score >= 0.5 else score,
        out.ident(hit.id),
        out.faint(f"  {when(hit, recalled.asked)}" if hit.at else ""),
        *_standing(hit),
    )
    yield "    ", out.place(f"{hit.path}:{hit.line}")
    speaker = [out.who(_speaker(hit))]
    passage = quote_others(_cut(hit.passage, stems), hit.origin)
    for line in filter(str.strip, passage.split("\n")):
        yield "    ", *speaker, *marked(line, stems)
        speaker = []
    if hit.since:
        yield "    ", out.warn(f"only from {hit.since} on")
    if hit.pending:
        yield "    ", out.warn(f"a new version waits for approval as #{hit.pending}")
    if hit.newer:
        yield "    ", out.warn(hit.newer)
    for line in hit.outdated[:MOST_OUTDATED]:
        yield "    ", out.faint(f"no longer: {out.shortened(line, LONGEST_BESIDE)}")
    for each in hit.beside:
        name = _speaker(each)
        text = out.shortened(each.text, LONGEST_BESIDE - len(name))
        said = name + quote_others(text, each.origin)
        yield "      ", out.faint(f"{each.relation:<6}  {said}")
    if hit.same:
        words = out.counted(len(hit.same), "more memory says", "more memories say")
        yield "      ", out.faint(f"{words} the same")


def when(hit: Hit, now: datetime) -> str:
    """When a memory is of, told from now if that is within a week."""
    if hit.at is None:
        return ""
    exact = hit.store in TO_THE_MINUTE
    age = now - hit.at if exact else now.date() - hit.at.date()
    if not timedelta(0) <= age < timedelta(days=7):
        return cli.local(hit.at)[:10] if exact else hit.at.date().isoformat()
    for unit in ("day", "hour", "minute"):
        if count := age // timedelta(**{f"{unit}s": 1}):
            return f"{out.counted(count, unit)} ago"
    return "just now" if exact else "today"


def _standing(hit: Hit) -> Iterator[str]:
    if hit.pinned:
        yield out.title("  pinned")
    elif hit.status in {"fading", "dormant", "archived"}:
        look = "warn" if hit.status == "fading" else "faint"
        yield out.Styled(f"  {hit.status}", look)
    if hit.disputed:
        yield out.warn("  disputed: see `reverie pending`")
    if hit.unconfirmed:
        yield out.warn("  unconfirmed")
    elif hit.origin in FOREIGN:
        yield out.warn(f"  {words_of(hit.origin)}")


def _speaker(said: Hit | Beside) -> str:
    """Who said it: by name, or else what part they had in the conversation."""
    kind, _, name = said.id.partition(":")
    speaker = said.speaker or (name.split("/")[-2] if kind == Kind.TURN else "")
    return f"{speaker}: " if speaker else ""


def _cut(text: str, stems: Sequence[str]) -> str:
    """A long text from a little before the first word that fits."""
    if len(text) <= LONGEST_PASSAGE:
        return text
    found = _fitting(stems).search(text)
    start = max(0, (found.start() if found else 0) - LONGEST_PASSAGE // 4)
    start = min(start, len(text) - LONGEST_PASSAGE)
    end = start + LONGEST_PASSAGE
    return f"{'…' * bool(start)}{text[start:end].strip()}{'…' * (end < len(text))}"


def marked(line: str, stems: Sequence[str]) -> Iterator[str]:
    """A line in which the words that fit stand out."""
    start = 0
    for word in _fitting(stems).finditer(line):
        yield line[start : word.start()]
        yield out.match(word[0])
        start = word.end()
    yield line[start:]


def _fitting(stems: Sequence[str]) -> re.Pattern[str]:
    """Words that seem to be those that were looked for, by how they begin."""
    begins = (
        re.escape(s[:-1]) + "[iy]" if s[-1:] == "i" else re.escape(s) for s in stems
    )
    ends = (r"\w{0,4}" if len(stem) > 2 else "" for stem in stems)
    words = "|".join(map("".join, zip(begins, ends, strict=True)))
    return re.compile(rf"\b(?:{words or '(?!)'})\b", re.IGNORECASE)


def explained(hit: Hit, indent: int = 6) -> out.Lines:
    """What a score is made of, and where the memory comes from."""
    yield from ("", shares(hit.parts, indent))
    told = [("because", reason) for reason in hit.why]
    if hit.at is not None:
        exact = hit.store in TO_THE_MINUTE
        told.append(("at", cli.local(hit.at) if exact else str(hit.at.date())))
    told += [("status", hit.status)] if hit.status else []
    told += [("change", hit.commit[:10])] if hit.commit else []
    told += [("same", id_) for id_ in hit.same]
    told += [("once", out.shortened(line, LONGEST_BESIDE)) for line in hit.outdated]
    for name, value in told:
        yield " " * indent, out.faint(f"{name:<9}"), value


def shares(parts: Sequence[Part], indent: int) -> out.Table:
    """The parts of a score: what is added up, then what that is multiplied with."""
    rows = [
        (
            out.faint(part.name),
            f"{'x' if part.factor else ' '} {part.value:.2f}",
            "" if part.factor else out.bar(part.value, 1, "id"),
        )
        for part in parts
    ]
    return out.Table(rows, indent=indent)
