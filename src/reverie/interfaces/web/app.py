"""The service itself: hooks, MCP and an API for one workspace, in one process."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import gc
import logging
import os
import secrets
import shutil
import signal
import socket
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from reverie import Memory
from reverie.errors import ReverieError, UnavailableError
from reverie.interfaces.hosts import runtime
from reverie.interfaces.hosts.events import Woken, answer, read_event
from reverie.interfaces.hosts.sub_agents import denied
from reverie.interfaces.web.guard import Guard
from reverie.interfaces.web.limits import (
    BACKLOG,
    LimitedProtocol,
    log_sparingly,
    raise_file_limit,
)
from reverie.interfaces.web.page import Page
from reverie.interfaces.web.reconnect import BrowserKeys, derive_port, load_page_secret
from reverie.interfaces.web.views import ACTS, VIEWS
from reverie.memory.pool import READERS, MemoryPool
from reverie.printable import printable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from mcp.server import MCPServer
    from starlette.requests import Request
    from starlette.routing import BaseRoute
    from starlette.types import ASGIApp, Receive, Scope, Send

    from reverie.interfaces.hosts.events import Event

T = TypeVar("T")

IDLE = 30 * 60.0
"""Seconds after which a service ends that nobody asked."""

DESCRIPTION = Path(__file__).with_name("openapi.json").read_bytes()
"""What programs can ask, told by OpenAPI."""

SELDOM = 20_000
"""So many new objects are made before Python looks for what nobody holds."""

ASKING = 5.0
"""Seconds that a service may take to tell the link of its page."""

LOOK = 5.0
"""Seconds between two looks at the clock."""

QUIET, GRACE, MOMENT = 60.0, 3, 0.2
"""Seconds without a request after which it tidies up; those that it gives to who is
there when it ends; and between two looks whether it does."""


class AlreadyUpError(UnavailableError):
    """A service of this workspace listens already."""

    says = "a service of {} is up already"
    mend = "`reverie up --status` tells where; `reverie up --stop` ends it."


class Running(msgspec.Struct, frozen=True):
    """Where a service listens.

    Attributes:
        root: Its workspace.
        pid: Its process.
        url: Its address on loopback.
        token: What a request there has to show.
    """

    root: str
    pid: int
    url: str
    token: str


class McpDoor:
    """What answers at `/mcp`, put together when somebody first comes there.

    That takes longer than all else of a service, and most need none of it.

    Args:
        root: The workspace.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._pool: MemoryPool[Memory] | None = None
        self._opening, self._ends = asyncio.Lock(), asyncio.Event()
        self._route: BaseRoute | None = None
        self._open: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        async with self._opening:
            if self._route is None:
                server = await asyncio.to_thread(self._build)
                (route,) = server.streamable_http_app().routes
                is_open = asyncio.get_running_loop().create_future()
                self._open = asyncio.create_task(self._keep_open(server, is_open))
                await is_open
                self._route = route
        await self._route.handle(scope, receive, send)

    def _build(self) -> MCPServer:
        from reverie.interfaces.mcp.server import Door, build_server

        door = Door(self._root)
        self._pool = self._pool or door.pool()
        return build_server(door, self._pool)

    async def _keep_open(
        self, server: MCPServer, is_open: asyncio.Future[None]
    ) -> None:
        try:
            async with server.session_manager.run():
                is_open.set_result(None)
                await self._ends.wait()
        except Exception as error:
            # Who waits for it is told, and the next one tries anew.
            if is_open.done():
                raise
            is_open.set_exception(error)

    async def end(self) -> None:
        """Let everybody go who is connected."""
        self._ends.set()
        if self._open is not None:
            await self._open

    def close(self) -> None:
        """Close its memories."""
        if self._pool is not None:
            self._pool.close()


