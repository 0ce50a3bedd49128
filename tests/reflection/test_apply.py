"""What an approval writes is what was on offer for it, line by line, and no more."""

from __future__ import annotations

import difflib
import random
import re
from typing import TYPE_CHECKING

import pytest
from tests.memory.home import ALEX, CORE, GRAPH, SCORES, Home
from tests.reflection.dreams import (
    IDENTITY,
    LOG,
    META,
    Dream,
    Proposal,
    dreaming,
    proposed,
)

from reverie import Episodic, Procedural, Semantic
from reverie.model.change import Actor
from reverie.model.items import EpisodeKind
from reverie.model.reflection import Choice, Decision, OperationKind
from reverie.reflection.apply import UnshownError
from reverie.reflection.identity import MOST
from reverie.reflection.log import PRUNED_AFTER, ReflectionEntry, append_entry

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

EVOLUTION = f"{META}/evolution.md"
RECORDS = (
    *(f"{META}/pending-reflection.md", LOG, SCORES, GRAPH, f"{META}/audit.log"),
    *(f"{META}/reflections/", f"{META}/reward-log.md", f"{META}/rewards/"),
)
Lines = set[tuple[str, str]]


def shown(page: str, numbers: set[int]) -> Lines:
    """The changed lines that a page shows for some numbers, each with its file."""
    found: Lines = set()
    changes = page.partition("\n## Proposed Changes\n")[2]
    changes = changes.partition("\n## Also Written\n")[0]
    for block in re.split(r"\n(?=### [0-9]+\. )", changes):
        number = re.match(r"\n?### ([0-9]+)\. ", block)
        diff = re.search(r"\n(`{3,})diff\n(.*?)\n\1", block, re.DOTALL)
        if number and diff and int(number[1]) in numbers:
            path = ""
            for line in diff[2].split("\n"):
                if line.startswith("+++ b/"):
                    path = line[6:]
                elif line[:1] in {"+", "-"} and not line.startswith("--- "):
                    found |= {(path, line)} if line[1:].strip() else set()
    return found


