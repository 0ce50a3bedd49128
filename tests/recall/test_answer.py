"""Hits: where they stand, what they are made of, what they bring along."""

from __future__ import annotations

import tempfile
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.memory.conftest import MEMORY_DISK
from tests.memory.home import NOON, Home
from tests.recall.scenes import fading, hit_of, ids, small_talk, talk, texts
from tests.strategies import NASTY

from reverie import Episodic, Reach, Semantic, Store
from reverie.model.ids import page_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie import Hit

WOMBAT = "The wombat sleeps in the kitchen."
EPISODE = "episode:2026-02-02:12:00"


@pytest.fixture
def furnished(home: Home) -> Home:
    """A workspace with one memory in every store, and a conversation."""
    home.furnish()
    home.memory.take_in([talk("one", "I feed the wombat.", "What does it eat?")])
    home.clock.forward(hours=3)
    return home


EVERYTHING = [
    ("hybrid approach", EPISODE, "## 12:00 | event"),
    ("Berlin", "entity:person--alex#be52f8", "- Lives in Berlin"),
    ("run the tests", "procedure:how-to-deploy", "# how-to-deploy.md"),
    ("passport box", "vault:passport", "# Passport"),
    ("working on the ledger", "core:context/working-on", "- Working on: the ledger"),
    ("feed wombat", "turn:test-one/1/user/0", "## 2026-02-02 12:00:00 | user"),
]


# --- where a hit stands ------------------------------------------------------


def test_a_hit_says_in_which_line_of_which_file_it_begins(furnished: Home) -> None:
    for question, id_, begins in EVERYTHING:
        hit = furnished.memory.recall(question).hits[0]

        lines = furnished.text(hit.path).split("\n")
        assert (hit.id, hit.store) == (id_, furnished.memory.show(id_).store)
        assert lines[hit.line - 1].startswith(begins)


@pytest.mark.parametrize(("question", "begins"), [(q, b) for q, _, b in EVERYTHING[:1]])
def test_the_line_is_right_after_somebody_typed_above_it(
    furnished: Home, question: str, begins: str
) -> None:
    path = furnished.memory.recall(question).hits[0].path
    title, _, rest = furnished.text(path).partition("\n")
    furnished.type(path, f"{title}\n\nTyped by hand.\n{rest}")
    furnished.memory.check()

    hit = furnished.memory.recall(question).hits[0]

    assert furnished.text(path).split("\n")[hit.line - 1].startswith(begins)


def test_a_hit_names_the_change_that_last_touched_its_file(furnished: Home) -> None:
    for question in [question for question, _, _ in EVERYTHING]:
        hit = furnished.memory.recall(question).hits[0]

        assert (
            hit.commit == furnished.git("log", "-1", "--format=%H", "--", hit.path)[:-1]
        )


def test_the_parts_of_a_score_add_up_to_it(furnished: Home) -> None:
    for question in [question for question, _, _ in EVERYTHING]:
        for hit in furnished.memory.recall(question, least=0.01).hits:
            parts = sum(part.value for part in hit.parts if not part.factor)
            assert parts == pytest.approx(hit.score / fading(hit), abs=1e-3)


def test_every_hit_tells_why(furnished: Home) -> None:
    for question in [question for question, _, _ in EVERYTHING]:
        hits = furnished.memory.recall(question).hits

        assert hits
        assert all(hit.why for hit in hits)


def test_a_hit_tells_when_it_happened(home: Home) -> None:
    at = NOON - timedelta(days=3)
    home.memory.remember(WOMBAT, Episodic(at=at))

    assert home.memory.recall("wombat").hits[0].at == at


# --- how much it has faded ---------------------------------------------------


@pytest.mark.parametrize(
    ("days", "status", "seen"),
    [
        (30, "fading", set(Reach)),
        (60, "dormant", {Reach.EXPLICIT, Reach.EVERYTHING}),
        (120, "archived", {Reach.EXPLICIT, Reach.EVERYTHING}),
    ],
)
def test_who_asks_deeper_sees_what_has_faded_more(
    home: Home, days: int, status: str, seen: set[Reach]
) -> None:
    home.memory.remember(WOMBAT, Episodic())
    home.clock.forward(days=days)

    now = home.clock()
    found = {r: home.memory.recall("wombat", now=now, reach=r) for r in Reach}

    assert {reach for reach, one in found.items() if one.hits} == seen
    assert {hit.status for one in found.values() for hit in one.hits} == {status}


