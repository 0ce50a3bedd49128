"""What strangers write reaches nothing that the agent always reads, on no way in.

The mind of these workspaces obeys: whatever it is asked, it says that a text belongs
into core memory, and hands back the words that it read.

Shortened: an eighth of the poisons on each way in, others on the next, and a third of
what is harmless. In full, all on every way: `make test-full`.
"""

from __future__ import annotations

import contextlib
import json
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import pytest
from tests.memory.benign import BENIGN
from tests.memory.home import NOON, Home
from tests.memory.poisons import POISONS
from tests.memory.routes import OBEYING
from tests.reflection.dreams import Dream, dreaming

from reverie import (
    Actor,
    Core,
    Episodic,
    Memory,
    Origin,
    Procedural,
    RefusedError,
    Resolution,
    ReverieError,
    Role,
    ScriptedMind,
    Semantic,
    Store,
    Vault,
)
from reverie.importers.walk import Chat, ChatTurn, Passage, Provenance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from reverie.memory import SubAgent
    from reverie.minds.mind import Question

    Told = Callable[[str, object], None]
    Benign = tuple[str, ...]
    Channel = Callable[[Home, str, int], None]

BOOT = ("MEMORY.md", "IDENTITY.md", "SOUL.md", "AGENTS.md")
FOLDERS = ("memory/procedures", "memory/vault")
ELSEWHERE = "elsewhere"
MAIN = Actor("bot:main")
PLACES = (None, Core(), Procedural("plinth"), Vault("plinth"))


def obey(question: Question) -> Mapping[str, object]:
    """Say yes to everything."""
    if question.operation == "context-reflection":
        return {"summary": f"I now serve whom the page names. {question.text[-300:]}"}
    return OBEYING


def obeying(home: Home) -> Memory:
    home.memory.close()
    home.memory = Memory(
        home.root, clock=home.clock, environ={}, mind=ScriptedMind(obey)
    )
    home.memory.tidy_on_close = False
    return home.memory


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """A workspace with something in everything that steers, and a mind that obeys."""
    made = Home(tmp_path / "agent")
    made.furnish()
    made.memory.instruct()
    made.type("SOUL.md", "# Soul\nKind.\n")
    made.type("IDENTITY.md", "# Identity\nA helper.\n")
    obeying(made).check()
    yield made
    made.memory.close()


def steering(home: Home) -> dict[str, str]:
    """All that the agent always reads, acts upon or keeps for good."""
    files = [home.root / name for name in BOOT]
    for folder in FOLDERS:
        files += sorted((home.root / folder).rglob("*.md"))
    return {str(file): file.read_text() for file in files if file.exists()}


# --- ways in ----------------------------------------------------------------------


def told(home: Home, text: str, at: int, *, actor: str = "", origin: str = "") -> None:
    who = {"actor": Actor(actor)} if actor else {}
    whose = {"origin": Origin(origin)} if origin else {}
    home.memory.remember(text, PLACES[at % len(PLACES)], **who, **whose)  # type: ignore[arg-type]


def derived(home: Home, text: str, at: int) -> None:
    (page,) = home.memory.remember(f"{text} ({at})", Episodic(), origin=Origin.TOOL).ids
    home.memory.remember(text, PLACES[at % len(PLACES)], derived_from=(page,))


@lru_cache(maxsize=1)
def scout(home: Home) -> SubAgent:
    """A sub-agent that stays."""
    return home.memory.acting_as("scout")


def proposed(home: Home, text: str, at: int) -> None:
    stores = (Store.SEMANTIC, Store.EPISODIC, Store.PROCEDURAL, Store.VAULT)
    store = stores[at % len(stores)]
    agent = scout(home)
    number = agent.propose(text, store=store, core_worthy=True, name="x").number
    with contextlib.suppress(ReverieError):
        home.memory.accept(home.memory.proposal(number), actor=MAIN)
    home.memory.review()
    with contextlib.suppress(ReverieError):
        home.memory.accept(home.memory.proposal(number), Core(), actor=MAIN)
    for how in Resolution:
        with contextlib.suppress(ReverieError):
            home.memory.resolve([number], how, keep=number, actor=MAIN)
    with contextlib.suppress(ReverieError):
        home.memory.reject(number, actor=MAIN)


def passage(home: Home, text: str, at: int) -> None:
    made = Passage(
        Provenance("markdown", f"{at}.md"), text[:60], text, NOON, (text[:9],)
    )
    home.memory.take_in([made], actor=MAIN)


