"""The self-image: drawn anew from the notes of self-awareness, decided on apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta, Struct

from reverie.errors import NotFoundError, UnavailableError
from reverie.minds.json_answers import ask
from reverie.minds.mind import Question
from reverie.minds.prompts import render_prompt
from reverie.model.change import Actor, Approval, ChangeSet
from reverie.model.reflection import HostQuestion, digest, session_name
from reverie.reflection import identity
from reverie.reflection.cycle import PageChangedError
from reverie.reflection.entity_edits import diff_texts
from reverie.reflection.phases import (
    AnswerPart,
    Paragraph,
    fitting_answer,
    schema_of,
)
from reverie.reflection.presentation import fenced_diff
from reverie.reflection.records import body_of
from reverie.secrets import without_secrets
from reverie.workspace import layout

if TYPE_CHECKING:
    from reverie.model.change import Receipt
    from reverie.reflection.cycle import Study

IMAGE_TOKENS = 3000
"""The most that one look at oneself may write."""


class NoMindError(UnavailableError):
    """A picture of oneself is no work for rules."""

    says = "a self-image needs a model: rules do not pretend to know themselves"
    mend = "Set `mind.kind` in reverie.toml to api or host."


class NoAwarenessError(NotFoundError):
    """There is nothing a self-image could be drawn from."""

    says = "there are no notes of self-awareness to draw a picture from"
    mend = "They come with reflections that a model writes."


Lines = Annotated[tuple[Paragraph, ...], Meta(max_length=12)]


class Month(AnswerPart):
    """What the notes of a month came down to."""

    month: Annotated[str, Meta(max_length=7)]
    summary: Paragraph


class Pictured(AnswerPart):
    """What a look at oneself says."""

    who: Lines = ()
    patterns: Lines = ()
    quirks: Lines = ()
    edges: Lines = ()
    values: Lines = ()
    questions: Lines = ()
    months: Annotated[tuple[Month, ...], Meta(max_length=120)] = ()

    @property
    def image(self) -> identity.SelfImage:
        """What would stand in `IDENTITY.md`."""
        return identity.SelfImage(**{name: getattr(self, name) for name in _PARTS})


_PARTS = ["who", "patterns", "quirks", "edges", "values", "questions"]
SCHEMA = schema_of(Pictured, " ".join(_PARTS))


class SelfImageShown(Struct, frozen=True):
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


def draw(study: Study, answer: str = "") -> SelfImageShown:
    """Draw the picture anew, or show the one that waits for a decision.

    Args:
        study: The workspace.
        answer: The host agent's answer, where it is the one who thinks.
    """
    study.session.look()
    drawn = _kept(study)
    if drawn is None:
        question = _question(study)
        if study.minds.kind == "host" and not answer:
            asked = HostQuestion(
                question.id, question.operation, question.text, question.schema
            )
            hint = "Answer: `reverie reflect self-image --answer JSON`."
            return SelfImageShown("", "", hint, asked)
        drawn = _thought(study, question, answer)
        kept = msgspec.json.encode(drawn).decode()
        study.store.put(study.store.load(), image=kept)
    text = study.store.text(layout.IDENTITY)
    says, _ = _told(study, text, drawn)
    hint = "`reverie reflect self-image --approve` writes it, `--reject` drops it."
    return SelfImageShown(says, digest(text + says), hint)


def _told(study: Study, text: str, drawn: Pictured) -> tuple[str, str]:
    """What would change in words and by line, and `IDENTITY.md` as it would be."""
    says = identity.changes(text, drawn.image) or "My self-image stays as it is.\n"
    new = identity.render_self_image(text, drawn.image, study.today())
    new = identity.compact_log(new, {m.month: m.summary for m in drawn.months})
    diff = diff_texts(layout.IDENTITY, text, new)
    return f"{says}\n1. {layout.IDENTITY}\n{fenced_diff(diff)}\n", new


def adopt(study: Study, shown: str) -> Receipt:
    """Rewrite the self-image in `IDENTITY.md`; only a human may have it so."""
    session, store, why = study.session, study.store, "self-image consolidated"

    def attempt() -> Receipt:
        session.look()
        drawn, text = _kept(study), store.text(layout.IDENTITY)
        if drawn is None:
            raise NoAwarenessError
        says, new = _told(study, text, drawn)
        if digest(text + says) != shown:
            raise PageChangedError(layout.IDENTITY)
        other = {
            "last_self_image_consolidation": study.today().isoformat(),
            "self_awareness_count_since_consolidation": 0,
        }
        edits = (store.edit(layout.IDENTITY, new, why), *store.score_edits(other))
        signed = Actor(f"reflection:{session_name(store.load().last_number)}")
        return session.commit(ChangeSet(edits, signed, Approval.APPROVED, why))

    receipt = session.persist("deciding", attempt)
    drop(study)
    return receipt


def drop(study: Study) -> None:
    """Let go of a picture that was drawn."""
    study.store.put(study.store.load(), image="")


def _kept(study: Study) -> Pictured | None:
    image = study.store.load().image
    return msgspec.json.decode(image, type=Pictured) if image else None


def _question(study: Study) -> Question:
    if study.minds.kind == "rules":
        raise NoMindError
    text = study.store.text(layout.IDENTITY)
    noticed = [body_of(text, "Self-Awareness Log", "Archived (Compacted)").strip()]
    noticed += [f"{each.day}: {each.words}" for each in identity.recent(text)]
    if not any(noticed):
        raise NoAwarenessError
    sections = identity.parse_self_image(text).sections
    image = "\n".join(f"{name}: {' '.join(lines)}" for name, lines in sections)
    data = {"awareness": "\n".join(noticed), "image": image or "(nothing)"}
    clean = {key: without_secrets(words) for key, words in data.items()}
    prompt = render_prompt("self-image", clean)
    return Question("reflect-self-image", "self-image", prompt, SCHEMA, IMAGE_TOKENS)


def _thought(study: Study, question: Question, answer: str) -> Pictured:
    """A picture that tells no secret; what it is worded like gives it no power."""
    if answer:
        value = fitting_answer(answer, question)
    else:
        mind = study.minds.open("self-image", {})
        if mind is None:
            raise NoMindError
        value = ask(mind, question, dict)
    # Both ways it was screened for secrets before it was judged.
    return msgspec.convert(value, Pictured)
