"""What a mind sees, what it may answer, and what comes back to it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.interfaces.mcp.large_cycle import fill_workspace
from tests.reflection.asleep import NOTHING_READ
from tests.reflection.dreams import FACT, Dream, Proposal, dreaming, proposed
from tests.reflection.test_decide import IMAGE
from tests.reflection.test_sources import episode

from reverie import (
    Episodic,
    Memory,
    OperationKind,
    Origin,
    ScriptedMind,
    Semantic,
)
from reverie.errors import RefusedError
from reverie.interfaces.cli.proposal import told_standing
from reverie.model.reflection import Feedback, Occasion, Operation
from reverie.reflection.entity_edits import noted
from reverie.reflection.sources import Sources
from reverie.stores.entities import fact_id
from reverie.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.memory.home import Home

ANA = "memory/graph/entities/person--ana.md"
NEW_FACT = {
    "operation": "EXTRACT",
    "target": ANA,
    "content": "Adopted a dog named Biscuit (since: 2026-02-01)",
    "reason": "said so",
}


def asked(dream: Dream, phase: str) -> str:
    """What the mind was asked last in a phase."""
    texts = [q.text for q in dream.asked if q.operation == f"reflect-{phase}"]
    return texts[-1]


def with_answer(operations: list[Mapping[str, object]], **more: object) -> Dream:
    return Dream(operations, {"consolidate": more})


@pytest.fixture
def lived(home: Home) -> Home:
    """A workspace in which Ana is spoken of though her page has faded."""
    memory = home.memory
    memory.remember("Ana lives in Lisbon.", Semantic("person--ana", "person"))
    memory.remember("Ana likes tea.", Semantic("person--ana", "person"))
    home.clock.forward(days=120)
    memory.remember("Met Ana at the station, she has a dog now.", Episodic())
    return home


# --- what it sees -----------------------------------------------------------------


def test_of_whom_a_proposal_tells_the_page_is_shown_beside_it(home: Home) -> None:
    memory = home.memory
    memory.remember("Ana lives in Lisbon.", Semantic("person--ana", "person"))
    home.clock.forward(days=120)
    with memory.acting_as("scout") as scout:
        scout.propose("Ana lives in Oslo.", entities=("person--ana",))
    memory.remember("It rained all day.", Episodic())
    dream = Dream([])
    proposed(dreaming(home, dream))

    shown = asked(dream, "consolidate")
    assert "Ana lives in Oslo." in shown
    assert "Ana lives in Lisbon." in shown


def test_a_core_line_that_went_is_no_news_and_makes_no_page(lived: Home) -> None:
    line = {"section": "Critical Facts", "text": "Ana has a dog since February."}
    added = Dream([], {"rewrite": {"add": [line]}})
    memory = dreaming(lived, added)
    memory.reflection.decide("approve", proposed(memory).shown)
    lived.clock.forward(days=1)
    lived.memory.remember("It rained all day.", Episodic())
    gone = Dream([], {"rewrite": {"remove": [{**line, "action": "move"}]}})
    memory = dreaming(lived, gone)
    memory.reflection.decide("approve", proposed(memory).shown)
    lived.clock.forward(days=1)
    waits = memory.reflection.status().waiting
    lived.memory.remember("It rained again.", Episodic())
    last = Dream([])
    proposed(dreaming(lived, last))

    assert waits == 0
    news = asked(last, "consolidate").split("New episodes")[1].split("Pages of")[0]
    assert "It rained again." in news
    assert line["text"] not in news
    assert line["text"] in lived.memory.context("Since when has Ana a dog?")
    pages = lived.root / "memory/graph/entities"
    assert not (pages / "person--user.md").exists()


def test_whom_the_news_speak_of_is_shown_however_faded(lived: Home) -> None:
    dream = Dream([])
    proposed(dreaming(lived, dream))

    for phase in ("survey", "consolidate"):
        assert "Ana lives in Lisbon." in asked(dream, phase)


def test_of_a_page_too_long_the_facts_near_to_the_news_are_shown(home: Home) -> None:
    memory = home.memory
    memory.observe([{"text": "Ana fears dogs.", "about": "person--ana"}])
    teapots = "".join(f"- Ana owns teapot number {n}.\n" for n in range(900))
    ana = "memory/graph/entities/person--ana.md"
    home.type(ana, home.text(ana).replace("## Facts\n", f"## Facts\n{teapots}"))
    home.clock.forward(days=2)
    memory.remember("Ana ran away from two dogs today.", Episodic())
    dream = Dream([])
    proposed(dreaming(home, dream))

    shown = asked(dream, "consolidate")
    assert "Ana fears dogs." in shown
    assert shown.count("teapot number") < 900


def test_only_what_was_not_looked_at_is_told_as_left_out(lived: Home) -> None:
    memory = dreaming(lived, Dream([]))
    proposed(memory)

    (read,) = (
        each
        for each in memory.reflection.pending()[0].read
        if each.name.endswith("entities/*")
    )
    assert (read.read, read.left_out, read.why) == (1, 0, "")


def test_what_pages_ask_is_shown_with_both_sides(lived: Home) -> None:
    memory = lived.memory
    known = fact_id("person--ana", "Ana lives in Lisbon.")
    place = Semantic("person--ana", "person")
    memory.remember("Ana lives in Porto.", place, contradicts=(known,))
    dream = Dream([])
    proposed(dreaming(lived, dream))

    asks = asked(dream, "consolidate")
    assert f"“Ana lives in Lisbon.” ({known})" in asks
    assert fact_id("person--ana", "Ana lives in Porto.") in asks


def test_what_was_often_of_use_is_told_where_core_memory_is_rewritten(
    lived: Home,
) -> None:
    for _ in range(3):
        lived.clock.forward(hours=2)
        lived.memory.reinforce(["entity:person--ana"])
    dream = Dream([])
    proposed(dreaming(lived, dream))

    assert "entity:person--ana" in asked(dream, "rewrite")


def test_what_the_human_said_and_rejected_reaches_the_next_reflection(
    lived: Home,
) -> None:
    first = Proposal(lived, Dream([NEW_FACT, FACT]))
    first.decide("approve 1")
    first.memory.reflection.say("Nobody flattered me.", kind=Feedback.CORRECTED)
    first.memory.reflection.say("It rained all day.", kind=Feedback.OTHER)
    lived.clock.forward(days=1)
    dream = Dream([])
    proposed(dreaming(lived, dream))

    heard = asked(dream, "meta")
    assert "Nobody flattered me." in heard
    assert "It rained all day." in heard
    assert "left out: “" in heard
    assert "tokens, given" in heard


def test_a_reflection_that_was_rejected_is_told_with_why(lived: Home) -> None:
    Proposal(lived, Dream([NEW_FACT, FACT])).decide("reject: far too solemn")
    dream = Dream([NEW_FACT])
    again = dreaming(lived, dream)
    proposed(again)

    assert "far too solemn" in asked(dream, "meta")
    assert "Biscuit" in asked(dream, "meta")
    # Nobody objected to this one.
    operations = again.reflection.pending()[0].operations
    assert "Biscuit" in operations[0].content


@pytest.mark.parametrize("refused", [False, True])
def test_the_tokens_that_are_told_are_those_that_were_sent(
    lived: Home, *, refused: bool
) -> None:
    wrong = {**NEW_FACT, "content": "x (supersedes: nothing at all)"}
    dream = Dream([NEW_FACT, *([wrong] if refused else [])])
    memory = dreaming(lived, dream)
    proposed(memory)

    pending = memory.reflection.pending()[0]
    sent = sum(count_tokens(question.text) for question in dream.asked)
    assert len(dream.asked) == 5 + refused
    assert abs(pending.sent_tokens - sent) <= 0.02 * sent
    assert pending.input_tokens < pending.sent_tokens


def test_a_reflection_reads_at_most_30000_tokens_and_tells_what_it_sent(
    tmp_path: Path,
) -> None:
    fill_workspace(tmp_path / "agent")
    with Memory(tmp_path / "agent", mind=ScriptedMind(Dream())) as memory:
        proposed(memory)
        pending, page = memory.reflection.pending()

    assert 20_000 < pending.input_tokens <= 30_000
    assert pending.sent_tokens > pending.input_tokens
    assert f'"sent_tokens": {pending.sent_tokens}' in page


# --- what it may answer -----------------------------------------------------------


def test_a_fact_takes_the_place_of_another_by_its_id(lived: Home) -> None:
    old = fact_id("person--ana", "Ana lives in Lisbon.")
    moved = {**NEW_FACT, "content": f"Ana lives in Porto. (supersedes: {old})"}
    Proposal(lived, Dream([moved])).decide()

    page = lived.text(ANA)
    assert "~~Ana lives in Lisbon.~~" in page
    assert "- Ana lives in Porto." in page


def test_a_contradiction_is_settled(lived: Home) -> None:
    memory = lived.memory
    lisbon, porto = (
        fact_id("person--ana", f"Ana lives in {city}.") for city in ("Lisbon", "Porto")
    )
    place = Semantic("person--ana", "person")
    memory.remember("Ana lives in Porto.", place, contradicts=(lisbon,))
    assert memory.contradictions()
    side = {"holds": porto, "over": [lisbon], "reason": "she moved"}
    Proposal(lived, with_answer([], settles=[side])).decide()

    assert lived.memory.contradictions() == []
    assert "~~Ana lives in Lisbon.~~" in lived.text(ANA)


def test_two_pages_about_one_are_merged(lived: Home) -> None:
    lived.memory.remember("Annie sings.", Semantic("person--annie", "person"))
    pair = {"one": "person--annie", "into": "person--ana", "reason": "a nickname"}
    waiting = Proposal(lived, with_answer([], merges=[pair]))
    kinds = [o.kind for o in waiting.memory.reflection.pending()[0].operations]
    assert kinds.count(OperationKind.MERGE) == 1
    waiting.decide()

    assert "Annie sings." in lived.text(ANA)


def test_a_question_of_a_page_that_is_answered_is_asked_no_more(lived: Home) -> None:
    page = lived.text(ANA)
    lived.type(ANA, f"{page.rstrip()}\n\n## Open Questions\n- Does Ana have a pet?\n")
    answer = {
        "question": "Does Ana have a pet?",
        "answer": "Ana has a dog.",
        "page": "person--ana",
    }
    Proposal(lived, with_answer([], answers=[answer])).decide()

    page = lived.text(ANA)
    assert "Does Ana have a pet?" not in page
    assert "Ana has a dog." in page


def test_what_is_refused_goes_back_once_and_only_what_survived_is_told(
    lived: Home,
) -> None:
    wrong = {**NEW_FACT, "content": "Ana left (supersedes: Ana livs in Lisbon)"}
    right = {**NEW_FACT, "content": "Ana left (supersedes: Ana lives in Lisbon.)"}
    dream = Dream([NEW_FACT, wrong], {"mend": {"operations": [right]}})
    memory = dreaming(lived, dream)
    proposed(memory)

    assert "Ana livs in Lisbon" in asked(dream, "mend")
    told = asked(dream, "present")
    assert "Biscuit" in told
    assert "Ana left" in told
    assert "livs" not in told
    pending = memory.reflection.pending()[0]
    said = "\n".join(one.content for one in pending.operations)
    assert "Biscuit" in said
    assert "Ana left" in said
    # What was repaired is not left out.
    assert not any("livs" in each.why for each in pending.refused)


def test_where_all_of_it_can_be_done_nothing_goes_back(lived: Home) -> None:
    dream = Dream([NEW_FACT])
    proposed(dreaming(lived, dream))

    assert "reflect-mend" not in {question.operation for question in dream.asked}


# --- a human's word ---------------------------------------------------------------


def test_a_line_of_core_memory_is_corrected_as_it_shall_read(lived: Home) -> None:
    line = {"section": "Critical Facts", "text": "Ana is a friend", "sources": []}
    waiting = Proposal(lived, Dream([], {"rewrite": {"add": [line]}}))
    offered = waiting.memory.reflection.pending()[0].operations
    number = [one.kind for one in offered].index(OperationKind.CORE) + 1
    waiting.decide(f'approve {number} as "Ana is the oldest friend"')

    assert "- Ana is the oldest friend" in lived.text("MEMORY.md")
    assert "Ana is a friend" not in lived.text("MEMORY.md")


def test_what_is_noticed_in_a_discussion_is_offered_for_identity(lived: Home) -> None:
    first = Proposal(lived, Dream([NEW_FACT]))
    first.decide()
    said = "I flatter when I am unsure. [Self-Awareness]"
    first.memory.reflection.say("You flatter.", said, kind=Feedback.CORRECTED)
    lived.clock.forward(days=1)
    memory = dreaming(lived, Dream([]))
    proposed(memory)

    notes = [
        one.content
        for one in memory.reflection.pending()[0].operations
        if one.kind is OperationKind.NOTICE
    ]
    assert "I flatter when I am unsure." in notes


# --- tokens -----------------------------------------------------------------------


def test_a_step_that_says_too_much_loses_itself_alone(lived: Home) -> None:
    dream = Dream([NEW_FACT], instead={"present": [{"monologue": "x " * 60_000}]})
    memory = dreaming(lived, dream)
    standing = proposed(memory)

    assert standing.state == "pending"
    pending = memory.reflection.pending()[0]
    assert "Biscuit" in pending.operations[0].content
    assert any("the step 'present'" in each.what for each in pending.refused)


def test_thrift_is_rewarded(lived: Home) -> None:
    Proposal(lived, Dream([NEW_FACT])).decide()
    lived.clock.forward(days=2)
    lived.memory.remember("Another day.")
    memory = dreaming(lived, Dream([]))
    standing = memory.reflection.begin()

    assert "needed only" in standing.says
    assert "### Self-Penalty: -0 tokens" in standing.says


def test_who_put_it_off_when_leaving_is_asked_at_the_usual_time(lived: Home) -> None:
    memory = dreaming(lived, Dream([]))
    memory.reflection.begin(Occasion.SOFT)
    later = memory.reflection.reply("later")
    assert later.until
    lived.clock.now = later.until + timedelta(minutes=1)

    assert memory.reflection.offer() == "scheduled"


def test_a_fact_that_is_said_again_keeps_both_sources(lived: Home) -> None:
    one, two = (
        lived.memory.remember(text, Episodic()).ids[0]
        for text in ("Ana adopted Biscuit.", "Biscuit again, Ana's dog.")
    )
    Proposal(lived, Dream([{**NEW_FACT, "sources": [one]}])).decide()
    lived.clock.forward(days=1)
    Proposal(lived, Dream([{**NEW_FACT, "sources": [two]}])).decide()

    page = lived.text(ANA)
    assert page.count("Biscuit") == 1
    assert f"from: {one} {two}" in page


def test_what_happened_on_a_day_says_which(lived: Home) -> None:
    race = {**NEW_FACT, "content": "Ran a race (on: 2026-01-20)"}
    Proposal(lived, Dream([race])).decide()

    assert "- Ran a race <!--" in lived.text(ANA)
    assert "on: 2026-01-20" in lived.text(ANA)


# --- words that ask for it --------------------------------------------------------


@pytest.mark.parametrize("words", ["Reflect on your memories.", "Consolidate"])
def test_these_words_ask_for_tokens_at_once(lived: Home, words: str) -> None:
    heard = dreaming(lived, Dream([])).hear(words)

    assert heard.reflection is not None
    assert heard.reflection.state == "tokens requested"


def test_a_message_that_asks_for_a_new_self_image_gets_it_for_approval(
    lived: Home,
) -> None:
    dream = Dream([], {"self-image": IMAGE})
    memory = dreaming(lived, dream)
    standing = proposed(memory)
    memory.reflection.decide("approve", standing.shown)
    before = lived.text("IDENTITY.md")

    heard = memory.hear("Consolidate your self-image.")

    assert heard.refused == ()
    assert heard.image is not None
    assert lived.text("IDENTITY.md") == before
    assert memory.reflection.status().image
    memory.reflection.adopt_self_image(heard.image.shown)
    assert lived.text("IDENTITY.md") != before


def test_without_notes_a_new_self_image_is_refused_with_the_reason(
    lived: Home,
) -> None:
    heard = dreaming(lived, Dream([])).hear("Consolidate your self-image.")

    assert heard.image is None
    assert any("no notes of self-awareness" in told for told in heard.refused)


def test_a_due_self_image_is_told_wherever_things_wait(lived: Home) -> None:
    notes = "\n\n".join(
        f"I noticed that I count the {thing}. [Self-Awareness]"
        for thing in [
            "boats",
            "nets",
            "oars",
            "ropes",
            "sails",
            "buoys",
            "tides",
            "gulls",
            "lamps",
            "masts",
        ]
    )
    more: dict[str, Mapping[str, object]] = {
        "present": {"monologue": f"Okay. The harbour again.\n\n{notes}\n\nAnyway."},
        "self-image": IMAGE,
    }
    memory = dreaming(lived, Dream([], more))
    standing = proposed(memory)
    assert standing.notes_due == 0

    memory.reflection.decide("approve", standing.shown)

    assert memory.reflection.status().notes_due == 10
    assert memory.health().reflection.notes_due == 10
    told = [each.what for each in memory.health().remarks]
    assert "a new self-image is due: 10 notes of self-awareness" in told
    due = "A new self-image is due (10 notes"
    assert due in str(memory.wake("chat"))
    assert due in str([*told_standing(memory.reflection.status())])

    memory.reflection.adopt_self_image(memory.reflection.self_image().shown)

    assert memory.reflection.status().notes_due == 0


# --- what each fact says of itself --------------------------------------------------


def test_each_fact_of_an_operation_names_what_says_it(lived: Home) -> None:
    memory = lived.memory
    memory.remember("Ana plays the oboe, she says.", Episodic())
    day = f"{lived.clock.now:%Y-%m-%d:%H:%M}"
    dog, oboe = f"episode:{day}", f"episode:{day}~2"
    several = {
        "operation": "EXTRACT",
        "target": ANA,
        "content": f"Has a dog (since: 2026-06-02) (from: {dog})\n"
        f"Plays the oboe (from: {oboe})",
        "reason": "said so",
    }
    memory = dreaming(lived, Dream([several]))
    memory.reflection.decide("approve", proposed(memory).shown)

    facts = lived.text(ANA).split("## Facts")[1]
    assert (
        f"Has a dog <!-- since: 2026-06-02 | source: reflection | from: {dog}" in facts
    )
    assert f"from: {oboe}" in next(x for x in facts.split("\n") if "oboe" in x)
    assert "by: " not in facts


@pytest.mark.parametrize(
    ("line", "words", "notes"),
    [
        ("Lives here (since: 2026-05-01)", "Lives here", {"since": "2026-05-01"}),
        ("Ran (on 2026-05-01)", "Ran", {"on": "2026-05-01"}),
        (
            "Ran (from: episode:2026-05-01:10:00) (on: 2026-05-01)",
            "Ran",
            {"from": "episode:2026-05-01:10:00", "on": "2026-05-01"},
        ),
        (
            "Lives here (supersedes: Lives there (since: 2020-01-01))",
            "Lives here",
            {"supersedes": "Lives there (since: 2020-01-01)"},
        ),
        ("Plays (on: Tuesdays) at the club (weekly)", None, {}),
        ("Comes (from: Spain)", None, {}),
        (
            "Ran (on: 2026-05-01, from: episode:2026-05-01:10:00).",
            "Ran",
            {"on": "2026-05-01", "from": "episode:2026-05-01:10:00"},
        ),
        ("Born (since: 2026-13-01)", None, {}),
        ("Waits (from: nine to five", None, {}),
    ],
)
def test_notes_behind_a_fact_are_read_where_they_are_notes(
    line: str, words: str | None, notes: dict[str, str]
) -> None:
    assert noted(line) == (words or line, notes)


def kept(home: Home, *lines: str, **more: object) -> tuple[str, Dream]:
    """The facts of Ana's page after a reflection that wrote some lines."""
    several = {"operation": "EXTRACT", "target": ANA, "content": "\n".join(lines)}
    dream = with_answer([{**several, "reason": "said so"}], **more)
    memory = dreaming(home, dream)
    memory.reflection.decide("approve", proposed(memory).shown)
    return home.text(ANA), dream


