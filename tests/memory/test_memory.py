"""One handle: its arguments, and its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from reverie import Memory, RefusedError
from reverie.model.ids import Store
from reverie.session.session import ClosedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.memory.home import Home


def test_memory_inherits_nothing() -> None:
    assert Memory.__bases__ == (object,)


def test_a_closed_handle_refuses_every_verb_and_says_how_to_go_on(home: Home) -> None:
    memory = home.memory
    memory.close()

    for verb in (
        lambda: memory.recall("Alex"),
        lambda: memory.remember("Alex drinks tea."),
        lambda: memory.window("talk").say("Hello."),
        lambda: memory.reflection,
        lambda: memory.acting_as("coder"),
        memory.history,
        memory.items,
        memory.undo,
        memory.health,
    ):
        with pytest.raises(ClosedError, match="was closed") as caught:
            verb()
        assert "Memory.open" in caught.value.advice


def test_closing_twice_is_closing_once(home: Home) -> None:
    home.memory.close()
    home.memory.close()

    assert home.memory.warnings == ()


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda memory: memory.remember(None), "text"),
        (lambda memory: memory.remember("x", "semantic"), "place"),
        (lambda memory: memory.remember("x", secrets="burn"), "secrets"),
        (lambda memory: memory.remember("x", origin="moon"), "origin"),
        (lambda memory: memory.remember("x", contradicts="a#1"), "contradicts"),
        (lambda memory: memory.recall(None), "question"),
        (lambda memory: memory.recall("x", stores="semantic"), "stores"),
        (lambda memory: memory.recall("x", stores=["sematic"]), "stores"),
        (lambda memory: memory.recall("x", reach="far"), "reach"),
        (lambda memory: memory.recall("x", limit="3"), "limit"),
        (lambda memory: memory.recall("x", limit=0), "limit"),
        (lambda memory: memory.recall("x", person=3), "person"),
        (lambda memory: memory.context("x", budget="5"), "budget"),
        (lambda memory: memory.wake("w", budget="5"), "budget"),
        (lambda memory: memory.attend("w", None), "message"),
        (lambda memory: memory.window(None), "window"),
        (lambda memory: memory.history(since="yesterday"), "since"),
        (lambda memory: memory.expect("Where?", None), "answer"),
        (lambda memory: memory.acting_as(None), "name"),
        (lambda memory: memory.import_from(None), "path"),
        (lambda memory: memory.open(memory.root, human="yes"), "human"),
        (lambda _: Memory(None), "path"),  # type: ignore[arg-type]
        (lambda memory: memory.items("sematic"), "store"),
        (lambda memory: memory.undo(1), "commit"),
        (lambda memory: memory.restore(1), "at"),
        (lambda memory: memory.forget("Alex"), "matches"),
        (lambda memory: memory.reject("1"), "number"),
        (lambda memory: memory.hear(None), "message"),
    ],
)
def test_a_wrong_argument_is_named(
    furnished: Home, call: Callable[[Any], object], named: str
) -> None:
    before = furnished.head

    with pytest.raises(RefusedError, match=rf"\A{named} must be ") as caught:
        call(furnished.memory)

    assert isinstance(caught.value, TypeError)
    assert furnished.head == before


def test_a_word_does_where_an_enumeration_is_meant(furnished: Home) -> None:
    memory = furnished.memory

    found = memory.recall("Alex", stores=["semantic"], reach="everything")

    assert {hit.store for hit in found.hits} == {Store.SEMANTIC}
    assert memory.items("semantic") == memory.items(Store.SEMANTIC)
