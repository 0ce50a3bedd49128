"""What the host agent is asked, when it is the one who thinks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class HostQuestion:
    """A question for the agent that is connected.

    Attributes:
        id: By which it is answered.
        operation: What it is for.
        prompt: What to think about.
        schema: The JSON schema of the answer.
        asked: When it was put, in UTC.
        problem: Why the answer before could not be used; empty if there was none.
    """

    id: str
    operation: str
    prompt: str
    schema: Mapping[str, object]
    asked: datetime | None = None
    problem: str = ""
