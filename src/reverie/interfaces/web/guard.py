"""Who gets in: every request is checked before anything looks at it.

By the socket comes who is the user. On loopback any program and any web page may
knock: a request names a host of ours, comes from no foreign page, shows the token, and
sends JSON where it sends anything. The page is for browsers that came in by its link:
they show a cookie instead, and what they send is a form of that very page.
"""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

NAMES = ("127.0.0.1", "localhost", "[::1]")
DOORS = ("/mcp", "/hook", "/api")
"""Where agents and programs come in; everything else is the page."""

JSON, FORM = "application/json", "application/x-www-form-urlencoded"
_FETCH, _OURS = ("site", "mode", "dest"), {"same-origin", "none"}
"""What a browser says of where a request comes from, and says for itself."""

LONGEST = 16 << 20
"""Bytes that a request may send."""


class Guard:
    """Lets in what may come in.

    Args:
        app: What is behind it.
        port: The port on loopback.
        token: What a request on loopback has to show.
        came: Is told of every request that gets in; says whether anybody is at home.
        knows: Whether what is asked of the page is open to who shows these cookies.
        stranger: What is told to a browser that it does not know.
    """

    def __init__(
        self,
        app: ASGIApp,
        port: int,
        token: str,
        came: Callable[[], bool],
        knows: Callable[[Scope, str], bool] = lambda *_: False,
        stranger: Callable[[], Response] | None = None,
    ) -> None:
        self._app, self._token, self._came = app, token.encode(), came
        self._knows, self._unknown = knows, stranger
        self._hosts = {f"{name}:{port}" for name in NAMES}
        self._origins = {f"http://{host}" for host in self._hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or say why not."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        status = self._problem(scope) if scope["type"] == "http" else 403
        if status == BROWSER and self._unknown:
            stranger = self._unknown()
            # A stranger must not hold a connection.
            stranger.headers["connection"] = "close"
            await stranger(scope, receive, send)
            return
        if status or not self._came():
            await _refuse(send, status or 410)
            return
        await self._app(scope, receive, send)

    def _problem(self, scope: Scope) -> int:
        """Why a request does not get in, as HTTP says it; 0 if it does."""
        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1").lower(), []).append(
                value.decode("latin-1")
            )
        own_socket = scope["server"] is not None and scope["server"][1] is None
        door = any(f"{scope['path']}/".startswith(f"{each}/") for each in DOORS)
        sends = scope["method"] in {"POST", "PUT", "PATCH"}
        problem = 0 if own_socket else self._elsewhere(headers, sends=sends)
        if not problem and not own_socket:
            problem = self._stranger(headers) if door else self._browser(scope, headers)
        if not problem and not door and sends and "origin" not in headers:
            # A browser says where a form comes from; who does not is none.
            problem = 403
        if problem:
            return problem
        kind = headers.get("content-type", [""])[0].partition(";")[0].strip().lower()
        if sends and kind != (JSON if door else FORM):
            return 415
        if "transfer-encoding" in headers:
            return 411
        length = headers.get("content-length", ["0"])[0]
        return 413 if not length.isdecimal() or int(length) > LONGEST else 0

    def _elsewhere(self, headers: dict[str, list[str]], *, sends: bool) -> int:
        if len(hosts := headers.get("host", [])) != 1 or hosts[0] not in self._hosts:
            return 421
        if not set(headers.get("origin", ())) <= self._origins:
            return 403
        # Who only follows a link here is shown the page, or that it has a key; what
        # another page loads, frames or sends is not even looked at.
        said = {name: set(headers.get(f"sec-fetch-{name}", ())) for name in _FETCH}
        follows = said["mode"] <= {"navigate"} and said["dest"] <= {"document"}
        return 0 if said["site"] <= _OURS or (follows and not sends) else 403

    def _browser(self, scope: Scope, headers: dict[str, list[str]]) -> int:
        cookies = "; ".join(headers.get("cookie", ()))
        return 0 if self._knows(scope, cookies) else BROWSER

    def _stranger(self, headers: dict[str, list[str]]) -> int:
        shown = headers.get("authorization", [""])
        bearer = shown[0].removeprefix("Bearer ").encode("utf-8", "replace")
        known = len(shown) == 1 and shown[0].startswith("Bearer ")
        return 0 if known and hmac.compare_digest(bearer, self._token) else 401


BROWSER = 401_0
"""A browser without the cookie of the page."""

_WHY = {
    BROWSER: "Open the page by the link that `reverie up` prints.",
    401: "Show the token: Authorization: Bearer …; `reverie up --status` tells it.",
    403: "A page from elsewhere may not ask this service.",
    410: "The workspace is not where it was; its service ends.",
    411: "Say how long it is: Content-Length.",
    413: "That is too much at once.",
    415: "Send application/json.",
    421: "Ask 127.0.0.1 by its name.",
}


async def _refuse(send: Send, status: int) -> None:
    body = _WHY[status].encode()
    headers = [(b"content-type", b"text/plain"), (b"content-length", b"%d" % len(body))]
    headers += [(b"content-security-policy", b"default-src 'none'; sandbox")]
    headers += [
        (b"x-content-type-options", b"nosniff"),
        (b"cache-control", b"no-store"),
    ]
    headers.append((b"connection", b"close"))
    status = 401 if status == BROWSER else status
    start = {"type": "http.response.start", "status": status, "headers": headers}
    await send(start)
    await send({"type": "http.response.body", "body": body})
