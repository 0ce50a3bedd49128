"""The parameters of a workspace, `reverie.toml` (design, section 16).

Each parameter is one field of a section: its type says what it may be, its line in the
docstring what it means. The file that `init` writes, the checks, the environment
variables and the reference in docs/configuration.md all follow from these.

What of a changed file acts at once, and what waits for its human: a parameter that
names a server, a key, a model, an agent, or sets a limit, has a guard. It acts as it
was last acknowledged, or at its default where nothing was. A value that allows less
than the acknowledged one acts at once. The environment is held against the result in
the same way: it can take away, and never give.
"""

import difflib
import json
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct, field
from msgspec.structs import fields, replace

from reverie.errors import FormatError

Value = bool | int | float | str | tuple[str, ...]
Guard = Callable[[Any, Any], Any]
"""What acts of a wanted value by what its human has acknowledged: never more."""

# --- what a value may be -----------------------------------------------------


def _number(least: float, most: float, guard: Guard | None = None) -> Meta:
    words = f"from {least} to {most}"
    return Meta(ge=least, le=most, extra={"words": words, "guard": guard})


def _limit(least: float = 0, most: float = 1_000_000) -> Meta:
    """A number that acts at once where it is lowered."""
    return _number(least, most, min)


def _text(pattern: str, words: str, guard: Guard | None = None) -> Meta:
    extra = {"words": words, "guard": guard}
    return Meta(pattern=rf"\A(?:{pattern})\Z", extra=extra)


def _choice(*words: str, guard: Guard | None = None) -> Meta:
    return _text("|".join(words), ", ".join(f'"{word}"' for word in words), guard)


def _only(*free: str) -> Guard:
    """The acknowledged value, or one of those that give nothing to anybody."""
    return lambda wanted, known: wanted if wanted in free else known


def _fewer(wanted: Iterable[str], acknowledged: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in wanted if name in acknowledged)


def _more(wanted: Iterable[str], acknowledged: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*wanted, *acknowledged)))


def _stricter(*order: str) -> Guard:
    """The stricter of two words; the order names the strictest one last."""
    return lambda wanted, known: max(wanted, known, key=order.index)


_URL = r"[Hh][Tt][Tt][Pp][Ss]?://[^\s/?#@]+(/[^\s?#]*)?"
_URL_WORDS = 'an address such as "http://localhost:11434/v1"'
# A place on this machine. Relative to what, a relative path would not say.
_PLACE = r"(~?/[^\x00-\x1f]*|package:[A-Za-z_]\w*(/[^\x00-\x1f]*)?)"
_FOLDERS = 'a folder as "/path" or "~/path", or "package:NAME"'
_TOKENIZERS = (
    'a tokenizer.json or vocab.txt as "/path", "~/path" or "package:NAME/file"'
)
_NAME_WORDS = "the name of a model on one line"
# Else a changed file could have any secret of the environment sent out.
_KEY = r"(REVERIE_[A-Z0-9_]+|[A-Z][A-Z0-9_]*_API_KEY)?"
_KEY_WORDS = "the name of a variable, REVERIE_… or …_API_KEY, never the key itself"
_PROMPT = r"[^\x00-\x08\x0b-\x1f]{1,4000}"
_PHRASE = r"(?=.*[^\W\d_])[^\x00-\x1f\x7f]{2,80}"
_PHRASES = (
    "plain phrases of 2 to 80 characters, with … where what is meant stands inside"
)
_ZONE = r"([A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*)?"
_ZONE_WORDS = 'a time zone such as "Europe/Berlin", or empty for that of this machine'
_CLOCK = r"([01][0-9]|2[0-3]):[0-5][0-9]"
_INSIDE = r"(?![/~])(?!(.*/)?\.\.(/|\Z))[^\n]+"
_LANGUAGES = ("en", "de", "es", "fr", "pt", "zh", "ja")
_HOSTS_FILES = ("moltbot.json", "openclaw.json", "clawdbot.json")
FORMER = {
    "audit.critical_files": (
        ("SOUL.md", "IDENTITY.md", "reverie.toml", *_HOSTS_FILES),
        ("SOUL.md", "IDENTITY.md", "reverie.toml", "AGENTS.md", *_HOSTS_FILES),
    ),
}
"""Defaults that an earlier version wrote into the file; they mean those of today."""

