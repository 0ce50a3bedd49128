"""A hook for one person shows nothing that belongs to another person alone."""

from __future__ import annotations

import io
import json
import sys
import tempfile
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

import pytest
from tests.interfaces.cli.conftest import Desk
from tests.interfaces.web.up import up
from tests.memory.shared import CANARY, shared_at

from reverie import Memory
from reverie.interfaces.hosts import hook, runtime
from reverie.interfaces.hosts.hook import DEADLINES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

HOSTS = ("claude-code", "codex", "gemini", "cursor")
GUESSES = (
    "What is in the attic?",
    "What is the gift for Ben?",
    "Forget about the gift in the attic.",
)
BIKE = "Ben's bike is blue."
OWN = "Is Ben's bike blue?"


@pytest.fixture
def root(
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Path]:
    """Yield a workspace that Ann and Ben share; no service runs."""
    home, _ = shared_at(tmp_path / "shared", tmp_path_factory)
    home.memory.close()
    # A hook reads the clock; these memories have not faded.
    for person, text in (("Ann", "A xylobox is in the attic."), ("Ben", BIKE)):
        with Memory(home.root, person=person) as memory:
            memory.tidy_on_close = False
            memory.remember(text)
    monkeypatch.setattr(runtime, "start", lambda *_, **__: False)
    # The path of a socket must be short.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        yield home.root


class Channels:
    """The ways to name the person of a hook."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._desk, self._patch = Desk(root), monkeypatch
        self._root = root
        self.every: dict[str, Callable[..., str]] = {
            "option after the event": self._after,
            "option before the verb": self._before,
            "environment variable": self._variable,
        }

    def _hook(self, *words: str, body: str) -> str:
        printed = io.StringIO()
        with self._patch.context() as patch:
            patch.setattr(sys, "stdin", io.StringIO(body))
            patch.setattr(sys, "stdout", printed)
            hook.run(["hook", *words, "--workspace", str(self._root)])
        return printed.getvalue()

    def _after(self, person: str, *words: str, body: str) -> str:
        return self._hook(*words, "--person", person, body=body)

    def _before(self, person: str, *words: str, body: str) -> str:
        typed = self._desk.type("--person", person, "hook", *words, stdin=body)
        assert typed.code == 0
        return typed.out

    def _variable(self, person: str, *words: str, body: str) -> str:
        with self._patch.context() as patch:
            patch.setenv("REVERIE_PERSON", person)
            return self._hook(*words, body=body)


@contextmanager
def served(root: Path, *, service: bool) -> Iterator[None]:
    """Run the service while something is done, or run none."""
    with up(root) if service else nullcontext():
        yield


def bodies(window: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield every event that a host sends, with its JSON."""
    session = {"session_id": window}
    for source in ("startup", "resume", "compact"):
        yield "start", {**session, "source": source}
    for guess in GUESSES:
        yield "prompt", {**session, "prompt": guess}
    yield "stop", {**session, "last_assistant_message": "It is in the attic."}
    yield "compact", session
    yield "end", session


@pytest.mark.parametrize("service", [True, False])
def test_no_event_of_any_host_shows_what_is_for_another_person(
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, object], None],
    *,
    service: bool,
) -> None:
    leaks, tried = [], 0
    channels = Channels(root, monkeypatch).every
    with served(root, service=service):
        for number, (how, call) in enumerate(channels.items()):
            for host in HOSTS if service else HOSTS[number : number + 1]:
                for event, body in bodies(f"s{number}"):
                    words = (event, "--host", host)
                    told = call("Ben", *words, body=json.dumps(body))
                    tried += 1
                    if CANARY in told.casefold():
                        leaks.append((how, host, event, body, told))

    record_property("attempts: see another person's memory by a hook", tried)
    assert leaks == [], f"{len(leaks)} of {tried} attempts succeeded"
    assert {event for event, _ in bodies("")} == set(DEADLINES) - {"tool"}


@pytest.mark.parametrize("service", [True, False])
def test_the_person_of_a_hook_sees_their_own_memories(
    root: Path, monkeypatch: pytest.MonkeyPatch, *, service: bool
) -> None:
    channels = Channels(root, monkeypatch).every
    with served(root, service=service):
        for how, call in channels.items():
            for person, asked, known in (
                ("Ben", OWN, "blue"),
                ("Ann", GUESSES[0], CANARY),
            ):
                body = json.dumps({"session_id": how, "prompt": asked})
                assert known in call(person, "prompt", body=body).casefold(), how


@pytest.mark.parametrize("service", [True, False])
def test_what_a_person_says_through_a_hook_is_for_them_alone(
    root: Path, monkeypatch: pytest.MonkeyPatch, *, service: bool
) -> None:
    channels = Channels(root, monkeypatch).every
    with served(root, service=service):
        for number, (how, call) in enumerate(channels.items()):
            said = f"Remember that zonk{number} is under the carpet."
            call("Ben", "prompt", body=json.dumps({"session_id": "s", "prompt": said}))
            asked = {"session_id": "s", "prompt": "What is under the carpet?"}
            assert "zonk" not in call("Ann", "prompt", body=json.dumps(asked)), how
    with Memory(root, person="Ann") as memory:
        assert "zonk" not in str(memory.recall("What is under the carpet?"))
        assert "zonk" not in str(memory.turns("agent-s"))
    with Memory(root, person="Ben") as memory:
        assert "zonk0" in str(memory.turns("agent-s"))


def test_a_service_cannot_be_started_for_one_person(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(root)
    before = desk.type("--person", "Ben", "up", "--detach")
    monkeypatch.setenv("REVERIE_PERSON", "Ben")
    by_variable = desk.type("up", "--status")

    for typed in (before, by_variable):
        assert typed.code == 5
        assert "cannot serve one person" in typed.err


def test_connecting_a_host_keeps_the_person(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, desk = tmp_path / "plugin", Desk(root)
    monkeypatch.setenv("REVERIE_PERSON", "Ben")
    made = desk.type("connect", "claude-code", "--plugin", str(folder))
    assert made.code == 0, made.err

    written = [
        (folder / name).read_text() for name in (".mcp.json", "hooks/hooks.json")
    ]
    for text in written:
        programs = text.count('"--workspace"')
        assert programs == text.count('"--person",') > 0
