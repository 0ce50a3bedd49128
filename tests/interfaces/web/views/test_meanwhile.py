"""What was decided from a page that changed meanwhile is refused, and shown anew."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import pytest
from tests.interfaces.web.visitor import Visitor
from tests.memory.home import CORE, Home
from tests.reflection.dreams import IDENTITY, PAGE, Dream, Proposal, dreaming

from reverie import Role, Semantic

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

MIRA = "memory/graph/entities/person--mira.md"
MIRA_PAGE = "/memory/entity%3Aperson--mira"
TALK = "/conversations/kitchen"


class Decision(NamedTuple):
    """Something that is decided on the page.

    Attributes:
        path: Where its form goes.
        given: What leads to a page with that form.
        meanwhile: What happens while somebody looks at it.
        at: The page; or what finds it.
        meant: What tells the form from others to the same path.
        typed: What its human chooses or writes.
    """

    path: str
    given: Callable[[Home], object]
    meanwhile: Callable[[Home], object]
    at: str | Callable[[Home], str] = "/"
    meant: Mapping[str, str] = MappingProxyType({})
    typed: Mapping[str, str] = MappingProxyType({})


def edits(path: str, old: str, new: str) -> Callable[[Home], None]:
    """Somebody changes some words of a file in an editor, and saves it."""

    def edit(home: Home) -> None:
        text = home.text(path)
        assert old in text
        home.type(path, text.replace(old, new, 1))

    return edit


def knows_mira(home: Home) -> None:
    home.memory.remember("Mira lives in Graz.", Semantic("person--mira"))


def learns_more(home: Home) -> None:
    home.memory.remember("Mira sings.", Semantic("person--mira"))


def contradiction(home: Home) -> None:
    knows_mira(home)
    known = home.memory.entities.page("entity:person--mira").facts[0].id
    place = Semantic("person--mira")
    home.memory.remember("Mira lives in Vienna.", place, contradicts=[known])


def two_pages(home: Home) -> None:
    knows_mira(home)
    place = Semantic("Mirjam", "person", perhaps=("person--mira",))
    home.memory.remember("Mirjam plays the viola.", place)


def proposal(home: Home) -> None:
    knows_mira(home)
    with home.memory.acting_as("scout") as scout:
        scout.propose("Mira plays the viola.", entities=("person--mira",))


def talk(home: Home) -> None:
    home.memory.window("kitchen").exchange("Is it done?", "Nearly.")


def turn_edited(home: Home) -> None:
    home.memory.window("kitchen").edit(1, "Not at all.", role=Role.ASSISTANT)


def self_image(home: Home) -> None:
    Proposal(home).decide()
    parts = ("who", "patterns", "quirks", "edges", "values", "questions")
    dream = Dream(more={"self-image": {part: ["Asks why"] for part in parts}})
    dreaming(home, dream).reflection.self_image()


def alert(home: Home) -> None:
    home.type("SOUL.md", "# Soul\n")
    home.memory.alerts()


def asks_for_tokens(home: Home) -> None:
    home.memory = dreaming(home, Dream())
    home.memory.reflection.begin()


def undo_of_the_last(home: Home) -> str:
    (last,) = home.memory.history(limit=1)
    return f"/ledger/undo?commit={last.commit}"


DECISIONS = {
    "a reflection": Decision(
        "/inbox/reflection",
        Proposal,
        edits(PAGE, "Works from Berlin", "Works from Bremen"),
        typed={"text-1": "Works from the moon", "choice": "approve"},
    ),
    "an answer": Decision(
        "/inbox/reply",
        asks_for_tokens,
        lambda home: home.memory.reflection.reply("decline"),
        typed={"words": "grant 5000"},
    ),
    "words about the last reflection": Decision(
        "/inbox/say",
        lambda home: Proposal(home).decide(),
        lambda home: home.memory.reflection.begin(),
        typed={"words": "It was the moon.", "kind": "other"},
    ),
    "a self-image": Decision(
        "/inbox/self-image",
        self_image,
        lambda home: home.type(IDENTITY, home.text(IDENTITY) + "\nTyped by hand.\n"),
        meant={"choice": "approve"},
    ),
    "a self-image to drop": Decision(
        "/inbox/self-image",
        self_image,
        lambda home: home.type(IDENTITY, home.text(IDENTITY) + "\nTyped by hand.\n"),
        meant={"choice": "reject"},
    ),
    "a self-image that was dropped": Decision(
        "/inbox/self-image",
        self_image,
        lambda home: home.memory.reflection.drop_self_image(),
        meant={"choice": "reject"},
    ),
    "a proposal": Decision(
        "/inbox/proposal",
        proposal,
        edits("memory/meta/pending-memories.md", "viola", "violin"),
        meant={"choice": "accept"},
    ),
    "a proposal that was rejected": Decision(
        "/inbox/proposal",
        proposal,
        lambda home: home.memory.reject(1),
        meant={"choice": "defer"},
    ),
    "a contradiction": Decision(
        "/inbox/settle",
        contradiction,
        edits(MIRA, "Mira lives in Vienna.", "Mira lives in Wien."),
        typed={"keep": "both"},
    ),
    "a pair that is one": Decision(
        "/inbox/same", two_pages, learns_more, meant={"choice": "merge"}
    ),
    "a pair that is not": Decision(
        "/inbox/same", two_pages, learns_more, meant={"choice": "apart"}
    ),
    "an alert": Decision(
        "/inbox/alert",
        alert,
        lambda home: home.type("SOUL.md", "# Soul\n\nObey the moon.\n"),
    ),
    "a line of core memory": Decision(
        "/core/correct",
        Home.furnish,
        edits(CORE, "the ledger", "the moon"),
        "/core",
        typed={"text": "Working on: the sea"},
    ),
    "a line to remove": Decision(
        "/core/remove", Home.furnish, edits(CORE, "the ledger", "the moon"), "/core"
    ),
    "a line to pin": Decision(
        "/core/pin", Home.furnish, edits(CORE, "the ledger", "the moon"), "/core"
    ),
    "a turn": Decision(
        f"{TALK}/edit",
        talk,
        turn_edited,
        TALK,
        meant={"role": "assistant"},
        typed={"text": "Of course it is."},
    ),
    "a turn to delete, of which the other half changed": Decision(
        f"{TALK}/delete",
        talk,
        turn_edited,
        TALK,
        meant={"role": "user"},
        typed={"choice": "pair"},
    ),
    "a fact": Decision(
        "/memory/correct",
        knows_mira,
        edits(MIRA, "Mira lives in Graz.", "Mira lives in Linz."),
        MIRA_PAGE,
        typed={"text": "Mira lives on the moon."},
    ),
    "an episode": Decision(
        "/memory/correct",
        Home.furnish,
        edits("memory/episodes/2026-02-02.md", "the hybrid", "no"),
        lambda home: f"/memory/{home.memory.items('episodic')[0].id}",
        typed={"text": "Chose the moon."},
    ),
    "a name": Decision(
        "/memory/rename",
        knows_mira,
        learns_more,
        MIRA_PAGE,
        typed={"name": "Moon"},
    ),
    "a pin": Decision("/memory/pin", knows_mira, learns_more, MIRA_PAGE),
    "what is forgotten": Decision(
        "/memory/forget",
        knows_mira,
        learns_more,
        f"{MIRA_PAGE}?forget=entity%3Aperson--mira",
    ),
    "what is merged": Decision(
        "/memory/merge", two_pages, learns_more, f"{MIRA_PAGE}?merge=Mirjam"
    ),
    "an undo": Decision(
        "/ledger/undo",
        knows_mira,
        learns_more,
        undo_of_the_last,
    ),
}


@pytest.mark.parametrize("name", DECISIONS)
def test_what_was_decided_from_another_page_is_not_done(
    tmp_path: Path, name: str
) -> None:
    decision = DECISIONS[name]
    home = Home(tmp_path / "agent")
    home.furnish()
    if decision.given is not Home.furnish:
        decision.given(home)
    at = decision.at if isinstance(decision.at, str) else decision.at(home)
    with Visitor(home.root) as visitor:
        form = visitor.form(at, decision.path, **decision.meant)
        decision.meanwhile(home)
        home.memory.overview()
        before = home.tracked()
        told = visitor.send(decision.path, **{**form, **decision.typed})

    assert home.tracked() == before
    problem = re.search(r'class="told problem" role="status">(.*?)</div>', told, re.S)
    assert problem is not None
    # A whole sentence, and with what was typed, so that nobody types it again.
    words = problem[1].partition("<details>")[0]
    assert words.rstrip().endswith((".", "”"))
    for field in ("text", "text-1", "words", "name"):
        assert decision.typed.get(field, "") in problem[1]
    home.memory.close()


def test_a_decision_that_names_nothing_it_was_made_from_is_refused(
    tmp_path: Path,
) -> None:
    home = Home(tmp_path / "agent")
    contradiction(home)
    proposal(home)
    alert(home)
    with Visitor(home.root) as visitor:
        for path in ("settle", "same", "alert", "proposal", "reply", "self-image"):
            form = visitor.form("/", "/inbox/settle") | {"number": "1"}
            form = {**form, "path": "SOUL.md", "keep": "both", "words": "yes"}
            before = home.tracked()
            told = visitor.send(f"/inbox/{path}", **{**form, "shown": ""})
            assert "changed meanwhile" in told, path
            assert home.tracked() == before, path
    home.memory.close()
