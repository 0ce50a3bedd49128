"""A model behind a web address: asked, paid for, understood.

One `ApiMind` thinks for one operation: what its questions, repairs, retries and
refused attempts take together stays below `mind.operation_tokens`. Opening one costs
nothing, so open one for each.
"""

from __future__ import annotations

import json
import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from reverie.minds.address import parse_address
from reverie.minds.anthropic_style import AnthropicStyle
from reverie.minds.budget import Budget, Wish
from reverie.minds.endpoint import (
    Endpoint,
    OddReplyError,
    SlowMindError,
    UnacceptedRequestError,
    UnreachableMindError,
)
from reverie.minds.json_answers import load_strict, parse_object
from reverie.minds.manners import Form, Manners, milder
from reverie.minds.mind import Answer, CutOffAnswerError, MindUnavailableError, Use
from reverie.minds.openai_style import OpenAiStyle
from reverie.minds.style import Ending
from reverie.minds.timed import LARGEST_REPLY, Deadline, Request
from reverie.minds.trying import try_again
from reverie.tokens import count_tokens, within_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from reverie.config import MindConfig
    from reverie.minds.budget import Purse
    from reverie.minds.mind import Question
    from reverie.minds.style import Said, Style
    from reverie.minds.timed import Reply

FRAME = 32
"""Tokens that servers wrap around a message."""

_ROOM = 10_000  # tokens a server may honestly add, such as its thoughts
_SLACK = 256  # tokens by which two who count may differ
_WRAPPING = 1 << 20  # bytes that servers wrap around an answer, with their thoughts
_BYTES_A_TOKEN = 64

_LEARNED: dict[tuple[str, str, str], Manners] = {}
"""What servers accept, by style, address and model, as found out by this process."""

_STYLES: dict[str, type[Style]] = {
    "openai": OpenAiStyle,
    "anthropic": AnthropicStyle,
}


class UnnamedModelError(MindUnavailableError):
    """A model is to think, and nobody says which."""

    def __init__(self) -> None:
        super().__init__(
            'mind.kind is "api", and mind.model is not set',
            hint="Set `mind.model` in reverie.toml to a model that the server of "
            "`mind.url` has.",
        )


