"""Proposals that contradict each other, or what is known."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from tests.agents.clashing_cases import AGAINST, BESIDE, FRESH_AGAINST, FRESH_BESIDE

from reverie.agents.clashing import MOST_CLASHES, find_clashes
from reverie.encoding.claims import contradicts
from reverie.model.agents import Clash
from reverie.model.ids import Store
from reverie.model.proposal import Proposal

if TYPE_CHECKING:
    from collections.abc import Iterable


def proposed(number: int, content: str, *entities: str) -> Proposal:
    return Proposal(number, "coder", None, "", Store.SEMANTIC, content, entities)


def listed(texts: Iterable[str]) -> list[Proposal]:
    return [proposed(number, text) for number, text in enumerate(texts, start=1)]


def nothing(_proposal: Proposal) -> Iterable[tuple[str, str]]:
    return ()


def clashes(*proposals: Proposal) -> list[tuple[int, int]]:
    found = find_clashes(proposals, nothing, contradicts)
    return [(clash.number, clash.other) for clash in found]


def test_of_two_that_clash_both_are_told() -> None:
    first, second = listed(AGAINST[0])

    assert find_clashes([first, second], nothing, contradicts) == (
        Clash(
            1,
            2,
            "",
            second.content,
            "Project deadline: March 30 before, March 15 now",
        ),
        Clash(
            2,
            1,
            "",
            first.content,
            "the deadline of the project: March 15 before, March 30 now",
        ),
    )


def test_nothing_clashes_with_itself_or_its_like() -> None:
    assert clashes(*listed(["Tern is due on Friday"] * 3)) == []
    assert clashes() == []


def test_one_may_clash_with_several() -> None:
    told = [f"Tern is due on {day}" for day in ("Monday", "Tuesday", "Friday")]

    assert clashes(*listed(told)) == [(1, 2), (1, 3), (2, 1), (2, 3), (3, 1), (3, 2)]


# --- whom it is about --------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        (("The deadline is 4 May", "project--tern"), ("The deadline is 9 May",), True),
        (
            ("The deadline is 4 May", "project--tern"),
            ("The deadline is 9 May", "project--tern"),
            True,
        ),
        (
            ("The deadline is 4 May", "project--tern"),
            ("The deadline is 9 May", "project--knot"),
            False,
        ),
        (
            ("The deadline is 4 May", "project--tern"),
            ("Tern's deadline is 9 May", "project--tern"),
            True,
        ),
        (
            ("The deadline is 4 May", "project--tern"),
            ("The deadline of Tern is 9 May", "project--tern", "person--ana"),
            True,
        ),
        (
            ("Uses port 80", "tool--web-proxy"),
            ("Listens on port 443", "tool--web-proxy"),
            True,
        ),
        (("Uses port 80", "tool--proxy"), ("Uses port 443", "tool--cache"), False),
        (("Uses port 80",), ("Uses port 443",), False),
        (
            ("Uses port 80", "tool--proxy"),
            ("Proxy uses port 443", "tool--proxy"),
            True,
        ),
        (
            ("Ana owns billing", "person--ana"),
            ("Bo owns billing", "person--bo"),
            True,
        ),
        (
            ("Ana lives in Graz", "person--ana"),
            ("Bo lives in Linz", "person--bo"),
            False,
        ),
        (("The owner is Ana", "project--tern"), ("Tern's owner is Bo",), False),
        (
            ("The owner is Ana", "project--tern"),
            ("Tern's owner is Bo", "project--tern"),
            True,
        ),
    ],
)
def test_a_text_that_names_nobody_is_about_its_entities(
    one: tuple[str, ...], other: tuple[str, ...], *, found: bool
) -> None:
    assert bool(clashes(proposed(1, *one), proposed(2, *other))) is found


# --- against what is known ---------------------------------------------------


@pytest.mark.parametrize(
    ("content", "entities", "id_", "said", "found"),
    [
        ("Tern is due on 4 May", (), "core:context/tern", "Tern is due on 9 May", True),
        (
            "Tern is due on 4 May",
            (),
            "core:context/tern",
            "Tern is due on 4 May",
            False,
        ),
        (
            "Tern is due on 4 May",
            (),
            "core:context/knot",
            "Knot is due on 9 May",
            False,
        ),
        (
            "The port is 80",
            ("tool--proxy",),
            "entity:tool--proxy",
            "Proxy the port is 443",
            True,
        ),
        (
            "Uses port 80",
            ("tool--proxy",),
            "entity:tool--proxy",
            "proxy uses port 443",
            True,
        ),
        (
            "The port is 80",
            ("tool--proxy",),
            "core:context/x",
            "The port is 443",
            False,
        ),
        ("User lives in Graz", (), "core:identity/home", "Lives in Linz", True),
        ("User lives in Graz", (), "core:context/x", "Lives in Linz", False),
    ],
)
def test_what_is_known_is_compared_too(
    content: str, entities: tuple[str, ...], id_: str, said: str, *, found: bool
) -> None:
    told = find_clashes(
        [proposed(7, content, *entities)], lambda _: [(id_, said)], contradicts
    )

    assert [(c.number, c.other, c.known, c.said) for c in told] == (
        [(7, 0, id_, said)] if found else []
    )


# --- many --------------------------------------------------------------------


def test_forty_contradictions_are_found_among_six_hundred_proposals() -> None:
    """All of them, and no false one."""
    chance = random.Random(4)  # noqa: S311 - no secret
    planted = chance.sample([*AGAINST, *FRESH_AGAINST[:20]], 40)
    many = [text for pair in (*BESIDE, *FRESH_BESIDE) for text in pair]
    many += [f"The deadline of {name} is {n + 1} May" for n, name in enumerate(NAMES)]
    many += [f"{name} runs on port {8000 + n}" for n, name in enumerate(NAMES)]
    texts = [text for pair in planted for text in pair]
    texts += [text for text in dict.fromkeys(many) if text not in texts][: 600 - 80]
    chance.shuffle(texts)

    found = find_clashes(listed(texts), nothing, contradicts)

    pairs = {frozenset((texts[c.number - 1], texts[c.other - 1])) for c in found}
    assert len(texts) == 600
    assert pairs == {frozenset(pair) for pair in planted}


def test_what_is_said_alike_of_many_things_is_no_contradiction() -> None:
    said = [
        "{} runs on port {n}",
        "{} is due on {n} May",
        "{} is owned by team {n}",
        "{} has {n} replicas",
        "{} uses Redis",
        "{} is written in Language{n}",
    ]
    things = [f"Service {n}" for n in range(100)] + [f"job-{n}" for n in range(100)]
    told = [
        said[n % len(said)].format(thing, n=n % 28 + 1)
        for n, thing in enumerate(things)
    ]

    assert clashes(*listed(told)) == []


NAMES = [f"{a}{b}" for a in ("Bar", "Cor", "Dal", "Fen") for b in ("an", "ek", "il")]


def test_a_flood_of_contradictions_is_not_compared_all_with_all() -> None:
    calls = 0

    def counted(one: str, other: str) -> str:
        nonlocal calls
        calls += 1
        return contradicts(one, other)

    days = [
        f"Tern is due on {day} May {year}" for day in range(1, 29) for year in YEARS
    ]
    found = find_clashes(listed(days), nothing, counted)

    each = [sum(c.number == number for c in found) for number in range(1, 281)]
    assert max(each) == min(each) == MOST_CLASHES
    assert calls < 280 * 3 * MOST_CLASHES


YEARS = range(2030, 2040)
