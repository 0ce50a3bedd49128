"""Whether a name is that of something known (spec, 3).

A clear match is the same entity. A doubtful one is proposed to a person and never
merged: initials, a shorter or longer name, another version, a slip of the pen.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_TITLES = """
    mr mrs ms miss dr prof professor sir madam aunt uncle captain judge coach
"""
TITLES = frozenset(_TITLES.split())

_GENERIC = """
    project app application service repo repository codebase client frontend backend
    website site platform bot server api dashboard plugin extension library package
    pipeline prototype product flow system team framework tool stack
"""
GENERIC_TAILS = frozenset(_GENERIC.split())
"""Words at the end of a name that are not part of it."""

CROWD = 50
"""A word that so many names have tells none of them apart."""

MOST_DOUBTS = 5
"""So many entities are named in one doubt."""

SHORT_PERSON, SHORT_THING = 3, 4
"""So many letters a short form has at least: `Alex`, `Postgres`."""

LONG_NAME = 6
"""From so many letters on a name may be misspelt."""


@dataclass(frozen=True, slots=True)
class Same:
    """The name is that of a known entity.

    Attributes:
        id: The entity: `TYPE--SLUG`.
    """

    id: str


@dataclass(frozen=True, slots=True)
class Doubtful:
    """The name may be that of a known entity; somebody has to say.

    Attributes:
        ids: The entities it may be.
        why: What speaks for it, in plain words.
    """

    ids: tuple[str, ...]
    why: str


class _Name(NamedTuple):
    """One name of a known entity, ready to be compared."""

    id: str
    type: str
    words: tuple[str, ...]
    core: tuple[str, ...]
    digits: frozenset[str]


class Register:
    """All known names, built once and asked often.

    Args:
        entities: For each entity, as `TYPE--SLUG`, its type, and its label and aliases.
    """

    def __init__(self, entities: Mapping[str, tuple[str, Iterable[str]]]) -> None:
        self._exact: dict[str, list[_Name]] = defaultdict(list)
        self._core: dict[str, list[_Name]] = defaultdict(list)
        self._word: dict[str, list[_Name]] = defaultdict(list)
        self._initials: dict[str, list[_Name]] = defaultdict(list)
        self._halves: dict[tuple[object, ...], list[_Name]] = defaultdict(list)
        for id_, (kind, labels) in entities.items():
            for label in labels:
                self._add(_name(label, kind, id_))
        names = (name for found in self._exact.values() for name in found)
        self._single = sorted({n.words[0] for n in names if len(n.words) == 1})

    def _add(self, name: _Name) -> None:
        for key in _keys(name):
            self._exact[key].append(name)
        self._core["".join(name.core)].append(name)
        if len(name.core) > 1:
            self._initials["".join(word[0] for word in name.core)].append(name)
        for word in {*name.core}:
            self._word[word].append(name)
        for half in _halves(name):
            self._halves[half].append(name)

    def find(self, name: str, kind: str) -> Same | Doubtful | None:
        """The entity of a name: surely, perhaps, or none."""
        asked = _name(name, kind, "")
        exact = [n for key in _keys(asked) for n in self._exact.get(key, ())]
        alike = _ids(n for n in exact if n.type == kind)
        if len(alike) == 1:
            return Same(alike[0])
        if alike:
            return Doubtful(alike[:MOST_DOUBTS], "several have this name")
        if exact:
            return Doubtful(
                _ids(exact)[:MOST_DOUBTS], f"has this name and is no {kind}"
            )
        return self._doubt(asked)

    def _doubt(self, asked: _Name) -> Doubtful | None:
        for why, finds in (
            ("differs only in a version or a general word", self._versions),
            ("may be the initials", self._short_for),
            ("may be a short form", self._prefixes),
            ("one name is part of the other", self._parts),
            ("differs in one letter", self._misspelt),
        ):
            found = _ids(name for name in finds(asked) if name.type == asked.type)
            if found:
                return Doubtful(found[:MOST_DOUBTS], why)
        return None

    def _versions(self, asked: _Name) -> Iterable[_Name]:
        """`OAuth PKCE` and `OAuth2 PKCE flow`, but not `Python 2` and `Python 3`."""
        found = self._core.get("".join(asked.core), ())
        return [
            n
            for n in found
            if not (n.digits and asked.digits) or n.digits == asked.digits
        ]

    def _short_for(self, asked: _Name) -> Iterable[_Name]:
        """`NLP` for `Natural Language Processing`, `J. Moe` for `Jonas Moe`."""
        if len(asked.core) == 1:
            letters = asked.core[0]
            return self._initials.get(letters, ()) if len(letters) > 2 else ()
        initials = self._core.get("".join(word[0] for word in asked.core), ())
        family = self._word.get(asked.core[-1], ())[:CROWD]
        return [
            *(n for n in initials if len(asked.core) > 2),
            *(n for n in family if _abbreviates(n.core, asked.core)),
        ]

    def _prefixes(self, asked: _Name) -> Iterable[_Name]:
        """`Alex` for `Alexandra`, and the other way round."""
        if len(asked.words) != 1:
            return []
        word = asked.words[0]
        least = SHORT_PERSON if asked.type == "person" else SHORT_THING
        shorter = [word[:end] for end in range(least, len(word))]
        longer: list[str] = []
        if len(word) >= least:
            start = bisect_left(self._single, word)
            longer = [
                other
                for other in islice(self._single, start, start + CROWD)
                if other.startswith(word)
            ]
        found = (n for key in (*shorter, *longer) for n in self._exact.get(key, ()))
        return [n for n in found if len(n.words) == 1 and n.digits == asked.digits]

    def _parts(self, asked: _Name) -> Iterable[_Name]:
        """`Nora` and `Nora Lindqvist`."""
        rare = [found for word in asked.core if (found := self._word.get(word))]
        near = [name for found in rare if len(found) <= CROWD for name in found]
        return [
            name for name in near if _contains(name, asked) or _contains(asked, name)
        ]

    def _misspelt(self, asked: _Name) -> Iterable[_Name]:
        near = (n for half in _halves(asked) for n in self._halves.get(half, ()))
        word = "".join(asked.words)
        return [n for n in near if _one_letter("".join(n.words), word)]


def _ids(names: Iterable[_Name]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.id for name in names))


# --- reading a name ----------------------------------------------------------


def _name(label: str, kind: str, id_: str) -> _Name:
    folded = unicodedata.normalize("NFKC", label).casefold()
    folded = folded.replace("+", " plus ").replace("#", " sharp ")
    words = tuple(_WORD.findall(_OWNED.sub("", folded))) or (folded.strip() or "?",)
    return _Name(id_, kind, words, _core(words), frozenset(_DIGITS.findall(folded)))


def _core(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a name without articles, titles, versions and general words."""
    kept = [_VERSION.sub("", word) for word in words if word not in _LEADS]
    while len(kept) > 1 and (kept[-1] in GENERIC_TAILS or not kept[-1]):
        kept = kept[:-1]
    return tuple(word for word in kept if word) or words


