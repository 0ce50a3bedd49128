"""What an answer to a check-in means, in plain English.

A yes is read narrowly, a no or a later widely; whatever is neither is asked again.
"""

from __future__ import annotations

import re
from enum import StrEnum
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from reverie.encoding.triggers.masking import mask, plain
from reverie.markdown import one_line
from reverie.reflection.wording import Wording, one_of

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST = 2000
"""Nobody answers a check-in with more characters; it is something else."""


class Reply(StrEnum):
    """What an answer to a check-in means."""

    YES = "yes"
    LATER = "later"
    NO = "no"
    UNCLEAR = "unclear"


class Clause(NamedTuple):
    """A piece of an answer between two stops.

    `text` is in small letters, with what the speaker only quotes masked; `start` and
    `end` are its place in the answer; `stop` is the mark before it.
    """

    text: str
    start: int
    end: int
    stop: str


class Heard(NamedTuple):
    """What an answer means, and what else was said, in the speaker's words."""

    reply: Reply
    remark: str


class _Said(NamedTuple):
    """What one phrase means; a bare yes or no may only open what follows."""

    reply: Reply
    bare: bool = False


_UNCLEAR = _Said(Reply.UNCLEAR)
_NOTHING = _Said(Reply.UNCLEAR, bare=True)
_STOP = re.compile(
    r"[.,:](?![0-9])|[;!?\n()\u2026\u2013\u2014]|\s--?(?=\s)"
    r"|\s(?=(?:but|because|cause|cuz|since|here's why)\b)"
)
_THUMBS = {"\U0001f44d": "yes", "\U0001f44e": "no"}
_TONES = " \t\n\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"

