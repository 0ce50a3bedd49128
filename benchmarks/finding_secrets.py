"""How many secrets are found, how much that is none, and what a look costs.

    .venv/bin/python benchmarks/finding_secrets.py
    .venv/bin/python benchmarks/finding_secrets.py 50 7

The first number is how often each format is drawn, the second the seed. A secret
counts as found when no eight letters of it in a row are left after redaction.
(Not `secrets.py`: scripts of this folder would take it for Python's own module.)
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.suite.look_alikes import harmless_cases
from benchmarks.suite.made_up_secrets import left_over, secret_cases
from benchmarks.suite.secret_forms import PARTS, look_alikes, told_forms

from reverie.secrets import find_secrets, redact, without_secrets

TIMES = 20
FORM_TIMES = 10
SEED = 2026
BAR_FOUND = 0.95
BAR_FALSE = 0.01
BAR_SPEED = 50e-6

MEMORY = (
    "Ann moved to Berlin in May and now works at a bakery near the river. She prefers "
    "tea over coffee, and her sister visits every second weekend with her two children "
    "and the dog, a beagle that is afraid of trains."
)


def main() -> int:
    """Print the tables, and say whether the bars hold."""
    times, seed = (*map(int, sys.argv[1:3]), *(TIMES, SEED)[len(sys.argv) - 1 :])
    rng = random.Random(seed)  # noqa: S311 - nothing here is meant to be secret
    found, looked = find_all(rng, times)
    false, harmless = find_none(rng, times)
    report("found", found, looked)
    report("false alarms", false, harmless)
    share = found.total() / looked.total()
    alarms = false.total() / harmless.total()
    told, flagged = forms(rng)
    small, large = look(MEMORY), look(MEMORY * (1_000_000 // len(MEMORY)), 3)
    print(f"\nfound {share:.2%} of {looked.total():,} (bar {BAR_FOUND:.0%})")
    print(f"false alarms {alarms:.2%} of {harmless.total():,} (bar {BAR_FALSE:.0%})")
    print(f"{len(MEMORY)} characters: {small * 1e6:.0f} µs (bar {BAR_SPEED * 1e6:.0f})")
    print(f"1,000,000 characters: {large * 1e3:.0f} ms")
    good = min(share, told) >= BAR_FOUND and max(alarms, flagged) <= BAR_FALSE
    return 0 if good else 1


def forms(rng: random.Random) -> tuple[float, float]:
    """Shares of forms found and of look-alikes flagged, told for each part."""
    told = [each for _ in range(FORM_TIMES) for each in told_forms(rng)]
    found = [each for each in told if each.secret not in without_secrets(each.text)]
    alike = [*look_alikes(rng)]
    flagged = [each for each in alike if find_secrets(each.text)]
    print("\nforms in many languages, and look-alikes")
    for part in PARTS:
        parts = [sum(e.part == part for e in some) for some in (found, told)]
        false = [sum(e.part == part for e in some) for some in (flagged, alike)]
        print(
            f"  {part:26} found {parts[0]} of {parts[1]}, "
            f"flagged {false[0]} of {false[1]}"
        )
    return len(found) / len(told), len(flagged) / len(alike)


def find_all(rng: random.Random, times: int) -> tuple[Counter[str], Counter[str]]:
    """Found and looked for, by format."""
    found: Counter[str] = Counter()
    looked: Counter[str] = Counter()
    for case in secret_cases(rng, times):
        looked[case.shape] += 1
        redacted = redact(case.text, find_secrets(case.text))
        found[case.shape] += not left_over(case, redacted)
    return found, looked


def find_none(rng: random.Random, times: int) -> tuple[Counter[str], Counter[str]]:
    """False alarms and texts, by kind."""
    false: Counter[str] = Counter()
    looked: Counter[str] = Counter()
    for kind, text in harmless_cases(rng, times):
        looked[kind] += 1
        false[kind] += bool(find_secrets(text))
    return false, looked


def report(title: str, part: Counter[str], whole: Counter[str]) -> None:
    """One line for each kind."""
    print(f"\n{title}")
    for kind, count in whole.items():
        print(f"  {kind:26} {part[kind]:5} of {count:5}  {part[kind] / count:7.1%}")


def look(text: str, times: int = 2000) -> float:
    """Seconds for one look, in the middle."""
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        find_secrets(text)
        taken.append(time.perf_counter() - started)
    return statistics.median(taken)


if __name__ == "__main__":
    sys.exit(main())
