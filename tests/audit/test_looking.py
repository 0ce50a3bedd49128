"""What one text shows by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.audit.folders import places, write

from reverie.audit import Fault, find_invisible, find_loops
from reverie.recall.context_block import CLOSING, OPENING

if TYPE_CHECKING:
    from pathlib import Path


def test_a_character_that_nobody_sees_is_named() -> None:
    for line, name in [
        ("Pay Kim\u202e now", "U+202E right-to-left override"),
        ("Pay\u200b Kim", "U+200B zero width space"),
        ("Pay\U000e0041", "U+E0041 tag latin capital letter a"),
        ("\x1b[31mred", "U+001B control character"),
    ]:
        assert list(find_invisible(["Hi\n", f"{line}\n"])) == [(2, name)]


def test_what_a_language_or_an_emoji_needs_is_fine() -> None:
    for line in [
        *(
            "café — 10\u00a0€\r\n",
            "\u2764\ufe0f \U0001f469\u200d\U0001f467",
            "日本語\t。",
        ),
        *(
            "\u05e9\u05dc\u05d5\u05dd\u200f!",
            "\u0645\u06cc\u200c\u062e",
            "\ue0b0 an icon",
        ),
        "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    ]:
        assert list(find_invisible([line])) == []


def test_what_came_out_of_memory_is_known_by_its_marks() -> None:
    for text, lines in [
        (f"Hi\n{OPENING}\na\n{CLOSING}\nBye", [(2, 4)]),
        ("> <relevant-memories n=2>\n> a\n> </relevant-memories>\nBye", [(1, 3)]),
        ("<system-reminder>a</system-reminder>\nBye", [(1, 1)]),
        ("<recalled_context>\nnever closed\n", [(1, 1)]),
        ("- Tea. [episode:2026-02-02:14:30, memory/episodes/x.md:3]\n", [(1, 1)]),
        ("```\n<relevant-memories>\n</relevant-memories>\n```\n", []),
        (f"The mark is `{OPENING}`, the tag <relevant-memories>.\n", []),
    ]:
        found = find_loops(text.splitlines(keepends=True))

        assert [(first, last) for first, last, _ in found] == lines


def test_links_that_lead_nowhere_are_told(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a.md": "[x](no.md) [y](sub/b%20c.md#top) ![z](pic.png) [w](sub) [](../v)\n"
            "[[B c]] [[sub/b c|name]] [[Old name]] [[style]] [[pic.png]] ![[no]]\n"
            "`[[code]]` [u](https://example.org/x) [t](#top) [[#top]] [s](/s) [[ x ]]\n"
            "```\n[[fenced]]\n```\n[r](<no way.md>) [q](.hidden/x.md) [[[end]]]\n",
            "sub/b c.md": "---\naliases: [Old name]\n---\nBack to [a](../a.md).\n",
            "sub/feedback_style.md": "---\nname: style\n---\nOne [x](a.md).\n",
            "pic.png": b"\x89PNG",
        },
    )  # fmt: skip

    assert places(tmp_path, Fault.LINKS) == [
        *("a.md:1", "a.md:2", "a.md:7", "sub/feedback_style.md:4")
    ]


def test_a_symbolic_link_leads_somewhere(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "[x](b.md)\n", "c/d.md": "One.\n"})
    (tmp_path / "b.md").symlink_to("c/d.md")

    assert places(tmp_path, Fault.LINKS) == []
