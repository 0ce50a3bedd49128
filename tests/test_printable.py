"""Whatever is not plainly printable is spelled out, and nothing looks like another."""

from __future__ import annotations

import json
import re
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from reverie.printable import all_plain, escape_json, printable, spelled

BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\ufffc"
SELECTORS = {*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)}
JOINERS = "\u200c\u200d\ufe0f"
COVERT = [
    *("\u200b", "\u200e", "\u200f", "\u2060", "\u2061", "\u2063", "\u2064", "\ufeff"),
    *map(chr, range(0x202A, 0x202F)),
    *map(chr, range(0x2066, 0x2070)),
    *("\u00ad", "\u061c", "\u180e", "\ufff9", "\ufffa", "\ufffb", "\ufffc"),
    *BLANK,
    *map(chr, range(0xFE00, 0xFE10)),
    *map(chr, range(0xE0001, 0xE0080)),
    *map(chr, range(0xE0100, 0xE0110)),
    *("\u00a0", "\u1680", "\u2000", "\u2003", "\u2007", "\u2009", "\u202f", "\u205f"),
    *("\u3000", "\u2028", "\u2029", "\u0085", "\x0b", "\x0c", "\x1b", "\x7f", "\x00"),
    *("\ue000", "\uf8ff", "\U000f0000", "\ud800", "\udfff", "\uffff", "\U0010ffff"),
    *("\U0001d173", "\U0001d17a", "\U0001bca0", "\U0001d159", "\U00016fe4"),
]
"""Characters that a reader would not see, or not see for what they are."""

anything = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from([*COVERT, *JOINERS, *"⟦⟧U+0AB1 \n\tae", "\u0301", "\u094d"]),
        st.sampled_from([*"कषमیخاد👩💻❤😀1", "\u20e3", "\U0001f3fd"]),
    )
)


def unspelled(shown: str) -> str:
    """The text that was shown so."""
    return re.sub("⟦U\\+([0-9A-F]{4,6})⟧", lambda found: chr(int(found[1], 16)), shown)


@given(anything)
def test_a_shown_text_is_made_of_what_can_be_seen(text: str) -> None:
    for char in printable(text):
        seen = unicodedata.category(char)[0] in "LNPSM" or char in {" ", *JOINERS}
        assert seen, hex(ord(char))
        assert char not in BLANK
        assert ord(char) not in SELECTORS - {0xFE0F}


@given(anything)
def test_two_texts_never_look_the_same(text: str) -> None:
    assert unspelled(printable(text)) == text
    assert unspelled(printable(text, lines=True)) == text
    assert len(spelled(text)) == len(text)


@given(anything)
def test_joiners_never_stand_in_a_row_or_at_an_edge(text: str) -> None:
    shown = printable(text)

    assert not re.search("[\u200c\u200d][\u200c\u200d\ufe0f]|\ufe0f\ufe0f", shown)
    assert not re.search("^[\u200c\u200d\ufe0f]|[\u200c\u200d]$", shown)
    assert not re.search("[a-zA-Z0-9 ][\u200c\u200d]|[\u200c\u200d][a-zA-Z0-9 ]", shown)


@given(anything)
def test_what_is_spelled_out_once_stays_so(text: str) -> None:
    once = printable(text, again=True)

    assert printable(once, again=True) == once
    assert all_plain(once)


@given(anything)
def test_json_says_the_same_with_nothing_unseen_in_it(text: str) -> None:
    escaped = escape_json(json.dumps({"says": text}, ensure_ascii=False))

    assert json.loads(escaped) == {"says": text}
    for char in escaped:
        assert unicodedata.category(char)[0] not in "CZ" or char == " ", hex(ord(char))
        assert char not in f"{BLANK}{JOINERS}"


def test_what_people_write_stays_as_it_is() -> None:
    for text in (
        *("plain é 日本 🎉", "naïve e\u0301", "한국어", "ภาษาไทย น้ำ", "Tiếng Việt"),
        *("نمی\u200cشود", "क्\u200cष", "ක්\u200dෂ", "עִבְרִית", "العَرَبِيَّة", "မြန်မာ"),
        *(
            "👩\u200d💻",
            "👩🏽\u200d🚀",
            "🏳\ufe0f\u200d🌈",
            "❤\ufe0f",
            "1\ufe0f\u20e3",
            "🇪🇺",
        ),
        *("⟦x⟧ and ⟦U+⟧", "→ … “quoted” — dash", "```diff\\"),
    ):
        assert printable(text) == text


def test_what_a_reader_would_not_see_is_spelled_out() -> None:
    for text, shown in (
        ("\x1b[31mred", "⟦U+001B⟧[31mred"),
        ("back\u202ewards", "back⟦U+202E⟧wards"),
        ("\udcff", "⟦U+DCFF⟧"),
        ("a\tb\nc", "a⟦U+0009⟧b⟦U+000A⟧c"),
        ("no\u00a0break", "no⟦U+00A0⟧break"),
        ("a\u200db", "a⟦U+200D⟧b"),
        ("👩\u200d\u200d💻", "👩⟦U+200D⟧⟦U+200D⟧💻"),
        ("😀\ufe0f", "😀⟦U+FE0F⟧"),
        ("⟦U+200B⟧", "⟦U+27E6⟧U+200B⟧"),
        ("e\u0301\u0301", "e\u0301⟦U+0301⟧"),
        (" \u0336x", " ⟦U+0336⟧x"),
    ):
        assert printable(text) == shown


def test_a_pile_of_accents_is_taken_apart() -> None:
    pile = "".join(chr(0x300 + n) for n in range(40))

    assert printable(f"H{pile}").count("⟦") == 37


def test_lines_may_stay_lines() -> None:
    assert printable("a\nb", lines=True) == "a\nb"
