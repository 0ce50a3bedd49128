"""What lasts of what was told, and whose page it belongs on.

A fact, a taste, a choice about something, or that something is another way now. What
happened once, was felt, asked for or thought possible stays an episode.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.encoding.claims import claims_of
from reverie.encoding.remember import entity_name
from reverie.encoding.routing import entity_id
from reverie.encoding.routing.clauses import clause_of
from reverie.encoding.routing.reading import read
from reverie.encoding.sameness import Doubtful, Register, Same, repeats, restated
from reverie.index.sketches import spoken
from reverie.index.words import terms
from reverie.markdown import one_line
from reverie.model.items import EpisodeKind
from reverie.model.origin import Origin, least
from reverie.model.place import Core, Episodic, Semantic
from reverie.model.reflection import Operation, OperationKind
from reverie.reflection.operations.gates import why_refused
from reverie.reflection.rules.dating import dated
from reverie.reflection.rules.knowing import entity_path
from reverie.reflection.rules.opposing import replaces
from reverie.stores.core import parse_core
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from datetime import date

    from reverie.model.route import EntityMention
    from reverie.reflection.rules.knowing import Library
    from reverie.reflection.rules.listening import Statement

MOST_FACTS = 12
"""So many facts one operation adds to a page."""

OFTEN = 2
"""In so many episodes a thing must be named to get a page, unless its name is plain."""


@dataclass(frozen=True, slots=True)
class Lasting:
    """Something that was told and lasts.

    Attributes:
        name: The entity it is about: `TYPE--SLUG`.
        words: What it says, in one line.
        said: Where it was said.
        since: Since when it holds, where it says so.
    """

    name: str
    words: str
    said: Statement
    since: date | None = None


def lasting_in(
    statements: Sequence[Statement], library: Library
) -> tuple[tuple[Lasting, ...], tuple[str, ...]]:
    """What lasts, oldest first, and which names only the human can tell apart."""
    settling = _Settling(statements, library)
    found = []
    for said in statements:
        told = None if _is_odd(said.text) else _about(said, library)
        name = settling.settle(told[0], told[1]) if told else ""
        if name and _may_say(said, name, library):
            words = one_line(said.filing.route.summary)
            words = said.text if words.endswith("\u2026") else words
            told_of = dated(words, said.episode.at)
            if told_of:
                found.append(Lasting(name, told_of[0], said, told_of[1]))
    return tuple(found), tuple(settling.doubts)


def _is_odd(text: str) -> bool:
    """Whether a text would be more than a fact where it is written down, or less."""
    return bool(_ORDERS.match(text) or _STRUCTURE.search(text) or _DOUBT.search(text))


def _may_say(said: Statement, name: str, library: Library) -> bool:
    """Words of others add to pages that are there, and never to the owner's."""
    entity = library.entity(name)
    if said.trusted:
        return True
    if entity is None or name == library.owner:
        return False
    # "Halifax airport is closed" says nothing of Halifax.
    clause = clause_of(read(said.text)[0].words)
    about = terms(" ".join(word.text for word in clause.subject)) if clause else []
    return any(about == terms(label) for label in (entity.label, *entity.aliases))


# --- of what it speaks -------------------------------------------------------


def _about(said: Statement, library: Library) -> tuple[str, str] | None:
    """The entity, as `TYPE--SLUG`, and its name as said; None if nothing lasts."""
    place, route = said.filing.place, said.filing.route
    mentions = {entity_id(one, said.known): one for one in route.entities}
    match place:
        case Semantic() if not _PASSING.search(said.text):
            name = entity_name(place)
            return name, _said(mentions.get(name), name)
        case Core() if library.owner in mentions:
            return library.owner, said.known.owner
        case Episodic(kind=EpisodeKind.DECISION):
            return _decided(mentions, library)
        case Episodic(
            kind=EpisodeKind.EVENT | EpisodeKind.CORRECTION | EpisodeKind.FACT
        ):
            return _changed(said, mentions, library)
        case _:
            return None


def _said(mention: EntityMention | None, name: str) -> str:
    return mention.name if mention else name.partition("--")[2]


def _decided(
    mentions: dict[str, EntityMention], library: Library
) -> tuple[str, str] | None:
    """A choice is about the thing it names that has a page, people last."""
    known = [name for name in mentions if library.entity(name) is not None]
    others = [name for name in known if name != library.owner]
    others.sort(key=lambda name: _ORDER.get(name.partition("--")[0], 2))
    return (others[0], mentions[others[0]].name) if others else None


