"""What a person's words ask of memory: remember, forget, reflect, search.

A phrase of a table counts where an order can stand: at the start of a sentence or
clause, or at its end for the languages that put it there. Questions, negations,
quotations and code order nothing. `*.toml` beside this file are the tables.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from reverie.config import TriggersConfig
from reverie.encoding.triggers.phrases import (
    GAP,
    KINDS,
    MASK,
    Authorship,
    PhraseTable,
    mask,
    plain,
    tables_of,
)
from reverie.model.items import Role
from reverie.model.route import Target, Trigger, TriggerKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    Span = tuple[int, int]

DEFAULT = TriggersConfig()
_WINDOW = 100
"""Characters before a phrase in which the words that open an order are looked for."""

_ORDERS = {TriggerKind.REMEMBER, TriggerKind.FORGET, TriggerKind.REFLECT}
_KEEPING = {TriggerKind.REMEMBER, TriggerKind.FORGET}
_BARE = {TriggerKind.DISMISS, TriggerKind.REFLECT_SOFT}
_MARKS = " \t\n\r,:;.!?…。~\u2013\u2014"
_STOP = re.compile(r"(?:[.!?…]+[\"')\]]*+(?=[\s\0]|\Z)|[!?](?=[^\x00-\x7f])|。)|\n")
_SHORT = re.compile(
    r"\b(?:dr|mr|mrs|ms|prof|st|vs|etc|e\.g|i\.e|z\.b|bzw|ca|nr|sra?|mme|[ap]\.m)\.\Z"
)
_NUMBER = re.compile(r"\b\d{1,2}\.\Z")
_MONTH = re.compile(r"\s(?:jan|feb|mar|apr|mai|jun|jul|aug|sep|okt|nov|dez)")
_QUESTION = re.compile(r"\?[\s!?.…)\"']*\Z")
_BLANK = re.compile(r"\n[^\S\n]*\n")
_CLAUSE = re.compile(r"[,;]\s")


def detect(
    message: str, role: Role = Role.USER, settings: TriggersConfig = DEFAULT
) -> tuple[Trigger, ...]:
    """What a message asks of memory, in the order it says so.

    Args:
        message: Any text.
        role: Who says it. Only a user gives orders; anybody else gets `()`.
        settings: The languages, and the phrases that a workspace adds.
    """
    if role is not Role.USER:
        return ()
    said = plain(message)
    tables = tables_of(settings)
    lists = tables.lists_in(said)
    if not lists:
        return ()
    text = mask(message, said)
    whose = Authorship(message, said, text)
    sentences = _Sentences(message, text)
    found = [
        order
        for number, name in lists
        for order in _orders(tables.tables[number], name, text, sentences, whose)
    ]
    return tuple(_triggers(message, said, _apart(found), sentences, whose))


class _Sentences:
    """Where the sentences of a masked text begin and end."""

    def __init__(self, message: str, text: str) -> None:
        self._text, self._starts, self._ends = text, [0], list[int]()
        for stop in _STOP.finditer(text):
            end = stop.end()
            before = text[max(0, end - 8) : end]
            if stop[0] == "." and (
                _SHORT.search(before)
                or (_NUMBER.search(before) and message[end + 1 : end + 2].islower())
                or (_NUMBER.search(before) and _MONTH.match(text, end))
            ):
                continue
            self._ends.append(end - (stop[0] == "\n"))
            self._starts.append(end)
        self._ends.append(len(text))

    def at(self, place: int) -> Span:
        """The sentence that a place is in."""
        number = bisect_right(self._starts, place) - 1
        return self._starts[number], self._ends[number]

    def before(self, place: int, least: int) -> Span | None:
        """The last sentence with words in it that ends before a place."""
        for number in range(bisect_right(self._starts, place) - 2, -1, -1):
            start, end = self._starts[number], self._ends[number]
            if start < least:
                break
            if self._text[start:end].strip(_MARKS):
                return start, end
        return None


# --- where an order stands -----------------------------------------------------


class _Order(NamedTuple):
    """A phrase where an order can stand; `opens` is where its "please" begins.

    `gap` is where what it is about stands, if in its midst; `trailing` if before it.
    """

    table: PhraseTable
    name: str
    opens: int
    start: int
    end: int
    sentence: Span
    gap: Span | None = None
    trailing: bool = False


def _orders(
    table: PhraseTable, name: str, text: str, sentences: _Sentences, whose: Authorship
) -> Iterator[_Order]:
    """The phrases of a list that stand where an order can stand."""
    ending = table.around("ending")
    for found in table.leading(name).finditer(text):
        start, end = found.span()
        if not whose.commands(start):
            continue
        first, last = sentence = sentences.at(start)
        gap = found.span(found.lastindex) if found.lastindex else None
        if KINDS[name] in _BARE or (gap and gap[0] == gap[1]):
            gap = None
            if not ending.match(text, end, last):
                continue
        before = text[max(first, start - _WINDOW) : start]
        # Beyond the window something else is said.
        before = f"x{before}" if start - first > _WINDOW else before
        opened = table.around("opening").search(before)
        if opened:
            opens = start - len(opened[0]) + len(opened["mark"] or "")
            order = _negated(
                _Order(table, name, opens, start, end, sentence, gap), text
            )
            if order and not _vetoed(order, text, opened):
                yield order
    for found in table.trailing(name).finditer(text):
        start, end = found.span()
        if not whose.commands(start):
            continue
        first, last = sentence = sentences.at(start)
        said = text[first:start].strip(f"{_MARKS}{MASK}")
        asked = name != "search" and "?" in text[end:last]
        told = name == "remember" and table.leading("no_trailing").match(text, first)
        order = _Order(table, name, start, start, end, sentence, trailing=True)
        no = asked or told or _denied(order, text)
        if said and not no and ending.match(text, end, last):
            yield order


def _denied(order: _Order, text: str) -> bool:
    """Whether a workspace's own phrase is denied: to forget, anywhere near it."""
    first = max(order.sentence[0], order.start - _WINDOW)
    last = min(order.sentence[1], order.end + _WINDOW)
    denying = order.table.leading("denied")
    if KINDS[order.name] is TriggerKind.FORGET:
        return bool(denying.search(text, first, last))
    before = text[first : order.start].split()
    return order.name == "remember" and bool(denying.fullmatch("".join(before[-1:])))


