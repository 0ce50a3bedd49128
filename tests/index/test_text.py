"""Passages: cut after sentences, with what each states and what it only asks."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from tests import strategies
from tests.index.shown import heard as passages

from reverie.index.text import (
    LENGTH,
    MOST,
    STOP_WORDS,
    Cue,
    IndexPassage,
    language,
    spelled,
    terms,
    variants,
    words,
)

SENTENCES = [
    "I planted five tomatoes.",
    "Can you tell me how to plant tomatoes?",
    "I moved to Berlin, and can you suggest a cafe?",
    'She said "never again!" and left.',
    "My dog is called Rex, what should I feed him?",
    "今日は東京に行った。",
    "明日は\uff1f",
    "No end",
    "and so, hey, is it late?",
    "So what (any tips?)",
    "x" * 40,
    "one two three four five six seven eight nine ten " * 3,
]
speech = st.lists(
    st.tuples(
        st.sampled_from(SENTENCES) | st.text(max_size=30),
        st.sampled_from([" ", "\n", "\n\n", "  ", ""]),
    ),
    max_size=30,
).map(lambda pairs: "".join(a + b for a, b in pairs))


def only(text: str) -> IndexPassage:
    (found,) = passages(text)
    return found


def total(found: list[IndexPassage], name: str) -> Counter[str]:
    return sum((Counter(getattr(p, name)) for p in found), Counter[str]())


@given(speech | strategies.files)
def test_the_passages_of_a_text_have_all_its_words_in_order(text: str) -> None:
    found = passages(text)

    assert [w for p in found for w in words(p.text)] == words(text)


@given(speech)
def test_the_counts_of_words_add_up(text: str) -> None:
    for passage in passages(text):
        assert 0 <= passage.own + passage.asking <= passage.words
        # A word that only joins two clauses, such as "and", belongs to neither.
        joining = len(words(passage.text)) - passage.words
        assert 0 <= joining <= sum(w in STOP_WORDS for w in words(passage.text))


def test_a_text_of_very_much_has_no_more_passages_than_can_be_told_apart() -> None:
    sentence = " ".join(["tomato"] * (LENGTH - 1)) + " last{}.\n"
    text = "".join(sentence.format(n) for n in range(MOST + 50))

    found = passages(text)

    assert len(found) == MOST
    assert [w for p in found for w in words(p.text)] == words(text)
    assert found[0].stated["tomato"] == LENGTH - 1
    assert found[-1].stated["tomato"] == 51 * (LENGTH - 1)


def test_sentences_stand_together_until_there_are_enough_of_them() -> None:
    sentence = "one two three four five six seven eight nine ten. "

    found = passages(sentence * 13)

    assert [p.words for p in found] == [60, 60, 10]


def test_a_sentence_is_never_cut_in_the_middle() -> None:
    long = "word " * (3 * LENGTH) + "end."

    assert [p.words for p in passages(f"Short. {long} Short.")] == [
        1,
        3 * LENGTH + 1,
        1,
    ]


def test_a_statement_is_stated() -> None:
    found = only("I planted five tomatoes.")

    assert found.stated == {"plant": 1, "five": 1, "tomato": 1}
    assert (found.asked, found.asking) == ({}, 0)
    assert found.own == found.words == 4


def test_a_question_is_only_asked() -> None:
    for text in [
        "Can you tell me how to plant tomatoes?",
        "how do I plant tomatoes?",
        "Plant tomatoes?",
        'Did they say "plant tomatoes?"',
        "トマト tomato plant\uff1f",
    ]:
        found = only(text)

        assert {"plant", "tomato"} <= set(found.asked)
        assert found.stated == {}
        assert found.asking == found.words > 0


def test_a_question_at_the_end_of_a_sentence_is_told_from_the_statement_before_it() -> (
    None
):
    found = only("My dog is called Rex, what should I feed him?")

    assert set(found.stated) == {"dog", "call", "rex"}
    assert set(found.asked) == {"feed"}
    assert 0 < found.own < found.words


def test_a_word_that_is_stated_and_asked_counts_as_both() -> None:
    found = only("I like tea. Do you like tea? Tea, do you have any tea?")

    assert (found.stated["tea"], found.asked["tea"]) == (2, 2)


def test_what_somebody_says_about_themselves_is_their_own() -> None:
    for text, own in [
        ("I\u2019m from Oslo.", True),
        ("We're late.", True),
        ("It is mine.", True),
        ("The sky is blue.", False),
        ("Chapter ii begins.", False),
        ("The umbrella museum is famous.", False),
    ]:
        assert bool(only(text).own) is own


def test_what_questions_ask_for_is_noted() -> None:
    for text, cue in [
        ("It cost 5 euros", Cue.NUMBER),
        ("a dozen eggs", Cue.NUMBER),
        ("we met yesterday", Cue.TIME),
        ("this weekend", Cue.TIME),
        ("no longer vegetarian", Cue.UPDATE),
        ("she switched jobs recently", Cue.TIME | Cue.UPDATE),
        ("plain words", Cue(0)),
        ("sundae, someone, nowhere", Cue(0)),
    ]:
        assert only(text).cues == cue


def test_a_text_is_cut_into_words() -> None:
    for text, found in [
        ("I planted five tomatoes.", ["i", "planted", "five", "tomatoes"]),
        ("snake_case and kebab-case", ["snake", "case", "and", "kebab", "case"]),
        ("don't", ["don", "t"]),
        ("ÜBER Straße", ["über", "straße"]),
        ("v2.0 of x86", ["v2", "0", "of", "x86"]),
        ("東京タワー", ["東", "京", "タ", "ワ", "ー"]),
        ("東京 is big", ["東", "京", "is", "big"]),
        ("", []),
        (" \n\t…—!?", []),
    ]:
        assert words(text) == found


def test_words_that_tell_nothing_apart_are_no_terms() -> None:
    assert terms("What is the name of my cat?") == ["name", "cat"]


def test_forms_of_a_word_have_one_stem() -> None:
    for one, other in [
        ("planting", "planted"),
        ("tomatoes", "tomato"),
        ("Running", "runs"),
    ]:
        assert terms(one) == terms(other)


# --- languages ---------------------------------------------------------------


def test_a_text_is_of_the_language_whose_commonest_words_it_has() -> None:
    for text, expected in [
        ("Where did I leave the key of the bike?", "english"),
        ("Wie heisst der Hauswart an der Rotbuchstrasse?", "german"),
        ("¿Dónde está la llave de la bicicleta?", "spanish"),
        ("Où est la clé de ma bicyclette ?", "french"),
        ("Onde está a chave da minha bicicleta?", "portuguese"),
        ("Shoe size 33", "english"),
        ("Vegetarian since birth, eats no eggs", "english"),
        ("我的中文名字叫什么", "english"),
        ("", "english"),
    ]:
        assert language(text) == expected


def test_words_meet_whatever_their_ending_in_the_language_of_the_text() -> None:
    for text, question, common in [
        ("Die Wohnungen sind in der Stadt", "Wo ist die Wohnung?", {"wohnung"}),
        ("Las llaves están en la mesa", "¿Dónde está la llave?", {"llav"}),
        ("Zürich is cold", "Was Zurich warm?", {"zurich"}),
        ("Die Straße ist gesperrt", "strasse", {"strass"}),
    ]:
        asked = {*dict(spelled(question)), *variants(question)}
        assert common <= asked & only(text).stated.keys()


@given(st.sampled_from(["Die {} ist in der Stadt", "The {} is in town", "{}"]))
def test_a_word_is_compared_by_one_stem_in_any_company(text: str) -> None:
    for word in ("Rechnungen", "Kessler", "llaves", "中文"):
        assert set(terms(word)) <= set(terms(text.format(word)))
        assert set(terms(word)) <= only(text.format(word)).stated.keys()


def test_a_word_has_a_stem_in_every_language() -> None:
    assert {"strass", "wohnung"} <= {*variants("straße"), *variants("wohnungen")}


def test_words_without_gaps_are_signs_and_pairs_that_stand_together() -> None:
    for text, expected in [
        ("微信名叫", "微 信 名 叫 微信 信名 名叫"),
        ("她的微信", "微 信 微信"),
        ("用HSK教程", "用 hsk 教 程 教程"),
        ("แมว", "แ ม ว แม มว"),
    ]:
        assert list(dict(spelled(text))) == expected.split()
        assert only(text).stated.keys() >= set(expected.split())


@given(st.text(alphabet="的了猫狗鱼鸟abc ,", max_size=40))
def test_every_pair_of_signs_stands_in_the_text(text: str) -> None:
    for term, word in spelled(text):
        assert word in text
        assert term == word or word.isascii()
        assert not {"的", "了"}.intersection(word)


def test_a_long_text_without_gaps_is_cut_after_sentences() -> None:
    sentence = "我们今天早上一起去山里看了很久的鸟。"

    found = passages(sentence * 40)

    assert len(found) > 5
    assert all(p.text.endswith("。") for p in found)
