"""Texts made fit for a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def find_said(texts: Sequence[str]) -> list[int]:
    """The places of the texts that say something; blank ones get no vector."""
    return [at for at, text in enumerate(texts) if text and not text.isspace()]


def sound(text: str) -> str:
    """The text without halves of surrogate pairs, which have no UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")
