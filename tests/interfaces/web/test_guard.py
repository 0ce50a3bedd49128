"""Who gets in."""

from __future__ import annotations

import asyncio
from itertools import product
from typing import Any

import pytest

from reverie.interfaces.web.guard import LONGEST, Guard

PORT, TOKEN = 4711, "t0ken"
HOSTS = {
    "127.0.0.1:4711": True,
    "localhost:4711": True,
    "[::1]:4711": True,
    "127.0.0.1": False,
    "evil.example:4711": False,
    "127.0.0.1:4711.evil.example": False,
    "": False,
}
ORIGINS = {
    None: True,
    "http://127.0.0.1:4711": True,
    "http://localhost:4711": True,
    "http://evil.example": False,
    "https://127.0.0.1:4711": False,
    "null": False,
}
TOKENS = {
    "Bearer t0ken": True,
    "bearer t0ken": False,
    "Bearer t0ke": False,
    "Bearer t0ken2": False,
    "t0ken": False,
    "": False,
    None: False,
}
KINDS = {
    "application/json": True,
    "application/json; charset=utf-8": True,
    "text/plain": False,
    "application/x-www-form-urlencoded": False,
    "multipart/form-data": False,
    None: False,
}
ROUTES = ("/hook/start", "/mcp", "/api/status", "/api/nowhere")


async def knock(
    headers: list[tuple[str, str | None]],
    *,
    method: str = "POST",
    path: str = "/mcp",
    own: bool = False,
    kind: str = "http",
) -> int:
    """What a request is answered with; 200 where it got in."""
    got: list[int] = []

    async def app(*_: Any) -> None:
        got.append(200)

    async def send(message: Any) -> None:
        got.extend([message["status"]] if "status" in message else [])

    scope = {
        "type": kind,
        "method": method,
        "path": path,
        "server": ("/run/x.sock", None) if own else ("127.0.0.1", PORT),
        "headers": [(n.encode(), v.encode()) for n, v in headers if v is not None],
    }
    await Guard(app, PORT, TOKEN, lambda: True)(scope, None, send)  # type: ignore[arg-type]
    return got[0]


def test_exactly_the_right_row_gets_in() -> None:
    wrong = []
    for path, host, origin, token, kind in product(
        ROUTES, HOSTS, ORIGINS, TOKENS, KINDS
    ):
        right = HOSTS[host] and ORIGINS[origin] and TOKENS[token] and KINDS[kind]
        headers = [
            ("host", host),
            ("origin", origin),
            ("authorization", token),
            ("content-type", kind),
        ]
        got = asyncio.run(knock(headers, path=path))
        if (got == 200) is not right:
            wrong.append((path, host, origin, token, kind, got))
    assert wrong == []


def test_what_is_refused_is_shown_by_no_browser_as_anything_but_words() -> None:
    got: dict[bytes, bytes] = {}

    async def send(message: Any) -> None:
        got.update(message.get("headers", ()))

    scope = {"type": "http", "method": "GET", "path": "/<script>", "headers": []}
    guard = Guard(None, PORT, TOKEN, lambda: True)  # type: ignore[arg-type]
    asyncio.run(guard(scope | {"server": ("127.0.0.1", PORT)}, None, send))  # type: ignore[arg-type]

    assert got[b"content-type"] == b"text/plain"
    assert got[b"x-content-type-options"] == b"nosniff"
    assert got[b"content-security-policy"] == b"default-src 'none'; sandbox"
    assert got[b"cache-control"] == b"no-store"


RIGHT: list[tuple[str, str | None]] = [
    ("host", "127.0.0.1:4711"),
    ("authorization", "Bearer t0ken"),
    ("content-type", "application/json"),
]


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ([("host", "127.0.0.1:4711")], 421),
        ([("host", "evil.example")], 421),
        ([("origin", "http://127.0.0.1:4711"), ("origin", "http://evil.example")], 403),
        ([("authorization", "Bearer wrong")], 401),
        ([("content-length", str(LONGEST + 1))], 413),
        ([("content-length", "-1")], 413),
        ([("content-length", "many")], 413),
        ([("transfer-encoding", "chunked")], 411),
    ],
)
def test_what_is_said_twice_or_is_too_much_does_not_get_in(
    more: list[tuple[str, str | None]], status: int
) -> None:
    assert asyncio.run(knock([*RIGHT, *more])) == status


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none", "same-origin"])
@pytest.mark.parametrize("mode", ["navigate", "no-cors", "cors", "nested-navigate"])
@pytest.mark.parametrize("dest", ["document", "iframe", "image", "script", "empty"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_what_another_page_loads_frames_or_sends_does_not_get_in(
    site: str, mode: str, dest: str, method: str
) -> None:
    said = [("sec-fetch-site", site), ("sec-fetch-mode", mode)]
    follows = (mode, dest, method) == ("navigate", "document", "GET")
    got = asyncio.run(knock([*RIGHT, *said, ("sec-fetch-dest", dest)], method=method))
    assert (got == 200) is (site in {"none", "same-origin"} or follows)


def test_who_only_asks_sends_no_kind() -> None:
    assert asyncio.run(knock(RIGHT[:2], method="GET")) == 200


def test_a_socket_of_the_user_s_own_needs_no_token() -> None:
    assert asyncio.run(knock(RIGHT[2:], own=True)) == 200
    assert asyncio.run(knock([("content-type", "text/plain")], own=True)) == 415


def test_no_web_socket_gets_in() -> None:
    assert asyncio.run(knock(RIGHT, kind="websocket")) == 403
