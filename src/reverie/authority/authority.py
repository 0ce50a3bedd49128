"""Who may do what in an open workspace: asked before anything is planned.

    with authority.act(Act.ERASE, "erase vault:passport, from history too"):
        ...

An act of the list needs a human's channel, whatever name it would be signed with, and
the owner's passphrase where one is set. Acts inside of an act ask nothing again.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable
from contextlib import contextmanager, suppress
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from msgspec import Struct

from reverie.authority.keyring import KeyringError
from reverie.errors import RefusedError
from reverie.model.change import MAIN, MANUAL, Approval, OnlyHumansError, origin_of
from reverie.model.items import Origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from reverie.authority.keyring import Keyring
    from reverie.model.change import Actor, ChangeSet


class Act(StrEnum):
    """What an agent may ask for, and only its human may do."""

    SIGN = "sign as manual"
    DECIDE = "decide on a reflection"
    ACCEPT = "accept into core memory, procedures or the vault"
    UNPIN = "unpin"
    ERASE = "erase"
    PURGE = "purge"
    ACKNOWLEDGE = "acknowledge"
    CONFIRM = "confirm the folder of a workspace"
    FORK = "make a copy a workspace of its own"
    GO_BACK = "go back on a human's decision or on a critical file"
    RAISE = "raise a budget"
    KEEP_SECRET = "keep a secret"  # noqa: S105 - the name of an act
    TRUST = "trust an agent"
    OWNER = "change the owner passphrase"


class Request(Struct, frozen=True):
    """What a human is asked for.

    Attributes:
        act: Which of the acts.
        what: What would be done, in words to be shown.
        passphrase: Whether the answer has to be the owner's passphrase; a plain yes
            is enough where none is set.
    """

    act: Act
    what: str
    passphrase: bool = False


Human = Callable[[Request], bool | str]
"""A channel to the human: True or the passphrase for yes, anything else for no."""


T = TypeVar("T")

LEAST = 8
"""Characters a passphrase has at least."""

SET, CHANGE, REMOVE = (f"reverie owner {verb}" for verb in ("set", "change", "remove"))
"""What starts the changes by which history records an owner."""

_COST = (1 << 15, 8, 1)

_TERMINAL = "; in a terminal your human says `reverie "
INSTEAD = {
    Act.SIGN: "Sign as the agent that you are: leave --actor out, or say bot:main.",
    Act.DECIDE: f"Show it: `reverie reflect show`{_TERMINAL}reflect`.",
    Act.ACCEPT: f"Let it wait in `reverie pending`{_TERMINAL}pending accept`.",
    Act.UNPIN: f"Tell them why it should fade{_TERMINAL}pin ID --remove`.",
    Act.ERASE: f"`reverie forget` archives it, to be undone{_TERMINAL}erase`.",
    Act.PURGE: f"`reverie purge --dry-run` shows what would go{_TERMINAL}purge`.",
    Act.ACKNOWLEDGE: f"Show them `reverie alerts`{_TERMINAL}alerts --ack`.",
    Act.CONFIRM: f"Show them `reverie workspace`{_TERMINAL}workspace accept`.",
    Act.FORK: "In a terminal your human says `reverie workspace fork`, and types the "
    "owner passphrase if one is set.",
    Act.GO_BACK: f"Show them `reverie show CHANGE`{_TERMINAL}undo`.",
    Act.RAISE: f"Go on with what is given, or ask for more{_TERMINAL}reflect`.",
    Act.KEEP_SECRET: "Leave it out (--secrets redact), and name where it is kept; your "
    "human may keep it from a terminal.",
    Act.TRUST: "Propose; whom they trust your human says in a terminal.",
    Act.OWNER: "In a terminal your human says `reverie owner set|change|remove`.",
}
"""What an agent does instead of each act."""


class NoHumanError(OnlyHumansError):
    """Something that only a human may do, and no channel to one.

    A program that has one opens the workspace with it: `Memory.open(path, human=…)`.
    """

    says = "{1}: only a human may {0}, and none is here to ask"

    def __init__(self, act: Act, what: str) -> None:
        super().__init__(act, what, hint=INSTEAD[act])
        self.act = act


class WorkspaceLockedError(RefusedError):
    """Human-only actions are locked until the user confirms the folder."""

    says = "Cannot {}: {}"
    mend = (
        "Run `reverie workspace` to see why. `reverie workspace accept` confirms this "
        "folder; `reverie workspace fork` makes a copy a workspace of its own."
    )


class NotACallerError(RefusedError):
    """A change was to be signed with a name that may not sign a write."""

    says = "{} is Reverie itself, nobody else may sign so"
    mend = "Use manual, bot:… or skill:…."


class SubAgentWriteError(NotACallerError):
    """A direct write was to be signed as a sub-agent."""

    says = "{} cannot write to memory: a sub-agent only proposes"
    mend = (
        "Propose it: `Memory.acting_as(name).propose(…)`, or the MCP tool `propose`. "
        "The main agent or its user decides."
    )


def require_caller(actor: Actor) -> None:
    """Refuse an actor that may not sign a write: Reverie itself or a sub-agent.

    Raises:
        NotACallerError: The actor is a part of Reverie.
        SubAgentWriteError: The actor is a sub-agent, which only proposes.
    """
    if actor.tag.startswith(("system:", "reflection:")):
        raise NotACallerError(actor)
    if actor.tag.startswith("subagent:"):
        raise SubAgentWriteError(actor)


class OwnerError(RefusedError):
    """The owner's passphrase is not what it should be, or cannot be checked."""


