"""Whether "remember" and its like are meant as an order, and what is to be kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.encoding.triggers.addressee import (
    a_task,
    for_everybody,
    mine,
    ours,
    to_a_reader,
    to_the_assistant,
)
from reverie.encoding.triggers.openings import RUN_ON, Request
from reverie.encoding.triggers.reading import Reading
from reverie.encoding.triggers.vocabulary import IMPERATIVE, WRITES
from reverie.encoding.triggers.wording import Wording, found_in, one_of
from reverie.model.triggers import TriggerKind

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from reverie.encoding.triggers.reading import Seen

    _Form = Callable[[Seen, re.Match[str]], Reading | None]

# --- what follows the phrase ---------------------------------------------------

_NOTHING = Wording(
    r"\s+so\s+(?:that\s+)?i\b"
    r"|[\s.!?\u2026)\"'\]]*(?:please|pls|thanks)?[\s.!?\u2026)\"'\]]*\Z"
)
_PROSE = Wording(r"[ ,]{1,3}(?:though|however|too|of\s+course)\b\s?,?")
_THING = one_of(
    "info, information, facts?, details?, context, data, texts?, content, lists?",
    "conversations?, messages?, prompts?, instructions?, rules?, points?, numbers?",
    "names?, preferences?, ideas?, recipes?, notes?, answers?, ones?, requirements?",
    "examples?, settings?, commands?",
)
_POINTING = Wording(
    r"\s+(?:all\s+(?:of\s+)?)?(?:this|that|these|those|it|them|the\s+following)"
    rf"(?:\s+{_THING})?(?=\s*[:.,;!?)\u2014\u2013]|\s*\Z|\s-|\s+"
    + one_of(
        "for, in, when, while, as, during, throughout, from, going, please, too",
        "always, forever, and, if, so, at",
    )
    + r"\b)"
)
_COLON = Wording(r"[^\n:.!?]{0,60}?:")
_MARK = Wording(r"\s*(?:[:\u2014\u2013\u2026]|\.\.+)|\s*-+\s")
_COMMA = Wording(r"\s*,\s*")
_TO_DO = Wording(
    r"\s+to\s+(?:(?:always|also|never|only|please|just|still)\s+){0,2}(?=\S)"
)
_ABOUT = Wording(r"\s+(?:all\s+)?about\b")
# "Remember when …", "remember going there": memories, not orders.
_MUSING = Wording(
    rf"\s+(?:when\b(?!\s+(?:you\s+)?{WRITES})|how\s+(?:i|we|you|it)\s+"
    + one_of(
        "said, mentioned, talked, was, were, used, had, did, told, went, felt, got"
    )
    + r"\b|(?:the|that|those)\s+(?:(?:one|first|last)\s+)?(?:times?|days?|good\s+old)"
    + r"\b|"
    + one_of(
        "being, seeing, going, reading, watching, having, doing, feeling, hearing",
        "thinking, playing, using, trying, visiting, talking, getting, learning",
        "working, wearing, eating, asking, telling, saying, meeting, looking, buying",
        "calculating",
    )
    + r"\b)"
)
_WH = Wording(r"\s+(?:what|how|why|where|who|which|whether|if)\b")
_THAT = Wording(r"\s+that\b")
_ANYTHING = Wording("")

# Where no mark divides it from another order, it must speak of "you", "I", "my".
_CLEAR = Wording(
    r"\s+(?:that\s+(?:i|i'm|my|we|our|you|you're|it|it's|the|this)|you(?:'re|\s+are)"
    r"|i|i'm|my)\b"
)
# "Don't forget me": whom, and what of him?
_SOMEBODY = Wording(
    r"\s+(?:me|us|him|her)(?=\s*[.,;!?)]|\s*\Z|\s+(?:when|as|if|always|forever|ever)\b)"
)
# What tells something: "can you remember my size is 43?"
_SAYS = found_in("is, are, am, it's, i'm, for me, for later, next time, the following")
# "Don't forget the ears: …" heads a paragraph of advice.
_HEADING = Wording(r"\s(?:about\s)?[^:.!?\n]{1,50}:\s+\w+\s+\w+\s+\w")
# Before a question, a thing alone is a reminder: "remember the list, can you …?"
_CLAUSE = Wording(
    r"\s+(?:i'm|i've|i\s|we're|you're|you\s|he\s|she\s|it\s|they\s|not\s|no\s"
    r"|[^,;]{1,60}\b(?:is|are|was|were|has|have|must|should|can|will|needs?)\b)"
)


def read_remember(seen: Seen) -> Reading | None:
    """Reads "remember", "don't forget", "keep in mind" by what follows them."""
    opened = seen.opening
    if opened is None or opened.request in (Request.TOGETHER, Request.LEAVE):
        return None
    unclear = opened.join == RUN_ON and not _clearly_ours(seen)
    if unclear or (seen.asks and not opened.asks) or _tries_us(seen):
        return None
    found = next(
        read(seen, form) for pattern, read in _FORMS if (form := seen.match(pattern))
    )
    return found if found and not doubtful(seen, found) else None


def _tries_us(seen: Seen) -> bool:
    """Whether it only asks if we can: "can you remember what I said?"."""
    if seen.request is not Request.QUESTION or seen.family != "remember":
        return False
    opened = seen.text[seen.opening.start : seen.start] if seen.opening else ""
    if "please" in opened or seen.match(_TO_DO):
        return False
    if "will" in opened or "would" in opened:
        return True
    return not (seen.match(_POINTING) or seen.match(_THAT) or seen.search(_SAYS))


def doubtful(seen: Seen, found: Reading) -> bool:
    """Whether it is rather somebody else's order, or advice for everybody."""
    start, end = (found.end, seen.last) if found.back else found.content
    meant = found.back or to_the_assistant(seen.text, start, end)
    return (
        to_a_reader(seen.text, start, end)
        or for_everybody(seen.text, start, end)
        or (seen.general and not mine(seen.text, start, end))
        or (seen.request is Request.DUTY and not meant)
    )


