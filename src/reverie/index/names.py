"""Names that entities go by, found in texts as whole words.

Whether a word begins any name is asked first, once for all texts, so that a long text
costs little more than reading it, and as much among very many names.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from reverie.index.user import user_name, user_pages

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from reverie.index import Index

TOGETHER = 256
"""So many texts are looked up at a time."""

_MOST_WORDS = 6
_SIGN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_WORD = re.compile(rf"{_SIGN.pattern}|[^\W_]+[+#]*")
# Two signs of one script in a row may be one word: 東京都 has no 京都 in it.
_RUN = re.compile(
    r"[\u3400-\u9fff]{2}|[\u3040-\u309f]{2}|[\u30a0-\u30ff]{2}|[\uac00-\ud7af]{2}"
)


class Named(NamedTuple):
    """A known name in a text: where it stands, and the entities that go by it."""

    at: int
    name: str
    ids: tuple[str, ...]


def find_named(text: str, lookup: Index) -> list[Named]:
    """The known names in a text as whole words, in order; of two at a place the longer.

    A name that several entities go by is told with all of them. One that is written
    with a capital is meant only where the text has one too: "will" is not Will.
    """
    return find_each([text], lookup)[0]


def find_each(texts: Sequence[str], lookup: Index) -> list[list[Named]]:
    """The known names in each of some texts, looked up together."""
    batches = (texts[n : n + TOGETHER] for n in range(0, len(texts), TOGETHER))
    return [found for some in batches for found in _find_each(some, lookup)]


def _find_each(texts: Sequence[str], lookup: Index) -> list[list[Named]]:
    read = [(text, list(_WORD.finditer(text))) for text in texts]
    begin = lookup.beginning(
        form for _, words in read for word in words for form in _forms(word[0])
    )
    own = user_name(lookup)
    pages = user_pages(lookup) if own else []
    if pages:
        # The user's page may not say yet what core memory calls them.
        begin = begin | {_forms(own.split()[0])[0]}
    spans = [
        (text, list(_spans(text, words, begin)) if begin else [])
        for text, words in read
    ]
    said = (text[start:end] for text, found in spans for start, end in found)
    known = lookup.known_names(form for name in said for form in _forms(name))
    if pages:
        known.setdefault(own.casefold(), pages[:1])
    return [_chosen(text, found, known, lookup) for text, found in spans]


def _spans(
    text: str, words: Sequence[re.Match[str]], begin: set[str]
) -> Iterable[tuple[int, int]]:
    """Where names may stand: some words from one on that begins any."""
    for n, first in enumerate(words):
        if begin.isdisjoint(_forms(first[0])):
            continue
        if _RUN.match(text, max(0, first.start() - 1), first.end()):
            continue
        for last in words[n : n + _MOST_WORDS]:
            if last is not first or not _SIGN.fullmatch(first[0]):
                yield first.start(), last.end()


def _chosen(
    text: str,
    spans: Sequence[tuple[int, int]],
    known: dict[str, list[str]],
    lookup: Index,
) -> list[Named]:
    named: list[Named] = []
    until = 0
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        name = text[start:end].casefold()
        ids = known.get(name) or known.get(_bare(name), [])
        if not text[start].isupper():
            ids = [id_ for id_ in ids if not _capital(name, lookup.names_of(id_))]
        if ids and start >= until:
            named.append(Named(start, text[start:end], tuple(ids)))
            until = end
    return named


def _capital(name: str, written: Sequence[str]) -> bool:
    """Whether a name, in small letters, is always written with a capital."""
    same = [each for each in written if _bare(each.casefold()) == _bare(name)]
    return bool(same) and all(each[0].isupper() for each in same)


def _forms(said: str) -> tuple[str, ...]:
    """How a name may be kept: as it is said, and as people type it."""
    name = said.casefold()
    return (name,) if name.isascii() else (name, _bare(name))


def _bare(name: str) -> str:
    """A name without accents, as people type it."""
    if name.isascii():
        return name
    plain = unicodedata.normalize("NFD", name)
    return "".join(char for char in plain if not unicodedata.combining(char))
