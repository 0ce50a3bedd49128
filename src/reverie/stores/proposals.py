"""`memory/meta/pending-memories.md`: what waits for a yes (design, section 13.2)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from reverie.errors import NotFoundError
from reverie.markdown import (
    Section,
    ended,
    escape,
    find_conflicts,
    newlines_like,
    one_line,
    render_item,
    split_items,
    split_sections,
    visible,
)
from reverie.model.finding import Finding, Severity
from reverie.model.ids import Store
from reverie.model.items import Confidence
from reverie.model.origin import named
from reverie.model.proposal import PENDING, Proposal
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_HEADING = re.compile(r"Proposal #([1-9]\d{0,8})(?!\d)")
_FIELD = re.compile(r"\*\*([A-Za-z -]+)\*\*:(?:\s+|$)")
_RULE = re.compile(r"(\r?\n)*---\s*\Z")
_LAST = re.compile(r"<!-- Last: #(\d{1,9}) -->")

_MEND = "Write it as design section 13.2 shows, or delete the proposal."


class NoSuchProposalError(NotFoundError):
    """There is no proposal of this number."""

    def __init__(self, number: int, path: str) -> None:
        super().__init__(
            f"there is no proposal #{number} in {path}",
            hint="`reverie pending` lists what waits.",
        )


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
        numbers = [int(m[1]) for m in map(_number, self.parts[1:]) if m]
        return max([int(told[1]) if told else 0, *numbers]) + 1


def parse_pending(text: str, path: str) -> Pending:
    """Read the proposals, whatever else is in the file."""
    parts = split_sections(text, lambda words: bool(_HEADING.match(words)))
    proposals, findings = [], list(find_conflicts(text, path))
    for part in parts[1:]:
        found = _parse_proposal(part)
        if isinstance(found, Proposal):
            proposals.append(found)
        else:
            severity = Severity.WARNING
            findings.append(Finding(path, part.line, found, _MEND, severity))
    return Pending(path, parts, tuple(proposals), tuple(sorted(findings)))


def load_pending(read: Callable[[str], bytes | None]) -> Pending:
    """The file of proposals as it stands."""
    data = read(layout.PENDING) or b""
    return parse_pending(data.decode("utf-8-sig", "replace"), layout.PENDING)


def render_pending(pending: Pending) -> str:
    """Give back the text that proposals were read from."""
    return "".join(part.raw for part in pending.parts)


def find_proposal(pending: Pending, number: int) -> Proposal:
    """One proposal by its number."""
    for proposal in pending.proposals:
        if proposal.number == number:
            return proposal
    raise NoSuchProposalError(number, pending.path)


def _number(part: Section) -> re.Match[str] | None:
    return _HEADING.match(part.heading or "")


def _parse_proposal(part: Section) -> Proposal | str:
    """A proposal, or what keeps a section from being one."""
    number = _number(part)
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
    listed = fields.get("entities", "").strip("[]").split(",")
    return Proposal(
        int(number[1]),
        fields.get("from", ""),
        _moment(fields.get("timestamp", "")),
        fields.get("trigger", ""),
        Store(store),
        content,
        entities=tuple(name.strip() for name in listed if name.strip()),
        confidence=Confidence(level) if level in _LEVELS else Confidence.LOW,
        core_worthy=fields.get("core-worthy", "") == "yes",
        status=fields.get("status", PENDING),
        origin=named(fields.get("origin", "")),
        name=fields.get("name", ""),
        when=fields.get("when", ""),
        block=fields.get("block", ""),
        kept=fields.get("kept", ""),
    )


_STORES = frozenset(Store) - {Store.TURNS}
_LEVELS = frozenset(Confidence)


def _fields(part: Section) -> Mapping[str, str]:
    """The fields of a proposal; of two of one name the first counts."""
    fields: dict[str, str] = {}
    body = _RULE.sub("", part.body)
    for piece in split_items(body, part.body_line):
        found = _FIELD.match(piece.text) if piece.marker else None
        if found:
            value = visible(piece.text[found.end() :])
            fields.setdefault(found[1].casefold(), value)
    return fields


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
        "Entities": f"[{', '.join(proposal.entities)}]",
        "Confidence": proposal.confidence,
        "Core-worthy": "yes" if proposal.core_worthy else "no",
        "Status": proposal.status,
        "Origin": proposal.origin,
        "Name": proposal.name,
        "When": proposal.when,
        "Block": proposal.block,
        "Kept": proposal.kept,
    }
    optional = {"Name", "When", "Block", "Kept"}
    items = (
        _render_field(key, value)
        for key, value in fields.items()
        if value or key not in optional
    )
    return f"## Proposal #{proposal.number}\n" + "".join(items)


def _render_field(key: str, value: str) -> str:
    # Behind its name a value opens no fence on its first line.
    words = escape(value, item=True) if key == "Content" else escape(one_line(value))
    return render_item(f"**{key}**: {words}".rstrip())


def add_proposal(pending: Pending, proposal: Proposal) -> Pending:
    """One more proposal at the end, under the next number."""
    number = pending.next_number
    text = ended(_RULE.sub("\n", render_pending(pending)).rstrip() + "\n")
    more = f"\n---\n{render_proposal(replace(proposal, number=number))}"
    return parse_pending(text + newlines_like(text, more), pending.path)


def remove_proposal(pending: Pending, number: int) -> Pending:
    """The file without a proposal; its number is never given again."""
    find_proposal(pending, number)
    last = pending.next_number - 1
    kept = []
    for part in pending.parts:
        found = _number(part)
        if not found or int(found[1]) != number:
            kept.append(part.raw)
    text = _RULE.sub("\n", "".join(kept))
    note = f"<!-- Last: #{last} -->"
    if _LAST.search(text):
        text = _LAST.sub(note, text, count=1)
    else:
        head, line_end, rest = text.partition("\n")
        text = f"{head}{line_end}{note}\n{rest}"
    return parse_pending(text, pending.path)
