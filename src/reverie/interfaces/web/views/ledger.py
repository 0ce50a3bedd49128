"""Ledger: every change, what it did, and going back."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from reverie.errors import NotFoundError, RefusedError, ReverieError
from reverie.interfaces.web.page import Act, View, own_address
from reverie.interfaces.web.rendering import who
from reverie.model.change import HUMAN_EDIT, MANUAL

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from reverie import LogEntry, Memory
    from reverie.interfaces.web.page import Given
    from reverie.model.views import Undoing

SIZE = 30
"""Changes on a page."""

FARTHEST = 3_000
"""Pages beyond are not counted out; a filter gets there sooner."""

MOST_LINES = 2_000
"""Lines of a diff that are shown."""

KINDS = (
    ("manual", "You, by hand"),
    ("bot", "The agent"),
    ("reflection", "Reflections"),
    ("subagent", "Sub-agents"),
    ("skill", "Skills"),
    ("system", "Reverie itself"),
    ("unverified", "Unverified"),
)
"""Who acts, by the first word of their tag."""

APPROVED = {"auto": "automatic", "approved": "approved by you", "pending": "waits"}
TARGETS = ("commit", "path", "session", "at")
"""What says where to go back to: a change, a file, a reflection, a moment."""


def look(memory: Memory, given: Given) -> Mapping[str, Any]:
    """A page of changes, newest first, of everybody or one, to all files or one."""
    actor, path = (given.get(name, "").strip() for name in ("actor", "path"))
    page = _page(given.get("page", ""))
    first = (page - 1) * SIZE
    found = memory.history(actor=actor, path=path, limit=first + SIZE + 1)[first:]
    kinds = KINDS if actor in {"", *dict(KINDS)} else (*KINDS, (actor, who(actor)))
    doubted = _doubted(memory)
    return {
        "days": _by_day(found[:SIZE], doubted),
        "kinds": kinds,
        "actor": actor,
        "path": path,
        "page": page,
        "moments": _moments(),
        "newer": _address(actor, path, page - 1) if page > 1 else "",
        "older": _address(actor, path, page + 1) if len(found) > SIZE else "",
        "empty": not (found or actor or path or page > 1),
    }


def _moments() -> list[tuple[str, str]]:
    """Moments one may want to go back to, by name."""
    now = datetime.now(UTC).replace(microsecond=0)
    ago = (("An hour ago", 1), ("Yesterday at this time", 24), ("A week ago", 7 * 24))
    return [(name, (now - timedelta(hours=n)).isoformat()) for name, n in ago]


def _page(said: str) -> int:
    """The number of a page; what is none is the first."""
    number = int(said) if said.isdecimal() and said.isascii() and len(said) < 9 else 1
    return min(max(1, number), FARTHEST)


def _address(actor: str, path: str, page: int) -> str:
    named = {"actor": actor, "path": path, "page": page if page > 1 else ""}
    query = urlencode({name: value for name, value in named.items() if value})
    return f"/ledger?{query}" if query else "/ledger"


def _doubted(memory: Memory) -> set[str]:
    """Changes that an unknown hand made and that nobody has confirmed."""
    found = set[str]()
    for alert in memory.unconfirmed():
        for each in () if alert.since is None else memory.history(path=alert.path):
            if each.commit == alert.since:
                break
            found |= {each.commit} if each.trigger == HUMAN_EDIT else set()
    return found


def _by_day(
    entries: list[LogEntry], doubted: set[str]
) -> list[tuple[datetime, list[Mapping[str, Any]]]]:
    """Changes under the day on which they were made, in local time."""
    local = ((each.at.astimezone(), each) for each in entries)
    return [
        (day, [_told(entry, doubted) for _, entry in group])
        for day, group in groupby(local, lambda pair: pair[0].date())
    ]


def _told(entry: LogEntry, doubted: set[str]) -> Mapping[str, Any]:
    """A change, with who made it and how it was approved, in words."""
    trigger = "" if entry.trigger in {"remember", "—"} else entry.trigger
    unknown = entry.commit in doubted
    return {
        "entry": entry,
        "time": f"{entry.at.astimezone():%H:%M}",
        "who": "an unknown hand" if unknown else who(str(entry.actor)),
        "approved": "not confirmed" if unknown else approved(entry),
        "unsure": unknown or not entry.verified,
        "why": trigger,
        "session": entry.signed.session,
    }


def approved(entry: LogEntry) -> str:
    """Who said yes to a change, in words."""
    if not entry.verified:
        return "made elsewhere"
    if entry.actor.human:
        return "your own"
    return APPROVED.get(entry.approval, "nothing to approve")


def change(memory: Memory, given: Given) -> Mapping[str, Any]:
    """One change with what it did to the files."""
    commit = given.get("commit", "")
    found = memory.history(commit=commit) if commit else []
    if not found:
        what = f"there is no change {commit!r}"
        raise NotFoundError(what, hint="The ledger lists all there are.")
    entry = found[0]
    paths = dict.fromkeys(line.path for line in entry.lines)
    return {
        **_told(entry, _doubted(memory)),
        **_cut(memory.diff(entry.commit)),
        "files": [path for path in paths if not path.endswith("/*")],
    }


def _cut(diff: str) -> Mapping[str, Any]:
    """As much of a diff as anybody reads."""
    lines = diff.rstrip("\n").split("\n")
    shown = "\n".join(islice(lines, MOST_LINES))
    return {"diff": shown, "more": max(0, len(lines) - MOST_LINES)}


# --- going back --------------------------------------------------------------------


def preview(memory: Memory, given: Given) -> Mapping[str, Any]:
    """What going back would change, before it is done."""
    target = {name: given.get(name, "").strip() for name in TARGETS}
    named = {name: value for name, value in target.items() if value}
    told = _would(memory, named)
    return {
        **_cut(told.diff),
        "undoing": told,
        "target": target,
        "again": f"/ledger/undo?{urlencode(named)}",
        "came": own_address(given.get("came", "")),
        "leave": own_address(given.get("came", ""), _leave(target)),
        "moment": _moment(target["at"]) if target["at"] else None,
    }


def _leave(target: Given) -> str:
    """Where one goes who does not go back after all."""
    return f"/ledger/{target['commit']}" if target["commit"] else "/ledger"


def _would(memory: Memory, target: Given) -> Undoing:
    if not target:
        what = "nothing is named that could be taken back"
        raise RefusedError(what, hint="Open a change in the ledger.")
    if "at" in target:
        return memory.find_restore(_moment(target["at"]))
    return memory.find_undo(
        target.get("commit", ""),
        path=target.get("path", ""),
        session=target.get("session", ""),
    )


def _moment(said: str) -> datetime:
    """A moment as a form says it; without a zone it is one of this machine's."""
    try:
        # The zone of a moment near the first or last year may not be one.
        return datetime.fromisoformat(said.strip()).astimezone()
    except (ValueError, OverflowError):
        what = f"{said!r} is no moment"
        raise RefusedError(what, hint="Say it as 2026-11-17T14:05.") from None


