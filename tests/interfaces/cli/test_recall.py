"""`recall` and `context`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from tests.interfaces.cli.conftest import on_a_screen

if TYPE_CHECKING:
    from tests.interfaces.cli.conftest import Desk

CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture
def known(desk: Desk) -> Desk:
    """A workspace that knows a few things."""
    desk.done("remember", "Chose SQLite for the index.", "--kind", "decision")
    for fact, more in (
        ("Works at Acme.", ()),
        ("Works at Globex.", ("--supersedes", "Works at Acme.")),
    ):
        desk.done(
            *("remember", fact, "--store", "semantic"),
            *("--about", "Alex", "--type", "person", *more),
        )
    desk.done("remember", "Passport X1234567.", "--store", "vault", "--actor", "manual")
    desk.wait(hours=3)
    return desk


def screen(desk: Desk, *words: str, **variables: str) -> tuple[int, str]:
    """Ask on a real screen, as of the test's own time."""
    at = desk.now.isoformat()
    whole = ("-w", str(desk.root), *words, "--at", at)
    return on_a_screen(whole, variables=variables)


def test_times_are_shown_and_read_in_the_zone_of_the_workspace(desk: Desk) -> None:
    desk.write("reverie.toml", '[workspace]\ntimezone = "Asia/Tokyo"\n')
    desk.wait(hours=4)  # half past three on the 3rd, in Tokyo
    desk.done("remember", "The heron stood in the pond.", "--at", "yesterday 22:15")

    (hit,) = desk.json("recall", "what did the heron do yesterday")["hits"]
    desk.wait(days=30)
    typed = desk.done("recall", "the heron")

    assert hit["id"] == "episode:2026-02-02:22:15"
    assert hit["at"] == "2026-02-02T13:15:00Z"
    assert "2026-02-02" in typed.out


def test_a_hit_says_what_where_when_and_how_well(known: Desk) -> None:
    told = known.done("recall", "Chose SQLite for the index").out

    assert re.match(r" 1  [01]\.\d\d  episode:2026-02-02:14:31  3 hours ago\n", told)
    assert "\n    memory/episodes/2026-02-02.md:3\n" in told
    assert "\n    Chose SQLite for the index.\n" in told


def test_quotes_around_a_question_are_optional(known: Desk) -> None:
    bare = known.json("recall", "where", "does", "Alex", "work")

    assert bare == known.json("recall", "where does Alex work")
    assert bare["question"] == "where does Alex work"


def test_a_question_may_come_from_standard_input(known: Desk) -> None:
    typed = known.type("recall", "-", "--json", stdin="where does Alex work\n")

    assert typed.json["hits"][0]["id"].startswith("entity:person--alex#")


def test_how_the_question_was_read_is_told_where_it_matters(known: Desk) -> None:
    assert "\nRead as: about entity:person--alex\n" in (
        known.done("recall", "where does Alex work").out
    )
    assert "Read as" not in known.done("recall", "sqlite index").out


def test_what_no_longer_holds_is_not_told_as_current(known: Desk) -> None:
    told = known.done("recall", "where does Alex work").out

    assert "    Works at Globex.\n" in told
    assert "    no longer: Works at Acme.\n" in told
    assert "    Works at Acme.\n" not in told


def test_an_explanation_has_parts_reasons_and_the_change(known: Desk) -> None:
    plain = known.done("recall", "where does Alex work").out
    told = known.done("recall", "where does Alex work", "--explain").out

    assert re.search(r"\n      text +0\.\d\d  #+\.*\n", told)
    assert re.search(r"\n      fading +x [01]\.\d\d\n", told)
    assert "\n      because  has the words alex, work\n" in told
    assert re.search(r"\n      change   [0-9a-f]{10}\n", told)
    assert "\n      once     Works at Acme.\n" in told
    assert "because" not in plain


def test_a_program_gets_the_whole_answer(known: Desk) -> None:
    told = known.json("recall", "where does Alex work")

    assert told["sure"] is True
    assert told["understood"]["entities"] == ["entity:person--alex"]
    assert told["hits"][0]["path"] == "memory/graph/entities/person--alex.md"
    assert told["hits"][0]["parts"][0].keys() == {"name", "value", "factor"}


def test_only_the_named_stores_are_searched(known: Desk) -> None:
    def ids(*more: str) -> list[str]:
        found = known.json("recall", "Alex index passport", "--least", "0", *more)
        return sorted(hit["id"].partition(":")[0] for hit in found["hits"])

    assert ids("--store", "vault") == ["vault"]
    assert ids("-s", "vault", "-s", "semantic") == ["entity", "vault"]
    assert len(ids("--limit", "1")) == 1


def test_a_moment_to_ask_for_can_be_named(known: Desk) -> None:
    told = known.json("recall", "what happened yesterday", "--at", "2026-01-10")

    assert told["understood"]["times"][0].startswith("yesterday: 2026-01-09")


def test_yesterday_is_counted_in_the_time_zone_of_who_asks(known: Desk) -> None:
    told = known.json("recall", "what happened yesterday")

    day = known.now.astimezone().date().replace(day=1)
    assert told["understood"]["times"][0].startswith(f"yesterday: {day}")


def test_archived_memories_are_counted_and_shown_when_asked_for(known: Desk) -> None:
    known.wait(days=200)
    known.done("remember", "Chose SQLite for the index again.", "--store", "episodic")
    question = ("recall", "Chose SQLite for the index", "--least", "0.2")

    told = known.done(*question).out

    assert "episode:2026-02-02:14:31" not in told
    assert "1 archived memory also matches (--archived)" in told
    assert "episode:2026-02-02:14:31  2026-02-02  archived\n" in (
        known.done(*question, "--archived").out
    )


