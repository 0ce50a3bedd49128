"""Merge two pages of one thing, rename a page, keep two apart (spec, 3).

What led to the old page leads to the new one: links, citations, proposals, scores and
history. Day logs and conversations are only appended to; there the old id is another
name of the new page. All of it is one change.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from reverie import markdown as md
from reverie.encoding.forget import nothing_done, require_forgetter
from reverie.encoding.placement import edit_of
from reverie.errors import FormatError, NotFoundError, RefusedError
from reverie.index.sync import imagine, plan_snapshot
from reverie.index.user import UNNAMED, user_pages
from reverie.model.change import (
    ABSENT,
    Action,
    Approval,
    ChangeSet,
    Edit,
    OnlyHumansError,
    checksum,
)
from reverie.model.ids import slug
from reverie.model.items import least, named
from reverie.model.views import Merging, Pair
from reverie.printable import storable_name
from reverie.stores import entities
from reverie.stores.entities import (
    FACTS,
    QUESTIONS,
    RELATIONS,
    SUMMARY,
    TIMELINE,
    EntityPage,
)
from reverie.stores.reader import decode
from reverie.stores.scores import parse_scores
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from datetime import date

    from reverie.decay import Trace
    from reverie.model.change import Actor, Receipt
    from reverie.session.session import Session

_LINKED = (f"{layout.ENTITIES}/", f"{layout.PROCEDURES}/", f"{layout.META}/")
_LEFT = frozenset(
    {layout.AUDIT_ARCHIVE, layout.AUDIT_LOG, layout.OWNER, layout.PENDING_REFLECTION}
)
"""Where links are followed, and what is told as it was. A proposal of a reflection is
bound to the page that was laid out; its targets are found by their old ids."""

_TARGET = re.compile(r"\[\[([^\[\]|#]+)[^\[\]]*\]\]")
_OWN_FIELDS = frozenset(
    {"type", "created", "last updated", "label", "aliases", "source", "pinned", "by"}
    | {"status", "decay score", "access count", "last used", "distinct from"}
)


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
    """A page was to get the id of another one."""

    says = "there is a page {} already"
    mend = "If both are about the same, `reverie merge {1} {0}` makes them one."


class Moved(Struct, frozen=True):
    """A page that goes into another one, or gets another name, and what follows.

    Attributes:
        edits: To all files, the page itself first.
        one: The id that is no more, or only another name.
        into: The id that the page has from now on.
        joined: How many facts both pages had.
    """

    edits: tuple[Edit, ...]
    one: str
    into: str
    joined: int = 0


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
    text, problems = decode(session.ledger.read(path) or b"", path)
    for found in problems:
        raise FormatError(path, found.line, found.what, hint=found.mend)
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
    paths, read = mentioning(session, names[0]), session.ledger.read
    plan = plan_merge(gone, kept, paths, read, session.clock().date())
    return plan, gone, kept


def plan_merge(
    gone: EntityPage,
    kept: EntityPage,
    paths: Iterable[str],
    read: Callable[[str], bytes | None],
    on: date,
) -> Moved:
    """Plan to put one page into another, with all that leads to it.

    Args:
        gone: The page that goes.
        kept: The page that stays.
        paths: The files that name the first.
        read: A file's bytes as they stand.
        on: The day of the change.
    """
    old, new = gone.entity.name, kept.entity.name
    page, joined = merged_page(gone, kept, on)
    data, before = read(kept.path), read(gone.path)
    text = entities.render_entity(page)
    why = f"merged {old} into {new}"
    edits = (
        edit_of(kept.path, data, text, Action.MERGE, why),
        Edit(gone.path, None, checksum(before), Action.MERGE, why),
        *_followed(paths, {gone.path, kept.path}, old, new, read),
    )
    return Moved(edits, old, new, joined)


def merged_page(gone: EntityPage, kept: EntityPage, on: date) -> tuple[EntityPage, int]:
    """A page with all that another one says, and how many facts both had."""
    old, new = gone.entity.name, kept.entity.name
    names = (gone.entity.label, kept.entity.label)
    page, other = (
        _without_self(
            entities.parse_entity(renamed_in(each.page.text, old, new), each.path),
            new,
            names,
        )
        for each in (kept, gone)
    )
    for name in (gone.entity.label, *gone.entity.aliases, old):
        if name != new:
            page = entities.add_alias(page, name)
    page = _headed(page, gone, on)
    page = _with_opening(page, other)
    page = _with_summary(page, other)
    page, joined = _with_facts(page, other)
    page = _with_timeline(page, other)
    page = _with_questions(page, other)
    page = _with_relations(page, other)
    known = {heading.casefold() for heading in entities.ORDER}
    for section in other.page.sections:
        if (section.heading or "").casefold() not in known:
            text = md.ended(page.page.text)
            raw = md.newlines_like(text, f"\n{md.ended(_plain(section.raw))}")
            page = entities.parse_entity(text + raw, page.path)
    return page, joined


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")


def _without_self(page: EntityPage, me: str, names: tuple[str, str]) -> EntityPage:
    """A page that neither links to itself nor asks whether it is itself."""
    changed = page.page
    for piece in reversed(changed.items(QUESTIONS)):
        said = md.visible(piece.text)
        words = said.casefold()
        free = "the same" in words and all(n.casefold() in words for n in names)
        if free or entities.asked_same(said) == me:
            changed = md.with_lines(changed, piece.line, piece.raw, "")
    for piece in reversed(changed.items(RELATIONS)):
        raw = without_targets(piece.raw, {me})
        if raw != piece.raw:
            changed = md.with_lines(changed, piece.line, piece.raw, raw)
    return entities.read_page(changed)


def without_targets(raw: str, gone: Iterable[str]) -> str:
    """A line of relations without some of what it links to; empty if nothing is left.

    What it names twice it names once.
    """
    left, links = set(gone), list(_TARGET.finditer(raw))
    kept: list[re.Match[str]] = []
    for link in links:
        if link[1].strip() not in left:
            left.add(link[1].strip())
            kept.append(link)
    if len(kept) == len(links):
        return raw
    if not kept:
        return ""
    listed = ", ".join(link[0] for link in kept)
    return f"{raw[: links[0].start()]}{listed}{raw[links[-1].end() :]}"


def _headed(page: EntityPage, gone: EntityPage, on: date) -> EntityPage:
    """A page whose header says what both said: the older day, a pin, whose words."""
    changed, theirs = page.page, gone.page
    days = [day for day in (page.entity.created, gone.entity.created) if day]
    if days and min(days) != page.entity.created:
        changed = md.with_field(
            changed, "Created", min(days).isoformat(), beside="Type"
        )
    by = [named(said) for said in (changed.value("By"), theirs.value("By")) if said]
    if by and least(by) != changed.value("By"):
        changed = md.with_field(changed, "By", least(by), beside="Type")
    for key, said in theirs.fields.items():
        if key not in _OWN_FIELDS and key not in changed.fields:
            changed = md.with_field(changed, key.capitalize(), said.raw, beside="Type")
    page = entities.read_page(changed)
    mine = {page.entity.name, gone.entity.name}
    apart = set(entities.kept_apart(page))
    for name in sorted({*apart, *entities.kept_apart(gone)} - mine - apart):
        page = entities.keep_apart(page, name)
    if apart & mine:
        listed = ", ".join(md.escape_field(n, ",") for n in sorted(apart - mine))
        changed = md.with_field(page.page, entities.APART, listed, beside="Type")
        page = entities.read_page(changed)
    pinned = True if gone.entity.pinned and not page.entity.pinned else None
    return entities.set_header(page, updated=on, pinned=pinned)


def _with_opening(page: EntityPage, other: EntityPage) -> EntityPage:
    """A page with what a person wrote above the sections of another."""
    lines = md.split_lines(other.page.opening.raw)
    headers = {field.line for field in other.page.fields.values()}
    prose = [
        _plain(line)
        for number, line in enumerate(lines, 1)
        if number not in headers and not (line.startswith("# ") and number == 1)
    ]
    text = "".join(prose).strip("\n")
    if not text.strip():
        return page
    top = len(md.split_lines(page.page.opening.raw))
    before = "".join(md.split_lines(page.page.text)[:top]).rstrip()
    after = "".join(md.split_lines(page.page.text)[top:])
    whole = md.newlines_like(page.page.text, f"\n\n{text}\n\n")
    return entities.parse_entity(before + whole + after, page.path)


def _with_summary(page: EntityPage, other: EntityPage) -> EntityPage:
    said = "\n\n".join(_plain(s.body).strip("\n") for s in other.page.named(SUMMARY))
    if not other.entity.summary or other.entity.summary in page.entity.summary:
        return page
    gap = "\n" if page.entity.summary else ""
    return entities.read_page(md.with_item(page.page, SUMMARY, f"{gap}{said}\n"))


def _with_facts(page: EntityPage, other: EntityPage) -> tuple[EntityPage, int]:
    """A page with another's facts; what both say stands once, with both sources."""
    joined, fresh = 0, ""
    there = {piece.raw.strip() for piece in page.page.items(FACTS)}
    for piece in other.page.pieces(FACTS):
        fact = entities.parse_fact(piece) if piece.marker and piece.text else None
        twin = next(_twins(page, fact.text), None) if fact and fact.current else None
        if twin is not None:
            raw = entities.joined_fact(twin, piece)
            page = entities.read_page(
                md.with_lines(page.page, twin.line, twin.raw, raw)
            )
            joined += 1
        elif piece.raw.strip() and piece.raw.strip() not in there:
            fresh += md.ended(_plain(piece.raw))
    if not fresh:
        return page, joined
    return entities.read_page(md.with_item(page.page, FACTS, fresh)), joined


