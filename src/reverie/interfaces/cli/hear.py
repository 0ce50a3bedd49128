"""`hear`: do what a message asks of memory, or only tell what that is."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

import click

from reverie.interfaces.cli.command import for_person_option, verb
from reverie.interfaces.cli.forget import told_matches
from reverie.interfaces.cli.output import Table, faint, ident, title, warn
from reverie.interfaces.cli.proposal import told_standing
from reverie.interfaces.cli.remember import told_remembered
from reverie.interfaces.cli.session import (
    MUST_ANSWER,
    REFUSED,
    NoWorkspaceError,
    given_text,
)
from reverie.model.items import Role
from reverie.model.route import Target, TriggerKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reverie.interfaces.cli.output import Page
    from reverie.interfaces.cli.session import Session
    from reverie.memory import Heard
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
_WISHES = frozenset({TriggerKind.REMEMBER, TriggerKind.FORGET})


@verb()
@click.argument("message")
@click.option(
    "--role",
    type=click.Choice(Role, case_sensitive=False),
    default=Role.USER,
    help="Who says it; only the user's words are orders.  [default: user]",
)
@click.option("--dry-run", is_flag=True, help="Only show what it asks for.")
@for_person_option("Who speaks; what is remembered is for them alone.")
def hear(
    session: Session, message: str, role: Role, person: str, *, dry_run: bool
) -> int:
    """Do what MESSAGE asks of memory, or standard input for '-'.

    For the hook that sees every message of the user. What it says to remember is
    remembered as the user's own words, and as a stranger's where it is quoted or may
    be pasted; what it says to forget is looked for and shown, not forgotten. "Let's
    reflect" asks for a reflection's tokens, a farewell whether to reflect. Most
    messages ask for nothing: quotations, code, questions and stories never do. With
    --dry-run nothing is done, and no workspace is needed.

        reverie hear "Please remember that I'm allergic to nuts."
        reverie hear "Good night!"
        reverie hear --dry-run "I remember when we met." --json
        reverie hear - < message.txt
    """
    from reverie.memory import Heard

    said = given_text(message)
    triggers = _asked(session, said, role, warns=dry_run)
    if dry_run:
        session.answer({"triggers": triggers}, lambda _: _told(triggers))
        return 0
    heard = Heard(())
    # Most messages ask for nothing: then nobody has to wait for the workspace.
    if triggers:
        with session.open() as memory:
            heard = memory.hear(said, role=role, person=person)
    session.answer(heard, _heard)
    if heard.questions:
        return MUST_ANSWER
    # A hook must not take for done what was not.
    wished = any(each.kind in _WISHES for each in heard.triggers)
    return REFUSED if heard.refused and wished else 0


def _asked(
    session: Session, said: str, role: Role, *, warns: bool
) -> tuple[Trigger, ...]:
    """What a message asks for, in the phrases of the workspace if there is one."""
    from reverie.encoding.triggers import detect
    from reverie.memory import phrases_at

    try:
        root = session.root
    except NoWorkspaceError:
        return detect(said, role)
    warn = session.warn if warns else lambda _: None
    return detect(said, role, phrases_at(root, os.environ, warn))


def _told(triggers: Sequence[Trigger]) -> Page:
    if not triggers:
        return ["It asks nothing of memory."]
    rows = []
    for each in triggers:
        meaning = _MEANING[each.kind]
        if each.target is Target.CONVERSATION:
            meaning = f"{each.kind} what was said: no memory is touched"
        span = faint(f"{each.start}-{each.end}")
        rows.append((title(meaning), each.phrase, span, each.content or "—"))
    return [Table(rows, ("asks to", "by", "at", "what"), flexible=3)]


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
    return [("Nothing is forgotten yet. To forget it: ", ident(command))]


def told_refused(heard: Heard) -> Iterator[tuple[str, ...]]:
    """What a message asked for and memory did not do."""
    for refusal in heard.refused:
        yield warn("Not done: "), refusal
    for id_ in heard.questions:
        yield warn("Not done yet, the host agent has to answer "), ident(id_)


def _heard(heard: Heard) -> Page:
    page: Page = [line for each in heard.remembered for line in told_remembered(each)]
    page += told_refused(heard)
    for found in heard.forgetting:
        page += [*([""] if page else []), *told_matches(found), *_how(found)]
    if heard.reflection:
        page += [*([""] if page else []), *told_standing(heard.reflection)]
    reflects = {TriggerKind.REFLECT, TriggerKind.REFLECT_SOFT}
    done = _WISHES | reflects if page else frozenset()
    rest = [each for each in heard.triggers if each.kind not in done]
    return [*page, *(_told(rest) if rest or not page else [])]
