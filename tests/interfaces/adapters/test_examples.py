"""The examples of docs/adapters.md run, and a missing framework is told."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from reverie import Memory, UnavailableError
from reverie.interfaces.adapters import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "adapters.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
PACKAGES = {
    "anthropic": "anthropic",
    "langgraph": "langgraph",
    "openai_agents": "agents",
    "pydantic_ai": "pydantic_ai",
}


def _nothing() -> dict[str, Any]:
    return {}


def _of_openai() -> dict[str, Any]:
    agents = importlib.import_module("agents")
    scripted = importlib.import_module("tests.interfaces.adapters.test_openai_agents")
    agents.set_tracing_disabled(disabled=True)
    answer = scripted.message("In Trastevere.", "msg_1")
    return {"model": scripted.Scripted([answer])}


def _of_pydantic() -> dict[str, Any]:
    scripted = importlib.import_module("tests.interfaces.adapters.test_pydantic_ai")
    return {"model": scripted.Scripted(scripted.say("I will.")).model}


class _Client:
    """A client whose model writes one file."""

    def __init__(self) -> None:
        self.beta = self.messages = self

    def tool_runner(self, *, tools: list[Any], **_: Any) -> _Client:
        """Call the tool."""
        path, text = "/memories/prefs.md", "Likes tea.\n"
        tools[0].call({"command": "create", "path": path, "file_text": text})
        return self

    def until_done(self) -> _Client:
        """The last message."""
        self.content, self.text = [self], "Noted."
        return self


def _of_anthropic() -> dict[str, Any]:
    return {"client": _Client()}


SETTINGS: dict[str, tuple[Callable[[], dict[str, Any]], str, str]] = {
    "langgraph": (_nothing, "memory/notebooks/langgraph/users/alex/food.md", "pizza"),
    "openai_agents": (_of_openai, "In Trastevere.", "Where do we stay"),
    "pydantic_ai": (_of_pydantic, "I will.", "Mo"),
    "anthropic": (_of_anthropic, "Noted.", "tea"),
}


@pytest.mark.parametrize("adapter", PACKAGES)
def test_the_example_in_the_docs_runs(
    adapter: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip(PACKAGES[adapter], reason="make test-adapters installs it")
    example = next(each for each in EXAMPLES if f"adapters.{adapter} import" in each)
    setting, prints, found = SETTINGS[adapter]
    monkeypatch.chdir(tmp_path)

    names: dict[str, Any] = {"__name__": "example", **setting()}
    # A class of the example is looked up by its module.
    monkeypatch.setitem(sys.modules, "example", type(sys)("example"))
    vars(sys.modules["example"]).update(names)
    exec(example, vars(sys.modules["example"]))  # noqa: S102 - our own page

    assert capsys.readouterr().out.strip() == prints
    with Memory.open(tmp_path / "agent") as memory:
        assert any(found in hit.text for hit in memory.recall(found).hits)


@pytest.mark.parametrize("adapter", PACKAGES)
def test_without_its_framework_an_adapter_says_what_to_install(
    adapter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, package = f"reverie.interfaces.adapters.{adapter}", PACKAGES[adapter]
    monkeypatch.delitem(sys.modules, name, raising=False)
    for known in [each for each in sys.modules if each.startswith(f"{package}.")]:
        monkeypatch.delitem(sys.modules, known)
    monkeypatch.setitem(sys.modules, package, None)

    with pytest.raises(MissingExtraError) as caught:
        importlib.import_module(name)

    assert isinstance(caught.value, ImportError)
    assert isinstance(caught.value, UnavailableError)
    assert f"pip install 'reverie[{adapter.replace('_', '-')}]'" in caught.value.hint
