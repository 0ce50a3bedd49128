"""`health`: how the workspace is doing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out
from reverie.interfaces.cli.show import core_table
from reverie.markdown import headline
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
        ("Upkeep", _facts(_upkeep(told))),
        ("Reflection", _facts(_reflection(told.reflection))),
        ("Conversations", _facts(_conversations(told.conversations))),
        ("Machine", _facts(_machine(told))),
    )
    for name, table in parts:
        yield from ("", out.title(name), table)


def _facts(found: Iterator[tuple[str, str]]) -> out.Table:
    return out.facts((name.ljust(13), words) for name, words in found if words)


def _memories(stores: Sequence[StoreCount]) -> out.Table:
    heads = ("active", "fading", "dormant", "archived", "pinned")
    rows = []
    for each in stores:
        counts = [getattr(each, name) for name in heads]
        told = (f"{n:,}" if n else out.faint("0") for n in (*counts, each.memories))
        rows.append((str(each.store), *told))
    return out.Table(rows, ("", *heads, "all"), flexible=0, indent=2, right=1)


def _upkeep(told: Health) -> Iterator[tuple[str, str]]:
    waits, upkeep = told.waits, told.upkeep
    counts = (
        (waits.proposals, "proposal"),
        (waits.alerts, "alert"),
        (waits.questions, "question"),
        (waits.contradictions, "contradiction"),
        (waits.pairs, "pair of pages", "pairs of pages"),
    )
    parts = [out.counted(count, *names) for count, *names in counts if count]
    parts += [f"reflection #{waits.reflection}"] if waits.reflection else []
    yield "waits", out.warn(", ".join(parts)) if parts else out.good("nothing")
    for sides in waits.sides[:_NAMED]:
        yield "asked", " or ".join(f"“{headline(said, 60)}”" for said in sides)
    least = "" if upkeep.whole else "at least "
    judged = out.counted(upkeep.judged, "entry", "entries")
    yield "duplicates", f"{least}{upkeep.duplicates:,} of {judged} looked at"
    errors = out.counted(upkeep.errors, "error")
    yield "files", f"{errors}, {out.counted(upkeep.warnings, 'warning')}"


def _reflection(slept: Slept) -> Iterator[tuple[str, str]]:
    number = f"#{slept.number} " if slept.number else ""
    yield "last", number + (cli.local(slept.last) if slept.last else "none approved")
    yield "state", f"{slept.state}, {out.counted(slept.waiting, 'new episode')}"
    later = f"from {cli.local(slept.next)} on" if slept.next else "when asked for"
    yield "next", out.warn("due now") if slept.due else later


def _conversations(talk: Conversations) -> Iterator[tuple[str, str]]:
    said = f"{out.counted(talk.windows, 'window')}, {out.counted(talk.turns, 'turn')}"
    yield "said", f"{said}, {talk.deleted:,} deleted"
    waits = f"{out.counted(talk.unwritten, 'turn')}, safe in the journal"
    yield "unwritten", waits if talk.unwritten else ""
    quality = talk.quality
    written = f"{quality.written:,} written, {quality.deleted:,} deleted"
    back = f"{quality.useful:,} of use, brought back {quality.resurrected:,} times"
    yield "summaries", f"{written}, {back}" if quality.written else ""
    topics = quality.topics[:_NAMED]
    yield "topics", ", ".join(f"{word} ({count:,})" for word, count in topics)


def _machine(told: Health) -> Iterator[tuple[str, str]]:
    bill, index, storage = told.spending, told.index, told.storage
    money = f", {bill.total.micros / MILLION:,.2f} {bill.currency}"
    cost = f"{bill.total.tokens:,} tokens{money if bill.currency else ''}"
    yield "thinking", f"{bill.today.tokens:,} of {bill.limit:,} tokens today"
    yield f"{(bill.last - bill.first).days + 1} days", cost
    words = f"{out.counted(index.rows, 'row')}, {_bytes(index.size)}"
    behind = f"behind: at {index.seen[:10]}, history at {index.head[:10]}; {words}"
    yield "index", f"current, {words}" if index.current else out.bad(behind)
    model = f"by {index.model}, {index.missing:,} missing"
    none = model if index.model else out.warn("the model cannot be had")
    yield "vectors", none if index.vectors else "none wanted (embedding.model)"
    rest = f"{_bytes(storage.history)} history, {_bytes(storage.state)} derived"
    files = out.counted(storage.files, "file")
    yield "storage", f"{_bytes(storage.markdown)} Markdown, {rest}; {files}"


def _bytes(count: int) -> str:
    return f"{count / 1e6:,.1f} MB" if count >= 1e5 else f"{count:,} bytes"
