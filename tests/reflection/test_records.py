"""Words, numbered entries, sections and ranges that all records share."""

from __future__ import annotations

from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reflection.sayings import raw_words, said
from tests.strategies import FEW

from reverie.markdown import hidden_lines, split_items, split_sections
from reverie.model.reflection import Expected, Insight
from reverie.reflection.evolution import EvolutionEntry, add_reflection
from reverie.reflection.log import (
    ReflectionEntry,
    append_entry,
    parse_log,
    prune,
)
from reverie.reflection.records import (
    body_of,
    clean,
    clipped,
    excerpt,
    folded,
    parse_words,
    render_words,
    split_subs,
    with_below,
    with_section,
    without_reflection,
)
from reverie.stores.expectations import (
    add_expected,
    parse_expectations,
    without_expectations,
)
from reverie.tokens import count_tokens


@given(raw_words)
def test_what_was_written_is_read_back(text: str) -> None:
    assert parse_words(render_words(text)) == clean(text)


@given(said)
def test_words_are_one_line_and_no_structure(text: str) -> None:
    line = render_words(text)

    assert "\n" not in line
    assert len(split_sections(f"{line}\n", lambda _: False)) == 1
    assert not hidden_lines([f"{line}\n", "x\n", "```\n", "-->\n"]) - {3}
    assert not any(piece.marker for piece in split_items(f"{line}\n"))


def test_words_do_not_close_what_a_person_left_open() -> None:
    lines = [
        "<!-- open\n",
        f"{render_words('x --> y')}\n",
        "```\n",
        render_words("```"),
    ]

    assert hidden_lines(lines) == frozenset()


def test_a_hidden_character_is_shown() -> None:
    assert render_words("a\u202eb\x00") == "a\ufffdb\ufffd"


def test_plain_words_stay_as_they_are() -> None:
    for plain in ["**bold** start", "12 apples", "-5 degrees", "_so_"]:
        assert render_words(plain) == plain


@given(st.text(), st.integers(3, 40))
def test_a_clipped_text_keeps_its_budget(text: str, budget: int) -> None:
    assert count_tokens(clipped(text, budget)) <= budget + 1


def test_sentences_are_kept_whole() -> None:
    text = "It rained. I noticed. That was new."

    assert excerpt(text, 22) == "It rained. I noticed."
    assert excerpt(text, 25, end=True) == "I noticed. That was new."
    assert excerpt("x" * 30, 10) == "x" * 9 + "…"
    assert excerpt("x" * 30, 10, end=True) == "…" + "x" * 9


@given(st.text(), st.integers(5, 60))
def test_sentences_keep_to_their_length(text: str, length: int) -> None:
    assert len(excerpt(text, length)) <= length
    assert len(excerpt(text, length, end=True)) <= length


def test_folding_forgives_case_and_punctuation() -> None:
    assert folded("Values  audit-trails!") == folded("values audit trails")


def test_a_heading_in_a_fence_is_none() -> None:
    raw = "## A\n```\n### no\n```\n### yes\nx\n"

    assert [(name, raw[place]) for name, place in split_subs(raw)] == [("yes", "x\n")]


def test_a_section_is_made_once_and_in_its_place() -> None:
    text = with_section("# T\n\n## Last\nx\n", "First", before=("Last",))

    assert text == "# T\n\n## First\n\n## Last\nx\n"
    assert with_section(text, "first") == text


def test_lines_go_below_what_is_there() -> None:
    text = "## A\n### B\none\n\n\n## C\n"

    assert with_below(text, "a", "two\n", "b") == "## A\n### B\none\ntwo\n\n\n## C\n"
    assert with_below("", "A", "x\n", "B") == "## A\n### B\nx\n"
    assert body_of(text, "A", "b") == "one\n\n\n"


DAY = date(2026, 2, 2)


def logged(count: int) -> tuple[str, str]:
    text = archive = ""
    for number in range(1, count + 1):
        entry = ReflectionEntry(number, DAY, "approved", insight=f"Insight {number}")
        text, archive = prune(append_entry(text, entry), archive)
    return text, archive


def told_numbers(text: str) -> set[int]:
    log = parse_log(text)
    told = {entry.number for entry in log.entries}
    return told | {line.number for line in log.one_liners}


@settings(max_examples=FEW)
@given(st.integers(1, 70), st.integers(1, 70))
def test_the_log_tells_of_all_reflections_but_one(count: int, number: int) -> None:
    text, archive = logged(count)

    left = without_reflection(text, number)

    assert told_numbers(left) == told_numbers(text) - {number}
    assert f"## Reflection #{number} —" not in without_reflection(archive, number)


def test_the_evolution_counts_one_less_and_drops_what_it_revised() -> None:
    text = archive = ""
    for number in (1, 2, 3):
        insight = Insight(key=f"Key {number}", revised=f"Not {number}")
        entry = EvolutionEntry(number, DAY, number, None, insight)
        text, archive, _ = add_reflection(text, archive, entry)

    left = without_reflection(text, 2)

    assert "- Total reflections: 2\n" in left.partition("## Recent")[0]
    assert "Key 2" not in left
    assert "[#2]" not in left
    assert "Key 1" in left
    assert "Key 3" in left


def test_only_what_the_change_added_need_not_be_findable_any_more() -> None:
    before = add_expected("", Expected("Where?", "Berlin", DAY))
    after = add_expected(before, Expected("Who?", "Alex", DAY, "r-001"))
    now = add_expected(after, Expected("When?", "Monday", DAY, "r-002"))

    left = without_expectations(before, after, now)

    asked = [each.question for each in parse_expectations(left, "")[0]]
    assert asked == ["Where?", "When?"]
