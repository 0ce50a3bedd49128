"""A reflection's own state, put back as it was, gives nothing a second time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.memory.home import bound_keyring
from tests.reflection.dreams import Dream, cycle_file, dreaming, kept, proposed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.memory.home import Home

    from reverie.reflection.reflection import Reflection


def again(home: Home, dream: Dream | None = None) -> Reflection:
    """Reflection, as the next process finds it."""
    return dreaming(home, dream or Dream()).reflection


@pytest.fixture
def night(furnished: Home) -> Home:
    """A reflection that got its tokens."""
    again(furnished).begin()
    again(furnished).reply("Proceed")
    return furnished


def cancelled(home: Home) -> None:
    again(home).cancel()


def rejected(home: Home) -> None:
    reflection = again(home)
    reflection.advance()
    reflection.decide("reject", reflection.status().shown)


def approved(home: Home) -> None:
    reflection = again(home)
    reflection.advance()
    reflection.decide("approve", reflection.status().shown)


def begun_anew(home: Home) -> None:
    again(home).cancel()
    again(home).begin()


@pytest.mark.parametrize("done", [cancelled, rejected, approved, begun_anew])
def test_a_grant_that_was_used_or_taken_back_is_not_good_again(
    night: Home, done: Callable[[Home], None]
) -> None:
    granted = kept(night)
    done(night)
    night.memory.close()
    cycle_file(night.root).write_bytes(granted)

    dream = Dream()
    standing = again(night, dream).status()

    assert standing.state == "idle"
    assert "cycle.json is not as it was left last" in standing.says
    assert dream.asked == []
    assert again(night).begin().number >= 2


def test_tokens_that_were_used_are_not_used_again(night: Home) -> None:
    granted = kept(night)
    again(night).advance()
    night.memory.close()
    cycle_file(night.root).write_bytes(granted)

    dream = Dream()
    standing = again(night, dream).status()

    # What is proposed stands on its page, in history.
    assert standing.state == "pending"
    assert dream.asked == []


def test_a_decision_that_was_taken_is_not_asked_for_again(furnished: Home) -> None:
    standing = proposed(dreaming(furnished, Dream()))
    waiting = kept(furnished)
    again(furnished).decide("reject", standing.shown)
    furnished.memory.close()
    cycle_file(furnished.root).write_bytes(waiting)

    assert again(furnished).status().state == "idle"


def test_a_grant_of_another_keyring_is_none(night: Home, tmp_path: Path) -> None:
    """Whoever chooses the variable has a key of their own, and seals with it."""
    granted = kept(night).rpartition(b"\n# sealed ")[0]
    bound_keyring(night.root).note("acknowledged", b"", first=True)
    again(night).cancel()
    elsewhere = {"XDG_DATA_HOME": str(tmp_path / "evil")}
    session = dreaming(night, Dream(), **elsewhere)._session  # noqa: SLF001 - its key
    file = session.state_folder / "reflection/cycle.json"
    file.parent.mkdir(parents=True)
    seal = session.mark(b"reflection/cycle.json\0" + granted).hex()
    file.write_bytes(granted + f"\n# sealed {seal}\n".encode())

    standing = dreaming(night, Dream(), **elsewhere).reflection.status()

    assert standing.state == "idle"
    assert "is not as it was left last" in standing.says


def test_a_cycle_goes_on_after_each_restart(night: Home) -> None:
    assert again(night).status().state == "granted"
    assert again(night).advance().state == "pending"
    standing = again(night).status()
    assert again(night).decide("approve", standing.shown).applied
    assert not any("believed" in told for told in night.memory.warnings)
