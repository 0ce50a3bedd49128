"""Trials of questions that must stay answerable, before and after a change."""

from __future__ import annotations

import re
import unicodedata
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from reverie.authority.authority import Act
from reverie.embedding import EmbedderUnavailableError
from reverie.encoding.gate import pass_text
from reverie.errors import RefusedError
from reverie.index.text import stems, terms, words
from reverie.markdown import headline, one_line
from reverie.model.change import (
    Action,
    Actor,
    Approval,
    ChangeSet,
    Edit,
    OnlyHumansError,
    Receipt,
    Secrets,
    checksum,
)
from reverie.model.items import aware, is_for
from reverie.model.reflection import Trial
from reverie.model.views import Reach
from reverie.printable import mended, storable
from reverie.recall.question import LONGEST, RecallQuestion
from reverie.recall.search import TOGETHER
from reverie.secrets import pass_words, without_secrets
from reverie.session.upkeep import fading_id
from reverie.stores import expectations as stored
from reverie.stores.expectations import same_question
from reverie.workspace.layout import EXPECTATIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    from numpy.typing import NDArray

    from reverie.embedding import Embedder
    from reverie.index import Index
    from reverie.model.reflection import Expected
    from reverie.model.views import Hit
    from reverie.recall.search import MemorySearch
    from reverie.session.session import Session

    Ask = Callable[[str], Sequence[Hit]]

MOST_BYTES = 2_000
"""A question, and an answer, may be so long."""

MOST_ADDED = 200
"""So many there may be for an agent to add one; each costs time at every proposal."""

_MAY_ADD = frozenset({"bot:main", "bot:trigger-remember"})
_ENOUGH = "A person may add more, or take some off: `reverie expect --remove`."
_IMAGINED = Actor("reflection:imagined")


# --- the list ----------------------------------------------------------------


def expectations(session: Session) -> tuple[Expected, ...]:
    """The questions that must stay answerable, as the file stands now."""
    data = session.ledger.read(EXPECTATIONS)
    return stored.parse_expectations(_text(data), EXPECTATIONS)[0] if data else ()


def expect(
    session: Session,
    expected: Expected,
    actor: Actor | None = None,
    *,
    instead: bool = False,
) -> Receipt:
    """Keep a question and what has to be found for it.

    Args:
        session: The workspace.
        expected: The question and its answer.
        actor: Who acts: a human, or the main agent on their behalf; None for who is
            there.
        instead: Whether another answer to the same question makes room; only a human
            may say so.

    Returns:
        Proof of it; without lines if it was on the list.

    Raises:
        SecretFoundError: There is a password or a key in it.
        RefusedError: Another answer is expected of the same question.
    """

    def attempt(who: Actor) -> Receipt:
        if not who.human and (instead or who.tag not in _MAY_ADD):
            raise OnlyHumansError(who)
        clean = _cleared(session, expected, who)
        what = f"must stay answerable: {headline(clean.question)}"

        def added(text: str) -> str:
            known = len(stored.parse_expectations(text, EXPECTATIONS)[0])
            if known >= MOST_ADDED and not who.human:
                enough = f"{known:,} questions are expected to stay answerable already"
                raise RefusedError(enough, hint=_ENOUGH)
            return stored.add_expected(text, clean, replace=instead)

        return session.persist("expect", lambda: _write(session, added, who, what))

    asked = f"expect an answer to {headline(mended(expected.question))}"
    return session.authority.within(Act.SIGN, asked, attempt, actor)


def unexpect(
    session: Session, question: str, actor: Actor | None = None, person: str = ""
) -> Receipt:
    """Take a question off the list, for a person; only a human may."""
    what = f"need not stay answerable: {headline(mended(without_secrets(question)))}"

    def removed(text: str) -> str:
        return stored.remove_expected(text, question, person)

    with session.authority.alone(Act.SIGN, what, actor) as who:
        return session.persist("expect", lambda: _write(session, removed, who, what))


def _cleared(session: Session, expected: Expected, actor: Actor) -> Expected:
    """An expectation that may be written down, and says truly who wanted it."""
    texts = (expected.question, expected.answer)
    question, answer = (
        storable(one_line(pass_text(text, Secrets.REFUSE).text), MOST_BYTES)
        for text in texts
    )
    # `What is the password?` makes a secret of a word that is none by itself.
    asked = question.rstrip("?!. ")
    pass_words(
        (f"{asked}: {answer}", f"{asked} is {answer}", expected.source), Secrets.REFUSE
    )
    return replace(
        expected,
        question=question,
        answer=answer,
        since=expected.since or session.clock().date(),
        source=mended(expected.source) if actor.human else str(actor),
        scope=mended(one_line(without_secrets(expected.scope))),
    )


