"""File what was imported: chats as conversations, documents in the day logs.

Planned against what is there, so that importing twice changes nothing, and an import
that was cut off goes on where it stopped.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from datetime import time
from functools import cache, partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from reverie.encoding.gate import OnlyHumansKeepError, OnlyRecalledError, pass_text
from reverie.encoding.placement import FULL_DAY
from reverie.errors import RefusedError, UnavailableError
from reverie.importers import walk
from reverie.importers.documents import read_document, read_pdf
from reverie.importers.exports import read_claude_code, read_export
from reverie.markdown import headline, one_line
from reverie.model import items
from reverie.model.change import Action, ChangeSet, Edit, Secrets, edit_of
from reverie.model.conversation import EDITED, paused
from reverie.model.ids import choice, slug
from reverie.model.items import Episode, Finding, Role, Severity, Turn, in_utc
from reverie.printable import mended
from reverie.secrets import SecretFoundError, find_secrets, without_secrets
from reverie.secrets.adjacent import redact_adjacent
from reverie.session.conversation_record import WindowRecord
from reverie.stores import episodes, turns
from reverie.stores.reader import decode, faithful_text
from reverie.tokens import count_tokens
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import date, datetime
    from pathlib import Path

    from reverie.encoding.placement import Desk
    from reverie.model.change import Actor
    from reverie.session.session import Session

LEFT_OUT = "[left out]"
"""What stands for a turn of which nothing could be kept."""

BATCH = 2_000
"""So many memories are committed together: what a crash can cost, and a lock lasts."""

MOST_TURNS = 40
STRETCH = 2_500
"""Turns and tokens by which a stretch of a conversation ends as well."""

_STRETCH = re.compile(r"(.+)#([1-9]\d*)-([1-9]\d*)")


class FiledAway(Struct):
    """What a batch of imported things comes to: edits, memories new and known."""

    edits: tuple[Edit, ...] = ()
    added: int = 0
    known: int = 0


def file_away(found: Iterable[walk.Found], desk: Desk) -> FiledAway:
    """Plan to file some imported things, without those that are filed already."""
    windows: dict[str, _ChatWindow] = {}
    days: dict[date, Day] = {}
    known = 0
    for thing in found:
        if isinstance(thing, walk.Chat):
            name = window_name(thing.origin)
            if name not in windows:
                windows[name] = _ChatWindow(name, thing, desk)
            known += sum(not added for added in windows[name].take(thing))
            continue
        said, more = thing.at, dict[str, str]()
        if said and said.tzinfo is walk.NOWHERE:
            if said.time() == time():
                # Only the day is known.
                said, more = said.replace(hour=12), dict([episodes.NO_TIME])
            said = said.replace(tzinfo=desk.zone)
        at = desk.home(_when(said) or desk.now).replace(second=0, microsecond=0)
        if at.date() not in days:
            days[at.date()] = Day(at.date(), desk)
        for text in turns.cut(mended(thing.text), _longest(desk)):
            known += not days[at.date()].add(_episode(thing, text, at, desk, more))
    talks = list(windows.values())
    for episode in (told for talk in talks if desk.thinks for told in talk.told()):
        day = episode.at.date()
        if day not in days:
            days[day] = Day(day, desk)
        days[day].add(episode)
    files: list[_ChatWindow | Day] = [*talks, *days.values()]
    edits = tuple(edit for file in files for edit in file.edits())
    return FiledAway(edits, sum(file.added for file in files), known)


def window_name(origin: walk.Provenance) -> str:
    """The window of an imported conversation; the same on every run."""
    whole = f"{origin.kind}-{origin.name}"
    if slug(whole) == whole.casefold():
        return slug(whole)
    # Two names that differ only in what a slug leaves out are two windows.
    return slug(f"{whole} {_print(origin.name)[:6]}")


def _when(moment: datetime | None) -> datetime | None:
    """A moment that a memory can be from; None for any other."""
    try:
        return in_utc(moment) if moment else None
    except items.UnclearMomentError:
        return None


def _print(text: str) -> str:
    said = " ".join(text.split()).encode("utf-8", "replace")
    return hashlib.sha256(said).hexdigest()


def _longest(desk: Desk) -> int:
    """The most characters of one memory; a longer text makes several."""
    return desk.config.ledger.text_limit // 4


def stretches(said: Sequence[Turn]) -> Iterator[Sequence[Turn]]:
    """Cut a conversation at pauses, and where it gets long; a turn stays whole."""
    start = size = 0
    for n, turn in enumerate(said):
        before, told = said[n - 1], count_tokens(turn.text)
        full = size + told > STRETCH or n - start >= MOST_TURNS
        # A question and its answer share a number, and stay together.
        full = full and turn.number != before.number
        if n > start and (full or paused(before, turn)):
            yield said[start:n]
            start, size = n, 0
        size += told
    if said:
        yield said[start:]


def stretch_episode(
    stretch: TurnRange, title: str, some: Sequence[Turn], now: datetime
) -> Episode:
    """What stands for a stretch of a conversation until a mind has read it."""
    at = next((turn.at for turn in some if turn.at), in_utc(now))
    said = next((turn.text for turn in some if turn.role is Role.USER), some[0].text)
    numbers = f"turns {stretch.first} to {stretch.last}"
    text = f"{title or stretch.window}, {numbers}: {headline(said, 120)}"
    return stretch.episode(at, text, (items.UNFILED,))


class TurnRange(Struct, frozen=True):
    """Some turns of an imported conversation.

    Attributes:
        origin: Where the conversation comes from.
        window: Where it stands.
        first, last: The numbers of the first and the last turn.
    """

    origin: str
    window: str
    first: int
    last: int

    @classmethod
    def of(cls, episode: Episode) -> TurnRange | None:
        """The stretch that an episode tells of; None for any other."""
        more = dict(episode.more)
        found = _STRETCH.fullmatch(more.get("origin", ""))
        if not found or "window" not in more:
            return None
        return cls(found[1], more["window"], int(found[2]), int(found[3]))

    def episode(self, at: datetime, text: str, tags: tuple[str, ...]) -> Episode:
        """An episode that tells of it."""
        origin = f"{self.origin}#{self.first}-{self.last}"
        more = (("origin", origin), ("window", self.window))
        at = at.replace(second=0, microsecond=0)
        kind, sure = items.EpisodeKind.EVENT, items.Confidence.MEDIUM
        return Episode(at, kind, sure, text, tags, items.Source.IMPORT, more)


class _ChatWindow:
    """The parts of a conversation's file, and the turns that they will have."""

    def __init__(self, window: str, found: walk.Chat, desk: Desk) -> None:
        read = cache(desk.read)
        files = WindowRecord(window, read, lambda p: read(p) is not None, desk.place)
        self._window, self._found, self._desk, self._files = window, found, desk, files
        # What was deleted there must not come back either.
        parts = range(1, files.last + 1)
        known = [turn for part in parts for turn in files.turns(part)]
        self._known = list(map(_trace, known))
        self._there = Counter[tuple[Role, str]]()
        self._number = max((turn.number for turn in known), default=0)
        self._taken = {turn.role for turn in known if turn.number == self._number}
        self._last = known[-1] if known else None
        self._fresh: list[Turn] = []

    @property
    def added(self) -> int:
        return len(self._fresh)

    def take(self, chat: walk.Chat) -> Iterator[bool]:
        """Take a conversation from its start; tells of each turn whether it is new."""
        self._there = Counter(self._known)
        for said in chat.turns:
            role, at = choice("role", said.role, Role), _when(said.at)
            speaker = mended(one_line(said.speaker))
            for text in turns.cut(mended(said.text), _longest(self._desk)):
                yield self._add(Turn(self._window, 0, role, text, at, speaker))

    def _add(self, turn: Turn) -> bool:
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
        self._known.append(key)
        return True

    def told(self) -> Iterator[Episode]:
        """What stands for each stretch of what is new until a mind has read it."""
        title = mended(one_line(self._found.title))
        for some in stretches(self._fresh):
            ends = some[0].number, some[-1].number
            stretch = TurnRange(_origin(self._found.origin), self._window, *ends)
            yield stretch_episode(stretch, title, some, self._desk.now)

    def edits(self) -> Iterator[Edit]:
        title = mended(one_line(self._found.title))
        start = turns.new_window(self._window, title, _origin(self._found.origin))
        why = f"imported: {headline(title or self._window)}"
        newest, opened = max(1, self._files.last), self._files.opened
        return turns.plan_parts(self._fresh, newest, opened, start, lambda _: why)


