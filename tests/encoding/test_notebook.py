"""Folders of files that an agent keeps by itself."""

from __future__ import annotations

from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie import Memory, Origin, RefusedError
from reverie.encoding.gate import ForgottenError, OnlyRecalledError
from reverie.encoding.notebook import NotebookPathError
from reverie.printable import UnstorableTextError
from reverie.secrets import SecretFoundError
from reverie.session.viewer import OthersMemoriesError

if TYPE_CHECKING:
    from tests.memory.home import Home

ROME = "# Rome\n\nThe hotel behind the Pantheon costs 120 euros.\n"
KEY = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"

UNSAFE = [
    *("", "/", ".", "..", "../x.md", "a/../../b.md", "/etc/passwd.md", "a//b.md"),
    *("%2e%2e/x.md", "..%2fx.md", "a\\..\\b.md", "\u2025/x.md", "\uff0e\uff0e/x.md"),
    *(".hidden.md", ".git/x.md", ".audit/x.md", ".reverie/x.md", "GIT~1/x.md"),
    *("x.txt", ".md", "x.md/y.md", "con.md", "a\0.md", "a\n.md", "a\u202e.md"),
    *("x" * 300 + ".md", "/".join("d" * 40) + "/x.md", "\ud800.md", "x.md ", " x.md"),
]


def test_a_file_is_notes_of_the_agent_and_comes_back_as_it_was_put(home: Home) -> None:
    notebook = home.memory.notebook("diary")

    receipt = notebook.write({"trips/rome.md": ROME}, why="the agent wrote it down")

    assert notebook.read("trips/rome.md") == ROME
    assert home.text("memory/notebooks/diary/trips/rome.md") == ROME
    hit = home.memory.recall("What does the hotel in Rome cost?").hits[0]
    assert "120 euros" in hit.text
    assert (hit.path, hit.origin) == (receipt.lines[0].path, Origin.AGENT)
    entry = home.memory.history(limit=1)[0]
    assert (str(entry.actor), entry.trigger) == ("bot:main", "the agent wrote it down")


@given(text=st.text())
def test_any_text_that_is_taken_comes_back_exactly(text: str) -> None:
    with TemporaryDirectory() as root, Memory.init(root, environ={}) as memory:
        notebook = memory.notebook("diary")
        try:
            notebook.write({"x.md": text}, why="test")
        except RefusedError:
            assert notebook.paths() == []
        else:
            assert notebook.read("x.md") == text


def test_what_is_removed_is_in_history_and_undo_brings_it_back(home: Home) -> None:
    notebook = home.memory.notebook("diary")
    notebook.write({"a.md": "An apple.\n", "b.md": "A bear.\n"}, why="two at once")

    gone = notebook.write({"a.md": None, "nothing.md": None}, why="tidying up")

    assert notebook.paths() == ["b.md"]
    assert notebook.read("a.md") is None
    assert not home.memory.recall("apple", least=0.5).hits
    assert "-An apple." in home.memory.diff(gone.commit)
    home.memory.undo(gone.commit)
    assert notebook.read("a.md") == "An apple.\n"


def test_several_files_change_together_or_not_at_all(home: Home) -> None:
    notebook = home.memory.notebook("diary")

    with pytest.raises(SecretFoundError):
        notebook.write({"a.md": "fine", "b.md": f"token {KEY}"}, why="test")

    assert notebook.paths() == []


def test_a_file_that_says_the_same_makes_no_change(home: Home) -> None:
    notebook = home.memory.notebook("diary")
    notebook.write({"a.md": "An apple."}, why="test")
    before = len(home.memory.history())

    assert notebook.write({"a.md": "An apple."}, why="again").lines == ()
    assert len(home.memory.history()) == before


@pytest.mark.parametrize("path", UNSAFE)
def test_no_path_leads_out_of_the_folder(home: Home, path: str) -> None:
    notebook = home.memory.notebook("diary")

    for act in (
        lambda: notebook.write({path: "x"}, why="test"),
        lambda: notebook.write({path: None}, why="test"),
        lambda: notebook.read(path),
    ):
        with pytest.raises(NotebookPathError):
            act()
    assert notebook.paths() == []


def test_no_link_is_followed(home: Home) -> None:
    notebook, outside = home.memory.notebook("diary"), home.root.parent / "outside"
    outside.mkdir()
    (outside / "a.md").write_text("secret plans", encoding="utf-8")
    notebook.write({"x.md": "x"}, why="test")
    folder = home.root / notebook.folder
    (folder / "out").symlink_to(outside)
    (folder / "a.md").symlink_to(outside / "a.md")

    for path in ("out/a.md", "a.md"):
        with pytest.raises(NotebookPathError):
            notebook.read(path)
        with pytest.raises(NotebookPathError):
            notebook.write({path: "mine now"}, why="test")
    assert notebook.paths() == ["x.md"]
    assert (outside / "a.md").read_text(encoding="utf-8") == "secret plans"