def _write(
    session: Session, rewrite: Callable[[str], str], actor: Actor, what: str
) -> Receipt:
    session.look()
    old = session.ledger.read(EXPECTATIONS)
    new = rewrite(_text(old)).encode("utf-8", "surrogateescape")
    if new == old:
        return Receipt(session.ledger.head, session.clock(), (), actor)
    action = Action.CREATE if old is None else Action.EDIT
    edit = Edit(EXPECTATIONS, new, checksum(old), action, what)
    return session.commit(ChangeSet((edit,), actor, actor.approval, "reverie expect"))


def _text(data: bytes | None) -> str:
    """A file's text; bytes that are no UTF-8 come back as they were."""
    return (data or b"").decode("utf-8", "surrogateescape")


# --- trying ------------------------------------------------------------------


def check_now(
    session: Session, search: MemorySearch, question: str = "", person: str = ""
) -> tuple[Trial, ...]:
    """At which rank the questions, or one of them, are answered as things are.

    Args:
        session: The workspace.
        search: Who answers.
        question: Only this one; all by default.
        person: Who asks; what is for another person alone answers nothing.
    """
    session.look_sometimes()
    session.sync()
    expected = tuple(e for e in expectations(session) if is_for(e.scope, person))
    if question:
        expected = tuple(e for e in expected if same_question(e.question, question))
    if not expected:
        return ()

    def attempt() -> tuple[Trial, ...]:
        ask = _Round.begin(session, search, expected).ask(session.index, person)
        ranks = ((each, found_at(each, ask(each.question))) for each in expected)
        return tuple(Trial(each, rank, rank) for each, rank in ranks)

    return session.answered(attempt)


def answering(
    session: Session, search: MemorySearch, most: int, person: str = ""
) -> dict[str, str]:
    """Which memories answer the first so many questions, by id.

    What answers none is not named: `check_now` tells of that.
    """
    expected = [e for e in expectations(session) if is_for(e.scope, person)][:most]
    if not expected:
        return {}
    ask = _Round.begin(session, search, expected).ask(session.index, person)
    found: dict[str, str] = {}
    for each in expected:
        hits = ask(each.question)
        if rank := found_at(each, hits):
            found.setdefault(fading_id(hits[rank - 1].id), each.question)
    return found


def try_all(
    session: Session,
    search: MemorySearch,
    edits: Sequence[Edit],
    apart: Iterable[Expected] = (),
) -> tuple[Trial, ...]:
    """How the questions fare before and after some edits; nothing is changed.

    Without any question on the list, this costs nothing. What is for one person alone
    is not tried: who decides on the edits reads the outcome.

    Args:
        session: The workspace.
        search: Who answers.
        edits: What would be changed.
        apart: Questions that the same change answers anew.
    """
    anew = [each.question for each in apart]
    expected = tuple(
        each
        for each in expectations(session)
        if not each.scope
        and not any(same_question(each.question, question) for question in anew)
    )
    if not expected:
        return ()
    session.sync()
    return session.answered(lambda: _try(session, search, expected, edits))


def _try(
    session: Session,
    search: MemorySearch,
    expected: Sequence[Expected],
    edits: Sequence[Edit],
) -> tuple[Trial, ...]:
    from reverie.index.sync import imagine  # noqa: PLC0415 - who only asks reads no file

    round_ = _Round.begin(session, search, expected)
    live, seen = session.index, session.index.seen
    change = ChangeSet(tuple(edits), _IMAGINED, Approval.APPROVED, "")
    read = lambda path: session.ledger.read_at(seen, path)  # noqa: E731 - as the index shows it
    would_be = imagine(live, change, read, session.config.decay, round_.now)
    with closing(would_be):
        round_ = round_.with_new(live, would_be)
        return compare(expected, round_.ask(live), round_.ask(would_be))


class _KnownMeaning(Struct, frozen=True):
    """An embedder that was asked already for the meaning of some questions."""

    embedder: Embedder
    vectors: Mapping[str, NDArray[np.float32]]

    @property
    def name(self) -> str:
        return self.embedder.name

    @property
    def worth(self) -> float:
        return self.embedder.worth

    @property
    def reads_sentences(self) -> bool:
        return self.embedder.reads_sentences

    def embed(
        self, texts: Sequence[str], *, asked: bool = False
    ) -> NDArray[np.float32]:
        del asked
        return np.array([self.vectors[text] for text in texts])

    def kin(self, word: str) -> Sequence[tuple[str, float]]:
        return self.embedder.kin(word)