Share = Annotated[float, _number(0, 1)]
Weight = Annotated[float, _number(0, 10)]
Tokens = Annotated[int, _limit()]
Address = Annotated[str, _text(_URL, _URL_WORDS, _only())]
NoAddress = Annotated[str, _text(f"({_URL})?", _URL_WORDS, _only())]
ModelName = Annotated[str, _text(r"[^\x00-\x1f]{0,200}", _NAME_WORDS, _only())]
KeyVariable = Annotated[str, _text(_KEY, _KEY_WORDS, _only(""))]
Prompt = Annotated[str, _text(_PROMPT, "one to 4,000 characters of text", _only())]
Phrase = Annotated[str, _text(_PHRASE, _PHRASES)]
Language = Annotated[str, _choice(*_LANGUAGES)]
Occasion = Annotated[str, _choice("daily", "weekly", "session-end")]
Zone = Annotated[str, _text(_ZONE, _ZONE_WORDS)]
TimeOfDay = Annotated[str, _text(_CLOCK, 'a time of day such as "03:00"')]
Embedder = Annotated[
    str,
    _text(
        rf"built-in|none|endpoint|{_PLACE}",
        f'"built-in", "none", "endpoint", {_FOLDERS}',
        _only("none", "built-in"),
    ),
]
Tokenizer = Annotated[str, _text(rf"({_PLACE})?", _TOKENIZERS, _only(""))]
MindKind = Annotated[str, _choice("rules", "api", "host", guard=_only("rules", "host"))]
Currency = Annotated[str, _text(r"[A-Z]{3}", 'three capital letters such as "USD"')]
Review = Annotated[
    str, _choice("batch", "auto", "manual", guard=_stricter("auto", "batch", "manual"))
]
AgentEdits = Annotated[
    str,
    _text(
        "|quoted|propose|allow",
        '"quoted", "propose", "allow", or empty',
        _stricter("allow", "quoted", "", "propose"),
    ),
]
AgentName = Annotated[
    str, _text(r"[a-z0-9][a-z0-9_.-]{0,39}", "names of sub-agents", _fewer)
]
Watched = Annotated[str, _text(_INSIDE, "paths inside the workspace", _more)]

# --- the sections ------------------------------------------------------------


class WorkspaceConfig(Struct, frozen=True):
    """The workspace as a whole.

    Attributes:
        timezone: The time zone whose days and hours the memories have; empty for that
            of this machine.
    """

    timezone: Zone = ""


class CoreConfig(Struct, frozen=True):
    """Core memory, `MEMORY.md`.

    Attributes:
        cap_tokens: Hard cap of core memory.
        identity_tokens: Budget of Identity.
        context_tokens: Budget of Active Context.
        persona_tokens: Budget of Persona.
        critical_tokens: Budget of Critical Facts.
        agent_edits: How an agent changes Identity, Active Context and Persona: with
            `quoted` at once if it quotes a whole sentence that the user typed, with
            `propose` never without the user's approval, with `allow` at once; empty
            means `quoted`, and `propose` where an owner passphrase is set.
    """

    cap_tokens: Annotated[int, _limit(100)] = 3000
    identity_tokens: Tokens = 500
    context_tokens: Tokens = 1000
    persona_tokens: Tokens = 500
    critical_tokens: Tokens = 1000
    agent_edits: AgentEdits = ""


