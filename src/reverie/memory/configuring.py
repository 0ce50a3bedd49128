"""The configuration of a workspace: its file, or the last good version of it."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING

from reverie.agents.reviewing import AUTO, BATCH
from reverie.config import AgentsConfig, AuditConfig, Config, ConfigError, parse_config
from reverie.workspace import layout
from reverie.workspace.files import NotAPlainFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from reverie.ledger import Ledger
    from reverie.model.views import Alert
    from reverie.workspace.files import Folder


def load_config(
    folder: Folder,
    ledger: Ledger,
    environ: Mapping[str, str],
    warn: Callable[[str], None],
) -> Config:
    """The configuration; of a broken file, the last good version in history."""
    config = _good_config(folder, ledger, environ, warn)
    return replace(config, agents=committed_agents(ledger))


def _good_config(
    folder: Folder,
    ledger: Ledger,
    environ: Mapping[str, str],
    warn: Callable[[str], None],
) -> Config:
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
    return _committed(ledger).audit


def committed_agents(ledger: Ledger) -> AgentsConfig:
    """What history says of who decides on proposals.

    Neither the environment nor the file of the moment: else whoever may not decide
    would say with them that they may.
    """
    return _committed(ledger).agents


def agents_now(ledger: Ledger, alerts: Iterable[Alert]) -> AgentsConfig:
    """Who decides on proposals, and who is trusted, at this moment.

    While a change of the file waits for its human's look, nobody is trusted.
    """
    agents = committed_agents(ledger)
    if not any(alert.path == layout.CONFIG for alert in alerts):
        return agents
    review = BATCH if agents.review == AUTO else agents.review
    return replace(agents, review=review, trusted=())


def _committed(ledger: Ledger) -> Config:
    for text in _earlier_configs(ledger):
        with contextlib.suppress(ConfigError):
            return parse_config(text, layout.CONFIG, {})
    return Config()


def _earlier_configs(ledger: Ledger) -> Iterator[str]:
    """The configuration file as it was, newest first, and last the defaults."""
    newest = ledger.read_at(ledger.head, layout.CONFIG) or b""
    yield newest.decode("utf-8", "replace")
    for entry in ledger.history():
        if any(line.path == layout.CONFIG for line in entry.lines):
            data = ledger.read_at(entry.commit, layout.CONFIG) or b""
            yield data.decode("utf-8", "replace")
    yield ""
