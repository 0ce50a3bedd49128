"""Secrets that nobody has, made by chance, in everything that they may stand in.

Every value is drawn at run time and put together from parts, so that no file of ours
holds anything that looks like a live key.
"""

from __future__ import annotations

import base64
import json
import string
import uuid
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

    Make = Callable[[random.Random], tuple[str, str]]

ALNUM = string.ascii_letters + string.digits
LETTERS = string.ascii_letters
HEX = "0123456789abcdef"
URL_SAFE = ALNUM + "-_"
BASE64 = ALNUM + "+/"
BASE32 = string.ascii_uppercase + "234567"
BECH32 = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"


class Shape(NamedTuple):
    """How one kind of secret is made.

    Attributes:
        name: What it is.
        make: What is shown, and the part of it that must not be seen.
        words: What people call it.
        variable: What programs call it.
        alone: Whether it is known by its looks, without those words.
        carriers: In what it may stand; empty for all.
    """

    name: str
    make: Make
    words: str
    variable: str
    alone: bool = True
    carriers: tuple[str, ...] = ()


class Case(NamedTuple):
    """A text, and what must be found in it."""

    shape: str
    carrier: str
    text: str
    secret: str


def draw(rng: random.Random, letters: str, count: int) -> str:
    """So many letters, by chance."""
    return "".join(rng.choices(letters, k=count))


def token(prefix: str, letters: str, count: int) -> Make:
    """A prefix and chance; a plus keeps a prefix apart until it is used."""

    def make(rng: random.Random) -> tuple[str, str]:
        value = _joined(prefix) + draw(rng, letters, count)
        return value, value

    return make


def _joined(parts: str) -> str:
    return parts.replace("+", "")


def _dotted(prefix: str, *counts: int) -> Make:
    def make(rng: random.Random) -> tuple[str, str]:
        pieces = ".".join(draw(rng, URL_SAFE, count) for count in counts)
        value = _joined(prefix) + pieces
        return value, value

    return make


def _hook(start: str, count: int) -> Make:
    """An address whose last part is the secret."""

    def make(rng: random.Random) -> tuple[str, str]:
        secret = draw(rng, ALNUM, count)
        return f"https://{_joined(start)}{secret}", secret

    return make


def _pem(kind: str) -> Make:
    def make(rng: random.Random) -> tuple[str, str]:
        lines = [draw(rng, BASE64, 64) for _ in range(rng.randint(3, 12))]
        edge, name = "-" * 5, _joined(kind)
        body = "\n".join(lines) + "\n" + draw(rng, BASE64, 30) + "=="
        whole = f"{edge}BEGIN {name}{edge}\n{body}\n{edge}END {name}{edge}"
        return whole, body

    return make


def _jwt(rng: random.Random) -> tuple[str, str]:
    def part(content: object) -> str:
        raw = json.dumps(content, separators=(",", ":")).encode()
        return base64.urlsafe_b64encode(raw).decode().rstrip("=")

    head = part({"alg": "HS256", "typ": "JWT"})
    body = part({"sub": draw(rng, HEX, 12), "iat": rng.randint(10**9, 2 * 10**9)})
    value = f"{head}.{body}.{draw(rng, URL_SAFE, 43)}"
    return value, value


def _discord(rng: random.Random) -> tuple[str, str]:
    number = str(rng.randint(10**17, 10**18 - 1)).encode()
    first = base64.b64encode(number).decode().rstrip("=")
    value = f"{first}.{draw(rng, URL_SAFE, 6)}.{draw(rng, URL_SAFE, 38)}"
    return value, value


def _url(scheme: str) -> Make:
    def make(rng: random.Random) -> tuple[str, str]:
        secret = draw(rng, ALNUM, rng.randint(8, 16))
        host = f"db{rng.randint(1, 9)}.internal"
        return f"{scheme}://ann:{secret}@{host}:5432/app", secret

    return make


def _otpauth(rng: random.Random) -> tuple[str, str]:
    secret = draw(rng, BASE32, 32)
    return f"otpauth://totp/ACME:ann?secret={secret}&issuer=ACME", secret


def _azure(rng: random.Random) -> tuple[str, str]:
    key = draw(rng, BASE64, 86) + "=="
    start = "DefaultEndpointsProtocol=https;AccountName=acme;AccountKey="
    return f"{start}{key};EndpointSuffix=core.windows.net", key


def _bearer(rng: random.Random) -> tuple[str, str]:
    secret = draw(rng, URL_SAFE, rng.randint(24, 48))
    return f"Authorization: Bearer {secret}", secret


def _basic(rng: random.Random) -> tuple[str, str]:
    pair = f"ann:{draw(rng, ALNUM, 10)}".encode()
    secret = base64.b64encode(pair).decode()
    return f"Authorization: Basic {secret}", secret


