"""One question to a web server, put again where that may help."""

from __future__ import annotations

import re
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from reverie.embedding.answers import (
    BusyEndpointError,
    SlowEndpointError,
    UnreachableEndpointError,
    refusal,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from reverie.config import EmbeddingConfig

_PAUSES = (0.2, 0.5, 1.0)  # seconds between attempts
_LONGEST_PAUSE = 30.0  # whatever the server asks for
_LARGEST_ANSWER = 1 << 28
_THIS_MACHINE = re.compile(r"localhost|127(\.\d+){3}|::1")


class Asker:
    """Posts to an endpoint.

    What passes by itself, such as too many requests or a server that restarts, is
    tried again a few times; everything else is said at once.
    """

    def __init__(
        self, config: EmbeddingConfig, key: str, sleep: Callable[[float], None]
    ) -> None:
        self._url = config.url
        self._seconds = config.timeout_seconds
        self._variable = config.key_variable
        self._sleep = sleep
        try:
            parts = urlsplit(config.url)
            self._host, self._port = parts.hostname or "", parts.port
        except ValueError as error:
            raise UnreachableEndpointError(config.url, error) from error
        self._secure = parts.scheme == "https"
        self._path = f"{parts.path.removesuffix('/embeddings').rstrip('/')}/embeddings"
        self._headers = {"Content-Type": "application/json"}
        # On the way to another machine, whoever listens could read it.
        if key and (self._secure or _THIS_MACHINE.fullmatch(self._host)):
            self._headers["Authorization"] = f"Bearer {key}"

    def answer(self, question: bytes) -> bytes:
        """Post a question and return what the server answers."""
        for pause in _PAUSES:
            try:
                return self._once(question)
            except (UnreachableEndpointError, BusyEndpointError) as error:
                self._sleep(min(max(pause, error.wait), _LONGEST_PAUSE))
        return self._once(question)

    def _once(self, question: bytes) -> bytes:
        try:
            status, after, answer = self._posted(question)
        except TimeoutError as error:
            raise SlowEndpointError(self._url, self._seconds) from error
        except (OSError, HTTPException, UnicodeError) as error:
            raise UnreachableEndpointError(self._url, error) from error
        if status == 200:
            return answer
        wait = float(after) if re.fullmatch(r"\d{1,6}", after) else 0.0
        raise refusal(self._url, status, answer, variable=self._variable, wait=wait)

    def _posted(self, question: bytes) -> tuple[int, str, bytes]:
        opened = HTTPSConnection if self._secure else HTTPConnection
        connection = opened(self._host, self._port, timeout=self._seconds)
        try:
            connection.request("POST", self._path, question, self._headers)
            response = connection.getresponse()
            after = response.getheader("Retry-After", "")
            return response.status, after, response.read(_LARGEST_ANSWER)
        finally:
            connection.close()
