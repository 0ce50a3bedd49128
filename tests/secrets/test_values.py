"""Whether a value is a secret, or only stands where one could stand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.secrets.values import (
    card_number,
    decoded,
    entropy,
    issued,
    luhn,
    password,
    placeholder,
    random_looking,
    reference,
    social_security,
    strong,
    telling_word,
    very_random,
)

RANDOM = "kQ7x9" + "Lm2Vt8Rz4Wp1Nd6"


def test_entropy_counts_bits_of_a_character() -> None:
    assert entropy("aaaa") == 0
    assert entropy("abab") == 1
    assert entropy("abcd") == 2


@pytest.mark.parametrize(
    "value", ["****", "<key>", "${KEY}", "$TOKEN", "YOUR_KEY", "xxx"]
)
def test_a_placeholder_shows_where_a_secret_goes(value: str) -> None:
    assert placeholder(value)


@pytest.mark.parametrize("value", [RANDOM, "hunter2", "sunflower"])
def test_a_value_is_no_placeholder(value: str) -> None:
    assert not placeholder(value)


@pytest.mark.parametrize(
    "value", ["os.environ['K']", "get_key()", "/run/key", "op://a/b"]
)
def test_a_reference_says_where_a_secret_is(value: str) -> None:
    assert reference(value)


@pytest.mark.parametrize(
    ("value", "random"),
    [
        (RANDOM, True),
        ("5f4dcc3b5aa765d61d8327deb882cf99", True),
        ("my_token_name_2", False),
        ("2026-05-01T10:00:00Z", False),
        ("v1.22.333-beta", False),
        ("ann@example.org", False),
        ("a1", False),
        ("sixteen letters 1", False),
    ],
)
def test_a_random_value_is_nothing_that_people_write(
    value: str, *, random: bool
) -> None:
    assert random_looking(value) is random


def test_a_hash_is_random_but_not_very() -> None:
    assert very_random(RANDOM)
    assert not very_random("5f4dcc3b5aa765d61d8327deb882cf99")


@pytest.mark.parametrize("value", ["x" * 20, "0123456789abcdef", "your-key-goes-here"])
def test_nobody_issued_an_example(value: str) -> None:
    assert not issued(value)


@pytest.mark.parametrize(("value", "fits"), [("OAuth2", False), ("Tr0ub4dor&3", True)])
def test_a_strong_password_is_no_technical_term(value: str, *, fits: bool) -> None:
    assert strong(value) is fits


@pytest.mark.parametrize(
    "value", ["str", "None", "2026-05-01", "changeme", "ann@x.org"]
)
def test_what_stands_for_a_password_is_none(value: str) -> None:
    assert not password(value)


@pytest.mark.parametrize("word", ["changed", "required", "wrong", "Monday", "the"])
def test_a_word_about_a_password_is_none(word: str) -> None:
    assert not telling_word(word)


@pytest.mark.parametrize("number", ["4539 1488 " + "0343 6467", "3782822" + "46310005"])
def test_a_card_has_a_bank_and_a_check_digit(number: str) -> None:
    assert card_number(number)
    assert not card_number(number[:-1] + str((int(number[-1]) + 1) % 10))


@pytest.mark.parametrize("number", ["9539148803436463", "1" * 16, "0000000000000000"])
def test_a_number_of_no_bank_is_no_card(number: str) -> None:
    assert not card_number(number)


@given(st.text("0123456789", min_size=1, max_size=20))
def test_exactly_one_last_digit_checks_a_number(digits: str) -> None:
    assert sum(luhn(f"{digits}{last}") for last in range(10)) == 1


@pytest.mark.parametrize(
    ("number", "fits"),
    [
        ("219-09-" + "9998", True),
        ("000-12-3456", False),
        ("666-12-3456", False),
        ("912-12-3456", False),
        ("219-00-3456", False),
        ("219-12-0000", False),
    ],
)
def test_some_social_security_numbers_were_never_given(
    number: str, *, fits: bool
) -> None:
    assert social_security(number) is fits


def test_base64_is_read_where_it_is_text() -> None:
    assert decoded("YW5uOm5vbmU=") == "ann:none"
    assert decoded("YW5uOm5vbmU") == "ann:none"
    assert decoded("/////w==") == ""
    assert decoded("a") == ""


@given(st.text(max_size=60))
def test_any_value_can_be_judged(value: str) -> None:
    for judge in (placeholder, reference, issued, random_looking, strong, password):
        assert judge(value) in {True, False}
