"""IDs of existing memories are arguments, not secrets; everything else is screened."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.reflection.dreams import Dream, dreaming, proposed

from reverie import Episodic, Semantic
from reverie.secrets import SecretFoundError

if TYPE_CHECKING:
    from tests.memory.home import Home

TEXT = "The wifi password is in the blue folder"


def stored_fact(home: Home, about: str = "concept--wifi-password") -> str:
    """Return the ID of a fact on a page whose name is a word for a secret."""
    return home.memory.remember("It stands in the blue folder", Semantic(about)).fact


def test_the_id_of_a_known_fact_is_accepted_where_it_looks_like_a_password(
    home: Home,
) -> None:
    old = stored_fact(home, "concept--pin")

    done = home.memory.remember(
        "It stands in the red folder", Semantic("concept--pin", supersedes=old)
    )

    assert [near.id for near in done.superseded] == [old]


def test_an_id_that_names_nothing_is_screened_like_any_text(home: Home) -> None:
    stored_fact(home, "concept--pin")

    with pytest.raises(SecretFoundError):
        home.memory.remember(
            "It stands in the red folder",
            Semantic("concept--pin", supersedes="The PIN is 482113"),
        )


def test_a_sentence_around_an_id_is_still_screened(home: Home) -> None:
    fact = stored_fact(home)

    with pytest.raises(SecretFoundError):
        home.memory.remember(f"The password of {fact} is Tulip!4821x")


def test_a_reflection_keeps_the_ids_it_names_beside_a_word_for_a_secret(
    home: Home,
) -> None:
    fact = home.memory.remember(
        "Allergic to penicillin and cashews", Semantic("user", "person")
    ).fact
    home.memory.remember("A long day with much to tell", Episodic())
    operation = {
        "operation": "EXTRACT",
        "target": "person--user",
        "content": "The password manager lists the allergies",
        "reason": "Found beside the password",
        "sources": [fact],
    }
    memory = dreaming(home, Dream(operations=[operation]))

    proposed(memory)

    page = home.text("memory/meta/pending-reflection.md")
    assert f"Found beside the password ({fact})" in page
    assert "[redacted" not in page
