"""Changes to an entity page."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from msgspec.structs import replace
from tests import strategies

from reverie.model.items import Entity, Fact, Link
from reverie.stores.entities import (
    EntityPage,
    MissingFactError,
    add_alias,
    add_fact,
    add_link,
    add_question,
    new_entity,
    parse_entity,
    reference,
    remove_links,
    render_entity,
    set_header,
    supersede_fact,
)

PATH = "memory/graph/entities/person--alex.md"
DAY = date(2026, 3, 1)
TEXT = """\
# person--alex

<!-- Type: person | Created: 2026-01-15 | Last updated: 2026-02-02 -->
<!-- Decay score: 0.95 | Access count: 14 | Pinned: no -->

## Summary
The user.

## Facts
- Lives in Rome <!-- since: 2026-02-02 | mine: x -->
- Likes tea

## My own
kept

## Relations
- Uses: [[tool--vim]] <!-- so far -->
"""


def page() -> EntityPage:
    return parse_entity(TEXT, PATH)


def test_a_fact_goes_below_the_others() -> None:
    changed = add_fact(page(), Fact("Has a dog", since=DAY))

    assert render_entity(changed) == TEXT.replace(
        "Likes tea\n", "Likes tea\n- Has a dog <!-- since: 2026-03-01 -->\n"
    )


def test_a_fact_that_holds_already_is_not_added_again() -> None:
    assert add_fact(page(), Fact("Likes tea")) == page()


def test_a_superseded_fact_is_kept_and_points_at_what_followed() -> None:
    new = Fact("Lives in Oslo", source="episode:2026-03-01:10:00")

    changed = supersede_fact(page(), reference("Lives in Rome"), new, on=DAY)

    assert render_entity(changed) == TEXT.replace(
        "- Lives in Rome <!-- since: 2026-02-02 | mine: x -->\n- Likes tea\n",
        "- ~~Lives in Rome~~ <!-- since: 2026-02-02 | until: 2026-03-01 | "
        f"superseded-by: {reference('Lives in Oslo')} | mine: x -->\n"
        "- Likes tea\n"
        "- Lives in Oslo "
        "<!-- since: 2026-03-01 | source: episode:2026-03-01:10:00 -->\n",
    )
    assert [f.current for f in changed.entity.facts] == [False, True, True]
    assert changed.findings == ()
    assert "Rome" not in changed.entries[0].text


def test_the_same_words_supersede_nothing() -> None:
    old = reference("Likes tea")

    assert supersede_fact(page(), old, Fact("Likes tea"), on=DAY) == page()


def test_a_fact_that_no_longer_holds_cannot_be_superseded() -> None:
    old = reference("Lives in Rome")
    changed = supersede_fact(page(), old, Fact("Lives in Oslo"), on=DAY)

    with pytest.raises(MissingFactError, match=old):
        supersede_fact(changed, old, Fact("Lives in Bonn"), on=DAY)


def test_missing_sections_are_made_in_their_order() -> None:
    changed = add_question(page(), "Why?")

    assert render_entity(changed) == TEXT.replace(
        "## Relations",
        "## Open Questions\n- Why?\n\n## Relations",
    )


def test_a_link_joins_those_of_its_label() -> None:
    changed = add_link(page(), Link("uses", ("tool--git",)))
    changed = add_link(changed, Link("Knows", ("person--bo",)))

    assert render_entity(changed) == TEXT.replace(
        "[[tool--vim]] <!-- so far -->",
        "[[tool--vim]], [[tool--git]] <!-- so far -->\n- Knows: [[person--bo]]",
    )
    assert changed.entity.links == (
        Link("Uses", ("tool--vim", "tool--git")),
        Link("Knows", ("person--bo",)),
    )


def test_a_link_that_is_there_is_not_added_again() -> None:
    assert add_link(page(), Link("Uses", ("tool--vim",))) == page()


def test_an_alias_is_listed_once() -> None:
    changed = add_alias(add_alias(add_alias(page(), "Al, the one"), "Lex"), "ALEX")

    assert changed.entity.aliases == ("Al, the one", "Lex")


def test_the_header_changes_in_its_place() -> None:
    changed = set_header(page(), updated=DAY, pinned=True)

    text = TEXT.replace("2026-02-02 -->", "2026-03-01 -->")
    assert render_entity(changed) == text.replace("Pinned: no", "Pinned: yes")
    assert changed.entity.pinned


def test_windows_line_ends_stay_in_every_edit() -> None:
    changed = parse_entity(TEXT.replace("\n", "\r\n"), PATH)
    changed = add_link(changed, Link("Uses", ("tool--git",)))
    changed = add_question(changed, "Moved\nhouse?")
    changed = set_header(changed, updated=DAY)
    old = reference("Lives in Rome")
    changed = supersede_fact(changed, old, Fact("Lives in Oslo"), on=DAY)

    text = render_entity(changed)
    assert "\r\r" not in text
    assert "\n" not in text.replace("\r\n", "")
    assert changed.entity.questions == ("Moved\nhouse?",)


@given(strategies.files, strategies.facts)
def test_adding_a_fact_changes_no_other(text: str, fact: Fact) -> None:
    before = parse_entity(text, PATH)

    after = add_fact(before, fact)

    assert set(before.entity.facts) <= set(after.entity.facts)
    assert after.entity.summary == before.entity.summary
    assert after.entity.pinned == before.entity.pinned


@given(strategies.entities)
def test_links_are_taken_out_and_nothing_else(entity: Entity) -> None:
    before = parse_entity(new_entity(entity), f"memory/graph/entities/{entity.name}.md")
    ends = {t for link in entity.links for t in link.targets if len(t) % 2}

    after, lost = remove_links(before, lambda _, target: target in ends)

    assert {target for _, target in lost} == ends
    assert after.entity == replace(
        entity,
        links=tuple(
            replace(link, targets=kept)
            for link in entity.links
            if (kept := tuple(t for t in link.targets if t not in ends))
        ),
    )
    assert remove_links(before, lambda *_: False) == (before, ())


@given(strategies.files)
def test_whatever_is_on_a_page_its_links_can_be_taken_out(text: str) -> None:
    page = parse_entity(f"{text}\n## Relations\n- A: [[a--b]]\n", "person--x.md")

    after, _ = remove_links(page, lambda *_: True)

    assert after.entity.links == ()
