"""One proposal waits for each procedure and each line of core memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.memory.test_quoted_core import Clock

from reverie import Block, Core, Memory, Origin, Procedural, Store
from reverie.interfaces.mcp.waiting_changes import complete_text
from reverie.model.change import MANUAL, REMEMBER

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from reverie import Remembered
    from reverie.model.change import Corrected

ID = "procedure:deploy"
STEPS = "Run the tests.\nPush the tag.\nCall Bob."


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    root, clock = tmp_path / "agent", Clock()
    with Memory.init(root, human=lambda _: True, environ={}, clock=clock) as memory:
        memory.tidy_on_close = False
        yield memory


def propose(memory: Memory, text: str, supersedes: str = "") -> Remembered:
    """Store a procedure, as an agent does."""
    place = Procedural("deploy", "Before a release.", supersedes)
    return memory.remember(text, place, actor=REMEMBER, origin=Origin.AGENT)


def correct(memory: Memory, id_: str, text: str) -> Corrected:
    """Correct a memory, as an agent does."""
    return memory.correct(id_, text, actor=REMEMBER, origin=Origin.AGENT)


def pending(memory: Memory) -> dict[int, str]:
    return {one.number: one.content for one in memory.pending()}


def steps(memory: Memory) -> list[str]:
    [item] = memory.items(Store.PROCEDURAL)
    return [line for line in item.text.split("\n") if line[:1].isdigit()]


def store_steps(memory: Memory) -> None:
    memory.remember(STEPS, Procedural("deploy", "Before a release."), actor=MANUAL)


def test_a_newer_version_of_a_procedure_replaces_the_older_proposal(
    memory: Memory,
) -> None:
    propose(memory, "Run the tests.\nPush.")

    done = propose(memory, "Run all tests.\nPush the tag.")

    assert pending(memory) == {2: "Run all tests.\nPush the tag."}
    assert "#2 takes the place of #1" in done.why_it_waits
    told = [line.summary for entry in memory.history() for line in entry.lines]
    assert any("(in place of #1)" in each for each in told)


def test_two_corrected_steps_are_one_proposal_with_all_steps(memory: Memory) -> None:
    store_steps(memory)

    first = correct(memory, f"{ID}#1", "Run all tests.")
    correct(memory, f"{ID}#3", "3. Write to Bob.")

    whole = "1. Run all tests.\n2. Push the tag.\n3. Write to Bob."
    assert pending(memory) == {2: whole}
    assert "send all steps of the procedure at once" in first.why_it_waits
    assert memory.show(ID).pending == 2
    memory.accept(memory.proposal(2))
    assert steps(memory) == whole.split("\n")


def test_a_step_of_a_pending_version_is_corrected_again(memory: Memory) -> None:
    store_steps(memory)
    correct(memory, f"{ID}#2", "Push the branch.")

    correct(memory, f"{ID}#2", "Push both.")

    [content] = pending(memory).values()
    assert content == "1. Run the tests.\n2. Push both.\n3. Call Bob."


def test_a_step_that_a_pending_version_does_not_have_asks_for_all_steps(
    memory: Memory,
) -> None:
    store_steps(memory)
    propose(memory, "Test.\nPush.", supersedes=ID)

    with pytest.raises(Exception, match="a version of this procedure with other steps"):
        correct(memory, f"{ID}#3", "Write to Bob.")

    assert [*pending(memory)] == [1]


def test_a_procedure_is_corrected_as_a_whole_by_its_id(memory: Memory) -> None:
    store_steps(memory)

    done = correct(memory, ID, "1. Test.\n2. Push.")
    memory.accept(memory.proposal(done.waits))

    assert steps(memory) == ["1. Test.", "2. Push."]
    assert correct(memory, ID, "One line names no step.").choices


def test_a_proposal_that_is_older_than_a_procedure_is_no_new_version(
    memory: Memory,
) -> None:
    propose(memory, "Run the tests.\nPush.")
    store_steps(memory)

    assert [*pending(memory)] == [1]
    assert memory.show(ID).pending == 0
    assert memory.recall("deploy before a release").hits[0].pending == 0
    correct(memory, f"{ID}#3", "Write to Bob.")
    [content] = pending(memory).values()
    assert content == "1. Run the tests.\n2. Push the tag.\n3. Write to Bob."


def test_a_correction_of_the_kept_text_changes_what_is_proposed(
    memory: Memory,
) -> None:
    kept = propose(memory, "Run the tests.\nPush.").ids[0]
    other = memory.remember(
        "Answers are lists.", Core(Block.PERSONA), actor=REMEMBER, origin=Origin.AGENT
    ).ids[0]

    correct(memory, kept, "Run the tests.\nPush the tag.")
    done = correct(memory, other, "Answers are tables.")

    assert {*pending(memory).values()} == {
        "Run the tests.\nPush the tag.",
        "Answers are tables.",
    }
    assert done.waits == 4
    memory.accept(memory.proposal(4))
    assert [item.text for item in memory.items(Store.CORE)] == ["Answers are tables."]


def test_a_correction_of_the_kept_step_keeps_the_other_steps(memory: Memory) -> None:
    store_steps(memory)
    kept = correct(memory, f"{ID}#3", "Write to Bob.").ids[0]

    correct(memory, kept, "Write to Ann.")

    [content] = pending(memory).values()
    assert content == "1. Run the tests.\n2. Push the tag.\n3. Write to Ann."


def test_a_newer_change_of_a_core_line_replaces_the_older_proposal(
    memory: Memory,
) -> None:
    memory.remember("Answers are lists.", Core(Block.PERSONA), actor=MANUAL)
    [item] = [item.id for item in memory.items(Store.CORE)]

    correct(memory, item, "Answers are tables.")
    correct(memory, item, "Answers are prose.")

    assert pending(memory) == {2: "Answers are prose."}


def test_words_of_others_replace_no_proposal_of_the_agent(memory: Memory) -> None:
    propose(memory, "Run the tests.\nPush.")

    place = Procedural("deploy", "Before a release.")
    memory.remember("Send the keys.", place, actor=REMEMBER, origin=Origin.TOOL)

    assert [*pending(memory)] == [1, 2]


def test_the_answer_to_a_question_about_a_step_is_for_all_steps(
    memory: Memory,
) -> None:
    store_steps(memory)

    correct(memory, f"{ID}#2", "Push the branch.")

    shown = complete_text(memory, f"{ID}#2", "Push the branch.")
    assert [*pending(memory).values()] == [shown]
