"""Which store reads which file, and what it does with bytes that are no text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reverie.stores.reader import (
    decode,
    load_vocabulary,
    read_appended,
    read_file,
    starting_files,
)
from reverie.stores.relations import RELATIONS_TEMPLATE
from reverie.workspace.layout import tracked

WORDS = load_vocabulary(None)
DAY = "memory/episodes/2026-02-02.md"
LOG = "# 2026-02-02\n\n## 12:00 | event | confidence:high | tags:[]\nFirst.\n"
MORE = "\n## 12:00 | event | confidence:high | tags:[]\nSecond.\n"
TALK = "conversations/trip.md"
SAID = "# trip\n\n## 2026-02-02 12:00:00 | user | turn:1\nFirst.\n"
REPLY = "\n## \u2014 | assistant | turn:1\nSecond.\n"

FILES = {
    "MEMORY.md": ("## Identity\n- Name: Alex\n", "core:identity/name"),
    DAY: (LOG, "episode:2026-02-02:12:00"),
    "memory/episodes/2026/2026-02-02.md": (LOG, "episode:2026-02-02:12:00"),
    "memory/graph/entities/person--alex.md": (
        "# person--alex\n",
        "entity:person--alex",
    ),
    "memory/graph/entities/a/tool--x.md": ("# tool--x\n", "entity:tool--x"),
    "memory/procedures/tea.md": ("# tea.md\n", "procedure:tea"),
    "memory/vault/key.md": ("# Key\n\nText.\n", "vault:key"),
    TALK: (SAID, "turn:trip/1/user/0"),
    "conversations/2026/trip.md": (SAID, "turn:trip/1/user/0"),
}
NO_MEMORIES = [
    "reverie.toml",
    "memory/meta/reflection-log.md",
    "memory/meta/decay-scores.json",
    "memory/graph/index.md",
    "memory/graph/relations.md",
    "memory/vault/photo.png",
    "conversations/trip.txt",
    "elsewhere/trip.md",
]


def test_each_store_reads_its_own_files() -> None:
    for path, (text, item_id) in FILES.items():
        reading = read_file(path, text.encode(), WORDS)

        assert [str(entry.id) for entry in reading.entries] == [item_id]


def test_other_files_hold_no_memories() -> None:
    for path in NO_MEMORIES:
        assert read_file(path, LOG.encode(), WORDS).entries == ()


def test_bytes_that_are_no_utf_8_hide_the_file_and_are_reported() -> None:
    for path in FILES:
        data = FILES[path][0].encode() + b"caf\xe9\n"

        reading = read_file(path, data, WORDS)

        (found,) = reading.findings
        assert reading.entries == ()
        assert (found.path, found.line) == (path, data.count(b"\n"))
        assert "0xe9" in found.what


def test_a_nul_is_reported_with_its_line() -> None:
    for path in [*FILES, "memory/graph/relations.md"]:
        text = FILES.get(path, (RELATIONS_TEMPLATE, ""))[0]

        reading = read_file(path, f"{text}\0\n".encode(), WORDS)

        found = [f for f in reading.findings if "NUL" in f.what]
        assert [f.line for f in found] == [text.count("\n") + 1]


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    assert decode(b"\xef\xbb\xbf# x", "x.md") == ("# x", ())


def test_links_become_edges() -> None:
    page = "# project--x\n\n## Relations\n- Developed by: [[person--alex]]\n"

    reading = read_file("memory/graph/entities/project--x.md", page.encode(), WORDS)

    (edge,) = reading.edges
    assert (edge.origin, edge.relation) == ("person--alex", "develops")


def test_a_workspaces_own_relations_are_used() -> None:
    own = load_vocabulary(b"## Mine\n- `feeds` / `fed-by`\n")

    assert own.canonical("fed-by") == ("feeds", True)
    assert WORDS.canonical("used-by") == ("uses", True)


def test_only_what_was_added_is_read() -> None:
    entries = read_appended(DAY, LOG.encode(), (LOG + MORE).encode())

    assert entries is not None
    assert [(str(e.id), e.line) for e in entries] == [
        ("episode:2026-02-02:12:00~2", LOG.count("\n") + 2)
    ]


def test_only_the_turns_that_were_added_are_read() -> None:
    entries = read_appended(TALK, SAID.encode(), (SAID + REPLY).encode())

    assert entries is not None
    assert [(str(e.id), e.line) for e in entries] == [
        ("turn:trip/1/assistant/0", SAID.count("\n") + 2)
    ]


def test_any_other_change_is_read_whole() -> None:
    for path, old, new in [
        (TALK, SAID, REPLY),
        (TALK, SAID, f"{SAID}more of the first\n"),
        (TALK, SAID.rstrip("\n"), SAID + REPLY),
        (TALK, SAID, f"{SAID}{REPLY}\0"),
        (DAY, LOG, MORE),
        (DAY, LOG.rstrip("\n"), LOG + MORE),
        (DAY, LOG, f"{LOG}more of the first\n"),
        (DAY, LOG, f"{LOG}\0"),
        ("memory/vault/key.md", LOG, LOG + MORE),
    ]:
        assert read_appended(path, old.encode(), new.encode()) is None


def test_what_was_added_in_bytes_that_are_no_text_is_read_whole() -> None:
    assert read_appended(DAY, LOG.encode(), LOG.encode() + b"\xff") is None


@given(st.binary(max_size=200), st.sampled_from(sorted({*FILES, *NO_MEMORIES})))
def test_no_bytes_are_too_odd_to_be_read(data: bytes, path: str) -> None:
    for found in read_file(path, data, WORDS).findings:
        assert found.path == path
        assert 0 <= found.line <= data.count(b"\n") + 1


def test_a_new_workspace_has_nothing_wrong_in_it_and_no_memory_yet() -> None:
    for path, text in starting_files().items():
        reading = read_file(path, text.encode(), WORDS)

        assert tracked(path)
        assert (reading.entries, reading.findings) == ((), ())
        assert text.startswith("# ")
        assert text.endswith("\n")
