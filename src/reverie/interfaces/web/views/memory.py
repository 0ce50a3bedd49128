"""Memory: one of them, where it comes from, and what can be done to it."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date
from typing import TYPE_CHECKING, Any

from reverie.errors import ConflictError, NotFoundError, RefusedError, ReverieError
from reverie.interfaces.web.page import Act, View
from reverie.interfaces.web.views.inbox import to_settle
from reverie.model.change import MANUAL
from reverie.model.conversation import DELETED
from reverie.model.ids import Store
from reverie.model.reflection import digest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reverie import LogEntry, Memory, Turn
    from reverie.interfaces.web.page import Given
    from reverie.model.views import (
        Contradiction,
        EntityView,
        Forgetting,
        Merging,
        Shown,
    )

EARLIEST = 1800
"""Years before that are a slip of the hand."""

SECTIONS = {
    Store.CORE: "/core",
    Store.EPISODIC: "/timeline",
    Store.SEMANTIC: "/graph",
    Store.TURNS: "/conversations",
}
"""The view that a memory of each store belongs to."""

_WORD = re.compile(r"\w+")

_TURN = re.compile(r"turn:(.+)/(\d{1,9})/(\w+)/\d+")

CHANGES = 20
"""Changes of its file that are told."""

WHOLE = frozenset({Store.CORE, Store.EPISODIC, Store.VAULT})
"""Where new words take the place of all that a memory says."""


def look(memory: Memory, given: Given) -> Mapping[str, Any]:
    """A memory, and what one asks before something is done to it."""
    named = _named(memory, given.get("id", ""))
    fact = named.id if "#" in named.id and named.store is Store.SEMANTIC else ""
    shown = memory.show(named.id.partition("#")[0]) if fact else named
    told: dict[str, Any] = {"problem": "", "forgetting": None, "merging": None}
    try:
        told["forgetting"] = _forgetting(memory, shown, given.get("forget", ""))
        told["merging"] = _merging(memory, shown, given.get("merge", ""))
    except ReverieError as error:
        told["problem"] = f"{error}. {error.advice}"
    view, changes = _view(memory, shown), _changes(memory, shown.path)
    told_by = [entry for entry, _ in changes]
    return {
        "shown": shown,
        "section": SECTIONS.get(shown.store, ""),
        "noted": memory.entities.brought(view, shown.path, told_by) if view else {},
        "seal": digest(shown.text),
        "fact": fact,
        "view": view,
        "came_with": {f.id: came_with(view, f.id) for f in view.facts} if view else {},
        "asked": _asked(memory, shown),
        "whole": shown.store in WHOLE,
        "fades": shown.store is not Store.TURNS,
        "turn": _turn(memory, shown),
        "changes": changes,
        **told,
    }


def _named(memory: Memory, id_: str) -> Shown:
    """A memory; of words that were deleted from a conversation, that they were."""
    try:
        return memory.show(id_)
    except NotFoundError:
        said = _TURN.fullmatch(id_)
        if not said:
            raise
        window, number, role = said.groups()
        turns = memory.turns(window, number=int(number), deleted=True)
        if not any(turn.role == role and turn.field(DELETED) for turn in turns):
            raise
    what = f"turn {number} of {window} was deleted"
    hint = "What was learned from it stays until you correct or forget it. "
    hint += "Its conversation and the ledger show what it said."
    raise NotFoundError(what, hint=hint)


def _changes(memory: Memory, path: str) -> list[tuple[LogEntry, str]]:
    """The newest changes of a file, each with what it did there."""
    found = memory.history(path=path, limit=CHANGES)
    says = ("; ".join(o.summary for o in e.lines if o.path == path) for e in found)
    return [(e, said or e.trigger) for e, said in zip(found, says, strict=True)]


def _view(memory: Memory, shown: Shown) -> EntityView | None:
    if not shown.id.startswith("entity:"):
        return None
    return memory.entities.page(shown.id)


def _turn(memory: Memory, shown: Shown) -> Turn | None:
    """The turn of a conversation that a memory is a part of."""
    if shown.store is not Store.TURNS:
        return None
    window, number, role, _ = shown.id.partition(":")[2].split("/")
    said = memory.turns(window, number=int(number), deleted=True)
    return next((turn for turn in said if turn.role == role), None)


def _asked(
    memory: Memory, shown: Shown
) -> list[tuple[Contradiction, str, Mapping[str, str]]]:
    """What the page asks, each with what its form was made from."""
    found = memory.contradictions() if shown.id.startswith("entity:") else ()
    return [to_settle(memory, each) for each in found if each.page == shown.id]


def _forgetting(memory: Memory, shown: Shown, what: str) -> Forgetting | None:
    """What forgetting this memory, or one fact of it, would take."""
    if not what:
        return None
    if what.partition("#")[0] != shown.id.partition("#")[0]:
        raise RefusedError(f"{what} is not on this page", hint="Open its own page.")
    return memory.find_to_forget(what)


def _merging(memory: Memory, shown: Shown, into: str) -> Mapping[str, Any] | None:
    """What merging this page into another would do."""
    if not into.strip():
        return None
    found = memory.find_merge(shown.id, into)
    return {"found": found, "seal": _seal(memory, found)}


def _seal(memory: Memory, found: Merging) -> str:
    """What a merge was shown as, and all that both pages say."""
    return digest(
        repr((found, *(memory.show(i).text for i in (found.one, found.into))))
    )


# --- what can be done --------------------------------------------------------------


def correct(memory: Memory, form: Given) -> str:
    """Put other words in the place of a fact, a step, or all that a memory says."""
    what, new = form.get("id", ""), _plain(form.get("text", ""))
    if not new:
        hint = "To take it away altogether, forget it."
        raise RefusedError("there are no new words", hint=hint)
    if new == _plain(form.get("was", "")):
        raise RefusedError("it reads so already", hint="Change its words first.")
    # A fact is named by a digest of its words.
    if "#" not in what:
        _require_same(memory, what, form.get("seal", ""))
    elif what not in {each.id for each in _page(memory, what).facts}:
        raise ConflictError("that holds no longer", hint="What holds now is shown.")
    if step := form.get("step", "").strip():
        what = f"{what}#{step}"
    day = _day(form.get("on", ""))
    linked, asked = _linked(memory, what), _in_question(memory, what)
    links = _kept_links(memory, what, new) if form.get("keep") else []
    done = memory.correct(what, new, on=day, links=links, actor=MANUAL)
    if done.choices:
        hint = "Open the page of the one that is meant."
        raise RefusedError(f"{what} does not say which is meant", hint=hint)
    told = "Corrected: the new words hold, and the old ones are kept as past."
    if gone := [name for name in linked if name not in _linked(memory, what)]:
        told += f" With them its link to {' and '.join(gone)} ended."
    if asked and not _in_question(memory, what):
        told += (
            " Nobody is asked any more which of them and what contradicted them holds."
        )
    return told


def _in_question(memory: Memory, fact: str) -> bool:
    """Whether a fact is one of those of which not all can hold."""
    sides = (side.id for each in memory.contradictions() for side in each.sides)
    return fact.removeprefix("entity:") in {
        id_.removeprefix("entity:") for id_ in sides
    }


def _kept_links(memory: Memory, fact: str, new: str) -> list[tuple[str, str]]:
    """Return the relations of a fact that still hold with its new text.

    A relation whose target the old text names ends if the new text does not name it.
    """
    if "#" not in fact or "--" not in fact:
        return []
    view = _page(memory, fact)
    old = next((each.fact.text for each in view.facts if each.id == fact), "")
    return [
        (label, target)
        for label, target in came_with(view, fact)
        for names in (_names(memory, view, target),)
        if _is_named(names, new) or not _is_named(names, old)
    ]


def _names(memory: Memory, view: EntityView, target: str) -> list[str]:
    """Return the label and the aliases of an entity that a page has a relation to."""
    aliases = list[str]()
    with suppress(NotFoundError):
        aliases += memory.entities.page(f"entity:{target}").entity.aliases
    return [view.labels.get(target, target), *aliases]


def _is_named(names: list[str], text: str) -> bool:
    """Return whether a text contains all words of one of some names, in order."""
    words = f" {' '.join(_WORD.findall(text.casefold()))} "
    found = (" ".join(_WORD.findall(name.casefold())) for name in names)
    return any(name and f" {name} " in words for name in found)


def came_with(view: EntityView, fact: str) -> list[tuple[str, str]]:
    """What a page is linked with because of one fact: as what, and with whom."""
    name = fact.rpartition("#")[2]
    return [
        (link.label, target)
        for link in view.entity.links
        if name in link.facts
        for target in link.targets
    ]


def _page(memory: Memory, fact: str) -> EntityView:
    """The page on which a fact stands."""
    return memory.entities.page(fact.partition("#")[0])


def _linked(memory: Memory, what: str) -> list[str]:
    """What the page of a fact leads to, by what it is called."""
    if "#" not in what or "--" not in what:
        return []
    view = _page(memory, what)
    return [view.labels[edge.target] for edge in view.out]


def _require_same(memory: Memory, id_: str, seal: str) -> None:
    if digest(memory.show(id_).text) != seal:
        what = f"{id_} reads otherwise by now"
        raise ConflictError(what, hint="It is shown as it is now.")


def _day(said: str) -> date | None:
    hint = "Write it as 2026-11-17, or leave it out."
    try:
        day = date.fromisoformat(said) if said.strip() else None
    except ValueError as error:
        raise RefusedError(f"{said!r} is no day", hint=hint) from error
    if day and day.year < EARLIEST:
        raise RefusedError(f"{said} is too long ago", hint=hint)
    return day


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").strip()


def forget(memory: Memory, form: Given) -> str:
    """Forget what was ticked, of what was shown."""
    id_ = form.get("id", "")
    keys = {key.removeprefix("take-") for key in form if key.startswith("take-")}
    if not keys:
        raise RefusedError("nothing is ticked", hint="Tick what shall be forgotten.")
    matches = [m for m in memory.find_to_forget(id_).matches if m.key in keys]
    if keys - {match.key for match in matches}:
        what = f"what forgetting {id_} would take reads otherwise by now"
        raise ConflictError(what, hint="It is shown as it is now.")
    done = memory.forget(matches, actor=MANUAL, trigger=f"forget {id_}")
    count = f"{len(matches)} memories" if len(matches) > 1 else "it"
    return f"Forgot {count}; undo of {done.commit[:10]} in the ledger brings it back."


def merge(memory: Memory, form: Given) -> str:
    """Put this page into another, as it was shown."""
    one, into = form.get("id", ""), form.get("into", "")
    found = memory.find_merge(one, into)
    if _seal(memory, found) != form.get("seal"):
        what = f"merging {one} into {into} would do something else by now"
        raise ConflictError(what, hint="It is shown as it is now.")
    memory.merge(one, into, actor=MANUAL)
    return f"{found.label} is a part of {found.into_label} now."


def rename(memory: Memory, form: Given) -> str:
    """Give an entity another name or another type."""
    id_, name, kind = (_plain(form.get(key, "")) for key in ("id", "name", "type"))
    _require_same(memory, id_, form.get("seal", ""))
    entity = memory.entities.page(id_).entity
    wanted = (
        name if name != entity.label else "",
        kind if kind != entity.type else "",
    )
    if not any(wanted):
        what = f"{entity.label} is called so already"
        raise RefusedError(what, hint="Type another name, or another type.")
    memory.rename(id_, wanted[0], type=wanted[1], actor=MANUAL)
    return f"{entity.label} is {name or entity.label} now, {kind or entity.type}."


def pin(memory: Memory, form: Given) -> str:
    """Keep a memory from fading, or let it fade again."""
    id_ = form.get("id", "")
    _require_same(memory, id_, form.get("seal", ""))
    if form.get("choice") == "unpin":
        memory.unpin(id_, actor=MANUAL)
        return "It may fade again."
    memory.pin(id_, actor=MANUAL)
    return "It is pinned, and does not fade."


VIEWS = (View("/memory/{id:path}", "memory.html", look),)
ACTS = (
    Act("/memory/correct", correct),
    Act("/memory/forget", forget),
    Act("/memory/merge", merge),
    Act("/memory/rename", rename),
    Act("/memory/pin", pin),
)
