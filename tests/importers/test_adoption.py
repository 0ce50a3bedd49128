"""Moving into a folder in which somebody already remembers something."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from tests.memory.home import NOON, agrees

from reverie import Memory, Origin, RefusedError, Semantic
from reverie.importers.adoption import find_elsewhere

if TYPE_CHECKING:
    from pathlib import Path

OPENCLAW = {
    "SOUL.md": "# Soul\n\nBe kind and brief.\n",
    "USER.md": "- Prefers metric units.\n",
    "MEMORY.md": "# Long-term\n\n## Preferences\n- Likes oolong tea.\n",
    "memory/2026-01-01.md": (
        "# 2026-01-01\n\n- Booked the ferry.\n\n## 14:30\nA call.\n"
    ),
    "memory/2026-01-02-tax.md": "The accountant is Weber.\n",
    "memory/imports/codex/a.md": "Uses trunk based development.\n",
}
VAULT = {
    ".obsidian/app.json": "{}",
    "Yoga.md": "---\ncreated: 2025-03-01\n---\nClass is with [[Ines]].\n",
    "Projects/Garden.md": "# Garden\n\nThe roses need pruning.\n",
    "Daily/2026-01-05.md": "Met Tomasz about the boiler.\n",
    "Projects/key.md": "api_key = sk-proj-Zx81hQ0vT3mLw92KdPqR7yUn\n",
}
CLAUDE = {
    "CLAUDE.md": "Run the checks before each commit.\n",
    ".claude/rules/style.md": "Use tabs in Go files.\n",
    ".claude/agent-memory/reviewer/MEMORY.md": "Looks for races first.\n",
    ".claude/commands/ship.md": "A command of the host's.\n",
    "docs/layers.md": "Layers point down.\n",
}


def folder(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def init(root: Path, now: datetime = NOON) -> Memory:
    return Memory.init(root, clock=lambda: now, environ={}, human=agrees)


def found(memory: Memory, words: str) -> str:
    """The text of the best hit, and where it stands."""
    hits = memory.recall(words).hits
    return f"{hits[0].path}:{hits[0].line} {hits[0].text}" if hits else ""


# --- OpenClaw ------------------------------------------------------------------


def test_everything_of_an_openclaw_workspace_is_found_where_it_stands(
    tmp_path: Path,
) -> None:
    with init(folder(tmp_path, OPENCLAW)) as memory:
        assert found(memory, "ferry") == "memory/2026-01-01.md:3 Booked the ferry."
        assert found(memory, "accountant").startswith("memory/2026-01-02-tax.md:1 ")
        assert found(memory, "oolong") == "MEMORY.md:4 Likes oolong tea."
        assert found(memory, "metric units").startswith("USER.md:1 ")
        assert found(memory, "kind").startswith("SOUL.md:1 ")
        assert found(memory, "trunk").startswith("memory/imports/codex/a.md:1 ")
        assert {hit.origin for hit in memory.recall("ferry").hits} == {Origin.IMPORT}

    assert {name: (tmp_path / name).read_text("utf-8") for name in OPENCLAW} == OPENCLAW


@pytest.mark.parametrize("file", ["MEMORY.md", "USER.md"])
def test_an_adopted_name_is_the_users(tmp_path: Path, file: str) -> None:
    (tmp_path / file).write_text("# Memory\n\n- Name: Mara Lindqvist\n")

    with Memory.init(tmp_path, clock=lambda: NOON, environ={}, human=agrees) as memory:
        found = memory.recall("What is my name?")

    assert found.hits[0].text == "Name: Mara Lindqvist"


def test_nothing_is_called_remembered_that_cannot_be_found(tmp_path: Path) -> None:
    folder(tmp_path, {**OPENCLAW, "memory/recipe.txt": "Rye and water.\n"})
    with init(tmp_path) as memory:
        assert found(memory, "rye") == ""
        report = memory.import_from(tmp_path / "memory")
        assert (report.added, report.known) == (1, 0)
        assert "Rye and water." in found(memory, "rye")

        with pytest.raises(RefusedError, match="nothing but this workspace"):
            memory.import_from(tmp_path / "memory/2026-01-01.md")


def test_a_daily_note_that_the_host_writes_later_is_found(tmp_path: Path) -> None:
    with init(folder(tmp_path, OPENCLAW)) as memory:
        (tmp_path / "memory/2026-02-02.md").write_text("- The visa arrived.\n")
        memory.check()

        assert found(memory, "visa") == "memory/2026-02-02.md:1 The visa arrived."


def test_what_an_agent_reads_at_every_start_is_not_told_again_by_itself(
    tmp_path: Path,
) -> None:
    with init(folder(tmp_path, OPENCLAW)) as memory:
        told = memory.window("chat").attend("Which units are metric? And the ferry?")

        assert any("2026-01-01" in each for each in told.ids)
        assert not any(each.startswith("note:user#") for each in told.ids)


def test_a_note_is_forgotten_and_its_file_stays_as_it_is(tmp_path: Path) -> None:
    with init(folder(tmp_path, OPENCLAW)) as memory:
        memory.forget(memory.find_to_forget("the ferry").matches)

        assert "ferry" not in found(memory, "ferry")
        assert found(memory, "call").startswith("memory/2026-01-01.md:5")
        memory.rebuild()
        assert "ferry" not in found(memory, "ferry")

    name = "memory/2026-01-01.md"
    assert (tmp_path / name).read_text("utf-8") == OPENCLAW[name]


def test_a_note_is_erased_from_its_file_and_from_history(tmp_path: Path) -> None:
    with init(folder(tmp_path, OPENCLAW)) as memory:
        (ferry,) = memory.recall("ferry").hits
        receipt = memory.erase(ferry.id)

        assert receipt.remains == ()
        assert "ferry" not in found(memory, "ferry")
        assert found(memory, "oolong")

    left = (tmp_path / "memory/2026-01-01.md").read_text("utf-8")
    assert left == "# 2026-01-01\n\n\n## 14:30\nA call.\n"


def test_a_note_is_pinned_reinforced_and_shown_as_anything_else(tmp_path: Path) -> None:
    with init(folder(tmp_path, OPENCLAW)) as memory:
        (ferry,) = memory.recall("ferry").hits
        memory.pin(ferry.id)
        memory.reinforce([ferry.id])

        shown = memory.show(ferry.id)
        assert shown.text == "Booked the ferry."
        assert memory.recall("ferry").hits[0].pinned


# --- Obsidian and Claude Code ----------------------------------------------------


def test_the_notes_of_an_obsidian_vault_are_found_and_left_alone(
    tmp_path: Path,
) -> None:
    steps: list[tuple[int, ...]] = []
    told = Memory.init(
        folder(tmp_path, VAULT),
        clock=lambda: NOON,
        environ={},
        progress=lambda *counts: steps.append(counts),
    )
    with told as memory:
        assert memory.adopted is not None
        assert memory.adopted.added == 3
        assert steps[-1][:2] == (steps[-1][1],) * 2
        assert found(memory, "Ines").startswith("Yoga.md:4 ")
        assert "roses" in found(memory, "pruning")
        (boiler,) = memory.recall("boiler").hits
        assert boiler.id.startswith("episode:2026-01-05:")
        assert boiler.origin is Origin.IMPORT
        assert not any("sk-proj" in item.text for item in memory.items())

    assert {name: (tmp_path / name).read_text("utf-8") for name in VAULT} == VAULT


def test_adopting_twice_imports_nothing_twice(tmp_path: Path) -> None:
    init(folder(tmp_path, VAULT)).close()

    with init(tmp_path) as memory:
        assert memory.adopted is not None
        assert (memory.adopted.added, memory.adopted.known) == (0, 3)


def test_claude_codes_memory_in_the_folder_is_found_and_its_commands_are_not(
    tmp_path: Path,
) -> None:
    with init(folder(tmp_path, CLAUDE)) as memory:
        assert found(memory, "checks before commit").startswith("CLAUDE.md:1 ")
        assert "tabs" in found(memory, "Go files")
        assert "races" in found(memory, "reviewer races")
        assert found(memory, "host's command") == ""
        assert found(memory, "layers") == ""


def test_what_lies_elsewhere_is_offered_with_its_command_and_not_read(
    tmp_path: Path,
) -> None:
    root, home = folder(tmp_path / "my app", CLAUDE), tmp_path / "home"
    name = "".join(c if c.isalnum() else "-" for c in str(root.resolve()))
    project = f".claude/projects/{name}"
    folder(
        home,
        {
            f"{project}/memory/deploy.md": "Deploy on Mondays.\n",
            f"{project}/0b9f.jsonl": "{}\n",
            ".openclaw/workspace/MEMORY.md": "Mine.\n",
        },
    )
    for path in home.rglob("*"):
        if path.is_file():
            path.chmod(0)

    offers = list(find_elsewhere(root, home))

    assert [(each.what, each.count, each.path, each.kind) for each in offers] == [
        ("notes in docs/", 1, str(root / "docs"), ""),
        (
            "Claude Code's memory of this folder",
            1,
            str(home / project / "memory"),
            "",
        ),
        (
            "Claude Code's sessions in this folder",
            1,
            str(home / project),
            "claude-code",
        ),
        ("OpenClaw's workspace", 1, str(home / ".openclaw/workspace"), ""),
    ]


# --- counts and dates ----------------------------------------------------------------

PAGE = """\
# person--alex

