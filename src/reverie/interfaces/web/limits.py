"""Limits on connections and requests of the service.

Any user of the machine can connect to a port on loopback. So a stranger must not be
able to use up connections, open files or log space of the service.
"""

from __future__ import annotations

import errno
import logging
import resource
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio

MAX_CONNECTIONS = 256
"""Open connections on loopback, and as many on the Unix socket."""

BACKLOG = 128
"""Connections that the system accepts before the service does."""

HEADER_SECONDS = 10.0
"""Seconds for a client to send the header of a request."""

BODY_SECONDS = 30.0
"""Seconds for a client to send the body of a request."""

OPEN_FILES = 4096
"""Open files that the service asks the system for."""

REPEAT_SECONDS = 60.0
"""Seconds in which the same warning is logged once."""

_OUT_OF_RESOURCES = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}
_log = logging.getLogger("uvicorn.error")


def raise_file_limit() -> None:
    """Raise the soft limit of open files, as far as the hard limit allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def max_connections() -> int:
    """Return the limit of connections; it leaves most open files to the workspace."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return MAX_CONNECTIONS
    return max(16, min(MAX_CONNECTIONS, soft // 8))


class LimitedProtocol(H11Protocol):
    """HTTP connection that is closed when it is slow or in the way of others.

    At the limit, the connection that has been waiting longest without a request in
    progress is closed. A stranger never has a request in progress for long, because
    the guard answers without reading the body. So the owner always gets in.
    """

    _opened = 0.0
    _timer: asyncio.TimerHandle | None = None
    _timed_state: Any = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Register a connection, and close another one at the limit."""
        super().connection_made(transport)
        self._opened = self.loop.time()
        if self._make_room():
            self._set_timer()
        else:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Handle bytes from the client."""
        super().data_received(data)
        self._set_timer()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._set_timer()

    @property
    def is_busy(self) -> bool:
        """Whether a request is in progress."""
        # Before the first request there is no cycle.
        return not getattr(self.cycle, "response_complete", True)

    @property
    def is_local(self) -> bool:
        """Whether it came by the Unix socket, which only the user can open."""
        return self.transport.get_extra_info("peername") in {None, ""}

    def _make_room(self) -> bool:
        """Close an idle connection at the limit; return whether there is room."""
        connections: set[Any] = set(self.connections)
        others = [
            each
            for each in connections
            if each is not self
            and each.is_local == self.is_local
            and not each.transport.is_closing()
        ]
        if len(others) < max_connections():
            return True
        _log.warning("Too many connections: closing idle ones.")
        idle = [each for each in others if not each.is_busy]
        if idle:
            min(idle, key=lambda each: each._opened).transport.abort()  # noqa: SLF001
        return bool(idle)

    def _set_timer(self) -> None:
        """Limit the time for what the client has to send next."""
        state = self.conn.their_state
        if state is self._timed_state and self._timer is not None:
            return
        self._stop_timer()
        seconds = {h11.IDLE: HEADER_SECONDS, h11.SEND_BODY: BODY_SECONDS}.get(state)
        if seconds is not None and not self.transport.is_closing():
            self._timer = self.loop.call_later(seconds, self.transport.abort)
            self._timed_state = state

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class RepeatFilter(logging.Filter):
    """Drop a warning that was logged a short time ago."""

    def __init__(self) -> None:
        super().__init__()
        self._logged: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to log a record."""
        if record.levelno > logging.WARNING:
            return True
        now, text = time.monotonic(), str(record.msg)
        last = self._logged.get(text)
        if last is not None and now - last < REPEAT_SECONDS:
            return False
        self._logged[text] = now
        return True


def log_sparingly(loop: asyncio.AbstractEventLoop) -> None:
    """Log a repeated warning once a minute, and a failed accept as one line."""
    if not any(isinstance(each, RepeatFilter) for each in _log.filters):
        _log.addFilter(RepeatFilter())
    loop.set_exception_handler(_handle_loop_error)


def _handle_loop_error(
    loop: asyncio.AbstractEventLoop, context: dict[str, Any]
) -> None:
    error = context.get("exception")
    if isinstance(error, OSError) and error.errno in _OUT_OF_RESOURCES:
        _log.warning(
            "Cannot accept a connection: the system has no more open files or memory "
            "for this process. The service tries again every second."
        )
        return
    loop.default_exception_handler(context)
