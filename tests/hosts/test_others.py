"""The other hosts: a shorter day in Codex, and healthy servers everywhere."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.hosts.conftest import files, told
from tests.hosts.model_server import Call, ModelServer

from reverie.recall.context_block import OPENING

if TYPE_CHECKING:
    from tests.hosts.conftest import Lab
    from tests.hosts.model_server import Answer, Json, Turn

HEALTHY = {
    "claude-code": (("claude", "mcp", "list"), "✔ Connected"),
    "codex": (("codex", "mcp", "list"), "enabled"),
    "gemini": (("gemini", "mcp", "list"), "Connected"),
    "opencode": (("opencode", "mcp", "list"), "connected"),
    "openclaw": (("openclaw", "mcp", "doctor", "reverie", "--probe"), "reverie: ok"),
}
ANA = {"text": "Ana lives in Lisbon.", "about": "person--ana"}


@pytest.mark.parametrize("host", HEALTHY)
def test_the_server_is_healthy(lab: Lab, host: str) -> None:
    words, healthy = HEALTHY[host]
    trusted = lab.home / ".gemini/trustedFolders.json"
    trusted.parent.mkdir()
    trusted.write_text(json.dumps({str(lab.project): "TRUST_FOLDER"}))
    lab.reverie("connect", host)

    done = lab.run(*words)

    assert "reverie" in done.stdout + done.stderr
    assert healthy in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("host", "words"),
    [
        ("claude-code", ("claude", "plugin", "validate")),
        ("gemini", ("gemini", "extensions", "validate")),
    ],
)
def test_a_plugin_is_valid_to_its_host(
    lab: Lab, host: str, words: tuple[str, ...]
) -> None:
    lab.reverie("connect", host, "--plugin", str(lab.home / "plugin"))

    done = lab.run(*words, lab.home / "plugin")

    assert done.returncode == 0, done.stdout + done.stderr


def once_there(call: Call) -> Turn:
    """A call of ours; Codex does not wait for a server that is still starting."""

    def turn(request: Json) -> Answer | Turn:
        names = [tool.get("name") for tool in request["tools"]]
        return call if "mcp__reverie" in names else turn

    return turn


def test_a_day_in_codex(lab: Lab) -> None:
    config = lab.home / ".codex/config.toml"
    config.parent.mkdir()
    config.write_text('# mine\nmodel_reasoning_effort = "low"')
    before = config.read_bytes()
    lab.reverie("observe", json.dumps([ANA]))
    lab.reverie("connect", "codex")

    # Start, and a question that memory answers.
    asks = Call("mcp__reverie/recall", {"question": "Where does Ana live?"})
    with ModelServer([once_there(asks), "In Lisbon."]) as model:
        assert lab.codex(model, "Where does Ana live these days?") == "In Lisbon."
    assert OPENING in told(model.turns[0])
    assert "- Ana lives in Lisbon." in told(model.turns[0])
    assert "Ana lives in Lisbon." in told(model.turns[-1]["input"][-1])

    # Remember, by a tool that is not read-only.
    tea = {"text": "Ana drinks tea at four.", "about": "person--ana"}
    keeps = Call("mcp__reverie/remember", {"memories": [tea]})
    with ModelServer([once_there(keeps), "Noted."]) as model:
        lab.codex(model, "She drinks tea at four, by the way.")
    assert "tea at four" in lab.reverie("recall", "When does Ana drink tea?")
    said = lab.reverie("window")
    assert said.count("codex-") == 2

    # Disconnect: every file as before, but for what the host itself keeps.
    lab.reverie("connect", "codex", "--remove")
    assert config.read_bytes() == before
    assert not [name for name in files(lab.home / ".codex") if "reverie" in name]
    assert not (lab.home / ".codex/hooks.json").exists()


def test_a_sub_agent_of_codex_may_not_write(lab: Lab) -> None:
    lab.reverie("connect", "codex")
    answered: list[str] = []
    writes = {"memories": [{"text": "The sub-agent was here.", "about": "place--here"}]}

    def sub_agent(request: Json) -> Answer:
        last = request["input"][-1]
        if last["type"] == "function_call_output":
            answered.append(told(last))
            return "Done."
        return Call("mcp__reverie/remember", writes)

    def agent(request: Json) -> Answer | Turn:
        """Whoever asks: the agent, or the one that it sends."""
        if "You send somebody." not in told(request):
            # Its connection is there once the agent's is.
            return sub_agent(request)
        if "mcp__reverie" not in [tool.get("name") for tool in request["tools"]]:
            return agent
        calls = [i["name"] for i in request["input"] if i["type"] == "function_call"]
        if "spawn_agent" not in calls:
            return Call("multi_agent_v1/spawn_agent", {"message": "Write it down."})
        if answered:
            return "Sent."
        sent = next(told(i) for i in request["input"] if "agent_id" in told(i))
        waits = {"targets": [json.loads(sent)["agent_id"]], "timeout_ms": 30_000}
        return Call("multi_agent_v1/wait_agent", waits)

    with ModelServer([agent] * 30) as model:
        lab.codex(model, "You send somebody.")

    assert "does not write into memory" in answered[0]
    assert "found nothing" in lab.reverie("recall", "Was the sub-agent here?")
