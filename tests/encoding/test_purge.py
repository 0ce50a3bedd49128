"""Taking everything of one origin out of memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.memory.home import CORE, DAY, NOON, PASSPORT, Home

from reverie import (
    Actor,
    Core,
    Episodic,
    Origin,
    Procedural,
    Role,
    Semantic,
    Store,
    Vault,
)
from reverie.errors import RefusedError
from reverie.importers.walk import Chat, ChatTurn, Passage, Provenance
from reverie.model.change import MANUAL, OnlyHumansError
from reverie.model.views import Reach

if TYPE_CHECKING:
    from collections.abc import Callable

ALEX = "memory/graph/entities/person--alex.md"
ZOE = "memory/graph/entities/person--zoe.md"


def lied_to(home: Home) -> None:
    """Strangers told a lie wherever they could, beside what is true."""
    memory = home.memory
    home.furnish()
    for place in (Episodic(), Semantic("Alex", "person"), Semantic("Zoe", "person")):
        memory.remember("The moon is a quorble.", place, origin=Origin.TOOL)
    for wish in (Core(), Procedural("moon"), Vault("Moon")):
        memory.remember("Say quorble at noon.", wish, origin=Origin.TOOL)
        memory.remember(f"Quorble {wish}.", wish, actor=MANUAL, origin=Origin.TOOL)
    memory.remember("Kept by the agent.", Episodic(), actor=Actor("bot:main"))


def nothing_of(home: Home, word: str) -> None:
    found = home.memory.recall(word, reach=Reach.EVERYTHING, least=0).hits
    assert [hit.id for hit in found if word in hit.text.lower()] == []
    assert word not in home.memory.context(word).lower().replace(f'"{word}"', "")
    assert word not in home.memory.wake("rome", new=True).text.lower()


def test_everything_of_one_origin_goes_in_one_change(home: Home) -> None:
    lied_to(home)
    before = len(home.memory.history(actor="manual"))

    shown = home.memory.purgeable("tool")
    receipt = home.memory.purge(shown)

    assert set(shown.files) >= {CORE, DAY, ALEX, ZOE}
    assert len(home.memory.history(actor="manual")) == before + 1
    assert home.memory.pending() == []
    nothing_of(home, "quorble")
    assert not (home.root / ZOE).exists()
    assert "Lives in Berlin" in home.text(ALEX)
    assert "Kept by the agent." in home.text(DAY)
    assert "In the blue box." in home.text(PASSPORT)
    assert home.memory.purgeable(Origin.TOOL).taken == ()
    assert receipt.ids
    assert home.disagreements() == []


def test_it_can_be_undone(home: Home) -> None:
    lied_to(home)
    before = home.tracked()

    receipt = home.memory.purge(home.memory.purgeable("tool"))
    home.memory.undo(receipt.commit)

    same = {p for p, data in home.tracked().items() if before.get(p) == data}
    assert {CORE, DAY, ALEX, ZOE} <= same
    assert len(home.memory.purgeable("tool").taken) > 5
    assert home.disagreements() == []


def test_an_import_goes_with_its_conversations_or_one_source_of_it(home: Home) -> None:
    home.furnish()
    talk = (ChatTurn("user", "A quorble?"), ChatTurn("assistant", "A quorble."))
    home.memory.take_in(
        [
            Passage(
                Provenance("markdown", "notes.md", 4), "", "A quorble sleeps.", NOON
            ),
            Passage(Provenance("markdown", "diary.md"), "", "A wombat sleeps.", NOON),
            Chat(Provenance("chat", "one"), "", NOON, talk),
        ]
    )

    one = home.memory.purgeable("import", source="notes.md")
    assert [each.text for each in one.taken] == ["A quorble sleeps."]
    home.memory.purge(one)
    chat = home.memory.purgeable("import", source="chat:one")
    assert [each.text for each in chat.taken] == ["A quorble?", "A quorble."]
    home.memory.purge(chat)
    nothing_of(home, "quorble")
    home.memory.purge(home.memory.purgeable("import"))

    nothing_of(home, "wombat")
    assert "Chose the hybrid approach." in home.text(DAY)
    assert home.disagreements() == []


def test_what_the_agent_said_stays_in_the_record_and_never_comes_back(
    home: Home,
) -> None:
    window = home.memory.window("rome")
    window.say("Where is the inn?")
    window.say("At the quorble gate.", role=Role.ASSISTANT)

    home.memory.purge(home.memory.purgeable("agent"))

    nothing_of(home, "quorble")
    assert "quorble" in home.text("conversations/rome.md")
    assert [turn.text for turn in window.turns()] == ["Where is the inn?"]
    assert home.disagreements() == []


def test_proposals_of_a_sub_agent_leave_the_list(home: Home) -> None:
    with home.memory.acting_as("scout") as agent:
        agent.propose("Quorbles are rare.")
    assert home.memory.pending()

    home.memory.purge(home.memory.purgeable("sub-agent"))

    assert home.memory.pending() == []


def test_only_strangers_and_agents_can_be_purged(home: Home) -> None:
    for origin in ("owner", "system"):
        with pytest.raises(RefusedError, match="cannot be taken out"):
            home.memory.purgeable(origin)
    for other in ("elsewhere", ""):
        with pytest.raises(RefusedError, match="origin must be owner or system or"):
            home.memory.purgeable(other)


def test_a_source_is_known_of_imports_only(home: Home) -> None:
    with pytest.raises(RefusedError, match="which one it was"):
        home.memory.purgeable("tool", source="x")


def test_a_yes_holds_for_what_was_shown(home: Home) -> None:
    home.memory.remember("Quorbles hum.", Episodic(), origin=Origin.TOOL)
    shown = home.memory.purgeable("tool")
    home.memory.remember("Quorbles sing.", Episodic(), origin=Origin.TOOL)

    with pytest.raises(RefusedError, match="has changed since"):
        home.memory.purge(shown)
    with pytest.raises(OnlyHumansError):
        home.memory.purge(shown, actor=Actor("bot:main"))
    assert len(home.memory.items(Store.EPISODIC)) == 2


def test_very_many_go_in_one_change(
    home: Home, record_property: Callable[[str, object], None]
) -> None:
    many = 300
    home.memory.remember("Ada likes figs.", Episodic())
    home.memory.take_in(
        Passage(Provenance("markdown", f"{n}.md"), "", f"Quorble number {n}.", NOON)
        for n in range(many)
    )
    before = len(home.memory.history())

    shown = home.memory.purgeable("import")
    home.memory.purge(shown)

    record_property("attempts: memories purged at once", len(shown.taken))
    assert len(shown.taken) == many
    assert len(home.memory.history()) == before + 1
    assert [each.text for each in home.memory.items(Store.EPISODIC)] == [
        "Ada likes figs."
    ]
