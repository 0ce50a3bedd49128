"""What has to go when a memory is erased for good (spec, section 2)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.errors import RefusedError
from reverie.ledger.erasure import ERASED, Scrub, Scrubbed
from reverie.ledger.message import flat, flat_path
from reverie.model.ids import Kind
from reverie.stores import core, episodic
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reverie.model.ids import ItemId

SHORTEST = 6
"""Shorter pieces of a text are too common to be looked for elsewhere."""

_FOLDERS = {
    Kind.EPISODE: layout.EPISODES,
    Kind.ENTITY: layout.ENTITIES,
    Kind.PROCEDURE: layout.PROCEDURES,
    Kind.VAULT: layout.VAULT,
}


class TooShortToEraseError(RefusedError):
    """A text so short that erasing it everywhere would destroy others."""

    def __init__(self, text: str) -> None:
        super().__init__(
            f"{text!r} is too short to be erased wherever it stands",
            hint=f"Give at least {SHORTEST} characters, or the id of the memory.",
        )


@dataclass(frozen=True, slots=True)
class Erasure:
    """How to erase something, and the bytes that must not be found afterwards."""

    scrub: Scrub
    needles: tuple[bytes, ...]
    path: str


def erasure_of_text(text: str) -> Erasure:
    """Take out an exact text wherever it stands, in files and messages."""
    if len(text.strip()) < SHORTEST:
        raise TooShortToEraseError(text)
    needle = text.encode()

    def file(_path: str, data: bytes) -> Scrubbed:
        count = data.count(needle)
        return Scrubbed(data.replace(needle, ERASED.encode()), needle * count)

    def message(told: str, _touched: tuple[str, ...]) -> str:
        return told.replace(flat(text, len(text)), ERASED).replace(text, ERASED)

    return Erasure(Scrub(file, message), (needle,), "*")


def erasure_of_item(item_id: ItemId, text: str) -> Erasure:
    """Take a memory out of its file, of the scores, and of what history says."""
    words = _distinct(item_id, text)
    inside = _inside(item_id)

    def file(path: str, data: bytes) -> Scrubbed:
        if path == layout.SCORES:
            return _without_score(item_id, data)
        if _is_home(item_id, path):
            return inside(data, path)
        return _without_name(item_id, data)

    def message(told: str, touched: tuple[str, ...]) -> str:
        return _scrub_message(told, frozenset(map(flat_path, touched)), words)

    folder = _FOLDERS.get(item_id.kind, "")
    where = f"{folder}/{ERASED}" if item_id.kind is not Kind.CORE else layout.CORE
    needles = tuple(word.encode() for word in words)
    return Erasure(Scrub(file, message), needles, where)


def _distinct(item_id: ItemId, text: str) -> list[str]:
    """Pieces by which the memory would be recognised, longest first."""
    pieces = {text, flat(text, len(text) + 1), *map(str.strip, text.split("\n"))}
    if item_id.kind is not Kind.EPISODE:
        pieces.add(item_id.name)
    return sorted((p for p in pieces if len(p) >= SHORTEST), key=len, reverse=True)


def _is_home(item_id: ItemId, path: str) -> bool:
    if item_id.kind is Kind.CORE:
        return path == layout.CORE
    stem = item_id.name[:10] if item_id.kind is Kind.EPISODE else item_id.name
    folder = _FOLDERS[item_id.kind]
    return path.startswith(f"{folder}/") and path.endswith(f"/{stem}.md")


def _inside(item_id: ItemId) -> Callable[[bytes, str], Scrubbed]:
    """How a memory is taken out of the file it stands in."""

    def entry(data: bytes, path: str) -> Scrubbed:
        text = data.decode("utf-8", "surrogateescape")
        if item_id.kind is Kind.CORE:
            memory = core.parse_core(text, path)
            taken = [e.raw for e in memory.entries if e.id == item_id]
            rest = (
                core.render_core(core.remove_item(memory, item_id)) if taken else text
            )
        else:
            log = episodic.parse_day(text, path)
            taken = [e.raw for e in log.entries if e.id == item_id]
            rest = (
                episodic.render_day(episodic.remove_entry(log, item_id))
                if taken
                else text
            )
        return Scrubbed(_bytes(rest), _bytes("".join(taken)))

    def whole(data: bytes, _path: str) -> Scrubbed:
        return Scrubbed(None, data or b"\n")

    return entry if item_id.kind in {Kind.CORE, Kind.EPISODE} else whole


def _without_name(item_id: ItemId, data: bytes) -> Scrubbed:
    """Other files know an entity by its name alone: links, the graph's index."""
    name = item_id.name.encode()
    if item_id.kind is not Kind.ENTITY or name not in data:
        return Scrubbed(data, b"")
    return Scrubbed(data.replace(name, b"erased"), name * data.count(name))


def _without_score(item_id: ItemId, data: bytes) -> Scrubbed:
    """Drop the entry of `decay-scores.json`; its key can give a text away."""
    key = str(item_id)
    if key.encode() not in data:
        return Scrubbed(data, b"")
    try:
        told = json.loads(data)
        taken = json.dumps({key: told["entries"].pop(key)})
    except (ValueError, KeyError, TypeError, RecursionError):
        return Scrubbed(data.replace(key.encode(), b"erased"), key.encode())
    return Scrubbed(f"{json.dumps(told, indent=2)}\n".encode(), taken.encode())


def _scrub_message(told: str, touched: frozenset[str], words: Sequence[str]) -> str:
    lines = [_scrub_line(line, touched) for line in told.split("\n")]
    if touched:
        lines = [
            f"Trigger: {ERASED}" if line.startswith("Trigger: ") else line
            for line in lines
        ]
    text = "\n".join(lines)
    for word in words:
        text = text.replace(word, ERASED)
    return text


def _scrub_line(line: str, touched: frozenset[str]) -> str:
    head, dash, _ = line.partition(" — ")
    if dash and head.partition("] ")[2] in touched:
        return f"{head} — {ERASED}"
    return line


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