<!-- Type: person | Created: 2025-06-01 | Last updated: 2026-01-20 -->
<!-- Decay score: 0.95 | Access count: 14 | Pinned: no -->

## Facts
- Plays the oboe.
"""
WAY = """\
# how-to-bake.md

<!-- Type: procedure | Learned: 2025-07-01 | Last used: 2026-01-30 -->
<!-- Decay score: 0.85 | Access count: 3 -->

## Trigger
When baking.

## Steps
1. Knead.
"""


def test_counts_and_dates_in_the_headers_of_adopted_pages_are_kept(
    tmp_path: Path,
) -> None:
    pages = {
        "memory/graph/entities/person--alex.md": PAGE,
        "memory/procedures/how-to-bake.md": WAY,
    }
    with init(folder(tmp_path, pages)) as memory:
        told = {item.id: memory.show(item.id) for item in memory.items()}

    alex, bake = told["entity:person--alex"], told["procedure:how-to-bake"]
    assert (alex.accesses, bake.accesses) == (14, 3)
    assert alex.created == datetime(2025, 6, 1, tzinfo=UTC)
    assert alex.last_accessed == datetime(2026, 1, 20, tzinfo=UTC)
    assert bake.last_accessed == datetime(2026, 1, 30, tzinfo=UTC)


def test_an_adopted_score_file_counts_more_than_a_header(tmp_path: Path) -> None:
    told = {
        "store": "semantic",
        "base_relevance": 0.7,
        "created": "2025-06-01T10:00:00Z",
        "last_accessed": "2026-01-25T10:00:00Z",
        "access_count": 21,
    }
    files = {
        "memory/graph/entities/person--alex.md": PAGE,
        "memory/meta/decay-scores.json": json.dumps(
            {"version": 1, "entries": {"entity:person--alex": told}}
        ),
    }
    with init(folder(tmp_path, files)) as memory:
        alex = memory.show("entity:person--alex")

    assert alex.accesses == 21
    assert alex.last_accessed == datetime(2026, 1, 25, 10, tzinfo=UTC)


def test_a_day_to_come_in_a_header_is_not_believed(tmp_path: Path) -> None:
    page = PAGE.replace("Last updated: 2026-01-20", "Last updated: 2199-01-20")
    with init(folder(tmp_path, {"memory/graph/entities/person--a.md": page})) as memory:
        assert memory.show("entity:person--a").last_accessed == NOON


# --- pages with odd names ------------------------------------------------------------


def test_a_page_with_an_odd_name_is_written_to_and_erased_by_its_id(
    tmp_path: Path,
) -> None:
    odd = "memory/graph/entities/Hot Yoga.md"
    with init(folder(tmp_path, {odd: "# Hot Yoga\n\nMy mat is purple.\n"})) as memory:
        assert found(memory, "mat").startswith(f"{odd}:1")
        memory.remember("On Tuesdays.", Semantic("Hot Yoga", "concept"))
        assert "On Tuesdays." in (tmp_path / odd).read_text("utf-8")
        assert "My mat is purple." in (tmp_path / odd).read_text("utf-8")

        memory.erase("entity:concept--hot-yoga")

        assert not (tmp_path / odd).exists()
        assert found(memory, "mat purple") == ""


INDEX = """# Semantic Graph Index

