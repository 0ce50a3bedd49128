"""What was right when it was written, and has lost its meaning since."""

from __future__ import annotations

import re
from collections import defaultdict
from datetime import timedelta
from typing import TYPE_CHECKING

from reverie.encoding.auditing.sheets import case_of
from reverie.encoding.importing.days import parse_day
from reverie.index.words import terms
from reverie.model.audit import Judgement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import date

    from reverie.encoding.auditing.sheets import Case, Held, Holdings, Sheet

OLD = timedelta(days=30)
"""After so long, "tomorrow" has passed and "currently" is doubtful."""

UNTOUCHED = timedelta(days=180)
"""A file that nobody saved for so long, while others were, is doubtful as a whole."""

COMMON = 200
"""A word that so many memories have finds none of them."""

_LOOKED_AT = 4_000
_STATEMENT = 300
"""Characters of one statement; what is longer tells of many things."""

_MORE = 4
"""So many more words may say what came instead."""

_NUMBER = r"(?:a few|a couple of|two|three|four|five|\d{1,2})"
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_AHEAD = re.compile(
    r"\b(?:the day after tomorrow|tomorrow|tonight|later today|later this week"
    rf"|this (?:coming )?(?:weekend|{_WEEKDAY})"
    rf"|next (?:week|month|quarter|{_WEEKDAY}))\b",
    re.IGNORECASE,
)
_THEN = re.compile(
    r"\b(?:today|yesterday|earlier today|this (?:morning|afternoon|evening|week|month)"
    rf"|last (?:night|week|month|{_WEEKDAY})|{_NUMBER} (?:days|weeks) ago)\b",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"\b(?:currently|right now|at the moment|at present|as we speak)\b", re.IGNORECASE
)
_QUOTED = re.compile(
    r"```[^`]*(?:```|\Z)|\"[^\"\n]{1,200}\"|\u201c[^\u201d\n]{1,200}\u201d|`[^`\n]{1,200}`"
)
_NAMES_A_DAY = re.compile(r"\b(?:19|20)\d\d-\d\d(?:-\d\d)?\b")
_EVERY = re.compile(
    r"\b(?:every|each|always|usually|daily|whenever|never)\b", re.IGNORECASE
)

_OPEN = re.compile(
    r"\s*(?:[-*+]|\d{1,9}[.)])\s+\[ \]|[\s*+-]*(?:\*\*)?to-?do\b", re.IGNORECASE
)
_CLOSED = re.compile(
    r"\[[xX-]\]|~~|\b(?:done|completed|finished|shipped|cancell?ed|paid|submitted)\b",
    re.IGNORECASE,
)
_DUE = re.compile(
    r"\b(?:due|deadline|by|before|until)\b(?: (?:on|is|the))?[:\s]*|📅\s*", re.I
)
_FIRM = re.compile(r"\b(?:due|deadline)\b|📅", re.IGNORECASE)

_OVER = re.compile(
    r"\b(?:no longer|not? any ?more|doesn't any ?more|stopped|used to|formerly)\b",
    re.IGNORECASE,
)
_MEANS = re.compile(
    r"\b(?:is|are|was|were|be|being|get|gets|got|getting) used to\b", re.IGNORECASE
)
_NOT = re.compile(r"\b(?:not|never|no|cannot|without)\b|n't\b", re.IGNORECASE)


def judge_staleness(holdings: Holdings, now: date) -> Iterator[Case]:
    """Everything that time has overtaken."""
    known: set[Held] = set()
    among = [h for h in holdings.memories if not h.sheet.boot and not h.lasting]
    for held in among:
        why, mend = _overdue(held, now) or _relative(held, now) or ("", "")
        if why:
            known.add(held)
            yield case_of(Judgement.STALENESS, held, why, mend)
    for case in _superseded(among):
        if known.isdisjoint(case.guilty):
            yield case
    yield from _untouched(among, now)


# --- words that count from a day ---------------------------------------------


