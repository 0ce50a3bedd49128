"""What a mind's operation must pass: no secrets, nothing hidden, nothing nested.

What a mind writes down is made of what it read, and some of that is of strangers. Whose
words it is decides what may become of it, never how they sound.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.model.reflection import OperationKind
from reverie.reflection.operations.quoting import holds_operation
from reverie.secrets import find_secrets
from reverie.stores.text import UnstorableTextError, storable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.model.reflection import Operation

LONGEST_CONTENT = 8000
LONGEST_TARGET = 200
LONGEST_REASON = 2000


def why_refused(operation: Operation) -> str:
    """Why an operation that a mind wrote may not even be shown; empty if it may."""
    return (
        _too_long(operation)
        or _hidden(operation)
        or _secret(operation)
        or _nested(operation)
    )


def _too_long(operation: Operation) -> str:
    limits = (
        ("CONTENT", operation.content, LONGEST_CONTENT),
        ("TARGET", operation.target, LONGEST_TARGET),
        ("REASON", operation.reason, LONGEST_REASON),
        ("EVOLUTION_CONTEXT", operation.context, LONGEST_REASON),
    )
    for name, text, most in limits:
        if len(text) > most:
            return f"its {name} has {len(text):,} characters, {most:,} are allowed"
    return ""


def _hidden(operation: Operation) -> str:
    """What a person would not see in it."""
    try:
        for text in _texts(operation):
            # Only what it looks like counts here; its length was looked at.
            storable(text, 10 * len(text))
    except UnstorableTextError as error:
        return str(error)
    return ""


def _secret(operation: Operation) -> str:
    kinds = [found.kind for text in _texts(operation) for found in find_secrets(text)]
    if not kinds:
        return ""
    return f"it holds a secret ({', '.join(dict.fromkeys(kinds))})"


def _nested(operation: Operation) -> str:
    """An operation in a line that is always read is a text that somebody copied."""
    if operation.kind is OperationKind.CORE and holds_operation(operation.content):
        return "it holds an operation of its own"
    return ""


def _texts(operation: Operation) -> Iterator[str]:
    texts = (operation.target, operation.content, operation.reason, operation.context)
    return (text for text in texts if text.strip())
