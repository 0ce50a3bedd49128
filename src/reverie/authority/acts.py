"""The one list of what only a human may do (docs/design/locks.md)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class Act(StrEnum):
    """What an agent may ask for, and only its human may do."""

    SIGN = "sign as manual"
    DECIDE = "decide on a reflection"
    ACCEPT = "accept into core memory, procedures or the vault"
    UNPIN = "unpin"
    ERASE = "erase"
    PURGE = "purge"
    ACKNOWLEDGE = "acknowledge"
    GO_BACK = "go back on a human's decision or on a critical file"
    RAISE = "raise a budget"
    KEEP_SECRET = "keep a secret"  # noqa: S105 - the name of an act
    TRUST = "trust an agent"
    OWNER = "change the owner passphrase"


@dataclass(frozen=True, slots=True)
class Request:
    """What a human is asked for.

    Attributes:
        act: Which of the acts.
        what: What would be done, in words to be shown.
        passphrase: Whether the answer has to be the owner's passphrase; a plain yes
            is enough where none is set.
    """

    act: Act
    what: str
    passphrase: bool = False


Human = Callable[[Request], bool | str]
"""A channel to the human: True or the passphrase for yes, anything else for no."""
