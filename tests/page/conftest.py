"""A real browser at the page of a workspace that is alive."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.memory.home import Home, copy_workspace
from tests.page.served import LOOKS, Browsers, Served
from tests.reflection.dreams import Dream, Proposal, dreaming

from reverie import Memory, Semantic
from reverie.authority import keyring

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page
    from tests.page.served import Look

    Serve = Callable[..., Served]

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), "")
HERE = Path(__file__).parents[2]
SCREENSHOTS = Path(os.environ.get("PAGE_SCREENSHOTS") or HERE / ".screenshots")
PASSPHRASE = "correct horse battery"  # noqa: S105 - of a test

_acts = 0


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Spread the acts over the looks; in full, do each in all of them."""
    global _acts  # noqa: PLW0603 - it counts them, in the order they stand in
    if "look" not in metafunc.fixturenames:
        return
    looks = [*LOOKS.values()]
    if not metafunc.config.getoption("--full"):
        looks = [looks[_acts % len(looks)]]
    _acts += 1
    metafunc.parametrize("look", looks, ids=[look.name for look in looks])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say where the pictures are."""
    if SCREENSHOTS.is_dir():
        terminalreporter.write_line(f"screenshots: {SCREENSHOTS}")


# --- workspaces --------------------------------------------------------------------


@pytest.fixture(scope="session")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace in which a pair, an alert and a self-image wait; nobody writes."""
    home = Home(tmp_path_factory.mktemp("desk") / "agent")
    home.furnish()
    Proposal(home).decide()
    parts = ("who", "patterns", "quirks", "edges", "values", "questions")
    image = {part: [f"Somebody who asks {part}"] for part in parts}
    memory = dreaming(home, Dream(more={"self-image": image}))
    memory.reflection.self_image()
    memory.remember("Greta lives in Oslo.", Semantic("Greta Lindholm", "person"))
    place = Semantic("Greta", "person", perhaps=("person--greta-lindholm",))
    memory.remember("Greta has a dog.", place)
    memory.acknowledge()
    home.type("SOUL.md", "# Soul\n\nBe kind.\n")
    memory.alerts()
    memory.close()
    return home.root


@pytest.fixture
def root(sample: Path, tmp_path: Path) -> Path:
    """A sample of one's own."""
    copy_workspace(sample, tmp_path / "agent")
    return tmp_path / "agent"


@pytest.fixture
def own_desk(desk: Path, tmp_path: Path) -> Path:
    """A desk of one's own."""
    copy_workspace(desk, tmp_path / "desk")
    return tmp_path / "desk"


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """A workspace in which nothing happened."""
    Memory.init(tmp_path / "empty").close()
    return tmp_path / "empty"


@pytest.fixture
def owned(root: Path) -> Path:
    """A sample with an owner's passphrase."""
    with Memory(root, human=lambda _: True) as memory:
        memory.tidy_on_close = False
        memory.set_owner(PASSPHRASE)
    return root


# --- the service, and who looks ----------------------------------------------------


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium."""
    why = "a real browser is driven by `make test-page`"
    playwright = pytest.importorskip("playwright.sync_api", reason=why)
    if not os.environ.get("PAGE"):
        pytest.skip(why)
    if not CHROMIUM:
        pytest.skip("no Chromium is installed here, and it could not be installed")
    with playwright.sync_playwright() as play:
        options = {"executable_path": CHROMIUM, "args": ["--no-sandbox"]}
        started = play.chromium.launch(**options)
        yield started
        started.close()


@pytest.fixture(scope="session")
def serve_all(_keyring: Path) -> Iterator[Serve]:
    """Serve workspaces until all tests are done."""
    yield from _serving()


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Serve workspaces until a test is done."""
    yield from _serving()


def _serving() -> Iterator[Serve]:
    up: list[Served] = []
    account = keyring.account_home()
    # A path to a socket may not be long.
    with tempfile.TemporaryDirectory(dir="/tmp") as run:

        def serve(root: Path, **environ: str) -> Served:
            environ |= {"XDG_RUNTIME_DIR": run, "ACCOUNT": str(account)}
            up.append(Served(root, environ))
            return up[-1]

        yield serve
        for served in up:
            served.end()


@pytest.fixture
def link(
    browser: Browser,  # noqa: ARG001 - without one nobody is served
    serve: Serve,
    root: Path,
) -> str:
    """What opens the page of a sample."""
    return str(serve(root).link)


@pytest.fixture
def browsers(
    browser: Browser,
    serve: Serve,  # noqa: ARG001 - what they look at ends after them
) -> Iterator[Browsers]:
    """Browsers that share nothing; whatever goes wrong in one is told."""
    opened = Browsers(browser)
    yield opened
    opened.close()
    assert opened.wrong == []


@pytest.fixture
def pictures(request: pytest.FixtureRequest, browsers: Browsers) -> Iterator[None]:
    """What is left in each browser is photographed."""
    yield
    name = re.sub(r"^test_|\W+|_", "-", request.node.name).strip("-")
    for number, page in enumerate(browsers.pages):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        path = SCREENSHOTS / f"{name}{f'-{number}' if number else ''}.png"
        page.screenshot(path=path, full_page=True)


@pytest.fixture
def see(
    browsers: Browsers,
    serve: Serve,
    look: Look,
    pictures: None,  # noqa: ARG001 - of what is seen
) -> Callable[..., Page]:
    """Serve a workspace, and look at its page."""

    def opened(root: Path, **environ: str) -> Page:
        return browsers.enter(serve(root, **environ).link, look)

    return opened
