"""What in a message is not the speaker's own words: code, quotes, mail, pasted text.

`veil` keeps every position: each character that does not count becomes `VEIL`, the
rest small letters with straight quotes. The grammar reads only the veiled text.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from reverie.encoding.triggers.wording import Wording

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    _Finder = Callable[[str], Iterator[tuple[int, int]]]

VEIL = "\0"

_SAME_LENGTH = {
    **dict.fromkeys("\u2018\u2019\u201b\u02bc\u00b4\uff07", "'"),
    **dict.fromkeys("\u201c\u201d\u201f\u00ab\u00bb", '"'),
    **dict.fromkeys("\u00a0\u2007\u202f\r*", " "),
}
_STRAIGHT = str.maketrans(_SAME_LENGTH)
# Faces and signs stand between words as blanks do.
_FACES = re.compile("[\u2190-\u2bff\ufe0f\u200d\U0001f000-\U0001faff]")
_ASCII_SMALL = {upper: upper + 32 for upper in range(65, 91)}


def small(message: str) -> str:
    """The message in small letters, each at its old place."""
    low = message.lower()
    return low if len(low) == len(message) else message.translate(_ASCII_SMALL)


def straight(small: str) -> str:
    """A text in small letters with straight quotes and no stars, each in its place."""
    if small.isascii():
        return small.replace("*", " ").replace("\r", " ")
    return _FACES.sub(" ", small.translate(_STRAIGHT))


def veil(text: str) -> str:
    """A straight text with everything veiled that its writer does not say himself."""
    for hides, finds in _VEILS:
        if any(mark in text for mark in hides):
            text = _hidden(text, list(finds(text)))
    return text


def _hidden(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with these stretches veiled; lines stay lines."""
    if not spans:
        return text
    pieces: list[str] = []
    at = 0
    for start, end in spans:
        lines = text[max(start, at) : end].split("\n")
        pieces += (text[at:start], "\n".join(VEIL * len(line) for line in lines))
        at = max(at, end)
    return "".join((*pieces, text[at:]))


# --- code ----------------------------------------------------------------------

_FENCE = Wording(r"^[ \t]*(?P<mark>`{3,}|~{3,})(?P<more>[^\n]*)$", re.MULTILINE)
_TICKS = Wording(r"`++|\n[ \t]*+\n")


def _fences(text: str) -> Iterator[tuple[int, int]]:
    """Fenced blocks; one that is never closed runs to the end."""
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            if "`" not in fence["more"]:
                opened = fence
        elif fence["mark"].startswith(opened["mark"]) and not fence["more"].strip():
            yield opened.start(), fence.end()
            opened = None
    if opened:
        yield opened.start(), len(text)


def _inline_code(text: str) -> Iterator[tuple[int, int]]:
    """From each run of back ticks to the next one as long in the same paragraph."""
    runs = list(_TICKS.finditer(text))
    partner: dict[int, int] = {}
    ahead: dict[str, int] = {}
    for number in reversed(range(len(runs))):
        mark = runs[number][0]
        if mark.startswith("\n"):
            ahead.clear()
            continue
        partner[number] = ahead.get(mark, 0)
        ahead[mark] = number
    number = 0
    while number < len(runs):
        other = partner.get(number, 0)
        if other:
            yield runs[number].start(), runs[other].end()
        number = max(other, number) + 1


# --- quotes --------------------------------------------------------------------

_TRIPLE = Wording(r'"""|\'\'\'')
_DOUBLE = Wording(r'(?<![\w"])"(?=[^\s"])[^"\n]*+(?:\n(?![ \t]*+\n)[^"\n]*+)*+"(?!\w)')
_SINGLE = Wording(r"(?<![\w'])'(?=\w)(?:[^'\n]|(?<=\w)'(?=\w)){1,400}+'(?!\w)")
_EDGES = " \t\n.,!?"
_QUOTED_LINE = Wording(r"^[ \t]*>[^\n]*", re.MULTILINE)
_ASSISTANT_LINE = Wording(
    r"^[ \t]*(?:assistant|ai|chatgpt|gpt|bot|system)[ \t]*:[^\n]*", re.MULTILINE
)
_WROTE = Wording(
    r"^(?:on [^\n]{4,200} wrote:|-{2,}[ \t]*(?:original|forwarded) message\b[^\n]*"
    r"|from: [^\n]*\n(?:sent|date|to|subject): [^\n]*)[ \t]*$",
    re.MULTILINE,
)


def _triple_quotes(text: str) -> Iterator[tuple[int, int]]:
    marks = [mark.span() for mark in _TRIPLE.finditer(text)]
    for opened, closed in zip(marks[::2], marks[1::2], strict=False):
        yield opened[0], closed[1]


