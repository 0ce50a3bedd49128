"""What can be set: one class per section, one field per parameter."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    Guard = Callable[[Any, Any], Any]

T = TypeVar("T")

Value = bool | int | float | str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rule:
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


def _lower(wanted: Any, acknowledged: Any) -> Any:  # noqa: ANN401 - numbers
    return min(wanted, acknowledged)


def _higher(wanted: Any, acknowledged: Any) -> Any:  # noqa: ANN401 - numbers
    return max(wanted, acknowledged)


def _only(*free: str) -> Guard:
    """The acknowledged value, or one of those that give nothing to anybody."""
    return lambda wanted, known: wanted if wanted in free else known


def _fewer(wanted: Any, acknowledged: Any) -> Any:  # noqa: ANN401 - lists of names
    return tuple(name for name in wanted if name in acknowledged)


def _more(wanted: Any, acknowledged: Any) -> Any:  # noqa: ANN401 - lists of files
    return tuple(dict.fromkeys((*acknowledged, *wanted)))


def _either(wanted: Any, acknowledged: Any) -> Any:  # noqa: ANN401 - yes and no
    return wanted or acknowledged


def _stricter(*order: str) -> Guard:
    """The stricter of both; the loosest stands first."""
    return lambda wanted, known: max(wanted, known, key=order.index)


def _rule(default: T, *rule: object, **rules: object) -> T:
    made: Callable[..., Rule] = Rule
    held: T = field(default=default, metadata={"rule": made(*rule, **rules)})
    return held


_TOKENS = 1_000_000
_BYTES = 1 << 30
_URL = r"https?://[^\s/?#@]+(/[^\s?#]*)?"
# Else a changed file could have any secret of the environment sent out.
_KEY_VARIABLE = r"(REVERIE_[A-Z0-9_]+|[A-Z][A-Z0-9_]*_API_KEY)?"
_KEY_WORDS = "the name of a variable, REVERIE_… or …_API_KEY, never the key itself"
_MODEL_NAME = r"[^\x00-\x1f]{0,200}"
# A place on this machine. Relative to what, a relative path would not say.
_PLACE = r"(~?/[^\x00-\x1f]*|package:[A-Za-z_]\w*(/[^\x00-\x1f]*)?)"
_HOSTS_FILES = ("moltbot.json", "openclaw.json", "clawdbot.json")
_CRITICAL_FILES = (
    *("SOUL.md", "IDENTITY.md", "reverie.toml"),
    *("AGENTS.md", "CLAUDE.md", "GEMINI.md"),
    *("USER.md", "TOOLS.md", "HEARTBEAT.md", "BOOTSTRAP.md"),
    *(".cursorrules", ".windsurfrules"),
    *_HOSTS_FILES,
)
FORMER = {
    "audit.critical_files": (
        ("SOUL.md", "IDENTITY.md", "reverie.toml", *_HOSTS_FILES),
        ("SOUL.md", "IDENTITY.md", "reverie.toml", "AGENTS.md", *_HOSTS_FILES),
    ),
}
"""Defaults that an earlier version wrote into the file; they mean those of today."""


@dataclass(frozen=True, slots=True)
class CoreConfig:
    """Core memory, `MEMORY.md`."""

    cap_tokens: int = _rule(
        3000,
        "Hard cap of core memory.",
        100,
        _TOKENS,
        guarded=_lower,
    )
    identity_tokens: int = _rule(
        500,
        "Budget of Identity.",
        0,
        _TOKENS,
        guarded=_lower,
    )
    context_tokens: int = _rule(
        1000,
        "Budget of Active Context.",
        0,
        _TOKENS,
        guarded=_lower,
    )
    persona_tokens: int = _rule(
        500,
        "Budget of Persona.",
        0,
        _TOKENS,
        guarded=_lower,
    )
    critical_tokens: int = _rule(
        1000,
        "Budget of Critical Facts.",
        0,
        _TOKENS,
        guarded=_lower,
    )


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

    token_budget: int = _rule(
        8000,
        "Tokens a reflection may write.",
        500,
        _TOKENS,
        guarded=_lower,
    )
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
    input_tokens: int = _rule(
        30_000,
        "Tokens a reflection may read.",
        1000,
        _TOKENS,
        guarded=_lower,
    )
    presentation: str = _rule(
        "monologue",
        "How it is told where somebody thinks; else it is always a summary.",
        choices=("monologue", "summary"),
    )
    most_lost: float = _rule(
        0.2,
        "The largest share of memories that one reflection may archive or drop.",
        guarded=_lower,
    )


@dataclass(frozen=True, slots=True)
class RecallConfig:
    """Search and retrieval."""

    graph_depth: int = _rule(
        2, "How many hops to follow in the graph; deeper is richer and slower.", 0, 5
    )
    max_results: int = _rule(20, "The most memories one recall returns.", 1, 1000)
    min_score: float = _rule(0.3, "Matches below this score are not returned.")
    decay_floor: float = _rule(
        0.5, "What a match keeps of its score when all of it has faded; 0 for nothing."
    )


@dataclass(frozen=True, slots=True)
class EmbeddingConfig:
    """Which model turns text into vectors."""

    model: str = _rule(
        "built-in",
        "What turns text into vectors, for search by meaning.",
        pattern=rf"built-in|none|endpoint|{_PLACE}",
        words='"built-in", "none", "endpoint", a folder as "/path" or "~/path", '
        'or "package:NAME"',
        guarded=_only("none", "built-in"),
    )
    url: str = _rule(
        "",
        "Where the endpoint is: any server with an OpenAI-compatible /embeddings.",
        pattern=rf"({_URL})?",
        words='an address such as "http://localhost:11434/v1"',
        guarded=_only(),
    )
    name: str = _rule(
        "",
        "What the endpoint calls the model.",
        pattern=_MODEL_NAME,
        words="the name of a model on one line",
        guarded=_only(),
    )
    key_variable: str = _rule(
        "OPENAI_API_KEY",
        "The environment variable that holds the endpoint's key; empty for no key.",
        pattern=_KEY_VARIABLE,
        words=_KEY_WORDS,
        guarded=_only(""),
    )
    tokenizer: str = _rule(
        "",
        "The tokenizer of a model whose own folder has none.",
        pattern=rf"({_PLACE})?",
        words='a tokenizer.json or vocab.txt as "/path", "~/path" or '
        '"package:NAME/file"',
        guarded=_only(""),
    )
    timeout_seconds: float = _rule(
        30.0,
        "How long to wait for the endpoint's answer.",
        0.1,
        3600,
        guarded=_lower,
    )
    batch: int = _rule(
        64,
        "How many texts the endpoint is sent at once.",
        1,
        2048,
        guarded=_lower,
    )


@dataclass(frozen=True, slots=True)
class MindConfig:
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
    url: str = _rule(
        "http://localhost:11434/v1",
        "Where the server is.",
        pattern=_URL,
        words='an address such as "http://localhost:11434/v1"',
        guarded=_only(),
    )
    model: str = _rule(
        "",
        "What the server calls the model.",
        pattern=_MODEL_NAME,
        words="the name of a model on one line",
        guarded=_only(),
    )
    key_variable: str = _rule(
        "",
        "The environment variable that holds the server's key; empty for no key.",
        pattern=_KEY_VARIABLE,
        words=_KEY_WORDS,
        guarded=_only(""),
    )
    timeout_seconds: float = _rule(
        60.0,
        "How long an answer may take, with all attempts.",
        0.1,
        3600,
        guarded=_lower,
    )
    retries: int = _rule(
        2,
        "How often to try again when the server is away or busy.",
        0,
        10,
        guarded=_lower,
    )
    daily_tokens: int = _rule(
        200_000,
        "The most tokens that all questions of a day may take.",
        0,
        10**9,
        guarded=_lower,
    )
    operation_tokens: int = _rule(
        20_000,
        "The most tokens that one operation may take; a reflection has its own.",
        0,
        10**9,
        guarded=_lower,
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


_PROMPT = r"[^\x00-\x08\x0b-\x1f]{1,4000}"
_PROMPT_WORDS = "one to 4,000 characters of text"


@dataclass(frozen=True, slots=True)
class ConversationConfig:
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
    prompt: str = _rule(
        "Write a concise summary of the current context.",
        "What is asked for.",
        pattern=_PROMPT,
        words=_PROMPT_WORDS,
        guarded=_only(),
    )
    pruning_prompt: str = _rule(
        "Summarize the chunks about to be pruned from context.",
        "What is asked for before something leaves the context.",
        pattern=_PROMPT,
        words=_PROMPT_WORDS,
        guarded=_only(),
    )
    before_pruning: bool = _rule(
        default=True, meaning="Summarise what is about to leave the context."
    )
    most_tokens: int = _rule(
        2000,
        "How long a summary may be, in tokens.",
        50,
        _TOKENS,
        guarded=_lower,
    )
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
    wake_tokens: int = _rule(
        6000,
        "Tokens an agent is told when it wakes.",
        200,
        _TOKENS,
        guarded=_lower,
    )
    attend_tokens: int = _rule(
        1000,
        "Tokens that are added for one message.",
        100,
        _TOKENS,
        guarded=_lower,
    )


_PHRASE = r"(?=.*[^\W\d_])[^\x00-\x1f\x7f]{2,80}"
_PHRASES = (
    "plain phrases of 2 to 80 characters, with … where what is meant stands inside"
)


@dataclass(frozen=True, slots=True)
class TriggersConfig:
    """The phrases by which a user's words ask something of memory."""

    languages: tuple[str, ...] = _rule(
        ("en", "de", "es", "fr", "pt", "zh", "ja"),
        "The languages whose phrases are listened for.",
        choices=("en", "de", "es", "fr", "pt", "zh", "ja"),
    )
    remember: tuple[str, ...] = _rule(
        (), "Further phrases to remember by.", pattern=_PHRASE, words=_PHRASES
    )
    forget: tuple[str, ...] = _rule(
        (), "Further phrases to forget by.", pattern=_PHRASE, words=_PHRASES
    )
    search: tuple[str, ...] = _rule(
        (), "Further phrases to search by.", pattern=_PHRASE, words=_PHRASES
    )
    reflect: tuple[str, ...] = _rule(
        (), "Further phrases to reflect by.", pattern=_PHRASE, words=_PHRASES
    )
    farewell: tuple[str, ...] = _rule(
        (),
        "Further phrases to take leave by: a chance to ask whether to reflect.",
        pattern=_PHRASE,
        words=_PHRASES,
    )