class Service:
    """One workspace, for all who are connected.

    Args:
        root: The workspace.
        idle: Seconds after which it ends when nobody asks; 0 for never.
    """

    def __init__(self, root: Path, idle: float = IDLE) -> None:
        self.root, self._idle = root, idle
        self._is = _identity(root)
        self._pool, self._mcp = MemoryPool(self._open), McpDoor(root)
        self._woken = Woken()
        # Who waits for a writer must not take the thread of who reads.
        self._readers = ThreadPoolExecutor(READERS, "reads")
        self._writer = ThreadPoolExecutor(1, "writes")
        self._asked, self._tidied, self._watched = time.monotonic(), 0.0, 0.0
        self.token = secrets.token_urlsafe(32)
        self.page = Page(root, self._with_memory, VIEWS, ACTS, self._sample_link)
        self.page.watched = self._is_watched
        self._sample: Path | None = None
        self._sampling = threading.Lock()

    def app(self, port: int) -> ASGIApp:
        """What answers requests."""
        routes = [
            Route("/hook/{event}", self.hook, methods=["POST"]),
            Route("/api/openapi.json", self.description),
            Route("/api/status", self.status),
            Route("/api/recall", self.recall),
            Route("/api/link", self.link, methods=["POST"]),
            Route("/mcp", self._mcp),
            *self.page.routes(),
        ]
        star = Starlette(
            routes=routes,
            lifespan=self._lifespan,
            exception_handlers={Exception: self.page.broken},
        )
        page = partial(self.page.knows, port), self.page.stranger
        guard = Guard(star, port, self.token, self._came, *page)
        return self.page.placed(guard)

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await self._mcp.end()

    def _came(self) -> bool:
        self._asked = time.monotonic()
        return not self.gone

    @property
    def gone(self) -> bool:
        """Whether another folder, or none, is where the workspace was."""
        return _identity(self.root) != self._is

    def warm_up(self) -> None:
        """Load what the first question needs, before anybody waits for it."""
        with suppress(ReverieError), self._pool.lend() as memory:
            memory.context("What was said last?")

    def _open(self, person: str = "") -> Memory:
        memory = Memory(self.root, person=person)
        # That takes its time; it is done when nobody is there, not when it ends.
        memory.tidy_on_close = False
        return memory

    async def tidy_if_quiet(self) -> None:
        """Tidy up once after somebody was there, when nobody is."""
        quiet = time.monotonic() - self._asked > QUIET
        if quiet and self._tidied < self._asked:
            self._tidied = time.monotonic()
            await asyncio.to_thread(self._tidy)

    def _tidy(self) -> None:
        # With a memory of its own: whoever comes to write meanwhile does not wait.
        with suppress(ReverieError), self._open() as memory:
            memory.tidy()

    @property
    def idle(self) -> bool:
        """Whether nobody came for long."""
        since = max(self._asked, self._watched)
        return bool(self._idle) and time.monotonic() - since > self._idle

    def _is_watched(self) -> None:
        self._watched = time.monotonic()

    # --- what it answers -------------------------------------------------------

    async def hook(self, request: Request) -> Response:
        """An event of a host."""
        asked = request.query_params
        body = await request.body()
        name, part = request.path_params["event"], asked.get("part", "1")
        person = asked.get("person", "")
        told = read_event(name, asked.get("host", ""), body, part, person)
        if told is None:
            return Response(status_code=400)
        if told.name == "tool":
            said = denied(told.tool, sub_agent=told.sub_agent)
            return Response(said, media_type="application/json")
        # Somebody waits for a prompt's answer; what it writes is little, and may be
        # written beside another writer.
        writes = told.name != "prompt"
        # What was said must be recorded though its host waits no longer.
        work = partial(self._answered, told, writes=writes)
        doing = asyncio.ensure_future(self._run(work, writes=writes))
        said = await asyncio.shield(doing)
        return Response(said, media_type="application/json")

    def _answered(self, event: Event, *, writes: bool) -> str:
        if event.person:
            with self._open(event.person) as memory:
                # A hook is one event of a session; only `end` closes the session.
                memory.stays = False
                return answer(memory, event, self._woken)
        with self._pool.lend(writes=writes) as memory:
            return answer(memory, event, self._woken)

    def _run(self, work: Callable[[], T], *, writes: bool) -> asyncio.Future[T]:
        threads = self._writer if writes else self._readers
        return asyncio.get_running_loop().run_in_executor(threads, work)

    async def description(self, _: Request) -> Response:
        """What can be asked here, as OpenAPI tells it."""
        return Response(DESCRIPTION, media_type="application/json")

    async def status(self, _: Request) -> Response:
        """How the workspace is."""

        def look() -> Any:
            with self._pool.lend() as memory:
                return msgspec.to_builtins(memory.overview())

        return await self._json(look)

    async def recall(self, request: Request) -> Response:
        """What answers a question."""
        question = request.query_params.get("question", "")

        def find() -> Any:
            with self._pool.lend() as memory:
                block = memory.context(question)
                return {"text": block, "sure": block.sure, "ids": block.ids}

        return await self._json(find)

    async def link(self, request: Request) -> Response:
        """What opens the page; told by the socket alone, and written nowhere."""
        server = request.scope.get("server")
        if not server or server[1] is not None:
            return Response(status_code=404)
        return JSONResponse({"path": self.page.entrance})

    def _with_memory(
        self, work: Callable[[Memory], T], *, writes: bool
    ) -> asyncio.Future[T]:
        def run() -> T:
            with self._pool.lend(writes=writes) as memory:
                return work(memory)

        return self._run(run, writes=writes)

    def _sample_link(self) -> str:
        """Serve a sample beside, in a temporary folder; tell what opens its page."""
        from reverie.interfaces.web.sample import make_sample

        with self._sampling:
            if self._sample is None or not self._sample.exists():
                root = Path(tempfile.mkdtemp(prefix="reverie-sample-")) / "sample"
                make_sample(root)
                self._sample = root
            runtime.start(str(self._sample))
            running = find_running(self._sample)
        if opens := page_link(running) if running else "":
            return opens
        raise UnavailableError(
            "the sample did not start",
            hint="`reverie -w some/folder up --sample` may say why.",
        )

    async def _json(self, find: Callable[[], Any]) -> Response:
        try:
            return JSONResponse(await self._run(find, writes=False))
        except ReverieError as error:
            told = {"error": str(error), "hint": error.advice}
            return JSONResponse(told, status_code=400)

    def close(self) -> None:
        """Close what is open."""
        self._pool.close()
        self._mcp.close()
        if self._sample is not None:
            # Whoever serves it sees that it is gone, and ends as well.
            shutil.rmtree(self._sample.parent, ignore_errors=True)


