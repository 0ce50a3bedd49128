"""The parameters of a workspace, `reverie.toml` (design, section 16).

Each parameter is one field of a section: its default, what it means, what it may be.
The file that `init` writes, the checks, the environment variables and the reference
in docs/configuration.md all follow from these fields.

What of a changed file acts at once, and what waits for its human: a parameter that
names a server, a key, a model, an agent, or sets a limit, is guarded (`Rule.guarded`).
It acts as it was last acknowledged, or at its default where nothing was. A value that
allows less than the acknowledged one acts at once. The environment is held against the
result in the same way: it can take away, and never give.
"""

from __future__ import annotations

import difflib
import json
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from reverie.errors import FormatError

T = TypeVar("T")
Value = bool | int | float | str | tuple[str, ...]
Guard = Callable[[Any, Any], Any]
ENVIRONMENT_PREFIX = "REVERIE_"


class Rule(Struct, frozen=True):
    """What is known about one field besides its name, type and default.

    `guarded` says what acts of a wanted value by what its human has acknowledged:
    never more than that. None where every value acts at once.
    """

    meaning: str
    minimum: float = 0
    maximum: float = 1
    choices: tuple[str, ...] = ()
    key: str = ""
    pattern: str = ""
    words: str = ""
    guarded: Guard | None = None


_RULES: list[Rule] = []
"""Of all fields of all sections, in their order."""


def _rule(default: T, *rule: Any, **rules: Any) -> T:  # noqa: ANN401 - as `Rule` says
    _RULES.append(Rule(*rule, **rules))
    return default


def _only(*free: str) -> Guard:
    """The acknowledged value, or one of those that give nothing to anybody."""
    return lambda wanted, known: wanted if wanted in free else known


def _fewer(wanted: Iterable[str], acknowledged: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in wanted if name in acknowledged)


def _more(wanted: Iterable[str], acknowledged: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*acknowledged, *wanted)))


def _stricter(*order: str) -> Guard:
    """The stricter of both; the loosest stands first."""
    return lambda wanted, known: max(wanted, known, key=order.index)


_TOKENS = 1_000_000
_BYTES = 1 << 30
# A path that does not leave the workspace.
_INSIDE = r"(?![/~])(?!(.*/)?\.\.(/|\Z))[^\n]+"
_URL = r"[Hh][Tt][Tt][Pp][Ss]?://[^\s/?#@]+(/[^\s?#]*)?"
# A place on this machine. Relative to what, a relative path would not say.
_PLACE = r"(~?/[^\x00-\x1f]*|package:[A-Za-z_]\w*(/[^\x00-\x1f]*)?)"
_HOSTS_FILES = ("moltbot.json", "openclaw.json", "clawdbot.json")
FORMER = {
    "audit.critical_files": (
        ("SOUL.md", "IDENTITY.md", "reverie.toml", *_HOSTS_FILES),
        ("SOUL.md", "IDENTITY.md", "reverie.toml", "AGENTS.md", *_HOSTS_FILES),
    ),
}
"""Defaults that an earlier version wrote into the file; they mean those of today."""


def _limit(default: T, meaning: str, least: float = 0, most: float = _TOKENS) -> T:
    """A number that acts at once where it is lowered."""
    return _rule(default, meaning, least, most, guarded=min)


def _address(default: str, meaning: str) -> str:
    words = 'an address such as "http://localhost:11434/v1"'
    pattern = _URL if default else f"({_URL})?"
    return _rule(default, meaning, pattern=pattern, words=words, guarded=_only())


def _model_name(meaning: str) -> str:
    words, pattern = "the name of a model on one line", r"[^\x00-\x1f]{0,200}"
    return _rule("", meaning, pattern=pattern, words=words, guarded=_only())


