"""Where a host is connected: which program serves which workspace, for whom."""

from __future__ import annotations

import shlex
from importlib.resources import files
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from reverie.interfaces.hosts.hook import DEADLINES
from reverie.interfaces.hosts.targets import GENERATED

if TYPE_CHECKING:
    from collections.abc import Mapping

SERVER = "reverie"
"""What our server is called in a host."""

TOOLS = f"mcp__.*{SERVER}.*"
"""What a host calls our tools, those of our plugin too."""

PART = 9_500
"""Characters of one part of a long text: hosts take 10,000 from one hook."""

LONG_TOKEN = 5
"""Characters of a token, at most on the average of a page."""

USUAL_TOKENS = 9000
"""How much an agent may be told when it wakes, where nothing else is known."""

SECONDS = {event: ceil(1.2 * seconds) for event, seconds in DEADLINES.items()}
"""How long a host waits for each of our hooks, which end by themselves before."""


class Place(Struct, frozen=True):
    """Where a host is connected.

    Attributes:
        program: The words that start Reverie, the first an absolute path.
        workspace: The workspace, absolute.
        home: The user's home.
        project: The project that alone is connected; None for all that the user does.
        environ: The environment, in which a host's own folder may be named.
        wake_tokens: How much the agent may be told when it wakes.
        person: The person whose sessions they are; empty for everybody.
    """

    program: tuple[str, ...]
    workspace: Path
    home: Path
    project: Path | None = None
    environ: Mapping[str, str] = {}
    wake_tokens: int = USUAL_TOKENS
    person: str = ""

    @property
    def top(self) -> Path:
        """The project, or the user's home."""
        return self.project or self.home

    def folder(self, variable: str, usual: str) -> Path:
        """A host's folder: as a variable names it, or as it is called usually."""
        named = self.environ.get(variable, "") if self.project is None else ""
        return Path(named) if named else self.top / usual

    @property
    def parts(self) -> int:
        """How many hooks it takes to tell all that a wake may say."""
        return ceil(self.wake_tokens * LONG_TOKEN / PART)

    def server(self) -> list[str]:
        """The words that start the MCP server."""
        return [*self.program, "mcp", *self._scope]

    @property
    def _scope(self) -> list[str]:
        """The arguments that name the workspace and the person."""
        person = ["--person", self.person] if self.person else []
        return ["--workspace", str(self.workspace), *person]

    def hook(self, event: str, host: str, part: int = 0) -> list[str]:
        """The words of a hook."""
        words = [*self.program, "hook", event, "--host", host, *self._scope]
        return [*words, "--part", f"{part}/{self.parts}"] if part else words

    def hook_line(self, event: str, host: str, part: int = 0) -> str:
        """The same for a shell."""
        return shlex.join(self.hook(event, host, part))


def started_by(program: str, python: str, uvx: str | None) -> tuple[str, ...]:
    """The words by which this Reverie is started from anywhere, at any time.

    A link that an installer keeps up to date is better than what it points to, and
    what uv has put into its cache for one run is gone some day.

    Args:
        program: What was started: `sys.argv[0]`.
        python: The interpreter that runs it.
        uvx: Where `uvx` is, if it is anywhere.
    """
    if uvx and any(part.startswith("archive-v") for part in Path(python).parts):
        return uvx, "reverie"
    for there in (Path(program), Path(python).with_name("reverie")):
        if there.is_absolute() and there.name == "reverie" and there.is_file():
            return (str(there),)
    return python, "-m", "reverie"


def local_server(place: Place) -> dict[str, Any]:
    """The server, as most hosts name it."""
    command, *args = place.server()
    return {"command": command, "args": args}


def told() -> str:
    """What an agent is told of its memory in a host's file."""
    return _template("section")


def skill() -> str:
    """The skill: when to use what."""
    return _template("skill").replace("{generated}", f"<!-- {GENERATED} -->")


def _template(name: str) -> str:
    path = files("reverie.interfaces.hosts") / "templates" / f"{name}.md"
    return path.read_text("utf-8")
