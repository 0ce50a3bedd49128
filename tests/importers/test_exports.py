"""Chats of ChatGPT, Claude and Claude Code, however large or damaged."""

from __future__ import annotations

import io
import json
import tracemalloc
from typing import IO, TYPE_CHECKING, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.importers.samples import (
    NOON,
    chat_message,
    chatgpt,
    claude,
    conversations,
    entry,
    everything,
    message,
    session,
    shaped,
    source,
    write,
)

from reverie.importers import exports
from reverie.importers.exports import (
    BrokenPlace,
    elements,
    parse_chatgpt,
    parse_claude,
    spoken,
    unmarked,
)
from reverie.importers.walk import Chat, ChatTurn, Provenance
from reverie.printable import storable

if TYPE_CHECKING:
    from pathlib import Path

    from reverie.importers.exports import Conversation

KEYS = (
    *("mapping", "message", "author", "role", "content", "parts", "content_type"),
    *("parent", "current_node", "metadata", "create_time", "text", "conversations"),
    *("chat_messages", "sender", "type", "attachments", "uuid", "extracted_content"),
    *("timestamp", "sessionId", "summary", "leafUuid", "isMeta", "customTitle"),
)
FIRST = "00000000-0000-4000-8000-000000000000"
UUID = "12345678-1234-1234-1234-123456789abc"
SAMPLES = {
    "chatgpt": json.dumps([chatgpt(message("user", "hi"))]),
    "claude": json.dumps([claude(chat_message("human", "hi"))]),
    "claude-code": session(entry("user", "hi")),
}
everywhere = pytest.mark.parametrize("kind", SAMPLES)
quick = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def texts(found: Conversation | None) -> list[str]:
    assert found is not None
    return [turn.text for turn in found.turns]


# --- ChatGPT -----------------------------------------------------------------


def test_a_conversation_of_chatgpt_is_read_with_its_turns(tmp_path: Path) -> None:
    said = message("user", "Where to?"), message("assistant", "Lisbon.", "Or Porto.")
    path = write(tmp_path / "conversations.json", [chatgpt(*said)])

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


def test_only_the_branch_that_was_last_seen_or_is_newest_is_read() -> None:
    for current, kept in [("n1", "old"), (None, "new")]:
        fields = chatgpt(message("user", "hi"), message("assistant", "old"))
        later = message("assistant", "new", create_time=NOON.timestamp() + 60)
        cast("dict[str, object]", fields["mapping"])["z"] = {
            "message": later,
            "parent": "n0",
        }

        found = parse_chatgpt({**fields, "current_node": current})

        assert texts(found) == ["hi", kept]


def test_a_circle_of_messages_comes_to_an_end() -> None:
    nodes = {
        "a": {"message": message("user", "x"), "parent": "b"},
        "b": {"message": message("user", "y"), "parent": "a"},
    }

    assert parse_chatgpt({"mapping": nodes, "current_node": "a"})


def test_what_nobody_said_is_left_out() -> None:
    for hidden in [
        message("tool", "search results"),
        message("user", "x", metadata={"is_visually_hidden_from_conversation": True}),
        message("assistant", "x", weight=0.0),
        message("assistant", "search('x')", recipient="browser"),
        message("assistant", content={"content_type": "thoughts", "thoughts": ["x"]}),
        message("user", {"content_type": "image_asset_pointer"}),
    ]:
        found = parse_chatgpt(chatgpt(message("system", "Be kind."), hidden))

        assert texts(found) == ["Be kind."]


def test_pictures_go_and_code_stands_between_fences() -> None:
    voice = {"content_type": "audio_transcription", "text": "and this"}
    looked = {"content_type": "multimodal_text", "parts": [{"a": 1}, "Look", voice]}
    code = {"content_type": "code", "language": "unknown", "text": "a\n```\nb"}

    found = parse_chatgpt(
        chatgpt(
            message("user", content=looked),
            message("assistant", content=code, recipient="python"),
        )
    )

    assert texts(found) == ["Look\n\nand this", "````\na\n```\nb\n````"]


def test_marks_that_point_to_pages_go_and_names_in_them_stay() -> None:
    text = (
        "Prices fell\ue200cite\ue202turn0search1\ue202turn0search2\ue201. "
        '\ue200entity\ue202["people","Ada Lovelace","x"]\ue201 knew【12†source】. '
        "\ue200url\ue202here\ue202https://x\ue201 \ue200entity\ue202plain\ue201 \ue200"
    )

    assert unmarked(text) == "Prices fell. Ada Lovelace knew. here plain \ue200"


def test_a_conversation_without_id_and_title_still_has_both(tmp_path: Path) -> None:
    fields = {**chatgpt(message("user", "hello\nthere"), own=""), "title": None}
    path = write(tmp_path / "conversations.json", {"conversations": [fields]})

    (found,) = conversations(path, "chatgpt")

    assert (found.origin.name, found.title) == ("conversations.json#1", "hello")


