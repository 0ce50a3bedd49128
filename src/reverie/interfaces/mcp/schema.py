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
    """An object from an agent; unknown fields are collected, to warn about them."""

    model_config = ConfigDict(extra="allow")


class Mention(_Given):
    """An entity that a memory names."""

    name: Text
    type: str = "concept"


class Relation(_Given):
    """A relation between two entities."""

    model_config = ConfigDict(extra="allow", populate_by_name=True)

    origin: str = Field(default="", alias="from", description="Default: about.")
    relation: Text = Field(description="works at, sister of, uses, …")
    to: Text = Field(description="place--lisbon")


class NewMemory(_Given):
    """One memory; several things are several memories."""

    text: str = Field(
        default="",
        description="One self-contained statement in the user's language: names, "
        "numbers, real dates instead of 'tomorrow'. Procedure: a step a line.",
    )
    store: Literal["semantic", "episodic", "procedural", "vault", "core"] = Field(
        default="semantic",
        description="semantic: a fact, preference or relation (needs about). "
        "episodic: an event or decision. procedural: a how-to (needs name). vault: "
        "permanent, only if the user says so. core: for nearly every conversation.",
    )
    about: str = Field(
        default="",
        description="semantic: TYPE--NAME in lower case: person--ana-silva; the user "
        "is person--user. Types: person, project, tool, place, concept.",
    )
    aliases: tuple[str, ...] = Field(default=(), description="Other names of about.")
    entities: tuple[str | Mention, ...] = Field(
        default=(), description="semantic: others it names, as TYPE--NAME."
    )
    relations: tuple[Relation, ...] = Field(
        default=(), description="semantic: if stated."
    )
    tags: tuple[Text, ...] = Field(default=(), description="2-5 topics.")
    day: date | None = Field(
        default=None,
        description="When it happened.",
    )
    since: date | None = Field(
        default=None, description="semantic: holds from, if not today."
    )
    until: date | None = Field(default=None, description="semantic: holds until.")
    kind: Literal[
        "decision", "preference", "fact", "event", "task", "emotion", "correction"
    ] = Field(default="event", description="episodic only.")
    name: str = Field(default="", description="procedural: such as 'how to deploy'.")
    when: str = Field(default="", description="procedural: when to do it.")
    core_update: bool = Field(default=False, description="Into core memory too.")
    block: Literal["identity", "context", "persona", "critical"] = Field(
        default="context", description="core only."
    )
    summary: str = ""
    supersedes: str = Field(
        default="",
        description="Id of what this replaces because it changed. For a mistake use "
        "correct.",
    )
    contradicts: tuple[str, ...] = Field(
        default=(),
        description="Ids of facts that cannot hold too, while nobody knows better.",
    )
    confidence: Literal["high", "medium", "low"] = Field(
        default="high", description="low: guessed."
    )
    claim: str = Field(default="", description="Who says so, if another.")
    quote: str = Field(
        default="", description="The user's sentence that says it, word for word."
    )
    source: Literal["conversation", "tool"] = Field(
        default="conversation",
        description="tool: from a web page, file, mail or tool.",
    )

    def find_unknown(self) -> list[str]:
        """Return the names of fields that this tool does not know."""
        nested = (e for e in (*self.entities, *self.relations) if isinstance(e, _Given))
        return [name for each in (self, *nested) for name in each.model_extra or ()]


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
