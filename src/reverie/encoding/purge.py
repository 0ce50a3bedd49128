"""Purge: take everything of one origin out, in one change that can be undone.

It is no erasure: history keeps it, and `undo` brings it back. And it is no wish to
forget: what is told again by somebody else is learned again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.errors import RefusedError
from reverie.index.schema import origin as origin_of
from reverie.markdown import split_lines
from reverie.model.change import Action, Approval, ChangeSet, Edit, Receipt, checksum
from reverie.model.items import Episode, Turn
from reverie.model.origin import Origin, stated
from reverie.model.views import Purge, Taken
from reverie.stores import core, entities, episodes, proposals, turns
from reverie.stores.entities import FACTS, parse_fact
from reverie.stores.reader import decode, load_vocabulary, read_file
from reverie.stores.turns import mark_deleted
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.model.change import Actor
    from reverie.model.items import Entry
    from reverie.session.session import House

_TOLD = {
    Origin.TOOL: (b"tool",),
    Origin.IMPORT: (b"import", b"Origin:"),
    Origin.SUBAGENT: (b"sub-agent",),
    Origin.AGENT: (b"agent", b"conversation", b"reflection", b"assistant"),
}
"""What a file says somewhere that has anything of an origin: most have not."""

_FOLDERS = tuple(
    f"{folder}/"
    for folder in (
        *(layout.EPISODES, layout.ENTITIES, layout.PROCEDURES),
        *(layout.VAULT, layout.CONVERSATIONS),
    )
)
"""Where anybody's words may stand."""

PURGEABLE = tuple(_TOLD)
"""Origins of which everything can be taken out; the owner's words are forgotten."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to go.

    Attributes:
        origin: Whose words.
        source: Only what was imported from here; empty for everything.
        day: The day of the wish.
    """

    origin: Origin
    source: str
    day: str

    def is_from(self, said: str) -> bool:
        """Whether something that says where it was imported from is meant."""
        kind, _, name = said.partition(":")
        bare, _, line = name.rpartition(":")
        names = {name, f"{kind}:{name}"}
        if bare and line.isdecimal():
            names |= {bare, f"{kind}:{bare}"}
        return not self.source or self.source in names


@dataclass(frozen=True, slots=True)
class Cut:
    """What goes of one file, and the edit by which it goes."""

    taken: tuple[Taken, ...]
    edit: Edit


def plan_purge(path: str, data: bytes, wanted: Wanted) -> Cut | None:
    """Plan to take out of a file all that is wanted; None if it has nothing of it."""
    if not any(told in data for told in _TOLD[wanted.origin]):
        return None
    text, problems = decode(data, path)
    if problems:
        return None
    new: str | None
    if path == layout.PENDING:
        taken, new = _proposals(text, path, wanted)
    elif path.startswith(f"{layout.ENTITIES}/"):
        taken, new = _facts(text, path, wanted)
    else:
        entries = read_file(path, data, load_vocabulary(None)).entries
        meant = [each for each in entries if _is_meant(each, text, wanted)]
        taken = [Taken(str(e.id), path, e.line, e.text) for e in meant]
        new = _without(path, text, meant, wanted) if meant else text
    if not taken:
        return None
    bom = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
    left = None if new is None else bom + new.encode()
    action = Action.DELETE if left is None else Action.ARCHIVE
    why = f"purged {len(taken):,} of origin {wanted.origin}"
    return Cut(tuple(taken), Edit(path, left, checksum(data), action, why))


def _is_meant(entry: Entry, text: str, wanted: Wanted) -> bool:
    if origin_of(entry) is not wanted.origin:
        return False
    match entry.item:
        case Episode(more=more):
            said = next((value for key, value in more if key == "origin"), "")
            return wanted.is_from(said)
        case Turn():
            return wanted.is_from(turns.origin_of(text))
        case _:
            return not wanted.source


