"""Merge two pages of one thing, rename a page, keep two apart (spec, 3).

What led to the old page leads to the new one: links, citations, proposals, scores and
history. Day logs and conversations are only appended to; there the old id is another
name of the new page. All of it is one change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from reverie.encoding.forget import nothing_done, require_forgetter
from reverie.errors import NotFoundError, RefusedError
from reverie.index.user import known_as, user_pages
from reverie.model.change import (
    Action,
    Approval,
    ChangeSet,
    Edit,
    OnlyHumansError,
    Secrets,
    edit_of,
)
from reverie.model.ids import slug
from reverie.model.views import Merging
from reverie.printable import storable_name
from reverie.secrets import pass_words
from reverie.session.moved_pages import (
    Moved,
    joined_trace,
    mentioning,
    plan_merge,
    plan_rename,
    score_edits,
)
from reverie.stores import entities
from reverie.stores.reader import faithful_text
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from reverie.model.change import Actor, Receipt
    from reverie.session.session import Session
    from reverie.stores.entities import EntityPage


class NoSuchEntityError(NotFoundError):
    """Nobody goes by a name."""

    says = "there is no entity {!r}"
    mend = "`reverie show semantic` lists them; an id such as person--alex will do."


class SeveralFitError(NotFoundError):
    """Several entities go by a name."""

    says = "several entities are called {!r}: {}"
    mend = "Name one of them by its id."


class SamePageError(RefusedError):
    """Both names lead to one page."""

    says = "{!r} and {!r} are one page already: {}"
    mend = "`reverie show` shows it, with all its names."


class TakenNameError(RefusedError):
    """A page was to get an id that another one has, or had."""

    says = "{2} is a page already: {0}"
    mend = "If both are about the same, `reverie merge {1} {0}` makes them one."


# --- what is meant ---------------------------------------------------------------


def meant_entity(session: Session, said: str) -> str:
    """The one entity that somebody names, by its id or any of its names."""
    name = said.strip().removeprefix("entity:")
    if session.index.path_of(f"entity:{name}"):
        return name
    called = session.index.called(" ".join(name.split())) or session.index.called(
        name.replace("-", " ")
    )
    if len(called) > 1:
        raise SeveralFitError(said, ", ".join(called))
    if not called:
        raise NoSuchEntityError(said)
    return called[0]


def _load(session: Session, name: str) -> EntityPage:
    path = session.index.path_of(f"entity:{name}")
    text = faithful_text(session.ledger.read(path), path)
    return entities.parse_entity(text, path)


def _require_allowed(session: Session, names: Iterable[str], actor: Actor) -> None:
    """Refuse strangers, an agent what is pinned, and pages for different people."""
    require_forgetter(actor)
    ids = [f"entity:{name}" for name in names]
    if len({session.index.scope_of(id_) for id_ in ids}) > 1:
        what = f"{' and '.join(ids)} are not for the same people"
        raise RefusedError(what, hint="What is for one person alone stays apart.")
    traces = [session.index.trace(id_) for id_ in ids]
    if not actor.human and any(trace and trace.pinned for trace in traces):
        raise OnlyHumansError(actor)


# --- merge -----------------------------------------------------------------------


def find_merge(session: Session, one: str, into: str) -> Merging:
    """What merging two pages would do; nothing is changed yet."""
    session.look()
    plan, gone, kept = _plan_merge(session, one, into)
    held = sum(fact.current for fact in gone.entity.facts)
    others = (edit.path for edit in plan.edits[2:])
    return Merging(
        f"entity:{plan.one}",
        f"entity:{plan.into}",
        gone.entity.label,
        kept.entity.label,
        held - plan.joined,
        plan.joined,
        tuple(path for path in others if path not in layout.GENERATED),
        types=()
        if gone.entity.type == kept.entity.type
        else (
            gone.entity.type,
            kept.entity.type,
        ),
    )


def merge(session: Session, one: str, into: str, actor: Actor) -> Receipt:
    """Put one page into another, in one change."""
    session.look()
    plan, _, _ = _plan_merge(session, one, into)
    _require_allowed(session, (plan.one, plan.into), actor)
    return _carry_out(session, plan, actor, f"merge {plan.one} {plan.into}")


def _plan_merge(
    session: Session, one: str, into: str
) -> tuple[Moved, EntityPage, EntityPage]:
    names = [meant_entity(session, said) for said in (one, into)]
    if names[0] == names[1]:
        raise SamePageError(one, into, names[0])
    gone, kept = (_load(session, name) for name in names)
    read = session.ledger.read
    paths = mentioning(session.index, read, names[0])
    plan = plan_merge(gone, kept, paths, read, session.clock().date())
    return plan, gone, kept


# --- rename ----------------------------------------------------------------------


def rename(session: Session, said: str, label: str, kind: str, actor: Actor) -> Receipt:
    """Give a page another name, or another type, in one change."""
    if not (label.strip() or kind.strip()):
        what = f"cannot rename {said}: neither a name nor a type is given"
        raise RefusedError(what, hint="Give at least one of them.")
    pass_words((label, kind), Secrets.REFUSE)
    session.look()
    old = meant_entity(session, said)
    _require_allowed(session, (old,), actor)
    page = _load(session, old)
    name = storable_name(label) if label.strip() else page.entity.label
    type_ = slug(storable_name(kind)) if kind.strip() else page.entity.type
    new = f"{type_}--{slug(name)}"
    if not label.strip():
        new = f"{type_}--{page.entity.slug}"
    taken = known_as(session.index, new)
    if taken != old and session.index.path_of(f"entity:{taken}"):
        # Also by the old id of a page that was merged or renamed.
        raise TakenNameError(taken, old, new)
    path, read = f"{page.path.rpartition('/')[0]}/{new}.md", session.ledger.read
    paths = mentioning(session.index, read, old) if new != old else []
    plan = plan_rename(page, path, name, paths, read, session.clock().date())
    return _carry_out(session, plan, actor, f"rename {old} to {new}: {name}")


# --- carrying it out ---------------------------------------------------------------


def _carry_out(session: Session, plan: Moved, actor: Actor, trigger: str) -> Receipt:
    ids = (f"entity:{plan.into}",)
    if not plan.edits:
        return nothing_done(session, actor, ids)
    told = dict.fromkeys(f"entity:{name}" for name in (plan.one, plan.into))
    traces = {id_: session.index.trace(id_) for id_ in told}
    session.write_down_scores(traces)
    whole = joined_trace(*([*traces.values()] * 2)[:2])
    changes = {ids[0]: whole} if whole and plan.one != plan.into else {}
    why, read = plan.edits[0].summary, session.ledger.read
    facts = (session.index, read, session.config.decay, session.clock())
    scores = (
        replace(edit, summary=why) for edit in score_edits(plan.edits, changes, *facts)
    )
    edits = (*plan.edits, *scores)
    change = ChangeSet(edits, actor, Approval.NONE, f"reverie {trigger}")
    return replace(session.commit(change, allowed=True), ids=ids)


# --- pairs that may be one -----------------------------------------------------------


def keep_apart(session: Session, one: str, other: str, actor: Actor) -> Receipt:
    """Note that two pages are not about one thing; nobody asks again."""
    session.look()
    names = [meant_entity(session, said) for said in (one, other)]
    if names[0] == names[1]:
        raise SamePageError(one, other, names[0])
    require_forgetter(actor)
    if set(names) <= set(user_pages(session.index)):
        what = f"{names[0]} and {names[1]} are both you: core memory says so"
        raise RefusedError(what, hint="Correct the Name in MEMORY.md, then ask again.")
    first, second = (_load(session, name) for name in names)
    edits = plan_apart(first, second, session.ledger.read)
    ids = tuple(f"entity:{name}" for name in names)
    if not edits:
        return nothing_done(session, actor, ids)
    trigger = f"reverie merge {names[0]} {names[1]} --no"
    change = ChangeSet(edits, actor, Approval.NONE, trigger)
    return replace(session.commit(change, allowed=True), ids=ids)


def plan_apart(
    one: EntityPage, other: EntityPage, read: Callable[[str], bytes | None]
) -> tuple[Edit, ...]:
    """Plan to say on two pages that they are not about one thing."""
    edits = []
    for page, name in ((one, other.entity.name), (other, one.entity.name)):
        text = entities.render_entity(entities.keep_apart(page, name))
        why = f"{page.entity.name} is not {name}"
        edit = edit_of(page.path, read(page.path), text, Action.EDIT, why)
        edits += [edit] if text != page.page.text else []
    return tuple(edits)