def _key_variable(default: str, whose: str) -> str:
    meaning = f"The environment variable that holds the {whose} key; empty for no key."
    words = "the name of a variable, REVERIE_… or …_API_KEY, never the key itself"
    # Else a changed file could have any secret of the environment sent out.
    pattern = r"(REVERIE_[A-Z0-9_]+|[A-Z][A-Z0-9_]*_API_KEY)?"
    return _rule(default, meaning, pattern=pattern, words=words, guarded=_only(""))


def _prompt(default: str, meaning: str) -> str:
    words, pattern = "one to 4,000 characters of text", r"[^\x00-\x08\x0b-\x1f]{1,4000}"
    return _rule(default, meaning, pattern=pattern, words=words, guarded=_only())


def _phrases(meaning: str) -> tuple[str, ...]:
    pattern = r"(?=.*[^\W\d_])[^\x00-\x1f\x7f]{2,80}"
    words = "plain phrases of 2 to 80 characters, with … where what is meant stands "
    return _rule((), meaning, pattern=pattern, words=f"{words}inside")


class CoreConfig(Struct, frozen=True):
    """Core memory, `MEMORY.md`."""

    cap_tokens: int = _limit(3000, "Hard cap of core memory.", 100)
    identity_tokens: int = _limit(500, "Budget of Identity.")
    context_tokens: int = _limit(1000, "Budget of Active Context.")
    persona_tokens: int = _limit(500, "Budget of Persona.")
    critical_tokens: int = _limit(1000, "Budget of Critical Facts.")


