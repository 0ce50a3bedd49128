"""What an agent is told: when it wakes, for each message, and what may leave (002)."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from reverie.conversation.context_reflection import Summarised, start_if_due
from reverie.conversation.prune import choose
from reverie.conversation.told_blocks import (
    assemble_attended,
    assemble_awake,
    tell_changes,
    tell_core,
    tell_news,
)
from reverie.encoding.gate import without_recalled
from reverie.errors import RefusedError
from reverie.index import IndexUnavailableError
from reverie.index.sqlite_index import whole
from reverie.model.conversation import Attended, Awake, Cause, Offer, Pruned, SummedUp
from reverie.model.ids import Store
from reverie.model.items import Role
from reverie.model.origin import in_one_scope, is_for, scope_of
from reverie.model.recall import Reach
from reverie.stores.turns import turn_id

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from reverie.conversation.session_notes import Sitting
    from reverie.conversation.told_blocks import News
    from reverie.conversation.window import Talk
    from reverie.model.items import Turn
    from reverie.model.recall import Hit, Recalled

RECENT = 60
"""So many of the newest turns are looked at when an agent wakes."""

LATELY = 6
"""What was said in so many of the newest turns is what is talked about now."""

LOOKED_AT = 200
"""So many turns are weighed when something has to leave the context."""

RESURRECTED = 8
"""So much comes back at most when an agent wakes."""

MANY = 32
"""So many turns of one's own are not worth a commit yet."""

MINUTE = timedelta(minutes=1)


class NoBudgetError(RefusedError):
    """Something was to be told in no tokens at all."""

    def __init__(self, budget: int) -> None:
        super().__init__(
            f"a budget of {budget:,} tokens leaves room for nothing",
            hint="Give at least one token, or leave it out for the configured budget.",
        )


