"""The table of requirements names tests that are there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "docs/reflection-requirements.md"


def test_every_test_of_the_table_is_there() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", TABLE.read_text("utf-8"))
    gone = [
        f"{path}::{name}"
        for path, name in named
        if f"\ndef {name}(" not in (ROOT / path).read_text("utf-8")
    ]

    assert len(named) >= 90
    assert gone == []
