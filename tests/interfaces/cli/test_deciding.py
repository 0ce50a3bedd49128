"""`pending`, `accept` and `reject`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.interfaces.cli.conftest import on_a_screen

if TYPE_CHECKING:
    from tests.interfaces.cli.conftest import Desk


@pytest.fixture
def waiting(desk: Desk) -> Desk:
    words = ("--store", "procedural", "--name", "back up")
    typed = desk.done("remember", "Copy the disk.", *words)
    assert "`reverie accept 1` if you want it." in typed.out
    return desk


def test_what_a_program_says_waits_although_it_signs_for_its_user(
    waiting: Desk,
) -> None:
    (found,) = waiting.json("pending")
    proposal = found["proposal"]

    assert found["clashes"] == []
    assert (proposal["number"], proposal["origin"]) == (1, "agent")
    assert waiting.json("show", "procedural") == []
    assert "#1 into procedural “back up”" in waiting.done("pending").out


def test_a_person_accepts(waiting: Desk) -> None:
    words = ("-w", str(waiting.root), "accept", "1")

    assert on_a_screen(words, "y\n")[0] == 0
    assert [each["id"] for each in waiting.json("show", "procedural")] == [
        "procedure:back-up"
    ]
    assert waiting.done("pending").out == "Nothing waits for you.\n"


def test_nothing_is_accepted_where_nobody_is_typing(waiting: Desk) -> None:
    assert waiting.type("accept", "1").code == 5
    assert waiting.type("accept", "1", "--yes").code == 5
    assert len(waiting.json("pending")) == 1
    typed = waiting.done("accept", "1", "--yes", "--actor", "manual")
    assert typed.out.startswith("Accepted #1: ")


def test_a_person_rejects(waiting: Desk) -> None:
    assert waiting.done("reject", "1", "--reason", "no").out == "Rejected #1.\n"
    assert waiting.json("pending") == []


def test_a_number_that_is_not_there_is_told(waiting: Desk) -> None:
    assert waiting.type("accept", "7", "--yes").code == 3
    assert waiting.type("reject", "7").code == 3
