"""`mcp`: the MCP server of a workspace, for a host that starts it."""

from __future__ import annotations

from reverie.interfaces.cli import command as cli


@cli.verb()
@cli.person_option("The person for whom the agent works.")
def mcp(call: cli.Invocation) -> None:
    """Serve this workspace to an agent by MCP, as its host starts it.

    It speaks over standard input and output. With --agent it is for that
    sub-agent, which reads and proposes, and has no other tool.

        reverie mcp
        reverie mcp --agent researcher
    """
    from reverie.interfaces.mcp.server import Door, build_server
    from reverie.memory.pool import one_thread_each

    one_thread_each()
    with call.reader as memory:
        # A folder that is none is told now, and not at the first question.
        root = memory.root
    door = Door(root, call.agent, call.for_person)
    pool = None if call.agent else door.pool()
    try:
        build_server(door, pool).run("stdio")
    finally:
        if pool is not None:
            pool.close()
