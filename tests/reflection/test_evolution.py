"""`evolution.md`: its entries, its lists, its caps and its archive."""

from __future__ import annotations

import random
from datetime import date, timedelta
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import astuple, replace
from tests.reflection.sayings import FORGED, raw_words
from tests.strategies import NASTY, built, files

from reverie.markdown import split_items
from reverie.model.items import Origin
from reverie.model.reflection import INSIGHT_LABELS, Insight
from reverie.reflection.evolution import (
    CAP,
    CAPS,
    LISTS,
    OVERVIEW,
    Counted,
    EvolutionEntry,
    Evolved,
    add_reflection,
    parse_insight,
    render_evolution_entry,
    render_insight,
    words_of_whom,
)
from reverie.reflection.log import MILESTONES
from reverie.reflection.records import body_of, clean, entries_in, parse_words
from reverie.tokens import count_tokens
from reverie.workspace.layout import template

if TYPE_CHECKING:
    from collections.abc import Iterable

EVOLUTION = template("evolution")

PLAIN = Insight(
    vibe="calm",
    key="Frameworks are asked for, then bent.",
    new_understanding="Plans are drafts.",
    confirmed="Values audit trails",
    revised="Thought brevity mattered → depth does",
    continues="Reflection #2: Trust calibration",
    opens="Pace: how fast to go on",
)
insights = built(Insight, *[raw_words] * 7)


def entry(number: int, insight: Insight = PLAIN) -> EvolutionEntry:
    day = date(2026, 2, 3) + timedelta(number)
    milestone = number if number in MILESTONES else 0
    return EvolutionEntry(number, day, number, Counted(12, 3, 64), insight, milestone)


def grown(size: int, text: str = EVOLUTION, archive: str = "") -> Evolved:
    for number in range(1, size + 1):
        text, archive, _ = add_reflection(text, archive, entry(number))
    return Evolved(text, archive)


def numbers(text: str) -> list[int]:
    return [head.number for head, _ in entries_in(text)]


def items(text: str, name: str) -> list[str]:
    pieces = split_items(body_of(text, name))
    return [parse_words(piece.text) for piece in pieces if piece.marker]


def assert_capped(text: str) -> None:
    assert count_tokens(text) <= CAP
    assert len(numbers(text)) <= 10
    assert all(len(items(text, name)) <= CAPS[name] for name in LISTS)


def test_an_entry_reads_as_the_design_shows_it() -> None:
    assert render_evolution_entry(entry(7)) == (
        "## Reflection #7 — 2026-02-10\n"
        "### Cognitive State\n"
        "- Total reflections: 7\n"
        "- Entities in graph: 12\n"
        "- Procedures learned: 3\n"
        "- Core memory utilization: 64% of 3K cap\n"
        "### Key Insight\n"
        "Frameworks are asked for, then bent.\n"
        "### Evolution Delta\n"
        "- New understanding: Plans are drafts.\n"
        "- Confirmed pattern: Values audit trails\n"
        "- Revised assumption: Thought brevity mattered → depth does\n"
        "### Thread Continuity\n"
        "- Continues thread from Reflection #2: Trust calibration\n"
        "- Opens new thread: Pace: how fast to go on\n"
    )


def test_lines_without_content_are_left_out() -> None:
    text = render_evolution_entry(entry(7, Insight(revised="x")))

    assert "### Key Insight" not in text
    assert "### Thread Continuity" not in text
    assert text.endswith("### Evolution Delta\n- Revised assumption: x\n")


def test_the_file_reads_as_the_design_shows_it() -> None:
    text, archive, notes = add_reflection(
        EVOLUTION, "", entry(1), ("How much is welcome?",)
    )

    assert text == EVOLUTION + (
        "\n## Overview\n- First reflection: 2026-02-04\n- Total reflections: 1\n"
        '\n## Active Threads\n1. "Pace" — how fast to go on\n'
        "\n## Revised Assumptions\n- [#1] Thought brevity mattered → depth does\n"
        "\n## Open Questions\n- How much is welcome?\n"
        "\n## Recent Reflections\n\n" + render_evolution_entry(entry(1))
    )
    assert archive == ""
    assert notes == ()


