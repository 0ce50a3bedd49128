"""Whether a value is a secret, or only stands where one could stand: the checks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import math
import re
from collections import Counter
from functools import cache

from reverie.secrets.labels import data, table

_COUNTED_UP = re.compile(r"0?123456789(?:0(?:abcdef)?)?|abcdefgh\w*|987654321\d*")
_CONSTANT = re.compile(r"[A-Z]+(?:_[A-Z]+)+|\$[A-Z_]+")
_ASSIGNED = re.compile(r"[a-z_]{3,}=.*")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_MARKS = frozenset("!@#$%^&*+=?~")
_HEX = re.compile(r"[0-9a-fA-F]+")
_SPOKEN = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+){0,2}")
_PARTS = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z])")
_PART = re.compile(r"[A-Z]?[a-z]+\d?|[A-Z]+\d?|v?\d{1,4}|")
_TERM = re.compile(r"[A-Z]{0,4}[a-z]*\d{0,4}")
_NO_VOWELS = re.compile(r"[b-df-hj-np-tv-xz]{6}")
_CONSONANTS = re.compile(r"[b-df-hj-np-tv-xzB-DF-HJ-NP-TV-XZ]{4}")
_CHANGING_CASE = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
_CASED = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
MIN_SCRAMBLED_LENGTH = 8
MIN_WEAK_KEY_LENGTH = 8
MIN_CHAIN_WORDS = 3
MIN_LETTERS_OF_KEY = 16
_LONGEST_WORD = 22
_TECHNICAL = re.compile(
    r"[A-Z]{2,}[A-Za-z]*(?:-[A-Za-z]+)*-?\d{1,4}(?:-[A-Za-z]+)?"
    r"|[A-Z]{0,3}\d[\d./-]*[A-Za-z]{0,2}|[A-Za-z]{1,3}-\d{1,3}"
)
_IDENTIFIER = re.compile(r"[A-Z]{2,10}-\d{1,6}|[a-z]+(?:_[a-z]+)+\d?")
_BANKS = re.compile(
    r"(?:4\d|5[1-5]|2(?=22[1-9]|2[3-9]|[3-6]|7[01]|720)\d|35|62|64(?=[4-9])|65|60(?=11))\d{14}"
    r"|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|6[25]\d{15,17}"
)
"""By the first digits and the length; 13 digits are a book or a product."""
_ADDRESS = re.compile(r"[13][1-9A-HJ-NP-Za-km-z]{25,33}")
_ADDRESS_BYTES = 25
_FILLINGS = "pass password passwd pwd pw secret token key port"
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_NO_ENDINGS = (
    "ed able ible ily lly tely less ful tion lich sensitive ndo bar los ada ida "
    "oria ória oire ée ata ita ecta ente wane niane ony ane ый лен ена"
)
"""Of words that say how a password is, and are none."""


@cache
def _harmless(name: str) -> re.Pattern[str]:
    ways = data("formats.toml")["harmless"][name].strip().splitlines()
    return re.compile("|".join(ways))


def _is(name: str, value: str) -> bool:
    return bool(_harmless(name).fullmatch(value.lower()))


def entropy(value: str) -> float:
    """How many bits a character of it holds, by Shannon."""
    size = len(value)
    counts = Counter(value).values()
    return -sum(count / size * math.log2(count / size) for count in counts)


def placeholder(value: str) -> bool:
    """Whether it only shows where a secret goes: `<your key>`, `****`, `$TOKEN`."""
    constant = bool(_CONSTANT.fullmatch(value)) or (
        "_" in value and value.isupper() and value.replace("_", "").isalpha()
    )
    return constant or len(set(value.lower())) < 3 or _is("placeholder", value)


def reference(value: str) -> bool:
    """Whether it says where the secret is, not what: `os.environ["KEY"]`, a path."""
    if _DOTTED.fullmatch(value) and _worded(value):
        return True
    return _is("reference", value) or bool(_ASSIGNED.fullmatch(value))


def issued(value: str) -> bool:
    """Whether a machine may have made it: the rest of a token, after its prefix."""
    low = value.lower()
    return (
        len(set(low)) >= 6
        and not _is("placeholder", value)
        and len(_COUNTED_UP.sub("", low)) >= 8
        and not _worded(value)
    )


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


def is_weak_key(value: str) -> bool:
    """Return whether it can be a key, given that it is right behind "the key is"."""
    counted = len(_COUNTED_UP.sub("", value.lower())) < MIN_WEAK_KEY_LENGTH
    if counted or anything_else(value) or reference(value):
        return False
    marked = bool(_MARKS & set(value)) and strong(value)
    numbered = value.isalnum() and any(map(str.isdigit, value))
    if is_chain(value) or (len(value) >= MIN_LETTERS_OF_KEY and is_scrambled(value)):
        return True
    return marked or (numbered and quirky(value) and not technical(value))


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


def quirky(value: str) -> bool:
    """Whether a word has what words do not have: `Summer2024!`, `hunter2`."""
    value = unadorned(value)
    odd = any(char.isdigit() or char in _MARKS for char in value)
    return (
        len(value) >= 5
        and (odd or jumbled(value))
        and any(char.isalpha() for char in value)
        and not placeholder(value)
        and not _is("ordinary", value)
    )


def unadorned(value: str) -> str:
    """A word without the stars of Markdown, a hashtag's sign or a closing plus."""
    bare = value.strip("*_:\\").lstrip("#").rstrip("+*_")
    return bare if bare.replace("-", "").isalpha() else value


