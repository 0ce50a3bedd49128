"""Write what was recalled as a context block: Markdown for a prompt.

Its worth is the evidence that it carries per token (docs/design/block.md): one line for
a memory, the best there is up to the budget, by day, each day once. The marks around it
tell that it came from memory, so that it is never learned again. Every text is one line
behind its citation, so none can begin a line of ours.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, Self, TypeVar

from msgspec.structs import replace

from reverie.index.text import listen, sentences, spoken, stem_set
from reverie.markdown import one_line
from reverie.model.ids import Kind, citation, page_of, whole
from reverie.model.items import FOREIGN, UNCONFIRMED, Origin, Role
from reverie.model.views import Beside
from reverie.printable import printable
from reverie.secrets.labels import fold
from reverie.tokens import clip_to_tokens, count_tokens, within_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from reverie.model.views import Hit, Recalled

T = TypeVar("T")

OPENING = "<reverie:recalled>"
CLOSING = "</reverie:recalled>"

_NAME = OPENING.strip("<>")
_MARK_NAME = re.compile(_NAME.replace(":", r"\s{0,9}:\s{0,9}"), re.IGNORECASE)
_LINE_ENDS = re.compile("\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_BLANKS = re.compile(r"[^\S\n ]")
"""White space other than a plain blank and a line feed."""

_WORDS = re.compile(r"\w+")
_PLAIN_QUOTES = str.maketrans("\u201c\u201d", '""')

WHOLE = 110
"""Up to so many tokens a memory is told whole, else in its telling sentences,"""

TELLING = 48
"""of which there are so many tokens at most, from the first few memories on,"""

FIRST = 5
"""which may be told at length."""

SENTENCE = 220
"""So many tokens of one sentence are told: what is cut off may be what was asked."""

A_SENTENCE, ENDS = 40, ".!?\u3002\uff01\uff1f"
"""So many letters, or one of these at its end, make something a sentence."""

SHORT = 10
"""What one says in so few tokens is told with what it answers."""

LONGEST_NAME = 20
"""Tokens that the name of who speaks may take."""

MUCH = 5
"""A question with so many telling words beside those that are looked for tells, too."""

DAYS = 4
"""So many other days on which the same was said are named."""

LEAST = 8
"""Tokens below which there is no room for a line."""

MISSES = 12
"""When so many did not fit, the block is full; a shorter one may still have fitted."""

MIN_TOLD = 0.8
"""Share of the words of a linked memory that stand in another one that is told."""

REPEATED = 20
"""What has fewer letters is told though it stands in another line."""

BREADTH, SEVERAL = 0.995, 0.95
"""What each further memory of one day or page counts, where one thing is wanted and
where several are."""

FULL, TRIES = 0.97, 6
"""What takes so much of its budget, or was tried so often, is not built again."""

YOUR_SUMMARY = "your summary"
ASKED_OF_YOU = "asked of you"

DEEP = 18
"""A ranking is taken so deep that each of its memories could have so few tokens."""

DISPUTED = "(disputed) "
NEW_VERSION = "(a new version waits for approval as #{}) "
TO_COME = "(only from {} on) "
UNSURE = "Unsure, nothing fits well:"
_STRANGERS = {
    Origin.IMPORT: "Imported, quoted:",
    Origin.SUBAGENT: "A sub-agent says:",
    Origin.PASTED: "Pasted by the user, words of others, unverified:",
    Origin.TOOL: "A tool or web page says, unverified:",
    Origin.SYSTEM: "A program says:",
}
ORIGIN_MARKS = {
    Origin.PASTED: "(pasted by the user) ",
    Origin.TOOL: "(a tool says) ",
    Origin.SUBAGENT: "(a sub-agent says) ",
    Origin.IMPORT: "(imported) ",
    Origin.SYSTEM: "(a program says) ",
}
"""Stands in front of a quotation of others where there is no heading above it."""

_NOTHING = "I checked memory and found nothing about this."


class ContextBlock(str):
    """A block as it stands in a prompt, and what is behind it.

    Attributes:
        sure: Whether what it tells fits well.
        ids: The ids behind its citations.
    """

    sure: bool
    ids: dict[str, str]

    def __new__(cls, text: str, ids: Iterable[str] = (), *, sure: bool = True) -> Self:
        """Make one of its text and the ids that it tells of."""
        block = super().__new__(cls, text)
        cited = (line.split(" ", 2)[1] for line in text.split("\n") if line[:2] == "- ")
        full = {citation(id_): id_ for id_ in ids}
        block.ids = {
            short: next((full[c] for c in full if c.startswith(short)), "")
            for short in cited
        }
        block.sure = sure
        return block


def render_context(
    found: Recalled, budget: int, *, several: bool = False
) -> ContextBlock:
    """Write what was found as far as the budget goes.

    Args:
        found: What fits, the best first.
        budget: Tokens that the block may have.
        several: Whether several things are wanted, from many days and pages.
    """
    head = [OPENING, *found.gaps]
    if not found.hits:
        head += [] if found.unread_files else [_NOTHING]
    elif not found.sure:
        head.append(UNSURE)
    lines = HitLines(found.hits, stem_set(found.question), several=several)

    def build(room: int) -> tuple[str, tuple[str, ...]]:
        body, ids = lines.within(room)
        # There may be no room for a single one.
        told = body or not found.hits
        return "\n".join([*head, *body, CLOSING]) + "\n" if told else "", ids

    frame = count_tokens("\n".join([*head, CLOSING]) + "\n")
    text, ids = within(budget, budget - frame, build) or ("", ())
    return ContextBlock(text, ids, sure=found.sure)


def within(
    budget: int, room: int, build: Callable[[int], tuple[str, T]]
) -> tuple[str, T] | None:
    """A text within a budget, and nearly as long; None where nothing fits.

    Texts are counted piece by piece, and together they are a little more or less. So
    it is built anew for less room until it fits, and for what is left.

    Args:
        budget: Tokens that it may have.
        room: Tokens to begin with for what it is built of.
        build: Makes the text for some room, and what is to be known of it; an empty
            text where nothing fits.
    """
    best, last = None, ""
    for _ in range(TRIES):
        text, more = build(room)
        if text and text == last:
            # Everything is told.
            break
        spent, last = count_tokens(text), text
        if text and spent <= budget and (best is None or spent > best[0]):
            best = spent, (text, more)
        if room <= 0 or (best and (spent > budget or FULL * budget <= best[0])):
            break
        room += budget - spent if text else -room
    return best and best[1]


class HitLines:
    """How some hits read, each worked out when it is needed and only once.

    Args:
        hits: What fits, the best first.
        words: The stems of the question: sentences that have them tell most.
        several: Whether several things are wanted, from many days and pages.
        known: Ids of what the reader knows already through what was noted of it.
    """

    def __init__(
        self,
        hits: Sequence[Hit],
        words: Collection[str] = (),
        *,
        several: bool = False,
        known: Collection[str] = (),
    ) -> None:
        told = _answers(hits, frozenset(words))
        self._hits = _spread(told, SEVERAL if several else BREADTH)
        self._words, self._known = words, known
        self._ways: dict[int, tuple[list[_Entry], Iterator[_Entry]]] = {}
        self._letters = cache(_letters)

    def within(self, room: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """As many memories as the room has, those that fit best, in order of time.

        Returns:
            Their lines, and their ids with those of the halves that came along.
        """
        chosen: list[_Entry] = []
        told, heads, missed = set[str](), set[str](), 0
        said: defaultdict[str, str] = defaultdict(str)
        known, waiting = set(self._known), list[int]()
        sources, shown, stems = set[str](), set[str](), list[frozenset[str]]()
        for rank in chain(range(len(self._hits)), waiting):
            hit = self._hits[rank]
            # Told as the other half of another, or in a line of its day.
            words = self._letters(hit.text)
            again = len(words) >= REPEATED and words in said[_day(hit)]
            if again or hit.id in told:
                continue
            # Of what was said and what was noted of it, the second waits for its turn.
            behind = {*hit.basis} or {whole(hit.id)}
            linked = whole(hit.id) in sources or not shown.isdisjoint(hit.basis)
            if rank not in waiting and (behind <= known or linked):
                waiting.append(rank)
                continue
            if linked and _is_told(hit, stems):
                continue
            for entry in self._entries(rank):
                new = [head for head in entry.heads if head and head not in heads]
                cost = entry.cost + sum(count_tokens(f"{head}\n") for head in new)
                if cost <= room:
                    room -= cost
                    heads.update(new)
                    told.update(entry.ids)
                    known |= behind
                    sources.update(_without_turns(hit.basis))
                    shown.update(_without_turns([whole(hit.id)]))
                    stems.append(stem_set(hit.text))
                    line = " ".join(map(self._letters, entry.lines))
                    said[_day(hit)] += f"\n{line}"
                    chosen.append(entry)
                    break
            else:
                missed += 1
            if missed == MISSES or room < LEAST:
                break
        if not chosen and self._hits and room > LEAST:
            chosen = [*self._cut(room)]
        ids = tuple(id_ for entry in chosen for id_ in entry.ids)
        return (*_in_order(chosen),), ids

    def _cut(self, room: int) -> Iterator[_Entry]:
        """The beginning of the best, where there is no room for any whole sentence."""
        *_, entry = self._entries(0)
        most = room - sum(count_tokens(f"{head}\n") for head in entry.heads if head) - 2
        if most > LEAST:
            yield entry._replace(lines=(clipped(entry.lines[0], most) + " …",))

    def _entries(self, rank: int) -> Iterator[_Entry]:
        if rank not in self._ways:
            most = WHOLE if rank < FIRST else TELLING
            self._ways[rank] = [], _entries(self._hits[rank], most, self._words)
        made, more = self._ways[rank]
        yield from made
        for entry in more:
            made.append(entry)
            yield entry


def _without_turns(ids: Iterable[str]) -> Iterator[str]:
    """Yield the IDs of memories; a fact of two turns is told until both are."""
    return (id_ for id_ in ids if turn_name(id_) is None)


def _is_told(hit: Hit, told: Iterable[frozenset[str]]) -> bool:
    """Return whether nearly all words of a hit stand in one that is told already."""
    words = stem_set(hit.text)
    return any(len(words & each) >= MIN_TOLD * len(words) for each in told)


def _spread(hits: Iterable[Hit], each: float) -> list[Hit]:
    """Hits in their order, but for days and pages that have many of them."""
    seen: Counter[str] = Counter()
    worth: list[tuple[float, int, Hit]] = []
    least = 1.0
    for hit in hits:
        place = page_of(hit.id) if page_of(hit.id) != hit.id else _day(hit)
        # The order they come in says more than their scores.
        least = min(least, hit.score)
        worth.append((-least * each ** seen[place], len(worth), hit))
        seen[place] += 1
    return [hit for _, _, hit in sorted(worth, key=lambda each: each[:2])]


def _answers(hits: Sequence[Hit], words: frozenset[str]) -> Iterator[Hit]:
    """Hits with the answer in the place of a question that its user asked.

    What only asks is no evidence; nor is one told that nobody answered. But one that
    says much, as "could you book a room with a balcony at the Ritz for my sister?",
    is told with its answer, unless that has as many of the words.
    """
    found = {whole(hit.id) for hit in hits}
    for hit in hits:
        if not _merely_asks(hit):
            yield hit
            continue
        pair, asked = other_half(hit), stem_set(hit.text)
        known = stem_set(pair.text) if pair else set[str]()
        if len(asked - words) >= MUCH and len(asked & words) > len(known & words):
            yield hit
        elif pair is not None and whole(pair.id) not in found:
            question = Beside(hit.id, "pair", hit.text, hit.speaker)
            cite = citation(pair.id)[: len(hit.cite)]
            said = {"id": pair.id, "text": pair.text, "passage": pair.text}
            more = {"speaker": pair.speaker, "beside": (question,), "cite": cite}
            yield replace(hit, **said, **more)


def _merely_asks(hit: Hit) -> bool:
    """Whether it is what a user said, and nothing is stated in it."""
    name = turn_name(hit.id)
    if name is None or name.role != Role.USER:
        return False
    # Most have no mark of a question, and need not be listened to.
    passage = listen(hit.text) if "?" in hit.text or "\uff1f" in hit.text else None
    return passage is not None and 0 < passage.words == passage.asking


# --- one memory ------------------------------------------------------------------


class _Entry(NamedTuple):
    """How one memory reads, below which headings, what it tells, and what it costs."""

    heads: tuple[str, str]
    place: tuple[str, str, int]
    lines: tuple[str, ...]
    ids: tuple[str, ...]
    cost: int


def _entries(hit: Hit, most: int, words: Collection[str]) -> Iterator[_Entry]:
    """The ways in which a hit can be told, the best first."""
    pair = other_half(hit)
    sums_up = pair is not None and _sums_up(hit, pair)
    whose = "" if sums_up else _STRANGERS.get(hit.origin, "")
    day = _day(hit)
    name = turn_name(hit.id)
    number = int(name.number) if name and name.number.isdecimal() else 0
    heads, place = (whose, f"{whose}\n{day}"), (whose, f"{day} {hit.at}", number)
    past = "".join(f" (no longer: {_plain(old, TELLING)})" for old in hit.outdated[:2])
    who = _who(hit.id, hit.speaker, sums_up=sums_up)
    asked = f"{UNCONFIRMED} " if hit.unconfirmed else ""
    asked += DISPUTED if hit.disputed else ""
    asked += TO_COME.format(hit.since) if hit.since else ""
    asked += NEW_VERSION.format(hit.pending) if hit.pending else ""
    if hit.also:
        more = ", …" if len(hit.also) > DAYS else ""
        asked += f"(also {', '.join(map(str, hit.also[-DAYS:]))}{more}) "

    def line_of(text: str) -> str:
        if page_of(hit.id) != hit.id:
            # A fact goes without the name of whom its page is about.
            text = spoken(hit.title, text)
        # Of a page on which nothing holds any longer, its name is told.
        cite, said = hit.cite or citation(hit.id), _plain(text) or _plain(hit.title)
        if hit.origin in FOREIGN and not sums_up:
            said = in_quotes(said)
        newer = f" ({_plain(hit.newer)})" if hit.newer else ""
        return f"- {cite} {asked}{who}{said}{past}{newer}"

    def entry(ids: tuple[str, ...], *lines: str) -> _Entry:
        cost = sum(count_tokens(f"{line}\n") for line in lines)
        return _Entry(heads, place, lines, ids, cost)

    text = telling(hit.text, hit.passage, most, words)
    line = line_of(text)
    short = within_tokens(hit.text, SHORT)
    if pair is not None and (sums_up or short or _merely_asks(hit)):
        speaker = _who(pair.id, pair.speaker, sums_up=sums_up)
        said = _plain(pair.text, TELLING)
        if pair.origin in FOREIGN and not sums_up:
            said = f"({pair.origin}) {in_quotes(said)}"
        beside = f"  - beside it: {speaker}{said}"
        yield entry((hit.id, pair.id), line, beside)
    yield entry((hit.id,), line)
    # Where that is too long for what room is left, its most telling sentence may do.
    brief = telling(text, text, 0, words, whole=0)
    if len(brief) < len(text):
        yield entry((hit.id,), line_of(brief))


def _in_order(chosen: Iterable[_Entry]) -> Iterator[str]:
    """The lines of all, each below its headings; one's own first, the oldest first."""
    now = ("", "\n")
    for entry in sorted(chosen, key=lambda entry: entry.place):
        whose, day = entry.heads
        if whose != now[0]:
            yield whose
        if day != now[1] and (dated := day.partition("\n")[2]):
            yield dated
        now = entry.heads
        yield from entry.lines


