"""What a reflection may not read cannot be read, whatever it is called."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.memory.home import Home
from tests.reflection.dreams import Dream, proposed

from reverie import Block, Core, Episodic, Memory, ScriptedMind
from reverie.errors import RefusedError
from reverie.model.change import MANUAL
from reverie.reflection.scope import FILES, PAGES, ForbiddenReadError, Scope
from reverie.workspace.files import NotAPlainFileError

if TYPE_CHECKING:
    from pathlib import Path

SINCE = datetime(2026, 2, 5, 3, 0, tzinfo=UTC)

ALLOWED = [
    "MEMORY.md",
    "memory/meta/evolution.md",
    "memory/meta/decay-scores.json",
    "memory/meta/reflection-log.md",
    "memory/meta/pending-memories.md",
    "memory/graph/index.md",
    "memory/graph/entities/person--mira.md",
    "memory/graph/entities/a/f/person--mira.md",
    "memory/procedures/how-to-sail.md",
    "memory/procedures/boats/how-to-sail.md",
    "memory/episodes/2026-02-05.md",
    "memory/episodes/2026-02-05~2.md",
    "memory/episodes/2026/2026-02-06.md",
]

NEVER = [
    # Code.
    "tool.py",
    "memory/tool.py",
    "memory/procedures/tool.py",
    "memory/graph/entities/tool.js",
    "memory/procedures/tool.ts",
    "memory/procedures/run.sh",
    "memory/procedures/data.json",
    "memory/meta/other.json",
    # Configuration.
    "clawdbot.json",
    "moltbot.json",
    "openclaw.json",
    "reverie.toml",
    "memory/reverie.toml",
    # Conversations and sessions.
    "conversations/trip.md",
    "memory/conversations/trip.md",
    "memory/sessions/1.md",
    "sessions/1.jsonl",
    ".reverie/reflection/state.json",
    # What the system is made of.
    "SOUL.md",
    "IDENTITY.md",
    "USER.md",
    "TOOLS.md",
    "AGENTS.md",
    "memory/SOUL.md",
    # Anything outside.
    "README.md",
    "notes/MEMORY.md",
    "/etc/passwd",
    "/srv/MEMORY.md",
    ".audit/HEAD",
    ".git/config",
    # What was processed.
    "memory/episodes/2026-02-04.md",
    "memory/episodes/2025-12-31.md",
    "memory/episodes/2026/2026-02-04~3.md",
    # What else is in memory.
    "memory/vault/passport.md",
    "memory/graph/relations.md",
    "memory/meta/audit.log",
    "memory/meta/audit-archive.md",
    "memory/meta/reward-log.md",
    "memory/meta/rewards/2026-02-04.md",
    "memory/meta/reflections/2026-02-04.md",
    "memory/meta/reflections/dialogues/2026-02-04.md",
    "memory/meta/reflection-archive.md",
    "memory/meta/evolution-archive.md",
    "memory/meta/pending-reflection.md",
    "memory/meta/expectations.md",
    "memory/notes.md",
    "memory/episodes/thoughts.md",
    "memory/episodes/2026-02-30.md",
]

TRICKS = [
    "",
    ".",
    "..",
    "memory",
    "memory/procedures",
    "memory/procedures/",
    "./MEMORY.md",
    "memory/../MEMORY.md",
    "memory/../SOUL.md",
    "memory/procedures/../vault/passport.md",
    "memory/procedures/../../SOUL.md",
    "memory/procedures//x.md",
    "memory//procedures/x.md",
    "memory/procedures/./x.md",
    "memory/procedures/..md",
    "memory/procedures/.hidden.md",
    "memory/procedures/x.md~",
    "memory/procedures/x.md ",
    " MEMORY.md",
    "MEMORY.md ",
    "MEMORY.md.",
    "MEMORY.md/",
    "MEMORY.md\n",
    "MEMORY.md\0",
    "MEMORY.md\0.py",
    "MEMORY.md:stream",
    "memory.md",
    "Memory.md",
    "MEMORY.MD",
    "MEMORY~1.MD",
    "\uff2dEMORY.md",
    "MEM\u200bORY.md",
    "memory\\procedures\\x.md",
    "memory\\..\\SOUL.md",
    "C:\\MEMORY.md",
    "memory/Procedures/x.md",
    "Memory/procedures/x.md",
    "memory/procedures/x.MD",
    "memory/procedures/cafe\u0301.md",
    "memory/procedures/x\u202e.md",
    "memory/procedures/%2e%2e/SOUL.md",
    "memory/procedures/\u2024\u2024/SOUL.md",
    "memory/procedures/con.md",
    "memory/procedures/.git/x.md",
    "memory/procedures/.REVERIE/x.md",
    "memory/procedures/git~1/x.md",
    "memory/procedures/\ud800.md",
    "memory/procedures/x.sync-conflict-1.md",
    "memory/proceduresx/x.md",
    "memory/procedures.md",
    "memory/episodes/../vault/2026-02-06.md",
    "memory/episodes/2026-02-06.md/../../vault/passport.md",
    "memory/episodes/2026-02-06.txt",
    "memory/vault/2026-02-06.md",
    "file:///MEMORY.md",
    "~/MEMORY.md",
    "$HOME/MEMORY.md",
]


def scope(files: dict[str, str] | None = None) -> Scope:
    """A scope over some files; whoever asks for others reads a secret."""
    held = {path: text.encode() for path, text in (files or {}).items()}
    return Scope(lambda path: held.get(path, b"a secret"), SINCE)


def test_what_it_is_for_can_be_read() -> None:
    for path in ALLOWED:
        guard = scope({path: "some text"})

        guard.require(path)
        assert guard.allows(path)
        assert guard.read(path) == "some text"


def test_anything_else_cannot() -> None:
    asked: list[str] = []

    def read(path: str) -> bytes:
        asked.append(path)
        return b"a secret"

    guard = Scope(read, SINCE)
    for path in (*NEVER, *TRICKS):
        assert not guard.allows(path)
        with pytest.raises(ForbiddenReadError):
            guard.require(path)
        with pytest.raises(ForbiddenReadError) as refused:
            guard.read(path)
        assert isinstance(refused.value, RefusedError)
        assert refused.value.advice
        assert asked == [], "the file was opened all the same"


@given(st.text() | st.sampled_from(ALLOWED).flatmap(lambda p: st.just(p) | st.text()))
@example("memory/procedures/\r.md")
def test_only_names_on_the_list_pass(path: str) -> None:
    if scope().allows(path):
        assert path in FILES or path.startswith((*PAGES, "memory/episodes/"))
        assert ".." not in path.split("/")
        assert path.endswith(".md") or path == "memory/meta/decay-scores.json"


def test_a_file_that_is_not_there_is_none() -> None:
    assert Scope(lambda _path: None, SINCE).read("MEMORY.md") is None


def test_a_link_is_not_followed() -> None:
    def read(path: str) -> bytes:
        raise NotAPlainFileError(path, "a link")

    with pytest.raises(ForbiddenReadError, match="no plain file"):
        Scope(read, SINCE).read("MEMORY.md")


def test_bytes_that_are_no_text_do_no_harm() -> None:
    text = Scope(lambda _path: b"caf\xe9", SINCE).read("MEMORY.md")

    assert text == "caf\ufffd"


def test_the_day_is_that_of_the_users_clock() -> None:
    late = datetime.fromisoformat("2026-02-05T23:30:00-05:00")

    guard = Scope(lambda _path: b"", late)

    assert not guard.allows("memory/episodes/2026-02-04.md")
    assert guard.allows("memory/episodes/2026-02-05.md")


def test_what_happened_afterwards_is_read_where_the_zone_was_another() -> None:
    """Reflected in Tokyo, on the 6th; the log of Los Angeles is still of the 5th."""
    since = datetime.fromisoformat("2026-02-06T13:00:00+09:00")
    lines = "".join(
        f"## {at} | fact | confidence:high | tags:[] | offset:-08:00\n{at}\n"
        for at in ("19:59", "20:01")
    )

    found = Scope(lambda _path: lines.encode(), since).episodes(
        "memory/episodes/2026-02-05.md"
    )

    assert [*found] == ["episode:2026-02-05:20:01"]


OLD = "memory/episodes/2026-01-10.md"
LOG = """# 2026-01-10 — Episode Log

