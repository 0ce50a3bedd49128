"""One audit: collect, judge, score."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from reverie.encoding.auditing.collecting import collect
from reverie.encoding.auditing.duplicates import judge_duplicates
from reverie.encoding.auditing.hidden import judge_invisible, judge_secrets
from reverie.encoding.auditing.junk import judge_junk
from reverie.encoding.auditing.loops import judge_loops
from reverie.encoding.auditing.quoting import quote
from reverie.encoding.auditing.scoring import FORMULA, grade, marks, next_steps, total
from reverie.encoding.auditing.sheets import Case, Holdings
from reverie.encoding.auditing.size import judge_size
from reverie.encoding.auditing.staleness import judge_staleness
from reverie.model.audit import AuditReport, Fault, Judgement

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

Judge = Callable[[Holdings], Iterable[Case]]

_JUDGES: tuple[Judge, ...] = (
    judge_secrets,
    judge_invisible,
    judge_size,
    judge_loops,
    judge_junk,
    judge_duplicates,
)
"""In this order: what should not be there at all is not judged for more."""

_WORTHLESS = frozenset({Judgement.LOOPS, Judgement.JUNK, Judgement.DUPLICATES})
_RANK = {judgement: rank for rank, judgement in enumerate(Judgement)}


def audit_store(
    path: Path, now: datetime, progress: Callable[[int, int], None]
) -> AuditReport:
    """Judge all memories at a path; nothing is changed.

    Args:
        path: A store of memories, part of one, or any folder or file of Markdown.
        now: The moment from which "tomorrow" is seen.
        progress: Told how much is done, of how much.

    Raises:
        MissingSourceError: Nothing is there.
    """
    # Reading is one half of the work, judging the other.
    holdings = collect(path, lambda done, files: progress(done, 2 * files))
    cases = _judge(holdings, now, progress)
    found = marks(cases, len(holdings.memories))
    score = total(cases, len(holdings.memories))
    return AuditReport(
        str(path),
        holdings.store,
        len(holdings.sheets),
        len(holdings.memories),
        holdings.conversations,
        score,
        grade(score, len(holdings.memories)),
        FORMULA,
        found,
        tuple(map(_fault, cases)),
        tuple(holdings.left_out),
        next_steps(found),
    )


def _judge(
    holdings: Holdings, now: datetime, progress: Callable[[int, int], None]
) -> list[Case]:
    cases: list[Case] = []
    judges: tuple[Judge, ...] = (
        *_JUDGES,
        partial(judge_staleness, now=now.date()),
    )
    for done, judge in enumerate(judges, 1):
        found = list(judge(holdings))
        cases += found
        holdings = _without_worthless(holdings, found)
        progress(len(judges) + done, 2 * len(judges))
    return sorted(cases, key=lambda c: (_RANK[c.judgement], c.sheet.path, c.start))


def _without_worthless(holdings: Holdings, found: Iterable[Case]) -> Holdings:
    gone = {h for case in found if case.judgement in _WORTHLESS for h in case.guilty}
    if not gone:
        return holdings
    return replace(holdings, memories=[h for h in holdings.memories if h not in gone])


def _fault(case: Case) -> Fault:
    return Fault(
        case.judgement,
        case.sheet.spot(case.start),
        quote(case.sheet, case.start, case.end),
        case.why,
        case.mend,
        tuple(held.spot for held in case.also),
    )
