"""The front door: `Memory` has the verbs, `SubAgent` those that read and propose."""

from reverie.memory.memory import Heard, Memory, SubAgent, settings_at

__all__ = ["Heard", "Memory", "SubAgent", "settings_at"]