def _trace(turn: Turn) -> tuple[Role, str]:
    """By which a turn is known again: its words, or its time if these were changed."""
    edited = turn.at and turn.field(EDITED)
    return turn.role, _moment(turn) if edited else _print(turn.text)


def _moment(turn: Turn) -> str:
    return f"{turn.at:%Y-%m-%d %H:%M:%S}" if turn.at else ""


def _origin(origin: walk.Provenance) -> str:
    name = f"{origin.kind}:{mended(one_line(origin.name))}"
    return f"{name}:{origin.line}" if origin.line else name


def _episode(
    found: walk.Passage, text: str, at: datetime, desk: Desk, told: Mapping[str, str]
) -> Episode:
    title = mended(one_line(found.title))
    if title and not text.startswith(title):
        text = f"{title}\n{text}"
    tags = tuple(mended(one_line(tag)) for tag in found.tags)
    tags = (*tags, items.UNFILED) if desk.thinks else tags
    origin = ("origin", _origin(found.origin))
    more = (origin, *told.items(), *episodes.noted(at, desk.now))
    kind, sure = items.EpisodeKind.FACT, items.Confidence.MEDIUM
    return Episode(at, kind, sure, text, tags, items.Source.IMPORT, more)


def mark(origin: str, text: str) -> tuple[str, str]:
    """By which an imported passage is known again, also when lines have moved."""
    return re.sub(r":\d+$", "", origin), _print(text)


