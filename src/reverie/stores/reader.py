"""Files of a workspace: what they hold, and what they hold at the start."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from reverie.errors import FormatError
from reverie.markdown import find_conflicts, parse_row, split_lines
from reverie.model.items import Finding, Severity
from reverie.stores import (
    core,
    entities,
    episodes,
    notes,
    procedures,
    relations,
    turns,
    vault,
)
from reverie.workspace import layout
from reverie.workspace.layout import template

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from reverie.model.items import Edge, Entry
    from reverie.stores.relations import Vocabulary


MAX_SEARCHED = 8_000
"""Memories, and relations, of one file that the index holds; conversations grow by
themselves and have no limit."""

MAX_FILE_LINES, MAX_FILE_CHARS = 32_000, 2_000_000
"""Lines and characters of one file that are read for the index; as many lines as
`MAX_SEARCHED` episodes usually take."""

SPLIT_FILE = "Nothing is lost. Split the file, and all of it is found."


class Reading(Struct, frozen=True):
    """What a file holds.

    Attributes:
        entries: Memories.
        edges: Rows of the graph.
        findings: What is wrong in it.
        deleted: What is only kept for the record; its names stay taken.
    """

    entries: tuple[Entry, ...] = ()
    edges: tuple[Edge, ...] = ()
    findings: tuple[Finding, ...] = ()
    deleted: tuple[Entry, ...] = ()


def decode(data: bytes, path: str) -> tuple[str, tuple[Finding, ...]]:
    """A file's text; bytes that are no UTF-8 are replaced and reported."""
    try:
        return data.decode("utf-8-sig"), ()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = f"byte 0x{data[error.start]:02x} is not valid UTF-8"
        found = Finding(path, line, what, "Save the file as UTF-8.")
        return data.decode("utf-8", "replace"), (found,)


def faithful_text(data: bytes | None, path: str) -> str:
    """A file's text, to be changed and written back.

    Raises:
        FormatError: It is no UTF-8, so nothing in it can be changed faithfully.
    """
    text, findings = decode(data or b"", path)
    for found in findings:
        raise FormatError(path, found.line, found.what, hint=found.mend)
    return text


_STORES: Mapping[str, Callable[[str, str], Any]] = {
    layout.CORE: core.parse_core,
    f"{layout.EPISODES}/": episodes.parse_day,
    f"{layout.CONVERSATIONS}/": turns.parse_window,
    f"{layout.ENTITIES}/": entities.parse_entity,
    f"{layout.PROCEDURES}/": procedures.parse_procedure,
    f"{layout.VAULT}/": vault.parse_note,
}
"""How a file is read, by its place; what that gives has entries and findings."""


def read_file(path: str, data: bytes, vocabulary: Vocabulary) -> Reading:
    """Read any file of the workspace; files of no store have no entries."""
    place = path if "/" not in path else next(filter(path.startswith, _STORES), "")
    parse = _STORES.get(place) if path.endswith(".md") else None
    graph = path in {layout.RELATIONS, layout.GRAPH_INDEX}
    if parse is None and not graph and not layout.holds_notes(path):
        return Reading()
    text, findings = decode(data, path)
    if findings:
        return Reading(findings=findings)
    text, findings = _cut_to_limit(path, text)
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        findings = (*findings, Finding(path, line, "has a NUL character", "Delete it."))
    if graph:
        return Reading(findings=(*_find_in_graph(path, text), *findings))
    if parse is None:
        return Reading(notes.parse_notes(text, path), findings=findings)
    file = parse(text, path)
    page = place == f"{layout.ENTITIES}/"
    edges = relations.edges(file.entity, vocabulary) if page else ()
    findings = (*file.findings, *findings)
    deleted = getattr(file, "deleted", ())
    more: tuple[Entry, ...] = ()
    if place in _PARTLY:
        known = _lines_of((*file.entries, *deleted)) | file.form_lines
        more = notes.parse_notes(text, path, known)
    reading = Reading((*file.entries, *more), edges, findings, deleted)
    return (
        reading if place == f"{layout.CONVERSATIONS}/" else _name_limit(path, reading)
    )


def _cut_to_limit(path: str, text: str) -> tuple[str, tuple[Finding, ...]]:
    """Return as much of a file as is read for the index, and a warning if it is cut."""
    if path.startswith(f"{layout.CONVERSATIONS}/"):
        return text, ()
    kept = readable_part(text)
    if len(kept) == len(text):
        return text, ()
    line = kept.count("\n") + 1
    what = (
        f"has {text.count(chr(10)):,} lines and {len(text):,} characters; only the "
        f"first {line - 1:,} lines and {len(kept):,} characters are found"
    )
    return kept, (Finding(path, line, what, SPLIT_FILE, Severity.WARNING),)


