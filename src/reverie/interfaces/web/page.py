"""The page: what its human sees and decides in a browser."""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from contextlib import suppress
from functools import partial
from hmac import compare_digest as _same
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from urllib.parse import parse_qsl, urlencode

from msgspec import Struct
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route

from reverie.authority.authority import NoHumanError, OwnerError
from reverie.errors import ConflictError, NotFoundError, ReverieError, UnavailableError
from reverie.interfaces.web.rendering import STATIC, render
from reverie.model.change import Action

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping

    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send

    from reverie import Memory
    from reverie.authority.authority import Request as Wanted
    from reverie.interfaces.web.reconnect import BrowserKeys

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
    # A link in a memory must not make a browser ask who its host is.
    "X-DNS-Prefetch-Control": "off",
    # With less, a browser says of its own forms that they come from nowhere.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
OPEN = {"/enter", "/again", *(f"/static/{name}" for name in STATIC)}
"""What may be had without a cookie."""

WITHOUT_WORKER = Response(
    "skipWaiting(); registration.unregister();",
    media_type="text/javascript",
    headers=HEADERS | {"Connection": "close"},
)
"""Removes the service worker of another program that had the port before."""

_LEADS = re.compile(r'((?:href|src|action|formaction)=")/')
"""Where an address of ours begins."""

KNOWN = 10 * 60.0
"""Seconds for which a passphrase need not be typed again."""

MOST = 32
"""Browsers that may look at once; of more, the oldest is asked to come in again."""

PAUSE = 1.0
"""Seconds between two looks for news."""

EDITS, SHARE = 2.0, 10
"""Seconds between two looks for what an editor saved, while somebody watches; and one
part in so many of the time may go into that, where there are very many files."""

TYPED = ("text", "words", "name", "reason")
"""What fields are called that somebody writes into, as a word or before a number."""

_LABELS = {
    "about": "Text",
    "choice": "You chose",
    "keep": "What holds",
    "number": "Proposal",
    "id": "Memory",
    "one": "This page",
    "into": "Into",
    "block": "Block",
    "path": "File",
    "commit": "Change",
    "session": "Reflection",
    "at": "Moment",
    "window": "Conversation",
}
"""What a form decides about, for who is asked for their passphrase."""

