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

from reverie.agents.amounts import Key, read_values
from reverie.index.words import STOP_WORDS, stems, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MOST_READ = 2_000
"""So many characters of a text are read."""

MOST_SENTENCES = 6
LONGEST_SENTENCE = 240
MOST_KEPT = 2_048
"""So many texts are kept as they were read: one is compared with many."""


@dataclass(frozen=True, slots=True)
class Slot:
    """What something has one of: who owns it, where it is.

    Attributes:
        what: `own`, `place`, `called`.
        subject: The stems of whose it is.
        value: The stems of what that is.
        said: The same as written.
    """

    what: str
    subject: frozenset[str]
    value: frozenset[str]
    said: str


@dataclass(frozen=True, slots=True)
class Reading:
    """One statement.

    Attributes:
        text: As written.
        bag: The stems of its telling words, without values.
        values: For each kind of value found what it is.
        negated: Whether it is denied.
        never: Whether it is denied for all times and cases.
        stative: Whether it tells how something is, not what happened or is had besides.
        over: Whether it tells what somebody did.
        slots: What it says something has one of.
    """

    text: str
    bag: frozenset[str]
    values: Mapping[str, Key] = field(default_factory=dict)
    negated: bool = False
    never: bool = False
    stative: bool = False
    over: bool = False
    slots: tuple[Slot, ...] = ()


@lru_cache(maxsize=MOST_KEPT)
def readings(text: str) -> tuple[Reading, ...]:
    """What the first sentences of a text say."""
    found = _SENTENCES.split(text[:MOST_READ])[:MOST_SENTENCES]
    read = (_reading(" ".join(sentence.split())) for sentence in found)
    return tuple(reading for reading in read if reading)


_SENTENCES = re.compile(r"(?<=[.!?;])\s+|\n+")


def _reading(sentence: str) -> Reading | None:
    text = sentence.strip(" .!;*_`-")
    low = f" {text.lower().replace(_APOSTROPHE, chr(39))} "
    if not 3 < len(text) < LONGEST_SENTENCE or _is_unsettled(text, low):
        return None
    low = _FROM.sub(" to ", low)
    for pattern, plain in _SAYINGS:
        low = pattern.sub(plain, low)
    values, left = read_values(low)
    if values is None:
        return None
    told = words(left)
    denials = [word for word in told if word in _DENIALS]
    bag = frozenset(
        stems(_SAME.get(word, word) for word in told if word not in _DROPPED)
    )
    return Reading(
        text=text,
        bag=frozenset(_MEANS.get(stem, stem) for stem in bag) - _EMPTY,
        values=values,
        negated=len(denials) % 2 == 1,
        never=len(denials) == 1 and denials[0] in {"never", "no"},
        stative=not _ADDING.intersection(told) and not _EVENT.search(left),
        over=bool(_OVER.search(low)),
        slots=() if values else tuple(_slots(text)),
    )


_APOSTROPHE = "\u2019"


def _is_unsettled(text: str, low: str) -> bool:
    """Whether a sentence is no plain statement about the present."""
    if text.endswith("?") or text[0] in "\"'\u201c>" or low.startswith(_PRONOUNS):
        return True
    return bool(_DOUBT.search(low) or _PAST.search(low))


_PRONOUNS = tuple(
    f" {word} " for word in ("it", "he", "she", "they", "this", "that", "these")
)
_DOUBT = re.compile(
    r"\b(?:might|could|would|should|maybe|perhaps|probably|possibly|if|unless|whether"
    r"|says?|said|thinks?|believes?|claims?|told|heard|hopes?|wants? to|plans? to"
    r"|planned to|ought|either|or|but|except|only|also|too|as well|sometimes|often"
    r"|another|besides|plus|at least|at most|up to|about|around|roughly|nearly|almost"
    r"|approximately|more than|less than|over|under|between|both|usually|mostly"
    r"|some|several|many|most|other)\b|~"
    r"|(?<!\d )(?<!in )(?<!by )(?<!of )(?<!to )(?<!is )(?<!for )(?<!until )\bmay\b(?! \d)"
)
_PAST = re.compile(
    r"\b(?:used to|in the past|previously|formerly|originally|yesterday|once|ago|had"
    r"|last (?:week|month|year|night|summer|winter|spring|autumn)|until (?:19|20)\d\d"
    r"|back then|at first|initially)\b"
    r"|\b(?:was|were)\b(?! (?:not )?(?:accepted|rejected|declined|approved|signed|paid"
    r"|founded|moved|pushed|postponed|shifted|changed|set|raised|lowered|reduced"
    r"|increased|rescheduled|renamed|cancelled|canceled|confirmed|born|merged|closed"
    r"|fixed|resolved|delivered|completed|finished|extended|bumped)\b)"
)
_FROM = re.compile(r" from [^ ]+(?: [^ ]+){0,3}? (?:to|until) ")


