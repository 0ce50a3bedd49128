"""People edit files whenever they like: it is noticed, kept, and told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.memory.home import ALEX, CORE, DAY, DEPLOY, PASSPORT, Home

from reverie import Episodic, Memory, Procedural, Semantic, Severity, Store, Vault

if TYPE_CHECKING:
    from collections.abc import Callable

LOOKS: dict[str, Callable[[Memory], object]] = {
    "show": lambda memory: memory.show("vault:passport"),
    "items": lambda memory: memory.items(),
    "overview": lambda memory: memory.overview(),
    "history": lambda memory: memory.history(),
    "blame": lambda memory: memory.blame(PASSPORT),
    "alerts": lambda memory: memory.alerts(),
    "check": lambda memory: memory.check(),
    "rebuild": lambda memory: memory.rebuild(),
}


@pytest.mark.parametrize("verb", LOOKS)
def test_every_verb_that_reports_notices_an_edit_first(
    furnished: Home, verb: str
) -> None:
    furnished.type(PASSPORT, "# Passport\n\nIn the red box now.\n")

    LOOKS[verb](furnished.memory)

    told = [
        entry
        for entry in furnished.memory.history(actor="manual")
        if entry.lines[0].path == PASSPORT
    ]
    assert [entry.approval for entry in told] == ["—"]
    assert told[0].trigger == "direct human edit"
    assert furnished.memory.show("vault:passport").text == "In the red box now."
    assert furnished.text(PASSPORT) == "# Passport\n\nIn the red box now.\n"
    assert furnished.disagreements() == []


def test_the_log_says_how_much_was_added_and_removed(furnished: Home) -> None:
    furnished.type(ALEX, furnished.text(ALEX).replace("Berlin", "Rome") + "- Sings\n")

    furnished.memory.history()

    assert furnished.log()[-1] == (
        f"2026-02-02T12:00Z | EDIT | {ALEX} | manual | — "
        "| direct human edit: 2 lines added, 1 removed"
    )


def test_an_edit_to_a_file_that_is_about_to_be_written_is_committed_first(
    furnished: Home,
) -> None:
    furnished.type(ALEX, furnished.text(ALEX) + "- Sings in a choir\n")

    furnished.memory.remember("Likes tea", Semantic("person--alex"))
    ours, theirs = furnished.memory.history(limit=2)

    assert (str(ours.actor), str(theirs.actor)) == ("bot:trigger-remember", "manual")
    assert (
        "Sings in a choir\nLikes tea"
        in furnished.memory.show("entity:person--alex").text
    )


def test_a_file_somebody_made_is_a_memory(furnished: Home) -> None:
    furnished.type("memory/vault/pin-code.md", "1234\n")
    furnished.type("memory/procedures/brew-tea.md", "## Trigger\nTea time\n")

    assert furnished.memory.show("vault:pin-code").text == "1234"
    assert furnished.memory.show("procedure:brew-tea").actor == "manual"
    assert furnished.disagreements() == []


def test_a_file_somebody_removed_is_gone_and_can_come_back(furnished: Home) -> None:
    (furnished.root / PASSPORT).unlink()

    assert furnished.memory.items(Store.VAULT) == []
    assert furnished.memory.history()[0].lines[0].action == "DELETE"
    furnished.memory.undo()

    assert furnished.memory.show("vault:passport").text == "In the blue box."
    assert furnished.disagreements() == []


def test_a_renamed_file_is_a_renamed_memory(furnished: Home) -> None:
    (furnished.root / PASSPORT).rename(furnished.root / "memory/vault/id-card.md")

    assert [item.id for item in furnished.memory.items(Store.VAULT)] == [
        "vault:id-card"
    ]
    assert furnished.disagreements() == []


def test_a_file_moved_into_a_folder_of_its_own_stays_the_same_memory(
    furnished: Home,
) -> None:
    furnished.clock.forward(days=1)
    moved = furnished.root / "memory/vault/papers/passport.md"
    moved.parent.mkdir()
    (furnished.root / PASSPORT).rename(moved)

    shown = furnished.memory.show("vault:passport")

    assert shown.path == "memory/vault/papers/passport.md"
    assert shown.created.day == 2
    assert furnished.disagreements() == []


def test_a_second_file_of_the_same_name_is_reported_and_hides_nothing(
    furnished: Home,
) -> None:
    copy = "memory/vault/papers/passport.md"
    furnished.type(copy, "# Passport\n\nA copy.\n")

    (found,) = furnished.memory.check()
    assert (found.path, found.line) == (copy, 1)
    assert PASSPORT in found.what
    assert furnished.memory.show("vault:passport").text == "A copy."
    assert furnished.disagreements() == []

    (furnished.root / copy).unlink()
    assert furnished.memory.show("vault:passport").text == "In the blue box."
    assert furnished.disagreements() == []


def test_the_first_of_two_files_can_go_too(furnished: Home) -> None:
    copy = "memory/vault/zettel/passport.md"
    furnished.type(copy, "# Passport\n\nA copy.\n")
    assert furnished.memory.show("vault:passport").path == PASSPORT

    (furnished.root / PASSPORT).unlink()

    assert furnished.memory.show("vault:passport").path == copy
    assert furnished.disagreements() == []


def test_an_entry_added_to_a_day_log_by_hand_is_an_episode(furnished: Home) -> None:
    heading = "\n## 12:00 | fact | confidence:low | tags:[tea]\n"
    furnished.type(DAY, furnished.text(DAY) + heading + "Tea is out.\n")

    assert furnished.memory.show("episode:2026-02-02:12:00~2").text == "Tea is out."
    assert furnished.memory.history()[0].lines[0].action == "APPEND"
    assert furnished.disagreements() == []


def test_pins_written_by_hand_count(furnished: Home) -> None:
    furnished.type(ALEX, furnished.text(ALEX).replace("Pinned: no", "Pinned: yes"))
    furnished.type(DEPLOY, furnished.text(DEPLOY).replace("Pinned: no", "Pinned: yes"))
    core = furnished.text(CORE)
    furnished.type(CORE, core.replace("the ledger", "the ledger <!-- pinned -->"))

    pinned = [item.id for item in furnished.memory.items() if item.pinned]

    assert pinned == [
        "core:context/working-on",
        "entity:person--alex",
        "procedure:how-to-deploy",
        "vault:passport",
    ]
    assert furnished.disagreements() == []


def test_many_edits_at_once_are_one_commit_with_a_line_each(furnished: Home) -> None:
    commits = furnished.commits()
    for number in range(5):
        furnished.type(f"memory/vault/n{number}.md", f"# {number}\n\nText.\n")
    furnished.type("USER.md", "# User\n")

    entry = furnished.memory.history()[0]

    assert furnished.commits() == commits + 1
    assert len(entry.lines) == 6
    assert len(furnished.log()) >= 6


def test_a_touched_file_that_says_the_same_is_no_change(furnished: Home) -> None:
    head = furnished.head
    furnished.type(PASSPORT, furnished.raw(PASSPORT))
    (furnished.root / ALEX).touch()

    furnished.memory.check()

    assert furnished.head == head


@pytest.mark.parametrize(
    "name",
    [
        "passport.sync-conflict-20260202-120000-ABCDEFG.md",
        "passport (Alex's conflicted copy 2026-02-02).md",
    ],
)
def test_a_synchronisers_copy_is_listed_and_nothing_else(
    furnished: Home, name: str
) -> None:
    head = furnished.head
    furnished.type(f"memory/vault/{name}", "# Passport\n\nThe other version.\n")

    (found,) = furnished.memory.check()

    assert found.path == f"memory/vault/{name}"
    assert "second copy" in found.what
    assert found.mend
    assert len(furnished.memory.items(Store.VAULT)) == 1
    assert furnished.head == head


@pytest.mark.parametrize(
    "name", [".passport.md.swp", "passport.md~", "#passport.md#", "4913", "x.tmp"]
)
def test_what_an_editor_leaves_for_a_moment_is_not_seen(
    furnished: Home, name: str
) -> None:
    head = furnished.head
    furnished.type(f"memory/vault/{name}", "half a note")

    assert furnished.memory.check() == []
    assert furnished.head == head


def test_a_large_file_is_reported_and_left_alone(furnished: Home) -> None:
    furnished.reopen(REVERIE_LEDGER_FILE_LIMIT="8192")
    furnished.type("memory/vault/big.md", "x" * 9000)
    head = furnished.head

    (found,) = furnished.memory.check()

    assert (found.path, furnished.head) == ("memory/vault/big.md", head)
    assert "9,000 bytes" in found.what
    furnished.memory.remember("Small.", Vault("small"))


def test_names_that_are_one_on_other_systems_are_reported(furnished: Home) -> None:
    furnished.type("memory/vault/Passport.md", "# Passport\n\nAnother.\n")

    found = [f.what for f in furnished.memory.check()]

    assert any("same name" in what for what in found)


def test_a_file_that_was_broken_for_a_while_keeps_its_pins(furnished: Home) -> None:
    furnished.memory.remember("Later.", Episodic())
    furnished.memory.pin("episode:2026-02-02:12:00~2")
    good = furnished.raw(DAY)
    furnished.type(DAY, b"\xff" + good)
    assert furnished.memory.items(Store.EPISODIC) == []

    furnished.type(DAY, good)

    assert furnished.memory.show("episode:2026-02-02:12:00~2").pinned
    assert furnished.disagreements() == []


def test_somebody_who_edits_while_nothing_runs_is_noticed_at_the_next_start(
    furnished: Home,
) -> None:
    furnished.memory.close()
    furnished.type(PASSPORT, "# Passport\n\nIn the red box now.\n")

    furnished.reopen()

    assert furnished.memory.show("vault:passport").text == "In the red box now."


def test_remembering_notices_edits_elsewhere_now_and_then(
    furnished: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    furnished.reopen()
    furnished.type(PASSPORT, "# Passport\n\nIn the red box now.\n")
    far = 4e9  # in the year 2096
    monkeypatch.setattr("reverie.session.session.time.time", lambda: far)

    furnished.memory.remember("steps", Procedural("tea"))
    actors = furnished.git("log", "-2", "--format=%an").split()

    assert actors == ["bot:trigger-remember", "manual"]


# --- whatever stands in a file is found ----------------------------------------------

LOOSE = {
    "memory/graph/entities/concept--tea.md": "Oolong comes from Fujian.\n\n## Facts\n",
    "memory/graph/entities/Yoga.md": "# Yoga\n\nMy mat is purple.\n",
    "memory/procedures/bake.md": "# bake.md\n\nKnead until elastic.\n",
    "memory/procedures/My way.md": "Whistle loudly.\n",
    DAY: "Slept badly.\n\n## 14:00\nLunch with Marta.\n",
    "memory/episodes/ideas.md": "A glasshouse for lemons.\n",
    "memory/2026-01-05.md": "| who | what |\n| --- | --- |\n| Ines | lutes |\n",
    "memory/notes/deep/er.md": "- outer\n  - inner walnut\n",
    "Plans.md": "---\nstatus: sketched\n---\nBuild a jetty.\n",
}


@pytest.mark.parametrize(
    ("words", "path", "line"),
    [
        ("oolong Fujian", "memory/graph/entities/concept--tea.md", 1),
        ("purple mat", "memory/graph/entities/Yoga.md", 1),
        ("knead elastic", "memory/procedures/bake.md", 1),
        ("whistle", "memory/procedures/My way.md", 1),
        ("slept badly", DAY, 1),
        ("lunch Marta", DAY, 3),
        ("glasshouse", "memory/episodes/ideas.md", 1),
        ("lutes", "memory/2026-01-05.md", 1),
        ("walnut", "memory/notes/deep/er.md", 1),
        ("jetty", "Plans.md", 4),
        ("sketched", "Plans.md", 1),
    ],
)
def test_hand_written_markdown_is_found_with_its_line(
    home: Home, words: str, path: str, line: int
) -> None:
    for name, text in LOOSE.items():
        home.type(name, text)

    found = home.memory.check()  # which looks
    hit = home.memory.recall(words).hits[0]

    assert (hit.path, hit.line) == (path, line)
    assert home.disagreements() == []
    assert not any(each.severity is Severity.ERROR for each in found)


def test_what_is_remembered_goes_below_loose_text_and_both_are_found(
    home: Home,
) -> None:
    home.type(DAY, "Slept badly.\n\n## 14:00\nLunch with Marta.\n")
    home.memory.check()
    before = home.text(DAY)

    home.memory.remember("The kiln is hot.", Episodic())

    assert home.text(DAY).startswith(before)
    assert home.disagreements() == []
    assert home.memory.recall("Marta").hits[0].id.startswith("note:")
    assert home.memory.recall("kiln").hits[0].id == "episode:2026-02-02:12:00"


def test_a_file_that_grew_too_large_is_left_alone_and_all_else_goes_on(
    home: Home,
) -> None:
    home.type("SOUL.md", "# Soul\n")
    home.memory.called("")
    home.type("SOUL.md", b"# Soul\n" + b"\n" * (10 << 20))
    home.memory.remember("It rained.", Episodic())

    assert [hit.text for hit in home.memory.recall("rain").hits] == ["It rained."]
    assert any(found.path == "SOUL.md" for found in home.memory.check())
