"""A view: everything as arrays, and kept up with what others write."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.index.shown import (
    all_standing,
    anew,
    company,
    memories,
    named,
    quick_folder,
    standing,
    write,
)

from reverie.index import sqlite_index
from reverie.index.sqlite_index import SqliteIndex
from reverie.index.view import NEVER, STORES
from reverie.model.ids import Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from reverie.index.view import Floats, View

TALK = "conversations/trip.md"
OTHER = "conversations/food.md"
DAY = "memory/episodes/2026-02-02.md"
NOTE = "memory/vault/key.md"
SAID = """\
# trip — Conversation

## 2026-02-02 14:30:05 | user | turn:1 | speaker:Alex
Where shall we stay?

## — | assistant | turn:1
Near the river.

## 2026-02-02 14:32:00 | user | turn:2 | speaker:Alex | scope:alex
I like rivers.
"""
HAPPENED = """\
# 2026-02-02 — Episode Log

## 14:30 | fact | confidence:high
Late.

## 09:00 | fact | confidence:high
Early.
"""


@pytest.fixture
def index(tmp_path: Path) -> Iterator[SqliteIndex]:
    """An empty index."""
    made = SqliteIndex(tmp_path / "index.db")
    yield made
    made.close()


@pytest.fixture
def other(index: SqliteIndex) -> Iterator[SqliteIndex]:
    """The same index, as another process has it open."""
    made = SqliteIndex(index.path)
    yield made
    made.close()


def ids(index: SqliteIndex) -> list[str]:
    return [name for name, _ in named(index, index.view())]


def test_an_empty_index_has_an_empty_view(index: SqliteIndex) -> None:
    view = index.view()

    assert (len(view.number), len(view.owner), view.item(1)) == (0, 0, -1)
    assert len(view.standing("tea").at) == 0
    assert not view.frequency("tea")
    assert view.cloud.vectors.shape[0] == 0


def test_each_memory_is_shown_with_its_store_time_speaker_and_scope(
    index: SqliteIndex,
) -> None:
    write(index, TALK, SAID)
    write(index, NOTE, "# Key\n\nIn the box.\n")
    view = index.view()

    place = {name: n for n, (name, _) in enumerate(named(index, view))}
    first, answer = place["turn:trip/1/user/0"], place["turn:trip/1/assistant/0"]
    last, note = place["turn:trip/2/user/0"], place["vault:key"]
    assert STORES[view.store[first]] is Store.TURNS
    assert STORES[view.store[note]] is Store.VAULT
    assert (int(view.at[first]), view.at[answer]) == (1770042605, NEVER)
    assert view.speaker[first] == view.named["speaker"]["Alex"]
    assert (view.speaker[answer], view.speaker[note]) == (0, 0)
    assert view.scope[last] == view.named["scope"]["alex"] > 0
    assert (view.scope[first], view.scope[note]) == (0, 0)


def test_turns_stand_next_to_those_said_before_and_after(index: SqliteIndex) -> None:
    write(index, OTHER, "## — | user | turn:1\nSoup?\n")
    write(index, TALK, SAID)

    found = company(index, index.view())

    first, answer, last = (
        *("turn:trip/1/user/0", "turn:trip/1/assistant/0"),
        "turn:trip/2/user/0",
    )
    assert found[first, TALK] == ("", answer, 0)
    assert found[answer, TALK] == (first, last, 1)
    assert found[last, TALK] == (answer, "", 2)
    assert found["turn:food/1/user/0", OTHER] == ("", "", 0)


def test_after_a_pause_another_company_begins_in_the_same_window(
    index: SqliteIndex,
) -> None:
    later = """
## 2026-02-02 19:00:00 | user | turn:3
What about dinner?

