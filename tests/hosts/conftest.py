"""Real hosts in a home of their own, and a scripted model for them to ask."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.hosts.model_server import Json, ModelServer

PROGRAMS = Path(os.environ.get("HOSTS", "nowhere"))
REVERIE = Path(sys.executable).with_name("reverie")
PATIENCE = 120
"""Seconds after which a host is taken for one that hangs."""


@pytest.fixture(autouse=True)
def _hosts_are_installed() -> None:
    if not (PROGRAMS / ".bin/claude").exists():
        pytest.skip("no hosts are named; `make test-hosts` installs and names them")


class Lab:
    """A user's home with a workspace and a project, and nothing else."""

    def __init__(self, folder: Path) -> None:
        self.home, self.root = folder / "home", folder / "home/agent"
        self.project, self.runtime = folder / "home/project", folder / "run"
        self.project.mkdir(parents=True)
        self.runtime.mkdir(mode=0o700)
        self.session = ""

    def environment(self, model: ModelServer | None = None) -> dict[str, str]:
        """All that a program of this user sees; models are asked on loopback alone."""
        node = next(PROGRAMS.glob("node-linux-*/bin"), Path("/usr/bin"))
        url = model.url if model else "http://127.0.0.1:9"
        return {
            "HOME": str(self.home),
            "PATH": f"{node}:{PROGRAMS / '.bin'}:/usr/local/bin:/usr/bin:/bin",
            "TERM": "dumb",
            "LANG": "C.UTF-8",
            "XDG_DATA_HOME": str(self.home / ".local/share"),
            "XDG_RUNTIME_DIR": str(self.runtime),
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "none",
            "OPENAI_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        }

    def run(
        self,
        *words: str | Path,
        model: ModelServer | None = None,
        cwd: Path | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run a program as this user."""
        return subprocess.run(
            [str(word) for word in words],
            cwd=cwd or self.project,
            env=self.environment(model),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=PATIENCE,
            check=False,
        )

    def reverie(self, *words: str) -> str:
        """Type a command of ours that must succeed."""
        cwd = self.root if self.root.exists() else self.home
        done = self.run(REVERIE, *words, cwd=cwd)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def at_terminal(self, *words: str, typed: str) -> str:
        """Type a command of ours at a terminal, and what it asks for; its screen."""
        child, ours = pty.fork()
        if child == 0:
            os.chdir(self.root)
            os.execve(REVERIE, ["reverie", *words], self.environment())  # noqa: S606
        os.write(ours, typed.encode())
        seen = b""
        with suppress(OSError), os.fdopen(ours, "rb", buffering=0) as screen:
            # The terminal reports an error once its last user has gone.
            while chunk := screen.read(4096):
                seen += chunk
        _, status = os.waitpid(child, 0)
        text = seen.decode("utf-8", "replace")
        assert os.waitstatus_to_exitcode(status) == 0, text
        return text

    def claude(self, model: ModelServer, said: str, *more: str) -> str:
        """Say something to Claude Code, in one and the same conversation."""
        again = ("--resume", self.session) if self.session else ()
        allowed = ("--allowedTools", "mcp__reverie,Agent")
        words = ("-p", said, "--output-format", "json", *allowed, *again, *more)
        done = self.run("claude", *words, model=model)
        assert done.returncode == 0, done.stderr + done.stdout
        told = json.loads(done.stdout)
        self.session = told["session_id"]
        return str(told["result"])

    def codex(self, model: ModelServer, said: str) -> str:
        """Say something to Codex, whose user has trusted our hooks."""
        provider = {
            "name": '"scripted"',
            "base_url": f'"{model.url}/v1"',
            "env_key": '"OPENAI_API_KEY"',
            "wire_api": '"responses"',
        }
        table = ",".join(f"{key}={value}" for key, value in provider.items())
        done = self.run(
            *(
                "codex",
                "exec",
                "--skip-git-repo-check",
                "--dangerously-bypass-hook-trust",
            ),
            *("-c", "model_provider=scripted", "-c", "model=any"),
            *("-c", f"model_providers.scripted={{{table}}}", said),
            model=model,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """A home in which `reverie init agent` was typed."""
    made = Lab(tmp_path)
    made.reverie("init", "agent")
    yield made
    made.run(REVERIE, "up", "--stop", cwd=made.root)


def told(request: Json) -> str:
    """All the text that a request tells the model, in its order."""

    def texts(part: object) -> Iterator[str]:
        if isinstance(part, str):
            yield part
        elif isinstance(part, list):
            for each in part:
                yield from texts(each)
        elif isinstance(part, dict):
            for key in ("system", "messages", "input", "content", "text", "output"):
                if key in part:
                    yield from texts(part[key])

    return "\n".join(texts(request))


def result(request: Json) -> Json:
    """What the last tool gave, as the model sees it."""
    blocks = [
        block
        for message in request["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_result"
    ]
    said = blocks[-1]["content"]
    text = said if isinstance(said, str) else said[0]["text"]
    try:
        found = json.loads(text)
    except ValueError:
        found = {"error": text}
    assert isinstance(found, dict)
    return found


def files(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {os.path.relpath(path, folder): path.read_bytes() for path in found}
