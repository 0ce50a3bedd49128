"""The names in a sentence, and what sort of thing each one names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from reverie.encoding.routing.gazetteer import (
    GIVEN_NAMES,
    INSTITUTIONS,
    NO_NAMES,
    PLACE_ENDINGS,
    PLACE_HEADS,
    PLACE_TAILS,
    PLACES,
    TOOL_ENDINGS,
    TOOLS,
    WORDS_TOO,
)
from reverie.encoding.routing.known import known_thing, thing
from reverie.encoding.routing.lexicon import (
    DETERMINERS,
    GENERIC_TAILS,
    LONE_KIN,
    ORDERS,
    PAST,
    PRESENT,
    PROJECT_NOUNS,
    QUALIFIERS,
    TITLES,
)
from reverie.index.words import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.encoding.routing.known import Known, Thing
    from reverie.encoding.routing.reading import Word

LONGEST_KNOWN = 5
"""So many words a known name may have to be recognised."""

LONGEST_RUN = 6
"""So many words a name nobody knows may have."""

MOST_NAMED = 12
"""So many names are taken from one text."""


class Found(NamedTuple):
    """A name in a sentence, and the place of the word after it."""

    thing: Thing
    end: int


def named_at(
    words: Sequence[Word], at: int, known: Known, hint: str = ""
) -> Found | None:
    """The name that begins with a word, if one does.

    Args:
        words: A sentence.
        at: Where to look; articles and words such as `old` are passed over.
        known: What the workspace knows.
        hint: The type that the place in the sentence suggests.
    """
    at = _past_articles(words, at)
    if at >= len(words):
        return None
    found = _known_at(words, at, known)
    if found:
        return found
    if words[at].low == "project" and at + 1 < len(words):
        inner = _run_at(words, at + 1, "project")
        return inner or _run_at(words, at, hint)
    return _run_at(words, at, hint)


def _past_articles(words: Sequence[Word], at: int) -> int:
    while (
        at < len(words) - 1
        and not words[at].stop
        and (words[at].low in DETERMINERS or words[at].text in QUALIFIERS)
    ):
        at += 1
    return at


def _known_at(words: Sequence[Word], at: int, known: Known) -> Found | None:
    """The longest known name here; a common word only with a capital letter."""
    if not known.names or _is_function(words[at]):
        return None
    for end in range(min(at + LONGEST_KNOWN, len(words)), at, -1):
        part = words[at:end]
        if any(word.stop for word in part[:-1]) or _is_function(part[-1]):
            continue
        said = " ".join(word.text for word in part)
        name = said.removesuffix("'s").removesuffix("'")
        id_ = known.names.get(name.casefold())
        if id_ and not (end - at == 1 and _common(part[0])):
            return Found(known_thing(name, id_), _past_tail(words, end))
    return None


def _is_function(word: Word) -> bool:
    """Whether no name begins or ends with a word, as it is written."""
    return word.low in STOP_WORDS and word.text.islower()


def _common(word: Word) -> bool:
    if not word.text.islower():
        return False
    low = word.low
    return len(low) < 4 or low in STOP_WORDS or low in PRESENT or low in ORDERS


def _past_tail(words: Sequence[Word], end: int) -> int:
    """Past words such as `project` that only say what sort of thing was named."""
    for _ in range(3):
        if end >= len(words) or words[end - 1].stop or _genitive(words[end - 1]):
            break
        if words[end].low not in _TAILS:
            break
        end += 1
    return end


_TAILS = GENERIC_TAILS | QUALIFIERS


def _run_at(words: Sequence[Word], at: int, hint: str) -> Found | None:
    """A name nobody knows: words with capitals, or one of the lists."""
    titled = words[at].low in TITLES and words[at].text[0].isupper()
    first = at + (titled and not words[at].stop)
    end = _end_of_run(words, first)
    if end == first:
        return None
    texts = [word.text for word in words[at:end]]
    texts[-1] = re.sub(r"'s?$", "", texts[-1])
    if not any(any(map(str.isalpha, text)) for text in texts):
        return None
    closed = words[end - 1].stop or _genitive(words[end - 1])
    tail = "" if closed or end >= len(words) else words[end].low
    if tail in PROJECT_NOUNS and not hint:
        hint = "project"
    kind = type_of(texts, words[at - 1].low if at else "", hint)
    if tail and tail not in GENERIC_TAILS and _completes(words, end):
        return Found(thing(" ".join([*texts, words[end].text]), kind), end + 1)
    return Found(thing(" ".join(texts), kind), _past_tail(words, end))


def _completes(words: Sequence[Word], end: int) -> bool:
    """Whether a word in small letters is the last of a name: `the Ledger module`."""
    return words[end].low in _PARTS


_PARTS = frozenset(
    ("module", "scheduler", "protocol", "engine", "phase", "format", "library", "queue")
)


def _end_of_run(words: Sequence[Word], at: int) -> int:
    end = at
    while end < min(at + LONGEST_RUN, len(words)):
        word = words[end]
        joins = word.low in _JOINTS and end > at and not word.stop
        if joins and end + 1 < len(words) and looks_named(words[end + 1]):
            end += 1
            continue
        if not (looks_named(word) or (end > at and _counts(word))):
            break
        end += 1
        if word.stop or _genitive(word):
            break
    return end


_JOINTS = frozenset(("&", "de", "van", "von", "da", "del", "der", "la"))


def _genitive(word: Word) -> bool:
    return word.low.endswith(("'s", "s'"))


def _counts(word: Word) -> bool:
    """A version or a number that belongs to the name before it."""
    return (
        re.fullmatch(r"v?[0-9]{1,4}(?:\.[0-9]{1,4}){0,3}|[A-Z][0-9]{1,3}", word.text)
        is not None
    )


def looks_named(word: Word) -> bool:
    """Whether a word is written like a name."""
    low = word.low.removesuffix("'s")
    if low in NO_NAMES or low in STOP_WORDS or not word.text[:1].isalnum():
        return False
    if "/" in word.text or "@" in word.text or word.text.isdigit():
        return False
    if low in TOOLS and low not in WORDS_TOO:
        return True
    mixed = any(map(str.isupper, word.text[1:])) and any(map(str.isalpha, low))
    return len(low) > 1 and (
        word.text[0].isupper() or (mixed and not word.text[0].isdigit())
    )


def type_of(texts: Sequence[str], before: str = "", hint: str = "") -> str:
    """What sort of thing a name names.

    Args:
        texts: The words of the name.
        before: The word before it, in small letters.
        hint: What it is taken for unless the name itself says otherwise.
    """
    lows = [text.lower() for text in texts]
    whole = " ".join(lows)
    found = _type_by_itself(lows, whole, before)
    if not found and not hint and before in _TO_PLACES:
        return "place"
    return found or hint or ("person" if whole in LONE_KIN else "concept")


def _type_by_itself(lows: Sequence[str], whole: str, before: str) -> str:
    to_place = before in _TO_PLACES and whole in PLACES
    tests = (
        (lows[0].rstrip(".") in TITLES and len(lows) > 1, "person"),
        (_is_tool(lows, whole), "tool"),
        (lows[-1] in INSTITUTIONS, "concept"),
        (lows[0] in GIVEN_NAMES and not to_place, "person"),
        (_is_place(lows, whole), "place"),
    )
    return next((kind for holds, kind in tests if holds), "")


_TO_PLACES = frozenset(("in", "from", "near", "around", "visited", "visit", "visiting"))


def _is_tool(lows: Sequence[str], whole: str) -> bool:
    bare = re.sub(r"\s+v?[0-9.]+$", "", whole)
    if bare in TOOLS or (len(lows) > 1 and lows[0] in TOOLS and bare != whole):
        return True
    return len(lows) == 1 and len(whole) > 4 and whole.endswith(TOOL_ENDINGS)


def _is_place(lows: Sequence[str], whole: str) -> bool:
    if whole in PLACES:
        return True
    if len(lows) > 1 and (lows[-1] in PLACE_TAILS or lows[0] in PLACE_HEADS):
        return True
    return len(lows) == 1 and len(whole) > 6 and whole.endswith(PLACE_ENDINGS)


def sure_name(words: Sequence[Word], at: int) -> bool:
    """Whether the first word of a sentence is a name and not just its first word."""
    low = words[at].low.removesuffix("'s")
    if low in GIVEN_NAMES or low in TITLES or low in PLACES or low in TOOLS:
        return low not in WORDS_TOO or low == "rust"
    follows = at + 1 < len(words) and not words[at].stop
    did = low in PAST or (low.endswith("ed") and len(low) > 4)
    return follows and looks_named(words[at + 1]) and low not in ORDERS and not did


def find_named(
    words: Sequence[Word], known: Known, *, sure: bool = False
) -> list[Thing]:
    """All names in a sentence, in order.

    Args:
        words: The sentence.
        known: What the workspace knows.
        sure: Whether only names count that are known or in the lists.
    """
    found: list[Thing] = []
    at = 0
    while at < len(words) and len(found) < MOST_NAMED:
        named = _known_at(words, at, known)
        if not named and (at or sure_name(words, 0)) and not _quoted_value(words, at):
            named = _run_at(words, at, "")
            if named and sure and not _listed(named.thing):
                named = None
        if named:
            found.append(named.thing)
        at = named.end if named else at + 1
    return found


def _quoted_value(words: Sequence[Word], at: int) -> bool:
    """Whether a word only says what something is called."""
    before = [word.low for word in words[max(0, at - 2) : at]]
    told = (["name", "is"], ["call", "me"], ["i", "am"])
    return before[-1:] in (["called"], ["named"]) or before in told


def _listed(one: Thing) -> bool:
    lows = one.name.lower().split()
    return one.type in {"person", "tool"} or " ".join(lows) in PLACES
