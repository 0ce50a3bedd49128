"""Reverie: a memory for agents that its human can read, correct and roll back.

Names are loaded when they are first used, so that a command that only prints its
help does not wait for git and SQLite.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` itself costs a hook more than all it does

# fmt: off
# isort: off
if TYPE_CHECKING:
    from reverie.authority.authority import Act, Request
    from reverie.conversation.window import Window
    from reverie.encoding.notebook import Notebook
    from reverie.errors import (
        ConflictError, FormatError, NotFoundError, RefusedError, ReverieError,
        UnavailableError,
    )
    from reverie.memory import Heard, Memory, SubAgent
    from reverie.memory.pool import AsyncMemory
    from reverie.memory.schedule import watch
    from reverie.minds.mind import Answer, Message, Mind, Question, Talker, Use
    from reverie.minds.scripted import ScriptedMind, ScriptedTalker
    from reverie.model.change import (
        Action, Actor, Approval, Corrected, LogEntry, LogLine, Near, Observed, Receipt,
        Remembered, Secrets,
    )
    from reverie.model.conversation import (
        Attended, Awake, Cause, Offer, Pruned, Quality, SummedUp, WindowView,
    )
    from reverie.model.health import Health
    from reverie.model.ids import ItemId, Store
    from reverie.model.items import (
        Block, Confidence, EpisodeKind, Finding, Role, Severity, Turn,
    )
    from reverie.model.items import Origin
    from reverie.model.proposals import (
        Agent, Clash, Proposal, Proposed, Resolution, Waiting,
    )
    from reverie.model.views import (
        Beside, Hit, Part, Plan, Reach, Recalled, Understood, Why,
    )
    from reverie.model.reflection import (
        Choice, Decision, Expected, Occasion, Operation, OperationKind,
        PendingReflection, TokenRequest, Trial, Verdict,
    )
    from reverie.model.route import (
        Core, EntityMention, Episodic, Observation, Procedural, RelationMention, Route,
        Semantic, Trigger, TriggerKind, Vault,
    )
    from reverie.model.views import (
        Alert, BlameLine, BlockUse, Contradiction, Erasing, ErasureReceipt, Forgetting,
        Match, Merging,
        Overview, Pair, Purge, RebuildReport, Shown, Taken, Undoing,
    )
    from reverie.reflection.apply import Reflected
    from reverie.reflection.reflection import Reflection
    from reverie.reflection.standing import Standing

__all__ = [
    "Act", "Action", "Actor", "Agent", "Alert", "Answer", "Approval", "AsyncMemory",
    "Attended", "Awake", "Beside", "BlameLine", "Block", "BlockUse", "Cause", "Choice",
    "Clash",
    "Confidence", "ConflictError", "Contradiction", "Core", "Corrected", "Decision",
    "EntityMention", "EpisodeKind",
    "Episodic", "Erasing", "ErasureReceipt", "Expected", "Finding", "Forgetting",
    "FormatError",
    "Health", "Heard", "Hit", "ItemId", "LogEntry", "LogLine", "Match", "Memory",
    "Merging", "Message", "Mind", "Near", "NotFoundError", "Notebook", "Observation",
    "Observed", "Occasion", "Offer",
    "Operation", "OperationKind", "Origin", "Overview", "Pair", "Part",
    "PendingReflection", "Plan",
    "Procedural", "Proposal", "Proposed", "Pruned", "Purge", "Quality", "Question",
    "Reach", "RebuildReport", "Recalled", "Receipt", "Reflected", "Reflection",
    "RefusedError", "RelationMention", "Remembered", "Request", "Resolution",
    "ReverieError", "Role", "Route", "ScriptedMind", "ScriptedTalker", "Secrets",
    "Semantic", "Severity", "Shown", "Standing", "Store", "SubAgent", "SummedUp",
    "Taken", "Talker", "TokenRequest", "Trial", "Trigger", "TriggerKind", "Turn",
    "UnavailableError", "Understood", "Undoing", "Use", "Vault", "Verdict", "Waiting",
    "Why",
    "Window", "WindowView", "watch",
]
# fmt: on
# isort: on

_HOMES = {
    "reverie.authority.authority": "Act Request",
    "reverie.conversation.window": "Window",
    "reverie.encoding.notebook": "Notebook",
    "reverie.errors": "ConflictError FormatError NotFoundError RefusedError "
    "ReverieError UnavailableError",
    "reverie.memory": "Heard Memory SubAgent",
    "reverie.memory.pool": "AsyncMemory",
    "reverie.memory.schedule": "watch",
    "reverie.minds.mind": "Answer Message Mind Question Talker Use",
    "reverie.minds.scripted": "ScriptedMind ScriptedTalker",
    "reverie.model.change": "Action Actor Approval Corrected LogEntry LogLine Near "
    "Observed "
    "Receipt Remembered Secrets",
    "reverie.model.conversation": "Attended Awake Cause Offer Pruned Quality SummedUp "
    "WindowView",
    "reverie.model.health": "Health",
    "reverie.model.ids": "ItemId Store",
    "reverie.model.items": "Block Confidence EpisodeKind Finding Origin Role Severity "
    "Turn",
    "reverie.model.proposals": "Agent Clash Proposal Proposed Resolution Waiting",
    "reverie.model.reflection": "Choice Decision Expected Occasion Operation "
    "OperationKind PendingReflection TokenRequest Trial Verdict",
    "reverie.model.route": "Core EntityMention Episodic Observation Procedural "
    "RelationMention Route Semantic Trigger TriggerKind Vault",
    "reverie.model.views": "Alert Beside BlameLine BlockUse Contradiction "
    "Erasing ErasureReceipt Forgetting "
    "Hit Match Merging Overview Pair Part Plan Purge Reach RebuildReport "
    "Recalled Shown Taken Understood Undoing Why",
    "reverie.reflection.apply": "Reflected",
    "reverie.reflection.reflection": "Reflection",
    "reverie.reflection.standing": "Standing",
}
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    from importlib import import_module  # noqa: PLC0415 - a hook needs none

    value: object = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
