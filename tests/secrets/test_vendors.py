"""Secrets of many vendors are found in prose; what looks similar is not."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from tests.secrets.vendors import look_alikes, vendor_secrets

from reverie.secrets import find_secrets, has_seed_checksum, without_secrets

PLACES = ("For the deploy she uses {} since May", "{}", "it is `{}`, ok?")
ROUNDS = 3


def chance(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - nothing here is meant to be secret


def test_secrets_of_known_vendors_are_found_without_a_label() -> None:
    missed, count = Counter[str](), 0
    for seed in range(ROUNDS):
        for name, secret in vendor_secrets(chance(seed)):
            for place in PLACES:
                count += 1
                longest = max(secret.split(), key=len)
                missed[name] += longest in without_secrets(place.format(secret))

    assert count >= 150 * len(PLACES)
    assert +missed == Counter()


def test_what_only_looks_like_a_secret_is_not_flagged() -> None:
    flagged, count = Counter[str](), 0
    for seed in range(ROUNDS):
        for name, text in look_alikes(chance(seed)):
            for place in PLACES:
                count += 1
                flagged[name] += bool(find_secrets(place.format(text)))

    assert count >= 100 * len(PLACES)
    assert flagged.total() <= 0.01 * count, +flagged


def test_a_seed_phrase_with_repeated_words_needs_the_right_checksum() -> None:
    assert has_seed_checksum([*["abandon"] * 11, "about"])
    assert not has_seed_checksum(["abandon"] * 12)
    assert find_secrets("hello " * 12) == ()


@pytest.mark.parametrize(
    "left",
    [
        "password [erased]#3f2a9c1b",
        "password: person--[erased]",
        "the PIN: [erased]-2 9",
        "token: entity:person--[erased]",
    ],
)
def test_what_an_erasure_leaves_behind_a_label_is_no_secret(left: str) -> None:
    assert find_secrets(left) == ()


def test_a_secret_beside_the_mark_of_an_erasure_is_found() -> None:
    for text in ("password: Wurm!217Mm84[erased]", "password: [erased]Wurm!217Mm84"):
        assert "217Mm" not in without_secrets(text)
