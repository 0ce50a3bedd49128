"""A page from elsewhere, in the browser of somebody whom ours lets in."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from typing import TYPE_CHECKING

import pytest
from tests.conftest import ATTEMPTS
from tests.page.conftest import CHROMIUM

from reverie.interfaces.web.views import ACTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from playwright.sync_api import Browser, BrowserContext, Response
    from tests.page.served import Browsers

VIEWS = ("/", "/ask?q=Mira", "/core", "/timeline", "/graph", "/health", "/ledger")
FORMS = tuple(act.path.replace("{window}", "kitchen-table") for act in ACTS)
KINDS = ("application/x-www-form-urlencoded", "multipart/form-data", "text/plain")
NAMES = ("127.0.0.1", "localhost", "rebound.example")
"""A page of the same host at another port, of another host, and of one that says it is
at our address."""

LOADS = """async (here) => {
  const got = [];
  const loaded = (tag, of, to) => new Promise((done) => {
    const node = document.createElement(tag);
    node[of] = to;
    if (tag === "link") node.rel = "stylesheet";
    // A plug-in is loaded whatever it is answered.
    node.onload = () => { if (tag !== "embed") got.push(tag + " " + to); done(); };
    node.onerror = done;
    document.body.append(node);
    setTimeout(done, 3000);
  });
  const asked = async (to, how) => {
    try {
      const answer = await fetch(to, how);
      if (answer.type !== "opaque" || answer.ok) got.push([to, JSON.stringify(how)]);
    } catch { return; }
  };
  const listened = (to) => new Promise((done) => {
    const source = new EventSource(to, { withCredentials: true });
    source.onopen = () => { got.push("heard " + to); source.close(); done(); };
    source.onerror = () => { source.close(); done(); };
  });
  const work = [listened(here + "/live")];
  for (const view of VIEWS) {
    work.push(loaded("script", "src", here + view), loaded("img", "src", here + view),
      loaded("link", "href", here + view), loaded("embed", "src", here + view));
    for (const mode of ["cors", "no-cors"])
      for (const credentials of ["include", "omit"])
        work.push(asked(here + view, { mode, credentials }));
  }
  for (const path of [...FORMS, "/mcp", "/hook/prompt", "/api/link"])
    for (const type of [...KINDS, "application/json"])
      work.push(asked(here + path, { method: "POST", mode: type.endsWith("json")
        ? "cors" : "no-cors", credentials: "include", headers: { "Content-Type": type },
        body: "token=guessed&back=/&choice=accept&number=1" }));
  await Promise.all(work);
  return { got, tried: work.length };
}"""


@contextmanager
def elsewhere(shown: list[str] | None = None) -> Iterator[int]:
    """The port of a page that anybody may have made; what cookies it is shown."""
    known = [] if shown is None else shown

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known.append(self.headers.get("Cookie", ""))
            body = b"<!doctype html><title>Elsewhere</title><body>Hello"
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


@pytest.fixture
def rebound(browser: Browser) -> Iterator[Browser]:
    """A browser for which every name leads to this machine."""
    rules = "MAP * 127.0.0.1"
    args = ["--no-sandbox", f"--host-resolver-rules={rules}"]
    started = browser.browser_type.launch(executable_path=CHROMIUM, args=args)
    yield started
    started.close()


@pytest.mark.long
def test_nothing_gets_in_from_a_page_of_elsewhere(
    rebound: Browser,
    link: str,
    root: Path,
    record_property: Callable[[str, object], None],
    *,
    full: bool,
) -> None:
    here = link.partition("/enter")[0]
    context = rebound.new_context()
    ours = context.new_page()
    ours.goto(link)
    ours.wait_for_url(f"{here}/")
    token = ours.locator("input[name=token]").first.input_value()
    ours.goto("about:blank")
    before = _state(root)
    rows = [
        (here + path, kind)
        for (at, path), (of, kind) in product(enumerate(FORMS), enumerate(KINDS))
        if full or at % len(KINDS) == of
    ]
    let_in: list[tuple[str, str, int]] = []

    def answered(one: Response) -> None:
        if one.url.startswith(here) and one.status < 400:
            let_in.append((one.request.method, one.url, one.status))

    context.on("response", answered)
    tried = 0
    with elsewhere() as port:
        for name in NAMES:
            page = context.new_page()
            page.goto(f"http://{name}:{port}/")
            loads = LOADS.replace("FORMS", repr([*FORMS])).replace(
                "KINDS", repr([*KINDS])
            )
            told = page.evaluate(loads.replace("VIEWS", repr([*VIEWS])), here)
            assert told["got"] == [], name
            tried += told["tried"]
            tried += _framed(context, f"http://{name}:{port}/", here)
            # One that even knows the token of a form.
            tried += _sent(context, f"http://{name}:{port}/", rows, token)
            page.close()
        context.remove_listener("response", answered)
        for name in NAMES:
            tried += _opened(context, f"http://{name}:{port}/", here)
    assert let_in == []
    assert _state(root) == before
    assert tried > 400
    record_property(f"{ATTEMPTS}requests from a page of elsewhere", tried)
    context.close()


def _state(root: Path) -> bytes:
    """What is another once anything was changed."""
    return (root / ".audit/refs/heads/main").read_bytes()


def _framed(context: BrowserContext, there: str, here: str) -> int:
    """Put our views into frames; none of them shows there."""
    page = context.new_page()
    page.goto(there)
    page.evaluate(
        """(all) => Promise.all(all.map((to) => new Promise((done) => {
          const frame = document.createElement("iframe");
          frame.src = to;
          frame.onload = frame.onerror = done;
          document.body.append(frame);
        })))""",
        [here + view for view in VIEWS],
    )
    shown = [frame.url for frame in page.frames[1:] if frame.query_selector("main")]
    assert shown == []
    page.close()
    return len(VIEWS)


def _opened(context: BrowserContext, there: str, here: str) -> int:
    """Open our page in a window; nothing of it can be read or told from there."""
    page = context.new_page()
    page.goto(there)
    with context.expect_page() as opened:
        page.evaluate("(to) => { window.it = window.open(to); }", f"{here}/core")
    opened.value.wait_for_load_state()
    read = page.evaluate(
        """() => {
          try {
            window.it.postMessage("token", "*");
            return window.it.document.body.textContent + window.it.location.href;
          } catch { return ""; }
        }"""
    )
    assert "Lighthouse" not in read
    assert page.evaluate("!window.it || window.it.closed || window.it.length === 0")
    opened.value.close()
    page.close()
    return 1


SENDS = """([to, kind, token]) => {
  const form = document.createElement("form");
  Object.assign(form, { method: "post", action: to, enctype: kind });
  const fields = { token, back: "/", number: "1", choice: "accept", words: "yes",
    text: "Owned", block: "identity" };
  for (const [name, value] of Object.entries(fields)) {
    const field = document.createElement("input");
    Object.assign(field, { name, value, type: "hidden" });
    form.append(field);
  }
  document.body.append(form);
  form.submit();
}"""


def _sent(
    context: BrowserContext, there: str, rows: Sequence[tuple[str, str]], token: str
) -> int:
    """Let forms send themselves."""
    page = context.new_page()
    for to, kind in rows:
        page.goto(there)
        with page.expect_navigation():
            page.evaluate(SENDS, [to, kind, token])
        assert not page.locator("nav").count(), (to, kind)
    page.close()
    return len(rows)


def test_our_page_by_another_name_is_not_ours(rebound: Browser, link: str) -> None:
    page = rebound.new_page()
    for name in (
        "rebound.example",
        "127.0.0.1.rebound.example",
        "127.1.rebound.example",
    ):
        answer = page.goto(link.replace("127.0.0.1", name))
        assert answer is not None
        assert answer.status == 421, name
    page.close()


def test_another_port_of_this_machine_is_shown_no_cookie(
    browsers: Browsers, link: str
) -> None:
    shown = list[str]()
    page = browsers.enter(link)
    with elsewhere(shown) as port:
        browsers.allowed.append(f"127.0.0.1:{port}")
        page.goto(f"http://127.0.0.1:{port}/")
        page.evaluate("fetch('/x', { credentials: 'include' })")
        page.goto(link.partition("/enter")[0])

    page.get_by_role("heading", name="Inbox").wait_for()
    assert shown
    assert set(shown) == {""}
