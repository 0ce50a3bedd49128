"""What a text claims: statements of which another could be the contrary."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from reverie.encoding.claims.subjects import About, about, attribute, is_person
from reverie.encoding.claims.values import Value, parse_value
from reverie.encoding.routing.clauses import Tense, after, clause_of
from reverie.encoding.routing.lexicon import words_in
from reverie.encoding.routing.reading import MOST_READ, read
from reverie.index.words import stems

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.encoding.routing.clauses import Clause
    from reverie.encoding.routing.reading import Sentence, Word

MOST_KEPT = 1_024
"""So many texts are kept as they were read: one is compared with many."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement.

    Attributes:
        about: Of what it is claimed.
        attribute: What of it: `deadline`, `lives in`.
        value: What that is said to be.
        negated: Whether it is denied.
        single: Whether only one value can hold at a time.
        named: The statement without its value, for people.
    """

    about: About
    attribute: str
    value: Value
    negated: bool
    single: bool
    named: str

    @property
    def subject(self) -> tuple[str, ...]:
        """The stems of what it is about."""
        return self.about.key


def claim_of(text: str) -> Claim | None:
    """The first claim of a text, if it has one."""
    return next(iter(claims_of(text)), None)


def claims_of(text: str) -> tuple[Claim, ...]:
    """What the first sentences of a text claim."""
    return _claims(text[:MOST_READ])


@lru_cache(maxsize=MOST_KEPT)
def _claims(text: str) -> tuple[Claim, ...]:
    found = (_claim(sentence) for sentence in read(text) if _is_settled(sentence))
    return tuple(claim for claim in found if claim)


def _is_settled(sentence: Sentence) -> bool:
    """Whether a sentence is a plain statement about the present."""
    if sentence.asks or not sentence.english or sentence.text[0] in "\"'\u201c>":
        return False
    doubted = not _DOUBT.isdisjoint(word.low for word in sentence.words)
    return not doubted and not _UNSETTLED.search(sentence.low)


def _claim(sentence: Sentence) -> Claim | None:
    words = _from_point(sentence.words)
    clause = clause_of(words)
    if not clause:
        return _entry(words)
    if clause.before or not clause.subject or clause.subject[0].low in _PARTS:
        return None
    said, point, negated = _denied(clause)
    over = clause.tense is Tense.OVER
    told = _Point(clause.subject, said, point, negated, done=over)
    return next((found for reads in _READERS if (found := reads(told))), None)


def _from_point(words: Sequence[Word]) -> Sequence[Word]:
    """Without words that only say that it is news."""
    at = 0
    while at < len(words) - 1 and words[at].low in _NEWS:
        at += 1
    end = len(words)
    while end - at > 2 and " ".join(w.low for w in words[end - 2 : end]) in _NOWADAYS:
        end -= 2
    return words[at:end]


def _denied(clause: Clause) -> tuple[str, Sequence[Word], bool]:
    """What is said, its words, and whether it is denied."""
    found = _DENIAL.match(clause.said)
    if not found:
        return clause.said, clause.point, False
    return clause.said[found.end() :], after(clause.point, found.end()), True


class _Point(NamedTuple):
    """What a clause says, and of whom."""

    subject: Sequence[Word]
    said: str
    words: Sequence[Word]
    negated: bool
    done: bool

    def claim(self, what: str, value: Value | None, *, single: bool) -> Claim | None:
        """A claim, where there is a value and somebody it is about."""
        who = about(self.subject) if value else None
        if value is None or who is None:
            return None
        return Claim(who, what, value, self.negated, single, f"{who.said} {what}")


# --- attributes --------------------------------------------------------------


def _entry(words: Sequence[Word]) -> Claim | None:
    """`Deadline: March 15`."""
    end = next((n for n, word in enumerate(words) if word.stop == ":"), -1)
    if end < 0 or not words[0].text[0].isupper():
        return None
    key = [*words[:end], words[end]._replace(stop="")]
    return _attribute_claim(key, words[end + 1 :], negated=False)


def _of_attribute(point: _Point) -> Claim | None:
    """`the deadline of the project is March 15`, `… was moved to March 30`."""
    found = _IS.match(point.said) or _BECAME.match(point.said)
    if not found:
        return None
    value = after(point.words, found.end())
    negated = point.negated or bool(found.groupdict().get("no"))
    return _attribute_claim(point.subject, value, negated=negated)


def _attribute_claim(
    key: Sequence[Word], words: Sequence[Word], *, negated: bool
) -> Claim | None:
    told = attribute(key)
    if not told:
        return None
    bare = words
    while bare and bare[0].low in {"on", "at", "in", "by", "to", "for"}:
        bare = bare[1:]
    value = parse_value(bare)
    # "on the sticker" says where it is, not what
    if value is None or (bare is not words and not value.parts):
        return None
    who, what = told
    return Claim(who, what, value, negated, single=True, named=who.said)


# --- verbs -------------------------------------------------------------------


class _Pattern(NamedTuple):
    what: str
    verbs: frozenset[str]
    words: re.Pattern[str]
    kinds: frozenset[str] = frozenset()
    person: bool = False


def _p(
    what: str, verbs: str, words: str, kinds: str = "", *, person: bool = False
) -> _Pattern:
    found = frozenset(kinds.split())
    return _Pattern(what, words_in(verbs), re.compile(words), found, person)


_BE = "(?:is|are|am|will be)"
_BES = "is are am will"
_WHEN = "date weekday time"
_AWAY = "(?:leave|holiday|vacation|call|duty|tour|sale|site)\\b"
_SINGLE = (
    _p("lives in", "live lives reside resides", r"\w+ (?:in|at) "),
    _p("lives in", _BES, rf"{_BE} (?:living|based) (?:in|at) "),
    _p(
        "lives in",
        "has have moved relocated",
        r"(?:ha(?:s|ve) )?(?:moved|relocated) (?:back )?(?:from .{1,40}? )?to ",
        person=True,
    ),
    _p("works at", "work works", r"\w+ (?:at|for) "),
    _p("works at", _BES, rf"{_BE} (?:working|employed) (?:at|for|by) "),
    _p("works as", "work works", r"\w+ as (?:an? )?"),
    _p("works as", _BES, rf"{_BE} working as (?:an? )?"),
    _p("is married to", _BES, rf"{_BE} married to "),
    _p("is engaged to", _BES, rf"{_BE} engaged to "),
    _p("was born", "was", r"was born (?:in|on|at) "),
    _p("reports to", "report reports", r"\w+ to "),
    _p("is located in", _BES, rf"{_BE} (?:located|situated) (?:in|at|on) "),
    _p("is written in", _BES, rf"{_BE} written in "),
    _p("is from", _BES + " come comes", r"\w+ (?:originally )?from "),
    _p("is called", _BES, rf"{_BE} (?:called|named) (?!off\b)"),
    _p(
        "is due",
        _BES,
        rf"{_BE} (?:due|scheduled|planned) (?:(?:on|by|for|at|in) )?",
        _WHEN,
    ),
    _p("costs", "cost costs", r"\w+ ", "amount"),
    _p("weighs", "weigh weighs", r"\w+ ", "amount"),
    _p("takes", "take takes", r"\w+ ", "amount"),
    _p("opens", "open opens", r"\w+ (?=at|on)", _WHEN),
    _p("closes", "close closes", r"\w+ (?=at|on)", _WHEN),
    _p("starts", "start starts begin begins", r"\w+ (?=at|on|in)", _WHEN),
    _p("ends", "end ends finishes", r"\w+ (?=at|on|in)", _WHEN),
    _p("leaves", "leave leaves departs", r"\w+ (?=at|on)", _WHEN),
    _p("arrives", "arrive arrives lands", r"\w+ (?=at|on)", _WHEN),
    _p("expires", "expire expires", r"\w+ (?=on|in)", _WHEN),
    _p("runs on port", "run runs listen listens", r"\w+ on port ", "amount"),
    _p("is on version", _BES, rf"{_BE} (?:on|at) version "),
    _p("is on", _BES, rf"{_BE} on the (?=[a-z0-9]+ floor\b)"),
    _p("is", "turned", r"turned (?=\d)", "amount", person=True),
    _p("is on", _BES, rf"{_BE} (?=(?:on|at) (?!{_AWAY}))", _WHEN),
    _p(
        "is on",
        "has was got moved pushed rescheduled postponed shifted",
        r"(?:(?:has|was|got) )?(?:been )?(?:moved|pushed|rescheduled|postponed"
        r"|shifted|brought forward)(?: back)? (?:from .{1,40}? )?(?:to|until) ",
        _WHEN,
    ),
    _p("is", _BES, rf"{_BE} (?=[^ ]*\d)", "amount"),
)
_BY_VERB = {
    verb: [pattern for pattern in _SINGLE if verb in pattern.verbs]
    for verb in sorted({verb for pattern in _SINGLE for verb in pattern.verbs})
}


def _of_verb(point: _Point) -> Claim | None:
    """`Alex lives in Berlin`: what holds of one value at a time."""
    for pattern in _BY_VERB.get(point.said.partition(" ")[0], ()):
        found = pattern.words.match(f"{point.said} ")
        if not found or (pattern.person and not is_person(point.subject)):
            continue
        value = parse_value(after(point.words, found.end()))
        if value and (not pattern.kinds or pattern.kinds & value.parts.keys()):
            return point.claim(pattern.what, value, single=True)
    return None


def _of_pair(point: _Point) -> Claim | None:
    """`prefers tea over coffee`, `uses Postgres as its database`, `has two cats`."""
    rival = _RIVALS.match(point.said)
    if rival:
        both = " or ".join(sorted((rival["one"], rival["other"])))
        value = parse_value(after(point.words, rival.start("one"))[: _size(rival)])
        claim = point.claim(f"prefers of {both}", value, single=True)
        return claim and replace(claim, named=f"{claim.about.said} prefers")
    part = _AS_ITS.match(point.said)
    if part:
        value = parse_value(after(point.words, part.start("one"))[: _size(part)])
        return point.claim(f"uses as {part['other']}", value, single=True)
    return _count(point)


def _size(found: re.Match[str]) -> int:
    return len(found["one"].split())


def _count(point: _Point) -> Claim | None:
    if not _COUNT.match(point.said):
        return None
    value = parse_value(point.words[1:])
    if value is None or value.parts.keys() != {"amount"}:
        return None
    unit = value.parts["amount"][1]
    claim = point.claim(f"has {unit}", value, single=True) if unit else None
    return claim and replace(claim, named=f"{claim.about.said} has")


def _of_state(point: _Point) -> Claim | None:
    """`the shop is open`: one of a few states that exclude each other."""
    found = _IS.match(point.said)
    rest = after(point.words, found.end()) if found else ()
    group = _STATES.get(rest[0].low) if rest else None
    limits = [word.low for word in rest[1:] if word.low not in _NEWS]
    if not found or group is None or (limits and limits[0] not in {"on", "at", "in"}):
        return None
    told = point._replace(negated=point.negated or bool(found["no"]))
    state = rest[0]
    left = frozenset(stems(limits))
    shown = " ".join((state.text, *limits))
    said = _SAME_STATE.get(state.low, state.low)
    value = Value({}, frozenset(stems([said])), said, shown, left)
    claim = told.claim(f"is {group}", value, single=True)
    return claim and replace(claim, named=f"{claim.about.said} is")


# --- yes or no ---------------------------------------------------------------


def _of_polarity(point: _Point) -> Claim | None:
    """What is either so or not: `Alex likes coffee`."""
    taste = _TASTE.match(point.said)
    if not taste:
        return _given_up(point) or _plain(point)
    hates = (taste["hates"] is not None) is not point.negated
    value = parse_value(after(point.words, taste.end()))
    return point._replace(negated=hates).claim("likes", value, single=False)


def _given_up(point: _Point) -> Claim | None:
    """`stopped using Vim` is no longer using it."""
    found = _STOPPED.match(point.said)
    if not found:
        return None
    value = parse_value(after(point.words, found.end())) or Value()
    told = point._replace(negated=True)
    return told.claim(stems([found["verb"]])[0], value, single=False)


def _plain(point: _Point) -> Claim | None:
    found = _IS.match(point.said)
    if found:
        value = parse_value(after(point.words, found.end()))
        told = point._replace(negated=point.negated or bool(found["no"]))
        return told.claim("is", value, single=False)
    done = _DONE.match(point.said)
    if done:
        denied = point.negated or bool(done["never"])
        point = point._replace(
            words=after(point.words, done.end()), negated=denied, done=True
        )
    verb, *rest = point.words or (None,)
    if verb is None or not verb.low.isalpha() or verb.low in _HELPERS:
        return None
    if rest and rest[0].low == "no":
        point, rest = point._replace(negated=not point.negated), rest[1:]
    value = parse_value(rest) or (None if rest else Value())
    ever = "ever " if point.done else ""
    claim = point.claim(f"{ever}{stems([verb.low])[0]}", value, single=False)
    third = "s" if claim and claim.about.said == "the user" else ""
    shown = verb.low if verb.low.endswith("s") else f"{verb.low}{third}"
    return claim and replace(claim, named=f"{claim.about.said} {shown}")


_READERS = (_of_pair, _of_attribute, _of_verb, _of_state, _of_polarity)
_NEWS = words_in("""
    actually now currently update correction no so and but again today anymore wait
    sorry well still already
