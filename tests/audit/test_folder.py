"""Whose memory stands somewhere, and which files of it count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.audit.folders import found, write

from reverie.audit import Audit

if TYPE_CHECKING:
    from pathlib import Path

TOLD = "Lou bakes the rye bread for the whole street on Saturdays."
DAY = (
    "# 2026-02-02 — Episode Log\n\n"
    "## 14:30 | fact | confidence:high | tags:[x] | source:import\n"
)
FACTS = """\
# person--{}

<!-- Type: person -->

## Summary
{}

## Facts
- {} <!-- since: 2026-02-02 | source: import -->
- ~~{}~~ <!-- until: 2026-02-02 -->

## Relations
- Knows: [[person--nobody]]
"""


def told(root: Path) -> tuple[str, list[str]]:
    folder = Audit(root)
    return folder.store, [source.name for source in folder.sources]


def test_a_workspace_is_not_blamed_for_its_own_records(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            ".audit/HEAD": "ref: refs/heads/main\n",
            "MEMORY.md": f"# M\n\n## Identity\n- Name: [User Name]\n- {TOLD}\n",
            "memory/episodes/2026-02-02.md": f"{DAY}{TOLD}\n",
            "memory/graph/entities/person--lou.md": FACTS.format("lou", *[TOLD] * 3),
            "memory/graph/entities/person--kim.md": FACTS.format("kim", *[TOLD] * 3),
            "memory/graph/index.md": f"- {TOLD}\n- {TOLD}\n",
            "memory/procedures/bake.md": f"# bake.md\n\n## Steps\n1. {TOLD}\n",
            "memory/procedures/sell.md": f"# sell.md\n\n## Steps\n1. {TOLD}\n",
            "memory/meta/reflection-log.md": f"- {TOLD}\n- {TOLD}\n",
            "memory/meta/pending-memories.md": f"- **Content**: {TOLD}\n- {TOLD}\n",
            "conversations/a.md": f"## 1 | user | turn:1\n{TOLD}\n\n{TOLD}\n",
        },
    )

    assert found(tmp_path) == {}
    assert Audit(tmp_path).store == "reverie"


def test_what_a_person_wrote_twice_into_a_workspace_is_told(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            ".audit/HEAD": "x",
            "memory/episodes/2026-02-02.md": f"{DAY}{TOLD}\n",
            "memory/episodes/2026-02-03.md": f"{DAY}{TOLD.upper()}\n",
            "memory/vault/a.md": "# A\n\nSee [[nothing]].\n",
        },
    )

    assert found(tmp_path) == {"duplicates": 1, "dead-links": 1}
    assert found(tmp_path / "memory") == {"duplicates": 1, "dead-links": 1}


def test_an_openclaw_workspace_is_its_memory_and_boot_files(tmp_path: Path) -> None:
    files = [
        *("AGENTS.md", "MEMORY.md", "USER.md", "memory/2026-02-02.md"),
        *("memory/imports/a.md", "skills/bake/SKILL.md"),
    ]
    write(tmp_path, dict.fromkeys((*files, "project/README.md"), "One.\n"))

    assert told(tmp_path) == ("openclaw", files)
    assert [each.what for each in Audit(tmp_path).left_out] == [
        "files that are no memories: 1"
    ]


def test_of_all_that_claude_code_keeps_only_memory_counts(tmp_path: Path) -> None:
    home = tmp_path / ".claude"
    session = '{"type":"user","sessionId":"s","message":{"content":"hi"}}\n'
    files = ("CLAUDE.md", "agent-memory/tester/MEMORY.md", "projects/-w/memory/a.md")
    write(home, dict.fromkeys((*files, "plugins/x/README.md"), "One.\n"))
    write(home, {"projects/-w/s.jsonl": session, "worktrees/docs/a.md": "One.\n"})

    assert told(home) == ("claude-code", list(files))
    assert told(home / "worktrees") == ("markdown", ["docs/a.md"])


def test_any_other_folder_counts_as_a_whole(tmp_path: Path) -> None:
    codex = write(tmp_path / ".codex" / "memories", {"a.md": "One.\n"})
    vault = write(tmp_path / "vault", {"a.md": "One.\n", ".obsidian/app.json": "{}"})
    plain = write(tmp_path / "notes", {"a.md": "One.\n", "b/c.txt": "Two.\n", "d": "x"})

    assert told(codex) == ("codex", ["a.md"])
    assert told(vault) == ("obsidian", ["a.md"])
    assert told(plain) == ("markdown", ["a.md", "b/c.txt"])
