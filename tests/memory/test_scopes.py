"""What is for one person alone reaches nobody else, on whatever way."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.memory.company import MAIN, PAGE
from tests.memory.home import DAY
from tests.memory.talks import ROME, SUMMARY, found, offered, texts, thoughtful, typed
from tests.reflection.dreams import PAGE as REFLECTION
from tests.reflection.dreams import Dream, dreaming
from tests.reflection.dreams import proposed as dreamt

from reverie import (
    Core,
    Episodic,
    Memory,
    NotFoundError,
    Procedural,
    Role,
    Semantic,
    Store,
    Vault,
)
from reverie.conversation.window import AlreadyReflectedError
from reverie.errors import RefusedError
from reverie.model.conversation import Cause, SummedUp
from reverie.model.items import scope_of
from reverie.model.proposals import SubAgentError
from reverie.stores.entities import fact_id
from reverie.stores.proposals import load_pending

if TYPE_CHECKING:
    from tests.memory.home import Home

    from reverie.conversation.window import Window
    from reverie.model.route import Place

GIFT = "The gift for Ben is a red kite."
PLAN = "Ben wants to move to Oslo in spring."
OPEN = "The kitchen is painted on Friday."


def scopes(window: Window) -> list[str]:
    return [scope_of(turn) for turn in window.turns()]


# --- one name -----------------------------------------------------------------


@pytest.mark.parametrize("person", ["ann lee", " Ann  Lee ", "ANN\tLEE"])
def test_a_name_is_the_same_however_it_is_typed(home: Home, person: str) -> None:
    memory = home.memory
    memory.remember(GIFT, Episodic(scope="Ann  Lee"))
    memory.window("talk").say(PLAN, person="Ann Lee")

    assert GIFT in texts(found(memory, "gift kite", person=person))
    assert PLAN in memory.wake("talk", person=person).text
    with memory.acting_as("helper", person=person) as agent:
        assert len(agent.turns("talk")) == 1
        assert GIFT in {shown.text for shown in agent.items(Store.EPISODIC)}


# --- answers ------------------------------------------------------------------


def test_an_answer_is_for_who_asked(home: Home) -> None:
    window = home.memory.window("talk")
    window.say("What do we give Ben?", person="Ann")
    window.say(GIFT, role=Role.ASSISTANT)
    window.say("It has a long tail.", role=Role.ASSISTANT)

    assert scopes(window) == ["Ann", "Ann", "Ann"]
    assert texts(found(home.memory, "red kite", person="Ben")) == set()
    assert GIFT in texts(found(home.memory, "red kite", person="ann"))


def test_so_it_is_once_the_question_is_written_down(home: Home) -> None:
    home.memory.window("talk").say("What do we give Ben?", person="Ann")
    home.memory.window("talk").say("And Cleo?", person="Cleo")
    window = home.reopen().window("talk")  # closing has written it down
    window.say("A book.", role=Role.ASSISTANT)
    window.say(GIFT, role=Role.ASSISTANT, answers=1)

    said = {(t.number, t.role): scope_of(t) for t in window.turns()}
    assert said[2, Role.ASSISTANT] == "Cleo"
    assert said[1, Role.ASSISTANT] == "Ann"


def test_a_note_of_the_system_in_between_makes_it_nobody_elses(home: Home) -> None:
    window = home.memory.window("talk")
    window.say("What do we give Ben?", person="Ann")
    window.say("The host was restarted.", role=Role.SYSTEM)
    window.say(GIFT, role=Role.ASSISTANT)

    assert scopes(window)[-1] == "Ann"


def test_an_answer_to_an_earlier_question_is_for_who_asked_that(home: Home) -> None:
    window = home.memory.window("talk")
    window.say("What do we give Ben?", person="Ann")
    window.say("What time is it?")
    window.say(GIFT, role=Role.ASSISTANT, answers=1)
    window.say("Noon.", role=Role.ASSISTANT, answers=2)

    assert scopes(window) == ["Ann", "", "Ann", ""]


def test_who_says_whom_it_is_for_is_believed(home: Home) -> None:
    window = home.memory.window("talk")
    window.say("Tell Cleo what we give Ben.", person="Ann")
    window.say(GIFT, role=Role.ASSISTANT, person="Cleo")

    assert scopes(window) == ["Ann", "Cleo"]


# --- summaries ----------------------------------------------------------------


def mixed(memory: Memory) -> Window:
    """A window in which two people spoke for themselves, and once for all."""
    window = memory.window("talk")
    window.exchange("What do we give Ben?", GIFT, person="Ann")
    window.exchange("Where do I move?", PLAN, person="Ben")
    window.exchange("When is the kitchen painted?", OPEN)
    return window


def asked_of(home: Home, person: str = "", scope: str = "") -> tuple[SummedUp, str]:
    """A summary of a mixed window, and what the mind was shown for it."""
    memory, mind = thoughtful(home)
    done = mixed(memory).reflect(person=person)
    assert isinstance(done, SummedUp)
    assert [scope_of(done.prompt), scope_of(done.summary)] == [scope, scope]
    return done, mind.questions[-1].text


def test_a_summary_for_everybody_is_made_of_what_is_for_everybody(home: Home) -> None:
    _, shown = asked_of(home)

    assert OPEN in shown
    assert GIFT not in shown
    assert PLAN not in shown


def test_a_summary_for_a_person_is_for_them_alone(home: Home) -> None:
    _, shown = asked_of(home, "ann", "ann")

    assert OPEN in shown
    assert GIFT in shown
    assert PLAN not in shown
    assert SUMMARY not in texts(found(home.memory, "tortoise", person="Ben"))
    assert SUMMARY in texts(found(home.memory, "tortoise", person="Ann"))


def test_what_one_person_said_is_summed_up_for_them(home: Home) -> None:
    memory, _ = thoughtful(home)
    window = memory.window("talk")
    window.exchange("What do we give Ben?", GIFT, person="Ann")

    done = window.reflect()

    assert isinstance(done, SummedUp)
    assert scope_of(done.prompt) == scope_of(done.summary) == "Ann"


def test_a_summary_that_is_handed_in_is_for_whom_it_was_written(home: Home) -> None:
    window = mixed(home.memory)

    assert scope_of(window.note("The kitchen is painted.").summary) == ""
    assert scope_of(window.note("A kite it is.", person="Ann").summary) == "Ann"


def test_there_is_no_summary_of_what_several_said_for_themselves(home: Home) -> None:
    memory, mind = thoughtful(home)
    window = memory.window("talk")
    for question, answer in ROME:
        window.exchange(question, answer, person="Ann")
    window.exchange("Where do I move?", PLAN, person="Ben")
    home.clock.forward(minutes=30)

    assert not window.due()
    assert not memory.windows()[0].due
    assert memory.idle() == ()
    window.say("Are you there?", person="Ben")
    assert mind.questions == []
    with pytest.raises(RefusedError, match="nothing was said"):
        window.reflect()
    with pytest.raises(AlreadyReflectedError):
        window.reflect(cause=Cause.IDLE)
    with pytest.raises(RefusedError, match="nothing was said"):
        window.note("Both of them.")


def test_a_pause_brings_a_summary_of_what_is_for_everybody(home: Home) -> None:
    memory, mind = thoughtful(home)
    window = mixed(memory)
    for question, answer in ROME:
        window.exchange(question, answer, person="Ben")
    home.clock.forward(minutes=30)

    (done,) = memory.idle()

    assert isinstance(done, SummedUp)
    assert scope_of(done.summary) == ""
    assert ROME[0][1] not in mind.questions[-1].text
    for question, answer in ROME:
        window.exchange(question, answer, person="Ben")
    home.clock.forward(minutes=30)
    assert memory.idle() == (), "nothing new is for everybody"


def test_an_offer_says_for_whom_the_summary_is(home: Home) -> None:
    window = home.memory.window("talk")
    window.exchange("When is the kitchen painted?", OPEN)
    for question, answer in ROME:
        window.exchange(question, answer, person="Ann")
    home.clock.forward(minutes=30)

    awake = window.wake(person="Ann")

    assert offered(awake.offer).person == "Ann"
    assert "--person Ann" in awake.text
    assert offered(window.wake(person="Ben").offer).person == ""


def test_what_leaves_the_context_is_summed_up_within_its_scope(home: Home) -> None:
    window = mixed(home.memory)
    window.exchange("Is it raining?", "It is.")

    for_ann = window.prune(1, person="Ann")
    for_all = window.prune(1)

    assert {scope_of(turn) for turn in (*for_ann.kept, *for_ann.gone)} == {"", "Ann"}
    assert offered(for_ann.offer).person == "Ann"
    assert GIFT in offered(for_ann.offer).about
    assert PLAN not in offered(for_ann.offer).about
    assert offered(for_all.offer).person == ""
    assert GIFT not in offered(for_all.offer).about


def test_where_nothing_that_goes_is_for_all_nothing_is_summed_up(home: Home) -> None:
    window = home.memory.window("talk")
    window.exchange("What do we give Ben?", GIFT, person="Ann")
    window.exchange("Where do I move?", PLAN, person="Ben")
    window.exchange("When is the kitchen painted?", OPEN)

    pruned = window.prune(1)

    assert pruned.gone
    assert (pruned.offer, pruned.reflected) == (None, None)


def test_a_summary_leaves_out_what_was_forgotten_or_is_for_others(home: Home) -> None:
    wish = {"target": "The old kite is broken.", "permanent": False}
    memory, mind = thoughtful(
        home, lambda asked: wish if asked.operation == "forget" else {"summary": "Ok."}
    )
    memory.remember(GIFT, Episodic(scope="Ann"))
    memory.remember("The kite shop closes at six.", Episodic())
    memory.remember("The old kite is broken.", Episodic())
    window = memory.window("talk")
    window.attend("What about the kite shop, the old kite and the gift?")
    window.say(OPEN)
    matches = memory.find_to_forget("The old kite is broken.").matches
    memory.forget([m for m in matches if "old kite" in m.text])

    window.reflect()

    shown = mind.questions[-1].text
    assert "closes at six" in shown
    assert "is broken" not in shown
    assert GIFT not in shown


# --- what is heard ------------------------------------------------------------


@pytest.mark.parametrize(
    "place",
    [
        Semantic("Eve", "person"),
        Semantic(supersedes=fact_id("person--eve", "Spies for Ann")),
        Episodic(supersedes="episode:2026-02-02:12:00"),
    ],
)
def test_nobody_writes_over_what_is_another_s_alone(home: Home, place: Place) -> None:
    page = "memory/graph/entities/person--eve.md"
    home.memory.remember(GIFT, Episodic(scope="Ann"))
    home.type(page, "# person--eve\n<!-- Scope: Ann -->\n## Facts\n- Spies for Ann\n")
    home.memory.health()
    before = home.text(page), home.text(DAY)

    with (
        Memory(home.root, clock=home.clock, environ={}, person="Ben") as theirs,
        pytest.raises(NotFoundError),
    ):
        theirs.remember("Sells kites", place)

    assert (home.text(page), home.text(DAY)) == before


def test_what_a_person_has_remembered_is_theirs(home: Home) -> None:
    heard = home.memory.hear(f"Please remember that {GIFT}", person="Ann")

    assert heard.remembered
    assert texts(found(home.memory, "red kite", person="Ben")) == set()
    assert "kite" in str(texts(found(home.memory, "red kite", person="Ann")))


@pytest.mark.parametrize("place", [Episodic(), Semantic("Ben", "person")])
def test_what_is_written_for_a_person_is_stored_for_them_alone(
    home: Home, place: Place
) -> None:
    with Memory(home.root, person="Ann", environ={}) as anns:
        (stored,) = anns.remember(GIFT, place).ids

    assert stored.startswith("episode:")
    assert GIFT in texts(found(home.memory, "gift kite", person="Ann"))
    assert GIFT not in texts(found(home.memory, "gift kite", person="Bea"))


@pytest.mark.parametrize("place", [Core(), Procedural("Gifts"), Vault("Gift")])
def test_a_store_that_everybody_reads_takes_nothing_for_one_person(
    home: Home, place: Place
) -> None:
    with Memory(home.root, person="Ann", environ={}) as anns:
        with pytest.raises(RefusedError, match="not for Ann alone"):
            anns.remember(GIFT, place)

        assert anns.pending() == []


def test_the_other_name_of_a_page_of_somebody_else_leads_nowhere(home: Home) -> None:
    page = home.root / "memory/graph/entities/project--kite.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    header = "<!-- Type: project | Scope: Ann | Label: Kite | Aliases: Snozzle -->"
    page.write_text(f"# project--kite\n\n{header}\n\n## Facts\n- Costs 40 euros.\n")
    home.memory.check()
    before = page.read_text()

    with Memory(home.root, person="Bea", environ={}) as beas:
        beas.remember("Snozzle is large.", Semantic("Snozzle"))

    assert page.read_text() == before


def test_a_wish_to_forget_finds_nothing_of_others(home: Home) -> None:
    memory = home.memory
    (id_,) = memory.remember(GIFT, Episodic(scope="Ann")).ids

    for wish in ("Forget about the red kite.", f"Forget about {id_}"):
        for person, seen in (("Ben", False), ("Ann", True)):
            wishes = memory.hear(wish, person=person).forgetting
            assert any(each.matches for each in wishes) is seen, (wish, person)


# --- reflection ---------------------------------------------------------------


CONFIDED = "Nora works for Acme in Lisbon."


def confide(home: Home) -> None:
    """Ann tells more than is looked up at once, and all of them one thing."""
    private = "".join(
        f"## {n // 60:02}:{n % 60:02} | fact | confidence:high | scope:Ann\n"
        f"Kite {n}. {CONFIDED}\n\n"
        for n in range(260)
    )
    home.type(DAY, f"{private}## 11:00 | fact | confidence:high\n{OPEN}\n")
    with home.memory.acting_as("helper", person="Ann") as agent:
        agent.propose(GIFT)


def test_nothing_of_one_person_is_in_what_a_reflection_reads(home: Home) -> None:
    confide(home)
    dream = Dream([])

    dreamt(dreaming(home, dream))

    shown = "\n".join(question.text for question in dream.asked)
    assert OPEN in shown
    assert CONFIDED not in shown
    assert GIFT not in shown
    page = home.text(REFLECTION)
    assert "260" not in page, "not even how many there are"
    assert "1 proposal" not in page


def test_without_a_mind_nothing_is_listed_that_is_for_one_person(home: Home) -> None:
    confide(home)
    home.clock.forward(minutes=1)

    home.reopen(TZ="UTC").reflection.begin()
    standing = home.memory.reflection.advance()

    assert "Lisbon" not in str(standing)
    assert "Lisbon" not in home.text(REFLECTION)


def test_what_is_for_one_person_does_not_wait_for_a_reflection(home: Home) -> None:
    home.memory.remember(GIFT, Episodic(scope="Ann"))
    home.memory.remember(OPEN, Episodic())
    home.clock.forward(minutes=1)

    assert home.memory.reflection.status().waiting == 1


# --- proposals ----------------------------------------------------------------


def proposed(home: Home, store: Store = Store.SEMANTIC) -> int:
    with home.memory.acting_as("helper", person="Ann") as agent:
        return agent.propose(GIFT, store=store).number


@pytest.mark.parametrize("store", [Store.SEMANTIC, Store.PROCEDURAL, Store.VAULT])
def test_what_is_proposed_for_a_person_becomes_theirs(home: Home, store: Store) -> None:
    memory = home.memory
    one = memory.proposal(proposed(home, store))

    done = memory.accept(one, actor=MAIN)

    assert one.scope == "Ann"
    assert "- **Scope**: Ann\n" not in home.text(PAGE)
    assert all(id_.startswith("episode:") for id_ in done.ids)
    assert any("for Ann alone" in line.summary for line in done.lines)
    assert texts(found(memory, "red kite", person="Ben")) == set()
    assert "kite" in str(texts(found(memory, "red kite", person="Ann")))


@pytest.mark.parametrize("place", [Semantic("Ben", "person"), Vault("kite")])
def test_no_other_place_makes_it_everybodys(
    home: Home, place: Semantic | Vault
) -> None:
    memory = home.memory

    done = memory.accept(memory.proposal(proposed(home)), place)

    assert all(id_.startswith("episode:") for id_ in done.ids)
    assert texts(found(memory, "red kite", person="Ben")) == set()


def test_a_proposal_for_another_person_is_neither_told_nor_counted(home: Home) -> None:
    proposed(home)

    assert "red kite" not in home.memory.wake("talk", person="Ben").news
    assert "Waiting for a yes" not in home.memory.wake("talk", person="Ben").news
    assert "Waiting for a yes: 1" in home.memory.wake("talk", person="Ann").news
    assert "red kite" in home.memory.wake("talk", person="Ann").news
    with home.memory.acting_as("helper", person="Ben") as agent:
        assert agent.pending() == []


@pytest.mark.parametrize("scope", ["", "Ben"])
def test_a_sub_agent_proposes_for_nobody_else(home: Home, scope: str) -> None:
    """Whatever plans it, the bytes decide."""
    before = home.raw(PAGE) if (home.root / PAGE).exists() else None
    with home.memory.acting_as("helper", person="Ann") as agent:
        agent._person = scope  # noqa: SLF001 - what a mistake above would do
        with pytest.raises(SubAgentError, match="for "):
            agent.propose(GIFT)

    assert (home.raw(PAGE) if (home.root / PAGE).exists() else None) == before


def test_the_scope_of_a_proposal_is_read_from_its_page(home: Home) -> None:
    number = proposed(home)
    read = home.memory._session.ledger.read  # noqa: SLF001 - tests look behind the door

    assert "- **Scope**: Ann\n" in home.text(PAGE)
    (one,) = load_pending(read).proposals
    assert (one.number, one.scope) == (number, "Ann")


# --- sub-agents and commands ----------------------------------------------------


def test_who_works_for_one_hears_no_topics_of_others(home: Home) -> None:
    memory = home.memory
    mixed(memory).note("A red kite for Ben, a red kite in spring.", person="Ann")
    memory.window("kites-of-ann").say(GIFT, person="Ann")

    with memory.acting_as("helper", person="Ben") as agent:
        health = agent.health()
        assert health.conversations.quality.topics == ()
        assert health.conversations.windows == 1
        assert "kite" not in str(health)


def test_a_variable_says_for_whom_a_sub_agent_works(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.memory.remember(GIFT, Episodic(scope="Ann"))
    home.memory.remember("A kite is on the roof.", Episodic())
    monkeypatch.setenv("REVERIE_PERSON", "Ben")

    for words in (
        ("recall", "kite", "--agent", "helper"),
        ("recall", "kite", "--agent", "helper", "--person", "Ann"),
        ("--agent", "helper", "--person", "Ann", "show"),
        ("recall", "kite"),
    ):
        assert "red kite" not in typed(home, *words), words
    assert "red kite" in typed(home, "recall", "kite", "--person", "Ann")


def test_a_command_proposes_for_whom_it_works(home: Home) -> None:
    typed(home, "--agent", "helper", "--person", "Ann", "propose", GIFT)
    typed(home, "propose", "--agent", "helper", "--person", "Ben", GIFT)

    assert [one.scope for one in home.memory.pending()] == ["Ann", "Ben"]


def test_commands_of_a_conversation_keep_to_a_person(home: Home) -> None:
    mixed(home.memory)

    shown = typed(home, "window", "show", "talk", "--person", "Ben", "--last", "6")
    answer = ("--answer", "A kite it is.", "--json")
    noted = typed(home, "window", "reflect", "talk", "--person", "Ann", *answer)
    pruned = typed(home, "window", "prune", "talk", "--budget", "50", "--person", "Ben")
    typed(home, "hear", f"Remember that {GIFT}", "--person", "Ann")
    typed(home, "--person", "Ann", "remember", "The kite has a tail.")

    assert PLAN in shown
    assert OPEN in shown
    assert GIFT not in shown
    assert ["scope", "Ann"] in json.loads(noted)["summary"]["more"]
    assert GIFT not in pruned
    home.memory.close()
    memory = home.reopen()
    assert "kite" not in str(texts(found(memory, "kite tail gift", person="Ben")))
