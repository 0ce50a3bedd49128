"""A small workspace to plan on, held in memory."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime

from reverie.config import Config
from reverie.decay import Trace
from reverie.encoding.placement import Desk
from reverie.index import Located
from reverie.markdown import one_line
from reverie.model.ids import ItemId
from reverie.model.items import Source
from reverie.model.reflection import Operation, OperationKind
from reverie.model.route import Episodic
from reverie.reflection.plan import Site
from reverie.workspace import layout

NOW = datetime(2026, 2, 20, 12, 0, tzinfo=UTC)
ALEX = f"{layout.ENTITIES}/person--alex.md"
PINNED = f"{layout.ENTITIES}/person--kim.md"
DEPLOY = f"{layout.PROCEDURES}/how-to-deploy.md"
FADED = "episode:2026-01-01:10:00"
KEPT = "episode:2026-01-02:10:00"
GONE = "episode:2026-01-03:10:00"

ALEX_PAGE = """\
# person--alex

<!-- Type: person | Created: 2026-01-01 | Last updated: 2026-01-02 -->
<!-- Pinned: no -->

## Summary

## Facts
- Lives in Lisbon <!-- since: 2026-01-01 -->
- Drinks tea

## Relations
- Uses: [[tool--git]]

## My own notes
Do not touch.
"""
PINNED_PAGE = """\
# person--kim

<!-- Type: person | Created: 2026-01-01 -->
<!-- Pinned: yes -->

## Summary
A friend.

## Facts
- Plays the cello

## Relations
- Knows: [[person--alex]]
"""
DEPLOY_PAGE = """\
# how-to-deploy.md

<!-- Type: procedure | Learned: 2026-01-01 -->
<!-- Pinned: no -->

## Trigger
When it is time to ship.

## Steps
1. Run the tests
"""
CORE = """\
# MEMORY.md — Core Memory

<!-- mine -->

## Identity
- Name: Alex
- Born in Faro <!-- pinned -->

## Active Context
<!-- now -->
- Working on the garden shed
- Waiting for the roof tiles <!-- by:agent -->

## Persona
- Likes short answers

## Critical Facts
- Allergic to nuts <!-- pinned -->

## A section of my own
- Keep out
"""
PENDING = """\
# Pending memories

---
## Proposal #3
- **From**: scout
- **Suggested store**: episodic
- **Content**: The ferry leaves at nine.
- **Origin**: sub-agent
- **Status**: pending

---
## Proposal #4
- **From**: scout
- **Suggested store**: episodic
- **Content**: The café closes at six.
- **Status**: pending
"""

FILES = {
    ALEX: ALEX_PAGE,
    PINNED: PINNED_PAGE,
    DEPLOY: DEPLOY_PAGE,
    layout.CORE: CORE,
    layout.PENDING: PENDING,
    f"{layout.ENTITIES}/tool--git.md": "# tool--git\n\n## Facts\n- Keeps history\n",
    f"{layout.ENTITIES}/tool--saw.md": "# tool--saw\n\n## Facts\n- Cuts\n",
    f"{layout.VAULT}/passport.md": "# Passport\n\nIn the drawer.\n",
    "SOUL.md": "# Soul\n",
    "IDENTITY.md": "# Identity\n",
}


@dataclass
class Workspace:
    """Files and traces, and a site that looks at them."""

    files: dict[str, bytes] = field(
        default_factory=lambda: {path: text.encode() for path, text in FILES.items()}
    )
    config: Config = field(default_factory=Config)

    @property
    def site(self) -> Site:
        """What planning may look at."""
        return Site(self._desk(), find, trace, lambda _: Episodic())

    def _desk(self) -> Desk:
        return Desk(
            self.config,
            NOW,
            Source.REFLECTION,
            self.files.get,
            lambda folder, name: f"{folder}/{name}",
            lambda _: 1.0,
        )


def find(id_: str) -> Located | None:
    """A memory of the index: three episodes and the entities."""
    if id_ in {FADED, KEPT, GONE}:
        day = f"{layout.EPISODES}/{id_[8:18]}.md"
        return Located(id_, ItemId.parse(id_).store, day, 3, "A day in January", "…")
    if id_ in {"entity:person--alex", "entity:person--kim"}:
        path = f"{layout.ENTITIES}/{id_[7:]}.md"
        return Located(id_, ItemId.parse(id_).store, path, 1, "Somebody", "…")
    return None


def trace(id_: str) -> Trace | None:
    """What decay knows of a memory."""
    if find(id_) is None:
        return None
    made = datetime(2026, 1, 1, 10, 0, tzinfo=UTC)
    return Trace(
        ItemId.parse(id_).store,
        0.7,
        made,
        made,
        pinned=id_ in {KEPT, "entity:person--kim"},
        archived=id_ == GONE,
    )


def made(kind: str, target: str, content: str = "", reason: str = "") -> Operation:
    """An operation, in a few words."""
    return Operation(OperationKind(kind), target, content, reason)


def render_operation(operation: Operation) -> str:
    """An operation in the text form, its content fenced; `parse_text` reads it back."""
    runs = re.findall(r"`{3,}", operation.content)
    fence = "`" * (1 + max(map(len, runs), default=2))
    content = f"{operation.content}\n" if operation.content else ""
    context = f"EVOLUTION_CONTEXT: {one_line(operation.context)}\n"
    return (
        f"---\nOPERATION: {operation.kind}\nTARGET: {one_line(operation.target)}\n"
        f"CONTENT:\n{fence}\n{content}{fence}\nREASON: {one_line(operation.reason)}\n"
        f"{context if operation.context else ''}---\n"
    )
