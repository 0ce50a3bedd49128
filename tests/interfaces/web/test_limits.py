"""A stranger on the same machine cannot use up the connections of the service."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import socket
import tempfile
import threading
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx2
import pytest
import uvicorn
from tests.interfaces.web.up import PATIENCE, until

from reverie import Memory
from reverie.interfaces.hosts import runtime
from reverie.interfaces.web import limits
from reverie.interfaces.web.app import find_running
from reverie.interfaces.web.limits import LimitedProtocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.types import Receive, Scope, Send

    from reverie.interfaces.web.app import Running

UNFINISHED = b"GET / HTTP/1.1\r\nHost: x\r\nX-a: "


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    """Yield a running service whose log is beside its socket."""
    Memory.init(tmp_path / "agent").close()
    # The path of a socket must be short.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        with open_files(512):
            assert runtime.start(str(tmp_path / "agent"), wait=PATIENCE)
        running = find_running(tmp_path / "agent")
        assert running is not None
        yield running
        os.kill(running.pid, signal.SIGTERM)
        until(lambda: find_running(tmp_path / "agent") is None)


@contextmanager
def open_files(soft: int) -> Iterator[None]:
    """Change the limit of open files of this process and of those that it starts."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    # Other tests of this process may have left many files open.
    soft = max(soft, len([*Path("/proc/self/fd").iterdir()]) + 100)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, before[1]), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def connect(running: Running) -> socket.socket:
    port = urlsplit(running.url).port
    assert port is not None
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)


def answers(running: Running) -> bool:
    """Ask the service by its port and by its socket, as an agent does."""
    shown = {"Authorization": f"Bearer {running.token}"}
    by_port = httpx2.get(f"{running.url}/api/status", headers=shown, timeout=PATIENCE)
    by_socket, _ = runtime.ask(running.root, "/hook/compact", b"{}", PATIENCE)
    return by_port.status_code == by_socket == 200


def log(running: Running) -> str:
    return Path(f"{runtime.place_of(running.root)}.log").read_text()


def test_a_stranger_with_unfinished_requests_does_not_stop_the_service(
    service: Running,
) -> None:
    with open_files(4096), ExitStack() as held:
        for _ in range(1200):
            line = held.enter_context(connect(service))
            # The service may have closed it already.
            try:
                line.sendall(UNFINISHED)
            except ConnectionError:
                continue
        assert answers(service)
        used = len(list(Path(f"/proc/{service.pid}/fd").iterdir()))
        assert used < limits.MAX_CONNECTIONS + 200
    assert answers(service)
    assert len(log(service).splitlines()) < 5


def test_strangers_that_keep_their_connections_do_not_keep_the_owner_out(
    service: Running,
) -> None:
    with ExitStack() as held:
        for _ in range(limits.MAX_CONNECTIONS + 50):
            line = held.enter_context(connect(service))
            line.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert answers(service)


def test_the_service_recovers_when_it_has_no_more_open_files(
    service: Running,
) -> None:
    used = len(list(Path(f"/proc/{service.pid}/fd").iterdir()))
    before = resource.prlimit(service.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(service.pid, resource.RLIMIT_NOFILE, (used + 12, before[1]))
    with ExitStack() as held:
        for _ in range(100):
            held.enter_context(connect(service)).sendall(UNFINISHED)
        until(lambda: "Cannot accept a connection" in log(service))
    resource.prlimit(service.pid, resource.RLIMIT_NOFILE, before)

    assert answers(service)
    assert log(service).count("Cannot accept a connection") == 1
    assert "Traceback" not in log(service)


def test_the_service_asks_for_more_open_files(service: Running) -> None:
    soft, hard = resource.prlimit(service.pid, resource.RLIMIT_NOFILE)

    assert soft >= min(limits.OPEN_FILES, hard)


@contextmanager
def listening(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Serve an application that reads the body, with short limits."""
    monkeypatch.setattr(limits, "HEADER_SECONDS", 0.2)
    monkeypatch.setattr(limits, "BODY_SECONDS", 0.2)

    async def read(scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["type"] == "http"
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    with socket.socket() as own:
        own.bind(("127.0.0.1", 0))
        config = uvicorn.Config(
            read, http=LimitedProtocol, ws="none", lifespan="off", log_level="critical"
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(
            target=lambda: asyncio.run(server.serve(sockets=[own]))
        )
        thread.start()
        until(lambda: server.started)
        yield own.getsockname()[1]
        server.should_exit = True
        thread.join(PATIENCE)


def closed(line: socket.socket) -> bool:
    """Wait until the other side closes a connection."""
    with suppress(ConnectionError):
        while line.recv(4096):
            pass
    return True


@pytest.mark.parametrize(
    "unfinished",
    [
        b"",
        UNFINISHED,
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc",
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" + UNFINISHED,
    ],
)
def test_a_connection_that_sends_nothing_more_is_closed(
    unfinished: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        listening(monkeypatch) as port,
        socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as line,
    ):
        line.sendall(unfinished)
        assert closed(line)
