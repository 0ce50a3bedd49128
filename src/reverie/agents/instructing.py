"""What agents are told about memory, in the file that they read at every start."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from reverie.agents.instructions import (
    BrokenMarkersError,
    current,
    main_section,
    marked,
    put_section,
    sub_agent_section,
    take_out,
)
from reverie.authority.authority import Act
from reverie.errors import ConflictError, FormatError, RefusedError, UnavailableError
from reverie.model.change import (
    INIT,
    Action,
    Approval,
    ChangeSet,
    Edit,
    OnlyHumansError,
    checksum,
)
from reverie.model.proposals import Agent
from reverie.workspace import layout
from reverie.workspace.files import DiskError, NotAPlainFileError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.model.change import Actor, Receipt
    from reverie.session.session import House

USUAL = "AGENTS.md"
"""Where most agents look for what they are told."""

KEPT_CURRENT = "instructions kept current"
_AGENT = "bot:main"


class NotForInstructionsError(RefusedError):
    """Instructions were to go into a file that is not meant for them."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"instructions do not go into {path!r}",
            hint=f"Name one of those that agents read at every start: "
            f"{', '.join(layout.BOOT_FILES)}.",
        )


class NotTextError(FormatError):
    """A file cannot be added to, because it is no text."""

    def __init__(self, path: str) -> None:
        super().__init__(
            path,
            1,
            "is not UTF-8 text",
            hint="Save it as UTF-8, then try again. Nothing was changed.",
        )


def instructions(house: House, agent: str = "") -> str:
    """The instructions as they would be written now.

    Args:
        house: The workspace.
        agent: The sub-agent that they are for; the main agent without one.
    """
    if agent:
        return sub_agent_section(Agent(agent), house.config)
    return main_section(house.config)


def instructed(house: House, path: str = USUAL) -> bool:
    """Whether a file has the instructions as they would be written now."""
    _require_fitting(path)
    house.look()
    return current(_text(house.ledger.read(path), path), instructions(house))


def instruct(
    house: House,
    path: str = USUAL,
    actor: Actor | None = None,
    *,
    remove: bool = False,
) -> Receipt | None:
    """Put the instructions for the main agent into a file, or take them out.

    All that is outside their markers stays as it is. A file that has nothing else in
    it goes with them.

    Args:
        house: The workspace.
        path: One of the files that agents read at every start.
        actor: Who acts: a human or the main agent; for critical files a human, but
            for `AGENTS.md` and its like, where our own section is nobody else's. None
            for who is there.
        remove: Whether to take them out.

    Returns:
        Proof of it; None if there was nothing to do.

    Raises:
        BrokenMarkersError: Its markers do not enclose one section.
    """
    _require_fitting(path)

    def attempt(who: Actor) -> Receipt | None:
        if not who.human and (who.tag != _AGENT or _guarded(house, path)):
            raise OnlyHumansError(who)
        return house.persist("instructions", lambda: written(who))

    def written(who: Actor) -> Receipt | None:
        house.look()
        edit = _edit(house, path, remove=remove)
        if edit is None:
            return None
        approval = Approval.NONE if who.human else Approval.AUTO
        own = frozenset({edit.path} & {*layout.FOR_INSTRUCTIONS})
        change = ChangeSet((edit,), who, approval, "reverie instruct", own=own)
        return house.commit(change, allowed=True)

    what = f"{'take out' if remove else 'write'} the instructions in {path}"
    return house.authority.within(Act.SIGN, what, attempt, actor)


def refresh(house: House) -> Receipt | None:
    """Bring instructions that stand somewhere already up to the configuration.

    Only between markers that a person or an agent has put there, of critical files
    only in `AGENTS.md` and its like, and never at a price: what cannot be written now
    stays as it is.
    """
    if not any(_outdated(house)):
        return None

    def attempt() -> Receipt | None:
        house.look()
        edits = tuple(_outdated(house))
        if not edits:
            return None
        own = frozenset(edit.path for edit in edits)
        change = ChangeSet(edits, INIT, Approval.AUTO, KEPT_CURRENT, own=own)
        return house.commit(change)

    with suppress(UnavailableError, ConflictError):
        return house.persist("instructions", attempt)
    return None


def _outdated(house: House) -> Iterator[Edit]:
    for path in layout.BOOT_FILES:
        if _guarded(house, path):
            continue
        # A slip in a person's file is told to who writes to it, not to everybody.
        with suppress(BrokenMarkersError, NotTextError, NotAPlainFileError, DiskError):
            text = _text(house.ledger.read(path), path)
            edit = _edit(house, path) if marked(text, path) else None
            if edit is not None:
                yield edit


def _guarded(house: House, path: str) -> bool:
    """Whether not even our own section of a file is changed without its human.

    `AGENTS.md` and its like are critical too, but for that section: they are made
    for it.
    """
    made_for_it = path in layout.FOR_INSTRUCTIONS
    return house.ledger.rules.critical(path) and not made_for_it


def _edit(house: House, path: str, *, remove: bool = False) -> Edit | None:
    """What is to be done to a file; None if it is as it should be."""
    old = house.ledger.read(path)
    text = _text(old, path)
    new = (
        take_out(text, path) if remove else put_section(text, instructions(house), path)
    )
    if new == text:
        return None
    if remove and not new.strip("\ufeff\r\n"):
        why = "instructions taken out, nothing else was in it"
        return Edit(path, None, checksum(old), Action.DELETE, why)
    why = "instructions taken out" if remove else "instructions for the main agent"
    action = Action.CREATE if old is None else Action.EDIT
    data = new.encode("utf-8", "surrogateescape")
    return Edit(path, data, checksum(old), action, why)


def _require_fitting(path: str) -> None:
    if path not in layout.BOOT_FILES:
        # Only these are kept current.
        raise NotForInstructionsError(path)


def _text(data: bytes | None, path: str) -> str:
    """A file's text; bytes that are no UTF-8 come back as they were."""
    if data and b"\0" in data:
        raise NotTextError(path)
    return (data or b"").decode("utf-8", "surrogateescape")
