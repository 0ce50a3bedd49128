"""Roll changes back (design, 12.8), and merge two edits of one text.

Going back is going forward: the result is the content for a new REVERT change,
so nothing that was ever acknowledged leaves history.

Merging compares lines. Changes that merely touch are no conflict: taking out one
entry of a log and adding another below it are two different wishes.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from reverie.errors import ConflictError, NotFoundError
from reverie.workspace.layout import ENTITIES, EPISODES, IDENTITY, PROCEDURES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from datetime import datetime

    from reverie.ledger import Ledger

    Resolve = Callable[[str, bytes | None, bytes | None, bytes | None], bytes | None]

Contents = dict[str, bytes | None]

_HEADER = re.compile(rb"(?m)^<!--[^\n]*\bLast [a-z]+:[^\n]*-->[ \t]*$")
_DATE = re.compile(rb"(?m)(?<=\bLast )[a-z]+:[^|\n]*?(?=[ \t]*(?:\||-->))")
_ITEM = re.compile(rb"(?m)^(?:[-*+]|[0-9]+[.)])[ \t][^\n]*\n")


def commit_at(ledger: Ledger, moment: datetime) -> str:
    """The newest commit that was there at a moment."""
    for commit in ledger.walk():
        if commit.at <= moment:
            return commit.id
    what = f"there was nothing yet at {moment:%Y-%m-%d %H:%M}"
    hint = "`reverie history` shows when the workspace began."
    raise NotFoundError(what, hint=hint)


def contents_without(
    ledger: Ledger,
    commits: Iterable[str],
    moved: Mapping[str, str],
    skip: Collection[str] = (),
    resolve: Resolve = lambda _path, _before, _after, _now: None,
) -> Contents:
    """What to write so that some commits, newest first, never happened.

    Args:
        ledger: Where the commits are; its newest state is what is changed.
        commits: What to take back.
        moved: Where files are now that stood elsewhere then.
        skip: Derived files, which are made anew and not merged.
        resolve: Asked for a file that was changed again since, with what it held
            before and after the commit and holds now; None to go by its lines.
    """
    state: Contents = {}
    for commit in commits:
        for then, ids in ledger.changed(commit).items():
            path = moved.get(then, then)
            if path in skip:
                continue
            now = state[path] if path in state else ledger.read_at(ledger.head, path)
            before, after = map(ledger.content, ids)
            if now in (before, after):
                state[path] = before
                continue
            told = resolve(path, before, after, now)
            told = _without(path, before, after, now) if told is None else told
            if told is None:
                raise _entangled(ledger, commit, path)
            state[path] = told
    return state


def _without(
    path: str, before: bytes | None, after: bytes | None, now: bytes | None
) -> bytes | None:
    """What a file holds now, without what a commit did to it; None if none can tell."""
    if after is None or now is None:
        return None
    bare = _bare(path, after) if before is None else before
    if bare is None:
        return None
    # Its names go with what brought them, unless others were added to them since.
    for what in (_DATE, _HEADER):
        merged = merge(_with_now(what, after, now), now, _with_now(what, bare, now))
        if not merged.conflicts:
            return merged.content
    return None


def _bare(path: str, first: bytes) -> bytes | None:
    """What is left of a file that a commit made, and others wrote to afterwards."""
    if path.startswith(f"{EPISODES}/"):
        return first.partition(b"\n## ")[0].rstrip(b"\n") + b"\n"
    if path.startswith((f"{ENTITIES}/", f"{PROCEDURES}/")) or path == IDENTITY:
        return _ITEM.sub(b"", first)
    return None


def _with_now(what: re.Pattern[bytes], text: bytes, now: bytes) -> bytes:
    """A page with the date or header of another: they change with every change."""
    found = what.search(now)
    return what.sub(lambda _: found[0], text, count=1) if found else text


def _entangled(ledger: Ledger, commit: str, path: str) -> ConflictError:
    since = takewhile(lambda later: later.id != commit, ledger.walk())
    later = [each.id[:10] for each in since if path in ledger.changed(each.id)]
    return ConflictError(
        f"commit {commit[:10]} cannot be taken back alone: later changes to "
        f"{path} touch the same lines",
        hint=f"Take back {', '.join(later[:5]) or 'later ones'} first, or use `reverie "
        f"undo --to` or `reverie undo --file {path}` to go back to an earlier text.",
    )


# --- three-way merge ---------------------------------------------------------------

MOST_LINES = 20_000
"""Longer texts are not compared line by line; both are kept whole."""


class Hunk(NamedTuple):
    """Lines `start` to `end` of the base, replaced by others."""

    start: int
    end: int
    lines: tuple[bytes, ...]


class Merged(NamedTuple):
    """A merged text, and the base lines (from 1) where both sides disagreed."""

    content: bytes
    conflicts: tuple[int, ...]


def merge(base: bytes, ours: bytes, theirs: bytes) -> Merged:
    """Apply to `base` what both sides did; where they disagree, keep both."""
    if theirs in (ours, base):
        return Merged(ours, ())
    if ours == base:
        return Merged(theirs, ())
    old, mine, other = (_lines(text) for text in (base, ours, theirs))
    if max(len(old), len(mine), len(other)) > MOST_LINES:
        return Merged(b"".join([*mine, *other]), (1,))
    return _merged(old, _hunks(old, mine), _hunks(old, other))


def _merged(base: list[bytes], ours: list[Hunk], theirs: list[Hunk]) -> Merged:
    result: list[bytes] = []
    conflicts = []
    at = 0
    while ours or theirs:
        first = min(hunk.start for hunk in (*ours[:1], *theirs[:1]))
        result += base[at:first]
        mine, other, at = _group(ours, theirs)
        a, b = (_applied(base, side, first, at) for side in (mine, other))
        if not other or a == b:
            result += a
        elif not mine:
            result += b
        else:
            conflicts.append(first + 1)
            result += _both(a, b, [line for hunk in other for line in hunk.lines])
    return Merged(b"".join(result + base[at:]), tuple(conflicts))


def _group(ours: list[Hunk], theirs: list[Hunk]) -> tuple[list[Hunk], list[Hunk], int]:
    """Take from both lists the next hunks that overlap, and where they end."""
    start, end = min(hunk[:2] for hunk in (*ours[:1], *theirs[:1]))
    mine: list[Hunk] = []
    other: list[Hunk] = []
    grew = True
    while grew:
        grew = False
        for source, taken in ((ours, mine), (theirs, other)):
            while source and (source[0].start < end or source[0][:2] == (start, end)):
                taken.append(source.pop(0))
                end = max(end, taken[-1].end)
                grew = True
    return mine, other, end


def _both(ours: list[bytes], theirs: list[bytes], added: list[bytes]) -> list[bytes]:
    """Our lines and what they added, each block whole; once if one holds the other."""
    if _holds(ours, added):
        return ours
    return theirs if _holds(theirs, ours) else ours + added


def _holds(lines: list[bytes], block: list[bytes]) -> bool:
    return b"\n" + b"".join(block) in b"\n" + b"".join(lines)


def _applied(base: list[bytes], hunks: list[Hunk], start: int, end: int) -> list[bytes]:
    result: list[bytes] = []
    for hunk in hunks:
        result += base[start : hunk.start]
        result += hunk.lines
        start = max(start, hunk.end)
    return result + base[start:end]


def _hunks(base: list[bytes], new: list[bytes]) -> list[Hunk]:
    """What turns one list of lines into the other, in order."""
    head = _shared(base, new)
    tail = _shared(base[head:][::-1], new[head:][::-1])
    old, fresh = base[head : len(base) - tail], new[head : len(new) - tail]
    # Lines that come very often, such as empty ones, hold nothing together.
    opcodes = SequenceMatcher(None, old, fresh).get_opcodes()
    return [
        Hunk(head + i, head + j, tuple(fresh[k:end]))
        for tag, i, j, k, end in opcodes
        if tag != "equal"
    ]


def _shared(a: list[bytes], b: list[bytes]) -> int:
    """How many lines two lists begin with in common."""
    pairs = enumerate(zip(a, b, strict=False))
    return next((i for i, (x, y) in pairs if x != y), min(len(a), len(b)))


def _lines(text: bytes) -> list[bytes]:
    """Lines with their endings; a last line without one gets it."""
    lines = text.split(b"\n")
    tail = lines.pop()
    return [line + b"\n" for line in lines] + ([tail + b"\n"] if tail else [])
