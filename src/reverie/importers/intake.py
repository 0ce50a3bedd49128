"""File what was imported: chats as conversations, documents in the day logs.

Planned against what is there, so that importing twice changes nothing, and an import
that was cut off goes on where it stopped.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from reverie.encoding.gate import (
    OnlyHumansKeepError,
    OnlyRecalledError,
    pass_text,
)
from reverie.encoding.placement import FULL_DAY
from reverie.errors import RefusedError, UnavailableError
from reverie.importers.chatgpt import read_chatgpt
from reverie.importers.claude import read_claude
from reverie.importers.claude_code import read_claude_code
from reverie.importers.documents import read_markdown, read_text
from reverie.importers.obsidian import read_obsidian
from reverie.importers.openclaw import read_openclaw
from reverie.importers.pdf import read_pdf
from reverie.importers.walk import (
    CHATGPT,
    CLAUDE,
    CLAUDE_CODE,
    MARKDOWN,
    OBSIDIAN,
    OPENCLAW,
    PDF,
    TEXT,
    UNREADABLE,
    Chat,
    Passage,
    UnknownKindError,
    look,
    size_limit,
    too_large,
    unreadable,
)
from reverie.markdown import headline, one_line
from reverie.model.change import Action, Approval, ChangeSet, Edit, Secrets, checksum
from reverie.model.conversation import EDITED
from reverie.model.ids import choice, slug
from reverie.model.items import (
    Confidence,
    Episode,
    EpisodeKind,
    Finding,
    Role,
    Severity,
    Source,
    Turn,
    UnclearMomentError,
    in_utc,
)
from reverie.secrets import find_secrets, without_secrets
from reverie.secrets.refusal import SecretFoundError
from reverie.stores import episodes, turns
from reverie.stores.reader import decode
from reverie.stores.text import mended
from reverie.workspace import layout
from reverie.workspace.layout import tracked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import date, datetime
    from pathlib import Path

    from reverie.encoding.placement import Desk
    from reverie.importers.walk import Found, ImportSource, Provenance, SourceList
    from reverie.model.change import Actor
    from reverie.session.session import House


@dataclass(slots=True)
class Filing:
    """What a batch of imported things comes to.

    Attributes:
        edits: What would file them.
        added: How many memories that adds.
        known: How many were there already.
    """

    edits: tuple[Edit, ...] = ()
    added: int = 0
    known: int = 0


def file_away(found: Iterable[Found], desk: Desk) -> Filing:
    """Plan to file some imported things, without those that are filed already."""
    limit = desk.config.ledger.text_limit
    windows: dict[str, _ChatWindow] = {}
    days: dict[date, _Day] = {}
    known = 0
    for thing in found:
        if isinstance(thing, Chat):
            name = window_name(thing.origin)
            if name not in windows:
                windows[name] = _ChatWindow(name, thing, desk)
            windows[name].begin()
            for said in thing.turns:
                role, at = choice("role", said.role, Role), _when(said.at)
                speaker = mended(one_line(said.speaker))
                for text in _pieces(mended(said.text), limit):
                    turn = Turn(name, 0, role, text, at, speaker)
                    known += not windows[name].add(turn)
            continue
        moment = (_when(thing.at) or in_utc(desk.now)).replace(second=0, microsecond=0)
        day = moment.date()
        for text in _pieces(mended(thing.text), limit):
            if day not in days:
                days[day] = _Day(day, desk)
            known += not days[day].add(_episode(thing, text, moment, desk.now))
    files: list[_ChatWindow | _Day] = [*windows.values(), *days.values()]
    edits = tuple(edit for file in files for edit in file.edits())
    return Filing(edits, sum(file.added for file in files), known)


def window_name(origin: Provenance) -> str:
    """The window of an imported conversation; the same on every run."""
    name = slug(f"{origin.kind}-{origin.name}")
    if name == f"{origin.kind}-{origin.name}".casefold():
        return name
    # Two names that differ only in what a slug leaves out are two windows.
    return slug(f"{origin.kind}-{origin.name} {_print(origin.name)[:6]}")


def _when(moment: datetime | None) -> datetime | None:
    """A moment that a memory can be from; None for any other."""
    try:
        return in_utc(moment) if moment else None
    except UnclearMomentError:
        return None


def _print(text: str) -> str:
    said = " ".join(text.split()).encode("utf-8", "replace")
    return hashlib.sha256(said).hexdigest()


def _pieces(text: str, limit: int) -> Iterator[str]:
    """A text that is too long for one memory, cut where a paragraph ends."""
    while len(text) > limit // 4:
        at = text.rfind("\n\n", limit // 8, limit // 4)
        at = at if at > 0 else limit // 4
        if text[:at].strip():
            yield text[:at].strip()
        text = text[at:]
    if text.strip():
        yield text.strip()


class _ChatWindow:
    """The parts of a conversation's file, and the turns that they will have."""

    def __init__(self, window: str, found: Chat, desk: Desk) -> None:
        self._window, self._found, self._desk = window, found, desk
        self._parts: dict[int, tuple[str, bytes | None]] = {}
        self._newest = turns.last_part(lambda part: self._open(part)[1] is not None)
        known = [turn for n in range(1, self._newest + 1) for turn in self._read(n)]
        self._known = list(map(_trace, known))
        self._there: Counter[tuple[Role, str]] = Counter()
        self._number = max((turn.number for turn in known), default=0)
        self._taken = {turn.role for turn in known if turn.number == self._number}
        self._last = known[-1] if known else None
        self._fresh: list[Turn] = []
        self.added = 0

    def _open(self, part: int) -> tuple[str, bytes | None]:
        if part not in self._parts:
            name = turns.part_name(self._window, part)
            path = self._desk.place(layout.CONVERSATIONS, name)
            self._parts[part] = (path, self._desk.read(path))
        return self._parts[part]

    def _read(self, part: int) -> tuple[Turn, ...]:
        """What a part holds; what was deleted there must not come back either."""
        path, data = self._open(part)
        return turns.parse_turns(decode(data or b"", path)[0], path)

    def begin(self) -> None:
        """Take a conversation from its start; the same may come twice in a batch."""
        self._there = Counter(self._known)

    def add(self, turn: Turn) -> bool:
        """Put a turn below the others; False if it is there already."""
        key = (turn.role, _print(turn.text))
        for known in (key, (turn.role, _moment(turn))):
            if self._there[known] > 0:
                self._there[known] -= 1
                return False
        last = self._last
        if last and turn.role is last.role and self._there[_trace(last)] > 0:
            # The last turn was still being said when it was filed.
            rest = turn.text.removeprefix(last.text).strip()
            if rest and rest != turn.text and not self._fresh:
                turn = replace(turn, text=rest)
                if self._there[turn.role, _print(rest)] > 0:
                    return False
        rank = turns.SPEAKERS.index(turn.role)
        if not self._number or self._taken.intersection(turns.SPEAKERS[rank:]):
            self._number, self._taken = self._number + 1, set()
        self._taken.add(turn.role)
        self._fresh.append(replace(turn, number=self._number))
        self.added += 1
        self._known.append(key)
        return True

    def edits(self) -> Iterator[Edit]:
        title = mended(one_line(self._found.title))
        start = turns.new_window(self._window, title, _origin(self._found.origin))
        why = f"imported: {headline(title or self._window)}"
        newest = max(1, self._newest)
        for portion in turns.portions(self._fresh, newest, self._open, start):
            yield portion.edit(why)


