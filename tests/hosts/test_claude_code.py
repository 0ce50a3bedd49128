"""A day with real Claude Code, whose model follows a script.

Everything is what a user has: the program from npm, its own settings, its hooks, its
MCP client, a terminal for what only a person decides.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.hosts.conftest import files, result, told
from tests.hosts.model_server import Call, ModelServer

from reverie.recall.context_block import CLOSING, OPENING
from reverie.tokens import count_tokens

if TYPE_CHECKING:
    from tests.hosts.conftest import Lab
    from tests.hosts.model_server import Answer, Json, Script, Turn

LONGER = ("stable_tokens = 2000", "stable_tokens = 7000")
ANA = {"text": "Ana lives in Lisbon.", "about": "person--ana"}


def tool(name: str, **arguments: object) -> Call:
    """One of our tools, as Claude Code calls it."""
    return Call(f"mcp__reverie__{name}", arguments)


def turn(
    lab: Lab,
    said: str,
    *script: Answer | Turn,
    settings: Json | None = None,
) -> ModelServer:
    """One message of the user, and what the model answers."""
    more = ("--settings", json.dumps(settings)) if settings else ()
    answers: Script = [*script]
    with ModelServer(answers) as model:
        lab.claude(model, said, *more)
    assert answers == [], "the model was not asked as often as the script has answers"
    return model


def given(model: ModelServer) -> Json:
    """What the last tool of a turn gave."""
    return result(model.turns[-1])


def test_a_day(lab: Lab) -> None:  # noqa: PLR0915 - a day is long
    (lab.home / ".claude").mkdir()
    (lab.home / ".claude/settings.json").write_text('{"model": "opus"} ')
    (lab.home / ".claude/CLAUDE.md").write_text("Be brief.")
    before = files(lab.home / ".claude")
    lab.reverie("observe", json.dumps([ANA]))

    # Connect.
    assert "undoes it" in lab.reverie("connect", "claude-code")
    assert "✔ Connected" in lab.run("claude", "mcp", "list").stdout

    # Start, and a question that memory answers.
    asks = tool("recall", question="Where does Ana live?")
    model = turn(lab, "Where does Ana live these days?", asks, "In Lisbon.")
    start = told(model.turns[0])
    assert OPENING in start
    assert "- Ana lives in Lisbon." in start
    assert "Be brief." in start
    assert "long-term memory of this user" in start
    assert "Ana lives in Lisbon." in given(model)["text"]
    tools = [each["name"] for each in model.turns[0]["tools"]]
    assert tools.count("mcp__reverie__remember") == 1

    # Remember, with structure; the server says what is near.
    tea = {
        "text": "Ana prefers tea to coffee.",
        "store": "semantic",
        "about": "person--ana",
        "since": "2026-05-01",
    }
    remembers = tool("remember", memories=[tea])
    model = turn(lab, "Remember that Ana prefers tea to coffee.", remembers, "Noted.")
    kept = given(model)["memories"][0]
    assert kept["error"] == ""
    assert [id_.partition("#")[0] for id_ in kept["ids"]] == ["person--ana"]

    # What was said is there, both sides of it.
    window = f"claude-code-{lab.session}"
    said = lab.reverie("window", "show", window)
    assert "Remember that Ana prefers tea" in said
    assert "Noted." in said

    # A correction, and undo.
    whole = tool("correct", id="entity:person--ana", text="Ana prefers coffee.")

    def one(request: Json) -> Answer:
        found = result(request)["choices"]
        fact = next(each["id"] for each in found if "tea" in each["text"])
        return tool("correct", id=fact, text="Ana prefers coffee.")

    model = turn(lab, "No, she likes coffee better now.", whole, one, "Changed.")
    assert given(model)["done"]
    assert "prefers coffee" in lab.reverie("recall", "What does Ana prefer?")
    undoes = tool("undo", change=given(model)["change"])
    model = turn(lab, "I was wrong, take that back.", undoes, "Done.")
    assert given(model)["done"]
    assert "prefers tea" in lab.reverie("recall", "What does Ana prefer?")

    # Forgetting asks the human: nobody is there, then somebody is.
    finds = tool("recall", question="What does Ana prefer?")

    def by_id(request: Json) -> Answer:
        block = result(request)
        lines = (x.split() for x in block["text"].splitlines() if "prefers tea" in x)
        # A line of what was said beside it has no citation.
        cited = (block["ids"].get(words[1], "") for words in lines)
        return tool("forget", ids=[next(id_ for id_ in cited if "person--ana#" in id_)])

    model = turn(lab, "Forget what she drinks.", finds, by_id, "Kept.")
    assert not given(model)["done"]
    assert "prefers tea" in lab.reverie("recall", "What does Ana prefer?")
    model = turn(lab, "Yes, it.", finds, by_id, "Gone.", settings=dialog("forget"))
    assert given(model)["done"]
    assert "prefers tea" not in lab.reverie("show", "person--ana")

    # A sub-agent may not write; what it proposes the main agent decides on.
    sends = Call(
        "Agent",
        {
            "description": "look around",
            "prompt": "Find out what Ana does.",
            "subagent_type": "general-purpose",
            "run_in_background": False,
        },
    )
    acme = {"text": "Ana works for Acme.", "about": "person--ana"}
    proposes = tool(
        "propose",
        agent="researcher",
        content="Ana works for Acme.",
        entities=["person--ana"],
    )
    writes = tool("remember", memories=[acme])
    denied: list[Json] = []

    def propose(request: Json) -> Answer:
        denied.append(result(request))
        return proposes

    model = turn(lab, "Have it looked up.", sends, writes, propose, "Proposed.", "Ok.")
    assert "does not write into memory" in denied[0]["error"]
    assert "Acme" in lab.reverie("pending")
    reviews = tool("review", number=1, decision="commit")
    model = turn(lab, "Good, keep it.", reviews, "Kept.")
    assert given(model)["done"]
    assert "works for Acme" in lab.reverie("recall", "Where does Ana work?")

    # Good night: a reflection, whose mind is the host's model.
    model = turn(lab, "Good night, sleep on it.", tool("reflect"), "May I?")
    assert given(model)["state"] == "tokens requested"
    grants = tool("reflect", user_said="grant 8000")
    model = turn(lab, "Take 8000.", grants, *[thinks] * 5, "It waits for you.")
    assert given(model)["state"] == "pending", given(model)

    # Only the human decides, and does so in a terminal.
    model = turn(lab, "Approve it for me.", tool("reflect"), "I may not.")
    assert given(model)["state"] == "pending"
    assert "approved" in lab.at_terminal("reflect", typed="approve\n")
    assert "likes the sea" in lab.reverie("recall", "What does Ana like?")

    # Disconnect: every file as before, but for what the host itself keeps.
    lab.reverie("connect", "claude-code", "--remove")
    after = files(lab.home / ".claude")
    assert {name: after[name] for name in before} == before
    assert not [name for name in after if "reverie" in name]
    assert "reverie" not in (lab.home / ".claude.json").read_text()


def dialog(answer: str) -> Json:
    """Settings in which a hook gives the answer that a person would click."""
    told = {
        "hookEventName": "Elicitation",
        "action": "accept",
        "content": {"answer": answer},
    }
    line = f"echo '{json.dumps({'hookSpecificOutput': told})}'"
    return {
        "hooks": {"Elicitation": [{"hooks": [{"type": "command", "command": line}]}]}
    }


def thinks(request: Json) -> Answer:
    """An answer for each step of a reflection."""
    asked = result(request)["answer_schema"]["properties"]
    fact = {
        "operation": "EXTRACT",
        "target": "memory/graph/entities/person--ana.md",
        "content": "Ana likes the sea (since: 2026-05-02)",
        "reason": "said today",
        "sources": [],
    }
    answers: tuple[Json, ...] = (
        {"plan": [], "themes": ["Ana"]},
        {"insights": [], "observations": [], "guidance": []},
        {"operations": [fact]},
        {"remove": [], "add": []},
        {
            "monologue": "and then there is the sea, which she likes. " * 20,
            "vibe": "calm",
            "key_insight": "Ana likes the sea.",
        },
    )
    fits = next(each for each in answers if next(iter(each)) in asked)
    return tool("reflect", answer=json.dumps(fits))


def test_the_last_line_of_a_long_wake_arrives(lab: Lab) -> None:
    config = lab.root / "reverie.toml"
    config.write_text(config.read_text().replace(*LONGER))
    lab.at_terminal("alerts", "--ack", "reverie.toml", typed="y\n")
    facts = [
        {
            "text": f"The gnu number {n} lives in field {n * n}.",
            "about": f"concept--gnu-{n}",
        }
        for n in range(900)
    ]
    lab.reverie("observe", json.dumps(facts))
    lab.reverie("connect", "claude-code")

    start = told(turn(lab, "Hello.", "Hello.").turns[0])

    whole = lab.reverie("wake", "another-window")
    lines = [line for line in whole.splitlines() if line not in {OPENING, CLOSING, ""}]
    assert count_tokens(whole) > 6_000
    assert [line for line in lines if line not in start] == []
    assert "Output too large" not in start
