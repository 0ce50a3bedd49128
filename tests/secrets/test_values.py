"""Whether a value is a secret, or only stands where one could stand."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reverie.secrets.values import (
    Looks,
    card_number,
    decoded,
    entropy,
    issued,
    looks_of,
    luhn,
    password,
    placeholder,
    random_looking,
    reference,
    social_security,
    very_random,
)

RANDOM = "kQ7x9" + "Lm2Vt8Rz4Wp1Nd6"


def test_entropy_counts_bits_of_a_character() -> None:
    assert entropy("aaaa") == 0
    assert entropy("abab") == 1
    assert entropy("abcd") == 2


def test_a_placeholder_shows_where_a_secret_goes_and_a_reference_where_it_is() -> None:
    for value in ("****", "<key>", "${KEY}", "$TOKEN", "YOUR_KEY", "xxx"):
        assert placeholder(value)
    for value in ("os.environ['K']", "get_key()", "/run/key", "op://a/b"):
        assert reference(value)
    for value in (RANDOM, "hunter2", "sunflower"):
        assert not placeholder(value)
        assert not reference(value)


def test_a_random_value_is_nothing_that_people_write() -> None:
    for value, random in [
        (RANDOM, True),
        ("5f4dcc3b5aa765d61d8327deb882cf99", True),
        ("my_token_name_2", False),
        ("2026-05-01T10:00:00Z", False),
        ("v1.22.333-beta", False),
        ("ann@example.org", False),
        ("a1", False),
        ("sixteen letters 1", False),
    ]:
        assert random_looking(value) is random


def test_a_hash_is_random_but_not_very() -> None:
    assert very_random(RANDOM)
    assert not very_random("5f4dcc3b5aa765d61d8327deb882cf99")


def test_nobody_issued_an_example() -> None:
    for value in ["x" * 20, "0123456789abcdef", "your-key-goes-here"]:
        assert not issued(value)


def test_a_value_looks_more_or_less_like_a_secret() -> None:
    for value, looks in [
        *((word, Looks.NOTHING) for word in ("changed", "required", "Monday", "the")),
        *((word, Looks.NOTHING) for word in ("None", "2026-05-01", "ann@x.org")),
        *(("SHA-256", Looks.TERM), ("sunflower", Looks.WORD), ("482913", Looks.DIGITS)),
        *(("hunter2", Looks.ODD), ("marble-canyon-thimble-fox", Looks.ODD)),
        *(("Kettle42x7", Looks.STRONG), ("Tr0ub4dor&3", Looks.MARKED)),
    ]:
        assert looks_of(value) is looks


def test_a_card_has_a_bank_and_a_check_digit() -> None:
    for number in ["4539 1488 " + "0343 6467", "3782822" + "46310005"]:
        assert card_number(number)
        assert not card_number(number[:-1] + str((int(number[-1]) + 1) % 10))


def test_a_number_of_no_bank_is_no_card() -> None:
    for number in ["9539148803436463", "1" * 16, "0000000000000000"]:
        assert not card_number(number)


@given(st.text("0123456789", min_size=1, max_size=20))
def test_exactly_one_last_digit_checks_a_number(digits: str) -> None:
    assert sum(luhn(f"{digits}{last}") for last in range(10)) == 1


def test_some_social_security_numbers_were_never_given() -> None:
    for number, fits in [
        ("219-09-" + "9998", True),
        ("000-12-3456", False),
        ("666-12-3456", False),
        ("912-12-3456", False),
        ("219-00-3456", False),
        ("219-12-0000", False),
    ]:
        assert social_security(number) is fits


def test_base64_is_read_where_it_is_text() -> None:
    assert decoded("YW5uOm5vbmU=") == "ann:none"
    assert decoded("YW5uOm5vbmU") == "ann:none"
    assert decoded("/////w==") == ""
    assert decoded("a") == ""


@given(st.text(max_size=60))
def test_any_value_can_be_judged(value: str) -> None:
    for judge in (placeholder, reference, issued, random_looking, password):
        assert judge(value) in {True, False}
    assert looks_of(value) in Looks
