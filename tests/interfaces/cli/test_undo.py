"""`undo` and `restore`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.interfaces.cli.conftest import on_a_screen

if TYPE_CHECKING:
    from tests.interfaces.cli.conftest import Desk


def count(desk: Desk) -> int:
    return len(desk.json("show", "episodic"))


def test_the_newest_change_is_taken_back_and_again(desk: Desk) -> None:
    desk.done("remember", "Hello.")

    typed = desk.done("undo")

    assert typed.out.startswith("Went back: 1 file changed  ")
    assert "took back" in typed.out
    assert count(desk) == 0
    again = typed.out.splitlines()[-1].split("`")[1].split()[1:]
    desk.done(*again)
    assert count(desk) == 1


def test_one_change_is_taken_back_and_later_ones_stay(desk: Desk) -> None:
    first = desk.json("remember", "One.")["commit"]
    desk.done("remember", "Two.")

    desk.done("undo", first[:10])

    assert [each["text"] for each in desk.json("show", "episodic")] == ["Two."]


def test_an_empty_name_takes_back_nothing(desk: Desk) -> None:
    desk.done("remember", "One.")

    typed = desk.type("undo", "")

    assert (typed.code, count(desk)) == (2, 1)


def test_one_file_goes_back(desk: Desk) -> None:
    before = (desk.root / "MEMORY.md").read_text(encoding="utf-8")
    desk.write("MEMORY.md", "# Gone\n")
    desk.done("check")

    desk.done("undo", "--file", "MEMORY.md")

    assert (desk.root / "MEMORY.md").read_text(encoding="utf-8") == before


def test_a_whole_reflection_is_taken_back(desk: Desk) -> None:
    for text in ("One.", "Two."):
        desk.dreamt(text)
    desk.done("remember", "Three.")

    receipt = desk.json("undo", "--session", "last")

    assert receipt["actor"] == "manual"
    assert [each["text"] for each in desk.json("show", "episodic")] == ["Three."]


def test_a_session_is_taken_back_whole_or_not_at_all(desk: Desk) -> None:
    assert desk.type("undo", "abc", "--session", "r-012").code == 2
    assert desk.type("undo", "--session", "r-999").code == 3


def test_nothing_to_undo_is_said_so(desk: Desk) -> None:
    assert desk.type("undo").code == 3
    assert desk.type("undo", "zzz").code == 3
    assert desk.type("undo", "--file", "nope.md").code == 3


def test_a_file_that_was_never_changed_is_said_so(desk: Desk) -> None:
    typed = desk.type("undo", "--file", "MEMORY.md")

    assert typed.code == 3
    assert "nothing to undo: MEMORY.md was never changed" in typed.err


def test_going_back_is_told_in_the_users_time(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "America/Los_Angeles")
    desk.done("remember", "One.")
    desk.wait(hours=3)

    assert "what it was at 2026-02-02 08:30" in desk.type("undo", "--to", "08:30").err
    typed = desk.type("undo", "--to", "2 years ago")
    assert "there was nothing yet at 2024-02-02 09:3" in typed.err


def test_the_workspace_goes_back_to_a_moment(desk: Desk) -> None:
    desk.done("remember", "One.")
    desk.wait(hours=3)
    desk.done("remember", "Two.")

    typed = desk.done("undo", "--to", "2 hours ago")

    assert "workspace as of 2026-02-02T15:31Z" in typed.out
    assert [each["text"] for each in desk.json("show", "episodic")] == ["One."]


def test_a_day_means_its_end_when_going_back(desk: Desk) -> None:
    desk.done("remember", "One.")
    desk.wait(days=1)
    desk.done("remember", "Two.")

    desk.done("undo", "--to", "yesterday")

    assert [each["text"] for each in desk.json("show", "episodic")] == ["One."]


@pytest.mark.parametrize(("when", "code"), [("2099-01-01", 3), ("someday", 2)])
def test_there_is_no_going_back_to_the_future(desk: Desk, when: str, code: int) -> None:
    assert desk.type("undo", "--to", when).code == code


def test_there_is_no_going_back_to_before_the_beginning(desk: Desk) -> None:
    assert desk.type("undo", "--to", "1990-01-01").code == 3


@pytest.mark.parametrize(
    ("typed", "code", "left"), [("y\n", 0, 0), ("n\n", 5, 1), ("\n", 5, 1)]
)
def test_a_person_is_asked_before_everything_goes_back(
    desk: Desk, typed: str, code: int, left: int
) -> None:
    for number in range(5):
        desk.done(
            "remember", f"Note {number}.", "--store", "vault", "--actor", "manual"
        )
    desk.done("remember", "One.")
    words = ("-w", str(desk.root), "undo", "--to", "2026-02-02T14:30Z")

    ended, seen = on_a_screen(words, typed)

    assert ended == code
    assert "7 changes to 7 files since" in seen
    assert "… and 4 more" in seen
    assert "Go back? [y/N]:" in seen
    assert count(desk) == left


def test_a_person_who_said_yes_is_not_asked(desk: Desk) -> None:
    desk.done("remember", "One.")
    words = ("-w", str(desk.root), "undo", "--to", "2026-02-02T14:30Z", "--yes")

    code, seen = on_a_screen(words)

    assert code == 0
    assert "Go back?" not in seen