FIELDS = 5_000
"""So many fields has no form of ours."""

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
    """

    path: str
    do: Callable[[Memory, Given], str]

    @property
    def what(self) -> str:
        """What is done, in a few words, as its function says it."""
        return (self.do.__doc__ or self.path).partition("\n")[0].rstrip(".")


class Told(NamedTuple):
    """A sentence for who looks.

    Attributes:
        words: What is told.
        problem: Whether something was not done.
        undo: Where it can be taken back.
        typed: What they typed, so that it need not be typed again.
        left: Whether it tells of what was left before the passphrase was typed.
    """

    words: str
    problem: bool = False
    undo: str = ""
    typed: str = ""
    left: bool = False


class Browser(Struct):
    """A browser that came in by the link.

    Attributes:
        token: What its forms carry.
        told: What it has to be told on the next page.
        proofs: What a form may show instead of the passphrase that its human typed, for
            a while, and that passphrase; only the page that came of typing it was told,
            and its script keeps it for this tab and this origin alone.
        refused: What the form said that was refused last, to be filled in again.
        filled: What is filled in on the page that it shows, and where that was sent.
    """

    token: str
    told: list[Told] = []
    proofs: dict[str, str] = {}
    refused: dict[str, str] = {}
    filled: dict[str, str] = {}


class Page:
    """Every view and act of a workspace, for browsers that were let in.

    Args:
        root: The workspace.
        lend: Does something with an open memory, in a thread.
        views: What can be looked at.
        acts: What can be done.
        sample: Serves a sample beside, and tells what opens its page.

    Attributes:
        key: The secret of the link.
        place: The secret folder of all its addresses, and of its cookie: a browser
            sends a cookie to every port of a host, and only what is below its folder.
        keys: Lets known browsers in after a restart; None to let nobody in but by the
            link.
        ends: Whether its service is about to end, and who watches has to go.
        watched: Is told that somebody watches, so that it does not end.
    """

    def __init__(
        self,
        root: Path,
        lend: Lend,
        views: Iterable[View],
        acts: Iterable[Act],
        sample: Callable[[], str],
    ) -> None:
        self._root, self._lend, self._sample = root, lend, sample
        self._views, self._acts = tuple(views), tuple(acts)
        self._browsers: dict[str, Browser] = {}
        self._looking: asyncio.Future[None] | None = None
        self._rests = 0.0
        self._state: Path | None = None
        # The link fits into a line of a terminal.
        self.key = secrets.token_urlsafe(18)
        self.place = f"/{secrets.token_urlsafe(9)}"
        self.keys: BrowserKeys | None = None
        self.ends: Callable[[], bool] = lambda: False
        self.watched: Callable[[], object] = lambda: None

    def routes(self) -> list[Route]:
        """All its addresses."""
        return [
            Route("/enter", self.enter),
            Route("/again", self.challenge, methods=["GET"]),
            Route("/again", self.enter_again, methods=["POST"]),
            Route("/live", self.live),
            Route("/sample", self.sample, methods=["POST"]),
            Route("/static/{name}", self.static),
            *(Route(view.path, partial(self._look, view)) for view in self._views),
            *(
                Route(act.path, partial(self._do, act), methods=["POST"])
                for act in self._acts
            ),
            Route("/{rest:path}", self.nothing),
        ]

    # --- who gets in -----------------------------------------------------------

    def placed(self, app: ASGIApp) -> ASGIApp:
        """What answers at its place; who knows nothing of that is a stranger."""

        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            path = str(scope.get("path", ""))
            if path == self.place or path.startswith(f"{self.place}/"):
                rest = path.removeprefix(self.place) or "/"
                scope = {**scope, "path": rest, "placed": True}
            if (b"service-worker", b"script") in scope.get("headers", ()):
                await WITHOUT_WORKER(scope, receive, send)
                return
            await app(scope, receive, send)

        return answer

    @property
    def entrance(self) -> str:
        """What a browser opens first."""
        return f"{self.place}/enter?{urlencode({'key': self.key})}"

    def knows(self, port: int, scope: Scope, cookies: str) -> bool:
        """Whether a path is open to who shows some cookies."""
        known = self._known(port, cookies) is not None
        return scope["path"] in OPEN or (known and scope.get("placed", False))

    def _known(self, port: int | None, cookies: str) -> Browser | None:
        """The first that is known among some cookies.

        Another server of this machine may have set one of the same name beside ours.
        """
        name = f"{cookie_name(port)}="
        shown = (each.strip() for each in cookies.split(";"))
        keys = (each.removeprefix(name) for each in shown if each.startswith(name))
        return next((self._browsers[k] for k in keys if k in self._browsers), None)

    async def enter(self, request: Request) -> Response:
        """Let a browser in that shows the secret of the link."""
        shown = request.query_params.get("key", "").encode("utf-8", "replace")
        if not _same(shown, self.key.encode()):
            return self.stranger()
        issued = self.keys.issue() if self.keys else ("", "")
        gone = self._leads(f"{self.place}/", issued=issued)
        self._admit(request, gone)
        return gone

    async def challenge(self, request: Request) -> Response:
        """Prove to a known browser that this is its service, and ask for its proof."""
        given = request.query_params
        asked = given.get("id", ""), given.get("nonce", "")
        found = self.keys.challenge(*asked) if self.keys else None
        if found is None:
            return self.stranger()
        return JSONResponse(found, headers=HEADERS)

    async def enter_again(self, request: Request) -> Response:
        """Let a browser in that was let in before a restart."""
        # A stranger may ask as well, so the body is not read.
        given = request.query_params
        shown = given.get("id", ""), given.get("nonce", ""), given.get("proof", "")
        if self.keys is None or not self.keys.accepts(*shown):
            return self.stranger()
        entered = JSONResponse({"place": self.place}, headers=HEADERS)
        self._admit(request, entered)
        return entered

    def _admit(self, request: Request, response: Response) -> None:
        """Give a browser its cookie."""
        cookie = secrets.token_urlsafe(24)
        self._browsers[cookie] = Browser(secrets.token_urlsafe(16))
        while len(self._browsers) > MOST:
            del self._browsers[next(iter(self._browsers))]
        response.set_cookie(
            cookie_name(request.url.port),
            cookie,
            path=self.place,
            httponly=True,
            samesite="strict",
        )

    async def nothing(self, request: Request) -> Response:
        """What is told where there is nothing."""
        shown = {"problem": "There is no such page.", "hint": ""}
        browser = self._of(request)
        return await self._rendered(request, "problem.html", shown, browser, 404)

    async def broken(self, request: Request, _: Exception) -> Response:
        """What is told where something went wrong that nobody foresaw; it is raised."""
        problem = "Something went wrong here. Nothing that was kept is lost."
        shown = {"problem": problem, "hint": "The terminal of `reverie up` says more."}
        browser = self._of(request)
        return await self._rendered(request, "problem.html", shown, browser, 500)

    def stranger(self) -> Response:
        """What is told to who came without the link."""
        return HTMLResponse(render("stranger.html", {}), 401, headers=HEADERS)

    # --- looking ---------------------------------------------------------------

    async def _look(self, view: View, request: Request) -> Response:
        given = {**request.query_params, **request.path_params}
        browser = self._of(request)
        status = 200
        template = view.template
        # What changes while it is read is news.
        stamp = self._stamp()
        try:
            if self._state is None:
                self._state = await self._lend(_find_state, writes=False)
                stamp = self._stamp()
            shown = dict(
                await self._lend(partial(_seen, view, given), writes=view.writes)
            )
        except ReverieError as error:
            status, template = _status(error), "problem.html"
            shown = {"problem": str(error), "hint": error.advice}
        shown["stamp"] = stamp
        return await self._rendered(request, template, shown, browser, status)

    async def _rendered(
        self,
        request: Request,
        template: str,
        shown: Mapping[str, Any],
        browser: Browser,
        status: int = 200,
    ) -> Response:
        # Who only asks for the page anew has not been told yet.
        told = list[Told]()
        if request.headers.get("sec-fetch-dest") != "empty":
            told, browser.told = browser.told, []
            browser.filled, browser.refused = browser.refused, {}
        around = {
            "here": request.url.path,
            "back": _back(request),
            "told": told,
            "token": browser.token,
            "root": self._root,
            "stamp": self._stamp(),
            "place": self.place,
            "filled": browser.filled,
        }
        # A long page keeps nobody else waiting.
        page = await asyncio.to_thread(self._page, template, {**around, **shown})
        return HTMLResponse(page, status, HEADERS)

    def _page(self, template: str, shown: Mapping[str, Any]) -> str:
        # Between quotes of ours nothing is said that was not escaped.
        return _LEADS.sub(rf"\1{self.place}/", render(template, shown))

    def _of(self, request: Request) -> Browser:
        cookies = "; ".join(request.headers.getlist("cookie"))
        # The guard let it in.
        return self._known(request.url.port, cookies) or Browser("")

    # --- doing -----------------------------------------------------------------

    async def _form(self, request: Request, browser: Browser) -> dict[str, str] | None:
        """What a form of our own says; None if it is none."""
        body = (await request.body()).decode("utf-8", "replace")
        if body.count("&") > FIELDS:
            return None
        form = dict(parse_qsl(body, keep_blank_values=True))
        shown = form.pop("token", "").encode()
        own = bool(browser.token) and _same(shown, browser.token.encode())
        return form | request.path_params if own else None

    async def _do(self, act: Act, request: Request) -> Response:
        browser = self._of(request)
        form = await self._form(request, browser)
        if form is None:
            return self.stranger()
        typed = form.pop("passphrase", "")
        shown = form.pop("proof", "").encode()
        proof = next((p for p in browser.proofs if _same(p.encode(), shown)), "")
        known = typed or browser.proofs.get(proof, "")
        back = form.pop("back", "/")
        # Who is refused may have to be shown something anew.
        again = form.get("again", back)
        # They go on with what they were asked for.
        browser.told = [each for each in browser.told if not each.left]
        browser.refused = {}
        asked = list[str]()
        try:
            done, undo = await self._lend(
                partial(_done, act, form, known, asked), writes=True
            )
        except (OwnerError, NoHumanError) as error:
            browser.proofs.pop(proof, "")
            words = "\n\n".join(_typed(form))
            asks = {
                "form": {**form, "back": own_address(back, "/")},
                "act": request.url.path,
                "doing": act.what,
                "said": [*_described(form)],
                "typed": words,
                "what": str(error) if typed else "",
            }
            page = await self._rendered(request, "passphrase.html", asks, browser, 403)
            # Who leaves it finds what they typed.
            browser.refused = form | {"action": request.url.path}
            told = Told("Nothing was done.", problem=True, typed=words, left=True)
            browser.told += [told] if words else []
            return page
        except ReverieError as error:
            # What was typed is not to be typed again.
            typed_again = "\n\n".join(_typed(form))
            words = _sentence(f"{error}. {_advice(error)}".strip())
            browser.told.append(Told(words, problem=True, typed=typed_again))
            browser.refused = form | {"action": request.url.path}
            back = again
        else:
            if undo:
                undo += f"&{urlencode({'came': own_address(back, '/')})}"
            browser.told.append(Told(_sentence(done), undo=undo))
        del browser.told[:-TOLD]
        to = own_address(back, "/")
        # What was asked for and did not end there was right, whatever came after.
        return (
            self._proven(browser, typed, to) if typed in asked else self._redirect(to)
        )

    def _proven(self, browser: Browser, passphrase: str, to: str) -> Response:
        """Lead on who typed the right passphrase, with what shows that for a while.

        A cookie would not do: a browser shows it to every port of this machine.
        """
        proof = secrets.token_urlsafe(16)
        browser.proofs[proof] = passphrase
        asyncio.get_running_loop().call_later(KNOWN, browser.proofs.pop, proof, "")
        return self._leads(f"{self.place}{to}", proof)

    async def sample(self, request: Request) -> Response:
        """Lead to a sample that is served beside."""
        browser = self._of(request)
        if await self._form(request, browser) is None:
            return self.stranger()
        try:
            return self._leads(await asyncio.to_thread(self._sample))
        except ReverieError as error:
            browser.told.append(Told(f"{error}. {error.advice}".strip(), problem=True))
            return self._redirect("/")

    def _leads(
        self, to: str, proof: str = "", issued: tuple[str, str] = ("", "")
    ) -> Response:
        """A page that is left at once; a redirect would lose a strict cookie."""
        shown = {"to": to, "place": self.place, "proof": proof, "issued": issued}
        return HTMLResponse(render("entered.html", shown), headers=HEADERS)

    def _redirect(self, to: str) -> Response:
        return RedirectResponse(f"{self.place}{to}", 303, HEADERS)

    # --- what else there is ----------------------------------------------------

    async def static(self, request: Request) -> Response:
        """The style sheet and the script."""
        kind, body = STATIC.get(request.path_params["name"], ("", b""))
        if not kind:
            return Response(status_code=404, headers=HEADERS)
        headers = {**HEADERS, "Cache-Control": "max-age=60"}
        return Response(body, media_type=kind, headers=headers)

    async def live(self, request: Request) -> Response:
        """Tell a browser when something changed since the page it shows was read."""
        since = request.query_params.get("since") or self._stamp()
        stream = StreamingResponse(self._news(since), media_type="text/event-stream")
        stream.headers.update(HEADERS)
        return stream

    async def _news(self, since: str) -> AsyncIterator[str]:
        yield "retry: 2000\n\n"
        while not self.ends():
            self.watched()
            self._look_for_edits()
            now = self._stamp()
            yield ": \n\n" if now == since else f"event: news\ndata: {now}\n\n"
            since = now
            await asyncio.sleep(PAUSE)

    def _look_for_edits(self) -> None:
        """Have what an editor saved taken in, once for all who watch.

        It is done in a thread, and as seldom as looking at all files is dear.
        """
        rested = time.monotonic() > self._rests
        if rested and (self._looking is None or self._looking.done()):
            self._looking = asyncio.ensure_future(self._take_in())

    async def _take_in(self) -> None:
        began = time.monotonic()
        # Where that cannot be done, whoever looks at a view is told why.
        with suppress(ReverieError):
            await self._lend(_look_around, writes=False)
        now = time.monotonic()
        self._rests = now + max(EDITS, (now - began) * SHARE)

    def _stamp(self) -> str:
        """What is another word once anything was written."""
        # Turns that are said and not written down yet wait beside the history.
        names = (".audit/refs/heads/main", ".audit/said/.waiting")
        files = [self._root / name for name in names]
        if self._state is not None:
            # A running reflection, and which conversations are being summarised.
            files += [self._state / "reflection/cycle.json", self._state / "windows"]
        return "-".join(f"{_changed(file):x}" for file in files)


def cookie_name(port: int | None) -> str:
    """Cookies of all ports of a host are one jar."""
    return f"reverie-{port or 0}"


def page_number(given: Given) -> int:
    """Which page of a long list is asked for; the first, where that is not clear."""
    said = given.get("page", "")
    return max(1, int(said)) if said.isdecimal() and len(said) < 5 else 1


def _find_state(memory: Memory) -> Path:
    """Return the folder of the state files of the workspace."""
    return Path(memory.describe_workspace().state_folder)


def _look_around(memory: Memory) -> None:
    # Whoever asks anything has the files looked at first.
    memory.called("")


def _advice(error: ReverieError) -> str:
    """What to do about it; there are no options of a command on the page."""
    return "" if error.advice.startswith("--") else error.advice


def _sentence(words: str) -> str:
    """Words that begin as a sentence does, unless they begin with a name or an id."""
    plain = words.partition(" ")[0].isalpha()
    return words[:1].upper() + words[1:] if plain else words


def _described(form: Given) -> Iterator[tuple[str, str]]:
    """Yield what a form decides on, as labels and values for the passphrase page."""
    yield from ((label, form[key]) for key, label in _LABELS.items() if key in form)
    ticked = [key.removeprefix("take-") for key in form if key.startswith("take-")]
    if ticked and "count" in form:
        yield "Changes", ", ".join(ticked)


def _typed(form: Given) -> Iterator[str]:
    """What somebody wrote into a form, in words."""
    for key, text in form.items():
        name, _, number = key.partition("-")
        was = form.get(f"was-{number}" if number else "was", "")
        new = text.replace("\r\n", "\n").strip()
        if name in TYPED and new and new != was.replace("\r\n", "\n").strip():
            yield new


def _seen(view: View, given: Given, memory: Memory) -> Mapping[str, Any]:
    with memory.glance():
        return view.look(memory, given)


def _done(
    act: Act, form: Given, passphrase: str, asked: list[str], memory: Memory
) -> tuple[str, str]:
    """Do something; what was done, and where it can be taken back."""

    def answers(wanted: Wanted) -> bool | str:
        if not wanted.passphrase:
            return True
        asked.append(passphrase)
        return passphrase

    with memory.again(human=answers) as one:
        one.tidy_on_close = False
        # What was decided is held against what everybody has saved by now.
        _look_around(one)
        before = one.committed
        done = act.do(one, form)
        # What somebody else did meanwhile, or an editor saved, is not its own.
        own = [each for each in one.committed if each not in before]
        made = [e for commit in own for e in one.history(commit=commit)]
        mine = [each for each in made if each.actor.human or each.signed.session]
        # To acknowledge an alert changes no file, so there is nothing to undo.
        mine = [e for e in mine if any(o.action is not Action.ALERT for o in e.lines)]
    if not mine:
        return done, ""
    return done, f"/ledger/undo?{urlencode({'commit': mine[-1].commit})}"


def _status(error: ReverieError) -> int:
    kinds = ((NotFoundError, 404), (ConflictError, 409), (UnavailableError, 503))
    return next((code for kind, code in kinds if isinstance(error, kind)), 400)


def _back(request: Request) -> str:
    query = f"?{request.url.query}" if request.url.query else ""
    return f"{request.url.path}{query}"


def own_address(back: str, otherwise: str = "") -> str:
    """An address of ours, whatever a form or a link says; else another one."""
    plain = back.startswith("/") and not back.startswith(("//", "/\\"))
    return back if plain and back.isprintable() else otherwise


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
