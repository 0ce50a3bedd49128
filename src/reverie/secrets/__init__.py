"""What a secret looks like: found in a text, told by its kind, taken out of it."""

from reverie.secrets.finding import Secret, find_secrets, redact, without_secrets

__all__ = ["Secret", "find_secrets", "redact", "without_secrets"]