def _keys(name: _Name) -> set[str]:
    """A name without blanks and signs, and the same in the singular for things."""
    whole = "".join(name.words)
    if name.type == "person":
        return {whole}
    return {whole, "".join((*name.words[:-1], _singular(name.words[-1])))}


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    plural = len(word) > 3 and word.endswith("s") and word[-2] not in "sui"
    return word[:-1] if plural else word


_WORD = re.compile(r"[^\W_]+")
_OWNED = re.compile(r"['\u2019]s\b")
_DIGITS = re.compile(r"[0-9]+")
_VERSION = re.compile(r"v?[0-9]+$")
_LEADS = TITLES | {"the", "a", "an", "project"}


# --- comparing ---------------------------------------------------------------


def _abbreviates(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """`j moe` and `jonas moe`: the last words are one, the first an initial."""
    if len(one) != len(other) or len(one) < 2 or one[-1] != other[-1] or one == other:
        return False
    return all(
        a == b or (1 in {len(a), len(b)} and a[0] == b[0])
        for a, b in zip(one, other, strict=True)
    )


def _contains(whole: _Name, part: _Name) -> bool:
    """Whether a longer name begins or ends with a shorter one."""
    size = len(part.core)
    if size >= len(whole.core):
        return False
    at_edge = part.core in {whole.core[:size], whole.core[-size:]}
    telling = part.type == "person" or len("".join(part.core)) >= SHORT_THING
    return at_edge and telling and (part.digits <= whole.digits)


def _halves(name: _Name) -> list[tuple[object, ...]]:
    """Keys that two long names share if they differ in one letter.

    A change leaves the first or the second half as it is; names that differ in a digit
    are of a series, and no slip.
    """
    word = "".join(name.words)
    if len(word) < LONG_NAME:
        return []
    keys: list[tuple[object, ...]] = []
    for size in (len(word) // 2, (len(word) - 1) // 2):
        keys += [(name.digits, 0, word[:size]), (name.digits, 1, word[-size:])]
    return keys


def _one_letter(one: str, other: str) -> bool:
    """Whether two words differ in one letter, too many, too few or another."""
    if one == other or abs(len(one) - len(other)) > 1:
        return False
    short, long = sorted((one, other), key=len)
    at = next((n for n, char in enumerate(short) if char != long[n]), len(short))
    if short[at : at + 1].isdigit() or long[at].isdigit():
        return False
    skip = len(short) == len(long)
    swapped = skip and short[at : at + 2] == long[at : at + 2][::-1]
    rest = short[at + skip :] == long[at + 1 :]
    return rest or (swapped and short[at + 2 :] == long[at + 2 :])
