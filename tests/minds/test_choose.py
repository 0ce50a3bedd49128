"""Which mind the configuration asks for, and where its questions go."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.minds.servers import MemoryPurse
from tests.minds.test_host import MemoryBox

from reverie.config import Config, ConfigError, MindConfig, parse_config
from reverie.minds import open_mind
from reverie.minds.api import ApiMind
from reverie.minds.http import Server, ServerError
from reverie.minds.mind import HostMind

SOURCE = Path(__file__).parents[2] / "src"


def opened(config: MindConfig) -> object:
    return open_mind(config, {}, MemoryPurse(), MemoryBox())


def test_by_default_nobody_thinks_and_nothing_is_sent() -> None:
    assert opened(Config().mind) is None


def test_the_host_thinks_where_it_is_asked_to() -> None:
    assert isinstance(opened(MindConfig(kind="host")), HostMind)


@pytest.mark.parametrize("style", ["openai", "anthropic"])
def test_a_model_thinks_where_it_is_asked_to(style: str) -> None:
    config = MindConfig(kind="api", style=style, model="m")

    mind = opened(config)

    assert isinstance(mind, ApiMind)
    assert mind.name == "m at localhost"


def test_an_address_that_is_none_is_told() -> None:
    with pytest.raises(ServerError, match="is not the address of a server"):
        opened(MindConfig(kind="api", model="m", url="http://[::1/v1"))


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:11434/v1",
        "https://LOCALHOST/v1",
        "HTTPS://localhost/v1",
        "http://127.0.0.1:8080",
        "http://127.9.9.9/v1",
        "http://[::1]:8080/v1",
    ],
)
def test_this_machine_is_here(url: str) -> None:
    assert Server(url, "mind", "", {}).here


@pytest.mark.parametrize(
    "url",
    [
        "https://api.openai.com/v1",
        "http://192.168.1.7:11434/v1",
        "http://0.0.0.0:11434/v1",
        "http://localhost.example/v1",
        "http://127.0.0.1.example/v1",
        "http://127.1/v1",
        "http://mylocalhost/v1",
        "http://localhost:80@models.example/v1",
        "http://[fe80::1]/v1",
        "http://[::ffff:8.8.8.8]/v1",
        "http://[::1/v1",
        "ftp://localhost/v1",
        "",
    ],
)
def test_any_other_place_is_not_here(url: str) -> None:
    with suppress(ServerError):
        assert not Server(url, "mind", "", {}).here


@given(st.text() | st.text("htps:/[]@.1#? \n").map("http://".__add__))
def test_any_text_is_an_address_or_refused(url: str) -> None:
    try:
        address = Server(url, "mind", "", {})
    except ServerError:
        return
    assert address.host
    assert address.path.isascii()


def test_choosing_loads_no_sockets() -> None:
    code = (
        "import sys, reverie.minds\n"
        "print([m for m in ('ssl', 'httpx2') if m in sys.modules])"
    )

    said = subprocess.check_output(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(SOURCE)}
    )

    assert said == b"[]\n"


# --- the section [mind] ----------------------------------------------------------


def test_a_mind_is_configured() -> None:
    text = """
        [mind]
        kind = "api"
        style = "anthropic"
        url = "https://api.anthropic.com"
        model = "claude-haiku"
        key_variable = "ANTHROPIC_API_KEY"
        """

    config = parse_config(text, "reverie.toml", {"REVERIE_MIND_DAILY_TOKENS": "5"})

    assert config.mind == MindConfig(
        kind="api",
        style="anthropic",
        url="https://api.anthropic.com",
        model="claude-haiku",
        key_variable="ANTHROPIC_API_KEY",
        daily_tokens=5,
    )


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("kind = 'model'", '"rules", "api", "host"'),
        ("style = 'gemini'", '"openai", "anthropic"'),
        ("url = 'localhost'", "an address"),
        ("url = 'http://me:secret@host/v1'", "an address"),
        ("key_variable = 'AWS_SECRET_ACCESS_KEY'", "never the key itself"),
        ("key_variable = 'sk-12345'", "never the key itself"),
        ("timeout_seconds = 0", "from 0.1 to 3600"),
        ("retries = 11", "from 0 to 10"),
        ("daily_tokens = -1", "from 0 to"),
    ],
)
def test_a_wrong_parameter_is_told(line: str, hint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_config(f"[mind]\n{line}\n", "reverie.toml", {})

    assert caught.value.line == 2
    assert hint in caught.value.advice
