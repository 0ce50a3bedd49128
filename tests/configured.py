"""A configuration that the human of a workspace has agreed to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.config import PARAMETERS, environment_values, render_value
from reverie.session.ownership import acknowledge_config

if TYPE_CHECKING:
    from pathlib import Path

FILE = "reverie.toml"


def toml_of(**variables: str) -> str:
    """A file that sets what these variables of the environment would."""
    values = {p: render_value(v) for p, v in environment_values(variables)}
    lines: list[str] = []
    for section in dict.fromkeys(p.section for p in PARAMETERS if p in values):
        lines.append(f"[{section}]")
        lines += [f"{p.key} = {v}" for p, v in values.items() if p.section == section]
    return "\n".join(lines) + "\n"


def agree(root: Path, text: str | None = None) -> None:
    """The human agrees to a configuration: to the file, if none is given."""
    from tests.memory.home import bound_keyring  # noqa: PLC0415 - imports this module

    said = (root / FILE).read_text(encoding="utf-8") if text is None else text
    acknowledge_config(bound_keyring(root), said)


def agree_to(root: Path, **variables: str) -> None:
    """The human writes a configuration and agrees to it."""
    (root / FILE).write_text(toml_of(**variables), encoding="utf-8")
    agree(root)
