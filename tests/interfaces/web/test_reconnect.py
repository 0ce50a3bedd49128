"""The page keeps its address, and known browsers come in again after a restart."""

from __future__ import annotations

import hmac
import re
import socket
import tempfile
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx2
import pytest
from tests.interfaces.web.up import PATIENCE, up

from reverie import Memory
from reverie.interfaces.web.app import page_link
from reverie.interfaces.web.page import cookie_name
from reverie.interfaces.web.reconnect import DAYS, BrowserKeys

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from reverie.interfaces.web.app import Running

NONCE = "0123456789abcdef" * 2
FORM = "application/x-www-form-urlencoded"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    Memory.init(tmp_path / "agent").close()
    # The path of a socket must be short.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        yield tmp_path / "agent"


class KnownBrowser:
    """A browser that came in by the link, and what its script keeps."""

    def __init__(self, running: Running) -> None:
        link = page_link(running)
        self._cookies = dict[str, str]()
        entered = self._keep(httpx2.get(link, timeout=PATIENCE)).text
        found = dict(re.findall(r'data-(key-id|key-secret|to)="([^"]+)"', entered))
        self.id, self._key = found["key-id"], bytes.fromhex(found["key-secret"])
        self.place = found["to"].rstrip("/")
        self.url = running.url

    def _keep(self, answer: httpx2.Response) -> httpx2.Response:
        self._cookies |= dict(answer.cookies)
        return answer

    @property
    def port(self) -> int:
        """Return the port that it knows."""
        return urlsplit(self.url).port or 0

    def look(self, place: str) -> int:
        """Open a page with every cookie of this browser."""
        cookies = (f"{name}={value}" for name, value in self._cookies.items())
        headers = {"cookie": "; ".join(cookies)}
        return httpx2.get(f"{self.url}{place}/core", headers=headers).status_code

    def challenge(self) -> dict[str, str]:
        """Ask the service for its proof, and check it."""
        shown = {"id": self.id, "nonce": NONCE}
        answer = httpx2.get(f"{self.url}/again", params=shown)
        assert answer.status_code == 200
        found: dict[str, str] = answer.json()
        assert found["proof"] == self.proof("service", found["nonce"])
        return found

    def proof(self, side: str, nonce: str) -> str:
        """Return what one side makes of a challenge."""
        said = f"{side} {self.port} {NONCE} {nonce}".encode()
        return hmac.new(self._key, said, "sha256").hexdigest()

    def enter_again(self, nonce: str, proof: str) -> httpx2.Response:
        """Answer a challenge."""
        shown = {"id": self.id, "nonce": nonce, "proof": proof}
        headers = {"content-type": FORM, "origin": self.url}
        return self._keep(
            httpx2.post(f"{self.url}/again", params=shown, headers=headers)
        )


def test_the_address_stays_and_a_known_browser_comes_in_again(root: Path) -> None:
    with up(root) as (running, _):
        browser = KnownBrowser(running)
        assert browser.look(browser.place) == 200
    with up(root) as (again, _):
        assert again.url == running.url
        assert browser.look(browser.place) == 401, "what it sent before is worthless"
        nonce = browser.challenge()["nonce"]
        assert browser.enter_again(nonce, "0" * 64).status_code == 401
        nonce = browser.challenge()["nonce"]
        entered = browser.enter_again(nonce, browser.proof("browser", nonce))
        assert browser.look(entered.json()["place"]) == 200
        assert cookie_name(browser.port) in entered.headers["set-cookie"]
        replayed = browser.enter_again(nonce, browser.proof("browser", nonce))
        assert replayed.status_code == 401


def test_two_workspaces_have_two_addresses(root: Path, tmp_path: Path) -> None:
    Memory.init(tmp_path / "other").close()
    with up(root) as (one, _), up(tmp_path / "other") as (other, _):
        assert one.url != other.url


def test_a_port_that_another_program_has_is_left_and_no_browser_is_let_in_again(
    root: Path,
) -> None:
    with up(root) as (running, _):
        browser = KnownBrowser(running)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", browser.port))
        taken.listen()
        with up(root) as (elsewhere, _):
            assert elsewhere.url != running.url
            shown = {"id": browser.id, "nonce": NONCE}
            answer = httpx2.get(f"{elsewhere.url}/again", params=shown)
            assert answer.status_code == 401
    with up(root) as (back, _):
        assert back.url == running.url


def test_a_service_worker_of_another_program_is_removed(root: Path) -> None:
    with up(root) as (running, _):
        asks = {"service-worker": "script", "sec-fetch-dest": "serviceworker"}
        answer = httpx2.get(f"{running.url}/worker.js", headers=asks)

    assert "unregister" in answer.text
    assert answer.headers["content-type"].startswith("text/javascript")


@pytest.mark.parametrize(
    "id_", ["", "1-2", "zz-" + "0" * 32, "0-" + "0" * 32, "é", "ffffffff-" + "0" * 32]
)
def test_a_malformed_or_impossible_browser_is_unknown(id_: str) -> None:
    assert BrowserKeys(b"secret", 1).challenge(id_, NONCE) is None


def test_a_browser_that_did_not_come_for_a_month_needs_the_link() -> None:
    now = [1_800_000_000.0]
    keys = BrowserKeys(b"secret", 1, lambda: now[0])
    id_, _ = keys.issue()
    now[0] += DAYS * 86_400
    assert keys.challenge(id_, NONCE)
    now[0] += 86_400
    assert keys.challenge(id_, NONCE) is None
