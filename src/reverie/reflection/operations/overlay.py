"""Edits on top of each other: what one operation does to the work of those before."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reverie.errors import FormatError
from reverie.model.change import Action, Edit, checksum
from reverie.stores.reading import decode

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from reverie.encoding.remember import Desk

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Effect:
    """What one operation would do.

    Attributes:
        edits: To which files.
        ids: The memories it is about.
        archived: The memories it hides.
        told: What to show besides the diff, for what no edit of its own tells.
        notes: What its human should know besides.
    """

    edits: tuple[Edit, ...] = ()
    ids: tuple[str, ...] = ()
    archived: tuple[str, ...] = ()
    told: str = ""
    notes: tuple[str, ...] = ()


def desk_over(edits: Mapping[str, Edit], desk: Desk) -> Desk:
    """A desk on which some edits are already done."""

    def read(path: str) -> bytes | None:
        return edits[path].content if path in edits else desk.read(path)

    return replace(desk, read=read)


def laid_over(edits: Mapping[str, Edit], more: Iterable[Edit]) -> dict[str, Edit]:
    """Some edits and more of them, those of one file as one."""
    whole = dict(edits)
    for edit in more:
        first = whole.get(edit.path)
        whole[edit.path] = replace(first, content=edit.content) if first else edit
    return whole


def text_of(path: str, desk: Desk) -> str | None:
    """A file's text; None where there is none.

    Raises:
        FormatError: It is no UTF-8, so nothing in it can be changed faithfully.
    """
    data = desk.read(path)
    if data is None:
        return None
    text, findings = decode(data, path)
    for found in findings:
        raise FormatError(path, found.line, found.what, hint=found.mend)
    return text


def edit_of(
    path: str, text: str, desk: Desk, why: str, action: Action | None = None
) -> tuple[Edit, ...]:
    """The edit that gives a file this text; none where it says so already."""
    old = desk.read(path)
    bom = _BOM if (old or b"").startswith(_BOM) else b""
    new = bom + text.encode()
    if new == old:
        return ()
    usual = Action.CREATE if old is None else Action.EDIT
    return (Edit(path, new, checksum(old), action or usual, why),)


def diff_of(edits: Iterable[Edit], desk: Desk) -> str:
    """What edits do to the files on a desk, as a unified diff."""
    parts: list[str] = []
    for edit in edits:
        old = desk.read(edit.path)
        names = f"a/{edit.path}" if old is not None else "/dev/null", f"b/{edit.path}"
        parts += difflib.unified_diff(_lines(old), _lines(edit.content), *names, n=2)
    return "".join(parts)


def diff_texts(path: str, old: str, new: str) -> str:
    """What two texts of a file have not in common, as a unified diff."""
    if old == new:
        return ""
    names = f"a/{path}" if old else "/dev/null", f"b/{path}"
    both = _lines(old.encode()), _lines(new.encode())
    return "".join(difflib.unified_diff(*both, *names, n=2))


def _lines(data: bytes | None) -> list[str]:
    """Lines that all end, so that no two of a diff run together."""
    lines = (data or b"").decode("utf-8-sig", "replace").split("\n")
    tail = lines.pop()
    return [f"{line}\n" for line in lines] + ([f"{tail}\n"] if tail else [])