class RecordedOwner(NamedTuple):
    """What history says of an owner.

    Attributes:
        fingerprint: Of the hash; empty if there is no owner.
        commit: The change that recorded it.
        verified: Whether the ledger of this keyring made that change.
    """

    fingerprint: str = ""
    commit: str = ""
    verified: bool = False


NOBODY = RecordedOwner()


class OwnerNote(NamedTuple):
    """What a keyring says of the owner of a place.

    Attributes:
        made: The hashes; none where the owner was removed, two while it is changed.
        since: The newest commit when the passphrase was set.
    """

    made: tuple[str, ...] = ()
    since: str = ""


class Owner:
    """The owner's passphrase of one workspace: what a human's acts ask for, if set.

    A slow hash of it is kept in the keyring, for the place of the workspace, and
    history records its fingerprint: both have to agree. A hash that is deleted or
    replaced, a home that is another one, a history that was exchanged open nothing:
    they refuse. By its fingerprint it is kept as well, for a workspace that is moved.

    Args:
        keyring: Where hashes are kept; that in the home of the user's account counts
            as well, which no variable can hide.
        recorded: What all of history says.
        find_lost: Returns the fingerprint that known commits record which are not in
            this history any more; empty if there are none.
        locked: Whether the history in the folder is not the known one, so that only
            the hash in the state directory counts.
    """

    def __init__(
        self,
        keyring: Keyring,
        recorded: Callable[[], RecordedOwner],
        find_lost: Callable[[], str] = str,
        locked: Callable[[], bool] = bool,
    ) -> None:
        self._keyring = keyring
        self._find_lost = find_lost
        self._locked = locked
        self._recorded = recorded

    @property
    def closed(self) -> bool:
        """Whether a passphrase is set: in the state directory, or in history."""
        return bool(self._seen().made or self._find_fingerprint())

    @property
    def since(self) -> str:
        """The commit after which an unknown hand's edits wait for the owner."""
        kept = self._seen()
        return kept.since if kept.made else self._recorded().commit

    @property
    def recorded(self) -> bool:
        """Whether history records the owner that is kept for this place."""
        kept, name = self._seen(), self._recorded().fingerprint
        return name in map(fingerprint, kept.made) if kept.made else bool(name)

    def expects(self) -> bool:
        """Whether the passphrase is needed, looking everywhere.

        Raises:
            OwnerError: It is, and cannot be checked.
        """
        return bool(self._hash())

    def require(self, answer: bool | str) -> None:  # noqa: FBT001 - what a human said
        """Refuse whatever is not the passphrase."""
        made, said = self._hash(), answer if isinstance(answer, str) else ""
        salt = re.match(r"scrypt \d+ \d+ \d+ ((?:[0-9a-f]{2})+) ", made)
        good = salt and _hashed(said, bytes.fromhex(salt[1]))
        if not good or not hmac.compare_digest(good.encode(), made.encode()):
            what = "that is not the owner's passphrase; nothing was changed"
            hint = "Only the owner of this workspace knows it; it is asked each time."
            raise OwnerError(what, hint=hint)

    def keep(self, passphrase: str, since: str) -> str:
        """Keep the hash of a new passphrase, beside the one that counts.

        It counts once history records the fingerprint that is returned, and at once
        where history records none; then call `settle`.
        """
        made, before = make_hash(passphrase), self._kept()
        name = fingerprint(made)
        self._keyring.write(f"owners/{name}", made.encode())
        self._write((*before.made, made), before.since if before.made else since)
        return name

    def settle(self, name: str) -> None:
        """Keep no other hash than the one with a fingerprint; none for an empty one."""
        kept = self._kept()
        self._write(tuple(m for m in kept.made if fingerprint(m) == name), kept.since)
        for known in map(fingerprint, kept.made):
            if known != name:
                self._keyring.remove(f"owners/{known}")

    def date(self, since: str) -> None:
        """Name the commit again since which it counts: history was written anew."""
        if kept := self._kept().made:
            self._write(kept, since)

    def _write(self, made: tuple[str, ...], since: str) -> None:
        data = "".join((*made, f"since {since}\n")).encode() if made else b""
        self._keyring.write(f"{self._keyring.place}/owner", data)

    def _seen(self) -> OwnerNote:
        """What is kept, where that can be read; who acts finds out why not."""
        with suppress(KeyringError):
            return self._kept()
        return OwnerNote()

    def _kept(self) -> OwnerNote:
        """What is kept for this place: in the user's own home before elsewhere."""
        for keyring in self._keyring.homeward:
            found = keyring.read(f"{keyring.place}/owner")
            if found is not None:
                lines = found.decode("utf-8", "replace").splitlines(keepends=True)
                made = tuple(line for line in lines if line.startswith("scrypt "))
                dated = [line for line in lines if line.startswith("since ")]
                since = dated[-1].removeprefix("since ").strip() if dated else ""
                return OwnerNote(made, since)
        return OwnerNote()

    def _find_fingerprint(self) -> str:
        """Return the fingerprint that history records, also where it was set back."""
        return self._recorded().fingerprint or self._find_lost()

    def _hash(self) -> str:
        """The hash that counts; empty where there is no owner."""
        kept, name = self._kept(), self._find_fingerprint()
        if not name or (kept.made and self._locked()):
            return kept.made[0] if kept.made else ""
        found: Iterable[str] = kept.made
        if not found:
            moved = (ring.read(f"owners/{name}") for ring in self._keyring.homeward)
            found = ((data or b"").decode("utf-8", "replace") for data in moved)
        for made in found:
            if fingerprint(made) == name:
                return made
        what = (
            "an owner passphrase is set for this workspace, and what history records "
            f"of it is not what is kept in {self._keyring.folder}: nobody can prove to "
            "be the owner"
        )
        hint = (
            "Work as the user, and with the HOME and XDG_DATA_HOME, that it was set "
            "with. If that folder was lost, bring it back from a backup; if history "
            "was exchanged (`git log memory/meta/owner.md`), set it back."
        )
        raise OwnerError(what, hint=hint)


