"""Small exports and files, as the programs they come from write them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile

from hypothesis import strategies as st

from reverie.importers.intake import read
from reverie.importers.walk import Chat, ImportSource, Passage, look
from reverie.model.items import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

NOON = datetime(2026, 2, 2, 12, tzinfo=UTC)

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=12)
    | st.sampled_from(["user", "human", "text", "a", "2026-02-02T10:00:00Z", "\ud800"])
)


def shaped(*keys: str) -> st.SearchStrategy[object]:
    """JSON of any shape, that likes to use some keys."""
    names = st.sampled_from(keys) | st.text(max_size=4)
    return st.recursive(
        scalars,
        lambda inner: (
            st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=5)
        ),
        max_leaves=25,
    )


def write(path: Path, content: str | bytes | object) -> Path:
    """Put a file there: text, bytes, or anything else as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif isinstance(content, str):
        path.write_bytes(content.encode("utf-8", "surrogatepass"))
    else:
        path.write_text(json.dumps(content), encoding="utf-8")
    return path


def zipped(path: Path, files: dict[str, str | bytes]) -> Path:
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def source(path: Path, kind: str, name: str = "") -> ImportSource:
    return ImportSource(path, kind, name or path.name, path.stat().st_size)


def everything(
    sources: Iterable[ImportSource],
) -> tuple[list[Passage], list[Chat], list[Finding]]:
    """All that is read, sorted by what it is."""
    found = [thing for each in sources for thing in read(each)]
    return (
        [thing for thing in found if isinstance(thing, Passage)],
        [thing for thing in found if isinstance(thing, Chat)],
        [thing for thing in found if isinstance(thing, Finding)],
    )


def passages(path: Path, kind: str, name: str = "") -> list[Passage]:
    """The passages of a file in which all is well."""
    found, _, findings = everything([source(path, kind, name)])
    assert findings == []
    return found


def conversations(path: Path, kind: str) -> list[Chat]:
    """The conversations of a file in which all is well."""
    _, found, findings = everything([source(path, kind)])
    assert findings == []
    return found


# --- ChatGPT -----------------------------------------------------------------


def message(role: str, *parts: object, **more: object) -> dict[str, object]:
    content = {"content_type": "text", "parts": list(parts)}
    return {
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": NOON.timestamp(),
        "content": content,
        "metadata": {},
        "recipient": "all",
        **more,
    }


def chatgpt(*messages: dict[str, object], own: str = "c-1") -> dict[str, object]:
    """A conversation without branches."""
    nodes: dict[str, object] = {
        "root": {"id": "root", "message": None, "parent": None, "children": ["n0"]}
    }
    for n, said in enumerate(messages):
        parent = f"n{n - 1}" if n else "root"
        nodes[f"n{n}"] = {"message": said, "parent": parent, "children": [f"n{n + 1}"]}
    return {
        "title": "Trip to Lisbon",
        "create_time": NOON.timestamp(),
        "mapping": nodes,
        "current_node": f"n{len(messages) - 1}",
        "conversation_id": own,
    }


# --- Claude ------------------------------------------------------------------


def chat_message(sender: str, text: str, **more: object) -> dict[str, object]:
    return {
        "sender": sender,
        "text": text,
        "content": [{"type": "text", "text": text}],
        "created_at": "2026-02-02T12:00:00.5Z",
        "attachments": [],
        **more,
    }


def claude(*messages: dict[str, object], own: str = "u-1") -> dict[str, object]:
    return {
        "uuid": own,
        "name": "Bread",
        "created_at": "2026-02-02T12:00:00Z",
        "account": {"uuid": "me"},
        "chat_messages": list(messages),
    }


# --- Claude Code -------------------------------------------------------------


def entry(role: str, content: object, **more: object) -> dict[str, object]:
    return {
        "type": role,
        "message": {"role": role, "content": content},
        "timestamp": "2026-02-02T12:00:00.000Z",
        "sessionId": "s-1",
        **more,
    }


def session(*entries: object) -> str:
    return "".join(json.dumps(each) + "\n" for each in entries)


def survey(path: Path, kind: str | None = None) -> list[ImportSource]:
    """What can be read at a path."""
    return look(path, kind).sources
