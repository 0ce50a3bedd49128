"""Each source within its budget, and whatever did not fit is told."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.reflection.surveyed import Surveyed, source, texts, tokens
from tests.strategies import files

from reverie.config import DecayConfig
from reverie.decay import Trace
from reverie.model.ids import Store
from reverie.model.items import Entity, Fact, Link, Procedure
from reverie.model.proposals import Proposal
from reverie.model.reflection import Noticed
from reverie.reflection.cycle import Tracked, other_keys
from reverie.reflection.room import MARK, Room, clipped, cost
from reverie.reflection.scope import FILES
from reverie.reflection.survey import (
    BUDGETS,
    CORE,
    ENTITIES,
    GRAPH,
    LOG,
    PROCEDURES,
    SCORES,
    WHOLE,
)
from reverie.reflection.unread import EPISODES, shortened, shown, since
from reverie.reflection.waiting import PROPOSALS
from reverie.stores.entities import fact_id, new_entity
from reverie.stores.procedures import new_procedure
from reverie.stores.proposals import render_proposal
from reverie.stores.scores import ScoreFile, parse_scores, render_scores
from reverie.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOW = datetime(2026, 2, 10, 12, 0, tzinfo=UTC)
MONDAY = Tracked(datetime(2026, 2, 9, 3, 0, tzinfo=UTC))
LONG = "We spoke about the boat and the weather and all that it would take. " * 12
LOGGED = "memory/meta/reflection-log.md"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Surveyed]:
    made = Surveyed(tmp_path / "agent", NOW)
    yield made
    made.home.memory.close()


def way(name: str, *steps: str) -> str:
    return new_procedure(Procedure(name, "When it is time", steps))


def test_the_table_is_that_of_the_design() -> None:
    assert sum(BUDGETS.values()) == 29_000
    assert WHOLE == 30_000
    assert list(BUDGETS.values()) == [3000, 2000, 500, 4000, 1500, 5000, 10_000, 3000]


def test_new_is_what_came_after_what_was_read() -> None:
    read = NOW - timedelta(days=2)

    assert since(Tracked(), NOW) == NOW - timedelta(days=7)
    assert since(MONDAY, NOW) == MONDAY.last
    assert since(replace(MONDAY, read_until=read), NOW) == read


def test_a_new_workspace_is_read_whole(place: Surveyed) -> None:
    seen = place.survey(Tracked())

    besides = ("what pages ask", "what was often of use", "what is planned")
    names = [*BUDGETS, *besides, "what you said", PROPOSALS]
    assert [each.name for each in seen.read] == names
    assert seen.core == place.home.text("MEMORY.md")
    assert seen.evolution.startswith("# Philosophical Evolution")
    assert seen.proposals == ()
    assert seen.log == ()
    assert seen.tokens == sum(each.tokens for each in seen.read)
    assert all(each.left_out == 0 and not each.why for each in seen.read)


def test_a_file_that_is_too_long_is_cut_and_told(place: Surveyed) -> None:
    place.type("memory/meta/evolution.md", LONG * 20)

    seen = place.survey(MONDAY)

    found = source(seen, "evolution.md")
    assert seen.evolution.endswith(MARK)
    assert cost(seen.evolution) == found.tokens <= 2000
    assert found.left_out == 1
    lost = len(LONG * 20) - len(seen.evolution.removesuffix(MARK))
    assert found.why == f"its last {lost:,} characters"


def test_a_link_is_told_and_not_followed(place: Surveyed) -> None:
    (place.home.root / "SOUL.md").write_text("What I am.", "utf-8")
    core = place.home.root / "MEMORY.md"
    place.index  # noqa: B018 - brings the index up to date first
    core.unlink()
    core.symlink_to("SOUL.md")

    seen = place.survey(MONDAY)

    assert seen.core == ""
    assert source(seen, CORE).why == "it is no plain file"


# --- the log -----------------------------------------------------------------


def entry(number: int, text: str = "A quiet one.") -> str:
    return f"## Reflection #{number} — 2026-01-01\n\n### Key Insight\n{text}\n"


def test_of_the_log_the_last_ten_are_read(place: Surveyed) -> None:
    lines = "\n".join(map(entry, range(1, 15)))
    place.type(
        LOGGED, f"# Reflection Log\n\n## Archived\n- #1\n\n{lines}\n## Notes\nx\n"
    )

    seen = place.survey(MONDAY)

    assert [each.split()[2] for each in seen.log] == [f"#{n}" for n in range(5, 15)]
    assert seen.log[-1] == entry(14).strip()
    assert source(seen, LOG).left_out == 0


def test_of_a_log_too_long_the_newest_are_kept(place: Surveyed) -> None:
    place.type(LOGGED, "\n".join(entry(n, LONG * 3) for n in range(1, 11)))

    seen = place.survey(MONDAY)

    found = source(seen, LOG)
    assert [each.split()[2] for each in seen.log] == [f"#{n}" for n in range(5, 11)]
    assert (found.read, found.left_out) == (6, 4)
    assert found.why == "the oldest 4 of the last 10 entries"


# --- the scores --------------------------------------------------------------


TRACE = Trace(Store.EPISODIC, 1.0, NOW, NOW)


def test_what_else_the_scores_say_is_shown(place: Surveyed) -> None:
    other = {"last_reflection": "2026-02-09T03:00:00Z", "token_economy": {"net": 4}}
    text = render_scores(ScoreFile({"vault:x": TRACE}, other), NOW, DecayConfig())

    seen = place.survey(MONDAY, instead={"memory/meta/decay-scores.json": text})

    assert json.loads(seen.economy) == other


def test_broken_scores_do_no_harm(place: Surveyed) -> None:
    instead = {"memory/meta/decay-scores.json": '{\n  "entries": {'}

    assert place.survey(MONDAY, instead=instead).economy == ""


keys = st.text(max_size=8).filter(
    lambda key: key not in {"version", "last_updated", "entries"}
)
others = st.dictionaries(
    keys, st.text() | st.integers() | st.dictionaries(st.text(), st.text())
)


@given(others, st.lists(st.text(), max_size=3), st.sampled_from(["ours", 2, 4, None]))
def test_other_keys_are_those_of_the_whole_file(
    other: dict[str, object], ids: list[str], form: str | int | None
) -> None:
    text = render_scores(
        ScoreFile(dict.fromkeys(ids, TRACE), other), NOW, DecayConfig()
    )
    if form != "ours":
        indent = form if isinstance(form, int) else None
        text = json.dumps(json.loads(text), indent=indent, sort_keys=indent == 4)

    assert other_keys(text) == parse_scores(text, "x").other == other


@given(files)
def test_other_keys_of_anything_are_read(text: str) -> None:
    assert other_keys(text) == parse_scores(text, "x").other


def test_keys_below_the_entries_are_found_too() -> None:
    text = '{\n  "entries": {\n    "a": {}\n  },\n  "last_reflection": "x"\n}\n'

    assert other_keys(text) == {"last_reflection": "x"}


def test_the_faintest_come_first(place: Surveyed) -> None:
    month = NOW - timedelta(days=30)
    faint = place.know("concept--a", "A fact.")
    fainter = place.know("concept--b", "A fact.")
    pinned = place.know("concept--c", "A fact.")
    gone = place.know("concept--d", "A fact.")
    place.know("concept--e", "A fact.")
    place.touch(faint, last_accessed=month)
    place.touch(fainter, last_accessed=month - timedelta(days=99))
    place.touch(pinned, last_accessed=month, pinned=True)
    place.touch(gone, last_accessed=month, archived=True)

    seen = place.survey(MONDAY)

    assert [each.id for each in seen.fading] == [fainter, faint]
    assert [each.title for each in seen.fading] == ["B", "A"]
    assert seen.fading[0].score < 0.05 < seen.fading[1].score < 0.5


def test_of_an_episode_read_before_its_beginning_is_told(place: Surveyed) -> None:
    old = place.tell(NOW - timedelta(days=60), "What was said then.")

    (each,) = place.survey(MONDAY).fading

    assert each.id == old
    assert (each.text, each.title) == ("What was said then.",) * 2


def test_what_fades_is_capped(place: Surveyed) -> None:
    for number in range(60):
        place.tell(NOW - timedelta(days=60, minutes=number), f"Number {number}.")

    seen = place.survey(MONDAY)

    found = source(seen, SCORES)
    assert found.tokens <= found.budget == 500
    assert 5 < found.read == len(seen.fading) < 60
    assert found.left_out == 60 - found.read
    assert found.why == f"{found.left_out} memories less faint than these"


# --- entities, procedures, the graph -----------------------------------------


def test_faint_pages_are_read_only_by_the_first_reflection(place: Surveyed) -> None:
    vivid = place.know("concept--a", "A fact.")
    faint = place.know("concept--b", "A fact.")
    place.touch(faint, last_accessed=NOW - timedelta(days=90))

    assert [e.id for e in place.survey(Tracked()).entities] == [vivid, faint]
    assert [e.id for e in place.survey(MONDAY).entities] == [vivid]
    found = source(place.survey(MONDAY), ENTITIES)
    assert (found.left_out, found.why) == (1, "1 entity not of use lately")


def test_a_page_is_seen_without_what_a_model_does_not_need(place: Surveyed) -> None:
    facts = (
        Fact("Sailed on Mondays", until=date(2026, 1, 5)),
        Fact("Sails on Sundays", since=date(2026, 1, 5)),
    )
    links = (
        Link("Knows", ("person--nils",), date(2026, 1, 5)),
        Link("Knows", ("person--ana",)),
    )
    page = Entity(
        *("person", "mira", "Mira"),
        facts=facts,
        links=links,
        summary="A friend.",
        questions=("Where is the boat?",),
        aliases=("Mimi",),
    )
    place.type("memory/graph/entities/person--mira.md", new_entity(page))

    (each,) = place.survey(MONDAY).entities

    assert each.text.split("\n") == [
        "Also called: Mimi",
        "Summary: A friend.",
        "- Sails on Sundays (since: 2026-01-05) "
        f"[{fact_id('person--mira', 'Sails on Sundays')}]",
        "## Relations",
        "Knows: person--nils, person--ana",
        "## Open Questions",
        "- Where is the boat?",
        "## Superseded",
        "- ~~Sailed on Mondays~~ (until: 2026-01-05)",
    ]
    assert (each.id, each.title, each.kind) == ("entity:person--mira", "Mira", "")
    assert each.at is not None


def test_what_a_person_typed_between_facts_is_seen(place: Surveyed) -> None:
    typed = "## Facts\nShe never says why.\n- Sails\n\n## Relations\nFar too many.\n"
    more = "\n## My own\nAsk her.\n"
    place.type(
        "memory/graph/entities/person--mira.md", f"# Mira M.\n\nHi.\n{typed}{more}"
    )

    (each,) = place.survey(MONDAY).entities

    assert each.text.startswith("# Mira M.\nHi.\n- Sails")
    for words in ("She never says why.", "Far too many.", "## My own\nAsk her."):
        assert words in each.text


def test_facts_that_hold_come_before_those_of_other_pages_that_do_not(
    place: Surveyed,
) -> None:
    for number in range(12):
        facts = (
            *(Fact(f"{number}.{n} {LONG}", until=NOW.date()) for n in range(4)),
            Fact(f"{number} holds. {LONG}"),
        )
        name = f"p{number:02}"
        page = new_entity(Entity("person", name, name, facts=facts))
        place.type(f"memory/graph/entities/person--{name}.md", page)
        place.tell(NOW - timedelta(hours=2, minutes=number), f"[[person--{name}]] came")

    seen = place.survey(MONDAY)

    text = "\n".join(each.text for each in seen.entities)
    assert all(f"- {number} holds." in text for number in range(12))
    assert "## Superseded" in text
    assert MARK not in text


def test_forgotten_facts_and_entities_are_not_read(place: Surveyed) -> None:
    facts = (
        Fact("Sails on Sundays"),
        Fact("Hated the old boat", forgotten=date(2026, 2, 1)),
        Fact("Was forgotten at the harbour once"),
    )
    page = new_entity(Entity("person", "mira", "Mira", facts=facts))
    place.type("memory/graph/entities/person--mira.md", page)
    place.touch(place.know("person--nils", "Owed her money"), archived=True)

    seen = place.survey(Tracked())

    (each,) = seen.entities
    assert "Hated" not in each.text
    assert "Sails" in each.text
    assert "harbour" in each.text
    assert "nils" not in seen.graph


def test_the_most_vivid_pages_are_read_until_it_is_enough(place: Surveyed) -> None:
    for number in range(40):
        id_ = place.know(f"concept--{number:02}", LONG)
        last = NOW - timedelta(days=number / 4)
        place.touch(id_, last_accessed=last, base=0.8)

    seen = place.survey(MONDAY)

    found = source(seen, ENTITIES)
    assert [e.title for e in seen.entities] == [f"{n:02}" for n in range(found.read)]
    assert found.tokens <= 5000
    assert found.why == f"{40 - found.read} entities less vivid or too long"


def test_a_page_too_long_does_not_hide_the_others(place: Surveyed) -> None:
    place.touch(place.know("concept--a", "A fact."), accesses=9)
    place.touch(place.know("concept--b", LONG * 30), base=0.7)
    place.touch(place.know("concept--c", "A fact."), base=0.6)

    seen = place.survey(MONDAY)

    assert [each.title for each in seen.entities] == ["A", "C"]
    assert source(seen, ENTITIES).left_out == 1


def test_procedures_are_read_until_they_were_unused_for_a_year(
    place: Surveyed,
) -> None:
    for name in ("sail", "row", "swim"):
        path = f"memory/procedures/how-to-{name}.md"
        place.type(path, way(f"how-to-{name}", f"Look {name}"))
    place.touch("procedure:how-to-row", last_accessed=NOW - timedelta(days=99))
    place.touch("procedure:how-to-swim", last_accessed=NOW - timedelta(days=500))

    for last in (Tracked(), MONDAY):
        seen = place.survey(last)
        assert [each.title for each in seen.procedures] == ["How To Sail", "How To Row"]
        assert "1. Look sail" in seen.procedures[0].text
        found = source(seen, PROCEDURES)
        assert (found.read, found.left_out) == (2, 1)
        assert found.why == "1 procedure not of use lately"


def test_the_graph_shows_the_most_vivid_and_counts_the_rest(place: Surveyed) -> None:
    for number in range(80):
        links = (Link("Knows", (f"person--p{(number + 1) % 80:02}",)),)
        name = f"p{number:02}"
        page = new_entity(Entity("person", name, name, links=links))
        place.type(f"memory/graph/entities/person--{name}.md", page)
    for number in range(80):
        last = NOW - timedelta(days=number / 4)
        place.touch(f"entity:person--p{number:02}", last_accessed=last, base=0.8)

    seen = place.survey(MONDAY)

    found = source(seen, GRAPH)
    rows, _, edges = seen.graph.partition("## Edges")
    labels = [
        line.split(" | ")[2] for line in rows.splitlines() if "| person |" in line
    ]
    shown = len(labels)
    assert labels == [f"p{n:02}" for n in range(shown)]
    assert shown == edges.count("| high |") > 5
    assert count_tokens(seen.graph) == found.tokens <= found.budget == 1500
    assert found.left_out == 160 - 2 * shown
    assert found.why == f"{80 - shown} entities and {80 - shown} relations"


def test_pages_that_were_not_even_weighed_are_told(
    place: Surveyed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reverie.reflection.unread.CANDIDATES", 2)
    for name in "abcde":
        place.know(f"concept--{name}", "A fact.")

    found = source(place.survey(MONDAY), ENTITIES)

    assert found.read + found.left_out == 5
    assert "not of use lately" in found.why


# --- the whole ---------------------------------------------------------------


def proposed(number: int, content: str, **more: object) -> str:
    one = Proposal(number, "scout", NOW, "found", Store.SEMANTIC, content)
    return f"---\n{render_proposal(replace(one, **more))}\n"


def test_every_proposal_is_listed_however_little_room_there_is(place: Surveyed) -> None:
    text = "".join(proposed(number, f"N{number}. {LONG}") for number in range(1, 21))
    place.type("memory/meta/pending-memories.md", f"# Pending\n\n{text}")

    seen = place.survey(MONDAY)

    found = source(seen, PROPOSALS)
    assert [each.id for each in seen.proposals] == [f"#{n}" for n in range(1, 21)]
    assert all(f"N{each.id[1:]}." in each.text for each in seen.proposals)
    assert found.tokens <= found.budget == 1000
    cut = [each.id for each in seen.proposals if LONG.strip() not in each.text]
    assert 0 < len(cut) == found.left_out < 20
    assert found.why == f"the whole text of {', '.join(cut)}"


def test_proposals_without_room_for_a_line_are_named_by_number(place: Surveyed) -> None:
    text = "".join(proposed(number, f"N{number}. {LONG}") for number in range(1, 60))
    place.type("memory/meta/pending-memories.md", f"# Pending\n\n{text}")

    seen = place.survey(MONDAY)

    found = source(seen, PROPOSALS)
    missing = [f"#{n}" for n in range(len(seen.proposals) + 1, 60)]
    assert missing
    assert f"{', '.join(missing)} without a line" in found.why


def test_a_proposal_says_what_it_is_for(place: Surveyed) -> None:
    text = proposed(3, "Sails on Sundays", name="Mira", supersedes="person--m#3f2a9c")
    place.type("memory/meta/pending-memories.md", f"# Pending\n\n{text}")

    (each,) = place.survey(MONDAY).proposals

    assert each.text == ("(called: Mira; replaces: person--m#3f2a9c)\nSails on Sundays")
    assert (each.id, each.kind, each.origin) == ("#3", "semantic", "tool")


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Surveyed]:
    """A workspace in which nothing fits."""
    made = Surveyed(tmp_path_factory.mktemp("crowded") / "agent", NOW)
    for number in range(60):
        made.tell(NOW - timedelta(minutes=10 * number), f"{number} {LONG}")
        made.know(f"concept--{number:02}", LONG, "Another fact 🦊 of it")
        made.type(f"memory/procedures/w{number}.md", way(f"w{number}", LONG))
        made.tell(NOW - timedelta(days=90, minutes=number), "Old.")
    made.survey(MONDAY)
    yield made
    made.home.memory.close()


@settings(max_examples=10, deadline=None)
@given(
    st.integers(1000, 60_000),
    st.dictionaries(
        st.sampled_from(sorted(FILES - {"memory/graph/index.md"})),
        files.map(lambda text: text * 50),
    ),
    st.sampled_from([Tracked(), MONDAY]),
)
def test_no_more_is_read_than_may_be(
    crowded: Surveyed, whole: int, instead: dict[str, str], last: Tracked
) -> None:
    seen = crowded.survey(last, tokens(whole), instead)

    assert seen.tokens <= whole
    assert all(each.tokens <= each.budget for each in seen.read)
    told = (seen.core, seen.evolution, *seen.log, seen.graph, seen.economy)
    memories = (*seen.fading, *seen.entities, *seen.episodes, *seen.procedures)
    shown = [*told, *(each.text for each in (*memories, *seen.proposals))]
    assert sum(map(count_tokens, shown)) <= seen.tokens
    assert all(bool(each.why) >= bool(each.left_out) for each in seen.read)


# --- rooms hold what they say, and what is cut says so ------------------------


@given(files | st.text(), st.integers(0, 60))
def test_what_is_clipped_fits_and_begins_as_it_did(text: str, budget: int) -> None:
    cut = clipped(text, budget)

    assert count_tokens(cut) <= budget
    if cut != text:
        assert text.startswith(cut.removesuffix(MARK))


@given(files, st.integers(60, 200))
def test_a_memory_is_shortened_into_any_room(text: str, budget: int) -> None:
    each = Noticed("episode:2026-02-02:14:30", "x.md", text * 9, kind="fact")
    room = Room(budget)

    assert room.take(shown(shortened(each, room)))


def test_a_room_takes_all_or_nothing() -> None:
    room = Room(6)

    assert not room.take("one two three", "four five six")
    assert room.spent == 0
    assert room.take("one two three")
    assert room.left == 2


def test_a_text_of_a_megabyte_is_not_even_counted() -> None:
    assert not Room(100).take("word " * 300_000)
    assert len(clipped("word " * 300_000, 100)) < 1000


def test_a_word_that_never_ends_leaves_the_mark() -> None:
    assert clipped("x" * 10_000, 50) == MARK


# --- episodes: only new ones, the oldest first, none of them skipped or read twice


ONE_DAY = datetime(2026, 2, 9, 3, 0, tzinfo=UTC)


def ago(**before: float) -> datetime:
    return NOW - timedelta(**before)


def test_the_first_reflection_reads_the_last_seven_days(place: Surveyed) -> None:
    place.tell(ago(days=30), "Long ago.")
    place.tell(ago(days=7, minutes=1), "Just too old.")
    place.tell(ago(days=6), "This week.")
    place.tell(ago(hours=1), "Today.")

    seen = place.survey(Tracked())

    assert seen.first
    assert texts(seen) == ["This week.", "Today."]
    assert seen.read_until == ago(hours=1)
    assert place.waiting(Tracked()) == 2


def test_history_that_was_imported_is_not_of_this_week(place: Surveyed) -> None:
    place.tell(ago(days=400), "Of another life.", told=NOW)

    assert texts(place.survey(Tracked())) == []
    assert place.waiting(Tracked()) == 0


def test_afterwards_only_what_is_later_is_read(place: Surveyed) -> None:
    place.tell(ONE_DAY - timedelta(days=1), "Before.")
    place.tell(ONE_DAY, "At that very moment.")
    place.tell(ONE_DAY + timedelta(minutes=1), "After.")

    seen = place.survey(Tracked(ONE_DAY))

    assert not seen.first
    assert seen.since == ONE_DAY
    assert texts(seen) == ["After."]
    assert place.waiting(Tracked(ONE_DAY)) == 1


def test_it_goes_on_where_the_last_one_stopped_reading(place: Surveyed) -> None:
    place.tell(ago(days=3), "Read.")
    place.tell(ago(days=2), "Did not fit.")

    seen = place.survey(Tracked(ago(days=1), ago(days=3)))

    assert texts(seen) == ["Did not fit."]


def test_what_is_still_to_come_waits(place: Surveyed) -> None:
    place.tell(NOW, "Now.")
    place.tell(NOW + timedelta(days=1), "Tomorrow.")

    assert texts(place.survey(Tracked(ONE_DAY))) == ["Now."]
    assert place.waiting(Tracked(ONE_DAY)) == 1


def test_nothing_new_is_no_moment(place: Surveyed) -> None:
    seen = place.survey(Tracked(ONE_DAY))

    assert seen.episodes == ()
    assert seen.read_until is None
    assert source(seen, EPISODES).why == ""


def test_an_episode_is_seen_with_all_that_its_heading_says(
    place: Surveyed,
) -> None:
    id_ = place.tell(ago(hours=2), "Mira fixed the mast.")

    (each,) = place.survey(Tracked(ONE_DAY)).episodes

    assert (each.id, each.kind, each.tags) == (id_, "task", ("news",))
    assert each.path == "memory/episodes/2026-02-10.md"
    assert (each.at, each.origin) == (ago(hours=2), "owner")
    assert 0 < each.score <= 1


def test_the_oldest_are_read_and_the_rest_is_told(place: Surveyed) -> None:
    for hour in range(30):
        place.tell(ago(hours=30 - hour), f"{hour}: {LONG}")

    seen = place.survey(Tracked(ONE_DAY), tokens(3000))

    found = source(seen, EPISODES)
    assert [text.partition(":")[0] for text in texts(seen)] == ["0", "1", "2", "3"]
    assert seen.read_until == ago(hours=27)
    assert (found.read, found.left_out) == (4, 26)
    assert found.why == "26 episodes of 2026-02-09 to 2026-02-10"
    assert found.tokens <= found.budget == 1000


def test_many_reflections_read_everything_once(place: Surveyed) -> None:
    expected = []
    for number in range(40):
        at = ONE_DAY + timedelta(minutes=7 * number // 3)
        expected.append(place.tell(at + timedelta(hours=1), f"{number}: {LONG}"))
    last, read = Tracked(ONE_DAY), []
    waiting = place.waiting(last)

    for _ in range(20):
        seen = place.survey(last, tokens(6000))
        read += [each.id for each in seen.episodes]
        last = Tracked(ONE_DAY + timedelta(hours=2), seen.read_until or last.read_until)

    assert waiting == 40
    assert read == expected
    assert place.waiting(last) == 0


def test_those_of_one_minute_come_together_or_not_at_all(place: Surveyed) -> None:
    place.tell(ago(hours=3), LONG)
    for number in range(5):
        place.tell(ago(hours=2), f"{number}: {LONG}")

    seen = place.survey(Tracked(ONE_DAY), tokens(3000))

    assert len(seen.episodes) == 1
    assert source(seen, EPISODES).left_out == 5
    then = place.survey(Tracked(ONE_DAY, seen.read_until), tokens(4500))
    assert len(then.episodes) == 5


def test_a_minute_that_can_never_fit_is_read_in_parts(place: Surveyed) -> None:
    expected = [place.tell(ago(hours=2), f"{n}: {LONG}") for n in range(12)]
    last, read = Tracked(ONE_DAY), []

    for _ in range(4):
        seen = place.survey(last, tokens(3000))
        read += [each.id for each in seen.episodes]
        last = Tracked(ONE_DAY, seen.read_until or last.read_until)

    assert read == expected


def test_what_comes_into_the_same_minute_later_is_read_too(
    place: Surveyed,
) -> None:
    place.tell(NOW, "First.")
    seen = place.survey(Tracked(ONE_DAY))
    place.tell(NOW, "Second.")

    then = place.survey(Tracked(NOW, seen.read_until))

    assert texts(then) == ["Second."]


def test_an_episode_too_long_is_clipped_if_it_is_the_first(
    place: Surveyed,
) -> None:
    id_ = place.tell(ago(hours=5), LONG * 10)
    place.tell(ago(hours=4), "After that.")

    seen = place.survey(Tracked(ONE_DAY), tokens(3000))

    (each,) = seen.episodes
    assert each.text.endswith(MARK)
    assert seen.read_until == ago(hours=5)
    assert source(seen, EPISODES).left_out == 1
    assert source(seen, EPISODES).why == (
        f"1 episode of 2026-02-10 and the end of {id_}"
    )


def test_an_episode_too_long_waits_if_it_is_not(place: Surveyed) -> None:
    place.tell(ago(hours=5), "Before that.")
    place.tell(ago(hours=4), LONG * 10)

    seen = place.survey(Tracked(ONE_DAY), tokens(3000))

    assert texts(seen) == ["Before that."]
    assert seen.read_until == ago(hours=5)


def test_what_was_told_later_counts_by_when_it_was_told(place: Surveyed) -> None:
    place.tell(ago(days=40), "Told before.", told=ago(days=3))
    id_ = place.tell(ago(days=40), "Told today.", told=NOW)
    last = Tracked(ONE_DAY)

    seen = place.survey(last)

    assert [each.id for each in seen.episodes] == [id_]
    assert place.waiting(last) == 1
    assert seen.read_until is not None
    assert seen.read_until.date() == NOW.date()


def test_what_was_told_later_is_read_in_parts_too(place: Surveyed) -> None:
    ids = {
        place.tell(ago(days=60 - n // 2), f"{n}: {LONG}", told=ago(days=1))
        for n in range(20)
    }
    last, read = Tracked(ONE_DAY - timedelta(days=2)), []

    for _ in range(8):
        seen = place.survey(last, tokens(6000))
        read += [each.id for each in seen.episodes]
        last = Tracked(NOW, seen.read_until or last.read_until)

    assert sorted(read) == sorted(ids)


def test_told_after_the_reflection_of_that_day_is_not_lost(
    place: Surveyed,
) -> None:
    place.tell(ago(hours=11), "An ordinary night.")
    last = Tracked(ago(hours=9), ago(hours=11))
    place.tell(ago(days=40), "Told in the afternoon.", told=NOW)

    seen = place.survey(last)

    assert texts(seen) == ["Told in the afternoon."]
    assert seen.read_until == last.read_until, "it must never go back"


def test_what_may_have_been_read_takes_a_part_of_the_room(place: Surveyed) -> None:
    for number in range(20):
        place.tell(ago(days=40 + number), f"{number}: {LONG}", told=NOW)
    for number in range(20):
        place.tell(ago(hours=2, minutes=number), f"New {number}: {LONG}")
    last = Tracked(ago(hours=9), ago(hours=11))

    seen = place.survey(last, tokens(12_000))

    found = source(seen, EPISODES)
    new = [text for text in texts(seen) if text.startswith("New")]
    assert len(new) > len(seen.episodes) // 2 > 0
    assert found.read + found.left_out == 40
    assert found.why.endswith("told late, which may have been read before")


def test_what_was_recalled_meanwhile_is_not_lost(place: Surveyed) -> None:
    late = place.tell(ago(days=40), "Told today.", told=NOW)
    old = place.tell(ago(days=39), "Read long ago.")
    for id_ in (late, old):
        place.touch(id_, accesses=3, last_accessed=NOW)

    assert texts(place.survey(Tracked(ONE_DAY))) == ["Told today."]


def test_what_was_forgotten_is_never_read(place: Surveyed) -> None:
    late = place.tell(ago(days=40), "Told today.", told=NOW)
    new = place.tell(ago(hours=2), "A secret wish.")
    place.touch(new, archived=True)
    place.touch(late, archived=True)

    for last in (Tracked(), Tracked(ONE_DAY)):
        assert texts(place.survey(last)) == []
        assert place.waiting(last) == 0