def test_a_note_on_a_line_of_its_own_is_of_the_fact_above_it(lived: Home) -> None:
    episode = f"episode:{lived.clock.now:%Y-%m-%d:%H:%M}"
    page, _ = kept(lived, "Has a dog", f"(from: {episode})")

    assert f"Has a dog <!-- since: {episode[8:18]}" in page
    assert f"from: {episode}" in page
    assert "\n-  " not in page


@pytest.mark.parametrize(
    "line",
    [
        "Adopted Biscuit (from: episode:2026-01-01:10:00), moved (since: 2026-02-01)",
        "Works (supersedes: Ana likes tea.) (supersedes: Ana lives in Lisbon.)",
    ],
)
def test_a_note_that_is_astray_goes_back(lived: Home, line: str) -> None:
    page, dream = kept(lived, line)

    assert "Biscuit" not in page
    assert "Works" not in page
    assert line in asked(dream, "mend")


def test_what_is_refused_is_shown_whole_to_who_mends_it(lived: Home) -> None:
    _, dream = kept(lived, "Has bees (supersedes: Ana has wasps.)", "Sings in a choir")

    shown = asked(dream, "mend")
    assert "Sings in a choir" in shown
    assert "(supersedes: person--ana#3f2a9c)" in shown


def test_a_bad_block_of_text_takes_no_other_change_with_it(lived: Home) -> None:
    bad = f"OPERATION: EXTRACT\nTARGET: {ANA}\nCONTENT: New (supersedes: Nothing here)"
    page, _ = kept(lived, "Has a dog", text=f"{bad}\nREASON: none")

    assert "Has a dog" in page


