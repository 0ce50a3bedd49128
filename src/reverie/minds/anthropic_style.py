"""Messages as Anthropic serves them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reverie.minds.manners import Form, TalkManners, forced_schema, wording
from reverie.minds.mind import Message, merged
from reverie.minds.style import Ending, Part, Said
from reverie.model.items import Role

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reverie.minds.manners import Manners
    from reverie.minds.mind import Conversation, Question

_VERSION = "2023-06-01"
_ENDINGS = {
    "max_tokens": Ending.CUT_OFF,
    "model_context_window_exceeded": Ending.CUT_OFF,
    "refusal": Ending.DECLINED,
}
_SILENCE = Message(Role.USER, "…")
_INPUT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class AnthropicStyle:
    """`POST …/v1/messages`; see `Style`."""

    forms = (Form.SCHEMA, Form.TEXT)
    talk_manners = TalkManners(counting=False)  # it counts without being asked

    def path(self, base: str) -> str:
        """Below the configured path, which may name parts of it already."""
        return f"{base.removesuffix('/messages').removesuffix('/v1')}/v1/messages"

    def headers(self, key: str) -> dict[str, str]:
        """The version we speak, and the key under its own name."""
        known = {"x-api-key": key} if key else {}
        return {"anthropic-version": _VERSION, **known}

    def body(self, question: Question, model: str, manners: Manners) -> object:
        """One message from the user, and the shape of the answer."""
        text = wording(question, manners.form)
        body: dict[str, object] = {
            "model": model,
            "max_tokens": question.most_tokens,
            "messages": [{"role": "user", "content": text}],
        }
        if manners.steady:
            body["temperature"] = 0
        schema = forced_schema(question, manners.form)
        if schema:
            told = {"type": "json_schema", "schema": schema}
            body["output_config"] = {"format": told}
        return body

    def said(self, reply: Mapping[str, Any]) -> Said:
        """All blocks of text, one after the other."""
        blocks = reply.get("content")
        if not isinstance(blocks, list) or not all(isinstance(b, dict) for b in blocks):
            problem = "it has no content"
            raise ValueError(problem)
        texts = [block.get("text") for block in blocks if block.get("type") == "text"]
        text = "".join(each for each in texts if isinstance(each, str))
        return Said(text, _ending(reply) or Ending.DONE, _told(reply))

    def talk_body(
        self, conversation: Conversation, model: str, manners: TalkManners
    ) -> object:
        """What the system says stands apart; user and assistant take turns."""
        said = [each for each in conversation.messages if each.role is not Role.SYSTEM]
        told = [each for each in conversation.messages if each.role is Role.SYSTEM]
        if said[0].role is Role.ASSISTANT:
            said.insert(0, _SILENCE)  # the user has the first word
        body: dict[str, object] = {
            "model": model,
            manners.limit: conversation.most_tokens,
            "messages": [
                {"role": str(each.role), "content": each.text} for each in merged(said)
            ],
            "stream": True,
        }
        if told:
            body["system"] = merged(told)[0].text
        return body

    def part(self, event: Mapping[str, Any]) -> Part:
        """What an event adds; kinds that we do not know add nothing."""
        kind = event.get("type")
        if kind == "message_start":
            return Part(told=_told(_inner(event, "message")))
        if kind == "content_block_start":
            return _words(_inner(event, "content_block"))
        if kind == "content_block_delta":
            return _words(_inner(event, "delta"))
        if kind == "message_delta":
            return Part(ending=_ending(_inner(event, "delta")), told=_told(event))
        return Part(last=kind == "message_stop")


def _inner(event: Mapping[str, object], name: str) -> Mapping[str, object]:
    inner = event.get(name)
    return inner if isinstance(inner, dict) else {}


def _words(block: Mapping[str, object]) -> Part:
    text, thought = block.get("text"), block.get("thinking")
    return Part(
        text=text if isinstance(text, str) else "",
        thought=thought if isinstance(thought, str) else "",
    )


def _ending(told: Mapping[str, object]) -> Ending | None:
    reason = told.get("stop_reason")
    return _ENDINGS.get(reason, Ending.DONE) if isinstance(reason, str) else None


def _told(reply: Mapping[str, object]) -> tuple[object, object]:
    use = _inner(reply, "usage")
    return _input(use), use.get("output_tokens")


def _input(use: Mapping[str, object]) -> object:
    """The tokens read, whether or not they were remembered from before."""
    counts = [use.get(name) for name in _INPUT]
    if not isinstance(counts[0], int):
        return None
    return sum(count for count in counts if isinstance(count, int))
