"""Secrets that two texts give away together."""

from __future__ import annotations

from tests.secrets.turn_pairs import ordinary, told, told_first

from reverie.secrets import find_secrets
from reverie.secrets.adjacent import find_adjacent_secrets, redact_adjacent


def test_a_value_is_found_after_the_question_for_it() -> None:
    missed = []
    for asked, answered, value in told():
        alone = find_secrets(answered)
        found = find_adjacent_secrets(asked, answered).second
        values = [answered[each.start : each.end] for each in (*alone, *found)]
        if not any(value in each for each in values):
            missed.append((asked, answered))

    assert len(told()) >= 60
    assert missed == []


def test_a_value_is_found_before_the_word_for_it() -> None:
    for first, named, value in told_first():
        found = find_adjacent_secrets(first, named).first
        assert value in [first[each.start : each.end] for each in found], first


def test_ordinary_pairs_hold_no_secret() -> None:
    flagged = [pair for pair in ordinary() if any(find_adjacent_secrets(*pair))]

    assert len(ordinary()) >= 200
    assert len(flagged) <= len(ordinary()) / 100, flagged


def test_a_short_text_between_question_and_value_does_not_matter() -> None:
    turns = ["What is the wifi password?", "One moment.", "It is tulip-Falcon77"]

    assert redact_adjacent(turns)[2] == "It is [redacted: password]"


def test_a_question_far_back_makes_nothing_a_secret() -> None:
    turns = ["What is the wifi password?", "I do not know it. " * 9, "tulip-Falcon77"]

    assert redact_adjacent(turns) == turns


def test_a_turn_that_gives_its_own_value_asks_for_none() -> None:
    assert (
        redact_adjacent(["My PIN is [redacted: PIN].", "Berlin2024"])[1] == "Berlin2024"
    )
    assert find_adjacent_secrets("My PIN is 482197.", "Berlin2024").second == ()
