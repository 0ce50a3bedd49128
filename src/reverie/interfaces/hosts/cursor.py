"""Cursor: its MCP server, hooks, a rule and a skill.

`stop` does not tell what the agent said; `afterAgentResponse` does.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from reverie.interfaces.hosts.place import SECONDS, SERVER, local_server, skill, told
from reverie.interfaces.hosts.targets import JsonFile, OwnFile, Section

if TYPE_CHECKING:
    from reverie.interfaces.hosts.json_text import Keys
    from reverie.interfaces.hosts.place import Place
    from reverie.interfaces.hosts.targets import Target

HOST = "cursor"
EVENTS = {
    "sessionStart": "start",
    "beforeSubmitPrompt": "prompt",
    "afterAgentResponse": "stop",
    "preCompact": "compact",
    "sessionEnd": "end",
}
NEXT = "Start Cursor anew; its settings list the server and the hooks."


def targets(place: Place) -> list[Target]:
    """What is to stand in its files.

    Only a project has instructions: those for all that a user does are kept in
    Cursor's own settings.
    """
    config = place.top / ".cursor"
    items: dict[Keys, list[Any]]
    items = {("hooks", name): found for name, found in hooks(place).items()}
    found: list[Target] = [
        JsonFile(config / "mcp.json", {("mcpServers", SERVER): local_server(place)}),
        JsonFile(config / "hooks.json", items=items, needs={("version",): 1}),
        OwnFile(config / "skills/reverie/SKILL.md", skill()),
    ]
    if place.project:
        found.append(Section(place.project / "AGENTS.md", told()))
    return found


def hooks(place: Place) -> dict[str, list[Any]]:
    """Its hooks, by event."""
    # A start may have more to tell than one hook is taken from.
    parts = {"start": range(1, place.parts + 1)}
    return {
        name: [
            {
                "command": place.hook_line(event, HOST, part),
                "timeout": SECONDS[event],
            }
            for part in parts.get(event, (0,))
        ]
        for name, event in EVENTS.items()
    }


def plugin(place: Place) -> dict[str, Any]:
    """The same as a plugin folder: texts, and values for JSON, by path."""
    about = {"name": SERVER, "description": "Long-term memory as Markdown under git."}
    return {
        ".cursor-plugin/plugin.json": {**about, "version": version("reverie")},
        "mcp.json": {"mcpServers": {SERVER: local_server(place)}},
        "hooks/hooks.json": {"version": 1, "hooks": hooks(place)},
        "skills/reverie/SKILL.md": skill(),
    }
