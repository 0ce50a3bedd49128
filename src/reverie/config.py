"""The parameters of a workspace, `reverie.toml` (design, section 16).

Each parameter is one field below: its default, what it means, what it may be. The
file that `init` writes, the checks, the environment variables and the reference in
docs/configuration.md all follow from these fields.
"""

from __future__ import annotations

import difflib
import json
import re
import sys
import tomllib
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, TypeVar

from reverie.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

T = TypeVar("T")

Value = bool | int | float | str | tuple[str, ...]

ENVIRONMENT_PREFIX = "REVERIE_"


@dataclass(frozen=True, slots=True)
class Rule:
    """What is known about one field besides its name, type and default."""

    meaning: str
    minimum: float = 0
    maximum: float = 1
    choices: tuple[str, ...] = ()
    key: str = ""


def _rule(default: T, *rule: object, **rules: object) -> T:
    made: Callable[..., Rule] = Rule
    held: T = field(default=default, metadata={"rule": made(*rule, **rules)})
    return held


_TOKENS = 1_000_000
_BYTES = 1 << 30
_CRITICAL_FILES = (
    *("SOUL.md", "IDENTITY.md", "reverie.toml"),
    *("moltbot.json", "openclaw.json", "clawdbot.json"),
)


@dataclass(frozen=True, slots=True)
class CoreConfig:
    """Core memory, `MEMORY.md`."""

    cap_tokens: int = _rule(3000, "Hard cap of core memory.", 100, _TOKENS)
    identity_tokens: int = _rule(500, "Budget of Identity.", 0, _TOKENS)
    context_tokens: int = _rule(1000, "Budget of Active Context.", 0, _TOKENS)
    persona_tokens: int = _rule(500, "Budget of Persona.", 0, _TOKENS)
    critical_tokens: int = _rule(1000, "Budget of Critical Facts.", 0, _TOKENS)


@dataclass(frozen=True, slots=True)
class DecayConfig:
    """How memories fade."""

    rate: float = _rule(
        0.03,
        "Decay per day; higher forgets faster, 0.03 halves a score in 23 days.",
        0,
        10,
        key="lambda",
    )
    active_threshold: float = _rule(0.5, "From this score up a memory is active.")
    dormant_threshold: float = _rule(
        0.2, "Below this score a memory is dormant: found only when searched for."
    )
    archive_threshold: float = _rule(
        0.05, "Below this score a memory is archived: hidden from search."
    )
    weight_core: float = _rule(1.5, "Type weight of core memories.", 0, 10)
    weight_episodic: float = _rule(0.8, "Type weight of episodes.", 0, 10)
    weight_semantic: float = _rule(1.2, "Type weight of entities.", 0, 10)
    weight_procedural: float = _rule(1.0, "Type weight of procedures.", 0, 10)
    base_explicit: float = _rule(1.0, "Base relevance of an explicit remember.")
    base_detected: float = _rule(0.7, "Base relevance of what the agent noticed.")
    base_inferred: float = _rule(0.5, "Base relevance of what a reflection inferred.")


@dataclass(frozen=True, slots=True)
class ReflectionConfig:
    """Sleep-time consolidation."""

    token_budget: int = _rule(8000, "Tokens a reflection may write.", 500, _TOKENS)
    frequency: tuple[str, ...] = _rule(
        ("daily", "session-end"),
        "When to offer a reflection; empty for only when asked.",
        choices=("daily", "weekly", "session-end"),
    )


@dataclass(frozen=True, slots=True)
class RecallConfig:
    """Search and retrieval."""

    graph_depth: int = _rule(
        2, "How many hops to follow in the graph; deeper is richer and slower.", 0, 5
    )
    max_results: int = _rule(20, "The most memories one recall returns.", 1, 1000)
    min_score: float = _rule(0.3, "Matches below this score are not returned.")


