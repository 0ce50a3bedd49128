"""`IDENTITY.md`: the self-awareness log, and the self-image drawn from it.

Unlike everything else the self-image is rewritten, not added to; so its human sees the
changes and approves them first.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import astuple

from reverie.markdown import newlines_like, parse_date, split_lines, without_comments
from reverie.model.items import least, named
from reverie.reflection import records

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import date


LOG = "Self-Awareness Log"
RECENT = "Recent (Full Detail)"
ARCHIVED = "Archived (Compacted)"
LONGEST = 300
"""Characters of one item."""
MOST = 10
"""Items of one reflection: after as many the self-image is drawn anew."""

SELF_IMAGE = "Self-Image"
QUESTIONS = "Open Questions"
HEADINGS = (
    "Who I Think I Am",
    "Patterns I've Noticed",
    "My Quirks",
    "Edges & Limitations",
    "What I Value (Discovered)",
    QUESTIONS,
)
DUE = 10
"""New entries in the log after which the self-image is looked at again."""
KEPT = 15
"""Entries of the log that stay in full."""

_SUMMARY = 400  # characters of what is said of a month at a time
_ALIKE = 0.3  # share of words in common from which one line revises another
_TAG = re.compile(r"\[self-awareness\]", re.IGNORECASE)
_PARAGRAPH = re.compile(r"\n[ \t\r]*\n|\n(?=[ \t]*[-*+][ \t])")
_BULLET = re.compile(r"^[-*+][ \t]+")
_OWN = re.compile(r"[#<>|`~=-]|[0-9]{1,9}[.)][ \t]")
"""How a line begins that goes on with nothing above it."""
_BY = re.compile(r"(?m) <!-- by:([a-z-]+) -->\s*$")
_ITEM = re.compile(r"[-*+][ \t]+([0-9]{4}-[0-9]{2}-[0-9]{2}):(.*)", re.DOTALL)
_MONTH = re.compile(
    r"[-*+][ \t]+([0-9]{4}-[0-9]{2}) \(([0-9]{1,6}) entr(?:y|ies)\):(.*)", re.DOTALL
)


class Awareness(Struct, frozen=True):
    """One thing the agent noticed about itself.

    Attributes:
        day: The day it did.
        words: What it noticed.
        by: Whose words it is made of, where that is not the agent alone.
    """

    day: date
    words: str
    by: str = ""


class SelfImage(Struct, frozen=True):
    """How the agent sees itself, in lines; the sections of reflection v2 in order."""

    who: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    quirks: tuple[str, ...] = ()
    edges: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()

    @property
    def sections(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The lines of each section, with its heading."""
        return tuple(zip(HEADINGS, astuple(self), strict=True))


# --- the log -----------------------------------------------------------------


def awareness_items(told: str) -> tuple[str, ...]:
    """What a reflection tags as self-awareness, without the tags, one line each.

    A tag closes a passage: from the start of its paragraph, or from the tag before it.
    Where a paragraph starts with its tag, the tag opens the passage instead. Of a long
    passage the sentences next to the tag are kept.
    """
    items: list[str] = []
    for paragraph in _PARAGRAPH.split(told):
        parts = _TAG.split(_BULLET.sub("", paragraph.strip(), count=1))
        closes = bool(parts[0].strip(" *_`\"'\t\r\n"))
        passages = parts[:-1] if closes else parts[1:]
        items += (records.excerpt(each, LONGEST, end=closes) for each in passages)
    return tuple(dict.fromkeys(filter(None, items)))


def append_awareness(text: str, day: date, items: Iterable[str], by: str = "") -> str:
    """`IDENTITY.md` with what was noticed on a day; all the rest stays as it is."""
    there = {(each.day, each.words) for each in recent(text)}
    fresh = dict.fromkeys(records.clean(item) for item in items)
    lines = "".join(
        f"- {day.isoformat()}: {records.render_words(words)}{_mark(by)}\n"
        for words in fresh
        if words and (day, words) not in there
    )
    return records.with_below(text, LOG, lines, RECENT, (ARCHIVED,)) if lines else text


def _mark(by: str) -> str:
    return f" <!-- by:{by} -->" if by else ""


def _unmarked(words: str) -> tuple[str, str]:
    """What a line says, and whose words it is made of."""
    mark = _BY.search(words.rstrip())
    return records.parse_words(words[: mark.start()] if mark else words), mark[
        1
    ] if mark else ""


def _whose(marks: Iterable[str]) -> str:
    """The least trusted of some marks; empty where there is none."""
    known = list(map(named, filter(None, marks)))
    return least(known) if known else ""


def recent(text: str) -> tuple[Awareness, ...]:
    """What is there in full detail, in the order written."""
    notes = map(_parse_awareness, _split_notes(records.body_of(text, LOG, RECENT)))
    return tuple(filter(None, notes))


def _parse_awareness(raw: str) -> Awareness | None:
    found = _ITEM.fullmatch(raw.strip())
    day = parse_date(found[1]) if found else None
    return Awareness(day, *_unmarked(found[2])) if found and day else None


def _split_notes(body: str) -> list[str]:
    """Cut a list into its items and what stands between; all of it joins again.

    Lines right below an item belong to it, indented or not, as people type them.
    """
    groups: list[str] = []
    open_item = False
    for line in split_lines(body):
        starts = bool(_BULLET.match(line))
        if open_item and line.strip() and not (starts or _OWN.match(line)):
            groups[-1] += line
            continue
        groups.append(line)
        open_item = starts
    return groups


