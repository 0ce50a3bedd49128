"""A service in a process of its own, and browsers that came in by its link."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from reverie.interfaces.web.app import Running

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from playwright.sync_api import Browser, BrowserContext, Page

PATIENCE = 90.0
"""Seconds that something may take on a machine that is busy with something else."""

SERVE = """
import os, sys
from pathlib import Path
from reverie.authority import keyring
keyring.account_home = lambda: Path(os.environ["ACCOUNT"])
from reverie.interfaces.web.app import serve
serve(Path(sys.argv[1]), idle=600, told=lambda _, link: print(link, flush=True))
"""


class Look(NamedTuple):
    """How somebody looks at the page."""

    name: str
    width: int
    height: int
    scheme: str


LOOKS = {
    "light": Look("light", 1280, 900, "light"),
    "dark": Look("dark", 768, 1024, "dark"),
    "phone": Look("phone", 360, 740, "light"),
}


class Served:
    """A workspace that is served.

    Args:
        root: The workspace.
        environ: What its process has in its environment besides.

    Attributes:
        root: The workspace.
        link: What opens its page.
    """

    def __init__(self, root: Path, environ: Mapping[str, str]) -> None:
        self.root = root
        self._environ = {**os.environ, **environ}
        self.link = ""
        self.start()

    def start(self) -> None:
        """Start it; again, at the same port."""
        command = [sys.executable, "-P", "-c", SERVE, str(self.root)]
        self._process = subprocess.Popen(
            command,
            env=self._environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        self.link = self._process.stdout.readline().strip()
        assert self.link, "it did not start"

    @property
    def running(self) -> Running:
        """What it tells programs of itself."""
        (note,) = Path(self._environ["XDG_RUNTIME_DIR"]).glob("reverie/*.json")
        return msgspec.json.decode(note.read_bytes(), type=Running)

    @property
    def here(self) -> str:
        """Where it is."""
        return self.link.partition("/enter")[0]

    def end(self) -> str:
        """End it; what it complained of meanwhile."""
        self._process.terminate()
        return self._process.communicate(timeout=PATIENCE)[1]


class Browsers:
    """Browsers that share nothing.

    Args:
        browser: What they are windows of.

    Attributes:
        pages: What each shows, in the order in which they came.
        wrong: What went wrong in any of them.
        allowed: What may, by some of its words.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._contexts: list[BrowserContext] = []
        self.pages: list[Page] = []
        self.wrong: list[str] = []
        self.allowed: list[str] = []

    def enter(self, link: str, look: Look = LOOKS["light"], **how: object) -> Page:
        """One more, which came in by the link."""
        size = {"width": look.width, "height": look.height}
        context = self._browser.new_context(
            viewport=size, color_scheme=look.scheme, **how
        )
        context.set_default_timeout(PATIENCE * 1000)
        self._contexts.append(context)
        page = context.new_page()
        here = link.partition("/enter")[0]
        # A stranger is shown what is not at the place of the page.
        host = here.rpartition("/")[0]
        ours = (here, f"{host}/static/", f"{host}/again?")
        page.on("pageerror", lambda error: self._note(str(error), wrong=True))
        page.on("console", lambda one: self._note(one.text, wrong=one.type == "error"))
        page.on(
            "request",
            lambda sent: self._note(sent.url, wrong=not sent.url.startswith(ours)),
        )
        page.on("dialog", lambda asked: asked.accept())
        page.goto(link)
        page.wait_for_url(f"{here}/")
        self.pages.append(page)
        return page

    def _note(self, what: str, *, wrong: bool) -> None:
        if wrong and not any(words in what for words in self.allowed):
            self.wrong.append(what)

    def close(self) -> None:
        """Close all of them."""
        for context in self._contexts:
            context.close()


def go(page: Page, view: str) -> None:
    """Go to a view by its name, as it stands at the top of every page."""
    views = page.get_by_role("navigation", name="Views", include_hidden=True)
    link = views.get_by_role("link", name=view, exact=True, include_hidden=True)
    if link.is_visible():
        link.click()
    else:
        page.goto(link.evaluate("link => link.href"))
    page.get_by_role("heading", name=view, level=1, exact=True).wait_for()


def told(page: Page, words: str) -> None:
    """Wait until the page tells something."""
    page.get_by_role("status").filter(has_text=words).first.wait_for()


def until(page: Page, holds: Callable[[], bool]) -> None:
    """Wait until something holds, while the browser goes on."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "it never came to that"
        page.wait_for_timeout(50)
