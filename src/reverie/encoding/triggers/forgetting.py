"""Whether "forget" and its like are meant, and whether a memory is meant at all.

To forget is the dangerous order: it counts only with an object that can be known
("my old address", "what I said about…"), and "previous instructions" are the
conversation's, never a memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.encoding.triggers import objects
from reverie.encoding.triggers.addressee import ours, to_a_reader
from reverie.encoding.triggers.openings import Request
from reverie.encoding.triggers.reading import Reading
from reverie.encoding.triggers.wording import Wording, one_of
from reverie.model.triggers import Target, TriggerKind

if TYPE_CHECKING:
    import re

    from reverie.encoding.triggers.reading import Seen

_SEEDS = {"forget": "forget about", "never mind": "never mind about"}
_APART = frozenset((";", "(", ","))
_PLEASE = frozenset(("please", "pls", "plz"))

_END = Wording(
    r"[\s.!\u2026)\"']*"
    r"(?:(?:please|pls|thanks|now|too|as\s+well|permanently)[\s.!)]*)?\Z"
)
_PERMANENTLY = Wording(r"\bpermanently(?:\s+please)?[\s.!?]*\Z")
_NEVER_MIND_ABOUT = Wording(r",?\s+(?:about|what\s+i\b)(?=\s*\S)")
_SHRUGS = Wording(r"\s*(?:[.!,;)\u2026]|\Z|then\b|that\b|i\b|let's\b)")
_WHOSE = Wording(r"\s+(?:the\s+fact|your|his|her|their)\b")
_SCRATCHES = Wording(
    r"\s*(?:[.,;:!?)\u2014\u2013\u2026]|\Z|-\s)|\s+"
    + one_of(
        "last, previous, and, please, let's, actually, i, make, it's, the, we, instead",
        "idea, one, plan, part, for",
    )
    + r"\b"
)
_SUBJECT = Wording(
    r"(?:\A|[.!?,;\n]|\s-)\s*(?:"
    + one_of("ok, okay, and, but, so, well, also, btw, actually, oh, yeah")
    + r"[\s,]+)*(?:(?:that|this|it|those|these|they)"
    r"|(?P<named>(?:my|our|the|what\s+i|everything\s+i)\s[^.!?,;\n]{1,80}?))"
    r"\s*(?:'s|'re|\bis|\bare)\s*(?:really\s+|now\s+)?\Z"
)
_RELEVANT = Wording(
    r"(?:\s+"
    + one_of("now, any ?more, to me, to us, for me, for us, at all, thanks, please, so")
    + r")?\s*(?:[.!,;)\u2014\u2013\u2026]|\Z|\s-)"
)


# --- the phrases ---------------------------------------------------------------


def read_forget(seen: Seen) -> Reading | None:
    """Reads "forget about …", "forget what I said about …", "forget it"."""
    if not _ordered(seen):
        return None
    at = _before_about(seen)
    shrug = objects.IT.match(seen.text, at, seen.last) or seen.match(objects.I_ASKED)
    if shrug:
        return _shrug(seen, shrug.end())
    found = (
        _conversation(seen, at)
        or _what_was_said(seen, at)
        or _everything(seen)
        or _one_thing(seen)
    )
    return found if found and not _rhetoric(seen, found) else None


def read_disregard(seen: Seen) -> Reading | None:
    """Reads "disregard my last message", "disregard the deadline"."""
    if not _ordered(seen):
        return None
    found = _what_was_before(seen) or _one_thing(seen)
    return found if found and not _rhetoric(seen, found) else None


def read_ignore(seen: Seen) -> Reading | None:
    """Reads "ignore what I said about …": only what was said can be ignored."""
    if not _ordered(seen):
        return None
    return _what_was_before(seen) or _that(seen)


def read_never_mind(seen: Seen) -> Reading | None:
    """Reads "never mind.", a shrug, and "never mind about …", which forgets."""
    opened = seen.opening
    if opened is None or opened.request is not Request.NONE:
        return None
    about = seen.match(_NEVER_MIND_ABOUT)
    before = _conversation(seen, seen.end)
    if before:
        return before
    if about and not seen.asks and not seen.match(objects.IT):
        said = _what_was_said(seen, seen.end)
        found = said or _forgets(seen, about.end(), (about.end(), seen.last))
        return None if _rhetoric(seen, found) else found
    if seen.match(_SHRUGS) or (opened.alone and not seen.match(_WHOSE)):
        return _shrug(seen, seen.end)
    return None


def read_scratch(seen: Seen) -> Reading | None:
    """Reads "scratch that", which takes back what was just said; an itch it is not."""
    if not _ordered(seen) or not seen.match(_SCRATCHES):
        return None
    return _forgets(seen, seen.end, (seen.end, seen.end), Target.CONVERSATION)


def read_no_longer_relevant(seen: Seen) -> Reading | None:
    """Reads "that's no longer relevant", "my old job is no longer relevant"."""
    before = seen.before(160)
    subject = _SUBJECT.search(before)
    if seen.asks or not seen.match(_RELEVANT) or (before.strip() and not subject):
        return None
    if subject and subject["named"]:
        first = seen.start - len(before)
        start, end = subject.span("named")
        return _forgets(seen, seen.end, (first + start, first + end))
    return _forgets(seen, seen.end, (seen.end, seen.end), Target.CONVERSATION)


def read_removal(seen: Seen) -> Reading | None:
    """Reads "remove … from your memory", "delete the memory about …"."""
    if not _ordered(seen):
        return None
    found = _of_memory(seen) or _from_memory(seen) or _personal(seen)
    return found if found and not to_a_reader(seen.text, *found.content) else None


# --- what was said -------------------------------------------------------------


def _what_was_before(seen: Seen) -> Reading | None:
    return (
        _conversation(seen, seen.end)
        or _what_was_said(seen, seen.end)
        or _everything_before(seen)
    )


def _conversation(seen: Seen, at: int) -> Reading | None:
    found = objects.CONVERSATION.match(seen.text, at, seen.last)
    if found is None:
        return None
    return _forgets(seen, seen.end, (seen.end, found.end()), Target.CONVERSATION)


def _what_was_said(seen: Seen, at: int) -> Reading | None:
    """What I said about the budget is the budget; without it, the conversation."""
    found = objects.SAID.match(seen.text, at, seen.last)
    if found is None:
        return None
    if found["about"]:
        return _forgets(seen, found.end(), (found.end(), seen.last))
    return _forgets(seen, seen.end, (seen.end, found.end()), Target.CONVERSATION)


def _everything_before(seen: Seen) -> Reading | None:
    found = seen.match(objects.EVERYTHING_BEFORE)
    if found is None:
        return None
    return _forgets(seen, seen.end, (seen.end, found.end()), Target.CONVERSATION)


def _that(seen: Seen) -> Reading | None:
    found = seen.match(objects.THAT)
    if found is None:
        return None
    return _forgets(seen, found.end(), (found.end(), found.end()), Target.CONVERSATION)


def _part(seen: Seen) -> Reading | None:
    """Reads "forget that you are a nurse": a part that was played."""
    if not seen.match(objects.YOU_ARE):
        return None
    return _forgets(seen, seen.end, (seen.end, seen.last), Target.CONVERSATION)


# --- what is known -------------------------------------------------------------


def _everything(seen: Seen) -> Reading | None:
    before = _everything_before(seen)
    if before:
        return before
    about = seen.match(objects.EVERYTHING_ABOUT)
    if about and _knowable(seen, about):
        at = about.start("object")
        return _forgets(seen, at, (at, seen.last), _target(seen, at))
    found = seen.match(objects.EVERYTHING)
    return _forgets(seen, seen.end, (seen.end, found.end())) if found else None


def _target(seen: Seen, at: int) -> Target:
    """The previous paper is the conversation's; my previous address is not."""
    earlier = objects.LAST_TALK.match(seen.text, at, seen.last)
    return Target.CONVERSATION if earlier else Target.MEMORY