## Entity Registry
| ID | Type | Label | File | Decay Score |
|----|------|-------|------|-------------|
| person--alex | person | Alex | entities/person--alex.md | 1.00 (pinned) |
| concept--oauth2-pkce | concept | OAuth2 PKCE | entities/x.md | 0.72 |

## Edges
| From | Relation | To | Confidence | First Seen | Last Accessed |
|------|----------|----|------------|------------|---------------|
| person--alex | uses | tool--openclaw | high | 2026-01-15 | 2026-02-02 |
| person--alex | prefers | concept--brainstorm | medium | 2026-01-20 | 2026-02-02 |
| concept--oauth2-pkce | used-by | project--memory | high | 2026-01-20 | 2026-01-20 |
| no entity | knows | person--alex | high | 2026-01-15 | 2026-02-02 |
"""


def test_edges_that_stand_only_in_the_graph_index_are_put_on_pages(
    tmp_path: Path,
) -> None:
    pages = tmp_path / "memory/graph/entities"
    pages.mkdir(parents=True)
    (pages / "person--alex.md").write_text(
        "# person--alex\n\n## Relations\n- Uses: [[tool--openclaw]]\n"
    )
    (tmp_path / "memory/graph/index.md").write_text(INDEX)

    with Memory.init(tmp_path, clock=lambda: NOON, environ={}) as memory:
        edges = {
            (e.origin, e.relation, e.target): (e.confidence, str(e.first_seen))
            for e in memory._session.index.edges()  # noqa: SLF001
        }
        memory.rebuild()
        table = memory.graph()
    again = Memory.init(tmp_path, clock=lambda: NOON, environ={})

    assert edges == {
        ("person--alex", "uses", "tool--openclaw"): ("high", "None"),
        ("person--alex", "prefers", "concept--brainstorm"): (
            "medium",
            "2026-01-20",
        ),
        ("project--memory", "uses", "concept--oauth2-pkce"): ("high", "2026-01-20"),
    }
    for edge in edges:
        assert f"| {' | '.join(edge)} |" in table
    alex = (pages / "person--alex.md").read_text()
    assert alex.startswith(
        "# person--alex\n\n## Relations\n- Uses: [[tool--openclaw]]\n"
    )
    assert "OAuth2 PKCE" in (pages / "concept--oauth2-pkce.md").read_text()
    assert alex == (pages / "person--alex.md").read_text()
    again.close()
