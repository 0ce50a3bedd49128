"""Find the whole sentences of the user that an agent's text quotes.

What an agent wants in core memory is the user's word only if the user typed it: one or
more whole sentences of one recent message of this conversation. Nothing but letter
case, dates, the form of marks and "my", which may become the user's name, may differ.
One sentence authorises one change: history knows which were used.
"""

from __future__ import annotations

import re
from datetime import timedelta
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from reverie.conversation.typed_turns import PASTED, is_typed
from reverie.dates import at_home, find_spans
from reverie.encoding.sentences import (
    find_typed_sentences,
    is_terminated,
    normalize_marks,
    trim_sentence,
)
from reverie.errors import RefusedError
from reverie.index.user import find_own_words, user_name
from reverie.markdown import headline
from reverie.model.change import Approval
from reverie.model.conversation import SENTENCE_ID, Quote, parse_trigger
from reverie.model.ids import Kind
from reverie.model.items import USER_QUOTED, CoreItem
from reverie.model.views import QuotedChange
from reverie.session.conversation_record import turns_of, window_named
from reverie.stores.core import parse_core
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from reverie.dates import Span
    from reverie.ledger import Ledger
    from reverie.model.items import Turn
    from reverie.session.session import Session

MAX_TURNS_BACK = 20
"""A sentence counts while the conversation has gone on by at most so many turns."""

TURNS_READ = 4 * MAX_TURNS_BACK
CLOCK_TOLERANCE = timedelta(days=1)
SHOWN_FOR = timedelta(days=14)
"""So long a change that quotes the user is listed among what they decide on."""

WEEK = timedelta(days=7)
MAX_NEAREST = 240
"""Characters that are shown of the sentence nearest to a text."""

MIN_SHARED = 0.4
"""Share of common words from which on a sentence is near to a text."""

_WORD = re.compile(r"\w+")
_YEAR = re.compile(r"[0-9]{4}")
_POSSESSIVES = ("'s", "\u2019s", "s", "'", "\u2019", "\u7684", "\u306e", "")


class NotQuotedError(RefusedError):
    """A text is not what the user typed in this conversation."""


def find_quote(session: Session, conversation: str, text: str) -> Quote:
    """Return the sentences of the user that a text quotes.

    Args:
        session: The open workspace; nobody else may write meanwhile.
        conversation: The conversation, as its host calls it; empty if nobody knows.
        text: What an agent wants to store.

    Raises:
        NotQuotedError: The text is not in whole sentences of the user, or one of them
            authorised a change before.
    """
    if not conversation:
        raise _not_quoted("the conversation is unknown")
    window = window_named(session, conversation)
    turns = turns_of(session, window, TURNS_READ)
    typed = [turn for turn in _recent(turns) if is_typed(session, turn)]
    if not typed:
        raise _not_quoted(
            f"no host says that the user typed one of the last {MAX_TURNS_BACK} turns"
        )
    name, used = user_name(session.index), set[str]()
    wanted = normalize_marks(text)
    for turn in reversed(typed):
        for quote in _quotes(turn, wanted, name, session):
            used = used or _used_sentences(session, typed)
            if used.isdisjoint(quote.sentences):
                return quote
    if used:
        raise _not_quoted("this sentence was already used for another change")
    why = f"no such sentence in the last {MAX_TURNS_BACK} turns that the user typed"
    nearest = _find_nearest(typed, wanted)
    raise _not_quoted(f"{why}; nearest: \u201c{nearest}\u201d" if nearest else why)


def _not_quoted(why: str) -> NotQuotedError:
    hint = "Quote the user's sentence word for word, or let them decide."
    return NotQuotedError(why, hint=hint)


def _find_nearest(typed: list[Turn], wanted: str) -> str:
    """Return the typed sentence with most words of a text; empty if none is similar."""
    words = frozenset(_WORD.findall(wanted.casefold()))
    nearest, best = "", MIN_SHARED
    for turn in reversed(typed):
        for sentence in find_typed_sentences(turn.text, turn.field(PASTED)):
            said = frozenset(_WORD.findall(normalize_marks(sentence).casefold()))
            shared = 2 * len(said & words) / (len(said) + len(words))
            if shared > best:
                nearest, best = sentence, shared
    return headline(nearest, MAX_NEAREST)


def _recent(turns: list[Turn]) -> Iterator[Turn]:
    """Yield the turns that are recent by number, and not older than those before."""
    last, latest = max((turn.number for turn in turns), default=0), None
    for turn in turns:
        in_order = turn.at is not None and (latest is None or turn.at >= latest)
        if turn.at is not None and in_order:
            latest = turn.at
        if in_order and turn.number >= last - MAX_TURNS_BACK:
            yield turn


def _used_sentences(session: Session, typed: list[Turn]) -> set[str]:
    """Return the IDs of sentences that authorised a change, as history tells."""
    since = min(turn.at for turn in typed if turn.at) - CLOCK_TOLERANCE
    recent = takewhile(lambda commit: commit.at >= since, session.ledger.walk())
    mark = f"Approval: {Approval.USER_QUOTED}"
    messages = (commit.message for commit in recent if mark in commit.message)
    return {""}.union(*(SENTENCE_ID.findall(message) for message in messages))


# --- what may differ -------------------------------------------------------------


class _Said(NamedTuple):
    """A piece of the user's words, and what else may stand in its place."""

    words: str
    span: Span | None = None
    own: bool = False


