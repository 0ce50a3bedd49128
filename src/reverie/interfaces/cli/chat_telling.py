"""What a chat says besides the conversation: how it begins, what memory did."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.errors import ReverieError
from reverie.interfaces.cli.page import BLANK, Grid, Span, Style, counted, row
from reverie.interfaces.cli.standing import told_standing
from reverie.recall.block import CLOSING, OPENING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reverie.interfaces.cli.page import Page
    from reverie.memory import Memory
    from reverie.memory.hearing import Heard
    from reverie.model.forgetting import Forgetting, Match
    from reverie.model.remembered import Remembered

_CALM = frozenset({"idle", "recorded", "deferred"})

ALL = (["all"], ["yes"], ["y"])
NONE = ([], ["no"], ["n"], ["none"])


def told_start(memory: Memory, window: str, model: str) -> Page:
    """The first screen: where this is, who answers, what waits, how to leave."""
    kept = sum(memory.overview().counts.values())
    rows = (
        (Span("workspace", Style.FAINT), Span(str(memory.root), Style.PATH)),
        (Span("conversation", Style.FAINT), Span(window, Style.ID)),
        (Span("model", Style.FAINT), Span(model or "none")),
        (Span("remembered", Style.FAINT), Span(counted(kept, "thing"))),
    )
    page: Page = [Grid((), rows), BLANK]
    page += [] if model else [*told_no_model(), BLANK]
    news = list(_news(memory))
    page += [*news, BLANK] if news else []
    leave = "/help lists what you can do, /quit or Ctrl-D leaves."
    return [*page, row(Span(leave, Style.FAINT))]


def told_no_model() -> Page:
    """What works without a model, what does not, and how to get one."""
    return [
        row(Span("No model is configured, so nobody answers you here.", Style.WARN)),
        row("What you say is recorded, and what fits it is shown from memory."),
        row('"Remember that …" and "forget …" work, and so does every /command.'),
        row("There are no answers, and no summaries. For both, in reverie.toml:"),
        row(Span('[mind]  kind = "api"  url = "…"  model = "…"', Style.ID), indent=2),
    ]


def _news(memory: Memory) -> Iterator[Span]:
    """What its human should know of, a line each."""
    yield from ()


def told_news(memory: Memory) -> Page:
    """What waits for its human: alerts, proposals, a reflection."""
    lines: list[str] = []
    if alerts := len(memory.alerts()):
        files = counted(alerts, "critical change")
        lines.append(f"{files} to look at: /alerts")
    if waiting := len(memory.pending()):
        lines.append(f"{counted(waiting, 'proposal')} waiting for your yes: /pending")
    lines += _told_reflection(memory)
    return [row(Span(line, Style.WARN)) for line in lines]
