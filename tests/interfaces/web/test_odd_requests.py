"""Whatever is asked, and however oddly: no answer says that the service failed."""

from __future__ import annotations

import json
import re
import socket
import tempfile
from contextlib import closing
from itertools import product
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, quote_from_bytes, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import ATTEMPTS
from tests.interfaces.web.up import up
from tests.memory.home import copy_workspace

from reverie.interfaces.hosts import runtime
from reverie.interfaces.web.app import page_link
from reverie.interfaces.web.page import cookie_name
from reverie.interfaces.web.views import ACTS, VIEWS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

FORM, JSON = "application/x-www-form-urlencoded", "application/json"
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUUX")
ODD = (
    *(
        "",
        " ",
        "\0",
        "a\0b",
        "\n",
        "\r\nSet-Cookie: a=b",
        "\ud800",
        "\ufffe",
        "\U0010ffff",
    ),
    *("0", "-1", "1", "9" * 18, "9" * 5000, "٣", "²", "1e999", "NaN", "0x10", "+1"),
    *("0001-01-01", "9999-12-31", "9999-12-31T23:59:59+00:00", "2026-W01-1", "0000-00"),
    *(
        "..",
        "../../etc/passwd",
        "/",
        "//",
        "~",
        ".",
        "%00",
        "%",
        "a" * 300,
        "x" * 20_000,
    ),
    *("core:", "core:identity/", "entity:", "entity:#", "#", ":", "turn:", "fact:a#b"),
    *(
        "{{ 7 * 7 }}",
        "%s%n",
        "' OR 1=1 --",
        "*",
        "?",
        "[",
        "(",
        "\\",
        '"',
        "<b>",
        "⟦U+0000⟧",
    ),
)
FITTING = (
    *("entity:person--mira", "person--mira", "person--teo", "kitchen-table", "r-001"),
    *(
        "MEMORY.md",
        "memory/graph/entities/person--mira.md",
        "SOUL.md",
        "accept",
        "merge",
    ),
    *("approve", "reject", "both", "user", "assistant", "identity", "yes", "grant 10"),
    *("2026-11-17", "Where does Mira live?", "manual", "person", "active", "on"),
)
NAMES = (
    *("q", "budget", "archived", "wake", "page", "day", "before", "actor", "path"),
    *(
        "commit",
        "session",
        "at",
        "type",
        "status",
        "around",
        "forget",
        "merge",
        "check",
    ),
    *("conversations", "id", "window", "key", "question", "host", "part"),
)
FIELDS = (
    *("back", "again", "shown", "choice", "count", "take-1", "was-1", "text-1"),
    *("reason", "words", "kind", "number", "which", "keep", "one", "into", "path"),
    *("id", "was", "text", "block", "pinned", "role", "commit", "session", "at"),
    *("seal", "step", "on", "name", "type", "passphrase", "take-"),
)
HOOKS = ("start", "prompt", "stop", "tool", "idle", "end", "nowhere", "%00", "a%2Fb")