class DecayConfig(Struct, frozen=True):
    """How memories fade."""

    rate: float = _rule(
        0.03,
        "Decay per day; higher forgets faster, 0.03 halves a score in 23 days.",
        maximum=10,
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


class ReflectionConfig(Struct, frozen=True):
    """Sleep-time consolidation."""

    token_budget: int = _limit(8000, "Tokens a reflection may write.", 500)
    frequency: tuple[str, ...] = _rule(
        ("daily", "session-end"),
        "When to offer a reflection; empty for only when asked.",
        choices=("daily", "weekly", "session-end"),
    )
    time: str = _rule(
        "03:00",
        "The time of day, on this machine's clock, to offer a scheduled one.",
        pattern=r"([01][0-9]|2[0-3]):[0-5][0-9]",
        words='a time of day such as "03:00"',
    )
    threshold: int = _rule(
        20, "Offer one when so many new episodes wait; 0 for never.", 0, 100_000
    )
    input_tokens: int = _limit(30_000, "Tokens a reflection may read.", 1000)
    presentation: str = _rule(
        "monologue",
        "How it is told where somebody thinks; else it is always a summary.",
        choices=("monologue", "summary"),
    )
    most_lost: float = _limit(
        0.2,
        "The largest share of memories that one reflection may archive or drop.",
        most=1,
    )


class RecallConfig(Struct, frozen=True):
    """Search and retrieval."""

    graph_depth: int = _rule(
        2, "How many hops to follow in the graph; deeper is richer and slower.", 0, 5
    )
    max_results: int = _rule(20, "The most memories one recall returns.", 1, 1000)
    min_score: float = _rule(0.3, "Matches below this score are not returned.")
    decay_floor: float = _rule(
        0.5, "What a match keeps of its score when all of it has faded; 0 for nothing."
    )


class EmbeddingConfig(Struct, frozen=True):
    """Which model turns text into vectors."""

    model: str = _rule(
        "built-in",
        "What turns text into vectors, for search by meaning.",
        pattern=rf"built-in|none|endpoint|{_PLACE}",
        words='"built-in", "none", "endpoint", a folder as "/path" or "~/path", '
        'or "package:NAME"',
        guarded=_only("none", "built-in"),
    )
    url: str = _address(
        "", "Where the endpoint is: any server with an OpenAI-compatible /embeddings."
    )
    name: str = _model_name("What the endpoint calls the model.")
    key_variable: str = _key_variable("OPENAI_API_KEY", "endpoint's")
    tokenizer: str = _rule(
        "",
        "The tokenizer of a model whose own folder has none.",
        pattern=rf"({_PLACE})?",
        words='a tokenizer.json or vocab.txt as "/path", "~/path" or '
        '"package:NAME/file"',
        guarded=_only(""),
    )
    timeout_seconds: float = _limit(
        30.0, "How long to wait for the endpoint's answer.", 0.1, 3600
    )
    batch: int = _limit(64, "How many texts the endpoint is sent at once.", 1, 2048)


class MindConfig(Struct, frozen=True):
    """Who thinks where rules are not enough."""

    kind: str = _rule(
        "rules",
        "Who thinks: nobody (rules), a model server, or the host agent.",
        choices=("rules", "api", "host"),
        guarded=_only("rules", "host"),
    )
    style: str = _rule(
        "openai",
        "How the server is spoken to: as OpenAI, Ollama, llama.cpp, LM Studio and "
        "vLLM are, or as Anthropic is.",
        choices=("openai", "anthropic"),
        guarded=_only(),
    )
    url: str = _address("http://localhost:11434/v1", "Where the server is.")
    model: str = _model_name("What the server calls the model.")
    key_variable: str = _key_variable("", "server's")
    timeout_seconds: float = _limit(
        60.0, "How long an answer may take, with all attempts.", 0.1, 3600
    )
    retries: int = _limit(
        2, "How often to try again when the server is away or busy.", 0, 10
    )
    daily_tokens: int = _limit(
        200_000, "The most tokens that all questions of a day may take.", 0, 10**9
    )
    operation_tokens: int = _limit(
        20_000,
        "The most tokens that one operation may take; a reflection has its own.",
        most=10**9,
    )
    price_input: float = _rule(
        0.0, "What a million tokens of questions cost; 0 if nothing.", 0, 10_000
    )
    price_output: float = _rule(
        0.0, "What a million tokens of answers cost; 0 if nothing.", 0, 10_000
    )
    currency: str = _rule(
        "USD",
        "The currency of the prices.",
        pattern=r"[A-Z]{3}",
        words='three capital letters such as "USD"',
    )


class ConversationConfig(Struct, frozen=True):
    """Conversations: idle summaries, and what an agent is told."""

    reflections: bool = _rule(
        default=True, meaning="Summarise a conversation when nobody speaks for a while."
    )
    idle_minutes: float = _rule(
        5.0, "Minutes since the user's last message before one is written.", 0, 10_080
    )
    messages: int = _rule(
        5, "Messages of the user since the last one before another.", 1, 10_000
    )
    prompt: str = _prompt(
        "Write a concise summary of the current context.", "What is asked for."
    )
    pruning_prompt: str = _prompt(
        "Summarize the chunks about to be pruned from context.",
        "What is asked for before something leaves the context.",
    )
    before_pruning: bool = _rule(
        default=True, meaning="Summarise what is about to leave the context."
    )
    most_tokens: int = _limit(2000, "How long a summary may be, in tokens.", 50)
    distinct: bool = _rule(
        default=True, meaning="Show summaries in a colour of their own."
    )
    session_minutes: float = _rule(
        60.0,
        "Minutes of silence after which a session is over, and core memory is read "
        "anew.",
        1,
        10_080,
    )
    wake_tokens: int = _limit(6000, "Tokens an agent is told when it wakes.", 200)
    attend_tokens: int = _limit(1000, "Tokens that are added for one message.", 100)


_LANGUAGES = ("en", "de", "es", "fr", "pt", "zh", "ja")


class TriggersConfig(Struct, frozen=True):
    """The phrases by which a user's words ask something of memory."""

    languages: tuple[str, ...] = _rule(
        _LANGUAGES, "The languages whose phrases are listened for.", choices=_LANGUAGES
    )
    remember: tuple[str, ...] = _phrases("Further phrases to remember by.")
    forget: tuple[str, ...] = _phrases("Further phrases to forget by.")
    search: tuple[str, ...] = _phrases("Further phrases to search by.")
    reflect: tuple[str, ...] = _phrases("Further phrases to reflect by.")
    farewell: tuple[str, ...] = _phrases(
        "Further phrases to take leave by: a chance to ask whether to reflect."
    )


class AgentsConfig(Struct, frozen=True):
    """Several agents in one workspace."""

    review: str = _rule(
        "batch",
        "Who decides on sub-agents' proposals: the main agent in batches, sure ones of "
        "trusted agents by themselves, or a person.",
        choices=("batch", "auto", "manual"),
        guarded=_stricter("auto", "batch", "manual"),
    )
    trusted: tuple[str, ...] = _rule(
        (),
        "Sub-agents whose sure proposals need no second look, by name, and with them "
        "every process that can run as they do.",
        pattern=r"[a-z0-9][a-z0-9_.-]{0,39}",
        words="names of sub-agents",
        guarded=_fewer,
    )


class AuditConfig(Struct, frozen=True):
    """The audit trail."""

    retention_days: int = _rule(
        90, "Older log lines are summed up in monthly digests.", 1, 36_500, guarded=max
    )
    critical_alerts: bool = _rule(
        default=True, meaning="Alert on critical files.", guarded=max
    )
    critical_files: tuple[str, ...] = _rule(
        (
            *("SOUL.md", "IDENTITY.md", "reverie.toml"),
            *("AGENTS.md", "CLAUDE.md", "GEMINI.md"),
            *("USER.md", "TOOLS.md", "HEARTBEAT.md", "BOOTSTRAP.md"),
            *(".cursorrules", ".windsurfrules"),
            *_HOSTS_FILES,
        ),
        "The files whose every change is critical.",
        pattern=_INSIDE,
        words="paths inside the workspace",
        guarded=_more,
    )
    commit: str = _rule(
        "always",
        "Every change is one commit; stated here, and not tunable.",
        choices=("always",),
    )


class LedgerConfig(Struct, frozen=True):
    """Limits of the ledger."""

    lock_seconds: float = _limit(30.0, "How long a writer waits for others.", 0, 3600)
    text_limit: int = _limit(262_144, "Largest memory, in bytes.", 1024, _BYTES)
    shard_limit: int = _rule(1000, "Most files in one folder.", 10, 1_000_000)
    file_limit: int = _limit(
        10_485_760, "Largest tracked file, in bytes.", 1024, _BYTES
    )


class Config(Struct, frozen=True):
    """All parameters of a workspace; `Config()` holds the defaults."""

    core: CoreConfig = field(default_factory=CoreConfig)
    decay: DecayConfig = field(default_factory=DecayConfig)
    reflection: ReflectionConfig = field(default_factory=ReflectionConfig)
    recall: RecallConfig = field(default_factory=RecallConfig)
    embedding: EmbeddingConfig = field(default_factory=EmbeddingConfig)
    mind: MindConfig = field(default_factory=MindConfig)
    conversation: ConversationConfig = field(default_factory=ConversationConfig)
    triggers: TriggersConfig = field(default_factory=TriggersConfig)
    agents: AgentsConfig = field(default_factory=AgentsConfig)
    audit: AuditConfig = field(default_factory=AuditConfig)
    ledger: LedgerConfig = field(default_factory=LedgerConfig)


class Parameter(Struct, frozen=True):
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
    def name(self) -> str:
        """How it is called in messages, such as `mind.url`."""
        return f"{self.section}.{self.key}"

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
            tuple: f"a list of {choices or self.rule.words}",
        }
        return words[type(self.default)]

    @property
    def type(self) -> Any:  # noqa: ANN401 - a type, as msgspec takes it
        """What it may be, for msgspec."""
        rule, kind = self.rule, type(self.default)
        if kind is bool:
            return bool
        if kind in (int, float):
            return Annotated[kind, msgspec.Meta(ge=rule.minimum, le=rule.maximum)]
        text: Any = Annotated[str, msgspec.Meta(pattern=rf"\A(?:{rule.pattern})\Z")]
        if rule.choices:
            text = Literal[rule.choices]
        return list[text] if kind is tuple else text

    def parse(self, raw: object) -> Value | None:
        """A value as its own type; None where it is not acceptable."""
        if type(raw) is type(self.default) and raw == self.default:
            return self.default  # as in the file that `init` writes
        try:
            value: Any = msgspec.convert(raw, self.type)
        except msgspec.ValidationError:
            return None
        return tuple(dict.fromkeys(value)) if isinstance(value, list) else value

    def parse_text(self, text: str) -> object:
        """What a variable says, left as text where it is nothing of the kind."""
        kind = type(self.default)
        if kind is bool:
            return {"true": True, "false": False}.get(text.lower(), text)
        if kind is tuple:
            return [part.strip() for part in text.split(",") if part.strip()]
        try:
            return kind(text)
        except ValueError:
            return text

    def of(self, config: Config) -> Value:
        """What it is set to."""
        value: Value = getattr(getattr(config, self.section), self.attribute)
        return value

    def put(self, config: Config, value: Value) -> Config:
        """The configuration with it set to a value."""
        if self.of(config) == value:
            return config
        fresh: dict[str, Any] = {self.attribute: value}
        section = replace(getattr(config, self.section), **fresh)
        return replace(config, **{self.section: section})

    def allowed(self, wanted: Value, acknowledged: Value) -> Value:
        """What acts of a wanted value by what its human has acknowledged."""
        guard = self.rule.guarded
        acting: Value = guard(wanted, acknowledged) if guard else wanted
        # The order in a list says nothing.
        same = isinstance(acting, tuple) and set(acting) == set(wanted)  # type: ignore[arg-type]
        return wanted if same else acting


