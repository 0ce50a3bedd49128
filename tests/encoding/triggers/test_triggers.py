"""What a message asks of memory, and what is true of every trigger."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.encoding.triggers import seeds

from reverie.config import Config, ConfigError, TriggersConfig, parse_config
from reverie.encoding.triggers import detect, may_withhold
from reverie.encoding.triggers.phrases import MASK, mask, plain, tables_of
from reverie.model.items import Role
from reverie.model.route import Target, TriggerKind

REMEMBER = seeds.said(seeds.REMEMBER, seeds.SAID)
FORGET = seeds.said(seeds.FORGET, seeds.NAMED)
ASIDE = [said for said, _ in seeds.said(seeds.LAID_ASIDE, seeds.NAMED)]
SEARCH = seeds.said(seeds.SEARCH, seeds.NAMED)
REFLECT = [said for said, _ in seeds.said(seeds.REFLECT, seeds.NAMED)]
FAREWELL = [said for said, _ in seeds.said(seeds.FAREWELL, seeds.NAMED)]
SAYINGS = [said for said, _ in (*REMEMBER, *FORGET, *SEARCH)] + ASIDE + REFLECT
PIECES = (
    *("Remember ", "that ", "forget ", "about ", "don't ", "this", "permanently "),
    *(
        ", ",
        ". ",
        ": ",
        "? ",
        "\n",
        "\n\n",
        "> ",
        "`",
        "```\n",
        '"',
        "'",
        "(",
        ")",
        "<a>",
    ),
    *(
        "「",
        "」",
        "、",
        "。",
        "覚えておいて",
        "记住",
        "忘れて",
        "goodnight",
        "\u2019",
        "İ",
        "\0",
    ),
    *(
        "keep ",
        "in mind",
        "can you ",
        "please ",
        "never mind",
        "</a>",
        "Dr. ",
        "3. Mai ",
    ),
)
anything = st.one_of(
    st.text(),
    st.lists(st.sampled_from(PIECES), max_size=30).map("".join),
    st.lists(st.sampled_from(SAYINGS), max_size=4).map(" ".join),
    st.lists(st.sampled_from(SAYINGS), max_size=4).map("\n".join),
)


# --- the design's phrases --------------------------------------------------------


def test_every_phrase_to_remember_reaches_what_is_said() -> None:
    for said, what in REMEMBER:
        for way in ("{}", "{}.", "🙂 {}!"):
            (found,) = detect(way.format(said))

            assert (found.kind, found.content) == (TriggerKind.REMEMBER, what), said
            assert found.own


def test_every_phrase_to_forget_reaches_what_it_names() -> None:
    for said, what in FORGET:
        (found,) = detect(f"{said}.")

        assert (found.kind, found.content) == (TriggerKind.FORGET, what), said
        assert found.target is Target.MEMORY


def test_what_was_just_said_is_laid_aside_and_no_memory_is() -> None:
    for said in ASIDE:
        (found,) = detect(said)

        laid_aside = found.target is Target.CONVERSATION
        assert found.kind is TriggerKind.DISMISS or laid_aside, said


def test_a_question_for_what_is_remembered_searches() -> None:
    for said, what in SEARCH:
        (found,) = detect(said)

        assert found.kind is TriggerKind.SEARCH, said
        assert what in found.content


def test_every_phrase_to_reflect_begins_one_and_a_farewell_is_a_chance_to_ask() -> None:
    for sayings, kind in [
        (REFLECT, TriggerKind.REFLECT),
        (FAREWELL, TriggerKind.REFLECT_SOFT),
    ]:
        for said in sayings:
            assert [one.kind for one in detect(said)] == [kind], said


def test_the_usual_spellings_are_understood() -> None:
    for said in [
        "DONT FORGET the boat is green",
        "Hey, please don\u2019t forget that the boat is green, ok?",
        "ok so please remember the boat is green, thanks!",
        "Could you remember that the boat is green?",
        "please, can you please remember the boat is green?",
        "**Important**: the boat is green",
        "Thanks! Remember: the boat is green.",
        "I want you to remember that the boat is green",
        "save this for later - the boat is green",
        "The boat is green. Please remember that.",
        "The boat is green, keep that in mind.",
    ]:
        (found,) = detect(said)

        assert found.content.lower() == "the boat is green"


# --- what is named ---------------------------------------------------------------


def test_a_wish_to_forget_names_what_it_means() -> None:
    for said, what in [
        ("forget about the old office", "the old office"),
        ("Disregard the old deadline", "the old deadline"),
        ("Never mind about the old plan", "the old plan"),
        ("forget the expensive laptop", "the expensive laptop"),
        ("forget my old address plz", "my old address"),
        ("remove from memory my old address", "my old address"),
        ("Forget about Oslo, let's go to Bergen.", "Oslo"),
    ]:
        (found,) = detect(said)

        assert (found.kind, found.content) == (TriggerKind.FORGET, what)
        assert not found.permanent


def test_what_is_for_ever_is_said_in_so_many_words() -> None:
    for said, what in [
        ("My badge is 4411. Pin this.", "My badge is 4411"),
        ("Pin this: my badge is 4411", "my badge is 4411"),
        ("Pin: my badge is 4411", "my badge is 4411"),
        ("Remember permanently: my badge is 4411", "my badge is 4411"),
        ("Permanently delete my old address.", "my old address"),
        ("Delete the memory of my bank permanently.", "my bank"),
    ]:
        (found,) = detect(said)

        assert found.permanent
        assert found.content == what


def test_a_date_or_a_title_does_not_end_what_is_said() -> None:
    (found,) = detect("Denk dran, dass Oma am 3. Mai bei Dr. Weiß ist.")

    assert found.content == "Oma am 3. Mai bei Dr. Weiß ist"


def test_what_only_points_names_nothing() -> None:
    for said in ["Remember that above.", "Save this preference"]:
        (found,) = detect(said)

        assert found.content == ""


def test_what_is_pointed_at_below_is_taken_whole() -> None:
    (found,) = detect("Remember this:\n\nThe boat is green.\nIt leaks.")

    assert found.content == "The boat is green.\nIt leaks."
    assert not found.own


# --- what orders nothing -----------------------------------------------------------


def test_questions_negations_quotations_and_code_order_nothing() -> None:
    for said in [
        "I don't remember that the boat was green.",
        "Remember when we painted the boat?",
        "pin number is in the drawer",
        "Pin number three is broken",
        "Do you remember the boat?",
        "Can you remember his name?",
        'She said "remember that the boat is green" and left.',
        "Elle a écrit « oublie le bateau » hier",
        "彼は「船は忘れて」と言った",
        "他说“记住我的话”，然后就走了。",
        "`remember that x = 3`",
        "```\nforget the boat\n```",
        "> Remember that the boat is green.",
        "I forgot about the boat.",
        "Ich habe das Boot vergessen.",
        "彼の名前を忘れてしまった。",
        "My son is going to sleep at eight, is that late?",
    ]:
        assert detect(said) == ()


def test_a_negation_behind_the_verb_asks_for_nothing_to_be_remembered() -> None:
    for said in [
        "Notiere dir meinen Code nicht",
        "Speichere meine Adresse bitte nicht!",
    ]:
        assert detect(said) == ()


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ("Don't remember this: the boat is green", "the boat is green"),
        ("The boat is green. Please don't save that.", "The boat is green"),
        ("This is off the record: is the boat green?", "is the boat green"),
        ("You don't have to remember this, the boat is green", "the boat is green"),
        ("Der Code ist 4411. Merk dir das nicht.", "Der Code ist 4411"),
        ("Merke dir nicht, dass ich Nüsse hasse", "ich Nüsse hasse"),
        ("Merk dir bloß nicht meine Adresse", "meine Adresse"),
        ("Bitte nicht merken: ich hasse Nüsse", "ich hasse Nüsse"),
        ("Speichere das bitte nicht: ich hasse Nüsse", "ich hasse Nüsse"),
        ("No recuerdes esto: odio las nueces", "odio las nueces"),
        ("Odio las nueces, que no conste", "Odio las nueces"),
        ("Retiens pas mon adresse", "mon adresse"),
        ("Não guarde isso: odeio nozes", "odeio nozes"),
        ("我讨厌坚果，别记下来。", "我讨厌坚果"),
        ("ナッツが嫌いなことは覚えないで。", "ナッツが嫌いな"),
    ],
)
def test_what_is_not_to_be_remembered_is_told(said: str, what: str) -> None:
    (found,) = detect(said)

    assert (found.kind, found.content) == (TriggerKind.WITHHOLD, what)
    assert may_withhold(said)


@pytest.mark.parametrize(
    "said",
    [
        *("I don't remember this.", "He spoke off the record.", "Remember this: x"),
        *("Don't store it in the fridge.", "Don't record this meeting", "Hello."),
        *("No guardes rencor.", "Don't forget this: x", "Merk dir das: x"),
    ],
)
def test_what_only_sounds_like_that_is_not(said: str) -> None:
    assert TriggerKind.WITHHOLD not in {each.kind for each in detect(said)}


def test_what_is_not_to_be_forgotten_is_remembered() -> None:
    for said, what in [
        ("Vergiss bitte niemals, dass ich Nüsse hasse", "ich Nüsse hasse"),
        ("Vergiss nicht, dass ich Nüsse hasse", "ich Nüsse hasse"),
        ("Vergiss meinen Geburtstag nicht!", "meinen Geburtstag"),
        ("Ich mag Tee. Vergiss das nicht.", "Ich mag Tee"),
        ("Oublie jamais mon nom", "mon nom"),
        ("Merk dir, ich mag das nicht", "ich mag das nicht"),
        ("Merk dir, dass ich nicht komme", "ich nicht komme"),
        ("In Zukunft nicht so lange Antworten", "nicht so lange Antworten"),
    ]:
        (found,) = detect(said)

        assert (found.kind, found.content) == (TriggerKind.REMEMBER, what)


def test_only_the_user_gives_orders() -> None:
    for role in (Role.ASSISTANT, Role.SYSTEM):
        assert detect("Remember that the boat is green.", role) == ()


# --- what a workspace adds ---------------------------------------------------------


def settings(text: str) -> TriggersConfig:
    return parse_config(f"[triggers]\n{text}", "reverie.toml", {}).triggers


def test_a_workspace_adds_phrases_of_its_own() -> None:
    own = settings('remember = ["zapamiętaj", "… onthouden"]\nforget = ["[weg] met"]')

    (before,) = detect("Hey, zapamiętaj: łódź jest zielona.", settings=own)
    (behind,) = detect("De boot is groen onthouden.", settings=own)
    (gone,) = detect("weg met de boot", settings=own)

    assert before.content == "łódź jest zielona"
    assert behind.content == "De boot is groen"
    assert (gone.kind, gone.content) == (TriggerKind.FORGET, "de boot")
    assert detect("zapamiętaj: łódź jest zielona") == ()


@pytest.mark.parametrize("languages", ['["en"]', '["de", "fr"]'])
@pytest.mark.parametrize(
    "said",
    [
        "vergeet mijn verjaardag niet",
        "vergeet nooit dat ik noten haat",
        "mijn verjaardag niet vergeten",
        "onthoud dat niet",
        "mijn adres niet onthouden",
    ],
)
def test_a_phrase_of_a_workspace_that_is_negated_asks_for_nothing(
    said: str, languages: str
) -> None:
    own = settings(
        f'languages = {languages}\nremember = ["onthoud", "… onthouden"]\n'
        'forget = ["vergeet", "… vergeten"]'
    )

    assert detect("vergeet het kantoor", settings=own)
    assert detect("onthoud dat ik noten niet lust", settings=own)
    assert detect(said, settings=own) == ()


def test_a_workspace_chooses_its_languages() -> None:
    german = settings('languages = ["de"]')

    assert detect("Remember that the boat is green.", settings=german) == ()
    assert detect("Merk dir, dass das Boot grün ist.", settings=german)


def test_what_is_no_phrase_is_told_with_its_line() -> None:
    for text in [
        'languages = ["tlh"]',
        'remember = "merk"',
        'forget = ["?"]',
        "forget = [3]",
    ]:
        with pytest.raises(ConfigError) as caught:
            settings(text)

        assert caught.value.line == 2


def test_every_table_has_the_same_lists() -> None:
    optional = {"recall", "please", "no_trailing", "negatable", "negated", "telling"}
    tables = tables_of(Config().triggers).tables

    assert len({frozenset(table.lists.keys() - optional) for table in tables}) == 1


# --- of every message --------------------------------------------------------------


@given(anything)
def test_masking_keeps_every_place_and_line(message: str) -> None:
    said = plain(message)
    text = mask(message, said)

    assert len(message) == len(said) == len(text)
    assert all(a in (b, MASK) for a, b in zip(text, said, strict=True))
    assert text.count("\n") == message.count("\n")


@given(anything)
def test_a_content_is_a_stretch_of_the_message(message: str) -> None:
    for one in detect(message):
        assert 0 <= one.start < one.end <= len(message)
        assert 0 <= one.content_start <= one.content_end <= len(message)
        assert one.content == message[one.content_start : one.content_end]


@given(anything)
def test_triggers_stand_in_order_and_apart(message: str) -> None:
    for one, two in pairwise(detect(message)):
        assert one.end <= two.start
        assert one.content_end <= two.start
        assert two.content_start >= one.content_end or two.content == ""


@given(anything)
def test_quoted_line_by_line_nothing_is_ordered(message: str) -> None:
    quoted = "\n".join(f"> {line}" for line in message.split("\n"))

    assert detect(quoted) == ()


def test_pasted_text_asks_for_nothing() -> None:
    log = "\n".join(
        f"2026-10-21 12:58:0{n}.114 ERROR [main] failed, remember to contact support"
        for n in range(4)
    )

    assert detect(f"What went wrong here?\n\n{log}") == ()
    (kept,) = detect("Please remember this:\n\n> The key is in the shed.\n> Ask Bo.")
    assert "The key is in the shed." in kept.content
