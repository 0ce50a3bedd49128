"""Inbox: all that waits for its human, each with what decides it."""

from __future__ import annotations

import re
from contextlib import suppress
from shlex import quote
from threading import Thread
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from reverie import ConflictError, Memory, ReverieError, Semantic, UnavailableError
from reverie.errors import RefusedError
from reverie.interfaces.web.page import Act, View
from reverie.interfaces.web.rendering import day, source
from reverie.model.change import MANUAL
from reverie.model.ids import choice
from reverie.model.proposals import Waiting
from reverie.model.reflection import (
    Choice,
    Decision,
    Feedback,
    OperationKind,
    digest,
)
from reverie.reflection.proposal_page import blocked_on, diffs_on

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from reverie import Alert, Contradiction, Standing
    from reverie.interfaces.web.page import Given
    from reverie.model.reflection import Operation
    from reverie.model.views import Pair, Shown
    from reverie.reflection.apply import Reflected

NAMED = re.compile(r"\b[a-z]+--[a-z0-9]+(?:-[a-z0-9]+)*")
"""The name of a page, wherever it stands."""

FEW = 5
"""Changes that a workspace has before anything is kept in it, at most."""

DIGITS = 9
"""Of a number; no page has as many."""

TRIED = {
    "same": "answered as before",
    "easier": "easier to find",
    "harder": "harder to find",
    "lost": "would no longer be found",
    "missing": "could not be answered before either",
}
"""How a question that must stay answerable fares."""

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


APPLY = "Apply these settings"
"""Button of an alert on settings that take effect when it is acknowledged."""

KINDS = {
    "EXTRACT": "Something to know",
    "CONNECT": "A link between two",
    "FLAG": "Something to look at",
    "ARCHIVE": "Something to let go",
    "PATTERN": "Something that comes back",
    "EVOLVE": "Its own log",
    "FINISH": "Something that is done",
    "CORE": "Always in sight",
    "MOVE": "Out of core memory, kept elsewhere",
    "DROP": "Out of core memory, wrong or outdated",
    "COMMIT": "A proposal to take in",
    "REJECT": "A proposal to turn down",
    "NOTICE": "A thought about itself",
    "PRUNE": "Older notes, shortened",
    "MERGE": "Two pages that are one",
    "DISTINCT": "Two pages that are not the same",
    "SETTLE": "Which of two holds",
}
"""What the operations of a reflection are, in words."""


_THINKING: set[Path] = set()
"""Workspaces in which a model thinks already: nobody pays for the same twice."""


class ChangedMeanwhileError(ConflictError):
    """Something reads otherwise than it did on the page, or waits no longer."""

    says = "{} changed meanwhile, or waits no longer; nothing was done"
    mend = "What waits now is shown."


def look(memory: Memory, _: Given) -> Mapping[str, Any]:
    """Everything that waits, the reflection first."""
    # Who only looks still finds the newest marks, where nobody else is writing.
    with suppress(UnavailableError, ConflictError):
        memory.review()
    standing = memory.reflection.status()
    waiting, problem = list[Waiting](), ""
    try:
        waiting = [*memory.waiting()]
    except ReverieError as error:
        # One file that cannot be read hides nothing else.
        problem = f"What sub-agents propose cannot be read: {error}. {error.advice}"
    alerts = _alerts(memory)[0]
    seen = {path: _seen(alerts, path) for path in {each.path for each in alerts}}
    asked, reflection = memory.contradictions(), _reflection(memory, standing)
    pairs = [each for each in memory.pairs() if not _is_proposed(each, reflection)]
    shown: dict[str, Any] = {
        "standing": standing,
        "kinds": KINDS,
        "tried": TRIED,
        "problem": problem,
        "stands": _stands(standing),
        "answers": ANSWERS.get(standing.state, ()),
        "reflection": reflection,
        "image": _image(memory, standing),
        "waiting": [
            (each, _proposed(each, old), _replaceable(each), old)
            for each in waiting
            for old in (_replaced(memory, each),)
        ],
        "alerts": [(each, seen[each.path], _offered(each, alerts)) for each in alerts],
        "asked": [to_settle(memory, each) for each in asked],
        "pairs": [(each, _both(memory, each)) for each in pairs],
        "quoted": memory.quoted_changes(),
        "replaced": (replaced := memory.replaced()),
        "new": _is_new(memory),
        "command_root": quote(str(memory.root)),
        "nothing": not (
            replaced or waiting or alerts or asked or pairs or standing.image
        )
        and standing.state in {"idle", "deferred", "recorded"},
    }
    return {**shown, "after": _addresses_after(shown)}


