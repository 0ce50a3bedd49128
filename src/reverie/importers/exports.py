"""Chats that other programs export: ChatGPT, Claude, and sessions of Claude Code."""

from __future__ import annotations

import codecs
import json
import re
from typing import IO, TYPE_CHECKING, NamedTuple, cast

from msgspec.structs import replace

from reverie.importers import walk
from reverie.importers.documents import stem
from reverie.markdown import headline, one_line
from reverie.model.change import Secrets
from reverie.model.items import Finding, Severity
from reverie.secrets import kinds_in, screened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    Fields = dict[str, object]

CHUNK = 1 << 20
LONGEST = 64 << 20
"""Characters of one conversation, or bytes of one line; a longer one is left out."""


class Conversation(NamedTuple):
    """What an export says of one conversation; empty where it says nothing."""

    own: str
    title: str
    started: datetime | None
    turns: tuple[walk.ChatTurn, ...]


def read_export(source: walk.ImportSource) -> Iterator[walk.Chat | Finding]:
    """Read an export of ChatGPT or Claude, holding one conversation at a time."""
    parse = parse_chatgpt if source.kind == "chatgpt" else parse_claude
    number = 0
    with walk.opened(source) as stream:
        for element in elements(stream):
            if isinstance(element, BrokenPlace):
                what = f"{element.what} (conversation {number + 1})"
                yield _broken(source, what, rest="nothing behind it")
                return
            for raw in rows(record(element).get("conversations")) or [element]:
                number += 1
                fields, kinds = _screened(source, record(raw))
                found = parse(fields)
                if found is None:
                    what = f"conversation {number} is not one of this kind"
                    yield _broken(source, what)
                elif found.turns:
                    name = found.own or f"{source.name}#{number}"
                    yield from (walk.redacted(name, 0, kind) for kind in kinds)
                    yield from _name_long(name, found.turns)
                    yield _chat(walk.Provenance(source.kind, name), found)


def _chat(origin: walk.Provenance, found: Conversation) -> walk.Chat:
    moments = (turn.at for turn in found.turns if turn.at)
    started = found.started or next(moments, None)
    title = found.title or headline(found.turns[0].text)
    return walk.Chat(origin, title, started, found.turns)


def _broken(
    source: walk.ImportSource, what: str, line: int = 0, rest: str = "all else"
) -> Finding:
    mend = f"Ask for the export again, or leave it; {rest} was read."
    return Finding(source.name, line, what, mend, Severity.WARNING)


def _screened(
    source: walk.ImportSource, fields: Fields
) -> tuple[Fields, tuple[str, ...]]:
    """A record as it was exported, without secrets, before anything of it is read.

    Returns:
        The record, and the kinds of secrets that were redacted in it.
    """
    fields = cast("Fields", _clip_texts(fields))
    if source.secrets is Secrets.KEEP:
        return fields, ()
    clean = screened(fields)
    told = clean != fields and source.secrets is Secrets.REDACT
    return clean, kinds_in(fields) if told else ()


def _clip_texts(value: object) -> object:
    """Return a value of JSON in which no text is longer than the limit of a line."""
    if isinstance(value, str):
        return value[: walk.MAX_LINE_CHARS]
    if isinstance(value, dict):
        return {key: _clip_texts(part) for key, part in value.items()}
    return [*map(_clip_texts, value)] if isinstance(value, list) else value


def _name_long(name: str, turns: Sequence[walk.ChatTurn]) -> Iterator[Finding]:
    """Report messages that are as long as the limit, and so were cut."""
    for number, turn in enumerate(turns, 1):
        if len(turn.text) >= walk.MAX_LINE_CHARS - walk.CUT_MARGIN:
            yield walk.line_too_long(name, number, "message")


def record(value: object) -> Fields:
    """The value if it is an object, else an empty one."""
    return cast("Fields", value) if isinstance(value, dict) else {}


def rows(value: object) -> list[object]:
    """The value if it is a list, else an empty one."""
    return cast("list[object]", value) if isinstance(value, list) else []


def words(value: object) -> str:
    """The value as plain text without blank edges, if it is a text at all."""
    return walk.plain(value).strip() if isinstance(value, str) else ""


def name(fields: Fields, *keys: str) -> str:
    """The first of some fields that says anything, as one line."""
    return next(filter(None, (one_line(words(fields.get(key))) for key in keys)), "")


def path_to(last: str, parents: dict[str, str]) -> list[str]:
    """The ids from the first to the last one, where each knows the one before it."""
    path: dict[str, None] = {}
    while last in parents and last not in path:
        path[last] = None
        last = parents[last]
    return list(reversed(path))


def _paragraphs(parts: Iterator[str]) -> str:
    return "\n\n".join(filter(None, parts))


# --- one element at a time ---------------------------------------------------


class BrokenPlace(NamedTuple):
    """A place from which on an export cannot be read, and why."""

    what: str


_BETWEEN = re.compile(r"[\s,]*")