""")
_NOWADAYS = frozenset(("these days", "right now", "for now", "at present"))
_DENIAL = re.compile(
    r"(?:no longer|never|(?:do|does) not|not)(?: (?:ever|any longer|really|even))? "
)
_IS = re.compile(
    r"(?:is|are|am|will be|equals) (?P<no>not |no longer )?(?:set to |now )?"
)
_BECAME = re.compile(
    r"(?:(?:is|was|has been|have been|got|has|have) )?(?:now )?(?:been )?"
    r"(?:changed|moved|pushed|rescheduled|postponed|shifted|raised|increased|lowered"
    r"|reduced|dropped|rose|fell|went up|went down|bumped|updated|extended|set|renamed"
    r"|upgraded|switched)(?: back| up| down)? (?:from .{1,40}? )?(?:to|until) "
)
_RIVALS = re.compile(
    r"prefers? (?P<one>[a-z' -]{2,40}?) (?:over|to|rather than|instead of) "
    r"(?P<other>[a-z' -]{2,40})$"
)
_AS_ITS = re.compile(
    r"uses? (?P<one>[^ ]+(?: [^ ]+)?) as (?:its|our|the|my|his|her|their) "
    r"(?P<other>[a-z ]{2,30})$"
)
_COUNT = re.compile(r"ha(?:s|ve) (?:\d+|two|three|four|five|six|seven|eight|nine|ten) ")
_TASTE = re.compile(
    r"(?:(?P<likes>likes?|loves?|enjoys?|adores?|(?:is|am|are) (?:a )?(?:big |huge )?"
    r"fan of|(?:is|am|are) into)|(?P<hates>hates?|dislikes?|detests?|loathes?|avoids?"
    r"|(?:is|am|are) not (?:a )?(?:big |huge )?fan of|(?:is|am|are) not into"
    r"|(?:can not|cannot) stand)) (?:to )?"
)
_STOPPED = re.compile(
    r"(?:(?:has|have) )?(?:stopped|quit|gave up|given up) (?P<verb>[a-z]+ing)(?: |$)"
)
_DONE = re.compile(r"ha(?:s|ve) (?P<never>never )?(?:ever )?(?=[a-z]+(?:ed|en)\b)")
_HELPERS = words_in("""
    will does do did was were had must shall cannot got went made said changed moved
