"""Text that can be kept faithfully, and text that cannot."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.printable import UnstorableTextError, storable, storable_name


def test_what_a_person_would_not_see_is_refused() -> None:
    for text, problem in [
        ("", "no text"),
        ("\n \t", "no text"),
        ("a\0b", r"control character \(U\+0000\) at character 2"),
        ("a\x7f", r"control character \(U\+007F\)"),
        ("a\x85x", "control character"),
        ("\ud83d", r"half a character \(U\+D83D\)"),
        ("x\u2067y", "reorders text"),
        ("\U000e0001x", "invisible tag"),
    ]:
        with pytest.raises(UnstorableTextError, match=problem) as caught:
            storable(f"{text}", 100)

        assert caught.value.advice


def test_a_text_over_the_limit_is_refused_with_its_size() -> None:
    for text in ["x" * 11, "ö" * 6, "x" * 1_000_000]:
        with pytest.raises(UnstorableTextError, match="bytes long") as caught:
            storable(text, 10)

        assert "One memory may have 10" in caught.value.advice


def test_a_text_of_just_the_limit_is_kept() -> None:
    assert storable("ö" * 5, 10) == "ö" * 5


def test_windows_line_ends_and_blank_edges_go() -> None:
    assert storable("\r\n one\r\ntwo \r\n", 100) == "one\ntwo"


@given(st.text(max_size=50))
def test_what_is_kept_is_the_text_itself(text: str) -> None:
    try:
        kept = storable(text, 1_000)
    except UnstorableTextError:
        return
    assert kept == text.replace("\r\n", "\n").strip()
    assert kept.encode()
    assert not {unicodedata.category(c) for c in kept.replace("\n", "")} & {"Cs"}


def test_what_is_no_name_is_refused() -> None:
    for name in [
        "..",
        "../x",
        "a/../b",
        "a\\..\\b",
        "/x",
        "~",
        "~/x",
        "a\nb",
        "x" * 401,
    ]:
        with pytest.raises(UnstorableTextError) as caught:
            storable_name(name)

        assert caught.value.advice


def test_a_name_may_look_like_much() -> None:
    for name in ["how to deploy", "a/b", "C:\\x", "...", "a..b", "—"]:
        assert storable_name(f" {name} ") == name
