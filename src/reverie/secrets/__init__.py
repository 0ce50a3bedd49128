"""What a secret looks like: found in a text, told by its kind, taken out of it."""

from reverie.secrets.screen import (
    Secret,
    SecretFoundError,
    find_secrets,
    kinds_in,
    pass_words,
    pieces_of,
    redact,
    redacted_in_place,
    screened,
    without_secrets,
)

__all__ = [
    "Secret",
    "SecretFoundError",
    "find_secrets",
    "kinds_in",
    "pass_words",
    "pieces_of",
    "redact",
    "redacted_in_place",
    "screened",
    "without_secrets",
]
