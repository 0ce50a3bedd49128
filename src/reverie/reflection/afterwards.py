"""After a reflection: what is said about it, and the agent's picture of itself."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING

import msgspec

from reverie.errors import NotFoundError, UnavailableError
from reverie.minds.json_answers import ask, find_problem, parse_object
from reverie.minds.mind import BadAnswerError, Question
from reverie.minds.prompts import render_prompt
from reverie.model.change import Actor, Approval, ChangeSet
from reverie.model.reflection import Feedback, HostQuestion, digest, session_name
from reverie.reflection.answers import SCHEMAS, Pictured, read_answer
from reverie.reflection.granting import scores_edits, text_edit
from reverie.reflection.operations.edits import diff_texts
from reverie.reflection.recording import PageChangedError
from reverie.reflection.records.archive import Notes, add_notes, append_dialogue
from reverie.reflection.records.identity import (
    SelfImage,
    awareness_items,
    changes,
    compact_log,
    parse_self_image,
    recent,
    render_self_image,
)
from reverie.reflection.records.log import parse_log
from reverie.reflection.records.page import subs_of
from reverie.secrets import pieces_of, screened, without_secrets
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reverie.model.change import Receipt
    from reverie.reflection.dreaming import Dreamer

IMAGE_TOKENS = 3000
"""The most that one look at oneself may write."""

_KEPT = "image"
_OPERATION = "reflect-self-image"


class NothingSaidError(NotFoundError):
    """There is no reflection to talk about."""

    def __init__(self) -> None:
        super().__init__(
            "there is no reflection to talk about yet",
            hint="`reverie reflect` begins one.",
        )


class NoMindError(UnavailableError):
    """A picture of oneself is no work for rules."""

    def __init__(self) -> None:
        super().__init__(
            "a self-image needs a model: rules do not pretend to know themselves",
            hint="Set `mind.kind` in reverie.toml to api or host.",
        )


class NoAwarenessError(NotFoundError):
    """There is nothing a self-image could be drawn from."""

    def __init__(self) -> None:
        super().__init__(
            "there are no notes of self-awareness to draw a picture from",
            hint="They come with reflections that a model writes.",
        )


@dataclass(frozen=True, slots=True)
class Discussed:
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
    dreamer: Dreamer, words: str, answer: str, kind: Feedback, actor: Actor
) -> Discussed:
    """Keep what is said about the last reflection, and what matters of it beside it."""
    words, answer = without_secrets(words), without_secrets(answer)
    return dreamer.house.persist(
        "discussing", lambda: _discuss(dreamer, words, answer, kind, actor)
    )


def _discuss(
    dreamer: Dreamer, words: str, answer: str, kind: Feedback, actor: Actor
) -> Discussed:
    house, sleep = dreamer.house, dreamer.sleep
    house.look()
    path, session = _last_reflection(dreamer)
    notes = Notes(
        validated=(words,) if kind is Feedback.VALIDATED else (),
        corrected=(words,) if kind is Feedback.CORRECTED else (),
        insights=awareness_items(answer),
    )
    noted = add_notes(sleep.text(path), notes)
    day = dreamer.today()
    dialogue = f"{layout.DIALOGUES}/{day}.md"
    exchange = [("User", words), *([("OpenClaw", answer)] if answer else [])]
    extracted = (*notes.validated, *notes.corrected, *notes.insights)
    about = _about(dreamer, session)
    talk = append_dialogue(sleep.text(dialogue), day, about, exchange, extracted)
    why = "said about the reflection"
    edits = [text_edit(house, dialogue, talk, why)]
    if noted != sleep.text(path):
        edits.insert(0, text_edit(house, path, noted, why))
    approval = Approval.NONE if actor.human else Approval.AUTO
    # Signed with the reflection, so that undoing it takes this along.
    signed, trigger = Actor(f"reflection:{session}"), f"{why}, passed on by {actor}"
    receipt = house.commit(ChangeSet(tuple(edits), signed, approval, trigger))
    return Discussed(kind, edits[0].path, receipt.commit)


def _last_reflection(dreamer: Dreamer) -> tuple[str, str]:
    """The file of the newest reflection, and its session."""
    for entry in dreamer.house.ledger.history():
        for line in entry.lines if entry.signed.session else ():
            inside = line.path.startswith(f"{layout.REFLECTIONS}/")
            if inside and dreamer.house.ledger.read(line.path) is not None:
                return line.path, entry.signed.session
    raise NothingSaidError


def _about(dreamer: Dreamer, session: str) -> str:
    """What a reflection was about, in a line."""
    for entry in parse_log(dreamer.sleep.text(layout.REFLECTION_LOG)).entries:
        if session_name(entry.number) == session:
            return entry.insight
    return session


@dataclass(frozen=True, slots=True)
class SelfImageShown:
    """A new picture of oneself, to be decided on.

    Attributes:
        says: What would change in `IDENTITY.md`, in words.
        shown: The digest of it, to decide with.
        hint: What can be done next.
        question: What the host agent has to answer first; then the rest is empty.
    """

    says: str
    shown: str
    hint: str
    question: HostQuestion | None = None


def draw(dreamer: Dreamer, answer: str = "") -> SelfImageShown:
    """Draw the picture anew, or show the one that waits for a decision.

    Args:
        dreamer: The workspace.
        answer: The host agent's answer, where it is the one who thinks.
    """
    dreamer.house.look()
    drawn = _kept(dreamer)
    if drawn is None:
        question = _question(dreamer)
        if dreamer.minds.kind == "host" and not answer:
            asked = HostQuestion(
                question.id, question.operation, question.text, question.schema
            )
            hint = "Answer: `reverie reflect self-image --answer JSON`."
            return SelfImageShown("", "", hint, asked)
        drawn = _thought(dreamer, question, answer)
        dreamer.sleep.keep(_KEPT, msgspec.json.encode(drawn))
    text = dreamer.sleep.text(layout.IDENTITY)
    says = _told(dreamer, text, drawn)
    hint = "`reverie reflect self-image --approve` writes it, `--reject` drops it."
    return SelfImageShown(says, digest(text + says), hint)


def _told(dreamer: Dreamer, text: str, drawn: Pictured) -> str:
    """What would change in words, and every line that would be written or go."""
    says = changes(text, _image(drawn)) or "My self-image stays as it is.\n"
    diff = diff_texts(layout.IDENTITY, text, _rewritten(dreamer, text, drawn))
    longest = max(map(len, re.findall("`+", diff)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{says}\n1. {layout.IDENTITY}\n{fence}diff\n{diff}{fence}\n"


def _rewritten(dreamer: Dreamer, text: str, drawn: Pictured) -> str:
    image = render_self_image(text, _image(drawn), dreamer.today())
    return compact_log(image, _months(drawn))


def _months(drawn: Pictured) -> dict[str, str]:
    return {each.month: each.summary for each in drawn.months}


def adopt(dreamer: Dreamer, shown: str) -> Receipt:
    """Rewrite the self-image in `IDENTITY.md`; only a human may have it so."""
    receipt = dreamer.house.persist("deciding", lambda: _adopt(dreamer, shown))
    drop(dreamer)
    return receipt


def _adopt(dreamer: Dreamer, shown: str) -> Receipt:
    house, sleep = dreamer.house, dreamer.sleep
    house.look()
    drawn, text = _kept(dreamer), sleep.text(layout.IDENTITY)
    if drawn is None:
        raise NoAwarenessError
    if digest(text + _told(dreamer, text, drawn)) != shown:
        raise PageChangedError(layout.IDENTITY)
    day = dreamer.today()
    new = _rewritten(dreamer, text, drawn)
    why = "self-image consolidated"
    other = {
        "last_self_image_consolidation": day.isoformat(),
        "self_awareness_count_since_consolidation": 0,
    }
    edits = (
        text_edit(house, layout.IDENTITY, new, why),
        *scores_edits(house, other),
    )
    signed = Actor(f"reflection:{session_name(sleep.load().last_number)}")
    return house.commit(ChangeSet(edits, signed, Approval.APPROVED, why))


def drop(dreamer: Dreamer) -> None:
    """Let go of a picture that was drawn."""
    dreamer.sleep.keep(_KEPT, None)


def _kept(dreamer: Dreamer) -> Pictured | None:
    data = dreamer.sleep.kept(_KEPT)
    try:
        return msgspec.json.decode(data, type=Pictured) if data else None
    except msgspec.MsgspecError:
        return None


def _question(dreamer: Dreamer) -> Question:
    if dreamer.minds.kind == "rules":
        raise NoMindError
    text = dreamer.sleep.text(layout.IDENTITY)
    older = subs_of(text, "Self-Awareness Log", "Archived (Compacted)")
    noticed = [sub.body.strip() for sub in older]
    noticed += [f"{each.day}: {each.words}" for each in recent(text)]
    if not any(noticed):
        raise NoAwarenessError
    sections = parse_self_image(text).sections
    image = "\n".join(f"{name}: {' '.join(lines)}" for name, lines in sections)
    data = {"awareness": "\n".join(noticed), "image": image or "(nothing)"}
    clean = {key: without_secrets(words) for key, words in data.items()}
    prompt = render_prompt("self-image", clean)
    return Question(
        _OPERATION, "self-image", prompt, SCHEMAS["self-image"], IMAGE_TOKENS
    )


def _thought(dreamer: Dreamer, question: Question, answer: str) -> Pictured:
    if answer:
        value: Mapping[str, object] = screened(parse_object(answer), pieces_of(answer))
        problem = find_problem(value, question.schema)
        if problem:
            raise BadAnswerError(problem, answer)
    else:
        mind = dreamer.minds.open("self-image", {})
        if mind is None:
            raise NoMindError
        value = ask(mind, question, dict)
    return _harmless(read_answer(msgspec.json.encode(value).decode(), Pictured))


def _harmless(drawn: Pictured) -> Pictured:
    """A picture that tells no secret; what it is worded like gives it no power."""
    parts = {
        held.name: tuple(map(without_secrets, getattr(drawn, held.name)))
        for held in fields(SelfImage)
    }
    months = tuple(
        replace(each, summary=without_secrets(each.summary)) for each in drawn.months
    )
    return Pictured(**parts, months=months)


def _image(drawn: Pictured) -> SelfImage:
    parts = asdict(drawn)
    parts.pop("months")
    return SelfImage(**parts)
