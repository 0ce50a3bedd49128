"""Pages that a person renamed by hand: what led to them follows."""

from __future__ import annotations

import pytest
from tests.memory.home import SCORES, Home

from reverie import Actor, Semantic
from reverie.model.change import Action
from reverie.session.moved_pages import find_renamed, plan_renames

PAGES = "memory/graph/entities"
ROLF, OLD = f"{PAGES}/person--rolf.md", f"{PAGES}/concept--rolf.md"
BO = f"{PAGES}/person--bo.md"


@pytest.fixture
def moved(home: Home) -> Home:
    """A page of the wrong type, renamed by hand."""
    memory = home.memory
    memory.remember("Rolf likes tea", Semantic("Rolf"))
    memory.remember("Rolf has a boat", Semantic("Rolf"))
    links = (("knows", "concept--rolf"),)
    memory.remember("Sails", Semantic("Bo", "person", links=links))
    memory.reinforce(["entity:concept--rolf"])
    (home.root / OLD).rename(home.root / ROLF)
    return home


def test_what_is_told_of_a_renamed_page_goes_to_it(moved: Home) -> None:
    moved.memory.remember("Rolf drinks coffee", Semantic("Rolf"))
    moved.memory.remember("Rolf is tall", Semantic("concept--rolf"))
    moved.memory.remember("Rolf runs.")

    assert not (moved.root / OLD).exists()
    for words in ("likes tea", "drinks coffee", "is tall", "runs"):
        assert words in moved.text(ROLF)
    assert moved.disagreements() == []


def test_its_score_links_and_old_id_follow_in_a_change_of_our_own(moved: Home) -> None:
    shown = moved.memory.show("entity:concept--rolf")

    # Told twice, linked to and of use once.
    assert (shown.id, shown.accesses) == ("entity:person--rolf", 4)
    assert "knows: [[person--rolf]]" in moved.text(BO)
    page = moved.text(ROLF)
    assert page.startswith("# person--rolf\n")
    assert "Type: person" in page
    assert "Aliases: concept--rolf" in page
    ours, theirs = moved.memory.history(limit=2)
    assert ours.actor == Actor("system:rename")
    assert ours.lines[0].action is Action.RENAME
    assert theirs.actor.human
    assert moved.disagreements() == []


def test_its_history_goes_back_to_before_the_rename(moved: Home) -> None:
    told = moved.memory.history(path=ROLF)

    assert [entry.lines[0].summary for entry in told][-1] == "Rolf likes tea"
    moved.memory.show("entity:person--rolf")
    assert len(moved.memory.history(path=ROLF)) == len(told)


def test_a_rename_with_another_title_is_noticed_too(moved: Home) -> None:
    page = moved.root / ROLF
    text = page.read_text().replace("# concept--rolf", "# person--rolf-berg")
    page.rename(moved.root / PAGES / "person--rolf-berg.md")
    (moved.root / PAGES / "person--rolf-berg.md").write_text(text)

    shown = moved.memory.show("entity:concept--rolf")

    assert shown.id == "entity:person--rolf-berg"
    assert "Aliases: Rolf, concept--rolf" in moved.text(shown.path)


def test_a_score_that_only_history_knows_is_carried_over(moved: Home) -> None:
    (moved.root / ROLF).rename(moved.root / OLD)
    moved.memory.show("entity:concept--rolf")
    moved.memory.merge("Bo", "Rolf")  # writes the scores down
    assert '"entity:concept--rolf"' in moved.text(SCORES)
    (moved.root / OLD).rename(moved.root / ROLF)
    # Killed between the two changes: the person's is there, ours is not.
    session = moved.memory._session  # noqa: SLF001 - the first half of a look
    with session.ledger.exclusively("test"):
        session.ledger.absorb([OLD, ROLF])

    shown = moved.reopen().show("entity:concept--rolf")

    # And Bo's own.
    assert (shown.id, shown.accesses) == ("entity:person--rolf", 5)


def test_a_page_that_is_another_one_is_no_rename(home: Home) -> None:
    home.memory.remember("Likes tea", Semantic("Rolf"))
    (home.root / OLD).unlink()
    home.type(BO, "# person--bo\n\n## Facts\n- Sails\n- Swims\n")

    assert home.memory.show("entity:person--bo").accesses == 1
    assert "concept--rolf" not in home.text(BO)


def test_of_several_new_pages_the_likest_is_the_renamed_one() -> None:
    texts = {
        "a": b"# person--ann\n\n## Facts\n- One\n- Two\n- Three\n",
        "b": b"# x\n\n## Facts\n- One\n- Two\n- Four\n",
        "c": b"# y\n\n## Facts\n- One\n- Two\n- Three\n- Five\n",
    }
    changed = {
        f"{PAGES}/person--ann.md": ("a", ""),
        f"{PAGES}/person--b.md": ("", "b"),
        f"{PAGES}/person--c.md": ("", "c"),
        "memory/vault/a--b.md": ("", "a"),
    }

    assert find_renamed(changed, texts.get) == [
        (f"{PAGES}/person--ann.md", f"{PAGES}/person--c.md")
    ]


def test_two_pages_that_are_renamed_at_once_are_both_followed(moved: Home) -> None:
    memory = moved.memory
    memory.check()
    links = (("knows", "person--bo"), ("knows", "person--rolf"))
    memory.remember("Cooks", Semantic("Cy", "person", links=links))
    (moved.root / ROLF).rename(moved.root / f"{PAGES}/person--rolf-berg.md")
    (moved.root / BO).rename(moved.root / f"{PAGES}/person--bo-lund.md")
    memory.check()

    page = moved.text(f"{PAGES}/person--cy.md")
    assert "[[person--bo-lund]]" in page
    assert "[[person--rolf-berg]]" in page
    assert "knows: [[person--rolf-berg]]" in moved.text(f"{PAGES}/person--bo-lund.md")
    for old, new in (("rolf", "rolf-berg"), ("bo", "bo-lund")):
        assert memory.show(f"entity:person--{old}").id == f"entity:person--{new}"
    assert moved.disagreements() == []


def test_of_two_renamed_pages_the_second_is_followed_after_a_kill(moved: Home) -> None:
    moved.memory.check()
    new = [f"{PAGES}/person--rolf-berg.md", f"{PAGES}/person--bo-lund.md"]
    for old, path in zip((ROLF, BO), new, strict=True):
        (moved.root / old).rename(moved.root / path)
    # As far as a look gets until it is cut short.
    session = moved.memory._session  # noqa: SLF001 - tests look behind the door
    session.ledger.absorb([ROLF, BO, *new])
    session.sync()
    session.commit(next(plan_renames(session, {})))
    memory = moved.reopen()
    memory.check()

    for was, now in (("rolf", "rolf-berg"), ("bo", "bo-lund")):
        assert memory.show(f"entity:person--{was}").id == f"entity:person--{now}"
    assert "knows: [[person--rolf-berg]]" in moved.text(new[1])
    (newest,) = memory.history(limit=1)
    memory.check()
    assert memory.history(limit=1) == [newest]
    assert moved.disagreements() == []
