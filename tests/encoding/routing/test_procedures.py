"""Procedures in plain text: their names, when they apply, and their steps."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import texts

from reverie.encoding.routing.procedures import Recipe, recipe_in, steps_of


@pytest.mark.parametrize(
    ("text", "recipe"),
    [
        (
            "To deploy, run the tests, then tag and push.",
            Recipe(
                "how to deploy",
                "When asked to deploy.",
                ("run the tests", "tag and push"),
            ),
        ),
        (
            "How to reset the router: unplug it, wait ten seconds, plug it back in.",
            Recipe(
                "how to reset the router",
                "When asked to reset the router.",
                ("unplug it", "wait ten seconds", "plug it back in"),
            ),
        ),
        (
            "When the build fails, clear the cache and rerun the job.",
            Recipe(
                "when the build fails",
                "When the build fails.",
                ("clear the cache", "rerun the job"),
            ),
        ),
        (
            "Always run the linter before committing.",
            Recipe("before committing", "Before committing.", ("run the linter",)),
        ),
        (
            "Release checklist:\n1. Bump the version\n2. Tag\n   and push\n3. Rest",
            Recipe(
                "Release checklist",
                "When asked about: Release checklist.",
                ("Bump the version", "Tag and push", "Rest"),
            ),
        ),
        (
            "Steps: 1. Stop it 2. Start it",
            Recipe("Stop it", "", ("Stop it", "Start it")),
        ),
        (
            "First drain the pasta, then add butter and cheese, and finally serve it.",
            Recipe(
                "drain the pasta",
                "",
                ("drain the pasta", "add butter and cheese", "serve it"),
            ),
        ),
        (
            "Note: to print, open the menu, pick the tray with blue, white and red "
            "paper, and press the button.",
            Recipe(
                "how to print",
                "When asked to print.",
                (
                    "open the menu",
                    "pick the tray with blue, white and red paper",
                    "press the button",
                ),
            ),
        ),
    ],
)
def test_a_procedure_is_read_with_its_name_trigger_and_steps(
    text: str, recipe: Recipe
) -> None:
    assert recipe_in(text) == recipe


def test_the_steps_are_lines() -> None:
    assert steps_of("To deploy, run the tests, then tag.") == "run the tests\ntag"


def test_a_text_that_is_no_procedure_stays_as_it_is() -> None:
    assert steps_of(" Alex lives in Berlin. ") == "Alex lives in Berlin."


def test_a_long_list_loses_no_step() -> None:
    lines = [f"{number}. step number {number}" for number in range(1, 501)]

    assert steps_of("\n".join(lines)).count("\n") == 499


letters = st.text("abcdefgh ,.;:\n-123", max_size=80)


@given(
    texts | letters.map("To deploy, run ".__add__) | letters.map("1. a\n2. ".__add__)
)
def test_no_word_of_a_procedure_is_lost(text: str) -> None:
    """Every word is a step, in the name, or says when."""
    recipe = recipe_in(text)

    if recipe:
        kept = " ".join((*recipe.steps, recipe.trigger, recipe.name))
        said = {*re.findall(r"\w+", kept), *_GLUE}
        assert {word for word in re.findall(r"\w+", text) if word not in said} == set()


_GLUE = {"and", "then", "to", "To", "first", "finally", "always", "just", *"123456789"}
