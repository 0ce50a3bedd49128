"""Other ways to say that something is to be kept: notes, labels, standing orders."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reverie.encoding.triggers.addressee import mine, ours, to_the_assistant, we_open
from reverie.encoding.triggers.openings import Request, gives_an_order
from reverie.encoding.triggers.reading import Reading
from reverie.encoding.triggers.remembering import doubtful
from reverie.encoding.triggers.vocabulary import IMPERATIVE
from reverie.encoding.triggers.wording import Wording, found_in, one_of
from reverie.model.triggers import TriggerKind

if TYPE_CHECKING:
    from reverie.encoding.triggers.reading import Seen

_LOOK_BACK = 240

_POINTER = Wording(
    r"(?:all\s+(?:of\s+)?)?(?:this|that|these|those|it|them|the\s+following)"
    r"(?:\s+(?:information|info|points?|facts?|rules?|all))?\Z"
)
_INNER = Wording(
    r"\w+\s+(?P<inner>.*?)\s*\b(?:in\s+mind|(?:in|to|into)\s+"
    r"(?:(?:your|the|my|our|long[- ]term)\s+){0,2}memory)\Z",
    re.DOTALL,
)
_COLON = Wording(r"[^\n:.!?]{0,80}?:")
_END = Wording(
    r"[\s.!?\u2026)\"']*(?:(?:please|pls|thanks|thank\s+you|now|too|as\s+well)[\s.!?)]*)?\Z"
)
_SEPARATOR = Wording(r"\s*(?:[:,\u2014\u2013]|\s-+\s)\s*(?:that\s)?|\s+that\s|\s+")
_HARD_SEPARATOR = Wording(r"\s*[:,\u2014\u2013]|\s+-+\s|\s+that\b")
_CALLED = Wording(
    r"(?:\A|[.!?,;\n]|\s-)\s*(?:(?:this|that|it)(?:'s|\s+is)\s+)?"
    r"(?:very|really|super|extremely|so)?\s*\Z"
)
_APART = Wording(r"[,\u2014\u2013-]\s*(?:just\s+)?\Z")
_SAVED = Wording(
    r"(?:\s+"
    + one_of(
        "info, information, facts?, details?, note, preference, recipe, idea, list",
        "conversation, chat, one, number, address, date",
    )
    + r")?(?:\s+(?:for|in|to|somewhere)\b(?!\s+"
    + one_of("an?, the, my, disk, file, csv, pdf, excel")
    + r"\b)[^\n:.!?]{0,40})?(?:\s*(?::|[.!?]*\s*\Z))"
)


def read_kept_in_mind(seen: Seen) -> Reading | None:
    """Reads "keep the budget in mind", "keep this in mind: …"."""
    return _held(seen, "keep in mind") if _ordered(seen) else None


def read_saved_to_memory(seen: Seen) -> Reading | None:
    """Reads "add this to your memory"; not "keep the array in memory"."""
    if not _ordered(seen):
        return None
    inner = _INNER.match(seen.said)
    thing = inner["inner"] if inner else ""
    whose = "your" in seen.said.split()[-3:]
    if thing and not whose and not _POINTER.match(thing):
        return None
    return _held(seen, "save this")


def _held(seen: Seen, phrase: str) -> Reading | None:
    """What stands inside the phrase; or after its colon; or before it."""
    inner = _INNER.match(seen.text, seen.start, seen.end)
    thing = inner["inner"] if inner else ""
    if inner and thing and not _POINTER.match(thing):
        return _checked(seen, inner.span("inner"), phrase)
    colon = _COLON.match(seen.text, seen.end, seen.sentence.paragraph[1])
    if colon:
        return _block(seen, colon.end(), phrase)
    return _back(seen, phrase) if thing else _following(seen, phrase)


def read_note(seen: Seen) -> Reading | None:
    """Reads "note that …", "make a note: …", "note to self: …", "write this down"."""
    said = seen.said
    if not _ordered(seen):
        return None
    label = said.endswith(":") and not ours(seen.text, seen.end, seen.last)
    meant = to_the_assistant(seen.text, seen.end, seen.last)
    if label or (said.endswith("of") and not meant):
        return None
    if said.endswith("down") or seen.match(_END):
        return _back(seen, seen.family)
    return _following(seen, seen.family)


def read_important(seen: Seen) -> Reading | None:
    """Reads "important: …", as the head of what is said."""
    called = _CALLED.search(seen.before(40))
    opens = seen.opening is not None and seen.opening.request is Request.NONE
    if seen.asks or not (called or opens):
        return None
    return _following(seen, seen.family)


# Who speaks of themselves needs no comma: "for future reference I am vegetarian".
_OF_MY_OWN = Wording(r"\s+(?=(?:i|i'm|i've|my|we|our)\b)")


def read_reference(seen: Seen) -> Reading | None:
    """Reads "for future reference, …" and "…, for future reference."."""
    if seen.asks:
        return None
    if seen.opening and (seen.match(_HARD_SEPARATOR) or seen.match(_OF_MY_OWN)):
        return _following(seen, seen.family)
    if _APART.search(seen.before(12)) and seen.match(_END):
        return _before(seen)
    return None


def read_later(seen: Seen) -> Reading | None:
    """Reads "FYI for later: …"."""
    if seen.asks or seen.opening is None:
        return None
    return _following(seen, seen.family)


def read_saved(seen: Seen) -> Reading | None:
    """Reads "save this: …", "save that I …", "save this for later"; no files."""
    if not _ordered(seen):
        return None
    if seen.said.endswith("that") and we_open(seen.text, seen.end):
        return _following(seen, seen.family)
    saved = _SAVED.match(seen.text, seen.end, seen.sentence.end)
    if saved is None:
        return None
    if saved[0].rstrip().endswith(":"):
        return _block(seen, saved.end(), seen.family)
    return _back(seen, seen.family)


# --- from now on ---------------------------------------------------------------

# What somebody means to do, or did: no order.
_RESOLVE = Wording(
    r"[\s,:]*"
    + one_of(
        "i'll, i will, i'm, i am, i shall, i plan, i can, i need to, he, she, they",
        "his, her, their, it was, with, in, to, into, from, as a",
    )
    + r"\b"
)
_TO_YOU = found_in("you, call me, refer to me")
_DIRECTION = Wording(
    rf"[\s,:]*(?:{IMPERATIVE.pattern}|"
    + one_of(
        "please, pls, when, whenever, if, every time, you, i want, i need, i'd like",
        "i would like, all, any, each, my, we, our, let's, can you, could you",
    )
    + r"\b)"
)
_STRICT_DIRECTION = Wording(
    r"[\s,:]*"
    + one_of(
        "please, when i, whenever i, if i, every time, always, never, don't, do not",
        "dont, only, just, you (?:should|must|need to|will|have to), i want you",
        "i need you, i'd like you, i would like you, can you, could you, remember, use",
        "avoid, answer, reply, respond, call",
    )
    + r"\b"
)
# Orders that mean little unless they stand for good.
_STANDING = Wording(
    r"[\s\-#]*(?:(?:ok|okay|and|so|also|now|please|just)[\s,]+)*"
    + one_of(
        "always, never, only, use, call, refer, address, answer, respond, reply, speak",
        "talk, format, keep, stop, avoid, be, act, treat, ask, remind, include, skip",
        "no, dont, don't, do not, please",
    )
    + r"\b"
)
_YOU_SHALL = Wording(
    r"\s*(?:(?:ok|okay|so|and|now)[\s,]+)?you(?:'ll|'re|\s+will|\s+are|\s+must)\s+"
)
_YOU_ARE = Wording(
    r"\s*(?:(?:ok|okay|so|and|now)[\s,]+)?"
    + one_of("you are, you're, you'll, you will, you should, you must, you have to")
    + r"\b"
)
_ASKING = Wording(r"[\s,:]*(?:can|could|would|will)\s+you\b")
_POLITE = Wording(r"\b(?:can|could|would|will)\s+you\b")


def read_from_now_on(seen: Seen) -> Reading | None:
    """Reads "from now on, …" before an order, or after one."""
    if seen.match(_END):
        return _after_an_order(seen)
    told = _YOU_SHALL.fullmatch(seen.before(40))
    opens = seen.opening is not None and seen.request is Request.NONE
    asks = seen.asks and not seen.match(_ASKING)
    if asks or not (told or opens) or not _directs(seen):
        return None
    return _following(seen, seen.family)


def _directs(seen: Seen) -> bool:
    """Whether what follows is an order, and not a resolution or a tale."""
    if seen.match(_RESOLVE) and not seen.search(_TO_YOU):
        return False
    if seen.said.endswith("future"):
        return bool(seen.match(_STRICT_DIRECTION))
    comma = seen.text[seen.end : seen.end + 1] in {",", ":"}
    plain = seen.said.startswith("from") or (comma and seen.said.startswith("going"))
    return plain or bool(seen.match(_DIRECTION))


def _after_an_order(seen: Seen) -> Reading | None:
    front = seen.before(_LOOK_BACK)
    if seen.asks and not _POLITE.search(front):
        return None
    from_now = seen.said.startswith("from")
    order = gives_an_order(front) or _YOU_ARE.match(front)
    if _STANDING.match(front) or (from_now and order):
        return _before(seen)
    return None


# --- where the content is ------------------------------------------------------


def _ordered(seen: Seen) -> bool:
    if not seen.ordered(Request.TOGETHER, Request.LEAVE):
        return False
    return not seen.general or mine(seen.text, seen.end, seen.last)


def _checked(seen: Seen, content: tuple[int, int], phrase: str) -> Reading | None:
    found = Reading(TriggerKind.REMEMBER, phrase, seen.end, content)
    return None if doubtful(seen, found) else found


def _following(seen: Seen, phrase: str) -> Reading | None:
    gap = seen.match(_SEPARATOR)
    start = gap.end() if gap else seen.end
    return _checked(seen, (start, seen.last), phrase)


def _before(seen: Seen) -> Reading | None:
    return _checked(seen, (seen.sentence.start, seen.start), seen.family)


def _back(seen: Seen, phrase: str) -> Reading | None:
    none = (seen.end, seen.end)
    found = Reading(TriggerKind.REMEMBER, phrase, seen.end, none, back=True)
    return None if doubtful(seen, found) else found


def _block(seen: Seen, start: int, phrase: str) -> Reading:
    content = (start, seen.sentence.paragraph[1])
    return Reading(TriggerKind.REMEMBER, phrase, start, content, whole=True)
