"""What is worked out of all files, and after a change only of those that changed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from reverie.session.session import Session

T = TypeVar("T")


def kept_up(
    session: Session,
    name: str,
    at: str,
    told: object,
    anew: Callable[[], T],
    again: Callable[[T, Mapping[str, tuple[str, str]]], T],
) -> T:
    """What it was at an earlier commit, brought to this one.

    Args:
        session: The workspace's parts.
        name: What it is.
        at: The commit that it is worked out of.
        told: What else it is worked out of; for another value it is made anew.
        anew: Works it out of everything.
        again: Works it out of what it was, and of the files that differ since then
            with their contents then and now; also where none does.
    """
    kept: dict[str, T] = session.while_same(name, (told,), dict)
    before = next(iter(kept), "")
    if not before or not session.ledger.has(before):
        made = anew()
    else:
        find = partial(session.ledger.changed, at, before)
        # What is kept up beside is asked for the same.
        same = at == before
        changed = {} if same else session.while_same("changed", (at, before), find)
        made = again(kept[before], changed)
    kept.clear()
    kept[at] = made
    return made
