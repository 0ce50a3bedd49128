"""Remember: pass the gate, route, plan, commit (docs/design/encoding.md)."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, time
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from reverie.decay import standing
from reverie.encoding import gate, placement
from reverie.encoding.archiving import archive_in_scores
from reverie.encoding.copies import link_copies
from reverie.encoding.core_edits import desk_for, edit_core, is_allowed_edit
from reverie.encoding.near import find_near
from reverie.encoding.observe import how_to_observe, place_of
from reverie.encoding.placement import Saying
from reverie.encoding.proposal_updates import plan_waiting
from reverie.encoding.route import NotAFactError, add_basis
from reverie.encoding.supersession import (
    assign_observed,
    assign_superseded,
    first_day,
    holds_until,
    is_over,
    plan_draft,
    without_ended,
)
from reverie.encoding.user_statements import (
    find_source,
    inherit_origin,
    origin_of_cited,
)
from reverie.errors import NotFoundError, RefusedError
from reverie.index import IndexUnavailableError
from reverie.index.located import BY
from reverie.index.names import find_named
from reverie.index.near_duplicates import sketch, told
from reverie.index.text import spoken
from reverie.index.user import is_known_id
from reverie.markdown import headline
from reverie.minds.mind import (
    HostMustAnswerError,
    MindUnavailableError,
    OutOfTokensError,
    UnusableAnswerError,
)
from reverie.model.change import (
    MAIN,
    REMEMBER,
    Approval,
    ChangeSet,
    Observed,
    Remembered,
    Secrets,
)
from reverie.model.conversation import render_trigger
from reverie.model.ids import ItemId, Kind, page_of, slug
from reverie.model.items import (
    FOREIGN,
    UNROUTED,
    Confidence,
    Episode,
    EpisodeKind,
    Origin,
    Source,
    least,
    stated,
)
from reverie.model.route import Core, Episodic, Procedural, Semantic, Vault, store_of
from reverie.printable import storable
from reverie.secrets import pass_words, remove_marks, texts_in, without_secrets
from reverie.session.session import NoSuchMemoryError
from reverie.stores.entities import fact_id, parse_fact_id
from reverie.stores.episodes import parse_day
from reverie.stores.reader import decode
from reverie.workspace.layout import BOOT_FILES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from reverie.encoding.placement import Desk, Step
    from reverie.encoding.route import Clerk
    from reverie.model.change import Actor, Edit, Near
    from reverie.model.conversation import Quote
    from reverie.model.items import Entry
    from reverie.model.route import Observation, Place
    from reverie.session.session import Session

    Edits = tuple[Edit, ...]

_HAPPENINGS = frozenset({EpisodeKind.EVENT, EpisodeKind.TASK, EpisodeKind.EMOTION})
"""What can happen again on another day, in the same words."""

LIST_FULL = "the list of proposals is full, so decide on some first"

_BREATH = 600
"""Seconds in which the same words tell of the same event."""

_A_DAY = 86_400.0
_ONCE = "once"
"""Stands for a day that nobody noted."""

MOST_SPOKEN_OF = 24
"""So many known names, and about so many facts, a mind is shown of a conversation."""

MOST_ROUTED = 3
"""So much of what waits for a mind is filed with whatever is remembered next."""


class Judged(NamedTuple):
    """Known memories that a draft bears on.

    Attributes:
        superseded: Those that no longer hold.
        ending: Facts that hold until the new one begins.
        contradicted: Those that it contradicts.
    """

    superseded: tuple[Near, ...]
    ending: tuple[Near, ...]
    contradicted: tuple[Near, ...]


class Remembering:
    """Stores what passes the gate.

    Args:
        session: The workspace's parts.
        desk: What planning may look at, for an actor and an origin.
        clerk: Who finds out where something belongs.
        find_quote: Finds the user's sentences that a text quotes, in a conversation;
            raises `RefusedError` where it quotes none.
    """

    def __init__(
        self,
        session: Session,
        desk: Callable[[Actor, Origin], Desk],
        clerk: Clerk,
        find_quote: Callable[[str, str], Quote],
    ) -> None:
        self._session = session
        self._desk = desk
        self._clerk = clerk
        self._find_quote = find_quote
        self._boot: tuple[object, gate.BootText] | None = None

    def remember(self, saying: Saying) -> Remembered:
        """Store something, or say why not; nothing is written before all is known."""
        saying, redacted = self._passed(saying)
        try:
            saying = self._clerk.file(saying)
        except (MindUnavailableError, OutOfTokensError) as error:
            # What its human wants kept is not lost because a server is down.
            done = self.keep_unrouted(saying, str(error))
            return replace(done, redacted=redacted)
        saying = assign_superseded(saying, self._session)
        if saying.route is not None or saying.also:
            is_id = partial(is_known_id, self._session.index)
            for said, named in saying.steps:  # as a model words and names them
                texts = (*texts_in(named), remove_marks(said))
                pass_words(texts, saying.secrets, is_id)
        saying = add_basis(saying)
        done = self._session.persist("remember", lambda: self._store(saying))
        self._clerk.finish(saying)
        if saying.route is not None:
            self.route_waiting()
        return replace(done, redacted=redacted)

    def how_to_observe(self) -> str:
        """What a mind is told that is to give observations."""
        return how_to_observe(self._clerk.user(), self._session.clock().date())

    def spoken_of(self, texts: Iterable[str]) -> tuple[dict[str, str], dict[str, str]]:
        """What is known of what a conversation speaks of: names and facts, by id.

        Args:
            texts: What was said, the most telling first.
        """
        names: dict[str, str] = {}
        facts: dict[str, str] = {}
        for text in texts:
            if len(facts) < MOST_SPOKEN_OF:
                named = find_named(text, self._session.index)
                called, known = self._clerk.offered(text, named)
                names, facts = called | names, known | facts
        return (
            dict([*names.items()][:MOST_SPOKEN_OF]),
            {id_: without_secrets(text) for id_, text in facts.items()},
        )

    def observe(
        self,
        noted: Sequence[Observation],
        actor: Actor,
        origin: Origin,
        trigger: str,
        turns: Mapping[int, str],
        scope: str,
    ) -> Observed:
        """Store observations in one change; what is known already is kept alive.

        What does not pass is left out, and told.

        Args:
            noted: What was noted.
            actor: Who acts.
            origin: Whose words they are.
            trigger: What started it.
            turns: Ids of the turns that they come from, by number.
            scope: The person they are for alone; empty for everybody.
        """
        session = self._session
        if turns:
            # Turns that nobody has written yet are in no index.
            session.write_down()
            session.sync()
        passed, refused = self._draft_observations(
            noted, actor, origin, trigger, turns, scope
        )

        def store() -> Observed:
            session.look_sometimes()
            session.sync()
            done = Observed(session.ledger.head, session.clock(), (), actor)
            known, said = list[str](), list[str]()
            drafts: list[Saying] = []
            gone: list[Near] = []
            for saying in passed:
                try:
                    saying = without_ended(saying, gone)  # noqa: PLW2901 - the same
                    same = self._find_known(saying)
                    over = self._judged(saying).superseded
                except (RefusedError, NotFoundError) as error:
                    said.append(f"{headline(saying.text)}: {error}")
                    continue
                saying = self._credited(saying)  # noqa: PLW2901 - the same
                if same:
                    known.append(page_of(same))
                    continue
                saying = link_copies(session, saying)  # noqa: PLW2901 - the same
                if saying not in drafts:
                    drafts.append(saying)
                    gone += over
            if known:
                with suppress(IndexUnavailableError):
                    session.reinforce(known)
            told = (*refused, *said)
            done = replace(done, known=tuple(known), refused=told)
            if not drafts:
                return done
            plan = self._planned_by(actor, drafts)
            struck = [id_ for draft in drafts for id_ in draft.struck]
            scores = archive_in_scores(
                session, struck, "corrected", plan.ids, plan.edits
            )
            edits = (*plan.edits, *scores)
            receipt = session.commit(_change(passed[0], edits, 0))
            proof = (receipt.commit, receipt.at, receipt.lines, actor)
            return Observed(*proof, plan.ids, tuple(known), told, tuple(gone))

        return session.persist("observe", store)

    def _draft_observations(
        self,
        noted: Sequence[Observation],
        actor: Actor,
        origin: Origin,
        trigger: str,
        turns: Mapping[int, str],
        scope: str,
    ) -> tuple[list[Saying], list[str]]:
        """Return observations as drafts that may be stored, and what was left out."""
        session, passed, refused = self._session, list[Saying](), list[str]()
        behind = [each.source or turns.get(each.turn, "") for each in noted]
        said_by = session.index.origins({*behind} - {""})

        def whose(source: str, text: str) -> Origin:
            # What strangers said stays theirs, whoever noted it.
            row = session.index.find(source) if source in said_by else None
            by = least((said_by[source], origin_of_cited(row, text))) if row else origin
            return by if by in FOREIGN else origin

        for each, source in zip(noted, behind, strict=True):
            title = headline(each.text)
            over = {id_ for id_ in each.supersedes if is_over(session, id_)}
            refused += (f"{title}: kept, {id_} held no longer" for id_ in over)
            place = place_of(each, source, scope)
            by = whose(source, each.text)
            said = each.text, place, actor, trigger, by, Secrets.REDACT
            gone = tuple(id_ for id_ in each.supersedes if id_ not in over)
            if gone and by in FOREIGN:
                why = f"it comes from {gate.ORIGIN_WORDS[by]}"
                refused.append(f"{title}: kept beside {', '.join(gone)}: {why}")
                gone = ()
            try:
                saying = Saying(*said, supersedes=gone)
                filed = self._clerk.file(self._passed(saying)[0])
                filed = assign_observed(filed, session)
                passed.append(_admitted(add_basis(filed)))
            except (RefusedError, NotFoundError) as error:
                refused.append(f"{title}: {error}")
        return passed, refused

    def _passed(self, saying: Saying) -> tuple[Saying, tuple[str, ...]]:
        """A text as it may be stored, whose words it counts as, and what it lost."""
        place, secrets = saying.place, saying.secrets
        limit = self._session.config.ledger.text_limit
        if secrets is Secrets.KEEP and not saying.actor.human:
            raise gate.OnlyHumansKeepError
        is_id = partial(is_known_id, self._session.index)
        if place is not None:
            pass_words(texts_in(place), secrets, is_id)
        if len(saying.text) > 4 * limit:  # to look for secrets would take seconds
            storable(saying.text, limit)
        passed = gate.pass_text(saying.text, secrets, _about(place))
        text = storable(passed.text, limit)
        if name := self._boot_text().restated(text):
            raise gate.RestatedError(name)
        trigger = gate.pass_text(saying.trigger, secrets).text
        said = replace(saying, text=text, trigger=trigger)
        if said.origin is Origin.AGENT:
            self._session.sync()
            source = find_source(self._session, said)
            if source.pasted:
                said = replace(said, origin=Origin.PASTED)
            said = replace(said, stated_in=source.statement)
        said = replace(said, origin=inherit_origin(self._session, said))
        return said, passed.redacted

    def keep_unrouted(self, saying: Saying, why: str) -> Remembered:
        """Keep something of which nobody said in time where it belongs."""
        owner = saying.origin is Origin.OWNER
        confidence = Confidence.HIGH if owner else Confidence.LOW
        place = Episodic(EpisodeKind.FACT, confidence, (UNROUTED,))
        saying = replace(saying, steps=((saying.text, place),))
        done = self._session.persist("remember", lambda: self._store(saying))
        self._note_unrouted(rest=0)
        return replace(done, unrouted=why)

    def _note_unrouted(self, *, rest: float) -> None:
        """Say for how long nobody need look for what waits for a mind."""
        now = self._session.clock().timestamp()
        with suppress(IndexUnavailableError):
            self._session.index.note_done(UNROUTED, now, rest)

    def route_waiting(self) -> int:
        """File what was kept while no mind could say where it belongs; how many.

        A few at a time, the oldest first, while the mind answers. Whoever wrote such an
        entry, it steers nothing: what belongs into core memory, a procedure or the
        vault waits for its human.
        """
        session, done = self._session, 0
        if self._clerk.asks_the_host:
            # It was asked, and gave no answer.
            return 0
        session.sync()
        try:
            if session.index.resting(UNROUTED, session.clock().timestamp()):
                return 0
            waiting = session.index.unrouted(MOST_ROUTED)
        except IndexUnavailableError:
            return 0
        for id_, path in waiting:
            try:
                done += self._route(id_, path)
            except UnusableAnswerError:
                continue
            except (MindUnavailableError, OutOfTokensError, HostMustAnswerError):
                break
        if done < MOST_ROUTED:
            self._note_unrouted(rest=_BREATH if done < len(waiting) else _A_DAY)
        return done

    def _route(self, id_: str, path: str) -> bool:
        """File one episode that waits; False if it is gone."""
        session = self._session
        entry = _unrouted(session.ledger.read(path), path, id_)
        if entry is None or not isinstance(entry.item, Episode):
            return False
        episode = entry.item
        actor = REMEMBER if episode.source is Source.USER_EXPLICIT else MAIN
        origin = stated(dict(episode.more).get(BY, ""), episode.source or "")
        # A tag is no proof of who wrote it.
        trust = least((origin, Origin.AGENT))
        saying = Saying(entry.text, None, actor, "routed later", trust)
        saying = add_basis(_admitted(self._clerk.file(saying)))
        steps = [
            (said, replace(to, at=episode.at) if isinstance(to, Episodic) else to)
            for said, to in saying.steps
        ]

        def move() -> bool:
            session.sync()
            there = _unrouted(session.ledger.read(path), path, id_)
            if there is None or there.text != entry.text:
                return False
            desk = self._desk(actor, origin)
            plan = placement.plan_routed(there, path, steps, desk)
            edits, number, *_ = plan_waiting(session, saying, plan.ids)
            session.commit(_change(saying, (*plan.edits, *edits), number))
            return True

        return session.persist("remember", move)

    def _boot_text(self) -> gate.BootText:
        """What the agent reads at every start, read again when it changes."""
        folder = self._session.folder
        looks = tuple(folder.signature(name) for name in BOOT_FILES)
        if self._boot is None or self._boot[0] != looks:
            found = {
                name: (folder.read(name) or b"").decode("utf-8", "replace")
                for name, look in zip(BOOT_FILES, looks, strict=True)
                if look and look.size <= folder.largest
            }
            self._boot = looks, gate.BootText(found)
        return self._boot[1]

    def _credited(self, saying: Saying) -> Saying:
        """Return a draft of an agent as the user's, where a user turn states it.

        What steers the agent stays the agent's: it has stricter rules of its own.
        """
        steers = any(store_of(place) in gate.STEERING for _, place in saying.steps)
        agent = saying.origin is Origin.AGENT and not steers
        if not agent or not saying.stated_in:
            return saying
        turn = saying.turn or saying.stated_in
        return add_basis(replace(saying, origin=Origin.OWNER, turn=turn))

    def _store(self, saying: Saying) -> Remembered:
        session, clerk = self._session, self._clerk
        session.look_sometimes()
        session.sync()
        saying = edit_core(session, _admitted(saying), self._desk, self._find_quote)
        superseded, ending, against = self._judged(saying)
        head, now, route = session.ledger.head, session.clock(), saying.route
        done = Remembered(head, now, (), saying.actor, route=route)
        known = self._find_known(saying)
        if known is not None and not against and not saying.also:
            # What says nothing new makes what is known more vivid.
            page = page_of(known)
            fact = ItemId.parse(known).name if page != known else ""
            with suppress(IndexUnavailableError):
                session.reinforce([page])
            done = replace(done, ids=(page,), known=True, fact=fact)
            edits, number, *_ = plan_waiting(session, saying, (page,))
            if edits:
                receipt = session.commit(_change(saying, edits, number))
                proof = {"commit": receipt.commit, "at": receipt.at}
                done = replace(done, **proof, lines=receipt.lines)
            return replace(done, waits=number, why_it_waits=saying.why)
        # Only now: what was forgotten comes back by the user alone.
        saying = link_copies(session, self._credited(saying))
        near: tuple[Near, ...] = ()
        place = saying.steps[0][1]
        with suppress(IndexUnavailableError):
            scope = place.scope if isinstance(place, Episodic) else ""
            pages = clerk.pages(saying.text, place)
            near = find_near(saying.text, pages, clerk.around, scope=scope)
        asked = [n.id for n in against if saying.origin not in FOREIGN]
        plan = self._planned(saying, asked)
        edits, number, copies, note = plan_waiting(session, saying, plan.ids)
        full = LIST_FULL if saying.waiting and not number else note
        judged = {each.id for each in (*superseded, *ending, *against)}
        done = replace(
            done,
            ids=plan.ids,
            known=not plan.edits,
            said=saying.steps[0][0],
            fact=placement.fact_of(plan.ids, saying.steps[0]),
            waits=number,
            why_it_waits="; ".join(filter(None, (saying.why, full))),
            near=tuple(n for n in near if n.id not in judged),
            superseded=superseded,
            ending=ending,
            contradicts=against,
            doubts=place.perhaps if isinstance(place, Semantic) else (),
            left_out=saying.left_out,
        )
        edits = (*plan.edits, *edits)
        scores = archive_in_scores(
            session, {*saying.struck, *copies}, "corrected", plan.ids, plan.edits
        )
        edits = (*edits, *scores)
        if not edits:
            return done
        change = _change(saying, edits, number)
        receipt = session.commit(change, allowed=is_allowed_edit(saying))
        # What it is made of was referred to.
        session.uses.note(saying.parents)
        return replace(done, commit=receipt.commit, at=receipt.at, lines=receipt.lines)

    def _planned(
        self, saying: Saying, against: Sequence[str] = ()
    ) -> placement.PlacementPlan:
        """The edits by which something is stored, where there is room for its files."""
        while True:
            desk = desk_for(saying, self._desk)
            plan = plan_draft(saying, desk, against)
            if not self._session.make_room(plan.edits):
                return plan

    def _planned_by(
        self, actor: Actor, drafts: Sequence[Saying]
    ) -> placement.PlacementPlan:
        """The same for what several said."""
        while True:
            edits: dict[str, Edit] = {}
            ids: list[str] = []
            for draft in drafts:
                desk = placement.desk_over(edits, self._desk(actor, draft.origin))
                plan = plan_draft(draft, desk)
                placement.put_on_top(edits, plan.edits)
                ids += plan.ids
            if not self._session.make_room(edits.values()):
                return placement.PlacementPlan(
                    tuple(edits.values()), tuple(dict.fromkeys(ids))
                )

    def _judged(self, saying: Saying) -> Judged:
        """Return what somebody said is over, ends on a later day or is contradicted."""
        cited = self._clerk.around.cited
        places = [place for _, place in saying.steps]
        named = [(self._replaced(p), first_day(p)) for p in places if p.supersedes]
        named += [(cited(id_), first_day(places[0])) for id_ in saying.ends]
        gone: list[Near] = []
        ending: list[Near] = []
        for near, day in ((near, day) for near, day in named if near):
            held = holds_until(self._session, near, day)
            (ending if held else gone).append(near)
        against = [cited(id_) for id_ in saying.contradicts]
        facts = isinstance(saying.steps[0][1], Semantic)
        for id_, found in zip(saying.contradicts, against, strict=True):
            episode = id_.startswith(f"{Kind.EPISODE}:")
            if parse_fact_id(id_) is None and not (facts and episode):
                # Only a page can ask which of two holds.
                raise NotAFactError(id_, "--contradicts")
            if found is None:
                raise NoSuchMemoryError(id_)
        against += map(cited, saying.route.contradicts if saying.route else ())
        contradicted = dict.fromkeys(filter(None, against))
        return Judged(tuple(gone), tuple(ending), tuple(contradicted))

    def _replaced(self, place: Place) -> Near | None:
        """What a text takes the place of, as it stands."""
        id_ = place.supersedes
        if isinstance(place, Semantic) and not parse_fact_id(id_):
            id_ = fact_id(placement.entity_name(place), id_)
        elif isinstance(place, Procedural):
            name = f"procedure:{slug(place.name)}"
            page = self._clerk.around.cited(name)
            return replace(page, text=id_) if page and id_ != name else page
        return self._clerk.around.cited(id_)

    def _find_known(self, saying: Saying) -> str | None:
        """A memory that says the very same already, by its id.

        Raises:
            ForgottenError: Its human asked to forget it, and it is not them who
                brings it up again.
        """
        session, (text, place) = self._session, saying.steps[0]
        about = place.about if isinstance(place, Semantic) else ""
        said, text = text, spoken(about.rpartition("--")[2], text)
        try:
            alike = session.index.alike(sketch(text))
        except IndexUnavailableError:
            return None
        owner = saying.origin is Origin.OWNER or saying.quote is not None
        gone = ""
        for known in gate.find_known(text, alike):
            if day := known.forgotten or self._archived(known.id):
                gone = gone or day
            elif known.same and self._counts(known, saying, place):
                # What only strangers had said so far, its owner says themselves.
                by = session.index.origins((known.id,)).get(known.id)
                if not owner or by not in FOREIGN:
                    return known.id
        if owner:
            # Only the owner speaks again of what they asked to forget.
            return None
        # What was erased may have stood on a page that goes by another name since.
        tombs = (session.tombstones.day_of(told(each)) for each in (text, said))
        gone = gone or next(filter(None, tombs), "")
        if not gone and isinstance(place, Semantic) and place.about:
            gone = self._archived(f"entity:{placement.entity_name(place)}")
        if gone:
            raise gate.ForgottenError(gone if gone == _ONCE else f"on {gone}")
        return None

    def _archived(self, id_: str) -> str:
        """Says that a memory was forgotten as a whole; else nothing."""
        trace = self._session.index.trace(id_)
        return _ONCE if trace and trace.archived else ""

    def _counts(self, known: gate.Known, saying: Saying, place: Place) -> bool:
        """Whether a memory of the same words is the one that is meant.

        It is not where there is more to do in a place than to say something, nor where
        the same words tell of another event.
        """
        id_, chosen = ItemId.parse(known.id), saying.route is None
        more, there = bool(saying.ends or len(saying.steps) > 1), True
        match place:
            case Episodic() | Core() if place.supersedes:
                more = True
            case Procedural():  # two ways of doing things may share a step
                more = True
            case Semantic(supersedes=gone):
                more = bool(gone or (chosen and _says_more(place)))
                there = page_of(id_.name) == placement.entity_name(place)
            case Core(block=block, pinned=pinned):
                more, there = pinned, id_.name.startswith(f"{block}/")
            case Episodic(at=at, kind=kind) if known.at is not None:
                if at is not None and not isinstance(at, datetime):
                    at = datetime.combine(at, time(12), self._session.zone)
                now = self._session.clock()
                apart = abs((at or now).timestamp() - known.at)
                dated = at is not None or kind in _HAPPENINGS
                more = dated and apart >= (60 if at else _BREATH)
            case _:
                pass
        here = id_.store is store_of(place) and there
        return not more and (here or not chosen)

    def forgotten(self, text: str) -> bool:
        """Whether a text is among what was forgotten or erased on request."""
        session = self._session
        if session.tombstones.day_of(told(text)):
            return True
        if not session.index.anything_forgotten():
            return False
        alike = session.index.alike(sketch(text))
        known = gate.find_known(text, alike)
        return any(each.forgotten or self._archived(each.id) for each in known)


def _unrouted(data: bytes | None, path: str, id_: str) -> Entry | None:
    """An episode that waits for a mind, if it still stands there."""
    text = decode(data or b"", path)[0]
    for entry in parse_day(text, path).entries:
        if str(entry.id) == id_ and isinstance(entry.item, Episode):
            return entry if UNROUTED in entry.item.tags else None
    return None


def _about(place: Place | None) -> str:
    """What a text is said to be about, by who says where it belongs."""
    match place:
        case Vault(title=name) | Procedural(name=name):
            return name
        case Semantic(about=about):
            return about.rpartition("--")[2]
        case _:
            return ""


def _says_more(place: Semantic) -> bool:
    """Return whether a caller says more of a fact than its words."""
    days = place.since or place.on or place.until
    names = place.also or place.alias
    return bool(days or place.links or names or place.claim or place.tags)


def _admitted(saying: Saying) -> Saying:
    """What may go where it belongs, and what is data until a human agrees."""
    if saying.actor.human and saying.place is not None:
        # Who named the place by hand has decided.
        return saying
    stored: list[Step] = []
    waiting: list[Step] = []
    why = ""
    for text, place in saying.steps:
        reason = gate.why_it_waits(store_of(place), saying.origin)
        if reason and isinstance(place, Core) and place.pinned:
            what = "cannot pin a line of core memory that waits for its approval"
            raise RefusedError(what, hint="Leave out the pin; the user may pin it.")
        humble = gate.humbled(place, saying.origin)
        (waiting if reason else stored).append((text, humble))
        why = why or reason
    if not stored:
        tags = saying.route.tags if saying.route else ()
        note = Episodic(EpisodeKind.FACT, Confidence.LOW, tags)
        stored.append((saying.text, note))
    return replace(saying, steps=tuple(stored), waiting=tuple(waiting), why=why)


def _change(saying: Saying, edits: Edits, waits: int) -> ChangeSet:
    approval = Approval.NONE if saying.actor.human else Approval.AUTO
    approval = Approval.PENDING if waits else approval
    if saying.quote is not None:
        quote = saying.quote
        how = (saying.actor, Approval.USER_QUOTED, render_trigger(quote))
        return ChangeSet(edits, *how, sentences=quote.sentences)
    return ChangeSet(edits, saying.actor, approval, saying.trigger)


def open_desk(session: Session, actor: Actor, origin: Origin | None = None) -> Desk:
    """What planning needs to know of an open workspace, for one actor."""

    def vividness(id_: str) -> float:
        trace = session.index.trace(id_)
        decay, now = session.config.decay, session.clock()
        return standing(trace, now, decay)[0] if trace else 1.0

    # The agent's own words are never an explicit statement of the user.
    explicit = str(actor) in {"manual", "bot:trigger-remember"}
    explicit = explicit and origin in {None, Origin.OWNER}
    source = Source.USER_EXPLICIT if explicit else Source.CONVERSATION
    source = Source.REFLECTION if actor.session else source
    read, place, now = session.ledger.read, session.place, session.clock()
    parts = (read, place, vividness, origin, session.zone)
    return placement.Desk(session.config, now, source, *parts)
