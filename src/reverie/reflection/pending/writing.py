"""Writing the page of a proposal."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import astuple
from typing import TYPE_CHECKING

from reverie.markdown import escape, render_item, render_row
from reverie.model.origin import Origin
from reverie.model.reflection import Verdict
from reverie.reflection.pending import form
from reverie.reflection.pending.storing import shown, storable_pending
from reverie.reflection.summary import REPLY
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from reverie.model.reflection import (
        Operation,
        PendingReflection,
        Refused,
        SourceRead,
        Trial,
    )

_RELAXED = re.compile(r"\\##(?!\S)")


def render_pending(
    pending: PendingReflection,
    diffs: Mapping[int, str],
    after: Mapping[int, Sequence[int]] | None = None,
) -> str:
    """Write the page of a proposal.

    Args:
        pending: The proposal; see `storable_pending` for what is kept of it.
        diffs: What each change would do, by its number; only for the eye.
        after: The numbers of the changes without which one cannot be made.
    """
    kept = storable_pending(pending)
    seen = {number: shown(diff).strip("\n") for number, diff in diffs.items()}
    fence = _fence([*(each.content for each in kept.operations), *seen.values()])
    changes = [
        _render_change(
            number, each, seen.get(number, ""), fence, (after or {}).get(number, ())
        )
        for number, each in enumerate(kept.operations, start=1)
    ]
    parts = [
        _escape_told(kept.told),
        *_section(form.ESSAY, _escape_told(kept.essay), rule=True),
        *_section(form.CHANGES, *(changes or [form.NOTHING]), rule=True),
        *_section(form.BOOKS, _books(kept)),
        *_section(form.LEFT_OUT, _table(form.REFUSED, map(_refused_row, kept.refused))),
        *_section(form.READ, _table(form.SOURCES, map(_source_row, kept.read))),
        *_section(form.TESTS, _tally(kept.trials), _trials(kept.trials)),
        *_section(form.RECORD, _render_record(kept)),
        REPLY,
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def _section(name: str, *bodies: str, rule: bool = False) -> tuple[str, ...]:
    """A heading and what stands below it; nothing where there is nothing to say."""
    if not any(bodies):
        return ()
    return (
        form.RULE if rule else "",
        f"## {name}",
        *(body.rstrip("\n") for body in bodies),
    )


def _fence(texts: Iterable[str]) -> str:
    """A fence longer than any row of its marks in these texts."""
    runs = (len(run) for text in texts for run in re.findall("`+", text))
    return "`" * max(3, max(runs, default=0) + 1)


def _escape_told(text: str) -> str:
    """What is told keeps its own headings; only ours are escaped."""
    lines = escape(text).split("\n")
    return "\n".join(
        line[1:] if _RELAXED.match(line) and not form.section_of(line[1:]) else line
        for line in lines
    )


def _render_change(
    number: int, operation: Operation, diff: str, fence: str, after: Sequence[int]
) -> str:
    title = f"### {number}. {operation.kind} {escape(operation.target, fences=False)}"
    said = [
        (form.WHY, operation.reason),
        (form.CONTEXT, operation.context),
        (form.WORDS_OF, "" if operation.origin is Origin.AGENT else operation.origin),
        (form.AFTER, ", ".join(map(str, after))),
    ]
    parts = [
        title.rstrip(),
        _render_fields(said).rstrip("\n"),
        f"{fence}markdown\n{operation.content}\n{fence}",
        f"{fence}{form.DIFF}\n{diff}\n{fence}" if diff else "",
    ]
    return "\n\n".join(filter(None, parts))


_LOG = (
    "an entry of its number, day, decision and counts; what changes you approve say of "
    "insight and self-awareness, and nothing of those you do not"
)


def _books(kept: PendingReflection) -> str:
    """Which files are written besides: records of the decision itself."""
    day = kept.made.date().isoformat()
    lines = [
        "Besides the changes you approve, only records of the decision are written:",
        "",
        f"- {layout.PENDING_REFLECTION}: emptied",
        f"- {layout.REFLECTION_LOG}: {_LOG}",
        f"- {layout.SCORES}: when it was, what it cost, fingerprints of what was not "
        "accepted",
        f"- {layout.REFLECTIONS}/ (such as {day}.md, if you approve anything): what is "
        "told above, and your decision",
        f"- {layout.EXPECTATIONS} (if you correct a fact): the question it answers",
        f"- {layout.GRAPH_INDEX}: made anew from the pages",
    ]
    return "\n".join(lines)


def _render_fields(fields: Iterable[tuple[str, str]]) -> str:
    # Behind its name a value opens no fence, and below it none is needed.
    return "".join(
        render_item(f"**{key}**: {escape(value, fences=False)}")
        for key, value in fields
        if value
    )


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    body = "".join(map(render_row, rows))
    return render_row(header) + f"{'| --- ' * len(header)}|\n" + body if body else ""


def _refused_row(each: Refused) -> Sequence[str]:
    return each.what, each.why


def _source_row(each: SourceRead) -> Sequence[str]:
    counts = each.read, each.tokens, each.budget, each.left_out
    return each.name, *(f"{count:,}" for count in counts), each.why


def _trials(trials: Iterable[Trial]) -> str:
    return _table(form.TRIALS, map(_trial_row, trials))


def _trial_row(trial: Trial) -> Sequence[str]:
    asked = trial.expected
    since = asked.since.isoformat() if asked.since else ""
    ranks = (
        f"{rank:,}" if rank else form.NOT_FOUND for rank in (trial.before, trial.after)
    )
    outcome = form.OUTCOMES[trial.verdict]
    return asked.question, asked.answer, since, asked.source, *ranks, outcome


def _tally(trials: Sequence[Trial]) -> str:
    if not trials:
        return ""
    counts = Counter(trial.verdict for trial in trials)
    lost, harder = counts[Verdict.LOST], counts[Verdict.HARDER]
    rest = len(trials) - lost - harder
    return f"Would be lost: {lost}. Harder to find: {harder}. No worse: {rest}."


def _render_record(kept: PendingReflection) -> str:
    return _render_fields(
        [
            (form.NUMBER, str(kept.number)),
            (form.MADE, _stamp(kept.made)),
            (form.PRESENTATION, kept.presentation),
            (form.MILESTONE, kept.milestone),
            *zip(form.INSIGHT_FIELDS, astuple(kept.insight), strict=True),
            *((form.ELEMENT, each) for each in kept.elements),
            *((form.QUESTION, each) for each in kept.questions),
            (form.GRANTED, f"{kept.grant:,}"),
            (form.USED, f"{kept.used:,}"),
            (form.INPUT, f"{kept.input_tokens:,}"),
            (form.READ_UNTIL, _stamp(kept.read_until) if kept.read_until else ""),
        ]
    )


def _stamp(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")