def elements(stream: IO[bytes], longest: int = LONGEST) -> Iterator[object]:
    """Read the list in a JSON file element by element, up to what is broken.

    Holds no more than the element it is at. An object outside a list counts as
    one element, and so do several that stand one below the other.
    """
    read = codecs.getincrementaldecoder("utf-8-sig")("replace").decode
    decoder = json.JSONDecoder(strict=False)
    text, at, ended, begun, listed = "", 0, False, False, False
    while True:
        between = _BETWEEN.match(text, at)
        at = between.end() if between else at
        head = text[at : at + 1]
        if head and not begun:
            begun, listed = True, head == "["
            at += listed
            if head not in "[{":
                yield BrokenPlace("is not a list of conversations")
                return
            continue
        if head == "]" and listed:
            return
        if head:
            try:
                value, at = decoder.raw_decode(text, at)
            except (ValueError, RecursionError):
                pass
            else:
                yield value
                continue
        if ended or len(text) - at > longest:
            if head or listed or not begun:
                what = "is not valid JSON from here on, cut off, or far too long"
                yield BrokenPlace(what if begun else "is not a list of conversations")
            return
        data = stream.read(max(CHUNK, len(text) - at))
        text, at, ended = text[at:] + read(data, not data), 0, not data


# --- ChatGPT -----------------------------------------------------------------

_MARK = re.compile("\ue200([^\ue200-\ue202]*)(?:\ue202([^\ue200\ue201]*))?\ue201")
_QUOTE = re.compile("【[^】\\n]{0,40}†[^】\\n]{0,80}】")


def parse_chatgpt(fields: Fields) -> Conversation | None:
    """Of a conversation the branch that was last seen; None without messages."""
    if not isinstance(fields.get("mapping"), dict):
        return None
    nodes = {key: record(node) for key, node in record(fields["mapping"]).items()}
    parents = {key: str(node.get("parent")) for key, node in nodes.items()}
    last = fields.get("current_node")
    if not isinstance(last, str) or last not in nodes:

        def moment(key: str) -> str:
            said = record(nodes[key].get("message")).get("create_time")
            return str(walk.parse_moment(said) or "")

        leaves = nodes.keys() - parents.values()
        last = max(sorted(leaves), key=moment, default="")
    messages = (record(nodes[key].get("message")) for key in path_to(last, parents))
    turns = tuple(said for message in messages if (said := _asked(message)))
    own = name(fields, "conversation_id", "id")
    started = walk.parse_moment(fields.get("create_time"))
    return Conversation(own, name(fields, "title"), started, turns)


def _asked(message: Fields) -> walk.ChatTurn | None:
    """What was said to ChatGPT or by it, without tools and what nobody was shown."""
    author, metadata = record(message.get("author")), record(message.get("metadata"))
    role, recipient = name(author, "role"), name(message, "recipient")
    hidden = metadata.get("is_visually_hidden_from_conversation") is True
    called = recipient not in {"", "all", "python"}
    if role not in {"user", "assistant", "system"} or hidden or called:
        return None
    content = record(message.get("content"))
    kind = name(content, "content_type")
    text = _paragraphs(
        words(part if isinstance(part, str) else record(part).get("text"))
        for part in rows(content.get("parts"))
    ) or words(content.get("text"))
    if kind == "code" and text:
        longest = max(map(len, re.findall("`+", text)), default=0)
        fence = "`" * max(3, longest + 1)
        language = name(content, "language").replace("unknown", "")
        text = f"{fence}{language}\n{text}\n{fence}"
    elif kind in {"", "text", "multimodal_text"}:
        text = unmarked(text)
    else:
        text = ""
    if not text or message.get("weight") == 0:
        return None
    at = walk.parse_moment(message.get("create_time"))
    return walk.ChatTurn(role, text, at, name(author, "name"))


def unmarked(text: str) -> str:
    """A text without the marks that point to web pages; names in marks stay."""
    return _QUOTE.sub("", _MARK.sub(_named, text)).strip()


def _named(found: re.Match[str]) -> str:
    kind, about = found[1], found[2] or ""
    if kind == "url":
        return about.partition("\ue202")[0]
    try:
        said = rows(json.loads(about)) if kind == "entity" else []
    except (ValueError, RecursionError):
        return about
    return one_line(words((said[1:2] or said[:1] or [""])[0]))


# --- Claude ------------------------------------------------------------------

_SENDERS = {"human": "user", "user": "user", "assistant": "assistant"}
_FIRST = "00000000-0000-4000-8000-000000000000"
"""What stands as the parent of a first message."""