class DecayConfig(Struct, frozen=True):
    """How memories fade.

    Attributes:
        rate: Decay per day; higher forgets faster, 0.03 halves a score in 23 days.
        active_threshold: From this score up a memory is active.
        dormant_threshold: Below this score a memory is dormant: found only when
            searched for.
        archive_threshold: Below this score a memory is archived: found only where
            nothing fits better.
        weight_core: Type weight of core memories.
        weight_episodic: Type weight of episodes.
        weight_semantic: Type weight of entities.
        weight_procedural: Type weight of procedures.
        base_explicit: Base relevance of an explicit remember.
        base_detected: Base relevance of what the agent noticed.
        base_inferred: Base relevance of what a reflection inferred.
    """

    rate: Weight = field(default=0.03, name="lambda")
    active_threshold: Share = 0.5
    dormant_threshold: Share = 0.2
    archive_threshold: Share = 0.05
    weight_core: Weight = 1.5
    weight_episodic: Weight = 0.8
    weight_semantic: Weight = 1.2
    weight_procedural: Weight = 1.0
    base_explicit: Share = 1.0
    base_detected: Share = 0.7
    base_inferred: Share = 0.5


class ReflectionConfig(Struct, frozen=True):
    """Sleep-time consolidation.

    Attributes:
        token_budget: Tokens a reflection may write.
        frequency: When to offer a reflection; empty for only when asked.
        time: The time of day, in the workspace's time zone, to offer a scheduled one.
        threshold: Offer one when so many new episodes wait; 0 for never.
        input_tokens: Tokens a reflection may read.
        presentation: How it is told where somebody thinks; else it is always a summary.
        most_lost: The largest share of memories that one reflection may archive or
            drop.
    """

    token_budget: Annotated[int, _limit(500)] = 8000
    frequency: tuple[Occasion, ...] = ("daily", "session-end")
    time: TimeOfDay = "03:00"
    threshold: Annotated[int, _number(0, 100_000)] = 20
    input_tokens: Annotated[int, _limit(1000)] = 30_000
    presentation: Annotated[str, _choice("monologue", "summary")] = "monologue"
    most_lost: Annotated[float, _limit(most=1)] = 0.2


class RecallConfig(Struct, frozen=True):
    """Search and retrieval.

    Attributes:
        graph_depth: How many hops to follow in the graph; deeper is richer and slower.
        max_results: The most memories one recall returns.
        min_score: Matches below this score are not returned.
        decay_floor: What a match keeps of its score when all of it has faded; 0 for
            nothing.
    """

    graph_depth: Annotated[int, _number(0, 5)] = 2
    max_results: Annotated[int, _number(1, 1000)] = 20
    min_score: Share = 0.3
    decay_floor: Share = 0.85


class EmbeddingConfig(Struct, frozen=True):
    """Which model turns text into vectors.

    Attributes:
        model: What turns text into vectors, for search by meaning.
        url: Where the endpoint is: any server with an OpenAI-compatible /embeddings.
        name: What the endpoint calls the model.
        key_variable: The environment variable that holds the endpoint's key; empty for
            no key.
        tokenizer: The tokenizer of a model whose own folder has none.
        timeout_seconds: How long to wait for the endpoint's answer.
        batch: How many texts the endpoint is sent at once.
        sentences: Whether the model of sentences is used beside the built-in one, where
            `reverie[sentences]` is installed.
    """

    model: Embedder = "built-in"
    url: NoAddress = ""
    name: ModelName = ""
    key_variable: KeyVariable = "OPENAI_API_KEY"
    tokenizer: Tokenizer = ""
    timeout_seconds: Annotated[float, _limit(0.1, 3600)] = 30.0
    batch: Annotated[int, _limit(1, 2048)] = 64
    sentences: bool = True