class DeclinedError(MindUnavailableError):
    """The model will not answer this. Asking again would not help."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name} declines to answer",
            hint="Its provider filters such texts. Another model may answer.",
        )


def open_api(
    config: MindConfig,
    environ: Mapping[str, str],
    purse: Purse,
    sleep: Callable[[float], None] = time.sleep,
) -> ApiMind:
    """Get ready to ask the configured server; nothing is sent yet.

    Args:
        config: Its address and style, its name for the model, and the limits.
        environ: Holds the key, under the name that `key_variable` gives.
        purse: What all operations of the workspace spend from.
        sleep: How to wait between attempts.
    """
    return ApiMind(config, *parts_of(config, environ, purse), sleep=sleep)


def parts_of(
    config: MindConfig, environ: Mapping[str, str], purse: Purse
) -> tuple[Endpoint, Style, Budget]:
    """Where the configured server is, how it is spoken to, and what one may spend."""
    if not config.model:
        raise UnnamedModelError
    key = environ.get(config.key_variable, "").strip() if config.key_variable else ""
    endpoint = Endpoint(parse_address(config.url), config.key_variable, key)
    most = config.operation_tokens
    budget = Budget(purse, daily=config.daily_tokens, operation=most)
    return endpoint, _STYLES[config.style](), budget


class ApiMind:
    """Asks a model server, for one operation."""

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

    def think(self, question: Question) -> Answer:
        """Ask the model; see `Mind.think`. All attempts share one time-out."""
        deadline = Deadline(self._config.timeout_seconds)
        place = (self._config.style, self._config.url, self._config.model)
        manners = _LEARNED.get(place) or self._first_manners()
        while True:
            try:
                once = partial(self._once, question, manners, deadline)
                retries, sleep = self._config.retries, self._sleep
                said, use = try_again(once, retries, deadline, sleep)
            except UnacceptedRequestError as refusal:
                other = milder(manners, self._style.forms, refusal.message)
                if other is None:
                    raise
                manners = other
            else:
                _LEARNED[place] = manners
                return Answer(self._value(said, question), use)

    def _first_manners(self) -> Manners:
        # Servers of one's own understand lengths and keep small models from rambling;
        # the large providers refuse them, which would cost a round trip each time.
        here = self._endpoint.address.here and Form.LIMITED in self._style.forms
        return Manners(Form.LIMITED if here else Form.SCHEMA)

    def _once(
        self, question: Question, manners: Manners, deadline: Deadline
    ) -> tuple[Said, Use]:
        """One call: reserved before, settled after, whatever happens in between."""
        model = self._config.model
        body = self._style.body(question, model, manners)
        request = request_for(self._style, self._endpoint, body)
        most = _use(question, model, own_count(question), question.most_tokens)
        held = self._budget.reserve(Wish(question.operation, model, most.tokens))
        use = most  # until we know better, all that was allowed has been used
        try:
            reply = self._endpoint.post(request, deadline, most_bytes(most))
            outcome, use = self._outcome(reply, most)
        except (UnreachableMindError, SlowMindError) as error:
            if not error.sent:
                use = _use(question, model, 0, 0)
            raise
        finally:
            self._budget.settle(held, use)
        if isinstance(outcome, MindUnavailableError):
            raise outcome
        return outcome, use

    def _outcome(
        self, reply: Reply, most: Use
    ) -> tuple[Said | MindUnavailableError, Use]:
        """What a reply says, or why it does not, and what it took."""
        if reply.status != 200:
            return self._endpoint.refusal(reply), replace(most, output_tokens=0)
        try:
            said = self._style.said(envelope(reply, self._endpoint))
        except ValueError as error:
            return OddReplyError(self._config.url, str(error)), most
        if not within_tokens(said.text, 2 * most.output_tokens + _SLACK):
            problem = f"it is far longer than the {most.output_tokens:,} tokens asked"
            return OddReplyError(self._config.url, problem), believed(said, most)
        return said, believed(said, most)

    def _value(self, said: Said, question: Question) -> dict[str, object]:
        if said.ending is Ending.DECLINED:
            raise DeclinedError(self.name)
        if said.ending is Ending.CUT_OFF:
            raise CutOffAnswerError(question.most_tokens, said.text)
        return parse_object(said.text)


def request_for(style: Style, endpoint: Endpoint, body: object) -> Request:
    """What is posted to a server: a body, and who we are."""
    headers = {"Content-Type": "application/json", **style.headers(endpoint.key)}
    path = style.path(endpoint.address.path)
    return Request(path, headers, json.dumps(body).encode())


def own_count(question: Question) -> int:
    """What a question costs to ask, by our own count: its words and its schema."""
    schema = json.dumps(question.schema)
    return count_tokens(question.text) + count_tokens(schema) + FRAME


def believed(said: Said, most: Use) -> Use:
    """The tokens a server reports, where they can be true; else our own count.

    Args:
        said: The answer and what the server reports.
        most: Our count of the question, and how long the answer may have been.
    """
    own_taken, own_given = most.input_tokens, most.output_tokens
    if within_tokens(said.text, own_given):
        # Of what was not asked for, however long it is, nothing is paid.
        own_given = count_tokens(said.text)
    taken = _credible(said.told[0], own_taken, own_taken)
    given = _credible(said.told[1], own_given, max(own_given, most.output_tokens))
    return replace(
        most,
        input_tokens=taken or own_taken,
        output_tokens=given or own_given,
        estimated=not (taken and given),
    )


def most_bytes(most: Use) -> int:
    """How long the reply can be that holds an answer of so many tokens."""
    return min(LARGEST_REPLY, _WRAPPING + _BYTES_A_TOKEN * most.output_tokens)


def _credible(told: object, own: int, usual: int) -> int:
    """A reported count that is neither next to nothing nor beyond measure; else 0."""
    if not isinstance(told, int) or isinstance(told, bool):
        return 0
    return told if max(1, own // 8) <= told <= 4 * usual + _ROOM else 0


def _use(question: Question, model: str, taken: int, given: int) -> Use:
    return Use(question.operation, model, taken, given, estimated=True)


def envelope(reply: Reply, endpoint: Endpoint) -> Mapping[str, object]:
    """The object a server replies with; ValueError where it is none, or an error."""
    kind = reply.headers.get("content-type", "unnamed")[:60]
    try:
        value = load_strict(reply.body.decode())
    except ValueError as error:
        problem = f"it is {kind}, and not JSON: {error}"
        raise ValueError(problem) from error
    if not isinstance(value, dict):
        problem = f"it is JSON, but no object: {endpoint.told(reply.body)}"
        raise ValueError(problem)  # noqa: TRY004 - a ValueError like the others
    if value.get("error"):
        problem = f"it counts as success, and says: {endpoint.told(reply.body)}"
        raise ValueError(problem)
    return value
