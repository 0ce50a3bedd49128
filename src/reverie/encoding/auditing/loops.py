"""Memory that came out of memory: recalled, put before the agent, and learned again."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from typing import TYPE_CHECKING

from reverie.encoding.auditing.places import Places
from reverie.encoding.auditing.sheets import Case, case_of
from reverie.encoding.gate.echoes import without_recalled
from reverie.markdown import one_line
from reverie.model.audit import Judgement
from reverie.recall.block import CLOSING, OPENING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from reverie.encoding.auditing.sheets import Held, Holdings, Sheet

LEAST_TIMES = 3
"""On so many days, or in so many files, one sentence is an echo of itself."""

_LEAST_WORDS, _LEAST_LETTERS = 6, 40

_NAME = (
    r"(?P<name>(?:relevant|recalled|retrieved|long[-_]term|user|injected)"
    r"[-_](?:memor(?:y|ies)|context)|memor(?:y|ies)(?:[-_](?:context|block|recall))?"
    r"|system[-_]reminder|supermemory[-_]context|hindsight[-_]memories)"
)
_TAG = re.compile(
    rf"^[ \t>*+-]{{0,12}}<{_NAME}(?:[ \t][^<>\n]{{0,200}})?>",
    re.IGNORECASE | re.MULTILINE,
)
_END_TAG = re.compile(rf"</{_NAME}>", re.IGNORECASE)
_LABEL = re.compile(
    r"[*_#> ]{0,6}(?:relevant|recalled|retrieved|injected) memor(?:y|ies)\b"
    r"[^\n:]{0,40}:",
    re.IGNORECASE,
)
_TWICE = re.compile(
    r"\b(?:summar(?:y|ies)|recap|digest|compaction) of "
    r"(?:(?:the|a|my|our|all|previous|earlier|last|older|prior|those|daily) ){0,3}"
    r"(?:summar(?:y|ies)|recaps?|digests?|compactions?)\b"
    r"|\bsummary: ?\W{0,3}(?:\w+ ){0,2}summary: ",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"(?<=[.!?;])\s+|\n+")

_CUT = "Delete it; what it repeats stands where it was first written."


def judge_loops(holdings: Holdings) -> Iterator[Case]:
    """Everything that was recalled and stored once more."""
    places = Places(holdings.memories)
    known: set[Held] = set()
    for case in _blocks(holdings.sheets, places):
        known.update(case.guilty)
        yield case
    rest = [h for h in holdings.memories if h not in known and not h.sheet.boot]
    for case in _cited(rest):
        known.update(case.guilty)
        yield case
    yield from _echoes(held for held in rest if held not in known)


def _blocks(sheets: Iterable[Sheet], places: Places) -> Iterator[Case]:
    """Whole blocks that some program put into a prompt."""
    for sheet in sheets:
        for start, end, what in _stretches(sheet.text):
            why = f"{what}, stored as a memory"
            guilty = places.within(sheet, start, end)
            mend = "Delete the block; it is a copy of what memory holds anyway."
            yield Case(Judgement.LOOPS, sheet, start, end, why, mend, guilty)


def _stretches(text: str) -> Iterator[tuple[int, int, str]]:
    if OPENING in text:
        ends = [found.end() for found in re.finditer(re.escape(CLOSING), text)]
        done = 0
        for found in re.finditer(re.escape(OPENING), text):
            if found.start() >= done:
                done = _closed(ends, found.end())
                yield found.start(), done, "a block that Reverie put into a prompt"
    yield from _tagged(text)


def _tagged(text: str) -> Iterator[tuple[int, int, str]]:
    ends: dict[str, list[int]] = defaultdict(list)
    for found in _END_TAG.finditer(text):
        ends[found["name"].lower()].append(found.end())
    done = 0
    for found in _TAG.finditer(text):
        name = found["name"].lower()
        if found.start() >= done:
            done = _closed(ends[name], found.end())
            yield found.start(), done, f"a <{name}> block out of a prompt"


def _closed(ends: list[int], opened: int) -> int:
    """Where something ends that was opened; one never closed ends at once."""
    n = bisect_right(ends, opened)
    return ends[n] if n < len(ends) else opened


def _cited(memories: Iterable[Held]) -> Iterator[Case]:
    for held in memories:
        if without_recalled(held.text)[1]:
            why = "it cites a memory by its place, as only recalled text does"
            yield case_of(Judgement.LOOPS, held, why, _CUT)
        elif _LABEL.match(held.text):
            why = "a list of memories that was put into a prompt"
            yield case_of(Judgement.LOOPS, held, why, _CUT)
        elif _TWICE.search(held.text):
            why = "a summary of a summary; each one loses and invents a little"
            mend = "Go back to what it was made from, and summarise that."
            yield case_of(Judgement.LOOPS, held, why, mend)


def _echoes(memories: Iterable[Held]) -> Iterator[Case]:
    """Sentences that come again, word for word, inside ever other entries."""
    said: dict[str, dict[str, Held]] = defaultdict(dict)
    for held in memories:
        for sentence in _long_sentences(held.text):
            said[sentence].setdefault(_occasion(held), held)
    seen: set[tuple[Held, ...]] = set()
    for sentence, occasions in said.items():
        among = tuple(occasions.values())
        if len(among) < LEAST_TIMES or among in seen or _all_equal(sentence, among):
            continue
        seen.add(among)
        first, *again = among
        why = f"one sentence of it comes again, word for word, in {len(among):,} places"
        mend = "Keep it where it was first said, and stop feeding notes into notes."
        yield Case(
            Judgement.LOOPS,
            first.sheet,
            first.start,
            first.end,
            why,
            mend,
            tuple(again),
            tuple(again),
        )


def _long_sentences(text: str) -> Iterator[str]:
    for part in _SENTENCES.split(text):
        sentence = one_line(part).casefold()
        words = sentence.count(" ") + 1
        if len(sentence) >= _LEAST_LETTERS and words >= _LEAST_WORDS:
            yield sentence


def _occasion(held: Held) -> str:
    return held.day.isoformat() if held.day else held.sheet.path


def _all_equal(sentence: str, among: Iterable[Held]) -> bool:
    """Whether the sentence is all that they say: then they are duplicates."""
    return all(len(one_line(held.text)) <= len(sentence) + 2 for held in among)