class MindConfig(Struct, frozen=True):
    """Who thinks where rules are not enough.

    Attributes:
        kind: Who thinks: nobody (rules), a model server, or the host agent.
        style: How the server is spoken to: as OpenAI, Ollama, llama.cpp, LM Studio and
            vLLM are, or as Anthropic is.
        url: Where the server is.
        model: What the server calls the model.
        key_variable: The environment variable that holds the server's key; empty for
            no key.
        timeout_seconds: How long an answer may take, with all attempts.
        retries: How often to try again when the server is away or busy.
        daily_tokens: The most tokens that all questions of a day may take.
        operation_tokens: The most tokens that one operation may take; a reflection has
            its own.
        price_input: What a million tokens of questions cost; 0 if nothing.
        price_output: What a million tokens of answers cost; 0 if nothing.
        currency: The currency of the prices.
    """

    kind: MindKind = "rules"
    style: Annotated[str, _choice("openai", "anthropic", guard=_only())] = "openai"
    url: Address = "http://localhost:11434/v1"
    model: ModelName = ""
    key_variable: KeyVariable = ""
    timeout_seconds: Annotated[float, _limit(0.1, 3600)] = 60.0
    retries: Annotated[int, _limit(0, 10)] = 2
    daily_tokens: Annotated[int, _limit(0, 10**9)] = 200_000
    operation_tokens: Annotated[int, _limit(0, 10**9)] = 20_000
    price_input: Annotated[float, _number(0, 10_000)] = 0.0
    price_output: Annotated[float, _number(0, 10_000)] = 0.0
    currency: Currency = "USD"


class ConversationConfig(Struct, frozen=True):
    """Conversations: idle summaries, and what an agent is told.

    Attributes:
        reflections: Summarise a conversation when nobody speaks for a while.
        idle_minutes: Minutes since the user's last message before one is written.
        messages: Messages of the user since the last one before another.
        prompt: What is asked for.
        pruning_prompt: What is asked for before something leaves the context.
        before_pruning: Summarise what is about to leave the context.
        most_tokens: How long a summary may be, in tokens.
        distinct: Show summaries in a colour of their own.
        session_minutes: Minutes of silence after which a session is over, and core
            memory is read anew.
        stable_tokens: Tokens of what stays the same all through a session: core
            memory, which is told up to its cap in any case, and what is known.
        wake_tokens: Tokens an agent is told behind that when it wakes.
        attend_tokens: Tokens that are added for one message.
    """

    reflections: bool = True
    idle_minutes: Annotated[float, _number(0, 10_080)] = 5.0
    messages: Annotated[int, _number(1, 10_000)] = 5
    prompt: Prompt = "Write a concise summary of the current context."
    pruning_prompt: Prompt = "Summarize the chunks about to be pruned from context."
    before_pruning: bool = True
    most_tokens: Annotated[int, _limit(50)] = 2000
    distinct: bool = True
    session_minutes: Annotated[float, _number(1, 10_080)] = 60.0
    stable_tokens: Annotated[int, _limit(0)] = 2000
    wake_tokens: Annotated[int, _limit(200)] = 6000
    attend_tokens: Annotated[int, _limit(100)] = 1000


class TriggersConfig(Struct, frozen=True):
    """The phrases by which a user's words ask something of memory.

    Attributes:
        languages: The languages whose phrases are listened for.
        remember: Further phrases to remember by.
        withhold: Further phrases to keep what is said out of memory by.
        forget: Further phrases to forget by.
        search: Further phrases to search by.
        reflect: Further phrases to reflect by.
        farewell: Further phrases to take leave by: a chance to ask whether to reflect.
    """

    languages: tuple[Language, ...] = _LANGUAGES
    remember: tuple[Phrase, ...] = ()
    withhold: tuple[Phrase, ...] = ()
    forget: tuple[Phrase, ...] = ()
    search: tuple[Phrase, ...] = ()
    reflect: tuple[Phrase, ...] = ()
    farewell: tuple[Phrase, ...] = ()


class AgentsConfig(Struct, frozen=True):
    """Several agents in one workspace.

    Attributes:
        review: Who decides on sub-agents' proposals: the main agent in batches, sure
            ones of trusted agents by themselves, or a person.
        trusted: Sub-agents whose sure proposals need no second look, by name, and with
            them every process that can run as they do.
        host_answers: Whether the answer to a question that a host asks its user (MCP
            elicitation) counts as the user's decision; never with an owner passphrase,
            and never for more tokens than the baseline.
    """

    review: Review = "batch"
    trusted: tuple[AgentName, ...] = ()
    host_answers: Annotated[bool, Meta(extra={"guard": min})] = False


