"""FINISH: close a plan or task that is done, with the day it was done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie import markdown as md
from reverie.encoding.placement import finish_episode
from reverie.model.ids import ItemId, Kind
from reverie.reflection import entity_edits as pages
from reverie.reflection.operations import DONE_ON, entity_in
from reverie.stores import entities
from reverie.stores.ended_links import end_links

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date

    from reverie.encoding.placement import Desk
    from reverie.model.reflection import Operation


def plan_finish(
    operation: Operation,
    desk: Desk,
    find: Callable[[str], object],
    scope: Callable[[str], str],
) -> pages.Effect:
    """Plan to close a fact, an open question or an episode as done.

    Args:
        operation: Its target is an entity page or the ID of an episode. Its content is
            the fact's ID or words, or the question, with the day behind it:
            `Book the hotel? (on: 2026-05-20)`. Of an episode it is any words.
        desk: The files.
        find: Finds a memory by its ID.
        scope: Returns the person a memory is visible to; empty for everybody.
    """
    words, day = split_day(operation.content, desk.now.date())
    if operation.target.startswith(f"{Kind.EPISODE}:"):
        if not find(operation.target):
            raise pages.CannotBeDoneError(f"there is no memory {operation.target}")
        if scope(operation.target):
            raise pages.CannotBeDoneError(f"{operation.target} is for one person alone")
        edit = finish_episode(operation.target, day, desk.pages)
        return pages.Effect((edit,), (operation.target,))
    name = entity_in(operation.target)
    before, old = pages.known_page(name, desk)
    if before.entity.pinned:
        raise pages.CannotBeDoneError(f"{before.path} is pinned, so nothing on it ends")
    if fact := pages.find_current_fact(before.entity, words):
        ends = max(day, fact.since) if fact.since else day
        ended = entities.end_fact(before, entities.reference(fact.text), until=ends)
        page, more = end_links(before, ended, desk.pages)
        said = fact.text
    else:
        page, said = _finish_question(before, words, day)
        more = ()
    new = pages.save_page(page.page, old, desk, loose=False)
    why = f"done on {day}: {md.headline(said)}"
    edits = (*pages.edit_of(before.path, new, desk, why), *more)
    return pages.Effect(edits, (str(ItemId(Kind.ENTITY, name)),))


def split_day(content: str, today: date) -> tuple[str, date]:
    """Return what a content names, and the day it was done: today if it says none."""
    text = md.one_line(content)
    found = DONE_ON.search(text)
    day = md.parse_date(found[1]) if found else None
    if found is None or day is None:
        return text, today
    return text[: found.start()], min(day, today)


def _finish_question(
    page: entities.EntityPage, words: str, day: date
) -> tuple[entities.EntityPage, str]:
    """Return a page whose open question became an event of its timeline."""
    for piece in page.page.items(entities.QUESTIONS):
        asked = md.visible(piece.text)
        if pages.question_key(asked) != pages.question_key(words):
            continue
        if entities.asked_same(asked) or entities.asked_about(asked):
            raise pages.CannotBeDoneError(
                "a question about two pages or facts is answered in `merges`, "
                "`distinct` or `settles`"
            )
        text = md.with_lines(page.page, piece.line, piece.raw, "")
        event = entities.render_dated(day, f"Done: {md.one_line(asked)}")
        return entities.read_page(md.with_item(text, entities.TIMELINE, event)), asked
    raise pages.CannotBeDoneError(
        f"{page.path} has no current fact and no open question {words!r}"
    )
