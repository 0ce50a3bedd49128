"""What cannot both hold, and that the human is asked."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.reflection.operations.sites import Workspace
from tests.reflection.rules.labels import Told, found_in, of_kind, page

from reverie.model.reflection import OperationKind
from reverie.reflection.operations.planning import plan_operations
from reverie.reflection.rules.flagging import asks

MARTEN, LEDGER = "person--marten", "project--ledger"
PAGES = {
    MARTEN: page(MARTEN, "Lives in Porto. <!-- since: 2025-09-02 -->"),
    LEDGER: page(LEDGER, "Runs on port 8000.", "Uses SQLite."),
}


def test_what_a_page_says_otherwise_is_flagged_with_both_days() -> None:
    told = Told(4, "09:00", "Marten moved to Berlin.")
    found = found_in(told, pages=PAGES)
    (one,) = of_kind(found, OperationKind.FLAG)

    assert one.target == "memory/graph/entities/person--marten.md"
    assert one.content == (
        'Which one holds: "Lives in Porto" (since 2025-09-02) or "Marten moved to '
        'Berlin" (said on 2026-02-04, episode:2026-02-04:09:00)?'
    )
    assert found.questions == (one.content,)


def test_what_is_disputed_is_not_extracted() -> None:
    found = found_in(Told(4, "09:00", "Marten moved to Berlin."), pages=PAGES)

    assert of_kind(found, OperationKind.EXTRACT) == []


def test_two_episodes_that_cannot_both_hold_are_flagged() -> None:
    told = (
        Told(3, "09:00", "Marten's birthday is June 12."),
        Told(9, "09:00", "Actually, Marten's birthday is June 21."),
    )
    (one,) = of_kind(found_in(*told, pages=PAGES), OperationKind.FLAG)

    assert "June 12" in one.content
    assert "June 21" in one.content
    assert "2026-02-03" in one.content
    assert "2026-02-09" in one.content


def test_one_matter_is_flagged_once_with_its_oldest_and_newest_side() -> None:
    told = (
        Told(4, "09:00", "Marten moved to Berlin."),
        Told(6, "09:00", "Marten lives in Berlin now."),
        Told(8, "09:00", "Marten lives in Paris."),
    )
    (one,) = of_kind(found_in(*told, pages=PAGES), OperationKind.FLAG)

    assert "Porto" in one.content
    assert "Paris" in one.content


@pytest.mark.parametrize(
    "text",
    [
        "We switched the Ledger from SQLite to Postgres.",
        "The Ledger replaced SQLite with Postgres.",
        "The Ledger stopped using SQLite.",
    ],
)
def test_what_was_given_up_is_flagged_against_what_says_it_is_used(text: str) -> None:
    (one,) = of_kind(found_in(Told(4, "09:00", text), pages=PAGES), OperationKind.FLAG)

    assert "Uses SQLite" in one.content


def test_the_owner_is_known_by_name_and_as_the_user() -> None:
    pages = {"person--ilse": page("person--ilse", "Drinks coffee.")}
    for text in ("I no longer drink coffee.", "Ilse does not drink coffee."):
        (one,) = of_kind(
            found_in(Told(4, "09:00", text), pages=pages), OperationKind.FLAG
        )
        assert one.target.endswith("person--ilse.md")


BRUNO = (
    Told(3, "09:00", "Bruno lives in Leeds."),
    Told(4, "09:00", "Bruno lives in Berlin."),
)


def test_somebody_without_a_page_gets_one_that_asks() -> None:
    (one,) = found_in(*BRUNO).operations

    assert one.kind is OperationKind.EXTRACT
    assert one.target == "memory/graph/entities/person--bruno.md"
    assert one.content == (
        "# person--bruno\n\n## Open Questions\n- Which one holds: "
        '"Bruno lives in Leeds" (said on 2026-02-03, episode:2026-02-03:09:00) or '
        '"Bruno lives in Berlin" (said on 2026-02-04, episode:2026-02-04:09:00)?'
    )


def test_a_page_that_asks_can_be_made_and_takes_facts_as_well() -> None:
    more = Told(5, "09:00", "Bruno speaks Danish.")
    planned = plan_operations(found_in(*BRUNO, more).operations, Workspace().site)
    text = (planned.edits[-1].content or b"").decode()

    assert planned.refused == ()
    assert len(planned.steps) == 2
    assert "- Bruno speaks Danish." in text
    assert "## Open Questions\n- Which one holds:" in text


def test_strangers_make_no_page_to_ask_on() -> None:
    told = [replace(one, origin="import") for one in BRUNO]
    (one,) = found_in(*told).operations

    assert one.kind is OperationKind.FLAG
    assert one.target == ""


def test_what_changes_by_the_day_is_no_contradiction() -> None:
    told = (
        Told(3, "09:00", "Marten is on the third floor."),
        Told(4, "09:00", "Marten is 12 minutes late."),
        Told(5, "09:00", "Marten is 40 minutes late."),
    )

    assert of_kind(found_in(*told, pages=PAGES), OperationKind.FLAG) == []


def test_what_no_longer_holds_contradicts_nothing() -> None:
    over = "~~Lives in Porto.~~ <!-- until: 2025-12-01 -->"
    found = found_in(
        Told(4, "09:00", "Marten moved to Berlin."), pages={MARTEN: page(MARTEN, over)}
    )

    assert of_kind(found, OperationKind.FLAG) == []


def test_strangers_are_flagged_last_and_ask_nothing() -> None:
    found = found_in(
        Told(4, "09:00", "Marten lives in Berlin.", "import"),
        Told(5, "09:00", "Marten speaks Danish."),
        pages=PAGES,
    )

    assert found.operations[-1].kind is OperationKind.FLAG
    assert found.questions == ()


def test_strangers_contradict_nothing_about_the_owner() -> None:
    pages = {"person--ilse": page("person--ilse", "Lives in Porto.")}
    told = Told(4, "09:00", "User lives in Berlin.", "tool")

    assert found_in(told, pages=pages).operations == ()


# --- in the words of a diary -------------------------------------------------


@pytest.mark.parametrize("pages", [{}, PAGES], ids=["no pages", "with pages"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Marten is the cook and lives in Porto.", "Marten now lives in Lisbon."),
        ("Marten lives in Porto.", "Marten has moved to Lisbon."),
        ("The Ledger has 40 users.", "The Ledger has 60 users, I had miscounted."),
        ("The Ledger has 40 users.", "I was wrong, the Ledger has 60 users."),
        ("Marten prefers short calls.", "Marten prefers long calls now."),
        ("Marten prefers email.", "Marten no longer likes email, he wants calls."),
        ("Marten is a vegetarian.", "Marten is no longer a vegetarian."),
        ("Marten plays the flute in a band.", "Marten no longer plays the flute."),
        ("Marten works at Holt Lighting.", "Marten quit his job at Holt Lighting."),
        ("Marten quit his job at Holt Lighting.", "Marten works at Holt Lighting."),
        (
            "Ledger uses Redis as a queue.",
            "We decided to drop Redis and use Nats in Ledger.",
        ),
        ("Ledger uses Redis as a queue.", "We replaced Redis with Nats in Ledger."),
        ("Ledger runs on Heroku.", "We switched Ledger from Heroku to Fly."),
        ("Ledger uses Redis as a queue.", "Ledger uses Nats instead of Redis."),
        ("Ledger has a budget of 400 euros.", "Ledger's budget is 500 euros."),
    ],
)
def test_what_was_said_later_is_asked_about_and_neither_side_is_a_fact(
    old: str, new: str, pages: dict[str, str]
) -> None:
    bare = {name: page(name) for name in pages}
    found = found_in(Told(2, "09:00", old), Told(5, "09:00", new), pages=bare)
    (one,) = filter(asks, found.operations)
    facts = [
        each.content for each in of_kind(found, OperationKind.EXTRACT) if not asks(each)
    ]

    assert "2026-02-02" in one.content
    assert "2026-02-05" in one.content
    assert not any(new in fact or old in fact for fact in facts)
    assert of_kind(found, OperationKind.CONNECT) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Marten lives in Porto.", "Marten works in Lisbon."),
        ("Marten lives in Porto.", "Marten visited Lisbon."),
        ("The Ledger has 40 users.", "The Ledger has 3 servers."),
        ("Marten likes long walks.", "Marten likes short stories."),
        ("Marten likes jazz.", "Marten likes opera now."),
        ("Marten prefers red wine.", "Marten prefers white wine with fish now."),
        ("Marten likes tea and cakes.", "Marten likes coffee and cakes."),
        ("The Ledger uses Redis.", "The Ledger uses Postgres."),
        ("The Ledger uses Redis.", "We replaced Jira with Linear in the Ledger."),
        ("Marten plays the flute.", "Marten no longer plays the flute on Sundays."),
        ("Marten works at Holt.", "Marten left his keys at Holt."),
        ("Marten is tired.", "Marten is happy."),
    ],
)
def test_what_can_both_hold_is_no_contradiction(old: str, new: str) -> None:
    pages = {name: page(name) for name in PAGES}
    found = found_in(Told(2, "09:00", old), Told(5, "09:00", new), pages=pages)

    assert not any(map(asks, found.operations))


def test_of_a_sentence_only_what_is_disputed_is_held_back() -> None:
    told = (
        Told(2, "09:00", "Marten is the cook and lives in Porto."),
        Told(5, "09:00", "Marten now lives in Lisbon."),
    )
    (one,) = of_kind(
        found_in(*told, pages={MARTEN: page(MARTEN)}), OperationKind.EXTRACT
    )

    assert one.content == "Marten is the cook. (since: 2026-02-02)"


def test_two_things_that_were_left_behind_are_two_matters() -> None:
    told = (
        Told(2, "09:00", "The Ledger uses Jira."),
        Told(5, "09:00", "We replaced Jira with Linear in the Ledger."),
        Told(6, "09:00", "We replaced SQLite with Postgres in the Ledger."),
    )
    asked = [o.content for o in found_in(*told, pages=PAGES).operations if asks(o)]

    assert len(asked) == 2
    assert "uses Jira" in asked[0]
    assert "Uses SQLite" in asked[1]


def test_who_moved_away_and_back_is_asked_about_two_places() -> None:
    told = (
        Told(2, "09:00", "Marten lives in Lisbon."),
        Told(5, "09:00", "Marten lives in Porto."),
    )
    (one,) = of_kind(found_in(*told, pages=PAGES), OperationKind.FLAG)

    assert "Lisbon" in one.content
    assert "Porto" in one.content


# --- pages among themselves --------------------------------------------------

TWICE = page(
    MARTEN,
    "Marten is the cook and lives in Porto. <!-- since: 2026-01-02 -->",
    "Marten now lives in Lisbon. <!-- since: 2026-01-09 -->",
)


def test_what_one_page_says_in_two_ways_is_asked_about() -> None:
    (one,) = found_in(pages={MARTEN: TWICE}).operations

    assert one.kind is OperationKind.FLAG
    assert one.content == (
        'Which one holds: "Marten is the cook and lives in Porto" (since 2026-01-02) '
        'or "Marten now lives in Lisbon" (since 2026-01-09)?'
    )


def test_what_a_page_asks_already_is_not_asked_again() -> None:
    (one,) = found_in(pages={MARTEN: TWICE}).operations
    asked = f"{TWICE}\n## Open Questions\n- {one.content}\n"
    again = Told(4, "09:00", "Marten lives in Lisbon.")

    assert found_in(pages={MARTEN: asked}).operations == ()
    assert found_in(again, pages={MARTEN: asked}).operations == ()


def test_a_fact_that_a_stranger_put_on_a_page_asks_nothing_of_the_human() -> None:
    facts = ("Lives in Porto.", "Lives in Lisbon. <!-- by: import -->")
    found = found_in(pages={MARTEN: page(MARTEN, *facts)})

    assert len(of_kind(found, OperationKind.FLAG)) == 1
    assert found.questions == ()


def test_two_pages_that_say_the_same_are_asked_about_each() -> None:
    other = "person--greta"
    facts = ("Lives in Porto.", "Lives in Lisbon.")
    pages = {name: page(name, *facts) for name in (MARTEN, other)}

    assert len(of_kind(found_in(pages=pages), OperationKind.FLAG)) == 2
