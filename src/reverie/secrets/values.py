"""Whether a value is a secret, or only stands where one could stand: the checks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import math
import re
from collections import Counter
from enum import IntEnum
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from reverie.secrets.fold import fold

if TYPE_CHECKING:
    from collections.abc import Callable

WORDLESS = "\u0e00-\u109f\u3040-\ud7af"
"""Letters of scripts that put no blank, or not always one, between words."""

_COUNTED_UP = re.compile(r"0?123456789(?:0(?:abcdef)?)?|abcdefgh\w*|987654321\d*")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|(?:[a-z_]{3,}|[A-Z_]{3,})=.*")
_MARKS = frozenset("!@#$%^&*+=?~")
_HEX = re.compile(r"[0-9a-fA-F]+")
_SPOKEN = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+){0,2}")
_PARTS = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z])")
_PART = re.compile(r"[A-Z]?[a-z]+\d?|[A-Z]+\d?|v?\d{1,4}|")
_TERM = re.compile(r"[A-Z]{0,4}[a-z]*\d{0,4}")
_NO_VOWELS = re.compile(r"[b-df-hj-np-tv-xz]{6}")
_TECHNICAL = re.compile(
    r"(?=.{1,9}\Z)(?:[A-Z]{2,}[A-Za-z]*(?:-[A-Za-z]+)*-?\d{1,4}(?:-[A-Za-z]+)?"
    r"|[A-Z]{0,3}\d[\d./-]*[A-Za-z]{0,2}|[A-Za-z]{1,3}-\d{1,3})"
)
_NETWORKS = re.compile(
    r"guest|gast|home|net|wi-?fi|wlan|invit|visit|ospiti|go[s\u015b]ci"
    r"|[_-](?:5|2.?4)g|[-_][0-9a-f]{4,8}\Z"
)
_BANKS = re.compile(
    r"(?:4\d|5[1-5]|2(?=22[1-9]|2[3-9]|[3-6]|7[01]|720)\d|35|62|64(?=[4-9])|65|60(?=11))\d{14}"
    r"|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|6[25]\d{15,17}"
)
"""By the first digits and the length; 13 digits are a book or a product."""
_FILLINGS = "pass password passwd pwd pw secret token key port"
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_NO_ENDINGS = (
    "ed ing able ible ily lly tely less ful tion lich sensitive ndo bar los ada ida "
    "oria ória oire ée ata ita ecta ente wane niane ony ane ый лен ена"
)
"""Of words that say how a password is, and are none."""


@cache
def data(name: str) -> dict[str, Any]:
    """A file of tables that lies beside this module, folded as texts are."""
    import tomllib  # noqa: PLC0415 - what has no secrets to look for goes without

    text = files("reverie.secrets").joinpath(name).read_text("utf-8")
    return tomllib.loads(fold(text).text)


@cache
def words(name: str = "words") -> frozenset[str]:
    """Words of sentences, or those that stand after "the password is" and are none."""
    return frozenset(" ".join(data("labels.toml")[name].values()).lower().split())


@cache
def about() -> re.Pattern[str]:
    """What makes a word something about a password: "token limit"."""
    return re.compile(data("labels.toml")["about"])


@cache
def _harmless(name: str) -> re.Pattern[str]:
    ways = data("formats.toml")["harmless"][name].strip().splitlines()
    return re.compile("|".join(ways))


def _is(name: str, value: str) -> bool:
    return bool(_harmless(name).fullmatch(value.lower()))


# --- how it looks --------------------------------------------------------------


class Looks(IntEnum):
    """How much a value looks like a secret; what is more stands further off."""

    NOTHING = 0
    TERM = 1
    WORD = 2
    DIGITS = 3
    ODD = 4
    STRONG = 5
    MARKED = 6


def looks_of(value: str) -> Looks:  # noqa: PLR0911 - one way after the other
    """How much a value looks like a secret."""
    bare = value.strip("*_:\\").lstrip("#").rstrip("+*_")
    value = bare if bare.replace("-", "").isalpha() else value
    low = value.lower()
    if len(value) < 4 or low in words("none") or "passw" in low or _is("ordinary", low):
        return Looks.NOTHING
    if placeholder(value) or reference(value):
        return Looks.NOTHING
    if spoken(value):
        none = low in words() or low.endswith(tuple(_NO_ENDINGS.split())) or "'" in low
        return Looks.NOTHING if none else Looks.WORD
    if value.strip("#*").isdigit():
        return Looks.DIGITS if len(value) <= 24 else Looks.NOTHING
    if " " in value:
        said = value.split()
        named = all(map(spoken, said)) and no_sentence(value)
        return Looks.WORD if len(said) < (13 if named else 5) else Looks.NOTHING
    odd = any(char.isdigit() or char in _MARKS for char in value) or jumbled(value)
    odd = odd and any(map(str.isalpha, value)) and set(value).isdisjoint("()[]{}")
    if not odd:
        return Looks.ODD if _is_phrase(value) else Looks.NOTHING
    if anything_else(value) or _TECHNICAL.fullmatch(value) or len(value) < 5:
        return Looks.TERM
    if not strong(value):
        return Looks.ODD
    return Looks.STRONG if _MARKS.isdisjoint(value) else Looks.MARKED


def _is_phrase(value: str) -> bool:
    """Whether it is some words that make no sentence: "marble-canyon-thimble-fox"."""
    parts = re.split(r"[,._-]+", value)
    return len(parts) > 3 and all(map(spoken, parts)) and no_sentence(value)


def strong(value: str) -> bool:
    """Whether it can hardly be anything but a password: three sorts of characters."""
    sorts = (str.islower, str.isupper, str.isdigit, _MARKS.__contains__)
    found = sum(any(map(sort, value)) for sort in sorts)
    mingled = len(re.findall(r"\d+|\D+", value)) > 2  # not `OAuth2` or `SHA256`
    sure = found >= 3 or (found == 2 and len(value) >= 8 and mingled)
    return (
        sure and len(value) >= 6 and not (_MARKS.isdisjoint(value) and _worded(value))
    )


def jumbled(value: str) -> bool:
    """Whether small and large letters change as in no name: `QmRtYbLpWk`."""
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", value)
    return len(parts) > 3 and len(value) < 3 * len(parts) and "/" not in value


def spoken(value: str) -> bool:
    """Whether it is an ordinary word, which may be a password or the next word."""
    return bool(_SPOKEN.fullmatch(value)) and not jumbled(value)


def no_sentence(value: str) -> bool:
    """Whether none of its words hold sentences together."""
    return words().isdisjoint(re.findall(r"\b[^\W\d_]+\b", value.lower()))


def network_name(value: str) -> bool:
    """Whether it may be what a network is called."""
    return bool(_NETWORKS.search(value.lower()))


def anything_else(value: str) -> bool:
    """Whether it is plainly something else: an id, a hash, an address, a file."""
    return _is("ordinary", value) or _is("else", value)


def placeholder(value: str) -> bool:
    """Whether it only shows where a secret goes: `<your key>`, `****`, `$TOKEN`."""
    constant = (
        "_" in value
        and value.isupper()
        and value.lstrip("$").replace("_", "").isalpha()
    )
    return constant or len(set(value.lower())) < 3 or _is("placeholder", value)


def reference(value: str) -> bool:
    """Whether it says where the secret is, not what: `os.environ["KEY"]`, a path."""
    dotted = _DOTTED.fullmatch(value) and ("=" in value or _worded(value))
    return bool(dotted) or _is("reference", value)


def entropy(value: str) -> float:
    """How many bits a character of it holds, by Shannon."""
    size = len(value)
    counts = Counter(value).values()
    return -sum(count / size * math.log2(count / size) for count in counts)


def random_looking(value: str) -> bool:
    """Whether it looks like nothing that a person would write: `kQ7x9…`.

    It has letters and digits and is no date, version, path, name or address.
    """
    return (
        len(value) >= 8
        and len(value.split()) == 1
        and any(char.isdigit() for char in value)
        and any(char.isalpha() for char in value)
        and not placeholder(value)
        and len(_COUNTED_UP.sub("", value.lower())) >= 8
        and not _is("ordinary", value)
        and not _worded(value)
        and entropy(value) >= min(3.0, math.log2(len(value)) * 0.8)
    )


def very_random(value: str) -> bool:
    """Random letters of both cases and digits: no hash, no number, no word."""
    sorts = (str.islower, str.isupper, str.isdigit)
    return (
        len(value) >= 20
        and all(any(map(sort, value)) for sort in sorts)
        and not _HEX.fullmatch(value)
        and entropy(value) >= 3.5
        and random_looking(value)
    )


def _worded(value: str) -> bool:
    """Whether it is made of words: `sk-learn-tools`, `max_token_count_2`, `OAuth2`.

    A random value has pieces that no word has: digits inside, no vowel for long.
    """
    parts = _PARTS.split(value)
    shape = _TERM if len(parts) <= 4 and len(value) <= 24 else _PART
    return all(shape.fullmatch(part) and _spelled(part.lower()) for part in parts)


def _spelled(low: str) -> bool:
    vowels = any(char in "aeiouy" for char in low) and not _NO_VOWELS.search(low)
    return len(low) < 6 or low[-4:].isdigit() or (vowels and len(low) <= 22)


# --- checks of the table of formats --------------------------------------------


def issued(value: str) -> bool:
    """Whether a machine may have made it: the rest of a token, after its prefix."""
    low = value.lower()
    counted = len(_COUNTED_UP.sub("", low)) < 8
    return len(set(low)) >= 6 and not (
        counted or _is("placeholder", value) or _worded(value)
    )


def password(value: str) -> bool:
    """Whether it can be a password, given that it stands where one stands."""
    low = value.lower()
    none = low in words("none") or low in words() or placeholder(value)
    return len(value) > 3 and not none and not _is("ordinary", value)


def given(value: str) -> bool:
    """What a command line or a line of a file has in the place of a password."""
    looks = looks_of(value)
    return looks >= Looks.WORD or (
        password(value) and not spoken(value) and not reference(value)
    )


def odd_word(value: str) -> bool:
    """A word that no sentence has, after a name and a colon."""
    return looks_of(value) >= Looks.ODD


def odd_mix(value: str) -> bool:
    """Something beside a name that can hardly be anything but a password."""
    return looks_of(value) >= (Looks.ODD if len(value) >= 7 else Looks.STRONG)


def unguessable(value: str) -> bool:
    """What a server gives a browser to know it again: `s%3Aq7…`, hexadecimal digits."""
    return random_looking(value.replace("%", "").rstrip("="))


def filled_in(value: str) -> bool:
    """Whether a password stands where an example would have a word for one."""
    return not placeholder(value) and value.lower() not in _FILLINGS.split()


def card_number(value: str) -> bool:
    """Whether digits, perhaps in groups, are the number of a payment card."""
    digits = re.sub(r"[ -]", "", value)
    return len(set(digits)) > 2 and bool(_BANKS.fullmatch(digits)) and luhn(digits)


def luhn(digits: str) -> bool:
    """Whether the last digit checks the others, as on every payment card."""
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return (sum(map(int, digits[-1::-2])) + sum(doubled)) % 10 == 0


def social_security(value: str) -> bool:
    """Whether nine digits can be a US social security number."""
    digits = re.sub(r"\D", "", value)
    never = re.match(r"000|666|9|\d{3}00|\d{5}0000", digits)
    return not never and len(set(digits)) > 2


def decoded(value: str) -> str:
    """What a base64 text says, or nothing."""
    try:
        raw = base64.b64decode(value + "=" * (-len(value) % 4), altchars=b"-_")
    except (binascii.Error, ValueError):
        return ""
    return raw.decode("ascii", "ignore") if raw.isascii() else ""


def base58_checked(value: str) -> bool:
    """Whether the last four bytes check the others, as in every Bitcoin key."""
    number = 0
    for char in value:
        number = number * 58 + _BASE58.index(char)
    raw = number.to_bytes(43).lstrip(b"\0")
    checked = hashlib.sha256(hashlib.sha256(raw[:-4]).digest()).digest()
    return checked[:4] == raw[-4:]


CHECKS: dict[str, Callable[[str], bool]] = {
    "anything": bool,
    "armoured": lambda value: bool(re.search(r"[A-Za-z0-9+/=]{16}", value)),
    "snowflake": lambda value: decoded(value.partition(".")[0]).isdigit(),
    "login": lambda value: ":" in decoded(value),
    **{
        check.__name__: check
        for check in (
            *(issued, very_random, card_number, social_security, filled_in, given),
            *(odd_word, odd_mix, unguessable, base58_checked),
        )
    },
}
"""What the table of formats names: the first part of a Discord token is a number in
base64, what a Basic header holds has a colon, and between the lines of a key is one."""
