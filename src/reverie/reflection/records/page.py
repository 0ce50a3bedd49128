"""Text that all records share: escaped words, numbered entries, sections, ranges."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from reverie.markdown import (
    Section,
    ended,
    heading,
    hidden_lines,
    newlines_like,
    one_line,
    parse_date,
    split_lines,
    split_sections,
    tidy,
)
from reverie.stores.text import mended
from reverie.tokens import clip_to_tokens, count_tokens
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import date


_MARK = re.compile(
    r"(\\*)(?=[#>|=~`\[<]|[-+*_](?!\S)|--|\*{3}|_{3}|[0-9]{1,9}[.)](?!\S))"
)
_WORD = re.compile(r"\w+")
_SENTENCE_END = re.compile("[.!?…][\"'\u201d\u2019)]?\\s+")
_CUT = "…"


def clean(text: str) -> str:
    """The words as they are kept: on one line, with nothing a reader cannot see."""
    return mended(one_line(text))


def render_words(text: str) -> str:
    """Write any text as one line that is nothing but words."""
    line = re.sub(r"<(\\*)!--", r"<\\\1!--", clean(text))
    line = re.sub(r"--(\\*)>", r"--\\\1>", line)
    return f"\\{line}" if _MARK.match(line) else line


def parse_words(line: str) -> str:
    """Read what `render_words` wrote: `clean` of the same text."""
    words = one_line(line)
    mark = _MARK.match(words)
    if mark and mark[1]:
        words = words[1:]
    words = re.sub(r"--\\(\\*)>", r"--\1>", words)
    return re.sub(r"<\\(\\*)!--", r"<\1!--", words)


def folded(text: str) -> str:
    """What two texts have in common that differ in case and punctuation only."""
    return " ".join(_WORD.findall(text.casefold()))


def clipped(text: str, tokens: int) -> str:
    """The words of a text, cut to a budget; a cut shows."""
    words = clean(text)
    if count_tokens(words) <= tokens:
        return words
    return clip_to_tokens(words, max(1, tokens - 2)).rstrip(" ,;:-—") + _CUT


def first_sentences(text: str, length: int) -> str:
    """As many whole sentences from the start as fit; at least a part of one."""
    words = clean(text)
    if len(words) <= length:
        return words
    ends = [found.end() for found in _SENTENCE_END.finditer(words[: length + 1])]
    if ends:
        return words[: ends[-1]].rstrip()
    return words[: length - 1].rstrip() + _CUT


def last_sentences(text: str, length: int) -> str:
    """As many whole sentences up to the end as fit; at least a part of one."""
    words = clean(text)
    if len(words) <= length:
        return words
    start = len(words) - length
    for found in _SENTENCE_END.finditer(words, max(0, start - 3)):
        if start <= found.end() < len(words):
            return words[found.end() :]
    return _CUT + words[start + 1 :].lstrip()


_ENTRY = re.compile(
    r"Reflection #([0-9]{1,9}) [\u2014\u2013-] ([0-9]{4}-[0-9]{2}-[0-9]{2})(?!\S)(.*)"
)
_NUMBERED = re.compile(r"Reflection #([0-9]{1,9})(?![0-9])")


@dataclass(frozen=True, slots=True)
class Heading:
    """What the heading of an entry says.

    Attributes:
        number: Which reflection.
        day: Its day.
        rest: What stands behind it; empty over a full entry.
    """

    number: int
    day: date
    rest: str = ""


def render_heading(number: int, day: date) -> str:
    """The heading of an entry, without a line end."""
    return f"## Reflection #{number} — {day.isoformat()}"


def parse_heading(words: str | None) -> Heading | None:
    """Read the words of a heading; None if no entry stands below it."""
    found = _ENTRY.fullmatch(words or "")
    day = parse_date(found[2]) if found else None
    if not found or not day:
        return None
    return Heading(int(found[1]), day, found[3].strip())


def heading_number(words: str | None) -> int:
    """The number a heading names, however the rest of it reads; 0 if none."""
    found = _NUMBERED.match(words or "")
    return int(found[1]) if found else 0


def is_entry(words: str) -> bool:
    """Whether a heading is that of an entry or of its summary line."""
    return parse_heading(words) is not None


def entry_sections(text: str) -> tuple[Section, ...]:
    """The sections of a text that are entries, in their order."""
    found = split_sections(text, is_entry)[1:]
    return tuple(each for each in found if is_entry(each.heading or ""))


def spaced(text: str) -> str:
    """A text below which something new may begin: closed, with a blank line."""
    whole = ended(text)
    if whole and split_lines(whole)[-1].strip():
        whole += newlines_like(whole, "\n")
    return whole


def file_entries(archive: str, entries: Iterable[str], title: str) -> str:
    """An archive that holds these entries, each before the first of a higher number.

    Args:
        archive: The text of the archive; may be empty.
        entries: Whole entries, heading and all. What is there already stays single.
        title: The heading of a new archive.
    """
    opening, *sections = split_sections(archive, is_entry)
    there = {tidy(each.raw) for each in sections}
    fresh = [raw for raw in dict.fromkeys(map(tidy, entries)) if raw not in there]
    if not fresh:
        return archive
    highest = list(accumulate((heading_number(e.heading) for e in sections), max))
    places: dict[int, list[str]] = {}
    for raw in sorted(fresh, key=raw_number):
        places.setdefault(bisect_right(highest, raw_number(raw)), []).append(raw)
    chunks = [opening.raw if archive.strip() else f"# {title}\n\n"]
    for place in range(len(sections) + 1):
        for raw in places.get(place, ()):
            chunks[-1] = spaced(chunks[-1])
            chunks.append(newlines_like(chunks[0], f"{raw}\n"))
        if place < len(sections):
            chunks[-1] = spaced(chunks[-1]) if place in places else chunks[-1]
            chunks.append(sections[place].raw)
    return "".join(chunks)


def raw_number(raw: str) -> int:
    """The number of an entry, by its very text."""
    return heading_number(heading(raw.partition("\n")[0]))


_RANGE = re.compile(r"#?([0-9]{1,9})(?:[\u2013-]#?([0-9]{1,9}))?")

Ranges = tuple[tuple[int, int], ...]


def parse_ranges(line: str) -> Ranges:
    """The numbers that `- #1-30: archived` names; none if the line reads otherwise."""
    before, colon, after = line.strip().partition(":")
    if not before.startswith("- #") or not colon or after.strip() != "archived":
        return ()
    pairs = ((int(a), int(b or a)) for a, b in _RANGE.findall(before))
    return tuple((first, last) for first, last in pairs if 0 < first <= last)


def span(numbers: Iterable[int]) -> str:
    """From the lowest to the highest: `#31-40`, or `#31` for a single one."""
    found = sorted(numbers)
    if not found:
        return "none"
    return f"#{found[0]}" + (f"-{found[-1]}" if found[0] < found[-1] else "")


def merged(pairs: Iterable[tuple[int, int]]) -> Ranges:
    """Ranges without overlaps, in order; neighbours become one."""
    done: list[tuple[int, int]] = []
    for first, last in sorted(pairs):
        if done and first <= done[-1][1] + 1:
            done[-1] = (done[-1][0], max(last, done[-1][1]))
        else:
            done.append((first, last))
    return tuple(done)


@dataclass(frozen=True, slots=True)
class Sub:
    """A level-three heading and what stands below it.

    Attributes:
        heading: Its words; None for what stands above the first one.
        raw: The very text, heading line and all.
    """

    heading: str | None
    raw: str

    @property
    def body(self) -> str:
        """What stands below the heading line."""
        return self.raw if self.heading is None else self.raw.partition("\n")[2]

    def named(self, name: str) -> bool:
        """Whether it has this name."""
        return (self.heading or "").casefold() == name.casefold()


def split_named(text: str, name: str) -> tuple[Section, ...]:
    """Cut a text at its level-two headings; one of this name always counts."""
    return split_sections(text, lambda words: is_named(words, name))


def is_named(words: str | None, name: str) -> bool:
    """Whether the words of a heading are this name."""
    return (words or "").casefold() == name.casefold()


def split_subs(raw: str) -> tuple[Sub, ...]:
    """Cut a section at its level-three headings; the parts join to it again."""
    lines = split_lines(raw)
    hidden = hidden_lines(lines)
    heads = [
        n for n, line in enumerate(lines) if n not in hidden and line.startswith("### ")
    ]
    bounds = [*heads, len(lines)]
    return (
        Sub(None, "".join(lines[: bounds[0]])),
        *(
            Sub(lines[start][4:].strip(), "".join(lines[start:end]))
            for start, end in pairwise(bounds)
        ),
    )


def subs_of(text: str, section: str, sub: str) -> tuple[Sub, ...]:
    """The level-three sections of a name in the level-two sections of a name."""
    sections = split_named(text, section)
    inside = (split_subs(s.raw) for s in sections if is_named(s.heading, section))
    return tuple(each for subs in inside for each in subs if each.named(sub))


def edited_sub(text: str, section: str, sub: str, change: Callable[[str], str]) -> str:
    """A text in which the level-three sections of a name read otherwise."""

    def inside(raw: str) -> str:
        subs = split_subs(raw)
        return "".join(change(e.raw) if e.named(sub) else e.raw for e in subs)

    parts = split_named(text, section)
    return "".join(
        inside(part.raw) if is_named(part.heading, section) else part.raw
        for part in parts
    )


def with_section(text: str, section: str, body: str = "", before: str = "") -> str:
    """A text that has a section, at its end or before another one."""
    parts = split_named(text, section)
    if any(is_named(part.heading, section) for part in parts):
        return text
    later = [
        n for n, part in enumerate(parts) if before and is_named(part.heading, before)
    ]
    place = later[0] if later else len(parts)
    start = spaced("".join(part.raw for part in parts[:place]))
    after = "".join(part.raw for part in parts[place:])
    fresh = f"## {section}\n{body}" + ("\n" if after else "")
    return start + newlines_like(start, fresh) + after


def with_below(
    text: str, section: str, lines: str, sub: str = "", later: Sequence[str] = ()
) -> str:
    """A text with more lines at the end of a section; it is made where missing.

    Args:
        text: Any file.
        section: A level-two heading.
        lines: Whole lines, escaped already.
        sub: The level-three heading in it that they go below.
        later: The headings that come after `sub` where it has to be made.
    """
    parts = split_named(with_section(text, section), section)
    ours = [n for n, part in enumerate(parts) if is_named(part.heading, section)][-1]
    found = split_subs(parts[ours].raw)
    last = [n for n, each in enumerate(found) if sub and each.named(sub)]
    after = (n for n, each in enumerate(found) if any(map(each.named, later)))
    subs = [each.raw for each in found]
    place = last[-1] if last else next(after, len(subs)) - 1
    fresh = lines if last or not sub else f"### {sub}\n{lines}"
    there = split_lines(subs[place])
    end = len(there)
    while end > 1 and not there[end - 1].strip():
        end -= 1
    start = ended("".join(there[:end]))
    subs[place] = start + newlines_like(start, fresh) + "".join(there[end:])
    raws = [part.raw for part in parts]
    return "".join([*raws[:ours], *subs, *raws[ours + 1 :]])


LOGS = (
    layout.REFLECTION_LOG,
    layout.REFLECTION_ARCHIVE,
    layout.EVOLUTION,
    layout.EVOLUTION_ARCHIVE,
    layout.REWARD_LOG,
)
"""The files that hold an entry for each reflection."""

_TOTAL = re.compile(r"(?m)^- Total reflections: ([0-9]{1,9})$")


def without_reflection(text: str, number: int) -> str:
    """A log, the evolution or an archive, as if a reflection had not been.

    Counts, ranges and prunings of later reflections stand in the same lines, so text
    alone cannot tell: the entry of this one goes, and all others stay.
    """
    parts = split_sections(text, is_entry)
    heads = [parse_heading(part.heading) for part in parts]
    kept = [
        part
        for part, head in zip(parts, heads, strict=True)
        if head is None or head.number != number
    ]
    less = len(parts) - len(kept)

    def counted(found: re.Match[str]) -> str:
        return f"- Total reflections: {max(0, int(found[1]) - less)}"

    lines: list[str] = []
    for part in kept:
        # What entries counted then stays theirs.
        overview = is_named(part.heading, "overview")
        raw = _TOTAL.sub(counted, part.raw) if overview else part.raw
        for line in raw.splitlines(keepends=True):
            if ranges := parse_ranges(line):
                left = [
                    pair
                    for first, last in merged(ranges)
                    for pair in (
                        (first, min(last, number - 1)),
                        (max(first, number + 1), last),
                    )
                    if pair[0] <= pair[1]
                ]
                spans = ", ".join(map(span, merged(left)))
                lines += [f"- {spans}: archived\n"] if left else []
            elif not line.startswith(f"- [#{number}] "):
                lines.append(line)
    return "".join(lines)
