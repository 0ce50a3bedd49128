"""Reflection without a model: what rules can really find, and nothing besides.

Facts that were told and stand on no page, relations, contradictions, what fades and
what is done again and again. Rules count and compare; they have no moods.
"""

from __future__ import annotations

from reverie.reflection.rules.knowing import Found, Knowledge
from reverie.reflection.rules.reflecting import reflect_by_rules
from reverie.reflection.rules.summing_up import tell

__all__ = ["Found", "Knowledge", "reflect_by_rules", "tell"]
