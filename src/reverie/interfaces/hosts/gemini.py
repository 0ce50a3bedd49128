"""Gemini CLI: its MCP server, hooks, instructions and skill."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from reverie.interfaces.hosts.place import SECONDS, SERVER, local_server, skill, told
from reverie.interfaces.hosts.targets import JsonFile, OwnFile, Section

if TYPE_CHECKING:
    from reverie.interfaces.hosts.json_text import Keys
    from reverie.interfaces.hosts.place import Place
    from reverie.interfaces.hosts.targets import Target

HOST = "gemini"
EVENTS = {
    "SessionStart": "start",
    "BeforeAgent": "prompt",
    "AfterAgent": "stop",
    "PreCompress": "compact",
    "SessionEnd": "end",
}
NEXT = "Gemini CLI starts servers in folders that you trust: `/permissions`."


def targets(place: Place) -> list[Target]:
    """What is to stand in its files."""
    config = place.folder("GEMINI_CLI_HOME", "") / ".gemini"
    words = place.project / "GEMINI.md" if place.project else config / "GEMINI.md"
    items: dict[Keys, list[Any]]
    items = {("hooks", name): groups for name, groups in hooks(place).items()}
    members: dict[Keys, Any] = {("mcpServers", SERVER): local_server(place)}
    return [
        JsonFile(config / "settings.json", members, items),
        Section(words, told()),
        OwnFile(config / "skills/reverie/SKILL.md", skill()),
    ]


def hooks(place: Place) -> dict[str, list[Any]]:
    """Its hooks, by event; it counts milliseconds."""
    found: dict[str, list[Any]] = {}
    for name, event in EVENTS.items():
        # A start may have more to tell than one hook is taken from.
        parts = range(1, place.parts + 1) if event == "start" else (0,)
        handlers = [
            {
                "name": f"reverie-{event}" + (f"-{part}" if part else ""),
                "type": "command",
                "command": place.hook_line(event, HOST, part),
                "timeout": SECONDS[event] * 1000,
            }
            for part in parts
        ]
        found[name] = [{"hooks": handlers}]
    return found


def plugin(place: Place) -> dict[str, Any]:
    """The same as an extension's folder: texts, and values for JSON, by path."""
    server = {SERVER: local_server(place)}
    about = {
        "name": SERVER,
        "version": version("reverie"),
        "contextFileName": "GEMINI.md",
    }
    return {
        "gemini-extension.json": {**about, "mcpServers": server},
        "hooks/hooks.json": {"hooks": hooks(place)},
        "skills/reverie/SKILL.md": skill(),
        "GEMINI.md": told(),
    }