def test_a_file_with_the_title_of_the_design_goes_on() -> None:
    before = (
        "# Philosophical Evolution\n## Overview\n- First reflection: 2025-01-01\n"
        "- Total reflections: 9\n## Active Threads\n"
        '1. "Structure" — wants frameworks\n2. "Trust" — grows\n'
        "## Confirmed Patterns\n- Thinks in systems\n## Recent Reflections\n"
    )

    text = add_reflection(before, "", entry(10)).text

    assert text.startswith(
        "# Philosophical Evolution\n## Overview\n- First reflection: 2025-01-01\n"
        "- Total reflections: 10\n- Milestones reached: #10\n"
    )
    assert items(text, "Active Threads") == [
        '"Structure" — wants frameworks',
        '"Trust" — grows',
        '"Pace" — how fast to go on',
    ]
    assert items(text, "Confirmed Patterns") == ["Thinks in systems"]


def test_milestones_are_counted() -> None:
    text, _, _ = grown(26)

    assert "- Milestones reached: #10, #25\n" in text
    assert "- Total reflections: 26\n" in text
    assert "- First reflection: 2026-02-04\n" in text


def test_a_pattern_is_stable_when_five_reflections_confirm_it() -> None:
    four, archive, _ = grown(4)

    def then(numbers: str) -> str:
        said = replace(PLAIN, patterns=(f"{numbers}: Values audit trails",))
        return add_reflection(four, archive, entry(5, said)).text

    assert items(four, "Confirmed Patterns") == []
    assert items(then("#1, #2, #4"), "Confirmed Patterns") == []
    assert items(then("#1, #2, #8, #9"), "Confirmed Patterns") == []
    found = items(then("#1, #2, #3, #4"), "Confirmed Patterns")
    assert found == ["Values audit trails"]


def test_a_pattern_on_its_way_is_told_with_where_it_was_seen() -> None:
    said = replace(PLAIN, patterns=("#1, #2: Values audit trails", "no number"))

    text = add_reflection(*grown(2)[:2], entry(3, said)).text

    assert "- Seen in #1, #2: Values audit trails\n" in text
    assert "no number" not in text


def test_archived_entries_confirm_a_pattern_too() -> None:
    text, archive = EVOLUTION, ""
    for number in range(1, 50):
        text, archive, _ = add_reflection(text, archive, entry(number))

    assert items(text, "Confirmed Patterns") == []
    said = replace(PLAIN, patterns=("#11, #22, #33, #44: Values audit trails",))
    text, archive, _ = add_reflection(text, archive, entry(50, said))
    assert items(text, "Confirmed Patterns") == ["Values audit trails"]


def test_a_thread_that_ends_and_a_question_that_is_answered_leave_their_lists() -> None:
    text = (
        '## Active Threads\n1. "Trust" — grows\n2. "Pace" — how fast\n'
        "## Open Questions\n- Why nets?\n- Why holes?\n"
    )
    said = replace(
        PLAIN,
        opens="",
        closes=("Trust", "Pace → Rhythm"),
        answers=("Why nets? → Fish.",),
    )

    after = add_reflection(text, "", entry(7, said))

    assert items(after.text, "Active Threads") == []
    assert items(after.text, "Open Questions") == ["Why holes?"]
    for kept in ("Trust", "→ Rhythm", "Why nets? → Fish."):
        assert kept in after.archive


