"""A mind that reflects as it is told to, and the cycle it goes through."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from tests.memory.home import (
    ALEX,
    NOON,
    SCORES,
    agrees,
    bound_keyring,
    state_folder,
)

from reverie import Memory, ScriptedMind

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.memory.home import Home

    from reverie.minds.mind import Question
    from reverie.minds.scripted import Line
    from reverie.model.reflection import Decision
    from reverie.reflection.apply import Reflected
    from reverie.reflection.standing import Standing

META = "memory/meta"
PAGE = f"{META}/pending-reflection.md"
LOG = f"{META}/reflection-log.md"
IDENTITY = "IDENTITY.md"
SHIPPING = "memory/procedures/shipping.md"

MONOLOGUE = """\
Okay. The ledger again, and I keep wondering why it holds my attention.

She mentioned Berlin in passing and then moved on to the tests. I noticed that I
wanted to ask. I rush past such things. [Self-Awareness]

Anyway. That's where I'm at.
"""

FACT = {
    "operation": "EXTRACT",
    "target": ALEX,
    "content": "Works from Berlin on Fridays",
    "reason": "said so",
}
WAY = {
    "operation": "PATTERN",
    "target": SHIPPING,
    "content": "Trigger: On Fridays\nship it",
    "reason": "seen often",
}
INSIGHT = {
    "operation": "EVOLVE",
    "target": f"{META}/evolution.md",
    "content": "Rhythm matters.",
    "reason": "it grew",
}
LEDGER = {
    "section": "Active Context",
    "text": "Working on: the ledger",
    "action": "move",
}
FRIDAYS = {"section": "Critical Facts", "text": "Ships on Fridays"}


@dataclass
class Dream:
    """What a mind answers in each phase; change any of it.

    Attributes:
        operations: What it proposes.
        more: By phase, what its answer holds besides or instead.
        instead: By phase, what it says first, one thing each time it is asked.
        asked: The questions it was put.
    """

    operations: list[Mapping[str, object]] = field(default_factory=lambda: [FACT])
    more: dict[str, Mapping[str, object]] = field(default_factory=dict)
    instead: dict[str, list[Line]] = field(default_factory=dict)
    asked: list[Question] = field(default_factory=list)

    def __call__(self, question: Question) -> Line:
        """Answer one question."""
        self.asked.append(question)
        phase = question.operation.removeprefix("reflect-")
        if self.instead.get(phase):
            return self.instead[phase].pop(0)
        answers: dict[str, Mapping[str, object]] = {
            "survey": {"plan": [], "themes": ["the ledger"]},
            "meta": {
                "insights": ["More is known."],
                "observations": [],
                "guidance": [],
            },
            "consolidate": {"operations": self.operations},
            "rewrite": {},
            "present": {
                "monologue": MONOLOGUE,
                "vibe": "quiet",
                "key_insight": "She works in two places.",
            },
        }
        return {**answers.get(phase, {}), **self.more.get(phase, {})}


def dreaming(home: Home, dream: Dream, **environ: str) -> Memory:
    """The workspace, opened with a mind that dreams so."""
    home.memory.close()
    home.memory = Memory(
        home.root,
        clock=home.clock,
        environ={"TZ": "UTC", **environ},
        mind=ScriptedMind(dream),
        human=agrees,
    )
    home.memory.tidy_on_close = False
    return home.memory


def proposed(memory: Memory, words: str = "Proceed") -> Standing:
    """A reflection, up to its proposal."""
    memory.reflection.begin()
    memory.reflection.reply(words)
    return memory.reflection.advance()


def kept(home: Home) -> bytes:
    """What is kept of the cycle, as it lies there."""
    return cycle_file(home.root).read_bytes()


def cycle_file(root: Path) -> Path:
    """Return the path of the file of a reflection in progress."""
    return state_folder(root) / "reflection/cycle.json"


def write_cycle(root: Path, data: bytes) -> None:
    """Write the file of a reflection in progress, as any program of the user can."""
    file = cycle_file(root)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)


def killed_behind(home: Home, before: bytes) -> None:
    """A kill came before the next step of the cycle was kept, or even noted."""
    cycle_file(home.root).write_bytes(before)
    latest = bound_keyring(home.root)
    latest.expect("reflection/cycle.json", before)


def kept_cycle(home: Home) -> bytes:
    """What is kept of the cycle, without the line that it is sealed with."""
    return kept(home).rpartition(b"\n# sealed ")[0]


def lose_state(home: Home) -> None:
    """Everything that can be made anew is deleted, by hand."""
    home.memory.close()
    state = state_folder(home.root)
    shutil.rmtree(home.root / ".reverie")
    shutil.rmtree(state)


def newest_of_session(home: Home, session: str) -> list[str]:
    """What history says of one reflection, newest first."""
    entries = home.memory.history(actor=f"reflection:{session}")
    return [entry.trigger for entry in entries]


def fade(home: Home) -> None:
    """So much time goes by that nothing is vivid any more."""
    home.clock.now = NOON + timedelta(days=60)


def archive(id_: str) -> Mapping[str, object]:
    """That a memory be hidden."""
    return {"operation": "ARCHIVE", "target": id_, "content": "old", "reason": "faded"}


class Proposal:
    """A proposal that waits in a workspace."""

    def __init__(self, home: Home, dream: Dream | None = None) -> None:
        self.home = home
        self.dream = dream or Dream(
            [FACT, WAY, INSIGHT],
            {"rewrite": {"remove": [LEDGER], "add": [FRIDAYS]}},
        )
        self.before = home.tracked()
        self.memory = dreaming(home, self.dream)
        self.standing: Standing = proposed(self.memory)

    def decide(
        self, decision: Decision | str = "approve", shown: str = ""
    ) -> Reflected:
        """Decide on what was shown."""
        digest_ = shown or self.standing.shown
        return self.memory.reflection.decide(decision, digest_)

    def look(self) -> Standing:
        """Have it shown once more."""
        self.standing = self.memory.reflection.status()
        return self.standing

    def edit(self, old: str, new: str) -> None:
        """The human corrects the page."""
        page = self.home.text(PAGE)
        assert old in page
        self.home.type(PAGE, page.replace(old, new))

    def untouched(self) -> bool:
        """Whether nothing is applied: only tokens and the page are new."""
        now = self.home.tracked()
        changed = {p for p in {*now, *self.before} if now.get(p) != self.before.get(p)}
        return all(
            path in {PAGE, SCORES, f"{META}/reward-log.md"}
            or path.startswith(f"{META}/rewards/")
            for path in changed
        )
