"""OpenClaw: its MCP server and skill; it has no settings for one project alone."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from reverie.errors import RefusedError
from reverie.interfaces.hosts.place import SERVER, local_server, skill
from reverie.interfaces.hosts.targets import JsonFile, OwnFile

if TYPE_CHECKING:
    from reverie.interfaces.hosts.json_text import Keys
    from reverie.interfaces.hosts.place import Place
    from reverie.interfaces.hosts.targets import Target

HOST = "openclaw"
NEXT = (
    "`openclaw mcp doctor reverie --probe` tells whether it works. Its own notes are "
    "adopted by `reverie init` in its workspace. Its dreaming rewrites MEMORY.md too; "
    "let one of them do it: `openclaw config set "
    "plugins.entries.memory-core.config.dreaming.enabled false` leaves it to Reverie."
)


class NoProjectError(RefusedError):
    """A host that has no settings for one project."""

    says = "OpenClaw has no settings for one project alone"
    mend = "Connect it without --project. Nothing was changed."


def targets(place: Place) -> list[Target]:
    """What is to stand in its files.

    Raises:
        NoProjectError: Only a project was to be connected.
    """
    if place.project:
        raise NoProjectError
    state = place.folder("OPENCLAW_STATE_DIR", ".openclaw")
    members: dict[Keys, Any] = {("mcp", "servers", SERVER): local_server(place)}
    return [
        JsonFile(state / "openclaw.json", members),
        OwnFile(state / "skills/reverie/SKILL.md", skill()),
    ]


def plugin(place: Place) -> dict[str, Any]:
    """The same as a bundle: texts, and values for JSON, by path."""
    schemas = "https://agent-plugins.org/schemas/1.0.0"
    server = {"type": "stdio", **local_server(place)}
    return {
        "plugin.json": {
            "$schema": f"{schemas}/plugin.schema.json",
            "name": SERVER,
            "version": version("reverie"),
            "description": "Long-term memory as Markdown under git.",
        },
        "mcp.json": {
            "$schema": f"{schemas}/mcp.schema.json",
            "mcpServers": {SERVER: server},
        },
        "skills/reverie/SKILL.md": skill(),
    }
