"""Rules of the code base that no linter knows.

Each rule is a function from a module to what is wrong in it. Every rule runs over
every module of the package, and over small planted sources, so that a rule that
has gone blind is noticed.
"""

from __future__ import annotations

import ast
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "reverie"

WRITERS = {"workspace", "ledger", "index", "authority"}
STARTERS = {"workspace", "ledger", "interfaces"}
OUTER_EDGE = {"interfaces"}

LONGEST_MODULE = 700
LONGER = {
    "memory/memory.py": 2720,
    "config.py": 900,
    "session/session.py": 920,
    "session/ownership.py": 740,
    "agents/review.py": 715,
    "ledger/git_ledger.py": 725,
    "conversation/window.py": 1060,
    "history.py": 730,
    "index/lookup.py": 830,
    "encoding/remember.py": 760,
    "encoding/placement.py": 745,
    "index/sync.py": 780,
    "recall/answer.py": 715,
    "interfaces/mcp/tools.py": 790,
    "model/views.py": 740,
    "stores/entities.py": 790,
    "minds/http.py": 750,
}
"""Every verb, each a few lines; every parameter with its words; all parts in step; a
reply from its first byte to its last; a decision from what was shown to its record."""
EMPTY_NAMES = {
    *("util", "utils", "helper", "helpers", "common", "misc", "base"),
    *("manager", "managers", "service", "services"),
}

WRITE_METHODS = {
    *("write_text", "write_bytes", "mkdir", "rmdir", "unlink"),
    *("symlink_to", "hardlink_to", "chmod", "lchmod", "rmtree"),
}
WRITE_FUNCTIONS = {
    "os": {
        *("write", "writev", "pwrite", "pwritev", "replace", "rename", "renames"),
        *("unlink", "remove", "mkdir", "makedirs", "rmdir", "removedirs"),
        *("link", "symlink", "truncate", "ftruncate", "chmod", "fchmod", "mkfifo"),
        *("copy_file_range", "sendfile", "utime"),
    },
    "shutil": {
        *("copy", "copy2", "copyfile", "copyfileobj", "copytree", "move", "rmtree"),
        *("copymode", "copystat", "make_archive", "unpack_archive"),
    },
    "tempfile": {"mkstemp", "NamedTemporaryFile", "TemporaryFile"},
}
WRITE_FLAGS = {"O_WRONLY", "O_RDWR", "O_CREAT", "O_APPEND", "O_TRUNC", "O_TMPFILE"}
WRITE_MODE = re.compile(r"(?=.*[wax+])[rwaxbtU+]{1,4}\Z")

START_FUNCTIONS = {
    "os": {
        *("system", "popen", "fork", "forkpty", "posix_spawn", "posix_spawnp"),
        *("execl", "execle", "execlp", "execlpe", "execv", "execve", "execvp"),
        *("execvpe", "spawnl", "spawnle", "spawnlp", "spawnv", "spawnve", "spawnvp"),
    },
    "asyncio": {"create_subprocess_exec", "create_subprocess_shell"},
}
INDEX_PORT = {
    "located",
    "__init__",
    "names",
    "near_duplicates",
    "sync",
    "text",
    "user",
    "value_keys",
    "view",
}
START_MODULES = {"subprocess", "multiprocessing", "pty"}


@dataclass(frozen=True, slots=True)
class Module:
    """One module of the package: where it stands and what it says."""

    place: PurePosixPath
    source: str
    tree: ast.Module
    nodes: tuple[ast.AST, ...]

    @property
    def room(self) -> str:
        """The top-level name it belongs to: `ledger/alerts.py` is in `ledger`."""
        return self.place.parts[0].removesuffix(".py")


def module(place: str, source: str) -> Module:
    tree = ast.parse(source)
    return Module(PurePosixPath(place), source, tree, tuple(ast.walk(tree)))


@cache
def load_module(path: Path) -> Module:
    return module(path.relative_to(SOURCE).as_posix(), path.read_text(encoding="utf-8"))


# --- reading a tree ----------------------------------------------------------


def imported_names(mod: Module) -> dict[str, str]:
    """What each imported name stands for: `from os import replace as r` → r."""
    names: dict[str, str] = {}
    for node in mod.nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                whole = alias.name if alias.asname else alias.name.split(".")[0]
                names[alias.asname or whole] = whole
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return names


def dotted(node: ast.expr, names: dict[str, str]) -> str:
    """The full name an expression refers to, or "" when it is not a plain name."""
    if isinstance(node, ast.Name):
        return names.get(node.id, "")
    if isinstance(node, ast.Attribute):
        owner = dotted(node.value, names)
        return f"{owner}.{node.attr}" if owner else ""
    return ""


