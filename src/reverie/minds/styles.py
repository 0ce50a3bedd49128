"""How OpenAI's and Anthropic's kinds of model servers are spoken to and understood."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from reverie.minds.budget import believed
from reverie.minds.json_answers import all_required, without_limits
from reverie.minds.mind import Message, merged
from reverie.model.items import Role
from reverie.tokens import clip_to_tokens, count_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from reverie.minds.mind import Question, Use

_DEAREST = 4  # tokens that a single character costs, at most
_OTHER_LIMIT = "max_completion_tokens"


class Form(StrEnum):
    """How the answer's shape is asked for, the strictest first."""

    LIMITED = "schema with lengths and patterns"
    SCHEMA = "schema"
    JSON = "some JSON object"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Manners:
    """What a server accepts, found out by its refusals.

    Attributes:
        form: How the shape is asked for; None in a conversation.
        limit: What it calls the most tokens it may write.
        steady: Whether it may be told to choose the likeliest words only.
        counting: Whether it may be asked to count the tokens of a stream.
    """

    form: Form | None = None
    limit: str = "max_tokens"
    steady: bool = True
    counting: bool = True

    def milder(self, forms: tuple[Form, ...], message: str) -> Manners | None:
        """What to try after a refusal; None where nothing is left to give up."""
        if _OTHER_LIMIT in message and self.limit != _OTHER_LIMIT:
            return replace(self, limit=_OTHER_LIMIT)
        if self.form is None:
            return replace(self, counting=False) if self.counting else None
        if "temperature" in message and self.steady:
            return replace(self, steady=False)
        following = forms[forms.index(self.form) + 1 :]
        return replace(self, form=following[0]) if following else None


class Ending(StrEnum):
    """Why a model stopped writing."""

    DONE = "done"
    CUT_OFF = "cut off"
    DECLINED = "declined"


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
    thinking: str | None = None
    stop_reason: str | None = None


class _Said(msgspec.Struct):
    content: str | list[_Block] | None = None
    refusal: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None


class _Choice(msgspec.Struct):
    message: _Said | None = None
    delta: _Said | None = None
    finish_reason: str | None = None


class _OpenAiReply(msgspec.Struct):
    choices: list[_Choice] | None = None
    usage: _Usage | None = None


class _AnthropicReply(msgspec.Struct):
    type: str = ""
    content: list[_Block] | None = None
    content_block: _Block | None = None
    delta: _Block | None = None
    stop_reason: str | None = None
    usage: _Usage | None = None
    message: _AnthropicReply | None = None


@dataclass(frozen=True, slots=True)
class ReplyPart:
    """What a reply, or one event of a stream, adds to an answer.

    Attributes:
        text: What the model says.
        thought: What it writes and does not say.
        ending: Why it stopped, where this tells.
        taken: The tokens read that the server reports; anything at all.
        given: The tokens written that it reports; anything at all.
        last: Whether nothing comes after it.
    """

    text: str = ""
    thought: str = ""
    ending: Ending | None = None
    taken: object = None
    given: object = None
    last: bool = False


class OpenAiStyle:
    """`POST …/chat/completions`: OpenAI, Ollama, llama.cpp, LM Studio and vLLM."""

    forms = (Form.LIMITED, Form.SCHEMA, Form.JSON, Form.TEXT)
    counts_on_request = True
    _endings: ClassVar = {"length": Ending.CUT_OFF, "content_filter": Ending.DECLINED}

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

    def streamed(self, manners: Manners) -> dict[str, object]:
        """What asks for a stream, and for the tokens to be counted in it."""
        body: dict[str, object] = {"stream": True}
        if manners.counting:
            body["stream_options"] = {"include_usage": True}
        return body

    def part(self, data: object, *, event: bool = False) -> ReplyPart:
        """What the first choice says; a stream's count comes without choices."""
        reply = msgspec.convert(data, _OpenAiReply)
        choice = reply.choices[0] if reply.choices else _Choice()
        said = choice.delta if event else choice.message
        if said is None and not event:
            problem = "it has no choices with a message"
            raise ValueError(problem)
        said, usage = said or _Said(), reply.usage or _Usage()
        content = said.content or (said.refusal if event else "") or ""
        if isinstance(content, list):
            content = "".join(block.text or "" for block in content)
        ending = None
        if choice.finish_reason or not event:
            ending = self._endings.get(choice.finish_reason or "", Ending.DONE)
        if said.refusal and not event:
            ending = Ending.DECLINED
        thought = said.reasoning_content or said.reasoning or ""
        told = usage.prompt_tokens, usage.completion_tokens
        return ReplyPart(content, thought, ending, *told, last=not event)


