"""Every parameter as people meet it: in the file, in the environment, in the docs."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from reverie.config.sections import Config, Rule, Value

if TYPE_CHECKING:
    from collections.abc import Iterator

ENVIRONMENT_PREFIX = "REVERIE_"

_PATHS = "paths inside the workspace"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter as people meet it.

    Attributes:
        section: The table in `reverie.toml`.
        key: The name in that table.
        attribute: The name in Python; differs where the key is a Python keyword.
        default: Its value when nobody sets it.
        rule: What it means and what it may be.
    """

    section: str
    key: str
    attribute: str
    default: Value
    rule: Rule

    @property
    def variable(self) -> str:
        """The environment variable that overrides it."""
        return f"{ENVIRONMENT_PREFIX}{self.section}_{self.key}".upper()

    @property
    def accepts(self) -> str:
        """What it may be, in words."""
        span = f"from {self.rule.minimum} to {self.rule.maximum}"
        choices = ", ".join(map(render_value, self.rule.choices))
        words = {
            bool: "true or false",
            int: f"a whole number {span}",
            float: f"a number {span}",
            str: self.rule.words or f"only {choices}",
            tuple: f"a list of {choices or self.rule.words or _PATHS}",
        }
        return words[type(self.default)]


def _parameters() -> Iterator[Parameter]:
    for section in fields(Config):
        made: Any = section.default_factory
        for held in fields(made):
            rule: Rule = held.metadata["rule"]
            default: Any = held.default
            key = rule.key or held.name
            yield Parameter(section.name, key, held.name, default, rule)


PARAMETERS = tuple(_parameters())
"""Every parameter, in the order of the file."""


def render_config() -> str:
    """Write `reverie.toml` with every parameter at its default, explained."""
    lines = [
        "# The parameters of this workspace. Every value below is the default.",
        "# An environment variable overrides it: REVERIE_SECTION_KEY.",
        "# What names a server, a key, a model or an agent, or raises a limit, acts",
        "# once you have acknowledged it: reverie alerts --ack reverie.toml",
    ]
    section = ""
    for parameter in PARAMETERS:
        if parameter.section != section:
            section = parameter.section
            lines += ["", f"[{section}]"]
        lines.append(f"# {parameter.rule.meaning}")
        lines.append(f"{parameter.key} = {render_value(parameter.default)}")
    return "\n".join(lines) + "\n"


def render_reference() -> str:
    """Write the tables of docs/configuration.md."""
    lines: list[str] = []
    section = ""
    for parameter in PARAMETERS:
        if parameter.section != section:
            section = parameter.section
            lines += ["", f"## [{section}]", ""]
            lines.append("| key | default | meaning | accepts | acts | variable |")
            lines.append("| --- | --- | --- | --- | --- | --- |")
        cells = (
            f"`{parameter.key}`",
            f"`{render_value(parameter.default)}`",
            parameter.rule.meaning,
            parameter.accepts,
            "once acknowledged" if parameter.rule.guarded else "at once",
            f"`{parameter.variable}`",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines).lstrip("\n") + "\n"


def render_value(value: Value) -> str:
    """Write one value the way TOML reads it."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(render_value, value))}]"
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value, ensure_ascii=False)
