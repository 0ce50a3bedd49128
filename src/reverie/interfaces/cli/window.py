"""`window`: conversations listed, shown, summed up; `say`, `wake` and `attend`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from reverie import NotFoundError, Offer, Role, SummedUp
from reverie.conversation.told import quote_turn
from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out
from reverie.interfaces.cli.observe import told_observed
from reverie.interfaces.cli.proposal import told_standing
from reverie.model.conversation import DELETED, EDITED, REFLECTION, paused

if TYPE_CHECKING:
    from reverie import Receipt, Turn

SHOWN = 20
"""So many turns are shown where nobody says how many."""

REFLECTING = "AI is reflecting…"
WHO_SPEAKS = "Who speaks; what is for somebody else alone is left out."
_ANSWER = "The summary that the agent wrote itself; '-' reads it from standard input."
_ANSWERS = "The turn it answers.  [default: the one that is open]"
_NUMBER, _TOKENS = click.IntRange(min=1), click.IntRange(min=50)
_LONG = "How long it may be.  [default: conversation."
_STABLE = "How long what stays the same may be.  [default: conversation."


@cli.group()
def window(call: cli.Invocation) -> None:
    """List conversations, and which are due for a summary.

    A summary is an ordinary turn pair: the prompt and what was answered. It comes
    back when it fits, can be read, corrected and deleted.

        reverie window
        reverie window show trip-to-rome
        reverie window reflect trip-to-rome "Summarise our decisions about the hotel."
        reverie window delete trip-to-rome 7
    """
    found = call.reader.windows()
    rows = []
    for each in found:
        due = out.warn("a summary is due" if each.due else "")
        rows.append(
            (
                out.ident(each.name),
                f"{each.turns:,}",
                out.mused(f"{each.reflections:,}"),
                out.faint(f"{each.deleted:,}"),
                out.faint(cli.local(each.last) if each.last else ""),
                out.faint(each.title),
                out.mused("a summary is being written") if each.reflecting else due,
            )
        )
    heads = ("conversation", "turns", "summaries", "deleted", "last", "title", "")
    none = 'Nothing was said yet: `reverie say WINDOW "…"`, or `reverie chat`.'
    call.answer(found, [out.Table(rows, heads, flexible=0) if rows else none])


@window.verb()
@cli.argument("name")
@cli.option(
    *("-n --last", "How many of the newest turns, 0 for all.", click.IntRange(min=0)),
    metavar="N",
    usual=SHOWN,
)
@cli.flag("--deleted", "Show deleted turns too.")
@cli.person_option("Who reads it; what is for somebody else alone is left out.")
def show(call: cli.Invocation, name: str, last: int, *, deleted: bool) -> None:
    """Show what was said in the conversation NAME.

    Summaries are in a colour of their own; deleted turns stay in the record, and
    never come back. After three hours of silence another talk begins.

        reverie window show trip-to-rome
        reverie window show trip-to-rome --last 0 --deleted --json
    """
    reader = call.reader
    turns = reader.turns(name, last=last, deleted=deleted)
    distinct = reader.config.conversation.distinct
    page: out.Page = []
    for n, turn in enumerate(turns):
        if n and paused(turns[n - 1], turn):
            page += ["", out.faint("— after a pause —")]
        page += [*([""] if page else []), *told_turn(turn, distinct=distinct)]
    call.answer(turns, page or ["Nothing was said."])


def told_turn(turn: Turn, *, distinct: bool = True) -> out.Page:
    """One turn: who, when, and what was said."""
    look = "mused" if distinct and turn.field(REFLECTION) else ""
    look = "faint" if turn.field(DELETED) else look
    notes = (
        cli.local(turn.at) if turn.at else "",
        f"summary, {cause}" if (cause := turn.field(REFLECTION)) else "",
        f"edited {day}" if (day := turn.field(EDITED)) else "",
        f"deleted {day}" if (day := turn.field(DELETED)) else "",
    )
    name = out.Styled(turn.speaker or turn.role.capitalize(), look or "title")
    noted = out.faint(f"  {' · '.join(filter(None, notes))}")
    text = quote_turn(turn, turn.text)
    said = out.paragraph(text, 2, lambda line: out.Styled(line, look))
    return [(out.ident(f"{turn.number}  "), name, noted), *said]


@window.verb()
@cli.argument("name")
@cli.argument("question", default="")
@cli.option("--answer", _ANSWER, metavar="TEXT")
@cli.person_option("Who reads it: what is for them alone is summed up, too.")
def reflect(call: cli.Invocation, name: str, question: str, answer: str | None) -> None:
    """Sum up the conversation NAME, or answer QUESTION about it.

    With a model it is written at once. Without one the prompt is printed, for the
    agent to answer and hand in with --answer; Reverie does not make up a summary.

        reverie window reflect trip-to-rome
        reverie window reflect trip-to-rome "Summarise our decisions about the hotel."
        reverie window reflect trip-to-rome --answer - < summary.txt
    """
    spoken = call.memory.window(name)
    if answer is not None:
        summary = cli.given_text(answer)
        done: SummedUp | Offer = spoken.note(summary, question)
    else:
        with call.progress(REFLECTING):
            done = spoken.reflect(question)
    call.answer(done, _told_reflected(done))


@window.verb()
@cli.argument("name")
@cli.person_option(WHO_SPEAKS)
def end(call: cli.Invocation, name: str) -> None:
    """Say that the session in conversation NAME ends.

    What was said since the last summary is summed up and noted, statement by
    statement; without a model the prompt is printed, as by `window reflect`.

        reverie window end trip-to-rome
    """
    with call.progress(REFLECTING):
        done = call.memory.window(name).end(person=call.whom)
    nothing = [out.faint("Nothing was said since the last summary.")]
    call.answer(done, _told_reflected(done) if done else nothing)


def _told_reflected(done: SummedUp | Offer) -> out.Lines:
    """A summary that was written, or the prompt for it."""
    if isinstance(done, SummedUp):
        yield from (*told_turn(done.prompt), *told_turn(done.summary))
        yield from told_observed(done.observed) if done.observed else ()
        return
    yield out.warn("No model is configured to write it. "), "The prompt:"
    yield from out.paragraph(done.prompt, 2, out.mused)
    if done.about:
        yield from ("About:", *out.paragraph(done.about, 2))
    command = f"`reverie window reflect {done.window} --answer TEXT`"
    yield out.faint(f"{command} takes the answer, at most {done.most_tokens:,} tokens.")
    yield out.faint(f"`reverie observe --window {done.window} -` takes what you noted.")


@window.verb()
@cli.argument("name")
@cli.argument("number", type=_NUMBER)
@cli.argument("text")
@cli.option("--role", "Which side of it.", Role, usual=Role.ASSISTANT)
@cli.actor_option()
def edit(call: cli.Invocation, name: str, number: int, text: str, role: Role) -> None:
    """Correct turn NUMBER of the conversation NAME; '-' reads standard input.

    Only a person may. History keeps what it said.

        reverie window edit trip-to-rome 7 "We stay for four nights, not three."
    """
    said = cli.given_text(text)
    receipt = call.memory.window(name).edit(number, said, role=role, actor=call.actor)
    call.answer(receipt, _changed(receipt, f"Corrected turn {number}."))


@window.verb()
@cli.argument("name")
@cli.argument("number", type=_NUMBER)
@cli.option("--role", "Only this side.  [default: the pair]", Role)
@cli.option("--reason", "Why, for history.", metavar="WORDS", default="")
@cli.actor_option()
def delete(call: cli.Invocation, name: str, number: int, **given: Any) -> None:
    """Let turn NUMBER of the conversation NAME never come back.

    A question goes with its answer, a prompt with its summary. The record keeps
    them, marked as deleted, and `reverie undo` brings them back.

        reverie window delete trip-to-rome 7 --reason "that is not what we decided"
    """
    receipt = call.memory.window(name).delete(number, **given)
    call.answer(receipt, _changed(receipt, f"Deleted turn {number}."))


def _changed(receipt: Receipt, words: str) -> out.Page:
    back = f"  `reverie undo {receipt.commit[:10]}` takes it back."
    return [(out.good(words), out.faint(back))]


@window.verb()
@cli.argument("name")
@cli.option("--budget", "What may stay.", _TOKENS, "TOKENS", required=True)
@cli.option("--about", "What is talked about now.", metavar="WORDS", default="")
@cli.person_option(WHO_SPEAKS)
def prune(call: cli.Invocation, name: str, budget: int, about: str) -> None:
    """Tell which turns may leave the agent's context, and sum those up first.

    What has least to do with what is talked about now goes first. The record keeps
    everything, and `reverie attend` brings back what fits.

        reverie window prune trip-to-rome --budget 2000
        reverie window prune trip-to-rome --budget 2000 --about "the hotel" --json
    """
    with call.progress(REFLECTING):
        pruned = call.memory.window(name).prune(budget, message=about)
    page: out.Page = [f"All of it fits: {out.counted(pruned.tokens, 'token')}."]
    if pruned.gone:
        numbers = ", ".join(dict.fromkeys(str(turn.number) for turn in pruned.gone))
        stays = f"What stays takes {out.counted(pruned.tokens, 'token')}."
        page = [f"{out.counted(len(pruned.gone), 'turn')} may go: {numbers}. {stays}"]
    if pruned.gone and (done := pruned.reflected or pruned.offer):
        page += ["", *_told_reflected(done)]
    call.answer(pruned, page)


@window.verb()
@cli.argument("name")
def leave(call: cli.Invocation, name: str) -> None:
    """End the session of the conversation NAME.

    For the hook that sees a conversation end: what was said is written down, what
    sub-agents propose is reviewed, and a reflection is offered where one is due.

        reverie window leave trip-to-rome
    """
    memory = call.memory
    if all(each.name != name for each in memory.windows()):
        problem = f"there is no conversation {name!r}"
        raise NotFoundError(problem, hint="`reverie window` lists them.")
    standing = memory.leave(name)
    call.answer(standing, told_standing(standing) if standing else ["Written down."])


# --- what a host does with one -----------------------------------------------------


@cli.verb()
@cli.argument("window")
@cli.argument("text")
@cli.option("--role", "Who speaks.", Role, usual=Role.USER)
@cli.option("--speaker", "Their name.", metavar="NAME", default="")
@cli.option("--answers", _ANSWERS, _NUMBER, "N")
@cli.option("--at", "[default: now]", cli.moment_type(), "WHEN")
@cli.person_option("Whom it is for alone; an answer is for who asked.")
def say(call: cli.Invocation, window: str, text: str, **given: Any) -> None:
    """Record TEXT as said in WINDOW, or standard input for '-'.

    It is durable when the command returns. A question and its answer share a number.
    Passwords and keys are redacted, and what Reverie put into a message is left out.

        reverie say trip-to-rome "Where do we stay?"
        reverie say trip-to-rome --role assistant "In Trastevere, for three nights."
        reverie say trip-to-rome - --speaker Nora < message.txt
    """
    given["answers"] = given["answers"] or 0
    turn = call.memory.window(window).say(cli.given_text(text), **given)
    id_ = f"turn:{turn.window}/{turn.number}/{turn.role}/0"
    call.answer(turn, [(out.good("Said "), out.ident(id_))])


@cli.verb()
@cli.argument("window")
@cli.option("--budget", "How long all of it may be.", _TOKENS, "TOKENS")
@cli.option("--stable", f"{_STABLE}stable_tokens]", _TOKENS, "TOKENS")
@cli.person_option(WHO_SPEAKS)
@cli.flag("--new", "Begin a session, whatever was told before.")
def wake(call: cli.Invocation, window: str, **given: Any) -> None:
    """Print what an agent should see when it wakes in WINDOW.

    Core memory first, then what is known, day by day: the same bytes all through a
    session, so that a provider's prompt cache holds, with what is new at the end. Then
    what changed in core memory, alerts, what waits for a yes, and what was said lately
    or comes back. All of it is marked, and never learned again.

        reverie wake trip-to-rome
        reverie wake trip-to-rome --stable 8000
        reverie wake trip-to-rome --budget 3000 --person Nora
        reverie wake trip-to-rome --new --json
    """
    awake = call.memory.wake(window, **given)
    call.prompt(awake, awake.text)


@cli.verb()
@cli.argument("window")
@cli.argument("message")
@cli.option("--budget", f"{_LONG}attend_tokens]", _TOKENS, "TOKENS")
@cli.person_option(WHO_SPEAKS)
def attend(call: cli.Invocation, window: str, message: str, **given: Any) -> None:
    """Print what to tell the agent in WINDOW for MESSAGE, or '-'.

    To be added to its context: what fits, from memory and from earlier
    conversations, and what has changed in core memory since the agent was last told.
    Nothing, if nothing fits.

        reverie attend trip-to-rome "What did we decide about the hotel?"
        reverie attend trip-to-rome - --budget 500 < message.txt
    """
    said = cli.given_text(message)
    attended = call.memory.attend(window, said, **given)
    call.prompt(attended, attended.text)
