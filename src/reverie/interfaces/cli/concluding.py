"""What becomes of a proposal: `reflect show`, `approve` and `reject`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from reverie.authority.authority import Act, NoHumanError
from reverie.errors import RefusedError
from reverie.interfaces.cli.command import Verb, actor_option
from reverie.interfaces.cli.page import BLANK, Span, Style, counted, row
from reverie.interfaces.cli.proposal import shown_page, told_proposal
from reverie.interfaces.cli.session import session_of
from reverie.model.change import OnlyHumansError
from reverie.model.reflection import Choice, Decision, Verdict, digest
from reverie.reflection.replies import read_decision, read_numbers, understood_decision

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reverie.interfaces.cli.page import Page
    from reverie.interfaces.cli.session import Session
    from reverie.model.change import Actor
    from reverie.model.reflection import PendingReflection
    from reverie.reflection.recording import Reflected


class ShownWhatError(RefusedError):
    """A decision comes from somewhere that was shown nothing."""

    def __init__(self, source: str) -> None:
        super().__init__(
            "a decision holds for exactly what was shown, and nothing was",
            hint="In a terminal it is shown and asked. Elsewhere pass --shown with "
            f"`shown` of `{source} --json`.",
        )


class NoNewTextError(RefusedError):
    """A change was to be corrected, and it is not said to what."""

    def __init__(self, text: str) -> None:
        super().__init__(
            f"{text!r} is no new text for a change",
            hint='Give its number and the text: --change "3=Lives in Lisbon."',
        )


class NothingLeftError(RefusedError):
    """An approval that leaves out everything."""

    def __init__(self) -> None:
        super().__init__(
            "that leaves nothing to apply",
            hint="`reverie reflect reject` turns all of it down.",
        )


@click.command(cls=Verb)
@click.pass_context
def show(ctx: click.Context) -> None:
    """Print the page that waits for a decision, all of it.

    It is memory/meta/pending-reflection.md. With --json, `says` is the page and
    `shown` is what a decision is bound to.

        reverie reflect show
        reverie reflect show --json
    """
    session = session_of(ctx)
    with session.open() as memory:
        memory.reflection.pending()
        standing = memory.reflection.status()
    session.answer(standing, lambda told: shown_page(told.says))


@click.command(cls=Verb)
@click.argument("numbers", nargs=-1, metavar="[WHICH]")
@click.option("--except", "without", metavar="NUMBERS", help="All but these.")
@click.option(
    "--change",
    "changes",
    multiple=True,
    metavar="N=TEXT",
    help="Carry out number N with this text instead; may be given several times.",
)
@click.option("--reason", default="", metavar="WORDS", help="Why, for the record.")
@click.option(
    "--regardless",
    is_flag=True,
    help="Although something that must stay findable would be lost.",
)
@click.option("--shown", default="", metavar="DIGEST", help="What was shown.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask again.")
@actor_option()
@click.pass_context
def approve(  # noqa: PLR0913 - click passes every option
    ctx: click.Context,
    *,
    numbers: tuple[str, ...],
    without: str | None,
    changes: tuple[str, ...],
    reason: str,
    shown: str,
    actor: Actor | None,
    regardless: bool,
    yes: bool,
) -> None:
    """Apply the proposal, or only WHICH of it, in one change.

    Only a person may, and it holds for exactly what was shown. WHICH are numbers, or
    all but some; a number may come with a new text. A text can also be corrected in
    memory/meta/pending-reflection.md before.

        reverie reflect approve
        reverie reflect approve 1,3-5
        reverie reflect approve all but 2 --reason "might need it"
        reverie reflect approve 3 as "Lives in Lisbon since May."
        reverie reflect approve --change "3=Lives in Lisbon since May."
    """
    require_person(session_of(ctx), actor)
    asking = Asking(session_of(ctx), shown, yes=yes)
    with asking.session.open() as memory:
        pending, page = memory.reflection.pending()
        accepted, given = _chosen(pending, numbers, without)
        texts = (*given, *(_change(pending, each) for each in changes))
        choice = _choice(pending, accepted, texts)
        decision = Decision(choice, accepted, texts, reason, regardless)
        seen = asking.seen(pending, page, question(pending, decision))
        done = memory.reflection.decide(decision, seen, actor=actor)
    asking.session.answer(done, decided_page)


@click.command(cls=Verb)
@click.argument("numbers", nargs=-1, metavar="[NUMBERS]")
@click.option("--reason", default="", metavar="WORDS", help="Why; it is learned from.")
@click.option("--shown", default="", metavar="DIGEST", help="What was shown.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask again.")
@actor_option()
@click.pass_context
def reject(
    ctx: click.Context,
    numbers: tuple[str, ...],
    reason: str,
    shown: str,
    actor: Actor | None,
    *,
    yes: bool,
) -> None:
    """Apply nothing of the proposal, or all of it but NUMBERS.

    Only a person may. The reason is kept and learned from, and what was rejected is
    not proposed again.

        reverie reflect reject
        reverie reflect reject --reason "too much about work"
        reverie reflect reject 2,4
    """
    require_person(session_of(ctx), actor)
    asking = Asking(session_of(ctx), shown, yes=yes)
    with asking.session.open() as memory:
        pending, page = memory.reflection.pending()
        decision = _rejected(pending, numbers, reason)
        seen = asking.seen(pending, page, question(pending, decision))
        done = memory.reflection.decide(decision, seen, actor=actor)
    asking.session.answer(done, decided_page)


def require_person(session: Session, actor: Actor | None) -> None:
    """Refuse anybody but a person who is there, before anything is asked.

    A program can name any actor; without a terminal it is nobody's word.
    """
    if session.channel is None:
        raise NoHumanError(Act.DECIDE, "decide on a reflection")
    if actor and not actor.human:
        raise OnlyHumansError(actor)


@dataclass(frozen=True, slots=True)
class Asking:
    """How a decision is bound to what its human has seen.

    Attributes:
        session: This call.
        shown: What they say they were shown; empty if they did not.
        yes: Whether they want not to be asked.
    """

    session: Session
    shown: str
    yes: bool = False

    def seen(self, pending: PendingReflection, page: str, question: str) -> str:
        """The digest of what they have seen; it is shown now if need be."""
        if self.shown:
            return self.shown
        self.require_screen("reverie reflect show")
        if not self.yes:
            self.session.say([*told_proposal(pending, page), BLANK])
            self.session.confirm(question)
        return digest(page)

    def require_screen(self, source: str) -> None:
        """Refuse to go on where nobody can see what would be decided."""
        if not self.session.interactive or not (self.yes or self.session.on_a_screen):
            raise ShownWhatError(source)


# --- which changes -------------------------------------------------------------


def _chosen(
    pending: PendingReflection, numbers: Sequence[str], without: str | None
) -> tuple[tuple[int, ...], tuple[tuple[int, str], ...]]:
    """The changes that were named, and the new texts that came with them."""
    most = len(pending.operations)
    read = read_decision(" ".join(("approve", *_quoted(numbers, most))), most)
    assert read is not None  # noqa: S101 - it begins with "approve"
    left_out = set() if without is None else set(read_numbers(without, most))
    chosen = tuple(n for n in read.accepted if n not in left_out)
    if most and not chosen:
        raise NothingLeftError
    return chosen, read.changes


def _quoted(words: Sequence[str], most: int) -> Iterator[str]:
    """What a shell took apart, with a new text in quotes again."""
    before = ""
    for word in words:
        if not word.strip():
            # What names nothing must not stand for all.
            read_numbers(word, most)
        bare = before.casefold() == "as" and '"' not in word
        yield f'"{word}"' if bare else word
        before = word


def _rejected(
    pending: PendingReflection, numbers: Sequence[str], reason: str
) -> Decision:
    most = len(pending.operations)
    named = {n for text in numbers for n in read_numbers(text, most)}
    kept = tuple(n for n in range(1, most + 1) if numbers and n not in named)
    return Decision(Choice.PARTIAL if kept else Choice.REJECT, kept, reason=reason)


def _change(pending: PendingReflection, text: str) -> tuple[int, str]:
    number, _, words = text.partition("=")
    if not re.fullmatch(r"\s*[0-9]{1,6}\s*", number) or not words.strip():
        raise NoNewTextError(text)
    (named,) = read_numbers(number.strip(), len(pending.operations))
    return named, words


def _choice(
    pending: PendingReflection,
    accepted: tuple[int, ...],
    texts: tuple[tuple[int, str], ...],
) -> Choice:
    if texts:
        return Choice.CHANGE
    partial = len(accepted) < len(pending.operations)
    return Choice.PARTIAL if partial else Choice.APPROVE


def question(pending: PendingReflection, decision: Decision) -> str:
    """What is asked before it is done: the decision as it was understood."""
    most = len(pending.operations)
    if not most and decision.choice is not Choice.REJECT:
        return "Note that it was looked at?"
    told = understood_decision(decision, most)
    return f"{told[:1].upper()}{told[1:]}?"


# --- what became of it ---------------------------------------------------------


def decided_page(done: Reflected) -> Page:
    """What became of a decision, for a person to read."""
    from reverie.reflection.records.log import STATUSES

    page: Page = [
        row(Span("Understood: ", Style.FAINT), f"{done.understood}."),
        row(
            Span(f"Reflection #{done.number}: {STATUSES[done.choice]}", Style.GOOD),
            Span(f"  {done.commit[:10]}", Style.FAINT),
        ),
        row(_applied(done), indent=2),
    ]
    for skipped in done.skipped:
        words = f"{skipped.what} \u2014 {skipped.why}"
        page.append(row(Span("Left out: ", Style.WARN), words, indent=2))
    for trial in done.trials:
        if trial.verdict in {Verdict.HARDER, Verdict.LOST}:
            words = f"{trial.expected.question} ({trial.verdict})"
            page.append(row(Span("Harder to find: ", Style.WARN), words, indent=2))
    for insight in done.awareness:
        page.append(row(Span("Noticed about itself: ", Style.FAINT), insight, indent=2))
    for note in done.notes:
        page.append(row(Span(note, Style.WARN), indent=2))
    if done.choice is not Choice.REJECT:
        back = f"`reverie undo --session r-{done.number:03d}` takes all of it back."
        page.append(row(Span(back, Style.FAINT)))
    return page


def _applied(done: Reflected) -> str:
    if done.applied:
        return f"{counted(len(done.applied), 'change')} applied, in one commit."
    if done.choice is Choice.REJECT:
        return "Nothing was applied; what was rejected is kept and learned from."
    return "Nothing to apply; what was read is not read again."
