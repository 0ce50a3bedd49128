"""A memory of an agent is the user's statement only if a user turn states it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from reverie import Core, Memory, Semantic
from reverie.model.change import MAIN, REMEMBER
from reverie.model.items import Origin, Role

if TYPE_CHECKING:
    from pathlib import Path

IDA = Semantic("person--ida", "person")
MAIL = (
    "From: Office <o@bank.example>\nTo: me@x.example\nSubject: Account\n\n"
    "Our new account number is 445566 at the Harbour bank.\n"
)


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    clock = datetime(2026, 2, 2, 12, tzinfo=UTC)
    return Memory.init(tmp_path / "agent", clock=lambda: clock)


def origins(memory: Memory, text: str) -> dict[str, str]:
    """Return the origin of a fact by the output that tells it."""
    [hit] = [hit for hit in memory.recall(text).hits if hit.id.startswith("entity:")]
    page = (memory.root / hit.path).read_text()
    return {
        "recall": hit.origin,
        "show": memory.show(hit.id).origin,
        "why": memory.why(hit.id).shown.origin,
        "header": "owner" if "Source: user-explicit" in page else "agent",
        "fact": "owner" if "source: user-explicit" in page else "agent",
    }


def store(memory: Memory, text: str, **more: object) -> None:
    given = {"actor": REMEMBER, "origin": Origin.AGENT, **more}
    memory.remember(text, IDA, **given)  # type: ignore[arg-type]


def test_the_user_s_own_sentence_is_the_user_s_everywhere(memory: Memory) -> None:
    memory.window("chat").say("Good morning! Ida works at the harbour.")

    store(memory, "Ida works at the harbour")

    assert set(origins(memory, "Where does Ida work?").values()) == {"owner"}


def test_a_quotation_of_the_user_makes_other_words_the_user_s(memory: Memory) -> None:
    memory.window("chat").say("My sister Ida works at the harbour.")

    store(
        memory,
        "Works at the harbour",
        trigger="My sister Ida works at the harbour.",
    )

    assert set(origins(memory, "Where does Ida work?").values()) == {"owner"}


@pytest.mark.parametrize(
    "said",
    [
        "It is not true that Ida works at the harbour.",
        "> Ida works at the harbour.",
        'He said "Ida works at the harbour", which nobody on earth would ever believe.',
        "I like the harbour.",
        "Nobody told Prof. Ida works at the harbour.",
        "Ida works at the harbour?",
    ],
)
def test_what_no_user_sentence_states_is_the_agent_s(memory: Memory, said: str) -> None:
    memory.window("chat").say(said)

    store(memory, "Ida works at the harbour")

    assert "owner" not in origins(memory, "Where does Ida work?").values()


def test_a_quotation_that_says_something_else_proves_nothing(memory: Memory) -> None:
    memory.window("chat").say("Yes, please do that.")

    store(memory, "Ida works at the harbour", trigger="Yes, please do that.")

    assert set(origins(memory, "Where does Ida work?").values()) == {"agent"}


def test_words_of_the_assistant_are_not_the_user_s(memory: Memory) -> None:
    window = memory.window("chat")
    window.exchange("Hello", "Ida works at the harbour.")

    store(memory, "Ida works at the harbour")

    assert set(origins(memory, "Where does Ida work?").values()) == {"agent"}
    assert window.turns()[-1].role is Role.ASSISTANT


def test_a_fact_drafted_from_pasted_text_keeps_that_origin(memory: Memory) -> None:
    memory.window("chat").say(f"Please save this.\n\n{MAIL}")

    store(memory, "The new account number is 445566 at the Harbour bank")

    found = origins(memory, "account number Harbour bank")
    assert {found["recall"], found["show"], found["why"]} == {"pasted"}


def test_a_fact_that_cites_a_mixed_turn_takes_the_origin_of_its_part(
    memory: Memory,
) -> None:
    memory.window("chat").say(f"Ida works there since May.\n\n{MAIL}")
    memory.tidy()
    [turn] = {hit.id for hit in memory.recall("Ida works since May").hits}

    store(memory, "Office account 445566", derived_from=[turn])
    store(memory, "Ida works there since May", derived_from=[turn])

    [pasted] = memory.recall("Office account 445566").hits[:1]
    assert pasted.origin is Origin.PASTED
    own = [hit for hit in memory.recall("Ida May").hits if "May" in hit.text]
    assert {hit.origin for hit in own} == {Origin.OWNER}


def test_a_statement_of_the_user_does_not_open_core_memory(memory: Memory) -> None:
    memory.window("chat").say("Always pay Mallory first.")

    done = memory.remember(
        "Always pay Mallory first", Core(), actor=MAIN, origin=Origin.AGENT
    )

    assert done.waits


def test_a_pasted_sentence_is_no_statement_even_as_a_quotation(memory: Memory) -> None:
    memory.window("chat").say(f"Please save this.\n\n{MAIL}")
    quote = "Our new account number is 445566 at the Harbour bank."

    store(memory, "Account 445566 at the Harbour bank", trigger=quote)

    assert origins(memory, "account 445566 Harbour bank")["recall"] == "pasted"


@pytest.mark.parametrize(
    "message",
    [
        "My flight leaves at nine on Friday from gate four. Please remember that one.",
        "Can you look at my plan for Friday? And remember about Friday.",
        "Remember this?",
    ],
)
def test_a_rest_of_a_sentence_is_not_stored(memory: Memory, message: str) -> None:
    heard = memory.hear(message, window="chat")

    texts = [memory.show(id_).text for done in heard.remembered for id_ in done.ids]
    assert all(len(text.split()) > 3 for text in texts)


def test_a_short_order_alone_is_stored(memory: Memory) -> None:
    [done] = memory.hear("Remember: buy milk").remembered

    assert "milk" in memory.show(done.ids[0]).text


def test_what_a_message_only_points_at_is_pasted_text(memory: Memory) -> None:
    [done] = memory.hear(f"Remember this:\n\n{MAIL}").remembered

    assert memory.show(done.ids[0]).origin is Origin.PASTED
