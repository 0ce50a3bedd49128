"""Contradictions without a model: what a statement claims, and what speaks against it.

A claim is a subject, an attribute and a value, such as *the project*, *deadline*,
*March 15*. Two claims contradict each other where they are about the same attribute of
the same subject and cannot both hold. Whatever is told as past, possible, asked, quoted
or limited ("on weekends") claims nothing: who is in doubt stays silent.
"""

from __future__ import annotations

from reverie.encoding.claims.reading import Claim, claim_of, claims_of
from reverie.encoding.claims.weighing import contradicts

__all__ = ["Claim", "claim_of", "claims_of", "contradicts"]