def telling(
    text: str, passage: str, most: int, words: Collection[str], whole: int = WHOLE
) -> str:
    """A text whole, or its sentences that have most words of the question.

    Args:
        text: What a memory says.
        passage: The part of it that fits best.
        most: Tokens that the sentences of a long one may have together.
        words: The stems of the question.
        whole: Tokens up to which a text is not long.
    """
    if within_tokens(text, whole):
        return text
    parts = sentences(passage)
    # A heading or an item of a list tells little, whatever words it has.
    worth = [
        (
            len(part) >= A_SENTENCE or part[-1] in ENDS,
            len(stem_set(part).intersection(words)),
        )
        for part in parts
    ]
    first = last = worth.index(max(worth))
    kept = parts[first]
    while True:
        after = last + 1 < len(parts)
        first, last = (first, last + 1) if after else (first - 1, last)
        more = " ".join(parts[max(first, 0) : last + 1])
        if first < 0 or not within_tokens(more, most):
            return clipped(kept, SENTENCE) + " …"
        kept = more


class TurnName(NamedTuple):
    """What the id of a turn says."""

    window: str
    number: str
    role: str

    @property
    def pair(self) -> tuple[str, str]:
        """What both halves of a pair have in common."""
        return self.window, self.number


def turn_name(id_: str) -> TurnName | None:
    """What an id says, if it is that of a turn."""
    kind, _, name = id_.partition(":")
    parts = name.rsplit("/", 3)
    return TurnName(*parts[:3]) if kind == Kind.TURN and len(parts) == 4 else None


