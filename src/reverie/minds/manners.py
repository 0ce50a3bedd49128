"""In which form a server takes a question, found out by its refusals.

Servers that force the answer into a schema are best. Where that is refused, we ask
for JSON with the schema written out, and last for text with JSON somewhere in it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from reverie.minds.json_answers import without_limits
from reverie.minds.prompts import render_prompt

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reverie.minds.mind import Question


class Form(StrEnum):
    """How the answer's shape is asked for, the strictest first."""

    LIMITED = "schema with lengths and patterns"
    SCHEMA = "schema"
    JSON = "some JSON object"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Manners:
    """What a server accepts.

    Attributes:
        form: How the shape is asked for.
        limit: What it calls the most tokens it may write.
        steady: Whether it may be told to choose the likeliest words only.
    """

    form: Form
    limit: str = "max_tokens"
    steady: bool = True


_OTHER_LIMIT = "max_completion_tokens"


@dataclass(frozen=True, slots=True)
class TalkManners:
    """What a server accepts in a conversation.

    Attributes:
        limit: What it calls the most tokens it may write.
        counting: Whether it may be asked to count the tokens of a stream.
    """

    limit: str = "max_tokens"
    counting: bool = True


def milder(manners: Manners, forms: tuple[Form, ...], message: str) -> Manners | None:
    """What to try after a refusal; None where nothing is left to give up.

    Args:
        manners: What was refused.
        forms: Those this style of server knows, the strictest first.
        message: What the server said.
    """
    if _OTHER_LIMIT in message and manners.limit != _OTHER_LIMIT:
        return replace(manners, limit=_OTHER_LIMIT)
    if "temperature" in message and manners.steady:
        return replace(manners, steady=False)
    following = forms[forms.index(manners.form) + 1 :]
    return replace(manners, form=following[0]) if following else None


def milder_talk(manners: TalkManners, message: str) -> TalkManners | None:
    """What to try after a refusal to talk; None where nothing is left to give up."""
    if _OTHER_LIMIT in message and manners.limit != _OTHER_LIMIT:
        return replace(manners, limit=_OTHER_LIMIT)
    return replace(manners, counting=False) if manners.counting else None


def forced_schema(question: Question, form: Form) -> Mapping[str, object] | None:
    """The schema for the server to force the answer into; None where it cannot."""
    schemas = {
        Form.LIMITED: question.schema,
        Form.SCHEMA: without_limits(question.schema),
    }
    return schemas.get(form)


def wording(question: Question, form: Form) -> str:
    """The question's words; where nothing forces the answer, with its schema."""
    if form in (Form.LIMITED, Form.SCHEMA):
        return question.text
    schema = json.dumps(question.schema, indent=1)
    return render_prompt("shape", {}, {"question": question.text, "schema": schema})
