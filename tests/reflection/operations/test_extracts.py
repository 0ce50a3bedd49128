"""What an EXTRACT tells of an entity."""

from __future__ import annotations

from datetime import date

from reverie.reflection.operations.edits import ToldFact, read_news

PATH = "memory/graph/entities/person--alex.md"


def test_a_fact_says_since_when_and_instead_of_which_it_holds() -> None:
    news = read_news(
        "Lives in Lisbon (since: 2026-05-01) (supersedes: Lives in Berlin)\n"
        "Likes tea (since: forever)",
        PATH,
    )

    assert news.facts == (
        ToldFact("Lives in Lisbon", date(2026, 5, 1), "Lives in Berlin"),
        ToldFact("Likes tea (since: forever)"),
    )


def test_what_only_announces_a_list_is_no_fact() -> None:
    news = read_news("What was said:\n- Lives in Lisbon\n- Likes tea", PATH)

    assert [told.text for told in news.facts] == ["Lives in Lisbon", "Likes tea"]
