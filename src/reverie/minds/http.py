"""Post JSON to a server of models, with httpx, within one time-out.

A time-out of httpx begins anew with every byte, so a server that drips could hold us
for ever. A timer hangs up when the whole has taken too long.
"""

from __future__ import annotations

import json
import re
import socket
import ssl
import time
from contextlib import suppress
from ipaddress import ip_address
from threading import Timer
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote, urlsplit

import httpx2

from reverie.minds.mind import MindUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

T = TypeVar("T")

LARGEST_REPLY = 4 << 20
"""Bytes; a thousand times what a question of ours is answered with."""

_FIRST_PAUSE = 0.5  # seconds; doubles with each further attempt
_LONGEST_MESSAGE = 200
_BUSY = {408, 425, 429, 500, 502, 503, 504, 529}
_TRUSTS_NOBODY = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
# The half of httpx that it loads with its first client; later it would cost a deadline.
httpx2.HTTPTransport(verify=_TRUSTS_NOBODY).close()
_GONE_WRONG = (
    *(OSError, ValueError, RuntimeError, LookupError, TypeError),
    *(httpx2.HTTPError, httpx2.InvalidURL),
)
"""What a request may end with that did not go well."""


class ServerError(MindUnavailableError):
    """A model server is away, busy or slow, refuses, or gives no usable reply.

    Attributes:
        sent: Whether it has the question.
        written: Whether it may have written something, which has to be paid for.
        retry: After so many seconds it may help to try again; None for never.
        unaccepted: What it says of a request that it does not take in this form.
    """

    def __init__(
        self,
        message: str,
        *,
        hint: str,
        sent: bool = True,
        written: bool = True,
        retry: float | None = None,
        unaccepted: str = "",
    ) -> None:
        super().__init__(message, hint=hint)
        self.sent, self.written = sent, sent and written
        self.retry, self.unaccepted = retry, unaccepted


