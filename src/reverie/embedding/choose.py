"""The embedder that the configuration asks for.

Importing this module costs nothing: arrays, tokenizers and sockets are loaded when
an embedder is opened, and only those it needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reverie.config import EmbeddingConfig
    from reverie.embedding.embedder import Embedder


def open_embedder(
    config: EmbeddingConfig, environ: Mapping[str, str]
) -> Embedder | None:
    """Open the configured embedder; None where none is wanted.

    Args:
        config: The section `[embedding]`.
        environ: For `HOME`, and for the key of an endpoint.

    Raises:
        EmbedderUnavailableError: It is wanted, and is missing or damaged.
    """
    if config.model == "none":
        return None
    if config.model == "built-in":
        from reverie.embedding.static import (  # noqa: PLC0415 - loads numpy
            open_static,
        )

        return open_static()
    if config.model == "endpoint":
        from reverie.embedding.endpoint import (  # noqa: PLC0415 - loads http, ssl
            open_endpoint,
        )

        return open_endpoint(config, environ)
    from reverie.embedding.local import open_local  # noqa: PLC0415 - loads numpy

    return open_local(config, environ)
