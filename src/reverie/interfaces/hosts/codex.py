"""Codex: its MCP server, hooks, instructions and skill.

It asks before every tool that is not read-only, and refuses it where it cannot ask, so
our server is approved as a whole: no tool of it decides for a person. Its hooks run
once their user has trusted them (`/hooks`).
"""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from reverie.interfaces.hosts.place import (
    SECONDS,
    SERVER,
    TOOLS,
    local_server,
    skill,
    told,
)
from reverie.interfaces.hosts.targets import JsonFile, OwnFile, Section, TomlFile

if TYPE_CHECKING:
    from reverie.interfaces.hosts.json_text import Keys
    from reverie.interfaces.hosts.place import Place
    from reverie.interfaces.hosts.targets import Target

HOST = "codex"
EVENTS = {
    "SessionStart": "start",
    "UserPromptSubmit": "prompt",
    "Stop": "stop",
    "PreCompact": "compact",
    "SessionEnd": "end",
}
NEXT = (
    "Start Codex, type `/hooks` and trust the new ones: before that they do not run. "
    "It reads a project's settings once you trust the project."
)


def targets(place: Place) -> list[Target]:
    """What is to stand in its files."""
    config = place.folder("CODEX_HOME", ".codex")
    words = place.project / "AGENTS.md" if place.project else config / "AGENTS.md"
    items: dict[Keys, list[Any]]
    items = {("hooks", name): groups for name, groups in hooks(place).items()}
    return [
        TomlFile(config / "config.toml", ("mcp_servers", SERVER), mcp_server(place)),
        JsonFile(config / "hooks.json", items=items),
        Section(words, told()),
        OwnFile(config / "skills/reverie/SKILL.md", skill()),
    ]


def mcp_server(place: Place) -> dict[str, Any]:
    """Its entry for our server."""
    return {**local_server(place), "default_tools_approval_mode": "approve"}


def hooks(place: Place) -> dict[str, list[Any]]:
    """Its hooks, by event."""
    found = {}
    for name, event in {**EVENTS, "PreToolUse": "tool"}.items():
        line, seconds = place.hook_line(event, HOST), SECONDS[event]
        handler: dict[str, Any] = {"type": "command", "command": line}
        handler["timeout"] = seconds
        if event == "start":
            # It counts four bytes for a token.
            handler["additionalContextLimit"] = 3 * place.wake_tokens
        group: dict[str, Any] = {"hooks": [handler]}
        if event == "tool":
            group = {"matcher": TOOLS, **group}
        found[name] = [group]
    return found


def plugin(place: Place) -> dict[str, Any]:
    """The same as a plugin folder: texts, and values for JSON, by path."""
    return {
        ".codex-plugin/plugin.json": {
            "name": SERVER,
            "version": version("reverie"),
            "description": "Long-term memory as Markdown under git.",
            "skills": "./skills/",
            "mcpServers": "./.mcp.json",
            "hooks": "./hooks/hooks.json",
        },
        ".mcp.json": {"mcpServers": {SERVER: mcp_server(place)}},
        "hooks/hooks.json": {"hooks": hooks(place)},
        "skills/reverie/SKILL.md": skill(),
    }
