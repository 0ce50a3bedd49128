"""The file `memory/meta/decay-scores.json` (design, section 9.3).

It is a snapshot: what is stored per memory are the facts, and the score, weight and
status beside them are computed anew whenever it is written. What other parts or
people keep in the same file is carried along untouched.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Struct, field

from reverie.decay import Status, Trace, relevance, status, type_weight
from reverie.model.ids import Store
from reverie.model.items import EARLIEST, LATEST, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from reverie.config import DecayConfig

VERSION = 1

FORGOTTEN = "_archived"
"""The status of what its human asked to forget (design, section 8.3)."""

RESURRECTED = "resurrected"
"""The key below which it stands how often context reflections came back."""

_OWN_KEYS = frozenset(("version", "last_updated", "entries"))
_MOST_FINDINGS = 100
_MEND_FILE = "`reverie undo --file` brings the last good one back from history."
_MEND_ENTRY = "Mend or delete the entry; until then the memory counts as new."


class ScoreFile(Struct, frozen=True):
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


class _ScoreEntry(msgspec.Struct):
    """One entry as it stands in the file."""

    store: Store
    base_relevance: Annotated[float, msgspec.Meta(ge=0, le=1)]
    created: Annotated[datetime, msgspec.Meta(tz=True)]
    last_accessed: Annotated[datetime, msgspec.Meta(tz=True)]
    access_count: Annotated[int, msgspec.Meta(ge=0, le=10**12)]
    pinned: bool = False
    status: object = ""
    type_weight: object = 0
    current_score: object = 0

    def __post_init__(self) -> None:
        """Refuse what is no moment of anybody's life."""
        for key in ("created", "last_accessed"):
            if not EARLIEST <= getattr(self, key).year <= LATEST:
                problem = f"`{key}` must lie between {EARLIEST} and {LATEST}"
                raise ValueError(problem)

    def trace(self) -> Trace:
        """What decay remembers; being written is the first access."""
        return Trace(
            self.store,
            float(self.base_relevance),
            self.created.astimezone(UTC),
            self.last_accessed.astimezone(UTC),
            self.access_count or 1,
            self.pinned,
            self.status == FORGOTTEN,
        )


_ENTRY_KEYS = frozenset(_ScoreEntry.__struct_fields__)


def parse_scores(text: str, path: str) -> ScoreFile:
    """Read the file. What cannot be read is a finding and hides nothing else."""
    content, entries, damage = _read_json(text, path)
    if damage:
        return ScoreFile(findings=(damage,), damaged=True)
    traces: dict[str, Trace] = {}
    entry_other: dict[str, Mapping[str, object]] = {}
    problems: list[tuple[str, str]] = []
    for name, entry in entries.items():
        try:
            traces[name] = msgspec.convert(entry, _ScoreEntry).trace()
        except msgspec.ValidationError as error:
            problems.append((name, str(error)))
            continue
        if isinstance(entry, dict) and not _ENTRY_KEYS.issuperset(entry):
            entry_other[name] = _without(entry, _ENTRY_KEYS)
    findings = tuple(_findings(problems, text, path))
    return ScoreFile(traces, _without(content, _OWN_KEYS), entry_other, findings)


def parse_statuses(text: str, path: str) -> dict[str, Status]:
    """What the file said of each memory's status when it was written."""
    _, entries, _ = _read_json(text, path)
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
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    # Half a surrogate pair has no UTF-8; it stands there as its escape.
    return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text)


def _entry_lines(
    score_file: ScoreFile, now: datetime, decay: DecayConfig
) -> Iterator[str]:
    weights = {store: type_weight(store, decay) for store in Store}
    for name in sorted(score_file.entries):
        trace = score_file.entries[name]
        weight = weights[trace.store]
        score = relevance(trace, now, rate=decay.rate, weight=weight)
        shown = FORGOTTEN if trace.archived else status(score, decay)
        other = sorted(score_file.entry_other.get(name, {}).items())
        more = "".join(f", {_json(key)}: {_json(value)}" for key, value in other)
        yield (
            f'    {_json(name)}: {{"store": "{trace.store}", '
            f'"base_relevance": {trace.base}, '
            f'"created": "{_stamp(trace.created)}", '
            f'"last_accessed": "{_stamp(trace.last_accessed)}", '
            f'"access_count": {trace.accesses}, "type_weight": {weight}, '
            f'"current_score": {round(score, 4)}, "status": "{shown}", '
            f'"pinned": {"true" if trace.pinned else "false"}{more}}}'
        )


_json = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode


def _stamp(moment: datetime) -> str:
    if moment.tzinfo is not UTC:
        moment = moment.astimezone(UTC)
    return moment.isoformat()[: -len("+00:00")] + "Z"


def _read_json(
    text: str, path: str
) -> tuple[dict[str, object], dict[str, object], Finding | None]:
    """The whole file and its entries, or why it is no score file."""
    line = 1
    try:
        content = json.loads(text)
        entries = content.get("entries", {})
        if content.get("version", VERSION) != VERSION:
            problem = f"this is not version {VERSION} of the file"
        elif isinstance(entries, dict):
            return content, entries, None
        else:
            problem = "entries must be an object in braces"
    except AttributeError:
        problem = "expected an object in braces"
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 0)
        problem = f"not JSON: {getattr(error, 'msg', error)}"
    return {}, {}, Finding(path, line, problem, _MEND_FILE)


def _without(content: Mapping[str, object], keys: frozenset[str]) -> dict[str, object]:
    return {key: value for key, value in content.items() if key not in keys}


def _findings(
    problems: list[tuple[str, str]], text: str, path: str
) -> Iterator[Finding]:
    """One finding per bad entry, up to a number a person would read."""
    for name, problem in problems[:_MOST_FINDINGS]:
        spelled = (json.dumps(name, ensure_ascii=flag) for flag in (False, True))
        entry = re.search(rf"(?:{'|'.join(map(re.escape, spelled))})\s*:", text)
        line = text.count("\n", 0, entry.end()) + 1 if entry else 0
        yield Finding(path, line, f"{ascii(name)[1:-1][:80]}: {problem}", _MEND_ENTRY)
    if (more := len(problems) - _MOST_FINDINGS) > 0:
        yield Finding(path, 0, f"{more} more entries cannot be read", _MEND_ENTRY)
