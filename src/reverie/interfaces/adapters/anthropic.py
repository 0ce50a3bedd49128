"""Anthropic's memory tool, whose files are a notebook.

    with Memory.open("~/agent") as memory:
        tool = ReverieMemoryTool(memory)
        runner = client.beta.messages.tool_runner(model=…, messages=…, tools=[tool])
        runner.until_done()

`/memories/trips/rome.md` is `memory/notebooks/anthropic/trips/rome.md`, byte for byte,
and nothing outside of that folder is reached. A file of another ending has `.md` behind
it (`rome.txt.md`), so that all of them are Markdown that questions find. What is
deleted, renamed or written over is in history, and `undo` brings it back.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from reverie.errors import ReverieError
from reverie.interfaces.adapters import Access, MissingExtraError

try:
    from anthropic.lib.tools import (
        BetaAbstractMemoryTool,
        BetaAsyncAbstractMemoryTool,
        ToolError,
    )
except ImportError as error:
    raise MissingExtraError("anthropic") from error

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from reverie.encoding.notebook import Notebook
    from reverie.memory import Memory
    from reverie.memory.pool import AsyncMemory

ROOT = "/memories"
DEEP = 2
"""So many levels of folders are listed."""

WIDTH = 6
"""Digits of a line's number."""

AROUND = 2
"""Lines before and after a change that are shown."""


# --- names -------------------------------------------------------------------


def disk_name(name: str) -> str:
    """What a file is called in the notebook; no two have one name there."""
    stem = name.removesuffix(".md")
    if stem != name and "." not in stem and not stem.endswith("~"):
        return name
    return f"{name}.md" if "." in name else f"{name}~.md"


def tool_name(name: str) -> str:
    """What the tool calls a file of the notebook; `disk_name` the other way round."""
    stem = name.removesuffix(".md")
    if "." in stem:
        return stem
    return stem.removesuffix("~") if stem.endswith("~") else name


def _inside(path: str) -> str:
    """A path below the root of the tool; empty for the root itself."""
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        what = f"Path must start with {ROOT}, got: {path}"
        raise ToolError(what)
    return path.removeprefix(ROOT).strip("/")


def _file(path: str) -> str:
    """Where the file of a path stands in the notebook."""
    folder, slash, name = _inside(path).rpartition("/")
    if not name:
        what = f"Cannot do this to the {ROOT} directory itself"
        raise ToolError(what)
    return f"{folder}{slash}{disk_name(name)}"


def _files_in(notebook: Notebook, folder: str) -> list[str]:
    """The files of a folder, by their paths in the notebook; none where it is none."""
    return [p for p in notebook.paths() if not folder or p.startswith(f"{folder}/")]


# --- commands ----------------------------------------------------------------


def _view(notebook: Notebook, command: Any) -> str:
    inside = _inside(command.path)
    text = notebook.read(_file(command.path)) if inside else None
    if text is None:
        return _listing(notebook, command.path, inside)
    lines = text.split("\n")
    first, last = 1, len(lines)
    if command.view_range and len(command.view_range) == 2:
        first = max(1, command.view_range[0])
        last = last if command.view_range[1] == -1 else command.view_range[1]
    shown = _numbered(lines, first, last)
    return f"Here's the content of {command.path} with line numbers:\n{shown}"


def _numbered(lines: list[str], first: int, last: int) -> str:
    some = enumerate(lines[first - 1 : last], first)
    return "\n".join(f"{str(number).rjust(WIDTH)}\t{line}" for number, line in some)


