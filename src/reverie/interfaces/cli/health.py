"""`health`: how the workspace is doing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli.command import Verb
from reverie.interfaces.cli.moments import local
from reverie.interfaces.cli.page import BLANK, Bar, Grid, Span, Style, counted, row
from reverie.interfaces.cli.session import session_of
from reverie.model.health import MILLION, HealthVerdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from reverie.interfaces.cli.page import Page, Row
    from reverie.model.health import (
        Conversations,
        Expense,
        Health,
        IndexState,
        Remark,
        Slept,
        StoreCount,
        Upkeep,
    )

_LOOKS = {
    HealthVerdict.OK: ("ok", Style.GOOD),
    HealthVerdict.LOOK: ("look", Style.WARN),
    HealthVerdict.MEND: ("mend", Style.BAD),
}
_MEANS = {
    HealthVerdict.OK: "all is well",
    HealthVerdict.LOOK: "something is worth a look",
    HealthVerdict.MEND: "something should be mended",
}
_STATUSES = ("active", "fading", "dormant", "archived")
_NAMED = 5
"""So many topics of summaries are shown."""


@click.command(cls=Verb)
@click.pass_context
def health(ctx: click.Context) -> None:
    """Show how the workspace is doing, and what to do about it.

    Memories by store and by how vivid they are, core memory's budgets, what waits,
    duplicates, the index, reflection, conversations, spending and storage. Of a large
    workspace a part is read for duplicates; `reverie audit` reads all. The exit code
    is 0 whatever is found; `verdict` in the JSON is ok, look or mend.

        reverie health
        reverie health --json
    """
    session = session_of(ctx)
    with session.asking() as memory:
        told = memory.health()
    session.answer(told, health_page)


def health_page(told: Health) -> Page:
    """How a workspace is doing, what matters most first."""
    word, style = _LOOKS[told.verdict]
    parts = [
        _remarks(told.remarks),
        _titled("Memories", [_memories(told.stores)]),
        _titled("Core memory", [_core(told)]),
        _titled("Upkeep", [_facts(_waiting(told)), _facts(_upkeep(told.upkeep))]),
        _titled("Reflection", [_facts(_reflection(told.reflection))]),
        _titled("Conversations", [_facts(_conversations(told.conversations))]),
        _titled("Machine", [_spent(told.expense), _facts(_machine(told))]),
    ]
    page: Page = [
        row(Span(f"{word.upper()} ", style), f"{_MEANS[told.verdict]}: ", _root(told))
    ]
    for part in parts:
        page += [BLANK, *part] if part else []
    return page


def _root(told: Health) -> Span:
    return Span(told.root, Style.PATH)


def _titled(title: str, body: Iterable[Grid]) -> Page:
    return [row(Span(title, Style.TITLE)), *(each for each in body if each.rows)]


def _remarks(remarks: Sequence[Remark]) -> Page:
    return [_remark(each) for each in remarks]


def _remark(each: Remark) -> Row:
    word, style = _LOOKS[each.verdict]
    mend = Span(f"; {each.mend}" if each.mend else "", Style.FAINT)
    return row(Span(f"{word:<5} ", style), Span(each.what), mend, indent=2)


# --- what is there -----------------------------------------------------------


def _memories(stores: Sequence[StoreCount]) -> Grid:
    heads = (*_STATUSES, "pinned", "all")
    table = [tuple(f"{count:,}" for count in _counts(each)) for each in stores]
    columns = zip(heads, *table, strict=True)
    widths = [max(map(len, column)) for column in columns]
    rows = tuple(
        (Span(each.store), *map(Span, _right(cells, widths), _styles(each)))
        for each, cells in zip(stores, table, strict=True)
    )
    return Grid(("", *_right(heads, widths)), rows, flexible=0, indent=2)


def _right(cells: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    """Numbers, which stand below each other."""
    return (cell.rjust(width) for cell, width in zip(cells, widths, strict=True))


def _counts(each: StoreCount) -> tuple[int, ...]:
    visible = (each.active, each.fading, each.dormant, each.archived)
    return (*visible, each.pinned, each.memories)


def _styles(each: StoreCount) -> Iterator[Style]:
    looks = (Style.GOOD, Style.WARN, Style.FAINT, Style.FAINT, Style.PLAIN, Style.TITLE)
    for count, style in zip(_counts(each), looks, strict=True):
        yield style if count else Style.FAINT


def _core(told: Health) -> Grid:
    uses = [(use.block.value, use.tokens, use.budget) for use in told.core]
    uses.append(("all of it", told.core_tokens, told.core_cap))
    return Grid(
        (),
        tuple(
            (
                Span(name),
                Bar(tokens, budget),
                Span(f"{tokens:,} of {budget:,} tokens", Style.FAINT),
            )
            for name, tokens, budget in uses
        ),
        indent=2,
    )


# --- what is told in a line --------------------------------------------------

Fact = tuple[str, Span]


def _facts(facts: Iterable[Fact]) -> Grid:
    rows = tuple((Span(f"{name:<13}", Style.FAINT), value) for name, value in facts)
    return Grid((), rows, indent=2)


def _waiting(told: Health) -> Iterator[Fact]:
    waits = told.waits
    parts = [
        counted(count, one)
        for count, one in (
            (waits.proposals, "proposal"),
            (waits.alerts, "alert"),
            (waits.questions, "question"),
            (waits.contradictions, "contradiction"),
        )
        if count
    ]
    if waits.reflection:
        parts.append(f"reflection #{waits.reflection}")
    style = Style.WARN if parts else Style.GOOD
    yield "waits", Span(", ".join(parts) or "nothing", style)
    if len(waits.statuses) > 1 or waits.disputed:
        each = ", ".join(f"{count:,} {word}" for word, count in waits.statuses)
        yield "proposals", Span(each)


def _upkeep(upkeep: Upkeep) -> Iterator[Fact]:
    least = "" if upkeep.whole else "at least "
    judged = counted(upkeep.judged, "entry", "entries")
    part = f"of {judged}" if upkeep.whole else f"of {judged} looked at, not of all"
    style = _grave(upkeep.duplicates, upkeep.judged)
    yield "duplicates", Span(f"{least}{upkeep.duplicates:,} {part}", style)
    if upkeep.errors or upkeep.warnings:
        errors = counted(upkeep.errors, "error")
        words = f"{errors}, {counted(upkeep.warnings, 'warning')}"
        yield "files", Span(words, Style.BAD if upkeep.errors else Style.WARN)
    else:
        yield "files", Span("nothing wrong" if upkeep.whole else "nothing wrong found")


def _grave(count: int, judged: int) -> Style:
    if not count:
        return Style.GOOD
    return Style.WARN if 20 * count >= judged else Style.PLAIN


def _reflection(slept: Slept) -> Iterator[Fact]:
    if slept.number or slept.last:
        number = f"#{slept.number}" if slept.number else ""
        when = local(slept.last) if slept.last else "none approved yet"
        yield "last", Span(f"{number} {when}".strip())
    else:
        yield "last", Span("none yet", Style.FAINT)
    yield "state", Span(slept.state)
    yield "new", Span(counted(slept.waiting, "episode"))
    if slept.due:
        yield "next", Span("due now", Style.WARN)
    elif slept.next:
        yield "next", Span(f"from {local(slept.next)} on, if anything is new")
    else:
        yield "next", Span("when asked for", Style.FAINT)


def _conversations(talk: Conversations) -> Iterator[Fact]:
    said = f"{counted(talk.windows, 'window')}, {counted(talk.turns, 'turn')}"
    said += f", {talk.deleted:,} deleted" if talk.deleted else ""
    yield "said", Span(said)
    if talk.unwritten:
        yield (
            "unwritten",
            Span(f"{counted(talk.unwritten, 'turn')}, safe in the journal"),
        )
    quality = talk.quality
    if quality.written:
        used = f"{quality.useful:,} of use, brought back {_times(quality.resurrected)}"
        words = f"{quality.written:,} written, {quality.deleted:,} deleted, {used}"
        yield "summaries", Span(words)
    if quality.topics:
        named = quality.topics[:_NAMED]
        yield "topics", Span(", ".join(f"{word} ({count:,})" for word, count in named))


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


# --- the machine -------------------------------------------------------------


def _spent(expense: Expense) -> Grid:
    said = f"{expense.today:,} of {expense.limit:,} tokens today"
    bar = Bar(expense.today, expense.limit)
    return Grid(
        (), ((Span(f"{'thinking':<13}", Style.FAINT), bar, Span(said)),), indent=2
    )


def _machine(told: Health) -> Iterator[Fact]:
    expense, index, storage = told.expense, told.index, told.storage
    money = f", {expense.micros / MILLION:,.2f} {expense.currency}"
    cost = f"{expense.tokens:,} tokens{money if expense.currency else ''}"
    yield f"{expense.days} days", Span(cost)
    yield "index", _index(index)
    yield "vectors", _vectors(index)
    markdown = f"{_bytes(storage.markdown)} Markdown"
    rest = f"{_bytes(storage.history)} history, {_bytes(storage.state)} derived"
    yield "storage", Span(f"{markdown}, {rest}; {counted(storage.files, 'file')}")


def _index(index: IndexState) -> Span:
    words = f"{counted(index.rows, 'row')}, {_bytes(index.size)}"
    if index.current:
        return Span(f"current, {words}", Style.GOOD)
    behind = f"at {index.seen[:10] or 'nothing'}, history at {index.head[:10]}"
    return Span(f"behind: {behind}; {words}", Style.BAD)


def _vectors(index: IndexState) -> Span:
    if not index.vectors:
        return Span("none wanted (embedding.model)", Style.FAINT)
    if not index.model:
        return Span("the model cannot be had", Style.WARN)
    missing = f", {index.missing:,} missing" if index.missing else ""
    return Span(f"by {index.model}{missing}")


def _bytes(count: int) -> str:
    size = float(count)
    for unit in ("bytes", "KB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            break
        size /= 1000
    return f"{size:,.0f} {unit}" if unit == "bytes" else f"{size:,.1f} {unit}"