## 2026-02-03 08:00:00 | assistant | turn:3
At the market.
"""
    write(index, TALK, SAID + later)
    view = index.view()
    found = company(index, view)

    asked, answer = "turn:trip/3/user/0", "turn:trip/3/assistant/0"
    assert found["turn:trip/2/user/0", TALK][1:] == ("", 2)
    assert found[asked, TALK] == ("", answer, 0)
    assert found[answer, TALK] == (asked, "", 1)
    assert len({*view.whole.tolist()}) == 1
    assert len({*view.company.tolist()}) == 2


def test_what_stands_in_one_day_is_in_company_in_the_order_of_its_file(
    index: SqliteIndex,
) -> None:
    write(index, DAY, HAPPENED)
    write(index, "memory/episodes/2026-02-03.md", HAPPENED.replace("02-02", "02-03"))

    found = company(index, index.view())

    late, early = "episode:2026-02-02:14:30", "episode:2026-02-02:09:00"
    assert found[late, DAY] == ("", early, 0)
    assert found[early, DAY] == (late, "", 1)


def test_a_turn_that_was_said_in_between_later_takes_its_place(
    index: SqliteIndex,
) -> None:
    write(index, TALK, SAID.replace("assistant | turn:1", "assistant | turn:3"))
    index.view()
    write(index, TALK, SAID)

    assert company(index, index.view()) == company(index, anew(index))


def test_a_view_sees_what_another_process_removed(
    index: SqliteIndex, other: SqliteIndex
) -> None:
    write(index, TALK, SAID)
    write(index, NOTE, "# Key\n\nIn the box.\n")
    index.view()

    write(other, TALK, "")

    assert ids(index) == ["vault:key"]
    assert standing(index, index.view(), "river") == set()


def test_a_view_sees_that_everything_was_made_anew(
    index: SqliteIndex, other: SqliteIndex
) -> None:
    write(index, NOTE, "# Key\n\nIn the box.\n")
    index.view()
    with other.changing():
        other.clear()
    write(other, OTHER, "## — | user | turn:1 | speaker:Sam\nSoup.\n")

    view = index.view()

    assert ids(index) == ["turn:food/1/user/0"]
    assert view.speaker[0] == view.named["speaker"]["Sam"]
    assert standing(index, view, "box") == set()


def test_a_view_sees_what_another_process_posted(
    index: SqliteIndex, other: SqliteIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_index, "ENOUGH", 3)
    write(index, TALK, SAID.partition("## —")[0])
    index.view()

    write(other, TALK, SAID)
    write(other, NOTE, "# Key\n\nBy the river.\n")

    rivers = standing(index, index.view(), "river")
    assert rivers == standing(other, other.view(), "river")
    assert len(rivers) == 3


def test_what_another_process_posts_after_a_view_was_taken_is_not_in_it(
    index: SqliteIndex, other: SqliteIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_index, "ENOUGH", 1)
    write(index, "memory/vault/a.md", "# A\n\nTea.\n")
    view = index.view()

    write(other, "memory/vault/b.md", "# B\n\nTea and cake.\n")

    assert standing(index, view, "tea") == {(("vault:a", "memory/vault/a.md"), 0, 1, 0)}
    assert standing(index, view, "cake") == set()
    assert len(standing(index, index.view(), "tea")) == 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("speaker:Alex | scope", "scope"),
        (" | scope:alex", ""),
        ("14:32:00", "14:33:00"),
    ],
)
def test_a_turn_whose_heading_alone_was_changed_is_shown_as_it_is_now(
    index: SqliteIndex, old: str, new: str
) -> None:
    write(index, TALK, SAID)
    before = memories(index, index.view())
    assert old in SAID

    write(index, TALK, SAID.replace(old, new))

    assert memories(index, index.view()) == memories(index, anew(index)) != before


def test_what_stayed_as_it_was_keeps_its_number_and_vectors(index: SqliteIndex) -> None:
    write(index, TALK, SAID)
    first = index.number_of("turn:trip/1/user/0")
    put(index, index.view("m"), 0)

    write(index, TALK, f"A note of mine.\n\n{SAID}".replace("rivers", "lakes"))

    assert index.number_of("turn:trip/1/user/0") == first
    assert list(index.view("m").embedded) == [True, False, False]
    found = index.find("turn:trip/1/user/0")
    assert found is not None
    assert found.line == 5


def test_a_long_memory_has_its_passages_side_by_side(index: SqliteIndex) -> None:
    long = " ".join(f"Sentence number {n} tells of tea." for n in range(60))
    write(index, "memory/vault/a.md", "# Short\n\nShort.\n")
    write(index, "memory/vault/b.md", f"# Sentence\n\n{long}\n")
    write(index, "memory/vault/c.md", "# Tea\n\nTea.\n")
    view = index.view()

    assert list(view.first) == [0, 1, 1 + view.count[1]]
    assert view.count[1] > 3
    assert sum(stated for _, _, stated, _ in standing(index, view, "tea")) == 61
    assert list(view.owner) == [0, *[1] * int(view.count[1]), 2]


def unit(*numbers: float) -> Floats:
    row = np.array(numbers, np.float32)
    return row / np.linalg.norm(row)


def put(index: SqliteIndex, view: View, item: int, model: str = "m") -> Floats:
    """Give an item vectors that tell which it is."""
    from reverie.index.vectors import packed  # noqa: PLC0415 - beside its only use

    count = int(view.count[item])
    number = int(view.number[item])
    rows = np.array([unit(1, number, part) for part in range(count)])
    with index.changing():
        index.put_vectors(model, {number: packed(rows)})
    return rows


def test_vectors_are_shown_for_those_that_have_some(index: SqliteIndex) -> None:
    write(index, TALK, SAID)
    rows = put(index, index.view("m"), 0)

    view = index.view("m")

    assert list(view.embedded) == [True, False, False]
    assert view.cloud.vectors[0] / 127 == pytest.approx(rows[0], abs=0.01)
    assert not view.cloud.vectors[1:].any()
    assert view.cloud.filled == 1


def test_vectors_of_another_model_are_not_shown(index: SqliteIndex) -> None:
    write(index, TALK, SAID)
    put(index, index.view("m"), 0)

    assert not index.view("other").embedded.any()
    assert index.view("m").embedded.any()


def test_vectors_that_another_process_added_are_seen(
    index: SqliteIndex, other: SqliteIndex
) -> None:
    write(index, TALK, SAID)
    put(index, index.view("m"), 0)
    index.view("m")

    put(other, other.view("m"), 1)
    write(other, NOTE, "# Box\n\nBox.\n")
    put(other, other.view("m"), 3)

    view = index.view("m")
    fresh = anew(index, "m")
    assert list(view.embedded) == [True, True, False, True]
    assert (view.cloud.vectors == fresh.cloud.vectors).all()


def test_vectors_of_a_memory_that_is_gone_are_gone(index: SqliteIndex) -> None:
    write(index, TALK, SAID)
    write(index, NOTE, "# Box\n\nBox.\n")
    for item in range(4):
        put(index, index.view("m"), item)
    index.view("m")

    write(index, TALK, "")

    view = index.view("m")
    assert list(view.embedded) == [True]
    assert view.cloud.vectors.shape[0] == 1
    assert index._rows("SELECT count(*) FROM vectors") == [(1,)]  # noqa: SLF001 - tests look behind the door


def test_a_memory_that_was_rewritten_waits_for_new_vectors(index: SqliteIndex) -> None:
    write(index, NOTE, "# Box\n\nBox.\n")
    put(index, index.view("m"), 0)

    write(index, NOTE, "# Bag\n\nBag.\n")

    assert not index.view("m").embedded.any()
    number = int(index.view("m").number[0])
    ((texts, question),) = index._to_embed([number]).values()  # noqa: SLF001 - tests look behind the door
    assert (len(texts), "Bag." in texts[0], question) == (1, True, 0)


def test_a_number_names_an_item_or_none(index: SqliteIndex) -> None:
    write(index, TALK, SAID)
    view = index.view()

    assert [view.item(int(number)) for number in view.number] == [0, 1, 2]
    assert [view.item(number) for number in (-1, 0, 10**9)] == [-1, -1, -1]
    assert index.number_of("turn:trip/1/user/0") == view.number[0]
    assert index.number_of("vault:none") == 0


talks = st.dictionaries(
    st.tuples(st.integers(1, 6), st.sampled_from(["system", "user", "assistant"])),
    st.sampled_from(["Tea.", "Tea?", "I like rivers.", "No."]),
    max_size=8,
)


@given(
    st.lists(
        st.tuples(st.sampled_from([TALK, OTHER]), talks, st.booleans()),
        min_size=1,
        max_size=8,
    )
)
def test_a_view_that_keeps_up_is_like_a_new_one(
    changes: list[tuple[str, dict[tuple[int, str], str], bool]],
) -> None:
    with quick_folder() as folder:
        check_keeping_up(SqliteIndex(folder / "index.db"), changes)


def check_keeping_up(
    index: SqliteIndex, changes: list[tuple[str, dict[tuple[int, str], str], bool]]
) -> None:
    for path, said, embedded in changes:
        turns = (f"## — | {r} | turn:{n}\n{text}\n" for (n, r), text in said.items())
        write(index, path, "\n".join(turns))
        for item in np.flatnonzero(~index.view("m").embedded) if embedded else ():
            put(index, index.view("m"), int(item))
        kept, fresh = index.view("m"), anew(index, "m")
        assert list(kept.number) == list(fresh.number)
        assert memories(index, kept) == memories(index, fresh)
        assert company(index, kept) == company(index, fresh)
        words = ["tea", "river"]
        assert all_standing(index, kept, words) == all_standing(index, fresh, words)
        assert list(kept.embedded) == list(fresh.embedded)
        if fresh.embedded.any():
            assert (kept.cloud.vectors == fresh.cloud.vectors).all()
            assert (kept.cloud.signs == fresh.cloud.signs).all()
    index.close()


def test_an_answer_whose_question_went_or_came_again_waits_for_new_vectors(
    index: SqliteIndex,
) -> None:
    write(index, TALK, SAID)
    for item in range(3):
        put(index, index.view("m"), item)
    answer = SAID[SAID.index("## — ") :]

    write(index, TALK, answer)
    alone = list(index.view("m").embedded)
    put(index, index.view("m"), 0)
    write(index, TALK, SAID)

    assert alone == [False, True]
    assert list(index.view("m").embedded) == [False, True, False]


def test_a_view_that_is_far_behind_begins_anew(
    index: SqliteIndex, other: SqliteIndex
) -> None:
    write(index, NOTE, "# Key\n\nIn the box.\n")
    write(index, TALK, SAID)
    index.view()
    write(other, TALK, "")

    with other.changing():
        # More than it is noted of what went away.
        rows = [(1,)] * 5000
        other._db.executemany("INSERT INTO removed (item) VALUES (?)", rows)  # noqa: SLF001 - tests look behind the door
    write(other, OTHER, "## — | user | turn:1\nSoup.\n")

    assert other._rows("SELECT count(*) FROM removed") == [(4096,)]  # noqa: SLF001 - tests look behind the door
    assert memories(index, index.view()) == memories(index, anew(index))


def test_what_is_collected_is_asked_for_once_and_goes_with_its_memories(
    index: SqliteIndex,
) -> None:
    asked: list[int] = []

    def all_after(since: int) -> list[int]:
        asked.append(since)
        query = "SELECT number FROM items WHERE number > ?"
        return [number for (number,) in index._rows(query, since)]  # noqa: SLF001 - tests look behind the door

    write(index, TALK, SAID)
    view = index.view()
    first = [list(view.collected("all", all_after)) for _ in range(2)]
    newest = int(view.number[-1])
    write(index, NOTE, "# Key\n\nIn the box.\n")
    # Of what came after a view, nothing is in it.
    unseen = list(view.collected("all", all_after))
    then = list(index.view().collected("all", all_after))
    write(index, TALK, "")

    assert first == [[0, 1, 2], [0, 1, 2]]
    assert (unseen, then) == ([0, 1, 2], [0, 1, 2, 3])
    assert list(index.view().collected("all", all_after)) == [0]
    assert asked == [0, newest]


def test_what_is_collected_is_known_to_go_also_where_it_came_last(
    index: SqliteIndex,
) -> None:
    def all_after(since: int) -> list[int]:
        query = "SELECT number FROM items WHERE number > ?"
        return [number for (number,) in index._rows(query, since)]  # noqa: SLF001 - tests look behind the door

    write(index, NOTE, "# Key\n\nIn the box.\n")
    write(index, TALK, SAID)
    before = list(index.view().collected("all", all_after))
    write(index, TALK, "")
    gone = list(index.view().collected("all", all_after))
    write(index, TALK, SAID)

    assert (before, gone) == ([0, 1, 2, 3], [0])
    assert list(index.view().collected("all", all_after)) == [0, 1, 2, 3]


def test_no_number_and_no_state_of_names_comes_twice_though_all_is_forgotten(
    index: SqliteIndex,
) -> None:
    page, states, numbers = "memory/graph/entities/person--ana.md", [], []
    for name in ("Ana", "Anna", "Ana"):
        write(index, page, f"# {name}\n")
        states.append(index.names_state())
        numbers.append(int(index.view().number[0]))
        with index.changing():
            index.clear()

    assert len({*states}) == len({*numbers}) == 3


def test_what_was_made_of_what_is_forgotten_is_let_go_of(index: SqliteIndex) -> None:
    write(index, NOTE, "# Key\n\nIn the box.\n")
    view = index.view()
    view.while_same("words", 1, lambda: ["box"])
    with index.changing():
        index.clear()

    assert index.view() is view
    assert view.while_same("words", 1, lambda: ["none"]) == ["none"]


def test_a_view_whose_loading_was_cut_short_begins_anew(
    index: SqliteIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(index, NOTE, "# Key\n\nIn the box.\n")
    write(index, TALK, SAID)
    view = index.view()
    write(index, TALK, "")
    write(index, OTHER, "## — | user | turn:1\nSoup.\n")
    with monkeypatch.context() as broken:
        broken.setattr(type(view), "_append", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            index.view()

    assert memories(index, index.view()) == memories(index, anew(index))


def test_names_are_told_to_be_others_after_each_change_of_them_alone(
    index: SqliteIndex,
) -> None:
    page = "memory/graph/entities/person--ana.md"
    states = [index.names_state()]
    for text in ("# Ana\n", "# Anna\n", ""):
        write(index, page, text)
        states.append(index.names_state())
    write(index, page, "# Ana\n")
    named = index.names_state()
    write(index, page, "# Ana\n\n## Facts\n- Likes tea.\n")
    write(index, NOTE, "# Key\n\nIn the box.\n")

    assert len({*states[:3]}) == 3
    assert states[3] != states[2]
    assert index.names_state() == named
