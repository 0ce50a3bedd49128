"""Procedures: learned ways of doing something, one file each (design, section 7)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reverie import markdown as md
from reverie.errors import NotFoundError
from reverie.model.ids import ItemId, Kind, slug
from reverie.model.items import Entry, Finding, Procedure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


TRIGGER, STEPS = "Trigger", "Steps"
NOTES, LEARNED_FROM = "Notes", "Learned From"
ORDER = (TRIGGER, STEPS, NOTES, LEARNED_FROM)
_DAYS = ("Learned", "Last used")
_MARKER = re.compile(r"^\s*(\d+[.)]|[-*])\s+")


class MissingStepError(NotFoundError):
    """A procedure has no such step."""

    says = "there is no step {!r} in {}"
    mend = "Read the procedure again: the step may have been changed meanwhile."


class ProcedurePage(md.StorePage, frozen=True):
    """The file of one procedure, and what it says."""

    procedure: Procedure


def parse_procedure(text: str, path: str) -> ProcedurePage:
    """Read a procedure, whatever is in the file; its file name is its name."""
    return _read(md.parse_page(text, path, ORDER))


def render_procedure(page: ProcedurePage) -> str:
    """Give back the text a procedure was read from."""
    return page.page.text


def _read(page: md.Page) -> ProcedurePage:
    name = page.stem if md.is_name(page.stem) else slug(page.stem)
    procedure = Procedure(
        name,
        page.words(TRIGGER),
        page.texts(STEPS),
        notes=page.texts(NOTES),
        learned_from=page.texts(LEARNED_FROM),
        learned=page.day("Learned"),
        last_used=page.day("Last used"),
        pinned=page.pinned,
        source=page.source,
        by=page.value("By"),
        accesses=page.accesses,
    )
    findings = (*_find(page, procedure), *md.find_in_page(page, _DAYS))
    title = name.replace("-", " ").title()
    words = "\n".join(filter(None, [title, *page.loose, *map(_words, page.sections)]))
    entry = Entry(ItemId(Kind.PROCEDURE, name), procedure, 1, words, title, page.text)
    return ProcedurePage(page, (entry,), tuple(sorted(findings)), procedure)


def _words(section: md.Section) -> str:
    """What a section says: its text, and each item with its number or dash."""
    pieces = md.split_items(section.body, section.body_line)
    return "\n".join(f"{p.marker}{md.visible(p.text)}" for p in pieces).strip()


def _find(page: md.Page, procedure: Procedure) -> Iterator[Finding]:
    if procedure.slug != page.stem:
        yield md.read_as(page, procedure.slug)
    elif page.title is None or page.title.removesuffix(".md") != page.stem:
        what = f"the title is not {page.stem}.md, the name of the file"
        yield page.warning(1, what, f"Write '# {page.stem}.md' as the first line.")
    for heading, there, what, mend in (
        (TRIGGER, procedure.trigger, "trigger is", "Say under '## {}' when to do it."),
        (STEPS, procedure.steps, "steps are", "List under '## {}' what to do: 1. …"),
    ):
        if not there:
            line = next((section.line for section in page.named(heading)), 0)
            yield page.warning(line, f"the {what} missing", mend.format(heading))


def new_procedure(procedure: Procedure) -> str:
    """The text of a new file; white space at the edges of its texts is dropped."""
    fields = {
        "Type": "procedure",
        "Learned": procedure.learned,
        "Last used": procedure.last_used,
        "Source": procedure.source,
        "By": procedure.by,
        "Pinned": "yes" if procedure.pinned else "no",
    }
    bodies = {
        TRIGGER: procedure.trigger,
        STEPS: [md.bullet(each, f"{n}. ") for n, each in enumerate(procedure.steps, 1)],
        NOTES: map(md.bullet, procedure.notes),
        LEARNED_FROM: map(md.bullet, procedure.learned_from),
    }
    return md.new_page(f"{procedure.slug}.md", fields, bodies, (TRIGGER, STEPS))


def split_steps(text: str) -> tuple[str, ...]:
    """Return the lines of a text as steps, without the number or dash before each."""
    lines = (line for line in text.split("\n") if line.strip())
    return tuple(_MARKER.sub("", line).strip() for line in lines)


def replace_steps(page: ProcedurePage, steps: Sequence[str]) -> ProcedurePage:
    """Return a procedure whose steps are these; history keeps the earlier ones."""
    if page.procedure.steps == tuple(steps):
        return page
    text = page.page
    for piece in reversed(text.items(STEPS)):
        text = md.with_lines(text, piece.line, piece.raw, "")
    numbered = (md.bullet(step, f"{n}. ") for n, step in enumerate(steps, 1))
    return _read(md.with_item(text, STEPS, "".join(numbered)))


def add_trigger(page: ProcedurePage, text: str) -> ProcedurePage:
    """A procedure that is also for another occasion, unless its trigger says so."""
    told = " ".join(text.split()).casefold().rstrip(".")
    if told in " ".join(page.procedure.trigger.split()).casefold():
        return page
    lead = "\n" if page.procedure.trigger else ""
    return _read(md.with_item(page.page, TRIGGER, f"{lead}{md.escape(text)}\n"))


def replace_step(page: ProcedurePage, old: str, new: str) -> ProcedurePage:
    """A procedure in which a step says something else, in the same place.

    Raises:
        MissingStepError: It has no such step.
    """
    for piece in page.page.items(STEPS):
        if md.visible(piece.text).split() == old.split():
            step = md.bullet(new, piece.marker)
            return _read(md.with_lines(page.page, piece.line, piece.raw, step))
    raise MissingStepError(md.headline(old), page.path)


def add_note(page: ProcedurePage, text: str) -> ProcedurePage:
    """A procedure with one more note."""
    return _read(md.with_item(page.page, NOTES, md.bullet(text)))


def add_learned_from(page: ProcedurePage, text: str) -> ProcedurePage:
    """A procedure that names one more place it was learned from."""
    return _read(md.with_item(page.page, LEARNED_FROM, md.bullet(text)))


def set_header(page: ProcedurePage, *, pinned: bool) -> ProcedurePage:
    """A procedure whose header says whether it is pinned, and the rest as before."""
    return _read(md.with_pin(page.page, pinned=pinned))
