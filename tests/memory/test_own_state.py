"""Whatever is put in the place of one of our own files: nothing follows, nothing waits.

Each file and folder of a used workspace, under `.audit/` and `.reverie/`, is replaced
by each of a list of traps; then the workspace is used. It works, or says clearly why
not; no byte outside changes. A child process with a limit of memory and of time does
it, only so that a trap that catches us fails the test instead of holding it up.

Shortened: each trap in a seventh of the places, the next trap in others. In full,
each in all of them: `make test-full`.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import stat
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from tests.memory.conftest import folder
from tests.memory.home import state_folder

from reverie import Core, Episodic, Memory, Semantic
from reverie.errors import ReverieError
from reverie.model.items import Role
from reverie.workspace.local_state import Tombstones

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SECRET = b"# nobody's business\nalias ls=ls\n"
GIGABYTES = 5 << 30
MEMORY = 3 << 30
SECONDS = 120
STRANDED = 99

Trap = Callable[["Path", "Path"], None]


def _link_to_file(place: Path, outside: Path) -> None:
    place.symlink_to(outside / "bashrc")


def _link_to_folder(place: Path, outside: Path) -> None:
    place.symlink_to(outside / "photos")


def _dangling(place: Path, outside: Path) -> None:
    place.symlink_to(outside / "not-there-yet")


def _pipe(place: Path, _outside: Path) -> None:
    os.mkfifo(place)


def _folder(place: Path, _outside: Path) -> None:
    place.mkdir()
    (place / "x").write_bytes(b"x")


def _device(place: Path, _outside: Path) -> None:
    place.symlink_to("/dev/zero")


def _sparse(place: Path, _outside: Path) -> None:
    with place.open("wb") as file:
        file.truncate(GIGABYTES)


TRAPS: tuple[Trap, ...] = (
    *(_link_to_file, _link_to_folder, _dangling, _pipe, _folder, _device, _sparse),
)


def use(root: Path) -> None:
    """What an agent does all day."""
    with Memory(root, environ={}) as memory:
        memory.tidy_on_close = False
        memory.recall("where does Alex live?")
        memory.remember("Alex likes green tea.", Episodic())
        memory.window("rome").say("Good morning.", role=Role.USER)
        memory.wake("rome")
        memory.check()
        memory.reflection.status()
        memory.alerts()


def used(root: Path) -> None:
    """A workspace with everything in it that ours ever have."""
    with Memory.init(root, environ={}) as memory:
        memory.tidy_on_close = False
        memory.remember("Lives in Bonn", Semantic("Alex", "person"))
        memory.remember("Chose the hybrid approach.", Episodic())
        memory.remember("Working on: locks", Core())
        memory.window("rome").say("Hello there.")
        memory.wake("rome")
        memory.reflection.begin()
    Tombstones(state_folder(root), b"key").add({"something erased"}, "2026-02-02")
    with Memory(root, environ={"REVERIE_MIND_KIND": "host"}) as memory:
        memory.tidy_on_close = False
        with suppress(ReverieError):
            memory.remember("Something for the host to think about")
        memory.window("rome").say("It waits in the journal.")


def places(root: Path) -> list[str]:
    """Every file and folder of ours; of many objects of one kind a few."""
    found, objects = [".audit", ".reverie"], 0
    for top in (".audit", ".reverie"):
        for base, folders, files in os.walk(root / top):
            for name in (*folders, *files):
                path = os.path.relpath(f"{base}/{name}", root)
                objects += "/objects/" in path
                if "/objects/" not in path or objects % 40 == 1:
                    found.append(path)
    more = ("redo", "erasing", "packed-refs", "index", "commondir", "reverie.lock")
    found += [f".audit/{name}" for name in (*more, "objects/info/alternates")]
    found += [f".reverie/{name}" for name in ("index.db-wal", "index.db-shm", "new")]
    return sorted(set(found))


def replaced(root: Path, path: str, trap: Trap, outside: Path) -> None:
    place = root / path
    if place.is_symlink() or place.is_file():
        place.unlink()
    elif place.is_dir():
        shutil.rmtree(place)
    place.parent.mkdir(parents=True, exist_ok=True)
    trap(place, outside)


def attempt(root: Path) -> int:
    """Use it in a child: 0 if it works, 1 if it says why not, else something else."""
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status)
    code = STRANDED
    try:
        signal.alarm(SECONDS)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        use(root)
        code = 0
    except ReverieError as error:
        code = 1 if str(error) and error.advice else STRANDED
    except BaseException:  # noqa: BLE001 - the outer edge of the child
        traceback.print_exc(file=sys.stderr)
    finally:
        os._exit(code)


def seen(outside: Path) -> list[tuple[str, bytes]]:
    """All that is outside."""
    found = []
    for base, folders, files in os.walk(outside):
        found += [(f"{base}/{name}", b"") for name in folders]
        for name in files:
            path = f"{base}/{name}"
            plain = stat.S_ISREG(os.lstat(path).st_mode)
            found.append((path, (outside / path).read_bytes() if plain else b"?"))
    return sorted(found)


@pytest.fixture(scope="module")
def rooms(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A used workspace to copy, and something outside of it."""
    with folder(tmp_path_factory) as found:
        used(found / "agent")
        outside = found / "outside"
        (outside / "photos").mkdir(parents=True)
        (outside / "photos/cat").write_bytes(b"meow")
        (outside / "bashrc").write_bytes(SECRET)
        yield found


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.__name__.strip("_"))
def test_nothing_in_the_place_of_our_files_is_followed_or_waited_for(
    rooms: Path,
    trap: Trap,
    record_property: Callable[[str, object], None],
    *,
    full: bool,
) -> None:
    outside, before = rooms / "outside", seen(rooms / "outside")
    worked, told, wrong = 0, 0, []
    every = places(rooms / "agent")
    assert len(every) > 30
    for path in every if full else every[TRAPS.index(trap) :: len(TRAPS)]:
        copy = rooms / "copy"
        shutil.copytree(rooms / "agent", copy, symlinks=True)
        replaced(copy, path, trap, outside)
        code = attempt(copy)
        worked, told = worked + (code == 0), told + (code == 1)
        if code not in {0, 1} or seen(outside) != before:
            wrong.append((path, code))
        shutil.rmtree(copy)

    count = worked + told + len(wrong)
    record_property("attempts: traps in the place of own files", count)
    assert not wrong, f"{wrong}: {len(wrong)} of {count}; {worked} worked, {told} told"


