"""Conversations: what was said comes back as it was said, and nothing else does."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests import strategies
from tests.strategies import built

from reverie.model.items import Entry, Role, Turn
from reverie.stores.turns import (
    EXPECTED,
    LEAP,
    append_turns,
    new_window,
    parse_more,
    parse_window,
    render_turn,
    title_of,
    turn_id,
    window_of,
)

PATH = "conversations/trip.md"
AT = datetime(2026, 2, 2, 14, 30, 5, tzinfo=UTC)
FORGED = "## 2026-01-01 00:00:00 | user | turn:9"
SEED = """\
# trip — Conversation

<!-- Title: Trip to Rome | Origin: chatgpt:abc -->

## 2026-02-02 14:30:05 | user | turn:1 | speaker:Alex
Where shall we stay?

## — | assistant | turn:1
Near the river.
"""

lines = strategies.lines | st.sampled_from([FORGED, f"\\{FORGED}", "## — | user"])
spoken = (
    st.lists(lines, max_size=6)
    .map("\n".join)
    .map(lambda text: text.replace("\r", "").strip())
)
turns = built(
    Turn,
    window=st.just("trip"),
    number=st.integers(1, LEAP),
    role=st.sampled_from(Role),
    text=spoken,
    at=st.none()
    | st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1)).map(  # noqa: DTZ001  Hypothesis wants it so
        lambda at: at.replace(microsecond=0, tzinfo=UTC)
    ),
    speaker=st.just("") | strategies.names,
    more=st.lists(
        st.tuples(strategies.words.map("x-{}".format), strategies.names), max_size=2
    ).map(tuple),
)
conversations = st.lists(turns, max_size=5, unique_by=lambda t: (t.number, t.role))


def said(entries: tuple[Entry, ...]) -> list[object]:
    return [entry.item for entry in entries]


@given(conversations)
def test_a_conversation_survives_being_written_and_read_back(
    told: list[Turn],
) -> None:
    window = parse_window(append_turns(new_window("trip"), told), PATH)

    assert said(window.entries) == told
    assert window.findings == ()


@given(turns)
def test_what_a_turn_says_never_becomes_another_turn(turn: Turn) -> None:
    text = f"{SEED}\n{render_turn(turn)}\n{render_turn(replace(turn, number=7))}"

    found = parse_window(text, PATH).entries

    assert {str(e.id) for e in found} <= {
        *("turn:trip/1/user/0", "turn:trip/1/assistant/0"),
        *(str(turn_id(turn)), f"turn:trip/7/{turn.role}/0"),
    }


@given(conversations, conversations)
def test_reading_only_what_was_added_finds_the_same_turns(
    first: list[Turn], second: list[Turn]
) -> None:
    taken = {(turn.number, turn.role) for turn in first}
    second = [turn for turn in second if (turn.number, turn.role) not in taken]
    known = append_turns(new_window("trip"), first)
    whole = append_turns(known, second)

    more = parse_more(whole, PATH, known)

    entries = parse_window(whole, PATH).entries
    assert more == entries[len(first) :]
    assert said(entries) == [*first, *second]


@given(strategies.files, turns)
def test_appending_leaves_what_was_there(text: str, turn: Turn) -> None:
    before = parse_window(text, PATH)
    number = 1 + max((int(e.id.name.split("/")[1]) for e in before.entries), default=0)
    turn = replace(turn, number=number)

    after = append_turns(text, [turn])

    assert after.startswith(text)
    entries = parse_window(after, PATH).entries
    assert said(entries) == [*said(before.entries), turn]


@given(strategies.files | st.text(max_size=200))
def test_no_text_is_too_odd_to_be_read(text: str) -> None:
    window = parse_window(text, PATH)

    for found in window.findings:
        assert found.path == PATH
        assert 1 <= found.line <= text.count("\n") + 1
    for entry in window.entries:
        assert text.split("\n")[entry.line - 1].startswith("##")


def test_a_window_is_read() -> None:
    window = parse_window(SEED, PATH)

    question, answer = window.entries
    assert (window.window, window.findings) == ("trip", ())
    assert question.item == Turn(
        "trip", 1, Role.USER, "Where shall we stay?", AT, "Alex", imported=True
    )
    assert (str(question.id), question.line) == ("turn:trip/1/user/0", 5)
    assert answer.item == Turn(
        "trip", 1, Role.ASSISTANT, "Near the river.", imported=True
    )
    assert (str(answer.id), answer.line) == ("turn:trip/1/assistant/0", 8)


def test_a_turn_is_written_so() -> None:
    turn = Turn("trip", 2, Role.USER, "Yes.", AT, "A | B", (("scope", "alex"),))

    assert render_turn(turn) == (
        "## 2026-02-02 14:30:05 | user | turn:2 | speaker:A \\| B | scope:alex\nYes.\n"
    )


def test_a_turn_is_written_in_utc() -> None:
    there = AT.astimezone(timezone(timedelta(hours=-9)))

    assert render_turn(Turn("trip", 1, Role.USER, "x", there)).startswith(
        "## 2026-02-02 14:30:05 | user"
    )


def test_a_window_tells_its_title_and_origin_where_nobody_reads_them_as_a_turn() -> (
    None
):
    text = new_window("trip", "Rome --> now | then", "chatgpt:a<!--b")

    assert text.count("-->") == 1
    assert title_of(text) == "Rome --> now | then"
    assert parse_window(text, PATH).entries == ()
    more = append_turns(text, [Turn("trip", 1, Role.USER, "Hi")])
    assert [entry.text for entry in parse_window(more, PATH).entries] == ["Hi"]
    assert title_of(more) == title_of(text)


def test_what_is_said_in_a_window_is_not_its_title() -> None:
    said = Turn("trip", 1, Role.USER, "<!-- Title: Mine -->")

    assert title_of(append_turns(new_window("trip"), [said])) == ""
    assert title_of(new_window("trip", "", "chatgpt:a")) == ""


def test_a_window_is_named_by_its_file() -> None:
    for path in [PATH, "conversations/2026/trip.md", "trip.md"]:
        assert window_of(path) == "trip"
        assert parse_window(SEED, path).entries[0].id.name == "trip/1/user/0"


def test_a_heading_typed_wrongly_is_reported_and_the_rest_still_read() -> None:
    for heading, what in [
        ("## lunch", EXPECTED),
        ("## 2026-02-02 14:30:05 | user", EXPECTED),
        ("## 2026-02-02 14:30:05 | user | turn:0", EXPECTED),
        ("## 2026-02-02 14:30:05 | user | turn:x", EXPECTED),
        ("## 2026-02-02 14:30:05 | bot | turn:3", "unknown role 'bot'"),
        ("## 2026-02-30 14:30:05 | user | turn:3", "is not a time"),
        ("## 14:30 | user | turn:3", "is not a time"),
        ("## 2026-02-02 25:00:00 | user | turn:3", "is not a time"),
    ]:
        last = render_turn(Turn("trip", 4, Role.USER, "x"))
        text = f"{SEED}\n{heading}\nLost.\n\n{last}"

        window = parse_window(text, PATH)

        (found,) = window.findings
        assert what in found.what
        assert found.mend
        assert (found.path, found.line) == (PATH, SEED.count("\n") + 2)
        assert [e.text for e in window.entries] == [
            "Where shall we stay?",
            "Near the river.",
            "x",
        ]


def test_a_turn_written_twice_is_reported_and_the_first_one_counts() -> None:
    text = f"{SEED}\n## — | user | turn:1\nWhere else?\n"

    window = parse_window(text, PATH)

    (found,) = window.findings
    assert "turn 1 of the user is written twice" in found.what
    assert found.line == SEED.count("\n") + 2
    assert [e.text for e in window.entries] == [
        "Where shall we stay?",
        "Near the river.",
    ]


def test_the_marks_of_an_unfinished_merge_are_reported() -> None:
    text = f"{SEED}\n<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> theirs\n"

    above = SEED.count("\n") + 1
    assert [f.line for f in parse_window(text, PATH).findings] == [above + 1, above + 5]


def test_windows_line_ends_are_kept_and_continued() -> None:
    text = SEED.replace("\n", "\r\n")

    more = append_turns(text, [Turn("trip", 2, Role.USER, "One.\nTwo.", AT)])

    assert more.startswith(text)
    assert more.count("\n") == more.count("\r\n")
    assert [e.text for e in parse_window(more, PATH).entries][-1] == "One.\nTwo."


def test_a_turn_without_words_is_named_by_its_place() -> None:
    (entry,) = parse_window(render_turn(Turn("trip", 3, Role.SYSTEM, "")), PATH).entries

    assert (entry.text, entry.title) == ("", "system, turn 3")


def test_fields_that_nobody_knows_are_kept() -> None:
    (entry,) = parse_window(
        "## — | user | turn:1 | scope:alex | x:a:b\nHi", PATH
    ).entries

    assert isinstance(entry.item, Turn)
    assert entry.item.more == (("scope", "alex"), ("x", "a:b"))


def test_a_hostile_text_is_read_to_its_end() -> None:
    for line in ["```", "<!--", FORGED, "|" * 50]:
        text = f"{line}\n" * (100_000 // (len(line) + 1))

        assert parse_window(text, PATH).path == PATH
