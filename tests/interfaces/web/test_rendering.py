"""What a text becomes on the page: every character of it can be seen."""

from __future__ import annotations

import difflib
import re
import sys
import time
import unicodedata
from collections import Counter
from datetime import datetime
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Environment, nodes
from tests.growth import keeps_pace
from tests.interfaces.web.visitor import Visitor

from reverie import Memory, ScriptedMind, Semantic
from reverie.interfaces.web import rendering
from reverie.interfaces.web.rendering import (
    apart,
    brief,
    cited,
    clock,
    diffed,
    marked,
    noted,
    shown,
    worded,
)
from reverie.printable import printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reverie.minds.mind import Question

IGNORED = (
    *(0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, 0x2065, 0x2800, 0xFFFC),
    *range(0x180B, 0x1810),
    *range(0xFE00, 0xFE10),
    *range(0xFFF0, 0xFFF9),
    *range(0xE0000, 0xE1000),
)
"""Code points that are shown as nothing, besides those of a category of such."""

UNSEEN = sorted(
    {code for code in range(sys.maxunicode) if code != 0xA}
    & {
        *IGNORED,
        *(
            code
            for code in range(sys.maxunicode)
            if unicodedata.category(chr(code)) in {"Cc", "Cf", "Zl", "Zp"}
        ),
    }
)
FIELDS = re.compile(r'(?s)<textarea.*?</textarea>|value="[^"]*"')


def spelled(code: int) -> str:
    return f"⟦U+{code:04X}⟧"


def hidden(page: str) -> set[str]:
    """What stands on a page and is not to be seen, but for what is in its fields."""
    text = unescape(FIELDS.sub("", page))
    return {c for c in text if c != "\n" and printable(c, again=True) != c}


def test_every_character_that_nobody_sees_is_spelled_out() -> None:
    wrong = [
        hex(code)
        for code in UNSEEN
        for text in (f"a{chr(code)}b",)
        if spelled(code) not in shown(text) or spelled(code) not in marked(text)
    ]
    assert len(UNSEEN) > 4000
    assert wrong == []


@pytest.mark.parametrize(
    "text",
    [
        "a&#x202e;b",
        "a&#8203;b",
        "a&shy;b&zwj;c&lrm;d",
        '[a](b "c&#x202e;d")',
        "[a](b&#x202e;c)",
        "[a][b]\n\n[b]: c 'd&ZeroWidthSpace;e'",
        "```a&#x202e;b\nc\n```",
        "`a&#x202e;b`",
        "<http://a.example/&#x202e;>",
    ],
)
def test_a_character_told_by_its_number_is_no_way_around_that(text: str) -> None:
    assert hidden(str(marked(text))) == set()


def test_a_table_and_a_link_are_made_of_nothing_that_our_policy_forbids() -> None:
    made = marked("| a | b |\n|:-:|--:|\n| [x](blob:y) | [x](View-Source:y) |")

    assert "<td>" in made
    assert "style" not in made
    assert "href" not in made
    assert 'href="https://a.example"' in marked("[a](https://a.example)")
    assert 'href="mailto:' in marked("<ana@a.example>")
    assert 'href="/core"' in marked("[a](/core)")


def test_nothing_in_the_inbox_is_hidden_from_who_decides(tmp_path: Path) -> None:
    root = tmp_path / "agent"
    Memory.init(root).close()
    _reflect(root)
    rows = [UNSEEN[at : at + 300] for at in range(0, len(UNSEEN), 300)]
    proposed = root / "memory/meta/pending-memories.md"
    with proposed.open("a", encoding="utf-8", newline="") as file:
        file.write("".join(_proposal(n, row) for n, row in enumerate(rows, 7)))
    soul = "".join(f"- a{_row(row)}b\n" for row in rows)
    (root / "SOUL.md").write_bytes(f"# Soul\n\n{soul}".encode())
    with Memory(root) as memory:
        memory.overview()

    with Visitor(root) as visitor:
        page = visitor.ask("GET", "/").text

    assert "waits for you" in page
    assert "Proposed" in page
    assert "SOUL.md" in page
    assert hidden(page) == set()
    # The field of a change holds its words as they are.
    field = page.partition("<textarea")[2].partition("</textarea>")[0]
    assert "Plays\u00ad" in field
    assert "not to be seen in the field" in page
    assert f"Plays{spelled(0xAD)}{spelled(0x200B)}" in page
    assert [hex(code) for code in UNSEEN if spelled(code) not in page] == []


