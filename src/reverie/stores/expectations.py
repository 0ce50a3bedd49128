"""`memory/meta/expectations.md`: questions that must stay answerable.

A person may edit the file. What we write is one line each, escaped; what they wrote
stays as it is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from reverie.errors import NotFoundError, RefusedError
from reverie.markdown import (
    ended,
    escape_field,
    find_conflicts,
    headline,
    newlines_like,
    one_line,
    parse_date,
    split_items,
    split_sections,
    unescape_field,
    without_comments,
)
from reverie.model.items import Finding, Severity
from reverie.model.origin import is_for, person_named, scope_name
from reverie.model.reflection import Expected
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reverie.markdown import Piece, Section

TEMPLATE = """\
# Memory Tests

<!-- Questions that must stay answerable; `reverie expect` adds one. Edit freely. -->
"""

_FIELD = re.compile(
    r"\*\*(answer|since|from|scope)(?:\*\*:|:\*\*)(?:\s+|$)", re.IGNORECASE | re.ASCII
)
_BOM = "\ufeff"


class KnownQuestionError(RefusedError):
    """A question is there already, and another answer is expected of it."""

    def __init__(self, known: Expected) -> None:
        super().__init__(
            f"{headline(known.question)!r} is expected to be answered "
            f"{headline(known.answer)!r} already",
            hint="A person replaces the answer: `reverie expect --replace`.",
        )


class UnknownQuestionError(NotFoundError):
    """A question is to be taken off that is not on the list."""

    def __init__(self, question: str) -> None:
        super().__init__(
            f"{headline(question)!r} is none of the questions that are expected",
            hint="`reverie expect` lists them.",
        )


class EmptyExpectationError(RefusedError):
    """There is no question, or no answer to it."""

    def __init__(self) -> None:
        super().__init__(
            "an expectation is a question and its answer",
            hint='Such as `reverie expect "Where does Alex live?" Berlin`.',
        )


class _Asked(NamedTuple):
    """What makes two questions one: their words, and for whom they are."""

    words: str
    scope: str


class _Field(NamedTuple):
    value: str
    line: int


def parse_expectations(
    text: str, path: str
) -> tuple[tuple[Expected, ...], tuple[Finding, ...]]:
    """Read the questions, whatever else is in the file, and what is wrong in it."""
    found: dict[_Asked, Expected] = {}
    findings = list(find_conflicts(text, path))
    for section in _sections(text)[1:]:
        fields = _fields(section)
        problem = _problem(section, fields, found)
        if problem:
            mend = "Give it one `- **Answer**: …`, or delete it."
            findings.append(_warning(path, section.line, problem, mend))
            continue
        since = fields.get("since", _Field("", 0))
        if since.value and parse_date(since.value) is None:
            what = f"Since is not a day: {since.value!r}"
            mend = "Write it as YYYY-MM-DD."
            findings.append(_warning(path, since.line, what, mend))
        question = _question(section)
        source = fields["from"].value if "from" in fields else ""
        answer, day = fields["answer"].value, parse_date(since.value)
        found[_asked(section, fields)] = Expected(
            question, answer, day, source or "manual", _scope(fields)
        )
    return tuple(found.values()), tuple(sorted(findings))


def _warning(path: str, line: int, what: str, mend: str) -> Finding:
    return Finding(path, line, what, mend, Severity.WARNING)


def _problem(
    section: Section, fields: Mapping[str, _Field], known: Mapping[_Asked, Expected]
) -> str:
    """What keeps a section from being a question with an answer."""
    question = _question(section)
    if not _key(question):
        return "there is no question in this heading"
    if "answer" not in fields or not fields["answer"].value:
        return f"{headline(question)!r} has no answer"
    if _asked(section, fields) in known:
        return f"{headline(question)!r} is asked twice; the first one counts"
    return ""


def add_expected(text: str, expected: Expected, *, replace: bool = False) -> str:
    """A file's text with one more question; all that a person wrote stays.

    Args:
        text: The file; empty if there is none.
        expected: The question, and what has to be found.
        replace: Whether another answer that is expected of it makes room.

    Raises:
        KnownQuestionError: The question is there, with another answer.
    """
    key, answer = _key(expected.question), one_line(expected.answer)
    if not key or not answer:
        raise EmptyExpectationError
    asked = _Asked(key, scope_name(expected.scope))
    for known in parse_expectations(text, "")[0]:
        if _Asked(_key(known.question), scope_name(known.scope)) == asked:
            if known.answer == answer:
                return text
            if not replace:
                raise KnownQuestionError(known)
    sections = _sections(text)
    there = [s for s in sections[1:] if _asked(s, _fields(s)) == asked]
    if not there:
        return _with_section(text, expected)
    # Of a question that a person asked twice, the one with an answer counts.
    place = next((s for s in there if "answer" in _fields(s)), there[0])
    return _joined(text, sections, {place.line: _rewritten(place, expected)})


def remove_expected(text: str, question: str, person: str = "") -> str:
    """A file's text without a question; notes below it that are a person's stay.

    Args:
        text: The file.
        question: In any spelling.
        person: Who takes it off; one that is for another person is not there for them.

    Raises:
        UnknownQuestionError: It is not there.
    """
    sections = _sections(text)
    fresh = {
        section.line: _rewritten(section, None)
        for section in sections[1:]
        if _key(_question(section)) == _key(question)
        and is_for(_scope(_fields(section)), person)
    }
    if not fresh or not _key(question):
        raise UnknownQuestionError(question)
    return _joined(text, sections, fresh)


def scoped_sections(text: str) -> list[tuple[Section, str]]:
    """The parts of a file, each with the person it is for alone."""
    return [(section, _scope(_fields(section))) for section in _sections(text)]


def same_question(one: str, other: str) -> bool:
    """Whether two questions are one, however they are written."""
    return _key(one) == _key(other)


def _sections(text: str) -> tuple[Section, ...]:
    return split_sections(text.removeprefix(_BOM), lambda _: False)


def _question(section: Section) -> str:
    return one_line(unescape_field(without_comments(section.heading or "")))


def _asked(section: Section, fields: Mapping[str, _Field]) -> _Asked:
    return _Asked(_key(_question(section)), scope_name(_scope(fields)))


def _scope(fields: Mapping[str, _Field]) -> str:
    return person_named(fields["scope"].value) if "scope" in fields else ""


def _key(question: str) -> str:
    """What makes two questions one: their words."""
    return one_line(question).casefold().rstrip("?!. ")


def _field_name(piece: Piece) -> str:
    found = _FIELD.match(piece.text) if piece.marker else None
    return found[1].lower() if found else ""


def _fields(section: Section) -> dict[str, _Field]:
    """The fields of a question; of two of one name the first counts."""
    fields: dict[str, _Field] = {}
    for piece in split_items(section.body, section.body_line):
        name = _field_name(piece)
        if name:
            value = without_comments(_FIELD.sub("", piece.text, count=1))
            fields.setdefault(name, _Field(unescape_field(one_line(value)), piece.line))
    return fields


def _rewritten(section: Section, expected: Expected | None) -> str:
    """A section with other fields; without any, what a person wrote below it."""
    title, end, _ = section.raw.partition("\n")
    pieces = split_items(section.body, section.body_line)
    fields = [n for n, piece in enumerate(pieces) if _field_name(piece)]
    own = [piece.raw for n, piece in enumerate(pieces) if n not in fields]
    if expected is None:
        rest = "".join(own)
        return _apart(rest) if rest.strip() else ""
    place = fields[0] if fields else 0
    before, after = "".join(own[:place]), "".join(own[place:])
    fresh = newlines_like(section.raw, _render_fields(expected))
    return ended(title + end) + ended(before) + fresh + _apart(after)


def _apart(text: str) -> str:
    """A person's text below a field of ours; an indented one must not continue it."""
    first = next((line for line in text.split("\n") if line.strip()), "")
    indented = first.startswith(("  ", "\t"))
    return newlines_like(text, "<!-- -->\n") + text if indented else text


def _joined(text: str, sections: Sequence[Section], fresh: Mapping[int, str]) -> str:
    """The file with some sections, by their lines, written anew."""
    opening, *rest = sections
    parts = (fresh.get(section.line, section.raw) for section in rest)
    return (_BOM if text.startswith(_BOM) else "") + opening.raw + "".join(parts)


def _with_section(text: str, expected: Expected) -> str:
    start = ended(text) if text.strip(f"{_BOM} \t\r\n") else text + TEMPLATE
    # A blank line between two questions, and no more than that.
    blank = "" if start.endswith(("\n\n", "\r\n\r\n")) else "\n"
    more = f"{blank}## {escape_field(expected.question)}\n{_render_fields(expected)}"
    return start + newlines_like(start, more)


def _render_fields(expected: Expected) -> str:
    fields = {
        "Answer": expected.answer,
        "Since": expected.since.isoformat() if expected.since else "",
        "From": expected.source,
        "Scope": expected.scope,
    }
    return "".join(
        f"- **{name}**: {escape_field(value)}\n"
        for name, value in fields.items()
        if one_line(value)
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