def test_a_page_for_one_person_alone_is_joined_with_no_other(lived: Home) -> None:
    lived.memory.remember("Zed hides a key.", Semantic("person--zed", "person"))
    path = "memory/graph/entities/person--zed.md"
    text = lived.text(path).replace("Source: ", "Scope: bob | Source: ", 1)
    lived.type(path, text)
    pair = {"one": "person--zed", "into": "person--ana", "reason": "the same"}
    page, _ = kept(lived, "Has a dog", merges=[pair])

    assert "hides a key" not in page
    assert "Scope: bob" not in page


def test_a_link_made_in_the_same_answer_goes_along_with_a_merge(lived: Home) -> None:
    memory = lived.memory
    for name in ("aa", "bb"):
        memory.remember(f"{name} is a cat.", Semantic(f"person--{name}", "person"))
    knows = {
        "operation": "CONNECT",
        "target": "memory/graph/index.md",
        "content": "person--ana → knows → person--aa",
        "reason": "said so",
    }
    pair = {"one": "person--aa", "into": "person--bb", "reason": "the same"}
    memory = dreaming(lived, with_answer([knows], merges=[pair]))
    memory.reflection.decide("approve", proposed(memory).shown)

    assert "[[person--bb]]" in lived.text(ANA)
    assert "[[person--aa]]" not in lived.text(ANA)