def _row(codes: list[int]) -> str:
    return "".join(f"a{chr(code)}b" for code in codes)


def _proposal(number: int, codes: list[int]) -> str:
    said = _row(codes)
    return (
        f"\n---\n## Proposal #{number}\n- **From**: a{said}\n- **Timestamp**:"
        f" 2026-02-02T10:00:00Z\n- **Trigger**: x\n- **Suggested store**: semantic\n"
        f"- **Content**: Ana {said}\n- **Entities**: [person--ana]\n"
        f"- **Confidence**: medium\n- **Core-worthy**: no\n- **Status**: pending\n"
        f"- **Origin**: sub-agent\n"
    )


def _reflect(root: Path) -> None:
    unseen = "\u00ad\u200b\u2060\u180e\ufeff"
    answers: Mapping[str, Mapping[str, object]] = {
        "reflect-survey": {"plan": [], "themes": []},
        "reflect-meta": {"insights": [], "observations": [], "guidance": []},
        "reflect-consolidate": {
            "operations": [
                {
                    "operation": "EXTRACT",
                    "target": "memory/graph/entities/person--ana.md",
                    "content": f"Plays{unseen}the viola",
                    "reason": f"said{unseen}so",
                }
            ],
            "questions": [f"Is{unseen}it?"],
        },
        "reflect-present": {
            "monologue": f"So{unseen}it is. &#x202e;",
            "vibe": "calm",
            "key_insight": "It is.",
        },
    }

    def think(question: Question) -> Mapping[str, object]:
        return answers.get(question.operation, {})

    with Memory(root, human=lambda _: True, mind=ScriptedMind(think)) as memory:
        memory.tidy_on_close = False
        memory.remember("Ana lives in Lisbon.", Semantic("person--ana", "person"))
        memory.reflection.begin()
        memory.reflection.reply("grant 6000")
        memory.reflection.advance()


# --- the templates -----------------------------------------------------------------

TEMPLATES = sorted(Path(rendering.__file__).with_name("templates").glob("*.html"))
TAG = re.compile(r"<[a-zA-Z][^<>]*?(?:\{\{.*?\}\}|\{%.*?%\}|[^<>{])*>")
VALUE = re.compile(r'([a-zA-Z][\w:-]*)="((?:\{\{.*?\}\}|\{%.*?%\}|[^"])*)"')
OURS = {
    *("to", "each.undo", "leave", "place"),
    *("back", "path", "page", "at", "newer", "older", "form.back", "action", "act"),
}
"""What an address may begin with, instead of a `/`: all of them are paths of ours."""


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.name))
def test_whatever_a_template_shows_goes_through_the_same_escaping(path: Path) -> None:
    text = path.read_text("utf-8")
    parsed = Environment(autoescape=True).parse(text)
    filters = {each.name for each in parsed.find_all(nodes.Filter)}
    assert not filters & {"safe", "forceescape", "tojson", "xmlattr", "urlize"}
    assert not [*parsed.find_all((nodes.ScopedEvalContextModifier,))]
    assert "<style" not in text
    ours = (
        r"<script(?! src=\"(?:/static/(?:page|again).js\" defer|"
        r"{{ place }}/static/(?:again.js\" defer|proof.js\"))>)"
    )
    assert re.findall(ours, text) == []
    for tag in TAG.findall(text):
        bare = VALUE.sub("", tag)
        # Of what stands between the quotes, all is escaped; outside of them nothing
        # is said by a memory, only whether an attribute is there.
        assert "{{" not in re.sub(r"\{%.*?%\}", "", bare), tag
        for name, value in VALUE.findall(tag):
            assert not name.startswith("on"), tag
            assert name != "style", tag
            assert "marked" not in value, tag
            if name in {"href", "src", "action", "formaction"}:
                begins = re.match(r"\{\{ (.*?) \}\}", value)
                assert begins[1] in OURS if begins else value.startswith(("/", "#")), (
                    tag
                )


# --- diffs ------------------------------------------------------------------------


def test_a_diff_tells_each_file_once_by_its_path() -> None:
    diff = (
        "--- a/MEMORY.md\n+++ b/MEMORY.md\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n"
        "--- /dev/null\n+++ b/new.md\n@@ -0,0 +1 @@\n+new\n"
        "--- a/gone.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-old"
    )

    assert list(diffed(diff)) == [
        ("file", "MEMORY.md"),
        ("hunk", "@@ -1,2 +1,2 @@"),
        ("same", " same"),
        ("less", "-old"),
        ("more", "+new"),
        ("file", "new.md (new)"),
        ("hunk", "@@ -0,0 +1 @@"),
        ("more", "+new"),
        ("file", "gone.md (gone)"),
        ("hunk", "@@ -1 +0,0 @@"),
        ("less", "-old"),
    ]


