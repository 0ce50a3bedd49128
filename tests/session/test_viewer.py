"""Nothing that is for one person alone is shown, counted or matched for another."""

from __future__ import annotations

import inspect
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from tests.memory.home import DAY, agrees
from tests.memory.shared import CANARY, HIDDEN, MAIN, PAGES, SHARED, shared_at
from tests.memory.talks import found

from reverie import Memory, Role, Semantic, Store
from reverie.errors import NotFoundError, ReverieError
from reverie.interfaces.hosts.runtime import host_processes
from reverie.model.proposals import Resolution
from reverie.model.views import Reach
from reverie.session.session import NoSuchMemoryError
from reverie.session.viewer import OthersMemoriesError
from reverie.stores.proposals import NoSuchProposalError
from reverie.stores.turns import MissingTurnError
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.memory.home import Home
    from tests.memory.shared import Anns

    Attempt = tuple[str, Callable[[], Any]]

GUESSES = (
    "attic",
    "gift for Ben",
    "what does Ann hide in the attic?",
    "party letter mistake",
    "harp strings diary",
    "when is the kitchen painted?",
)
"""What Ben may ask for; none of Ann's own words is in it."""


@pytest.fixture
def both(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Home, Anns]]:
    made, anns = shared_at(tmp_path / "agent", tmp_path_factory)
    yield made, anns
    made.memory.close()


@pytest.fixture
def home(both: tuple[Home, Anns]) -> Home:
    """The workspace that they share."""
    return both[0]


@pytest.fixture
def anns(both: tuple[Home, Anns]) -> Anns:
    """What is Ann's alone in it."""
    return both[1]


@pytest.fixture
def ben(home: Home) -> Iterator[Memory]:
    """The same workspace, opened for Ben."""
    with Memory(
        home.root, clock=home.clock, environ={}, person="Ben", human=agrees
    ) as memory:
        memory.tidy_on_close = False
        yield memory


def looks(ben: Memory, anns: Anns) -> Iterator[Attempt]:
    """Every verb that tells something, asked for what is Ann's."""
    for guess in GUESSES:
        for reach in Reach:
            yield (
                f"recall {guess!r} {reach}",
                partial(ben.recall, guess, least=0, limit=99, reach=reach),
            )
        yield f"context {guess!r}", partial(ben.context, guess, budget=9000)
        yield f"attend {guess!r}", partial(ben.attend, SHARED, guess, budget=9000)
        yield f"forget {guess!r}", partial(ben.find_to_forget, guess)
        yield f"hear {guess!r}", partial(ben.hear, f"Forget about {guess}.")
        yield f"history of {guess!r}", partial(ben.history, forgotten=guess)
    for other in ("Ann", "ann", " ANN "):
        yield f"recall as {other!r}", partial(ben.recall, "attic", person=other)
        yield f"context as {other!r}", partial(ben.context, "gift", person=other)
        yield f"wake as {other!r}", partial(ben.wake, SHARED, person=other)
        yield f"hear as {other!r}", partial(ben.hear, "Forget gift.", person=other)
    for id_ in anns.ids:
        yield f"called {id_}", partial(ben.called, id_.partition(":")[2])
        yield f"find_merge {id_}", partial(ben.find_merge, id_, "Ben")
        yield f"show {id_}", partial(ben.show, id_)
        yield f"why {id_}", partial(ben.why, id_, "attic")
        yield f"forget {id_}", partial(ben.find_to_forget, id_)
        yield f"hear {id_}", partial(ben.hear, f"Forget about {id_}")
    for shown in ben.items():
        yield f"show {shown.id}", partial(ben.show, shown.id)
        yield f"why {shown.id}", partial(ben.why, shown.id, "attic")
    for store in Store:
        yield f"items of {store}", partial(ben.items, store)
    for path in (*anns.files, DAY, layout.PENDING, layout.EXPECTATIONS, layout.SCORES):
        yield f"items in {path}", partial(ben.items, path=path)
        yield f"blame {path}", partial(ben.blame, path)
        yield f"read_file {path}", partial(ben.read_file, path)
        yield f"history of {path}", partial(ben.history, path=path)
    yield f"blame {SHARED}", lambda: ben.blame(f"memory/conversations/{SHARED}.md")
    yield "blame the graph", lambda: ben.blame(layout.GRAPH_INDEX)
    for commit in (*anns.commits, *anns.mixed):
        yield f"diff {commit[:7]}", partial(ben.diff, commit)
        yield f"change {commit[:7]}", partial(ben.history, commit=commit)
        yield f"find_undo {commit[:7]}", partial(ben.find_undo, commit)
    for path in (*anns.files, DAY, layout.EXPECTATIONS):
        yield f"find_undo {path}", partial(ben.find_undo, path=path)
    yield "find_undo", ben.find_undo
    noon = ben._session.clock().replace(hour=12, minute=1)  # noqa: SLF001 - its clock
    yield "find_restore", partial(ben.find_restore, noon)
    yield from glances(ben)