def test_what_is_not_shown_is_counted(home: Home) -> None:
    home.memory.remember(WOMBAT, Episodic())
    home.clock.forward(days=60)
    home.memory.remember("The wombat left the kitchen.", Episodic())
    home.clock.forward(days=60)

    shy = home.memory.recall("wombat kitchen", reach=Reach.AUTOMATIC)
    bold = home.memory.recall("wombat kitchen")
    all_ = home.memory.recall("wombat kitchen", reach=Reach.EVERYTHING)

    assert (len(shy.hits), shy.dormant, shy.archived) == (0, 1, 1)
    assert (len(bold.hits), bold.dormant, bold.archived) == (1, 0, 1)
    assert (len(all_.hits), all_.dormant, all_.archived) == (2, 0, 0)


def test_fading_is_counted_for_the_moment_that_is_asked_for(home: Home) -> None:
    home.memory.remember(WOMBAT, Episodic())

    later = home.memory.recall("wombat", now=NOON + timedelta(days=30))

    assert later.hits[0].status == "fading"


def test_a_conversation_has_no_status_and_is_never_hidden(home: Home) -> None:
    home.memory.take_in([talk("one", WOMBAT, "Really?")])
    home.clock.forward(days=3_000)

    hit = home.memory.recall("wombat kitchen", reach=Reach.AUTOMATIC).hits[0]

    assert (hit.text, hit.status) == (WOMBAT, "")
    assert 0.9 <= fading(hit) < 1


def test_with_a_floor_of_zero_the_score_is_the_literal_product(home: Home) -> None:
    memory = home.reopen(REVERIE_RECALL_DECAY_FLOOR="0")
    memory.remember(WOMBAT, Episodic())
    home.clock.forward(days=20)

    (hit,) = memory.recall("wombat kitchen", now=home.clock()).hits

    match = sum(part.value for part in hit.parts if not part.factor)
    vivid = memory.show(EPISODE).score
    assert hit.score == pytest.approx(match * vivid, abs=1e-3)
    assert fading(hit) == pytest.approx(vivid, abs=1e-3)


def test_the_floor_is_what_is_left_of_a_match_that_faded(home: Home) -> None:
    memory = home.reopen(REVERIE_RECALL_DECAY_FLOOR="0.7")
    memory.remember(WOMBAT, Episodic())
    home.clock.forward(days=3_000)

    (hit,) = memory.recall("wombat kitchen", reach=Reach.EVERYTHING).hits

    assert fading(hit) == pytest.approx(0.7, abs=1e-3)


@pytest.mark.parametrize(
    "question",
    [
        "wifi password office",
        "Do you know the current wifi password of the office?",
    ],
)
def test_a_strong_match_on_a_fading_memory_beats_a_weak_one_on_a_fresh_one(
    home: Home, question: str
) -> None:
    home.memory.remember("The wifi password of the office is new.", Episodic())
    home.clock.forward(days=40)
    for what in ("party was long and loud", "chair is broken", "plants are dry"):
        home.memory.remember(f"The office {what}.", Episodic())

    found = home.memory.recall(question, least=0)

    assert [hit.status for hit in found.hits][:2] == ["fading", "active"]
    assert found.sure


def test_a_clock_that_was_set_back_harms_nothing(home: Home) -> None:
    home.memory.take_in([small_talk()])
    home.memory.remember(WOMBAT, Episodic())
    home.clock.forward(days=-4_000)

    for question in ("wombat", "What's the latest on the wombat?"):
        hit, *_ = home.memory.recall(question).hits
        assert hit.status == "active"
        assert 0 < hit.score <= 1


# --- what no longer holds ----------------------------------------------------


def test_an_old_fact_finds_what_took_its_place_and_is_told_as_past(home: Home) -> None:
    memory = home.memory
    memory.remember("Lives in Berlin", Semantic("Alex", "person"))
    moved = Semantic("Alex", "person", supersedes="Lives in Berlin")
    memory.remember("Lives in Lisbon", moved)

    (hit,) = memory.recall("Berlin").hits

    assert page_of(hit.id) == "entity:person--alex"
    assert hit.text == "Lives in Lisbon"
    assert hit.outdated == ("Lives in Berlin",)


# --- what comes along --------------------------------------------------------


def test_memories_that_say_the_same_are_one_hit(home: Home) -> None:
    for days in (1, 2, 3):
        at = NOON - timedelta(days=days)
        home.memory.remember("The heron ate a frog!", Episodic(at=at))

    found = home.memory.recall("heron frog")

    assert ids(found) == ["episode:2026-02-01:12:00"]
    assert {*found.hits[0].same} == {
        "episode:2026-01-31:12:00",
        "episode:2026-01-30:12:00",
    }


