"""Several agents propose at once while the main agent decides: what gets lost?

    .venv/bin/python benchmarks/conversation.py company

Six processes propose a hundred things each. Among them are forty pairs that replace the
same fact, each from two agents. Meanwhile the main agent accepts, rejects and puts off
what is not part of a pair. Then everything has to be accounted for, and the pairs that
still wait have to be marked.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from reverie import Action, Actor, Memory, RefusedError
from reverie.memory import SubAgent
from reverie.model.proposals import DEFERRED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reverie import Proposal

AGENTS = ("coder", "researcher", "reviewer", "scout", "tester", "writer")
EACH = 100
MAIN = Actor("bot:main")

PLANTED = tuple(
    (f"Lock {n} opens with key {n}", f"Lock {n} opens with key {n + 40}")
    for n in range(40)
)
"""Forty pairs of which not both can hold: each of two replaces the same fact."""

REPLACED = {
    text: f"tool--lock-{n}#{n:06x}" for n, pair in enumerate(PLANTED) for text in pair
}

TOWNS = (
    *("Aarhus", "Bergen", "Coimbra", "Delft", "Evora", "Faro", "Girona", "Huesca"),
    *("Imola", "Jena", "Kotor", "Lund", "Mostar", "Narva", "Olbia", "Pula", "Quimper"),
    *(
        "Rijeka",
        "Siena",
        "Tartu",
        "Urbino",
        "Vigo",
        "Weimar",
        "Xanthi",
        "York",
        "Zadar",
    ),
)
KINDS = (
    "The museum in {town} opens at {number} o'clock",
    "The hostel in {town} has {number} beds",
    "The bridge in {town} is {number} metres long",
    "The library of {town} lends {number} books at a time",
    "The night bus from {town} takes {number} minutes",
    "The bakery in {town} sells {number} kinds of bread",
    "The school of {town} is led by teacher {number}",
    "The tower of {town} was built by guild {number}",
    "The market in {town} is closed on day {number} of the month",
    "The theatre in {town} plays piece {number} this season",
    "The well in {town} is {number} steps from the church",
    "The ferry to {town} leaves from pier {number}",
    "The lamp shop in {town} repairs model {number}",
    "The rowing club of {town} owns {number} boats",
    "The mill near {town} grinds {number} sacks a day",
    "The clock maker in {town} has {number} apprentices",
    "The orchestra of {town} rehearses in room {number}",
    "The quarry near {town} employs {number} people",
    "The post office in {town} serves {number} villages",
    "The garden in {town} shows {number} roses",
)


@dataclass
class Outcome:
    """What became of everything.

    Attributes:
        proposed: How many proposals there were.
        lost: Those that neither history nor the list nor a store knows.
        doubled: Numbers that were given twice, or told twice.
        found: Pairs that are marked.
        false: Marks between others.
        decided: How many were accepted, rejected and put off meanwhile.
        seconds: How long it took.
    """

    proposed: int = 0
    lost: list[str] = field(default_factory=list)
    doubled: list[int] = field(default_factory=list)
    found: int = 0
    false: list[str] = field(default_factory=list)
    decided: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0


def keep_company(folder: Path) -> bool:
    """The whole of it, as a part of `benchmarks/conversation.py`."""
    done = run(folder / "agent", EACH)
    print(
        f"{len(AGENTS)} agents, {done.proposed} proposals in {done.seconds:.1f} s; "
        f"meanwhile decided: {dict(done.decided)}\n"
        f"lost: {len(done.lost)}  doubled: {len(done.doubled)}  "
        f"contradictions found: {done.found} of {len(PLANTED)}  "
        f"false: {len(done.false)}"
    )
    for told in (*done.lost, *done.false):
        print(f"  {told}")
    whole = done.found == len(PLANTED) and not done.false
    return whole and not (done.lost or done.doubled)


def run(root: Path, each: int) -> Outcome:
    """Have all of them propose so many things at once, and decide meanwhile."""
    planted = {text for pair in PLANTED for text in pair}
    texts = contents(each)
    started = perf_counter()
    with Memory.init(root, environ={}) as memory:
        memory.tidy_on_close = False
        reviewer = Reviewer(memory, planted)
        children = [start(root, *share) for share in texts.items()]
        while any(child.poll() is None for child in children):
            reviewer.look()
        numbers = {}
        for name, child in zip(texts, children, strict=True):
            out, _ = child.communicate()
            assert child.returncode == 0, name
            given: list[int] = json.loads(out)
            numbers[name] = list(zip(given, texts[name], strict=True))
        reviewer.look()
        memory.review()
        done = Outcome(decided=reviewer.decided)
        _account(memory, reviewer, numbers, done)
        _judge(memory, planted, done)
    done.seconds = perf_counter() - started
    return done


def contents(each: int) -> dict[str, list[str]]:
    """What every agent proposes: halves of pairs, and other things."""
    shares: dict[str, list[str]] = {name: [] for name in AGENTS}
    for n, pair in enumerate(PLANTED):
        for side, text in enumerate(pair):
            # The two of a pair come from two agents, and far from each other.
            shares[AGENTS[(n + side * 3) % len(AGENTS)]].append(text)
    plain = _plain()
    for name, share in shares.items():
        others = [next(plain) for _ in range(each - len(share))]
        step = max(1, each // len(share))
        for n, text in enumerate(others):
            share.insert(n // step * (step + 1) + n % step, text)
        shares[name] = share[:each]
    return shares


def _plain() -> Iterator[str]:
    for n in range(len(TOWNS) * len(KINDS)):
        kind, town = KINDS[n % len(KINDS)], TOWNS[(n + n // len(KINDS)) % len(TOWNS)]
        yield kind.format(town=town, number=3 + n % 7)


def start(root: Path, name: str, texts: Sequence[str]) -> subprocess.Popen[str]:
    """A process that proposes some texts in an agent's name."""
    command = [sys.executable, str(Path(__file__).resolve()), str(root), name]
    child = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdin is not None
    child.stdin.write(json.dumps(texts))
    child.stdin.close()
    child.stdin = None
    return child


