"""How well rules file plain sentences, and how fast: routing, contradictions, sameness.

    .venv/bin/python benchmarks/routing.py

The sentences are our own and stand with the tests, in three lists: those the rules
were made with, those that were held back meanwhile, and those written afterwards. The
first list must come out right; the others tell what to expect, and even they were
written by who wrote the rules.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.encoding.claim_pairs import AGAINST, BESIDE
from tests.encoding.routing.afterwards import AFTERWARDS
from tests.encoding.routing.faults import faults, named_in, related_in
from tests.encoding.routing.held_back import HELD_BACK
from tests.encoding.routing.labels import KNOWN
from tests.encoding.routing.sentences import SENTENCES

from reverie.encoding.claims import contradicts
from reverie.encoding.routing import file_by_rules, route_by_rules
from reverie.encoding.sameness import Register, restated

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.encoding.routing.labels import Label

LISTS = {
    "made with": SENTENCES,
    "held back": HELD_BACK,
    "afterwards": AFTERWARDS,
}
ROUNDS = 5
BAR_SPEED = 2_000
BAR_PRECISION = 0.95


def main() -> int:
    """Print what came out right, what it cost, and whether the bars hold."""
    print(f"{'sentences':<12}{'all right':>12}{'store':>9}{'about':>9}", end="")
    print(f"{'entities':>17}{'relations':>17}")
    for name, labels in LISTS.items():
        print(f"{name:<12}{row(labels)}")
    speed = routing_speed()
    precision = contradictions()
    sameness()
    return 0 if speed >= BAR_SPEED and precision >= BAR_PRECISION else 1


def row(labels: Sequence[Label]) -> str:
    """Shares of one list: right in all, per aspect, precision and recall of names."""
    wrong = [faults(label) for label in labels]
    counted = Counter(aspect for found in wrong for aspect in found)
    right = sum(not found for found in wrong)
    store, about = counted["store"], counted["store"] + counted["about"]
    sure = [label for label in labels if not label.unsure]
    filings = [file_by_rules(label.text, KNOWN) for label in sure]
    both = list(zip(filings, sure, strict=True))
    names = pairs([(named_in(filing), label.entities) for filing, label in both])
    edges = pairs([(related_in(filing), label.relations) for filing, label in both])
    total = len(labels)
    return (
        f"{right:>5}/{total} {right / total:.0%}{1 - store / total:>8.0%}"
        f"{1 - about / total:>9.0%}{names:>17}{edges:>17}"
    )


def pairs(found: Sequence[tuple[set[str], frozenset[str]]]) -> str:
    """Precision and recall of what was named."""
    hits = sum(len(got & wanted) for got, wanted in found)
    got = sum(len(got) for got, _ in found)
    wanted = sum(len(wanted) for _, wanted in found)
    return f"P {hits / max(got, 1):.2f} R {hits / max(wanted, 1):.2f}"


def routing_speed() -> float:
    """Texts a second, in one process."""
    texts = [label.text for labels in LISTS.values() for label in labels]
    seconds = best(lambda _: [route_by_rules(text, KNOWN) for text in texts])
    speed = len(texts) / seconds
    print(f"\nroutes: {speed:,.0f} texts/s (bar {BAR_SPEED:,})")
    return speed


def contradictions() -> float:
    """Precision, recall and cost of contradictions on our own pairs."""
    found = sum(bool(contradicts(new, old)) for new, old in AGAINST)
    wrong = sum(bool(contradicts(new, old)) for new, old in BESIDE)
    precision, recall = found / (found + wrong), found / len(AGAINST)
    print(
        f"contradictions: precision {precision:.2f} (bar {BAR_PRECISION}), "
        f"recall {recall:.2f} on {len(AGAINST)} + {len(BESIDE)} pairs"
    )
    cold = best(lambda number: [contradicts(*pair) for pair in unread(number + 1)])
    print(f"  both never read before: {cold / len(unread(0)) * 1e6:.0f} µs a pair")
    cold = best(lambda number: against_many(number + ROUNDS + 1))
    print(f"  one new against many old: {cold / len(unread(0)) * 1e6:.0f} µs a pair")
    return precision


def unread(number: int) -> list[tuple[str, str]]:
    """The pairs in a spelling of their own, so that nothing is remembered of them."""
    blank = " " * number
    return [(f"{new}{blank}", f"{old}{blank}") for new, old in (*AGAINST, *BESIDE)]


def against_many(number: int) -> list[str]:
    """One statement against many that nobody has read yet."""
    return [contradicts(AGAINST[0][0], old) for _, old in unread(number)]


def sameness() -> None:
    """What it costs to look a name up among ten thousand, and to compare two texts."""
    known = {
        f"concept--matter-{n}": ("concept", [f"Matter {n} of fact", f"Alias{n}x"])
        for n in range(10_000)
    }
    started = time.perf_counter()
    register = Register(known)
    print(f"names: {time.perf_counter() - started:.2f} s to read 20,000", end="")
    asked = ["Matter 77 of fact", "alias 512 x", "Alias9", "nothing", "Mater 5 of fact"]
    seconds = best(lambda _: [register.find(name, "concept") for name in asked * 100])
    print(f", {seconds / 500 * 1e6:.0f} µs to find one")
    seconds = best(lambda _: [restated(new, old) for new, old in (*AGAINST, *BESIDE)])
    count = len(AGAINST) + len(BESIDE)
    print(f"restated: {seconds / count * 1e6:.1f} µs a pair")


def best(work: Callable[[int], object]) -> float:
    """Seconds of the fastest of a few rounds; each is told its number."""
    times = []
    for number in range(ROUNDS):
        started = time.perf_counter()
        work(number)
        times.append(time.perf_counter() - started)
    return min(times)


if __name__ == "__main__":
    sys.exit(main())
