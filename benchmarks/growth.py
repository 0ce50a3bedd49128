"""How the time to read a text grows with its length, for texts made to be slow.

    .venv/bin/python benchmarks/growth.py
    .venv/bin/python benchmarks/growth.py find_secrets

Each reader looks at one hostile piece repeated, and at four times as much. About four
times as long is linear, sixteen times is quadratic; eight, the middle, is the bar. Best
of three, in this process's own time: it needs no quiet machine, but a busy one is felt.
"""

from __future__ import annotations

import gc
import sys
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from reverie.agents.instructions import BEGIN, current
from reverie.audit import find_links, find_loops
from reverie.dates import find_spans
from reverie.encoding.gate import without_recalled
from reverie.interfaces.web.rendering import marked, noted
from reverie.ledger.rollback import merge
from reverie.markdown import hidden_lines, split_lines
from reverie.printable import printable
from reverie.recall.context_block import CLOSING, OPENING
from reverie.reflection.operations import parse_text
from reverie.secrets import find_secrets
from reverie.stores.entities import parse_entity
from reverie.stores.episodes import parse_day
from reverie.stores.turns import parse_window
from reverie.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Callable

TIMES, BAR = 4, 8.0
SIZE = 10_000
ROUND = 0.005
"""Seconds; a shorter look is measured several times in a row."""

NOW = datetime(2026, 2, 2, tzinfo=UTC)


def _audit(text: str) -> None:
    lines = text.splitlines(keepends=True)
    list(find_links(lines))
    list(find_loops(lines))


def _merge(text: str) -> None:
    base = text.encode()
    merge(base, base.replace(b"a", b"b"), b"c\n" + base)


READERS: dict[str, tuple[Callable[[str], object], tuple[str, ...]]] = {
    "printable": (printable, ("\u0301", "a\u0301\u0302", "\u200d", "\u202e")),
    "count_tokens": (
        count_tokens,
        ("a", "aB", " ", "\n", "!?", "1", " 1", "a1", "é", "中", "\x00", "_a", "\t "),
    ),
    "find_spans": (
        lambda text: find_spans(text, NOW),
        ("between May and ", "8 May 2023 to ", "2023-05-", "last   \n", "x" * 50),
    ),
    "find_secrets": (
        find_secrets,
        (
            *("a", "1", " ", "\n", "password:", 'password:"', "x is my password "),
            *("api key token secret ", "4111 ", "-----BEGIN PRIVATE KEY-----\n"),
            *("://a:b", "mnemonic ", "recovery code 1a ", "PuTTY-User-Key-File-2:"),
            *("a\u200b", "\uff41", "abandon ", "\u5bc6\u7801\u662f", "cookie: a=b;"),
        ),
    ),
    "without_recalled": (
        without_recalled,
        (
            *(OPENING, CLOSING, "x [turn:x/1/user/0, b:1]\n\n", "[turn:x, ", "< "),
            *("<! -- reverie:recalled --><! -- /reverie:recalled -->", "&amp;", " "),
        ),
    ),
    "current": (
        lambda text: current(text, "## Short"),
        (f"{BEGIN}\n", "<!-- reverie:begin ", "```\n", "<!--\n"),
    ),
    "audit": (_audit, ("[[a", "](a", "`", "[[a]] ", "<memory-block>\n")),
    "parse_text": (
        parse_text,
        (
            *("```\n", "CONTENT:\n", "OPERATION: EXTRACT\nCONTENT:\n```\n", " ", "*"),
            *("-", "a ", "OPERATION: ARCHIVE TARGET: x "),
        ),
    ),
    "hidden_lines": (
        lambda text: hidden_lines(split_lines(text)),
        ("```x\n", "```\n~~~\n", "<!--\n", "\\", "<", "`", "\n", "    ", "~~~x\n"),
    ),
    "parse_day": (
        lambda text: parse_day(f"## 14:30 | {text}", "memory/episodes/2026-02-02.md"),
        ("## 14:30 | fact | confidence:low | tags:[]\n", "## |\n", "|", ",\\"),
    ),
    "parse_entity": (
        lambda text: parse_entity(f"## Facts\n- {text}", "person--alex.md"),
        ("## Facts\n", "- [[", "- x <!-- a | b\n", "## Relations\n- [[a|\n", "~~"),
    ),
    "parse_window": (
        lambda text: parse_window(text, "conversations/trip/1.md"),
        ("```\n", "<!--\n", "## 14:30 | user | turn:1\n", "|" * 50),
    ),
    "merge": (_merge, ("a\n", "a\n\n", "\n \n")),
    "marked": (marked, ("[a](b) ", "[a](b 'c') ", "**[a](b)** ", "<http://a> ", "1. ")),
    "noted": (
        lambda text: noted(f"{text} -->"),
        ("a <!-- ", "<!-- x --> ", "--> ", " ", "&lt;!-- "),
    ),
}


def main(wanted: list[str]) -> int:
    """Measure the readers that are named, or all, and say which grow too fast."""
    failed = 0
    for name, (read, pieces) in READERS.items():
        if wanted and name not in wanted:
            continue
        grown = {piece: _growth(read, piece) for piece in pieces}
        worst = max(grown, key=grown.__getitem__)
        failed += grown[worst] >= BAR
        print(f"{name:18} {grown[worst]:5.1f}x  worst of {len(pieces)}: {worst[:30]!r}")
    return min(failed, 1)


def _growth(read: Callable[[str], object], piece: str) -> float:
    """How many times as long four times the text takes."""
    small = piece * (SIZE // len(piece))
    read(small)
    return _best(lambda: read(small * TIMES)) / _best(lambda: read(small))


def _best(work: Callable[[], object]) -> float:
    gc.disable()
    try:
        return min(_per_call(work) for _ in range(3))
    finally:
        gc.enable()


def _per_call(work: Callable[[], object]) -> float:
    started, calls, taken = time.process_time(), 0, 0.0
    while taken < ROUND:
        work()
        calls += 1
        taken = time.process_time() - started
    return taken / calls


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
