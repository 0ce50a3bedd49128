"""What goes into memory, and what is to leave it: the verbs of encoding."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.decay.curve import standing
from reverie.encoding.gate.echoes import without_recalled
from reverie.encoding.gate.passing import SecretFoundError
from reverie.encoding.remember import Desk
from reverie.encoding.triggers import detect
from reverie.errors import RefusedError
from reverie.memory.filing import Clerk
from reverie.memory.forgetting import find_to_forget, forget
from reverie.memory.hearing import hear
from reverie.memory.minding import Minds
from reverie.memory.reader import Reader, now_in_utc
from reverie.memory.remembering import Remembering
from reverie.memory.saying import Saying, parse_saying
from reverie.model.asked import HostQuestion
from reverie.model.change import FORGET, MANUAL, REMEMBER, Actor, OnlyHumansError
from reverie.model.ids import ItemId
from reverie.model.items import Role, Source
from reverie.model.origin import Origin, least, origin_of
from reverie.model.place import Episodic
from reverie.model.recall import Reach
from reverie.model.remembered import Secrets
from reverie.model.scope import is_for
from reverie.secrets import find_secrets, redact, without_secrets
from reverie.workspace.questions import QuestionBox

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from reverie.encoding.importing.found import Found
    from reverie.memory.hearing import Heard
    from reverie.memory.taking_in import Imported
    from reverie.minds.mind import Mind
    from reverie.model.change import Receipt
    from reverie.model.finding import Finding
    from reverie.model.forgetting import Forgetting, Match
    from reverie.model.ids import Store
    from reverie.model.place import Place
    from reverie.model.recall import Hit
    from reverie.model.remembered import Remembered

WAITING = timedelta(days=7)
"""A question that the host agent has not answered for so long is dropped."""

MOST_SHOWN = 50
"""So many memories at most are shown for one wish to forget."""

_ON_BEHALF = frozenset({"bot:trigger-forget", "bot:main"})

_SOURCES = {
    "manual": Source.USER_EXPLICIT,
    "bot:trigger-remember": Source.USER_EXPLICIT,
}


class NotACallerError(RefusedError):
    """A change was to be signed with a name that is Reverie's own."""

    def __init__(self, actor: Actor) -> None:
        super().__init__(
            f"{actor} is Reverie itself, nobody else may sign so",
            hint="Use manual, bot:…, reflection:…, skill:… or subagent:….",
        )


def require_caller(actor: Actor) -> None:
    """Refuse a caller who signs as Reverie itself."""
    if str(actor).startswith("system:"):
        raise NotACallerError(actor)


def require_forgetter(actor: Actor) -> None:
    """Refuse everybody but a human, and the main agent on their behalf."""
    if not actor.human and actor.tag not in _ON_BEHALF:
        raise OnlyHumansError(actor)


