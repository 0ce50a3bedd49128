"""Which memories stand at a path."""

from __future__ import annotations

import errno
import os
import pathlib
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

import pytest
from tests.encoding.auditing.stores import collected, write

from reverie.encoding.auditing.collecting import LARGEST
from reverie.encoding.importing.survey import MissingSourceError
from reverie.model.origin import Origin

if TYPE_CHECKING:
    from pathlib import Path

CORE = """\
# MEMORY.md — Core Memory

## Identity
- Name: [User Name]
- Role: baker <!-- by:import -->

## Recipes of mine
- Rye bread needs a day
"""
ENTITY = """\
# person--alex

<!-- Type: person -->

## Summary
Somebody.

## Facts
- Likes tea <!-- since: 2026-02-02 | source: import -->
- ~~Likes milk~~ <!-- until: 2026-02-02 -->
"""
PROCEDURE = """\
# bake.md

<!-- Type: procedure | Learned: 2026-01-05 -->

## Trigger
Somebody wants bread.

## Steps
1. Mix.
2. Wait.
"""


def texts(root: Path) -> list[str]:
    return [held.text for held in collected(root).memories]


def spots(root: Path) -> list[str]:
    return [str(held.spot) for held in collected(root).memories]


def kind(root: Path) -> str:
    return collected(root).store


def test_a_plain_folder_is_cut_at_items_and_paragraphs(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "# T\n\n- One\n- Two\n", "b/c.txt": "Three.\n\nFour.\n"})

    assert texts(tmp_path) == ["One", "Two", "Three.", "Four."]
    assert spots(tmp_path) == ["a.md:3", "a.md:4", "b/c.txt:1", "b/c.txt:3"]
    assert kind(tmp_path) == "markdown"


def test_a_workspace_of_ours_is_read_by_its_stores(tmp_path: Path) -> None:
    day = "# 2026-02-02 — Episode Log\n\n"
    heading = "## 14:30 | fact | confidence:high | tags:[x] | source:import\n"
    write(
        tmp_path,
        {
            ".audit/HEAD": "ref: refs/heads/main\n",
            "MEMORY.md": CORE,
            "SOUL.md": "Be kind.\n",
            "memory/episodes/2026-02-02.md": f"{day}{heading}Chose rye.\n",
            "memory/graph/entities/person--alex.md": ENTITY,
            "memory/graph/index.md": "# Index\n",
            "memory/procedures/bake.md": PROCEDURE,
            "memory/vault/passport.md": "# Passport\n\nIs in the drawer.\n",
            "memory/meta/reflection-log.md": "# Log\n\nNothing.\n",
            "conversations/2026/a.md": "# A\n\nHello.\n",
        },
    )

    holdings = collected(tmp_path)
    by_text = {held.text.partition("\n")[0]: held for held in holdings.memories}

    assert list(by_text) == [
        *("Role: baker", "Rye bread needs a day", "Be kind.", "Chose rye."),
        *("Likes tea", "Bake", "Is in the drawer."),
    ]
    assert holdings.store == "reverie"
    assert holdings.conversations == 1
    assert by_text["Role: baker"].origin is Origin.IMPORT
    assert by_text["Chose rye."].origin is Origin.IMPORT
    assert str(by_text["Chose rye."].day) == "2026-02-02"
    assert str(by_text["Likes tea"].spot).endswith("person--alex.md:9")
    assert by_text["Likes tea"].origin is Origin.IMPORT
    assert by_text["Bake"].lasting
    assert by_text["Be kind."].sheet.boot


def test_a_part_of_a_workspace_is_read_like_the_whole(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            ".audit/HEAD": "x",
            "MEMORY.md": CORE,
            "memory/graph/entities/person--alex.md": ENTITY,
            "notes/a.md": "One.\n",
        },
    )

    assert texts(tmp_path / "memory") == ["Likes tea"]
    assert texts(tmp_path / "MEMORY.md") == ["Role: baker", "Rye bread needs a day"]
    assert (kind(tmp_path / "notes"), texts(tmp_path / "notes")) == (
        "markdown",
        ["One."],
    )


def test_an_openclaw_workspace_is_its_memory_and_boot_files(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "AGENTS.md": "Be brief.\n",
            "MEMORY.md": "- Likes tea\n",
            "USER.md": "- Calls her Lou\n",
            "memory/2026-02-02.md": "## 10:30\nBaked bread.\n",
            "memory/imports/codex/a.md": "- Uses tabs\n",
            "skills/bake/SKILL.md": "Mix.\n",
            "project/README.md": "Not a memory.\n",
        },
    )

    holdings = collected(tmp_path)

    assert holdings.store == "openclaw"
    assert [(h.text, h.sheet.boot, h.origin) for h in holdings.memories] == [
        ("Be brief.", True, Origin.OWNER),
        ("Likes tea", False, Origin.OWNER),
        ("Calls her Lou", False, Origin.OWNER),
        ("Baked bread.", False, Origin.OWNER),
        ("Uses tabs", False, Origin.IMPORT),
        ("Mix.", True, Origin.OWNER),
    ]
    assert [f.what for f in holdings.left_out] == ["files that are no memories: 1"]


