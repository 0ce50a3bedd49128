"""The tables: made when they are missing, made anew when they are of old shape."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from hypothesis import given
from tests import strategies
from tests.index.shown import WORDS
from tests.index.shown import heard as passages

from reverie.index import lookup, text
from reverie.index.located import located, origin, scope
from reverie.stores.entities import reference
from reverie.stores.reader import read_file

if TYPE_CHECKING:
    from pathlib import Path

    from reverie.model.items import Entry


def tables(connection: sqlite3.Connection) -> set[str]:
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return {row[0] for row in rows if not row[0].startswith("sqlite_")}


def test_a_new_index_has_every_table(tmp_path: Path) -> None:
    with closing(lookup.connect(tmp_path / "index.db")) as made:
        assert {"meta", "items", "vectors", "traces", "files"} <= tables(made)


def test_an_index_of_another_version_is_made_anew(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "index.db")) as old:
        old.execute("CREATE TABLE items (was TEXT)")
        old.execute("CREATE TABLE left_over (x TEXT)")
        old.execute("PRAGMA user_version = 77")
        old.commit()

    with closing(lookup.connect(tmp_path / "index.db")) as made:
        assert "left_over" not in tables(made)
        assert made.execute("SELECT * FROM items").fetchall() == []


def test_removing_the_index_leaves_no_file_of_it(tmp_path: Path) -> None:
    for name in ("index.db", "index.db-wal", "index.db-shm", "other"):
        (tmp_path / name).write_bytes(b"x")

    lookup.remove_index(tmp_path / "index.db")
    lookup.remove_index(tmp_path / "index.db")

    assert [file.name for file in tmp_path.iterdir()] == ["other"]


DAY = "memory/episodes/2026-02-02.md"
TALK = "conversations/trip.md"
PAGE = "memory/graph/entities/person--alex.md"
NOTE = "memory/vault/key.md"
STEPS = "memory/procedures/tea.md"
FILES = {
    DAY: "## 14:30 | fact | confidence:high | scope:alex\nText.\n",
    TALK: "## 2026-02-02 14:30:05 | user | turn:3 | speaker:Alex | scope:sam\nHi.\n",
    PAGE: "# person--alex\n\n<!-- Last updated: 2026-02-03 | Created: 2026-02-01 -->\n",
    NOTE: "# Key\n\n<!-- Type: vault | Created: 2026-02-02 | Scope: alex -->\nText.\n",
    STEPS: "# tea.md\n\n<!-- Learned: 2026-01-01 -->\n\n## Steps\n1. boil\n",
    "MEMORY.md": "## Identity\n- Name: Alex\n",
}


def entry(path: str, said: str = "") -> Entry:
    return read_file(path, (said or FILES[path]).encode(), WORDS).entries[0]


def seconds(when: str) -> int:
    return int(datetime.fromisoformat(when).replace(tzinfo=UTC).timestamp())


def test_each_memory_is_from_when_it_says() -> None:
    for path, at in [
        (DAY, seconds("2026-02-02 14:30")),
        (TALK, seconds("2026-02-02 14:30:05")),
        (PAGE, seconds("2026-02-03 12:00")),
        (NOTE, seconds("2026-02-02 12:00")),
        (STEPS, seconds("2026-01-01 12:00")),
        ("MEMORY.md", None),
    ]:
        assert located(entry(path), path).at == at


def test_a_memory_may_be_for_one_person_alone() -> None:
    for path, whom in [(DAY, "alex"), (TALK, "sam"), (NOTE, "alex"), (PAGE, "")]:
        assert scope(entry(path)) == whom


def test_a_scope_that_a_text_speaks_of_is_no_scope() -> None:
    said = "# Key\n\nSay <\\!-- Scope: alex --> and Scope: sam.\n"

    assert scope(entry(NOTE, said)) == ""


def test_turns_of_a_window_are_together_in_the_order_said() -> None:
    said = [
        "## — | user | turn:2\nd",
        "## — | assistant | turn:1\nc",
        "## — | user | turn:1\nb",
        "## — | system | turn:1\na",
    ]
    found = read_file(TALK, "\n".join(said).encode(), WORDS).entries
    company = [located(e, TALK) for e in found]

    assert {c.company for c in company} == {"window trip"}
    in_order = sorted(found, key=lambda e: located(e, TALK).place)
    assert [e.text for e in in_order] == ["a", "b", "c", "d"]


def test_episodes_of_a_file_are_together_and_other_memories_stand_alone() -> None:
    later = DAY.replace("02-02", "02-03")
    day = located(entry(DAY), DAY)

    assert day.company == located(entry(DAY), DAY).company
    assert day.company != located(entry(DAY), later).company
    assert located(entry(TALK), TALK).speaker == "Alex"
    assert located(entry(PAGE), PAGE)[-5:] == ("", 0, "", "", "")


def test_what_was_true_once_is_found_but_is_no_part_of_the_text() -> None:
    page = "# person--alex\n\n## Facts\n- Lives in Rome\n- ~~Lives in Oslo~~\n"
    found = entry(PAGE, page)

    assert "Oslo" in located(found, PAGE).aside
    assert "Rome" not in located(found, PAGE).aside
    assert text.pieces("", "x", "") == ["x"]
    assert text.pieces("", "x", "y") == ["x", "y"]
    assert text.pieces("Alex", "Sings.", "") == ["Alex sings."]


def test_a_fact_is_a_memory_of_its_own_with_the_past_it_took_the_place_of() -> None:
    old = "~~Lives in Oslo~~ <!-- superseded-by: {} -->".format(reference("In Bonn"))
    older = "~~Lives in Rome~~ <!-- superseded-by: {} -->".format(
        reference("Lives in Oslo")
    )
    gone = "~~Hates peas~~ <!-- forgotten: 2026-02-01 -->"
    page = (
        "# person--alex\n<!-- Scope: Sam -->\n## Facts\n"
        f"- {older}\n- {old}\n- {gone}\n"
        "- In Bonn <!-- since: 2026-02-02 | by: tool -->\n- Sings\n"
    )
    whole, bonn, sings = (
        located(each, PAGE) for each in read_file(PAGE, page.encode(), WORDS).entries
    )

    assert bonn.id == "entity:person--alex#" + reference("In Bonn")[:6]
    assert (bonn.page, bonn.title, bonn.line) == (whole.id, "Alex", 7)
    assert (bonn.text, bonn.aside) == ("In Bonn", "Lives in Oslo\nLives in Rome")
    assert (bonn.scope, bonn.origin, sings.origin) == ("sam", "tool", "owner")
    assert (whole.text, whole.names, whole.aside) == ("", "Alex", "")
    assert whole.gone == "2026-02-01 Hates peas"


def test_an_entity_is_known_by_all_its_names() -> None:
    page = "# person--alex\n\n<!-- Label: Alex Doe | Aliases: Lex, AD -->\n"

    names = located(entry(PAGE, page), PAGE).names.split("\n")

    assert names == ["Alex Doe", "Lex", "AD"]
    assert located(entry(NOTE), NOTE).names == ""


@given(strategies.files)
def test_the_measures_of_any_text_fit(said: str) -> None:
    found = passages(said)

    packed = text.shape(found)

    assert len(packed) == len(found) * text.SHAPE.size
    for passage, measures in zip(found, text.SHAPE.iter_unpack(packed), strict=True):
        stated, asked, own, asking, cues, words = measures
        assert (stated, asked) == (
            sum(passage.stated.values()),
            sum(passage.asked.values()),
        )
        assert own + asking <= 256
        assert (cues, words) == (passage.cues, min(passage.words, 255))


def test_the_header_of_a_page_tells_the_origin_of_its_own_text_alone() -> None:
    fact = "## Facts\n- Lives in Rye <!-- source: user-explicit -->\n"
    head = "# person--alex\n\n<!-- Type: person | By: tool -->\n\n"
    summary = "## Summary\nA pilot.\n\n"

    assert origin(entry(PAGE, head + summary + fact)) == "tool"
    assert origin(entry(PAGE, head + fact)) == "owner"
    assert origin(entry(PAGE, head)) == "tool"
