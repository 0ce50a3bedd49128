"""What a conversation costs: a durable turn beside a bare synced append.

    .venv/bin/python benchmarks/conversation.py            every part
    .venv/bin/python benchmarks/conversation.py append     only some

Each part is a function that gets an empty folder, prints what it measured, and says
whether its bar holds. Whatever is compared takes turns within one run, and only such
ratios mean anything on a shared machine. The folder is below TMPDIR: that has to be a
disk, for nothing waits for memory.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.company import keep_company
from benchmarks.recall_speed import Talk

from reverie import Memory, Reach, Store
from reverie.ledger.turn_journal import Journal, render_turns
from reverie.model.conversation import WindowState
from reverie.model.items import Role, Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


TURNS = 2_000
SETTLED = 200
BAR_APPEND = 2.0
MANY = 100_000
ASKED = 200
BAR_ATTEND = 1.5
WINDOWS = 8
EACH = 200
START = datetime(2026, 2, 2, 9, tzinfo=UTC)
WORDS = (
    "I moved the meeting to Thursday, because the plumber comes on Wednesday and "
    "nobody else is at home; could you tell the others, and look whether the small "
    "room is free? We need a screen, and tea. "
)


def main() -> int:
    """Run the parts that were asked for; 0 if every bar holds."""
    chosen = sys.argv[1:] or list(PARTS)
    held = []
    for name in chosen:
        with tempfile.TemporaryDirectory(prefix="reverie-bench-") as folder:
            held.append(PARTS[name](Path(folder)))
    return 0 if all(held) else 1


def append_a_turn(folder: Path) -> bool:
    """A turn in the journal beside the same bytes, written and synced bare."""
    journal = Journal(folder)
    bare = os.open(folder / "bare", os.O_RDWR | os.O_CREAT, 0o600)
    times: dict[str, list[float]] = {"bare write + fsync": [], "append": []}
    acts: list[tuple[str, Callable[[], object]]]
    size = len(render_turns(journal.append("talk", [said(0)], WindowState)))

    def write_bare() -> None:
        os.write(bare, b"x" * size)
        os.fsync(bare)

    for number in range(1, TURNS + 1):
        append = partial(journal.append, "talk", [said(number)], WindowState)
        acts = [("bare write + fsync", write_bare), ("append", append)]
        for name, act in acts if number % 2 else reversed(acts):
            times[name].append(timed(act))
    times["append, the first after settling"] = [
        first_after_settling(journal, number) for number in range(SETTLED)
    ]
    times["windows(), none waits"] = [timed(journal.windows) for _ in range(TURNS)]
    os.close(bare)
    report(f"A turn of {size} bytes, {TURNS} times", times)
    middle = {name: statistics.median(found) for name, found in times.items()}
    ratio = middle["append"] / middle["bare write + fsync"]
    print(f"append / bare, of the medians: {ratio:.2f}x (bar {BAR_APPEND}x)")
    return ratio <= BAR_APPEND


def first_after_settling(journal: Journal, number: int) -> float:
    """Seconds for a turn in a window where none waited; settles it again."""
    journal.settle("talk", len(journal.waiting("talk")))
    took = timed(lambda: journal.append("talk", [said(number)], WindowState))
    journal.settle("talk", 1)
    return took


def said(number: int) -> Turn:
    """Somebody says something of ordinary length; the two sides take turns."""
    role = Role.ASSISTANT if number % 2 else Role.USER
    at = START + timedelta(seconds=number)
    return Turn("talk", 0, role, f"{number}. {WORDS}", at)


def timed(act: Callable[[], object]) -> float:
    """Seconds that something takes."""
    started = perf_counter()
    act()
    return perf_counter() - started


def report(title: str, times: dict[str, list[float]]) -> None:
    """Print medians and 95th percentiles below each other, in milliseconds."""
    print(f"{title}\n{'':<34}{'median ms':>12}{'p95 ms':>12}")
    for name, found in times.items():
        middle, high = statistics.median(found) * 1000, late(found) * 1000
        print(f"{name:<34}{middle:>12.4f}{high:>12.4f}")


def late(found: Sequence[float]) -> float:
    """The 95th percentile."""
    return statistics.quantiles(found, n=20)[-1]


def say_a_turn(folder: Path) -> bool:
    """`Window.say`, with its gate, beside the same bytes, written and synced bare."""
    bare = os.open(folder / "bare", os.O_RDWR | os.O_CREAT, 0o600)
    times: dict[str, list[float]] = {"bare write + fsync": [], "say": []}
    data = WORDS.encode()

    def write_bare() -> None:
        os.write(bare, data)
        os.fsync(bare)

    with Memory.init(folder / "agent") as memory:
        window = memory.window("talk")
        for number in range(TURNS):
            role = Role.ASSISTANT if number % 2 else Role.USER
            say = partial(window.say, WORDS, role=role)
            acts: list[tuple[str, Callable[[], object]]]
            acts = [("bare write + fsync", write_bare), ("say", say)]
            for name, act in acts if number % 2 else reversed(acts):
                times[name].append(timed(act))
    os.close(bare)
    report(
        f"A turn said, {TURNS} times, what is written down in between included", times
    )
    whole = {name: sum(found) for name, found in times.items()}
    middle = {name: statistics.median(found) for name, found in times.items()}
    ratio = middle["say"] / middle["bare write + fsync"]
    average = whole["say"] / whole["bare write + fsync"]
    print(f"say / bare: {ratio:.2f}x of the medians, {average:.2f}x of all together")
    return ratio <= BAR_APPEND


def attend_to_a_message(folder: Path) -> bool:
    """`attend` beside bare `recall` of the same words, among many turns."""
    talk = Talk()
    times: dict[str, list[float]] = {"recall": [], "attend": [], "attend after say": []}
    with Memory.init(folder) as memory:
        memory.tidy_on_close = False
        memory.take_in(talk.conversations(MANY))
        memory.embed(sentences=False)
        questions = [talk.question() for _ in range(ASKED)]
        memory.wake("now")
        memory.recall(questions[0])
        for number, question in enumerate(questions):
            attend = partial(memory.attend, "now", question)
            ask = partial(memory.recall, question, reach=Reach.AUTOMATIC)
            acts: list[tuple[str, Callable[[], object]]]
            acts = [("recall", ask), ("attend", attend)]
            for name, act in acts if number % 2 else reversed(acts):
                times[name].append(timed(act))
        for question in questions[: ASKED // 4]:
            memory.window("now").say(question)
            attend = partial(memory.attend, "now", question)
            times["attend after say"].append(timed(attend))
    report(f"One message among {MANY:,} turns, {ASKED} times", times)
    ratio = late(times["attend"]) / late(times["recall"])
    print(f"attend / recall, of the p95: {ratio:.2f}x (bar {BAR_ATTEND}x)")
    return ratio <= BAR_ATTEND


def many_windows(folder: Path) -> bool:
    """Processes that all say turns at once, each in a window of its own and in one."""
    Memory.init(folder).close()
    script = [sys.executable, __file__, "--talk", str(folder)]
    started = perf_counter()
    running = [
        subprocess.Popen([*script, f"window-{number}"]) for number in range(WINDOWS)
    ]
    failed = sum(process.wait() != 0 for process in running)
    took = perf_counter() - started
    with Memory(folder) as memory:
        found = {n: memory.turns(f"window-{n}") for n in range(WINDOWS)}
        shared = memory.turns("shared")
        rows = {item.id for item in memory.items(Store.TURNS)}
    lost = sum(2 * EACH - len(turns) for turns in found.values())
    lost += 2 * EACH * WINDOWS - len(shared)
    every = [turn for turns in (*found.values(), shared) for turn in turns]
    ids = {(turn.window, turn.number, turn.role) for turn in every}
    wrong = sum(
        question.number != answer.number or question.text[2:] != answer.text[2:]
        for turns in (*found.values(), sorted(shared, key=in_pairs))
        for question, answer in zip(turns[::2], turns[1::2], strict=False)
    )
    print(
        f"{WINDOWS} windows x {EACH} exchanges and as many in one they share, "
        f"{took:.1f} s: {failed} failed, {lost} lost, {len(every) - len(ids)} clashes, "
        f"{wrong} wrong pairs, {len(ids) - len(rows)} not in the index"
    )
    return not (failed or lost or wrong) and len(every) == len(ids) == len(rows)


def in_pairs(turn: Turn) -> tuple[int, bool]:
    """The order in which each question stands before its answer."""
    return turn.number, turn.role is Role.ASSISTANT


def talk_in(folder: str, name: str) -> None:
    """Say many turns, as one process of several."""
    with Memory(folder) as memory:
        own, shared = memory.window(name), memory.window("shared")
        for number in range(EACH):
            asked = own.say(f"Q {number} of {name}")
            own.say(f"A {number} of {name}", role=Role.ASSISTANT, answers=asked.number)
            asked = shared.say(f"Q {number} of {name}")
            shared.say(
                f"A {number} of {name}", role=Role.ASSISTANT, answers=asked.number
            )


PARTS: dict[str, Callable[[Path], bool]] = {
    "append": append_a_turn,
    "say": say_a_turn,
    "attend": attend_to_a_message,
    "windows": many_windows,
    "company": keep_company,
}
"""What can be measured, by the name it is asked for with."""


if __name__ == "__main__":
    if sys.argv[1:2] == ["--talk"]:
        talk_in(*sys.argv[2:])
    else:
        sys.exit(main())
