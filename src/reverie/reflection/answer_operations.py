"""Operations in the answers of a model that are not in its list of operations."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date
from typing import TYPE_CHECKING

from msgspec.structs import replace

from reverie.markdown import one_line
from reverie.model.reflection import Operation, OperationKind, Refused
from reverie.reflection import operations as ops
from reverie.reflection import phases
from reverie.reflection.finish import split_day
from reverie.stores.core import HEADINGS
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

EVOLUTION_PAGES = {layout.EVOLUTION, "evolution.md"}
_LINE_KINDS = {"move": OperationKind.MOVE, "drop": OperationKind.DROP}


def find_unrepaired(
    refused: Sequence[Refused],
    again: phases.Consolidated,
    reads: Sequence[ops.ReadOperations],
) -> Iterator[Refused]:
    """Yield what was refused at first and not written anew.

    Args:
        refused: What was refused at first.
        again: The second answer.
        reads: Its operations.
    """
    repaired = Counter(_repair_key(ops.name_of(o)) for r in reads for o in r.operations)
    own = [one for one in again.answers if not one.page.strip()]
    repaired += Counter({"answers": len(own), "closes": len(again.closes)})
    for each in refused:
        key = _repair_key(each.what)
        if repaired[key] > 0:
            repaired[key] -= 1
        else:
            yield each


def _repair_key(what: str) -> str:
    """Return by what a refused operation is recognised in the second answer."""
    kind, _, target = what.partition(" ")
    if kind in {"answers", "closes"}:
        return kind
    return f"{kind} {re.split('[/:]', target)[-1].removesuffix('.md').casefold()}"


def with_finished_threads(found: phases.Consolidated) -> phases.Consolidated:
    """Return an answer in which a FINISH of the evolution closes its thread."""
    finished = filter(finishes_thread, found.operations)
    threads = (split_day(one.content, date.max)[0] for one in finished)
    closes = (*found.closes, *(phases.ClosedThread(thread) for thread in threads))
    return replace(found, closes=closes)


def finishes_thread(written: phases.WrittenOperation) -> bool:
    """Return whether an operation finishes a thread of the evolution."""
    is_finish = written.operation == OperationKind.FINISH
    return is_finish and written.target in EVOLUTION_PAGES


def operations_besides(found: phases.Consolidated) -> Iterator[Operation]:
    """Yield the operations of merges, distinct pages, settled facts and answers."""
    for pair in found.merges:
        why = with_sources(pair.reason, pair.sources)
        content = f"{pair.one.strip()} → {pair.into.strip()}"
        yield Operation(OperationKind.MERGE, pair.one.strip(), content, why)
    for apart in found.distinct:
        why = with_sources(apart.reason, apart.sources)
        content = f"{apart.one.strip()} ≠ {apart.other.strip()}"
        yield Operation(OperationKind.DISTINCT, apart.one.strip(), content, why)
    for side in found.settles:
        why = with_sources(side.reason, side.sources)
        content = f"{side.holds.strip()} over {', '.join(map(str.strip, side.over))}"
        yield Operation(OperationKind.SETTLE, side.holds, content, why)
    for each in found.answers:
        if each.page.strip():
            content = f"{one_line(each.answer)} (answers: {one_line(each.question)})"
            why = with_sources("", each.sources)
            yield Operation(OperationKind.EXTRACT, each.page.strip(), content, why)


def with_sources(reason: str, sources: Sequence[str]) -> str:
    """Return a reason that names what an operation is made of."""
    missing = [name for name in map(one_line, sources) if name and name not in reason]
    return f"{reason} ({', '.join(missing)})".strip() if missing else reason


def core_operations(found: phases.Rewritten) -> Iterator[Operation | Refused]:
    """Yield the operations that rewrite core memory, removed lines first."""
    for removed in found.remove:
        text, why = _bare_line(removed.text), one_line(removed.reason)
        if kind := _LINE_KINDS.get(removed.action):
            yield _core_line(
                kind, removed.section, text, with_sources(why, removed.sources)
            )
        else:
            why = "it does not say what becomes of the line, move or drop; so it stays"
            yield Refused(f"- {text}", why)
    for added in found.add:
        text, why = f"+ {_bare_line(added.text)}", with_sources("", added.sources)
        yield _core_line(OperationKind.CORE, added.section, text, why)


def _bare_line(text: str) -> str:
    return one_line(text).removeprefix("- ")


def _core_line(
    kind: OperationKind, section: str, content: str, why: str
) -> Operation | Refused:
    headings = {heading.casefold(): heading for heading in HEADINGS.values()}
    heading = headings.get(section.strip(" #").casefold())
    if heading and content.removeprefix("+ "):
        return Operation(kind, heading, content, why)
    return Refused(content, f"core memory has no section {section!r}")
