"""Where the service of a workspace is found, asked and started.

A hook is a process for every message, so this needs the standard library alone, and
little of it. A service listens on a socket in a folder that is the user's own; who can
reach that is the user. Beside it a file tells its address on loopback, and its token.
"""

from __future__ import annotations

import os
import socket
import stat
import sys
import time

MARK = os.path.join(".audit", "HEAD")
"""The file by which a workspace is known."""

STARTING, LOOK = 10.0, 0.02
"""Seconds that a service may take to start, and between two looks."""

LONGEST_BASE = 56
"""Letters of the folder that sockets are below; a system takes about a hundred."""

LONGEST_LOG = 256 << 10
"""Bytes of what services had to say, before it begins anew."""

LONGEST_ANSWER = 8 << 20
"""Bytes of an answer, at most."""


def runtime_folder(environ: dict[str, str] | None = None) -> str:
    """A folder of the user's own, for what lives as long as a service does.

    Returns:
        Its path; empty where there is none that is theirs alone.
    """
    known = os.environ if environ is None else environ
    base = known.get("XDG_RUNTIME_DIR", "")
    # What a socket is called must be short.
    folder = (
        os.path.join(base, "reverie")
        if base and len(base) <= LONGEST_BASE and os.path.isdir(base)
        else f"/tmp/reverie-{os.getuid()}"  # noqa: S108 - checked below
    )
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        pass
    except OSError:
        return ""
    found = os.lstat(folder)
    own = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
    return folder if own and not found.st_mode & 0o077 else ""


def workspace_of(named: str = "") -> str:
    """The workspace that is named, or the nearest one upwards; empty for none."""
    given = named or os.environ.get("REVERIE_WORKSPACE", "")
    folder = os.path.abspath(os.path.expanduser(given or "."))
    if given:
        return folder if os.path.isfile(os.path.join(folder, MARK)) else ""
    while not os.path.isfile(os.path.join(folder, MARK)):
        above = os.path.dirname(folder)
        if above == folder:
            return ""
        folder = above
    return folder


def place_of(root: str) -> str:
    """Where the files of a workspace's service are, without what tells them apart."""
    folder = runtime_folder()
    if not folder:
        return ""
    found = os.stat(root)
    return os.path.join(folder, f"{found.st_dev:x}-{found.st_ino:x}")


class NobodyAnswersError(Exception):
    """There is no service, or it ended while it was asked."""


class TooSlowError(Exception):
    """A service was told, and is not done in time."""


def ask(root: str, path: str, body: bytes, timeout: float) -> tuple[int, bytes]:
    """Ask the service of a workspace by its socket.

    Args:
        root: The workspace.
        path: What to ask for, such as `/hook/start?host=codex`.
        body: JSON.
        timeout: Seconds.

    Raises:
        NobodyAnswersError: There is none.
        TooSlowError: It takes too long; it goes on all the same.
    """
    place = place_of(root)
    if not place:
        raise NobodyAnswersError
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    got, sent, end = bytearray(), False, time.monotonic() + timeout
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(timeout)
            line.connect(f"{place}.sock")
            line.sendall(head.encode() + body)
            sent = True
            while len(got) < LONGEST_ANSWER and (some := line.recv(65536)):
                got += some
                line.settimeout(max(LOOK, end - time.monotonic()))
    except OSError as error:
        slow = sent and isinstance(error, TimeoutError)
        raise TooSlowError if slow else NobodyAnswersError from error
    heading, _, said = bytes(got).partition(b"\r\n\r\n")
    parts = heading.split(b" ", 2)
    if len(parts) < 2 or not parts[1].isdigit():
        raise NobodyAnswersError
    return int(parts[1]), said


def is_up(root: str) -> bool:
    """Whether a service listens."""
    place = place_of(root)
    if not place:
        return False
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(1)
            line.connect(f"{place}.sock")
    except OSError:
        return False
    return True


def start(root: str, *options: str, wait: float = STARTING) -> bool:
    """Start the service of a workspace, unless it is up.

    What it has to say stands in a file beside its socket.

    Args:
        root: The workspace.
        options: More words for `reverie up`.
        wait: Seconds to wait until it listens; 0 not to.

    Returns:
        Whether it listens.
    """
    import subprocess
    import threading

    place = place_of(root)
    if not place:
        return False
    if is_up(root):
        return True
    command = [sys.executable, "-P", "-m", "reverie", "-w", root, "up", "--quiet"]
    # The service serves everybody; each hook names its person itself.
    environ = {k: v for k, v in os.environ.items() if k != "REVERIE_PERSON"}
    log = os.open(f"{place}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    if os.fstat(log).st_size > LONGEST_LOG:
        os.truncate(log, 0)
    child = subprocess.Popen(
        [*command, *options],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=log,
        start_new_session=True,
        env=environ,
        cwd="/",
    )
    os.close(log)
    # Who lives longer than it does sees it end.
    threading.Thread(target=child.wait, daemon=True).start()
    end = time.monotonic() + wait
    while not (up := is_up(root)) and time.monotonic() < end and child.poll() is None:
        time.sleep(LOOK)
    return up or is_up(root)
