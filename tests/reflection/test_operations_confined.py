"""Each kind of operation touches only what it may."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reflection.sites import ALEX, DEPLOY, FADED, made

from reverie.errors import ReverieError
from reverie.model.reflection import OperationKind
from reverie.reflection.operations import OutOfBoundsError, confine

EDGE = "person--alex → uses → tool--git"


def test_what_a_kind_may_touch_gets_its_usual_name() -> None:
    for kind, target, content, path in [
        ("EXTRACT", ALEX, "x", ALEX),
        ("EXTRACT", "person--alex", "x", ALEX),
        ("EXTRACT", "person--alex.md", "x", ALEX),
        ("EXTRACT", "entity:person--alex", "x", ALEX),
        ("EXTRACT", "[[person--alex]]", "x", ALEX),
        ("EXTRACT", "entities/person--alex.md", "x", ALEX),
        ("EXTRACT", "memory/graph/entities/a/7/person--alex.md", "x", ALEX),
        ("EXTRACT", "Person--Alex", "x", ALEX),
        ("CONNECT", "memory/graph/index.md", EDGE, ALEX),
        ("CONNECT", ALEX, EDGE, ALEX),
        ("CONNECT", "tool--git", EDGE, ALEX),
        ("FLAG", "person--alex", "x", ALEX),
        ("FLAG", "", "x", ""),
        ("FLAG", FADED, "x", FADED),
        ("ARCHIVE", FADED, "", FADED),
        ("ARCHIVE", "Episode 2026-01-01:10:00", "", FADED),
        ("ARCHIVE", "Episode 2026-01-01 10:00", "", FADED),
        ("ARCHIVE", "episode:2026-01-01:10:00~2", "", f"{FADED}~2"),
        ("ARCHIVE", "entity:person--alex", "", "entity:person--alex"),
        ("PATTERN", DEPLOY, "x", DEPLOY),
        ("PATTERN", "procedure:how-to-deploy", "x", DEPLOY),
        ("PATTERN", "how-to-deploy", "x", DEPLOY),
        ("EVOLVE", "memory/meta/evolution.md", "x", "memory/meta/evolution.md"),
        ("CORE", "active context", "+ x", "Active Context"),
        ("MOVE", "Identity", "x", "Identity"),
        ("DROP", "identity", "x", "Identity"),
        ("COMMIT", "#3", "x", "#3"),
        ("REJECT", "#3", "x", "#3"),
    ]:
        operation = confine(made(kind, target, content))

        assert operation.target == path
        assert confine(operation) == operation


def test_an_edge_is_read_as_a_row_or_with_arrows() -> None:
    for content in [
        EDGE,
        "person--alex -> uses -> tool--git",
        "- [[person--alex]] → uses → [[tool--git]]",
        "| person--alex | uses | tool--git | high | 2026-01-01 | 2026-01-02 |",
        "| From | Relation | To |\n|---|---|---|\n| person--alex | uses | tool--git |",
    ]:
        assert (
            confine(made("CONNECT", "memory/graph/index.md", content)).content == EDGE
        )


def test_what_is_not_one_edge_between_entities_is_refused() -> None:
    for content in [
        "",
        "Alex uses git",
        "person--alex → uses",
        "Alex → uses → git",
        "person--alex → uses → person--alex",
        "person--alex → uses → ../SOUL.md",
        "person--alex →  → tool--git",
        "person--alex → [[x]] → tool--git",
        f"{EDGE}\n{EDGE.replace('git', 'make')}",
        f"## Facts\n{EDGE}",
    ]:
        with pytest.raises(OutOfBoundsError):
            confine(made("CONNECT", "memory/graph/index.md", content))


def test_an_edge_is_not_written_on_a_third_page() -> None:
    with pytest.raises(OutOfBoundsError, match="neither end"):
        confine(made("CONNECT", "person--kim", EDGE))


def test_everything_else_is_refused() -> None:
    for kind, target, content in [
        ("ARCHIVE", "memory/episodes/2026-01-01.md", ""),
        ("ARCHIVE", "core:identity/name", ""),
        ("ARCHIVE", "vault:passport", ""),
        ("ARCHIVE", "turn:trip/1/user/0", ""),
        ("ARCHIVE", "", ""),
        ("FLAG", "vault:passport", "x"),
        ("FLAG", "turn:trip/1/user/0", "x"),
        ("FLAG", "memory/vault/passport.md", "x"),
        ("EVOLVE", "IDENTITY.md", "x"),
        ("EVOLVE", "memory/meta/evolution-archive.md", "x"),
        ("EVOLVE", "memory/meta/evolution.md", "  "),
        ("EXTRACT", "person--alex", ""),
        ("PATTERN", "SOUL.md", "x"),
        ("PATTERN", "how-to-deploy.md", "x"),
        ("PATTERN", "memory/procedures/.md", "x"),
        ("CORE", "A section of my own", "+ x"),
        ("CORE", "MEMORY.md", "+ x"),
        ("CORE", "Identity", "x"),
        ("CORE", "Identity", "- x"),
        ("MOVE", "Identity", ""),
        ("DROP", "MEMORY.md", "x"),
        ("CORE", "Identity", "+ "),
        ("CORE", "Identity", "+x"),
        ("COMMIT", "3", "x"),
        ("COMMIT", "#0", "x"),
        ("REJECT", "#3 and #4", "x"),
    ]:
        with pytest.raises(OutOfBoundsError) as caught:
            confine(made(kind, target, content))
        assert caught.value.advice


targets = st.text(max_size=40) | st.lists(
    st.sampled_from(
        [
            *("..", "/", "--", "person", "alex", ".md", "memory/graph/entities/"),
            *("memory/procedures/", "entity:", "#1", "%2e", "\\", "\u0430", " ", "\0"),
        ]
    ),
    max_size=7,
).map("".join)


@given(st.sampled_from(OperationKind), targets, targets | st.just(EDGE))
def test_no_target_leaves_the_folder_of_its_kind(
    kind: OperationKind, target: str, content: str
) -> None:
    try:
        operation = confine(made(kind, target, content))
    except ReverieError:
        return
    assert confine(operation) == operation
    confined = operation.target
    folders = {
        OperationKind.EXTRACT: "memory/graph/entities/",
        OperationKind.CONNECT: "memory/graph/entities/",
        OperationKind.PATTERN: "memory/procedures/",
    }
    folder = folders.get(kind, "")
    assert confined.startswith(folder)
    if folder:
        assert "/" not in confined.removeprefix(folder)
        assert ".." not in confined