def uses(mod: Module, functions: dict[str, set[str]]) -> Iterator[str]:
    """Every mention of the functions, called or only handed on, with its line."""
    names = imported_names(mod)
    wanted = {f"{owner}.{name}" for owner, all_ in functions.items() for name in all_}
    for node in mod.nodes:
        if isinstance(node, ast.Attribute | ast.Name):
            name = dotted(node, names)
            if name in wanted:
                yield f"{node.lineno}: {name}"


def calls(mod: Module) -> Iterator[ast.Call]:
    return (node for node in mod.nodes if isinstance(node, ast.Call))


# --- the rules ---------------------------------------------------------------


def too_long(mod: Module) -> list[str]:
    """A module fits in one sitting."""
    lines = len(mod.source.splitlines())
    most = LONGER.get(str(mod.place), LONGEST_MODULE)
    return [f"{lines} lines"] if lines > most else []


def named_after_nothing(mod: Module) -> list[str]:
    """A module, and its folder, is named after what it knows."""
    words = re.split(r"[/_.]", str(mod.place))
    return sorted(EMPTY_NAMES.intersection(words))


def without_docstring(mod: Module) -> list[str]:
    """A module opens with a line on what it is about."""
    said = ast.get_docstring(mod.tree)
    return [] if said and said.strip() else ["no docstring"]


def blind_excepts(mod: Module) -> list[str]:
    """Only the outer edge catches whatever comes.

    Cleaning up on the way out (`except BaseException: …; raise`) is not catching.
    """
    if mod.room in OUTER_EDGE:
        return []
    names = imported_names(mod)
    found = [
        f"{node.lineno}: except"
        for node in mod.nodes
        if isinstance(node, ast.ExceptHandler) and catches_all(node)
    ]
    found += [
        f"{call.lineno}: suppress"
        for call in calls(mod)
        if dotted(call.func, names) == "contextlib.suppress"
        and any(mentions(arg, "Exception", "BaseException") for arg in call.args)
    ]
    return found


def catches_all(handler: ast.ExceptHandler) -> bool:
    if handler.type is not None and mentions(handler.type, "Exception"):
        return True
    if handler.type is None or mentions(handler.type, "BaseException"):
        last = handler.body[-1]
        return not (isinstance(last, ast.Raise) and last.exc is None)
    return False


def mentions(node: ast.expr, *wanted: str) -> bool:
    return any(
        isinstance(part, ast.Name) and part.id in wanted for part in ast.walk(node)
    )


NO_MEMORIES = {
    "interfaces/cli/channel.py",  # a terminal is no file
    "interfaces/hosts/connect.py",  # what hosts read is theirs
    "interfaces/hosts/runtime.py",
    "interfaces/web/app.py",
}
"""What they write is outside of every workspace."""


def file_writes(mod: Module) -> list[str]:
    """Only workspace, ledger and index write files."""
    if mod.room in WRITERS or str(mod.place) in NO_MEMORIES:
        return []
    names = imported_names(mod)
    found = list(uses(mod, WRITE_FUNCTIONS))
    for call in calls(mod):
        if dotted(call.func, names) == "os.open":
            writes = opens_descriptor_for_writing(call)
        elif isinstance(call.func, ast.Name):
            writes = call.func.id == "open" and opens_for_writing(call, first=1)
        elif isinstance(call.func, ast.Attribute):
            writes = writes_by_method(call.func.attr, call)
        else:
            writes = False
        if writes:
            found.append(f"{call.lineno}: {ast.unparse(call.func)}")
    return found


def writes_by_method(name: str, call: ast.Call) -> bool:
    if name == "open":  # path.open("w"), io.open(path, "w")
        return opens_for_writing(call, first=0, literal_only=True)
    if name in {"replace", "rename"}:  # Path has one argument, others have more
        return len(call.args) == 1 and not call.keywords
    if name == "touch":  # Path takes no positional argument in any use of ours
        return not call.args
    return name in WRITE_METHODS


def opens_for_writing(
    call: ast.Call, *, first: int, literal_only: bool = False
) -> bool:
    """Whether the mode of an `open` writes; one we cannot read counts as writing."""
    modes = [word.value for word in call.keywords if word.arg == "mode"]
    modes += call.args[first:2]
    for mode in modes:
        if not isinstance(mode, ast.Constant):
            if not literal_only:
                return True
        elif isinstance(mode.value, str) and WRITE_MODE.match(mode.value):
            return True
    return False


def opens_descriptor_for_writing(call: ast.Call) -> bool:
    mentioned = {
        part.attr if isinstance(part, ast.Attribute) else part.id
        for part in ast.walk(call)
        if isinstance(part, ast.Attribute | ast.Name)
    }
    return bool(mentioned & WRITE_FLAGS)


