"""The configuration of a workspace: its file, as far as its human acknowledged it."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from reverie.authority.keyring import KeyringError
from reverie.config import (
    Config,
    ConfigError,
    agreed,
    effective,
    parse_acknowledged,
    parse_config,
    render_acknowledged,
)
from reverie.workspace import layout
from reverie.workspace.files import NotAPlainFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from reverie.authority.keyring import Keyring
    from reverie.config import Effective
    from reverie.ledger.git_ledger import GitLedger
    from reverie.workspace.files import Folder

_FILE = "acknowledged"
HOW = f"`reverie alerts --ack {layout.CONFIG}`"


class Settings:
    """Reads the configuration of one workspace.

    Args:
        folder: The workspace.
        ledger: Its history, for the last good version of a broken file.
        environ: Where overrides come from.
        keyring: What was acknowledged, outside of the workspace.
    """

    def __init__(
        self,
        folder: Folder,
        ledger: GitLedger,
        environ: Mapping[str, str],
        keyring: Keyring,
    ) -> None:
        self._folder = folder
        self._ledger = ledger
        self._environ = environ
        self._keyring = keyring

    def load(self, warn: Callable[[str], None]) -> Effective:
        """What acts now; of a broken file, the last good version in history."""
        known = self._acknowledged(warn)
        try:
            data = self._folder.read(layout.CONFIG) or b""
            text = data.decode("utf-8", "replace")
            return effective(text, layout.CONFIG, self._environ, known)
        except (ConfigError, NotAPlainFileError) as error:
            for text in self._earlier():
                try:
                    found = effective(text, layout.CONFIG, self._environ, known)
                except ConfigError as other:
                    if other.path != layout.CONFIG:
                        # Not the file is wrong but a variable of the environment.
                        raise
                    continue
                warn(f"{error}; the last good one is used")
                return found
            raise

    def acknowledge(self) -> None:
        """Let the file act as it is in history; its human has seen it.

        Raises:
            ConfigError: It is no configuration.
        """
        head = self._ledger.head
        data = self._ledger.read_at(head, layout.CONFIG) or b""
        acknowledge_config(self._keyring, data.decode("utf-8", "replace"))

    def _acknowledged(self, warn: Callable[[str], None]) -> Config:
        try:
            known = map(parse_acknowledged, self._keyring.known(_FILE))
            return reduce(agreed, known)
        except KeyringError as error:
            warn(f"{error}; nothing counts as acknowledged")
            return Config()

    def _earlier(self) -> Iterator[str]:
        """The file as it was, newest first, and last the defaults."""
        newest = self._ledger.read_at(self._ledger.head, layout.CONFIG) or b""
        yield newest.decode("utf-8", "replace")
        for entry in self._ledger.history():
            if any(line.path == layout.CONFIG for line in entry.lines):
                data = self._ledger.read_at(entry.commit, layout.CONFIG) or b""
                yield data.decode("utf-8", "replace")
        yield ""


def acknowledge_config(keyring: Keyring, text: str) -> None:
    """Note, outside of the workspace, that its human agrees to a configuration.

    In the user's own home too: an environment that names another keyring brings none
    of its own acknowledgements.
    """
    config = parse_config(text, layout.CONFIG, {})
    keyring.note(_FILE, render_acknowledged(config), first=True)


def told(found: Effective) -> list[str]:
    """What does not act, in words."""
    lines = []
    if found.waiting:
        names = ", ".join(map(str, found.waiting))
        what = f"{layout.CONFIG}: not acknowledged, so not acting: {names}"
        lines.append(f"{what}; {HOW}")
    if found.ignored:
        names = ", ".join(each.name for each in found.ignored)
        lines.append(
            f"{names}: not acting; a variable may lower a limit, and raises none, "
            f"names no server, model or key and trusts nobody: {layout.CONFIG} does"
        )
    return lines
