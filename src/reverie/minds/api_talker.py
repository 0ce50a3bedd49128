"""A conversation with a model behind a web address: heard as it comes, and paid for.

One `ApiTalker` is for one operation, as one `ApiMind` is: open one for each answer.

Time is counted twice. Until the model has written something, `mind.timeout_seconds`
covers all attempts together. From then on it is how long the model may write nothing:
a long answer takes as long as it takes. Comments and pings of the server do not count.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from reverie.minds.api import (
    FRAME,
    DeclinedError,
    believed,
    envelope,
    parts_of,
    request_for,
)
from reverie.minds.budget import Wish
from reverie.minds.endpoint import (
    BrokenReplyError,
    FailingMindError,
    OddReplyError,
    SlowMindError,
    UnacceptedRequestError,
)
from reverie.minds.events import read_events
from reverie.minds.json_answers import load_strict
from reverie.minds.manners import milder_talk
from reverie.minds.mind import (
    OPERATION,
    CutShortError,
    MindUnavailableError,
    Use,
    conversation,
)
from reverie.minds.style import Ending, Part, Said
from reverie.minds.timed import Deadline
from reverie.minds.trying import try_again
from reverie.minds.voice import Voice
from reverie.tokens import clip_to_tokens, count_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence

    from reverie.config import MindConfig
    from reverie.minds.budget import Budget, Purse
    from reverie.minds.endpoint import Endpoint
    from reverie.minds.events import Event
    from reverie.minds.manners import TalkManners
    from reverie.minds.mind import Conversation, Message
    from reverie.minds.style import Style
    from reverie.minds.timed import Arriving

    Pieces = Generator[str, None, None]

_ROLE = 8  # tokens that say who speaks, at most
_LAST = "[DONE]"
_DEAREST = 4  # tokens that a single character costs, at most

_LEARNED: dict[tuple[str, str, str], TalkManners] = {}
"""What servers accept, by style, address and model, as found out by this process."""


class UnfinishedError(ValueError):
    """A stream ended, and the answer in it did not."""

    def __init__(self) -> None:
        super().__init__("it ends in the middle of the answer")


def open_api_talker(
    config: MindConfig,
    environ: Mapping[str, str],
    purse: Purse,
    sleep: Callable[[float], None],
) -> ApiTalker:
    """Get ready to talk with the configured server; see `open_talker`."""
    return ApiTalker(config, *parts_of(config, environ, purse), sleep=sleep)


@dataclass(slots=True)
class _Answer:
    """What has come of an answer so far; `counted` are the tokens up to `at`.

    `cut` says that it went on beyond what was asked for, and was cut by us.
    """

    written: list[str] = field(default_factory=list)
    length: int = 0
    counted: int = 0
    at: int = 0
    cut: bool = False
    ending: Ending | None = None
    done: bool = False
    taken: object = None
    given: object = None

    def add(self, part: Part) -> None:
        for text in filter(None, (part.thought, part.text)):
            self.written.append(text)
            self.length += len(text)
        self.ending = part.ending or self.ending
        self.done = self.done or part.last or part.ending is not None
        taken, given = part.told
        self.taken = self.taken if taken is None else taken
        self.given = self.given if given is None else given

    def clipped(self, part: Part, most: int) -> Part:
        """As much of a part as there is room for; the last one is cut, and said to be.

        Args:
            part: What came.
            most: The tokens that the whole answer may have.
        """
        fresh = len(part.thought) + len(part.text)
        if self.counted + _DEAREST * (self.length - self.at + fresh) <= most:
            return part
        so_far = "".join(self.written)
        self.counted, self.at = count_tokens(so_far), self.length
        if self.counted + count_tokens(part.thought + part.text) <= most:
            return part
        self.cut, room = True, max(0, most - self.counted)
        thought = clip_to_tokens(part.thought, room)
        text = clip_to_tokens(part.text, room - count_tokens(thought))
        return replace(part, text=text, thought=thought, ending=Ending.CUT_OFF)

    def use(self, most: Use, *, whole: bool) -> Use:
        """What it took; of half an answer the server has not counted the words yet."""
        if not whole and not self.written:
            return most
        told = (self.taken, self.given if whole and not self.cut else None)
        found = believed(Said("".join(self.written), Ending.DONE, told), most)
        return replace(found, output_tokens=most.output_tokens) if self.cut else found


class ApiTalker:
    """Talks with a model server, for one operation."""

    def __init__(
        self,
        config: MindConfig,
        endpoint: Endpoint,
        style: Style,
        budget: Budget,
        *,
        sleep: Callable[[float], None],
    ) -> None:
        self._config = config
        self._endpoint = endpoint
        self._style = style
        self._budget = budget
        self._sleep = sleep

    @property
    def name(self) -> str:
        """The model and the server that has it."""
        return f"{self._config.model} at {self._endpoint.address.host}"

    def talk(self, messages: Sequence[Message], *, most_tokens: int) -> Pieces:
        """Answer, piece by piece; see `Talker.talk`."""
        deadline = Deadline(self._config.timeout_seconds)
        first, rest = self._begun(conversation(messages, most_tokens), deadline)
        with closing(rest):
            yield from first
            yield from rest

    def _begun(
        self, said: Conversation, deadline: Deadline
    ) -> tuple[list[str], Pieces]:
        """The first piece, where there is any, and those after it."""
        place = (self._config.style, self._config.url, self._config.model)
        manners = _LEARNED.get(place) or self._style.talk_manners
        while True:
            try:
                once = partial(self._first, said, manners, deadline)
                begun = try_again(once, self._config.retries, deadline, self._sleep)
            except UnacceptedRequestError as refusal:
                other = milder_talk(manners, refusal.message)
                if other is None:
                    raise
                manners = other
            else:
                _LEARNED[place] = manners
                return begun

    def _first(
        self, said: Conversation, manners: TalkManners, deadline: Deadline
    ) -> tuple[list[str], Pieces]:
        # A refusal comes before the first piece, and so does what is tried again.
        pieces = self._once(said, manners, deadline)
        return [piece for piece in [next(pieces, "")] if piece], pieces

    def _once(
        self, said: Conversation, manners: TalkManners, deadline: Deadline
    ) -> Pieces:
        """One call: reserved before, settled after, whoever ends it and how."""
        model = self._config.model
        body = self._style.talk_body(said, model, manners)
        request = request_for(self._style, self._endpoint, body)
        most = Use(OPERATION, model, own_count(said), said.most_tokens, estimated=True)
        held = self._budget.reserve(Wish(OPERATION, model, most.tokens))
        answer, use = _Answer(), most
        # Two who count differ a little; but what is over is over.
        room = most.output_tokens + min(most.output_tokens // 4, self._budget.left)
        try:
            with closing(self._endpoint.stream(request, deadline)) as arriving:
                yield from self._pieces(arriving, answer, deadline, room)
            use = answer.use(most, whole=True)
        except MindUnavailableError as error:
            use = _failed(error, answer, most)
            raise
        except BaseException:  # closed by who listens, or interrupted
            use = answer.use(most, whole=False)
            raise
        finally:
            self._budget.settle(held, use)
        if answer.ending is Ending.DECLINED:
            raise DeclinedError(self.name)
        if answer.ending is Ending.CUT_OFF:
            raise CutShortError(said.most_tokens)

    def _pieces(
        self, arriving: Arriving, answer: _Answer, deadline: Deadline, room: int
    ) -> Iterator[str]:
        """What is heard of a reply, of at most so many tokens; `answer` has all."""
        voice = Voice()
        for came in self._parts(arriving, deadline, answer):
            part = answer.clipped(came, room)
            answer.add(part)
            if part.text or part.thought:
                deadline.renew()
            if heard := voice.hear(part.text):
                yield heard
                deadline.renew()  # however long that took, it was not the server
            if part is not came:
                break  # and the connection is closed: nobody pays for more
        if heard := voice.end():
            yield heard

    def _parts(
        self, arriving: Arriving, deadline: Deadline, answer: _Answer
    ) -> Iterator[Part]:
        """The parts of an answer, until it is whole."""
        if arriving.status != 200:
            reply = self._endpoint.whole(arriving, deadline)
            raise self._endpoint.refusal(reply)
        try:
            if "json" in arriving.headers.get("content-type", ""):
                yield self._all_at_once(arriving, deadline)
            else:
                yield from self._streamed(arriving, deadline)
        except (SlowMindError, BrokenReplyError):
            if not answer.done:
                raise
        except ValueError as error:
            problem = self._endpoint.told(str(error).encode())
            raise OddReplyError(self._config.url, problem) from error
        if not answer.done:
            raise BrokenReplyError(self._config.url, UnfinishedError())

    def _all_at_once(self, arriving: Arriving, deadline: Deadline) -> Part:
        """The answer of a server that does not stream, though it was asked to."""
        reply = self._endpoint.whole(arriving, deadline)
        said = self._style.said(envelope(reply, self._endpoint))
        return Part(said.text, ending=said.ending, told=said.told, last=True)

    def _streamed(self, arriving: Arriving, deadline: Deadline) -> Iterator[Part]:
        kind = arriving.headers.get("content-type", "unnamed")[:60]
        problem = f"it is {kind}, and has no events"
        for event in read_events(self._endpoint.pieces(arriving, deadline)):
            problem = ""
            part = self._part(event)
            yield part
            if part.last:
                return
        if problem:
            raise ValueError(problem)

    def _part(self, event: Event) -> Part:
        if event.data.strip() == _LAST:
            return Part(last=True)
        value = load_strict(event.data)
        if not isinstance(value, dict):
            problem = "it has an event that is no object"
            raise ValueError(problem)  # noqa: TRY004 - a ValueError like the others
        if value.get("error"):
            message = self._endpoint.told(event.data.encode())
            raise FailingMindError(self._config.url, message)
        return self._style.part(value)


def own_count(said: Conversation) -> int:
    """What a conversation costs to be read, by our own count."""
    counts = (count_tokens(message.text) + _ROLE for message in said.messages)
    return sum(counts) + FRAME


def _failed(error: MindUnavailableError, answer: _Answer, most: Use) -> Use:
    """What a call took that went wrong: the worst, unless we know better."""
    if not getattr(error, "sent", True):
        return replace(most, input_tokens=0, output_tokens=0)
    if not error.written:
        return replace(most, output_tokens=0)
    so_far = answer.use(most, whole=False)
    return max(most, so_far, key=lambda use: use.tokens)