## 09:00 | fact | confidence:high | tags:[a]
Read long ago.

## 10:00 | fact | confidence:high | tags:[b] | noted:2026-02-06
Told since.

## 11:00 | fact | confidence:high | tags:[c] | noted:2026-01-20
Told before, with noted:2026-02-06 in its words.
"""


def test_of_a_processed_day_only_what_was_noted_since_leaves() -> None:
    guard = scope({OLD: LOG})

    with pytest.raises(ForbiddenReadError):
        guard.read(OLD)
    found = guard.episodes(OLD)

    assert [entry.text for entry in found.values()] == ["Told since."]


def test_of_a_new_day_every_episode_leaves() -> None:
    path = "memory/episodes/2026-02-06.md"

    assert len(scope({path: LOG}).episodes(path)) == 3


def test_episodes_are_only_in_logs() -> None:
    for path in ("MEMORY.md", "memory/vault/2026-02-06.md", "memory/episodes/../x.md"):
        with pytest.raises(ForbiddenReadError):
            scope().episodes(path)


def test_a_reflection_reads_core_memory_as_its_owner_confirmed_it(
    tmp_path: Path,
) -> None:
    home, dream = Home(tmp_path / "agent"), Dream()
    place = Core(Block.CRITICAL)
    home.memory.remember("Allergic to hazelnuts.", place, actor=MANUAL)
    home.memory.remember("Bo repaired the roof.", Episodic())
    home.memory.set_owner("correct horse battery")
    home.type("MEMORY.md", home.text("MEMORY.md").replace("hazelnuts", "nothing"))
    home.memory.close()
    home.memory = Memory(
        home.root,
        clock=home.clock,
        environ={"TZ": "UTC"},
        mind=ScriptedMind(dream),
        human=lambda _: "correct horse battery",
    )

    proposed(home.memory)

    asked = "".join(question.text for question in dream.asked)
    assert "Allergic to hazelnuts." in asked
    assert "Allergic to nothing." not in asked
    home.memory.close()
