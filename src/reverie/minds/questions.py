"""The questions Reverie asks: prompt, schema and length of each (design, section 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.minds.mind import Question
from reverie.minds.prompting import render_prompt
from reverie.model.route import ROUTE_SCHEMA
from reverie.tokens import clip_to_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping

_MOST_TEXT = 4000  # tokens; by then a text has said what it is about

FORGET_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "target": {"type": "string", "maxLength": 300},
        "permanent": {"type": "boolean"},
    },
    "required": ["target", "permanent"],
    "additionalProperties": False,
}
"""What somebody wants forgotten."""


def route_question(text: str, user: str, entities: str, known: str) -> Question:
    """Ask where a text belongs; a very long one is judged by its beginning.

    Args:
        text: What is to be filed.
        user: The id of the user's entity.
        entities: Known entities that it may speak of, one a line.
        known: Known facts near to it, one a line, each with its id.
    """
    data = {
        "text": clip_to_tokens(text, _MOST_TEXT),
        "entities": entities or "(none)",
        "known": known or "(none)",
    }
    prompt = render_prompt("route", data, {"user": user})
    return Question("route", "route", prompt, ROUTE_SCHEMA, 2000)


def forget_question(text: str) -> Question:
    """Ask what a request to forget is about."""
    prompt = render_prompt("forget", {"text": clip_to_tokens(text, _MOST_TEXT)})
    return Question("forget", "forget", prompt, FORGET_SCHEMA, 400)