# --- Claude ------------------------------------------------------------------


def test_a_conversation_of_claude_is_read_with_its_turns(tmp_path: Path) -> None:
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
        {"type": "voice_note", "text": "two"},
    ]
    only_tools = chat_message("assistant", "not supported", content=blocks[2:3])

    found = parse_claude(
        claude(
            chat_message("assistant", "flat", content=blocks),
            only_tools,
            chat_message("human", "flat", content=[]),
            chat_message("narrator", "x"),
        )
    )

    assert texts(found) == ["One\n\ntwo", "flat"]


def test_what_was_attached_is_kept_with_its_name() -> None:
    attached = [
        {"file_name": "a.txt", "extracted_content": "inside"},
        {"file_name": "b.png"},
        {"extracted_content": "pasted"},
    ]

    found = parse_claude(claude(chat_message("human", "Look", attachments=attached)))

    assert texts(found) == [
        "Look\n\n[Attachment: a.txt]\ninside\n\n[Attachment: without a name]\npasted"
    ]


def test_the_branch_that_was_written_last_is_read_if_it_can_be_told() -> None:
    for links, kept in [
        ([("a", FIRST), ("b", "a"), ("c", "a")], ["a", "c"]),
        ([("a", FIRST), ("b", "gone")], ["a", "b"]),
        ([("a", "b"), ("b", "a")], ["a", "b"]),
    ]:
        messages = (
            chat_message("human", own, uuid=own, parent_message_uuid=parent)
            for own, parent in links
        )

        assert texts(parse_claude(claude(*messages))) == kept


# --- Claude Code -------------------------------------------------------------


def turns(folder: Path, *entries: object) -> list[tuple[str, str]]:
    path = write(folder / "s.jsonl", session(*entries))
    return [
        (said.role, said.text)
        for found in conversations(path, "claude-code")
        for said in found.turns
    ]


def test_a_session_is_read_without_tools_and_thoughts(tmp_path: Path) -> None:
    path = write(
        tmp_path / f"{UUID}.jsonl",
        session(
            {"type": "file-history-snapshot", "snapshot": {}},
            entry("user", "Fix the\nlogin"),
            entry("assistant", [{"type": "thinking", "thinking": "hm"}]),
            entry("assistant", [{"type": "text", "text": "I look."}]),
            entry("assistant", [{"type": "tool_use", "name": "Read", "input": {}}]),
            entry("user", [{"type": "tool_result", "content": "file"}]),
            entry("assistant", [{"type": "text", "text": "Done."}]),
        ),
    )

    assert conversations(path, "claude-code") == [
        Chat(
            Provenance("claude-code", UUID),
            "Fix the",
            NOON,
            (
                ChatTurn("user", "Fix the\nlogin", NOON),
                ChatTurn("assistant", "I look.\n\nDone.", NOON),
            ),
        )
    ]


def test_what_the_program_wrote_is_left_out(tmp_path: Path) -> None:
    noise = [
        *(entry("user", "x", **{flag: True}) for flag in ("isMeta", "isSidechain")),
        entry(
            "user", "<command-name>/clear</command-name>\n<command-args></command-args>"
        ),
        entry("user", "<local-command-caveat>Caveat: torn"),
        entry("user", "<system-reminder>Be\nnice.</system-reminder>"),
        entry("user", "[Request interrupted by user for tool use]"),
        entry("assistant", [{"type": "text", "text": "(no content)"}]),
        {"type": "system", "content": "hook ran"},
    ]

    found = turns(tmp_path, *noise, entry("user", "hi"), *noise)

    assert found == [("user", "hi")]


def test_a_reminder_inside_a_message_goes_and_the_words_around_it_stay() -> None:
    text = "Do it.<system-reminder>x</system-reminder> Now. What is <command-name> for?"

    assert spoken(text) == "Do it. Now. What is <command-name> for?"


@given(
    st.lists(st.sampled_from(["<bash-input>", "</bash-input>", "a", " "])).map("".join)
)
def test_noise_of_any_shape_is_taken_out(text: str) -> None:
    assert "<bash-input>a</bash-input>" not in spoken(text)


@pytest.mark.parametrize(
    ("lines", "title"),
    [
        ([{"type": "summary", "summary": "Another", "leafUuid": "else"}], "hi"),
        ([{"type": "ai-title", "aiTitle": "Made up"}], "Made up"),
        (
            [
                {"type": "custom-title", "customTitle": "Given"},
                {"type": "ai-title", "aiTitle": "Made up"},
            ],
            "Given",
        ),
    ],
)
def test_a_session_has_the_title_it_was_given(
    tmp_path: Path, lines: list[object], title: str
) -> None:
    path = write(tmp_path / "s.jsonl", session(*lines, entry("user", "hi", uuid="u-1")))

    (found,) = conversations(path, "claude-code")

    assert (found.title, found.origin.name) == (title, "s-1")


