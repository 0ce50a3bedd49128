"""Cut out of a text what came out of memory, and know what repeats a boot file.

A block that Reverie put into a prompt is cut out by its marks, however they were
escaped on the way, and a line of it by the place it cites. A text that only repeats a
boot file is known for it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from reverie.index.text import terms, words
from reverie.model.ids import Kind
from reverie.recall.context_block import CLOSING, OPENING
from reverie.secrets.fold import fold

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROUNDS = 8
"""What is cut out may leave a mark behind it; so often we look again."""


def without_recalled(text: str) -> tuple[str, int]:
    """A text without what Reverie put into it, and how many characters that was.

    A mark without its other half is taken out alone: what stands beside it is kept.
    """
    rest = text
    for _ in range(ROUNDS):
        shorter = _without_lines(_without_blocks(rest))
        if shorter == rest:
            break
        rest = shorter
    else:
        rest = _spelled_out(rest)
    return rest, len(text) - len(rest)


# --- blocks ------------------------------------------------------------------

_NAME = OPENING.strip("<!-> ").replace(":", r"\s{0,9}:\s{0,9}")
_LESS = r"(?:<|&(?:amp;){0,3}(?:lt|#0{0,5}60|#x0{0,5}3c);|\\u003c|%3c)"
_MORE = r"(?:>|&(?:amp;){0,3}(?:gt|#0{0,5}62|#x0{0,5}3e);|\\u003e|%3e)"
_MARK = re.compile(
    rf"{_LESS}\s{{0,9}}!\s{{0,9}}-{{1,4}}\s{{0,9}}(?P<closing>/?)\s{{0,9}}{_NAME}"
    rf"\s{{0,9}}-{{1,4}}\s{{0,9}}{_MORE}",
    re.IGNORECASE,
)
"""Either mark, as it looks after an editor, a web page or a model had it."""


def _marks(text: str) -> list[tuple[int, int, bool]]:
    """Where the marks stand, and whether each is a closing one."""
    if "recalled" not in text.lower() and text.isascii():
        return []
    copy = fold(text)
    found = _MARK.finditer(copy.text)
    return [(*copy.span(*match.span()), bool(match["closing"])) for match in found]


def _spelled_out(text: str) -> str:
    """A text in which every mark that is left became a plain word."""
    pieces, done = list[str](), 0
    for start, end, _ in _marks(text):
        pieces += (text[done:start], "(recalled)")
        done = end
    return "".join((*pieces, text[done:]))


def _without_blocks(text: str) -> str:
    """A block goes with its own line end; between two words, one blank of it stays."""
    pieces, done = list[str](), 0
    for start, end in _blocks(text):
        pieces.append(text[done:start])
        done = end
        if start == 0 or text[start - 1] == "\n":
            done += text.startswith("\n", end)
        elif not text[start - 1].isspace() and text[end : end + 1].strip():
            pieces += " " if " " in text[start:end] else ""
    return "".join((*pieces, text[done:])) if done else text


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Where blocks stand.

    One of ours ends at our own closing mark: a memory in it may speak of a mark, but
    never has it as it is.
    """
    marks = _marks(text)
    closings = [end for _, end, closing in marks if closing]
    ours = [end for end in closings if text.endswith(CLOSING, 0, end)]
    done = 0
    for start, end, closing in marks:
        if start < done:
            continue
        own = ours if text.startswith(OPENING, start) else []
        found = [] if closing else [*_next(own, end), *_next(closings, end)]
        done = found[0] if found else end
        yield start, done


def _next(ends: list[int], after: int) -> list[int]:
    at = bisect_right(ends, after)
    return ends[at : at + 1]


# --- lines of a block --------------------------------------------------------

_KINDS = "|".join(Kind)
_CITES = re.compile(rf"\[(?:{_KINDS}):[^\s\[\]]{{1,400}}, ")
_PLACE = re.compile(r"[^\n]{1,1000}:\d{1,9}\][\s\"'`*_.)>|]*")
_BESIDE = re.compile(r"[>\s]*- (?:with it|no longer true): ")
_HEADING = re.compile(r"[>\s]*#{1,6} From memory\s*")
_NOTHING = re.compile(
    r"[>\s]*I checked memory and (?:am not sure|found nothing)\b.*\s*"
)


def _without_lines(text: str) -> str:
    if ":" not in text and "I checked memory" not in text:
        return text
    lines = text.splitlines(keepends=True)
    kept: list[str] = []
    cut = False
    for line in lines:
        cut = cites_memory(line) or (cut and bool(_BESIDE.match(line)))
        if cut:
            # The heading above goes with it, and the empty line between them.
            gap = 1 if kept and not kept[-1].strip() else 0
            if len(kept) > gap and _HEADING.fullmatch(kept[-1 - gap]):
                del kept[-1 - gap :]
        elif not _NOTHING.fullmatch(line):
            kept.append(line)
    return text if len(kept) == len(lines) else "".join(kept)


def cites_memory(line: str) -> bool:
    """Whether a line ends in the id and the place of a memory."""
    *_, last = (0, *(match.end() for match in _CITES.finditer(line)))
    return last > 0 and bool(_PLACE.fullmatch(line, last))


# --- boot files --------------------------------------------------------------

SHORT = 6
"""A text of fewer telling words restates only whole lines."""


class BootText:
    """What the files say that an agent reads at every start."""

    def __init__(self, boot: Mapping[str, str]) -> None:
        self._files = [
            (name, frozenset(_lines(content)), f" {' '.join(terms(content))} ")
            for name, content in sorted(boot.items())
        ]

    def restated(self, text: str) -> str:
        """The file that a text only repeats, or nothing.

        A text repeats a file when every line of it stands there, or all its telling
        words in a row; it may have an opening of its own ("My instructions say: …").
        """
        lines, stems = set(_lines(text)), terms(text)
        row = f" {' '.join(stems[(len(stems) - 3) // 5 :])} "
        for name, known, told in self._files:
            if (lines and lines <= known) or (len(stems) >= SHORT and row in told):
                return name
        return ""


def _lines(text: str) -> Iterator[str]:
    """What each line says, without its markup; one word alone says nothing."""
    for line in text.splitlines():
        found = words(line)
        if len(found) > 1:
            yield " ".join(found)
