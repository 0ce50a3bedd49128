"""A real language model on this machine, asked as our users ask theirs.

Not named like a test, so `make test` does not collect it: `make test-model` fetches
the model and runs this file by name. A model of 135 million parameters shows that
the protocol, the schema, the counting and the limits work. It is no judge of quality.
"""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.configured import agree_to

from reverie import Episodic, Memory, ReverieError
from reverie.config import MindConfig
from reverie.minds import open_mind, open_talker
from reverie.minds.http import ServerError
from reverie.minds.json_answers import ask, find_problem
from reverie.minds.mind import (
    CutOffAnswerError,
    CutShortError,
    HostMind,
    Message,
    OutOfTokensError,
    Question,
)
from reverie.minds.prompts import forget_question, route_question
from reverie.minds.scripted import ScriptedMind
from reverie.model.ids import Store
from reverie.model.items import Role
from reverie.model.route import ROUTE_SCHEMA, Route, to_json
from reverie.workspace.files import Folder
from reverie.workspace.questions import QuestionBox
from reverie.workspace.spend_log import Spending

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reverie.minds.mind import Mind, Use

HERE = Path(__file__).parent
NOW = datetime(2026, 2, 2, 12, tzinfo=UTC)
NOTE = "We decided to ship the release on Friday."


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """Where the model listens, in a process of its own."""
    python = os.environ["MODEL_PYTHON"]
    with subprocess.Popen(
        [python, str(HERE / "serve.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
    ) as server:
        assert server.stdout
        yield f"{server.stdout.readline().strip()}/v1"
        server.terminate()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    made = Folder(tmp_path)
    yield made
    made.close()


def configured(url: str, **changed: Any) -> MindConfig:  # noqa: ANN401 - any parameter
    given: dict[str, Any] = {
        "kind": "api",
        "url": url,
        "model": "SmolLM2-135M",
        "timeout_seconds": 300.0,
    }
    return MindConfig(**given | changed)


def mind(
    url: str,
    folder: Folder,
    purse: Spending | None = None,
    **changed: Any,  # noqa: ANN401 - any parameter
) -> Mind:
    config = configured(url, **changed)
    purse = purse or Spending(folder.root / ".reverie", lambda: NOW)
    made = open_mind(
        config, {}, purse, QuestionBox(folder.root / ".reverie", lambda: NOW)
    )
    assert made
    return made


def test_a_note_is_routed_in_the_agreed_structure_or_clearly_given_up(
    url: str, folder: Folder
) -> None:
    asked = route_question(NOTE, "person--user", "", "", "Monday")
    try:
        answer = mind(url, folder).think(asked)
    except CutOffAnswerError as error:
        # So small a model may not find an end; then it is told, and nothing is kept.
        assert f"{asked.most_tokens:,} tokens" in str(error)  # noqa: PT017 - either
        return

    # How things are named is beyond this model; what the fields are is not.
    assert find_problem(answer.value, ROUTE_SCHEMA) == ""
    assert list(answer.value) == list(to_json(Route(Store.CORE)))


def test_an_answer_is_forced_into_lengths_and_patterns(
    url: str, folder: Folder
) -> None:
    schema = {
        "type": "object",
        "properties": {
            "colour": {"type": "string", "pattern": "^[a-z]{3,9}--[a-z]{2,8}$"},
            "shades": {
                "type": "array",
                "items": {"type": "string", "maxLength": 12},
                "minItems": 2,
                "maxItems": 3,
            },
        },
        "required": ["colour", "shades"],
        "additionalProperties": False,
    }
    question = Question("paint", "paint", "Name a colour and shades.", schema, 200)

    assert ask(mind(url, folder), question, dict).keys() == {"colour", "shades"}


def test_what_the_model_counts_is_what_we_count(url: str, folder: Folder) -> None:
    answer = mind(url, folder).think(forget_question("forget about the blue bike"))

    spent = Spending(folder.root / ".reverie", lambda: NOW).spent(NOW.date())
    assert not answer.use.estimated
    assert answer.use.input_tokens > 100
    assert spent.tokens == answer.use.tokens
    assert spent.sums[0].model == "SmolLM2-135M"


def test_before_a_call_more_is_put_aside_than_it_takes(
    url: str, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    purse = Spending(folder.root / ".reverie", lambda: NOW)
    aside: list[int] = []

    def reserve(wish: Use, limit: int) -> str:
        aside.append(wish.tokens)
        return Spending.reserve(purse, wish, limit)

    monkeypatch.setattr(purse, "reserve", reserve)

    used = mind(url, folder, purse).think(forget_question(NOTE)).use

    assert used.tokens < aside[0]
    assert purse.spent(NOW.date()).tokens == used.tokens


def test_the_day_s_limit_holds(url: str, folder: Folder) -> None:
    question = forget_question("forget about the blue bike")
    mind(url, folder, daily_tokens=1500).think(question)

    with pytest.raises(OutOfTokensError, match="daily_tokens is 1,500") as caught:
        _ = [mind(url, folder, daily_tokens=1500).think(question) for _ in range(10)]

    assert (
        Spending(folder.root / ".reverie", lambda: NOW).spent(NOW.date()).tokens <= 1500
    )
    assert "at 2026-02-03 00:00 UTC" in caught.value.advice


def test_the_operation_s_limit_holds(url: str, folder: Folder) -> None:
    with pytest.raises(OutOfTokensError, match="operation_tokens is 500"):
        mind(url, folder, operation_tokens=500).think(
            route_question(NOTE, "person--user", "", "", "Monday")
        )

    assert Spending(folder.root / ".reverie", lambda: NOW).spent(NOW.date()).tokens == 0


def test_a_model_that_is_too_slow_is_cut_off(url: str, folder: Folder) -> None:
    essay = {
        "type": "object",
        "properties": {"essay": {"type": "string", "minLength": 5000}},
        "required": ["essay"],
        "additionalProperties": False,
    }
    question = Question("essay", "essay", "Write a long essay.", essay, 3000)

    with pytest.raises(ServerError):
        mind(url, folder, timeout_seconds=0.5).think(question)

    assert (
        Spending(folder.root / ".reverie", lambda: NOW).spent(NOW.date()).tokens > 3000
    )


def test_a_model_that_says_too_much_is_cut_off(url: str, folder: Folder) -> None:
    question = route_question(NOTE, "person--user", "", "", "Monday")
    short = Question("route", "route", question.text, question.schema, 12)

    with pytest.raises(CutOffAnswerError, match="after 12 tokens"):
        mind(url, folder).think(short)


def test_two_sentences_are_heard(url: str, folder: Folder) -> None:
    purse = Spending(folder.root / ".reverie", lambda: NOW)
    talker = open_talker(configured(url), {}, purse)
    assert talker
    messages = [
        Message(Role.SYSTEM, "You are friendly and brief."),
        Message(Role.USER, "Tell me about the sea in two sentences."),
    ]

    try:
        said = talker.talk(messages, most_tokens=60)
    except CutShortError as error:
        said = error.said
    spent = purse.spent(NOW.date()).sums[0]

    assert len(said.split()) > 5
    assert (spent.operation, spent.calls, spent.estimated) == ("chat", 1, 0)
    assert spent.standing == 0


def test_minds_can_be_exchanged(url: str, folder: Folder) -> None:
    """The model, the host and a script answer the same question to the same caller."""
    question = forget_question("forget about the blue bike")
    value = ask(mind(url, folder), question, dict)
    box = QuestionBox(folder.root / ".reverie", lambda: NOW)
    box.put(question)
    box.answer(question.id, '{"target": "the blue bike", "permanent": false}')

    for other in (HostMind(box), ScriptedMind([value])):
        assert ask(other, question, dict).keys() == value.keys()


UNDER_WAY = {"granted", "reflecting"}
MOST_PROBLEMS = 6


def test_a_reflection_is_thought_through_or_clearly_given_up(
    url: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    environ = {
        "REVERIE_MIND_KIND": "api",
        "REVERIE_MIND_URL": url,
        "REVERIE_MIND_MODEL": "SmolLM2-135M",
        "REVERIE_MIND_TIMEOUT_SECONDS": "300",
        "REVERIE_REFLECTION_PRESENTATION": "summary",
    }
    Memory.init(tmp_path / "agent", clock=lambda: NOW, environ={}).close()
    agree_to(tmp_path / "agent", **environ)
    with Memory(
        tmp_path / "agent", clock=lambda: NOW, environ={}, human=lambda _: True
    ) as memory:
        memory.remember(NOTE, Episodic())
        before = (memory.root / "MEMORY.md").read_bytes()
        memory.reflection.begin()
        memory.reflection.reply("4K only, because it is a small model")
        problems = []
        while (standing := memory.reflection.status()).state in UNDER_WAY:
            try:
                memory.reflection.advance()
            except ReverieError as error:
                problems.append(f"{error}. {error.advice}")
                if len(problems) > MOST_PROBLEMS:
                    memory.reflection.cancel()
        spent = memory.spent(NOW.date())
        operations = sorted({each.operation for each in spent.sums})
        record_property("phases", operations)
        record_property("problems", problems)

        assert standing.state in {"pending", "idle"}
        assert bool(standing.shown) == (standing.state == "pending")
        assert standing.shown or problems
        assert spent.sums[0].operation.startswith("reflect-")
        assert sum(each.output_tokens for each in spent.sums) <= 4000
        assert (memory.root / "MEMORY.md").read_bytes() == before
        if standing.shown:
            page = memory.reflection.pending()[1]
            done = memory.reflection.decide("approve", standing.shown)
            record_property("applied", done.applied)
            assert memory.reflection.status().state == "recorded"
            for entry in memory.history(actor="reflection"):
                kept = (line.path.startswith("memory/meta/") for line in entry.lines)
                assert all(kept) or entry.approval == "approved"
            record_property("page", page)
