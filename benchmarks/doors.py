"""What the doors cost: a hook, a cold hook process, and many clients at once.

    make bench-doors ARGS="--seconds 60"

Every figure stands beside its measure from the same run: the service's share of a hook
beside a bare call over loopback, a hook's process beside an empty interpreter, readers
beside writers beside readers alone.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import http.server
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from tests.interfaces.web.up import up

from reverie import Memory
from reverie.interfaces.hosts import runtime

if TYPE_CHECKING:
    from collections.abc import Callable

    from reverie.interfaces.web.app import Running

CLIENTS, FACTS = 32, 2_000


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        run.mkdir(mode=0o700)
        os.environ["XDG_RUNTIME_DIR"] = str(run)
        root = Path(folder) / "agent"
        with Memory.init(root) as memory:
            memory.tidy_on_close = False
            memory.observe(
                {"text": f"Gnu {n} eats {n * 7} kilos.", "about": f"concept--gnu-{n}"}
                for n in range(FACTS)
            )
            memory.embed(sentences=False)
        with up(root) as (running, _):
            hooks(root)
            processes(root)
            clients(running, root, given.seconds)


def middle(act: Callable[[], object], times: int) -> float:
    """The median of so many runs, in milliseconds."""
    act()
    took = []
    for _ in range(times):
        began = time.perf_counter()
        act()
        took.append(1000 * (time.perf_counter() - began))
    return statistics.median(took)


class Bare(http.server.BaseHTTPRequestHandler):
    """Answers at once."""

    def do_POST(self) -> None:
        """Read, and answer."""
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def hooks(root: Path) -> None:
    """The service's share of a hook, beside a bare call over loopback."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Bare)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    body = json.dumps({"session_id": "s", "prompt": "Hi", "agent_id": "a"}).encode()

    def loopback() -> None:
        line = http.client.HTTPConnection("127.0.0.1", server.server_port)
        line.request("POST", "/", body, {"content-type": "application/json"})
        assert line.getresponse().status == 200
        line.close()

    def hook() -> None:
        path = "/hook/prompt?host=claude-code&part=1"
        assert runtime.ask(str(root), path, body, 5) == (200, b"")

    bare, ours = middle(loopback, 200), middle(hook, 200)
    server.shutdown()
    print(f"a hook by the service   {ours:7.2f} ms")
    print(f"a bare loopback call    {bare:7.2f} ms   ratio {ours / bare:.2f} (bar 3)")


def processes(root: Path) -> None:
    """A cold hook process, beside an empty interpreter."""
    reverie = Path(sys.executable).with_name("reverie")
    event = json.dumps({"session_id": "s", "agent_id": "a"}).encode()

    def started(*command: object) -> Callable[[], object]:
        words = list(map(str, command))
        return lambda: subprocess.run(
            words, input=event, check=True, capture_output=True
        )

    hook = ("hook", "prompt", "--host", "claude-code")
    bare = middle(started(sys.executable, "-c", "pass"), 20)
    ours = middle(started(reverie, *hook, "--workspace", root), 20)
    none = middle(started(reverie, *hook, "--workspace", "/nowhere"), 20)
    print(f"an empty interpreter    {bare:7.1f} ms")
    print(f"a hook's process        {ours:7.1f} ms   ratio {ours / bare:.2f} (bar 4.5)")
    print(f"without a workspace     {none:7.1f} ms   ratio {none / bare:.2f}")


def clients(running: Running, root: Path, seconds: float) -> None:
    """Many clients at once: readers alone, then half of them writing."""
    alone, _ = asyncio.run(crowd(running, seconds / 2, 0))
    beside, kept = asyncio.run(crowd(running, seconds, CLIENTS // 2))
    with Memory(root) as memory:
        there = "\n".join(item.text for item in memory.items("episodic"))
    lost = sum(text not in there for text in kept)

    def p95(took: list[float]) -> float:
        return sorted(took)[int(0.95 * len(took))]

    ratio = p95(beside) / p95(alone)
    print(f"readers alone, p95      {p95(alone):7.1f} ms   {len(alone)} answers")
    print(f"beside writers, p95     {p95(beside):7.1f} ms   {len(beside)} answers")
    print(f"                        ratio {ratio:.2f} (bar 2)")
    print(f"written {len(kept)}, lost {lost}")


async def crowd(
    running: Running, seconds: float, writers: int
) -> tuple[list[float], list[str]]:
    """What readers waited, and what was written and acknowledged.

    There are as many readers in both, so that only the writers make the difference.
    """
    end = time.monotonic() + seconds
    took: list[float] = []
    kept: list[str] = []

    async def one(number: int) -> None:
        key = {"authorization": f"Bearer {running.token}"}
        async with httpx2.AsyncClient(headers=key, timeout=60) as line:
            way: Any = streamable_http_client(f"{running.url}/mcp", http_client=line)
            async with Client(way) as client:
                turn = 0
                while time.monotonic() < end:
                    turn += 1
                    began = time.perf_counter()
                    if number < writers:
                        text = f"Writer {number} says hello for time {turn}."
                        given = {"text": text, "store": "episodic"}
                        done = await client.call_tool("remember", {"memories": [given]})
                        kept.append(text)
                    else:
                        asked = {"question": f"How much does gnu {number} eat?"}
                        done = await client.call_tool("recall", asked)
                        took.append(1000 * (time.perf_counter() - began))
                    assert not done.is_error, done

    first = 0 if writers else CLIENTS // 2
    await asyncio.gather(*(one(number) for number in range(first, CLIENTS)))
    return took, kept


if __name__ == "__main__":
    main()
