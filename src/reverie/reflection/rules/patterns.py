"""What is done again and again, as a way of doing something.

Careful on purpose: the same verb with the same objects, on three days at least, told
by the owner or the agent. Meals and walks are no procedures.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.encoding.routing.clauses import Tense, clause_of
from reverie.encoding.routing.lexicon import ORDERS, PREPOSITIONS, words_in
from reverie.encoding.routing.reading import read
from reverie.index.words import STOP_WORDS, stems, terms
from reverie.model.ids import slug
from reverie.model.origin import Origin
from reverie.model.reflection import Operation, OperationKind
from reverie.reflection.operations.gates import why_refused
from reverie.reflection.rules.candidates import DO
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import date

    from reverie.encoding.routing.reading import Word
    from reverie.model.reflection import Noticed
    from reverie.reflection.rules.candidates import Seen
    from reverie.reflection.rules.knowing import Library
    from reverie.reflection.rules.listening import Statement

OFTEN = 3
"""On so many days something must have been done."""

ENOUGH, ENOUGH_TOLD = 3, 2
"""So many words the tellings share: without, and with something that says when."""

LIKE = 0.6
"""So much of the tellings must be shared: fixing three bugs is no procedure."""

SAID = 0.8
"""A procedure says it that has so many of the shared words."""


@dataclass(frozen=True, slots=True, eq=False)
class Doing:
    """One telling of something that was done.

    Attributes:
        words: From the verb on.
        when: Where the words begin that say when; the end if none do.
        stems: The stems of its telling words, the verb first.
        asked: What asked for it, such as `asked to`; empty if nobody did.
        text: The sentence.
        days: When it was done; of what was seen before, all its days.
    """

    words: tuple[Word, ...]
    when: int
    stems: tuple[str, ...]
    asked: str
    text: str
    days: tuple[date, ...]

    @property
    def key(self) -> str:
        """By what it is known again in another cycle."""
        return f"{DO}{'asked ' if self.asked else ''}{' '.join(self.stems)}"

    @property
    def timed(self) -> bool:
        """Whether it says when."""
        return self.when < len(self.words)


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """Something that is done again and again.

    Attributes:
        tellings: All of them, oldest first.
        shared: The stems they share.
    """

    tellings: tuple[Doing, ...]
    shared: frozenset[str]

    @property
    def days(self) -> tuple[date, ...]:
        """The days on which it was done."""
        return tuple(sorted({day for one in self.tellings for day in one.days}))


@dataclass(frozen=True, slots=True)
class Ways:
    """What is done again and again.

    Attributes:
        operations: Ways of doing something that are new.
        again: Names of known ones that were seen again.
        seldom: What was done too seldom still.
    """

    operations: list[Operation]
    again: list[str]
    seldom: Seen


def patterns_in(
    statements: Sequence[Statement],
    library: Library,
    procedures: Sequence[Noticed],
    before: Seen,
) -> Ways:
    """Ways of doing something.

    Args:
        statements: What was said.
        library: The pages.
        procedures: The ways that are known.
        before: What was done too seldom so far.
    """
    old = [one for seen in before.values() for one in _doings(*seen, library)]
    new = [
        one
        for said in statements
        if said.origin in _OWN and said.day
        for one in _doings(said.text, (said.day,), library)
    ]
    # What stands on the list passed the gate when it came there.
    fit = [one for one in new if one.key in before or _may_be_kept(one)]
    doings = [*old, *fit]
    found = sorted(_patterns(doings), key=lambda one: -len(one.days))
    over = {one for pattern in found for one in pattern.tellings}
    names = {pattern: _known(pattern, procedures) for pattern in found}
    return Ways(
        [_operation(pattern) for pattern, known in names.items() if not known],
        list(dict.fromkeys(filter(None, names.values()))),
        _seldom(one for one in doings if one not in over),
    )


def _seldom(doings: Iterable[Doing]) -> Seen:
    """What was done too seldom still; of tellings of one thing the longest."""
    found: Seen = {}
    for one in doings:
        words, days = found.get(one.key, ("", ()))
        fuller = max(words, one.text, key=len)
        found[one.key] = (fuller, tuple(sorted({*days, *one.days})))
    return found


def _may_be_kept(one: Doing) -> bool:
    return not why_refused(Operation(OperationKind.PATTERN, "", one.text))


# --- what was done -----------------------------------------------------------


def _doings(text: str, days: tuple[date, ...], library: Library) -> Iterator[Doing]:
    for sentence in read(text)[:1]:
        clause = clause_of(sentence.words)
        if clause is None or clause.tense is not Tense.OVER:
            continue
        who = " ".join(word.low for word in clause.subject)
        if who in _OURS or who == library.known.owner.casefold():
            doing = _doing(clause.point, text, days)
            if doing:
                yield doing


def _doing(point: Sequence[Word], text: str, days: tuple[date, ...]) -> Doing | None:
    """What was done; None where it is nothing that one does by a rule."""
    low = " ".join(word.low for word in point)
    lead = _ASKED.match(low)
    words = tuple(point[len(lead[0].split()) :] if lead else point)
    words = tuple(word for word in words if word.low != "again")
    thing = lead is not None and lead[0].endswith("for")
    if len(words) < 2 or (words[0].low in STOP_WORDS and not thing):
        return None
    if lead is None and words[1].low in _NO_OBJECT:
        return None
    when = next(
        (n for n, w in enumerate(words) if n > 1 and w.low in _WHEN), len(words)
    )
    found = tuple(dict.fromkeys(_stems(words)))
    if len(found) < 2 or found[0] in _LIFE:
        return None
    return Doing(words, when, found, lead[0] if lead else "", text, days)


def _stems(words: Sequence[Word]) -> Iterator[str]:
    lows = [w.low.removesuffix("'s") for w in words]
    telling = [w for w in lows if w not in _LITTLE]
    yield from (stem for stem in stems(telling) if not stem.isdecimal())


_OWN = frozenset({Origin.OWNER, Origin.AGENT})
_OURS = frozenset(
    ("", "i", "we", "user", "the user", "the agent", "agent", "assistant")
)
_ASKED = re.compile(
    r"(?:asked|told|requested|wanted|reminded)(?: (?:me|us|you|again|the agent"
    r"|the assistant|once more)){0,2} (?:to|for)\b"
)
_WHEN = words_in("before after when whenever once while if until every each")
_NO_OBJECT = (PREPOSITIONS | words_in("along and but because")) - {"up", "out", "off"}
_LIFE = frozenset(
    stems(
        words_in("""
            be have go come feel meet see talk say tell think eat drink sleep wake walk
            swim hike cycle drive fly travel watch look hear visit call text buy bake
            cook dine play sing dance rest relax thank greet wish hope love like
            hate miss get forget lose find leave arrive return chat discuss speak
            mention ask want notice realise realize decide agree choose pick
        """)
    )
)
"""What people do all the time; doing it often is no procedure."""

_DULL = words_in("""
    again today yesterday tonight morning evening afternoon night monday tuesday
    wednesday thursday friday saturday sunday week month year day time once more also
    another new full all whole last next this first then
