"""What users import comes from `reverie` itself, and is all there."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import reverie

SOURCE = Path(__file__).parents[1] / "src"


def test_the_public_names_are_sorted() -> None:
    assert reverie.__all__ == sorted(reverie.__all__)


def test_every_public_name_can_be_imported() -> None:
    names = [getattr(reverie, name).__name__ for name in reverie.__all__]

    assert names == reverie.__all__


def test_every_name_that_the_type_checker_sees_is_public() -> None:
    tree = ast.parse((SOURCE / "reverie/__init__.py").read_text(encoding="utf-8"))
    seen = {
        (node.module, alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").startswith("reverie")
        for alias in node.names
    }

    assert {name for _, name in seen} == set(reverie.__all__)
    for module, name in seen:
        assert getattr(reverie, name) is getattr(sys.modules[str(module)], name)


def test_public_names_are_listed_to_the_curious() -> None:
    assert set(reverie.__all__) <= set(dir(reverie))


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'forget_everything'"):
        _ = reverie.forget_everything


def test_every_public_name_is_explained() -> None:
    assert [n for n in reverie.__all__ if not getattr(reverie, n).__doc__] == []


def test_importing_reverie_loads_neither_git_nor_a_database() -> None:
    code = (
        "import sys, reverie\n"
        "print([m for m in ('pygit2', 'sqlite3', 'click') if m in sys.modules])"
    )

    done = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        encoding="utf-8",
        env={"PYTHONPATH": str(SOURCE)},
    )

    assert done.stdout == "[]\n"
