"""How much a whole reflection returns to the connected agent."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from tests.interfaces.mcp.connected import call, talk
from tests.interfaces.mcp.large_cycle import (
    Agent,
    fill_ordinary_workspace,
    fill_workspace,
    sentence,
)

from reverie import Memory
from reverie.tokens import count_tokens

if TYPE_CHECKING:
    from pathlib import Path

    from mcp.client import Client

MOST_CHARACTERS = 60_000


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("large") / "agent"
    fill_workspace(root)
    return root


@pytest.fixture(scope="module")
def agent(root: Path) -> Agent:
    """An agent that has gone through a whole reflection of a large workspace."""

    async def act(client: Client) -> Agent:
        agent = Agent(client)
        await agent.reflect()
        return agent

    found = talk(root, act)
    assert isinstance(found, Agent)
    return found


def prompts(agent: Agent) -> list[str]:
    return [found["prompt"] for found in agent.results if found["prompt"]]


def test_a_whole_reflection_returns_at_most_60000_characters(agent: Agent) -> None:
    assert agent.characters <= MOST_CHARACTERS
    assert agent.characters > MOST_CHARACTERS / 2


def test_a_text_is_sent_to_the_agent_once(agent: Agent) -> None:
    sent = "\n".join(prompts(agent))
    episode = next(line for line in sent.split("\n") if " said: Note " in line)
    page = next(line for line in sent.split("\n") if line.startswith("# Person "))

    assert sent.count(episode) == 1
    assert sent.count(f"{page}\n") == 1


def test_a_repair_step_names_only_what_was_refused(agent: Agent) -> None:
    repair = next(text for text in prompts(agent) if "putting them right" in text)

    assert "person--nobody-3" in repair
    assert len(repair) < 5_000


def test_what_was_not_read_is_counted_for_the_user(agent: Agent, root: Path) -> None:
    with Memory(root) as memory:
        pending, _ = memory.reflection.pending()
    read = {each.name: each for each in pending.read}

    episodes = read["memory/episodes/*"]
    assert episodes.read + episodes.left_out == 150
    assert episodes.why
    assert pending.refused
    assert agent.results


def test_the_last_answer_is_a_summary_and_says_where_the_page_is(agent: Agent) -> None:
    said = agent.results[-1]["says"]

    assert "memory/meta/pending-reflection.md" in said
    assert "20 EXTRACT" in said
    assert len(said) < 2_000


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    """A small workspace whose agent was asked the first question."""
    root = tmp_path / "agent"
    with Memory.init(root) as memory:
        memory.remember("We met Ana at the sea.")
    call(root, "reflect")
    call(root, "reflect", user_said="grant")
    return root


def test_a_bad_answer_returns_the_problem_without_the_prompt(begun: Path) -> None:
    found = call(begun, "reflect", answer="not json")

    assert found["problem"]
    assert not found["prompt"]
    assert "stays the same" in found["next"]


def test_an_agent_that_lost_the_prompt_gets_it_again(begun: Path) -> None:
    said: dict[str, Any] = {"plan": [], "themes": []}
    call(begun, "reflect", answer=json.dumps(said))

    found = call(begun, "reflect", answer=json.dumps({"insights": [], **said}))
    assert found["problem"]
    looked_back: dict[str, Any] = {"insights": [], "observations": [], "guidance": []}
    short = call(begun, "reflect", answer=json.dumps(looked_back))
    whole = call(begun, "reflect")

    assert "We met Ana" not in short["prompt"]
    assert "We met Ana" in whole["prompt"]


def test_prompts_are_repeated_only_within_the_limit(tmp_path: Path) -> None:
    root = tmp_path / "agent"
    fill_workspace(root)

    async def act(client: Client) -> Agent:
        agent = Agent(client)
        await agent.call("begin")
        await agent.call("grant", user_said="grant")
        plan = [{"task": "extract", "what": sentence(1, 9)}]
        said = json.dumps({"plan": plan, "themes": []})
        await agent.call("survey", answer=said)
        looked_back: dict[str, Any] = {
            "insights": [],
            "observations": [],
            "guidance": [],
        }
        await agent.call("meta", answer=json.dumps(looked_back))
        await agent.call("again")
        return agent

    agent = talk(root, act)

    assert agent.characters <= MOST_CHARACTERS
    assert "`show` prints a memory" in agent.results[-1]["prompt"]


@pytest.fixture(scope="module")
def ordinary(tmp_path_factory: pytest.TempPathFactory) -> Agent:
    """An agent that has reflected on a workspace of a hundred current facts."""
    root = tmp_path_factory.mktemp("ordinary") / "agent"
    fill_ordinary_workspace(root, datetime.now(UTC))

    async def act(client: Client) -> Agent:
        agent = Agent(client)
        await agent.reflect()
        return agent

    found = talk(root, act)
    assert isinstance(found, Agent)
    return found


def test_all_that_holds_in_an_ordinary_workspace_is_sent(ordinary: Agent) -> None:
    first = prompts(ordinary)[0]

    facts = [f"- Holds {n}.{k}:" for n in range(25) for k in range(4)]
    assert [each for each in facts if each not in first] == []
    assert [n for n in range(2) if f"memory/procedures/way-{n}.md" not in first] == []
    assert first.count(" said: Note ") == 25
    assert ordinary.characters <= MOST_CHARACTERS


def test_every_pending_proposal_is_listed_with_its_number(ordinary: Agent) -> None:
    first = prompts(ordinary)[0]

    for number in range(1, 13):
        assert f"[#{number} · " in first
        assert f"Proposed {number - 1}:" in first


def test_later_steps_only_name_what_was_sent(ordinary: Agent) -> None:
    third = next(text for text in prompts(ordinary) if "third step" in text)

    assert "Sent or written in earlier steps: " in third
    assert "Holds 3.1" not in third
    assert "(nothing)" not in third


def test_a_dense_script_is_sent_within_the_limit_of_tokens(tmp_path: Path) -> None:
    root = tmp_path / "agent"
    Memory.init(root).close()
    for n in range(40):
        facts = "".join(
            f"- {n}、{k}。{'海辺の町に住む人と船。' * 20}\n" for k in range(9)
        )
        path = root / f"memory/graph/entities/person--p{n}.md"
        path.write_text(f"# person--p{n}\n\n## Facts\n{facts}")
    call(root, "reflect")

    found = call(root, "reflect", user_said="grant")

    assert 5_000 < count_tokens(found["prompt"]) <= 30_000
    assert len(found["prompt"]) < MOST_CHARACTERS