class AnthropicStyle:
    """`POST …/v1/messages`, as Anthropic serves them."""

    forms = (Form.SCHEMA, Form.TEXT)
    counts_on_request = False  # it counts without being asked
    _endings: ClassVar = {
        "max_tokens": Ending.CUT_OFF,
        "model_context_window_exceeded": Ending.CUT_OFF,
        "refusal": Ending.DECLINED,
    }

    _events: ClassVar = (
        *("message_start", "message_delta", "message_stop"),
        *("content_block_start", "content_block_delta"),
    )

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

    def streamed(self, _manners: Manners) -> dict[str, object]:
        """What asks for a stream."""
        return {"stream": True}

    def part(self, data: object, *, event: bool = False) -> ReplyPart:
        """All blocks of text; of a stream, what one event adds to them."""
        kind = data.get("type") if isinstance(data, dict) else None
        if event and kind not in self._events:
            return ReplyPart()  # which says nothing to us
        reply = msgspec.convert(data, _AnthropicReply)
        if not event and reply.content is None:
            problem = "it has no content"
            raise ValueError(problem)
        blocks = [each for each in (reply.content_block, reply.delta) if each]
        blocks = (
            blocks if event else [b for b in reply.content or () if b.type == "text"]
        )
        reason = (reply.delta or _Block()).stop_reason if event else reply.stop_reason
        ending = self._endings.get(reason or "", Ending.DONE)
        usage = (reply.message or reply).usage or _Usage()
        counts = (
            usage.input_tokens,
            usage.cache_creation_input_tokens,
            usage.cache_read_input_tokens,
        )
        taken = usage.input_tokens
        if isinstance(taken, int):
            taken = sum(count for count in counts if isinstance(count, int))
        return ReplyPart(
            "".join(block.text or "" for block in blocks),
            "".join(block.thinking or "" for block in blocks),
            ending if reason or not event else None,
            taken,
            usage.output_tokens,
            last=not event or reply.type == "message_stop",
        )


class Stream:
    """What has come of a streamed answer so far.

    `cut` says that it went on beyond what was asked for, and was cut by us.
    """

    def __init__(self, room: int) -> None:
        self.ending: Ending | None = None
        self.cut = False
        self._room = room
        self._written = ""
        self._counted, self._at = 0, 0  # the tokens of all up to there
        self._taken: object = None
        self._given: object = None

    def add(self, part: ReplyPart) -> str:
        """Take a part and return its text, cut where its tokens end."""
        self.ending = part.ending or self.ending
        self._taken = self._taken if part.taken is None else part.taken
        self._given = self._given if part.given is None else part.given
        thought, text = part.thought, part.text
        fresh = len(self._written) - self._at + len(thought) + len(text)
        if self._counted + _DEAREST * fresh > self._room:
            self._counted, self._at = count_tokens(self._written), len(self._written)
            left = max(0, self._room - self._counted)
            if count_tokens(thought + text) > left:
                self.cut, self.ending = True, Ending.CUT_OFF
                thought = clip_to_tokens(thought, left)
                text = clip_to_tokens(text, left - count_tokens(thought))
        self._written += thought + text
        return text

    def use(self, most: Use, *, whole: bool) -> Use:
        """What it took; of half an answer the server has not counted the words yet."""
        if not whole and not self._written:
            return most
        given = self._given if whole and not self.cut else None
        use = believed(self._written, (self._taken, given), most)
        return replace(use, output_tokens=most.output_tokens) if self.cut else use


def spoken(texts: Iterable[str]) -> Iterator[str]:
    """What is heard of an answer: its words, and nothing a terminal obeys.

    Left out are blanks at the beginning, a thought in front of it (as models on
    servers that do not know them write them), control characters but line ends and
    tabs, and half characters, which no file could hold.
    """
    held, stage = "", "front"
    for text in _whole_characters(texts):
        held += text
        if stage == "front":
            held = held.lstrip()
            if held.startswith("<think>"):
                stage = "thought"
            elif not "<think>".startswith(held):
                stage = "words"
        if stage == "thought":
            _, end, rest = held.partition("</think>")
            # Of an unfinished thought only what may begin its end is kept.
            held, stage = (rest, "after") if end else (held[-7:], stage)
        if stage == "after":
            held = held.lstrip()
            stage = "words" if held else stage
        if stage == "words" and held:
            yield held
            held = ""
    if stage == "front" and held:
        yield held


def _whole_characters(texts: Iterable[str]) -> Iterator[str]:
    """Texts without controls; a character cut in two comes with its second half."""
    decoder = codecs.getincrementaldecoder("utf-16-le")("replace")
    for piece in texts:
        text = re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", "", piece)
        yield decoder.decode(text.encode("utf-16-le", "surrogatepass"))
    yield decoder.decode(b"", final=True)
