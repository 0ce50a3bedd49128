"""The file `memory/meta/decay-scores.json` (design, section 9.3).

It is a snapshot: what is stored per memory are the facts, and the score, weight and
status beside them are computed anew whenever it is written. What other parts or
people keep in the same file is carried along untouched.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from operator import itemgetter
from typing import TYPE_CHECKING

from reverie.decay import Status, Trace, relevance, status, type_weight
from reverie.errors import FormatError
from reverie.model.ids import Store
from reverie.model.items import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from reverie.config import DecayConfig

VERSION = 1

FORGOTTEN = "_archived"
"""The status of what its human asked to forget (design, section 8.3)."""

RESURRECTED = "resurrected"
"""The key below which it stands how often context reflections came back."""

_OWN_KEYS = frozenset(("version", "last_updated", "entries"))
_ENTRY_KEYS = frozenset(
    (
        *("store", "base_relevance", "created", "last_accessed", "access_count"),
        *("type_weight", "current_score", "status", "pinned"),
    )
)
_EARLIEST, _LATEST = 1970, 2200  # years; outside, somebody wrote another unit
_MOST_ACCESSES = 10**12
_MOST_DIGITS = 4000
_MOST_NESTING = 50
_MOST_FINDINGS = 100
_MEND_FILE = "`reverie undo --file` brings the last good one back from history."
_MEND_ENTRY = "Mend or delete the entry; until then the memory counts as new."


@dataclass(frozen=True, slots=True)
class ScoreFile:
    """What the file says.

    Attributes:
        entries: The trace of each memory, by id.
        other: Top-level keys that are not decay's, such as `last_reflection`.
        entry_other: Keys of entries that are not decay's, by id.
        findings: What is wrong in the text it was read from.
        damaged: Whether the text was no score file at all. Then `entries` is empty
            for that reason alone, and must not be written over the file.
    """

    entries: Mapping[str, Trace] = field(default_factory=dict)
    other: Mapping[str, object] = field(default_factory=dict)
    entry_other: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    damaged: bool = False


class _DamagedError(FormatError):
    """The text as a whole is no score file."""


class _EntryError(ValueError):
    """One field of an entry is not what it should be."""

    def __init__(self, key: str, problem: str) -> None:
        super().__init__(f"{key} {problem}")
        self.key = key


def parse_scores(text: str, path: str) -> ScoreFile:
    """Read the file. What cannot be read is a finding and hides nothing else."""
    try:
        content, entries = _read_json(text, path)
    except _DamagedError as error:
        found = Finding(path, error.line, error.problem, _MEND_FILE)
        return ScoreFile(findings=(found,), damaged=True)
    traces: dict[str, Trace] = {}
    entry_other: dict[str, Mapping[str, object]] = {}
    problems: list[tuple[str, _EntryError]] = []
    for name, entry in entries.items():
        try:
            traces[name], rest = _parse_entry(entry)
        except _EntryError as error:
            problems.append((name, error))
            continue
        if rest:
            entry_other[name] = rest
    findings = _findings(problems, text, path)
    return ScoreFile(traces, _kept(content, _OWN_KEYS), entry_other, findings)


def parse_statuses(text: str, path: str) -> dict[str, Status]:
    """What the file said of each memory's status when it was written."""
    try:
        _, entries = _read_json(text, path)
    except _DamagedError:
        return {}
    told = {
        name: str(entry.get("status")).removeprefix("_")
        for name, entry in entries.items()
        if isinstance(entry, dict)
    }
    known = Status.__members__.values()
    return {name: Status(was) for name, was in told.items() if was in known}


def render_scores(score_file: ScoreFile, now: datetime, decay: DecayConfig) -> str:
    """Write the file, one line per memory, scored at a moment."""
    lines = [
        f'  "version": {VERSION}',
        f'  "last_updated": "{_stamp(now)}"',
        *(f"  {_json(k)}: {_json(v)}" for k, v in sorted(score_file.other.items())),
    ]
    entries = ",\n".join(_entry_lines(score_file, now, decay))
    lines.append('  "entries": ' + (f"{{\n{entries}\n  }}" if entries else "{}"))
    return _encodable("{\n" + ",\n".join(lines) + "\n}\n")


def _entry_lines(
    score_file: ScoreFile, now: datetime, decay: DecayConfig
) -> Iterator[str]:
    weights = {store: type_weight(store, decay) for store in Store}
    for name, trace in sorted(score_file.entries.items(), key=itemgetter(0)):
        weight = weights[trace.store]
        score = relevance(trace, now, rate=decay.rate, weight=weight)
        shown = FORGOTTEN if trace.archived else status(score, decay)
        yield (
            f'    {_json(name)}: {{"store": "{trace.store}", '
            f'"base_relevance": {trace.base}, '
            f'"created": "{_stamp(trace.created)}", '
            f'"last_accessed": "{_stamp(trace.last_accessed)}", '
            f'"access_count": {trace.accesses}, "type_weight": {weight}, '
            f'"current_score": {round(score, 4)}, "status": "{shown}", '
            f'"pinned": {"true" if trace.pinned else "false"}'
            f"{_more(score_file.entry_other.get(name))}}}"
        )


def _more(other: Mapping[str, object] | None) -> str:
    if not other:
        return ""
    return "".join(f", {_json(k)}: {_json(v)}" for k, v in sorted(other.items()))


_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True).encode


