"""Remembering: the file, the history, the log and the index tell the same."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from tests.memory.home import (
    ALEX,
    CORE,
    DAY,
    DEPLOY,
    NOON,
    PASSPORT,
    Clock,
    Home,
    dreamt,
)

from reverie import (
    Actor,
    Block,
    Confidence,
    Core,
    EpisodeKind,
    Episodic,
    NotFoundError,
    Procedural,
    RefusedError,
    Semantic,
    Store,
    Vault,
)

if TYPE_CHECKING:
    from pathlib import Path

    from reverie.model.route import Place

# --- one in each store -------------------------------------------------------

PLACES: dict[Store, tuple[str, Place, str, str, str]] = {
    Store.EPISODIC: (
        "Chose the hybrid approach.",
        Episodic(EpisodeKind.DECISION, Confidence.MEDIUM, ("memory", "design")),
        "episode:2026-02-02:12:00",
        DAY,
        "# 2026-02-02 — Episode Log\n\n## 12:00 | decision | confidence:medium "
        "| tags:[memory, design] | source:user-explicit\nChose the hybrid approach.\n",
    ),
    Store.SEMANTIC: (
        "Lives in Berlin",
        Semantic("Alex", "person", since=date(2024, 5, 1)),
        "entity:person--alex",
        ALEX,
        "# person--alex\n\n<!-- Type: person | Created: 2026-02-02 "
        "| Last updated: 2026-02-02 | Source: user-explicit -->\n"
        "<!-- Pinned: no -->\n\n## Summary\n\n## Facts\n"
        "- Lives in Berlin <!-- since: 2024-05-01 | said: 2026-02-02 "
        "| source: user-explicit -->\n",
    ),
    Store.PROCEDURAL: (
        "1. run the tests\n- tag it",
        Procedural("how to deploy", "When a release is due."),
        "procedure:how-to-deploy",
        DEPLOY,
        "# how-to-deploy.md\n\n<!-- Type: procedure | Learned: 2026-02-02 "
        "| Source: user-explicit -->\n<!-- Pinned: no -->\n\n"
        "## Trigger\nWhen a release is due.\n\n## Steps\n"
        "1. run the tests\n2. tag it\n",
    ),
    Store.VAULT: (
        "In the blue box.",
        Vault("Passport"),
        "vault:passport",
        PASSPORT,
        "# Passport\n\n<!-- Type: vault | Created: 2026-02-02 "
        "| Source: user-explicit -->\n\nIn the blue box.\n",
    ),
}


@pytest.mark.parametrize("store", PLACES)
def test_the_file_says_what_was_remembered(home: Home, store: Store) -> None:
    text, place, _, path, expected = PLACES[store]

    home.memory.remember(text, place)

    assert home.text(path) == expected


@pytest.mark.parametrize("store", PLACES)
def test_the_receipt_names_the_memory_and_the_change(home: Home, store: Store) -> None:
    text, place, item_id, path, _ = PLACES[store]

    receipt = home.memory.remember(text, place)

    assert receipt.ids == (item_id,)
    assert receipt.commit == home.head
    assert receipt.at == NOON
    assert [(line.action, line.path) for line in receipt.lines] == [("CREATE", path)]


@pytest.mark.parametrize("store", PLACES)
def test_the_memory_can_be_shown(home: Home, store: Store) -> None:
    text, place, item_id, path, _ = PLACES[store]

    receipt = home.memory.remember(text, place)
    shown = home.memory.show(item_id)

    assert (shown.id, shown.store, shown.path) == (item_id, store, path)
    assert (shown.commit, shown.actor) == (receipt.commit, "bot:trigger-remember")
    assert (shown.created, shown.last_accessed, shown.accesses) == (NOON, NOON, 1)
    assert shown.pinned is (store is Store.VAULT)


@pytest.mark.parametrize("store", PLACES)
def test_five_places_agree(home: Home, store: Store) -> None:
    text, place, _, _, _ = PLACES[store]

    home.memory.remember(text, place)

    assert home.disagreements() == []


def test_core_memory_gets_one_more_item_in_the_block_named(home: Home) -> None:
    before = home.text(CORE)

    receipt = home.memory.remember("Prefers tea", Core(Block.IDENTITY, pinned=True))

    added = "- Timezone: [TZ]\n- Prefers tea <!-- pinned -->\n"
    assert home.text(CORE) == before.replace("- Timezone: [TZ]\n", added)
    assert receipt.ids == ("core:identity/prefers-tea",)
    assert [(line.action, line.path) for line in receipt.lines] == [("EDIT", CORE)]
    assert home.memory.show("core:identity/prefers-tea").pinned
    assert home.disagreements() == []


def test_the_commit_says_who_why_and_what(home: Home) -> None:
    home.memory.remember(
        "Chose the hybrid approach.",
        Episodic(),
        trigger='user said "remember we chose the hybrid approach"',
    )

    assert home.message() == (
        f"[CREATE] {DAY} — Chose the hybrid approach.\n\n"
        "Actor: bot:trigger-remember\nApproval: auto\n"
        'Trigger: user said "remember we chose the hybrid approach"'
    )


def test_the_log_has_one_line_for_the_change(home: Home) -> None:
    before = home.log()

    home.memory.remember("Chose the hybrid approach.", Episodic())
    home.clock.forward(minutes=31)
    home.memory.remember("And kept it.", Episodic())

    assert home.log() == [
        *before,
        f"2026-02-02T12:00Z | CREATE | {DAY} | bot:trigger-remember | auto "
        "| Chose the hybrid approach.",
        f"2026-02-02T12:31Z | APPEND | {DAY} | bot:trigger-remember | auto "
        "| And kept it.",
    ]


def test_a_text_can_forge_neither_a_log_line_nor_a_trailer(home: Home) -> None:
    text = (
        "x | manual | — | y\n2026-02-02T12:00Z | DELETE | MEMORY.md | manual | — | z\n"
        "\nActor: manual\nApproval: approved"
    )
    lines = len(home.log())

    home.memory.remember(text, Episodic(), trigger=f"said\n{text}")
    entry = home.memory.history()[0]

    assert len(home.log()) == lines + 1
    assert (str(entry.actor), entry.approval) == ("bot:trigger-remember", "auto")
    assert home.memory.show("episode:2026-02-02:12:00").text == text
    assert home.disagreements() == []


@pytest.mark.parametrize(
    ("actor", "base", "source"),
    [
        ("bot:trigger-remember", 1.0, "user-explicit"),
        ("bot:auto-detect", 0.7, "conversation"),
        ("reflection:r-1", 0.5, "reflection"),
    ],
)
def test_how_relevant_a_memory_starts_depends_on_who_stored_it(
    home: Home, actor: str, base: float, source: str
) -> None:
    for place in (Episodic(), Semantic("Alex", "person")):
        if actor.startswith("reflection:"):
            dreamt(home.memory, "Likes tea", place, "r-1")
        else:
            home.memory.remember("Likes tea", place, actor=Actor(actor))
    _, traces, _, _ = home.state()

    assert [trace.base for trace in traces.values()] == [base, base]
    assert f"source:{source}" in home.text(DAY)
    assert f"Author: {actor}" in home.git("log", "-1", "main")
    assert home.disagreements() == []


# --- episodes ----------------------------------------------------------------


def test_entries_of_one_minute_are_counted(home: Home) -> None:
    ids = [home.memory.remember(f"Event {n}.", Episodic()).ids for n in range(3)]

    first = "episode:2026-02-02:12:00"
    assert ids == [(first,), (f"{first}~2",), (f"{first}~3",)]
    assert home.memory.show(f"{first}~3").text == "Event 2."


def test_an_episode_is_filed_under_the_day_it_happened_in_utc(home: Home) -> None:
    tokyo = timezone(timedelta(hours=9))
    at = datetime(2026, 2, 2, 1, 30, 59, tzinfo=tokyo)

    receipt = home.memory.remember("Woke up.", Episodic(at=at))

    assert receipt.ids == ("episode:2026-02-01:16:30",)
    assert "## 16:30 | event" in home.text("memory/episodes/2026-02-01.md")
    shown = home.memory.show(receipt.ids[0])
    assert shown.created == datetime(2026, 2, 1, 16, 30, tzinfo=UTC)


def test_the_hour_that_is_there_twice_loses_and_doubles_nothing(home: Home) -> None:
    summer, winter = timezone(timedelta(hours=2)), timezone(timedelta(hours=1))
    for zone in (summer, winter):
        at = datetime(2026, 10, 25, 2, 30, tzinfo=zone)
        home.memory.remember("Half past two.", Episodic(at=at))

    assert [item.id for item in home.memory.items()] == [
        "episode:2026-10-25:00:30",
        "episode:2026-10-25:01:30",
    ]


def test_a_day_log_is_only_ever_appended_to(home: Home) -> None:
    home.memory.remember("First.", Episodic())
    before = home.raw(DAY)
    inode = (home.root / DAY).stat().st_ino

    home.memory.remember("Second.", Episodic())

    assert home.raw(DAY).startswith(before)
    assert (home.root / DAY).stat().st_ino == inode


def test_markdown_inside_an_episode_comes_back_as_it_went_in(home: Home) -> None:
    heading = "## 15:00 | fact | confidence:high | tags:[x]"
    text = f"# A title\n\n{heading}\n```\n## code\n```\n- <!-- x -->"

    home.memory.remember(text, Episodic())
    home.memory.remember("Next.", Episodic())

    assert home.memory.show("episode:2026-02-02:12:00").text == text
    assert len(home.memory.items(Store.EPISODIC)) == 2


# --- facts -------------------------------------------------------------------


def test_a_known_fact_is_not_stored_again(home: Home) -> None:
    home.memory.remember("Lives in Berlin", Semantic("Alex", "person"))
    head = home.head

    receipt = home.memory.remember("  Lives in\tBerlin ", Semantic("person--alex"))

    assert (receipt.lines, receipt.commit) == ((), head)
    assert receipt.ids == ("entity:person--alex",)
    assert home.head == head


def test_another_fact_goes_below_the_first(home: Home) -> None:
    home.memory.remember("Lives in Berlin", Semantic("Alex", "person"))
    home.clock.forward(days=1)

    home.memory.remember("Likes tea", Semantic("Alex", "person"))

    assert home.text(ALEX).endswith(
        "- Lives in Berlin <!-- since: 2026-02-02 | source: user-explicit -->\n"
        "- Likes tea <!-- since: 2026-02-03 | source: user-explicit -->\n"
    )
    assert "Last updated: 2026-02-03" in home.text(ALEX)
    assert home.memory.show("entity:person--alex").created == NOON
    assert home.disagreements() == []


def test_a_superseded_fact_is_kept_but_not_shown_as_current(home: Home) -> None:
    home.memory.remember("Lives in Berlin", Semantic("Alex", "person"))
    home.clock.forward(days=10)

    home.memory.remember(
        "Lives in Paris", Semantic("person--alex", supersedes="Lives in Berlin")
    )

    assert re.search(
        r"- ~~Lives in Berlin~~ <!-- since: 2026-02-02 \| until: 2026-02-12 "
        r"\| source: user-explicit \| superseded-by: [0-9a-f]{8} -->\n",
        home.text(ALEX),
    )
    assert home.memory.show("entity:person--alex").text == "Alex\nLives in Paris"
    assert home.memory.check() == []


def test_superseding_a_fact_that_does_not_hold_changes_nothing(home: Home) -> None:
    home.memory.remember("Lives in Berlin", Semantic("Alex", "person"))
    head = home.head

    with pytest.raises(NotFoundError, match="no fact"):
        home.memory.remember(
            "Lives in Paris", Semantic("person--alex", supersedes="Lives in Rome")
        )

    assert home.head == head


def test_links_become_edges_in_the_forward_direction(home: Home) -> None:
    home.memory.remember(
        "Is a memory",
        Semantic(
            "Reverie",
            "project",
            links=(("Developed by", "person--alex"), ("Uses", "tool--git")),
        ),
    )
    home.memory.remember(
        "Has tests",
        Semantic("project--reverie", links=(("uses", "tool--pytest"),)),
    )

    page = home.text("memory/graph/entities/project--reverie.md")
    assert "- Uses: [[tool--git]] <!-- since: 2026-02-02 | fact: " in page
    assert "- Uses: [[tool--pytest]] <!-- since: 2026-02-02 | fact: " in page
    _, _, edges, _ = home.state()
    assert [(e.origin, e.relation, e.target) for e in edges] == [
        ("person--alex", "develops", "project--reverie"),
        ("project--reverie", "uses", "tool--git"),
        ("project--reverie", "uses", "tool--pytest"),
    ]
    assert home.disagreements() == []


def test_a_link_the_page_has_already_adds_nothing(home: Home) -> None:
    place = Semantic("Reverie", "project", links=(("Uses", "tool--git"),))
    home.memory.remember("Is a memory", place)
    head = home.head

    assert home.memory.remember("Is a memory", place).lines == ()
    assert home.head == head


@pytest.mark.parametrize(
    "target", ["git", "../../etc/passwd", "tool--git]]\n- [[x", "tool--g[t", "a b--c d"]
)
def test_a_link_to_something_that_is_no_entitys_name_is_refused(
    home: Home, target: str
) -> None:
    with pytest.raises(RefusedError) as caught:
        home.memory.remember("x", Semantic("Reverie", links=(("Uses", target),)))

    assert caught.value.advice
    assert home.commits() == 1


def test_a_name_written_in_its_own_way_is_kept_as_the_label(home: Home) -> None:
    home.memory.remember("Is a tool", Semantic("gitKraken 2.0", "tool"))

    assert home.memory.show("entity:tool--gitkraken-2-0").title == "gitKraken 2.0"


# --- procedures, vault -------------------------------------------------------


def test_a_known_procedure_learns_when_else_it_is_done(home: Home) -> None:
    deploy = Procedural("how to deploy", "Before a release.")
    home.memory.remember("run the tests", deploy)

    again = Procedural("how to deploy", "On the first Monday of a month")
    receipt = home.memory.remember("run the tests", again)
    twice = home.memory.remember("run the tests", again)

    assert not receipt.known
    assert twice.known
    told = "## Trigger\nBefore a release.\n\nOn the first Monday of a month\n\n## Steps"
    assert told in home.text(DEPLOY)
    assert home.memory.recall("what is done on the first Monday?").hits


def test_a_new_version_of_a_procedure_replaces_its_steps(home: Home) -> None:
    home.memory.remember("run the tests\ntag it", Procedural("how to deploy"))
    before = home.text(DEPLOY)

    home.memory.remember("tag it\ntell people", Procedural("How to deploy.md"))

    assert home.text(DEPLOY).endswith("## Steps\n1. tag it\n2. tell people\n")
    assert "When asked: how to deploy." in home.text(DEPLOY)
    older = home.memory.history(path=DEPLOY)[1].commit
    assert home.git("show", f"{older}:{DEPLOY}") == before


def test_a_vault_name_that_is_taken_gets_a_number(home: Home) -> None:
    ids = [home.memory.remember(f"Text {n}.", Vault("Key")).ids[0] for n in range(3)]

    assert ids == ["vault:key", "vault:key-2", "vault:key-3"]
    assert home.memory.show("vault:key").text == "Text 0."


def test_a_note_without_a_title_takes_its_first_words(home: Home) -> None:
    receipt = home.memory.remember("The key is\nunder the mat.", Vault())

    assert receipt.ids == ("vault:the-key-is",)
    assert home.memory.show("vault:the-key-is").title == "The key is"


# --- core memory and its budget ----------------------------------------------

TIGHT = {"REVERIE_CORE_CONTEXT_TOKENS": "150", "REVERIE_CORE_IDENTITY_TOKENS": "150"}
LONG = " x" * 60


@pytest.fixture
def tight(tmp_path: Path) -> Home:
    """A workspace whose blocks hold about one long item."""
    return Home(tmp_path / "tight", Clock(), **TIGHT)


def test_what_has_to_leave_the_context_becomes_an_episode(tight: Home) -> None:
    tight.memory.remember(f"Old: thing{LONG}", Core(Block.CONTEXT))
    commits = tight.commits()

    receipt = tight.memory.remember(f"New: thing{LONG}", Core(Block.CONTEXT))

    assert receipt.ids == ("core:context/new", "episode:2026-02-02:12:00")
    assert tight.commits() == commits + 1
    assert [line.path for line in receipt.lines] == [CORE, DAY]
    assert "Old: thing" not in tight.text(CORE)
    assert tight.memory.show("episode:2026-02-02:12:00").text == f"Old: thing{LONG}"
    assert "tags:[core-memory]" in tight.text(DAY)
    assert tight.disagreements() == []


def test_what_has_to_leave_another_block_becomes_a_fact_about_the_person(
    tight: Home,
) -> None:
    tight.memory.remember("Name: Alex Doe", Core(Block.IDENTITY, pinned=True))
    tight.memory.remember(f"Old: thing{LONG}", Core(Block.IDENTITY))

    receipt = tight.memory.remember(f"New: thing{LONG}", Core(Block.IDENTITY))

    assert receipt.ids == ("core:identity/new", "entity:person--alex-doe")
    assert f"Old: thing{LONG}" in tight.memory.show("entity:person--alex-doe").text
    assert "- Name: Alex Doe <!-- pinned -->" in tight.text(CORE)
    assert tight.disagreements() == []


def test_without_a_name_the_person_is_the_user(tight: Home) -> None:
    tight.memory.remember(f"Old: thing{LONG}", Core(Block.IDENTITY))

    receipt = tight.memory.remember(f"New: thing{LONG}", Core(Block.IDENTITY))

    assert receipt.ids[1] == "entity:person--user"


def test_several_items_can_leave_at_once_into_the_same_page(tight: Home) -> None:
    for word in ("one", "two", "three"):
        tight.memory.remember(f"{word}: {'y ' * 26}", Core(Block.IDENTITY))

    receipt = tight.memory.remember(f"New: thing{LONG}", Core(Block.IDENTITY))

    page = tight.memory.show("entity:person--user").text
    left = [word for word in ("one", "two", "three") if f"{word}: y" in page]
    stayed = [i.id for i in tight.memory.items(Store.CORE)]
    assert len(left) >= 2
    assert len(left) + len(stayed) == 4
    assert len(receipt.lines) == 2
    assert tight.disagreements() == []


def test_the_least_vivid_item_goes_first(tight: Home) -> None:
    tight.memory.remember(f"Fresh: {'y ' * 20}", Core(Block.CONTEXT))
    tight.clock.forward(days=-300)
    tight.memory.remember(f"Stale: {'y ' * 20}", Core(Block.CONTEXT))
    tight.clock.forward(days=301)

    tight.memory.remember(f"New: {'y ' * 70}", Core(Block.CONTEXT))

    assert [item.id for item in tight.memory.items(Store.CORE)] == [
        "core:context/fresh",
        "core:context/new",
    ]


def test_a_full_block_of_pinned_items_refuses_and_nothing_moves(tight: Home) -> None:
    tight.memory.remember(f"Kept: thing{LONG}", Core(Block.CONTEXT, pinned=True))
    before, head = tight.tracked(), tight.head

    with pytest.raises(RefusedError, match="'Active Context' would hold") as caught:
        tight.memory.remember(f"New: thing{LONG}", Core(Block.CONTEXT))

    assert "unpin" in caught.value.advice
    assert (tight.tracked(), tight.head) == (before, head)


def test_the_whole_file_has_a_cap_too(tmp_path: Path) -> None:
    home = Home(tmp_path / "capped", REVERIE_CORE_CAP_TOKENS="1000")
    home.memory.remember(f"Kept: thing{LONG * 4}", Core(Block.PERSONA, pinned=True))

    with pytest.raises(RefusedError, match="core memory would hold"):
        home.memory.remember(f"New: thing{LONG * 11}", Core(Block.CRITICAL))

    home.memory.close()


def test_the_overview_says_how_full_core_memory_is(home: Home) -> None:
    empty = {use.block: use.tokens for use in home.memory.overview().core}

    home.memory.remember("Prefers tea", Core(Block.IDENTITY))
    overview = home.memory.overview()
    full = {use.block: (use.tokens, use.budget) for use in overview.core}

    assert full[Block.IDENTITY][0] > empty[Block.IDENTITY]
    assert full[Block.PERSONA][0] == empty[Block.PERSONA]
    assert [full[block][1] for block in Block] == [500, 1000, 500, 1000]
    assert (overview.core_cap, overview.counts) == (3000, {"core": 1})
    assert overview.changes == 2


# --- folders that fill up ----------------------------------------------------


@pytest.fixture
def crowded(tmp_path: Path) -> Home:
    """A workspace that splits folders of ten files."""
    home = Home(tmp_path / "crowded", REVERIE_LEDGER_SHARD_LIMIT="10")
    for number in range(10):
        home.memory.remember(f"Note {number}.", Vault(f"note {number}"))
        home.memory.remember(f"Fact {number}.", Semantic(f"Thing {number}", "tool"))
    return home


def test_a_full_folder_is_split_once_and_every_name_stays(crowded: Home) -> None:
    vault = crowded.root / "memory/vault"
    names = {file.name for file in vault.iterdir()}

    receipt = crowded.memory.remember("One too many.", Vault("straw"))
    files = [file for file in vault.rglob("*.md") if file.is_file()]

    assert receipt.ids == ("vault:straw",)
    assert {file.name for file in files} == names | {"straw.md"}
    assert {len(file.relative_to(vault).parts) for file in files} == {2}
    assert crowded.memory.history()[1].lines[0].summary == (
        "10 files moved into smaller folders"
    )
    assert crowded.disagreements() == []


def test_memories_are_shown_pinned_and_taken_back_after_a_split(crowded: Home) -> None:
    written = crowded.memory.history(path="memory/vault/note-3.md")[0]
    crowded.memory.remember("One too many.", Vault("straw"))
    crowded.memory.remember("One too many.", Semantic("Straw", "tool"))

    assert crowded.memory.show("vault:note-3").text == "Note 3."
    crowded.memory.pin("entity:tool--thing-4")
    assert crowded.memory.show("entity:tool--thing-4").pinned
    crowded.memory.undo(written.commit)

    assert "vault:note-3" not in [i.id for i in crowded.memory.items(Store.VAULT)]
    assert len(crowded.memory.items()) == 21
    assert crowded.disagreements() == []


def test_a_fact_about_a_moved_entity_goes_to_where_it_is_now(crowded: Home) -> None:
    crowded.memory.remember("One too many.", Semantic("Straw", "tool"))

    receipt = crowded.memory.remember("Is old.", Semantic("tool--thing-4"))

    assert receipt.lines[0].action == "EDIT"
    assert re.fullmatch(
        r"memory/graph/entities/[0-9a-f]/tool--thing-4.md", receipt.lines[0].path
    )
    assert "Is old." in crowded.memory.show("entity:tool--thing-4").text


def test_a_taken_name_is_seen_in_every_part_of_a_split_folder(crowded: Home) -> None:
    crowded.memory.remember("One too many.", Vault("straw"))

    receipt = crowded.memory.remember("Another.", Vault("note 3"))

    assert receipt.ids == ("vault:note-3-2",)


def test_day_logs_move_into_folders_by_year(tmp_path: Path) -> None:
    home = Home(tmp_path / "years", REVERIE_LEDGER_SHARD_LIMIT="10")
    for number in range(12):
        at = NOON - timedelta(days=40 * number)
        home.memory.remember(f"Event {number}.", Episodic(at=at))

    assert (home.root / "memory/episodes/2026/2026-02-02.md").is_file()
    assert home.memory.show("episode:2025-03-19:12:00").text == "Event 8."
    assert home.disagreements() == []
    home.memory.close()
