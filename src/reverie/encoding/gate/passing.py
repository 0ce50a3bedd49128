"""What a text must pass before anything of it is written anywhere."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from enum import Enum
from typing import TYPE_CHECKING

from reverie.encoding.gate.echoes import without_recalled
from reverie.errors import RefusedError
from reverie.model.change import Secrets
from reverie.secrets import find_secrets, redact
from reverie.secrets.refusal import SecretFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator

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