def jumbled(value: str) -> bool:
    """Whether small and large letters change as in no name: `QmRtYbLpWk`."""
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", value)
    plain = value.isascii() and "/" not in value
    return plain and len(parts) > 3 and len(value) < 3 * len(parts)


def is_scrambled(value: str) -> bool:
    """Return whether letters change their case as in no name: `NVEddfQauqon`.

    Product names such as `KeePassXC` may be similar: it tells only beside a label.
    """
    letters = value.replace("_", "")
    if len(value) < MIN_SCRAMBLED_LENGTH or not (value.isascii() and letters.isalpha()):
        return False
    parts = value.split("_")
    changing = any(_CHANGING_CASE.search(part) for part in parts)
    rough = len(parts) > 1 or _CONSONANTS.search(value)
    if not changing or not rough or value.lower() in table().none or placeholder(value):
        return False
    words = [word for part in parts for word in _CASED.findall(part)]
    return not all(len(word) > 2 and word[-1].islower() for word in words)


def strong(value: str) -> bool:
    """Whether it can hardly be anything but a password: three sorts of characters."""
    value = unadorned(value)
    sorts = (str.islower, str.isupper, str.isdigit, _MARKS.__contains__)
    found = sum(any(map(sort, value)) for sort in sorts)
    marked = not _MARKS.isdisjoint(value)
    return (
        len(value) >= 6
        and (found >= 3 or (found == 2 and len(value) >= 8 and _mingled(value)))
        and not placeholder(value)
        and not _is("ordinary", value)
        and (marked or not _worded(value))
    )


def password(value: str) -> bool:
    """Whether it can be a password, given that it stands where one stands."""
    low = value.lower()
    none = low in table().none or low in table().words
    if len(value) < 4 or none or placeholder(value) or _is("ordinary", value):
        return False
    return not value.isdigit() or len(value) <= 24


def spoken(value: str) -> bool:
    """Whether it is an ordinary word, which may be a password or the next word."""
    return bool(_SPOKEN.fullmatch(value)) and not jumbled(value)


def telling_word(value: str) -> bool:
    """Whether an ordinary word after "the password is" may be the password."""
    low = value.lower()
    shown = (
        low in table().none
        or low in table().words
        or low.endswith(tuple(_NO_ENDINGS.split()))
    )
    return len(low) >= 4 and not shown and "'" not in low and not placeholder(value)


def passphrase(value: str) -> bool:
    """Whether it is some words that make no sentence: "marble-canyon-thimble-fox"."""
    words = re.split(r"[ ,._-]+", value)
    return len(words) >= 4 and all(map(spoken, words)) and no_sentence(value)


def is_chain(value: str) -> bool:
    """Return whether hyphens join three words or more that make no sentence."""
    words = re.split(r"[ ,._-]+", value)
    return (
        len(words) >= MIN_CHAIN_WORDS and all(map(spoken, words)) and no_sentence(value)
    )


def is_phrase(value: str) -> bool:
    """Return whether at most one word in four is one of sentences.

    A message such as "Enter your password" has more of them, or a word for a secret.
    """
    words = [word.lower() for word in value.split()]
    known = sum(word in table().words for word in words)
    cased = value.islower() or value.istitle()
    return 4 * known <= len(words) and (not known or cased)


def no_sentence(value: str) -> bool:
    """Whether none of its words hold sentences together."""
    return table().words.isdisjoint(re.findall(r"\b[^\W\d_]+\b", value.lower()))


