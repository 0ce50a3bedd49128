"""How well orders to remember and to forget are told from talk, and how fast.

    .venv/bin/python benchmarks/detection.py --data DIR

`DIR` holds `derived/commands_labelled.jsonl`: one JSON object a sentence, with
`sentence`, `label` (remember, forget, dismiss, reminder, none) and the `message`
it stood in, which may be cut. Each is judged alone, and in its message where it is
found there. `longmemeval/longmemeval_oracle.json`, if it is there, gives ordinary
messages for the clock. A hostile message of 1 MB is read beside one of 2 MB.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.suite.longmemeval import ORACLE, load_instances
from benchmarks.suite.tasks import MissingDataError

from reverie.encoding.triggers import detect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

FILE = "derived/commands_labelled.jsonl"
KINDS = ("remember", "forget")
BAR_PRECISION = 0.75  # a wrong one costs an undo, or a question
BAR_RECALL = {"remember": 0.85, "forget": 0.80}
BAR_SPEED = 20_000
BAR_GROWTH = 3.0  # for twice the size
ROUNDS = 5
MEGABYTE = 1_000_000
HOSTILE = (
    *("remember that ", '"remember ', "`remember ", "> remember\n", "<a> remember "),
    *("from now on, and ", "forget what i said about ", "remember. ", "ok remember "),
    *("{ remember ", "your remember ", "please, and so remember ", "keep a b in "),
)


@dataclass(frozen=True, slots=True)
class Row:
    """A sentence, what it is, and the message it stood in."""

    sentence: str
    label: str
    source: str
    message: str


@dataclass(frozen=True, slots=True)
class Score:
    """How often a kind was found rightly, wrongly, and not at all."""

    right: int
    wrong: tuple[Row, ...]
    missed: tuple[Row, ...]

    @property
    def precision(self) -> float:
        """The share of what was found that was there."""
        return self.right / max(1, self.right + len(self.wrong))

    @property
    def recall(self) -> float:
        """The share of what was there that was found."""
        return self.right / max(1, self.right + len(self.missed))

    @property
    def f1(self) -> float:
        """Their harmonic mean."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Print quality both ways and speed; 1 where a bar does not hold."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="where the data is")
    parser.add_argument("--rows", action="store_true", help="print each wrong sentence")
    options = parser.parse_args(arguments)
    path = options.data / FILE
    if not path.is_file():
        sys.exit(f"{path} is not there")
    rows = read_rows(path.read_text(encoding="utf-8"))
    print(f"{len(rows)} sentences")
    held = [
        show(name, {kind: score(rows, kind, heard) for kind in KINDS}, options.rows)
        for name, heard in (("alone", alone), ("in its message", in_message))
    ]
    held += [run_clock(rows, options.data), run_hostile()]
    return 0 if all(held) else 1


# --- quality -------------------------------------------------------------------


def read_rows(text: str) -> list[Row]:
    """The records of a file, however its lines are broken; what is none is left out."""
    decoder = json.JSONDecoder(strict=False)
    rows: list[Row] = []
    at = text.find("{")
    while at >= 0:
        try:
            found, end = decoder.raw_decode(text, at)
        except json.JSONDecodeError:
            found, end = {}, at + 1
        if "sentence" in found and "label" in found:
            keys = ("sentence", "label", "source", "message")
            rows.append(Row(*(str(found.get(key, "")) for key in keys)))
        at = text.find("{", end)
    return rows


def alone(row: Row) -> set[str]:
    """What is heard in the sentence alone."""
    return {trigger.kind for trigger in detect(row.sentence)}


def in_message(row: Row) -> set[str]:
    """What is heard in the sentence where it stands in its message."""
    start = row.message.find(row.sentence)
    if start < 0:
        return alone(row)
    end = start + len(row.sentence)
    return {one.kind for one in detect(row.message) if start <= one.start < end}


def score(rows: list[Row], kind: str, heard: Callable[[Row], set[str]]) -> Score:
    """How well one kind is told from all else."""
    found = [row for row in rows if kind in heard(row)]
    missed = tuple(row for row in rows if row.label == kind and row not in found)
    wrong = tuple(row for row in found if row.label != kind)
    return Score(len(found) - len(wrong), wrong, missed)


def show(name: str, scores: dict[str, Score], rows: bool) -> bool:  # noqa: FBT001
    """Print the scores of one way of looking, and say whether the bars hold."""
    for kind, one in scores.items():
        counts = f"{one.right} right, {len(one.wrong)} wrong, {len(one.missed)} missed"
        print(
            f"{name:<15} {kind:<9} precision {one.precision:.3f}"
            f"  recall {one.recall:.3f}  F1 {one.f1:.3f}  ({counts})"
        )
        for what, some in (("wrong", one.wrong), ("missed", one.missed)):
            for row in some if rows else ():
                print(f"    {what}: [{row.source} {row.label}] {row.sentence[:120]}")
    return all(
        one.precision >= BAR_PRECISION and one.recall >= BAR_RECALL[kind]
        for kind, one in scores.items()
    )


# --- speed ---------------------------------------------------------------------


def run_clock(rows: list[Row], data: Path) -> bool:
    """Print messages a second, on talk and on what all holds a phrase."""
    phrased = [row.message for row in rows]
    ordinary = list(dict.fromkeys(said(data)))
    for name, messages in (("with a phrase", phrased), ("ordinary", ordinary)):
        if messages:
            size = statistics.median(map(len, messages))
            speed = messages_a_second(messages)
            print(f"{name:<15} {speed:,.0f} messages/s  (median {size:.0f} characters)")
    return messages_a_second(ordinary or phrased) >= BAR_SPEED


def said(data: Path) -> Iterator[str]:
    """What users said in LongMemEval, where it is at hand."""
    try:
        for instance in load_instances(data, ORACLE, refusals=True):
            for session in instance["haystack_sessions"]:
                yield from (
                    turn["content"] for turn in session if turn["role"] == "user"
                )
    except MissingDataError:
        return


def messages_a_second(messages: list[str]) -> float:
    """The best of some rounds, on this process's own clock."""
    best = min(spent(messages) for _ in range(ROUNDS))
    return len(messages) / best


def spent(messages: list[str]) -> float:
    """Seconds of processor time for all of them."""
    started = time.process_time()
    for message in messages:
        detect(message)
    return max(time.process_time() - started, 1e-9)


def run_hostile() -> bool:
    """Print how much longer twice the size takes, for the worst of some texts."""
    worst, growth = 0.0, 0.0
    for piece in HOSTILE:
        text = piece * (2 * MEGABYTE // len(piece))
        once, twice = spent([text[:MEGABYTE]]), spent([text])
        worst, growth = max(worst, once), max(growth, twice / once)
    print(f"hostile, 1 MB   {worst:.2f} s; twice the size: {growth:.1f}x at most")
    return growth <= BAR_GROWTH


if __name__ == "__main__":
    sys.exit(main())
