"""One running conversation: said, told, summed up, corrected (002).

    window = memory.window("trip-to-rome")
    window.say("Where do we stay?")
    window.say("In Trastevere, for three nights.", role=Role.ASSISTANT)

What is said is durable when `say` returns, and in Markdown and history soon after.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, cast

from msgspec import Struct, field
from msgspec.structs import replace

from reverie.authority.authority import Act
from reverie.conversation import context_reflection as summaries
from reverie.conversation import told as blocks
from reverie.conversation.forgotten import hide_repeated
from reverie.conversation.known import room_for, tell_stable
from reverie.conversation.screening import (
    MAX_TURN_CHARS,
    TurnTooLongError,
    redact_edit,
    screen_turns,
)
from reverie.conversation.sitting import Log, Sitting, Sittings
from reverie.conversation.typed_turns import mark_typed
from reverie.conversation.used import given_for, used_in
from reverie.conversation.withheld import points_back, withhold
from reverie.decay import Status, standing
from reverie.encoding.forget import require_forgetter
from reverie.encoding.gate import pass_text, without_recalled
from reverie.encoding.outdated_core import annotate_core, find_outdated
from reverie.errors import ConflictError, RefusedError, ReverieError
from reverie.index import IndexUnavailableError
from reverie.index.text import listen
from reverie.markdown import one_line
from reverie.minds.json_answers import ask
from reverie.minds.mind import UnusableAnswerError
from reverie.model.change import DETECT, Actor, Approval, ChangeSet, Secrets
from reverie.model.conversation import (
    EPISODE,
    PART,
    REFLECTION,
    Cause,
    Offer,
    Pruned,
    SummedUp,
)
from reverie.model.ids import Store, WrongArgumentError, checked, whole
from reverie.model.items import (
    FOREIGN,
    SCOPE,
    Origin,
    Role,
    Turn,
    in_one_scope,
    in_utc,
    is_for,
    scope_name,
    scope_of,
)
from reverie.model.views import Hit, Reach
from reverie.printable import mended, storable
from reverie.recall.context_block import DEEP, in_quotes
from reverie.secrets import find_secrets, pass_words, without_secrets
from reverie.session import conversation_record as record
from reverie.session.conversation_record import record_of, turns_of
from reverie.session.host_processes import note_conversation
from reverie.session.summary_episodes import (
    find_episode,
    led_to_write,
    plan_change,
)
from reverie.session.upkeep import can_start
from reverie.stores.core import without_template
from reverie.stores.notes import BOOT_NOTES
from reverie.stores.turns import MissingTurnError, cut, mark_pasted, title_of, turn_id
from reverie.workspace import layout
from reverie.workspace.background import start_upkeep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from reverie.conversation.used import Given
    from reverie.encoding.remember import Remembering
    from reverie.model.change import Receipt
    from reverie.model.conversation import Attended, Awake, WindowState
    from reverie.model.route import Observation
    from reverie.model.views import Recalled
    from reverie.session.session import Minds, Session
    from reverie.session.viewer import Viewer

OFTEN = 4_096
"""After so many turns of one process they are written down by who says the next.

Seldom, because that takes longer than saying them. Whoever asks, looks or closes
writes them down before.
"""

ENOUGH = 200
"""So many of the newest turns tell how far it has come, and what may be summed up."""

IN_SIGHT = 40
"""So many turns are taken to be in the agent's sight where nobody said it."""

RECENT = 60
"""So many of the newest turns are looked at when an agent wakes."""

LATELY = 6
"""What was said in so many of the newest turns is what is talked about now."""

RESURRECTED = 8
"""So much comes back at most when an agent wakes."""

MOST_RESURRECTED = 30
"""So much of what was brought back is summarised, too."""

MANY = 32
"""So many turns of one's own are not worth a commit yet."""

LONGEST_QUESTION = 2_000
"""Characters of a question of one's own."""

READS = 12_000
"""Tokens of the context that are summarised."""

ROOM = 2_000
"""Tokens of a question besides the context and the answer."""

PAUSE = timedelta(minutes=1)
"""So long after a summary was started by a call, no other call starts one."""

_HOST = re.compile(r"[a-z]+(-[a-z]+)*")

_NEVER = datetime.min.replace(tzinfo=UTC)
_THINKING = {"api", "given"}
"""Kinds of minds that write a summary themselves; else the agent is asked to."""


class AlreadyReflectedError(ConflictError):
    """Somebody else wrote the summary that was due."""

    says = "no summary of {} is due any more"
    mend = "Another process has written it, or the user is speaking again."


def unheard(_window: str, _state: WindowState | None = None) -> None:
    """Nobody listens."""


