"""What agents are told about their memory, and the place of it in a person's file.

The words are templates, filled from the configuration, so that numbers and commands
are those of this workspace (003, §13.5 and §14). In a file they stand between two
markers:

    <!-- reverie:begin -->
    <!-- reverie:end -->

Each is a line of its own, outside code fences and comments. What is between them is
ours and may be replaced at any time; everything else is its owner's, byte for byte.
"""

from __future__ import annotations

import re
import textwrap
from contextlib import suppress
from importlib.resources import files
from typing import TYPE_CHECKING

from msgspec.structs import replace

from reverie.authority.authority import Act
from reverie.encoding.core_edits import QUOTED, agent_edits
from reverie.errors import ConflictError, FormatError, RefusedError, UnavailableError
from reverie.markdown import ended, hidden_lines, newlines_like, split_lines
from reverie.model.change import (
    INIT,
    Action,
    Approval,
    ChangeSet,
    Edit,
    OnlyHumansError,
    checksum,
)
from reverie.model.proposals import Agent
from reverie.workspace import layout
from reverie.workspace.files import DiskError, NotAPlainFileError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.config import Config
    from reverie.model.change import Actor, Receipt
    from reverie.session.session import Session

BEGIN, END = layout.INSTRUCTIONS_BEGIN, layout.INSTRUCTIONS_END
GENERATED = (
    "<!-- Generated: `reverie instruct --write` replaces all between these marks. -->"
)
USUAL = "AGENTS.md"
"""Where most agents look for what they are told."""

KEPT_CURRENT = "instructions kept current"

_MARKER = re.compile(r"\ufeff? {0,3}<!--[ \t]*reverie:(begin|end)[ \t]*-->[ \t\r\n]*")
_FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,19}")
"""What of a list that anybody may edit is surely the name of a file."""

_IDLE = """\
After {minutes} of silence and {messages} you may be asked to sum up the conversation
(`reverie window`).
"""
_PENDING = (
    "At session start decide on sub-agents' proposals: `reverie pending`, "
    "`reverie pending accept N` (signed `bot:commit-from:AGENT_NAME`), `reject N`, "
    "`defer N`, `resolve` contradictions. Core memory, {ways} and vault need the "
    "human. Review mode: "
)
_REVIEW = {
    "batch": f"{_PENDING}batch.",
    "auto": f"{_PENDING}auto; sure proposals of {{trusted}} pass without you.",
    "manual": "At session start tell the user what `reverie pending` lists. Review "
    "mode: manual; only the human may `reverie pending accept N`, `reject N`, "
    "`defer N` or `resolve`, which is signed `manual`.",
}
_CORE = '`reverie remember --store core "…"`'
_EDITS = {
    "quoted": f"{_CORE} applies at once as a sentence the user typed, word for word, "
    "if the host says so; else it waits.",
    "propose": f"{_CORE} waits for the human.",
    "allow": f"{_CORE} applies at once.",
}
_AT_ONCE = (
    "You are trusted: for episodic and semantic, what has confidence high and "
    "contradicts nothing is committed without a second look. All else the main agent "
    "reviews."
)


# --- what is said --------------------------------------------------------------


def main_section(config: Config) -> str:
    """The section of `AGENTS.md` for the main agent, true for this configuration."""
    talk, agents, audit = config.conversation, config.agents, config.audit
    idle = _IDLE.format(
        minutes=_counted(talk.idle_minutes, "minute"),
        messages=_counted(talk.messages, "message"),
    )
    review = _REVIEW[agents.review].format(
        trusted=_counted(len(agents.trusted), "trusted agent"),
        ways="untrusted procedures" if agents.trusted else "procedures",
    )
    listed = filter(_FILE.fullmatch, audit.critical_files * audit.critical_alerts)
    return _template("main").format(
        wake=f"{talk.wake_tokens:,}",
        attend=f"{talk.attend_tokens:,}",
        depth=_counted(config.recall.graph_depth, "hop"),
        cap=f"{config.core.cap_tokens:,}",
        budget=f"{config.reflection.token_budget:,}",
        idle=idle if talk.reflections else "",
        critical=", ".join([*listed][:3]) or "reverie.toml",
        review=_wrapped(review),
        edits=_wrapped(_EDITS[config.core.agent_edits or QUOTED]),
    )


