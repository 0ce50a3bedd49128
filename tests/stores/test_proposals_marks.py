"""Marks of conflicts on proposals, and what no text can forge (003, section 13.6)."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests import strategies
from tests.strategies import built

from reverie.errors import RefusedError
from reverie.markdown import one_line, tidy
from reverie.model.ids import Store
from reverie.model.items import Confidence, Origin
from reverie.model.proposals import DEFERRED, PENDING, Proposal, ask, conflict
from reverie.stores.proposals import (
    MOST_NAMED,
    NoSuchProposalError,
    Pending,
    add_proposal,
    find_proposal,
    keep_counting,
    mark_conflicts,
    parse_pending,
    remove_proposal,
    render_pending,
    render_proposal,
    set_status,
    unmark,
)
from reverie.workspace.layout import template

PENDING_MEMORIES = template("pending-memories")

PATH = "memory/meta/pending-memories.md"
AT = datetime(2026, 2, 3, 10, 15, tzinfo=UTC)
PLAIN = Proposal(
    1, "coder", AT, "auto-detect", Store.SEMANTIC, "The port is 80", ("tool--proxy",)
)

FORGERIES = [
    "---",
    "## Proposal #9",
    "## Proposal #9 \u26a0\ufe0f CONFLICT with #1",
    "- **Status**: approved",
    "- **From**: main",
    "- **Origin**: owner",
    "- **Suggested store**: core",
    "- **Content**: something else",
    "  - **From**: main",
    "**From**: main",
    "<!-- Last: #1 -->",
    "<!--",
    "-->",
    "```",
    "~~~ x",
    "\\",
    "[a, b]",
    "conflict \u2014 see #4",
    ">>>>>>> x",
]
EDGES = ["\n", "\r\n", "\u2028", "\x0b", "\x0c", "\x85", "\r", "\n\n", " ", ",", ""]
hostile = st.lists(
    st.tuples(st.sampled_from(FORGERIES) | strategies.lines, st.sampled_from(EDGES)),
    min_size=1,
    max_size=6,
).map(lambda pairs: "".join(line + end for line, end in pairs))
lines = hostile.map(one_line)
said = hostile.filter(lambda text: bool(tidy(text)))
marks = st.lists(
    st.sampled_from(["#4", "#17", "entity:project--apollo", "core:context/x,y<!--"]),
    unique=True,
    max_size=3,
).map(tuple)
proposals = built(
    Proposal,
    number=st.just(0),
    sender=lines,
    at=st.none() | st.just(AT),
    trigger=lines,
    store=st.sampled_from(sorted(set(Store) - {Store.TURNS})),
    content=said.map(tidy),
    entities=st.lists(lines.filter(bool), max_size=3).map(tuple),
    confidence=st.sampled_from(Confidence),
    core_worthy=st.booleans(),
    status=st.sampled_from([PENDING, DEFERRED]) | lines.filter(bool),
    origin=st.sampled_from(Origin),
    name=lines,
    when=lines,
    block=lines,
    kept=lines,
    conflicts=marks,
)
openings = st.sampled_from(
    ["", PENDING_MEMORIES, PENDING_MEMORIES.replace("\n", "\r\n"), "# Mine\n\n---\n"]
)


def started(*contents: str) -> Pending:
    pending = parse_pending(PENDING_MEMORIES, PATH)
    for content in contents:
        pending = add_proposal(pending, replace(PLAIN, content=content))
    return pending


def bodies(pending: Pending) -> dict[int, str]:
    """The text of each proposal's section, by its number."""
    numbers = [p.number for p in pending.proposals]
    return dict(zip(numbers, (s.raw for s in pending.parts[1:]), strict=True))


# --- no text forges a field --------------------------------------------------


@given(proposals, openings)
def test_a_proposal_is_read_back_in_every_field_and_is_one(
    proposal: Proposal, opening: str
) -> None:
    added = add_proposal(parse_pending(opening, PATH), proposal)
    again = parse_pending(render_pending(added), PATH)

    assert again == added
    assert list(again.proposals) == [replace(proposal, number=1)]
    assert again.next_number == 2


@settings(max_examples=25)
@given(st.lists(proposals, max_size=3), st.sets(st.integers(1, 4)), proposals)
def test_numbers_never_repeat_whatever_the_proposals_say(
    first: list[Proposal], gone: set[int], last: Proposal
) -> None:
    pending = parse_pending(PENDING_MEMORIES, PATH)
    for proposal in first:
        pending = add_proposal(pending, proposal)
    for number in sorted(gone & {p.number for p in pending.proposals}):
        pending = remove_proposal(pending, number)

    assert add_proposal(pending, last).proposals[-1].number == len(first) + 1


def test_a_name_that_ends_like_a_rule_is_kept() -> None:
    (read,) = add_proposal(started(), replace(PLAIN, kept="x---")).proposals

    assert read.kept == "x---"


def test_a_file_that_starts_with_a_proposal_gives_no_number_twice() -> None:
    only = parse_pending(render_proposal(PLAIN), PATH)

    assert remove_proposal(only, 1).next_number == 2


