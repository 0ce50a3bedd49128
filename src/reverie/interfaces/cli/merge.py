"""`merge`: two pages of one thing become one, or are kept apart for good."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out

if TYPE_CHECKING:
    from reverie.model.views import Merging

FILES = 10
"""So many files whose links follow are listed."""


@cli.verb()
@cli.argument("one")
@cli.argument("into")
@cli.flag("--no", "They are not the same: keep both, and never ask again.")
@cli.flag("--dry-run", "Only show what would be done.")
@cli.yes_option()
@cli.actor_option()
def merge(
    call: cli.Invocation, one: str, into: str, *, no: bool, dry_run: bool
) -> None:
    """Put the page of ONE into that of INTO: they are the same.

    Names, facts, timeline, questions and your own words go along; what both say stands
    once. Links that led to the one lead to the other, scores add up, and the old id
    still resolves. `reverie pending` lists pairs that may be the same.

        reverie merge "Greta" "Greta Lindholm"
        reverie merge person--greta person--greta-lindholm --yes
        reverie merge "Bo" "Bo Ek" --no
    """
    memory = call.memory
    if no:
        receipt = memory.keep_apart(one, into, actor=call.actor)
        two = " and ".join(receipt.ids)
        done = out.good("Kept apart: "), out.ident(two), out.commit(receipt)
        call.answer(receipt, [done if receipt.lines else "That was known already."])
        return
    found = memory.find_merge(one, into)
    if dry_run:
        call.answer(found, _would_be(found))
        return
    if call.interactive and not call.yes:
        call.confirm(_would_be(found), "Make them one?")
    receipt = memory.merge(found.one, found.into, actor=call.actor)
    done = out.good("Merged into "), out.ident(found.into), out.commit(receipt)
    back = out.faint(f"`reverie undo {receipt.commit[:10]}` makes them two again.")
    call.answer(receipt, [done, *_types(found), back])


def _would_be(found: Merging) -> out.Lines:
    facts = out.counted(found.facts, "fact")
    both = f", {out.counted(found.joined, 'fact')} both have" if found.joined else ""
    yield out.ident(found.one), f" ({found.label}) goes into ", out.ident(found.into)
    yield f"  {found.into_label} gets {facts}{both}; {found.label!r} stays a name of it"
    yield from _types(found)
    if found.follow:
        yield "  links follow in:"
        yield from (("    ", out.place(path)) for path in found.follow[:FILES])
        yield from out.rest(len(found.follow) - FILES, " files", 4)


def _types(found: Merging) -> out.Lines:
    if found.types:
        one, other = found.types
        yield out.warn(f"  one was a {one}, the other a {other}; it stays a {other}")
