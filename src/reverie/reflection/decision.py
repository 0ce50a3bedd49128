"""What the human said to a proposal, bound to the changes it showed.

An approval has to be all that is said: the whole answer must be made of words that
approve. What is left over, a question, a condition, a doubt or somebody else's words,
makes it no answer, and the human is asked again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reverie.encoding.triggers.masking import MASK, mask, plain
from reverie.errors import NotFoundError, RefusedError
from reverie.index.words import terms
from reverie.markdown import one_line
from reverie.model.reflection import Choice, Decision, OperationKind
from reverie.reflection.wording import Wording, one_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from reverie.model.reflection import Operation, PendingReflection

LONGEST = 100_000
"""Nobody decides in more characters, new texts and reasons included."""

_SHORT = 2000  # without a new text or a reason, nobody needs more


class UnknownItemError(NotFoundError):
    """A number that no change of the proposal has."""

    def __init__(self, number: int, most: int) -> None:
        has = f"its changes are 1\u2013{most}" if most else "it has no changes"
        super().__init__(
            f"there is no change {number} in this proposal: {has}",
            hint="`reverie reflect show` shows them with their numbers.",
        )


class NotAcceptedError(RefusedError):
    """A new text for a change that is not to be carried out."""

    def __init__(self, number: int) -> None:
        super().__init__(
            f"change {number} has a new text and is not accepted",
            hint="Accept it as well, or leave its text out.",
        )


def settled(
    pending: PendingReflection, decision: Decision
) -> tuple[tuple[int, Operation], ...]:
    """The operations to carry out with their numbers, in order, as they were changed.

    Raises:
        UnknownItemError: It names a change that is not there.
        NotAcceptedError: It changes what it does not accept.
    """
    most = len(pending.operations)
    chosen = () if decision.choice is Choice.REJECT else decision.accepted
    texts = dict(decision.changes)
    for number in (*chosen, *texts):
        if not 1 <= number <= most:
            raise UnknownItemError(number, most)
    for number in texts:
        if number not in chosen:
            raise NotAcceptedError(number)
    return tuple(
        (number, _with_text(pending.operations[number - 1], texts.get(number)))
        for number in sorted(set(chosen))
    )


def _with_text(operation: Operation, text: str | None) -> Operation:
    return operation if text is None else replace(operation, content=text)


def read_decision(words: str, pending: PendingReflection) -> Decision | None:
    """What the human decided, in plain words; None if it is not clear.

    Raises:
        UnknownItemError: It names a change that is not there.
    """
    if len(words) > LONGEST:
        return None
    answer = _Answer(words, mask(words, plain(words)), pending)
    readers: tuple[Callable[[_Answer], Decision | None], ...] = (
        _with_changes,
        _rejected,
        _by_number,
        _by_words,
    )
    return next((found for read in readers if (found := read(answer))), None)


@dataclass(frozen=True, slots=True)
class _Answer:
    """An answer as it was typed, as it is read, and what it is about."""

    words: str
    text: str
    pending: PendingReflection

    @property
    def all(self) -> tuple[int, ...]:
        return tuple(range(1, len(self.pending.operations) + 1))

    def but(self, left_out: Collection[int]) -> tuple[int, ...]:
        return tuple(number for number in self.all if number not in left_out)

    def known(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            if number not in range(1, len(self.all) + 1):
                raise UnknownItemError(number, len(self.all))


# --- approve with changes ------------------------------------------------------

_CHANGES = Wording(
    r"\s*(?:(?:ok|okay|yes|please)\b[\s,]*+)*+(?:approved?|accept(?:ed)?|apply)"
    r"(?:\s+(?:it|all|this|everything))?,?\s+(?:with\s+(?:(?:the|these|my|some"
    r"|following)\s+)*+changes?\s*(?::|\s-|\n)|but\s+change\s+(?=#?[0-9]))"
)
_ENTRY = re.compile(
    r"\s*(?:(?:item|number|change)\s+)?#?(?P<number>[0-9]{1,6})\s*"
    r"(?:->|:|=|\u2192|\bto\b:?)(?P<text>.*)",
    re.IGNORECASE | re.DOTALL,
)
_ORDER = re.compile(
    r"\b(?:reject|drop|skip|approve|accept|apply|leave\s+out|except)\s+(?:the\s+)?"
    r"(?:items?\s+|numbers?\s+)?(?:#?[0-9]|rest|others?|everything|all)\b",
    re.IGNORECASE,
)


def _with_changes(answer: _Answer) -> Decision | None:
    """`approve with changes: 3: new text`; more of them on lines of their own."""
    head = _CHANGES.match(answer.text)
    entries = _entries(answer.words[head.end() :]) if head else None
    if not entries or any(not text for _, text in entries):
        return None
    numbers = [number for number, _ in entries]
    if len(set(numbers)) < len(numbers):
        return None
    answer.known(numbers)
    return Decision(Choice.CHANGE, answer.all, tuple(entries))


_NO_TEXT = re.compile(
    r"(?:reject(?:ed)?|skip|drop|no|none|remove|delete|leave out|nothing)?[\s.!]*",
    re.IGNORECASE,
)
"""What is said of a change, and is no text for it."""


def _entries(text: str) -> list[tuple[int, str]] | None:
    """Numbered texts, divided by line ends or `;`; indented lines go on with one."""
    if _ORDER.search(text):
        return None
    found: list[tuple[int, list[str]]] = []
    pieces = re.split(r"([\n;])", "\n" + text)
    for mark, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        entry = _ENTRY.match(piece)
        if entry:
            found.append((int(entry["number"]), [entry["text"]]))
        elif piece.strip():
            if not found or (mark == "\n" and not piece[0].isspace()):
                return None
            found[-1][1].append(mark + (piece.strip() if mark == "\n" else piece))
    texts = [(number, "".join(parts).strip()) for number, parts in found]
    if any(_NO_TEXT.fullmatch(text) for _, text in texts):
        return None
    return texts


# --- reject --------------------------------------------------------------------

_ALL = one_of(
    "it, this, that, them, these, all, everything, it all, them all, the whole thing",
    "all of (?:it|them|this|these), (?:the|these|all|all the|all these) changes",
    "(?:the|this) (?:whole )?(?:reflection|proposal|lot|thing|list), all items",
)
_REJECT = Wording(
    r"\s*(?:(?:no|nope|sorry|ok|okay|please|well|i(?=\s+reject\b)|i'll)\b"
    r"[\s,.!]*+)*+(?:reject(?:ed)?|declined?|discard|veto)"
    rf"(?:\s+{_ALL}(?![\w-]))?(?:[.!]*\s*$|[.!,:;\n]|\s*[\u2013\u2014]|\s+--?\s"
    r"|\s+(?:because|since|as|cause)\b[\s:,]*)"
)
_REFUSALS = Wording(
    one_of(
        "no, nope, nah, no thanks, no thank you, no way, not approved, disapproved?",
        "(?:approve|accept|apply) (?:nothing|none), (?:approve|accept|apply) none of "
        f"{_ALL}, (?:don't|do not) (?:apply|accept) (?:anything|any of {_ALL})",
        f"i (?:don't|do not) approve(?: (?:of )?{_ALL})?",
    )
)
_TURNED = Wording(
    r"^\s*(?:if|unless|when|once|but|or|and|until)\b|\?\s*(?:no|yes)\b"
    r"|\b(?:approve|accept|apply|keep|take)\s+(?:all|the|every\w*|others?|it|them"
    r"|#?[0-9])|\b(?:except|all\s+but|unless|only\s+if|no\s+wait|actually,?\s+no)\b"
    r"|\bapproved?\s*[.!]*$"
)


def _rejected(answer: _Answer) -> Decision | None:
    """`reject`, with whatever is said after it as the reason."""
    if _REFUSALS.fullmatch(one_line(answer.text).rstrip(".! ")):
        return Decision(Choice.REJECT)
    head = _REJECT.match(answer.text)
    if not head or _TURNED.search(answer.text[head.end() :]):
        return None
    return Decision(Choice.REJECT, reason=one_line(answer.words[head.end() :]))


# --- approve, all or by number -------------------------------------------------

_ITEM = r"#?[0-9]{1,6}(?:(?:\s?[-\u2013]\s?|\s(?:to|through)\s)#?[0-9]{1,6})?+"
_LIST = Wording(
    rf"(?<![\w.#%-]){_ITEM}(?:(?:\s?,\s?(?:and\s)?|\sand\s|\s?[&+]\s?|\s){_ITEM})*+"
    r"(?![\w%:]|[.,-]\w)"
)
_PIECE = re.compile(r"([0-9]+)(?:\s?(?:[-\u2013]|to|through)\s?#?([0-9]+))?")
_MARKS = re.compile(r"[,.!;:()\u2013\u2014-]+(?:\s|$)|\s[\u2013\u2014-]+")
_N = "\N{SECTION SIGN}"
_ITEMS = (
    rf"(?:(?:the )?(?:items?|numbers?|nos?|changes?|operations?|ops?|points?) )?{_N}"
)
_DO = (
    "(?:i )?(?:approved?|accept(?:ed)?|apply|go ahead|go ahead and (?:approve|apply)"
    "|do it|proceed|make it so)"
)
_TAKE = (
    "(?:i )?(?:approved?|accept(?:ed)?|apply|go ahead with"
    "|partial(?:ly)? (?:approve|approved|accept|apply)|partial approval)"
)
_NOT = (
    "(?:but|except|except for|apart from|other than|besides|excluding|without|minus|not"
    "|but not|skip|but skip|leave out|but leave out|but drop|drop|but without"
    "|but reject|reject)"
)
_REST = "(?:the rest|the others|others|everything else|all others|all the rest)"
_APPROVED = Wording(rf"{_DO}(?: {_ALL})?(?: as (?:it is|is|they are|shown|proposed))?")
_COUNTED = Wording(rf"{_DO} all (?:of the |the )?{_N}(?: changes| items| of them)?")
_SOME = Wording(
    rf"(?:{_TAKE}|only|just)(?: only| just)? {_ITEMS}(?: only)?"
    rf"(?: (?:and |but )?(?:reject|skip|drop|leave out|not) (?:{_REST}|{_ITEMS}))?"
)
_ALL_BUT = Wording(
    rf"(?:{_DO}(?: {_ALL})?|all|everything) {_NOT} {_ITEMS}"
    rf"|(?:reject|skip|drop|leave out|not) {_ITEMS} (?:and |but |then )?"
    rf"(?:approve|accept|apply) (?:all )?{_REST}"
)
_NONE_BUT = Wording(
    rf"reject (?:all|everything|it all) (?:but|except|except for|apart from) {_ITEMS}"
)
_YES = frozenset(("yes", "yeah", "yep"))
_OPENING = _YES | {
    *("ok", "okay", "sure", "alright", "great", "perfect", "good", "nice", "thanks"),
    *("please", "well", "fine", "then", "lgtm"),
}
_CLOSING = {"please", "thanks", "now", "then"}
_KIND_WORDS = re.compile(r"\bthank you\b|\blooks (?:good|great|fine)\b")
_FOREIGN = (MASK, "?", '"', "..", "\u2026", _N)
_REGARDLESS = {"anyway", "regardless", "nonetheless"}


def _by_number(answer: _Answer) -> Decision | None:
    """An answer that is nothing but an approval, of everything or of some numbers."""
    if len(answer.text) > _SHORT or any(mark in answer.text for mark in _FOREIGN):
        return None
    text, lists = _listed(_this_one(one_line(answer.text), answer.pending.number))
    said = _KIND_WORDS.sub("thanks", _MARKS.sub(" ", text)).split()
    regardless = bool(said) and said[-1] in _REGARDLESS
    core, agreed = _core(said[:-1] if regardless else said)
    accepted = _accepted(core, lists, answer, agreed=agreed)
    if accepted is None:
        return None
    choice = Choice.APPROVE if accepted == answer.all else Choice.PARTIAL
    return Decision(choice, accepted, regardless=regardless)


def _this_one(text: str, number: int) -> str:
    """The reflection by its own number is "this"; another one stays unread."""
    named = rf"\b(?:reflection (?:#|number |no )?|r-)0*{number}\b(?!-)"
    return re.sub(named, "this", text)


def _listed(text: str) -> tuple[str, list[str]]:
    """The text with a sign for each list of numbers, and the lists."""
    lists: list[str] = []
    pieces: list[str] = []
    at = 0
    for found in _LIST.finditer(text):
        lists.append(found[0])
        pieces += (text[at : found.start()], f" {_N} ")
        at = found.end()
    return "".join((*pieces, text[at:])), lists


def _core(said: Sequence[str]) -> tuple[str, bool]:
    """What is said without its courtesies, and whether a yes was among them."""
    first, last = 0, len(said)
    while first < last and said[first] in _OPENING:
        first += 1
    while last > first and said[last - 1] in _CLOSING:
        last -= 1
    return " ".join(said[first:last]), not _YES.isdisjoint(said[:first])


def _accepted(
    core: str, lists: Sequence[str], answer: _Answer, *, agreed: bool
) -> tuple[int, ...] | None:
    """The numbers that an approval takes in; None if it is none."""
    if agreed and core.startswith(("but ", "to ")) and lists:
        core = f"approve {core.removeprefix('to ')}"
    if (not core and agreed) or _APPROVED.fullmatch(core):
        return answer.all
    numbers = [_numbers(each, answer) for each in lists] if _is_known(core) else []
    if not numbers or None in numbers:
        return None
    return _chosen(core, [each for each in numbers if each is not None], answer)


def _is_known(core: str) -> bool:
    known = (_COUNTED, _SOME, _ALL_BUT, _NONE_BUT)
    return any(wording.fullmatch(core) for wording in known)


def _chosen(
    core: str, numbers: Sequence[Collection[int]], answer: _Answer
) -> tuple[int, ...] | None:
    first = numbers[0]
    if _COUNTED.fullmatch(core):
        return answer.all if set(first) == {len(answer.all)} else None
    if _ALL_BUT.fullmatch(core):
        return answer.but(first) or None
    # Who takes and leaves the same number has not decided.
    if len(numbers) > 1 and not set(first).isdisjoint(numbers[1]):
        return None
    return tuple(sorted(set(first)))


def _numbers(text: str, answer: _Answer) -> set[int] | None:
    """The numbers of a list; None where a range runs backwards."""
    found: set[int] = set()
    for piece in _PIECE.finditer(text):
        first = int(piece[1])
        last = int(piece[2]) if piece[2] else first
        # Looked at before it is counted out: a range may be as long as it likes.
        answer.known((first, last))
        if last < first:
            return None
        found.update(range(first, last + 1))
    return found


# --- all but what is named -----------------------------------------------------

_EVERY = frozenset(OperationKind)
_ADDS = _EVERY - {
    *(OperationKind.ARCHIVE, OperationKind.REJECT, OperationKind.FLAG),
    OperationKind.PRUNE,
}
_TAKES = frozenset((OperationKind.ARCHIVE, OperationKind.CORE, OperationKind.REJECT))
_VERBS = {
    **dict.fromkeys(("archive", "hide", "forget"), frozenset((OperationKind.ARCHIVE,))),
    **dict.fromkeys(("connect", "link"), frozenset((OperationKind.CONNECT,))),
    "flag": frozenset((OperationKind.FLAG,)),
    "commit": frozenset((OperationKind.COMMIT,)),
    **dict.fromkeys(("add", "note", "record", "save", "store", "extract"), _ADDS),
    **dict.fromkeys(("remove", "delete", "drop"), _TAKES),
    "do": _EVERY,
}
_LEAVE = Wording(
    r"\s*(?:(?:ok|okay|yes|please|but|approved?(?:\s+(?:it|all|everything))?"
    r"(?:\s+with\s+changes)?)\b[\s,.:;]*+)*+(?:don't|do\s+not)\s+"
    rf"(?P<verb>{'|'.join(_VERBS)})\s+(?P<what>[^,.;:!?\n\u2013\u2014]+)"
)
_EXCEPT = Wording(
    r"\s*(?:(?:ok|okay|yes|please)\b[\s,.]*+)*+(?:approved?|accept|apply)\s+"
    r"(?:all|everything)(?:\s+of\s+it)?,?\s+(?:but|except(?:\s+for)?|apart\s+from"
    r"|other\s+than)\s+(?P<what>[^,.;:!?\n\u2013\u2014]+)"
)
_UNSURE = Wording(
    r"\?|\b(?:if|unless|until|once|wait|later|maybe|perhaps|sure|unsure|undecided"
    r"|decided?|haven't|reject\w*|rest|others?|else|but|also|or|first|question"
    r"|what|why|how|approv\w+|accept\w*|apply|applied|don't|nor|neither|either)\b"
)
_BECAUSE = Wording(r"\s(?:because|since|as\s+i|cause)\s")
_ASIDE = Wording(r"\s*(?:,|\s)\s*(?:yet|please|for now|just yet|at all|one)\s*$")
_ANY = Wording(r"(?:anything|any of (?:it|them|these|this))")
_BY_NUMBER = Wording(r"(?:item |number |change )?#?([0-9]{1,6})")


def _by_words(answer: _Answer) -> Decision | None:
    """`don't archive the CSS bug, I might need it`: all but the change it names."""
    found = _LEAVE.match(answer.text)
    kinds = _VERBS[found["verb"]] if found else _EVERY
    choice = Choice.CHANGE if found else Choice.PARTIAL
    found = found or _EXCEPT.match(answer.text)
    if not found or len(answer.text) > _SHORT:
        return None
    because = _BECAUSE.search(answer.text, found.start("what"), found.end())
    end = because.start() if because else found.end()
    rest = because.end() if because else found.end()
    said = answer.text[found.start("what") :]
    named = _named(answer.words[found.start("what") : end], kinds, answer)
    if not named or _UNSURE.search(said) or not answer.but(named):
        return None
    reason = one_line(answer.words[rest:].strip(" ,.;:!\n\t\u2013\u2014-"))
    return Decision(choice, answer.but(named), reason=reason)


def _named(
    what: str, kinds: Collection[OperationKind], answer: _Answer
) -> tuple[int, ...]:
    """The numbers of the changes that are meant; empty unless that is clear."""
    low = one_line(plain(what))
    aside = _ASIDE.search(low)
    low = low[: aside.start()] if aside else low
    of_kind = {
        number: operation
        for number, operation in enumerate(answer.pending.operations, 1)
        if operation.kind in kinds
    }
    by_number = _BY_NUMBER.fullmatch(low)
    if by_number:
        answer.known((int(by_number[1]),))
        return (int(by_number[1]),) if int(by_number[1]) in of_kind else ()
    if _ANY.fullmatch(low):
        return tuple(of_kind) if kinds != _EVERY else ()
    return _matching(set(terms(low)), of_kind)


def _matching(wanted: set[str], among: dict[int, Operation]) -> tuple[int, ...]:
    """The one change whose text has all the words; its reason only if no text has."""
    if not wanted:
        return ()
    for text_of in (_own_text, _text_and_reason):
        found = [n for n, each in among.items() if wanted <= set(terms(text_of(each)))]
        if found:
            return (found[0],) if len(found) == 1 else ()
    return ()


def _own_text(operation: Operation) -> str:
    return f"{operation.target} {operation.content}"


def _text_and_reason(operation: Operation) -> str:
    return f"{_own_text(operation)} {operation.reason}"
