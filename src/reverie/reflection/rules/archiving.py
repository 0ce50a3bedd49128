"""What has faded so far that it may be hidden."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.markdown import headline, one_line, parse_page
from reverie.model.reflection import Operation, OperationKind

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from reverie.model.reflection import Noticed, Survey
    from reverie.reflection.rules.knowing import Knowledge

KEPT = ("core:", "vault:")
"""What never goes by itself."""

LONGEST_TITLE = 60


def archivals(
    survey: Survey, knowledge: Knowledge, alive: Collection[str]
) -> list[Operation]:
    """What may be archived, the faintest first, and no more than may be lost at once.

    Args:
        survey: What was read.
        knowledge: What is known besides.
        alive: Ids of what the new episodes speak of.
    """
    groups = (survey.fading, survey.entities, survey.episodes, survey.procedures)
    seen = {one.id for group in groups for one in group}
    new = {one.id for one in survey.episodes}
    threshold = knowledge.config.decay.archive_threshold
    faded = [
        one
        for one in sorted(survey.fading, key=lambda one: (one.score, one.id))
        if one.score < threshold
        and not one.id.startswith(KEPT)
        and one.id not in new
        and one.id not in alive
        and not _is_pinned(one)
    ]
    most = int(len(seen) * knowledge.config.reflection.most_lost)
    return [_operation(one, knowledge.now, threshold) for one in faded[:most]]


def _is_pinned(one: Noticed) -> bool:
    """Whether a page says of itself that it must not fade."""
    if not one.id.startswith(("entity:", "procedure:")) or not one.text:
        return False
    return parse_page(one.text, one.path, ()).value("Pinned").casefold() == "yes"


def _operation(one: Noticed, now: datetime, threshold: float) -> Operation:
    title = headline(one_line(one.title or one.text) or one.id, LONGEST_TITLE)
    used = f"last accessed {_ago(one.at, now)}"
    return Operation(
        OperationKind.ARCHIVE,
        one.id,
        f"{title} (score: {one.score:.2f}, {used})",
        f"its score is below {threshold:g}",
    )


def _ago(at: datetime | None, now: datetime) -> str:
    if at is None:
        return "nobody knows when"
    days = max(0, (now - at).days)
    return f"{days} {'day' if days == 1 else 'days'} ago"
