"""One fact, one list item: its words, and in a comment since when and from where."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from reverie.markdown import (
    escape,
    escape_field,
    parse_date,
    parse_fields,
    quoted,
    render_fields,
    render_item,
    split_comment,
    tidy,
    unescape,
    unquoted,
    without_comments,
)
from reverie.model.finding import Finding, Severity
from reverie.model.items import Fact
from reverie.model.origin import FOREIGN, stated

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reverie.markdown import Piece

_CITED = 6
_FACT_ID = re.compile(r"([^\s#/]+--[^\s#/]+)#([0-9a-f]{6,8})")
_KNOWN = ("since", "until", "source", "by", "superseded-by", "forgotten")


def reference(text: str) -> str:
    """The short name by which one fact points at another: a hash of its words."""
    data = tidy(text).encode("utf-8", "replace")
    return hashlib.sha256(data).hexdigest()[:8]


def fact_id(page: str, text: str) -> str:
    """What a fact is cited by: `person--alex#3f2a9c`, from its page and its words."""
    return f"{page}#{reference(text)[:_CITED]}"


def parse_fact_id(said: str) -> tuple[str, str] | None:
    """The page and the short name that a citation of a fact means; None for none."""
    found = _FACT_ID.fullmatch(said.strip().removeprefix("entity:"))
    return (found[1], found[2]) if found else None


def parse_fact(piece: Piece) -> Fact:
    """Read a list item as a fact; a struck-out one no longer holds."""
    words, inside = split_comment(piece.text)
    fields = dict(reversed(parse_fields(inside or "")))
    by, source = fields.get("by", ""), fields.get("source", "")
    if stated(by, source) in FOREIGN:
        words = unquoted(words)
    struck = len(words) > 4 and words.startswith("~~") and words.endswith("~~")
    if struck:
        words = re.sub(r"(\n *)\\(\\*~{1,2})$", r"\1\2", words[2:-2])
    words = re.sub(r"^\\(\\*~~)", r"\1", without_comments(words).strip())
    until = parse_date(fields.get("until", ""))
    successor = fields.get("superseded-by", "")
    forgotten = parse_date(fields.get("forgotten", ""))
    return Fact(
        unescape(words),
        since=parse_date(fields.get("since", "")),
        source=source,
        until=until,
        superseded_by=successor,
        withdrawn=struck and not (until or successor or forgotten),
        by=by,
        forgotten=forgotten,
    )


def render_fact(fact: Fact, more: Iterable[tuple[str, str]] = ()) -> str:
    """Write a fact as a list item; white space at its edges is dropped.

    Args:
        fact: The fact.
        more: Fields of a person's own to keep in the comment, escaped already.
    """
    words = escape(fact.text, item=True, fences=False)
    words = re.sub(r"^(\\*~~)", r"\\\1", words)
    if not fact.current:
        # A last line of tildes would become a code fence with those that strike it.
        words = re.sub(r"(\n *)(\\*~{1,2})$", r"\1\\\2", words)
        words = f"~~{words}~~"
    if stated(fact.by, fact.source) in FOREIGN:
        # Somebody else's words stand as a quotation among the others.
        words = quoted(words)
    fields = [
        ("since", fact.since.isoformat() if fact.since else ""),
        ("until", fact.until.isoformat() if fact.until else ""),
        ("source", escape_field(fact.source)),
        ("by", escape_field(fact.by)),
        ("superseded-by", escape_field(fact.superseded_by)),
        ("forgotten", fact.forgotten.isoformat() if fact.forgotten else ""),
        *more,
    ]
    comment = render_fields((key, value) for key, value in fields if value)
    return render_item(f"{words} <!-- {comment} -->" if comment else words)


def other_fields(piece: Piece) -> tuple[tuple[str, str], ...]:
    """What a person added to a fact's comment, escaped."""
    _, inside = split_comment(piece.text)
    pairs = parse_fields(inside or "")
    return tuple((k, escape_field(v)) for k, v in pairs if k not in _KNOWN)


def find_in_facts(pieces: Iterable[Piece], path: str) -> list[Finding]:
    """Days that are none, and pointers to facts that are not there."""
    pieces = tuple(pieces)
    facts = [parse_fact(piece) for piece in pieces]
    names = {reference(fact.text) for fact in facts}
    findings = []
    for piece, fact in zip(pieces, facts, strict=True):
        successor = fact.superseded_by
        if successor and successor not in names:
            what = f"superseded-by points at {successor}, which is no fact here"
            mend = "Remove the pointer, or restore the fact that took its place."
            findings.append(Finding(path, piece.line, what, mend, Severity.WARNING))
        findings += _bad_days(piece, path)
    return findings


def _bad_days(piece: Piece, path: str) -> list[Finding]:
    _, inside = split_comment(piece.text)
    mend = "Write it as YYYY-MM-DD."
    return [
        Finding(
            path, piece.line, f"{key} is not a day: {value!r}", mend, Severity.WARNING
        )
        for key, value in parse_fields(inside or "")
        if key in {"since", "until", "forgotten"}
        and value
        and parse_date(value) is None
    ]
