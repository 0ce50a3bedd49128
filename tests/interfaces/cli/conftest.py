"""A workspace in a temporary folder, and ways to type commands at it."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import threading
import traceback
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from click.testing import CliRunner
from tests.memory.home import agrees, copy_workspace, dreamt

from reverie import Episodic, Memory
from reverie.authority.keyring import Keyring
from reverie.interfaces.cli.command import Invocation
from reverie.interfaces.cli.main import cli, main

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PATIENCE = 180
"""Seconds after which a command at a terminal is taken for one that hangs."""

SOURCE = Path(__file__).parents[3] / "src"


@dataclass(frozen=True)
class Typed:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401 - a test knows what it asked for
        """What was printed, read as JSON."""
        return json.loads(self.out)


class Desk:
    """A workspace, a clock that the test sets, and a keyboard."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.now = datetime(2026, 2, 2, 14, 30, tzinfo=UTC)
        self.person = True

    def type(self, *words: str, stdin: str | bytes | None = None) -> Typed:
        """Type a command, in this process."""
        human = agrees if self.person else None
        session = Invocation(str(self.root), clock=lambda: self.now, human=human)
        done = CliRunner().invoke(cli, words, stdin, prog_name="reverie", obj=session)
        return Typed(done.exit_code, done.stdout, done.stderr)

    def left_alone(self, *words: str, stdin: str | bytes | None = None) -> Typed:
        """Type a command where no person is."""
        self.person = False
        try:
            return self.type(*words, stdin=stdin)
        finally:
            self.person = True

    def done(self, *words: str) -> Typed:
        """Type a command that must succeed."""
        typed = self.type(*words)
        assert typed.code == 0, typed.err
        return typed

    def dreamt(self, text: str) -> None:
        """Something that a reflection wrote down."""
        with Memory(self.root, clock=lambda: self.now) as memory:
            dreamt(memory, text, Episodic())

    def json(self, *words: str) -> Any:  # noqa: ANN401 - a test knows what it asked for
        """What a command that must succeed prints with --json."""
        return self.done(*words, "--json").json

    def wait(self, **time: float) -> None:
        """Let time pass on the workspace's clock."""
        self.now += timedelta(**time)

    def write(self, path: str, text: str) -> None:
        """Save a file, as a person with an editor does."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


@pytest.fixture(autouse=True)
def _a_quiet_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # Copies of one workspace share its ID, and so does a background process of an
    # earlier test: each test has a state directory of its own, with the same key.
    ring = Keyring.of(os.environ, tmp_path / "agent")
    own = tmp_path / "keys/reverie"
    own.mkdir(parents=True, mode=0o700)
    (own / "seal.key").write_bytes(ring.seal_key())
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "keys"))
    monkeypatch.delenv("REVERIE_WORKSPACE", raising=False)
    monkeypatch.delenv("REVERIE_DEBUG", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def nowhere(tmp_path: Path) -> Desk:
    """A folder that is not a workspace yet."""
    return Desk(tmp_path / "agent")


@cache
def _begun(root: Path) -> Path:
    """A fresh workspace, made once and copied often."""
    Desk(root).done("init")
    return root


@pytest.fixture
def desk(nowhere: Desk, tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A fresh workspace."""
    copy_workspace(_begun(tmp_path_factory.getbasetemp() / "begun"), nowhere.root)
    nowhere.wait(minutes=1)
    return nowhere


def environment(**more: str) -> dict[str, str]:
    """Variables for a process of its own."""
    return {**os.environ, "PYTHONPATH": str(SOURCE), "TERM": "xterm", **more}


def process(*words: str, **more: Any) -> subprocess.CompletedProcess[str]:  # noqa: ANN401 - subprocess's own
    """Run the real command."""
    return subprocess.run(
        [sys.executable, "-m", "reverie", *words],
        check=False,
        capture_output=True,
        encoding="utf-8",
        env=environment(),
        **more,
    )


def on_a_screen(
    words: tuple[str, ...],
    typed: str = "",
    variables: Mapping[str, str] | None = None,
    *,
    piped: bytes = b"",
) -> tuple[int, str]:
    """Run a command in a terminal of 80 columns; its exit code and screen.

    A copy of this process runs it, which has loaded everything already.

    Args:
        words: What it is called with.
        typed: What is typed at the terminal.
        variables: More of the environment.
        piped: What comes in through standard input instead of the terminal.
    """
    variables = environment(COLUMNS="80", LINES="50", **(variables or {}))
    out, into = os.pipe()
    child, ours = pty.fork()
    if child == 0:
        os.close(into)
        if piped:
            os.dup2(out, 0)
        _run(words, variables)
    os.close(out)
    os.write(ours, typed.encode())
    os.write(into, piped)
    os.close(into)
    seen = b""
    # One that asks what nobody answers is ended, so that the test can say so.
    patience = threading.Timer(PATIENCE, os.kill, (child, signal.SIGKILL))
    patience.start()
    with os.fdopen(ours, "rb", buffering=0) as screen:
        # The terminal reports an error once its last user has gone.
        while chunk := _read(screen.read):
            seen += chunk
    patience.cancel()
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return code, seen.decode("utf-8", "replace").replace("\r\n", "\n")


def _run(words: tuple[str, ...], variables: Mapping[str, str]) -> NoReturn:
    """Be the command, with the terminal that this process was given."""
    code = 1
    try:
        os.environ.clear()
        os.environ.update(variables)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - to the end
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.argv = ["reverie", *words]
        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:  # noqa: BLE001 - a child must never return into pytest
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _read(read: Callable[[int], bytes | None]) -> bytes:
    try:
        return read(4096) or b""
    except OSError:
        return b""
