"""Reading what ChatGPT exports."""

from __future__ import annotations

import json
import tracemalloc
from datetime import datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.importers.samples import (
    NOON,
    chatgpt,
    conversations,
    everything,
    message,
    shaped,
    source,
    survey,
    write,
    zipped,
)

from reverie.importers.chatgpt import parse_turns, unmarked
from reverie.importers.intake import read
from reverie.importers.walk import Chat, ChatTurn, Provenance
from reverie.stores.text import storable

if TYPE_CHECKING:
    from pathlib import Path

KEYS = (
    *("mapping", "message", "author", "role", "content", "parts", "content_type"),
    *("parent", "children", "current_node", "metadata", "create_time", "text"),
    *("conversations", "title", "a", "id", "weight", "recipient", "language"),
)


def texts(*messages: dict[str, object]) -> list[str]:
    return [turn.text for turn in parse_turns(chatgpt(*messages)) or ()]


def test_a_conversation_is_read_with_its_turns(tmp_path: Path) -> None:
    path = write(
        tmp_path / "conversations.json",
        [
            chatgpt(
                message("user", "Where to?"),
                message("assistant", "Lisbon.", "Or Porto."),
            )
        ],
    )

    assert conversations(path, "chatgpt") == [
        Chat(
            Provenance("chatgpt", "c-1"),
            "Trip to Lisbon",
            NOON,
            (
                ChatTurn("user", "Where to?", NOON),
                ChatTurn("assistant", "Lisbon.\n\nOr Porto.", NOON),
            ),
        )
    ]


def test_only_the_branch_that_was_last_seen_is_read() -> None:
    fields = chatgpt(message("user", "hi"), message("assistant", "kept"))
    nodes = fields["mapping"]
    assert isinstance(nodes, dict)
    nodes["other"] = {"message": message("assistant", "thrown away"), "parent": "n0"}

    assert [turn.text for turn in parse_turns(fields) or ()] == ["hi", "kept"]


@pytest.mark.parametrize("current", [None, "gone", 7, ["n0"]])
def test_without_a_last_message_the_newest_end_is_taken(current: object) -> None:
    fields = chatgpt(message("user", "hi"), message("assistant", "old"))
    nodes = fields["mapping"]
    assert isinstance(nodes, dict)
    later = message("assistant", "new", create_time=NOON.timestamp() + 60)
    nodes["z"] = {"message": later, "parent": "n0"}

    turns = parse_turns({**fields, "current_node": current})

    assert [turn.text for turn in turns or ()] == ["hi", "new"]


def test_a_circle_of_messages_comes_to_an_end() -> None:
    nodes = {
        "a": {"message": message("user", "x"), "parent": "b"},
        "b": {"message": message("user", "y"), "parent": "a"},
    }

    assert parse_turns({"mapping": nodes, "current_node": "a"})


@pytest.mark.parametrize(
    "hidden",
    [
        message("system", ""),
        message("tool", "search results"),
        message("user", "x", metadata={"is_visually_hidden_from_conversation": True}),
        message("assistant", "x", weight=0.0),
        message("assistant", "search('x')", recipient="browser"),
        message("assistant", content={"content_type": "thoughts", "thoughts": ["x"]}),
        message("user", content={"content_type": "user_editable_context", "x": "y"}),
        message(
            "assistant", content={"content_type": "reasoning_recap", "content": "x"}
        ),
        message("user", {"content_type": "image_asset_pointer"}),
    ],
)
def test_what_nobody_said_is_left_out(hidden: dict[str, object]) -> None:
    assert texts(message("user", "hi"), hidden, message("assistant", "ho")) == [
        "hi",
        "ho",
    ]


def test_a_system_message_with_words_is_kept() -> None:
    assert texts(message("system", "You are a pirate.")) == ["You are a pirate."]


def test_pictures_are_left_out_and_their_words_and_spoken_words_kept() -> None:
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "file-1"}
    voice = {"content_type": "audio_transcription", "text": "and this"}
    content = {"content_type": "multimodal_text", "parts": [picture, "Look", voice]}

    assert texts(message("user", content=content)) == ["Look\n\nand this"]