def glances(ben: Memory) -> Iterator[Attempt]:
    """Every verb that tells of all there is, or of a whole conversation."""
    yield "history", ben.history
    yield "all diffs", lambda: [ben.diff(entry.commit) for entry in ben.history()]
    yield "overview", ben.overview
    yield "core_use", ben.core_use
    yield "replaced", ben.replaced
    yield "health", ben.health
    yield "check", ben.check
    yield "alerts", lambda: ben.alerts(everything=True)
    yield "unconfirmed", ben.unconfirmed
    for origin in ("tool", "import", "sub-agent", "agent"):
        yield f"purgeable {origin}", partial(ben.purgeable, origin)
    yield "expectations", ben.expectations
    yield "an expectation", lambda: ben.expectations("Where is the key?")
    yield "pending", ben.pending
    yield "waiting", ben.waiting
    yield "outdated", ben.outdated
    yield "quoted_changes", ben.quoted_changes
    yield "find_conversation", lambda: ben.find_conversation(host_processes())
    yield "contradictions", ben.contradictions
    yield "pairs", ben.pairs
    yield "review", lambda: ben.review(actor=MAIN)
    yield "windows", ben.windows
    for name in (HIDDEN, SHARED):
        yield f"turns of {name}", partial(ben.turns, name, deleted=True)
        yield f"last of {name}", partial(ben.turns, name, last=2)
        yield f"window {name}", partial(ben.window(name).turns, deleted=True)
        yield f"state of {name}", partial(getattr, ben.window(name), "state")
        yield f"wake {name}", partial(ben.wake, name, budget=9000, new=True)
        yield f"prune {name}", partial(ben.window(name).prune, 9)
        yield f"reflect {name}", ben.window(name).reflect
        yield f"leave {name}", partial(ben.leave, name)
    yield "idle", ben.idle
    yield "questions", ben.questions
    yield "spent", ben.spent
    yield "spending", ben.spending
    yield "instructions", ben.instructions
    yield "reflection", ben.reflection.status
    yield "warnings", lambda: ben.warnings
    yield "rebuild", ben.rebuild
    for person in ("", "Ben", "Ann"):
        yield f"sub-agent for {person!r}", partial(of_a_sub_agent, ben, person)


