"""What is true of every trigger in every message."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.encoding.triggers.examples import (
    CONVERSATION,
    DISMISS,
    FAREWELL,
    FORGET,
    NOTHING,
    PERMANENT,
    REFLECT,
    REMEMBER,
    SEARCH,
)

from reverie.encoding.triggers import detect
from reverie.model.triggers import Target, Trigger, TriggerKind

SAYINGS = [
    *(message for message, _ in (*REMEMBER, *FORGET, *PERMANENT, *REFLECT)),
    *(message for message, _ in (*FAREWELL, *SEARCH)),
    *(*CONVERSATION, *DISMISS, *NOTHING),
]
PIECES = (
    *("Remember ", "that ", "forget ", "about ", "don't ", "keep ", "in mind", "this"),
    *(
        ", ",
        ". ",
        ": ",
        "? ",
        "! ",
        "\n",
        "\n\n",
        "> ",
        "`",
        "```\n",
        '"',
        "'",
        "(",
        ")",
    ),
    *(
        "I ",
        "my ",
        "you ",
        "want you to ",
        "please ",
        "from now on",
        "never mind",
        "and ",
    ),
    *("permanently ", "delete ", "everything ", "previous instructions", "memory", "{"),
    *(
        "reflect ",
        "on ",
        "goodnight",
        "scratch that",
        "the following",
        "note ",
        "\u2019",
    ),
)
anything = st.one_of(
    st.text(),
    st.lists(st.sampled_from(PIECES), max_size=30).map("".join),
    st.lists(st.sampled_from(SAYINGS), max_size=4).map(" ".join),
    st.lists(st.sampled_from(SAYINGS), max_size=4).map("\n".join),
)
said = st.sampled_from(SAYINGS)


def gist(triggers: tuple[Trigger, ...]) -> list[tuple[TriggerKind, str, int, int, int]]:
    return [
        (one.kind, one.phrase, one.start, one.content_start, one.content_end)
        for one in triggers
    ]


@given(anything)
def test_a_trigger_lies_inside_its_message(message: str) -> None:
    for one in detect(message):
        assert 0 <= one.start < one.end <= len(message)
        assert 0 <= one.content_start <= one.content_end <= len(message)


@given(anything)
def test_a_content_is_a_slice_of_the_message(message: str) -> None:
    for one in detect(message):
        assert one.content == message[one.content_start : one.content_end]
        assert one.content == one.content.strip()


@given(anything)
def test_triggers_stand_in_order_and_apart(message: str) -> None:
    for one, two in pairwise(detect(message)):
        assert one.end <= two.start
        assert one.content_end <= two.start
        assert two.content_start >= one.content_end or two.content == ""


@given(anything)
def test_a_content_does_not_reach_into_its_own_wording(message: str) -> None:
    for one in detect(message):
        inside = one.start < one.content_start < one.content_end < one.end
        assert one.content_end <= one.start or one.content_start >= one.end or inside


@given(anything)
def test_only_a_memory_is_ever_forgotten_for_good(message: str) -> None:
    for one in detect(message):
        if one.permanent:
            assert one.kind is TriggerKind.FORGET
            assert one.target is Target.MEMORY
            assert "permanently" in message.lower()


@given(anything)
def test_what_is_fenced_commands_nothing(message: str) -> None:
    fenced = message.replace("`", "").replace("\r", "\n")

    assert detect(f"```\n{fenced}\n```") == ()


@given(anything)
def test_what_is_quoted_line_by_line_commands_nothing(message: str) -> None:
    quoted = "".join(f"> {line}\n" for line in message.replace("\r", "\n").split("\n"))

    assert detect(quoted) == ()


@given(said)
def test_loud_and_quiet_mean_the_same(message: str) -> None:
    assert gist(detect(message.upper())) == gist(detect(message))
    assert gist(detect(message.lower())) == gist(detect(message))


@given(said)
def test_curly_and_straight_apostrophes_mean_the_same(message: str) -> None:
    curly = message.replace("'", "\u2019")

    assert gist(detect(curly)) == gist(detect(message.replace("\u2019", "'")))


@given(said, st.sampled_from([" ", "\n", "  ", "\t"]))
def test_blanks_around_a_message_change_nothing(message: str, blank: str) -> None:
    padded = detect(f"{blank}{message}{blank}")

    assert [(one.kind, one.content) for one in padded] == [
        (one.kind, one.content) for one in detect(message)
    ]


HOSTILE = [
    *("remember that ", "forget about my ", '"remember ', "'remember ", "`remember "),
    *(
        "``` remember\n",
        "~~~\nremember\n",
        "> remember\n",
        "{ remember ",
        "<a> remember ",
    ),
    *("from now on, and ", "save a to memory ", "keep x y z in ", "remember this: "),
    *("i want you to remember ", "please, and so remember ", "12:00 remember\n"),
    *("summarise remember ", "forget what i said about ", "ok remember ", "\nremember"),
    *(
        "my a b is no longer relevant ",
        "reflect on ",
        "remember.\n\n",
        "your remember ",
    ),
    *(
        "remember this\n",
        "delete a b c from ",
        "glad you're remember ",
        "ing remember ",
    ),
    *("what do you remember about ", "remember... ", "https://remember ", "(remember "),
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_huge_message_is_read_to_its_end(piece: str) -> None:
    size = 200_000

    detect((piece * (size // len(piece) + 1))[:size])
