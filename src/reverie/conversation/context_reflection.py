"""Context reflections: what is asked, who writes one, which is taken (002).

What is asked for comes from the configuration or from whoever wants a summary. It
goes into our prompt as data, and so does everything that is summed up.
"""

from __future__ import annotations

import contextlib
import re
from collections import Counter, defaultdict
from dataclasses import replace
from datetime import timedelta
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from reverie.conversation.session_notes import Sitting, claim_lasts
from reverie.conversation.told_blocks import core_text
from reverie.conversation.transcript import harmless, newest
from reverie.conversation.window import Record, scope_field
from reverie.decay import Status, standing
from reverie.encoding.gate import pass_text, without_recalled
from reverie.errors import ConflictError, RefusedError, ReverieError
from reverie.index.sqlite_index import whole
from reverie.index.text import STOP_WORDS, stems
from reverie.ledger import packs
from reverie.markdown import tidy
from reverie.minds.json_answers import ask
from reverie.minds.mind import Question
from reverie.minds.prompts import render_prompt
from reverie.model.change import Secrets
from reverie.model.conversation import (
    DELETED,
    REFLECTION,
    Cause,
    Offer,
    Quality,
    SummedUp,
    Utterance,
)
from reverie.model.items import Role, in_utc
from reverie.model.origin import in_one_scope, scope_name
from reverie.secrets import without_secrets
from reverie.stores.text import mended, storable
from reverie.stores.turns import turn_id
from reverie.tokens import clip_to_tokens, count_tokens
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from reverie.conversation.window import Talk
    from reverie.minds.mind import Mind
    from reverie.model.items import Turn

OPERATION = "context-reflection"
"""What it is called where tokens are counted; also the name of its prompt."""

FRAME = 50
"""Tokens of the JSON around a summary; a tenth of its length comes on top."""

CHARACTERS = 8
"""Characters that a token has at most, on the average of a summary."""


# --- what is summed up -----------------------------------------------------------


def context_text(turns: Sequence[Turn], core: str, memories: str, budget: int) -> str:
    """Everything in the working context, the newest kept where it is too long.

    Core memory and what was brought back get up to a quarter of the room each, the
    conversation all that is left.

    Args:
        turns: What was said, in its order; deleted turns are left out.
        core: Core memory as Markdown.
        memories: What was brought back from earlier.
        budget: Tokens in all.
    """
    room = budget
    while room > 0:
        text = "\n\n".join(_parts(turns, core, memories, room))
        over = count_tokens(text) - budget
        if over <= 0:
            return text
        room -= over
    return ""


