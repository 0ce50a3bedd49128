"""Something to be remembered, with all that its speaker said about it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.model.change import Actor, Secrets
from reverie.model.origin import Origin, named

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reverie.model.route import Place


@dataclass(frozen=True, slots=True)
class Saying:
    """Something to be remembered.

    Attributes:
        text: What was said.
        place: Where it belongs; None to find out.
        actor: Who acts.
        trigger: What started it.
        origin: Whose words it is.
        secrets: What to do with passwords and keys in it.
        parents: Ids of the memories that it is derived from.
        contradicts: Ids of known facts that its speaker says it contradicts.
    """

    text: str
    place: Place | None
    actor: Actor
    trigger: str
    origin: Origin
    secrets: Secrets = Secrets.REFUSE
    parents: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()

    @property
    def decided(self) -> bool:
        """Whether a human, by hand, said where it belongs."""
        return self.actor.human and self.place is not None


def render_saying(saying: Saying) -> dict[str, str]:
    """What another process needs to go on, once the host agent has answered.

    Only what has no place waits for an answer.
    """
    return {
        "text": saying.text,
        "actor": str(saying.actor),
        "trigger": saying.trigger,
        "origin": saying.origin,
        "secrets": saying.secrets,
        "parents": json.dumps(saying.parents),
        "contradicts": json.dumps(saying.contradicts),
    }


def parse_saying(told: Mapping[str, str]) -> Saying:
    """Read what `render_saying` wrote."""
    return Saying(
        told["text"],
        None,
        Actor(told["actor"]),
        told["trigger"],
        named(told["origin"]),
        Secrets(told["secrets"]),
        tuple(json.loads(told["parents"])),
        tuple(json.loads(told.get("contradicts", "[]"))),
    )
