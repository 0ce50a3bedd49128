"""Procedures: learned ways of doing something, one file each (design, section 7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.markdown import (
    Page,
    escape,
    escape_field,
    find_conflicts,
    find_days,
    parse_page,
    render_header,
    render_item,
    render_page,
    split_items,
    visible,
    with_field,
    with_item,
)
from reverie.model.ids import ItemId, Kind
from reverie.model.items import Entry, Finding, Procedure, Severity, Source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from reverie.markdown import Section


TRIGGER, STEPS = "Trigger", "Steps"
NOTES, LEARNED_FROM = "Notes", "Learned From"
ORDER = (TRIGGER, STEPS, NOTES, LEARNED_FROM)


@dataclass(frozen=True, slots=True)
class ProcedurePage:
    """The file of one procedure.

    Attributes:
        page: Its text in parts.
        procedure: What it says.
        entries: The procedure, if the file name can be its name.
        findings: What is wrong in it.
    """

    page: Page
    procedure: Procedure
    entries: tuple[Entry, ...]
    findings: tuple[Finding, ...]

    @property
    def path(self) -> str:
        """Path inside the workspace."""
        return self.page.path


def parse_procedure(text: str, path: str) -> ProcedurePage:
    """Read a procedure, whatever is in the file; its file name is its name."""
    return _read(parse_page(text, path, ORDER))


def render_procedure(page: ProcedurePage) -> str:
    """Give back the text a procedure was read from."""
    return render_page(page.page)


def _read(page: Page) -> ProcedurePage:
    procedure = _procedure(page)
    findings = (
        *_shape_findings(page),
        *find_days(page, ("Learned", "Last used")),
        *find_conflicts(render_page(page), page.path),
    )
    entries: tuple[Entry, ...] = ()
    if _is_name(page.stem):
        item_id = ItemId(Kind.PROCEDURE, page.stem)
        title = page.stem.replace("-", " ").title()
        words = "\n".join([title, *map(_words, page.sections)])
        entries = (Entry(item_id, procedure, 1, words, title, render_page(page)),)
    return ProcedurePage(page, procedure, entries, tuple(sorted(findings)))


def _words(section: Section) -> str:
    """What a section says: its text, and each item with its number or dash."""
    pieces = split_items(section.body, section.body_line)
    return "\n".join(f"{p.marker}{visible(p.text)}" for p in pieces).strip()


def _procedure(page: Page) -> Procedure:
    source = page.value("Source")
    return Procedure(
        page.stem,
        page.words(TRIGGER),
        _texts(page, STEPS),
        notes=_texts(page, NOTES),
        learned_from=_texts(page, LEARNED_FROM),
        learned=page.day("Learned"),
        last_used=page.day("Last used"),
        pinned=page.value("Pinned").casefold() == "yes",
        source=Source(source) if source in frozenset(Source) else None,
        by=page.value("By"),
    )


def _texts(page: Page, heading: str) -> tuple[str, ...]:
    return tuple(visible(piece.text) for piece in page.items(heading))


def _is_name(stem: str) -> bool:
    return bool(stem) and not any(mark.isspace() for mark in stem)


def _shape_findings(page: Page) -> Iterator[Finding]:
    if not _is_name(page.stem):
        mend = "Rename it with hyphens in place of blanks."
        yield Finding(page.path, 0, "the file name has a blank", mend)
    if page.title is None or page.title.removesuffix(".md") != page.stem:
        what = f"the title is not {page.stem}.md, the name of the file"
        mend = f"Write '# {page.stem}.md' as the first line."
        yield Finding(page.path, 1, what, mend, Severity.WARNING)
    if not page.words(TRIGGER):
        mend = f"Say under '## {TRIGGER}' when to do it."
        yield Finding(page.path, _line(page, TRIGGER), "the trigger is missing", mend)
    if not page.items(STEPS):
        mend = f"List under '## {STEPS}' what to do: 1. … 2. …"
        yield Finding(page.path, _line(page, STEPS), "the steps are missing", mend)


def _line(page: Page, heading: str) -> int:
    """Where a section stands; 0 if there is none."""
    return next((section.line for section in page.named(heading)), 0)


def new_procedure(procedure: Procedure) -> str:
    """The text of a new file; white space at the edges of its texts is dropped."""
    steps = (
        render_item(escape(step, item=True), f"{number}. ")
        for number, step in enumerate(procedure.steps, start=1)
    )
    bodies = {
        TRIGGER: f"{text}\n" if (text := escape(procedure.trigger)) else "",
        STEPS: "".join(steps),
        NOTES: "".join(map(_bullet, procedure.notes)),
        LEARNED_FROM: "".join(map(_bullet, procedure.learned_from)),
    }
    sections = (
        f"## {heading}\n{body}"
        for heading, body in bodies.items()
        if body or heading in {TRIGGER, STEPS}
    )
    head = f"# {procedure.slug}.md\n\n{_render_headers(procedure)}\n"
    return head + "\n".join(sections)


def _render_headers(procedure: Procedure) -> str:
    learned, used = procedure.learned, procedure.last_used
    fields = [
        ("Type", "procedure"),
        ("Learned", learned.isoformat() if learned else ""),
        ("Last used", used.isoformat() if used else ""),
        ("Source", procedure.source or ""),
        ("By", escape_field(procedure.by)),
    ]
    first = render_header((key, value) for key, value in fields if value)
    return first + render_header([("Pinned", "yes" if procedure.pinned else "no")])


def _bullet(text: str) -> str:
    return render_item(escape(text, item=True))


def add_step(page: ProcedurePage, text: str) -> ProcedurePage:
    """A procedure with one more step at its end."""
    marker = f"{len(page.procedure.steps) + 1}. "
    item = render_item(escape(text, item=True), marker)
    return _read(with_item(page.page, STEPS, item))


def add_note(page: ProcedurePage, text: str) -> ProcedurePage:
    """A procedure with one more note."""
    return _read(with_item(page.page, NOTES, _bullet(text)))


def add_learned_from(page: ProcedurePage, text: str) -> ProcedurePage:
    """A procedure that names one more place it was learned from."""
    return _read(with_item(page.page, LEARNED_FROM, _bullet(text)))


def set_header(
    page: ProcedurePage,
    *,
    last_used: date | None = None,
    pinned: bool | None = None,
) -> ProcedurePage:
    """A procedure whose header says what is given, and the rest as before."""
    text = page.page
    if last_used is not None:
        text = with_field(text, "Last used", last_used.isoformat(), beside="Type")
    if pinned is not None:
        flag = "yes" if pinned else "no"
        text = with_field(text, "Pinned", flag, beside="Decay score")
    return _read(text)
