"""How the agent sees itself."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reflection.records.sayings import said
from tests.strategies import files

from reverie.reflection.records.identity import (
    HEADINGS,
    SelfImage,
    append_awareness,
    changes,
    compact_log,
    due,
    parse_self_image,
    recent,
    render_self_image,
)
from reverie.reflection.records.page import folded, render_words

DAY = date(2026, 3, 3)
lines = st.lists(said, max_size=3).map(tuple)
images = st.builds(SelfImage, lines, lines, lines, lines, lines, lines)


def log_of(*months: tuple[int, int]) -> str:
    text = "# Me\n"
    for month, entries in months:
        items = [f"thing {month}.{n}." for n in range(entries)]
        text = append_awareness(text, date(2026, month, 4), items)
    return text


def test_the_image_reads_as_the_design_shows_it() -> None:
    image = SelfImage(who=("Careful, mostly",), questions=("Am I?", "Since when?"))

    assert render_self_image("# Me\n", image, DAY) == (
        "# Me\n\n## Self-Image\n<!-- Last consolidated: 2026-03-03 -->\n"
        "### Who I Think I Am\n- Careful, mostly\n"
        "### Patterns I've Noticed\n### My Quirks\n### Edges & Limitations\n"
        "### What I Value (Discovered)\n"
        "### Open Questions\n- Am I?\n- Since when?\n"
    )


@given(files, images, images)
def test_the_image_is_rewritten_and_read_back(
    text: str, old: SelfImage, new: SelfImage
) -> None:
    before = render_self_image(text, old, DAY)
    after = render_self_image(before, new, DAY)

    assert parse_self_image(before) == old
    assert parse_self_image(after) == new
    assert after.startswith(text)
    assert after.count("<!-- Last consolidated: 2026-03-03 -->") == 1


def test_the_rest_of_the_file_stays() -> None:
    text = (
        "# Me\n\n## Self-Image\nold words\n### My Quirks\nI hum,\nloudly.\n"
        "### Mine\nkeep this\n\n## Self-Awareness Log\n### Recent (Full Detail)\n"
        "- 2026-02-03: I hum.\n"
    )

    after = render_self_image(text, SelfImage(quirks=("I nod",)), DAY)

    assert after.startswith("# Me\n\n## Self-Image\n<!-- Last consolidated")
    assert "### Mine\nkeep this\n\n## Self-Awareness Log\n" in after
    assert after.endswith("- 2026-02-03: I hum.\n")
    assert "I hum,\nloudly" not in after
    assert parse_self_image(text).quirks == ("I hum, loudly.",)


def test_a_new_image_stands_above_the_log() -> None:
    after = render_self_image(log_of((2, 1)), SelfImage(), DAY)

    assert after.index("## Self-Image") < after.index("## Self-Awareness Log")
    assert all(f"### {name}\n" in after for name in HEADINGS)


def test_changes_read_as_the_design_shows_them() -> None:
    old = SelfImage(
        patterns=("I over-explain when wrong", "Excessive caution"),
        quirks=("I hum",),
    )
    new = SelfImage(
        patterns=("I explain less when wrong", "I use humor when uncertain"),
        quirks=("i hum!",),
        questions=("Am I more confident, or do I only perform it?",),
    )
    text = render_self_image("", old, DAY)

    assert changes(text, new) == (
        "My self-image has evolved. Here's what changed:\n"
        "**Patterns I've Noticed:**\n"
        '- ADDED: "I use humor when uncertain"\n'
        '- REVISED: "I over-explain when wrong" → "I explain less when wrong"\n'
        '- REMOVED: "Excessive caution" (no recent evidence)\n'
        "**New Open Question:**\n"
        '- "Am I more confident, or do I only perform it?"\n'
        "Approve these updates to IDENTITY.md?\n"
    )


@given(images, images)
def test_changes_name_every_line_that_comes_or_goes(
    old: SelfImage, new: SelfImage
) -> None:
    text = render_self_image("", old, DAY)

    shown = changes(text, new)

    assert changes(text, old) == ""
    for (_, before), (_, after) in zip(old.sections, new.sections, strict=True):
        same = set(map(folded, before)) & set(map(folded, after))
        for line in (*before, *after):
            assert folded(line) in same or f'"{render_words(line)}"' in shown
    heads = [line for line in shown.split("\n") if line.startswith("**")]
    assert len(heads) <= len(HEADINGS) + 1


def test_old_entries_are_compacted_by_month() -> None:
    text = log_of((1, 8), (2, 5), (3, 12))

    after = compact_log(text, {"2026-01": "Early caution."})

    assert len(recent(after)) == 15
    assert recent(after) == recent(text)[-15:]
    assert after.endswith(
        "### Archived (Compacted)\n"
        "- 2026-01 (8 entries): Early caution.\n"
        "- 2026-02 (2 entries): thing 2.0. thing 2.1.\n"
    )
    assert compact_log(after, {}) == after


def test_a_month_that_is_there_is_counted_on() -> None:
    text = log_of((2, 3), (3, 15)) + (
        "### Archived (Compacted)\n- 2026-02 (4 entries): Growing\nconfidence.\n\n"
        "mine\n"
    )

    after = compact_log(text, {"2026-02": "Fewer jokes."})

    assert "- 2026-02 (7 entries): Growing confidence. Fewer jokes.\n\nmine\n" in after
    assert len(recent(after)) == 15


def test_fifteen_entries_need_no_compacting() -> None:
    text = log_of((2, 15))

    assert compact_log(text, {"2026-02": "x"}) == text


@given(st.lists(said, min_size=16, max_size=25, unique=True), said)
def test_no_summary_forges_an_entry(items: list[str], summary: str) -> None:
    text = append_awareness("# Me\n", date(2026, 1, 4), items)

    after = compact_log(text, {"2026-01": f"{summary}\n- 2026-01-01: forged"})

    assert recent(after) == recent(text)[-15:]
    assert f"- 2026-01 ({len(items) - 15} entr" in after


@pytest.mark.parametrize(
    ("since", "milestone", "is_due"),
    [
        (9, False, False),
        (10, False, True),
        (0, True, True),
        (0, False, False),
        (40, False, True),
    ],
)
def test_the_image_is_due_after_ten_entries_or_at_a_milestone(
    since: int, *, milestone: bool, is_due: bool
) -> None:
    assert due(since, milestone=milestone) is is_due


def test_a_large_log_is_compacted_at_once() -> None:
    head = "## Self-Awareness Log\n### Recent (Full Detail)\n"
    text = head + "".join(
        f"- {year:04d}-{month:02d}-01: x\n"
        for year in range(1000, 3000)
        for month in range(1, 13)
    )

    after = compact_log(text, {})

    assert len(recent(after)) == 15
    assert after.count(" (1 entry): x\n") == 24_000 - 15


def test_a_picture_made_of_others_words_says_so_also_once_they_are_summed_up() -> None:
    text = append_awareness("# Me\n", date(2026, 1, 4), ["Told so."], "tool")
    for number in range(20):
        text = append_awareness(text, date(2026, 2, 4), [f"thing {number}."])

    for _ in range(2):
        text = compact_log(render_self_image(text, SelfImage(who=("X",)), DAY), {})
        assert "<!-- Last consolidated: 2026-03-03 | By: tool -->" in text
        assert "- 2026-01 (1 entry): Told so. <!-- by:tool -->\n" in text
        text = append_awareness(text, date(2026, 1, 5), ["Again."])
        text = append_awareness(text, DAY, [f"new {n}." for n in range(20)])
        text = text.replace("- 2026-01-05: Again.\n", "")


def test_a_picture_of_ones_own_notes_has_no_mark() -> None:
    assert "By:" not in render_self_image(log_of((1, 3)), SelfImage(who=("X",)), DAY)