def _listing(notebook: Notebook, path: str, folder: str) -> str:
    files = _files_in(notebook, folder)
    if folder and not files:
        what = f"The path {path} does not exist. Please provide a valid path."
        raise ToolError(what)
    sizes: dict[str, int] = {}
    for file in files:
        size = len((notebook.read(file) or "").encode())
        *above, name = file.removeprefix(f"{folder}/" if folder else "").split("/")
        for depth in range(len(above) + 1):
            part = "".join(f"{each}/" for each in above[:depth])
            sizes[part] = sizes.get(part, 0) + size
        sizes["/".join((*above, tool_name(name)))] = size
    top = path.rstrip("/")
    head = (
        f"Here're the files and directories up to {DEEP} levels deep in {path}, "
        "excluding hidden items:"
    )
    shown = [p for p in sorted(sizes) if p and p.rstrip("/").count("/") < DEEP]
    rows = [f"{_size(sizes.get('', 0))}\t{top}"]
    rows += [f"{_size(sizes[part])}\t{top}/{part}" for part in shown]
    return "\n".join((head, *rows))


def _size(size: float) -> str:
    for unit in "BKM":
        if size < 1024 or unit == "M":
            break
        size /= 1024
    return f"{size:.1f}".removesuffix(".0") + unit


def _create(notebook: Notebook, command: Any) -> str:
    path = _file(command.path)

    def plan() -> Mapping[str, str]:
        _require_new(notebook, command.path, "File")
        return {path: command.file_text}

    notebook.change(plan, why=f"memory tool: create {command.path}")
    return f"File created successfully at: {command.path}"


def _require_new(notebook: Notebook, path: str, called: str) -> None:
    """Refuse a path at which a file or a folder is, or that leads through a file."""
    inside = _inside(path)
    if notebook.read(_file(path)) is not None or _files_in(notebook, inside):
        what = f"{called} {path} already exists"
        raise ToolError(what)
    above = inside.rpartition("/")[0]
    while above:
        if notebook.read(_file(f"{ROOT}/{above}")) is not None:
            what = f"{ROOT}/{above} is a file, not a directory"
            raise ToolError(what)
        above = above.rpartition("/")[0]


def _require_text(notebook: Notebook, path: str) -> str:
    text = notebook.read(_file(path))
    if text is None and _files_in(notebook, _inside(path)):
        what = f"The path {path} is not a file."
        raise ToolError(what)
    if text is None:
        what = f"The path {path} does not exist. Please provide a valid path."
        raise ToolError(what)
    return text


def _str_replace(notebook: Notebook, command: Any) -> str:
    path, old = _file(command.path), command.old_str
    shown = ""

    def plan() -> Mapping[str, str]:
        nonlocal shown
        text = _require_text(notebook, command.path)
        if not old or old not in text:
            what = (
                f"No replacement was performed, old_str `{old}` did not appear "
                f"verbatim in {command.path}."
            )
            raise ToolError(what)
        starts = [n for n in range(len(text)) if text.startswith(old, n)]
        numbers = [text.count("\n", 0, start) + 1 for start in starts]
        if len(numbers) > 1:
            what = (
                f"No replacement was performed. Multiple occurrences of old_str "
                f"`{old}` in lines: {', '.join(map(str, numbers))}. "
                "Please ensure it is unique"
            )
            raise ToolError(what)
        new = text.replace(old, command.new_str)
        first, last = max(1, numbers[0] - AROUND), numbers[0] + AROUND
        shown = _numbered(new.split("\n"), first, last)
        return {path: new}

    notebook.change(plan, why=f"memory tool: str_replace in {command.path}")
    what = "The memory file has been edited. Here is the snippet showing the change"
    return f"{what} (with line numbers):\n{shown}"


def _insert(notebook: Notebook, command: Any) -> str:
    path = _file(command.path)

    def plan() -> Mapping[str, str]:
        lines = _require_text(notebook, command.path).split("\n")
        lines = lines[:-1] if lines[-1] == "" else lines
        if not 0 <= command.insert_line <= len(lines):
            what = (
                f"Invalid `insert_line` parameter: {command.insert_line}. "
                f"It should be within the range [0, {len(lines)}]."
            )
            raise ToolError(what)
        lines.insert(command.insert_line, command.insert_text.rstrip("\n"))
        return {path: "\n".join(lines) + "\n"}

    notebook.change(plan, why=f"memory tool: insert into {command.path}")
    return f"The file {command.path} has been edited."


