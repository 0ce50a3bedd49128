"""`hear`: do what a message asks of memory, or only tell what that is."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from reverie import Role, TriggerKind
from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out
from reverie.interfaces.cli.command import NoWorkspaceError
from reverie.interfaces.cli.forget import told_matches
from reverie.interfaces.cli.proposal import told_image, told_standing
from reverie.interfaces.cli.remember import told_remembered
from reverie.model.route import Target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie import Forgetting, Heard, Trigger

_WISHES = frozenset({TriggerKind.REMEMBER, TriggerKind.FORGET})
NOTHING = (
    "It gives memory no order. What it corrects: `reverie correct WORDS NEW`; what it "
    "tells: `reverie remember TEXT`."
)
"""Code does not read what a message means, so it says who can."""

_WHO = "Who says it; only the user's words are orders.  [default: user]"


@cli.verb()
@cli.argument("message")
@cli.option("--role", _WHO, Role, default=Role.USER)
@cli.flag("--dry-run", "Only show what it asks for.")
@cli.option("--window", "The conversation it is recorded in next.", str, "NAME")
@cli.person_option("Who speaks; what is remembered is for them alone.")
def hear(
    call: cli.Invocation, message: str, role: Role, window: str | None, *, dry_run: bool
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
    from reverie.encoding.triggers import detect
    from reverie.memory import Heard, settings_at

    said = cli.given_text(message)
    try:
        warn = call.warn if dry_run else lambda _: None
        phrases = settings_at(call.root, os.environ, warn).triggers
        triggers = detect(said, role, phrases)
    except NoWorkspaceError:
        triggers = detect(said, role)
    if dry_run:
        call.answer({"triggers": triggers}, _told(triggers))
        return 0
    heard = Heard(())
    # Most messages ask for nothing: then nobody has to wait for the workspace.
    if triggers:
        heard = call.memory.hear(said, role=role, window=window or "")
    call.answer(heard, _heard(heard))
    if heard.questions:
        return cli.MUST_ANSWER
    # A hook must not take for done what was not.
    wished = any(each.kind in _WISHES for each in heard.triggers)
    return cli.REFUSED if heard.refused and wished else 0


def _told(triggers: Sequence[Trigger]) -> out.Page:
    rows = []
    for each in triggers:
        about = (
            " what was said: no memory is touched"
            if each.target is Target.CONVERSATION
            else ""
        )
        span = out.faint(f"{each.start}-{each.end}")
        rows.append((out.title(f"{each.kind}{about}"), each.phrase, span, each.content))
    heads = ("asks to", "by", "at", "what")
    return [out.Table(rows, heads) if rows else NOTHING]


def _how(found: Forgetting) -> out.Page:
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
    return [("Nothing is forgotten yet. To forget it: ", out.ident(command))]


def told_refused(heard: Heard) -> out.Lines:
    """What a message asked for and memory did not do."""
    for refusal in heard.refused:
        yield out.warn("Not done: "), refusal
    for id_ in heard.questions:
        yield out.warn("Not done yet, the host agent has to answer "), out.ident(id_)


def _heard(heard: Heard) -> out.Page:
    page = [line for each in heard.remembered for line in told_remembered(each)]
    page += told_refused(heard)
    for found in heard.forgetting:
        page += [*([""] if page else []), *told_matches(found), *_how(found)]
    if heard.reflection:
        page += [*([""] if page else []), *told_standing(heard.reflection)]
    if heard.image:
        page += [*([""] if page else []), *told_image(heard.image)]
    reflects = {TriggerKind.REFLECT, TriggerKind.REFLECT_SOFT, TriggerKind.SELF_IMAGE}
    done = _WISHES | reflects if page else frozenset()
    rest = [each for each in heard.triggers if each.kind not in done]
    return [*page, *(_told(rest) if rest or not page else [])]
