"""What of a proposal a decision carries out."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from reverie.model.reflection import (
    Choice,
    Decision,
    Operation,
    OperationKind,
    PendingReflection,
    Presentation,
)
from reverie.reflection.decide import NoTextError, settled

ARCHIVE = Operation(OperationKind.ARCHIVE, "episode:2026-02-02:14:30", "Lunch.")
PENDING = PendingReflection(
    1, datetime(2026, 2, 3, tzinfo=UTC), Presentation.SUMMARY, "", (ARCHIVE,)
)


def test_words_for_a_change_that_archives_are_refused_and_not_dropped() -> None:
    with pytest.raises(NoTextError, match="change 1 archives"):
        settled(PENDING, Decision(Choice.CHANGE, (1,), ((1, "Lunch with Carla"),)))

    assert settled(PENDING, Decision(Choice.APPROVE, (1,))) == ((1, ARCHIVE),)
