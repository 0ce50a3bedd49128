"""Correcting: the old is struck out, the new stands, all of it in one change."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from tests import strategies
from tests.memory.home import ALEX, CORE, DAY, DEPLOY, PASSPORT, Home, agrees
from tests.memory.routes import route

from reverie import (
    Actor,
    Block,
    Core,
    EpisodeKind,
    Episodic,
    Memory,
    NotFoundError,
    Origin,
    Procedural,
    RefusedError,
    ScriptedMind,
    Semantic,
    Vault,
)
from reverie.model.change import MAIN, OnlyHumansError
from reverie.model.ids import ItemId
from reverie.model.items import Episode
from reverie.stores.entities import fact_id, parse_entity, reference
from reverie.stores.episodes import parse_day, render_episode, strike_out

MANUAL = Actor("manual")
BERLIN = fact_id("person--alex", "Lives in Berlin")


@pytest.fixture
def berlin(home: Home) -> Home:
    """Alex lives in Berlin, and is linked with it."""
    links = (("lives-in", "place--berlin"),)
    home.memory.remember("Lives in Berlin", Semantic("Alex", "person", links=links))
    return home


# --- facts ---------------------------------------------------------------------


def test_a_fact_is_superseded_with_its_day_and_relations_in_one_change(
    berlin: Home,
) -> None:
    berlin.clock.forward(days=3)
    commits, on = berlin.commits(), date(2026, 2, 4)

    done = berlin.memory.correct(
        BERLIN, "Lives in Lyon", on=on, links=[("lives-in", "place--lyon")]
    )

    assert [near.text for near in done.superseded] == ["Lives in Berlin"]
    assert berlin.commits() == commits + 1
    old, new = parse_entity(berlin.text(ALEX), ALEX).entity.facts
    assert (old.until, old.superseded_by) == (on, reference(new.text))
    assert (new.since, new.said, new.source) == (on, date(2026, 2, 5), "user-explicit")
    assert {e.target for e in berlin.state()[2]} == {"place--lyon"}
    hit = berlin.memory.recall("Where does Alex live?").hits[0]
    assert "Lyon" in hit.text
    assert any("Berlin" in line for line in hit.outdated)
    assert berlin.disagreements() == []


def test_a_correction_is_undone_as_a_whole(berlin: Home) -> None:
    before = berlin.text(ALEX)
    berlin.memory.correct(BERLIN, "Lives in Lyon")

    berlin.memory.undo()

    assert berlin.text(ALEX) == before


def test_words_that_mean_one_fact_alone_correct_it(berlin: Home) -> None:
    berlin.memory.remember("Likes tea", Semantic("Alex", "person"))

    done = berlin.memory.correct("Alex lives in Berlin", "Lives in Lyon")

    assert [near.id for near in done.superseded] == [BERLIN]
    assert not done.choices


def test_words_that_may_mean_several_change_nothing_and_show_them(berlin: Home) -> None:
    berlin.memory.remember("Was born in Berlin", Semantic("Alex", "person"))
    commits = berlin.commits()

    done = berlin.memory.correct("Berlin", "Lives in Lyon")

    assert {near.text for near in done.choices} == {
        "Lives in Berlin",
        "Was born in Berlin",
    }
    assert berlin.commits() == commits
    assert not done.lines


def test_a_name_alone_shows_the_facts_of_its_page(berlin: Home) -> None:
    done = berlin.memory.correct("Alex", "Lives in Lyon")

    assert [near.id for near in done.choices] == [BERLIN]
    assert berlin.memory.correct("entity:person--alex", "x").choices == done.choices


def test_words_that_nothing_says_are_told_so(berlin: Home) -> None:
    with pytest.raises(NotFoundError, match="nothing that is remembered says"):
        berlin.memory.correct("the colour of the moon", "It is grey.")


def test_an_unknown_fact_is_told_with_those_its_page_has(berlin: Home) -> None:
    with pytest.raises(NotFoundError) as caught:
        berlin.memory.correct("person--alex#000000", "Lives in Lyon")

    assert BERLIN in caught.value.hint


def test_a_fact_that_another_hand_changed_meanwhile_is_not_lost(berlin: Home) -> None:
    text = berlin.text(ALEX).replace("Lives in Berlin", "Lives in Bonn")
    berlin.type(ALEX, text)

    with pytest.raises(NotFoundError):
        berlin.memory.correct(BERLIN, "Lives in Lyon")

    assert berlin.text(ALEX) == text


def test_what_a_stranger_says_corrects_nothing(berlin: Home) -> None:
    with pytest.raises(RefusedError, match="comes from a tool or web page"):
        berlin.memory.correct(BERLIN, "Lives in Lyon", origin=Origin.TOOL)

    assert "- Lives in Berlin <" in berlin.text(ALEX)


def test_a_correction_from_a_later_day_on_waits_for_that_day(berlin: Home) -> None:
    berlin.memory.correct(BERLIN, "Lives in Lyon", on=date(2026, 2, 5))
    assert "- Lives in Berlin <" in berlin.text(ALEX)

    berlin.clock.forward(days=3)

    assert berlin.memory.recall("Where does Alex live?").hits[0].text == "Lives in Lyon"
    assert "- ~~Lives in Berlin~~ <" in berlin.text(ALEX)


@pytest.mark.parametrize("page", ["Alex", "Nora"])
def test_a_plan_that_is_replaced_before_it_begins_ends_at_once(
    berlin: Home, page: str
) -> None:
    first = Semantic("Alex", "person", since=date(2026, 3, 1))
    plan = berlin.memory.remember("Pays 950 euros of rent.", first).fact
    second = Semantic(page, "person", since=date(2026, 3, 1))

    done = berlin.memory.remember("Pays 880 euros.", second, supersedes=[plan])

    assert [near.id for near in done.superseded] == [plan]
    assert done.ending == ()
    assert "- ~~Pays 950 euros of rent.~~ <" in berlin.text(ALEX)


def test_the_answer_names_what_holds_until_the_new_fact_begins(berlin: Home) -> None:
    later = Semantic("Alex", "person", since=date(2026, 3, 1))

    done = berlin.memory.remember("Lives in Lyon", later, supersedes=[BERLIN])

    assert done.superseded == ()
    assert [near.id for near in done.ending] == [BERLIN]


def test_a_corrected_fact_keeps_its_tags(berlin: Home) -> None:
    tagged = Semantic("Alex", "person", tags=("work", "travel"))
    fact = berlin.memory.remember("Works in Graz", tagged).fact

    berlin.memory.correct(fact, "Works in Linz")

    (line,) = (
        each for each in berlin.text(ALEX).split("\n") if "Works in Linz" in each
    )
    assert "tags: work, travel" in line


# --- through remembering -------------------------------------------------------


def test_words_alone_are_enough_to_supersede(berlin: Home) -> None:
    place = Semantic(supersedes="Alex lives in Berlin")

    done = berlin.memory.remember("Lives in Lyon", place)

    assert [near.id for near in done.superseded] == [BERLIN]


def test_words_on_a_named_page_say_what_no_longer_holds(berlin: Home) -> None:
    place = Semantic("person--alex", supersedes="Lives in Berlin")

    done = berlin.memory.remember("Lives in Lyon", place)

    assert [near.text for near in done.superseded] == ["Lives in Berlin"]


def test_words_that_name_no_fact_alone_supersede_nothing(berlin: Home) -> None:
    berlin.memory.remember("Was born in Berlin", Semantic("Alex", "person"))
    before = berlin.text(ALEX)

    with pytest.raises(RefusedError, match="names no fact alone"):
        berlin.memory.remember("Lives in Lyon", Semantic(supersedes="Berlin"))

    assert berlin.text(ALEX) == before


ACTUALLY = "Actually, remember that Alex lives in Paris now, not in Berlin"


def test_actually_reaches_it_through_a_mind(berlin: Home) -> None:
    answer = route(
        store="semantic",
        about="person--alex",
        entities=[{"name": "Alex", "type": "person"}],
        supersedes=[BERLIN],
    )
    berlin.memory.close()
    mind = ScriptedMind([json.dumps(answer)])
    berlin.memory = memory = Memory(
        berlin.root, clock=berlin.clock, environ={}, mind=mind, human=agrees
    )

    (done,) = memory.hear(ACTUALLY).remembered

    assert [near.id for near in done.superseded] == [BERLIN]
    old, new = parse_entity(berlin.text(ALEX), ALEX).entity.facts
    assert not old.current
    assert new.current
    assert berlin.state()[2] == []


def test_without_a_mind_both_are_kept_and_the_near_one_is_told(berlin: Home) -> None:
    (done,) = berlin.memory.hear(ACTUALLY).remembered

    facts = parse_entity(berlin.text(ALEX), ALEX).entity.facts
    assert all(fact.current for fact in facts)
    assert done.near[0].id == BERLIN
    berlin.memory.correct(done.near[0].id, done.said)
    old, new = parse_entity(berlin.text(ALEX), ALEX).entity.facts
    assert (old.current, new.current) == (False, True)


# --- episodes ------------------------------------------------------------------

LAUNCH = "episode:2026-02-02:12:00"


@pytest.fixture
def launch(home: Home) -> Home:
    """The launch was said to be in November."""
    home.memory.remember("The launch is on 15 November.", Episodic(tags=("launch",)))
    home.clock.forward(days=2)
    return home


def test_an_episode_is_struck_out_and_the_correction_points_back(launch: Home) -> None:
    done = launch.memory.correct(LAUNCH, "The launch is on 15 December.")

    (new,) = done.ids
    assert new == f"{LAUNCH}~2"
    assert launch.text(DAY).endswith(
        "## 12:00 | event | confidence:high | tags:[launch] | source:user-explicit "
        f"| corrected:2026-02-04 | corrected-by:{new}\n"
        "~~The launch is on 15 November.~~\n\n"
        "## 12:00 | correction | confidence:high | tags:[launch] "
        f"| source:user-explicit | n:2 | noted:2026-02-04 | corrects:{LAUNCH}\n"
        "The launch is on 15 December.\n"
    )
    _, entry = parse_day(launch.text(DAY), DAY).entries
    assert isinstance(entry.item, Episode)
    assert entry.item.kind is EpisodeKind.CORRECTION
    assert launch.memory.check() == []
    assert launch.disagreements() == []


@pytest.mark.parametrize(
    "whose", [{"origin": Origin.TOOL}, {"actor": Actor("skill:scout")}]
)
def test_no_stranger_strikes_out_an_episode(
    launch: Home, whose: dict[str, Any]
) -> None:
    with pytest.raises(RefusedError, match="cannot supersede"):
        launch.memory.correct(LAUNCH, "The launch is off.", **whose)

    assert "~~" not in launch.text(DAY)
    trace = launch.state()[1][LAUNCH]
    assert not trace.archived


def test_the_old_is_told_as_past_through_the_new_and_never_as_current(
    launch: Home,
) -> None:
    launch.memory.correct("launch November", "The launch is on 15 December.")

    for question in ("When is the launch?", "launch on 15 November"):
        hits = launch.memory.recall(question).hits
        assert [hit.text for hit in hits] == ["The launch is on 15 December."]
        assert hits[0].outdated == ("The launch is on 15 November.",)
    assert "(no longer: The launch is on 15 November.)" in launch.memory.context(
        "When is the launch?"
    )


def test_undo_brings_an_episode_back(launch: Home) -> None:
    before = launch.text(DAY)
    launch.memory.correct(LAUNCH, "The launch is on 15 December.")

    launch.memory.undo()

    assert launch.text(DAY) == before
    (hit,) = launch.memory.recall("When is the launch?").hits
    assert hit.text == "The launch is on 15 November."


def test_an_episode_is_corrected_once(launch: Home) -> None:
    (new,) = launch.memory.correct(LAUNCH, "It is on 15 December.").ids

    with pytest.raises(RefusedError, match=f"corrected already, by {new}"):
        launch.memory.correct(LAUNCH, "It is on 16 December.")

    assert launch.memory.correct(new, "It is on 16 December.").superseded


def test_a_correction_is_for_whom_its_episode_was(home: Home) -> None:
    home.memory.remember("Mara has the key.", Episodic(scope="Mara"))

    home.memory.correct(LAUNCH, "Mara lost the key.")

    assert not home.memory.recall("the key", person="Tom").hits
    assert home.memory.recall("the key", person="Mara").hits


@given(strategies.episodes)
def test_a_struck_out_entry_keeps_its_words_and_its_neighbours(
    episode: Episode,
) -> None:
    first, name = render_episode(episode), f"{episode.at:%Y-%m-%d}"
    path = f"memory/episodes/{name}.md"
    text = f"# {name} — Episode Log\n\n{first}\n## 23:59 | fact | confidence:low\nx\n"
    before = parse_day(text, path).entries

    new = strike_out(text, path, str(before[0].id), date(2026, 2, 2), "episode:x")

    after = parse_day(new, path).entries
    assert [e.id for e in after] == [e.id for e in before]
    assert after[0].text == before[0].text
    assert [e.raw for e in after[1:]] == [e.raw for e in before[1:]]


# --- what steers the agent -----------------------------------------------------


def test_a_line_of_core_memory_is_replaced_where_it_stands(home: Home) -> None:
    home.memory.remember("Allergic to nuts", Core(Block.CRITICAL, pinned=True))
    home.memory.remember("Allergic to cats", Core(Block.CRITICAL))

    home.memory.correct("core:critical/allergic-to-nuts", "Allergic to peanuts")

    assert "- Allergic to peanuts <!-- pinned -->\n- Allergic to cats\n" in home.text(
        CORE
    )


def test_a_labelled_line_keeps_its_label(home: Home) -> None:
    home.memory.remember("Name: Mara", Core(Block.IDENTITY))

    home.memory.correct("core:identity/name", "Maria")

    assert "- Name: Maria\n" in home.text(CORE)


def test_an_agent_s_correction_of_core_memory_waits_for_its_human(home: Home) -> None:
    memory = home.memory
    memory.remember("Speaks German", Core(Block.IDENTITY))
    before = home.text(CORE)

    done = memory.correct("core:identity/speaks-german", "Speaks Dutch", actor=MAIN)

    assert home.text(CORE) == before
    waiting = memory.proposal(done.waits)
    assert waiting.supersedes == "core:identity/speaks-german"
    memory.accept(waiting)
    assert "- Speaks Dutch\n" in home.text(CORE)
    assert "Speaks German" not in home.text(CORE)


def test_a_step_is_replaced_where_it_stands(home: Home) -> None:
    home.memory.remember("test it\ntag it\nship it", Procedural("how to deploy"))

    home.memory.correct("procedure:how-to-deploy#2", "sign the tag")
    assert "1. test it\n2. sign the tag\n3. ship it\n" in home.text(DEPLOY)

    home.memory.correct("ship", "ship it on Friday")
    assert "3. ship it on Friday\n" in home.text(DEPLOY)


def test_a_procedure_as_a_whole_shows_its_steps(home: Home) -> None:
    home.memory.remember("test it\ntag it", Procedural("how to deploy"))

    done = home.memory.correct("procedure:how-to-deploy", "sign the tag")

    assert [near.id for near in done.choices] == [
        "procedure:how-to-deploy#1",
        "procedure:how-to-deploy#2",
    ]


def test_a_note_of_the_vault_is_corrected_by_a_human_alone(home: Home) -> None:
    home.memory.remember("In the blue box.", Vault("Passport"), actor=MANUAL)
    before = home.text(PASSPORT)

    with pytest.raises(OnlyHumansError):
        home.memory.correct("vault:passport", "In the red box.")
    assert home.text(PASSPORT) == before

    home.memory.correct("vault:passport", "In the red box.", actor=MANUAL)
    assert home.text(PASSPORT) == before.replace("blue", "red")


def test_a_turn_is_a_record(home: Home) -> None:
    home.memory.window("trip").say("Where do we stay?")

    with pytest.raises(RefusedError, match="conversations are a record"):
        home.memory.correct("turn:trip/1/user/0", "Where do we sleep?")


def test_only_a_fact_has_a_day_and_relations(launch: Home) -> None:
    with pytest.raises(RefusedError, match="is no fact"):
        launch.memory.correct(LAUNCH, "It is off.", on=date(2026, 2, 1))


def test_an_id_that_is_none_is_told_so(home: Home) -> None:
    with pytest.raises(NotFoundError):
        home.memory.correct(str(ItemId.parse("episode:2020-01-01:10:00")), "x")
