"""What can be mended in a monologue without a mind."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reverie.markdown import tidy
from reverie.reflection.monologue.edges import (
    GREETING,
    TAG,
    UNDERLINE,
    is_heading,
    is_item,
    is_rule,
    marks_end,
    unmarked,
    without_sign_off,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MISSPELT = re.compile(
    r"[\[({][ \t]*self[ \t_\u2013-]*aware(?:ness)?[ \t]*[:.]?[ \t]*[\])}]",
    re.IGNORECASE,
)


def mended(text: str) -> str:
    """The monologue without what can be taken out without a mind.

    Drops greetings, sign-offs, signatures and rules at its edges and the marks of
    headings and lists, and spells tags right. Mending twice changes nothing more.
    """
    lines = _MISSPELT.sub(TAG, tidy(text)).split("\n")
    return tidy("\n".join(_without_end(_without_start(list(_unlisted(lines))))))


def _unlisted(lines: Sequence[str]) -> Iterator[str]:
    """The lines without the marks of headings and lists."""
    before, listed = "", False
    for line in lines:
        listed = is_item(line, "" if listed else before) or is_heading(line)
        before = line
        plain = unmarked(line) if listed else line
        if not UNDERLINE.fullmatch(plain):
            yield plain


def _without_start(lines: Sequence[str]) -> list[str]:
    for at, line in enumerate(lines):
        rest = _ungreeted(line.strip())
        if rest and not is_rule(rest) and not UNDERLINE.fullmatch(rest):
            return [rest, *lines[at + 1 :]]
    return []


def _ungreeted(line: str) -> str:
    """The first line of a text without the greetings and marks it begins with."""
    if is_rule(line):
        return line
    rest = unmarked(line)
    at = 0
    while found := GREETING.match(rest, at):
        at = marks_end(rest, found.end())
    if not at:
        return rest
    left = _ungreeted(rest[at:].strip())
    return left[:1].upper() + left[1:] if left[:1].isascii() else left


def _without_end(lines: Sequence[str]) -> list[str]:
    left = list(lines)
    while left:
        last = left.pop()
        kept = without_sign_off(last, left[-2:])
        if kept.strip() and not is_rule(kept):
            return [*left, kept]
    return left
