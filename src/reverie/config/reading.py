"""`reverie.toml` read and checked, with what the environment overrides."""

from __future__ import annotations

import difflib
import re
import sys
import tomllib
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from reverie.config.parameters import ENVIRONMENT_PREFIX, PARAMETERS, Parameter
from reverie.config.sections import FORMER, Config, Rule, Value
from reverie.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class ConfigError(FormatError):
    """A parameter is not what it may be; nothing was started with a guess.

    `path` is the file, or the environment variable that is to blame; `line` is 0
    where there is none to name.
    """

    def __init__(self, path: str, line: int, problem: str, *, hint: str) -> None:
        super().__init__(path, line, problem, hint=hint)
        if not line:
            self.args = (f"{path}: {problem}",)


def parse_config(text: str, path: str, environ: Mapping[str, str]) -> Config:
    """Read `reverie.toml`, with what the environment overrides.

    Args:
        text: The file; an empty one means the defaults.
        path: How to name the file in messages.
        environ: Variables such as `REVERIE_DECAY_LAMBDA`; others are ignored.

    Raises:
        ConfigError: Something in it is unknown, of the wrong type or out of range.
    """
    given = _Given(text, path)
    for parameter, raw in _from_file(given, _read_toml(text, path)):
        given.take(parameter, raw)
    for parameter, raw in _from_environment(environ):
        given.places[parameter.section, parameter.key] = (parameter.variable, 0)
        given.take(parameter, raw)
    _check_together(given)
    return given.config()


def environment_values(
    environ: Mapping[str, str],
) -> Iterator[tuple[Parameter, Value]]:
    """What the environment sets, checked, in the order of the variables' names."""
    given = _Given("", "")
    for parameter, raw in _from_environment(environ):
        given.places[parameter.section, parameter.key] = (parameter.variable, 0)
        given.take(parameter, raw)
        yield parameter, given.value(parameter)


class _Given:
    """The values taken so far, and where each came from."""

    def __init__(self, text: str, path: str) -> None:
        self.text = text
        self.path = path
        self.values: dict[tuple[str, str], Value] = {}
        self.places: dict[tuple[str, str], tuple[str, int]] = {}

    def take(self, parameter: Parameter, raw: object) -> None:
        value = accepted(parameter, raw)
        if value is None:
            problem = f"{_name(parameter)} cannot be {_short(raw)}"
            raise self.error(parameter, problem, f"It is {parameter.accepts}.")
        if value in FORMER.get(_name(parameter), ()):
            value = parameter.default
        self.values[parameter.section, parameter.attribute] = value

    def error(self, parameter: Parameter, problem: str, hint: str) -> ConfigError:
        section, key = parameter.section, parameter.key
        default = (self.path, _find_line(self.text, section, key))
        path, line = self.places.get((section, key), default)
        if parameter.rule.choices == ("always",):
            hint += " That every change is one commit is not tunable: leave it out."
        return ConfigError(path, line, problem, hint=hint)

    def value(self, parameter: Parameter) -> Any:  # noqa: ANN401 - of its own type
        place = (parameter.section, parameter.attribute)
        return self.values.get(place, parameter.default)

    def config(self) -> Config:
        sections: dict[str, Any] = {}
        for section in fields(Config):
            values = {
                k: v for (name, k), v in self.values.items() if name == section.name
            }
            made: Any = section.default_factory
            sections[section.name] = made(**values)
        return Config(**sections)


def _read_toml(text: str, path: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        hint = "Write the file again: move it away and run `reverie init`."
        raise ConfigError(path, 0, "nested too deeply", hint=hint) from error
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"\(at line (\d+), column \d+\)", str(error))
        number = int(line.group(1)) if line else text.count("\n") + 1
        problem = f"not TOML: {str(error).split(' (at ')[0]}"
        hint = 'Lines look like `key = 3`, `key = "text"` or `[section]`.'
        raise ConfigError(path, number, problem, hint=hint) from error
    except ValueError as error:
        hint = "Shorten it; every parameter and its range is in the file `init` writes."
        raise ConfigError(path, 0, "a number is too long", hint=hint) from error


def _from_file(
    given: _Given, tables: dict[str, object]
) -> Iterator[tuple[Parameter, object]]:
    known = {section.name for section in fields(Config)}
    for section, table in tables.items():
        if section not in known:
            line = _find_line(given.text, section)
            raise _unknown(given.path, line, f"[{section[:60]}]", section, known)
        if not isinstance(table, dict):
            line = _find_line(given.text, section)
            problem = f"{section} is a section, not a value"
            hint = f"Write [{section}] on a line of its own, its keys below."
            raise ConfigError(given.path, line, problem, hint=hint)
        keys = {p.key: p for p in PARAMETERS if p.section == section}
        for key, raw in table.items():
            if key not in keys:
                line = _find_line(given.text, section, key)
                raise _unknown(given.path, line, f"{section}.{key[:60]}", key, keys)
            yield keys[key], raw


