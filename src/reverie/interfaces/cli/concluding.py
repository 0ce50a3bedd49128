"""What becomes of a proposal: `reflect show`, `approve`, `reject`, and afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reverie.errors import RefusedError
from reverie.interfaces.cli.edge import MUST_ANSWER
from reverie.interfaces.cli.intake import given_text
from reverie.interfaces.cli.page import BLANK, Span, Style, counted, paragraph, row
from reverie.interfaces.cli.session import interactive, session_of
from reverie.interfaces.cli.verb import Verb, person_option
from reverie.model.change import Actor
from reverie.model.reflection import Choice, Decision, Verdict, digest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reverie.interfaces.cli.page import Page
    from reverie.interfaces.cli.session import Session
    from reverie.memory.afterwards import Discussed, SelfImageShown
    from reverie.memory.recording import Reflected
    from reverie.model.change import Receipt
    from reverie.model.reflection import PendingReflection


class ShownWhatError(RefusedError):
    """A decision comes from somewhere that was shown nothing."""

    def __init__(self) -> None:
        super().__init__(
            "a decision holds for exactly what was shown, and nothing was",
            hint="In a terminal it is shown and asked. Elsewhere pass --shown with the "
            "digest of `reverie reflect show --json`.",
        )


class NotANumberError(RefusedError):
    """Numbers of operations were to be given, and something else was."""

    def __init__(self, text: str) -> None:
        super().__init__(
            f"{text!r} names no operation",
            hint="Numbers and ranges, such as 1,3-5.",
        )


@click.command(cls=Verb)
@click.pass_context
def show(ctx: click.Context) -> None:
    """Show the proposal that waits, with its diffs and what was read.

    reverie reflect show
    reverie reflect show --json
    """
    session = session_of(ctx)
    with session.open() as memory:
        standing = memory.reflection.status()
        memory.reflection.pending()
    session.answer(standing, lambda told: paragraph(told.says))


@click.command(cls=Verb)
@click.argument("numbers", nargs=-1, metavar="[NUMBERS]")
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
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@person_option()
@click.pass_context
def approve(  # noqa: PLR0913 - click passes every option
    ctx: click.Context,
    *,
    numbers: tuple[str, ...],
    without: str | None,
    changes: tuple[str, ...],
    reason: str,
    shown: str,
    actor: str,
    regardless: bool,
    yes: bool,
) -> None:
    """Apply the proposal, or only NUMBERS of it, in one change.

    Only a person may. It holds for exactly what was shown. The text of a change can
    also be corrected in memory/meta/pending-reflection.md before.

        reverie reflect approve
        reverie reflect approve 1,3-5
        reverie reflect approve --except 2 --reason "might need it"
        reverie reflect approve --change "3=Lives in Lisbon since May."
    """
    session = session_of(ctx)
    with session.open() as memory:
        pending, page = memory.reflection.pending()
        accepted = _chosen(pending, numbers, without)
        altered = tuple(map(_change, changes))
        partial = len(accepted) < len(pending.operations)
        choice = Choice.PARTIAL if partial else Choice.APPROVE
        choice = Choice.CHANGE if altered else choice
        decision = Decision(choice, accepted, altered, reason, regardless)
        seen = _seen(session, page, shown, yes=yes)
        done = memory.reflection.decide(decision, seen, actor=Actor(actor))
    session.answer(done, decided_page)


@click.command(cls=Verb)
@click.option("--reason", default="", metavar="WORDS", help="Why; it is learned from.")
@click.option("--shown", default="", metavar="DIGEST", help="What was shown.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@person_option()
@click.pass_context
def reject(
    ctx: click.Context, reason: str, shown: str, actor: str, *, yes: bool
) -> None:
    """Apply nothing of the proposal; the reason is kept and learned from.

    reverie reflect reject --reason "too much about work"
    """
    session = session_of(ctx)
    with session.open() as memory:
        _, page = memory.reflection.pending()
        decision = Decision(Choice.REJECT, reason=reason)
        seen = _seen(session, page, shown, yes=yes)
        done = memory.reflection.decide(decision, seen, actor=Actor(actor))
    session.answer(done, decided_page)


def _seen(session: Session, page: str, shown: str, *, yes: bool) -> str:
    """The digest of what the person has seen; it is shown now if need be."""
    if shown:
        return shown
    if not interactive():
        raise ShownWhatError
    if not yes:
        session.say(paragraph(page))
        session.confirm("Decide so?")
    return digest(page)


def _chosen(
    pending: PendingReflection, numbers: Iterable[str], without: str | None
) -> tuple[int, ...]:
    everything = tuple(range(1, len(pending.operations) + 1))
    wanted = [n for text in numbers for n in _numbers(text)] or list(everything)
    left_out = set(_numbers(without or ""))
    unknown = [n for n in (*wanted, *left_out) if n not in everything]
    if unknown:
        raise NotANumberError(str(unknown[0]))
    return tuple(n for n in dict.fromkeys(wanted) if n not in left_out)


def _numbers(text: str) -> list[int]:
    found: list[int] = []
    for part in filter(None, text.replace(" ", "").split(",")):
        first, dash, last = part.partition("-")
        if not first.isdigit() or (dash and not last.isdigit()):
            raise NotANumberError(part)
        # A range of a billion numbers is a slip, and must not take an hour.
        end = min(int(last), int(first) + 1000) if dash else int(first)
        found += range(int(first), end + 1)
    return found


def _change(text: str) -> tuple[int, str]:
    number, equals, words = text.partition("=")
    if not equals or not number.strip().isdigit():
        raise NotANumberError(text)
    return int(number), words


@click.command(cls=Verb)
@click.argument("words")
@click.option("--answer", default="", metavar="WORDS", help="What the agent replied.")
@person_option()
@click.pass_context
def say(ctx: click.Context, words: str, answer: str, actor: str) -> None:
    """Say something about the last reflection; what matters of it is kept.

    reverie reflect say "Yes, I've noticed that pattern too."
    reverie reflect say "Actually, you weren't defensive, you were precise."
    """
    session = session_of(ctx)
    with session.open() as memory:
        done = memory.reflection.say(words, answer, actor=Actor(actor))
    session.answer(done, _told_discussed)


@click.command("self-image", cls=Verb)
@click.option("--approve", "yes", is_flag=True, help="Write it into IDENTITY.md.")
@click.option("--reject", "no", is_flag=True, help="Leave IDENTITY.md as it is.")
@click.option("--answer", default="", metavar="JSON", help="The host agent's answer.")
@click.option("--shown", default="", metavar="DIGEST", help="What was shown.")
@person_option()
@click.pass_context
def self_image(
    ctx: click.Context, answer: str, shown: str, actor: str, *, yes: bool, no: bool
) -> None:
    """Have the agent's picture of itself drawn anew, and decide on it.

    It is due after ten notes of self-awareness and at milestones, and needs a model.

        reverie reflect self-image
        reverie reflect self-image --approve
    """
    session = session_of(ctx)
    with session.open() as memory:
        reflection = memory.reflection
        if no:
            reflection.drop_self_image()
            session.say([row(Span("IDENTITY.md stays as it is.", Style.GOOD))])
            return
        drawn = reflection.self_image(given_text(answer) if answer else "")
        if not yes or drawn.question:
            session.answer(drawn, _told_image)
            ctx.exit(MUST_ANSWER if drawn.question else 0)
        # What is shown here is only a part of what its digest is made of.
        _seen(session, drawn.says, shown, yes=False)
        receipt = reflection.adopt_self_image(shown or drawn.shown, actor=Actor(actor))
    session.answer(receipt, _told_adopted)


def _told_adopted(_receipt: Receipt) -> Page:
    return [row(Span("IDENTITY.md is rewritten.", Style.GOOD))]


def decided_page(done: Reflected) -> Page:
    """What became of a decision, for a person to read."""
    page: Page = [
        row(
            Span(f"Reflection #{done.number}: {done.choice}", Style.GOOD),
            Span(f"  {done.commit[:10]}", Style.FAINT),
        )
    ]
    if done.applied:
        changes = counted(len(done.applied), "change")
        page.append(row(f"{changes} applied, in one commit.", indent=2))
    for skipped in done.skipped:
        words = f"{skipped.what}: {skipped.why}"
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
        hint = f"`reverie undo --session r-{done.number:03d}` takes all of it back."
        page += [BLANK, row(Span(hint, Style.FAINT))]
    return page


def _told_discussed(done: Discussed) -> Page:
    return [
        row(Span(f"Kept: {done.kind}", Style.GOOD), Span(f"  {done.path}", Style.PATH))
    ]


def _told_image(drawn: SelfImageShown) -> Page:
    return [*paragraph(drawn.says), BLANK, row(Span(drawn.hint, Style.FAINT))]
