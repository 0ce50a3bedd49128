"""Which proposals cannot all hold, by what somebody said and what they replace."""

from __future__ import annotations

from dataclasses import replace

from reverie.agents.review import MOST_CLASHES, find_clashes
from reverie.model.ids import Store
from reverie.model.proposals import Proposal

BASE = Proposal(1, "coder", None, "", Store.SEMANTIC, "The port is 80.")
OTHER = replace(BASE, number=2, content="The port is 81.")
FACT = "tool--proxy#3f2a9c"


def found(*proposals: Proposal, known: str = "") -> list[tuple[int, int, str]]:
    clashes = find_clashes(proposals, lambda _: known)
    return [(clash.number, clash.other, clash.known) for clash in clashes]


def test_what_nobody_called_a_contradiction_is_none() -> None:
    assert found(BASE, OTHER) == []


def test_one_that_names_another_clashes_with_it_both_ways() -> None:
    assert found(BASE, replace(OTHER, contradicts=("#1",))) == [(1, 2, ""), (2, 1, "")]


def test_a_mark_by_hand_counts_until_the_other_is_gone() -> None:
    marked = replace(OTHER, conflicts=("#1",))

    assert found(BASE, marked) == [(1, 2, ""), (2, 1, "")]
    assert found(marked) == []


def test_two_that_replace_the_same_fact_clash() -> None:
    one, other = replace(BASE, supersedes=FACT), replace(OTHER, supersedes=FACT)

    assert found(one, other) == [(1, 2, ""), (2, 1, "")]
    assert found(one, replace(other, content=one.content)) == []


def test_a_memory_that_is_contradicted_is_told_while_it_is_there() -> None:
    one = replace(BASE, contradicts=(FACT,))

    assert found(one, known="The port is 82.") == [(1, 0, FACT)]
    assert found(one) == []


def test_one_that_is_for_a_person_alone_is_named_to_nobody_else() -> None:
    private = replace(OTHER, contradicts=("#1",), scope="Ana")

    assert found(BASE, private) == [(2, 1, "")]


def test_no_more_than_a_few_are_told_of_one() -> None:
    many = [
        replace(OTHER, number=n, content=f"The port is {n}.", contradicts=("#1",))
        for n in range(2, MOST_CLASHES + 9)
    ]

    told = [number for number, _, _ in found(BASE, *many)]

    assert told.count(1) == MOST_CLASHES
