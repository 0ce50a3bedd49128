"""What stays of a reflection: words, sections and numbered entries of its records.

Everything here is text in, text out. A file may have been edited by hand: what is
not understood stays as it was typed, and words of others never become structure.
"""

from __future__ import annotations

import re
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

from reverie import markdown as md
from reverie.printable import mended
from reverie.tokens import clip_to_tokens, count_tokens
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import date

_MARK = re.compile(
    r"(\\*)(?=[#>|=~`\[<]|[-+*_](?!\S)|--|\*{3}|_{3}|[0-9]{1,9}[.)](?!\S))"
)
_SENTENCE_END = re.compile("[.!?…][\"'\u201d\u2019)]?\\s+")
_CUT = "…"

# --- words ---------------------------------------------------------------------


def clean(text: str) -> str:
    """The words as they are kept: on one line, with nothing a reader cannot see."""
    return mended(md.one_line(text))


def render_words(text: str) -> str:
    """Write any text as one line that is nothing but words."""
    line = re.sub(r"<(\\*)!--", r"<\\\1!--", clean(text))
    line = re.sub(r"--(\\*)>", r"--\\\1>", line)
    return f"\\{line}" if _MARK.match(line) else line


def parse_words(line: str) -> str:
    """Read what `render_words` wrote: `clean` of the same text."""
    words = md.one_line(line)
    mark = _MARK.match(words)
    words = words[1:] if mark and mark[1] else words
    words = re.sub(r"--\\(\\*)>", r"--\1>", words)
    return re.sub(r"<\\(\\*)!--", r"<\1!--", words)


def rendered(texts: Iterable[str]) -> list[str]:
    """Texts as lines of words; empty ones are left out."""
    return [line for line in map(render_words, texts) if line]


