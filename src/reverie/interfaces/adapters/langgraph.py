"""A LangGraph store whose items are Markdown files in a notebook.

    with Memory.open("~/agent") as memory:
        graph = builder.compile(store=ReverieStore(memory))

An item is one file: `("users", "alex")` and `"food"` are
`memory/notebooks/langgraph/users/alex/food.md`, each field of its value a heading with
its text below. So a person reads and corrects it, every question of Reverie finds it,
and what is put comes back as it was put. Deleting an item removes the file: history
keeps it, and `undo` brings it back.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from reverie.errors import RefusedError
from reverie.interfaces.adapters import Access, MissingExtraError
from reverie.interfaces.adapters.files import (
    BrokenFileError,
    file_name,
    is_visible,
    json_text,
)

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        PutOp,
        SearchItem,
        SearchOp,
        validate_op_namespace,
    )
except ImportError as error:
    raise MissingExtraError("langgraph") from error

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from reverie.encoding.notebook import Notebook
    from reverie.memory import Memory
    from reverie.memory.pool import AsyncMemory

PASSAGES = 5
"""So many passages are looked at for each item that is wanted."""

MOST_FILTERED = 1_000
"""So many passages are looked at where a filter may leave few of them."""

IN_LINE = 72
"""Characters of JSON that stand in a line; more of it gets a block."""

_HEADER = re.compile(r"<!-- langgraph (\{.*\}) -->")
_JSON = re.compile(r"```json\n(.*)\n```|`([^`\n]*)`", re.DOTALL)


class ReverieStore(BaseStore):
    """Long-term memory of a graph, kept by Reverie.

    A search by a query answers as `recall` does, by words and by meaning, in what was
    put under a namespace; what is put with `index=False` is left out of that.
    Items do not expire, so `ttl` is refused.

    Args:
        memory: An open memory.
        notebook: The folder below `memory/notebooks` for it.
    """

    def __init__(
        self, memory: Memory | AsyncMemory, *, notebook: str = "langgraph"
    ) -> None:
        self._access, self._name = Access(memory), notebook

    def batch(self, ops: Iterable[Any]) -> list[Any]:
        """Answer and do some things; all that is put is one change, made at last."""
        todo = _checked(ops)
        return self._access.call(partial(self._do, todo), writes=_writes(todo))

    async def abatch(self, ops: Iterable[Any]) -> list[Any]:
        """The same, awaited."""
        todo = _checked(ops)
        return await self._access.run(partial(self._do, todo), writes=_writes(todo))

    def _do(self, ops: list[Any], memory: Memory) -> list[Any]:
        notebook = memory.notebook(self._name)
        answers: list[Any] = []
        puts: dict[str, PutOp] = {}
        for op in ops:
            match op:
                case GetOp():
                    found = _load(notebook, item_path(op.namespace, op.key))
                    answers.append(found.item() if found else None)
                case SearchOp():
                    answers.append(_search(notebook, op))
                case ListNamespacesOp():
                    answers.append(_namespaces(notebook, op))
                case _:
                    puts[item_path(op.namespace, op.key)] = op
                    answers.append(None)
        if puts:
            names = ", ".join("/".join((*o.namespace, o.key)) for o in puts.values())
            plan = partial(_planned, notebook, puts)
            notebook.change(plan, why=f"LangGraph put {names}"[:200])
        return answers


def _checked(ops: Iterable[Any]) -> list[Any]:
    todo = list(ops)
    for op in todo:
        validate_op_namespace(op)
    return todo


def _writes(ops: list[Any]) -> bool:
    return any(isinstance(op, PutOp) for op in ops)


# --- an item and its file ----------------------------------------------------


class StoredItem(NamedTuple):
    """An item as its file has it."""

    namespace: tuple[str, ...]
    key: str
    value: dict[str, Any]
    created: datetime
    updated: datetime
    indexed: bool = True

    def item(self) -> Item:
        """What a store answers with."""
        namespace, key, value, created, updated, _ = self
        return Item(
            value=value,
            key=key,
            namespace=namespace,
            created_at=created,
            updated_at=updated,
        )

    def found(self, score: float | None = None) -> SearchItem:
        """What a search answers with."""
        namespace, key, value, created, updated, _ = self
        return SearchItem(namespace, key, value, created, updated, score)


def item_path(namespace: tuple[str, ...], key: str) -> str:
    """The file of an item in its notebook."""
    return f"{'/'.join(map(file_name, (*namespace, key)))}.md"


def render_item(stored: StoredItem) -> str:
    """The file of an item: a heading for each field, and its text or JSON below."""
    facts: dict[str, Any] = {
        "namespace": list(stored.namespace),
        "key": stored.key,
        "created": stored.created.isoformat(),
        "updated": stored.updated.isoformat(),
    }
    if not stored.indexed:
        facts["index"] = False
    title = stored.key if _is_plain(stored.key) else file_name(stored.key)
    parts = [f"# {title}", f"<!-- langgraph {json_text(facts, None)} -->"]
    for name, said in stored.value.items():
        heading = name if _is_heading(name) else json_text(name, None)
        parts.append(f"## {heading}")
        plain = isinstance(said, str) and _is_plain(said)
        parts.append(said if plain else _as_code(said))
    return "\n\n".join(parts) + "\n"


def parse_item(text: str, path: str = "") -> StoredItem:
    """Read what `render_item` wrote, or what a person made of it."""
    head, *sections = re.split(r"^## ", text, flags=re.MULTILINE)
    found, value = _HEADER.search(head), dict[str, Any]()
    if found is None:
        raise BrokenFileError(path, "the comment with its key is not there")
    try:
        facts = json.loads(found[1])
        for section in sections:
            name, _, body = section.partition("\n")
            said = _JSON.fullmatch(body := body.strip("\n"))
            key = json.loads(name) if name.startswith('"') else name
            value[key] = json.loads(said[1] or said[2]) if said else body
    except ValueError as error:
        raise BrokenFileError(
            path, f"some of its JSON does not read ({error})"
        ) from None
    return StoredItem(
        tuple(facts["namespace"]),
        facts["key"],
        value,
        datetime.fromisoformat(facts["created"]),
        datetime.fromisoformat(facts["updated"]),
        facts.get("index", True),
    )


def _as_code(value: object) -> str:
    """JSON in a line where it is short, else in a block."""
    short = json_text(value, None)
    in_line = len(short) <= IN_LINE and "`" not in short
    return f"`{short}`" if in_line else f"```json\n{json_text(value, 2)}\n```"


def _is_heading(name: str) -> bool:
    one_line = name == name.strip() and not re.search(r"[\n\r]", name)
    return one_line and _is_plain(name) and not name.startswith('"')


def _is_plain(text: str) -> bool:
    """Whether a text reads back the same below a heading of its own."""
    structure = re.search(r"^## |<!--|-->|\A\n|\n\Z|\r", text, re.MULTILINE)
    return (
        not structure
        and not _JSON.fullmatch(text)
        and text.strip() != ""
        and is_visible(text)
    )


# --- what is asked and put ---------------------------------------------------


def _load(notebook: Notebook, path: str) -> StoredItem | None:
    text = notebook.read(path)
    return None if text is None else parse_item(text, f"{notebook.folder}/{path}")


def _load_if_whole(notebook: Notebook, path: str) -> StoredItem | None:
    """An item; none where somebody broke its file, or put another one there."""
    try:
        return _load(notebook, path)
    except BrokenFileError:
        return None


def _planned(notebook: Notebook, puts: Mapping[str, PutOp]) -> dict[str, str | None]:
    now = datetime.now(UTC)
    files: dict[str, str | None] = {}
    for path, op in puts.items():
        if op.value is None:
            files[path] = None
            continue
        known = _load_if_whole(notebook, path)
        created = known.created if known else now
        files[path] = render_item(
            StoredItem(
                op.namespace,
                op.key,
                dict(op.value),
                created,
                now,
                op.index is not False,
            )
        )
    return files


def _search(notebook: Notebook, op: SearchOp) -> list[SearchItem]:
    under = "/".join(map(file_name, op.namespace_prefix))
    end = op.offset + op.limit
    hits: list[tuple[StoredItem, float | None]]
    if op.query:
        most = MOST_FILTERED if op.filter else PASSAGES * end
        files = notebook.search(op.query, most, under) if most else []
        loaded = [(_load_if_whole(notebook, path), score) for path, score in files]
        hits = [(each, score) for each, score in loaded if each and each.indexed]
    else:
        every = (_load_if_whole(notebook, path) for path in notebook.paths(under))
        newest = sorted(filter(None, every), key=lambda each: each.updated)
        hits = [(each, None) for each in reversed(newest)]
    fitting = [hit for hit in hits if _fits(hit[0].value, op.filter or {})]
    return [each.found(score) for each, score in fitting[op.offset : end]]


def _namespaces(notebook: Notebook, op: ListNamespacesOp) -> list[tuple[str, ...]]:
    every = (_load_if_whole(notebook, path) for path in notebook.paths())
    found = {each.namespace for each in every if each}
    for condition in op.match_conditions or ():
        turned = -1 if condition.match_type == "suffix" else 1
        path = condition.path[::turned]
        found = {
            each
            for each in found
            if len(each) >= len(path)
            and all(
                wanted in {"*", label}
                for wanted, label in zip(path, each[::turned], strict=False)
            )
        }
    cut = {each[: op.max_depth] for each in found}
    return sorted(cut)[op.offset : op.offset + op.limit]


def _fits(value: object, wanted: object) -> bool:
    """Whether a value is as a filter wants it: equal, or by its `$` operators."""
    if isinstance(wanted, dict):
        if any(name.startswith("$") for name in wanted):
            return all(_compares(value, *each) for each in wanted.items())
        fields = value if isinstance(value, dict) else None
        return fields is not None and all(
            _fits(fields.get(name), each) for name, each in wanted.items()
        )
    if isinstance(wanted, list | tuple):
        each = value if isinstance(value, list | tuple) else ()
        same = value is each and len(each) == len(wanted)
        return same and all(map(_fits, each, wanted))
    return value == wanted


_OPERATORS = {
    "$gt": lambda a, b: a > b,
    "$gte": lambda a, b: a >= b,
    "$lt": lambda a, b: a < b,
    "$lte": lambda a, b: a <= b,
}


def _compares(value: Any, operator: str, wanted: Any) -> bool:
    if operator in {"$eq", "$ne"}:
        return bool(value == wanted) is (operator == "$eq")
    if operator not in _OPERATORS:
        message = f"a filter of a search has the operator {operator!r}"
        raise RefusedError(message, hint="Use $eq, $ne, $gt, $gte, $lt or $lte.")
    try:
        return bool(_OPERATORS[operator](float(value), float(wanted)))
    except (TypeError, ValueError):
        return False