def readable_part(text: str) -> str:
    """Return the beginning of a text, up to the limits of one file.

    It ends behind a line or a word, so that no part of a secret is left of it.
    """
    if len(text) > MAX_FILE_CHARS:
        text = text[: MAX_FILE_CHARS + 1]
        text = text[: max(text.rfind("\n"), text.rfind(" ")) + 1] or text[:-1]
    end = 0
    if text.count("\n") > MAX_FILE_LINES:
        for _ in range(MAX_FILE_LINES):
            end = text.index("\n", end) + 1
    return text[:end] if end else text


def _name_limit(path: str, reading: Reading) -> Reading:
    """Report a file with more memories or relations than the index holds."""
    for what, found in (("memories", reading.entries), ("relations", reading.edges)):
        if len(found) > MAX_SEARCHED:
            line = getattr(found[MAX_SEARCHED], "line", 0)
            says = (
                f"has {len(found):,} {what}; only the first {MAX_SEARCHED:,} are found"
            )
            finding = Finding(path, line, says, SPLIT_FILE, Severity.WARNING)
            reading = replace(reading, findings=(*reading.findings, finding))
    return reading


def within_limit(path: str, reading: Reading) -> Reading:
    """Return what the index holds of a file."""
    if path.startswith(f"{layout.CONVERSATIONS}/"):
        return reading
    entries, edges = reading.entries[:MAX_SEARCHED], reading.edges[:MAX_SEARCHED]
    return replace(reading, entries=entries, edges=edges)


_PARTLY = {layout.CORE, f"{layout.EPISODES}/", f"{layout.CONVERSATIONS}/"}
"""Files of which a store reads some lines; what stands in the others is notes."""


def _lines_of(entries: Iterable[Entry]) -> set[int]:
    return {
        line
        for entry in entries
        for line in range(entry.line, entry.line + len(split_lines(entry.raw)))
    }


def _find_in_graph(path: str, text: str) -> Iterator[Finding]:
    """What is wrong in the names of relations, or in the table of the graph."""
    if path == layout.RELATIONS:
        yield from relations.parse_relations(text, path)[1]
        return
    yield from find_conflicts(text, path)
    for number, cells in enumerate(map(parse_row, text.split("\n")), 1):
        if cells and len(cells) not in {5, 6}:
            what, mend = "this row cannot be read", "`reverie rebuild` writes it anew."
            yield Finding(path, number, what, mend, Severity.WARNING)


def read_appended(path: str, old: bytes, new: bytes) -> tuple[Entry, ...] | None:
    """Read only what was added to a log; None if that cannot be told apart."""
    reader = next((r for f, r in _LOGS.items() if path.startswith(f"{f}/")), None)
    if reader is None or not new.startswith(old):
        return None
    text, broken = decode(new, path)
    if broken or b"\0" in new[len(old) :] or not old.endswith(b"\n"):
        return None
    known = old.decode("utf-8-sig")
    if not reader.begins(text[len(known) :].lstrip("\n").partition("\n")[0]):
        return None
    more: tuple[Entry, ...] = reader.parse_more(text, path, known)
    added = len(split_lines(text[len(known) :].lstrip("\n")))
    # What is no entry is told apart where the whole file is read.
    return more if len(_lines_of(more)) == added else None


_LOGS = {layout.EPISODES: episodes, layout.CONVERSATIONS: turns}
"""Files that are only ever appended to, and how more of them is read."""


@lru_cache(maxsize=4)
def load_vocabulary(data: bytes | None) -> Vocabulary:
    """The relation names of a workspace; the usual ones where it has no file."""
    text = (data or b"").decode("utf-8", "replace") or relations.RELATIONS_TEMPLATE
    return relations.parse_relations(text, layout.RELATIONS)[0]


PENDING_REFLECTION = template("pending-reflection")


def starting_files() -> dict[str, str]:
    """Text by path, for files that every workspace has from the start."""
    return {
        layout.CORE: core.CORE_TEMPLATE,
        layout.GRAPH_INDEX: relations.render_graph_index((), ()),
        layout.RELATIONS: relations.RELATIONS_TEMPLATE,
        layout.REFLECTION_LOG: template("reflection-log"),
        layout.PENDING_REFLECTION: PENDING_REFLECTION,
        layout.PENDING: template("pending-memories"),
        layout.EVOLUTION: template("evolution"),
        layout.REWARD_LOG: template("reward-log"),
    }
