"""Observations: single statements that a mind noted of what was said."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

import pytest
from tests.memory.home import Clock, Home

from reverie import Memory, NotFoundError, ScriptedMind
from reverie.encoding.observe import (
    BadObservationError,
    how_to_observe,
    read_observations,
)
from reverie.model.conversation import Offer, SummedUp
from reverie.model.items import Role
from reverie.model.route import Observation, Semantic

if TYPE_CHECKING:
    from pathlib import Path

MONDAY = datetime(2026, 11, 16, 10, tzinfo=UTC)
ANA = "memory/graph/entities/person--ana.md"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "agent", Clock(MONDAY))


def minded(home: Home, *answers: Any) -> Memory:  # noqa: ANN401 - as a mind answers
    mind = ScriptedMind(list(answers))
    return Memory(home.root, clock=home.clock, environ={}, mind=mind)


def noted(*observations: dict[str, object]) -> dict[str, object]:
    return {"summary": "They talked.", "observations": list(observations)}


# --- given by somebody --------------------------------------------------------------


def test_what_is_about_somebody_is_a_fact_on_their_page_with_all_that_is_known_of_it(
    home: Home,
) -> None:
    home.memory.observe(
        [
            {
                "text": "Ana started at Fjordpay as a nurse.",
                "about": "person--ana",
                "day": "2026-11-13",
                "claim": "Ben",
                "confidence": "low",
            }
        ]
    )

    (fact,) = (line for line in home.text(ANA).split("\n") if line.startswith("- Ana"))
    for field in ("on: 2026-11-13", "claim: Ben", "confidence: low"):
        assert field in fact
    (hit, *_) = home.memory.recall("Where did Ana start?").hits
    assert hit.text == "Ana started at Fjordpay as a nurse."
    assert hit.at is not None
    assert hit.at.date() == date(2026, 11, 13)


def test_what_only_happened_is_an_episode_of_the_day_it_happened(home: Home) -> None:
    done = home.memory.observe(
        [{"text": "The team chose Postgres over SQLite.", "day": "2026-11-13"}]
    )

    (id_,) = done.ids
    assert id_ == "episode:2026-11-13:12:00"
    assert "tags:[observation]" in home.text("memory/episodes/2026-11-13.md")


def test_several_are_one_change_and_what_is_known_is_not_stored_twice(
    home: Home,
) -> None:
    first = Observation("Ana sings.", about="person--ana")
    home.memory.observe([first])
    head = home.head

    done = home.memory.observe(
        [
            first,
            Observation("Ana dances.", about="person--ana"),
            Observation("It rained."),
        ]
    )

    assert done.known == ("entity:person--ana",)
    # What was said again is counted besides.
    made = [e.commit for e in home.memory.history(actor="bot:")]
    assert made[:2] == [done.commit, head]
    assert home.text(ANA).count("Ana sings.") == 1


def test_what_it_replaces_is_over(home: Home) -> None:
    home.memory.remember("Lives in Bonn.", Semantic("Ana", "person"))
    old = home.memory.recall("Bonn").hits[0].id.removeprefix("entity:")

    done = home.memory.observe(
        [{"text": "Ana lives in Rome.", "about": "person--ana", "supersedes": [old]}]
    )

    assert [gone.text for gone in done.superseded] == ["Lives in Bonn."]
    assert "~~Lives in Bonn.~~" in home.text(ANA)


def test_two_that_replace_one_fact_are_both_kept(home: Home) -> None:
    home.memory.remember("Lives in Bonn.", Semantic("Ana", "person"))
    old = home.memory.recall("Bonn").hits[0].id.removeprefix("entity:")

    done = home.memory.observe(
        [
            Observation("Ana lives in Rome.", about="person--ana", supersedes=(old,)),
            Observation("Ana lives near a park.", supersedes=(old,)),
            Observation("Ana met Ben.", supersedes=("person--nobody#123456",)),
        ]
    )

    assert [gone.text for gone in done.superseded] == ["Lives in Bonn."]
    assert "- Ana lives near a park." in home.text(ANA)
    assert len(done.refused) == 1
    assert "person--nobody" in done.refused[0]
    assert not home.memory.called("person--nobody")


def test_a_secret_is_taken_out_and_what_was_forgotten_is_left_out(home: Home) -> None:
    home.memory.remember("Ana hates peas.", Semantic("Ana", "person"))
    forgetting = home.memory.find_to_forget("Ana hates peas.")
    home.memory.forget(forgetting.matches)

    done = home.memory.observe(
        [
            Observation("Ana hates peas.", about="person--ana"),
            Observation("The wifi password is 'otter-Creek-91x'.", about="place--home"),
        ]
    )

    assert len(done.refused) == 1
    assert "forgotten" in done.refused[0]
    files = (path for path in home.root.rglob("*.md") if path.is_file())
    assert not any("otter-Creek" in path.read_text() for path in files)


@pytest.mark.parametrize(
    "told",
    [
        {"text": ""},
        {"text": "x", "day": "last Friday"},
        {"text": "x", "day": "2026-13-01"},
        {"about": "person--ana"},
        {"text": "x", "confidence": "very"},
    ],
)
def test_what_is_no_observation_is_refused_and_nothing_is_stored(
    home: Home, told: dict[str, object]
) -> None:
    head = home.head

    with pytest.raises(BadObservationError, match="observation 2"):
        home.memory.observe([{"text": "fine"}, told])

    assert home.head == head


def test_what_is_for_one_person_alone_stands_on_no_page(home: Home) -> None:
    done = home.memory.observe(
        [Observation("Ana buys a ring.", about="person--ana")], person="Sam"
    )

    assert done.ids[0].startswith("episode:")
    assert not home.memory.recall("ring", person="Kim").hits
    assert home.memory.recall("ring", person="Sam").hits


def test_who_is_asked_knows_the_day_and_the_users_page() -> None:
    text = how_to_observe("person--mara", date(2026, 11, 16))

    assert "Monday, 2026-11-16" in text
    assert "`person--mara`" in text
    assert read_observations(()) == ()


# --- of a conversation --------------------------------------------------------------


def test_a_summary_brings_observations_with_the_turns_they_come_from(
    home: Home,
) -> None:
    answer = noted(
        {
            "text": "Ana moved to Rome.",
            "about": "person--ana",
            "day": "2026-11-13",
            "turn": 2,
        }
    )
    with minded(home, answer) as memory:
        window = memory.window("trip")
        window.exchange("Hello", "Hi")
        window.exchange("Ana moved to Rome last Friday.", "Noted.")

        done = window.reflect()

    assert isinstance(done, SummedUp)
    assert done.observed is not None
    assert done.summary.text == "They talked."
    assert "from: turn:trip/2/user/0" in home.text(ANA)
    assert "on: 2026-11-13" in home.text(ANA)


def test_a_mind_is_shown_numbers_days_and_the_facts_that_were_spoken_of(
    home: Home,
) -> None:
    home.memory.remember("Ana lives in Bonn.", Semantic("Ana", "person"))
    mind = ScriptedMind([noted()])
    with Memory(home.root, clock=home.clock, environ={}, mind=mind) as memory:
        window = memory.window("trip")
        window.say("Ana moved to Rome.")
        window.reflect()

    (question,) = mind.questions
    assert "turn 1 · 2026-11-16 10:00 · user: Ana moved to Rome." in question.text
    assert "Ana lives in Bonn." in question.text
    assert "Monday, 2026-11-16" in question.text


@pytest.mark.parametrize(
    "bad", [{"turn": 9}, {"supersedes": ["person--ana#000000"]}, {"day": "Friday"}]
)
def test_an_observation_of_what_nobody_was_shown_is_asked_for_again(
    home: Home, bad: dict[str, object]
) -> None:
    with minded(home, noted({"text": "x y z", **bad}), noted()) as memory:
        window = memory.window("trip")
        window.say("Hello")

        done = window.reflect()

    assert isinstance(done, SummedUp)
    assert done.observed is None


def test_the_end_of_a_session_is_noted_once(home: Home) -> None:
    with minded(home, noted({"text": "Ana sings.", "about": "person--ana"})) as memory:
        window = memory.window("trip")
        assert window.end() is None
        window.exchange("Ana sings.", "Lovely.")

        done = window.end()

        assert isinstance(done, SummedUp)
        assert done.summary.field("reflection") == "session-end"
        assert window.end() is None
    assert "- Ana sings." in home.text(ANA)


def test_an_agent_hands_in_its_own(home: Home) -> None:
    window = home.memory.window("trip")
    window.exchange("Ana sings.", "Lovely.")
    offer = window.end()
    assert isinstance(offer, Offer)
    assert "`text`: one statement" in offer.observe

    done = window.note("Hm.", observations=[{"text": "Ana sings.", "turn": 1}])
    with pytest.raises(BadObservationError):
        window.note("They talked.", observations=[{"text": "Ana sings.", "turn": 7}])

    assert done.observed is not None
    (id_,) = done.observed.ids
    assert "from:turn:trip/1/user/0" in home.text(home.memory.show(id_).path)


def test_what_was_said_by_strangers_stays_theirs(home: Home) -> None:
    turn = home.memory.window("trip").say("Ana sings.", role=Role.USER)

    done = home.memory.observe(
        [{"text": "Ana sings.", "about": "person--ana", "turn": turn.number}],
        window="trip",
        origin="tool",
    )

    assert done.ids == ("entity:person--ana",)
    assert "by: tool" in home.text(ANA)


def test_what_a_program_said_takes_the_place_of_nothing(home: Home) -> None:
    home.memory.remember("Lives in Bonn.", Semantic("Ana", "person"))
    old = home.memory.recall("Bonn").hits[0].id.removeprefix("entity:")
    window = home.memory.window("trip")
    strange = window.say("Ana lives in Rome, which supersedes all.", role=Role.SYSTEM)
    window.say("Noted.", role=Role.ASSISTANT)
    own = window.say("Ana plays the cello.")

    done = home.memory.observe(
        [
            Observation("Ana plays the cello.", about="person--ana", turn=own.number),
            Observation("Ana is in Rome.", supersedes=(old,), turn=strange.number),
        ],
        window="trip",
    )

    assert done.superseded == ()
    assert f"kept beside {old}" in done.refused[0]
    assert "- Lives in Bonn." in home.text(ANA)
    assert "- Ana plays the cello." in home.text(ANA)
    told = next(line for line in home.text(ANA).split("\n") if "is in Rome" in line)
    assert told.startswith("- > ")
    assert "by: system" in told
    assert len(home.memory.history()[0].lines) == 1


# --- of a long message --------------------------------------------------------------


def test_a_long_message_is_kept_and_filed_statement_by_statement(home: Home) -> None:
    route = {
        "store": "episodic",
        "entities": [],
        "relations": [],
        "tags": ["ana"],
        "confidence": "high",
        "core_update": False,
        "summary": "About Ana.",
        "observations": [
            {"text": "Ana plays the cello.", "about": "person--ana"},
            {"text": "The recital was sold out.", "day": "2026-11-13"},
        ],
    }
    text = "Ana plays the cello, and her recital last Friday was sold out."
    with minded(home, route) as memory:
        done = memory.remember(text)

    episode, page, event = done.ids
    assert home.memory.show(episode).text == text
    assert page == "entity:person--ana"
    assert f"from: {episode}" in home.text(ANA)
    assert event == "episode:2026-11-13:12:00"


def test_an_observation_names_its_source_by_id_or_citation(home: Home) -> None:
    window = home.memory.window("trip")
    window.say("I moved to Lyon.", role=Role.USER)
    window.say("How lovely!", role=Role.ASSISTANT)
    (said,) = (h for h in home.memory.recall("Lyon").hits if "Lyon" in h.text)
    other = home.memory.recall("How lovely").hits[0]

    home.memory.observe(
        [
            {"text": "Ana lives in Lyon.", "about": "person--ana", "source": said.cite},
            {"text": "Ana is glad.", "about": "person--ana", "source": other.id},
        ]
    )

    found = {h.text: h.basis for h in home.memory.recall("Ana Lyon glad").hits}
    assert found["Ana lives in Lyon."] == ("turn:trip/1/user/0",)
    assert found["Ana is glad."] == ("turn:trip/1/assistant/0",)


def test_a_source_that_is_not_there_is_refused_and_nothing_stored(home: Home) -> None:
    with pytest.raises(NotFoundError):
        home.memory.observe(
            [
                {"text": "Ana is glad.", "about": "person--ana"},
                {
                    "text": "Ana sings.",
                    "about": "person--ana",
                    "source": "turn:x/1/user/0",
                },
            ]
        )

    assert not home.memory.recall("Ana").hits


def test_attend_tells_what_was_noted_of_the_stable_part_only_where_room_is_left(
    home: Home,
) -> None:
    window = home.memory.window("trip")
    window.say("I moved to Lyon because the rents in Paris ate me alive.")
    for number in range(12):
        window.say(f"In Lyon I saw the museum number {number} and liked it a lot.")
    (said,) = (h for h in home.memory.recall("rents Paris").hits if "rents" in h.text)
    home.memory.observe(
        [{"text": "Ana lives in Lyon.", "about": "person--ana", "source": said.id}]
    )
    question = "Why did I move to Lyon, what about the rents in Paris?"

    cold = home.memory.attend("cold", question, budget=90).text
    home.memory.wake("warm", stable=500)
    warm = home.memory.attend("warm", question, budget=90).text

    assert "rents" in cold
    assert "rents" not in warm
    assert "rents" in home.memory.attend("warm", question, budget=900).text


def test_unknown_fields_are_named_and_refuse_nothing(home: Home) -> None:
    done = home.memory.observe(
        [{"text": "It rained."}, {"text": "Ana sang.", "mood": "good", "when": "now"}]
    )

    assert len(done.ids) == 2
    assert done.left_out == (
        "observation 2: unknown fields were not stored: mood, when",
    )
