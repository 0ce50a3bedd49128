"""Bringing in what was written elsewhere: found, filed, committed, in batches."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from reverie.encoding.gate.passing import (
    OnlyHumansKeepError,
    OnlyRecalledError,
    pass_text,
)
from reverie.encoding.importing.filing import file_away, mark
from reverie.encoding.importing.found import Conversation, Passage
from reverie.encoding.importing.reading import read
from reverie.encoding.importing.survey import look
from reverie.errors import RefusedError, UnavailableError
from reverie.model.change import Approval, ChangeSet
from reverie.model.finding import Finding, Severity
from reverie.model.remembered import Secrets
from reverie.secrets import find_secrets, without_secrets
from reverie.secrets.refusal import SecretFoundError
from reverie.workspace.layout import tracked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from reverie.encoding.importing.filing import Filing
    from reverie.encoding.importing.found import Found, Provenance, Said, Source
    from reverie.encoding.importing.survey import Look
    from reverie.encoding.remember import Desk
    from reverie.model.change import Actor
    from reverie.session.session import House

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
class Reading:
    """What is to be read, and how far that is.

    Attributes:
        size: Bytes to read.
        done: Bytes of the sources that are read.
    """

    look: Look
    size: int
    done: int = 0

    def things(self) -> Iterator[Found | Finding]:
        """Everything in it, one after the other."""
        yield from self.look.findings
        for source in self.look.sources:
            before = self.done
            for thing in self._read(source):
                yield thing
                # How far a large export is, as far as its texts tell.
                self.done = min(self.done + _size(thing), before + source.size)
            self.done = before + source.size

    def _read(self, source: Source) -> Iterator[Found | Finding]:
        try:
            yield from read(source)
        except UnavailableError as error:
            if len(self.look.sources) == 1:
                raise
            # What is missing for one kind of file must not keep out the others.
            yield Finding(source.name, 0, str(error), error.hint)


def _size(thing: Found | Finding) -> int:
    match thing:
        case Conversation(turns=turns):
            return sum(len(said.text) for said in turns)
        case Passage(text=text):
            return len(text)
        case Finding():
            return 0


def _kept(path: Path, own: Path) -> bool:
    """Whether a file is one that the workspace keeps already."""
    whole = path.resolve()
    inside = own in whole.parents
    return inside and tracked(whole.relative_to(own).as_posix())


class OwnFolderError(RefusedError):
    """The workspace was to be imported into itself."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} holds nothing but this workspace itself",
            hint="What is here is remembered already; `reverie recall` finds it.",
        )


def read_all(path: Path, kind: str | None, own: Path, secrets: Secrets) -> Reading:
    """Look what there is to import; what is in the workspace itself is left out."""
    found = look(path, kind)
    kept = [s for s in found.sources if not _kept(s.path, own.resolve())]
    if found.sources and not kept:
        raise OwnFolderError(path)
    found = replace(found, sources=tuple(replace(s, secrets=secrets) for s in kept))
    return Reading(found, sum(source.size for source in found.sources))


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
    for thing in found:
        if isinstance(thing, Finding):
            yield thing
        elif choice is not Secrets.KEEP and _secret_name(thing.origin.name):
            # A name cannot be redacted: it is what the import goes by.
            name = without_secrets(
                PurePosixPath(thing.origin.name).with_suffix("").name
            )
            what = "was left out, because its name has a secret in it"
            yield Finding(name, 0, what, "Rename it.", Severity.WARNING)
        elif isinstance(thing, Conversation):
            yield from _screened_turns(thing, choice)
        else:
            yield from _screened_passage(thing, choice, forgotten)


def _secret_name(name: str) -> bool:
    """Whether a path or an id has a secret in it, with its endings or without."""
    parts = (part.rpartition(".")[0] for part in name.split("/") if "." in part)
    return any(map(find_secrets, (name, *parts)))


_MARK = "[redacted: "
"""What readers put in the place of a secret before they cut a document."""


def _screened_passage(
    found: Passage, choice: Secrets, forgotten: Callable[[str], bool]
) -> Iterator[Found | Finding]:
    if forgotten(found.text):
        yield from _reported(found.origin, ["what was forgotten was left out"])
        return
    said = _screen(found.text, choice)
    yield from _reported(found.origin, said.notes)
    if said.text:
        title, tags = found.title, found.tags
        if choice is not Secrets.KEEP:
            title, tags = without_secrets(title), tuple(map(without_secrets, tags))
        yield replace(found, text=said.text, title=title, tags=tags)


def _screened_turns(found: Conversation, choice: Secrets) -> Iterator[Found | Finding]:
    turns, notes = [], list[str]()
    for turn in found.turns:
        said = _screen(turn.text, choice)
        notes += said.notes
        # A turn keeps its place, so that a question and its answer stay together.
        kept = turn if said.text == turn.text else _without(turn, said.text)
        if choice is not Secrets.KEEP and kept.speaker:
            kept = replace(kept, speaker=without_secrets(kept.speaker))
        turns.append(kept)
    yield from _reported(found.origin, notes)
    title = found.title if choice is Secrets.KEEP else without_secrets(found.title)
    yield replace(found, turns=tuple(turns), title=title)


def _without(turn: Said, text: str) -> Said:
    return replace(turn, text=text or LEFT_OUT)


@dataclass(frozen=True, slots=True)
class _Screened:
    """What is left of a text, and what was taken out."""

    text: str
    notes: tuple[str, ...] = ()


def _screen(text: str, choice: Secrets) -> _Screened:
    if choice is Secrets.REFUSE and _MARK in text:
        what = "this holds a secret, or held one; nothing of it was written"
        return _Screened("", (what,))
    try:
        passed = pass_text(text, choice)
    except OnlyRecalledError:
        return _Screened("")
    except SecretFoundError as error:
        return _Screened("", (str(error),))
    notes = tuple(f"{kind} was redacted" for kind in passed.redacted)
    return _Screened(passed.text, notes)


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
    filed = _Filed(house)
    things = _without_findings(found, report.findings)
    while batch := list(_batch(things)):
        plan = partial(_plan, batch, desk, filed)
        house.persist("import", partial(_commit, house, plan, actor, report))
        progress(report.added + report.known)
    return report


class _Filed:
    """What was imported before, looked up once when it is first asked for."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._marks: set[tuple[str, str]] | None = None

    def holds(self, origin: str, text: str) -> bool:
        """Whether a text, by its mark, was filed from some origin."""
        if self._marks is None:
            self._marks = {
                mark(o, text) for o, text in self._house.index.lookup.imported()
            }
        return (origin, text) in self._marks


def _plan(batch: list[Found], desk: Callable[[], Desk], filed: _Filed) -> Filing:
    return file_away(batch, replace(desk(), filed=filed.holds))


def _without_findings(
    found: Iterable[Found | Finding], findings: list[Finding]
) -> Iterator[Found]:
    for thing in found:
        if isinstance(thing, Finding):
            findings.append(thing)
        else:
            yield thing


def _batch(things: Iterator[Found]) -> Iterator[Found]:
    """As many things as make a batch; a conversation counts by its turns."""
    size = 0
    while size < BATCH:
        thing = next(things, None)
        if thing is None:
            return
        size += len(thing.turns) if isinstance(thing, Conversation) else 1
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
