"""What was seen too seldom, and is counted together with what comes later."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reflection.rules.labels import (
    Told,
    diary_of,
    knowledge_of,
    of_kind,
    page,
    survey_of,
)

from reverie.model.reflection import OperationKind
from reverie.reflection.rules import Found, reflect_by_rules
from reverie.reflection.rules.candidates import (
    DO,
    MOST,
    OLDEST,
    WITH,
    Candidates,
    Seen,
    carried,
    kept,
)

MARTEN, LEDGER = "person--marten", "project--ledger"
PAGES = {MARTEN: page(MARTEN), LEDGER: page(LEDGER)}
TODAY = date(2026, 2, 20)


def found(*told: Told, before: Candidates | None = None) -> Found:
    """What one reflection finds after others."""
    diary = diary_of(*told, pages=PAGES)
    known = replace(knowledge_of(diary), candidates=before or {})
    return reflect_by_rules(survey_of(diary), known)


def one_by_one(*told: Told) -> Found:
    """What the last of some reflections finds, one for each episode."""
    last = Found()
    for one in told:
        stored = json.loads(json.dumps(dict(last.candidates)))
        last = found(one, before=stored)
    return last


FIGURES = [
    Told(day, "09:00", "Sent the weekly figures to Marten.", "agent")
    for day in (6, 13, 20)
]
SEEN = [Told(day, "09:00", "Marten tested the Ledger.", "agent") for day in (2, 4, 6)]


def test_what_is_done_once_a_week_is_noticed_in_the_third() -> None:
    first = one_by_one(*FIGURES[:2])
    last = one_by_one(*FIGURES)
    (one,) = of_kind(last, OperationKind.PATTERN)

    assert of_kind(first, OperationKind.PATTERN) == []
    assert one.reason == "done on 2026-02-06, 2026-02-13, 2026-02-20"
    assert one.content.startswith("Trigger: When it is Friday.\n")


def test_what_became_a_pattern_is_no_candidate_any_more() -> None:
    assert [key[: len(DO)] for key in one_by_one(*FIGURES[:2]).candidates] == [DO]
    assert one_by_one(*FIGURES).candidates == {}


def test_a_candidate_is_told_in_the_words_of_its_fullest_telling() -> None:
    told = (
        Told(6, "09:00", "Sent the weekly figures to Marten.", "agent"),
        Told(13, "09:00", "We sent the weekly figures to Marten again.", "agent"),
    )
    ((words, days),) = one_by_one(*told).candidates.values()

    assert words == "We sent the weekly figures to Marten again."
    assert days == ("2026-02-06", "2026-02-13")


def test_what_is_told_a_little_otherwise_counts_together() -> None:
    last = one_by_one(
        Told(2, "09:00", "Ran the tests before deploying the ledger.", "agent"),
        Told(4, "09:00", "Ran the full tests before deploying.", "agent"),
        Told(6, "09:00", "We ran the tests again before deploying.", "agent"),
    )

    assert len(of_kind(last, OperationKind.PATTERN)) == 1


def test_the_same_day_read_twice_is_one_day() -> None:
    again = one_by_one(FIGURES[0], FIGURES[0], FIGURES[0])
    together = one_by_one(SEEN[0], SEEN[0], SEEN[1])

    assert of_kind(again, OperationKind.PATTERN) == []
    assert of_kind(together, OperationKind.CONNECT) == []


def test_what_is_spoken_of_together_now_and_then_relates_in_the_end() -> None:
    first, last = one_by_one(*SEEN[:2]), one_by_one(*SEEN)
    (one,) = of_kind(last, OperationKind.CONNECT)

    key = f"{WITH}{MARTEN} {LEDGER}"
    assert first.candidates[key] == ("Marten and Ledger", ("2026-02-02", "2026-02-04"))
    assert one.content == f"{MARTEN} → relates-to → {LEDGER}"
    assert one.reason.endswith("on 3 days: 2026-02-02, 2026-02-04, 2026-02-06")
    assert key not in last.candidates


def test_two_episodes_on_one_day_count_as_two_later() -> None:
    twice = found(SEEN[0], replace(SEEN[0], clock="10:00"))
    last = found(SEEN[1], before=twice.candidates)

    assert len(of_kind(last, OperationKind.CONNECT)) == 1


def test_what_has_no_page_any_more_is_no_candidate() -> None:
    gone = {f"{WITH}person--nobody {LEDGER}": ("x", ("2026-02-02",))}

    assert found(before=gone).candidates == {}


@pytest.mark.parametrize("origin", ["tool", "import", "sub-agent"])
def test_strangers_leave_no_candidates(origin: str) -> None:
    told = [replace(one, origin=origin) for one in (FIGURES[0], SEEN[0])]

    assert found(*told).candidates == {}


def test_what_is_too_old_is_dropped() -> None:
    old = (TODAY - timedelta(days=OLDEST + 1)).isoformat()
    new = (TODAY - timedelta(days=OLDEST)).isoformat()
    before = {"do:a": ("Ran it.", (old,)), "do:b": ("Ran it.", (old, new))}

    assert carried(before, DO, TODAY) == {
        "do:b": ("Ran it.", (date.fromisoformat(new),))
    }


def test_the_newest_are_kept_and_what_was_seen_twice_before_them() -> None:
    seen: Seen = {
        f"do:{n}": ("Ran it.", (TODAY - timedelta(days=n % 50),)) for n in range(300)
    }
    seen["do:twice"] = ("Ran it.", (TODAY - timedelta(58), TODAY - timedelta(59)))
    left = kept(seen, TODAY)

    assert len(left) == MOST
    assert next(iter(left)) == "do:twice"
    assert "do:49" not in left
    assert "do:0" in left


@pytest.mark.parametrize(
    "name",
    ["../../secret--x", "person--a/../b", "person--a", "person--a b--b c--d"],
)
def test_names_from_the_file_are_names_and_no_paths(name: str) -> None:
    asked: list[str] = []

    def look(name: str) -> str:
        asked.append(name)
        return ""

    diary = diary_of()
    before = {f"{WITH}{name} {LEDGER}": ("x", ("2026-02-01",))}
    known = replace(knowledge_of(diary), candidates=before, page=look)
    reflect_by_rules(survey_of(diary), known)

    assert not any("/" in name or " " in name for name in asked)


junk = st.recursive(
    st.none() | st.integers() | st.text(max_size=20) | st.just("2026-02-03"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
keys = st.sampled_from([f"{DO}run test", f"{WITH}{MARTEN} {LEDGER}"]) | st.text()


@given(st.dictionaries(keys, junk | st.tuples(st.text(), st.lists(junk)), max_size=4))
def test_whatever_stands_in_the_file_is_read_or_left_out(
    stored: dict[str, object],
) -> None:
    last = found(FIGURES[0], before=stored)  # type: ignore[arg-type]

    for words, days in last.candidates.values():
        assert isinstance(words, str)
        assert all(date.fromisoformat(day) for day in days)
