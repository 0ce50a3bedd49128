"""Names of entities are found in texts as whole words, many texts at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import texts

from reverie.index.names import TOGETHER, find_each, find_named
from reverie.index.sqlite_index import SqliteIndex
from reverie.model.ids import ItemId
from reverie.model.items import Entity, Entry

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES = {
    "person--nora": ("Nora", "Nora Lind"),
    "person--will": ("Will",),
    "person--ana": ("Ana María",),
    "tool--git": ("git",),
    "tool--node": ("Node.js",),
    "place--kyoto": ("京都",),
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteIndex]:
    """An index that knows some names."""
    made = SqliteIndex(tmp_path_factory.mktemp("names") / "index.db")
    with made.changing():
        for id_, (label, *aliases) in NAMES.items():
            kind, _, slug = id_.partition("--")
            entity = Entity(kind, slug, label, aliases=tuple(aliases))
            entry = Entry(ItemId.parse(f"entity:{id_}"), entity, 1, label, label, label)
            made.put_file(f"memory/graph/entities/{id_}.md", [entry], [])
    yield made
    made.close()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Nora Lind met Nora's dog.", ["Nora Lind", "Nora"]),
        ("Noramoto and norah", []),
        ("It will rain, says Will.", ["Will"]),
        ("Use git and Node.js", ["git", "Node.js"]),
        ("昨日は京都。東京都に住む。", ["京都"]),
        ("So said Ana María.", ["Ana María"]),
        ("word " * 5_000 + "Nora", ["Nora"]),
        ("", []),
    ],
)
def test_names_are_whole_words_and_the_longest(
    index: SqliteIndex, text: str, found: list[str]
) -> None:
    assert [each.name for each in find_named(text, index)] == found


def test_very_many_texts_are_looked_up_in_batches(index: SqliteIndex) -> None:
    said = [f"Nora came {n} times." for n in range(2 * TOGETHER + 1)]

    assert [len(found) for found in find_each(said, index)] == [1] * len(said)


@given(st.lists(texts | st.sampled_from(["Nora came.", "git push"]), max_size=6))
def test_many_texts_give_what_each_gives_alone(
    index: SqliteIndex, said: list[str]
) -> None:
    together = find_each(said, index)

    assert together == [find_named(text, index) for text in said]
    for text, found in zip(said, together, strict=True):
        assert all(text[each.at :].startswith(each.name) for each in found)
