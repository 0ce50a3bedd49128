"""Whole records and documents without secrets, whatever they were cut into."""

from __future__ import annotations

import json

from msgspec import Struct

from reverie.secrets import kinds_in, pieces_of, redacted_in_place, screened

EDGE = "-" * 5
NAME = "EC PRIVATE" + " KEY"
LINES = ["c3VwZXIrcXVpZXQv" * 4, "bm90YWtleWJ1dGxv" * 4, "b2tzbGlrZW9uZTEy" * 3]
BLOCK = [f"{EDGE}BEGIN {NAME}{EDGE}", *LINES, f"{EDGE}END {NAME}{EDGE}"]
WORD = "Kettle" + "42!"


class Note(Struct, frozen=True):
    """Something with texts in it."""

    id: str
    text: str
    tags: tuple[str, ...] = ()
    line: int = 0


def test_every_text_of_a_value_is_screened() -> None:
    note = Note("n1", f"password: {WORD}", ("tea", f"pin: {WORD}"), 7)

    assert screened(note).text == "password: [redacted: password]"
    assert screened({"a": [f"password: {WORD}", 3]}) == {
        "a": ["password: [redacted: password]", 3]
    }
    assert screened(Note("n1", "Tea.", (), 7)) == Note("n1", "Tea.", (), 7)


def test_the_name_of_a_memory_stays() -> None:
    assert screened(Note(f"password: {WORD}", "Tea.")).id == f"password: {WORD}"


def test_a_key_that_was_cut_into_lines_is_known_by_the_whole() -> None:
    answer = json.dumps({"lines": BLOCK, "other": "Tea."})
    clean = screened(json.loads(answer), pieces_of(answer))

    assert not any(line in json.dumps(clean) for line in LINES)
    assert clean["other"] == "Tea."


def test_a_document_keeps_its_lines() -> None:
    text = "\n".join(["one", *BLOCK, "seven", f"password: {WORD}", "nine"])
    clean, told = redacted_in_place(text)

    assert clean.split("\n")[6:] == ["seven", "password: [redacted: password]", "nine"]
    assert clean.count("\n") == text.count("\n")
    assert told == ((2, "private key"), (8, "password"))


def test_pages_stay_apart_though_a_key_goes_on_overleaf() -> None:
    text = "\n\f\n".join(["\n".join(BLOCK[:3]), "\n".join(BLOCK[3:]), "end"])
    clean, told = redacted_in_place(text, "\f")

    assert len(clean.split("\n\f\n")) == 3
    assert told == ((1, "private key"),)
    assert not any(line in clean for line in LINES)


def test_kinds_are_told_once() -> None:
    assert kinds_in({"a": [f"password: {WORD}"], f"password: {WORD}": 1}) == (
        "password",
    )
    assert kinds_in({"a": ["Tea.", 1, None]}) == ()
