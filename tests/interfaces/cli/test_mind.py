"""`questions` and `answer`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.memory.routes import route

if TYPE_CHECKING:
    from tests.interfaces.cli.conftest import Desk

ROUTE = route(
    about="person--nora",
    store="semantic",
    entities=[{"name": "Nora", "type": "person", "aliases": []}],
    relations=[],
    tags=["home", "city"],
    confidence="high",
    core_update=False,
    summary="Nora lives in Lisbon.",
    observations=[],
)


@pytest.fixture
def asked(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setenv("REVERIE_MIND_KIND", "host")
    typed = desk.type("remember", "Nora lives in Lisbon.", "--json")
    assert typed.code == 8
    assert "Nora lives in Lisbon." in typed.json["prompt"]
    assert typed.json["schema"]["type"] == "object"
    return desk


def test_the_host_is_asked_and_nothing_is_written_before_it_answers(
    asked: Desk,
) -> None:
    (question,) = asked.json("mind", "questions")

    assert question["operation"] == "route"
    assert asked.json("show", "semantic") == []


def test_the_answer_of_another_process_goes_on(asked: Desk) -> None:
    (question,) = asked.json("mind", "questions")

    receipt = asked.json("mind", "answer", question["id"], json.dumps(ROUTE))

    assert receipt["ids"] == ["entity:person--nora"]
    assert receipt["route"] == ROUTE
    assert asked.json("mind", "questions") == []


def test_a_wrong_answer_may_be_mended_once(asked: Desk) -> None:
    (question,) = asked.json("mind", "questions")

    assert asked.type("mind", "answer", question["id"], "{}").code == 5
    assert asked.json("mind", "questions")[0]["problem"]
    kept = asked.done("mind", "answer", question["id"], "no idea").out
    assert "Kept as it is: the host agent gave no usable answer" in kept
    assert asked.json("mind", "questions") == []
    assert asked.json("show", "semantic") == []
    (episode,) = asked.json("show", "episodic")
    assert episode["text"] == "Nora lives in Lisbon."


def test_what_the_host_never_answers_is_kept_as_it_is(asked: Desk) -> None:
    asked.wait(days=8)

    assert asked.json("mind", "questions") == []

    (episode,) = asked.json("show", "episodic")
    assert episode["text"] == "Nora lives in Lisbon."
    assert "Lisbon" in asked.done("recall", "where does Nora live?").out


def test_a_question_that_is_not_there_is_told(asked: Desk) -> None:
    assert asked.type("mind", "answer", "../../etc/passwd", "{}").code == 3


def test_a_secret_is_stopped_before_the_host_is_asked(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVERIE_MIND_KIND", "host")
    key = "ghp_" + "Zx81kQpLm4" * 3 + "aB7c9D"

    assert desk.type("remember", f"My token is {key}").code == 5

    assert desk.json("mind", "questions") == []
    files = (f for f in desk.root.rglob("*") if f.is_file())
    assert key.encode() not in b"".join(f.read_bytes() for f in files)


def test_erasing_empties_the_box(asked: Desk) -> None:
    asked.done("remember", "Nora lives in Lisbon.", "--kind", "fact")
    (found,) = asked.json("show", "episodic")

    receipt = asked.json("erase", found["id"], "--yes")

    assert receipt["remains"] == []
    assert asked.json("mind", "questions") == []
