"""What sort of question it is, and what its answer is likely to have."""

from __future__ import annotations

from reverie import Plan
from reverie.index.text import Cue
from reverie.recall.question import choose_plan, expected_cue, wants_both_sides

QUESTIONS = [
    # the five rows of the design, section 11.1
    ("When did we choose the database?", Plan.WHEN),
    ("What do you know about Alex?", Plan.ABOUT),
    ("How do I usually deploy?", Plan.HOW),
    ("What's the latest on the gateway?", Plan.LATEST),
    ("green curtains", Plan.GENERAL),
    # close to them
    ("when was that", Plan.WHEN),
    ("Which month was the trip?", Plan.WHEN),
    ("How long ago did we talk?", Plan.WHEN),
    ("Tell me about the gateway", Plan.ABOUT),
    ("Who is Alex?", Plan.ABOUT),
    ("How should we answer?", Plan.HOW),
    ("how to boil an egg", Plan.HOW),
    ("Any news from Kim?", Plan.LATEST),
    ("What's new?", Plan.LATEST),
    # what only looks like one of them
    ("Whenever it rains", Plan.GENERAL),
    ("the howling wolf", Plan.GENERAL),
    ("lately it rains", Plan.GENERAL),
    ("How did Kim like the soup?", Plan.GENERAL),
    ("What is the total of my bills?", Plan.GENERAL),
    ("What is the new office like?", Plan.GENERAL),
    ("", Plan.GENERAL),
]


def test_a_question_is_of_the_sort_its_words_tell() -> None:
    for question, plan in QUESTIONS:
        assert choose_plan(question) is plan


def test_the_sort_does_not_depend_on_capitals() -> None:
    for question, plan in QUESTIONS:
        assert choose_plan(question.upper()) is plan


def test_a_question_tells_whether_a_number_or_a_time_is_wanted() -> None:
    for question, plan, cue in [
        ("How many cups do I own?", Plan.GENERAL, Cue.NUMBER),
        ("How much was it in total?", Plan.GENERAL, Cue.NUMBER),
        ("What time is the meeting?", Plan.WHEN, Cue.NUMBER | Cue.TIME),
        ("When did we meet?", Plan.WHEN, Cue.TIME),
        ("How many weeks since the move?", Plan.GENERAL, Cue.NUMBER | Cue.TIME),
        ("How long ago was that?", Plan.WHEN, Cue.NUMBER | Cue.TIME),
        ("Where do I live?", Plan.GENERAL, Cue(0)),
        ("Who is Alex?", Plan.ABOUT, Cue(0)),
    ]:
        assert expected_cue(question, plan) == cue


def test_a_question_for_all_that_was_said_wants_both_sides() -> None:
    for question, both in [
        ("Summarise our talk about Rome", True),
        ("Give me an overview of the trip", True),
        ("What had you recommended for dinner?", True),
        ("the book you once mentioned", True),
        ("What came up in our last conversation?", True),
        ("your suggestion for dinner", True),
        ("What did I say about dinner?", False),
        ("Where do I live?", False),
    ]:
        assert wants_both_sides(question) is both
