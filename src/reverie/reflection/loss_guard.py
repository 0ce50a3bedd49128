"""Loss guard: refuse a reflection that drops too many memories or pinned text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie import markdown as md
from reverie.errors import RefusedError
from reverie.index.located import own_pin
from reverie.model.items import CoreItem, Entity
from reverie.model.reflection import OperationKind
from reverie.stores.reader import load_vocabulary, read_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.config import Config
    from reverie.model.items import Entry
    from reverie.reflection.plan import Planned

ALWAYS_ALLOWED = 5
"""So few are never too many, however small a workspace is."""


class LossError(RefusedError):
    """A reflection would lose what it may not lose."""


class TooMuchLostError(LossError):
    """A reflection would drop too many memories at once."""

    says = (
        "this would drop {} of {:,} memories ({} archived, {} facts superseded, {} "
        "lines out of core memory); {} are allowed"
    )
    mend = "Accept fewer of them, or raise reflection.most_lost."


class PinnedTextLostError(LossError):
    """A reflection would change a text that is pinned."""

    def __init__(self, path: str, line: str) -> None:
        super().__init__(
            f"this would touch what is pinned in {path}: {md.headline(line, 60)!r}",
            hint="Leave that change out; only its human may unpin it.",
        )


def most_lost(config: Config, counts: int) -> int:
    """How many of so many memories one reflection may drop."""
    share = config.reflection.most_lost
    return max(ALWAYS_ALLOWED, int(share * counts)) if share else 0


def require_harmless(planned: Planned, counts: int, config: Config) -> None:
    """Refuse a plan that loses too much.

    Args:
        planned: What would be done.
        counts: How many memories there are in all.
        config: The workspace's parameters.

    Raises:
        LossError: It drops too many memories, or text that is pinned.
    """
    after = {edit.path: edit.content for edit in planned.edits}
    changed = [
        (path, _entries(path, old), _entries(path, after[path]))
        for path, old in planned.before
        if path in after
    ]
    for path, before, now in changed:
        for line in _unpinned(before, now):
            raise PinnedTextLostError(path, line)
    stays = {text for _, _, now in changed for _, text in _facts(now)}
    lost = (
        sum(step.operation.kind is OperationKind.ARCHIVE for step in planned.steps),
        sum(
            # What went with its page into another one is not lost.
            after[path] is not None or text not in stays
            for path, before, now in changed
            for _, text in _facts(before) - _facts(now)
        ),
        sum(len(_core_lines(before) - _core_lines(now)) for _, before, now in changed),
    )
    allowed = most_lost(config, counts)
    if sum(lost) > allowed:
        raise TooMuchLostError(sum(lost), counts, *lost, allowed)


def _entries(path: str, data: bytes | None) -> dict[str, Entry]:
    reading = read_file(path, data or b"", load_vocabulary(None))
    return {str(entry.id): entry for entry in reading.entries}


def _unpinned(before: dict[str, Entry], now: dict[str, Entry]) -> Iterator[str]:
    """Lines of pinned memories that no longer stand where they stood."""

    def key(entry: Entry) -> str:
        """What stays the same about a memory, also where others before it are gone."""
        item = entry.item
        if isinstance(item, CoreItem):
            return f"{item.block} {item.text}"
        return str(entry.id)

    def lines(entry: Entry) -> list[str]:
        """Its lines without those of its header, which tell of changes."""
        lines = (line.rstrip() for line in entry.raw.split("\n"))
        return [line for line in lines if line and not line.startswith("<!--")]

    pinned = {key(entry): entry for entry in now.values() if own_pin(entry.item)}
    for entry in before.values():
        if not own_pin(entry.item):
            continue
        there = pinned.get(key(entry))
        if there is None:
            yield entry.raw.strip()
            continue
        rest = iter(lines(there))
        for line in lines(entry):
            # A line of relations may name one entity more behind those it had.
            if not any(new == line or new.startswith(f"{line}, [[") for new in rest):
                yield line


def _facts(entries: dict[str, Entry]) -> set[tuple[str, str]]:
    """What holds of entities."""
    return {
        (id_, md.one_line(fact.text))
        for id_, entry in entries.items()
        if isinstance(entry.item, Entity)
        for fact in entry.item.facts
        if fact.current
    }


def _core_lines(entries: dict[str, Entry]) -> set[str]:
    """What stands in any block of core memory."""
    items = (entry.item for entry in entries.values())
    return {md.one_line(item.text) for item in items if isinstance(item, CoreItem)}