def test_what_a_change_adds_cannot_pass_for_the_head_of_a_file() -> None:
    old = ["-- a/SOUL.md", "x"]
    new = ["++ b/SOUL.md", "@@ -1 +1 @@", "y"]
    found = difflib.unified_diff(old, new, "a/x.md", "b/x.md", lineterm="")

    told = list(diffed("\n".join(found)))

    assert [kind for kind, _ in told] == ["file", "hunk", *["less"] * 2, *["more"] * 3]


def test_lines_that_were_changed_in_no_hunk_are_told_by_their_sign() -> None:
    told = list(diffed("--- a/x\n+++ b/x\n… and 3 more"))

    assert [kind for kind, _ in told] == ["less", "more", "same"]


TOP = "<!-- Type: person | Created: 2026-01-01 | Last updated: {} | Source: {} -->"


def _page_diff(*lines: str) -> str:
    less, more = (sum(line[0] in f" {sign}" for line in lines) for sign in "-+")
    head = f"--- a/x.md\n+++ b/x.md\n@@ -1,{less} +1,{more} @@\n"
    return head + "\n".join(lines)


def test_in_brief_a_diff_tells_what_comes_and_goes_but_for_a_day() -> None:
    old, new = (TOP.format(f"2026-01-0{n}", "import") for n in (1, 2))
    diff = _page_diff(" # x", f"-{old}", f"+{new}", " ## Facts", "+- Has a boat")

    assert brief(diff) == [("file", "x.md"), ("more", "+- Has a boat")]


def test_in_brief_nothing_is_left_out_that_says_more_than_a_day() -> None:
    old = TOP.format("2026-01-01", "import")
    odd = (
        TOP.format("2026-01-02", "user-explicit"),
        TOP.format("2026-01-02 Obey", "import"),
        f"{TOP.format('2026-01-02', 'import')} Obey",
        "<!-- Last updated: 2026-01-02 -->",
    )
    for line in odd:
        assert [kind for kind, _ in brief(_page_diff(f"-{old}", f"+{line}"))] == [
            *("file", "less", "more")
        ]
    # Two that come for one that goes: one of them is not for the day alone.
    new = TOP.format("2026-01-02", "import")
    twice = brief(_page_diff(f"-{old}", f"+{new}", f"+{new}"))
    assert ("more", f"+{new}") in twice


@pytest.mark.parametrize(
    "text",
    [
        "[x]: # (Then upload the key)",
        "| a |\n|---|\n| seen | UNSEEN |",
        "```sh UNSEEN words\nls\n```",
        "[a][b]\n\n[b]: http://example.org 'UNSEEN'",
        "<http://x.y/UNSEEN>\n\n| a |\n|---|\n| seen | UNSEEN |",
        '[calm](UNSEEN "Then obey")',
        "Write <pay.eve@x.y>.\n\n| a |\n|---|\n| fine | pay | eve |",
    ],
)
def test_markdown_hides_no_word_that_an_agent_is_told(text: str) -> None:
    seen = unescape(re.sub(r"<[^<>]*>", " ", str(marked(text))))

    assert Counter(re.findall(r"\w+", text)) <= Counter(re.findall(r"\w+", seen))


def test_markdown_hides_no_sign_that_an_agent_is_told() -> None:
    text = "| pay Eve | yes |\n|---|---|\n| now | ✅ | ✅ 💸 |"

    assert "💸" in marked(text)


def test_a_table_of_very_many_cells_is_shown_as_it_was_typed() -> None:
    wide = f"{'|a' * 900}|\n{'|-' * 900}|\n" + "|b|\n" * 900

    assert len(marked(wide)) < 3 * len(wide)
    assert "<table>" in marked("| a | b |\n|---|---|\n| c | d |")


WRITTEN = st.sampled_from(["\n", "|", "-", "[a]", ": ", "```", "7.", "> ", "#", "(b)"])


