"""A proposal as a person reads it: what is told, the changes, what was read.

What is decided on is the whole page, so nothing that a change would write is left
out here: where the diff does not show all of its text, the text is shown as well.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reverie.interfaces.cli.page import BLANK, Span, Style, counted, paragraph, row
from reverie.model.reflection import OperationKind, Presentation, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from reverie.interfaces.cli.page import Page, Row
    from reverie.model.reflection import Operation, PendingReflection

PAGE = "memory/meta/pending-reflection.md"
"""Where a proposal stands, as people and messages name it."""

BY_RULES = "Rules made this, not a model: they list, and claim no insight."
NOTHING_FOUND = "Rules looked, and found nothing new to propose."

WORSE = frozenset({Verdict.LOST, Verdict.HARDER})

_FENCE = re.compile(r"(`{3,})([^`]*)")
_OURS = ("+++ ", "--- ", "-<!-- Type: ")  # the day of the last update is no news
_LOOKS = {"+": Style.GOOD, "-": Style.BAD}


def read_proposal(page: str) -> PendingReflection | None:
    """The proposal on a page; None where there is none."""
    from reverie.reflection.pending import parse_pending

    return parse_pending(page, PAGE)


def told_proposal(pending: PendingReflection, page: str) -> Page:
    """A proposal, for a person to decide on; `reflect show` prints all of its page."""
    parts = (
        _title(pending),
        _told(pending),
        styled(pending.essay) if pending.essay else [],
        _changes(pending, _diffs(page)),
        _concerns(pending),
        _noted(pending),
    )
    return _spaced(parts)


def _spaced(parts: Iterable[Page]) -> Page:
    page: Page = []
    for part in filter(None, parts):
        page += [BLANK, *part] if page else part
    return page


def waits(pending: PendingReflection) -> str:
    """What waits, in a few words."""
    if not pending.operations:
        return "nothing would be changed"
    count = len(pending.operations)
    return f"{counted(count, 'change')} {'waits' if count == 1 else 'wait'} for you"


def _title(pending: PendingReflection) -> Page:
    special = f", milestone {pending.milestone}" if pending.milestone else ""
    number = Span(f"Reflection #{pending.number}{special}", Style.TITLE)
    return [row(number, f": {waits(pending)}")]


# --- what is told --------------------------------------------------------------


def _told(pending: PendingReflection) -> Page:
    """The monologue; a summary says what the changes below say, so only its gist."""
    if pending.presentation is Presentation.MONOLOGUE:
        return [*styled(pending.told), *_asked(pending)]
    if pending.grant:
        return [*_insights(pending), *_asked(pending)]
    found = BY_RULES if pending.operations else NOTHING_FOUND
    return [row(found), *paragraph(pending.insight.key), *_asked(pending)]


def _asked(pending: PendingReflection) -> Page:
    """What the agent would like to know, where no change asks it already."""
    asked = {operation.content.strip() for operation in pending.operations}
    questions = [each for each in pending.questions if each.strip() not in asked]
    if not questions:
        return []
    page: Page = [BLANK, row(Span("It would like to know:", Style.TITLE))]
    return [*page, *(row(f"- {question}") for question in questions)]


_INSIGHT = (
    ("vibe", "Vibe"),
    ("key", "Key insight"),
    ("new_understanding", "New understanding"),
    ("confirmed", "Confirmed"),
    ("revised", "Revised"),
    ("continues", "Continues"),
    ("opens", "Opens"),
)


def _insights(pending: PendingReflection) -> Page:
    """What would go into the log and into evolution.md."""
    said = [(label, getattr(pending.insight, name)) for name, label in _INSIGHT]
    return [
        row(Span(f"{label}: ", Style.FAINT), words) for label, words in said if words
    ]


# --- the changes ---------------------------------------------------------------


def _diffs(page: str) -> dict[int, str]:
    """What each change would do to files, by its number."""
    from reverie.reflection.pending.form import CHANGES, DIFF
    from reverie.reflection.pending.splitting import split_parts

    found: dict[int, str] = {}
    number = 0
    for part in split_parts(page.removeprefix("\ufeff").replace("\r\n", "\n")):
        for each in part.rows if part.name == CHANGES else ():
            if each.info is None and each.text.startswith("### "):
                number += 1
            elif each.info == DIFF:
                found[number] = each.text
    return found


def _changes(pending: PendingReflection, diffs: Mapping[int, str]) -> Page:
    page: Page = []
    for number, operation in enumerate(pending.operations, start=1):
        page += _change(number, operation, diffs.get(number, ""))
    return page


def _change(number: int, operation: Operation, diff: str) -> Page:
    title = Span(f"{number}. {operation.kind} ", Style.TITLE)
    new = Span(" (new)" if diff.startswith("--- /dev/null") else "", Style.FAINT)
    page: Page = [row(title, Span(operation.target, Style.PATH), new)]
    page += paragraph(operation.reason, indent=3) if operation.reason else []
    if operation.context:
        page += paragraph(operation.context, style=Style.FAINT, indent=3)
    lines = list(filter(None, map(_unmarked, operation.content.split("\n"))))
    changed = list(_changed(diff, {_bare(line): line for line in lines}))
    signs = _LOOKS if operation.kind is OperationKind.CORE else "+"
    if not {_unmarked(each) for sign, each in changed if sign in signs} >= set(lines):
        page += paragraph(operation.content, style=Style.MATCH, indent=3)
    for sign, words in changed:
        page.append(row(Span(f"{sign} {words}", _LOOKS[sign]), indent=3))
    return page


def _changed(diff: str, said: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The lines of a diff that are new or gone, a new one as the change words it.

    Headings and comments that come from us are left out.
    """
    for line in diff.split("\n"):
        sign, words = line[:1], line[1:]
        if sign not in _LOOKS or line.startswith(_OURS):
            continue
        if sign == "+":
            words = _without_comment(words)
            bare = _unmarked(words)
            if bare.startswith("#") and bare not in said:
                continue
            words = words.replace(bare, said.get(bare, bare)) if bare else words
        if words.strip():
            yield sign, words


