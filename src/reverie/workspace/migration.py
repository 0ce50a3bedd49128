"""Move state that earlier versions kept by path, or inside the workspace.

See docs/design/identity.md.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING

from reverie.authority.keyring import KeyringError, make_folders
from reverie.workspace.layout import STATE_DIR
from reverie.workspace.local_state import STATE_NAMES, split_seal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from reverie.authority.keyring import Keyring, Seal


def migrate(
    keyring: Keyring,
    root: Path,
    workspace_id: str,
    find_first: Callable[[], str],
    seal: Seal,
) -> None:
    """Move state of a workspace made by an earlier version, and keep a copy.

    Args:
        keyring: The state directory, bound to the workspace.
        root: Real path of the folder.
        workspace_id: ID of the workspace.
        find_first: Returns the first commit, which seals of earlier files include.
        seal: Checks those seals.
    """
    with suppress(KeyringError, OSError):
        if keyring.read(f"{keyring.place}/folder") is None:
            _migrate(keyring, root, workspace_id, find_first, seal)


def _migrate(
    keyring: Keyring,
    root: Path,
    workspace_id: str,
    find_first: Callable[[], str],
    seal: Seal,
) -> None:
    place = hashlib.sha256(os.fsencode(str(root))).hexdigest()[:32]
    latest: dict[str, bytes] = {}
    for ring in dict.fromkeys((keyring, *keyring.homeward)):
        source = ring.folder / f"workspaces/{place}"
        target = ring.folder / f"workspaces/{workspace_id}"
        if ring.inside or target.exists() or not source.is_dir():
            continue
        make_folders(target)
        for file in sorted(source.iterdir()):
            if file.is_file():
                shutil.copy2(file, target / file.name)
        for file in source.glob("latest/*"):
            latest[file.name] = file.read_bytes()
        make_folders(target / "before-migration")
        shutil.copytree(source, target / "before-migration/notes", dirs_exist_ok=True)
    if any((root / STATE_DIR / name).is_dir() for name in STATE_NAMES):
        _migrate_files(keyring, root, find_first(), seal, latest)


def _migrate_files(
    keyring: Keyring, root: Path, first: str, seal: Seal, latest: Mapping[str, bytes]
) -> None:
    """Move state files out of the workspace; drop those that are not ours."""
    target = keyring.folder / keyring.place
    for name in STATE_NAMES:
        source = root / STATE_DIR / name
        if source.is_symlink() or not source.is_dir():
            continue
        kept = target / "before-migration" / name
        make_folders(kept)
        make_folders(target / "state" / name)
        for file in sorted(source.iterdir()):
            if file.is_symlink() or not file.is_file() or file.name == "lock":
                continue
            data = file.read_bytes()
            (kept / file.name).write_bytes(data)
            text = split_seal(name, file.name, data, first, seal)
            noted = latest.get(f"{name}-{file.name}")
            digest = hashlib.sha256(data).hexdigest().encode()
            if text is not None and (noted is None or digest in noted):
                (target / "state" / name / file.name).write_bytes(text)
        shutil.rmtree(source)


def drop_migrated_state(keyring: Keyring) -> None:
    """Delete the copy of an earlier version's state, because something is erased."""
    with suppress(KeyringError):
        kept = keyring.state_folder.with_name("before-migration")
        shutil.rmtree(kept, ignore_errors=True)
