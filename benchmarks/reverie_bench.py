"""Reverie as a system under test: what it ranks, and what it puts before an agent.

`retrieve(corpus, queries, k)` gives rankings, `contexts(corpus, queries, budget)` the
context blocks and `stable(corpus, facts, budget)` what an agent is told at its start.
`recall_quality.py` calls them, and so can any other harness with this way of asking:
put this folder and `src` on the path and name `reverie_bench:retrieve`.

What is measured is the public API on a real workspace: every document is a turn of a
conversation with its own date, imported in bulk; every fact is an observation about
somebody; and every query is a `recall` or a `context`.
"""

from __future__ import annotations

import re
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.suite.times import speaker, when

from reverie import Memory, Reach
from reverie.importers.walk import Chat, ChatTurn, Provenance
from reverie.model.items import Role
from reverie.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from benchmarks.suite.blind import Entry, Query

    Live = Callable[[str, list[Entry], Sequence[Mapping[str, Any]]], Memory]

MOSTLY = 0.9
"""Names in front of texts are speakers where so many of the texts have one."""

AGENT, A_DAY = "bench", timedelta(days=1)
"""The conversation of the agent that asks, and how much later it does."""

MOST_READ = 300_000
"""So many characters are read by the model of sentences, in about a minute."""


def retrieve(corpus: list[Entry], queries: list[Query], k: int) -> list[list[str]]:
    """The ids of the k documents that Reverie recalls for each query, best first."""
    with tempfile.TemporaryDirectory() as folder, Memory.init(folder) as memory:
        memory.tidy_on_close = False
        memory.take_in(conversations(corpus))
        memory.embed(sentences=readable(corpus))
        documents = by_turn(memory, corpus)
        last = latest(corpus)
        return [answer(memory, query, k, documents, last) for query in queries]


def converse(corpus: list[Entry], queries: list[Query], k: int) -> list[list[str]]:
    """The same where every document was said, turn by turn, and not imported."""
    with tempfile.TemporaryDirectory() as folder, Memory.init(folder) as memory:
        memory.tidy_on_close = False
        say(memory, corpus)
        documents = by_turn(memory, corpus)
        memory.embed(sentences=readable(corpus))
        last = latest(corpus)
        return [answer(memory, query, k, documents, last) for query in queries]


def contexts(
    corpus: list[Entry],
    queries: list[Query],
    budget: int,
    facts: Sequence[Mapping[str, Any]] = (),
    live: Live | None = None,
) -> list[str]:
    """What an agent is given for each query, within a budget of tokens.

    Where it was told what is known at its start, that comes besides.
    """
    memory, last = told(corpus, facts, live), latest(corpus)

    def asked(query: Query) -> Callable[[int], str]:
        if _Last.woken:
            return lambda most: memory.attend(AGENT, query["text"], budget=most).text
        now = when(query["time"]) or last
        return lambda most: memory.context(query["text"], budget=most, now=now)

    return [fitted(asked(query), budget) for query in queries]


class _Last:
    """The workspace that was told last: one harness asks it with several budgets."""

    key: object = None
    folder: tempfile.TemporaryDirectory[str]
    memory: Memory
    woken: bool


def told(
    corpus: list[Entry],
    facts: Sequence[Mapping[str, Any]],
    live: Live | None = None,
) -> Memory:
    """A workspace that knows some conversations, and what a mind noted of them.

    Args:
        corpus: The conversations.
        facts: What was noted.
        live: Makes the workspace in a folder; it is simply told by default.
    """
    said = tuple((entry["id"], entry["text"]) for entry in corpus)
    key = said, tuple(fact["text"] for fact in facts)
    if _Last.key != key:
        if _Last.key is not None:
            _Last.memory.close()
        _Last.folder = tempfile.TemporaryDirectory()
        _Last.key, _Last.woken = key, False
        _Last.memory = (live or simply)(_Last.folder.name, corpus, facts)
    return _Last.memory


def simply(
    folder: str, corpus: list[Entry], facts: Sequence[Mapping[str, Any]]
) -> Memory:
    """A workspace that was told everything at once."""
    # Asked on the day after the last one, not years later.
    last = latest(corpus) or datetime.now(UTC)
    memory = Memory.init(folder, clock=lambda: last + A_DAY)
    tell(memory, corpus, facts)
    return memory


def fitted(block: Callable[[int], str], budget: int) -> str:
    """The longest block that is within a budget of the harness's tokens.

    It counts words and marks, and Reverie what a model would; so it is asked for as
    much as comes to the same.
    """
    asked, best = budget, ""
    for _ in range(3):
        text = block(asked)
        size = tokens(text)
        if size <= budget and size >= tokens(best):
            best = text
        if not size or 0.98 * budget <= size <= budget:
            break
        asked = int(budget * count_tokens(text) / size) - (size > budget)
    return best


