"""How near the rules come to a careful person, and within which bounds they stay."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.growth import keeps_pace, stays_linear
from tests.reflection.rules.afterwards import AFTERWARDS
from tests.reflection.rules.alternate_days import ALTERNATE_DAYS
from tests.reflection.rules.cycles import reflected, together
from tests.reflection.rules.diary import DIARY
from tests.reflection.rules.held_back import HELD_BACK
from tests.reflection.rules.labels import (
    Told,
    diary_of,
    found_in,
    knowledge_of,
    page,
    survey_of,
)
from tests.reflection.rules.measuring import measure, report
from tests.strategies import texts

from reverie.model.origin import Origin
from reverie.model.reflection import Operation, OperationKind
from reverie.reflection.operations.confining import confine
from reverie.reflection.operations.gates import why_refused
from reverie.reflection.rules import Found, reflect_by_rules
from reverie.reflection.rules.flagging import asks
from reverie.reflection.rules.reflecting import MOST, ROOM

if TYPE_CHECKING:
    from tests.reflection.rules.labels import Diary

    from reverie.model.reflection import Noticed

FLOORS = {
    # of each kind the precision and the recall that were really reached
    "tuned on": (DIARY, (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0)),
    "held back": (HELD_BACK, (1.0, 0.9), (0.8, 1.0), (1.0, 1.0), (1.0, 1.0)),
    "afterwards": (AFTERWARDS, (0.93, 1.0), (1.0, 0.5), (1.0, 1.0), (1.0, 1.0)),
}
KINDS = (
    OperationKind.EXTRACT,
    OperationKind.CONNECT,
    OperationKind.FLAG,
    OperationKind.PATTERN,
)


@pytest.mark.parametrize("name", FLOORS)
def test_the_rules_propose_what_a_careful_person_would(name: str) -> None:
    diary, *floors = FLOORS[name]
    found = reflect_by_rules(survey_of(diary), knowledge_of(diary))
    results = measure(diary, found)
    print(report(name, results))  # noqa: T201 - the figures are for whoever looks

    for kind, (precision, recall) in zip(KINDS, floors, strict=True):
        assert results[kind].precision >= precision, results[kind].wrong
        assert results[kind].recall >= recall, results[kind].missed


def test_what_a_reflection_every_other_day_proposes_adds_up() -> None:
    found = together(reflected(ALTERNATE_DAYS))
    results = measure(ALTERNATE_DAYS, found)
    print(report("alternate", results))  # noqa: T201 - as above

    for kind, floor in zip(KINDS, (0.92, 1.0, 1.0, 1.0), strict=True):
        assert results[kind].precision >= floor, results[kind].wrong
        assert results[kind].recall == 1.0, results[kind].missed


def test_the_same_question_is_never_asked_twice() -> None:
    asked = [
        one.content.rpartition("- ")[2]
        for one in together(reflected(ALTERNATE_DAYS)).operations
        if asks(one)
    ]

    assert len(asked) == len(set(asked))


@pytest.mark.parametrize("diary", [DIARY, HELD_BACK, AFTERWARDS])
def test_what_fades_is_proposed_to_go_and_nothing_else(diary: Diary) -> None:
    found = reflect_by_rules(survey_of(diary), knowledge_of(diary))
    gone = {one.target for one in found.operations if one.kind is OperationKind.ARCHIVE}

    assert gone == diary.archived


def test_the_diaries_are_long_enough_to_mean_something() -> None:
    assert len(DIARY.told) >= 60
    assert len(HELD_BACK.told) >= 30
    assert len(AFTERWARDS.told) >= 30
    assert len(ALTERNATE_DAYS.told) >= 30
    assert len({one.day for one in ALTERNATE_DAYS.told}) >= 12
    assert DIARY.told[-1].day - DIARY.told[0].day >= 20


def test_a_doubt_on_a_page_is_asked_about() -> None:
    found = reflect_by_rules(survey_of(DIARY), knowledge_of(DIARY))

    for words in DIARY.doubts:
        assert any(all(word in asked for word in words) for asked in found.questions)


# --- bounds ------------------------------------------------------------------


def _many(count: int) -> tuple[Noticed, ...]:
    """So many episodes, no two alike."""
    known = (*survey_of(DIARY).episodes, *survey_of(HELD_BACK).episodes)
    made = []
    for number in range(count):
        one = known[number % len(known)]
        assert one.at is not None
        at = one.at.replace(day=1) + timedelta(hours=number)
        text = f"{one.text} The crate {number} of Hedda{number % 97} weighs 3 kg."
        id_ = f"episode:{at:%Y-%m-%d:%H:%M}"
        made.append(replace(one, id=id_, at=at, text=text))
    return tuple(made)


@pytest.mark.timing
def test_four_times_the_episodes_take_about_four_times_as_long() -> None:
    few, many = (
        replace(survey_of(DIARY), episodes=_many(count)) for count in (50, 200)
    )
    known = knowledge_of(DIARY)

    assert keeps_pace(
        lambda: reflect_by_rules(few, known), lambda: reflect_by_rules(many, known)
    )


def _library(count: int) -> dict[str, str]:
    """So many pages, each of which says a few things in two ways."""
    facts = [f"Has {n} crates and lives in Leeds." for n in range(6)]
    return {f"person--a{n}": page(f"person--a{n}", *facts) for n in range(count)}


@pytest.mark.timing
def test_four_times_the_pages_take_about_four_times_as_long() -> None:
    few, many = (survey_of(diary_of(pages=_library(n))) for n in (6, 24))
    known = knowledge_of(diary_of())

    assert keeps_pace(
        lambda: reflect_by_rules(few, known), lambda: reflect_by_rules(many, known)
    )


@pytest.mark.timing
@pytest.mark.parametrize(
    "piece", ["Nora, who Nora, who ", "said they ", "from A to ", "> a\n", "`" * 4]
)
def test_four_times_the_text_takes_four_times_as_long_at_most(piece: str) -> None:
    assert stays_linear(lambda text: found_in(Told(1, "09:00", text)), piece)


def test_no_more_is_proposed_than_a_person_can_decide_on() -> None:
    told = [
        Told(1 + n % 20, "09:00", f"Anna{n} lives in Leeds. Anna{n} works at Lumen{n}.")
        for n in range(90)
    ]

    assert len(found_in(*told).operations) == MOST


def test_no_kind_crowds_out_the_others() -> None:
    people = [f"person--anna{n}" for n in range(60)]
    pages = {name: page(name, "Lives in Leeds.") for name in people}
    told = [Told(1 + n % 20, "09:00", f"Anna{n} lives in Berlin.") for n in range(60)]
    extra = Told(21, "09:00", "Nora is allergic to nuts.")
    found = found_in(*told, extra, pages=pages)
    kinds = [one.kind for one in found.operations]

    assert len(kinds) == MOST
    assert OperationKind.EXTRACT in kinds
    assert kinds.count(OperationKind.FLAG) > ROOM[OperationKind.FLAG]


def test_nothing_is_found_where_nothing_happened() -> None:
    assert found_in() == Found()


WORDS = sorted({word for one in DIARY.told for word in one.text.split()})
spoken = st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join)
origins = st.sampled_from([*Origin, "", "somebody"])
episodes = st.lists(st.tuples(texts | spoken | st.text(), origins), max_size=6)


@settings(max_examples=60)
@given(episodes)
def test_whatever_was_written_nothing_is_proposed_that_may_not_be(
    said: list[tuple[str, str]],
) -> None:
    told = [Told(n + 1, "09:00", text, by) for n, (text, by) in enumerate(said)]
    diary = diary_of(*told, pages=DIARY.pages)
    found = reflect_by_rules(survey_of(diary), knowledge_of(diary))

    for one in found.operations:
        assert isinstance(confine(one), Operation)
        assert not why_refused(one)
        assert "\n" not in one.reason
        assert (
            one.kind is OperationKind.PATTERN or "\n\n" not in one.content or asks(one)
        )
    assert json.loads(json.dumps(dict(found.candidates))).keys() == {*found.candidates}
    assert all("\n" not in text for text in (*found.questions, *found.themes))


@settings(max_examples=40)
@given(episodes)
def test_the_same_weeks_are_always_read_the_same_way(
    said: list[tuple[str, str]],
) -> None:
    told = [Told(n + 1, "09:00", text, by) for n, (text, by) in enumerate(said)]

    assert found_in(*told) == found_in(*told)
