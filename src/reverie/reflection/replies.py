"""The commands with which a person answers a reflection, and what they mean.

    check-in        yes, no, later, 4h
    token request   grant, grant 8000, bonus 12000, less 5000, no penalty, worse 5000,
                    decline
    proposal        approve, approve 1,3, approve 1-4, approve all but 3,
                    approve 2 as "…", approve 1, reject 2, reject, reject 2,
                    reject 2: why, later

A change that is not named in an `approve` stays open and is proposed again; only
`reject` refuses it for good.

A reason may follow a colon. The phrases of reflection v2 are understood as well, and
yes, no and later in seven languages. Nothing else is guessed: whoever hears a person
say it in other words, an agent or a model, says it in these, and what was understood
is told back. What is not understood changes nothing.
"""

from __future__ import annotations

import re
from datetime import timedelta
from enum import StrEnum
from itertools import groupby
from typing import TYPE_CHECKING

from msgspec import Struct

from reverie.errors import RefusedError
from reverie.markdown import headline, one_line
from reverie.model.reflection import Choice, Decision, Grant, Outcome, UnknownItemError
from reverie.reflection.token_request import FEWEST, MOST, GrantSizeError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from reverie.model.reflection import TokenRequest

LONGEST = 100_000
"""Nobody answers in more characters, new texts and reasons included."""

CHECK_IN = "yes, no, later, or a time such as 4h"
TOKENS = (
    "grant, grant 8000, bonus 12000, less 5000: why, no penalty, worse 5000: why, "
    "or decline"
)
PROPOSAL = (
    'approve, approve 1,3, approve all but 3, approve 2 as "the new text", approve 1, '
    "reject 2, reject, reject 2: why, or later"
)


class UnclearReplyError(RefusedError):
    """What was answered is none of the commands; nothing was changed."""

    def __init__(self, words: str, grammar: str) -> None:
        super().__init__(
            f"“{headline(one_line(words))}” is not understood; nothing was changed",
            hint=f"Say {grammar}.",
        )


# --- yes, no and later ---------------------------------------------------------


class Assent(StrEnum):
    """What an answer to a yes-or-no question means."""

    YES = "yes"
    LATER = "later"
    NO = "no"


_WORDS = {
    Assent.YES: "yes|y|ok|now|go ahead|yes, go ahead|good to go|ja|jetzt|sí|si|ahora"
    "|oui|maintenant|sim|agora|是|好|好的|现在|はい|今",
    Assent.LATER: "later|catch me later|not now|wait|usual time|wait for our usual time"
    "|später|nicht jetzt|más tarde|luego|ahora no"
    "|plus tard|pas maintenant|mais tarde|depois|agora não|以后|稍后|晚点|後で|あとで",
    Assent.NO: "no|n|not today|nein|non|não|不|不要|いいえ",
}
_MEANT = {word: reply for reply, all_ in _WORDS.items() for word in all_.split("|")}
_UNDERSTOOD = dict(
    zip(Assent, ("reflect now", "ask again later", "not this time"), strict=True)
)
_WAIT = re.compile(r"(?:later |in )?([0-9]{1,3}) ?(m|min|h|d)")
_MINUTES = {"m": 1, "min": 1, "h": 60, "d": 24 * 60}


class CheckedIn(Struct, frozen=True):
    """Whether to begin, how long to wait where that was said, and that in words."""

    reply: Assent
    understood: str
    wait: timedelta | None = None


def read_check_in(words: str) -> CheckedIn:
    """Read the answer to a check-in; what is none is refused."""
    said = _plain(words)
    if (waits := _WAIT.fullmatch(said)) and int(waits[1]):
        wait = timedelta(minutes=int(waits[1]) * _MINUTES[waits[2]])
        told = f"ask again in {waits[1]} {'min' if waits[2] == 'm' else waits[2]}"
        return CheckedIn(Assent.LATER, told, wait)
    if said not in _MEANT:
        raise UnclearReplyError(words, CHECK_IN)
    return CheckedIn(_MEANT[said], _UNDERSTOOD[_MEANT[said]])


def is_later(words: str) -> bool:
    """Whether a decision is put off."""
    return _MEANT.get(_plain(words)) is Assent.LATER


def _plain(words: str) -> str:
    return _straight(words).casefold().strip(" .!。\uff01")


def _straight(words: str) -> str:
    short = words if len(words) <= LONGEST else ""
    return one_line(short).replace("\u2019", "'").strip()


# --- tokens --------------------------------------------------------------------


