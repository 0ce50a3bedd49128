"""What a caller in Python may pass: another kind of value is refused by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.errors import RefusedError

if TYPE_CHECKING:
    from enum import StrEnum
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
