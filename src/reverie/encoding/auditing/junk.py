"""Entries that tell nothing: noise of programs, manners, and what was true a moment."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from reverie.encoding.auditing.sheets import case_of
from reverie.encoding.gate.echoes import BootText
from reverie.model.audit import Judgement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reverie.encoding.auditing.sheets import Case, Holdings

FEW = 16
"""Words; what has more says something besides."""

_LOOKED_AT = 4_000
"""Characters of an entry that are enough to know it."""

_EDGES = " \t\n*_`~>#\"'.,;:!…()[]-–—✅☑✔👍🙏"  # noqa: RUF001 - the marks are meant


class Said(NamedTuple):
    """An entry in the forms in which it is looked at.

    Attributes:
        text: As it is written.
        plain: In small letters on one line, without marks around it.
        few: Whether it has only a few words.
    """

    text: str
    plain: str
    few: bool


class Kind(NamedTuple):
    """A kind of junk: how it is known, and what it is called."""

    known: Callable[[Said], bool]
    why: str
    mend: str = "Delete it."


def said(text: str) -> Said:
    """An entry, ready to be looked at."""
    text = text[:_LOOKED_AT]
    words = text.lower().replace("\u2019", "'").split()
    return Said(text, " ".join(words).strip(_EDGES), len(words) <= FEW)


def judge_junk(holdings: Holdings) -> Iterator[Case]:
    """Every entry that the store would be better without."""
    texts = {sheet.path: sheet.text for sheet in holdings.sheets if sheet.boot}
    boot = BootText(texts) if texts else None
    for held in holdings.memories:
        if held.sheet.boot or held.leads:
            continue
        kind = junk_kind(held.text) or _restated(held.text, boot)
        if kind:
            yield case_of(Judgement.JUNK, held, kind.why, kind.mend)


def junk_kind(text: str) -> Kind | None:
    """What kind of junk an entry is, if it is any."""
    entry = said(text)
    return next((kind for kind in KINDS if kind.known(entry)), None)


def _restated(text: str, boot: BootText | None) -> Kind | None:
    name = boot.restated(text[:_LOOKED_AT]) if boot else ""
    why = f"only repeats {name}, which the agent reads anyway"
    return Kind(bool, why) if name else None


# --- nothing said ------------------------------------------------------------

_WORD = re.compile(r"\w")
_HOLDERS = frozenset(
    (
        *("n/a", "na", "none", "tbd", "tba", "todo", "null", "nil", "undefined"),
        *("placeholder", "empty", "test", "testing", "foo", "asdf", "lorem ipsum"),
        *("nothing", "nothing yet", "none yet", "no entries", "no entries yet"),
    )
)
_MANNERS = frozenset(
    (
        *("ok", "okay", "k", "yes", "no", "yep", "yeah", "sure", "done", "all done"),
        *("got it", "noted", "understood", "will do", "sounds good", "great"),
        *("perfect", "thanks", "thank you", "you're welcome", "acknowledged"),
        *("task completed", "task complete", "completed", "success", "all good"),
        *("hi", "hello", "hey", "bye", "goodbye", "good morning", "good night"),
        *("ok thanks", "okay thanks", "ok, thanks", "great, thanks", "no problem"),
        *("ok done", "ok, done", "done, thanks", "sure thing", "roger", "ack"),
    )
)
_BREAKS = re.compile(r"[\s,;|()\[\]]+")
_STAMP = re.compile(
    r"(?:\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.]\d{2,4})?"
    r"t?(?:\d\d?:\d\d(?::\d\d)?(?:\.\d+)?)?(?:z|[+-]\d\d:?\d\d)?:?"
    r"|[ap]\.?m\.?|utc|gmt|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}|\d{10}|\d{13}"
    r"|(?:timestamp|date|time|created|updated|at|on):?|[-\u2013\u2014]"
)


def _empty(entry: Said) -> bool:
    return not _WORD.search(entry.text) and not _pictures(entry.text)


def _pictures(text: str) -> bool:
    """Whether there is more than manners in the signs of a text without words."""
    return len(text.strip(_EDGES)) > 2


def _stamp(entry: Said) -> bool:
    words = _BREAKS.split(entry.plain)
    timed = any(map(str.isdigit, entry.plain))
    return timed and entry.few and all(map(_STAMP.fullmatch, words))


# --- noise of programs -------------------------------------------------------

_HEARTBEAT = re.compile(
    r"(?:\[?(?:cron|heartbeat|system)\]?\W{0,3})?"
    r"(?:heartbeat[_ ]ok|no_reply"
    r"|heartbeat(?: check| poll)?(?:\W{0,3}(?:received|acknowledged|passed|done))?"
    r"|(?:heartbeat|cron(?: job| task)?|scheduled (?:job|task|check))\W{0,3}"
    r"(?:ran|completed|finished|triggered|fired|ok|started|executed|succeeded)\b.*"
    r"|no reply needed|ping|pong)"
)
_NOTHING_NEW = re.compile(
    r"(?:(?:there (?:is|are|was|were)|i (?:have|found|see)) )?(?:"
    r"no (?:new|significant|notable|relevant|noteworthy|durable|memorable) "
    r"(?:information|memor(?:y|ies)|facts?|updates?|insights?|learnings?|events?"
    r"|activity|data|details?|entries|changes?)"
    r"|nothing (?:(?:new|notable|significant|noteworthy|important|relevant) )?"
    r"(?:to (?:report|remember|store|save|record|add|note|log|extract)"
    r"|happened|of note)"
    r"|no (?:updates?|changes?|activity|entries) (?:today|to report|this session|yet"
    r"|since (?:the )?(?:last|yesterday)))\b"
    r"(?! (?:without|unless|until|before|may)\b).*"
)
_MODEL = re.compile(
    r"(?:(?:assistant|ai|model|answer)\W{1,4})?"
    r"(?:i'm sorry,? but |i apologi[sz]e,? but )?"
    r"(?:as an? (?:ai|artificial intelligence|large language)(?:[ -]\w+){0,3}[,.]? "
    r"i (?:do|am|can|don|cannot|have|was|will)"
    r"|i(?:'m| am) (?:just |only )?an? (?:ai|large) (?:language )?(?:model|assistant)\b"
    r"|i(?:'m| am) sorry,? but i (?:can't|cannot|am unable)"
    r"|i (?:can't|cannot) (?:assist|help) with (?:that|this)"
    r"|(?:is there )?anything else (?:i can|you(?:'d| would)) "
    r"|how (?:can|may) i (?:assist|help) you\b|i(?:'d| would) be happy to help"
    r"|i hope this helps|let me know if you(?:'d| would| have| need)"
    r"|feel free to ask)"
)
_MOMENT = re.compile(
    r"(?:i(?:'m| am) )?(?:(?:currently|now|still|just) )?"
    r"(?:running|executing|re-?running|waiting (?:for|on)|installing|building"
    r"|compiling|fetching|loading|processing|starting|checking|reading|searching) "
    r"(?:through )?(?:(?:the|all|your|my|this|a|npm|pip|unit|integration|full) ){0,3}"
    r"(?:tests?|test suite|builds?|commands?|scripts?|suite|output|results?|jobs?"
    r"|files?|dependencies|packages?|linter|server|logs?|codebase|repo(?:sitory)?|response"
    r"|user(?:'s)? (?:input|reply|response|confirmation))\b.*"
    r"|(?:i(?:'ll| will) now|will now|now i(?:'ll| will)|next,? i(?:'ll| will)) "
    r"(?!and\b)\w+.*"
    r"|(?:now )?(?:ok(?:ay)?,? )?let me "
    r"(?:check|look|search|read|run|see|try|start|think|find|fix|open|update|verify)"
    r"\b.*"
    r"|i(?:'m| am) (?:going|about) to (?:run|check|look|search|read|open|start|fix)\b.*"
)

_LOG_LINE = re.compile(
    r"\s*(?:"
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?[^\s\]]*\]?\s+[\[(<]?"
    r"(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)\b"
    r"|\[(?:trace|debug|info|notice|warn|warning|error|critical|fatal)\]"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ \S+:"
    r"|Traceback \(most recent call last\):|File \"[^\"\n]{1,300}\", line \d+"
    r"|at [\w$.<>\[\] ]{1,200}\([^()\n]{1,300}:\d+\)\s*$|at (?:file:/)?/\S+:\d+:\d+\s*$"
    r"|(?:npm|pnpm|yarn) (?:ERR!|WARN|error)|goroutine \d+ \[|panic: "
    r"|(?:Exit|exit|Return|return) code:? -?\d+\s*$|Process exited with"
    r"|={3,} .{0,120} (?:passed|failed|error)|\d+ (?:passed|failed)\b.{0,60} in [\d.]+s"
    r"|\+{3} [ab]/|-{3} [ab]/|@@ -\d+|diff --git |index [0-9a-f]{7,}\.\."
    r"|</?(?:tool_result|function_results?|tool_use|stdout|stderr)\b"
    r"|[A-Za-z_.]{1,80}(?:Error|Exception): "
    r")",
)
_DATA = re.compile(r"\s*(?:\{\s*\"[^\"\n]{1,80}\"\s*:|\[\s*[\[{])")
_ENCODED = re.compile(
    r"(?:^|[\s,:;`\"'(])((?:data:[\w/+.-]{3,40};base64,)?[\w+/=-]{100,})"
)
_WRAPPED = re.compile(r"[A-Za-z0-9+/]{56,}={0,2}")


def _output(entry: Said) -> bool:
    """Whether at least half of the lines are what programs print."""
    lines = [
        line
        for line in entry.text.split("\n")
        if line.strip() and not line.lstrip().startswith(("```", "~~~"))
    ]
    noisy = sum(1 for line in lines if _LOG_LINE.match(line))
    alone = noisy == 1 and re.match(r"\s*[A-Za-z_.]+(?:Error|Exception): ", entry.text)
    return noisy > 0 and noisy * 2 >= len(lines) and not (alone and len(lines) == 1)


def _data(entry: Said) -> bool:
    # In a fence it may illustrate what stands beside it.
    return bool(_DATA.match(entry.text)) and entry.text.rstrip()[-1:] in "}]"


def _encoded(entry: Said) -> bool:
    runs = (found[1] for found in _ENCODED.finditer(entry.text))
    if any(run.startswith("data:") or _random(run) for run in runs):
        return True
    lines = entry.text.split()
    return len(lines) > 1 and all(map(_WRAPPED.fullmatch, lines[:-1]))


def _random(run: str) -> bool:
    """Whether a long run has no words in it: capitals and digits all over."""
    changes = sum(a.islower() != b.islower() for a, b in pairwise(run))
    return changes * 4 >= len(run) and any(map(str.isdigit, run))


# --- all of them -------------------------------------------------------------

KINDS = (
    Kind(_empty, "an entry without words"),
    Kind(lambda e: e.plain in _HOLDERS, "a placeholder that nobody filled in"),
    Kind(lambda e: e.plain in _MANNERS, "an acknowledgement, not a memory"),
    Kind(_stamp, "a date or time and nothing else"),
    Kind(
        lambda e: e.few and bool(_HEARTBEAT.fullmatch(e.plain)),
        "noise of a heartbeat or a scheduled job",
        "Delete it, and keep scheduled runs from writing memory.",
    ),
    Kind(
        lambda e: e.few and bool(_NOTHING_NEW.fullmatch(e.plain)),
        "an entry saying that there was nothing to say",
    ),
    Kind(
        lambda e: bool(_MODEL.match(e.plain)),
        "a model's stock phrase, not a memory",
    ),
    Kind(
        _output,
        "output of a program: a log, a trace or a diff",
        "Delete it, or write down in a sentence what was learned from it.",
    ),
    Kind(_data, "raw data of a tool", "Delete it, or say in words what matters of it."),
    Kind(
        _encoded,
        "encoded data nobody can read",
        "Keep the file elsewhere, delete this.",
    ),
    Kind(
        lambda e: e.few and bool(_MOMENT.fullmatch(e.plain)),
        "what was going on for a moment, and is over",
    ),
)
"""Kinds of junk, the surest first."""
