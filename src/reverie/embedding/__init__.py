"""Text to vectors, for search by meaning: the port Embedder and which one is chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from reverie.errors import UnavailableError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from reverie.config import EmbeddingConfig


class EmbedderUnavailableError(UnavailableError):
    """No vectors now; search by words and by the graph still works."""


class Embedder(Protocol):
    """Turns texts into vectors whose dot product says how near their meanings are."""

    @property
    def name(self) -> str:
        """The model and its version, stored with each vector it made.

        Vectors of different names do not compare: a change means embedding again.
        """

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give each text its vector, as a row, in the order of the texts.

        Rows have length one; a blank text has a row of zeros.

        Raises:
            EmbedderUnavailableError: The model is missing, damaged or not answering.
        """


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
    if config.model == "endpoint":
        from reverie.embedding import endpoint  # noqa: PLC0415 - loads httpx

        return endpoint.EndpointEmbedder(config, environ)
    from reverie.embedding import local  # noqa: PLC0415 - loads numpy

    if config.model == "built-in":
        return local.open_static()
    return local.open_local(config, environ)
