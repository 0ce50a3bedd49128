"""A real browser at the page of a workspace that is alive."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING

import pytest

from reverie.interfaces.web.sample import make_sample

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), "")
SERVE = """
import sys
from pathlib import Path
from reverie.interfaces.web.app import serve
serve(Path(sys.argv[1]), idle=600, told=lambda _, link: print(link, flush=True))
"""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="`make test-page` installs it"
    )
    if not CHROMIUM:
        pytest.skip("no Chromium is installed here")
    with playwright.sync_playwright() as play:
        options = {"executable_path": CHROMIUM, "args": ["--no-sandbox"]}
        started = play.chromium.launch(**options)
        yield started
        started.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A sample of one's own."""
    folder = tmp_path / "agent"
    make_sample(folder)
    return folder


@pytest.fixture
def link(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """What opens the page of a sample."""
    with tempfile.TemporaryDirectory(dir="/tmp") as run:
        monkeypatch.setenv("XDG_RUNTIME_DIR", run)
        command = [sys.executable, "-P", "-c", SERVE, str(root)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as service:
            assert service.stdout is not None
            yield service.stdout.readline().strip()
            service.terminate()


@pytest.fixture
def page(browser: Browser, link: str) -> Iterator[Page]:
    """A page that came in by the link; whatever goes wrong in it is told."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    one = context.new_page()
    wrong: list[str] = []
    one.on("pageerror", lambda error: wrong.append(str(error)))
    one.on("console", lambda said: wrong.extend([said.text] * (said.type == "error")))
    foreign: list[str] = []
    here = link.partition("/enter")[0]
    cut = len(here)
    one.on("request", lambda sent: foreign.extend([sent.url][sent.url[:cut] == here :]))
    one.goto(link)
    one.wait_for_url(f"{here}/")
    yield one
    context.close()
    assert wrong == []
    assert foreign == []