def test_a_thread_that_goes_on_is_the_newest_again() -> None:
    before = "## Active Threads\n" + "".join(
        f'{n}. "Topic {n}" — about {n}\n' for n in range(1, 6)
    )
    told = Insight(continues="Reflection #2: Topic 1, once more", opens="Topic 9")

    text, archive, _ = add_reflection(before, "", entry(12, told))

    assert items(text, "Active Threads") == [
        *(f'"Topic {n}" — about {n}' for n in (3, 4, 5, 1)),
        '"Topic 9"',
    ]
    assert archive == (
        "# Evolution Archive\n\n## Pruned at Reflection #12\n### Active Threads\n"
        '1. "Topic 2" — about 2\n'
    )


def test_a_thread_of_the_same_title_makes_room() -> None:
    before = '## Active Threads\n1. "Pace" — slow\n'

    text, archive, _ = add_reflection(before, "", entry(12))

    assert items(text, "Active Threads") == ['"Pace" — how fast to go on']
    assert '"Pace" — slow' in archive


def test_a_question_asked_again_stands_once() -> None:
    once = add_reflection(EVOLUTION, "", entry(1), ("Why so late?", "Who is Kim?"))
    twice = add_reflection(once.text, once.archive, entry(2), ("why so late",))

    assert items(twice.text, "Open Questions") == ["Who is Kim?", "Why so late?"]


def test_questions_beyond_the_cap_are_in_the_archive() -> None:
    asked = tuple(f"Question {n}?" for n in range(20))

    text, archive, _ = add_reflection(EVOLUTION, "", entry(1), asked)

    assert items(text, "Open Questions") == list(asked[-5:])
    assert all(f"- {each}\n" in archive for each in asked[:-5])


def test_old_entries_move_to_the_archive_in_order() -> None:
    text, archive, _ = grown(40)

    assert numbers(archive) + numbers(text) == list(range(1, 41))
    assert all(render_evolution_entry(entry(n)) in archive + text for n in range(1, 41))


HOSTILE = [*NASTY, *FORGED, "long words of no use " * 200, "界" * 3000, "x" * 5000]


def test_caps_hold_and_nothing_is_lost_over_many_hostile_reflections() -> None:
    for seed in [1]:
        chance = random.Random(seed)  # noqa: S311  no secret
        text, archive = EVOLUTION, ""
        for number in range(1, 41):
            words = ("\n".join(chance.sample(HOSTILE, 2)) for _ in range(7))
            told = insight_of(words)
            asked = tuple(chance.sample(HOSTILE, 3))
            whole = render_evolution_entry(entry(number, told))
            old_items = {words for name in LISTS for words in items(text, name)}

            text, archive, _ = add_reflection(text, archive, entry(number, told), asked)

            assert_capped(text)
            assert whole in text or whole in archive
            kept = {words for name in LISTS for words in items(text, name)}
            assert all(words in archive for words in map(shown, old_items - kept))
        assert sorted(set(numbers(archive) + numbers(text))) == list(range(1, 41))


def shown(words: str) -> str:
    """The part of an item that reads the same however it is escaped."""
    return words.strip("\\").partition("<")[0].partition("--")[0].rstrip("\\")[:40]


@given(files, st.lists(insights, min_size=1, max_size=4), st.integers(1, 120))
def test_no_words_forge_an_entry(text: str, told: list[Insight], first: int) -> None:
    archive = ""
    for number, each in enumerate(told, start=first):
        text, archive, _ = add_reflection(
            text, archive, entry(number, each), (each.key,)
        )

    wanted = list(range(first, first + len(told)))
    assert sorted({*numbers(text), *numbers(archive)}) == wanted
    heads = [line.casefold() for line in text.split("\n")]
    assert all(heads.count(f"## {n}".casefold()) <= 1 for n in (OVERVIEW, *LISTS))


@settings(max_examples=25, deadline=None)
@given(files)
def test_what_a_person_typed_is_kept_word_by_word(typed: str) -> None:
    own = "## My own section\nkeep\r\n\n   this\n" + typed

    text, archive, _ = add_reflection(f"# Evolution\n\n{own}", "", entry(1))
    for number in range(2, 14):
        text, archive, _ = add_reflection(text, archive, entry(number))

    assert own in text
    assert_capped(text)


