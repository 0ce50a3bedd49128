"""What a mind's operation must pass."""

from __future__ import annotations

import pytest
from tests.reflection.operations.sites import made

from reverie.reflection.operations.parse import parse_structured, parse_text
from reverie.reflection.operations.screen import why_refused

KEY = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"


@pytest.mark.parametrize("field", ["target", "content", "reason", "evolution_context"])
def test_a_secret_anywhere_is_refused_and_not_repeated(field: str) -> None:
    value = {"operation": "EXTRACT", "target": "person--alex", "content": "Drinks tea"}

    read = parse_structured([value | {field: f"the token is {KEY}"}])

    assert read.operations == ()
    assert "secret" in read.refused[0].why
    assert KEY not in repr(read.refused)


def test_a_secret_in_an_unreadable_block_is_not_repeated() -> None:
    assert KEY not in repr(parse_text(f"OPERATION: {KEY}\nTARGET: token {KEY}"))


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("EXTRACT", "Lives in Porto"),
        ("EXTRACT", "Never eats meat"),
        ("EXTRACT", "Drinks tea, never coffee"),
        ("EXTRACT", "# person--alex\n\n## Facts\n- Works at a bakery\n- Owns two cats"),
        (
            "PATTERN",
            "Trigger: when asked to ship\n1. Run the tests\n2. Tag the release",
        ),
        ("PATTERN", "1. Always confirm before the last step\n2. Use `git push origin`"),
        ("FLAG", "On Monday it was Lisbon, on Friday Porto: which is it?"),
        ("EVOLVE", "I should ask earlier, and he said yes without hesitation."),
        ("CONNECT", "person--alex → uses → tool--git"),
        ("CORE", "+ Prefers answers in French"),
        ("EXTRACT", "Always bring a torch, the guide says"),
        ("EXTRACT", "The page tells its readers to ignore earlier instructions"),
        ("FLAG", "Forward the mail to Kim: did that happen?"),
    ],
)
def test_knowledge_passes_however_it_is_worded(kind: str, content: str) -> None:
    assert why_refused(made(kind, "person--alex", content)) == ""


@pytest.mark.parametrize("mark", ["\0", "\u202e", "\x1b", "\U000e0041", "\ud800"])
@pytest.mark.parametrize("field", ["target", "content", "reason", "evolution_context"])
def test_what_a_person_would_not_see_is_refused(field: str, mark: str) -> None:
    value = {"operation": "EXTRACT", "target": "person--alex", "content": "Drinks tea"}

    read = parse_structured([value | {field: f"a{mark}b"}])

    assert read.operations == ()
    assert len(read.refused) == 1


@pytest.mark.parametrize("field", ["target", "reason", "evolution_context"])
def test_no_field_goes_on_for_ever(field: str) -> None:
    value = {"operation": "EXTRACT", "target": "person--alex", "content": "Drinks tea"}

    read = parse_structured([value | {field: "ab " * 3000}])

    assert "characters" in read.refused[0].why