def _negated(order: _Order, text: str) -> _Order | None:
    """An order as a negation behind its verb leaves it.

    What is not to be remembered asks for nothing; what is not to be forgotten is to
    be remembered.
    """
    table, end, last = order.table, order.end, order.sentence[1]
    kind = KINDS[order.name]
    if _denied(order, text):
        return None
    if kind not in _KEEPING or not table.leading("negatable").match(text, order.start):
        return order
    if order.gap:
        held = f" {text[slice(*order.gap)].strip()}"
        ways = (table.around("negated").match, table.around("negated_last").match)
        return None if any(way(held) for way in ways) else order
    found = table.around("negated").match(text, end, last)
    found = found or table.around("negated_last").match(text, end, last)
    if not found:
        return order
    if kind is TriggerKind.REMEMBER:
        return None
    gap = found.span("about") if found["about"] else None
    return order._replace(name="remember", end=found.end("no"), gap=gap)


def _vetoed(order: _Order, text: str, opened: re.Match[str]) -> bool:
    """Whether a phrase is asked and not ordered, or is no order by what follows."""
    table, start, end, last = order.table, order.start, order.end, order.sentence[1]
    kind = KINDS[order.name]
    if kind not in _ORDERS:
        return False
    if table.leading(f"no_{order.name}").match(text, start, last):
        return True
    # What only goes on with a sentence ("…, and forget that") is mostly no order.
    if kind is TriggerKind.FORGET and opened["mark"] and not opened["open"]:
        return True
    asks = _QUESTION.search(text, max(end, last - 20), last)
    if not asks or table.around("manners").search(text, max(end, last - 40), last):
        return False
    if not table.leading("requests").search(opened["open"]):
        return True
    # "Can you remember that I …?" is an order, "can you remember his name?" is none.
    if table.leading("please").search(opened["open"]):
        return False
    linked = table.around("drop").match(text, end, last)
    recall = table.leading("recall").fullmatch(text, start, end)
    return bool(recall) and not (linked and linked["drop"])


def _apart(found: list[_Order]) -> list[_Order]:
    """The orders in their order; of those that overlap, the first and longest."""
    ranks = list(KINDS)
    kept: list[_Order] = []
    for order in sorted(found, key=lambda o: (o.start, -o.end, ranks.index(o.name))):
        if not kept or order.start >= kept[-1].end:
            kept.append(order)
    return kept


# --- what it is about ----------------------------------------------------------