def _quotes(text: str) -> Iterator[tuple[int, int]]:
    """Quoted stretches, unless the whole message is put in quotes."""
    first = len(text) - len(text.lstrip(_EDGES))
    last = len(text.rstrip(_EDGES))
    found = (*_DOUBLE.finditer(text), *_SINGLE.finditer(text))
    for start, end in sorted(quote.span() for quote in found):
        if start > first or end < last:
            yield start, end


def _mail(text: str) -> Iterator[tuple[int, int]]:
    """A mail below its "wrote:", unless that mail is marked line by line."""
    head = _WROTE.search(text)
    if head and not text[head.end() :].lstrip("\n \t").startswith(VEIL):
        yield head.start(), len(text)


# --- what is neither -----------------------------------------------------------

_ADDRESS = Wording(r"(?:https?://|www\.)[^\s<>]++")
_BRACES = Wording(r"\{[^{}]*+\}")
_TAG = Wording(r"<(/?)([a-z][a-z0-9_-]{0,20})(?:\s[^<>\n]{0,200})?>")
_STAMP = Wording(r"^[ \t\[(]*\d{1,2}:\d{2}[^\n]*", re.MULTILINE)
_WORKED_ON = Wording(
    r"(?:^|[.?!]\s)[^\n:.?!]{0,160}?\b(?:summari[sz]e|sum(?: up)?|rewrite|re-?word"
    r"|rephrase|paraphrase|proof-?read|translate|correct|improve|polish|revise|shorten"
    r"|simplify|analy[sz]e|critique|classify|edit|grade|sound|for the following"
    r"|(?:here(?:'s| is| are)|below (?:is|are)|this is) [^\n:.?!]{0,60}?(?:text|article"
    r"|essay|e?-?mail|letter|speech|passage|paragraph|transcript|story|chapter|script"
    r"|post|lyrics|poem|abstract|review)s?)\b[^\n:.?!]{0,120}:",
    re.MULTILINE,
)
_TERMS = Wording(
    r"\b(?:rules?|instructions?|requirements?|guidelines?|points|criteria|mind|steps"
    r"|remember|forget|note|constraints?|changes?)\b"
)
_SHORT = 300
_STAMPS = 3


def _spans_of(pattern: Wording) -> _Finder:
    """All that a pattern takes."""

    def find(text: str) -> Iterator[tuple[int, int]]:
        return (found.span() for found in pattern.finditer(text))

    return find


def _tagged(text: str) -> Iterator[tuple[int, int]]:
    """Tags, and what stands between one and the tag that closes it."""
    tags = list(_TAG.finditer(text))
    closers: dict[str, list[int]] = {}
    for tag in reversed(tags):
        if tag[1]:
            closers.setdefault(tag[2], []).append(tag.end())
    until = 0
    for tag in tags:
        if tag.start() < until:
            continue
        ends = closers.get(tag[2], [])
        while ends and ends[-1] <= tag.start():
            ends.pop()
        until = ends[-1] if ends and not tag[1] else tag.end()
        yield tag.start(), until


def _subtitles(text: str) -> Iterator[tuple[int, int]]:
    """What is said between times at the start of lines."""
    stamps = list(_STAMP.finditer(text))
    if len(stamps) >= _STAMPS:
        yield from ((one.start(), two.end()) for one, two in pairwise(stamps))


def _worked_on(text: str) -> Iterator[tuple[int, int]]:
    """The text that a request such as "summarise this:" is about.

    It is all that follows, but a short last paragraph is the speaker's own again.
    """
    request = next(
        (found for found in _WORKED_ON.finditer(text) if not _TERMS.search(found[0])),
        None,
    )
    if request is None:
        return
    start = request.end()
    last = text.rstrip().rfind("\n\n")
    own = last > start and len(text.rstrip()) - last <= _SHORT
    yield start, last if own else len(text)


# What must be in a text for it to be looked for, and how it is found; in this order.
_VEILS: tuple[tuple[tuple[str, ...], _Finder], ...] = (
    (("```", "~~~"), _fences),
    (("`",), _inline_code),
    (('"""', "'''"), _triple_quotes),
    ((">",), _spans_of(_QUOTED_LINE)),
    (("wrote:", " message", "from:"), _mail),
    (("://", "www."), _spans_of(_ADDRESS)),
    (("{",), _spans_of(_BRACES)),
    (("<",), _tagged),
    (('"', "'"), _quotes),
    ((":",), _spans_of(_ASSISTANT_LINE)),
    ((":",), _subtitles),
    ((":",), _worked_on),
)
