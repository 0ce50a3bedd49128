"""Episodes as statements: one plain sentence each, and whose words it is.

Quoted lines, code and questions say nothing here.
A sentence that leaves its subject to the one before it, or only reports what somebody
said, is told directly: "Nora said she is ill" as "Nora is ill".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from reverie.encoding.routing import Filing, filing_of, route_by_rules
from reverie.encoding.routing.naming import find_named
from reverie.encoding.routing.reading import read
from reverie.markdown import hidden_lines, split_lines
from reverie.model.origin import Origin, named

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from reverie.encoding.routing import Known
    from reverie.encoding.routing.reading import Sentence
    from reverie.model.reflection import Noticed, Survey

MOST_READ = 6_000
"""So many characters of an episode are read."""

LONGEST = 300
"""Characters; a longer sentence tells many things and is no line of a page."""

TRUSTED = frozenset({Origin.OWNER, Origin.SYSTEM, Origin.AGENT})


@dataclass(frozen=True, eq=False)
class Statement:
    """One sentence of an episode.

    Attributes:
        episode: Where it stands.
        text: What it says.
        known: What the workspace knows.
    """

    episode: Noticed
    text: str
    known: Known

    @property
    def origin(self) -> Origin:
        """Whose words it is."""
        return named(self.episode.origin)

    @property
    def trusted(self) -> bool:
        """Whether the owner or their agent said it."""
        return self.origin in TRUSTED

    @property
    def day(self) -> date | None:
        """The day it was said."""
        return self.episode.at.date() if self.episode.at else None

    @cached_property
    def filing(self) -> Filing:
        """Where it would be stored."""
        route = route_by_rules(self.text, self.known)
        return filing_of(route, self.text, self.known)


def statements_of(survey: Survey, known: Known) -> tuple[Statement, ...]:
    """What the new episodes state, oldest first."""
    return tuple(
        Statement(episode, text, known)
        for episode in survey.episodes
        for text in _told(episode.text[:MOST_READ], known)
        if len(text) <= LONGEST
    )


def _told(text: str, known: Known) -> Iterator[str]:
    before: Sentence | None = None
    for line in _lines(text):
        for sentence in read(line):
            plain = not sentence.asks and sentence.english
            if plain and sentence.text[0].isalnum():
                whole = _with_subject(sentence.text, before, known)
                yield from _apart(_direct(whole, known))
            before = sentence


def _lines(text: str) -> Iterator[str]:
    """Lines that are somebody's own words, without marks and names of speakers."""
    lines = split_lines(text)
    hidden = hidden_lines(lines)
    for number, line in enumerate(lines):
        bare = _MARK.sub("", line.strip(), count=1)
        if number in hidden or not bare or bare.startswith(_NOT_SAID):
            continue
        speaker = _SPEAKER.match(bare)
        if speaker is None:
            yield bare
        elif speaker[1].lower() in {"user", "owner", "human"}:
            yield bare[speaker.end() :]


_NOT_SAID = (">", "#", "```", "~~~", "<!--", "|")
_MARK = re.compile(r"^(?:[-*+]|[0-9]{1,3}[.)])\s+")
_SPEAKER = re.compile(
    r"(user|owner|human|assistant|agent|system|tool|ai|bot)\s?:\s", re.IGNORECASE
)


# --- who is meant ------------------------------------------------------------


def _with_subject(text: str, before: Sentence | None, known: Known) -> str:
    """`She is our designer` after `Priya joined today` speaks of Priya."""
    found = _PRONOUN.match(text)
    if not found or before is None:
        return text
    named = find_named(before.words, known)
    people = {one.name for one in named if one.type == "person"}
    names = people or set(_NAMES.findall(before.text))
    if len(names) != 1 or not (people or before.text.startswith(tuple(names))):
        return text
    return f"{names.pop()}{text[found.end() :]}"


def _direct(text: str, known: Known) -> str:
    """What somebody said of themselves, as a statement about them."""
    found = _REPORTED.match(text)
    if not found:
        return text
    who = found["who"]
    own = who.lower() in {"i", "user", "the user"} or who == known.owner
    if found["self"].lower() == "i" and not own:
        return text
    verb = found["verb"].strip()
    if found["self"].lower() in {"they", "i"} and who.lower() != "i":
        verb = _third(verb)
    whom = "The user" if who.lower() == "user" else who
    return f"{whom} {verb}{text[found.end() :]}"


def _third(verb: str) -> str:
    low = verb.lower()
    if low in _THIRD:
        return _THIRD[low]
    if low.endswith(("s", "ed", "n't")) or low in _AS_IT_IS:
        return verb
    return f"{verb}es" if low.endswith(("sh", "ch", "x", "z", "o")) else f"{verb}s"


def _apart(text: str) -> Iterator[str]:
    """`Vera, who runs the shop, is Dan's wife` says two things of Vera."""
    found = _WHO.search(text)
    if not found:
        yield text
        return
    who, rest = found["who"], found["rest"]
    if found.start():
        yield text
    elif rest:
        yield f"{who} {rest.strip()}"
    yield f"{who} {found['aside'].strip()}."


_NAME = r"[A-Z][\w'-]{1,30}(?: [A-Z][\w'-]{1,30}){0,3}"
_NAMES = re.compile(rf"\b{_NAME}")
_PRONOUN = re.compile(r"(?:She|He)(?=\s(?!and\b)[a-z])")
_SAID = (
    r"(?:said|says|mentioned|mentions|noted|notes|confirmed|confirms|explained|explains"
    r"|told (?:me|us)|tells (?:me|us)|revealed|shared|stated|states|added)"
)
_REPORTED = re.compile(
    rf"(?P<who>(?:[Tt]he )?[Uu]ser|I|{_NAME}) (?:also |just )?{_SAID},? (?:that )?"
    r"(?P<self>[Tt]hey|[Ss]he|[Hh]e|I)(?P<verb>'(?:re|m|s|ve)| [a-z]+(?:n't)?)\b"
)
_WHO = re.compile(
    rf"(?P<who>{_NAME}), who (?P<aside>[^,;.]{{3,80}})(?:, (?P<rest>.{{3,200}})|\.?$)"
)
_THIRD = {
    "are": "is",
    "am": "is",
    "have": "has",
    "do": "does",
    "'re": "is",
    "'m": "is",
    "'s": "is",
    "'ve": "has",
}
_AS_IT_IS = frozenset(
    ("can", "could", "will", "would", "should", "must", "may", "might", "never", "no")
)
