"""Hostile texts in everything that is shown: none of them is more than text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

import pytest
from tests.conftest import ATTEMPTS
from tests.page.hostile import DAY, FOLDER, LINES, PAGE, TALK, make_hostile
from tests.page.payloads import ELSEWHERE, PAYLOADS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page
    from tests.page.conftest import Serve

NUMBERED = re.compile(rf"pwned\(([0-9]+)\)|{re.escape(ELSEWHERE)}/([0-9]+)")
NUMBERS = {n for text in PAYLOADS for pair in NUMBERED.findall(text) for n in pair if n}

VIEWS = (
    *("/", "/core", "/timeline", f"/timeline?day={DAY}", f"/conversations/{TALK}"),
    *("/conversations", "/graph", f"/memory/entity:{PAGE}", "/memory/vault:kept"),
    *("/memory/procedure:do-it", f"/memory/entity:odd--e7?merge={PAGE}", "/ledger"),
    *("/ledger?path=MEMORY.md", "/ledger/undo?path=MEMORY.md", "/health"),
    f"/ask?q=Ana+{ELSEWHERE}&wake=on&budget=4000",
)
MORE = (
    *(f"/conversations/{TALK}?page={page}" for page in range(2, 7)),
    *(f"/conversations?page={page}" for page in range(2, 28)),
    *("/conversations/spoken", "/graph?type=odd", "/graph?type=person"),
    *(f"/graph?around={PAGE}", f"/memory/entity:{PAGE}?forget=entity:{PAGE}"),
    *(f"/memory/turn:{TALK}/1/user/0", f"/memory/episode:{DAY}:08:05"),
    *("/timeline?day=2026-03-03", "/health?check=1", "/ledger?page=2"),
    *("/ledger/undo?session=r-001", "/ledger/undo?at=2030-01-01"),
)
"""Further pages of the same."""

FEWER = MORE[4:6] + MORE[-12:]
"""One or two of each."""

SPREAD = {
    "turns": f"/conversations/{TALK}",
    "titles": r"/conversations(\?|$)",
    "graph": r"/graph\?type",
    "changes": "/ledger",
}
"""What shows all of them on several pages together."""

WHOLE = {
    # What shows all of them at once.
    *("/", "/core", f"/timeline?day={DAY}", f"/memory/entity:{PAGE}"),
    *("/memory/procedure:do-it", "/memory/vault:kept"),
}
ASKED = (
    *(
        "/ask?q=",
        "/ask?budget=",
        "/timeline?day=",
        "/timeline?before=",
        "/ledger?actor=",
    ),
    *("/ledger?path=", "/ledger?page=", "/ledger/undo?commit=", "/ledger/undo?path="),
    *("/ledger/undo?session=", "/ledger/undo?at=", "/graph?type=", "/graph?status="),
    *("/graph?around=", "/memory/entity:odd--e7?forget=", "/conversations/"),
    *("/memory/entity:odd--e7?merge=", "/memory/", "/ledger/", "/conversations?page="),
)

FEW = 8

LISTENS = """
window.ran = [];
window.pwned = (n) => { window.ran.push(n); };
for (const name of ["alert", "confirm", "prompt", "print", "open"])
  window[name] = () => { window.ran.push(name); };
