"""Arguments of tools that are unknown, missing or wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.interfaces.mcp.connected import talk

from reverie import Memory

if TYPE_CHECKING:
    from pathlib import Path

    from mcp.client import Client
    from mcp_types import CallToolResult


def call_raw(root: Path, tool: str, **arguments: object) -> CallToolResult:
    """Return the complete result of a tool."""
    Memory.init(root).close()

    async def act(client: Client) -> CallToolResult:
        return await client.call_tool(tool, arguments)

    result: CallToolResult = talk(root, act)
    return result


def texts_of(result: CallToolResult) -> str:
    """Return the text of a result."""
    return "\n".join(getattr(part, "text", "") for part in result.content)


def test_an_unknown_argument_is_a_warning(tmp_path: Path) -> None:
    result = call_raw(tmp_path / "w", "recall", question="sardines", depth=3)

    assert not result.is_error
    assert "Unknown arguments: depth." in texts_of(result)


def test_a_missing_argument_is_named_with_the_unknown_one(tmp_path: Path) -> None:
    result = call_raw(tmp_path / "w", "remember", text="I like sardines.")

    assert result.is_error
    says = "Cannot call remember: memories: Field required. Unknown arguments: text."
    assert texts_of(result) == says