def _delete(notebook: Notebook, command: Any) -> str:
    path = _file(command.path)

    def plan() -> Mapping[str, None]:
        there = [path] if notebook.read(path) is not None else []
        gone = there or _files_in(notebook, _inside(command.path))
        if not gone:
            what = f"The path {command.path} does not exist"
            raise ToolError(what)
        return dict.fromkeys(gone)

    notebook.change(plan, why=f"memory tool: delete {command.path}")
    return f"Successfully deleted {command.path}"


def _rename(notebook: Notebook, command: Any) -> str:
    old, new = _file(command.old_path), _file(command.new_path)
    before, after = _inside(command.old_path), _inside(command.new_path)

    def plan() -> Mapping[str, str | None]:
        if after.startswith(f"{before}/"):
            what = f"Cannot move {command.old_path} into itself"
            raise ToolError(what)
        single = notebook.read(old) is not None
        files = [old] if single else _files_in(notebook, before)
        if not files:
            what = f"The path {command.old_path} does not exist"
            raise ToolError(what)
        _require_new(notebook, command.new_path, "The destination")
        moves = {each: f"{after}{each.removeprefix(before)}" for each in files}
        moves = {old: new} if single else moves
        texts = {to: notebook.read(each) for each, to in moves.items()}
        return dict.fromkeys(files) | texts

    why = f"memory tool: rename {command.old_path} to {command.new_path}"
    notebook.change(plan, why=why)
    return f"Successfully renamed {command.old_path} to {command.new_path}"


def _clear(notebook: Notebook) -> str:
    notebook.change(
        lambda: dict.fromkeys(notebook.paths()), why="memory tool: clear all memory"
    )
    return "All memory cleared"


# --- the tools ---------------------------------------------------------------


def _do(act: Callable[..., str], name: str, command: tuple[Any, ...], m: Memory) -> str:
    """Carry out a command; what is refused is told to the model, which may mend it."""
    try:
        return act(m.notebook(name), *command)
    except ReverieError as error:
        what = f"Error: {error}. {error.hint}".strip()
        raise ToolError(what) from error


def _waits(act: Callable[..., str]) -> Callable[..., str]:
    def verb(self: ReverieMemoryTool, *command: Any) -> str:
        writes = act is not _view
        return self.access.call(
            partial(_do, act, self.notebook, command), writes=writes
        )

    return verb


def _awaits(act: Callable[..., str]) -> Callable[..., Any]:
    async def verb(self: AsyncReverieMemoryTool, *command: Any) -> str:
        do = partial(_do, act, self.notebook, command)
        return await self.access.run(do, writes=act is not _view)

    return verb


class ReverieMemoryTool(BetaAbstractMemoryTool):
    """The memory tool in a notebook of Reverie.

    Args:
        memory: An open memory.
        notebook: The folder below `memory/notebooks` for it.
        how: What else tools of Anthropic take.
    """

    def __init__(
        self, memory: Memory | AsyncMemory, *, notebook: str = "anthropic", **how: Any
    ) -> None:
        super().__init__(**how)
        self.access, self.notebook = Access(memory), notebook

    view = _waits(_view)
    create = _waits(_create)
    str_replace = _waits(_str_replace)
    insert = _waits(_insert)
    delete = _waits(_delete)
    rename = _waits(_rename)
    clear_all_memory = _waits(_clear)


class AsyncReverieMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same, awaited.

    Args:
        memory: An open memory.
        notebook: The folder below `memory/notebooks` for it.
        how: What else tools of Anthropic take.
    """

    def __init__(
        self, memory: Memory | AsyncMemory, *, notebook: str = "anthropic", **how: Any
    ) -> None:
        super().__init__(**how)
        self.access, self.notebook = Access(memory), notebook

    view = _awaits(_view)
    create = _awaits(_create)
    str_replace = _awaits(_str_replace)
    insert = _awaits(_insert)
    delete = _awaits(_delete)
    rename = _awaits(_rename)
    clear_all_memory = _awaits(_clear)
