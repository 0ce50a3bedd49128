"""What in a message is not its sender's own words: code, quotations, mail, markup.

Every character keeps its place: `plain` writes small letters without accents and with
straight marks, `mask` puts `MASK` where nobody speaks.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MASK = "\0"
PHRASE = 4
"""So many quoted words are a statement; fewer may be a name or a title."""

TYPED = 400
"""Characters; in a longer line only the sentence that opens it is taken for typed."""

LONG, EDGE = 3_000, 1_500
"""Of a message longer than the first, so much at either edge may ask for something."""

_TRADITIONAL = (
    "請煩幫給對謝話麼現還應該務們讓徹這個點說過關於記著別備註將來後從開慮"
    "刪無視當沒係時帶樣問題憶顧鞏間線門裡遠頂釘嗎囉夢見"
)
_SIMPLIFIED = (
    "请烦帮给对谢话么现还应该务们让彻这个点说过关于记着别备注将来后从开虑"
    "删无视当没系时带样问题忆顾巩间线门里远顶钉吗啰梦见"
)
_PLAIN = str.maketrans(
    {
        **{chr(n): unicodedata.normalize("NFD", chr(n))[0] for n in range(0xC0, 0x250)},
        **dict.fromkeys("\u2018\u2019\u201b\u02bc\u00b4\uff07", "'"),
        **dict.fromkeys("“”„‟«»「」『』", '"'),
        **dict.fromkeys("\u00a0\u2007\u202f\u3000\r*¿¡", " "),
        **{chr(sign + 0xFEE0): chr(sign) for sign in b"!(),:;?~"},  # wide marks
        "\u3001": ",",
        **dict(zip(_TRADITIONAL, _SIMPLIFIED, strict=True)),
    }
)
_FACES = re.compile("[\u2190-\u2bff\ufe0f\u200d\U0001f000-\U0001faff]")
_ASCII_SMALL = {upper: upper + 32 for upper in range(65, 91)}
_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s<>]++")
# What must be in a text for it to be looked for, and how it is found; in this order.
_SHOWN = tuple(
    (mark, re.compile(pattern, re.MULTILINE))
    for mark, pattern in (
        ("```", r"^[ \t]*+```[^\n]*(?:\n(?![ \t]*```)[^\n]*)*+(?:\n.*)?"),
        ("~~~", r"^[ \t]*+~~~[^\n]*(?:\n(?![ \t]*~~~)[^\n]*)*+(?:\n.*)?"),
        ("`", r"``[^`\n]++``|`[^`\n]++`"),
        ('"""', r'"""(?:[^"]|"(?!""))*+"""'),
        ("'''", r"'''(?:[^']|'(?!''))*+'''"),
        (">", r"^[ \t]*+>[^\n]*"),
        ("/", _ADDRESS.pattern),
        ("{", r"\{[^{}]*+\}"),
        ('"', r'(?<![\w"])"(?=[^\s"])[^"\n]*+(?:\n(?![ \t]*\n)[^"\n]*+)*+"(?!\w)'),
        ("'", r"(?<![\w'])'(?=\w)(?:[^'\n]|(?<=\w)'(?=\w)){1,400}+'(?!\w)"),
        (":", r"^[ \t]*+(?:assistant|ai|chatgpt|gpt|bot|system)[ \t]*+:[^\n]*"),
    )
)
_PAIRS = ("“”", "«»", "„“", "„”", "「」", "『』")
_PAIRED = re.compile("|".join(f"{two[0]}[^{two}\n]*+{two[1]}" for two in _PAIRS))
_MAIL = re.compile(
    r"^(?:on [^\n]{4,200} wrote:|-{2,}[ \t]*+(?:original|forwarded) message\b[^\n]*"
    r"|begin forwarded message:|(?:from|von|de): [^\n]*\n[a-z]{2,12}: [^\n]*)[ \t]*$",
    re.MULTILINE,
)
_TAG = re.compile(r"</?[a-z][a-z0-9_-]{0,20}(?:\s[^<>\n]{0,200})?/?>")


def plain(message: str) -> str:
    """The message in small letters, without accents, faces and typographic marks."""
    low = message.lower()
    if low.isascii():
        return low.replace("*", " ").replace("\r", " ")
    if len(low) != len(message):
        low = message.translate(_ASCII_SMALL)
    return _FACES.sub(" ", low.translate(_PLAIN))


