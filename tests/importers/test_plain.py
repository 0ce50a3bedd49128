"""Bytes that others wrote, as text that can be kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.importers.walk import decode, plain
from reverie.stores.text import storable


@given(st.text())
def test_a_plain_text_can_be_stored_as_it_is(text: str) -> None:
    clean = plain(text)

    assert storable(f"x{clean}", 1 << 20) == f"x{clean}".rstrip()


@given(st.text())
def test_a_plain_text_is_not_changed_again(text: str) -> None:
    assert plain(plain(text)) == plain(text)


def test_what_a_person_would_not_see_goes_and_line_ends_become_plain() -> None:
    assert plain("a\0b\u202ec\U000e0041\r\nd\re\x0cf") == "abc\nd\ne f"


def test_half_a_character_becomes_the_mark_for_one_that_is_lost() -> None:
    assert plain("x\ud83d") == "x\ufffd"


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"])))
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_text_with_a_byte_order_mark_is_read_by_it(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding)) == (plain(text), "")


@pytest.mark.parametrize("order", ["be", "le"])
def test_utf_16_of_either_order_is_read(order: str) -> None:
    data = "\ufeffnaïve".encode(f"utf-16-{order}")

    assert decode(data) == ("naïve", "")


def test_what_is_not_utf_8_is_read_as_latin_1_and_said_so() -> None:
    text, odd = decode(b"caf\xe9 \x93quoted\x94")

    assert text == "café “quoted”"
    assert "Latin-1" in odd


def test_a_broken_utf_16_file_is_read_as_far_as_it_goes() -> None:
    text, odd = decode("\ufeffhello".encode("utf-16-le") + b"\x00")

    assert text == "hello\ufffd"
    assert "broken" in odd


@given(st.binary())
def test_any_bytes_are_read_as_some_text(data: bytes) -> None:
    text, odd = decode(data)

    assert text == plain(text)
    assert isinstance(odd, str)
