"""Context reflections: when one is due, what is asked, and how well they do (002).

What is asked for comes from the configuration or from whoever wants a summary. It
goes into our prompt as data, and so does everything that is summed up.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from msgspec.structs import replace

from reverie.conversation.sitting import Sittings
from reverie.conversation.told import newest
from reverie.encoding.gate import without_recalled
from reverie.index.text import STOP_WORDS, stems
from reverie.markdown import tidy
from reverie.minds.mind import Question
from reverie.minds.prompts import render_prompt
from reverie.model.conversation import DELETED, REFLECTION, Quality, WindowView
from reverie.model.items import Role, in_one_scope
from reverie.model.route import OBSERVATIONS
from reverie.printable import mended
from reverie.recall.context_block import harmless, within
from reverie.session.conversation_record import (
    conversations,
    due,
    newest_windows,
    state_of,
)
from reverie.stores.turns import turn_id
from reverie.tokens import clip_to_tokens, count_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from reverie.conversation.sitting import Sitting
    from reverie.model.conversation import WindowState
    from reverie.model.items import Turn
    from reverie.session.session import Session

OPERATION = "context-reflection"
"""What it is called where tokens are counted; also the name of its prompt."""

FRAME = 50
"""Tokens of the JSON around a summary; a tenth of its length comes on top."""

OBSERVING = 1200
"""Tokens of observations: a dozen of them."""

CHARACTERS = 8
"""Characters that a token has at most, on the average of a summary."""

NEWEST = 200
"""So many of the newest turns tell whether there is anything new to sum up."""


# --- when it is due: nobody speaks, and enough was said ------------------------


def sums_up(turn: Turn) -> bool:
    """Whether a turn is the summary of a context reflection."""
    return turn.role is Role.ASSISTANT and bool(turn.field(REFLECTION))


def is_due(
    session: Session,
    sitting: Sitting | None,
    state: WindowState,
    turns: Callable[[], Iterable[Turn]],
    person: str = "",
) -> bool:
    """Whether a conversation is due for a context reflection, or owes one.

    What was imported does not count, nor do messages that were deleted. What several
    people said to it alone goes into no summary.

    Args:
        session: The workspace's parts.
        sitting: What its agent was told, where it was.
        state: How far it has come.
        turns: Reads the newest turns, deleted ones too; asked only if it matters.
        person: Who would read it; it is of what is for them, or for everybody.
    """
    config, now = session.config.conversation, session.clock()
    owed = config.reflections and sitting is not None and sitting.owed
    if not state.since or not (owed or due(state, now, config)):
        return False
    # A deleted summary was one once.
    own = [
        t for t in turns() if not t.imported and (sums_up(t) or not t.field(DELETED))
    ]
    state = replace(state, since=min(state.since, state_of(own).since))
    late = (owed and state.since > 0) or due(state, now, config)
    seen = in_one_scope(own[-NEWEST:], person)[0] if late else ()
    telling = (t for t in reversed(seen) if t.role is Role.USER or t.field(REFLECTION))
    last = next(telling, None)
    if last is None or last.role is not Role.USER:
        return False
    return sitting is None or last.number > sitting.given_up


def views(
    session: Session, person: str = "", most: int = 0, skip: int = 0
) -> list[WindowView]:
    """Conversations at a glance, the newest first, as far as they are for a person.

    One in which nothing is for them is not told of at all.

    Args:
        session: The workspace's parts.
        person: Who looks.
        most: At most so many; 0 for all. Of the others nothing is read.
        skip: So many of the newest are left out.
    """
    only = None
    if most and not person:
        only, skip = newest_windows(session)[skip : skip + most], 0
    sittings, found = Sittings(session), []
    for name, (title, turns) in conversations(session, person, only).items():
        if not turns:
            continue
        there = [turn for turn in turns if not turn.field(DELETED)]
        moments = [turn.at for turn in turns if turn.at]
        state = session.journal.state(name) or state_of(turns)
        unwritten = {(t.number, t.role) for t in session.journal.waiting(name)}
        view = WindowView(
            name,
            title,
            turns=len(there),
            reflections=sum(map(sums_up, there)),
            deleted=len(turns) - len(there),
            first=min(moments, default=None),
            last=max(moments, default=None),
            due=is_due(session, sittings.load(name), state, turns.copy, person),
            reflecting=sittings.claims(name),
            unwritten=sum((turn.number, turn.role) in unwritten for turn in turns),
        )
        found.append(view)
    found.sort(key=lambda each: (each.last is None, each.last), reverse=True)
    return found[skip:][: most or None]


# --- the question, and the answer ----------------------------------------------


def context_text(turns: Sequence[Turn], core: str, memories: str, budget: int) -> str:
    """Everything in the working context, the newest kept where it is too long.

    Core memory and what was brought back get up to a quarter of the room each, the
    conversation all that is left.

    Args:
        turns: What was said, in its order, by their numbers; not those deleted.
        core: Core memory as Markdown.
        memories: What was brought back from earlier.
        budget: Tokens in all.
    """

    def build(room: int) -> tuple[str, None]:
        left, told = room, []
        for title, text in (("Core memory:", core), ("Brought back:", memories)):
            if kept := harmless(clip_to_tokens(tidy(text), room // 4)):
                told.append(f"{title}\n{kept}")
                left -= count_tokens(f"{told[-1]}\n\n")
        title = "The conversation:"
        tail = newest(turns, left - count_tokens(f"{title}\n"), numbered=True)
        if tail.entries:
            told.append("\n".join((title, *tail.entries)))
        return "\n\n".join(told), None

    return (within(budget, budget, build) or ("",))[0]


def summary_question(
    asked: str, context: str, most: int, known: str = "", observe: str = ""
) -> Question:
    """Ask for a summary, and for observations.

    Args:
        asked: What is wanted, in the words of the configuration or of who asks.
        context: From `context_text`.
        most: Tokens that it may have.
        known: Known names and facts that may be meant, one a line, each with its id.
        observe: How observations are given.
    """
    data = {"context": context, "asked": asked, "known": known or "(none)"}
    text = render_prompt(OPERATION, data, {"limit": f"{most:,}", "observe": observe})
    summary = {"type": "string", "minLength": 1, "maxLength": most * CHARACTERS}
    schema = {
        "type": "object",
        "properties": {"summary": summary, "observations": OBSERVATIONS},
        "required": ["summary"],
        "additionalProperties": False,
    }
    tokens = most + most // 10 + FRAME + OBSERVING
    return Question(OPERATION, OPERATION, text, schema, tokens)


class UnfitSummaryError(ValueError):
    """A summary that is not taken."""


def clean_summary(text: str, most: int) -> str:
    """A summary as it can be kept, whoever wrote it.

    Raises:
        UnfitSummaryError: It is empty, too long, or repeats what came out of memory.
    """
    clean, problem = tidy(mended(text)), ""
    if not any(char.isalnum() for char in clean):
        problem = "the summary is empty"
    # What is far too long need not be counted, nor looked through.
    elif len(clean) > most * CHARACTERS or count_tokens(clean) > most:
        problem = f"the summary has more than {most:,} tokens; shorten it"
    elif without_recalled(clean)[1]:
        problem = "the summary repeats lines that memory put into the context"
    if problem:
        raise UnfitSummaryError(problem)
    return clean


# --- how well they do: brought back, deleted, what about -----------------------

MOST_TOPICS = 8

_WORD = re.compile(r"[^\W\d_]\w{2,}")
_EMPTY = """
    about after again agreed all also any assistant ask asked because before between
    both context conversation current currently decide decided decision didn discuss
    discussed doesn don done each first get got just key last like made make more most
    much need needed new next not note now once one only open other out over plan
    question said say second see session since still such summary talk talked task
    thing think three time today together told topic two until up use used user very
    want wanted way well while work worked working yesterday yet
