"""Quotations are short and show no secret."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reverie.encoding.auditing.quoting import INVISIBLE, LONGEST, quote
from reverie.encoding.auditing.sheets import Sheet, line_starts
from reverie.secrets import Secret


def sheet(text: str, *spans: tuple[int, int]) -> Sheet:
    secrets = tuple(Secret("token", start, end) for start, end in spans)
    return Sheet("a.md", text, line_starts(text), secrets)


def test_a_quotation_is_one_short_line_without_the_list_mark() -> None:
    text = "- One\n  two " + "three " * 40

    said = quote(sheet(text), 0, len(text))

    assert said.startswith("One two three")
    assert len(said) == LONGEST
    assert said.endswith("…")


def test_a_secret_is_named_and_not_shown() -> None:
    assert quote(sheet("key XYZ end", (4, 7)), 0, 11) == "key [token] end"


def test_a_secret_that_reaches_in_or_out_is_not_shown_either() -> None:
    page = sheet("XXXX mid YYYY", (0, 4), (9, 13))

    assert quote(page, 2, 11) == "[token] mid [token]"


def test_emoji_and_flags_are_nothing_unseen() -> None:
    scotland = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f"

    found = INVISIBLE.finditer(scotland + family)
    assert all(each["unseen"] is None for each in found)


@given(
    st.text(), st.lists(st.tuples(st.integers(0, 40), st.integers(1, 9)), max_size=4)
)
def test_a_quotation_is_always_one_short_line(
    text: str, spans: list[tuple[int, int]]
) -> None:
    page = sheet(text, *_apart(spans))
    said = quote(page, 0, len(text))

    assert len(said) <= LONGEST
    assert "\n" not in said


def _apart(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    kept: list[tuple[int, int]] = []
    for start, size in sorted(spans):
        if not kept or start >= kept[-1][1]:
            kept.append((start, start + size))
    return kept
