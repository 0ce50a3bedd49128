"""File what was imported on the pages of entities, where a mind is there to read it.

What waits is an episode with the tag `unfiled`: a passage, or a stretch of an imported
conversation, cut at pauses. A mind reads several at once and says which statements
belong on whose page; code checks that they are words of the piece, and keeps where
they come from. A stretch gives way to the topics the mind found in it. Each question
is one change, so whatever stops it, the rest still waits.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from reverie.encoding.placement import cut_out, plan_all, put_on_top, read_over
from reverie.encoding.route import LONGEST_FACT, places_of, read_route
from reverie.errors import NotFoundError, RefusedError
from reverie.importers.intake import STRETCH, Day, TurnRange
from reverie.index.names import find_named
from reverie.markdown import one_line
from reverie.minds.json_answers import ask
from reverie.minds.mind import (
    MindUnavailableError,
    OutOfTokensError,
    UnusableAnswerError,
)
from reverie.minds.prompts import file_question
from reverie.model.change import Action, Approval, ChangeSet, Secrets, edit_of
from reverie.model.ids import Store
from reverie.model.items import UNFILED, Episode, Origin, Source
from reverie.model.route import Semantic
from reverie.secrets import pass_words, texts_in, without_secrets
from reverie.session.conversation_record import WindowRecord
from reverie.stores import episodes
from reverie.stores.reader import decode
from reverie.stores.turns import is_deleted
from reverie.tokens import clip_to_tokens, count_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from reverie.encoding.placement import Desk, Step
    from reverie.encoding.route import Clerk
    from reverie.minds.mind import Mind
    from reverie.model.change import Actor, Edit
    from reverie.model.items import Entry
    from reverie.session.session import Session

MOST_PIECES = 40
"""So many pieces at most are read at once."""

_TAGS = re.compile(r"tags:\[([^\]]*)\]")


class Unfiled(NamedTuple):
    """Something that a mind reads: its words, and where they stand."""

    id: str
    text: str
    entry: Entry
    path: str
    number: int = 0


class Filing:
    """Files what waits.

    Args:
        session: The workspace's parts.
        clerk: Knows entities and their names.
        desk: What planning may look at, for one actor.
        forgotten: Whether a text is among what was forgotten.
    """

    def __init__(
        self,
        session: Session,
        clerk: Clerk,
        desk: Callable[[], Desk],
        forgotten: Callable[[str], bool],
    ) -> None:
        self._session, self._clerk = session, clerk
        self._desk, self._forgotten = desk, forgotten

    def file(self, mind: Mind, actor: Actor, most: int) -> int:
        """Let a mind read what waits; how many facts came of it.

        Args:
            mind: Who reads, as long as it has tokens.
            actor: Who acts.
            most: So many questions at most.
        """
        done = 0
        for _ in range(most):
            self._session.sync()
            batch = self._batch()
            if not batch:
                break
            try:
                facts, topics = self._ask(mind, batch)
            except UnusableAnswerError:
                # Asked again, it would say no better: this is data, and stays data.
                facts, topics = [], []
            except (MindUnavailableError, OutOfTokensError):
                break
            store = partial(self._store, batch, facts, topics, actor)
            self._session.persist("import", store)
            done += len(facts)
        return done

    def _batch(self) -> list[Unfiled]:
        """As many pieces as one question carries; a stretch of talk goes alone."""
        batch: list[Unfiled] = []
        room = STRETCH
        for id_, path in self._session.index.unfiled(MOST_PIECES):
            entry = _waiting(self._session, path, id_)
            if entry is None:
                continue
            said = self._turns(entry, path)
            if said:
                return batch or said
            cost = count_tokens(entry.text)
            if batch and cost > room:
                break
            batch.append(Unfiled(id_, clip_to_tokens(entry.text, STRETCH), entry, path))
            room -= cost
        return batch

    def _turns(self, entry: Entry, path: str) -> list[Unfiled]:
        """The turns of which an episode only says that they are there."""
        told = TurnRange.of(entry.item) if isinstance(entry.item, Episode) else None
        if told is None:
            return []
        window, first, last = told.window, told.first, told.last
        read, place = self._session.ledger.read, self._session.place
        files = WindowRecord(window, read, lambda p: read(p) is not None, place)
        turns = (
            turn for part in range(1, files.last + 1) for turn in files.turns(part)
        )
        return [
            Unfiled(
                f"turn:{window}/{turn.number}/{turn.role}/0",
                clip_to_tokens(f"{turn.role}: {turn.text}", STRETCH),
                *(entry, path, turn.number),
            )
            for turn in turns
            if first <= turn.number <= last and not is_deleted(turn)
        ]

    def _ask(
        self, mind: Mind, batch: Sequence[Unfiled]
    ) -> tuple[list[Step], list[Episode]]:
        """What of some pieces goes to whose page, and which topics they have."""
        talk = bool(batch[0].number)
        shown = "\n\n".join(f"[{n}] {p.text}" for n, p in enumerate(batch, 1))
        lookup, user = self._session.index, self._clerk.user()
        named = (each for piece in batch for each in find_named(piece.text, lookup))
        ids = dict.fromkeys([user, *(id_ for each in named for id_ in each.ids)])
        known = ((id_, lookup.names_of(id_)) for id_ in list(ids)[:MOST_PIECES])
        names = "\n".join(
            f"{id_}: {', '.join(called)}" for id_, called in known if called
        )
        said, who = without_secrets(shown), without_secrets(names)
        question = file_question(said, user, who, talk=talk)
        told = ask(mind, question, dict)
        facts = [
            step for each in _rows(told, "facts") for step in self._fact(each, batch)
        ]
        found = _rows(told, "topics") if talk else []
        return facts, list(_topics(found, batch, self._forgotten))

    def _store(
        self,
        batch: Sequence[Unfiled],
        facts: Sequence[Step],
        topics: Sequence[Episode],
        actor: Actor,
    ) -> None:
        """Put facts on pages, and say that their pieces wait no more, in one change."""
        self._session.sync()
        desk = replace(self._desk(), source=Source.IMPORT, said_by=Origin.IMPORT)
        edits: dict[str, Edit] = {}
        over = replace(desk, read=read_over(edits, desk.read))
        put_on_top(edits, _read_now(batch, over, keep=not topics))
        for topic in topics:
            put_on_top(edits, _append(topic, over))
        put_on_top(edits, plan_all(facts, over).edits)
        change = ChangeSet(tuple(edits.values()), actor, Approval.AUTO, "import")
        self._session.commit(change)

    def _fact(
        self, said: Mapping[str, object], batch: Sequence[Unfiled]
    ) -> Iterator[Step]:
        """A statement that is truly in its piece, and where it goes; else nothing."""
        number, words = int(str(said["piece"])), one_line(str(said["words"]))
        if not 0 < number <= len(batch):
            return
        piece = batch[number - 1]
        stands = words and words in one_line(piece.text)
        if not stands or len(words) > LONGEST_FACT or self._forgotten(words):
            return
        about = str(said["about"])
        kind = about.partition("--")[0]
        mention = {"name": said["name"] or about.partition("--")[2], "type": kind}
        answer = {
            "store": Store.SEMANTIC,
            "about": about,
            "entities": [mention],
            "relations": said["relations"],
        }
        try:
            route = read_route(answer, words, (), self._session.index)
            ((text, place), *_) = places_of(route, words)
            place = self._clerk.settled(place)
            pass_words(texts_in(place), Secrets.REFUSE)
        except (ValueError, RefusedError, NotFoundError):
            # One that makes no sense must not cost the others.
            return
        if isinstance(place, Semantic):
            item = piece.entry.item
            day = item.at.date() if isinstance(item, Episode) else None
            yield text, replace(place, since=day, basis=piece.id)


def _rows(told: Mapping[str, object], key: str) -> list[Mapping[str, object]]:
    found = told[key]
    rows = found if isinstance(found, list) else []
    return [row for row in rows if isinstance(row, Mapping)]


def _waiting(session: Session, path: str, id_: str) -> Entry | None:
    """An episode that waits, if it still stands there."""
    text = decode(session.ledger.read(path) or b"", path)[0]
    for entry in episodes.parse_day(text, path).entries:
        if str(entry.id) == id_ and isinstance(entry.item, Episode):
            return entry if UNFILED in entry.item.tags else None
    return None


def _read_now(batch: Sequence[Unfiled], desk: Desk, *, keep: bool) -> Iterator[Edit]:
    """Logs in which what was read no longer waits, or stands as its topics."""
    by_path: dict[str, dict[str, Entry]] = {}
    for piece in batch:
        by_path.setdefault(piece.path, {})[str(piece.entry.id)] = piece.entry
    for path, entries in by_path.items():
        old = desk.read(path)
        text = decode(old or b"", path)[0]
        there = [
            entry
            for entry in episodes.parse_day(text, path).entries
            if str(entry.id) in entries and entry.text == entries[str(entry.id)].text
        ]
        new = cut_out(text, there)
        if keep:
            lines = text.split("\n")
            for entry in there:
                lines[entry.line - 1] = _TAGS.sub(_untagged, lines[entry.line - 1])
            new = "\n".join(lines)
        why = f"read {len(there)} imported"
        yield edit_of(path, old, new, Action.EDIT, why)


def _untagged(found: re.Match[str]) -> str:
    tags = (tag.strip() for tag in found[1].split(","))
    return f"tags:[{', '.join(tag for tag in tags if tag != UNFILED)}]"


def _topics(
    rows: Iterable[Mapping[str, object]],
    batch: Sequence[Unfiled],
    forgotten: Callable[[str], bool],
) -> Iterator[Episode]:
    """What a mind says a stretch is about, each from the turn that it begins with."""
    item = batch[0].entry.item
    told = TurnRange.of(item) if isinstance(item, Episode) else None
    if not isinstance(item, Episode) or told is None:
        return
    for row in rows:
        first, last = int(str(row["first"])), int(str(row["last"]))
        text = without_secrets(one_line(str(row["summary"])))
        inside = 0 < first <= last <= len(batch)
        if text and inside and not forgotten(text):
            ends = {"first": batch[first - 1].number, "last": batch[last - 1].number}
            yield replace(told, **ends).episode(item.at, text, ())


def _append(episode: Episode, desk: Desk) -> tuple[Edit, ...]:
    """An episode below the others of its day; nothing where it stands there."""
    day = Day(episode.at.date(), desk)
    day.add(episode)
    return tuple(day.edits())
