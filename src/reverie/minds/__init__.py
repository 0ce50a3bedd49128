"""Who thinks: a model server, the host agent, or nobody (spec, §10).

Sockets and TLS are loaded when a model server is to be asked, and not before.
`mind.operation_tokens` holds for what is opened here, so open one for each operation,
or answer; nothing is sent yet. See docs/design/minds.md.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from reverie.minds.mind import HostMind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from reverie.config import MindConfig
    from reverie.minds.api import ApiMind
    from reverie.minds.mind import Box, Mind, Purse


def open_talker(
    config: MindConfig,
    environ: Mapping[str, str],
    purse: Purse,
    sleep: Callable[[float], None] = time.sleep,
) -> ApiMind | None:
    """Get ready to talk; None where no model is configured: rules and hosts do not.

    Args:
        config: The section `[mind]`.
        environ: Holds the key, under the name that `key_variable` gives.
        purse: What all operations of the workspace spend from.
        sleep: How to wait between attempts.
    """
    if config.kind != "api":
        return None
    from reverie.minds.api import ApiMind  # noqa: PLC0415 - loads httpx

    return ApiMind(config, environ, purse, sleep)


def open_mind(
    config: MindConfig, environ: Mapping[str, str], purse: Purse, box: Box
) -> Mind | None:
    """Get ready to think for one operation; None where rules are to decide.

    Args:
        config: The section `[mind]`.
        environ: Holds the key, under the name that `key_variable` gives.
        purse: What all operations of the workspace spend from.
        box: Where the host agent finds its questions.
    """
    if config.kind == "host":
        return HostMind(box)
    return open_talker(config, environ, purse)