# Tables of phrases, divided by commas; a phrase may hold a little pattern.
_YES = """
    ye+s+, y, ya, yea+h*, yep, yup, aye, sure, sure thing, absolutely, definitely, deal,
    certainly, of course, by all means, please do, you bet, affirmative, all right, go,
    go (?:on|for it|ahead|right ahead), go ahead and (?:reflect|start), do, do it,
    do (?:so|that|this), start, begin, proceed, carry on, start it, run it, reflect,
    let's, let's (?:go|reflect|start|do it|do this|do that), ready, good,
    i(?:'m| am) ready, good to go, (?:i'm|we're) good to go, sounds (?:good|great),
    works for me, why not, be my guest, knock yourself out, fire away, feel free,
    feel free to (?:start|begin|reflect|go ahead), you (?:may|can), make it so,
    you (?:may|can) (?:begin|start|reflect|go ahead), (?:it's|that's) fine, take it,
    fine (?:by|with) me, i don't mind, no problem, no objections?, i(?:'m| am) in,
    i(?:'d| would) (?:like|love) (?:that|it|you to), i (?:guess|suppose) so, not later,
    now is a good time, now(?: is|'s) (?:good|fine|ok|okay|great|perfect), why wait,
    no time like the present, no (?:need|reason) to wait, don't bother waiting,
    (?:don't|do not) (?:wait|put it off), don't wait any longer, i approve, approved?,
    don't (?:wait|put it off) (?:until|till|for) (?:later|tomorrow|the usual time),
    don't wait for our usual time, granted, permission granted, accepted, as requested,
    as you asked, take what you (?:asked for|need)
"""
_LATER = """
    not (?:right |just )?now, not (?:just )?yet, not at (?:the moment|this time), wait,
    not this (?:minute|second), hold on, hold off, hang on, snooze, defer, postpone,
    (?:postpone|defer) it, put it off, busy, i(?:'m| am) busy, as usual, let's wait,
    (?:it's |it is )?(?:a )?bad time, (?:it's |it is )?not a good time, can it wait,
    (?:it|that|this) can wait, (?:wait for )?(?:our |the |my )?usual time, no time,
    (?:i'd )?rather wait, i'd rather not now, not (?:before|until|till) .*,
    (?:don't|do not) (?:do it|reflect|start|begin|run it|go) (?:just )?(?:now|yet),
    don't (?:do it|reflect|start) right now, no time (?:right )?now, i have no time,
    give me .*(?:minutes?|mins?|hours?|moment|second|sec|while|bit), i don't have time,
    i'll (?:tell|ping|call|let) you.*, i'm not ready(?: yet)?
"""
_NO = """
    no+, n, nope, nah, naw, never, no (?:thanks|thank you|thx|way|need), hell no, none,
    not (?:today|tonight|this time|this week), skip, pass, i'll pass, not really, don't,
    (?:let's )?skip (?:it|this|that|today|tonight|this one|this time|the reflection),
    skip it (?:today|tonight|this time), forget (?:about )?it, never ?mind, do not,
    (?:don't|do not) (?:reflect|start|begin|proceed|go ahead|do it|do that|run it),
    don't bother, don't (?:reflect|do it) (?:today|tonight|at all), not interested,
    (?:it's )?not (?:necessary|needed), no need to reflect, no need for (?:it|that),
    leave it, leave it be, drop it, cancel, cancel (?:it|that), stop, stop it, negative,
    (?:i'd |i would )?rather not, better not, let's not, i'd rather you didn't, nothing,
    i don't want (?:to|that|it|this|you to), i don't want (?:a|any|you to) reflect.*,
    i don't think so, no reflection(?: today| now| tonight)?, i said no, why bother,
    (?:absolutely|certainly|of course|definitely) not, declined?, denied, reject,
    rejected, refused, i (?:decline|refuse|reject (?:it|this)), no tokens
"""
_NUMBER = "(?:[0-9]+|an?|one|two|three|four|five|six|eight|ten|twenty|thirty|half an)"
_WHEN = f"""
    later, later (?:on|today|tonight), later this \\w+, tomorrow, soon, tonight,
    tomorrow (?:morning|afternoon|evening|night), this (?:morning|afternoon|evening),
    in a (?:bit|while|moment|sec|few|little bit|little while|couple of hours),
    in a few (?:minutes|mins|hours), next (?:time|week|session|day), after .*,
    in (?:about )?{_NUMBER} (?:minutes?|mins?|seconds?|hours?|hrs?|days?|weeks?),
    some other (?:time|day), another (?:time|day), (?:at|for) (?:our|the|my) usual time,
    (?:once|when) i(?:'m)? .*, at (?:noon|night|midnight|lunch),
    around .*, at [0-9][0-9:]*\\s?(?:am|pm|o'clock)?
"""
_BEFORE_WHEN = """
    let's lets we we'll i i'd i'll you can could it would rather prefer make this that
    how about what better try ask me again check in on back come do get to catch remind
    ping run start reflect wait till until for save leave hold off postpone move put the
    reflection just please talk busy i'm be free ready
"""
_NOW = "now, right now, right away, immediately, at once, asap"
_BEFORE_NOW = """
    let's lets let us we you can could may do it a this that run start begin reflect go
    ahead and just please i'd rather prefer make i want to the with reflection proceed
    get done would like
"""
_DOUBTS = """
    if, unless, when, once, after, until, till, but, not, \\w+n't, no, never, or, later,
    wait, tomorrow, what, why, how, which, who, before, first, only, maybe, perhaps,
    depends?, provided, assuming, said, says, asked
"""
_YESES = "yes yeah yep yup yea sure absolutely definitely"
_NOES = "no nope nah naw"
_HEDGING = "maybe perhaps probably possibly"
_CONSENTING = "ok okay okey k kk alright fine"
_LEADING = """
    well hmm hm hey hi oh um uh ah please actually honestly just then so and but sorry
    also thanks
"""
_TRAILING = "please thanks thx then though instead mate buddy dear ok okay sorry"


def _ending(table: str) -> Wording:
    return Wording(rf"(?:^|(?<=\s)){one_of(table)}$")


_TABLES = (
    (Wording(one_of(_LATER)), Reply.LATER),
    (Wording(one_of(_NO)), Reply.NO),
    (Wording(one_of(_YES)), Reply.YES),
)
_ENDINGS = (
    (_ending(_WHEN), frozenset(_BEFORE_WHEN.split()), Reply.LATER),
    (_ending(_NOW), frozenset(_BEFORE_NOW.split()), Reply.YES),
)
_OPENERS = {
    **dict.fromkeys(_YESES.split(), Reply.YES),
    **dict.fromkeys(_NOES.split(), Reply.NO),
}
_HEDGES = frozenset(_HEDGING.split())
_CONSENTS = frozenset(_CONSENTING.split())
_LEADS = _HEDGES | _CONSENTS | frozenset(_LEADING.split())
_TAILS = frozenset(_TRAILING.split())
_DOUBT = Wording(rf"\b{one_of(_DOUBTS)}\b|\0")
_POLITE = Wording(r"(?:(?:please|ok|yes|sure) )?(?:(?:can|could) (?:you|we)|why not)\b")
_CAUSE = Wording(r"\s*(?:because|cause|cuz|since|here's why)\b[\s:,]*")


