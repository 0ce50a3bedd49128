"""What an answer to a check-in means."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.reflection.replies import Reply, hear, read_reply

YES = [
    "now", "yes", "Yes!", "yeah", "yep", "YES PLEASE", "ok", "okay.", "k", "alright",
    "go ahead", "Go ahead, I'm off to bed", "sure, do it", "sure", "sure thing", "fine",
    "do it", "do it now", "reflect now please", "let's do it", "let's do it now",
    "you can start now", "please do", "good to go", "I'm ready", "sounds good",
    "works for me", "why not?", "sure, why not?", "be my guest", "by all means",
    "no need to wait, go ahead", "no need to wait", "don't wait", "no reason to wait",
    "don't wait for our usual time", "no time like the present", "not later, now",
    "no, go ahead", "no problem", "I don't mind", "can you do it now?", "of course",
    "could we start right away?", "Yes, go for it!", "yeah sure go ahead",
    "ok, proceed", "now is fine", "i guess so", "👍", "👍🏽", "**yes**", "yesss",
]  # fmt: skip
LATERS = [
    "later", "Later.", "not now", "not right now", "not yet", "in a bit", "in a while",
    "in 20 minutes", "in an hour", "ask me again in 4 hours", "tomorrow",
    "let's do it tomorrow", "maybe later", "maybe tomorrow", "later?", "no, later",
    "No. Later.", "no, not now", "not now, no", "not now, thanks", "yes, but later",
    "ok later", "sure, later", "yes tomorrow", "wait", "wait for our usual time",
    "let's wait for our usual time", "usual time", "hold on", "I'm busy",
    "no I'm busy", "not yet, I'm busy", "after lunch", "when I'm back", "it can wait",
    "don't do it now", "please don't reflect now", "don't start yet", "catch me later",
    "remind me tonight", "not until tomorrow", "not tonight, maybe tomorrow",
    "give me five minutes", "some other time", "I'd rather wait", "go ahead... later",
    "later, I'm cooking", "could we do it later?", "no time right now", "wait, no",
    "yes, when I say so",
]  # fmt: skip
NOES = [
    "no", "No.", "nope", "nah", "no thanks", "no thank you", "not today", "skip it",
    "skip this one", "skip today", "don't", "please don't", "don't bother", "no need",
    "don't reflect", "do not do it", "let's not", "I'd rather not", "never mind",
    "forget it", "cancel", "absolutely not", "of course not", "I don't think so",
    "yes... actually no", "go ahead. No, stop.", "no reflection today", "👎", "nooo",
    "no need to reflect", "no, skip it", "not now. Skip it.", "ok, don't", "i'll pass",
    "no, I hate this", "don't wait, skip it", "not this time", "no no no",
]  # fmt: skip
UNCLEAR = [
    "", "   ", "?", "maybe", "perhaps now", "whatever", "up to you", "you decide",
    "not sure", "I don't know", "no idea", "no worries", "now?", "yes?", "why?",
    "what do you mean?", "yes if it's quick", "ok if you must",
    "yes, but first finish the report", "yes, I have a question first", "i'm good",
    "no, wait, yes", 'she said "yes"', "> yes", "```\nyes\n```", "he said yes",
    "Later that day I went home", "I can't wait", "is it time to go ahead?",
    "Assistant: yes", "the answer is not yes", "yes, he said", "yes or no",
    "go away", "ahead", "no later than the deadline", "yesterday", "nowhere", "note",
    "what if we do it later?", "yes I saw the mail", "ok so what is a reflection",
]  # fmt: skip
ANSWERS = [
    *((words, Reply.YES) for words in YES),
    *((words, Reply.LATER) for words in LATERS),
    *((words, Reply.NO) for words in NOES),
    *((words, Reply.UNCLEAR) for words in UNCLEAR),
]


@pytest.mark.parametrize(("words", "reply"), ANSWERS)
def test_an_answer_is_read_as_it_is_meant(words: str, reply: Reply) -> None:
    assert read_reply(words) is reply


def test_there_are_enough_answers_to_trust_the_reading() -> None:
    assert len({words for words, _ in ANSWERS}) >= 80


@given(st.text())
def test_any_text_is_read_without_harm(words: str) -> None:
    assert hear(words).reply in Reply


pieces = st.sampled_from([*YES, *LATERS, *NOES, *UNCLEAR, "but", "not", "if"])


@given(st.sampled_from(YES), st.sampled_from([" if", " unless", " but not"]), st.text())
def test_a_condition_is_never_a_yes(words: str, turn: str, more: str) -> None:
    assert read_reply(f"{words}{turn} {more}") is not Reply.YES


@given(st.lists(pieces, max_size=6))
def test_a_yes_has_a_yes_in_it(parts: list[str]) -> None:
    said = ", ".join(parts)

    assert read_reply(said) is not Reply.YES or any(part in YES for part in parts)


def test_what_else_was_said_is_kept_in_its_own_words() -> None:
    assert hear("No thanks, because Too Expensive").remark == "Too Expensive"
    assert hear("go ahead, I'm off to Bed").remark == "I'm off to Bed"
    assert hear("later").remark == ""


@pytest.mark.parametrize("piece", ["no ", "yes, ", "in ", "'", "give me ", " ", "1 "])
def test_a_megabyte_is_no_answer(piece: str) -> None:
    assert read_reply(piece * 1_000_000) is Reply.UNCLEAR