def sub_agent_section(agent: Agent, config: Config) -> str:
    """What one sub-agent is told: what it reads, and that it only proposes."""
    review, trusted = config.agents.review, agent.name in config.agents.trusted
    who = "human" if review == "manual" else "main agent"
    usual = f"The {who} reviews it; until then it is no memory."
    ways = "" if trusted else " or the procedures"
    steers = f"What you propose for the vault{ways} only the human accepts.\n"
    return _template("sub-agent").format(
        name=agent.name,
        decides=_wrapped(_AT_ONCE) if review == "auto" and trusted else usual,
        steers="" if review == "manual" else steers,
    )


def _template(name: str) -> str:
    path = files("reverie.agents") / "instructions" / f"{name}.md"
    return path.read_text("utf-8")


def _counted(count: float, one: str) -> str:
    return f"{count:,g} {one}" if count == 1 else f"{count:,g} {one}s"


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 88, break_long_words=False, break_on_hyphens=False)


# --- between the markers -------------------------------------------------------


def put_section(
    text: str, section: str, path: str = USUAL, note: str = GENERATED
) -> str:
    """A file's text with the section in it, and nothing else changed.

    It replaces what is between the markers. Without any it goes to the end, below one
    blank line; a last line that was not closed gets its line end.

    Args:
        text: All of the file.
        section: Ours; it opens and closes no code fence and no comment, so it changes
            nothing of what the lines around it mean.
        path: What the file is called, for the error.
        note: A comment that tells its reader what brings it up to date.

    Raises:
        FormatError: The markers do not enclose one section; nothing is changed.
    """
    lines, found = split_lines(text), find_section(text, path)
    inner = f"{note}\n{section.rstrip()}\n"
    if found is None:
        blank = "\n" if text else ""
        return ended(text) + newlines_like(text, f"{blank}{BEGIN}\n{inner}{END}\n")
    begin, end = found
    fresh = newlines_like(lines[begin], inner)
    return "".join((*lines[: begin + 1], fresh, *lines[end:]))


def current(text: str, section: str) -> bool:
    """Whether the section stands in a file's text as it would be written now."""
    with suppress(FormatError):
        there = find_section(text, "") is not None
        return there and put_section(text, section) == text
    return False


def take_out(text: str, path: str = USUAL) -> str:
    """A file's text without the section, its markers and the blank line above them.

    After `put_section` had appended it, this gives the text as it was, but for the
    line end of a last line that had none.

    Raises:
        FormatError: The markers do not enclose one section; nothing is changed.
    """
    lines, found = split_lines(text), find_section(text, path)
    if found is None:
        return text
    begin, end = found
    above = begin - 1 if begin and not lines[begin - 1].strip("\r\n") else begin
    return "".join((*lines[:above], *lines[end + 1 :]))


def find_section(text: str, path: str) -> tuple[int, int] | None:
    """The lines of both markers, counted from 0; None where there are none.

    Raises:
        FormatError: There are markers that do not enclose one section.
    """
    lines = split_lines(text)
    found = {
        n: match[1]
        for n, line in enumerate(lines)
        if "reverie:" in line and (match := _MARKER.fullmatch(line))
    }
    hidden = hidden_lines(lines) if found else frozenset()
    marks = [(n, kind) for n, kind in found.items() if n not in hidden]
    if not marks:
        return None
    kinds = [kind for _, kind in marks]
    if kinds == ["begin", "end"]:
        return marks[0][0], marks[1][0]
    # The first that is out of turn, or one that stands alone.
    pairs = zip(kinds, ("begin", "end"), strict=False)
    wrong = next((n for n, (kind, due) in enumerate(pairs) if kind != due), 2)
    wrong = min(wrong, len(marks) - 1)
    what = f"this marker is not one of a pair {BEGIN} … {END}"
    hint = "Keep one pair, each on a line of its own. Nothing was changed."
    raise FormatError(path, marks[wrong][0] + 1, what, hint=hint)


# --- kept in agents' files -----------------------------------------------------


def instructions(session: Session, agent: str = "") -> str:
    """The instructions as they would be written now.

    Args:
        session: The workspace.
        agent: The sub-agent that they are for; the main agent without one.
    """
    if agent:
        return sub_agent_section(Agent(agent), session.config)
    config = session.config
    core = replace(config.core, agent_edits=agent_edits(session))
    return main_section(replace(config, core=core))


