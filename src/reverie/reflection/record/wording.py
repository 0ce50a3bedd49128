r"""Words of others on one line of ours, where nothing in them reads as structure.

A line that would read as a heading, a list item, a fence or a rule gets a backslash
in front; comments are opened `<\!--` and closed `--\>`. Where such backslashes stand
already one is added, so that reading takes exactly one away.
"""

from __future__ import annotations

import re

from reverie.markdown import one_line
from reverie.stores.text import mended
from reverie.tokens import clip_to_tokens, count_tokens

_MARK = re.compile(
    r"(\\*)(?=[#>|=~`\[<]|[-+*_](?!\S)|--|\*{3}|_{3}|[0-9]{1,9}[.)](?!\S))"
)
_WORD = re.compile(r"\w+")
_SENTENCE_END = re.compile("[.!?…][\"'\u201d\u2019)]?\\s+")
_CUT = "…"


def clean(text: str) -> str:
    """The words as they are kept: on one line, with nothing a reader cannot see."""
    return mended(one_line(text))


def render_words(text: str) -> str:
    """Write any text as one line that is nothing but words."""
    line = re.sub(r"<(\\*)!--", r"<\\\1!--", clean(text))
    line = re.sub(r"--(\\*)>", r"--\\\1>", line)
    return f"\\{line}" if _MARK.match(line) else line


def parse_words(line: str) -> str:
    """Read what `render_words` wrote: `clean` of the same text."""
    words = one_line(line)
    mark = _MARK.match(words)
    if mark and mark[1]:
        words = words[1:]
    words = re.sub(r"--\\(\\*)>", r"--\1>", words)
    return re.sub(r"<\\(\\*)!--", r"<\1!--", words)


def folded(text: str) -> str:
    """What two texts have in common that differ in case and punctuation only."""
    return " ".join(_WORD.findall(text.casefold()))


def clipped(text: str, tokens: int) -> str:
    """The words of a text, cut to a budget; a cut shows."""
    words = clean(text)
    if count_tokens(words) <= tokens:
        return words
    return clip_to_tokens(words, max(1, tokens - 2)).rstrip(" ,;:-—") + _CUT


def first_sentences(text: str, length: int) -> str:
    """As many whole sentences from the start as fit; at least a part of one."""
    words = clean(text)
    if len(words) <= length:
        return words
    ends = [found.end() for found in _SENTENCE_END.finditer(words[: length + 1])]
    if ends:
        return words[: ends[-1]].rstrip()
    return words[: length - 1].rstrip() + _CUT


def last_sentences(text: str, length: int) -> str:
    """As many whole sentences up to the end as fit; at least a part of one."""
    words = clean(text)
    if len(words) <= length:
        return words
    start = len(words) - length
    for found in _SENTENCE_END.finditer(words, max(0, start - 3)):
        if start <= found.end() < len(words):
            return words[found.end() :]
    return _CUT + words[start + 1 :].lstrip()