WORK_FILES = (
    *("SOUL.md", "IDENTITY.md", "MEMORY.md", "AGENTS.md", "reverie.toml", "notes.md"),
    *("memory/graph/entities/person--alex.md", "memory/graph/relations.md"),
    *("memory/meta/pending-memories.md", "memory/meta/decay-scores.json"),
    *("memory/meta/audit.log", "memory/meta/audit-archive.md", "memory/vault/x.md"),
    *("memory/meta/pending-reflection.md", "memory/meta/expectations.md"),
    *(
        "memory/episodes/2001-01-01.md",
        "memory/graph/index.md",
        "conversations/rome.md",
    ),
)


def test_no_huge_file_of_the_memory_is_read_whole(
    rooms: Path, record_property: Callable[[str, object], None], *, full: bool
) -> None:
    wrong, copy = [], rooms / "copy"
    # Shortened: every other one.
    some = WORK_FILES[:: 1 if full else 2]
    for path in some:
        shutil.copytree(rooms / "agent", copy, symlinks=True)
        replaced(copy, path, _sparse, rooms / "outside")
        code = attempt(copy)
        if code not in {0, 1}:
            wrong.append((path, code))
        shutil.rmtree(copy)

    record_property("attempts: huge files of the memory", len(some))
    assert not wrong, f"{wrong}: {len(wrong)} of {len(some)}"


def test_a_huge_file_is_found_and_left_alone(rooms: Path) -> None:
    copy = rooms / "copy"
    shutil.copytree(rooms / "agent", copy, symlinks=True)
    replaced(copy, "SOUL.md", _sparse, rooms / "outside")

    with Memory(copy, environ={}) as memory:
        memory.tidy_on_close = False
        (found,) = [each for each in memory.check() if each.path == "SOUL.md"]
        memory.remember("Life goes on.", Episodic())
        assert "Life goes on." in memory.recall("life").hits[0].text
        assert memory.wake("rome").text is not None

    assert found.what.startswith("is 5,368,709,120 bytes")
    assert (copy / "SOUL.md").stat().st_size == GIGABYTES
    shutil.rmtree(copy)
