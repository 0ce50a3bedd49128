"""Reflections of a workspace as its log, its archive and its reward log tell them."""

from __future__ import annotations

import os
import re
import stat
from functools import lru_cache
from itertools import count, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

from reverie.model.reflection import session_name
from reverie.reflection.log import parse_log
from reverie.reflection.token_request import parse_rewards

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date
    from pathlib import Path

    from reverie.reflection.log import Log, ReflectionEntry

META = "memory/meta"
_PLAIN = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
_NUMBER = re.compile(r"(?m)^- Reflection: #([0-9]{1,9})\r?$")


class Slept(NamedTuple):
    """One reflection: what it asked for, what it was given, and what came of it.

    Attributes:
        number: Which.
        day: When it was decided on, or asked for tokens.
        asked: Tokens that it asked for; 0 where it asked for none.
        given: Tokens that it was given.
        became: What its human decided; empty where they have not.
        entry: What the log says of it, if it does.
    """

    number: int
    day: date
    asked: int
    given: int
    became: str
    entry: ReflectionEntry | None


class Reflections:
    """The reflections of a workspace by their days.

    Args:
        root: The workspace.
    """

    def __init__(self, root: Path) -> None:
        self._meta = root / META
        names = ("archive", "log")
        texts = (text_of(self._meta / f"reflection-{name}.md") for name in names)
        logs = [_parsed(text) for text in texts]
        # The log has a line of what the archive has in full.
        lines = {each.number: each for log in logs for each in log.one_liners}
        full = {each.number: each for log in logs for each in log.entries}
        self._entries = dict(sorted((lines | full).items()))
        self.days: dict[date, list[ReflectionEntry]] = {}
        for entry in self._entries.values():
            self.days.setdefault(entry.day, []).append(entry)

    def of(self, day: date) -> list[Mapping[str, Any]]:
        """Those of a day, each with what it said, where that was kept."""
        told = self.days.get(day, [])
        kept = self._kept(day) if told else {}
        return [
            {
                "entry": each,
                "session": session_name(each.number),
                "text": kept.get(each.number, ""),
            }
            for each in told
        ]

    def _kept(self, day: date) -> dict[int, str]:
        """What the reflections of a day said, by number."""
        found = {}
        names = (f"{day}{f'-{n}' if n > 1 else ''}.md" for n in count(1))
        folder = self._meta / "reflections"
        for text in takewhile(bool, (text_of(folder / name) for name in names)):
            if number := _NUMBER.search(text):
                found[int(number[1])] = text
        return found

    def newest(self, most: int) -> list[Slept]:
        """The newest of them, by number, also one that is not decided on."""
        log = text_of(self._meta / "reward-log.md")
        rewards = {request.number: (request, grant) for request, grant in _given(log)}
        numbers = sorted({*self._entries, *rewards})[-most:]
        found = []
        for number in numbers:
            entry, (request, grant) = (
                self._entries.get(number),
                rewards.get(number, (None, None)),
            )
            tokens = (request.final if request else 0, grant.tokens if grant else 0)
            day = entry.day if entry else rewards[number][0].day
            found.append(
                Slept(number, day, *tokens, entry.status if entry else "", entry)
            )
        return found


def text_of(path: Path) -> str:
    """What a plain file says; nothing, where it cannot be read."""
    try:
        # Who opens a pipe would wait for ever.
        with open(os.open(path, _PLAIN), "rb") as file:  # noqa: PTH123 - by its flags
            plain = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            return file.read().decode("utf-8-sig", "replace") if plain else ""
    except OSError:
        return ""


# They are asked for often, and change seldom.


@lru_cache(maxsize=4)
def _parsed(text: str) -> Log:
    return parse_log(text)


@lru_cache(maxsize=4)
def _given(text: str) -> list[tuple[Any, Any]]:
    return parse_rewards(text)