def _stamp(moment: datetime) -> str:
    if moment.tzinfo is not UTC:
        moment = moment.astimezone(UTC)
    return moment.isoformat()[: -len("+00:00")] + "Z"


def _encodable(text: str) -> str:
    """The same JSON; half a surrogate pair, which has no UTF-8, as its escape."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        half = re.compile("[\ud800-\udfff]")
        return half.sub(lambda found: f"\\u{ord(found.group()):04x}", text)
    return text


def _read_json(text: str, path: str) -> tuple[dict[str, object], dict[str, object]]:
    """The whole file and its entries; raises `_DamagedError` when it is none."""
    try:
        content = json.loads(
            text, parse_int=_whole, parse_float=_finite, parse_constant=str
        )
    except json.JSONDecodeError as error:
        problem = f"not JSON: {error.msg}"
        raise _DamagedError(path, error.lineno, problem) from error
    except RecursionError as error:
        raise _DamagedError(path, 0, "nested too deeply to be read") from error
    if not isinstance(content, dict):
        raise _DamagedError(path, 1, "expected an object in braces")
    if content.get("version", VERSION) != VERSION:
        line = _line_of(text, '"version"')
        raise _DamagedError(path, line, f"this is not version {VERSION} of the file")
    entries = content.get("entries", {})
    if not isinstance(entries, dict):
        line = _line_of(text, '"entries"')
        raise _DamagedError(path, line, "entries must be an object in braces")
    return content, entries


def _whole(digits: str) -> int | str:
    return int(digits) if len(digits) <= _MOST_DIGITS else "a number too long"


def _finite(digits: str) -> float | str:
    number = float(digits)
    return number if math.isfinite(number) else digits


def _parse_entry(entry: object) -> tuple[Trace, dict[str, object]]:
    """The trace of one entry, and what else the entry holds."""
    if not isinstance(entry, dict):
        key = "entry"
        raise _EntryError(key, "must be an object in braces")
    get = entry.get
    trace = Trace(
        _store("store", get("store")),
        _share("base_relevance", get("base_relevance")),
        _moment("created", get("created")),
        _moment("last_accessed", get("last_accessed")),
        _count("access_count", get("access_count")),
        _flag("pinned", get("pinned", False)),
        get("status") == FORGOTTEN,
    )
    return trace, {} if _ENTRY_KEYS.issuperset(entry) else _kept(entry, _ENTRY_KEYS)


_STORES = {store.value: store for store in Store}


def _store(key: str, value: object) -> Store:
    if not isinstance(value, str) or value not in _STORES:
        raise _EntryError(key, f"must be one of {', '.join(Store)}")
    return _STORES[value]


def _share(key: str, value: object) -> float:
    # Python takes true for 1; in a score it is a mistake.
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise _EntryError(key, "must be a number from 0 to 1")
    if not 0 <= value <= 1:
        raise _EntryError(key, "must be a number from 0 to 1")
    return float(value)


def _count(key: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise _EntryError(key, "must be a whole number")
    if not 0 <= value <= _MOST_ACCESSES:
        raise _EntryError(key, f"must be from 0 to {_MOST_ACCESSES}")
    return value or 1  # being written is the first access


def _moment(key: str, value: object) -> datetime:
    try:
        moment = datetime.fromisoformat(value)  # type: ignore[arg-type]  # as caught
    except (TypeError, ValueError):
        problem = 'must be a time such as "2026-02-02T14:30:00Z"'
        raise _EntryError(key, problem) from None
    if moment.tzinfo is None:
        raise _EntryError(key, "must say its time zone; add Z for UTC")
    if not _EARLIEST <= moment.year <= _LATEST:
        raise _EntryError(key, f"must lie between {_EARLIEST} and {_LATEST}")
    return moment.astimezone(UTC)


def _flag(key: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise _EntryError(key, "must be true or false")
    return value


def _kept(content: Mapping[str, object], known: frozenset[str]) -> dict[str, object]:
    """What is not ours in an object; but for what nests so deep it is an attack."""
    return {
        key: value
        for key, value in content.items()
        if key not in known and not _nests(value, _MOST_NESTING)
    }


def _nests(value: object, limit: int) -> bool:
    level = [value]
    for _ in range(limit):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return bool(level)


def _findings(
    problems: list[tuple[str, _EntryError]], text: str, path: str
) -> tuple[Finding, ...]:
    """One finding per bad entry, up to a number a person would read."""
    found = [
        Finding(path, _entry_line(text, name, error.key), f"{_shown(name)}: {error}")
        for name, error in problems[:_MOST_FINDINGS]
    ]
    more = len(problems) - len(found)
    if more > 0:
        found.append(Finding(path, 0, f"{more} more entries cannot be read"))
    return tuple(Finding(f.path, f.line, f.what, _MEND_ENTRY) for f in found)


def _shown(name: str) -> str:
    return ascii(name)[1:-1][:80]


def _entry_line(text: str, name: str, key: str) -> int:
    """The line of an entry's key, or of the entry where the key is missing."""
    for ascii_only in (False, True):
        spelled = re.escape(json.dumps(name, ensure_ascii=ascii_only))
        entry = re.search(rf"{spelled}\s*:", text)
        if entry:
            inside = text[entry.end() : text.find("}", entry.end())]
            offset = max(0, inside.find(f'"{key}"'))
            return text.count("\n", 0, entry.end() + offset) + 1
    return 0


def _line_of(text: str, word: str) -> int:
    return text.count("\n", 0, max(0, text.find(word))) + 1
