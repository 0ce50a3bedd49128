"""Prompts are files; what others wrote is put into them as data."""

from __future__ import annotations

import hashlib
import re
from importlib.resources import files
from typing import TYPE_CHECKING

from reverie.minds.mind import Question
from reverie.model.route import FILE_SCHEMA, ROUTE_SCHEMA
from reverie.tokens import clip_to_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping


_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
_MARK_LENGTH = 12


def load_prompt(name: str) -> str:
    """The text of a prompt, its placeholders open."""
    path = files("reverie.minds") / "prompts" / f"{name}.md"
    return path.read_text("utf-8").strip()


def render_prompt(
    name: str, data: Mapping[str, str], words: Mapping[str, str] | None = None
) -> str:
    """A prompt as it is sent.

    Args:
        name: The file, without its ending.
        data: Texts that anybody may have written; each is fenced.
        words: Our own words, put in as they are.
    """
    return fill_prompt(load_prompt(name), name, data, words or {})


def fill_prompt(
    prompt: str, name: str, data: Mapping[str, str], words: Mapping[str, str]
) -> str:
    """Fill the placeholders of a prompt; see `render_prompt`."""
    filled = {**{key: fenced(text) for key, text in data.items()}, **words}
    wrong = filled.keys() ^ set(_PLACEHOLDER.findall(prompt))
    if wrong:
        raise ValueError(f"{name}.md: {sorted(wrong)} is not on both sides")
    return _PLACEHOLDER.sub(lambda found: filled[found[1]], prompt)


def fenced(text: str) -> str:
    """A text between two lines that it cannot contain.

    The mark is made of the text itself, so the same text always gives the same
    prompt, and nobody can write a text that knows its own mark.
    """
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass"))
    while (mark := digest.hexdigest()[:_MARK_LENGTH]) in text.lower():
        digest.update(b"again")
    return f"<data {mark}>\n{text}\n</data {mark}>"


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


def route_question(
    text: str, user: str, entities: str, known: str, today: str
) -> Question:
    """Ask where a text belongs; a very long one is judged by its beginning.

    Args:
        text: What is to be filed.
        user: The id of the user's entity.
        entities: Known entities that it may speak of, one a line.
        known: Known facts near to it, one a line, each with its id.
        today: The day by the user's calendar.
    """
    data = {
        "text": clip_to_tokens(text, _MOST_TEXT),
        "entities": entities or "(none)",
        "known": known or "(none)",
    }
    prompt = render_prompt("route", data, {"user": user, "today": today})
    return Question("route", "route", prompt, ROUTE_SCHEMA, 2000)


def file_question(pieces: str, user: str, entities: str, *, talk: bool) -> Question:
    """Ask what of some imported pieces belongs on whose page.

    Args:
        pieces: What was imported, each piece behind its number.
        user: The id of the user's entity.
        entities: Known entities that they may speak of, one a line.
        talk: Whether the pieces are turns of one conversation, to be told by topics.
    """
    data = {"pieces": pieces, "entities": entities or "(none)"}
    words = {"user": user, "topics": _TOPICS if talk else "an empty list."}
    prompt = render_prompt("file", data, words)
    return Question("file", "file", prompt, FILE_SCHEMA, 4000)


_TOPICS = (
    "what the conversation is about, in its order, one entry for each topic: `first` "
    "and `last`, the numbers of the pieces it reaches from and to, and `summary`, one "
    "plain sentence with exact names and numbers."
)


def forget_question(text: str) -> Question:
    """Ask what a request to forget is about."""
    prompt = render_prompt("forget", {"text": clip_to_tokens(text, _MOST_TEXT)})
    return Question("forget", "forget", prompt, FORGET_SCHEMA, 400)
