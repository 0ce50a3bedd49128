"""What is taken out of a file, and what is not."""

from __future__ import annotations

import pytest

from reverie.encoding.erase import (
    TooShortToEraseError,
    erasure_of_item,
    erasure_of_text,
)
from reverie.index import Located
from reverie.model.ids import ItemId
from reverie.stores.episodes import parse_day

DAY = "memory/episodes/2026-02-02.md"
HEAD = "# 2026-02-02 — Episode Log\n"


def entry(text: str, at: str = "12:00") -> str:
    return f"\n## {at} | event | confidence:high | tags:[]\n{text}\n"


def located(id_: str, text: str, path: str = DAY) -> Located:
    return Located(id_, ItemId.parse(id_).store, path, 1, text[:20], text)


EPISODE = located("episode:2026-02-02:12:00", "My secret words.")


def scrubbed(what: Located, path: str, text: str, *others: Located) -> str | None:
    done = erasure_of_item(what, others).scrub.file(path, text.encode())
    return None if done.content is None else done.content.decode()


def test_an_episode_is_cut_out_and_its_neighbours_stay() -> None:
    text = HEAD + entry("Before.", "11:00") + entry(EPISODE.text) + entry("After.")

    expected = HEAD + entry("Before.", "11:00") + entry("After.")
    assert scrubbed(EPISODE, DAY, text) == expected


def test_the_same_words_at_another_minute_stay() -> None:
    text = HEAD + entry(EPISODE.text, "13:00")

    assert scrubbed(EPISODE, DAY, text) == text


def test_a_neighbour_that_once_had_its_id_stays() -> None:
    text = HEAD + entry("Harmless.") + entry(EPISODE.text)

    assert scrubbed(EPISODE, DAY, text) == HEAD + entry("Harmless.") + "\n"


def test_what_it_said_before_it_was_edited_goes_too() -> None:
    old = HEAD + entry("Harmless.") + entry("My first words.")
    versions = [
        parse_day(HEAD + entry(EPISODE.text), DAY).entries,
        parse_day(HEAD + entry("Harmless.") + entry(EPISODE.text), DAY).entries,
        parse_day(old, DAY).entries,
        parse_day(HEAD + entry("Harmless."), DAY).entries,
    ]

    erasure = erasure_of_item(EPISODE, (), versions)

    done = erasure.scrub.file(DAY, old.encode())
    assert done.content == (HEAD + entry("Harmless.") + "\n").encode()
    assert b"My first words." in erasure.needles


def test_a_file_of_its_own_is_dropped() -> None:
    note = located("vault:key", "Under the mat.", "memory/vault/key.md")

    assert scrubbed(note, "memory/vault/key.md", "anything") is None
    assert scrubbed(note, "memory/vault/a/key.md", "anything") is None
    assert scrubbed(note, "memory/vault/monkey.md", "anything") == "anything"
    assert scrubbed(note, "memory/procedures/key.md", "anything") == "anything"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("- Knows: [[person--al]]", "- Knows: [[erased]]"),
        ("[[person--al|Al]], [[person--alex]]", "[[erased|Al]], [[person--alex]]"),
        ("vice-person--al person--al-2", "vice-person--al person--al-2"),
        ("“person--al” (person--al).", "“erased” (erased)."),
        ("person--alö", "person--alö"),
    ],
)
def test_other_files_lose_its_name_and_no_longer_name(before: str, after: str) -> None:
    al = located("entity:person--al", "Al", "memory/graph/entities/person--al.md")

    assert scrubbed(al, "memory/graph/entities/person--x.md", before) == after


def test_its_row_of_the_graph_goes_with_its_label() -> None:
    al = located("entity:person--al", "Al", "memory/graph/entities/person--al.md")
    rows = "| person--al | person | Al | x |\n| person--alex | person | Alex | y |\n"

    left = scrubbed(al, "memory/graph/index.md", rows)

    assert left == "| person--alex | person | Alex | y |\n"


def test_bytes_that_are_no_text_survive() -> None:
    done = erasure_of_item(EPISODE).scrub.file(DAY, b"\xff\xfe# x\n")

    assert (done.content, done.taken) == (b"\xff\xfe# x\n", b"")


def test_messages_keep_their_shape() -> None:
    note = located("vault:key", "manual\nremember the milk", "memory/vault/key.md")
    told = (
        "[CREATE] memory/vault/key.md — Key\n\n[EDIT] MEMORY.md — remember the milk\n\n"
        "Actor: manual\nApproval: —\nTrigger: said remember the milk\n"
    )

    message = erasure_of_item(note).scrub.message(told, ("memory/vault/key.md",))

    assert message == (
        "[CREATE] memory/vault/[erased].md — [erased]\n\n"
        "[EDIT] MEMORY.md — [erased]\n\n"
        "Actor: manual\nApproval: —\nTrigger: [erased]\n"
    )


def test_other_peoples_messages_are_left_alone() -> None:
    told = "[EDIT] MEMORY.md — other\n\nActor: manual\nApproval: —\nTrigger: x\n"

    assert erasure_of_item(EPISODE).scrub.message(told, ()) == told


@pytest.mark.parametrize("text", ["", "12345", " 1234 "])
def test_a_text_too_short_is_refused(text: str) -> None:
    with pytest.raises(TooShortToEraseError):
        erasure_of_text(text)


def test_a_text_goes_from_every_file_and_message() -> None:
    scrub = erasure_of_text("secret words").scrub

    done = scrub.file("any.md", b"secret words, secret words")
    assert done.content == b"[erased], [erased]"
    assert scrub.message("said secret words", ()) == "said [erased]"
