"""What was recalled, as a block for a prompt."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.memory.home import NOON
from tests.strategies import NASTY, built

from reverie import Beside, Hit, Plan, Recalled, Store, Understood
from reverie.model.items import Origin
from reverie.recall.context_block import CLOSING, OPENING, render_context
from reverie.tokens import count_tokens

HIT = Hit(
    id="turn:one/1/user/0",
    store=Store.TURNS,
    title="The gnu is ill.",
    text="The gnu is ill.",
    passage="The gnu is ill.",
    path="conversations/one.md",
    line=5,
    commit="c0ffee",
    at=NOON,
    score=0.9,
    parts=(),
    why=("has the words gnu",),
    status="",
    speaker="Ann",
)
ENTRY = (
    "- 2026-02-02 · Ann (user): The gnu is ill. "
    "[turn:one/1/user/0, conversations/one.md:5]"
)


def found(*hits: Hit, sure: bool = True) -> Recalled:
    return Recalled("gnu?", NOON, Understood(Plan.GENERAL), hits, sure)


def body(*hits: Hit, budget: int = 1000) -> list[str]:
    """The lines between the marks and below the heading."""
    lines = render_context(found(*hits), budget).split("\n")
    assert (lines[0], lines[-2], lines[-1]) == (OPENING, CLOSING, "")
    return lines[3:-2]


def test_an_entry_is_dated_and_cites_its_id_and_its_line() -> None:
    assert body(HIT) == [ENTRY]


def test_what_is_not_known_is_left_out_and_lines_become_one() -> None:
    for hit, entry in [
        (replace(HIT, at=None), ENTRY.replace("2026-02-02 · ", "")),
        (replace(HIT, speaker=""), ENTRY.replace("Ann (user)", "user")),
        (replace(HIT, text="The gnu\n\nis\till."), ENTRY),
    ]:
        assert body(hit) == [entry]


def test_the_other_half_of_a_turn_comes_along_and_neighbours_do_not() -> None:
    pair = Beside("turn:one/1/assistant/0", "pair", "Call\na vet.", "Bo")
    before = Beside("turn:one/0/assistant/0", "before", "Hello.")

    lines = body(replace(HIT, beside=(before, pair)))

    assert lines == [ENTRY, "  - with it: Bo (assistant): Call a vet."]


def test_what_no_longer_holds_is_said_to_be_so() -> None:
    lines = body(replace(HIT, outdated=("The gnu\nis well.",)))

    assert lines == [ENTRY, "  - no longer true: The gnu is well."]


def test_of_a_long_memory_only_the_best_passage_is_quoted() -> None:
    (line,) = body(replace(HIT, text="word " * 500, passage="The gnu is ill."))

    assert line == ENTRY


def test_of_one_endless_word_the_beginning_is_quoted() -> None:
    for letter in ["a", "A", "x7", "-", "."]:
        word = letter * 3_000
        pair = Beside("turn:one/1/assistant/0", "pair", word)

        first, second = body(replace(HIT, text=word, passage=word, beside=(pair,)))

        assert f"Ann (user): {letter * 5}" in first
        assert f"with it: assistant: {letter * 5}" in second
        assert count_tokens(first) < 250
        assert count_tokens(second) < 120


def test_a_summary_is_told_as_ones_own_and_programs_as_such() -> None:
    asked = Beside("turn:one/2/system/0", "pair", "Sum up.")
    summary = replace(HIT, id="turn:one/2/assistant/0", speaker="", beside=(asked,))
    program = replace(HIT, origin=Origin.SYSTEM, speaker="")

    first, second, third = body(summary, program)

    assert first.startswith("- 2026-02-02 · your summary: The gnu")
    assert second == "  - with it: asked of you: Sum up."
    assert third.startswith("- 2026-02-02 · (a program says) user: \u201cThe gnu")


def test_a_passage_that_is_long_itself_is_clipped() -> None:
    (line,) = body(replace(HIT, text="word " * 5_000, passage="word " * 5_000))

    assert count_tokens(line) < 250


def test_the_best_comes_first_and_the_order_is_kept() -> None:
    hits = [replace(HIT, id=f"turn:one/{n}/user/0") for n in (3, 1, 2)]

    lines = body(*hits)

    assert [line.partition("[")[2][:10] for line in lines] == [
        "turn:one/3",
        "turn:one/1",
        "turn:one/2",
    ]


def test_what_does_not_fit_makes_room_for_what_does() -> None:
    long = replace(HIT, text="word " * 70, passage="word " * 70)

    lines = body(long, HIT, budget=80)

    assert lines == [ENTRY]


def test_nothing_is_said_to_be_nothing() -> None:
    text = render_context(found(sure=False), 1000)

    assert "found nothing about this" in text
    assert text.startswith(OPENING)


def test_doubt_is_said() -> None:
    unsure = render_context(found(HIT, sure=False), 1000)
    sure = render_context(found(HIT), 1000)

    assert "am not sure" in unsure
    assert ENTRY in unsure
    assert "am not sure" not in sure


def test_where_not_even_the_marks_fit_there_is_nothing() -> None:
    assert render_context(found(HIT), 5) == ""
    assert render_context(found(HIT), 0) == ""


said = st.lists(st.sampled_from(NASTY) | st.text(max_size=30), max_size=6)
prose = said.map("\n".join).map(lambda text: text.replace("reverie:recalled", ""))
hits = st.lists(
    built(
        lambda text, passage, old, other: replace(
            HIT,
            text=text,
            passage=passage,
            outdated=(old,),
            beside=(Beside("turn:one/1/assistant/0", "pair", other),),
        ),
        *(prose, prose, prose, prose),
    ),
    max_size=5,
)


@given(made=hits, budget=st.integers(0, 600), sure=st.booleans())
def test_the_budget_is_kept_whatever_is_in_memory(
    made: list[Hit], budget: int, *, sure: bool
) -> None:
    text = render_context(found(*made, sure=sure and bool(made)), budget)

    assert count_tokens(text) <= budget
    assert text == render_context(found(*made, sure=sure and bool(made)), budget)


@given(hits.filter(bool))
def test_no_text_can_begin_a_line_of_its_own(made: list[Hit]) -> None:
    lines = body(*made, budget=100_000)

    kinds = ("- 2026-02-02 · Ann (user): ", "  - with it: ", "  - no longer true: ")
    assert len(lines) == 3 * len(made)
    for number, line in enumerate(lines):
        assert line.startswith(kinds[number % 3])
