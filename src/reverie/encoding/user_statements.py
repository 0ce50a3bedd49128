"""Find the recorded user turns that a text comes from.

A text counts as the user's statement only if it, or the quotation that comes with it,
is one or more whole sentences that a user typed. Most of a text standing in a pasted
part makes it text of others. Only words are compared, never meaning.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from reverie.encoding.sentences import find_typed_sentences, split_sentences
from reverie.encoding.triggers import detect
from reverie.errors import RefusedError
from reverie.index.text import terms, words
from reverie.model.conversation import REFLECTION
from reverie.model.ids import ItemId, Kind, Store, whole
from reverie.model.items import Origin, Role, least, scope_name, scope_of
from reverie.model.route import TriggerKind
from reverie.pasted import own_text
from reverie.session.conversation_record import turns_of
from reverie.session.session import NoSuchMemoryError
from reverie.stores.turns import is_deleted, split_turn, turn_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from reverie.config import TriggersConfig
    from reverie.encoding.placement import Saying
    from reverie.index import Located
    from reverie.model.route import Trigger
    from reverie.session.session import Session

MIN_CONTENT_WORDS = 3
"""Fewer words are stored only if the message says nothing else."""

NEWEST_TURNS = 400
"""Turns that are searched for the words of a text, the newest ones."""

MIN_SUPPORT = 0.6
"""Share of a text's telling words that its quotation must contain."""

MIN_PASTED = 0.8
MIN_PASTED_WORDS = 4
"""Share and number of a text's telling words that a pasted part must contain."""

_USER_TURN = re.compile(r"turn:.+/\d+/user/\d+")
_WORD = re.compile(r"\w+")


class NothingToRememberError(RefusedError):
    """A message asks to remember something and does not say what."""

    says = '"{}" does not say what to remember'
    mend = (
        "If the conversation says it, store it as one whole sentence: "
        '"The key is in the shed."'
    )


def require_content(message: str, trigger: Trigger) -> None:
    """Refuse to store what a message asks to remember if that is no statement.

    Two words beside other text are a rest of the sentence ("remember about that"), or
    point at something else in the message.

    Raises:
        NothingToRememberError: It is empty, or is such a rest.
    """
    spans = ((trigger.start, trigger.end), (trigger.content_start, trigger.content_end))
    first, last = min(spans)[0], max(end for _, end in spans)
    others = len(words(message[:first])) + len(words(message[last:]))
    size = len(words(trigger.content))
    if not size or (size < MIN_CONTENT_WORDS <= others):
        raise NothingToRememberError(trigger.phrase)


class UserTurn(NamedTuple):
    """A user turn.

    Attributes:
        id: Its ID.
        own: What the user typed.
        pasted: What the user pasted.
        scope: The person it is visible to; empty for everybody.
    """

    id: str
    own: str
    pasted: str
    scope: str


class TextSource(NamedTuple):
    """Where the user's turns have a text.

    Attributes:
        statement: ID of the turn in which the user states it; empty for none.
        pasted: Whether most of it stands in a pasted part and in none that was typed.
    """

    statement: str = ""
    pasted: bool = False


def find_source(session: Session, saying: Saying) -> TextSource:
    """Return where the user's turns have the text of a draft.

    The user states it in the words of the text itself, or of what started it if these
    have most of the text's telling words.
    """
    text, quote = saying.text, saying.trigger
    turns = list(_find_turns(session, rare_words(text), saying.parents))
    statement = _find_statement(session, turns, text) if turns else ""
    if not statement and " " in quote.strip() and _is_supported(text, quote):
        cited = _find_turns(session, rare_words(quote), saying.parents)
        statement = _find_statement(session, cited, quote)
    return TextSource(statement, bool(turns) and _is_pasted(text, turns))


def _find_statement(session: Session, turns: Iterable[UserTurn], text: str) -> str:
    """Return the ID of the turn with all sentences of a text; empty for none."""
    wanted, phrases = _normal_sentences(split_sentences(text)), session.config.triggers
    all_words = f" {' '.join(wanted)} "

    def states(said: str) -> bool:
        # To split a message into sentences takes longer.
        if all_words not in f" {_normal_words(said)} ":
            return False
        if _contains(_normal_sentences(find_typed_sentences(said)), wanted):
            return True
        asked = map(split_sentences, _asked_to_remember(own_text(said), phrases))
        return any(_contains(_normal_sentences(each), wanted) for each in asked)

    for turn in turns:
        if turn.scope or not states(turn.own):
            continue
        # Only the whole message shows whether all of it is surely the user's.
        if not turn.pasted or states(_recorded_text(session, turn.id)):
            return turn.id
    return ""


