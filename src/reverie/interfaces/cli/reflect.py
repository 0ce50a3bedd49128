"""`reflect`: the agent sleeps on it, step by step, and a person decides.

Every step is kept as soon as it is taken: who leaves in the middle finds it there.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import click

from reverie.authority.authority import Act, NoHumanError
from reverie.errors import RefusedError, ReverieError, UnavailableError
from reverie.interfaces.cli import channel
from reverie.interfaces.cli.command import VerbGroup, actor_option, with_session
from reverie.interfaces.cli.mind import told_prompt
from reverie.interfaces.cli.output import counted, faint, good, place, warn
from reverie.interfaces.cli.proposal import (
    LOOKED,
    shown_page,
    styled,
    told_in_full,
    told_proposal,
    told_standing,
    told_understood,
)
from reverie.interfaces.cli.session import MUST_ANSWER, given_text
from reverie.model.change import Actor, OnlyHumansError
from reverie.model.reflection import (
    Choice,
    Decision,
    Feedback,
    Occasion,
    UnknownItemError,
    Verdict,
    digest,
)
from reverie.reflection.replies import (
    is_later,
    read_decision,
    read_numbers,
    understood_decision,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reverie.interfaces.cli.output import Line, Page
    from reverie.interfaces.cli.session import Session
    from reverie.memory import Memory
    from reverie.model.reflection import PendingReflection
    from reverie.reflection.apply import Reflected
    from reverie.reflection.feedback import SelfImageShown
    from reverie.reflection.reflection import Reflection, Standing

BEGINNINGS = frozenset({"idle", "deferred", "recorded", "asked"})
"""The states from which a reflection begins."""

STAYS = "It stays where it is: `reverie reflect` goes on."
ONE, NONE = "approve, reject, or later", "approve, or later"
SOME = "approve, approve 1,3, approve all but 2, reject: why, or later"
WAITS = "It waits; nothing is ever applied by waiting."


class ShownWhatError(RefusedError):
    """A decision comes from somewhere that was shown nothing."""

    def __init__(self, source: str) -> None:
        super().__init__(
            "a decision holds for exactly what was shown, and nothing was",
            hint="In a terminal it is shown and asked. Elsewhere pass --shown with "
            f"`shown` of `{source} --json`.",
        )


class UnusableError(RefusedError):
    """What was said about a reflection cannot be done now."""


@click.group(cls=VerbGroup)
@click.option("--scheduled", is_flag=True, help="Only ask, and only if one is due.")
@click.option("--session-end", is_flag=True, help="Ask because a conversation ends.")
@click.pass_context
@with_session
def reflect(
    session: Session, ctx: click.Context, *, scheduled: bool, session_end: bool
) -> int:
    """Sleep on what happened, and decide what becomes of it.

    With a model or a connected agent it extracts, connects and archives; with neither
    it lists what is new, what fades and what is said twice.

    In a terminal it leads through the whole cycle; elsewhere it goes as far as nobody
    has to be asked. Nothing is applied without your yes, and every step can be left
    and taken up again, also by another program. With --scheduled or --session-end
    nothing is said in a pipe where there is nothing to ask.

        reverie reflect
        reverie reflect --scheduled
        reverie reflect reply grant 8000
        reverie reflect approve 1,3
    """
    if ctx.invoked_subcommand is not None:
        return 0
    with session.open() as memory:
        if scheduled or session_end:
            _offer(session, memory.reflection, at_end=session_end)
            return 0
        actor = Actor(os.environ.get("REVERIE_ACTOR") or "manual")
        if session.interactive and session.on_a_screen and actor.human:
            standing = _lead_through(session, memory.reflection)
        else:
            standing = _thought_through(session, memory.reflection, asks=False)
            session.answer(standing, told_in_full)
    return MUST_ANSWER if standing.question is not None else 0


def _offer(session: Session, reflection: Reflection, *, at_end: bool) -> None:
    """Ask, where there is something to ask for; never more than that."""
    occasion = reflection.offer(turns=int(at_end))
    standing = reflection.begin(occasion) if occasion else reflection.status()

    def told(standing: Standing) -> Page:
        none = standing.state in {"idle", "deferred", "recorded"}
        return ["No reflection is due."] if none else told_standing(standing)

    # Who is started every hour makes a mail of every word.
    if occasion or session.json or session.on_a_screen or reflection.remind():
        session.answer(standing, told)


# --- with a person, from the first question to the decision ------------------------


def _lead_through(session: Session, reflection: Reflection) -> Standing:
    try:
        standing = _thought_through(session, reflection, asks=True)
        if standing.state == "pending":
            _ask_decision(session, reflection)
        else:
            session.say(told_standing(standing))
    except (click.Abort, KeyboardInterrupt, UnavailableError):
        click.echo(f"\n{STAYS}", err=True)
        raise
    return standing


def _thought_through(
    session: Session, reflection: Reflection, *, asks: bool
) -> Standing:
    """Begin, unless one is under way, and go as far as nobody else has to be asked."""
    standing = reflection.status()
    if standing.state in BEGINNINGS:
        standing = reflection.begin(Occasion.MANUAL)
    if asks and standing.state == "tokens requested":
        session.say(styled(standing.says))
        while standing.state == "tokens requested":
            words = channel.ask(
                "grant, another number, no penalty, or decline", "grant"
            )
            try:
                standing = reflection.reply(words)
            except RefusedError as error:
                _tell(session, error)
            else:
                session.say(told_understood(standing.understood))
    if standing.state in {"granted", "reflecting"} and standing.question is None:
        with session.progress("Reflecting") as step:
            standing = reflection.advance(step)
    return standing


def _ask_decision(session: Session, reflection: Reflection) -> None:
    pending, page = reflection.pending()
    most = len(pending.operations)
    label, usual = (SOME if most > 1 else ONE, "later") if most else (NONE, "approve")
    more = [] if most else [faint(LOOKED)]
    session.say([*told_proposal(pending, page), "", *more])
    while True:
        words = channel.ask(label, usual)
        if is_later(words):
            session.say([faint(WAITS)])
            return
        try:
            decision = read_decision(words, most)
            rejects = words.lstrip()[:6].lower() == "reject"
            # A rejection of some would apply the others, which is told and asked.
            if decision and decision.accepted and rejects:
                click.echo(f"That is: {understood_decision(decision, most)}.")
                if not channel.confirms("Is that meant"):
                    continue
            done = reflection.decide(words, digest(page))
        except (RefusedError, UnknownItemError) as error:
            _tell(session, error)
        else:
            session.say(_decided(done))
            return


def _tell(session: Session, error: ReverieError) -> None:
    session.warn(f"{error}. {error.hint}".strip())


# --- step by step ------------------------------------------------------------------


@reflect.command()
@with_session
def status(session: Session) -> None:
    """Tell where the reflection stands, and what comes next.

    Looking changes nothing but what time has: a question that nobody answered.

        reverie reflect status
        reverie reflect status --json
    """
    with session.open() as memory:
        standing = memory.reflection.status()
    session.answer(standing, told_standing)


@reflect.command()
@click.argument("words", nargs=-1, required=True)
@actor_option()
@with_session
def reply(session: Session, words: tuple[str, ...], actor: Actor | None) -> None:
    """Answer the check-in, the token request or the proposal.

    It takes a few commands, tells what it understood, and changes nothing where it
    did not. A reason may follow a colon. Check-in: yes, no, later, 4h. Token request:
    grant, grant 8000, bonus 12000, less 5000, no penalty, worse 5000, decline.
    Proposal: approve, approve 1,3, approve 1-4, approve all but 3, approve 2 as "the
    new text", reject, reject 2, later. An agent may pass on what you say to the first
    two, tokens up to the baseline, in these words; what becomes of a proposal only you
    decide, in a terminal.

        reverie reflect reply later
        reverie reflect reply grant 8000
        reverie reflect reply "less 5000: yesterday was sloppy"
        reverie reflect reply "reject 2: too much about work"
    """
    text = " ".join(words)
    with session.open() as memory:
        if memory.reflection.status().state != "pending":
            standing = memory.reflection.reply(text, actor=actor)
            session.answer(standing, told_in_full)
            return
        _require_person(session, actor)
        pending, page = memory.reflection.pending()
        decision = read_decision(text, len(pending.operations))
        if decision is None:
            session.say([WAITS])
        else:
            _decide(session, memory, (pending, page), decision, actor)


@reflect.command()
@with_session
def run(session: Session) -> int:
    """Think it through, with the tokens that were granted.

    Where it was cut off it goes on; a phase that is done is not paid for again.

        reverie reflect run
    """
    with session.open() as memory, session.progress("Reflecting") as step:
        standing = memory.reflection.advance(step)
    session.answer(standing, told_in_full)
    return MUST_ANSWER if standing.question is not None else 0


@reflect.command()
@with_session
def show(session: Session) -> None:
    """Print the page that waits for a decision, all of it.

    It is memory/meta/pending-reflection.md. With --json, `says` is the page and
    `shown` is what a decision is bound to.

        reverie reflect show
        reverie reflect show --json
    """
    with session.open() as memory:
        memory.reflection.pending()
        standing = memory.reflection.status()
    session.answer(standing, lambda told: shown_page(told.says))


@reflect.command()
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
@with_session
def approve(  # noqa: PLR0913 - click passes every option
    session: Session,
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
    _require_person(session, actor)
    with session.open() as memory:
        pending, page = memory.reflection.pending()
        accepted, given = _chosen(pending, numbers, without)
        texts = (*given, *(_change(pending, each) for each in changes))
        partial = len(accepted) < len(pending.operations)
        choice = Choice.PARTIAL if partial else Choice.APPROVE
        choice = Choice.CHANGE if texts else choice
        decision = Decision(choice, accepted, texts, reason, regardless)
        _decide(session, memory, (pending, page), decision, actor, shown=shown, yes=yes)


@reflect.command()
@click.argument("numbers", nargs=-1, metavar="[NUMBERS]")
@click.option("--reason", default="", metavar="WORDS", help="Why; it is learned from.")
@click.option("--shown", default="", metavar="DIGEST", help="What was shown.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask again.")
@actor_option()
@with_session
def reject(
    session: Session,
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
    _require_person(session, actor)
    with session.open() as memory:
        pending, page = memory.reflection.pending()
        most = len(pending.operations)
        out = {n for text in numbers for n in read_numbers(text, most)}
        kept = tuple(n for n in range(1, most + 1) if numbers and n not in out)
        choice = Choice.PARTIAL if kept else Choice.REJECT
        decision = Decision(choice, kept, reason=reason)
        _decide(session, memory, (pending, page), decision, actor, shown=shown, yes=yes)


def _require_person(session: Session, actor: Actor | None) -> None:
    """Refuse anybody but a person who is there, before anything is asked.

    A program can name any actor; without a terminal it is nobody's word.
    """
    if session.channel is None:
        raise NoHumanError(Act.DECIDE, "decide on a reflection")
    if actor and not actor.human:
        raise OnlyHumansError(actor)


def _require_screen(session: Session, source: str, *, yes: bool = False) -> None:
    """Refuse to go on where nobody can see what would be decided."""
    if not session.interactive or not (yes or session.on_a_screen):
        raise ShownWhatError(source)


def _decide(
    session: Session,
    memory: Memory,
    proposal: tuple[PendingReflection, str],
    decision: Decision,
    actor: Actor | None,
    *,
    shown: str = "",
    yes: bool = False,
) -> None:
    """Carry a decision out, for exactly what its human has seen."""
    pending, page = proposal
    if not shown:
        _require_screen(session, "reverie reflect show", yes=yes)
        if not yes:
            session.say([*told_proposal(pending, page), ""])
            told = understood_decision(decision, len(pending.operations))
            question = f"{told[:1].upper()}{told[1:]}?"
            if not pending.operations and decision.choice is not Choice.REJECT:
                question = "Note that it was looked at?"
            session.confirm(question)
    done = memory.reflection.decide(decision, shown or digest(page), actor=actor)
    session.answer(done, _decided)


def _chosen(
    pending: PendingReflection, numbers: Sequence[str], without: str | None
) -> tuple[tuple[int, ...], tuple[tuple[int, str], ...]]:
    """The changes that were named, and the new texts that came with them."""
    most, before, words = len(pending.operations), "", ["approve"]
    for word in numbers:
        if not word.strip():
            # What names nothing must not stand for all.
            read_numbers(word, most)
        # What a shell took apart: a new text is put in quotes again.
        bare = before.casefold() == "as" and '"' not in word
        words.append(f'"{word}"' if bare else word)
        before = word
    read = read_decision(" ".join(words), most)
    assert read is not None  # noqa: S101 - it begins with "approve"
    left_out = set() if without is None else set(read_numbers(without, most))
    chosen = tuple(n for n in read.accepted if n not in left_out)
    if most and not chosen:
        problem = "that leaves nothing to apply"
        hint = "`reverie reflect reject` turns all of it down."
        raise UnusableError(problem, hint=hint)
    return chosen, read.changes


def _change(pending: PendingReflection, text: str) -> tuple[int, str]:
    number, _, words = text.partition("=")
    if not re.fullmatch(r"\s*[0-9]{1,6}\s*", number) or not words.strip():
        problem = f"{text!r} is no new text for a change"
        hint = 'Give its number and the text: --change "3=Lives in Lisbon."'
        raise UnusableError(problem, hint=hint)
    (meant,) = read_numbers(number.strip(), len(pending.operations))
    return meant, words


def _decided(done: Reflected) -> Iterator[Line]:
    """What became of a decision, for a person to read."""
    from reverie.reflection.records.log import STATUSES

    yield faint("Understood: "), f"{done.understood}."
    reflection = good(f"Reflection #{done.number}: {STATUSES[done.choice]}")
    yield reflection, faint(f"  {done.commit[:10]}")
    if done.applied:
        yield f"  {counted(len(done.applied), 'change')} applied, in one commit."
    elif done.choice is Choice.REJECT:
        yield "  Nothing was applied; what was rejected is kept and learned from."
    else:
        yield "  Nothing to apply; what was read is not read again."
    for skipped in done.skipped:
        yield "  ", warn("Left out: "), f"{skipped.what} \u2014 {skipped.why}"
    for trial in done.trials:
        if trial.verdict in {Verdict.HARDER, Verdict.LOST}:
            words = f"{trial.expected.question} ({trial.verdict})"
            yield "  ", warn("Harder to find: "), words
    for insight in done.awareness:
        yield "  ", faint("Noticed about itself: "), insight
    yield from (("  ", warn(note)) for note in done.notes)
    if done.choice is not Choice.REJECT:
        back = f"`reverie undo --session r-{done.number:03d}` takes all of it back."
        yield faint(back)


@reflect.command("next")
@with_session
def next_(session: Session) -> None:
    """Print the prompt and the schema of the phase that the host agent has to think.

    With mind.kind = "host" the agent that calls Reverie is the one who thinks.

        reverie reflect next
        reverie reflect next --json
    """
    with session.open() as memory:
        question = memory.reflection.question()
    session.answer(question, told_prompt)


@reflect.command()
@click.argument("text", metavar="JSON")
@with_session
def answer(session: Session, text: str) -> None:
    """Answer the present phase with JSON, or standard input for '-'.

    Operations may also come in their text form, OPERATION, TARGET, CONTENT, REASON.
    With --json, the next phase comes back as `question`.

        reverie reflect answer - < answer.json
    """
    with session.open() as memory:
        standing = memory.reflection.answer(given_text(text))
    if standing.problem:
        problem = f"the answer cannot be used: {standing.problem}"
        hint = "Answer again; `reverie reflect next` prints what is asked."
        raise UnusableError(problem, hint=hint)
    session.answer(standing, told_in_full)


@reflect.command()
@actor_option()
@with_session
def cancel(session: Session, actor: Actor | None) -> None:
    """Give up a reflection that has no proposal yet.

    What was thought so far is lost. A proposal is rejected instead.

        reverie reflect cancel
    """
    with session.open() as memory:
        standing = memory.reflection.status()
        if standing.state in {"idle", "recorded"}:
            problem = "no reflection is under way"
            raise UnusableError(problem, hint="`reverie reflect` begins one.")
        if standing.state == "pending":
            number = f"reflection #{standing.number}"
            problem = f"{number} has a proposal, and that is decided on"
            hint = "`reverie reflect reject` turns it down."
            raise UnusableError(problem, hint=hint)
        standing = memory.reflection.cancel(actor=actor)
    session.answer(standing, told_standing)


# --- afterwards --------------------------------------------------------------------


@reflect.command()
@click.argument("words")
@click.option("--answer", default="", metavar="WORDS", help="What the agent replied.")
@click.option(
    "--kind",
    type=click.Choice([each.value for each in Feedback]),
    default=Feedback.OTHER.value,
    help="Whether it bears the reflection out, corrects it, or does neither.",
)
@actor_option()
@with_session
def say(
    session: Session, words: str, answer: str, kind: str, actor: Actor | None
) -> None:
    """Say something about the last reflection; what matters of it is kept.

    What bears it out or corrects it is noted in the reflection's own file, the whole
    exchange below memory/meta/reflections/dialogues/.

        reverie reflect say "Yes, I've noticed that too." --kind validated
        reverie reflect say "You weren't defensive, but precise." --kind corrected
    """
    with session.open() as memory:
        done = memory.reflection.say(words, answer, kind=kind, actor=actor)
    session.answer(
        done, lambda _: [(good(f"Kept: {done.kind}"), place(f"  {done.path}"))]
    )


@reflect.command("self-image")
@click.option("--approve", "yes", is_flag=True, help="Write it into IDENTITY.md.")
@click.option("--reject", "no", is_flag=True, help="Leave IDENTITY.md as it is.")
@click.option(
    "--answer",
    default="",
    metavar="JSON",
    help="The host agent's answer, or standard input for '-'.",
)
@click.option("--shown", default="", metavar="DIGEST", help="What was shown.")
@actor_option()
@with_session
def self_image(
    session: Session,
    answer: str,
    shown: str,
    actor: Actor | None,
    *,
    yes: bool,
    no: bool,
) -> int:
    """Have the agent's picture of itself drawn anew, and decide on it.

    It is due after ten notes of self-awareness and at milestones, and needs a model.
    Only a person may approve.

        reverie reflect self-image
        reverie reflect self-image --approve
        reverie reflect self-image --reject
    """
    if yes and no:
        message = "--approve and --reject do not go together."
        raise click.UsageError(message)
    if yes or no:
        _require_person(session, actor)
    with session.open() as memory:
        reflection = memory.reflection
        if no:
            reflection.drop_self_image(actor=actor)
            session.answer({"dropped": True}, lambda _: ["It is dropped."])
            return 0
        drawn = reflection.self_image(given_text(answer) if answer else "")
        if drawn.question or not yes:
            session.answer(drawn, _image)
            return MUST_ANSWER if drawn.question else 0
        if not shown:
            _require_screen(session, "reverie reflect self-image")
            session.say([*styled(drawn.says), ""])
            session.confirm("Write it into IDENTITY.md?")
        receipt = reflection.adopt_self_image(shown or drawn.shown, actor=actor)
    done = good("IDENTITY.md is rewritten."), faint(f"  {receipt.commit[:10]}")
    session.answer(receipt, lambda _: [done])
    return 0


def _image(drawn: SelfImageShown) -> Page:
    said = told_prompt(drawn.question) if drawn.question else styled(drawn.says)
    return [*said, "", faint(drawn.hint)]