def _twins(page: EntityPage, text: str) -> Iterator[md.Piece]:
    for piece in page.page.items(FACTS):
        fact = entities.parse_fact(piece)
        if fact.current and _same(fact.text) == _same(text):
            yield piece


def _same(text: str) -> str:
    return " ".join(text.split()).casefold()


def _with_timeline(page: EntityPage, other: EntityPage) -> EntityPage:
    """A page with another's events where their days belong."""
    for piece in other.page.pieces(TIMELINE):
        event = entities.parse_dated(piece) if piece.marker else None
        if not piece.raw.strip() or event in page.entity.timeline:
            continue
        raw = md.ended(_plain(piece.raw))
        later = (
            each
            for each in page.page.items(TIMELINE)
            if event and (told := entities.parse_dated(each)) and told[0] > event[0]
        )
        if (first := next(later, None)) is not None:
            changed = md.with_lines(
                page.page, first.line, first.raw, raw + _plain(first.raw)
            )
        else:
            changed = md.with_item(page.page, TIMELINE, raw)
        page = entities.read_page(changed)
    return page


def _with_questions(page: EntityPage, other: EntityPage) -> EntityPage:
    asked = set(map(_same, page.entity.questions))
    fresh = "".join(
        md.ended(_plain(piece.raw))
        for piece in other.page.pieces(QUESTIONS)
        if piece.raw.strip() and _same(md.visible(piece.text)) not in asked
    )
    if not fresh:
        return page
    return entities.read_page(md.with_item(page.page, QUESTIONS, fresh))


