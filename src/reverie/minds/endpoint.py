"""A model server as one sees it from here: it replies, or fails in a named way."""

from __future__ import annotations

import json
import re
from contextlib import closing, contextmanager
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from socket import gaierror
from typing import TYPE_CHECKING

from reverie.minds.mind import MindUnavailableError
from reverie.minds.timed import LARGEST_REPLY, OversizedReplyError, begin, connect

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from socket import socket

    from reverie.minds.address import Address
    from reverie.minds.timed import Arriving, Deadline, Reply, Request

_LONGEST_MESSAGE = 200
_BUSY = {408, 425, 429, 500, 502, 503, 504, 529}
_UNACCEPTED = {400, 422}
_MAYBE_LATER = (ConnectionRefusedError, gaierror)


class UnreachableMindError(MindUnavailableError):
    """Nobody is there, and nothing was sent.

    `passing` says whether it may help to try again.
    """

    def __init__(self, url: str, error: Exception) -> None:
        super().__init__(
            f"the model server {url} cannot be reached: {_words(error)}",
            hint="Start it, or correct `mind.url` in reverie.toml.",
        )
        self.sent = False
        self.passing = isinstance(error, _MAYBE_LATER)


class SlowMindError(MindUnavailableError):
    """The server did not answer in time. It is not asked again: we have waited.

    `sent` says whether it has the question.
    """

    written = True

    def __init__(self, url: str, deadline: Deadline, *, sent: bool) -> None:
        what = "did not go on" if deadline.renewed else "did not answer"
        super().__init__(
            f"the model server {url} {what} within {deadline.seconds:g} s",
            hint="Raise `mind.timeout_seconds` in reverie.toml, or use a faster model.",
        )
        self.sent = sent


class BrokenReplyError(MindUnavailableError):
    """The server's reply ends in the middle, or is no HTTP. It is not asked again."""

    written = True

    def __init__(self, url: str, error: Exception) -> None:
        super().__init__(
            f"the model server {url} gave half a reply: {_words(error)}",
            hint="Look at the server's own log; then try again.",
        )


class OddReplyError(MindUnavailableError):
    """The server's reply is whole, but not what such a server says."""

    written = True

    def __init__(self, url: str, problem: str) -> None:
        super().__init__(
            f"the model server {url} gave an odd reply: {problem}",
            hint="Check `mind.url`, `mind.style` and `mind.model` in reverie.toml.",
        )


class FailingMindError(MindUnavailableError):
    """The server says, in the middle of its answer, that it cannot go on."""

    written = True

    def __init__(self, url: str, message: str) -> None:
        super().__init__(
            f"the model server {url} broke its answer off: {message}",
            hint="Try again later.",
        )


class BusyMindError(MindUnavailableError):
    """The server cannot answer now; after `wait` seconds it may."""

    def __init__(self, url: str, status: int, message: str, wait: float) -> None:
        later = f" It asks to wait {wait:g} s." if wait else ""
        super().__init__(
            f"the model server {url} has trouble ({status}): {message}",
            hint=f"Try again later.{later}",
        )
        self.wait = wait


class RefusingMindError(MindUnavailableError):
    """The server does not do what we ask."""

    def __init__(self, url: str, status: int, message: str) -> None:
        super().__init__(
            f"the model server {url} refuses ({status}): {message}",
            hint="Check `mind.url`, which mostly ends in /v1, and that the server has "
            "the model of `mind.model`.",
        )
        self.message = message


class UnacceptedRequestError(RefusingMindError):
    """The server does not take the request in this form."""


class RefusedKeyError(MindUnavailableError):
    """The server does not let us in."""

    def __init__(self, url: str, variable: str, message: str) -> None:
        super().__init__(
            f"the model server {url} does not take our key: {message}",
            hint=f"Set the variable {variable or 'named by `mind.key_variable`'} to a "
            "key of this server. It is sent only over https or to this machine.",
        )


