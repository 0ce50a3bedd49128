"""A reply used what it repeats of a memory beyond the message."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import given
from msgspec.structs import replace
from tests.reflection import hits
from tests.strategies import texts

from reverie.conversation.used import Given, given_for, used_in

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reverie.index import Index
    from reverie.model.views import Hit

COMMON = {"box": 1.0, "morn": 1.0}
ID = "episode:2026-02-02:12:00"


class Words:
    """Words that everybody uses, and others."""

    def rarity(
        self, terms_: Iterable[str], least: int
    ) -> tuple[dict[str, float], float]:
        """How telling they are."""
        assert least
        return {term: COMMON.get(term, 6.0) for term in terms_}, 5.0


INDEX = cast("Index", Words())


def hit(id_: str, text: str, status: str = "active") -> Hit:
    return replace(hits.hit(text), id=id_, status=status)


def used(memory: str, message: str, reply: str) -> bool:
    given_ = given_for(message, [hit(ID, memory)], {ID})
    return used_in(reply, given_, INDEX) == [ID]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("It lies with the ukulele.", True),
        ("Ukuleles are not there.", True),
        ("The lamp? No idea.", False),
        ("Look into a box in the morning.", False),
        ("", False),
    ],
)
def test_one_rare_word_tells_and_a_common_one_does_not(
    reply: str, *, expected: bool
) -> None:
    memory = "In the morning the lamp lies in a box by the ukulele and the zither."

    assert used(memory, "Where is the lamp?", reply) is expected


def test_half_of_what_a_short_memory_says_will_do() -> None:
    assert used("The lamp is in a box.", "Where is the lamp?", "In the box.")


@given(texts, texts)
def test_nothing_is_used_that_says_no_more_than_the_message(
    message: str, reply: str
) -> None:
    assert not used(message, message, reply)


@given(texts, texts)
def test_any_texts_can_be_compared(memory: str, reply: str) -> None:
    used(memory, "What?", reply)


def test_what_was_not_told_or_does_not_fade_was_not_given() -> None:
    assert given_for("Hm?", [hit(ID, "A lamp.")], ()) == ()
    turn = hit("turn:x/1/user/0", "A lamp.", status="")
    assert given_for("Hm?", [turn], {turn.id}) == ()
    assert given_for("Hm?", [hit(ID, "A lamp.")], {ID}) == (Given(ID, ("lamp",)),)
