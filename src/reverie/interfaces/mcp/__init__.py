"""The MCP server: what a connected agent can ask of a workspace, and tell it."""
