"""A proposal as a person reads it: what is told, the changes, what was read.

What is decided on is the whole page, so nothing that a change would write is left
out here: where the diff does not show all of its text, the text is shown as well.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reverie.interfaces.cli.page import BLANK, Span, Style, counted, paragraph, row
from reverie.model.origin import Origin
from reverie.model.reflection import OperationKind, Presentation, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from reverie.interfaces.cli.page import Page, Row
    from reverie.model.reflection import Operation, PendingReflection

PAGE = "memory/meta/pending-reflection.md"
"""Where a proposal stands, as people and messages name it."""

WITHOUT_MIND = "Nobody thought here: this lists what there is, and claims no insight."

WORSE = frozenset({Verdict.LOST, Verdict.HARDER})

_FENCE = re.compile(r"(`{3,})([^`]*)")
_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_LOOKS = {"+": Style.GOOD, "-": Style.BAD}


def read_proposal(page: str) -> PendingReflection | None:
    """The proposal on a page; None where there is none."""
    from reverie.reflection.proposal_page import parse_pending

    return parse_pending(page, PAGE)


def told_proposal(pending: PendingReflection, page: str) -> Page:
    """A proposal, for a person to decide on; `reflect show` prints all of its page."""
    from reverie.reflection.proposal_page import diffs_on

    parts = (
        _title(pending),
        _told(pending),
        quoted(pending.essay) if pending.essay else [],
        _changes(pending, diffs_on(page)),
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
    """The monologue; of a summary what the changes below do not say."""
    from reverie.reflection.summary import listing_on

    if pending.presentation is Presentation.MONOLOGUE:
        return [*quoted(pending.told), *_asked(pending)]
    if pending.grant:
        return _asked(pending)
    page: Page = [row(WITHOUT_MIND), *quoted(pending.insight.key)]
    for line in listing_on(pending.told):
        if line.startswith("### "):
            page += [BLANK, row(Span(line[4:], Style.TITLE))]
        else:
            page += [row(line, indent=2)] if line.strip() else []
    return [*page, *_asked(pending)]


def _asked(pending: PendingReflection) -> Page:
    """What the agent would like to know, where no change asks it already."""
    asked = "\n".join(operation.content for operation in pending.operations)
    questions = [each for each in pending.questions if each.strip() not in asked]
    if not questions:
        return []
    page: Page = [BLANK, row(Span("It would like to know:", Style.TITLE))]
    return [*page, *(row(f"- {question}") for question in questions)]


# --- the changes ---------------------------------------------------------------


def _changes(pending: PendingReflection, diffs: Mapping[int, str]) -> Page:
    page: Page = []
    for number, operation in enumerate(pending.operations, start=1):
        page += _change(number, operation, diffs.get(number, ""))
    return page


def _change(number: int, operation: Operation, diff: str) -> Page:
    """A change with every line it would write or take away.

    Only its title begins at the margin, so no text can pass for another change.
    """
    title = Span(f"{number}. {operation.kind} ", Style.TITLE)
    new = Span(" (new)" if diff.startswith("--- /dev/null") else "", Style.FAINT)
    page: Page = [row(title, Span(operation.target, Style.PATH), new)]
    if operation.origin is not Origin.AGENT:
        words = f"made of words of: {operation.origin}"
        page.append(row(Span(words, Style.WARN), indent=3))
    page += paragraph(operation.reason, indent=3) if operation.reason else []
    if operation.context:
        page += paragraph(operation.context, style=Style.FAINT, indent=3)
    changed = list(_changed(diff))
    lines = list(filter(None, map(_unmarked, operation.content.split("\n"))))
    signs = _LOOKS if operation.kind is OperationKind.CORE else "+"
    told = [_unmarked(words) for _, sign, words in changed if sign in signs]
    if not all(any(line in each for each in told) for line in lines):
        page += quoted(operation.content, indent=3, style=Style.MATCH)
    shown = operation.target
    for path, sign, words in changed:
        if path not in {shown, ""}:
            page.append(row(Span(path, Style.PATH), indent=3))
        shown = path or shown
        page.append(row(Span(f"{sign} {words}", _LOOKS[sign]), indent=3))
    return page


def _changed(diff: str) -> Iterator[tuple[str, str, str]]:
    """The lines of a diff that are new or gone, each with its file and its sign."""
    path, left = "", 0
    for line in diff.split("\n"):
        hunk = _HUNK.match(line)
        if left <= 0 and hunk:
            left = int(hunk[1] or 1) + int(hunk[2] or 1)
        elif left <= 0 and line.startswith("+++ b/"):
            path = line[6:]
        elif left <= 0 and line.startswith("--- "):
            continue
        else:
            left -= 1 if line[:1] in _LOOKS else 2
            if line[:1] in _LOOKS and line[1:].strip():
                yield path, line[:1], line[1:]


def _unmarked(line: str) -> str:
    """A line without the mark of a list."""
    return line.strip().lstrip("-+* ")


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
    """What is written besides, what was tried, and what was read."""
    page: Page = [_faint(f"Besides, records of the decision: {_BOOKS}")]
    if pending.trials:
        count = counted(len(pending.trials), "question")
        worse = any(trial.verdict in WORSE for trial in pending.trials)
        told = "see above" if worse else "none is harder to find"
        page.append(_faint(f"Tried: {count} that must stay answerable, {told}"))
    return [*page, _faint(f"Read: {_read(pending)}")]


_BOOKS = (
    "reflection-log.md, decay-scores.json, reflections/, and the emptied page; nothing "
    "of what you leave out"
)


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


def quoted(text: str, *, indent: int = 2, style: Style = Style.PLAIN) -> Page:
    """A text of somebody's, set off so that none of it reads as one of our lines."""
    return [
        row(Span("\u2502 ", Style.FAINT), Span(line, style), indent=indent)
        for line in text.strip("\n").split("\n")
    ]


def shown_page(text: str) -> Page:
    """The page of a proposal as it is, what is told and fenced texts set off."""
    from reverie.reflection.proposal_page import CHANGES, ESSAY, split_parts

    page: Page = []
    for part in split_parts(text):
        page += [row(Span(f"## {part.name}", Style.TITLE))] if part.name else []
        if part.name in {"", ESSAY}:
            page += quoted("\n".join(each.text for each in part.rows))
            page.append(BLANK)
            continue
        for each in part.rows:
            if each.info is None:
                page += styled(each.text) if each.text else [BLANK]
            else:
                page += _fenced(each.info, each.text)
        page += [BLANK] if part.name == CHANGES and page[-1] != BLANK else []
    return page


def _fenced(info: str, text: str) -> Page:
    page: Page = [row(Span(f"{info}:", Style.FAINT), indent=3)]
    for line in text.split("\n"):
        look = _look(line, "`", info)
        page.append(row(Span("\u2502 ", Style.FAINT), Span(line, look), indent=3))
    return page


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
