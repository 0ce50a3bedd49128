"""`detect` and `hear`: what a message asks of memory."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Any

import click

from reverie.interfaces.cli.command import Verb, for_person_option
from reverie.interfaces.cli.edge import MUST_ANSWER, REFUSED
from reverie.interfaces.cli.forget import told_matches
from reverie.interfaces.cli.intake import given_text
from reverie.interfaces.cli.outcome import told_remembered
from reverie.interfaces.cli.page import BLANK, Grid, Span, Style, row
from reverie.interfaces.cli.session import NoWorkspaceError, session_of
from reverie.interfaces.cli.standing import told_standing
from reverie.model.items import Role
from reverie.model.route import Target, TriggerKind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reverie.interfaces.cli.page import Page
    from reverie.interfaces.cli.session import Session
    from reverie.memory.hearing import Heard
    from reverie.model.route import Trigger
    from reverie.model.views import Forgetting

_MEANING = {
    TriggerKind.REMEMBER: "remember",
    TriggerKind.FORGET: "forget",
    TriggerKind.DISMISS: "dismiss: no memory is touched",
    TriggerKind.REFLECT: "reflect now",
    TriggerKind.REFLECT_SOFT: "reflect, after asking",
    TriggerKind.SELF_IMAGE: "draw its self-image anew",
    TriggerKind.SEARCH: "search",
}


def role_option() -> Callable[[Any], Any]:
    """`--role`: who speaks."""
    return click.option(
        "--role",
        type=click.Choice(Role, case_sensitive=False),
        default=Role.USER,
        help="Who says it; only the user's words are orders.  [default: user]",
    )


@click.command(cls=Verb)
@click.argument("message")
@role_option()
@click.pass_context
def detect(ctx: click.Context, message: str, role: Role) -> None:
    """Show what MESSAGE asks of memory, or standard input for '-'.

    Nothing is done, and no workspace is needed. Quotations, code, questions and
    stories ask for nothing.

        reverie detect "Remember that the deploy is on Friday."
        reverie detect "I remember when we met." --json
    """
    session = session_of(ctx)
    triggers = _asked(session, given_text(message), role, session.warn)
    session.answer({"triggers": triggers}, lambda v: _told(v["triggers"]))


def _asked(
    session: Session,
    said: str,
    role: Role,
    warn: Callable[[str], None] = lambda _: None,
) -> tuple[Trigger, ...]:
    """What a message asks for, in the phrases of the workspace if there is one."""
    from reverie.memory.hearing import detect as look
    from reverie.memory.hearing import phrases_at

    try:
        root = session.root
    except NoWorkspaceError:
        return look(said, role)
    return look(said, role, phrases_at(root, os.environ, warn))


def _meaning(trigger: Trigger) -> str:
    if trigger.target is Target.CONVERSATION:
        return f"{trigger.kind} what was said: no memory is touched"
    return _MEANING[trigger.kind]


def _told(triggers: Sequence[Trigger]) -> Page:
    if not triggers:
        return [row("It asks nothing of memory.")]
    rows = tuple(
        (
            Span(_meaning(t), Style.TITLE),
            Span(t.phrase),
            Span(f"{t.start}-{t.end}", Style.FAINT),
            Span(t.content or "—"),
        )
        for t in triggers
    )
    return [Grid(("asks to", "by", "at", "what"), rows, flexible=3)]


@click.command(cls=Verb)
@click.argument("message")
@role_option()
@for_person_option("Who speaks; what is remembered is for them alone.")
@click.pass_context
def hear(ctx: click.Context, message: str, role: Role, person: str) -> None:
    """Do what MESSAGE asks of memory, or standard input for '-'.

    For the hook that sees every message of the user. What it says to remember is
    remembered as the user's own words, and as a stranger's where it is quoted or may
    be pasted; what it says to forget is looked for and shown, not forgotten. "Let's
    reflect" asks for a reflection's tokens, a farewell whether to reflect. Most
    messages ask for nothing.

        reverie hear "Please remember that I'm allergic to nuts."
        reverie hear "Good night!"
        reverie hear - < message.txt
    """
    from reverie.memory.hearing import Heard

    session, said = session_of(ctx), given_text(message)
    heard = Heard(())
    # Most messages ask for nothing: then nobody has to wait for the workspace.
    if _asked(session, said, role):
        with session.open() as memory:
            heard = memory.hear(said, role=role, person=person)
    session.answer(heard, _told_heard)
    if heard.questions:
        ctx.exit(MUST_ANSWER)
    wishes = {TriggerKind.REMEMBER, TriggerKind.FORGET}
    if heard.refused and any(each.kind in wishes for each in heard.triggers):
        # A hook must not take for done what was not.
        ctx.exit(REFUSED)


def _how(found: Forgetting) -> Page:
    """How to forget what was found; what is protected needs another word."""
    free = [match for match in found.matches if found.permanent or not match.protected]
    if not free:
        return []
    # Where no match is meant more than another, its key is left to be chosen.
    meant = [match.key for match in free if match.key in found.meant] or ["KEY"]
    keys = " ".join(f"--confirm {key}" for key in meant[:3])
    more = " …" if len(meant) > 3 else ""
    command = f"reverie forget {shlex.quote(found.wish)} {keys}{more}"
    command += " --permanently" if found.permanent else ""
    return [row("Nothing is forgotten yet. To forget it: ", Span(command, Style.ID))]


def _told_heard(heard: Heard) -> Page:
    page: Page = []
    for receipt in heard.remembered:
        page += told_remembered(receipt)
    for refusal in heard.refused:
        page.append(row(Span("Not done: ", Style.WARN), refusal))
    for id_ in heard.questions:
        words = "The host agent has to answer "
        page.append(row(Span(words, Style.WARN), Span(id_, Style.ID)))
    for found in heard.forgetting:
        page += [*([BLANK] if page else []), *told_matches(found), *_how(found)]
    if heard.reflection:
        page += [*([BLANK] if page else []), *told_standing(heard.reflection)]
    done = {TriggerKind.REMEMBER, TriggerKind.FORGET} if page else set()
    done |= {TriggerKind.REFLECT, TriggerKind.REFLECT_SOFT} if page else set()
    rest = [t for t in heard.triggers if t.kind not in done]
    return [*page, *(_told(rest) if rest or not page else [])]