class Learner(Reader):
    """An open workspace, to be asked and told.

    Args:
        path: Its folder.
        clock: Where the time comes from; must give UTC.
        environ: Where overrides of the configuration, and keys, come from.
        mind: Who thinks, instead of whom the configuration names.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        clock: Callable[[], datetime] = now_in_utc,
        environ: Mapping[str, str] | None = None,
        mind: Mind | None = None,
    ) -> None:
        super().__init__(path, clock=clock, environ=environ)
        self._minds = Minds(self._house, self._variables, mind)
        self._clerk = Clerk(self._house, self._minds)
        self._remembering = Remembering(self._house, self._desk, self._clerk)

    def remember(
        self,
        text: str,
        place: Place | None = None,
        *,
        actor: Actor = REMEMBER,
        trigger: str = "remember",
        origin: Origin | None = None,
        secrets: Secrets = Secrets.REFUSE,
        derived_from: Iterable[str] = (),
    ) -> Remembered:
        """Store a text where it belongs.

        Args:
            text: What to remember.
            place: Which store, and what that store wants to know; without it the
                mind finds out, or rules do.
            actor: Who acts.
            trigger: What started it, in the user's words where there are any.
            origin: Whose words it is, where that is not the actor's: `Origin.TOOL` for
                what a web page said. It never raises the trust that the actor has.
            secrets: What to do with passwords and keys in it.
            derived_from: Ids of memories that it was made of; it is trusted no more
                than the least of them.

        Returns:
            Proof that it is durable, with the ids it has; without lines if all of it
            was known already. What may not go where it belongs waits, and it says so.

        Raises:
            SecretFoundError: It has a secret; nothing of it was written.
            ForgottenError: Its human asked to forget it.
            RestatedError: It only repeats a file that the agent always reads.
        """
        require_caller(actor)
        own = origin_of(actor)
        return self._remembering.remember(
            Saying(
                text,
                place,
                actor,
                trigger,
                least((own, origin or own)),
                secrets,
                tuple(derived_from),
            )
        )

    def hear(self, message: str, *, role: Role = Role.USER, person: str = "") -> Heard:
        """Do what a message of the user asks of memory.

        What it says to remember is stored as the user's own words. What it says to
        forget is looked for, and `forget` has to be called with what was confirmed.
        To be called before the message is recorded with `say`: the words of a wish to
        forget that was granted would bring back what they name.

        Args:
            message: What was said.
            role: Who said it.
            person: Whom it is for alone: so is what is remembered, and nothing that is
                for somebody else is looked for. Only an episode can be.
        """
        # What Reverie itself put into a message asks for nothing.
        own = without_recalled(message)[0]
        # A secret is whole before the message is cut into what it asks for.
        secrets = find_secrets(own)
        kinds = [secret.kind for secret in secrets]
        place = Episodic(scope=person) if person.strip() else None

        def remember(text: str, trigger: str) -> Remembered:
            if kinds and "[redacted" in text:
                raise SecretFoundError(kinds)
            return self.remember(text, place, trigger=trigger)

        return hear(
            detect(redact(own, secrets), role),
            remember,
            lambda trigger: replace(
                self._find(trigger.content, person), permanent=trigger.permanent
            ),
        )

    def questions(self) -> list[HostQuestion]:
        """What the host agent has to answer, the oldest first."""
        box = self._box()
        box.expire(self._house.clock(), WAITING)
        return [
            HostQuestion(
                each.question.id,
                each.question.operation,
                each.question.text,
                each.question.schema,
                each.asked,
                each.problem,
            )
            for each in box.open_questions()
        ]

    def answer(self, question_id: str, answer: str) -> Remembered:
        """Take the host agent's answer, and go on with what it was asked for.

        Args:
            question_id: Of `questions`.
            answer: One JSON object that fits the question's schema.
        """
        waiting = self._box().answer(question_id, answer)
        return self._remembering.remember(parse_saying(waiting.arguments))

    def _box(self) -> QuestionBox:
        house = self._house
        seconds = house.config.ledger.lock_seconds
        return QuestionBox(house.folder, house.clock, lock_seconds=seconds)

    def take_in(
        self,
        found: Iterable[Found | Finding],
        *,
        actor: Actor = MANUAL,
        secrets: Secrets = Secrets.REDACT,
        progress: Callable[[int], None] = lambda _done: None,
    ) -> Imported:
        """File conversations and passages that come from elsewhere.

        What is there already stays as it is, so it may be done again, and goes on
        where it was cut off.

        Args:
            found: What to file; findings are passed on in the report.
            actor: Who acts.
            secrets: What to do with passwords and keys in it.
            progress: Told how many memories are done, after each batch.
        """
        from reverie.memory.taking_in import screened, take_in  # noqa: PLC0415 - see below

        require_caller(actor)
        desk = lambda: self._desk(actor)  # noqa: E731 - planned anew for every batch
        clean = screened(found, secrets, actor, self._remembering.forgotten)
        return take_in(self._house, clean, desk, actor, progress)

    def import_from(
        self,
        path: str | os.PathLike[str],
        *,
        kind: str | None = None,
        actor: Actor = MANUAL,
        secrets: Secrets = Secrets.REDACT,
        progress: Callable[[int, int, int], None] = lambda _done, _all, _memories: None,
    ) -> Imported:
        """Bring in documents, notes or chats from a file, a folder or a zip.

        Args:
            path: What to read.
            kind: How to read it, where it does not tell by itself.
            actor: Who acts.
            secrets: What to do with passwords and keys in it.
            progress: Told the bytes read, those to read, and the memories filed.
        """
        from reverie.memory.taking_in import (  # noqa: PLC0415 - only who imports pays
            read_all,
        )

        reading = read_all(Path(path), kind, self.root, secrets)
        return self.take_in(
            reading.things(),
            actor=actor,
            secrets=secrets,
            progress=lambda count: progress(reading.done, reading.size, count),
        )

    def find_to_forget(self, wish: str) -> Forgetting:
        """Find what a wish to forget is about; nothing is forgotten yet.

        Args:
            wish: In plain words: a name, or what the memory says. The words that ask
                for it ("forget about", "permanently delete") may stand in front.
        """
        words, permanent = self._clerk.wish(wish)
        return replace(self._find(words), permanent=permanent)

    def _find(self, wish: str, person: str = "") -> Forgetting:
        def ask(stores: frozenset[Store]) -> Sequence[Hit]:
            return self.recall(
                wish,
                stores=stores,
                least=0,
                limit=MOST_SHOWN,
                reach=Reach.EVERYTHING,
                person=person,
            ).hits

        found = find_to_forget(self._house, wish, ask)
        # An id may name anything.
        scopes = self._house.index.scopes() if person else {}
        seen = (m for m in found.matches if is_for(scopes.get(m.id, ""), person))
        return replace(found, matches=tuple(seen))

    def forget(
        self,
        matches: Sequence[Match],
        *,
        actor: Actor = FORGET,
        trigger: str = "forget",
    ) -> Receipt:
        """Archive what was found and agreed to; `undo` brings it back.

        Args:
            matches: Of `find_to_forget`, those that were confirmed. They hold for
                the very texts that were shown.
            actor: Who acts; an agent only for its human, and for few at once.
            trigger: What started it, in the user's words.
        """
        require_forgetter(actor)
        words = without_secrets(trigger)
        return self._house.persist(
            "forget", lambda: forget(self._house, matches, actor, words)
        )

    def reinforce(self, ids: Iterable[str]) -> int:
        """Note that memories were of use, which keeps them vivid.

        Reading is no change: it is kept in the index, and written down with the
        next snapshot of the scores.

        Returns:
            How many have a score to keep; turns of conversations have none.
        """
        house = self._house
        house.sync()
        return house.reinforce([str(ItemId.parse(id_)) for id_ in ids])

    def embed(
        self, progress: Callable[[int, int], None] = lambda _done, _all: None
    ) -> int:
        """Give vectors to all memories that have none of the configured model."""
        self._house.sync()
        return self._recalling.embed(None, progress)

    def _desk(self, actor: Actor, origin: Origin | None = None) -> Desk:
        house = self._house
        source = _SOURCES.get(str(actor), Source.CONVERSATION)
        source = Source.REFLECTION if actor.session else source
        return Desk(
            house.config,
            house.clock(),
            source,
            house.ledger.read,
            house.place,
            self._vividness,
            origin,
        )

    def _vividness(self, id_: str) -> float:
        trace = self._house.index.trace(id_)
        decay, now = self._house.config.decay, self._house.clock()
        return standing(trace, now, decay)[0] if trace else 1.0