def anything_else(value: str) -> bool:
    """Whether it is plainly something else: an id, a hash, an address, a file."""
    return _is("ordinary", value) or _is("else", value)


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
    area, group, serial = digits[:3], digits[3:5], digits[5:]
    never = area in {"000", "666"} or area[0] == "9" or group == "00"
    return not never and serial != "0000" and len(set(digits)) > 2


def decoded(value: str) -> str:
    """What a base64 text says, or nothing."""
    try:
        raw = base64.b64decode(value + "=" * (-len(value) % 4), altchars=b"-_")
    except (binascii.Error, ValueError):
        return ""
    return raw.decode("ascii", "ignore") if raw.isascii() else ""


def is_identifier(value: str) -> bool:
    """Return whether a program or project names a thing so: "ACME-48213"."""
    return bool(_IDENTIFIER.fullmatch(value))


def technical(value: str) -> bool:
    """Whether it may be a term: `OAuth2`, `SHA-256`, `WPA3`."""
    return len(value) < 10 and bool(_TECHNICAL.fullmatch(value))


def _mingled(value: str) -> bool:
    """Whether sorts change more than once: `h7k2pq9x`, not `OAuth2` or `SHA256`."""
    sorts = "".join("0" if char.isdigit() else "a" for char in value)
    return len(re.findall(r"0+|a+", sorts)) > 2


def _worded(value: str) -> bool:
    """Whether it is made of words: `sk-learn-tools`, `max_token_count_2`, `OAuth2`.

    A random value has pieces that no word has: digits inside, no vowel for long.
    """
    parts = _PARTS.split(value)
    shape = _TERM if len(parts) <= 4 and len(value) <= 24 else _PART
    return all(shape.fullmatch(part) and _spelled(part) for part in parts)


def is_word_like(value: str) -> bool:
    """Return whether letters look like a word; only English spelling is known."""
    return not value.isascii() or _worded(value)


def _spelled(part: str) -> bool:
    low = part.lower()
    if len(low) < 6 or low[-4:].isdigit():
        return True
    vowels = any(char in "aeiouy" for char in low)
    return vowels and len(low) <= _LONGEST_WORD and not _NO_VOWELS.search(low)


# --- checks that only the table of formats names ------------------------------


def anything(_: str) -> bool:
    """Where the looks alone say it."""
    return True


def armoured(value: str) -> bool:
    """Whether there is a key between the lines, and not three dots."""
    return bool(re.search(r"[A-Za-z0-9+/=]{16}", value))


def snowflake(value: str) -> bool:
    """The first part of a Discord token is a user's number in base64."""
    return decoded(value.partition(".")[0]).isdigit()


def login(value: str) -> bool:
    """What a Basic header holds: a name, a colon, a password."""
    return ":" in decoded(value)


def filled_in(value: str) -> bool:
    """Whether a password stands where an example would have a word for one."""
    return not placeholder(value) and value.lower() not in _FILLINGS.split()


def given(value: str) -> bool:
    """What a command line or a line of a file has in the place of a password."""
    if spoken(value):
        return telling_word(value)
    return password(value) and not reference(value)


def odd_word(value: str) -> bool:
    """A word that no sentence has, after a name and a colon."""
    return quirky(value) and not reference(value)


def odd_mix(value: str) -> bool:
    """Something beside a name that can hardly be anything but a password."""
    odd = odd_word(value) and not anything_else(value) and not technical(value)
    return odd and (strong(value) or len(value) >= 7)


def unguessable(value: str) -> bool:
    """What a server gives a browser to know it again: `s%3Aq7…`, hexadecimal digits."""
    return random_looking(value.replace("%", "").rstrip("="))


def base58_checked(value: str, size: int = 0) -> bool:
    """Whether the last four bytes check the others, as in every Bitcoin key.

    Args:
        value: Letters and digits of base58.
        size: How many bytes there are; 0 if none of them begins with zeros.
    """
    number = 0
    for char in value:
        number = number * 58 + _BASE58.index(char)
    raw = number.to_bytes(size) if size else number.to_bytes(43).lstrip(b"\0")
    checked = hashlib.sha256(hashlib.sha256(raw[:-4]).digest()).digest()
    return checked[:4] == raw[-4:]


def is_bitcoin_address(value: str) -> bool:
    """Return whether it is where to send money, which everybody may know."""
    return bool(_ADDRESS.fullmatch(value)) and base58_checked(value, _ADDRESS_BYTES)
