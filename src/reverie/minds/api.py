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
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from reverie.minds.budget import Budget, Wish, believed
from reverie.minds.http import LARGEST_REPLY, Deadline, Server, ServerError, retry
from reverie.minds.json_answers import all_required, parse_object, without_limits
from reverie.minds.mind import (
    OPERATION,
    Answer,
    CutOffAnswerError,
    CutShortError,
    DeclinedError,
    Message,
    MindUnavailableError,
    NothingToAnswerError,
    Use,
    merged,
)
from reverie.minds.prompts import render_prompt
from reverie.model.items import Role
from reverie.tokens import count_tokens, within_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from reverie.config import MindConfig
    from reverie.minds.budget import Purse
    from reverie.minds.mind import Question

    Call = tuple["Reply", Use]

_FRAME = 32  # tokens that servers wrap around a message
_ROLE = 8  # tokens that say who speaks, at most
_OTHER_LIMIT = "max_completion_tokens"


class Form(StrEnum):
    """How the answer's shape is asked for, the strictest first."""

    LIMITED = "schema with lengths and patterns"
    SCHEMA = "schema"
    JSON = "some JSON object"
    TEXT = "text"


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

    def milder(self, forms: tuple[Form, ...], message: str) -> Manners | None:
        """What to try after a refusal; None where nothing is left to give up."""
        if _OTHER_LIMIT in message and self.limit != _OTHER_LIMIT:
            return replace(self, limit=_OTHER_LIMIT)
        if "temperature" in message and self.steady:
            return replace(self, steady=False)
        following = forms[forms.index(self.form) + 1 :]
        return replace(self, form=following[0]) if following else None


_LEARNED: dict[tuple[str, str, str, Manners], Manners] = {}
"""What servers accept, by style, address, model and the manners tried first."""


class Reply(NamedTuple):
    """What a model has written, why it stopped, and the tokens its server reports."""

    text: str
    cut_off: bool
    declined: bool
    taken: object
    given: object


class _Usage(msgspec.Struct):
    prompt_tokens: Any = None
    completion_tokens: Any = None
    input_tokens: Any = None
    output_tokens: Any = None
    cache_creation_input_tokens: Any = None
    cache_read_input_tokens: Any = None


class _Block(msgspec.Struct):
    type: str = ""
    text: str | None = None


class _Said(msgspec.Struct):
    content: str | list[_Block] | None = None
    refusal: str | None = None


class _Choice(msgspec.Struct):
    message: _Said
    finish_reason: str | None = None


class _OpenAiReply(msgspec.Struct):
    choices: list[_Choice]
    usage: _Usage | None = None


class _AnthropicReply(msgspec.Struct):
    content: list[_Block]
    stop_reason: str | None = None
    usage: _Usage | None = None


class OpenAiStyle:
    """`POST …/chat/completions`: OpenAI, Ollama, llama.cpp, LM Studio and vLLM."""

    forms = (Form.LIMITED, Form.SCHEMA, Form.JSON, Form.TEXT)

    def path(self, base: str) -> str:
        """Below the configured path, which may name it already."""
        return f"{base.removesuffix('/chat/completions')}/chat/completions"

    def headers(self, key: str) -> dict[str, str]:
        """The key as a bearer's."""
        return {"authorization": f"Bearer {key}"} if key else {}

    def messages(self, messages: Sequence[Message]) -> dict[str, object]:
        """The messages as they are, in their order."""
        said = [{"role": str(each.role), "content": each.text} for each in messages]
        return {"messages": said}

    def shape(self, question: Question, form: Form) -> dict[str, object]:
        """What forces the answer into its shape."""
        if form is Form.JSON:
            return {"response_format": {"type": "json_object"}}
        name = re.sub(r"[^\w-]", "_", question.prompt, flags=re.ASCII)[:64]
        whole = form is Form.LIMITED
        schema = question.schema if whole else without_limits(question.schema)
        told = {"name": name, "strict": True, "schema": all_required(schema)}
        return {"response_format": {"type": "json_schema", "json_schema": told}}

    def read(self, data: object) -> Reply:
        """What the first choice says."""
        found = msgspec.convert(data, _OpenAiReply)
        if not found.choices:
            raise ValueError("it has no choices with a message")
        choice, usage = found.choices[0], found.usage or _Usage()
        content = choice.message.content or ""
        if isinstance(content, list):
            content = "".join(block.text or "" for block in content)
        why = choice.finish_reason
        declined = bool(choice.message.refusal) or why == "content_filter"
        counts = usage.prompt_tokens, usage.completion_tokens
        return Reply(content, why == "length", declined, *counts)