class AuditConfig(Struct, frozen=True):
    """The audit trail.

    Attributes:
        retention_days: Older log lines are summed up in monthly digests.
        critical_alerts: Alert on critical files.
        critical_files: The files whose every change is critical.
        commit: Every change is one commit; stated here, and not tunable.
    """

    retention_days: Annotated[int, _number(1, 36_500, max)] = 90
    critical_alerts: Annotated[bool, Meta(extra={"guard": max})] = True
    critical_files: tuple[Watched, ...] = (
        *("SOUL.md", "IDENTITY.md", "reverie.toml"),
        *("AGENTS.md", "CLAUDE.md", "GEMINI.md"),
        *("USER.md", "TOOLS.md", "HEARTBEAT.md", "BOOTSTRAP.md"),
        *(".cursorrules", ".windsurfrules"),
        *_HOSTS_FILES,
    )
    commit: Annotated[str, _choice("always")] = "always"


class LedgerConfig(Struct, frozen=True):
    """Limits of the ledger.

    Attributes:
        lock_seconds: How long a writer waits for others.
        text_limit: Largest memory, in bytes.
        shard_limit: Most files in one folder.
        file_limit: Largest tracked file, in bytes.
    """

    lock_seconds: Annotated[float, _limit(0, 3600)] = 30.0
    text_limit: Annotated[int, _limit(1024, 1 << 30)] = 262_144
    shard_limit: Annotated[int, _number(10, 1_000_000)] = 1000
    file_limit: Annotated[int, _limit(1024, 1 << 30)] = 10_485_760


class Config(Struct, frozen=True):
    """All parameters of a workspace; `Config()` holds the defaults."""

    workspace: WorkspaceConfig = WorkspaceConfig()
    core: CoreConfig = CoreConfig()
    decay: DecayConfig = DecayConfig()
    reflection: ReflectionConfig = ReflectionConfig()
    recall: RecallConfig = RecallConfig()
    embedding: EmbeddingConfig = EmbeddingConfig()
    mind: MindConfig = MindConfig()
    conversation: ConversationConfig = ConversationConfig()
    triggers: TriggersConfig = TriggersConfig()
    agents: AgentsConfig = AgentsConfig()
    audit: AuditConfig = AuditConfig()
    ledger: LedgerConfig = LedgerConfig()


# --- the parameters ----------------------------------------------------------


class Parameter(Struct, frozen=True, eq=False):
    """One parameter as people meet it.

    Attributes:
        section: The table in `reverie.toml`.
        key: The name in that table.
        attribute: The name in Python; differs where the key is a Python keyword.
        default: Its value when nobody sets it.
        type: What it may be, for msgspec.
        words: What it may be, for people.
        guard: What acts of a wanted value; None where every value acts at once.
    """

    section: str
    key: str
    attribute: str
    default: Value
    type: Any
    words: str = ""
    guard: Guard | None = None

    @property
    def name(self) -> str:
        """How it is called in messages, such as `mind.url`."""
        return f"{self.section}.{self.key}"

    @property
    def variable(self) -> str:
        """The environment variable that overrides it."""
        return f"REVERIE_{self.section}_{self.key}".upper()

    @property
    def meaning(self) -> str:
        """What it is for: its line in the docstring of its section."""
        told = rf"\n( +){self.attribute}: (.+(?:\n\1 +.+)*)"
        line = re.search(told, SECTIONS[self.section].__doc__ or "")
        return " ".join(line[2].split()) if line else ""

    @property
    def accepts(self) -> str:
        """What it may be, in words."""
        kinds = {bool: "true or false", int: "a whole number ", float: "a number "}
        kinds |= {tuple: "a list of "}
        return kinds.get(type(self.default), "") + self.words

    def parse(self, raw: object, *, strict: bool = True) -> Value | None:
        """A value as its own type, or from its text; None where it is not one."""
        if type(raw) is type(self.default) and raw == self.default:
            return self.default  # as in the file that `init` writes
        try:
            value: Any = msgspec.convert(raw, self.type, strict=strict)
        except msgspec.ValidationError:
            return None
        value = tuple(dict.fromkeys(value)) if isinstance(value, tuple) else value
        return self.default if value in FORMER.get(self.name, ()) else value

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
        acting: Value = self.guard(wanted, acknowledged) if self.guard else wanted
        return acting


