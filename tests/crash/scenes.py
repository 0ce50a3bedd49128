"""Operations to interrupt, and how to tell that a workspace is whole."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from reverie import (
    Block,
    Core,
    Episodic,
    Memory,
    Procedural,
    ScriptedMind,
    Semantic,
    Vault,
)
from reverie.ledger.repository import Repository
from reverie.model.change import hash_content
from reverie.stores.entities import fact_id
from reverie.workspace import layout
from reverie.workspace.layout import DEVICES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from reverie.minds.mind import Question

NOON = datetime(2026, 2, 2, 12, 0, tzinfo=UTC)
LATER = NOON + timedelta(hours=3)
BERLIN = fact_id("person--alex", "Lives in Berlin")
LYON = fact_id("person--alex", "Lives in Lyon")
NOTED = (
    {"text": "Moved to Rome", "about": "person--alex", "supersedes": [BERLIN]},
    {"text": "Bo sails.", "about": "person--bo", "day": "2026-02-01"},
    {"text": "The fair was cancelled.", "day": "2026-01-30"},
)
TINY = {"REVERIE_CORE_CONTEXT_TOKENS": "150", "REVERIE_LEDGER_SHARD_LIMIT": "12"}


def opened(root: Path, at: datetime = LATER) -> Memory:
    """A workspace whose clock stands still."""
    memory = Memory(root, clock=lambda: at, environ=TINY, human=lambda _: True)
    memory.tidy_on_close = False
    return memory


def prepared(root: Path) -> None:
    """A small workspace with something in every store."""
    with Memory.init(
        root, clock=lambda: NOON, environ=TINY, human=lambda _: True
    ) as memory:
        memory.tidy_on_close = False
        memory.remember("Chose the hybrid approach.", Episodic())
        memory.remember("Lives in Berlin", Semantic("Alex", "person"))
        memory.remember("run the tests\ntag it", Procedural("how to deploy"))
        memory.remember("Passport in the blue box.", Vault("Passport"))
        memory.remember("Working on: the ledger " + "x " * 40, Core(Block.CONTEXT))
        memory.pin("episode:2026-02-02:12:00")


def full_folder(root: Path) -> None:
    """A workspace whose vault is one note short of being split."""
    prepared(root)
    vault = root / "memory" / "vault"
    for number in range(11):
        (vault / f"note-{number}.md").write_text(f"# Note {number}\n\nText.\n")
    with opened(root) as memory:
        memory.alerts()


@dataclass(frozen=True)
class Scene:
    """Something that changes a workspace, and what it needs to be there."""

    act: Callable[[Path], None]
    before: Callable[[Path], None] = prepared


def _with(verb: Callable[[Memory], object]) -> Callable[[Path], None]:
    def act(root: Path) -> None:
        with opened(root) as memory:
            verb(memory)

    return act


def _edit_by_hand(root: Path) -> None:
    page = root / "memory/graph/entities/person--alex.md"
    page.write_text(page.read_text() + "- Likes tea\n")
    (root / "SOUL.md").write_text("# Soul\n")


def _edited(root: Path) -> None:
    prepared(root)
    _edit_by_hand(root)


def _two_pages(root: Path) -> None:
    """A person with two pages, one of which others link to."""
    prepared(root)
    with opened(root, NOON + timedelta(hours=1)) as memory:
        links = (("knows", "person--al"),)
        memory.remember("Likes tea", Semantic("Al", "person"))
        memory.remember("Sails", Semantic("Bo", "person", links=links))
        memory.reinforce(["entity:person--al"])


def _spoken_to(root: Path) -> None:
    """A person with a page, who said something that was summed up."""
    _two_pages(root)
    with opened(root, NOON + timedelta(hours=2)) as memory:
        window = memory.window("talk")
        window.say("I sold the boat.", speaker="Bo")
        window.note("The boat was sold.")


def _asked(root: Path) -> None:
    """A page that asks which of two facts holds, and a link that came with one."""
    prepared(root)
    with opened(root, NOON + timedelta(hours=1)) as memory:
        links = (("lives-in", "place--lyon"),)
        lyon = Semantic("Alex", "person", links=links)
        memory.remember("Lives in Lyon", lyon, contradicts=[BERLIN])
        memory.remember("Alex called from Lyon.", Episodic())


def _forget(words: str) -> Callable[[Memory], object]:
    return lambda memory: memory.forget(memory.find_to_forget(words).matches)


def _renamed(root: Path) -> None:
    _two_pages(root)
    pages = root / "memory/graph/entities"
    (pages / "person--al.md").rename(pages / "friend--al.md")


def _agent_folder(root: Path) -> None:
    root.mkdir(exist_ok=True)
    (root / "SOUL.md").write_text("# Soul\n")
    (root / "MEMORY.md").write_text("# Mine\n\n## Identity\n- Name: Alex\n")


def _written_to_later(root: Path) -> None:
    prepared(root)
    with opened(root, NOON + timedelta(hours=1)) as memory:
        memory.remember("Afterthought.", Episodic())


def _answers(question: Question) -> dict[str, object]:
    """What a mind says in each phase of a reflection."""
    said: dict[str, dict[str, object]] = {
        "reflect-survey": {"plan": [], "themes": []},
        "reflect-meta": {"insights": [], "observations": [], "guidance": []},
        "reflect-consolidate": {"operations": [FACT, WAY, INSIGHT]},
        "reflect-rewrite": {
            "add": [{"section": "Critical Facts", "text": "Ships on Fridays"}]
        },
        "reflect-present": {
            "monologue": "Okay. He ships on Fridays, and I wonder why that pleases me. "
            "[Self-Awareness]",
            "vibe": "calm",
            "key_insight": "Fridays matter.",
        },
    }
    return said[question.operation]


FACT = {
    "operation": "EXTRACT",
    "target": "memory/graph/entities/person--alex.md",
    "content": "Ships on Fridays",
    "reason": "said so",
}
WAY = {
    "operation": "PATTERN",
    "target": "memory/procedures/shipping.md",
    "content": "Trigger: On Fridays\nship it",
    "reason": "seen often",
}
INSIGHT = {
    "operation": "EVOLVE",
    "target": "memory/meta/evolution.md",
    "content": "Rhythm matters.",
    "reason": "it grew",
}


def _asleep(root: Path) -> Memory:
    """A workspace with a mind that reflects."""
    mind = ScriptedMind(_answers)
    memory = Memory(
        root,
        clock=lambda: LATER,
        environ={"TZ": "UTC"},
        mind=mind,
        human=lambda _: True,
    )
    memory.tidy_on_close = False
    return memory


def _requested(root: Path) -> None:
    prepared(root)
    with _asleep(root) as memory:
        memory.reflection.begin()


def _granted(root: Path) -> None:
    _requested(root)
    with _asleep(root) as memory:
        memory.reflection.reply("Proceed")


def _proposed(root: Path) -> None:
    _granted(root)
    with _asleep(root) as memory:
        memory.reflection.advance()


def _grant(root: Path) -> None:
    with _asleep(root) as memory:
        memory.reflection.reply("Proceed with 8K")


def _decide(words: str) -> Callable[[Path], None]:
    def act(root: Path) -> None:
        with _asleep(root) as memory:
            shown = memory.reflection.status().shown
            memory.reflection.decide(words, shown)

    return act


SCENES: dict[str, Scene] = {
    "grant tokens": Scene(_grant, _requested),
    "approve a reflection": Scene(_decide("approve"), _proposed),
    "reject a reflection": Scene(_decide("reject: the tone"), _proposed),
    "remember an episode": Scene(
        _with(lambda m: m.remember("Shipped it.", Episodic()))
    ),
    "remember on a new day": Scene(
        _with(
            lambda m: m.remember(
                "Slept.", Episodic(at=datetime(2026, 2, 3, 9, tzinfo=UTC))
            )
        )
    ),
    "remember a fact": Scene(
        _with(
            lambda m: m.remember(
                "Lives in Paris", Semantic("person--alex", supersedes="Lives in Berlin")
            )
        )
    ),
    "remember a procedure": Scene(
        _with(lambda m: m.remember("notify", Procedural("how to deploy")))
    ),
    "remember in the vault": Scene(
        _with(lambda m: m.remember("Key under the mat.", Vault("Key")))
    ),
    "remember in core, moving another out": Scene(
        _with(lambda m: m.remember("Now: tests " + "y " * 60, Core(Block.CONTEXT)))
    ),
    "remember where the folder is full": Scene(
        _with(lambda m: m.remember("One too many.", Vault("Straw"))), full_folder
    ),
    "notice edits by hand": Scene(_with(lambda m: m.alerts()), _edited),
    "pin": Scene(_with(lambda m: m.pin("entity:person--alex"))),
    "unpin an episode": Scene(_with(lambda m: m.unpin("episode:2026-02-02:12:00"))),
    "merge two pages": Scene(_with(lambda m: m.merge("Al", "Alex")), _two_pages),
    "rename a page": Scene(
        _with(lambda m: m.rename("Al", "Al Berg", type="friend")), _two_pages
    ),
    "notice a page renamed by hand": Scene(_with(lambda m: m.alerts()), _renamed),
    "undo": Scene(_with(lambda m: m.undo())),
    "restore": Scene(
        _with(lambda m: m.restore(NOON + timedelta(minutes=1))),
        _written_to_later,
    ),
    "correct a fact": Scene(
        _with(lambda m: m.correct(LYON, "Lives in Nice")),
        _asked,
    ),
    "correct an episode": Scene(
        _with(lambda m: m.correct("episode:2026-02-02:12:00", "Chose the plain one."))
    ),
    "settle a contradiction": Scene(
        _with(lambda m: m.settle(BERLIN, keep=BERLIN)), _asked
    ),
    "observe": Scene(_with(lambda m: m.observe(NOTED))),
    "forget a fact": Scene(_with(_forget("Lives in Lyon")), _asked),
    "forget a memory": Scene(_with(_forget("entity:person--alex")), _asked),
    "erase": Scene(_with(lambda m: m.erase("vault:passport"))),
    "erase a fact": Scene(
        _with(lambda m: m.erase(fact_id("person--bo", "Sails"))), _two_pages
    ),
    "erase a person": Scene(_with(lambda m: m.erase(person="Bo")), _spoken_to),
    "erase a page": Scene(_with(lambda m: m.erase("entity:person--alex")), _asked),
    "erase a text": Scene(_with(lambda m: m.erase(text="in Lyon")), _asked),
    "rebuild": Scene(_with(lambda m: m.rebuild())),
    "acknowledge": Scene(_with(lambda m: m.acknowledge()), _edited),
    "adopt": Scene(
        lambda root: Memory.init(root, clock=lambda: NOON, environ={}).close(),
        _agent_folder,
    ),
}


def state(root: Path) -> dict[str, tuple[str, str]]:
    """Return what the ledger says every file holds."""
    repository = Repository(root / ".audit")
    return _comparable(repository.diff("", repository.head))


def _comparable(found: dict[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Leave out the device list, whose signatures name the random workspace ID."""
    return {path: ids for path, ids in found.items() if path != DEVICES}