class AnthropicStyle:
    """`POST …/v1/messages`, as Anthropic serves them."""

    forms = (Form.SCHEMA, Form.TEXT)
    _cut_off: ClassVar = {"max_tokens", "model_context_window_exceeded"}

    def path(self, base: str) -> str:
        """Below the configured path, which may name parts of it already."""
        return f"{base.removesuffix('/messages').removesuffix('/v1')}/v1/messages"

    def headers(self, key: str) -> dict[str, str]:
        """The version we speak, and the key under its own name."""
        return {"anthropic-version": "2023-06-01"} | ({"x-api-key": key} if key else {})

    def messages(self, messages: Sequence[Message]) -> dict[str, object]:
        """What the system says stands apart; user and assistant take turns."""
        said = [each for each in messages if each.role is not Role.SYSTEM]
        told = [each.text for each in messages if each.role is Role.SYSTEM]
        if said[0].role is Role.ASSISTANT:
            said.insert(0, Message(Role.USER, "…"))  # the user has the first word
        turns = [{"role": str(m.role), "content": m.text} for m in merged(said)]
        return {"messages": turns} | ({"system": "\n\n".join(told)} if told else {})

    def shape(self, question: Question, _form: Form) -> dict[str, object]:
        """What forces the answer into its shape."""
        told = {"type": "json_schema", "schema": without_limits(question.schema)}
        return {"output_config": {"format": told}}

    def read(self, data: object) -> Reply:
        """All blocks of text; what was read from a cache was read, too."""
        found = msgspec.convert(data, _AnthropicReply)
        usage, why = found.usage or _Usage(), found.stop_reason
        taken = usage.input_tokens
        if isinstance(taken, int):
            cached = usage.cache_creation_input_tokens, usage.cache_read_input_tokens
            taken += sum(count for count in cached if isinstance(count, int))
        text = "".join(b.text or "" for b in found.content if b.type == "text")
        cut_off, declined = why in self._cut_off, why == "refusal"
        return Reply(text, cut_off, declined, taken, usage.output_tokens)