class Talk(Struct, dict=True):
    """What all conversations of an open workspace share.

    Attributes:
        session: The workspace's parts.
        minds: Who thinks.
        recall: Finds what is written down and answers a question.
        viewer: Whom the workspace is open for.
        news: What an agent should know of besides its memories, for who speaks.
        remembering: Stores what was noted of them.
        heard: Told that a user was heard, and the state by then.
        said: How many turns this process has said.
        spoke: When it last heard the user of a window.
        keeps: Whether what is told is noted; else somebody only looks at it.
    """

    session: Session
    minds: Minds
    recall: Callable[..., Recalled]
    viewer: Viewer
    news: Callable[[str], blocks.News]
    remembering: Callable[[], Remembering]
    heard: Callable[[str, WindowState], None] = unheard
    said: int = 0
    spoke: dict[str, datetime] = field(default_factory=dict)
    keeps: bool = True

    @cached_property
    def sittings(self) -> Sittings:
        """What agents were told in their sessions."""
        return Sittings(self.session, keeps=self.keeps)


@lru_cache(maxsize=4)
def _as_told(core: bytes) -> str:
    """Core memory without secrets; it is told often, and changes seldom."""
    text = core.decode("utf-8-sig", "replace")
    return without_secrets(text) if find_secrets(without_template(text)) else text


