"""What is heard of what a model writes: its words, and nothing a terminal obeys.

Text comes in pieces that end anywhere. However it was cut, the same is heard.
"""

from __future__ import annotations

import re
from enum import Enum, auto

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_HALVES = re.compile(r"[\ud800-\udfff]")
_FIRST_HALF = re.compile(r"[\ud800-\udbff]\Z")
_BEGIN, _END = "<think>", "</think>"


class _Stage(Enum):
    WAITING = auto()
    THINKING = auto()
    DONE_THINKING = auto()
    SPEAKING = auto()


class Voice:
    """Hears one answer.

    Left out are blanks at the beginning, thoughts in front of it (as models on
    servers that do not know them write them), control characters but line ends and
    tabs, and half characters, which no file could hold.
    """

    def __init__(self) -> None:
        self._stage = _Stage.WAITING
        self._held = ""
        self._half = ""

    def hear(self, text: str) -> str:
        """What is to be heard now of one more piece; may be nothing yet."""
        return self._spoken(_CONTROLS.sub("", self._whole(text)))

    def end(self) -> str:
        """What was held back, in case it would go on."""
        half = "\ufffd" if self._half else ""
        self._half = ""
        spoken = self._spoken(half)
        held = "" if self._stage is _Stage.THINKING else self._held
        self._held = ""
        return spoken + held

    def _whole(self, text: str) -> str:
        """A character that came in two halves, in one."""
        text = self._half + text
        first = _FIRST_HALF.search(text[-1:])
        self._half = first.group() if first else ""
        text = text[:-1] if first else text
        if not _HALVES.search(text):
            return text
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def _spoken(self, text: str) -> str:
        if self._stage is _Stage.SPEAKING:
            return text
        self._held += text
        if self._stage is _Stage.WAITING:
            self._held = self._held.lstrip()
            if self._held.startswith(_BEGIN):
                self._stage = _Stage.THINKING
            elif not _BEGIN.startswith(self._held):
                return self._speak()
        if self._stage is _Stage.THINKING:
            thought, end, after = self._held.partition(_END)
            if not end:
                self._held = thought[-len(_END) :]
                return ""
            self._held, self._stage = after, _Stage.DONE_THINKING
        if self._stage is _Stage.DONE_THINKING:
            self._held = self._held.lstrip()
            return self._speak() if self._held else ""
        return ""

    def _speak(self) -> str:
        said, self._held, self._stage = self._held, "", _Stage.SPEAKING
        return said
