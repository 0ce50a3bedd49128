"""Tools for agents of pydantic-ai, and a capability by which they live with a memory.

    with Memory.open("~/agent") as memory:
        agent = Agent("openai:gpt-5", capabilities=[ReverieMemory(memory)])

The tools are those of the MCP server, but for `reflect`. `ReverieMemory` gives them,
and does besides what an agent cannot be relied on to do by itself: it wakes with what
is known, what fits a message stands beside it, what the user asks of memory is done,
and both sides of each run are turns of a conversation.

Who wants the tools alone takes `toolsets=[memory_toolset(memory)]`; a sub-agent, which
reads and proposes, `memory_toolset(memory, agent="scout")`.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from copy import copy
from functools import wraps
from typing import TYPE_CHECKING, Any, cast

from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent
from pydantic import TypeAdapter

from reverie.errors import ReverieError
from reverie.interfaces.adapters import Access, MissingExtraError
from reverie.interfaces.hosts.events import prompted
from reverie.interfaces.mcp.schema import ChangeResult  # noqa: TC001 - read by pydantic
from reverie.interfaces.mcp.tools import MainTools, Meant, SubAgentTools, Wish
from reverie.model.items import Role

try:
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.toolsets import FunctionToolset
except ImportError as error:
    raise MissingExtraError("pydantic-ai") from error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reverie.memory import Memory, SubAgent
    from reverie.memory.pool import AsyncMemory, MemoryPool

HOST = "pydantic-ai"
"""What conversations begin with that nobody has named."""


def memory_toolset(memory: Memory | AsyncMemory, *, agent: str = "") -> Any:
    """The tools of a memory, as a toolset.

    Args:
        memory: An open memory.
        agent: The name of a sub-agent, which reads and proposes; without one they
            are those of the main agent.
    """
    access = Access(memory)
    if agent:
        lent = cast("MemoryPool[SubAgent]", _SubAgents(access, agent))
        sub = SubAgentTools(lent)
        given: list[Callable[..., Any]] = [sub.recall, sub.show, sub.propose]
    else:
        main = MainTools(cast("MemoryPool[Memory]", access))
        given = [main.recall, main.show, main.remember, main.correct]
        given += [_forgetting(main), main.merge, main.review, main.undo]
    return FunctionToolset([_telling(tool) for tool in given], id="reverie")


class _SubAgents:
    """Lends the handles of a sub-agent."""

    def __init__(self, access: Access, name: str) -> None:
        self._access, self._name = access, name

    @contextmanager
    def lend(self, *, writes: bool = False) -> Iterator[SubAgent]:
        with (
            self._access.lend(writes=writes) as memory,
            memory.acting_as(self._name) as agent,
        ):
            yield agent


def _telling(tool: Callable[..., Any]) -> Callable[..., Any]:
    """A tool that gives the model plain answers, also where it is refused.

    A refusal is no reason to try again, of which an agent has but a few.
    """

    @wraps(tool)
    def telling(*args: Any, **kwargs: Any) -> Any:
        try:
            told = tool(*args, **kwargs)
        except ToolError as error:
            return f"Not done: {error}"
        if not isinstance(told, CallToolResult):
            return told
        return "\n".join(p.text for p in told.content if isinstance(p, TextContent))

    telling.__annotations__ = {**tool.__annotations__, "return": object}
    return telling


def _forgetting(tools: MainTools) -> Callable[..., Any]:
    def forget(
        what: Wish = "",
        ids: Meant = (),
    ) -> ChangeResult:
        """Forget what the user asks to forget, never on your own account.

        First by words in `what`, which only lists; then, when they have said which,
        by `ids`. It is archived and not found any more; undo brings it back. For
        facts that merely changed use correct.
        """
        return tools.forget(tools.matches(ids)) if ids else tools.find(what or "?")

    return forget


class ReverieMemory(AbstractCapability):
    """Memory as a capability: tools, what is known, and the record of what was said.

    Args:
        memory: An open memory.
        window: What the conversation is called; by default as pydantic-ai calls it.
        agent: The name of a sub-agent: it has its tools, is told nothing by itself,
            and what it says is not recorded.
    """

    def __init__(
        self, memory: Memory | AsyncMemory, *, window: str = "", agent: str = ""
    ) -> None:
        self._access, self._agent = Access(memory), agent
        self._toolset = memory_toolset(memory, agent=agent)
        self.window, self._known, self._fitting = window, "", ""

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """It holds an open memory, so no file can describe it."""
        return None

    def get_toolset(self) -> Any:
        """The tools."""
        return self._toolset

    def get_instructions(self) -> Any:
        """What is known, which stays the same in a conversation; then what fits."""
        return [lambda: self._known, lambda: self._fitting]

    async def for_run(self, ctx: Any) -> Any:
        """One for this run, since each is told something else."""
        own = copy(self)
        own.window = self.window or f"{HOST}-{ctx.conversation_id or ctx.run_id}"
        return own

    async def before_run(self, ctx: Any) -> None:
        """Wake, do what the message asks of memory, and find what fits it."""
        said = _text(ctx.prompt)

        def tell(memory: Memory) -> None:
            # Whatever is wrong with memory, the user gets an answer.
            with suppress(ReverieError):
                self._known = memory.wake(self.window, new=not ctx.messages).text
                if said.strip():
                    self._fitting = prompted(memory, self.window, said)

        if not self._agent:
            await self._access.run(tell)

    async def after_run(self, ctx: Any, *, result: Any) -> Any:  # noqa: ARG002 - the hook's
        """Record the answer."""
        said = result.output
        if not isinstance(said, str):
            said = TypeAdapter(Any).dump_json(said).decode()

        def record(memory: Memory) -> None:
            with suppress(ReverieError):
                memory.window(self.window).say(said, role=Role.ASSISTANT)

        if not self._agent:
            await self._access.run(record)
        return result


def _text(prompt: Any) -> str:
    """The words of a prompt, whatever else is in it."""
    parts = [prompt] if isinstance(prompt, str) else prompt or ()
    return "\n\n".join(part for part in parts if isinstance(part, str))