"""

LOOKS = """() => {
  const wrong = [...window.ran.map((n) => "ran " + n)];
  const usual = new Set(TAGS);
  const leads = ["href", "src", "action", "formaction", "xlink:href", "data", "poster",
    "srcset", "ping", "background", "cite", "manifest"];
  for (const node of document.querySelectorAll("*")) {
    const name = node.localName, said = node.outerHTML.slice(0, 200);
    if (!usual.has(name)) wrong.push("an element: " + said);
    if (["script", "link", "meta"].includes(name) && !document.head.contains(node))
      wrong.push("an element outside of the head: " + said);
    for (const { name: of, value } of node.attributes) {
      if (of.startsWith("on") || of === "style" || of === "srcdoc")
        wrong.push("an attribute: " + said);
      if (!leads.includes(of)) continue;
      const to = new URL(value, location.href);
      const ours = to.origin === location.origin;
      const link = name === "a" && of === "href" && node.closest(".prose")
        && ["http:", "https:", "mailto:"].includes(to.protocol);
      if (!ours && !link) wrong.push("leads elsewhere: " + said);
    }
  }
  if (document.querySelectorAll("script").length !== 1) wrong.push("a script");
  if (document.querySelectorAll("main").length !== 1) wrong.push("a second page");
  if (document.querySelectorAll("body > *").length !== 5) wrong.push("beside the page");
  const fields = [...document.querySelectorAll("input, textarea")].map((f) => f.value);
  const links = [...document.links].map((a) => a.href);
  const text = [document.documentElement.textContent, ...fields, ...links];
  return { wrong, text: text.join("\\n") };
}"""
TAGS = (
    *(
        "html",
        "head",
        "meta",
        "title",
        "link",
        "script",
        "body",
        "header",
        "nav",
        "main",
    ),
    *("a", "img", "p", "h1", "h2", "h3", "h4", "h5", "h6", "section", "article", "div"),
    *(
        "span",
        "strong",
        "em",
        "b",
        "small",
        "code",
        "pre",
        "blockquote",
        "hr",
        "br",
        "ul",
        "ol",
    ),
    *("li", "dl", "dt", "dd", "table", "thead", "tbody", "tr", "th", "td", "form"),
    *("label", "input", "textarea", "select", "option", "button", "fieldset", "legend"),
    *("details", "summary", "meter", "output", "time", "datalist", "svg", "g", "line"),
    *("circle", "text", "rect", "path"),
)
"""What the templates and plain Markdown are made of."""


@pytest.fixture(scope="module")
def hostile(
    browser: Browser,  # noqa: ARG001 - without one nobody is served
    serve_all: Serve,
    tmp_path_factory: pytest.TempPathFactory,
) -> str:
    """What opens the page of a workspace that is hostile throughout."""
    root: Path = tmp_path_factory.mktemp("hostile") / FOLDER
    make_hostile(root)
    return str(serve_all(root).link)


class Watched:
    """A browser at the page in which everything that goes wrong is told.

    Args:
        browser: Any.
        link: What opens the page.
        policy: Whether the browser heeds the page's content security policy.
    """

    def __init__(self, browser: Browser, link: str, *, policy: bool) -> None:
        self.here = link.partition("/enter")[0]
        self.context = browser.new_context(bypass_csp=not policy)
        self.context.add_init_script(LISTENS)
        self.page: Page = self.context.new_page()
        self.wrong: list[str] = []
        self.visits = 0
        self.sent = False
        self.page.on("dialog", self._asks)
        self.page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        self.page.on("console", self._says)
        self.context.on("request", self._requests)
        self.context.route(
            lambda url: not url.startswith(self.here), lambda route: route.abort()
        )
        self.page.goto(link)
        self.page.wait_for_url(f"{self.here}/")

    def _asks(self, dialog: object) -> None:
        self.wrong.append("a dialog")
        dialog.dismiss()  # type: ignore[attr-defined]

    def _says(self, said: object) -> None:
        text = said.text  # type: ignore[attr-defined]
        if "Content Security Policy" in text or "pwned" in text:
            self.wrong.append(f"told: {text}")

    def _requests(self, request: object) -> None:
        url = request.url  # type: ignore[attr-defined]
        own = url.startswith(f"{self.here}/")
        # Where it was sent, whatever that looks like, it asks first.
        sent, self.sent = own and self.sent, False
        odd = re.search(r"/(x|evil|pwned)[^/]*$", url.partition("?")[0])
        if not sent and (odd or not own):
            self.wrong.append(f"asked for {url}")

    def visit(self, path: str) -> set[str]:
        """Go to a page; which of the payloads can be read there, as text."""
        self.visits += 1
        self.sent = True
        answer = self.page.goto(f"{self.here}{path}")
        if answer is None or answer.status >= 500:
            self.wrong.append(f"{path}: {answer}")
        elif "text/html" not in answer.headers["content-type"]:
            # A browser makes a page of its own of plain text.
            assert answer.text() == "Not Found"
            return set()
        found = self.page.evaluate(LOOKS.replace("TAGS", repr([*TAGS])))
        self.wrong += [f"{path[:80]}: {each}" for each in found["wrong"]]
        text = unquote(found["text"])
        return {n for pair in NUMBERED.findall(text) for n in pair if n}


def test_there_are_enough_of_them_and_no_two_are_the_same() -> None:
    assert len(set(PAYLOADS)) == len(PAYLOADS) >= 150


@pytest.mark.long
def test_no_view_has_anything_for_its_policy_to_forbid(
    browser: Browser, hostile: str, *, full: bool
) -> None:
    watched = Watched(browser, hostile, policy=True)
    for view in VIEWS if full else VIEWS[::2]:
        watched.visit(view)
    watched.context.close()

    assert watched.wrong == []


@pytest.mark.long
def test_without_a_policy_nothing_runs_and_nothing_leaves_either(
    browser: Browser,
    hostile: str,
    record_property: Callable[[str, object], None],
    *,
    full: bool,
) -> None:
    watched = Watched(browser, hostile, policy=False)
    seen = {view: watched.visit(view) for view in (*VIEWS, *(MORE if full else FEWER))}
    watched.visit("/ledger")
    links = watched.page.evaluate("[...document.links].map((a) => a.pathname)")
    changes = {path for path in links if re.match("/ledger/[0-9a-f]{40}", path)}
    for change in sorted(changes)[: 6 if full else 2]:
        seen[change] = watched.visit(change)
        seen[f"{change}, undone"] = watched.visit(f"/ledger/undo?commit={change[8:]}")
    watched.context.close()

    assert watched.wrong == []
    whole = {view: seen[view] for view in WHOLE}
    for name, begins in SPREAD.items() if full else ():
        found = (seen[view] for view in seen if re.match(begins, view))
        whole[name] = set().union(*found)
    assert _left_out(whole) == {}
    record_property(f"{ATTEMPTS}hostile texts on a page", sum(map(len, seen.values())))


def _left_out(seen: dict[str, set[str]]) -> dict[str, set[str]]:
    """Which payloads are to be read nowhere, though all of them should be.

    A text of several lines may end early in a field of one; a few do.
    """
    left = {name: NUMBERS - found for name, found in seen.items()}
    return {name: some for name, some in left.items() if len(some) > FEW}


@pytest.mark.long
def test_whatever_is_asked_nothing_runs_and_nothing_leaves(
    browser: Browser,
    hostile: str,
    record_property: Callable[[str, object], None],
    *,
    full: bool,
) -> None:
    watched = Watched(browser, hostile, policy=False)
    asked = 0
    for at, address in enumerate(ASKED):
        for some in _asked(at, full=full):
            watched.visit(f"{address}{quote(some, safe='')}")
            asked += 1
    watched.context.close()

    assert watched.wrong == []
    record_property(f"{ATTEMPTS}hostile questions to a page", asked)


def _asked(at: int, *, full: bool) -> Iterator[str]:
    """Each alone, or a third of them in one text, at each address another one."""
    if full:
        yield from PAYLOADS
        return
    third = len(LINES) // 3 + 1
    yield "".join(LINES[at % 3 * third :][:third])[:3900]
