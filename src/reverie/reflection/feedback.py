"""Feedback on a reflection: its archive, the notes below it, and the dialogue after.

`reflections/YYYY-MM-DD.md` holds all of one reflection, and what came of it.
"""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING

from msgspec import Struct

from reverie import markdown as md
from reverie.errors import NotFoundError
from reverie.markdown import escape, newlines_like
from reverie.model.change import Actor, ChangeSet
from reverie.model.items import Origin
from reverie.model.reflection import Choice, Feedback, session_name
from reverie.printable import mended
from reverie.reflection import records
from reverie.reflection.identity import awareness_items
from reverie.reflection.log import STATUSES, parse_log
from reverie.reflection.proposal_page import (
    BrokenPendingError,
    laid_page,
    laid_pages,
    parse_pending,
)
from reverie.reflection.token_request import parse_rewards
from reverie.secrets import without_secrets
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import date

    from reverie.model.reflection import Operation
    from reverie.reflection.cycle import Study

NOTES = "Post-Reflection Notes"
FEEDBACK, INSIGHTS = "User Feedback", "New Insights from Discussion"
REWARD, DECISION = "Reward Outcome", "Decision"
PARTS = (FEEDBACK, INSIGHTS, REWARD, DECISION)
"""Of the notes, in their order."""
NOTED = (FEEDBACK, DECISION)
"""Those in which the human speaks."""

SUMMARY, DIALOGUE = "Reflection Summary", "Dialogue"
EXTRACTED = "Extracted to Main Reflection"

REMINDED = 160
"""Characters that are told of a change that was rejected."""

LEFT_OUT, REJECTED, NOT_APPLIED = "left out", "rejected", "could not be applied"
"""What became of a change that was not applied, as an archive says it."""

REWARDS, DISCUSSED, LOOKED_THROUGH = 3, 2, 500
"""So many of the last rewards, and what was said to so many reflections, reach the
next one; and so many changes are looked through for them."""


# --- the archive ---------------------------------------------------------------


def render_archive(
    told: str, notes: Mapping[str, Iterable[str]], milestone: str = "", essay: str = ""
) -> str:
    """All of a reflection: what its human was told, then notes, then an essay."""
    text, more = escape(mended(told)), escape(mended(essay))
    whole = add_notes(f"{text}\n" if text else "", notes)
    name = records.render_words(f"Milestone {milestone}")
    return f"{records.spaced(whole)}## {name}\n\n{more}\n" if more else whole


def add_notes(text: str, notes: Mapping[str, Iterable[str]]) -> str:
    """A reflection with more notes, escaped, by the parts they belong to.

    All the rest stays as it is, and what is noted already is not noted twice.
    """
    if not records.place_of(text, NOTES):
        start = records.spaced(text)
        text = start + newlines_like(start, f"---\n\n## {NOTES}\n")
    for place, part in enumerate(PARTS, start=1):
        lines = [f"- {line}" for line in notes.get(part, ())]
        text = _with_new(text, NOTES, lines, part, PARTS[place:])
    return text


def append_dialogue(
    text: str,
    day: date,
    summary: str,
    exchange: Sequence[tuple[str, str]],
    extracted: Iterable[str] = (),
) -> str:
    """The dialogue of a day with what was said last at its end.

    Args:
        text: The file as it is; empty for a new one.
        day: The day of the reflection.
        summary: What the reflection was about.
        exchange: Who said what, in order.
        extracted: What of it is noted in the main file.
    """
    if not text.strip():
        text = (
            f"# Post-Reflection Dialogue — {day.isoformat()}\n\n## {SUMMARY}\n\n"
            f"## {DIALOGUE}\n\n## {EXTRACTED}\n"
        )
    text = _with_new(text, SUMMARY, records.rendered([summary]))
    for who, words in exchange:
        name = (
            re.sub(r"[*:_`\[\]<>|#\\]", "", records.clean(who))[:40].strip()
            or "Somebody"
        )
        # Bold letters could pose as another speaker.
        quiet = records.render_words(words).replace("**", r"\*\*")
        # Without a blank line two who speak would read as one.
        gap = "\n" if records.body_of(text, DIALOGUE).strip() else ""
        text = records.with_below(text, DIALOGUE, f"{gap}**{name}:** {quiet}\n")
    return _with_new(
        text, EXTRACTED, [f"- {words}" for words in records.rendered(extracted)]
    )


