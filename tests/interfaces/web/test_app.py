"""The service of a workspace, in a process of its own."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import httpx2
import pytest
import uvicorn
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.applications import Starlette
from tests.interfaces.mcp.connected import Person
from tests.interfaces.web.up import PATIENCE, until, up

from reverie import Memory
from reverie.interfaces.hosts import runtime
from reverie.interfaces.web import app
from reverie.interfaces.web.app import Server, Service, find_running

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from reverie.interfaces.web.app import Running

CLIENTS = 32


@pytest.fixture(autouse=True)
def run(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    # The path of a socket is short, and that of a test's folder is not.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        yield Path(folder)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    with Memory.init(tmp_path / "agent") as memory:
        memory.tidy_on_close = False
        memory.observe([{"text": "Ana lives in Lisbon.", "about": "person--ana"}])
    return tmp_path / "agent"


def by_hook(root: Path, name: str, **told: Any) -> str:
    """What the hook of a host prints."""
    command = [sys.executable, "-P", "-m", "reverie", "hook", name]
    done = subprocess.run(
        [*command, "--host", "claude-code", "--workspace", str(root)],
        input=json.dumps({"session_id": "s1", **told}).encode(),
        capture_output=True,
        check=True,
        timeout=120,
    )
    assert done.stderr == b""
    return done.stdout.decode()


def test_whoever_comes_while_it_is_tidied_up_does_not_wait_for_that(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "QUIET", -1.0)
    begun, done = threading.Event(), threading.Event()
    tidied = list[Memory]()

    def tidy(memory: Memory) -> None:
        begun.set()
        assert done.wait(PATIENCE)
        tidied.append(memory)

    monkeypatch.setattr(Memory, "tidy", tidy)
    service = Service(root)

    async def write_meanwhile() -> None:
        tidying = asyncio.create_task(service.tidy_if_quiet())
        assert await asyncio.to_thread(begun.wait, PATIENCE)
        lend = service._with_memory  # noqa: SLF001 - as its page does
        await lend(lambda memory: memory.remember("It rained."), writes=True)
        done.set()
        await tidying
        # Nobody came since.
        await service.tidy_if_quiet()

    asyncio.run(asyncio.wait_for(write_meanwhile(), PATIENCE))
    service.close()

    assert len(tidied) == 1


def with_token(running: Running) -> dict[str, str]:
    return {"authorization": f"Bearer {running.token}"}


# --- hooks ------------------------------------------------------------------------


def test_hooks_are_answered_with_and_without_a_service(root: Path) -> None:
    without = by_hook(root, "prompt", prompt="Where does Ana live?")
    # One that was started by the hook is of no use here.
    with up(root):
        through = by_hook(root, "prompt", prompt="Where does Ana live?")

    assert "Lisbon" in without
    assert "Lisbon" in through


def test_a_session_start_starts_the_service_and_does_not_wait_for_it(
    root: Path,
) -> None:
    assert "Lisbon" in by_hook(root, "start", source="startup")

    until(lambda: find_running(root) is not None)
    running = find_running(root)
    assert running is not None
    os.kill(running.pid, signal.SIGTERM)
    until(lambda: find_running(root) is None)


def test_without_a_workspace_a_hook_is_silent(tmp_path: Path) -> None:
    assert by_hook(tmp_path, "prompt", prompt="Hello!") == ""


def test_what_a_sub_agent_is_told_is_not_its_user_s_word(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVERIE_AGENT", "researcher")

    assert by_hook(root, "prompt", prompt="Remember that I like tea.") == ""
    with Memory(root, environ={}) as memory:
        assert memory.windows() == []


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff\xfe", b'{"prompt": 7}'])
def test_whatever_stands_on_its_input_a_hook_does_not_fail(
    root: Path, body: bytes
) -> None:
    command = [sys.executable, "-P", "-m", "reverie", "hook", "prompt", "-w", str(root)]
    done = subprocess.run(command, input=body, capture_output=True, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_word_hook_among_others_is_no_hook(root: Path) -> None:
    command = [sys.executable, "-P", "-m", "reverie", "remember", "hook", "-w"]
    done = subprocess.run([*command, str(root)], capture_output=True, check=False)

    assert done.stdout + done.stderr
    with Memory(root) as memory:
        assert memory.recall("hook").hits


def test_where_a_service_is_slow_a_turn_is_recorded_once(root: Path) -> None:
    with up(root) as (_, process):
        os.kill(process.pid, signal.SIGSTOP)
        assert by_hook(root, "prompt", prompt="The blue ladder is here.") == ""
        os.kill(process.pid, signal.SIGCONT)
        with Memory(root) as memory:
            memory.tidy_on_close = False
            until(lambda: memory.turns("claude-code-s1"))
    with Memory(root) as memory:
        turns = memory.turns("claude-code-s1")
        assert [turn.text for turn in turns] == ["The blue ladder is here."]


def test_a_workspace_that_moved_is_served_no_more_and_loses_no_turn(
    root: Path,
) -> None:
    with up(root) as (_, process):
        moved = root.rename(root.with_name("elsewhere"))
        by_hook(moved, "prompt", prompt="The blue ladder is here.")
        assert process.wait(timeout=60) == 0

    with Memory(moved) as memory:
        assert [turn.text for turn in memory.turns("claude-code-s1")]


def test_a_sub_agent_s_tool_is_judged_whatever_else_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVERIE_AGENT", "researcher")

    said = by_hook(tmp_path, "tool", tool_name="mcp__reverie__remember")

    assert "deny" in said


def test_where_the_runtime_folder_has_a_long_name_another_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = tmp_path / ("x" * 80)
    long.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(long))

    assert len(runtime.runtime_folder()) < 60


# --- over HTTP --------------------------------------------------------------------


def test_only_who_shows_the_token_gets_in(root: Path) -> None:
    with up(root) as (running, _):
        status = f"{running.url}/api/status"
        assert httpx2.get(status).status_code == 401
        assert httpx2.get(status, headers=with_token(running)).status_code == 200
        hook = f"{running.url}/hook/start"
        assert httpx2.post(hook, json={}).status_code == 401
        assert httpx2.post(f"{running.url}/mcp", json={}).status_code == 401


def test_its_files_are_the_user_s_alone(root: Path) -> None:
    with up(root):
        folder = Path(runtime.place_of(str(root))).parent
        modes = {file.stat().st_mode & 0o777 for file in folder.iterdir()}
        assert modes == {0o600}
        assert folder.stat().st_mode & 0o777 == 0o700


def test_a_runtime_folder_that_others_can_read_is_not_used(
    root: Path, run: Path
) -> None:
    (run / "reverie").mkdir(mode=0o755)

    assert runtime.place_of(str(root)) == ""
    assert not runtime.is_up(str(root))
    assert "Lisbon" in by_hook(root, "prompt", prompt="Where does Ana live?")


@asynccontextmanager
async def connect(running: Running, **how: Any) -> AsyncIterator[Client]:
    async with httpx2.AsyncClient(headers=with_token(running), timeout=60) as line:
        way: Any = streamable_http_client(f"{running.url}/mcp", http_client=line)
        async with Client(way, **how) as client:
            yield client


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_over_http_a_client_asks_its_user_too(root: Path, mode: str) -> None:
    person = Person(None)

    async def forget(running: Running) -> Any:
        how = {"mode": mode, "elicitation_callback": person}
        async with connect(running, **how) as client:
            ids = ["entity:person--ana"]
            return (await client.call_tool("forget", {"ids": ids})).structured_content

    with up(root) as (running, _):
        assert not asyncio.run(forget(running))["done"]
    assert len(person.asked) == 1


def test_tools_are_called_over_http(root: Path) -> None:
    async def ask(running: Running) -> str:
        async with connect(running) as client:
            found = await client.call_tool("recall", {"question": "Where is Ana?"})
            return str(found.structured_content["text"])

    with up(root) as (running, _):
        assert "Lisbon" in asyncio.run(ask(running))


def test_one_workspace_has_one_service(root: Path) -> None:
    with up(root):
        command = [sys.executable, "-P", "-m", "reverie", "-w", str(root), "up"]
        second = subprocess.run(command, capture_output=True, check=False)

    assert second.returncode == 6
    assert b"up already" in second.stderr


def test_of_several_that_start_at_once_one_serves(root: Path) -> None:
    command = [sys.executable, "-P", "-m", "reverie", "-w", str(root), "up"]
    quiet = subprocess.DEVNULL
    started = [subprocess.Popen(command, stdout=quiet, stderr=quiet) for _ in range(3)]
    try:
        until(lambda: sum(each.poll() is not None for each in started) == 2)
        until(lambda: find_running(root) is not None)
    finally:
        for each in started:
            each.terminate()
        codes = sorted(each.wait(timeout=60) for each in started)
    assert codes == [0, 6, 6]


def test_who_is_told_to_end_leaves_nothing_behind(root: Path, run: Path) -> None:
    with up(root) as (running, process):
        command = [sys.executable, "-P", "-m", "reverie", "-w", str(root), "up"]
        subprocess.run([*command, "--stop"], check=True, capture_output=True)
        assert process.wait(timeout=60) == 0
        assert not Path(f"/proc/{running.pid}").exists()
    names = {file.suffix for file in (run / "reverie").iterdir()}
    assert names <= {".lock", ".log"}


ENDED_AT_ONCE = """
import os, signal, sys
from pathlib import Path
from reverie.interfaces.web.app import serve
serve(Path(sys.argv[1]), told=lambda *_: os.kill(os.getpid(), signal.SIGTERM))
"""


def test_who_is_told_to_end_as_soon_as_it_is_found_leaves_nothing_behind(
    root: Path, run: Path
) -> None:
    command = [sys.executable, "-P", "-c", ENDED_AT_ONCE, str(root)]

    assert subprocess.run(command, timeout=120, check=False).returncode == 0
    assert {file.suffix for file in (run / "reverie").iterdir()} <= {".lock", ".log"}


def test_who_comes_in_while_it_ends_is_asked_to_go() -> None:
    config = uvicorn.Config(
        Starlette(), lifespan="off", log_config=None, timeout_graceful_shutdown=5
    )
    config.load()
    server = Server(config)
    server.lifespan, server.servers = config.lifespan_class(config), []
    there = server.server_state.connections
    late: Any = Mock()
    late.shutdown = lambda: there.discard(late)

    async def end() -> None:
        ending = asyncio.create_task(server.shutdown())
        await asyncio.sleep(0)
        there.add(late)
        await ending

    asyncio.run(end())

    assert not there


def test_it_ends_when_nobody_comes(root: Path) -> None:
    command = [sys.executable, "-P", "-m", "reverie", "-w", str(root), "up"]
    subprocess.run([*command, "--idle", "0.001"], check=True, timeout=PATIENCE)
    assert find_running(root) is None


# --- many at once -----------------------------------------------------------------


async def many(running: Running, rounds: int) -> list[str]:
    """So many clients remember and recall at once; what was acknowledged."""
    kept: list[str] = []

    async def one(number: int) -> None:
        async with connect(running) as client:
            for turn in range(rounds):
                text = f"The gnu number {number} eats hay for the time {turn}."
                memory = {"text": text, "store": "episodic"}
                if number % 2:
                    done = await client.call_tool("remember", {"memories": [memory]})
                    assert not done.is_error, done
                    kept.append(text)
                else:
                    question = {"question": f"What does gnu number {number} eat?"}
                    found = await client.call_tool("recall", question)
                    assert not found.is_error, found

    await asyncio.gather(*map(one, range(CLIENTS)))
    return kept


def test_many_clients_read_and_write_at_once_and_nothing_is_lost(root: Path) -> None:
    with up(root) as (running, _):
        kept = asyncio.run(many(running, 3))

    with Memory(root) as memory:
        there = "\n".join(item.text for item in memory.items("episodic"))
        assert len(kept) == CLIENTS // 2 * 3
        assert [text for text in kept if text not in there] == []
        assert memory.check() == []


def test_a_killed_service_loses_nothing_that_it_acknowledged(root: Path) -> None:
    kept: list[str] = []

    async def until_killed(running: Running) -> None:
        async with connect(running) as client:
            for number in range(200):
                text = f"The gnu number {number} eats hay."
                memory = {"text": text, "store": "episodic"}
                done = await client.call_tool("remember", {"memories": [memory]})
                assert not done.is_error
                kept.append(text)
                if number == 5:
                    os.kill(running.pid, signal.SIGKILL)

    with up(root) as (running, process):
        with pytest.raises(Exception):  # noqa: B017, PT011 - however the client tells it
            asyncio.run(until_killed(running))
        process.wait(timeout=60)
    assert kept
    with up(root) as (running, _):
        there = httpx2.get(
            f"{running.url}/api/recall",
            params={"question": "Which gnu eats hay?"},
            headers=with_token(running),
        )
        assert there.status_code == 200
    with Memory(root) as memory:
        found = "\n".join(item.text for item in memory.items("episodic"))
        assert [text for text in kept if text not in found] == []
