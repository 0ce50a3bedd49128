"""Memories that were found, in a few words."""

from __future__ import annotations

from reverie.model.ids import Store
from reverie.model.views import Hit


def hit(text: str, title: str = "", *outdated: str) -> Hit:
    """A memory that was found."""
    return Hit(
        "entity:x",
        Store.SEMANTIC,
        title,
        text,
        text,
        "p.md",
        1,
        "",
        None,
        0.5,
        (),
        (),
        "active",
        outdated=outdated,
    )