def _with_new(
    text: str,
    section: str,
    lines: Iterable[str],
    sub: str = "",
    later: Sequence[str] = (),
) -> str:
    """A text with those lines in a section that it does not hold yet."""
    there = set(map(str.strip, records.body_of(text, section, sub).split("\n")))
    block = "".join(f"{line}\n" for line in lines if line not in there)
    return records.with_below(text, section, block, sub, later) if block else text


def describe_decision(operation: Operation, became: str) -> str:
    """Return what became of an operation, as its archive and the next prompt say it.

    The text of an operation that was not applied is part of it.
    """
    own = operation.origin is Origin.AGENT
    whose = "" if own else f", words of {operation.origin}"
    is_applied = became.startswith("applied")
    text = "" if is_applied else f": “{md.headline(operation.content, 200)}”"
    return f"{operation.kind} {operation.target}{whose}: {became}{text}"


def find_open_changes(study: Study) -> tuple[int, list[Operation]]:
    """Return the changes that the last decision left out, and its reflection's number.

    The decision is the newest that is in the log; a proposal that was undone has none.
    """
    store, ledger = study.store, study.session.ledger
    entries = parse_log(store.text(layout.REFLECTION_LOG)).entries
    statuses = {entry.number: entry.status for entry in entries}
    for page in laid_pages(ledger, LOOKED_THROUGH):
        with suppress(BrokenPendingError):
            pending = parse_pending(page, layout.PENDING_REFLECTION)
            if pending is None or pending.number not in statuses:
                continue
            if statuses[pending.number] == STATUSES[Choice.REJECT]:
                return pending.number, []
            decided = _decisions(study, pending.session)
            return pending.number, [
                one for one in pending.operations if _left_out_line(one) in decided
            ]
    return 0, []


def _left_out_line(operation: Operation) -> str:
    """Return the words by which an archive says that an operation was left out."""
    line = f"0, {describe_decision(operation, LEFT_OUT)}"
    return records.render_words(line).partition(", ")[2]


def _decisions(study: Study, session: str) -> set[str]:
    """Return what became of each change of a reflection, as its archive says it."""
    found = set[str]()
    for entry in islice(study.session.ledger.history(), LOOKED_THROUGH):
        for line in entry.lines if entry.signed.session == session else ():
            if line.path.startswith(f"{layout.REFLECTIONS}/"):
                body = records.body_of(study.store.text(line.path), NOTES, DECISION)
                found |= {each.partition(", ")[2].strip() for each in body.split("\n")}
    return found


# --- what is said afterwards ---------------------------------------------------


class Discussed(Struct, frozen=True):
    """What became of something that was said about a reflection.

    Attributes:
        kind: Whether it bears the reflection out, corrects it, or neither.
        path: The reflection it is noted at, or the dialogue.
        commit: The change.
    """

    kind: Feedback
    path: str
    commit: str


def discuss(
    study: Study, words: str, answer: str, kind: Feedback, actor: Actor
) -> Discussed:
    """Keep what is said about the last reflection, and what matters of it beside it."""
    session, store = study.session, study.store
    words, answer = without_secrets(words), without_secrets(answer)
    insights = awareness_items(answer)
    said = [] if kind is Feedback.OTHER else records.rendered([words])
    notes = {
        FEEDBACK: [f'{kind.capitalize()}: "{quote}"' for quote in said],
        INSIGHTS: [f"[Self-Awareness] {line}" for line in records.rendered(insights)],
    }
    extracted = (*said, *insights)
    exchange = [("User", words), *([("OpenClaw", answer)] if answer else [])]
    why = "said about the reflection"

    def attempt() -> Discussed:
        session.look()
        day, (path, reflected) = study.today(), _last_reflection(study)
        entries = parse_log(store.text(layout.REFLECTION_LOG)).entries
        named = (e.insight for e in entries if session_name(e.number) == reflected)
        dialogue, about = f"{layout.DIALOGUES}/{day}.md", next(named, reflected)
        talk = append_dialogue(store.text(dialogue), day, about, exchange, extracted)
        edits = [store.edit(dialogue, talk, why)]
        noted = add_notes(store.text(path), notes)
        if noted != store.text(path):
            edits.insert(0, store.edit(path, noted, why))
        # Signed with the reflection, so that undoing it takes this along.
        signed = Actor(f"reflection:{reflected}")
        trigger = f"{why}, passed on by {actor}"
        change = ChangeSet(tuple(edits), signed, actor.approval, trigger)
        receipt = session.commit(change)
        return Discussed(kind, edits[0].path, receipt.commit)

    return session.persist("discussing", attempt)


