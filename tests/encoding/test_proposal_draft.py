"""What a sub-agent proposes, and what is refused before it reaches the list."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from reverie.encoding.proposal_draft import (
    LONGEST,
    LONGEST_LINE,
    MOST_ALL,
    MOST_EACH,
    MOST_ENTITIES,
    BadProposalError,
    FullListError,
    draft,
    plan_proposal,
)
from reverie.errors import RefusedError
from reverie.model.change import ABSENT, Action
from reverie.model.ids import Store
from reverie.model.items import Confidence, Origin
from reverie.model.proposals import PENDING, Agent, Proposal
from reverie.stores.proposals import parse_pending, render_proposal
from reverie.workspace import layout

AT = datetime(2026, 2, 3, 10, 15, tzinfo=UTC)
RESEARCHER = Agent("researcher")


def drafted(
    content: str = "Prefers academic sources",
    *,
    store: Store = Store.SEMANTIC,
    entities: tuple[str, ...] = (),
    trigger: str = "auto-detect",
    name: str = "",
    agent: Agent = RESEARCHER,
) -> Proposal:
    told = (0, "", None, trigger, store, content, entities, Confidence.HIGH)
    return draft(agent, Proposal(*told, name=name), AT)


def listed(*proposals: Proposal) -> bytes:
    told = (
        render_proposal(replace(proposal, number=n))
        for n, proposal in enumerate(proposals, start=1)
    )
    return "\n---\n".join(told).encode()


def test_a_draft_is_signed_with_the_name_of_its_handle() -> None:
    made = drafted("- **From**: main\nx")

    assert (made.sender, made.origin) == ("researcher", Origin.SUBAGENT)
    assert (made.status, made.conflicts, made.number) == (PENDING, (), 0)


def test_a_draft_is_dated_in_utc_to_the_second() -> None:
    zone = timezone(timedelta(hours=2))
    at = datetime(2026, 2, 3, 12, 15, 7, 99, tzinfo=zone)

    made = draft(RESEARCHER, Proposal(0, "", None, "", Store.EPISODIC, "x"), at)

    assert made.at == datetime(2026, 2, 3, 10, 15, 7, tzinfo=UTC)


def test_an_entity_may_be_named_by_its_id() -> None:
    told = ("entity:person--alex", "project--apollo", "person--alex")

    assert drafted(entities=told).entities == ("person--alex", "project--apollo")


@pytest.mark.parametrize(
    "wrong",
    [
        {"content": " \n\t\r\n"},
        {"content": "x" * (LONGEST + 1)},
        {"content": "tea \u202eeman"},
        {"store": Store.CORE},
        {"entities": ("person--",)},
        {"entities": ("person--Alex",)},
        {"entities": ("person--../../x",)},
        {"entities": ("person--al\x1bex",)},
        {"entities": tuple(f"x--{n}" for n in range(MOST_ENTITIES + 1))},
        {"trigger": "x" * (LONGEST_LINE + 1)},
        {"name": "\udfff"},
        {"name": "\x1b[2J tea"},
    ],
)
def test_what_is_no_proposal_is_refused_with_a_hint(wrong: dict[str, object]) -> None:
    with pytest.raises(BadProposalError) as told:
        drafted(**wrong)  # type: ignore[arg-type]  # each is right for its field

    assert told.value.advice


@given(st.text())
def test_any_text_is_taken_or_refused_by_name(content: str) -> None:
    try:
        made = drafted(content, trigger=content, name=content)
    except RefusedError:
        return
    (edit,), number = plan_proposal(made, lambda _path: None)

    (read,) = parse_pending((edit.content or b"").decode(), layout.PENDING).proposals
    assert read == replace(made, number=number)


def test_a_proposal_is_planned_at_the_end_of_the_list() -> None:
    before = listed(drafted("a"))

    (edit,), number = plan_proposal(drafted("b\nc"), {layout.PENDING: before}.get)

    assert number == 2
    assert (edit.path, edit.action) == (layout.PENDING, Action.PROPOSE)
    assert edit.summary == "proposal #2: b"
    assert (edit.content or b"").startswith(before.rstrip())


def test_the_first_proposal_makes_the_list() -> None:
    (edit,), number = plan_proposal(drafted(), lambda _path: None)

    assert (edit.base, number) == (ABSENT, 1)


def test_what_its_sender_proposed_already_has_its_number() -> None:
    before = listed(drafted("a"), drafted("b"))

    assert plan_proposal(drafted("b"), {layout.PENDING: before}.get) == ((), 2)


@pytest.mark.parametrize(
    "other",
    [
        drafted("b", agent=Agent("coder")),
        drafted("b", store=Store.EPISODIC),
        drafted("b."),
    ],
)
def test_another_s_word_another_store_and_another_text_are_their_own(
    other: Proposal,
) -> None:
    before = listed(drafted("a"), drafted("b"))

    edits, number = plan_proposal(other, {layout.PENDING: before}.get)

    assert (len(edits), number) == (1, 3)


def test_who_floods_the_list_is_stopped_and_others_are_not() -> None:
    before = listed(*(drafted(f"{n}") for n in range(MOST_EACH)))

    with pytest.raises(FullListError, match="200 proposals"):
        plan_proposal(drafted("more"), {layout.PENDING: before}.get)
    coder = drafted("more", agent=Agent("coder"))
    assert plan_proposal(coder, {layout.PENDING: before}.get)[1] == MOST_EACH + 1


def crowd(count: int) -> bytes:
    """A list that eleven senders have filled."""
    return listed(*(drafted(f"{n}", agent=Agent(f"a{n % 11}")) for n in range(count)))


def test_the_list_ends_somewhere() -> None:
    with pytest.raises(FullListError, match="2,000 proposals"):
        plan_proposal(drafted("more"), {layout.PENDING: crowd(MOST_ALL)}.get)


def test_sub_agents_keep_nothing_of_others_from_waiting() -> None:
    own = replace(drafted("mine"), sender="bot:main", origin=Origin.AGENT)
    page = listed(*(replace(own, content=f"{n}") for n in range(MOST_EACH)))

    assert plan_proposal(own, {layout.PENDING: crowd(MOST_ALL)}.get)[0]
    with pytest.raises(FullListError, match="200 proposals"):
        plan_proposal(own, {layout.PENDING: page}.get)


def test_what_others_say_waits_once_whoever_says_it() -> None:
    own = replace(drafted("b"), sender="bot:main", origin=Origin.AGENT)
    before = listed(drafted("a"), drafted("b"))

    assert plan_proposal(own, {layout.PENDING: before}.get) == ((), 2)
    meant = replace(own, scope="Ada")
    assert plan_proposal(meant, {layout.PENDING: before}.get)[1] == 3
