"""Near duplicates: the few known facts closest to a text (docs/design/encoding.md).

Code only fetches candidates: by shared words weighed by idf, and by the letters they
share with what stands on the same page, which helps in any language. Which of them a
text replaces or contradicts, a mind or a person says.
"""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct

from reverie.errors import FormatError, UnavailableError
from reverie.index.text import COMMON_WORDS, STOP_WORDS, stem_set, stems, terms, words
from reverie.index.user import known_as
from reverie.markdown import headline
from reverie.model.change import Near
from reverie.model.ids import ItemId, Kind, UnknownIdError
from reverie.model.items import scope_name, stated
from reverie.session.session import NoSuchMemoryError
from reverie.stores import entities
from reverie.stores.reader import decode
from reverie.workspace import layout
from reverie.workspace.files import NotAPlainFileError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reverie.session.session import Session

MOST = 5
"""So many are told to who writes."""

OFFERED = 8
"""So many facts are offered to a mind."""

MOST_READ = 2_000
"""Characters of a text that decide what is near."""

_MOST_FACTS = 300
_LOOKED_AT = 8
_ENOUGH, _SOME = 0.35, 0.15
"""The share of a text's weight that a memory elsewhere has in common with it."""

_LETTERS = 0.3
_SAME_PAGE, _LATER = 0.25, 0.1
"""What it counts to stand on the page of whom a text names first, and of others."""

_LONGEST = 300


class NoSuchFactError(NoSuchMemoryError):
    """No fact that holds has this id."""

    says = "no fact {} holds"


class Around(Struct, frozen=True):
    """What is known around a text in an open workspace."""

    session: Session

    def facts(self, page: str, scope: str = "") -> tuple[Near, ...]:
        """The facts that hold on an entity's page, in the order written.

        A page that does not read says nothing; whoever writes to it is told. What is
        for another person alone is not told either.
        """
        session = self.session
        page = known_as(session.index, page)
        if session.index.scope_of(f"{Kind.ENTITY}:{page}") not in {"", scope}:
            return ()
        with suppress(NotAPlainFileError, UnavailableError, FormatError):
            there = session.index.path_of(f"{Kind.ENTITY}:{page}")
            path = there or session.place(layout.ENTITIES, f"{page}.md")
            return _facts(page, path, session.ledger.read(path) or b"")
        return ()

    def cited(self, id_: str) -> Near | None:
        """The fact on a page, or the memory, that somebody names by its id."""
        fact = entities.parse_fact_id(id_)
        if fact is not None:
            end = f"#{fact[1][:6]}"
            return next((n for n in self.facts(fact[0]) if n.id.endswith(end)), None)
        with suppress(UnknownIdError):
            found = self.session.index.find(str(ItemId.parse(id_)))
            if found is not None:
                text = headline(found.text, _LONGEST)
                place = (found.path, found.line, found.origin)
                return Near(found.id, text, "", *place)
        return None

    def find_superseded(self, id_: str) -> Near | None:
        """Return the fact that an id names and that no longer holds; None if hidden."""
        fact = entities.parse_fact_id(id_)
        page = known_as(self.session.index, fact[0]) if fact else ""
        path = self.session.index.path_of(f"{Kind.ENTITY}:{page}") if page else ""
        if fact is None or not path:
            return None
        with suppress(NotAPlainFileError, UnavailableError, FormatError):
            text, _ = decode(self.session.ledger.read(path) or b"", path)
            read = entities.parse_entity(text, path)
            lines = read.page.items(entities.FACTS)
            for piece, known in zip(lines, read.entity.facts, strict=True):
                name = entities.fact_id(page, known.text)
                if not known.forgotten and name.endswith(f"#{fact[1][:6]}"):
                    whose = stated(known.by, known.source)
                    return Near(name, known.text, page, path, piece.line, whose)
        return None

    def require(self, id_: str) -> Near:
        """The fact that an id names.

        Raises:
            NoSuchFactError: None that holds has it; says which ones its page has.
        """
        found = self.cited(id_)
        if found is not None:
            return found
        page = id_.strip().removeprefix("entity:").partition("#")[0]
        facts = self.facts(page)
        listed = "; ".join(
            f"{fact.id} “{headline(fact.text)}”" for fact in facts[:MOST]
        )
        more = f" and {len(facts) - MOST} more" if len(facts) > MOST else ""
        hint = f"On {page} hold: {listed}{more}." if facts else f"{page} has no facts."
        raise NoSuchFactError(id_, hint=hint)

    def shown(self, id_: str) -> bool:
        """Whether a memory was not asked to be forgotten."""
        trace = self.session.index.trace(id_)
        return trace is None or not trace.archived


