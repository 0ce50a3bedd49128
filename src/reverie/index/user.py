"""The user is one entity, whatever they are called: their page and their pronouns.

"I", "my", the Name in core memory and that person's name all lead to one page. It is
`person--user` while nobody knows the name, and stays that page when somebody does.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reverie.model.ids import (
    ItemId,
    Kind,
    UnknownIdError,
    is_citation,
    slug,
    whole,
)
from reverie.model.items import Origin
from reverie.workspace import layout

if TYPE_CHECKING:
    from reverie.index import Index, Located

UNNAMED = "person--user"
"""The page of a user whose name is not known."""

_CALLED = frozenset({"i", "me", "my", "myself", "user", "the user"})

SPEAKS, OWNS = (
    re.compile(rf"(?i)[\s\"'¿¡「]*(?:{words})")
    for words in (
        r"(?:i|ich|mir|mich|yo|je|moi)(?![\w.-])|j'|(?:me|eu)\s(?-i:[^\W\d_A-Z])"
        r"|(?:我|私|僕|俺|わたし|ぼく)(?!们|們|達|たち|的|の)",
        r"(?:my|mein(?:e[nmr]?)?|mis?|meus?|minhas?)(?![\w-])"
        r"|(?:mon|ma|mes)\s(?-i:[^\W\d_A-Z])|我的|(?:私|僕|俺|わたし|ぼく)の",
    )
)
"""How a sentence begins in which somebody speaks of themselves, or of what is theirs;
"Mon 14:00" and "Ma Baker" are another's words."""

_OWN = (
    r"my|mine|mein(?:e[nmrs]?)?|mis?|mon|ma|mes|meus?|minhas?",
    r"我的|(?:私|僕|俺|わたし|ぼく)の",
)
_ASKS = re.compile(
    rf"(?i)(?<![\w'-])(?:i|i'm|myself|about me|ich|mich|mir|yo|mí|je|moi|eu|mim"
    rf"|{_OWN[0]})(?![\w-])|(?<!\w)j'|我(?!们|們)|(?:私|僕|俺|わたし|ぼく)(?!達|たち)"
)
"""What a question has in which somebody asks about themselves, or what is theirs."""

_SAYS_I = re.compile(
    r"(?i)(?<![\w'.-])(?:i|ich|yo|je|eu)(?![\w.-])|(?<!\w)j'"
    r"|我(?!们|們|的)|(?:私|僕|俺|わたし|ぼく)(?!達|たち|の)"
)
"""Where a sentence has the speaker themselves as a subject."""

_OWNED = re.compile(
    rf"(?i)(?:(?<![\w'-])(?:{_OWN[0]})\s+|(?:{_OWN[1]}))([^\W_]+(?:\s+[^\W_]+)?)"
)
"""Something that belongs to the speaker: "my old bike"."""

_THEIRS = re.compile(
    r"(?i)\bmy (?:[\w-]+ ){0,2}[\w-]+(?:'s|s')(?!\w)|\bof my\b"
    r"|\bmein(?:es|em|er)\b|\bvon meine?[nmr]?\b"
    r"|\bde (?:mon|ma|mes|mis?)\b|\bd[oae]s? (?:meus?|minhas?)\b"
    r"|我(?!的)\w{1,4}的|(?:私|僕|俺|わたし|ぼく)の\w{1,4}の"
)
"""What speaks of what belongs to somebody of theirs: "my sister's birthday"."""


_OWN_WORDS = re.compile(rf"(?i)(?<![\w'-])(?:{_OWN[0]})(?![\w-])|{_OWN[1]}")


def find_own_words(text: str) -> tuple[tuple[int, int], ...]:
    """Return where a text has the speaker's "my", in any of the languages known."""
    return tuple(match.span() for match in _OWN_WORDS.finditer(text))


def asks_of_self(question: str) -> bool:
    """Whether a question is about who asks, and not about somebody of theirs."""
    plain = question.replace("\u2019", "'")
    return bool(_ASKS.search(plain)) and not tells_of_theirs(plain)


def tells_of_theirs(text: str) -> bool:
    """Whether a text speaks of what belongs to somebody of the speaker's."""
    return bool(_THEIRS.search(text.replace("\u2019", "'")))


