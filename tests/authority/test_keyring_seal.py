"""Seals: made with a key, and good for nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.authority.keyring import HEADER, UNSEALED, Keyring, Seal

if TYPE_CHECKING:
    from pathlib import Path

KEY = b"a key of the tests, 32 bytes long"
COMMIT = b"tree 1\nparent 2\nauthor a\ncommitter a\n\n[EDIT] x\n\nmore\n\nend\n"


def test_a_sealed_commit_holds_and_differs_by_one_header() -> None:
    seal = Seal(KEY)

    sealed = seal.sealed(COMMIT)

    assert seal.holds(sealed)
    assert not seal.holds(COMMIT)
    line = next(line for line in sealed.split(b"\n") if line.startswith(HEADER))
    assert sealed.replace(b"\n" + line, b"", 1) == COMMIT
    assert sealed.partition(b"\n\n")[2] == COMMIT.partition(b"\n\n")[2]


def test_no_byte_of_a_sealed_commit_can_be_another() -> None:
    seal = Seal(KEY)
    sealed = seal.sealed(COMMIT)

    for at in range(len(sealed)):
        other = bytearray(sealed)
        other[at] ^= 1
        assert not seal.holds(bytes(other)), at


def test_another_key_and_no_key_make_no_good_seal() -> None:
    seal, other = Seal(KEY), Seal(KEY[::-1])

    assert not seal.holds(other.sealed(COMMIT))
    assert UNSEALED.sealed(COMMIT) == COMMIT
    assert not UNSEALED.holds(seal.sealed(COMMIT))
    assert not UNSEALED


def test_a_mark_is_good_for_its_purpose_and_bytes_alone() -> None:
    seal = Seal(KEY)
    mark = seal.mark(b"row", b"data")

    assert seal.good(b"row", b"data", mark)
    assert not seal.good(b"row", b"date", mark)
    assert not seal.good(b"file", b"data", mark)
    assert not seal.good(b"row", b"data", mark.hex())
    assert not seal.good(b"row", b"data", None)
    assert not UNSEALED.good(b"row", b"data", UNSEALED.mark(b"row", b"data"))


def test_where_no_keyring_can_be_used_nothing_is_sealed_and_that_is_told(
    tmp_path: Path,
) -> None:
    told: list[str] = []

    seal = Seal.of(Keyring(tmp_path / "inside", tmp_path), told.append)

    assert not seal
    assert "inside of the workspace" in told[0]
    assert "not sealed" in told[0]
