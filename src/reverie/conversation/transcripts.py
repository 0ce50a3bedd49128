"""Reading conversations: what is written down, and what was said since."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from reverie.conversation.idle import anything_new, due
from reverie.conversation.sittings import Sittings, claim_lasts, claims
from reverie.model.conversation import DELETED, REFLECTION, WindowView
from reverie.model.items import Role
from reverie.model.origin import is_for, scope_of
from reverie.session.record import load_window, state_of, tail
from reverie.session.transcribing import Shelf
from reverie.stores.turns import parse_turns, title_of, window_of
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from reverie.conversation.sittings import Sitting
    from reverie.model.conversation import WindowState
    from reverie.model.items import Turn
    from reverie.session.session import House


def turns_of(house: House, window: str, last: int, *, deleted: bool) -> list[Turn]:
    """What was said in a window, in order.

    Args:
        house: The workspace's parts.
        window: Which conversation.
        last: Only so many of the newest; 0 for all.
        deleted: Whether to give those that were deleted, too.
    """
    waiting = house.journal.waiting(window)
    shelf = Shelf(house)
    written = tail(window, shelf, last) if last else load_window(window, shelf)
    found = [
        turn
        for turn in (*written, *_fresh(written, waiting))
        if deleted or not turn.field(DELETED)
    ]
    return found[-last:] if last else found


def _fresh(written: Sequence[Turn], waiting: Sequence[Turn]) -> list[Turn]:
    """What waits and is not written down by somebody else this very moment."""
    there = {(turn.number, turn.role) for turn in written}
    return [turn for turn in waiting if (turn.number, turn.role) not in there]


def all_turns(house: House, person: str = "") -> dict[str, list[Turn]]:
    """Every turn of every window that is for a person, deleted ones too."""
    found: dict[str, list[Turn]] = defaultdict(list)
    for path, text in _files(house):
        found[window_of(path)] += parse_turns(text, path)
    for name in house.journal.known():
        found[name] += _fresh(found[name], house.journal.waiting(name))
    return {name: _for(turns, person) for name, turns in found.items()}


def _for(turns: Sequence[Turn], person: str) -> list[Turn]:
    return [turn for turn in turns if is_for(scope_of(turn), person)]


def _files(house: House) -> Iterator[tuple[str, str]]:
    """The files of every window, its parts in their order."""
    for path in sorted(house.index.signatures(), key=_part):
        if path.startswith(f"{layout.CONVERSATIONS}/") and path.endswith(".md"):
            data = house.ledger.read(path) or b""
            yield path, data.decode("utf-8-sig", "replace")


def _part(path: str) -> tuple[str, int, str]:
    return window_of(path), len(path), path


def talked_in(house: House) -> list[str]:
    """The windows in which somebody talked here, by name; not those only imported."""
    written = house.index.lookup.own_files(layout.CONVERSATIONS)
    return sorted({*house.journal.known(), *map(window_of, written)})


def views(house: House, person: str = "") -> list[WindowView]:
    """Every conversation at a glance, the newest first, as far as it is for a person.

    One in which nothing is for them is not told of at all.
    """
    sittings = Sittings(house)
    titles: dict[str, str] = {}
    for path, text in _files(house):
        titles[window_of(path)] = titles.get(window_of(path), "") or title_of(text)
    found = [
        replace(view(house, sittings, name, turns, person), title=titles.get(name, ""))
        for name, turns in all_turns(house, person).items()
        if turns
    ]
    return sorted(found, key=lambda each: (each.last is None, each.last), reverse=True)


def view(
    house: House,
    sittings: Sittings,
    name: str,
    turns: Sequence[Turn],
    person: str = "",
) -> WindowView:
    """One conversation at a glance, from those of its turns that are for a person."""
    there = [turn for turn in turns if not turn.field(DELETED)]
    moments = [turn.at for turn in turns if turn.at]
    state = house.journal.state(name) or state_of(turns)
    sitting = sittings.load(name)
    lasts = claim_lasts(house.config.mind)
    return WindowView(
        name,
        turns=len(there),
        reflections=sum(_sums_up(turn) for turn in there),
        deleted=len(turns) - len(there),
        first=min(moments, default=None),
        last=max(moments, default=None),
        due=is_due(house, sitting, state, lambda: turns, person),
        reflecting=claims(sitting, house.clock(), lasts),
        unwritten=len(_for(house.journal.waiting(name), person)),
    )


def is_due(
    house: House,
    sitting: Sitting | None,
    state: WindowState,
    turns: Callable[[], Iterable[Turn]],
    person: str = "",
) -> bool:
    """Whether a conversation is due for a context reflection, or owes one.

    What was imported does not count, nor do messages that were deleted.

    Args:
        house: The workspace's parts.
        sitting: What its agent was told, where it was.
        state: How far it has come.
        turns: Reads the newest turns, deleted ones too; asked only if it matters.
        person: Who would read it; it is of what is for them, or for everybody.
    """
    config, now = house.config.conversation, house.clock()
    owed = config.reflections and sitting is not None and sitting.owed
    if not state.since or not (owed or due(state, now, config)):
        return False
    own = [turn for turn in turns() if _counts(turn)]
    state = replace(state, since=min(state.since, state_of(own).since))
    late = (owed and state.since > 0) or due(state, now, config)
    return late and anything_new(own, person)


def _counts(turn: Turn) -> bool:
    """Whether a turn tells how much was said; a deleted summary was one once."""
    return not turn.imported and (_sums_up(turn) or not turn.field(DELETED))


def reflections(house: House, person: str = "") -> list[tuple[Turn, Turn | None]]:
    """Every context reflection that is for a person: its summary, with its prompt."""
    found = []
    for turns in all_turns(house, person).values():
        prompts = {t.number: t for t in turns if t.role is Role.SYSTEM}
        found += [(t, prompts.get(t.number)) for t in turns if _sums_up(t)]
    return found


def _sums_up(turn: Turn) -> bool:
    return turn.role is Role.ASSISTANT and bool(turn.field(REFLECTION))