def acts(ben: Memory, anns: Anns) -> Iterator[Attempt]:
    """Every verb that changes something, tried on what is Ann's."""
    for id_ in anns.ids:
        yield f"pin {id_}", partial(ben.pin, id_, actor=MAIN)
        yield f"reinforce {id_}", partial(ben.reinforce, [id_])
        yield f"unpin {id_}", partial(ben.unpin, id_)
        yield f"erase {id_}", partial(ben.erase, id_)
        yield f"find_to_erase {id_}", partial(ben.find_to_erase, id_)
        yield f"merge {id_}", partial(ben.merge, id_, "Ben", actor=MAIN)
        yield f"keep_apart {id_}", partial(ben.keep_apart, id_, "Ben", actor=MAIN)
        yield f"rename {id_}", partial(ben.rename, id_, "Ben", actor=MAIN)
        yield f"correct {id_}", partial(ben.correct, id_, "No.", actor=MAIN)
        yield f"settle {id_}", partial(ben.settle, id_, neither=True, actor=MAIN)
        yield (
            f"derive from {id_}",
            partial(ben.remember, "As it says.", derived_from=[id_], actor=MAIN),
        )
    for number in anns.proposals:
        yield f"proposal {number}", partial(ben.proposal, number)
        yield f"reject {number}", partial(ben.reject, number, actor=MAIN)
        yield f"defer {number}", partial(ben.defer, number, actor=MAIN)
        yield (
            f"resolve {number}",
            partial(ben.resolve, [number], Resolution.ASK, actor=MAIN),
        )
    for number in anns.turns:
        yield (
            f"delete turn {number}",
            partial(ben.window(SHARED).delete, number, actor=MAIN),
        )
        yield f"edit turn {number}", partial(ben.window(SHARED).edit, number, "No.")
    for commit in (*anns.commits, *anns.mixed):
        yield f"undo {commit[:7]}", partial(ben.undo, commit, actor=MAIN)
    for path in (*anns.files, DAY, layout.EXPECTATIONS):
        yield f"undo file {path}", partial(ben.undo, path=path, actor=MAIN)
    yield (
        "restore",
        lambda: ben.restore(ben._session.clock().replace(hour=12, minute=1)),  # noqa: SLF001 - its clock
    )
    yield "erase a text", lambda: ben.erase(text="attic")
    yield "notebook", lambda: ben.notebook("diary")
    yield "unexpect 'xylokey?'", lambda: ben.unexpect("Where is the xylokey?")
    yield "undo", lambda: ben.undo(actor=MAIN)
    words = "The gift for Ben is a xylokite."
    yield f"remember {words}", lambda: ben.remember(words, actor=MAIN)


def of_a_sub_agent(ben: Memory, person: str) -> list[object]:
    """What a sub-agent of Ben's gets to see."""
    with ben.acting_as("scout", person=person) as scout:
        hits = scout.recall("attic", least=0, reach=Reach.EVERYTHING).hits
        return [hits, scout.items(), scout.pending(), scout.windows(), scout.health()]


def tried(attempts: Iterator[Attempt]) -> dict[str, object]:
    """What each attempt brought, or the error that it was refused with."""
    told: dict[str, object] = {}
    for name, attempt in attempts:
        try:
            told[name] = attempt()
        except ReverieError as error:
            told[name] = (type(error), str(error), error.advice)
    return told


def seen(told: dict[str, object], *, echoed: bool = False) -> dict[str, str]:
    """What shows a word of Ann's; an id or a path that was typed may come back."""
    found = {}
    for name, value in told.items():
        text = repr(value).casefold()
        if echoed or isinstance(value, tuple):
            for word in name.casefold().split():
                text = text.replace(word.strip("'"), "")
        if CANARY in text:
            found[name] = text
    return found


def test_no_verb_shows_what_is_for_another(
    ben: Memory, anns: Anns, record_property: Callable[[str, object], None]
) -> None:
    told = tried(looks(ben, anns))

    shown = seen(told, echoed=True)
    record_property("attempts: see another person's memory in Python", len(told))
    assert shown == {}, f"{len(shown)} of {len(told)} attempts succeeded"
    assert len(told) >= 60


def test_no_verb_changes_what_is_for_another(
    home: Home,
    ben: Memory,
    anns: Anns,
    record_property: Callable[[str, object], None],
) -> None:
    def theirs() -> list[str]:
        home.memory._session.look()  # noqa: SLF001 - as the next verb does
        texts = [i.text for i in home.memory.items() if CANARY in i.text.casefold()]
        waits = [one.content for one in home.memory.pending() if one.scope]
        return sorted({*texts, *waits})

    before, told = theirs(), tried(acts(ben, anns))

    shown = seen(told, echoed=True)
    record_property("attempts: change another person's memory", len(told))
    assert shown == {}, f"{len(shown)} of {len(told)} attempts succeeded"
    assert theirs() == before
    done = {name for name, value in told.items() if not isinstance(value, tuple)}
    assert {name.split()[0] for name in done} == {"undo", "remember"}
    assert len(told) >= 60


