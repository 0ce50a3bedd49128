"""What a chat says besides the conversation: how it begins, what memory did."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.interfaces.cli.page import (
    BLANK,
    Grid,
    Span,
    Style,
    counted,
    paragraph,
    row,
)
from reverie.interfaces.cli.standing import told_standing
from reverie.recall.context_block import CLOSING, OPENING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reverie.interfaces.cli.page import Page
    from reverie.memory import Memory
    from reverie.memory.hearing import Heard
    from reverie.model.change import Remembered
    from reverie.model.conversation import Attended

OFFERED = "A summary of this conversation is due; /summary prints the prompt for it."

REFLECTING = "AI is reflecting…"

_CALM = frozenset({"idle", "recorded", "deferred"})


def told_start(memory: Memory, window: str, model: str) -> Page:
    """The first screen: where this is, who answers, what waits, how to leave."""
    kept = sum(memory.overview().counts.values())
    rows = (
        (Span("workspace", Style.FAINT), Span(str(memory.root), Style.PATH)),
        (Span("conversation", Style.FAINT), Span(window, Style.ID)),
        (Span("model", Style.FAINT), Span(model or "none")),
        (Span("memory", Style.FAINT), Span(counted(kept, "entry", "entries"))),
    )
    page: Page = [Grid((), rows), BLANK]
    page += [] if model else [*told_no_model(), BLANK]
    news = [row(Span(line, Style.WARN)) for line in _news(memory)]
    page += [*news, BLANK] if news else []
    leave = "/help lists what you can do. /quit or Ctrl-D leaves."
    return [*page, row(Span(leave, Style.FAINT)), BLANK]


def told_no_model() -> Page:
    """What works without a model, what does not, and how to get one."""
    return [
        row(Span("No model is configured, so nobody answers you here.", Style.WARN)),
        row("What you say is recorded, and what fits it is shown from memory."),
        row('"Remember that …" and "Forget …" work, and so does every /command.'),
        row("Answers and summaries need a model; name one in reverie.toml:"),
        *(
            row(Span(line, Style.ID), indent=2)
            for line in ("[mind]", 'kind = "api"', 'url = "…"', 'model = "…"')
        ),
    ]


def _news(memory: Memory) -> Iterator[str]:
    """What its human should know of, a line each."""
    if alerts := len(memory.alerts()):
        files = counted(
            alerts, "change of a critical file", "changes of critical files"
        )
        yield f"{files} to look at: /alerts"
    if waiting := len(memory.pending()):
        yield f"{counted(waiting, 'proposal')} waiting for your yes: /pending"
    standing = memory.reflection.status()
    if standing.state not in _CALM:
        yield f"Reflection #{standing.number} is {standing.state}: /reflect"
    elif occasion := memory.reflection.offer():
        yield f"A reflection is due ({occasion}): /reflect"


def told_heard(heard: Heard) -> Page:
    """What memory did with a message; a wish to forget is asked about elsewhere."""
    page: Page = [row(Span(_remembered(r), Style.FAINT)) for r in heard.remembered]
    for refusal in heard.refused:
        page.append(row(Span("Not done: ", Style.WARN), refusal))
    for id_ in heard.questions:
        words = "Not done yet, the host agent has to answer: "
        page.append(row(Span(words, Style.WARN), Span(id_, Style.ID)))
    if heard.reflection:
        more = "`reverie reflect`, or /reflect here, goes on with it."
        if heard.reflection.state == "asked":
            more = "Or type the answer here: now, later, no, 4h."
        page += [*told_standing(heard.reflection), row(Span(more, Style.FAINT))]
    return page


def _remembered(receipt: Remembered) -> str:
    ids = ", ".join(receipt.ids)
    parts = [
        f"Remembered: {ids}" if receipt.lines else f"Known already: {ids}",
        *(f"no longer holds: {old.id}" for old in receipt.superseded),
        *(f"it contradicts {other.id}" for other in receipt.contradicts),
        f"near: {', '.join(n.id for n in receipt.near)}" if receipt.near else "",
        *(f"perhaps the same as {doubt}" for doubt in receipt.doubts),
        *(f"redacted: {kind}" for kind in receipt.redacted),
        "kept as it is until the model answers" if receipt.unrouted else "",
        f"it waits for your yes: /accept {receipt.waits}" if receipt.waits else "",
    ]
    return " · ".join(filter(None, parts))


def told_from_memory(attended: Attended) -> Page:
    """What memory has for a message, said to be that and no answer."""
    if not attended.ids:
        return [row(Span("Nothing in memory fits this.", Style.FAINT))]
    lines = attended.memories.split("\n")
    said = [line for line in lines if line and not line.startswith(("<!--", "##"))]
    head = row(Span("From memory, not from a model:", Style.TITLE))
    return [head, *paragraph("\n".join(said))]


def note_for_model(heard: Heard, forgotten: Sequence[str]) -> str:
    """What memory did with a message, as its agent is told it; empty for nothing."""
    lines = [
        *(f"- Remembered: {', '.join(each.ids)}" for each in heard.remembered),
        *("- Not remembered: it was refused" for _ in heard.refused),
        *(f"- Forgotten: {id_}" for id_ in forgotten),
    ]
    if heard.forgetting and not forgotten:
        lines.append("- Nothing was forgotten")
    if not lines:
        return ""
    head = "## What memory did with this message"
    return "\n".join((OPENING, head, "", *lines, CLOSING))
