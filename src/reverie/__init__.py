"""Reverie: a memory for agents that its human can read, correct and roll back.

Names are loaded when they are first used, so that a command that only prints its
help does not wait for git and SQLite.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reverie.authority.authority import Act, Request
    from reverie.conversation.waking import Window
    from reverie.errors import (
        ConflictError,
        FormatError,
        NotFoundError,
        RefusedError,
        ReverieError,
        UnavailableError,
    )
    from reverie.memory import Memory
    from reverie.memory.companions import SubAgent
    from reverie.memory.hearing import Heard
    from reverie.memory.watching import watch
    from reverie.minds.mind import Answer, Message, Mind, Question, Talker, Use
    from reverie.minds.scripted import ScriptedMind, ScriptedTalker
    from reverie.model.agents import Agent, Clash, Proposed, Resolution, Waiting
    from reverie.model.change import (
        Action,
        Actor,
        Approval,
        LogEntry,
        LogLine,
        Receipt,
    )
    from reverie.model.conversation import (
        Attended,
        Awake,
        Cause,
        Offer,
        Pruned,
        Quality,
        SummedUp,
        WindowView,
    )
    from reverie.model.finding import Finding, Severity
    from reverie.model.forgetting import Forgetting, Match
    from reverie.model.health import Health
    from reverie.model.ids import ItemId, Store
    from reverie.model.items import Block, Confidence, EpisodeKind, Role, Turn
    from reverie.model.origin import Origin
    from reverie.model.place import Core, Episodic, Procedural, Semantic, Vault
    from reverie.model.proposal import Proposal
    from reverie.model.purge import Purge, Taken
    from reverie.model.recall import (
        Beside,
        Hit,
        Part,
        Plan,
        Reach,
        Recalled,
        Understood,
        Why,
    )
    from reverie.model.reflection import (
        Choice,
        Decision,
        Expected,
        Occasion,
        Operation,
        OperationKind,
        PendingReflection,
        TokenRequest,
        Trial,
        Verdict,
    )
    from reverie.model.remembered import Near, Remembered, Secrets
    from reverie.model.route import EntityMention, RelationMention, Route
    from reverie.model.triggers import Trigger, TriggerKind
    from reverie.model.views import (
        Alert,
        BlameLine,
        BlockUse,
        ErasureReceipt,
        Overview,
        RebuildReport,
        Shown,
    )
    from reverie.reflection.recording import Reflected
    from reverie.reflection.reflecting import Reflection
    from reverie.reflection.standing import Standing

__all__ = [
    "Act",
    "Action",
    "Actor",
    "Agent",
    "Alert",
    "Answer",
    "Approval",
    "Attended",
    "Awake",
    "Beside",
    "BlameLine",
    "Block",
    "BlockUse",
    "Cause",
    "Choice",
    "Clash",
    "Confidence",
    "ConflictError",
    "Core",
    "Decision",
    "EntityMention",
    "EpisodeKind",
    "Episodic",
    "ErasureReceipt",
    "Expected",
    "Finding",
    "Forgetting",
    "FormatError",
    "Health",
    "Heard",
    "Hit",
    "ItemId",
    "LogEntry",
    "LogLine",
    "Match",
    "Memory",
    "Message",
    "Mind",
    "Near",
    "NotFoundError",
    "Occasion",
    "Offer",
    "Operation",
    "OperationKind",
    "Origin",
    "Overview",
    "Part",
    "PendingReflection",
    "Plan",
    "Procedural",
    "Proposal",
    "Proposed",
    "Pruned",
    "Purge",
    "Quality",
    "Question",
    "Reach",
    "RebuildReport",
    "Recalled",
    "Receipt",
    "Reflected",
    "Reflection",
    "RefusedError",
    "RelationMention",
    "Remembered",
    "Request",
    "Resolution",
    "ReverieError",
    "Role",
    "Route",
    "ScriptedMind",
    "ScriptedTalker",
    "Secrets",
    "Semantic",
    "Severity",
    "Shown",
    "Standing",
    "Store",
    "SubAgent",
    "SummedUp",
    "Taken",
    "Talker",
    "TokenRequest",
    "Trial",
    "Trigger",
    "TriggerKind",
    "Turn",
    "UnavailableError",
    "Understood",
    "Use",
    "Vault",
    "Verdict",
    "Waiting",
    "Why",
    "Window",
    "WindowView",
    "watch",
]

_HOMES = {
    "reverie.authority.authority": "Act Request",
    "reverie.errors": "ConflictError FormatError NotFoundError RefusedError "
    "ReverieError UnavailableError",
    "reverie.memory": "Memory",
    "reverie.memory.companions": "SubAgent",
    "reverie.conversation.waking": "Window",
    "reverie.memory.watching": "watch",
    "reverie.minds.mind": "Answer Message Mind Question Talker Use",
    "reverie.minds.scripted": "ScriptedMind ScriptedTalker",
    "reverie.model.agents": "Agent Clash Proposed Resolution Waiting",
    "reverie.model.conversation": "Attended Awake Cause Offer Pruned Quality SummedUp "
    "WindowView",
    "reverie.model.health": "Health",
    "reverie.model.forgetting": "Forgetting Match",
    "reverie.model.origin": "Origin",
    "reverie.model.proposal": "Proposal",
    "reverie.model.purge": "Purge Taken",
    "reverie.model.remembered": "Near Remembered Secrets",
    "reverie.model.route": "EntityMention RelationMention Route",
    "reverie.model.triggers": "Trigger TriggerKind",
    "reverie.memory.hearing": "Heard",
    "reverie.reflection.recording": "Reflected",
    "reverie.reflection.reflecting": "Reflection",
    "reverie.reflection.standing": "Standing",
    "reverie.model.reflection": "Choice Decision Expected Occasion Operation "
    "OperationKind PendingReflection TokenRequest Trial Verdict",
    "reverie.model.change": "Action Actor Approval LogEntry LogLine Receipt",
    "reverie.model.finding": "Finding Severity",
    "reverie.model.ids": "ItemId Store",
    "reverie.model.items": "Block Confidence EpisodeKind Role Turn",
    "reverie.model.place": "Core Episodic Procedural Semantic Vault",
    "reverie.model.recall": "Beside Hit Part Plan Reach Recalled Understood Why",
    "reverie.model.views": "Alert BlameLine BlockUse ErasureReceipt Overview "
    "RebuildReport Shown",
}
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    value: object = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
