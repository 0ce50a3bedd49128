"""What a short statement says, in words that can be compared with another's.

Several agents tell the same thing in several ways: `the launch is on 4 May`, `launches
on 11 May`. So what is only grammar is dropped, words that mean the same here become
one, and days, times and amounts are read. Who doubts, asks, quotes or tells of the past
says nothing that another could contradict.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from reverie.agents.amounts import SPELT, Key, read_values
from reverie.agents.frames import slots_of
from reverie.agents.phrases import DENIALS, bag_of, plain, words_in
from reverie.index.words import words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reverie.agents.slots import Slot

MOST_READ = 2_000
"""So many characters of a text are read."""

MOST_SENTENCES = 6
SHORTEST, LONGEST = 4, 240
"""Characters of a sentence that is read."""

MOST_KEPT = 2_048
"""So many texts are kept as they were read: one is compared with many."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One statement.

    Attributes:
        text: As written.
        bag: The stems of its telling words, without values.
        values: For each kind of value found what it is.
        negated: Whether it is denied.
        never: Whether it is denied for all times and cases.
        before: The stems of what stands before its verb.
        lasting: Whether its values are the only ones, as those of one event are not.
        had: Whether it tells of what there may be more: what somebody has or knows.
        event: Whether it tells what happened.
        over: Whether it tells what somebody did.
        slots: What it says something has one of.
    """

    text: str
    bag: frozenset[str]
    values: Mapping[str, Key] = field(default_factory=dict)
    negated: bool = False
    never: bool = False
    before: frozenset[str] = frozenset()
    lasting: bool = False
    had: bool = False
    event: bool = False
    over: bool = False
    slots: tuple[Slot, ...] = ()


def readings(text: str) -> tuple[Reading, ...]:
    """What the first sentences of a text say."""
    return _readings(text[:MOST_READ])


@lru_cache(maxsize=MOST_KEPT)
def _readings(text: str) -> tuple[Reading, ...]:
    found = _SENTENCES.split(text)[:MOST_SENTENCES]
    read = (_reading(" ".join(sentence.split())) for sentence in found)
    return tuple(reading for reading in read if reading)


_STATES = re.compile(r"\bUS\b")
_SENTENCES = re.compile(r"(?<=[.!?;])\s|\n")


def _reading(sentence: str) -> Reading | None:
    text = sentence.strip(" .!;*_`-").replace("\u2019", "'")
    text = _STATES.sub("USA", text)
    low = f" {text.lower()} "
    if not SHORTEST <= len(text) <= LONGEST or _is_unsettled(text, low):
        return None
    low = _LITTLE.sub("", plain(low))
    values, left = read_values(low)
    if values is None:
        return None
    told = words(left)
    denials = [word for word in told if word in DENIALS]
    adding = bool(_ADDING.search(left))
    event = bool(_EVENT.search(left) or _PASSIVE.search(low))
    over = bool(_OVER.search(low))
    return Reading(
        text=text,
        bag=bag_of(left),
        values=values,
        negated=len(denials) % 2 == 1,
        never=denials in (["never"], ["no"]),
        before=bag_of(" ".join(told[: _verb(told)])),
        lasting=not (adding or _MAY.search(low) or _REPEATED.search(low))
        and (not (over or event) or bool(_ONCE.search(low))),
        had=adding or bool(_HAD.search(low)),
        event=event or over,
        over=over,
        slots=slots_of(text),
    )


def _verb(told: Sequence[str]) -> int:
    """Where the verb of a sentence is likely to be."""
    helping = (n for n, word in enumerate(told) if n and word in _HELPING)
    others = (
        n
        for n, word in enumerate(told)
        if n and told[n - 1] not in _ARTICLES and _ENDING.search(word)
    )
    return next(helping, 0) or next(others, 0) or 1


_LITTLE = re.compile(r" (?:still|already|now|currently|finally|fully)\b")
_HELPING = words_in("""
    is are was were am has have had will can must should shall does do did may not never
