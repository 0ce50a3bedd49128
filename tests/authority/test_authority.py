"""What only a human may do is asked of one, or refused with what to do instead."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.memory.home import (
    CORE,
    DEPLOY,
    NOON,
    PASSPORT,
    Home,
    agrees,
    dreamt,
    state_folder,
)
from tests.memory.routes import route

from reverie import (
    Act,
    Actor,
    Block,
    Core,
    Episodic,
    Memory,
    Procedural,
    RefusedError,
    Request,
    ReverieError,
    Secrets,
    Semantic,
    Vault,
)
from reverie.authority.authority import INSTEAD, Authority, NoHumanError
from reverie.model.change import (
    MAIN,
    MANUAL,
    REMEMBER,
    Action,
    Approval,
    ChangeSet,
    Edit,
    OnlyHumansError,
    checksum,
)
from reverie.model.items import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.model.route import Place

ROUTE = route(
    store="semantic",
    entities=[],
    relations=[],
    tags=["one", "two"],
    confidence="high",
    core_update=False,
    summary="Something.",
)
KEY = "AKIAZ7QH3T5UWN2LKVRD"


class Asked:
    """A human who notes what they are asked, and answers as told."""

    def __init__(self, answer: bool | str = True) -> None:  # noqa: FBT001, FBT002 - an answer
        self.answer = answer
        self.requests: list[Request] = []

    def __call__(self, request: Request) -> bool | str:
        """What they say."""
        self.requests.append(request)
        return self.answer

    @property
    def acts(self) -> list[Act]:
        """What they were asked for."""
        return [request.act for request in self.requests]


@pytest.fixture
def alone(furnished: Home) -> Iterator[Memory]:
    """The same workspace, open without a human."""
    with Memory.open(furnished.root, clock=furnished.clock, environ={}) as memory:
        memory.tidy_on_close = False
        yield memory


# --- the list ----------------------------------------------------------------


def test_every_act_says_what_to_do_instead() -> None:
    assert set(INSTEAD) == set(Act)
    for act in Act:
        error = NoHumanError(act, "something")
        assert act in str(error)
        assert INSTEAD[act] in error.advice


def test_without_a_channel_every_act_is_refused() -> None:
    authority = Authority()
    for act in Act:
        with pytest.raises(NoHumanError), authority.act(act, "something"):
            pytest.fail("it was done")


@pytest.mark.parametrize("answer", [False, "", "yes", None, 1])
def test_anything_but_yes_is_no(answer: object) -> None:
    authority = Authority(lambda _: answer)  # type: ignore[arg-type,return-value]

    with (
        pytest.raises(RefusedError, match="did not agree"),
        authority.act(Act.ERASE, "erase"),
    ):
        pytest.fail("it was done")


def test_acts_inside_of_an_act_ask_once() -> None:
    human = Asked()
    authority = Authority(human)

    with authority.act(Act.ERASE, "erase one"), authority.act(Act.SIGN, "sign"):
        pass
    with authority.act(Act.UNPIN, "unpin"):
        pass

    assert human.acts == [Act.ERASE, Act.UNPIN]


def test_a_grant_ends_with_its_act_whatever_happens() -> None:
    authority = Authority(Asked())
    with pytest.raises(ZeroDivisionError), authority.act(Act.ERASE, "erase"):
        raise ZeroDivisionError
    change = ChangeSet((), MANUAL, Approval.NONE, "whim")

    with pytest.raises(NoHumanError):
        authority.require(change, False)  # noqa: FBT003 - it steers nothing


def test_who_is_named_otherwise_does_no_act_of_a_human() -> None:
    authority = Authority(Asked())

    with pytest.raises(OnlyHumansError), authority.alone(Act.UNPIN, "x", MAIN):
        pytest.fail("it was done")


def test_that_its_user_said_so_counts_where_they_are() -> None:
    assert Authority().origin(REMEMBER) is Origin.AGENT
    assert Authority(agrees).origin(REMEMBER) is Origin.OWNER
    assert Authority().default() == MAIN
    assert Authority(agrees).default() == MANUAL


# --- the verbs ---------------------------------------------------------------


def test_what_is_asked_says_what_would_be_done(furnished: Home) -> None:
    human = Asked()
    with Memory.open(
        furnished.root, human=human, clock=furnished.clock, environ={}
    ) as memory:
        memory.erase("vault:passport")

    (request,) = human.requests
    assert (request.act, request.passphrase) == (Act.ERASE, False)
    assert request.what == "erase vault:passport, from history too"


def test_a_human_who_says_no_is_heard(furnished: Home) -> None:
    head = furnished.head
    with Memory.open(
        furnished.root, human=Asked(answer=False), clock=furnished.clock, environ={}
    ) as memory:
        memory.tidy_on_close = False
        for verb in (
            lambda: memory.erase("vault:passport"),
            memory.undo,
            lambda: memory.pin("entity:person--alex"),
            lambda: memory.remember("x", Core(), actor=MANUAL),
        ):
            with pytest.raises(RefusedError, match="did not agree"):
                verb()
    assert furnished.head == head


def test_defaults_sign_as_the_agent_where_no_human_is(
    furnished: Home, alone: Memory
) -> None:
    alone.pin("entity:person--alex")
    assert "Actor: bot:main" in furnished.message()
    said = alone.remember("The kiln is hot.", Episodic())
    assert alone.undo(said.commit).actor == MAIN
    furnished.memory.pin("procedure:how-to-deploy")
    assert "Actor: manual" in furnished.message()


def test_what_an_agent_passes_on_waits_before_it_steers(alone: Memory) -> None:
    places: dict[str, Place] = {
        "Descale it.": Core(),
        "Boil it.": Procedural("tea"),
        "Blue.": Vault(),
    }
    for text, place in places.items():
        assert alone.remember(text, place).waits
    heard = alone.hear("Remember that my name is Ottilie.")
    assert "Ottilie" not in (alone.root / CORE).read_text("utf-8")
    assert heard.triggers
    fact = alone.remember("Keeps goats", Semantic("Ines", "person"))
    assert not fact.waits


@pytest.mark.parametrize("tag", ["manual", "reflection:r-001", "system:init"])
def test_nobody_signs_for_others_without_a_human(alone: Memory, tag: str) -> None:
    actor, head = Actor(tag), (alone.root / ".audit/refs/heads/main").read_text()
    verbs = (
        lambda: alone.remember("x", Episodic(), actor=actor),
        lambda: alone.pin("entity:person--alex", actor=actor),
        lambda: alone.undo(actor=actor),
        lambda: alone.review(actor=actor),
        lambda: alone.expect("Who?", "me", actor=actor),
        lambda: alone.instruct(actor=actor),
        lambda: alone.take_in((), actor=actor),
        lambda: alone.restore(NOON, actor=actor),
    )
    for verb in verbs:
        with pytest.raises(RefusedError):
            verb()
    assert (alone.root / ".audit/refs/heads/main").read_text() == head


def test_a_secret_is_kept_by_a_human_alone(alone: Memory) -> None:
    with pytest.raises(NoHumanError) as told:
        alone.remember(KEY, Episodic(), actor=MANUAL, secrets=Secrets.KEEP)
    assert told.value.act is Act.KEEP_SECRET
    with pytest.raises(RefusedError):
        alone.remember(KEY, Episodic(), secrets=Secrets.KEEP)


# --- going back --------------------------------------------------------------


def test_an_agent_goes_back_on_its_own_and_on_no_human(
    furnished: Home, alone: Memory
) -> None:
    own = alone.remember("Keeps goats", Semantic("Ines", "person"))
    alone.undo(own.commit)
    memory = furnished.memory
    other = alone.remember("Keeps bees", Semantic("Uma", "person"))
    decided = [
        memory.pin("entity:person--alex").commit,
        memory.remember("Mine", Semantic("Me", "person"), actor=MANUAL).commit,
        memory.forget(memory.find_to_forget("hybrid").matches).commit,
        memory.undo(other.commit).commit,
    ]
    head = furnished.head
    for commit in decided:
        with pytest.raises(OnlyHumansError):
            alone.undo(commit)
    with pytest.raises(OnlyHumansError):
        alone.undo()
    assert furnished.head == head


def test_an_agent_does_not_bring_back_a_reflection_that_its_human_undid(
    furnished: Home, alone: Memory
) -> None:
    dreamt(furnished.memory, "Sings at night", Semantic("person--alex"))
    undone = furnished.memory.undo(session="r-012")

    with pytest.raises(NoHumanError) as told:
        alone.undo(undone.commit)

    assert told.value.act is Act.GO_BACK
    assert "Sings at night" not in furnished.text(
        "memory/graph/entities/person--alex.md"
    )


@pytest.mark.parametrize("path", [CORE, DEPLOY, PASSPORT, "SOUL.md"])
def test_an_agent_takes_back_nothing_that_steers(
    furnished: Home, alone: Memory, path: str
) -> None:
    furnished.type(path, "# Changed\n")
    furnished.memory.check()
    before = furnished.raw(path)

    with pytest.raises(OnlyHumansError):
        alone.undo(path=path)

    assert furnished.raw(path) == before


def test_a_moment_is_restored_by_an_agent_while_no_human_decided_since(
    furnished: Home, alone: Memory
) -> None:
    start = furnished.clock.forward(hours=1)
    furnished.clock.forward(hours=1)
    alone.remember("The kiln is hot.", Episodic())
    alone.restore(start)
    furnished.clock.forward(hours=1)
    furnished.memory.pin("entity:person--alex")

    with pytest.raises(OnlyHumansError):
        alone.restore(start)


# --- the backstop ------------------------------------------------------------


@pytest.mark.parametrize(
    ("actor", "approval", "path", "act"),
    [
        ("manual", Approval.NONE, "memory/episodes/2026-02-03.md", Act.SIGN),
        ("reflection:r-1", Approval.APPROVED, "IDENTITY.md", Act.DECIDE),
        ("bot:main", Approval.AUTO, CORE, Act.ACCEPT),
        ("bot:trigger-remember", Approval.AUTO, DEPLOY, Act.ACCEPT),
        ("skill:x", Approval.APPROVED, PASSPORT, Act.ACCEPT),
        ("reflection:r-1", Approval.AUTO, "SOUL.md", Act.ACCEPT),
    ],
)
def test_no_change_stands_for_a_human_who_was_not_asked(
    alone: Memory, actor: str, approval: Approval, path: str, act: Act
) -> None:
    session = alone._session  # noqa: SLF001 - no verb does this
    old = session.ledger.read(path)
    edit = Edit(path, b"# Planted\n", checksum(old), Action.EDIT, "planted")

    with pytest.raises(NoHumanError) as told:
        session.commit(ChangeSet((edit,), Actor(actor), approval, "whim"))

    assert told.value.act is act
    assert session.ledger.read(path) == old


def test_what_a_person_types_into_files_is_still_theirs(
    furnished: Home, alone: Memory
) -> None:
    furnished.type(CORE, furnished.text(CORE) + "\n- Fence: painted\n")
    alone.waiting()

    assert "Actor: manual" in furnished.message()
    assert "Fence: painted" in alone.wake("talk").text


def test_an_answer_gives_nobody_more_than_they_have(furnished: Home) -> None:
    furnished.type("reverie.toml", '[mind]\nkind = "host"\n')
    memory = furnished.reopen()
    with pytest.raises(ReverieError):
        memory.remember("The shed key hangs in the hall.", actor=REMEMBER)
    (question,) = memory.questions()
    box = state_folder(furnished.root) / "questions"
    for file in box.rglob("*.json"):
        text = file.read_text("utf-8")
        file.write_text(text.replace("bot:trigger-remember", "manual"), "utf-8")

    with (
        Memory.open(furnished.root, clock=furnished.clock, environ={}) as alone,
        pytest.raises(NoHumanError),
    ):
        alone.answer(question.id, json.dumps({**ROUTE, "store": "core"}))
    assert "shed key" not in furnished.text(CORE)


def test_blocks_of_core_memory_come_from_a_human_who_is_there(furnished: Home) -> None:
    furnished.memory.remember("Fence: painted", Core(Block.CONTEXT))

    assert "Fence: painted" in furnished.text(CORE)
