"""`instructions`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.interfaces.cli.conftest import Desk

BEGIN = "<!-- reverie:begin -->"
END = "<!-- reverie:end -->"


def test_the_instructions_are_printed_and_nothing_is_written(desk: Desk) -> None:
    told = desk.done("instruct").out

    assert told.startswith("## Memory System\n\n")
    assert "Cap: 3,000 tokens" in told
    assert BEGIN not in told
    assert not (desk.root / "AGENTS.md").exists()
    assert desk.json("instruct")["text"] == told


def test_a_sub_agents_are_printed_for_its_name(desk: Desk) -> None:
    told = desk.done("instruct", "--for", "researcher").out

    assert told.startswith("## Memory Access\n")
    assert "propose --agent researcher" in told
    assert desk.done("instruct", "--agent", "researcher").out == told
    assert desk.type("instruct", "--for", "Main Agent!").code == 5


def test_they_are_written_checked_and_taken_out(desk: Desk) -> None:
    desk.write("AGENTS.md", "# Mine\n")

    assert desk.type("instruct", "--check").code == 1
    written = desk.done("instruct", "--write", "--actor", "manual").out
    assert written.startswith("Written to AGENTS.md  ")
    assert desk.done("instruct", "--check").out == "AGENTS.md is current.\n"
    again = desk.done("instruct", "--write", "--actor", "manual").out
    assert again == "AGENTS.md is current already.\n"
    gone = desk.done("instruct", "--remove", "--actor", "manual").out
    assert gone.startswith("Taken out of AGENTS.md  ")
    assert (desk.root / "AGENTS.md").read_text("utf-8") == "# Mine\n"
    none = desk.done("instruct", "--remove", "--actor", "manual").out
    assert none == "AGENTS.md has no instructions.\n"


def test_a_changed_configuration_is_noticed(desk: Desk) -> None:
    desk.done("instruct", "--write")
    desk.write("reverie.toml", "[recall]\ngraph_depth = 4\n")

    typed = desk.type("instruct", "--check")

    assert typed.code == 1
    assert "instruct --write`" in typed.out
    checked = desk.type("instruct", "--check", "--json")
    assert checked.json == {"file": "AGENTS.md", "current": False}
    desk.done("instruct", "--write")
    assert "over 4 hops" in (desk.root / "AGENTS.md").read_text("utf-8")


def test_another_file_can_be_named_as_a_person_types_it(desk: Desk) -> None:
    desk.write("CLAUDE.md", "# Mine\n")
    name = str(desk.root / "CLAUDE.md")

    desk.done("instruct", "--write", "--file", name)

    assert BEGIN in (desk.root / "CLAUDE.md").read_text("utf-8")
    assert desk.done("instruct", "--check", "--file", "CLAUDE.md").code == 0
    assert desk.type("instruct", "--check").code == 1


@pytest.mark.parametrize("file", ["MEMORY.md", "reverie.toml", "memory/x.md"])
def test_a_file_that_is_not_meant_for_it_is_refused(desk: Desk, file: str) -> None:
    for wish in ("--write", "--check", "--remove"):
        assert desk.type("instruct", wish, "--file", file).code == 5


def test_broken_markers_are_told_with_file_and_line(desk: Desk) -> None:
    desk.write("AGENTS.md", f"# Mine\n{END}\n")

    typed = desk.type("instruct", "--write")

    assert typed.code == 7
    assert "AGENTS.md:2: " in typed.err
    assert "Nothing was changed." in typed.err
    assert desk.type("instruct", "--check").code == 1


@pytest.mark.parametrize(
    "words",
    [
        ("--write", "--remove"),
        ("--check", "--write"),
        ("--for", "coder", "--write"),
    ],
)
def test_wishes_that_exclude_each_other_are_refused(
    desk: Desk, words: tuple[str, ...]
) -> None:
    assert desk.type("instruct", *words).code == 2


def test_a_program_does_not_sign_as_a_person(desk: Desk) -> None:
    desk.person = False

    assert desk.type("instruct", "--write", "--actor", "manual").code == 5
    desk.done("instruct", "--write")
    assert "bot:main" in desk.done("history", "AGENTS.md").out
