"""`forget`: found, shown, confirmed, archived."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reverie.errors import RefusedError
from reverie.interfaces.cli import channel
from reverie.interfaces.cli.command import Verb, actor_option
from reverie.interfaces.cli.erase import type_the_word
from reverie.interfaces.cli.page import (
    BLANK,
    Grid,
    Span,
    Style,
    counted,
    row,
    shortened,
)
from reverie.interfaces.cli.session import NotConfirmedError, session_of
from reverie.model.change import FORGET

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.interfaces.cli.page import Page
    from reverie.interfaces.cli.session import Session
    from reverie.memory import Memory
    from reverie.model.change import Actor, Receipt
    from reverie.model.views import Forgetting, Match

LONGEST = 100
YES = ("y", "yes")
"""Enough where one memory was shown; among several it names none."""


class NotConfirmedHereError(RefusedError):
    """Nobody is there to be asked."""

    def __init__(self, keys: str) -> None:
        super().__init__(
            "nothing was forgotten: it has to be confirmed, and nobody is here to ask",
            hint=f"Show your human what was found; then confirm each by its key, such "
            f"as --confirm {keys}.",
        )


class NeedsAPersonError(RefusedError):
    """Something is to be erased for good, and nobody is there to say so."""

    def __init__(self) -> None:
        super().__init__(
            "nothing was erased: only a person may, in a terminal",
            hint="Without --permanently it is archived, which can be undone.",
        )


class NoSuchKeyError(RefusedError):
    """A key that was confirmed belongs to nothing that was found."""

    def __init__(self, keys: str) -> None:
        super().__init__(
            f"{keys} is none of what was found, so nothing was forgotten",
            hint="It may have been changed since it was shown. Look again.",
        )


@click.command(cls=Verb)
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
@click.pass_context
def forget(
    ctx: click.Context,
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
    session = session_of(ctx)
    with session.open() as memory:
        found = memory.find_to_forget(what)
        permanent = permanently or found.permanent
        chosen = _chosen(found, keys)
        if not chosen and (session.json or not found.matches):
            session.answer(found, told_matches)
            return
        if not chosen:
            session.say(told_matches(found))
            chosen = _asked(session, found, permanent=permanent)
        if permanent:
            _erase(session, memory, chosen, actor)
            session.answer({"erased": [m.id for m in chosen]}, _told_erased)
        else:
            who = actor or memory.acting(FORGET)
            receipt = memory.forget(chosen, actor=who, trigger=what)
            session.answer(receipt, _told_forgotten)


def _chosen(found: Forgetting, keys: Sequence[str]) -> tuple[Match, ...]:
    known = {match.key: match for match in found.matches}
    strange = [key for key in keys if key not in known]
    if strange:
        raise NoSuchKeyError(", ".join(strange))
    return tuple(known[key] for key in dict.fromkeys(keys))


def _asked(
    session: Session, found: Forgetting, *, permanent: bool
) -> tuple[Match, ...]:
    """Which ones the person agrees to forget."""
    free = [match for match in found.matches if permanent or not match.protected]
    if not session.interactive:
        raise NotConfirmedHereError(free[0].key if free else "KEY")
    if not free:
        raise NotConfirmedError
    count = len(found.matches)
    numbers = "1" if count == 1 else f"1-{count}, 'all'"
    question = f"Forget which? ({numbers}, nothing to keep them all)"
    typed = channel.ask(question)
    while count > 1 and typed.strip().lower() in YES:
        typed = channel.ask(question)
    chosen = _picked(typed, found.matches, free)
    if not chosen:
        raise NotConfirmedError
    return chosen


def _picked(
    typed: str, shown: Sequence[Match], free: Sequence[Match]
) -> tuple[Match, ...]:
    """What was meant by `all`, `2`, `1, 3` or `2-4`; nothing if any of it is wrong.

    Numbers are those that were shown; one that is protected cannot be chosen.
    """
    words = typed.replace(",", " ").lower().split()
    if words == ["all"] or (len(shown) == 1 and " ".join(words) in YES):
        return tuple(free)
    places: list[int] = []
    for word in words:
        first, _, last = word.partition("-")
        if not (first.isdecimal() and (last or first).isdecimal()):
            return ()
        places += range(int(first) - 1, int(last or first))
    if any(not 0 <= place < len(shown) for place in places):
        return ()
    chosen = tuple(shown[place] for place in dict.fromkeys(places))
    return chosen if all(match in free for match in chosen) else ()


def _erase(
    session: Session, memory: Memory, chosen: Sequence[Match], actor: Actor | None
) -> None:
    if not session.interactive:
        raise NeedsAPersonError
    type_the_word("This cannot be undone. ")
    for match in chosen:
        memory.erase_match(match, actor=actor)


def told_matches(found: Forgetting) -> Page:
    """What would be forgotten, for a person to look at."""
    if not found.matches:
        page: Page = [row(f"Nothing is remembered about {found.wish!r}.")]
    else:
        count = counted(len(found.matches), "memory", "memories")
        page = [row(f"I found {count} about {found.wish!r}:"), BLANK]
        rows = tuple(
            (
                Span(str(number), Style.TITLE),
                Span(shortened(match.text, LONGEST)),
                Span(_where(match), Style.PATH),
                Span(match.key, Style.FAINT),
            )
            for number, match in enumerate(found.matches, 1)
        )
        page.append(Grid(("", "what", "where", "key"), rows, flexible=1))
    if found.mentions:
        turns = counted(found.mentions, "turn")
        words = f"{turns} of conversations more speak of it; ask again for those."
        page.append(row(Span(words, Style.FAINT)))
    return page


def _where(match: Match) -> str:
    part = "a fact of " if match.fact else ""
    note = ", protected" if match.protected else ""
    return f"{part}{match.id}{note}"


def _told_forgotten(receipt: Receipt) -> Page:
    if not receipt.lines:
        return [row("It was forgotten already.")]
    page: Page = [
        row(
            Span("Forgotten: ", Style.GOOD),
            f"{counted(len(receipt.ids), 'memory', 'memories')}",
            Span(f"  {receipt.commit[:10]}", Style.FAINT),
        )
    ]
    page += [row(Span(id_, Style.ID), indent=2) for id_ in receipt.ids]
    hint = f"`reverie undo {receipt.commit[:10]}` brings it back."
    return [*page, row(Span(hint, Style.FAINT))]


def _told_erased(told: dict[str, list[str]]) -> Page:
    count = counted(len(told["erased"]), "memory", "memories")
    return [row(Span("Erased for good: ", Style.GOOD), count)]
