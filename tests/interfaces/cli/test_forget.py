"""`forget`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.interfaces.cli.conftest import on_a_screen

if TYPE_CHECKING:
    from tests.interfaces.cli.conftest import Desk


@pytest.fixture
def known(desk: Desk) -> Desk:
    desk.done("remember", "The badger lives below the shed.", "--kind", "fact")
    desk.done("remember", "Saw the badger at the gate.", "--kind", "fact")
    desk.done("remember", "Soup on Mondays.", "--kind", "fact")
    return desk


def archived(desk: Desk) -> int:
    return sum(each["status"] == "archived" for each in desk.json("show", "episodic"))


def test_what_would_be_forgotten_is_shown_and_nothing_happens(known: Desk) -> None:
    typed = known.type("forget", "badger")

    assert typed.code == 5
    assert "I found 2 memories about 'badger':" in typed.out
    assert "--confirm" in typed.err
    assert archived(known) == 0


def test_what_is_confirmed_by_its_key_is_forgotten(known: Desk) -> None:
    keys = [each["key"] for each in known.json("forget", "badger")["matches"]]

    typed = known.done("forget", "badger", "--confirm", keys[0])

    assert typed.out.startswith("Forgotten: 1 memory")
    assert archived(known) == 1
    assert "brings it back" in typed.out


def test_a_key_that_belongs_to_nothing_is_refused(known: Desk) -> None:
    typed = known.type("forget", "badger", "--confirm", "00000000")

    assert typed.code == 5
    assert "nothing was forgotten" in typed.err


@pytest.mark.parametrize(
    ("answer", "code", "gone"),
    [
        *(
            ("all\n", 0, 2),
            ("2\n", 0, 1),
            ("1, 2\n", 0, 2),
            ("\n", 5, 0),
            ("x\n", 5, 0),
        ),
        *(("yes\n\n", 5, 0), ("y\n2\n", 0, 1)),
    ],
)
def test_a_person_says_which(known: Desk, answer: str, code: int, gone: int) -> None:
    words = ("-w", str(known.root), "forget", "badger")

    assert on_a_screen(words, answer)[0] == code
    assert archived(known) == gone


def test_for_good_takes_the_word(known: Desk) -> None:
    words = ("-w", str(known.root), "forget", "permanently delete the badger")

    kept = on_a_screen(words, "all\nno\n")
    gone = on_a_screen(words, "all\nerase\n")

    assert (kept[0], gone[0]) == (5, 0)
    assert len(known.json("show", "episodic")) == 1
    assert b"badger" not in b"".join(
        f.read_bytes() for f in known.root.rglob("*") if f.is_file()
    )


def test_nothing_known_is_said_so(known: Desk) -> None:
    assert "Nothing is remembered about 'walrus'." in known.done("forget", "walrus").out


def test_a_removal_that_only_the_user_decides_waits_and_is_accepted(desk: Desk) -> None:
    desk.done("remember", "Allergic to nuts.", "--store", "core", "--block", "critical")
    (found,) = desk.json("forget", "allergic nuts")["matches"]
    key = found["key"]

    agent = ("forget", "allergic nuts", "--confirm", key, "--actor", "bot:main")
    told = desk.done(*agent)

    assert "Waits for approval as #1" in told.out
    assert "reverie pending accept 1" in told.out
    assert f"to remove {found['id']}" in desk.done("pending").out
    assert "Removed (#1)" in desk.done("pending", "accept", "1").out
    assert "nuts" not in (desk.root / "MEMORY.md").read_text()