@pytest.mark.parametrize(
    ("code", "language", "fenced"),
    [
        ("print(1)", "python", "```python\nprint(1)\n```"),
        ("x", "unknown", "```\nx\n```"),
        ("a\n```\nb", "md", "````md\na\n```\nb\n````"),
    ],
)
def test_code_stands_between_fences(code: str, language: str, fenced: str) -> None:
    content = {"content_type": "code", "language": language, "text": code}

    assert texts(message("assistant", content=content, recipient="python")) == [fenced]


def test_marks_that_point_to_pages_go_and_names_in_them_stay() -> None:
    text = (
        "Prices fell\ue200cite\ue202turn0search1\ue202turn0search2\ue201. "
        '\ue200entity\ue202["people","Ada Lovelace","x"]\ue201 knew【12†source】. '
        "\ue200url\ue202here\ue202https://x\ue201 \ue200entity\ue202plain\ue201 \ue200"
    )

    assert unmarked(text) == "Prices fell. Ada Lovelace knew. here plain \ue200"


@pytest.mark.parametrize(
    ("more", "name"), [({"id": "i-1"}, "i-1"), ({}, "conversations.json#1")]
)
def test_a_conversation_without_its_id_still_has_a_name(
    tmp_path: Path, more: dict[str, object], name: str
) -> None:
    fields = {**chatgpt(message("user", "hello\nthere"), own=""), "title": None, **more}
    path = write(tmp_path / "conversations.json", [fields])

    (found,) = conversations(path, "chatgpt")

    assert (found.origin.name, found.title) == (name, "hello")


def test_a_broken_conversation_does_not_stop_the_rest(tmp_path: Path) -> None:
    good = chatgpt(message("user", "hi"))
    path = write(
        tmp_path / "c.json", [{"mapping": 7}, good, "x", {}, {**good, "id": "y"}]
    )

    _, found, findings = everything([source(path, "chatgpt")])

    assert len(found) == 2
    assert [f.what.split(" is ")[0] for f in findings] == [
        "conversation 1",
        "conversation 3",
        "conversation 4",
    ]


def test_conversations_inside_an_object_are_read(tmp_path: Path) -> None:
    chats = [chatgpt(message("user", "a")), chatgpt(message("user", "b"), own="c-2")]
    path = write(tmp_path / "c.json", {"conversations": chats})

    assert [c.origin.name for c in conversations(path, "chatgpt")] == ["c-1", "c-2"]


def test_a_conversation_without_words_is_passed_over(tmp_path: Path) -> None:
    path = write(tmp_path / "c.json", [chatgpt(message("system", ""))])

    assert conversations(path, "chatgpt") == []


def test_a_large_export_in_a_zip_is_never_held_whole(tmp_path: Path) -> None:
    one = json.dumps(chatgpt(message("user", "many words " * 3_000)))
    text = f"[{','.join([one] * 800)}]"
    (export,) = survey(zipped(tmp_path / "export.zip", {"conversations.json": text}))
    size = len(text)
    del text

    tracemalloc.start()
    count = sum(isinstance(found, Chat) for found in read(export))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert count == 800
    assert peak < size / 5


@given(shaped(*KEYS))
def test_any_tree_of_messages_gives_turns(tree: object) -> None:
    turns = parse_turns({"mapping": {"a": tree, "b": {"message": tree}}})

    for turn in turns or ():
        assert storable(turn.text, 1 << 20)
        assert isinstance(turn.at, datetime | None)


@given(shaped(*KEYS))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_json_gives_conversations_or_findings(
    tmp_path: Path, value: object
) -> None:
    path = write(tmp_path / "c.json", [value, chatgpt(message("user", "hi"))])

    _, found, _ = everything([source(path, "chatgpt")])

    assert found[-1].turns[0].text == "hi"


@given(st.binary())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_give_findings_and_no_crash(tmp_path: Path, data: bytes) -> None:
    everything([source(write(tmp_path / "c.json", data), "chatgpt")])
