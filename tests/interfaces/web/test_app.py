"""The service of a workspace, in a process of its own."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from tests.interfaces.web.up import until, up

from reverie import Memory
from reverie.interfaces.hosts import runtime
from reverie.interfaces.web.app import find_running

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
    command = [sys.executable, "-P", "-m", "reverie", "-w", str(root), "hook", name]
    done = subprocess.run(
        [*command, "--host", "claude-code"],
        input=json.dumps({"session_id": "s1", **told}).encode(),
        capture_output=True,
        check=True,
        timeout=120,
    )
    assert done.stderr == b""
    return done.stdout.decode()


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
    command = [sys.executable, "-P", "-m", "reverie", "-w", str(root), "hook", "prompt"]
    done = subprocess.run(command, input=body, capture_output=True, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


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
async def connect(running: Running) -> AsyncIterator[Client]:
    async with httpx2.AsyncClient(headers=with_token(running), timeout=60) as line:
        way: Any = streamable_http_client(f"{running.url}/mcp", http_client=line)
        async with Client(way) as client:
            yield client


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


def test_it_ends_when_nobody_comes(root: Path) -> None:
    with up(root, "--idle", "0.001") as (_, process):
        assert process.wait(timeout=60) == 0
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
