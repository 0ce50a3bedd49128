"""What a text must pass before it is written: secrets, repetitions, whose words it is.

Which words may become what has a table in docs/design/encoding.md.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from enum import Enum
from typing import TYPE_CHECKING

from reverie.encoding.echoes import without_recalled
from reverie.errors import RefusedError
from reverie.index.near_duplicates import spoken
from reverie.index.text import terms
from reverie.model.change import Secrets
from reverie.model.ids import ItemId, Kind, Store
from reverie.model.origin import FOREIGN, Origin
from reverie.model.route import Semantic
from reverie.secrets import SecretFoundError, find_secrets, redact

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from reverie.index.lookup import Alike
    from reverie.model.route import Place
    from reverie.secrets import Secret


class OnlyHumansKeepError(RefusedError):
    """A program wants to keep a secret in plain text."""

    def __init__(self) -> None:
        super().__init__(
            "only a person may keep a secret in plain text",
            hint="--secrets redact takes it out; a person at a terminal may keep it.",
        )


class OnlyRecalledError(RefusedError):
    """A text came out of memory, and would only be learned a second time."""

    def __init__(self) -> None:
        super().__init__(
            "this came out of memory itself, so there is nothing to learn from it",
            hint="Pass on only what was said, without what Reverie put in front of it.",
        )


class RestatedError(RefusedError):
    """A text says what a file says that the agent always reads."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"this only repeats {name}, which the agent reads anyway",
            hint="Change that file instead, or say what is new.",
        )


@dataclass(frozen=True, slots=True)
class Passed:
    """A text that may be stored, and the kinds of secrets taken out of it."""

    text: str
    redacted: tuple[str, ...] = ()


def pass_text(text: str, choice: Secrets, about: str = "") -> Passed:
    """A text without what came out of memory, and without secrets.

    Args:
        text: All of it: nothing is cut out of a text before.
        choice: What to do with secrets.
        about: What it is said to be about: "Igel42" is a secret under "password".

    Raises:
        OnlyRecalledError: Nothing is left of it.
        SecretFoundError: It has secrets, and nobody said what to do with them.
    """
    own, cut = without_recalled(text)
    if cut and not own.strip():
        raise OnlyRecalledError
    found = () if choice is Secrets.KEEP else _found(own, about)
    if not found:
        return Passed(own)
    kinds = tuple(dict.fromkeys(secret.kind for secret in found))
    if choice is Secrets.REFUSE:
        raise SecretFoundError(kinds)
    return Passed(redact(own, found), kinds)


def _found(text: str, about: str) -> tuple[Secret, ...]:
    if not about:
        return find_secrets(text)
    before = f"{about}: "
    size = len(before)
    found = find_secrets(before + text)
    return tuple(
        replace(each, start=max(0, each.start - size), end=each.end - size)
        for each in found
        if each.end > size
    )


def words_of(place: Place) -> Iterator[str]:
    """Everything that a caller says about a place in words of their own."""
    for held in fields(place):
        yield from _strings(getattr(place, held.name))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, Enum):
        # One of our own words.
        return
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _strings(part)


class ForgottenError(RefusedError):
    """A text was to be learned that its human asked to be forgotten."""

    def __init__(self, day: str) -> None:
        when = f" on {day}" if day else ""
        super().__init__(
            f"this was forgotten{when} at its human's wish and is not learned again",
            hint="If they want it back, they can say so: `reverie remember` as manual.",
        )


@dataclass(frozen=True, slots=True)
class Known:
    """A memory that says what a text says.

    Attributes:
        id: The memory.
        at: When it happened, in seconds, where that is known.
        same: Whether it says the very same; else it has all of its telling words.
        forgotten: The day it was asked to be forgotten; empty if it was not.
    """

    id: str
    at: int | None
    same: bool
    forgotten: str = ""


SHARE = 0.8
"""So many of a memory's telling words a text has that may be about the same."""


def repeats(new: str, old: str) -> bool:
    """Whether two texts are equal but for case, white space and closing marks."""
    told = _normal(new)
    return bool(told) and told == _normal(old)


def _normal(text: str) -> str:
    words = " ".join(text.replace("\u2019", "'").split())
    return words.casefold().rstrip(" .!\u3002\uff01")


def _covers(old: frozenset[str], new: frozenset[str]) -> bool:
    """Whether a text has no telling word that another lacks, and nearly all of them."""
    return bool(new) and new <= old and len(new) >= SHARE * len(old)


def find_known(text: str, alike: Iterable[Alike]) -> list[Known]:
    """Which of some memories, for everybody to see, say what a text says."""
    found, told = [], frozenset(terms(text))
    for candidate in alike:
        for said, forgotten in _said(candidate):
            same = repeats(text, said)
            covered = same or _covers(frozenset(terms(said)), told)
            if not candidate.scope and covered:
                found.append(Known(candidate.id, candidate.at, same, forgotten))
    return found


def _said(candidate: Alike) -> Iterator[tuple[str, str]]:
    """What a memory states, each with the day it was forgotten, if it was."""
    if ItemId.parse(candidate.id).kind is not Kind.ENTITY:
        yield candidate.text, ""
        return
    for line in candidate.text.split("\n"):
        yield spoken(candidate.title, line), ""
    for line in candidate.gone.split("\n") if candidate.gone else ():
        day, _, said = line.partition(" ")
        yield spoken(candidate.title, said), day


STEERING = frozenset({Store.CORE, Store.PROCEDURAL, Store.VAULT})
"""What is in there is always in sight, acted upon, or never fades."""


def why_it_waits(store: Store, origin: Origin) -> str:
    """Why words may not enter a store without a human's yes; empty if they may.

    It goes by who says them, not by what they seem to mean.
    """
    if store not in STEERING or origin is Origin.OWNER:
        return ""
    return f"it comes from {_WORDS[origin]}, and {_FOLDERS[store]} steers the agent"


def humbled(place: Place, origin: Origin) -> Place:
    """A place without what only trusted words may do there.

    Nobody but the owner gives a thing another name or pins it, and what comes from
    outside takes the place of nothing.
    """
    match place:
        case Semantic() if origin in FOREIGN:
            return replace(place, alias="", supersedes="")
        case _:
            return place


_WORDS = {
    Origin.SYSTEM: "a program",
    Origin.AGENT: "the agent",
    Origin.SUBAGENT: "a sub-agent",
    Origin.IMPORT: "an import",
    Origin.TOOL: "a tool or web page",
}
_FOLDERS = {
    Store.CORE: "core memory",
    Store.PROCEDURAL: "a procedure",
    Store.VAULT: "the vault",
}
