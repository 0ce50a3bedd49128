"""Reflection without a mind: it lists what there is, and understands none of it.

New episodes by the entities they name, what was referred to again, what is fading,
near duplicates and open questions, all in the words that stand there. Nothing is
extracted, connected or contradicted. The one change it offers is to archive an episode
that fades and that stands, word for word, in another memory that stays.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import chain
from typing import TYPE_CHECKING

from msgspec import Struct

from reverie.decay import Status, standing
from reverie.index.near_duplicates import sketch
from reverie.index.text import spoken, terms, words
from reverie.markdown import headline, one_line
from reverie.model.ids import Store
from reverie.model.items import FOREIGN, Origin, least
from reverie.model.proposals import DEFERRED
from reverie.model.reflection import Insight, Operation, OperationKind
from reverie.reflection.draft import Draft
from reverie.reflection.loss_guard import most_lost
from reverie.reflection.operations import why_refused
from reverie.reflection.scope import names_in
from reverie.reflection.unread import CANDIDATES
from reverie.stores.entities import asked_same, parse_entity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime, tzinfo

    from reverie.config import Config
    from reverie.index import Index, ScoredMemory
    from reverie.model.proposals import Proposal
    from reverie.model.reflection import Noticed, Survey

    Faint = Sequence[tuple[float, Status, ScoredMemory]]

UNFILED = "Unfiled"
AGAIN, TWICE = "Referred to again", "Near duplicates"
FADING = "Fading (`reverie pin ID` keeps one vivid; its file keeps it either way)"

MOST_GROUPS, MOST_LINES, MOST_OFFERED = 20, 12, 12
LONGEST, LONGEST_ARCHIVED = 110, 400
SIMILAR = 0.8  # of all their telling words, in two near duplicates


class PlainListing(Struct, frozen=True):
    """What was read, and what is looked at besides.

    Attributes:
        survey: What was read.
        index: Up to date with the files.
        config: The settings.
        now: The moment, in UTC.
        zone: The user's.
        waiting: The pending proposals that may be shown.
    """

    survey: Survey
    index: Index
    config: Config
    now: datetime
    zone: tzinfo
    waiting: tuple[Proposal, ...] = ()

    def draft(self) -> Draft:
        """List what there is to a person, and offer what may be archived."""
        faint = self._faintest_first()
        offers = list(self._said_elsewhere(faint))
        offered = {one.target for one in offers}
        groups = self._by_entity()
        about = [name for name, _ in groups[:4]]
        listed = [
            *(self._group(name, found) for name, found in groups[:MOST_GROUPS]),
            ("Others", _most(name for name, _ in groups[MOST_GROUPS:])),
            (AGAIN, _most(self._again())),
            (FADING, self._fading(faint, offered)),
            (TWICE, _most(self._twice(faint, offered))),
        ]
        news = f"{_counted(len(self.survey.episodes))}: {', '.join(about)}"
        return Draft(
            tuple(offers),
            insight=Insight(key=f"{news if about else 'No new episodes'}."),
            questions=tuple(dict.fromkeys(self._open())),
            listed=tuple((title, lines) for title, lines in listed if lines),
        )

    # --- new episodes -----------------------------------------------------------

    def _by_entity(self) -> list[tuple[str, list[tuple[Noticed, list[str]]]]]:
        """Episodes by the most spoken-of entity they name; the unfiled come last."""
        find, called = names_in(self.index), self.index.entity_names()
        named = [
            (each, [next(filter(None, called[n]), n) for n in find(each.text)])
            for each in self.survey.episodes
        ]
        often = Counter(label for _, found in named for label in found)
        groups: dict[str, list[tuple[Noticed, list[str]]]] = defaultdict(list)
        for each, found in named:
            first = max(found, key=lambda label: often[label], default=UNFILED)
            groups[first].append((each, [other for other in found if other != first]))
        return sorted(groups.items(), key=lambda g: (g[0] == UNFILED, -len(g[1]), g[0]))

    def _group(
        self, name: str, found: Sequence[tuple[Noticed, list[str]]]
    ) -> tuple[str, tuple[str, ...]]:
        lines = []
        for each, others in found:
            also = f" (also {', '.join(others)})" if others else ""
            lines.append(
                f"{self._day(each.at)}: {_words(each.text, each.origin)}{also}"
            )
        return f"{name}: {_counted(len(found))}", _most(lines)

    def _day(self, moment: datetime | None) -> str:
        return f"{moment.astimezone(self.zone):%Y-%m-%d}" if moment else "undated"

    # --- what was of use, and what fades ----------------------------------------

    def _again(self) -> Iterator[str]:
        """What was of use since the last reflection, on a later day than at first."""
        stores = (Store.SEMANTIC, Store.EPISODIC, Store.PROCEDURAL)
        lively = chain.from_iterable(
            self.index.lively(store, 5 * MOST_LINES) for store in stores
        )
        for each in sorted(lively, key=lambda e: e.trace.last_accessed, reverse=True):
            trace, last = each.trace, each.trace.last_accessed
            later = self._day(last) > self._day(trace.created)
            later = later and last > self.survey.since
            if trace.accesses > 1 and later:
                times = f"{trace.accesses} times in all, last on {self._day(last)}"
                yield f"{self._shown(each)} ({times}, {each.id})"

    def _faintest_first(self) -> Faint:
        faint, decay = self.index.faintest(CANDIDATES), self.config.decay
        scored = [(*standing(each.trace, self.now, decay), each) for each in faint]
        return sorted(scored, key=lambda one: (one[0], one[2].id))

    def _fading(self, faint: Faint, offered: set[str]) -> tuple[str, ...]:
        """What fades, the faintest first, in words; what was listed is counted."""
        found, before = [], 0
        for score, status, each in faint:
            if status is Status.ACTIVE or each.id in offered:
                continue
            then = standing(each.trace, self.survey.since, self.config.decay)[1]
            if status is then and not self.survey.first:
                before += 1
            else:
                told = f"{score:.2f}, {self._idle(each)} days, {each.id}"
                found.append(f"{self._shown(each)} ({told})")
        told_before = [f"{before} more, listed before"] if before else []
        return (*_most(found), *told_before)

    def _idle(self, each: ScoredMemory) -> int:
        return max(0, (self.now - each.trace.last_accessed).days)

    def _shown(self, each: ScoredMemory) -> str:
        """A memory in its own words, those of a page behind what it is called."""
        located = self.index.find(each.id)
        text = located.text if located else each.title
        if each.id.startswith("episode:") or not each.title:
            return _words(text, each.origin)
        lines = (line for line in text.split("\n") if line.strip() != each.title)
        said = " · ".join(line for line in lines if line.strip())
        return f"{each.title}: {_words(said, each.origin)}" if said else each.title

    # --- what is said twice -----------------------------------------------------

    def _twice(self, faint: Faint, offered: set[str]) -> Iterator[str]:
        """New episodes that say nearly what another says; at first the old ones too."""
        ids = [each.id for each in self.survey.episodes]
        ids += [each.id for _, _, each in faint if self.survey.first]
        seen: set[frozenset[str]] = set()
        for id_ in (one for one in dict.fromkeys(ids) if one.startswith("episode:")):
            located = self.index.find(id_)
            for other, said in self._alike(id_, located.text) if located else ():
                text = located.text if located else ""
                pair, one, two = frozenset((id_, other)), {*terms(text)}, {*terms(said)}
                similar = len(one & two) >= SIMILAR * max(1, len(one | two))
                new = pair not in seen and not pair & offered
                if other.startswith("episode:") and new and similar:
                    seen.add(pair)
                    first, second = (
                        headline(one_line(t), LONGEST) for t in (text, said)
                    )
                    yield f"“{first}” ({id_}) and “{second}” ({other})"

    def _said_elsewhere(self, faint: Faint) -> Iterator[Operation]:
        """Episodes that fade and stand word for word in a memory that stays."""
        count = sum(self.index.counts().values())
        most = min(MOST_OFFERED, most_lost(self.config, count))
        offered: set[str] = set()
        for score, status, each in faint:
            may = status is not Status.ACTIVE and each.id.startswith("episode:")
            located = self.index.find(each.id) if may and len(offered) < most else None
            other = self._copy_of(each, located.text, offered) if located else ""
            if not located or not other:
                continue
            told = headline(one_line(located.text), LONGEST_ARCHIVED)
            idle = f"last accessed {self._idle(each)} days ago"
            operation = Operation(
                OperationKind.ARCHIVE,
                each.id,
                f"{told} (score: {score:.2f}, {idle})",
                f"it is said elsewhere too, and stays there: {other}",
                origin=each.origin if each.origin in FOREIGN else Origin.AGENT,
            )
            if not why_refused(operation):
                offered.add(each.id)
                yield operation

    def _copy_of(self, each: ScoredMemory, text: str, offered: set[str]) -> str:
        """Where else a text stands word for word, no less trusted; empty if nowhere."""
        said = words(text)
        for other, statement in self._alike(each.id, text):
            there = words(statement)
            holds = said and f" {' '.join(said)} " in f" {' '.join(there)} "
            if other in offered or not holds or len(said) < SIMILAR * len(there):
                continue
            trace, located = self.index.trace(other), self.index.find(other)
            stays = trace and not trace.archived
            if not stays or not located:
                continue
            if least((each.origin, located.origin)) is each.origin:
                place = f"{other} ({located.path}:{located.line})"
                return f"{place}: “{headline(one_line(statement), LONGEST_ARCHIVED)}”"
        return ""

    def _alike(self, id_: str, text: str) -> Iterator[tuple[str, str]]:
        """Memories for everybody that share a sketch with a text, as they put it."""
        for other in self.index.alike(sketch(text)):
            if other.id == id_ or other.scope:
                continue
            page = other.id.startswith("entity:")
            for line in other.text.split("\n") if page else [other.text]:
                yield other.id, spoken(other.title, line) if page else line

    # --- what only a person can say ---------------------------------------------

    def _open(self) -> Iterator[str]:
        """Open questions of pages, and proposals that wait for a decision."""
        for page in self.survey.entities:
            entity = parse_entity(page.text, page.path).entity
            for each in entity.questions:
                other = asked_same(each)
                pair = f"{entity.name} {other}"
                how = f" `reverie merge {pair}`, or `--no` behind it" if other else ""
                yield f"{page.title}: {each}{how}"
        for one in self.waiting:
            if one.status == DEFERRED:
                ways = (
                    f"`reverie pending accept {one.number}` or `… reject {one.number}`"
                )
                others = [name[1:] for name in one.conflicts if name.startswith("#")]
                if others:
                    named = " ".join((str(one.number), *others))
                    ways = f"`reverie pending resolve {named} --keep N`"
                yield f"{one.sender}: “{headline(one.content, LONGEST)}”: {ways}?"
        if count := sum(one.status != DEFERRED for one in self.waiting):
            waits = "proposals wait" if count > 1 else "proposal waits"
            yield f"{count} {waits} for you: `reverie pending`."


def _counted(count: int) -> str:
    return f"{count} new episode{'s' * (count != 1)}"


def _most(found: Iterable[str]) -> tuple[str, ...]:
    lines = list(found)
    over = len(lines) - MOST_LINES
    return (*lines[:MOST_LINES], *([f"… and {over} more"] if over > 0 else []))


def _words(text: str, origin: str) -> str:
    """The beginning of a text; of somebody else's, marked as theirs."""
    told = headline(one_line(text.replace("\n", " ")), LONGEST)
    return f"“{told}” (words of: {origin})" if origin in FOREIGN else told