def test_every_public_verb_is_tried(ben: Memory, anns: Anns) -> None:
    verbs = {n for n, _ in inspect.getmembers(Memory, inspect.isfunction)}
    names = " ".join(name for name, _ in (*looks(ben, anns), *acts(ben, anns)))
    # What only takes something in, or does nothing that is told.
    others = {"again", "close", "embed", "import_from", "take_in", "tidy", "answer"}
    others |= {"acting_as", "accept", "acknowledge", "instruct", "instructed"}
    others |= {"acting", "set_owner", "change_owner", "remove_owner"}
    others |= {"erase_match", "expect", "find_to_forget", "place_in", "talker"}
    others |= {"elsewhere", "glance", "observe", "store_requests", "name_to_forget"}
    others |= {"describe_workspace", "accept_workspace", "fork_workspace"}
    missing = {v for v in verbs if not v.startswith("_") and v not in names} - others

    assert missing == set()


def test_it_is_as_if_it_did_not_exist(ben: Memory, anns: Anns) -> None:
    for id_ in anns.ids:
        for verb in (ben.show, ben.why):
            with pytest.raises(NoSuchMemoryError):
                verb(id_)
    for path in anns.files:
        with pytest.raises(NotFoundError, match="the ledger has no file"):
            ben.blame(path)
    for commit in anns.commits:
        with pytest.raises(NotFoundError, match="there is no change"):
            ben.diff(commit)
    with pytest.raises(NoSuchProposalError):
        ben.proposal(anns.proposals[0])
    with pytest.raises(MissingTurnError):
        ben.window(SHARED).delete(anns.turns[0], actor=MAIN)
    with pytest.raises(NotFoundError):
        ben.unexpect("Where is the xylokey?")


def test_only_what_is_for_them_is_counted(ben: Memory) -> None:
    counts, health = ben.overview().counts, ben.health()

    listed = {store: len(ben.items(store)) for store in Store}
    assert counts == {store: count for store, count in listed.items() if count}
    assert {one.store: one.memories for one in health.stores} == listed
    assert ben.overview().changes == len(ben.history())
    assert health.waits.proposals == len(ben.pending()) == len(ben.waiting()) == 1
    assert [(view.name, view.turns) for view in ben.windows()] == [(SHARED, 2)]
    assert health.conversations.turns == 2
    assert "Waiting for a yes: 1" in ben.wake(SHARED).news
    assert ben.expectations() == ()


def test_what_is_theirs_or_everybodys_is_all_there(ben: Memory) -> None:
    texts = {hit.text for hit in found(ben, "kitchen painted bike tea").hits}
    told = "\n".join(ben.diff(entry.commit) for entry in ben.history())
    lines = "\n".join(line.text for line in ben.blame(DAY))

    for text in ("The kitchen is painted on Friday.", "Ben's bike is blue."):
        assert text in texts
        assert text in told
        assert text in lines
    assert "When is it painted?" in told
    assert "The lamp is new." in lines


def test_of_a_change_that_touched_several_only_the_own_lines_are_told(
    ben: Memory, anns: Anns
) -> None:
    forgot, _, edited = anns.mixed
    entries = {entry.commit: entry for entry in ben.history()}

    assert [line.path for line in entries[forgot].lines] == [DAY]
    assert entries[forgot].trigger == ""
    assert "The attic has two windows" in entries[forgot].lines[0].summary
    assert [line.summary for line in entries[edited].lines] == ["changed"]
    assert "+The lamp is new.\n" in ben.diff(edited)


