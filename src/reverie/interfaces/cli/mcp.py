"""`mcp`: the MCP server of a workspace, for a host that starts it."""

from __future__ import annotations

from reverie.interfaces.cli import command as cli


@cli.verb()
@cli.option("--agent", "Connect a sub-agent of this name.", metavar="NAME", default="")
def mcp(call: cli.Invocation, agent: str) -> None:
    """Serve this workspace to an agent by MCP, over standard input and output.

    A host starts it; `reverie connect HOST` tells it how. A sub-agent reads and
    proposes, and has no other tool.

        reverie mcp
        reverie mcp --agent researcher
    """
    from reverie.interfaces.mcp.server import Door, build_server

    with call.open():
        # A folder that is none is told now, and not at the first question.
        root = call.root.absolute()
    build_server(Door(root, agent, call.for_person)).run("stdio")
