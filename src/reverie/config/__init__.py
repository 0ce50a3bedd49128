"""The parameters of a workspace, `reverie.toml` (design, section 16).

Each parameter is one field in `sections`: its default, what it means, what it may
be. The file that `init` writes, the checks, the environment variables and the
reference in docs/configuration.md all follow from these fields.
"""

from reverie.config.guarding import (
    GUARDED,
    Effective,
    Waiting,
    agreed,
    effective,
    parse_acknowledged,
    render_acknowledged,
)
from reverie.config.parameters import (
    ENVIRONMENT_PREFIX,
    PARAMETERS,
    Parameter,
    render_config,
    render_reference,
    render_value,
)
from reverie.config.reading import ConfigError, parse_config
from reverie.config.sections import (
    AgentsConfig,
    AuditConfig,
    Config,
    ConversationConfig,
    CoreConfig,
    DecayConfig,
    EmbeddingConfig,
    LedgerConfig,
    MindConfig,
    RecallConfig,
    ReflectionConfig,
    Rule,
    TriggersConfig,
    Value,
)

__all__ = [
    "ENVIRONMENT_PREFIX",
    "GUARDED",
    "PARAMETERS",
    "AgentsConfig",
    "AuditConfig",
    "Config",
    "ConfigError",
    "ConversationConfig",
    "CoreConfig",
    "DecayConfig",
    "Effective",
    "EmbeddingConfig",
    "LedgerConfig",
    "MindConfig",
    "Parameter",
    "RecallConfig",
    "ReflectionConfig",
    "Rule",
    "TriggersConfig",
    "Value",
    "Waiting",
    "agreed",
    "effective",
    "parse_acknowledged",
    "parse_config",
    "render_acknowledged",
    "render_config",
    "render_reference",
    "render_value",
]
