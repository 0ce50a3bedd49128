"""One memory for each list item and paragraph."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import files

from reverie.encoding.auditing.cutting import cut_markdown, is_talk


def texts(markdown: str) -> list[str]:
    return [cut.text for cut in cut_markdown(markdown)]


def test_every_list_item_is_a_memory() -> None:
    assert texts("# Title\n\n- One\n* Two\n3. Three\n+ [x] Four\n") == [
        "One",
        "Two",
        "Three",
        "Four",
    ]


def test_an_item_below_an_item_is_a_memory_of_its_own() -> None:
    one, two, three = cut_markdown("- Projects\n  - Atlas\n  - Borea\n")

    assert (one.leads, two.leads, three.leads) == (True, False, False)
    assert (two.first, three.first) == (1, 2)


def test_what_continues_an_item_belongs_to_it() -> None:
    assert texts("- One\n  goes on\nlazily\n- Two\n") == [
        "One\n  goes on\nlazily",
        "Two",
    ]


def test_a_paragraph_is_a_memory() -> None:
    assert texts("One\nline.\n\nTwo.\n") == ["One\nline.", "Two."]


def test_a_line_with_a_colon_above_a_list_announces_it() -> None:
    first, item = cut_markdown("**Likes:**\n- Tea\n")

    assert first.leads
    assert not item.leads


def test_headings_front_matter_comments_and_rules_are_no_memories() -> None:
    text = "---\nname: x\n---\n# A\n\n<!-- b -->\n\n---\n\n|--|--|\n\n## C\n- D\n"

    (only,) = cut_markdown(text)

    assert (only.text, only.heading, only.first) == ("D", "A / C", 12)


def test_a_comment_is_no_part_of_the_words() -> None:
    assert texts("- Keep it. <!-- importance: 9 -->\n") == ["Keep it."]


def test_an_item_without_words_is_kept_to_be_judged() -> None:
    assert texts("-\n- \n") == ["", ""]


def test_a_code_block_is_not_cut() -> None:
    assert texts("Run:\n```\n- not an item\n\n# no heading\n```\n") == [
        "Run:\n```\n- not an item\n\n# no heading\n```"
    ]


def test_a_row_of_a_table_is_a_memory_and_its_heads_are_none() -> None:
    assert texts("| who | what |\n|---|:--|\n| Lou | rye |\n| Kim | tea |\n") == [
        "| Lou | rye |",
        "| Kim | tea |",
    ]


def test_the_day_comes_from_a_heading_or_the_words() -> None:
    under, own = cut_markdown("## 2026-02-02\n- One\n- 2026-02-03: Two\n")

    assert str(under.day) == "2026-02-02"
    assert str(own.day) == "2026-02-03"


def test_a_text_in_which_people_speak_is_a_transcript() -> None:
    talk = "user: How are you?\n\n**Assistant:** Fine.\n" * 4

    assert is_talk(f"# Session\n\n{talk}")
    assert not is_talk("- User: Alex\n- Role: baker\n- Likes tea\n")


@given(files | st.text())
def test_cuts_stand_in_the_file_one_below_the_other(text: str) -> None:
    cuts = cut_markdown(text)
    lines = text.count("\n") + 1

    assert all(cut.first < cut.end <= lines for cut in cuts)
    assert all(a.end <= b.first for a, b in pairwise(cuts))
