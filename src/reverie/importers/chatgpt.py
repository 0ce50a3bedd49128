"""Reading what ChatGPT exports."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from reverie.importers.exports import (
    identity,
    label,
    name,
    path_to,
    read_chats,
    record,
    rows,
    words,
)
from reverie.importers.walk import ChatTurn, parse_moment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from reverie.importers.exports import Fields
    from reverie.importers.walk import Chat, ImportSource
    from reverie.model.items import Finding


_ROLES = frozenset({"user", "assistant", "system"})
_SPOKEN = frozenset({"", "text", "multimodal_text"})
_CALLED = frozenset({"", "all", "python"})
"""Whom a message is for; one for any other tool is a call, not words."""

_MARK = re.compile("\ue200([^\ue200-\ue202]*)(?:\ue202([^\ue200\ue201]*))?\ue201")
_QUOTE = re.compile("【[^】\\n]{0,40}†[^】\\n]{0,80}】")


def read_chatgpt(source: ImportSource) -> Iterator[Chat | Finding]:
    """Read an export; of each conversation the branch that was last seen."""
    yield from read_chats(source, parse_turns, _about)


def _about(fields: Fields) -> tuple[str, str, datetime | None]:
    own = identity(fields, "conversation_id", "id")
    return own, name(fields.get("title")), parse_moment(fields.get("create_time"))


def parse_turns(fields: Fields) -> tuple[ChatTurn, ...] | None:
    """The turns of one conversation; None where it has no tree of messages."""
    if not isinstance(fields.get("mapping"), dict):
        return None
    nodes = {key: record(node) for key, node in record(fields["mapping"]).items()}
    parents = {key: label(node.get("parent")) for key, node in nodes.items()}
    last = label(fields.get("current_node"))
    if last not in nodes:
        last = _newest_leaf(nodes, parents)
    messages = (record(nodes[key].get("message")) for key in path_to(last, parents))
    return tuple(said for message in messages if (said := _said(message)))


def _newest_leaf(nodes: dict[str, Fields], parents: dict[str, str]) -> str:
    inner = set(parents.values())
    leaves = [key for key in nodes if key not in inner]
    return max(leaves, key=lambda key: _when(nodes[key]), default="")


def _when(node: Fields) -> float:
    at = parse_moment(record(node.get("message")).get("create_time"))
    return at.timestamp() if at else 0.0


def _said(message: Fields) -> ChatTurn | None:
    author = record(message.get("author"))
    role = label(author.get("role"))
    if role not in _ROLES or _hidden(message):
        return None
    text = _content(record(message.get("content")))
    at = parse_moment(message.get("create_time"))
    return ChatTurn(role, text, at, name(author.get("name"))) if text else None


def _hidden(message: Fields) -> bool:
    seen = record(message.get("metadata"))
    hidden = seen.get("is_visually_hidden_from_conversation") is True
    return (
        hidden
        or message.get("weight") == 0
        or label(message.get("recipient")) not in _CALLED
    )


def _content(content: Fields) -> str:
    """What a message says: its text parts, or its code between fences."""
    kind = label(content.get("content_type"))
    if kind == "code":
        code = words(content.get("text")) or _parts(content)
        return _fenced(code, name(content.get("language"))) if code else ""
    if kind not in _SPOKEN:
        return ""
    return unmarked(_parts(content) or words(content.get("text")))


def _parts(content: Fields) -> str:
    parts = (
        words(part if isinstance(part, str) else record(part).get("text"))
        for part in rows(content.get("parts"))
    )
    return "\n\n".join(filter(None, parts))


def _fenced(code: str, language: str) -> str:
    longest = max(map(len, re.findall("`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    known = "" if language == "unknown" else language
    return f"{fence}{known}\n{code}\n{fence}"


def unmarked(text: str) -> str:
    """A text without the marks that point to web pages; names in marks stay."""
    if "\ue200" in text:
        text = _MARK.sub(_named, text)
    return _QUOTE.sub("", text).strip()


def _named(found: re.Match[str]) -> str:
    kind, about = found[1], found[2] or ""
    if kind == "url":
        return about.partition("\ue202")[0]
    if kind != "entity":
        return ""
    try:
        said = [name(each) for each in rows(json.loads(about))]
    except (ValueError, RecursionError):
        return about
    return (said[1:2] or said[:1] or [""])[0]
