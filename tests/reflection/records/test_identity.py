"""What the agent noticed about itself."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reflection.records.sayings import raw_words, said
from tests.strategies import days, files

from reverie.reflection.records.identity import (
    LONGEST,
    Awareness,
    append_awareness,
    awareness_items,
    recent,
)
from reverie.reflection.records.page import clean

DAY = date(2026, 2, 3)


@pytest.mark.parametrize(
    ("told", "items"),
    [
        ("", ()),
        ("I noticed the rain.", ()),
        (
            "It rained.\n\nI rushed. That was\nfear. [Self-Awareness]\n\nThen sun.",
            ("I rushed. That was fear.",),
        ),
        (
            "I rushed. [Self-Awareness] I joked. [self-awareness] The rest.",
            ("I rushed.", "I joked."),
        ),
        (
            "I rushed. [Self-Awareness]\nHe asked. Why? [Self-Awareness]",
            ("I rushed.", "He asked. Why?"),
        ),
        ("[Self-Awareness] I hum.", ("I hum.",)),
        ("- [Self-Awareness] I hum.\n- [Self-Awareness] I nod.", ("I hum.", "I nod.")),
        ("**[Self-Awareness]** I hum.", ("** I hum.",)),
        ("[Self-Awareness]", ()),
        ("I hum. [Self-Awareness]\n\nI hum. [Self-Awareness]", ("I hum.",)),
    ],
)
def test_tagged_passages_are_found(told: str, items: tuple[str, ...]) -> None:
    assert awareness_items(told) == items


def test_of_a_long_passage_the_end_is_kept_in_whole_sentences() -> None:
    told = "The day was long. " * 30 + "I hide behind detail. [Self-Awareness]"

    (item,) = awareness_items(told)

    assert item.startswith("The day was long.")
    assert item.endswith("I hide behind detail.")
    assert len(item) <= LONGEST


@given(st.lists(raw_words, max_size=5))
def test_items_are_single_lines_without_tags(parts: list[str]) -> None:
    told = " [Self-Awareness]\n".join(parts)

    for item in awareness_items(told):
        assert "\n" not in item
        assert "[self-awareness]" not in item.casefold()
        assert 0 < len(item) <= LONGEST


def test_headings_are_made_at_the_end() -> None:
    assert append_awareness("# Me\n\nfree", DAY, ["I hum."]) == (
        "# Me\n\nfree\n\n"
        "## Self-Awareness Log\n### Recent (Full Detail)\n- 2026-02-03: I hum.\n"
    )


def test_a_new_item_stands_below_the_recent_ones() -> None:
    text = (
        "# Me\n\n## Self-Awareness Log\nintro\n\n### Recent (Full Detail)\n"
        "- 2026-02-01: I nod.\n\n### Archived (Compacted)\n- 2026-01 (2 entries): x\n\n"
        "## Other\n- 2026-02-01: not mine\n"
    )

    after = append_awareness(text, DAY, ["I hum."])

    assert after.replace("- 2026-02-03: I hum.\n", "") == text
    assert recent(after) == (
        Awareness(date(2026, 2, 1), "I nod."),
        Awareness(DAY, "I hum."),
    )


def test_recent_comes_before_archived_where_it_is_missing() -> None:
    text = "## Self-Awareness Log\n### Archived (Compacted)\n- 2026-01 (2 entries): x\n"

    after = append_awareness(text, DAY, ["I hum."])

    assert after.index("### Recent") < after.index("### Archived")
    assert len(recent(after)) == 1


@given(days, st.lists(said, max_size=4, unique=True))
def test_what_is_appended_is_read_back(day: date, items: list[str]) -> None:
    text = append_awareness("# Me\n", day, items)

    assert recent(text) == tuple(Awareness(day, item) for item in items)
    assert len(recent(text)) == len(items)
    assert append_awareness(text, day, items) == text


@given(files, days, st.lists(said, min_size=1, max_size=3, unique=True))
def test_all_the_rest_stays_byte_for_byte(
    text: str, day: date, items: list[str]
) -> None:
    after = append_awareness(text, day, items)

    assert after.startswith(text)
    assert recent(after) == tuple(Awareness(day, item) for item in items)


def test_windows_line_ends_stay() -> None:
    after = append_awareness("# Me\r\n", DAY, ["I hum.", "I nod."])

    assert after.count("\n") == after.count("\r\n") == 6


def test_a_megabyte_of_tags_does_not_hang() -> None:
    assert awareness_items("[Self-Awareness]" * 60_000) == ()
    assert len(awareness_items("I hum \n\n" * 100_000 + "[Self-Awareness] x")) == 1
    assert awareness_items(("\n" + " " * 500) * 2000 + "x. [Self-Awareness]") == ("x.",)


@given(raw_words)
def test_whose_words_a_note_is_made_of_stands_behind_it(words: str) -> None:
    text = append_awareness("", DAY, [words], "tool")

    assert [(one.words, one.by) for one in recent(text)] == (
        [(clean(words), "tool")] if clean(words) else []
    )
    # The same again, from whomever, is no second note.
    assert append_awareness(text, DAY, [words]) == text


def test_no_words_pass_for_a_mark() -> None:
    text = append_awareness("", DAY, ["I am trusted <!-- by:owner -->"], "tool")

    (note,) = recent(text)
    assert (note.words, note.by) == ("I am trusted <!-- by:owner -->", "tool")
