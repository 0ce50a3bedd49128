"""Ask the user through their host before something that steers the agent changes."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, Any

import pytest
from tests.interfaces.mcp.connected import Person, call

from reverie import Approval, Block, Core, Memory, Procedural, Store
from reverie.model.change import MANUAL

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ERAS = ("legacy", "auto")
STEPS = "Run the tests.\nPush the tag."
DEPLOY = {"text": STEPS, "store": "procedural", "name": "deploy", "when": "on release"}


@pytest.fixture(autouse=True)
def run(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        yield


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "agent"
    with Memory.init(root, human=lambda _: True) as memory:
        memory.tidy_on_close = False
    return root


def allow_answers(root: Path, *, acknowledged: bool = True) -> None:
    """Set the parameter that lets the host ask, as the user does at a terminal."""
    page = root / "reverie.toml"
    page.write_text(
        page.read_text().replace("host_answers = false", "host_answers = true")
    )
    if acknowledged:
        with Memory(root, human=lambda _: True) as memory:
            memory.tidy_on_close = False
            memory.acknowledge()


def steps(root: Path) -> str:
    with Memory(root) as memory:
        return "".join(item.text for item in memory.items(Store.PROCEDURAL))


def remember(
    root: Path, person: Person | None, *memories: Any, mode: str = "auto"
) -> Any:
    found = call(
        root, "remember", {"person": person, "mode": mode}, memories=list(memories)
    )
    return found["memories"][0]["notes"]


@pytest.mark.parametrize("mode", ERAS)
def test_a_procedure_is_stored_when_the_user_agrees_to_the_whole_text(
    root: Path, mode: str
) -> None:
    allow_answers(root)
    person = Person({"answer": "store"})

    notes = remember(root, person, DEPLOY, mode=mode)

    for words in (STEPS, "deploy", "on release"):
        assert words in person.asked[0]
    assert "Push the tag." in steps(root)
    assert notes == ["The user was asked, and agreed: it is stored."]
    with Memory(root) as memory:
        assert memory.pending() == []
        assert memory.history()[0].approval is Approval.APPROVED


@pytest.mark.parametrize("answer", [{"answer": "reject"}, {"answer": "later"}, None])
def test_a_procedure_is_not_stored_when_the_user_does_not_agree(
    root: Path, answer: dict[str, str] | None
) -> None:
    allow_answers(root)

    remember(root, Person(answer), DEPLOY)

    assert steps(root) == ""
    with Memory(root) as memory:
        assert bool(memory.pending()) is (answer != {"answer": "reject"})


@pytest.mark.parametrize("setting", ["default", "not acknowledged"])
def test_a_program_that_answers_its_own_questions_decides_nothing(
    root: Path, setting: str
) -> None:
    if setting == "not acknowledged":
        allow_answers(root, acknowledged=False)
    person = Person({"answer": "store"})

    notes = remember(root, person, DEPLOY)

    assert person.asked == []
    assert steps(root) == ""
    assert any("reverie pending accept 1" in note for note in notes)


def test_with_an_owner_passphrase_no_answer_of_a_host_counts(root: Path) -> None:
    allow_answers(root)
    with Memory(root, human=lambda _: True) as memory:
        memory.set_owner("correct horse battery")
    person = Person({"answer": "store"})

    remember(root, person, DEPLOY)

    assert person.asked == []
    assert steps(root) == ""


def test_a_step_and_a_critical_fact_are_corrected_when_the_user_agrees(
    root: Path,
) -> None:
    with Memory(root, human=lambda _: True) as memory:
        memory.remember(STEPS, Procedural("deploy", "on release"))
        memory.remember("Allergic to nuts.", Core(Block.CRITICAL))
    allow_answers(root)
    fact = "core:critical/allergic-to-nuts"
    person = Person({"answer": "store"}, {"answer": "store"})
    how = {"person": person}

    call(root, "correct", how, id="procedure:deploy#2", text="Push the branch.")
    call(root, "correct", how, id=fact, text="Allergic to hazelnuts.")

    assert "Push the tag." in person.asked[0]
    assert "Push the branch." in person.asked[0]
    assert "Allergic to nuts." in person.asked[1]
    assert "Push the branch." in steps(root)
    with Memory(root) as memory:
        [item] = memory.items(Store.CORE)
        assert item.text == "Allergic to hazelnuts."


def test_a_text_too_long_for_a_question_waits(root: Path) -> None:
    allow_answers(root)
    person = Person({"answer": "store"})
    long = {**DEPLOY, "text": "\n".join(f"Do step {n} well." for n in range(500))}

    remember(root, person, long)

    assert person.asked == []
    assert steps(root) == ""


def test_an_answer_of_the_host_never_raises_the_budget_of_a_reflection(
    root: Path,
) -> None:
    allow_answers(root)
    call(root, "remember", memories=[{"text": "We met Ana.", "store": "episodic"}])
    call(root, "reflect")

    said = call(root, "reflect", {"person": Person({"words": "bonus 90000"})})

    assert "baseline" in str(said)


# --- removing what steers the agent ----------------------------------------------


def fill(root: Path) -> str:
    """Store a Critical Fact as the user, and return its ID."""
    with Memory(root, human=lambda _: True) as memory:
        memory.tidy_on_close = False
        place = Core(Block.CRITICAL)
        return memory.remember("Allergic to nuts.", place, actor=MANUAL).ids[0]


def core(root: Path) -> str:
    return (root / "MEMORY.md").read_text()


@pytest.mark.parametrize("mode", ERAS)
def test_a_critical_fact_is_removed_when_the_user_agrees(root: Path, mode: str) -> None:
    allow_answers(root)
    id_, person = fill(root), Person({"answer": "forget"})

    found = call(root, "forget", {"person": person, "mode": mode}, ids=[id_])

    assert "Allergic to nuts." in person.asked[0]
    assert "removed" in found["notes"][0]
    assert "Allergic to nuts." not in core(root)


@pytest.mark.parametrize("answers", [False, True])
def test_a_removal_that_nobody_may_answer_waits(root: Path, *, answers: bool) -> None:
    id_ = fill(root)
    person = None
    if answers:
        # The host asks, but the user has not allowed that its answer decides.
        person = Person({"answer": "forget"})

    found = call(root, "forget", {"person": person}, ids=[id_])

    assert not found["done"]
    assert "reverie pending accept 1" in found["notes"][0]
    assert "Allergic to nuts." in core(root)
    shown = call(root, "show", what="pending")["text"]
    assert f"to remove {id_}" in shown
