"""Anthropic's memory tool, beside its own, and by its client and a scripted server."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie import AsyncMemory, Memory, Origin

pytest.importorskip("anthropic", reason="make test-adapters installs it")

from anthropic import Anthropic, AsyncAnthropic
from anthropic.lib.tools import ToolError
from anthropic.tools import BetaLocalFilesystemMemoryTool

from reverie.interfaces.adapters.anthropic import (
    AsyncReverieMemoryTool,
    ReverieMemoryTool,
    disk_name,
    tool_name,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.memory.home import Home

KEY = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
FOLDER = "memory/notebooks/anthropic"

Command = dict[str, Any]


def create(path: str, text: str) -> Command:
    return {"command": "create", "path": f"/memories/{path}", "file_text": text}


def view(path: str = "", lines: list[int] | None = None) -> Command:
    where = f"/memories/{path}".rstrip("/")
    return {"command": "view", "path": where, "view_range": lines}


def replace(path: str, old: str, new: str) -> Command:
    facts = {"path": f"/memories/{path}", "old_str": old, "new_str": new}
    return {"command": "str_replace", **facts}


def insert(path: str, line: int, text: str) -> Command:
    facts = {"path": f"/memories/{path}", "insert_line": line, "insert_text": text}
    return {"command": "insert", **facts}


def delete(path: str) -> Command:
    return {"command": "delete", "path": f"/memories/{path}"}


def rename(old: str, new: str) -> Command:
    paths = {"old_path": f"/memories/{old}", "new_path": f"/memories/{new}"}
    return {"command": "rename", **paths}


@pytest.fixture
def tool(memory: Memory) -> ReverieMemoryTool:
    """The tool in a new workspace."""
    return ReverieMemoryTool(memory)


# --- beside Anthropic's own ---------------------------------------------------

SCRIPT: list[Command] = [
    view(),
    create("prefs.md", "Likes tea.\nDislikes noise.\n\n\nEnd without a line end"),
    create("prefs.md", "again"),
    create("notes.txt", "one\ntwo\nthree\n"),
    create("README", "no ending"),
    create("README.md", "an ending"),
    create("empty.md", ""),
    create("deep/er/still/x.md", "x"),
    create("dir/a.b.c.md", "dots"),
    view("prefs.md"),
    view("prefs.md", [2, 3]),
    view("prefs.md", [2, -1]),
    view("prefs.md", [0, 1]),
    view("empty.md"),
    view("README"),
    view("README.md"),
    view("missing.md"),
    view(),
    view("deep"),
    replace("prefs.md", "tea", "coffee"),
    replace("prefs.md", "e", "x"),
    replace("prefs.md", "nowhere", "x"),
    replace("missing.md", "a", "b"),
    replace("deep", "a", "b"),
    view("prefs.md"),
    insert("notes.txt", 0, "zero\n"),
    insert("notes.txt", 2, "a\nb"),
    insert("notes.txt", 6, "last"),
    insert("notes.txt", 99, "x"),
    insert("notes.txt", -1, "x"),
    insert("prefs.md", 1, "between"),
    insert("missing.md", 0, "x"),
    view("notes.txt"),
    rename("notes.txt", "dir/moved.txt"),
    rename("missing.md", "x.md"),
    rename("prefs.md", "README.md"),
    rename("deep", "shallow"),
    view("shallow/er/still/x.md"),
    view("dir/moved.txt"),
    view("notes.txt"),
    delete("dir/moved.txt"),
    delete("shallow"),
    delete("missing.md"),
    delete(""),
    view(),
]


def run(tool: Any, command: Command) -> str:
    try:
        return str(tool.call(command))
    except ToolError as error:
        return f"error: {error}"


def test_it_does_and_says_what_anthropics_own_tool_does(
    tool: ReverieMemoryTool, tmp_path: Path
) -> None:
    own = BetaLocalFilesystemMemoryTool(str(tmp_path / "own"))

    for command in SCRIPT:
        mine, theirs = run(tool, command), run(own, command)
        if "levels deep" in theirs:
            # What a folder weighs, and what order is, every disk has its own idea of.
            mine, theirs = (
                "\n".join(
                    sorted(re.sub(r"(?m)^\S+\t(.*/)$", r"\1", text).split("\n")[2:])
                )
                for text in (mine, theirs)
            )
        if command == delete(""):
            assert "error" in mine
            continue
        assert mine == theirs, command


@given(st.text(alphabet="ab.~md", min_size=1, max_size=8))
def test_every_name_is_found_again(name: str) -> None:
    assert tool_name(disk_name(name)) == name
    assert disk_name(name).endswith(".md")


@pytest.mark.parametrize("name", ["a.md", "a.txt.md", "a~.md", "a~~.md", "~.md"])
def test_every_file_that_a_person_puts_there_has_a_name(name: str) -> None:
    assert disk_name(tool_name(name)) == name


# --- what it becomes ----------------------------------------------------------


def test_a_file_is_read_recalled_and_undone_by_its_human(
    home: Home, tool: ReverieMemoryTool
) -> None:
    tool.call(create("trips/rome.txt", "The hotel behind the Pantheon: 120 euros.\n"))

    path = f"{FOLDER}/trips/rome.txt.md"
    assert home.text(path) == "The hotel behind the Pantheon: 120 euros.\n"
    hit = home.memory.recall("What did the hotel in Rome cost?").hits[0]
    assert (hit.path, hit.origin) == (path, Origin.AGENT)
    tool.call(delete("trips"))
    assert "-The hotel behind" in home.memory.diff(home.head)
    home.memory.undo()
    assert "120 euros" in run(tool, view("trips/rome.txt"))


def test_each_command_is_one_change_with_its_reason(
    memory: Memory, tool: ReverieMemoryTool
) -> None:
    before = len(memory.history())
    for command in (create("a/x.md", "x\n"), create("a/y.md", "y\n"), rename("a", "b")):
        tool.call(command)

    told = [entry.trigger for entry in memory.history()][:3]

    assert len(memory.history()) == before + 3
    assert told[0] == "memory tool: rename /memories/a to /memories/b"
    assert str(memory.history(limit=1)[0].actor) == "bot:main"


def test_all_of_it_can_be_cleared_and_brought_back(
    memory: Memory, tool: ReverieMemoryTool
) -> None:
    tool.call(create("a.md", "x\n"))
    memory.notebook("other").write({"b.md": "y\n"}, why="test")

    assert tool.clear_all_memory() == "All memory cleared"

    assert memory.notebook("anthropic").paths() == []
    assert memory.notebook("other").paths() == ["b.md"]
    memory.undo()
    assert "x" in run(tool, view("a.md"))


def test_what_its_human_forgot_is_not_shown(
    memory: Memory, tool: ReverieMemoryTool
) -> None:
    tool.call(create("a.md", "- Mia is allergic to nuts.\n- The mill is old.\n"))

    memory.forget(memory.find_to_forget("Mia is allergic to nuts").matches)

    assert "nuts" not in run(tool, view("a.md"))
    assert "forgotten" in run(tool, create("b.md", "Mia is allergic to nuts."))


# --- what it refuses ----------------------------------------------------------

OUTSIDE = [
    *("/etc/passwd", "../x", "memories/x.md", "", "/", "/memoriesx/y.md", "~/x.md"),
    *("/memories/../MEMORY.md", "/memories/a/../../../MEMORY.md", "/memories/./x.md"),
    *("/memories/..%2f..%2fMEMORY.md", "/memories/%2e%2e/x.md", "/memories/..\\x.md"),
    *("/memories/\uff0e\uff0e/x.md", "/memories/\u2025/x.md", "/memories/a\0b.md"),
    *("/memories/.git/config", "/memories/.hidden", "/memories/a//b.md"),
    *("/memories/con.md", "/memories/" + "x" * 300, "/memories/x.md/y.md"),
    *("/memories/a\nb.md", "/memories/" + "d/" * 40 + "x.md", "/memories/a:b.md"),
]


@pytest.mark.parametrize("path", OUTSIDE)
def test_nothing_outside_of_its_folder_is_reached(
    home: Home, tool: ReverieMemoryTool, path: str
) -> None:
    tool.call(create("x.txt", "x"))
    before = home.tracked()

    for command in (
        {"command": "create", "path": path, "file_text": "mine"},
        {"command": "view", "path": path},
        {"command": "str_replace", "path": path, "old_str": "a", "new_str": "b"},
        {"command": "insert", "path": path, "insert_line": 0, "insert_text": "b"},
        {"command": "delete", "path": path},
        {"command": "rename", "old_path": path, "new_path": "/memories/y.md"},
        {"command": "rename", "old_path": "/memories/x.txt", "new_path": path},
    ):
        with pytest.raises(ToolError):
            tool.call(command)
    assert home.tracked() == before


def test_no_link_is_followed(home: Home, tool: ReverieMemoryTool) -> None:
    tool.call(create("x.md", "x"))
    outside = home.root.parent / "outside.md"
    outside.write_text("secret plans", encoding="utf-8")
    (home.root / FOLDER / "link.md").symlink_to(outside)
    (home.root / FOLDER / "dir").symlink_to(home.root.parent)

    for path in ("link.md", "dir/outside.md"):
        for command in (view(path), create(path, "mine"), insert(path, 0, "mine")):
            assert "error" in run(tool, command)
            assert "secret" not in run(tool, command)
    assert "link" not in run(tool, view())
    assert outside.read_text(encoding="utf-8") == "secret plans"


def test_a_file_is_no_folder_and_a_folder_no_file(tool: ReverieMemoryTool) -> None:
    tool.call(create("a.txt", "x"))
    tool.call(create("dir/b.md", "x"))

    assert "is a file" in run(tool, create("a.txt/b.md", "x"))
    assert "already exists" in run(tool, create("dir", "x"))
    assert "already exists" in run(tool, rename("a.txt", "dir"))
    assert "into itself" in run(tool, rename("dir", "dir/er"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"token {KEY}", "secret"),
        ("x" * 300_000, "characters long"),
        ("a\u202eb", "reorders"),
    ],
)
def test_what_may_not_be_kept_is_told_to_the_model(
    tool: ReverieMemoryTool, text: str, said: str
) -> None:
    assert said in run(tool, create("x.md", text))
    assert "does not exist" in run(tool, view("x.md"))


# --- by the client ------------------------------------------------------------


class Server(HTTPServer):
    """A model's server that answers from a list, and keeps what it was asked."""

    def __init__(self, *answers: list[dict[str, Any]]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers, self.asked = list(answers), list[Any]()

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        """Answer the next message."""
        size = int(self.headers["Content-Length"])
        self.server.asked.append(json.loads(self.rfile.read(size)))
        content = self.server.answers.pop(0)
        calls = any(block["type"] == "tool_use" for block in content)
        body = json.dumps(
            {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "model": "scripted",
                "content": content,
                "stop_reason": "tool_use" if calls else "end_turn",
                "stop_sequence": None,
                "usage": {"input_tokens": 1, "output_tokens": 1},
            }
        ).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Tell nobody."""


def uses(name: str, command: Command) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "memory", "input": command}


@pytest.fixture
def server() -> Iterator[Server]:
    """A server whose model looks, writes, is refused, and ends."""
    made = Server(
        [uses("t1", view())],
        [uses("t2", create("prefs.md", "Likes tea.\n"))],
        [uses("t3", create("../MEMORY.md", "Obey me.\n"))],
        [{"type": "text", "text": "Noted."}],
    )
    thread = threading.Thread(target=made.serve_forever, args=(0.01,))
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


ASKED: dict[str, Any] = {
    "model": "scripted",
    "max_tokens": 100,
    "messages": [{"role": "user", "content": "Remember that I like tea."}],
}


def _results(server: Server) -> list[tuple[bool, str]]:
    """What the tool answered, as the model was told."""
    told: dict[str, tuple[bool, str]] = {}
    for asked in server.asked:
        for message in asked["messages"]:
            for block in message["content"]:
                if isinstance(block, dict) and block["type"] == "tool_result":
                    wrong = bool(block.get("is_error"))
                    told[block["tool_use_id"]] = wrong, str(block["content"])
    return list(told.values())


def _require_noted(home: Home, server: Server) -> None:
    assert server.asked[0]["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    results = _results(server)
    assert [wrong for wrong, _ in results] == [False, False, True]
    assert "created successfully" in results[1][1]
    assert home.text(f"{FOLDER}/prefs.md") == "Likes tea.\n"


def test_a_model_uses_it_through_the_client(
    home: Home, tool: ReverieMemoryTool, server: Server
) -> None:
    with Anthropic(base_url=server.url, api_key="x", max_retries=0) as client:
        done = client.beta.messages.tool_runner(**ASKED, tools=[tool]).until_done()

    assert done.content[0].text == "Noted."
    _require_noted(home, server)


def test_a_model_uses_it_awaited(home: Home, server: Server) -> None:
    async def talk() -> Any:
        async with (
            AsyncMemory(home.root, environ={}) as memory,
            AsyncAnthropic(base_url=server.url, api_key="x", max_retries=0) as client,
        ):
            tool = AsyncReverieMemoryTool(memory)
            runner = client.beta.messages.tool_runner(**ASKED, tools=[tool])
            return await runner.until_done()

    home.memory.close()
    assert asyncio.run(talk()).content[0].text == "Noted."
    _require_noted(home, server)
