"""What of a changed `reverie.toml` acts at once, and what waits for its human.

A parameter that names a server, a key, a model, an agent, or sets a limit, is guarded
(`Rule.guarded`): it acts as it was last acknowledged, or at its default where nothing
was. A value that allows less than the acknowledged one acts at once. The environment
is held against the result in the same way: it can take away, and never give.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from reverie.config.parameters import PARAMETERS, render_value
from reverie.config.reading import accepted, environment_values, parse_config
from reverie.config.sections import Config

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reverie.config.parameters import Parameter
    from reverie.config.sections import Value

GUARDED = tuple(parameter for parameter in PARAMETERS if parameter.rule.guarded)
"""The parameters that wait for an acknowledgement."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A value that does not act.

    Attributes:
        name: The parameter, such as `mind.url`, or the variable that names it.
        wanted: What it says there.
        acting: What acts instead.
    """

    name: str
    wanted: Value
    acting: Value

    def __str__(self) -> str:
        wanted, acting = (render_value(v)[:80] for v in (self.wanted, self.acting))
        return f"{self.name} = {wanted} (acting: {acting})"


@dataclass(frozen=True, slots=True)
class Effective:
    """The configuration that acts.

    Attributes:
        config: All parameters, as they act.
        waiting: What the file says and what waits to be acknowledged.
        ignored: What the environment says and cannot have.
    """

    config: Config
    waiting: tuple[Waiting, ...] = ()
    ignored: tuple[Waiting, ...] = ()


def effective(
    text: str, path: str, environ: Mapping[str, str], acknowledged: Config
) -> Effective:
    """The configuration that acts, of a file and what was acknowledged of it.

    Args:
        text: The file.
        path: How to name it in messages.
        environ: Variables such as `REVERIE_DECAY_LAMBDA`; others are ignored.
        acknowledged: What was acknowledged last, the defaults where nothing was.

    Raises:
        ConfigError: Something in the file, or a variable, is no such value.
    """
    parse_config(text, path, environ)  # file and variables fit each other
    config, waiting = parse_config(text, path, {}), list[Waiting]()
    for parameter in GUARDED:
        wanted = value_of(config, parameter)
        acting = _allowed(parameter, wanted, value_of(acknowledged, parameter))
        if set_apart(acting) != set_apart(wanted):
            waiting.append(Waiting(_name(parameter), wanted, acting))
        config = _with(config, parameter, acting)
    ignored = []
    for parameter, wanted in environment_values(environ):
        acting = wanted
        if parameter.rule.guarded:
            acting = _allowed(parameter, wanted, value_of(config, parameter))
        if set_apart(acting) != set_apart(wanted):
            ignored.append(Waiting(parameter.variable, wanted, acting))
        config = _with(config, parameter, acting)
    return Effective(config, tuple(waiting), tuple(ignored))


def render_acknowledged(config: Config) -> bytes:
    """What is kept of a file that its human has acknowledged: its guarded values."""
    values = {_name(each): value_of(config, each) for each in GUARDED}
    return json.dumps({"acknowledged": values}, indent=1).encode() + b"\n"


def parse_acknowledged(data: bytes | None) -> Config:
    """Read what `render_acknowledged` wrote; what is none of it counts for nothing."""
    try:
        told: Any = json.loads(data or b"{}").get("acknowledged", {})
        given = {each: told[_name(each)] for each in GUARDED if _name(each) in told}
    except (ValueError, AttributeError, TypeError, RecursionError):
        return Config()
    config = Config()
    for parameter, raw in given.items():
        value = accepted(parameter, raw)
        if value is not None:
            config = _with(config, parameter, value)
    return config


def agreed(one: Config, other: Config) -> Config:
    """What two acknowledgements have in common: the stricter value of both.

    Where they name different servers, models, keys or prompts, none of that section
    counts: server and key are acknowledged together.
    """
    config, apart = one, set[str]()
    for parameter in GUARDED:
        mine, others = value_of(one, parameter), value_of(other, parameter)
        both = (_allowed(parameter, *pair) for pair in ((mine, others), (others, mine)))
        here, there = both
        if set_apart(here) != set_apart(there):
            apart.add(parameter.section)
        config = _with(config, parameter, here)
    for parameter in GUARDED:
        if parameter.section in apart and isinstance(parameter.default, str):
            config = _with(config, parameter, parameter.default)
    return config


def value_of(config: Config, parameter: Parameter) -> Value:
    """What a parameter is set to."""
    value: Value = getattr(getattr(config, parameter.section), parameter.attribute)
    return value


def set_apart(value: Value) -> object:
    """A value to be compared: the order in a list says nothing."""
    return frozenset(value) if isinstance(value, tuple) else value


def _allowed(parameter: Parameter, wanted: Value, acknowledged: Value) -> Value:
    guard = parameter.rule.guarded
    return guard(wanted, acknowledged) if guard else wanted


def _with(config: Config, parameter: Parameter, value: Value) -> Config:
    section: Any = getattr(config, parameter.section)
    if getattr(section, parameter.attribute) == value:
        return config
    fresh: dict[str, Any] = {parameter.attribute: value}
    return replace(config, **{parameter.section: replace(section, **fresh)})


def _name(parameter: Parameter) -> str:
    return f"{parameter.section}.{parameter.key}"
