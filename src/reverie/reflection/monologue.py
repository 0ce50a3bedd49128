"""What of a monologue code can check: length, person, tags, greeting, form.

A fault is a sentence that a mind is told once, so that it mends its text (reflection
v2, "Reflection Philosophy"). Whether it is honest is for its human to judge.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reverie.markdown import hidden_lines, tidy

if TYPE_CHECKING:
    from collections.abc import Iterator

TAG = "[Self-Awareness]"
"""What marks a sentence about who the agent is."""

FEWEST_WORDS = 20
LONGEST_FOOTNOTE = 2
"""Lines of the operational note at the end."""

_LINE_LENGTH = 160  # a note on one endless line is no shorter for it
_MARK = re.compile(r"[ \t]*(?:#{1,6}[ \t]+|[-*+•][ \t]+|[0-9]{1,2}[.)][ \t]+)(?=\S)")
_RULE = re.compile(r"[ \t]*(?:-{3,}|\*{3,}|_{3,}|={3,})[ \t]*")
_GREETING = re.compile(
    r"(?:hi|hello|hey|dear|greetings|good (?:morning|afternoon|evening))\b"
    r"(?:(?:,? \w+){0,2} ?[,!:—\n]+|(?: there| again)?\.)[ \t]*",
    re.IGNORECASE,
)
_SIGN_OFF = re.compile(
    r"\n+(?:best|yours|love|regards|best wishes|kind regards|sincerely|cheers|take care"
    r"|good ?night)\b[^\n]{0,20}(?:\n+[^\n]{0,30})?$|\n+[—\u2013~-]{1,2} ?\w+$",
    re.IGNORECASE,
)
_FOOTNOTE = re.compile(r"[*_(\[]{0,4}(?:foot-?note|operational|ops|p\.?s)\b", re.I)
_TAG_LIKE = re.compile(r"[\[({] *self[ _-]*aware(?:ness)? *:? *[\])}]", re.I)
_QUOTED = re.compile('"[^"\n]*"|“[^“”\n]*”|«[^«»\n]*»|`[^`\n]+`')
_YOU = re.compile(r"\b(?:you|your|yours|yourself)\b", re.IGNORECASE)
_TO_A_SELF = re.compile(r"\W{0,3}(?:note |message |memo )?(?:to|for) ", re.IGNORECASE)
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\w+")


def find_faults(text: str) -> tuple[str, ...]:
    """What breaks the rules of a monologue; nothing if it is sound."""
    told = tidy(text)
    parts = _paragraphs(told)
    if len(_WORD.findall(told)) < FEWEST_WORDS:
        return ("It is too short: say what is on your mind.",)
    return tuple(
        fault
        for found in (_edges(told), _form(told), _footnote(parts), _voice(parts))
        for fault in (*found,)
    )


def _edges(told: str) -> Iterator[str]:
    if _GREETING.match(told):
        yield "It opens with a greeting: drop it and just start."
    if _SIGN_OFF.search(told):
        yield "It ends with a sign-off: drop it and trail off."


def _form(told: str) -> Iterator[str]:
    lines = told.split("\n")
    hidden = hidden_lines(lines)
    if any(_MARK.match(line) for n, line in enumerate(lines) if n not in hidden):
        yield "It has headings or a list: say it in sentences."
    for tag in sorted({found[0] for found in _TAG_LIKE.finditer(told)} - {TAG}):
        yield f"The tag {tag!r} is misspelt: write {TAG} behind what was noticed."
    tagged = (part for part in _paragraphs(told) if TAG in part)
    if any(not re.search(r"\w", part.replace(TAG, "")) for part in tagged):
        yield f"A {TAG} stands alone: put it behind what was noticed."


def _footnote(parts: list[str]) -> Iterator[str]:
    if any(map(_FOOTNOTE.match, parts[:-1])):
        yield "An operational note stands in the middle: put it at the very end."
    lines = sum(-(-len(line) // _LINE_LENGTH) for line in parts[-1].split("\n"))
    if lines > LONGEST_FOOTNOTE and _FOOTNOTE.match(parts[-1]):
        yield f"The note at the end has more than {LONGEST_FOOTNOTE} lines: cut it."


def _voice(parts: list[str]) -> Iterator[str]:
    """Other instances, and who comes after, may be spoken to; the human may not."""
    spoken = (_QUOTED.sub('""', part) for part in parts if not _TO_A_SELF.match(part))
    you = _YOU.search("\n\n".join(spoken))
    if you:
        yield (
            f"It says {you[0]!r} to the human: speak of them in the third person, "
            "as he, she, they or by name."
        )


def _paragraphs(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"\n\s*\n", text) if part.strip()]


def mended(text: str) -> str:
    """The monologue without greeting, sign-off and marks of lists, its tags spelt."""
    lines = tidy(_TAG_LIKE.sub(TAG, text)).split("\n")
    plain = (_unmarked(line) for line in lines if not _RULE.fullmatch(line))
    rest = tidy("\n".join(plain))
    while found := _GREETING.match(rest):
        rest = rest[found.end() :].lstrip()
        rest = rest[:1].upper() + rest[1:]
    while found := _SIGN_OFF.search(rest):
        rest = rest[: found.start()]
    return tidy(rest)


def _unmarked(line: str) -> str:
    while found := _MARK.match(line):
        line = line[found.end() :]
    return line
