"""Reading what Claude exports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.importers.samples import (
    NOON,
    chat_message,
    claude,
    conversations,
    everything,
    shaped,
    source,
    write,
)

from reverie.importers.claude import parse_turns
from reverie.importers.walk import Chat, ChatTurn, Provenance
from reverie.stores.text import storable

if TYPE_CHECKING:
    from pathlib import Path

FIRST = "00000000-0000-4000-8000-000000000000"
KEYS = (
    *("chat_messages", "sender", "text", "content", "type", "attachments", "uuid"),
    *("extracted_content", "file_name", "created_at", "name", "parent_message_uuid"),
)


def texts(*messages: dict[str, object]) -> list[str]:
    return [turn.text for turn in parse_turns(claude(*messages)) or ()]


def test_a_conversation_is_read_with_its_turns(tmp_path: Path) -> None:
    messages = chat_message("human", "Why rye?"), chat_message("assistant", "Taste.")
    path = write(tmp_path / "conversations.json", [claude(*messages)])

    later = NOON.replace(microsecond=500_000)
    assert conversations(path, "claude") == [
        Chat(
            Provenance("claude", "u-1"),
            "Bread",
            NOON,
            (
                ChatTurn("user", "Why rye?", later),
                ChatTurn("assistant", "Taste.", later),
            ),
        )
    ]


def test_thoughts_and_tools_are_left_out() -> None:
    blocks = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "One"},
        {"type": "tool_use", "name": "search", "input": {}},
        {"type": "tool_result", "content": []},
        {"type": "text", "text": "two"},
        {"type": "voice_note", "text": "three"},
    ]

    assert texts(chat_message("assistant", "flat", content=blocks)) == [
        "One\n\ntwo\n\nthree"
    ]


def test_the_flat_text_is_taken_where_there_are_no_blocks() -> None:
    assert texts(chat_message("human", "flat", content=[])) == ["flat"]
    assert texts(chat_message("human", "flat", content=[{"type": "text"}])) == ["flat"]


def test_a_remark_that_a_block_cannot_be_shown_is_not_taken_for_words() -> None:
    blocks = [{"type": "tool_use", "name": "x"}]

    assert texts(chat_message("assistant", "not supported", content=blocks)) == []


def test_what_was_attached_is_kept_with_its_name() -> None:
    attached = [
        {"file_name": "a.txt", "extracted_content": "inside"},
        {"file_name": "b.png"},
        {"extracted_content": "pasted"},
    ]

    assert texts(chat_message("human", "Look", attachments=attached)) == [
        "Look\n\n[Attachment: a.txt]\ninside\n\n[Attachment: without a name]\npasted"
    ]


def test_only_the_branch_that_was_written_last_is_read() -> None:
    def linked(own: str, parent: str) -> dict[str, object]:
        return chat_message("human", own, uuid=own, parent_message_uuid=parent)

    messages = linked("a", FIRST), linked("b", "a"), linked("c", "a")

    assert texts(*messages) == ["a", "c"]


def test_messages_that_do_not_lead_to_a_first_one_are_all_read() -> None:
    def linked(own: str, parent: str) -> dict[str, object]:
        return chat_message("human", own, uuid=own, parent_message_uuid=parent)

    assert texts(linked("a", FIRST), linked("b", "gone")) == ["a", "b"]
    assert texts(linked("a", "b"), linked("b", "a")) == ["a", "b"]
    assert texts(linked("a", FIRST), chat_message("human", "b")) == ["a", "b"]


def test_who_is_neither_human_nor_assistant_says_nothing() -> None:
    assert texts(chat_message("narrator", "x"), chat_message("human", "y")) == ["y"]


def test_a_broken_conversation_does_not_stop_the_rest(tmp_path: Path) -> None:
    good = claude(chat_message("human", "hi"))
    path = write(tmp_path / "c.json", [{"chat_messages": None}, [], good])

    _, found, findings = everything([source(path, "claude")])

    assert len(found) == 1
    assert len(findings) == 2


@given(shaped(*KEYS))
def test_any_messages_give_turns(tree: object) -> None:
    turns = parse_turns({"chat_messages": [tree, {"sender": "human", "content": tree}]})

    assert turns is not None
    assert all(storable(turn.text, 1 << 20) for turn in turns)


@given(shaped(*KEYS))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_json_gives_conversations_or_findings(
    tmp_path: Path, value: object
) -> None:
    path = write(tmp_path / "c.json", [value, claude(chat_message("human", "hi"))])

    _, found, _ = everything([source(path, "claude")])

    assert found[-1].turns[0].text == "hi"


@given(st.binary())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_give_findings_and_no_crash(tmp_path: Path, data: bytes) -> None:
    everything([source(write(tmp_path / "c.json", data), "claude")])
