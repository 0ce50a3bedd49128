"""Clients of the SDK, connected to a workspace."""

from __future__ import annotations

import asyncio
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from mcp import StdioServerParameters
from mcp.client import Client
from mcp_types import ElicitRequestParams, ElicitResult

from reverie.interfaces.mcp.server import Door, build_server

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path

    from mcp.client.context import ClientRequestContext
    from mcp_types import CallToolResult


class Person:
    """A user whose client asks them; answers come from a list."""

    def __init__(self, *answers: dict[str, Any] | None) -> None:
        self.answers, self.asked = list(answers), list[str]()

    async def __call__(
        self, _: ClientRequestContext, params: ElicitRequestParams
    ) -> ElicitResult:
        """Answer what is asked."""
        self.asked.append(params.message)
        answer = self.answers.pop(0) if self.answers else None
        if answer is None:
            return ElicitResult(action="decline")
        return ElicitResult(action="accept", content=answer)


@asynccontextmanager
async def connected(
    root: Path,
    *,
    agent: str = "",
    person: Person | None = None,
    mode: str = "auto",
    stdio: bool = False,
) -> AsyncIterator[Client]:
    """A client of a workspace's server, in this process or in one of its own."""
    server: Any = build_server(Door(root, agent))
    if stdio:
        more = ["--agent", agent] if agent else []
        args = ["-P", "-m", "reverie", "-w", str(root), "mcp", *more]
        server = StdioServerParameters(command=sys.executable, args=args)
    asked: Any = person
    async with Client(server, mode=mode, elicitation_callback=asked) as client:
        yield client


def talk(root: Path, act: Callable[[Client], Awaitable[Any]], **how: Any) -> Any:
    """Do something with a client that is connected."""

    async def run() -> Any:
        async with connected(root, **how) as client:
            return await act(client)

    return asyncio.run(run())


def call(root: Path, tool: str, how: dict[str, Any] | None = None, **given: Any) -> Any:
    """What a tool gives, as structure; of an error, its words."""

    async def act(client: Client) -> Any:
        return read(await client.call_tool(tool, given))

    return talk(root, act, **(how or {}))


def read(result: CallToolResult) -> Any:
    """What a result says."""
    if result.is_error:
        return "".join(getattr(part, "text", "") for part in result.content)
    return result.structured_content
