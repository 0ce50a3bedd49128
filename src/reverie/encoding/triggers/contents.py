"""Cutting out what a trigger is about: a slice of the message, without trimmings."""

from __future__ import annotations

from reverie.encoding.triggers.wording import Wording, one_of

_OPENS = Wording(
    r"(?:[\s,;:.\u2026\u2014\u2013-]|"
    + one_of("that, please, also, ok, okay, and, so, for next time, for later, for now")
    + r"\b[\s,](?=\s*\S))*"
)
_POLITE = Wording(
    r"[\s,.!;\u2014\u2013-]*\b"
    + one_of(
        "please, pls, plz, thanks, thanks a lot, thanks so much, thank you, thx, ok",
        "thank you so much, thank you very much, okay, for me, permanently",
        "from now on, for future reference, for later",
    )
    + r"\Z"
)
_JOINT = Wording(r"[\s,;]+(?:and|but|so|then|or|also|please|ok|okay|now)\Z")
_CLOSES = " \t\r\n\f\v.,;:!?\u2026\u2014\u2013\0"
_FENCES = frozenset(("```", "~~~"))
_PAIRS = {'"': '"', "'": "'", "(": ")", "[": "]"}
_OPENERS = {")": "(", "]": "[", '"': '"'}
_REACH = 80  # how much of the end is looked at for a polite word
_WIDE = 2_000  # how long a content may be that is looked through for brackets


def trimmed(text: str, start: int, end: int, *, whole: bool = False) -> tuple[int, int]:
    """The place of a content without what only introduces or closes it.

    Args:
        text: The message in small letters with straight quotes; not veiled.
        start: Where the content begins at the earliest.
        end: Where it ends at the latest.
        whole: Whether it is a block: then only its blank edges go.
    """
    if whole:
        return _stripped(text, start, end)
    opens = _OPENS.match(text, start, end)
    start = opens.end() if opens else start
    before = -1
    while before != end:
        before = end
        end = _closed(text, start, end)
    return _unwrapped(text, start, end)


def block_end(text: str, start: int, paragraph: int) -> int:
    """Where a block ends that begins here: with its paragraph, or with its fence."""
    mark = text[start : start + 3]
    if mark not in _FENCES:
        return paragraph
    closing = text.find(f"\n{mark}", start)
    return closing + 4 if closing >= 0 else len(text)


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _closed(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1] in _CLOSES:
        end -= 1
    for pattern in (_POLITE, _JOINT):
        found = pattern.search(text, max(start, end - _REACH), end)
        if found:
            end = max(start, found.start())
    return _unpaired(text, start, end)


def _unpaired(text: str, start: int, end: int) -> int:
    """The end without a bracket or quote that was opened before the content."""
    mark = text[end - 1] if end > start else ""
    if mark not in _OPENERS or end - start > _WIDE:
        return end
    rest = text[start : end - 1]
    opened = rest.count('"') % 2 if mark == '"' else _OPENERS[mark] in rest
    return end if opened else end - 1


def _unwrapped(text: str, start: int, end: int) -> tuple[int, int]:
    """The place without quotes or brackets that are around all of it."""
    if end - start > 2 and _PAIRS.get(text[start]) == text[end - 1]:
        inner = text[start + 1 : min(end - 1, start + _WIDE)]
        if text[start] not in inner and text[end - 1] not in inner:
            return start + 1, end - 1
    return start, end