def _identity(root: Path) -> tuple[int, int]:
    """What tells a folder from another one of its name; of none, nothing does."""
    try:
        found = root.stat()
    except OSError:
        return 0, 0
    return found.st_dev, found.st_ino


def find_running(root: Path) -> Running | None:
    """Where the service of a workspace listens; None where none does."""
    place = runtime.place_of(str(root))
    if not place or not runtime.is_up(str(root)):
        return None
    with suppress(OSError, msgspec.MsgspecError):
        return msgspec.json.decode(Path(f"{place}.json").read_bytes(), type=Running)
    return None


def is_served(root: Path) -> bool:
    """Whether some process serves a workspace, also one that is about to end.

    Who ended and is not buried yet serves nobody.
    """
    place = runtime.place_of(str(root))
    if runtime.is_up(str(root)):
        return True
    try:
        with _alone(place, root):
            return False
    except AlreadyUpError:
        return True


def page_link(running: Running) -> str:
    """What opens the page in a browser, as its service says; empty if it does not."""
    silent = (runtime.NobodyAnswersError, runtime.TooSlowError)
    with suppress(*silent, msgspec.MsgspecError, KeyError):
        status, body = runtime.ask(running.root, "/api/link", b"{}", ASKING)
        if status == HTTPStatus.OK:
            return f"{running.url}{msgspec.json.decode(body)['path']}"
    return ""


def serve(
    root: Path,
    *,
    port: int | None = None,
    idle: float = IDLE,
    told: Callable[[Running, str], None],
) -> None:
    """Serve a workspace until it is told to end, or nobody comes any more.

    Args:
        root: The workspace.
        port: On loopback; None for the workspace's own port, 0 for any free one.
        idle: Seconds after which it ends when nobody asks; 0 for never.
        told: Is told where it listens, and what opens its page.
    """
    raise_file_limit()
    place = runtime.place_of(str(root))
    if not place:
        raise UnavailableError(
            "there is no folder of your own for its socket",
            hint="Set XDG_RUNTIME_DIR to one that only you can read.",
        )
    with (
        _alone(place, root),
        # Only of a socket that says TCP does asyncio send what is written at once.
        socket.socket(
            socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP
        ) as loopback,
        socket.socket(socket.AF_UNIX) as own,
    ):
        service = Service(root, idle)
        service.warm_up()
        # What is loaded by now stays: whoever asks need not wait while it is looked
        # through for what nobody holds any more, and the rest seldom.
        gc.freeze()
        gc.set_threshold(SELDOM, *gc.get_threshold()[1:])
        loopback.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        secret = load_page_secret(root)
        is_own = bind(loopback, port, secret)
        loopback.listen(BACKLOG)
        number = loopback.getsockname()[1]
        if secret and is_own:
            service.page.keys = BrowserKeys(secret, number)
        url = f"http://127.0.0.1:{number}"
        running = Running(str(root), os.getpid(), url, service.token)
        config = uvicorn.Config(
            service.app(number),
            log_level="warning",
            access_log=False,
            lifespan="on",
            http=LimitedProtocol,
            ws="none",
            backlog=BACKLOG,
            timeout_graceful_shutdown=GRACE,
        )
        server = Server(config)
        service.page.ends = lambda: server.should_exit
        last = partial(_end_in_time, server, place, running)
        # Who is found can be told to end, and leaves nothing behind then.
        with server.capture_signals():
            note = Path(f"{place}.json")
            note.touch(mode=0o600)
            note.write_bytes(msgspec.json.encode(running))
            # Who finds the socket finds the right address.
            listen_at(own, f"{place}.sock")
            told(running, f"{url}{service.page.entrance}")
            threading.Thread(target=last, daemon=True).start()
            try:
                asyncio.run(_until_idle(server, service, [loopback, own]))
            finally:
                service.close()
                forget(place, running)


