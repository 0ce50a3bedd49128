"""Text to vectors, for search by meaning: the port Embedder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from reverie.errors import UnavailableError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


class EmbedderUnavailableError(UnavailableError):
    """No vectors now; search by words and by the graph still works."""


class Embedder(Protocol):
    """Turns texts into vectors whose dot product says how near their meanings are."""

    @property
    def name(self) -> str:
        """The model and its version, stored with each vector it made.

        Vectors of different names do not compare: a change means embedding again.
        """

    @property
    def reads_sentences(self) -> bool:
        """Whether it reads a text as a whole, and not word by word."""

    @property
    def worth(self) -> float:
        """How much its likeness counts as evidence; 1 for that of a table of words."""

    def embed(
        self, texts: Sequence[str], *, asked: bool = False
    ) -> NDArray[np.float32]:
        """Give each text its vector, as a row, in the order of the texts.

        Rows have length one; a blank text has a row of zeros.

        Args:
            texts: What is told, or
            asked: what is asked: some models read a question as one.

        Raises:
            EmbedderUnavailableError: The model is missing, damaged or not answering.
        """

    def kin(self, word: str) -> Sequence[tuple[str, float]]:
        """Words alike in meaning, in lower case, and how alike; the nearest first.

        None where the model knows no single words, or this needs a network.
        """
