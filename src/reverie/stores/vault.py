"""The vault: notes a person protects, in Markdown as free as they like (design, 3)."""

from __future__ import annotations

from msgspec import Struct

from reverie import markdown as md
from reverie.model.ids import ItemId, Kind
from reverie.model.items import Entry, Finding, VaultNote


class NoteFile(Struct, frozen=True):
    """The file of one note, what it says, and what is wrong in it."""

    note: VaultNote
    entries: tuple[Entry, ...]
    findings: tuple[Finding, ...]


def new_note(note: VaultNote) -> str:
    """The text of a new note; white space at the edges of its text is dropped.

    The text stands below the header, where nothing is structure: it needs no escapes.
    """
    fields = [
        ("Type", "vault"),
        ("Created", md.render_date(note.created)),
        ("Source", note.source or ""),
        ("By", md.escape_field(note.by)),
    ]
    text = md.tidy(note.text)
    head = f"# {md.one_line(note.title)}\n\n{md.render_header(fields)}"
    return head + (f"\n{text}\n" if text else "")


def parse_note(text: str, path: str) -> NoteFile:
    """Read a note, whatever is in it; without a title its file name is the title."""
    page = md.parse_page(text, path, ())
    lines = md.split_lines(text.lstrip("\ufeff").lstrip())
    top = len(lines[: page.title is not None])
    start = next((n for n in range(top, len(lines)) if lines[n].strip()), len(lines))
    header = _header("".join(lines[start : start + 1]), path)
    body = "".join(lines[start + 1 if header else top :])
    found = header or md.parse_page("", path, ())
    note = VaultNote(
        page.stem,
        page.title or page.stem,
        md.tidy(body),
        created=found.day("Created"),
        source=found.source,
        by=found.value("By"),
    )
    findings = list(md.find_conflicts(text, path))
    if not text.strip():
        mend = "Write the note, or remove the file."
        findings.append(page.warning(0, "the note is empty", mend))
    elif not note.slug or any(mark.isspace() for mark in note.slug):
        mend = "Rename it with hyphens in place of blanks."
        findings.append(Finding(path, 0, "the file name has a blank", mend))
    else:
        name, words = ItemId(Kind.VAULT, note.slug), note.text or note.title
        entry = Entry(name, note, 1, words, note.title, text)
        return NoteFile(note, (entry,), tuple(findings))
    return NoteFile(note, (), tuple(findings))


def _header(line: str, path: str) -> md.Page | None:
    """The header comment of a note; a comment of a person's own is text."""
    page = md.parse_page(line, path, ())
    return page if page.value("Type") == "vault" else None
