"""Prompts for a connected agent: each text is sent once, within a limit per cycle.

A connected agent has the earlier steps of a reflection in its context. A model behind
an API has not, so it gets every text again.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from reverie.markdown import headline, one_line
from reverie.minds.prompts import load_prompt
from reverie.reflection.room import CHARACTERS_PER_TOKEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from reverie.model.reflection import HostQuestion, Refused

MAX_CYCLE_CHARACTERS = 60_000
"""All that one reflection returns to a connected agent, from request to proposal."""

RESERVED_CHARACTERS = 7_000
"""For the token request, what stands around prompts, problems and the last answer."""

MAX_LISTED_CHARACTERS = 2_000
"""Characters of the operations that are listed, and of those that were refused."""

MAX_REPEATED_SHARE = 0.5
"""The share of what is left of the limit that a repeated question may take."""

MAX_REFUSED_CHARACTERS = 240
"""Characters of one refused operation."""

_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
_PART = re.compile(r"(?P<heading>[^\n{}]+):\n\{\{(?P<name>\w+)\}\}")
"""A part of a prompt that only holds one text below its heading."""

_SHORTENED_LIMITS = {"additionalProperties", "maxItems", "minItems"}
"""What is checked and not sent: it is long, and an answer rarely meets it."""

_SENT, _ANSWERED = "(sent with the step", "(your answer to the step"
_WRITTEN_BY_AGENT = {"plan": "survey", "themes": "survey", "insights": "meta"}
_OPERATIONS_BY_STEP = {
    "mend": "(all that you wrote and that is not listed above)",
    "present": "(listed in the step 'rewrite')",
}

NOT_SENT_AGAIN = (
    "\n\nTexts of earlier steps are not sent a second time, because one reflection "
    f"returns at most {MAX_CYCLE_CHARACTERS:,} characters. The tool `show` prints a "
    "memory by its ID."
)


def placeholders(step: str) -> set[str]:
    """Return the names of the texts that the prompt of a step has."""
    return names_in(load_prompt(f"reflect-{step}"))


def names_in(prompt: str) -> set[str]:
    """Return the names of the texts that a prompt has."""
    return set(_PLACEHOLDER.findall(prompt))


def max_input_tokens(schemas: Mapping[Any, Mapping[str, object]]) -> int:
    """Return how many tokens of memory fit into a cycle beside the prompts.

    Args:
        schemas: By step, the schema that its answer is checked against.
    """
    steps = [*schemas]
    sent = 0
    for at, step in enumerate(steps):
        earlier = steps[:at]
        known = references(step, earlier, placeholders(step))
        sent += len(json.dumps(prompt_without(step, known)))
        sent += len(json.dumps(sent_schema(step, schemas[step], only_new=bool(at))))
    left = MAX_CYCLE_CHARACTERS - RESERVED_CHARACTERS - sent
    return max(0, left // CHARACTERS_PER_TOKEN)


def sent_schema(
    step: str, schema: Mapping[str, object], *, only_new: bool
) -> Mapping[str, object]:
    """Return the schema that is sent with a question.

    Args:
        step: The step that is asked for.
        schema: What its answer is checked against.
        only_new: Whether to leave out what an earlier question of the cycle had.
    """
    if step == "mend" and only_new:
        return {}  # That of the step 'consolidate' holds.
    found: dict[str, object] = _shorten(schema)
    return found


def _shorten(part: Any) -> Any:  # noqa: ANN401 - any part of a JSON schema
    """Return a part of a schema without the limits that are not sent."""
    if isinstance(part, list):
        return [_shorten(each) for each in part]
    if not isinstance(part, dict):
        return part
    return {
        key: _shorten(value)
        for key, value in part.items()
        if key not in _SHORTENED_LIMITS and not (key == "required" and not value)
    }


def prompt_without(step: str, known: Mapping[str, str]) -> str:
    """Return the prompt of a step without the parts that the agent has already.

    One line names them.

    Args:
        step: The step that is asked for.
        known: What replaces texts that the agent has already, by their names.
    """
    kept, headings, at = list[str](), list[str](), 0
    for part in load_prompt(f"reflect-{step}").split("\n\n"):
        found = _PART.fullmatch(part)
        if found and known.get(found["name"], "").startswith((_SENT, _ANSWERED)):
            at = at if headings else len(kept)
            headings.append(found["heading"].partition(",")[0])
        else:
            kept.append(part)
    if headings:
        kept.insert(at, f"Sent or written in earlier steps: {'; '.join(headings)}.")
    return "\n\n".join(kept)


def references(
    step: str, earlier: Sequence[str], texts: Iterable[str]
) -> dict[str, str]:
    """Return what replaces texts that the agent has already.

    Args:
        step: The step that is asked for.
        earlier: The steps that were asked before, the first one first.
        texts: The names of the texts that could be sent.
    """
    found: dict[str, str] = {}
    for name in placeholders(step).intersection(texts):
        before = (each for each in earlier if name in placeholders(each))
        first = next(before, "")
        if name in _WRITTEN_BY_AGENT:
            found[name] = f"{_ANSWERED} '{_WRITTEN_BY_AGENT[name]}')"
        elif name == "operations":
            if step != "rewrite":
                found[name] = _OPERATIONS_BY_STEP[step]
        elif (name, step) == ("core", "present"):
            found[name] = f"{_ANSWERED} 'rewrite')"
        elif first:
            found[name] = f"{_SENT} '{first}')"
    return found


def fits_again(question: HostQuestion, sent: int) -> bool:
    """Return whether a question can be sent with all its texts once more."""
    room = MAX_CYCLE_CHARACTERS - RESERVED_CHARACTERS - sent
    return MAX_REPEATED_SHARE * room >= characters(question)


def characters(question: HostQuestion) -> int:
    """Return how many characters a question takes when it is sent."""
    sent = (question.prompt, question.schema)
    return sum(len(json.dumps(each, ensure_ascii=False)) for each in sent)


def list_operations(kept: Iterable[str]) -> str:
    """Return the operations that can be carried out, a short line each."""
    return _within(f"- {headline(one_line(each), 80)}" for each in kept)


def list_refused(refused: Iterable[Refused]) -> str:
    """Return what was refused and why; the agent has the rest of it already."""
    told = []
    for each in refused:
        said = f" It said: {headline(one_line(each.said), 100)}" if each.said else ""
        what = headline(one_line(f"{each.what}: {each.why}"), MAX_REFUSED_CHARACTERS)
        told.append(f"- {what}{said}")
    return _within(told)


def _within(lines: Iterable[str]) -> str:
    """Join lines up to the limit; say how many did not fit."""
    kept, left, lost = list[str](), MAX_LISTED_CHARACTERS, 0
    for line in lines:
        lost += len(line) >= left
        if not lost:
            kept.append(line)
            left -= len(line) + 1
    return "\n".join([*kept, *([f"- {lost} more, not sent"] if lost else [])])
