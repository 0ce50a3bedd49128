"""What a sentence tells of the owner: who they are, what they like, what they need."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reverie.encoding.routing.gazetteer import GIVEN_NAMES
from reverie.encoding.routing.lexicon import (
    DETERMINERS,
    HEALTH,
    NO_TRADES,
    TRADE_ENDINGS,
    TRADE_ENDINGS_TOO,
    TRADES,
)
from reverie.model.items import Block

if TYPE_CHECKING:
    from reverie.encoding.routing.reading import Sentence

LONGEST_WISH = 6
"""So many words somebody's taste may have to be a thing of its own."""

_I = r"(?:i|user|the user)"
_MY = r"(?:my|user's|the user's)"
_IDENTITY = re.compile(
    rf"^(?:{_MY} (?:(?:full |first |last |real )?name|surname|nickname) is\b"
    rf"|{_MY} (?:preferred )?pronouns are\b"
    rf"|{_MY} (?:job|job title|role|profession|occupation|current role) is\b"
    rf"|{_MY} (?:time ?zone) is\b"
    rf"|{_I} (?:am|is) (?:in|on) (?:the )?[a-z+/0-9 -]{{1,30}}\btime\b"
    rf"|{_I} (?:am|is) in (?:utc|gmt)\b"
    rf"|{_MY} (?:native|first|main|preferred|mother) (?:language|tongue) is\b"
    rf"|[a-z]+ is {_MY} (?:native|first|second|mother) (?:language|tongue)\b"
    rf"|{_I} speaks? [a-z]+|{_I} (?:works?|am working|is working) as an?\b"
    rf"|{_I} (?:am|is) (?:called|retired|unemployed|self-employed|a freelancer)\b"
    rf"|{_I} (?:teach(?:es)?|stud(?:y|ies)) [a-z]+|{_I} goes? by\b|{_I} go by\b)"
)
_TRADE = re.compile(rf"^{_I} (?:am|is) (?:currently |now )?(?:an?|the) (.+)$")
_CALL_ME = re.compile(
    r"^(?:please |just |you (?:can |may |should ))?call me "
    r"(?!when|if|on|at|back|tomorrow)[a-z]"
)
_EMERGENCY = re.compile(
    r"\b(?:emergency contact|in an emergency|in case of emergency)\b"
)
_CONDITION = re.compile(r"\bblood (?:type|group)\b|\bheart condition\b")
_CONTEXT = re.compile(
    rf"^(?:{_I} (?:am|is) (?:currently |now )?(?:working on|focused on|focusing on)\b"
    rf"|currently,? {_I}\b|right now,? {_I}\b|{_MY} (?:current|top) (?:focus|priority))"
)

_LIKES = r"(?:prefers?|likes?|loves?|enjoys?|adores?|favou?rs?)"
_HATES = (
    r"(?:hates?|dislikes?|detests?|loathes?|avoids?|can not stand|cannot stand"
    r"|can not (?:bear|eat|drink|have|tolerate)"
    r"|(?:do|does) not (?:like|enjoy|eat|drink|want|care for|use)"
    r"|never (?:eats?|drinks?|uses?))"
)
_WISH = re.compile(
    r"^(?:would (?:rather|prefer|much rather) (?P<not>not )?(?:to )?"
    rf"|(?P<likes>{_LIKES}) (?:to )?"
    rf"|(?P<hates>{_HATES}) (?:to )?"
    r"|(?:am|is) not (?:really )?(?:a |much of a )(?:big |huge |great )?"
    r"(?P<nofan>fan) of "
    r"|(?:am|is) a (?:big |huge |great |real )?(?P<fan>fan) of "
    r"|(?:am|is) (?P<notinto>not )?(?:really |very |totally )?into (?!a\b|the\b))"
    r"(?P<what>.+)$"
)
_USE = re.compile(r"^use (?P<what>.+?) (?:instead of|rather than|over|not) ")
_END = re.compile(
    r"[,;:.!?](?:\s|$)| (?:over|than|instead of|rather than|because|since|so that|but"
    r"|when|if|while|although|as it|more than|to)\b"
)
_FAVOURITE = re.compile(
    rf"^(?:{_MY} )?(?:all-time )?favou?rite [a-z -]{{1,30}}?(?: is| are|:) "
    r"(?P<what>.+)$"
)
_IS_FAVOURITE = re.compile(
    rf"^(?P<what>[a-z' -]{{2,50}}) (?:is|are) {_MY} (?:all-time )?favou?rites?\b"
)
_HABIT = re.compile(rf"^{_I} (?:always|never|usually|tend to|rarely|hardly ever) ")
_NEVER = re.compile(rf"^{_I} (?:never|rarely|hardly ever) (?P<what>.+)$")