def _password(rng: random.Random) -> tuple[str, str]:
    word = rng.choice(("tulip", "Harbour", "kettle", "Velvet", "glacier"))
    made = (
        f"{word}{rng.randint(10, 9999)}",
        f"{word}{rng.randint(1, 99)}!",
        draw(rng, ALNUM, 12) + "1a",
        f"{draw(rng, ALNUM, 5)}#{draw(rng, ALNUM, 5)}7",
    )
    value = rng.choice(made)
    return value, value


def _phrase(rng: random.Random) -> tuple[str, str]:
    words = "anchor basket cedar dragon ember falcon garnet hollow island jacket kernel"
    more = "lantern meadow nickel orchid pillar quartz ribbon saddle timber velvet"
    value = " ".join(rng.sample([*words.split(), *more.split()], 12))
    return value, value


def card(rng: random.Random) -> str:
    """A number that passes for a payment card, of no bank."""
    prefix, size = rng.choice((("4", 16), ("52", 16), ("2230", 16), ("37", 15)))
    digits = prefix + draw(rng, string.digits, size - len(prefix) - 1)
    doubled = sum(sum(divmod(2 * int(digit), 10)) for digit in digits[::-2])
    check = -(doubled + sum(map(int, digits[-2::-2]))) % 10
    return f"{digits}{check}"


def _card(rng: random.Random) -> tuple[str, str]:
    number = card(rng)
    gap = rng.choice(("", " ", "-"))
    cuts = (4, 8, 12) if len(number) == 16 else (4, 10)
    edges = (0, *cuts, len(number))
    pieces = (number[a:b] for a, b in pairwise(edges))
    value = gap.join(pieces)
    return value, value


def _ssn(rng: random.Random) -> tuple[str, str]:
    area = rng.choice((123, 217, 345, 512, 701))
    value = f"{area}-{rng.randint(11, 98)}-{rng.randint(1001, 9998)}"
    return value, value


def _pin(rng: random.Random) -> tuple[str, str]:
    value = draw(rng, string.digits, rng.choice((4, 6)))
    return value, value


def _uuid(rng: random.Random) -> tuple[str, str]:
    value = str(uuid.UUID(int=rng.getrandbits(128), version=4))
    return value, value


BLOCK = ("bare", "sentence", "lines", "code")
ADDRESS = ("bare", "sentence", "code", "env", "json")
HEADER = ("bare", "sentence", "lines")
SPOKEN = ("said", "told", "colon", "for")


def _shape(name: str, make: Make, words: str, *carriers: str) -> Shape:
    return Shape(name, make, words, _variable(words), carriers=carriers)


def _worded(name: str, make: Make, words: str, *carriers: str) -> Shape:
    """Something that only its name gives away."""
    return Shape(name, make, words, _variable(words), alone=False, carriers=carriers)


def _variable(words: str) -> str:
    return words.upper().replace(" ", "_")


