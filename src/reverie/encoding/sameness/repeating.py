"""Whether a text says the very same as another, so that nothing is lost without it.

Stricter than `restating`, which only has to notice likeness: every word, sign and
number counts, in its order. What may differ is case, white space, closing marks,
articles, contractions, and whether the owner is "I" or "the user".
"""

from __future__ import annotations

import re

_TOKEN = re.compile(r"\w+|[^\w\s]")
_ARTICLES = frozenset(("a", "an", "the"))
_OWNER = frozenset(("i", "user"))
_CLOSING = frozenset(".!")
_CONTRACTIONS = (
    (re.compile(r"\bcan['\u2019]?t\b"), "can not"),
    (re.compile(r"\bcannot\b"), "can not"),
    (re.compile(r"n['\u2019]t\b"), " not"),
    (re.compile(r"['\u2019]m\b"), " am"),
    (re.compile(r"['\u2019]re\b"), " are"),
    (re.compile(r"['\u2019]ve\b"), " have"),
    (re.compile(r"['\u2019]ll\b"), " will"),
)


def repeats(new: str, old: str) -> bool:
    """Whether a text says the very same as another."""
    told = _told(new)
    return bool(told) and told == _told(old)


def _told(text: str) -> tuple[str, ...]:
    low = text.casefold()
    for pattern, words in _CONTRACTIONS:
        low = pattern.sub(words, low)
    tokens = [token for token in _TOKEN.findall(low) if token not in _ARTICLES]
    while tokens and tokens[-1] in _CLOSING:
        tokens.pop()
    if len(tokens) > 1 and tokens[0] in _OWNER:
        # "I prefer" and "the user prefers" differ only in who speaks.
        tokens[:2] = ["user", tokens[1].removesuffix("s")]
    return tuple(tokens)