def _changed(
    said: Statement, mentions: dict[str, EntityMention], library: Library
) -> tuple[str, str] | None:
    """What happened and holds from then on: `Alex moved to Berlin`."""
    for claim in claims_of(said.text):
        if not claim.single or _FLEETING.fullmatch(claim.attribute):
            continue
        if "user" in claim.subject:
            return library.owner, said.known.owner
        found = _opened_by(claim.about.said, mentions)
        if found:
            return found, mentions[found].name
    found = _another(said.text, mentions)
    if not found and replaces(said.text):
        # "We replaced Jira with Linear in Harbor" is about Harbor.
        return _decided({n: one for n, one in mentions.items() if _has(n)}, library)
    if not found or (library.entity(found) is None and not found.startswith("person")):
        return None
    return found, mentions[found].name


def _has(name: str) -> bool:
    """Whether something is of a kind that has tools, and is none."""
    return not name.startswith(("tool--", "person--"))


def _another(text: str, mentions: dict[str, EntityMention]) -> str:
    """What is another way since: `the site moved to …`, `we moved the site to …`."""
    ours = _WE.match(text)
    if ours:
        return _opened_by(text[ours.end() :], mentions)
    found = _opened_by(text, mentions)
    became = _ROSE if found.startswith("person--") else _BECAME
    return found if became.search(text) else ""


def _opened_by(text: str, mentions: dict[str, EntityMention]) -> str:
    """The entity whose name a text begins with; empty if it is none of these."""
    bare = text.casefold().removeprefix("the ")
    named = (n for n, one in mentions.items() if bare.startswith(one.name.casefold()))
    return next(named, "")


_ORDER = {"project": 0, "tool": 1, "person": 3}
_FLEETING = re.compile(r"is on|is due|starts|ends|leaves|arrives|opens|closes")
_BECAME = re.compile(
    r"\b(?:moved|migrated|switched|upgraded|renamed|ported|changed)"
    r" (?:from [^.;]{1,40} )?to\b|\b(?:became|was replaced by)\b"
)
_WE = re.compile(
    r"(?:We|I) (?:have )?(?:now )?(?:moved|migrated|switched|upgraded|renamed|ported)"
    r" (?=[^.;]{2,60} to [^.;])"
)
_ROSE = re.compile(
    r"\b(?:became|(?:got|was|been) (?:promoted|hired|married|engaged|divorced)|retired"
    r"|graduated|got married|started (?:working )?(?:at|as) |quit (?:his|her|their|my))"
)
"""What changes somebody's life for longer than a week."""
_DOUBT = re.compile(
    r"\b(?:maybe|perhaps|possibly|probably|apparently|might|not sure|i (?:think|guess))"
    r"\b",
    re.IGNORECASE,
)
_STRUCTURE = re.compile(r"\u2192|-->|=>|<!--|\[\[|supersedes:", re.IGNORECASE)
_ORDERS = re.compile(r"(?:please )?(?:call|address|never|always|do not|don't)\b", re.I)
_PASSING = re.compile(
    r"\b(?<!since )(?:today|tonight|tomorrow|yesterday|right now|at the moment|for now"
    r"|so far"
    r"|this (?:morning|afternoon|evening|week|time)|again|(?:is|are|am|'s|'m|'re)"
    r" (?:not |still |now |already )?(?:back|here|away|out|late|ready|busy|free|sick"
    r"|ill|gone|stuck|waiting|coming|done|down|up|offline|online|sunny|rainy|cold|hot"
    r"|on (?:leave|holiday|vacation|a call|(?:the|his|her|my) way)"
    r"|in (?:a|the) meeting|at (?:lunch|the)))\b",
    re.IGNORECASE,
)
"""What is so now and not next week."""


# --- whose page it is --------------------------------------------------------


