"""One request and its reply, over by a certain moment whatever the server does.

A socket's own time-out begins anew with every byte that arrives, so a server that
drips could hold us for ever. Here each wait, from looking up the name to the last
byte, gets only what is left of the whole. Who reads a long reply as it comes may
begin the count anew, by what arrived and not because something did.
"""

from __future__ import annotations

import socket
import ssl
import time
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection, IncompleteRead
from io import BufferedReader, RawIOBase
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from http.client import HTTPResponse

    from _typeshed import WriteableBuffer

    from reverie.minds.address import Address

LARGEST_REPLY = 4 << 20
"""Bytes; a thousand times what a question of ours is answered with."""

LARGEST_STREAM = 32 << 20
"""Bytes; where each word is wrapped, an answer takes a hundred times its length."""

_PIECE = 1 << 16


class Deadline:
    """A moment after which nobody waits any longer.

    Attributes:
        seconds: How long is waited.
        renewed: Whether the count has begun anew, so it is not the first wait.
    """

    def __init__(
        self, seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.seconds = seconds
        self.renewed = False
        self._clock = clock
        self._end = clock() + seconds

    @property
    def left(self) -> float:
        """Seconds that may still be waited; below zero when it is too late."""
        return self._end - self._clock()

    def wait(self) -> float:
        """How long the next step may take; TimeoutError when it is too late."""
        left = self.left
        if left <= 0:
            raise TimeoutError
        return left

    def renew(self) -> None:
        """Begin the count anew: the server has shown that it goes on."""
        self._end = self._clock() + self.seconds
        self.renewed = True


class OversizedReplyError(ValueError):
    """The reply goes on and on."""

    def __init__(self, most: int) -> None:
        size = f"{most >> 20} MB" if most >> 20 else f"{most >> 10} kB"
        super().__init__(f"it is longer than {size}")


@dataclass(frozen=True, slots=True)
class Request:
    """What is posted, and where below the server's address."""

    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server sent back.

    Attributes:
        status: The number that says how it went.
        headers: Their names in lower case.
        body: All of it.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes


def connect(address: Address, deadline: Deadline) -> socket.socket:
    """Open a connection; nothing is sent over it yet but what TLS needs."""
    opened = _opened(address, deadline)
    if not address.secure:
        return opened
    try:
        opened.settimeout(deadline.wait())
        context = ssl.create_default_context()
        return context.wrap_socket(opened, server_hostname=address.host)
    except BaseException:
        opened.close()
        raise


class Arriving:
    """A reply whose body is still on its way. To be closed, which stops it.

    Attributes:
        status: The number that says how it went.
        headers: Their names in lower case.
    """

    def __init__(self, response: HTTPResponse, opened: socket.socket) -> None:
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self._response = response
        self._opened = opened
        self._came = 0

    def whole(self, most: int = LARGEST_REPLY) -> Reply:
        """Wait for all of it, unless it has more than so many bytes."""
        response = self._response
        body = response.read(most + 1)
        if len(body) > most:
            raise OversizedReplyError(most)
        if response.length:  # of what was promised, so much never came
            raise IncompleteRead(body, response.length)
        if not body and response.length is None:  # nothing promised, nothing came
            raise IncompleteRead(body)
        return Reply(self.status, self.headers, body)

    def some(self) -> bytes:
        """Wait for what comes next; nothing at the end."""
        piece = self._response.read1(_PIECE)
        self._came += len(piece)
        if self._came > LARGEST_STREAM:
            raise OversizedReplyError(LARGEST_STREAM)
        if not piece and self._response.length:
            raise IncompleteRead(piece, self._response.length)
        return piece

    def close(self) -> None:
        """Hang up, whether or not all of it came."""
        with suppress(OSError):
            self._opened.close()


def begin(
    opened: socket.socket, address: Address, request: Request, deadline: Deadline
) -> Arriving:
    """Post a request over an open connection and wait for the head of the reply."""
    kind = _Secured if address.secure else HTTPConnection
    connection = kind(address.host, address.port)
    connection.sock = _Timed(opened, deadline)
    try:
        connection.request("POST", request.path, request.body, dict(request.headers))
        return Arriving(connection.getresponse(), opened)
    except BaseException:
        opened.close()
        raise


def _opened(address: Address, deadline: Deadline) -> socket.socket:
    found = _looked_up(address.host, address.port, deadline)
    failure: OSError = socket.gaierror(socket.EAI_NONAME, "it has no address")
    for at, (family, place) in enumerate(found):
        made = socket.socket(family, socket.SOCK_STREAM)
        try:
            # One address that swallows everything must not take the others' time.
            made.settimeout(deadline.wait() / (len(found) - at))
            made.connect(place)
        except OSError as error:
            made.close()
            failure = error
        else:
            return made
    raise failure


_Places = list[tuple[socket.AddressFamily, tuple[object, ...]]]


def _looked_up(host: str, port: int, deadline: Deadline) -> _Places:
    """The addresses behind a name, asked for in a thread: it knows no time-out."""
    answers: SimpleQueue[_Places | OSError | UnicodeError] = SimpleQueue()

    def look_up() -> None:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            answers.put(error)
        else:
            answers.put([(family, place) for family, _, _, _, place in found])

    Thread(target=look_up, daemon=True).start()
    try:
        answer = answers.get(timeout=deadline.wait())
    except Empty:
        raise TimeoutError from None
    if isinstance(answer, Exception):
        raise answer
    return answer


class _Secured(HTTPConnection):
    """Over a connection that is encrypted already."""

    default_port = 443


class _Timed:
    """As much of a socket as `http.client` uses, on a deadline."""

    def __init__(self, opened: socket.socket, deadline: Deadline) -> None:
        self._opened = opened
        self._deadline = deadline

    def sendall(self, data: bytes) -> None:
        for at in range(0, len(data), _PIECE):
            self._opened.settimeout(self._deadline.wait())
            self._opened.sendall(data[at : at + _PIECE])

    def makefile(self, _mode: str) -> BufferedReader:
        return BufferedReader(_TimedReader(self._opened, self._deadline))

    def close(self) -> None:
        """Not yet: who announces the end of it still has the reply to send."""


class _TimedReader(RawIOBase):
    def __init__(self, opened: socket.socket, deadline: Deadline) -> None:
        super().__init__()
        self._opened = opened
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        self._opened.settimeout(self._deadline.wait())
        return self._opened.recv_into(buffer)
