"""Inbox: all that waits for its human, each with what decides it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from reverie import ConflictError, ReverieError, UnavailableError
from reverie.errors import NotFoundError, RefusedError
from reverie.interfaces.web.page import Act, View
from reverie.model.change import MANUAL
from reverie.model.reflection import Choice, Decision, Feedback, digest
from reverie.reflection.proposal_page import diffs_on

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reverie import Memory, Standing

    Given = Mapping[str, str]

FEW = 5
"""Changes that a workspace has before anything is kept in it, at most."""

ANSWERS = {
    "asked": (
        ("yes", "Begin now", "yes"),
        ("later", "In four hours", ""),
        ("no", "Not today", ""),
    ),
    "tokens requested": (
        ("grant", "Give what is asked", "yes"),
        ("no penalty", "Without the penalty", ""),
        ("decline", "Give nothing", "no"),
    ),
}
"""What can be said in a word, by where a reflection stands: words, label, kind."""


def look(memory: Memory, _: Given) -> Mapping[str, Any]:
    """Everything that waits, the reflection first."""
    # Who only looks still finds the newest marks, where nobody else is writing.
    with suppress(UnavailableError, ConflictError):
        memory.review()
    standing = memory.reflection.status()
    waiting = [*memory.waiting()]
    unconfirmed = {(each.commit, each.path) for each in memory.unconfirmed()}
    alerts = [*memory.unconfirmed()]
    alerts += [a for a in memory.alerts() if (a.commit, a.path) not in unconfirmed]
    asked, pairs = memory.contradictions(), memory.pairs()
    return {
        "standing": standing,
        "answers": ANSWERS.get(standing.state, ()),
        "reflection": _reflection(memory, standing),
        "image": _image(memory, standing),
        "waiting": [(each, digest(each.proposal.content)) for each in waiting],
        "alerts": alerts,
        "asked": asked,
        "pairs": pairs,
        "new": _is_new(memory),
        "nothing": not (waiting or alerts or asked or pairs or standing.image)
        and standing.state in {"idle", "deferred", "recorded"},
    }


def _is_new(memory: Memory) -> bool:
    """Whether nothing was ever kept; who has a history is not counted."""
    few = len(memory.history(limit=FEW)) < FEW
    return few and not any(memory.overview().counts.values())


def _reflection(memory: Memory, standing: Standing) -> Mapping[str, Any] | None:
    """The proposal that waits, each change with what it would do."""
    if standing.state != "pending":
        return None
    try:
        pending, page = memory.reflection.pending()
    except ReverieError as error:
        return {"problem": f"{error}. {error.advice}", "shown": standing.shown}
    diffs = diffs_on(page)
    return {
        "problem": standing.problem,
        "shown": digest(page),
        "pending": pending,
        "changes": [
            (number, each, diffs.get(number, ""))
            for number, each in enumerate(pending.operations, 1)
        ],
    }


def _image(memory: Memory, standing: Standing) -> Mapping[str, str] | None:
    if not standing.image:
        return None
    drawn = memory.reflection.self_image()
    return {"says": drawn.says, "shown": drawn.shown}


# --- what can be done --------------------------------------------------------------


def decide(memory: Memory, form: Given) -> str:
    """Approve what is ticked, as it was edited, or reject all of it."""
    numbers = sorted(_number(key) for key in form if key.startswith("take-"))
    why = form.get("reason", "").strip()
    shown = form.get("shown", "")
    if form.get("choice") == "reject" or (not numbers and form.get("count") != "0"):
        decision = Decision(Choice.REJECT, reason=why)
    else:
        texts = {n: (_plain(form, "was", n), _plain(form, "text", n)) for n in numbers}
        changes = tuple((n, now) for n, (was, now) in texts.items() if now != was)
        whole = str(len(numbers)) == form.get("count")
        kind = Choice.CHANGE if changes else Choice.APPROVE if whole else Choice.PARTIAL
        decision = Decision(kind, tuple(numbers), changes, reason=why)
    done = memory.reflection.decide(decision, shown)
    notes = "".join(f" {note}" for note in done.notes)
    return f"Reflection #{done.number}: {done.understood}.{notes}"


def _plain(form: Given, name: str, number: int) -> str:
    return form.get(f"{name}-{number}", "").replace("\r\n", "\n").strip()


def _number(key: str) -> int:
    said = key.rpartition("-")[2]
    if not said.isdecimal():
        what = f"{key} is no change of this page"
        raise RefusedError(what, hint="Open the inbox again.")
    return int(said)


def reply(memory: Memory, form: Given) -> str:
    """Answer a check-in or a token request."""
    standing = memory.reflection.reply(form.get("words", ""), actor=MANUAL)
    return standing.understood or standing.says.partition("\n")[0]


def begin(memory: Memory, _: Given) -> str:
    """Ask for tokens for a reflection."""
    return memory.reflection.begin().says.partition("\n")[0].lstrip("# ")


def say(memory: Memory, form: Given) -> str:
    """Keep what is said about the last reflection."""
    kind = Feedback(form.get("kind", Feedback.OTHER))
    done = memory.reflection.say(form.get("words", ""), kind=kind, actor=MANUAL)
    return f"Kept beside the reflection: {done.path}."


def adopt(memory: Memory, form: Given) -> str:
    """Write the new self-image, or drop it."""
    if form.get("choice") == "reject":
        memory.reflection.drop_self_image()
        return "The new self-image is dropped."
    memory.reflection.adopt_self_image(form.get("shown", ""))
    return "The new self-image stands in IDENTITY.md."


def propose(memory: Memory, form: Given) -> str:
    """Accept, reject or put off what somebody proposed."""
    number = _number(form.get("number", ""))
    proposal = memory.proposal(number)
    if digest(proposal.content) != form.get("shown"):
        what = f"proposal #{number} reads otherwise by now"
        raise ConflictError(what, hint="It is shown as it is now.")
    match form.get("choice"):
        case "accept":
            memory.accept(proposal, actor=MANUAL)
            return f"Proposal #{number} is a memory now."
        case "reject":
            memory.reject(number, reason=form.get("reason", ""), actor=MANUAL)
            return f"Proposal #{number} is off the list; history keeps it."
        case _:
            memory.defer(number, actor=MANUAL)
            return f"Proposal #{number} waits for the next reflection."


def settle(memory: Memory, form: Given) -> str:
    """Say which of some statements holds."""
    which, keep = form.get("which", ""), form.get("keep", "")
    if keep in {"both", "neither"}:
        both, neither = keep == "both", keep == "neither"
        memory.settle(which, both=both, neither=neither, actor=MANUAL)
    else:
        memory.settle(which, keep=keep, actor=MANUAL)
    return "It is settled."


def same(memory: Memory, form: Given) -> str:
    """Say whether two pages are about one."""
    one, into = form.get("one", ""), form.get("into", "")
    if form.get("choice") == "merge":
        memory.merge(one, into, actor=MANUAL)
        return f"{one} is a part of {into} now."
    memory.keep_apart(one, into, actor=MANUAL)
    return f"{one} and {into} stay apart, and it is not asked again."


def acknowledge(memory: Memory, form: Given) -> str:
    """Note that an alert was seen."""
    path = form.get("path", "")
    if not path:
        raise NotFoundError("no file is named", hint="Open the inbox again.")
    memory.acknowledge(path)
    return f"Noted that you have seen {path}."


VIEWS = (View("/", "inbox.html", look),)
ACTS = (
    Act("/inbox/reflection", decide),
    Act("/inbox/reply", reply),
    Act("/inbox/begin", begin),
    Act("/inbox/say", say),
    Act("/inbox/self-image", adopt),
    Act("/inbox/proposal", propose),
    Act("/inbox/settle", settle),
    Act("/inbox/same", same),
    Act("/inbox/alert", acknowledge),
)
