"""What is slow for long texts is told from what is only long."""

from __future__ import annotations

from tests.growth import keeps_pace


def test_comparing_each_with_each_does_not_keep_pace() -> None:
    def pairs(count: int) -> int:
        return sum(one.__lt__(other) for one in range(count) for other in range(count))

    assert keeps_pace(lambda: pairs(50), lambda: pairs(100))
    assert not keeps_pace(lambda: pairs(50), lambda: pairs(200))