def test_two_spellings_of_one_name_are_one_file(home: Home) -> None:
    notebook = home.memory.notebook("diary")
    notebook.write({"Notes.md": "x"}, why="test")

    with pytest.raises(NotebookPathError, match="same name"):
        notebook.write({"notes.md": "y"}, why="test")


@pytest.mark.parametrize("name", ["", "..", "a/b", "A", "../memory", "x y"])
def test_a_notebook_has_a_plain_name(home: Home, name: str) -> None:
    with pytest.raises(RefusedError, match="no name for a notebook"):
        home.memory.notebook(name)


def test_what_may_not_be_kept_is_refused_and_says_why(home: Home) -> None:
    notebook = home.memory.notebook("diary")
    home.memory.remember("The mill opens in spring.")
    block = home.memory.context("When does the mill open?")
    wrong: dict[str, type[Exception]] = {
        f"key: {KEY}": SecretFoundError,
        block: OnlyRecalledError,
        "a\u202eb": UnstorableTextError,
        "x" * 300_000: UnstorableTextError,
        " " * 300_000: UnstorableTextError,
    }

    for text, error in wrong.items():
        with pytest.raises(error):
            notebook.write({"x.md": text}, why="test")
    with pytest.raises(SecretFoundError):
        notebook.write({f"{KEY}.md": "x"}, why="test")


def test_what_its_human_forgets_is_not_read_back_nor_written_again(home: Home) -> None:
    notebook = home.memory.notebook("diary")
    text = "- Mia is allergic to nuts.\n- The mill opens in spring.\n"
    notebook.write({"x.md": text}, why="test")
    found = home.memory.find_to_forget("Mia is allergic to nuts")

    home.memory.forget(found.matches)

    assert notebook.read("x.md") == "- The mill opens in spring.\n"
    assert [
        f.path for f in notebook.search("allergic to nuts", 5) if f.score > 0.4
    ] == []
    with pytest.raises(ForgottenError):
        notebook.write({"y.md": "Mia is allergic to nuts."}, why="test")
    notebook.write({"x.md": text + "- It is old.\n"}, why="it stood there before")


def test_a_search_stays_in_its_own_notebook(home: Home) -> None:
    diary, other = home.memory.notebook("diary"), home.memory.notebook("diary-2")
    home.memory.remember("The hotel in Paris costs 200 euros.")
    other.write({"x.md": "The hotel in Oslo costs 300 euros."}, why="test")
    diary.write({"rome.md": ROME, "copy.md": ROME, "y.md": "Bees."}, why="test")

    found = diary.search("what does the hotel cost", 10)

    assert {each.path for each in found[:2]} == {"rome.md", "copy.md"}
    assert all(0 <= each.score <= 1 for each in found)


def test_a_plan_sees_the_files_as_they_stand(home: Home) -> None:
    notebook = home.memory.notebook("diary")
    notebook.write({"x.md": "one\n"}, why="test")
    home.type("memory/notebooks/diary/x.md", "one, by hand\n")

    notebook.change(
        lambda: {"x.md": f"{notebook.read('x.md')}two\n"}, why="one line more"
    )

    assert notebook.read("x.md") == "one, by hand\ntwo\n"
    actors = [str(entry.actor) for entry in home.memory.history(limit=2)]
    assert actors == ["bot:main", "manual"]


def test_files_that_a_person_puts_there_are_read(home: Home) -> None:
    home.type("memory/notebooks/diary/by-hand.md", "Hens.\n")

    assert home.memory.notebook("diary").paths() == ["by-hand.md"]


def test_purging_what_the_agent_said_takes_its_notebooks_too(home: Home) -> None:
    notebook = home.memory.notebook("diary")
    notebook.write({"rome.md": ROME}, why="test")
    home.type("memory/by-hand.md", "Hens.\n")

    done = home.memory.purge(home.memory.purgeable(Origin.AGENT))

    assert notebook.paths() == []
    assert home.text("memory/by-hand.md") == "Hens.\n"
    home.memory.undo(done.commit)
    assert notebook.read("rome.md") == ROME


def test_a_memory_of_one_person_has_no_notebooks(home: Home) -> None:
    with (
        Memory.open(home.root, person="Mia", environ={}) as memory,
        pytest.raises(OthersMemoriesError),
    ):
        memory.notebook("diary")
