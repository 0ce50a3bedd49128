"""Its human acknowledges alerts: in history, and for what acts only from then on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.errors import ConflictError, UnavailableError
from reverie.ledger.alerts import HISTORY, MOVED
from reverie.ledger.audit_log import ACCEPTED, ACKNOWLEDGED
from reverie.model.change import Action, Approval, ChangeSet, LogLine
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.model.change import Actor
    from reverie.model.views import Alert
    from reverie.session.session import House


class UnsealedError(UnavailableError):
    """Something was to be acknowledged where nothing can be sealed."""

    def __init__(self) -> None:
        super().__init__(
            "nothing can be acknowledged, because changes cannot be sealed here",
            hint="`reverie health` says why the key cannot be used.",
        )


class ChangedSinceShownError(ConflictError):
    """Something was changed while its human looked at what had been."""

    def __init__(self) -> None:
        super().__init__(
            "something was changed while you looked; nothing was acknowledged",
            hint="Look again: `reverie alerts`.",
        )


ACK = "reverie alerts --ack"


def _seen(alert: Alert) -> LogLine:
    """What history says of an alert that the human has seen."""
    said = f"{ACCEPTED}{alert.commit}" if alert.path == HISTORY else ACKNOWLEDGED
    if alert.kind == MOVED:
        said = f"accepted that history does not lead up to {alert.commit}"
    return LogLine(Action.ALERT, alert.path, said)


def acknowledge(
    house: House, waiting: Sequence[Alert], head: str, actor: Actor, *, everything: bool
) -> None:
    """Note in history that its human has seen some alerts.

    Args:
        house: The workspace's parts.
        waiting: What they were shown.
        head: The newest change when it was shown.
        actor: Who acts.
        everything: Whether nothing else waits.
    """
    with house.ledger.exclusively("acknowledging"):
        if house.ledger.head != head:
            raise ChangedSinceShownError
        if not house.seal:
            raise UnsealedError
        # The last of a file stands for all of them; on history there are two, on
        # what is in it and on what is not.
        newest = {alert.path: alert for alert in waiting if alert.kind != MOVED}
        moved = [alert for alert in waiting if alert.kind == MOVED]
        seen = tuple(map(_seen, (*newest.values(), *moved)))
        doubted = house.doubts()
        house.commit(ChangeSet((), actor, Approval.NONE, ACK, seen))
        if moved:
            house.ledger.accept_moved()
        if moved or HISTORY in newest:
            # It may say of what was not believed that it is now.
            house.ledger.tell_again()
        if layout.CONFIG in newest:
            house.acknowledge_config()
        if house.confirming and everything:
            house.confirming.follow(house.ledger.head)
        if doubted != house.doubts():
            # What was kept in spite of the files goes by them now.
            house.rebuild_index()
