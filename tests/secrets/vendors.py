"""Secrets as many vendors make them, and what only looks like one.

The formats are public; the values are drawn at run time.
"""

from __future__ import annotations

import re
import string
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

ALNUM, HEX = string.ascii_letters + string.digits, "0123456789abcdef"
LETTERS = {
    "h": HEX,
    "a": ALNUM,
    "l": string.ascii_lowercase + string.digits,
    "u": string.ascii_uppercase + string.digits,
    "w": f"{ALNUM}-_",
    "b": f"{ALNUM}+/",
    "n": string.digits,
    "p": "123456789",
    "g": "ACGT",
}
_DRAWN = re.compile(r"\{([a-z])(\d*)\}")
_UUID = (8, 4, 4, 4, 12)


def draw(rng: random.Random, letters: str, count: int) -> str:
    """Draw some characters."""
    return "".join(rng.choice(letters) for _ in range(count))


def _filled(rng: random.Random, shape: str) -> str:
    def fill(found: re.Match[str]) -> str:
        if found[1] == "i":
            return "-".join(draw(rng, HEX, count) for count in _UUID)
        return draw(rng, LETTERS[found[1]], int(found[2]))

    return _DRAWN.sub(fill, shape).replace("{{", "{").replace("}}", "}")


def _read(name: str, rng: random.Random) -> Iterator[tuple[str, str]]:
    lines = Path(__file__).with_name(name).read_text("utf-8").splitlines()
    for line in lines[1:]:
        title, _, shape = line.partition("  ")
        yield title, _filled(rng, shape)


def vendor_secrets(rng: random.Random) -> Iterator[tuple[str, str]]:
    """Yield the name of each format, and a secret of it."""
    yield from _read("vendor_formats.txt", rng)
    lines = "\n".join(draw(rng, LETTERS["b"], 64) for _ in range(2))
    yield "PuTTY key", f"Private-Lines: 2\n{lines}"
    yield "seed phrase", "abandon " * 11 + "about"
    yield "seed phrase", "zoo " * 11 + "wrong"
    yield "seed phrase", "abandon " * 23 + "art"
    first = "letter advice cage absurd amount doctor acoustic avoid"
    yield "seed phrase", f"{first} {' '.join(first.split()[:3])} above"


def look_alikes(rng: random.Random) -> Iterator[tuple[str, str]]:
    """Yield the name of each thing that is no secret, and one of it."""
    yield from _read("look_alikes.txt", rng)
    image = draw(rng, LETTERS["b"], 4000)
    yield "image", f"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA{image}=="
    yield "public key", f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{image[:43]} bob@host"
    yield "memory", "episode:2026-11-02:14:30"
    yield "memory", "entity:person--silver-river"
