"""Forgetting: what a wish is about, and the edits that carry it out (design, 8.3).

Everything here plans. What is archived stays where it stands and is hidden from
search; a fact is struck out on its page; an item of core memory leaves `MEMORY.md`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.encoding.triggers import detect
from reverie.errors import RefusedError
from reverie.index.text import terms
from reverie.markdown import headline
from reverie.model.change import Action, Edit, checksum
from reverie.model.ids import ItemId, Store
from reverie.model.route import Target, TriggerKind
from reverie.model.views import Match
from reverie.stores import core, entities
from reverie.stores.reading import decode
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import date

    from reverie.config import TriggersConfig
    from reverie.model.items import Entity
    from reverie.model.recall import Hit

SHARE = 0.5
"""So much of a wish's telling words must stand in a memory for it to be meant."""

_ASKING = re.compile(
    r"\s*(?:please\s+)?(?P<gone>permanently\s+)?(?:forget|delete|remove|erase)\s+"
    r"(?:about\s+)?(?:the\s+memor(?:y|ies)\s+(?:about|of)\s+)?(?P<what>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_CAPITAL = re.compile(r"(?<=[^\W\d_.!?] )[^\W\d_a-z]\w*")
_EVERYTHING = frozenset({"everyth", "all", "anyth", "about"})
PROTECTED = "it is in the vault; delete its file, or erase it for good"


class NothingNamedError(RefusedError):
    """A wish to forget does not say what."""

    def __init__(self, wish: str) -> None:
        super().__init__(
            f"{wish!r} does not say what to forget",
            hint="Name it: a person, a project, a few words of the memory. To leave "
            "everything behind, start another workspace.",
        )


class NotAMemoryError(RefusedError):
    """A wish to forget is about the conversation, which is not memory."""

    def __init__(self, wish: str) -> None:
        super().__init__(
            f"{wish!r} is about this conversation, so no memory is touched",
            hint="Name what is remembered: a person, a project, a few of its words.",
        )


class ChangedMeanwhileError(RefusedError):
    """What was shown to be forgotten reads otherwise now."""

    def __init__(self, match: Match) -> None:
        super().__init__(
            f"{match.id} was changed since it was shown",
            hint="Look again at what would be forgotten, then confirm.",
        )


def read_wish(wish: str, settings: TriggersConfig) -> tuple[str, bool]:
    """What a wish names, without the words that ask for it.

    Args:
        wish: What was said.
        settings: The phrases by which a user asks for it.

    Returns:
        What it names, and whether it says in so many words that nothing may be left.

    Raises:
        NotAMemoryError: It is about the conversation.
    """
    found = detect(wish, settings=settings)
    asked = next((t for t in found if t.kind is TriggerKind.FORGET), None)
    if asked and asked.target is Target.CONVERSATION:
        raise NotAMemoryError(wish)
    if asked and asked.content:
        return asked.content, asked.permanent
    # Who calls `forget` means memories, also where a message might mean a file.
    order = _ASKING.match(wish)
    return (order["what"], bool(order["gone"])) if order else (wish, False)


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be forgotten, in stems: all telling words, and names among them."""

    words: frozenset[str]
    names: frozenset[str]

    def means(self, text: str) -> bool:
        """Whether a text is meant: every name is in it, and enough of the words."""
        said = frozenset(terms(text))
        enough = len(self.words & said) >= max(1.0, SHARE * len(self.words))
        return enough and self.names <= said


def wished(wish: str) -> Wish:
    """The telling words of a wish.

    Raises:
        NothingNamedError: There are none, or it is about everything.
    """
    words = frozenset(terms(wish)) - _EVERYTHING
    if not words:
        raise NothingNamedError(wish)
    # The first word has its capital letter from standing first.
    capitals = frozenset(terms(" ".join(_CAPITAL.findall(wish))))
    return Wish(words, capitals & words)


def find_matches(
    wish: Wish, hits: Iterable[Hit], read: Callable[[str], bytes | None]
) -> Iterator[Match]:
    """What a wish is about among memories that a search found for it.

    Similar meaning alone is not enough: who confirms a list may not read every line.
    """
    for hit in hits:
        if hit.store is Store.SEMANTIC:
            yield from _in_entity(wish, hit, read)
        elif wish.means(hit.text):
            yield _match(hit, hit.text)


def most_meant(
    wish: Wish, weights: Mapping[str, float], matches: Sequence[Match]
) -> tuple[str, ...]:
    """The keys of the matches that hold the most telling words which any of them has.

    Args:
        wish: What is to be forgotten.
        weights: How telling each word of it is.
        matches: What was found for it.
    """
    held = {m.key: wish.words & {*terms(m.id), *terms(m.text)} for m in matches}
    most = max((weights.get(t, 0.0) for said in held.values() for t in said), default=0)
    telling = {t for said in held.values() for t in said if weights.get(t, 0.0) == most}
    return tuple(key for key, said in held.items() if telling <= said)


def _match(hit: Hit, text: str, *, fact: bool = False) -> Match:
    protected = PROTECTED if hit.store is Store.VAULT else ""
    return Match(hit.id, hit.store, text, hit.path, hit.line, hit.at, fact, protected)


def _in_entity(
    wish: Wish, hit: Hit, read: Callable[[str], bytes | None]
) -> Iterator[Match]:
    """The whole entity if only its name is said, else the facts that are meant."""
    entity = _entity(read(hit.path), hit.path)
    names = frozenset(terms(" ".join((entity.label, entity.slug, *entity.aliases))))
    rest = Wish(wish.words - names, wish.names - names)
    if not rest.words and wish.words & names:
        yield _match(hit, hit.text)
        return
    for fact in entity.facts:
        if fact.current and rest.means(fact.text):
            yield _match(hit, fact.text, fact=True)


def _entity(data: bytes | None, path: str) -> Entity:
    return entities.parse_entity(decode(data or b"", path)[0], path).entity


def plan_forget(
    matches: Iterable[Match], read: Callable[[str], bytes | None], today: date
) -> tuple[tuple[Edit, ...], tuple[str, ...]]:
    """Plan the part of forgetting that files themselves show.

    Returns:
        The edits, and the ids whose archiving only the scores can tell.
    """
    pages: dict[str, list[Match]] = defaultdict(list)
    ids = []
    for match in matches:
        if match.store in {Store.CORE, Store.SEMANTIC}:
            pages[match.path].append(match)
        if not match.fact and match.store is not Store.CORE:
            ids.append(match.id)
    edits = tuple(
        _without(path, read(path) or b"", found, today) for path, found in pages.items()
    )
    return edits, tuple(dict.fromkeys(ids))


def _without(path: str, old: bytes, found: Sequence[Match], today: date) -> Edit:
    text, _ = decode(old, path)
    if path == layout.CORE:
        new = _without_items(text, path, found)
    else:
        page = entities.parse_entity(text, path)
        said = [match.text for match in found]
        if not all(match.fact for match in found):
            said = [fact.text for fact in page.entity.facts if fact.current]
        for fact_text in said:
            page = entities.forget_fact(page, entities.reference(fact_text), on=today)
        new = entities.render_entity(entities.set_header(page, updated=today))
    bom = b"\xef\xbb\xbf" if old.startswith(b"\xef\xbb\xbf") else b""
    why = f"forgot {headline(found[0].text)}"
    why += f" and {len(found) - 1} more" if len(found) > 1 else ""
    return Edit(path, bom + new.encode(), checksum(old), Action.ARCHIVE, why)


def _without_items(text: str, path: str, found: Sequence[Match]) -> str:
    memory = core.parse_core(text, path)
    wanted = {ItemId.parse(match.id): match for match in found}
    lines = set()
    for entry in memory.entries:
        match = wanted.pop(entry.id, None)
        if match and match.text != entry.text:
            raise ChangedMeanwhileError(match)
        lines |= {entry.line} if match else set()
    for match in wanted.values():
        raise ChangedMeanwhileError(match)
    return core.render_core(core.without_lines(memory, lines))
