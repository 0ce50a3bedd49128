"""What a question brought back, as a page."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from reverie.interfaces.cli.output import Styled, render_plain
from reverie.interfaces.cli.recall import found_page as page
from reverie.interfaces.cli.recall import marked
from reverie.model.ids import Store
from reverie.model.views import Beside, Hit, Part, Plan, Recalled, Understood

if TYPE_CHECKING:
    from typing import Any

NOW = datetime(2026, 2, 2, 14, 30, tzinfo=UTC)


def hit(**more: Any) -> Hit:  # noqa: ANN401 - whatever a hit has
    given: dict[str, Any] = {
        "id": "episode:2026-02-02:14:00",
        "store": Store.EPISODIC,
        "title": "Tea",
        "text": "Had tea.",
        "passage": "Had tea.",
        "path": "memory/episodes/2026-02-02.md",
        "line": 3,
        "commit": "0123456789abcdef",
        "at": NOW - timedelta(minutes=30),
        "score": 0.8,
        "parts": (Part("text", 0.8), Part("fading", 1.0, factor=True)),
        "why": ("has the words tea",),
        "status": "active",
    }
    return Hit(**{**given, **more})


def told(*hits: Hit, words: tuple[str, ...] = (), **more: Any) -> str:  # noqa: ANN401 - whatever an answer has
    understood = Understood(Plan.GENERAL, words)
    given = {"sure": True, "understood": understood, **more}
    recalled = Recalled(question="Tea?", asked=NOW, hits=hits, **given)
    return render_plain(page(recalled, explain=False, empty=False))


def test_a_hit_is_a_head_a_place_and_a_passage() -> None:
    assert told(hit()) == (
        " 1  0.80  episode:2026-02-02:14:00  30 minutes ago\n"
        "    memory/episodes/2026-02-02.md:3\n"
        "    Had tea.\n"
    )


def test_hits_are_numbered_with_a_line_between() -> None:
    assert "    Had tea.\n\n 2  0.80  " in told(hit(), hit())


@pytest.mark.parametrize(
    ("store", "at", "said"),
    [
        (Store.TURNS, NOW - timedelta(seconds=5), "just now"),
        (Store.TURNS, NOW - timedelta(days=3), "3 days ago"),
        (Store.TURNS, NOW - timedelta(days=9), "2026-01-24"),
        (Store.TURNS, NOW + timedelta(days=1), "2026-02-03"),
        (Store.VAULT, datetime(2026, 1, 31, 12, tzinfo=UTC), "2 days ago"),
        (Store.SEMANTIC, datetime(2025, 1, 31, 12, tzinfo=UTC), "2025-01-31"),
    ],
)
def test_the_date_is_told_from_now_where_it_is_recent(
    store: Store, at: datetime, said: str
) -> None:
    assert told(hit(store=store, at=at)).splitlines()[0].endswith(f"  {said}")


def test_what_nobody_dated_has_no_date() -> None:
    first = told(hit(at=None)).splitlines()[0]

    assert first == " 1  0.80  episode:2026-02-02:14:00"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"status": "active"}, "ago"),
        ({"status": "dormant"}, "ago  dormant"),
        ({"status": "active", "pinned": True}, "ago  pinned"),
        ({"status": ""}, "ago"),
    ],
)
def test_a_standing_that_is_out_of_the_ordinary_is_told(
    more: dict[str, object], said: str
) -> None:
    assert told(hit(**more)).splitlines()[0].endswith(said)


def test_turns_say_who_spoke_and_bring_their_pair() -> None:
    pair = Beside("turn:talk/1/assistant/0", "pair", "Green or\nblack? " * 20)
    after = Beside("turn:talk/2/user/0", "after", "Green.", "Kim")
    turn = hit(id="turn:talk/1/user/0", beside=(pair, after))

    lines = told(turn).splitlines()

    assert lines[2] == "    user: Had tea."
    assert lines[3].startswith("      pair    assistant: Green or black? Green or")
    assert lines[3].endswith("…")
    assert len(lines[3]) < 120
    assert lines[4] == "      after   Kim: Green."
    assert "\n    Kim: Had tea.\n" in told(hit(speaker="Kim"))


def test_memories_that_say_the_same_are_counted() -> None:
    assert "\n      1 more memory says the same\n" in told(hit(same=("a",)))
    assert "\n      2 more memories say the same\n" in told(hit(same=("a", "b")))


def test_words_that_fit_are_marked() -> None:
    spans = marked("Teas and teapots, studied happily: TEA!", ("tea", "studi"))

    found = [str(piece) for piece in spans if isinstance(piece, Styled)]
    assert found == ["Teas", "teapots", "studied", "TEA"]
    assert "".join(marked("a tea", ("tea",))) == "a tea"


def test_a_word_ending_in_y_fits_its_stem() -> None:
    spans = marked("My study of an index", ("studi", "i"))

    assert [str(s) for s in spans if isinstance(s, Styled)] == ["study"]


def test_a_long_passage_is_cut_around_what_fits() -> None:
    text = f"{'before ' * 300}tea {'after ' * 300}".strip()

    passage = told(hit(passage=text), words=("tea",)).splitlines()[2]

    assert passage.startswith("    …")
    assert " tea after" in passage
    assert passage.endswith("…")
    assert len(passage) < 620
    assert "word word" in told(hit(passage="word " * 900))


def test_times_entities_and_speakers_are_told() -> None:
    read = Understood(
        Plan.GENERAL,
        ("tea",),
        ("entity:person--kim",),
        ("last week: 2026-01-26 to 2026-02-02",),
        ("Kim",),
    )

    assert told(hit(), understood=read).splitlines()[-1] == (
        "Read as: about entity:person--kim; said by Kim; "
        "last week: 2026-01-26 to 2026-02-02"
    )


def test_what_is_left_out_and_what_to_know_is_told() -> None:
    lines = told(hit(), archived=2, dormant=1, notes=("no vectors",)).splitlines()

    assert lines[-3:] == [
        "2 archived memories also match (--archived)",
        "1 dormant memory also matches",
        "Note: no vectors",
    ]


def test_doubt_comes_before_everything_else() -> None:
    lines = told(hit(score=0.41), sure=False, notes=("x",)).splitlines()

    assert lines[-2:] == [
        "Checked, and not sure: the best of these scores 0.41 out of 1.",
        "Note: x",
    ]


def test_nothing_found_says_what_else_there_is() -> None:
    lines = told(archived=1, words=tuple("abcdefghij")).splitlines()

    assert lines == [
        "Checked, and found nothing for: Tea?",
        "Looked for words that begin like: a, b, c, d, e, f, g, h, …",
        "1 archived memory also matches (--archived)",
        "Try other words, or --least 0 for weak matches.",
    ]
