"""`history`, `diff` and `blame`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.interfaces.cli.conftest import Desk


def test_history_tells_who_when_and_what(desk: Desk) -> None:
    commit = desk.json("remember", "Hello.")["commit"]

    told = desk.done("history").out

    assert told.startswith(f"{commit[:10]}  2026-02-02 ")
    assert "\n  CREATE memory/episodes/2026-02-02.md — Hello.\n" in told
    assert "system:init  reverie init" in told
    assert "… and " in told


def test_history_is_of_one_file_or_actor_or_time(desk: Desk) -> None:
    desk.left_alone("remember", "Hello.")
    desk.wait(hours=3)
    desk.write("MEMORY.md", "# Mine\n")

    paths = [
        entry["lines"][0]["path"] for entry in desk.json("history", "--actor", "manual")
    ]
    assert paths == ["MEMORY.md"]
    assert len(desk.json("history", "memory/episodes/2026-02-02.md")) == 1
    assert len(desk.json("history", "--since", "2 hours ago")) == 1
    assert len(desk.json("history", "--since", "yesterday")) == 3
    assert (
        desk.done("history", "MEMORY.md", "--actor", "reflection").out
        == "No changes.\n"
    )
    assert desk.type("history", "never.md").code == 3


def test_history_says_when_there_is_more(desk: Desk) -> None:
    desk.done("remember", "Hello.")

    assert desk.done("history", "-n", "1").out.endswith("\n… and more (--limit 0)\n")
    assert "more (--limit" not in desk.done("history", "-n", "2").out
    assert len(desk.json("history", "-n", "1")) == 1
    assert len(desk.json("history", "-n", "0")) == 2


def test_history_tells_why_something_was_forgotten(desk: Desk) -> None:
    words = "remember X123. --store vault --actor manual --title Passport"
    desk.done(*words.split())
    desk.json("check")
    (desk.root / "memory/vault/passport.md").unlink()

    (entry,) = desk.json("history", "--forgotten", "passport")

    assert (entry["actor"], entry["lines"][0]["action"]) == ("manual", "DELETE")
    typed = desk.done("history", "--forgotten", "moon")
    assert typed.out == "No changes.\n"


def test_history_tells_what_a_reflection_did(desk: Desk) -> None:
    assert desk.type("history", "--session", "last").code == 3
    desk.dreamt("Hello.")
    desk.done("remember", "Hi.")

    assert len(desk.json("history", "--session", "r-012")) == 1
    assert desk.json("history", "--session", "last") == desk.json(
        "history", "--session", "reflection:r-012"
    )


def test_a_diff_shows_what_a_change_did(desk: Desk) -> None:
    commit = desk.json("remember", "Hello.")["commit"][:10]

    told = desk.done("show", commit).out

    assert "+++ b/memory/episodes/2026-02-02.md\n" in told
    assert "\n+Hello.\n" in told
    assert desk.json("show", commit) == {"commit": commit, "diff": told}


def test_a_change_that_touched_nothing_has_no_diff(desk: Desk) -> None:
    desk.write("SOUL.md", "Be kind.\n")
    desk.done("alerts", "--ack")
    commit = desk.json("history", "-n", "1")[0]["commit"]

    assert desk.done("show", commit).out == "This change touched no files.\n"


def test_a_change_nobody_made_is_said_so(desk: Desk) -> None:
    for commit in ("zzz", "0123456789"):
        assert desk.type("show", commit).code == 3


def test_every_line_of_a_file_is_accounted_for(desk: Desk) -> None:
    desk.done("remember", "Hello.")
    desk.write("SOUL.md", "Be kind.\nBe brief.\n")

    lines = desk.json("history", "--lines", "SOUL.md")

    assert [(line["number"], line["text"]) for line in lines] == [
        (1, "Be kind."),
        (2, "Be brief."),
    ]
    assert "manual     2  Be brief.\n" in desk.done("history", "--lines", "SOUL.md").out
    assert desk.type("history", "--lines", "nope.md").code == 3
    assert desk.type("history", "--lines", "../x.md").code == 5


def test_an_empty_file_has_nobody_to_blame(desk: Desk) -> None:
    desk.write("SOUL.md", "")

    assert desk.done("history", "--lines", "SOUL.md").out == "The file is empty.\n"
