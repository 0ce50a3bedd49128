"""Whatever stands in a file is found, also where it follows no format."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.index.located import located, origin, scope
from reverie.model.items import Entry, Note, Origin
from reverie.stores.notes import parse_notes
from reverie.stores.reader import load_vocabulary, read_appended, read_file

DAY = "memory/episodes/2026-02-02.md"
DAILY = "memory/2026-01-01.md"
EPISODE = "## 14:30 | fact | confidence:high | tags:[]\nWe chose SQLite.\n"
PLACES = [
    "MEMORY.md",
    "SOUL.md",
    "Garden plans.md",
    DAILY,
    "memory/2026-01-01-standup.md",
    "memory/ideas/garden.md",
    DAY,
    "memory/episodes/2026/2026-02-02~2.md",
    "memory/episodes/ideas.md",
    "memory/graph/loose.md",
    "memory/graph/entities/concept--yoga.md",
    "memory/graph/entities/Hot Yoga.md",
    "memory/graph/entities/people/person--alex.md",
    "memory/procedures/bake.md",
    "memory/procedures/My way.md",
    "memory/vault/passport.md",
    "memory/vault/My passport.md",
    "conversations/trip.md",
]


def read(path: str, text: str) -> tuple[Entry, ...]:
    return read_file(path, text.encode(), load_vocabulary(None)).entries


def texts(path: str, text: str) -> list[str]:
    return [entry.text for entry in read(path, text)]


# --- everything is found ------------------------------------------------------

_SHAPES = [
    "{}\n",
    "{}\n\n",
    "# {}\n",
    "## {}\n",
    "## 14:00\n{}\n",
    "## 15:10 {}\n",
    "## 14:30 | fact | confidence:high | tags:[]\n{}\n",
    "## 14:30 | lunch | {}\n",
    "## Facts\n- {}\n",
    "## Summary\n{}\n",
    "## Timeline\n- {}\n",
    "## Steps\n1. {}\n2. {}\n",
    "## Identity\n{}\n",
    "## Identity\n- {}\n",
    "### {}\n\n",
    "- {}\n  - {}\n    {}\n",
    "* {}\n\n  {}\n",
    "1) {}\n",
    "| {} | {} |\n| --- | --- |\n| {} | {} |\n",
    "> {}\n",
    "```\n{}\n## {}\n```\n",
    "~~~~\n{}\n",
    "<!-- a remark -->\n{}\n",
    "{} <!-- a remark -->\n",
    "---\ntitle: {}\ntags: [{}]\n---\n",
    "***\n",
    "[[concept--yoga|{}]]\n",
    "- [ ] {}\n",
    "\t{}\n",
    "{}\n===\n",
    "**{}**: {}\n",
    "\r\n{}\r\n",
    "## 2026-02-02T10:00:00Z — user\n{}\n",
]


@st.composite
def written(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A Markdown file of any shape, and the sentences that stand in it."""
    said: list[str] = []
    text = ""
    for shape in draw(st.lists(st.sampled_from(_SHAPES), max_size=12)):
        holes = shape.count("{}")
        some = [f"kestrel{len(said) + n} nests quietly" for n in range(holes)]
        said += some
        text += shape.format(*some)
    return draw(st.sampled_from(["", "\ufeff", "\n"])) + text, said


@pytest.mark.parametrize("path", PLACES)
@given(file=written())
def test_every_sentence_of_a_file_is_found(
    path: str, file: tuple[str, list[str]]
) -> None:
    text, sentences = file

    found = [f"{e.text}\n{located(e, path).aside}" for e in read(path, text)]

    assert [s for s in sentences if not any(s in each for each in found)] == []


@pytest.mark.parametrize("path", PLACES)
@given(file=written())
def test_a_note_is_cited_with_the_lines_that_it_takes(
    path: str, file: tuple[str, list[str]]
) -> None:
    text = file[0].removeprefix("\ufeff")
    lines = text.split("\n")

    entries = read(path, text)

    ids = [str(entry.id) for entry in entries]
    assert len(ids) == len({*ids})
    for entry in entries:
        if isinstance(entry.item, Note):
            count = entry.raw.removesuffix("\n").count("\n") + 1
            stands = "\n".join(lines[entry.line - 1 : entry.line - 1 + count])
            assert entry.raw.removesuffix("\n") == stands


@given(file=written(), more=written())
def test_a_log_that_grew_is_read_as_if_it_were_read_anew(
    file: tuple[str, list[str]], more: tuple[str, list[str]]
) -> None:
    old = f"# 2026-02-02 — Episode Log\n\n{file[0]}\n"
    new = f"{old}{EPISODE}{more[0]}"

    added = read_appended(DAY, old.encode(), new.encode())

    if added is not None:
        before = {str(e.id): e for e in read(DAY, old)}
        assert {**before, **{str(e.id): e for e in added}} == {
            str(e.id): e for e in read(DAY, new)
        }


def test_a_comment_that_is_never_closed_hides_nothing() -> None:
    for path in PLACES:
        assert "Still here." in "\n".join(texts(path, "<!-- Never.\nStill here.\n"))