class Door(NamedTuple):
    """A service, by the port that everybody sees and by the socket of its user."""

    port: int
    token: str
    cookie: str
    form: str
    place: str
    page: str

    def headers(self) -> dict[str, str]:
        """What both a program and a browser that are let in send."""
        return {
            "Host": f"127.0.0.1:{self.port}",
            "Origin": f"http://127.0.0.1:{self.port}",
            "Authorization": f"Bearer {self.token}",
            "Cookie": self.cookie,
            "Accept": "application/json, text/event-stream",
        }

    def ask(
        self,
        method: str,
        target: str,
        body: bytes = b"",
        *,
        own: bool = False,
        **more: str,
    ) -> tuple[int, bytes]:
        """The status of an answer, and the first of what it says."""
        if not target.startswith(("/mcp", "/hook", "/api")):
            target = f"{self.page}{target}"
        headers = self.headers() | {k.replace("_", "-"): v for k, v in more.items()}
        headers |= {"Content-Length": str(len(body)), "Connection": "close"}
        lines = "".join(f"{name}: {said}\r\n" for name, said in headers.items())
        whole = f"{method} {target} HTTP/1.1\r\n{lines}\r\n".encode("latin-1") + body
        return self.send(whole, own=own)

    def send(self, whole: bytes, *, own: bool = False) -> tuple[int, bytes]:
        """What is answered to some bytes; 0 where the connection is closed."""
        family = socket.AF_UNIX if own else socket.AF_INET
        with closing(socket.socket(family)) as line:
            line.settimeout(60)
            line.connect(f"{self.place}.sock" if own else ("127.0.0.1", self.port))
            line.sendall(whole)
            said = more = line.recv(65_536)
            # What has no end is not waited for.
            while more and b"text/event-stream" not in said:
                said += (more := line.recv(65_536))
        found = re.match(rb"HTTP/1\.1 ([0-9]{3})", said)
        return int(found[1]) if found else 0, said


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory, sample: Path) -> Iterator[Door]:
    """The service of a sample; nothing is asked of it that needs another."""
    root = tmp_path_factory.mktemp("odd") / "agent"
    copy_workspace(sample, root)
    with (
        tempfile.TemporaryDirectory(dir="/tmp") as run,
        pytest.MonkeyPatch.context() as patched,
    ):
        patched.setenv("XDG_RUNTIME_DIR", run)
        with up(root) as (running, _):
            parts = urlsplit(page_link(running))
            port, place = parts.port or 0, runtime.place_of(str(root))
            page = parts.path.removesuffix("/enter")
            stranger = Door(port, running.token, "", "", place, page)
            entered = stranger.ask("GET", f"/enter?{parts.query}")[1].decode()
            name = cookie_name(port)
            cookie = re.search(rf"{name}=[^;\r]+", entered)
            assert cookie is not None
            known = stranger._replace(cookie=cookie[0])
            seen = known.ask("GET", "/ledger/undo?path=MEMORY.md", Accept="*/*")[1]
            token = re.search(rb'name="token" value="([^"]+)"', seen)
            assert token is not None, seen
            yield known._replace(form=token[1].decode())


def _paths(value: str) -> Iterator[tuple[str, str]]:
    """Every address there is, with something odd where it has a part to fill in."""
    filled = quote(value, safe="", errors="surrogatepass")
    for view in VIEWS:
        yield "GET", re.sub(r"\{[^}]*\}", filled, view.path)
    for act in ACTS:
        yield "POST", re.sub(r"\{[^}]*\}", filled, act.path)
    yield from (
        ("GET", f"/api/{name}") for name in ("status", "recall", "openapi.json")
    )
    yield from (("POST", f"/hook/{name}") for name in HOOKS)
    yield from (("POST", "/mcp"), ("GET", "/enter"), ("GET", f"/static/{filled}"))


def _encoded(names: tuple[str, ...], value: str) -> str:
    said = quote(value, safe="", errors="surrogatepass")
    return "&".join(f"{quote(name)}={said}" for name in names)


def test_an_odd_value_in_every_field_of_every_address_is_answered(
    door: Door, record_property: Callable[[str, object], None], *, full: bool
) -> None:
    wrong, tried = [], 0
    for number, (value, own) in enumerate(product(ODD, (False, True))):
        for at, (method, path) in enumerate(_paths(value)):
            if not full and (number + at) % 31:
                continue
            query = "" if len(value) > 1000 else f"?{_encoded(NAMES, value)}"
            page = not path.startswith(("/mcp", "/hook", "/api"))
            fields = f"token={door.form}&{_encoded(FIELDS, value)}"
            body = fields if page else '{"prompt": "x", "session_id": "\\u0000"}'
            kind = {"Content_Type": FORM if page else JSON}
            sent = body.encode() if method == "POST" else b""
            status, said = door.ask(method, f"{path}{query}", sent, own=own, **kind)
            tried += 1
            if not 0 < status < 500:
                wrong.append((method, path[:60], value[:20], own, said[:300]))
    record_property(f"{ATTEMPTS}odd values, of every address", tried)
    assert wrong == []


