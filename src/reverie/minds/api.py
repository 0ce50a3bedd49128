"""Ask a model behind a web address, in OpenAI's or Anthropic's style.

One `ApiMind` thinks or talks for one operation: what its questions, repairs, retries
and refused attempts take together stays below `mind.operation_tokens`. Opening one
costs nothing, so open one for each.
"""

from __future__ import annotations

import json
import re
import time
from enum import StrEnum
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from reverie.errors import RefusedError
from reverie.minds import mind as minds
from reverie.minds.http import LARGEST_REPLY, Deadline, Server, ServerError, retry
from reverie.minds.json_answers import all_required, parse_object, without_limits
from reverie.minds.mind import Message, Use
from reverie.minds.prompts import render_prompt
from reverie.model.items import Role
from reverie.tokens import count_tokens, within_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from reverie.config import MindConfig
    from reverie.minds.mind import Purse, Question

_FRAME = 32  # tokens that servers wrap around a message
_ROLE = 8  # tokens that say who speaks, at most
_ROOM = 10_000  # tokens a server may honestly add, such as its thoughts
_OTHER_LIMIT = "max_completion_tokens"
_CUT_OFF = {"length", "max_tokens", "model_context_window_exceeded"}
_DECLINED = {"content_filter", "refusal"}


# --- what is asked for ---------------------------------------------------------


class Form(StrEnum):
    """How the answer's shape is asked for, the strictest first."""

    LIMITED = "schema with lengths and patterns"
    SCHEMA = "schema"
    JSON = "some JSON object"
    TEXT = "text"


FORMS = {"openai": tuple(Form), "anthropic": (Form.SCHEMA, Form.TEXT)}
"""What the servers of a style may take."""


class Manners(Struct, frozen=True):
    """What a server accepts, found out by its refusals.

    Attributes:
        form: How the shape is asked for.
        limit: What it calls the most tokens it may write.
        steady: Whether it is told to choose the likeliest words only.
    """

    form: Form = Form.TEXT
    limit: str = "max_tokens"
    steady: bool = False

    def milder(self, style: str, message: str) -> Manners | None:
        """What to try after a refusal; None where nothing is left to give up."""
        if _OTHER_LIMIT in message and self.limit != _OTHER_LIMIT:
            return replace(self, limit=_OTHER_LIMIT)
        if "temperature" in message and self.steady:
            return replace(self, steady=False)
        following = FORMS[style][FORMS[style].index(self.form) + 1 :]
        return replace(self, form=following[0]) if following else None


_LEARNED: dict[tuple[str, str, str, Manners], Manners] = {}
"""What servers accept, by style, address, model and the manners tried first."""


def merged(messages: Iterable[Message]) -> list[Message]:
    """The messages that have words, neighbours of one role as one."""
    spoken = (message for message in messages if message.text.strip())
    return [
        Message(role, "\n\n".join(message.text for message in group))
        for role, group in groupby(spoken, key=lambda message: message.role)
    ]


def _messages(style: str, said: list[Message]) -> dict[str, object]:
    """What was said, in the style's own words.

    In Anthropic's what the system says stands apart, and the user has the first word.
    """
    told: dict[str, object] = {}
    if style == "anthropic":
        system = [each.text for each in said if each.role is Role.SYSTEM]
        told = {"system": "\n\n".join(system)} if system else {}
        said = merged(each for each in said if each.role is not Role.SYSTEM)
        if said[0].role is Role.ASSISTANT:
            said.insert(0, Message(Role.USER, "…"))
    turns = [{"role": str(each.role), "content": each.text} for each in said]
    return {"messages": turns} | told


def _shape(style: str, question: Question, form: Form) -> dict[str, object]:
    """What forces the answer into its shape."""
    if form is Form.TEXT:
        return {}
    if form is Form.JSON:
        return {"response_format": {"type": "json_object"}}
    whole = form is Form.LIMITED
    schema = question.schema if whole else without_limits(question.schema)
    if style == "anthropic":
        return {"output_config": {"format": {"type": "json_schema", "schema": schema}}}
    name = re.sub(r"[^\w-]", "_", question.prompt, flags=re.ASCII)[:64]
    told = {"name": name, "strict": True, "schema": all_required(schema)}
    return {"response_format": {"type": "json_schema", "json_schema": told}}


# --- what comes back -----------------------------------------------------------


class _Block(Struct):
    type: str = ""
    text: str | None = None


class _Said(Struct):
    content: str | list[_Block] | None = None
    refusal: str | None = None


