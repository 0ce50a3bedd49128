"""Notes a person protects."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from tests import strategies

from reverie.model.items import Source, VaultNote
from reverie.stores.vault import new_note, parse_note

NOTE = VaultNote(
    "passport", "Passport", "Runs out in May.", date(2026, 2, 2), Source.USER_EXPLICIT
)


@given(strategies.notes)
def test_a_note_survives_being_written_and_read_back(note: VaultNote) -> None:
    file = parse_note(new_note(note), f"memory/vault/{note.slug}.md")

    assert file.note == note
    assert [entry.item for entry in file.entries] == [note]


def test_a_note_is_written_with_title_and_header() -> None:
    assert new_note(NOTE) == (
        "# Passport\n\n"
        "<!-- Type: vault | Created: 2026-02-02 | Source: user-explicit -->\n\n"
        "Runs out in May.\n"
    )


def test_a_note_without_a_title_goes_by_its_file_name() -> None:
    file = parse_note("just this\n\n## and that\n", "memory/vault/door-code.md")

    [entry] = file.entries
    assert str(entry.id) == "vault:door-code"
    assert (entry.title, entry.text) == ("door-code", "just this\n\n## and that")
    assert file.findings == ()


def test_a_comment_that_is_no_header_is_text() -> None:
    file = parse_note("# x\n<!-- Type: other -->\ny", "memory/vault/x.md")

    assert file.note.text == "<!-- Type: other -->\ny"


def test_an_empty_note_is_reported_and_is_no_memory() -> None:
    file = parse_note("\n", "memory/vault/x.md")

    assert [str(f) for f in file.findings] == ["memory/vault/x.md: the note is empty"]
    assert file.entries == ()


def test_a_note_with_a_blank_in_its_name_is_read_and_reported() -> None:
    file = parse_note("x", "memory/vault/My note.md")

    assert [str(entry.id) for entry in file.entries] == ["vault:my-note"]
    (found,) = file.findings
    assert found.mend.startswith("It is read as my-note.")