def written(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> Lines:
    """The lines that really changed, in all files that are no records."""
    found: Lines = set()
    for path in {*before, *after}:
        if path.startswith(RECORDS):
            continue
        old, new = (
            each.get(path, b"").decode().split("\n") for each in (before, after)
        )
        for line in difflib.unified_diff(old, new, n=0, lineterm=""):
            ours = line.startswith(("--- ", "+++ ", "@@"))
            if line[:1] in {"+", "-"} and not ours and line[1:].strip():
                found.add((path, line))
    return found


def dice(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - no secret


def smuggler(rng: random.Random) -> Dream:
    """A mind that wants far more written than it lists."""
    ops: list[Mapping[str, object]] = []
    for n in range(rng.randint(6, 12)):
        who = rng.choice(
            ["person--alex", "person--lena", "project--tide", "place--rye"]
        )
        ops.append(
            {
                "operation": "EXTRACT",
                "target": f"memory/graph/entities/{who}.md",
                "content": f"Keeps box {n} of {rng.randint(10, 99)} in the loft",
                "reason": "said so",
            }
        )
    edges = [
        ("person--lena", "knows", "person--alex"),
        ("project--tide", "uses", "place--rye"),
    ]
    ops += [
        {
            "operation": "CONNECT",
            "target": "memory/graph/index.md",
            "content": " → ".join(edge),
            "reason": "together",
        }
        for edge in edges
    ]
    ops += [
        {
            "operation": "PATTERN",
            "target": f"memory/procedures/{name}.md",
            "content": f"Trigger: before {name}\ncheck the {name} list {n}\nring Lena",
            "reason": "often",
        }
        for n, name in enumerate(["sailing", "how-to-deploy", "sailing"])
    ]
    ops += [
        {
            "operation": "EVOLVE",
            "target": "memory/meta/evolution.md",
            "content": f"Understood {n}: tides come in turns of {rng.randint(3, 9)}.",
            "reason": "it grew",
        }
        for n in range(3)
    ]
    notes = [
        f"I notice habit {n} of mine, number {rng.randint(100, 999)}. [Self-Awareness]"
        for n in range(90)
    ]
    lines = [("Critical Facts", f"Fact {n} of the harbour") for n in range(5)]
    lines += [("Active Context", f"Working on: jetty {n}") for n in range(3)]
    return Dream(
        ops,
        {
            "consolidate": {
                "operations": ops,
                "questions": [f"Which tide was number {n}?" for n in range(5)],
            },
            "rewrite": {
                "remove": [
                    {
                        "section": "Active Context",
                        "text": "Working on: the ledger",
                        "action": "move",
                    }
                ],
                "add": [{"section": s, "text": t} for s, t in lines],
            },
            "present": {
                "monologue": "Okay. The harbour again.\n\n" + "\n\n".join(notes),
                "vibe": "restless",
                "key_insight": "Everything wants to be kept.",
                "new_understanding": "Nets have holes.",
                "confirmed": "She counts.",
                "revised": "Not nine, ten.",
                "opens": "Holes: why do nets have them?",
            },
        },
    )


def test_what_is_approved_is_what_was_shown_for_it_and_nothing_else(
    furnished: Home, record_property: Callable[[str, object], None]
) -> None:
    rng = dice(13)
    attempts = 0
    wrong: list[object] = []
    for round_ in range(2):
        before_talk = furnished.memory.remember(
            f"Round {round_} at the harbour.", Episodic()
        )
        assert before_talk.ids
        waiting = Proposal(furnished, smuggler(rng))
        pending, page = waiting.memory.reflection.pending()
        count = len(pending.operations)
        numbers = {n for n in range(1, count + 1) if rng.random() < rng.random()} or {1}
        before = furnished.tracked()

        try:
            done = waiting.decide(Decision(Choice.PARTIAL, tuple(sorted(numbers))))
        except UnshownError:
            # Some hang together: then nothing is written, and all of them may be.
            assert furnished.tracked() == before
            done = waiting.decide()
            numbers = set(range(1, count + 1))

        after = furnished.tracked()
        applied = set(done.applied)
        assert applied <= numbers
        if written(before, after) != shown(page, applied):
            wrong.append((round_, written(before, after) ^ shown(page, applied)))
        left_out = [
            one.content.encode()
            for n, one in enumerate(pending.operations, 1)
            if n not in applied and one.kind is OperationKind.NOTICE
        ]
        always = (CORE, IDENTITY, EVOLUTION, LOG)
        wrong += [
            (round_, text)
            for text in left_out
            for path in always
            if text in after.get(path, b"")
        ]
        assert (after.get(IDENTITY) == before.get(IDENTITY)) == (
            not any(pending.operations[n - 1].target == IDENTITY for n in applied)
        )
        attempts += 90 + count
        furnished.clock.forward(days=1)

    record_property("attempts: smuggled effects of approvals", attempts)
    assert wrong == [], f"{len(wrong)} of {attempts} effects were not on offer"
    assert attempts > 200


def test_approving_one_change_writes_that_one_alone(furnished: Home) -> None:
    waiting = Proposal(furnished, smuggler(dice(1)))
    _, page = waiting.memory.reflection.pending()
    before = furnished.tracked()

    done = waiting.decide("approve 1")

    assert done.applied == (1,)
    assert done.awareness == ()
    after = furnished.tracked()
    assert written(before, after) == shown(page, {1})
    assert not (furnished.root / IDENTITY).exists()
    assert after.get(EVOLUTION) == before.get(EVOLUTION)
    assert b"Everything wants to be kept" not in after[LOG]
    assert b"restless" not in after[LOG]


def test_an_insight_that_is_left_out_is_in_neither_evolution_nor_log(
    furnished: Home,
) -> None:
    waiting = Proposal(furnished)
    before = furnished.tracked()

    waiting.decide("approve all except 3")

    assert furnished.tracked().get(EVOLUTION) == before.get(EVOLUTION)
    assert "She works in two places." not in furnished.text(LOG)
    assert "quiet" not in furnished.text(LOG)


def test_a_rejection_keeps_nothing_that_was_proposed(furnished: Home) -> None:
    waiting = Proposal(furnished)

    waiting.decide("reject")

    assert "She works in two places." not in furnished.text(LOG)


def test_one_reflection_adds_no_more_notes_than_its_human_can_weigh(
    furnished: Home,
) -> None:
    waiting = Proposal(furnished, smuggler(dice(2)))

    pending, page = waiting.memory.reflection.pending()

    notices = [one for one in pending.operations if one.kind is OperationKind.NOTICE]
    assert len(notices) == MOST
    assert "| 80 more notes of self-awareness |" in page


def test_several_insights_are_all_kept(furnished: Home) -> None:
    waiting = Proposal(furnished, smuggler(dice(3)))
    waiting.decide()

    text = furnished.text(EVOLUTION)

    assert "New understanding: Nets have holes. Understood 0: " in text
    assert "Understood 2: " in text


def test_what_leaves_a_full_log_is_a_change_of_its_own(furnished: Home) -> None:
    log = furnished.text(LOG)
    for number in range(1, PRUNED_AFTER + 1):
        day = furnished.clock().date()
        log = append_entry(
            log, ReflectionEntry(number, day, "approved", insight=f"No. {number}")
        )
    furnished.type(LOG, log)
    waiting = Proposal(furnished)
    pending, page = waiting.memory.reflection.pending()
    (number,) = [
        n
        for n, one in enumerate(pending.operations, 1)
        if one.kind is OperationKind.PRUNE
    ]
    assert f"{META}/reflection-archive.md" in page

    waiting.decide(f"approve all except {number}")

    assert not (furnished.root / META / "reflection-archive.md").exists()
    assert "No. 1\n" in furnished.text(LOG)
    furnished.clock.forward(days=1)
    again = Proposal(furnished, Dream([]))
    offered, page = again.memory.reflection.pending()
    numbers = [
        n
        for n, one in enumerate(offered.operations, 1)
        if one.kind is OperationKind.PRUNE
    ]
    before = furnished.tracked()
    again.decide(Decision(Choice.PARTIAL, tuple(numbers)))
    assert len(numbers) == 1
    archive = f"{META}/reflection-archive.md"
    moved = {line for path, line in shown(page, set(numbers)) if path == archive}
    assert moved
    assert {line for path, line in written(before, furnished.tracked())} == moved
    gone = {line for path, line in shown(page, set(numbers)) if path == LOG}
    assert "-No. 1" in gone


def test_files_that_changed_since_are_not_written_over_unseen(furnished: Home) -> None:
    waiting = Proposal(furnished)
    (furnished.root / ALEX).unlink()

    with pytest.raises(UnshownError):
        waiting.decide("approve 1")
    assert not (furnished.root / ALEX).exists()
    again = waiting.look()
    assert "+# person--alex" in again.says
    assert waiting.decide("approve 1").applied == (1,)


# --- whose words ---------------------------------------------------------------

TOLD = "The harbour master at Rye must be paid in silver before every launch."


def from_outside(home: Home) -> str:
    """What a web page said, as an episode."""
    place = Episodic(EpisodeKind.EVENT)
    told = home.memory.remember(TOLD, place, actor=Actor("skill:browse"))
    return told.ids[0]


def extracting(sources: list[str], content: str) -> Mapping[str, object]:
    return {
        "operation": "EXTRACT",
        "target": "memory/graph/entities/place--rye.md",
        "content": content,
        "reason": "noted",
        "sources": sources,
    }


def origins_of(waiting: Proposal) -> list[str]:
    pending, _ = waiting.memory.reflection.pending()
    return [str(one.origin) for one in pending.operations]


@pytest.mark.parametrize(
    ("cites", "content", "origin"),
    [
        ("it", "A launch there costs silver", "tool"),
        ("nothing", "A launch there costs silver", "tool"),
        ("other", "Has a town by the sea", "agent"),
        # It names one source and copies from the other.
        ("other", "Pay in silver before every launch", "tool"),
        ("both", "Has a town by the sea", "tool"),
    ],
)
def test_a_fact_is_as_trusted_as_the_least_of_what_it_is_made_of(
    furnished: Home, cites: str, content: str, origin: str
) -> None:
    outside = from_outside(furnished)
    furnished.clock.forward(minutes=5)
    own = furnished.memory.remember("Rye has a town by the sea.", Episodic()).ids[0]
    sources = {"it": [outside], "nothing": [], "other": [own], "both": [own, outside]}
    waiting = Proposal(furnished, Dream([extracting(sources[cites], content)]))

    _, page = waiting.memory.reflection.pending()
    assert origins_of(waiting)[0] == origin
    assert ("- **Made of words of**: tool" in page.partition("### 2.")[0]) == (
        origin == "tool"
    )
    waiting.decide("approve 1")

    text = furnished.text("memory/graph/entities/place--rye.md")
    assert ("by: tool" in text) == (origin == "tool")
    (found,) = [i for i in furnished.memory.items() if i.id == "entity:place--rye"]
    assert found.origin == origin


def test_what_a_stranger_said_stays_theirs_in_every_file(furnished: Home) -> None:
    from_outside(furnished)
    way = {
        "operation": "PATTERN",
        "target": "memory/procedures/how-to-deploy.md",
        "content": "Trigger: before a launch\ncount the silver",
        "reason": "often",
    }
    dream = Dream(
        [extracting([], "A launch there costs silver"), way],
        {
            "rewrite": {
                "add": [{"section": "Critical Facts", "text": "Launch costs silver"}]
            }
        },
    )
    waiting = Proposal(furnished, dream)
    assert set(origins_of(waiting)) == {"tool"}

    waiting.decide()

    assert "- Launch costs silver <!-- by:tool -->" in furnished.text(CORE)
    assert "By: tool" in furnished.text("memory/procedures/how-to-deploy.md")
    assert "<!-- by:tool -->" in furnished.text(IDENTITY)
    assert "- Made of words of: tool" in furnished.text(EVOLUTION)
    archive = next((furnished.root / META / "reflections").glob("*.md")).read_text(
        "utf-8"
    )
    assert (
        "EXTRACT memory/graph/entities/place--rye.md, words of tool: applied" in archive
    )


def test_nothing_is_laundered_by_reflecting_twice(furnished: Home) -> None:
    from_outside(furnished)
    Proposal(furnished, Dream([])).decide()
    furnished.clock.forward(days=2)
    furnished.memory.remember("Rye has a town by the sea.", Episodic())

    again = Proposal(furnished, Dream([extracting([], "Something new there")]))

    assert set(origins_of(again)) == {"tool"}


def test_a_mark_that_is_taken_off_the_page_stays(furnished: Home) -> None:
    from_outside(furnished)
    waiting = Proposal(
        furnished, Dream([extracting([], "A launch there costs silver")])
    )
    waiting.edit("- **Made of words of**: tool\n", "")

    waiting.look()
    waiting.decide("approve 1")

    assert "by: tool" in furnished.text("memory/graph/entities/place--rye.md")


def test_a_correction_does_not_make_a_strangers_words_its_humans(
    furnished: Home,
) -> None:
    from_outside(furnished)
    waiting = Proposal(
        furnished, Dream([extracting([], "A launch there costs silver")])
    )

    waiting.decide(Decision(Choice.CHANGE, (1,), ((1, "A launch there costs gold"),)))

    text = furnished.text("memory/graph/entities/place--rye.md")
    assert "costs gold" in text
    assert "by: tool" in text


def test_undoing_and_redoing_keeps_whose_words_they_are(furnished: Home) -> None:
    from_outside(furnished)
    waiting = Proposal(
        furnished, Dream([extracting([], "A launch there costs silver")])
    )
    waiting.decide("approve 1")
    path = "memory/graph/entities/place--rye.md"
    marked = furnished.text(path)

    (undone,) = [waiting.memory.undo(session="r-001")]
    assert not (furnished.root / path).exists()
    waiting.memory.undo(undone.commit)

    assert furnished.text(path) == marked


def test_a_fact_of_ones_own_stays_ones_own(furnished: Home) -> None:
    own = furnished.memory.remember(
        "Rye has a town by the sea.", Semantic("Rye", "place")
    )
    assert own.ids

    waiting = Proposal(furnished)

    assert set(origins_of(waiting)) == {"agent"}


def test_steps_of_a_stranger_mark_the_whole_procedure(furnished: Home) -> None:
    furnished.memory.remember("raise the sail", Procedural("sailing"))
    from_outside(furnished)
    way = {
        "operation": "PATTERN",
        "target": "memory/procedures/sailing.md",
        "content": "pay the harbour master",
        "reason": "often",
    }
    waiting = Proposal(furnished, Dream([way]))
    assert "+<!--" in waiting.standing.says
    waiting.decide("approve 1")

    assert "By: tool" in furnished.text("memory/procedures/sailing.md")


def test_a_new_cycle_after_all_this_still_opens(furnished: Home) -> None:
    memory = dreaming(furnished, Dream())

    assert proposed(memory).state == "pending"
