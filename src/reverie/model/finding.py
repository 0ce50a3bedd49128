"""What is wrong in a file that a person may have edited."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How much a finding matters."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """Something a person should look at: where it is, what it is, how to mend it.

    Attributes:
        path: Path inside the workspace, with forward slashes.
        line: Line number counted from 1; 0 where the whole file is meant.
        what: What is wrong, in one sentence without a full stop.
        mend: What to do about it.
        severity: How much it matters.
    """

    path: str
    line: int
    what: str
    mend: str = ""
    severity: Severity = Severity.ERROR

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{place}: {self.what}"