def _trace(turn: Turn) -> tuple[Role, str]:
    """By which a turn is known again: its words, or its time if these were changed."""
    edited = turn.at and turn.field(EDITED)
    return turn.role, _moment(turn) if edited else _print(turn.text)


def _moment(turn: Turn) -> str:
    return f"{turn.at:%Y-%m-%d %H:%M:%S}" if turn.at else ""


def _origin(origin: Provenance) -> str:
    name = f"{origin.kind}:{mended(one_line(origin.name))}"
    return f"{name}:{origin.line}" if origin.line else name


def _episode(found: Passage, text: str, at: datetime, now: datetime) -> Episode:
    title = mended(one_line(found.title))
    if title and not text.startswith(title):
        text = f"{title}\n{text}"
    tags = tuple(mended(one_line(tag)) for tag in found.tags)
    more = (("origin", _origin(found.origin)), *episodes.noted(at, now))
    kind, sure = EpisodeKind.FACT, Confidence.MEDIUM
    return Episode(at, kind, sure, text, tags, Source.IMPORT, more)


_LINE = re.compile(r":\d+$")


def mark(origin: str, text: str) -> tuple[str, str]:
    """By which an imported passage is known again, also when lines have moved."""
    return _LINE.sub("", origin), _print(text)


class _Day:
    """The parts of a day's log, and what they will say."""

    def __init__(self, day: date, desk: Desk) -> None:
        self._day, self._desk = day, desk
        self.added = 0
        self._part = self._size = 0
        self._old: dict[str, bytes | None] = {}
        self._new: dict[str, list[str]] = {}
        self._last: Counter[str] = Counter()
        self._there: set[tuple[str, str]] = set()
        while self._open():
            pass

    def _open(self) -> bool:
        """Go on to the next part; whether there may be one behind it."""
        name = episodes.day_name(self._day, self._part + 1)
        path = self._desk.place(layout.EPISODES, name)
        old = self._desk.read(path)
        if old is None and self._part and self._size < FULL_DAY:
            return False
        self._part, self._path, self._old[path] = self._part + 1, path, old
        text = decode(old, path)[0] if old else ""
        for entry in episodes.parse_day(text, path).entries:
            if isinstance(entry.item, Episode):
                self._note(entry.item, str(entry.id))
        self._size = len(old or b"")
        return old is not None

    def _note(self, episode: Episode, id_: str) -> None:
        self._there.add(_mark(episode))
        minute = f"{episode.at:%H:%M}"
        number = int(id_.partition("~")[2] or 1)
        self._last[minute] = max(self._last[minute], number)

    def add(self, episode: Episode) -> bool:
        """Write an episode below the others; False if it was filed before."""
        seen = _mark(episode)
        if seen in self._there or self._desk.filed(*seen):
            return False
        if self._size >= FULL_DAY:
            self._open()
        self._there.add(seen)
        minute = f"{episode.at:%H:%M}"
        self._last[minute] += 1
        entry = episodes.render_episode(episode, self._last[minute])
        self._new.setdefault(self._path, []).append(entry)
        self._size += len(entry.encode())
        self.added += 1
        return True

    def edits(self) -> Iterator[Edit]:
        for path, entries in self._new.items():
            old = self._old[path]
            text = decode(old, path)[0] if old else ""
            new = episodes.append_entries(text, self._day, entries).encode()
            action = Action.APPEND if old else Action.CREATE
            why = f"imported {len(entries)} passages"
            yield Edit(path, new, checksum(old), action, why)


