"""What waits for a yes."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests import strategies

from reverie.markdown import tidy
from reverie.model.ids import Store
from reverie.model.items import Confidence, Origin
from reverie.model.proposals import Proposal
from reverie.stores.proposals import (
    NoSuchProposalError,
    add_proposal,
    find_proposal,
    parse_pending,
    remove_proposal,
    render_pending,
)
from reverie.workspace.layout import template

PENDING_MEMORIES = template("pending-memories")

PATH = "memory/meta/pending-memories.md"
AT = datetime(2026, 2, 3, 10, 15, tzinfo=UTC)
REFACTORING = Proposal(
    1,
    "coder",
    AT,
    "user said so",
    Store.PROCEDURAL,
    "Write tests before changing the implementation",
    ("procedure--refactoring-workflow",),
    Confidence.HIGH,
    origin=Origin.SUBAGENT,
)

SEED = """\
# Pending Memory Proposals

---
## Proposal #1
- **From**: researcher
- **Timestamp**: 2026-02-03T10:00:00Z
- **Trigger**: auto-detect during research task
- **Suggested store**: semantic
- **Content**: User prefers academic sources
- **Entities**: [preference--source-quality]
- **Confidence**: medium
- **Core-worthy**: no
- **Status**: pending

---
## Proposal #3 ⚠️ CONFLICT with #4
- **From**: researcher
- **Suggested store**: semantic
- **Content**: Project deadline is March 15
- **Status**: conflict — see #4
"""


def test_the_design_s_own_example_is_read() -> None:
    first, third = parse_pending(SEED, PATH).proposals

    assert (first.number, first.sender, first.store) == (1, "researcher", "semantic")
    assert first.at == datetime(2026, 2, 3, 10, tzinfo=UTC)
    assert first.entities == ("preference--source-quality",)
    assert (third.number, third.status) == (3, "conflict — see #4")


def test_a_proposal_that_does_not_say_whose_words_it_is_trusts_nobody() -> None:
    assert parse_pending(SEED, PATH).proposals[0].origin is Origin.TOOL


def test_a_proposal_is_written_in_the_design_s_format() -> None:
    text = render_pending(add_proposal(parse_pending("", PATH), REFACTORING))

    assert text.endswith(
        "---\n"
        "## Proposal #1\n"
        "- **From**: coder\n"
        "- **Timestamp**: 2026-02-03T10:15:00Z\n"
        "- **Trigger**: user said so\n"
        "- **Suggested store**: procedural\n"
        "- **Content**: Write tests before changing the implementation\n"
        "- **Entities**: [procedure--refactoring-workflow]\n"
        "- **Confidence**: high\n"
        "- **Core-worthy**: no\n"
        "- **Status**: pending\n"
        "- **Origin**: sub-agent\n"
    )


@given(strategies.files)
def test_the_file_gives_back_its_text(text: str) -> None:
    assert render_pending(parse_pending(text, PATH)) == text


@given(strategies.texts.filter(str.strip))
def test_a_content_survives_being_written_and_read_back(content: str) -> None:
    wanted = replace(REFACTORING, content=content)
    pending = add_proposal(parse_pending(PENDING_MEMORIES, PATH), wanted)

    assert [p.content for p in pending.proposals] == [tidy(content)]
    assert pending.proposals[0].origin is Origin.SUBAGENT


@given(strategies.texts.filter(str.strip), st.integers(1, 3))
def test_taking_one_away_leaves_the_others(content: str, number: int) -> None:
    pending = parse_pending(PENDING_MEMORIES, PATH)
    for n in range(3):
        told = replace(REFACTORING, content=f"{n} {content}")
        pending = add_proposal(pending, told)

    left = remove_proposal(pending, number)

    expected = [p for p in pending.proposals if p.number != number]
    assert list(left.proposals) == expected
    assert left.next_number == 4


def test_a_number_is_never_given_again() -> None:
    pending = parse_pending(PENDING_MEMORIES, PATH)
    for _ in range(2):
        pending = add_proposal(pending, REFACTORING)
        pending = remove_proposal(pending, pending.proposals[0].number)

    assert [p.number for p in add_proposal(pending, REFACTORING).proposals] == [3]


def test_a_proposal_that_is_not_there_is_told() -> None:
    with pytest.raises(NoSuchProposalError, match="#7"):
        find_proposal(parse_pending(SEED, PATH), 7)


def test_a_proposal_without_content_is_reported_with_its_line() -> None:
    pending = parse_pending("## Proposal #1\n- **Suggested store**: vault\n", PATH)

    assert [(f.line, f.what) for f in pending.findings] == [
        (1, "proposal #1 has no content")
    ]
