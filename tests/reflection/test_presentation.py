"""The summary of a reflection, as reflection v1 shows it."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests import strategies
from tests.strategies import built

from reverie.model.reflection import (
    Insight,
    Operation,
    OperationKind,
    PendingReflection,
    Presentation,
    SourceRead,
)
from reverie.reflection.presentation import WITHOUT_MIND, Surrounding, render_summary

BERLIN = ZoneInfo("Europe/Berlin")
PAGE = "memory/graph/entities/person--robin.md"
MADE = datetime(2026, 2, 3, 3, 0, tzinfo=BERLIN)
READ = {
    "reflection-log.md": 10,
    "memory/graph/entities/*": 1,
    "memory/episodes/*": 23,
    "memory/procedures/*": 3,
}
BARE = PendingReflection(1, MADE, Presentation.SUMMARY, "")
WHOLE = PendingReflection(
    number=10,
    made=MADE,
    presentation=Presentation.SUMMARY,
    told="",
    operations=(
        Operation(
            OperationKind.EXTRACT,
            PAGE,
            "# Robin\n\n## Facts\n- Drinks tea <!-- until: 2027-01-01 -->\n- Runs",
        ),
        Operation(
            OperationKind.PATTERN, "memory/procedures/tea.md", "…", "seen thrice"
        ),
        Operation(OperationKind.COMMIT, "3", "", "it fits"),
        Operation(OperationKind.REJECT, "#4", ""),
        Operation(
            OperationKind.CONNECT, PAGE, "| person--robin | likes | place--sea |"
        ),
        Operation(
            OperationKind.ARCHIVE,
            "ep-1",
            "an old bug",
            "score: 0.03, last accessed 45 days ago",
        ),
        Operation(OperationKind.FLAG, PAGE, "Lives by the sea, and in the hills."),
        Operation(OperationKind.MOVE, "Active Context", "Tea house: planned"),
    ),
    insight=Insight(
        key="I learn most from corrections.",
        new_understanding="She thinks in pictures.",
        revised="Not shy, only tired.",
        opens="Who decides what matters?",
    ),
    questions=("Is the old address right?",),
    read=tuple(SourceRead(name, count, 0, 0) for name, count in READ.items()),
    input_tokens=21_034,
    used=5_210,
    grant=8_000,
    milestone="#10, the first evolution summary",
)
AROUND = Surrounding(
    MADE,
    datetime(2026, 2, 4, 2, 0, tzinfo=UTC),
    core_diff="- Tea house: idea\n+ Tea house: planned",
    themes=("Both, rather than either.",),
)


def test_the_summary_reads_as_reflection_v1_shows_it() -> None:
    assert (
        render_summary(WHOLE, AROUND)
        == """\
# Reflection Summary — 2026-02-03

**Milestone**: #10, the first evolution summary

## 🧠 New Knowledge Extracted
- Drinks tea → person--robin
- Runs → person--robin
- New procedure: tea (seen thrice)
- Proposal #3: accept (it fits)
- Proposal #4: turn down

## 🔗 New Connections
- person--robin → likes → place--sea (NEW)

## 📦 Proposed Archival (decay score < 0.05)
- ep-1: an old bug (score: 0.03, last accessed 45 days ago)

## ⚠️ Contradictions Detected
- Lives by the sea, and in the hills.

## ✏️ Core Memory Changes
```diff
- Tea house: idea
+ Tea house: planned
```

## 🌱 Philosophical Evolution

### What I've Learned About Learning
I learn most from corrections.

### Evolving Understanding
She thinks in pictures.

### Emergent Themes
Both, rather than either.

Who decides what matters?

### Revised Assumptions
Not shy, only tired.

## ❓ Questions for You
- Is the old address right?

---
**Reflection #**: 10
**Input tokens**: 21,034 / ~30,000 target
**Output tokens**: 5,210 / 8,000 max
**Memories processed**: 23 episodes, 1 entity, 3 procedures
**Reflections reviewed**: Last 10 entries
**Next scheduled reflection**: 2026-02-04 03:00

