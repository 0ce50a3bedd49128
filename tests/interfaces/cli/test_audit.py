"""`audit`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.interfaces.cli.conftest import on_a_screen

if TYPE_CHECKING:
    from pathlib import Path

    from tests.interfaces.cli.conftest import Desk

TOKEN = "ghp_" + "Zq81Lm4T" * 4 + "kk2P"
BREAD = "- Lou bakes the rye bread for the whole street on Saturdays\n"


def store(tmp_path: Path, text: str) -> str:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text(text, encoding="utf-8")
    return str(folder)


def test_what_is_found_is_counted_placed_and_can_be_mended(
    nowhere: Desk, tmp_path: Path
) -> None:
    path = store(tmp_path, f"- Likes tea\n- Token {TOKEN}\n- Bakes\u202e [[x]]\n")
    (tmp_path / "notes" / "AGENTS.md").write_text("Be brief.\n", encoding="utf-8")
    (tmp_path / "notes" / "b.md").write_bytes(b"\0\xff")

    out = nowhere.done("audit", path).out

    assert out.startswith(f"Audit of {path}\nmarkdown: 4 entries in 2 files, ")
    assert "looked for  found\nsecrets         1\ninvisible       1\n" in out
    assert "loops           0\n" in out
    assert "\nSecrets (1)\n  a.md:2: " in out
    assert "\n  Change each where it is used, " in out
    assert "\n  a.md:3: U+202E right-to-left override\n" in out
    assert "\nDead links (1)\n  a.md:3: [[x]] leads nowhere\n" in out
    assert "\nLoaded at every start\n  .: about 4 tokens (AGENTS.md 4)\n" in out
    assert "\nLeft out (1)\n  b.md: is not text\n" in out


def test_not_one_byte_of_a_secret_is_printed(nowhere: Desk, tmp_path: Path) -> None:
    path = store(tmp_path, f"- Token {TOKEN}\n\n- Token {TOKEN}, [x]({TOKEN}.md)\n")

    plain = nowhere.done("audit", path, "--all")
    as_json = nowhere.done("audit", path, "--json")

    for part in (TOKEN, TOKEN[4:12], TOKEN[-6:]):
        assert part not in plain.out + plain.err + as_json.out + as_json.err


def test_a_program_gets_a_simple_shape(nowhere: Desk, tmp_path: Path) -> None:
    told = nowhere.json("audit", store(tmp_path, BREAD * 3))

    assert list(told) == [
        *("root", "store", "files", "size", "entries", "counts", "starts", "left_out")
    ]
    assert [count["fault"] for count in told["counts"]] == [
        *("secrets", "invisible", "loops", "duplicates", "dead-links")
    ]
    assert told["counts"][3] == {
        "fault": "duplicates",
        "found": 2,
        "mend": "Keep one of each and delete the others.",
        "examples": [
            {
                "spot": {"path": "a.md", "line": 1},
                "what": f"“{BREAD[2:-1]}” stands in 3 places",
                "also": [{"path": "a.md", "line": 2}, {"path": "a.md", "line": 3}],
            }
        ],
    }


def test_a_few_are_named_unless_all_are_wanted(nowhere: Desk, tmp_path: Path) -> None:
    path = store(tmp_path, "[[x]]\n" * 9 + BREAD * 9)

    some, everything = nowhere.done("audit", path), nowhere.done("audit", path, "--all")

    assert some.out.count("leads nowhere") == 3
    assert "… and more (--all)" in some.out
    assert "also a.md:11, a.md:12, a.md:13 and 5 more\n" in some.out
    assert everything.out.count("leads nowhere") == 9
    assert "(--all)" not in everything.out


def test_without_a_path_the_workspace_is_audited(desk: Desk) -> None:
    desk.done("remember", "Lou bakes rye bread in Ghent.", "--store", "episodic")

    told = desk.json("audit")

    assert (told["store"], told["entries"]) == ("reverie", 1)


@pytest.mark.parametrize(("fault", "code"), [("duplicates", 1), ("secrets", 0)])
def test_a_build_may_fail_on_a_fault(
    nowhere: Desk, tmp_path: Path, fault: str, code: int
) -> None:
    path = store(tmp_path, BREAD * 2)

    assert nowhere.type("audit", path, "--fail-on", fault).code == code


def test_nothing_there_is_said_so(nowhere: Desk, tmp_path: Path) -> None:
    typed = nowhere.type("audit", str(tmp_path / "no"))

    assert typed.code == 3
    assert "there is no file or folder" in typed.err


def test_a_screen_shows_it_in_colours(tmp_path: Path) -> None:
    code, screen = on_a_screen(("audit", store(tmp_path, "[[x]]\n")))

    assert code == 0
    assert "leads nowhere" in screen
