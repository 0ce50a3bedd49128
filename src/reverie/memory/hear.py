"""Listening to a conversation: what its user asks of memory is done, or prepared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reverie.config import ConfigError, TriggersConfig, parse_config
from reverie.encoding.triggers import detect
from reverie.errors import RefusedError, UnavailableError
from reverie.minds.host import HostMustAnswerError
from reverie.model.reflection import Occasion
from reverie.model.route import Target, TriggerKind
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from reverie.model.change import Remembered
    from reverie.model.route import Trigger
    from reverie.model.views import Forgetting
    from reverie.reflection.reflection import Reflection, Standing

__all__ = [
    "Heard",
    "NothingAfterPhraseError",
    "detect",
    "hear",
    "phrases_at",
    "with_reflection",
]


class NothingAfterPhraseError(RefusedError):
    """A wish to remember does not say what."""

    def __init__(self, phrase: str) -> None:
        super().__init__(
            f'"{phrase}" does not say what to remember',
            hint='Say it in one sentence: "Remember that the key is in the shed."',
        )


@dataclass(frozen=True, slots=True)
class Heard:
    """What came of a message.

    Attributes:
        triggers: What it asks for, in order.
        remembered: What was stored.
        refused: What was not, and why.
        forgetting: What was found for each wish to forget, to be confirmed.
        questions: Ids of what the host agent has to answer first.
        reflection: Where reflection stands, if the message asks for one.
    """

    triggers: tuple[Trigger, ...]
    remembered: tuple[Remembered, ...] = ()
    refused: tuple[str, ...] = ()
    forgetting: tuple[Forgetting, ...] = ()
    questions: tuple[str, ...] = ()
    reflection: Standing | None = None


def phrases_at(
    root: Path,
    environ: Mapping[str, str],
    warn: Callable[[str], None] = lambda _: None,
) -> TriggersConfig:
    """The phrases of a workspace that is not open; the usual ones where it has none.

    Args:
        root: The workspace's folder.
        environ: Where overrides of the configuration come from.
        warn: Is told that the configuration is broken.
    """
    try:
        text = (root / layout.CONFIG).read_text(encoding="utf-8", errors="replace")
        return parse_config(text, layout.CONFIG, environ).triggers
    except OSError:
        return TriggersConfig()
    except ConfigError as error:
        warn(f"{error}; the usual phrases are used")
        return TriggersConfig()


def hear(
    triggers: tuple[Trigger, ...],
    remember: Callable[[Trigger], Remembered],
    find: Callable[[Trigger], Forgetting],
) -> Heard:
    """Carry out what can be carried out; nothing is forgotten without a second yes.

    Args:
        triggers: What a message asks for.
        remember: Stores what a trigger is about.
        find: Looks for what is to be forgotten.
    """
    stored: list[Remembered] = []
    refused: list[str] = []
    found: list[Forgetting] = []
    asked: list[str] = []
    for trigger in triggers:
        if trigger.target is not Target.MEMORY:
            continue
        try:
            if trigger.kind is TriggerKind.REMEMBER and not trigger.content:
                raise NothingAfterPhraseError(trigger.phrase)
            if trigger.kind is TriggerKind.REMEMBER:
                stored.append(remember(trigger))
            elif trigger.kind is TriggerKind.FORGET:
                found.append(find(trigger))
        except HostMustAnswerError as error:
            asked.append(error.question_id)
        except (RefusedError, UnavailableError) as error:
            refused.append(f"{error}. {error.hint}".strip())
    return Heard(triggers, tuple(stored), tuple(refused), tuple(found), tuple(asked))


def with_reflection(heard: Heard, reflection: Callable[[], Reflection]) -> Heard:
    """Begin a reflection where the message asks for one, and say where it stands.

    Args:
        heard: What came of the message so far.
        reflection: Gives the verbs of reflection; for who needs them.
    """
    asks = {trigger.kind for trigger in heard.triggers}
    if TriggerKind.SELF_IMAGE in asks:
        how = "the picture is drawn by `reverie reflect self-image`"
        return replace(heard, refused=(*heard.refused, how))
    if not asks & {TriggerKind.REFLECT, TriggerKind.REFLECT_SOFT}:
        return heard
    from reverie.reflection.cycle import occasion_of  # noqa: PLC0415 - rarely used

    verbs = reflection()
    occasion, standing = occasion_of(heard.triggers), verbs.status()
    quiet = not standing.waiting or standing.state == "deferred"
    if occasion is None or (occasion is Occasion.SOFT and quiet):
        return heard
    try:
        return replace(heard, reflection=verbs.begin(occasion))
    except RefusedError as error:
        told = f"{error}. {error.hint}".strip()
        return replace(heard, refused=(*heard.refused, told), reflection=standing)
