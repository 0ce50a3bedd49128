"""A reflection may not lose too much, nor touch what is pinned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.reflection.sites import (
    ALEX,
    ALEX_PAGE,
    CORE,
    FADED,
    PINNED,
    PINNED_PAGE,
    Workspace,
    made,
)

from reverie.config import Config
from reverie.model.change import Action, Edit, checksum
from reverie.reflection.loss_guard import (
    LossError,
    PinnedTextLostError,
    TooMuchLostError,
    require_harmless,
)
from reverie.reflection.plan import Planned, PlannedStep, plan_operations
from reverie.workspace import layout

if TYPE_CHECKING:
    from reverie.model.reflection import Operation


def plan(*operations: Operation, workspace: Workspace | None = None) -> Planned:
    planned = plan_operations(operations, (workspace or Workspace()).site)
    assert planned.refused == ()
    return planned


def rewritten(path: str, old: str, new: str | None) -> Planned:
    """A plan that some other part of the program might come up with."""
    content = None if new is None else new.encode()
    edit = Edit(path, content, checksum(old.encode()), Action.EDIT, "x")
    return Planned((edit,), before=((path, old.encode()),))


def archiving(count: int) -> Planned:
    steps = tuple(PlannedStep(n, made("ARCHIVE", FADED), "") for n in range(count))
    return Planned(archived=("x",) * count, steps=steps)


def test_additions_lose_nothing() -> None:
    planned = plan(
        made("EXTRACT", "person--kim", "Has a dog"),
        made("CONNECT", "person--kim", "person--kim → knows → tool--git"),
        made("FLAG", "person--kim", "Cello or harp?"),
        made("CORE", "Persona", "+ Laughs at puns"),
        made("CORE", "Critical Facts", "+ Has a bad knee"),
    )

    require_harmless(planned, 10, Config())


def test_a_few_may_always_go() -> None:
    for count, all_ in [(5, 6), (5, 0), (20, 100)]:
        require_harmless(archiving(count), all_, Config())


def test_more_than_the_share_is_refused_with_its_figures() -> None:
    for count, all_ in [(6, 6), (6, 29), (21, 100)]:
        with pytest.raises(TooMuchLostError, match=f"drop {count} of {all_}") as caught:
            require_harmless(archiving(count), all_, Config())
        assert "most_lost" in caught.value.advice


def test_the_share_is_a_parameter() -> None:
    section = replace(Config().reflection, most_lost=0.9)

    require_harmless(archiving(80), 100, replace(Config(), reflection=section))


def test_facts_and_lines_of_core_memory_count_too() -> None:
    page = ALEX_PAGE.replace(
        "- Drinks tea\n", "".join(f"- Likes tea number {n}\n" for n in range(4))
    )
    workspace = Workspace()
    workspace.files[ALEX] = page.encode()
    planned = plan(
        *(
            made("EXTRACT", ALEX, f"New {n} (supersedes: Likes tea number {n})")
            for n in range(4)
        ),
        made("MOVE", "Persona", "Likes short answers"),
        made("MOVE", "Active Context", "Waiting for the roof tiles"),
        workspace=workspace,
    )

    with pytest.raises(
        LossError, match="0 archived, 4 facts superseded, 2 lines out of core memory"
    ):
        require_harmless(planned, 10, Config())


def test_a_line_that_only_moves_is_not_lost() -> None:
    workspace = Workspace()
    lines = [f"- Line number {n}\n" for n in range(6)]
    text = CORE.replace("- Likes short answers\n", "".join(lines))
    workspace.files[layout.CORE] = text.encode()
    moved = [
        operation
        for line in lines
        for operation in (
            made("MOVE", "Persona", line.strip()[2:]),
            made("CORE", "Identity", f"+{line.strip()[1:]}"),
        )
    ]

    require_harmless(plan(*moved, workspace=workspace), 6, Config())


def test_pinned_text_that_would_change_is_named() -> None:
    for path, old, new, named in [
        (PINNED, PINNED_PAGE, None, "person--kim"),
        (PINNED, PINNED_PAGE, "", "person--kim"),
        (PINNED, PINNED_PAGE, PINNED_PAGE.replace("yes", "no"), "person--kim"),
        (PINNED, PINNED_PAGE, PINNED_PAGE.replace("cello", "harp"), "cello"),
        (PINNED, PINNED_PAGE, PINNED_PAGE.replace("A friend.", ""), "A friend"),
        (PINNED, PINNED_PAGE, PINNED_PAGE.replace("- Plays", "- ~~Plays"), "cello"),
        (layout.CORE, CORE, CORE.replace("to nuts", "to cats"), "nuts"),
        (layout.CORE, CORE, CORE.replace("nuts <!-- pinned -->", "nuts"), "nuts"),
        (
            f"{layout.VAULT}/passport.md",
            "# Passport\n\nDrawer.\n",
            "# Passport\n\nAway.\n",
            "Drawer",
        ),
    ]:
        with pytest.raises(PinnedTextLostError, match=named):
            require_harmless(rewritten(path, old, new), 1000, Config())


def test_a_pinned_line_stays_the_same_where_one_like_it_goes() -> None:
    old = CORE.replace(
        "- Likes short answers\n",
        "- Tea: green\n- Tea: black <!-- pinned -->\n",
    )
    new = old.replace("- Tea: green\n", "")

    require_harmless(rewritten(layout.CORE, old, new), 1000, Config())