def _mark(episode: Episode) -> tuple[str, str]:
    return mark(dict(episode.more).get("origin", ""), episode.text)


class Day:
    """The parts of a day's log, and what they will say."""

    def __init__(self, day: date, desk: Desk) -> None:
        self._day, self._desk = day, desk
        self._parts: list[tuple[str, bytes | None, list[str]]] = []
        self._last = Counter[str]()
        self._there: set[tuple[str, str]] = set()
        self.added = self._size = 0
        while self._open() is not None:
            pass
        # A new part is begun only behind one that is full.
        if len(self._parts) > 1 and (size := len(self._parts[-2][1] or b"")) < FULL_DAY:
            self._parts.pop()
            self._size = size

    def _open(self) -> bytes | None:
        """Go on to the next part; what it holds."""
        name = episodes.day_name(self._day, len(self._parts) + 1)
        path = self._desk.place(layout.EPISODES, name)
        old = self._desk.read(path)
        self._parts.append((path, old, []))
        self._size = len(old or b"")
        for entry in episodes.parse_day(decode(old or b"", path)[0], path).entries:
            if isinstance(entry.item, Episode):
                self._there.add(_mark(entry.item))
                minute = f"{entry.item.at:%H:%M}"
                number = int(str(entry.id).partition("~")[2] or 1)
                self._last[minute] = max(self._last[minute], number)
        return old

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
        self._parts[-1][2].append(entry)
        self._size += len(entry.encode())
        self.added += 1
        return True

    def edits(self) -> Iterator[Edit]:
        """What is done to its files."""
        for path, old, entries in self._parts:
            if entries:
                text = faithful_text(old, path)
                new = episodes.append_entries(text, self._day, entries)
                action = Action.APPEND if old else Action.CREATE
                count = len(entries)
                why = f"imported {count} {'passage' if count == 1 else 'passages'}"
                yield edit_of(path, old, new, action, why)


class Imported(Struct):
    """What an import came to.

    Attributes:
        added: How many memories are new.
        known: How many were there already.
        filed: How many facts a mind put on pages.
        waiting: How many memories still wait for it.
        commits: The changes that it made.
        findings: What could not be read, and why.
    """

    added: int = 0
    known: int = 0
    filed: int = 0
    waiting: int = 0
    commits: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def read(source: walk.ImportSource) -> Iterator[walk.Found | Finding]:
    """Read a source bit by bit; what cannot be read comes as a finding.

    Raises:
        UnknownKindError: The source is of no known kind.
        PdfSupportMissingError: It is a PDF, and `pypdf` is not installed.
    """
    if source.kind not in walk.KINDS:
        raise walk.UnknownKindError(source.kind)
    if source.size > walk.size_limit(source.kind):
        yield walk.too_large(source)
        return
    readers = {"pdf": read_pdf, "claude-code": read_claude_code}
    usual = read_export if source.kind in walk.CHATS else read_document
    try:
        yield from readers.get(source.kind, usual)(source)
    except walk.UNREADABLE as error:
        yield walk.unreadable(source.name, error)


class SourceReader(Struct):
    """What is to be read, and how far that is in bytes."""

    sources: list[walk.ImportSource]
    findings: list[Finding]
    size: int
    done: int = 0

    def things(self) -> Iterator[walk.Found | Finding]:
        """Everything in it, one after the other."""
        yield from self.findings
        for source in self.sources:
            before = self.done
            try:
                for thing in read(source):
                    yield thing
                    # How far a large export is, as far as its texts tell.
                    if isinstance(thing, walk.Chat):
                        said = sum(len(turn.text) for turn in thing.turns)
                        self.done = min(self.done + said, before + source.size)
            except UnavailableError as error:
                if len(self.sources) == 1:
                    raise
                # What is missing for one kind of file must not keep out the others.
                yield Finding(source.name, 0, str(error), error.advice)
            self.done = before + source.size


