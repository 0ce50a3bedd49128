"""`memory/meta/pending-memories.md`: proposals that wait for a yes (design, 13.2)."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from reverie.errors import FormatError, NotFoundError, RefusedError
from reverie.markdown import (
    Section,
    ended,
    escape,
    find_conflicts,
    heading,
    newlines_like,
    one_line,
    render_item,
    split_fields,
    split_items,
    split_sections,
    unescape,
    visible,
)
from reverie.model.ids import ItemId, Store, UnknownIdError
from reverie.model.items import Confidence, Finding, Severity
from reverie.model.origin import named, person_named
from reverie.model.proposals import DEFERRED, PENDING, Proposal, ask, conflict, is_asked
from reverie.workspace import layout
from reverie.workspace.files import NotAPlainFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


HEADING = re.compile(r"Proposal #([1-9]\d{0,8})(?!\d)")
FIELD = re.compile(r"\*\*([A-Za-z -]+)\*\*:(?:\s+|$)")
_MARK = re.compile(r"\u26a0\ufe0f?[ \t]*conflict\b|\bconflict with\b", re.IGNORECASE)
_FACT = re.compile(r"(?:entity:)?[^\s#,]+--[^\s#,]+#[0-9a-f]{6,8}")
_OTHER = re.compile(r"#[1-9]\d{0,8}")


def number_in(part: Section) -> re.Match[str] | None:
    """The number in a section's heading."""
    return HEADING.match(part.heading or "")


def parse_proposal(part: Section) -> Proposal | str:
    """A proposal, or what keeps a section from being one."""
    number = number_in(part)
    if number is None:
        return f"{part.heading!r} is no proposal"
    fields = _fields(part)
    store = fields.get("suggested store", "")
    content = fields.get("content", "")
    if store not in _STORES:
        return f"proposal #{number[1]} suggests no store: {store!r}"
    if not content:
        return f"proposal #{number[1]} has no content"
    level = fields.get("confidence", "")
    return Proposal(
        int(number[1]),
        fields.get("from", ""),
        _moment(fields.get("timestamp", "")),
        fields.get("trigger", ""),
        Store(store),
        content,
        entities=_entities(fields.get("entities", "")),
        confidence=Confidence(level) if level in _LEVELS else Confidence.LOW,
        core_worthy=fields.get("core-worthy", "") == "yes",
        status=fields.get("status", PENDING),
        origin=named(fields.get("origin", "")),
        name=fields.get("name", ""),
        when=fields.get("when", ""),
        block=fields.get("block", ""),
        kept=fields.get("kept", ""),
        conflicts=_conflicts(part.heading or ""),
        scope=person_named(fields.get("scope", "")),
        supersedes=fields.get("supersedes", ""),
        contradicts=references(fields.get("contradicts", "")),
    )


_STORES = frozenset(Store) - {Store.TURNS}
_LEVELS = frozenset(Confidence)


def _fields(part: Section) -> Mapping[str, str]:
    """The fields of a proposal; of two of one name the first counts."""
    body = without_rule(part.body)
    plain = _plain_fields(body)
    if plain is not None:
        return plain
    fields: dict[str, str] = {}
    for piece in split_items(body, part.body_line):
        text = piece.text if piece.marker else ""
        found = FIELD.match(text)
        if found:
            fields.setdefault(found[1].casefold(), visible(text[found.end() :]))
    return fields


def _plain_fields(body: str) -> Mapping[str, str] | None:
    """The fields of a body that has nothing but one line for each; None if it has.

    Most have: a long list is read several times faster so.
    """
    if _NOT_PLAIN.search(body):
        return None
    fields: dict[str, str] = {}
    for line in body.split("\n"):
        found = FIELD.match(line, 2) if line.startswith("- ") else None
        if found:
            fields.setdefault(found[1].casefold(), line[found.end() :].strip())
        elif line.strip():
            return None
    return fields


_NOT_PLAIN = re.compile(r"```|~~~|<!--|\\")


def without_rule(text: str) -> str:
    """A text without the line that parts it from the next proposal."""
    bare = text.rstrip()
    ruled = bare == "---" or bare.endswith("\n---")
    return bare[:-3].rstrip() if ruled else text


def _entities(listed: str) -> tuple[str, ...]:
    inside = listed.removeprefix("[").removesuffix("]")
    names = (re.sub(r"\\(.)", r"\1", name).strip() for name in _listed(inside))
    return tuple(name for name in names if name)


def _listed(text: str) -> Sequence[str]:
    return split_fields(text, ",") if "\\" in text else text.split(",")


