"""The vault: notes a person protects, in Markdown as free as they like (design, 3)."""

from __future__ import annotations

from msgspec import Struct

from reverie import markdown as md
from reverie.model.ids import ItemId, Kind, slug
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
    fields = {
        "Type": "vault",
        "Created": note.created,
        "Source": note.source,
        "By": note.by,
    }
    head = md.new_page(md.one_line(note.title), fields, {})
    return f"{head}{text}\n" if (text := md.tidy(note.text)) else head.rstrip() + "\n"


def replace_text(text: str, path: str, new: str) -> str:
    """A note that says something else below the same title and header."""
    said, whole = parse_note(text, path).note.text, md.tidy(text)
    head = whole.removesuffix(said) if said else f"{whole}\n\n"
    return md.newlines_like(text, f"{head}{md.tidy(new)}\n")


def parse_note(text: str, path: str) -> NoteFile:
    """Read a note, whatever is in it; without a title its file name is the title."""
    page = md.parse_page(text, path, ())
    lines = md.split_lines(text.lstrip("\ufeff").lstrip())
    top = len(lines[: page.title is not None])
    start = next((n for n in range(top, len(lines)) if lines[n].strip()), len(lines))
    # A comment of a person's own is text.
    header = md.parse_page("".join(lines[start : start + 1]), path, ())
    ours = header.value("Type") == "vault"
    body = "".join(lines[start + 1 if ours else top :])
    header = header if ours else md.parse_page("", path, ())
    name = page.stem if md.is_name(page.stem) else slug(page.stem)
    note = VaultNote(
        name,
        page.title or page.stem,
        md.tidy(body),
        created=header.day("Created"),
        source=header.source,
        by=header.value("By"),
    )
    findings, entries = list(md.find_conflicts(text, path)), []
    if not text.strip():
        mend = "Write the note, or remove the file."
        findings.append(page.warning(0, "the note is empty", mend))
    else:
        if name != page.stem:
            findings.append(md.read_as(page, name))
        id_, words = ItemId(Kind.VAULT, name), note.text or note.title
        entries.append(Entry(id_, note, 1, words, note.title, text))
    return NoteFile(note, tuple(entries), tuple(findings))
