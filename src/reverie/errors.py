"""The root of every error Reverie raises.

* ReverieError
  x FormatError          a hand-edited file does not read as what it should be
  x RefusedError         the request is understood and not done; nothing changed
  x NotFoundError        what was named does not exist
  x ConflictError        the world moved on between planning and writing
  x UnavailableError     the disk, a lock or a tool did not let us

The concrete classes stand beside the code that raises them, each with its own
words: what happened, where, and what to do about it: `advice` names commands, `hint`
the same in Python. A class may give both as templates for the facts that it is raised
with.

    try:
        memory.remember("…", Episodic())
    except reverie.ReverieError as error:
        print(error, error.hint)
"""

from __future__ import annotations

import re
from typing import ClassVar

CALLS = {
    "alerts": "memory.alerts()",
    "alerts --ack": "memory.acknowledge(paths)",
    "attend": "memory.attend(window, message)",
    "check": "memory.check()",
    "correct": "memory.correct(id_or_words, new)",
    "erase": "memory.erase(id)",
    "erase --person": "memory.erase(person=name)",
    "erase --text": "memory.erase(text=words)",
    "expect": "memory.expect(question, answer)",
    "expect --remove": "memory.unexpect(question)",
    "forget": "memory.find_to_forget(words)",
    "health": "memory.health()",
    "history": "memory.history()",
    "import": "memory.import_from(path)",
    "init": "Memory.init(path)",
    "instruct --write": "memory.instruct()",
    "mind questions": "memory.questions()",
    "pending": "memory.waiting()",
    "pending accept": "memory.accept(number)",
    "pending reject": "memory.reject(number, reason)",
    "pending resolve": "memory.resolve(numbers)",
    "pin": "memory.pin(id)",
    "propose": "agent.propose(text)",
    "purge": "memory.purgeable(origin)",
    "rebuild": "memory.rebuild()",
    "rebuild --vectors": "memory.embed()",
    "recall": "memory.recall(question)",
    "reflect": "memory.reflection.begin()",
    "reflect answer": "memory.reflection.answer(id, answer)",
    "reflect approve": "memory.reflection.decide(words, shown)",
    "reflect cancel": "memory.reflection.cancel()",
    "reflect next": "memory.reflection.status().question",
    "reflect reject": "memory.reflection.decide(words, shown)",
    "reflect reply": "memory.reflection.reply(words)",
    "reflect run": "memory.reflection.advance()",
    "reflect show": "memory.reflection.pending()",
    "reflect status": "memory.reflection.status()",
    "remember": "memory.remember(text)",
    "say": "memory.window(name).say(text)",
    "settle": "memory.settle(which)",
    "show": "memory.items()",
    "undo": "memory.undo(change)",
    "window": "memory.windows()",
    "workspace": "memory.describe_workspace()",
    "workspace accept": "memory.accept_workspace()",
    "workspace fork": "memory.fork_workspace()",
    "window show": "memory.turns(window)",
}
"""The calls that do what commands do, by the command's first words."""

_COMMAND = re.compile(r"`reverie ([a-z]+)(?: ((?:--)?[a-z-]+))?[^`]*`")
_OPTION = re.compile(r"(?<![`\w])--([a-z]+)(?: ([a-z]+)\b)?")


def in_python(advice: str) -> str:
    """Advice that names commands, for who calls from Python.

    What is to be typed in a terminal, by its human, stays what they would type.
    """
    if "terminal" in advice:
        return advice

    def call(command: re.Match[str]) -> str:
        verb, more = command[1], command[2]
        found = CALLS.get(f"{verb} {more}") or CALLS.get(verb)
        return f"`{found}`" if found else command[0]

    def argument(option: re.Match[str]) -> str:
        return f'`{option[1]}="{option[2]}"`' if option[2] else f"`{option[1]}`"

    return _OPTION.sub(argument, _COMMAND.sub(call, advice))


class ReverieError(Exception):
    """Something Reverie could not do, told so that a person can act on it."""

    says: ClassVar = "{}"
    """What happened, with the facts of the case in braces."""

    mend: ClassVar = ""
    """What to do about it, likewise."""

    def __init__(self, *facts: object, hint: str = "") -> None:
        super().__init__(self.says.format(*facts))
        self.advice = hint or self.mend.format(*facts)
        if self.advice:
            self.add_note(self.hint)  # A traceback shows it, too.

    @property
    def hint(self) -> str:
        """What to do about it, in Python."""
        return in_python(self.advice)


class RefusedError(ReverieError):
    """The request was understood and refused; nothing was changed."""


class NotFoundError(ReverieError):
    """What was named does not exist."""


class ConflictError(ReverieError):
    """The world changed between planning and writing; nothing was changed."""


class UnavailableError(ReverieError):
    """The machine did not let us: a full disk, a held lock, a missing tool."""


class FormatError(ReverieError):
    """A file does not read as what it should be; the file stays untouched."""

    def __init__(self, path: str, line: int, problem: str, *, hint: str = "") -> None:
        super().__init__(f"{path}:{line}: {problem}", hint=hint)
        self.path = path
        self.line = line
        self.problem = problem