def _parts(turns: Sequence[Turn], core: str, memories: str, room: int) -> Iterator[str]:
    left = room
    for title, text in (("Core memory:", core), ("Brought back:", memories)):
        kept = harmless(clip_to_tokens(tidy(text), room // 4))
        if kept:
            part = f"{title}\n{kept}"
            left -= count_tokens(f"{part}\n\n")
            yield part
    title = "The conversation:"
    tail = newest(turns, left - count_tokens(f"{title}\n"))
    if tail.entries:
        yield "\n".join((title, *tail.entries))


# --- the question ----------------------------------------------------------------


def summary_question(asked: str, context: str, most: int) -> Question:
    """Ask for a summary.

    Args:
        asked: What is wanted, in the words of the configuration or of who asks.
        context: From `context_text`.
        most: Tokens that it may have.
    """
    text = render_prompt(
        OPERATION, {"context": context, "asked": asked}, {"limit": f"{most:,}"}
    )
    schema: Mapping[str, object] = {
        "type": "object",
        "properties": {
            "summary": {
                "type": "string",
                "minLength": 1,
                "maxLength": most * CHARACTERS,
            }
        },
        "required": ["summary"],
        "additionalProperties": False,
    }
    return Question(OPERATION, OPERATION, text, schema, most + most // 10 + FRAME)


# --- the answer ------------------------------------------------------------------


class UnfitSummaryError(ValueError):
    """A summary that is not taken."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


def check_summary(answer: Mapping[str, object], most: int) -> str:
    """The clean summary of an answer, for `ask`.

    Raises:
        UnfitSummaryError: See `clean_summary`.
    """
    return clean_summary(str(answer.get("summary", "")), most)


def clean_summary(text: str, most: int) -> str:
    """A summary as it can be kept, whoever wrote it.

    Raises:
        UnfitSummaryError: It is empty, too long, or repeats what came out of memory.
    """
    clean = tidy(mended(text))
    problem = _problem(clean, most)
    if problem:
        raise UnfitSummaryError(problem)
    return clean


def _problem(text: str, most: int) -> str:
    if not any(char.isalnum() for char in text):
        return "the summary is empty"
    # What is far too long need not be counted, nor looked through.
    if len(text) > most * CHARACTERS or count_tokens(text) > most:
        return f"the summary has more than {most:,} tokens"
    if without_recalled(text)[1]:
        return "the summary repeats lines that memory put into the context"
    return ""


# --- written by a model, or offered to the agent -------------------------------

IN_CONTEXT = 200
"""So many of the newest turns are looked at."""

MOST_RESURRECTED = 30
"""So much of what was brought back is summarised, too."""

LONGEST_QUESTION = 2_000
"""Characters of a question of one's own."""

READS = 12_000
"""Tokens of the context that are summarised."""

ROOM = 2_000
"""Tokens of a question besides the context and the answer."""


class UnfitNoteError(RefusedError):
    """What was handed in is not a summary that can be kept."""

    def __init__(self, problem: str) -> None:
        super().__init__(
            f"this summary is not taken: {problem}",
            hint="Sum up what was said, in words of your own and within "
            "`conversation.most_tokens`.",
        )


class NothingToSumUpError(RefusedError):
    """A window in which nobody has said anything."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"nothing was said in {name} yet", hint="Summarise it when something was."
        )


class AlreadyReflectingError(ConflictError):
    """Somebody else is summarising the same window."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"a summary of {name} is being written this moment",
            hint="Wait for it: `reverie window` tells when it is done.",
        )


class AlreadyReflectedError(ConflictError):
    """Somebody else wrote the summary that was due."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"no summary of {name} is due any more",
            hint="Another process has written it, or the user is speaking again.",
        )


@lru_cache(maxsize=4)
def _as_told(core: bytes) -> str:
    """Core memory without secrets; it is told often, and changes seldom."""
    return without_secrets(core.decode("utf-8-sig", "replace"))


class Summarised(Record):
    """A conversation that can be summarised."""

    def reflect(
        self, question: str = "", *, cause: Cause = Cause.ASKED, person: str = ""
    ) -> SummedUp | Offer:
        """Summarise what is in sight, as one more turn pair.

        What is for one person alone never gets into a summary for others.

        Args:
            question: What to answer instead of the configured prompt, such as
                "Summarise our decisions about the schema."
            cause: What started it.
            person: Who will read it: what is for them alone is summed up, too, and
                the summary is for them alone then. By default it is whom all of the
                turns are for, if that is one.

        Returns:
            The pair that a model wrote; or, where no model is to be asked, the prompt
            for the agent itself to answer and hand in with `note`.
        """
        return self.reflect_on(self.turns(IN_CONTEXT), question, cause, person)

    def reflect_on(
        self, turns: Iterable[Turn], question: str, cause: Cause, person: str = ""
    ) -> SummedUp | Offer:
        """The same about some turns."""
        person = self._talk.viewer.person or person
        seen, whom = in_one_scope(turns, person)
        if not seen:
            none = AlreadyReflectedError if cause is Cause.IDLE else NothingToSumUpError
            raise none(self.name)
        talk = self._talk
        prompt = self._prompt(question, cause)
        most = talk.house.config.conversation.most_tokens
        if talk.minds.kind not in {"api", "given"}:
            about = context_text(seen, "", "", most) if cause is Cause.PRUNING else ""
            return Offer(self.name, cause, prompt, most, about, whom)
        lasts = claim_lasts(talk.house.config.mind)
        if not talk.sittings.claim(self.name, talk.house.clock(), lasts):
            raise AlreadyReflectingError(self.name)
        try:
            if cause is Cause.IDLE and not self.due(person):
                raise AlreadyReflectedError(self.name)
            return self._keep(prompt, self._think(seen, prompt, whom), cause, whom)
        finally:
            talk.sittings.release(self.name)

    def note(
        self,
        summary: str,
        question: str = "",
        *,
        cause: Cause = Cause.ASKED,
        person: str = "",
    ) -> SummedUp:
        """Take a context reflection that the agent wrote itself.

        Args:
            summary: Its answer to the prompt.
            question: The prompt, where it was not the configured one.
            cause: What started it.
            person: Who will read it; see `reflect`.
        """
        most = self._talk.house.config.conversation.most_tokens
        person = self._talk.viewer.person or person
        try:
            clean = clean_summary(pass_text(summary, Secrets.REDACT).text, most)
        except UnfitSummaryError as error:
            raise UnfitNoteError(error.problem) from error
        seen, whom = in_one_scope(self.turns(IN_CONTEXT), person)
        if not seen:
            raise NothingToSumUpError(self.name)
        if self.due(person) and not question:
            cause = Cause.IDLE
        return self._keep(self._prompt(question, cause), clean, cause, whom)

    def _prompt(self, question: str, cause: Cause) -> str:
        if question.strip():
            return storable(without_secrets(question), LONGEST_QUESTION)
        config = self._talk.house.config.conversation
        return config.pruning_prompt if cause is Cause.PRUNING else config.prompt

    def _think(self, turns: Sequence[Turn], prompt: str, person: str) -> str:
        most = self._talk.house.config.conversation.most_tokens
        mind = self._mind(most)
        core = core_text(self._core())
        context = context_text(turns, core, self._brought(person), READS)
        question = summary_question(prompt, context, most)
        return ask(mind, question, lambda value: check_summary(value, most))

    def _core(self) -> str:
        """Core memory as it is told: what a person typed there may be a secret."""
        return _as_told(self._talk.house.confirmed(layout.CORE) or b"")

    def _mind(self, most: int) -> Mind:
        tokens = 2 * (READS + most + ROOM)
        found = self._talk.minds.open("context-reflection", {}, tokens=tokens)
        assert found is not None  # noqa: S101 - only asked where a model thinks
        return found

    def _brought(self, person: str) -> str:
        """What was brought back in this session, which is in sight as well.

        Not what was forgotten since, nor what is for others than the summary.
        """
        house = self._talk.house
        sitting = self._talk.sittings.load(self.name)
        ids = sitting.brought[-MOST_RESURRECTED:] if sitting else ()
        scopes = house.index.scopes() if ids else {}
        wanted = {"", scope_name(person)}
        seen = [id_ for id_ in map(whole, ids) if scopes.get(id_, "") in wanted]
        found = (house.find(id_) for id_ in seen if not self._faded(id_))
        return "\n".join(f"- {item.text}" for item in found if item is not None)

    def _faded(self, id_: str) -> bool:
        """Whether a memory is archived, so that nobody would bring it back now."""
        house = self._talk.house
        trace = house.index.trace(id_)
        if trace is None:
            return False
        return standing(trace, house.clock(), house.config.decay)[1] is Status.ARCHIVED

    def _keep(self, prompt: str, summary: str, cause: Cause, person: str) -> SummedUp:
        """Append both halves at once; others see them as soon as they are written."""
        talk = self._talk
        now = in_utc(talk.house.clock()).replace(microsecond=0)
        more = ((REFLECTION, str(cause)), *scope_field(person))
        clean = pass_text(summary, Secrets.REDACT).text
        asked, given = self._append(
            [
                Utterance(Role.SYSTEM, prompt, now, "", more),
                Utterance(Role.ASSISTANT, clean, now, "", more),
            ]
        )
        talk.house.write_down(wait=False)
        talk.sittings.change(
            self.name, lambda known: known and replace(known, owed=False)
        )
        return SummedUp(asked, given)


# --- due by the next call, where no timer saw to it ----------------------------

PAUSE = timedelta(minutes=1)
"""So long after one was started by a call, no other call starts one."""


def start_if_due(talk: Talk, window: str) -> None:
    """Have a window summarised that is due for it, before anything else is done.

    A model that is at hand does so before this returns. One behind a network is asked
    by a process of its own, so that nobody waits for it. Where no model is, the agent
    is offered the prompt. In any case the summary is owed until it is written, even
    if the user speaks again meanwhile.

    Args:
        talk: What all conversations share.
        window: Which one.
    """
    record = Summarised(talk, window)
    if not record.due():
        return
    now = talk.house.clock()
    known = talk.sittings.load(window)
    starts = talk.minds.kind in {"api", "given"} and not _just_started(known, now)
    if starts or known is None or not known.owed:
        talk.sittings.change(window, partial(_owing, now=now, starts=starts))
    if starts and talk.minds.kind == "api":
        packs.tidy_in_background(talk.house.folder.root)
    elif starts:
        # What goes wrong with it must not cost the user their message.
        with contextlib.suppress(ReverieError):
            record.reflect(cause=Cause.IDLE)


def _owing(known: Sitting | None, *, now: datetime, starts: bool) -> Sitting:
    sitting = known or Sitting(now, now, "", "")
    return replace(sitting, owed=True, asked=now if starts else sitting.asked)


def _just_started(sitting: Sitting | None, now: datetime) -> bool:
    if sitting is None or sitting.asked is None:
        return False
    # A clock that was set back must not put it off for good.
    return timedelta() <= now - sitting.asked < PAUSE


# --- how well they do: brought back, deleted, what about -----------------------

MOST_TOPICS = 8
SHORTEST = 3
"""Letters that a topic has at least."""

_WORD = re.compile(r"[^\W\d_]\w*")
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


def measure(
    pairs: Sequence[tuple[Turn, Turn | None]], resurrected: Mapping[str, int]
) -> Quality:
    """How well context reflections do.

    Args:
        pairs: The two halves of each, in either order; one without a summary was
            never written and does not count.
        resurrected: By the id of a turn or of a passage in it, how often it was
            brought back.
    """
    times = _times(resurrected)
    written = [pair for pair in pairs if _summary(pair) is not None]
    # Both halves come back together, which is one time.
    back = [max(times[_id(turn)] for turn in pair if turn) for pair in written]
    summaries = [found for pair in written if (found := _summary(pair))]
    kept = [turn for turn in summaries if not turn.field(DELETED)]
    return Quality(
        written=len(written),
        deleted=len(summaries) - len(kept),
        resurrected=sum(back),
        useful=sum(count > 0 for count in back),
        topics=_topics(turn.text for turn in kept),
    )


def _summary(pair: Iterable[Turn | None]) -> Turn | None:
    return next((turn for turn in pair if turn and turn.role is Role.ASSISTANT), None)


def _id(turn: Turn) -> str:
    return _whole(str(turn_id(turn)))


def _whole(id_: str) -> str:
    """The id of a turn without the passage."""
    return id_.rpartition("/")[0]


def _times(resurrected: Mapping[str, int]) -> Counter[str]:
    times: Counter[str] = Counter()
    for id_, count in resurrected.items():
        times[_whole(id_)] += max(count, 0)
    return times


def _topics(texts: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """The words that most summaries have; of equals, names and frequent ones first."""
    holding: Counter[str] = Counter()
    forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for text in texts:
        said = list(_telling(text))
        holding.update({stem for stem, _ in said})
        for stem, form in said:
            forms[stem][form] += 1
    ranked = sorted(
        (
            (_form(forms[stem]), count, forms[stem].total())
            for stem, count in holding.items()
        ),
        key=lambda each: (-each[1], each[0].islower(), -each[2], each[0]),
    )
    return tuple((form, count) for form, count, _ in ranked[:MOST_TOPICS])


def _telling(text: str) -> Iterator[tuple[str, str]]:
    """Stem and form of each word that tells something."""
    for form in _WORD.findall(text):
        low = form.lower()
        if len(form) >= SHORTEST and low not in _TELLS_NOTHING:
            yield stems([low])[0], form


def _form(forms: Counter[str]) -> str:
    """How a word is shown: as it mostly stands, in small letters if it ever does."""
    small = {form: count for form, count in forms.items() if form.islower()}
    return min(small or forms, key=lambda form: (-forms[form], form))