def _addresses_after(shown: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the address to go to after each decision: that of the next item."""
    alerts = [f"alert-{seal}" for _, seal, offered in shown["alerts"] if offered]
    urgent = any(each.since is not None for each, *_ in shown["alerts"])
    items = [
        *(alerts if urgent else ()),
        *(name for name in ("answers", "reflection", "image") if shown[name]),
        *(f"conflict-{seal}" for _, seal, _ in shown["asked"]),
        *(f"proposal-{each.proposal.number}" for each, *_ in shown["waiting"]),
        *(f"pair-{each.one}-{each.into}" for each, _ in shown["pairs"]),
        *(() if urgent else alerts),
    ]
    addresses = [*(f"/#{each}" for each in items[1:]), "/"]
    return dict(zip(items, addresses, strict=False))


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
    diffs, blocked = diffs_on(page), blocked_on(page)
    return {
        "problem": standing.problem,
        "shown": digest(page),
        "pending": pending,
        "blocked": blocked,
        "offered": len(pending.operations) - len(blocked),
        "changes": [
            (number, each, diffs.get(number, ""), about, _says(each, about))
            for number, each in enumerate(pending.operations, 1)
            for about in (_about(memory, each),)
        ],
    }


def _is_proposed(pair: Pair, reflection: Mapping[str, Any] | None) -> bool:
    """Whether a pending reflection proposes an answer for two pages already."""
    changes = reflection.get("changes", ()) if reflection else ()
    both = {pair.one, pair.into}
    return any(
        each.kind in {OperationKind.MERGE, OperationKind.DISTINCT}
        and both <= set(NAMED.findall(each.content))
        for _, each, *_ in changes
    )


def _about(memory: Memory, operation: Operation) -> Mapping[str, str]:
    """Whom a change names, in its file or its words: what they are called, by name."""
    named = NAMED.findall(f"{operation.target} {operation.content}")
    return memory.entities.labels(dict.fromkeys(named))


def _says(operation: Operation, about: Mapping[str, str]) -> str:
    """What a change says; of a link, what both are called. Its diff has their names."""
    if operation.kind is not OperationKind.CONNECT:
        return operation.content
    return NAMED.sub(lambda found: about.get(found[0], found[0]), operation.content)


def _image(memory: Memory, standing: Standing) -> Mapping[str, str] | None:
    if not standing.image:
        return None
    drawn = memory.reflection.self_image()
    return {"says": drawn.says, "shown": drawn.shown}


# --- as it was shown ---------------------------------------------------------------


def _stands(standing: Standing) -> str:
    """Where a reflection stands; the last one, where none is under way."""
    return digest(repr((standing.state, standing.number, standing.says, standing.last)))


def _proposed(waiting: Waiting, old: Shown | None) -> str:
    """What somebody proposes, what that is at odds with, and what it replaces."""
    return digest(repr((waiting, old and old.text)))


def _replaceable(waiting: Waiting) -> str:
    """The one known fact that a proposal is at odds with; empty for any other.

    Where it takes the place of something, only that.
    """
    ids = (clash.known.removeprefix("entity:") for clash in waiting.clashes)
    known = {id_ for id_ in ids if "#" in id_}
    others = any(clash.other for clash in waiting.clashes)
    own = waiting.supersedes.removeprefix("entity:")
    fits = len(known) == 1 and not others and (not own or known == {own})
    return known.pop() if fits else ""


def _replaced(memory: Memory, waiting: Waiting) -> Shown | None:
    """The memory that a proposal would take the place of, if it is still there."""
    try:
        return memory.show(waiting.supersedes) if waiting.supersedes else None
    except ReverieError:
        return None


def to_settle(
    memory: Memory, question: Contradiction
) -> tuple[Contradiction, str, Mapping[str, str]]:
    """A question, what its form was made from, and since when each side is known."""
    pages = filter(None, dict.fromkeys(side.page for side in question.sides))
    facts = (f for page in pages for f in memory.entities.page(f"entity:{page}").facts)
    known = {
        each.id.removeprefix("entity:"): ", ".join(
            filter(
                None,
                (
                    f"since {day(each.fact.since)}" if each.fact.since else "",
                    source(each.fact.source, each.origin),
                ),
            )
        )
        for each in facts
    }
    return question, asked_as_shown(question), known


def asked_as_shown(question: Contradiction) -> str:
    """Statements of which only one may hold."""
    return digest(repr((question.page, [(s.id, s.text) for s in question.sides])))


def _both(memory: Memory, pair: Pair) -> str:
    """Two pages, all that they say."""
    pages = [memory.show(f"entity:{name}").text for name in (pair.one, pair.into)]
    return digest(repr((pair, pages)))


def _alerts(memory: Memory) -> tuple[list[Alert], list[Alert]]:
    """What an unknown hand did, before what else is to be looked at; and the alerts."""
    first, found = memory.unconfirmed(), memory.alerts()
    # An alert on the edit itself shows what changed, and the same settings.
    edited = {a.path for a in found if a.kind != "unacknowledged"}
    first = [a for a in first if a.kind != "unacknowledged" or a.path not in edited]
    known = {(each.commit, each.path) for each in first}
    return first + [a for a in found if (a.commit, a.path) not in known], found


def _seen(alerts: list[Alert], path: str) -> str:
    """All that is to be looked at in a file."""
    # Settings that nobody agreed to are told of as of this moment.
    return digest(
        repr(
            [
                (*said, a.kind != "unacknowledged" and a.commit)
                for a in alerts
                if a.path == path
                for said in ((a.kind, a.summary, a.changed, a.settings),)
            ]
        )
    )


def _offered(alert: Alert, alerts: list[Alert]) -> str:
    """What can be said to an alert: once for a file, of which it settles them all."""
    waits = [a for a in alerts if a.path == alert.path and a.since is not None]
    if not waits:
        mine = [each for each in alerts if each.path == alert.path]
        last = alert is mine[-1]
        return (APPLY if alert.settings else "I have seen it") if last else ""
    if alert not in waits or any(a.cut for a in waits):
        return ""
    return APPLY if alert.settings else "Let it count"


def _require(shown: str, form: Given, what: str) -> None:
    """Refuse what was decided from something else than there is now."""
    if not shown or shown != form.get("shown"):
        raise ChangedMeanwhileError(what)


# --- what can be done --------------------------------------------------------------


def decide(memory: Memory, form: Given) -> str:
    """Approve what is ticked, as it was edited, or reject all of it."""
    numbers = sorted(_number(key) for key in form if key.startswith("take-"))
    refused = {_number(key) for key in form if key.startswith("no-")}
    refused -= set(numbers)
    why = form.get("reason", "").strip()
    shown = form.get("shown", "")
    count = _number(form.get("count", "0"))
    if form.get("choice") == "reject":
        named = tuple(sorted(refused))
        decision = Decision(Choice.REJECT, reason=why, rejected=named)
    elif not numbers and count:
        hint = "Tick what shall be done, or reject all of it."
        raise RefusedError("nothing is ticked", hint=hint)
    else:
        texts = {n: (_plain(form, "was", n), _plain(form, "text", n)) for n in numbers}
        for number, (was, now) in texts.items():
            if was and not now:
                what = f"change {number} has no words left"
                raise RefusedError(what, hint="Untick it to leave it out.")
        changes = tuple((n, now) for n, (was, now) in texts.items() if now != was)
        whole = len(numbers) == count
        kind = Choice.CHANGE if changes else Choice.APPROVE if whole else Choice.PARTIAL
        decision = Decision(
            kind,
            tuple(numbers),
            changes,
            reason=why,
            whole=True,
            rejected=tuple(sorted(refused)),
        )
    done = memory.reflection.decide(decision, shown)
    return " ".join(
        (f"Reflection #{done.number}: {_came_of(done, count)}", *done.notes)
    )


def _came_of(done: Reflected, count: int) -> str:
    """What was done of a reflection, and what was not."""
    if done.choice is Choice.REJECT:
        return "rejected; nothing of it is applied."
    many = len(done.applied)
    left = count - many - len(done.skipped)
    told = f"{many} change{'s' * (many != 1)} made"
    told += f", {left} left out." if left > 0 else "."
    return told + "".join(f" Not done: {e.what} ({e.why})." for e in done.skipped)


def _plain(form: Given, name: str, number: int) -> str:
    return form.get(f"{name}-{number}", "").replace("\r\n", "\n").strip()


def _number(key: str) -> int:
    said = key.rpartition("-")[2]
    if not said.isdecimal() or len(said) > DIGITS:
        what = f"{key[:40]!r} is nothing that this page shows"
        raise RefusedError(what, hint="Open the inbox again.")
    return int(said)


def reply(memory: Memory, form: Given) -> str:
    """Answer a check-in or a token request."""
    _require(_stands(memory.reflection.status()), form, "what the reflection asks")
    standing = memory.reflection.reply(form.get("words", ""), actor=MANUAL)
    if standing.state == "granted":
        return f"{standing.understood.capitalize()}. {think(memory, form)}".lstrip(". ")
    return standing.understood or standing.says.partition("\n")[0]


def think(memory: Memory, _: Given) -> str:
    """Have a reflection go on, as far as it goes without its host agent."""
    kind = memory.config.mind.kind
    if kind == "host":
        return "Your agent goes on with it when it is next there."
    if kind == "api":
        # A model takes its time; who looks is shown what comes of it.
        if memory.root not in _THINKING:
            _THINKING.add(memory.root)
            Thread(target=_think, args=(memory.root,), daemon=True).start()
        return "It reflects; what it proposes will show here."
    return _told(memory.reflection.advance())


def _told(standing: Standing) -> str:
    """Where a reflection stands, in a sentence."""
    if standing.state == "pending":
        return f"Reflection #{standing.number} waits for you."
    return standing.says.partition("\n")[0].lstrip("# ")


def cancel(memory: Memory, form: Given) -> str:
    """Give up a reflection that is under way."""
    _require(_stands(memory.reflection.status()), form, "the reflection")
    memory.reflection.cancel(actor=MANUAL)
    return "The reflection is given up; nothing of it is applied."


def _think(root: Path) -> None:
    """Have a model think, in nobody's name; what goes wrong, its state tells."""
    try:
        with suppress(ReverieError), Memory(root) as memory:
            memory.tidy_on_close = False
            memory.reflection.advance()
    finally:
        _THINKING.discard(root)


def begin(memory: Memory, form: Given) -> str:
    """Ask for tokens for a reflection; who needs none goes on at once."""
    standing = memory.reflection.begin()
    if standing.state in {"granted", "reflecting"}:
        return think(memory, form)
    return _told(standing)


def say(memory: Memory, form: Given) -> str:
    """Keep what is said about the last reflection."""
    _require(_stands(memory.reflection.status()), form, "the last reflection")
    kind = choice("kind", form.get("kind", Feedback.OTHER), Feedback)
    done = memory.reflection.say(form.get("words", ""), kind=kind, actor=MANUAL)
    return f"Kept beside the reflection: {done.path}."


def adopt(memory: Memory, form: Given) -> str:
    """Write the new self-image, or drop it."""
    # Where none waits, asking for one would draw another.
    image = _image(memory, memory.reflection.status())
    _require(image["shown"] if image else "", form, "the new self-image")
    if form.get("choice") == "reject":
        memory.reflection.drop_self_image()
        return "The new self-image is dropped."
    memory.reflection.adopt_self_image(form.get("shown", ""))
    return "The new self-image stands in IDENTITY.md."


def propose(memory: Memory, form: Given) -> str:
    """Accept, reject or put off what somebody proposed, or let it replace the old."""
    number = _number(form.get("number", ""))
    waiting = (each for each in memory.waiting() if each.proposal.number == number)
    found = next(waiting, None)
    shown = _proposed(found, _replaced(memory, found)) if found else ""
    _require(shown, form, f"proposal #{number}")
    assert found is not None  # noqa: S101 - or nothing was shown
    proposal = found.proposal
    match form.get("choice"):
        case "accept" if proposal.removes:
            memory.accept(proposal, actor=MANUAL)
            return f"{proposal.removes} is removed, as proposal #{number} asked."
        case "accept" if _replaceable(found) and found.supersedes:
            # Both are kept: what it would have replaced goes on holding.
            both = memory.place_in(replace(proposal, supersedes=""), proposal.store)
            memory.accept(proposal, both, actor=MANUAL)
            return f"Proposal #{number} is a memory now, beside what was known."
        case "accept":
            memory.accept(proposal, actor=MANUAL)
            return f"Proposal #{number} is a memory now."
        case "replace":
            fact = _replaceable(found)
            _require(fact and shown, form, f"proposal #{number}")
            sure, page = proposal.confidence, fact.partition("#")[0]
            place = Semantic(
                page, supersedes=fact, confidence=sure, basis=proposal.basis
            )
            memory.accept(proposal, place, actor=MANUAL)
            return f"What #{number} says holds now; the old words are kept as past."
        case "reject":
            memory.reject(number, reason=form.get("reason", ""), actor=MANUAL)
            return f"Proposal #{number} is off the list; history keeps it."
        case _:
            memory.defer(number, actor=MANUAL)
            return f"Proposal #{number} waits for the next reflection."


def settle(memory: Memory, form: Given) -> str:
    """Say which of some statements holds."""
    which, keep = form.get("which", ""), form.get("keep", "")
    found = (q for q in memory.contradictions() if which in {s.id for s in q.sides})
    same = (each for each in found if asked_as_shown(each) == form.get("shown"))
    asked = next(same, None)
    _require(asked_as_shown(asked) if asked else "", form, "what cannot all hold")
    assert asked is not None  # noqa: S101 - or nothing was shown
    if keep in {"both", "neither"}:
        both, neither = keep == "both", keep == "neither"
        memory.settle(asked.question, both=both, neither=neither, actor=MANUAL)
    else:
        memory.settle(asked.question, keep=keep, actor=MANUAL)
    sides = {side.id: side.text for side in asked.sides}
    held = {"both": "all of them hold", "neither": "none of them does"}
    return f"It is settled: {sides.get(keep) or held.get(keep, '')}"


def same(memory: Memory, form: Given) -> str:
    """Say whether two pages are about one."""
    one, into = form.get("one", ""), form.get("into", "")
    pair = next((p for p in memory.pairs() if (p.one, p.into) == (one, into)), None)
    _require(_both(memory, pair) if pair else "", form, f"{one} or {into}")
    if form.get("choice") == "merge":
        memory.merge(one, into, actor=MANUAL)
        return f"{one} is a part of {into} now."
    memory.keep_apart(one, into, actor=MANUAL)
    return f"{one} and {into} stay apart, and it is not asked again."


def undo_quoted(memory: Memory, form: Given) -> str:
    """Undo a change of core memory that was made in the user's own words."""
    commit = form.get("commit", "")
    if commit not in {each.commit for each in memory.quoted_changes()}:
        raise ChangedMeanwhileError("this change")
    memory.undo(commit, actor=MANUAL)
    return "Undone: core memory says what it said before."


def acknowledge(memory: Memory, form: Given) -> str:
    """Note that an alert was seen, and let count what waited for that."""
    path, (alerts, found) = form.get("path", ""), _alerts(memory)
    mine = [each for each in alerts if each.path == path]
    _require(_seen(alerts, path) if mine else "", form, f"what is to be seen of {path}")
    if any(each.cut for each in mine if each.since is not None):
        what = f"what was done to {path} is too long to be shown to its end"
        hint = f"Read the file, then: `reverie alerts --ack {quote(path)}`."
        raise RefusedError(what, hint=hint)
    memory.acknowledge(path, shown=[a for a in found if a.path == path])
    if settings := mine[-1].settings:
        return f"Applied the new settings: {', '.join(name for name, *_ in settings)}."
    if any(each.since is not None for each in mine):
        return f"{path} counts as it is now."
    return f"Noted that you have seen {path}."


VIEWS = (View("/", "inbox.html", look),)
ACTS = (
    Act("/inbox/reflection", decide),
    Act("/inbox/reply", reply),
    Act("/inbox/begin", begin),
    Act("/inbox/think", think),
    Act("/inbox/cancel", cancel),
    Act("/inbox/say", say),
    Act("/inbox/self-image", adopt),
    Act("/inbox/proposal", propose),
    Act("/inbox/settle", settle),
    Act("/inbox/same", same),
    Act("/inbox/quoted", undo_quoted),
    Act("/inbox/alert", acknowledge),
)
