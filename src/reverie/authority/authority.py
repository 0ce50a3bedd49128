"""Who may do what in an open workspace: asked before anything is planned.

    with authority.act(Act.ERASE, "erase vault:passport, from history too"):
        ...

An act of the list needs a human's channel, whatever name it would be signed with, and
the owner's passphrase where one is set. Acts inside of an act ask nothing again.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeVar

from reverie.errors import RefusedError
from reverie.model.change import MAIN, MANUAL, Approval, OnlyHumansError
from reverie.model.origin import Origin, origin_of

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    GO_BACK = "go back on a human's decision or on a critical file"
    RAISE = "raise a budget"
    KEEP_SECRET = "keep a secret"  # noqa: S105 - the name of an act
    TRUST = "trust an agent"
    OWNER = "change the owner passphrase"


@dataclass(frozen=True, slots=True)
class Request:
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

INSTEAD = {
    Act.SIGN: "Sign as the agent that you are: leave --actor out, or say bot:main.",
    Act.DECIDE: "Show it to your human: `reverie reflect show`. They decide in a "
    "terminal: `reverie reflect`.",
    Act.ACCEPT: "Let it wait in `reverie pending`; your human says "
    "`reverie pending accept` in "
    "a terminal.",
    Act.UNPIN: "Tell your human why it should fade: "
    "`reverie pin ID --remove` in a terminal.",
    Act.ERASE: "`reverie forget` archives it, which can be undone; your human says "
    "`reverie erase` in a terminal.",
    Act.PURGE: "`reverie purge --dry-run` shows what would go; your human says it in a "
    "terminal.",
    Act.ACKNOWLEDGE: "Show your human `reverie alerts`; they say "
    "`reverie alerts --ack` in a terminal.",
    Act.GO_BACK: "Show your human the change: `reverie show CHANGE`. They say "
    "`reverie undo` in a terminal.",
    Act.RAISE: "Go on with what is given, or ask your human for more: they say so in a "
    "terminal.",
    Act.KEEP_SECRET: "Leave it out (--secrets redact), and name the place where it is "
    "kept; your human may keep it from a terminal.",
    Act.TRUST: "Propose, and let your human decide; whom they trust they say in a "
    "terminal.",
    Act.OWNER: "Your human says `reverie owner set`, `change` or `remove` in a "
    "terminal.",
}
"""What an agent does instead of each act."""


class NoHumanError(OnlyHumansError):
    """Something that only a human may do, and no channel to one.

    A program that has one opens the workspace with it: `Memory.open(path, human=…)`.
    """

    def __init__(self, act: Act, what: str) -> None:
        RefusedError.__init__(
            self,
            f"{what}: only a human may {act}, and none is here to ask",
            hint=INSTEAD[act],
        )
        self.act = act


class NotAgreedError(RefusedError):
    """A human was asked, and did not say yes."""

    def __init__(self, act: Act, what: str) -> None:
        super().__init__(
            f"{what}: nothing was changed, its human did not agree",
            hint="Ask them what they want instead.",
        )
        self.act = act


class NotACallerError(RefusedError):
    """A change was to be signed with a name that is Reverie's own."""

    def __init__(self, actor: Actor) -> None:
        super().__init__(
            f"{actor} is Reverie itself, nobody else may sign so",
            hint="Use manual, bot:…, skill:… or subagent:….",
        )


def require_caller(actor: Actor) -> None:
    """Refuse a caller who signs as Reverie itself."""
    if actor.tag.startswith(("system:", "reflection:")):
        raise NotACallerError(actor)


class Lock(Protocol):
    """What asks for a passphrase where its owner has set one."""

    @property
    def closed(self) -> bool:
        """Whether a passphrase is set, as far as a quick look tells."""

    def expects(self) -> bool:
        """Whether every act needs the passphrase, looking everywhere."""

    def require(self, answer: bool | str) -> None:  # noqa: FBT001 - what a human said
        """Refuse an answer that is not the passphrase."""


class Authority:
    """Who may do what in one open workspace.

    Args:
        human: The channel to its human; None where there is none.
        owner: What a passphrase is checked with; None where none can be set. It may
            be given later, when the workspace is open.
    """

    def __init__(self, human: Human | None = None, owner: Lock | None = None) -> None:
        self.human = human
        self.owner = owner
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
        return self._granted or (self.present and not self.locked)

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
            NotAgreedError: They said no.
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
        owner = self.owner if self._surely_locked() else None
        answer = self.human(Request(act, what, passphrase=owner is not None))
        if owner is not None:
            owner.require(answer)
        elif answer is not True:
            raise NotAgreedError(act, what)

    @contextmanager
    def signing(
        self, actor: Actor | None, what: str, *, otherwise: Actor = MAIN
    ) -> Iterator[Actor]:
        """Who signs something that an agent may do as well.

        Args:
            actor: Who was named; None for who is there.
            what: What would be done, in words to be shown.
            otherwise: The agent who acts where no human does.
        """
        signed = actor or self.default(otherwise)
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
