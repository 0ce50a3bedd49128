"""`erase`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.interfaces.cli.conftest import on_a_screen

from reverie.interfaces.cli.erase import _gone
from reverie.interfaces.cli.output import render_plain
from reverie.model.views import ErasureReceipt

if TYPE_CHECKING:
    from tests.interfaces.cli.conftest import Desk

SECRET = "Passport X1234567."  # noqa: S105 - a text to be erased
TEXT = ("--text", SECRET, "--yes")


@pytest.fixture
def secret(desk: Desk) -> Desk:
    desk.done(
        "remember",
        SECRET,
        "--store",
        "vault",
        "--actor",
        "manual",
        "--title",
        "Document",
    )
    desk.done("remember", "Something else.")
    return desk


def traces(desk: Desk) -> list[str]:
    """Files that still hold the secret in the clear."""
    return [
        str(file.relative_to(desk.root))
        for file in desk.root.rglob("*")
        if file.is_file() and SECRET.encode() in file.read_bytes()
    ]


def test_a_memory_is_erased_with_a_receipt(secret: Desk) -> None:
    typed = secret.done("erase", "vault:document", "--yes")

    assert typed.out.startswith("Erased. All ")
    assert "finds nothing of it" in typed.out
    assert traces(secret) == []
    assert secret.type("show", "vault:document").code == 3
    assert len(secret.json("show", "episodic")) == 1


def test_a_text_is_erased_wherever_it_stands(secret: Desk) -> None:
    receipt = secret.json("erase", "--text", SECRET, "--yes")

    assert receipt["remains"] == []
    assert receipt["rewritten"] > 0
    assert traces(secret) == []


def test_nothing_is_erased_when_nobody_can_be_asked(secret: Desk) -> None:
    for words in (("vault:document",), ("vault:document", "--yes"), TEXT):
        typed = secret.left_alone("erase", *words)
        assert typed.code == 5
        assert "only a human may erase" in typed.err
        assert "`reverie forget` archives it" in typed.err
    assert traces(secret)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((), 2),
        (("vault:document", "--text", SECRET), 2),
        (("vault:nope", "--yes"), 3),
        (("vault:nope",), 3),
        (("nope", "--yes"), 3),
        (("--text", "never was there", "--yes"), 3),
        (("--text", "abc", "--yes"), 5),
    ],
)
def test_what_cannot_be_erased_is_explained(
    secret: Desk, words: tuple[str, ...], code: int
) -> None:
    typed = secret.type("erase", *words)

    assert typed.code == code
    assert typed.err.startswith("error: ")


@pytest.mark.parametrize(
    "what", [("vault:document",), ("--text", SECRET)], ids=["id", "text"]
)
def test_a_person_has_to_type_the_word(secret: Desk, what: tuple[str, ...]) -> None:
    words = ("-w", str(secret.root), "erase", *what)

    code, seen = on_a_screen(words, "erase\n")

    assert code == 0, seen
    assert SECRET in seen
    assert "vault:document in memory/vault/document.md" in seen
    assert "It cannot be undone." in seen
    assert traces(secret) == []


@pytest.mark.parametrize("typed", ["yes\n", "\n", "y\n"])
def test_another_word_is_not_enough(secret: Desk, typed: str) -> None:
    words = ("-w", str(secret.root), "erase", "vault:document")

    code, seen = on_a_screen(words, typed)

    assert code == 5
    assert "nothing was changed" in seen
    assert traces(secret)


def test_many_places_are_summed_up_before_erasing(desk: Desk) -> None:
    for number in range(7):
        desk.done(
            "remember",
            f"{SECRET} Copy {number}.",
            "--store",
            "vault",
            "--actor",
            "manual",
            "--title",
            f"Copy {number}",
        )
    words = ("-w", str(desk.root), "erase", "--text", SECRET)

    _, seen = on_a_screen(words, "no\n")

    assert "… and 2 more memories" in seen


def test_what_remains_and_copies_elsewhere_are_told() -> None:
    receipt = ErasureReceipt("abc", 3, 2, ("old.swp",), ("origin git@example",))

    told = render_plain(_gone(receipt))

    assert "still finds it in:\n  old.swp\n" in told
    assert "clean them yourself: origin git@example" in told


def test_remains_end_with_an_exit_code(secret: Desk) -> None:
    secret.write("notes.txt", f"A copy: {SECRET}")

    typed = secret.type("erase", "--text", SECRET, "--yes")

    assert typed.code == 1
    assert "notes.txt" in typed.out


def test_what_quotes_it_is_shown_and_asked_about(desk: Desk) -> None:
    desk.done("remember", SECRET, "--store", "episodic")
    desk.done("remember", f"Bo said: {SECRET} Odd.", "--store", "episodic")
    (first, other) = (each["id"] for each in desk.json("show", "episodic"))
    words = ("-w", str(desk.root), "erase", first)

    code, seen = on_a_screen(words, "yes\nerase\n")

    assert code == 0, seen
    assert "This tells of it among other things, and would stay:" in seen
    assert f"{other} in memory/episodes/" in seen
    assert traces(desk) == []
    assert desk.json("show", other)["text"] == "Bo said: [erased] Odd."


def test_what_quotes_it_stays_where_nobody_says_otherwise(desk: Desk) -> None:
    desk.done("remember", SECRET, "--store", "episodic")
    desk.done("remember", f"Bo said: {SECRET} Odd.", "--store", "episodic")
    (first, other) = (each["id"] for each in desk.json("show", "episodic"))

    typed = desk.type("erase", first, "--yes")

    assert typed.code == 1
    assert "--quotes takes the words out:" in typed.out
    assert SECRET in desk.json("show", other)["text"]


def test_a_person_is_erased_by_name(desk: Desk) -> None:
    words = ("--store", "semantic", "--about", "Ralf Kunze", "--type", "person")
    desk.done("remember", "Is the neighbour", *words)

    typed = desk.done("erase", "--person", "Ralf Kunze", "--yes")

    assert "finds nothing of it" in typed.out
    assert not [p for p in desk.root.rglob("*") if "kunze" in p.name]
    typed = desk.type("erase", "--person", "Ralf Kunze", "--yes")
    assert typed.code == 3
