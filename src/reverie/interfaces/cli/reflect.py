"""`reflect`: the agent sleeps on it, step by step, and a person decides.

Every step is kept as soon as it is taken: who leaves in the middle finds it there.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from reverie import (
    Act,
    Actor,
    Choice,
    Occasion,
    RefusedError,
    ReverieError,
    UnavailableError,
    Verdict,
)
from reverie.authority.authority import NoHumanError
from reverie.interfaces.cli import channel
from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out
from reverie.interfaces.cli.mind import told_prompt
from reverie.interfaces.cli.proposal import (
    quoted,
    styled,
    told_image,
    told_proposal,
    told_standing,
    told_understood,
)
from reverie.model.change import OnlyHumansError
from reverie.model.reflection import (
    LONG_SESSION,
    Feedback,
    UnknownItemError,
    digest,
)
from reverie.reflection.replies import (
    is_later,
    read_decision,
    read_numbers,
    understood_decision,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date, datetime

    from reverie import Decision, Reflected, Reflection, Standing

_WHEN = cli.moment_type()
BEGINNINGS = frozenset({"idle", "deferred", "recorded", "asked"})
"""The states from which a reflection begins."""

STAYS = "It stays where it is: `reverie reflect` goes on."
ONE, NONE = "approve, reject, or later", "approve, or later"
SOME = "approve, approve 1,3, approve all but 2, reject: why, or later"
WAITS = "It waits; nothing is ever applied by waiting."
_REGARDLESS = "Although something that must stay findable would be lost."
_ANSWER = "The host agent's answer, or standard input for '-'."
_KIND = "Whether it bears the reflection out, corrects it, or does neither."
_KINDS = click.Choice([each.value for each in Feedback])


def _shown_option() -> cli.Decorator:
    return cli.option("--shown", "What was shown.", metavar="DIGEST", default="")


@cli.group()
@cli.flag("--scheduled", "Only ask, and only if one is due.")
@cli.flag("--session-end", "Ask because a conversation ends.")
@cli.option("--since", "Read older unread episodes first, from DATE on.", _WHEN, "DATE")
def reflect(
    call: cli.Invocation,
    *,
    scheduled: bool,
    session_end: bool,
    since: datetime | None,
) -> int:
    """Sleep on what happened, and decide what becomes of it.

    With a model or a connected agent it extracts, connects and archives; with neither
    it lists what is new, what fades and what is said twice.

    In a terminal it leads through the whole cycle; elsewhere it goes as far as nobody
    has to be asked. Nothing is applied without your yes, and every step can be left
    and taken up again, also by another program. With --scheduled or --session-end
    nothing is said in a pipe where there is nothing to ask.

        reverie reflect
        reverie reflect --since 2026-01-15
        reverie reflect --scheduled
        reverie reflect reply grant 8000
        reverie reflect approve 1,3
    """
    reflection = call.memory.reflection
    if since and (scheduled or session_end):
        cli.misused("--since does not go together with --scheduled or --session-end.")
    if scheduled or session_end:
        # Ask, where there is something to ask for; never more than that.
        occasion = reflection.offer(turns=LONG_SESSION if session_end else 0)
        standing = reflection.begin(occasion) if occasion else reflection.status()
        none = standing.state in {"idle", "deferred", "recorded"}
        # Who is started every hour makes a mail of every word.
        if occasion or call.json or call.on_a_screen or reflection.remind():
            page = ["No reflection is due."] if none else told_standing(standing)
            call.answer(standing, page)
        return 0
    day = since.date() if since else None
    actor = Actor(os.environ.get("REVERIE_ACTOR") or "manual")
    if call.interactive and call.on_a_screen and actor.human:
        try:
            standing = _thought_through(call, reflection, day, asks=True)
            if standing.nothing_to_decide:
                call.say(told_standing(standing, in_full=True))
            elif standing.state == "pending":
                _ask_decision(call, reflection)
            else:
                call.say(told_standing(standing))
        except (click.Abort, KeyboardInterrupt, UnavailableError):
            click.echo(f"\n{STAYS}", err=True)
            raise
    else:
        standing = _thought_through(call, reflection, day, asks=False)
        call.answer(standing, told_standing(standing, in_full=True))
    return cli.MUST_ANSWER if standing.question is not None else 0


# --- with a person, from the first question to the decision ------------------------


def _thought_through(
    call: cli.Invocation, reflection: Reflection, since: date | None, *, asks: bool
) -> Standing:
    """Begin, unless one is under way, and go as far as nobody else has to be asked."""
    standing = reflection.status()
    if since or standing.nothing_to_decide or standing.state in BEGINNINGS:
        standing = reflection.begin(Occasion.MANUAL, since=since)
    if asks and standing.state == "tokens requested":
        call.say(styled(standing.says))
        while standing.state == "tokens requested":
            question = "grant, another number, no penalty, or decline"
            try:
                standing = reflection.reply(channel.ask(question, "grant"))
            except RefusedError as error:
                _tell(call, error)
            else:
                call.say(told_understood(standing.understood))
    if standing.state in {"granted", "reflecting"} and standing.question is None:
        with call.progress("Reflecting") as step:
            standing = reflection.advance(step)
    return standing


def _ask_decision(call: cli.Invocation, reflection: Reflection) -> None:
    pending, page = reflection.pending()
    most = len(pending.operations)
    label, usual = (SOME if most > 1 else ONE, "later") if most else (NONE, "approve")
    call.say([*told_proposal(pending, page), ""])
    while True:
        words = channel.ask(label, usual)
        if is_later(words):
            call.say([out.faint(WAITS)])
            return
        try:
            decision = read_decision(words, most)
            rejects = words.lstrip()[:6].lower() == "reject"
            # A rejection of some would apply the others, which is told and asked.
            if decision and decision.accepted and rejects:
                told = understood_decision(decision, most, pending.merges)
                click.echo(f"That is: {told}.")
                if not channel.confirms("Is that meant"):
                    continue
            done = reflection.decide(words, digest(page))
        except (RefusedError, UnknownItemError) as error:
            _tell(call, error)
        else:
            call.say(_decided(done))
            return


def _tell(call: cli.Invocation, error: ReverieError) -> None:
    call.warn(f"{error}. {error.advice}".strip())


# --- step by step ------------------------------------------------------------------


@reflect.verb()
def status(call: cli.Invocation) -> None:
    """Tell where the reflection stands, and what comes next.

    Looking changes nothing but what time has: a question that nobody answered.

        reverie reflect status
        reverie reflect status --json
    """
    standing = call.memory.reflection.status()
    call.answer(standing, told_standing(standing))


@reflect.verb()
@cli.argument("words", nargs=-1, required=True)
@cli.actor_option()
def reply(call: cli.Invocation, words: tuple[str, ...]) -> None:
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
    reflection = call.memory.reflection
    if reflection.status().state == "pending":
        _decide(call, reflection, words)
        return
    standing = reflection.reply(" ".join(words), actor=call.actor)
    call.answer(standing, told_standing(standing, in_full=True))


@reflect.verb()
def run(call: cli.Invocation) -> int:
    """Think it through, with the tokens that were granted.

    Where it was cut off it goes on; a phase that is done is not paid for again.

        reverie reflect run
    """
    with call.progress("Reflecting") as step:
        standing = call.memory.reflection.advance(step)
    call.answer(standing, told_standing(standing, in_full=True))
    return cli.MUST_ANSWER if standing.question is not None else 0


@reflect.verb()
def show(call: cli.Invocation) -> None:
    """Print the page that waits for a decision.

    It is memory/meta/pending-reflection.md without the record at its end, which
    programs read again. With --json, `says` is the whole page and `shown` is what a
    decision is bound to.

        reverie reflect show
        reverie reflect show --json
    """
    from reverie.reflection.proposal_page import without_record

    memory = call.memory
    memory.reflection.pending()
    standing = memory.reflection.status()
    call.answer(standing, quoted(without_record(standing.says), 0))


@reflect.verb()
@cli.argument("which", nargs=-1)
@cli.option("--reason", "Why, for the record.", metavar="WORDS", default="")
@cli.flag("--regardless", _REGARDLESS)
@_shown_option()
@cli.yes_option()
@cli.actor_option()
def approve(call: cli.Invocation, which: tuple[str, ...], **given: Any) -> None:
    """Apply the proposal, or only WHICH of it, in one change.

    Only a person may, and it holds for exactly what was shown. WHICH are numbers, or
    all but some; a number may come with a new text. A text can also be corrected in
    memory/meta/pending-reflection.md before.

        reverie reflect approve
        reverie reflect approve 1,3-5
        reverie reflect approve all but 2 --reason "might need it"
        reverie reflect approve 3 as "Lives in Lisbon since May."
    """
    _decide(call, call.memory.reflection, ("approve", *which), **given)


@reflect.verb()
@cli.argument("which", nargs=-1)
@cli.option("--reason", "Why; it is learned from.", metavar="WORDS", default="")
@_shown_option()
@cli.yes_option()
@cli.actor_option()
def reject(call: cli.Invocation, which: tuple[str, ...], **given: Any) -> None:
    """Apply nothing of the proposal, or all of it but WHICH.

    Only a person may. The reason is kept and learned from, and what was rejected is
    not proposed again.

        reverie reflect reject
        reverie reflect reject --reason "too much about work"
        reverie reflect reject 2,4
    """
    _decide(call, call.memory.reflection, ("reject", *which), **given)


def _require_person(call: cli.Invocation) -> None:
    """Refuse anybody but a person who is there, before anything is asked.

    A program can name any actor; without a terminal it is nobody's word.
    """
    if call.channel is None:
        raise NoHumanError(Act.DECIDE, "decide on a reflection")
    if call.actor and not call.actor.human:
        raise OnlyHumansError(call.actor)


def _require_screen(call: cli.Invocation, source: str) -> None:
    """Refuse to go on where nobody can see what would be decided."""
    if not call.interactive or not (call.yes or call.on_a_screen):
        hint = "In a terminal it is shown and asked. Elsewhere pass --shown with "
        hint += f"`shown` of `{source} --json`."
        problem = "a decision holds for exactly what was shown, and nothing was"
        cli.refuse(problem, hint)


def _decide(
    call: cli.Invocation,
    reflection: Reflection,
    words: Sequence[str],
    *,
    reason: str = "",
    shown: str = "",
    regardless: bool = False,
) -> None:
    """Carry out what was typed, for exactly what its human has seen."""
    _require_person(call)
    pending, page = reflection.pending()
    most = len(pending.operations)
    decision = _read(words, most)
    if decision is None:
        call.say([WAITS])
        return
    decision = replace(
        decision,
        reason=reason or decision.reason,
        regardless=regardless or decision.regardless,
    )
    if not shown:
        _require_screen(call, "reverie reflect show")
    if not shown and not call.yes:
        told = understood_decision(decision, most, pending.merges)
        question = f"{told[:1].upper()}{told[1:]}?"
        if not most and decision.choice is not Choice.REJECT:
            question = "Note that it was looked at?"
        call.confirm([*told_proposal(pending, page), ""], question)
    done = reflection.decide(decision, shown or digest(page), actor=call.actor)
    call.answer(done, _decided(done))


def _read(words: Sequence[str], most: int) -> Decision | None:
    """The decision that was typed, with the new texts that came with it."""
    before, typed = "", []
    for word in words:
        if not word.strip():
            # What names nothing must not stand for all.
            read_numbers(word, most)
        # What a shell took apart: a new text is put in quotes again.
        bare = before.casefold() == "as" and '"' not in word
        typed.append(f'"{word}"' if bare else word)
        before = word
    return read_decision(" ".join(typed), most)


def _decided(done: Reflected) -> out.Lines:
    """What became of a decision, for a person to read."""
    from reverie.reflection.log import STATUSES

    yield from told_understood(done.understood)
    reflection = out.good(f"Reflection #{done.number}: {STATUSES[done.choice]}")
    yield reflection, out.commit(done)
    if done.applied:
        yield f"  {out.counted(len(done.applied), 'change')} applied, in one commit."
    elif done.choice is Choice.REJECT:
        yield "  Nothing was applied; what was rejected is kept and learned from."
    else:
        yield "  Nothing to apply; what was read is not read again."
    for skipped in done.skipped:
        yield "  ", out.warn("Left out: "), f"{skipped.what} \u2014 {skipped.why}"
    for trial in done.trials:
        if trial.verdict in {Verdict.HARDER, Verdict.LOST}:
            words = f"{trial.expected.question} ({trial.verdict})"
            yield "  ", out.warn("Harder to find: "), words
    for insight in done.awareness:
        yield "  ", out.faint("Noticed about itself: "), insight
    yield from (("  ", out.warn(note)) for note in done.notes)
    if done.choice is not Choice.REJECT:
        back = f"`reverie undo --session r-{done.number:03d}` takes it back; then the "
        back += "proposal waits again."
        yield out.faint(back)


@reflect.verb("next")
def next_(call: cli.Invocation) -> None:
    """Print the prompt and the schema of the phase that the host agent has to think.

    With mind.kind = "host" the agent that calls Reverie is the one who thinks.

        reverie reflect next
        reverie reflect next --json
    """
    question = call.memory.reflection.question()
    call.answer(question, told_prompt(question))


@reflect.verb()
@cli.argument("text", metavar="JSON")
def answer(call: cli.Invocation, text: str) -> None:
    """Answer the present phase with JSON, or standard input for '-'.

    Operations may also come in their text form, OPERATION, TARGET, CONTENT, REASON.
    With --json, the next phase comes back as `question`.

        reverie reflect answer - < answer.json
    """
    standing = call.memory.reflection.answer(cli.given_text(text))
    if standing.problem:
        hint = "Answer again; `reverie reflect next` prints what is asked."
        cli.refuse(f"the answer cannot be used: {standing.problem}", hint)
    call.answer(standing, told_standing(standing, in_full=True))


@reflect.verb()
@cli.actor_option()
def cancel(call: cli.Invocation) -> None:
    """Give up a reflection that has no proposal yet.

    What was thought so far is lost. A proposal is rejected instead.

        reverie reflect cancel
    """
    reflection = call.memory.reflection
    standing = reflection.status()
    if standing.state in {"idle", "recorded"}:
        cli.refuse("no reflection is under way", "`reverie reflect` begins one.")
    if standing.state == "pending":
        problem = (
            f"reflection #{standing.number} has a proposal, and that is decided on"
        )
        cli.refuse(problem, "`reverie reflect reject` turns it down.")
    standing = reflection.cancel(actor=call.actor)
    call.answer(standing, told_standing(standing))


# --- afterwards --------------------------------------------------------------------


@reflect.verb()
@cli.argument("words")
@cli.option("--answer", "What the agent replied.", metavar="WORDS", default="")
@cli.option("--kind", _KIND, _KINDS, default=Feedback.OTHER.value)
@cli.actor_option()
def say(call: cli.Invocation, words: str, answer: str, kind: str) -> None:
    """Say something about the last reflection; what matters of it is kept.

    What bears it out or corrects it is noted in the reflection's own file, the whole
    exchange below memory/meta/reflections/dialogues/.

        reverie reflect say "Yes, I've noticed that too." --kind validated
        reverie reflect say "You weren't defensive, but precise." --kind corrected
    """
    done = call.memory.reflection.say(words, answer, kind=kind, actor=call.actor)
    kept = out.good(f"Kept: {done.kind}"), out.place(f"  {done.path}")
    call.answer(done, [kept])


@reflect.verb("self-image")
@cli.flag("--approve adopts", "Write it into IDENTITY.md.")
@cli.flag("--reject drops", "Leave IDENTITY.md as it is.")
@cli.option("--answer", _ANSWER, metavar="JSON", default="")
@_shown_option()
@cli.actor_option()
def self_image(
    call: cli.Invocation, answer: str, shown: str, *, adopts: bool, drops: bool
) -> int:
    """Have the agent's picture of itself drawn anew, and decide on it.

    It is due after ten notes of self-awareness and at milestones, and needs a model.
    Only a person may approve.

        reverie reflect self-image
        reverie reflect self-image --approve
        reverie reflect self-image --reject
    """
    if adopts and drops:
        cli.misused("--approve and --reject do not go together.")
    if adopts or drops:
        _require_person(call)
    reflection = call.memory.reflection
    if drops:
        reflection.drop_self_image(actor=call.actor)
        call.answer({"dropped": True}, ["It is dropped."])
        return 0
    drawn = reflection.self_image(cli.given_text(answer) if answer else "")
    asked = drawn.question
    if asked or not adopts:
        call.answer(drawn, told_image(drawn))
        return cli.MUST_ANSWER if asked else 0
    if not shown:
        _require_screen(call, "reverie reflect self-image")
        call.confirm([*styled(drawn.says), ""], "Write it into IDENTITY.md?")
    receipt = reflection.adopt_self_image(shown or drawn.shown, actor=call.actor)
    done = out.good("IDENTITY.md is rewritten."), out.commit(receipt)
    call.answer(receipt, [done])
    return 0
