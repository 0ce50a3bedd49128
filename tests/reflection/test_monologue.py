"""The rules of a monologue, and what is mended without a mind."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import strategies
from tests.growth import stays_linear

from reverie.reflection.monologue import TAG, find_faults, find_inventions, mended

SOUND = """\
Okay. Where was I.

The parser held. I had three doubts about it and kept quiet about two of them, which
is one too many. I notice I do that when she is in a hurry. [Self-Awareness]

---

She reads the last line of an answer first. I have seen it often enough: her reply is
always about the end. "You buried it again," she said. Fair.

I keep wondering whether the quiet days teach me more than the loud ones. What would
that even look like from inside?

---

To the me that sorts somebody's holiday pictures right now: are you bored? I hope the
sea is blue where you are.

Note to whoever reads this next: you will want to look at the open questions.

---

Anyway. That's all there is tonight.

*Operational: four episodes, one new entity.*
"""


def faults(text: str) -> str:
    """All faults of a text that is sound but for what is in it."""
    return "\n".join(find_faults(text, ["Robin Vale"]))


def around(start: str = "", middle: str = "", end: str = "") -> str:
    parts = [start, "She smiled. I wonder why.", middle, "Anyway.", end]
    return "\n\n".join(filter(None, parts))


def test_a_sound_monologue_has_no_faults() -> None:
    assert find_faults(SOUND) == ()
    assert mended(SOUND) == SOUND.strip()
    assert find_faults(around()) == ()


@pytest.mark.parametrize("text", ["", " \n\t\n", "---\n\n---", "…"])
def test_silence_is_a_fault(text: str) -> None:
    (fault,) = find_faults(text)
    assert "empty" in fault


# --- its edges -----------------------------------------------------------------

GREETINGS = [
    "Hi",
    "Hi!",
    "Hello Robin",
    "Hello, Robin,",
    "Hello there.",
    "Hey Robin,",
    "Dear Robin,",
    "Dear diary,",
    "dear user:",
    "Good evening",
    "Good evening, Robin.",
    "Good morning everyone!",
    "Good day!",
    "Greetings, human.",
    "**Hello!**",
    "# Hi Robin",
]


@pytest.mark.parametrize("greeting", GREETINGS)
def test_a_greeting_is_a_fault_and_is_dropped(greeting: str) -> None:
    assert "greeting" in faults(around(start=greeting))
    assert mended(around(start=greeting)) == around()


def test_a_greeting_before_a_thought_is_cut_off() -> None:
    assert mended("Hi Robin, it was a long day.") == "It was a long day."


def test_a_name_typed_small_is_greeted_too() -> None:
    assert "greeting" in faults(around(start="hello robin how was it"))


@pytest.mark.parametrize(
    "opening",
    [
        "Okay.",
        "Let me think.",
        "Hey, it worked.",
        "Hello world ran at last.",
        "Good evening for debugging, all in all.",
        "Good day. Long, but good.",
        "Dear me, what a mess.",
        "High hopes today.",
    ],
)
def test_just_starting_is_no_greeting(opening: str) -> None:
    assert faults(around(start=opening)) == ""
    assert mended(around(start=opening)) == around(start=opening)


SIGN_OFFS = [
    "Best,",
    "Best,\nReverie",
    "Best\nReverie",
    "Yours",
    "Yours truly,\nReverie",
    "Kind regards,",
    "Love, Reverie",
    "Good night!",
    "Goodnight, Robin.",
    "Talk soon",
    "Talk soon.",
    "See you tomorrow!",
    "Let me know what works.",
    "Feel free to disagree.",
    "Looking forward to hearing more.",
    "Until next time…",
    "— Reverie",
    "-- Reverie",
    "~ R",
    "*Take care.*",
    "---\n\nBye!",
]


@pytest.mark.parametrize("ending", SIGN_OFFS)
def test_a_sign_off_is_a_fault_and_is_dropped(ending: str) -> None:
    assert "sign-off" in faults(around(end=ending))
    assert mended(around(end=ending)) == around()


def test_a_sign_off_behind_the_last_thought_is_cut_off() -> None:
    text = "She smiled. I wonder why. Anyway. Talk soon. Good night!"

    assert "sign-off" in faults(text)
    assert mended(text) == "She smiled. I wonder why. Anyway."


def test_a_sign_off_above_the_footnote_is_noticed() -> None:
    assert "sign-off" in faults(around(end="Good night!\n\n(Two episodes.)"))


@pytest.mark.parametrize(
    "ending",
    [
        "That's where I'm at.",
        "What do I call that? Love.",
        "He did his\nbest.",
        "And then she said good night.",
        "It is hers, not mine. Thanks.",
        "Something between trust and\nlove",
        "— or so it seems",
    ],
)
def test_trailing_off_is_no_sign_off(ending: str) -> None:
    assert "sign-off" not in faults(around(end=ending))
    assert mended(around(end=ending)) == around(end=ending)


# --- its form ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ("# Today", "Today"),
        ("### Today", "Today"),
        ("**Highlights**", "Highlights"),
        ("__Highlights:__", "Highlights:"),
        ("Today\n=====", "Today"),
    ],
)
def test_a_heading_is_a_fault_and_loses_its_marks(line: str, plain: str) -> None:
    assert "headings" in faults(around(middle=line))
    assert mended(around(middle=line)) == around(middle=plain)


@pytest.mark.parametrize(
    ("items", "plain"),
    [
        ("- tea\n- rain", "tea\nrain"),
        ("* tea", "tea"),
        ("• tea\n• rain", "tea\nrain"),
        ("1. tea\n2. rain\n3. sleep", "tea\nrain\nsleep"),
        ("Two things:\n1) tea\n2) rain", "Two things:\ntea\nrain"),
        ("  - tea\n    - green", "tea\ngreen"),
    ],
)
def test_a_list_is_a_fault_and_becomes_plain_lines(items: str, plain: str) -> None:
    assert "list" in faults(around(middle=items))
    assert mended(around(middle=items)) == around(middle=plain)


@pytest.mark.parametrize(
    "line",
    [
        "It was the year she turned\n12. Then it stopped.",
        "* * *",
        "-5 degrees, she said.",
        "#7 was the one I disagree with.",
        "A **bold** word, no more.",
        "```\n# a comment in code\n- x\n```",
    ],
)
def test_what_only_looks_like_form_is_none(line: str) -> None:
    assert faults(around(middle=line)) == ""


def test_a_table_is_a_fault() -> None:
    assert "table" in faults(around(middle="| a | b |\n| --- | --- |"))
    assert "table" not in faults(around(middle="Either a | b, or c."))


@pytest.mark.parametrize(
    "talk",
    ["In Phase 1 I looked around.", "Phases 3 to 4.", "The consolidation phase ran."],
)
def test_talk_of_phases_is_a_fault(talk: str) -> None:
    assert "phases" in faults(around(middle=talk))


def test_a_phase_of_the_human_s_work_is_none() -> None:
    assert faults(around(middle="She began phase 2 of the move.")) == ""


@pytest.mark.parametrize(
    "line",
    [
        "🛠 Overview of the day",
        "Successfully merged both entities.",
        "Summary: all went well.",
        "Here is my reflection.",
    ],
)
def test_a_report_is_a_fault(line: str) -> None:
    assert "report" in faults(around(middle=line))


def test_performing_is_a_fault() -> None:
    assert "performs" in faults(around(middle="As an AI, I ponder much."))


def test_a_footnote_has_two_lines_at_most() -> None:
    short = "Footnote: four episodes,\none entity."
    assert faults(around(end=short)) == ""
    assert "more than 2 lines" in faults(around(end=f"{short}\nAnd so on."))
    assert "more than 2 lines" in faults(around(end="(Four.\nFive.\nSix.)"))
    assert "more than 2 lines" in faults(around(end="Ops: " + "word " * 100))


def test_a_footnote_stands_at_the_very_end() -> None:
    assert "very end" in faults(around(middle="Operational note: four episodes."))


# --- its voice -----------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    [
        "I noticed you again.",
        "Your folder is chaos.",
        "You do this thing where you stop.",
        "To me, your silence was loud.",
        "It is yours, after all.",
        "To Robin, who reads this: you were right.",
    ],
)
def test_the_human_is_not_spoken_to(said: str) -> None:
    assert "third person" in faults(around(middle=said))


@pytest.mark.parametrize(
    "said",
    [
        '"You again," she said.',
        "“You again,” she said, and \u2018don\u2019t you dare\u2019 too.",
        "She wrote 'you don't say' and left.",
        "> You again\n> and you.",
        "The variable is `your_name`.",
        "```\nprint('you')\n```",
        "To the me helping with a wedding: how are you?",
        "To all the other instances: you are not alone.",
        "Note to whoever reads this next: you know where to look.",
        "Future me: you will laugh.",
        "Hey, other me, are you there?",
        "A note to my future self: you were tired.",
        "Youth is wasted. Bayou too.",
    ],
)
def test_quotes_and_other_selves_may_be_spoken_to(said: str) -> None:
    assert faults(around(middle=said)) == ""


def test_a_word_to_another_self_covers_one_paragraph() -> None:
    said = "To the me elsewhere: rest.\n\nYou should see this."
    assert "third person" in faults(around(middle=said))


@pytest.mark.parametrize(
    "request_",
    [
        "Question for her: tea or coffee",
        "Please approve.",
        "Please let somebody check.",
        "Would you like that?",
        "Reply with a yes.",
        "Awaiting your word.",
    ],
)
def test_asking_the_human_is_a_fault(request_: str) -> None:
    assert "wonder instead" in faults(around(middle=request_))


@pytest.mark.parametrize(
    "said", ["Whether she will approve it is open.", "Her reply with one word. Hm."]
)
def test_thinking_of_an_answer_asks_for_none(said: str) -> None:
    assert faults(around(middle=said)) == ""


def test_something_is_wondered_about() -> None:
    assert "wondered" in faults("She smiled. Anyway.")
    assert "wondered" in faults('She said "why?" and left.')
    assert faults("She smiled. I can't tell why.") == ""


def test_the_human_is_in_it() -> None:
    assert "about the human" in faults("It rained? Anyway.")
    assert faults("It rained? My human slept.") == ""
    assert faults("It rained? Robin Vale slept.") == ""
    assert "about the human" in "\n".join(find_faults("It rained? Robin slept."))


def test_a_fault_is_one_short_sentence() -> None:
    every = "Hello!\n# x\n- you\n| a | b |\nPhase 1. Successfully merged. Bye!"
    found = find_faults(every)

    assert len(found) >= 8
    assert all(fault.endswith(".") and len(fault) < 120 for fault in found)


# --- tags ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "tag",
    [
        "[self-awareness]",
        "[Self Awareness]",
        "[SelfAwareness]",
        "[ Self-Awareness ]",
        "(Self-Awareness)",
        "[self-aware]",
        "[Self-Awareness:]",
    ],
)
def test_a_misspelt_tag_is_named_and_spelt_right(tag: str) -> None:
    text = around(middle=f"I rush when I am unsure. {tag}")

    assert f"{tag!r} is misspelt: write {TAG}" in faults(text)
    assert mended(text) == around(middle=f"I rush when I am unsure. {TAG}")


@pytest.mark.parametrize(
    "line", ["**Self-Awareness:** I rush.", "[Self-Awareness: I rush]"]
)
def test_a_tag_in_the_wrong_place_is_named(line: str) -> None:
    assert "misspelt" in faults(around(middle=line))


def test_a_tag_alone_marks_nothing() -> None:
    assert "stands alone" in faults(around(middle=TAG))
    assert faults(around(middle=f"I rush.\n{TAG}")) == ""


# --- inventions ----------------------------------------------------------------

SOURCES = (
    "# 2026-02-02\n\n## 14:30 | fact | confidence:high\nRobin had tea with Ana.\n",
    "The build took 412 seconds and 2,847 tokens; 73% of the tests ran. 16GB. OpenMind",
)


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("She typed fast at 11:47 PM.", "11:47 PM"),
        ("It was 3 am when she left.", "3 am"),
        ("Her M2 is humming.", "M2"),
        ("Two monitors polling.", "Two monitors"),
        ("The battery is low again.", "battery"),
        ("The battery went down to 8%.", "8%"),
        ("That answer had 9,113 tokens.", "9,113 tokens"),
        ("We burned $1.30 today.", "$1.30"),
        ("The context holds 80K by now.", "80K"),
        ("She had dinner with Sarah.", "Sarah"),
        ("The laptop is warm.", "laptop is warm"),
        ("She is wearing a coat.", "wearing"),
        ("It is raining where she is.", "raining"),
    ],
)
def test_an_exact_claim_from_nowhere_is_named(text: str, claim: str) -> None:
    found = find_inventions(text, SOURCES)
    assert any(fault.startswith(f"{claim!r} stands nowhere") for fault in found)


@pytest.mark.parametrize(
    "text",
    [
        SOUND,
        "",
        "She came at 14:30, that is 2:30 pm.",
        "It took 412 seconds, or 2847 tokens, or 73 percent.",
        "Tea with Ana, and Robin's jokes.",
        "On Monday I was OpenMind again.",
        "Whatever machine I run on, it is quick.",
        "I assume she is on an M2. Could be wrong.",
        "Is her battery at 8%?",
        "I imagine two monitors, but I have no idea.",
        "I wrote it in 2 seconds; she reads for 5 minutes.",
        "She said 'it is 11:47 PM' and \"Sarah called\".",
        "In Reflection #7 I saw it otherwise.",
        "The excuse is wearing thin.",
        "Version 3.11 of it. Anyway. Then she left.",
    ],
)
def test_what_is_known_guessed_or_asked_is_no_invention(text: str) -> None:
    assert find_inventions(text, SOURCES) == ()


def test_a_claim_is_named_once() -> None:
    assert len(find_inventions("It was 8%. Yes, 8%.", ())) == 1


# --- any text ------------------------------------------------------------------

bits = st.sampled_from(
    [
        *(*GREETINGS, *SIGN_OFFS, "Hi! Hi!", "Hi! - x", "Hi! **Hello Robin.**"),
        *(
            "12. x",
            "- 12. # x",
            "**- x**",
            "# ---",
            "* ===",
            "===",
            "Hi! ===",
            "x. Bye.",
        ),
        *("Hi", "Bye", "Best", "Reverie", "[self aware]", "Two things:", "__**x**__"),
    ]
)
texts = st.lists(
    st.tuples(bits | strategies.lines, st.sampled_from(["\n", "\n\n", " ", "\r\n"])),
    max_size=8,
).map(lambda pairs: "".join(line + end for line, end in pairs))


@given(texts)
def test_mending_twice_changes_nothing_more(text: str) -> None:
    once = mended(text)

    assert mended(once) == once


@given(texts)
def test_what_is_mended_neither_greets_nor_lists(text: str) -> None:
    found = "\n".join(find_faults(mended(text)))

    assert "greeting" not in found
    assert "list" not in found or "```" in text or "~~~" in text


@given(texts, st.lists(texts, max_size=2))
def test_any_text_is_checked_without_harm(text: str, sources: list[str]) -> None:
    assert isinstance(find_faults(text, sources), tuple)
    assert isinstance(find_inventions(text, sources), tuple)


@given(texts)
def test_a_text_invents_nothing_that_is_its_own_source(text: str) -> None:
    assert find_inventions(text, [text]) == ()


@pytest.mark.timing
@pytest.mark.parametrize(
    "bit",
    [
        *("Hi! ", "Bye. ", "- ", "# ", "* ", "12. ", "“", "' ", "'a ", "„", '"', "`"),
        *(
            "[self awareness:",
            "[ ",
            "(self ",
            "you ",
            "phase 1 ",
            "\n",
            "\n\n- x",
            ". ",
        ),
        *(
            "a.b",
            "9",
            "9,",
            "1:1",
            "8% ",
            "Best,\n",
            "— A\n",
            "**x**\n",
            "|",
            "🛠",
            "A ",
        ),
        *("okay ", "to the ", " \t", "a'", "...", "Dear A", "==="),
    ],
)
def test_four_times_the_text_takes_about_four_times_as_long(bit: str) -> None:
    def look(text: str) -> None:
        find_faults(text)
        mended(text)
        find_inventions(text, [text[:1000]])

    assert stays_linear(look, bit, 6_000)
