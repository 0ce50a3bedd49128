"""The mind that the configuration asks for.

Importing this module costs nothing: sockets and TLS are loaded when a model server
is to be asked, and not before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.minds.host import HostMind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reverie.config import MindConfig
    from reverie.minds.budget import Purse
    from reverie.minds.host import Box
    from reverie.minds.mind import Mind


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
        return HostMind(box)
    from reverie.minds.api import open_api  # noqa: PLC0415 - loads http, ssl

    return open_api(config, environ, purse)