def _quotes(turn: Turn, wanted: str, name: str, session: Session) -> Iterator[Quote]:
    """Yield the runs of whole sentences of a turn that a text quotes."""
    sentences = find_typed_sentences(turn.text, turn.field(PASTED))
    at = at_home(turn.at, session.zone) if turn.at else session.clock()
    for first in range(len(sentences)):
        for last in range(first, len(sentences)):
            run = sentences[first : last + 1]
            words = " ".join(run)
            if len(words) > 4 * len(wanted) + 80:
                break
            said = normalize_marks(words)
            if all(map(is_terminated, run[:-1])) and _matches(said, wanted, name, at):
                ids = (
                    f"turn:{turn.window}/{turn.number}/user#{number}"
                    for number in range(first + 1, last + 2)
                )
                yield Quote(tuple(ids), words)


def _matches(said: str, wanted: str, name: str, now: datetime) -> bool:
    """Return whether a text says a sentence word for word, but for what may differ."""
    said, wanted = map(trim_sentence, (said, wanted))
    if _same_letters(said, wanted):
        return True
    pieces = [*_pieces(said, now)]
    names = tuple(dict.fromkeys(filter(None, (name, *name.split()[:1]))))
    dates = {span.at[0]: span for span in find_spans(wanted, now)}
    return _follows(pieces, wanted, 0, names, dates, now)


def _pieces(said: str, now: datetime) -> Iterator[_Said]:
    """Yield a sentence in pieces: dates, the user's "my", and what is between."""
    spans = find_spans(said, now)
    marks: list[tuple[tuple[int, int], Span | None, bool]]
    marks = [(span.at, span, False) for span in spans]
    marks += [
        (at, None, True)
        for at in find_own_words(said)
        if not any(s.at[0] < at[1] and at[0] < s.at[1] for s in spans)
    ]
    done = 0
    for (start, end), span, own in sorted(marks, key=lambda mark: mark[0]):
        yield _Said(said[done:start])
        yield _Said(said[start:end], span, own)
        done = end
    yield _Said(said[done:])


def _follows(
    pieces: list[_Said],
    wanted: str,
    at: int,
    names: tuple[str, ...],
    dates: dict[int, Span],
    now: datetime,
) -> bool:
    """Return whether a text goes on with some pieces from a character on."""
    if not pieces:
        return at == len(wanted)
    piece, rest = pieces[0], pieces[1:]
    ends = set[int]()
    if _same_letters(piece.words, wanted[at : at + len(piece.words)]):
        ends.add(at + len(piece.words))
    if piece.own:
        for form in (f"{name}{ending}" for name in names for ending in _POSSESSIVES):
            if _same_letters(form, wanted[at : at + len(form)]):
                ends.add(at + len(form))
    if (
        piece.span is not None
        and at in dates
        and _same_date(piece.span, dates[at], now)
    ):
        ends.add(dates[at].at[1])
    return any(_follows(rest, wanted, end, names, dates, now) for end in ends)


def _same_letters(said: str, wanted: str) -> bool:
    """Return whether two texts have the same characters but for letter case."""
    return len(said) == len(wanted) and all(
        other in {one, one.lower(), one.upper()}
        for one, other in zip(said, wanted, strict=True)
    )


def _same_date(said: Span, wanted: Span, now: datetime) -> bool:
    """Return whether two dates mean the same day or stretch of time.

    A weekday or a month without a year may be the last or the next one.
    """
    link = _link(said, now)
    if link and link != _link(wanted, now):
        return False
    if (said.start, said.end) == (wanted.start, wanted.end):
        return True
    if said.counted or _YEAR.search(said.text):
        return False
    week_later = wanted.start - said.start == wanted.end - said.end == WEEK
    if week_later and not any(map(str.isdigit, said.text)):
        return said.end - said.start == timedelta(days=1)
    return all(
        (later.month, later.day, later.year) == (day.month, day.day, day.year + 1)
        for day, later in ((said.start, wanted.start), (said.end, wanted.end))
    )


def _link(span: Span, now: datetime) -> str:
    """Return the word before a date that is no part of it, such as "on"."""
    first, _, rest = span.text.partition(" ")
    bare = find_spans(rest, now)[:1] if rest else ()
    same = bool(bare) and (bare[0].start, bare[0].end) == (span.start, span.end)
    return first.casefold() if same else ""


# --- what was changed ------------------------------------------------------------


def find_quoted_changes(session: Session) -> list[QuotedChange]:
    """Return the recent changes that quote the user and still stand, newest first."""
    ledger, since = session.ledger, session.clock() - SHOWN_FOR
    standing = {
        item.text for item in _core_items(ledger, ledger.head) if item.by == USER_QUOTED
    }
    found: list[QuotedChange] = []
    commits = ledger.walk() if standing else iter(())
    mark = f"Approval: {Approval.USER_QUOTED}"
    for commit in takewhile(lambda each: each.at >= since, commits):
        entry = ledger.entry(commit.id) if mark in commit.message else None
        if entry is None or entry.approval is not Approval.USER_QUOTED:
            continue
        before = {item.text for item in _core_items(ledger, commit.parent)}
        after = {item.text: item for item in _core_items(ledger, commit.id)}
        for text, item in after.items():
            if text in standing - before:
                standing.remove(text)
                words = parse_trigger(entry.trigger).words
                gone = tuple(sorted(before - after.keys()))
                where = f"{Kind.CORE}:{item.block}/{item.slug}"
                about = (where, text, gone, words)
                found.append(QuotedChange(entry.commit, entry.at, *about))
    return found


def _core_items(ledger: Ledger, commit: str) -> list[CoreItem]:
    data = ledger.read_at(commit, layout.CORE) if commit else None
    text = (data or b"").decode("utf-8-sig", "replace")
    entries = parse_core(text, layout.CORE).entries
    return [each.item for each in entries if isinstance(each.item, CoreItem)]
