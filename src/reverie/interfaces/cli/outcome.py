"""What became of something that was to be remembered, as a page."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from reverie.interfaces.cli.page import Span, Style, row
from reverie.markdown import headline

if TYPE_CHECKING:
    from reverie.interfaces.cli.page import Page
    from reverie.model.change import Near, Remembered


def told_remembered(receipt: Remembered) -> Page:
    """What became of something, for a person to read."""
    first, moved = next(iter(receipt.ids), ""), False
    if not receipt.lines:
        return [row("Known already, nothing to add: ", Span(first, Style.ID))]
    page: Page = [
        row(
            Span("Remembered ", Style.GOOD),
            Span(first, Style.ID),
            Span(f"  {receipt.commit[:10]}", Style.FAINT),
        )
    ]
    for before, id_ in pairwise(receipt.ids):
        # What had to make room is told right after what took it.
        moved = before.startswith("core:") or moved
        words = "Moved out of core memory: " if moved else "and "
        page.append(row(Span(words, Style.WARN if moved else Style.PLAIN), _id(id_)))
    return [
        *page,
        *_told_route(receipt),
        *_told_cautions(receipt),
        *_told_near(receipt),
    ]


def _id(id_: str) -> Span:
    return Span(id_, Style.ID)


def _told_route(receipt: Remembered) -> Page:
    route = receipt.route
    if route is None:
        return []
    named = ", ".join(mention.name for mention in route.entities)
    parts = [
        f"filed as {route.store}",
        f"about {named}" if named else "",
        f"confidence {route.confidence}",
    ]
    return [row(Span(" · ".join(filter(None, parts)), Style.FAINT), indent=2)]


def _told_near(receipt: Remembered) -> Page:
    """What is known and close to it, and how to correct that."""
    if not receipt.near:
        return []
    first = next(iter(receipt.ids), "")
    pages = [f"entity:{near.page}" for near in receipt.near if near.page]
    # A caller who chose the page repeats it; a fact of another is not replaced there.
    fits = first in pages or (receipt.route and pages and first.startswith("entity:"))
    hint = (
        "Replaced by it? Repeat with --supersedes ID. Wrong? `reverie forget ID`."
        if fits
        else "Is one wrong? `reverie forget ID`."
    )
    return [
        row(Span("Near to it is known:", Style.FAINT)),
        *(row(*_near(near), indent=2) for near in receipt.near),
        row(Span(hint, Style.FAINT), indent=2),
    ]


def _near(near: Near) -> tuple[Span, ...]:
    return (
        Span(near.id, Style.ID),
        Span(f"  {headline(near.text, 100)}"),
        Span(f"  {near.path.rpartition('/')[2]}:{near.line}", Style.FAINT),
    )


def _told_cautions(receipt: Remembered) -> Page:
    page: Page = []
    for kind in receipt.redacted:
        page.append(row(Span("Redacted: ", Style.WARN), kind))
    for old in receipt.superseded:
        page.append(row(Span("No longer holds: ", Style.WARN), *_near(old)))
    for other in receipt.contradicts:
        page.append(row(Span("It contradicts ", Style.WARN), *_near(other)))
    if receipt.contradicts:
        hint = "Both are kept, and the page asks which holds."
        page.append(row(Span(hint, Style.FAINT), indent=2))
    for doubt in receipt.doubts:
        page.append(
            row(Span("Perhaps the same as ", Style.WARN), Span(doubt, Style.ID))
        )
    if receipt.unrouted:
        page += [
            row(Span("Kept as it is: ", Style.WARN), receipt.unrouted),
            row(
                Span("It is filed as soon as the mind answers.", Style.FAINT), indent=2
            ),
        ]
    if receipt.why_it_waits:
        page.append(row(Span("Kept as data: ", Style.WARN), receipt.why_it_waits))
    if receipt.waits:
        hint = f"`reverie accept {receipt.waits}` if you want it."
        page.append(row(Span(hint, Style.FAINT), indent=2))
    return page