class _Settling:
    """Which entity a name means.

    Args:
        statements: All that was said.
        library: The pages.
    """

    def __init__(self, statements: Sequence[Statement], library: Library) -> None:
        self._library = library
        self._statements = statements
        self._register: Register | None = None
        self._often: Counter[str] | None = None
        self.doubts: dict[str, None] = {}

    def settle(self, name: str, said: str) -> str:
        """The entity that is meant; empty where nobody can tell or none is named."""
        if name == self._library.owner or self._library.entity(name) is not None:
            return name
        kind = name.partition("--")[0]
        match self._names().find(said, kind):
            case Same(id=id_):
                return id_
            case Doubtful(ids=ids):
                self.doubts |= {
                    f"Is {said} the same as {self._library.label(id_)}?": None
                    for id_ in ids
                }
            case None:
                pass
        plain = kind == "person" or (kind != "concept" and said[:1].isupper())
        return name if plain or self._counts()[name] >= OFTEN else ""

    def _names(self) -> Register:
        if self._register is None:
            names: dict[str, list[str]] = defaultdict(list)
            for label, id_ in self._library.known.names.items():
                names[id_].append(label)
            entities = {i: (i.partition("--")[0], n) for i, n in names.items()}
            self._register = Register(entities)
        return self._register

    def _counts(self) -> Counter[str]:
        """In how many episodes each name stands with a capital letter."""
        if self._often is None:
            pairs = {
                (entity_id(one, said.known), said.episode.id)
                for said in self._statements
                if said.trusted
                for one in said.filing.route.entities
                if one.name[:1].isupper()
            }
            self._often = Counter(name for name, _ in pairs)
        return self._often


# --- as operations -----------------------------------------------------------


def extractions(
    found: Iterable[Lasting], library: Library, core: str
) -> tuple[list[Operation], list[Operation]]:
    """What is new about each entity: of those we trust, and of others."""
    told = [entry.text for entry in parse_core(core, layout.CORE).entries]
    groups: dict[tuple[str, bool], list[Lasting]] = defaultdict(list)
    for one in found:
        group = groups[one.name, one.said.trusted]
        if not _is_known(one, library, told):
            _add(one, group)
    ordered = sorted(groups.items(), key=lambda item: _weight(item[1], library))
    made = [(own, _fitting(group)) for (_, own), group in ordered if group]
    trusted = [one for own, one in made if own and one]
    return trusted, [one for own, one in made if one and not own]


def _is_known(one: Lasting, library: Library, core: Collection[str]) -> bool:
    """Whether its page says the very same, or was told to forget it."""
    if one.name == library.owner and any(repeats(one.words, text) for text in core):
        return True
    entity = library.entity(one.name)
    if entity is None:
        return False
    label = "The user" if one.name == library.owner else entity.label
    return any(
        repeats(one.words, said)
        for fact in entity.facts
        if not (fact.superseded_by or fact.until)
        for said in (
            fact.text,
            spoken(entity.label, fact.text),
            f"{label} {fact.text}",
            f"{label} is {fact.text}",
        )
    )


def _add(one: Lasting, group: list[Lasting]) -> None:
    """Add what says more than those before it; take out what says less."""
    if any(
        repeats(one.words, old.words) or restated(one.words, old.words) for old in group
    ):
        return
    group[:] = [old for old in group if not restated(old.words, one.words)]
    group.append(one)


def _weight(group: Sequence[Lasting], library: Library) -> tuple[bool, bool, int]:
    """The owner's own words first, then what has a page, then how much is new."""
    own = any(one.said.origin is Origin.OWNER for one in group)
    known = any(library.entity(one.name) is not None for one in group)
    return not own, not known, -len(group)


def _fitting(group: Sequence[Lasting]) -> Operation | None:
    """The operation, without lines that may not be shown."""
    whole = _operation(group)
    if not why_refused(whole):
        return whole
    fit = [one for one in group if not why_refused(_operation([one]))]
    return _operation(fit) if fit else None


def _operation(group: Sequence[Lasting]) -> Operation:
    kept = group[-MOST_FACTS:]
    return Operation(
        OperationKind.EXTRACT,
        entity_path(kept[0].name),
        "\n".join(map(_dated, kept)),
        "; ".join(dict.fromkeys(when_said(one.said) for one in kept)),
        origin=least([Origin.AGENT, *(one.said.origin for one in kept)]),
    )


def _dated(one: Lasting) -> str:
    """A fact with the day from which on it is known to hold."""
    day = one.since or one.said.day
    return f"{one.words} (since: {day.isoformat()})" if day else one.words


def when_said(said: Statement) -> str:
    """When something was said and where it stands."""
    by = _BY.get(said.origin, "")
    day = f"on {said.day.isoformat()}" if said.day else "once"
    return f"said {day}{by}, {said.episode.id}"


_BY = {
    Origin.SUBAGENT: " by a sub-agent",
    Origin.IMPORT: " by an import",
    Origin.TOOL: " by a tool or web page",
}
