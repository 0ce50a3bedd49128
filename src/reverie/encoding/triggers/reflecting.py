"""Asking to reflect, and asking what is remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.encoding.triggers.addressee import to_a_reader
from reverie.encoding.triggers.openings import Request
from reverie.encoding.triggers.reading import Reading
from reverie.encoding.triggers.wording import Wording, found_in, one_of
from reverie.model.triggers import TriggerKind

if TYPE_CHECKING:
    from reverie.encoding.triggers.openings import Opening
    from reverie.encoding.triggers.reading import Seen

_CLOSE = r"[\s.!?\u2026~)\"']*"
_END = Wording(rf"{_CLOSE}\Z")
_NOW = Wording(
    r"(?:\s+"
    + one_of(
        "now, please, together, a bit, for a (?:bit|moment|minute|second), again",
        "today, tonight, first, then, back",
    )
    + rf")*{_CLOSE}\Z|\s*,\s*(?:please|shall\s+we|ok|okay){_CLOSE}"
)
_ON = Wording(r"\s+(?:back\s+)?(?:on|upon|about)\s+(?=\S)")

# What a memory can reflect on, wherever the order stands.
_OURS = Wording(
    r"(?:all\s+(?:of\s+)?)?"
    + one_of(
        "this, that, it, today, yesterday, tonight, our, my, me, us, everything, these",
        "those, what (?:we|i|you|happened|went|this), how (?:we|i|you|this|it|today)",
        "why (?:we|i|you|this), the (?:last|past|day|week|month|session|conversation)",
        "the (?:chat|project|meeting|decision|discussion|events?|lessons?|work)",
        "last (?:week|month|night|year), recent",
        "your (?:memor(?:y|ies)|mistakes?|answers?)",
        "your (?:response|reply|day|work|last|previous|performance|own)",
    )
    + r"\b"
)
# What a pasted exercise names instead.
_EXERCISE = found_in(
    "a time (?:when|you), a moment when, your (?:own )?(?:life|experiences?|strengths)",
    "your (?:own )?(?:feelings|values|goals|personal), essay, paragraphs?",
    "the (?:role|importance|impact|meaning|significance) of",
    "(?:and|then) (?:write|discuss|explain|describe|share|answer|identify)",
)
_ITS = Wording(
    r"[\s\"'-]*(?:(?:ok|okay|alright|so|well|now|hey|and|right|great|good)[\s,.!]+)*"
    r"(?:i\s+think\s+)?(?:(?:it's|it\s+is|its|this\s+is|that's)\s+)?(?:now\s+|about\s+)?"
)


def read_reflect(seen: Seen) -> Reading | None:
    """Reads "reflect on today", "let's reflect", "reflection time"."""
    if seen.said != "reflect":
        return _announced(seen)
    opened = _ordered(seen)
    if opened is None:
        return None
    if seen.match(_NOW):
        plain = opened.alone or opened.request is not Request.NONE
        return _reflects(seen, "reflect") if plain else None
    about = seen.match(_ON)
    if about and _about_us(seen, about.end(), opened):
        return _reflects(seen, "reflect on", about.end())
    return None


def _about_us(seen: Seen, start: int, opened: Opening) -> bool:
    if seen.search(_EXERCISE) or to_a_reader(seen.text, start, seen.last):
        return False
    return opened.alone or bool(_OURS.match(seen.text, start, seen.last))


def _announced(seen: Seen) -> Reading | None:
    """Reads "it's time to reflect on the week"."""
    if seen.asks or not _ITS.fullmatch(seen.before(60)):
        return None
    noun = seen.said.startswith("reflection")
    phrase = "reflection time" if noun else "time to reflect"
    about = seen.match(_ON)
    if about:
        return _reflects(seen, phrase, about.end())
    return _reflects(seen, phrase) if seen.match(_NOW) else None


# --- tending memories ----------------------------------------------------------

_TENDED = Wording(
    rf"(?P<about>\s+(?:about|of|from|on|regarding)\s+(?=\S))|{_CLOSE}\Z|\s*[,;.!?)]|\s+"
    + one_of("now, please, and, then, a bit, first, for me, today, tonight, so, before")
    + r"\b"
)
SELF_IMAGE = "consolidate your self-image"
"""Asks for the picture the agent has of itself, not for a reflection."""

_SEEDS = {
    "consolidate": "consolidate your memories",
    "clean": "clean up your memory",
    "tidy": "clean up your memory",
    "organ": "clean up your memory",
}


def read_tending(seen: Seen) -> Reading | None:
    """Reads "consolidate your memories", "clean up your memory"; no memory leaks."""
    opened = _ordered(seen)
    if opened is None:
        return None
    after = seen.match(_TENDED)
    if seen.said == "consolidate":
        # Said alone it means the memories; else tables, or a budget.
        bare = opened.alone and seen.match(_END)
        return _reflects(seen, "consolidate") if bare else None
    if seen.said.endswith("image"):
        return _reflects(seen, SELF_IMAGE) if after else None
    known = "your" in seen.said.split() or seen.said.endswith("memories")
    if not after or not (known or seen.match(_END)):
        return None
    verb = (phrase for word, phrase in _SEEDS.items() if seen.said.startswith(word))
    phrase = next(verb, "review your memories")
    return _reflects(seen, phrase, after.end() if after["about"] else None)


def _ordered(seen: Seen) -> Opening | None:
    """As any order; but "shall we reflect?", said with "let's", is none the less."""
    if seen.request is Request.TOGETHER:
        return seen.opening
    return seen.ordered(Request.DUTY, Request.LEAVE)


def _reflects(seen: Seen, phrase: str, start: int | None = None) -> Reading:
    end = seen.end if start is None else start
    content = (end, end if start is None else seen.last)
    return Reading(TriggerKind.REFLECT, phrase, end, content)


# --- searching -----------------------------------------------------------------

_ASKS = Wording(
    r"(?:\A|[,;:.!?(\n]|\s-|\b"
    + one_of(
        "and, so, but, please, ok, okay, hey, well, now, then, first, just, again, you",
        "me, yes, no, also",
    )
    + r")\s*\Z"
)
_SOMETHING = Wording(r"\s+[^\s.!?,;]")


def read_search(seen: Seen) -> Reading | None:
    """Reads "what do you remember about …?": it looks, and writes nothing."""
    if not _ASKS.search(seen.before(60)) or not seen.match(_SOMETHING):
        return None
    content = (seen.end, seen.last)
    name = "what do you remember about"
    return Reading(TriggerKind.SEARCH, name, seen.end, content)