def _with_relations(page: EntityPage, other: EntityPage) -> EntityPage:
    known: dict[str, set[str]] = {}
    for link in page.entity.links:
        known.setdefault(slug(link.label), set()).update(link.targets)
    fresh = ""
    for piece in other.page.pieces(RELATIONS):
        found = entities.parse_link(piece) if piece.marker else None
        there = known.get(slug(found.label), set()) if found else set()
        raw = without_targets(_plain(piece.raw), there)
        fresh += md.ended(raw) if raw.strip() else ""
    if not fresh:
        return page
    return entities.read_page(md.with_item(page.page, RELATIONS, fresh))


# --- what leads to a page --------------------------------------------------------


def _mention(old: str) -> re.Pattern[str]:
    """An id as a word of its own: `tool--node` stands not in `tool--node.js`."""
    return re.compile(rf"(?<![\w.-]){re.escape(old)}(?![\w-]|\.(?!md\b)\w)")


def renamed_in(text: str, old: str, new: str) -> str:
    """A text in which an id is another one, wherever it stands."""
    return _mention(old).sub(lambda _: new, text)


def mentioning(session: Session, name: str) -> list[str]:
    """The files whose links, citations or proposals name an entity by its id."""
    needle, read = name.encode(), session.ledger.read
    paths = (
        path
        for path in sorted(session.index.signatures())
        if (path == layout.CORE or path.startswith(_LINKED)) and path.endswith(".md")
    )
    return [
        path for path in paths if path not in _LEFT and needle in (read(path) or b"")
    ]