def _conflicts(words: str) -> tuple[str, ...]:
    """What a heading says that a proposal is at odds with."""
    mark = _MARK.search(words)
    return references(unescape(words[mark.end() :])) if mark else ()


def references(text: str) -> tuple[str, ...]:
    """What a text names: `#4`, `entity:person--alex`, or a fact of that page."""
    found: dict[str, None] = {}
    for word in text.split():
        pieces = word.split(",") if word.startswith("#") else [word.removesuffix(",")]
        found.update(dict.fromkeys(piece for piece in pieces if _names(piece)))
    return tuple(found)


def _names(word: str) -> bool:
    if _OTHER.fullmatch(word) or _FACT.fullmatch(word):
        return True
    try:
        ItemId.parse(word)
    except UnknownIdError:
        return False
    return True


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def render_proposal(proposal: Proposal) -> str:
    """Write one proposal, without the rule above it."""
    at = f"{proposal.at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}" if proposal.at else ""
    fields = {
        "From": proposal.sender,
        "Timestamp": at,
        "Trigger": proposal.trigger,
        "Suggested store": proposal.store,
        "Content": proposal.content,
        "Entities": f"[{', '.join(map(_entity, proposal.entities))}]",
        "Confidence": proposal.confidence,
        "Core-worthy": "yes" if proposal.core_worthy else "no",
        "Status": proposal.status,
        "Origin": proposal.origin,
        "Name": proposal.name,
        "When": proposal.when,
        "Block": proposal.block,
        "Kept": proposal.kept,
        "Scope": proposal.scope,
        "Supersedes": proposal.supersedes,
        "Contradicts": ", ".join(proposal.contradicts),
    }
    optional = {"Name", "When", "Block", "Kept", "Scope", "Supersedes", "Contradicts"}
    items = (
        render_field(key, value)
        for key, value in fields.items()
        if value or key not in optional
    )
    words = marked_with(f"Proposal #{proposal.number}", proposal.conflicts)
    return f"## {words}\n" + "".join(items)


def _entity(name: str) -> str:
    return re.sub(r"[\\,]", r"\\\g<0>", one_line(name))


def marked_with(words: str, others: Sequence[str]) -> str:
    """The words of a heading with the mark of a conflict, or without."""
    mark = _MARK.search(words)
    bare = words[: mark.start()].rstrip() if mark else words
    if not others:
        return bare
    return f"{bare} \u26a0\ufe0f CONFLICT with {escape(', '.join(others))}"


def render_field(key: str, value: str) -> str:
    """Write one field of a proposal."""
    # Behind its name a value opens no fence on its first line.
    words = escape(value, item=True) if key == "Content" else escape(one_line(value))
    return render_item(f"**{key}**: {words}".rstrip())


MOST_NAMED = 20
"""So many others a mark names; a list that names all of all would be square."""

_LAST = re.compile(r"<!-- Last: #(\d{1,9}) -->")

_RENUMBER = "Give one of them a number that no other has."
_MEND = "Write it as design section 13.2 shows, or delete the proposal."


class NoSuchProposalError(NotFoundError):
    """There is no proposal of this number."""

    def __init__(self, number: int, path: str) -> None:
        super().__init__(
            f"there is no proposal #{number} in {path}",
            hint="`reverie pending` lists what waits.",
        )


class NumberTwiceError(RefusedError):
    """Two proposals have one number, so nobody can say which is meant."""

    def __init__(self, number: int, path: str) -> None:
        super().__init__(
            f"there are two proposals #{number} in {path}",
            hint="Give one of them another number by hand: `reverie check` says where.",
        )


class UnreadableProposalsError(FormatError):
    """The list cannot be read, so it is not written to either."""

    def __init__(self, path: str) -> None:
        hint = "Save it as UTF-8, or `reverie undo --file` it. Nothing was changed."
        super().__init__(path, 1, "is not UTF-8 text", hint=hint)


@dataclass(frozen=True, slots=True)
class Pending:
    """The file of proposals.

    Attributes:
        path: Path inside the workspace.
        parts: All sections, the readable and the unreadable.
        proposals: What waits, in the order written.
        findings: What is wrong in it.
    """

    path: str
    parts: tuple[Section, ...]
    proposals: tuple[Proposal, ...]
    findings: tuple[Finding, ...]

    @property
    def next_number(self) -> int:
        """A number that no proposal had before."""
        told = _LAST.search(self.parts[0].raw)
        numbers = [int(m[1]) for m in map(number_in, self.parts[1:]) if m]
        return max([int(told[1]) if told else 0, *numbers]) + 1


