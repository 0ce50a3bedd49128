"""The question that a corrected fact answers from now on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.markdown import one_line
from reverie.model.reflection import Expected

if TYPE_CHECKING:
    from datetime import date


def from_correction(
    label: str, fact: str, since: date | None = None, source: str = "manual"
) -> Expected:
    """The question that a corrected fact answers from now on.

    Args:
        label: Of whom or what it is known.
        fact: What is known, as its page says it.
        since: The day it was corrected.
        source: What corrected it.
    """
    question = f"What is known about {one_line(label)}?"
    return Expected(question, one_line(fact), since, source)