def _recorded_text(session: Session, id_: str) -> str:
    """Return the whole text of a user turn, with its pasted parts."""
    window, number, _, _ = id_.removeprefix(f"{Kind.TURN}:").rsplit("/", 3)
    turns = turns_of(session, window, number=int(number))
    return "\n".join(turn.text for turn in turns if turn.role is Role.USER)


def _is_pasted(text: str, turns: Sequence[UserTurn]) -> bool:
    """Return whether most of a text stands in a pasted part, and in no typed one."""
    said = frozenset(terms(text))
    if len(said) < MIN_PASTED_WORDS:
        return False
    if any(share_of(said, turn.own) >= MIN_PASTED for turn in turns):
        return False
    return any(share_of(said, turn.pasted) >= MIN_PASTED for turn in turns)


def inherit_origin(session: Session, saying: Saying) -> Origin:
    """Return the origin of a draft: never more trusted than what it comes from."""
    origin = saying.origin
    if not saying.parents:
        return origin
    parents = [str(ItemId.parse(id_)) for id_ in saying.parents]
    session.sync()
    found = session.index.origins(parents)
    for id_ in parents:
        if id_ not in found:
            raise NoSuchMemoryError(id_)
    rows = filter(None, map(session.index.find, parents))
    cited = (origin_of_cited(row, saying.text) for row in rows)
    return least((origin, *found.values(), *cited))


def origin_of_cited(row: Located, text: str) -> Origin:
    """Return the origin that a memory passes on to a text that cites it.

    A user turn can hold pasted text: it passes on the origin of the part with more of
    the text's words.
    """
    if row.store is not Store.TURNS or not row.aside or not row.text:
        return row.origin
    said = frozenset(terms(text))
    pasted, own = share_of(said, row.aside), share_of(said, row.text)
    return Origin.PASTED if pasted > own else row.origin


def _find_turns(
    session: Session, any_of: Sequence[str], cited: Sequence[str] = ()
) -> Iterator[UserTurn]:
    """Yield the newest user turns with one of some words; cited ones in any case."""
    if not any_of:
        return
    named = {whole(id_) for id_ in cited}
    for window in session.journal.windows():
        for turn in reversed(session.journal.waiting(window)):
            if turn.role is Role.USER and not is_deleted(turn):
                scope = scope_name(scope_of(turn))
                yield UserTurn(str(turn_id(turn)), *split_turn(turn), scope)
    rows = [row for id_ in sorted(named) if (row := session.index.find(id_))]
    rows += session.index.newest(Store.TURNS, NEWEST_TURNS, any_of)
    for row in rows:
        is_turn = _USER_TURN.fullmatch(row.id) and row.names != REFLECTION
        if is_turn and row.origin in {Origin.OWNER, Origin.PASTED}:
            yield UserTurn(row.id, row.text, row.aside, row.scope)


def rare_words(text: str) -> list[str]:
    """Return the two longest words of a text, which are rarely in another one."""
    return sorted({*_WORD.findall(text)}, key=lambda word: (-len(word), word))[:2]


def _normal_sentences(sentences: Iterable[str]) -> list[str]:
    """Return some sentences without letter case and punctuation."""
    return [words for each in sentences if (words := _normal_words(each))]


def _normal_words(text: str) -> str:
    """Return the words of a text with a space between, without letter case."""
    return " ".join(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def _contains(said: Sequence[str], wanted: Sequence[str]) -> bool:
    """Return whether some sentences stand in others, in a row."""
    size = len(wanted)
    return size > 0 and any(
        said[at : at + size] == wanted for at in range(len(said) - size + 1)
    )


def _asked_to_remember(text: str, phrases: TriggersConfig) -> Iterator[str]:
    """Yield what a message asks to remember, which need not be a whole sentence."""
    for trigger in detect(text, settings=phrases):
        if trigger.kind is TriggerKind.REMEMBER and trigger.content:
            yield trigger.content


def _is_supported(text: str, quote: str) -> bool:
    """Return whether a quotation has most of the telling words of a text."""
    return share_of(frozenset(terms(text)), quote) >= MIN_SUPPORT


def share_of(stems: Iterable[str], text: str) -> float:
    """Return the share of some stems that a text has."""
    wanted = frozenset(stems)
    return len(wanted & frozenset(terms(text))) / len(wanted) if wanted and text else 0
