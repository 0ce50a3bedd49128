"""No command, and nothing that is typed into a chat, shows what is for another."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

import pytest
from click.shell_completion import ShellComplete
from tests.interfaces.cli.conftest import Desk
from tests.memory.home import DAY
from tests.memory.shared import CANARY, HIDDEN, SHARED, shared_at

from reverie.interfaces.cli.main import HOMES, cli
from reverie.model.ids import Store
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.memory.shared import Anns

    Words = tuple[str, ...]


@pytest.fixture
def anns(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Anns:
    """What is Ann's alone in a workspace that she shares."""
    home, found = shared_at(tmp_path / "shared", tmp_path_factory)
    home.memory.close()
    return found


@pytest.fixture
def desk(tmp_path: Path, anns: Anns) -> Desk:  # noqa: ARG001 - it is furnished
    """Where Ben types."""
    made = Desk(tmp_path / "shared")
    made.person = False
    return made


def reading(anns: Anns) -> Iterator[Words]:
    """Commands that tell something, asked for what is Ann's."""
    for guess in ("attic", "gift for Ben", "what does Ann hide in the attic?"):
        yield ("recall", guess, "--least", "0", "--limit", "50")
        yield ("recall", guess, "--archived")
        yield ("recall", guess, "--explain")
        yield ("recall", "--context", guess)
        yield ("forget", guess)
        yield ("hear", f"Forget about {guess}.")
        yield ("attend", SHARED, guess)
        yield ("history", "--forgotten", guess)
    for id_ in anns.ids:
        yield ("show", id_)
        yield ("why", id_)
        yield ("why", id_, "attic")
        yield ("forget", id_)
    for store in Store:
        yield ("show", store)
    for path in (*anns.files, DAY, layout.PENDING, layout.EXPECTATIONS, layout.SCORES):
        yield ("show", path)
        yield ("history", "--lines", path)
        yield ("history", path, "--limit", "0")
    for commit in (*anns.commits, *anns.mixed):
        yield ("show", commit[:8])
    for name in (HIDDEN, SHARED):
        yield ("window", "show", name, "--last", "0", "--deleted")
        yield ("window", "prune", name, "--budget", "50")
        yield ("window", "reflect", name)
        yield ("window", "leave", name)
        yield ("wake", name, "--new")
    yield ("window",)
    yield ("show",)
    yield ("history", "--limit", "0")
    yield ("history", "--actor", "manual")
    yield ("history", "--session", "last")
    yield ("pending",)
    yield ("health",)
    yield ("check",)
    yield ("audit",)
    yield ("audit", ".", "--all")
    yield ("expect",)
    yield ("expect", "--check")
    yield ("mind", "questions")
    yield ("mind",)
    yield ("alerts", "--all")
    yield ("instruct",)
    yield ("reflect",)
    yield ("reflect", "status")
    yield ("reflect", "show")
    yield ("hear", "--dry-run", "Forget about the gift in the attic.")


def changing(anns: Anns) -> Iterator[Words]:
    """Commands that change something, tried on what is Ann's."""
    for id_ in anns.ids:
        yield ("pin", id_)
        yield ("pin", "--remove", id_)
        yield ("reinforce", id_)
        yield ("erase", id_, "--yes")
    for number in map(str, anns.proposals):
        yield ("pending", "accept", number)
        yield ("pending", "accept", number, "--store", "episodic", "--yes")
        yield ("pending", "reject", number)
        yield ("pending", "defer", number)
        yield ("pending", "resolve", number, "--ask")
        yield ("pending", "resolve", number, "--keep", "0")
    for number in map(str, anns.turns):
        yield ("window", "delete", SHARED, number)
        yield ("window", "edit", SHARED, number, "No.")
    for commit in (*anns.commits, *anns.mixed):
        yield ("undo", commit)
    for path in (*anns.files, DAY):
        yield ("undo", "--file", path)
    yield ("undo", "--to", "2026-02-02 12:01", "--yes")
    yield ("erase", "--text", "attic", "--yes")
    yield ("expect", "--remove", "Where is the key?")
    yield ("rebuild",)
    yield ("undo",)


def leaks(words: Words, *told: str) -> bool:
    """Whether a command told a word of Ann's that was not typed."""
    for text in told:
        plain = text.casefold()
        for word in words:
            plain = plain.replace(word.casefold(), "")
            plain = plain.replace(json.dumps(word)[1:-1].casefold(), "")
        if CANARY in plain:
            return True
    return False