def parse_pending(text: str, path: str) -> Pending:
    """Read the proposals, whatever else is in the file."""
    parts = split_sections(text, lambda words: bool(HEADING.match(words)))
    proposals, findings = [], list(find_conflicts(text, path))
    for part in parts[1:]:
        found = parse_proposal(part)
        if isinstance(found, Proposal):
            proposals.append(found)
        else:
            findings.append(_unread(path, part, found))
    findings += _doubles(path, parts, findings)
    return Pending(path, parts, tuple(proposals), tuple(sorted(findings)))


def _doubles(
    path: str, parts: Sequence[Section], findings: Iterable[Finding]
) -> list[Finding]:
    """Proposals whose number another one has."""
    unread = {finding.line for finding in findings if finding.mend == _MEND}
    seen: set[str] = set()
    found = []
    for part in parts[1:]:
        number = number_in(part)
        if number is None or part.line in unread:
            continue
        if number[1] in seen:
            what = f"a second proposal #{number[1]}"
            found.append(Finding(path, part.line, what, _RENUMBER))
        seen.add(number[1])
    return found


def _unread(path: str, part: Section, what: str) -> Finding:
    return Finding(path, part.line, what, _MEND, Severity.WARNING)


def load_pending(read: Callable[[str], bytes | None]) -> Pending:
    """The file of proposals as it stands.

    Raises:
        UnreadableProposalsError: It is no UTF-8; what is lost in reading would be
            lost in writing.
    """
    data = read(layout.PENDING) or b""
    try:
        return parse_pending(data.decode("utf-8-sig"), layout.PENDING)
    except UnicodeDecodeError:
        raise UnreadableProposalsError(layout.PENDING) from None


def listed(read: Callable[[str], bytes | None]) -> tuple[Proposal, ...]:
    """What waits, for who only tells of it: nothing, where the list cannot be read."""
    with suppress(UnreadableProposalsError, NotAPlainFileError):
        return load_pending(read).proposals
    return ()


def render_pending(pending: Pending) -> str:
    """Give back the text that proposals were read from."""
    return "".join(part.raw for part in pending.parts)


def find_proposal(pending: Pending, number: int) -> Proposal:
    """One proposal by its number."""
    return _find(pending, number)[1]


# --- changes -----------------------------------------------------------------


def add_proposal(pending: Pending, proposal: Proposal) -> Pending:
    """One more proposal at the end, under the next number."""
    fresh = replace(proposal, number=pending.next_number)
    raws = [part.raw for part in pending.parts]
    sample = next(filter(None, raws), "")
    raws[-1] = without_rule(raws[-1]).rstrip() + newlines_like(sample, "\n\n---\n")
    return _rebuilt(pending, [*raws, newlines_like(sample, render_proposal(fresh))])


def remove_proposal(pending: Pending, number: int) -> Pending:
    """The file without a proposal; its number is never given again."""
    place, _ = _find(pending, number)
    raws = [part.raw for part in pending.parts]
    sample = next(filter(None, raws), "")
    raws[place] = ""
    raws[0] = _with_last(raws[0], pending.next_number - 1, sample)
    bare = without_rule(raws[place - 1])
    if place == len(raws) - 1 and bare != raws[place - 1]:
        raws[place - 1] = bare + newlines_like(sample, "\n")
    return _rebuilt(pending, raws)


def _with_last(opening: str, last: int, sample: str) -> str:
    """The text above all proposals, which says what number was the last one."""
    note = f"<!-- Last: #{last} -->"
    if _LAST.search(opening):
        return _LAST.sub(note, opening, count=1)
    head, line_end, rest = opening.partition("\n")
    return f"{head}{line_end}{note}{newlines_like(sample, chr(10))}{rest}"


def set_status(pending: Pending, number: int, status: str) -> Pending:
    """The file in which a proposal has this status, in its heading and its field.

    One that names nothing, such as `deferred`, leaves the heading marked as it is;
    only who waits as any other is at odds with nothing.
    """
    place, proposal = _find(pending, number)
    others = references(status)
    if not others and status != PENDING:
        others = proposal.conflicts
    raws = [part.raw for part in pending.parts]
    raws[place] = _with_status(pending.parts[place], proposal, status, others)
    return _rebuilt(pending, raws)


def mark_conflicts(pending: Pending, clashes: Mapping[int, tuple[str, ...]]) -> Pending:
    """The file in which exactly these proposals are marked, and with what.

    Args:
        pending: The file.
        clashes: For the number of each proposal what it is at odds with. Marks of
            all others are taken away, and they wait again as any.
    """
    raws = [part.raw for part in pending.parts]
    for place, proposal in _readings(pending):
        if isinstance(proposal, Proposal):
            others = clashes.get(proposal.number, ())[:MOST_NAMED]
            status = _status(proposal, others)
            part = pending.parts[place]
            raws[place] = _with_status(part, proposal, status, others)
    return _rebuilt(pending, raws)


