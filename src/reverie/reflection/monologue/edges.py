"""Greetings, sign-offs, marks of lists: what stands at the edge of a text or line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

TAG = "[Self-Awareness]"
"""What marks a sentence about who the agent is."""


def any_of(*words: str) -> str:
    """A pattern for any of these."""
    return f"(?:{'|'.join(words)})"


# --- greetings -----------------------------------------------------------------

_GREETED = any_of("there", "again", "all", "everyone", "everybody", "friend", "human")
_NAMED = rf"(?:[ \t]+(?i:my[ \t]+)?(?:(?i:{_GREETED})\b|(?!World\b)[A-Z]\w*)){{1,3}}"
_STOP = r"[ \t]*(?:[,.!:;…\u2013—]+|-(?=[ \t])|$)"
GREETING = re.compile(
    rf"[*_]{{0,3}}(?:(?i:hi|hello|greetings|howdy|welcome back)\b(?:,?{_NAMED})?{_STOP}"
    rf"|(?i:hey)\b{_NAMED}{_STOP}"
    rf"|(?i:good[ \t]+(?:morning|afternoon|evening))\b(?:,?{_NAMED})?{_STOP}"
    rf"|(?i:good[ \t]+day)\b(?:{_NAMED}{_STOP}|[ \t]*[,!])"
    r"|(?i:dear)[ \t]+(?:[A-Z]\w*|(?i:user|human|friend|reader|diary|all)\b)"
    rf"[ \t\w]{{0,40}}{_STOP})[*_]{{0,3}}[ \t]*"
)
"""A greeting down to where the text proper begins."""


# --- sign-offs -----------------------------------------------------------------

_CLEAR = any_of(
    *("best wishes", "(?:best|kind|warm|warmest) regards", "with (?:love|care)"),
    *("with (?:gratitude|affection)", "lots of love", "until (?:next time|tomorrow)"),
    *("yours (?:truly|sincerely|faithfully|always|ever)", "take care", "see you"),
    *("see you (?:soon|later|tomorrow|around|then)", "talk (?:soon|later|tomorrow)"),
    *("talk to you (?:soon|later|tomorrow)", "good ?night", "sleep (?:well|tight)"),
    *("sweet dreams", "good-?bye", "bye(?:-bye)?", "farewell", "signing off"),
    "your (?:[a-z]+ )?(?:friend|agent|assistant|companion|ai)",
)
_FORMAL = any_of(
    *("best", "yours", "regards", "love", "thanks", "thank you", "cheers", "warmly"),
    *("sincerely", "cordially", "respectfully"),
)
_SIGN_OFF = re.compile(
    rf"(?:{_CLEAR}(?:,?[ \t]+\w+)?[ \t]*[,.!…\u2013—-]*"
    rf"|{_FORMAL}[ \t]*(?:[,\u2013—-]+|,[ \t]+\w+(?:[ \t]\w+)?[.!]?))",
    re.IGNORECASE,
)
_LEFT = re.compile(rf"{any_of(_CLEAR, _FORMAL)}[,.!\u2013—-]*", re.IGNORECASE)
_FORMAL_ALONE = re.compile(_FORMAL, re.IGNORECASE)
_FAREWELL = re.compile(
    r"(?:(?:so|please|and)[ \t]+)?(?:let me know\b|feel free to\b|don't hesitate to\b"
    r"|looking forward to (?:hearing|your)\b|(?:i )?hope (?:this|that) helps\b)",
    re.IGNORECASE,
)
_NAME = r"[A-Z]\w*(?:[ \t][A-Z]\w*){0,2}"
_SIGNATURE = re.compile(rf"(?:[—\u2013~]|--?)[ \t]*{_NAME}")
_ALONE = re.compile(_NAME)
_SENTENCE_END = re.compile(r"[.!?…][ \t]+")
_ENDED = tuple(".!?…:;\"”')*_]")


def signs_off(sentence: str) -> bool:
    """Whether a sentence takes leave of somebody."""
    words = sentence.strip("*_ \t")
    return bool(_SIGN_OFF.fullmatch(words) or _FAREWELL.match(words))


def without_sign_off(line: str, above: Sequence[str]) -> str:
    """The last line of a text without the sentences in which it takes leave.

    Args:
        line: The line.
        above: The lines above it, at least two: where they break off, this one
            begins in the middle of a sentence; where they take leave, it is a name.
    """
    words = line.strip()
    before = next((each for each in reversed(above) if each.strip()), "")
    left = _LEFT.fullmatch(before.strip("*_ \t"))
    if _SIGNATURE.fullmatch(words.strip("*_")) or (left and _ALONE.fullmatch(words)):
        return ""
    broken_off = above and above[-1].strip() and not _ends(above[-1])
    if not broken_off and _FORMAL_ALONE.fullmatch(words.strip("*_")):
        return ""
    starts = [0, *(found.end() for found in _SENTENCE_END.finditer(words))]
    end = len(words)
    while starts and signs_off(words[starts[-1] : end]):
        if broken_off and not starts[-1]:
            break
        end = starts.pop()
    return words[:end].rstrip() if end < len(words) else line


def _ends(line: str) -> bool:
    return is_rule(line) or line.rstrip().endswith(_ENDED)


# --- marks at the start of a line ----------------------------------------------

_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]+(?=\S)")
UNDERLINE = re.compile(r"[ \t]*={3,}[ \t]*")
_BOLD_LINE = re.compile(r"[ \t]*(?:\*\*([^*]+)\*\*|__([^_]+)__)[ \t]*:?[ \t]*")
_BULLET = re.compile(r"[ \t]*[-*+•‣▪◦][ \t]+(?=\S)")
_NUMBERED = re.compile(r"[ \t]*[0-9]{1,2}[.)][ \t]+(?=\S)")


def is_rule(line: str) -> bool:
    """Whether a line only parts what is above it from what is below."""
    marks = line.replace(" ", "").replace("\t", "")
    return len(marks) > 2 and marks[0] in "-*_" and not marks.strip(marks[0])


def is_heading(line: str) -> bool:
    """Whether a line is a heading, or dressed up as one."""
    dressed = UNDERLINE.fullmatch(line) or _BOLD_LINE.fullmatch(line)
    return bool(dressed or _HEADING.match(line)) and not is_rule(line)


def is_item(line: str, before: str) -> bool:
    """Whether a line is an item of a list, given the line above it.

    In the middle of a paragraph a line may well begin with "12. ".
    """
    if is_rule(line):
        return False
    above = before.strip()
    opens = not above or above.endswith(":") or is_rule(above) or is_heading(above)
    return bool(_BULLET.match(line) or (opens and _NUMBERED.match(line)))


def unmarked(line: str) -> str:
    """A line without all the marks it begins with, and without bold all over."""
    rest = line[marks_end(line, 0) :]
    while (bold := _BOLD_LINE.fullmatch(rest)) and not is_rule(rest):
        rest = bold[1] or bold[2]
        rest = rest[marks_end(rest, 0) :]
    return rest


def marks_end(line: str, start: int) -> int:
    """Where the marks of headings and lists end that begin at a place in a line."""
    at = start
    while found := (
        _HEADING.match(line, at) or _BULLET.match(line, at) or _NUMBERED.match(line, at)
    ):
        at = found.end()
    return at
