"""Derived and deletable: what is where, how vivid it is, what needs a look.

`Index` is the port that the rest of the package names: all that the rooms above may
ask of what is derived from the files. One SQLite file below `.reverie/` is behind it,
`SqliteIndex`; nobody but the session, which opens it, knows that. Beside the port
stand what every index keeps of a memory (`index.located`), the arrays of all candidates
(`index.view`), how texts are read (`index.text`), and how an index is brought from
one commit to another, or to one that is only imagined (`index.sync`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from reverie.errors import UnavailableError
from reverie.model.items import Origin

if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Collection,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )
    from contextlib import AbstractContextManager
    from datetime import date, datetime

    from reverie.decay import Trace, TraceRow
    from reverie.embedding import Embedder
    from reverie.index.attestation import FileRecord, Past
    from reverie.index.view import View
    from reverie.model.ids import Store
    from reverie.model.items import Edge, Entry
    from reverie.workspace.files import Signature


class IndexUnavailableError(UnavailableError):
    """The index cannot be read or written at the moment."""

    says = "the index {0.name} cannot be used: {1}"
    mend = (
        "If the disk is full or read-only, mend that. The index holds "
        "nothing that is not elsewhere: `reverie rebuild` makes it anew."
    )


class IndexDamagedError(IndexUnavailableError):
    """The index is no readable database any more."""


class IndexAlteredError(IndexDamagedError):
    """The index says what no file says; of it, nothing is told."""

    says = "the index had been altered: it did not say what the files say"
    mend = (
        "`reverie rebuild` makes it anew. Something else than Reverie writes "
        "below .reverie/: find out what."
    )


class Located(NamedTuple):
    """A memory as the index keeps it: all that an answer can show of it.

    Attributes:
        id: Its id.
        store: Which store it is in.
        path: Its file.
        line: Where it stands there.
        title: What it is called.
        text: What it says.
        aside: What it said and what holds no longer; found, never quoted as true.
        names: What an entity is called, what an import came from, what started a
            context reflection, or that it waits for a mind; of a fact, the days from
            which it holds, on which its page is due for a change, and on which it
            ends, parted by blanks (see `fact_days`).
        at: When it happened, in seconds; None if nobody knows.
        scope: The person it is for alone; empty for everybody.
        origin: Whose words it is.
        gone: What was forgotten of it, a line each.
        company: The conversation or the day it stands in.
        place: Its place there.
        speaker: Who said it, of a turn.
        page: Of a fact, the id of the page that it stands on.
        basis: Ids of what it was noted of, with a blank between.
    """

    id: str
    store: Store
    path: str
    line: int
    title: str
    text: str
    aside: str = ""
    names: str = ""
    at: int | None = None
    scope: str = ""
    origin: Origin = Origin.OWNER
    gone: str = ""
    company: str = ""
    place: int = 0
    speaker: str = ""
    page: str = ""
    basis: str = ""


class ScoredMemory(NamedTuple):
    """A memory and what its score is made of.

    Attributes:
        id, path, title, origin: As `Located` has them.
        trace: What its score is made of.
        moment: The place of an episode that waits; see `places`.
        minute: What comes together: the minute, or of late ones the moment.
    """

    id: str
    path: str
    title: str
    origin: Origin
    trace: Trace
    moment: int = 0
    minute: int = 0


class KnownMemory(NamedTuple):
    """A fact, an episode or a page that asks something, without its words.

    Attributes:
        number: What comes later has a larger one.
        id, page, at, origin: As `Located` has them.
        size: How long its text is.
        trace: What its score is made of; of a fact, its page's. None for none.
    """

    number: int
    id: str
    page: str
    at: int | None
    origin: Origin
    size: int
    trace: Trace | None


class Sharing(NamedTuple):
    """Memories that share words with a text.

    Attributes:
        weights: How telling each word of the text is, by how few memories have it.
        best: Those that share most of that weight first, none of them a turn.
    """

    weights: dict[str, float]
    best: list[Located]


class ReadUpTo(NamedTuple):
    """How far the episodes were read, in the order in which they were learned of.

    Attributes:
        moment: The place of the last that was read; see `places`.
        until: What happens later than this is not meant.
        by_noted: Whether what was noted later than it happened counts by that.
        noted_until: Only what was noted by then; None for all. `until` is then exact,
            and does not stand for its whole minute.
    """

    moment: int
    until: datetime
    by_noted: bool = True
    noted_until: datetime | None = None


class Used(NamedTuple):
    """Uses of one memory: its id, when it was last of use, and how often."""

    id: str
    at: datetime
    times: int = 1


class Index(Protocol):
    """What can be asked of an index that is in step with the ledger.

    It is brought there by `index.sync`. Whatever is told of a memory stands so in its
    file, or `IndexAlteredError` is raised. Memories have numbers, which are opaque:
    the views, rows and vectors of one index agree on them, and nobody keeps them.
    """

    # --- itself

    @property
    def seen(self) -> str:
        """The commit whose state it shows; empty for none."""

    @property
    def size(self) -> int:
        """How many bytes it takes."""

    def close(self) -> None:
        """Let go of it."""

    def changing(self, *, wait: bool = True) -> AbstractContextManager[None]:
        """One transaction: all that is put, or nothing.

        Args:
            wait: Whether to wait for another process that is in one.
        """

    def emptied(self) -> AbstractContextManager[None]:
        """Forget everything, to be filled anew; vectors of the same words come back."""

    def copy(self, past: Past) -> Index:
        """The same in memory, for another history; this one stays as it is."""

    def resting(self, chore: str, now: float) -> bool:
        """Whether a chore was done so lately that it need not be done again."""

    def note_done(self, chore: str, now: float, rest: float) -> None:
        """Say that a chore was done, and for how many seconds that will do."""

    def fold(self, name: str) -> tuple[bytes, bytes]:
        """What was folded out of history, and its seal; empty for nothing."""

    def put_fold(self, name: str, data: bytes, seal: bytes) -> None:
        """Keep what was folded out of history."""

    # --- files

    def more_files(self, than: int) -> bool:
        """Whether more files than so many are known; no more are counted."""

    def signatures(self) -> dict[str, Signature]:
        """What every file that is vouched for looked like when it was last known."""

    def put_signature(
        self,
        path: str,
        blob: str,
        looks: Signature | None,
        read: tuple[str, int] | None = None,
        touched: str = "",
    ) -> None:
        """Note a file's looks, within a transaction.

        Args:
            path: The file.
            blob: Its content id; empty if the ledger no longer has it.
            looks: Its looks; None if they are not known for certain.
            read: The commit at which it was last read as a whole, and its number of
                lines; None if that is what is known.
            touched: The commit that changed it; empty if that is what is known.
        """

    def paths_named(self, folder: str, name: str) -> list[str]:
        """Where files of one name stand below a folder, the uppermost first."""

    def own_files(self, folder: str) -> list[str]:
        """The files below a folder that hold something, and nothing imported."""

    def latest(self, folder: str) -> dict[str, int | None]:
        """When the newest of each file below a folder happened, in seconds."""

    def touched(self, path: str) -> str:
        """The commit that last changed a file; empty if none is known."""

    # --- memories

    def find(self, id_: str) -> Located | None:
        """One memory by its id, a page with its facts; of two files, the first."""

    def items(self, store: Store | None = None) -> Iterator[Located]:
        """Every memory, or those of one store, by id; a page with its facts."""

    def in_files(self, paths: str | Sequence[str], last: int = 0) -> Iterator[Located]:
        """The memories of a file or some, in order.

        Args:
            paths: Which files.
            last: Only so many of each, its last ones; 0 for all.
        """

    def counts(self, scope: str = "") -> dict[str, int]:
        """How many memories each store has, facts not counted; for a person, theirs."""

    def scopes(self) -> dict[str, str]:
        """Whom memories are for, of those that are for one person alone, by id."""

    def scope_of(self, id_: str) -> str:
        """The person whom a memory is for alone; empty for everybody."""

    def origins(self, ids: Iterable[str]) -> dict[str, Origin]:
        """Whose words some memories are, by id; those that exist."""

    def newest(
        self,
        store: Store,
        limit: int,
        any_of: Sequence[str],
        fits: Callable[[str, str], bool] | None = None,
    ) -> list[Located]:
        """Return the newest memories of a store that have one of some words.

        Args:
            store: The store.
            limit: How many of its newest memories are searched.
            any_of: Words as they are spelled, at least one; the empty one is in all.
            fits: Decides by title and text which of these are returned; all without.

        Returns:
            The newest first.
        """

    def behind(self, ids: Iterable[str]) -> set[str]:
        """Ids of what some memories were noted of."""

    def imported(self) -> list[tuple[str, str]]:
        """Origins and texts of all episodes that were imported."""

    def unrouted(self, most: int) -> list[tuple[str, str]]:
        """Ids and files of episodes that wait for a mind, the oldest first."""

    def unfiled(self, most: int) -> list[tuple[str, str]]:
        """Ids and files of imported episodes that a mind has not read yet."""

    def pages_due(self, day: date) -> list[str]:
        """Return IDs of pages on which a fact begins or ends by a day."""

    def asking(self, begin: str, ids: Iterable[str] = ()) -> list[tuple[str, str]]:
        """Ids of entities whose pages have a line that begins so, and the line.

        Of all of them, or of those that are named.
        """

    def known(self, scope: str, episodes: int) -> list[KnownMemory]:
        """Facts, the newest episodes and pages that ask, but for what was forgotten.

        Args:
            scope: Whom it is for; empty for who sees everything.
            episodes: So many episodes at most.
        """

    def anything_forgotten(self) -> bool:
        """Whether its human ever asked to forget anything."""

    # --- candidates and vectors

    def view(self, model: str = "") -> View:
        """Everything as arrays, as it is now, with the vectors of one model."""

    def candidates(
        self, numbers: Iterable[int]
    ) -> Mapping[int, tuple[str, TraceRow | None]]:
        """Ids and traces of some memories, by their numbers."""

    def cited(self, beginning: str) -> list[str]:
        """Ids of the memories whose citation begins so; more than one is unclear."""

    def number_of(self, id_: str) -> int:
        """The number of a memory; 0 for none."""

    def facts_of(self, pages: Iterable[str]) -> dict[int, str]:
        """Whose facts memories are: the ids of some pages, by their facts' numbers."""

    def titles(self, ids: Iterable[str]) -> dict[str, str]:
        """What some memories are called, by id; those that exist."""

    def rows(self, numbers: Iterable[int]) -> dict[int, Located]:
        """All that is kept of some memories, by their numbers."""

    def embedded(self, model: str) -> tuple[int, int]:
        """How many memories have the vectors of a model, and how many there are."""

    def without_vectors(self, model: str, after: int, limit: int) -> list[int]:
        """Return the first memories behind a number that have no vectors of a model."""

    def drop_vectors(self, keep: Callable[[str], bool]) -> None:
        """Let go of all vectors but those of the models to keep, by name."""

    def embed(self, embedder: Embedder, numbers: Sequence[int]) -> None:
        """Give vectors to some memories, by their numbers, in a transaction."""

    # --- near duplicates and shared words

    def differing(self, ids: Sequence[str] = ()) -> list[tuple[str, ...]]:
        """Return the IDs of statements that differ in one value alone, in groups."""

    def find_pages_with_several(
        self, relations: Mapping[str, str], ids: Sequence[str] = ()
    ) -> list[str]:
        """Return the paths of pages that state one of some relations more than once."""

    def alike(self, keys: Sequence[int]) -> list[Located]:
        """Memories that have keys of a sketch in common, those with most first."""

    def sharing(
        self, terms_: Iterable[str], scope: str, least: float, limit: int
    ) -> Sharing:
        """Memories that share telling words with a text, by BM25's idf.

        Args:
            terms_: The stems of the text's telling words.
            scope: The person it is for alone; empty for what everybody may see.
            least: The share of the text's weight that one line of theirs has to have.
            limit: So many at most.
        """

    def rarity(
        self, terms_: Iterable[str], least: int
    ) -> tuple[dict[str, float], float]:
        """How telling some stems are, and one that so many memories have, by idf."""

    # --- names and the graph; entities are told by their ids without the kind

    def entity_names(self) -> dict[str, list[str]]:
        """What every entity is called."""

    def names_state(self) -> tuple[int, int]:
        """Another value after any change of what entities are called."""

    def people(self, since: int = 0) -> dict[int, str]:
        """The entity of whatever stands on the page of a person, by its number.

        Args:
            since: Only what came after this number.
        """

    def names_of(self, id_: str) -> list[str]:
        """What one entity is called; nothing where there is none for everybody."""

    def known_names(self, names: Iterable[str]) -> dict[str, list[str]]:
        """Which of some names entities for everybody go by, and which."""

    def beginning(self, words: Iterable[str]) -> set[str]:
        """Which of some words any name begins with, in small letters."""

    def called(self, name: str) -> list[str]:
        """Which entities go by a name."""

    def named_like(self, name: str, most: int = ...) -> dict[str, list[str]]:
        """What entities for everybody are called whose name begins like another.

        Or like a word of it.
        """

    def beside(self, names: Iterable[str]) -> dict[str, set[str]]:
        """Which entities some others are linked with, in either direction."""

    def entity_types(self) -> dict[str, int]:
        """How many entities there are of each type."""

    def entity_uses(self) -> dict[str, int]:
        """How often each entity was used that was since it was written, by id."""

    def link_ends(
        self, paths: Iterable[str] | None = None
    ) -> dict[str, list[tuple[str, str]]]:
        """Where the relations begin and end that files, or some, tell of, by path."""

    def edges(self) -> list[Edge]:
        """The whole graph."""

    def edges_from(self, name: str, limit: int) -> list[Edge]:
        """Relations that begin at an entity, but for those to what was forgotten."""

    def edges_to(self, name: str, limit: int) -> list[Edge]:
        """Relations that end at an entity, but for those of what was forgotten."""

    def edges_among(self, names: Collection[str]) -> list[Edge]:
        """Relations between some entities, as many as fit into one question."""

    def edge_count(self) -> int:
        """How many relations there are, but for those of what was forgotten."""

    # --- scores

    def trace(self, id_: str) -> Trace | None:
        """How often and when a memory was called on: what its score is made of.

        Of a fact it is that of its page, which is what fades.
        """

    def traces(self, begin: str = "") -> dict[str, Trace]:
        """All of them, or those of ids that begin so, by id."""

    def rows_of_traces(
        self, begin: str = "", ids: Iterable[str] | None = None
    ) -> list[TraceRow]:
        """The same, or those of some ids, for who goes through very many of them."""

    def put_traces(self, traces: Mapping[str, Trace]) -> None:
        """Set some, within a transaction; they are not in `decay-scores.json` yet."""

    def count_uses(self, uses: Iterable[Used], *, reinforced: bool = False) -> int:
        """Count uses, within a transaction, as `decay.reinforced` does.

        Args:
            uses: Which memories were of use, when and how often.
            reinforced: Whether only the index knows of them; other uses can be read
                off the files.

        Returns:
            How many there were of what fades; what was forgotten stays as it is.
        """

    @property
    def uses(self) -> int:
        """How many uses are not in `decay-scores.json` yet."""

    def are_uses_due(self, many: int) -> bool:
        """Return whether the next change writes uses down.

        The whole file is written, so its cost is shared: it is done once as many uses
        wait as are told, or so many reinforcements for a number of memories as
        `snapshot_due` asks for.
        """

    def note_unsaved(self, count: int, uses: int = 0) -> None:
        """Say how many traces, and uses, are not there yet, within a transaction."""

    @property
    def snapshot_due(self) -> bool:
        """Whether they are enough to pay for a new snapshot."""

    @property
    def graph_due(self) -> bool:
        """Whether pages changed since a small graph's index was written."""

    def note_graph(self, *, stale: bool) -> None:
        """Say whether it is out of date, within a transaction."""

    def note_resurrected(self, ids: Iterable[str]) -> None:
        """Count one more return of those turns that are context reflections."""

    def resurrected(self) -> dict[str, int]:
        """How often context reflections came back, by id."""

    # --- filling it, within a transaction; `index.sync` alone does

    def put_file(
        self,
        path: str,
        entries: Sequence[Entry],
        edges: Iterable[Edge],
        since: str = "",
    ) -> None:
        """Replace what is known of one file; what is as it was stays.

        Args:
            path: The file.
            entries: All that is in it.
            edges: All relations that it tells of.
            since: The commit that it was read at.
        """

    def add_entries(self, path: str, entries: Iterable[Entry], since: str = "") -> None:
        """Add what was appended to a file that was read as a whole at a commit."""

    def move_file(self, old: str, new: str) -> None:
        """Note that a file stands elsewhere now; it has to be put there next."""

    def ids_in(self, path: str) -> set[str]:
        """The ids of the memories of one file."""

    def lines_in(self, path: str) -> set[str]:
        """Every line that the memories of one file say, or once said."""

    def links_in(self, path: str) -> set[tuple[str, str, str]]:
        """Origin, relation and target of every relation that one file tells of."""

    def path_of(self, id_: str) -> str:
        """The file in which a memory stands; empty for none."""

    def standing(self, path: str) -> FileRecord | None:
        """What is known of a file; None if nothing is, or it is not vouched for."""

    def files(self) -> Iterator[FileRecord]:
        """What is known of every file, as far as it is vouched for."""

    def drop_traces(self, ids: Iterable[str]) -> None:
        """Forget those of memories that no file holds any more."""

    def put_resurrected(self, counts: Mapping[str, int]) -> None:
        """Take over how often context reflections came back; no count shrinks."""

    def note_seen(self, commit: str) -> None:
        """Say which commit it shows now."""

    def clear(self) -> None:
        """Forget everything."""

    def scour(self) -> None:
        """Leave no byte of what was removed; outside of a transaction."""

    # --- what a reflection reads; nothing of it is for one person alone

    def waiting(self, place: ReadUpTo, limit: int) -> list[ScoredMemory]:
        """The next episodes behind a place."""

    def perhaps_late(self, place: ReadUpTo, day: str, limit: int) -> list[ScoredMemory]:
        """Episodes before a place that were noted late, on a day or after it."""

    def how_many_wait(
        self, place: ReadUpTo, *, private: bool = False
    ) -> tuple[int, str, str]:
        """How many episodes are behind a place, and the first and last day of them.

        Args:
            place: How far they were read.
            private: Whether to count those for one person alone, not the others.
        """

    def lively(self, store: Store, limit: int) -> list[ScoredMemory]:
        """Memories of a store that were of use last, and most often; not all."""

    def faintest(self, limit: int) -> list[ScoredMemory]:
        """Memories that may fade, and have not been of use for longest."""

    def unforgotten(self, store: Store) -> int:
        """How many memories of a store its human did not ask to forget."""
