"""From a message to its triggers.

Most messages hold no phrase, which a few substring tests tell. In the others, what
is not the speaker's own is veiled, each phrase is judged in its sentence by the
rules of its family, and what it is about is cut out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reverie.encoding.triggers import (
    farewells,
    forgetting,
    noting,
    reflecting,
    remembering,
)
from reverie.encoding.triggers.addressee import an_advisers_voice, an_assistants_voice
from reverie.encoding.triggers.authorship import Authorship
from reverie.encoding.triggers.contents import block_end, trimmed
from reverie.encoding.triggers.openings import is_filler, opening
from reverie.encoding.triggers.phrases import families_in, phrases
from reverie.encoding.triggers.reading import Reading, Seen, questioned
from reverie.encoding.triggers.sentences import Sentences
from reverie.encoding.triggers.veil import small, straight, veil
from reverie.encoding.triggers.wording import Wording
from reverie.model.items import Role
from reverie.model.triggers import Trigger, TriggerKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reverie.encoding.triggers.phrases import Phrase
    from reverie.encoding.triggers.sentences import Sentence

_RULES: dict[str, Callable[[Seen], Reading | None]] = {
    "what do you remember": reflecting.read_search,
    "remember": remembering.read_remember,
    "don't forget": remembering.read_remember,
    "keep in mind": remembering.read_remember,
    "keep this in mind": noting.read_kept_in_mind,
    "note that": noting.read_note,
    "important:": noting.read_important,
    "for future reference": noting.read_reference,
    "save this": noting.read_saved,
    "save to memory": noting.read_saved_to_memory,
    "FYI for later": noting.read_later,
    "from now on": noting.read_from_now_on,
    "forget": forgetting.read_forget,
    "disregard": forgetting.read_disregard,
    "ignore": forgetting.read_ignore,
    "never mind": forgetting.read_never_mind,
    "scratch that": forgetting.read_scratch,
    "no longer relevant": forgetting.read_no_longer_relevant,
    "remove from memory": forgetting.read_removal,
    "reflect": reflecting.read_reflect,
    "tend memories": reflecting.read_tending,
    "goodnight": farewells.read_farewell,
    "going to sleep": farewells.read_farewell,
    "logging off": farewells.read_farewell,
    "signing off": farewells.read_farewell,
    "heading out": farewells.read_farewell,
    "done for today": farewells.read_farewell,
    "calling it a night": farewells.read_farewell,
}

_BELOW = Wording(r"[ \t]*\n\s*(?=\S)")

_FROM_A_PERSON = frozenset((TriggerKind.REMEMBER, TriggerKind.REFLECT))


def detect(message: str, role: Role = Role.USER) -> tuple[Trigger, ...]:
    """What a message asks of memory, in the order it says so.

    Args:
        message: Any text.
        role: Who says it. Only a user gives orders; anybody else gets `()`.
    """
    if role is not Role.USER:
        return ()
    low = small(message)
    families = families_in(low)
    if not families:
        return ()
    said = straight(low)
    if not phrases(said, families):
        return ()
    text = veil(said)
    found = phrases(text, families)
    sentences = Sentences(text)
    whose = Authorship(message, said, text)
    read = list(_readings(text, found, sentences, whose))
    triggers = _triggers(message, said, _own(text, read), sentences)
    return tuple(
        replace(each, own=whose.is_own(each, sentence)) for sentence, each in triggers
    )


def _own(text: str, read: list[tuple[Seen, Reading]]) -> list[tuple[Seen, Reading]]:
    """Without what a pasted answer, or advice to some reader, seems to ask."""
    if not any(reading.kind in _FROM_A_PERSON for _, reading in read):
        return read
    answer = an_assistants_voice(text)
    advice = an_advisers_voice(text)
    return [
        (seen, reading)
        for seen, reading in read
        if reading.kind not in _FROM_A_PERSON
        or not (answer or (advice and not (seen.opening and seen.opening.kind)))
    ]


def _readings(
    text: str, found: list[Phrase], sentences: Sentences, whose: Authorship
) -> Iterator[tuple[Seen, Reading]]:
    """The phrases that are meant, with what they mean."""
    for start, end, family in found:
        if not whose.commands(start):
            continue
        sentence = sentences.at(start)
        opened = opening(text, sentence.start, start)
        last, asks = questioned(text, end, sentence)
        seen = Seen(text, family, start, end, sentence, opened, last, asks)
        reading = _RULES[family](seen)
        if reading:
            yield seen, reading


def _triggers(
    message: str, said: str, read: list[tuple[Seen, Reading]], sentences: Sentences
) -> Iterator[tuple[Sentence, Trigger]]:
    """The triggers, none of which reaches into another or into its content.

    Each with the sentence that asks.
    """
    done = 0
    for number, (seen, reading) in enumerate(read):
        if seen.start < done:
            continue
        following = read[number + 1][0] if number + 1 < len(read) else None
        start, end = _content(said, seen, reading, done, following, sentences)
        if start == end and reading.kind is TriggerKind.REMEMBER and not reading.back:
            continue  # nothing is said, or another trigger says it
        done = max(reading.end, end)
        yield (
            seen.sentence,
            Trigger(
                reading.kind,
                reading.phrase,
                seen.start,
                reading.end,
                message[start:end],
                start,
                end,
                reading.target,
                reading.permanent,
            ),
        )


def _content(
    said: str,
    seen: Seen,
    reading: Reading,
    done: int,
    following: Seen | None,
    sentences: Sentences,
) -> tuple[int, int]:
    start, end = reading.content
    whole = reading.whole
    if whole:
        start, end = _block(said, start, sentences)
    elif reading.back:
        start, end, whole = _behind(said, seen, done, sentences)
    elif following and start <= following.start < end:
        opened = following.opening
        end = max(start, opened.start if opened else following.start)
    start, end = trimmed(said, max(start, done), max(end, done), whole=whole)
    return (start, end) if start < end else (reading.end, reading.end)


def _behind(
    said: str, seen: Seen, done: int, sentences: Sentences
) -> tuple[int, int, bool]:
    """What "remember that" points at: what was said just before, or the next block."""
    first = max(seen.sentence.start, done)
    front = seen.opening.start if seen.opening else seen.start
    if first < front and not is_filler(said[first:front]):
        return first, front, False
    before = sentences.before(seen.sentence)
    if before and before.start >= done:
        near = before.paragraph == seen.sentence.paragraph
        start = before.start if near else max(before.paragraph[0], done)
        return start, before.end, not near
    if _BELOW.match(said, seen.sentence.end):
        return *_block(said, seen.sentence.end, sentences), True
    return seen.end, seen.end, False


def _block(said: str, start: int, sentences: Sentences) -> tuple[int, int]:
    """The block that begins here or further down."""
    while start < len(said) and said[start].isspace():
        start += 1
    if start == len(said):
        return start, start
    return start, block_end(said, start, sentences.at(start).paragraph[1])