def _followed(
    paths: Iterable[str],
    done: set[str],
    old: str,
    new: str,
    read: Callable[[str], bytes | None],
) -> Iterator[Edit]:
    """Files in which what led to one page leads to another."""
    for path in paths:
        data = read(path)
        text, problems = decode(data or b"", path)
        if path in done or problems:
            continue
        changed = renamed_in(text, old, new)
        if path.startswith(f"{layout.ENTITIES}/") and changed != text:
            changed = _linked_once(entities.parse_entity(changed, path))
        if changed != text:
            why = f"links follow {old} to {new}"
            yield edit_of(path, data, changed, Action.EDIT, why)


def _linked_once(page: EntityPage) -> str:
    """A page that names nothing twice in a line, and asks nothing twice."""
    changed = page.page
    known: dict[str, set[str]] = {}
    asked: set[str] = set()
    fresh: list[tuple[md.Piece, str]] = []
    for piece in changed.items(RELATIONS):
        if link := entities.parse_link(piece):
            there = known.setdefault(slug(link.label), set())
            fresh.append((piece, without_targets(piece.raw, there)))
            there.update(link.targets)
    for piece in changed.items(QUESTIONS):
        said = md.visible(piece.text)
        gone = said in asked or entities.asked_same(said) == page.entity.name
        fresh.append((piece, "" if gone else piece.raw))
        asked.add(said)
    for piece, raw in sorted(fresh, key=lambda each: -each[0].line):
        if raw != piece.raw:
            changed = md.with_lines(changed, piece.line, piece.raw, raw)
    return md.render_page(changed)


# --- rename ----------------------------------------------------------------------


def rename(session: Session, said: str, label: str, kind: str, actor: Actor) -> Receipt:
    """Give a page another name, or another type, in one change."""
    session.look()
    old = meant_entity(session, said)
    _require_allowed(session, (old,), actor)
    page = _load(session, old)
    name = storable_name(label) if label.strip() else page.entity.label
    type_ = slug(storable_name(kind)) if kind.strip() else page.entity.type
    new = f"{type_}--{slug(name)}"
    if not label.strip():
        new = f"{type_}--{page.entity.slug}"
    if new != old and session.index.path_of(f"entity:{new}"):
        raise TakenNameError(new, old)
    folder = page.path.rpartition("/")[0]
    paths = mentioning(session, old) if new != old else []
    path, read = f"{folder}/{new}.md", session.ledger.read
    plan = plan_rename(page, path, name, paths, read, session.clock().date())
    return _carry_out(session, plan, actor, f"rename {old} to {new}: {name}")


def plan_rename(
    page: EntityPage,
    path: str,
    label: str,
    paths: Iterable[str],
    read: Callable[[str], bytes | None],
    on: date,
) -> Moved:
    """Plan to give a page another name, with all that leads to it.

    Args:
        page: The page as it is.
        path: The file that it shall be.
        label: What it shall be called.
        paths: The files that name it.
        read: A file's bytes as they stand.
        on: The day of the change.
    """
    old, new = page.entity.name, path.rpartition("/")[2].removesuffix(".md")
    text = renamed_in(page.page.text, old, new)
    changed = renamed_page(entities.parse_entity(text, path), label, on)
    for name in (page.entity.label, *([old] if old != new else [])):
        changed = entities.add_alias(changed, name)
    why = f"renamed {old} to {new}" if old != new else f"{old} is called {label}"
    data, rendered = read(page.path), entities.render_entity(changed)
    whole = edit_of(path, data, rendered, Action.RENAME, why)
    if old == new:
        return Moved((whole,) if whole.content != data else (), old, new)
    edits = (
        replace(whole, base=ABSENT),
        Edit(page.path, None, checksum(data), Action.RENAME, why),
        *_followed(paths, {page.path, path}, old, new, read),
    )
    return Moved(edits, old, new)


