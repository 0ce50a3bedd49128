"""Every phrase of the design, as the design writes it."""

from __future__ import annotations

import pytest

from reverie.encoding.triggers import detect
from reverie.encoding.triggers.phrases import families_in, phrases
from reverie.model.triggers import TriggerKind

DESIGN = [
    # design 8.1 and 14: remember
    (TriggerKind.REMEMBER, "remember that", "remember that we moved"),
    (TriggerKind.REMEMBER, "remember", "remember my shoe size is 40"),
    (TriggerKind.REMEMBER, "don't forget", "don't forget we moved"),
    (TriggerKind.REMEMBER, "keep in mind", "keep in mind we moved"),
    (TriggerKind.REMEMBER, "note that", "note that we moved"),
    (TriggerKind.REMEMBER, "important:", "important: we moved"),
    (TriggerKind.REMEMBER, "for future reference", "for future reference, we moved"),
    (TriggerKind.REMEMBER, "save this", "save this: we moved"),
    (TriggerKind.REMEMBER, "FYI for later", "FYI for later: we moved"),
    # design 8.1 and 14: forget
    (TriggerKind.FORGET, "forget about", "forget about our old flat"),
    (TriggerKind.FORGET, "never mind about", "never mind about our old flat"),
    (TriggerKind.DISMISS, "never mind", "never mind"),
    (TriggerKind.FORGET, "disregard", "disregard our old address"),
    (TriggerKind.FORGET, "no longer relevant", "that's no longer relevant"),
    (TriggerKind.FORGET, "scratch that", "scratch that"),
    (TriggerKind.FORGET, "ignore", "ignore what I said about our flat"),
    (TriggerKind.FORGET, "remove from memory", "remove from memory our old flat"),
    (TriggerKind.FORGET, "remove from memory", "remove our flat from memory"),
    (TriggerKind.FORGET, "remove from memory", "delete the memory about our flat"),
    (TriggerKind.FORGET, "remove from memory", "delete memory of our flat"),
    # design 8.1 and 14: reflect
    (TriggerKind.REFLECT, "reflect on", "reflect on our week"),
    (TriggerKind.REFLECT, "consolidate your memories", "consolidate your memories"),
    (TriggerKind.REFLECT, "consolidate your memories", "consolidate memories"),
    (TriggerKind.REFLECT, "review your memories", "review your memories"),
    (TriggerKind.REFLECT, "review your memories", "review memories"),
    (TriggerKind.REFLECT, "clean up your memory", "clean up your memory"),
    (TriggerKind.REFLECT, "clean up your memory", "clean up memory"),
    (
        TriggerKind.SEARCH,
        "what do you remember about",
        "what do you remember about our flat?",
    ),
    # the reflection engine: at once
    (TriggerKind.REFLECT, "reflect", "reflect"),
    (TriggerKind.REFLECT, "reflect", "let's reflect"),
    (TriggerKind.REFLECT, "reflection time", "reflection time"),
    (TriggerKind.REFLECT, "time to reflect", "time to reflect"),
    # the reflection engine: ask first
    (TriggerKind.REFLECT_SOFT, "going to sleep", "going to sleep"),
    (TriggerKind.REFLECT_SOFT, "logging off", "logging off"),
    (TriggerKind.REFLECT_SOFT, "goodnight", "goodnight"),
    (TriggerKind.REFLECT_SOFT, "heading out", "heading out"),
    (TriggerKind.REFLECT_SOFT, "done for today", "done for today"),
    (TriggerKind.REFLECT_SOFT, "signing off", "signing off"),
    (TriggerKind.REFLECT_SOFT, "calling it a night", "calling it a night"),
]


@pytest.mark.parametrize(("kind", "phrase", "message"), DESIGN)
def test_each_phrase_of_the_design_counts_as_itself(
    kind: TriggerKind, phrase: str, message: str
) -> None:
    found = detect(message)

    assert [(one.kind, one.phrase) for one in found] == [(kind, phrase)]


def test_most_messages_hold_no_stem_at_all() -> None:
    assert families_in("what is the capital of peru, and who lives there?") == set()


def test_a_phrase_begins_and_ends_with_its_word() -> None:
    text = "dismember, remembering, #remember, remember-me, x.remember, remember"

    found = phrases(text, families_in(text))

    assert [(one.start, one.end) for one in found] == [(60, 68)]


def test_the_longer_of_two_phrases_at_one_place_counts() -> None:
    text = "please don't forget about it"

    found = phrases(text, families_in(text))

    assert [one.family for one in found] == ["don't forget"]
