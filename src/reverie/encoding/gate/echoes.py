"""What must not be learned again: what came out of memory, what an agent reads anyway.

A block that Reverie put into a prompt is cut out by its marks, however they were
escaped on the way, and a line of it by the place it cites. A text that only repeats a
boot file is known for it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from reverie.index.words import terms, words
from reverie.model.ids import Kind
from reverie.recall.block import CLOSING, OPENING
from reverie.secrets.folding import fold

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
            return rest, len(text) - len(rest)
        rest = shorter
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
    pieces: list[str] = []
    done = 0
    for start, end, _ in _marks(text):
        pieces += (text[done:start], "(recalled)")
        done = end
    return "".join((*pieces, text[done:]))


def _without_blocks(text: str) -> str:
    pieces: list[str] = []
    done = 0
    for block in _blocks(text):
        for start, end in _cuts(text, *block):
            pieces.append(text[done:start])
            done = end
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
        if closing:
            done = end
        else:
            own = _next(ours, end) if text.startswith(OPENING, start) else None
            done = own or _next(closings, end) or end
        yield start, done


def _next(ends: list[int], after: int) -> int | None:
    at = bisect_right(ends, after)
    return ends[at] if at < len(ends) else None


def _cuts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A block with its own line end; between two words, one blank of it stays."""
    if start == 0 or text[start - 1] == "\n":
        yield start, end + text.startswith("\n", end)
        return
    apart = text[start - 1].isspace() or not text[end : end + 1].strip()
    blank = -1 if apart else text.find(" ", start, end)
    if blank > 0:
        yield start, blank
        start = blank + 1
    yield start, end


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
            _drop_heading(kept)
        elif not _NOTHING.fullmatch(line):
            kept.append(line)
    return text if len(kept) == len(lines) else "".join(kept)


def cites_memory(line: str) -> bool:
    """Whether a line ends in the id and the place of a memory."""
    *_, last = (0, *(match.end() for match in _CITES.finditer(line)))
    return last > 0 and bool(_PLACE.fullmatch(line, last))


def _drop_heading(kept: list[str]) -> None:
    """Take back the heading above a line that was cut out."""
    for back in (1, 2):
        if len(kept) >= back and _HEADING.fullmatch(kept[-back]):
            del kept[-back:]
            return
        if not kept or kept[-1].strip():
            return


# --- boot files --------------------------------------------------------------

RUN = 4
"""So many telling words in a row are compared."""

SHORT = 6
"""A text of fewer telling words restates only a whole line."""

LONG = 60
"""A text of more telling words may differ in some of them and still restate."""

SHARE = 0.8
"""The share of its runs that a text has from a file which it restates."""


class BootText:
    """What the files say that an agent reads at every start.

    Made once from their contents; asking is then a matter of microseconds.
    """

    def __init__(self, boot: Mapping[str, str]) -> None:
        self._lines: dict[str, set[str]] = {}
        self._runs: dict[tuple[str, ...], set[str]] = {}
        for name, content in boot.items():
            for line in filter(None, map(_said, content.splitlines())):
                self._lines.setdefault(line, set()).add(name)
            for run in _runs(terms(content)):
                self._runs.setdefault(run, set()).add(name)

    def restated(self, text: str) -> str:
        """The file that a text only repeats, or nothing.

        A short text repeats a file when it is one of its lines. A longer one may have
        an opening of its own ("My instructions say: …"), but what differs further on
        is taken for news.
        """
        lines = [said for line in text.splitlines() if (said := _said(line))]
        whole = self._lines.get(_said(text)) or self._with_all(lines)
        if whole:
            return min(whole)
        stems = terms(text)
        if len(stems) < SHORT:
            return ""
        runs = [self._runs.get(run, _NONE) for run in _runs(stems)]
        names = sorted(set().union(*runs))
        return next((name for name in names if _repeats(name, runs)), "")

    def _with_all(self, lines: list[str]) -> set[str] | None:
        """The files that have every one of some lines."""
        found = [self._lines.get(line, _NONE) for line in lines]
        return set.intersection(*map(set, found)) if found else None


_NONE: frozenset[str] = frozenset()


def _repeats(name: str, runs: list[set[str] | frozenset[str]]) -> bool:
    known = [name in names for names in runs]
    if sum(known) < SHARE * len(known):
        return False
    return len(known) > LONG or all(known[known.index(True) :])


def _runs(stems: list[str]) -> Iterator[tuple[str, ...]]:
    return zip(*(stems[start:] for start in range(RUN)), strict=False)


def _said(line: str) -> str:
    """What a line says, without its markup; one word alone says nothing."""
    found = words(line)
    return " ".join(found) if len(found) > 1 else ""