> Reply with `approve`, `approve with changes`, `reject`, or `partial approve`.
"""
    )


def test_an_empty_section_says_so() -> None:
    bare = render_summary(BARE, Surrounding(MADE))

    assert bare.count("- None this cycle\n") == 7
    assert "Milestone" not in bare
    assert "**Memories processed**: 0 episodes, 0 entities, 0 procedures\n" in bare
    assert "**Reflections reviewed**: None yet\n" in bare
    assert "**Next scheduled reflection**: none\n" in bare


def test_only_what_was_understood_has_a_heading() -> None:
    told = render_summary(
        replace(WHOLE, insight=Insight(key="Less.")), Surrounding(MADE)
    )

    assert "### What I've Learned About Learning\nLess.\n" in told
    assert "### Emergent Themes" not in told
    assert "### Revised Assumptions" not in told


def test_where_nobody_thought_no_insight_is_claimed() -> None:
    told = render_summary(WHOLE, replace(AROUND, without_mind=True))

    assert f"\n{WITHOUT_MIND}\n" in told
    assert "Philosophical Evolution" not in told
    assert "corrections" not in told
    assert "Both, rather" not in told


@pytest.mark.parametrize("edge", ["a -> likes -> b", "a → likes → b", "|a|likes|b|"])
def test_an_edge_is_told_with_arrows(edge: str) -> None:
    connect = Operation(OperationKind.CONNECT, "", edge)

    assert "- a → likes → b (NEW)\n" in render_summary(
        replace(WHOLE, operations=(connect,)), AROUND
    )


def test_a_page_without_a_list_is_told_by_its_first_line() -> None:
    extract = Operation(OperationKind.EXTRACT, PAGE, "# Robin\n\nA friend.")

    assert "- Robin → person--robin\n" in render_summary(
        replace(WHOLE, operations=(extract,)), AROUND
    )


def test_without_a_diff_the_core_changes_are_listed() -> None:
    told = render_summary(WHOLE, replace(AROUND, core_diff="\n"))

    assert "## ✏️ Core Memory Changes\n- Tea house: planned: move\n" in told


HEADINGS = re.compile(r"^ {0,3}#{1,6}(?: .*)?$", re.MULTILINE)
texts = st.lists(strategies.lines, max_size=4).map("\n".join)


@given(
    st.lists(
        built(Operation, st.sampled_from(OperationKind), texts, texts, texts),
        max_size=4,
    ).map(tuple),
    built(Insight, texts, texts, texts, texts, texts, texts, texts),
    texts,
    st.booleans(),
)
def test_nothing_in_it_adds_a_heading_or_hides_one(
    operations: tuple[Operation, ...],
    insight: Insight,
    text: str,
    without_mind: bool,  # noqa: FBT001 - Hypothesis gives it
) -> None:
    pending = replace(
        BARE,
        operations=operations,
        insight=insight,
        questions=(text,),
        milestone=text,
    )
    around = Surrounding(
        MADE, themes=(text,), listed=((text, (text,)),), without_mind=without_mind
    )

    told = render_summary(pending, around)

    level_two = [line for line in HEADINGS.findall(told) if line.startswith("## ")]
    assert len(level_two) == (7 if without_mind else 8)
    assert len(HEADINGS.findall(told)) <= len(level_two) + 6
    assert not re.search(r"^[ \t>-]*(?:```|~~~)", told, re.MULTILINE)
    assert "<!--" not in told


@given(texts)
def test_no_diff_breaks_out_of_its_fence(diff: str) -> None:
    told = render_summary(WHOLE, replace(AROUND, core_diff=f"+ x\n{diff}"))
    opening = re.search(r"^(`{3,})diff$", told, re.MULTILINE)

    assert opening is not None
    below = told[opening.end() :]
    inside, _, rest = below.partition(f"\n{opening[1]}\n")
    assert inside.startswith("\n+ x")
    assert rest.startswith("\n## 🌱")
