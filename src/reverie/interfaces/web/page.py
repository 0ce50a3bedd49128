"""The page: what its human sees and decides in a browser."""

from __future__ import annotations

import asyncio
import hmac
import secrets
import time
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from urllib.parse import parse_qsl, urlencode

from msgspec import Struct
from starlette.responses import (
    HTMLResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route

from reverie.authority.authority import NoHumanError, OwnerError
from reverie.errors import ConflictError, NotFoundError, ReverieError, UnavailableError
from reverie.interfaces.web.rendering import STATIC, render

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Mapping
    from pathlib import Path

    from starlette.requests import Request

    from reverie import Memory
    from reverie.authority.authority import Request as Wanted

    Given = Mapping[str, str]


class Lend(Protocol):
    """Does something with an open memory, in a thread."""

    def __call__(
        self, work: Callable[[Memory], Any], *, writes: bool
    ) -> asyncio.Future[Any]:
        """Do it."""


HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; "
    "style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # With less, a browser says of its own forms that they come from nowhere.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
OPEN = {"/enter", "/static/page.css", "/static/page.js", "/static/icon.svg"}
"""What may be had without a cookie."""

KNOWN = 10 * 60.0
"""Seconds for which a passphrase need not be typed again."""

MOST = 32
"""Browsers that may look at once; of more, the oldest is asked to come in again."""

PAUSE = 1.0
"""Seconds between two looks for news."""

TOLD = 8
"""Sentences that wait to be shown."""


class View(NamedTuple):
    """Something to look at.

    Attributes:
        path: Where it is.
        template: What renders it.
        look: What it shows, from memory and what was asked.
        writes: Whether looking may write, because it thinks.
    """

    path: str
    template: str
    look: Callable[[Memory, Given], Mapping[str, Any]]
    writes: bool = False


class Act(NamedTuple):
    """Something that can be done.

    Attributes:
        path: Where its form goes.
        do: Does it, and says what was done.
        decides: Whether only the human may.
    """

    path: str
    do: Callable[[Memory, Given], str]
    decides: bool = True


class Browser(Struct):
    """A browser that came in by the link.

    Attributes:
        token: What its forms carry.
        told: What it has to be told on the next page, and whether that is a problem.
        passphrase: What its human typed, for a while.
        until: The moment after which it has to be typed again.
    """

    token: str
    told: list[tuple[str, bool]] = []
    passphrase: str = ""
    until: float = 0.0


class Page:
    """Every view and act of a workspace, for browsers that were let in.

    Args:
        root: The workspace.
        lend: Does something with an open memory, in a thread.
        views: What can be looked at.
        acts: What can be done.
    """

    def __init__(
        self, root: Path, lend: Lend, views: Iterable[View], acts: Iterable[Act]
    ) -> None:
        self._root, self._lend = root, lend
        self._views, self._acts = tuple(views), tuple(acts)
        self._browsers: dict[str, Browser] = {}
        self.key = secrets.token_urlsafe(24)

    def routes(self) -> list[Route]:
        """All its addresses."""
        return [
            Route("/enter", self.enter),
            Route("/live", self.live),
            Route("/static/{name}", self.static),
            *(Route(view.path, partial(self._look, view)) for view in self._views),
            *(
                Route(act.path, partial(self._do, act), methods=["POST"])
                for act in self._acts
            ),
        ]

    # --- who gets in -----------------------------------------------------------

    def knows(self, port: int, path: str, cookies: str) -> bool:
        """Whether a path is open to who shows some cookies."""
        name = f"{cookie_name(port)}="
        shown = (each.strip() for each in cookies.split(";"))
        keys = (each.removeprefix(name) for each in shown if each.startswith(name))
        return path in OPEN or any(key in self._browsers for key in keys)

    async def enter(self, request: Request) -> Response:
        """Let a browser in that shows the secret of the link."""
        shown = request.query_params.get("key", "").encode("utf-8", "replace")
        if not hmac.compare_digest(shown, self.key.encode()):
            return self.stranger()
        cookie = secrets.token_urlsafe(24)
        self._browsers[cookie] = Browser(secrets.token_urlsafe(16))
        while len(self._browsers) > MOST:
            del self._browsers[next(iter(self._browsers))]
        # Not a redirect: after one a strict cookie would not be sent.
        gone = HTMLResponse(render("entered.html", {}), headers=HEADERS)
        gone.set_cookie(
            cookie_name(request.url.port), cookie, httponly=True, samesite="strict"
        )
        return gone

    def stranger(self) -> Response:
        """What is told to who came without the link."""
        return HTMLResponse(render("stranger.html", {}), 401, headers=HEADERS)

    # --- looking ---------------------------------------------------------------

    async def _look(self, view: View, request: Request) -> Response:
        given = {**request.query_params, **request.path_params}
        browser = self._of(request)
        status = 200
        template = view.template
        try:
            shown = dict(
                await self._lend(partial(_seen, view, given), writes=view.writes)
            )
        except ReverieError as error:
            status, template = _status(error), "problem.html"
            shown = {"problem": str(error), "hint": error.advice}
        return self._rendered(request, template, shown, browser, status)

    def _rendered(
        self,
        request: Request,
        template: str,
        shown: Mapping[str, Any],
        browser: Browser,
        status: int = 200,
    ) -> Response:
        told, browser.told = browser.told, []
        around = {
            "here": request.url.path,
            "back": _back(request),
            "told": told,
            "token": browser.token,
            "root": self._root,
        }
        return HTMLResponse(render(template, {**around, **shown}), status, HEADERS)

    def _of(self, request: Request) -> Browser:
        cookie = request.cookies.get(cookie_name(request.url.port), "")
        # The guard let it in.
        return self._browsers.get(cookie) or Browser("")

    # --- doing -----------------------------------------------------------------

    async def _do(self, act: Act, request: Request) -> Response:
        browser = self._of(request)
        body = (await request.body()).decode("utf-8", "replace")
        form = dict(parse_qsl(body, keep_blank_values=True))
        if not browser.token or not hmac.compare_digest(
            form.pop("token", "").encode(), browser.token.encode()
        ):
            return self.stranger()
        form |= request.path_params
        typed = form.pop("passphrase", "")
        if typed:
            browser.passphrase, browser.until = typed, time.monotonic() + KNOWN
        if time.monotonic() > browser.until:
            browser.passphrase = ""
        back = form.pop("back", "/")
        # Who is refused may have to be shown something anew.
        again = form.get("again", back)
        try:
            done = await self._lend(
                partial(_done, act, form, browser.passphrase), writes=True
            )
        except (OwnerError, NoHumanError) as error:
            browser.passphrase = ""
            what = str(error) if typed else ""
            shown = {"form": {**form, "back": back}, "act": request.url.path}
            return self._rendered(
                request, "passphrase.html", {**shown, "what": what}, browser, 403
            )
        except ReverieError as error:
            browser.told.append((f"{error}. {error.advice}".strip(), True))
            back = again
        else:
            browser.told.append((done, False))
        del browser.told[:-TOLD]
        return RedirectResponse(_own(back), 303, HEADERS)

    # --- what else there is ----------------------------------------------------

    async def static(self, request: Request) -> Response:
        """The style sheet and the script."""
        kind, body = STATIC.get(request.path_params["name"], ("", b""))
        if not kind:
            return Response(status_code=404, headers=HEADERS)
        headers = {**HEADERS, "Cache-Control": "max-age=60"}
        return Response(body, media_type=kind, headers=headers)

    async def live(self, _: Request) -> Response:
        """Tell a browser when something changed."""
        stream = StreamingResponse(self._news(), media_type="text/event-stream")
        stream.headers.update(HEADERS)
        return stream

    async def _news(self) -> AsyncIterator[str]:
        known = self._stamp()
        yield "retry: 2000\n\n"
        while True:
            await asyncio.sleep(PAUSE)
            now = self._stamp()
            yield ": \n\n" if now == known else "event: news\ndata: \n\n"
            known = now

    def _stamp(self) -> tuple[int, ...]:
        """What is another number once anything was written."""
        names = (
            *(".audit/refs/heads/main", ".reverie/reflection/cycle.json"),
            # Turns that are said and not written down yet; who is told and reflects.
            *(".audit/said/.waiting", ".reverie/windows"),
        )
        return tuple(_changed(self._root / name) for name in names)


def cookie_name(port: int | None) -> str:
    """Cookies of all ports of a host are one jar."""
    return f"reverie-{port or 0}"


def link(url: str, key: str) -> str:
    """What a person opens in their browser."""
    return f"{url}/enter?{urlencode({'key': key})}"


def page_number(given: Given) -> int:
    """Which page of a long list is asked for; the first, where that is not clear."""
    said = given.get("page", "")
    return max(1, int(said)) if said.isdecimal() and len(said) < 5 else 1


def _seen(view: View, given: Given, memory: Memory) -> Mapping[str, Any]:
    with memory.glance():
        return view.look(memory, given)


def _done(act: Act, form: Given, passphrase: str, memory: Memory) -> str:
    def answers(wanted: Wanted) -> bool | str:
        return passphrase if wanted.passphrase else True

    if not act.decides:
        return act.do(memory, form)
    with memory.again(human=answers) as human:
        human.tidy_on_close = False
        return act.do(human, form)


def _status(error: ReverieError) -> int:
    kinds = ((NotFoundError, 404), (ConflictError, 409), (UnavailableError, 503))
    return next((code for kind, code in kinds if isinstance(error, kind)), 400)


def _back(request: Request) -> str:
    query = f"?{request.url.query}" if request.url.query else ""
    return f"{request.url.path}{query}"


def _own(back: str) -> str:
    """An address of ours, whatever a form says."""
    plain = back.startswith("/") and not back.startswith(("//", "/\\"))
    return back if plain and back.isprintable() else "/"


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
