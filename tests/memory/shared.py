"""A workspace that two people share, and what one of them keeps to herself.

Every text of Ann's has a word of its own that stands nowhere else, and words that Ben
may guess. Whatever Ben gets to see, none of the former may be in it.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from tests.memory.home import DAY, Clock, Home, agrees, copy_workspace

from reverie import Actor, Episodic, Memory, Role, Semantic, Store

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

MAIN = Actor("bot:main")
CANARY = "xylo"
"""All of Ann's own words begin so; capitals do not matter."""

HIDDEN = "xylo-orchid"
"""A conversation in which only Ann speaks."""

SHARED = "kitchen"
"""One in which both speak."""

PAGES = {
    "memory/vault/xylo-quill.md": "# Xylo quill\n\n<!-- scope:Ann -->\n\nXyloink.\n",
    "memory/graph/entities/concept--xylo-harp.md": (
        "# Xylo harp\n\n<!-- type:concept | created:2026-02-02 | updated:2026-02-02 | "
        "scope:Ann -->\n\n## Summary\n\nA xylostring harp.\n\n## Facts\n\n"
        "- Has xylostrings\n"
    ),
    "memory/procedures/xylo-brew.md": (
        "# How to xylobrew\n\n<!-- scope:Ann -->\n\n## Steps\n\n1. Heat the xylopot\n"
    ),
}
"""Pages of Ann's, as she typed them."""


@dataclass
class Anns:
    """What is Ann's, by which Ben may ask for it.

    Attributes:
        ids: Her memories.
        commits: Changes that touched nothing but hers.
        mixed: Changes that touched hers and others'.
        files: Files in which nothing is for others.
        proposals: Numbers of what is proposed for her.
        turns: Numbers of her turns in the shared conversation.
    """

    ids: list[str] = field(default_factory=list)
    commits: list[str] = field(default_factory=list)
    mixed: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    proposals: list[int] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)


def shared_at(root: Path, factory: pytest.TempPathFactory) -> tuple[Home, Anns]:
    """The workspace that both of them have used, and what is Ann's alone in it."""
    home, anns = _shared(factory.getbasetemp() / "shared")
    copy_workspace(home.root, root)
    return Home(root, Clock(home.clock.now)), deepcopy(anns)


@cache
def _shared(root: Path) -> tuple[Home, Anns]:
    home = Home(root)
    anns = Anns()
    memory = home.memory
    memory.remember("The kitchen is painted on Friday.", Episodic(), actor=MAIN)
    memory.remember("Likes green tea.", Semantic("Ben", "person"), actor=MAIN)
    memory.remember("Ben's bike is blue.", Episodic(scope="Ben"), actor=MAIN)
    with Memory(
        home.root, clock=home.clock, environ={}, person="Ann", human=agrees
    ) as ann:
        ann.tidy_on_close = False
        _remember(home, ann, anns)
        _talk(home, ann, anns)
        _propose(home, ann, anns)
        ann.expect("Where is the xylokey?", "under the xylomat", actor=MAIN)
        anns.commits.append(home.head)
    memory = home.reopen()
    for path, text in PAGES.items():
        home.type(path, text)
        memory.check()
        anns.commits.append(home.head)
        anns.files.append(path)
    anns.ids += ["vault:xylo-quill", "entity:concept--xylo-harp"]
    anns.ids += ["procedure:xylo-brew"]
    _mix(home, anns)
    memory.close()
    return home, anns


def _remember(home: Home, ann: Memory, anns: Anns) -> None:
    """Episodes: one that stays, one pinned, one forgotten, one taken back."""
    for text in (
        "The gift for Ben is a xylokite.",
        "The xylobirthday party is in the attic.",
        "The old xyloletter is in the attic.",
    ):
        done = ann.remember(text, actor=MAIN, trigger=f"note that {text}")
        anns.ids += done.ids
        anns.commits.append(done.commit)
    anns.commits.append(ann.pin(anns.ids[1], actor=MAIN).commit)
    matches = ann.find_to_forget("the old xyloletter").matches
    letter = [match for match in matches if match.id == anns.ids[2]]
    forgot = ann.forget(letter, actor=MAIN, trigger="forget the xyloletter")
    anns.commits.append(forgot.commit)
    gone = ann.remember("The xylomistake was mine.", actor=MAIN)
    anns.commits.append(gone.commit)
    anns.commits.append(ann.undo(gone.commit, actor=MAIN).commit)
    home.clock.forward(minutes=5)


