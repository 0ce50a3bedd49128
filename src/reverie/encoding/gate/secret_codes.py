"""Numbers and codes that the words around them make secret: a PIN, a seed phrase."""

from __future__ import annotations

import re

from reverie.encoding.gate.secret_sayings import Said, Saying
from reverie.encoding.gate.secret_values import social_security


def _any(_: Said) -> bool:
    return True


def _a_number(said: Said) -> bool:
    return social_security(said.value)


_POSTAL = re.compile(r"pin[ -]?code\b")
_MONEY = re.compile(r"\b(?:bank|card|debit|credit|sim|phone|atm|unlock|door|account)\b")


def _a_pin(said: Said) -> bool:
    """Six digits after "PIN code" are a place in India, unless a card is near.

    Without anything that joins them, only the word in capitals counts.
    """
    near = bool(_MONEY.search(said.match.string))
    if len(said.value) == 6 and _POSTAL.match(said.match[0]):
        return near
    loud = said.text.startswith("PIN", said.match.start())
    return bool(said.match["joint"]) or near or loud


_COMMON = frozenset(
    ("the", "and", "for", "was", "are", "but", "not", "from", "his", "her", "our")
) | frozenset(
    ("has", "had", "were", "its", "their", "been", "these", "words", "following")
)
_WORD = re.compile(r"[a-z]{3,8}")


def _a_seed_phrase(said: Said) -> bool:
    """A dozen short words in a row, none of which hold sentences together."""
    words = _WORD.findall(said.value.lower())
    return len(words) >= 12 and _COMMON.isdisjoint(words)


def _codes(said: Said) -> bool:
    first = said.value.split()[0].strip(",;")
    digits = sum(char.isdigit() for char in first)
    return digits >= 2 and len(first) >= 6


_DIGITS = r"(?P<secret>[#*]?\d{3,8}[#*]?|\d(?:[ -]\d){3,7})(?![\w%]|[.,/:-]\d| ?%)"
_PIN_JOINT = (
    r"(?:[ -]?(?:code|number|nummer))?(?:[ \t](?:for|of|to|on)"
    r"(?:[ \t][\w'-]{1,20}){1,5}?)?[\"'*]{0,2}(?P<joint>[ \t]{0,3}(?:[:=#]|(?<=[ \t])"
    r"(?:is|was|ist|lautet))|(?=[ \t]))[ \t:]{0,3}[\"'`*]{0,2}"
)
_LOCKS = (
    r"(?:door|gate|alarm|safe|lock|locker|lockbox|garage|entry|keypad|building|access"
    r"|unlock|verification|security|puk|voicemail|house|apartment)"
)
CODES: tuple[Saying, ...] = (
    Saying(
        "password",
        ("wifi:",),
        r"wifi:[^\n\0]{0,120}?p:(?P<secret>[^;\n\0]{4,64});",
        _any,
    ),
    Saying(
        "social security number",
        ("ssn", "social security"),
        r"(?:(?<![a-z])ssn|social security)[^\n\0]{0,40}?(?<!\d)"
        r"(?P<secret>\d{3}[ -]?\d\d[ -]?\d{4})(?![\d-])",
        _a_number,
    ),
    Saying(
        "social security number",
        ("ssn", "social security"),
        r"(?<![\d-])(?P<secret>\d{3}-\d\d-\d{4})"
        r"(?=[^\n\0]{0,30}(?:ssn|social security))",
        _a_number,
    ),
    Saying("PIN", ("pin",), rf"(?<![a-z])pin{_PIN_JOINT}{_DIGITS}", _a_pin),
    Saying(
        "card security code",
        ("cvv", "cvc"),
        rf"(?<![a-z])cv[vc]2?{_PIN_JOINT}(?P<secret>\d{{3,4}})(?!\d)",
        _any,
    ),
    Saying(
        "access code",
        ("code", "combination", "combo"),
        rf"(?:(?<![a-z]){_LOCKS}(?:'s)?[ -]?(?:[a-z]{{2,12}}[ -])?"
        r"(?:code|combination|combo)"
        r"|(?:code|combination)[ \t](?:to|for|of)[ \t](?:the|my|our)[ \t]"
        rf"(?:[a-z]{{2,12}}[ \t])?{_LOCKS}(?:[ \t](?:door|lock))?)"
        rf"{_PIN_JOINT}(?P<secret>[#*]?\d{{3,8}}[#*]?"
        r"|\d{1,2}(?:[ -]\d{1,2}){2,5})(?![\w%]|[.,/:]\d)",
        _any,
    ),
    Saying(
        "seed phrase",
        ("phrase", "mnemonic", "seed words", "recovery words"),
        r"(?:(?:seed|recovery|backup|secret|wallet)[ -](?:recovery[ -])?"
        r"(?:phrase|words)|mnemonic)[^\n\0]{0,40}?[:=\"'\s-][\s\"'\d.)]{0,6}"
        r"(?P<secret>[a-z]{3,8}(?:[\s,.)\d-]{1,6}[a-z]{3,8}){11,23})(?![a-z])",
        _a_seed_phrase,
    ),
    Saying(
        "recovery codes",
        ("recovery code", "backup code", "rescue code", "2fa code"),
        r"(?:recovery|backup|rescue|2fa)[ -]?codes?[^\n\0:]{0,40}?[:\s\"'-]{1,6}"
        r"(?:(?:is"
        r"|are)[:\s]{1,3})?(?P<secret>[a-z0-9]{0,20}\d[a-z0-9]{0,20}(?:-[a-z0-9]{2,10}){0,4}"
        r"(?:[\s,;]{1,4}[a-z0-9]{0,10}\d[a-z0-9]{0,10}(?:-[a-z0-9]{2,10}){0,4}){0,24})",
        _codes,
    ),
)
"""The most telling first: where two overlap, the first names what was found."""
