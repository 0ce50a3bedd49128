"""The vault: notes a person protects, in Markdown as free as they like (design, 3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.markdown import (
    escape_field,
    find_conflicts,
    one_line,
    parse_date,
    parse_fields,
    parse_title,
    render_header,
    split_comment,
    split_lines,
    tidy,
)
from reverie.model.ids import ItemId, Kind
from reverie.model.items import Entry, Finding, Severity, Source, VaultNote

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class NoteFile:
    """The file of one note, and what it says.

    Attributes:
        note: The note as read.
        entries: The note, unless the file is empty.
        findings: What is wrong in it.
    """

    note: VaultNote
    entries: tuple[Entry, ...]
    findings: tuple[Finding, ...]


def new_note(note: VaultNote) -> str:
    """The text of a new note; white space at the edges of its text is dropped.

    The text stands below the header, where nothing is structure: it needs no escapes.
    """
    fields = [("Type", "vault")]
    if note.created:
        fields.append(("Created", note.created.isoformat()))
    if note.source:
        fields.append(("Source", note.source))
    if note.by:
        fields.append(("By", escape_field(note.by)))
    text = tidy(note.text)
    head = f"# {one_line(note.title)}\n\n{render_header(fields)}"
    return head + (f"\n{text}\n" if text else "")


def parse_note(text: str, path: str) -> NoteFile:
    """Read a note, whatever is in it; without a title its file name is the title."""
    slug = path.rpartition("/")[2].removesuffix(".md")
    title = parse_title(text)
    body = text.lstrip("\ufeff").lstrip().partition("\n")[2] if title else text
    fields, body = _split_header(body)
    source = fields.get("source", "")
    note = VaultNote(
        slug,
        title or slug,
        tidy(body),
        created=parse_date(fields.get("created", "")),
        source=Source(source) if source in frozenset(Source) else None,
        by=fields.get("by", ""),
    )
    findings = list(find_conflicts(text, path))
    if not text.strip():
        mend = "Write the note, or remove the file."
        findings.append(Finding(path, 0, "the note is empty", mend, Severity.WARNING))
        return NoteFile(note, (), tuple(findings))
    if not slug or any(mark.isspace() for mark in slug):
        mend = "Rename it with hyphens in place of blanks."
        findings.append(Finding(path, 0, "the file name has a blank", mend))
        return NoteFile(note, (), tuple(findings))
    entry = Entry(
        ItemId(Kind.VAULT, slug), note, 1, note.text or note.title, note.title, text
    )
    return NoteFile(note, (entry,), tuple(findings))


def _split_header(body: str) -> tuple[Mapping[str, str], str]:
    """The header comment's fields, and what stands below it."""
    lines = split_lines(body)
    first = next((n for n, line in enumerate(lines) if line.strip()), None)
    if first is None:
        return {}, body
    before, inside = split_comment(lines[first].strip())
    if before or inside is None:
        return {}, body
    fields = {key.casefold(): value for key, value in parse_fields(inside)}
    if fields.get("type") != "vault":
        return {}, body
    return fields, "".join(lines[first + 1 :])
