"""One proposal in `pending-memories.md`, read and written (design, section 13.2)."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from reverie.markdown import (
    escape,
    one_line,
    render_item,
    split_fields,
    split_items,
    unescape,
    visible,
)
from reverie.model.ids import ItemId, Store, UnknownIdError
from reverie.model.items import Confidence
from reverie.model.origin import named
from reverie.model.proposal import PENDING, Proposal
from reverie.model.scope import person_named

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reverie.markdown import Section

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
