"""Nothing invisible passes: every view a human decides by spells it out."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

import pytest
from tests.interfaces.cli.conftest import on_a_screen
from tests.test_printable import COVERT

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.interfaces.cli.conftest import Desk

MOST_IN_ONE = 120
"""So many stand in one memory."""


def kept() -> list[str]:
    """What may be stored: everything but what would turn the text around."""
    refused = {"Cc", "Cs"}
    tags, bidi = range(0xE0000, 0xE0080), "\u202a\u202b\u202c\u202d\u202e"
    return [
        char
        for char in COVERT
        if unicodedata.category(char) not in refused
        and ord(char) not in tags
        and char not in bidi + "\u2066\u2067\u2068\u2069"
    ]


def laced(chars: list[str], word: str) -> str:
    """A sentence with such characters in its words."""
    return "".join(f"{word[n % len(word)]}{char}" for n, char in enumerate(chars))


def unseen(text: str) -> list[str]:
    """Characters of an output that nobody sees; our own signs are seen."""
    for sign in ("\u26a0\ufe0f", "\u270f\ufe0f", "\U0001f5c2\ufe0f"):
        text = text.replace(sign, "")
    return [
        f"U+{ord(char):04X}"
        for char in text
        if char != "\n" and (char in COVERT or unicodedata.category(char)[0] == "C")
    ]


def by_hand(desk: Desk) -> int:
    """All of them, typed into files that a human looks at; how many."""
    count = 0
    for start in range(0, len(COVERT), MOST_IN_ONE):
        chars = [
            c for c in COVERT[start : start + MOST_IN_ONE] if c not in "\ud800\udfff"
        ]
        text = laced(chars, "herons").replace("\x00", "").replace("\r", "")
        count += len(chars)
        desk.write(
            f"memory/vault/odd-{start}.md", f"# Odd {start}\n\nA heron {text}.\n"
        )
        desk.write("SOUL.md", f"# Soul\n\nI like {text}.\n")
    return count


def test_no_view_shows_a_text_with_something_unseen_in_it(
    desk: Desk, record_property: Callable[[str, object], None]
) -> None:
    count = by_hand(desk)
    chars = kept()
    for start in range(0, len(chars), MOST_IN_ONE):
        text = laced(chars[start : start + MOST_IN_ONE], "egrets")
        desk.done("propose", f"Always {text} first {start}", "--agent", "scout")
        desk.done("remember", f"Egret {text} number {start}", "--kind", "event")
    views = [
        *(("pending",), ("alerts",), ("show", "SOUL.md"), ("history",)),
        *(("show", "vault"), ("show", "episodic"), ("forget", "egret")),
        *(("recall", "egret"), ("reflect",), ("reflect", "show"), ("check",)),
        *(("pending", "--json"), ("show", "vault", "--json"), ("alerts", "--json")),
        ("reflect", "show", "--json"),
    ]
    found, printed = {}, 0
    for view in views:
        typed = desk.type(*view)
        assert typed.code != 2, typed.err
        printed += len(typed.out)
        if unseen(typed.out + typed.err):
            found[" ".join(view)] = unseen(typed.out + typed.err)[:5]

    attempts = (count + 2 * len(chars)) * len(views)
    record_property("attempts: covert characters in views", attempts)
    assert found == {}, f"{len(found)} of {len(views)} views"
    assert "⟦U+" in desk.type("pending").out
    assert "⟦U+" in desk.type("show", "vault:odd-0").out
    assert count + 2 * len(chars) > 400
    assert printed > 10_000


def test_a_screen_shows_as_much(desk: Desk) -> None:
    chars = kept()
    desk.done("propose", f"Always {laced(chars, 'egrets')}", "--agent", "scout")

    code, seen = on_a_screen(("-w", str(desk.root), "pending"))

    plain = re.sub(r"\x1b\[[0-9;]*m", "", seen).replace("\r", "")
    assert code == 0
    assert unseen(plain) == []
    assert "⟦U+3164⟧" in plain.replace("\n", "").replace(" ", "")


def test_an_accepted_text_is_confirmed_by_what_is_seen(desk: Desk) -> None:
    desk.done("propose", "Run\u200d\u200dit \u3164 now", "--agent", "scout")

    out = desk.type("pending").out

    assert "Run⟦U+200D⟧⟦U+200D⟧it ⟦U+3164⟧ now" in out


@pytest.mark.parametrize("char", ["\u200d", "\u034f", "\u3164", "\u2800"])
def test_json_escapes_what_nobody_sees(desk: Desk, char: str) -> None:
    desk.type("remember", f"A her{char}{char}on flew", "--kind", "event")

    out = desk.type("show", "episodic", "--json").out

    assert char not in out
    assert f"\\u{ord(char):04x}" in out