def _sayings(*pairs: tuple[str, str]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(rf"\b(?:{said})\b"), plain) for said, plain in pairs)


_SAYINGS = _sayings(
    ("no longer|not any ?more|stopped|has not been|have not been|is yet to be", "not"),
    ("cannot", "can not"),
    ("(do|does|is|are|has|have|was|were|did|can|will|must)n't", r"\1 not"),
    (
        "due date|deadline|is due|(?:must|has to|have to) be "
        "(?:in|done|finished|ready|submitted|handed in)",
        "due",
    ),
    ("takes? place|is held|are held|will be held|is scheduled|happens", "is"),
    ("(?:moved|pushed|postponed|shifted|rescheduled)(?: back)?", "is"),
    ("(?:is|was|are|were|has been|been) (?:changed|raised|lowered|set|bumped)", "is"),
    ("(?:turned|switched) on", "enabled"),
    ("(?:turned|switched) off", "disabled"),
    ("in progress|under ?way|ongoing|not yet|to be done|up in the air", "unfinished"),
    ("on hold|put off|on ice", "paused"),
    ("called off", "cancelled"),
    ("on (?:time|track|schedule)", "punctual"),
    ("behind schedule|running late", "late"),
    ("go(?:es)? live|comes? out", "launches"),
    ("runs? (?:out|until)|goes on until|lasts until", "ends"),
    ("open until", "closes"),
    ("in use", "used"),
    ("full[- ]time", "fulltime"),
    ("part[- ]time", "parttime"),
    ("there (?:is|are)", "has"),
    ("without", "not"),
    ("(?:is|am|are) (?:(?:fond|a fan) of|into)|enjoys?|loves?|adores?", "likes"),
    ("hates?|dislikes?|detests?|loathes?|can not stand|cannot stand", "not like"),
    ("(?:listens on|runs on|uses|is on|is at) (?=port )", "is "),
)

_DENIALS = frozenset(("not", "never", "no", "neither", "nor", "none"))
_FILLING = """
    now currently still already yet just actually really today always please again
    that's it's with within after about ever any the per each new
    take takes is set start starts begin begins have has having
"""
_DROPPED = (
    STOP_WORDS - {"i", "me", "my", "we", "our", "us"}
    | _DENIALS
    | frozenset(_FILLING.split())
)
_EMPTY = frozenset(stems(("start", "begin")))


def _groups(table: str) -> dict[str, str]:
    """Each further word of a line, and the first one, which stands for it."""
    rows = (line.split() for line in table.strip().splitlines())
    return {word: row[0] for row in rows for word in row[1:]}


_SAME = _groups("""
    user i me my
    we our us
    memory ram
    repository repo repos
    database db
    application app apps
    documentation docs
    production prod
    colour color
    favourite favorite
    developer dev engineer
    licence license
    email mail mails e-mail
    timetable schedule
    cancelled canceled
    colleague coworker
""")
_MEANS = {
    stems([word])[0]: stems([plain])[0]
    for word, plain in _groups("""
        done finish complete
        require need
        launch release ship
        buy purchase
        cost price
        fix repair
        employee staff
        forbid prohibit ban
        speed pace
        start kickoff
    """).items()
}
_ADDING = frozenset(
    """
    supports support offers offer sells includes include speaks speak plays play knows
    know likes like visits visited bought met read reads wrote tested compatible works
    work exports export accepts depends depend presented reviewed added adds
""".split()
) - {"likes", "like"}
_EVENT = re.compile(
    r"(?<!is )(?<!are )(?<!be )\b(?:met|bought|sold|went|gave|got|wrote|found|saw|made|took|spent|ended|started"
    r"|visited|added|removed|reported|asked|called me|sent|opened|deployed \d"
    r"|presented|reviewed|tested)\b"
)
_OVER = re.compile(
    r"(?<! is)(?<! are)(?<! be)(?<! was)(?<! were)(?<! been)(?<! has)(?<! have)(?<! not)"
    r"(?<! the)(?<! a)(?<! an)(?<! our) [a-z]+ed\b"
)


# --- what there is one of ----------------------------------------------------

