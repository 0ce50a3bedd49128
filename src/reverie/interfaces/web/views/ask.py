"""Ask: what is recalled for a question and why, and what an agent would be told."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from reverie import Reach, ReverieError
from reverie.interfaces.web.page import View
from reverie.model.ids import TO_THE_MINUTE, Store
from reverie.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reverie import Awake, Hit, Memory, Recalled
    from reverie.interfaces.web.page import Given

LEAST, MOST, STEP = 100, 4000, 50
"""Tokens that can be dragged to."""

LONGEST = 4000
"""Characters of a question; what is behind them is not read."""

LONGEST_PASSAGE = 600
"""Characters of a passage that are shown at once."""

MOST_BESIDE = 3
"""So many of what stands beside a hit, and of what it once said, are shown."""

WINDOW = "a-look-at-the-page"
"""A conversation in which nothing is ever said: it is always about to begin."""


def look(memory: Memory, given: Given) -> Mapping[str, Any]:
    """What is found for a question, beside what an agent would be told for it."""
    question = given.get("q", "").strip()[:LONGEST]
    budget = _budget(given.get("budget", ""), memory.config.conversation.attend_tokens)
    archived, wakes = bool(given.get("archived")), bool(given.get("wake"))
    shown: dict[str, Any] = {
        "question": question,
        "budget": budget,
        "range": (LEAST, MOST, STEP),
        "archived": archived,
        "recalled": None,
        "waking": _waking(memory) if wakes else None,
    }
    if not question:
        return shown
    # A moment of one's own, so that looking is no use that keeps a memory vivid.
    now = datetime.now(UTC)
    reach = Reach.EVERYTHING if archived else Reach.EXPLICIT
    found = memory.recall(question, now=now, reach=reach)
    told = memory.window(WINDOW, keeps=False).attend(question, budget=budget)
    # Of what hardly fits nobody wants to know more.
    least = memory.config.recall.min_score
    return shown | {
        "recalled": found,
        "read": _read(found),
        "hits": [_hit(hit) for hit in found.hits],
        "disputed": any(hit.disputed and hit.score >= least for hit in found.hits),
        "told_agent": told,
        "new": not found.hits and not any(memory.overview().counts.values()),
    }


def _budget(said: str, usual: int) -> int:
    """A budget in its bounds; the usual one where none can be read."""
    plain = said.isascii() and said.isdecimal() and len(said) < 9
    return min(max(int(said) if plain else usual, LEAST), MOST)


def _read(found: Recalled) -> list[tuple[str, str]]:
    """How the question was read: what it was taken for, and what was looked for."""
    read = found.understood
    told = (
        ("As a question", str(read.plan)),
        ("About", ", ".join(read.entities)),
        ("Said by", ", ".join(read.speakers)),
        ("Of the time", "; ".join(read.times)),
        ("Words that begin like", ", ".join(read.words)),
    )
    return [(name, words) for name, words in told if words]


def _hit(hit: Hit) -> Mapping[str, Any]:
    """One hit, with how much of it is shown at once."""
    passage = hit.passage[:LONGEST_PASSAGE]
    return {
        "hit": hit,
        "name": _name(hit),
        "passage": passage + "…" * (passage != hit.passage),
        "more": hit.text if hit.text.strip() != passage.strip() else "",
        "exact": hit.store in TO_THE_MINUTE,
        "outdated": hit.outdated[:MOST_BESIDE],
        "beside": hit.beside[:MOST_BESIDE],
    }


def _name(hit: Hit) -> str:
    """What a hit is about, or what it is, in a word or two."""
    if hit.store is Store.TURNS:
        return f"Said in {hit.id.removeprefix('turn:').partition('/')[0]}"
    kinds = {Store.CORE: "Core memory", Store.EPISODIC: "An episode"}
    return kinds.get(hit.store, hit.title)


def _waking(memory: Memory) -> Mapping[str, Any]:
    """What a conversation that begins now is told, part by part."""
    try:
        awake = memory.window(WINDOW, keeps=False).wake(new=True)
    except ReverieError as error:
        return {"problem": f"{error}. {error.advice}", "parts": [], "tokens": 0}
    return {"problem": "", "parts": _parts(awake), "tokens": awake.tokens}


def _parts(awake: Awake) -> list[tuple[str, int, str]]:
    """What an agent is told at its start: what each part is, its tokens, its words."""
    told = (
        ("Core memory", awake.core),
        ("What is known", awake.known),
        ("What changed", awake.changes),
        ("News", awake.news),
        ("What was said", awake.turns),
    )
    return [(name, count_tokens(text), text) for name, text in told if text]


VIEWS = (View("/ask", "ask.html", look),)
ACTS = ()
