"""The front door: `Memory` has the verbs, `SubAgent` those that read and propose."""

from reverie.memory.memory import Memory

__all__ = ["Memory"]
