"""Names of memories: what is one, what is none, and what a slug keeps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.model.ids import (
    SLUG_LENGTH,
    ItemId,
    MissingItemError,
    Store,
    UnknownIdError,
    slug,
)

GOOD = {
    "episode:2026-02-02:14:30": Store.EPISODIC,
    "episode:2026-02-02:14:30~2": Store.EPISODIC,
    "entity:person--alex": Store.SEMANTIC,
    "entity:person--björk-ö": Store.SEMANTIC,
    "procedure:how-to-deploy": Store.PROCEDURAL,
    "vault:passport": Store.VAULT,
    "core:identity/name": Store.CORE,
    "core:identity/name~2": Store.CORE,
}
BAD = [
    "",
    "passport",
    "vault:",
    "vault",
    "turn:1/2",
    "VAULT:passport",
    "vault:../../etc/passwd",
    "vault:two words",
    "entity:alex",
    "entity:person--a/b",
    "episode:today",
    "episode:2026-02-02",
    "episode:2026-02-02:14:30~0",
    "episode:2026-02-02:14:30~",
    "core:name",
    "core:identity/",
    "vault:a\nvault:b",
]


@pytest.mark.parametrize("text", GOOD)
def test_an_id_is_read_and_written_back(text: str) -> None:
    assert str(ItemId.parse(text)) == text


@pytest.mark.parametrize(("text", "store"), GOOD.items())
def test_an_id_says_its_store(text: str, store: Store) -> None:
    assert ItemId.parse(text).store is store


@pytest.mark.parametrize("text", BAD)
def test_what_is_no_id_is_refused_with_examples(text: str) -> None:
    with pytest.raises(UnknownIdError) as caught:
        ItemId.parse(text)

    assert "entity:person--alex" in caught.value.advice


def test_blanks_around_an_id_do_not_matter() -> None:
    assert str(ItemId.parse(" vault:passport\n")) == "vault:passport"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("How to Deploy!", "how-to-deploy"),
        ("  a__b--c  ", "a-b-c"),
        ("Ångström", "ångström"),
        ("Straße", "strasse"),
        ("日本語 テスト", "日本語-テスト"),
        ("ﬁne", "fine"),
        ("../../etc/passwd", "etc-passwd"),
    ],
)
def test_a_slug_keeps_letters_and_digits_of_any_script(
    name: str, expected: str
) -> None:
    assert slug(name) == expected


def test_a_name_without_letters_still_has_a_slug_of_its_own() -> None:
    assert len({slug("!!!"), slug("???"), slug("🦊")}) == 3
    assert slug("!!!") == slug("!!!")


@given(st.text())
def test_a_slug_is_always_a_short_safe_part_of_a_file_name(name: str) -> None:
    made = slug(name)

    assert 0 < len(made) <= SLUG_LENGTH
    assert not set(made) & set("/\\.: \n\0")
    assert slug(made) == made


def test_a_missing_item_is_named_with_its_file() -> None:
    error = MissingItemError("core:identity/name", "MEMORY.md")

    assert "core:identity/name" in str(error)
    assert "MEMORY.md" in str(error)
    assert error.advice
