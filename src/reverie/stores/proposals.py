"""`memory/meta/pending-memories.md`: proposals that wait for a yes (design, 13.2)."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from reverie import markdown as md
from reverie.errors import FormatError, NotFoundError, RefusedError
from reverie.model.ids import ItemId, Kind, Store, UnknownIdError, slug
from reverie.model.items import Confidence, Finding, Severity, named, person_named
from reverie.model.proposals import DEFERRED, PENDING, Proposal, ask, conflict, is_asked
from reverie.workspace import layout
from reverie.workspace.files import NotAPlainFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

MOST_NAMED = 20
"""So many others a mark names; a list that names all of all would be square."""

_HEADING = re.compile(r"Proposal #([1-9]\d{0,8})(?!\d)")
_MARK = re.compile(r"\u26a0\ufe0f?[ \t]*conflict\b|\bconflict with\b", re.IGNORECASE)
_FACT = re.compile(r"(?:entity:)?[^\s#,]+--[^\s#,]+#[0-9a-f]{6,8}")
_OTHER = re.compile(r"#[1-9]\d{0,8}")
_LAST = re.compile(r"<!-- Last: #(\d{1,9}) -->")
_STORES = frozenset(Store) - {Store.TURNS}

_FIELDS = {
    "From": "sender",
    "Timestamp": "at",
    "Trigger": "trigger",
    "Suggested store": "store",
    "Content": "content",
    "Entities": "entities",
    "Confidence": "confidence",
    "Core-worthy": "core_worthy",
    "Status": "status",
    "Origin": "origin",
    "Name": "name",
    "When": "when",
    "Block": "block",
    "Kept": "kept",
    "Scope": "scope",
    "Supersedes": "supersedes",
    "Contradicts": "contradicts",
    "Made of": "basis",
    "Removes": "removes",
}
_OPTIONAL = frozenset([*_FIELDS][10:])


class NoSuchProposalError(NotFoundError):
    """There is no proposal of this number."""

    says = "there is no proposal #{} in {}"
    mend = "`reverie pending` lists what waits."


# --- one proposal ----------------------------------------------------------------


def _number(part: md.Section) -> int:
    """The number in a section's heading; 0 if it has none."""
    found = _HEADING.match(part.heading or "")
    return int(found[1]) if found else 0


def _parse_proposal(part: md.Section) -> Proposal | str:
    """A proposal, or what keeps a section from being one."""
    number, words = _number(part), part.heading or ""
    mark = _MARK.search(words)
    # Of two fields of one name the first counts.
    labelled = map(md.label, reversed(md.split_items(_without_rule(part.body))))
    fields = {name: md.visible(value) for name, value in labelled}
    told = {name: fields.get(key.casefold(), "") for key, name in _FIELDS.items()}
    if not number:
        return f"{part.heading!r} is no proposal"
    if told["store"] not in _STORES:
        return f"proposal #{number} suggests no store: {told['store']!r}"
    if not told["content"]:
        return f"proposal #{number} has no content"
    level, listed = told["confidence"], told["entities"]
    inside = md.split_fields(listed.removeprefix("[").removesuffix("]"), ",")
    names = (re.sub(r"\\(.)", r"\1", name).strip() for name in inside)
    read = {
        "at": _moment(told["at"]),
        "store": Store(told["store"]),
        "entities": tuple(filter(None, names)),
        "confidence": Confidence(level) if level in set(Confidence) else Confidence.LOW,
        "core_worthy": told["core_worthy"] == "yes",
        "status": fields.get("status", PENDING),
        "origin": named(told["origin"]),
        "scope": person_named(told["scope"]),
        "contradicts": references(told["contradicts"]),
        # What the heading says that it is at odds with.
        "conflicts": references(md.unescape(words[mark.end() :])) if mark else (),
    }
    return Proposal(number, **{**told, **read})  # type: ignore[arg-type]  # by the table


def _without_rule(text: str) -> str:
    """A text without the line that parts it from the next proposal."""
    bare = text.rstrip()
    ruled = bare == "---" or bare.endswith("\n---")
    return bare[:-3].rstrip() if ruled else text


def references(text: str) -> tuple[str, ...]:
    """What a text names: `#4`, `entity:person--alex`, or a fact of that page."""
    words = text.split()
    pieces = (w.split(",") if w[0] == "#" else [w.removesuffix(",")] for w in words)
    return tuple(dict.fromkeys(p for some in pieces for p in some if _is_reference(p)))


def _is_reference(word: str) -> bool:
    if _OTHER.fullmatch(word) or _FACT.fullmatch(word):
        return True
    with suppress(UnknownIdError):
        return bool(ItemId.parse(word))
    return False


def _moment(text: str) -> datetime | None:
    with suppress(ValueError, OverflowError):
        return datetime.fromisoformat(text).astimezone(UTC)
    return None