SECTIONS: dict[str, Any] = {
    name: type(getattr(Config(), name)) for name in Config.__struct_fields__
}
PARAMETERS = tuple(
    Parameter(section, rule.key or name, name, default, rule)
    for (section, name, default), rule in zip(
        (
            (section, name, default)
            for section, made in SECTIONS.items()
            for name, default in zip(
                made.__struct_fields__, made.__struct_defaults__, strict=True
            )
        ),
        _RULES,
        strict=True,
    )
)
"""Every parameter, in the order of the file."""

GUARDED = tuple(parameter for parameter in PARAMETERS if parameter.rule.guarded)
"""The parameters that wait for an acknowledgement."""


def render_config() -> str:
    """Write `reverie.toml` with every parameter at its default, explained."""
    lines = [
        "# The parameters of this workspace. Every value below is the default.",
        "# An environment variable overrides it: REVERIE_SECTION_KEY.",
        "# What names a server, a key, a model or an agent, or raises a limit, acts",
        "# once you have acknowledged it: reverie alerts --ack reverie.toml",
    ]
    for section in SECTIONS:
        lines += ["", f"[{section}]"]
        for each in PARAMETERS:
            if each.section == section:
                lines.append(f"# {each.rule.meaning}")
                lines.append(f"{each.key} = {render_value(each.default)}")
    return "\n".join(lines) + "\n"