_ROLES = "owner|leader|lead|maintainer|head|chair|manager|founder|author|sponsor"
_BY = "owned|led|maintained|headed|chaired|managed|founded|sponsored|run"
_ACTS = "owns|leads|maintains|heads|chairs|manages|founded|sponsors"
_KEPT = (
    "hosted|deployed|located|based|stored|kept|saved|installed|archived|published"
    "|documented|tracked|registered|headquartered"
)
_PUTS = "tracks?|stores?|keeps?|documents?|hosts?|archives?|publish(?:es)?|plans?|runs?"
_SLOTS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?P<value>.+?) (?P<own>{_ACTS}) (?P<subject>.+)",
        rf"(?P<subject>.+?) (?:is|are|was|were) (?P<own>{_BY}) by (?P<value>.+)",
        rf"(?:[Tt]he )?(?P<own>{_ROLES}) (?:of|for) (?P<subject>.+?) is (?P<value>.+)",
        rf"(?P<value>.+?) is (?:the )?(?P<own>{_ROLES}) (?:of|for) (?P<subject>.+)",
        rf"(?P<subject>.+?)(?:'s|\u2019s) (?P<own>{_ROLES}) is (?P<value>.+)",
        rf"(?P<subject>.+?) (?:is|are) (?:being )?(?P<place>{_KEPT}) "
        r"(?:on|in|at|with|under) (?P<value>.+)",
        r"(?P<subject>.+?) (?P<place>is|are|takes place|will be|will take place) "
        r"(?:in|at) (?P<value>[A-Z].*)",
        rf"(?P<subject>.+? (?P<task>{_PUTS}) .+?) (?:in|on|with|at) (?P<value>[A-Z].*)",
        r"(?P<subject>.+?) (?:prefers to be|is|are|wants to be) (?P<called>called|named)"
        r" (?P<value>.+)",
        r"(?P<subject>.+?) (?P<called>goes by) (?P<value>.+)",
        r"(?P<subject>.+?) (?:is|are) (?P<made>written|implemented|built|coded) in "
        r"(?P<value>.+)",
        r"(?P<subject>.+?) (?P<made>builds|is built) with (?P<value>.+)",
        r"(?P<subject>.+?) (?:is|are) (?:in|on) the "
        r"(?P<value>(?P<floor>[a-z]+ floor|basement|attic|cellar|roof))",
        r"(?P<subject>(?P<name>(?:The|Our|My) .+?|.+'s .+?)) is (?P<value>[A-Z].*)",
    )
)
_ROLE = {
    **dict.fromkeys(("owns", "owned", "owner"), "own"),
    **dict.fromkeys(("leads", "led", "leader", "lead", "heads", "headed"), "lead"),
    **dict.fromkeys(("head", "chairs", "chaired", "chair"), "lead"),
    **dict.fromkeys(("maintains", "maintained", "maintainer"), "maintain"),
    **dict.fromkeys(("manages", "managed", "manager", "run"), "manage"),
    **dict.fromkeys(("founded", "founder"), "found"),
    **dict.fromkeys(("sponsors", "sponsored", "sponsor"), "sponsor"),
}
_MANY = frozenset(
    """
    brother sister sibling friend cousin uncle aunt son daughter child colleague
    neighbour neighbor cat dog pet student customer client member partner supplier team
    car bike hobby instrument
""".split()
)
"""What somebody may have several of."""

LONGEST_VALUE = 4


def _slots(text: str) -> Iterator[Slot]:
    """What a statement says something has one of."""
    for pattern in _SLOTS:
        found = pattern.fullmatch(text)
        slot = _slot(found) if found else None
        if slot:
            yield slot


def _slot(found: re.Match[str]) -> Slot | None:
    named = found.groupdict()
    subject, said = named.pop("subject"), named.pop("value")
    kind, how = next((kind, how) for kind, how in named.items() if how)
    whose, value = bag_of(subject), bag_of(said)
    several = " and " in f" {said} " or len(said.split()) > LONGEST_VALUE
    if several or not whose or not value:
        return None
    if kind == "name" and (_MANY.intersection(words(subject)) or not said.istitle()):
        return None
    what = _ROLE.get(how.lower(), how) if kind == "own" else kind
    return Slot(what, whose, value, said)


def bag_of(text: str) -> frozenset[str]:
    """The stems of the telling words of a phrase."""
    told = (w for w in words(text) if w not in _DROPPED)
    return frozenset(stems(_SAME.get(word, word) for word in told))
