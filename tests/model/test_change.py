"""Actors, and the fingerprints edits are planned on."""

from __future__ import annotations

import hashlib

import pytest

from reverie.model.change import (
    ABSENT,
    MANUAL,
    Action,
    Actor,
    UnknownActorError,
    checksum,
)

ACTORS = [
    "manual",
    "bot:trigger-remember",
    "bot:trigger-forget",
    "bot:auto-detect",
    "bot:commit-from:researcher",
    "reflection:r-012",
    "system:decay",
    "system:init",
    "system:audit",
    "skill:weather",
    "subagent:coder",
]
NOBODY = [
    "",
    "Manual",
    "bot",
    "bot:",
    "bot:somebody",
    "reflection:",
    "system:root",
    "manual\nActor: bot:main",
    "skill:a b",
    "subagent:a/b",
    "manual ",
]


@pytest.mark.parametrize("tag", ACTORS)
def test_every_actor_of_the_design_is_known(tag: str) -> None:
    assert str(Actor(tag)) == tag


@pytest.mark.parametrize("tag", NOBODY)
def test_anybody_else_is_refused_with_the_list(tag: str) -> None:
    with pytest.raises(UnknownActorError) as caught:
        Actor(tag)

    assert "bot:trigger-remember" in caught.value.advice


def test_only_manual_is_a_humans_own_hand() -> None:
    assert [tag for tag in ACTORS if Actor(tag).human] == [str(MANUAL)]


def test_only_a_reflection_has_a_session() -> None:
    assert {Actor(tag).session for tag in ACTORS} == {"", "r-012"}


def test_the_vocabulary_of_actions_is_that_of_the_design() -> None:
    said = "CREATE EDIT APPEND DELETE ARCHIVE MERGE REVERT DECAY RENAME"

    assert [*said.split(), "PROPOSE", "COMMIT", "REJECT", "ALERT"] == list(Action)


def test_an_empty_file_and_no_file_have_different_checksums() -> None:
    assert checksum(b"") == hashlib.sha256(b"").hexdigest()
    assert checksum(b"") != ABSENT
