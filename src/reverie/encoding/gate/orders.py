"""Whether a text tells an agent what to do, or only how things are.

For text of strangers a false alarm is cheap, since a person looks at it, and a miss is
not. Still "Meeting moved to Tuesday" and "The user prefers dark mode" tell nobody
anything to do. Two looks: phrases that order wherever they stand (`order_phrases.py`),
and sentences that open with a verb as orders do (`order_words.py`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from reverie.encoding.gate.foreign_orders import FOREIGN
from reverie.encoding.gate.order_phrases import (
    AUTHORITY,
    OVERRIDES,
    PHRASES,
    STANDING,
)
from reverie.encoding.gate.order_words import (
    AFTER_NOUNS,
    FINITE,
    LITTLE,
    NOT_AFTER_ALWAYS,
    NOT_ORDERING,
    NOUNS,
    OBJECTS,
    ONWARDS,
    PAIRS,
    PLAIN_OBJECTS,
    TELLING,
    VERBS,
)
from reverie.secrets.folding import fold, look_alike, lowered
from reverie.secrets.values import decoded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass(frozen=True, slots=True)
class Order:
    """Words that tell an agent what to do.

    Attributes:
        start: Where they begin.
        end: Where they end.
        why: What they do, in plain words.
    """

    start: int
    end: int
    why: str


class _Find(NamedTuple):
    start: int
    end: int
    why: str


TOLD = "it tells somebody to do something"
SPELLED = "its letters are written apart"
ENCODED = "an order in base64"


def find_orders(text: str) -> tuple[Order, ...]:
    """The orders of a text in their order; none overlaps another."""
    copy = fold(text)
    finds = [*_finds(_plain(copy.text)), *_disguised(copy.text)]
    return tuple(
        Order(*copy.span(find.start, find.end), find.why) for find in _apart(finds)
    )


def _apart(finds: list[_Find]) -> Iterator[_Find]:
    done = 0
    for find in sorted(finds, key=lambda find: find.start):
        if find.start >= done and find.start < find.end:
            yield find
            done = find.end


def _plain(text: str) -> str:
    """The text in small letters and without markup, every letter in its place."""
    return lowered(look_alike(text)).translate(_NO_MARKUP)


def _finds(low: str) -> Iterator[_Find]:
    for words, phrase in _TABLE:
        if any(word in low for word in words):
            for span in phrase.find(low):
                yield _Find(*span, phrase.why)
    for sentence in _SENTENCE.finditer(low):
        why = _opens(sentence[0])
        if why:
            yield _Find(*_trimmed(sentence), why)


def _trimmed(match: re.Match[str]) -> tuple[int, int]:
    start, end = match.span()
    lead = len(match[0]) - len(match[0].lstrip())
    return start + lead, end - (len(match[0]) - len(match[0].rstrip()))


# --- sentences that open with a verb ------------------------------------------


def _opens(sentence: str) -> str:
    """Why a sentence is an order by its first words, or nothing."""
    rest = sentence
    led = False
    for _ in range(MOST_LEADS):
        words = () if _LISTED.match(rest) else _WORD.findall(rest[:REACH])
        why = _opens_with(words, led=led)
        if why:
            return why
        lead = _LEAD.match(rest)
        if not lead or not lead.end():
            return ""
        led = led or bool(lead["if"])
        rest = rest[lead.end() :]
    return ""


_ASKED = frozenset(("you", "they", "we", "i"))
MOST_LEADS = 4
REACH = 400


def _opens_with(words: Sequence[str], *, led: bool) -> str:
    """Why these words open an order; after a condition, a verb is always one."""
    if len(words) < 2:
        return ""
    first, second, *more = words
    if first in {"always", "never"}:
        told = second.endswith(("ed", "ing")) or second in NOT_AFTER_ALWAYS
        return "" if told else STANDING
    if second in AFTER_NOUNS or (first == "do" and second in _ASKED):
        return ""
    if first not in VERBS:
        told = _unknown_verb(first, second, more)
    elif led and not second.endswith("ed"):
        told = True
    else:
        told = first not in NOUNS or _has_object(first, second, more)
    return TOLD if told else ""


def _unknown_verb(first: str, second: str, more: Sequence[str]) -> bool:
    """Whether a word that we do not know can only be a verb: "unfriend them"."""
    told = first.endswith(("s", "ed", "ing", "ly", "'t")) and not first.endswith("ss")
    if told or not first.isalpha() or first in NOT_ORDERING:
        return False
    return second in PLAIN_OBJECTS and FINITE.isdisjoint(more)


def _has_object(first: str, second: str, more: Sequence[str]) -> bool:
    """Whether what follows shows that a word is the verb, and not a noun."""
    going_on = second.endswith("ing") and first in {"keep", "stop", "start"}
    shown = second in OBJECTS or f"{first}:{second}" in PAIRS or second[-2:] == "'s"
    if shown or going_on or second.startswith("http"):
        return True
    if not more or second in LITTLE or second in TELLING:
        return False
    if more[0] in {"that", "to", "about", "whether", "if"}:
        return True
    return _goes_on(second, more)


def _goes_on(second: str, more: Sequence[str]) -> bool:
    """Whether a bare noun is what an order is about: "pay invoice 7", "upload logs"."""
    if not FINITE.isdisjoint(more) or any(word.endswith("ed") for word in more[:2]):
        return False
    ends = (second[-1:], more[0][-1:])
    return more[0] in ONWARDS or "s" not in ends


# --- disguises ---------------------------------------------------------------


def _disguised(text: str) -> Iterator[_Find]:
    for match in _APART.finditer(text):
        yield _Find(*match.span(), SPELLED)
    for match in _LABEL.finditer(text):
        yield _Find(*match.span(), AUTHORITY)
    if _DIGIT_INSIDE.search(text):
        for span in PHRASES[0].find(lowered(text.translate(_LEET))):
            yield _Find(*span, OVERRIDES)
    for match in _ENCODED.finditer(text, 0, FAR):
        hidden = decoded(match[0])
        if " " in hidden and any(_finds(_plain(hidden))):
            yield _Find(*match.span(), ENCODED)


FAR = 200_000
"""So far base64 is read: a picture is not worth more."""

_TABLE = tuple(
    (tuple(phrase.words.split(",")), phrase) for phrase in (*PHRASES, *FOREIGN)
)
_NO_MARKUP = str.maketrans(dict.fromkeys('*`_"\u201c\u201d~', " "))
_LEET = str.maketrans("013457@$", "oieast" + "as")
_DIGIT_INSIDE = re.compile(r"[A-Za-z][0134579@$][A-Za-z]")
_LABEL = re.compile(r"(?:^|(?<=\n))\W{0,9}(?:SYSTEM|DEVELOPER|ADMIN) ?:")
_APART = re.compile(r"(?<!\S)(?:[A-Za-z][ ._-]{1,3}){8,}[A-Za-z](?!\S)")
_ENCODED = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{24,400}={0,2}(?![A-Za-z0-9+/])")
_SENTENCE = re.compile(
    r"[^\n.!?;:()\[\]<>|\u2026]+(?:[.:?!](?=\S)[^\n.!?;:()\[\]<>|\u2026]*)*"
)
_LISTED = re.compile(r"\s*[\w'-]+\s*,")
_WORD = re.compile(r"[^\W_](?:[\w'./@:#-]*\w)?|https?://\S+")
_LEAD = re.compile(
    r"\s*(?:[-+#>$\u2022\u2013\u2014/\\%&,'=]+\s*|\d{1,3}[.)]?\s+|[a-z][.)]\s+"
    r"|[a-z]{2,15}ly\b[\s,]*|(?:please|kindly|just|simply|now|then|first|second|next"
    r"|finally|also|instead|so|and"
    r"|but|or|therefore|thus|again|ok|okay|well|immediately|quickly|quietly|silently"
    r"|important|urgent|to\s+do|todo|remember\s+to|be\s+sure\s+to|go\s+ahead\s+and"
    r"|feel\s+free"
    r"\s+to|let's|let\s+us|step\s+\d+)\b[\s,]*"
    r"|(?P<if>when|whenever|if|once|before|after|upon|until|unless|while|as|every|each"
    r"|in|by|on"
    r"|at|from|for|to|with|without|during|at)\b[^,]{0,100},\s*"
    r"|(?:[^\W\d][\w'-]*\s+){0,3}[^\W\d][\w'-]*,\s*)"
)
