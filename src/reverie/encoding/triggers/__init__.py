"""What a person's words ask of memory: remember, forget, reflect, search.

Not a search for words: real text has some five false hits for each true one. A
phrase counts where its position, its speaker, its tense and what follows say that
it is an order to the assistant.
"""

from __future__ import annotations

from reverie.encoding.triggers.detection import detect

__all__ = ["detect"]