def _knowable(seen: Seen, about: re.Match[str]) -> bool:
    """Everything you know about me; about gardening, it is how adverts go."""
    kind = seen.opening is not None and seen.opening.kind
    known = objects.ME.match(seen.text, about.start("object"))
    return kind or not about["known"] or known is not None


def _one_thing(seen: Seen) -> Reading | None:
    """Reads "my old address", "that I live in Bonn", "the trip", "Alice"."""
    that = _that(seen) or _part(seen)
    if that or seen.match(_END) or seen.match(objects.NO_OBJECT):
        return that
    clause = seen.match(objects.CLAUSE) if seen.family == "forget" else None
    if clause:
        return _forgets(seen, clause.end(), (clause.end(), seen.last))
    about = seen.text.endswith("about", 0, seen.end)
    if seen.match(objects.CERTAIN) or (about and not _a_kind(seen)):
        return _forgets(seen, seen.end, (seen.end, seen.last))
    return None


def _a_kind(seen: Seen) -> bool:
    """Heavy coats are a kind of thing, not a thing."""
    start = seen.end
    while start < seen.last and seen.text[start].isspace():
        start += 1
    return bool(objects.KIND.match(seen.text, start, seen.last))


def _rhetoric(seen: Seen, found: Reading) -> bool:
    """Whether only a reader is talked to."""
    start, end = found.content
    if found.target is Target.CONVERSATION:
        return False
    slogan = objects.SLOGAN.match(seen.text, start) and not ours(seen.text, start, end)
    return bool(slogan) or to_a_reader(seen.text, start, end)


