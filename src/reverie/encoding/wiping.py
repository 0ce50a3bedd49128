"""Erasing for good, step by step (spec, section 2)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from reverie.encoding.erase import erasure_of_item, erasure_of_text
from reverie.errors import NotFoundError, RefusedError
from reverie.ledger import erasure, packs
from reverie.ledger.audit_log import render_message
from reverie.model.change import Action, Approval, LogLine
from reverie.model.views import ErasureReceipt
from reverie.stores.reading import load_vocabulary, read_file
from reverie.stores.templates import PENDING_REFLECTION
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reverie.encoding.erase import Erasure
    from reverie.index import Located
    from reverie.model.change import Actor
    from reverie.model.items import Entry
    from reverie.session.session import House


class NotFoundAnywhereError(NotFoundError):
    """A text to be erased stands nowhere."""

    def __init__(self) -> None:
        super().__init__(
            "that text is in no file, message or object of this workspace",
            hint="Nothing was changed. Check the spelling: it must match exactly.",
        )


def wipe_item(
    house: House,
    found: Located,
    actor: Actor,
    progress: Callable[[int, int], None],
) -> ErasureReceipt:
    """Erase one memory."""
    _require_single(house, found)
    others = (other for other in house.index.items() if other.id != found.id)
    wanted = erasure_of_item(found, others, _versions(house, found.path))
    return _wipe(house, wanted, actor, progress)


def _versions(house: House, path: str) -> Iterator[tuple[Entry, ...]]:
    """What a file held after each change to it, newest first, wherever it stood."""
    words, name = load_vocabulary(None), path.rpartition("/")[2]
    for entry in house.ledger.history():
        places = {line.path for line in entry.lines if line.path.endswith(name)}
        for place in places:
            data = house.ledger.read_at(entry.commit, place)
            if data is not None:
                yield read_file(place, data, words).entries


class DoubleNameError(RefusedError):
    """Two files have the name of one memory."""

    def __init__(self, item_id: str, paths: list[str]) -> None:
        super().__init__(
            f"{item_id} stands in several files: {', '.join(paths)}",
            hint="Rename the ones that shall stay, then erase again.",
        )


def _require_single(house: House, found: Located) -> None:
    folder, name = found.path.rpartition("/")[::2]
    store = "/".join(folder.split("/")[: 3 if "/graph/" in folder else 2])
    paths = house.index.paths_named(store, name)
    if len(paths) > 1:
        raise DoubleNameError(found.id, paths)


def require_anywhere(house: House, text: str) -> None:
    """Refuse to erase a text that stands nowhere, or that cannot be erased."""
    needles = erasure_of_text(text).needles[:1]
    if not erasure.find_bytes(house.folder.root, house.ledger.repository, needles):
        raise NotFoundAnywhereError


def wipe_text(
    house: House, text: str, actor: Actor, progress: Callable[[int, int], None]
) -> ErasureReceipt:
    """Erase a text wherever it stands."""
    return _wipe(house, erasure_of_text(text), actor, progress)


def _wipe(
    house: House,
    wanted: Erasure,
    actor: Actor,
    progress: Callable[[int, int], None],
) -> ErasureReceipt:
    ledger, repository = house.ledger, house.ledger.repository
    # In this order: who packs takes the workspace lock only afterwards.
    with ledger.keeping_objects("erasing"), ledger.exclusively("erasing"):
        erasure.require_single_ref(repository)
        # Access counts live in the index alone, which is about to be emptied.
        house.snapshot()
        old, doubted = ledger.head, house.doubts()
        scrub = replace(wanted.scrub, file=partial(_without_page, wanted))
        clean = erasure.rewrite(repository, old, scrub, progress)
        record = _record(house, clean, wanted.path, actor)
        erasure.begin(repository, old, record)
        ledger.replace_history(old, record)
        if house.confirming:
            house.confirming.follow("" if doubted else record)
        dropped = erasure.finish(repository)
        house.rebuild_index()
        packs.refresh_git_index(repository)
        house.snapshot()
        remains = erasure.find_bytes(house.folder.root, repository, wanted.needles)
        return ErasureReceipt(
            commit=record,
            rewritten=repository.count(record),
            dropped=dropped,
            remains=tuple(remains),
            remotes=repository.remotes(),
        )


def _without_page(wanted: Erasure, path: str, data: bytes) -> erasure.Scrubbed:
    """A file without what is erased; a proposal that tells of it goes as a whole."""
    tells = path == layout.PENDING_REFLECTION and any(
        needle in data for needle in wanted.needles
    )
    if tells:
        return erasure.Scrubbed(PENDING_REFLECTION.encode(), data)
    return wanted.scrub.file(path, data)


def _record(house: House, head: str, path: str, actor: Actor) -> str:
    """A commit that says an erasure took place, and not of what."""
    line = LogLine(Action.DELETE, path, "permanently erased, also from history")
    trigger = "explicit request to delete permanently"
    message = render_message([line], actor, Approval.NONE, trigger, critical=False)
    repository = house.ledger.repository
    tree = repository.commit(head).tree
    return repository.write_commit(tree, head, message, str(actor), house.clock())