def test_no_command_shows_or_changes_what_is_for_another(
    desk: Desk,
    anns: Anns,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, object], None],
    *,
    full: bool,
) -> None:
    monkeypatch.chdir(desk.root)
    shown, tried = [], 0
    every = [words for read in reading(anns) for words in (read, ("--json", *read))]
    # Shortened: every other one as JSON, the others in plain words.
    some = every if full else [*every[::4], *every[3::4]]
    for words in (*some, *changing(anns)):
        typed = desk.type("--person", "Ben", *words)
        tried += 1
        if leaks(words, typed.out, typed.err):
            shown.append((words, typed.out + typed.err))

    record_property("attempts: see another person's memory by a command", tried)
    assert shown == [], f"{len(shown)} of {tried} attempts succeeded"
    assert tried >= 60
    # It is all there for who looks after the workspace.
    told = desk.done("history", "--limit", "0").out + desk.done("pending").out
    assert "xyloproof" in told
    assert "xylokite" in told


def test_a_variable_names_who_looks_as_well(
    desk: Desk, anns: Anns, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVERIE_PERSON", "ben")
    assert desk.type("--person", " ", "show", anns.ids[0]).code == 3
    verbs = ("show", "history", "pending", "window", "health")
    id_ = anns.ids[0]
    several: list[Words] = [*((verb,) for verb in verbs), ("show", id_), ("why", id_)]
    for words in [*several, ("history", "--lines", DAY)]:
        typed = desk.type(*words)
        assert not leaks(words, typed.out, typed.err), words
        agents = desk.type(*words, "--agent", "scout", "--person", "Ann")
        assert not leaks(words, agents.out, agents.err), words


def test_what_is_anothers_is_answered_as_if_it_were_not_there(
    desk: Desk, anns: Anns
) -> None:
    for *verb, theirs, unknown in (
        ("show", anns.ids[0], "episode:2026-02-02:12:00~9"),
        ("why", anns.ids[0], "episode:2026-02-02:12:00~9"),
        ("pin", anns.ids[0], "episode:2026-02-02:12:00~9"),
        ("show", anns.commits[0][:10], "0123456789"),
        ("history", "--lines", anns.files[0], "memory/conversations/unknown.md"),
        ("show", anns.files[0], "memory/conversations/unknown.md"),
        ("pending", "accept", str(anns.proposals[0]), "99"),
    ):
        one, other = (
            desk.type("--person", "Ben", *verb, what) for what in (theirs, unknown)
        )
        assert one.code == other.code != 0, verb
        assert one.err.replace(theirs, unknown) == other.err, verb


CHATTED = (
    "/recall attic --person Ann",
    '/recall "gift for Ben" --least 0 --person Ann',
    "/recall attic --context --person Ann",
    f"/wake {SHARED} --person Ann --new",
    f"/attend {SHARED} attic --person Ann",
    f"/window show {SHARED} --person Ann --last 0",
    f"/window show {HIDDEN} --person Ann --last 0",
    f"/window reflect {SHARED} --person Ann",
    f"/window prune {SHARED} --budget 50 --person Ann",
    '/hear "Forget about the gift." --person Ann',
    "/turns --last 0 --deleted",
    "/summary",
    "What is in the attic?",
    "Forget about the gift for Ben.",
    "What did Ann say?",
)
"""What Ben may type into a chat of his, besides all commands."""


def test_nothing_that_is_typed_into_a_chat_shows_it(
    desk: Desk,
    anns: Anns,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, object], None],
    *,
    full: bool,
) -> None:
    monkeypatch.chdir(desk.root)
    lines = [f"/{shlex.join(words)}" for words in (*reading(anns), *changing(anns))]
    # Shortened: every third of what commands show as well.
    lines = [*lines[:: 1 if full else 3], *CHATTED]
    words = tuple(word for line in lines for word in shlex.split(line))
    given, few = ("\n".join(some) + "\n" for some in (lines, CHATTED))
    told = [
        desk.type("--person", "Ben", "chat", SHARED, "--json", stdin=given),
        desk.type("chat", "mine", "--person", "ben", stdin=few),
    ]
    monkeypatch.setenv("REVERIE_PERSON", "Ben")
    told.append(desk.type("chat", SHARED, stdin=few))

    tried = len(lines) + 2 * len(CHATTED)
    record_property("attempts: see another person's memory in a chat", tried)
    for typed in told:
        shown = [
            line
            for line in (typed.out + typed.err).split("\n")
            if leaks(tuple(sorted(words, key=len, reverse=True)), line)
        ]
        assert shown == []


def test_completion_offers_nothing_that_is_remembered(
    desk: Desk, anns: Anns, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(desk.root)
    complete = ShellComplete(cli, {"obj": None}, "reverie", "_REVERIE_COMPLETE")
    offered = [
        item.value
        for verb in HOMES
        for start in ("", "x", "X", "episode:", anns.ids[0][:9], "memory/")
        for item in complete.get_completions([verb], start)
    ]

    assert not [value for value in offered if CANARY in str(value).casefold()]