def render_reference() -> str:
    """Write the tables of docs/configuration.md."""
    lines: list[str] = []
    for section in SECTIONS:
        lines += ["", f"## [{section}]", ""]
        lines.append("| key | default | meaning | accepts | acts | variable |")
        lines.append("| --- | --- | --- | --- | --- | --- |")
        lines += [
            f"| `{each.key}` | `{render_value(each.default)}` | {each.rule.meaning} "
            f"| {each.accepts} "
            f"| {'once acknowledged' if each.rule.guarded else 'at once'} "
            f"| `{each.variable}` |"
            for each in PARAMETERS
            if each.section == section
        ]
    return "\n".join(lines).lstrip("\n") + "\n"


def render_value(value: Value) -> str:
    """Write one value the way TOML reads it."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(render_value, value))}]"
    return (
        repr(value)
        if isinstance(value, float)
        else json.dumps(value, ensure_ascii=False)
    )


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
    config, places = Config(), dict[str, tuple[str, int]]()
    lines = _find_lines(text)
    for parameter, raw in _from_file(text, path, lines):
        line = lines.get(parameter.name) or lines.get(parameter.section, 0)
        places[parameter.name] = (path, line)
        config = parameter.put(config, _checked(parameter, raw, (path, line)))
    for parameter, value in environment_values(environ):
        places[parameter.name] = (parameter.variable, 0)
        config = parameter.put(config, value)
    _check_together(config, places)
    return config


def environment_values(environ: Mapping[str, str]) -> Iterator[tuple[Parameter, Value]]:
    """What the environment sets, checked, in the order of the variables' names."""
    known = {parameter.variable: parameter for parameter in PARAMETERS}
    ours = tuple(f"{ENVIRONMENT_PREFIX}{section}_".upper() for section in SECTIONS)
    for variable in sorted(environ):
        if not variable.startswith(ours):
            continue
        if variable not in known:
            raise _unknown(variable[:80], 0, "this variable", variable, known)
        raw = known[variable].parse_text(environ[variable].strip())
        yield known[variable], _checked(known[variable], raw, (variable, 0))