def test_a_turn_brings_its_pair_and_its_neighbours(home: Home) -> None:
    said = ("It rains.", "Take care.", "The gnu is ill.", "Call a vet.", "Done.", "Ok.")
    home.memory.take_in([talk("one", *said)])

    hit = hit_of(home.memory.recall("gnu ill", least=0), "turn:test-one/2/user/0")

    beside = {b.relation: (b.id, b.text) for b in hit.beside}
    assert beside == {
        "before": ("turn:test-one/1/assistant/0", "Take care."),
        "pair": ("turn:test-one/2/assistant/0", "Call a vet."),
    }


FILLING = " ".join(f"Sentence {n} tells nothing of any use today." for n in range(40))
SECRET = "The platypus lives in the bathtub upstairs."  # noqa: S105 - no secret


def test_the_id_of_a_long_turn_names_the_passage_that_fits(home: Home) -> None:
    home.memory.take_in([talk("one", f"{FILLING} {SECRET} {FILLING}", "Well, well.")])

    found = home.memory.recall("platypus bathtub")

    hit = next(hit for hit in found.hits if hit.speaker == "Ann")
    whole, _, passage = hit.id.rpartition("/")
    assert whole == "turn:test-one/1/user"
    assert int(passage) > 0
    assert SECRET in hit.passage
    assert len(hit.passage) < len(hit.text) / 3
    assert home.memory.show(hit.id).text == hit.text


# --- a workspace that knows little -------------------------------------------


def test_the_only_memory_there_is_is_found(home: Home) -> None:
    home.memory.remember("My dog is called Rex.", Episodic())

    for question in (
        "What is my dog's name?",
        "What do you know about my dog?",
        "What's the latest on Rex?",
    ):
        assert texts(home.memory.recall(question)) == ["My dog is called Rex."]


# --- how many ----------------------------------------------------------------


@pytest.fixture
def walking(home: Home) -> Home:
    """Thirty walks."""
    for number in range(30):
        at = NOON - timedelta(minutes=number)
        home.memory.remember(f"Walked the dog in park {number}.", Episodic(at=at))
    return home


def test_no_more_than_twenty_are_shown_unless_asked(walking: Home) -> None:
    assert len(walking.memory.recall("dog park").hits) == 20
    assert len(walking.memory.recall("dog park", limit=3).hits) == 3
    assert len(walking.memory.recall("dog park", limit=100).hits) == 30


def test_the_limits_of_the_configuration_hold(walking: Home) -> None:
    memory = walking.reopen(
        REVERIE_RECALL_MAX_RESULTS="5", REVERIE_RECALL_MIN_SCORE="0.99"
    )

    assert len(memory.recall("dog park", least=0, now=walking.clock()).hits) == 5
    weak = memory.recall("dog park")
    assert 0 < len(weak.hits) <= 5
    assert not weak.sure


# --- any question ------------------------------------------------------------


@pytest.fixture(scope="module")
def known() -> Iterator[Home]:
    """A workspace for all questions."""
    disk = MEMORY_DISK if MEMORY_DISK.is_dir() else None
    with tempfile.TemporaryDirectory(dir=disk, prefix="reverie-") as folder:
        home = Home(Path(folder) / "agent")
        home.furnish()
        home.memory.take_in([talk("one", "I feed the wombat.", "What does it eat?")])
        links = (("Knows", "person--alex"),)
        home.memory.remember("Feeds wombats", Semantic("Kim", "person", links=links))
        home.clock.forward(days=9)
        home.memory.remember(WOMBAT, Episodic())
        yield home
        home.memory.close()


WORDS = (
    *("wombat", "hybrid", "Berlin", "Alex", "Alxe", "Kim's", "Ann", "deploy", "the"),
    *("what", "is", "when", "how", "now", "latest", "last week", "in May 2023", "?"),
    *("AND", "NEAR/3", "bar*", '"', "'", "(", "-baz", ";--", "\0", "%", "_", "\\"),
)
questions = (
    st.text(max_size=60)
    | st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)
    | st.lists(st.sampled_from(NASTY), max_size=3).map("\n".join)
).filter(str.strip)


@settings(deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(question=questions)
def test_any_question_is_answered_in_order_and_the_same_again(
    known: Home, question: str
) -> None:
    now = known.clock()
    found = known.memory.recall(question, least=0.05, now=now)
    again = known.memory.recall(question, least=0.05, now=now)

    assert found == again
    assert all(_well_made(hit) for hit in found.hits)
    # What merely asks may fit better than all that tells something.
    scores = [hit.score for hit in found.hits if not hit.text.endswith("?")]
    assert scores == sorted(scores, reverse=True)


def _well_made(hit: Hit) -> bool:
    return 0 <= hit.score <= 1 and hit.store in Store and bool(hit.path and hit.text)