def read_reply(words: str) -> Reply:
    """What an answer to a check-in means, in plain English."""
    return hear(words).reply


def hear(words: str) -> Heard:
    """What an answer to a check-in means, and what else was said with it."""
    words = _THUMBS.get(words.strip(_TONES), words)
    said = clauses(words) if len(words) <= LONGEST else []
    meant: list[_Said] = []
    others: list[Clause] = []
    for clause in said:
        found = _meanings(clause.text)
        meant += found
        if any(each.reply is Reply.UNCLEAR for each in found):
            others.append(clause)
    reply = _together(meant)
    asks = any(clause.stop == "?" for clause in said) or words.rstrip()[-1:] == "?"
    if asks and others:
        reply = Reply.UNCLEAR
    if reply is Reply.YES and (
        any(_DOUBT.search(clause.text) for clause in others)
        or (asks and not any(_POLITE.match(one_line(each.text)) for each in said))
    ):
        reply = Reply.UNCLEAR
    return Heard(reply, remark_of(words, others))


def clauses(words: str) -> list[Clause]:
    """An answer cut at its stops, and before a "but" or a "because"."""
    text = mask(words, plain(words))
    found: list[Clause] = []
    start, stop = 0, ""
    for end, after, mark in (
        *((each.start(), each.end(), each[0].strip()) for each in _STOP.finditer(text)),
        (len(text), len(text), ""),
    ):
        if text[start:end].strip():
            found.append(Clause(text[start:end], start, end, stop))
            stop = mark
        elif mark:
            stop = mark
        start = after
    return found


def remark_of(words: str, said: Sequence[Clause]) -> str:
    """What some clauses say in the speaker's own words, on one line."""
    if not said:
        return ""
    text = words[said[0].start : said[-1].end]
    opened = _CAUSE.match(plain(text))
    return one_line(text[opened.end() if opened else 0 :])


def _meanings(text: str) -> list[_Said]:
    """What a clause means: a yes or no that opens it, and what follows."""
    found: list[_Said] = []
    words = text.split()
    while words:
        leads = list(takewhile(_LEADS.__contains__, words))
        words = words[len(leads) :]
        meant = _phrase(_without_tail(words)) if words else _courtesy(leads)
        if meant.reply is Reply.YES and not _HEDGES.isdisjoint(leads):
            meant = _UNCLEAR
        if meant.reply is not Reply.UNCLEAR or not words:
            return [*found, meant] if meant is not _NOTHING else found
        if words[0] not in _OPENERS:
            return [_UNCLEAR]
        found.append(_Said(_OPENERS[words[0]], bare=True))
        words = words[1:]
    return found


def _courtesy(leads: Sequence[str]) -> _Said:
    """What is said by words that otherwise only lead to something."""
    if not _CONSENTS.isdisjoint(leads):
        return _Said(Reply.YES, bare=True)
    return _NOTHING if _HEDGES.isdisjoint(leads) else _UNCLEAR


def _without_tail(words: list[str]) -> str:
    kept = len(words)
    while kept > 1 and words[kept - 1] in _TAILS:
        kept -= 1
    return " ".join(words[:kept])


def _phrase(text: str) -> _Said:
    """What a phrase means that has nothing around it."""
    if text in _OPENERS:
        return _Said(_OPENERS[text], bare=True)
    for table, reply in _TABLES:
        if table.fullmatch(text):
            return _Said(reply)
    for ending, leads, reply in _ENDINGS:
        found = ending.search(text)
        if found and leads.issuperset(text[: found.start()].split()):
            return _Said(reply)
    return _UNCLEAR


def _together(meant: Sequence[_Said]) -> Reply:
    """What several phrases mean together: the last counts, a yes only if alone."""
    known = [each for each in meant if each.reply is not Reply.UNCLEAR]
    if not known:
        return Reply.UNCLEAR
    *before, last = known
    earlier = {each.reply for each in before}
    if last == _Said(Reply.NO, bare=True) and Reply.LATER in earlier:
        return Reply.LATER
    against = [each for each in before if each.reply is not Reply.YES]
    if last.reply is Reply.YES and against:
        open_no = all(each == _Said(Reply.NO, bare=True) for each in against)
        return Reply.YES if open_no and not last.bare else Reply.UNCLEAR
    return last.reply