def instructed(session: Session, path: str = USUAL) -> bool:
    """Whether a file has the instructions as they would be written now."""
    _require_fitting(path)
    session.look()
    return current(_text(session.ledger.read(path), path), instructions(session))


def instruct(
    session: Session,
    path: str = USUAL,
    actor: Actor | None = None,
    *,
    remove: bool = False,
) -> Receipt | None:
    """Put the instructions for the main agent into a file, or take them out.

    All that is outside their markers stays as it is. A file that has nothing else in
    it goes with them.

    Args:
        session: The workspace.
        path: One of the files that agents read at every start.
        actor: Who acts: a human or the main agent; for critical files a human, but
            for `AGENTS.md` and its like, where our own section is nobody else's. None
            for who is there.
        remove: Whether to take them out.

    Returns:
        Proof of it; None if there was nothing to do.

    Raises:
        FormatError: Its markers do not enclose one section.
    """
    _require_fitting(path)

    def attempt(who: Actor) -> Receipt | None:
        if not who.human and (who.tag != "bot:main" or _guarded(session, path)):
            raise OnlyHumansError(who)
        return session.persist("instructions", lambda: written(who))

    def written(who: Actor) -> Receipt | None:
        session.look()
        edit = _edit(session, path, remove=remove)
        if edit is None:
            return None
        own = frozenset({edit.path} & {*layout.FOR_INSTRUCTIONS})
        change = ChangeSet((edit,), who, who.approval, "reverie instruct", own=own)
        return session.commit(change, allowed=True)

    what = f"{'take out' if remove else 'write'} the instructions in {path}"
    return session.authority.within(Act.SIGN, what, attempt, actor)


def refresh(session: Session) -> Receipt | None:
    """Bring instructions that stand somewhere already up to the configuration.

    Only between markers that a person or an agent has put there, of critical files
    only in `AGENTS.md` and its like, and never at a price: what cannot be written now
    stays as it is.
    """
    if not any(_outdated(session)):
        return None

    def attempt() -> Receipt | None:
        session.look()
        edits = tuple(_outdated(session))
        own = frozenset(edit.path for edit in edits)
        change = ChangeSet(edits, INIT, Approval.AUTO, KEPT_CURRENT, own=own)
        return session.commit(change) if edits else None

    with suppress(UnavailableError, ConflictError):
        return session.persist("instructions", attempt)
    return None


def _outdated(session: Session) -> Iterator[Edit]:
    for path in layout.BOOT_FILES:
        # A slip in a person's file is told to who writes to it, not to everybody.
        with suppress(FormatError, NotAPlainFileError, DiskError):
            text = _text(session.ledger.read(path), path)
            ours = not _guarded(session, path) and find_section(text, path) is not None
            if ours and (edit := _edit(session, path)):
                yield edit


def _guarded(session: Session, path: str) -> bool:
    """Whether not even our own section of a file is changed without its human.

    `AGENTS.md` and its like are critical too, but for that section: they are made
    for it.
    """
    made_for_it = path in layout.FOR_INSTRUCTIONS
    return session.ledger.critical(path) and not made_for_it


def _edit(session: Session, path: str, *, remove: bool = False) -> Edit | None:
    """What is to be done to a file; None if it is as it should be."""
    old = session.ledger.read(path)
    text = _text(old, path)
    section = instructions(session)
    new = take_out(text, path) if remove else put_section(text, section, path)
    if new == text:
        return None
    why = "instructions taken out" if remove else "instructions for the main agent"
    if remove and not new.strip("\ufeff\r\n"):
        why += ", nothing else was in it"
        return Edit(path, None, checksum(old), Action.DELETE, why)
    action = Action.CREATE if old is None else Action.EDIT
    data = new.encode("utf-8", "surrogateescape")
    return Edit(path, data, checksum(old), action, why)


def _require_fitting(path: str) -> None:
    if path not in layout.BOOT_FILES:  # Only these are kept current.
        names = ", ".join(layout.BOOT_FILES)
        hint = f"Name one of those that agents read at every start: {names}."
        what = f"instructions do not go into {path!r}"
        raise RefusedError(what, hint=hint)


def _text(data: bytes | None, path: str) -> str:
    """A file's text; bytes that are no UTF-8 come back as they were."""
    if data and b"\0" in data:
        hint = "Save it as UTF-8, then try again. Nothing was changed."
        raise FormatError(path, 1, "is not UTF-8 text", hint=hint)
    return (data or b"").decode("utf-8", "surrogateescape")