"""
_TELLS_NOTHING = STOP_WORDS | frozenset(_EMPTY.split())
"""Words that stand in every summary, whatever it is about."""


def quality(session: Session, person: str = "") -> Quality:
    """How well the context reflections of a workspace do that are for a person."""
    turns = (
        turn for _, said in conversations(session, person).values() for turn in said
    )
    # The index may be another one by then.
    found = session.answered(lambda: session.index.resurrected())  # noqa: PLW0108
    return measure(turns, found)


def measure(turns: Iterable[Turn], resurrected: Mapping[str, int]) -> Quality:
    """How well the context reflections among some turns do.

    Args:
        turns: What was said, deleted turns too.
        resurrected: By the id of a turn or of a passage in it, how often it was
            brought back.
    """
    times: Counter[str] = Counter()
    for id_, count in resurrected.items():
        times[id_.rpartition("/")[0]] += count
    back, summaries = [], list(filter(sums_up, turns))
    for turn in summaries:
        # Both halves come back together, which is one time.
        asked = replace(turn, role=Role.SYSTEM)
        ids = (str(turn_id(half)).rpartition("/")[0] for half in (turn, asked))
        back.append(max(times[id_] for id_ in ids))
    kept = [turn for turn in summaries if not turn.field(DELETED)]
    return Quality(
        written=len(summaries),
        deleted=len(summaries) - len(kept),
        resurrected=sum(back),
        useful=sum(count > 0 for count in back),
        topics=_topics(turn.text for turn in kept),
    )


def _topics(texts: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """The words that most summaries have, in their shortest form; names first."""
    holding: Counter[str] = Counter()
    forms: dict[str, str] = {}
    for text in texts:
        words = (w for w in _WORD.findall(text) if w.lower() not in _TELLS_NOTHING)
        said = {stems([word.lower()])[0]: word for word in words}
        holding.update(said.keys())
        for stem, word in said.items():
            forms[stem] = min(word, forms.get(stem, word), key=lambda w: (len(w), w))
    topics = ((forms[stem], count) for stem, count in holding.items())
    ranked = sorted(topics, key=lambda each: (-each[1], each[0].islower(), each[0]))
    return tuple(ranked[:MOST_TOPICS])
