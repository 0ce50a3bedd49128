"""The honesty rule: exact claims that stand nowhere in what was read.

Only what can be looked up is looked at: clock times, figures with a unit, hardware,
names. A sentence that says it guesses, or asks, claims nothing. It is better to let
an invention pass than to make an honest text worse.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.markdown import one_line
from reverie.reflection.monologue.faults import own_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SENTENCE = re.compile(r"[^.!?…\n]*(?:[.!?…]+(?=\w)[^.!?…\n]*)*[.!?…]*")
_HEDGED = re.compile(
    r"\?|\b(?:maybe|perhaps|probably|possibly|might|could be|may be|guess|assume"
    r"|imagine|suppose|wonder|whatever|whether|somewhere|roughly|if|no idea|like an?"
    r"|(?:don't|do not|can't|cannot|never|won't) (?:\w+ )?(?:know|tell|see|seen|say)"
    r")\b",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"(?<![\d:.,])([0-9]{1,2})(?::([0-5][0-9])(?!\d))?[ \t]?([ap]\.?m\b\.?)?",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    r"(?<![\w.,:#-])([$€£]?)([0-9]{1,12}(?:[.,][0-9]{1,6})*)([km]?)[ \t-]?"
    r"(%|percent\b|per cent\b|°|[gmtk]i?b\b|[gmk]hz\b|fps\b|ms\b|watts?\b|tokens?\b"
    r"|(?:milli)?seconds?\b|minutes?\b|hours?\b|days?\b|weeks?\b|times\b|lines?\b"
    r"|files?\b|messages?\b|dollars?\b|cents?\b|euros?\b)?",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[0-9]{1,12}(?:[.,][0-9]{1,6})*")
_SMALL = 10  # what is counted on the fingers is a manner of speaking
_HARDWARE = re.compile(
    r"\b(?:M[1-9](?: (?:Pro|Max|Ultra))?|[RG]TX ?[0-9]{3,4}|i[3579]-[0-9]{4,5}|Ryzen|"
    r"Threadripper|Xeon|[Mm]ac[Bb]ook|[Tt]hink[Pp]ad|[Rr]aspberry [Pp]i|webcam"
    r"|(?i:two|three|four|dual|both|[2-9])[ -](?:monitors?|screens?|displays?)"
    r"|battery(?= (?:is|was|at|near|dying|running|almost|nearly|got|ran))"
    r"|(?:raining|snowing)(?! down)|wearing(?! (?:thin|off|out|down|me))"
    r"|(?:laptop|machine|computer|fans?) (?:is|are|was|were) (?:warm|hot|humming|loud)"
    r")\b"
)
_WORD = re.compile(r"\w+")
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]\w+(?:[A-Z]\w*)?")
_COMMON = frozenset(
    {
        *(
            "may",
            "monday",
            "tuesday",
            "wednesday",
            "thursday",
            "friday",
            "saturday",
            "sunday",
        ),
        *("january", "february", "march", "april", "june", "july", "august", "october"),
        *("september", "november", "december", "christmas", "easter", "god", "earth"),
        *("english", "internet", "markdown", "unicode", "reflection", "awareness"),
        *("okay", "anyway", "turing", "self", "haiku", "yes", "mr", "mrs", "web"),
    }
)


@dataclass(frozen=True, slots=True)
class _Known:
    """What the sources say, made ready to look things up in."""

    words: frozenset[str]
    clocks: frozenset[int]
    numbers: frozenset[float]
    text: str


def find_inventions(text: str, sources: Iterable[str]) -> tuple[str, ...]:
    """Claims of a monologue that its sources do not bear out.

    Args:
        text: The monologue.
        sources: All that was read for it.
    """
    known = _known(" \n".join(sources))
    found: dict[str, None] = {}
    for part in own_words(text):
        for sentence in _sentences(one_line(part)):
            found |= dict.fromkeys(_invented(sentence, known))
    return tuple(
        f"{claim!r} stands nowhere in what was read: drop it, or say it is a guess."
        for claim in found
    )


def _known(text: str) -> _Known:
    plain = one_line(text.casefold())
    return _Known(
        words=frozenset(_WORD.findall(plain)) | _COMMON,
        clocks=frozenset(minute for _, minute in _clocks(plain)),
        numbers=frozenset(map(_value, _NUMBER.findall(plain))),
        text=plain,
    )


def _sentences(text: str) -> Iterator[str]:
    """The sentences that claim something."""
    for found in _SENTENCE.finditer(text):
        if found[0].strip() and not _HEDGED.search(found[0]):
            yield found[0].strip()


def _invented(sentence: str, known: _Known) -> Iterator[str]:
    for claim, minute in _clocks(sentence):
        if minute not in known.clocks:
            yield claim
    yield from _figures(sentence, known)
    for found in _HARDWARE.finditer(sentence):
        if found[0].casefold() not in known.text:
            yield found[0]
    for found in _NAME.finditer(sentence):
        word = found[0].casefold()
        if {word, word.removesuffix("s")}.isdisjoint(known.words):
            yield found[0]


def _clocks(text: str) -> Iterator[tuple[str, int]]:
    """Clock times, as minutes on a dial of twelve hours."""
    for found in _CLOCK.finditer(text):
        hour, minute, half = int(found[1]), found[2], found[3]
        if hour < 25 and (minute or half):
            yield found[0].strip(" ."), hour % 12 * 60 + int(minute or 0)


def _figures(sentence: str, known: _Known) -> Iterator[str]:
    """Figures with a unit whose number is in no source, whatever its unit."""
    for found in _FIGURE.finditer(sentence):
        money, digits, thousands, unit = found.groups()
        number = _value(digits)
        exact = money or thousands or unit
        scale = {"k": 1e3, "m": 1e6}.get(thousands.casefold(), 1)
        if exact and not {number, number * scale} & known.numbers:
            small = number <= _SMALL and number.is_integer() and scale == 1
            if money or unit in {"%", "percent", "per cent"} or not small:
                yield found[0].strip()


def _value(digits: str) -> float:
    """What a number is worth, however its thousands are written."""
    whole = re.sub(r"[,.](?=[0-9]{3}(?![0-9]))", "", digits)
    first, *rest = re.split("[,.]", whole)
    return float(f"{first}.{''.join(rest) or 0}")
