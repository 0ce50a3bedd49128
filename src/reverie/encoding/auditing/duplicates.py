"""Memories that say the same, gathered into groups.

Texts of the same letters find each other by those. A text that says nothing that
another does not has no word that is not there: so it is looked for only among those
that have its rarest word. Here all words are known at once; where they are not, and
for one text alone, `index.sketches` does the same. However many are alike, each is
compared with a few at most, so the time grows with the number of memories.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from reverie.encoding.auditing.junk import said
from reverie.encoding.auditing.sheets import Case
from reverie.encoding.gate.known import repeats
from reverie.index.words import terms
from reverie.model.audit import Judgement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from reverie.encoding.auditing.sheets import Held, Holdings

SHORT = 4
"""So few telling words may be said of several people, or on several days."""

COMPARED = 6
"""With so many that have all of its words one text is compared."""

LOOKED_AT = 400
"""So many that have its rarest word are looked at for the other words."""

LONGEST = 4_000
"""Characters; what is longer is compared letter by letter only."""


_NOT = re.compile(r"n't\b", re.IGNORECASE)


def judge_duplicates(holdings: Holdings) -> Iterator[Case]:
    """Groups of memories of which one would be enough."""
    for group in _near(_equal(holdings.memories)):
        if len(group) < 2:
            continue
        kept, *rest = sorted(group, key=lambda h: -len(h.text))
        rest.sort(key=lambda h: (h.sheet.path, h.start))
        others = "one other says" if len(rest) == 1 else f"{len(rest):,} others say"
        yield Case(
            Judgement.DUPLICATES,
            kept.sheet,
            kept.start,
            kept.end,
            f"{others} nothing that this does not",
            "Keep this one, delete the others.",
            tuple(rest),
            tuple(rest),
        )


def _equal(memories: Iterable[Held]) -> list[list[Held]]:
    """Groups of the same letters; most have one member."""
    groups: list[list[Held]] = []
    known: dict[str, list[list[Held]]] = defaultdict(list)
    for held in memories:
        key = "" if held.sheet.boot or held.leads else _letters(held.text)
        if not key:
            continue
        among = known[key]
        group = next((g for g in among[:COMPARED] if not apart(g[0], held)), None)
        if group is None:
            group = []
            among.append(group)
            groups.append(group)
        group.append(held)
    return groups


def _letters(text: str) -> str:
    """What equal texts have in common; nothing for one of a single word."""
    key = said(text).plain if len(text) <= LONGEST else text
    return key if " " in key or not key.isascii() else ""


def _near(groups: list[list[Held]]) -> Iterator[list[Held]]:
    """The same groups, joined where one says all that another says."""
    texts = [_Words(group, frozenset(_terms(group[0]))) for group in groups]
    often = Counter(word for text in texts for word in text.words)
    # Who has most words comes first: all that another says is there before it.
    texts.sort(key=lambda t: (-len(t.words), -len(t.group[0].text)))
    having: dict[str, list[_Words]] = defaultdict(list)
    same: dict[frozenset[str], list[_Words]] = defaultdict(list)
    for text in texts:
        rarest = min(text.words, key=lambda word: (often[word], word), default="")
        near = (*same[text.words], *reversed(having[rarest][-LOOKED_AT:]))
        full = _fuller(text, near)
        if full is not None:
            full.group.extend(text.group)
            text.group.clear()
            continue
        same[text.words].append(text)
        for word in text.words:
            having[word].append(text)
    return (text.group for text in texts if text.group)


class _Words(NamedTuple):
    group: list[Held]
    words: frozenset[str]


def _terms(held: Held) -> list[str]:
    """The words by which a text is looked for, each as a stem."""
    if len(held.text) > LONGEST:
        return []
    found = terms(_NOT.sub(" not", held.text.replace("\u2019", "'")))
    return [word for word in found if word != "user"]


def _fuller(text: _Words, near: Iterable[_Words]) -> _Words | None:
    """One that says all that a text says."""
    fuller = (other for other in near if text.words and text.words <= other.words)
    found = islice(fuller, COMPARED)
    return next((t for t in found if _says_all(t.group[0], text.group[0])), None)


def _says_all(full: Held, held: Held) -> bool:
    return not apart(full, held) and repeats(held.text, full.text)


def apart(one: Held, other: Held) -> bool:
    """Whether the same few words may be about different things.

    "Lives in Berlin" under two names, in two notes, or an event of two days.
    """
    if one.subject != other.subject:
        return True
    if len(terms(other.text)) > SHORT:
        return False
    if one.sheet is other.sheet:
        return one.heading != other.heading
    if one.sheet.topic and other.sheet.topic and not one.subject:
        return True
    return bool(one.day and other.day and one.day != other.day)
