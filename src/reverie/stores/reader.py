"""Files of a workspace: what they hold, and what they hold at the start."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from reverie.markdown import find_conflicts, parse_row
from reverie.model.items import Finding, Severity
from reverie.stores import core, entities, episodes, procedures, relations, turns, vault
from reverie.stores.text import template
from reverie.workspace import layout

if TYPE_CHECKING:
    from reverie.model.items import Edge, Entry
    from reverie.stores.relations import Vocabulary


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


def read_file(path: str, data: bytes, vocabulary: Vocabulary) -> Reading:
    """Read any file of the workspace; files of no store have no entries."""
    stored = path.endswith(".md") and path.startswith(_FOLDERS)
    if not stored and path not in {layout.CORE, layout.RELATIONS, layout.GRAPH_INDEX}:
        return Reading()
    text, findings = decode(data, path)
    if findings:
        return Reading(findings=findings)
    reading = _parse(path, text, vocabulary)
    at = text.find("\0")
    if at < 0:
        return reading
    line = text.count("\n", 0, at) + 1
    found = Finding(path, line, "has a NUL character", "Delete it.")
    return replace(reading, findings=(*reading.findings, found))


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
    return more


_LOGS = {layout.EPISODES: episodes, layout.CONVERSATIONS: turns}
"""Files that are only ever appended to, and how more of them is read."""

_FOLDERS = tuple(
    f"{folder}/"
    for folder in (*_LOGS, layout.PROCEDURES, layout.VAULT, layout.ENTITIES)
)


def _parse(path: str, text: str, vocabulary: Vocabulary) -> Reading:
    """What a file of some store holds, by its place."""
    if path == layout.CORE:
        memory = core.parse_core(text, path)
        return Reading(memory.entries, (), memory.findings)
    if path == layout.RELATIONS:
        return Reading(findings=relations.parse_relations(text, path)[1])
    if path == layout.GRAPH_INDEX:
        rows = enumerate(map(parse_row, text.split("\n")), 1)
        lines = (n for n, cells in rows if cells and len(cells) not in {5, 6})
        what, mend = "this row cannot be read", "`reverie rebuild` writes it anew."
        wrong = (Finding(path, n, what, mend, Severity.WARNING) for n in lines)
        return Reading(findings=(*find_conflicts(text, path), *wrong))
    if path.startswith(f"{layout.ENTITIES}/"):
        page = entities.parse_entity(text, path)
        edges = relations.edges(page.entity, vocabulary)
        return Reading(page.entries, edges, page.findings)
    if path.startswith(f"{layout.CONVERSATIONS}/"):
        window = turns.parse_window(text, path)
        return Reading(window.entries, (), window.findings, window.deleted)
    file: episodes.DayLog | procedures.ProcedurePage | vault.NoteFile
    if path.startswith(f"{layout.EPISODES}/"):
        file = episodes.parse_day(text, path)
    elif path.startswith(f"{layout.PROCEDURES}/"):
        file = procedures.parse_procedure(text, path)
    else:
        file = vault.parse_note(text, path)
    return Reading(file.entries, (), file.findings)


@lru_cache(maxsize=4)
def load_vocabulary(data: bytes | None) -> Vocabulary:
    """The relation names of a workspace; the usual ones where it has no file."""
    text = (data or b"").decode("utf-8", "replace") or relations.RELATIONS_TEMPLATE
    return relations.parse_relations(text, layout.RELATIONS)[0]


REFLECTION_LOG = template("reflection-log")
PENDING_REFLECTION = template("pending-reflection")
PENDING_MEMORIES = template("pending-memories")
EVOLUTION = template("evolution")
REWARD_LOG = template("reward-log")


def starting_files() -> dict[str, str]:
    """Text by path, for files that every workspace has from the start."""
    return {
        layout.CORE: core.CORE_TEMPLATE,
        layout.GRAPH_INDEX: relations.render_graph_index((), ()),
        layout.RELATIONS: relations.RELATIONS_TEMPLATE,
        layout.REFLECTION_LOG: REFLECTION_LOG,
        layout.PENDING_REFLECTION: PENDING_REFLECTION,
        layout.PENDING: PENDING_MEMORIES,
        layout.EVOLUTION: EVOLUTION,
        layout.REWARD_LOG: REWARD_LOG,
    }
