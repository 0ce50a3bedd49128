"""Whose words count for how much."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.model.change import Actor, origin_of
from reverie.model.items import Origin, Source, implied, least, named

ACTORS = {
    "manual": Origin.OWNER,
    "bot:trigger-remember": Origin.OWNER,
    "bot:auto-detect": Origin.AGENT,
    "bot:main": Origin.AGENT,
    "bot:commit-from:researcher": Origin.SUBAGENT,
    "reflection:r-012": Origin.AGENT,
    "subagent:coder": Origin.SUBAGENT,
    "skill:weather": Origin.TOOL,
    "system:decay": Origin.SYSTEM,
}


@pytest.mark.parametrize(("tag", "origin"), ACTORS.items())
def test_an_actor_s_words_have_an_origin(tag: str, origin: Origin) -> None:
    assert origin_of(Actor(tag)) is origin


@given(st.lists(st.sampled_from(Origin), min_size=1))
def test_what_is_derived_is_trusted_no_more_than_any_parent(
    origins: list[Origin],
) -> None:
    trusted = list(Origin)

    assert least(origins) in origins
    assert all(trusted.index(least(origins)) >= trusted.index(o) for o in origins)


def test_what_comes_from_nowhere_is_trusted_least() -> None:
    assert least(()) is Origin.TOOL


@given(st.text())
def test_a_word_that_is_no_origin_trusts_nobody(word: str) -> None:
    assert named(word) is (Origin(word) if word in list(Origin) else Origin.TOOL)


def test_a_line_without_a_source_was_typed_by_its_owner() -> None:
    assert implied(None) is Origin.OWNER
    assert implied(Source.IMPORT) is Origin.IMPORT