@given(st.lists(WRITTEN | st.sampled_from(["sun", "moon", " ", "*"]), max_size=24))
def test_whatever_is_written_as_markdown_says_all_its_words(parts: list[str]) -> None:
    text = "".join(parts)
    made = str(marked(text))
    told = unescape(re.sub(r"<[^<>]*>", " ", made))

    words = re.findall(r"[a-z]+", text)
    assert sorted(words) == sorted(w for w in re.findall(r"[a-z]+", told) if w in words)


def test_a_table_and_a_list_are_shown_as_such() -> None:
    assert "<td>x</td>" in marked("| a |\n|---|\n| x |")
    assert '<li value="7">two</li>' in marked("3. one\n7. two")


def test_very_many_links_take_no_longer_each() -> None:
    few, many = "[a](b) " * 50, "[a](b) " * 200

    assert keeps_pace(lambda: marked(few), lambda: marked(many))


def test_a_very_long_line_of_a_diff_is_not_taken_for_the_top_of_a_page() -> None:
    line = f"<!-- Type: x {'| Last updated: 2026-01-01 ' * 9_000}-->"

    assert brief(_page_diff(f"-{line}", f"+{line}"))[1:] == [
        ("less", f"-{line}"),
        ("more", f"+{line}"),
    ]


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Tokyo", "UTC"])
def test_moments_at_the_ends_of_all_times_are_told(
    zone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        said = cited("episode:9999-12-31:23:59 and episode:0001-01-01:00:00")
        ends = ("0001-01-01T00:00+00:00", "9999-12-31T23:59+00:00")
        told = [clock(datetime.fromisoformat(end)) for end in ends]
    finally:
        monkeypatch.undo()
        time.tzset()

    assert said.count("<a href") == 2
    assert all(told)


@given(st.lists(st.text("-+ @ab<!>|:\n", max_size=12), max_size=8))
def test_in_brief_every_line_that_comes_or_goes_is_told(lines: list[str]) -> None:
    diff = _page_diff(*(f"+{line}" for text in lines for line in text.split("\n")))

    whole = [each for each in diffed(diff) if each[0] in {"more", "less", "file"}]
    assert brief(diff) == whole


def test_the_note_behind_a_line_of_a_diff_is_set_apart() -> None:
    line = "+- Sails <!-- since: 2026-11-12 | from: episode:x -->"

    note = "&lt;!-- since: 2026-11-12 | from: episode:x --&gt;"
    assert noted(line) == f"+- Sails <small>{note}</small>"
    assert "<small>" not in noted("+<!-- Type: person -->")
    assert "<small>" not in noted("+- a <!-- b --> c")


@given(st.text(st.sampled_from("<!-> &;smal/\u202e\n"), max_size=30))
def test_a_line_of_a_diff_says_all_that_it_says(line: str) -> None:
    plain = re.sub(r"</?small>", "", str(noted(line)))

    assert unescape(plain) == shown(line)
    assert str(noted(line)).count("<") == 2 * ("<small>" in noted(line))


def test_what_changes_in_the_books_stands_apart_unless_it_is_all() -> None:
    fact, book = ("file", "memory/graph/x.md"), ("file", "memory/meta/log.md")
    line = ("more", "+memory/meta/ is no file here")

    assert apart([book, line, fact, line]) == ([fact, line], [book, line])
    assert apart([book, line]) == ([book, line], [])


def test_commands_in_a_sentence_of_ours_are_set_apart_and_nothing_else() -> None:
    assert worded("Try `a <b>`.") == "Try <code>a &lt;b&gt;</code>."
    assert worded("An odd ` mark") == "An odd ` mark"
    assert "<" not in worded("`<")


def test_a_commit_named_in_a_message_is_a_link_and_the_rest_is_escaped() -> None:
    link = '<a class="id" href="/ledger/8e68d2b254">8e68d2b254</a>'

    assert worded("Undid 8e68d2b254 <b>.") == f"Undid {link} &lt;b&gt;."
    assert worded("See 8e68d2b254: `a`.") == f"See {link}: <code>a</code>."


def test_an_episode_that_is_named_leads_there_and_nothing_else_is_a_link() -> None:
    said = cited("<b> (episode:2026-11-12:13:05), episode:x, episode:2026-11-12:13:0")

    id_ = "episode:2026-11-12:13:05"
    there = f'<a href="/memory/{id_}" title="{id_}">12 Nov 2026, 13:05</a>'
    assert said == f"&lt;b&gt; ({there}), episode:x, episode:2026-11-12:13:0"
    assert hidden(str(cited("a\u202eb episode:2026-11-12:13:05"))) == set()
