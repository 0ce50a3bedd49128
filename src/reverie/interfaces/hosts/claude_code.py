"""Claude Code: its MCP server, hooks, instructions and skill.

`alwaysLoad` has it show the tools to the model at once; else it lists their names, and
the model has to search before it can use one. A hook's answer is cut above 10,000
characters, so a long wake comes from several.
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
from reverie.interfaces.hosts.targets import JsonFile, OwnFile, Section

if TYPE_CHECKING:
    from reverie.interfaces.hosts.json_text import Keys
    from reverie.interfaces.hosts.place import Place
    from reverie.interfaces.hosts.targets import Target

HOST = "claude-code"
EVENTS = {
    "UserPromptSubmit": "prompt",
    "Stop": "stop",
    "PreCompact": "compact",
    "SessionEnd": "end",
}
NEXT = "Start Claude Code anew; `/mcp` and `/hooks` show what is connected."


def targets(place: Place) -> list[Target]:
    """What is to stand in its files."""
    config = place.folder("CLAUDE_CONFIG_DIR", ".claude")
    own_folder = config if place.environ.get("CLAUDE_CONFIG_DIR") else place.home
    server = (
        place.project / ".mcp.json" if place.project else own_folder / ".claude.json"
    )
    words = place.project / "CLAUDE.md" if place.project else config / "CLAUDE.md"
    return [
        JsonFile(server, {("mcpServers", SERVER): mcp_server(place)}),
        JsonFile(config / "settings.json", items=_items(place)),
        Section(words, told()),
        OwnFile(config / "skills/reverie/SKILL.md", skill()),
    ]


def mcp_server(place: Place) -> dict[str, Any]:
    """Its entry for our server."""
    return {"type": "stdio", **local_server(place), "alwaysLoad": True}


def hooks(place: Place) -> dict[str, list[Any]]:
    """Its hooks, by event."""
    starts = [_handler(place, "start", part) for part in range(1, place.parts + 1)]
    found: dict[str, list[Any]] = {"SessionStart": [{"hooks": starts}]}
    for name, event in EVENTS.items():
        found[name] = [{"hooks": [_handler(place, event)]}]
    guard = {"matcher": TOOLS, "hooks": [_handler(place, "tool")]}
    return {**found, "PreToolUse": [guard]}


def _items(place: Place) -> dict[Keys, list[Any]]:
    return {("hooks", name): groups for name, groups in hooks(place).items()}


def _handler(place: Place, event: str, part: int = 0) -> dict[str, Any]:
    command, *args = place.hook(event, HOST, part)
    seconds = SECONDS[event]
    return {"type": "command", "command": command, "args": args, "timeout": seconds}


def plugin(place: Place) -> dict[str, Any]:
    """The same as a plugin folder: texts, and values for JSON, by path."""
    about = {"name": SERVER, "description": "Long-term memory as Markdown under git."}
    return {
        ".claude-plugin/plugin.json": {**about, "version": version("reverie")},
        ".mcp.json": {"mcpServers": {SERVER: mcp_server(place)}},
        "hooks/hooks.json": {"hooks": hooks(place)},
        "skills/reverie/SKILL.md": skill(),
    }
