"""Relations that were told or show themselves."""

from __future__ import annotations

from dataclasses import replace

from tests.reflection.rules.labels import (
    Told,
    diary_of,
    found_in,
    knowledge_of,
    of_kind,
    page,
    survey_of,
)

from reverie.model.items import Edge
from reverie.model.reflection import OperationKind
from reverie.reflection.rules import reflect_by_rules
from reverie.stores.semantic import render_graph_index

LEDGER, SQLITE, MARTEN = "project--ledger", "tool--sqlite", "person--marten"
PAGES = {
    LEDGER: page(LEDGER),
    SQLITE: page(SQLITE, header=" | Label: SQLite"),
    MARTEN: page(MARTEN),
}
USES = Told(2, "09:00", "The Ledger uses SQLite.")


def test_what_was_said_of_two_known_things_connects_them() -> None:
    (one,) = of_kind(found_in(USES, pages=PAGES), OperationKind.CONNECT)

    assert one.target == "memory/graph/index.md"
    assert one.content == "project--ledger → uses → tool--sqlite"
    assert one.reason == "said on 2026-02-02, episode:2026-02-02:09:00"


def test_a_relation_is_told_the_way_the_graph_keeps_it() -> None:
    told = Told(2, "09:00", "SQLite is used by the Ledger.")
    (one,) = of_kind(found_in(told, pages=PAGES), OperationKind.CONNECT)

    assert one.content == "project--ledger → uses → tool--sqlite"


def test_what_a_page_says_is_not_connected_again() -> None:
    more = "\n## Relations\n- Used by: [[project--ledger]]\n"
    pages = PAGES | {SQLITE: page(SQLITE, header=" | Label: SQLite", more=more)}

    assert of_kind(found_in(USES, pages=pages), OperationKind.CONNECT) == []


def test_what_the_graph_says_is_not_connected_again() -> None:
    diary = diary_of(USES, pages=PAGES)
    graph = render_graph_index((), (Edge(LEDGER, "uses", SQLITE),))
    found = reflect_by_rules(
        replace(survey_of(diary), graph=graph), knowledge_of(diary)
    )

    assert of_kind(found, OperationKind.CONNECT) == []


def test_nothing_is_connected_with_what_has_no_page() -> None:
    told = Told(2, "09:00", "The Ledger uses Redis.")

    assert of_kind(found_in(told, pages=PAGES), OperationKind.CONNECT) == []


def test_what_gets_a_page_now_can_be_connected_now() -> None:
    told = Told(2, "09:00", "Priya works on the Ledger.")
    (one,) = of_kind(found_in(told, pages=PAGES), OperationKind.CONNECT)

    assert one.content == "person--priya → develops → project--ledger"


def test_strangers_connect_nothing() -> None:
    told = replace(USES, origin="import")

    assert of_kind(found_in(told, pages=PAGES), OperationKind.CONNECT) == []


def test_what_is_spoken_of_together_on_several_days_relates() -> None:
    told = [
        Told(day, "09:00", text, "agent")
        for day, text in (
            (2, "Marten looked at the Ledger."),
            (2, "Marten asked about the Ledger."),
            (4, "Marten tested the Ledger."),
        )
    ]
    told[1] = replace(told[1], clock="10:00")
    (one,) = of_kind(found_in(*told, pages=PAGES), OperationKind.CONNECT)

    assert one.content == "person--marten → relates-to → project--ledger"
    assert one.reason == (
        "spoken of together in 3 episodes on 2 days: 2026-02-02, 2026-02-04"
    )


def test_one_day_of_talk_relates_nothing() -> None:
    told = [
        Told(2, f"{9 + n:02d}:00", f"Marten tested the Ledger, part {n}.", "agent")
        for n in range(5)
    ]

    assert of_kind(found_in(*told, pages=PAGES), OperationKind.CONNECT) == []


def test_the_owner_is_in_everything_and_relates_to_nothing_by_that() -> None:
    pages = PAGES | {"person--ilse": page("person--ilse")}
    told = [Told(d, "09:00", "Ilse tested the Ledger.", "agent") for d in (2, 3, 4)]

    assert of_kind(found_in(*told, pages=pages), OperationKind.CONNECT) == []