def folded(text: str) -> str:
    """What two texts have in common that differ in case and punctuation only."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def clipped(text: str, tokens: int) -> str:
    """The words of a text, cut to a budget; a cut shows."""
    words = clean(text)
    if count_tokens(words) <= tokens:
        return words
    return clip_to_tokens(words, max(1, tokens - 2)).rstrip(" ,;:-—") + _CUT


def excerpt(text: str, length: int, *, end: bool = False) -> str:
    """As many whole sentences from the start, or up to the end, as fit."""
    words = clean(text)
    if len(words) <= length:
        return words
    stops = [found.end() for found in _SENTENCE_END.finditer(words)]
    if end:
        fits = [at for at in stops if len(words) - length <= at < len(words)]
        return words[fits[0] :] if fits else _CUT + words[1 - length :].lstrip()
    fits = [at for at in stops if at <= length + 1]
    return words[: fits[-1] if fits else length - 1].rstrip() + _CUT * (not fits)


# --- sections ------------------------------------------------------------------


def _is(name: str) -> Callable[[str | None], bool]:
    return lambda words: (words or "").casefold() == name.casefold()


def split_subs(body: str) -> list[tuple[str, slice]]:
    """Where the level-three headings of a section are, and what stands below each."""
    lines = md.split_lines(body)
    hidden = md.hidden_lines(lines)
    ends = list(accumulate(map(len, lines)))
    heads = [n for n, line in enumerate(lines) if line.startswith("### ")]
    bounds = [*(n for n in heads if n not in hidden), len(lines)]
    return [
        (lines[start][4:].strip(), slice(ends[start], ends[end - 1]))
        for start, end in pairwise(bounds)
    ]


def place_of(text: str, section: str, sub: str = "") -> slice | None:
    """Where the body of a section, or of one of its subsections, stands.

    Where a person wrote two of a name, the first is ours.
    """
    end, named = 0, _is(section)
    for part in md.split_sections(text, named):
        end += len(part.raw)
        if named(part.heading):
            start = end - len(part.body)
            if not sub:
                return slice(start, end)
            found = (place for name, place in split_subs(part.body) if _is(sub)(name))
            place = next(found, None)
            return place and slice(start + place.start, start + place.stop)
    return None


def body_of(text: str, section: str, sub: str = "") -> str:
    """What stands in a section or subsection; empty if there is none."""
    place = place_of(text, section, sub)
    return text[place] if place else ""


def with_body(text: str, place: slice, body: str) -> str:
    """A text that says something else in a place."""
    return text[: place.start] + md.newlines_like(text, body) + text[place.stop :]


def spaced(text: str) -> str:
    """A text below which something new may begin: closed, with a blank line."""
    whole = md.ended(text)
    if whole and md.split_lines(whole)[-1].strip():
        whole += md.newlines_like(whole, "\n")
    return whole


def inserted(text: str, at: int, lines: str) -> str:
    """A text with more lines at a place, above the blank lines there."""
    start = text[:at].rstrip()
    rest = text[len(start) :]
    return md.ended(start) + md.newlines_like(text, lines) + rest[rest.find("\n") + 1 :]


def with_section(text: str, section: str, *, before: Sequence[str] = ()) -> str:
    """A text that has a section, at its end or before the first of some others."""
    if place_of(text, section):
        return text
    at = 0
    for part in md.split_sections(text, lambda words: words in before):
        if part.heading in before:
            start = spaced(text[:at])
            return start + md.newlines_like(start, f"## {section}\n\n") + text[at:]
        at += len(part.raw)
    return spaced(text) + md.newlines_like(text, f"## {section}\n")


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
    text = with_section(text, section)
    place = place_of(text, section, sub)
    if place is None:
        lines = f"### {sub}\n{lines}"
        after = [found for name in later if (found := place_of(text, section, name))]
        if after:
            at = text.rindex("### ", 0, min(found.start for found in after))
            return inserted(text, at, lines)
        place = place_of(text, section)
    return inserted(text, place.stop if place else len(text), lines)


# --- numbered entries ------------------------------------------------------------

_ENTRY = re.compile(
    r"Reflection #([0-9]{1,9}) [\u2014\u2013-] ([0-9]{4}-[0-9]{2}-[0-9]{2})(?!\S)(.*)"
)


class Heading(NamedTuple):
    """The heading of an entry; `rest` stands behind it, empty over a full entry."""

    number: int
    day: date
    rest: str


def render_heading(number: int, day: date) -> str:
    """The heading of an entry, without a line end."""
    return f"## Reflection #{number} — {day.isoformat()}"


def parse_heading(words: str | None) -> Heading | None:
    """Read the words of a heading; None if no entry stands below it."""
    found = _ENTRY.fullmatch(words or "")
    day = md.parse_date(found[2]) if found else None
    return Heading(int(found[1]), day, found[3].strip()) if found and day else None


def is_entry(words: str | None) -> bool:
    """Whether a heading is that of an entry or of its summary line."""
    return parse_heading(words) is not None


def entries_in(text: str) -> list[tuple[Heading, md.Section]]:
    """The sections of a text that are entries, with their headings."""
    parts = ((parse_heading(p.heading), p) for p in md.split_sections(text, is_entry))
    return [(head, part) for head, part in parts if head]


def with_entry(text: str, title: str, entry: str) -> str:
    """A log with one more entry at its end."""
    start = spaced(text) if text.strip() else f"# {title}\n\n"
    return start + md.newlines_like(start, entry)


def with_entries(archive: str, entries: Iterable[str], title: str) -> str:
    """An archive with some entries at its end; what is there already stays single."""
    there = {md.tidy(part.raw) for _, part in entries_in(archive)}
    fresh = [raw for raw in dict.fromkeys(map(md.tidy, entries)) if raw not in there]
    return with_entry(archive, title, "\n\n".join(fresh) + "\n") if fresh else archive


# --- undoing ---------------------------------------------------------------------

LOGS = (
    *(layout.REFLECTION_LOG, layout.REFLECTION_ARCHIVE, layout.REWARD_LOG),
    *(layout.EVOLUTION, layout.EVOLUTION_ARCHIVE),
)
"""The files that hold an entry for each reflection."""

_TOTAL = re.compile(r"(?m)^- Total reflections: ([0-9]{1,9})$")


def without_reflection(text: str, number: int) -> str:
    """A log, the evolution or an archive, as if a reflection had not been.

    Counts and prunings of later reflections stand in the same lines, so text alone
    cannot tell: the entry of this one goes, and all others stay.
    """
    own = [part.raw for head, part in entries_in(text) if head.number == number]
    for raw in own:
        text = text.replace(raw, "", 1)
    overview = place_of(text, "Overview")
    if own and overview:
        # What entries counted then stays theirs.
        told = _TOTAL.sub(
            lambda found: f"- Total reflections: {max(0, int(found[1]) - len(own))}",
            text[overview],
        )
        text = with_body(text, overview, told)
    lines = md.split_lines(text)
    return "".join(line for line in lines if not line.startswith(f"- [#{number}] "))