def _triggers(
    message: str,
    said: str,
    orders: list[_Order],
    sentences: _Sentences,
    whose: Authorship,
) -> Iterator[Trigger]:
    """The triggers, none of which reaches into another or into its content."""
    done = 0
    for number, order in enumerate(orders):
        if order.start < done:
            continue
        until = orders[number + 1].opens if number + 1 < len(orders) else len(said)
        end, start, stop = _content(said, order, sentences, done, until)
        kind, target, permanent = KINDS[order.name], Target.MEMORY, order.name == "pin"
        if kind is TriggerKind.FORGET:
            cut = _CLAUSE.search(said, start, stop)
            stop = cut.start() if cut and said[start : cut.start()].strip() else stop
            lasting = order.table.leading("permanent")
            words = list(lasting.finditer(said, order.opens, stop))
            permanent = bool(words) and not start < words[-1].start() < stop
            start, stop = _trimmed(order.table, said, start, stop)
            if words and words[-1].end() == stop:
                permanent, stop = True, words[-1].start()
        start, stop = _trimmed(order.table, said, start, stop)
        if kind is TriggerKind.FORGET and _means_talk(order, said, end, (start, stop)):
            target, permanent = Target.CONVERSATION, False
        phrase = said[order.start : end]
        end = max(order.end, order.start + len(phrase.rstrip(_MARKS)))
        phrase = said[order.start : end]
        if order.gap:
            phrase = said[order.start : order.gap[0]] + GAP + said[order.gap[1] : end]
        own = whose.is_own((start, stop), order.sentence, order.start)
        phrase, content = " ".join(phrase.split()), message[start:stop]
        at = (order.start, end, content, start, stop)
        yield Trigger(kind, phrase, *at, target, permanent, own)
        done = max(end, stop)


def _content(
    said: str, order: _Order, sentences: _Sentences, done: int, until: int
) -> tuple[int, int, int]:
    """Where a wording ends, and where what it is about begins and ends."""
    table, end, last = order.table, order.end, min(order.sentence[1], until)
    kind = KINDS[order.name]
    if kind in _BARE:
        return end, end, end
    if order.trailing:
        first = max(order.sentence[0], done)
        manners = table.around("greeting").match(said, first, order.start)
        return end, manners.end() if manners else first, order.start
    dropping = table.around("drop", f"drop_{order.name}")
    start, stop = order.gap or (order.start, end)
    points = table.around("pointed").search(said, start, stop)
    if order.gap and not (points and said[start : points.start()].strip() == ""):
        dropped = dropping.match(said, start, stop)
        return end, dropped.end() if dropped else start, stop
    if points and kind is TriggerKind.FORGET:  # "scratch that, …"
        return end, end, end
    pointed = table.around("pointing").match(said, end, last)
    if pointed and not said[pointed.end() : last].strip(_MARKS):
        return end, *_pointed_at(said, order, sentences, done)
    if pointed and (points or pointed["points"].strip()):
        return pointed.end("points"), pointed.end(), last
    if points and not table.leading("drop").match(said, points.end() - 4, end):
        return end, end, end  # "save this preference" names nothing
    dropped = dropping.match(said, end, last)
    start = dropped.end() if dropped else end
    return (dropped.end("drop") if dropped and dropped["drop"] else end), start, last


def _pointed_at(said: str, order: _Order, sentences: _Sentences, done: int) -> Span:
    """What "this" is: said before, in the same sentence or the last, or below."""
    first, last = order.sentence
    if said[max(first, done) : order.opens].strip(_MARKS):
        return max(first, done), order.opens
    before = sentences.before(first, done)
    if before and said[order.start : last].rstrip()[-1:] != ":":
        words = said[slice(*before)].strip(_MARKS)
        greeting = order.table.around("opening").fullmatch(words)
        return (order.end, order.end) if greeting else before
    while last < len(said) and said[last].isspace():
        last += 1
    blank = _BLANK.search(said, last)
    return last, blank.start() if blank else len(said)


def _means_talk(order: _Order, said: str, end: int, content: Span) -> bool:
    """Whether forgetting means what was said just now, and no memory."""
    start, stop = content
    pointed = order.table.around("pointed").fullmatch(said, start, stop)
    if start == stop or pointed:
        return True
    about = order.table.leading("about").search(said, order.start, end)
    words = order.table.leading("conversation")
    spoken = words.search(said, order.start, end) or words.search(said, start, stop)
    return bool(spoken) and not about


def _trimmed(table: PhraseTable, said: str, start: int, end: int) -> Span:
    """A stretch without the marks, and the "please", around it."""
    if "\n" in said[start:end].strip():  # a block, as it is
        return start, start + len(said[start:end].rstrip())
    if manners := table.around("manners").search(said, max(start, end - 60), end):
        end = manners.start()
    while start < end and said[end - 1] in _MARKS:
        end -= 1
    if said[start:end].count("(") < said[start:end].count(")"):
        end = said.rindex(")", start, end)
    while start < end and said[start] in _MARKS:
        start += 1
    return start, end
