"""Which words are orders, and which are not."""

from __future__ import annotations

import pytest
from tests.encoding.triggers.examples import (
    CONVERSATION,
    DISMISS,
    FAREWELL,
    FORGET,
    NOTHING,
    PERMANENT,
    REFLECT,
    REMEMBER,
    SEARCH,
)

from reverie.encoding.triggers import detect
from reverie.model.items import Role
from reverie.model.triggers import Target, Trigger, TriggerKind


def only(message: str) -> Trigger:
    found = detect(message)
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(("message", "content"), REMEMBER)
def test_an_order_to_remember_is_heard(message: str, content: str | None) -> None:
    trigger = only(message)

    assert trigger.kind is TriggerKind.REMEMBER
    assert content in (None, trigger.content)


@pytest.mark.parametrize(("message", "content"), FORGET)
def test_an_order_to_forget_is_heard(message: str, content: str | None) -> None:
    trigger = only(message)

    assert (trigger.kind, trigger.target) == (TriggerKind.FORGET, Target.MEMORY)
    assert not trigger.permanent
    assert content in (None, trigger.content)


@pytest.mark.parametrize(("message", "content"), PERMANENT)
def test_only_the_word_permanently_makes_it_permanent(
    message: str, content: str
) -> None:
    trigger = only(message)

    assert (trigger.kind, trigger.permanent) == (TriggerKind.FORGET, True)
    assert trigger.content == content


@pytest.mark.parametrize("message", CONVERSATION)
def test_what_was_just_said_is_no_memory(message: str) -> None:
    trigger = only(message)

    assert trigger.kind is TriggerKind.FORGET
    assert trigger.target is Target.CONVERSATION
    assert not trigger.permanent


@pytest.mark.parametrize("message", DISMISS)
def test_a_shrug_touches_no_memory(message: str) -> None:
    trigger = only(message)

    assert trigger.kind is TriggerKind.DISMISS
    assert trigger.target is Target.CONVERSATION
    assert trigger.content == ""


@pytest.mark.parametrize(("message", "content"), REFLECT)
def test_a_wish_to_reflect_is_heard(message: str, content: str) -> None:
    trigger = only(message)

    assert (trigger.kind, trigger.content) == (TriggerKind.REFLECT, content)


@pytest.mark.parametrize(("message", "phrase"), FAREWELL)
def test_a_farewell_is_a_chance_to_reflect(message: str, phrase: str) -> None:
    trigger = only(message)

    assert (trigger.kind, trigger.phrase) == (TriggerKind.REFLECT_SOFT, phrase)


@pytest.mark.parametrize(("message", "content"), SEARCH)
def test_asking_what_is_remembered_is_a_search(message: str, content: str) -> None:
    trigger = only(message)

    assert (trigger.kind, trigger.content) == (TriggerKind.SEARCH, content)


@pytest.mark.parametrize("message", NOTHING)
def test_nothing_is_asked_of_memory(message: str) -> None:
    assert detect(message) == ()


BLOCKS = [
    ("Remember this: tea. And milk.\n\nThanks.", "tea. And milk."),
    ("Keep in mind the following:\n- no nuts\n- no eggs", "- no nuts\n- no eggs"),
    (
        "Remember these rules:\n\n1. be kind\n2. be brief\n\nGo!",
        "1. be kind\n2. be brief",
    ),
    ("Save this:\n```\nx = 1\n\ny = 2\n```\nBye", "```\nx = 1\n\ny = 2\n```"),
    ("Save this: ```\nx = 1", "```\nx = 1"),
    ("Please remember this.\n\nThe gate code is 5.", "The gate code is 5."),
    (
        "The gate code is 5.\nIt beeps.\n\nRemember that.",
        "The gate code is 5.\nIt beeps.",
    ),
    ("Remember this: don't forget the milk.", "don't forget the milk."),
]


@pytest.mark.parametrize(("message", "content"), BLOCKS)
def test_what_is_pointed_at_is_kept_whole(message: str, content: str) -> None:
    assert only(message).content == content


def test_a_label_with_nothing_behind_it_says_nothing() -> None:
    assert detect("Remember the following:") == ()


def test_a_message_may_ask_for_several_things() -> None:
    message = "Remember that I love tea and forget about my old job. Good night!"

    found = [(one.kind, one.content) for one in detect(message)]

    assert found == [
        (TriggerKind.REMEMBER, "I love tea"),
        (TriggerKind.FORGET, "my old job"),
        (TriggerKind.REFLECT_SOFT, ""),
    ]


def test_two_phrases_for_one_order_are_one_trigger() -> None:
    found = detect("From now on, remember that I'm vegan.")

    assert [(one.phrase, one.content) for one in found] == [
        ("remember that", "I'm vegan")
    ]


def test_the_middle_of_a_long_message_is_taken_for_pasted() -> None:
    filler = "The river runs past the mill and the road goes on. " * 40
    order = "Remember that I moved to Ghent."

    assert detect(filler + order + " " + filler) == ()
    assert len(detect(f"{order} {filler}{filler}")) == 1
    assert len(detect(f"{filler}{filler} {order}")) == 1


def test_a_pasted_answer_asks_nothing_of_memory() -> None:
    answer = "I'm glad I could help! Remember that I answered two questions."

    assert detect(answer) == ()


def test_advice_to_a_reader_asks_nothing_of_memory() -> None:
    advice = "Your roses need sun. Your soil is dry. Your hose leaks. "

    assert detect(f"{advice}Remember that the frost comes early.") == ()
    assert len(detect(f"{advice}Please remember that I told you this.")) == 1


@pytest.mark.parametrize("role", [Role.ASSISTANT, Role.SYSTEM])
def test_only_the_user_gives_orders(role: Role) -> None:
    assert detect("Remember that I moved to Ghent.", Role.USER)
    assert detect("Remember that I moved to Ghent.", role) == ()