class Endpoint:
    """A server and the secret for it."""

    def __init__(self, address: Address, variable: str, key: str) -> None:
        self.address = address
        self._variable = variable
        # On the way to another machine, whoever listens could read it.
        self.key = key if address.secure or address.here else ""
        if not re.fullmatch(r"[!-~]*", key):
            raise RefusedKeyError(address.url, variable, "it is no key")

    def post(
        self, request: Request, deadline: Deadline, most: int = LARGEST_REPLY
    ) -> Reply:
        """Post a request once; whatever comes back is a reply, also a refusal.

        Args:
            request: What is posted.
            deadline: When it has to be over.
            most: The most bytes of the reply that are read.
        """
        with closing(self.stream(request, deadline)) as arriving:
            return self.whole(arriving, deadline, most)

    def stream(self, request: Request, deadline: Deadline) -> Arriving:
        """Post a request once and wait for the head of the reply only.

        Who calls this closes what it returns.
        """
        opened = self._connected(deadline)
        with self._in_words(deadline):
            return begin(opened, self.address, request, deadline)

    def whole(
        self, arriving: Arriving, deadline: Deadline, most: int = LARGEST_REPLY
    ) -> Reply:
        """Wait for all of a reply, of at most so many bytes."""
        with self._in_words(deadline):
            return arriving.whole(most)

    def pieces(self, arriving: Arriving, deadline: Deadline) -> Iterator[bytes]:
        """The body of a reply as it comes, cut anywhere."""
        while True:
            with self._in_words(deadline):
                deadline.wait()  # what came earlier and was not read yet knows no time
                piece = arriving.some()
            if not piece:
                return
            yield piece

    def _connected(self, deadline: Deadline) -> socket:
        try:
            return connect(self.address, deadline)
        except TimeoutError as error:
            raise SlowMindError(self.address.url, deadline, sent=False) from error
        except (OSError, UnicodeError) as error:
            raise UnreachableMindError(self.address.url, error) from error

    @contextmanager
    def _in_words(self, deadline: Deadline) -> Iterator[None]:
        """What goes wrong once something was sent, as errors of ours."""
        try:
            yield
        except TimeoutError as error:
            raise SlowMindError(self.address.url, deadline, sent=True) from error
        except (OSError, HTTPException, OversizedReplyError) as error:
            raise BrokenReplyError(self.address.url, error) from error

    def refusal(self, reply: Reply) -> MindUnavailableError:
        """The error that a reply other than 200 stands for."""
        url, status = self.address.url, reply.status
        message = self.told(reply.body)
        if status in (401, 403):
            return RefusedKeyError(url, self._variable, message)
        if status in _BUSY:
            return BusyMindError(url, status, message, _wait(reply.headers))
        if status in _UNACCEPTED:
            return UnacceptedRequestError(url, status, message)
        if 300 <= status < 400:
            message = "it sends us elsewhere, and we do not follow"
        return RefusingMindError(url, status, message)

    def told(self, body: bytes) -> str:
        """What a server says about itself: one short line, without our key."""
        text = body[: 1 << 16].decode("utf-8", "replace")
        try:
            found = json.loads(text)
            found = found.get("error", found)
            text = found.get("message", found) if isinstance(found, dict) else found
        except (ValueError, AttributeError, RecursionError):
            pass
        text = str(text)
        if self.key:
            text = text.replace(self.key, "[key]")
        return _one_line(text) or "no reason given"


def _words(error: Exception) -> str:
    return _one_line(str(error)) or type(error).__name__


def _one_line(text: str) -> str:
    """A stranger's words on one line, without what a terminal would obey."""
    seen = "".join(char if char.isprintable() else " " for char in text[:2000])
    return " ".join(seen.split())[:_LONGEST_MESSAGE]


def _wait(headers: Mapping[str, str]) -> float:
    """How long the server wants to be left alone; a date counts from its own clock."""
    after = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,6}(\.\d{1,6})?", after):
        return float(after)
    try:
        later = parsedate_to_datetime(after) - parsedate_to_datetime(headers["date"])
    except (ValueError, TypeError, KeyError, IndexError, OverflowError):
        return 0.0
    return max(0.0, later.total_seconds())
