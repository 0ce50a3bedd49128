"""Chat completions as OpenAI, Ollama, llama.cpp, LM Studio and vLLM serve them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from reverie.minds.manners import Form, forced_schema, wording
from reverie.minds.style import Ending, Said

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reverie.minds.manners import Manners
    from reverie.minds.mind import Question

_ENDINGS = {"length": Ending.CUT_OFF, "content_filter": Ending.DECLINED}


class OpenAiStyle:
    """`POST …/chat/completions`; see `Style`."""

    forms = (Form.LIMITED, Form.SCHEMA, Form.JSON, Form.TEXT)

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
            told = {"name": name, "strict": True, "schema": schema}
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
        use = reply.get("usage")
        use = use if isinstance(use, dict) else {}
        told = (use.get("prompt_tokens"), use.get("completion_tokens"))
        return Said(_text(content), ending, told)


def _text(content: object) -> str:
    """The words of a message, which some servers give in parts."""
    parts = content if isinstance(content, list) else [content]
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return "".join(text for text in texts if isinstance(text, str))
