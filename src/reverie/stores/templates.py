"""What a new workspace holds before anything is remembered."""

from __future__ import annotations

from reverie.stores.core import CORE_TEMPLATE
from reverie.stores.graph_index import render_graph_index
from reverie.stores.relations import RELATIONS_TEMPLATE
from reverie.workspace import layout

REFLECTION_LOG = """\
# Reflection Log

<!-- One entry per finished reflection, newest last. -->
"""

PENDING_REFLECTION = """\
# Pending Reflection

<!-- A proposal waits here until its human decides. Nothing is applied by waiting. -->
"""

PENDING_MEMORIES = """\
# Pending Memory Proposals

<!-- Sub-agents append proposals here. Main agent reviews and commits. -->
"""

EVOLUTION = """\
# Philosophical Evolution

<!-- How understanding has changed over many reflections. -->
"""

REWARD_LOG = """\
# Reward Log

<!-- Token requests, what was granted, and why. Newest last. -->
"""


def starting_files() -> dict[str, str]:
    """Text by path, for files that every workspace has from the start."""
    return {
        layout.CORE: CORE_TEMPLATE,
        layout.GRAPH_INDEX: render_graph_index((), ()),
        layout.RELATIONS: RELATIONS_TEMPLATE,
        layout.REFLECTION_LOG: REFLECTION_LOG,
        layout.PENDING_REFLECTION: PENDING_REFLECTION,
        layout.PENDING: PENDING_MEMORIES,
        layout.EVOLUTION: EVOLUTION,
        layout.REWARD_LOG: REWARD_LOG,
    }