def make_hash(passphrase: str) -> str:
    """A new salted hash of a passphrase."""
    if len(passphrase.strip()) < LEAST:
        what = f"a passphrase has at least {LEAST} characters"
        raise OwnerError(what, hint="Several words are easy to type and to remember.")
    return _hashed(passphrase, secrets.token_bytes(16))


def fingerprint(made: str) -> str:
    """What a hash is known by; it tells nothing of the passphrase without the salt."""
    return hashlib.sha256(made.encode()).hexdigest()[:32]


def _hashed(passphrase: str, salt: bytes) -> str:
    # A hash of this kind takes zeros at the end for nothing.
    data = passphrase.encode("utf-8", "surrogatepass").replace(b"\0", b"\xff")
    cost, block, lanes = _COST
    slow = hashlib.scrypt(
        data, salt=salt, n=cost, r=block, p=lanes, maxmem=64 << 20
    ).hex()
    return f"scrypt {cost} {block} {lanes} {salt.hex()} {slow}\n"


class Authority:
    """Who may do what in one open workspace.

    Args:
        human: The channel to its human; None where there is none.

    Attributes:
        owner: What a passphrase is checked with, once the workspace is open.
        describe_lock: Returns why human-only actions are locked, or an empty text.
    """

    def __init__(self, human: Human | None = None) -> None:
        self.human = human
        self.owner: Owner | None = None
        self.describe_lock: Callable[[], str] = str
        self._granted = False

    @property
    def present(self) -> bool:
        """Whether there is a human to ask."""
        return self.human is not None

    @property
    def locked(self) -> bool:
        """Whether its owner has set a passphrase."""
        return self.owner is not None and self.owner.closed

    @property
    def speaks(self) -> bool:
        """Whether what is said here is its human's word, without asking again."""
        if self._granted:
            return True
        return self.present and not self.locked and not self.describe_lock()

    def default(self, otherwise: Actor = MAIN) -> Actor:
        """Who acts where nobody is named: the human who is there, else an agent."""
        return MANUAL if self.speaks else otherwise

    def origin(self, actor: Actor) -> Origin:
        """What an actor's own words count as.

        That its user asked for it any program can say; it counts where they are.
        """
        found = origin_of(actor)
        passed_on = found is Origin.OWNER and not actor.human
        return Origin.AGENT if passed_on and not self.speaks else found

    @contextmanager
    def act(self, act: Act, what: str) -> Iterator[None]:
        """Do what only a human may, once they agreed.

        Args:
            act: Which of the acts.
            what: What would be done, in words to be shown.

        Raises:
            NoHumanError: There is nobody to ask.
            RefusedError: They said no.
        """
        if self._granted:
            yield
            return
        self._ask(act, what)
        self._granted = True
        try:
            yield
        finally:
            self._granted = False

    def _ask(self, act: Act, what: str) -> None:
        if self.human is None:
            raise NoHumanError(act, what)
        confirms = act in {Act.CONFIRM, Act.FORK}
        reason = "" if confirms else self.describe_lock()
        if reason:
            raise WorkspaceLockedError(what, reason)
        owner = self.owner if self._surely_locked() else None
        answer = self.human(Request(act, what, passphrase=owner is not None))
        if owner is not None:
            owner.require(answer)
        elif answer is not True:
            told = f"{what}: nothing was changed, its human did not agree"
            raise RefusedError(told, hint="Ask them what they want instead.")

    @contextmanager
    def signing(self, actor: Actor | None, what: str) -> Iterator[Actor]:
        """Who signs something that an agent may do as well.

        Args:
            actor: Who was named; None for who is there.
            what: What would be done, in words to be shown.
        """
        signed = actor or self.default(MAIN)
        require_caller(signed)
        if not signed.human:
            yield signed
            return
        with self.act(Act.SIGN, what):
            yield signed

    @contextmanager
    def alone(self, act: Act, what: str, actor: Actor | None = None) -> Iterator[Actor]:
        """Who signs what only a human may do.

        Raises:
            OnlyHumansError: Somebody else was named.
        """
        if actor is not None and not actor.human:
            raise OnlyHumansError(actor)
        with self.act(act, what):
            yield MANUAL

    def within(
        self,
        act: Act,
        what: str,
        attempt: Callable[[Actor], T],
        actor: Actor | None = None,
    ) -> T:
        """Do something that an agent may do up to a point, and a human beyond it.

        Args:
            act: What lies beyond.
            what: What would be done, in words to be shown.
            attempt: Does it as somebody; `OnlyHumansError` where that is not theirs,
                before anything is changed.
            actor: Who was named; None for who is there.
        """
        signed = actor or self.default()
        require_caller(signed)
        if not signed.human:
            try:
                return attempt(signed)
            except OnlyHumansError as error:
                if not self.present and type(error) is OnlyHumansError:
                    raise NoHumanError(act, what) from error
                if not self.present or actor is not None:
                    raise
        with self.act(act, what):
            return attempt(MANUAL)

    def require(self, change: ChangeSet, steering: bool) -> None:  # noqa: FBT001 - of the change
        """Refuse a change that stands for a human who was not asked.

        Args:
            change: What would be committed.
            steering: Whether it changes what steers an agent, and no policy lets its
                actor do so.
        """
        if self._granted:
            return
        what = change.edits[0].summary if change.edits else change.trigger
        if change.actor.human:
            raise NoHumanError(Act.SIGN, what)
        if change.actor.session and change.approval is Approval.APPROVED:
            raise NoHumanError(Act.DECIDE, what)
        if steering and not (self.speaks and not self._surely_locked()):
            raise NoHumanError(Act.ACCEPT, what)

    def _surely_locked(self) -> bool:
        return self.owner is not None and self.owner.expects()
