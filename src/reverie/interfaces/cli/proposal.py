"""A reflection as a person reads it: where it stands, and what it proposes.

What is decided on is the whole page, so nothing that a change would write is left
out here: where the diff does not show all of its text, the text is shown as well.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reverie import OperationKind, Origin, Verdict
from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out
from reverie.interfaces.cli.mind import told_prompt
from reverie.model.reflection import Presentation, describe_due_self_image

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reverie import Operation, PendingReflection, Standing
    from reverie.reflection.self_image import SelfImageShown

PAGE = "memory/meta/pending-reflection.md"
"""Where a proposal stands, as people and messages name it."""

WITHOUT_MIND = "Nobody thought here: this lists what there is, and claims no insight."
HOST = (
    "The host agent thinks: `reverie reflect next` prints what is asked, "
    "`reverie reflect answer -` takes the answer."
)
BOOKS = (
    "Besides, records of the decision: reflection-log.md, decay-scores.json, "
    "reflections/, and the emptied page; what you leave out changes no memory and is "
    "proposed again, what you reject by its number is not"
)

_LINES_OUT = {OperationKind.MOVE, OperationKind.DROP}
"""Kinds whose text is the line of core memory that they take out."""

_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")


# --- where it stands -------------------------------------------------------------


def told_standing(standing: Standing, *, in_full: bool = False) -> out.Lines:
    """Where it stands, for a person to read; in full with all that it proposes."""
    from reverie.reflection.proposal_page import parse_pending

    waits = standing.state == "pending"
    pending = parse_pending(standing.says, PAGE) if waits else None
    if pending and in_full:
        yield from told_proposal(pending, standing.says)
    else:
        number = f" #{standing.number}" if standing.number else ""
        yield from told_understood(standing.understood)
        yield out.title(f"Reflection{number}: {standing.state}")
        says = _waits(pending) if pending else standing.says
        yield from [""] if "\n" in says else []
        yield from styled(says) if says else []
        yield from [f"until {cli.local(standing.until)}"] if standing.until else []
    yield ""
    if standing.state in {"idle", "deferred", "recorded"}:
        since = f" since {cli.local(standing.last)}" if standing.last else ""
        yield out.faint(f"{out.counted(standing.waiting, 'new episode')}{since}.")
        if standing.backlog:
            older = out.counted(standing.backlog, "older episode")
            how = "later reflections read them, or `reverie reflect --since DATE` now"
            yield out.faint(f"{older} not read yet: {how}.")
    yield out.faint(HOST if standing.question else standing.hint)
    if standing.remind:
        yield out.warn("This has waited for more than a day.")
    if standing.image:
        yield out.warn("A new self-image waits: `reverie reflect self-image`.")
    elif standing.notes_due:
        yield out.warn(describe_due_self_image(standing.notes_due))


def told_understood(understood: str) -> out.Page:
    """What an answer was understood as."""
    return [(out.faint("Understood: "), f"{understood}.")] if understood else []


# --- what it proposes ------------------------------------------------------------


def _waits(pending: PendingReflection) -> str:
    if pending.has_nothing_to_decide:
        return "nothing to decide"
    if not pending.operations:
        return "nothing would be changed"
    count = len(pending.operations)
    return f"{out.counted(count, 'change')} {'waits' if count == 1 else 'wait'} for you"


def told_proposal(pending: PendingReflection, page: str) -> out.Lines:
    """A proposal, for a person to decide on; `reflect show` prints all of its page."""
    from reverie.reflection.proposal_page import diffs_on

    special = f", milestone {pending.milestone}" if pending.milestone else ""
    number = out.title(f"Reflection #{pending.number}{special}")
    yield number, f": {_waits(pending)}"
    diffs = diffs_on(page)
    changes = [
        line
        for n, operation in enumerate(pending.operations, start=1)
        for line in _change(n, operation, diffs.get(n, ""))
    ]
    essay = quoted(pending.essay) if pending.essay else []
    for part in (_told(pending), essay, changes, _concerns(pending), _noted(pending)):
        lines = list(part)
        yield from ["", *lines] if lines else []


def _told(pending: PendingReflection) -> out.Lines:
    """The monologue; of a summary what the changes below do not say."""
    from reverie.reflection.presentation import listing_on

    if pending.presentation is Presentation.MONOLOGUE:
        yield from quoted(pending.told)
    elif not pending.grant:
        yield from (WITHOUT_MIND, *quoted(pending.insight.key))
        for line in listing_on(pending.told):
            if line.startswith("### "):
                yield from ("", out.title(line[4:]))
            elif line.strip():
                yield "  ", line
    # What the agent would like to know, where no change asks it already.
    asked = "\n".join(operation.content for operation in pending.operations)
    questions = [each for each in pending.questions if each.strip() not in asked]
    if questions:
        yield from ("", out.title("It would like to know:"))
        yield from (f"- {question}" for question in questions)


def _change(number: int, operation: Operation, diff: str) -> out.Lines:
    """A change with every line it would write or take away.

    Only its title begins at the margin, so no text can pass for another change.
    """
    new = out.faint(" (new)" if diff.startswith("--- /dev/null") else "")
    yield out.title(f"{number}. {operation.kind} "), out.place(operation.target), new
    if operation.origin is not Origin.AGENT:
        yield "   ", out.warn(f"made of words of: {operation.made_of}")
    if operation.reason:
        yield from out.paragraph(operation.reason, 3)
    if operation.context:
        yield from out.paragraph(operation.context, 3, out.faint)
    changed = list(_changed(diff))
    lines = filter(None, map(_unmarked, operation.content.split("\n")))
    signs = "+-" if operation.kind in _LINES_OUT else "+"
    told = [_unmarked(words) for _, sign, words in changed if sign in signs]
    if not all(any(line in each for each in told) for line in lines):
        yield from quoted(operation.content, 3, out.match)
    shown = operation.target
    for path, sign, words in changed:
        if path not in {shown, ""}:
            yield "   ", out.place(path)
        shown = path or shown
        yield "   ", out.Styled(f"{sign} {words}", out.DIFF[sign])


def _changed(diff: str) -> Iterator[tuple[str, str, str]]:
    """The lines of a diff that are new or gone, each with its file and its sign."""
    path, left = "", 0
    for line in diff.split("\n"):
        hunk = _HUNK.match(line)
        if left <= 0 and hunk:
            left = int(hunk[1] or 1) + int(hunk[2] or 1)
        elif left <= 0 and line.startswith("+++ b/"):
            path = line[6:]
        elif left > 0 or not line.startswith("--- "):
            left -= 1 if line[:1] in out.DIFF else 2
            if line[:1] in out.DIFF and line[1:].strip():
                yield path, line[:1], line[1:]


def _unmarked(line: str) -> str:
    """A line without the mark of a list."""
    return line.strip().lstrip("-+* ")


def _concerns(pending: PendingReflection) -> out.Lines:
    """What to think of before deciding."""
    for trial in pending.trials:
        asked = f"{trial.expected.question} {trial.expected.answer}"
        if trial.verdict is Verdict.LOST:
            yield out.bad("Would be lost: "), asked
        elif trial.verdict is Verdict.HARDER:
            yield out.warn("Would be harder to find: "), asked
    for each in pending.refused:
        yield out.warn("Left out: "), f"{each.what} \u2014 {each.why}"
    for source in pending.read:
        if source.left_out:
            why = f" \u2014 {source.why}" if source.why else ""
            yield out.warn("Not read: "), f"{source.left_out:,} of {source.name}{why}"


def _noted(pending: PendingReflection) -> out.Lines:
    """What is written besides, what was tried, and what was read."""
    yield out.faint(BOOKS)
    if trials := pending.trials:
        worse = any(each.verdict in {Verdict.LOST, Verdict.HARDER} for each in trials)
        told = "see above" if worse else "none is harder to find"
        count = out.counted(len(trials), "question")
        yield out.faint(f"Tried: {count} that must stay answerable, {told}")
    by_name = {each.name.removesuffix("/*"): each.read for each in pending.read}
    parts = (
        out.counted(by_name.get("memory/episodes", 0), "new episode"),
        out.counted(by_name.get("memory/graph/entities", 0), "entity", "entities"),
        out.counted(by_name.get("memory/procedures", 0), "procedure"),
        out.counted(pending.input_tokens, "token"),
    )
    sent = f" ({pending.sent_tokens:,} sent)" if pending.sent_tokens else ""
    wrote = f"; wrote {pending.used:,} of {pending.grant:,}" if pending.grant else ""
    yield out.faint(f"Read: {', '.join(parts)}{sent}{wrote}")


def told_image(drawn: SelfImageShown) -> out.Page:
    """A new self-image that waits for a decision, or the question for it."""
    said = told_prompt(drawn.question) if drawn.question else styled(drawn.says)
    return [*said, "", out.faint(drawn.hint)]


# --- Markdown on a screen --------------------------------------------------------


def quoted(text: str, indent: int = 2, look: Callable[[str], str] = str) -> out.Page:
    """A text of somebody's, set off so that none of it reads as one of our lines."""
    lines = text.strip("\n").split("\n")
    return [(" " * indent, out.faint("\u2502 "), look(line)) for line in lines]


def styled(text: str) -> out.Page:
    """Markdown line by line, with its headings marked."""
    lines = text.strip("\n").split("\n")
    return [out.Styled(line, "title" if line.startswith("#") else "") for line in lines]
