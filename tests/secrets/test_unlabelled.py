"""Random words without a label are found; what only looks random is not."""

from __future__ import annotations

import random
import string

import pytest

from reverie.secrets import find_secrets, without_secrets

ALNUM = string.ascii_letters + string.digits
PLACES = (
    "They gave me {} for the VPN.",
    "Just type {} at the prompt.",
    "Zum Einloggen einfach {} nehmen.",
    "然后输入{}就行。",
    "{}",
)


def draw(rng: random.Random, length: int, letters: str = ALNUM) -> str:
    return "".join(rng.choice(letters) for _ in range(length))


def marked(rng: random.Random, length: int) -> str:
    return draw(rng, length - 4) + rng.choice("!#$%&*?") + draw(rng, 3)


@pytest.mark.parametrize("length", [16, 20, 24])
def test_random_words_with_a_sign_are_found_in_sentences(length: int) -> None:
    rng = random.Random(length)  # noqa: S311 - nothing here is meant to be secret
    words = [marked(rng, length) for _ in range(200)]
    missed = [
        w for n, w in enumerate(words) if w in without_secrets(PLACES[n % 5].format(w))
    ]

    assert len(missed) <= 0.1 * len(words), missed


@pytest.mark.parametrize("length", [24, 32, 48])
def test_random_letters_and_digits_are_found_in_sentences(length: int) -> None:
    rng = random.Random(length)  # noqa: S311 - nothing here is meant to be secret
    words = [draw(rng, length) for _ in range(200)]
    missed = [
        w for n, w in enumerate(words) if w in without_secrets(PLACES[n % 5].format(w))
    ]

    assert len(missed) <= 0.05 * len(words), missed


@pytest.mark.parametrize(
    "text",
    [
        "const parseHttp2HeaderFrame = getElementsByClassName2(isDataView$1);",
        "6.Nbd2 Be7 7.e4 O-O 8.Re1 dxe4 9.dxe4 Qc7 10.Bxc6+ bxc6",
        "CH3-CH2-O-CH3 + H2SO4 and C12H22O11",
        "InChI=1S/C8H9NO2/c1-6(10)9-7-2-4-8(11)5-3-7/h2-5,11H,1H3,(H,9,10)",
        "f(x) = 3x^2+2x-5Y^3",
        "Donaudampfschifffahrtsgesellschaftskapitän2026",
        "turn:trip-to-rome/12/user/0 and person--alex#1801be",
        "ETH 0x742d35Cc6634C0532925a3b844Bc454e4438f44e",
        "Send it to 3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",
        "SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8",
        "https://open.spotify.com/playlist/37i9dQZF1DXcBWIGoYBM5M",
        "playlist 37i9dQZF1DXcBWIGoYBM5M",
        '"nextPageToken": "EAAaBlBUOkNBVWlFRGd3UkRRek9"',
        "Price price_1MoBy5LkdIwHu7ixZhnattbh is monthly.",
        "PublicKey = SIXvRyDmBJSgatgTQRGbInBaAK+hZOQ18UmrSwnDlK8=",
        "Her public key is SIXvRyDmBJSgatgTQRGbInBaAK+hZOQ18UmrSwnDlK8=",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA5Xz8Qw1Tk",
        "1 0 1 1 0 0 1 0 1 1 0 1 0 0 1 1 0",
        "C D E F G A B C D E F G A B C D E F",
    ],
)
def test_what_has_a_structure_of_its_own_is_none(text: str) -> None:
    assert find_secrets(text) == ()


def test_the_lines_of_a_certificate_are_none() -> None:
    rng = random.Random(3)  # noqa: S311 - nothing here is meant to be secret
    lines = [draw(rng, 64) for _ in range(4)]
    edge = "-----"

    body = "\n".join([*lines, draw(rng, 40)])
    assert not find_secrets(f"{edge}BEGIN CERTIFICATE{edge}\n{body}\n{edge}END")


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (
            "The key is s k _ l i v e _ S N D z U j B I O v 2 X k a G 1 U L G A f",
            "S N D",
        ),
        ("The AWS key is AKIACHLXTJ and then NAQZ3W4YIY", "NAQZ3W4YIY"),
        ("My PIN is four eight two one nine seven.", "four eight"),
        ("Meine PIN ist vier acht zwei eins.", "vier acht"),
        ("我的PIN码是四八二一九七。", "四八二一"),
        ("The safe opens with thirty-two, seventeen, ninety-four.", "seventeen"),
        ("The password is capital T, a, n, g, o, hash, nine, one.", "a, n, g"),
        ("Unlock with " + "43725de3a091da84" * 4 + " after a restart", "43725de3"),
    ],
)
def test_values_in_parts_or_in_words_are_found(text: str, secret: str) -> None:
    assert secret not in without_secrets(text)


@pytest.mark.parametrize(
    "text",
    [
        "The PIN has four to six digits.",
        "He counted: one two three four five six.",
        "The code is three, two, one, go!",
    ],
)
def test_numbers_in_sentences_are_no_pin(text: str) -> None:
    assert find_secrets(text) == ()