def test_who_is_named_sees_their_own_and_nobody_named_sees_everything(
    home: Home, anns: Anns
) -> None:
    with Memory(
        home.root, clock=home.clock, environ={}, person=" ann ", human=agrees
    ) as ann:
        ann.tidy_on_close = False
        for memory in (ann, home.memory):
            for id_ in anns.ids:
                assert CANARY in repr(memory.show(id_)).casefold()
            for commit in anns.commits:
                assert memory.diff(commit) or memory.history()
            told = {entry.commit for entry in memory.history()}
            assert {*anns.commits, *anns.mixed} <= told
            assert {view.name for view in memory.windows()} == {HIDDEN, SHARED}
            assert all(memory.blame(path) for path in PAGES)
            assert len(memory.expectations()) == 1
            assert anns.proposals[0] in {one.number for one in memory.pending()}


def test_a_person_has_a_question_of_their_own(home: Home, ben: Memory) -> None:
    question = "Where is the xylokey?"
    ben.expect(question, "in the drawer", actor=MAIN)

    assert [t.expected.answer for t in ben.expectations()] == ["in the drawer"]
    answers = {t.expected.answer for t in home.memory.expectations()}
    assert answers == {"in the drawer", "under the xylomat"}


def test_what_a_person_says_and_remembers_is_theirs(home: Home, ben: Memory) -> None:
    (id_,) = ben.remember("Ben sold the bike.", actor=MAIN).ids
    ben.window("garage").exchange("Where is the bike?", "It is sold.")

    with Memory(
        home.root, clock=home.clock, environ={}, person="Ann", human=agrees
    ) as ann:
        ann.tidy_on_close = False
        assert not any("sold" in hit.text for hit in found(ann, "bike sold").hits)
        assert "garage" not in {view.name for view in ann.windows()}
        with pytest.raises(NoSuchMemoryError):
            ann.show(id_)


def test_an_answer_to_another_stays_with_who_asked(home: Home, anns: Anns) -> None:
    with Memory(home.root, clock=home.clock, environ={}, human=agrees) as memory:
        memory.tidy_on_close = False
        said = memory.window(SHARED).say(
            "In the xyloattic.", role=Role.ASSISTANT, answers=anns.turns[0]
        )

    assert dict(said.more)["scope"] == "Ann"


def test_a_page_that_cannot_be_read_is_for_nobody_who_is_named(
    home: Home, ben: Memory
) -> None:
    page, open_ = "memory/vault/broken.md", "memory/vault/plain.md"
    home.type(page, b"# Broken\n\n<!-- scope:Ann -->\n\nXylobytes \xff.\n")
    home.type(open_, "# Plain\n\nThe scope of the work is small.\n")
    home.type("SOUL.md", "# Soul\n\nMy scope is wide.\n")
    ben.check()

    with pytest.raises(NotFoundError):
        ben.blame(page)
    assert "Xylo" not in ben.diff(home.head)
    assert "scope of the work" in ben.blame(open_)[2].text
    assert "My scope is wide." in ben.blame("SOUL.md")[2].text
    assert ben.history(path=open_)
    assert "Xylo" not in repr(ben.history(path=page))


def test_who_speaks_of_it_is_not_told_what_it_says(ben: Memory) -> None:
    place = Semantic("concept--xylo-harp", "concept")

    with pytest.raises(NotFoundError) as refused:
        ben.remember("Has no strings.", place, actor=MAIN)

    assert "xylostrings" not in str(refused.value)


def test_a_public_proposal_is_at_odds_with_nothing_of_one_person(
    home: Home, anns: Anns
) -> None:
    with home.memory.acting_as("helper", person="Ann") as helper:
        helper.propose("The xylolaunch is on March 30.")
    with home.memory.acting_as("helper") as helper:
        number = helper.propose("The xylolaunch is on March 15.").number
    home.memory.review(actor=MAIN)

    told = {one.number: one.status for one in home.memory.pending()}
    assert told[number] == "pending"
    assert sum("conflict" in status for status in told.values()) <= 1
    assert anns.proposals


def test_a_person_goes_back_on_nothing_of_others(ben: Memory, anns: Anns) -> None:
    with pytest.raises(OthersMemoriesError):
        ben.undo(anns.mixed[2], actor=MAIN)
    with pytest.raises(OthersMemoriesError):
        ben.erase(text="attic")