def test_the_memory_folder_alone_is_openclaw_too(tmp_path: Path) -> None:
    write(tmp_path / "memory", {"2026-02-02.md": "Baked.\n", "bread.md": "Rye.\n"})

    assert kind(tmp_path / "memory") == "openclaw"
    assert texts(tmp_path / "memory") == ["Baked.", "Rye."]


def test_a_claude_code_folder_has_memories_and_transcripts(tmp_path: Path) -> None:
    root = tmp_path / ".claude" / "projects"
    line = '{"type":"user","sessionId":"s","uuid":"u","message":{"content":"hi"}}\n'
    write(
        root,
        {
            "-work/memory/MEMORY.md": "- [Style](style.md): short\n",
            "-work/memory/style.md": "---\nname: style\n---\nShort words.\n",
            "-work/s.jsonl": line,
        },
    )

    holdings = collected(root)

    assert holdings.store == "claude-code"
    assert len(holdings.memories) == 2
    assert holdings.conversations == 1


def test_of_all_that_claude_code_keeps_only_memory_is_judged(tmp_path: Path) -> None:
    home = tmp_path / ".claude"
    write(
        home,
        {
            "CLAUDE.md": "Be brief.\n",
            "plugins/x/README.md": "Not a memory.\n",
            "agent-memory/tester/MEMORY.md": "- Runs the slow tests last\n",
            "worktrees/x/docs/a.md": "Just a document.\n",
        },
    )

    assert texts(home) == ["Be brief.", "Runs the slow tests last"]
    assert texts(home / "agent-memory" / "tester") == ["Runs the slow tests last"]
    assert kind(home / "worktrees" / "x" / "docs") == "markdown"


def test_codex_and_obsidian_are_known(tmp_path: Path) -> None:
    codex = write(tmp_path / ".codex" / "memories", {"a.md": "One.\n"})
    vault = write(tmp_path / "vault", {"a.md": "One.\n", ".obsidian/app.json": "{}"})

    assert kind(codex) == "codex"
    assert kind(vault) == "obsidian"


def test_a_transcript_in_markdown_is_left_out(tmp_path: Path) -> None:
    talk = "user: Hello\n\nassistant: Hi\n\n" * 4
    write(tmp_path, {"memory/2026-02-02-1430.md": talk, "memory/2026-02-03.md": "x y"})

    holdings = collected(tmp_path)

    assert holdings.conversations == 1
    assert [held.text for held in holdings.memories] == ["x y"]


def test_an_empty_folder_has_no_memories(tmp_path: Path) -> None:
    assert texts(tmp_path) == []


def test_nothing_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(MissingSourceError):
        collected(tmp_path / "no")


def test_what_cannot_be_read_is_left_out_and_said_so(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a.md": "One.\n",
            "binary.md": b"\x00\x01\xff",
            "empty.md": "",
            "huge.md": b"x" * (LARGEST + 1),
            "secret.md": "Two.\n",
            "picture.png": b"\x89PNG\x00",
        },
    )
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "out.md").symlink_to("/etc/hostname")
    os.mkfifo(tmp_path / "pipe.md")

    holdings = collected(tmp_path)

    assert [held.text for held in holdings.memories] == ["One.", "Two."]
    assert {
        found.path: found.what.partition(" (")[0] for found in holdings.left_out
    } == {
        "binary.md": "is not text",
        "empty.md": "is empty",
        "huge.md": "is larger than what is audited",
        "out.md": "is a link that leaves the folder",
        "pipe.md": "is a device, pipe or socket",
    }


def test_a_file_that_may_not_be_read_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"a.md": "One.\n", "b.md": "Two.\n"})
    opens = pathlib.Path.open

    def guarded(path: Path, *words: Any, **more: Any) -> Any:  # noqa: ANN401 - as open
        # Who runs the tests as root may read everything, so the refusal is ours.
        if path.name == "b.md":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return opens(path, *words, **more)

    monkeypatch.setattr(pathlib.Path, "open", guarded)

    (found,) = collected(tmp_path).left_out

    assert "cannot be read" in found.what


def test_latin_letters_and_windows_line_ends_are_read(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "Caf\xe9\r\n\r\n- Two\r\n".encode("latin-1")})

    assert texts(tmp_path) == ["Café", "Two"]
    assert spots(tmp_path) == ["a.md:1", "a.md:3"]


def test_a_zip_is_read_without_unpacking(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("notes/a.md", "- One\n")

    assert spots(tmp_path / "a.zip") == ["notes/a.md:1"]
