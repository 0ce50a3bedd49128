"""Merging, renaming and keeping apart: one thing has one page."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.memory.home import CORE, GRAPH, SCORES, Home

from reverie import Block, Core, Episodic, Procedural, Semantic
from reverie.encoding.gate import ForgottenError
from reverie.encoding.merge import (
    NoSuchEntityError,
    SamePageError,
    SeveralFitError,
    TakenNameError,
)
from reverie.errors import RefusedError
from reverie.model.change import MAIN, MANUAL, Action, Actor, OnlyHumansError
from reverie.model.items import Fact
from reverie.stores.entities import (
    EntityPage,
    fact_id,
    new_entity,
    parse_entity,
    without_targets,
)
from reverie.stores.entity_merge import merged_page, renamed_in

if TYPE_CHECKING:
    from pathlib import Path

PAGES = "memory/graph/entities"
GRETA = f"{PAGES}/person--greta.md"
LINDHOLM = f"{PAGES}/person--greta-lindholm.md"
BO = f"{PAGES}/person--bo.md"


@pytest.fixture
def two(home: Home) -> Home:
    """A workspace in which one person has two pages."""
    memory, person = home.memory, "person"
    memory.remember("Lives in Oslo", Semantic("Greta Lindholm", person))
    memory.remember("Plays the cello", Semantic("Greta Lindholm", person))
    home.clock.forward(days=1)
    memory.remember("Lives in Oslo", Semantic("Greta", person), actor=MAIN)
    links = (("owns", "concept--dog"), ("knows", "person--greta-lindholm"))
    memory.remember("Has a dog", Semantic("Greta", person, links=links))
    both = (("knows", "person--greta"), ("knows", "person--greta-lindholm"))
    memory.remember("Works with Greta", Semantic("Bo", person, links=both))
    memory.remember("Talk to [[person--greta]]", Procedural("how to deploy"))
    memory.remember("Busy with: [[person--greta]]", Core(Block.CONTEXT))
    memory.remember("Met [[person--greta]] at noon.", Episodic())
    return home


def files(root: Path) -> dict[str, bytes]:
    """Everything that people read, but for what is generated."""
    made = {GRAPH, SCORES, "memory/meta/audit.log"}
    found = (p for p in root.rglob("*") if p.is_file())
    named = {str(p.relative_to(root)): p for p in found}
    return {
        name: path.read_bytes()
        for name, path in named.items()
        if not name.startswith(".") and name not in made
    }


def test_a_merge_is_one_change_that_joins_the_pages(two: Home) -> None:
    before = two.commits()

    receipt = two.memory.merge("Greta", "Greta Lindholm")

    assert two.commits() - before <= 2  # the scores as they were, and the merge
    assert receipt.ids == ("entity:person--greta-lindholm",)
    assert receipt.lines[0].action is Action.MERGE
    assert not (two.root / GRETA).exists()
    page = parse_entity(two.text(LINDHOLM), LINDHOLM).entity
    assert [fact.text for fact in page.facts] == [
        "Lives in Oslo",
        "Plays the cello",
        "Has a dog",
    ]
    assert page.aliases == ("Greta", "person--greta")
    assert two.disagreements() == []


def test_what_both_say_stands_once_with_both_sources(two: Home) -> None:
    two.memory.merge("Greta", "Greta Lindholm")

    line = next(t for t in two.text(LINDHOLM).split("\n") if "Lives in Oslo" in t)
    assert line.count("Lives in Oslo") == 1
    assert "since: 2026-02-02" in line
    assert "also: since 2026-02-03" in line


def test_what_both_were_made_of_is_kept(home: Home) -> None:
    for name, basis in (("Ada", "episode:2026-01-01:09:00"), ("Ida", "turn:chat/3")):
        home.memory.remember("Sings", Semantic(name, "person", basis=basis))

    home.memory.merge("Ida", "Ada")

    assert "from: episode:2026-01-01:09:00 turn:chat/3" in home.text(
        f"{PAGES}/person--ada.md"
    )


@pytest.mark.parametrize(("one", "into"), [("Ada", "Ida"), ("Ida", "Ada")])
def test_what_was_forgotten_of_one_is_not_told_by_the_other(
    home: Home, one: str, into: str
) -> None:
    for name in ("Ada", "Ida"):
        links = (("likes", "concept--gin"),)
        home.memory.remember("Likes gin", Semantic(name, "person", links=links))
    found = home.memory.find_to_forget(fact_id("person--ada", "Likes gin"))
    home.memory.forget(found.matches)

    home.memory.merge(one, into)

    assert not home.memory.recall("gin").hits
    assert home.state()[2] == []
    assert home.disagreements() == []


def test_nobody_learns_again_what_was_forgotten_of_a_merged_page(home: Home) -> None:
    home.memory.remember("Ada likes gin.", Semantic("Ada", "person"))
    home.memory.remember("Ida likes rum.", Semantic("Ida", "person"))
    home.memory.merge("Ida", "Ada")
    home.memory.forget(home.memory.find_to_forget("entity:person--ida").matches)

    for text in ("Ida likes rum.", "Ida likes pie."):
        with pytest.raises(ForgottenError):
            home.memory.remember(text, Semantic("Ida", "person"), actor=MAIN)

    assert not home.memory.recall("rum").hits


def test_links_follow_everywhere_but_in_the_logs(two: Home) -> None:
    two.memory.merge("Greta", "Greta Lindholm")

    assert "knows: [[person--greta-lindholm]]" in two.text(BO)
    assert two.text(BO).count("person--greta-lindholm") == 1
    assert "[[person--greta-lindholm]]" in two.text(CORE)
    assert "[[person--greta-lindholm]]" in two.text(
        "memory/procedures/how-to-deploy.md"
    )
    assert "Met [[person--greta]]" in two.text("memory/episodes/2026-02-03.md")
    assert "owns: [[concept--dog]]" in two.text(LINDHOLM)
    # Between the two there is nothing to relate any more.
    assert "knows" not in two.text(LINDHOLM)
    assert "person--greta |" not in two.text(GRAPH)


def test_old_names_ids_and_citations_still_resolve(two: Home) -> None:
    old = next(n.id for n in two.memory.remember("Sings", Semantic("Greta")).near)
    two.memory.merge("Greta", "Greta Lindholm")

    assert two.memory.show("entity:person--greta").id.endswith("lindholm")
    assert two.memory.called("person--greta") == ["entity:person--greta-lindholm"]
    two.memory.pin("entity:person--greta")
    assert two.memory.show("entity:person--greta-lindholm").pinned
    two.memory.remember("Has two dogs", Semantic(supersedes=old))
    two.memory.remember("Drinks tea", Semantic("person--greta"))
    two.memory.remember("Likes rain", Semantic("Greta", "person"))
    assert not (two.root / GRETA).exists()
    assert "Has two dogs" in two.text(LINDHOLM)
    assert "Drinks tea" in two.text(LINDHOLM)
    assert "Likes rain" in two.text(LINDHOLM)


def test_everything_is_found_under_the_one_page_at_once(two: Home) -> None:
    two.memory.merge("Greta", "Greta Lindholm")

    found = two.memory.recall("What do you know about Greta?")

    assert found.understood.entities == ("entity:person--greta-lindholm",)
    told = {hit.text for hit in found.hits if hit.store == "semantic"}
    assert {"Has a dog", "Plays the cello"} <= told
    assert not any(re.search("person--greta(?!-)", text) for text in told)


def test_scores_add_up(two: Home) -> None:
    two.clock.forward(days=3)
    two.memory.reinforce(["entity:person--greta", "entity:person--greta-lindholm"])
    two.memory.reinforce(["entity:person--greta"])

    both = (f"entity:person--{name}" for name in ("greta", "greta-lindholm"))
    uses = sum(two.memory.show(id_).accesses for id_ in both)

    two.memory.merge("Greta", "Greta Lindholm")

    shown = two.memory.show("entity:person--greta-lindholm")
    assert shown.accesses == uses
    assert shown.created == datetime(2026, 2, 2, 12, 0, tzinfo=UTC)
    assert shown.last_accessed == two.clock.now
    assert 'entity:person--greta"' not in two.text(SCORES)


def test_undoing_the_one_change_restores_everything(two: Home) -> None:
    two.memory.reinforce(["entity:person--greta"])
    before, scores = files(two.root), two.memory.items()
    greta = two.memory.show("entity:person--greta").accesses

    receipt = two.memory.merge("Greta", "Greta Lindholm")
    two.memory.undo(receipt.commit)

    assert files(two.root) == before
    assert {i.id: i.accesses for i in two.memory.items()} == {
        i.id: i.accesses for i in scores
    }
    assert two.memory.show("entity:person--greta").accesses == greta
    assert two.disagreements() == []


def test_a_merge_is_undone_around_what_was_told_since(home: Home) -> None:
    memory, ada = home.memory, f"{PAGES}/person--ada.md"
    for name in ("Ada", "Ida"):
        memory.remember(f"{name} sings.", Semantic(name, "person"))
    merged = memory.merge("Ida", "Ada")
    home.clock.forward(days=1)
    memory.remember("Ada skis.", Semantic("Ada", "person"))

    memory.undo(merged.commit)

    assert "Ada skis." in home.text(ada)
    assert "Aliases" not in home.text(ada)
    assert memory.called("Ida") == ["entity:person--ida"]
    assert memory.called("person--ida") == []
    assert memory.merge("Ida", "Ada").ids == ("entity:person--ada",)


def test_an_agent_takes_back_its_own_merge_and_rename(home: Home) -> None:
    for name in ("Ada", "Ida"):
        home.memory.remember(f"{name} sings.", Semantic(name, "person"), actor=MAIN)
    before = files(home.root)
    merged = home.memory.merge("Ida", "Ada", actor=MAIN)
    renamed = home.memory.rename("Ada", "Ada Byron", actor=MAIN)

    for done in (renamed, merged):
        home.memory.undo(done.commit, actor=MAIN)

    assert files(home.root) == before
    assert home.disagreements() == []


def test_history_and_blame_tell_of_both_pages(two: Home) -> None:
    wrote = two.memory.history(path=GRETA)[-1]

    receipt = two.memory.merge("Greta", "Greta Lindholm")

    told = [entry.commit for entry in two.memory.history(path=LINDHOLM)]
    assert {receipt.commit, wrote.commit} <= {*told}
    lines = {line.text: line.commit for line in two.memory.blame(LINDHOLM)}
    dog = next(commit for text, commit in lines.items() if "Has a dog" in text)
    assert dog in {entry.commit for entry in two.memory.history(path=GRETA)}
    assert dog != receipt.commit
    assert two.memory.why("entity:person--greta").shown.path == LINDHOLM


def test_a_pinned_page_stays_pinned_and_is_its_humans_to_merge(two: Home) -> None:
    two.memory.pin("entity:person--greta")

    with pytest.raises(OnlyHumansError):
        two.memory.merge("Greta", "Greta Lindholm", actor=MAIN)
    two.memory.merge("Greta", "Greta Lindholm", actor=MANUAL)

    assert two.memory.show("entity:person--greta-lindholm").pinned


def test_strangers_may_not_merge(two: Home) -> None:
    for tag in ("skill:weather", "bot:auto-detect"):
        with pytest.raises(OnlyHumansError):
            two.memory.merge("Greta", "Greta Lindholm", actor=Actor(tag))
        with pytest.raises(OnlyHumansError):
            two.memory.rename("Greta", "Eve", actor=Actor(tag))


def test_names_that_lead_nowhere_or_to_several_are_refused(two: Home) -> None:
    two.memory.remember("Sings", Semantic("person--greta-2"))
    two.memory.rename("person--greta-2", "Greta", type="singer")

    with pytest.raises(NoSuchEntityError, match="there is no entity 'Nobody'"):
        two.memory.merge("Nobody", "Bo")
    with pytest.raises(SeveralFitError, match="person--greta, singer--greta"):
        two.memory.merge("Greta", "Bo")
    with pytest.raises(SamePageError):
        two.memory.merge("Bo", "person--bo")


def test_pages_of_two_types_are_merged_and_that_is_said(two: Home) -> None:
    two.memory.remember("A cellist", Semantic("Cellist", "concept"))

    found = two.memory.find_merge("Cellist", "Greta Lindholm")
    two.memory.merge("Cellist", "Greta Lindholm")

    assert found.types == ("concept", "person")
    assert (found.facts, found.joined) == (1, 0)


def test_a_persons_own_words_and_sections_go_along(home: Home) -> None:
    memory = home.memory
    memory.remember("Is tall", Semantic("Ann", "person"))
    memory.remember("Is old", Semantic("Anna", "person"))
    path = home.root / PAGES / "person--ann.md"
    text = path.read_text().replace(
        "## Summary\n", "Met at sea.\n\n## Summary\nKind.\n"
    )
    text += "\n## Timeline\n- 2020-01-01: moved\n\n## Open Questions\n- Where from?\n"
    path.write_text(f"{text}- Is Ann the same as Anna?\n\n## Recipes\nSoup, hot.\n")

    memory.merge("Ann", "Anna")

    page = home.text(f"{PAGES}/person--anna.md")
    for words in ("Met at sea.", "Kind.", "2020-01-01: moved", "Where from?", "Soup"):
        assert page.count(words) == 1, words
    assert "the same as" not in page
    assert page.index("Met at sea.") < page.index("## Summary")


def test_what_waits_follows_the_page(two: Home) -> None:
    with two.memory.acting_as("scout") as scout:
        scout.propose("Has a boat", entities=["person--greta"])

    two.memory.merge("Greta", "Greta Lindholm")

    assert two.memory.pending()[0].entities == ("person--greta-lindholm",)
    two.memory.accept(two.memory.pending()[0])
    assert "Has a boat" in two.text(LINDHOLM)


# --- rename ------------------------------------------------------------------------


def test_a_page_gets_another_name_and_keeps_the_old_one(two: Home) -> None:
    two.memory.reinforce(["entity:person--bo"])

    receipt = two.memory.rename("Bo", "Bo Ek")

    page = two.text(f"{PAGES}/person--bo-ek.md")
    assert page.startswith("# person--bo-ek\n")
    assert "Aliases: Bo, person--bo" in page
    assert receipt.lines[0].action is Action.RENAME
    assert two.memory.show("entity:person--bo").accesses == 2
    assert len(two.memory.history(path=f"{PAGES}/person--bo-ek.md")) == 2
    two.memory.remember("Swims", Semantic("Bo"))
    assert "Swims" in two.text(f"{PAGES}/person--bo-ek.md")
    assert two.disagreements() == []


def test_a_page_gets_another_type_and_links_follow(two: Home) -> None:
    before = files(two.root)

    receipt = two.memory.rename("Greta", type="singer")

    assert "Type: singer" in two.text(f"{PAGES}/singer--greta.md")
    assert "[[singer--greta]]" in two.text(BO)
    two.memory.undo(receipt.commit)
    assert files(two.root) == before
    assert two.disagreements() == []


def test_a_name_of_another_page_is_refused_and_merge_is_named(two: Home) -> None:
    with pytest.raises(TakenNameError) as refused:
        two.memory.rename("Greta", "Greta Lindholm")

    assert "merge" in refused.value.advice
    assert (two.root / GRETA).exists()


def test_an_id_that_a_merged_page_had_stays_its_own(two: Home) -> None:
    two.memory.merge("person--greta", "person--greta-lindholm")

    with pytest.raises(TakenNameError, match="person--greta-lindholm"):
        two.memory.rename("Bo", "Greta")

    assert two.memory.called("person--greta") == ["entity:person--greta-lindholm"]


def test_a_label_alone_may_change(two: Home) -> None:
    two.memory.rename("Bo", "BO")

    assert "Label: BO" in two.text(BO)
    assert two.memory.rename("Bo", "BO").lines == ()


# --- pairs -------------------------------------------------------------------------


def test_a_doubtful_pair_is_listed_until_somebody_says_yes(two: Home) -> None:
    (pair,) = two.memory.pairs()
    assert (pair.one, pair.into) == ("person--greta", "person--greta-lindholm")
    assert two.memory.health().waits.pairs == 1
    two.memory.merge(pair.one, pair.into)

    assert two.memory.pairs() == []
    assert "the same as" not in two.text(LINDHOLM)


def test_a_no_is_kept_and_nobody_asks_again(two: Home) -> None:
    two.memory.keep_apart("Greta", "Greta Lindholm")

    assert two.memory.pairs() == []
    assert "Distinct from: person--greta-lindholm" in two.text(GRETA)
    assert "Distinct from: person--greta -->" in two.text(LINDHOLM)
    place = Semantic("person--greta", perhaps=("person--greta-lindholm",))
    two.memory.remember("Sings", place)
    assert two.memory.pairs() == []
    assert two.memory.keep_apart("Greta", "Greta Lindholm").lines == ()


def test_a_yes_after_a_no_still_merges(two: Home) -> None:
    two.memory.keep_apart("Greta", "Greta Lindholm")

    two.memory.merge("Greta", "Greta Lindholm")

    assert "Distinct from: person" not in two.text(LINDHOLM)


@pytest.mark.parametrize(("into", "other"), [(BO, GRETA), (GRETA, BO)])
def test_a_merged_page_still_says_that_it_was_imported(
    home: Home, into: str, other: str
) -> None:
    header = "<!-- Type: person | Created: 2026-01-01 | Source: {} -->"
    for path, source in ((BO, "import"), (GRETA, "conversation")):
        name = path.rpartition("/")[2].removesuffix(".md")
        said = f"# {name}\n\n{header.format(source)}\n\n## Summary\nA {source}.\n"
        home.type(path, said)
    home.memory.check()
    ids = [p.rpartition("/")[2].removesuffix(".md") for p in (other, into)]

    home.memory.merge(*ids)

    assert home.text(into).count("Source: ") == 1
    assert "Source: import" in home.text(into)


# --- pairs of which one was named by hand ------------------------------------------

ZOE, KELLER = "person--zoe", "person--zoe-keller"


@pytest.fixture
def zoe(home: Home) -> Home:
    home.memory.remember("Sails at weekends", Semantic("Zoe", "person"))
    return home


@pytest.mark.parametrize("about", ["Zoe Keller", KELLER])
def test_a_page_named_by_hand_that_may_be_a_known_one_asks_once(
    zoe: Home, about: str
) -> None:
    receipt = zoe.memory.remember("Has two sons", Semantic(about, "person"))

    assert (receipt.ids, receipt.doubts) == ((f"entity:{KELLER}",), (ZOE,))
    assert "Has two sons" not in zoe.text(f"{PAGES}/{ZOE}.md")
    (pair,) = zoe.memory.pairs()
    assert (pair.one, pair.into) == (KELLER, ZOE)
    again = zoe.memory.remember("Lives in Ulm", Semantic(about, "person"))
    assert again.doubts == ()
    assert zoe.text(f"{PAGES}/{KELLER}.md").count("Is this the same as") == 1


def test_a_yes_to_a_page_named_by_hand_merges_it(zoe: Home) -> None:
    zoe.memory.remember("Has two sons", Semantic("Zoe Keller", "person"))
    (pair,) = zoe.memory.pairs()

    zoe.memory.merge(pair.one, pair.into)

    assert zoe.memory.pairs() == []
    later = zoe.memory.remember("Lives in Ulm", Semantic("Zoe Keller", "person"))
    assert (later.ids, later.doubts) == ((f"entity:{ZOE}",), ())


def test_a_no_to_a_page_named_by_hand_is_never_asked_again(zoe: Home) -> None:
    zoe.memory.remember("Has two sons", Semantic("Zoe Keller", "person"))

    zoe.memory.keep_apart("Zoe", "Zoe Keller")
    for name in ("Zoe", "Zoe Keller", KELLER):
        zoe.memory.remember(f"{name} came to tea", Semantic(name, "person"))

    assert zoe.memory.pairs() == []
    assert "the same as" not in zoe.text(f"{PAGES}/{KELLER}.md")


def test_a_page_named_by_hand_does_not_ask_for_what_was_forgotten(zoe: Home) -> None:
    zoe.memory.forget(zoe.memory.find_to_forget(f"entity:{ZOE}").matches)

    receipt = zoe.memory.remember("Has two sons", Semantic("Zoe Keller", "person"))

    assert receipt.doubts == ()
    assert ZOE not in zoe.text(f"{PAGES}/{KELLER}.md").replace(KELLER, "")


def test_a_name_written_in_another_way_is_the_page_that_is_known(home: Home) -> None:
    home.memory.remember("Runs the shop", Semantic("Data Base", "tool"))

    receipt = home.memory.remember("Is backed up", Semantic("database", "tool"))

    assert (receipt.ids, receipt.doubts) == (("entity:tool--data-base",), ())
    assert "Aliases: database" in home.text(f"{PAGES}/tool--data-base.md")


def test_the_id_of_a_new_page_is_taken_at_its_word(home: Home) -> None:
    home.memory.remember("Runs the shop", Semantic("tool--data-base"))

    receipt = home.memory.remember("Is backed up", Semantic("tool--database"))

    assert receipt.ids == ("entity:tool--database",)
    assert receipt.doubts == ("tool--data-base",)


def test_the_users_two_pages_are_the_same_by_definition(home: Home) -> None:
    memory = home.memory
    memory.remember("Likes tea", Semantic("Mara Lindqvist", "person"))
    memory.remember("I like jazz")
    memory.remember("Name: Mara Lindqvist", Core(Block.IDENTITY))

    (pair,) = memory.pairs()
    with pytest.raises(RefusedError, match="both you"):
        memory.keep_apart(pair.one, pair.into)
    memory.remember("I like rain")

    assert (pair.one, pair.into) == ("person--user", "person--mara-lindqvist")
    assert "I like rain" in home.text(f"{PAGES}/person--mara-lindqvist.md")
    memory.merge(pair.one, pair.into)
    assert memory.pairs() == []
    assert "I like jazz" in home.text(f"{PAGES}/person--mara-lindqvist.md")
    memory.remember("I like snow")
    assert not (home.root / PAGES / "person--user.md").exists()


# --- pages and ids as text ---------------------------------------------------------


@pytest.mark.parametrize("how", ["merge", "rename"])
def test_the_user_stays_one_when_their_page_gets_a_name(home: Home, how: str) -> None:
    memory = home.memory
    memory.remember("I like tea.")
    if how == "merge":
        memory.remember("Lives in Oslo", Semantic("Mara", "person"))
        memory.merge("person--user", "person--mara")
    else:
        memory.rename("person--user", "Mara")

    done = memory.remember("I like coffee.")

    assert done.ids == ("entity:person--mara",)
    assert not (home.root / PAGES / "person--user.md").exists()
    hits = memory.recall("What do I like?").hits
    assert {hit.text for hit in hits} >= {"I like tea.", "I like coffee."}


def test_an_id_is_another_only_as_a_whole_word() -> None:
    text = "tool--node tool--node.js [[tool--node|Node]] a-tool--node tool--node.md"

    changed = renamed_in(text, "tool--node", "tool--n")

    assert changed == "tool--n tool--node.js [[tool--n|Node]] a-tool--node tool--n.md"


def test_a_line_of_relations_loses_what_it_should_not_name() -> None:
    assert without_targets("- knows: [[a--b]], [[c--d]] <!-- x -->\n", {"a--b"}) == (
        "- knows: [[c--d]] <!-- x -->\n"
    )
    assert without_targets("- knows: [[a--b]]\n", {"a--b"}) == ""
    assert without_targets("- knows: [[a--b]], [[a--b]]\n", ()) == "- knows: [[a--b]]\n"


facts = st.lists(
    st.text("abc XYZ.,[]~*#'<>!-\\|ü", min_size=1, max_size=25).filter(str.strip),
    max_size=5,
)


@given(facts, facts)
def test_a_merged_page_has_every_fact_of_both(one: list[str], two: list[str]) -> None:
    def page(name: str, texts: list[str]) -> str:
        entity = parse_entity("", f"{name}.md").entity
        return new_entity(replace(entity, facts=tuple(map(Fact, texts))))

    gone, kept = (
        parse_entity(page(name, texts), f"{PAGES}/{name}.md")
        for name, texts in (("person--one", one), ("person--two", two))
    )

    merged, _ = merged_page(gone, kept, datetime(2026, 2, 2, tzinfo=UTC).date())

    def held(each: EntityPage) -> set[str]:
        found = (f for f in each.entity.facts if f.current)
        return {" ".join(fact.text.split()).casefold() for fact in found}

    assert held(merged) == held(gone) | held(kept)


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(facts, facts, st.sampled_from(["\n", "\r\n"]))
def test_merge_and_undo_leave_every_byte(
    tmp_path_factory: pytest.TempPathFactory, one: list[str], two: list[str], end: str
) -> None:
    home = Home(tmp_path_factory.mktemp("merge") / "agent")
    for name, texts in (("One", ["x", *one]), ("Two", ["y", *two])):
        for text in texts:
            home.memory.remember(text, Semantic(name, "person"))
    for path in (home.root / PAGES).glob("*.md"):
        path.write_bytes(path.read_bytes().replace(b"\n", end.encode()))
    home.memory.show("entity:person--one")
    before = files(home.root)

    receipt = home.memory.merge("One", "Two")
    home.memory.undo(receipt.commit)

    assert files(home.root) == before
    home.memory.close()


def test_what_was_merged_is_shown_without_old_ids_and_forgotten_as_a_whole(
    two: Home,
) -> None:
    two.memory.merge("Greta", "Greta Lindholm")

    assert "person--greta\n" not in two.memory.show("entity:person--greta").text
    found = two.memory.find_to_forget("Greta Lindholm")
    page = [m for m in found.matches if m.id == "entity:person--greta-lindholm"]
    two.memory.forget(page)
    assert "Plays the cello" not in repr(two.memory.recall("cello").hits)
