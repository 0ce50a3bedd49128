"""`memory/meta/expectations.md`: questions that must stay answerable.

A person may edit the file. What we write is one line each, escaped; what they wrote
stays as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from reverie import markdown as md
from reverie.errors import NotFoundError, RefusedError
from reverie.model.items import Finding, Severity, is_for, person_named, scope_name
from reverie.model.reflection import Expected
from reverie.workspace import layout
from reverie.workspace.layout import template

if TYPE_CHECKING:
    from collections.abc import Callable

TEMPLATE = template("expectations")

_FIELDS = frozenset({"answer", "since", "from", "scope"})
_BOM = "\ufeff"


class _Asked(NamedTuple):
    """A section of the file: its question, fields by name, and the lines of those."""

    section: md.Section
    question: str
    fields: dict[str, str]
    lines: dict[str, int]

    @property
    def scope(self) -> str:
        """The person it is for alone."""
        return person_named(self.fields.get("scope", ""))

    @property
    def key(self) -> tuple[str, str]:
        """What makes two questions one: their words, and for whom they are."""
        return _key(self.question), scope_name(self.scope)


def _sections(text: str) -> list[_Asked]:
    """The parts of a file, what stands above the first question among them."""
    asked = []
    for section in md.split_sections(text.removeprefix(_BOM), lambda _: False):
        words = md.without_comments(section.heading or "")
        fields: dict[str, str] = {}
        lines: dict[str, int] = {}
        for piece in md.split_items(section.body, section.body_line):
            name, value = md.label(piece)
            if name in _FIELDS - fields.keys():
                said = md.one_line(md.without_comments(value))
                fields[name] = md.unescape_field(said)
                lines[name] = piece.line
        question = md.one_line(md.unescape_field(words))
        asked.append(_Asked(section, question, fields, lines))
    return asked


def _key(question: str) -> str:
    return md.one_line(question).casefold().rstrip("?!. ")


def parse_expectations(
    text: str, path: str
) -> tuple[tuple[Expected, ...], tuple[Finding, ...]]:
    """Read the questions, whatever else is in the file, and what is wrong in it."""
    found: dict[tuple[str, str], Expected] = {}
    findings = list(md.find_conflicts(text, path))

    def warn(line: int, what: str, mend: str) -> None:
        findings.append(Finding(path, line, what, mend, Severity.WARNING))

    for asked in _sections(text)[1:]:
        fields, question = asked.fields, asked.question
        said, problem = repr(md.headline(question)), ""
        if not _key(question):
            problem = "there is no question in this heading"
        elif not fields.get("answer"):
            problem = f"{said} has no answer"
        elif asked.key in found:
            problem = f"{said} is asked twice; the first one counts"
        if problem:
            mend = "Give it one `- **Answer**: …`, or delete it."
            warn(asked.section.line, problem, mend)
            continue
        since = md.parse_date(fields.get("since", ""))
        if fields.get("since") and not since:
            what = f"Since is not a day: {fields['since']!r}"
            warn(asked.lines["since"], what, "Write it as YYYY-MM-DD.")
        source = fields.get("from") or "manual"
        found[asked.key] = Expected(
            question, fields["answer"], since, source, asked.scope
        )
    return tuple(found.values()), tuple(sorted(findings))


def add_expected(text: str, expected: Expected, *, replace: bool = False) -> str:
    """A file's text with one more question; all that a person wrote stays.

    Args:
        text: The file; empty if there is none.
        expected: The question, and what has to be found.
        replace: Whether another answer that is expected of it makes room.

    Raises:
        RefusedError: The question is there, with another answer.
    """
    key = _key(expected.question), scope_name(expected.scope)
    answer = md.one_line(expected.answer)
    if not key[0] or not answer:
        what = "an expectation is a question and its answer"
        hint = 'Such as `reverie expect "Where does Alex live?" Berlin`.'
        raise RefusedError(what, hint=hint)
    # Of a question that a person asked twice, the one with an answer counts.
    there = [asked for asked in _sections(text)[1:] if asked.key == key]
    there.sort(key=lambda asked: not asked.fields.get("answer"))
    if there:
        known, section = there[0].fields.get("answer"), there[0].section
        if known == answer:
            return text
        if known and not replace:
            asked, told = map(md.headline, (there[0].question, known))
            what = f"{asked!r} is expected to be answered {told!r} already"
            hint = "A person replaces the answer: `reverie expect --replace`."
            raise RefusedError(what, hint=hint)
        return _rewritten(text, lambda asked: asked.section == section, expected)
    start = md.ended(text) if text.strip(f"{_BOM} \t\r\n") else text + TEMPLATE
    # A blank line between two questions, and no more than that.
    blank = "" if start.endswith(("\n\n", "\r\n\r\n")) else "\n"
    question = md.escape_field(expected.question)
    more = f"{blank}## {question}\n{_render_fields(expected)}"
    return start + md.newlines_like(start, more)


def remove_expected(text: str, question: str, person: str = "") -> str:
    """A file's text without a question; notes below it that are a person's stay.

    Args:
        text: The file.
        question: In any spelling.
        person: Who takes it off; one that is for another person is not there for them.

    Raises:
        NotFoundError: It is not there.
    """

    def meant(asked: _Asked) -> bool:
        return same_question(asked.question, question) and is_for(asked.scope, person)

    if not _key(question) or not any(map(meant, _sections(text)[1:])):
        what = f"{md.headline(question)!r} is none of the questions that are expected"
        raise NotFoundError(what, hint="`reverie expect` lists them.")
    return _rewritten(text, meant, None)


def scoped_sections(text: str) -> list[tuple[md.Section, str]]:
    """The parts of a file, each with the person it is for alone."""
    return [(asked.section, asked.scope) for asked in _sections(text)]


def same_question(one: str, other: str) -> bool:
    """Whether two questions are one, however they are written."""
    return _key(one) == _key(other)


def _rewritten(
    text: str, meant: Callable[[_Asked], bool], expected: Expected | None
) -> str:
    """A file in which some questions have other fields, or are gone without any.

    What a person wrote below them stays.
    """
    opening, *rest = _sections(text)
    parts = [_BOM if text.startswith(_BOM) else "", opening.section.raw]
    for asked in rest:
        section = asked.section
        if not meant(asked):
            parts.append(section.raw)
            continue
        pieces = md.split_items(section.body, section.body_line)
        first = min(asked.lines.values(), default=section.body_line)
        own = [piece for piece in pieces if md.label(piece)[0] not in _FIELDS]
        above = "".join(p.raw for p in own if p.line < first and expected)
        below = "".join(p.raw for p in own if p.line >= first or not expected)
        if expected:
            title, end, _ = section.raw.partition("\n")
            fresh = md.newlines_like(section.raw, _render_fields(expected))
            parts += [md.ended(title + end), md.ended(above), fresh]
        # An indented text of a person's must not go on a field of ours.
        lines = (line for line in below.split("\n") if line.strip())
        if next(lines, "").startswith(("  ", "\t")):
            parts.append(md.newlines_like(below, "<!-- -->\n"))
        parts.append(below if expected or below.strip() else "")
    return "".join(parts)


def _render_fields(expected: Expected) -> str:
    fields = {
        "Answer": expected.answer,
        "Since": str(expected.since or ""),
        "From": expected.source,
        "Scope": expected.scope,
    }
    return "".join(
        f"- **{name}**: {md.escape_field(value)}\n"
        for name, value in fields.items()
        if md.one_line(value)
    )


def without_expectations(before: str, after: str, now: str) -> str:
    """What must stay findable, without what one change added and nobody changed."""
    known, added, there = (
        set(parse_expectations(text, layout.EXPECTATIONS)[0])
        for text in (before, after, now)
    )
    for expected in (added - known) & there:
        now = remove_expected(now, expected.question)
    return now
