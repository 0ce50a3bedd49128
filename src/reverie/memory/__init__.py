"""`Memory`: an open workspace, with the verbs on it; `Reader`: only to be asked.

Loaded when they are first used: who only asks does not wait for what writes.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reverie.memory.memory import Memory
    from reverie.memory.reader import Reader

__all__ = ["Memory", "Reader"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    home = import_module(f"{__name__}.{name.lower()}")
    value: object = getattr(home, name)
    globals()[name] = value
    return value