class Window:
    """One running conversation.

    Args:
        talk: What all of them share.
        name: What it is called.
    """

    def __init__(self, talk: Talk, name: str) -> None:
        if not name.strip():
            hint = "Use what your agent calls it: `trip-to-rome`, or a chat's id."
            raise RefusedError("a conversation needs a name", hint=hint)
        for secret in find_secrets(name):
            what = f"a conversation cannot be named after a secret ({secret.kind})"
            hint = "Its name is that of a file; take another one."
            raise RefusedError(what, hint=hint)
        self._talk, self._session = talk, talk.session
        self.name = record.window_named(talk.session, name)

    def _whom(self, person: str) -> str:
        """Who speaks: for whom the workspace is open, or who is named."""
        pass_words((person,), Secrets.REFUSE)
        return self._talk.viewer.person or person

    def _record(self) -> record.WindowRecord:
        return record_of(self._session, self.name)

    # --- what was said -------------------------------------------------------

    @property
    def state(self) -> WindowState:
        """How far it has come."""
        known = self._session.journal.state(self.name)
        return self._counted() if known is None else known

    def _counted(self) -> WindowState:
        """The state as the record tells it, where the journal does not know."""
        return record.state_of(self._record().tail(ENOUGH))

    @checked
    def say(
        self,
        text: str,
        *,
        role: Role = Role.USER,
        speaker: str = "",
        answers: int = 0,
        at: datetime | None = None,
        person: str = "",
    ) -> Turn:
        """Record what was said; it is durable when this returns.

        Secrets in it are redacted, and what Reverie itself put into a message is
        taken out.

        Args:
            text: The words.
            role: Who speaks; the name of a role will do, any other is refused.
            speaker: The name of who speaks, where there are several.
            answers: The number of the turn it answers, where several are open.
            at: When it was said; now by default.
            person: Whom it is for alone; an answer is for who asked, by default.

        Returns:
            The turn with its number. A question and its answer share one: of texts
            too long for a turn, the last piece of the one and the first of the other.
        """
        person = person if person.strip() else self._talk.viewer.person
        if role is Role.ASSISTANT and answers and not person:
            person = self._asked_by(answers)
        said = self._pieces(role, text, person, at, speaker, answers)
        if role is Role.USER:
            self._before()
        turns = self._append(said)
        if role is not Role.ASSISTANT:
            return turns[-1]
        self._learn(turns[0], text)
        return turns[0]

    def note_host(self, processes: Iterable[str]) -> None:
        """Note that the newest message of a host's processes is from here."""
        note_conversation(self._session, self.name, processes)

    def record_typed(self, text: str, host: str) -> Turn:
        """Record a message that a host's hook says its user typed.

        Args:
            text: The message.
            host: Name of the host, in lower-case letters.
        """
        if not _HOST.fullmatch(host):
            raise WrongArgumentError("host", host, "a host such as claude-code")
        self._before()
        said = self._pieces(Role.USER, text, self._talk.viewer.person)
        return self._append(said, typed_in=host)[-1]

    @checked
    def exchange(
        self, question: str, answer: str, *, person: str = ""
    ) -> tuple[Turn, Turn]:
        """Record a question and its answer together: both, or neither."""
        person = person if person.strip() else self._talk.viewer.person
        asked = self._pieces(Role.USER, question, person)
        given = self._pieces(Role.ASSISTANT, answer, person)
        self._before()
        turns = self._append([*asked, *given])
        self._learn(turns[len(asked)], answer)
        return turns[len(asked) - 1], turns[len(asked)]

    def _before(self) -> None:
        """Somebody comes back: what is due by then is not lost.

        It goes by the state alone, because this is waited for with every message; and
        who was heard here a moment ago was not away.
        """
        spoke, now = self._talk.spoke, self._session.clock()
        config = self._session.config.conversation
        away = now - spoke.get(self.name, _NEVER)
        spoke[self.name] = now
        if timedelta() <= away < timedelta(minutes=config.idle_minutes):
            return
        state = self._session.journal.state(self.name)
        if state is None or record.due(state, now, config):
            self._start_if_due()

    def _asked_by(self, number: int) -> str:
        """Whom a turn is for alone: so is what answers it. It was said before."""
        if number >= self.state.last:
            return self.state.scope
        said = turns_of(self._session, self.name, deleted=True)
        scopes = (scope_of(turn) for turn in said if turn.number == number)
        return next(filter(None, scopes), "")

    def _pieces(
        self,
        role: Role,
        text: str,
        person: str,
        at: datetime | None = None,
        speaker: str = "",
        answers: int = 0,
    ) -> list[Turn]:
        """What is said as it is kept; a text too long for a turn makes several."""
        if len(text) > MAX_TURN_CHARS:
            raise TurnTooLongError(len(text), MAX_TURN_CHARS)
        clean = mended(pass_text(text, Secrets.REDACT).text)
        if not clean:
            raise RefusedError("nothing was said", hint="Give the words of the turn.")
        now = in_utc(self._session.clock())
        # Nothing was said in a time to come: that clock is wrong, or its zone is.
        moment, more = min(in_utc(at or now), now), _scope_field(person)
        said = Turn(self.name, answers, role, clean, moment, _line(speaker), more)
        texts = cut(clean, self._session.config.ledger.text_limit // 4)
        if len(texts) == 1:
            return [said]
        return [
            replace(said, text=piece, more=(*more, (PART, f"{n}/{len(texts)}")))
            for n, piece in enumerate(texts, 1)
        ]

    def _append(self, said: Sequence[Turn], typed_in: str = "") -> tuple[Turn, ...]:
        talk, session = self._talk, self._session
        said = screen_turns(session, self.name, said)
        said = hide_repeated(session, mark_pasted(withhold(session, said)))
        if typed_in:
            said = [mark_typed(session, turn, typed_in) for turn in said]
        turns = session.journal.append(
            self.name, said, self._counted, lambda n: self._record().is_answered(n)
        )
        talk.said += len(turns)
        if talk.heard is not unheard and said[0].role is Role.USER:
            talk.heard(self.name, self.state)
        if talk.said >= OFTEN:
            talk.said = 0
            session.write_down(wait=False)
        if meant := points_back(session, turns):
            with suppress(ReverieError):  # what was said is recorded in any case
                self.delete(meant, reason="asked not to remember it")
        return turns

    def _learn(self, turn: Turn, reply: str) -> None:
        """Count uses of what a reply was given, as far as it has words of it."""
        known = self._talk.sittings.load(self.name)
        if known and known.given and turn.number <= known.answers + 1:
            # What was said is kept; whatever goes wrong with this costs nobody a word.
            with suppress(ReverieError):
                self._session.uses.note(
                    used_in(reply, known.given, self._session.index)
                )

    @checked
    def turns(
        self, last: int = 0, *, number: int = 0, deleted: bool = False
    ) -> list[Turn]:
        """What was said, in order.

        Args:
            last: Only so many of the newest; 0 for all.
            number: Only what was said under this number; 0 for all.
            deleted: Whether to give those that were deleted, too.
        """
        who, session = self._talk.viewer.person, self._session
        return turns_of(session, self.name, last, number, deleted=deleted, person=who)

    @property
    def title(self) -> str:
        """What its file says that it is called; perhaps nothing."""
        data = self._record().opened(1)[1] or b""
        return title_of(data.decode("utf-8-sig", "replace"))

    @property
    def reflecting(self) -> bool:
        """Whether a summary of it is being written this moment."""
        return self._talk.sittings.claims(self.name)

    def numbered(self) -> dict[int, str]:
        """The ids of the newest turns by their numbers: of a pair, the user's."""
        return _by_number(self.turns(ENOUGH))

    def said_in_session(self) -> int:
        """How many turns were said since the agent woke."""
        sitting = self._talk.sittings.load(self.name)
        since = sitting.began if sitting else _NEVER
        return sum((turn.at or _NEVER) >= since for turn in self.turns(ENOUGH))

    # --- correcting it -------------------------------------------------------

    @checked
    def edit(
        self,
        number: int,
        text: str,
        *,
        role: Role = Role.ASSISTANT,
        actor: Actor | None = None,
    ) -> Receipt:
        """Correct a turn; history keeps what it said. Only a human may."""
        passed = pass_text(text, Secrets.REDACT).text
        passed = redact_edit(self._session, self.name, (number, role), passed)
        new = storable(passed, self._session.config.ledger.text_limit)
        what = f"correct turn {number} of {self.name}"
        with self._session.authority.alone(Act.SIGN, what, actor) as signed:
            return self._change(number, role, signed, f"edit turn {number}", new)

    @checked
    def delete(
        self,
        number: int,
        *,
        role: Role | None = None,
        actor: Actor | None = None,
        reason: str = "",
    ) -> Receipt:
        """Let a turn never come back: with its pair, unless one side is named.

        The record keeps it, marked; its vectors are gone, and `undo` brings it back.
        """
        authority = self._session.authority
        require_forgetter(actor or authority.default())
        why = without_secrets(reason) or f"delete turn {number}"
        with authority.signing(actor, f"delete turn {number} of {self.name}") as signed:
            return self._change(number, role, signed, why)

    def _change(
        self,
        number: int,
        role: Role | None,
        actor: Actor,
        trigger: str,
        new: str | None = None,
    ) -> Receipt:
        """Let a turn say something new; delete it where nothing is given.

        One that is for another person is as if it were not there.
        """
        session, viewer = self._session, self._talk.viewer
        day = session.clock().date().isoformat()

        def attempt() -> Receipt:
            session.look()
            session.write_down()
            said = turns_of(session, self.name, deleted=True) if viewer else ()
            meant = (t for t in said if t.number == number and role in {None, t.role})
            kept = self._record()
            if not all(viewer.sees(scope_of(turn)) for turn in meant):
                raise MissingTurnError(number, role, kept.path(1))
            summaries = turns_of(session, self.name, number=number)
            if new is not None and role is not None:
                edits = kept.plan_edit(number, role, new, day=day)
                changed = [turn for turn in summaries if turn.role is role]
                if edits and (episode := find_episode(session, changed)):
                    edits += plan_change(episode, new)
            else:
                edits = kept.plan_delete(number, role=role, day=day)
                gone = [turn for turn in summaries if role in {None, turn.role}]
                if edits and (episode := find_episode(session, gone)):
                    edits += plan_change(episode, None)
            if not edits:
                what = f"there is nothing to change in this turn of {self.name}"
                hint = f"`reverie window show {self.name} --deleted` shows it."
                raise RefusedError(what, hint=hint)
            approval = Approval.NONE if actor.human else Approval.AUTO
            return session.commit(ChangeSet(edits, actor, approval, trigger))

        # Whoever waits for it is told the purpose, and may not be told the reason.
        return session.persist("changing a turn", attempt)

    # --- what an agent is told -----------------------------------------------

    @checked
    def wake(
        self,
        *,
        budget: int | None = None,
        stable: int | None = None,
        person: str = "",
        new: bool = False,
    ) -> Awake:
        """What an agent should see at the start.

        Called again within a session, core memory and what is known come in the same
        bytes; what is new is appended, and what changed in core memory comes behind.

        Args:
            budget: The most tokens in all; `conversation.stable_tokens` for the stable
                part and `conversation.wake_tokens` for the rest by default.
            stable: The most tokens of core memory and what is known.
            person: Who speaks; what is for another person alone is not told.
            new: Whether a session begins, whatever was told before.
        """
        talk, person = self._talk, self._whom(person)
        room = room_for(budget, stable, self._session.config)
        state = self._start_if_due()
        sitting, core = self._begun(new=new), self._core()
        turns = [t for t in self.turns(RECENT) if is_for(scope_of(t), person)]
        back = self._found(_lately(turns), person, turns[0].number if turns else 1)
        news = replace(talk.news(person), offer=self._offer(person, state))
        stays, log = tell_stable(self._session, sitting, person, turns, room)
        awake = blocks.assemble_awake(
            stays,
            blocks.tell_changes(sitting.core, core),
            blocks.tell_news(news),
            (turns, back.hits[:RESURRECTED] if back else ()),
            room.behind(stays),
        )
        shown = {turn.number for turn in turns if str(turn_id(turn)) in awake.recent}
        first, now = min(shown, default=state.last + 1), self._session.clock()
        told = replace(sitting, active=now, told=core, first=first, kept=(), log=log)
        talk.sittings.change(
            self.name, lambda known: told.after(known).with_brought(awake.resurrected)
        )
        self._count(awake.resurrected)
        return replace(awake, offer=news.offer)

    @checked
    def attend(
        self, message: str, *, budget: int | None = None, person: str = ""
    ) -> Attended:
        """What to add to the context for one message.

        Args:
            message: What the user says.
            budget: The most tokens; `conversation.attend_tokens` by default.
            person: Who speaks; what is for another person alone is not told.
        """
        person = self._whom(person)
        most = blocks.budget_given(
            budget, self._session.config.conversation.attend_tokens
        )
        state = self._start_if_due()
        core = self._core()
        sitting = self._sitting(core)
        said = without_recalled(message)[0]
        # Who asks wants the best there is; else only what fits well comes to mind.
        deep = max(1, most // DEEP) if listen(said).asking else 0
        found = self._found(said, person, sitting.first, deep)
        fits, logged = list[Hit](), sitting.logged(person)
        if found is not None:
            from reverie.recall.answer import SURE  # noqa: PLC0415 - numpy for who asks

            # Neither turns that stayed in sight nor what an agent reads at every start.
            kept = (f"turn:{self.name}/{number}/" for number in sitting.kept)
            seen = (*kept, *BOOT_NOTES)
            good = self._session.config.recall.min_score
            fits = [hit for hit in found.hits if not hit.id.startswith(seen)]
            fits = [hit for hit in fits if deep or hit.score >= good]
            # Where the log tells the best, the rest is told only if it is good as well.
            least = good if {hit.id for hit in fits[:1]} & logged else 0.0
            left = (hit for hit in fits if hit.id not in logged)
            hits = tuple(hit for hit in left if hit.score >= least)
            sure = found.sure and any(hit.score >= SURE for hit in hits)
            # Nobody asked, so nobody is told that nothing was found.
            found = replace(found, hits=hits, sure=sure) if hits else None
        told = blocks.tell_changes(sitting.told, core)
        known = self._session.index.behind(logged) if found else ()
        attended = blocks.assemble_attended(told, found, most, known)
        # What did not fit is told the next time.
        aware = core if attended.changes == told else sitting.told
        # What the agent was told at its start, it was given as well.
        given = given_for(message, fits, {*attended.ids, *logged})
        self._note(sitting, attended.ids, aware, state.last, given)
        self._count(attended.ids)
        return replace(attended, offer=self._offer(person, state))

    @checked
    def prune(
        self,
        budget: int,
        *,
        message: str = "",
        turns: Iterable[Turn] | None = None,
        person: str = "",
    ) -> Pruned:
        """Choose what leaves the context, and sum it up first.

        What goes is what has least to do with what is talked about now. The record
        keeps everything: it can come back.

        Args:
            budget: Tokens that what stays may take.
            message: What is talked about; the newest turns by default.
            turns: What is in the context; the newest turns by default.
            person: Who speaks; what is for another person alone is left out, and the
                summary is for them alone if any of it is.
        """
        session, person = self._session, self._whom(person)
        budget = blocks.budget_given(budget, 0)
        given = self.turns(ENOUGH) if turns is None else turns
        there = [turn for turn in given if is_for(scope_of(turn), person)]
        words = message or _lately(there)
        fits: dict[str, float] = {}
        if words.strip():
            session.write_down(wait=False)
            where = {"reach": Reach.EVERYTHING, "stores": (Store.TURNS,)}
            found = self._talk.recall(words, least=0, limit=ENOUGH, **where)
            fits = {whole(hit.id): hit.score for hit in found.hits}
        kept, gone, tokens = blocks.choose(there, fits, budget)
        numbers = {turn.number for turn in gone} - {turn.number for turn in kept}
        if numbers:
            # They are out of sight, so that they can come back.
            fresh = self._sitting(self._core())
            self._talk.sittings.change(
                self.name, lambda known: fresh.unless(known).without(numbers)
            )
        pruned = Pruned(kept, gone, tokens)
        if session.config.conversation.before_pruning and in_one_scope(gone, person)[0]:
            done = self._sum_up(gone, "", Cause.PRUNING, person)
            if isinstance(done, Offer):
                return replace(pruned, offer=done)
            return replace(pruned, reflected=done)
        return pruned

    def _core(self) -> str:
        """Core memory as it is told: what a person typed there may be a secret."""
        data = self._session.confirmed(layout.CORE)
        text = (data or b"").decode("utf-8-sig", "replace")
        if data is None and (now := self._session.ledger.read(layout.CORE)):
            # Nothing of it was ever confirmed here.
            text = blocks.quote_unconfirmed(now.decode("utf-8-sig", "replace"))
        outdated = find_outdated(self._session, self._talk.viewer.person)
        return _as_told(annotate_core(text, outdated).encode())

    def _sitting(self, core: str) -> Sitting:
        """What the agent was told so far, or a session that begins now."""
        now, known = self._session.clock(), self._talk.sittings.load(self.name)
        if known is not None and known.first:
            return known
        first = max(1, self.state.last - IN_SIGHT)
        return Sitting(now, now, core, core, first=first).after(known)

    def _begun(self, *, new: bool) -> Sitting:
        """The session that goes on, or one that begins with a look at everything."""
        session = self._session
        session.look_sometimes()
        known, now = self._talk.sittings.load(self.name), session.clock()
        sitting = self._sitting(self._core())
        silence = timedelta(minutes=session.config.conversation.session_minutes)
        heard = self.state.heard
        # A clock that was wrong keeps no session alive, and ends it only once.
        last = max(sitting.active, heard if heard and heard <= now else sitting.active)
        if known is not None and known.first and not new and abs(now - last) <= silence:
            return sitting
        session.look()
        return replace(sitting, began=now, core=self._core(), brought=(), log=Log())

    def _found(
        self, words: str, person: str, first: int, deep: int = 0
    ) -> Recalled | None:
        """What fits some words, but for turns from a number on: they are in sight.

        Args:
            words: What is talked about.
            person: Who speaks.
            first: The number of the first turn in sight.
            deep: So many at least, however well they fit; 0 for those that fit well.
        """
        if not words.strip():
            return None
        # Let what was said elsewhere be found; what was said here is in sight.
        journal = self._session.journal
        names = journal.windows()
        if names and (names != [self.name] or len(journal.waiting(self.name)) > MANY):
            self._session.write_down(wait=False)
        sight = self.name, max(1, first)
        most = max(self._session.config.recall.max_results, deep)
        more = {"limit": most, "least": 0.0, "deep": True} if deep else {}
        return self._talk.recall(
            words, reach=Reach.AUTOMATIC, person=person, in_sight=sight, **more
        )

    def _note(
        self,
        sitting: Sitting,
        ids: tuple[str, ...],
        core: str,
        last: int = 0,
        given: tuple[Given, ...] = (),
    ) -> None:
        """Keep what was told; who was told nothing new costs nothing."""
        now = self._session.clock()
        more = {"given": given, "answers": last} if given else {}

        def noted(known: Sitting | None) -> Sitting:
            goes_on = sitting.unless(known).with_brought(ids)
            return replace(goes_on, told=core, active=now, **more)

        idle = not timedelta() <= now - sitting.active <= PAUSE
        if idle or replace(sitting.with_brought(ids), told=core, **more) != sitting:
            self._talk.sittings.change(self.name, noted)

    def _count(self, ids: Iterable[str]) -> None:
        """Count which context reflections came back."""
        turns = {whole(id_) for id_ in ids if id_.startswith("turn:")}
        if turns and self._talk.keeps:
            # Where nothing can be written, what is told matters more than a count.
            with suppress(IndexUnavailableError):
                self._session.index.note_resurrected(sorted(turns))

    # --- summing it up -------------------------------------------------------

    @checked
    def due(self, person: str = "") -> bool:
        """Whether a context reflection is due, of what is for everybody or a person."""
        return self._is_due(self.state, person)

    def _is_due(self, state: WindowState, person: str = "") -> bool:
        if not state.since:
            return False
        latest = partial(self.turns, max(ENOUGH, 4 * state.since), deleted=True)
        known, whom = self._talk.sittings.load(self.name), self._whom(person)
        return summaries.is_due(self._session, known, state, latest, whom)

    @checked
    def reflect(
        self, question: str = "", *, cause: Cause = Cause.ASKED, person: str = ""
    ) -> SummedUp | Offer:
        """Summarise what is in sight, as one more turn pair.

        What is for one person alone never gets into a summary for others.

        Args:
            question: What to answer instead of the configured prompt.
            cause: What started it.
            person: Who will read it: what is for them alone is summed up, too, and
                the summary is for them alone then. By default it is whom all of the
                turns are for, if that is one.

        Returns:
            The pair that a model wrote; or, where no model is to be asked, the prompt
            for the agent itself to answer and hand in with `note`.
        """
        return self._sum_up(self.turns(ENOUGH), question, cause, self._whom(person))

    @checked
    def end(self, *, person: str = "") -> SummedUp | Offer | None:
        """Say that the session ends: what was said is noted before it is out of sight.

        Args:
            person: Who spoke; see `reflect`.

        Returns:
            The summary and what was observed; the prompt, where the agent has to write
            it and hand it in with `note`; None where nothing was said since the last.
        """
        if not self.state.since:
            return None
        return self._sum_up(self.turns(ENOUGH), "", Cause.END, self._whom(person))

    @checked
    def note(
        self,
        summary: str,
        question: str = "",
        *,
        observations: Iterable[Observation | Mapping[str, object]] = (),
        cause: Cause = Cause.ASKED,
        person: str = "",
    ) -> SummedUp:
        """Take a context reflection that the agent wrote itself.

        Args:
            summary: Its answer to the prompt.
            observations: What it noted besides, statement by statement.
            question: The prompt, where it was not the configured one.
            cause: What started it.
            person: Who will read it; see `reflect`.
        """
        from reverie.encoding.observe import BadObservationError, read_observations  # noqa: PLC0415 - who sums up

        most, person = self._session.config.conversation.most_tokens, self._whom(person)
        try:
            clean = summaries.clean_summary(
                pass_text(summary, Secrets.REDACT).text, most
            )
        except summaries.UnfitSummaryError as error:
            what = f"this summary is not taken: {error}"
            hint = "Sum up what was said, in your words, in `conversation.most_tokens`."
            raise RefusedError(what, hint=hint) from error
        seen, whom = self._scope(self.turns(ENOUGH), person)
        noted = read_observations((*observations,))
        for number in {each.turn for each in noted} - {0, *_by_number(seen)}:
            raise BadObservationError(number, "there is no turn of that number")
        if self.due(person) and not question:
            cause = Cause.IDLE
        return self._keep(self._prompt(question, cause), clean, cause, whom, noted)

    def _scope(self, turns: Iterable[Turn], person: str) -> tuple[list[Turn], str]:
        """What may be summed up together, and whom that is for alone."""
        seen, whom = in_one_scope(turns, person)
        if not seen:
            hint = "Summarise it when something was."
            raise RefusedError(f"nothing was said in {self.name} yet", hint=hint)
        return seen, whom

    def _sum_up(
        self, turns: Sequence[Turn], question: str, cause: Cause, person: str
    ) -> SummedUp | Offer:
        """Have some turns summed up by who thinks, or offered to the agent."""
        from reverie.encoding.observe import read_observations, require_offered  # noqa: PLC0415 - who sums up

        if cause is Cause.IDLE and not in_one_scope(turns, person)[0]:
            raise AlreadyReflectedError(self.name)
        seen, whom = self._scope(turns, person)
        talk, most = self._talk, self._session.config.conversation.most_tokens
        prompt = self._prompt(question, cause)
        if talk.minds.kind not in _THINKING:
            about = ""
            if cause is Cause.PRUNING:
                about = summaries.context_text(seen, "", "", most)
            how = talk.remembering().how_to_observe()
            return Offer(self.name, cause, prompt, most, about, whom, how)
        if not talk.sittings.claim(self.name):
            what = f"a summary of {self.name} is being written this moment"
            hint = "Wait for it: `reverie window` tells when it is done."
            raise ConflictError(what, hint=hint)
        try:
            if cause is Cause.IDLE and not self.due(person):
                raise AlreadyReflectedError(self.name)
            mind = talk.minds.open(
                "context-reflection", {}, tokens=2 * (READS + most + ROOM)
            )
            assert mind is not None  # noqa: S101 - only asked where a model thinks
            core, back = blocks.core_text(self._core()), self._brought(whom)
            zone = self._session.zone
            local = [replace(t, at=t.at and t.at.astimezone(zone)) for t in seen]
            context = summaries.context_text(local, core, back, READS)
            told = (turn.text for turn in reversed(seen) if turn.role is Role.USER)
            names, facts = talk.remembering().spoken_of(told)
            known = "\n".join(f"{id_}: {t}" for id_, t in (names | facts).items())
            how = talk.remembering().how_to_observe()
            asked = summaries.summary_question(prompt, context, most, known, how)
            numbers = _by_number(seen)

            def clean(
                told: Mapping[str, object],
            ) -> tuple[str, tuple[Observation, ...]]:
                summary = summaries.clean_summary(str(told["summary"]), most)
                given = cast("list[dict[str, object]]", told.get("observations", []))
                noted = read_observations(given)
                require_offered(noted, numbers, facts)
                return summary, noted

            try:
                summary, noted = ask(mind, asked, clean)
            except UnusableAnswerError as error:
                talk.sittings.give_up(self.name, seen[-1].number)
                how = f"`reverie window reflect {self.name}` tries again"
                self._session.note(f"{self.name} was not summarised: {error}. {how}.")
                raise
            return self._keep(prompt, summary, cause, whom, noted)
        finally:
            talk.sittings.change(
                self.name, lambda known: known and replace(known, claimed=None)
            )

    def _prompt(self, question: str, cause: Cause) -> str:
        if question.strip():
            return storable(without_secrets(question), LONGEST_QUESTION)
        config = self._session.config.conversation
        return config.pruning_prompt if cause is Cause.PRUNING else config.prompt

    def _brought(self, person: str) -> str:
        """What was brought back in this session, which is in sight as well.

        Not what was forgotten since, nor what is for others than the summary.
        """
        session, sitting = self._session, self._talk.sittings.load(self.name)
        ids = sitting.brought[-MOST_RESURRECTED:] if sitting else ()
        scopes = session.index.scopes() if ids else {}
        now, decay, told = session.clock(), session.config.decay, []
        for id_ in map(whole, ids):
            found, trace = session.find(id_), session.index.trace(id_)
            faded = trace and standing(trace, now, decay)[1] is Status.ARCHIVED
            if found and not faded and scopes.get(id_, "") in {"", scope_name(person)}:
                text = one_line(found.text or found.aside)
                is_own = found.origin not in FOREIGN
                told.append(f"- {text if is_own else in_quotes(text)}")
        return "\n".join(told)

    def _keep(
        self,
        prompt: str,
        summary: str,
        cause: Cause,
        person: str,
        noted: Sequence[Observation],
    ) -> SummedUp:
        """Append both halves at once; others see them as soon as they are written.

        What was noted comes first: if that is as far as we get, all of it is owed yet.
        """
        observed = None
        if noted:
            self._session.write_down()
            turns = self.turns(ENOUGH)
            # What strangers said stays theirs, whoever noted it.
            foreign = any(turn.imported for turn in turns)
            whose = Origin.IMPORT if foreign else Origin.AGENT
            told = (DETECT, whose, f"observed in {self.name}", _by_number(turns))
            observed = self._talk.remembering().observe(noted, *told, person)
        now = self._session.clock()
        more = ((REFLECTION, str(cause)), *_scope_field(person))
        said = self._unsummarised()
        stored = led_to_write(self._session, self.name, said[0].at if said else None)
        whose = Origin.IMPORT if any(t.imported for t in said) else Origin.AGENT
        episode = () if noted or stored else ((EPISODE, str(whose)),)
        clean = pass_text(summary, Secrets.REDACT).text
        pair = [
            Turn(self.name, 0, Role.SYSTEM, prompt, now, more=more),
            Turn(self.name, 0, Role.ASSISTANT, clean, now, more=(*more, *episode)),
        ]
        asked, given = self._append(pair)
        self._session.write_down(wait=False)
        self._talk.sittings.change(
            self.name, lambda known: known and replace(known, owed=False)
        )
        return SummedUp(asked, given, observed)

    def _unsummarised(self) -> list[Turn]:
        """Return the turns since the last context reflection."""
        found = list[Turn]()
        for turn in reversed(self.turns(ENOUGH)):
            if turn.field(REFLECTION):
                break
            found.insert(0, turn)
        return found

    def _offer(self, person: str, state: WindowState) -> Offer | None:
        """The summary that the agent has to write, where it is due and no model is."""
        if self._talk.minds.kind in _THINKING or not self._is_due(state, person):
            return None
        whom = in_one_scope(self.turns(ENOUGH), person)[1]
        config = self._session.config.conversation
        asked = (Cause.IDLE, config.prompt, config.most_tokens)
        how = self._talk.remembering().how_to_observe()
        return Offer(self.name, *asked, person=whom, observe=how)

    def _start_if_due(self) -> WindowState:
        """Have it summarised where that is due and no timer saw to it; how it stands.

        A model that is at hand does so before this returns. One behind a network is
        asked by a process of its own, so that nobody waits for it. Where no model is,
        the agent is offered the prompt. In any case the summary is owed until it is
        written, even if the user speaks again meanwhile.
        """
        state = self.state
        if not self._talk.keeps or not self._is_due(state):
            return state
        talk, now = self._talk, self._session.clock()
        known = talk.sittings.load(self.name)
        asked = known.asked if known else None
        # A clock that was set back must not put it off for good.
        started = asked is not None and timedelta() <= now - asked < PAUSE
        kind, api = talk.minds.kind, talk.minds.kind == "api"
        able = can_start(self._session) if api else kind in _THINKING
        starts = able and not started

        def owing(known: Sitting | None) -> Sitting:
            sitting = known or Sitting(now, now)
            return replace(sitting, owed=True, asked=now if starts else sitting.asked)

        if starts or known is None or not known.owed:
            talk.sittings.change(self.name, owing)
        # What goes wrong with it must not cost the user their message.
        with suppress(ReverieError):
            if starts and api:
                start_upkeep(self._session.folder, ended=False)
            elif starts:
                self.reflect(cause=Cause.IDLE)
        return self.state


def _lately(turns: list[Turn]) -> str:
    """What was said lately, the user's words first: they tell what it is about."""
    lately = turns[-LATELY:]
    ordered = sorted(lately, key=lambda turn: turn.role is not Role.USER)
    return "\n".join(turn.text for turn in ordered)


def _by_number(turns: Iterable[Turn]) -> dict[int, str]:
    """The ids of turns by their numbers: of a pair, what the user said.

    What a program said and the agent answered is the program's.
    """
    order = (Role.ASSISTANT, Role.SYSTEM, Role.USER)
    ranked = sorted(turns, key=lambda turn: order.index(turn.role))
    return {turn.number: str(turn_id(turn)) for turn in ranked}


def _line(text: str) -> str:
    return text and mended(one_line(without_secrets(text)))


def _scope_field(person: str) -> tuple[tuple[str, str], ...]:
    """The field of a heading that says whom a turn is for alone."""
    return ((SCOPE, _line(person)),) if person.strip() else ()