""")
_LITTLE = STOP_WORDS | PREPOSITIONS | _DULL


# --- how alike ---------------------------------------------------------------


def _patterns(doings: Sequence[Doing]) -> Iterator[Pattern]:
    """What has the same verb and shares enough else."""
    groups: dict[tuple[str, bool], list[Doing]] = defaultdict(list)
    for one in doings:
        groups[one.stems[0], bool(one.asked)].append(one)
    for group in groups.values():
        left = group
        while (pattern := _widest(left)) is not None:
            if _is_telling(pattern):
                yield pattern
            done = {*pattern.tellings}
            left = [one for one in left if one not in done]


def _widest(group: Sequence[Doing]) -> Pattern | None:
    """The tellings that share the verb and, one by one, the commonest other words."""
    shared = {group[0].stems[0]} if group else set()
    tellings = list(group)
    while tellings:
        days: dict[str, set[date]] = defaultdict(set)
        for one in tellings:
            for stem in one.stems:
                if stem not in shared:
                    days[stem].update(one.days)
        best = max(days, key=lambda stem: (len(days[stem]), stem), default="")
        if not best or len(days[best]) < OFTEN:
            break
        shared.add(best)
        tellings = [one for one in tellings if best in one.stems]
    enough = len(shared) >= ENOUGH_TOLD
    return Pattern(tuple(tellings), frozenset(shared)) if enough else None


def _is_telling(pattern: Pattern) -> bool:
    if len(pattern.days) < OFTEN or _likeness(pattern) < LIKE:
        return False
    asked = any(one.asked for one in pattern.tellings)
    return asked or len(pattern.shared) >= ENOUGH


def _likeness(pattern: Pattern) -> float:
    """How much of what each telling says they all say, on average."""
    shares = [len(pattern.shared) / len({*one.stems}) for one in pattern.tellings]
    return sum(shares) / len(shares)


def _known(pattern: Pattern, procedures: Sequence[Noticed]) -> str:
    """The procedure that says it already; empty if none does."""
    for one in procedures:
        said = set(terms(f"{one.title} {one.text}"))
        if len(pattern.shared & said) >= SAID * len(pattern.shared):
            return one.title or one.path.rpartition("/")[2].removesuffix(".md")
    return ""


# --- as a procedure ----------------------------------------------------------


def _operation(pattern: Pattern) -> Operation:
    best = min(pattern.tellings, key=lambda one: _fullness(one, pattern))
    steps = _steps(best)
    days = ", ".join(day.isoformat() for day in pattern.days)
    listed = [f"- {step}" for step in steps]
    return Operation(
        OperationKind.PATTERN,
        f"{layout.PROCEDURES}/{slug(steps[0])}.md",
        "\n".join([f"Trigger: {_trigger(best, pattern)}", *listed]),
        f"{'asked for' if best.asked else 'done'} on {days}",
    )


def _fullness(one: Doing, pattern: Pattern) -> tuple[int, int, int]:
    """How far a telling is from saying just what they share."""
    said = {*one.stems}
    missing, more = pattern.shared - said, said - pattern.shared
    return len(missing), len(more), len(one.words)


def _steps(doing: Doing) -> list[str]:
    verb, *rest = doing.words
    wished = doing.asked.endswith("for")
    order = f"provide {verb.text}" if wished else _order(verb.low)
    whole = " ".join((order, *(word.text + _comma(word) for word in rest)))
    steps = [step.strip(" ,;.") for step in _THEN.split(whole)]
    return [step[:1].upper() + step[1:] for step in steps if step]


def _order(verb: str) -> str:
    """A verb as one tells somebody to do it: `ran` as `run`; else as it is."""
    (stem,) = stems([verb])
    (again,) = stems([verb.removeprefix("re")])
    return _ORDERS.get(stem) or _ORDERS.get(f"re{again}") or verb


def _comma(word: Word) -> str:
    return word.stop if word.stop in {",", ";"} else ""


def _trigger(doing: Doing, pattern: Pattern) -> str:
    if doing.timed:
        return _timed(doing)
    weekdays = {day.weekday() for day in pattern.days}
    if len(weekdays) == 1 and not doing.asked:
        return f"When it is {pattern.days[0]:%A}."
    verbs = 0 if doing.asked.endswith("for") else 1
    return f"When it is about {_object(doing.words[verbs:])}."


def _timed(doing: Doing) -> str:
    first, *rest = doing.words[doing.when :]
    what = " ".join(word.text for word in rest)
    if not rest or first.low in {"every", "each"}:
        return f"When it is {first.low} {what}".strip() + "."
    if first.low != "before" or rest[0].low.endswith("ing"):
        return f"When {what}."
    return f"When this is next: {what}."


def _object(words: Sequence[Word]) -> str:
    """The words up to a preposition."""
    end = next((n for n, w in enumerate(words) if n and w.low in _ENDS), len(words))
    return " ".join(word.text for word in words[:end])


_ENDS = PREPOSITIONS | {"and", "or", "but"}
_THEN = re.compile(r",? (?:and )?then |; ")
_ORDERS = {stems([verb])[0]: verb for verb in sorted(ORDERS)}
