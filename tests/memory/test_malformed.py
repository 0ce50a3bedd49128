"""One damaged file: reported with its place, left as it is, in nobody's way.

Shortened: two in five of all pairs of a file and a damage, spread over both. In full,
all of them: `make test-full`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.memory.home import (
    ALEX,
    CONFIG,
    CORE,
    DAY,
    DEPLOY,
    GRAPH,
    PASSPORT,
    RELATIONS,
    SCORES,
)

from reverie import (
    Block,
    Core,
    Episodic,
    FormatError,
    Procedural,
    RefusedError,
    Semantic,
    Store,
    Vault,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.memory.home import Home

    from reverie.model.route import Place

FILES = {
    "core": CORE,
    "episodic": DAY,
    "semantic": ALEX,
    "procedural": DEPLOY,
    "vault": PASSPORT,
    "relations": RELATIONS,
    "graph": GRAPH,
    "scores": SCORES,
    "config": CONFIG,
}
NOBODY_CAN_TELL: set[tuple[str, str]] = {
    ("vault", "truncated"),
    ("semantic", "truncated"),
    ("graph", "truncated"),
    ("relations", "empty"),
    ("graph", "empty"),
    ("config", "empty"),
}
"""What still reads as a whole file; it must do no harm all the same."""

REPLACED: dict[str, dict[str, tuple[str, str, int]]] = {
    "wrong heading": {
        "core": ("## Persona", "## Person", 21),
        "episodic": ("## 12:00 | event", "## lunch | event", 3),
        "semantic": ("# person--alex", "# person--bob", 1),
        "procedural": ("## Steps", "## Stepz", 0),
        "relations": ("- `develops`", "- develops", 7),
        "graph": ("| person--alex | person |", "| person--alex |", 0),
        "scores": ('"version": 1', '"version": 7', 0),
        "config": ("[decay]", "[decai]", 0),
    },
    "bad date": {
        "episodic": ("## 12:00 |", "## 25:61 |", 3),
        "semantic": ("since: 2026-02-02", "since: yesterday", 0),
        "procedural": ("Learned: 2026-02-02", "Learned: 2026-02-31", 3),
        "scores": ('"created": "2026-02-02T12:00:00Z"', '"created": "today"', 0),
    },
    "listed twice": {
        "core": ("## Persona", "## Identity", 21),
        "relations": ("- `avoids`", "- `prefers`", 0),
        "config": ("[decay]", "[core]", 0),
    },
}


CUT = {
    "episodic": b":00 |",
    "relations": b"evelops`",
    "core": b"ersona",
    "config": b"ecay]",
}


def damaged(kind: str, store: str, text: bytes) -> bytes:
    """A file's bytes after some accident."""
    middle = text.find(b"\n", len(text) // 2) + 1
    merge = b"<<<<<<< ours\nx\n=======\ny\n>>>>>>> theirs\n"
    inserted = {"invalid UTF-8": b"\xff\xfe\n", "a NUL": b"\0\n", "merge marks": merge}
    if kind in inserted:
        return text[:middle] + inserted[kind] + text[middle:]
    if kind in {"truncated", "empty"}:
        end = text.find(CUT[store]) if store in CUT else len(text) // 2
        return text[: end if kind == "truncated" else 0]
    old, new, _ = REPLACED[kind][store]
    assert old.encode() in text
    return text.replace(old.encode(), new.encode(), 1)


CONTENT = [
    *((s, k) for s in FILES for k in ("invalid UTF-8", "a NUL", "merge marks")),
    *((s, k) for s in FILES for k in ("truncated", "empty")),
    *((s, k) for k, stores in REPLACED.items() for s in stores),
]
TWICE = ["episodic", "semantic", "procedural", "vault"]
CASES = len(CONTENT) + 2 * len(FILES) + len(TWICE)


def others_work(home: Home) -> None:
    """Everything that has nothing to do with the damage goes on."""
    memory = home.memory
    receipt = memory.remember("Under the mat.", Vault("Key"))
    assert memory.show("vault:key").text == "Under the mat."
    assert memory.history()[0].commit == receipt.commit
    assert memory.overview().counts["vault"] >= 1
    memory.pin("vault:key")
    memory.blame("memory/vault/key.md")
    memory.undo()
    assert "vault:key" not in [item.id for item in memory.items(Store.VAULT)]
    home.reopen()
    home.memory.rebuild()
    home.memory.remember("Under the mat.", Vault("Key"))
    assert home.memory.erase("vault:key").remains == ()


@pytest.fixture
def ready(furnished: Home) -> Home:
    """A workspace with something in every file."""
    furnished.memory.rebuild()
    assert furnished.memory.check() == []
    return furnished


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "kind" in metafunc.fixturenames:
        full = metafunc.config.getoption("--full")
        some = [pair for at, pair in enumerate(CONTENT) if full or at % 5 in {0, 3}]
        metafunc.parametrize(("store", "kind"), some)


def test_damage_in_a_file_is_reported_with_its_line_and_left(
    ready: Home, store: str, kind: str
) -> None:
    path = FILES[store]
    broken = damaged(kind, store, ready.raw(path))
    ready.type(path, broken)

    found = [f for f in ready.memory.check() if f.path == path]
    others_work(ready)

    if (store, kind) not in NOBODY_CAN_TELL:
        assert found
        whole = kind == "empty" or (store, kind) == ("procedural", "wrong heading")
        whole = whole or (store, kind) in {
            ("core", "truncated"),
            ("procedural", "truncated"),
        }
        assert whole or any(f.line for f in found)
        assert all(f.what and f.mend for f in found)
    expected = REPLACED.get(kind, {}).get(store, ("", "", 0))[2]
    assert not expected or expected in [f.line for f in found]
    # The graph's index is generated, and says that it is written anew; and of the
    # scores nothing is lost that is not known elsewhere, if there are none.
    anew = store == "graph" or (store, kind) == ("scores", "empty")
    assert anew or ready.raw(path) == broken
    assert [f for f in ready.memory.check() if f.path != path] == []


@pytest.mark.parametrize("store", FILES)
def test_a_folder_in_place_of_a_file_is_reported_and_left(
    ready: Home, store: str
) -> None:
    file = ready.root / FILES[store]
    file.unlink()
    file.mkdir()
    (file / "keep.txt").write_text("mine")

    found = [f for f in ready.memory.check() if f.path == FILES[store]]
    others_work(ready)

    assert any("folder" in f.what for f in found)
    assert (file / "keep.txt").read_text() == "mine"


@pytest.mark.parametrize("store", FILES)
def test_a_link_in_place_of_a_file_is_reported_and_never_followed(
    ready: Home, store: str, tmp_path: Path
) -> None:
    file = ready.root / FILES[store]
    outside = tmp_path / "outside"
    outside.write_bytes(b"not yours")
    file.unlink()
    file.symlink_to(outside)

    found = [f for f in ready.memory.check() if f.path == FILES[store]]
    others_work(ready)

    assert any("symbolic link" in f.what for f in found)
    assert file.is_symlink()
    assert outside.read_bytes() == b"not yours"
    assert b"not yours" not in b"".join(
        f.read_bytes() for f in ready.root.rglob("*") if f.is_file() and f != file
    )


@pytest.mark.parametrize("store", TWICE)
def test_two_files_of_one_name_are_reported_and_both_left(
    ready: Home, store: str
) -> None:
    folder, _, name = FILES[store].rpartition("/")
    copy = f"{folder}/more/{name}"
    ready.type(copy, ready.raw(FILES[store]))
    both = (ready.raw(copy), ready.raw(FILES[store]))

    (found,) = ready.memory.check()
    others_work(ready)

    assert {found.path, found.what.rpartition(" in ")[2].partition(":")[0]} == {
        copy,
        FILES[store],
    }
    assert (ready.raw(copy), ready.raw(FILES[store])) == both
    assert ready.disagreements() == []


def test_every_store_meets_every_kind_of_damage() -> None:
    kinds = {kind for _, kind in CONTENT} | {"a folder", "a link", "a double"}

    assert len(kinds) == 11
    assert CASES == 82


# --- what the damage does to the memory it hits --------------------------------


def test_one_bad_heading_makes_a_note_of_one_episode_and_of_no_other(
    ready: Home,
) -> None:
    text = ready.text(DAY)
    extra = "\n## 13:00 | event | confidence:high | tags:[]\nLater.\n"
    ready.type(DAY, text.replace("## 12:00", "## 12.00") + extra)

    later, note = ready.memory.items(Store.EPISODIC)
    assert later.text == "Later."
    assert note.id.startswith("note:")
    assert note.text.endswith("hybrid approach.")


def test_an_unreadable_file_is_not_written_to(ready: Home) -> None:
    places: dict[str, Place] = {
        DAY: Episodic(),
        ALEX: Semantic("person--alex"),
        DEPLOY: Procedural("how to deploy"),
        CORE: Core(Block.CONTEXT),
    }
    for path, place in places.items():
        ready.type(path, b"\xff" + ready.raw(path))
        before = ready.raw(path)

        with pytest.raises(FormatError, match="not valid UTF-8") as caught:
            ready.memory.remember("More.", place)

        assert (caught.value.path, caught.value.line) == (path, 1)
        assert caught.value.advice
        assert ready.raw(path) == before


def test_an_unreadable_score_file_is_not_written_over(ready: Home) -> None:
    ready.type(SCORES, "{")

    with pytest.raises(RefusedError, match="cannot be read") as caught:
        ready.memory.pin("episode:2026-02-02:12:00")

    assert "reverie check" in caught.value.advice
    assert ready.text(SCORES) == "{"
    assert not ready.memory.show("episode:2026-02-02:12:00").pinned


def test_a_damaged_file_can_be_brought_back(ready: Home) -> None:
    good = ready.raw(SCORES)
    ready.type(SCORES, "{")
    ready.memory.check()

    ready.memory.undo(path=SCORES)

    assert ready.raw(SCORES) == good
    assert ready.disagreements() == []