def other_half(hit: Hit) -> Beside | None:
    """The question of an answer, or the other way round."""
    return next((each for each in hit.beside if each.relation == "pair"), None)


def in_quotes(text: str) -> str:
    """A text as the words of somebody else, which no quotation mark in it ends."""
    return f"\u201c{text.translate(_PLAIN_QUOTES)}\u201d"


def words_of(origin: Origin) -> str:
    """Return an origin as a short label."""
    return "pasted text" if origin is Origin.PASTED else f"words of {origin}"


def quote_others(text: str, origin: Origin) -> str:
    """Return a text in quotation marks if its origin is not the user or the agent."""
    return in_quotes(text) if origin in FOREIGN else text


def harmless(text: str) -> str:
    """A text in which nothing is one of our marks, however it is escaped later.

    Every mark has one name, and without its colon that is none. It is looked for as
    the gate looks for it: invisible characters and foreign letters hide nothing.
    """
    if text.isascii() and "recalled" not in text.lower():
        return _spell_out(text)
    copy = fold(text)
    pieces: list[str] = []
    done = 0
    for match in _MARK_NAME.finditer(copy.text):
        start, end = copy.span(*match.span())
        pieces += (text[done:start], _NAME.replace(":", " "))
        done = end
    return _spell_out("".join((*pieces, text[done:])))