def test_a_thread_or_question_that_is_not_open_is_told_as_left_out(lived: Home) -> None:
    memory = dreaming(
        lived,
        with_answer(
            [NEW_FACT],
            closes=[{"thread": "Nobody's thread", "into": ""}],
            answers=[{"question": "Who asked?", "answer": "Nobody.", "page": ""}],
        ),
    )
    proposed(memory)

    told = [each.what for each in memory.reflection.pending()[0].refused]
    assert any("Nobody's thread" in what for what in told)
    assert any("Who asked?" in what for what in told)


def test_a_correction_keeps_what_was_not_typed_anew(lived: Home) -> None:
    instead = "Ana lives in Porto (supersedes: Ana lives in Lisbon.)"
    memory = dreaming(lived, Dream([{**NEW_FACT, "content": instead}]))
    shown = proposed(memory).shown
    memory.reflection.decide('approve all, 1 as "Ana lives in Faro."', shown)

    page = lived.text(ANA)
    assert "- Ana lives in Faro." in page
    assert "- ~~Ana lives in Lisbon.~~" in page


def test_who_types_one_line_for_several_is_asked_back(lived: Home) -> None:
    several = {**NEW_FACT, "content": "Has a dog\nSings in a choir"}
    memory = dreaming(lived, Dream([several]))
    shown = proposed(memory).shown

    with pytest.raises(RefusedError, match="2 things"):
        memory.reflection.decide('approve all, 1 as "Has a cat"', shown)
    memory.reflection.decide("approve", shown)


def test_words_that_were_turned_down_stay_strangers_words() -> None:
    told = "Ana owes the Mallory estate a very large sum of money since March."
    seen = replace(
        NOTHING_READ,
        episodes=(episode(0, "It rained.", "owner"),),
        heard=(f"change 1, EXTRACT {ANA}: left out: “{told}”",),
    )
    made = Operation(OperationKind.EXTRACT, ANA, f"{told} Really.", seen.episodes[0].id)

    assert Sources(seen).origin_of(made) is Origin.TOOL
