"""What is kept outside of every workspace."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from reverie.authority.keyring import KEY_BYTES, Keyring, KeyringError


@pytest.fixture
def ring(tmp_path: Path) -> Keyring:
    made = Keyring.of({"HOME": str(tmp_path / "home")}, tmp_path / "agent")
    made.bind("1" * 32)
    return made


def test_a_file_comes_back_as_it_was_written_and_is_for_its_user_alone(
    ring: Keyring,
) -> None:
    ring.write(f"{ring.place}/owner", b"hash")

    assert ring.read(f"{ring.place}/owner") == b"hash"
    file = ring.folder / ring.place / "owner"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert [path.name for path in file.parent.iterdir()] == ["owner"]


def test_what_is_not_there_is_none(ring: Keyring) -> None:
    assert ring.read("nothing") is None


def test_the_key_is_made_once_and_stays(ring: Keyring) -> None:
    assert len(ring.seal_key()) == KEY_BYTES
    assert ring.seal_key() == ring.seal_key()
    assert [path.name for path in ring.folder.iterdir()] == ["seal.key"]


def test_notes_belong_to_a_workspace_and_not_to_its_path(tmp_path: Path) -> None:
    here, there = (Keyring(tmp_path / "ring", tmp_path / name) for name in "ab")
    for ring in (here, there):
        ring.bind("1" * 32)
    here.note("acknowledged", b"yes")
    assert there.known("acknowledged") == [b"yes"]
    there.bind("2" * 32)
    assert there.known("acknowledged") == [None]


def test_a_relative_folder_of_the_environment_is_not_used(tmp_path: Path) -> None:
    ring = Keyring.of({"XDG_DATA_HOME": "x", "HOME": "/h"}, tmp_path)
    assert ring.folder == Path("/h/.local/share/reverie")


@pytest.mark.parametrize("kind", ["link", "pipe", "folder", "large", "short"])
def test_what_is_no_small_plain_file_is_refused(ring: Keyring, kind: str) -> None:
    ring.folder.mkdir(parents=True)
    file = ring.folder / "seal.key"
    if kind == "link":
        file.symlink_to("/etc/hostname")
    elif kind == "pipe":
        os.mkfifo(file)
    elif kind == "folder":
        file.mkdir()
    else:
        with file.open("wb") as opened:
            opened.truncate(5 if kind == "short" else 1 << 31)

    with pytest.raises(KeyringError):
        ring.seal_key()


# --- and the user's own home -----------------------------------------------------


@pytest.fixture
def account(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of the user's account."""
    found = tmp_path / "account"
    found.mkdir()
    monkeypatch.setattr("reverie.authority.keyring.account_home", lambda: found)
    return found


def test_the_users_own_home_counts_beside_what_a_variable_names(
    account: Path, tmp_path: Path
) -> None:
    ring = Keyring.of({"HOME": str(tmp_path / "home")}, tmp_path / "agent")
    own = Keyring.of({}, tmp_path / "agent")
    ring.bind("1" * 32)
    own.bind("1" * 32)

    assert own.folder == account / ".local/share/reverie"
    assert own.both == (own,)
    ring.note("tally", b"1")
    assert ring.known("tally") == [b"1", None]
    assert not own.folder.exists()
    assert ring.believed("tally") == b"1"
    ring.note("acknowledged", b"yes", first=True)
    assert ring.known("acknowledged") == [b"yes", b"yes"]
    assert ring.believed("tally") is None
    ring.note("tally", b"2")
    assert own.known("tally") == [b"2"]


def test_a_link_to_the_users_own_home_is_that_home(
    account: Path, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(account)

    ring = Keyring.of({"HOME": str(tmp_path / "link")}, tmp_path / "agent")

    assert ring.home is ring
    assert len(ring.both) == 1


def test_a_home_that_is_the_workspace_itself_does_not_count(
    account: Path, tmp_path: Path
) -> None:
    ring = Keyring.of({"XDG_DATA_HOME": str(tmp_path / "keys")}, account)

    assert ring.both == (ring,)
    assert ring.homeward == (ring,)


def test_without_any_home_nothing_can_be_kept_and_nothing_breaks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reverie.authority.keyring.account_home", lambda: None)

    ring = Keyring.of({}, tmp_path / "agent")

    assert ring.folder == Path("/.local/share/reverie")
    assert ring.both == (ring,)


def test_a_keyring_inside_of_the_workspace_is_refused(tmp_path: Path) -> None:
    ring = Keyring.of({"XDG_DATA_HOME": str(tmp_path / "agent/x")}, tmp_path / "agent")

    with pytest.raises(KeyringError, match="inside of the workspace"):
        ring.read("seal.key")
    with pytest.raises(KeyringError, match="inside of the workspace"):
        ring.write("seal.key", b"planted")
