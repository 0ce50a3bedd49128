"""Whether the right memory comes first, in a made-up year of one person.

    make bench-year
    make bench-year ARGS=--missed

Nora Wyss tells of her life in English, German and Chinese (`year/life.jsonl`: turns,
episodes, facts, procedures), and 120 questions are asked on their days
(`year/questions.jsonl`), each when only what comes before it was told. Every memory
goes through the public API into a real workspace, and every question is a plain
`Memory.recall`. A fact counts by its own row, not by the page it stands on.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reverie import Block, Core, Episodic, Memory, Procedural, Role, Semantic, Store
from reverie.model.ids import page_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie import Hit

DATA = Path(__file__).with_name("year")
NAME = "Name: Nora Wyss"
BARS = {1: 0.85, 3: 0.95}
NUMBERED = re.compile(r"(?:^|\s+)\d+\. ")

Line = dict[str, Any]


def lines(name: str) -> list[Line]:
    """The memories or the questions, one object a line."""
    text = (DATA / f"{name}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


class Year:
    """A workspace that is told a life, and which memory of it each text is."""

    def __init__(self, folder: str) -> None:
        self.now = datetime(2025, 9, 1, tzinfo=UTC)
        self.memory = Memory.init(
            f"{folder}/year",
            clock=lambda: self.now,
            environ={"TZ": "UTC", "XDG_DATA_HOME": f"{folder}/keys"},
            human=lambda _: True,
        )
        self.memory.tidy_on_close = False
        self.memory.remember(NAME, Core(Block.IDENTITY))
        self.texts: dict[str, str] = {}
        self.told: dict[str, str] = {}

    def tell(self, one: Line) -> None:
        """Keep one memory at its moment."""
        self.now, text = moment(one["when"]), one["text"]
        if one["how"] == "turn":
            window = self.memory.window(f"{self.now:%Y-%m-%d}")
            window.say(text, role=Role(one["who"]), at=self.now)
        elif one["how"] == "episode":
            self.memory.remember(text, Episodic(at=self.now))
        elif one["how"] == "fact":
            old = self.texts.get(one.get("replaces", ""), "")
            about = Semantic(one["about"], one["type"], supersedes=old)
            self.memory.remember(text, about)
        else:
            steps = NUMBERED.sub("\n", text).strip()
            ids = self.memory.remember(steps, Procedural(one["title"])).ids
            self.told[ids[0]] = one["id"]
        self.texts[one["id"]] = text
        self.told[text] = one["id"]

    def ask(self, question: Line) -> list[str]:
        """What a question finds, the best first: the memory, or the id of another."""
        self.now = moment(question["asked"])
        # As it would be after an idle hour.
        self.memory.embed()
        found = self.memory.recall(question["ask"], now=self.now)
        return [self.named(hit) for hit in found.hits]

    def named(self, hit: Hit) -> str:
        """Which memory of the life a hit is; a page is none, even of one fact."""
        page = hit.store is Store.SEMANTIC and page_of(hit.id) == hit.id
        return (
            hit.id if page else self.told.get(hit.id, self.told.get(hit.text, hit.id))
        )


def moment(text: str) -> datetime:
    """A moment of the data, in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def live() -> Iterator[tuple[Line, list[str]]]:
    """Each question, in the order of asking, and what it finds."""
    life = lines("life")
    with tempfile.TemporaryDirectory() as folder:
        year = Year(folder)
        with year.memory:
            for question in sorted(lines("questions"), key=lambda q: str(q["asked"])):
                while life and life[0]["when"] < question["asked"]:
                    year.tell(life.pop(0))
                yield question, year.ask(question)


def rank(question: Line, found: list[str]) -> int:
    """Where the first right one stands, from 1; 0 where none does."""
    places = (n for n, id_ in enumerate(found, 1) if id_ in question["gold"])
    return next(places, 0)


def report(ranks: list[tuple[Line, int]]) -> dict[int, float]:
    """Print the shares by group, and give those over all."""
    groups: dict[str, list[int]] = {"all": []}
    for question, place in ranks:
        worded = "reworded" if question["reworded"] else "own words"
        for group in ("all", question["lang"], question["kind"], worded):
            groups.setdefault(group, []).append(place)
    print(f"{'':12}{'n':>5}{'first':>8}{'in 3':>8}")
    for group, places in groups.items():
        first, three = (share(places, k) for k in BARS)
        print(f"{group:12}{len(places):5}{first:8.3f}{three:8.3f}")
    return {k: share(groups["all"], k) for k in BARS}


def share(places: list[int], k: int) -> float:
    """Of how many the right one is among the first k."""
    return sum(0 < place <= k for place in places) / len(places)


def main() -> int:
    """Live the year, and fail below the bars."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--missed", action="store_true", help="show what is not first")
    missed = parser.parse_args().missed
    told = {one["id"]: one["text"] for one in lines("life")}
    ranks = []
    for question, found in live():
        ranks.append((question, rank(question, found)))
        if missed and ranks[-1][1] != 1:
            print(f"{question['id']} {ranks[-1][1]:3} {question['ask']}")
            for id_ in [*question["gold"][:1], "", *found[:3]]:
                print(f"    {id_:5} {told.get(id_, '')[:90]}")
    shares = report(ranks)
    return int(any(shares[k] < bar for k, bar in BARS.items()))


if __name__ == "__main__":
    sys.exit(main())
