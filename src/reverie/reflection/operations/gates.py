"""What a mind's operation must pass: no secrets, nothing hidden, no orders.

What a mind writes down is made of what it read, and some of that is of strangers. So a
fact gives no orders at all, a procedure may well say what to do but not to whom it
leads, and nothing may set aside what its human said.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reverie.encoding.gate.foreign_orders import FOREIGN
from reverie.encoding.gate.order_phrases import (
    APPROVAL,
    AUTHORITY,
    COMMAND,
    CREDENTIALS,
    MARKUP,
    MONEY,
    OVERRIDES,
    PHRASES,
    ROLE,
    SECRECY,
    SENDING,
    STANDING,
    UNASKED,
)
from reverie.encoding.gate.order_words import VERBS
from reverie.encoding.gate.orders import ENCODED, SPELLED, find_orders
from reverie.encoding.text import UnstorableTextError, storable
from reverie.model.reflection import OperationKind
from reverie.reflection.operations.quoting import holds_operation
from reverie.secrets import find_secrets
from reverie.secrets.folding import fold, look_alike, lowered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.model.reflection import Operation

LONGEST_CONTENT = 8000
LONGEST_TARGET = 200
LONGEST_REASON = 2000

_TURNING = frozenset(
    {OVERRIDES, ROLE, AUTHORITY, MARKUP, SECRECY, CREDENTIALS, SENDING}
)
"""No insight needs such words, however it is meant."""

_STEERING = _TURNING | {UNASKED, MONEY, APPROVAL}
"""What no procedure may say, although it says what to do."""

_DISGUISES = frozenset({SPELLED, ENCODED, AUTHORITY, OVERRIDES})

_ALWAYS = re.compile(r"\b(?:always|never)\s+([\w'-]+)")
_OWN = re.compile(
    r"\b(?:from\s+now\s+on|henceforth|always\s+(?:send|forward|share|e?-?mail|post"
    r"|upload|transfer|pay|copy)\b|(?:do\s+not|don't|never)\s+(?:ask|tell|notify|warn"
    r"|inform|mention)\b)"
)
_PIPED = re.compile(r"\|\s?(?:sudo\s+)?(?:ba|z|da)?sh\b")
_MARKS = str.maketrans(dict.fromkeys('*`_"\u201c\u201d~', " "))


def why_refused(operation: Operation) -> str:
    """Why an operation that a mind wrote may not even be shown; empty if it may."""
    return (
        _too_long(operation)
        or _hidden(operation)
        or _secret(operation)
        or _nested(operation)
        or _steers(operation)
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


def _steers(operation: Operation) -> str:
    """What it tries to make an agent do, in plain words."""
    match operation.kind:
        case OperationKind.EXTRACT:
            why = _orders(operation.content)
        case OperationKind.PATTERN | OperationKind.CORE:
            why = _phrases(operation.content, _STEERING) or _own(operation.content)
        case OperationKind.FLAG | OperationKind.EVOLVE:
            why = _phrases(operation.content, _TURNING)
        case _:
            why = ""
    # A name is read by the agent as well.
    named = operation.target.replace("-", " ").replace("_", " ")
    told = operation.content.replace("-", " ")
    is_edge = operation.kind is OperationKind.CONNECT
    why = why or _phrases(named, _TURNING) or (_phrases(told, _TURNING) * is_edge)
    return f"it would steer the agent: {why}" if why else ""


def _orders(text: str) -> str:
    """The first order of a text that only tells how things are."""
    for order in find_orders(text):
        said = lowered(text[order.start : order.end])
        follow = _ALWAYS.findall(said)
        # "Never eats meat" tells of somebody; "never eat meat" tells somebody.
        if order.why == STANDING and follow and VERBS.isdisjoint(follow):
            continue
        return order.why
    return ""


def _phrases(text: str, whys: frozenset[str]) -> str:
    """The first phrase of a text that does one of these, also inside an order."""
    low = _plain(text)
    for phrase in (*PHRASES, *FOREIGN):
        if phrase.why in whys and any(w in low for w in phrase.words.split(",")):
            for _ in phrase.find(low):
                return phrase.why
    found = (order.why for order in find_orders(text))
    return next((why for why in found if why in _DISGUISES), "")


def _own(text: str) -> str:
    low = _plain(text)
    if _PIPED.search(low):
        return COMMAND
    return STANDING if _OWN.search(low) else ""


def _plain(text: str) -> str:
    return lowered(look_alike(fold(text).text)).translate(_MARKS)
