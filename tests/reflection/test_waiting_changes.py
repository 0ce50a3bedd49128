"""Proposals of the agent that a reflection commits: corrections and procedures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.reflection.dreams import FACT, Dream, dreaming, proposed

from reverie import Actor, Block, Core, Procedural

if TYPE_CHECKING:
    from tests.memory.home import Home

AGENT = Actor("bot:main")


@pytest.fixture
def home(home: Home) -> Home:
    home.memory.remember("Dose: 20 mg in the morning", Core(Block.CRITICAL))
    return home


def commit(*numbers: int) -> Dream:
    verdicts = [
        {"number": number, "verdict": "commit", "reason": "the user said so"}
        for number in numbers
    ]
    return Dream([FACT], {"consolidate": {"proposals": verdicts}})


def test_a_waiting_correction_of_core_memory_is_committed(home: Home) -> None:
    home.memory.correct("core:critical/dose", "Dose: 10 mg in the evening", actor=AGENT)
    memory = dreaming(home, commit(1))

    standing = proposed(memory)
    done = memory.reflection.decide("approve", standing.shown)

    assert done.skipped == ()
    core = home.text("MEMORY.md")
    assert "Dose: 10 mg in the evening" in core
    assert "20 mg" not in core
    assert memory.pending() == []


def test_an_operation_that_cannot_be_applied_is_named_and_the_rest_is_kept(
    home: Home,
) -> None:
    memory = dreaming(home, commit(7))

    standing = proposed(memory)

    pending, _ = memory.reflection.pending()
    assert [each.kind for each in pending.operations][:1] == ["EXTRACT"]
    assert any(each.what == "COMMIT #7" and each.why for each in pending.refused)
    assert memory.reflection.decide("approve", standing.shown).applied


def test_a_correction_of_a_line_that_is_gone_is_committed_by_itself(home: Home) -> None:
    home.memory.correct("core:critical/dose", "Dose: 10 mg in the evening", actor=AGENT)
    home.type("MEMORY.md", home.text("MEMORY.md").replace("- Dose: 20 mg in the", "- "))
    memory = dreaming(home, commit(1))

    standing = proposed(memory)
    _, page = memory.reflection.pending()
    done = memory.reflection.decide("approve", standing.shown)

    assert "replaces nothing: core:critical/dose is not there any more" in page
    assert done.skipped == ()
    assert "Dose: 10 mg in the evening" in home.text("MEMORY.md")
    assert memory.pending() == []


def test_a_correction_is_committed_beside_the_removal_of_what_it_corrects(
    home: Home,
) -> None:
    home.memory.correct("core:critical/dose", "Dose: 10 mg in the evening", actor=AGENT)
    removed = {
        "section": "Critical Facts",
        "text": "Dose: 20 mg in the morning",
        "action": "drop",
        "reason": "it changed",
    }
    verdict = {"number": 1, "verdict": "commit", "reason": "the user said so"}
    dream = Dream(
        [], {"consolidate": {"proposals": [verdict]}, "rewrite": {"remove": [removed]}}
    )
    memory = dreaming(home, dream)

    standing = proposed(memory)
    done = memory.reflection.decide("approve", standing.shown)

    assert done.skipped == ()
    core = home.text("MEMORY.md")
    assert "Dose: 10 mg in the evening" in core
    assert "20 mg" not in core
    assert memory.pending() == []


def test_a_verdict_on_a_proposal_that_was_not_shown_whole_counts(home: Home) -> None:
    agent = home.memory.acting_as("scout")
    for number in range(1, 61):
        agent.propose(f"The boat number {number} is {'very ' * 60}old")
    memory = dreaming(home, commit(60))

    standing = proposed(memory)
    memory.reflection.decide("approve", standing.shown)

    assert 60 not in [each.number for each in memory.pending()]


@pytest.fixture
def changed(home: Home) -> Home:
    """A procedure with a new version that waits for approval."""
    deploy = Procedural("how to deploy", "Before a release.")
    home.memory.remember("run the tests\ncall Bob\ntag it", deploy)
    waits = home.memory.remember("run the tests\ntag it", deploy, actor=AGENT).waits
    assert waits == 1
    return home


def test_a_committed_version_of_a_procedure_replaces_its_steps(changed: Home) -> None:
    memory = dreaming(changed, commit(1))

    standing = proposed(memory)
    memory.reflection.decide("approve", standing.shown)

    page = changed.text("memory/procedures/how-to-deploy.md")
    assert page.endswith("## Steps\n1. run the tests\n2. tag it\n")


def test_a_procedure_mentions_its_pending_version(changed: Home) -> None:
    memory = changed.memory

    assert memory.show("procedure:how-to-deploy").pending == 1
    assert memory.recall("how do I deploy?").hits[0].pending == 1
    waits = "(a new version waits for approval as #1)"
    assert waits in str(memory.context("how do I deploy?"))

    memory.reject(1)

    assert memory.show("procedure:how-to-deploy").pending == 0
    assert memory.recall("how do I deploy?").hits[0].pending == 0