def mask(message: str, said: str) -> str:
    """The plain text of a message with everything masked that its writer only shows."""
    text = _masked(said, (found.span() for found in _PAIRED.finditer(message)))
    for mark, pattern in _SHOWN:
        if mark in text:
            text = _masked(text, (found.span() for found in pattern.finditer(text)))
    # From the first tag to the last that closes one; a mail to its end.
    if "<" in text and (tag := _TAG.search(text)):
        last = text.find(">", text.rfind("</"))
        text = _masked(text, [(tag.start(), max(tag.end(), last + 1))])
    head = _MAIL.search(text)
    return _masked(text, [(head.start(), len(text))] if head else [])


def _masked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with these stretches masked; lines stay lines."""
    pieces: list[str] = []
    at = 0
    for start, end in spans:
        pieces += (text[at:start], re.sub(r"[^\n]", MASK, text[start:end]))
        at = end
    return "".join((*pieces, text[at:])) if pieces else text


# --- whose words they are ------------------------------------------------------

_SPACE = f" \t\r\n\f\v\x1c\x1d\x1e\x85\u2028\u2029{MASK}"
_BLANK = re.compile(r"\n[^\S\n]*\n\s*")
_PART = re.compile(r"\s*(?:[-+*•·#|]|\d{1,3}[.)]\s|(?:user|human)\s?:)", re.IGNORECASE)
_ENTITY = re.compile(r"&#?\w{2,6};")


class Authorship:
    """What in a message is its sender's own, told by where it stands alone.

    Words are theirs where a message is one line of theirs. In one of several lines
    nobody can tell what was typed from what was pasted, and in the middle of several
    paragraphs nothing is asked for at all.

    Args:
        message: What was said.
        said: The same, plain.
        text: The same, masked.
    """

    def __init__(self, message: str, said: str, text: str) -> None:
        self._message, self._said, self._text = message, said, text
        ends = (blank.end() for blank in _BLANK.finditer(text))
        paragraphs = self._speaking((0, *ends, len(text)))
        self._edges = (*paragraphs[:1], *paragraphs[-1:])
        sizes = map(len, message.splitlines(keepends=True))
        lines = self._speaking(accumulate(sizes, initial=0))
        self._line = lines[0] if len(lines) == 1 else (0, 0)

    def _speaking(self, bounds: Iterable[int]) -> list[tuple[int, int]]:
        """The stretches between bounds that are not all masked."""
        spans = pairwise(bounds)
        return [(a, b) for a, b in spans if self._text[a:b].strip(_SPACE)]

    def commands(self, place: int) -> bool:
        """Whether what stands here may ask for something: at either edge."""
        size = len(self._text)
        if size > LONG and EDGE < place < size - EDGE:
            return False
        return any(start <= place < end for start, end in self._edges)

    def is_own(
        self, content: tuple[int, int], sentence: tuple[int, int], asks: int
    ) -> bool:
        """Whether what a sentence that asks is about are the sender's own words.

        Args:
            content: Where that stands.
            sentence: Where the sentence stands.
            asks: Where in it the phrase begins.
        """
        (first, last), (start, end) = self._line, sentence
        if not first <= content[0] <= content[1] <= last > 0:
            return False
        opens = not self._text[first:start].strip(_SPACE)
        closes = last - first <= TYPED and not self._text[end:last].strip(_SPACE)
        # A part of a page, a table or a list, or what goes on behind an address.
        copied = (
            _PART.match(self._message, first, asks)
            or _TAG.search(self._said, first, last)
            or _ENTITY.search(self._said, first, last)
            or _ADDRESS.search(self._said, first, asks)
        )
        return (opens or closes) and not copied and not self._quoted(*content)

    def _quoted(self, start: int, end: int) -> bool:
        """Whether most of some words is a quotation, or a statement among them is."""
        said = _ADDRESS.sub(lambda found: MASK * len(found[0]), self._said[start:end])
        shown = zip(said, self._text[start:end], strict=True)
        quoted = "".join(letter if seen == MASK else MASK for letter, seen in shown)
        parts = [part for part in quoted.split(MASK) if part.strip()]
        most = max((len(part.split()) for part in parts), default=0)
        return most >= PHRASE or 2 * sum(map(len, parts)) > end - start
