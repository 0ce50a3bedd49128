"""The token estimate: how it adds up, and that nothing makes it slow."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reverie.tokens import clip_to_tokens, count_tokens

texts = st.text(max_size=200) | st.lists(
    st.sampled_from(
        [
            "the",
            "Donaudampfschiff",
            "which",
            "42",
            "naïve",
            "記憶",
            "`x = {}`",
            "\n",
            "🧠",
        ]
    ),
    max_size=40,
).map(" ".join)

# Real counts of cl100k_base and o200k_base, the larger of both.
MEASURED = [
    ("The quick brown fox jumps over the lazy dog.", 10),
    ("- Key preferences: Dark mode, Vim, TypeScript", 11),
    ("2026-02-02T14:30:00Z", 13),
    ('{"store": "episodic", "access_count": 2}', 15),
    ("昨天我们决定使用混合架构。", 15),
    ("Мы решили использовать гибридную архитектуру.", 22),
    ("🧠📦🔗", 9),
]


def test_nothing_costs_nothing() -> None:
    assert count_tokens("") == 0


def test_an_estimate_is_not_below_the_real_count() -> None:
    for text, real in MEASURED:
        assert real <= count_tokens(text) <= real * 2


@given(texts, texts)
def test_two_texts_cost_together_about_what_they_cost_apart(a: str, b: str) -> None:
    together = count_tokens(f"{a}\n{b}")

    assert together <= count_tokens(a) + count_tokens(b) + 1


@given(texts, texts)
def test_more_text_never_costs_less(a: str, b: str) -> None:
    assert count_tokens(f"{a}\n{b}") >= count_tokens(a)


@given(texts, texts)
def test_text_in_front_takes_at_most_a_few_words_discount(a: str, b: str) -> None:
    """English in front makes the next words English, which is cheaper."""
    together = count_tokens(f"{a}\n{b}")

    assert together >= count_tokens(b) - 0.6 * max(map(len, b.split()), default=0) * 12


@given(texts)
def test_an_estimate_stays_below_the_number_of_bytes(text: str) -> None:
    assert count_tokens(text) <= len(text.encode("utf-8", "surrogatepass"))


def test_a_text_that_fits_is_not_touched() -> None:
    text = "  It fits,  spaces and all. \n"

    assert clip_to_tokens(text, count_tokens(text)) == text


def test_a_text_is_cut_between_words() -> None:
    text = "We decided that the mobile client will use OAuth2 with PKCE."

    clipped = clip_to_tokens(text, 8)

    assert clipped == "We decided that the mobile client"


def test_a_text_without_blanks_is_cut_between_characters() -> None:
    clipped = clip_to_tokens("記" * 1000, 16)

    assert clipped == "記" * 10


def test_a_first_word_above_the_budget_leaves_nothing() -> None:
    assert clip_to_tokens("x" * 5000, 10) == ""


@given(texts, st.integers(0, 60))
def test_what_is_left_is_a_beginning_within_the_budget(text: str, budget: int) -> None:
    clipped = clip_to_tokens(text, budget)

    assert text.startswith(clipped)
    assert count_tokens(clipped) <= budget
