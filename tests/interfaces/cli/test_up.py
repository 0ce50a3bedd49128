"""`up`: the page opens in a browser where there is one, and nowhere else."""

from __future__ import annotations

import threading

import pytest

from reverie.interfaces.cli import up

LINK = "http://127.0.0.1:4711/enter?key=not-a-real-one"
SCREEN = {"DISPLAY": ":0"}


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a browser was asked to open, on a machine without a screen."""
    links: list[str] = []
    monkeypatch.setattr("webbrowser.open", links.append)
    monkeypatch.setattr("sys.platform", "linux")
    for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION"):
        monkeypatch.delenv(name, raising=False)
    return links


@pytest.mark.parametrize(
    ("known", "comes_up"),
    [
        ({}, False),
        (SCREEN, True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, True),
        ({**SCREEN, "SSH_CONNECTION": "10.0.0.2 50000 10.0.0.1 22"}, False),
        ({"BROWSER": "firefox", "SSH_CONNECTION": "10.0.0.2 5 10.0.0.1 22"}, True),
    ],
)
def test_a_browser_is_opened_where_it_is_seen(
    known: dict[str, str],
    *,
    comes_up: bool,
    opened: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in known.items():
        monkeypatch.setenv(name, value)

    before = set(threading.enumerate())
    up.open_page(LINK)
    for thread in set(threading.enumerate()) - before:
        thread.join(10)

    assert opened == [LINK] * comes_up


def test_without_a_link_nothing_is_opened(
    opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISPLAY", ":0")

    up.open_page("")

    assert opened == []
