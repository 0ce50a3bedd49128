"""What agents are told stands in a person's file, and nothing else there changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.memory.home import CONFIG

from reverie import Actor, RefusedError
from reverie.agents.instructions import (
    BEGIN,
    END,
    KEPT_CURRENT,
    BrokenMarkersError,
    NotForInstructionsError,
    NotTextError,
    instruct,
    instructed,
    instructions,
    refresh,
)
from reverie.model.change import MANUAL, OnlyHumansError
from reverie.model.proposals import BadAgentNameError
from reverie.workspace.files import NotAPlainFileError

if TYPE_CHECKING:
    from tests.memory.home import Home

    from reverie.session.session import House

AGENTS = "AGENTS.md"
MAIN = Actor("bot:main")
SMALL_CORE = "[core]\ncap_tokens = 1234\n"
MINE = "# My agent\n\nBe brief.\n"


def house(home: Home) -> House:
    return home.memory._house  # noqa: SLF001 - tests look behind the door


def test_a_file_that_is_not_there_is_made(home: Home) -> None:
    receipt = instruct(house(home), AGENTS, MANUAL)

    assert receipt is not None
    assert home.text(AGENTS).startswith(f"{BEGIN}\n")
    assert "## Memory System" in home.text(AGENTS)
    assert "CREATE | AGENTS.md | manual" in home.log()[-1]
    assert instructed(house(home), AGENTS)


def test_what_a_person_wrote_stays_and_undo_brings_it_back(home: Home) -> None:
    home.type(AGENTS, MINE)
    receipt = instruct(house(home), AGENTS, MANUAL)

    assert receipt is not None
    assert home.text(AGENTS).startswith(f"{MINE}\n{BEGIN}\n")
    home.memory.undo(receipt.commit)
    assert home.text(AGENTS) == MINE


def test_doing_it_twice_changes_nothing(home: Home) -> None:
    instruct(house(home), AGENTS, MANUAL)
    before = home.commits()

    assert instruct(house(home), AGENTS, MANUAL) is None
    assert home.commits() == before


def test_taking_it_out_leaves_what_was_there(home: Home) -> None:
    home.type(AGENTS, MINE)
    instruct(house(home), AGENTS, MANUAL)
    instruct(house(home), AGENTS, MANUAL, remove=True)

    assert home.text(AGENTS) == MINE
    assert instruct(house(home), AGENTS, MANUAL, remove=True) is None


def test_a_file_with_nothing_else_goes_with_it(home: Home) -> None:
    instruct(house(home), "CLAUDE.md", MANUAL)
    instruct(house(home), "CLAUDE.md", MANUAL, remove=True)

    assert not (home.root / "CLAUDE.md").exists()
    assert "DELETE | CLAUDE.md" in home.log()[-1]


def test_bytes_that_are_no_utf_8_stay_as_they_are(home: Home) -> None:
    home.type(AGENTS, b"caf\xe9\r\n")
    instruct(house(home), AGENTS, MANUAL)

    assert home.raw(AGENTS).startswith(b"caf\xe9\r\n\r\n<!-- reverie:begin -->\r\n")
    instruct(house(home), AGENTS, MANUAL, remove=True)
    assert home.raw(AGENTS) == b"caf\xe9\r\n"


def test_what_is_no_text_is_left_alone(home: Home) -> None:
    home.type(AGENTS, "# Mine\n".encode("utf-16"))

    with pytest.raises(NotTextError, match=r"^AGENTS\.md:1"):
        instruct(house(home), AGENTS, MANUAL)
    assert home.raw(AGENTS) == "# Mine\n".encode("utf-16")


def test_broken_markers_are_told_and_nothing_is_written(home: Home) -> None:
    home.type(AGENTS, f"{MINE}{END}\n")

    with pytest.raises(BrokenMarkersError, match=r"^AGENTS\.md:4: "):
        instruct(house(home), AGENTS, MANUAL)
    assert home.text(AGENTS) == f"{MINE}{END}\n"
    assert not instructed(house(home), AGENTS)


@pytest.mark.parametrize(
    "path",
    [
        *("MEMORY.md", "memory.md", "reverie.toml", "memory/vault/x.md", "../x.md"),
        *("/x.md", "x.txt", ".hidden.md", "", "notes~", "x.sync-conflict-1.md"),
        *("NOTES.md", "agents.md"),
    ],
)
def test_only_what_is_kept_current_takes_instructions(home: Home, path: str) -> None:
    for work in (instruct, instructed):
        with pytest.raises(NotForInstructionsError) as told:
            work(house(home), path)
        assert "AGENTS.md" in told.value.hint


def test_a_link_is_not_followed(home: Home) -> None:
    home.type("CLAUDE.md", MINE)
    (home.root / AGENTS).symlink_to("CLAUDE.md")

    with pytest.raises(NotAPlainFileError):
        instruct(house(home), AGENTS, MANUAL)
    assert home.text("CLAUDE.md") == MINE


def test_the_main_agent_may_write_them_but_not_into_a_critical_file(home: Home) -> None:
    receipt = instruct(house(home), AGENTS, MAIN)

    assert receipt is not None
    assert "| auto |" in home.log()[-1]
    assert home.memory.alerts() == []
    with pytest.raises(OnlyHumansError):
        instruct(house(home), "SOUL.md", MAIN)
    assert instruct(house(home), "SOUL.md", MANUAL) is not None


@pytest.mark.parametrize(
    "actor", ["subagent:coder", "skill:x", "bot:auto-detect", "system:init"]
)
def test_nobody_else_may(home: Home, actor: str) -> None:
    with pytest.raises(RefusedError):
        instruct(house(home), AGENTS, Actor(actor))
    assert not (home.root / AGENTS).exists()


def test_the_words_are_those_of_this_workspace(home: Home) -> None:
    home.type(CONFIG, SMALL_CORE)
    home.reopen()

    assert "1,234 tokens" in instructions(house(home))
    assert "--agent coder" in instructions(house(home), "coder")
    with pytest.raises(BadAgentNameError):
        instructions(house(home), "main")


# --- kept current ------------------------------------------------------------


def outdated(home: Home, *paths: str) -> None:
    for path in paths:
        instruct(house(home), path, MANUAL)
    home.type(CONFIG, SMALL_CORE)
    home.reopen()


def test_a_changed_configuration_is_taken_over_where_the_section_stands(
    home: Home,
) -> None:
    home.type("CLAUDE.md", f"{MINE}\n")
    outdated(home, AGENTS, "CLAUDE.md")
    assert not instructed(house(home), AGENTS)

    receipt = refresh(house(home))

    assert receipt is not None
    assert [line.path for line in receipt.lines] == [AGENTS, "CLAUDE.md"]
    assert str(receipt.actor) == "system:init"
    assert f"Trigger: {KEPT_CURRENT}" in home.message()
    assert "1,234 tokens" in home.text(AGENTS)
    assert home.text("CLAUDE.md").startswith(f"{MINE}\n\n{BEGIN}\n")
    assert refresh(house(home)) is None


def test_it_never_begins_by_itself(home: Home) -> None:
    home.type(AGENTS, MINE)
    before = home.commits()

    assert refresh(house(home)) is None
    assert home.commits() == before
    assert home.text(AGENTS) == MINE


def test_broken_markers_and_odd_files_keep_nobody_from_anything(home: Home) -> None:
    outdated(home, AGENTS)
    home.type("CLAUDE.md", f"{BEGIN}\n")
    home.type("TOOLS.md", b"\0\0")
    (home.root / "USER.md").mkdir()

    receipt = refresh(house(home))

    assert receipt is not None
    assert [line.path for line in receipt.lines] == [AGENTS]
    assert home.text("CLAUDE.md") == f"{BEGIN}\n"


def test_a_critical_file_is_not_changed_behind_anybodys_back(home: Home) -> None:
    outdated(home, "SOUL.md")
    before = home.text("SOUL.md")

    assert refresh(house(home)) is None
    assert home.text("SOUL.md") == before
    assert not instructed(house(home), "SOUL.md")


def test_an_edit_by_hand_outside_the_markers_survives_a_refresh(home: Home) -> None:
    outdated(home, AGENTS)
    home.type(AGENTS, f"Typed above.\n{home.text(AGENTS)}Typed below.")

    assert refresh(house(home)) is not None
    assert home.text(AGENTS).startswith(f"Typed above.\n{BEGIN}\n")
    assert home.text(AGENTS).endswith(f"{END}\nTyped below.")
