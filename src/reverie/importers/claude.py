"""Reading what Claude exports."""

from __future__ import annotations

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


_ROLES = {"human": "user", "user": "user", "assistant": "assistant"}
_SPOKEN = frozenset({"text", "voice_note"})
_FIRST = "00000000-0000-4000-8000-000000000000"
"""What stands as the parent of a first message."""


def read_claude(source: ImportSource) -> Iterator[Chat | Finding]:
    """Read an export; of each conversation the branch that was written last."""
    yield from read_chats(source, parse_turns, _about)


def _about(fields: Fields) -> tuple[str, str, datetime | None]:
    started = parse_moment(fields.get("created_at"))
    return identity(fields, "uuid", "id"), name(fields.get("name")), started


def parse_turns(fields: Fields) -> tuple[ChatTurn, ...] | None:
    """The turns of one conversation; None where it has no list of messages."""
    if not isinstance(fields.get("chat_messages"), list):
        return None
    messages = _last_branch([record(m) for m in rows(fields["chat_messages"])])
    return tuple(said for message in messages if (said := _said(message)))


def _last_branch(messages: list[Fields]) -> list[Fields]:
    """The messages that lead to the last one; all, where they do not say how."""
    known = {identity(m, "uuid"): m for m in messages}
    parents = {key: identity(m, "parent_message_uuid") for key, m in known.items()}
    if not messages or "" in known or "" in parents.values():
        return messages
    path = path_to(identity(messages[-1], "uuid"), parents)
    whole = parents[path[0]] == _FIRST
    return [known[key] for key in path] if whole else messages


def _said(message: Fields) -> ChatTurn | None:
    role = _ROLES.get(label(message.get("sender")))
    if not role:
        return None
    parts = [_words(message), *map(_attached, rows(message.get("attachments")))]
    text = "\n\n".join(filter(None, parts))
    return (
        ChatTurn(role, text, parse_moment(message.get("created_at"))) if text else None
    )


def _words(message: Fields) -> str:
    """What was said; the flat text only where there are no blocks.

    With blocks it has remarks in it that some of them cannot be shown.
    """
    blocks = [record(block) for block in rows(message.get("content"))]
    spoken = [words(b.get("text")) for b in blocks if label(b.get("type")) in _SPOKEN]
    text = "\n\n".join(filter(None, spoken))
    if text or len(spoken) < len(blocks):
        return text
    return words(message.get("text"))


def _attached(value: object) -> str:
    attachment = record(value)
    text = words(attachment.get("extracted_content"))
    label = name(attachment.get("file_name")) or "without a name"
    return f"[Attachment: {label}]\n{text}" if text else ""