def speaks_in_first_person(text: str) -> bool:
    """Return whether the speaker is a subject of a text: "I", "ich", "yo"."""
    return bool(_SAYS_I.search(text.replace("\u2019", "'")))


def owned_words(text: str, *, begins: bool = False) -> list[str]:
    """Return the words, in lower case, that follow a "my" in a text.

    Args:
        text: A question or a sentence.
        begins: Whether the text has to begin with "my"; else nothing is returned.
    """
    if begins and not OWNS.match(text):
        return []
    found = _OWNED.findall(text)[: 1 if begins else None]
    return [word for words in found for word in words.lower().split()]


def user_name(index: Index) -> str:
    """The name that core memory knows its human by; empty if it knows none."""
    found = index.find("core:identity/name")
    if found is None or found.origin is not Origin.OWNER:
        return ""
    return found.text.partition(":")[2].strip()


_NAME = re.compile(r"[^\W\d_][\w .'’-]{0,60}")  # noqa: RUF001 - in names too


def find_user_name(index: Index) -> str:
    """The user's name in core memory, else the first name that their page has.

    Only what looks like a name counts: an alias may be anybody's words.
    """
    if name := user_name(index):
        return name
    known = index.entity_names()
    for page in user_pages(index):
        for written in known.get(page, ()):
            called = written.casefold() in _CALLED or "--" in written
            if not called and _NAME.fullmatch(written):
                return written
    return ""


def user_pages(index: Index) -> list[str]:
    """The pages that are the user's, the one to write to first.

    There may be two where the name became known late: they are the same by definition.
    """
    name, pages = user_name(index), list[str]()
    if name:
        own = f"person--{slug(name)}"
        pages = [id_ for id_ in index.called(name) if id_.startswith("person--")]
        pages += [own] if index.path_of(f"entity:{own}") else []
        pages.sort(key=lambda id_: id_ != own)
    there = index.path_of(f"entity:{UNNAMED}")
    # It may have been renamed, or merged into another.
    unnamed = [UNNAMED] if there else index.called(UNNAMED)[:1]
    return list(dict.fromkeys([*pages[:1], *unnamed]))


def user_page(index: Index) -> str:
    """The id of the user's own page, which may not be there yet."""
    pages, name = user_pages(index), user_name(index)
    return pages[0] if pages else f"person--{slug(name)}" if name else UNNAMED


def is_user(index: Index, name: str) -> bool:
    """Whether a name, or an id, is the user's."""
    folded = " ".join(name.casefold().split())
    if folded in _CALLED or folded == UNNAMED:
        return True
    own = user_name(index)
    return bool(own) and folded in {own.casefold(), f"person--{slug(own)}"}


def known_as(index: Index, name: str) -> str:
    """The id under which an entity is known now, by an id that it has or had."""
    if index.path_of(f"entity:{name}"):
        return name
    if name.startswith("person--") and is_user(index, name):
        return user_page(index)
    called = index.called(name)
    return called[0] if len(called) == 1 else name


def find_known(index: Index, id_: str) -> Located | None:
    """A memory by its id, of an entity also by one that it had; None for none."""
    found, (kind, _, name) = index.find(id_), id_.partition(":")
    if found is not None or kind != Kind.ENTITY:
        return found
    return index.find(f"{kind}:{known_as(index, name)}")


def is_known_id(index: Index, word: str) -> bool:
    """Return whether a word is the ID or citation of a memory that exists.

    Entities and their facts count without `entity:`, as on pages and in answers.
    """
    word = word.removeprefix("[[").removesuffix("]]")
    if is_citation(word):
        return bool(index.cited(word))
    try:
        id_ = str(ItemId.parse(word if ":" in word else f"{Kind.ENTITY}:{word}"))
    except UnknownIdError:
        return False
    return bool(index.path_of(whole(id_)) or find_known(index, id_))


def paths_known(index: Index, folder: str, name: str) -> list[str]:
    """Where files of a name stand, of an entity that of its id now.

    Of two pages of the user it is the one to write to.
    """
    if folder == layout.ENTITIES:
        entity = name.removesuffix(".md")
        own = entity.startswith("person--") and is_user(index, entity)
        name = f"{user_page(index) if own else known_as(index, entity)}.md"
    return index.paths_named(folder, name)