def undo(memory: Memory, form: Given) -> str:
    """Go back as it was shown; refused where that would be something else by now."""
    shown = form.get("shown", "")
    if not shown:
        what = "nobody was shown what this would do"
        raise RefusedError(what, hint="Look at it first.")
    waited = memory.reflection.status().state == "pending"
    alerted = {each.path for each in memory.alerts()}
    if form.get("at"):
        done = memory.restore(_moment(form["at"]), shown=shown, actor=MANUAL)
    else:
        done = memory.undo(
            form.get("commit", ""),
            path=form.get("path", ""),
            session=form.get("session", ""),
            shown=shown,
            actor=MANUAL,
        )
    _acknowledge_own(memory, done.commit, alerted)
    told = f"Went back. That is a change itself, {done.commit[:10]}."
    waits = not waited and memory.reflection.status().state == "pending"
    return f"{told} The reflection waits in the inbox again." if waits else told


def _acknowledge_own(memory: Memory, commit: str, alerted: Collection[str]) -> None:
    """Acknowledge the alerts of a commit that the user was shown and confirmed here.

    Args:
        memory: The workspace.
        commit: The commit.
        alerted: The files that had alerts before it; theirs stay.
    """
    found = [each for each in memory.alerts() if each.path not in alerted]
    for path in {each.path for each in found if each.commit == commit}:
        # The undo is done, even if no alert can be acknowledged.
        with suppress(ReverieError):
            shown = [each for each in found if each.path == path]
            memory.acknowledge(path, shown=shown, actor=MANUAL)


VIEWS = (
    View("/ledger", "ledger.html", look),
    View("/ledger/undo", "ledger_undo.html", preview),
    View("/ledger/{commit}", "ledger_change.html", change),
)
ACTS = (Act("/ledger/undo", undo),)
