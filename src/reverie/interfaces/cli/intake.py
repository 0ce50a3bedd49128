"""Texts that are typed, or come in through standard input."""

from __future__ import annotations

import sys

from reverie.errors import RefusedError

MOST_INPUT = 64 << 20
"""No memory is this long; stop reading before the machine is out of memory."""


class UnreadableInputError(RefusedError):
    """What came in is no text."""

    def __init__(self, problem: str, hint: str) -> None:
        super().__init__(f"standard input cannot be read: {problem}", hint=hint)


def given_text(text: str) -> str:
    """What was typed; `-` stands for standard input."""
    return _read_input() if text == "-" else text


def _read_input() -> str:
    data = sys.stdin.buffer.read(MOST_INPUT + 1)
    if len(data) > MOST_INPUT:
        problem = f"it is longer than {MOST_INPUT >> 20} MiB"
        raise UnreadableInputError(problem, "Split it.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problem = f"byte {error.start + 1:,} is not valid UTF-8"
        hint = "Is it a binary file, or in another encoding? Try `iconv -t UTF-8`."
        raise UnreadableInputError(problem, hint) from error