def _of_memory(seen: Seen) -> Reading | None:
    found = seen.match(objects.OF_MEMORY) or seen.match(objects.KNOWN)
    if not found or seen.search(objects.MACHINE):
        return None
    at = found.start("object")
    if at >= 0:
        return _forgets(seen, at, (at, seen.last), _target(seen, at))
    if not _END.match(seen.text, found.end(), seen.last):
        return None
    return _forgets(seen, seen.end, (seen.end, found.end()))


def _from_memory(seen: Seen) -> Reading | None:
    found = seen.match(objects.FROM_MEMORY)
    if not found or (not found["your"] and objects.MACHINE.search(found[0])):
        return None
    if found["after"]:
        return _forgets(seen, found.end(), (found.end(), seen.last))
    start, end = found.span("object")
    pointed = objects.POINTED.match(seen.text, start, end)
    return _forgets(seen, seen.end, (start, start if pointed else end))


def _personal(seen: Seen) -> Reading | None:
    """Reads "permanently delete my old address": the words are explicit enough."""
    if not _says_permanently(seen) or not seen.match(objects.PERSONAL):
        return None
    if seen.search(objects.MACHINE):
        return None
    return _forgets(seen, seen.end, (seen.end, seen.last))


# --- shared --------------------------------------------------------------------


def _ordered(seen: Seen) -> bool:
    """Whether the phrase is an order: alone in its sentence, or beside another one."""
    opened = seen.ordered(Request.DUTY)
    if opened is None or opened.general:
        return False
    asked = opened.request is not Request.NONE or opened.join in _PLEASE
    apart = opened.join in _APART and not opened.continues
    return asked or opened.alone or opened.follows_order or apart


def _before_about(seen: Seen) -> int:
    """Where the object begins if "about" is counted as its first word."""
    return seen.text.index("forget", seen.start, seen.end) + len("forget")


def _says_permanently(seen: Seen) -> bool:
    if seen.text.startswith("permanently", seen.start):
        return True
    start = max(seen.end, seen.last - 40)
    return bool(_PERMANENTLY.search(seen.text, start, seen.last))


def _forgets(
    seen: Seen,
    end: int,
    content: tuple[int, int],
    target: Target = Target.MEMORY,
) -> Reading:
    phrase = _SEEDS.get(seen.family, seen.family)
    turn = objects.TURN.search(seen.text, *content)
    content = (content[0], turn.start() if turn else content[1])
    permanent = target is Target.MEMORY and _says_permanently(seen)
    return Reading(
        TriggerKind.FORGET, phrase, end, content, target=target, permanent=permanent
    )


def _shrug(seen: Seen, end: int) -> Reading:
    phrase = "forget it" if seen.family == "forget" else "never mind"
    return Reading(
        TriggerKind.DISMISS, phrase, end, (end, end), target=Target.CONVERSATION
    )