@dataclass(frozen=True, slots=True)
class AgentsConfig:
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


@dataclass(frozen=True, slots=True)
class AuditConfig:
    """The audit trail."""

    retention_days: int = _rule(
        90,
        "Older log lines are summed up in monthly digests.",
        1,
        36_500,
        guarded=_higher,
    )
    critical_alerts: bool = _rule(
        default=True,
        meaning="Alert on critical files.",
        guarded=_either,
    )
    critical_files: tuple[str, ...] = _rule(
        _CRITICAL_FILES,
        "The files whose every change is critical.",
        guarded=_more,
    )
    commit: str = _rule(
        "always",
        "Every change is one commit; stated here, and not tunable.",
        choices=("always",),
    )


@dataclass(frozen=True, slots=True)
class LedgerConfig:
    """Limits of the ledger."""

    lock_seconds: float = _rule(
        30.0,
        "How long a writer waits for others.",
        0,
        3600,
        guarded=_lower,
    )
    text_limit: int = _rule(
        262_144,
        "Largest memory, in bytes.",
        1024,
        _BYTES,
        guarded=_lower,
    )
    shard_limit: int = _rule(1000, "Most files in one folder.", 10, 1_000_000)
    file_limit: int = _rule(
        10_485_760,
        "Largest tracked file, in bytes.",
        1024,
        _BYTES,
        guarded=_lower,
    )


@dataclass(frozen=True, slots=True)
class Config:
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
