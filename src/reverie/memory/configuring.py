"""The configuration of a workspace: its file, or the last good version of it."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from reverie.config import AuditConfig, Config, ConfigError, parse_config
from reverie.workspace import layout
from reverie.workspace.files import NotAPlainFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from reverie.ledger import Ledger
    from reverie.workspace.files import Folder


def load_config(
    folder: Folder,
    ledger: Ledger,
    environ: Mapping[str, str],
    warn: Callable[[str], None],
) -> Config:
    """The configuration; of a broken file, the last good version in history."""
    try:
        data = folder.read(layout.CONFIG) or b""
        return parse_config(data.decode("utf-8", "replace"), layout.CONFIG, environ)
    except (ConfigError, NotAPlainFileError) as error:
        for text in _earlier_configs(ledger):
            try:
                config = parse_config(text, layout.CONFIG, environ)
            except ConfigError as other:
                if other.path != layout.CONFIG:
                    # Not the file is wrong but a variable of the environment.
                    raise
                continue
            warn(f"{error}; the last good one is used")
            return config
        raise


def committed_audit(ledger: Ledger) -> AuditConfig:
    """What history, not the file of the moment, says of critical files.

    Else a change could switch off the alert on itself.
    """
    for text in _earlier_configs(ledger):
        with contextlib.suppress(ConfigError):
            return parse_config(text, layout.CONFIG, {}).audit
    return AuditConfig()


def _earlier_configs(ledger: Ledger) -> Iterator[str]:
    """The configuration file as it was, newest first, and last the defaults."""
    newest = ledger.read_at(ledger.head, layout.CONFIG) or b""
    yield newest.decode("utf-8", "replace")
    for entry in ledger.history():
        if any(line.path == layout.CONFIG for line in entry.lines):
            data = ledger.read_at(entry.commit, layout.CONFIG) or b""
            yield data.decode("utf-8", "replace")
    yield ""