def bind(loopback: socket.socket, port: int | None, secret: bytes | None) -> bool:
    """Bind a socket to a port on loopback.

    Args:
        loopback: The socket.
        port: None for the workspace's own port, or any free one if that is taken.
        secret: The secret of the workspace's page, which its own port comes from.

    Returns:
        Whether it is the port that was wanted.
    """
    wanted = port if port is not None else derive_port(secret) if secret else 0
    try:
        loopback.bind(("127.0.0.1", wanted))
    except OSError as error:
        if port is not None or error.errno != errno.EADDRINUSE:
            raise
        logging.getLogger("uvicorn.error").warning(
            "Port %d is used by another program. The page has another address until "
            "the next start, and known browsers need its link.",
            wanted,
        )
        loopback.bind(("127.0.0.1", 0))
        return False
    return bool(wanted)


class Server(uvicorn.Server):
    """A server that a signal ends, and not its process: there is more to be closed."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End at the signals by which one is asked to."""

        def end(*_: object) -> None:
            self.should_exit = True

        asked = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
        before = {each: signal.signal(each, end) for each in asked}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End, also for a browser whose connection comes about only now."""
        asking = asyncio.create_task(self._ask_to_go(self._connections))
        await super().shutdown(sockets)
        asking.cancel()

    async def _ask_to_go(self, asked: set[Any]) -> None:
        while True:
            for late in self._connections - asked:
                late.shutdown()
                asked.add(late)
            await asyncio.sleep(MOMENT)

    @property
    def _connections(self) -> set[Any]:
        return set(self.server_state.connections)


@contextmanager
def _alone(place: str, root: Path) -> Iterator[None]:
    """Be the only service of a workspace, for as long as the process lives."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC
    with open(os.open(f"{place}.lock", flags, 0o600), "w") as lock:  # noqa: PTH123
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AlreadyUpError(printable(str(root))) from None
        yield


def listen_at(own: socket.socket, path: str) -> None:
    """Take a path for a socket; one whose service is gone is in nobody's way."""
    beside = f"{path}.{os.getpid()}"
    with suppress(FileNotFoundError):
        Path(beside).unlink()
    own.bind(beside)
    Path(beside).chmod(0o600)
    own.listen(BACKLOG)
    Path(beside).rename(path)


def forget(place: str, running: Running) -> None:
    """Take away the files of a service, unless another one has them by now."""
    note = Path(f"{place}.json")
    with suppress(OSError, msgspec.MsgspecError):
        if msgspec.json.decode(note.read_bytes(), type=Running).pid == running.pid:
            note.unlink()
            Path(f"{place}.sock").unlink()


def _end_in_time(server: uvicorn.Server, place: str, running: Running) -> None:
    """End the process though something in it would go on; nothing is lost by that."""
    while not server.should_exit:
        time.sleep(MOMENT)
    time.sleep(GRACE + 1)
    forget(place, running)
    os._exit(0)


async def _until_idle(
    server: uvicorn.Server, service: Service, sockets: list[socket.socket]
) -> None:
    async def watch() -> None:
        while not service.idle and not service.gone:
            await asyncio.sleep(LOOK)
            await service.tidy_if_quiet()
        server.should_exit = True

    log_sparingly(asyncio.get_running_loop())
    watching = asyncio.create_task(watch())
    await server.serve(sockets=sockets)
    watching.cancel()
