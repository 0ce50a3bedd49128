"""Talks to hold in a workspace, a mind that sums them up, and timers of the test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from click.testing import CliRunner
from tests.memory.home import agrees

from reverie import Memory, ScriptedMind
from reverie.interfaces.cli.command import Invocation
from reverie.interfaces.cli.main import cli
from reverie.model.conversation import Offer, SummedUp
from reverie.model.views import Reach

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.memory.home import Clock, Home

    from reverie.conversation.window import Window
    from reverie.minds.scripted import Script
    from reverie.model.views import Recalled

PROMPT = "Write a concise summary of the current context."

ROME = (
    ("Where do we stay in Rome?", "In Trastevere, close to the river."),
    ("How do we get there?", "By night train from Vienna."),
    ("What does the room cost?", "Ninety euros a night, with breakfast."),
    ("Is there a garden?", "A small one, with two lemon trees."),
    ("Who waters the plants at home?", "Our neighbour, every other day."),
)
"""As many messages of a user as make a summary due."""

SUMMARY = (
    "A journey to Rome by night train; the lodging in Trastevere is chosen. "
    "Open: who feeds the tortoise."
)
"""What a mind makes of it; the tortoise stands nowhere else."""


def thoughtful(
    home: Home, script: Script | str = SUMMARY, **environ: str
) -> tuple[Memory, ScriptedMind]:
    """The workspace, opened with a mind that sums up."""
    said = script
    mind = ScriptedMind(
        (lambda _: {"summary": said}) if isinstance(said, str) else said
    )
    home.memory.close()
    home.memory = Memory(
        home.root, clock=home.clock, environ=environ, mind=mind, human=agrees
    )
    home.memory.tidy_on_close = False
    return home.memory, mind


def talked(
    memory: Memory,
    name: str = "rome",
    pairs: tuple[tuple[str, str], ...] = ROME,
) -> Window:
    """A window in which something was said."""
    window = memory.window(name)
    for question, answer in pairs:
        window.exchange(question, answer)
    return window


def summed_up(window: Window, question: str = "") -> SummedUp:
    """A context reflection that a mind wrote."""
    done = window.reflect(question)
    assert isinstance(done, SummedUp)
    return done


def offered(done: SummedUp | Offer | None) -> Offer:
    """A context reflection that the agent has to write."""
    assert isinstance(done, Offer)
    return done


def found(memory: Memory, words: str, *, person: str = "") -> Recalled:
    """What is found by any means."""
    return memory.recall(words, reach=Reach.EVERYTHING, least=0, person=person)


def texts(recalled: Recalled) -> set[str]:
    """What hits say."""
    return {hit.text for hit in recalled.hits}


def rows(memory: Memory, window: str) -> set[str]:
    """The ids of a window's turns that have a row in the index."""
    session = memory._session  # noqa: SLF001 - tests look behind the door
    session.look()
    start = f"turn:{window}/"
    return {item.id for item in session.index.items() if item.id.startswith(start)}


def vectors(memory: Memory, window: str) -> dict[str, bytes]:
    """The vectors of a window's turns, by id."""
    memory.recall("anything")  # who asks has them made
    kept = memory._session.index._rows(  # noqa: SLF001 - tests look behind the door
        "SELECT id, data FROM items JOIN vectors ON item = number"
    )
    return {id_: data for id_, data in kept if id_.startswith(f"turn:{window}/")}


def typed(home: Home, *words: str) -> str:
    """What a command prints."""
    session = Invocation(str(home.root), clock=home.clock, human=agrees)
    done = CliRunner().invoke(cli, words, prog_name="reverie", obj=session)
    assert done.exit_code == 0, done.stderr
    return done.stdout


@dataclass(eq=False)
class _Timer:
    at: float
    then: Callable[[], None]
    off: bool = False

    def cancel(self) -> None:
        self.off = True


class Timers:
    """Timers that ring when the test lets time go by."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._set: list[_Timer] = []

    def __call__(self, seconds: float, then: Callable[[], None]) -> _Timer:
        """Set one."""
        timer = _Timer(self._clock().timestamp() + seconds, then)
        self._set.append(timer)
        return timer

    @property
    def running(self) -> list[float]:
        """In how many seconds those that are set will ring."""
        now = self._clock().timestamp()
        return [timer.at - now for timer in self._set if not timer.off]

    def forward(self, **by: float) -> None:
        """Let time go by, and those ring whose time has come."""
        now = self._clock.forward(**by).timestamp()
        for timer in [each for each in self._set if each.at <= now]:
            self._set.remove(timer)
            if not timer.off:
                timer.then()
