"""Observations: what happened, kept as single statements (docs/design/years.md).

A mind notes them: of a conversation that paused or ended, of a long message, or the
connected agent by itself. Each stands by itself, with the day it speaks of, whose claim
it is, what it replaces and the turn it comes from. One about somebody or something is a
fact on that page, every other an episode of its day; both like any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec

from reverie.errors import RefusedError
from reverie.markdown import parse_date
from reverie.minds.prompts import render_prompt
from reverie.model.items import EARLIEST, LATEST, EpisodeKind
from reverie.model.route import Episodic, Observation, Semantic
from reverie.stores.entities import parse_fact_id

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import date

    from reverie.model.route import Place

TAG = "observation"
"""The topic of every observation that is an episode."""


class BadObservationError(RefusedError, ValueError):
    """Something that is no observation."""

    says = "observation {}: {}"
    mend = (
        "Each is an object with `text` and, where known, `about` (person--ana), `day` "
        "(2026-11-13), `claim`, `supersedes`, `turn` or `source`, and `confidence`."
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
                else msgspec.convert(each, Observation)
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


def require_turns(noted: Sequence[Observation], turns: Collection[int]) -> None:
    """Refuse observations that name a turn which their conversation does not have.

    Raises:
        BadObservationError: Which one.
    """
    for number, each in enumerate(noted, 1):
        if each.turn and not each.source and each.turn not in turns:
            problem = f"there is no turn {each.turn} in the conversation it names"
            raise BadObservationError(number, problem)


def find_unknown_fields(told: Sequence[object]) -> tuple[str, ...]:
    """Return a warning for each observation with fields that none has."""
    known = frozenset(Observation.__struct_fields__)
    unknown = (
        (number, sorted(str(key) for key in each if key not in known))
        for number, each in enumerate(told, 1)
        if isinstance(each, Mapping)
    )
    return tuple(
        f"observation {number}: unknown fields were not stored: {', '.join(names)}"
        for number, names in unknown
        if names
    )


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
        if each.source:
            raise ValueError("`source` is not asked for: give the number as `turn`")
        for id_ in each.supersedes:
            if id_.removeprefix("entity:") not in facts:
                raise ValueError(f"{id_[:60]} is not the ID of a fact that was offered")


def place_of(observation: Observation, basis: str, scope: str) -> Place:
    """Return where an observation belongs: on a page, or in the log of its day.

    What is for one person alone stands on no page: pages are for everybody.

    Args:
        observation: What was noted.
        basis: The ID of the turn or episode behind it.
        scope: The person it is for alone; empty for everybody.
    """
    about, day = observation.about.strip(), parse_date(observation.day)
    facts = filter(None, map(parse_fact_id, observation.supersedes))
    about = about.removeprefix("entity:") or next((page for page, _ in facts), "")
    if about and not scope:
        kind, dashes, _ = about.partition("--")
        return Semantic(
            about,
            kind if dashes else Semantic().type,
            on=day,
            basis=basis,
            confidence=observation.confidence,
            claim=observation.claim,
        )
    return Episodic(
        EpisodeKind.EVENT,
        observation.confidence,
        (TAG,),
        day,
        scope,
        basis=basis,
        claim=observation.claim,
    )