def _from_file(
    text: str, path: str, lines: Mapping[str, int]
) -> Iterator[tuple[Parameter, object]]:
    for section, table in _read_toml(text, path).items():
        line = lines.get(section, 0)
        if section not in SECTIONS:
            raise _unknown(path, line, f"[{section[:60]}]", section, SECTIONS)
        if not isinstance(table, dict):
            problem = f"{section} is a section, not a value"
            hint = f"Write [{section}] on a line of its own, its keys below."
            raise ConfigError(path, line, problem, hint=hint)
        keys = {p.key: p for p in PARAMETERS if p.section == section}
        for key, raw in table.items():
            if key not in keys:
                line = lines.get(f"{section}.{key}", line)
                raise _unknown(path, line, f"{section}.{key[:60]}", key, keys)
            yield keys[key], raw


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


def _checked(parameter: Parameter, raw: object, place: tuple[str, int]) -> Value:
    value = parameter.parse(raw)
    if value is None:
        shown = str(raw).lower() if isinstance(raw, bool) else ""
        if isinstance(raw, int) and abs(raw) > sys.maxsize:
            shown = "a number this large"
        shown = shown or ascii(raw)
        shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
        hint = f"It is {parameter.accepts}."
        if parameter.rule.choices == ("always",):
            hint += " That every change is one commit is not tunable: leave it out."
        problem = f"{parameter.name} cannot be {shown}"
        raise ConfigError(*place, problem, hint=hint)
    return parameter.default if value in FORMER.get(parameter.name, ()) else value


def _unknown(
    path: str, line: int, what: str, name: str, known: Iterable[str]
) -> ConfigError:
    close = difflib.get_close_matches(name[:60], sorted(known), n=1)
    hint = f"Known: {', '.join(sorted(known))}."
    hint = f"Did you mean {close[0]}?" if close else hint
    return ConfigError(path, line, f"{what} is not a parameter", hint=hint)


_ORDERED = (
    ("decay.archive_threshold", "decay.dormant_threshold"),
    ("decay.dormant_threshold", "decay.active_threshold"),
    ("core.identity_tokens", "core.cap_tokens"),
    ("core.context_tokens", "core.cap_tokens"),
    ("core.persona_tokens", "core.cap_tokens"),
    ("core.critical_tokens", "core.cap_tokens"),
)
# Where the first is set to the second, the third cannot be empty.
_NEEDED = (
    ("embedding.model", "endpoint", "embedding.url"),
    ("embedding.model", "endpoint", "embedding.name"),
    ("mind.kind", "api", "mind.model"),
)