def _without(path: str, text: str, meant: list[Entry], wanted: Wanted) -> str | None:
    """A file without some entries; None where nothing is left of it."""
    lines = {entry.line for entry in meant}
    if path == layout.CORE:
        return core.render_core(core.without_lines(core.parse_core(text, path), lines))
    if path.startswith(f"{layout.EPISODES}/"):
        parts = episodes.parse_day(text, path).parts
        left = [p for p in parts if p.heading is None or p.line not in lines]
        head = [line for line in left[0].raw.split("\n") if line.strip()]
        says = len(left) > 1 or len(head) > 1
        return "".join(part.raw for part in left) if says else None
    if path.startswith(f"{layout.CONVERSATIONS}/"):
        if wanted.origin is Origin.IMPORT:
            # An imported conversation goes as a whole; others keep their numbers.
            return None
        said = [entry.item for entry in meant if isinstance(entry.item, Turn)]
        keys = {(turn.number, turn.role) for turn in said}
        return mark_deleted(text, path, keys, wanted.day)
    # A procedure or a note is one file.
    return None


def _facts(text: str, path: str, wanted: Wanted) -> tuple[list[Taken], str | None]:
    """The facts of a page that are meant, and the page without them."""
    page = entities.parse_entity(text, path)
    gone: set[int] = set()
    taken = []
    for piece in page.page.items(FACTS):
        fact = parse_fact(piece)
        if not wanted.source and stated(fact.by, fact.source) is wanted.origin:
            gone |= set(range(piece.line, piece.line + len(split_lines(piece.raw))))
            name = f"entity:{page.entity.name}"
            taken.append(Taken(name, path, piece.line, fact.text))
    lines = split_lines(text)
    left = "".join(line for n, line in enumerate(lines, 1) if n not in gone)
    rest = entities.parse_entity(left, path).entity
    # A page stays if it tells more than what it is linked with.
    told = (rest.facts, rest.summary, rest.timeline, rest.questions)
    return taken, left if any(told) else None


def _proposals(text: str, path: str, wanted: Wanted) -> tuple[list[Taken], str]:
    pending = proposals.parse_pending(text, path)
    taken = []
    for one in pending.proposals:
        if one.origin is wanted.origin and not wanted.source:
            taken.append(Taken(f"#{one.number}", path, 0, one.content))
            pending = proposals.remove_proposal(pending, one.number)
    return taken, proposals.render_pending(pending)


def find_purge(house: House, origin: Origin | str, source: str) -> Purge:
    """Everything of one origin, and where it stands."""
    if origin not in PURGEABLE:
        named = str(origin)[:40]
        what = f"everything of origin {named!r} cannot be taken out at once"
        hint = f"It can be {', '.join(PURGEABLE)}; your own words: `reverie forget`."
        raise RefusedError(what, hint=hint)
    kind = Origin(origin)
    if source and kind is not Origin.IMPORT:
        what = f"what comes from {kind} does not say which one it was"
        hint = "Only an import has a source; leave it out to take all of it."
        raise RefusedError(what, hint=hint)
    house.look()
    cuts = _cuts(house, kind, source)
    return Purge(kind, source, tuple(each for cut in cuts for each in cut.taken))


def purge(house: House, shown: Purge, actor: Actor) -> Receipt:
    """Take out what was shown: all of it in one change, or nothing."""
    house.look()
    cuts = tuple(_cuts(house, shown.origin, shown.source))
    if tuple(each for cut in cuts for each in cut.taken) != shown.taken:
        what = "nothing was taken out: memory has changed since it was shown"
        raise RefusedError(what, hint="Look again at what would go, then confirm.")
    ids = tuple(dict.fromkeys(each.id for each in shown.taken))
    if not cuts:
        return Receipt(house.ledger.head, house.clock(), (), actor, ids)
    trigger = f"purge --origin {shown.origin}"
    trigger += f" --source {shown.source}" if shown.source else ""
    edits = tuple(cut.edit for cut in cuts)
    receipt = house.commit(ChangeSet(edits, actor, Approval.NONE, trigger))
    return Receipt(receipt.commit, receipt.at, receipt.lines, actor, ids)


def _cuts(house: House, origin: Origin, source: str) -> Iterator[Cut]:
    wanted = Wanted(origin, source, house.clock().date().isoformat())
    for path in sorted(house.index.signatures()):
        if path not in {layout.CORE, layout.PENDING} and not path.startswith(_FOLDERS):
            continue
        data = house.ledger.read(path)
        cut = plan_purge(path, data, wanted) if data else None
        if cut is not None:
            yield cut