class Deadline:
    """A moment after which nobody waits any longer; `seconds` is the whole wait."""

    def __init__(
        self, seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.seconds, self._clock, self._end = seconds, clock, clock() + seconds

    @property
    def left(self) -> float:
        """Seconds that may still be waited; below zero when it is too late."""
        return self._end - self._clock()


def retry(
    once: Callable[[], T],
    retries: int,
    deadline: Deadline,
    sleep: Callable[[float], None],
) -> T:
    """Ask, and ask again while the server is away or busy and there is time."""
    for attempt in range(retries):
        try:
            return once()
        except ServerError as error:
            pause = max(error.retry or 0.0, _FIRST_PAUSE * (1 << attempt))
            if error.retry is None or pause >= deadline.left:
                raise
            sleep(pause)
    return once()


class Server:
    """A server, the secret for it, and what is said when it fails.

    Args:
        url: The address.
        section: The section of `reverie.toml` that names it.
        variable: The environment variable that holds the key; perhaps none.
        environ: The environment; blanks around the key are left out.

    Attributes:
        host: Its name.
        path: The path of its address.
        key: The secret; empty where it would go to another machine in the clear.
    """

    def __init__(
        self, url: str, section: str, variable: str, environ: Mapping[str, str]
    ) -> None:
        self._section, self._variable = section, variable
        self._name = f"the {'model' if section == 'mind' else section} server {url}"
        try:
            parts = urlsplit(url)
            self.host = parts.hostname or ""
            _ = parts.port  # a ValueError where it is none
        except ValueError:
            self.host = ""
        if not self.host or not re.fullmatch(r"(?i)https?://[^\s@?#]+", url):
            shown = re.sub(r"//[^/]*@", "//…@", url)
            hint = f'Set `{section}.url` to one such as "http://localhost:11434/v1".'
            what = f"{shown!r} is not the address of a server"
            raise ServerError(what, hint=hint, sent=False)
        self._root = f"{parts.scheme}://{parts.netloc}"
        self.path = quote(parts.path.rstrip("/"), safe="/%~:@!$&'()*+,;=")
        key = environ.get(variable, "").strip()
        if not re.fullmatch(r"[!-~]*", key):
            raise self._refused_key("it is no key")
        # On the way to another machine, whoever listens could read it.
        self.key = key if parts.scheme == "https" or self.here else ""

    @property
    def here(self) -> bool:
        """Whether it is this machine for certain: by its name, or a loopback number.

        What only resolves to this machine today may be another one tomorrow.
        """
        try:
            return self.host == "localhost" or ip_address(self.host).is_loopback
        except ValueError:
            return False

    def post(
        self,
        path: str,
        headers: Mapping[str, str],
        body: object,
        deadline: Deadline,
        most: int = LARGEST_REPLY,
    ) -> bytes:
        """Post a request once, and wait for the reply.

        Args:
            path: Where to, on this server.
            headers: What goes with it, beside the usual.
            body: The request, sent as JSON.
            deadline: When to give up.
            most: The bytes a reply may have.

        Raises:
            ServerError: It gave no reply in time, half of one, or a refusal.
        """
        told = {"content-type": "application/json", "accept-encoding": "identity"}
        told |= {"user-agent": "reverie", **headers}
        data, streams, sent = bytearray(), list[Any](), False

        def trace(step: str, info: Mapping[str, Any]) -> None:
            nonlocal sent
            if step.endswith(("connect_tcp.complete", "start_tls.complete")):
                streams.append(info["return_value"])
            if step.endswith(".started") and deadline.left <= 0:
                for stream in streams:
                    stream.close()  # so what is not sent by now never will be
                raise TimeoutError("nobody waits for it any more")
            sent = sent or step.endswith("send_request_headers.started")

        def hang_up() -> None:
            for stream in streams[-1:]:
                with suppress(OSError):
                    stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)

        timer = Timer(max(0.0, deadline.left), hang_up)
        timer.daemon = True
        timer.start()
        try:
            # Certificates are those of SSL_CERT_FILE, SSL_CERT_DIR or the system;
            # all else that the environment says, such as proxies, is not for us.
            # Loading them takes longer than a question to this machine.
            secure = self._root.startswith("https:")
            trusted = httpx2.create_ssl_context() if secure else _TRUSTS_NOBODY
            with (
                httpx2.Client(
                    trust_env=False,
                    verify=trusted,
                    timeout=max(0.001, deadline.left),
                ) as client,
                client.stream(
                    "POST",
                    self._root + path,
                    headers=told,
                    content=json.dumps(body).encode(),
                    extensions={"trace": trace},
                ) as reply,
            ):
                for piece in reply.iter_raw():
                    data += piece
                    if len(data) > most:
                        size = f"{most >> 20} MB" if most >> 20 else f"{most >> 10} kB"
                        raise ValueError(f"it is longer than {size}")
        except _GONE_WRONG as error:
            raise self._failure(error, deadline, sent=sent) from error
        finally:
            timer.cancel()
        if reply.status_code != 200:
            raise self._refusal(reply.status_code, reply.headers, bytes(data))
        return bytes(data)

    def odd(self, problem: str) -> ServerError:
        """Its reply is whole, but not what such a server says."""
        names = {"mind": "`mind.url`, `mind.style` and `mind.model`"}
        hint = names.get(self._section, "that `embedding.name` is an embedding model")
        what = f"gave an odd reply: {problem}"
        return self._error(what, f"Check in reverie.toml {hint}.")

    def told(self, body: bytes) -> str:
        """What a server says about itself: one short line, without our key."""
        text = body[: 1 << 16].decode("utf-8", "replace")
        with suppress(ValueError, AttributeError, RecursionError):
            found = json.loads(text)
            found = found.get("error", found)
            text = found.get("message", found) if isinstance(found, dict) else found
        text = str(text).replace(self.key, "[key]") if self.key else str(text)
        return _one_line(text) or "no reason given"

    def _error(self, problem: str, hint: str, **facts: Any) -> ServerError:  # noqa: ANN401 - those of a ServerError
        return ServerError(f"{self._name} {problem}", hint=hint, **facts)

    def _failure(
        self, error: Exception, deadline: Deadline, *, sent: bool
    ) -> ServerError:
        """It is slow, away, or its reply breaks off; who is away may be asked again."""
        if deadline.left <= 0 or isinstance(error, httpx2.TimeoutException):
            what = f"did not answer within {deadline.seconds:g} s"
            hint = f"Raise `{self._section}.timeout_seconds`, or use a faster model."
            return self._error(what, hint, sent=sent)
        words = _one_line(str(error)) or type(error).__name__
        if sent:
            hint = "Look at the server's own log; then try again."
            return self._error(f"gave half a reply: {words}", hint)
        cause: BaseException | None = error
        away = (ConnectionRefusedError, socket.gaierror)  # it may come up
        while cause and not isinstance(cause, away):
            cause = cause.__cause__ or cause.__context__
        hint = f"Start it, or correct `{self._section}.url` in reverie.toml."
        again = 0.0 if cause else None
        return self._error(f"cannot be reached: {words}", hint, sent=False, retry=again)

    def _refusal(
        self, status: int, headers: Mapping[str, str], body: bytes
    ) -> ServerError:
        """The error that a reply other than 200 stands for."""
        message = self.told(body)
        if status in (401, 403):
            return self._refused_key(message)
        if status in _BUSY:
            after = headers.get("retry-after", "").strip()
            wait = float(after) if re.fullmatch(r"\d{1,6}(\.\d{1,6})?", after) else 0.0
            what = f"has trouble ({status}): {message}"
            return self._error(what, "Try again later.", written=False, retry=wait)
        unaccepted = message if status in (400, 422) else ""
        if 300 <= status < 400:
            message = "it sends us elsewhere, and we do not follow"
        hint = (
            f"Check `{self._section}.url`, which mostly ends in /v1, and that the "
            "server has the configured model."
        )
        what = f"refuses ({status}): {message}"
        return self._error(what, hint, written=False, unaccepted=unaccepted)

    def _refused_key(self, message: str) -> ServerError:
        variable = self._variable or f"named by `{self._section}.key_variable`"
        hint = (
            f"Set the variable {variable} to a key of this server. It is sent only "
            "over https or to this machine."
        )
        what = f"does not take our key: {message}"
        return self._error(what, hint, written=False)


def _one_line(text: str) -> str:
    """A stranger's words on one line, without what a terminal would obey."""
    seen = "".join(char if char.isprintable() else " " for char in text[:2000])
    return " ".join(seen.split())[:_LONGEST_MESSAGE]