# --- what a note is -----------------------------------------------------------


def test_list_items_are_notes_of_their_own_and_prose_goes_by_sections() -> None:
    text = (
        "# Garden\n\nRoses by the gate.\nAnd thyme.\n\n## To do\n- Prune\n"
        "  - the vine\n- Water\n\n## Empty\n"
    )

    entries = read("memory/ideas/garden.md", text)

    assert [(e.line, e.text) for e in entries] == [
        (1, "Garden\nRoses by the gate.\nAnd thyme."),
        (7, "Prune\n- the vine"),
        (9, "Water"),
        (11, "Empty"),
    ]
    assert entries[1].title == "ideas/garden › To do"  # noqa: RUF001 - the mark is meant


def test_a_notes_id_follows_its_words_and_no_neighbour() -> None:
    (bread,) = read("SOUL.md", "- Likes bread.\n")

    assert str(bread.id) == "note:soul#2bb438c3"
    assert bread.id in {
        e.id for e in read("SOUL.md", "New.\n\n- Tea.\n- Likes bread.\n")
    }
    twice = read("SOUL.md", "- Likes bread.\n- Likes bread.\n")
    assert [str(e.id) for e in twice] == [str(bread.id), f"{bread.id}~2"]


def test_a_daily_note_is_from_its_day_and_from_the_hour_it_names() -> None:
    text = "# 2026-01-01\n\n- 09:15 met Ines\n- Rain.\n\n## 18:00 Dinner\nSoup.\n"

    notes = [entry.item for entry in read(DAILY, text)]

    assert [note.at for note in notes if isinstance(note, Note)] == [
        datetime(2026, 1, 1, 9, 15, tzinfo=UTC),
        datetime(2026, 1, 1, 12, tzinfo=UTC),
        datetime(2026, 1, 1, 18, tzinfo=UTC),
    ]


def test_front_matter_is_a_note_and_may_tell_the_day() -> None:
    text = "---\ndate: 2025-12-24\ntags: [goose]\n---\nWe cooked.\n"

    front, body = read("Christmas.md", text)

    assert (front.text, body.text) == ("date: 2025-12-24\ntags: [goose]", "We cooked.")
    assert isinstance(body.item, Note)
    assert body.item.at == datetime(2025, 12, 24, 12, tzinfo=UTC)


def test_a_note_is_trusted_as_what_is_imported_is() -> None:
    for path in ("SOUL.md", DAILY, DAY, "MEMORY.md"):
        (entry,) = read(path, "Free text.\n")

        assert origin(entry) is Origin.IMPORT


def test_loose_text_in_a_day_log_stands_beside_its_episodes() -> None:
    text = (
        f"# 2026-02-02 — Episode Log\n\nSlept badly.\n\n## 14:00\nLunch.\n\n{EPISODE}"
    )

    entries = read(DAY, text)

    assert [(str(e.id).partition(":")[0], e.text) for e in entries] == [
        ("episode", "We chose SQLite."),
        ("note", "Slept badly."),
        ("note", "14:00\nLunch."),
    ]


def test_sections_of_ones_own_in_core_memory_are_found_and_its_hints_are_not() -> None:
    text = (
        "# MEMORY.md — Core Memory\n\n## Identity\n- Name: [User Name]\n- Role: baker\n"
        "\n## Projects\nTwo are open.\n- The oven\n"
    )

    assert texts("MEMORY.md", text) == [
        "Role: baker",
        "Projects\nTwo are open.",
        "The oven",
    ]


def test_what_reverie_tells_agents_of_itself_is_no_note() -> None:
    text = (
        "Be kind.\n\n<!-- reverie:begin -->\n# Memory\nUse recall.\n"
        "<!-- reverie:end -->\n\nBe brief.\n"
    )

    assert texts("AGENTS.md", text) == ["Be kind.", "Be brief."]


def test_a_deleted_turn_does_not_come_back_as_a_note() -> None:
    text = (
        "# trip — Conversation\n\n"
        "## 2026-02-02 10:00:00 | user | turn:1 | deleted:2026-02-03\nA secret plan.\n"
    )

    assert not any("secret" in each for each in texts("conversations/trip.md", text))


def test_a_broken_heading_does_not_show_to_all_what_is_for_one() -> None:
    head = "## 14.30 | fact | confidence:high | tags:[] | scope:Ana"
    entries = read(DAY, f"{head}\nA ring.\n\n- For her.\n")

    assert {scope(entry) for entry in entries} == {"ana"}


def test_a_long_note_is_cut_at_paragraphs_and_nothing_is_lost() -> None:
    paragraphs = [f"{n} " + "word " * 60 for n in range(40)]
    text = "\n\n".join(paragraphs) + "\n" + "line of many\n" * 900

    entries = parse_notes(text, "long.md")

    assert len(entries) > 10
    assert max(len(e.text) for e in entries) < 2_500
    assert "".join(e.raw for e in entries) == text
