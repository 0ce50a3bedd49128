"""Chat completions as OpenAI, Ollama, llama.cpp, LM Studio and vLLM serve them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from reverie.minds.json_answers import all_required
from reverie.minds.manners import Form, TalkManners, forced_schema, wording
from reverie.minds.style import Ending, Part, Said

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reverie.minds.manners import Manners
    from reverie.minds.mind import Conversation, Question

_ENDINGS = {"length": Ending.CUT_OFF, "content_filter": Ending.DECLINED}
_THOUGHTS = ("reasoning_content", "reasoning")


class OpenAiStyle:
    """`POST …/chat/completions`; see `Style`."""

    forms = (Form.LIMITED, Form.SCHEMA, Form.JSON, Form.TEXT)
    talk_manners = TalkManners()

    def path(self, base: str) -> str:
        """Below the configured path, which may name it already."""
        return f"{base.removesuffix('/chat/completions')}/chat/completions"

    def headers(self, key: str) -> dict[str, str]:
        """The key as a bearer's."""
        return {"Authorization": f"Bearer {key}"} if key else {}

    def body(self, question: Question, model: str, manners: Manners) -> object:
        """One message from the user, and the shape of the answer."""
        body: dict[str, object] = {
            "model": model,
            "messages": [{"role": "user", "content": wording(question, manners.form)}],
            manners.limit: question.most_tokens,
        }
        if manners.steady:
            body["temperature"] = 0
        schema = forced_schema(question, manners.form)
        if schema:
            name = re.sub(r"[^\w-]", "_", question.prompt, flags=re.ASCII)[:64]
            told = {"name": name, "strict": True, "schema": all_required(schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": told}
        elif manners.form is Form.JSON:
            body["response_format"] = {"type": "json_object"}
        return body

    def said(self, reply: Mapping[str, Any]) -> Said:
        """The first choice's words."""
        try:
            choice = reply["choices"][0]
            message, content = choice["message"], choice["message"].get("content")
            ending = _ENDINGS.get(choice.get("finish_reason"), Ending.DONE)
        except (KeyError, IndexError, TypeError, AttributeError) as error:
            problem = "it has no choices with a message"
            raise ValueError(problem) from error
        if message.get("refusal"):
            ending = Ending.DECLINED
        return Said(_text(content), ending, _told(reply))

    def talk_body(
        self, conversation: Conversation, model: str, manners: TalkManners
    ) -> object:
        """The messages as they are, in their order."""
        body: dict[str, object] = {
            "model": model,
            "messages": [
                {"role": str(message.role), "content": message.text}
                for message in conversation.messages
            ],
            manners.limit: conversation.most_tokens,
            "stream": True,
        }
        if manners.counting:
            body["stream_options"] = {"include_usage": True}
        return body

    def part(self, event: Mapping[str, Any]) -> Part:
        """What the first choice adds; the count comes in an event without choices."""
        choices = event.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else {}
        if not isinstance(choice, dict):
            problem = "it has a choice that is none"
            raise ValueError(problem)  # noqa: TRY004 - a ValueError like the others
        delta = choice.get("delta")
        delta = delta if isinstance(delta, dict) else {}
        reason = choice.get("finish_reason")
        reason = reason if isinstance(reason, str) else ""
        return Part(
            text=_text(delta.get("content")) or _text(delta.get("refusal")),
            thought=next(filter(None, (_text(delta.get(n)) for n in _THOUGHTS)), ""),
            ending=_ENDINGS.get(reason, Ending.DONE) if reason else None,
            told=_told(event),
        )


def _told(reply: Mapping[str, object]) -> tuple[object, object]:
    use = reply.get("usage")
    use = use if isinstance(use, dict) else {}
    return use.get("prompt_tokens"), use.get("completion_tokens")


def _text(content: object) -> str:
    """The words of a message, which some servers give in parts."""
    parts = content if isinstance(content, list) else [content]
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return "".join(text for text in texts if isinstance(text, str))