def _parameters() -> Iterator[Parameter]:
    for section, made in SECTIONS.items():
        for each in fields(made):
            # Of a list, the type of what is in it knows.
            kind: Any = each.type
            many = isinstance(each.default, tuple)
            known = getattr(kind.__args__[0] if many else kind, "__metadata__", ())
            extra = known[0].extra if known else {}
            yield Parameter(
                section, each.encode_name, each.name, each.default, kind, **extra
            )


SECTIONS: dict[str, Any] = {each.name: each.type for each in fields(Config)}
PARAMETERS = tuple(_parameters())
"""Every parameter, in the order of the file."""

GUARDED = tuple(parameter for parameter in PARAMETERS if parameter.guard)
"""The parameters that wait for an acknowledgement."""


# --- the file ----------------------------------------------------------------


def render_config() -> str:
    """Write `reverie.toml` with every parameter at its default, explained."""
    lines = [
        "# The parameters of this workspace. Every value below is the default.",
        "# An environment variable overrides it: REVERIE_SECTION_KEY.",
        "# What names a server, a key, a model or an agent, or raises a limit, acts",
        "# once you have acknowledged it: reverie alerts --ack reverie.toml",
    ]
    section = ""
    for each in PARAMETERS:
        lines += ["", f"[{each.section}]"] if each.section != section else []
        lines += [f"# {each.meaning}", f"{each.key} = {render_value(each.default)}"]
        section = each.section
    return "\n".join(lines) + "\n"


def render_reference() -> str:
    """Write the tables of docs/configuration.md."""
    lines: list[str] = []
    section = ""
    for each in PARAMETERS:
        if each.section != section:
            lines += ["", f"## [{each.section}]", ""]
            lines.append("| key | default | meaning | accepts | acts | variable |")
            lines.append("| --- | --- | --- | --- | --- | --- |")
        acts = "once acknowledged" if each.guard else "at once"
        lines.append(
            f"| `{each.key}` | `{render_value(each.default)}` | {each.meaning} "
            f"| {each.accepts} | {acts} | `{each.variable}` |"
        )
        section = each.section
    return "\n".join(lines).lstrip("\n") + "\n"


def render_value(value: Value) -> str:
    """Write one value the way TOML reads it."""
    return json.dumps(value, ensure_ascii=False)


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
    for section, table in _read_toml(text, path).items():
        line = lines.get(section, 0)
        if section not in SECTIONS:
            raise _unknown(path, line, f"[{section[:60]}]", section, SECTIONS)
        if not isinstance(table, dict):
            problem = f"{section} is a section, not a value"
            hint = f"Write [{section}] on a line of its own, its keys below."
            raise ConfigError(path, line, problem, hint=hint)
        known = {each.key: each for each in PARAMETERS if each.section == section}
        for key, raw in table.items():
            name = f"{section}.{key}"
            places[name] = path, lines.get(name) or line
            if key not in known:
                raise _unknown(*places[name], name[:60], key, known)
            config = known[key].put(config, _checked(known[key], raw, places[name]))
    for parameter, value in environment_values(environ):
        places[parameter.name] = (parameter.variable, 0)
        config = parameter.put(config, value)
    _check_together(config, places)
    return config


