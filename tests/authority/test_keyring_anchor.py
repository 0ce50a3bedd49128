"""The newest change of a history, noted outside of it."""

from __future__ import annotations

import stat
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from reverie.authority.keyring import NO_ANCHOR, Anchor, Keyring, Newest

if TYPE_CHECKING:
    from pathlib import Path

FIRST = Newest("1" * 40, datetime(2026, 2, 2, 12, 0, tzinfo=UTC))
SECOND = Newest("2" * 40, datetime(2026, 2, 3, 12, 0, tzinfo=UTC))


@pytest.fixture
def ring(tmp_path: Path) -> Keyring:
    return Keyring(tmp_path / "keys", tmp_path / "agent")


def test_it_goes_on_with_the_history_it_knows_and_with_no_other(ring: Keyring) -> None:
    anchor = Anchor(ring)

    assert anchor.known() == []
    anchor.move(FIRST, lambda _: False)
    assert anchor.known() == [FIRST]
    anchor.move(SECOND, lambda known: known == "3" * 40)
    assert anchor.known() == [FIRST]
    anchor.move(SECOND, lambda known: known == FIRST.commit)
    assert anchor.known() == [SECOND]


def test_it_is_for_its_user_alone(ring: Keyring) -> None:
    Anchor(ring).move(FIRST, lambda _: False)

    mode = (ring.folder / ring.place / "newest").stat().st_mode
    assert stat.S_IMODE(mode) == 0o600


@pytest.mark.parametrize(
    "found", [b"", b"\0" * 54, b"1" * 40, b"x" * 55, b"1" * 40 + b" 999999999999\n"]
)
def test_what_a_power_cut_left_of_it_is_nothing(ring: Keyring, found: bytes) -> None:
    ring.write(f"{ring.place}/newest", found)

    assert Anchor(ring).known() == []
    Anchor(ring).move(FIRST, lambda _: False)
    assert Anchor(ring).known() == [FIRST]


def test_where_nothing_can_be_noted_nothing_is_and_nothing_fails(
    ring: Keyring, tmp_path: Path
) -> None:
    path = ring.folder / ring.place / "newest"
    path.parent.mkdir(parents=True)
    path.symlink_to(tmp_path / "planted")
    inside = Keyring(tmp_path / "agent/keys", tmp_path / "agent")

    for anchor in (Anchor(ring), Anchor(inside), NO_ANCHOR):
        anchor.move(FIRST, lambda _: True, sync=True)
        assert anchor.known() == []
    assert not (tmp_path / "planted").exists()