def compact_log(text: str, summaries: Mapping[str, str]) -> str:
    """`IDENTITY.md` whose log has its last entries in full, the others by month.

    Args:
        text: `IDENTITY.md`.
        summaries: What to say of the entries of a month, by `YYYY-MM`; where there is
            nothing, their first words are kept.
    """
    old = recent(text)[:-KEPT]
    place = records.place_of(text, LOG, RECENT)
    if not old or not place:
        return text
    moved = iter(old)
    kept = (
        group
        for group in _split_notes(text[place])
        if not (_parse_awareness(group) and next(moved, None))
    )
    text = records.with_body(text, place, "".join(kept))
    by_month = sorted(old, key=lambda each: each.day.isoformat()[:7])
    for month, found in groupby(by_month, key=lambda each: each.day.isoformat()[:7]):
        noticed = list(found)
        words = " ".join(each.words for each in noticed)
        said = records.excerpt(summaries.get(month, "").strip() or words, _SUMMARY)
        by = _whose(each.by for each in noticed)
        text = _with_month(text, month, len(noticed), said, by)
    return text


def _with_month(text: str, month: str, entries: int, said: str, by: str) -> str:
    """The log in which a month tells of some entries more."""
    place = records.place_of(text, LOG, ARCHIVED)
    groups = _split_notes(text[place]) if place else []
    lines = (_MONTH.fullmatch(group.strip()) for group in groups)
    at, known = next(
        ((n, found) for n, found in enumerate(lines) if found and found[1] == month),
        (-1, None),
    )
    if known:
        entries += int(known[2])
        before, mark = _unmarked(known[3])
        said = before if said in before else f"{before} {said}"
        by = _whose([by, mark])
    noun = "entry" if entries == 1 else "entries"
    line = f"- {month} ({entries} {noun}): {records.render_words(said)}{_mark(by)}\n"
    if not known or not place:
        return records.with_below(text, LOG, line, ARCHIVED)
    groups[at] = newlines_like(groups[at], line)
    return records.with_body(text, place, "".join(groups))


# --- the image ---------------------------------------------------------------


def parse_self_image(text: str) -> SelfImage:
    """Read how the agent sees itself out of `IDENTITY.md`."""

    def lines_of(name: str) -> Iterator[str]:
        groups = [""]  # list items and paragraphs, each with all of its lines
        for line in split_lines(
            without_comments(records.body_of(text, SELF_IMAGE, name))
        ):
            if not line.strip() or _BULLET.match(line):
                groups.append("")
            groups[-1] += line
        words = (
            records.parse_words(_BULLET.sub("", group.strip())) for group in groups
        )
        return filter(None, words)

    return SelfImage(*(tuple(lines_of(name)) for name in HEADINGS))


def render_self_image(text: str, image: SelfImage, day: date) -> str:
    """`IDENTITY.md` with this self-image in place of the one before.

    Sections inside it that are a person's own stay below ours. It is made of the
    notes, and says so where some of them are made of others' words.
    """
    marks = _BY.findall(records.body_of(text, LOG, ARCHIVED))
    by = _whose([*(each.by for each in recent(text)), *marks])
    made = f" | By: {by}" if by else ""
    lines = [f"<!-- Last consolidated: {day.isoformat()}{made} -->"]
    for name, content in image.sections:
        lines += [f"### {name}", *(f"- {line}" for line in records.rendered(content))]
    text = records.with_section(text, SELF_IMAGE, before=(LOG,))
    place = records.place_of(text, SELF_IMAGE) or slice(len(text), len(text))
    ours, old = {name.casefold() for name in HEADINGS}, text[place]
    lines += (
        f"\n### {name}\n{old[own].rstrip()}"
        for name, own in records.split_subs(old)
        if name.casefold() not in ours
    )
    after = text[place.stop :]
    whole = "\n".join(lines) + ("\n\n" if after else "\n")
    return text[: place.start] + newlines_like(text, whole) + after


# --- what changed ------------------------------------------------------------


def changes(old_text: str, image: SelfImage) -> str:
    """What a new self-image changes, as its human is asked; empty if nothing."""
    before = dict(parse_self_image(old_text).sections)
    blocks = [
        block
        for name, lines in image.sections
        for block in _changed(
            name, before[name], [*filter(None, map(records.clean, lines))]
        )
    ]
    if not blocks:
        return ""
    return "\n".join(
        [
            "My self-image has evolved. Here's what changed:",
            *blocks,
            "Approve these updates to IDENTITY.md?\n",
        ]
    )


def _changed(name: str, old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """The block of a section; of questions, the new ones have their own."""
    known, wanted = set(map(records.folded, old)), set(map(records.folded, new))
    added = [line for line in new if records.folded(line) not in known]
    removed, revised = [], []
    for line in (line for line in old if records.folded(line) not in wanted):
        # Judged by the words they share, which one took its place.
        shares = {other: _share(line, other) for other in added}
        best = max(shares, key=shares.__getitem__, default="")
        if best and shares[best] >= _ALIKE:
            revised.append(f"- REVISED: {_quoted(line)} → {_quoted(best)}")
            added.remove(best)
        else:
            removed.append(f"- REMOVED: {_quoted(line)}")
    if name == QUESTIONS:
        if added:
            yield f"**New Open Question{'s' if len(added) > 1 else ''}:**"
            yield from (f"- {_quoted(line)}" for line in added)
        lines = [*revised, *removed]
    else:
        lines = [
            *(f"- ADDED: {_quoted(line)}" for line in added),
            *revised,
            *(f"{line} (no recent evidence)" for line in removed),
        ]
    yield from [f"**{name}:**", *lines] if lines else ()


def _share(old: str, new: str) -> float:
    a, b = set(records.folded(old).split()), set(records.folded(new).split())
    return len(a & b) / max(1, len(a | b))


def _quoted(words: str) -> str:
    return f'"{records.render_words(words)}"'