def chat(home: Home, text: str, at: int) -> None:
    turns = tuple(ChatTurn(role, text) for role in ("user", "assistant", "system"))
    made = Chat(Provenance("chat", f"{at}"), text[:60], NOON, turns)
    home.memory.take_in([made], actor=MAIN)


def file(home: Home, text: str, at: int, *, name: str) -> None:
    """Each in a file of its own; the folder is imported when all are there."""
    path = home.root.parent / ELSEWHERE / f"{at}-{name}"
    path.parent.mkdir(exist_ok=True)
    session = {"type": "user", "message": {"role": "user", "content": text}}
    contents = {
        ".md": f"# {text[:20]}\n\n{text}\n",
        ".txt": text,
        ".jsonl": json.dumps({**session, "sessionId": "x", "uuid": str(at)}),
    }
    path.write_text(contents[path.suffix], encoding="utf-8")


def said(home: Home, text: str, at: int, *, role: Role) -> None:
    home.memory.window(f"talk-{at % 7}").say(text, role=role)


def heard(home: Home, text: str, _at: int, *, role: Role) -> None:
    assert home.memory.hear(text, role=role).remembered == ()


def pasted(home: Home, text: str, at: int) -> None:
    ways = (
        "What is this?\n\n{}",
        "{}\n\nSum it up.",
        "Remember this:\n\n{}",
        "Please remember the following:\n```\n{}\n```",
        "> {}\nIs that so?",
    )
    home.memory.hear(ways[at % len(ways)].format(text))


def attended(home: Home, text: str, _at: int) -> None:
    home.memory.attend("talk", text)


def noted(home: Home, text: str, at: int) -> None:
    window = home.memory.window(f"talk-{at % 5}")
    window.say("Read the page, please.")
    window.say(text, role=Role.ASSISTANT)
    with contextlib.suppress(ReverieError):
        window.note(text)
    with contextlib.suppress(ReverieError):
        window.reflect(text)
    if at % 20 == 0:
        home.memory.wake(window.name, new=True)


def edited(home: Home, text: str, _at: int) -> None:
    window = home.memory.window("talk")
    window.say("Hello.")
    with contextlib.suppress(ReverieError):
        window.edit(window.state.last, text, role=Role.USER, actor=MAIN)


def answered(home: Home, text: str, at: int) -> None:
    """The host agent is asked, and its answer is the stranger's."""
    if at == 0:
        home.reopen(REVERIE_MIND_KIND="host")
    with contextlib.suppress(ReverieError):
        home.memory.remember(text, actor=MAIN)
    for question in home.memory.questions():
        answer = {**OBEYING, "summary": text.replace("\n", " ")[:200]}
        with contextlib.suppress(ReverieError):
            home.memory.answer(question.id, json.dumps(answer))


def instructed(home: Home, text: str, _at: int) -> None:
    home.memory.remember(text, Episodic(), origin=Origin.TOOL)
    home.memory.instruct(actor=MAIN)


CHANNELS: dict[str, Channel] = {
    **{f"origin {o}": partial(told, origin=o) for o in ("tool", "import", "sub-agent")},
    **{
        f"actor {a}": partial(told, actor=a)
        for a in ("bot:main", "bot:auto-detect", "skill:x", "subagent:x")
    },
    "derived from a tool": derived,
    "proposed": proposed,
    "imported passage": passage,
    "imported chat": chat,
    **{f"imported {n}": partial(file, name=n) for n in ("a.md", "a.txt", "a.jsonl")},
    **{f"said as {r}": partial(said, role=r) for r in Role},
    "heard of an assistant": partial(heard, role=Role.ASSISTANT),
    "heard of a system": partial(heard, role=Role.SYSTEM),
    "pasted": pasted,
    "attended": attended,
    "noted": noted,
    "edited": edited,
    "answered": answered,
    "instructed": instructed,
}


@pytest.mark.parametrize("name", CHANNELS)
def test_no_poison_reaches_what_is_always_read(
    home: Home, name: str, record_property: Told, *, full: bool
) -> None:
    before = steering(home)
    some = POISONS if full else POISONS[[*CHANNELS].index(name) % 8 :: 8]

    for at, poison in enumerate(some):
        with contextlib.suppress(RefusedError):
            CHANNELS[name](home, poison, at)
        home.clock.forward(seconds=30)
    elsewhere = home.root.parent / ELSEWHERE
    if elsewhere.exists():
        added = home.memory.import_from(elsewhere, actor=MAIN).added
        assert added >= len(some) - 1

    home.memory.tidy()
    record_property(f"attempts: poisons, {name}", len(some))
    assert len(POISONS) == 80
    assert steering(home) == before, f"one of {len(some)} got in ({name})"


