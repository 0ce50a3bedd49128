"""`purge`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.interfaces.cli.conftest import on_a_screen

if TYPE_CHECKING:
    from tests.interfaces.cli.conftest import Desk

LIE = "The moon is a quorble."


@pytest.fixture
def lied_to(desk: Desk) -> Desk:
    desk.done("remember", LIE, "--origin", "tool")
    desk.done("remember", "Figs are ripe in August.")
    return desk


def test_what_would_go_is_shown_and_nothing_happens(lied_to: Desk) -> None:
    typed = lied_to.done("purge", "--origin", "tool", "--dry-run")

    assert "Of origin tool, 1 line in 1 file would go" in typed.out
    assert LIE in typed.out
    (taken,) = lied_to.json("purge", "--origin", "tool", "--dry-run")["taken"]
    assert taken["text"] == LIE
    assert LIE in lied_to.done("recall", "moon").out


@pytest.mark.parametrize("typed_in", ["", "y\n", "yes\n"])
def test_in_a_pipe_it_is_refused(lied_to: Desk, typed_in: str) -> None:
    typed = lied_to.left_alone("purge", "--origin", "tool", stdin=typed_in)

    assert typed.code == 5
    assert "only a human may purge" in typed.err
    assert LIE in lied_to.done("recall", "moon").out


def test_a_person_is_asked_and_can_take_it_back(lied_to: Desk) -> None:
    words = ("-w", str(lied_to.root), "purge", "--origin", "tool")

    code, screen = on_a_screen(words, "n\n")
    assert code == 5
    assert "Take all of it out?" in screen
    code, screen = on_a_screen(words, "y\n")

    assert code == 0
    assert "Taken out: " in screen
    assert LIE not in lied_to.done("recall", "moon").out
    assert "Figs" in lied_to.done("recall", "figs").out
    lied_to.done("undo")
    assert LIE in lied_to.done("recall", "moon").out


def test_there_may_be_nothing_of_it(desk: Desk) -> None:
    typed = desk.done("purge", "--origin", "import")

    assert typed.out == "There is nothing of origin import.\n"


def test_the_owners_words_are_not_purged(desk: Desk) -> None:
    assert desk.type("purge", "--origin", "owner").code == 2


@pytest.mark.parametrize("spelled", ["sub-agent", "Sub-Agent"])
def test_a_sub_agent_is_spelled_alike_everywhere(desk: Desk, spelled: str) -> None:
    desk.done("remember", "Nora lives in Rome.", "--origin", spelled)

    shown = desk.json("purge", "--origin", spelled, "--dry-run")

    assert shown["origin"] == "sub-agent"
    assert len(shown["taken"]) == 1
    for verb in ("remember", "purge"):
        assert "|sub-agent|" in desk.done(verb, "--help").out
