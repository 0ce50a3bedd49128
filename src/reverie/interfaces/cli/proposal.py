"""A reflection as a person reads it: where it stands, and what it proposes.

What is decided on is the whole page, so nothing that a change would write is left
out here: where the diff does not show all of its text, the text is shown as well.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reverie.interfaces.cli.command import local
from reverie.interfaces.cli.output import (
    Styled,
    bad,
    counted,
    faint,
    match,
    place,
    title,
    warn,
)
from reverie.model.origin import Origin
from reverie.model.reflection import OperationKind, Presentation, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reverie.interfaces.cli.output import Line, Page, Table
    from reverie.model.reflection import Operation, PendingReflection
    from reverie.reflection.reflection import Standing

PAGE = "memory/meta/pending-reflection.md"
"""Where a proposal stands, as people and messages name it."""

WITHOUT_MIND = "Nobody thought here: this lists what there is, and claims no insight."
HOST = (
    "The host agent thinks: `reverie reflect next` prints what is asked, "
    "`reverie reflect answer -` takes the answer."
)
LOOKED = (
    "`reverie reflect approve` notes that this was looked at; the next reflection "
    "begins after it."
)
BOOKS = (
    "Besides, records of the decision: reflection-log.md, decay-scores.json, "
    "reflections/, and the emptied page; nothing of what you leave out"
)

_FENCE = re.compile(r"(`{3,})([^`]*)")
_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_LOOKS = {"+": "good", "-": "bad"}


# --- where it stands -------------------------------------------------------------


def _pending(standing: Standing) -> PendingReflection | None:
    from reverie.reflection.proposal_page import parse_pending

    return parse_pending(standing.says, PAGE) if standing.state == "pending" else None


def told_in_full(standing: Standing) -> Page:
    """Where it stands, for a person to read; a proposal with all of its changes."""
    pending = _pending(standing)
    if pending is None:
        return told_standing(standing)
    return [*told_proposal(pending, standing.says), "", *_next(standing, pending)]


def told_understood(understood: str) -> Page:
    """What an answer was understood as."""
    return [(faint("Understood: "), f"{understood}.")] if understood else []


def told_standing(standing: Standing) -> Page:
    """Where it stands, in a few lines."""
    pending = _pending(standing)
    number = f" #{standing.number}" if standing.number else ""
    page: Page = told_understood(standing.understood)
    page.append(title(f"Reflection{number}: {standing.state}"))
    says = _waits(pending) if pending else standing.says
    page += [""] if "\n" in says else []
    page += styled(says) if says else []
    page += [f"until {local(standing.until)}"] if standing.until else []
    return [*page, "", *_next(standing, pending)]


def _next(standing: Standing, pending: PendingReflection | None) -> Iterator[Line]:
    """What can be done now."""
    if standing.state in {"idle", "deferred", "recorded"}:
        since = f" since {local(standing.last)}" if standing.last else ""
        yield faint(f"{counted(standing.waiting, 'new episode')}{since}.")
    hint = LOOKED if pending and not pending.operations else standing.hint
    yield faint(HOST if standing.question else hint)
    if standing.remind:
        yield warn("This has waited for more than a day.")


# --- what it proposes ------------------------------------------------------------


def _waits(pending: PendingReflection) -> str:
    if not pending.operations:
        return "nothing would be changed"
    count = len(pending.operations)
    return f"{counted(count, 'change')} {'waits' if count == 1 else 'wait'} for you"


def told_proposal(pending: PendingReflection, page: str) -> Page:
    """A proposal, for a person to decide on; `reflect show` prints all of its page."""
    from reverie.reflection.proposal_page import diffs_on

    special = f", milestone {pending.milestone}" if pending.milestone else ""
    number = title(f"Reflection #{pending.number}{special}")
    diffs = diffs_on(page)
    changes = [
        line
        for n, operation in enumerate(pending.operations, start=1)
        for line in _change(n, operation, diffs.get(n, ""))
    ]
    told: Page = [(number, f": {_waits(pending)}")]
    for part in (
        list(_told(pending)),
        quoted(pending.essay) if pending.essay else [],
        changes,
        list(_concerns(pending)),
        list(_noted(pending)),
    ):
        told += ["", *part] if part else []
    return told


def _told(pending: PendingReflection) -> Iterator[Line | Table]:
    """The monologue; of a summary what the changes below do not say."""
    from reverie.reflection.summary import listing_on

    if pending.presentation is Presentation.MONOLOGUE:
        yield from quoted(pending.told)
    elif not pending.grant:
        yield WITHOUT_MIND
        yield from quoted(pending.insight.key)
        for line in listing_on(pending.told):
            if line.startswith("### "):
                yield from ("", title(line[4:]))
            elif line.strip():
                yield "  ", line
    # What the agent would like to know, where no change asks it already.
    asked = "\n".join(operation.content for operation in pending.operations)
    questions = [each for each in pending.questions if each.strip() not in asked]
    if questions:
        yield from ("", title("It would like to know:"))
        yield from (f"- {question}" for question in questions)


def _change(number: int, operation: Operation, diff: str) -> Iterator[Line | Table]:
    """A change with every line it would write or take away.

    Only its title begins at the margin, so no text can pass for another change.
    """
    new = faint(" (new)" if diff.startswith("--- /dev/null") else "")
    yield title(f"{number}. {operation.kind} "), place(operation.target), new
    if operation.origin is not Origin.AGENT:
        yield "   ", warn(f"made of words of: {operation.origin}")
    if operation.reason:
        yield from (("   ", line) for line in operation.reason.split("\n"))
    if operation.context:
        yield from (("   ", faint(line)) for line in operation.context.split("\n"))
    changed = list(_changed(diff))
    lines = list(filter(None, map(_unmarked, operation.content.split("\n"))))
    signs = _LOOKS if operation.kind is OperationKind.CORE else "+"
    told = [_unmarked(words) for _, sign, words in changed if sign in signs]
    if not all(any(line in each for each in told) for line in lines):
        yield from quoted(operation.content, 3, match)
    shown = operation.target
    for path, sign, words in changed:
        if path not in {shown, ""}:
            yield "   ", place(path)
        shown = path or shown
        yield "   ", Styled(f"{sign} {words}", _LOOKS[sign])


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


def _concerns(pending: PendingReflection) -> Iterator[Line]:
    """What to think of before deciding."""
    for trial in pending.trials:
        asked = f"{trial.expected.question} {trial.expected.answer}"
        if trial.verdict is Verdict.LOST:
            yield bad("Would be lost: "), asked
        elif trial.verdict is Verdict.HARDER:
            yield warn("Would be harder to find: "), asked
    for each in pending.refused:
        yield warn("Left out: "), f"{each.what} \u2014 {each.why}"
    for source in pending.read:
        if source.left_out:
            why = f" \u2014 {source.why}" if source.why else ""
            yield warn("Not read: "), f"{source.left_out:,} of {source.name}{why}"


def _noted(pending: PendingReflection) -> Iterator[Line]:
    """What is written besides, what was tried, and what was read."""
    yield faint(BOOKS)
    if pending.trials:
        count = counted(len(pending.trials), "question")
        worse = any(
            trial.verdict in {Verdict.LOST, Verdict.HARDER} for trial in pending.trials
        )
        told = "see above" if worse else "none is harder to find"
        yield faint(f"Tried: {count} that must stay answerable, {told}")
    by_name = {each.name.removesuffix("/*"): each.read for each in pending.read}
    parts = (
        counted(by_name.get("memory/episodes", 0), "new episode"),
        counted(by_name.get("memory/graph/entities", 0), "entity", "entities"),
        counted(by_name.get("memory/procedures", 0), "procedure"),
        counted(pending.input_tokens, "token"),
    )
    wrote = f"; wrote {pending.used:,} of {pending.grant:,}" if pending.grant else ""
    yield faint(f"Read: {', '.join(parts)}{wrote}")


# --- Markdown on a screen --------------------------------------------------------


def quoted(text: str, indent: int = 2, look: Callable[[str], str] = str) -> Page:
    """A text of somebody's, set off so that none of it reads as one of our lines."""
    lines = text.strip("\n").split("\n")
    return [(" " * indent, faint("\u2502 "), look(line)) for line in lines]


