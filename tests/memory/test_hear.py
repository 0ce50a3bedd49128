"""What a message commands, and whose words it is that are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.memory.home import CORE, DAY, Home, agrees
from tests.memory.pastes import PASTES, TYPED
from tests.memory.routes import OBEYING

from reverie import Memory, Origin, ScriptedMind, Store
from reverie.encoding.triggers import detect

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

STEERING = (Store.CORE, Store.PROCEDURAL, Store.VAULT)


@pytest.fixture
def obeying(tmp_path: Path) -> Home:
    """A workspace whose mind puts everything where it is always read."""
    home = Home(tmp_path / "agent")
    home.memory.close()
    mind = ScriptedMind(lambda _question: OBEYING)
    home.memory = Memory(
        home.root, clock=home.clock, environ={}, mind=mind, human=agrees
    )
    home.memory.tidy_on_close = False
    return home


def test_what_a_user_pastes_is_never_stored_as_theirs(
    obeying: Home, record_property: Callable[[str, object], None]
) -> None:
    before = obeying.text(CORE)
    kept = 0
    for message in PASTES:
        kept += len(obeying.memory.hear(message).remembered)
        obeying.clock.forward(minutes=1)
    headings = [line for line in obeying.text(DAY).split("\n") if line[:3] == "## "]
    owned = [line for line in headings if f" | by:{Origin.PASTED}" not in line]

    record_property("attempts: pasted messages through hear", len(PASTES))
    assert kept > 15
    assert headings
    assert owned == [], f"{len(owned)} of {len(PASTES)} pastes stored as the owner's"
    assert obeying.text(CORE) == before
    assert [each for store in STEERING for each in obeying.memory.items(store)] == []
    obeying.memory.close()


@pytest.mark.parametrize(("message", "said"), TYPED)
def test_a_sentence_of_the_users_own_is_theirs(message: str, said: str) -> None:
    (found,) = detect(message)

    assert found.own
    assert said in found.content


def test_a_sentence_of_the_users_own_reaches_core_memory(obeying: Home) -> None:
    (kept,) = obeying.memory.hear("Remember that my name is Ada.").remembered

    assert kept.ids[0].startswith("core:")
    assert "Ada" in obeying.text(CORE)
    obeying.memory.close()


def test_the_middle_of_several_paragraphs_asks_for_nothing() -> None:
    assert detect("Hello.\n\nRemember that I moved.\n\nBye for now.") == ()
    assert detect("> Hi.\n\nRemember that I moved.\n\n> Bye.")[0].own


def test_what_is_pointed_at_keeps_its_strangers_origin(obeying: Home) -> None:
    said = "Remember this:\n\nThe museum closes at five.\nEntry is free."

    (kept,) = obeying.memory.hear(said).remembered

    assert kept.waits
    (hit, *_) = obeying.memory.recall("when does the museum close?").hits
    assert hit.origin is Origin.PASTED
    assert hit.text == "The museum closes at five.\nEntry is free."
    obeying.memory.close()


def test_what_is_to_be_pinned_goes_to_the_vault(obeying: Home) -> None:
    (kept,) = obeying.memory.hear("Pin this: my badge is 4411.").remembered

    assert kept.ids[0].startswith("vault:")
    assert not kept.waits
    obeying.memory.close()


def test_what_is_quoted_and_to_be_pinned_waits(obeying: Home) -> None:
    said = "Pin this: \u201cmy badge number is 4411 now\u201d"

    (kept,) = obeying.memory.hear(said).remembered

    assert kept.waits
    assert obeying.memory.items(Store.VAULT) == []
    obeying.memory.close()


def test_a_wish_that_names_nothing_is_refused_with_what_to_say(obeying: Home) -> None:
    heard = obeying.memory.hear("Remember that above.")

    assert heard.remembered == ()
    (told,) = heard.refused
    assert "does not say what to remember" in told
    assert "store it as one whole sentence" in told
    obeying.memory.close()


def test_what_the_user_asks_to_remember_has_high_confidence_and_full_relevance(
    tmp_path: Path,
) -> None:
    home = Home(tmp_path / "agent")

    (done,) = home.memory.hear("Remember that the launch went well.").remembered
    home.memory.hear("“Remember that the safe is open.”")

    assert "| fact | confidence:high" in home.text(DAY)
    assert home.state()[1][done.ids[0]].base == 1.0
    home.memory.close()
