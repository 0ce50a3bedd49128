"""Who looks at an open workspace, and what of it is for them (design, locks: scopes).

A handle that was opened for a person shows, counts and matches nothing that is for
another person alone. All of its verbs ask here; where nobody is named, everything is
seen. Who reads the folder itself reads everything.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING

from msgspec.structs import replace

from reverie.decay import Trace, standing
from reverie.errors import NotFoundError, RefusedError
from reverie.index import IndexAlteredError
from reverie.index.located import scope
from reverie.ledger.alerts import MOVED
from reverie.markdown import quoted, split_lines
from reverie.model.change import Secrets
from reverie.model.ids import ItemId, Kind, Store, whole
from reverie.model.items import SCOPE, UNCONFIRMED, Origin, is_for, scope_name
from reverie.model.views import Shown
from reverie.session.session import NoSuchMemoryError
from reverie.stores.proposals import NoSuchProposalError, parse_pending
from reverie.stores.reader import load_vocabulary, read_appended, read_file
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from reverie.index import Located
    from reverie.markdown import Section
    from reverie.model.change import LogEntry, LogLine, Near, Receipt, Remembered
    from reverie.model.items import Entry, Finding
    from reverie.model.proposals import Clash, Proposal, Waiting
    from reverie.model.views import Alert
    from reverie.session.session import Session

OF_EVERYBODY = (layout.SCORES, layout.GRAPH_INDEX, layout.AUDIT_ARCHIVE)
"""Files that tell of all memories at once; no line of theirs is for one person."""

CHANGED = "changed"
"""What history says to a person of a change that touched others' memories, too."""

_PAGES = (layout.ENTITIES, layout.PROCEDURES, layout.VAULT)
"""Where a file is one memory."""

_LOGS = (layout.EPISODES, layout.CONVERSATIONS)
"""Where a file is many memories, each of which may be for somebody else."""

_AN_ID = re.compile(rf"\b(?:{'|'.join(Kind)}):[^\s,;()]+")
_BETWEEN = re.compile(r"\s*(?:---|<!-- Last: #\d{1,9} -->)?\s*")
"""Lines that only part one memory from the next."""


def _text_of(found: Located) -> str:
    """Return the text of a memory; pasted lines of a user turn as a quotation."""
    if found.store is not Store.TURNS or not found.aside:
        return found.text
    if not found.text:
        return found.aside
    quoted = (f"> {line}".rstrip() for line in found.aside.split("\n"))
    return "\n".join((found.text, "", *quoted))


class OthersMemoriesError(RefusedError):
    """A person wants to change what is for somebody else alone."""

    says = "{} would touch more than what is for you"
    mend = "Who looks after the workspace may, without naming a person."


class NoSuchFileError(NotFoundError):
    """History has no file of this path, or nothing of it is for who looks."""

    says = "the ledger has no file {}"
    mend = "`reverie history` shows the files that changed."


