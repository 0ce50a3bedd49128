"""OpenCode: its MCP server, instructions and skill."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reverie.interfaces.hosts.place import SERVER, skill, told
from reverie.interfaces.hosts.targets import JsonFile, OwnFile, Section

if TYPE_CHECKING:
    from pathlib import Path

    from reverie.interfaces.hosts.json_text import Keys
    from reverie.interfaces.hosts.place import Place
    from reverie.interfaces.hosts.targets import Target

HOST = "opencode"
NEXT = "`opencode mcp list` shows that it is connected."


def targets(place: Place) -> list[Target]:
    """What is to stand in its files."""
    config = place.folder("XDG_CONFIG_HOME", ".config") / "opencode"
    if place.project:
        config = place.project
    skills = place.project / ".opencode" if place.project else config
    members: dict[Keys, Any] = {("mcp", SERVER): _server(place)}
    return [
        JsonFile(_settings(config), members),
        Section(config / "AGENTS.md", told()),
        OwnFile(skills / "skills/reverie/SKILL.md", skill()),
    ]


def _settings(config: Path) -> Path:
    """Its settings: the file that is there, if it is the one with comments."""
    commented = config / "opencode.jsonc"
    return commented if commented.exists() else config / "opencode.json"


def _server(place: Place) -> dict[str, Any]:
    return {"type": "local", "command": place.server(), "enabled": True}


def plugin(place: Place) -> dict[str, Any]:
    """The same as a folder of settings: texts, and values for JSON, by path."""
    return {
        "opencode.json": {"mcp": {SERVER: _server(place)}},
        "AGENTS.md": told(),
        "skills/reverie/SKILL.md": skill(),
    }