class ApiMind:
    """Asks a model server or talks with it, for one operation."""

    def __init__(
        self,
        config: MindConfig,
        environ: Mapping[str, str],
        purse: Purse,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Get ready to ask the configured server; nothing is sent yet.

        Args:
            config: Its address and style, its name for the model, and the limits.
            environ: Holds the key, under the name that `key_variable` gives.
            purse: What all operations of the workspace spend from.
            sleep: How to wait between attempts.
        """
        if not config.model:
            message = 'mind.kind is "api", and mind.model is not set'
            hint = "Set `mind.model` in reverie.toml to a model that the server of "
            raise MindUnavailableError(message, hint=f"{hint}`mind.url` has.")
        key = environ.get(config.key_variable, "") if config.key_variable else ""
        self._config, self._sleep = config, sleep
        self._server = Server(config.url, "mind", config.key_variable, key)
        anthropic = config.style == "anthropic"
        self._style = AnthropicStyle() if anthropic else OpenAiStyle()
        most, daily = config.operation_tokens, config.daily_tokens
        self._budget = Budget(purse, daily=daily, operation=most)

    @property
    def name(self) -> str:
        """The model and the server that has it."""
        return f"{self._config.model} at {self._server.host}"

    def think(self, question: Question) -> Answer:
        """Ask the model; see `Mind.think`. All attempts share one time-out."""
        # Servers of one's own understand lengths and keep small models from rambling;
        # the large providers refuse them, which would cost a round trip each time.
        here = self._server.here and Form.LIMITED in self._style.forms
        first = Manners(Form.LIMITED if here else Form.SCHEMA, steady=True)
        schema = json.dumps(question.schema, indent=1)

        def body(manners: Manners) -> dict[str, object]:
            text, form = question.text, manners.form
            if form in (Form.JSON, Form.TEXT):
                text = render_prompt("shape", {}, {"question": text, "schema": schema})
            made = self._style.messages([Message(Role.USER, text)])
            made |= {"temperature": 0} if manners.steady else {}
            return made | (
                {} if form is Form.TEXT else self._style.shape(question, form)
            )

        asked = count_tokens(question.text) + count_tokens(schema) + _FRAME
        most = Use(
            question.operation,
            self._config.model,
            asked,
            question.most_tokens,
            estimated=True,
        )
        reply, use = self._negotiated(body, most, first)
        if reply.cut_off:
            raise CutOffAnswerError(question.most_tokens, reply.text)
        return Answer(parse_object(reply.text), use)

    def talk(self, messages: Iterable[Message], *, most_tokens: int) -> str:
        """Answer what was said; see `Talker.talk`."""
        said = merged(messages)
        if all(message.role is Role.SYSTEM for message in said):
            raise NothingToAnswerError
        asked = sum(count_tokens(each.text) + _ROLE for each in said) + _FRAME
        most = Use(OPERATION, self._config.model, asked, most_tokens, estimated=True)
        reply, _ = self._negotiated(
            lambda _: self._style.messages(said), most, Manners()
        )
        text = _spoken(reply.text)
        if reply.cut_off:
            raise CutShortError(most_tokens, text)
        return text

    def _negotiated(
        self, body: Callable[[Manners], dict[str, object]], most: Use, manners: Manners
    ) -> Call:
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
                other = manners.milder(self._style.forms, error.unaccepted)
                if not error.unaccepted or other is None:
                    raise
                manners = other
            else:
                _LEARNED[place] = manners
                if reply.declined:
                    raise DeclinedError(self.name)
                return reply, use

    def _ask(self, body: object, most: Use, deadline: Deadline) -> Call:
        """One call: reserved before, settled after, whatever happens in between."""
        held = self._budget.reserve(Wish(most.operation, most.model, most.tokens))
        use = most  # until we know better, all that was allowed has been used
        path = self._style.path(self._server.path)
        headers = self._style.headers(self._server.key)
        try:
            room = min(LARGEST_REPLY, (1 << 20) + 64 * most.output_tokens)
            reply = self._read(self._server.post(path, headers, body, deadline, room))
            if not within_tokens(reply.text, 2 * most.output_tokens + 256):
                asked = f"{most.output_tokens:,} tokens asked"
                raise self._server.odd(f"it is far longer than the {asked}")
            use = believed(reply.text, (reply.taken, reply.given), most)
        except ServerError as error:
            if not error.sent:
                use = replace(most, input_tokens=0, output_tokens=0)
            elif not error.written:
                use = replace(most, output_tokens=0)
            raise
        finally:
            self._budget.settle(held, use)
        return reply, use

    def _read(self, data: bytes) -> Reply:
        try:
            # Not msgspec's decoder: bytes that are no text are replaced.
            found = json.loads(data.decode("utf-8", "replace"))
            if isinstance(found, dict) and found.get("error"):
                raise self._server.odd(self._server.told(data))
            return self._style.read(found)
        except (ValueError, RecursionError) as error:
            told = self._server.told(str(error).encode())
            raise self._server.odd(f"it is no answer: {told}") from error


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
