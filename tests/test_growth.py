"""What is slow for long texts is told from what is only long."""

from __future__ import annotations

import re

from tests.growth import keeps_pace, stays_linear


def test_a_look_at_every_character_stays_linear() -> None:
    assert stays_linear(re.compile("[a-c]").findall, "abcd")


def test_a_look_from_every_character_to_the_end_does_not() -> None:
    assert not stays_linear(re.compile("a+b").findall, "a", 2_000)


def test_comparing_each_with_each_does_not_keep_pace() -> None:
    def pairs(count: int) -> int:
        return sum(one < other for one in range(count) for other in range(count))

    assert keeps_pace(lambda: pairs(100), lambda: pairs(200))
    assert not keeps_pace(lambda: pairs(100), lambda: pairs(400))
