"""`health`: how the workspace is doing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out
from reverie.interfaces.cli.show import core_table
from reverie.model.health import MILLION, HealthVerdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reverie.model.health import Conversations, Health, Slept, StoreCount

_LOOKS = {
    HealthVerdict.OK: ("ok", "good", "all is well"),
    HealthVerdict.LOOK: ("look", "warn", "something is worth a look"),
    HealthVerdict.MEND: ("mend", "bad", "something should be mended"),
}
_NAMED = 5
"""So many topics of summaries are shown."""


@cli.verb()
def health(call: cli.Invocation) -> None:
    """Show how the workspace is doing, and what to do about it.

    Memories by store and by how vivid they are, core memory's budgets, what waits,
    duplicates, the index, reflection, conversations, spending and storage. Of a large
    workspace a part is read for duplicates; `reverie audit` reads all. The exit code
    is 0 whatever is found; `verdict` in the JSON is ok, look or mend.

        reverie health
        reverie health --json
    """
    told = call.reader.health()
    call.answer(told, health_page(told))


def health_page(told: Health) -> out.Lines:
    """How a workspace is doing, what matters most first."""
    word, look, means = _LOOKS[told.verdict]
    yield out.Styled(f"{word.upper()} ", look), f"{means}: ", out.place(told.root)
    if told.remarks:
        yield ""
    for each in told.remarks:
        word, look, _ = _LOOKS[each.verdict]
        mend = out.faint(f"; {each.mend}" if each.mend else "")
        yield "  ", out.Styled(f"{word:<5} ", look), each.what, mend
    parts = (
        ("Memories", _memories(told.stores)),
        ("Core memory", core_table(told.core, told.core_tokens, told.core_cap)),
        ("Upkeep", out.facts(_upkeep(told), width=13)),
        ("Reflection", out.facts(_reflection(told.reflection), width=13)),
        ("Conversations", out.facts(_conversations(told.conversations), width=13)),
        ("Machine", out.facts(_machine(told), width=13)),
    )
    for name, table in parts:
        yield from ("", out.title(name), table)


def _memories(stores: Sequence[StoreCount]) -> out.Table:
    heads = ("active", "fading", "dormant", "archived", "pinned", "all")
    looks = ("good", "warn", "faint", "faint", "", "title")
    rows = []
    for each in stores:
        counts = (getattr(each, name) for name in (*heads[:-1], "memories"))
        cells = zip(counts, looks, strict=True)
        told = (out.Styled(f"{n:,}", look if n else "faint") for n, look in cells)
        rows.append((str(each.store), *told))
    return out.Table(rows, ("", *heads), flexible=0, indent=2, right=1)


def _upkeep(told: Health) -> Iterator[tuple[str, str]]:
    waits, upkeep = told.waits, told.upkeep
    counts = (
        (waits.proposals, "proposal"),
        (waits.alerts, "alert"),
        (waits.questions, "question"),
        (waits.contradictions, "contradiction"),
    )
    parts = [out.counted(count, one) for count, one in counts if count]
    parts += [f"reflection #{waits.reflection}"] if waits.reflection else []
    yield "waits", out.warn(", ".join(parts)) if parts else out.good("nothing")
    if len(waits.statuses) > 1 or waits.disputed:
        each = ", ".join(f"{count:,} {word}" for word, count in waits.statuses)
        yield "proposals", each
    judged = f"of {out.counted(upkeep.judged, 'entry', 'entries')}"
    found = f"{upkeep.duplicates:,} {judged}"
    if not upkeep.whole:
        found = f"at least {found} looked at, not of all"
    look = "warn" if 20 * upkeep.duplicates >= upkeep.judged else ""
    yield "duplicates", out.Styled(found, look if upkeep.duplicates else "good")
    if upkeep.errors or upkeep.warnings:
        errors = out.counted(upkeep.errors, "error")
        words = f"{errors}, {out.counted(upkeep.warnings, 'warning')}"
        yield "files", out.bad(words) if upkeep.errors else out.warn(words)
    else:
        yield "files", "nothing wrong" if upkeep.whole else "nothing wrong found"


def _reflection(slept: Slept) -> Iterator[tuple[str, str]]:
    if slept.number or slept.last:
        number = f"#{slept.number}" if slept.number else ""
        when = cli.local(slept.last) if slept.last else "none approved yet"
        yield "last", f"{number} {when}".strip()
    else:
        yield "last", out.faint("none yet")
    yield "state", slept.state
    yield "new", out.counted(slept.waiting, "episode")
    if slept.due:
        yield "next", out.warn("due now")
    elif slept.next:
        yield "next", f"from {cli.local(slept.next)} on, if anything is new"
    else:
        yield "next", out.faint("when asked for")


def _conversations(talk: Conversations) -> Iterator[tuple[str, str]]:
    said = f"{out.counted(talk.windows, 'window')}, {out.counted(talk.turns, 'turn')}"
    yield "said", said + (f", {talk.deleted:,} deleted" if talk.deleted else "")
    if talk.unwritten:
        yield "unwritten", f"{out.counted(talk.unwritten, 'turn')}, safe in the journal"
    quality = talk.quality
    if quality.written:
        times = quality.resurrected
        back = "once" if times == 1 else f"{times:,} times"
        written = f"{quality.written:,} written, {quality.deleted:,} deleted"
        yield "summaries", f"{written}, {quality.useful:,} of use, brought back {back}"
    if quality.topics:
        topics = quality.topics[:_NAMED]
        yield "topics", ", ".join(f"{word} ({count:,})" for word, count in topics)


def _machine(told: Health) -> Iterator[tuple[str, str]]:
    expense, index, storage = told.expense, told.index, told.storage
    money = f", {expense.micros / MILLION:,.2f} {expense.currency}"
    cost = f"{expense.tokens:,} tokens{money if expense.currency else ''}"
    yield "thinking", f"{expense.today:,} of {expense.limit:,} tokens today"
    yield f"{expense.days} days", cost
    words = f"{out.counted(index.rows, 'row')}, {_bytes(index.size)}"
    behind = f"at {index.seen[:10] or 'nothing'}, history at {index.head[:10]}"
    current = out.good(f"current, {words}")
    yield "index", current if index.current else out.bad(f"behind: {behind}; {words}")
    if not index.vectors:
        yield "vectors", out.faint("none wanted (embedding.model)")
    elif not index.model:
        yield "vectors", out.warn("the model cannot be had")
    else:
        missing = f", {index.missing:,} missing" if index.missing else ""
        yield "vectors", f"by {index.model}{missing}"
    rest = f"{_bytes(storage.history)} history, {_bytes(storage.state)} derived"
    files = out.counted(storage.files, "file")
    yield "storage", f"{_bytes(storage.markdown)} Markdown, {rest}; {files}"


def _bytes(count: int) -> str:
    for size, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "KB")):
        if count >= size:
            return f"{count / size:,.1f} {unit}"
    return f"{count:,} bytes"
