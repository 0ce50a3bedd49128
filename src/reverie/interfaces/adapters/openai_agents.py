"""A session of OpenAI Agents whose messages are turns of a conversation.

    async with AsyncMemory("~/agent") as memory:
        session = ReverieSession("trip-to-rome", memory)
        await Runner.run(agent, "Where do we stay?", session=session)

What was said is in `conversations/trip-to-rome.md`, where people read it and every
question finds it. What else a session keeps (tool calls, reasoning, ids) stands in
`memory/notebooks/openai-agents/trip-to-rome/`, in comments, which no search reads; the
words of a message stand in the conversation alone. Items come back as they were added,
but for passwords and keys, which are never written down.

A turn that was deleted, or said off the record, does not come back, and neither do the
tool calls that belong to it. `pop_item` takes a turn back the same way; it stays in the
record, marked. `clear_session` begins anew: the items go, history keeps them, and the
conversation stays what was said.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from reverie.errors import RefusedError
from reverie.interfaces.adapters import Access, MissingExtraError
from reverie.interfaces.adapters.files import BrokenFileError, file_name, json_text
from reverie.model.change import MAIN
from reverie.model.conversation import DELETED
from reverie.model.items import Role
from reverie.secrets import find_secrets, redact, without_secrets

try:
    from agents.memory.session_settings import resolve_session_limit
except ImportError as error:
    raise MissingExtraError("openai-agents") from error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from agents.memory import SessionSettings

    from reverie.conversation.window import Window
    from reverie.encoding.notebook import Notebook
    from reverie.memory import Memory
    from reverie.memory.pool import AsyncMemory
    from reverie.model.items import Turn

NOTEBOOK = "openai-agents"

_ROLES = {
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
}
_KEPT = frozenset({"type", "role", "id", "call_id", "name", "status"})
"""Fields of an item that say what it is."""


class Kept(Struct, frozen=True):
    """An item as its file has it.

    Attributes:
        turn: The number of the turn that it belongs to; 0 before anything was said.
        item: The item itself.
        said: Whose words of that turn are those of the item, which has none then.
        spoken: Whether it is a message, whoever has its words.
    """

    turn: int
    item: dict[str, Any]
    said: str = ""
    spoken: str = ""


class ReverieSession:
    """The history of one conversation with agents, kept by Reverie.

    Args:
        session_id: What the conversation is called, here and in Reverie.
        memory: An open memory.
        session_settings: What OpenAI Agents has for sessions.
    """

    def __init__(
        self,
        session_id: str,
        memory: Memory | AsyncMemory,
        *,
        session_settings: SessionSettings | None = None,
    ) -> None:
        self.session_id, self.session_settings = session_id, session_settings
        self._access = Access(memory)
        self._folder = file_name(session_id)

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """The items, or so many of the newest, in order."""
        most = resolve_session_limit(limit, self.session_settings)

        def load(memory: Memory) -> list[Any]:
            told = _Told(memory.window(self.session_id))
            every = _load(memory.notebook(NOTEBOOK), self._folder)
            found = [told.whole(kept) for kept in every if told.comes_back(kept)]
            return found if most is None else found[-most:] if most > 0 else []

        return await self._access.run(load, writes=False)

    async def add_items(self, items: list[Any]) -> None:
        """Add items at the end; messages are said in the conversation."""
        if items:
            await self._access.run(partial(self._add, [*items]))

    def _add(self, items: Iterable[Mapping[str, Any]], memory: Memory) -> None:
        window, notebook = memory.window(self.session_id), memory.notebook(NOTEBOOK)
        number, every = window.state.last, list[Kept]()
        for item in items:
            copy = json.loads(json_text(dict(item)))
            kept = _said(window, copy, number)
            number = kept.turn
            every.append(kept)
        text = _render(every)

        def plan() -> Mapping[str, str]:
            last = max(_numbers(notebook, self._folder), default=0)
            return {_path(self._folder, last + 1): text}

        notebook.change(plan, why=f"OpenAI Agents, session {window.name}")

    async def pop_item(self) -> Any:
        """Take the newest item back, and what it said with it."""

        def pop(memory: Memory) -> Any:
            window, notebook = memory.window(self.session_id), memory.notebook(NOTEBOOK)
            told, taken = _Told(window), list[Kept]()

            def plan() -> Mapping[str, str | None]:
                taken.clear()
                changed: dict[str, str | None] = {}
                for number in reversed(_numbers(notebook, self._folder)):
                    path = _path(self._folder, number)
                    kept = _parse(notebook, path)
                    while kept and not taken:
                        last = kept.pop()
                        taken.extend([last] if told.comes_back(last) else [])
                    changed[path] = _render(kept) if kept else None
                    if taken:
                        break
                return changed

            notebook.change(plan, why=f"OpenAI Agents took back, {window.name}")
            if not taken:
                return None
            item = told.whole(taken[0])
            if taken[0].spoken:
                role, why = Role(taken[0].spoken), "taken back"
                window.delete(taken[0].turn, role=role, actor=MAIN, reason=why)
            return item

        return await self._access.run(pop)

    async def clear_session(self) -> None:
        """Begin anew; history keeps the items, the conversation what was said."""

        def clear(memory: Memory) -> None:
            notebook = memory.notebook(NOTEBOOK)
            gone = dict.fromkeys(notebook.paths(self._folder))
            notebook.write(gone, why=f"OpenAI Agents cleared {self.session_id}")

        await self._access.run(clear)


# --- messages and turns ------------------------------------------------------


def _said(window: Window, item: dict[str, Any], number: int) -> Kept:
    """Record what a message says; the item goes on without words that are there."""
    places = list(_words(item))
    text = "\n\n".join(part[key] for part, key in places)
    role = _ROLES.get(item.get("role", ""))
    message = item.get("type", "message") == "message"
    if not (message and role and text.strip()):
        return Kept(number, item)
    try:
        turn = window.say(text, role=role)
    except RefusedError:
        # It only repeats what memory put there; the session has it all the same.
        return Kept(number, item)
    if turn.text != text or len(places) > 1:
        return Kept(turn.number, item, spoken=role)
    part, key = places[0]
    part[key] = ""
    return Kept(turn.number, item, said=role, spoken=role)


def _words(item: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """Where the words of a message stand in it."""
    content = item.get("content")
    if isinstance(content, str):
        yield item, "content"
    for part in content if isinstance(content, list) else ():
        for key in ("text", "refusal"):
            if isinstance(part, dict) and isinstance(part.get(key), str):
                yield part, key


class _Told:
    """What was said in a conversation, to fill items with and to hold them against."""

    def __init__(self, window: Window) -> None:
        self._turns: dict[tuple[int, str], Turn] = {
            (turn.number, str(turn.role)): turn for turn in window.turns(deleted=True)
        }

    def _gone(self, number: int, role: str) -> bool:
        turn = self._turns.get((number, role))
        return turn is not None and bool(turn.field(DELETED))

    def comes_back(self, kept: Kept) -> bool:
        """Whether nobody deleted what an item says, or belongs to."""
        if self._gone(kept.turn, Role.USER):
            return False
        if kept.said and (kept.turn, kept.said) not in self._turns:
            return False
        if kept.spoken:
            return not self._gone(kept.turn, kept.spoken)
        return not self._gone(kept.turn, Role.ASSISTANT)

    def whole(self, kept: Kept) -> dict[str, Any]:
        """An item with its words."""
        if kept.said:
            part, key = next(_words(kept.item))
            part[key] = self._turns[kept.turn, kept.said].text
        return kept.item


# --- files -------------------------------------------------------------------


def _path(folder: str, number: int) -> str:
    return f"{folder}/{number:06}.md"


def _numbers(notebook: Notebook, folder: str) -> list[int]:
    names = (path.rpartition("/")[2][:-3] for path in notebook.paths(folder))
    return sorted(int(name) for name in names if name.isdecimal())


def _load(notebook: Notebook, folder: str) -> Iterator[Kept]:
    for number in _numbers(notebook, folder):
        yield from _parse(notebook, _path(folder, number))


def _parse(notebook: Notebook, path: str) -> list[Kept]:
    text = notebook.read(path) or ""
    lines = (json.loads(line) for line in text.split("\n") if line.startswith("{"))
    try:
        return [Kept(int(each.pop("turn")[1:]), **each) for each in lines]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise BrokenFileError(f"{notebook.folder}/{path}", str(error)) from None


def _render(every: list[Kept]) -> str:
    """A file of items: whole, but without passwords and keys."""
    text = _lines(every)
    if not find_secrets(text):
        return text
    clean = [_with(kept, without_secrets) for kept in every]
    text = _lines(clean)
    if found := find_secrets(text):
        # The name of a field, or of another item, tells that a text is one.
        text = redact(text, found)
        try:
            _ = [json.loads(line) for line in text.split("\n")[1:-2]]
        except ValueError:
            text = _lines([_with(kept, lambda _: "[redacted]") for kept in every])
    return text


def _with(kept: Kept, change: Callable[[str], str]) -> Kept:
    return Kept(kept.turn, _mapped(kept.item, change), kept.said, kept.spoken)


def _lines(every: list[Kept]) -> str:
    """The file of some items, one a line."""
    lines = []
    for kept in every:
        # A bare number behind a word looks like a code that somebody was given.
        facts: dict[str, Any] = {"turn": f"#{kept.turn}"}
        facts |= {"said": kept.said} if kept.said else {}
        facts |= {"spoken": kept.spoken} if kept.spoken else {}
        lines.append(json_text(facts | {"item": kept.item}))
    return "\n".join(("<!-- openai-agents", *lines, "-->\n"))


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    """A value with all its texts changed, but for those that say what it is."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_mapped(each, change) for each in value]
    if isinstance(value, dict):
        return {
            key: each
            if key in _KEPT and isinstance(each, str)
            else _mapped(each, change)
            for key, each in value.items()
        }
    return value
