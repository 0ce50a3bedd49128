"""`IDENTITY.md`: the self-awareness log, and the self-image drawn from it.

Unlike everything else the self-image is rewritten, not added to; so its human sees the
changes and approves them first.
"""

from __future__ import annotations

import re
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING

from reverie.markdown import (
    ended,
    newlines_like,
    parse_date,
    split_lines,
    without_comments,
)
from reverie.model.origin import least, named
from reverie.reflection.records.page import (
    clean,
    edited_sub,
    first_sentences,
    folded,
    is_named,
    last_sentences,
    parse_words,
    render_words,
    spaced,
    split_named,
    split_subs,
    subs_of,
    with_below,
    with_section,
)

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

_TAG = re.compile(r"\[self-awareness\]", re.IGNORECASE)
_PARAGRAPH = re.compile(r"\n[ \t\r]*\n|\n(?=[ \t]*[-*+][ \t])")
_BULLET = re.compile(r"^[-*+][ \t]+")
_OWN = re.compile(r"[#<>|`~=-]|[0-9]{1,9}[.)][ \t]")
"""How a line begins that goes on with nothing above it."""
_BY = re.compile(r" <!-- by:([a-z-]+) -->$")
_ITEM = re.compile(r"[-*+][ \t]+([0-9]{4}-[0-9]{2}-[0-9]{2}):(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Awareness:
    """One thing the agent noticed about itself.

    Attributes:
        day: The day it did.
        words: What it noticed.
        by: Whose words it is made of, where that is not the agent alone.
    """

    day: date
    words: str
    by: str = ""


def awareness_items(told: str) -> tuple[str, ...]:
    """What a reflection tags as self-awareness, without the tags, one line each.

    A tag closes a passage: from the start of its paragraph, or from the tag before it.
    Where a paragraph starts with its tag, the tag opens the passage instead. Of a long
    passage the sentences next to the tag are kept.
    """
    items: list[str] = []
    for paragraph in _PARAGRAPH.split(told):
        parts = _TAG.split(_BULLET.sub("", paragraph.strip(), count=1))
        if parts[0].strip(" *_`\"'\t\r\n"):
            items += (last_sentences(each, LONGEST) for each in parts[:-1])
        else:
            items += (first_sentences(each, LONGEST) for each in parts[1:])
    return tuple(dict.fromkeys(filter(None, items)))


def append_awareness(text: str, day: date, items: Iterable[str], by: str = "") -> str:
    """`IDENTITY.md` with what was noticed on a day; all the rest stays as it is."""
    there = {(each.day, each.words) for each in recent(text)}
    wanted = (Awareness(day, clean(item), by) for item in items)
    fresh = dict.fromkeys(e for e in wanted if e.words and (day, e.words) not in there)
    lines = "".join(f"{render_awareness(each)}\n" for each in fresh)
    return with_below(text, LOG, lines, RECENT, (ARCHIVED,)) if lines else text


def render_awareness(awareness: Awareness) -> str:
    """Write one thing noticed, without a line end."""
    mark = f" <!-- by:{awareness.by} -->" if awareness.by else ""
    return f"- {awareness.day.isoformat()}: {render_words(awareness.words)}{mark}"


def recent(text: str) -> tuple[Awareness, ...]:
    """What is there in full detail, in the order written."""
    subs = subs_of(text, LOG, RECENT)
    found = (parse_awareness(raw) for sub in subs for raw in split_notes(sub.body))
    return tuple(each for each in found if each)


def parse_awareness(raw: str) -> Awareness | None:
    """Read one item; None if it is none."""
    found = _ITEM.fullmatch(raw.strip())
    day = parse_date(found[1]) if found else None
    if not found or not day:
        return None
    mark = _BY.search(found[2].rstrip())
    words = found[2][: mark.start()] if mark else found[2]
    return Awareness(day, parse_words(words), mark[1] if mark else "")


def split_notes(body: str) -> tuple[str, ...]:
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
    return tuple(groups)


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
_MOST_PAIRS = 100
_ALIKE = 0.3  # share of words in common from which one line revises another
_MARK = re.compile(r"(?m) <!-- by:([a-z-]+) -->\s*$")
_MONTH = re.compile(
    r"[-*+][ \t]+([0-9]{4}-[0-9]{2}) \(([0-9]{1,6}) entr(?:y|ies)\):(.*)", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class SelfImage:
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


def due(recent_since: int, *, milestone: bool) -> bool:
    """Whether the self-image should be looked at again.

    Args:
        recent_since: Entries in the log since that was done last.
        milestone: Whether the reflection was one.
    """
    return recent_since >= DUE or milestone


# --- the image ---------------------------------------------------------------


def parse_self_image(text: str) -> SelfImage:
    """Read how the agent sees itself out of `IDENTITY.md`."""

    def lines_of(name: str) -> Iterator[str]:
        for sub in subs_of(text, SELF_IMAGE, name):
            groups = [""]  # list items and paragraphs, each with all of its lines
            for line in split_lines(without_comments(sub.body)):
                if not line.strip() or _BULLET.match(line):
                    groups.append("")
                groups[-1] += line
            words = (parse_words(_BULLET.sub("", group.strip())) for group in groups)
            yield from filter(None, words)

    return SelfImage(*(tuple(lines_of(name)) for name in HEADINGS))


def render_self_image(text: str, image: SelfImage, day: date) -> str:
    """`IDENTITY.md` with this self-image in place of the one before.

    Sections inside it that are a person's own stay below ours. It is made of the
    notes, and says so where some of them are made of others' words.
    """
    months = subs_of(text, LOG, ARCHIVED)
    marks = [found[1] for sub in months for found in _MARK.finditer(sub.body)]
    by = _whose([*(each.by for each in recent(text)), *marks])
    lines = [
        f"<!-- Last consolidated: {day.isoformat()}{f' | By: {by}' if by else ''} -->"
    ]
    for name, content in image.sections:
        words = [line for line in map(render_words, content) if line]
        lines += [f"### {name}", *(f"- {line}" for line in words)]
    text = with_section(text, SELF_IMAGE, before=LOG)
    parts = split_named(text, SELF_IMAGE)
    ours = [n for n, part in enumerate(parts) if is_named(part.heading, SELF_IMAGE)]
    subs = [sub for n in ours for sub in split_subs(parts[n].raw)[1:]]
    kept = "".join(spaced(sub.raw) for sub in subs if not any(map(sub.named, HEADINGS)))
    first = ended(split_lines(parts[ours[0]].raw)[0])
    whole = first + newlines_like(text, "\n".join(lines) + "\n\n") + kept
    if ours[0] == len(parts) - 1:
        whole = ended(whole.rstrip())
    return "".join(
        whole if n == ours[0] else part.raw
        for n, part in enumerate(parts)
        if n not in ours[1:]
    )


def _whose(marks: Iterable[str]) -> str:
    """The least trusted of some marks; empty where there is none."""
    known = list(map(named, filter(None, marks)))
    return least(known) if known else ""


# --- what changed ------------------------------------------------------------


def changes(old_text: str, image: SelfImage) -> str:
    """What a new self-image changes, as its human is asked; empty if nothing."""
    before = dict(parse_self_image(old_text).sections)
    blocks = [
        block
        for name, lines in image.sections
        for block in _changed(
            name, before[name], tuple(filter(None, map(clean, lines)))
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
    known, wanted = set(map(folded, old)), set(map(folded, new))
    added = [line for line in new if folded(line) not in known]
    removed = [line for line in old if folded(line) not in wanted]
    pairs = _pairs(removed[:_MOST_PAIRS], added[:_MOST_PAIRS])
    added = [line for line in added if line not in pairs.values()]
    removed = [line for line in removed if line not in pairs]
    lines = [f"- REVISED: {_quoted(a)} → {_quoted(b)}" for a, b in pairs.items()]
    if name == QUESTIONS:
        lines += [f"- REMOVED: {_quoted(line)}" for line in removed]
        more = [f"- {_quoted(line)}" for line in added]
        if more:
            yield "\n".join(
                [f"**New Open Question{'s' if len(more) > 1 else ''}:**", *more]
            )
    else:
        lines = [
            *(f"- ADDED: {_quoted(line)}" for line in added),
            *lines,
            *(f"- REMOVED: {_quoted(line)} (no recent evidence)" for line in removed),
        ]
    if lines:
        yield "\n".join([f"**{name}:**", *lines])


def _pairs(removed: Iterable[str], added: Iterable[str]) -> dict[str, str]:
    """Which line took the place of which, judged by the words they share."""
    free = {line: set(folded(line).split()) for line in added}
    pairs: dict[str, str] = {}
    for old in removed:
        words = set(folded(old).split())
        shares = {
            new: len(words & theirs) / max(1, len(words | theirs))
            for new, theirs in free.items()
        }
        best = max(shares, key=shares.__getitem__, default="")
        if best and shares[best] >= _ALIKE:
            pairs[old] = best
            del free[best]
    return pairs


def _quoted(words: str) -> str:
    return f'"{render_words(words)}"'


# --- the log -----------------------------------------------------------------


def compact_log(text: str, summaries: Mapping[str, str]) -> str:
    """`IDENTITY.md` whose log has its last entries in full, the others by month.

    Args:
        text: `IDENTITY.md`.
        summaries: What to say of the entries of a month, by `YYYY-MM`; where there is
            nothing, their first words are kept.
    """
    old = recent(text)[:-KEPT]
    if not old:
        return text
    months: dict[str, list[Awareness]] = {}
    for each in old:
        months.setdefault(each.day.isoformat()[:7], []).append(each)
    moved = iter(old)

    def without_old(raw: str) -> str:
        groups = split_notes(raw)
        return "".join(
            g for g in groups if not (parse_awareness(g) and next(moved, None))
        )

    text = edited_sub(text, LOG, RECENT, without_old)
    fresh: dict[str, tuple[int, str, str]] = {}
    for month, noticed in sorted(months.items()):
        words = " ".join(each.words for each in noticed)
        said = first_sentences(summaries.get(month, "").strip() or words, _SUMMARY)
        fresh[month] = len(noticed), said, _whose(each.by for each in noticed)

    def line_of(month: str, entries: int, words: str, by: str) -> str:
        noun = "entry" if entries == 1 else "entries"
        mark = f" <!-- by:{by} -->" if by else ""
        return f"- {month} ({entries} {noun}): {render_words(words)}{mark}\n"

    def counted(group: str) -> str:
        """A line of a month that counts more entries, where there are more."""
        found = _MONTH.fullmatch(group.strip())
        if not found or found[1] not in fresh:
            return group
        entries, said, by = fresh.pop(found[1])
        mark = _MARK.search(found[3])
        before = parse_words(found[3][: mark.start()] if mark else found[3])
        words = before if said in before else f"{before} {said}"
        by = _whose([by, mark[1] if mark else ""])
        line = line_of(found[1], int(found[2]) + entries, words, by)
        return newlines_like(group, line)

    text = edited_sub(
        text, LOG, ARCHIVED, lambda raw: "".join(map(counted, split_notes(raw)))
    )
    lines = "".join(line_of(month, *told) for month, told in fresh.items())
    return with_below(text, LOG, lines, ARCHIVED) if lines else text