def test_broken_lines_are_named_and_the_rest_is_read(tmp_path: Path) -> None:
    text = session(entry("user", "a")) + "oops\n[1]\n\n"
    text += session(entry("assistant", "b")) + '{"type": "us'
    path = write(tmp_path / "s.jsonl", text)

    _, (found,), findings = everything([source(path, "claude-code")])

    assert len(found.turns) == 2
    assert [(f.line, "torn" in f.what) for f in findings] == [
        *((2, False), (3, False), (6, True))
    ]


# --- any of them -------------------------------------------------------------


@everywhere
def test_a_chat_without_words_is_passed_over(tmp_path: Path, kind: str) -> None:
    path = write(tmp_path / "c.json", SAMPLES[kind].replace('"hi"', '""'))

    assert conversations(path, kind) == []


@pytest.mark.parametrize("kind", ["chatgpt", "claude"])
def test_what_is_no_conversation_is_named_and_the_rest_is_read(
    tmp_path: Path, kind: str
) -> None:
    (good,) = json.loads(SAMPLES[kind])
    wrong = {"mapping": 7, "chat_messages": None}
    path = write(tmp_path / "c.json", [wrong, good, "x", {}, {**good, "id": "y"}])

    _, found, findings = everything([source(path, kind)])

    assert len(found) == 2
    assert [f.what.split(" is ")[0] for f in findings] == [
        *("conversation 1", "conversation 3", "conversation 4")
    ]


@given(value=shaped(*KEYS))
@everywhere
@quick
def test_any_json_gives_conversations_or_findings(
    tmp_path: Path, kind: str, value: object
) -> None:
    start = session(value) if kind == "claude-code" else f"[{json.dumps(value)},"
    path = write(tmp_path / "c.json", start + SAMPLES[kind].removeprefix("["))

    _, found, _ = everything([source(path, kind)])

    assert found[-1].turns[-1].text == "hi"
    assert all(storable(turn.text, 1 << 20) for each in found for turn in each.turns)


@given(data=st.binary())
@everywhere
@quick
def test_any_bytes_give_findings_and_no_crash(
    tmp_path: Path, kind: str, data: bytes
) -> None:
    everything([source(write(tmp_path / "c.json", data), kind)])


# --- one element at a time ---------------------------------------------------


class Endless(io.RawIOBase):
    """A file that is made while it is read."""

    def __init__(self, start: bytes, piece: bytes, times: int, end: bytes) -> None:
        super().__init__()
        self._pieces = iter([start, *[piece] * times, end])
        self._held = b""

    def read(self, size: int = -1) -> bytes:
        """As much as asked for."""
        while len(self._held) < size and (piece := next(self._pieces, b"")):
            self._held += piece
        data, self._held = self._held[:size], self._held[size:]
        return data


class Dripping(io.BytesIO):
    """A file that hands out very little at a time."""

    def read(self, _size: int | None = -1) -> bytes:
        """Three bytes."""
        return super().read(3)


def values(data: bytes) -> list[object]:
    return list(elements(io.BytesIO(data)))


@given(st.lists(shaped("a", 'q"uote', "back\\slash").map(lambda v: [v]), max_size=5))
def test_a_list_is_read_element_by_element(items: list[object]) -> None:
    data = json.dumps(items, ensure_ascii=False).encode("utf-8", "replace")

    assert repr(values(data)) == repr(json.loads(data))
    assert repr(list(elements(Dripping(data)))) == repr(json.loads(data))


@given(st.text(st.sampled_from('[]{}",:\\ a1\n')))
def test_any_brackets_and_quotes_come_to_an_end(text: str) -> None:
    values(text.encode())


def test_what_stands_before_a_broken_place_is_read_and_the_place_named() -> None:
    for rest in [b'{"a": oops}, {"a": 2}]', b'{"a": "b', b"", b"[" * 200_000]:
        first, broken = values(b'[{"a": 1}, ' + rest)

        assert first == {"a": 1}
        assert isinstance(broken, BrokenPlace)


def test_what_is_no_list_is_said_to_be_none() -> None:
    for data in [b"", b"hello", b'"x"', b"12", b"\xff\xfe"]:
        assert values(data) == [BrokenPlace("is not a list of conversations")]


def test_an_object_outside_a_list_is_one_element() -> None:
    assert values(b'\xef\xbb\xbf {"a": 1}\n{"a": 2}') == [{"a": 1}, {"a": 2}]


def test_memory_is_bounded_by_the_longest_element() -> None:
    for piece, times, end in [
        (json.dumps({"text": 'word "quoted" ' * 2_000}).encode() + b",", 500, b"{}]"),
        (b'{"a": "' + b"\\n0" * 100_000, 100, b'"}, {}]'),
    ]:
        export = cast("IO[bytes]", Endless(b"[", piece, times, end))
        assert len(piece) * times > 12 * exports.CHUNK

        tracemalloc.start()
        assert any(True for _ in elements(export, longest=exports.CHUNK))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()

        assert peak < 10 * exports.CHUNK
