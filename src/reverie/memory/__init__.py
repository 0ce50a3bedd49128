"""The front door: `Memory` has the verbs, `SubAgent` those that read and propose."""

from reverie.memory.memory import Heard, Memory, SubAgent, phrases_at

__all__ = ["Heard", "Memory", "SubAgent", "phrases_at"]
