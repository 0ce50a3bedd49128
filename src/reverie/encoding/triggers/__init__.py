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
    list_of,
    mask,
    plain,
    tables_of,
)
from reverie.model.items import Role
from reverie.model.route import Target, Trigger, TriggerKind
from reverie.pasted import find_pasted

if TYPE_CHECKING:
    from collections.abc import Iterator

    Span = tuple[int, int]

DEFAULT = TriggersConfig()
_WINDOW = 100
"""Characters before a phrase in which the words that open an order are looked for."""

_ORDERS = {TriggerKind.REMEMBER, TriggerKind.FORGET, TriggerKind.REFLECT}
_BARE = {TriggerKind.DISMISS, TriggerKind.REFLECT_SOFT}
_MARKS = " \t\n\r,:;.!?…。~\u2013\u2014"
_SEPARATING = frozenset(",;.!?…。\n\u2013\u2014")
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

    Pasted text asks for nothing, but may be what the user's own words ask to remember.

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
    pasted = find_pasted(message)
    found = _Message(message, said).triggers(tables.tables, lists)
    return tuple(
        each
        for each in found
        if not any(start <= each.start < end for start, end in pasted)
    )


def may_withhold(message: str, settings: TriggersConfig = DEFAULT) -> bool:
    """Whether a message may ask not to be remembered; hardly any does."""
    return bool(list_of("withhold", settings).lists_in(plain(message)))


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

    @property
    def kind(self) -> TriggerKind:
        """What it asks for."""
        return KINDS[self.name]