def read_all(path: Path, kind: str | None, own: Path, secrets: Secrets) -> SourceReader:
    """Look what there is to import; what is in the workspace itself is left out."""
    found, own = walk.look(path, kind), own.resolve()
    kept = []
    for source in found.sources:
        whole = source.path.resolve()
        inside = whole.relative_to(own).as_posix() if own in whole.parents else ""
        # Of what the ledger keeps, Markdown is read where it stands.
        if not inside or not (layout.tracked(inside) and inside.endswith(".md")):
            kept.append(replace(source, secrets=secrets))
    if found.sources and not kept:
        what = f"{path} holds nothing but this workspace itself"
        hint = "What is here is remembered already; `reverie recall` finds it."
        raise RefusedError(what, hint=hint)
    return SourceReader(kept, found.findings, sum(source.size for source in kept))


def screened(
    found: Iterable[walk.Found | Finding],
    choice: Secrets,
    actor: Actor,
    forgotten: Callable[[str], bool],
) -> Iterator[walk.Found | Finding]:
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
        name, notes = thing.origin.name, list[str]()
        # A path or an id may hold a secret with its endings or without.
        parts = (part.rpartition(".")[0] for part in name.split("/") if "." in part)
        if choice is not Secrets.KEEP and any(map(find_secrets, (name, *parts))):
            # A name cannot be redacted: it is what the import goes by.
            shown = without_secrets(PurePosixPath(name).with_suffix("").name)
            what = "was left out, because its name has a secret in it"
            yield Finding(shown, 0, what, "Rename it.", Severity.WARNING)
            continue
        kept: list[walk.Found] = []
        if isinstance(thing, walk.Chat):
            # A turn keeps its place: a question and its answer stay together.
            texts = [_screen(said.text, choice, notes) for said in thing.turns]
            if choice is not Secrets.KEEP:
                texts = _screen_adjacent(texts, choice, notes)
            turns = tuple(
                replace(said, text=text or LEFT_OUT, speaker=clean(said.speaker))
                for said, text in zip(thing.turns, texts, strict=True)
            )
            kept.append(replace(thing, turns=turns, title=clean(thing.title)))
        elif forgotten(thing.text):
            notes.append("what was forgotten was left out")
        elif text := _screen(thing.text, choice, notes):
            title, tags = clean(thing.title), tuple(map(clean, thing.tags))
            kept.append(replace(thing, text=text, title=title, tags=tags))
        mend = "Read it where it came from; `--secrets keep` files it as it is."
        for note in dict.fromkeys(notes):
            yield Finding(name, thing.origin.line, note, mend, Severity.WARNING)
        yield from kept


def _screen_adjacent(
    texts: Sequence[str], choice: Secrets, notes: list[str]
) -> list[str]:
    """Return turns without the secrets that two of them give away together."""
    clean = redact_adjacent(texts)
    if clean != list(texts):
        notes.append("a secret that the turn before asks for was redacted")
    if choice is Secrets.REFUSE:
        pairs = zip(texts, clean, strict=True)
        return ["" if new != old else old for old, new in pairs]
    return clean


def _screen(text: str, choice: Secrets, notes: list[str]) -> str:
    """What is left of a text; notes what was taken out of it."""
    # Readers mark what they redact before they cut a document.
    if choice is Secrets.REFUSE and "[redacted: " in text:
        notes.append("this holds a secret, or held one; nothing of it was written")
        return ""
    try:
        passed = pass_text(text, choice)
    except OnlyRecalledError:
        return ""
    except SecretFoundError as error:
        notes.append(str(error))
        return ""
    notes += (f"{kind} was redacted" for kind in passed.redacted)
    return passed.text


def take_in(
    session: Session,
    found: Iterable[walk.Found | Finding],
    desk: Callable[[], Desk],
    actor: Actor,
    progress: Callable[[int], None] = lambda _done: None,
) -> Imported:
    """File everything, one commit a batch."""
    report = Imported()
    filed = cache(lambda: {mark(*each) for each in session.index.imported()})

    def known(origin: str, text: str) -> bool:
        return (origin, text) in filed()

    def commit(batch: list[walk.Found]) -> None:
        session.sync()
        filing = file_away(batch, replace(desk(), filed=known))
        while session.make_room(filing.edits):
            filing = file_away(batch, replace(desk(), filed=known))
        if filing.edits:
            change = ChangeSet(filing.edits, actor, actor.approval, "import")
            report.commits.append(session.commit(change).commit)
        report.added += filing.added
        report.known += filing.known

    for batch in _batches(found, report.findings):
        session.persist("import", partial(commit, batch))
        progress(report.added + report.known)
    return report


def _batches(
    found: Iterable[walk.Found | Finding], findings: list[Finding]
) -> Iterator[list[walk.Found]]:
    """As many things as make a batch; a conversation counts by its turns."""
    batch: list[walk.Found] = []
    size = 0
    for thing in found:
        if isinstance(thing, Finding):
            findings.append(thing)
            continue
        batch.append(thing)
        size += len(thing.turns) if isinstance(thing, walk.Chat) else 1
        if size >= BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
