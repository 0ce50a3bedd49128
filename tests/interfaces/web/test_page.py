"""Who gets to the page, and what a stranger gets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest
from tests.interfaces.web.visitor import HERE, PORT, Visitor

from reverie import Block, Core, Memory
from reverie.interfaces.web.page import Act, View, cookie_name
from reverie.interfaces.web.views import ACTS, VIEWS
from reverie.model.reflection import digest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FORM = "application/x-www-form-urlencoded"
PASSPHRASE = "correct horse battery"  # noqa: S105 - of a test


@pytest.fixture
def root(tmp_path: Path) -> Path:
    with Memory.init(tmp_path / "agent") as memory:
        memory.tidy_on_close = False
        memory.observe([{"text": "Ana lives in Lisbon.", "about": "person--ana"}])
    return tmp_path / "agent"


@pytest.fixture
def visitor(root: Path) -> Iterator[Visitor]:
    with Visitor(root) as one:
        yield one


def test_the_link_lets_a_browser_in_and_is_gone_from_its_address(
    visitor: Visitor,
) -> None:
    assert list(visitor.cookies) == [cookie_name(PORT)]
    assert visitor.service.page.key not in visitor.see("/")


@pytest.mark.parametrize("key", ["", "x", "ä" * 40, "None"])
def test_a_guessed_key_lets_nobody_in(root: Path, key: str) -> None:
    with Visitor(root, enters=False) as stranger:
        answer = stranger.ask("GET", f"/enter?{urlencode({'key': key})}")

        assert answer.status_code == 401
        assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: str(view.path))
def test_no_view_is_shown_to_a_stranger(root: Path, view: View) -> None:
    path = re.sub(r"\{[^}]*\}", "x", view.path)
    with Visitor(root, enters=False) as stranger:
        for cookies in ({}, {cookie_name(PORT): "guessed"}, {"reverie-1": "x"}):
            stranger.cookies = cookies
            answer = stranger.ask("GET", path)
            assert answer.status_code == 401
            assert "Lisbon" not in answer.text


@pytest.mark.parametrize("act", ACTS, ids=lambda act: str(act.path))
def test_nothing_is_done_for_who_is_not_at_the_page(visitor: Visitor, act: Act) -> None:
    path = re.sub(r"\{[^}]*\}", "x", act.path)
    visitor.see("/")
    before = visitor.service.root.joinpath(".audit/refs/heads/main").read_bytes()
    body = urlencode({"token": visitor.token, "back": "/"})
    rows = {
        "from elsewhere": (403, {"origin": "http://evil.example"}, body),
        "from nowhere": (403, {}, body),
        "from another port": (403, {"origin": "http://127.0.0.1:1"}, body),
        "without its token": (401, {"origin": HERE}, "back=/"),
        "with another token": (401, {"origin": HERE}, "token=x&back=/"),
        "as JSON": (415, {"origin": HERE, "content-type": "application/json"}, "{}"),
    }
    for name, (status, headers, sent) in rows.items():
        whole = {"content-type": FORM, **headers}
        assert visitor.ask("POST", path, sent, **whole).status_code == status, name
    visitor.cookies = {}
    whole = {"content-type": FORM, "origin": HERE}
    assert visitor.ask("POST", path, body, **whole).status_code == 401
    after = visitor.service.root.joinpath(".audit/refs/heads/main").read_bytes()
    assert before == after


def test_the_token_of_agents_opens_no_page_and_the_cookie_no_door(
    visitor: Visitor,
) -> None:
    assert visitor.ask("GET", "/api/status").status_code == 401
    assert visitor.ask("POST", "/api/link", "{}").status_code == 401
    visitor.cookies = {}
    bearer = {"authorization": f"Bearer {visitor.service.token}"}
    assert visitor.ask("GET", "/", **bearer).status_code == 401
    json = {"content-type": "application/json", **bearer}
    assert visitor.ask("POST", "/api/link", "{}", **json).status_code == 404


@pytest.mark.parametrize("path", ["/", "/nowhere", "/static/page.css"])
def test_every_answer_forbids_what_is_not_ours(visitor: Visitor, path: str) -> None:
    headers = visitor.ask("GET", path).headers
    if path == "/nowhere":
        return
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"


def test_a_form_leads_back_to_our_own_pages_alone(visitor: Visitor) -> None:
    visitor.see("/")
    for back in ("//evil.example", "http://evil.example", "/\\evil.example", "x"):
        body = urlencode({"token": visitor.token, "back": back, "words": "yes"})
        answer = visitor.ask(
            "POST", "/inbox/reply", body, **{"content-type": FORM, "origin": HERE}
        )
        assert answer.headers["location"] == "/"


def test_a_decision_asks_for_the_passphrase_once_and_keeps_it_nowhere(
    root: Path,
) -> None:
    with Memory(root, human=lambda _: True) as memory:
        memory.set_owner(PASSPHRASE)
        with memory.acting_as("scout") as scout:
            for text in ("Ana plays the oboe.", "Ana has a dog."):
                scout.propose(text, entities=("person--ana",))
    with Visitor(root) as visitor:
        page = visitor.see("/")
        one, two = re.findall(r'name="shown" value="([^"]+)"', page)[::3][:2]
        form = {"choice": "accept", "number": "1", "shown": one}
        asked = visitor.send("/inbox/proposal", **form)
        assert "Only you decide this" in asked
        wrong = visitor.send("/inbox/proposal", **form, passphrase=PASSPHRASE[1:])
        assert "Only you decide this" in wrong
        right = visitor.send("/inbox/proposal", **form, passphrase=PASSPHRASE)
        assert "is a memory now" in right
        form |= {"number": "2", "shown": two}
        assert "is a memory now" in visitor.send("/inbox/proposal", **form)
        assert PASSPHRASE not in right + asked
    kept = [path for path in root.parent.rglob("*") if path.is_file()]
    assert not any(PASSPHRASE.encode() in path.read_bytes() for path in kept)


def test_a_pin_and_a_turn_are_the_owner_s_too(root: Path) -> None:
    said = "Ana has a dog."
    with Memory(root, human=lambda _: True) as memory:
        memory.set_owner(PASSPHRASE)
        memory.window("talk").say(said)
    turn = {"number": "1", "role": "user", "shown": digest(said), "text": "No dog."}
    acts = {
        "/memory/pin": {"id": "entity:person--ana", "choice": "pin"},
        "/conversations/talk/edit": turn,
        "/conversations/talk/delete": turn,
    }
    with Visitor(root) as visitor:
        told = {path: visitor.send(path, **form) for path, form in acts.items()}

    assert [path for path in told if "Only you decide this" not in told[path]] == []


PAYLOADS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "![x](http://evil.example/x.png)",
    "[x](javascript:alert(1))",
    "{{ 7 * 7 }}{% raw %}",
    "</textarea><svg onload=alert(1)>",
)


@pytest.mark.parametrize("payload", PAYLOADS)
def test_what_a_memory_says_is_text_wherever_it_is_shown(
    root: Path, payload: str
) -> None:
    with Memory(root, human=lambda _: True) as memory:
        memory.remember(f"Note: {payload}", Core(Block.CONTEXT))
        with memory.acting_as("scout") as scout:
            scout.propose(f"Ana says {payload}", entities=("person--ana",))
    with Visitor(root) as visitor:
        for view in VIEWS:
            if "{" in view.path:
                continue
            text = visitor.ask("GET", view.path).text
            assert payload not in text or payload.startswith(("{", "[", "!")), view
            assert "<img src=x" not in text
            assert 'src="http' not in text
            assert 'href="javascript' not in text
