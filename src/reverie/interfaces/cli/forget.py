"""`forget`: find what is meant, show it, have it confirmed, archive it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reverie.errors import RefusedError
from reverie.interfaces.cli import channel
from reverie.interfaces.cli.command import actor_option, verb
from reverie.interfaces.cli.erase import type_the_word
from reverie.interfaces.cli.output import (
    Table,
    counted,
    faint,
    good,
    ident,
    place,
    shortened,
    title,
)
from reverie.interfaces.cli.session import NotConfirmedError
from reverie.model.change import FORGET

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reverie.interfaces.cli.output import Line, Page
    from reverie.interfaces.cli.session import Session
    from reverie.model.change import Actor, Receipt
    from reverie.model.views import Forgetting, Match

LONGEST = 100
YES = ("y", "yes")
"""Enough where one memory was shown; among several it names none."""


class NeedsAPersonError(RefusedError):
    """Something is to be erased for good, and nobody is there to say so."""

    def __init__(self) -> None:
        super().__init__(
            "nothing was erased: only a person may, in a terminal",
            hint="Without --permanently it is archived, which can be undone.",
        )


class NotForgottenError(RefusedError):
    """What was to be forgotten is not confirmed, or not what was shown."""


@verb()
@click.argument("what")
@click.option(
    "--confirm",
    "keys",
    multiple=True,
    metavar="KEY",
    help="Forget what was shown under this key; repeatable.",
)
@click.option("--permanently", is_flag=True, help="Erase for good, from history too.")
@actor_option("bot:trigger-forget")
def forget(
    session: Session,
    what: str,
    keys: tuple[str, ...],
    actor: Actor | None,
    *,
    permanently: bool,
) -> None:
    """Find what is remembered about WHAT, and forget it once you agree.

    What is forgotten is archived: hidden from search, never learned again, and
    `reverie undo` brings it back. A fact of somebody is struck out, the others stay.
    Only "permanently delete …" or --permanently removes it for good.

        reverie forget "the old phone number"
        reverie forget "the old phone number" --confirm 3fa91c20
        reverie forget "permanently delete my address"
    """
    with session.open() as memory:
        found = memory.find_to_forget(what)
        permanent = permanently or found.permanent
        known = {each.key: each for each in found.matches}
        if strange := ", ".join(key for key in keys if key not in known):
            problem = f"{strange} is none of what was found, so nothing was forgotten"
            hint = "It may have been changed since it was shown. Look again."
            raise NotForgottenError(problem, hint=hint)
        chosen = tuple(known[key] for key in dict.fromkeys(keys))
        if not chosen and (session.json or not found.matches):
            session.answer(found, told_matches)
            return
        if not chosen:
            session.say(told_matches(found))
            chosen = _asked(session, found, permanent=permanent)
        if not permanent:
            by = actor or memory.acting(FORGET)
            session.answer(memory.forget(chosen, actor=by, trigger=what), _forgotten)
            return
        if not session.interactive:
            raise NeedsAPersonError
        type_the_word("This cannot be undone. ")
        for each in chosen:
            memory.erase_match(each, actor=actor)
    count = counted(len(chosen), "memory", "memories")
    erased = {"erased": [each.id for each in chosen]}
    session.answer(erased, lambda _: [(good("Erased for good: "), count)])


def _asked(
    session: Session, found: Forgetting, *, permanent: bool
) -> tuple[Match, ...]:
    """Which ones the person agrees to forget."""
    free = [each for each in found.matches if permanent or not each.protected]
    if not session.interactive:
        key = free[0].key if free else "KEY"
        problem = (
            "nothing was forgotten: it has to be confirmed, and nobody is here to ask"
        )
        hint = "Show your human what was found; then confirm each by its key, such as"
        raise NotForgottenError(problem, hint=f"{hint} --confirm {key}.")
    count = len(found.matches)
    numbers = "1" if count == 1 else f"1-{count}, 'all'"
    question = f"Forget which? ({numbers}, nothing to keep them all)"
    typed = channel.ask(question) if free else ""
    while count > 1 and typed.strip().lower() in YES:
        typed = channel.ask(question)
    chosen = picked(typed, found.matches, free)
    if not chosen or not set(chosen) <= set(free):
        raise NotConfirmedError
    return chosen


def picked(
    typed: str, shown: Sequence[Match], free: Sequence[Match]
) -> tuple[Match, ...] | None:
    """What was meant by `all`, `2`, `1, 3` or `2-4`, as the matches were numbered.

    Returns:
        Those to forget, none for a no; None if it is no answer at all.
    """
    words = typed.replace(",", " ").lower().split()
    if words == ["all"] or (len(shown) == 1 and " ".join(words) in YES):
        return tuple(free)
    if words in ([], ["no"], ["n"], ["none"], ["nothing"]):
        return ()
    places: dict[int, None] = {}
    for word in words:
        first, _, last = word.partition("-")
        ends = (first, last or first)
        if not all(each.isdecimal() and len(each) < 5 for each in ends):
            return None
        span = range(int(ends[0]), int(ends[1]) + 1)
        if not span or span[0] < 1 or span[-1] > len(shown):
            return None
        places |= dict.fromkeys(span)
    return tuple(shown[number - 1] for number in places)


def told_matches(found: Forgetting) -> Page:
    """What would be forgotten, for a person to look at."""
    if not found.matches:
        page: Page = [f"Nothing is remembered about {found.wish!r}."]
    else:
        count = counted(len(found.matches), "memory", "memories")
        rows = [
            (
                title(str(number)),
                shortened(each.text, LONGEST),
                place(
                    ("a fact of " if each.fact else "")
                    + each.id
                    + (", protected" if each.protected else "")
                ),
                faint(each.key),
            )
            for number, each in enumerate(found.matches, 1)
        ]
        table = Table(rows, ("", "what", "where", "key"), flexible=1)
        page = [f"I found {count} about {found.wish!r}:", "", table]
    if found.mentions:
        turns = counted(found.mentions, "turn")
        words = f"{turns} of conversations more speak of it; ask again for those."
        page.append(faint(words))
    return page


def _forgotten(receipt: Receipt) -> Iterator[Line]:
    if not receipt.lines:
        yield "It was forgotten already."
        return
    count, commit = counted(len(receipt.ids), "memory", "memories"), receipt.commit[:10]
    yield good("Forgotten: "), count, faint(f"  {commit}")
    yield from (("  ", ident(id_)) for id_ in receipt.ids)
    yield faint(f"`reverie undo {commit}` brings it back.")
