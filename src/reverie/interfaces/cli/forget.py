"""`forget`: find what is meant, show it, have it confirmed, archive it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from reverie.errors import NotFoundError
from reverie.interfaces.cli import channel
from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out
from reverie.interfaces.cli.erase import told_left, type_the_word
from reverie.model.change import FORGET
from reverie.model.items import UNCONFIRMED
from reverie.recall.context_block import in_quotes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reverie import ErasureReceipt, Forgetting, Match, Memory

LONGEST = 100
WHICH = "Forget which? (numbers, 'all', or nothing to keep them)"
YES = ("y", "yes")
"""Enough where one memory was shown; among several it names none."""


@cli.verb()
@cli.argument("what")
@cli.option(
    *("--confirm keys", "Forget what was shown under this key; repeatable."),
    metavar="KEY",
    multiple=True,
)
@cli.flag("--permanently", "Erase for good, from history too.")
@cli.actor_option("bot:trigger-forget")
def forget(
    call: cli.Invocation, what: str, keys: tuple[str, ...], *, permanently: bool
) -> None:
    """Find what is remembered about WHAT, and forget it once you agree.

    What is forgotten is archived: hidden from search, never learned again, and
    `reverie undo` brings it back. A fact of somebody is struck out, the others stay.
    Only "permanently delete …" or --permanently removes it for good.

        reverie forget "the old phone number"
        reverie forget "the old phone number" --confirm 3fa91c20
        reverie forget "permanently delete my address"
    """
    memory = call.memory
    found = memory.find_to_forget(what)
    permanent = permanently or found.permanent
    known = {each.key: each for each in found.matches}
    if strange := ", ".join(key for key in keys if key not in known):
        problem = f"{strange} is none of what was found, so nothing was forgotten"
        hint = "It may have been changed since it was shown. Look again."
        cli.refuse(problem, hint)
    chosen = tuple(known[key] for key in dict.fromkeys(keys))
    if not chosen and (call.json or not found.matches):
        call.answer(found, told_matches(found))
        return
    if not chosen:
        call.say(told_matches(found))
        chosen = _asked(call, found, permanent=permanent)
    if permanent:
        receipts = erase_all(call, memory, chosen, person=call.interactive)
        count = out.memories(len(chosen))
        done = out.good("Erased for good: "), count
        left = (line for receipt in receipts for line in told_left(receipt))
        told = {"erased": [each.id for each in chosen]}
        call.answer(told, [done, *left])
        return
    by = call.actor or memory.acting(FORGET)
    receipt = memory.forget(chosen, actor=by, trigger=what)
    page: out.Page = [] if receipt.waits else ["It was forgotten already."]
    for number in receipt.waits:
        page += [
            out.warn(f"Waits for approval as #{number}: only the user removes it."),
            out.faint(f"Hint: they decide with `reverie pending accept {number}`."),
        ]
    if receipt.lines:
        count = out.memories(len(receipt.ids))
        page = [(out.good("Forgotten: "), count, out.commit(receipt))]
        page += [("  ", out.ident(id_)) for id_ in receipt.ids]
        page += [out.faint(f"`reverie undo {receipt.commit[:10]}` brings it back.")]
    call.answer(receipt, page)


def erase_all(
    call: cli.Invocation, memory: Memory, chosen: Sequence[Match], *, person: bool
) -> list[ErasureReceipt]:
    """Erase matches for good, once a person has typed the word for it."""
    if not person:
        hint = "Without --permanently it is archived, which can be undone."
        cli.refuse("nothing was erased: only a person may, in a terminal", hint)
    type_the_word("This cannot be undone. ")
    receipts = []
    for each in chosen:
        # What was made of another one has gone with it.
        with suppress(NotFoundError):
            receipts.append(memory.erase_match(each, actor=call.actor))
    return receipts


def _asked(
    call: cli.Invocation, found: Forgetting, *, permanent: bool
) -> tuple[Match, ...]:
    """Which ones the person agrees to forget."""
    free = [each for each in found.matches if permanent or not each.protected]
    if not call.interactive:
        key = free[0].key if free else "KEY"
        hint = "Show your human what was found; then confirm each by its key, such as"
        cli.refuse(
            "nothing was forgotten: it has to be confirmed, and nobody is here to ask",
            f"{hint} --confirm {key}.",
        )
    count = len(found.matches)
    typed = answer(lambda: channel.ask(WHICH), count) if free else ""
    chosen = picked(typed, found.matches, free)
    if not chosen or not set(chosen) <= set(free):
        cli.unconfirmed()
    return chosen


def answer(ask: Callable[[], str], count: int) -> str:
    """What is typed for one of so many; a mere yes among several names none."""
    while (typed := ask()).strip().lower() in YES and count > 1:
        pass
    return typed


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
        ends = (word.split("-", 1) * 2)[:2]
        if not all(each.isdecimal() and len(each) < 5 for each in ends):
            return None
        span = range(int(ends[0]), int(ends[1]) + 1)
        if not span or span[0] < 1 or span[-1] > len(shown):
            return None
        places |= dict.fromkeys(span)
    return tuple(shown[number - 1] for number in places)


def _words(each: Match) -> str:
    """Return what a memory says; an unconfirmed edit as a marked quotation."""
    return f"{UNCONFIRMED} {in_quotes(each.text)}" if each.unconfirmed else each.text


def told_matches(found: Forgetting) -> out.Lines:
    """What would be forgotten, for a person to look at."""
    if found.matches:
        rows = [
            (
                out.title(str(number)),
                out.shortened(_words(each), LONGEST),
                out.place(
                    f"{'a fact of ' * bool(each.fact)}{each.id}"
                    f"{', protected' * bool(each.protected)}"
                ),
                out.faint(each.key),
            )
            for number, each in enumerate(found.matches, 1)
        ]
        yield f"I found {out.memories(len(rows))} about {found.wish!r}:"
        yield from ("", out.Table(rows, ("", "what", "where", "key"), flexible=1))
    else:
        yield f"Nothing is remembered about {found.wish!r}."
    if found.mentions:
        turns = out.counted(found.mentions, "turn")
        words = f"{turns} of conversations more speak of it; ask again for those."
        yield out.faint(words)
