"""Where reflection stands, as a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.interfaces.cli.moments import local
from reverie.interfaces.cli.page import BLANK, Span, Style, counted, paragraph, row

if TYPE_CHECKING:
    from reverie.interfaces.cli.page import Page
    from reverie.memory.standing import Standing


def told_standing(standing: Standing) -> Page:
    """Where it stands, for a person to read."""
    number = f" #{standing.number}" if standing.number else ""
    page: Page = [row(Span(f"Reflection{number}: {standing.state}", Style.TITLE))]
    if standing.says:
        page += [BLANK, *paragraph(standing.says)]
    if standing.until:
        page.append(row(f"until {local(standing.until)}"))
    page += [BLANK, row(Span(standing.hint, Style.FAINT))]
    if standing.state in {"idle", "deferred", "recorded"}:
        waiting = counted(standing.waiting, "new episode")
        page.append(row(Span(f"{waiting} since the last one.", Style.FAINT)))
    if standing.remind:
        words = "This has waited for more than a day."
        page.append(row(Span(words, Style.WARN)))
    return page
