"""Find secrets that only two texts together give away: "The PIN?" and "4821".

One of two adjacent texts holds the word for a secret, the other one the value. Each
sentence with such a word is joined to the other text with a colon, and the ordinary
detector reads the result. A plain word is no value here: nothing but the meaning of
the question tells "Peter" after "Who knows the password?" from a password.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from reverie.secrets import REDACTED, Secret, find_secrets, labels, redact

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_QUESTION_CHARACTERS = 240
"""Characters at the end of the first text in which the question is."""

MAX_ANSWER_CHARACTERS = 160
"""Characters at the start of the second text in which the answer is."""

CODE_FENCE = "```"
"""Code is neither a question nor an answer to one."""

MAX_SENTENCES = 4
"""Sentences with a word for a secret that are joined to the other text."""

MAX_QUESTIONS = 100
"""Questions for secrets in one text whose answers are searched."""

MIN_KEY_LENGTH = 16
MIN_PHRASE_WORDS = 4
MAX_VALUE_LENGTH = 160
MAX_VALUE_WORDS = 3
"""Words around a value that stands before the word for it."""

_SENTENCE = re.compile(r"[^\n.!?;\u3002\uff01\uff1f]+[.!?;\u3002\uff01\uff1f]*")
_LINE = re.compile(r"[^\n]+")
_QUESTION = re.compile(r"[?\uff1f\u061f\u037e][\"'*_)\s\u300d\u201d]*\Z")
_EDGES = " \t\"'`.,;:!?()[]<>*\u00ab\u00bb\u201c\u201d\u3002"


_SHORT_KINDS = {labels.PIN, labels.CODE, labels.CVV, labels.RECOVERY, labels.SEED}
"""Kinds whose values look like numbers or words."""


MAX_CHARACTERS_BETWEEN = 80
"""A text this short, such as "One moment.", does not end a question."""

CONTEXT_TURNS = 2
"""So many texts before one are read together with it."""


class AdjacentSecrets(NamedTuple):
    """The secrets of two adjacent texts that neither of them gives away alone."""

    first: tuple[Secret, ...] = ()
    second: tuple[Secret, ...] = ()


def find_adjacent_secrets(first: str, second: str) -> AdjacentSecrets:
    """Return the secrets that two adjacent texts give away together.

    Args:
        first: A text.
        second: The text that follows it, from anybody.

    Returns:
        Their places in each of the two texts.
    """
    asked = first[-MAX_QUESTION_CHARACTERS:].rpartition(CODE_FENCE)[2]
    told = second[:MAX_ANSWER_CHARACTERS].partition(CODE_FENCE)[0]
    answers = tuple(_find_values(asked, told)) if told.strip() else ()
    moved = len(first) - len(asked)
    named = (
        Secret(each.kind, each.start + moved, each.end + moved)
        for each in (_find_values(told, asked) if _is_value_alone(asked) else ())
    )
    return AdjacentSecrets(tuple(named), answers)


def redact_adjacent(texts: Sequence[str]) -> list[str]:
    """Redact the secrets that texts which follow each other give away together.

    Args:
        texts: What was said, in order. Each was redacted alone before.
    """
    clean = list(texts)
    for n in range(1, len(clean)):
        for earlier in range(n - 1, max(-1, n - 1 - CONTEXT_TURNS), -1):
            found = find_adjacent_secrets(clean[earlier], clean[n])
            clean[earlier] = redact(clean[earlier], found.first)
            clean[n] = redact(clean[n], found.second)
            if len(clean[earlier]) > MAX_CHARACTERS_BETWEEN:
                break
    return clean


def find_answered_lines(text: str) -> Iterator[Secret]:
    """Yield the values below questions for them: lines or paragraphs of one text.

    Two lines need no question mark if the second one is the value and nothing else.
    """
    lines = [line for line in _LINE.finditer(text) if line[0].strip()]
    count = 0
    for asked, answer in pairwise(lines):
        question = _QUESTION.search(asked[0][-MAX_QUESTION_CHARACTERS:])
        alone = len(lines) == 2 and _is_value_alone(answer[0])
        if (question or alone) and count < MAX_QUESTIONS:
            last = text[asked.start() : asked.end()][-MAX_QUESTION_CHARACTERS:]
            told = text[answer.start() : answer.end()][:MAX_ANSWER_CHARACTERS]
            count += bool(_find_asking_sentences(last))
            for each in _find_values(last, told):
                start = answer.start()
                yield Secret(each.kind, each.start + start, each.end + start)


def _find_values(asking: str, text: str) -> Iterator[Secret]:
    """Yield the values in a text to which the other text has the word."""
    found: dict[int, Secret] = {}
    for sentence in _find_asking_sentences(asking):
        for each in _read_together(sentence, text):
            known = found.get(each.start)
            if known is None or known.end < each.end:
                found[each.start] = each
    done = 0
    for start in sorted(found):
        if start >= done:
            yield found[start]
            done = found[start].end


def _find_asking_sentences(text: str) -> list[str]:
    """Return the last sentences of a text that have a word for a secret."""
    if not labels.may_be_told(f"{labels.lowered(labels.fold(text).text)} 000"):
        return []
    found = []
    for sentence in _SENTENCE.finditer(text):
        low = labels.lowered(labels.fold(sentence[0]).text)
        if any(True for _ in labels.find_labels(low)) and not _gives_value(sentence[0]):
            found.append(sentence[0].strip())
    return found[-MAX_SENTENCES:]


def _gives_value(sentence: str) -> bool:
    """Return whether a sentence has its own secret, and so asks for none."""
    return REDACTED in sentence or bool(find_secrets(sentence))


def _read_together(sentence: str, text: str) -> Iterator[Secret]:
    before = f"{sentence.rstrip(_EDGES)}: "
    size = len(before)
    for start, end in _find_parts(text):
        part = text[start:end]
        alone = {(each.start, each.end) for each in find_secrets(part)}
        for each in find_secrets(before + part):
            place = max(0, each.start - size), each.end - size
            if (
                place[1] > 0
                and place not in alone
                and _is_telling(part, *place, each.kind)
            ):
                yield Secret(each.kind, place[0] + start, place[1] + start)
    yield from _find_key(sentence, text)


def _find_parts(text: str) -> Iterator[tuple[int, int]]:
    """Yield the whole text and, where there are several, each line and sentence."""
    yield 0, len(text)
    for line in _LINE.finditer(text):
        if line.span() != (0, len(text)):
            yield line.span()
        for sentence in _SENTENCE.finditer(text, *line.span()):
            if sentence.span() != line.span():
                yield sentence.span()


def _find_key(sentence: str, text: str) -> Iterator[Secret]:
    """Yield a text that is one long random word, where a key is asked for."""
    from reverie.secrets import values  # noqa: PLC0415 - most texts have none

    word = text.strip(_EDGES)
    low = labels.lowered(labels.fold(sentence).text)
    kinds = {place.label.kind for place in labels.find_labels(low)}
    if labels.KEY not in kinds or len(word.split()) != 1:
        return
    if len(word) >= MIN_KEY_LENGTH and values.issued(word):
        start = text.index(word)
        if not (values.anything_else(word) or values.reference(word)):
            yield Secret(labels.KEY, start, start + len(word))


def _is_telling(text: str, start: int, end: int, kind: str) -> bool:
    """Return whether a value is more than words of an ordinary sentence."""
    from reverie.secrets import values  # noqa: PLC0415 - most texts have none

    value = text[start:end].strip(_EDGES)
    words = value.replace("-", " ").split()
    if kind in _SHORT_KINDS:
        return True
    if not words or values.anything_else(value.lstrip("-")):
        return False
    if values.technical(value) or values.is_identifier(value):
        return False
    if len(value) > MAX_VALUE_LENGTH:
        return False
    if all(values.spoken(w) and values.is_word_like(w) for w in words):
        whole = text.strip(_EDGES) == value
        long = len(words) >= MIN_PHRASE_WORDS
        return whole and long and values.no_sentence(value)
    return True


def _is_value_alone(text: str) -> bool:
    """Return whether a text is a value and hardly anything else."""
    from reverie.secrets import values  # noqa: PLC0415 - most texts have none

    words = [word.strip(_EDGES) for word in text.split()]
    if not 0 < len(words) <= MAX_VALUE_WORDS:
        return False
    return any(
        word.isdigit()
        or values.is_scrambled(word)
        or (
            values.quirky(word)
            and not (values.anything_else(word) or values.technical(word))
        )
        for word in words
    )