def environment_values(environ: Mapping[str, str]) -> Iterator[tuple[Parameter, Value]]:
    """What the environment sets, checked, in the order of the variables' names."""
    known = {parameter.variable: parameter for parameter in PARAMETERS}
    ours = tuple(f"REVERIE_{section}_".upper() for section in SECTIONS)
    for variable in sorted(environ):
        if not variable.startswith(ours):
            continue
        if variable not in known:
            raise _unknown(variable[:80], 0, "this variable", variable, known)
        each, raw = known[variable], environ[variable].strip()
        words = [part.strip() for part in raw.split(",") if part.strip()]
        said = words if isinstance(each.default, tuple) else raw
        yield each, _checked(each, said, (variable, 0), strict=False)


def _read_toml(text: str, path: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        said, _, at = str(error).partition(" (at ")
        line = int(found[0]) if (found := re.search(r"\d+", at)) else 0
        line = text.count("\n") + 1 if at.startswith("end") else line
        hint = 'Lines look like `key = 3`, `key = "text"` or `[section]`.'
        raise ConfigError(path, line, f"not TOML: {said}", hint=hint) from error


def _checked(
    parameter: Parameter, raw: object, place: tuple[str, int], *, strict: bool = True
) -> Value:
    value = parameter.parse(raw, strict=strict)
    if value is None:
        large = isinstance(raw, int) and abs(raw) > sys.maxsize
        shown = "a number this large" if large else ascii(raw)
        shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
        hint = f"It is {parameter.accepts}."
        raise ConfigError(*place, f"{parameter.name} cannot be {shown}", hint=hint)
    return value


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
    if zone := config.workspace.timezone:
        from zoneinfo import ZoneInfo  # noqa: PLC0415 - where one is named

        try:
            ZoneInfo(zone)
        except (ValueError, OSError, LookupError) as error:
            problem = f"workspace.timezone: there is no time zone {zone!r} here"
            hint = f"It is {_ZONE_WORDS}."
            place = places["workspace.timezone"]
            raise ConfigError(*place, problem, hint=hint) from error
    values: dict[str, Any] = {each.name: each.of(config) for each in PARAMETERS}
    for chosen, value, needed in _NEEDED:
        if values[chosen] == value and not values[needed]:
            problem = f'{chosen} is "{value}", and {needed} is not set'
            raise ConfigError(*places[chosen], problem, hint=f"Set {needed} as well.")
    for low, high in _ORDERED:
        if values[low] > values[high]:
            # Blame the one that was set; the other stands at its default.
            place = places.get(low) or places[high]
            problem = f"{low} ({values[low]}) is above {high} ({values[high]})"
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


# --- what acts of it ---------------------------------------------------------


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


class _Acknowledgement(Struct):
    acknowledged: dict[str, Any] = {}


def render_acknowledged(config: Config) -> bytes:
    """What is kept of a file that its human has acknowledged: its guarded values."""
    values = {each.name: each.of(config) for each in GUARDED}
    return msgspec.json.encode(_Acknowledgement(values)) + b"\n"


def parse_acknowledged(data: bytes | None) -> Config:
    """Read what `render_acknowledged` wrote; what is none of it counts for nothing."""
    config = Config()
    try:
        told = msgspec.json.decode(data or b"{}", type=_Acknowledgement).acknowledged
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return config
    for each in GUARDED:
        value = each.parse(told.get(each.name))
        config = config if value is None else each.put(config, value)
    return config


def agreed(one: Config, other: Config) -> Config:
    """What two acknowledgements have in common: the stricter value of both.

    Where they name different servers, models, keys or prompts, none of that section
    counts: server and key are acknowledged together.
    """
    config, apart = one, set[str]()
    for each in GUARDED:
        mine, others = each.of(one), each.of(other)
        common = each.allowed(mine, others)
        if isinstance(common, str) and common != each.allowed(others, mine):
            apart.add(each.section)
        config = each.put(config, common)
    for each in GUARDED:
        if each.section in apart and isinstance(each.default, str):
            config = each.put(config, each.default)
    return config