def _clearly_ours(seen: Seen) -> bool:
    verb = seen.match(_TO_DO)
    task = verb is not None and a_task(seen.text, verb.end(), seen.last)
    if seen.family == "keep in mind" and seen.match(_THAT):
        return True
    return task or seen.match(_CLEAR) is not None


def _kept(seen: Seen, end: int, start: int | None = None) -> Reading:
    """To be kept: from a place to the end of what is said."""
    content = (end if start is None else start, seen.last)
    return Reading(TriggerKind.REMEMBER, _name(seen, end), end, content)


def _name(seen: Seen, end: int) -> str:
    that = seen.text[seen.end : end].strip() == "that"
    return "remember that" if that and seen.family == "remember" else seen.family


# --- one rule for each form ----------------------------------------------------


def _bare(seen: Seen, _: re.Match[str]) -> Reading | None:
    """Nothing: "don't forget!" means what came before; "Remember." means nothing."""
    kind = seen.opening is not None and seen.opening.kind
    if seen.family == "remember" and not kind:
        return None
    none = (seen.end, seen.end)
    return Reading(TriggerKind.REMEMBER, seen.family, seen.end, none, back=True)


def _prose(seen: Seen, form: re.Match[str]) -> Reading | None:
    """A word of prose: "keep in mind, however, that …" goes on with an exposition."""
    if not ours(seen.text, form.end(), seen.last):
        return None
    that = _THAT.match(seen.text, form.end(), seen.last)
    return _kept(seen, that.end() if that else form.end())


def _pointing(seen: Seen, form: re.Match[str]) -> Reading | None:
    """A pointer: "… this: …" means what follows, "… that." what came before."""
    end = seen.sentence.paragraph[1]
    colon = _COLON.match(seen.text, form.end(), end)
    if colon:
        name, content = seen.family, (colon.end(), end)
        return Reading(TriggerKind.REMEMBER, name, colon.end(), content, whole=True)
    name, none = _name(seen, form.end()), (form.end(), form.end())
    return Reading(TriggerKind.REMEMBER, name, form.end(), none, back=True)


def _comma(seen: Seen, form: re.Match[str]) -> Reading | None:
    """A comma: "remember, …" is how articles end, so it must clearly be for us."""
    start = form.end()
    meant = to_the_assistant(seen.text, start, seen.last)
    if meant or IMPERATIVE.match(seen.text, start):
        return _kept(seen, seen.end, start)
    return None


def _to_do(seen: Seen, form: re.Match[str]) -> Reading | None:
    """Something to do: "… to use tables" is for us, "… to breathe" for a reader."""
    if a_task(seen.text, form.end(), seen.last):
        return _kept(seen, seen.end, form.end())
    return None


def _what(seen: Seen, _: re.Match[str]) -> Reading | None:
    """A question word, as in "… what I told you": the speaker's own things only."""
    return _kept(seen, seen.end) if ours(seen.text, seen.end, seen.last) else None


def _never(_: Seen, __: re.Match[str]) -> Reading | None:
    return None


def _following(seen: Seen, form: re.Match[str]) -> Reading | None:
    return _kept(seen, form.end())


def _thing(seen: Seen, form: re.Match[str]) -> Reading | None:
    """A thing, as in "… the goal of this": anything else that is named."""
    before_a_question = seen.last < seen.sentence.end
    if before_a_question and not seen.match(_CLAUSE):
        return None
    if seen.match(_HEADING) and not mine(seen.text, seen.end, seen.last):
        return None
    return _kept(seen, form.end())


_FORMS: tuple[tuple[Wording, _Form], ...] = (
    (_NOTHING, _bare),
    (_PROSE, _prose),
    (_POINTING, _pointing),
    (_MARK, _following),
    (_COMMA, _comma),
    (_TO_DO, _to_do),
    (_ABOUT, _thing),
    (_MUSING, _never),
    (_SOMEBODY, _never),
    (_WH, _what),
    (_THAT, _following),
    (_ANYTHING, _thing),
)