""")
_MAY = r"(?<!\d )(?<!in )(?<!on )(?<!of )(?<!by )(?<!is )(?<!to )\bmay\b(?! \d)"
_MOVED = (
    "changed|moved|pushed|rescheduled|postponed|shifted|raised|increased|lowered|reduced"
    "|bumped|updated|extended|set|renamed|upgraded|switched|born|brought"
)
_PARTS = words_in("half part some most many few several one other another")
"""Who tells of a part says nothing of the rest."""

_DOUBT = words_in("""
    formerly previously might could would should maybe perhaps probably if unless
    hopefully think thinks believe believes say says said claims told originally ago
    once guess seem seems supposed rumour rumor imagine wish either had
""")
_UNSETTLED = re.compile(
    r"\b(?:used|plans?|wants?|hopes?|needs?|have|has|going|try|tries|trying) to\b"
    r"|\b(?:according to|back then|in the past|until recently)\b"
    rf"|\b(?:was|were)\b(?! (?:{_MOVED})\b)|{_MAY}"
)


def _states(*groups: str) -> dict[str, int]:
    return {w: n for n, group in enumerate(groups) for w in group.split()}


_SAME_STATE = {
    "mandatory": "required",
    "finished": "done",
    "prohibited": "forbidden",
    "shut": "closed",
    "canceled": "cancelled",
    "gray": "grey",
    "sick": "ill",
}
_STATES = _states(
    "open closed shut",
    "on off",
    "enabled disabled",
    "up down",
    "alive dead",
    "public private",
    "single married divorced widowed engaged",
    "employed unemployed retired",
    "allowed forbidden prohibited",
    "required optional mandatory",
    "active inactive",
    "online offline",
    "available unavailable",
    "done finished pending",
    "approved rejected",
    "paid unpaid",
    "full empty",
    "left-handed right-handed",
    "accepted declined",
    "working broken",
    "locked unlocked",
    "confirmed cancelled canceled",
    "healthy ill sick",
    "signed unsigned",
    "valid invalid expired",
    "safe dangerous",
    "awake asleep",
    "red blue green black white grey gray silver yellow orange purple pink brown teal",
)