def tokens(text: str) -> int:
    """How the harness counts."""
    return round(1.25 * len(re.findall(r"\w+|[^\w\s]", text)))


def stable(
    corpus: list[Entry],
    facts: Sequence[Mapping[str, Any]],
    budget: int,
    live: Live | None = None,
) -> str:
    """What an agent is told at its start, whatever it will be asked."""
    awake = told(corpus, facts, live).wake(AGENT, stable=budget)
    _Last.woken = True
    return awake.stable


def tell(
    memory: Memory, corpus: list[Entry], facts: Sequence[Mapping[str, Any]]
) -> None:
    """Put conversations into a workspace, and what a mind noted of them."""
    memory.tidy_on_close = False
    if not facts:
        memory.take_in(conversations(corpus))
    else:
        # Who notes something was there when it was said.
        say(memory, corpus)
        known = by_turn(memory, corpus).items()
        turns = {document: f"{id_}/0" for id_, document in known}
        for time, noted in groupby(facts, key=lambda fact: fact["time"]):
            at = when(time)
            memory.observe(
                {
                    "text": f["text"],
                    "about": f"person--{f['about'].lower()}",
                    "day": f"{at:%Y-%m-%d}" if at else "",
                    "source": next((turns[s] for s in f["sources"] if s in turns), ""),
                }
                for f in noted
            )
    memory.embed(sentences=readable(corpus))


def say(memory: Memory, corpus: list[Entry]) -> None:
    """Say every document, turn by turn."""
    for conversation in conversations(corpus):
        window = memory.window(conversation.origin.name)
        for said in conversation.turns:
            # Some records have turns in which nothing was said.
            if said.text.strip():
                role, who = Role(said.role), said.speaker
                window.say(said.text, role=role, speaker=who, at=said.at)
    memory.overview()  # writes down what was said


def readable(corpus: list[Entry]) -> bool:
    """Whether the model of sentences reads it too, or only the built-in table."""
    return sum(len(entry["text"]) for entry in corpus) <= MOST_READ


def latest(corpus: list[Entry]) -> datetime | None:
    """The moment of the last document."""
    return max((at for entry in corpus if (at := when(entry["time"]))), default=None)


def answer(
    memory: Memory,
    query: Query,
    k: int,
    documents: dict[str, str],
    last: datetime | None,
) -> list[str]:
    """The documents of the memories that answer a query."""
    now = when(query["time"]) or last or datetime.now(UTC)
    found = memory.recall(
        query["text"], now=now, limit=k, least=0, reach=Reach.EVERYTHING
    )
    ids = (id_ for hit in found.hits for id_ in (hit.id, *hit.same))
    return list(dict.fromkeys(documents[turn(id_)] for id_ in ids))[:k]


def conversations(corpus: list[Entry]) -> Iterator[Chat]:
    """The documents as conversations, one for each group that stands together."""
    named = [speaker(entry["text"])[0] for entry in corpus]
    spoken = sum(map(bool, named)) >= MOSTLY * len(named)
    for number, (_, entries) in enumerate(groupby(corpus, key=lambda e: e["group"])):
        said = [said_in(entry, spoken=spoken) for entry in entries]
        first = said[0].speaker
        turns = tuple(
            ChatTurn(
                "user" if s.speaker == first else "assistant", s.text, s.at, s.speaker
            )
            for s in said
        )
        yield Chat(Provenance("bench", f"{number:05}"), "", None, turns)


def said_in(entry: Entry, *, spoken: bool) -> ChatTurn:
    """A document as a turn, without the date and name in front of its text."""
    name, text = speaker(entry["text"]) if spoken else ("", entry["text"])
    return ChatTurn("user", text or entry["text"], when(entry["time"]), name)


def by_turn(memory: Memory, corpus: list[Entry]) -> dict[str, str]:
    """Which document each turn came from; a very long one makes several turns."""
    files = sorted((memory.root / "conversations").rglob("*.md"))
    turns = [
        item
        for file in files
        for item in memory.items(path=file.relative_to(memory.root).as_posix())
    ]
    texts = [said.text for c in conversations(corpus) for said in c.turns]
    found, at, left = {}, -1, 0
    for item in turns:
        while left <= 0:
            at += 1
            left = size(texts[at])
        left -= size(item.text)
        found[turn(item.id)] = corpus[at]["id"]
    return found


def size(text: str) -> int:
    """How much a text says, however its white space is written."""
    return sum(map(len, text.split()))


def turn(id_: str) -> str:
    """The turn that a passage belongs to."""
    return id_.rpartition("/")[0]
