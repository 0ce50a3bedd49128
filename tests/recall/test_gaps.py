"""What could not be searched yet is read or computed, or the answer says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.memory.home import ALEX, Home, agrees
from tests.recall.test_finer_model import letters

from reverie import Episodic, Memory
from reverie.recall import search
from reverie.workspace import background

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from tests.embedding.models import Letters

__all__ = ["letters"]

PAGES = "memory/graph/entities"
MUSIC = 30


def save_pages(home: Home) -> None:
    """Save more pages than are read while somebody waits."""
    for number in range(MUSIC):
        text = f"# Player {number}\n\n## Facts\n\n- Owns oboe number {number}.\n"
        home.type(f"{PAGES}/person--player-{number}.md", text)


def test_a_file_saved_just_now_is_found_by_the_first_question(furnished: Home) -> None:
    memory = furnished.memory
    assert not memory.recall("oboe").hits
    page = furnished.text(ALEX).replace("- Lives in", "- Owns an oboe.\n- Lives in")

    furnished.type(ALEX, page)

    assert memory.recall("oboe").hits[0].text == "Owns an oboe."


def test_a_file_saved_just_now_is_in_the_next_context(furnished: Home) -> None:
    memory = furnished.memory
    assert not memory.context("oboe").ids
    page = furnished.text(ALEX).replace("- Lives in", "- Owns an oboe.\n- Lives in")

    furnished.type(ALEX, page)

    assert "owns an oboe" in memory.context("oboe")


def test_an_answer_says_how_many_changed_files_are_not_read(furnished: Home) -> None:
    memory = furnished.memory
    memory.recall("oboe")

    save_pages(furnished)

    found, block = memory.recall("oboe"), memory.context("oboe")
    assert not found.hits
    assert found.unread_files == MUSIC
    assert found.gaps == (f"{MUSIC} files changed and are not read yet.",)
    assert found.gaps[0] in block
    assert "found nothing" not in block


def test_missing_vectors_are_computed_in_the_background_of_an_open_workspace(
    tmp_path: Path, letters: Letters, monkeypatch: pytest.MonkeyPatch
) -> None:
    del letters
    started: list[bool] = []
    begin = lambda _folder, *, ended: started.append(ended)  # noqa: E731 - a stand-in
    monkeypatch.setattr(background, "start_upkeep", begin)
    monkeypatch.setattr(search, "FEW", 2)
    with Memory.init(tmp_path / "open", environ={}, human=agrees) as memory:
        for number in range(6):
            memory.remember(f"The heron ate fish number {number}.", Episodic())

        first = memory.recall("Which fish did the heron eat?")
        again = memory.recall("Which fish did the heron eat?")

        assert first.without_vectors == 6
        assert first.gaps == ("6 memories are not searchable by meaning yet.",)
        assert first.gaps[0] in memory.context("Which fish did the heron eat?")
        assert again.without_vectors == 6
        assert started == [False]
        memory.embed()
        assert memory.recall("Which fish did the heron eat?").gaps == ()
        memory.tidy_on_close = False


def test_no_background_work_starts_where_it_is_switched_off(
    tmp_path: Path, letters: Letters, monkeypatch: pytest.MonkeyPatch
) -> None:
    del letters
    started: list[bool] = []
    begin = lambda _folder, *, ended: started.append(ended)  # noqa: E731 - a stand-in
    monkeypatch.setattr(background, "start_upkeep", begin)
    monkeypatch.setattr(search, "FEW", 0)
    with Memory.init(tmp_path / "open", environ={}, human=agrees) as memory:
        memory.tidy_on_close = False
        memory.remember("The heron ate a fish.", Episodic())

        found = memory.recall("Which fish did the heron eat?")

    assert found.without_vectors == 1
    assert not started
