"""The rules of a monologue that code can check (reflection v2, "Philosophy").

A fault is a sentence that a mind can be told, so that it mends its text. What needs
no mind, `mended` does. Where a rule cannot be decided for sure, nothing is said: a
good monologue must not be spoilt for a rule's sake.
"""

from reverie.reflection.monologue.edges import TAG
from reverie.reflection.monologue.faults import find_faults
from reverie.reflection.monologue.inventions import find_inventions
from reverie.reflection.monologue.mending import mended

__all__ = ["TAG", "find_faults", "find_inventions", "mended"]
