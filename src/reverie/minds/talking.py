"""Talking with a model: messages go in, text comes out as it is written.

    talker = open_talker(config.mind, environ, purse)
    if talker:
        with closing(talker.talk(messages, most_tokens=1000)) as answer:
            for piece in answer:
                print(piece, end="", flush=True)

Importing this module costs nothing: sockets and TLS are loaded when a model server
is to be talked with, and not before.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

from reverie.minds.messages import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from reverie.config import MindConfig
    from reverie.minds.budget import Purse

__all__ = ["Message", "Talker", "open_talker"]


class Talker(Protocol):
    """Somebody to talk with."""

    @property
    def name(self) -> str:
        """Who talks: a model and where it is."""
        ...

    def talk(
        self, messages: Sequence[Message], *, most_tokens: int
    ) -> Generator[str, None, None]:
        """Answer, piece by piece.

        Nothing is sent before the first piece is asked for. Closing it stops the
        request; what was written by then is paid for. What came before an error
        stays good.

        Args:
            messages: What was said so far, the oldest first; empty ones are left
                out, and neighbours of one role go as one.
            most_tokens: How long the answer may be.

        Raises:
            MindUnavailableError: There is no answer, or it ends here.
            OutOfTokensError: A limit is reached; nothing was sent.
            NothingToAnswerError: No message has any words; nothing was sent.
        """
        ...


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
    from reverie.minds.api_talker import open_api_talker  # noqa: PLC0415 - http, ssl

    return open_api_talker(config, environ, purse, sleep)
