"""A memory that was of use stays vivid, and that is no change of it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from tests.memory.home import NOON
from tests.recall.scenes import talk

from reverie import Episodic, Memory, NotFoundError, Reach

if TYPE_CHECKING:
    from tests.memory.home import Home

EPISODE = "episode:2026-02-02:12:00"
PERSON = "entity:person--alex"


def test_use_is_counted_and_dated(furnished: Home) -> None:
    later = furnished.clock.forward(days=3)

    assert furnished.memory.reinforce([EPISODE, PERSON]) == 2

    for id_ in (EPISODE, PERSON):
        shown = furnished.memory.show(id_)
        assert (shown.accesses, shown.last_accessed) == (2, later)
    assert furnished.memory.show("procedure:how-to-deploy").accesses == 1


def test_what_fades_is_brought_back(home: Home) -> None:
    home.memory.remember("The wombat sleeps in the kitchen.", Episodic())
    home.clock.forward(days=60)
    assert not home.memory.recall("wombat", reach=Reach.AUTOMATIC).hits

    home.memory.reinforce([EPISODE])

    (hit,) = home.memory.recall("wombat", reach=Reach.AUTOMATIC).hits
    assert hit.status == "active"


def test_it_is_no_commit(furnished: Home) -> None:
    before = (furnished.commits(), furnished.tracked())

    furnished.memory.reinforce([EPISODE])

    assert (furnished.commits(), furnished.tracked()) == before


def test_it_survives_a_process_that_never_closed(furnished: Home) -> None:
    furnished.memory.reinforce([EPISODE])

    with Memory(furnished.root, clock=furnished.clock, environ={}) as other:
        other.tidy_on_close = False
        assert other.show(EPISODE).accesses == 2


def test_it_survives_a_rebuild(furnished: Home) -> None:
    later = furnished.clock.forward(days=3)
    furnished.memory.reinforce([EPISODE])

    furnished.memory.rebuild()

    shown = furnished.memory.show(EPISODE)
    assert (shown.accesses, shown.last_accessed) == (2, later)


def test_it_is_written_down_with_the_next_snapshot(furnished: Home) -> None:
    furnished.memory.reinforce([EPISODE])
    furnished.memory.tidy()
    furnished.memory.close()
    (furnished.root / ".reverie/index.db").unlink()

    assert furnished.reopen().show(EPISODE).accesses == 2
    assert furnished.disagreements() == []


def test_the_same_memory_named_twice_was_of_use_once(furnished: Home) -> None:
    assert furnished.memory.reinforce([EPISODE, EPISODE]) == 1
    assert furnished.memory.show(EPISODE).accesses == 2


def test_without_ids_nothing_is_counted(furnished: Home) -> None:
    assert furnished.memory.reinforce([]) == 0


@pytest.mark.parametrize(
    "unknown", ["rubbish", "entity:person--nobody", "turn:x/1/user/0"]
)
def test_what_does_not_exist_is_refused_and_nothing_is_counted(
    furnished: Home, unknown: str
) -> None:
    with pytest.raises(NotFoundError):
        furnished.memory.reinforce([EPISODE, unknown])

    assert furnished.memory.show(EPISODE).accesses == 1


def test_turns_have_no_score_to_keep(home: Home) -> None:
    home.memory.take_in([talk("one", "The gnu is ill.", "Call a vet.")])

    assert home.memory.reinforce(["turn:test-one/1/user/0"]) == 0


def test_a_clock_that_was_set_back_does_not_make_a_memory_old(furnished: Home) -> None:
    furnished.clock.now = NOON - timedelta(days=400)

    furnished.memory.reinforce([EPISODE])

    shown = furnished.memory.show(EPISODE)
    assert (shown.accesses, shown.last_accessed) == (2, NOON)


def test_what_is_used_more_ranks_higher(home: Home) -> None:
    memory = home.reopen(REVERIE_EMBEDDING_MODEL="none")
    for text in ("The wombat is grey.", "The wombat is brown."):
        memory.remember(text, Episodic())
    home.clock.forward(days=10)
    last = memory.recall("wombat", now=home.clock()).hits[-1]

    memory.reinforce([last.id])

    after = memory.recall("wombat").hits
    assert after[0].id == last.id
    assert after[0].score > last.score
