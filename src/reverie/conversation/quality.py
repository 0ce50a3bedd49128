"""How well context reflections do: brought back, deleted, what about (002)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from reverie.index.text import STOP_WORDS, stems
from reverie.model.conversation import DELETED, Quality
from reverie.model.items import Role
from reverie.stores.turns import turn_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from reverie.model.items import Turn

MOST_TOPICS = 8
SHORTEST = 3
"""Letters that a topic has at least."""

_WORD = re.compile(r"[^\W\d_]\w*")
_EMPTY = """
    about after again agreed all also any assistant ask asked because before between
    both context conversation current currently decide decided decision didn discuss
    discussed doesn don done each first get got just key last like made make more most
    much need needed new next not note now once one only open other out over plan
    question said say second see session since still such summary talk talked task
    thing think three time today together told topic two until up use used user very
    want wanted way well while work worked working yesterday yet
"""
_TELLS_NOTHING = STOP_WORDS | frozenset(_EMPTY.split())
"""Words that stand in every summary, whatever it is about."""


def measure(
    pairs: Sequence[tuple[Turn, Turn | None]], resurrected: Mapping[str, int]
) -> Quality:
    """How well context reflections do.

    Args:
        pairs: The two halves of each, in either order; one without a summary was
            never written and does not count.
        resurrected: By the id of a turn or of a passage in it, how often it was
            brought back.
    """
    times = _times(resurrected)
    written = [pair for pair in pairs if _summary(pair) is not None]
    # Both halves come back together, which is one time.
    back = [max(times[_id(turn)] for turn in pair if turn) for pair in written]
    summaries = [found for pair in written if (found := _summary(pair))]
    kept = [turn for turn in summaries if not turn.field(DELETED)]
    return Quality(
        written=len(written),
        deleted=len(summaries) - len(kept),
        resurrected=sum(back),
        useful=sum(count > 0 for count in back),
        topics=_topics(turn.text for turn in kept),
    )


def _summary(pair: Iterable[Turn | None]) -> Turn | None:
    return next((turn for turn in pair if turn and turn.role is Role.ASSISTANT), None)


def _id(turn: Turn) -> str:
    return _whole(str(turn_id(turn)))


def _whole(id_: str) -> str:
    """The id of a turn without the passage."""
    return id_.rpartition("/")[0]


def _times(resurrected: Mapping[str, int]) -> Counter[str]:
    times: Counter[str] = Counter()
    for id_, count in resurrected.items():
        times[_whole(id_)] += max(count, 0)
    return times


def _topics(texts: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """The words that most summaries have; of equals, names and frequent ones first."""
    holding: Counter[str] = Counter()
    forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for text in texts:
        said = list(_telling(text))
        holding.update({stem for stem, _ in said})
        for stem, form in said:
            forms[stem][form] += 1
    ranked = sorted(
        (
            (_form(forms[stem]), count, forms[stem].total())
            for stem, count in holding.items()
        ),
        key=lambda each: (-each[1], each[0].islower(), -each[2], each[0]),
    )
    return tuple((form, count) for form, count, _ in ranked[:MOST_TOPICS])


def _telling(text: str) -> Iterator[tuple[str, str]]:
    """Stem and form of each word that tells something."""
    for form in _WORD.findall(text):
        low = form.lower()
        if len(form) >= SHORTEST and low not in _TELLS_NOTHING:
            yield stems([low])[0], form


def _form(forms: Counter[str]) -> str:
    """How a word is shown: as it mostly stands, in small letters if it ever does."""
    small = {form: count for form, count in forms.items() if form.islower()}
    return min(small or forms, key=lambda form: (-forms[form], form))
