"""What a secret looks like: found in a text, told by its kind, taken out of it."""

from reverie.secrets.finding import Secret, find_secrets, redact, without_secrets
from reverie.secrets.screening import kinds_in, pieces_of, redacted_in_place, screened

__all__ = [
    "Secret",
    "find_secrets",
    "kinds_in",
    "pieces_of",
    "redact",
    "redacted_in_place",
    "screened",
    "without_secrets",
]