def shown_page(text: str) -> Page:
    """The page of a proposal as it is, what is told and fenced texts set off."""
    from reverie.reflection.proposal_page import CHANGES, ESSAY, split_parts

    page: Page = []
    for part in split_parts(text):
        page += [title(f"## {part.name}")] if part.name else []
        if part.name in {"", ESSAY}:
            page += [*quoted("\n".join(each.text for each in part.rows)), ""]
            continue
        for each in part.rows:
            if each.info is None:
                page += styled(each.text) if each.text else [""]
                continue
            page.append(("   ", faint(f"{each.info}:")))
            page += [
                ("   ", faint("\u2502 "), _look(line, "`", each.info))
                for line in each.text.split("\n")
            ]
        page += [""] if part.name == CHANGES and page[-1] != "" else []
    return page


def styled(text: str) -> Page:
    """Markdown line by line, with its headings and diffs marked."""
    page: Page = []
    fence = info = ""
    for line in text.strip("\n").split("\n"):
        mark = _FENCE.fullmatch(line.rstrip())
        if mark and not (fence and (mark[2] or len(mark[1]) < len(fence))):
            fence, info = ("", "") if fence else (mark[1], mark[2].strip())
            page.append(faint(line))
        else:
            page.append(_look(line, fence, info))
    return page


def _look(line: str, fence: str, info: str) -> str:
    if fence:
        diff = info == "diff" and not line.startswith(("+++ ", "--- "))
        return Styled(line, _LOOKS.get(line[:1], "") if diff else "")
    return Styled(line, "title" if line.startswith("#") else "")