def _without_comment(line: str) -> str:
    """A line without what stands behind it for us alone."""
    return line.rpartition("<!--")[0].rstrip() if line.endswith("-->") else line


def _unmarked(line: str) -> str:
    """A line without the mark of a list."""
    return line.strip().lstrip("-+* ")


def _bare(line: str) -> str:
    """A fact without the notes behind it, such as `(since: 2026-05-01)`."""
    while line.endswith(")") and ": " in line.rpartition(" (")[2]:
        line = line.rpartition(" (")[0]
    return line


# --- what to think of ----------------------------------------------------------


def _concerns(pending: PendingReflection) -> Page:
    page: Page = []
    for trial in pending.trials:
        if trial.verdict in WORSE:
            lost = trial.verdict is Verdict.LOST
            words = "Would be lost: " if lost else "Would be harder to find: "
            look = Style.BAD if lost else Style.WARN
            asked = trial.expected
            page.append(row(Span(words, look), f"{asked.question} {asked.answer}"))
    for each in pending.refused:
        page.append(
            row(Span("Left out: ", Style.WARN), f"{each.what} \u2014 {each.why}")
        )
    for source in pending.read:
        if source.left_out:
            words = f"{source.left_out:,} of {source.name}"
            why = f" \u2014 {source.why}" if source.why else ""
            page.append(row(Span("Not read: ", Style.WARN), words + why))
    return page


def _noted(pending: PendingReflection) -> Page:
    """What goes beside it into the log, what was tried, and what was read."""
    monologue = pending.presentation is Presentation.MONOLOGUE
    page = _insights(pending) if monologue else []
    if pending.trials:
        count = counted(len(pending.trials), "question")
        worse = any(trial.verdict in WORSE for trial in pending.trials)
        told = "see above" if worse else "none is harder to find"
        page.append(_faint(f"Tried: {count} that must stay answerable, {told}"))
    return [*page, _faint(f"Read: {_read(pending)}")]


def _faint(words: str) -> Row:
    return row(Span(words, Style.FAINT))


def _read(pending: PendingReflection) -> str:
    by_name = {each.name.removesuffix("/*"): each.read for each in pending.read}
    parts = [
        counted(by_name.get("memory/episodes", 0), "new episode"),
        counted(by_name.get("memory/graph/entities", 0), "entity", "entities"),
        counted(by_name.get("memory/procedures", 0), "procedure"),
        counted(pending.input_tokens, "token"),
    ]
    wrote = f"; wrote {pending.used:,} of {pending.grant:,}" if pending.grant else ""
    return ", ".join(parts) + wrote


# --- Markdown on a screen ------------------------------------------------------


def styled(text: str) -> Page:
    """Markdown line by line, with its headings and diffs marked."""
    page: Page = []
    fence = info = ""
    for line in text.strip("\n").split("\n"):
        mark = _FENCE.fullmatch(line.rstrip())
        if mark and not (fence and (mark[2] or len(mark[1]) < len(fence))):
            fence, info = ("", "") if fence else (mark[1], mark[2].strip())
            page.append(row(Span(line, Style.FAINT)))
        else:
            page.append(row(Span(line, _look(line, fence, info))))
    return page


def _look(line: str, fence: str, info: str) -> Style:
    if fence:
        diff = info == "diff" and not line.startswith(("+++ ", "--- "))
        return _LOOKS.get(line[:1], Style.PLAIN) if diff else Style.PLAIN
    return Style.TITLE if line.startswith("#") else Style.PLAIN