def test_what_a_person_typed_into_our_sections_gives_way_and_is_archived() -> None:
    prose = "A long remark of mine on this list. " * 60
    before = (
        f"# Evolution\n\n## Overview\n{prose}\n\n## Active Threads\n{prose}\n"
        + "".join(f"- thread {n} {'and on ' * 40}\n" for n in range(30))
        + f"\n## Open Questions\n\n\n\n- huge {prose * 5}\n- small\n\n"
        f"## Recent Reflections\n{prose}\n## Reflection #1 — 2026-02-01\n{prose * 4}\n"
    )

    text, archive, notes = add_reflection(before, "", entry(2))

    assert_capped(text)
    assert notes == ()
    assert numbers(text) == [2]
    assert items(text, "Open Questions") == ["small"]
    for line in before.split("\n"):
        assert line.lstrip("- ").strip() in archive + text


def test_a_section_of_ones_own_over_the_cap_is_told_and_left_alone() -> None:
    own = "## Mine\n" + "words and more words " * 1000 + "\n"

    text, archive, notes = add_reflection(f"{EVOLUTION}\n{own}", "", entry(3))

    assert own in text
    assert numbers(archive) == [3]
    assert numbers(text) == []
    assert [note for note in notes if "2,000" in note]
    assert [note for note in notes if "no room for reflection #3" in note]


def test_the_first_day_is_known_even_when_the_overview_had_no_room() -> None:
    _, archive, _ = add_reflection("## Mine\n" + "word " * 3000, "", entry(1))

    text = add_reflection(EVOLUTION, archive, entry(9)).text

    assert "- First reflection: 2026-02-04\n" in text


def test_windows_line_ends_stay() -> None:
    text, archive, _ = grown(30, EVOLUTION.replace("\n", "\r\n"))

    assert text.count("\n") == text.count("\r\n")
    assert sorted(numbers(archive) + numbers(text)) == list(range(1, 31))


def test_a_long_file_does_not_hang() -> None:
    text = (
        "## Active Threads\n"
        + "1. x\n" * 1_000
        + "## Open Questions\n"
        + "\n" * 30_000
        + "x" * 30_000
        + "\n"
        + "".join(f"## Reflection #{n} — 2026-01-01\n" for n in range(1, 300))
    )

    after = add_reflection(text, "", entry(300))

    assert len(items(after.text, "Active Threads")) <= 5
    assert numbers(after.archive)[:2] == [1, 2]


# --- as a change that is proposed ----------------------------------------------


def insight_of(words: Iterable[str]) -> Insight:
    """An insight whose lines say these words, in their order."""
    return replace(Insight(), **dict(zip(INSIGHT_LABELS, words, strict=False)))


@given(insights, st.lists(raw_words, max_size=3))
def test_an_insight_is_read_back_from_its_change(
    insight: Insight, questions: list[str]
) -> None:
    text = render_insight(insight, questions, Counted(1, 2, 3))

    told, asked, counted = parse_insight(text)

    wanted = insight_of(clean(words) for words in astuple(insight)[:7])
    assert (told, asked) == (wanted, tuple(filter(None, map(clean, questions))))
    assert counted == (Counted(1, 2, 3) if text else None)


def test_a_line_without_a_name_is_understood_newly() -> None:
    told, asked, counted = parse_insight("Tides turn.\nNew understanding: They do.")

    assert told == Insight(new_understanding="Tides turn. They do.")
    assert (asked, counted) == ((), None)


def test_the_evolution_never_forgets_that_strangers_had_a_part_in_it() -> None:
    text = archive = ""
    for number, origin in enumerate((Origin.AGENT, Origin.TOOL, Origin.AGENT), 1):
        one = replace(entry(number), origin=origin)
        text, archive, _ = add_reflection(text, archive, one)

    assert words_of_whom(text) is Origin.TOOL
    assert text.count("- Made of words of: tool\n") == 1
