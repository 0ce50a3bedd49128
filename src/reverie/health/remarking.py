"""What of a workspace's health a person should know, in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.model.health import HealthVerdict, Remark

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from reverie.model.health import Health, Upkeep

DUPLICATES = 0.05
"""From this share of duplicates on it is worth a look."""

MANY_MISSING = 1_000
"""Some vectors are always missing: they are made when somebody asks."""

FEW_SUMMARIES = 4
"""Of fewer context reflections nothing can be said."""

_ORDER = {verdict: number for number, verdict in enumerate(reversed(HealthVerdict))}


def remarks(told: Health, warnings: Iterable[str] = ()) -> tuple[Remark, ...]:
    """What to know of a workspace, what matters most first.

    Args:
        told: All that was measured.
        warnings: What was amiss and has been worked around.
    """
    found = [
        *_on_files(told.upkeep),
        *_on_index(told),
        *_on_core(told),
        *(Remark(HealthVerdict.LOOK, text) for text in warnings),
        *_on_waiting(told),
        *_on_reflection(told),
        *_on_cleanliness(told.upkeep),
        *_on_expense(told),
        *_on_conversations(told),
    ]
    if not told.memories:
        hint = '`reverie remember "…"` begins'
        found.append(Remark(HealthVerdict.OK, "nothing is remembered yet", hint))
    return tuple(sorted(found, key=lambda each: _ORDER[each.verdict]))


def worst(found: Iterable[Remark]) -> HealthVerdict:
    """The worst of some remarks; all is well without any."""
    verdicts = (each.verdict for each in found)
    return min(verdicts, key=lambda each: _ORDER[each], default=HealthVerdict.OK)


def _on_files(upkeep: Upkeep) -> Iterator[Remark]:
    names = "`reverie check` names file and line"
    if upkeep.errors:
        one = "place in a file does not read as it should"
        many = "places in files do not read as they should"
        yield Remark(HealthVerdict.MEND, _several(upkeep.errors, one, many), names)
    if upkeep.warnings:
        what = _several(upkeep.warnings, "place in a file is", "places in files are")
        yield Remark(HealthVerdict.LOOK, f"{what} worth a look", names)


def _on_index(told: Health) -> Iterator[Remark]:
    index = told.index
    if not index.current:
        hint = "`reverie rebuild` makes it anew"
        yield Remark(HealthVerdict.MEND, "the index lags behind history", hint)
    if index.vectors and not index.model:
        what = "the model for vectors cannot be had: search goes by words and graph"
        yield Remark(HealthVerdict.LOOK, what, "`reverie rebuild --vectors` says why")
    if index.missing:
        what = _several(index.missing, "memory has", "memories have")
        hint = "made at the next recall, or by `reverie rebuild --vectors`"
        many = index.missing > MANY_MISSING
        verdict = HealthVerdict.LOOK if many else HealthVerdict.OK
        yield Remark(verdict, f"{what} no vector yet", hint)


def _on_core(told: Health) -> Iterator[Remark]:
    if told.core_tokens > told.core_cap:
        what = f"core memory has {told.core_tokens:,} of {told.core_cap:,} tokens"
        yield Remark(HealthVerdict.MEND, what, "shorten MEMORY.md")
    full = [use for use in told.core if use.tokens > use.budget]
    for use in full:
        what = f"the block {use.block} has {use.tokens:,} of {use.budget:,} tokens"
        yield Remark(HealthVerdict.LOOK, what, "shorten it in MEMORY.md")


def _on_waiting(told: Health) -> Iterator[Remark]:
    waits = told.waits
    if waits.alerts:
        what = _several(waits.alerts, "critical change", "critical changes")
        hint = "`reverie alerts` shows them"
        yield Remark(HealthVerdict.LOOK, f"{what} not acknowledged yet", hint)
    if waits.disputed:
        what = _several(waits.disputed, "proposal contradicts", "proposals contradict")
        hint = "`reverie resolve` settles that"
        yield Remark(HealthVerdict.LOOK, f"{what} what else is said", hint)
        hint = "`reverie pending resolve` settles that"
        yield Remark(HealthVerdict.LOOK, f"{what} what else is said", hint)
    if waits.proposals:
        what = _several(waits.proposals, "proposal waits", "proposals wait")
        yield Remark(HealthVerdict.LOOK, what, "decide with `reverie pending`")
    if waits.contradictions:
        what = _several(waits.contradictions, "contradiction is", "contradictions are")
        yield Remark(HealthVerdict.LOOK, f"{what} open", "`reverie pending` lists them")
    if waits.questions:
        what = _several(waits.questions, "question waits", "questions wait")
        hint = "`reverie questions` lists them"
        yield Remark(HealthVerdict.LOOK, f"{what} for the host agent", hint)
        hint = "`reverie mind questions` lists them"
        yield Remark(HealthVerdict.LOOK, f"{what} for the host agent", hint)


def _on_reflection(told: Health) -> Iterator[Remark]:
    if told.waits.reflection:
        what = f"reflection #{told.waits.reflection} waits for your decision"
        yield Remark(HealthVerdict.LOOK, what, "`reverie reflect show` prints it")
    elif told.reflection.due:
        what = _several(told.reflection.waiting, "new episode", "new episodes")
        hint = "`reverie reflect` begins"
        yield Remark(HealthVerdict.OK, f"a reflection is due: {what}", hint)


def _on_cleanliness(upkeep: Upkeep) -> Iterator[Remark]:
    hint = "`reverie audit` names them"
    among = "" if upkeep.whole else f" among {upkeep.judged:,} looked at"
    if upkeep.duplicates and upkeep.duplicates >= DUPLICATES * upkeep.judged:
        what = _several(upkeep.duplicates, "memory repeats", "memories repeat")
        yield Remark(HealthVerdict.LOOK, f"{what} another{among}", hint)


def _on_expense(told: Health) -> Iterator[Remark]:
    expense = told.expense
    if expense.today and expense.today >= expense.limit:
        what = f"the day's {expense.limit:,} tokens are spent"
        hint = "thinking goes on tomorrow, or with a higher mind.daily_tokens"
        yield Remark(HealthVerdict.LOOK, what, hint)


def _on_conversations(told: Health) -> Iterator[Remark]:
    talk, quality = told.conversations, told.conversations.quality
    if talk.due:
        what = _several(talk.due, "conversation is", "conversations are")
        hint = "`reverie window` lists them"
        yield Remark(HealthVerdict.OK, f"{what} due for a summary", hint)
    if quality.written >= FEW_SUMMARIES and 2 * quality.deleted >= quality.written:
        what = f"{quality.deleted:,} of {quality.written:,} summaries were deleted"
        hint = "another conversation.prompt may do better"
        yield Remark(HealthVerdict.LOOK, what, hint)


def _several(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"
