"""What is kept of the graph and of files is as if it were worked out anew."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tests.memory.home import agrees

from reverie import Memory, Role, Semantic
from reverie.interfaces.web.sample import make_sample

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


NOW = datetime.now(UTC)


def opened(root: Path) -> Memory:
    memory = Memory(root, clock=lambda: NOW, human=agrees)
    memory.tidy_on_close = False
    return memory


def changes(memory: Memory) -> Iterator[str]:
    """All that may become of a page, each by its name."""
    page = memory.root / "memory/graph/entities/person--pia.md"
    memory.remember("Pia plays the cello.", Semantic("person--pia"))
    yield "a page"
    memory.remember("It rained.")
    yield "something else"
    memory.remember("Pia sings.", Semantic("person--pia"))
    yield "a fact"
    text = page.read_text("utf-8")
    links = "\n## Relations\n- knows → [[person--mira]]\n- knows → [[person--teo]]\n"
    page.write_text(text.partition("\n## Relations")[0] + links, "utf-8")
    memory.overview()
    yield "links by hand"
    memory.reinforce(["entity:person--pia"])
    yield "a use"
    memory.pin("entity:person--pia")
    yield "pinned"
    memory.unpin("entity:person--pia")
    yield "let go"
    memory.rename("entity:person--pia", "Pia Holm")
    yield "another name"
    memory.undo()
    yield "its old name"
    found = memory.find_to_forget("entity:person--pia").matches
    memory.forget(found)
    yield "forgotten"
    memory.undo()
    yield "known again"
    page.unlink()
    memory.overview()
    yield "gone"


def test_the_graph_is_the_same_as_anew_after_every_change(tmp_path: Path) -> None:
    root = tmp_path / "agent"
    make_sample(root)
    kept = opened(root)

    def told(memory: Memory, kind: str = "", status: str = "") -> object:
        part = memory.entities.part(kind=kind, status=status)
        return part.nodes, part.edges, part.total, part.types

    def naming(memory: Memory) -> list[str]:
        return [*memory._site().naming("person--mira")]  # noqa: SLF001 - no verb tells it

    with kept, opened(root) as writer:
        told(kept)
        naming(kept)
        for change in changes(writer):
            with opened(root) as anew:
                for how in ({}, {"kind": "person"}, {"status": "active"}):
                    assert told(kept, **how) == told(anew, **how), (change, how)
                assert naming(kept) == naming(anew), change


def test_what_was_said_under_a_number_is_found_without_the_rest(
    tmp_path: Path,
) -> None:
    with Memory.init(tmp_path / "agent") as memory:
        window = memory.window("long")
        for n in range(5):
            window.say(f"Question {n}.")
            window.say(f"Answer {n}.", role=Role.ASSISTANT)
        every = memory.turns("long", deleted=True)

        for turn in every:
            found = memory.turns("long", number=turn.number, deleted=True)
            assert found == [each for each in every if each.number == turn.number]
        assert memory.turns("long", number=99) == []
