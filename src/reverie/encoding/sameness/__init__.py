"""Whether two names are one thing, and whether two texts say the same (spec, 3)."""

from __future__ import annotations

from reverie.encoding.sameness.naming import (
    Doubtful,
    Register,
    Same,
    same_entity,
)
from reverie.encoding.sameness.repeating import repeats
from reverie.encoding.sameness.restating import restated

__all__ = ["Doubtful", "Register", "Same", "repeats", "restated", "same_entity"]