class Viewer:
    """Who looks at an open workspace.

    Args:
        session: The workspace's parts.
        person: Their name; empty for who may see everything.
    """

    def __init__(self, session: Session, person: str) -> None:
        if person:
            from reverie.secrets import pass_words  # noqa: PLC0415 - few name a person

            pass_words((person,), Secrets.REFUSE)
        self._session = session
        self.person = person
        self._told: dict[str, LogEntry | None] = {}
        self._scopes: Mapping[str, str] = {}
        self._seen = ""

    def shown(self, found: Located) -> Shown:
        """Return one memory as everybody is served it, with its decay score.

        If the file waits for the owner's confirmation, this is the version that the
        owner confirmed. What the confirmed version does not have counts as the text of
        a tool.
        """
        session, now = self._session, self._session.clock()
        trace = session.index.trace(found.id)
        unconfirmed = found.path in session.doubts()
        if unconfirmed:
            entries = session.confirming.entries
            good = entries(found.path, confirmed=True).get(found.id)
            edited = entries(found.path, confirmed=False).get(found.id)
            unconfirmed = not (good and edited and good.text == edited.text)
            if good is None:
                found = found._replace(origin=Origin.TOOL)
            else:
                found = good._replace(line=found.line)
        if trace is None and found.store is Store.TURNS:
            said = now if found.at is None else datetime.fromtimestamp(found.at, UTC)
            # The record of a conversation does not fade.
            trace = Trace(found.store, 1.0, said, said, 0, pinned=True)
        if trace is None:
            # What stands in a file has one, or the index was written by another.
            raise IndexAlteredError
        stands = (
            found.id,
            found.store,
            found.title,
            _text_of(found),
            found.path,
            found.line,
        )
        used = (trace.created, trace.last_accessed, trace.accesses)
        vivid = standing(trace, now, session.config.decay)
        self._refresh()
        return Shown(
            *stands,
            *used,
            *vivid,
            trace.pinned,
            origin=found.origin,
            scope=self._scopes.get(whole(found.id), ""),
            unconfirmed=unconfirmed,
        )

    def __bool__(self) -> bool:
        """Whether a person is named, so that there may be something not for them."""
        return bool(scope_name(self.person))

    # --- memories ------------------------------------------------------------

    def sees(self, scope: str) -> bool:
        """Whether something that is for this scope is for them."""
        return is_for(scope, self.person)

    def sees_id(self, item_id: str) -> bool:
        """Whether a memory, by its id, is for them; what is gone is for nobody."""
        if not self:
            return True
        self._refresh()
        id_ = whole(item_id)
        named = self._scopes.get(id_, "")
        return self.sees(named) and self._session.index.find(id_) is not None

    def hidden(self) -> frozenset[str]:
        """Ids of memories that are for somebody else alone."""
        scopes = self._session.index.scopes()
        return frozenset(id_ for id_, scope in scopes.items() if not self.sees(scope))

    def items(self, items: Iterable[Located]) -> list[Located]:
        """Those of some memories that are for them."""
        scopes = self._session.index.scopes() if self else {}
        return [item for item in items if self.sees(scopes.get(item.id, ""))]

    def _refresh(self) -> None:
        """Let go of what may be otherwise by now."""
        index = self._session.index
        if self._seen != index.seen or not self._seen:
            self._seen, self._scopes = index.seen, index.scopes()
            self._told.clear()

    def require(self, item_id: str) -> None:
        """Refuse the id of a memory that is for another person, as if there were none.

        Raises:
            NoSuchMemoryError: It is not for them.
        """
        if not self:
            return
        self._session.sync()
        if not self.sees_id(str(ItemId.parse(item_id))):
            raise NoSuchMemoryError(item_id)

    def counts(self) -> dict[str, int]:
        """How many memories each store has for them."""
        return self._session.index.counts(scope_name(self.person))

    def remembered(self, done: Remembered) -> Remembered:
        """What became of something, without what it is near to of others'."""
        if not self:
            return done

        def mine(near: tuple[Near, ...]) -> tuple[Near, ...]:
            return tuple(each for each in near if self.sees_id(each.memory))

        return replace(
            done,
            doubts=tuple(d for d in done.doubts if self.sees_id(f"{Kind.ENTITY}:{d}")),
            near=mine(done.near),
            superseded=mine(done.superseded),
            ending=mine(done.ending),
            contradicts=mine(done.contradicts),
        )

    # --- proposals -----------------------------------------------------------

    def proposals(self, proposals: Iterable[Proposal]) -> list[Proposal]:
        """Those of some proposals that are for them."""
        return [one for one in proposals if self.sees(one.scope)]

    def require_proposal(self, proposal: Proposal) -> Proposal:
        """A proposal that is for them; any other is as if there were none."""
        if not self.sees(proposal.scope):
            raise NoSuchProposalError(proposal.number, layout.PENDING)
        return proposal

    def waiting(self, waiting: Iterable[Waiting]) -> tuple[Waiting, ...]:
        """What waits for them, at odds with nothing that is not for them."""
        mine = [each for each in waiting if self.sees(each.proposal.scope)]
        numbers = {0, *(each.proposal.number for each in mine)}

        def told(clash: Clash) -> bool:
            seen = not clash.known or self.sees_id(clash.known)
            return clash.other in numbers and seen

        return tuple(
            replace(each, clashes=tuple(filter(told, each.clashes))) for each in mine
        )

    # --- files ---------------------------------------------------------------

    def read_confirmed(self, path: str) -> str:
        """Return a file as it is served: confirmed, without secrets and others' lines.

        Raises:
            NoSuchFileError: History has no such file, or nothing of it is for them.
        """
        from reverie.secrets import without_secrets  # noqa: PLC0415 - loads its rules

        ledger = self._session.ledger
        known = ledger.content_id(ledger.head, layout.safe_path(path))
        served = known or path in self._session.doubts()
        data = self._session.confirmed(path) if served else None
        waits = bool(known) and data is None
        data = ledger.read(path) if waits else data
        lines = self.lines(path, data)
        if data is None or (data and not lines):
            raise NoSuchFileError(path)
        text = without_secrets("".join(lines.values()))
        return f"{UNCONFIRMED}\n{quoted(text)}" if waits else text

    def lines(self, path: str, data: bytes | None) -> dict[int, str]:
        """The lines of a version of a file that are for them, by number from 1."""
        text = (data or b"").decode("utf-8", "replace")
        lines = dict(enumerate(split_lines(text), 1))
        hidden = self._hidden(path, data or b"", text, lines) if self else ()
        return {number: line for number, line in lines.items() if number not in hidden}

    def text(self, path: str, data: bytes) -> bytes:
        """A version of a file without what is for others."""
        if not self:
            return data
        return "".join(self.lines(path, data).values()).encode()

    def _hidden(
        self, path: str, data: bytes, text: str, lines: Mapping[int, str]
    ) -> Collection[int]:
        """Numbers of the lines that are for others."""
        if path in OF_EVERYBODY:
            return lines.keys()
        if SCOPE not in text.casefold() and "\\" not in text:
            return ()
        if path == layout.PENDING:
            hidden = {n for n, line in lines.items() if _BETWEEN.fullmatch(line)}
            for part in parse_pending(text, path).parts:
                found = parse_pending(part.raw, path).proposals
                unread = not found and f"**{SCOPE}**" in part.raw.casefold()
                if unread or not all(self.sees(one.scope) for one in found):
                    hidden |= _lines(part)
            return hidden
        if path == layout.EXPECTATIONS:
            from reverie.stores import expectations  # noqa: PLC0415 - rarely

            parts = expectations.scoped_sections(text)
            return _lines(*(part for part, whom in parts if not self.sees(whom)))
        reading = read_file(path, data, load_vocabulary(None))
        entries = (*reading.entries, *reading.deleted)
        strange = [entry for entry in entries if not self.sees(scope(entry))]
        kept = path.startswith((*_PAGES, *_LOGS))
        if kept and len(strange) == len(entries):
            # Nothing in it is for them; what cannot be read at all may be for anybody.
            return lines.keys()
        hidden, rest = _lines(*strange), lines.keys() - _lines(*entries)
        mistyped = any(SCOPE in lines[number].casefold() for number in rest)
        if path.startswith(_LOGS) and mistyped:
            # Somebody marked a memory and mistyped its heading.
            hidden.update(rest)
        return hidden

    def findings(
        self, findings: Iterable[Finding], read: Callable[[str], bytes | None]
    ) -> list[Finding]:
        """What is wrong in lines that are for them, or nobody's."""
        if not self:
            return list(findings)

        @cache
        def told(path: str) -> Mapping[int, str] | None:
            data = None if path in OF_EVERYBODY else read(path)
            return None if data is None else self.lines(path, data)

        return [
            each
            for each in findings
            if (lines := told(each.path)) is None
            or (bool(lines) if not each.line else each.line in lines)
        ]

    # --- history -------------------------------------------------------------

    def entry(self, entry: LogEntry) -> LogEntry | None:
        """A change as they are told of it; None if all of it is for others."""
        if not self:
            return entry
        self._refresh()
        if entry.commit not in self._told:
            self._told[entry.commit] = self._as_told(entry)
        return self._told[entry.commit]

    def whole(self, entry: LogEntry) -> bool:
        """Whether a change touched nothing but what is for them."""
        return self.entry(entry) == entry

    def _as_told(self, entry: LogEntry) -> LogEntry | None:
        differ = {
            path: self.differ(path, before, after)
            for path, (before, after) in self.changed(entry.commit).items()
            if path not in OF_EVERYBODY
        }
        shown = {path for path, (mine, _) in differ.items() if mine}
        hidden = {path for path, (_, others) in differ.items() if others}
        named = [
            (line, [found.rstrip(":.") for found in _AN_ID.findall(line.summary)])
            for line in entry.lines
        ]
        strange = any(not self.sees_id(id_) for _, ids in named for id_ in ids)
        if not hidden and not strange:
            return entry
        lines: list[LogLine] = []
        for line, ids in named:
            if not all(map(self.sees_id, ids)):
                continue
            if speaks_of(line.path, shown):
                lines.append(replace(line, summary=CHANGED) if hidden else line)
            elif ids and line.path not in hidden:
                lines.append(line)
        return replace(entry, lines=tuple(lines), trigger="") if lines else None

    def differ(
        self, path: str, before: bytes | None, after: bytes | None
    ) -> tuple[bool, bool]:
        """Whether versions differ in what is for them, and in what is for others."""
        more = self._appended(path, before or b"", after or b"") if self else None
        if more is not None:
            return any(more), not all(more)
        (old, others), (new, later) = (self._parted(path, d) for d in (before, after))
        only = others != later and (before is None or after is None)
        if only and not any(line.startswith("## ") for line in (*old, *new)):
            # A list came with what is for others alone; its title says nothing.
            return False, True
        return old != new, others != later

    def _appended(self, path: str, before: bytes, after: bytes) -> list[bool] | None:
        """Of what was only added to a log, whether it is for them, one by one.

        A log is added to again and again, and reading all of it each time would cost
        the square of its length.
        """
        if not before or not after.startswith(before):
            return None
        entries = read_appended(path, before, after)
        parts = len(re.findall(rb"^## ", after[len(before) :], re.MULTILINE))
        if entries is None or len(entries) != parts:
            return None
        return [self.sees(scope(entry)) for entry in entries]

    def changed(self, commit: str) -> dict[str, tuple[bytes | None, bytes | None]]:
        """What a change did to files: their bytes before and after."""
        ledger = self._session.ledger
        return {
            path: (ledger.content(before), ledger.content(after))
            for path, (before, after) in ledger.changed(commit).items()
        }

    def _parted(self, path: str, data: bytes | None) -> tuple[list[str], list[str]]:
        """The words of a file's lines: those for them, and those for others."""
        lines = split_lines((data or b"").decode("utf-8", "replace"))
        mine = self.lines(path, data)
        parts: tuple[list[str], list[str]] = ([], [])
        for number, line in enumerate(lines, 1):
            if not _BETWEEN.fullmatch(line):
                parts[number not in mine].append(line.rstrip())
        return parts

    def receipt(self, receipt: Receipt) -> Receipt:
        """Proof of a change, as they are told of it."""
        if not self or not receipt.lines:
            return receipt
        told = self.entry(self._session.ledger.entry(receipt.commit))
        ids = tuple(id_ for id_ in receipt.ids if self.sees_id(id_))
        return replace(receipt, lines=told.lines if told else (), ids=ids)

    def alerts(self, alerts: Sequence[Alert]) -> list[Alert]:
        """Alerts of changes that touched what is for them."""
        if not self:
            return list(alerts)
        found = []
        for alert in alerts:
            # One of another history tells of no file, and the change may be gone.
            moved = alert.kind == MOVED
            entry = None if moved else self._session.ledger.entry(alert.commit)
            told = self.entry(entry) if entry else None
            if told == entry:
                found.append(alert)
            elif told and any(line.path == alert.path for line in told.lines):
                found.append(replace(alert, summary=CHANGED))
        return found

    def require_own(
        self, contents: Mapping[str, bytes | None], ids: Iterable[str], what: str
    ) -> None:
        """Refuse a change of files that would touch what is for others.

        Args:
            contents: What the files shall hold.
            ids: Memories whose scores shall change.
            what: What somebody wants to do.
        """
        if not self:
            return
        read = self._session.ledger.read
        for path, new in contents.items():
            if path not in OF_EVERYBODY and self.differ(path, read(path), new)[1]:
                raise OthersMemoriesError(what)
        scopes = self._session.index.scopes()
        if not all(self.sees(scopes.get(id_, "")) for id_ in ids):
            raise OthersMemoriesError(what)


def _lines(*parts: Section | Entry) -> set[int]:
    """The numbers of the lines that parts of a file take."""
    spans = (range(p.line, p.line + len(split_lines(p.raw))) for p in parts)
    return {number for span in spans for number in span}


def speaks_of(told: str, paths: Collection[str]) -> bool:
    """Whether a line of history is about one of some files, or a folder of them."""
    if told.endswith("/*"):
        return any(path.startswith(told[:-1]) for path in paths)
    return told in paths