# --- and whatever else -------------------------------------------------------------

SAID = st.one_of(
    st.sampled_from((*FITTING, *ODD)).map(
        lambda text: quote(text[:2000], safe="", errors="surrogatepass")
    ),
    st.text(max_size=20).map(lambda text: quote(text, safe="")),
    st.binary(max_size=12).map(quote_from_bytes),
)
SOMETHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner)
    ),
    max_leaves=6,
)
HOOKED = st.dictionaries(
    st.sampled_from(
        ("prompt", "session_id", "text", "tool_name", "source", "agent_id")
    ),
    SOMETHING | st.sampled_from(FITTING),
)
CALLED = st.fixed_dictionaries(
    {
        "jsonrpc": st.just("2.0") | SOMETHING,
        "id": st.just(1) | SOMETHING,
        "method": st.sampled_from(("initialize", "tools/list", "tools/call", "ping"))
        | SOMETHING,
        "params": st.fixed_dictionaries(
            {
                "name": st.sampled_from(("recall", "remember", "x")),
                "arguments": SOMETHING,
            }
        )
        | SOMETHING,
    }
)
PATHS = st.sampled_from(
    [
        *(path.path for path in (*VIEWS, *ACTS)),
        *("/api/status", "/api/recall", "/api/link", "/api/openapi.json", "/api/x"),
        *(f"/hook/{name}" for name in HOOKS),
        *("/mcp", "/mcp/x", "/enter", "/static/{name}", "/{what}", "/live"),
    ]
)


def _pairs(names: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Some names, each as often as it comes, with something said."""
    pair = st.tuples(st.sampled_from(names), SAID).map("=".join)
    return st.lists(pair, max_size=8).map("&".join)


@settings(max_examples=150)
@given(st.data())
def test_whatever_is_asked_of_whichever_address_is_answered(
    door: Door, data: st.DataObject
) -> None:
    path = re.sub(r"\{[^}]*\}", lambda _: data.draw(SAID), data.draw(PATHS))
    page = not path.startswith(("/mcp", "/hook", "/api"))
    form = _pairs(FIELDS).map(lambda said: f"token={door.form}&{said}".encode())
    calls = (CALLED if path.startswith("/mcp") else HOOKED).map(json.dumps)
    fits = form if page else calls.map(str.encode)
    body = data.draw(st.one_of(fits, fits, st.binary(max_size=40)))
    method = data.draw(st.sampled_from(METHODS) | st.just("POST" if body else "GET"))
    query = data.draw(_pairs(NAMES))
    kind = {"Content_Type": FORM if page else JSON}
    more = data.draw(
        st.just(kind)
        | st.just({**kind, "Host": "here:there"})
        | st.just({"Content_Type": "text/plain; charset=\xff"})
    )

    status, said = door.ask(
        method, f"{path}?{query}", body, own=data.draw(st.booleans()), **more
    )

    assert 0 < status < 500, said


@settings(max_examples=50)
@given(st.binary(max_size=60), st.sampled_from(METHODS), st.binary(max_size=20))
def test_what_is_hardly_http_is_answered(
    door: Door, target: bytes, method: str, header: bytes
) -> None:
    host = f"Host: 127.0.0.1:{door.port}\r\nConnection: close\r\n".encode()
    rows = (
        b"%s /%s HTTP/1.1\r\n%sX: %s\r\n\r\n" % (method.encode(), target, host, header),
        b"GET / HTTP/1.1\r\n%sCookie: %s\r\n\r\n" % (host, header),
        b"GET /api/recall?%s HTTP/9.9\r\n%s\r\n" % (target, host),
    )
    for row in rows:
        status, said = door.send(row)
        assert status < 500, said
