"""A browser without a screen: it came in by the link, and sends forms as one does."""

from __future__ import annotations

import asyncio
import re
from html import unescape
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import httpx2

from reverie.interfaces.web.app import Service

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self

PORT = 8765
HERE = f"http://127.0.0.1:{PORT}"
PROOF = re.compile(r'(?s)data-proof="([^"]+)".* content="0; url=([^"]+)"')
TOKEN = re.compile(r'name="token" value="([^"]+)"')


class Forms(HTMLParser):
    """The forms of a page, each with where it goes and what its fields hold.

    A box that is ticked holds `on`; of radio buttons nothing is chosen.

    Args:
        page: What the page is written in.
    """

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self._writes = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A form, or one of its fields."""
        has = {name: value or "" for name, value in attrs}
        name, kind = has.get("name", ""), has.get("type", "")
        if tag == "form":
            self.found.append((has.get("action", ""), {}))
        elif tag == "textarea" and name:
            self._writes = name
            self.found[-1][1][name] = ""
        elif tag == "input" and name and kind not in {"radio", "checkbox"}:
            self.found[-1][1][name] = has.get("value", "")
        elif tag == "input" and kind == "checkbox" and "checked" in has:
            self.found[-1][1][name] = has.get("value", "on")

    def handle_data(self, data: str) -> None:
        """The words of a field."""
        if self._writes:
            self.found[-1][1][self._writes] += data.removeprefix("\n")

    def handle_endtag(self, tag: str) -> None:
        """The end of a field."""
        self._writes = self._writes if tag != "textarea" else ""


class Visitor:
    """Somebody who looks at the page of a workspace.

    Args:
        root: The workspace.
        enters: Whether they came by the link.
    """

    def __init__(self, root: Path, *, enters: bool = True) -> None:
        self.service = Service(root, 0)
        self._app = self.service.app(PORT)
        self.cookies: dict[str, str] = {}
        self.token = self.proof = ""
        if enters:
            key = self.service.page.key
            answer = self.ask("GET", f"/enter?{urlencode({'key': key})}")
            self.cookies = dict(answer.cookies)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.service.close()

    def ask(
        self, method: str, path: str, body: str = "", **headers: str
    ) -> httpx2.Response:
        """What the service answers, at the place of its page; told without that."""
        place = self.service.page.place
        door = path.startswith(("/mcp", "/hook", "/api"))

        async def asked() -> httpx2.Response:
            transport = httpx2.ASGITransport(self._app, raise_app_exceptions=False)
            async with httpx2.AsyncClient(
                transport=transport, base_url=HERE, cookies=self.cookies
            ) as client:
                return await client.request(
                    method,
                    path if door else f"{place}{path}",
                    content=body or None,
                    headers=headers,
                )

        answer = asyncio.run(asked())
        said = answer.content.replace(f"{place}/".encode(), b"/")
        told = {k: v.replace(f"{place}/", "/") for k, v in answer.headers.items()}
        told.pop("content-length", "")
        return httpx2.Response(
            answer.status_code, headers=told, content=said, request=answer.request
        )

    def see(self, path: str, status: int = 200) -> str:
        """The text of a page, as it is read."""
        answer = self.ask("GET", path)
        assert answer.status_code == status, answer.text
        if found := TOKEN.search(answer.text):
            self.token = found[1]
        return unescape(answer.text)

    def form(self, at: str, path: str, /, **meant: str) -> dict[str, str]:
        """What the first form of a page to a path holds, among those that fit."""
        self.see(at)
        fits = (
            fields
            for action, fields in Forms(self.ask("GET", at).text).found
            if action == path and meant.items() <= fields.items()
        )
        return next(fits)

    def send(self, path: str, /, **form: str) -> str:
        """Send a form, and see what is shown then."""
        if not self.token:
            self.see("/")
        shown = {"proof": self.proof} if self.proof else {}
        body = urlencode({"token": self.token, "back": "/", **shown, **form})
        headers = {
            "content-type": "application/x-www-form-urlencoded",
            "origin": HERE,
        }
        answer = self.ask("POST", path, body, **headers)
        if answer.status_code == 303:
            return self.see(answer.headers["location"])
        if found := PROOF.search(answer.text):
            self.proof = found[1]
            return self.see(unescape(found[2]))
        return unescape(answer.text)
