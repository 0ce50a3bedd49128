"""Harmless texts that look as if they held a secret: hashes, numbers, prose."""

from __future__ import annotations

import string
import uuid
from typing import TYPE_CHECKING

from benchmarks.suite.made_up_secrets import BASE64, HEX, draw

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

    Harmless = Callable[[random.Random], str]


def _uuid(rng: random.Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


def _hex(count: int) -> Harmless:
    return lambda rng: draw(rng, HEX, count)


def _phone(rng: random.Random) -> str:
    d = string.digits
    return rng.choice(
        (
            f"+49 {draw(rng, d[1:], 3)} {draw(rng, d, 8)}",
            f"(555) {draw(rng, d, 3)}-{draw(rng, d, 4)}",
            f"+1-555-{draw(rng, d, 3)}-{draw(rng, d, 4)}",
            f"0{draw(rng, d[1:], 3)} {draw(rng, d, 7)}",
        )
    )


def _isbn(rng: random.Random) -> str:
    groups = (draw(rng, string.digits, size) for size in (1, 4, 4, 1))
    return "-".join(("978", *groups))


def _place(rng: random.Random) -> str:
    return f"{rng.uniform(-90, 90):.6f}, {rng.uniform(-180, 180):.6f}"


def _version(rng: random.Random) -> str:
    numbers = (rng.randint(0, 50) for _ in range(3))
    return f"v{'.'.join(map(str, numbers))}-rc.{rng.randint(1, 9)}"


def _colour(rng: random.Random) -> str:
    return f"#{draw(rng, HEX, 6)}"


def _path(rng: random.Random) -> str:
    parts = ("var", "lib", "projects", "backend", "node_modules", "dist", "assets")
    chosen = "/".join(rng.choices(parts, k=6))
    return f"/home/ann/{chosen}/index-{draw(rng, HEX, 8)}.min.js"


def _web(rng: random.Random) -> str:
    parts = ("docs", "articles", "how-to", "reference", "2025", "guides")
    chosen = "/".join(rng.choices(parts, k=4))
    return f"https://www.example.org/{chosen}/page?ref=mail&id={rng.randint(1, 10**9)}"


def _order(rng: random.Random) -> str:
    size = rng.choice((8, 10, 12, 16))
    return draw(rng, string.digits[1:], size)


def _iban(rng: random.Random) -> str:
    groups = " ".join(draw(rng, string.digits, 4) for _ in range(4))
    return f"DE{rng.randint(10, 98)} {groups} {draw(rng, string.digits, 2)}"


def _ulid(rng: random.Random) -> str:
    return "01" + draw(rng, "0123456789ABCDEFGHJKMNPQRSTVWXYZ", 24)


def _picture(rng: random.Random) -> str:
    return "data:image/png;base64,iVBORw0KGgo" + draw(rng, BASE64, 400) + "=="


def _stamp(rng: random.Random) -> str:
    whole = rng.randint(1_600_000_000_000, 1_900_000_000_000)
    day = f"2026-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
    return rng.choice((str(whole), f"{day}T{rng.randint(0, 23):02}:15:00Z", day))


def _integrity(rng: random.Random) -> str:
    return "sha512-" + draw(rng, BASE64, 86) + "=="


def _public_key(rng: random.Random) -> str:
    return "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA" + draw(rng, BASE64, 44) + " ann@home"


HARMLESS: dict[str, tuple[Harmless, tuple[str, ...]]] = {
    "MD5": (_hex(32), ("The md5 is {}.", "checksum: {}", "{}", "etag={}")),
    "SHA-1": (_hex(40), ("The sha1 is {}.", "fingerprint: {}", "{}")),
    "SHA-256": (
        _hex(64),
        ("sha256:{}", "The hash of the file is {}", "{}", '{{"digest": "{}"}}'),
    ),
    "SHA-512": (_hex(128), ("sha512: {}", "{}")),
    "git id": (
        _hex(40),
        ("commit {}", "Fixed in {} by Ann.", "Merge {} into main", "git checkout {}"),
    ),
    "short git id": (_hex(8), ("commit {}", "Fixed in {}.", "{}")),
    "UUID": (
        _uuid,
        (
            "{}",
            "request id: {}",
            "The session was {}.",
            '{{"id": "{}"}}',
            "user_id={}",
            "https://example.org/items/{}",
        ),
    ),
    "ULID": (_ulid, ("{}", "id: {}", "Event {} failed")),
    "picture": (_picture, ("![logo]({})", "{}")),
    "phone number": (_phone, ("Call me at {}", "phone: {}", "{}", "Her number is {}.")),
    "ISBN": (_isbn, ("ISBN {}", "The book {} is out of print", "{}")),
    "order number": (
        _order,
        ("Order {} shipped", "invoice no. {}", "Order number: {}", "tracking {}"),
    ),
    "IBAN": (_iban, ("IBAN: {}", "Pay to {}", "{}")),
    "date": (
        _stamp,
        (
            "{}",
            "created: {}",
            "expires={}",
            "token expires at {}",
            "password changed: {}",
        ),
    ),
    "coordinates": (_place, ("{}", "The cabin is at {}", "gps: {}")),
    "version": (
        _version,
        ("{}", "Upgraded to {}", "token-service: {}", "passport {} is out"),
    ),
    "colour": (_colour, ("color: {}", "key: {}", "The accent is {}")),
    "path": (_path, ("{}", "The log is in {}", "secret_file: {}", "password_file={}")),
    "web address": (
        _web,
        ("{}", "See {}", "Reset your password: {}", "token docs: {}"),
    ),
    "integrity hash": (_integrity, ('integrity="{}"', "resolved {}")),
    "public key": (_public_key, ("{}", "My public key is {}", "authorized_keys: {}")),
}

PROSE: tuple[str, ...] = (
    "The password was changed on Monday.",
    "I need to reset my password before the trip.",
    "The password reset flow is broken on Safari.",
    "Password policy: at least 12 characters, one digit.",
    "Her password is too short.",
    "My password is stored in 1Password.",
    "The password is required for every account.",
    "The wifi password is on the fridge.",
    "The wifi password is the same as last year.",
    "The password is wrong.",
    "Never share your password with anyone.",
    "password: ****",
    "password: <your password>",
    "password=$DB_PASSWORD",
    'password = os.environ["DB_PASSWORD"]',
    "password: str",
    "def login(user: str, password: str) -> Token:",
    "password = getpass.getpass()",
    "PASSWORD=changeme",
    "api_key: YOUR_API_KEY",
    'api_key = "<your key>"',
    "Set OPENAI_API_KEY=sk-... in your shell.",
    "The token limit is 4096 tokens.",
    "max_tokens: 4096, token_count=128",
    "A token expires after 15 minutes.",
    "The secret to good bread is time.",
    "Secret Santa is on December 12, 2026.",
    "The key insight is that caching helps.",
    "Her piano piece is in the key of C minor.",
    "The primary key is user_id.",
    "The key is under the mat.",
    "The API key is stored in the vault.",
    "The API key was rotated last week.",
    "Pin 13 of the board drives the LED.",
    "She pinned the 2024 roadmap to the top.",
    "Opinion: the 2025 model is better.",
    "The meeting is in room 4711 at 14:30.",
    "The safe word is banana.",
    "Use two-factor authentication and a password manager.",
    "Bearer tokens are sent in the Authorization header.",
    "Basic authentication is disabled.",
    "The tokenizer splits on whitespace-and-punctuation.",
    "We store only password hashes (argon2id).",
    "Alex forgot the password to the old laptop.",
    "The passphrase must be at least five words long.",
    "Passwords: rotated every quarter.",
    "She has a secret recipe for 12 people.",
    "The session token is a JWT signed with RS256.",
    "Our password manager is Bitwarden since 2023.",
    "The recovery codes are printed and in the drawer.",
    "His seed phrase is written on paper and locked in a safe at the bank downtown.",
    "The social security office opens at 9.",
    "The credit card bill is 1234.56 euros.",
    "PIN code 560001 is in Bangalore.",
    "The door code is broken, ring the bell.",
    "password_min_length: 12",
    "tokenUrl: https://example.org/oauth/token",
    "The private key never leaves the device.",
    "Public key cryptography was invented in the 1970s.",
    "Ask Maria for the password.",
    "The password for the printer is unknown.",
    "My password is about to expire.",
    "Remember: passwords are case-sensitive.",
    "secretName: postgres-credentials",
    "SELECT password FROM users WHERE id = 42;",
    "The access token lifetime is 3600 seconds.",
    "login: see the handbook",
    "The key ceremony is planned for 2026-05-01.",
    "Password: see Bitwarden",
    "passwd: command not found",
)


def harmless_cases(rng: random.Random, times: int) -> Iterator[tuple[str, str]]:
    """Kinds and texts that hold no secret."""
    for kind, (make, carriers) in HARMLESS.items():
        for carrier in carriers:
            for _ in range(times):
                yield kind, carrier.format(make(rng))
    for text in PROSE:
        yield "prose", text
