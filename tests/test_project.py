"""What a newcomer meets in the root folder holds together."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
REQUIREMENTS = sorted((ROOT / "requirements").glob("*.txt"))

PIN = re.compile(r"(?P<name>[a-z0-9][a-z0-9-]*)==(?P<version>[\w.+!]+)(?: ; .+)?")
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")
HOST = re.compile(r"://|\b[\w-]+\.(?:com|dev|io|net|org)\b", re.IGNORECASE)
MACHINE_PATH = re.compile(r"(?<![\w.~$}*-])/(?:work|root|tmp/lab)/")


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def pins(text: str) -> dict[str, list[str]]:
    """Each requirement of a requirement file, with its hashes."""
    found: dict[str, list[str]] = {}
    for whole in text.replace("\\\n", " ").splitlines():
        requirement, *hashes = re.split(r"\s+(?=--hash)", whole.strip())
        found[requirement] = [digest.strip() for digest in hashes]
    return found


def first_code_block(text: str) -> list[str]:
    """The commands of the first fenced block, without prompts and comments."""
    block = re.search(r"^```[^\n]*\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    lines = block.group(1).splitlines() if block else []
    commands = (re.sub(r"\s*#.*", "", line).removeprefix("$ ") for line in lines)
    return [command.strip() for command in commands if command.strip()]


def project_files() -> list[Path]:
    """Every file that is, or is about to be, under version control."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    paths = (ROOT / name for name in listing.split("\0") if name)
    return [path for path in paths if path.is_file()]


# --- requirement files -------------------------------------------------------


def test_there_are_pins_to_run_to_develop_and_for_a_real_model() -> None:
    names = [path.name for path in REQUIREMENTS]
    wanted = ("adapters", "dev", "model", "page", "runtime")
    assert names == [f"{name}.txt" for name in wanted]


@pytest.mark.parametrize("path", REQUIREMENTS, ids=lambda path: path.name)
def test_every_requirement_is_one_version_with_hashes(path: Path) -> None:
    found = pins(path.read_text(encoding="utf-8"))

    assert found
    for requirement, hashes in found.items():
        assert PIN.fullmatch(requirement), requirement
        assert hashes, f"{requirement} has no hash"
        assert all(HASH.fullmatch(digest) for digest in hashes), requirement


@pytest.mark.parametrize("path", REQUIREMENTS, ids=lambda path: path.name)
def test_requirement_files_name_no_host(path: Path) -> None:
    assert not HOST.search(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["dev", "adapters"])
def test_developers_run_what_users_run(name: str) -> None:
    runtime = pins(read("requirements/runtime.txt"))

    assert runtime.items() <= pins(read(f"requirements/{name}.txt")).items()


@pytest.mark.parametrize("name", ["runtime", "dev", "adapters"])
def test_every_dependency_of_the_project_is_pinned(name: str) -> None:
    config = tomllib.loads(read("pyproject.toml"))
    wanted = {
        "runtime": config["project"]["dependencies"],
        "dev": config["dependency-groups"]["dev"],
        "adapters": config["dependency-groups"]["adapters"],
    }[name]
    pinned = {pin.split("==")[0] for pin in pins(read(f"requirements/{name}.txt"))}

    assert {re.split(r"[<>=~! ]", each)[0] for each in wanted} <= pinned


@pytest.mark.parametrize(
    "line",
    [
        "--extra-something somewhere",
        "click>=8",
        "click==8.5.1 @ file",
        "click",
    ],
)
def test_a_loose_requirement_would_be_noticed(line: str) -> None:
    assert not any(PIN.fullmatch(requirement) for requirement in pins(line))


def test_a_host_would_be_noticed() -> None:
    assert HOST.search("https" + "://somewhere/simple")
    assert HOST.search("# from packages.example.org")


# --- what stands in the root -------------------------------------------------


def test_the_license_is_mit() -> None:
    text = read("LICENSE")

    assert text.startswith("MIT License\n\nCopyright (c) 2026 The Reverie authors\n")
    assert "without restriction" in text
    assert 'THE SOFTWARE IS PROVIDED "AS IS"' in text
    assert tomllib.loads(read("pyproject.toml"))["project"]["license"] == "MIT"


def test_the_readme_opens_with_two_commands() -> None:
    assert first_code_block(read("README.md")) == ["make run", "make test"]


def test_comments_and_prompts_are_no_commands() -> None:
    text = "Hello\n\n```sh\n$ make run    # see it\nmake test\n\n```\n```\nls\n```\n"

    assert first_code_block(text) == ["make run", "make test"]


def test_the_whole_check_can_be_run() -> None:
    script = ROOT / ".ci" / "run"
    said = script.read_text(encoding="utf-8")

    assert os.access(script, os.X_OK)
    made = re.findall(r"^make ([\w -]+?)(?: (?:ARGS|[>|]).*)?$", said, re.MULTILINE)
    assert made == [
        "install",
        "-k install-hosts install-browser",
        "test",
        "check",
        "test-page",
        "test-hosts",
    ]
    # A failure of any is one of the whole, and the tests' summary comes last.
    last = "exit $((checked ? checked : tested ? tested : hosted ? hosted : seen))"
    assert said.endswith(f'cat "$shown" "$said"\n{last}\n')


def test_every_make_target_says_what_it_does() -> None:
    makefile = read("Makefile")
    phony = re.search(r"^\.PHONY: (help .*)$", makefile, re.MULTILINE)
    assert phony
    said = set(re.findall(r"^# .+\n([a-z-]+):", makefile, re.MULTILINE))

    assert set(phony.group(1).split()) == said


# --- nothing of the machine it was written on --------------------------------


def test_no_file_names_a_path_of_somebodys_machine() -> None:
    found = []
    for path in project_files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [
            f"{path.relative_to(ROOT)}:{number}"
            for number, line in enumerate(text.splitlines(), 1)
            if MACHINE_PATH.search(line)
        ]

    assert found == []


@pytest.mark.parametrize("folder", ["work", "root", "tmp/lab"])
def test_a_path_of_a_machine_would_be_noticed(folder: str) -> None:
    assert MACHINE_PATH.search(f"see /{folder}/notes.md")
    assert not MACHINE_PATH.search(f"see src/{folder}/notes.md")
