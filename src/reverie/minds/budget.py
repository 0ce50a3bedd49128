"""Hard limits on tokens: first reserved, then spent, then settled.

What a call may cost at most is reserved before it is made. A process that dies in
between leaves its reservation standing, so a limit is never passed unnoticed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from msgspec import Struct
from msgspec.structs import replace

from reverie.errors import RefusedError
from reverie.tokens import count_tokens, within_tokens

if TYPE_CHECKING:
    from datetime import datetime

    from reverie.minds.mind import Use

_ROOM = 10_000  # tokens a server may honestly add, such as its thoughts


class Wish(Struct, frozen=True):
    """What a call may cost at most, and for what."""

    operation: str
    model: str
    tokens: int


class Held(Struct, frozen=True):
    """Tokens put aside for one call; `name` is the purse's name for it."""

    name: str
    wish: Wish


class Purse(Protocol):
    """What all processes of a workspace spend from."""

    def reserve(self, wish: Wish, limit: int) -> str:
        """Put tokens of today aside and return a name for them.

        Raises:
            OutOfTokensError: With them, today's tokens would exceed the limit.
        """
        ...

    def settle(self, name: str, use: Use) -> None:
        """Replace what was put aside by what was used."""
        ...


class OutOfTokensError(RefusedError):
    """A limit would be exceeded, so nobody was asked.

    Attributes:
        limit: The parameter that sets it.
        spent: The tokens spent or reserved so far.
        resets: When the count begins anew; None where it does with each operation.
    """

    def __init__(
        self, limit: str, most: int, spent: int, wish: Wish, resets: datetime | None
    ) -> None:
        when = f"at {resets:%Y-%m-%d %H:%M} UTC" if resets else "with each operation"
        super().__init__(
            f"{limit} is {most:,}: {spent:,} tokens are spent, and this "
            f"{wish.operation} may take {wish.tokens:,}",
            hint=f"The count begins anew {when}. Raise `{limit}` in reverie.toml if "
            "you want to spend more; all that needs no mind still works.",
        )
        self.limit = limit
        self.spent = spent
        self.resets = resets


class Budget:
    """What one operation may spend, of what the purse still holds."""

    def __init__(self, purse: Purse, *, daily: int, operation: int) -> None:
        self._purse = purse
        self._daily = daily
        self._most = operation
        self._spent = 0

    def reserve(self, wish: Wish) -> Held:
        """Put tokens aside for one call, or refuse it."""
        if self._spent + wish.tokens > self._most:
            limit = "mind.operation_tokens"
            raise OutOfTokensError(limit, self._most, self._spent, wish, None)
        held = Held(self._purse.reserve(wish, self._daily), wish)
        self._spent += wish.tokens
        return held

    @property
    def left(self) -> int:
        """Tokens of the operation that are neither spent nor put aside."""
        return max(0, self._most - self._spent)

    def settle(self, held: Held, use: Use) -> None:
        """Say what the call has really used."""
        self._spent += use.tokens - held.wish.tokens
        self._purse.settle(held.name, use)


def believed(text: str, told: tuple[object, object], most: Use) -> Use:
    """The tokens a server reports, where they can be true; else our own count.

    Args:
        text: The answer.
        told: The tokens in and out that the server reports; anything at all.
        most: Our count of the question, and how long the answer may have been.
    """
    own_taken, own_given = most.input_tokens, most.output_tokens
    if within_tokens(text, own_given):
        # Of what was not asked for, however long it is, nothing is paid.
        own_given = count_tokens(text)
    taken = _credible(told[0], own_taken, own_taken)
    given = _credible(told[1], own_given, max(own_given, most.output_tokens))
    return replace(
        most,
        input_tokens=taken or own_taken,
        output_tokens=given or own_given,
        estimated=not (taken and given),
    )


def _credible(told: object, own: int, usual: int) -> int:
    """A reported count that is neither next to nothing nor beyond measure; else 0."""
    if not isinstance(told, int) or isinstance(told, bool):
        return 0
    return told if max(1, own // 8) <= told <= 4 * usual + _ROOM else 0