class Declined(Struct, frozen=True):
    """No tokens, and no reflection now; the reason in the human's words."""

    reason: str = ""


_N = (
    r"(?P<n>[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,9}(?:\.[0-9]{1,3})?) ?(?P<k>k?)"
    r"(?: tokens)?"
)
_WHY = r"(?: ?: ?(?P<why>.*))?"
_ANSWERS = {
    rf"(?:grant|proceed|approve){_WHY}": None,
    rf"(?:grant |proceed with |approve )?{_N}{_WHY}": None,
    rf"take {_N}(?:[:,] ?(?P<why>.*))?": None,
    rf"{_N} only(?:[:,.] ?(?P<why>.*))?": None,
    rf"bonus {_N}{_WHY}": Outcome.BONUS,
    rf"less {_N}{_WHY}": Outcome.REDUCED,
    rf"worse {_N}{_WHY}": Outcome.PENALTY_INCREASED,
    rf"actually, (?P<why>.+) was worse\.? {_N} only": Outcome.PENALTY_INCREASED,
    rf"no penalty{_WHY}": Outcome.PENALTY_REJECTED,
    r"don't penali[sz]e yourself(?P<base>, take (?:the )?full baseline)?(?P<why>)": (
        Outcome.PENALTY_REJECTED
    ),
}

_DECLINE = re.compile(r"(?:decline|no|later)(?: ?[:,] ?(?P<why>.*))?", re.IGNORECASE)


def read_grant(words: str, request: TokenRequest) -> Grant | Declined:
    """Read the answer to a token request.

    Raises:
        UnclearReplyError: It is none, or gives more where it says less.
        GrantSizeError: The number is none that a reflection can be given.
    """
    said = _straight(words).rstrip(" .!")
    meant = _MEANT.get(_plain(words))
    declined = _DECLINE.fullmatch(said)
    if declined or meant in {Assent.NO, Assent.LATER}:
        return Declined((declined["why"] or "") if declined else "")
    for pattern, outcome in _ANSWERS.items():
        found = re.fullmatch(pattern, "grant" if meant else said, re.IGNORECASE)
        if found and (given := _given(found.groupdict(), outcome, request)):
            return given
    raise UnclearReplyError(words, TOKENS)


def _given(
    found: dict[str, str | None], outcome: Outcome | None, request: TokenRequest
) -> Grant | None:
    """What an answer gives; None where it is not what it says it is."""
    number, waived = found.get("n"), outcome is Outcome.PENALTY_REJECTED
    tokens = request.final
    if number:
        tokens = round(float(number.replace(",", "")) * (1000 if found["k"] else 1))
    elif waived:
        extra = 0 if found.get("base") else request.extra_tokens
        tokens = request.baseline + extra
    if not FEWEST <= tokens <= MOST:
        raise GrantSizeError(tokens)
    more = Outcome.BONUS if tokens > request.final else Outcome.REDUCED
    plain = Outcome.APPROVED if tokens == request.final else more
    if outcome is None or (waived and not request.penalty_tokens):
        outcome = plain
    worse = outcome is Outcome.PENALTY_INCREASED and plain is Outcome.REDUCED
    if not (waived or worse or outcome is plain):
        return None
    return Grant(tokens, outcome, (found["why"] or "").strip())


def understood_grant(found: Grant | Declined) -> str:
    """What was understood, to be told back."""
    why = f" (“{found.reason}”)" if found.reason else ""
    if isinstance(found, Declined):
        return f"give no tokens, and do not reflect now{why}"
    return f"give {found.tokens:,} tokens: {found.outcome}{why}"


# --- the proposal --------------------------------------------------------------