def parse_claude(fields: Fields) -> Conversation | None:
    """Of a conversation the branch that was written last; None without messages."""
    if not isinstance(fields.get("chat_messages"), list):
        return None
    messages = [record(message) for message in rows(fields["chat_messages"])]
    known = {name(m, "uuid"): m for m in messages}
    parents = {key: name(m, "parent_message_uuid") for key, m in known.items()}
    if messages and "" not in known and "" not in parents.values():
        path = path_to(name(messages[-1], "uuid"), parents)
        # Where they do not lead back to a first one, all are taken.
        if parents[path[0]] == _FIRST:
            messages = [known[key] for key in path]
    turns = tuple(said for message in messages if (said := _sent(message)))
    started = walk.parse_moment(fields.get("created_at"))
    return Conversation(
        name(fields, "uuid", "id"), name(fields, "name"), started, turns
    )


def _sent(message: Fields) -> walk.ChatTurn | None:
    """What was said, and what was attached to it."""
    blocks = [record(block) for block in rows(message.get("content"))]
    spoken = [b for b in blocks if name(b, "type") in {"text", "voice_note"}]
    text = _paragraphs(words(block.get("text")) for block in spoken)
    if not text and len(spoken) == len(blocks):
        # With other blocks the flat text has remarks that they cannot be shown.
        text = words(message.get("text"))
    parts = [text]
    for attached in map(record, rows(message.get("attachments"))):
        if inside := words(attached.get("extracted_content")):
            label = name(attached, "file_name") or "without a name"
            parts.append(f"[Attachment: {label}]\n{inside}")
    role, text = _SENDERS.get(name(message, "sender")), _paragraphs(iter(parts))
    at = walk.parse_moment(message.get("created_at"))
    return walk.ChatTurn(role, text, at) if role and text else None


# --- Claude Code -------------------------------------------------------------

_NOT_SPOKEN = (
    *("isMeta", "isSidechain", "isCompactSummary"),
    *("isVisibleInTranscriptOnly", "isApiErrorMessage"),
)
_TAGS = (
    r"(?:command-(?:name|message|args|contents)|local-command-(?:stdout|stderr|caveat)"
    r"|bash-(?:input|stdout|stderr)|system-reminder|user-prompt-submit-hook"
    r"|task-notification|ide_(?:opened_file|selection|diagnostics))"
)
_NOISE = re.compile(rf"<({_TAGS})>(?:(?!<\1>).)*?</\1>", re.DOTALL)
_ALL_NOISE = re.compile(
    rf"<{_TAGS}>|\[Request interrupted by user|Caveat: The messages below were "
    r"generated by the user while running local"
    r"|(?:\(no content\)|No response requested\.)\Z"
)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def read_claude_code(source: walk.ImportSource) -> Iterator[walk.Chat | Finding]:
    """Read a session: what was said, without tools, thoughts and commands."""
    file, number = stem(source.name), 0
    own = file if _UUID.fullmatch(file) else ""
    titles: dict[str, str] = {}
    turns: list[walk.ChatTurn] = []
    with walk.opened(source) as stream:
        while data := stream.readline(LONGEST):
            number += 1
            try:
                text = data.decode("utf-8-sig", "replace").strip().strip("\0")
                fields = json.loads(text, strict=False) if text else {}
            except (ValueError, RecursionError):
                fields = None
            if not isinstance(fields, dict):
                torn = "" if data.endswith(b"\n") else ", torn or too long"
                yield _broken(source, f"the line is not valid JSON{torn}", number)
                continue
            clean, kinds = _screened(source, fields)
            yield from (walk.redacted(source.name, number, kind) for kind in kinds)
            own = own or name(clean, "sessionId")
            title = name(clean, "customTitle", "aiTitle", "title")
            titles |= {name(clean, "type"): title} if title else {}
            said = _typed(clean)
            # What an assistant says in several goes is one turn.
            if said and turns and said.role == turns[-1].role == "assistant":
                turns[-1] = replace(turns[-1], text=f"{turns[-1].text}\n\n{said.text}")
            elif said:
                turns.append(said)
    if turns:
        own = own or source.name
        asked = (headline(turn.text) for turn in turns if turn.role == "user")
        given = titles.get("custom-title") or titles.get("ai-title")
        found = Conversation(own, given or next(asked, ""), None, tuple(turns))
        yield from _name_long(source.name, turns)
        yield _chat(walk.Provenance(source.kind, own), found)


def _typed(fields: Fields) -> walk.ChatTurn | None:
    message, kind = record(fields.get("message")), name(fields, "type")
    role, spoke = name(message, "role") or kind, {"user", "assistant"}
    if not {role, kind} <= spoke or any(map(fields.get, _NOT_SPOKEN)):
        return None
    content = message.get("content")
    blocks = (record(block) for block in rows(content))
    texts = (
        words(block.get("text")) for block in blocks if block.get("type") == "text"
    )
    text = spoken(words(content) or _paragraphs(texts))
    at = walk.parse_moment(fields.get("timestamp"))
    return walk.ChatTurn(role, text, at) if text else None


def spoken(text: str) -> str:
    """What a person or the assistant said, without what the program put there."""
    while (less := _NOISE.sub("", text)) != text:
        text = less
    text = text.strip()
    return "" if _ALL_NOISE.match(text) else text
