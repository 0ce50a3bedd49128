"""How an open workspace is doing."""
