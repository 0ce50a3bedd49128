"""A workspace with more to reflect on than one cycle reads, and an agent that does."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from reverie import Memory

if TYPE_CHECKING:
    from pathlib import Path

    from mcp.client import Client
    from mcp_types import CallToolResult

PEOPLE = 40
WORDS = [
    "harbour",
    "ledger",
    "violin",
    "permit",
    "glacier",
    "orchard",
    "turbine",
    "lantern",
    "meadow",
    "copper",
    "archive",
    "pilot",
    "saffron",
    "quarry",
    "tunnel",
    "cedar",
    "marble",
    "anchor",
    "velvet",
    "compass",
]


def sentence(seed: int, words: int) -> str:
    """A made-up sentence, another one for each number."""
    said = (WORDS[(seed * 7 + at * (seed % 5 + 1)) % len(WORDS)] for at in range(words))
    return f"Note {seed}: " + " ".join(said) + "."


def fill_workspace(root: Path, now: datetime | None = None) -> None:
    """Create a workspace whose every source is longer than its budget."""
    Memory.init(root).close()
    now = now or datetime.now(UTC)
    entities = root / "memory/graph/entities"
    for n in range(PEOPLE):
        facts = "".join(f"- {sentence(100 * n + k, 14)}\n" for k in range(25))
        page = (
            f"# Person {n} Surname{n}\n\n**Type**: person\n\n## Summary\n\n"
            f"{sentence(n, 20)}\n\n## Facts\n\n{facts}"
            f"\n## Open Questions\n\n- Does {sentence(n, 6)}\n"
        )
        (entities / f"person--p{n}.md").write_text(page)
    for day in range(1, 7):
        at = now - timedelta(days=day)
        entries = "".join(
            f"## {8 + k // 6:02}:{k % 6 * 10:02} | event | confidence:high | tags:[]\n"
            f"Person {(day * 25 + k) % PEOPLE} Surname{(day * 25 + k) % PEOPLE} said: "
            f"{sentence(1000 * day + k, 50)}\n\n"
            for k in range(25)
        )
        log = f"# {at:%Y-%m-%d} — Episode Log\n\n{entries}"
        path = root / f"memory/episodes/{at:%Y-%m-%d}.md"
        path.write_text(log)
    for n in range(12):
        steps = "".join(f"{k + 1}. {sentence(n * 31 + k, 12)}\n" for k in range(10))
        path = root / f"memory/procedures/way-{n}.md"
        path.write_text(f"# Way {n}\n\n**Trigger**: on day {n}\n\n## Steps\n\n{steps}")
    core = root / "MEMORY.md"
    lines = "".join(f"- {sentence(5000 + k, 16)}\n" for k in range(90))
    core.write_text(
        core.read_text().replace(
            "## Active Context\n", f"## Active Context\n\n{lines}", 1
        )
    )
    threads = "".join(f"- {sentence(7000 + k, 18)}\n" for k in range(70))
    path = root / "memory/meta/evolution.md"
    path.write_text(f"# Philosophical Evolution\n\n## Confirmed Patterns\n{threads}")


def fill_ordinary_workspace(root: Path, now: datetime) -> None:
    """Create a workspace after some weeks: a hundred facts, and what came since."""
    with Memory.init(root) as memory:
        for n in range(12):
            memory.acting_as("scout").propose(f"Proposed {n}: {sentence(300 + n, 12)}")
    entities = root / "memory/graph/entities"
    for n in range(25):
        known = "".join(
            f"- Holds {n}.{k}: {sentence(100 * n + k, 16)} <!-- since: 2026-01-05 | "
            "source: conversation | tags: work, people -->\n"
            for k in range(4)
        )
        over = "".join(
            f"- ~~Held {n}.{k}: {sentence(50 * n + k, 16)}~~ <!-- since: 2026-01-01 | "
            "until: 2026-01-05 | source: conversation -->\n"
            for k in range(4)
        )
        page = (
            f"# person--p{n}\n\n<!-- Type: person | Created: 2026-01-01 | Source: "
            f"conversation | Aliases: Person {n} -->\n<!-- Pinned: no -->\n\n"
            f"## Summary\n\n## Facts\n{over}{known}\n## Relations\n"
            f"- knows: [[person--p{(n + 1) % 25}]] <!-- since: 2026-01-01 -->\n"
        )
        (entities / f"person--p{n}.md").write_text(page)
    for n in range(2):
        steps = "".join(f"{k + 1}. {sentence(n * 31 + k, 9)}\n" for k in range(5))
        path = root / f"memory/procedures/way-{n}.md"
        path.write_text(f"# way-{n}\n\n## Trigger\nOn day {n}\n\n## Steps\n{steps}")
    for day in range(1, 6):
        at = now - timedelta(days=day)
        entries = (
            "".join(
                f"## {8 + k}:00 | event | confidence:high | tags:[]\n"
                f"Person {day * 5 + k} said: {sentence(1000 * day + k, 12)}\n\n"
                for k in range(5)
            )
            .replace("## 8:", "## 08:")
            .replace("## 9:", "## 09:")
        )
        path = root / f"memory/episodes/{at:%Y-%m-%d}.md"
        path.write_text(f"# {at:%Y-%m-%d} — Episode Log\n\n{entries}")


class Agent:
    """A connected agent that answers every step, and counts what it is sent."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.steps: list[tuple[str, int]] = []
        self.results: list[dict[str, Any]] = []

    @property
    def characters(self) -> int:
        """All characters that this agent was sent."""
        return sum(count for _, count in self.steps)

    async def call(self, name: str, **given: Any) -> dict[str, Any]:
        """Call `reflect`, and count what it returns: text or structure, not both."""
        result = await self._client.call_tool("reflect", given)
        assert not result.is_error, result.content
        found: dict[str, Any] = dict(result.structured_content or {})
        self.steps.append((name, sent_characters(result)))
        self.results.append(found)
        return found

    async def reflect(self) -> dict[str, Any]:
        """Go through a whole cycle, with the longest answers that are plausible."""
        await self.call("begin")
        found = await self.call("grant", user_said="grant")
        while found["state"] == "reflecting":
            step = step_of(found["prompt"])
            said = json.dumps(answer_to(step))
            found = await self.call(step, answer=said)
        return found