def render_proposal(proposal: Proposal) -> str:
    """Write one proposal, without the rule above it."""
    at = f"{proposal.at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}" if proposal.at else ""
    names = (re.sub(r"[\\,]", r"\\\g<0>", md.one_line(n)) for n in proposal.entities)
    told = {
        "at": at,
        "entities": f"[{', '.join(names)}]",
        "core_worthy": "yes" if proposal.core_worthy else "no",
        "contradicts": ", ".join(proposal.contradicts),
    }
    fields = {key: told.get(n, getattr(proposal, n)) for key, n in _FIELDS.items()}
    items = (
        _render_field(key, value)
        for key, value in fields.items()
        if value or key not in _OPTIONAL
    )
    words = _marked_with(f"Proposal #{proposal.number}", proposal.conflicts)
    return f"## {words}\n" + "".join(items)


def _marked_with(words: str, others: Sequence[str]) -> str:
    """The words of a heading with the mark of a conflict, or without."""
    mark = _MARK.search(words)
    bare = words[: mark.start()].rstrip() if mark else words
    told = f" \u26a0\ufe0f CONFLICT with {md.escape(', '.join(others))}"
    return bare + told if others else bare


def _render_field(key: str, value: str) -> str:
    # Behind its name a value opens no fence on its first line.
    words = (
        md.escape(value, item=True)
        if key == "Content"
        else md.escape(md.one_line(value))
    )
    return md.render_item(f"**{key}**: {words}".rstrip())


# --- the list --------------------------------------------------------------------


class Pending(Struct, frozen=True):
    """The file of proposals.

    Attributes:
        path: Path inside the workspace.
        parts: All sections, the readable and the unreadable.
        placed: The proposals by the place of their section, in the order written.
        findings: What is wrong in it.
    """

    path: str
    parts: tuple[md.Section, ...]
    placed: Mapping[int, Proposal]
    findings: tuple[Finding, ...]

    @property
    def proposals(self) -> tuple[Proposal, ...]:
        """What waits."""
        return tuple(self.placed.values())

    @property
    def next_number(self) -> int:
        """A number that no proposal had before."""
        told = _LAST.search(self.parts[0].raw)
        return max([int(told[1]) if told else 0, *map(_number, self.parts[1:])]) + 1


@lru_cache(maxsize=4)
def parse_pending(text: str, path: str) -> Pending:
    """Read the proposals, whatever else is in the file."""
    parts = md.split_sections(text, lambda words: bool(_HEADING.match(words)))
    placed: dict[int, Proposal] = {}
    numbers: set[int] = set()
    findings = [*md.find_conflicts(text, path)]
    for place, part in enumerate(parts[1:], 1):
        one = _parse_proposal(part)
        if isinstance(one, str):
            mend = "Write it as design section 13.2 shows, or delete the proposal."
            findings.append(Finding(path, part.line, one, mend, Severity.WARNING))
            continue
        if one.number in numbers:
            what, mend = f"a second proposal #{one.number}", "Give it another number."
            findings.append(Finding(path, part.line, what, mend))
        placed[place] = one
        numbers.add(one.number)
    return Pending(path, parts, placed, tuple(sorted(findings)))


def load_pending(read: Callable[[str], bytes | None]) -> Pending:
    """The file of proposals as it stands.

    Raises:
        FormatError: It is no UTF-8; what is lost in reading would be
            lost in writing.
    """
    try:
        text = (read(layout.PENDING) or b"").decode("utf-8-sig")
    except UnicodeDecodeError:
        hint = "Save it as UTF-8, or `reverie undo --file` it. Nothing was changed."
        problem = "is not UTF-8 text"
        raise FormatError(layout.PENDING, 1, problem, hint=hint) from None
    return parse_pending(text, layout.PENDING)


def listed(read: Callable[[str], bytes | None]) -> tuple[Proposal, ...]:
    """What waits, for who only tells of it: nothing, where the list cannot be read."""
    with suppress(FormatError, NotAPlainFileError):
        return load_pending(read).proposals
    return ()


def procedure_id(proposal: Proposal) -> str:
    """Return the ID of the procedure that a proposal is for; empty for none."""
    if proposal.store is not Store.PROCEDURAL or not proposal.name:
        return ""
    return f"{Kind.PROCEDURE}:{slug(proposal.name.removesuffix('.md'))}"


def render_pending(pending: Pending) -> str:
    """Give back the text that proposals were read from."""
    return "".join(part.raw for part in pending.parts)


def find_proposal(pending: Pending, number: int) -> Proposal:
    """One proposal by its number."""
    return _find(pending, number)[1]


def _find(pending: Pending, number: int) -> tuple[int, Proposal]:
    """Where the proposal of a number stands among the parts, and the proposal."""
    found = [each for each in pending.placed.items() if each[1].number == number]
    if not found:
        raise NoSuchProposalError(number, pending.path)
    if len(found) > 1:
        what = f"there are two proposals #{number} in {pending.path}"
        hint = "Give one of them another number by hand: `reverie check` says where."
        raise RefusedError(what, hint=hint)
    return found[0]


# --- changes -----------------------------------------------------------------


def add_proposal(pending: Pending, proposal: Proposal) -> Pending:
    """One more proposal at the end, under the next number."""
    fresh = render_proposal(replace(proposal, number=pending.next_number))
    text = render_pending(pending)
    start = _without_rule(text).rstrip()
    return parse_pending(
        start + md.newlines_like(text, f"\n\n---\n{fresh}"), pending.path
    )


