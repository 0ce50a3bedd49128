"""How things are worded: patterns made of tables, compiled when first needed.

A table is one or more lines of wordings, divided by commas. Small letters; a blank
stands for any gap, and a wording may hold a little pattern ("words?").
"""

from __future__ import annotations

import re
import sys
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class Wording:
    """A pattern that costs nothing until it is used; most messages use none."""

    def __init__(self, pattern: str, flags: re.RegexFlag = re.NOFLAG) -> None:
        self.pattern = pattern
        self._flags = flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, self._flags)

    def match(
        self, text: str, start: int = 0, end: int = sys.maxsize
    ) -> re.Match[str] | None:
        """What is found right at a place."""
        return self._compiled.match(text, start, end)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """What is found if it is all of the text."""
        return self._compiled.fullmatch(text)

    def search(
        self, text: str, start: int = 0, end: int = sys.maxsize
    ) -> re.Match[str] | None:
        """What is found first in a stretch."""
        return self._compiled.search(text, start, end)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """All that is found."""
        return self._compiled.finditer(text)


def one_of(*lines: str) -> str:
    """The pattern of a table: any of its wordings."""
    wordings = (wording.strip() for line in lines for wording in line.split(","))
    return "(?:" + "|".join(one.replace(" ", r"\s+") for one in wordings) + ")"


def found_in(*lines: str) -> Wording:
    """A table to look for: any of its wordings, as whole words."""
    return Wording(rf"\b{one_of(*lines)}\b")
