"""A consolidated life: what a mind noted of each session reaches pages by reflections.

    make bench-life ARGS="--data DIR"        every conversation of LoCoMo
    make bench-life ARGS="--data DIR --limit 1"

Session by session is said, slept on and approved, with the data set's own observations
as what the mind extracts. Then every observation is looked for: on the right page,
once, with its day and the turn that it comes from. `life:contexts` and `life:stable`
give a harness the blocks of such a workspace.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.suite.times import when

from benchmarks import reverie_bench as bench
from reverie import Episodic, Memory
from reverie.minds.scripted import ScriptedMind
from reverie.model.items import Role
from reverie.stores.entities import parse_entity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchmarks.suite.blind import Entry, Query

    from reverie.minds.mind import Question

    Fact = Mapping[str, Any]

MONOLOGUE = (
    "and so another evening is written down, and I keep turning over what was said, as "
    "if it were a stone from a pocket, wondering which side of it was meant to show."
)


def contexts(
    corpus: list[Entry], queries: list[Query], budget: int, facts: Sequence[Fact] = ()
) -> list[str]:
    """As `reverie_bench.contexts`, of a workspace that reflected."""
    return bench.contexts(corpus, queries, budget, facts, live)


def stable(corpus: list[Entry], facts: Sequence[Fact], budget: int) -> str:
    """As `reverie_bench.stable`, of a workspace that reflected."""
    return bench.stable(corpus, facts, budget, live)


def live(folder: str, corpus: list[Entry], facts: Sequence[Fact]) -> Memory:
    """A workspace in which every session was said, slept on and approved."""
    dreams: list[list[dict[str, object]]] = [[]]
    now = [datetime.now(UTC)]

    def think(question: Question) -> Mapping[str, object]:
        answers: dict[str, Mapping[str, object]] = {
            "reflect-survey": {"plan": [], "themes": []},
            "reflect-meta": {"insights": [], "observations": [], "guidance": []},
            "reflect-consolidate": {"operations": dreams[-1]},
            "reflect-present": {
                "monologue": MONOLOGUE,
                "vibe": "quiet",
                "key_insight": "",
            },
        }
        return answers.get(question.operation, {})

    Memory.init(folder).close()
    memory = Memory(
        folder,
        clock=lambda: now[0],
        environ={"TZ": "UTC"},
        mind=ScriptedMind(think),
        human=lambda _: True,
    )
    memory.tidy_on_close = False
    noted = {time: [*some] for time, some in groupby(facts, key=lambda f: f["time"])}
    sources: dict[str, str] = {}
    for chat, entries in sessions(corpus):
        at = when(entries[0]["time"]) or now[0]
        now[0] = at + timedelta(hours=1)
        sources |= said(memory, chat, entries)
        told = noted.get(entries[0]["time"], [])
        names = ", ".join(sorted({fact["about"] for fact in told}))
        memory.remember(f"They talked: {names or 'nobody'}.", Episodic(at=at))
        dreams.append([extract(fact, at, sources) for fact in told])
        sleep(memory)
    now[0] += bench.A_DAY
    memory.embed(sentences=bench.readable(corpus))
    return memory


def sessions(corpus: list[Entry]) -> Iterator[tuple[Any, list[Entry]]]:
    """The conversations of a corpus with their documents, the oldest first."""
    groups = [list(some) for _, some in groupby(corpus, key=lambda e: e["group"])]
    chats = [*bench.conversations(corpus)]
    found = zip(chats, groups, strict=True)
    yield from sorted(found, key=lambda pair: str(when(pair[1][0]["time"])))


def said(memory: Memory, chat: Any, entries: list[Entry]) -> dict[str, str]:  # noqa: ANN401 - `Chat`
    """Say a session; which turn each of its documents became."""
    window, turns = memory.window(chat.origin.name), {}
    for each, entry in zip(chat.turns, entries, strict=True):
        if each.text.strip():
            role = Role(each.role)
            turn = window.say(each.text, role=role, speaker=each.speaker, at=each.at)
            turns[entry["id"]] = f"turn:{window.name}/{turn.number}/{turn.role}/0"
    return turns


def extract(fact: Fact, at: datetime, sources: Mapping[str, str]) -> dict[str, object]:
    """What a mind would write to keep one observation."""
    named = [sources[each] for each in fact["sources"] if each in sources]
    return {
        "operation": "EXTRACT",
        "target": f"memory/graph/entities/person--{fact['about'].lower()}.md",
        "content": f"{fact['text']} (since: {at:%Y-%m-%d})",
        "reason": "said in this session",
        "sources": named[:1],
    }


def sleep(memory: Memory) -> None:
    """Check in, be given tokens, think, and have all of it approved."""
    reflection = memory.reflection
    reflection.begin()
    reflection.reply("grant 60000")
    standing = reflection.advance()
    reflection.decide("approve", standing.shown)


def kept(memory: Memory, facts: Sequence[Fact]) -> dict[str, int]:
    """How many observations are where they belong, and how many are not."""
    pages = {}
    for path in sorted((memory.root / "memory/graph/entities").rglob("*.md")):
        entity = parse_entity(path.read_text("utf-8"), str(path)).entity
        pages[entity.name] = [fact for fact in entity.facts if fact.current]
    counts = dict.fromkeys(("there", "lost", "doubled", "without day or source"), 0)
    for fact in {(f["about"].lower(), " ".join(f["text"].split())) for f in facts}:
        about, text = fact
        here = [
            each
            for each in pages.get(f"person--{about}", ())
            if " ".join(each.text.split()) == text
        ]
        counts["there"] += bool(here)
        counts["lost"] += not here
        counts["doubled"] += len(here) > 1
        counts["without day or source"] += any(
            not (each.since and each.basis) for each in here
        )
    return counts


def main() -> int:
    """Live every conversation, and count what was kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=0)
    given = parser.parse_args()
    whole = json.loads((given.data / "locomo/locomo10.json").read_text("utf-8"))
    broken = 0
    for one in whole[: given.limit or None]:
        corpus, facts = locomo(one)
        with tempfile.TemporaryDirectory() as folder:
            memory = live(folder, corpus, facts)
            counts = kept(memory, facts)
            memory.close()
        print(one["sample_id"], counts, flush=True)
        broken += sum(counts.values()) - counts["there"]
    return 1 if broken else 0


def locomo(one: Mapping[str, Any]) -> tuple[list[Entry], list[Fact]]:
    """The turns of a conversation, and what the data set noted of each session."""
    talk, corpus, facts = one["conversation"], list[Any](), list[Any]()
    number = 1
    while turns := talk.get(f"session_{number}"):
        time = talk[f"session_{number}_date_time"]
        for turn in turns:
            text = f"{turn['speaker']}: {turn['text']}"
            entry = {"id": turn["dia_id"], "time": time, "group": number, "text": text}
            corpus.append(entry)
        seen = one["observation"].get(f"session_{number}_observation", {})
        for about, lines in seen.items():
            for text, source in lines:
                named = [source] if isinstance(source, str) else [*source]
                fact = {"about": about, "text": text, "time": time, "sources": named}
                facts.append(fact)
        number += 1
    return corpus, facts


if __name__ == "__main__":
    sys.exit(main())