def _check_together(config: Config, places: Mapping[str, tuple[str, int]]) -> None:
    known = {parameter.name: parameter for parameter in PARAMETERS}
    for chosen, value, needed in _NEEDED:
        if known[chosen].of(config) == value and not known[needed].of(config):
            problem = f'{chosen} is "{value}", and {needed} is not set'
            hint = f"Set {needed} as well: {known[needed].accepts}."
            raise ConfigError(*places[chosen], problem, hint=hint)
    for low, high in _ORDERED:
        least: Any = known[low].of(config)
        most: Any = known[high].of(config)
        if least > most:
            # Blame the one that was set; the other stands at its default.
            place = places.get(low) or places[high]
            problem = f"{low} ({least}) is above {high} ({most})"
            raise ConfigError(*place, problem, hint=f"Lower {low} or raise {high}.")


def _find_lines(text: str) -> dict[str, int]:
    """The lines that sections and parameters are first named on."""
    here, found = "", dict[str, int]()
    for number, line in enumerate(text.splitlines(), start=1):
        bare = line.split("#")[0].strip()
        if bare.startswith("["):
            here = bare.strip("[] \t\"'")
        name = bare.partition("=")[0].replace('"', "").replace("'", "").strip()
        full = f"{here}.{name}" if here and name else name
        for each in (full.replace(" ", ""), here, name.partition(".")[0]):
            found.setdefault(each, number)
    return found


class Unacknowledged(Struct, frozen=True):
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


class Effective(Struct, frozen=True):
    """The configuration that acts.

    Attributes:
        config: All parameters, as they act.
        waiting: What the file says and what waits to be acknowledged.
        ignored: What the environment says and cannot have.
    """

    config: Config
    waiting: tuple[Unacknowledged, ...] = ()
    ignored: tuple[Unacknowledged, ...] = ()


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
    config = parse_config(text, path, {})
    waiting, ignored = list[Unacknowledged](), list[Unacknowledged]()
    for each in GUARDED:
        wanted = each.of(config)
        acting = each.allowed(wanted, each.of(acknowledged))
        if acting != wanted:
            waiting.append(Unacknowledged(each.name, wanted, acting))
            config = each.put(config, acting)
    for each, wanted in environment_values(environ):
        acting = each.allowed(wanted, each.of(config))
        if acting != wanted:
            ignored.append(Unacknowledged(each.variable, wanted, acting))
        config = each.put(config, acting)
    return Effective(config, tuple(waiting), tuple(ignored))


def render_acknowledged(config: Config) -> bytes:
    """What is kept of a file that its human has acknowledged: its guarded values."""
    values = {each.name: each.of(config) for each in GUARDED}
    return json.dumps({"acknowledged": values}, indent=1).encode() + b"\n"


def parse_acknowledged(data: bytes | None) -> Config:
    """Read what `render_acknowledged` wrote; what is none of it counts for nothing."""
    config = Config()
    try:
        told: Any = json.loads(data or b"{}").get("acknowledged", {})
        given = {each: told[each.name] for each in GUARDED if each.name in told}
    except (ValueError, AttributeError, TypeError, RecursionError):
        return config
    for parameter, raw in given.items():
        value = parameter.parse(raw)
        if value is not None:
            config = parameter.put(config, value)
    return config


def agreed(one: Config, other: Config) -> Config:
    """What two acknowledgements have in common: the stricter value of both.

    Where they name different servers, models, keys or prompts, none of that section
    counts: server and key are acknowledged together.
    """
    config, apart = one, set[str]()
    for each in GUARDED:
        mine, others = each.of(one), each.of(other)
        here, there = each.allowed(mine, others), each.allowed(others, mine)
        if here != there and not (isinstance(here, tuple) and set(here) == set(there)):  # type: ignore[arg-type]
            apart.add(each.section)
        config = each.put(config, here)
    for each in GUARDED:
        if each.section in apart and isinstance(each.default, str):
            config = each.put(config, each.default)
    return config
