"""The tour, as `make run` takes it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.interfaces.cli.conftest import on_a_screen

from reverie.interfaces.cli import tour
from reverie.interfaces.cli.main import HOMES
from reverie.interfaces.cli.tour import STEPS, Step

if TYPE_CHECKING:
    from tests.interfaces.cli.conftest import Desk

COLOUR = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
STOPPED = [
    "error: this holds a secret (OpenAI key); nothing of it was written",
    "error: coder is a sub-agent and may not `reverie remember`",
]
GONE = re.compile(r"The workspace (\S+) has been removed\.")


def test_the_whole_tour_fits_a_screen_and_leaves_nothing_behind() -> None:
    code, coloured = on_a_screen(("tour", "--no-pause"))
    seen = COLOUR.sub("", coloured)

    assert code == 0
    errors = [line for line in seen.splitlines() if line.startswith("error")]
    assert errors == STOPPED
    titles = [f"{n} of {len(STEPS)} · {step.name} " for n, step in enumerate(STEPS, 1)]
    places = [seen.index(title) for title in titles]
    assert places == sorted(places)
    folder = GONE.search(seen)
    assert folder
    assert not Path(folder[1]).exists()
    assert max(map(len, seen.splitlines())) <= 80


def test_the_tour_is_a_list_of_stops_for_a_program(
    nowhere: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tour, "STEPS", STEPS[:5])
    stops = nowhere.json("tour")

    assert [stop["title"] for stop in stops] == [step.name for step in STEPS[:5]]
    first = stops[0]["commands"][0]
    assert first["typed"] == "reverie init"
    assert first["output"].startswith("Made a workspace in ")
    assert all(
        command["code"] in {0, 1, 5, 8, -9} for s in stops for command in s["commands"]
    )


def test_the_folder_can_be_kept(
    nowhere: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tour, "STEPS", STEPS[:1])
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    typed = nowhere.done("tour", "--keep")

    (folder,) = tmp_path.glob("reverie-tour-*")
    assert f"The workspace {folder} is yours to look at." in typed.out
    assert (folder / "MEMORY.md").is_file()


def test_the_tour_leaves_the_users_own_workspace_alone(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tour, "STEPS", STEPS[:2])
    monkeypatch.setenv("REVERIE_WORKSPACE", str(desk.root))
    monkeypatch.chdir(desk.root)

    desk.done("tour")

    assert len(desk.json("history")) == 1


@pytest.mark.parametrize("command", [("reverie check", 1), ("exit 3", 0)])
def test_a_step_that_ends_otherwise_stops_the_tour(
    nowhere: Desk, monkeypatch: pytest.MonkeyPatch, command: tuple[str, int]
) -> None:
    steps = [STEPS[0], Step("Broken", "It breaks.", 0, (command,))]
    monkeypatch.setattr(tour, "STEPS", steps)

    typed = nowhere.type("tour")

    assert typed.code == 70
    assert "RuntimeError" in typed.err


def test_the_tour_shows_every_verb() -> None:
    lines = [line for step in STEPS for line, _ in step.commands]
    typed = {
        line.split("reverie ")[1].split()[0] for line in lines if "reverie " in line
    }

    # An agent talks with `mcp`, nobody types to it; `connect` writes into their home.
    assert set(HOMES) - typed == {
        "tour",
        "tidy",
        "owner",
        "mcp",
        "connect",
        "workspace",
    }


@pytest.mark.parametrize(
    ("key", "on"), [(" ", True), ("\r", True), ("q", False), ("Q", False)]
)
def test_any_key_goes_on_and_q_ends_the_tour(
    key: str, *, on: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("click.getchar", lambda: key)

    assert tour.goes_on() is on


def test_who_interrupts_the_tour_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt() -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("click.getchar", interrupt)

    assert not tour.goes_on()