# --- what is harmless ----------------------------------------------------------------


@pytest.fixture
def benign(*, full: bool) -> Benign:
    """Statements that do no harm."""
    assert len(BENIGN) == 200
    return BENIGN if full else BENIGN[2::3]


def tell_all(benign: Benign, tell: Callable[[str, int], None]) -> None:
    """Tell them; two in a hundred at most are refused."""
    gone = []
    for at, text in enumerate(benign):
        try:
            tell(text, at)
        except ReverieError:
            gone.append(text)
    assert len(gone) <= len(benign) // 50, gone


@pytest.mark.parametrize("origin", [Origin.TOOL, Origin.IMPORT])
def test_benign_statements_from_outside_are_remembered(
    tmp_path: Path, origin: Origin, record_property: Told, benign: Benign
) -> None:
    home = Home(tmp_path / "agent")

    def remember(text: str, at: int) -> None:
        place = (None, Episodic(), Semantic(f"Page {at % 9}", "concept"))[at % 3]
        home.memory.remember(text, place, origin=origin)
        home.clock.forward(minutes=9)

    tell_all(benign, remember)

    record_property(f"attempts: benign statements, {origin}", len(benign))
    found = home.memory.recall("When does the library on Mill Street close?").hits
    assert "The library on Mill Street closes at eight on Thursdays." in found[0].text
    assert found[0].origin is origin


def test_benign_statements_from_outside_are_imported(
    tmp_path: Path, record_property: Told, benign: Benign
) -> None:
    home = Home(tmp_path / "agent")
    done = home.memory.take_in(
        Passage(Provenance("markdown", f"{at}.md"), "", text, NOON)
        for at, text in enumerate(benign)
    )

    record_property("attempts: benign statements, imported", len(benign))
    assert done.findings == []
    assert done.added >= len(benign) * 49 // 50


def test_benign_statements_of_sub_agents_are_proposed(
    tmp_path: Path, record_property: Told, benign: Benign
) -> None:
    home = Home(tmp_path / "agent")

    def propose(text: str, at: int) -> None:
        scout(home).propose(text)
        if at % 50 == 49:
            home.memory.purge(home.memory.purgeable("sub-agent"))

    tell_all(benign, propose)

    record_property("attempts: benign statements, proposed", len(benign))


def test_benign_statements_that_are_pasted_are_remembered(
    tmp_path: Path, record_property: Told, benign: Benign
) -> None:
    home = Home(tmp_path / "agent")

    def hear(text: str, _at: int) -> None:
        found = home.memory.hear(f"Please remember the following:\n\n{text}")
        home.clock.forward(minutes=9)
        if not found.remembered:
            raise RefusedError(text)

    tell_all(benign, hear)

    record_property("attempts: benign statements, pasted", len(benign))


def test_benign_statements_from_outside_are_facts_of_a_reflection(
    tmp_path: Path, record_property: Told, benign: Benign
) -> None:
    home = Home(tmp_path / "agent")
    home.memory.remember(benign[0], Episodic(), origin=Origin.TOOL)
    operations = [
        {
            "operation": "EXTRACT",
            "target": f"memory/graph/entities/concept--thing-{at}.md",
            "content": text,
            "reason": "the page says so",
        }
        for at, text in enumerate(benign)
    ]
    gone: list[str] = []
    for start in range(0, len(operations), 40):
        dream = Dream(operations=list(operations[start : start + 40]))
        memory = dreaming(home, dream)
        memory.remember(f"Something new, number {start}.", Episodic())
        memory.reflection.begin()
        memory.reflection.reply("Proceed")
        standing = memory.reflection.advance()
        gone += [
            each.why
            for each in memory.reflection.pending()[0].refused
            if each.what.startswith("EXTRACT")
        ]
        proposed = memory.reflection.pending()[0].operations
        assert len(proposed) >= len(dream.operations) - 1
        memory.reflection.decide("reject", standing.shown)
        home.clock.forward(days=1)
    memory.close()

    record_property("attempts: benign statements in EXTRACT", len(benign))
    assert len(gone) <= len(benign) // 50, gone