def _from_environment(
    environ: Mapping[str, str],
) -> Iterator[tuple[Parameter, object]]:
    known = {parameter.variable: parameter for parameter in PARAMETERS}
    sections = tuple(
        f"{ENVIRONMENT_PREFIX}{section.name.upper()}_" for section in fields(Config)
    )
    for variable in sorted(environ):
        if not variable.startswith(sections):
            continue
        if variable not in known:
            raise _unknown(variable[:80], 0, "this variable", variable, known)
        parameter = known[variable]
        yield parameter, _from_text(parameter, environ[variable].strip())


def _unknown(
    path: str, line: int, what: str, name: str, known: Mapping[str, object] | set[str]
) -> ConfigError:
    close = difflib.get_close_matches(name[:60], sorted(known), n=1)
    hint = (
        f"Did you mean {close[0]}?" if close else f"Known: {', '.join(sorted(known))}."
    )
    return ConfigError(path, line, f"{what} is not a parameter", hint=hint)


def _from_text(parameter: Parameter, text: str) -> object:
    """Read a variable as what the parameter is; left as text where it is not."""
    kind = type(parameter.default)
    if kind is bool:
        return {"true": True, "false": False}.get(text.lower(), text)
    if kind is tuple:
        return [part.strip() for part in text.split(",") if part.strip()]
    try:
        return kind(text)
    except ValueError:
        return text


def accepted(parameter: Parameter, raw: object) -> Value | None:
    """The value as the parameter's own type; None where it is not acceptable."""
    rule, kind = parameter.rule, type(parameter.default)
    if kind is tuple:
        return _accepted_list(rule, raw)
    # Python takes true for a number; a person who writes it means something else.
    if isinstance(raw, bool) or kind is bool:
        return raw if isinstance(raw, bool) and kind is bool else None
    if kind is str:
        return _accepted_text(rule, raw)
    numbers = int | float if kind is float else int
    if not isinstance(raw, numbers) or not rule.minimum <= raw <= rule.maximum:
        return None
    return float(raw) if kind is float else raw


def _accepted_text(rule: Rule, raw: object) -> str | None:
    if not isinstance(raw, str):
        return None
    fits = re.fullmatch(rule.pattern, raw) if rule.pattern else raw in rule.choices
    return raw if fits else None


def _accepted_list(rule: Rule, raw: object) -> tuple[str, ...] | None:
    if not isinstance(raw, list):
        return None
    for part in raw:
        if not isinstance(part, str) or not part:
            return None
        if not _fits(rule, part):
            return None
    return tuple(dict.fromkeys(raw))


def _fits(rule: Rule, part: str) -> bool:
    """Whether something may stand in a list: by choice, by its form, or as a path."""
    if rule.choices:
        return part in rule.choices
    if rule.pattern:
        return bool(re.fullmatch(rule.pattern, part))
    return not _leaves_workspace(part)


def _leaves_workspace(path: str) -> bool:
    return path.startswith(("/", "~")) or ".." in path.split("/") or "\n" in path


_ORDERED = (
    ("decay", "archive_threshold", "dormant_threshold"),
    ("decay", "dormant_threshold", "active_threshold"),
    ("core", "identity_tokens", "cap_tokens"),
    ("core", "context_tokens", "cap_tokens"),
    ("core", "persona_tokens", "cap_tokens"),
    ("core", "critical_tokens", "cap_tokens"),
)
# Where the first is set to the second, the third cannot be empty.
_NEEDED = (
    ("embedding.model", "endpoint", "embedding.url"),
    ("embedding.model", "endpoint", "embedding.name"),
    ("mind.kind", "api", "mind.model"),
)


def _check_together(given: _Given) -> None:
    known = {_name(parameter): parameter for parameter in PARAMETERS}
    for chosen, value, needed in _NEEDED:
        if given.value(known[chosen]) == value and not given.value(known[needed]):
            problem = f'{chosen} is "{value}", and {needed} is not set'
            hint = f"Set {needed} as well: {known[needed].accepts}."
            raise given.error(known[chosen], problem, hint)
    for section, *keys in _ORDERED:
        low, high = (known[f"{section}.{key}"] for key in keys)
        least, most = given.value(low), given.value(high)
        if least <= most:
            continue
        # Blame the one that was set; the other stands at its default.
        blamed = low if (section, low.attribute) in given.values else high
        problem = f"{_name(low)} ({least}) is above {_name(high)} ({most})"
        hint = f"Lower {_name(low)} or raise {_name(high)}."
        raise given.error(blamed, problem, hint)


def _name(parameter: Parameter) -> str:
    return f"{parameter.section}.{parameter.key}"


def _short(raw: object) -> str:
    if isinstance(raw, int) and abs(raw) > sys.maxsize:
        return "a number this large"
    text = str(raw).lower() if isinstance(raw, bool) else ascii(raw)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _find_line(text: str, section: str, key: str = "") -> int:
    """The line a key is set on, or its section; 0 where neither can be found."""
    here, found = "", 0
    for number, line in enumerate(text.splitlines(), start=1):
        bare = line.split("#")[0].strip()
        if bare.startswith("["):
            here = bare.strip("[] \t\"'")
        name = bare.partition("=")[0].replace('"', "").replace("'", "").strip()
        full = f"{here}.{name}" if here and name else name
        if key and full.replace(" ", "") == f"{section}.{key}":
            return number
        if not found and section in (here, name.partition(".")[0]):
            found = number
    return found