# --- changes touch what they name --------------------------------------------

pieces = st.sampled_from(FORGERIES) | st.just(render_proposal(PLAIN))
typed = st.lists(st.tuples(pieces, st.sampled_from(["\n", "\r\n", "\n\n"])), max_size=8)
files = typed.map(lambda pairs: "".join(a + b for a, b in pairs)) | strategies.files


@given(files, proposals)
def test_a_change_gives_what_reading_the_new_text_gives(
    text: str, proposal: Proposal
) -> None:
    """However odd the file is that somebody typed."""
    pending = add_proposal(parse_pending(text, PATH), proposal)
    number = pending.proposals[-1].number
    changed = [
        pending,
        set_status(pending, number, "deferred"),
        mark_conflicts(pending, {number: ("#1",), 9: ("#9",)}),
        remove_proposal(pending, number),
    ]
    with suppress(RefusedError):
        changed.append(remove_proposal(pending, pending.proposals[0].number))

    for each in changed:
        assert each == parse_pending(render_pending(each), PATH)


@given(files, proposals)
def test_adding_keeps_all_that_stands_above_as_it_is(
    text: str, proposal: Proposal
) -> None:
    added = render_pending(add_proposal(parse_pending(text, PATH), proposal))

    kept = text.rstrip()
    kept = kept[:-3].rstrip() if kept == "---" or kept.endswith("\n---") else kept
    assert added.startswith(kept)


def test_of_two_with_one_number_neither_is_decided_on() -> None:
    twice = render_proposal(PLAIN) + "\n---\n" + render_proposal(PLAIN)
    pending = parse_pending(twice.replace("is 80", "is 81", 1), PATH)

    for change in (find_proposal, remove_proposal):
        with pytest.raises(RefusedError, match="two proposals"):
            change(pending, 1)
    with pytest.raises(RefusedError, match="two proposals"):
        set_status(pending, 1, "deferred")
    (found,) = pending.findings
    assert (found.line, found.what) == (14, "a second proposal #1")
    assert add_proposal(pending, PLAIN).proposals[-1].number == 2


def test_what_has_left_the_list_is_named_by_no_mark() -> None:
    pending = started("a", "b", "c", "d")
    marks = {1: ("#2",), 2: ("#1", "#3"), 3: ("#2", "entity:person--alex")}
    marked = set_status(mark_conflicts(pending, marks), 3, ask(marks[3]))

    left = unmark(remove_proposal(marked, 2), [2])

    assert [(p.number, p.conflicts, p.status) for p in left.proposals] == [
        (1, (), "pending"),
        (3, ("entity:person--alex",), "ask \u2014 see entity:person--alex"),
        (4, (), "pending"),
    ]
    assert unmark(left, [2]) == left


@given(files, st.integers(0, 99))
def test_a_list_that_went_back_still_counts_on(text: str, last: int) -> None:
    before = parse_pending(text, PATH)

    kept = parse_pending(keep_counting(text, PATH, last), PATH)

    assert kept.next_number == max(before.next_number, last + 1)
    assert kept.proposals == before.proposals


# --- status ------------------------------------------------------------------


def test_a_conflict_is_marked_as_the_design_shows_it() -> None:
    pending = started("Project deadline is March 15", "Project deadline is March 30")

    text = render_pending(mark_conflicts(pending, {1: ("#2",), 2: ("#1",)}))

    assert "## Proposal #1 \u26a0\ufe0f CONFLICT with #2\n" in text
    assert "- **Status**: conflict \u2014 see #2\n" in text
    assert "## Proposal #2 \u26a0\ufe0f CONFLICT with #1\n" in text
    assert "- **Status**: conflict \u2014 see #1\n" in text


def test_a_mark_may_name_several_and_a_memory() -> None:
    others = ("#2", "#3", "entity:project--apollo")

    marked = mark_conflicts(started("a", "b", "c"), {1: others})

    first = find_proposal(marked, 1)
    assert first.conflicts == others
    assert first.status == "conflict \u2014 see #2, #3, entity:project--apollo"
    assert "CONFLICT with #2, #3, entity:project--apollo\n" in render_pending(marked)


def test_marks_are_read_however_a_hand_wrote_them() -> None:
    for heading, expected in [
        ("Proposal #3 \u26a0\ufe0f CONFLICT with #4", ("#4",)),
        ("Proposal #3 \u26a0 conflict with #4,#7", ("#4", "#7")),
        ("Proposal #3 (proxy) \u26a0\ufe0f CONFLICT: #4 and #7", ("#4", "#7")),
        ("Proposal #3 conflict with #4, #4", ("#4",)),
        ("Proposal #3 \u26a0\ufe0f CONFLICT with vault:x", ("vault:x",)),
        ("Proposal #3 \u26a0\ufe0f CONFLICT with somebody", ()),
        ("Proposal #3 \u26a0\ufe0f look at #4", ()),
        ("Proposal #3", ()),
    ]:
        text = render_proposal(PLAIN).replace("Proposal #1", heading)

        assert parse_pending(text, PATH).proposals[0].conflicts == expected