class _Message:
    """A message as it is read: plain, masked, and cut into sentences."""

    def __init__(self, message: str, said: str) -> None:
        self._message, self._said = message, said
        self._text = text = mask(message, said)
        self._whose = Authorship(message, said, text)
        self._starts, self._ends = [0], list[int]()
        for stop in _STOP.finditer(text):
            end = stop.end()
            before = text[max(0, end - 8) : end]
            dated = _NUMBER.search(before) and (
                message[end + 1 : end + 2].islower() or _MONTH.match(text, end)
            )
            if stop[0] != "." or not (dated or _SHORT.search(before)):
                self._ends.append(end - (stop[0] == "\n"))
                self._starts.append(end)
        self._ends.append(len(text))

    def triggers(
        self, tables: tuple[PhraseTable, ...], lists: set[tuple[int, str]]
    ) -> Iterator[Trigger]:
        """The triggers in their order; none reaches into another or its content.

        Of phrases that overlap, the first and longest counts.
        """
        ranks = list(KINDS)
        found = [
            order
            for number, name in lists
            for find in (self._leading, self._trailing)
            for order in find(tables[number], name)
        ]
        found.sort(key=lambda o: (o.start, -o.end, ranks.index(o.name)))
        orders: list[_Order] = []
        for order in found:
            if not orders or order.start >= orders[-1].end:
                orders.append(order)
        done = 0
        for order, until in zip(
            orders, [*(o.opens for o in orders[1:]), len(self._said)], strict=False
        ):
            if order.start >= done:
                yield (trigger := self._trigger(order, done, until))
                done = max(trigger.end, trigger.content_end)

    def _sentence(self, place: int) -> Span:
        return self._span(bisect_right(self._starts, place) - 1)

    def _span(self, number: int) -> Span:
        return self._starts[number], self._ends[number]

    # --- where an order stands ---------------------------------------------------

    def _leading(self, table: PhraseTable, name: str) -> Iterator[_Order]:
        """The phrases of a list that stand where an order can begin."""
        text = self._text
        for found in table.leading(name).finditer(text):
            start, end = found.span()
            if not self._whose.commands(start):
                continue
            first, last = sentence = self._sentence(start)
            gap = found.span(found.lastindex) if found.lastindex else None
            if KINDS[name] in _BARE or (gap and gap[0] == gap[1]):
                gap = None
                if not table.around("ending").match(text, end, last):
                    continue
            before = text[max(first, start - _WINDOW) : start]
            # Beyond the window something else is said.
            before = f"x{before}" if start - first > _WINDOW else before
            if opened := table.around("opening").search(before):
                opens = start - len(opened[0]) + len(opened["mark"] or "")
                whole = _Order(table, name, opens, start, end, sentence, gap)
                order = self._negated(whole)
                if order and not self._vetoed(order, opened):
                    yield order

    def _trailing(self, table: PhraseTable, name: str) -> Iterator[_Order]:
        """The phrases of a list that follow what they are about."""
        text = self._text
        for found in table.trailing(name).finditer(text):
            start, end = found.span()
            if not self._whose.commands(start):
                continue
            first, last = sentence = self._sentence(start)
            order = _Order(table, name, start, start, end, sentence, trailing=True)
            asked = name != "search" and "?" in text[end:last]
            told = name == "remember" and table.leading("no_trailing").match(
                text, first
            )
            said = text[first:start].strip(f"{_MARKS}{MASK}")
            ends = table.around("ending").match(text, end, last)
            if said and ends and not (asked or told or self._denied(order)):
                yield order

    def _denied(self, order: _Order) -> bool:
        """Whether a workspace's own phrase is denied: to forget, anywhere near it."""
        first = max(order.sentence[0], order.start - _WINDOW)
        last = min(order.sentence[1], order.end + _WINDOW)
        denying = order.table.leading("denied")
        if order.kind is TriggerKind.FORGET:
            return bool(denying.search(self._text, first, last))
        before = self._text[first : order.start].split()
        return order.name == "remember" and bool(
            denying.fullmatch("".join(before[-1:]))
        )

    def _negated(self, order: _Order) -> _Order | None:
        """An order as a negation behind its verb leaves it.

        What is not to be remembered asks for nothing; what is not to be forgotten is to
        be remembered.
        """
        text, table, last = self._text, order.table, order.sentence[1]
        if self._denied(order):
            return None
        keeping = order.kind in {TriggerKind.REMEMBER, TriggerKind.FORGET}
        if not keeping or not table.leading("negatable").match(text, order.start):
            return order
        ways = (table.around("negated").match, table.around("negated_last").match)
        if order.gap:
            held = f" {text[slice(*order.gap)].strip()}"
            return None if any(way(held) for way in ways) else order
        found = ways[0](text, order.end, last) or ways[1](text, order.end, last)
        if not found or order.kind is TriggerKind.REMEMBER:
            return None if found else order
        gap = found.span("about") if found["about"] else None
        return order._replace(name="remember", end=found.end("no"), gap=gap)

    def _vetoed(self, order: _Order, opened: re.Match[str]) -> bool:
        """Whether a phrase is asked and not ordered, or is no order by what follows."""
        text, table, last = self._text, order.table, order.sentence[1]
        start, end = order.start, order.end
        if order.kind not in _ORDERS:
            return False
        if table.leading(f"no_{order.name}").match(text, start, last):
            return True
        # What only goes on with a sentence ("…, and forget that") is mostly no order.
        if order.kind is TriggerKind.FORGET and opened["mark"] and not opened["open"]:
            return True
        asks = _QUESTION.search(text, max(end, last - 20), last)
        if not asks or table.around("manners").search(text, max(end, last - 40), last):
            return False
        if not table.leading("requests").search(opened["open"]):
            return True
        # "Can you remember that I …?" is an order, "can you remember it?" is none.
        recall = table.leading("recall").fullmatch(text, start, end)
        linked = table.around("drop").match(text, end, last)
        polite = table.leading("please").search(opened["open"])
        return bool(recall) and not polite and not (linked and linked["drop"])

    # --- what it is about --------------------------------------------------------

    def _trigger(self, order: _Order, done: int, until: int) -> Trigger:
        said, table = self._said, order.table
        end, start, stop = self._content(order, done, until)
        target, permanent = Target.MEMORY, order.name == "pin"
        if order.kind is TriggerKind.FORGET:
            cut = _CLAUSE.search(said, start, stop)
            stop = cut.start() if cut and said[start : cut.start()].strip() else stop
            words = list(table.leading("permanent").finditer(said, order.opens, stop))
            permanent = bool(words) and not start < words[-1].start() < stop
            start, stop = self._trimmed(table, start, stop)
            if words and words[-1].end() == stop:
                permanent, stop = True, words[-1].start()
        start, stop = self._trimmed(table, start, stop)
        if order.kind is TriggerKind.FORGET and self._means_talk(
            order, end, start, stop
        ):
            target, permanent = Target.CONVERSATION, False
        phrase = said[order.start : end].rstrip(_MARKS)
        end = max(order.end, order.start + len(phrase))
        phrase = said[order.start : end]
        if order.gap:
            phrase = said[order.start : order.gap[0]] + GAP + said[order.gap[1] : end]
        own = self._whose.is_own((start, stop), order.sentence, order.start)
        at = (order.start, end, self._message[start:stop], start, stop)
        sentence = order.sentence if self._introduces(order, start, stop) else (0, 0)
        more = target, permanent, own, sentence
        return Trigger(order.kind, " ".join(phrase.split()), *at, *more)

    def _introduces(self, order: _Order, start: int, stop: int) -> bool:
        """Whether a phrase opens its sentence, and all the rest is what it is about.

        A comma or another mark between the two may separate them.
        """
        said, (first, last) = self._said, order.sentence
        manners = order.table.around("manners").fullmatch(said, stop, last)
        return (
            not (order.trailing or order.gap)
            and order.end <= start < stop <= last
            and not said[first : order.opens].strip(_MARKS)
            and _SEPARATING.isdisjoint(said[order.end : start])
            and bool(manners or not said[stop:last].strip(_MARKS))
        )

    def _content(self, order: _Order, done: int, until: int) -> tuple[int, int, int]:
        """Where a wording ends, and where what it is about begins and ends."""
        said, table, end = self._said, order.table, order.end
        last = min(order.sentence[1], until)
        if order.kind in _BARE:
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
        if points and order.kind is TriggerKind.FORGET:  # "scratch that, …"
            return end, end, end
        pointed = table.around("pointing").match(said, end, last)
        if pointed and not said[pointed.end() : last].strip(_MARKS):
            return end, *self._pointed_at(order, done)
        if pointed and (points or pointed["points"].strip()):
            return pointed.end("points"), pointed.end(), last
        if points and not table.leading("drop").match(said, points.end() - 4, end):
            return end, end, end  # "save this preference" names nothing
        dropped = dropping.match(said, end, last)
        start = dropped.end() if dropped else end
        return (
            (dropped.end("drop") if dropped and dropped["drop"] else end),
            start,
            last,
        )

    def _pointed_at(self, order: _Order, done: int) -> Span:
        """What "this" is: said before, in the same sentence or the last, or below."""
        said, (first, last) = self._said, order.sentence
        if said[max(first, done) : order.opens].strip(_MARKS):
            return max(first, done), order.opens
        number = bisect_right(self._starts, first) - 2
        while number >= 0 and not said[slice(*self._span(number))].strip(_MARKS):
            number -= 1
        before = self._span(number) if number >= 0 else (-1, -1)
        if before[0] >= done and said[order.start : last].rstrip()[-1:] != ":":
            words = said[slice(*before)].strip(_MARKS)
            greeting = order.table.around("opening").fullmatch(words)
            return (order.end, order.end) if greeting else before
        while last < len(said) and said[last].isspace():
            last += 1
        blank = _BLANK.search(said, last)
        return last, blank.start() if blank else len(said)

    def _means_talk(self, order: _Order, end: int, start: int, stop: int) -> bool:
        """Whether forgetting means what was said just now, and no memory."""
        said, table = self._said, order.table
        if start == stop or table.around("pointed").fullmatch(said, start, stop):
            return True
        words = table.leading("conversation")
        spoken = words.search(said, order.start, end) or words.search(said, start, stop)
        return bool(spoken) and not table.leading("about").search(
            said, order.start, end
        )

    def _trimmed(self, table: PhraseTable, start: int, end: int) -> Span:
        """A stretch without the marks, and the "please", around it."""
        said = self._said
        if "\n" in said[start:end].strip():  # a block, as it is
            return start, start + len(said[start:end].rstrip())
        if manners := table.around("manners").search(said, max(start, end - 60), end):
            end = manners.start()
        end = start + len(said[start:end].rstrip(_MARKS))
        before = said[max(0, start - _WINDOW) : start]
        if before.rfind("(") > before.rfind(")"):
            end = _closing(said, start, end)
        return end - len(said[start:end].lstrip(_MARKS)), end


def _closing(said: str, start: int, end: int) -> int:
    """Where the bracket closes that was opened before a stretch; else its end."""
    depth = 1
    for place in range(start, end):
        depth += (said[place] == "(") - (said[place] == ")")
        if not depth:
            return place
    return end
