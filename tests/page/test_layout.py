"""Every page at every width, by day and by night: nothing is cut off, all can read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.page.conftest import PASSPHRASE
from tests.page.served import LOOKS

from reverie import Memory
from reverie.interfaces.web.rendering import STATIC

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Page
    from tests.page.conftest import Serve
    from tests.page.served import Browsers

WIDTHS = (360, 768, 1440)
HEAVIEST = 250_000
"""Bytes over the wire for one view, with its style and its script."""

MISPLACED = Path(__file__).with_name("misplaced.js").read_text("utf-8")
OPENED = """
() => document.querySelectorAll("main details").forEach((each) => { each.open = true; })
"""


def link_to(name: str) -> Callable[[Page], object]:
    """Follow the first link of a name."""

    def follow(page: Page) -> None:
        page.get_by_role("link", name=name).first.click()
        page.wait_for_load_state()

    return follow


VIEWS: dict[str, tuple[str] | tuple[str, Callable[[Page], object]]] = {
    "inbox": ("/",),
    "ask": ("/ask",),
    "answer": ("/ask?q=Where+does+Mira+live&wake=on",),
    "core": ("/core",),
    "timeline": ("/timeline",),
    "day": ("/timeline", lambda page: page.locator(".day h2 a").first.click()),
    "episode": ("/timeline", lambda page: page.locator(".when a").first.click()),
    "conversations": ("/conversations",),
    "conversation": ("/conversations/kitchen-table",),
    "graph": ("/graph",),
    "neighbours": ("/graph?around=project--lighthouse",),
    "entity": ("/memory/entity:person--mira",),
    "forgetting": ("/memory/entity:person--mira?forget=entity:person--mira",),
    "merging": ("/memory/entity:person--teo?merge=Mira",),
    "procedure": ("/memory/procedure:ship-a-version",),
    "health": ("/health",),
    "checked": ("/health?check=1&conversations=1",),
    "ledger": ("/ledger",),
    "change": ("/ledger", lambda page: page.locator(".change a.id").first.click()),
    "undoing": ("/ledger?path=MEMORY.md", link_to("Take back the last change")),
    "problem": ("/memory/entity:person--nobody",),
    "nothing found": ("/ledger?path=nowhere.md",),
}
EMPTY = ("/", "/ask?q=who", "/core", "/timeline", "/conversations", "/graph", "/ledger")
ON_THE_DESK = ("/", "/health")


@pytest.fixture(scope="session")
def links(
    serve_all: Serve, sample: Path, desk: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    """Services that nobody writes to, by what they serve."""
    empty = tmp_path_factory.mktemp("empty") / "agent"
    Memory.init(empty).close()
    roots = {"sample": sample, "desk": desk, "empty": empty}
    return {name: serve_all(root).link for name, root in roots.items()}


class Judge:
    """Looks at a page at every width, by day and by night.

    Args:
        full: Whether to have everything checked at each of them.
    """

    def __init__(self, *, full: bool) -> None:
        axe = pytest.importorskip("axe_playwright_python.sync_playwright")
        self._axe, self._full = axe.Axe(), full
        self.wrong: list[object] = []
        self._seen = 0

    def looks_at(self, page: Page, what: str) -> None:
        """Look at what a page shows, with everything open that can be opened."""
        page.evaluate(OPENED)
        # The narrowest by day and the widest by night tell nearly all.
        tells = ((360, "light"), (1440, "dark"))[self._seen % 2]
        self._seen += 1
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            found = page.evaluate(MISPLACED)
            self.wrong += [(what, width, *each) for each in found]
            for scheme in ("light", "dark"):
                if tells == (width, scheme) or self._full:
                    page.emulate_media(color_scheme=scheme)
                    self.wrong += [(what, width, scheme, *e) for e in self._unfit(page)]

    def _unfit(self, page: Page) -> Iterator[tuple[object, ...]]:
        for each in self._axe.run(page).response["violations"]:
            if each["impact"] in {"serious", "critical"}:
                yield each["id"], [node["html"][:160] for node in each["nodes"][:2]]


@pytest.mark.parametrize("part", [0, 1])
def test_every_page_can_be_read_at_every_width_by_day_and_by_night(
    browsers: Browsers, links: dict[str, str], part: int, *, full: bool
) -> None:
    browsers.allowed.append("status of 404")
    judge = Judge(full=full)
    page = browsers.enter(links["sample"])
    here = links["sample"].partition("/enter")[0]
    for name, view in [*VIEWS.items()][part::2]:
        page.goto(here + view[0])
        if len(view) == 2:
            view[1](page)
            page.wait_for_load_state()
        judge.looks_at(page, name)

    assert judge.wrong == []


@pytest.mark.long
def test_what_is_seldom_seen_can_be_read_as_well(
    browsers: Browsers, links: dict[str, str], serve: Serve, owned: Path, *, full: bool
) -> None:
    browsers.allowed += ["status of 403", "status of 401"]
    judge = Judge(full=full)
    for name, paths in (("empty", EMPTY), ("desk", ON_THE_DESK)):
        page = browsers.enter(links[name])
        for path in paths:
            page.goto(links[name].partition("/enter")[0] + path)
            judge.looks_at(page, f"{name} {path}")
    served = serve(owned)
    page = browsers.enter(served.link)
    page.get_by_role("button", name="Accept").first.click()
    page.get_by_label("Passphrase").fill(PASSPHRASE[1:])
    page.get_by_role("button", name="Go on").click()
    page.get_by_role("status").first.wait_for()
    judge.looks_at(page, "passphrase")
    page.context.clear_cookies()
    page.goto(served.here)
    page.get_by_role("heading", name="This page has a key").wait_for()
    judge.looks_at(page, "stranger")

    assert judge.wrong == []


@pytest.mark.long
def test_a_name_without_an_end_is_not_cut_off(
    browsers: Browsers, serve: Serve, root: Path, *, full: bool
) -> None:
    with Memory(root) as memory:
        memory.tidy_on_close = False
        memory.rename("person--mira", "M" * 300, type="x" * 90)
    link = serve(root).link
    judge, page = Judge(full=full), browsers.enter(link)
    here = link.partition("/enter")[0]
    for path in ("/", "/ask?q=sister", "/graph", "/memory/entity:person--user"):
        page.goto(here + path)
        judge.looks_at(page, path)
    page.goto(f"{here}/memory/entity:person--mira")
    judge.looks_at(page, "itself")

    assert judge.wrong == []


def test_every_view_is_light_and_paints_without_a_script(
    browsers: Browsers, links: dict[str, str]
) -> None:
    browsers.allowed.append("status of 404")
    link = links["sample"]
    page = browsers.enter(link, LOOKS["light"], java_script_enabled=False)
    around = sum(len(body) for _, body in STATIC.values())
    weights: dict[str, int] = {}
    for name, view in VIEWS.items():
        answer = page.goto(link.partition("/enter")[0] + view[0])
        assert answer is not None
        weights[name] = len(answer.body()) + around
        assert page.get_by_role("heading", level=1).is_visible(), name

    assert {name: size for name, size in weights.items() if size > HEAVIEST} == {}
