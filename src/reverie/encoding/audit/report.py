"""One audit: every file is read once, and what is found in it is counted.

Of a file nothing is kept but where something stands, and a few words to know it by,
without the secrets in them.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from reverie.encoding.audit import looking
from reverie.encoding.audit.entries import Repeats, cut_entries
from reverie.encoding.audit.folder import is_memory, look_over, realm
from reverie.encoding.importing.access import UNREADABLE, opened, unreadable
from reverie.encoding.importing.front_matter import parse_front_matter
from reverie.encoding.importing.plain import decode
from reverie.markdown import split_lines
from reverie.model.audit import AuditReport, Count, Example, Fault, Loaded, Spot, Start
from reverie.model.finding import Finding, Severity
from reverie.secrets import redacted_in_place
from reverie.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from reverie.encoding.audit.folder import Folder
    from reverie.encoding.importing.found import Source

LARGEST = 10_000_000
"""Bytes; what is larger is no file of memories."""

_REDACTED = "[redacted: "
_MENDS = {
    Fault.SECRETS: "Change each where it is used, then delete it here and from every "
    "copy and history.",
    Fault.INVISIBLE: "Delete the characters, and look what they hid.",
    Fault.LOOPS: "Delete the blocks: they are copies of what memory holds. Then keep "
    "what is recalled from being stored.",
    Fault.DUPLICATES: "Keep one of each and delete the others.",
    Fault.NEAR: "Look which one of each holds, and delete what it makes needless.",
    Fault.LINKS: "Write the page that is missing, or take the link out.",
}


def audit_folder(
    path: Path,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
    examples: int | None = None,
) -> AuditReport:
    """Count what should not be at a path; nothing is changed.

    Args:
        path: A workspace, the memory of another agent, any folder, file or zip.
        progress: Told how many files are read, of how many.
        examples: How many of each fault are named; by default all.

    Raises:
        MissingSourceError: Nothing is there.
    """
    folder = look_over(path)
    audit = _Audit(folder)
    for done, source in enumerate(folder.sources, 1):
        audit.read(source)
        progress(done, len(folder.sources))
    return AuditReport(
        str(path),
        folder.store,
        audit.files,
        audit.size,
        audit.entries,
        tuple(audit.counts(examples)),
        tuple(sorted(audit.starts(), key=lambda start: -start.tokens)),
        (*folder.left_out, *audit.left_out),
    )


class _Audit:
    """What was found so far."""

    def __init__(self, folder: Folder) -> None:
        self.files = self.size = self.entries = 0
        self.left_out: list[Finding] = []
        self._folder = folder
        self._targets = looking.Targets(folder.root, folder.names)
        self._noted: dict[Fault, list[Example]] = {fault: [] for fault in Fault}
        self._loops, self._files = Repeats(), Repeats()
        self._entries = Repeats(compared=True)
        self._links: list[tuple[str, looking.Link]] = []
        self._loaded: defaultdict[str, list[Loaded]] = defaultdict(list)

    def read(self, source: Source) -> None:
        """Look at one file, or note why not."""
        try:
            with opened(source) as stream:
                data = stream.read(LARGEST + 1)
        except UNREADABLE as error:
            self.left_out.append(unreadable(source.name, error))
            return
        large = len(data) > LARGEST
        text = None if large else _text(data)
        if text is None:
            what = f"is larger than {LARGEST:,} bytes" if large else "is not text"
            odd = Finding(source.name, 0, what, severity=Severity.WARNING)
            self.left_out.append(odd)
            return
        self.files += 1
        self.size += len(data)
        self._look(source.name, text)

    def _look(self, name: str, text: str) -> None:
        own = self._folder.own(name)
        clean, secrets = redacted_in_place(text)
        lines = split_lines(clean)
        self._note(Fault.SECRETS, name, secrets)
        self._note(Fault.INVISIBLE, name, looking.find_invisible(lines))
        self._targets.name(parse_front_matter(clean).names)
        if not own.startswith("memory/graph/"):
            # In there they are of our own making; `check` looks at them.
            self._links += ((name, link) for link in looking.find_links(lines))
        loaded = self._folder.loaded(name, text)
        if loaded:
            place = name.rpartition("/")[0]
            self._loaded[place].append(Loaded(name, count_tokens(loaded)))
        self._compare(name, own, clean, lines)

    def _note(self, fault: Fault, name: str, found: Iterable[tuple[int, str]]) -> None:
        self._noted[fault] += (Example(Spot(name, n), what) for n, what in found)

    def _compare(self, name: str, own: str, clean: str, lines: list[str]) -> None:
        recalled: set[int] = set()
        for first, last, what in looking.find_loops(lines):
            self._loops.add("".join(lines[first - 1 : last]), Spot(name, first), what)
            recalled.update(range(first, last + 1))
        whole = _REDACTED not in clean
        if whole and self._files.add(clean, Spot(name, 1), realm(own)) > 1:
            # Of a file that is a copy of another, no line is told of again.
            return
        for line, said, under in cut_entries(clean):
            if not is_memory(own, under, said):
                continue
            self.entries += 1
            if line not in recalled and _REDACTED not in said:
                self._entries.add(said, Spot(name, line), realm(own), under)

    def counts(self, most: int | None) -> Iterator[Count]:
        """How often each fault was found, with so many examples of it."""
        for name, link in self._links:
            if self._targets.leads_nowhere(link, name):
                found = Example(Spot(name, link.line), f"{link.written} leads nowhere")
                self._noted[Fault.LINKS].append(found)
        for held in self._loops.texts.values():
            self._group(Fault.LOOPS, held.realm, held.spots)
        for held in self._files.same():
            self._group(Fault.DUPLICATES, "the whole file", held.spots)
        for held in self._entries.same():
            self._group(Fault.DUPLICATES, f"“{held.quote}”", held.spots)
        for held, others in self._entries.near():
            spots = [held.spots[0], *(other.spots[0] for other in others)]
            self._group(Fault.NEAR, f"nearly all of “{held.quote}”", spots)
        for fault, noted in self._noted.items():
            # One of several that are alike may stay.
            stays = fault in {Fault.DUPLICATES, Fault.NEAR}
            times = sum(len(each.also) + (not stays) for each in noted)
            yield Count(fault, times, _MENDS[fault], tuple(noted[:most]))

    def _group(self, fault: Fault, what: str, spots: list[Spot]) -> None:
        first, *also = spots
        times = f" stands in {len(spots):,} places" if also else ""
        self._noted[fault].append(Example(first, what + times, tuple(also)))

    def starts(self) -> Iterator[Start]:
        """What an agent loads where it starts."""
        for place, files in self._loaded.items():
            longest = tuple(sorted(files, key=lambda file: -file.tokens))
            yield Start(place, sum(file.tokens for file in files), longest)


def _text(data: bytes) -> str | None:
    """The text of a file with all that is invisible in it; None if it is no text."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text, odd = decode(data)
        return None if odd and b"\0" in data else text
    return None if "\0" in text else text