def programs_started(mod: Module) -> list[str]:
    """Only workspace, ledger and interfaces start other programs."""
    if mod.room in STARTERS:
        return []
    found = list(uses(mod, START_FUNCTIONS))
    for node in mod.nodes:
        if isinstance(node, ast.Import):
            imported = {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported = {(node.module or "").split(".")[0]}
        else:
            continue
        found += [f"{node.lineno}: {name}" for name in imported & START_MODULES]
    return found


def sqlite_named(mod: Module) -> list[str]:
    """Only the index, and the session that opens it, know what is behind `Index`."""
    if mod.room == "index" or str(mod.place) == "session/session.py":
        return []
    there = {path.stem for path in (SOURCE / "index").glob("*.py")}
    behind = {f"reverie.index.{name}" for name in there - INDEX_PORT}
    names = imported_names(mod).values()
    return [n for n in names if n in behind or n.rpartition(".")[0] in behind]


BEHIND_THE_LEDGER = {"GitLedger", "repository", "git_ledger"}


def past_the_port(mod: Module) -> list[str]:
    """Only the ledger itself, and the session that opens it, name what is behind it."""
    if mod.room == "ledger":
        return []
    found = []
    for node in ast.walk(mod.tree):
        named: set[str] = set()
        if isinstance(node, ast.Attribute):
            named = {node.attr}
        elif isinstance(node, ast.Name):
            named = {node.id}
        elif isinstance(node, ast.Import | ast.ImportFrom):
            named = {part for alias in node.names for part in alias.name.split(".")}
            named |= {*(getattr(node, "module", "") or "").split(".")}
        if mod.place == PurePosixPath("session/session.py"):
            named -= {"GitLedger", "git_ledger"}
        found += [f"{node.lineno}: {name}" for name in named & BEHIND_THE_LEDGER]  # type: ignore[attr-defined]
    return found


RULES: tuple[Callable[[Module], list[str]], ...] = (
    too_long,
    named_after_nothing,
    without_docstring,
    blind_excepts,
    file_writes,
    programs_started,
    sqlite_named,
    past_the_port,
)


# --- our modules keep them ---------------------------------------------------

MODULES = sorted(SOURCE.rglob("*.py"))


def test_the_rules_see_the_package() -> None:
    assert SOURCE / "errors.py" in MODULES


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_every_module_keeps_the_rule(rule: Callable[[Module], list[str]]) -> None:
    loaded = {str(path.relative_to(SOURCE)): load_module(path) for path in MODULES}
    broken = {name: found for name, mod in loaded.items() if (found := rule(mod))}

    assert broken == {}, rule.__doc__


def test_a_layer_in_brackets_is_not_built_yet() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = config["tool"]["importlinter"]["contracts"][0]["layers"]
    waiting = re.findall(r"\((\w+)\)", " ".join(layers))

    built = {path.stem for path in SOURCE.iterdir()}

    assert not built.intersection(waiting), "take the brackets off in pyproject.toml"


# --- the rules can fail ------------------------------------------------------

BROKEN = [
    (too_long, "recall/rank.py", "x = 1\n" * 701),
    (named_after_nothing, "recall/rank_utils.py", ""),
    (named_after_nothing, "recall/helpers/rank.py", ""),
    (named_after_nothing, "misc.py", ""),
    (named_after_nothing, "stores/store_manager.py", ""),
    (without_docstring, "recall/rank.py", "x = 1\n"),
    (without_docstring, "recall/__init__.py", ""),
    (without_docstring, "recall/rank.py", '"""  """\n'),
    (blind_excepts, "decay.py", "try: f()\nexcept Exception: pass"),
    (blind_excepts, "decay.py", "try: f()\nexcept Exception: raise"),
    (blind_excepts, "decay.py", "try: f()\nexcept (OSError, Exception) as e: pass"),
    (blind_excepts, "decay.py", "try: f()\nexcept BaseException: pass"),
    (blind_excepts, "decay.py", "try: f()\nexcept: pass"),
    (blind_excepts, "decay.py", "try: f()\nexcept* Exception: pass"),
    (
        blind_excepts,
        "decay.py",
        "from contextlib import suppress\nwith suppress(Exception): f()",
    ),
    (file_writes, "memory.py", "import os\nos.write(1, b'')"),
    (file_writes, "memory.py", "import os\nos.replace(a, b)"),
    (file_writes, "memory.py", "import os\nos.rename(a, b)"),
    (file_writes, "memory.py", "import os\nos.unlink(a)"),
    (file_writes, "memory.py", "import os\nos.mkdir(a)"),
    (file_writes, "memory.py", "import os as o\no.makedirs(a)"),
    (file_writes, "memory.py", "from os import replace as r\nr(a, b)"),
    (file_writes, "memory.py", "def f():\n    import os\n    swap = os.replace"),
    (file_writes, "memory.py", "import os\nos.open(a, os.O_CREAT | os.O_EXCL)"),
    (file_writes, "memory.py", "from os import open, O_RDWR\nopen(a, O_RDWR)"),
    (file_writes, "memory.py", "import shutil\nshutil.copytree(a, b)"),
    (file_writes, "memory.py", "import tempfile\ntempfile.mkstemp()"),
    (file_writes, "memory.py", "open(a, 'w')"),
    (file_writes, "memory.py", "open(a, 'ab')"),
    (file_writes, "memory.py", "open(a, mode='x')"),
    (file_writes, "memory.py", "open(a, 'r+b')"),
    (file_writes, "memory.py", "open(a, mode)"),
    (file_writes, "memory.py", "import io\nio.open(a, 'w')"),
    (file_writes, "memory.py", "path.open('w')"),
    (file_writes, "memory.py", "path.open(mode='a')"),
    (file_writes, "memory.py", "path.write_text('')"),
    (file_writes, "memory.py", "path.write_bytes(b'')"),
    (file_writes, "memory.py", "path.mkdir(parents=True)"),
    (file_writes, "memory.py", "path.unlink()"),
    (file_writes, "memory.py", "path.touch()"),
    (file_writes, "memory.py", "path.rename(other)"),
    (file_writes, "memory.py", "path.replace(other)"),
    (file_writes, "stores/core.py", "(folder / 'x').write_text('')"),
    (file_writes, "interfaces/cli/main.py", "path.write_text('')"),
    (programs_started, "memory.py", "import subprocess"),
    (programs_started, "memory.py", "def f():\n    from subprocess import run"),
    (programs_started, "index/search.py", "import os\nos.system('ls')"),
    (programs_started, "memory.py", "from os import fork\nfork()"),
    (sqlite_named, "recall/answer.py", "from reverie.index import sqlite_index"),
    (sqlite_named, "recall/answer.py", "from reverie.index.lookup import connect"),
    (past_the_port, "history.py", "session.ledger.repository.head"),
    (past_the_port, "history.py", "from reverie.ledger.git_ledger import GitLedger"),
    (past_the_port, "index/sync.py", "import reverie.ledger.repository"),
    (past_the_port, "session/session.py", "self.ledger.repository"),
]


def test_a_planted_breach_is_caught() -> None:
    for rule, place, source in BROKEN:
        assert rule(module(place, source)), (rule.__name__, place, source)


SOUND = [
    (too_long, "recall/rank.py", "x = 1\n" * 700),
    (named_after_nothing, "stores/database.py", ""),
    (without_docstring, "decay.py", '"""How a memory fades."""\n'),
    (blind_excepts, "decay.py", "try: f()\nexcept ValueError: pass"),
    (blind_excepts, "decay.py", "try: f()\nexcept BaseException:\n    g()\n    raise"),
    (blind_excepts, "interfaces/cli/main.py", "try: f()\nexcept Exception: pass"),
    (file_writes, "memory.py", "open(a)"),
    (file_writes, "memory.py", "open(a, 'rb')"),
    (file_writes, "memory.py", "open('w')"),
    (file_writes, "memory.py", "path.open()"),
    (file_writes, "memory.py", "path.open('r', encoding='utf-8')"),
    (file_writes, "memory.py", "Memory.open(folder)"),
    (file_writes, "memory.py", "import os\nos.open(a, os.O_RDONLY | os.O_NOFOLLOW)"),
    (file_writes, "memory.py", "'text'.replace('a', 'b')"),
    (file_writes, "memory.py", "moment.replace(tzinfo=UTC)"),
    (file_writes, "memory.py", "import dataclasses\ndataclasses.replace(x, a=1)"),
    (file_writes, "memory.py", "index.touch(ids)"),
    (file_writes, "memory.py", "remove(a)"),
    (file_writes, "workspace/files.py", "import os\nos.replace(a, b)"),
    (file_writes, "ledger/audit.py", "path.open('a')"),
    (file_writes, "index/database.py", "path.unlink()"),
    (past_the_port, "ledger/erasure.py", "ledger.repository"),
    (past_the_port, "history.py", "from reverie.ledger import Ledger"),
    (past_the_port, "session/session.py", "GitLedger(folder)"),
    (programs_started, "memory.py", "import os\nos.fspath(a)"),
    (programs_started, "ledger/pack.py", "import subprocess"),
    (programs_started, "workspace/lock.py", "import subprocess"),
    (sqlite_named, "recall/answer.py", "from reverie.index import Index, view"),
    (sqlite_named, "session/session.py", "from reverie.index import sqlite_index"),
    (programs_started, "interfaces/cli/main.py", "import subprocess"),
]


def test_sound_code_is_left_alone() -> None:
    for rule, place, source in SOUND:
        assert rule(module(place, source)) == [], (rule.__name__, place, source)
