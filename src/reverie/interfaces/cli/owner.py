"""`owner`: the passphrase that a human's acts ask for."""

from __future__ import annotations

from reverie.authority.authority import Act, NoHumanError
from reverie.interfaces.cli import channel
from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out


@cli.group()
def owner(call: cli.Invocation) -> None:
    """Have what only you may do ask for a passphrase.

    Without one, whoever can open a terminal as you can say yes for you. With one,
    deciding, accepting, unpinning, erasing, acknowledging and the like ask for it
    each time; files that were saved or committed by an unknown hand steer nothing
    until you confirm them (`reverie pending`). Neither holds against code that runs
    as you and reads your keyboard or your home.

        reverie owner
        reverie owner set
    """
    _status(call)


@owner.verb()
def status(call: cli.Invocation) -> None:
    """Tell whether an owner passphrase is set.

    Looks into the keyring and through all of history.

        reverie owner status
    """
    _status(call)


def _status(call: cli.Invocation) -> None:
    owned = call.memory.owned
    hint = out.faint("`reverie owner set` sets one, typed twice in your terminal.")
    none: out.Page = ["No owner passphrase is set.", hint]
    page: out.Page = ["An owner passphrase is set."] if owned else none
    call.answer({"owned": owned}, page)


@owner.verb("set")
def set_(call: cli.Invocation) -> None:
    """Set the passphrase, in a terminal; it is typed twice.

    It cannot be recovered. Its hash is kept in ~/.local/share/reverie; keep a backup
    of that folder: without it nobody can prove to be the owner.

        reverie owner set
    """
    _require_terminal(call, "set an owner passphrase")
    receipt = call.memory.set_owner(_typed_twice)
    words = "Set. From now on every act of yours asks for it."
    more = "What you do besides is signed bot:…, unless you say --actor manual."
    call.answer(receipt, [out.good(words), out.faint(more)])


@owner.verb()
def change(call: cli.Invocation) -> None:
    """Replace the passphrase; the old one is asked for.

    The new one is typed twice, after it.

        reverie owner change
    """
    _require_terminal(call, "change the owner passphrase")
    receipt = call.memory.change_owner(_typed_twice)
    call.answer(receipt, [out.good("Changed.")])


@owner.verb()
def remove(call: cli.Invocation) -> None:
    """Ask for no passphrase any more; it is asked for once more.

    Who sits at the terminal is taken for you again, and what waits unconfirmed counts.

        reverie owner remove
    """
    _require_terminal(call, "remove the owner passphrase")
    receipt = call.memory.remove_owner()
    call.answer(receipt, [out.good("Removed.")])


def _require_terminal(call: cli.Invocation, what: str) -> None:
    """A passphrase is typed at a terminal, and nowhere else."""
    if not call.interactive:
        raise NoHumanError(Act.OWNER, what)


def _typed_twice() -> str:
    first = channel.passphrase("New owner passphrase: ")
    if channel.passphrase("Again: ") != first:
        cli.refuse("the two are not the same; nothing was changed")
    return first
