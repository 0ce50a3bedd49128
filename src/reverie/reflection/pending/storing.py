"""What a page can keep of a proposal."""

from __future__ import annotations

from dataclasses import astuple, replace
from datetime import UTC
from typing import TYPE_CHECKING

from reverie.markdown import one_line, tidy
from reverie.model.items import aware
from reverie.model.reflection import (
    Expected,
    Insight,
    Operation,
    PendingReflection,
    Refused,
    Trial,
)
from reverie.reflection.pending.form import OUTCOMES
from reverie.stores.text import mended

if TYPE_CHECKING:
    from collections.abc import Iterable

_WORST_FIRST = tuple(OUTCOMES)


def storable_pending(pending: PendingReflection) -> PendingReflection:
    """The proposal as a page keeps it; what differs from the one given is this.

    Line ends are line feeds. What no person would see (control characters, marks
    that reorder text, halves of characters) is shown as U+FFFD. Texts have no blanks
    at their edges, except those of changes. Targets, elements, the milestone and all
    that goes into a table are one line; empty elements and questions are dropped.
    Moments are in UTC. Memory tests stand worst first.
    """
    return replace(
        pending,
        made=aware(pending.made).astimezone(UTC),
        told=_text(pending.told),
        operations=tuple(map(_storable_operation, pending.operations)),
        insight=Insight(*map(_text, astuple(pending.insight))),
        elements=tuple(filter(None, map(_line, pending.elements))),
        read=tuple(
            replace(each, name=_line(each.name), why=_line(each.why))
            for each in pending.read
        ),
        refused=tuple(
            Refused(_line(each.what), _line(each.why)) for each in pending.refused
        ),
        trials=_worst_first(map(_storable_trial, pending.trials)),
        questions=tuple(filter(None, map(_text, pending.questions))),
        read_until=pending.read_until and aware(pending.read_until).astimezone(UTC),
        milestone=_line(pending.milestone),
        essay=_text(pending.essay),
    )


def _storable_operation(operation: Operation) -> Operation:
    return Operation(
        operation.kind,
        _line(operation.target),
        shown(operation.content),
        _text(operation.reason),
        _text(operation.context),
        operation.origin,
    )


def _storable_trial(trial: Trial) -> Trial:
    asked = trial.expected
    question, answer, source = map(_line, (asked.question, asked.answer, asked.source))
    expected = Expected(question, answer, asked.since, source)
    return replace(trial, expected=expected)


def _worst_first(trials: Iterable[Trial]) -> tuple[Trial, ...]:
    return tuple(sorted(trials, key=lambda each: _WORST_FIRST.index(each.verdict)))


def shown(text: str) -> str:
    """A text as a person sees it, with plain line ends."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n").replace("\ufeff", "")
    # A letter at each end keeps the blanks at the edges.
    return mended(f"x{plain}x")[1:-1]


def _text(text: str) -> str:
    return tidy(shown(text))


def _line(text: str) -> str:
    return one_line(shown(text))
