"""The root of every error Reverie raises.

* ReverieError
  x FormatError          a hand-edited file does not read as what it should be
  x RefusedError         the request is understood and not done; nothing changed
  x NotFoundError        what was named does not exist
  x ConflictError        the world moved on between planning and writing
  x UnavailableError     the disk, a lock or a tool did not let us

The concrete classes stand beside the code that raises them, each with its own
words: what happened, where, and in `hint` what to do about it. A class may give both
as templates for the facts that it is raised with.

    try:
        memory.remember("…", Episodic())
    except reverie.ReverieError as error:
        print(error, error.hint)
"""

from __future__ import annotations

from typing import ClassVar


class ReverieError(Exception):
    """Something Reverie could not do, told so that a person can act on it."""

    says: ClassVar = "{}"
    """What happened, with the facts of the case in braces."""

    mend: ClassVar = ""
    """What to do about it, likewise."""

    def __init__(self, *facts: object, hint: str = "") -> None:
        super().__init__(self.says.format(*facts))
        self.hint = hint or self.mend.format(*facts)


class RefusedError(ReverieError):
    """The request was understood and refused; nothing was changed."""


class NotFoundError(ReverieError):
    """What was named does not exist."""


class ConflictError(ReverieError):
    """The world changed between planning and writing; nothing was changed."""


class UnavailableError(ReverieError):
    """The machine did not let us: a full disk, a held lock, a missing tool."""


class FormatError(ReverieError):
    """A file does not read as what it should be; the file stays untouched."""

    def __init__(self, path: str, line: int, problem: str, *, hint: str = "") -> None:
        super().__init__(f"{path}:{line}: {problem}", hint=hint)
        self.path = path
        self.line = line
        self.problem = problem
