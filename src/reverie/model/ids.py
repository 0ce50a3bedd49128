"""Names of stores, memories and windows, and checks of arguments."""

from __future__ import annotations

import hashlib
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from enum import StrEnum
from functools import cache, wraps
from types import NoneType
from typing import Concatenate, ParamSpec, Self, TypeVar, get_args

from msgspec import Struct
from msgspec.structs import force_setattr

from reverie.errors import NotFoundError, RefusedError

E = TypeVar("E", bound=StrEnum)
P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")

_KINDS: Mapping[str, object] = {
    "None": NoneType,
    "str": str,
    "int": int,
    "float": int | float,
    "tuple": tuple,
    "date": date,
    "datetime": datetime,
    "Iterable": Iterable,
    "Sequence": Iterable,
}
"""Kinds by the names that annotations give them; others are of the verb's module."""


class WrongArgumentError(RefusedError, TypeError):
    """An argument is of another kind than the call takes."""

    def __init__(self, name: str, given: object, wanted: str) -> None:
        found = f"{type(given).__name__} {repr(given)[:40]}"
        super().__init__(f"{name} must be {wanted}, not {found}")


def checked(verb: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """Have a method refuse arguments that its annotations do not allow.

    Before anything is asked or changed. The word of an enumeration becomes its value.
    """
    code = verb.__code__
    names = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]

    @wraps(verb)
    def call(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        wanted = _wanted(verb)
        if len(args) <= len(names):
            args = tuple(map(_fit, names, args, map(wanted.get, names)))  # type: ignore[assignment]
        for name, given in kwargs.items():
            kwargs[name] = _fit(name, given, wanted.get(name))
        return verb(self, *args, **kwargs)

    return call


class Checked(Struct, frozen=True):
    """A record whose fields are what their annotations say, or it is refused."""

    def __post_init__(self) -> None:
        """Look at every field."""
        told: Callable[..., object] = type(self)
        for name, kinds in _wanted(told).items():
            fit = _fit(name, getattr(self, name), kinds)
            force_setattr(self, name, fit)


@cache
def _wanted(told: Callable[..., object]) -> dict[str, tuple[type, ...]]:
    """The kinds that each argument may be of, as far as they are known by then."""
    here, found = vars(sys.modules[told.__module__]), {}
    for name, said in told.__annotations__.items():
        words = re.sub(r"\[.*\]", "", said).split(" | ")
        known = [_KINDS.get(word, here.get(word)) for word in words]
        kinds = tuple(part for kind in known for part in get_args(kind) or (kind,))
        if all(isinstance(kind, type) for kind in kinds):
            found[name] = kinds
    return found


def _fit(name: str, given: object, kinds: tuple[type, ...] | None) -> object:
    """An argument as one of some kinds."""
    if kinds is None or (given is None and NoneType in kinds):
        return given
    for kind in kinds:
        if issubclass(kind, StrEnum):
            return choice(name, given, kind)
    if tuple in kinds and isinstance(given, Iterable) and not isinstance(given, str):
        return tuple(given)
    # A text is a list of letters, and never meant as one.
    wrong = isinstance(given, str) and str not in kinds
    if wrong or not isinstance(given, kinds):
        words = [kind.__name__ for kind in kinds if kind is not NoneType]
        words = ["a list" if word in {"tuple", "Iterable"} else word for word in words]
        raise WrongArgumentError(name, given, " or ".join(words))
    return given


def require_kind(name: str, given: object, kind: type | tuple[type, ...]) -> None:
    """Refuse an argument of another kind, before anything is asked or changed."""
    _fit(name, given, kind if isinstance(kind, tuple) else (kind,))


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
        raise WrongArgumentError(name, given, " or ".join(kind)) from error


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
    NOTE = "note"


TO_THE_MINUTE = frozenset({Store.EPISODIC, Store.TURNS})
"""Where memories are of a moment; of others no more than the day is known."""

STORE_OF: dict[Kind, Store] = dict(zip(Kind, (*Store, Store.EPISODIC), strict=True))

_SHAPES = {
    Kind.CORE: re.compile(r"[a-z]+/\S+"),
    Kind.EPISODE: re.compile(r"\d{4}-\d\d-\d\d:\d\d:\d\d(~[1-9]\d*)?"),
    Kind.ENTITY: re.compile(r"[^\s/]+--[^\s/]+"),
    Kind.PROCEDURE: re.compile(r"[^\s/]+"),
    Kind.VAULT: re.compile(r"[^\s/]+"),
    Kind.TURN: re.compile(r"[^\s/]+/[1-9]\d*/(user|assistant|system)/(0|[1-9]\d*)"),
    Kind.NOTE: re.compile(r"[^\s/#]+#[0-9a-f]{8}(~[1-9]\d*)?"),
}

_EXAMPLES = (
    "episode:2026-02-02:14:30, entity:person--alex, procedure:how-to-deploy, "
    "vault:passport, core:identity/name, turn:trip-to-rome/1/user/0, note:soul#3f2a9c1b"
)


class UnknownIdError(NotFoundError):
    """A text that is not the id of a memory."""

    says = "{!r} is not the id of a memory"
    mend = f"Ids look like {_EXAMPLES}. `reverie show` lists them."


class UnclearCitationError(RefusedError):
    """A citation that more than one memory has."""

    says = "{} may be one of {}"
    mend = "Name the one that is meant by its id."


class ItemId(Struct, frozen=True, order=True):
    """The stable name of one memory, such as `entity:person--alex`."""

    kind: Kind
    name: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read an id; raises `UnknownIdError` when it is none."""
        _fit("id", text, (str,))
        kind, colon, name = text.strip().partition(":")
        if not colon and "--" in kind:
            # Pages and answers name an entity without its kind.
            kind, name = Kind.ENTITY, kind
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

    says = "there is no {} in {}"
    mend = "It may have been moved or removed by hand; list what is there."


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


_FACT = re.compile(r"((?:entity:)?[^\s#/:]+--[^\s#/]+)#[0-9a-f]{6,8}")


def page_of(id_: str) -> str:
    """The id of the page that a fact stands on; every other id as it is."""
    found = _FACT.fullmatch(id_) if "#" in id_ else None
    return found[1] if found else id_


def whole(id_: str) -> str:
    """The id of the memory that a passage belongs to."""
    return f"{id_.rpartition('/')[0]}/0" if id_.startswith("turn:") else id_


_CONSONANTS = "bcdfghjklmnpqrstvwxz"
_CITATION = re.compile(f"[{_CONSONANTS}]{{4,8}}")
_APART = 1000
"""A citation has so many letters that one of so many is taken for another one."""


def citation(id_: str) -> str:
    """The short name of a memory, of which a beginning is enough, as with git's ids.

    Without vowels it is never a word, so a text that is cited is not misread.
    """
    digest = hashlib.sha256(whole(id_).encode("utf-8", "replace")).digest()
    number, letters = int.from_bytes(digest[:8]), ""
    while len(letters) < 8:
        number, rest = divmod(number, len(_CONSONANTS))
        letters += _CONSONANTS[rest]
    return letters


def citation_length(memories: int) -> int:
    """How many letters tell so many memories apart."""
    return next(n for n in range(4, 9) if n == 8 or 20**n >= _APART * memories)


def is_citation(text: str) -> bool:
    """Whether a text may be a citation."""
    return _CITATION.fullmatch(text) is not None