def _spell_out(text: str) -> str:
    """Return a text in which control and invisible characters are spelled out."""
    plain = _BLANKS.sub(" ", _LINE_ENDS.sub("\n", text))
    return printable(plain, lines=True, again=True)


def _letters(text: str) -> str:
    """A text without marks, in lower case."""
    return " ".join(_WORDS.findall(text.casefold()))


def _day(hit: Hit) -> str:
    return f"{hit.at:%Y-%m-%d}" if hit.at else ""


def _sums_up(hit: Hit, pair: Beside) -> bool:
    """Whether both are a context reflection: only there a program is answered."""
    names = (turn_name(hit.id), turn_name(pair.id))
    roles = {name.role for name in names if name}
    return roles == {Role.SYSTEM, Role.ASSISTANT} and hit.origin is not Origin.IMPORT


def _who(id_: str, speaker: str, *, sums_up: bool) -> str:
    name = turn_name(id_)
    role = name.role if name else ""
    if sums_up:
        return f"{YOUR_SUMMARY if role == Role.ASSISTANT else ASKED_OF_YOU}: "
    # A name says who it was, but for one that is taken for a role.
    said = _name(speaker)
    if not said or said.casefold() in {*Role, YOUR_SUMMARY, ASKED_OF_YOU}:
        said = named(speaker, role)
    return f"{said}: " if said else ""


def named(speaker: str, role: str) -> str:
    """Who speaks: by name, as whom, or both."""
    name = _name(speaker)
    return f"{name} ({role})" if name and role else name or role


def _name(speaker: str) -> str:
    """Who speaks, without a colon that would begin other words."""
    # Without invisible characters, so that no name looks like a role.
    name = one_line(speaker.replace(":", " "))
    return _plain("".join(filter(str.isprintable, name)), LONGEST_NAME)


def _plain(text: str, most: int = 0) -> str:
    """A text on one line that cannot be taken for a mark, however it is escaped."""
    line = harmless(one_line(text).replace("<!--", "<! --"))
    return clipped(line, most) if most else line


def clipped(text: str, most: int) -> str:
    """A text cut to so many tokens: behind a word, or within one that is too long."""
    # No character of such a word takes more than a token.
    return clip_to_tokens(text, most) or text[: max(0, most)].rstrip()
