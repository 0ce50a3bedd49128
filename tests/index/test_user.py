"""The user is one entity: pronouns, names, pages."""

from __future__ import annotations

import pytest

from reverie.index.user import asks_of_self, tells_of_theirs


@pytest.mark.parametrize(
    "question",
    [
        "When is my birthday?",
        "What's my name?",
        "where do I work",
        "What do you know about me?",
        "Wann ist mein Geburtstag?",
        "¿Cuándo es mi cumpleaños?",
        "Quel est mon nom ?",
        "Onde eu trabalho?",
        "我的生日是什么时候?",
        "私の名前は?",
    ],
)
def test_who_asks_about_themselves_is_heard(question: str) -> None:
    assert asks_of_self(question)


@pytest.mark.parametrize(
    "question",
    [
        "When is Omar's birthday?",
        "Tell me about Omar",
        "When is my sister's birthday?",
        "What is the name of my dog's vet?",
        "Wann ist der Geburtstag meiner Schwester?",
        "我妈妈的生日是什么时候?",
        "What did they decide in Miami?",
    ],
)
def test_who_asks_about_somebody_else_is_not(question: str) -> None:
    assert not asks_of_self(question)


def test_what_is_my_mothers_is_not_mine() -> None:
    assert tells_of_theirs("My mother's name is Ingrid")
    assert tells_of_theirs("my mother\u2019s name")
    assert not tells_of_theirs("My name is Mara")
