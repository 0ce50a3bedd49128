"""Secrets and invisible characters, wherever in a file they stand."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from tests.encoding.auditing.stores import audited, faults, found_in, places, write

if TYPE_CHECKING:
    from pathlib import Path

KEY = "ghp_" + "x7Kq2Lm9" * 4 + "aB3d"


def test_a_secret_is_found_on_its_line_and_never_quoted(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": f"- Likes tea\n- The token is\n  {KEY}\n"})

    (fault,) = faults(tmp_path, "secrets")

    assert str(fault.spot) == "a.md:3"
    assert KEY not in repr(audited(tmp_path))
    assert KEY[4:12] not in repr(audited(tmp_path))


@pytest.mark.parametrize(
    "text",
    [
        f"---\ntoken: {KEY}\n---\nLikes tea\n",
        f"<!-- {KEY} -->\n\nLikes tea\n",
        f"# {KEY}\n\nLikes tea\n",
    ],
    ids=["header", "comment", "heading"],
)
def test_a_secret_outside_of_memories_is_found_too(tmp_path: Path, text: str) -> None:
    write(tmp_path, {"a.md": text})

    report = audited(tmp_path)

    assert [str(f.spot)[:4] for f in report.faults] == ["a.md"]
    assert report.score < 50


def test_a_secret_is_quoted_by_no_other_judgement_either(tmp_path: Path) -> None:
    line = f"- Calls the bank tomorrow with {KEY}, says the letter of the bank\n"
    write(tmp_path, {"a.md": line, "b.md": line})

    report = audited(tmp_path)

    assert {fault.judgement for fault in report.faults} >= {"staleness", "duplicates"}
    assert KEY not in repr(report)


def test_a_hash_is_no_secret(tmp_path: Path) -> None:
    text = "- Fixed in 1f0c2d4be6a79358c1d2e3f4a5b6c7d8e9f00112\n"

    assert not found_in(tmp_path, "secrets", text)


def test_a_character_that_turns_text_around_is_found(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "- Likes tea\n- Pays\u202e 100\u202c\n"})

    (fault,) = faults(tmp_path, "invisible")

    assert str(fault.spot) == "a.md:2"
    assert fault.quote == "Pays\u202e 100\u202c"
    assert "U+202E right-to-left override" in fault.why


@pytest.mark.parametrize(
    "text",
    [
        "soft\u200bware",
        "hi\U000e0041\U000e0042",
        "a\ufeffb",
        "x\ufe01\ufe02\ufe03",
        "red \x1b[31m",
        "pa\u200dss",
    ],
)
def test_what_nobody_sees_is_found(tmp_path: Path, text: str) -> None:
    assert found_in(tmp_path, "invisible", f"- {text}\n")


@pytest.mark.parametrize(
    "text",
    [
        "👨\u200d👩\u200d👧 ❤\ufe0f",
        "\u0645\u06cc\u200c\u062e\u0648\u0631\u0645",
        "שלום \u200fabc",
        "tab\there",
        "caf\u00e9 na\u00efve",
        "\ufeffLikes tea",
    ],
)
def test_what_a_language_needs_is_not(tmp_path: Path, text: str) -> None:
    assert not found_in(tmp_path, "invisible", text)


@pytest.mark.timing
def test_one_long_line_of_them_is_one_finding(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "x\u200b" * 300_000})
    start = time.perf_counter()

    assert places(tmp_path, "invisible") == ["a.md:1"]
    assert time.perf_counter() - start < 20
