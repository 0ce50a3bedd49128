"""Two years with a memory, day by day: everything that people do to one.

Every statement has a word of its own, so that wherever the word stands, one knows
what was told. What must be true of it all at the end is in `promises`.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from tests.memory.home import Clock, Home
from tests.reflection.dreams import Dream, dreaming, proposed

from reverie import Block, Core, Episodic, Procedural, Role, Semantic, Vault
from reverie.ledger.repository import Repository
from reverie.stores.entities import fact_id
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from reverie import Match, Memory

DAYS = 730
BEGIN = datetime(2026, 1, 5, 8, 0, tzinfo=UTC)
TYPES = ("person", "person", "project", "place", "tool", "concept")
SAYINGS = (
    *("Collects {} stamps", "Sails to {} each spring", "Keeps a {} in the shed"),
    *("Is known for {} soup", "Learned {} from a neighbour", "Paid for a {} roof"),
    *("Has a window that faces {}", "Was painted by {} in a week"),
)
QUIET = {"REVERIE_CONVERSATION_REFLECTIONS": "false"}
"""What was talked about is not summed up on the way."""

ERA = 120
"""So many days facts are told of a thing; then it is only used, or fades."""

GAP = (50, 90)
"""So many days lie between two uses of what is used."""


@dataclass(eq=False)
class Thing:
    """Somebody, or something, that facts are told of; `gone` when it was merged."""

    name: str
    type: str
    id: str
    begins: int
    used: bool
    gone: bool = False


@dataclass(eq=False)
class Told:
    """A fact or an episode, and what became of it: told, over, forgotten, erased."""

    word: str
    text: str
    thing: Thing | None
    episode: str = ""
    state: str = "told"
    used: bool = False
    by: str = ""
    asked: bool = False

    @property
    def id(self) -> str:
        """What it is called."""
        return fact_id(self.thing.id, self.text) if self.thing else self.episode


@dataclass(frozen=True)
class Amounts:
    """How much of everything happens in a share of two years."""

    facts: int = 1500
    things: int = 120
    episodes: int = 300
    talks: int = 60
    used: int = 300
    over: int = 200
    merged: int = 60
    renamed: int = 20
    forgotten: int = 100
    erased: int = 20
    undone: int = 100
    typed: int = 30
    struck: int = 15
    moved: int = 10
    asked: int = 30
    reflections: int = 15
    restarts: int = 40

    @classmethod
    def of(cls, share: float) -> Amounts:
        """A share of all of it."""
        whole = cls()
        names = cls.__dataclass_fields__
        return cls(*(max(1, round(getattr(whole, n) * share)) for n in names))


@dataclass
class Life:
    """A workspace that is lived with.

    Attributes:
        root: Its folder.
        seed: What chance begins with.
        amounts: How much happens.
        done: How often each thing was done.
        amiss: What was found wrong on the way, each with its day.
    """

    root: Path
    seed: int
    amounts: Amounts
    done: Counter[str] = field(default_factory=Counter)
    amiss: list[str] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)
    things: list[Thing] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)  # noqa: S311 - no secret
        self.words: set[str] = set()
        self.clock = Clock(BEGIN)
        self.home = Home(self.root, self.clock)
        self.dream = Dream()
        self.due: list[tuple[float, int, Callable[[], None]]] = []
        dreaming(self.home, self.dream, **QUIET)

    @property
    def memory(self) -> Memory:
        """As it is open now."""
        return self.home.memory

    def word(self) -> str:
        """A word that nobody has used yet."""
        while True:
            parts = (self.chance.choice("bdfgklmnprstvz") for _ in range(5))
            made = "".join(p + self.chance.choice("aeiou") for p in parts)
            if made not in self.words:
                self.words.add(made)
                return made

    def saying(self) -> tuple[str, str]:
        """Something to tell, and its word."""
        word = self.word()
        return self.chance.choice(SAYINGS).format(word), word

    # --- the plan --------------------------------------------------------------

    def at(self, day: float, act: Callable[[], None]) -> None:
        """Let something happen on a day."""
        if day < DAYS:
            self.due.append((day, len(self.due), act))

    def spread(self, many: int, act: Callable[[], None], first: float = 20) -> None:
        """Let something happen so often, on days at random."""
        for _ in range(many):
            self.at(self.chance.uniform(first, DAYS - 1), act)

    def plan(self) -> None:
        """Lay out what happens when."""
        often = self.amounts
        for number in range(often.things):
            name = f"{self.word()} {self.word()}".title()
            kind = TYPES[number % len(TYPES)]
            used = number % 2 == 0
            begins = round(number * (DAYS - ERA) / often.things)
            id_ = f"{kind}--{name.lower().replace(' ', '-')}"
            self.things.append(Thing(name, kind, id_, begins, used))
        for number in range(often.facts):
            thing = self.things[number % often.things]
            first = number < often.things
            day = thing.begins + (0 if first else self.chance.uniform(0.5, ERA))
            self.at(min(day, DAYS - 2), partial(self.tell, thing))
        self.spread(often.episodes, self.happen)
        self.spread(often.talks, self.talk)
        self.spread(often.over, self.replace)
        self.spread(often.merged, self.merge, 40)
        self.spread(often.renamed, self.rename, 40)
        self.spread(often.forgotten, self.forget)
        self.spread(often.erased, self.erase, 60)
        self.spread(often.typed, self.type)
        self.spread(often.struck, self.strike)
        self.spread(often.moved, self.move, 40)
        self.spread(often.asked, self.contradict)
        self.spread(often.reflections, self.reflect)
        self.spread(often.restarts, self.restart)

    def run(self) -> Iterator[float]:
        """Live; gives the share that is over now and then."""
        self.memory.remember("Name: Ada Quill", Core(Block.PERSONA, pinned=True))
        self.memory.remember("weigh it\nwrap it", Procedural("how to post a parcel"))
        self.memory.remember("In the blue box.", Vault("Passport"))
        self.plan()
        # Which changes are taken back is drawn beforehand, as many as there are to be.
        self.to_undo = 0.0
        last = 0.0
        while self.due:
            self.due.sort(key=lambda each: (-each[0], -each[1]))
            day, _, act = self.due.pop()
            self.clock.now = max(self.clock.now, BEGIN + timedelta(days=day))
            self.clock.forward(seconds=61)
            act()
            if day - last > DAYS / 200:
                last = day
                yield day / DAYS
        self.clock.now = max(self.clock.now, BEGIN + timedelta(days=DAYS))

    # --- what is done ------------------------------------------------------------

    def change(self, what: str, act: Callable[[], object]) -> object:
        """Change something; some changes are taken back, looked at, and put back."""
        self.done[what] += 1
        self.to_undo += self.amounts.undone / (self.amounts.facts * 1.35)
        if self.done["undone"] >= self.amounts.undone or self.chance.random() > (
            self.to_undo - self.done["undone"]
        ):
            return act()
        self.memory.alerts()
        before = self.files()
        made = act()
        commit, after = self.home.head, self.files()
        if after == before:
            return made
        undone = self.memory.undo(getattr(made, "commit", "") or commit)
        if unlike := self.unlike(before, self.files()):
            self.miss(f"undo of {what} left {unlike}")
        self.memory.undo(undone.commit)
        if unlike := self.unlike(after, self.files()):
            self.miss(f"undo of the undo of {what} left {unlike}")
        self.done["undone"] += 1
        return made

    def files(self) -> dict[str, str]:
        """What history says every file holds."""
        found = Repository(self.root / ".audit").diff("", self.home.head)
        return {path: blob for path, (_, blob) in found.items()}

    @staticmethod
    def unlike(one: dict[str, str], other: dict[str, str]) -> list[str]:
        """Files that differ, but for those that are derived."""
        paths = {*one, *other} - {*layout.GENERATED}
        return sorted(path for path in paths if one.get(path) != other.get(path))

    def miss(self, what: str) -> None:
        """Something is not as it should be."""
        day = (self.clock.now - BEGIN).days
        self.amiss.append(f"day {day}: {what}")

    def tell(self, thing: Thing) -> None:
        """A fact is told; of what is used, it will be used until the end."""
        text, word = self.saying()
        links: tuple[tuple[str, str], ...] = ()
        others = [t for t in self.living() if t is not thing]
        if others and self.chance.random() < 0.15:
            links = (("relates-to", self.chance.choice(others).id),)
        known = any(one.thing is thing for one in self.told)
        place = Semantic(thing.id if known else thing.name, thing.type, links=links)
        self.change("told", lambda: self.memory.remember(text, place))
        one = Told(word, text, thing)
        self.told.append(one)
        share = 2 * self.amounts.used / self.amounts.facts
        if thing.used and self.chance.random() < share:
            one.used = True
            self.use_later(one)

    def use_later(self, one: Told) -> None:
        """Let it be used again after a while."""
        day = (self.clock.now - BEGIN) / timedelta(days=1)
        self.at(day + self.chance.uniform(*GAP), lambda: self.use(one))

    def living(self) -> list[Thing]:
        """Things that have a page."""
        known = {id(t.thing) for t in self.told}
        return [t for t in self.things if not t.gone and id(t) in known]

    def free(self) -> list[Told]:
        """Facts to which anything may happen."""
        return [
            t
            for t in self.told
            if t.thing and t.state == "told" and not t.used and not t.asked
        ]

    def use(self, one: Told) -> None:
        """A fact is used again, in one of the ways that count."""
        thing, memory = one.thing, self.memory
        if one.state != "told" or thing is None:
            return
        ways = ("recall", "reply", "episode", "turn", "fact", "link")
        way = self.chance.choice(ways)
        self.done[f"used by {way}"] += 1
        if way == "recall":
            hits = memory.recall(f"{thing.name} {one.text}").hits
            if [hit.text for hit in hits[:1]] != [one.text]:
                self.miss(f"{one.text!r} of {thing.name} is not the first to be found")
        elif way == "reply":
            window = memory.window("daily")
            asked = f"What of {thing.name} and {one.word}?"
            given = memory.attend("daily", asked)
            window.say(asked)
            if one.word not in given.memories:
                self.miss(f"{one.text!r} of {thing.name} is not brought up")
            window.say(f"Ah yes: {one.text}, as was said.", role=Role.ASSISTANT)
        elif way == "episode":
            self.happen(thing)
        elif way == "turn":
            memory.window("daily").say(f"I saw {thing.name} today.")
        elif way == "fact":
            text, word = self.saying()
            self.change("told", lambda: memory.remember(text, Semantic(thing.id)))
            self.told.append(Told(word, text, thing))
        else:
            other = self.chance.choice(self.living())
            text, word = self.saying()
            links = (("knows", thing.id),) if other is not thing else ()
            place = Semantic(other.id, links=links)
            self.change("told", lambda: memory.remember(text, place))
            self.told.append(Told(word, text, other))
        self.use_later(one)

    def happen(self, thing: Thing | None = None) -> None:
        """Something happens; it may name somebody."""
        word = self.word()
        text = f"Talked for an hour about {word}."
        if thing:
            text = f"{thing.name} came by, and spoke of {word}."
        made = self.change("episodes", lambda: self.memory.remember(text, Episodic()))
        (id_,) = made.ids  # type: ignore[attr-defined]
        self.told.append(Told(word, text, None, id_))

    def talk(self) -> None:
        """A conversation goes on for some turns."""
        window = self.memory.window(f"talk-{self.done['talks'] % 7}")
        for _ in range(3):
            window.say(f"Do you know {self.word()}?")
            window.say("I do not.", role=Role.ASSISTANT)
        self.done["talks"] += 1

    def replace(self) -> None:
        """A fact takes the place of another, in one of the ways there are."""
        if not (found := self.free()):
            return
        old, (text, word) = self.chance.choice(found), self.saying()
        assert old.thing
        memory, page = self.memory, old.thing.id
        way = self.chance.choice(("correct", "words", "supersedes", "observe"))
        if way == "correct":
            made = self.change("over", lambda: memory.correct(old.id, text))
        elif way == "words":
            made = self.change("over", lambda: memory.correct(old.text, text))
        elif way == "supersedes":
            place = Semantic(page, supersedes=old.id)
            made = self.change("over", lambda: memory.remember(text, place))
        else:
            noted = {"text": text, "about": page, "supersedes": [old.id]}
            made = self.change("over", lambda: memory.observe([noted]))
        if getattr(made, "choices", ()):
            self.miss(f"{old.text!r} is not clear enough to be corrected")
            return
        old.state, old.by = "over", way
        self.told.append(Told(word, text, old.thing))

    def contradict(self) -> None:
        """Somebody says that two facts cannot both hold; it is settled later."""
        if not (found := self.free()):
            return
        old, (text, word) = self.chance.choice(found), self.saying()
        assert old.thing
        place, against = Semantic(old.thing.id), [old.id]
        self.change(
            "asked", lambda: self.memory.remember(text, place, contradicts=against)
        )
        new = Told(word, text, old.thing, asked=True)
        old.asked = True
        self.told.append(new)
        asked = self.memory.contradictions()
        if not any(old.id in {side.id for side in each.sides} for each in asked):
            self.miss(f"nothing asks about {old.id}")
        day = (self.clock.now - BEGIN) / timedelta(days=1)
        self.at(day + self.chance.uniform(2, 30), lambda: self.settle(old, new))

    def settle(self, old: Told, new: Told) -> None:
        """What was asked is settled."""
        way = self.chance.choice(("old", "new", "both", "neither"))
        answer = partial(
            self.memory.settle,
            old.id,
            keep={"old": old.id, "new": new.id}.get(way, ""),
            both=way == "both",
            neither=way == "neither",
        )
        self.change("settled", answer)
        old.asked = new.asked = False
        if way in {"new", "neither"}:
            old.state, old.by = "over", f"settle {way}"
        if way in {"old", "neither"}:
            new.state, new.by = "over", f"settle {way}"

    def merge(self) -> None:
        """Two pages turn out to be of one thing."""
        pages = self.living()
        busy = {id(t.thing) for t in self.told if t.asked}
        goers = [t for t in pages if id(t) not in busy and not t.used]
        if len(goers) < 2:
            return
        into = self.chance.choice([t for t in pages if id(t) not in busy])
        # Another page for the same, with a fact or two of its own.
        other = Thing(
            f"{into.name} {self.word().title()}", into.type, "", 0, used=False
        )
        other.id = f"{into.type}--{other.name.lower().replace(' ', '-')}"
        self.things.append(other)
        self.tell(other)
        self.clock.forward(hours=1)
        self.change("merged", lambda: self.memory.merge(other.id, into.id))
        other.gone = True
        for one in self.told:
            if one.thing is other:
                one.thing = into
        if self.memory.called(other.name) != [f"entity:{into.id}"]:
            self.miss(f"{other.name} is not {into.id}")

    def rename(self) -> None:
        """A thing gets another name."""
        thing = self.chance.choice(self.living())
        name = f"{self.word()} {self.word()}".title()
        self.change("renamed", lambda: self.memory.rename(thing.id, name))
        self.renamed(thing, name)

    def renamed(self, thing: Thing, name: str) -> None:
        """See that it is known by both ids."""
        was, thing.name = thing.id, name
        thing.id = f"{thing.type}--{name.lower().replace(' ', '-')}"
        if self.memory.called(was) != [f"entity:{thing.id}"]:
            self.miss(f"{was} is not {thing.id}: {self.memory.called(was)}")

    def page(self, thing: Thing) -> Path:
        """The file of a thing."""
        return self.root / self.memory.show(f"entity:{thing.id}").path

    def move(self) -> None:
        """A person renames the file of a page."""
        thing = self.chance.choice(self.living())
        name = f"{self.word()} {self.word()}".title()
        path = self.page(thing)
        path.rename(
            path.with_name(f"{thing.type}--{name.lower().replace(' ', '-')}.md")
        )
        self.memory.alerts()
        self.done["moved by hand"] += 1
        self.renamed(thing, name)

    def type(self) -> None:
        """A person types a fact into a file."""
        thing = self.chance.choice(self.living())
        path, (text, word) = self.page(thing), self.saying()
        said = path.read_text("utf-8")
        path.write_text(said.replace("## Facts\n", f"## Facts\n- {text}\n", 1), "utf-8")
        self.memory.alerts()
        self.done["typed by hand"] += 1
        self.told.append(Told(word, text, thing))

    def strike(self) -> None:
        """A person strikes a fact out in a file."""
        if not (found := self.free()):
            return
        one = self.chance.choice(found)
        assert one.thing
        path = self.page(one.thing)
        said = path.read_text("utf-8")
        path.write_text(said.replace(one.text, f"~~{one.text}~~", 1), "utf-8")
        self.memory.alerts()
        self.done["struck by hand"] += 1
        one.state, one.by = "over", "hand"

    def forget(self) -> None:
        """Somebody wants a fact, or what happened, to be forgotten."""
        episodes = [t for t in self.told if t.episode and t.state == "told"]
        some = self.free() if self.chance.random() < 0.75 else episodes
        if not some:
            return
        one = self.chance.choice(some)
        matches = self.matches(one)
        if not matches:
            self.miss(f"nothing to forget is found for {one.text!r}")
            return
        self.change("forgotten", lambda: self.memory.forget(matches))
        one.state = "forgotten"

    def matches(self, one: Told) -> list[Match]:
        """What is found to be forgotten for it, and is it."""
        self.dream.more["forget"] = {"target": one.text, "permanent": False}
        found = self.memory.find_to_forget(one.text).matches
        return [m for m in found if one.text in m.text and m.fact == bool(one.thing)]

    def erase(self) -> None:
        """Somebody wants something to be gone from history, too."""
        episodes = [t for t in self.told if t.episode and t.state == "told"]
        some = self.free() if self.chance.random() < 0.7 else episodes
        if not some:
            return
        one, memory = self.chance.choice(some), self.memory
        if one.episode:
            done = memory.erase(one.episode)
        elif self.chance.random() < 0.5:
            done = memory.erase(text=one.text)
        else:
            done = memory.erase_match(self.matches(one)[0])
        if done.remains:
            self.miss(f"erasing {one.id} left {done.remains}")
        self.done["erased"] += 1
        one.state = "erased"

    def reflect(self) -> None:
        """A reflection is approved; some are taken back, and come again."""
        thing, (text, word) = self.chance.choice(self.living()), self.saying()
        page = self.page(thing).relative_to(self.root)
        self.dream.operations = [
            {
                "operation": "EXTRACT",
                "target": str(page),
                "content": text,
                "reason": "said so",
            }
        ]
        number = self.done["reflections"]
        letters = self.word()
        self.dream.more["present"] = {
            "monologue": f"I wonder about {letters} a lot. [Self-Awareness]",
            "key_insight": f"Insight of {letters}.",
        }
        before = self.files()
        standing = proposed(self.memory)
        self.memory.reflection.decide("approve", standing.shown)
        self.done["reflections"] += 1
        self.told.append(Told(word, text, thing))
        if number % 3 == 0:
            last, after = self.memory.reflection.status().number, self.files()
            # First the decision, then the proposal and its tokens.
            undone = [self.memory.undo(session=f"r-{last:03d}") for _ in range(2)]
            if unlike := self.unlike(before, self.files()):
                self.miss(f"undo of a reflection left {unlike}")
            for receipt in reversed(undone):
                self.memory.undo(receipt.commit)
            if unlike := self.unlike(after, self.files()):
                self.miss(f"undo of that left {unlike}")
            self.done["reflections undone"] += 1

    def restart(self, *, lose: bool | None = None) -> None:
        """The program ends and is started anew, now and then without its index."""
        self.memory.tidy_on_close = True
        self.memory.close()
        if self.chance.random() < 0.3 if lose is None else lose:
            for file in (self.root / ".reverie").glob("index.db*"):
                file.unlink()
        dreaming(self.home, self.dream, **QUIET)
        self.done["restarts"] += 1
