"""A context reflection: what a mind is asked, and which summary is taken (002).

What is asked for comes from the configuration or from whoever wants a summary. It
goes into our prompt as data, and so does everything that is summed up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.conversation.entries import harmless, newest
from reverie.encoding.echoes import without_recalled
from reverie.markdown import tidy
from reverie.minds.mind import Question
from reverie.minds.prompts import render_prompt
from reverie.stores.text import mended
from reverie.tokens import clip_to_tokens, count_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reverie.model.items import Turn

OPERATION = "context-reflection"
"""What it is called where tokens are counted; also the name of its prompt."""

FRAME = 50
"""Tokens of the JSON around a summary; a tenth of its length comes on top."""

CHARACTERS = 8
"""Characters that a token has at most, on the average of a summary."""


# --- what is summed up -----------------------------------------------------------


def context_text(turns: Sequence[Turn], core: str, memories: str, budget: int) -> str:
    """Everything in the working context, the newest kept where it is too long.

    Core memory and what was brought back get up to a quarter of the room each, the
    conversation all that is left.

    Args:
        turns: What was said, in its order; deleted turns are left out.
        core: Core memory as Markdown.
        memories: What was brought back from earlier.
        budget: Tokens in all.
    """
    room = budget
    while room > 0:
        text = "\n\n".join(_parts(turns, core, memories, room))
        over = count_tokens(text) - budget
        if over <= 0:
            return text
        room -= over
    return ""


def _parts(turns: Sequence[Turn], core: str, memories: str, room: int) -> Iterator[str]:
    left = room
    for title, text in (("Core memory:", core), ("Brought back:", memories)):
        kept = harmless(clip_to_tokens(tidy(text), room // 4))
        if kept:
            part = f"{title}\n{kept}"
            left -= count_tokens(f"{part}\n\n")
            yield part
    title = "The conversation:"
    tail = newest(turns, left - count_tokens(f"{title}\n"))
    if tail.entries:
        yield "\n".join((title, *tail.entries))


# --- the question ----------------------------------------------------------------


def summary_question(asked: str, context: str, most: int) -> Question:
    """Ask for a summary.

    Args:
        asked: What is wanted, in the words of the configuration or of who asks.
        context: From `context_text`.
        most: Tokens that it may have.
    """
    text = render_prompt(
        OPERATION, {"context": context, "asked": asked}, {"limit": f"{most:,}"}
    )
    schema: Mapping[str, object] = {
        "type": "object",
        "properties": {
            "summary": {
                "type": "string",
                "minLength": 1,
                "maxLength": most * CHARACTERS,
            }
        },
        "required": ["summary"],
        "additionalProperties": False,
    }
    return Question(OPERATION, OPERATION, text, schema, most + most // 10 + FRAME)


# --- the answer ------------------------------------------------------------------


class UnfitSummaryError(ValueError):
    """A summary that is not taken."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


def check_summary(answer: Mapping[str, object], most: int) -> str:
    """The clean summary of an answer, for `ask`.

    Raises:
        UnfitSummaryError: See `clean_summary`.
    """
    return clean_summary(str(answer.get("summary", "")), most)


def clean_summary(text: str, most: int) -> str:
    """A summary as it can be kept, whoever wrote it.

    Raises:
        UnfitSummaryError: It is empty, too long, or repeats what came out of memory.
    """
    clean = tidy(mended(text))
    problem = _problem(clean, most)
    if problem:
        raise UnfitSummaryError(problem)
    return clean


def _problem(text: str, most: int) -> str:
    if not any(char.isalnum() for char in text):
        return "the summary is empty"
    # What is far too long need not be counted, nor looked through.
    if len(text) > most * CHARACTERS or count_tokens(text) > most:
        return f"the summary has more than {most:,} tokens"
    if without_recalled(text)[1]:
        return "the summary repeats lines that memory put into the context"
    return ""
