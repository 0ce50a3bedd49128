"""What there is to import at a path, and as what each thing reads."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING
from zipfile import ZipFile

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.importers.samples import (
    chat_message,
    chatgpt,
    claude,
    entry,
    everything,
    message,
    session,
    source,
    survey,
    write,
    zipped,
)

from reverie.importers.intake import read
from reverie.importers.walk import (
    HEAD,
    KINDS,
    MissingSourceError,
    UnknownKindError,
    decode,
    look,
    plain,
    recognise,
)
from reverie.printable import storable

if TYPE_CHECKING:
    from pathlib import Path


GPT = json.dumps([chatgpt(message("user", '"chat_messages": ['))]).encode()
CHATS = json.dumps([claude(chat_message("human", '{"mapping": {}}'))]).encode()
SESSION = session({"type": "summary", "leafUuid": "x"}, entry("user", "hi")).encode()


def kinds(path: Path, kind: str | None = None) -> dict[str, str]:
    return {source.name: source.kind for source in survey(path, kind)}


def test_a_folder_is_surveyed_in_order_of_name(tmp_path: Path) -> None:
    write(tmp_path / "b" / "two.md", "x")
    write(tmp_path / "a.txt", "x")
    write(tmp_path / "b.md", "x")
    write(tmp_path / "photo.png", b"\x89PNG\x00")

    sources = survey(tmp_path)

    assert [s.name for s in sources] == ["a.txt", "b.md", "b/two.md"]
    assert [s.size for s in sources] == [1, 1, 1]


def test_one_file_is_a_source_of_its_own(tmp_path: Path) -> None:
    path = write(tmp_path / "note.md", "x")

    (found,) = survey(path)

    assert (found.path, found.name) == (path, "note.md")


def test_exports_are_known_by_what_is_in_them(tmp_path: Path) -> None:
    write(tmp_path / "a.json", [chatgpt(message("user", "hi"))])
    write(tmp_path / "b.json", [claude(chat_message("human", "hi"))])
    write(tmp_path / "c.jsonl", session(entry("user", "hi")))
    write(tmp_path / "d.json", {"uuid": "no export"})

    assert kinds(tmp_path) == {
        "a.json": "chatgpt",
        "b.json": "claude",
        "c.jsonl": "claude-code",
    }


@pytest.mark.parametrize(
    "folder",
    [".git", ".obsidian", ".audit", ".reverie", ".x", "node_modules", "__MACOSX"],
)
def test_folders_that_hold_no_words_are_left_aside(tmp_path: Path, folder: str) -> None:
    write(tmp_path / folder / "a.md", "x")
    write(tmp_path / ".hidden.md", "x")
    write(tmp_path / "b.txt", "x")

    assert list(kinds(tmp_path)) == ["b.txt"]
    assert look(tmp_path).findings == []


def test_a_hidden_folder_may_be_named_itself(tmp_path: Path) -> None:
    write(
        tmp_path / ".claude" / "projects" / "p" / "s.jsonl", session(entry("user", "x"))
    )

    assert kinds(tmp_path / ".claude") == {"projects/p/s.jsonl": "claude-code"}


def test_a_link_that_leaves_the_folder_is_not_followed_and_said_so(
    tmp_path: Path,
) -> None:
    write(tmp_path / "out" / "secret.md", "x")
    root = tmp_path / "in"
    write(root / "real.md", "x")
    (root / "out.md").symlink_to(tmp_path / "out" / "secret.md")
    (root / "folder").symlink_to(tmp_path / "out")
    (root / "inside.md").symlink_to(root / "real.md")
    (root / "loop").symlink_to(root)

    found = look(root)

    assert [s.name for s in found.sources] == ["real.md"]
    assert [f.path for f in found.findings] == ["folder", "out.md"]


def test_a_pipe_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")

    (finding,) = look(tmp_path).findings
    (direct,) = look(tmp_path / "pipe.md").findings

    assert "pipe" in finding.what
    assert "pipe" in direct.what


def test_a_file_above_the_limit_is_left_out_with_a_finding(tmp_path: Path) -> None:
    path = write(tmp_path / "huge.md", "x")
    os.truncate(path, 33 << 20)
    write(tmp_path / "small.md", "x")

    found = look(tmp_path)

    assert [s.name for s in found.sources] == ["small.md"]
    assert [(f.path, "larger" in f.what) for f in found.findings] == [("huge.md", True)]


def test_a_folder_with_obsidian_in_it_is_a_vault(tmp_path: Path) -> None:
    (tmp_path / "vault" / ".obsidian").mkdir(parents=True)
    write(tmp_path / "vault" / "deep" / "note.md", "x")
    write(tmp_path / "vault" / "board.canvas", '{"nodes": []}')
    write(tmp_path / "vault" / "list.txt", "x")
    write(tmp_path / "other.md", "x")

    assert kinds(tmp_path) == {
        "other.md": "markdown",
        "vault/deep/note.md": "obsidian",
        "vault/list.txt": "text",
    }
    assert kinds(tmp_path / "vault")["deep/note.md"] == "obsidian"


def test_the_memory_of_an_openclaw_workspace_is_known(tmp_path: Path) -> None:
    for name in ("MEMORY.md", "SOUL.md", "memory/2026-02-02.md", "memory/people.md"):
        write(tmp_path / "claw" / name, "x")
    write(tmp_path / "memory" / "essay.md", "on memory")

    assert kinds(tmp_path) == {
        "claw/MEMORY.md": "openclaw",
        "claw/SOUL.md": "markdown",
        "claw/memory/2026-02-02.md": "openclaw",
        "claw/memory/people.md": "openclaw",
        "memory/essay.md": "markdown",
    }


def test_a_folder_memory_may_itself_be_named(tmp_path: Path) -> None:
    write(tmp_path / "memory" / "2026-02-02-api.md", "x")
    write(tmp_path / "memory" / "topics" / "a.md", "x")

    assert set(kinds(tmp_path / "memory").values()) == {"openclaw"}
    assert kinds(tmp_path / "memory" / "2026-02-02-api.md") == {
        "2026-02-02-api.md": "openclaw"
    }


def test_a_kind_that_is_asked_for_overrides_the_guess(tmp_path: Path) -> None:
    write(tmp_path / "a.md", "x")
    write(tmp_path / "b.txt", "x")
    write(tmp_path / "c.pdf", b"%PDF-")
    write(tmp_path / "conversations.json", "[]")
    write(tmp_path / "users.json", "[]")

    assert kinds(tmp_path, "openclaw") == {"a.md": "openclaw", "b.txt": "openclaw"}
    assert kinds(tmp_path, "pdf") == {"c.pdf": "pdf"}
    assert kinds(tmp_path, "claude") == {"conversations.json": "claude"}
    assert kinds(tmp_path / "users.json", "text") == {"users.json": "text"}


def test_a_file_of_no_kind_is_named_when_it_was_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path / "a.bin", b"\x00\x01")

    found = look(path)

    assert found.sources == []
    assert "does not look like" in found.findings[0].what


def test_what_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(MissingSourceError, match="nowhere"):
        survey(tmp_path / "nowhere")


def test_a_kind_that_nobody_knows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownKindError):
        survey(tmp_path, "word")


def test_a_path_that_cannot_even_be_asked_for_is_missing(tmp_path: Path) -> None:
    with pytest.raises(MissingSourceError):
        survey(tmp_path / ("x" * 5_000))


def test_a_link_to_itself_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "loop.md").symlink_to(tmp_path / "loop.md")

    assert [f.path for f in look(tmp_path).findings] == ["loop.md"]


def test_what_may_not_be_read_gives_a_finding_and_the_rest_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "secret" / "a.md", "x")
    locked = write(tmp_path / "locked.md", "x")
    write(tmp_path / "open.md", "x")
    forbid(monkeypatch, os, "scandir", tmp_path / "secret")
    forbid(monkeypatch, type(locked), "open", locked)

    found = look(tmp_path)

    assert [s.name for s in found.sources] == ["open.md"]
    assert [f.path for f in found.findings] == ["locked.md", "secret"]
    assert [f.path for f in look(locked).findings] == ["locked.md"]


def forbid(
    monkeypatch: pytest.MonkeyPatch, owner: object, verb: str, path: Path
) -> None:
    """Let a path refuse one thing, as for a user who has no right to it."""
    real = getattr(owner, verb)

    def guarded(place: Path | str, *args: object, **more: object) -> object:
        if str(place) == str(path):
            raise PermissionError(13, "Permission denied", str(place))
        return real(place, *args, **more)

    monkeypatch.setattr(owner, verb, guarded)


# --- zips --------------------------------------------------------------------


def test_a_zip_of_an_export_is_read_without_unpacking(tmp_path: Path) -> None:
    export = json.dumps([chatgpt(message("user", "hi"), own="abc")])
    path = zipped(
        tmp_path / "export.zip", {"conversations.json": export, "chat.html": ""}
    )
    before = sorted(tmp_path.rglob("*"))

    sources = survey(path)
    _, (conversation,), findings = everything(sources)

    assert [(s.name, s.member) for s in sources] == [
        ("conversations.json", "conversations.json")
    ]
    assert conversation.origin.name == "abc"
    assert findings == []
    assert sorted(tmp_path.rglob("*")) == before


def test_shards_of_an_export_are_all_read(tmp_path: Path) -> None:
    path = zipped(
        tmp_path / "claude.zip",
        {
            f"data/conversations-00{n}.json": json.dumps(
                [claude(chat_message("human", "hi"), own=f"u-{n}")]
            )
            for n in range(3)
        },
    )

    _, found, _ = everything(survey(path))

    assert [c.origin.name for c in found] == ["u-0", "u-1", "u-2"]


def test_a_zip_in_a_folder_is_looked_into(tmp_path: Path) -> None:
    zipped(tmp_path / "old.zip", {"v/.obsidian/app.json": "{}", "v/a.md": "x #t"})

    (found,) = survey(tmp_path)
    (passage,), _, _ = everything([found])

    assert (found.name, found.member, found.kind) == (
        "old.zip/v/a.md",
        "v/a.md",
        "obsidian",
    )
    assert (passage.origin.name, passage.tags) == ("old.zip/v/a.md", ("t",))


def test_a_zip_without_the_name_of_one_is_known_when_named(tmp_path: Path) -> None:
    path = zipped(tmp_path / "download", {"a.md": "x", "memory\\2026-02-02.md": "y"})

    assert kinds(path) == {"a.md": "markdown", "memory/2026-02-02.md": "openclaw"}


def test_what_leads_out_of_a_zip_or_is_a_zip_itself_is_left_out(tmp_path: Path) -> None:
    inner = zipped(tmp_path / "inner.zip", {"a.md": "x"}).read_bytes()
    path = zipped(
        tmp_path / "outer.zip",
        {
            "../evil.md": "x",
            "/etc/evil.md": "x",
            "in.zip": inner,
            "a/": "",
            "ok.md": "x",
        },
    )

    found = look(path)

    assert [s.name for s in found.sources] == ["ok.md"]
    assert len(found.findings) == 3


def test_a_member_that_would_be_huge_is_left_out(tmp_path: Path) -> None:
    path = zipped(tmp_path / "bomb.zip", {"a.md": b" " * (33 << 20), "b.md": "x"})
    assert path.stat().st_size < 1 << 20

    found = look(path)

    assert [s.name for s in found.sources] == ["b.md"]
    assert "larger" in found.findings[0].what


def test_a_zip_that_lies_about_its_sizes_is_not_believed(tmp_path: Path) -> None:
    path = zipped(tmp_path / "liar.zip", {"a.md": b"x" * 100_000})
    size = (100_000).to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(size, (10).to_bytes(4, "little")))

    found = look(path)

    assert (found.sources, len(found.findings)) == ([], 1)


def test_a_locked_zip_gives_a_finding(tmp_path: Path) -> None:
    path = zipped(tmp_path / "locked.zip", {"a.md": "x"})
    data = bytearray(path.read_bytes())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)

    found = look(path)

    assert found.sources == []
    assert "password" in found.findings[0].what


def test_what_is_only_called_a_zip_gives_a_finding(tmp_path: Path) -> None:
    write(tmp_path / "a.zip", b"no zip")

    assert [f.path for f in look(tmp_path).findings] == ["a.zip"]
    assert [f.path for f in look(tmp_path / "a.zip").findings] == ["a.zip"]


def test_a_zip_that_was_replaced_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    for words in ("first", "second and longer"):
        zipped(path, {"a.md": words})
        (passage,), _, _ = everything(survey(path))
        assert passage.text == words


def test_a_zip_that_needs_a_newer_program_gives_a_finding(tmp_path: Path) -> None:
    path = zipped(tmp_path / "new.zip", {"a.md": "x"})
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 6] = 99
    path.write_bytes(data)

    assert [f.path for f in look(path).findings] == ["new.zip"]


@given(st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=8))
@example([(345, 0)])  # a name that begins with NUL is none
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_zip_gives_findings_and_no_crash(
    tmp_path: Path, changes: list[tuple[int, int]]
) -> None:
    path = zipped(tmp_path / "x.zip", {"a.md": "hello\n" * 50, "b.txt": "words"})
    data = bytearray(path.read_bytes())
    for at, byte in changes:
        data[at % len(data)] = byte
    path.write_bytes(data)

    everything(survey(path))


@given(st.binary())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_called_a_zip_give_findings_and_no_crash(
    tmp_path: Path, data: bytes
) -> None:
    path = write(tmp_path / "x.zip", b"PK\x03\x04" + data)

    assert look(path).sources == []


def test_an_empty_zip_holds_nothing(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "empty.zip", "w"):
        pass

    assert look(tmp_path / "empty.zip").sources == []


def test_a_file_is_known_by_its_content_and_its_name() -> None:
    for head, name, kind in [
        (GPT, "conversations.json", "chatgpt"),
        (b"\xef\xbb\xbf\n" + GPT, "whatever.txt", "chatgpt"),
        (CHATS, "conversations-001.json", "claude"),
        (CHATS, "export", "claude"),
        (SESSION, "x.jsonl", "claude-code"),
        (b"%PDF-1.7\n", "scan.bin", "pdf"),
        (b"oops", "scan.pdf", "pdf"),
        (b"# Title", "a.md", "markdown"),
        (b'[x] "mapping": {', "a.MD", "markdown"),
        (b"words", "a.txt", "text"),
        (b"x" + "ö".encode() * (HEAD // 2 - 1) + b"\xc3", "NOTES", "text"),
        (b'{"nodes": []}', "board.canvas", ""),
        (b'{"uuid": "x"}', "users.json", ""),
        (b'{"display": "x", "sessionId": "y"}', "history.jsonl", ""),
        (b"\x7fELF\x02\x01\x00\x00", "program", ""),
        (b"caf\xe9", "latin", ""),
        (b"", "empty", ""),
        (b"print()", "a.py", ""),
    ]:
        assert recognise(head, name) == kind


@given(st.binary(), st.text())
def test_any_file_is_of_some_kind_or_none(head: bytes, name: str) -> None:
    assert recognise(head, name) in {"", *KINDS}


@given(st.text())
def test_a_plain_text_can_be_stored_as_it_is(text: str) -> None:
    clean = plain(text)

    assert storable(f"x{clean}", 1 << 20) == f"x{clean}".rstrip()


def test_what_a_person_would_not_see_goes_and_line_ends_become_plain() -> None:
    assert plain("a\0b\u202ec\U000e0041\r\nd\re\x0cf") == "abc\nd\ne f"


def test_half_a_character_becomes_the_mark_for_one_that_is_lost() -> None:
    assert plain("x\ud83d") == "x\ufffd"


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"])))
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_text_with_a_byte_order_mark_is_read_by_it(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding)) == (plain(text), "")


def test_utf_16_of_either_order_is_read() -> None:
    for order in ["be", "le"]:
        data = "\ufeffnaïve".encode(f"utf-16-{order}")

        assert decode(data) == ("naïve", "")


def test_what_is_not_utf_8_is_read_as_latin_1_and_said_so() -> None:
    text, odd = decode(b"caf\xe9 \x93quoted\x94")

    assert text == "café “quoted”"
    assert "Latin-1" in odd


def test_a_broken_utf_16_file_is_read_as_far_as_it_goes() -> None:
    text, odd = decode("\ufeffhello".encode("utf-16-le") + b"\x00")

    assert text == "hello\ufffd"
    assert "broken" in odd


@given(st.binary())
def test_any_bytes_are_read_as_some_text(data: bytes) -> None:
    text, odd = decode(data)

    assert text == plain(text)
    assert isinstance(odd, str)


def test_a_source_that_is_gone_gives_a_finding(tmp_path: Path) -> None:
    gone = source(write(tmp_path / "a.md", "x"), "markdown")
    gone.path.unlink()

    _, _, (finding,) = everything([gone])

    assert (finding.path, "cannot be read" in finding.what) == ("a.md", True)


def test_a_member_that_is_gone_gives_a_finding(tmp_path: Path) -> None:
    (found,) = survey(zipped(tmp_path / "a.zip", {"a.md": "x"}))

    _, _, (finding,) = everything([replace(found, member="b.md")])

    assert "cannot be read" in finding.what


@pytest.mark.parametrize("kind", ["markdown", "claude"])
def test_a_source_above_the_limit_is_not_opened(tmp_path: Path, kind: str) -> None:
    large = replace(source(write(tmp_path / "a", "x"), kind), size=1 << 40)

    _, _, (finding,) = everything([large])

    assert "larger" in finding.what


def test_a_file_that_grew_since_the_survey_is_not_read_whole(tmp_path: Path) -> None:
    grown = source(write(tmp_path / "a.md", "x"), "markdown")
    write(grown.path, b"x" * (33 << 20))

    _, _, (finding,) = everything([grown])

    assert "larger" in finding.what


def test_a_source_of_no_known_kind_is_refused_at_once(tmp_path: Path) -> None:
    odd = source(write(tmp_path / "a.md", "x"), "word")

    with pytest.raises(UnknownKindError):
        list(read(odd))


def test_two_readings_of_one_source_are_the_same(tmp_path: Path) -> None:
    write(tmp_path / "a.md", "# A\nx\n# B\ny\n")
    write(tmp_path / "b.txt", "z")

    first = [list(read(each)) for each in survey(tmp_path)]
    second = [list(read(each)) for each in survey(tmp_path)]

    assert first == second