def _mark(episode: Episode) -> tuple[str, str]:
    origin = next((value for key, value in episode.more if key == "origin"), "")
    return mark(origin, episode.text)


LEFT_OUT = "[left out]"
"""What stands for a turn of which nothing could be kept."""

BATCH = 2_000
"""So many memories are committed together: what a crash can cost, and a lock lasts."""


@dataclass(slots=True)
class Imported:
    """What an import came to.

    Attributes:
        added: How many memories are new.
        known: How many were there already.
        commits: The changes that it made.
        findings: What could not be read, and why.
    """

    added: int = 0
    known: int = 0
    commits: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


@dataclass(slots=True)
class SourceReader:
    """What is to be read, and how far that is.

    Attributes:
        size: Bytes to read.
        done: Bytes of the sources that are read.
    """

    look: SourceList
    size: int
    done: int = 0

    def things(self) -> Iterator[Found | Finding]:
        """Everything in it, one after the other."""
        yield from self.look.findings
        for source in self.look.sources:
            before = self.done
            try:
                for thing in read(source):
                    yield thing
                    # How far a large export is, as far as its texts tell.
                    self.done = min(self.done + _size(thing), before + source.size)
            except UnavailableError as error:
                if len(self.look.sources) == 1:
                    raise
                # What is missing for one kind of file must not keep out the others.
                yield Finding(source.name, 0, str(error), error.hint)
            self.done = before + source.size


def _size(thing: Found | Finding) -> int:
    match thing:
        case Chat(turns=turns):
            return sum(len(said.text) for said in turns)
        case Passage(text=text):
            return len(text)
        case Finding():
            return 0