def _relative(held: Held, now: date) -> tuple[str, str] | None:
    text = held.text[:_LOOKED_AT]
    ahead, then = _AHEAD.search(text), _THEN.search(text)
    present = _NOW.search(text)
    if not (ahead or then or present) or _EVERY.search(text):
        return None
    text = _QUOTED.sub(" ", text)
    dated = held.day or _NAMES_A_DAY.search(text)
    if not dated:
        return _undated(held, text, now)
    found = _AHEAD.search(text) or _NOW.search(text)
    if found and held.day and now - held.day > OLD:
        why = f"it says {found[0].lower()!r}, and is of {held.day.isoformat()}"
        return why, "Say what came of it, or name the day."
    return None


def _undated(held: Held, text: str, now: date) -> tuple[str, str] | None:
    found = _AHEAD.search(text) or _THEN.search(text)
    if found:
        why = f"it says {found[0].lower()!r}, and nothing tells from which day to count"
        return why, "Name the day."
    found = _NOW.search(text)
    changed = held.sheet.changed
    if found and changed and now - changed > OLD:
        why = f"it says {found[0].lower()!r}, and was saved on {changed.isoformat()}"
        return why, "Check whether it still holds, and say since when."
    return None


# --- tasks -------------------------------------------------------------------


def _overdue(held: Held, now: date) -> tuple[str, str] | None:
    raw = held.raw[:_LOOKED_AT]
    is_task = _OPEN.match(raw) or _FIRM.search(raw)
    if not is_task or _CLOSED.search(raw):
        return None
    for found in _DUE.finditer(raw):
        day = parse_day(raw[found.end() : found.end() + 40])
        if day and day.date() < now:
            why = f"it was due on {day.date().isoformat()} and is still open"
            return why, "Tick it off, give it another day, or delete it."
    return None


# --- what is over ------------------------------------------------------------


def _superseded(memories: Iterable[Held]) -> Iterator[Case]:
    """Statements beside one that says they no longer hold."""
    memories = tuple(memories)
    ended = [(held, words) for held in memories if (words := _ended(held))]
    wanted = {word for _, words in ended for word in words}
    if not wanted:
        return
    having: dict[str, list[Held]] = defaultdict(list)
    stems: dict[Held, frozenset[str]] = {}
    for held in memories:
        if len(held.text) <= _STATEMENT and not _NOT.search(held.text):
            stems[held] = frozenset(terms(held.text))
            for word in stems[held] & wanted:
                having[word].append(held)
    for held, words in ended:
        near = {h for w in words if len(having[w]) <= COMMON for h in having[w]}
        for old in sorted(near, key=lambda h: (h.sheet.path, h.start)):
            about = stems[old] <= words and len(words) <= len(stems[old]) + _MORE
            if about and _holds_no_more(old, held):
                why = f"{held.spot} says that this is over"
                mend = "Delete it, or strike it out with the day it ended."
                yield case_of(Judgement.STALENESS, old, why, mend)


def _ended(held: Held) -> frozenset[str]:
    """The stems of what an entry says is over; nothing if it says no such thing."""
    text = held.text
    if len(text) > _STATEMENT or not _OVER.search(text) or _MEANS.search(text):
        return frozenset()
    return frozenset(terms(_OVER.sub(" ", text)))


def _holds_no_more(old: Held, new: Held) -> bool:
    if len(frozenset(terms(old.text))) < 2 or _OVER.search(old.text):
        return False
    later = old.day and new.day and old.day > new.day
    return old.subject == new.subject and not later


# --- files -------------------------------------------------------------------


def _untouched(memories: Iterable[Held], now: date) -> Iterator[Case]:
    first: dict[Sheet, Held] = {}
    for held in memories:
        first.setdefault(held.sheet, held)
    changes = [sheet.changed for sheet in first if sheet.changed]
    if not changes or now - max(changes) > OLD:
        return
    for sheet, held in first.items():
        changed = sheet.changed
        if changed and not sheet.day and now - changed > UNTOUCHED:
            why = f"nobody touched this file since {changed.isoformat()}"
            mend = "Check what still holds; delete the rest."
            yield case_of(Judgement.STALENESS, held, why, mend)