def remove_proposal(pending: Pending, number: int) -> Pending:
    """The file without a proposal; its number is never given again."""
    place, _ = _find(pending, number)
    raws = [part.raw for part in pending.parts]
    raws[place] = ""
    raws[0] = _with_last(raws[0], pending.next_number - 1, render_pending(pending))
    bare = _without_rule(raws[place - 1])
    if place == len(raws) - 1 and bare != raws[place - 1]:
        raws[place - 1] = md.ended(bare)
    return parse_pending("".join(raws), pending.path)


def _with_last(opening: str, last: int, sample: str) -> str:
    """The text above all proposals, which says what number was the last one."""
    note = f"<!-- Last: #{last} -->"
    if _LAST.search(opening):
        return _LAST.sub(note, opening, count=1)
    head, line_end, rest = opening.partition("\n")
    return head + line_end + md.newlines_like(sample, f"{note}\n") + rest


def keep_counting(text: str, path: str, last: int) -> str:
    """The text of a list after which no number up to `last` is given again."""
    pending = parse_pending(text, path)
    if pending.next_number > last:
        return text
    opening, *rest = (part.raw for part in pending.parts)
    return "".join((_with_last(opening, last, text), *rest))


def set_status(pending: Pending, number: int, status: str) -> Pending:
    """The file in which a proposal has this status, in its heading and its field.

    One that names nothing, such as `deferred`, leaves the heading marked as it is;
    only who waits as any other is at odds with nothing.
    """
    place, proposal = _find(pending, number)
    others = references(status)
    if not others and status != PENDING:
        others = proposal.conflicts
    return _restated(pending, {place: (status, others)})


def mark_conflicts(pending: Pending, clashes: Mapping[int, tuple[str, ...]]) -> Pending:
    """The file in which exactly these proposals are marked, and with what.

    Args:
        pending: The file.
        clashes: For the number of each proposal what it is at odds with. Marks of
            all others are taken away, and they wait again as any.
    """
    marks = {}
    for place, one in pending.placed.items():
        others = clashes.get(one.number, ())[:MOST_NAMED]
        status = one.status
        if status != DEFERRED and (others or one.disputed):
            told = ask(others) if is_asked(status) else conflict(others)
            status = told if others else PENDING
        marks[place] = status, others
    return _restated(pending, marks)


def unmark(
    pending: Pending,
    gone: Iterable[int],
    instead: Mapping[int, Sequence[str]] | None = None,
) -> Pending:
    """The file in which none is marked as at odds with these, which have left it.

    Args:
        pending: The file.
        gone: The numbers of those that have left it.
        instead: For numbers of others what they are at odds with since then.
    """
    names, more = {f"#{number}" for number in gone}, instead or {}
    left = {
        one.number: tuple(
            dict.fromkeys(
                name
                for name in (
                    *(one.conflicts or references(one.status)),
                    *more.get(one.number, ()),
                )
                if name not in names
            )
        )
        for one in pending.proposals
    }
    return mark_conflicts(pending, left)


def _restated(
    pending: Pending, marks: Mapping[int, tuple[str, Sequence[str]]]
) -> Pending:
    """The file in which the proposals of some places have other statuses and marks.

    A text that says so already stays as it is.
    """
    raws = [part.raw for part in pending.parts]
    for place, one in pending.placed.items():
        status, others = marks.get(place, (one.status, one.conflicts))
        head, line_end, body = raws[place].partition("\n")
        if one.conflicts != tuple(others):
            words = _marked_with(pending.parts[place].heading or "", others)
            head = f"## {words}" + "\r" * head.endswith("\r")
        if one.status != md.one_line(status):
            body = _with_status(body, status, raws[place])
        raws[place] = head + line_end + body
    return parse_pending("".join(raws), pending.path)


def _with_status(body: str, status: str, sample: str) -> str:
    """The body of a proposal in which its status is this."""
    pieces = md.split_items(body)
    items = [n for n, piece in enumerate(pieces) if piece.marker]
    own = [n for n in items if md.label(pieces[n])[0] == "status"]
    start = own[0] if own else (items[-1] + 1 if items else 0)
    before = md.ended("".join(piece.raw for piece in pieces[:start]))
    fresh = md.newlines_like(sample, _render_field("Status", status))
    after = pieces[start + bool(own) :]
    return before + fresh + "".join(piece.raw for piece in after)


def public_parts(text: str) -> list[md.Section]:
    """Return the sections of the list on which a reflection may propose a decision.

    Left out are proposals for one person alone, and removals, on which the user
    decides alone. One that cannot be read is left out if it says either at all.
    """
    parts = parse_pending(text, layout.PENDING).parts
    return [part for part in parts if not _is_left_out(part)]


def _is_left_out(part: md.Section) -> bool:
    if part.heading is None:
        return False
    found = parse_pending(part.raw, layout.PENDING).proposals
    text = part.raw.casefold()
    unread = not found and ("**scope**" in text or "**removes**" in text)
    return unread or any(one.scope or one.removes for one in found)