def renamed_page(page: EntityPage, label: str, on: date) -> EntityPage:
    """A page whose title, type and label say what its file is called."""
    name, changed = page.page.stem, page.page
    if changed.title is not None and changed.title != name:
        lines = md.split_lines(changed.opening.raw)
        first = next(n for n, line in enumerate(lines, 1) if line.strip("\ufeff \r\n"))
        changed = md.with_lines(changed, first, lines[first - 1], f"# {name}\n")
    kind = name.partition("--")[0]
    if changed.value("Type") != kind:
        changed = md.with_field(changed, "Type", kind, beside="Created")
    if label != entities.read_page(changed).entity.label:
        said = md.escape_field(label)
        changed = md.with_field(changed, "Label", said, beside="Type")
    return entities.set_header(entities.read_page(changed), updated=on)


# --- carrying it out ---------------------------------------------------------------


def joined_trace(one: Trace | None, into: Trace | None) -> Trace | None:
    """The score of a page that was two: all uses, the newest, the oldest day."""
    if one is None or into is None:
        return one or into
    return replace(
        into,
        base=max(one.base, into.base),
        created=min(one.created, into.created),
        last_accessed=max(one.last_accessed, into.last_accessed),
        accesses=one.accesses + into.accesses,
        pinned=one.pinned or into.pinned,
        archived=one.archived and into.archived,
    )


def score_edits(
    session: Session, edits: tuple[Edit, ...], traces: Mapping[str, Trace]
) -> tuple[Edit, ...]:
    """The scores and the graph's index as they are once some edits are done."""
    decay, now, read = session.config.decay, session.clock(), session.ledger.read
    change = ChangeSet(edits, session.authority.default(), Approval.NONE, "")
    would_be = imagine(session.index, change, read, decay, now)
    try:
        return plan_snapshot(would_be, read, decay, now, traces)
    finally:
        would_be.close()


def _carry_out(session: Session, plan: Moved, actor: Actor, trigger: str) -> Receipt:
    ids = (f"entity:{plan.into}",)
    if not plan.edits:
        return nothing_done(session, actor, ids)
    told = dict.fromkeys(f"entity:{name}" for name in (plan.one, plan.into))
    traces = {id_: session.index.trace(id_) for id_ in told}
    _write_down_scores(session, traces)
    whole = joined_trace(*([*traces.values()] * 2)[:2])
    changes = {ids[0]: whole} if whole and plan.one != plan.into else {}
    why = plan.edits[0].summary
    scores = (
        replace(edit, summary=why) for edit in score_edits(session, plan.edits, changes)
    )
    edits = (*plan.edits, *scores)
    change = ChangeSet(edits, actor, Approval.NONE, f"reverie {trigger}")
    return replace(session.commit(change, allowed=True), ids=ids)


def _write_down_scores(session: Session, traces: Mapping[str, Trace | None]) -> None:
    """Let history know the scores before they change, so that `undo` can tell."""
    data = session.ledger.read(layout.SCORES) or b""
    known = parse_scores(data.decode("utf-8", "replace"), layout.SCORES).entries
    if any(trace and known.get(id_) != trace for id_, trace in traces.items()):
        session.snapshot()


# --- pairs that may be one -----------------------------------------------------------


def find_pairs(session: Session) -> list[Pair]:
    """Pairs of pages that may be about one thing, each once, to be said by a person."""
    found: dict[frozenset[str], Pair] = {}
    index = session.index
    user = user_pages(index)
    if len(user) > 1:
        why = "core memory says that both are you"
        found[frozenset(user)] = Pair(UNNAMED, user[0], why)
    for id_, said in index.asking(entities.SAME_AS):
        one, other = id_.partition(":")[2], entities.asked_same(said.strip())
        there = other and index.path_of(f"entity:{other}")
        trace = index.trace(f"entity:{other}") if there else None
        if there and other != one and not (trace and trace.archived):
            found.setdefault(frozenset((one, other)), Pair(one, other, said.strip()))
    return [*found.values()]


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
