"""Timeline: what happened on which day, and what was reflected on then.

Days are known by the names of their files, so only those that are shown are read.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from datetime import date, timedelta
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from reverie.errors import NotFoundError, RefusedError
from reverie.interfaces.web.page import View, page_number
from reverie.interfaces.web.reflections import Reflections, text_of
from reverie.markdown import split_fields, split_lines, unescape_field
from reverie.model.items import EARLIEST, LATEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from reverie import Memory
    from reverie.interfaces.web.page import Given
    from reverie.model.views import Shown

EPISODES = "memory/episodes"
DAYS, FEW = 10, 20
"""Days on a page, and of each so many of its last episodes."""

MANY = 200
"""Episodes on a page of one day alone."""

WEEKS = 26
"""Weeks that the strip shows."""

SHADES = 4
"""How finely it tells days with little from days with much."""

_FILE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:~([0-9]{1,5}))?\.md")


class Happened(NamedTuple):
    """An episode as the timeline tells it.

    Attributes:
        at: The hour and minute, on its human's clock; empty where nobody knows it.
        kind: What sort of event it was.
        tags: Its topics.
        corrected: The day on which it was corrected; empty if it holds.
        shown: The memory itself.
    """

    at: str
    kind: str
    tags: tuple[str, ...]
    corrected: str
    shown: Shown


Files = dict[date, list[str]]
"""The files of each day, in order: a day with very much to tell has several."""


def look(memory: Memory, given: Given) -> Mapping[str, Any]:
    """Some days, the newest first; or one day alone, in full."""
    files = _files(memory.root)
    reflected = Reflections(memory.root)
    days = sorted({*files, *reflected.days}, reverse=True)
    if given.get("day"):
        return _one_day(memory, _day(given, "day"), given, files, reflected)
    before = _day(given, "before") if given.get("before") else None
    later = [day for day in days if before and day >= before]
    chosen = days[len(later) : len(later) + DAYS]
    left = days[len(later) + DAYS :]
    newest = [files[day][-1] for day in chosen if day in files]
    found = memory.items(path=newest, last=FEW + 1) if newest else []
    by_path = {path: [*some] for path, some in groupby(found, lambda each: each.path)}
    told = []
    for day in chosen:
        parts = files.get(day, [])
        episodes = by_path.get(parts[-1], []) if parts else []
        more = len(episodes) > FEW or len(parts) > 1
        happened = _happened(memory.root, episodes[-FEW:])
        told.append((day, happened, more, reflected.of(day)))
    return {
        "alone": None,
        "days": told,
        "others": 0 if days else sum(memory.overview().counts.values()),
        "strip": _strip(memory.root, files, chosen),
        "older": chosen[-1] if left else None,
        "newer": _newer(later),
    }


def _newer(later: Sequence[date]) -> str | None:
    """Where the page of newer days begins; empty for the newest, None for none."""
    if not later:
        return None
    if len(later) <= DAYS:
        return ""
    return (later[-DAYS] + timedelta(days=1)).isoformat()


def _one_day(
    memory: Memory, day: date, given: Given, files: Files, reflected: Reflections
) -> Mapping[str, Any]:
    """All of a day, its last episodes on the first page."""
    page = page_number(given)
    reflections = reflected.of(day)
    if day not in files and not reflections:
        what = f"nothing is known of {day.isoformat()}"
        raise NotFoundError(what, hint="The timeline shows the days that there are.")
    wanted, found = page * MANY, list[Any]()
    for path in reversed(files.get(day, [])):
        if len(found) <= wanted:
            least = wanted + 1 - len(found)
            found[:0] = memory.items(path=path, last=least)
    end = len(found) - (page - 1) * MANY
    episodes = found[max(0, len(found) - wanted) : max(0, end)]
    happened = _happened(memory.root, episodes)
    return {
        "alone": day,
        "days": [(day, happened, False, reflections if page == 1 else ())],
        "strip": _strip(memory.root, files, [day]),
        "page": page,
        "earlier": len(found) > wanted,
    }


def _day(given: Given, name: str) -> date:
    try:
        return date.fromisoformat(given.get(name, ""))
    except ValueError:
        what = f"{given.get(name, '')!r} is not a day"
        raise RefusedError(what, hint="Give it as 2026-02-02.") from None


# --- what there is -----------------------------------------------------------------


def _files(root: Path) -> Files:
    """The files of every day; none of them is read, nor looked at but for its name."""
    found: dict[date, list[tuple[int, str]]] = {}
    for name, path in _listed(root, EPISODES):
        if said := _FILE.fullmatch(name):
            with suppress(ValueError):
                day = date.fromisoformat(said[1])
                found.setdefault(day, []).append((int(said[2] or 1), path))
    return {
        day: [path for _, path in sorted(parts)]
        for day, parts in found.items()
        if EARLIEST <= day.year <= LATEST
    }


def _listed(root: Path, folder: str, deep: int = 2) -> Iterator[tuple[str, str]]:
    """Names and paths of the files in a folder; many days stand in some by year."""
    try:
        there = [*os.scandir(root / folder)]
    except OSError:
        return
    for each in there:
        path = f"{folder}/{each.name}"
        if each.is_file(follow_symlinks=False):
            yield each.name, path
        elif deep and each.is_dir(follow_symlinks=False):
            yield from _listed(root, path, deep - 1)


def _happened(root: Path, episodes: Iterable[Shown]) -> list[Happened]:
    """Episodes with what only the headings of their files say."""
    told = []
    for path, some in groupby(episodes, lambda each: each.path):
        lines = split_lines(text_of(root / path))
        told += [_with_heading(each, lines) for each in some]
    return told


def _with_heading(shown: Shown, lines: Sequence[str]) -> Happened:
    kind, _, name = shown.id.partition(":")
    if kind != "episode":
        return Happened("", "note", (), "", shown)
    at = name[11:16]
    head = lines[shown.line - 1] if shown.line <= len(lines) else ""
    fields = [each.strip() for each in split_fields(head.removeprefix("## "))]
    if fields[0] != at or len(fields) < 2:
        # Somebody changed the file this moment.
        return Happened(at, "", (), "", shown)
    more = {key: said for key, _, said in (each.partition(":") for each in fields[2:])}
    listed = split_fields(more.get("tags", "")[1:-1], ",")
    tags = tuple(filter(None, (unescape_field(each.strip()) for each in listed)))
    hour = "" if more.get("time") == "unknown" else at
    return Happened(hour, fields[1], tags, more.get("corrected", ""), shown)


# --- the strip ---------------------------------------------------------------------


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _strip(
    root: Path, files: Files, chosen: Sequence[date]
) -> Mapping[str, Any] | None:
    """Half a year of days, week by week, each with how much was written on it."""
    if not files or not chosen:
        return None
    newest = chosen[0]
    latest = max(files)
    if latest - newest < timedelta(weeks=WEEKS - 1):
        newest = max(newest, latest)
    first = newest - timedelta(days=newest.weekday() + 7 * (WEEKS - 1))
    days = [first + timedelta(days=n) for n in range(7 * WEEKS)]
    sizes = {
        day: sum(_size(root / path) for path in files.get(day, ())) for day in days
    }
    most = max(sizes.values()) or 1
    cells = [
        {
            "day": day,
            "column": n // 7,
            "row": n % 7,
            "shade": -(-sizes[day] * SHADES // most),
            "chosen": day in chosen,
        }
        for n, day in enumerate(days)
        if day <= newest
    ]
    months = [
        (n, day)
        for n, day in enumerate(days[::7])
        if day.day <= 7 and 0 < n < WEEKS - 1
    ]
    return {
        "cells": cells,
        "months": months,
        "weeks": WEEKS,
        "first": first,
        "last": newest,
        "busy": sum(size > 0 for size in sizes.values()),
        "busiest": max(sizes, key=sizes.__getitem__),
    }


VIEWS = (View("/timeline", "timeline.html", look),)
ACTS = ()