class Window(Summarised):
    """One running conversation.

    Args:
        talk: What all of them share.
        name: What it is called.
        news: What the agent should know of besides its memories, for who speaks.
    """

    def __init__(self, talk: Talk, name: str, news: Callable[[str], News]) -> None:
        super().__init__(talk, name)
        self._news = news

    def wake(
        self, *, budget: int | None = None, person: str = "", new: bool = False
    ) -> Awake:
        """What an agent should see at the start.

        Called again within a session, core memory comes in the same bytes; what
        changed since comes behind it.

        Args:
            budget: The most tokens; `conversation.wake_tokens` by default.
            person: Who speaks; what is for another person alone is not told.
            new: Whether a session begins, whatever was told before.
        """
        talk = self._talk
        person = talk.viewer.person or person
        most = _budget(budget, talk.house.config.conversation.wake_tokens)
        start_if_due(talk, self.name)
        now = talk.house.clock()
        sitting = self._session(now, new=new)
        core = self._core()
        turns = [t for t in self.turns(RECENT) if is_for(scope_of(t), person)]
        back = self._resurrected(turns, person)
        news = replace(self._news(person), offer=self._offer(person))
        awake = assemble_awake(
            tell_core(sitting.core),
            tell_changes(sitting.core, core),
            tell_news(news),
            (turns, back),
            most,
        )
        numbers = [turn.number for turn in turns if _id(turn) in set(awake.recent)]
        first = min(numbers, default=self.state.last + 1)
        told = replace(sitting, active=now, told=core, first=first, kept=())
        talk.sittings.change(
            self.name,
            lambda known: told.after(known).with_brought(awake.resurrected),
        )
        self._count(awake.resurrected)
        return replace(awake, offer=news.offer)

    def attend(
        self, message: str, *, budget: int | None = None, person: str = ""
    ) -> Attended:
        """What to add to the context for one message.

        Args:
            message: What the user says.
            budget: The most tokens; `conversation.attend_tokens` by default.
            person: Who speaks; what is for another person alone is not told.
        """
        talk = self._talk
        person = talk.viewer.person or person
        most = _budget(budget, talk.house.config.conversation.attend_tokens)
        start_if_due(talk, self.name)
        words = without_recalled(message)[0]
        now, core = talk.house.clock(), self._core()
        sitting = self.sitting(core)
        found = self._unseen(words, person, sitting) if words.strip() else None
        if found is not None and not found.hits:
            # Nobody asked, so nobody is told that nothing was found.
            found = None
        told = tell_changes(sitting.told, core)
        attended = assemble_attended(told, found, most)
        # What did not fit is told the next time.
        known = core if attended.changes == told else sitting.told
        self._note(sitting, attended.ids, known, now)
        self._count(attended.ids)
        return replace(attended, offer=self._offer(person))

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
        talk = self._talk
        person = talk.viewer.person or person
        budget = _budget(budget, 0)
        given = self.turns(LOOKED_AT) if turns is None else turns
        there = [turn for turn in given if is_for(scope_of(turn), person)]
        words = message or _lately(there)
        fits: dict[str, float] = {}
        if words.strip():
            everything = Reach.EVERYTHING
            talk.house.write_down(wait=False)
            found = talk.recall(
                words, reach=everything, stores=(Store.TURNS,), least=0, limit=LOOKED_AT
            )
            fits = {whole(hit.id): hit.score for hit in found.hits}
        kept, gone, tokens = choose(there, fits, budget)
        self._let_go(kept, gone)
        done: SummedUp | Offer | None = None
        wanted = talk.house.config.conversation.before_pruning
        if wanted and in_one_scope(gone, person)[0]:
            done = self.reflect_on(gone, "", Cause.PRUNING, person)
        return Pruned(
            kept,
            gone,
            tokens,
            done if isinstance(done, SummedUp) else None,
            done if isinstance(done, Offer) else None,
        )

    def _let_go(self, kept: Iterable[Turn], gone: Iterable[Turn]) -> None:
        """Note that turns are out of sight, so that they can come back."""
        numbers = {turn.number for turn in gone} - {turn.number for turn in kept}
        if numbers:
            fresh = self.sitting(self._core())
            self._talk.sittings.change(
                self.name, lambda known: fresh.unless(known).without(numbers)
            )

    def said_in_session(self) -> int:
        """How many turns were said since the agent woke."""
        sitting = self._talk.sittings.load(self.name)
        since = sitting.began if sitting else None
        turns = self.turns(LOOKED_AT)
        return sum(since is None or (t.at is not None and t.at >= since) for t in turns)

    def _session(self, now: datetime, *, new: bool) -> Sitting:
        """The session that goes on, or one that begins with a look at everything."""
        talk = self._talk
        talk.house.look_sometimes()
        known = talk.sittings.load(self.name)
        sitting = self.sitting(self._core())
        silence = timedelta(minutes=talk.house.config.conversation.session_minutes)
        heard = self.state.heard
        # A clock that was wrong keeps no session alive, and ends it only once.
        last = max(sitting.active, heard if heard and heard <= now else sitting.active)
        over = now - last > silence or last - now > silence
        if known is not None and known.begun and not (new or over):
            return sitting
        talk.house.look()
        core = self._core()
        return replace(sitting, began=now, core=core, brought=())

    def _resurrected(self, turns: list[Turn], person: str) -> tuple[Hit, ...]:
        """What fits what was said lately, and was not said lately."""
        words = _lately(turns)
        if not words.strip():
            return ()
        first = min((turn.number for turn in turns), default=1)
        return self._found(words, person, first).hits[:RESURRECTED]

    def _write_down(self) -> None:
        """Let what was said elsewhere be found; what was said here is in sight."""
        journal = self._talk.house.journal
        names = journal.windows()
        if names and (names != [self.name] or len(journal.waiting(self.name)) > MANY):
            self._talk.house.write_down(wait=False)

    def _found(self, words: str, person: str, first: int) -> Recalled:
        """What fits some words, but for turns that are in the agent's sight."""
        self._write_down()
        return self._talk.recall(
            words,
            reach=Reach.AUTOMATIC,
            person=person,
            in_sight=(self.name, max(1, first)),
        )

    def _unseen(self, words: str, person: str, sitting: Sitting) -> Recalled:
        """The same, also without turns that stayed in sight when others left."""
        found = self._found(words, person, sitting.first)
        seen = tuple(f"turn:{self.name}/{number}/" for number in sitting.kept)
        hits = tuple(hit for hit in found.hits if not hit.id.startswith(seen))
        return replace(found, hits=hits, sure=found.sure and hits[:1] == found.hits[:1])

    def _offer(self, person: str) -> Offer | None:
        """The summary that the agent has to write, where it is due and no model is."""
        if self._talk.minds.kind in {"api", "given"} or not self.due(person):
            return None
        whom = in_one_scope(self.turns(LOOKED_AT), person)[1]
        config = self._talk.house.config.conversation
        most = config.most_tokens
        return Offer(self.name, Cause.IDLE, config.prompt, most, person=whom)

    def _note(
        self, sitting: Sitting, ids: tuple[str, ...], core: str, now: datetime
    ) -> None:
        """Keep what was told; who was told nothing new costs nothing."""
        idle = now - sitting.active > MINUTE or now < sitting.active
        if idle or replace(sitting.with_brought(ids), told=core) != sitting:
            self._talk.sittings.change(
                self.name,
                lambda known: replace(
                    sitting.unless(known).with_brought(ids), told=core, active=now
                ),
            )

    def _count(self, ids: Iterable[str]) -> None:
        """Count which context reflections came back."""
        turns = {whole(id_) for id_ in ids if id_.startswith("turn:")}
        if turns:
            # Where nothing can be written, what is told matters more than a count.
            with contextlib.suppress(IndexUnavailableError):
                self._talk.house.index.note_resurrected(sorted(turns))


def _budget(given: int | None, usual: int) -> int:
    budget = usual if given is None else given
    if budget < 1:
        raise NoBudgetError(budget)
    return budget


def _id(turn: Turn) -> str:
    return str(turn_id(turn))


def _lately(turns: list[Turn]) -> str:
    """What was said lately, the user's words first: they tell what it is about."""
    lately = turns[-LATELY:]
    ordered = sorted(lately, key=lambda turn: turn.role is not Role.USER)
    return "\n".join(turn.text for turn in ordered)
