"""Pages with a title, header comments and sections."""

from __future__ import annotations

from hypothesis import given
from tests import strategies

from reverie.markdown import (
    Page,
    find_in_page,
    parse_date,
    parse_page,
    render_page,
    with_field,
    with_item,
)

ORDER = ("Facts", "Notes")
TEXT = "# x\n\n<!-- Type: y | Mine: a\\|b -->\n\n## Notes\nold\n\n## Mine\nz\n"


def page(text: str) -> Page:
    return parse_page(text, "memory/x.md", ORDER)


@given(strategies.files)
def test_a_page_joins_to_its_text_again(text: str) -> None:
    assert render_page(page(text)) == text


def test_a_new_item_goes_to_the_end_of_its_section() -> None:
    changed = render_page(with_item(page(TEXT), "Notes", "- new\n"))

    assert changed == TEXT.replace("old\n", "old\n- new\n")


def test_a_missing_section_is_made_before_those_that_come_later() -> None:
    changed = render_page(with_item(page(TEXT), "Facts", "- new\n"))

    assert changed == TEXT.replace("## Notes", "## Facts\n- new\n\n## Notes")


def test_a_missing_section_is_made_at_the_end_of_a_file_without_a_last_line_feed() -> (
    None
):
    changed = render_page(with_item(page("# x\r\na"), "Notes", "- new\n"))

    assert changed == "# x\r\na\r\n\r\n## Notes\r\n- new\r\n"


def test_a_header_field_is_changed_in_its_place() -> None:
    changed = with_field(page(TEXT), "Type", "z", beside="Type")

    assert render_page(changed) == TEXT.replace("Type: y", "Type: z")
    assert changed.value("mine") == "a|b"


def test_a_new_header_field_goes_beside_another() -> None:
    changed = with_field(page(TEXT), "Pinned", "no", beside="Type")

    assert render_page(changed) == TEXT.replace(" -->", " | Pinned: no -->")


def test_a_header_is_made_where_there_is_none() -> None:
    for text, changed in [
        ("# x\ntext", "# x\n\n<!-- A: b -->\ntext"),
        ("# x\n<!-- C: d -->\n", "# x\n<!-- C: d -->\n<!-- A: b -->\n"),
        ("## Notes\n", "<!-- A: b -->\n## Notes\n"),
        ("", "<!-- A: b -->\n"),
    ]:
        assert render_page(with_field(page(text), "A", "b", beside="Z")) == changed


def test_a_comment_below_a_heading_is_no_header() -> None:
    assert page("# x\n## Notes\n<!-- Pinned: yes -->\n").value("Pinned") == ""


def test_a_day_that_is_none_is_reported_with_its_line() -> None:
    read = page("# x\n<!-- Created: 2026-02-30 -->\n")

    assert [str(f) for f in find_in_page(read, ["Created", "Other"])] == [
        "memory/x.md:2: Created is not a day: '2026-02-30'"
    ]


def test_only_a_whole_iso_day_is_a_day() -> None:
    for text in ["20260202", "2026-W05-1", "2026-13-01", "\uff12026-01-01"]:
        assert parse_date(text) is None
