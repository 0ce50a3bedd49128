"""Changes that wait for the user: what they are asked, and what the agent is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie import Act
from reverie.encoding.proposal_updates import complete_steps
from reverie.markdown import tidy
from reverie.model.ids import Kind
from reverie.recall.context_block import harmless

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie import Memory, Remembered, Request

LATER = "later"
"""The answer of a user who was not asked, or decides another time."""

ANSWERED = frozenset({Act.DECIDE, Act.ACCEPT})
"""What an answer through the user's host decides, for what they were just shown."""

DECIDES = (
    "It waits for your human as #{0}. They decide in a terminal, with `reverie pending "
    "accept {0}` or `reverie pending reject {0}`, or on the page (`reverie up`)."
)

WHICH_IS_MEANT = (
    "It is not clear which is meant: call again with its id, or for a procedure with "
    "all of its steps, one on each line."
)


def complete_text(memory: Memory, id_: str, text: str) -> str:
    """Return what a correction leads to: with a step, all steps of its procedure."""
    name, _, number = id_.partition("#")
    if not name.startswith(f"{Kind.PROCEDURE}:") or not number.isdecimal():
        return text
    path = memory.show(name).path
    return complete_steps(memory.read_file(path), path, int(number), text)


def decide_at_once(
    memory: Memory, done: Remembered, text: str, answer: str
) -> list[str]:
    """Carry out the user's answer to a change that waits; what to tell the agent.

    They answered to the words they were shown: any others go on waiting.
    """
    if not done.waits:
        return [done.why_it_waits] if done.why_it_waits else []
    proposal = memory.proposal(done.waits)
    if answer == LATER or proposal.content != tidy(text):
        return [done.why_it_waits, DECIDES.format(done.waits)]
    with memory.again(human=allow_request) as user:
        if answer == "store":
            user.accept(proposal)
            return ["The user was asked, and agreed: it is stored."]
        user.reject(done.waits, reason="the user said no")
        return ["The user was asked, and said no: it is not stored."]


def render_question(asked: Sequence[str]) -> str:
    """Return the question to the user, with the complete texts; empty for nothing."""
    if not asked:
        return ""
    said = "\n\n".join(harmless(each) for each in asked)
    return f"Your agent wants to store this, and acts on it from then on:\n\n{said}"


def allow_request(request: Request) -> bool:
    """Return whether the answer that a host passed on decides an act."""
    return request.act in ANSWERED and not request.passphrase
