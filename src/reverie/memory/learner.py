"""What goes into memory, and what is to leave it: the verbs of encoding."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.authority.acts import Act
from reverie.authority.authority import require_caller
from reverie.decay.curve import standing
from reverie.encoding.filing import Clerk
from reverie.encoding.forgetting import find_to_forget, forget, require_forgetter
from reverie.encoding.gate.echoes import without_recalled
from reverie.encoding.remember import Desk
from reverie.encoding.remembering import Remembering
from reverie.encoding.saying import Saying, parse_saying
from reverie.encoding.triggers import detect
from reverie.errors import RefusedError
from reverie.markdown import headline
from reverie.memory.hearing import hear
from reverie.memory.reader import Reader, now_in_utc
from reverie.minds.host import HostGaveUpError
from reverie.model.change import FORGET, MAIN, REMEMBER, Actor, Secrets
from reverie.model.conversation import role_of
from reverie.model.ids import ItemId, WrongArgumentError, require_kind
from reverie.model.items import Role, Source
from reverie.model.origin import Origin, is_for, least
from reverie.model.recall import Reach
from reverie.model.reflection import HostQuestion
from reverie.model.route import Episodic, Vault
from reverie.model.views import Match
from reverie.secrets import find_secrets, redact, without_secrets
from reverie.secrets.refusal import SecretFoundError
from reverie.session.minding import Minds
from reverie.workspace.questions import QuestionBox

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping

    from reverie.authority.acts import Human
    from reverie.importers.intake import Imported
    from reverie.importers.walk import Found
    from reverie.memory.hearing import Heard
    from reverie.minds.mind import Mind
    from reverie.model.change import Receipt, Remembered
    from reverie.model.ids import Store
    from reverie.model.items import Finding
    from reverie.model.recall import Hit
    from reverie.model.route import Place, Trigger
    from reverie.model.views import Forgetting

WAITING = timedelta(days=7)
"""A question that the host agent has not answered for so long is dropped."""

MOST_SHOWN = 50
"""So many memories at most are shown for one wish to forget."""

_SOURCES = {
    "manual": Source.USER_EXPLICIT,
    "bot:trigger-remember": Source.USER_EXPLICIT,
}


class Learner(Reader):
    """An open workspace, to be asked and told.

    Args:
        path: Its folder.
        clock: Where the time comes from; must give UTC.
        environ: Where overrides of the configuration, and keys, come from.
        person: Whom it is opened for; see `Reader`. What they have remembered is for
            them alone, where no place is named.
        mind: Who thinks, instead of whom the configuration names.
        human: The channel to its human; without it nobody may do what only they may.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        clock: Callable[[], datetime] = now_in_utc,
        environ: Mapping[str, str] | None = None,
        person: str = "",
        mind: Mind | None = None,
        human: Human | None = None,
    ) -> None:
        super().__init__(path, clock=clock, environ=environ, person=person, human=human)
        self._minds = Minds(self._house, self._variables, mind)
        self._clerk = Clerk(self._house, self._minds)
        self._remembering = Remembering(self._house, self._desk, self._clerk)

    def acting(self, otherwise: Actor = MAIN) -> Actor:
        """Who acts where nobody is named: the human who is there, else an agent."""
        return self._authority.default(otherwise)

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
        contradicts: Iterable[str] = (),
    ) -> Remembered:
        """Store a text where it belongs.

        Args:
            text: What to remember.
            place: Which store, and what that store wants to know; without it the
                mind says it, or it goes to the page it names, or to the episodes.
            actor: Who acts.
            trigger: What started it, in the user's words where there are any.
            origin: Whose words it is, where that is not the actor's: `Origin.TOOL` for
                what a web page said. It never raises the trust that the actor has.
            secrets: What to do with passwords and keys in it.
            derived_from: Ids of memories that it was made of; it is trusted no more
                than the least of them.
            contradicts: Ids of known facts that it cannot hold together with. All of
                them stay, and their pages ask which holds.

        Returns:
            Proof that it is durable, with the ids it has; without lines if all of it
            was known already. What may not go where it belongs waits, and it says so.

        Raises:
            SecretFoundError: It has a secret; nothing of it was written.
            ForgottenError: Its human asked to forget it.
            RestatedError: It only repeats a file that the agent always reads.
        """
        require_caller(actor)
        require_kind("text", text, str)
        for name, ids in (("derived_from", derived_from), ("contradicts", contradicts)):
            if isinstance(ids, str) or not isinstance(ids, Iterable):
                raise WrongArgumentError(name, ids, "a list of ids", "")
        if place is None and self._viewer:
            # Only an episode can be for one person alone.
            place = Episodic(scope=self._person)
        made_of, against = tuple(derived_from), tuple(contradicts)
        for id_ in (*made_of, *(id_.partition("#")[0] for id_ in against)):
            self._viewer.require(f"entity:{id_}" if ":" not in id_ else id_)
        with self._vouching_for(actor, secrets, f"remember {headline(text)}"):
            own = self._authority.origin(actor)
            done = self._remembering.remember(
                Saying(
                    text,
                    place,
                    actor,
                    trigger,
                    least((own, origin or own)),
                    secrets,
                    made_of,
                    against,
                )
            )
        return self._viewer.remembered(done)

    @contextmanager
    def _vouching_for(
        self, actor: Actor, secrets: Secrets, what: str
    ) -> Iterator[None]:
        """Ask its human, where something is said in their name."""
        act = Act.KEEP_SECRET if secrets is Secrets.KEEP else Act.SIGN
        with self._authority.act(act, what) if actor.human else nullcontext():
            yield

    def hear(self, message: str, *, role: Role = Role.USER, person: str = "") -> Heard:
        """Do what a message of the user asks of memory.

        What it says to remember is stored as the user's own words where it is their
        own sentence, and as somebody else's where they quote or may have pasted it.
        What it says to forget is looked for, and `forget` has to be called with what
        was confirmed.
        To be called before the message is recorded with `say`: the words of a wish to
        forget that was granted would bring back what they name.

        Args:
            message: What was said.
            role: Who said it.
            person: Whom it is for alone: so is what is remembered, and nothing that is
                for somebody else is looked for. Only an episode can be.
        """
        person = self._person or person
        # What Reverie itself put into a message asks for nothing.
        own = without_recalled(message)[0]
        # A secret is whole before the message is cut into what it asks for.
        secrets = find_secrets(own)
        kinds = [secret.kind for secret in secrets]
        place = Episodic(scope=person) if person.strip() else None

        def remember(trigger: Trigger) -> Remembered:
            if kinds and "[redacted" in trigger.content:
                raise SecretFoundError(kinds)
            return self.remember(
                trigger.content,
                place or (Vault() if trigger.permanent else None),
                trigger=f'user said "{trigger.phrase}"',
                origin=None if trigger.own else Origin.TOOL,
            )

        return hear(
            detect(redact(own, secrets), role_of(role), self._house.config.triggers),
            remember,
            lambda trigger: replace(
                self._find(trigger.content, person), permanent=trigger.permanent
            ),
        )

    def questions(self) -> list[HostQuestion]:
        """What the host agent has to answer, the oldest first."""
        box, now = self._box(), self._house.clock()
        for each in box.overdue(now, WAITING):
            if each.verb == "remember":
                why = f"the host agent has not answered {each.question.id}"
                with contextlib.suppress(RefusedError):
                    self._carry_on(parse_saying(each.arguments), why)
        box.expire(now, WAITING)
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

        After a second answer that is of no use it is kept as it is.

        Args:
            question_id: Of `questions`.
            answer: One JSON object that fits the question's schema.
        """
        box = self._box()
        try:
            waiting = box.answer(question_id, answer)
        except HostGaveUpError as error:
            held = box.find(question_id)
            if held is None:
                raise
            done = self._carry_on(parse_saying(held.arguments), str(error))
            box.drop(question_id)
            return done
        return self._carry_on(parse_saying(waiting.arguments))

    def _carry_on(self, saying: Saying, unrouted: str = "") -> Remembered:
        """Store what waited in a file that anybody could have written.

        It gives nobody more than they have.

        Args:
            saying: What was to be remembered.
            unrouted: Why nobody said where it belongs; empty if somebody did.
        """
        require_caller(saying.actor)
        what = f"remember {headline(saying.text)}"
        with self._vouching_for(saying.actor, saying.secrets, what):
            own = self._authority.origin(saying.actor)
            saying = replace(saying, origin=least((own, saying.origin)))
            if unrouted:
                return self._remembering.keep_unrouted(saying, unrouted)
            return self._remembering.remember(saying)

    def _box(self) -> QuestionBox:
        house = self._house
        seconds = house.config.ledger.lock_seconds
        return QuestionBox(house.folder, house.clock, lock_seconds=seconds)

    def take_in(
        self,
        found: Iterable[Found | Finding],
        *,
        actor: Actor | None = None,
        secrets: Secrets = Secrets.REDACT,
        progress: Callable[[int], None] = lambda _done: None,
    ) -> Imported:
        """File conversations and passages that come from elsewhere.

        What is there already stays as it is, so it may be done again, and goes on
        where it was cut off.

        Args:
            found: What to file; findings are passed on in the report.
            actor: Who acts; its human where one is there, else `bot:main`.
            secrets: What to do with passwords and keys in it.
            progress: Told how many memories are done, after each batch.
        """
        from reverie.importers.intake import screened, take_in  # noqa: PLC0415 - see below

        signed = actor or self._authority.default()
        require_caller(signed)
        with self._vouching_for(signed, secrets, "import"):
            desk = lambda: self._desk(signed)  # noqa: E731 - planned anew for every batch
            clean = screened(found, secrets, signed, self._remembering.forgotten)
            return take_in(self._house, clean, desk, signed, progress)

    def import_from(
        self,
        path: str | os.PathLike[str],
        *,
        kind: str | None = None,
        actor: Actor | None = None,
        secrets: Secrets = Secrets.REDACT,
        progress: Callable[[int, int, int], None] = lambda _done, _all, _memories: None,
    ) -> Imported:
        """Bring in documents, notes or chats from a file, a folder or a zip.

        Args:
            path: What to read.
            kind: How to read it, where it does not tell by itself.
            actor: Who acts; its human where one is there, else `bot:main`.
            secrets: What to do with passwords and keys in it.
            progress: Told the bytes read, those to read, and the memories filed.
        """
        from reverie.importers.intake import read_all  # noqa: PLC0415 - only who imports pays

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
        return replace(self._find(words, self._person), permanent=permanent)

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
        seen = [m for m in found.matches if is_for(scopes.get(m.id, ""), person)]
        meant = tuple(m.key for m in seen if m.key in found.meant)
        return replace(found, matches=tuple(seen), meant=meant)

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
        hint = "`memory.find_to_forget(words).matches` are such."
        require_kind("matches", matches, Sequence, hint=hint)
        for match in matches:
            require_kind("matches", match, Match, hint=hint)
            self._viewer.require(match.id)
        words = without_secrets(trigger)
        with self._authority.signing(actor, f"forget {headline(words)}"):
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
        used = [str(ItemId.parse(id_)) for id_ in ids]
        for id_ in used:
            self._viewer.require(id_)
        return house.reinforce(used)

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