_T = token
SHAPES: tuple[Shape, ...] = (
    _shape("RSA key", _pem("RSA PRIVATE+ KEY"), "key", *BLOCK),
    _shape("OpenSSH key", _pem("OPENSSH PRIVATE+ KEY"), "key", *BLOCK),
    _shape("PGP key", _pem("PGP PRIVATE+ KEY BLOCK"), "key", *BLOCK),
    _shape("AWS access key", _T("AK+IA", BASE32, 16), "AWS access key id"),
    _worded("AWS secret key", _T("", BASE64, 40), "AWS secret access key"),
    _shape("GitHub token", _T("gh+p_", ALNUM, 36), "GitHub token"),
    _shape("GitHub app token", _T("gh+s_", ALNUM, 36), "GH token"),
    _shape("GitHub fine token", _T("github+_pat_", ALNUM, 70), "GitHub token"),
    _shape("GitLab token", _T("gl+pat-", URL_SAFE, 20), "GitLab token"),
    _shape("Slack token", _T("xo+xb-123456789012-", ALNUM, 24), "Slack token"),
    _shape("Slack webhook", _hook("hooks.slack.com/ser+vices/T0/B0/", 24), "hook"),
    _shape("Stripe key", _T("sk+_live_", ALNUM, 24), "Stripe key"),
    _shape("OpenAI key", _T("s+k-", ALNUM, 48), "OpenAI API key"),
    _shape("OpenAI project key", _T("sk+-proj-", URL_SAFE, 120), "OpenAI API key"),
    _shape("Anthropic key", _T("sk+-ant-api03-", URL_SAFE, 93), "Anthropic key"),
    _shape("Google API key", _T("AI+za", URL_SAFE, 35), "Maps key"),
    _shape("Google client secret", _T("GOC+SPX-", URL_SAFE, 28), "client secret"),
    _shape("Google access token", _T("ya+29.", URL_SAFE, 100), "access token"),
    _shape("Azure connection string", _azure, "storage account", *ADDRESS),
    _shape("JSON web token", _jwt, "session"),
    _shape("npm token", _T("np+m_", ALNUM, 36), "npm token"),
    _shape("PyPI token", _T("py+pi-AgEIcHlwaS5vcmc", URL_SAFE, 90), "PyPI token"),
    _shape("Twilio key", _T("S+K", HEX, 32), "Twilio key"),
    _shape("SendGrid key", _dotted("S+G.", 22, 43), "SendGrid key"),
    _shape("Telegram bot token", _T("7012345689:A+A", URL_SAFE, 33), "bot token"),
    _shape("Discord bot token", _discord, "Discord token"),
    _shape(
        "Discord webhook",
        _hook("discord.com/api/web+hooks/912345678901234567/", 68),
        "hook",
    ),
    _shape("Hugging Face token", _T("h+f_", LETTERS, 34), "Hugging Face token"),
    _shape("DigitalOcean token", _T("dop+_v1_", HEX, 64), "DigitalOcean token"),
    _shape("Mailgun key", _T("ke+y-", HEX, 32), "Mailgun key"),
    _shape("Shopify token", _T("shp+at_", HEX, 32), "Shopify token"),
    _shape("Linear key", _T("lin+_api_", ALNUM, 40), "Linear key"),
    _shape("Databricks token", _T("da+pi", HEX, 32), "Databricks token"),
    _shape("Vault token", _T("hv+s.", URL_SAFE, 90), "Vault token"),
    _shape("Docker Hub token", _T("dckr+_pat_", URL_SAFE, 27), "Docker token"),
    _shape("age secret key", _T("AGE-SECRET+-KEY-1", BECH32, 58), "age key"),
    _shape("TOTP address", _otpauth, "2FA", *ADDRESS),
    _shape("database address", _url("postgres"), "database", *ADDRESS),
    _shape("web address with login", _url("https"), "site", *ADDRESS),
    _shape("Bearer header", _bearer, "header", *HEADER),
    _shape("Basic header", _basic, "header", *HEADER),
    _shape("payment card", _card, "card", *HEADER, "told", "said", "json"),
    _worded("Heroku key", _uuid, "Heroku API key"),
    _worded("Datadog key", _T("", HEX, 32), "Datadog key"),
    _worded("Twilio auth token", _T("", HEX, 32), "Twilio auth token"),
    _worded("other API key", _T("", ALNUM, 32), "API key"),
    _worded("client secret", _T("", URL_SAFE, 40), "client secret"),
    _worded("password", _password, "password"),
    _worded("wifi password", _password, "wifi password"),
    _worded("social security number", _ssn, "social security number", *SPOKEN),
    _worded("PIN", _pin, "bank PIN", *SPOKEN),
    _worded("seed phrase", _phrase, "seed phrase", *SPOKEN),
)


def _carried(shape: Shape, shown: str) -> Iterator[tuple[str, str]]:
    """A secret in everything that it may stand in."""
    words, variable, field = shape.words, shape.variable, shape.variable.lower()
    if shape.alone:
        yield "bare", shown
        yield "sentence", f"For the release Ann used {shown} and it worked."
        yield "code", f'client = connect("{shown}", retries=3)'
    yield "said", f"By the way, my {words} is {shown}."
    yield "told", f"Remember the {words}: {shown}, it works until May"
    yield "colon", f"Notes from today\n- {words}: {shown}\n- lunch at noon"
    yield "for", f"The {words} for the office is {shown}"
    yield "lines", f"Keep this:\n\n{shown}\n\nThanks!"
    yield "env", f"export PORT=8080\n{variable}={shown}\nDEBUG=1"
    yield "quoted env", f"{variable}='{shown}'"
    yield "json", json.dumps({"host": "db1", field: shown, "port": 1})
    yield "assignment", f'{field} = "{shown}"'
    yield "yaml", f"service:\n  {field}: {shown}\n  port: 80"
    yield "url", f"https://example.org/v1/items?{field}={shown}&page=2"
    yield "invisible", f"{field}={shown[:9]}\u200b{shown[9:12]}\u00ad{shown[12:]}"


_EVERYWHERE = ("said", "env", "json", "yaml", "url", "invisible")
_FITTING = {
    True: (*_EVERYWHERE, "bare", "sentence", "code", "lines"),
    False: (*_EVERYWHERE, "told", "colon", "for", "quoted env", "assignment"),
}


def secret_cases(rng: random.Random, times: int) -> Iterator[Case]:
    """Every shape in every carrier, so many times."""
    for shape in SHAPES:
        fitting = shape.carriers or _FITTING[shape.alone]
        for _ in range(times):
            shown, secret = shape.make(rng)
            for carrier, text in _carried(shape, shown):
                if carrier in fitting:
                    yield Case(shape.name, carrier, text, secret)


def left_over(case: Case, redacted: str) -> bool:
    """Whether anything of a secret can still be read: all of it, or eight letters."""
    plain = redacted.replace("\u200b", "").replace("\u00ad", "")
    secret = case.secret
    size = min(8, len(secret))
    starts = range(len(secret) - size + 1)
    return any(secret[start : start + size] in plain for start in starts)