class OwnFolderError(RefusedError):
    """The workspace was to be imported into itself."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} holds nothing but this workspace itself",
            hint="What is here is remembered already; `reverie recall` finds it.",
        )


def read_all(path: Path, kind: str | None, own: Path, secrets: Secrets) -> SourceReader:
    """Look what there is to import; what is in the workspace itself is left out."""
    found, own = look(path, kind), own.resolve()
    kept = []
    for source in found.sources:
        whole = source.path.resolve()
        inside = own in whole.parents
        if not inside or not tracked(whole.relative_to(own).as_posix()):
            kept.append(replace(source, secrets=secrets))
    if found.sources and not kept:
        raise OwnFolderError(path)
    size = sum(source.size for source in kept)
    return SourceReader(replace(found, sources=tuple(kept)), size)


def screened(
    found: Iterable[Found | Finding],
    choice: Secrets,
    actor: Actor,
    forgotten: Callable[[str], bool],
) -> Iterator[Found | Finding]:
    """What may be filed of what was found: no secrets, no echoes, nothing forgotten.

    What had to be left out is told as a finding, without quoting it.
    """
    if choice is Secrets.KEEP and not actor.human:
        raise OnlyHumansKeepError
    clean = str if choice is Secrets.KEEP else without_secrets
    for thing in found:
        if isinstance(thing, Finding):
            yield thing
            continue
        name = thing.origin.name
        # A path or an id may hold a secret with its endings or without.
        parts = (part.rpartition(".")[0] for part in name.split("/") if "." in part)
        if choice is not Secrets.KEEP and any(map(find_secrets, (name, *parts))):
            # A name cannot be redacted: it is what the import goes by.
            shown = without_secrets(PurePosixPath(name).with_suffix("").name)
            what = "was left out, because its name has a secret in it"
            yield Finding(shown, 0, what, "Rename it.", Severity.WARNING)
        elif isinstance(thing, Chat):
            turns, notes = [], list[str]()
            for said in thing.turns:
                text, told = _screen(said.text, choice)
                notes += told
                # A turn keeps its place: a question and its answer stay together.
                kept = text or LEFT_OUT
                if kept == said.text and not said.speaker:
                    turns.append(said)
                else:
                    name = clean(said.speaker)
                    turns.append(replace(said, text=kept, speaker=name))
            yield from _reported(thing.origin, notes)
            yield replace(thing, turns=tuple(turns), title=clean(thing.title))
        elif forgotten(thing.text):
            yield from _reported(thing.origin, ["what was forgotten was left out"])
        else:
            text, told = _screen(thing.text, choice)
            yield from _reported(thing.origin, told)
            if text:
                title, tags = clean(thing.title), tuple(map(clean, thing.tags))
                yield replace(thing, text=text, title=title, tags=tags)


def _screen(text: str, choice: Secrets) -> tuple[str, tuple[str, ...]]:
    """What is left of a text, and what was taken out of it."""
    # Readers mark what they redact before they cut a document.
    if choice is Secrets.REFUSE and "[redacted: " in text:
        return "", ("this holds a secret, or held one; nothing of it was written",)
    try:
        passed = pass_text(text, choice)
    except OnlyRecalledError:
        return "", ()
    except SecretFoundError as error:
        return "", (str(error),)
    return passed.text, tuple(f"{kind} was redacted" for kind in passed.redacted)


def _reported(origin: Provenance, notes: Iterable[str]) -> Iterator[Finding]:
    mend = "Read it where it came from; `--secrets keep` files it as it is."
    for note in dict.fromkeys(notes):
        yield Finding(origin.name, origin.line, note, mend, Severity.WARNING)


def take_in(
    house: House,
    found: Iterable[Found | Finding],
    desk: Callable[[], Desk],
    actor: Actor,
    progress: Callable[[int], None] = lambda _done: None,
) -> Imported:
    """File everything, one commit a batch."""
    report = Imported()
    filed = cache(lambda: {mark(*each) for each in house.index.lookup.imported()})
    waiting = _things(found, report.findings)
    while batch := list(_batch(waiting)):

        def plan(batch: list[Found] = batch) -> Filing:
            def known(origin: str, text: str) -> bool:
                return (origin, text) in filed()

            return file_away(batch, replace(desk(), filed=known))

        house.persist("import", partial(_commit, house, plan, actor, report))
        progress(report.added + report.known)
    return report


def _things(
    found: Iterable[Found | Finding], findings: list[Finding]
) -> Iterator[Found]:
    for thing in found:
        if isinstance(thing, Finding):
            findings.append(thing)
        else:
            yield thing


def _commit(
    house: House, plan: Callable[[], Filing], actor: Actor, report: Imported
) -> None:
    house.sync()
    filing = plan()
    while house.make_room(filing.edits):
        filing = plan()
    if filing.edits:
        approval = Approval.NONE if actor.human else Approval.AUTO
        change = ChangeSet(filing.edits, actor, approval, "import")
        report.commits.append(house.commit(change).commit)
    report.added += filing.added
    report.known += filing.known


def _batch(things: Iterator[Found]) -> Iterator[Found]:
    """As many things as make a batch; a conversation counts by its turns."""
    size = 0
    while size < BATCH:
        thing = next(things, None)
        if thing is None:
            return
        size += len(thing.turns) if isinstance(thing, Chat) else 1
        yield thing


_READERS: dict[str, Callable[[ImportSource], Iterator[Found | Finding]]] = {
    MARKDOWN: read_markdown,
    TEXT: read_text,
    PDF: read_pdf,
    OPENCLAW: read_openclaw,
    OBSIDIAN: read_obsidian,
    CHATGPT: read_chatgpt,
    CLAUDE: read_claude,
    CLAUDE_CODE: read_claude_code,
}


def read(source: ImportSource) -> Iterator[Found | Finding]:
    """Read a source bit by bit; what cannot be read comes as a finding.

    Raises:
        UnknownKindError: The source is of no known kind.
        PdfSupportMissingError: It is a PDF, and `pypdf` is not installed.
    """
    if source.kind not in _READERS:
        raise UnknownKindError(source.kind)

    def things() -> Iterator[Found | Finding]:
        if source.size > size_limit(source.kind):
            yield too_large(source)
            return
        try:
            yield from _READERS[source.kind](source)
        except UNREADABLE as error:
            yield unreadable(source.name, error)

    return things()