class _Choice(Struct):
    message: _Said
    finish_reason: str | None = None


class _Body(Struct):
    """What a server sends: OpenAI's `choices`, or Anthropic's `content`."""

    choices: list[_Choice] = []
    content: list[_Block] | None = None
    stop_reason: str | None = None
    error: Any = None
    usage: dict[str, Any] | None = None


class Reply(NamedTuple):
    """What a model has written, why it stopped, and the tokens its server reports."""

    text: str
    why: str | None
    taken: object
    given: object


def parse_reply(data: bytes) -> Reply:
    """Read what a server of either style sends; a ValueError where that is none."""
    # Not msgspec's decoder: bytes that are no text are replaced.
    text = data.decode("utf-8", "replace")
    found = msgspec.convert(json.loads(text), _Body)
    if found.error:
        raise ValueError(text)
    use = found.usage or {}
    if found.choices:
        said, why = found.choices[0].message, found.choices[0].finish_reason
        words = said.content or ""
        if isinstance(words, list):
            words = "".join(block.text or "" for block in words)
        counts = use.get("prompt_tokens"), use.get("completion_tokens")
        return Reply(words, "refusal" if said.refusal else why, *counts)
    if found.content is None:
        raise ValueError("it has no message")
    words = "".join(b.text or "" for b in found.content if b.type == "text")
    taken = use.get("input_tokens")
    if isinstance(taken, int):  # what was read from a cache was read, too
        cached = ("cache_creation_input_tokens", "cache_read_input_tokens")
        taken += sum(n for n in map(use.get, cached) if isinstance(n, int))
    return Reply(words, found.stop_reason, taken, use.get("output_tokens"))


def believed(reply: Reply, most: Use) -> Use:
    """The tokens a server reports, where they can be true; else our own count.

    Args:
        reply: The answer, and the tokens reported: anything at all.
        most: Our count of the question, and how long the answer may have been.
    """
    own_taken, own_given = most.input_tokens, most.output_tokens
    if within_tokens(reply.text, own_given):
        # Of what was not asked for, however long it is, nothing is paid.
        own_given = count_tokens(reply.text)
    taken = _credible(reply.taken, own_taken, own_taken)
    given = _credible(reply.given, own_given, max(own_given, most.output_tokens))
    return replace(
        most,
        input_tokens=taken or own_taken,
        output_tokens=given or own_given,
        estimated=not (taken and given),
    )


