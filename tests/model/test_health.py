"""How a workspace is doing, as values."""

from __future__ import annotations

from reverie.model.conversation import Quality, WindowView
from reverie.model.health import Conversations


def test_windows_are_counted_together() -> None:
    quality = Quality(written=2)
    views = (
        WindowView("rome", turns=10, deleted=1, due=True, unwritten=3),
        WindowView("budget", turns=5, reflections=1),
    )

    assert Conversations.of(views, quality) == Conversations(2, 15, 1, 1, 3, quality)
    assert Conversations.of((), Quality()) == Conversations()
