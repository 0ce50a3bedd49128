"""Whether a name is that of something known (spec, 3).

A clear match is the same entity. A doubtful one is proposed to a person and never
merged: initials, a shorter or longer name, another version, a slip of the pen.
"""

from __future__ import annotations

import re
import unicodedata
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

TITLES = (
    "the a an mr mrs ms miss dr prof professor sir madam aunt uncle captain project"
)
GENERIC = (
    "project app application service repo repository codebase client frontend backend "
    "website site platform bot server api dashboard plugin extension library package "
    "pipeline prototype product flow system team framework tool stack"
)
"""Words before and behind a name that are not part of it."""

MOST_DOUBTS = 5
"""So many entities are named in one doubt."""

SHORT_PERSON, SHORT_THING = 3, 4
"""So many letters a short form has at least: `Alex`, `Postgres`."""

LONG_NAME, ALIKE = 6, 0.9
"""From so many letters on a name may be misspelt, and how much of it must be right."""


class EntityMatch(NamedTuple):
    """The entity that a name is, or those that it may be, each as `TYPE--SLUG`."""

    same: str = ""
    perhaps: tuple[str, ...] = ()


def match_entity(
    name: str, kind: str, known: Mapping[str, Iterable[str]]
) -> EntityMatch:
    """The entity of a name: surely, perhaps, or none.

    Args:
        name: What somebody calls something.
        kind: Of what type that is.
        known: For each entity that may be meant its label and aliases.
    """
    asked = _name(name, kind)
    theirs = [
        (id_, _name(label, id_.partition("--")[0]))
        for id_, labels in known.items()
        for label in labels
    ]
    exact = [(id_, n.type) for id_, n in theirs if asked.keys & n.keys]
    same = dict.fromkeys(id_ for id_, type_ in exact if type_ == kind)
    if len(same) == 1:
        return EntityMatch(next(iter(same)))
    close = [id_ for id_, n in theirs if n.type == kind and _resembles(asked, n)]
    perhaps = same or dict.fromkeys(id_ for id_, _ in exact) or dict.fromkeys(close)
    return EntityMatch("", (*perhaps,)[:MOST_DOUBTS])


class _Name(NamedTuple):
    """A name ready to be compared: its words, those that tell, and as one word."""

    type: str
    words: tuple[str, ...]
    core: tuple[str, ...]
    digits: frozenset[str]
    keys: frozenset[str]


@lru_cache(maxsize=4_096)
def _name(label: str, kind: str) -> _Name:
    folded = unicodedata.normalize("NFKC", label).casefold()
    folded = folded.replace("+", " plus ").replace("#", " sharp ")
    bare = re.sub(r"['\u2019]s\b", "", folded)
    words = (*re.findall(r"[^\W_]+", bare),) or (folded.strip() or "?",)
    core = [
        re.sub("v?[0-9]+$", "", word) for word in words if word not in TITLES.split()
    ]
    while len(core) > 1 and (core[-1] in GENERIC.split() or not core[-1]):
        del core[-1]
    keys = {"".join(words)}
    if kind != "person":
        keys.add("".join((*words[:-1], _singular(words[-1]))))
    digits = frozenset(re.findall("[0-9]+", folded))
    return _Name(kind, words, (*filter(None, core),) or words, digits, frozenset(keys))


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    plural = len(word) > 3 and word.endswith("s") and word[-2] not in "sui"
    return word[:-1] if plural else word


def _resembles(one: _Name, other: _Name) -> bool:
    """Whether two names of one type may be those of one thing."""
    short, long = sorted((one, other), key=lambda name: (len(name.core), name.words))
    if short.core == long.core:
        # `OAuth PKCE` and `OAuth2 PKCE flow`, but not `Python 2` and `Python 3`.
        return not (one.digits and other.digits) or one.digits == other.digits
    least = SHORT_PERSON if one.type == "person" else SHORT_THING
    initials = "".join(word[0] for word in long.core)
    first, last = sorted(("".join(one.words), "".join(other.words)), key=len)
    prefixed = len(one.words) == len(other.words) == 1 and last.startswith(first)
    abbreviated = len(one.core) == len(other.core) > 1 and all(
        a == b or (1 in {len(a), len(b)} and a[0] == b[0])
        for a, b in zip(one.core[:-1], other.core[:-1], strict=True)
    )
    part = short.core in {long.core[: len(short.core)], long.core[-len(short.core) :]}
    same_digits = one.digits == other.digits
    return (
        (len(initials) > 2 and "".join(short.core) == initials)
        or (abbreviated and one.core[-1] == other.core[-1])
        or (prefixed and same_digits and len(first) >= least)
        or (part and short.digits <= long.digits and len("".join(short.core)) >= least)
        or (same_digits and len(first) >= LONG_NAME and _alike(first, last))
    )


def _alike(one: str, other: str) -> bool:
    """Whether two words differ only as a slip of the pen makes them differ."""
    near = abs(len(one) - len(other)) < 2
    return near and SequenceMatcher(None, one, other, autojunk=False).ratio() >= ALIKE
