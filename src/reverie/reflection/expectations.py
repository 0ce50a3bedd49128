"""`memory/meta/expectations.md`: questions that must stay answerable.

A person may edit the file. What we write is one line each, escaped; what they wrote
stays as it is.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from reverie.errors import NotFoundError, RefusedError
from reverie.index.sketches import spoken
from reverie.index.words import STOP_WORDS, stems, words
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
from reverie.model.finding import Finding, Severity
from reverie.model.reflection import Expected, Trial

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import date

    from reverie.markdown import Piece, Section
    from reverie.model.recall import Hit

    Ask = Callable[[str], Sequence[Hit]]

TEMPLATE = """\
# Memory Tests

<!-- Questions that must stay answerable; `reverie expect` adds one. Edit freely. -->
"""

_FIELD = re.compile(
    r"\*\*(answer|since|from)(?:\*\*:|:\*\*)(?:\s+|$)", re.IGNORECASE | re.ASCII
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


# --- the file ----------------------------------------------------------------


class _Field(NamedTuple):
    value: str
    line: int


def parse_expectations(
    text: str, path: str
) -> tuple[tuple[Expected, ...], tuple[Finding, ...]]:
    """Read the questions, whatever else is in the file, and what is wrong in it."""
    found: dict[str, Expected] = {}
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
        found[_key(question)] = Expected(question, answer, day, source or "manual")
    return tuple(found.values()), tuple(sorted(findings))


def _warning(path: str, line: int, what: str, mend: str) -> Finding:
    return Finding(path, line, what, mend, Severity.WARNING)


def _problem(
    section: Section, fields: Mapping[str, _Field], known: Mapping[str, Expected]
) -> str:
    """What keeps a section from being a question with an answer."""
    question = _question(section)
    if not _key(question):
        return "there is no question in this heading"
    if "answer" not in fields or not fields["answer"].value:
        return f"{headline(question)!r} has no answer"
    if _key(question) in known:
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
    for known in parse_expectations(text, "")[0]:
        if _key(known.question) == key:
            if known.answer == answer:
                return text
            if not replace:
                raise KnownQuestionError(known)
    sections = _sections(text)
    there = [s for s in sections[1:] if _key(_question(s)) == key]
    if not there:
        return _with_section(text, expected)
    # Of a question that a person asked twice, the one with an answer counts.
    place = next((s for s in there if "answer" in _fields(s)), there[0])
    return _joined(text, sections, {place.line: _rewritten(place, expected)})


def remove_expected(text: str, question: str) -> str:
    """A file's text without a question; notes below it that are a person's stay.

    Raises:
        UnknownQuestionError: It is not there.
    """
    sections = _sections(text)
    fresh = {
        section.line: _rewritten(section, None)
        for section in sections[1:]
        if _key(_question(section)) == _key(question)
    }
    if not fresh or not _key(question):
        raise UnknownQuestionError(question)
    return _joined(text, sections, fresh)


def same_question(one: str, other: str) -> bool:
    """Whether two questions are one, however they are written."""
    return _key(one) == _key(other)


def _sections(text: str) -> tuple[Section, ...]:
    return split_sections(text.removeprefix(_BOM), lambda _: False)


def _question(section: Section) -> str:
    return one_line(unescape_field(without_comments(section.heading or "")))


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
    }
    return "".join(
        f"- **{name}**: {escape_field(value)}\n"
        for name, value in fields.items()
        if one_line(value)
    )


# --- whether an answer was found ---------------------------------------------

_MARKS = re.compile("[\u0300-\u036f]+")
_TOKEN = re.compile(r"\d+(?:[.,:/-]\d+)*|[^\W\d_]+")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")

MOST_PARTS = 8
"""Numbers in a row, such as those of a date, that are looked at in every way."""


def found_at(expected: Expected, hits: Sequence[Hit]) -> int:
    """Which hit holds the answer, counted from 1; 0 if none does.

    All its telling words have to stand in one memory, as that reads now; numbers as
    they are written. An answer of no telling word has to stand there literally.
    """
    wanted = _wanted(expected.answer)
    for rank, hit in enumerate(hits, 1):
        texts = (hit.title, hit.text)
        if wanted and wanted <= frozenset().union(*map(_held, texts)):
            return rank
        if not wanted and any(_stands(expected.answer, text) for text in texts):
            return rank
    return 0


def compare(expected: Sequence[Expected], before: Ask, after: Ask) -> tuple[Trial, ...]:
    """How questions fare before and after.

    Args:
        expected: The questions.
        before: Answers one as things are.
        after: Answers one as things would be.
    """
    return tuple(
        Trial(
            each,
            found_at(each, before(each.question)),
            found_at(each, after(each.question)),
        )
        for each in expected
    )


def _folded(text: str) -> str:
    """A text on one line, without what case and accents tell apart."""
    apart = unicodedata.normalize("NFKD", text)
    plain = unicodedata.normalize("NFC", _MARKS.sub("", apart))
    return one_line(plain.casefold())


def _stands(answer: str, text: str) -> bool:
    """Whether a text has an answer in it that is no part of a longer word."""
    literal = _folded(answer)
    if not literal:
        # Nothing but an accent, or nothing at all.
        return one_line(answer) != "" and one_line(answer) in one_line(text)
    before = r"(?<!\w)" if literal[0].isalnum() else ""
    after = r"(?!\w)" if literal[-1].isalnum() else ""
    found = re.search(f"{before}{re.escape(literal)}{after}", _folded(text))
    return found is not None


def _wanted(answer: str) -> frozenset[str]:
    """What has to stand in a memory that holds an answer."""
    found: set[str] = set()
    for token, beside_number in set(_tokens(_folded(answer))):
        if token[0].isdecimal():
            found.update(_numbers(token))
        else:
            telling = (w for w in words(token) if beside_number or w not in STOP_WORDS)
            found.update(stems(telling))
    return frozenset(found)


@lru_cache(maxsize=256)
def _held(text: str) -> frozenset[str]:
    """All that a text can be asked for."""
    found: set[str] = set()
    for token in set(_TOKEN.findall(_folded(text))):
        number = token[0].isdecimal()
        found.update(_every_number(token) if number else stems(words(token)))
    return frozenset(found)


def _tokens(text: str) -> Iterator[tuple[str, bool]]:
    """Words and numbers, and whether a number stands right beside a word.

    The `m` of `10m` tells something, unlike the one of `I'm`.
    """
    found = list(_TOKEN.finditer(text))
    numbers = {m.start() for m in found if m[0][0].isdecimal()}
    ends = {m.end() for m in found if m[0][0].isdecimal()}
    for match in found:
        yield match[0], match.end() in numbers or match.start() in ends


def _numbers(token: str) -> list[str]:
    """The numbers of a token: `1,200` is one, `3,2026` are two."""
    if _THOUSANDS.fullmatch(token):
        return [token.replace(",", "")]
    return token.replace("/", "-").split(",")


def _every_number(token: str) -> Iterator[str]:
    """The same with their parts: who asks for 2026 finds 2026-02-02."""
    for number in _numbers(token):
        yield number
        parts = number.split("-")
        most = len(parts) if len(parts) <= MOST_PARTS else 1
        for size in range(1, most + 1):
            for start in range(len(parts) - size + 1):
                yield "-".join(parts[start : start + size])


# --- born from a correction --------------------------------------------------

_ASKED = {
    "lives in": "Where does {} live?",
    "works at": "Where does {} work?",
    "works as": "What does {} work as?",
    "is married to": "Who is {} married to?",
    "is engaged to": "Who is {} engaged to?",
    "was born": "When and where was {} born?",
    "reports to": "Who does {} report to?",
    "is located in": "Where is {} located?",
    "is written in": "What is {} written in?",
    "is from": "Where is {} from?",
    "is called": "What is {} called?",
    "is due": "When is {} due?",
    "costs": "What does {} cost?",
    "weighs": "What does {} weigh?",
    "takes": "What does {} take?",
    "opens": "When does {} open?",
    "closes": "When does {} close?",
    "starts": "When does {} start?",
    "ends": "When does {} end?",
    "leaves": "When does {} leave?",
    "arrives": "When does {} arrive?",
    "expires": "When does {} expire?",
    "runs on port": "Which port does {} run on?",
    "is on version": "Which version is {} on?",
}
"""How what a verb claims is asked for."""

_DATED = frozenset(("date", "weekday", "time"))


def from_correction(
    label: str, fact: str, since: date | None = None, source: str = "manual"
) -> Expected:
    """The question that a corrected fact answers from now on.

    Args:
        label: Of whom or what it is known.
        fact: What is known, as its page says it.
        since: The day it was corrected.
        source: What corrected it.
    """
    question, answer = _claimed(one_line(label), one_line(fact))
    return Expected(question, answer, since, source)


def _claimed(label: str, fact: str) -> tuple[str, str]:
    """What is claimed, as a question and its answer."""
    from reverie.encoding.claims import claim_of  # noqa: PLC0415 - much to load

    said = spoken(label, fact)
    claim = claim_of(said)
    broad = f"What is known about {label}?", fact
    if not claim or not claim.single or claim.negated or not claim.value.shown:
        return broad
    subject = claim.about.said
    if claim.named == subject:
        # The subject is told with its attribute: `Apollo's deadline`.
        bare = claim_of(fact) if said != fact else None
        if bare and bare.value == claim.value:
            thing = bare.about.said.removeprefix("the ")
            subject = f"{label}'s {thing[:1].lower()}{thing[1:]}"
        return f"What is {subject}?", claim.value.shown
    asked = _ASKED.get(claim.attribute, "")
    if claim.attribute == "is on" and not _DATED.isdisjoint(claim.value.parts):
        asked = "When is {}?"
    return (asked.format(subject), claim.value.shown) if asked else broad