def _credible(told: object, own: int, usual: int) -> int:
    """A reported count that is neither next to nothing nor beyond measure; else 0."""
    if not isinstance(told, int) or isinstance(told, bool):
        return 0
    return told if max(1, own // 8) <= told <= 4 * usual + _ROOM else 0


# --- the mind ------------------------------------------------------------------


class ApiMind:
    """Asks a model server or talks with it, for one operation.

    Args:
        config: Its address and style, its name for the model, and the limits.
        environ: Holds the key, under the name that `key_variable` gives.
        purse: What all operations of the workspace spend from.
        sleep: How to wait between attempts.
    """

    def __init__(
        self,
        config: MindConfig,
        environ: Mapping[str, str],
        purse: Purse,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if not config.model:
            message = 'mind.kind is "api", and mind.model is not set'
            hint = "Set `mind.model` in reverie.toml to a model of that server."
            raise minds.MindUnavailableError(message, hint=hint)
        self._config, self._purse, self._sleep = config, purse, sleep
        self._server = Server(config.url, "mind", config.key_variable, environ)
        self._spent = 0
        # The configured path may name parts of ours already.
        base, key = self._server.path, self._server.key
        if config.style == "anthropic":
            base = base.removesuffix("/messages").removesuffix("/v1")
            self._path = f"{base}/v1/messages"
            self._headers = {"anthropic-version": "2023-06-01"}
            self._headers |= {"x-api-key": key} if key else {}
        else:
            base = base.removesuffix("/chat/completions")
            self._path = f"{base}/chat/completions"
            self._headers = {"authorization": f"Bearer {key}"} if key else {}

    @property
    def name(self) -> str:
        """The model and the server that has it."""
        return f"{self._config.model} at {self._server.host}"

    def think(self, question: Question) -> minds.Answer:
        """Ask the model; see `Mind.think`. All attempts share one time-out."""
        style, schema = self._config.style, json.dumps(question.schema, indent=1)
        # Servers of one's own understand lengths and keep small models from rambling;
        # the large providers refuse them, which would cost a round trip each time.
        here = self._server.here and Form.LIMITED in FORMS[style]
        first = Manners(Form.LIMITED if here else Form.SCHEMA, steady=True)

        def body(manners: Manners) -> dict[str, object]:
            text = question.text
            if manners.form in (Form.JSON, Form.TEXT):
                text = render_prompt("shape", {}, {"question": text, "schema": schema})
            made = _messages(style, [Message(Role.USER, text)])
            made |= {"temperature": 0} if manners.steady else {}
            return made | _shape(style, question, manners.form)

        asked = count_tokens(question.text) + count_tokens(schema)
        most = self._most(question.operation, asked, question.most_tokens)
        reply, use = self._negotiated(body, most, first)
        if reply.why in _CUT_OFF:
            raise minds.CutOffAnswerError(question.most_tokens, reply.text)
        return minds.Answer(parse_object(reply.text), use)

    def talk(self, messages: Iterable[Message], *, most_tokens: int) -> str:
        """Answer what was said; see `Talker.talk`."""
        said = merged(messages)
        if all(message.role is Role.SYSTEM for message in said):
            what = "there is nothing to answer: no message of a user has any words"
            raise RefusedError(what, hint="Say something first.")
        asked = sum(count_tokens(each.text) + _ROLE for each in said)
        most = self._most(minds.OPERATION, asked, most_tokens)
        told = _messages(self._config.style, said)
        reply, _ = self._negotiated(lambda _: told, most, Manners())
        text = _spoken(reply.text)
        if reply.why in _CUT_OFF:
            raise minds.CutShortError(most_tokens, text)
        return text

    def _most(self, operation: str, asked: int, answer: int) -> Use:
        """What a call may take at most."""
        model = self._config.model
        return Use(operation, model, asked + _FRAME, answer, estimated=True)

    def _negotiated(
        self, body: Callable[[Manners], dict[str, object]], most: Use, manners: Manners
    ) -> tuple[Reply, Use]:
        """Ask in the form that the server takes, which it says by refusing others."""
        config, deadline = self._config, Deadline(self._config.timeout_seconds)
        place = (config.style, config.url, config.model, manners)
        manners = _LEARNED.get(place, manners)
        while True:
            limits = {"model": config.model, manners.limit: most.output_tokens}
            asked = partial(self._ask, body(manners) | limits, most, deadline)
            try:
                reply, use = retry(asked, config.retries, deadline, self._sleep)
            except ServerError as error:
                other = manners.milder(config.style, error.unaccepted)
                if not error.unaccepted or other is None:
                    raise
                manners = other
            else:
                _LEARNED[place] = manners
                if reply.why in _DECLINED:
                    raise minds.DeclinedError(self.name)
                return reply, use

    def _ask(self, body: object, most: Use, deadline: Deadline) -> tuple[Reply, Use]:
        """One call: reserved before, settled after, whatever happens in between."""
        config, server = self._config, self._server
        if self._spent + most.tokens > config.operation_tokens:
            limit = ("mind.operation_tokens", config.operation_tokens)
            raise minds.OutOfTokensError(*limit, self._spent, most, None)
        held = self._purse.reserve(most, config.daily_tokens)
        use = most  # until we know better, all that was allowed has been used
        try:
            room = min(LARGEST_REPLY, (1 << 20) + 64 * most.output_tokens)
            data = server.post(self._path, self._headers, body, deadline, room)
            try:
                reply = parse_reply(data)
            except (ValueError, RecursionError) as error:
                raise server.odd(server.told(str(error).encode())) from error
            if not within_tokens(reply.text, 2 * most.output_tokens + 256):
                asked = f"{most.output_tokens:,} tokens asked"
                raise server.odd(f"it is far longer than the {asked}")
            use = believed(reply, most)
        except ServerError as error:
            if not error.sent:
                use = replace(most, input_tokens=0, output_tokens=0)
            elif not error.written:
                use = replace(most, output_tokens=0)
            raise
        finally:
            self._spent += use.tokens
            self._purse.settle(held, use)
        return reply, use


def _spoken(text: str) -> str:
    """What is heard of an answer: its words, and nothing a terminal obeys.

    Left out are a thought in front of it (as models on servers that do not know them
    write them), control characters but line ends and tabs, and half characters.
    """
    said = text.lstrip()
    if said.startswith("<think>"):
        said = said.partition("</think>")[2]
    said = re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", "", said)
    whole = said.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return whole.strip()
