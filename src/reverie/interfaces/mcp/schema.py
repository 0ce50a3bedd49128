"""What the tools take and give.

These descriptions are all that a mind knows of a tool, so they say what it has to
decide: the schema of `remember` is the prompt that routes a memory.
"""

from __future__ import annotations

from datetime import date  # noqa: TC003 - read by pydantic
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

MOST_TOGETHER = 20
"""So many memories are told at once, at most."""

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class _Given(BaseModel):
    """What an agent gives: a field that nobody knows is a mistake, and told as one."""

    model_config = ConfigDict(extra="forbid")


class Relation(_Given):
    """A tie to another."""

    relation: Text = Field(description="works at, sister of, uses, …")
    to: Text = Field(description="As TYPE--NAME: place--lisbon")


class NewMemory(_Given):
    """One memory. What says several things is several memories."""

    text: Text = Field(
        description="One statement that stands by itself, in the user's language: "
        "names, exact numbers, real dates instead of 'tomorrow'. A procedure: one "
        "step a line."
    )
    store: Literal["semantic", "episodic", "procedural", "vault", "core"] = Field(
        default="semantic",
        description="semantic: a fact, preference or relation of a person, project, "
        "tool, place or concept (needs about). episodic: something that happened or "
        "was decided. procedural: how to do something (needs name). vault: kept for "
        "good, only if the user says so. core: always in your sight; quote a whole "
        "sentence that the user typed.",
    )
    about: str = Field(
        default="",
        description="semantic: the one it is about, as TYPE--NAME in lower case with "
        "dashes: person--ana-silva. The user is person--user. Types: person, project, "
        "tool, place, concept, or another noun.",
    )
    aliases: tuple[str, ...] = Field(
        default=(), description="Other names of the one it is about."
    )
    relations: tuple[Relation, ...] = Field(
        default=(), description="semantic: to others, if stated."
    )
    day: date | None = Field(
        default=None,
        description="The day it speaks of or happened.",
    )
    since: date | None = Field(
        default=None, description="semantic: from when it holds, if not from today."
    )
    until: date | None = Field(
        default=None, description="semantic: when it stops holding."
    )
    kind: Literal["decision", "preference", "fact", "event", "task", "emotion"] = Field(
        default="event", description="episodic: what sort."
    )
    name: str = Field(default="", description="procedural: such as 'how to deploy'.")
    when: str = Field(default="", description="procedural: when to do it.")
    supersedes: str = Field(
        default="",
        description="The id of a known fact that no longer holds because of this "
        "(someone moved, a plan changed). For a mistake use correct.",
    )
    contradicts: tuple[str, ...] = Field(
        default=(),
        description="Ids of known facts it cannot hold together with, while nobody "
        "knows which is right.",
    )
    confidence: Literal["high", "medium", "low"] = Field(
        default="high", description="high: said outright; low: guessed."
    )
    claim: str = Field(
        default="", description="Who says so, if neither the user nor you."
    )
    source: Literal["conversation", "tool"] = Field(
        default="conversation",
        description="tool: read on a web page, in a file, mail or tool result.",
    )


class Known(BaseModel):
    """Something known already."""

    id: str
    text: str


class Stored(BaseModel):
    """What became of one memory.

    `near` is what is known and close to it: if one of these is wrong or outdated
    because of it, correct or forget it by its id.
    """

    ids: list[str]
    near: list[Known] = []
    no_longer_holds: list[Known] = []
    perhaps_the_same: list[str] = []
    notes: list[str] = []
    error: str = ""


class RememberResult(BaseModel):
    """What became of each memory, in their order."""

    memories: list[Stored]
    change: str = Field(default="", description="For undo.")


class RecallResult(BaseModel):
    """A context block; every line begins with a citation, which is an id."""

    text: str
    sure: bool
    ids: dict[str, str] = Field(description="The full id behind each citation.")


class ChangeResult(BaseModel):
    """A change that was made, or what has to be settled before."""

    done: bool
    change: str = Field(default="", description="For undo.")
    ids: list[str] = []
    choices: list[Known] = []
    notes: list[str] = []


class ShowResult(BaseModel):
    """One memory, or what was asked for, as Markdown."""

    text: str
    id: str = ""
    path: str = ""
    day: str = ""
    whose: str = ""
    status: str = ""
    changes: list[str] = []


class ReflectResult(BaseModel):
    """Where a reflection stands, and what comes next.

    With `prompt`, think about it and call reflect again with your answer: one JSON
    object that fits `answer_schema`, within `tokens_left`.
    """

    state: str
    says: str
    next: str
    prompt: str = ""
    answer_schema: dict[str, object] = {}
    tokens_left: int = 0
    problem: str = ""