def test_what_faded_is_shown_marked_where_nothing_fits_better_and_revives(
    known: Desk,
) -> None:
    known.wait(days=200)
    question = ("recall", "Chose SQLite for the index")

    first, again = (known.done(*question).out for _ in range(2))

    assert "episode:2026-02-02:14:31  2026-02-02  archived\n" in first
    assert "episode:2026-02-02:14:31  2026-02-02\n" in again


def test_finding_nothing_is_no_failure_and_says_what_to_try(known: Desk) -> None:
    typed = known.done("recall", "quantum chromodynamics lectures")

    assert typed.out.startswith(
        "Checked, and found nothing for: quantum chromodynamics lectures\n"
        "Looked for words that begin like: quantum, "
    )
    assert typed.out.endswith("Try other words, or --least 0 for weak matches.\n")
    assert known.json("recall", "quantum chromodynamics lectures")["hits"] == []


def test_an_empty_workspace_says_that_it_is(desk: Desk) -> None:
    assert "There are no memories yet" in desk.done("recall", "anything").out


def test_doubt_is_told(known: Desk) -> None:
    told = known.done("recall", "which database was bought", "--least", "0").out

    assert "Checked, and not sure: the best of these scores 0." in told


@pytest.mark.parametrize("words", [("",), ("  ", " \n"), ("\t",)])
def test_an_empty_question_is_refused(known: Desk, words: tuple[str, ...]) -> None:
    for verb in (("recall",), ("recall", "--context")):
        typed = known.type(*verb, *words)

        assert (typed.code, typed.out) == (5, "")
        assert "error: there is no question" in typed.err


def test_a_question_must_be_asked(known: Desk) -> None:
    typed = known.type("recall")

    assert typed.code == 2
    assert "Missing argument 'QUESTION...'" in typed.err


def test_a_question_of_100_kb_is_read_as_far_as_it_makes_sense(known: Desk) -> None:
    question = "where does Alex work? " + "and so on " * 10_000

    typed = known.done("recall", question)

    assert "entity:person--alex" in typed.out
    assert "Note: only the first 4,000 characters of the question" in typed.out
    assert len(typed.out) < 5_000


@pytest.mark.parametrize(
    "question",
    [
        '"foo AND (bar*',
        "NEAR(a b, 3) OR *",
        "col:umn - ^x {y}",
        "'; DROP TABLE items; --",
        "%_%",
        "\x00\x1b[31m",
        "🎉🎉",
        "(((((",
    ],
)
def test_a_question_is_never_a_query_language(known: Desk, question: str) -> None:
    typed = known.done("recall", "--", question)

    assert typed.err == ""
    assert "\x1b" not in typed.out


def test_a_question_may_begin_with_a_dash(known: Desk) -> None:
    assert known.type("recall", "-sqlite").code == 2
    assert "SQLite" in known.done("recall", "--least", "0", "--", "-sqlite").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--store", "attic"), "'attic' is not one of 'core', 'episodic'"),
        (("--at", "someday"), "'someday' is no moment"),
        (("--limit", "0"), "0 is not in the range x>=1"),
        (("--least", "2"), "2.0 is not in the range 0<=x<=1"),
    ],
)
def test_options_that_make_no_sense_are_told(
    known: Desk, words: tuple[str, ...], said: str
) -> None:
    typed = known.type("recall", "x", *words)

    assert typed.code == 2
    assert said in typed.err


def test_hits_fit_a_screen_and_words_that_match_stand_out(known: Desk) -> None:
    text = "The index grew, word after word, " * 6
    known.done("remember", text)
    code, seen = screen(known, "recall", "index", "word", "--explain")

    assert code == 0
    assert "\x1b[1;33mindex\x1b[0m" in seen
    assert "█" in seen
    assert max(map(len, CODES.sub("", seen).splitlines())) <= 80


def test_no_colours_for_those_who_want_none(known: Desk) -> None:
    _, seen = screen(known, "recall", "index", NO_COLOR="1")

    assert "Chose SQLite" in seen
    assert not re.search(r"\x1b\[[0-9;]*3\d", seen)


def test_a_context_block_is_all_that_is_printed(known: Desk) -> None:
    typed = known.done("recall", "--context", "where", "does", "Alex", "work")

    assert typed.err == ""
    assert "Alex works at Globex." in typed.out
    cited = typed.out.split("- ")[1].split()[0]
    assert known.json("show", cited)["id"].startswith("entity:person--alex#")
    told = known.json("recall", "--context", "where does Alex work")
    assert told == {"question": "where does Alex work", "context": typed.out}


def test_a_context_block_keeps_its_budget(known: Desk) -> None:
    whole = known.done("recall", "--context", "Alex index", "--budget", "1000").out
    small = known.done("recall", "--context", "Alex index", "--budget", "36").out

    assert len(small) < len(whole)
    assert known.type("recall", "--context", "x", "--budget", "0").code == 2


def test_a_context_block_on_a_screen_is_wrapped_not_cut(known: Desk) -> None:
    code, seen = screen(known, "recall", "--context", "where does Alex work")

    assert code == 0
    assert max(map(len, CODES.sub("", seen).splitlines())) <= 80
    assert "(no longer: Works at Acme.)" in CODES.sub("", seen)


def test_a_single_command_is_no_session(known: Desk) -> None:
    before = known.json("history")

    known.done("recall", "Chose SQLite for the index")
    known.done("reinforce", "episode:2026-02-02:14:31")

    assert known.json("history") == before
    assert known.json("show", "episode:2026-02-02:14:31")["accesses"] == 3


def test_asking_as_of_a_moment_only_looks(known: Desk) -> None:
    known.done("recall", "Chose SQLite for the index", "--at", "2026-02-03")

    assert known.json("show", "episode:2026-02-02:14:31")["accesses"] == 1
