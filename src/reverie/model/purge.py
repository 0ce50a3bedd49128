"""What would be taken out of memory because of whose words it is."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reverie.model.origin import Origin


@dataclass(frozen=True, slots=True)
class Taken:
    """A memory, a fact of one, a turn or a proposal that would go.

    Attributes:
        id: Of the memory; `#7` for a proposal.
        path: The file it stands in.
        line: The line that it begins at.
        text: What it says.
    """

    id: str
    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Purge:
    """Everything of one origin, as it was shown; nothing has happened yet.

    Attributes:
        origin: Whose words they are.
        source: The one file or chat that they were imported from; empty for all.
        taken: What would go, file by file.
    """

    origin: Origin
    source: str
    taken: tuple[Taken, ...]

    @property
    def files(self) -> Mapping[str, int]:
        """How many would go of each file."""
        return Counter(each.path for each in self.taken)