_FLAGS = re.IGNORECASE | re.DOTALL
_AS = re.compile(r"\bas\b|:", re.IGNORECASE)
_REJECT = re.compile(r"reject(?:\s+([^:]+?))?\s*(?::\s*(.*))?", _FLAGS)
_APPROVE = re.compile(
    r"(?:approved?|partial(?:ly)?\s+approved?(?=\s+\S))\b(.*)", _FLAGS
)
_COLON = re.compile(r"(partial(?:ly)?\s+approved?)\s*:", _FLAGS)
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”")
_UNQUOTED_TEXT = re.compile(r"\bas\s+[^\"\s]", _FLAGS)
_SOME = "[#0-9][#0-9\\s,\u2013adnot-]*"
_REST = re.compile(
    rf"(?:[,;]\s*|\s)(?:and\s+)?(?:reject\s+(?P<no>{_SOME})(?:\Z|:(?P<why>.*)\Z)"
    rf"|leave\s+(?P<open>{_SOME}?)out\Z)",
    _FLAGS,
)
"""The last part of an approval, which rejects changes or leaves them out."""
_CHANGED = re.compile(r"with changes\s*:\s*(.*)", _FLAGS)
_ENTRY = re.compile(r"#?([0-9]{1,6})\s*(?::|\bas\b)\s*(\S.*)", _FLAGS)
_ENTRIES = re.compile(r"\n|;(?=\s*#?[0-9]{1,6}\s*:)")
_VERDICT = re.compile(r"(?:approve|reject|skip|drop|keep|later|yes|no|none)\W*", _FLAGS)
_ALL_BUT = re.compile(r"(?:all|everything)\s+(?:but|except)\s+(.*)", _FLAGS)
_ITEM = re.compile(
    r"(?:(?P<all>all|everything)\b|#?(?P<first>[0-9]{1,6})"
    r"(?:(?:\s*[-\u2013]\s*|\s+to\s+)#?(?P<last>[0-9]{1,6}))?)(?P<as>\s+as\s+(?:\"(?P<a>[^\"]+)\"|“(?P<b>[^”]+)”"
    r"|(?P<c>[^\"“\s].*)$))?(?:\s*(?:,|\band\b|\s)\s*|$)",
    _FLAGS,
)

Chosen = tuple[tuple[int, ...], dict[int, str]]  # numbers, and new texts of some


def read_decision(words: str, most: int) -> Decision | None:
    """Read what is to become of a proposal of `most` changes; None for later.

    Raises:
        UnclearReplyError: It is no answer.
        UnknownItemError: It names a change that is not there.
    """
    # What is quoted or told as a reason stays as it was typed.
    said = words.strip() if _AS.search(words) else words.strip(" .!\n")
    if len(said) > LONGEST:
        raise UnclearReplyError(said, PROPOSAL)
    everything = tuple(range(1, most + 1))
    meant = _MEANT.get(_plain(said))
    if meant is Assent.LATER:
        return None
    rejected = _REJECT.fullmatch("reject" if meant is Assent.NO else said)
    if rejected:
        named = read_numbers(rejected[1], most) if rejected[1] else ()
        kept = tuple(n for n in everything if n not in (named or everything))
        choice = Choice.PARTIAL if kept else Choice.REJECT
        why = one_line(rejected[2] or "")
        return Decision(choice, kept, reason=why, rejected=named)
    said = _COLON.sub(r"\1 ", said, count=1)
    said, refused, left_out, why = _split_rest(said, most)
    approved = _APPROVE.fullmatch("approve" if meant is Assent.YES else said)
    if not approved:
        raise UnclearReplyError(said, PROPOSAL)
    named, texts = _accepted(approved[1].strip(), most, said)
    accepted = tuple(n for n in named if n not in {*refused, *left_out})
    if (most and not accepted) or not texts.keys() <= set(accepted):
        raise UnclearReplyError(said, PROPOSAL)
    choice = Choice.APPROVE if accepted == everything else Choice.PARTIAL
    choice = Choice.CHANGE if texts else choice
    changes = tuple(sorted(texts.items()))
    return Decision(choice, accepted, changes, reason=why, rejected=refused)


def _split_rest(
    said: str, most: int
) -> tuple[str, tuple[int, ...], tuple[int, ...], str]:
    """Split an approval from the changes that it rejects or leaves out.

    Returns:
        The approval alone, the rejected numbers, those left out, and the reason.
    """
    refused, left_out, why = tuple[int, ...](), tuple[int, ...](), ""
    while rest := _last_rest(said):
        said, found = rest[0].rstrip(), rest[1]
        if found["no"]:
            refused += read_numbers(found["no"], most)
            why = why or one_line(found["why"] or "")
        else:
            left_out += read_numbers(found["open"], most)
    return said, tuple(sorted({*refused})), left_out, why


def _last_rest(said: str) -> tuple[str, re.Match[str]] | None:
    """Return an approval without its last part that rejects or leaves out changes.

    Quoted texts, and texts behind an unquoted `as` or a colon, are never read.
    """
    for found in _REST.finditer(said):
        head = said[: found.start()]
        whole = head.count('"') % 2 == 0 and head.count("“") == head.count("”")
        plain = _QUOTED.sub('"', head)
        if whole and ":" not in plain and not _UNQUOTED_TEXT.search(plain):
            return head, found
    return None


