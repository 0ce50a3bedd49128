"""Where reflection stands, as a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.interfaces.cli.moments import local
from reverie.interfaces.cli.page import BLANK, Span, Style, counted, row
from reverie.interfaces.cli.proposal import read_proposal, styled, told_proposal, waits

if TYPE_CHECKING:
    from reverie.interfaces.cli.page import Page
    from reverie.model.reflection import PendingReflection
    from reverie.reflection.reflection import Standing

HOST = (
    "The host agent thinks: `reverie reflect next` prints what is asked, "
    "`reverie reflect answer -` takes the answer."
)
LOOKED = (
    "`reverie reflect approve` notes that this was looked at; the next reflection "
    "begins after it."
)


def told_in_full(standing: Standing) -> Page:
    """Where it stands, for a person to read; a proposal with all of its changes."""
    pending = _pending(standing)
    if pending is None:
        return told_standing(standing)
    return [*told_proposal(pending, standing.says), BLANK, *_next(standing, pending)]


def told_understood(understood: str) -> Page:
    """What an answer was understood as."""
    if not understood:
        return []
    return [row(Span("Understood: ", Style.FAINT), f"{understood}.")]


def told_standing(standing: Standing) -> Page:
    """Where it stands, in a few lines."""
    pending = _pending(standing)
    number = f" #{standing.number}" if standing.number else ""
    page: Page = told_understood(standing.understood)
    page.append(row(Span(f"Reflection{number}: {standing.state}", Style.TITLE)))
    says = waits(pending) if pending else standing.says
    page += [BLANK] if "\n" in says else []
    page += styled(says) if says else []
    if standing.until:
        page.append(row(f"until {local(standing.until)}"))
    return [*page, BLANK, *_next(standing, pending)]


def _pending(standing: Standing) -> PendingReflection | None:
    return read_proposal(standing.says) if standing.state == "pending" else None


def _next(standing: Standing, pending: PendingReflection | None) -> Page:
    """What can be done now."""
    page: Page = []
    if standing.state in {"idle", "deferred", "recorded"}:
        since = f" since {local(standing.last)}" if standing.last else ""
        waiting = counted(standing.waiting, "new episode")
        page.append(row(Span(f"{waiting}{since}.", Style.FAINT)))
    hint = LOOKED if pending and not pending.operations else standing.hint
    page.append(row(Span(HOST if standing.question else hint, Style.FAINT)))
    if standing.remind:
        words = "This has waited for more than a day."
        page.append(row(Span(words, Style.WARN)))
    return page
