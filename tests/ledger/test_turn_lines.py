"""The lines of the journal: whatever was said comes back, and nothing else does."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from zlib import crc32

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.strategies import NASTY

from reverie.ledger.turn_lines import (
    HEAD,
    as_kept,
    number_turns,
    parse_head,
    parse_turns,
    render_head,
    render_turns,
)
from reverie.model.conversation import REFLECTION, Utterance, WindowState
from reverie.model.items import Role, Turn
from reverie.model.origin import scope_of

NOON = datetime(2026, 2, 2, 12, tzinfo=UTC)

texts = st.sampled_from(NASTY) | st.text(st.characters(exclude_categories=()))
moments = st.datetimes(
    datetime(1971, 1, 1),  # noqa: DTZ001  Hypothesis wants it so
    datetime(2199, 12, 31),  # noqa: DTZ001
    timezones=st.timezones(),
    allow_imaginary=False,
)
utterances = st.builds(
    Utterance,
    role=st.sampled_from(Role),
    text=texts,
    at=moments,
    speaker=texts,
    more=st.lists(st.tuples(texts, texts), max_size=2).map(tuple),
    answers=st.integers(-1, 5),
)
states = st.builds(
    WindowState,
    last=st.integers(0, 999_999_999),
    open=st.booleans(),
    since=st.integers(0, 999_999_999),
    heard=st.none() | moments,
    reflected=st.none() | moments,
    waiting=st.integers(0, 999_999_999),
)


def said(role: Role, answers: int = 0, text: str = "x") -> Utterance:
    return Utterance(role, text, NOON, answers=answers)


def numbers(state: WindowState, *given: Utterance) -> list[int]:
    return [turn.number for turn in number_turns("w", given, state, ())[0]]


def test_a_question_and_its_answer_share_a_number() -> None:
    pair = [said(Role.USER), said(Role.ASSISTANT)]

    assert numbers(WindowState(), *pair, *pair) == [1, 1, 2, 2]


def test_an_answer_finds_its_question_among_several() -> None:
    found = numbers(
        WindowState(),
        said(Role.USER),
        said(Role.USER),
        said(Role.ASSISTANT, answers=1),
        said(Role.ASSISTANT),
    )

    assert found == [1, 2, 1, 2]


def test_an_answer_that_cannot_be_one_gets_a_number_of_its_own() -> None:
    for answers in [-1, 4, 6, 7]:
        state = WindowState(last=5, open=False)
        turns, _ = number_turns("w", [said(Role.ASSISTANT, answers)], state, {4})

        assert turns[0].number == 6


def test_a_second_answer_gets_a_number_of_its_own() -> None:
    twice = [said(Role.ASSISTANT, answers=2)] * 2

    assert numbers(WindowState(last=5, open=True), *twice) == [2, 6]
    assert numbers(WindowState(last=5), said(Role.ASSISTANT, answers=5)) == [6]


def test_a_summary_in_between_does_not_answer_the_question() -> None:
    idle = ((REFLECTION, "idle"),)
    prompt = Utterance(Role.SYSTEM, "Sum up.", NOON, more=idle)
    summary = Utterance(Role.ASSISTANT, "All is well.", NOON, more=idle)
    pair = [prompt, summary]
    asked, answer = said(Role.USER), said(Role.ASSISTANT)

    assert numbers(WindowState(), asked, *pair, answer) == [1, 2, 2, 1]
    assert numbers(WindowState(), asked, *pair, *pair, answer, answer) == [
        *(1, 2, 2, 3, 3, 1, 4)
    ]
    assert numbers(WindowState(), *pair, answer) == [1, 1, 2]


def test_whom_an_answer_is_for_is_known_under_the_lock() -> None:
    for person in ["Ann", "Ann " * 200, "Ann \u00e9 \U0001f600"]:
        question = replace(said(Role.USER), more=(("scope", person),))
        turns, state = number_turns("w", [question], WindowState(), ())
        kept = parse_head(render_head(1, state))[1]
        assert kept == state

        pieces = [said(Role.ASSISTANT), said(Role.ASSISTANT)]
        given, _ = number_turns("w", pieces, kept, ())

        assert {scope_of(turn) for turn in (*turns, *given)} == {person.strip()}
        others = [said(Role.USER), said(Role.ASSISTANT)]
        assert [scope_of(t) for t in number_turns("w", others, state, ())[0]] == [
            "",
            "",
        ]


def test_a_prompt_is_answered_where_no_user_waits() -> None:
    prompt, answer = said(Role.SYSTEM), said(Role.ASSISTANT)

    assert numbers(WindowState(), prompt, answer) == [1, 1]
    assert numbers(WindowState(), said(Role.USER), prompt, answer) == [1, 2, 1]


def test_a_first_line_of_before_tells_which_turn_waits() -> None:
    for open_, waiting in [("true", 5), ("false", 0)]:
        state = f'{{"last":5,"open":{open_},"since":1,"heard":null,"reflected":null}}'
        told = f'{{"generation":1,"state":{state}}}'.encode()

        found = parse_head(b"%08x %s\n" % (crc32(told), told))[1]

        assert found is not None
        assert found.waiting == waiting


@given(st.lists(utterances, min_size=1, max_size=4), states)
@settings(max_examples=50, deadline=None)
def test_no_number_is_given_twice(given: list[Utterance], state: WindowState) -> None:
    turns, then = number_turns("w", given, state, ())

    keys = [(turn.number, turn.role) for turn in turns]
    assert len(set(keys)) == len(keys)
    assert all(1 <= turn.number <= then.last for turn in turns)


@given(st.lists(st.lists(utterances, min_size=1, max_size=3), max_size=3))
@settings(max_examples=50, deadline=None)
def test_turns_are_read_back_as_they_were(given: list[list[Utterance]]) -> None:
    written: list[tuple[Turn, ...]] = [
        number_turns("w", each, WindowState(), ())[0] for each in given
    ]
    data = b"".join(map(render_turns, written))

    found = list(parse_turns(data, "w"))

    assert [tuple(turns) for turns, _ in found] == written
    assert data.count(b"\n") == len(written)
    assert not found or found[-1][1] == len(data)


@given(states, st.integers(0, 10**9))
def test_a_first_line_is_read_back_and_always_as_long(
    state: WindowState, generation: int
) -> None:
    kept = as_kept(state)
    line = render_head(generation, state)

    assert parse_head(line) == (generation, kept)
    assert len(line) == HEAD
    assert line.endswith(b"\n")
    assert list(parse_turns(line, "w")) == []


def test_a_first_line_may_leave_the_state_to_history() -> None:
    assert parse_head(render_head(3, None)) == (3, None)


@given(st.lists(utterances, min_size=1, max_size=2), st.data())
def test_a_spoiled_line_is_no_line(given: list[Utterance], data: st.DataObject) -> None:
    line = render_turns(number_turns("w", given, WindowState(), ())[0])
    at = data.draw(st.integers(0, len(line) - 1))
    bit = 1 << data.draw(st.integers(0, 7))
    spoiled = line[:at] + bytes([line[at] ^ bit]) + line[at + 1 :]

    assert list(parse_turns(spoiled, "w")) == []
    assert parse_head(spoiled) == (0, None)


@given(st.binary() | st.lists(st.binary(max_size=9)).map(b"\n".join))
def test_other_bytes_say_nothing(data: bytes) -> None:
    assert list(parse_turns(data, "w")) == []
    assert parse_head(data) == (0, None)


def test_a_forged_line_says_nothing() -> None:
    for told in [
        b"[1]",
        b'[{"turn":1}]',
        b"{}",
        b"null",
        b"[" * 100_000,
        b'{"generation":1,"state":{}}',
        b'[{"turn":1,"role":"x","at":null,"speaker":"","more":[],"text":""}]',
        b'[{"turn":1,"role":"user","at":"x","speaker":"","more":[],"text":""}]',
        b'[{"turn":1,"role":"user","at":null,"speaker":"","more":["x"],"text":""}]',
    ]:
        line = b"%08x %s\n" % (crc32(told), told)

        assert list(parse_turns(line, "w")) == []
        assert parse_head(line)[1] is None
