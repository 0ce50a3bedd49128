"""`audit`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.interfaces.cli.conftest import on_a_screen

from reverie.interfaces.cli.auditing import audit_page, worst
from reverie.interfaces.cli.page import render_plain
from reverie.memory.auditing import audit
from reverie.model.audit import Fault, Judgement, Spot

if TYPE_CHECKING:
    from pathlib import Path

    from tests.interfaces.cli.conftest import Desk

TOKEN = "ghp_" + "Zq81Lm4T" * 4 + "kk2P"


def store(tmp_path: Path, text: str) -> str:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text(text, encoding="utf-8")
    return str(folder)


def fault(number: int, judgement: Judgement = Judgement.JUNK) -> Fault:
    return Fault(judgement, Spot("a.md", number), "x", "why", "mend")


def test_a_store_is_scored_and_every_finding_has_a_place(
    nowhere: Desk, tmp_path: Path
) -> None:
    path = store(
        tmp_path, f"# N\n\n- Likes tea\n- ok\n- Token {TOKEN}\n- Bakes\u202e x\n"
    )

    out = nowhere.done("audit", path).out

    assert out.startswith(f"Audit of {path}\nMarkdown: 4 memories in 1 file\n\nScore: ")
    assert "of 100, bad\n" in out
    assert "\nJunk\n  a.md:4: an acknowledgement" in out
    assert "\nSecrets\n  a.md:5: a secret in plain text" in out
    assert "Bakes⟦U+202E⟧ x" in out
    assert "\nNext\n  1. Change every secret" in out
    assert out.splitlines()[-1].startswith("Score: percent of memories")


def test_not_one_byte_of_a_secret_is_printed(nowhere: Desk, tmp_path: Path) -> None:
    path = store(tmp_path, f"- Token {TOKEN}\n\n- Token {TOKEN}, tomorrow\n")

    plain = nowhere.done("audit", path, "--all")
    as_json = nowhere.done("audit", path, "--json")

    for part in (TOKEN, TOKEN[4:12], TOKEN[-6:]):
        assert part not in plain.out + plain.err + as_json.out + as_json.err


def test_the_table_has_a_row_for_each_judgement(nowhere: Desk, tmp_path: Path) -> None:
    out = nowhere.done("audit", store(tmp_path, "- Likes tea\n- ok\n")).out

    assert "judged for      found  memories  share   score\n" in out
    assert "junk                1         1  50.0 %     50\n" in out
    assert "secrets             0         0       -    100\n" in out


def test_a_program_gets_the_whole_value(nowhere: Desk, tmp_path: Path) -> None:
    path = store(tmp_path, "- Likes tea\n- ok\n" + "- Done\n" * 30)

    told = nowhere.json("audit", path)

    assert list(told) == [
        *("root", "store", "files", "memories", "conversations", "score", "grade"),
        *("formula", "marks", "faults", "left_out", "steps"),
    ]
    assert len(told["faults"]) == 31
    assert told["faults"][0] == {
        "judgement": "junk",
        "spot": {"path": "a.md", "line": 2},
        "quote": "ok",
        "why": "an acknowledgement, not a memory",
        "mend": "Delete it.",
        "also": [],
    }
    assert told["marks"][4] == {
        "judgement": "junk",
        "faults": 31,
        "memories": 31,
        "share": 0.9688,
        "score": 3,
    }


def test_only_the_worst_are_listed_unless_all_are_wanted(
    nowhere: Desk, tmp_path: Path
) -> None:
    path = store(tmp_path, "- Likes tea\n" + "- Done\n" * 30)

    some, everything = nowhere.done("audit", path), nowhere.done("audit", path, "--all")

    assert some.out.count("an acknowledgement") == 20
    assert "… and 10 more (--all)" in some.out
    assert everything.out.count("an acknowledgement") == 30


def test_without_a_path_the_workspace_is_audited(desk: Desk) -> None:
    desk.done("remember", "Lou bakes rye bread in Ghent.", "--store", "episodic")

    told = desk.json("audit")

    assert (told["store"], told["memories"], told["score"]) == ("reverie", 1, 100)


def test_an_empty_workspace_has_nothing_to_judge(desk: Desk) -> None:
    assert "There are no memories in it." in desk.done("audit").out


@pytest.mark.parametrize(("least", "code"), [("50", 0), ("51", 1), ("0", 0)])
def test_a_build_may_fail_under_a_score(
    nowhere: Desk, tmp_path: Path, least: str, code: int
) -> None:
    path = store(tmp_path, "- Likes tea\n- ok\n")

    assert nowhere.type("audit", path, "--fail-under", least).code == code


def test_nothing_there_is_said_so(nowhere: Desk, tmp_path: Path) -> None:
    typed = nowhere.type("audit", str(tmp_path / "no"))

    assert typed.code == 3
    assert "there is no file or folder" in typed.err


def test_what_is_left_out_is_told(nowhere: Desk, tmp_path: Path) -> None:
    path = store(tmp_path, "- Likes tea\n")
    (tmp_path / "notes" / "b.md").write_bytes(b"\0\xff")
    (tmp_path / "notes" / "c.md").write_text("user: x\n\nassistant: y\n\n" * 4)

    out = nowhere.done("audit", path).out

    assert "1 transcript left out" in out
    assert "\nLeft out (1)\n  b.md: is not text\n" in out


def test_each_judgement_is_among_the_worst() -> None:
    found = [fault(n, Judgement.SECRETS) for n in range(1, 31)]
    found += [fault(n, Judgement.SIZE) for n in range(31, 34)]

    listed = worst(found, 20)

    assert len(listed) == 20
    assert [each.spot.line for each in listed[-2:]] == [31, 32]
    assert worst(found, 100) == found


def test_a_screen_shows_it_in_colours(tmp_path: Path) -> None:
    path = store(tmp_path, "- Likes tea\n- ok\n")

    code, screen = on_a_screen(("audit", path))

    assert code == 0
    assert "an acknowledgement" in screen


def test_many_places_are_counted_not_listed(nowhere: Desk, tmp_path: Path) -> None:
    line = "- Lou bakes the rye bread for the whole street on Saturdays\n"
    out = nowhere.done("audit", store(tmp_path, line * 9)).out

    assert "also a.md:2, a.md:3, a.md:4 and 5 more\n" in out


def test_a_page_can_be_made_of_any_report(tmp_path: Path) -> None:
    report = audit(store(tmp_path, ""))

    assert "There are no memories in it." in render_plain(audit_page(report))
