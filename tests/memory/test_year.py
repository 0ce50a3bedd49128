"""A year of reflections, with every kind of decision and restarts in between.

Shortened: 48 days with 16 reflections, and a log that holds fewer of them, enough for
it to be archived and for every kind of decision. In full, 365 days with 120
reflections: `make test-full`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING

from tests.memory.home import GRAPH, NOON, SCORES, Home
from tests.reflection.dreams import MONOLOGUE, Dream, dreaming

from reverie import Episodic, Semantic
from reverie.model.reflection import Choice, Decision, Feedback
from reverie.reflection import log
from reverie.reflection.log import MILESTONES, STATUSES, parse_log
from reverie.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pytest

    from reverie import Memory

META = "memory/meta"
RATE = "memory/graph/entities/concept--rate.md"
CHOICES = (
    *(Choice.APPROVE, Choice.APPROVE, Choice.PARTIAL, Choice.APPROVE),
    *(Choice.CHANGE, Choice.REJECT, Choice.APPROVE, Choice.APPROVE),
    *(Choice.PARTIAL, Choice.APPROVE, Choice.REJECT, Choice.APPROVE),
)


class Year:
    """A year, lived day by day."""

    def __init__(self, root: Path, *, full: bool) -> None:
        self.days, self.reflections = (365, 120) if full else (48, 16)
        self.home = Home(root)
        self.dream = Dream()
        self.choices: Counter[Choice] = Counter()
        self.remarks: list[str] = []
        self.merged: list[str] = []
        self.closed = 0
        self.undone = 0
        self.open()

    @property
    def memory(self) -> Memory:
        """The workspace as it is open now."""
        return self.home.memory

    def open(self) -> None:
        """Start the program anew."""
        dreaming(self.home, self.dream)

    def live(self, day: int) -> None:
        """One day: something happens."""
        self.memory.remember(f"Worked on part {day} of the ledger.", Episodic())
        if day % 7 == 0:
            fact = f"Reviewed the ledger in week {day // 7}"
            self.memory.remember(fact, Semantic(f"Person {day % 5}", "person"))
        self.home.clock.forward(hours=12)

    def sleep(self, number: int) -> None:
        """One reflection, from the check-in to the decision."""
        self.dream.operations = list(_operations(number, self.memory))
        # A note that was turned down does not come back in the same words.
        name = "".join(chr(ord("a") + int(digit)) for digit in str(number))
        noticed = "I rush past such things."
        self.dream.more["present"] = {
            "monologue": MONOLOGUE.replace(noticed, f"{noticed} Even {name}."),
            "key_insight": f"Insight of reflection {number}, in a sentence of its own.",
            "confirmed": f"Pattern {number % 3} holds.",
            "opens": f"Thread {number}",
            "revised": f"Assumption {number} was wrong.",
        }
        self.dream.more["consolidate"] = self._besides(number)
        self._check_in(number)
        if number % 4 == 0:
            self.open()  # a restart in the middle of the cycle
        standing = self.memory.reflection.advance()
        if number % 5 == 0:
            self.home.clock.forward(hours=30)  # nothing is applied by waiting
            self.open()
            standing = self.memory.reflection.status()
            assert (standing.state, standing.remind) == ("pending", True)
        choice = CHOICES[number % len(CHOICES)]
        count = len(self.memory.reflection.pending()[0].operations)
        decision = _decision(choice, number, count)
        self.memory.reflection.decide(decision, standing.shown)
        self.choices[choice] += 1

    def _besides(self, number: int) -> dict[str, object]:
        """What is merged and closed: the twins and the thread of the last one."""
        twins = [f"concept--{name}-{number - 1}" for name in ("twin", "double")]
        pages = self.home.root / "memory/graph/entities"
        told: dict[str, object] = {}
        if number % 5 == 3 and all((pages / f"{name}.md").exists() for name in twins):
            told["merges"] = [{"one": twins[0], "into": twins[1], "reason": "the same"}]
            self.merged.append(twins[1])
        evolution = self.home.root / META / "evolution.md"
        thread = f"Thread {number - 1}"
        if number % 4 == 1 and evolution.exists() and thread in evolution.read_text():
            told["closes"] = [{"thread": thread, "into": ""}]
            self.closed += 1
        return told

    def remark(self, number: int) -> None:
        """Their human says something about the last reflection."""
        words = f"No, in week {number} it was otherwise."
        done = self.memory.reflection.say(words, kind=Feedback.CORRECTED)
        assert done.path.startswith(f"{META}/reflections/")
        self.remarks.append(words)

    def _check_in(self, number: int) -> None:
        reflection = self.memory.reflection
        if number % 3 == 0:
            occasion = reflection.offer()
            if occasion is not None:
                assert reflection.begin(occasion).state == "asked"
                assert reflection.reply("later").state == "deferred"
                self.home.clock.forward(hours=4)
        reflection.begin()
        words = ("Proceed", "Take 12K, you earned it", "5K only, because of Tuesday")
        assert reflection.reply(words[number % 3]).state == "granted"

    def undo_and_compare(self, before: State) -> None:
        """Take the last reflection back, see that nothing is left, and put it back."""
        last = self.memory.reflection.status().number
        after = state_of(self.home)
        # First the decision, then the proposal and its tokens.
        receipts = [self.memory.undo(session=f"r-{last:03d}") for _ in range(2)]
        assert state_of(self.home) == before
        for receipt in reversed(receipts):
            self.memory.undo(receipt.commit)
        assert state_of(self.home) == after
        self.undone += 1


def _operations(number: int, memory: Memory) -> Iterator[dict[str, object]]:
    name = f"topic-{number % 30}"
    page = f"memory/graph/entities/concept--{name}.md"
    yield {
        "operation": "EXTRACT",
        "target": page,
        "content": f"Came up in reflection {number}",
        "reason": "an episode",
    }
    yield {
        "operation": "CONNECT",
        "target": "memory/graph/index.md",
        "content": f"concept--{name} → relates-to → person--person-0",
        "reason": "together",
    }
    yield {
        "operation": "EVOLVE",
        "target": "memory/meta/evolution.md",
        "content": f"Understanding number {number}.",
        "reason": "it grew",
    }
    if number % 5 == 2:
        for twin in ("twin", "double"):
            yield {
                "operation": "EXTRACT",
                "target": f"memory/graph/entities/concept--{twin}-{number}.md",
                "content": f"The {twin} came up in {number}",
                "reason": "an episode",
            }
    if number % 4 == 0:
        there = memory.root / RATE
        text = there.read_text("utf-8") if there.exists() else ""
        rates = re.findall(r"(?m)^- (Stands at \d+)", text)
        instead = f" (supersedes: {rates[-1]})" if rates else ""
        yield {
            "operation": "EXTRACT",
            "target": RATE,
            "content": f"Stands at {number}{instead}",
            "reason": "an episode",
        }
    if number % 6 == 0:
        yield {
            "operation": "PATTERN",
            "target": f"memory/procedures/way-{number}.md",
            "content": "Trigger: when it rains\nclose the window",
            "reason": "seen often",
        }
    oldest = memory.items()[0]
    if number > 12 and oldest.id.startswith("entity:person"):
        yield {
            "operation": "ARCHIVE",
            "target": oldest.id,
            "content": "old",
            "reason": "faded",
        }


def _decision(choice: Choice, number: int, count: int) -> Decision:
    everything = tuple(range(1, count + 1))
    match choice:
        case Choice.APPROVE:
            return Decision(choice, everything)
        case Choice.PARTIAL:
            return Decision(choice, everything[1:], reason="not that one")
        case Choice.CHANGE:
            text = f"Came up again in reflection {number}"
            return Decision(choice, everything, ((1, text),))
        case _:
            return Decision(choice, reason="too much about work")


State = tuple[dict[str, bytes], dict[str, object], set[str]]


def state_of(home: Home) -> State:
    """Every file but the snapshots; what the scores keep besides; what is archived."""
    told = home.tracked()
    scores = json.loads(told.pop(SCORES))
    told.pop(GRAPH)
    entries = scores.pop("entries")
    scores.pop("last_updated")
    gone = {id_ for id_, entry in entries.items() if entry["status"] == "_archived"}
    return told, scores, gone


def test_a_year_of_reflections_keeps_every_promise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, full: bool
) -> None:
    if not full:
        monkeypatch.setattr(log, "PRUNED_AFTER", 12)
        monkeypatch.setattr(log, "FULL_ENTRIES", 8)
        monkeypatch.setattr(log, "SUMMARY_LINES", 4)
    year = Year(tmp_path / "agent", full=full)
    _live_through(year)

    for promise in PROMISES:
        promise(year)
    year.memory.close()


def _live_through(lived: Year) -> None:
    number = 0
    for day in range(1, lived.days + 1):
        lived.live(day)
        if day * lived.reflections // lived.days > number:
            number += 1
            before = state_of(lived.home) if number % 10 == 7 else None
            lived.sleep(number)
            if before is not None:
                lived.undo_and_compare(before)
            if number % 7 == 4:
                lived.remark(number)
        tomorrow = NOON + timedelta(days=day)
        lived.home.clock.now = max(lived.home.clock.now, tomorrow)


def a_year_has_all_its_reflections_and_every_kind_of_decision(year: Year) -> None:
    assert sum(year.choices.values()) == year.reflections
    assert set(year.choices) == set(Choice) - {Choice.LATER}
    assert year.undone == year.reflections // 10


def what_was_learned_is_on_a_page_whatever_became_of_it(year: Year) -> None:
    told = year.home.git("log", "-p", "--no-color", "--", "memory/graph/entities")
    learned = set(re.findall(r"(?m)^\+- (?:~~)?(.+?)(?:~~)? <!--.*source:", told))
    pages = [*(year.home.root / "memory/graph/entities").glob("*.md")]
    texts = "\n".join(page.read_text("utf-8") for page in pages)

    assert len(learned) > year.reflections
    assert [words for words in learned if words not in texts] == []
    rate = year.home.text(RATE)
    struck = re.findall(r"(?m)^- ~~.+superseded-by: (\w+)", rate)
    assert len(struck) >= year.reflections // 4 - 3
    assert rate.count("- Stands at ") == 1


def pages_that_were_merged_are_one_and_threads_that_ended_are_gone(year: Year) -> None:
    assert year.merged
    for kept in year.merged:
        page = year.home.text(f"memory/graph/entities/{kept}.md")
        assert ("The twin came up in" in page) is (
            not (
                year.home.root
                / f"memory/graph/entities/{kept.replace('double', 'twin')}.md"
            ).exists()
        )
    assert year.closed


def what_its_human_said_reached_the_next_reflection(year: Year) -> None:
    asked = "\n".join(q.text for q in year.dream.asked if "meta" in q.operation)

    assert year.remarks
    assert [words for words in year.remarks[:-1] if words not in asked] == []


def a_reflection_of_any_day_can_be_taken_back_alone(year: Year) -> None:
    for number in (1, 9, 13, 30, 38, 75, 101, 118):
        if number < year.reflections:
            _take_back(year, number)


def _take_back(year: Year, number: int) -> None:
    before = state_of(year.home)
    logs = [f"{META}/{name}.md" for name in ("reflection-log", "reflection-archive")]

    receipt = year.memory.undo(session=f"r-{number:03d}")
    told = "".join(map(year.home.text, logs))
    page = year.home.root / f"memory/graph/entities/concept--topic-{number % 30}.md"

    assert f"## Reflection #{number} —" not in told
    assert f"## Reflection #{number + 1} —" in told
    if page.exists():
        assert f"in reflection {number}\n" not in page.read_text("utf-8")
    year.memory.undo(receipt.commit)
    assert state_of(year.home) == before


def the_log_holds_the_last_in_full_and_the_archive_the_others(
    year: Year,
) -> None:
    text = year.home.text(f"{META}/reflection-log.md")
    parsed = parse_log(text)
    archived = year.home.text(f"{META}/reflection-archive.md")
    in_archive = [int(n) for n in re.findall(r"(?m)^## Reflection #(\d+) —", archived)]

    full = [entry.number for entry in parsed.entries]
    below = year.reflections - log.FULL_ENTRIES
    assert full == list(range(below + 1, year.reflections + 1))
    assert sorted({*in_archive, *full}) == list(range(1, year.reflections + 1))
    assert len(in_archive) == len(set(in_archive))
    lowest = below - log.SUMMARY_LINES
    assert [line.number for line in parsed.one_liners] == [
        *range(lowest + 1, below + 1)
    ]
    assert "## Archived Reflections (see reflection-archive.md)" in text
    assert f"- #1-{lowest}: archived" in text


def every_entry_of_the_log_has_the_format_of_the_seed(year: Year) -> None:
    text = year.home.text(f"{META}/reflection-log.md")
    full = text.partition("## Full Entries")[2]
    for entry in full.split("\n## Reflection #")[1:]:
        assert re.match(r"\d+ — \d{4}-\d\d-\d\d\n", entry)
        assert re.search(r"(?m)^- \d+ episodes, \d+ entities, \d+ archived$", entry)
        assert any(status in entry for status in STATUSES.values())


def evolution_stays_below_its_cap_with_its_milestones(year: Year) -> None:
    text = year.home.text(f"{META}/evolution.md")
    archive = year.home.text(f"{META}/evolution-archive.md")
    approved = year.reflections - year.choices[Choice.REJECT]

    assert count_tokens(text) <= 2000
    assert f"- Total reflections: {year.reflections}" in text
    # One that was rejected is the next one's.
    past = [n for n in MILESTONES if n <= year.reflections]
    reached = ", ".join(f"#{n}" for n in past)
    assert f"- Milestones reached: {reached}" in text
    numbers = re.findall(r"(?m)^## Reflection #(\d+) —", text + archive)
    assert len(set(numbers)) == approved
    assert len(re.findall(r"(?m)^## Reflection #", text)) <= 10
    for heading, most in (
        ("Active Threads", 5),
        ("Confirmed Patterns", 7),
        ("Revised Assumptions", 7),
        ("Open Questions", 5),
    ):
        body = text.partition(f"## {heading}\n")[2].partition("\n## ")[0]
        assert len(re.findall(r"(?m)^(?:-|\d+\.) ", body)) <= most


def every_approved_reflection_is_archived_and_every_reward_too(year: Year) -> None:
    approved = year.reflections - year.choices[Choice.REJECT]

    assert len(list((year.home.root / META / "reflections").glob("*.md"))) == approved
    assert (
        len(list((year.home.root / META / "rewards").glob("*.md"))) == year.reflections
    )
    rewards = year.home.text(f"{META}/reward-log.md")
    assert len(set(re.findall(r"Reflection #(\d+)", rewards))) == year.reflections


def the_scores_tell_where_reflection_stands(year: Year) -> None:
    scores = json.loads(year.home.text(SCORES))
    economy = scores["token_economy"]

    assert scores["last_reflection"] <= f"{year.home.clock.now:%Y-%m-%dT%H:%M:%SZ}"
    assert scores["last_reflection_episode"] <= scores["last_reflection"][:10]
    assert economy["requests"] == year.reflections
    assert economy["total_granted"] >= economy["total_used"] > 0
    assert scores["self_awareness_count_since_consolidation"] == (
        year.reflections - year.choices[Choice.REJECT]
    )
    assert year.memory.reflection.status().waiting < 5


def what_the_agent_noticed_about_itself_stands_in_its_identity(year: Year) -> None:
    text = year.home.text("IDENTITY.md")

    assert text.count("I rush past such things.") == (
        year.reflections - year.choices[Choice.REJECT]
    )
    assert "[Self-Awareness]" not in text


def the_pending_page_is_empty_and_history_is_sound(year: Year) -> None:
    assert year.home.text(f"{META}/pending-reflection.md").startswith("# Pending")
    assert year.home.git("fsck", "--strict", "--no-dangling") == ""
    assert year.home.disagreements() == []


def each_applied_reflection_is_one_commit_that_a_human_approved(
    year: Year,
) -> None:
    entries = year.memory.history(actor="reflection")
    applied = Counter(
        entry.actor.session
        for entry in entries
        if any(line.path == f"{META}/evolution.md" for line in entry.lines)
        and entry.lines[0].action != "REVERT"
    )

    assert set(applied.values()) == {1}
    assert all(entry.approval in {"approved", "pending", "—"} for entry in entries)


PROMISES = (
    what_was_learned_is_on_a_page_whatever_became_of_it,
    pages_that_were_merged_are_one_and_threads_that_ended_are_gone,
    what_its_human_said_reached_the_next_reflection,
    a_year_has_all_its_reflections_and_every_kind_of_decision,
    a_reflection_of_any_day_can_be_taken_back_alone,
    the_log_holds_the_last_in_full_and_the_archive_the_others,
    every_entry_of_the_log_has_the_format_of_the_seed,
    evolution_stays_below_its_cap_with_its_milestones,
    every_approved_reflection_is_archived_and_every_reward_too,
    the_scores_tell_where_reflection_stands,
    what_the_agent_noticed_about_itself_stands_in_its_identity,
    the_pending_page_is_empty_and_history_is_sound,
    each_applied_reflection_is_one_commit_that_a_human_approved,
)
