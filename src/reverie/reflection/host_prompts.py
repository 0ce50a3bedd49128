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

RESERVED_CHARACTERS = 8_000
"""For the token request, what stands around prompts, problems and the last answer."""

MAX_LISTED_CHARACTERS = 2_000
"""Characters of the operations that are listed, and of those that were refused."""

MAX_REPEATED_SHARE = 0.5
"""The share of what is left of the limit that a repeated question may take."""

MAX_REFUSED_CHARACTERS = 240
"""Characters of one refused operation."""

_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
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
    return set(_PLACEHOLDER.findall(load_prompt(f"reflect-{step}")))


def max_input_tokens(schemas: Mapping[Any, Mapping[str, object]]) -> int:
    """Return how many tokens of memory fit into a cycle beside the prompts.

    Args:
        schemas: By step, the schema that is sent with its prompt.
    """
    prompts = sum(len(load_prompt(f"reflect-{step}")) for step in schemas)
    sent = prompts + sum(len(json.dumps(schema)) for schema in schemas.values())
    left = MAX_CYCLE_CHARACTERS - RESERVED_CHARACTERS - sent
    return max(0, left // CHARACTERS_PER_TOKEN)


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
            found[name] = f"(your answer to the step '{_WRITTEN_BY_AGENT[name]}')"
        elif name == "operations":
            if step != "rewrite":
                found[name] = _OPERATIONS_BY_STEP[step]
        elif (name, step) == ("core", "present"):
            found[name] = "(your answer to the step 'rewrite')"
        elif first:
            found[name] = f"(sent with the step '{first}')"
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
