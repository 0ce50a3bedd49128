"""`IDENTITY.md`: the self-awareness log and the self-image."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st
from tests.reflection.sayings import raw_words, said
from tests.strategies import built, days, files

from reverie.reflection.identity import (
    HEADINGS,
    LONGEST,
    Awareness,
    SelfImage,
    append_awareness,
    awareness_items,
    changes,
    compact_log,
    parse_self_image,
    recent,
    render_self_image,
)
from reverie.reflection.records import clean, folded, render_words

DAY = date(2026, 2, 3)


def test_tagged_passages_are_found() -> None:
    for told, items in [
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
    ]:
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


LATER = date(2026, 3, 3)
lines = st.lists(said, max_size=3).map(tuple)
images = built(SelfImage, lines, lines, lines, lines, lines, lines)


def log_of(*months: tuple[int, int]) -> str:
    text = "# Me\n"
    for month, entries in months:
        items = [f"thing {month}.{n}." for n in range(entries)]
        text = append_awareness(text, date(2026, month, 4), items)
    return text


def test_the_image_reads_as_the_design_shows_it() -> None:
    image = SelfImage(who=("Careful, mostly",), questions=("Am I?", "Since when?"))

    assert render_self_image("# Me\n", image, LATER) == (
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
    before = render_self_image(text, old, LATER)
    after = render_self_image(before, new, LATER)

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

    after = render_self_image(text, SelfImage(quirks=("I nod",)), LATER)

    assert after.startswith("# Me\n\n## Self-Image\n<!-- Last consolidated")
    assert "### Mine\nkeep this\n\n## Self-Awareness Log\n" in after
    assert after.endswith("- 2026-02-03: I hum.\n")
    assert "I hum,\nloudly" not in after
    assert parse_self_image(text).quirks == ("I hum, loudly.",)


def test_a_new_image_stands_above_the_log() -> None:
    after = render_self_image(log_of((2, 1)), SelfImage(), LATER)

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
    text = render_self_image("", old, LATER)

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
    text = render_self_image("", old, LATER)

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


def test_a_picture_made_of_others_words_says_so_also_once_they_are_summed_up() -> None:
    text = append_awareness("# Me\n", date(2026, 1, 4), ["Told so."], "tool")
    for number in range(20):
        text = append_awareness(text, date(2026, 2, 4), [f"thing {number}."])

    for _ in range(2):
        text = compact_log(render_self_image(text, SelfImage(who=("X",)), LATER), {})
        assert "<!-- Last consolidated: 2026-03-03 | By: tool -->" in text
        assert "- 2026-01 (1 entry): Told so. <!-- by:tool -->\n" in text
        text = append_awareness(text, date(2026, 1, 5), ["Again."])
        text = append_awareness(text, LATER, [f"new {n}." for n in range(20)])
        text = text.replace("- 2026-01-05: Again.\n", "")


def test_a_picture_of_ones_own_notes_has_no_mark() -> None:
    assert "By:" not in render_self_image(log_of((1, 3)), SelfImage(who=("X",)), LATER)
