"""Observations: what happened, kept as single statements (docs/design/years.md).

A mind notes them: of a conversation that paused or ended, of a long message, or the
connected agent by itself. Each stands by itself, with the day it speaks of, whose claim
it is, what it replaces and the turn it comes from. One about somebody or something is a
fact on that page, every other an episode of its day; both like any other.
"""

from __future__ import annotations

from datetime import datetime, time
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from reverie.encoding.near import find_near
from reverie.encoding.placement import Saying
from reverie.errors import RefusedError
from reverie.markdown import one_line, parse_date
from reverie.minds.prompts import render_prompt
from reverie.model.change import Secrets
from reverie.model.items import EARLIEST, LATEST, EpisodeKind
from reverie.model.route import Episodic, Observation, Semantic
from reverie.secrets import without_secrets

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import date, tzinfo

    from reverie.encoding.remember import Remembering
    from reverie.encoding.route import Clerk
    from reverie.model.change import Actor, Observed
    from reverie.model.items import Origin
    from reverie.model.route import Place
    from reverie.session.session import Session

TAG = "observation"
"""The topic of every observation that is an episode."""


class BadObservationError(RefusedError, ValueError):
    """Something that is no observation."""

    says = "observation {}: {}"
    mend = (
        "Each is an object with `text` and, where known, `about` (person--ana), `day` "
        "(2026-11-13), `claim`, `supersedes`, `turn` and `confidence`."
    )


def how_to_observe(user: str, today: date) -> str:
    """What a mind is told that is to give observations.

    Args:
        user: The id of the user's page.
        today: The day by the user's calendar.
    """
    words = {"user": user, "today": f"{today:%A}, {today.isoformat()}"}
    return render_prompt("observe", {}, words).strip()


def read_observations(
    told: Sequence[Mapping[str, object] | Observation],
) -> tuple[Observation, ...]:
    """Observations as somebody gave them, checked one by one.

    Raises:
        BadObservationError: One of them is none.
    """
    found = []
    for number, each in enumerate(told, 1):
        try:
            one = (
                each
                if isinstance(each, Observation)
                else msgspec.convert(dict(each), Observation)
            )
        except (ValueError, TypeError) as error:
            raise BadObservationError(number, str(error)) from None
        day = parse_date(one.day) if one.day else None
        if one.day and (day is None or not EARLIEST <= day.year <= LATEST):
            raise BadObservationError(number, f"{one.day[:40]!r} is not a day")
        if not any(map(str.isalnum, one.text)):
            raise BadObservationError(number, "it says nothing")
        found.append(one)
    return tuple(found)


def require_offered(
    noted: Sequence[Observation], turns: Collection[int], facts: Collection[str]
) -> None:
    """Refuse what names a turn or a fact that its mind was not shown.

    Raises:
        ValueError: Which one.
    """
    for each in noted:
        if each.turn and each.turn not in turns:
            raise ValueError(f"there is no turn {each.turn}")
        for id_ in each.supersedes:
            if id_.removeprefix("entity:") not in facts:
                raise ValueError(f"{id_[:60]} is not the ID of a fact that was offered")


def places_of(
    observation: Observation, *, basis: str, scope: str, zone: tzinfo
) -> list[Place]:
    """Where an observation belongs: on a page, or in the log of its day.

    What is for one person alone stands on no page: pages are for everybody.

    Args:
        observation: What was noted.
        basis: The id of the turn or episode behind it.
        scope: The person it is for alone; empty for everybody.
        zone: That of the workspace.
    """
    about, day = observation.about.strip(), parse_date(observation.day)
    gone = () if scope else observation.supersedes
    said = Semantic(
        on=day,
        basis=basis,
        confidence=observation.confidence,
        claim=observation.claim,
    )
    pages = [replace(said, supersedes=id_) for id_ in gone]
    if about and not scope and not any(id_.startswith(f"{about}#") for id_ in gone):
        kind, dashes, _ = about.removeprefix("entity:").partition("--")
        pages.insert(0, replace(said, about=about, type=kind if dashes else said.type))
    if pages:
        return [*pages]
    # Of what happened on a day nobody knows the hour: it is noon.
    at = datetime.combine(day, time(12), zone) if day else None
    kind = EpisodeKind.EVENT
    return [
        Episodic(
            *(kind, observation.confidence, (TAG,), at, scope),
            basis=basis,
            claim=observation.claim,
        )
    ]


class Observer:
    """Takes observations in an open workspace.

    Args:
        session: The workspace's parts.
        clerk: Knows what is near, and the user's page.
        remembering: Stores them.
    """

    def __init__(
        self, session: Session, clerk: Clerk, remembering: Remembering
    ) -> None:
        self._session, self._clerk, self._remembering = session, clerk, remembering

    def known(self, text: str) -> dict[str, str]:
        """Known facts that may be replaced by what a conversation tells, by id."""
        pages = (*self._clerk.pages(text, Episodic()), self._clerk.user())
        near = find_near(text, pages, self._clerk.around, offered=True)
        return {each.id: without_secrets(one_line(each.text)) for each in near}

    def how(self) -> str:
        """What a mind is told that is to give observations."""
        return how_to_observe(self._clerk.user(), self._session.clock().date())

    def observe(
        self,
        noted: Sequence[Observation],
        *,
        actor: Actor,
        origin: Origin,
        trigger: str,
        turns: Mapping[int, str] = MappingProxyType({}),
        scope: str = "",
    ) -> Observed:
        """Store observations, all of them in one change.

        Args:
            noted: What was noted.
            actor: Who acts.
            origin: Whose words they are.
            trigger: What started it.
            turns: Ids of the turns that they come from, by number.
            scope: The person they are for alone; empty for everybody.
        """
        said = [
            Saying(each.text, place, actor, trigger, origin, Secrets.REDACT)
            for each in noted
            for place in places_of(
                each,
                basis=turns.get(each.turn, ""),
                scope=scope,
                zone=self._session.zone,
            )
        ]
        return self._remembering.observe(said, actor)
