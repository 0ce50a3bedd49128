"""The box in which questions wait for the host agent, and its answers for us.

Each question is one file, `.reverie/questions/ID.json`, with the operation it
belongs to; so another process can take the answer and run the operation again.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec.structs import astuple, replace

from reverie.errors import NotFoundError, RefusedError
from reverie.minds.json_answers import fitting, parse_object
from reverie.minds.mind import BadAnswerError, HostGaveUpError, Question
from reverie.secrets import is_no_id, without_secrets
from reverie.workspace.local_state import Drawer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import timedelta
    from pathlib import Path


_ID = re.compile(r"[0-9a-f]{16}")


class State(StrEnum):
    """What has become of a question."""

    OPEN = "open"
    ANSWERED = "answered"
    FAILED = "failed"


class HeldQuestion(msgspec.Struct, frozen=True):
    """A question in the box.

    Attributes:
        operation: Of the question, like the four after it.
        verb: The operation that asks, such as `remember`.
        arguments: What that operation was called with.
        asked: When the question was put.
        problem: Why the answer before was not taken; "" where there was none.
        answer: What the host answered, once it is taken.
    """

    operation: str
    prompt: str
    text: str
    schema: dict[str, Any]
    most_tokens: int
    verb: str
    arguments: dict[str, str]
    asked: Annotated[datetime, msgspec.Meta(tz=True)]
    state: State = State.OPEN
    problem: str = ""
    answer: dict[str, Any] = {}

    @property
    def question(self) -> Question:
        """What is asked."""
        asked = (self.operation, self.prompt, self.text, self.schema, self.most_tokens)
        return Question(*asked)


class NoSuchQuestionError(NotFoundError):
    """No question of this name waits for an answer."""

    says = "no question {!r:.42} waits for an answer"
    mend = "It may be answered, dropped or expired; list the open ones."


class WrongAnswerError(RefusedError):
    """The host's answer is not what was asked for; it may answer once more."""

    says = "the answer to {} cannot be used: {}"
    mend = (
        "Answer once more, with one JSON object that fits the question's schema. "
        "After that the question is closed."
    )


class QuestionBox:
    """The box of a workspace, as one operation sees it; see `Box`.

    Args:
        state: Folder of the state files of the workspace.
        clock: Where the time comes from; must give UTC.
        verb: The operation whose questions are put in.
        arguments: What is needed to run that operation again.
        lock_seconds: How long to wait for another process.
    """

    def __init__(
        self,
        state: Path,
        clock: Callable[[], datetime],
        verb: str = "",
        arguments: Mapping[str, str] | None = None,
        *,
        lock_seconds: float = 30.0,
    ) -> None:
        self._drawer = Drawer(state, "questions", lock_seconds)
        self._clock = clock
        self._verb, self._arguments = verb, dict(arguments or {})

    def find_answer(self, question: Question) -> Mapping[str, object] | None:
        """The host's answer; None while there is none; see `Box.find_answer`."""
        held = self.find(question.id)
        if held and held.state is State.FAILED:
            # Said once; who tries again asks anew.
            self.drop(question.id)
            raise HostGaveUpError(question.id, held.problem)
        return held.answer if held and held.state is State.ANSWERED else None

    def put(self, question: Question) -> None:
        """Let a question wait; one that is there stays as it is; see `Box.put`."""
        with self._drawer.alone("asking the host"):
            if self.find(question.id) is None:
                mine = (self._verb, self._arguments, self._clock().astimezone(UTC))
                self._keep(HeldQuestion(*astuple(question), *mine))  # type: ignore[call-arg]

    def held(self, operation: str) -> Question | None:
        """What this operation has asked already, whatever has become of it."""
        same = (e.question for e in self._own() if e.prompt == operation)
        # Where it was asked once more, that question has the first one in it.
        return min(same, key=lambda each: len(each.text), default=None)

    def open_questions(self) -> tuple[HeldQuestion, ...]:
        """Those that wait for an answer, the oldest first."""
        held = [each for each in self._all() if each.state is State.OPEN]
        return tuple(sorted(held, key=lambda each: (each.asked, each.question.id)))

    def answer(
        self,
        question_id: str,
        text: str,
        is_id: Callable[[str], bool] = is_no_id,
    ) -> HeldQuestion:
        """Take the host's answer; with what comes back the operation can be run again.

        Args:
            question_id: Which question; anything else than an id is not found.
            text: What the host says, with one JSON object in it.
            is_id: Whether a word is the ID of an existing memory, and so no secret.

        Raises:
            WrongAnswerError: It is not what was asked for; one more try is left.
            HostGaveUpError: It was the second such answer; the question is closed.
        """
        with self._drawer.alone("taking an answer"):
            held = self.find(question_id)
            # One that is answered may be answered again: what it was asked for did
            # not come to its end, or the question would be gone.
            if held is None or held.state is State.FAILED:
                raise NoSuchQuestionError(question_id)
            try:
                value = fitting(parse_object(text), text, held.schema, is_id)
            except BadAnswerError as error:
                # The second one closes the question.
                problem, closed = without_secrets(error.problem), bool(held.problem)
                state = State.FAILED if closed else State.OPEN
                self._keep(replace(held, state=state, problem=problem))
                wrong = HostGaveUpError if closed else WrongAnswerError
                raise wrong(question_id, problem) from error
            taken = replace(held, state=State.ANSWERED, answer=value)
            self._keep(taken)
        return taken

    def drop(self, question_id: str) -> None:
        """Forget a question, whatever has become of it; no matter if it is gone."""
        if _ID.fullmatch(question_id):
            self._drawer.remove(f"{question_id}.json")

    def finish(self) -> None:
        """Forget the questions of this operation: it is done, or given up."""
        for each in self._own():
            self.drop(each.question.id)

    def empty(self) -> None:
        """Forget every question: what was asked about may have been erased."""
        for question_id in self._ids():
            self.drop(question_id)

    def overdue(self, now: datetime, age: timedelta) -> tuple[HeldQuestion, ...]:
        """What was asked too long ago, before it is forgotten."""
        return tuple(each for each in self._all() if now - each.asked > age)

    def find(self, question_id: str) -> HeldQuestion | None:
        """A question, whatever has become of it; None if it is gone or damaged.

        A damaged one is as good as none: the operation puts it in again.
        """
        if not _ID.fullmatch(question_id):
            return None
        written = self._drawer.read(f"{question_id}.json") or b""
        with suppress(ValueError, msgspec.MsgspecError, RecursionError):
            held = msgspec.json.decode(written, type=HeldQuestion)
            return held if held.question.id == question_id else None
        return None

    def expire(self, now: datetime, age: timedelta) -> None:
        """Forget what was asked too long ago, and what nobody can read any more."""
        for id_ in self._ids():
            held = self.find(id_)
            if held is None or now - held.asked > age:
                self.drop(id_)

    def _all(self) -> list[HeldQuestion]:
        return [held for held in map(self.find, self._ids()) if held]

    def _own(self) -> list[HeldQuestion]:
        mine = (self._verb, self._arguments)
        return [each for each in self._all() if (each.verb, each.arguments) == mine]

    def _ids(self) -> list[str]:
        names = (name.removesuffix(".json") for name in self._drawer.names(".json"))
        return [name for name in names if _ID.fullmatch(name)]

    def _keep(self, held: HeldQuestion) -> None:
        data = msgspec.json.format(msgspec.json.encode(held), indent=1)
        self._drawer.put(f"{held.question.id}.json", data + b"\n")
