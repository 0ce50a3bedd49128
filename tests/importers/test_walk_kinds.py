"""The kinds of things that can be imported, and how to tell them apart."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.importers.samples import (
    chat_message,
    chatgpt,
    claude,
    entry,
    message,
    session,
)

from reverie.importers.walk import (
    CHATGPT,
    CLAUDE,
    CLAUDE_CODE,
    HEAD,
    KINDS,
    MARKDOWN,
    PDF,
    TEXT,
    recognise,
    size_limit,
)

GPT = json.dumps([chatgpt(message("user", '"chat_messages": ['))]).encode()
CHATS = json.dumps([claude(chat_message("human", '{"mapping": {}}'))]).encode()
SESSION = session({"type": "summary", "leafUuid": "x"}, entry("user", "hi")).encode()


@pytest.mark.parametrize(
    ("head", "name", "kind"),
    [
        (GPT, "conversations.json", CHATGPT),
        (b"\xef\xbb\xbf\n" + GPT, "whatever.txt", CHATGPT),
        (CHATS, "conversations-001.json", CLAUDE),
        (CHATS, "export", CLAUDE),
        (SESSION, "x.jsonl", CLAUDE_CODE),
        (b"%PDF-1.7\n", "scan.bin", PDF),
        (b"oops", "scan.pdf", PDF),
        (b"# Title", "a.md", MARKDOWN),
        (b'[x] "mapping": {', "a.MD", MARKDOWN),
        (b"words", "a.txt", TEXT),
        (b"x" + "ö".encode() * (HEAD // 2 - 1) + b"\xc3", "NOTES", TEXT),
        (b'{"nodes": []}', "board.canvas", ""),
        (b'{"uuid": "x"}', "users.json", ""),
        (b'{"display": "x", "sessionId": "y"}', "history.jsonl", ""),
        (b"\x7fELF\x02\x01\x00\x00", "program", ""),
        (b"caf\xe9", "latin", ""),
        (b"", "empty", ""),
        (b"print()", "a.py", ""),
    ],
)
def test_a_file_is_known_by_its_content_and_its_name(
    head: bytes, name: str, kind: str
) -> None:
    assert recognise(head, name) == kind


@given(st.binary(), st.text())
def test_any_file_is_of_some_kind_or_none(head: bytes, name: str) -> None:
    assert recognise(head, name) in {"", *KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_limit(kind: str) -> None:
    assert size_limit(kind) >= 32 << 20