def identity_block(sentence: Sentence) -> Block | None:
    """Which block of core memory a sentence about the owner belongs in."""
    low = sentence.low
    told = _IDENTITY.match(low) or _is_trade(low) or _is_name(sentence)
    return Block.IDENTITY if told else None


def _is_name(sentence: Sentence) -> bool:
    """Whether somebody says their name: `I am Beatriz`."""
    words = sentence.words
    if [word.low for word in words[:2]] != ["i", "am"] or len(words) < 3:
        return False
    return words[2].low in GIVEN_NAMES and words[2].text[0].isupper()


def _is_trade(low: str) -> bool:
    """Whether somebody says what they are: `I am a structural engineer`."""
    found = _TRADE.match(low)
    if not found:
        return False
    words = re.split(r"[,.;!]| (?:at|in|for|with|from|of|and|who|on)\b", found[1])[0]
    last = words.split()[-1:] or [""]
    if last[0] in NO_TRADES or len(words.split()) > 4:
        return False
    return last[0] in TRADES or last[0].endswith(TRADE_ENDINGS + TRADE_ENDINGS_TOO)


def also_core(sentence: Sentence, *, own: bool) -> Block | None:
    """Which block of core memory should hear of a fact as well; None is none.

    Args:
        sentence: The fact.
        own: Whether it is about the owner or somebody they call their own.
    """
    low = sentence.low
    ill = own and not HEALTH.isdisjoint(word.low for word in sentence.words)
    tests = (
        (ill or (own and _CONDITION.search(low)), Block.CRITICAL),
        (_EMERGENCY.search(low), Block.CRITICAL),
        (_CALL_ME.match(low), Block.IDENTITY),
        (_CONTEXT.match(low), Block.CONTEXT),
    )
    return next((block for holds, block in tests if holds), None)


def is_address(sentence: Sentence) -> bool:
    """Whether somebody says what to call them."""
    return _CALL_ME.match(sentence.low) is not None


def is_emergency(sentence: Sentence) -> bool:
    """Whether it says whom to call when it matters."""
    return _EMERGENCY.search(sentence.low) is not None


def wish_in(said: str) -> tuple[str, str] | None:
    """What a person likes or avoids, from the verb on.

    Returns:
        `prefers` or `avoids`, and what; the latter empty where it is too long to be a
        thing of its own.
    """
    found = _WISH.match(said)
    if not found:
        return None
    avoids = found["not"] or found["hates"] or found["nofan"] or found["notinto"]
    return ("avoids" if avoids else "prefers", wished(found["what"]))


def favourite_in(sentence: Sentence) -> str | None:
    """What is said to be the owner's favourite; None where nothing is."""
    found = _FAVOURITE.match(sentence.low) or _IS_FAVOURITE.match(sentence.low)
    return wished(found["what"]) if found else None


def order_in(sentence: Sentence) -> str | None:
    """What the owner wants used instead of something else."""
    found = _USE.match(sentence.low)
    return wished(found["what"]) if found else None


def habit_in(sentence: Sentence) -> str | None:
    """What the owner never does; empty for other habits, None for no habit."""
    if not _HABIT.match(sentence.low):
        return None
    found = _NEVER.match(sentence.low)
    return wished(found["what"]) if found else ""


def wished(text: str) -> str:
    """The thing in a wish, without articles; empty where it is too long."""
    words = _END.split(f"{text} ", maxsplit=1)[0].split()
    while words and (words[0] in DETERMINERS or words[0] in {"to", "it", "when"}):
        words = words[1:]
    if words and words[0] == "get":
        words = words[1:]
    return " ".join(words) if 0 < len(words) <= LONGEST_WISH else ""