class Reviewer:
    """The main agent, who decides on whatever is not part of a pair."""

    def __init__(self, memory: Memory, planted: set[str]) -> None:
        self._memory = memory
        self._planted = planted
        self.decided: Counter[str] = Counter()
        self.stored: dict[int, tuple[str, ...]] = {}
        self.rejected: set[int] = set()

    def look(self) -> None:
        """Mark what contradicts, and decide on some of what waits."""
        self._memory.review()
        for one in self._memory.pending():
            if one.content not in self._planted and one.status != DEFERRED:
                self._decide(one)

    def _decide(self, one: Proposal) -> None:
        memory, number = self._memory, one.number
        try:
            match number % 4:
                case 0:
                    memory.reject(number, reason="not needed", actor=MAIN)
                    self.rejected.add(number)
                    self.decided["rejected"] += 1
                case 1:
                    memory.defer(number, actor=MAIN)
                    self.decided["put off"] += 1
                case 2:
                    self.stored[number] = memory.accept(one, actor=MAIN).ids
                    self.decided["accepted"] += 1
                case _:
                    pass  # waits, as much does
        except RefusedError:
            self.decided["refused"] += 1


def _account(
    memory: Memory,
    reviewer: Reviewer,
    numbers: dict[str, list[tuple[int, str]]],
    done: Outcome,
) -> None:
    """Whether each proposal is told once, and is where it should be."""
    told: Counter[tuple[str, int]] = Counter()
    for entry in memory.history(actor="subagent"):
        for line in entry.lines:
            if line.action is Action.PROPOSE:
                said = line.summary.partition("#")[2].partition(":")[0]
                told[str(entry.actor), int(said)] += 1
    waiting = {one.number: one.content for one in memory.pending()}
    items = {shown.id: shown.text for shown in memory.items()}
    given = Counter(n for pairs in numbers.values() for n, _ in pairs)
    done.doubled = [n for n, count in given.items() if count > 1]
    done.doubled += [n for (_, n), count in told.items() if count > 1]
    for name, pairs in numbers.items():
        done.proposed += len(pairs)
        for number, text in pairs:
            stored = "".join(items[id_] for id_ in reviewer.stored.get(number, ()))
            places = (waiting.get(number) == text, text in stored)
            kept = sum(places) + (number in reviewer.rejected)
            if told[f"subagent:{name}", number] != 1 or kept != 1:
                done.lost.append(f"#{number} {name}: {text}")


def _judge(memory: Memory, planted: set[str], done: Outcome) -> None:
    """Which pairs were found, and which are none."""
    waiting = {each.proposal.number: each for each in memory.waiting()}
    pairs = {frozenset(pair) for pair in PLANTED}
    found: set[frozenset[str]] = set()
    false: set[frozenset[str]] = set()
    for each in waiting.values():
        for clash in each.clashes:
            pair = frozenset((each.proposal.content, clash.said))
            (found if pair in pairs else false).add(pair)
    marked = {text for pair in found for text in pair}
    for each in waiting.values():
        if each.proposal.content in planted & marked and not each.proposal.disputed:
            done.lost.append(f"#{each.proposal.number} is not marked")
    done.found = len(found)
    done.false = sorted(" / ".join(sorted(pair)) for pair in false)


def propose_all(root: str, name: str) -> None:
    """What each process does: propose, and print under which numbers."""
    texts: list[str] = json.load(sys.stdin)
    with SubAgent(root, name, environ={}) as agent:
        numbers = [
            agent.propose(text, supersedes=REPLACED.get(text, "")).number
            for text in texts
        ]
    print(json.dumps(numbers))


if __name__ == "__main__":
    propose_all(*sys.argv[1:])
