"""`Memory`: an open workspace, with the verbs on it."""

from reverie.memory.memory import Memory

__all__ = ["Memory"]