def sent_characters(result: CallToolResult) -> int:
    """The characters of a result; a host shows its text or its structure."""
    text = sum(len(getattr(part, "text", "")) for part in result.content)
    structure = json.dumps(result.structured_content, ensure_ascii=False)
    return max(text, len(structure))


STEPS = {
    "first step": "survey",
    "second step": "meta",
    "third step": "consolidate",
    "putting them right": "mend",
    "core memory is brought up to date": "rewrite",
    "last step": "present",
}


def step_of(prompt: str) -> str:
    """Which step a prompt asks for."""
    return next(name for words, name in STEPS.items() if words in prompt)


def answer_to(step: str) -> dict[str, Any]:
    """An answer as long as an agent would write it."""
    extracts = [
        {
            "operation": "EXTRACT",
            "target": f"memory/graph/entities/person--p{n}.md",
            "content": "\n".join(
                f"Found {sentence(9000 + n * 10 + k, 12)} (since: 2026-02-01)"
                for k in range(3)
            ),
            "reason": "said so",
        }
        for n in range(20)
    ]
    unknown = [
        {
            "operation": "CONNECT",
            "target": "memory/graph/index.md",
            "content": f"person--p{n} → knows → person--nobody-{n}",
            "reason": "said so",
        }
        for n in range(10)
    ]
    answers: dict[str, dict[str, Any]] = {
        "survey": {
            "plan": [{"task": "extract", "what": sentence(n, 20)} for n in range(20)],
            "themes": ["the harbour", "the ledger"],
        },
        "meta": {
            "insights": [sentence(1, 30)],
            "observations": [sentence(2, 30)],
            "guidance": [sentence(3, 30)],
        },
        "consolidate": {"operations": [*extracts, *unknown]},
        "mend": {"operations": unknown[:5]},
        "rewrite": {
            "remove": [],
            "add": [{"section": "Critical Facts", "text": "Ships on Fridays."}],
        },
        "present": {
            "monologue": "The sea, and how he says its name. " * 40,
            "vibe": "calm",
            "key_insight": "He works in two places.",
        },
    }
    return answers[step]
