"""Core: what is always in the agent's sight, line by line, against its budgets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reverie import Block, ConflictError, Core, RefusedError, Store
from reverie.interfaces.web.page import Act, View
from reverie.model.change import MANUAL, Action
from reverie.model.ids import ItemId, choice

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reverie import Memory, Remembered, Shown
    from reverie.interfaces.web.page import Given

PATH = "MEMORY.md"

BLOCKS = {
    Block.IDENTITY: ("Identity", "who you are and what matters to you", "Role: …"),
    Block.CONTEXT: (
        "Active Context",
        "the present: what is under way, what is still open",
        "Currently working on: …",
    ),
    Block.PERSONA: ("Persona", "how to be with you", "Prefers short answers"),
    Block.CRITICAL: (
        "Critical Facts",
        "never to be forgotten, however long it has not come up",
        "Allergic to …",
    ),
}
"""What each block is called, what belongs there, and how a line of it may begin."""


class ChangedMeanwhileError(ConflictError):
    """A line reads otherwise than it did on the page."""

    says = "that line was changed or taken out meanwhile; nothing was done"
    mend = "It is shown as it is now."


def look(memory: Memory, _: Given) -> Mapping[str, Any]:
    """Every line of core memory under its block, and how full that is."""
    used, lines = memory.core_use(), memory.items(path=PATH)
    return {
        "blocks": [
            {
                "use": use,
                "about": BLOCKS[use.block],
                "lines": [line for line in lines if _block(line) == use.block],
            }
            for use in used.blocks
        ],
        "word_for_word": used.told,
        "outside": _outside(used.told),
        "tokens": used.tokens,
        "cap": used.cap,
        "empty": not lines,
        "gone": not memory.root.joinpath(PATH).exists(),
        "removal": "" if lines else _removal(memory),
        "doubted": _in_doubt(memory),
    }


def _outside(told: str) -> list[str]:
    """What an agent is told of the file that stands in none of its blocks as a line."""
    blocks = {f"## {name}".casefold() for name, *_ in BLOCKS.values()}
    found, inside = list[str](), False
    for line in told.split("\n"):
        if line.startswith(("# ", "## ")):
            inside = line.strip().casefold() in blocks
        # What goes on below a line is a part of it.
        if not inside or not line.startswith(("- ", "* ", "+ ", "  ", "## ")):
            found.append(line)
    return [line for line in found if line.strip() and not line.startswith("# ")]


def _removal(memory: Memory) -> str:
    """What somebody took the file away with, if that is its last change."""
    found = memory.history(path=PATH, actor=str(MANUAL), limit=1)
    lines = (line for each in found for line in each.lines if line.path == PATH)
    removed = any(line.action is Action.DELETE for line in lines)
    return found[0].commit if removed else ""


def _in_doubt(memory: Memory) -> bool:
    """Return whether the file waits for the owner's confirmation."""
    found = (each for each in memory.unconfirmed() if each.path == PATH)
    return any(each.since is not None for each in found)


def _block(line: Shown) -> str:
    return ItemId.parse(line.id).name.partition("/")[0]


# --- what can be done --------------------------------------------------------------


def correct(memory: Memory, form: Given) -> str:
    """Let a line say something else, where it still says what was shown."""
    new = _text(form, "text")
    line = _as_shown(memory, form)
    if not new:
        raise RefusedError("a line needs words", hint="“Remove” takes it out.")
    if new == line.text.strip():
        return "It reads so already."
    done = memory.correct(line.id, new, actor=MANUAL, trigger="corrected on the page")
    return _told(memory, "The line says so now.", done)


def remove(memory: Memory, form: Given) -> str:
    """Take a line out, as it was shown."""
    line = _as_shown(memory, form)
    found = memory.find_to_forget(line.id)
    meant = [each for each in found.matches if each.key in found.meant]
    memory.forget(meant, actor=MANUAL, trigger="removed on the page")
    return "The line is forgotten; history keeps it, and an undo brings it back."


def pin(memory: Memory, form: Given) -> str:
    """Keep a line where it is, or let it fade and move out again."""
    line = _as_shown(memory, form)
    if form.get("choice") == "unpin":
        memory.unpin(line.id, actor=MANUAL)
        return "It may fade, and move out when its block is full."
    memory.pin(line.id, actor=MANUAL)
    return "It stays where it is: pinned."


def add(memory: Memory, form: Given) -> str:
    """Write one more line into a block."""
    block = choice("block", form.get("block", ""), Block)
    place = Core(block, pinned=bool(form.get("pinned")))
    words = _text(form, "text")
    done = memory.remember(words, place, actor=MANUAL, trigger="added on the page")
    if done.known:
        return "Core memory says that already."
    return _told(memory, f"Kept in {BLOCKS[block][0]}.", done)


def _as_shown(memory: Memory, form: Given) -> Shown:
    """The line of a form, if it still reads as it did there."""
    id_, was = form.get("id", ""), _text(form, "was")
    lines = (line for line in memory.items(path=PATH) if line.id == id_)
    line = next(lines, None)
    if line is None or line.store is not Store.CORE or line.text.strip() != was:
        raise ChangedMeanwhileError
    return line


def _text(form: Given, name: str) -> str:
    """What a field says, with line ends as they are stored."""
    return form.get(name, "").replace("\r\n", "\n").strip()


def _told(memory: Memory, what: str, done: Remembered) -> str:
    """What was done, what had to leave for it, and whether it counts yet."""
    if moved := [id_ for id_ in done.ids if not id_.startswith("core:")]:
        lines = "a line" if len(moved) == 1 else f"{len(moved)} lines"
        what = f"{what} To make room, {lines} moved out: {', '.join(moved)}."
    if _in_doubt(memory):
        what += " Your agent sees it once you confirm the file in the inbox."
    return what


VIEWS = (View("/core", "core.html", look),)
ACTS = (
    Act("/core/correct", correct),
    Act("/core/remove", remove),
    Act("/core/pin", pin),
    Act("/core/add", add),
)
