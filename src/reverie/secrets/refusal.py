"""Refuse names, tags and titles that hold a secret."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reverie.errors import RefusedError
from reverie.model.change import Secrets
from reverie.secrets import find_secrets

if TYPE_CHECKING:
    from collections.abc import Iterable


class SecretFoundError(RefusedError):
    """A text has a password or a key in it, and was not stored."""

    def __init__(self, kinds: Iterable[str]) -> None:
        found = ", ".join(dict.fromkeys(kinds))
        super().__init__(
            f"this holds a secret ({found}); nothing of it was written",
            hint="--secrets redact takes it out; only a person may --secrets keep.",
        )


def pass_words(words: Iterable[str], choice: Secrets) -> None:
    """Refuse names, tags and titles that have a secret in them, or had one.

    A name cannot be redacted: many things would have the same one.
    """
    if choice is not Secrets.KEEP:
        kinds = [kind for word in words for kind in _kinds(word)]
        if kinds:
            raise SecretFoundError(kinds)


def _kinds(word: str) -> list[str]:
    return [*(secret.kind for secret in find_secrets(word)), *_REDACTED.findall(word)]


_REDACTED = re.compile(r"\[redacted: ([^\]]{1,40})\]")
