"""Reading exports that are a list of conversations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.encoding.importing.access import opened, redacted
from reverie.encoding.importing.found import Conversation, Provenance
from reverie.encoding.importing.loose import name, record, rows
from reverie.encoding.importing.stream import Broken, elements
from reverie.markdown import headline
from reverie.model.finding import Finding, Severity
from reverie.model.remembered import Secrets
from reverie.secrets import kinds_in, screened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from reverie.encoding.importing.found import Said, Source

    Fields = dict[str, object]
    Parser = Callable[[Fields], tuple[Said, ...] | None]

_BROKEN = "Ask for the export again, or leave it; all others were read."


def read_chats(
    source: Source,
    parse_turns: Parser,
    about: Callable[[Fields], tuple[str, str, datetime | None]],
) -> Iterator[Conversation | Finding]:
    """Read an export, holding one conversation at a time.

    Args:
        source: The export.
        parse_turns: The turns of a conversation; None for what is none.
        about: Its id, its title and when it began, as far as it says.
    """
    with opened(source) as stream:
        for element in elements(stream):
            if isinstance(element, Broken):
                yield _broken(source, element.number, element.what)
                continue
            for inner, raw in enumerate(_conversations(element.value)):
                fields, kinds = whole(source, raw)
                turns = parse_turns(fields)
                if turns is None:
                    what = "is not a conversation of this kind"
                    yield _broken(source, element.number, what)
                elif turns:
                    own = f"{source.name}#{element.number + inner}"
                    found = _conversation(source.kind, own, about(fields), turns)
                    yield from (redacted(found.origin.name, 0, kind) for kind in kinds)
                    yield found


def whole(source: Source, fields: Fields) -> tuple[Fields, tuple[str, ...]]:
    """A record as it was exported, without secrets, before anything of it is read.

    Returns:
        The record, and the kinds of secrets that were redacted in it.
    """
    if source.secrets is Secrets.KEEP:
        return fields, ()
    clean = screened(fields)
    told = clean != fields and source.secrets is Secrets.REDACT
    return clean, kinds_in(fields) if told else ()


def _conversations(value: object) -> list[Fields]:
    """The conversation an element is, or those in it."""
    fields = record(value)
    listed = rows(fields.get("conversations"))
    return [record(each) for each in listed] if listed else [fields]


def _conversation(
    kind: str,
    own: str,
    about: tuple[str, str, datetime | None],
    turns: tuple[Said, ...],
) -> Conversation:
    known, title, started = about
    return Conversation(
        Provenance(kind, known or own),
        title or headline(turns[0].text),
        started or next((turn.at for turn in turns if turn.at), None),
        turns,
    )


def _broken(source: Source, number: int, what: str) -> Finding:
    what = f"conversation {number} {what}" if number else what
    return Finding(source.name, 0, what, _BROKEN, Severity.WARNING)


def path_to(last: str, parents: dict[str, str]) -> list[str]:
    """The ids from the first to the last one, where each knows the one before it."""
    path: dict[str, None] = {}
    at = last
    while at in parents and at not in path:
        path[at] = None
        at = parents[at]
    return list(reversed(path))


def identity(fields: Fields, *keys: str) -> str:
    """The first of some fields that names something."""
    return next((found for key in keys if (found := name(fields.get(key)))), "")
