"""A workspace to look at: a month of one person who does not exist.

What happened stands in `sample.md`, and what was thought of it in `sample.toml`. It is
lived through with a clock that walks from day to day up to now, by the same verbs that
a person and an agent have.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from datetime import UTC, date, datetime, time, timedelta
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from reverie import (
    Block,
    Core,
    EpisodeKind,
    Episodic,
    Memory,
    Procedural,
    Role,
    Semantic,
    Vault,
)
from reverie.importers.walk import Chat, ChatTurn, Provenance
from reverie.model.change import DETECT, MAIN, MANUAL, REMEMBER
from reverie.model.ids import slug

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

SHIPS, SHIPPED = 17, 4
"""Days until the app of the story ships, and until it was first meant to."""

AWAY = 75
"""Days until somebody of the story is back, so that a month can be named."""

CHATTED = timedelta(days=20)
"""How long before it was brought in the imported conversation was had."""

WHO = {"you": MANUAL, "agent": MAIN, "noticed": DETECT, "asked": REMEMBER}
"""Whom the first word of a moment means; any other is the name of a sub-agent."""

_DAY = re.compile(r"\n## (?:(\d+) days? ago|Today)\n")
_HEAD = re.compile(r"(\d+:\d\d) (\S+) (\S+) ?(.*)")
_EPISODE = re.compile(r"\{(\d+) (\d\d:\d\d)\}")
_SINCE = re.compile(r"\{day (\d+)\}")


def make_sample(
    folder: Path, progress: Callable[[int, int], None] = lambda _done, _all: None
) -> None:
    """Make a folder a workspace that has lived for a month.

    Args:
        folder: Where; it need not exist.
        progress: Told how much has happened, and of how much.
    """
    story = Story(datetime.now(UTC).replace(second=0, microsecond=0))
    moments = sorted(story.moments(), key=lambda each: each.at)
    clock = [moments[0].at - timedelta(minutes=5)]
    # Its own agent thinks, so what thinking costs is counted. Vectors of sentences take
    # longest, and are made by whoever opens it.
    chosen = {"REVERIE_MIND_KIND": "host", "REVERIE_EMBEDDING_SENTENCES": "false"}
    how: dict[str, Any] = {
        "clock": lambda: clock[0],
        "environ": {**os.environ, **chosen},
        "human": lambda _: True,
    }
    Memory.init(folder, **how).close()
    with Memory(folder, **how) as memory:
        memory.tidy_on_close = False
        # Where another sample was before, its history is known and missed.
        memory.accept_workspace()
        memory.acknowledge()
        life = Life(memory, story)
        for number, moment in enumerate(moments, 1):
            clock[0] = moment.at
            getattr(life, moment.verb)(moment)
            progress(number, len(moments))


class Moment(NamedTuple):
    """Something that happens: when, by whom, what, and the words for it.

    Attributes:
        at: When, in UTC.
        who: Who acts.
        verb: Which method of `Life` does it.
        args: What stands behind the verb.
        lines: What was said.
    """

    at: datetime
    who: str
    verb: str
    args: str
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """What was said, but for the lines that begin with a mark."""
        return "\n".join(line for line in self.lines if line[:2] not in MARKS)

    def marked(self, mark: str) -> list[str]:
        """What stands behind a mark."""
        return [line[2:] for line in self.lines if line[:2] == f"{mark} "]


MARKS = ("→ ", "~ ", "≠ ", "? ", "= ", "* ", "^ ")


class Story(NamedTuple):
    """The story, told as of a moment.

    Attributes:
        now: The moment; nothing in it happened later.
    """

    now: datetime

    def moments(self) -> Iterator[Moment]:
        """All that happens."""
        _, *days = _DAY.split(_read("sample.md"))
        for ago, text in zip(days[::2], days[1::2], strict=True):
            for part in text.strip().split("\n\n"):
                first, *lines = self.filled(part).split("\n")
                found = _HEAD.fullmatch(first)
                assert found, first  # noqa: S101 - our own file
                hour, who, verb, args = found.groups()
                at = self.at(int(ago), hour) if ago else self._before(hour)
                yield Moment(at, who, verb, args, tuple(lines))

    def thoughts(self, number: int) -> Mapping[str, Any]:
        """What was thought in a reflection, by phase."""
        told = tomllib.loads(self.filled(_read("sample.toml")))
        found: Mapping[str, Any] = told["reflection"][number - 1]
        return found

    def at(self, ago: int, hour: str) -> datetime:
        """A moment of a day that is over, as the clocks here show it."""
        day = datetime.combine(self.day(ago), time.fromisoformat(hour))
        return day.astimezone(UTC)

    def day(self, ago: int) -> date:
        """A day, counted back from today."""
        return self.now.astimezone().date() - timedelta(days=ago)

    def _before(self, hours: str) -> datetime:
        whole, minutes = map(int, hours.split(":"))
        return self.now - timedelta(hours=whole, minutes=minutes)

    def filled(self, text: str) -> str:
        """A text with days in the place of their names."""

        def episode(named: re.Match[str]) -> str:
            return f"episode:{self.day(int(named[1]))}:{named[2]}"

        text = _EPISODE.sub(episode, text)
        text = _SINCE.sub(lambda named: str(self.day(int(named[1]))), text)
        for name, ago in (("{ship}", -SHIPS), ("{first}", -SHIPPED)):
            day = self.day(ago)
            text = text.replace(name, f"{day.day} {day:%B}")
        return text.replace("{back}", f"{self.day(-AWAY):%B}")


def _read(name: str) -> str:
    return (files("reverie.interfaces.web") / name).read_text(encoding="utf-8")


class Life:
    """Does what happens in the story; each method is one of its verbs.

    Args:
        memory: The workspace, its clock at the moment that is lived.
        story: The story.
    """

    def __init__(self, memory: Memory, story: Story) -> None:
        self._memory, self._story = memory, story

    # --- remembering -----------------------------------------------------------

    def core(self, moment: Moment) -> None:
        """Write a line into core memory."""
        block, *pinned = moment.args.split()
        place = Core(Block(block), pinned=bool(pinned))
        self._remember(moment, place)

    def fact(self, moment: Moment) -> None:
        """Say something of somebody."""
        kind, _, name = moment.args.partition(" ")
        links = (link.partition(": ")[::2] for link in moment.marked("→"))
        place = Semantic(
            name,
            kind,
            links=tuple(links),
            supersedes="".join(moment.marked("~")),
            alias="".join(moment.marked("=")),
            basis=" ".join(moment.marked("^")),
            perhaps=tuple(moment.marked("?")),
        )
        self._remember(moment, place)

    def episode(self, moment: Moment) -> None:
        """Tell what happened."""
        kind, *tags = moment.args.split()
        self._remember(moment, Episodic(EpisodeKind(kind), tags=tuple(tags)))

    def procedure(self, moment: Moment) -> None:
        """Say how something is done."""
        trigger, *steps = moment.lines
        place = Procedural(moment.args, trigger)
        self._memory.remember("\n".join(steps), place, actor=WHO[moment.who])

    def vault(self, moment: Moment) -> None:
        """Put something where nothing fades."""
        self._remember(moment, Vault(moment.args))

    def _remember(
        self, moment: Moment, place: Core | Episodic | Semantic | Vault
    ) -> None:
        about = slug_of(*moment.args.partition(" ")[::2])
        against = [self._fact_id(about, words) for words in moment.marked("≠")]
        actor = WHO[moment.who]
        self._memory.remember(moment.text, place, actor=actor, contradicts=against)

    def _fact_id(self, entity: str, words: str) -> str:
        facts = self._memory.entities.page(f"entity:{entity}").facts
        return next(each.id for each in facts if each.fact.text == words)

    # --- changing one's mind ---------------------------------------------------

    def correct(self, moment: Moment) -> None:
        """Let a line of core memory say something else."""
        old, new = moment.lines
        lines = self._memory.items(path="MEMORY.md")
        line = next(each for each in lines if each.text.strip() == old)
        self._memory.correct(line.id, new, actor=WHO[moment.who])

    def rename(self, moment: Moment) -> None:
        """Give somebody or something another name."""
        self._memory.rename(moment.args, moment.text, actor=WHO[moment.who])

    def merge(self, moment: Moment) -> None:
        """Say that two pages are about one."""
        self._memory.merge(*moment.args.split(), actor=WHO[moment.who])

    def pin(self, moment: Moment) -> None:
        """Keep something from fading."""
        self._memory.pin(moment.args, actor=WHO[moment.who])

    def forget(self, moment: Moment) -> None:
        """Forget what some words are about."""
        found = self._memory.find_to_forget(moment.text)
        meant = [each for each in found.matches if each.key in found.meant]
        self._memory.forget(meant, actor=WHO[moment.who], trigger="forget it")

    def undo(self, moment: Moment) -> None:
        """Take back what was done last, to everything or to a file."""
        self._memory.undo(path=moment.args, actor=WHO[moment.who])

    # --- using and guarding it -------------------------------------------------

    def recall(self, moment: Moment) -> None:
        """Ask for something, which keeps it vivid."""
        self._memory.recall(moment.text)

    def expect(self, moment: Moment) -> None:
        """Say what must stay answerable."""
        self._memory.expect(*moment.lines, actor=WHO[moment.who])

    # --- talking ---------------------------------------------------------------

    def say(self, moment: Moment) -> None:
        """Say something in a conversation."""
        role = Role.USER if moment.who == "you" else Role.ASSISTANT
        self._memory.window(moment.args).say(moment.text, role=role)

    def sum(self, moment: Moment) -> None:
        """Sum a conversation up, and note what it told."""
        noted = (line.partition(": ") for line in moment.marked("*"))
        observed = [{"about": about, "text": text} for about, _, text in noted]
        self._memory.window(moment.args).note(moment.text, observations=observed)

    def delete(self, moment: Moment) -> None:
        """Let what was said in a conversation never come back."""
        window, number = moment.args.split()
        self._memory.window(window).delete(int(number), actor=WHO[moment.who])

    def bring(self, moment: Moment) -> None:
        """Bring a conversation in that was had elsewhere, some time before."""
        title, *said = moment.lines
        began = moment.at - CHATTED
        turns = [
            ChatTurn(role, text, began + timedelta(minutes=number))
            for number, (role, _, text) in enumerate(s.partition(": ") for s in said)
        ]
        origin = Provenance("claude", slug(title))
        chat = Chat(origin, title, began, tuple(turns))
        self._memory.take_in([chat], actor=WHO[moment.who])

    # --- others, and sleep -----------------------------------------------------

    def propose(self, moment: Moment) -> None:
        """Let a sub-agent propose something."""
        against = [self._fact_id(moment.args, words) for words in moment.marked("≠")]
        with self._memory.acting_as(moment.who) as agent:
            about = [moment.args]
            agent.propose(moment.text, entities=about, contradicts=against)
        self._memory.review()

    def reflect(self, moment: Moment) -> None:
        """Reflect, and decide on it in the words that were said, if any were."""
        reflection = self._memory.reflection
        thoughts = self._story.thoughts(int(moment.args))
        reflection.begin()
        reflection.reply(thoughts["tokens"])
        standing = reflection.advance()
        while standing.question:
            phase = standing.question.operation.removeprefix("reflect-")
            standing = reflection.answer(json.dumps(thoughts.get(phase, {})))
        if moment.text:
            reflection.decide(moment.text, standing.shown)

    def remark(self, moment: Moment) -> None:
        """Say something about the last reflection."""
        actor = WHO[moment.who]
        self._memory.reflection.say(moment.text, kind=moment.args, actor=actor)


def slug_of(kind: str, name: str) -> str:
    """The name of an entity's page."""
    return f"{kind}--{slug(name)}"
