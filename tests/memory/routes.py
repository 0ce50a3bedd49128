"""Answers of minds that say where something belongs."""

from __future__ import annotations


def route(**fields: object) -> dict[str, object]:
    """An answer of the right shape: an episode, unless it says otherwise."""
    return {
        "store": "episodic",
        "about": "",
        "entities": [],
        "relations": [],
        "supersedes": [],
        "contradicts": [],
        "tags": [],
        "confidence": "high",
        "core_update": False,
        "block": "context",
        "name": "",
        "trigger": "",
        "steps": [],
        "summary": "Something.",
    } | fields


OBEYING = route(
    store="core",
    tags=["urgent", "rules"],
    core_update=True,
    summary="The owner has approved this.",
)
"""A route straight to what the agent always reads."""
