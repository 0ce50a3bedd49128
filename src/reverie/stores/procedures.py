"""Procedures: learned ways of doing something, one file each (design, section 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from reverie import markdown as md
from reverie.model.ids import ItemId, Kind
from reverie.model.items import Entry, Finding, Procedure

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date


TRIGGER, STEPS = "Trigger", "Steps"
NOTES, LEARNED_FROM = "Notes", "Learned From"
ORDER = (TRIGGER, STEPS, NOTES, LEARNED_FROM)


class ProcedurePage(Struct, frozen=True):
    """The file of one procedure.

    Attributes:
        page: Its text in parts.
        procedure: What it says.
        entries: The procedure, if the file name can be its name.
        findings: What is wrong in it.
    """

    page: md.Page
    procedure: Procedure
    entries: tuple[Entry, ...]
    findings: tuple[Finding, ...]

    @property
    def path(self) -> str:
        """Path inside the workspace."""
        return self.page.path


def parse_procedure(text: str, path: str) -> ProcedurePage:
    """Read a procedure, whatever is in the file; its file name is its name."""
    return _read(md.parse_page(text, path, ORDER))


def render_procedure(page: ProcedurePage) -> str:
    """Give back the text a procedure was read from."""
    return page.page.text


def _read(page: md.Page) -> ProcedurePage:
    lists = {
        heading: tuple(md.visible(piece.text) for piece in page.items(heading))
        for heading in (STEPS, NOTES, LEARNED_FROM)
    }
    procedure = Procedure(
        page.stem,
        page.words(TRIGGER),
        lists[STEPS],
        notes=lists[NOTES],
        learned_from=lists[LEARNED_FROM],
        learned=page.day("Learned"),
        last_used=page.day("Last used"),
        pinned=page.pinned,
        source=page.source,
        by=page.value("By"),
    )
    findings = (
        *_shape_findings(page, procedure),
        *md.find_days(page, ("Learned", "Last used")),
        *md.find_conflicts(page.text, page.path),
    )
    entries: tuple[Entry, ...] = ()
    if _is_name(page.stem):
        title = page.stem.replace("-", " ").title()
        words = "\n".join([title, *map(_words, page.sections)])
        name = ItemId(Kind.PROCEDURE, page.stem)
        entries = (Entry(name, procedure, 1, words, title, page.text),)
    return ProcedurePage(page, procedure, entries, tuple(sorted(findings)))


def _words(section: md.Section) -> str:
    """What a section says: its text, and each item with its number or dash."""
    pieces = md.split_items(section.body, section.body_line)
    return "\n".join(f"{p.marker}{md.visible(p.text)}" for p in pieces).strip()


def _is_name(stem: str) -> bool:
    return bool(stem) and not any(mark.isspace() for mark in stem)


def _shape_findings(page: md.Page, procedure: Procedure) -> Iterator[Finding]:
    if not _is_name(page.stem):
        mend = "Rename it with hyphens in place of blanks."
        yield Finding(page.path, 0, "the file name has a blank", mend)
    if page.title is None or page.title.removesuffix(".md") != page.stem:
        what = f"the title is not {page.stem}.md, the name of the file"
        yield page.warning(1, what, f"Write '# {page.stem}.md' as the first line.")
    for heading, there, what, mend in (
        (TRIGGER, procedure.trigger, "trigger is", "Say under '## {}' when to do it."),
        (
            STEPS,
            procedure.steps,
            "steps are",
            "List under '## {}' what to do: 1. … 2. …",
        ),
    ):
        if not there:
            line = next((section.line for section in page.named(heading)), 0)
            said = f"the {what} missing"
            yield Finding(page.path, line, said, mend.format(heading))


def new_procedure(procedure: Procedure) -> str:
    """The text of a new file; white space at the edges of its texts is dropped."""
    trigger = md.escape(procedure.trigger)
    steps = (
        md.render_item(md.escape(step, item=True), f"{number}. ")
        for number, step in enumerate(procedure.steps, start=1)
    )
    bodies = {
        TRIGGER: f"{trigger}\n" if trigger else "",
        STEPS: "".join(steps),
        NOTES: "".join(map(_bullet, procedure.notes)),
        LEARNED_FROM: "".join(map(_bullet, procedure.learned_from)),
    }
    fields = [
        ("Type", "procedure"),
        ("Learned", md.render_date(procedure.learned)),
        ("Last used", md.render_date(procedure.last_used)),
        ("Source", procedure.source or ""),
        ("By", md.escape_field(procedure.by)),
    ]
    pinned = md.render_header([("Pinned", "yes" if procedure.pinned else "no")])
    head = f"# {procedure.slug}.md\n\n{md.render_header(fields)}{pinned}\n"
    return head + md.render_sections(bodies, (TRIGGER, STEPS))


def _bullet(text: str) -> str:
    return md.render_item(md.escape(text, item=True))


def add_step(page: ProcedurePage, text: str) -> ProcedurePage:
    """A procedure with one more step at its end."""
    marker = f"{len(page.procedure.steps) + 1}. "
    item = md.render_item(md.escape(text, item=True), marker)
    return _read(md.with_item(page.page, STEPS, item))


def add_note(page: ProcedurePage, text: str) -> ProcedurePage:
    """A procedure with one more note."""
    return _read(md.with_item(page.page, NOTES, _bullet(text)))


def add_learned_from(page: ProcedurePage, text: str) -> ProcedurePage:
    """A procedure that names one more place it was learned from."""
    return _read(md.with_item(page.page, LEARNED_FROM, _bullet(text)))


def set_header(
    page: ProcedurePage,
    *,
    last_used: date | None = None,
    pinned: bool | None = None,
) -> ProcedurePage:
    """A procedure whose header says what is given, and the rest as before."""
    used = last_used.isoformat() if last_used else None
    return _read(md.with_header(page.page, pinned, last_used=used))
