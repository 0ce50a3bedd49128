"""Messages as Anthropic serves them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reverie.minds.manners import Form, forced_schema, wording
from reverie.minds.style import Ending, Said

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reverie.minds.manners import Manners
    from reverie.minds.mind import Question

_VERSION = "2023-06-01"
_ENDINGS = {
    "max_tokens": Ending.CUT_OFF,
    "model_context_window_exceeded": Ending.CUT_OFF,
    "refusal": Ending.DECLINED,
}
_INPUT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class AnthropicStyle:
    """`POST …/v1/messages`; see `Style`."""

    forms = (Form.SCHEMA, Form.TEXT)

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
        reason = reply.get("stop_reason")
        ending = _ENDINGS.get(reason) if isinstance(reason, str) else None
        use = reply.get("usage")
        use = use if isinstance(use, dict) else {}
        told = (_input(use), use.get("output_tokens"))
        return Said(text, ending or Ending.DONE, told)


def _input(use: Mapping[str, object]) -> object:
    """The tokens read, whether or not they were remembered from before."""
    counts = [use.get(name) for name in _INPUT]
    if not isinstance(counts[0], int):
        return None
    return sum(count for count in counts if isinstance(count, int))