# --- what of it reaches the next reflection ----------------------------------------


def heard(study: Study) -> tuple[str, ...]:
    """What the human said to earlier reflections, what they decided last, and gave."""
    store, found = study.store, list[str]()
    for path in reversed(dict.fromkeys(_discussed(study))):
        text = store.text(path)
        if path.startswith(f"{layout.DIALOGUES}/"):
            said = records.body_of(text, DIALOGUE).replace("**", "").split()
            found += [f"{md.stem(path)}: {' '.join(said)}"] if said else []
        else:
            parts = [
                _telling(records.body_of(text, NOTES, part))
                for part in (FEEDBACK, DECISION)
            ]
            found += [f"{md.stem(path)}: {part}" for part in parts if part]
    for last in parse_log(store.text(layout.REFLECTION_LOG)).entries[-1:]:
        if last.status == STATUSES[Choice.REJECT]:
            told = f"#{last.number} of {last.day} was rejected: "
            found.append(told + (last.reason or "they did not say why"))
            found += _turned_down(study, last.number)
    rewards = parse_rewards(store.text(layout.REWARD_LOG))[-REWARDS:]
    for asked, given in rewards:
        why = f": {given.reason}" if given.reason else ""
        told = f"#{asked.number}: asked for {asked.final:,} tokens, given "
        found.append(f"{told}{given.tokens:,} ({given.outcome}){why}")
    return tuple(filter(None, found))


def _telling(notes: str) -> str:
    """Notes in a line, without what was simply applied: nobody said anything to it."""
    lines = (line.strip().removeprefix("- ") for line in notes.split("\n"))
    return "; ".join(line for line in lines if line and not line.endswith(": applied"))


def insights(study: Study) -> tuple[str, ...]:
    """What was noticed about the agent when its last reflections were talked about."""
    store = study.store
    kept = (records.body_of(store.text(p), NOTES, INSIGHTS) for p in _discussed(study))
    known = records.folded(store.text(layout.IDENTITY))
    found = (
        records.parse_words(piece.text).removeprefix("[Self-Awareness] ")
        for text in dict.fromkeys(kept)
        for piece in md.split_items(text)
        if piece.marker
    )
    return tuple(words for words in found if records.folded(words) not in known)


def _turned_down(study: Study, number: int) -> Iterator[str]:
    """What a reflection proposed, all of which was rejected."""
    with suppress(BrokenPendingError):
        page = laid_page(study.session.ledger)
        pending = parse_pending(page, layout.PENDING_REFLECTION)
        for one in pending.operations if pending and pending.number == number else ():
            said = md.headline(one.content, REMINDED)
            yield f"rejected with it: {one.kind} {one.target}: {said}"


def _discussed(study: Study) -> Iterator[str]:
    """The files in which something was said to or decided on the last reflections."""
    sessions = set[str]()
    for entry in islice(study.session.ledger.history(), LOOKED_THROUGH):
        if entry.signed.session:
            sessions.add(entry.signed.session)
            if len(sessions) > DISCUSSED:
                return
            paths = (line.path for line in entry.lines)
            yield from (p for p in paths if p.startswith(f"{layout.REFLECTIONS}/"))


def _last_reflection(study: Study) -> tuple[str, str]:
    """The file of the newest reflection, and its session."""
    for entry in study.session.ledger.history():
        for line in entry.lines if entry.signed.session else ():
            inside = line.path.startswith(f"{layout.REFLECTIONS}/")
            inside = inside and not line.path.startswith(f"{layout.DIALOGUES}/")
            if inside and study.session.ledger.read(line.path) is not None:
                return line.path, entry.signed.session
    nothing, begin = "there is no reflection to talk about yet", "`reverie reflect`"
    raise NotFoundError(nothing, hint=f"{begin} begins one.")