""")
_ARTICLES = words_in("the a an our my s of in on at for to by with")
_ENDING = re.compile(r"[^su]s$|ed$|^(?:went|took|got|fell|rose|grew|won|lost)$")
_HAD = re.compile(
    r"(?<!the )(?<!this )(?<!our )\b(?:ha(?:s|ve)(?! (?:not )?been)|uses?)\b"
)
_MAY = re.compile(r"(?<!in )(?<!\d )\bmay (?:not )?(?=[a-z])")
_ONCE = re.compile(
    r"\b(?:joined|founded|graduated|retired|established|incorporated|hired|launched"
    r"|released|signed|expired|died|elected|acquired|opened|moved|changed)\b"
)
"""What happens to somebody or something once."""


def _is_unsettled(text: str, low: str) -> bool:
    """Whether a sentence is no plain statement about the present."""
    if text.endswith("?") or text[0] in "\"'\u201c>" or low.startswith(_PRONOUNS):
        return True
    return bool(_DOUBT.search(low) or _PAST.search(low))


_PRONOUNS = tuple(
    f" {w} "
    for w in sorted(words_in("it he she they this that these their his her its your"))
)
_DOUBT = re.compile(
    r"\b(?:might|could|would|maybe|perhaps|probably|possibly|if|unless|whether"
    r"|says?|said|thinks?|believes?|claims?|told|heard|hopes?"
    r"|planned to|ought|either|or|but|except|(?<!the )(?<!read-)only|also|too|as well"
    r"|sometimes|often|another|besides|plus|both|usually|mostly"
    r"|some|several|many|(?<!at )most|other|half (?!an? )|part of"
    rf"|(?:\d+|{SPELT}) (?:[a-z]+ )?of (?:the|our|my)"
    r"|should (?!(?:not )?be )|may (?:be|have|become|move|change|slip|need))\b|~"
)
_DONE = "paid|set|born|written|built|drawn|made|done|held|sent|put|led|taken|given|sold"
_LASTING = (
    "signed|founded|moved|pushed|postponed|shifted|changed|set|raised|lowered|reduced"
    "|increased|rescheduled|renamed|born|extended|bumped|established|built"
)
_PAST = re.compile(
    r"\b(?:used to|in the past|previously|formerly|originally|yesterday|once|ago|had"
    r"|last (?:week|month|year|night|summer|winter|spring|autumn)|until (?:19|20)\d\d"
    r"|back then|at first|initially)\b"
    rf"|\b(?:was|were)\b(?! (?:not )?(?:[a-z]+ed|{_DONE}|(?:un)?successful)\b)"
)
_PASSIVE = re.compile(
    rf"\b(?:was|were) (?:not )?(?!(?:{_LASTING})\b)(?:[a-z]+ed|{_DONE})\b"
)
"""What was done to something, perhaps not for the last time."""

_ADDING = re.compile(
    r"(?<!the )(?<!an )(?<!a )(?<!this )(?<!our )\b(?:supports?|offers?|sells|includes?"
    r"|speaks?|plays?|knows?|visit(?:s|ed)|bought|met|reads?|wrote|tested|compatible"
    r"|exports?|accepts|presented|reviewed|adds|added)\b"
)
"""What somebody does with one thing, and with another besides."""

_REPEATED = re.compile(
    r"\b(?:blocks?|allows|exposes?|forwards?|opens) port\b"
    r"|\bha(?:s|ve) an? [a-z]+ (?:at|on)\b"
    r"|\bon (?:leave|holiday|vacation|call|duty|tour|sale)\b"
)
"""What is so for one number or day, and for another besides."""

_EVENT = re.compile(
    r"(?<!is )(?<!are )(?<!be )\b(?:met|bought|sold|went|gave|got|wrote|found|saw|made"
    r"|took|spent|ran|drove|ate|drank|flew|swam|paid|came|left (?=the|for|at|early)"
    r"|spoke|rode|slept|ended|started|visited|added|removed|reported|asked|sent|opened"
    r"|presented|reviewed|tested)\b"
)
_OVER = re.compile(
    r"(?<! is)(?<! are)(?<! be)(?<! was)(?<! were)(?<! been)(?<! has)(?<! have)"
    r"(?<! not)(?<! the)(?<! a)(?<! an)(?<! our) [a-z]+[^e]ed\b"
    r"|\bdid not\b"
)