@dataclass(frozen=True, slots=True)
class AuditConfig:
    """The audit trail."""

    retention_days: int = _rule(
        90, "Older log lines are summed up in monthly digests.", 1, 36_500
    )
    critical_alerts: bool = _rule(default=True, meaning="Alert on critical files.")
    critical_files: tuple[str, ...] = _rule(
        _CRITICAL_FILES, "The files whose every change is critical."
    )
    commit: str = _rule(
        "always",
        "Every change is one commit; stated here, and not tunable.",
        choices=("always",),
    )


@dataclass(frozen=True, slots=True)
class LedgerConfig:
    """Limits of the ledger."""

    lock_seconds: float = _rule(30.0, "How long a writer waits for others.", 0, 3600)
    text_limit: int = _rule(262_144, "Largest memory, in bytes.", 1024, _BYTES)
    shard_limit: int = _rule(1000, "Most files in one folder.", 10, 1_000_000)
    file_limit: int = _rule(10_485_760, "Largest tracked file, in bytes.", 1024, _BYTES)


@dataclass(frozen=True, slots=True)
class Config:
    """All parameters of a workspace; `Config()` holds the defaults."""

    core: CoreConfig = field(default_factory=CoreConfig)
    decay: DecayConfig = field(default_factory=DecayConfig)
    reflection: ReflectionConfig = field(default_factory=ReflectionConfig)
    recall: RecallConfig = field(default_factory=RecallConfig)
    audit: AuditConfig = field(default_factory=AuditConfig)
    ledger: LedgerConfig = field(default_factory=LedgerConfig)


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
            str: f"only {choices}",
            tuple: f"a list of {choices or 'paths inside the workspace'}",
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


def render_config() -> str:
    """Write `reverie.toml` with every parameter at its default, explained."""
    lines = [
        "# The parameters of this workspace. Every value below is the default.",
        "# An environment variable overrides it: REVERIE_SECTION_KEY.",
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
            lines.append("| key | default | meaning | accepts | variable |")
            lines.append("| --- | --- | --- | --- | --- |")
        cells = (
            f"`{parameter.key}`",
            f"`{render_value(parameter.default)}`",
            parameter.rule.meaning,
            parameter.accepts,
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


class _Given:
    """The values taken so far, and where each came from."""

    def __init__(self, text: str, path: str) -> None:
        self.text = text
        self.path = path
        self.values: dict[tuple[str, str], Value] = {}
        self.places: dict[tuple[str, str], tuple[str, int]] = {}

    def take(self, parameter: Parameter, raw: object) -> None:
        value = _accepted(parameter, raw)
        if value is None:
            problem = f"{_name(parameter)} cannot be {_short(raw)}"
            raise self.error(parameter, problem, f"It is {parameter.accepts}.")
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


def _accepted(parameter: Parameter, raw: object) -> Value | None:
    """The value as the parameter's own type; None where it is not acceptable."""
    rule, kind = parameter.rule, type(parameter.default)
    if kind is tuple:
        return _accepted_list(rule, raw)
    # Python takes true for a number; a person who writes it means something else.
    if isinstance(raw, bool) or kind is bool:
        return raw if isinstance(raw, bool) and kind is bool else None
    if isinstance(raw, str):
        return raw if raw in rule.choices else None
    numbers = int | float if kind is float else int
    if not isinstance(raw, numbers) or not rule.minimum <= raw <= rule.maximum:
        return None
    return float(raw) if kind is float else raw


def _accepted_list(rule: Rule, raw: object) -> tuple[str, ...] | None:
    if not isinstance(raw, list):
        return None
    for part in raw:
        if not isinstance(part, str) or not part:
            return None
        if rule.choices and part not in rule.choices:
            return None
        if not rule.choices and _leaves_workspace(part):
            return None
    return tuple(dict.fromkeys(raw))


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


def _check_together(given: _Given) -> None:
    for section, *keys in _ORDERED:
        low, high = (
            p for k in keys for p in PARAMETERS if _name(p) == f"{section}.{k}"
        )
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
