"""Who thinks: a model server, the host agent, or nobody (spec, §10).

Sockets and TLS are loaded when a model server is to be asked, and not before.
See docs/design/minds.md.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from reverie.config import MindConfig
    from reverie.minds.budget import Purse
    from reverie.minds.host import Box
    from reverie.minds.mind import Mind, Talker


def open_talker(
    config: MindConfig,
    environ: Mapping[str, str],
    purse: Purse,
    sleep: Callable[[float], None] = time.sleep,
) -> Talker | None:
    """Get ready to talk; None where no model is configured: rules and hosts do not.

    `mind.operation_tokens` holds for what is opened here, so open one for each
    answer. Nothing is sent yet.

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

    `mind.operation_tokens` holds for what is opened here, so open one for each
    operation. Nothing is sent yet.

    Args:
        config: The section `[mind]`.
        environ: Holds the key, under the name that `key_variable` gives.
        purse: What all operations of the workspace spend from.
        box: Where the host agent finds its questions.
    """
    if config.kind == "rules":
        return None
    if config.kind == "host":
        from reverie.minds.host import HostMind  # noqa: PLC0415 - for who is a host

        return HostMind(box)
    from reverie.minds.api import ApiMind  # noqa: PLC0415 - loads httpx

    return ApiMind(config, environ, purse)