def read_numbers(text: str, most: int) -> tuple[int, ...]:
    """The numbers of some changes, such as `1,3-5`; anything else is refused."""
    numbers, texts = _items(text.strip(), most, text)
    if texts:
        raise UnclearReplyError(text, PROPOSAL)
    return numbers


def _accepted(rest: str, most: int, said: str) -> Chosen:
    everything = tuple(range(1, most + 1))
    if changed := _CHANGED.fullmatch(rest):
        return everything, _entries(changed[1], most, said)
    if all_but := _ALL_BUT.fullmatch(rest):
        left_out = read_numbers(all_but[1], most)
        return tuple(n for n in everything if n not in left_out), {}
    return _items(rest, most, said) if rest else (everything, {})


def _items(text: str, most: int, said: str) -> Chosen:
    """Numbers, ranges, and numbers with a new text, one behind the other."""
    numbers: set[int] = set()
    texts: dict[int, str] = {}
    at = 0
    while found := _ITEM.match(text, at):
        at = found.end()
        first = 1 if found["all"] else int(found["first"])
        last = most if found["all"] else int(found["last"] or first)
        _require(() if found["all"] else (first, last), most)
        if last < first <= most or (found["as"] and (last > first or first in texts)):
            break
        numbers.update(range(first, last + 1))
        if found["as"]:
            texts[first] = (found["a"] or found["b"] or found["c"]).strip()
        if at == len(text):
            return tuple(sorted(numbers)), texts
    raise UnclearReplyError(said, PROPOSAL)


def _entries(text: str, most: int, said: str) -> dict[int, str]:
    """`2: the new text`, each on a line of its own."""
    lines = [line.strip() for line in _ENTRIES.split(text) if line.strip()]
    found = [entry for line in lines if (entry := _ENTRY.fullmatch(line))]
    texts = {int(e[1]): re.sub(r'^"([^"]*)"$', r"\1", e[2]) for e in found}
    verdicts = any(map(_VERDICT.fullmatch, texts.values()))
    if not texts or verdicts or len(texts) < len(lines):
        raise UnclearReplyError(said, PROPOSAL)
    _require(texts, most)
    return texts


def _require(numbers: Iterable[int], most: int) -> None:
    for number in numbers:
        if not 1 <= number <= most:
            raise UnknownItemError(number, most)


def understood_decision(
    decision: Decision, most: int, merges: Collection[int] = ()
) -> str:
    """What was understood, such as `approve 1 and 3, leave 2 out`, to be told back.

    Args:
        decision: The decision.
        most: How many changes are proposed.
        merges: Numbers of the changes that merge pages. To reject one is to say that
            its pages are not the same.
    """
    apart = sorted({*merges} & {*decision.rejected})
    why = f" (“{headline(decision.reason)}”)" if decision.reason else ""
    rejects = decision.choice is Choice.REJECT
    everything = {0: "it", 1: "it", 2: "both changes"}.get(most, f"all {most} changes")
    if decision.choice is Choice.LATER:
        return "decide later"
    if rejects or not most:
        told = f"{'reject' if rejects else 'approve'} {everything}"
        told += f" (noted as not the same: {_and(_runs(apart))})" if apart else ""
        return f"{told}{why}"
    texts = {n: f"{n} as “{headline(text)}”" for n, text in decision.changes}
    numbers = range(1, most + 1)
    refused = _runs([n for n in numbers if n in decision.rejected])
    known = {*decision.accepted, *decision.rejected}
    out = _runs([n for n in numbers if n not in known])
    chosen = _runs(decision.accepted, texts)
    if not out and not refused and most > 1:
        chosen = [", ".join((everything, *texts.values()))]
    told = f"approve {_and(chosen)}"
    told += f", reject {_and(refused)}" if refused else ""
    told += f" (noted as not the same: {_and(_runs(apart))})" if apart else ""
    told += f", leave {_and(out)} out" if out else ""
    told += ", whatever gets lost by it" if decision.regardless else ""
    return f"{told}{why}"


_RUN = 4
"""So many numbers in a row are told by their first and last."""


def _runs(numbers: Iterable[int], texts: Mapping[int, str] | None = None) -> list[str]:
    """Numbers as they are told, some of them with their texts."""
    texts, told = texts or {}, list[str]()
    rows = groupby(
        enumerate(numbers), lambda pair: (pair[1] - pair[0], texts.get(pair[1]))
    )
    for _, row in rows:
        run = [number for _, number in row]
        long = f"{run[0]} to {run[-1]}"
        told += [long] if len(run) >= _RUN else [texts.get(n, str(n)) for n in run]
    return told


def _and(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
