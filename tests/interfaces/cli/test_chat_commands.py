"""Slash commands: what is typed behind the slash, as words of a command."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.errors import ReverieError
from reverie.interfaces.cli.chat_commands import NoSuchCommandError, parse
from reverie.interfaces.cli.chat_context import ChatError


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("", ["help"]),
        ("help /recall", ["recall", "--help"]),
        ("show", ["show"]),
        ("recall what is it", ["recall", "what", "is", "it"]),
        ("remember It's so", ["remember", "--", "It's so"]),
        ("remember 'It is so'", ["remember", "It is so"]),
        ("remember -5 here", ["remember", "--", "-5 here"]),
        ("remember a --tag=x b", ["remember", "--tag=x", "--", "a b"]),
        ("remember a --tag x -- b --c", ["remember", "--tag", "x", "--", "a b --c"]),
        ("forget it all --permanently", ["forget", "--permanently", "--", "it all"]),
        ("pending accept 3 4", ["pending", "accept", "3", "4"]),
        ("turns -n 3", ["window", "show", "w", "-n", "3"]),
        ("delete 7", ["window", "delete", "w", "7"]),
        ("edit 7 So it is", ["window", "edit", "--", "w", "7", "So it is"]),
        ("summary", ["window", "reflect", "w"]),
        ("summary of what", ["window", "reflect", "--", "w", "of what"]),
        ("window nonsense", ["window", "nonsense"]),
    ],
)
def test_a_line_becomes_the_words_of_a_command(typed: str, words: list[str]) -> None:
    assert parse(typed, "w") == words


@pytest.mark.parametrize(
    ("typed", "error"),
    [
        ('remember "it', ChatError),
        ("nonsense", NoSuchCommandError),
        ("remember -", ChatError),
    ],
)
def test_what_makes_no_sense_is_said_so(typed: str, error: type[ReverieError]) -> None:
    with pytest.raises(error) as caught:
        parse(typed, "w")

    assert caught.value.hint


@given(st.text(max_size=50))
def test_whatever_is_typed_is_words_or_a_known_error(line: str) -> None:
    try:
        assert parse(line, "w")
    except ReverieError as error:
        assert error.hint  # noqa: PT017 - either of the two is right


@given(st.text(min_size=1, max_size=50).filter(lambda text: text != "-"))
def test_a_quoted_text_arrives_as_it_is(text: str) -> None:
    assert parse(f"remember {shlex.quote(text)}", "w") == ["remember", text]