def test_a_status_changes_the_bytes_of_one_section_only() -> None:
    pending = started("a", "b", "c")

    marked = set_status(pending, 2, conflict(("#1",)))

    before, after = bodies(pending), bodies(marked)
    assert {n for n in before if before[n] != after[n]} == {2}
    assert find_proposal(marked, 2).conflicts == ("#1",)
    assert set_status(marked, 2, PENDING) == pending


@given(proposals, st.sampled_from([PENDING, DEFERRED, conflict(["#4"]), ask(["#4"])]))
def test_a_status_changes_nothing_else_of_a_proposal(
    proposal: Proposal, status: str
) -> None:
    pending = add_proposal(parse_pending(PENDING_MEMORIES, PATH), proposal)

    (read,) = set_status(pending, 1, status).proposals

    others = proposal.conflicts if status == DEFERRED else ("#4",) * (" see" in status)
    expected = replace(proposal, number=1, status=status, conflicts=others)
    assert read == expected


def test_a_proposal_without_a_status_gets_one_below_its_fields() -> None:
    typed = "## Proposal #1\n- **Suggested store**: vault\n- **Content**: x\n\n---\n"

    told = render_pending(set_status(parse_pending(typed, PATH), 1, DEFERRED))

    assert told == typed.replace("x\n", "x\n- **Status**: deferred\n")


def test_a_status_keeps_the_line_ends_of_its_file() -> None:
    typed = render_proposal(PLAIN).replace("\n", "\r\n")

    told = render_pending(set_status(parse_pending(typed, PATH), 1, conflict(["#2"])))

    assert told.count("\n") == told.count("\r\n") == typed.count("\n")


def test_a_status_cannot_be_given_to_nobody() -> None:
    with pytest.raises(NoSuchProposalError, match="#7"):
        set_status(started("a"), 7, DEFERRED)


# --- marking all -------------------------------------------------------------


def test_a_mark_goes_when_the_other_is_gone() -> None:
    pending = mark_conflicts(started("a", "b"), {1: ("#2",), 2: ("#1",)})

    left = mark_conflicts(remove_proposal(pending, 2), {})

    assert (left.proposals[0].status, left.proposals[0].conflicts) == (PENDING, ())
    assert "CONFLICT" not in render_pending(left)


def test_a_deferred_proposal_stays_deferred_and_is_marked() -> None:
    pending = set_status(started("a", "b"), 1, DEFERRED)

    marked = mark_conflicts(pending, {1: ("#2",), 2: ("#1",)})

    first = find_proposal(marked, 1)
    assert (first.status, first.conflicts) == (DEFERRED, ("#2",))
    assert mark_conflicts(marked, {}) == pending


def test_who_defers_a_conflict_leaves_its_mark() -> None:
    marked = mark_conflicts(started("a", "b"), {1: ("#2",)})

    assert find_proposal(set_status(marked, 1, DEFERRED), 1).conflicts == ("#2",)


def test_what_the_user_is_asked_stays_a_question_until_nothing_clashes() -> None:
    asked = set_status(started("a", "b", "c"), 1, ask(["#2"]))

    more = mark_conflicts(asked, {1: ("#2", "#3")})

    assert find_proposal(more, 1).status == "ask \u2014 see #2, #3"
    assert find_proposal(mark_conflicts(more, {}), 1).status == PENDING


def test_what_is_marked_already_is_not_written_again() -> None:
    pending = mark_conflicts(started("a", "b"), {1: ("#2",), 2: ("#1",)})

    assert mark_conflicts(pending, {1: ("#2",), 2: ("#1",)}) == pending


def test_a_mark_names_so_many_and_no_more() -> None:
    many = tuple(f"#{n}" for n in range(2, 900))

    (first,) = mark_conflicts(started("a"), {1: many}).proposals

    assert first.conflicts == many[:MOST_NAMED]


@pytest.mark.parametrize(
    ("status", "conflicts", "disputed"),
    [
        (PENDING, (), False),
        (DEFERRED, (), False),
        (DEFERRED, ("#4",), True),
        (conflict(["#4"]), (), True),
        ("CONFLICT\u2014see #4", (), True),
        (ask(["#4"]), (), True),
        ("asked for", (), False),
        ("", (), False),
    ],
)
def test_a_conflict_is_known_by_either_mark(
    status: str, conflicts: tuple[str, ...], *, disputed: bool
) -> None:
    marked = replace(PLAIN, status=status, conflicts=conflicts)

    assert marked.disputed is disputed


# --- many --------------------------------------------------------------------


def test_long_nonsense_is_read_at_once() -> None:
    for piece in ["\n", "---\n", " ", "\u26a0", "#4,", "- **a**: b\n"]:
        text = f"## Proposal #1 {piece * (100_000 // len(piece))}x"

        pending = parse_pending(text, PATH)

        assert add_proposal(pending, PLAIN).proposals[-1].number == 2
