"""`health`: how the workspace is doing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.interfaces.cli.command import local, verb
from reverie.interfaces.cli.output import (
    Bar,
    Styled,
    Table,
    bad,
    counted,
    facts,
    faint,
    good,
    place,
    title,
    warn,
)
from reverie.interfaces.cli.show import core_table
from reverie.model.health import MILLION, HealthVerdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from reverie.interfaces.cli.output import Line
    from reverie.interfaces.cli.session import Session
    from reverie.model.health import Conversations, Health, Slept, StoreCount

_LOOKS = {
    HealthVerdict.OK: ("ok", "good", "all is well"),
    HealthVerdict.LOOK: ("look", "warn", "something is worth a look"),
    HealthVerdict.MEND: ("mend", "bad", "something should be mended"),
}
_NAMED = 5
"""So many topics of summaries are shown."""


@verb()
def health(session: Session) -> None:
    """Show how the workspace is doing, and what to do about it.

    Memories by store and by how vivid they are, core memory's budgets, what waits,
    duplicates, the index, reflection, conversations, spending and storage. Of a large
    workspace a part is read for duplicates; `reverie audit` reads all. The exit code
    is 0 whatever is found; `verdict` in the JSON is ok, look or mend.

        reverie health
        reverie health --json
    """
    with session.asking() as memory:
        told = memory.health()
    session.answer(told, health_page)


def health_page(told: Health) -> Iterator[Line | Table]:
    """How a workspace is doing, what matters most first."""
    word, look, means = _LOOKS[told.verdict]
    yield Styled(f"{word.upper()} ", look), f"{means}: ", place(told.root)
    if told.remarks:
        yield ""
    for each in told.remarks:
        word, look, _ = _LOOKS[each.verdict]
        mend = faint(f"; {each.mend}" if each.mend else "")
        yield "  ", Styled(f"{word:<5} ", look), each.what, mend
    yield from ("", title("Memories"))
    yield _memories(told.stores)
    yield from ("", title("Core memory"))
    yield core_table(told.core, told.core_tokens, told.core_cap)
    yield from ("", title("Upkeep"))
    yield _facts(_upkeep(told))
    yield from ("", title("Reflection"))
    yield _facts(_reflection(told.reflection))
    yield from ("", title("Conversations"))
    yield _facts(_conversations(told.conversations))
    yield from ("", title("Machine"))
    spent = told.expense
    said = f"{spent.today:,} of {spent.limit:,} tokens today"
    bar = Bar(spent.today, spent.limit)
    yield Table([(faint(f"{'thinking':<13}"), bar, said)], indent=2)
    yield _facts(_machine(told))


def _facts(found: Iterable[tuple[str, str]]) -> Table:
    return facts((f"{name:<13}", value) for name, value in found)


def _memories(stores: Sequence[StoreCount]) -> Table:
    heads = ("", "active", "fading", "dormant", "archived", "pinned", "all")
    looks = ("good", "warn", "faint", "faint", "", "title")
    rows = []
    for each in stores:
        counts = (each.active, each.fading, each.dormant, each.archived)
        cells = zip((*counts, each.pinned, each.memories), looks, strict=True)
        told = (Styled(f"{n:,}", look if n else "faint") for n, look in cells)
        rows.append((str(each.store), *told))
    return Table(rows, heads, flexible=0, indent=2, right=1)


def _upkeep(told: Health) -> Iterator[tuple[str, str]]:
    waits, upkeep = told.waits, told.upkeep
    counts = (
        (waits.proposals, "proposal"),
        (waits.alerts, "alert"),
        (waits.questions, "question"),
        (waits.contradictions, "contradiction"),
    )
    parts = [counted(count, one) for count, one in counts if count]
    parts += [f"reflection #{waits.reflection}"] if waits.reflection else []
    yield "waits", warn(", ".join(parts)) if parts else good("nothing")
    if len(waits.statuses) > 1 or waits.disputed:
        each = ", ".join(f"{count:,} {word}" for word, count in waits.statuses)
        yield "proposals", each
    least = "" if upkeep.whole else "at least "
    judged = f"of {counted(upkeep.judged, 'entry', 'entries')}"
    part = judged if upkeep.whole else f"{judged} looked at, not of all"
    look = "warn" if 20 * upkeep.duplicates >= upkeep.judged else ""
    look = look if upkeep.duplicates else "good"
    yield "duplicates", Styled(f"{least}{upkeep.duplicates:,} {part}", look)
    if upkeep.errors or upkeep.warnings:
        errors = counted(upkeep.errors, "error")
        words = f"{errors}, {counted(upkeep.warnings, 'warning')}"
        yield "files", bad(words) if upkeep.errors else warn(words)
    else:
        yield "files", "nothing wrong" if upkeep.whole else "nothing wrong found"


def _reflection(slept: Slept) -> Iterator[tuple[str, str]]:
    if slept.number or slept.last:
        number = f"#{slept.number}" if slept.number else ""
        when = local(slept.last) if slept.last else "none approved yet"
        yield "last", f"{number} {when}".strip()
    else:
        yield "last", faint("none yet")
    yield "state", slept.state
    yield "new", counted(slept.waiting, "episode")
    if slept.due:
        yield "next", warn("due now")
    elif slept.next:
        yield "next", f"from {local(slept.next)} on, if anything is new"
    else:
        yield "next", faint("when asked for")


def _conversations(talk: Conversations) -> Iterator[tuple[str, str]]:
    said = f"{counted(talk.windows, 'window')}, {counted(talk.turns, 'turn')}"
    yield "said", said + (f", {talk.deleted:,} deleted" if talk.deleted else "")
    if talk.unwritten:
        yield "unwritten", f"{counted(talk.unwritten, 'turn')}, safe in the journal"
    quality = talk.quality
    if quality.written:
        times = quality.resurrected
        back = "once" if times == 1 else f"{times:,} times"
        used = f"{quality.useful:,} of use, brought back {back}"
        yield (
            "summaries",
            f"{quality.written:,} written, {quality.deleted:,} deleted, {used}",
        )
    if quality.topics:
        topics = quality.topics[:_NAMED]
        yield "topics", ", ".join(f"{word} ({count:,})" for word, count in topics)


def _machine(told: Health) -> Iterator[tuple[str, str]]:
    expense, index, storage = told.expense, told.index, told.storage
    money = f", {expense.micros / MILLION:,.2f} {expense.currency}"
    cost = f"{expense.tokens:,} tokens{money if expense.currency else ''}"
    yield f"{expense.days} days", cost
    words = f"{counted(index.rows, 'row')}, {_bytes(index.size)}"
    behind = f"at {index.seen[:10] or 'nothing'}, history at {index.head[:10]}"
    current, late = good(f"current, {words}"), bad(f"behind: {behind}; {words}")
    yield "index", current if index.current else late
    if not index.vectors:
        yield "vectors", faint("none wanted (embedding.model)")
    elif not index.model:
        yield "vectors", warn("the model cannot be had")
    else:
        missing = f", {index.missing:,} missing" if index.missing else ""
        yield "vectors", f"by {index.model}{missing}"
    rest = f"{_bytes(storage.history)} history, {_bytes(storage.state)} derived"
    files = counted(storage.files, "file")
    yield "storage", f"{_bytes(storage.markdown)} Markdown, {rest}; {files}"


def _bytes(count: int) -> str:
    for size, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "KB")):
        if count >= size:
            return f"{count / size:,.1f} {unit}"
    return f"{count:,} bytes"