def unmark(pending: Pending, gone: Iterable[int]) -> Pending:
    """The file in which none is marked as at odds with these, which have left it."""
    names = {f"#{number}" for number in gone}
    said = {
        one.number: one.conflicts or references(one.status) for one in pending.proposals
    }
    if names.isdisjoint(name for others in said.values() for name in others):
        return pending
    left = {
        number: tuple(name for name in others if name not in names)
        for number, others in said.items()
    }
    return mark_conflicts(pending, left)


def keep_counting(text: str, path: str, last: int) -> str:
    """The text of a list after which no number up to `last` is given again."""
    pending = parse_pending(text, path)
    if pending.next_number > last:
        return text
    raws = [part.raw for part in pending.parts]
    sample = next(filter(None, raws), "")
    return "".join((_with_last(raws[0], last, sample), *raws[1:]))


def _status(proposal: Proposal, others: Sequence[str]) -> str:
    if proposal.status == DEFERRED or not (others or proposal.disputed):
        return proposal.status
    if not others:
        return PENDING
    return ask(others) if is_asked(proposal.status) else conflict(others)


def _with_status(
    part: Section, proposal: Proposal, status: str, others: Sequence[str]
) -> str:
    """The text of a proposal with this status; a text that says so stays as it is."""
    head, line_end, body = part.raw.partition("\n")
    if proposal.conflicts != tuple(others):
        head = f"## {marked_with(part.heading or '', others)}" + "\r" * head.endswith(
            "\r"
        )
    if proposal.status != one_line(status):
        body = _with_field(body, "Status", status, part.raw)
    return head + line_end + body


def _with_field(body: str, key: str, value: str, sample: str) -> str:
    """The body of a proposal in which a field says this."""
    pieces = split_items(body)
    items = [n for n, piece in enumerate(pieces) if piece.marker]
    for n in items:
        found = FIELD.match(pieces[n].text)
        if found and found[1].casefold() == key.casefold():
            before, after = pieces[:n], pieces[n + 1 :]
            break
    else:
        end = items[-1] + 1 if items else 0
        before, after = pieces[:end], pieces[end:]
    start = ended("".join(piece.raw for piece in before))
    fresh = newlines_like(sample, render_field(key, value))
    return start + fresh + "".join(piece.raw for piece in after)


def _find(pending: Pending, number: int) -> tuple[int, Proposal]:
    """Where the proposal of a number stands among the parts, and the proposal."""
    found = [
        (place, one)
        for place, one in _readings(pending)
        if one and one.number == number
    ]
    if not found:
        raise NoSuchProposalError(number, pending.path)
    if len(found) > 1:
        raise NumberTwiceError(number, pending.path)
    return found[0]


def _readings(pending: Pending) -> Sequence[tuple[int, Proposal | None]]:
    """Each section's place, and its proposal; None for one that is none."""
    unread = {finding.line for finding in pending.findings if finding.mend == _MEND}
    proposals = iter(pending.proposals)
    return [
        (place, None if part.line in unread else next(proposals))
        for place, part in enumerate(pending.parts[1:], start=1)
    ]


def _rebuilt(pending: Pending, raws: Sequence[str]) -> Pending:
    """The file with other texts for its parts; only what is new is read.

    Args:
        pending: The file before.
        raws: The text of each part; empty for one to leave out; more at the end.
    """
    old = pending.parts
    if raws == [part.raw for part in old]:
        return pending
    if not all(number_in(part) for part in old[1:]) or any(map(_is_tricky, raws)):
        # What is a section of its own depends on what is above it.
        return parse_pending("".join(raws), pending.path)
    read = dict(_readings(pending))
    parts = [Section(None, 1, raws[0])]
    proposals, findings = [], []
    for place, raw in enumerate(raws[1:], start=1):
        if not raw:
            continue
        line = parts[-1].line + parts[-1].raw.count("\n")
        part = Section(heading(raw.partition("\n")[0]), line, raw)
        parts.append(part)
        same = place < len(old) and old[place].raw == raw
        found = (read[place] if same else None) or parse_proposal(part)
        if isinstance(found, Proposal):
            proposals.append(found)
        else:
            findings.append(_unread(pending.path, part, found))
    findings += _doubles(pending.path, parts, findings)
    return Pending(
        pending.path, tuple(parts), tuple(proposals), tuple(sorted(findings))
    )


def _is_tricky(raw: str) -> bool:
    """Whether a proposal has headings of its own, or marks of a merge."""
    return "\n##" in raw or "<<<<<<<" in raw or ">>>>>>>" in raw