@lru_cache(maxsize=32)
def _facts(page: str, path: str, data: bytes) -> tuple[Near, ...]:
    """The facts that hold on a page, read again only when it says something else."""
    return tuple(
        Near(
            *(entities.fact_id(page, fact.text), fact.text, page, path, line),
            stated(fact.by, fact.source),
        )
        for line, fact in entities.current_facts(decode(data, path)[0], path)
    )


def find_near(
    text: str,
    pages: Sequence[str],
    around: Around,
    *,
    scope: str = "",
    offered: bool = False,
) -> tuple[Near, ...]:
    """The known facts closest to a text, those of the pages it is about before others.

    Args:
        text: What is new.
        pages: The entities it is or may be about.
        around: What looking around may look at.
        scope: The person it is for alone; what is for another is not told.
        offered: Whether a mind is to judge them: then only facts on pages, more of
            them, and also such as share no word.
    """
    whose, said = scope_name(scope), text[:MOST_READ]
    least, looks = (_SOME, _LOOKED_AT) if offered else (_ENOUGH, MOST)
    sharing = around.session.index.sharing(terms(said), whose, least, looks)
    mine = _letters(said)
    found: dict[str, tuple[float, Near]] = {}

    def alike(other: str) -> float:
        """What the letters count that two texts have in common."""
        theirs = _letters(other)
        return _LETTERS * len(mine & theirs) / max(1, min(len(mine), len(theirs)))

    for rank, page in enumerate(dict.fromkeys(pages)):
        shown = around.shown(f"{Kind.ENTITY}:{page}")
        facts = around.facts(page, whose)[-_MOST_FACTS:] if shown else ()
        # Whom a page is about goes without saying there.
        named = frozenset(terms(page.partition("--")[2].replace("-", " ")))
        weights = {t: w for t, w in sharing.weights.items() if t not in named}
        base = _SAME_PAGE - _LATER * bool(rank)
        for age, near in enumerate(reversed(facts)):
            shared = _shared(weights, near.text)
            # Of many facts on a page only those count that are close.
            if shared or offered or len(facts) <= MOST:
                # The newest first, where nothing else tells them apart.
                close = base + (shared + alike(near.text) - age * 1e-6)
                found.setdefault(near.id, (close, near))
    doubts = around.session.doubts()
    is_unconfirmed = around.session.confirming.is_unconfirmed
    for row in sharing.best:
        page = row.page.partition(":")[2]
        # An unconfirmed edit of a file that steers agents is not quoted as known.
        if (
            (offered and not page)
            or (row.path in doubts and is_unconfirmed(row))
            or not around.shown(row.id)
        ):
            continue
        id_ = row.id.partition(":")[2] if page else row.id
        known = row.text if page else headline(row.text, _LONGEST)
        told = f"{row.title} {known}" if page else known
        shared = _shared(sharing.weights, told)
        if shared >= least:
            near = Near(id_, known, page, row.path, row.line, row.origin)
            found.setdefault(id_, (shared + alike(told), near))
    same = " ".join(text.split()).casefold()
    best = sorted(found.values(), key=lambda each: -each[0])
    kept = (near for _, near in best if " ".join(near.text.split()).casefold() != same)
    return tuple(kept)[: OFFERED if offered else MOST]


def may_replace(text: str, known: Near) -> bool:
    """Return whether a text may take the place of a fact.

    They have two telling words in common, or the first one, beside the name of the
    page. A single word elsewhere, such as a month, makes them no alternatives.
    """
    named = stem_set(known.page.partition("--")[2].replace("-", " "))
    new, old = (
        [t for t in _telling(each) if t not in named] for each in (text, known.text)
    )
    common = {*new} & {*old}
    return len(common) > 1 or bool(common and new[0] == old[0])


def _telling(text: str) -> list[str]:
    found = (w for w in words(text) if w not in COMMON_WORDS and not w.isdigit())
    return stems(found)


def _shared(weights: Mapping[str, float], text: str) -> float:
    """The share of a text's weight that another one has in common with it."""
    whole = sum(weights.values())
    common = weights.keys() & stem_set(text)
    return sum(weights[term] for term in common) / whole if whole else 0.0


@lru_cache(maxsize=4_096)
def _letters(text: str) -> frozenset[str]:
    """The letters of a text: three of each word in a row, of Chinese one."""
    runs = (f" {word} " for word in words(text) if word not in STOP_WORDS)
    return frozenset(run[at : at + 3] for run in runs for at in range(len(run) - 2))