def states(root: Path, since: str) -> list[dict[str, tuple[str, str]]]:
    """What it said after each commit that came after one."""
    repository = Repository(root / ".audit")
    return [
        _comparable(repository.diff("", commit.id))
        for commit in repository.between(since, repository.head)
    ]


def disagreements(
    root: Path, allowed: Sequence[dict[str, tuple[str, str]]] = ()
) -> list[str]:
    """Where files, history, log and index do not tell the same after opening.

    Args:
        root: The workspace.
        allowed: States of which it must be in one by then, where any are given.
    """
    found = []
    with opened(root) as memory:
        session = memory._session  # noqa: SLF001 - the oracle looks behind the door
        session.look()
        now = {*state(root).items()}
        unlike = [{path for path, _ in now ^ {*one.items()}} for one in allowed]
        # Scores and the graph's index are written whenever somebody has time for it.
        if allowed and not any(paths <= {*layout.GENERATED} for paths in unlike):
            found.append(f"it is neither as before nor as after: {unlike}")
        head = session.ledger.head
        for path, (_, blob) in session.ledger.changed(head, "").items():
            data = session.folder.read(path)
            if data is None or hash_content(data) != blob:
                found.append(f"{path} is not what HEAD says")
        found += map(str, session.ledger.log.verify())
        if session.index.seen != head:
            found.append("the index has not seen HEAD")
        live = ([*session.index.items()], session.index.traces(), session.index.edges())
        session.snapshot()
        session.rebuild_index()
        anew = ([*session.index.items()], session.index.traces(), session.index.edges())
        found += [] if live == anew else ["the index is not what a rebuild gives"]
        found += [] if not memory.warnings else list(memory.warnings)
        memory.remember("It still works.", Episodic())
    return found
