"""What happens at a host's events."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from reverie import Memory
from reverie.encoding.gate import without_recalled
from reverie.interfaces.hosts.events import (
    LIMITS,
    Event,
    Woken,
    answer,
    cut,
    denied,
    read_event,
)
from reverie.recall.context_block import CLOSING, OPENING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WINDOW = "claude-code-s1"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.init(tmp_path / "agent", environ={}) as memory:
        memory.tidy_on_close = False
        yield memory


def event(name: str, host: str = "claude-code", **told: Any) -> Event:
    body = json.dumps({"session_id": "s1", **told}).encode()
    found = read_event(name, host, body)
    assert found is not None
    return found


def told(memory: Memory, name: str, host: str = "claude-code", **more: Any) -> str:
    said = answer(memory, event(name, host, **more))
    if not said:
        return ""
    found = json.loads(said)
    if host == "cursor":
        return str(found["additional_context"])
    return str(found["hookSpecificOutput"]["additionalContext"])


def test_a_start_tells_what_is_known(memory: Memory) -> None:
    memory.observe([{"text": "Ana lives in Lisbon.", "about": "person--ana"}])

    assert "Ana lives in Lisbon." in told(memory, "start", source="startup")


def test_the_parts_of_a_start_are_of_one_text(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(LIMITS, "claude-code", 4_000)
    facts = [
        {"text": f"Gnu {n} lives in field {n}.", "about": f"concept--gnu-{n}"}
        for n in range(300)
    ]
    memory.observe(facts)
    first, woken = event("start"), Woken()
    said = answer(memory, first, woken)
    memory.observe([{"text": "Aardvarks sleep.", "about": "concept--aardvark"}])
    more = answer(memory, replace(first, part=2), woken)

    assert "part 1 of" in said
    assert "part 2 of" in more
    assert "Aardvarks" not in more


def test_a_prompt_brings_what_fits_and_is_recorded(memory: Memory) -> None:
    memory.observe([{"text": "Ana lives in Lisbon.", "about": "person--ana"}])

    said = told(memory, "prompt", prompt="Where does Ana live?")

    assert "Ana lives in Lisbon." in said
    assert [turn.text for turn in memory.turns(WINDOW)] == ["Where does Ana live?"]


def test_a_reply_is_recorded_beside_its_question(memory: Memory) -> None:
    told(memory, "prompt", prompt="Where does Ana live?")
    told(memory, "stop", last_assistant_message="In Lisbon.", stop_hook_active=False)

    turns = [(turn.number, str(turn.role)) for turn in memory.turns(WINDOW)]
    assert turns == [(1, "user"), (1, "assistant")]


def test_what_the_user_asks_to_remember_is_kept_and_the_agent_told(
    memory: Memory,
) -> None:
    said = told(memory, "prompt", prompt="Remember that I am allergic to nuts.")

    assert "is kept" in said
    assert "allergic to nuts" in memory.recall("allergic to nuts").hits[0].text


def test_what_was_just_kept_is_not_told_as_something_remembered(
    memory: Memory,
) -> None:
    memory.observe([{"text": "Ana lives in Lisbon.", "about": "person--ana"}])

    said = told(memory, "prompt", prompt="Remember that Ana sings in a choir.")

    assert "choir" not in said
    assert "kept: person--ana#" in said


def test_who_asks_for_a_reflection_has_the_agent_begin_it(memory: Memory) -> None:
    memory.remember("We met Ana at noon.")

    assert "call `reflect`" in told(memory, "prompt", prompt="Please reflect now.")
    assert memory.reflection.status().state == "idle"


def test_a_wish_to_forget_names_what_was_found_and_forgets_nothing(
    memory: Memory,
) -> None:
    memory.observe([{"text": "Ana lives in Lisbon.", "about": "person--ana"}])

    said = told(memory, "prompt", prompt="Forget about where Ana lives.")

    assert "entity:person--ana#" in said
    assert memory.recall("Ana Lisbon").hits


def test_now_and_then_the_agent_is_asked_for_what_should_last(memory: Memory) -> None:
    said = [told(memory, "prompt", prompt=f"Hello number {n}!") for n in range(8)]

    assert 1 <= sum("call `remember`" in each for each in said) <= 3


@pytest.mark.parametrize(
    "more",
    [{"agent_id": "a1"}, {"source": "system"}, {"source": "schedule_wakeup"}],
)
def test_what_no_user_typed_is_neither_answered_nor_recorded(
    memory: Memory, more: dict[str, str]
) -> None:
    assert told(memory, "prompt", prompt="Remember that I like tea.", **more) == ""
    assert memory.turns(WINDOW) == []


def test_our_own_words_are_never_learned_again(memory: Memory) -> None:
    memory.observe([{"text": "Ana lives in Lisbon.", "about": "person--ana"}])
    own = told(memory, "start")

    told(memory, "prompt", prompt=f"{own}\nWhat now?")

    assert [turn.text for turn in memory.turns(WINDOW)] == ["What now?"]


def test_what_waits_is_told_to_the_user_at_the_start(memory: Memory) -> None:
    assert answer(memory, event("start")) == ""
    with memory.acting_as("researcher") as agent:
        agent.propose("Ana prefers tea.", entities=["person--ana"])

    found = json.loads(answer(memory, event("start")))

    assert found["systemMessage"] == "Reverie: 1 proposal (`reverie pending`)."


def test_before_compaction_and_at_the_end_nothing_is_said(memory: Memory) -> None:
    told(memory, "prompt", prompt="We leave on Friday.")

    assert told(memory, "compact", trigger="auto") == ""
    assert told(memory, "end", reason="other") == ""


def test_a_refusal_is_silent(memory: Memory) -> None:
    memory.close()

    assert answer(memory, event("prompt", prompt="Hello!")) == ""


# --- each host in its own form ----------------------------------------------------


@pytest.mark.parametrize(
    ("host", "name"),
    [("codex", "UserPromptSubmit"), ("gemini", "BeforeAgent")],
)
def test_a_host_is_answered_under_its_own_name_of_the_event(
    memory: Memory, host: str, name: str
) -> None:
    memory.observe([{"text": "Ana lives in Lisbon.", "about": "person--ana"}])
    asked = event("prompt", host, prompt="Where does Ana live?")

    found = json.loads(answer(memory, asked))

    assert found["hookSpecificOutput"]["hookEventName"] == name


def test_cursor_goes_on(memory: Memory) -> None:
    memory.observe([{"text": "Ana lives in Lisbon.", "about": "person--ana"}])
    body = {"conversation_id": "c9", "prompt": "Where does Ana live?"}
    asked = read_event("prompt", "cursor", json.dumps(body).encode())
    assert asked is not None

    found = json.loads(answer(memory, asked))

    assert found["continue"] is True
    assert "Lisbon" in found["additional_context"]
    assert memory.turns("cursor-c9")


# --- sub-agents -------------------------------------------------------------------

WRITES = ("remember", "correct", "forget", "merge", "reflect", "review", "undo")


@pytest.mark.parametrize("tool", WRITES)
def test_a_sub_agent_may_not_write(tool: str) -> None:
    name = f"mcp__reverie__{tool}"

    refused = json.loads(denied(event("tool", agent_id="a1", tool_name=name)))

    assert refused["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert denied(event("tool", tool_name=name)) == ""


@pytest.mark.parametrize("tool", ["recall", "show", "propose"])
def test_a_sub_agent_may_read_and_propose(tool: str) -> None:
    name = f"mcp__reverie__{tool}"

    assert denied(event("tool", agent_id="a1", tool_name=name)) == ""
    assert denied(event("tool", agent_id="a1", tool_name="Bash")) == ""


# --- what arrives -----------------------------------------------------------------


def test_a_long_start_comes_in_parts_that_all_hosts_take_whole(memory: Memory) -> None:
    facts = [f"The gnu number {n} lives in the field {n * n}." for n in range(900)]
    memory.observe(
        [{"text": text, "about": f"concept--gnu-{n}"} for n, text in enumerate(facts)]
    )
    whole = memory.wake(WINDOW, stable=9000).text
    limit = LIMITS["claude-code"]

    parts = cut(whole, limit)

    assert len(parts) > 2
    assert max(map(len, parts)) <= limit
    lines = [line for line in whole.split("\n") if line not in {OPENING, CLOSING}]
    there = "\n".join(parts)
    assert [line for line in lines if line not in there] == []


@given(st.text(st.characters(exclude_categories=["Cs"])), st.integers(300, 2000))
def test_nothing_of_a_text_is_lost_and_all_of_it_is_marked(
    text: str, limit: int
) -> None:
    parts = cut(f"{OPENING}\n{text}\n{CLOSING}", limit)

    assert all(len(part.encode("utf-16-le")) <= 2 * limit for part in parts)
    assert all(not without_recalled(part)[0].strip() for part in parts)


@given(st.binary(), st.sampled_from(["start", "prompt", "stop", "tool"]))
def test_whatever_a_host_sends_is_an_event_or_none(body: bytes, name: str) -> None:
    read_event(name, "codex", body)


@given(
    st.dictionaries(
        st.sampled_from(["session_id", "prompt", "agent_id", "tool_name", "source"]),
        st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.text()),
    )
)
def test_odd_fields_are_left_out(fields: dict[str, Any]) -> None:
    found = read_event("prompt", "codex", json.dumps(fields).encode())

    assert found is not None
    assert isinstance(found.text, str)
