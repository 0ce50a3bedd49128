"""Citations of facts in any text are no secrets."""

from __future__ import annotations

import random

import pytest

from reverie.secrets import find_secrets

FORMS = (
    "Avoids penicillin. (from: {}, {})",
    "The user said so [{}], see {}.",
    "sources: {}, {}",
    "user: {}\nauthor: {}",
)


@pytest.mark.parametrize("form", FORMS)
def test_citations_of_facts_are_no_secrets(form: str) -> None:
    rng = random.Random(5)  # noqa: S311 - nothing here is secret
    for _ in range(200):
        ids = [f"person--user#{rng.randrange(1 << 24):06x}" for _ in range(2)]

        assert not find_secrets(form.format(*ids)), ids


def test_a_secret_next_to_a_citation_is_found() -> None:
    text = "person--user#1801be says: my password is Wurm!217Mm84"

    assert [text[s.start : s.end] for s in find_secrets(text)] == ["Wurm!217Mm84"]


def test_the_page_of_the_user_labels_nothing_behind_it() -> None:
    answer = (
        '{"target":"memory/graph/entities/person--user.md","content":"Weighs 7.6 kg at '
        "the office of Dr Morel (on: 2026-10-22) (from: episode:2026-10-22:12:00~2)\\n"
        'Was elected again","reason":"said by the person--user","sources":["'
        'person--oscar#be9996","episode:2026-11-06:17:10"]}'
    )

    assert find_secrets(answer) == ()
