"""What a sub-agent may do in a host, decided from the host's own words alone.

It is asked before every tool of ours, so it needs the standard library alone, and no
workspace: where nothing else works, this still does.
"""

from __future__ import annotations

import json

READS = ("recall", "show", "propose")
"""The tools that a sub-agent may use."""

DENIED = (
    "A sub-agent does not write into memory: use the propose tool, and the main agent "
    "or its human decides."
)


def denied(tool: str, *, sub_agent: bool) -> str:
    """That a sub-agent may not use a tool that writes; nothing for any other.

    Args:
        tool: As its host calls it: `mcp__reverie__remember`, say.
        sub_agent: Whether a sub-agent is about to use it.
    """
    if not sub_agent or "reverie" not in tool or tool.rpartition("__")[2] in READS:
        return ""
    decision = {"permissionDecision": "deny", "permissionDecisionReason": DENIED}
    told = {"hookEventName": "PreToolUse", **decision}
    return json.dumps({"hookSpecificOutput": told})
