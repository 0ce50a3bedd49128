"""From a route to a place, whoever made the route."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st
from tests.encoding.routing.afterwards import AFTERWARDS
from tests.encoding.routing.held_back import HELD_BACK
from tests.encoding.routing.sentences import SENTENCES
from tests.strategies import texts

from reverie.config import Config
from reverie.encoding.remember import Desk, plan_remember
from reverie.encoding.routing import (
    Known,
    file_by_rules,
    filing_of,
    place_of,
    steps_of,
)
from reverie.encoding.text import UnstorableTextError, storable
from reverie.model.ids import Store
from reverie.model.items import Block, Confidence, EpisodeKind, Source
from reverie.model.place import Core, Episodic, Procedural, Semantic, Vault
from reverie.model.route import EntityMention, RelationMention, Route

KNOWN = Known({"alex": "person--alex", "moltbot": "project--moltbot"})
PKCE = EntityMention("OAuth2 PKCE", "concept")
USES = RelationMention("project--moltbot", "uses", "concept--oauth2-pkce")


def route(store: Store, *entities: EntityMention, **fields: object) -> Route:
    return Route(store, entities, confidence=Confidence.HIGH, **fields)  # type: ignore[arg-type]


def test_the_example_of_the_design_goes_on_the_page_of_the_project() -> None:
    """Its only entity is the target: the page is that of where the relation starts."""
    told = Route(Store.SEMANTIC, (PKCE,), (USES,), ("auth", "mobile"), Confidence.HIGH)

    place = place_of(told, "Decided to use OAuth2 PKCE.", KNOWN)

    assert place == Semantic(
        "project--moltbot", "project", links=(("uses", "concept--oauth2-pkce"),)
    )


def test_a_fact_about_a_known_name_goes_on_its_page() -> None:
    assert file_by_rules("Alex is tall.", KNOWN).place == Semantic(
        "person--alex", "person"
    )


def test_a_new_name_is_kept_as_it_is_written() -> None:
    place = file_by_rules("NORA McKay lives in Porto.", KNOWN).place

    assert place == Semantic(
        "NORA McKay", "person", links=(("relates-to", "place--porto"),)
    )


def test_what_took_the_place_of_another_is_what_it_is_about() -> None:
    place = file_by_rules("Slow Boat was replaced by Night Train.", KNOWN).place

    assert isinstance(place, Semantic)
    assert place.about == "Night Train"
    assert place.links == (("supersedes", "concept--slow-boat"),)


def test_a_relation_that_ends_on_the_page_is_told_from_its_other_end() -> None:
    moltbot = EntityMention("Moltbot", "project")
    maker = RelationMention("person--alex", "develops", "project--moltbot")

    place = place_of(
        Route(Store.SEMANTIC, (moltbot, PKCE), (USES, maker)), "It is so.", KNOWN
    )

    assert isinstance(place, Semantic)
    assert place.about == "project--moltbot"
    assert place.links == (
        ("uses", "concept--oauth2-pkce"),
        ("developed-by", "person--alex"),
    )


def test_relations_between_others_are_not_told_on_the_page() -> None:
    filing = file_by_rules("Alex lives in Berlin. Moltbot uses Redis.", KNOWN)

    assert isinstance(filing.place, Semantic)
    assert filing.place.about == "person--alex"
    assert ("uses", "tool--redis") not in filing.place.links


def test_knowledge_without_an_entity_is_an_episode() -> None:
    place = place_of(route(Store.SEMANTIC, tags=("a",)), "It is so.", KNOWN)

    assert place == Episodic(EpisodeKind.FACT, Confidence.HIGH, ("a",))


def test_an_episode_has_the_kind_that_its_words_say() -> None:
    place = place_of(route(Store.EPISODIC), "We decided to wait.", KNOWN)

    assert place == Episodic(EpisodeKind.DECISION, Confidence.HIGH)


def test_a_procedure_that_only_a_mind_saw_is_named_by_its_first_words() -> None:
    place = place_of(route(Store.PROCEDURAL), "Bread rises overnight.", KNOWN)

    assert place == Procedural("Bread rises overnight.")


def test_a_procedure_has_its_name_and_trigger() -> None:
    place = file_by_rules("To deploy, run the tests, then tag.", KNOWN).place

    assert place == Procedural("how to deploy", "When asked to deploy.")


def test_the_vault_takes_the_first_words_as_title() -> None:
    assert place_of(route(Store.VAULT), "Pin this: x", KNOWN) == Vault()


def test_core_memory_has_a_block_for_each_sort_of_fact() -> None:
    blocks = {
        "My name is Ines.": Block.IDENTITY,
        "Never push to main.": Block.CRITICAL,
        "Always answer briefly, in bullet points.": Block.PERSONA,
        "I'm currently working on Moltbot.": Block.CONTEXT,
        "Something a mind thinks important": Block.CONTEXT,
    }

    for text, block in blocks.items():
        assert place_of(route(Store.CORE), text, KNOWN) == Core(block)


def test_a_fact_that_core_memory_hears_of_says_in_which_block() -> None:
    filing = file_by_rules("I'm allergic to nuts.", KNOWN)

    assert isinstance(filing.place, Semantic)
    assert filing.core == Core(Block.CRITICAL)


def test_what_is_in_core_memory_is_not_told_it_twice() -> None:
    told = route(Store.CORE, core_update=True)

    assert filing_of(told, "My name is Ines.", KNOWN).core is None


# --- whatever the rules say can be stored -------------------------------------

NOON = datetime(2026, 2, 2, 12, tzinfo=UTC)
DESK = Desk(
    Config(),
    NOON,
    Source.USER_EXPLICIT,
    lambda _: None,
    lambda folder, name: f"{folder}/{name}",
    lambda _: 1.0,
)
LISTED = [label.text for label in (*SENTENCES, *HELD_BACK, *AFTERWARDS)]


@given(st.sampled_from(LISTED) | texts | st.text(max_size=80))
def test_every_place_that_rules_name_can_be_written_to(text: str) -> None:
    try:
        clean = storable(text, 10_000)
    except UnstorableTextError:
        return
    filing = file_by_rules(clean, KNOWN)
    steps = steps_of(clean) if isinstance(filing.place, Procedural) else clean

    plan = plan_remember(steps, filing.place, DESK)

    assert len(plan.edits) == 1
    assert ".." not in plan.edits[0].path
    if filing.core:
        assert plan_remember(clean, filing.core, DESK).edits
