"""Five questions in order, within what was granted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.reflection.asleep import asleep, episode

from reverie.config import Config
from reverie.minds.mind import (
    BadAnswerError,
    CutOffAnswerError,
    MindUnavailableError,
    Question,
)
from reverie.minds.scripted import ScriptedMind
from reverie.model.reflection import Refused
from reverie.reflection.phases import (
    LEAST,
    GrantSpentError,
    LookedBack,
    Metered,
    Phase,
    Surveyed,
    answered,
    lost,
    next_phase,
    question_of,
    said,
)
from reverie.tokens import count_tokens

if TYPE_CHECKING:
    from reverie.minds.scripted import Line

CONFIG = Config()
ASKED = Question("reflect-survey", "reflect-survey", "Well?", {"type": "object"}, 1200)


def metered(line: Line, left: int = 8000) -> tuple[Metered, ScriptedMind]:
    """A mind that says one thing, with so many tokens left."""
    mind = ScriptedMind([line])
    state = replace(asleep(), grant=left)
    return Metered(mind, state, Phase.SURVEY), mind


def test_the_phases_come_in_their_order() -> None:
    state = asleep()
    seen = []
    while (phase := next_phase(state)) is not None:
        seen.append(phase)
        state = answered(state, phase, {}, 10)

    assert seen == [phase for phase in Phase if phase is not Phase.MEND]
    assert state.used == 50


def test_what_was_refused_goes_back_once() -> None:
    state = asleep({name: {} for name in ("survey", "meta", "consolidate")})
    state = replace(state, refused=(Refused("EXTRACT x", "there is no page x"),))

    assert next_phase(state) is Phase.MEND
    asked = question_of(state, Phase.MEND, CONFIG).text
    assert "EXTRACT x: there is no page x" in asked
    assert next_phase(answered(state, Phase.MEND, {}, 10)) is Phase.REWRITE


def test_who_says_too_much_loses_that_and_the_others_go_on() -> None:
    state = lost(asleep(), Phase.SURVEY, 1200)

    assert next_phase(state) is Phase.META
    assert state.left == 8000 - 1200
    assert next_phase(lost(state, Phase.META, state.left)) is None


def test_every_question_says_which_day_it_is_and_what_is_left() -> None:
    for phase in Phase:
        text = question_of(asleep(), phase, CONFIG).text
        assert "Tuesday, 2026-02-03" in text
        assert "8,000 tokens are left" in text


def test_an_answer_clears_what_was_wrong_before() -> None:
    state = replace(asleep(), problem="it was no JSON")

    assert answered(state, Phase.SURVEY, {}, 10).problem == ""


def test_what_was_not_said_is_nothing() -> None:
    state = asleep({"survey": {"themes": ["herons"]}})

    assert said(state, Phase.SURVEY, Surveyed).themes == ("herons",)
    assert said(state, Phase.META, LookedBack) == LookedBack()


@given(st.integers(0, 200_000), st.integers(0, 4))
def test_no_share_is_more_than_what_is_left(grant: int, done: int) -> None:
    state = replace(asleep(), grant=grant)
    for phase in list(Phase)[:done]:
        state = answered(state, phase, {}, grant // 6)
    phase = list(Phase)[done]

    share = question_of(state, phase, CONFIG).most_tokens

    assert LEAST <= share <= max(LEAST, state.left)


def test_a_later_phase_gets_what_an_earlier_one_left() -> None:
    brief, full = (
        asleep({phase: {} for phase in list(Phase)[:4]}, tokens=tokens)
        for tokens in (10, 1500)
    )

    assert question_of(brief, Phase.PRESENT, CONFIG).most_tokens == 7960
    assert question_of(full, Phase.PRESENT, CONFIG).most_tokens == 2000


def test_each_question_tells_what_was_thought_before() -> None:
    task = {"task": "extract", "what": "the heron's nest"}
    operation = {
        "operation": "FLAG",
        "target": "",
        "content": "two nests",
        "reason": "",
    }
    state = asleep(
        {
            "survey": {"plan": [task], "themes": ["herons"]},
            "meta": {"insights": ["Birds matter."], "observations": [], "guidance": []},
            "consolidate": {"operations": [operation]},
            "rewrite": {"add": [{"section": "Persona", "text": "Likes birds"}]},
        },
        seen={"episodes": (episode("Saw a heron."),)},
    )
    state = replace(state, kept=("FLAG : two nests",))
    asked = {phase: question_of(state, phase, CONFIG).text for phase in Phase}

    for phase in (Phase.META, Phase.CONSOLIDATE):
        assert "extract: the heron's nest" in asked[phase]
    for phase in (Phase.CONSOLIDATE, Phase.REWRITE, Phase.PRESENT):
        assert "Birds matter." in asked[phase]
    for phase in (Phase.REWRITE, Phase.PRESENT):
        assert "FLAG : two nests" in asked[phase]
    assert "+ Likes birds" in asked[Phase.PRESENT]
    for phase in (Phase.SURVEY, Phase.CONSOLIDATE, Phase.PRESENT):
        assert "Saw a heron." in asked[phase]


def test_a_hint_of_the_template_is_no_memory() -> None:
    core = "## Identity\n- Name: [your name]\n- [anything]\n- Likes [sic] herons\n"

    text = question_of(asleep(seen={"core": core}), Phase.SURVEY, CONFIG).text

    assert "[your name]" not in text
    assert "[anything]" not in text
    assert "- Likes [sic] herons" in text


def test_a_milestone_is_told_where_it_is_asked_for() -> None:
    state = replace(asleep(), milestone=10)

    for phase in (Phase.META, Phase.PRESENT):
        assert "It is a milestone" in question_of(state, phase, CONFIG).text
        assert "milestone, " not in question_of(asleep(), phase, CONFIG).text


def test_a_secret_is_sent_to_nobody() -> None:
    key = "sk-ant-api03-" + "Ab3dEf6hIj9k" * 7
    words = f"The key is {key} by now."
    pages = dict.fromkeys(("core", "evolution", "graph"), words)
    state = asleep(
        {"survey": {"themes": [key]}, "meta": {"insights": [words]}},
        seen={
            "episodes": (episode(words),),
            "proposals": (episode(words),),
            "log": (words,),
            **pages,
        },
    )

    for phase in Phase:
        assert key not in question_of(state, phase, CONFIG).text


# --- the meter -----------------------------------------------------------------


def test_an_answer_costs_what_it_says() -> None:
    meter, _ = metered({"themes": ["herons"]})

    meter.think(ASKED)

    assert meter.left == 8000 - count_tokens(json.dumps({"themes": ["herons"]}))


def test_a_question_is_never_given_more_than_is_left() -> None:
    meter, mind = metered({}, left=300)

    meter.think(ASKED)

    assert mind.questions[0].most_tokens == 300


def test_with_next_to_nothing_left_nobody_is_asked() -> None:
    meter, mind = metered({}, left=LEAST - 1)

    with pytest.raises(GrantSpentError, match="'survey'"):
        meter.think(ASKED)
    assert mind.questions == []


def test_an_answer_beyond_the_grant_uses_it_up() -> None:
    meter, _ = metered({"themes": ["heron " * 500]}, left=100)

    with pytest.raises(GrantSpentError):
        meter.think(ASKED)
    assert meter.left == 0


class LostReplyError(MindUnavailableError):
    """A reply that did not arrive."""

    written = True


@pytest.mark.parametrize(
    ("error", "cost"),
    [
        (MindUnavailableError("nobody is there"), 0),
        (LostReplyError("half a reply"), 1200),
        (BadAnswerError("no JSON", "heron " * 10), count_tokens("heron " * 10)),
        (BadAnswerError("no JSON"), 1200),
        (CutOffAnswerError(1200), 1200),
        (CutOffAnswerError(1200, "heron " * 10), 1200),
    ],
)
def test_what_may_have_been_written_is_paid_for(
    error: MindUnavailableError, cost: int
) -> None:
    meter, _ = metered(error)

    with pytest.raises(type(error)):
        meter.think(ASKED)
    assert meter.left == 8000 - cost
