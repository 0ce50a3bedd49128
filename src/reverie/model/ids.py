"""Names of stores, memories and windows, and checks of arguments."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Self

from reverie.errors import NotFoundError, RefusedError

if TYPE_CHECKING:
    from typing import TypeVar

    E = TypeVar("E", bound=StrEnum)


class WrongArgumentError(RefusedError, TypeError):
    """An argument is of another kind than the call takes."""

    def __init__(self, name: str, given: object, wanted: str, hint: str) -> None:
        found = f"{type(given).__name__} {repr(given)[:40]}"
        super().__init__(f"{name} must be {wanted}, not {found}", hint=hint)


def require_kind(
    name: str, given: object, kind: type | tuple[type, ...], *, hint: str = ""
) -> None:
    """Refuse an argument of another kind, before anything is asked or changed.

    Args:
        name: What the argument is called.
        given: What was passed.
        kind: What it has to be, one of them.
        hint: Where the caller gets it.
    """
    if not isinstance(given, kind):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        wanted = " or ".join(each.__name__ for each in kinds)
        raise WrongArgumentError(name, given, wanted, hint)


def choice(name: str, given: object, kind: type[E]) -> E:
    """One of the values of an enumeration, itself or as its word.

    Args:
        name: What the argument is called.
        given: What was passed.
        kind: The enumeration.
    """
    try:
        return kind(given)  # type: ignore[arg-type]
    except ValueError as error:
        wanted = " or ".join(each.value for each in kind)
        raise WrongArgumentError(name, given, wanted, "") from error


SLUG_LENGTH = 60
"""Longest slug; with a type in front it still is a comfortable file name."""


class Store(StrEnum):
    """Where a memory lives."""

    CORE = "core"
    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"
    VAULT = "vault"
    TURNS = "turns"


class Kind(StrEnum):
    """The first word of an id."""

    CORE = "core"
    EPISODE = "episode"
    ENTITY = "entity"
    PROCEDURE = "procedure"
    VAULT = "vault"
    TURN = "turn"


STORE_OF = {
    Kind.CORE: Store.CORE,
    Kind.EPISODE: Store.EPISODIC,
    Kind.ENTITY: Store.SEMANTIC,
    Kind.PROCEDURE: Store.PROCEDURAL,
    Kind.VAULT: Store.VAULT,
    Kind.TURN: Store.TURNS,
}

_SHAPES = {
    Kind.CORE: re.compile(r"[a-z]+/\S+"),
    Kind.EPISODE: re.compile(r"\d{4}-\d\d-\d\d:\d\d:\d\d(~[1-9]\d*)?"),
    Kind.ENTITY: re.compile(r"[^\s/]+--[^\s/]+"),
    Kind.PROCEDURE: re.compile(r"[^\s/]+"),
    Kind.VAULT: re.compile(r"[^\s/]+"),
    Kind.TURN: re.compile(r"[^\s/]+/[1-9]\d*/(user|assistant|system)/(0|[1-9]\d*)"),
}

_EXAMPLES = (
    "episode:2026-02-02:14:30, entity:person--alex, procedure:how-to-deploy, "
    "vault:passport, core:identity/name, turn:trip-to-rome/1/user/0"
)


class UnknownIdError(NotFoundError):
    """A text that is not the id of a memory."""

    def __init__(self, text: str) -> None:
        super().__init__(
            f"{text!r} is not the id of a memory",
            hint=f"Ids look like {_EXAMPLES}. `reverie show` lists them.",
        )


@dataclass(frozen=True, slots=True, order=True)
class ItemId:
    """The stable name of one memory, such as `entity:person--alex`."""

    kind: Kind
    name: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read an id; raises `UnknownIdError` when it is none."""
        require_kind("id", text, str)
        kind, _, name = text.strip().partition(":")
        if kind not in Kind.__members__.values() or not name.isprintable():
            raise UnknownIdError(text)
        if not _SHAPES[Kind(kind)].fullmatch(name):
            raise UnknownIdError(text)
        return cls(Kind(kind), name)

    @property
    def store(self) -> Store:
        """The store this memory lives in."""
        return STORE_OF[self.kind]

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"


class MissingItemError(NotFoundError):
    """A file has no memory of that name."""

    def __init__(self, name: object, path: str) -> None:
        super().__init__(
            f"there is no {name} in {path}",
            hint="It may have been moved or removed by hand; list what is there.",
        )


def slug(text: str) -> str:
    """Turn a name into the part of an id and file name that stands for it.

    Letters and digits of any script survive; the rest becomes single hyphens.
    A text without either is named by its hash, so that it still has a name.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = re.sub(r"[\W_]+", "-", unicodedata.normalize("NFC", folded)).strip("-")
    if not words:
        return _digest(text)
    if len(words) > SLUG_LENGTH:
        # Two long names that begin alike must not become one.
        return f"{words[: SLUG_LENGTH - 9].strip('-')}-{_digest(words)}"
    return f"{words}-{_digest(words)}" if words in _DEVICES else words


_DEVICES = frozenset(
    {"con", "prn", "aux", "nul"}
    | {f"{n}{d}" for n in ("com", "lpt") for d in range(10)}
)
"""Names that are no file names on Windows."""


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]