class _Round(Struct, frozen=True):
    """What all questions of one comparison share, so that only the index differs.

    Attributes:
        session: The workspace.
        now: The moment they are asked for.
        embedder: The model; None where it cannot be had.
        vectors: What the questions mean, by their text; None to go by words alone.
    """

    session: Session
    now: datetime
    embedder: Embedder | None
    vectors: Mapping[str, NDArray[np.float32]] | None = None

    @classmethod
    def begin(
        cls, session: Session, search: MemorySearch, expected: Sequence[Expected]
    ) -> _Round:
        """Ask the model once for the meaning of all questions."""
        round_ = cls(session, aware(session.clock()), search.asking())
        texts = list(dict.fromkeys(each.question[:LONGEST] for each in expected))
        with suppress(EmbedderUnavailableError):
            if round_.embedder:
                if round_.embedder is search.embedder():
                    search.embed_new([])
                rows = round_.embedder.embed(texts, asked=True)
                return replace(round_, vectors=dict(zip(texts, rows, strict=True)))
        return round_

    def with_new(self, live: Index, would_be: Index) -> _Round:
        """Give vectors to what would be new.

        What waits for its vector on both sides goes on waiting: it is no difference.
        """
        if self.embedder is None or self.vectors is None:
            return self
        known = live.view(self.embedder.name).number
        view = would_be.view(self.embedder.name)
        last = int(known[-1]) if len(known) else 0
        waiting = [int(n) for n in view.number[~view.embedded] if n > last]
        with suppress(EmbedderUnavailableError):
            for start in range(0, len(waiting), TOGETHER):
                some = waiting[start : start + TOGETHER]
                would_be.embed(self.embedder, some)
            return self
        return replace(self, vectors=None)

    def ask(self, index: Index, person: str = "") -> Ask:
        """Who answers a person's questions from an index."""
        from reverie.recall.answer import recall  # noqa: PLC0415 - numpy for who asks

        config, model = self.session.config, self.embedder.name if self.embedder else ""
        most, least = config.recall.max_results, config.recall.min_score
        asks = None
        if self.embedder and self.vectors is not None:
            asks = _KnownMeaning(self.embedder, self.vectors)

        def ask(question: str) -> Sequence[Hit]:
            how = (self.now, config, Reach.EXPLICIT, most, least)
            asked = RecallQuestion(question, *how, person=person)
            return recall(asked, index, index.view(model), asks).hits

        return ask


def compare(expected: Sequence[Expected], before: Ask, after: Ask) -> tuple[Trial, ...]:
    """How questions fare before and after.

    Args:
        expected: The questions.
        before: Answers one as things are.
        after: Answers one as things would be.
    """
    answers = ((each, before(each.question), after(each.question)) for each in expected)
    return tuple(
        Trial(each, found_at(each, b), found_at(each, a)) for each, b, a in answers
    )


_NUMBER = re.compile(r"\d+(?:[.,:-]\d+)*")
_WRITTEN = {
    "[\u0300-\u036f]+": "",
    r"(?<=\d),(?=\d{3}\b)": "",
    r"(?<=\d)/(?=\d)": "-",
    r"(?<=\d)(?=[^\W\d])|(?<=[^\W\d])(?=\d)": " ",
}
"""In what texts may differ that say the same: accents, and how numbers are written."""


def found_at(expected: Expected, hits: Sequence[Hit]) -> int:
    """Which hit holds the answer, counted from 1; 0 if none does.

    All its telling words have to stand in one memory, as that reads now; numbers as
    they are written. An answer of no telling word has to stand there literally.
    """
    answer = _folded(expected.answer)
    numbers = _NUMBER.findall(answer)
    wanted = set(terms(_NUMBER.sub(" ", answer)))
    wholes = numbers if numbers or wanted else [answer or one_line(expected.answer)]
    for rank, hit in enumerate(hits, 1):
        text = _folded(f"{hit.title}\n{hit.text}")
        text = text if answer else one_line(f"{hit.title}\n{hit.text}")
        if wanted <= set(stems(words(text))) and all(_stands(w, text) for w in wholes):
            return rank
    return 0


def _folded(text: str) -> str:
    """A text on one line, without what case, accents and notation tell apart."""
    folded = unicodedata.normalize("NFKD", text)
    for pattern, instead in _WRITTEN.items():
        folded = re.sub(pattern, instead, folded)
    return one_line(unicodedata.normalize("NFC", folded).casefold())


def _stands(words_: str, text: str) -> bool:
    """Whether words stand in a text and are no part of a longer word or number."""
    before = r"(?<!\w)(?<!\d[.,:])" if words_[0].isalnum() else ""
    after = r"(?!\w)(?![.,:]\d)" if words_[-1].isalnum() else ""
    return re.search(f"{before}{re.escape(words_)}{after}", text) is not None
