"""What all tests share."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

COUNTED = ("crash points", "disk errors")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many points of the write path were struck."""
    struck: Counter[str] = Counter()
    for report in terminalreporter.getreports("passed"):
        for name, number in report.user_properties:
            if name in COUNTED:
                struck[name] += int(str(number))
    for name, number in struck.items():
        terminalreporter.write_line(f"{name} struck, none lost anything: {number}")
