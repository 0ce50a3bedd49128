"""What is cut away around a content."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.encoding.triggers.contents import trimmed

TRIMMED = [
    (": i like tea.", "i like tea"),
    (" that i like tea", "i like tea"),
    (" i like tea, please.", "i like tea"),
    (" i like tea, thank you so much!", "i like tea"),
    (" i like tea from now on", "i like tea"),
    (' "i like tea"', "i like tea"),
    (" (i like tea)", "i like tea"),
    (" i like tea)", "i like tea"),
    (' i like "tea"', 'i like "tea"'),
    (" tea (green)", "tea (green)"),
    (" i like tea, and", "i like tea"),
    (" \u2014 i like tea\u2026", "i like tea"),
    (" , . ", ""),
]


@pytest.mark.parametrize(("text", "content"), TRIMMED)
def test_a_content_has_no_trimmings(text: str, content: str) -> None:
    start, end = trimmed(text, 0, len(text))

    assert text[start:end] == content


def test_a_block_keeps_its_full_stop() -> None:
    text = "\n- tea.\n- milk.\n\n"

    start, end = trimmed(text, 0, len(text), whole=True)

    assert text[start:end] == "- tea.\n- milk."


@given(st.text(), st.booleans())
def test_it_never_grows(text: str, whole: bool) -> None:  # noqa: FBT001
    start, end = trimmed(text, 0, len(text), whole=whole)

    assert 0 <= start <= end <= len(text)
