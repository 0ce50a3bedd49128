"""What a person's words ask of memory: remember, forget, reflect, search.

A phrase of a table counts where an order can stand: at the start of a sentence or
clause, or at its end for the languages that put it there. Questions, negations,
quotations and code order nothing. `*.toml` beside this file are the tables.
"""

from __future__ import annotations

from reverie.encoding.triggers.detection import detect

__all__ = ["detect"]