def _talk(home: Home, ann: Memory, anns: Anns) -> None:
    """Turns: of her own, in company, one deleted, and a summary."""
    own = ann.window(HIDDEN)
    own.say("My xylodiary is in the attic.", speaker="Xyloann")
    own.say("Noted, the xylodiary.", role=Role.ASSISTANT)
    own.note("She keeps a xylodiary in the attic.")
    company = ann.window(SHARED)
    for text in ("The gift is a xylokite, in the attic.", "It has a xylotail."):
        anns.turns.append(company.say(text).number)
        company.say("The xylokite it is.", role=Role.ASSISTANT)
    ann._session.write_down()  # noqa: SLF001 - as closing does
    anns.commits.append(home.head)
    done = company.delete(anns.turns[1], actor=MAIN, reason="the xylotail is off")
    anns.commits.append(done.commit)
    company.say("And a xyloribbon.")
    anns.ids += [f"turn:{HIDDEN}/1/user/0", f"turn:{SHARED}/{anns.turns[0]}/user/0"]
    anns.files.append(f"memory/conversations/{HIDDEN}.md")
    with Memory(
        home.root, clock=home.clock, environ={}, person="Ben", human=agrees
    ) as ben:
        ben.tidy_on_close = False
        ben.window(SHARED).exchange("When is it painted?", "On Friday.")


def _propose(home: Home, ann: Memory, anns: Anns) -> None:
    """Proposals: one that waits, one accepted, one rejected."""
    numbers = []
    with ann.acting_as("helper") as helper:
        for n, store in enumerate((Store.SEMANTIC, Store.VAULT, Store.PROCEDURAL)):
            numbers.append(
                helper.propose(
                    f"Ann hides xyloproof {n} in the attic",
                    store=store,
                    name=f"xyloname {n}",
                    when="the xylomoon is full",
                    trigger="she said xylotrigger",
                ).number
            )
            anns.commits.append(home.head)
    with home.memory.acting_as("helper") as helper:
        helper.propose("Ben sings in the attic")
    done = ann.accept(ann.proposal(numbers[0]), actor=MAIN)
    anns.ids += done.ids
    anns.commits.append(done.commit)
    done = ann.reject(numbers[1], reason="no xyloreason", actor=MAIN)
    anns.commits.append(done.commit)
    anns.proposals.append(numbers[2])


def _mix(home: Home, anns: Anns) -> None:
    """Changes that touch what is Ann's, and what is not."""
    memory = home.memory
    (open_,) = memory.remember("The attic has two windows.", Episodic()).ids
    ids = (anns.ids[0], open_)
    chosen = [match for id_ in ids for match in memory.find_to_forget(id_).matches]
    done = memory.forget(chosen, actor=MAIN, trigger="forget the xylokite")
    anns.mixed += [done.commit, memory.undo(done.commit).commit]
    text = home.text(DAY)
    for scope, word in (("", "The lamp is new."), ("| scope:Ann", "The xylolamp.")):
        text += f"\n## 13:30 | fact | confidence:high {scope}\n{word}\n"
    # A heading that cannot be read says all the same whom it is for.
    home.type(DAY, f"{text}\n## noon | fact | scope:Ann\nThe xylonoon.\n")
    memory.check()
    anns.mixed.append(home.head)
    # She takes a line of hers out of the log, by hand.
    home.type(DAY, home.text(DAY).replace("The xylolamp.\n", "The xylocandle.\n"))
    memory.check()
    anns.commits.append(home.head)
