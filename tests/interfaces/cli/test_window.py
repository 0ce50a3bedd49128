"""`reverie wake`: what an agent should see at the start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.tokens import count_tokens

if TYPE_CHECKING:
    from tests.interfaces.cli.conftest import Desk


def test_waking_shows_what_is_known_in_words_and_as_json(desk: Desk) -> None:
    desk.done("remember", "Lives in Lyon", "--about", "Ana")

    told = desk.done("wake", "rome").out
    awake = desk.json("wake", "rome")

    assert "## Known" in told
    assert "- Ana lives in Lyon" in told
    assert awake["known"] in told


def test_the_stable_part_is_as_long_as_somebody_says(desk: Desk) -> None:
    for number in range(12):
        desk.done("remember", f"Has seen the goat {number}", "--about", "Ana")

    awake = desk.json("wake", "rome", "--stable", "120")

    assert "goat" in awake["known"]
    assert count_tokens(awake["known"]) <= 120
    assert desk.type("wake", "rome", "--stable", "0").code == 2
