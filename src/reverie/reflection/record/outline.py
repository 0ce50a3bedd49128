"""Sections of level two with sections of level three inside, in files typed by hand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from reverie.markdown import (
    Section,
    ended,
    hidden_lines,
    newlines_like,
    split_lines,
    split_sections,
)
from reverie.reflection.record.headings import spaced

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


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


def edited(text: str, section: str, change: Callable[[str], str]) -> str:
    """A text in which the last section of a name reads otherwise."""
    parts = split_named(text, section)
    places = [n for n, part in enumerate(parts) if is_named(part.heading, section)]
    if not places:
        return text
    return "".join(
        change(part.raw) if n == places[-1] else part.raw
        for n, part in enumerate(parts)
    )


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

    def change(raw: str) -> str:
        subs = list(split_subs(raw))
        last = [n for n, each in enumerate(subs) if sub and each.named(sub)]
        after = (n for n, each in enumerate(subs) if any(map(each.named, later)))
        place = last[-1] if last else next(after, len(subs)) - 1
        fresh = lines if last or not sub else f"### {sub}\n{lines}"
        subs[place] = replace(subs[place], raw=below(subs[place].raw, fresh))
        return "".join(each.raw for each in subs)

    return edited(with_section(text, section), section, change)


def below(raw: str, fresh: str) -> str:
    """A section with more lines below all that stands in it."""
    lines = split_lines(raw)
    end = len(lines)
    while end > 1 and not lines[end - 1].strip():
        end -= 1
    start = ended("".join(lines[:end]))
    return start + newlines_like(start, fresh) + "".join(lines[end:])
