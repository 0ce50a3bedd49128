"""Hosts are connected without touching what is not ours, and leave as they came."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.interfaces.hosts.test_json_text import texts

from reverie import FormatError, RefusedError
from reverie.agents.instructions import put_section
from reverie.interfaces.hosts.connect import (
    HOSTS,
    ChangedMeanwhileError,
    Records,
    UnknownHostError,
    carry_out,
    plan_connect,
    plan_remove,
    status,
    targets,
    write_plugin,
)
from reverie.interfaces.hosts.openclaw import NoProjectError
from reverie.interfaces.hosts.place import Place, skill, started_by
from reverie.interfaces.hosts.targets import TakenError, TomlFile

EVERY_HOST = pytest.mark.parametrize("host", [*HOSTS])
REVERIE = "/opt/a place/bin/reverie"


def there(tmp_path: Path, project: Path | None = None, **environ: str) -> Place:
    (tmp_path / "home").mkdir(exist_ok=True)
    workspace = tmp_path / "agent"
    return Place((REVERIE,), workspace, tmp_path / "home", project, environ)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return there(tmp_path)


@pytest.fixture
def records(tmp_path: Path) -> Records:
    return Records(tmp_path / "records")


def files(folder: Path) -> dict[str, bytes]:
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def connect(host: str, place: Place, records: Records) -> None:
    carry_out(plan_connect(host, place, records), records)


def remove(host: str, place: Place, records: Records) -> None:
    carry_out(plan_remove(host, place, records), records)


def states(host: str, place: Place) -> set[str]:
    nothing = Records(place.home / "no records")
    return {each.state for each in status(host, place, nothing)}


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


@EVERY_HOST
def test_an_empty_home_is_empty_again(
    host: str, place: Place, records: Records
) -> None:
    connect(host, place, records)
    assert states(host, place) == {"connected"}

    remove(host, place, records)

    assert [*place.home.rglob("*")] == []
    assert states(host, place) == {""}


@EVERY_HOST
def test_connecting_twice_is_connecting_once(
    host: str, place: Place, records: Records
) -> None:
    connect(host, place, records)
    once = files(place.home)

    assert plan_connect(host, place, records) == []
    assert files(place.home) == once


@EVERY_HOST
def test_another_workspace_takes_the_place_of_the_first(
    host: str, place: Place, records: Records, tmp_path: Path
) -> None:
    connect(host, place, records)
    moved = Place((REVERIE,), tmp_path / "second", place.home)
    assert "outdated" in states(host, moved)

    connect(host, moved, records)

    assert states(host, moved) == {"connected"}
    said = b"".join(files(place.home).values())
    assert str(tmp_path / "second").encode() in said
    assert str(place.workspace).encode() not in said


def test_what_claude_code_reads(place: Place, records: Records) -> None:
    connect("claude-code", place, records)

    server = json.loads((place.home / ".claude.json").read_text())["mcpServers"]
    args = ["mcp", "--workspace", str(place.workspace)]
    assert server["reverie"]["command"] == REVERIE
    assert (server["reverie"]["args"], server["reverie"]["alwaysLoad"]) == (args, True)
    hooks = json.loads((place.home / ".claude/settings.json").read_text())["hooks"]
    starts = hooks["SessionStart"][0]["hooks"]
    assert [hook["args"][-1] for hook in starts] == [f"{n}/5" for n in range(1, 6)]
    assert hooks["Stop"][0]["hooks"][0]["args"][:4] == [
        *("hook", "stop", "--host", "claude-code"),
    ]
    assert hooks["PreToolUse"][0]["matcher"] == "mcp__.*reverie.*"


def test_codex_keeps_its_comments_and_gets_a_table(
    place: Place, records: Records
) -> None:
    config = place.home / ".codex/config.toml"
    write(config, '# mine\nmodel = "x"\n\n[mcp_servers.other] # too\ncommand = "o"')
    before = config.read_bytes()
    connect("codex", place, records)

    told = tomllib.loads(config.read_text())
    assert told["mcp_servers"]["reverie"]["command"] == REVERIE
    assert config.read_bytes().startswith(before)
    start = json.loads((place.home / ".codex/hooks.json").read_text())
    handler = start["hooks"]["SessionStart"][0]["hooks"][0]
    assert handler["command"].startswith("'/opt/a place/bin/reverie' hook start")
    assert handler["additionalContextLimit"] == 27_000

    remove("codex", place, records)

    assert config.read_bytes() == before


FOREIGN = {
    ".claude.json": '{"numStartups": 3, "mcpServers": {"x": {"command": "x"}}}',
    ".claude/settings.json": '{\n  // no\n  "hooks": {"Stop": [{"hooks": [\n'
    '    {"type": "command", "command": "beep"}]}]},\n}',
    ".claude/CLAUDE.md": "# Mine\n\nBe brief.",
}


def test_files_of_a_person_come_back_byte_for_byte(
    place: Place, records: Records
) -> None:
    for name, text in FOREIGN.items():
        write(place.home / name, text)
    before = files(place.home)
    connect("claude-code", place, records)
    hooks = (place.home / ".claude/settings.json").read_text()
    assert "beep" in hooks
    assert "// no" in hooks

    remove("claude-code", place, records)

    assert files(place.home) == before


def test_after_foreign_edits_only_ours_goes(place: Place, records: Records) -> None:
    for name, text in FOREIGN.items():
        write(place.home / name, text)
    connect("claude-code", place, records)
    # The host writes its own file anew; a person edits the others.
    state = place.home / ".claude.json"
    told = json.loads(state.read_text())
    state.write_text(json.dumps({**told, "numStartups": 4}))
    hooks, words = (
        place.home / ".claude/settings.json",
        place.home / ".claude/CLAUDE.md",
    )
    hooks.write_text(hooks.read_text().replace("beep", "boop"))
    words.write_text(words.read_text() + "\nAnd kind.\n")

    remove("claude-code", place, records)

    assert json.loads(state.read_text()) == {
        "numStartups": 4,
        "mcpServers": {"x": {"command": "x"}},
    }
    assert hooks.read_text() == FOREIGN[".claude/settings.json"].replace("beep", "boop")
    assert words.read_text() == "# Mine\n\nBe brief.\n\nAnd kind.\n"


def test_without_its_records_only_ours_goes_too(
    place: Place, records: Records, tmp_path: Path
) -> None:
    for name, text in FOREIGN.items():
        write(place.home / name, text)
    connect("claude-code", place, records)

    remove("claude-code", place, Records(tmp_path / "lost"))

    left = files(place.home)
    assert json.loads(left[".claude.json"]) == json.loads(FOREIGN[".claude.json"])
    assert b"reverie" not in b"".join(left.values())
    assert sorted(left) == sorted(FOREIGN)


@EVERY_HOST
def test_what_cannot_be_read_refuses_the_whole(
    host: str, place: Place, records: Records
) -> None:
    broken = targets(host, place)[0].path
    write(broken, '{"a": 1\n"b" = [')
    before = files(place.home)

    with pytest.raises(FormatError) as caught:
        connect(host, place, records)

    assert caught.value.line in {1, 2}
    assert str(broken) in str(caught.value)
    assert files(place.home) == before
    assert "unreadable" in states(host, place)


def test_bytes_that_are_no_text_refuse_the_whole(
    place: Place, records: Records
) -> None:
    write(place.home / ".gemini/GEMINI.md", "")
    (place.home / ".gemini/GEMINI.md").write_bytes(b"one\n\xff")

    with pytest.raises(FormatError, match=r"GEMINI\.md:2: is not UTF-8"):
        connect("gemini", place, records)


def test_a_server_of_that_name_by_another_hand_is_left_alone(
    place: Place, records: Records
) -> None:
    write(place.home / ".claude.json", '{"mcpServers": {"reverie": {"command": "z"}}}')
    before = files(place.home)

    with pytest.raises(TakenError, match=r"mcpServers\.reverie"):
        connect("claude-code", place, records)
    remove("claude-code", place, records)

    assert files(place.home) == before


def test_ours_goes_out_of_a_group_that_is_shared(
    place: Place, records: Records
) -> None:
    connect("claude-code", place, records)
    file = place.home / ".claude/settings.json"
    told = json.loads(file.read_text())
    mine = {"type": "command", "command": "beep"}
    told["hooks"]["Stop"][0]["hooks"].append(mine)
    file.write_text(json.dumps(told))

    remove("claude-code", place, records)

    assert json.loads(file.read_text()) == {"hooks": {"Stop": [{"hooks": [mine]}]}}


def test_what_reverie_instruct_wrote_is_left_to_it(
    tmp_path: Path, records: Records
) -> None:
    project = tmp_path / "project"
    write(project / "AGENTS.md", put_section("# Ours\n", "## Memory System\n"))
    before = files(project)
    place = there(tmp_path, project)
    connect("codex", place, records)

    assert files(project)["AGENTS.md"] == before["AGENTS.md"]
    remove("codex", place, records)
    assert files(project) == before


def test_links_are_followed_and_kept(place: Place, records: Records) -> None:
    dotfiles = place.home / "dotfiles/settings.json"
    write(dotfiles, "{}")
    link = place.home / ".claude/settings.json"
    link.parent.mkdir()
    link.symlink_to("../dotfiles/settings.json")
    dotfiles.chmod(0o640)

    connect("claude-code", place, records)
    assert "reverie" in dotfiles.read_text()
    remove("claude-code", place, records)

    assert link.is_symlink()
    assert dotfiles.read_text() == "{}"
    assert dotfiles.stat().st_mode & 0o777 == 0o640


def test_a_skill_that_was_edited_is_its_editors(place: Place, records: Records) -> None:
    connect("gemini", place, records)
    file = place.home / ".gemini/skills/reverie/SKILL.md"
    file.write_text(file.read_text() + "\nMore.\n")

    connect("gemini", place, records)
    remove("gemini", place, records)

    assert file.read_text().endswith("\nMore.\n")


def test_hosts_that_share_a_file_leave_it_to_the_last_one(
    tmp_path: Path, records: Records
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    place = there(tmp_path, project)
    write(project / "AGENTS.md", "# Ours\n")
    connect("codex", place, records)
    connect("opencode", place, records)

    remove("codex", place, records)
    assert "reverie:begin" in (project / "AGENTS.md").read_text()
    remove("opencode", place, records)

    assert files(project) == {"AGENTS.md": b"# Ours\n"}


def test_a_project_is_connected_in_its_own_files(
    tmp_path: Path, records: Records
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    place = there(tmp_path, project)
    connect("claude-code", place, records)

    assert sorted(files(project)) == [
        ".claude/settings.json",
        ".claude/skills/reverie/SKILL.md",
        ".mcp.json",
        "CLAUDE.md",
    ]
    assert files(place.home) == {}
    with pytest.raises(NoProjectError):
        connect("openclaw", place, records)


def test_files_of_the_workspace_are_left_to_its_ledger(
    tmp_path: Path, records: Records
) -> None:
    place = there(tmp_path, tmp_path / "agent")

    with pytest.raises(RefusedError, match="the workspace itself"):
        plan_connect("claude-code", place, records)


@pytest.mark.parametrize("host", ["gemini", "cursor"])
def test_a_long_start_is_told_by_several_hooks(place: Place, host: str) -> None:
    told = str(HOSTS[host].hooks(place))

    assert place.parts > 1
    assert all(f"--part {n}/{place.parts}" in told for n in range(1, place.parts + 1))


def test_it_is_told_to_which_workspace_a_host_is_connected(
    place: Place, records: Records
) -> None:
    connect("claude-code", place, records)
    elsewhere = msgspec.structs.replace(place, workspace=place.home / "another")

    named = {each.workspace for each in status("claude-code", elsewhere, records)}

    assert named == {"", str(place.workspace)}


def test_a_file_that_somebody_edited_is_told(place: Place, records: Records) -> None:
    connect("claude-code", place, records)
    own = place.home / ".claude/skills/reverie/SKILL.md"
    own.write_text("Mine.")

    found = {each.path: each.state for each in status("claude-code", place, records)}

    assert found[str(own)] == "edited"


def test_a_folder_that_the_environment_names_is_taken(
    tmp_path: Path, records: Records
) -> None:
    place = there(tmp_path, CODEX_HOME=str(tmp_path / "elsewhere"))
    connect("codex", place, records)

    assert "config.toml" in files(tmp_path / "elsewhere")
    assert files(place.home) == {}


def test_a_file_that_changed_meanwhile_stays_and_so_do_all(
    place: Place, records: Records
) -> None:
    changes = plan_connect("claude-code", place, records)
    write(place.home / ".claude/CLAUDE.md", "just now")

    with pytest.raises(ChangedMeanwhileError):
        carry_out(changes, records)

    assert files(place.home) == {".claude/CLAUDE.md": b"just now"}


def test_an_unknown_host_is_told_with_those_there_are(
    place: Place, records: Records
) -> None:
    with pytest.raises(UnknownHostError, match="emacs") as caught:
        plan_connect("emacs", place, records)

    assert "claude-code" in caught.value.advice


@EVERY_HOST
def test_a_plugin_starts_the_same_server(
    host: str, place: Place, tmp_path: Path
) -> None:
    made = write_plugin(host, place, tmp_path / "plugin")

    said = "".join(path.read_text() for path in made)
    assert json.dumps(REVERIE) in said
    assert (tmp_path / "plugin/skills/reverie/SKILL.md").read_text() == skill()
    with pytest.raises(Exception, match="not empty"):
        write_plugin(host, place, tmp_path / "plugin")


def test_the_skill_is_one_that_hosts_take() -> None:
    _, head, body = skill().split("---\n", 2)
    described = next(x for x in head.splitlines() if x.startswith("description: "))

    assert "name: reverie\n" in head
    assert len(described.removeprefix("description: ")) <= 1024
    assert len(body) < 5_000


@settings(max_examples=30)
@given(texts(), texts(), st.sampled_from([*HOSTS]))
def test_any_configuration_comes_back_byte_for_byte(
    tmp_path_factory: pytest.TempPathFactory, one: str, two: str, host: str
) -> None:
    tmp_path = tmp_path_factory.mktemp("any")
    place, records = there(tmp_path), Records(tmp_path / "records")
    for target, text in zip(targets(host, place), (one, two), strict=False):
        if target.path.suffix == ".json":
            write(target.path, text)
    before = files(place.home)
    try:
        connect(host, place, records)
    except (FormatError, TakenError):
        assert files(place.home) == before
        return
    once = files(place.home)
    connect(host, place, records)
    assert files(place.home) == once

    remove(host, place, records)

    assert files(place.home) == before


KEYS = st.from_regex(r"[a-z]{1,6}", fullmatch=True)
LINES = st.one_of(
    st.builds("{} = 1".format, KEYS),
    st.builds('{} = """\n[mcp_servers.reverie]\n"""'.format, KEYS),
    st.builds("{} = [\n  [1], # x\n]".format, KEYS),
    st.builds("[{}.{}]".format, KEYS, KEYS),
    st.sampled_from(
        ["# [mcp_servers.reverie]", "", "[mcp_servers.other]", "[mcp_servers]"]
    ),
)


@given(st.lists(LINES, max_size=8), st.sampled_from(["\n", "\r\n"]))
def test_any_toml_says_the_same_with_and_without_our_table(
    lines: list[str], end: str
) -> None:
    text = end.join("\n".join(lines).split("\n"))
    try:
        old: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    values = {"command": "/bin/reverie", "args": ["mcp", "--workspace", 'a"\\b']}
    target = TomlFile(Path("config.toml"), ("mcp_servers", "reverie"), values)
    new = target.put(text)
    assert tomllib.loads(new)["mcp_servers"]["reverie"] == values
    try:
        left = tomllib.loads(target.take(f"{new}{end}[after]{end}"))
    except FormatError:
        return  # Something in it looks like ours and is not: nothing was changed.

    servers = left.pop("mcp_servers", {})
    assert left.pop("after") == {}
    assert servers == old.pop("mcp_servers", {})
    assert left == old


def test_the_program_is_named_so_that_it_is_found_from_anywhere(tmp_path: Path) -> None:
    link, python = tmp_path / "bin/reverie", str(tmp_path / "venv/bin/python")
    write(link, "")
    write(tmp_path / "venv/bin/reverie", "")
    cached = "/home/a/.cache/uv/archive-v0/x/bin/python"

    assert started_by(str(link), python, None) == (str(link),)
    assert started_by("reverie", python, "/bin/uvx") == (
        str(tmp_path / "venv/bin/reverie"),
    )
    assert started_by("-m", "/bin/python", None) == ("/bin/python", "-m", "reverie")
    assert started_by(str(link), cached, "/bin/uvx") == ("/bin/uvx", "reverie")


def test_nothing_is_left_aside(place: Place, records: Records) -> None:
    connect("codex", place, records)

    assert not [*place.home.rglob("*.reverie-*")]
