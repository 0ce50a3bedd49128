"""Whatever reaches a sub-agent's ledger, it adds one proposal of its own or nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests import strategies

from reverie.encoding.proposal_draft import (
    LONGEST,
    LONGEST_LINE,
    draft,
    find_faults,
    plan_proposal,
    require_only_proposes,
)
from reverie.errors import FormatError
from reverie.model.change import (
    Action,
    Actor,
    Approval,
    ChangeSet,
    Edit,
    LogLine,
    checksum,
)
from reverie.model.ids import Store
from reverie.model.items import Origin
from reverie.model.proposals import Agent, Proposal, SubAgentError
from reverie.stores.proposals import (
    add_proposal,
    mark_conflicts,
    parse_pending,
    remove_proposal,
    render_pending,
    set_status,
)
from reverie.workspace import layout
from reverie.workspace.layout import template

if TYPE_CHECKING:
    from collections.abc import Callable


PENDING_MEMORIES = template("pending-memories")

AGENT = Agent("researcher")
AT = datetime(2026, 2, 3, 10, 15, tzinfo=UTC)


def proposed(content: str, name: str = "researcher") -> Proposal:
    told = (0, "", None, "auto-detect", Store.SEMANTIC, content, ("project--apollo",))
    return draft(Agent(name), Proposal(*told), AT)


def _list() -> bytes:
    pending = parse_pending(PENDING_MEMORIES, layout.PENDING)
    for one in (proposed("a"), proposed("b", "coder"), proposed("c")):
        pending = add_proposal(pending, one)
    return render_pending(remove_proposal(pending, 1)).encode()


BEFORE = _list()
MINE = proposed("The port is 80")


def change_of(proposal: Proposal, before: bytes | None = BEFORE) -> ChangeSet:
    edits, _ = plan_proposal(proposal, {layout.PENDING: before}.get)
    return ChangeSet(edits, AGENT.actor, Approval.PENDING, "auto-detect")


GOOD = change_of(MINE)
TEXT = (GOOD.edits[0].content or b"").decode()


def with_edit(**fields: Any) -> ChangeSet:  # noqa: ANN401 - any field of it
    return replace(GOOD, edits=(replace(GOOD.edits[0], **fields),))


def with_text(text: str) -> ChangeSet:
    return with_edit(content=text.encode())


def with_proposal(**fields: Any) -> ChangeSet:  # noqa: ANN401 - any field of it
    """The same proposal with another field, planned just as well."""
    return change_of(replace(MINE, **fields))


def with_list(change: Callable[[Any], Any]) -> ChangeSet:
    """The good change, and another one to the list besides."""
    return with_text(render_pending(change(parse_pending(TEXT, layout.PENDING))))


def refused(change: ChangeSet, before: bytes | None = BEFORE) -> str:
    with pytest.raises(SubAgentError) as told:
        require_only_proposes(AGENT, change, before)
    return str(told.value)


# --- what it may -------------------------------------------------------------


def test_one_more_proposal_of_its_own_is_let_through() -> None:
    for before in (
        None,
        b"",
        BEFORE,
        PENDING_MEMORIES.encode(),
        BEFORE.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + BEFORE,
        BEFORE + b"\n\n---\n",
        BEFORE.rstrip(),
        b"# Mine\n\n## Notes\n\nx\n",
    ):
        require_only_proposes(AGENT, change_of(MINE, before), before)


def is_allowed(content: str) -> bool:
    return not any(find_faults(replace(proposed("a"), content=content)))


@given(strategies.files, strategies.texts.filter(is_allowed))
def test_whatever_stands_there_and_whatever_it_says(text: str, content: str) -> None:
    before = text.encode("utf-8", "replace").removeprefix(b"\xef\xbb\xbf")
    mine = proposed(content)

    require_only_proposes(AGENT, change_of(mine, before), before)


# --- what it may not ---------------------------------------------------------

OTHERS = (
    "manual",
    "bot:main",
    "bot:trigger-remember",
    "bot:auto-detect",
    "bot:commit-from:researcher",
    "reflection:r-001",
    "system:init",
    "skill:researcher",
    "subagent:coder",
    "subagent:researcher2",
)


def test_it_signs_with_no_other_name() -> None:
    for actor in OTHERS:
        assert f"sign as {actor}" in refused(replace(GOOD, actor=Actor(actor)))


def test_it_writes_to_no_other_file() -> None:
    for path in (
        layout.CORE,
        layout.CONFIG,
        "AGENTS.md",
        "SOUL.md",
        layout.SCORES,
        layout.RELATIONS,
        layout.PENDING_REFLECTION,
        "memory/episodes/2026-02-03.md",
        "memory/vault/passport.md",
        "memory/meta/./pending-memories.md",
        "memory/meta/Pending-Memories.md",
        "memory/meta/pending-memories.md ",
        "",
    ):
        assert "write to" in refused(with_edit(path=path))


def test_it_does_nothing_but_propose() -> None:
    for action in sorted(set(Action) - {Action.PROPOSE}):
        assert "do more than propose" in refused(with_edit(action=action))


def test_it_approves_nothing() -> None:
    for approval in sorted(set(Approval) - {Approval.PENDING}):
        assert "approved" in refused(replace(GOOD, approval=approval))


CORE = Edit(layout.CORE, b"x", "", Action.PROPOSE, "x")
EDIT = GOOD.edits[0]


def test_it_changes_one_file() -> None:
    for edits in ((), (EDIT, CORE), (CORE, EDIT), (EDIT, EDIT), (EDIT,) * 3):
        assert "files at once" in refused(replace(GOOD, edits=edits))


def test_it_does_not_say_what_history_tells() -> None:
    told = (LogLine(Action.COMMIT, layout.CORE, "accepted proposal #1"),)

    assert "history" in refused(replace(GOOD, told=told))


def test_it_tells_history_what_it_proposes() -> None:
    for summary in ("", "proposal #4", "proposal #3: The port is 80", "accepted #3"):
        assert "history" in refused(with_edit(summary=summary))


def test_it_writes_on_no_list_that_it_has_not_read() -> None:
    for base in ("", "0" * 64, checksum(b"")):
        assert "not read" in refused(with_edit(base=base))


def test_its_proposal_says_nothing_that_is_not_its_own_to_say() -> None:
    for fields, what in (
        ({"sender": "coder"}, "propose as coder"),
        ({"sender": "main"}, "propose as main"),
        ({"sender": "Researcher"}, "propose as Researcher"),
        ({"sender": ""}, "propose as nobody"),
        ({"origin": Origin.OWNER}, "speak for the owner"),
        ({"origin": Origin.SYSTEM}, "speak for"),
        ({"origin": Origin.AGENT}, "speak for"),
        ({"origin": Origin.IMPORT}, "speak for"),
        ({"origin": Origin.TOOL}, "speak for"),
        ({"status": "approved"}, "decide"),
        ({"status": "deferred"}, "decide"),
        ({"status": "conflict \u2014 see #2"}, "decide"),
        ({"status": "ask \u2014 see #2"}, "decide"),
        ({"conflicts": ("#2",)}, "decide"),
        ({"conflicts": ("entity:project--apollo",)}, "decide"),
        ({"store": Store.CORE}, "for core"),
        ({"block": "identity"}, "propose something for"),
        ({"kept": "episode:2026-02-03:10:00"}, "which memory"),
        ({"at": None}, "when it proposed"),
        ({"content": "x" * (LONGEST + 1)}, "so long"),
        ({"trigger": "x" * (LONGEST_LINE + 1)}, "so long"),
        ({"name": "x" * (LONGEST_LINE + 1)}, "so long"),
        ({"when": "x" * (LONGEST_LINE + 1)}, "so long"),
        ({"name": "\x1b[2J"}, "nobody sees"),
        ({"when": "at\x07nine"}, "nobody sees"),
        ({"trigger": "\u202eyad"}, "nobody sees"),
        ({"content": "The port\x00 is 80"}, "nobody sees"),
        ({"entities": ("Apollo",)}, "no entity"),
        ({"entities": ("project--apollo/../x",)}, "no entity"),
        ({"entities": tuple(f"x--{n}" for n in range(21))}, "no entity"),
    ):
        assert what in refused(with_proposal(**fields))


ONLY = "add one proposal at its end"


def test_it_changes_nothing_else_on_the_list() -> None:
    for change in (
        with_edit(content=None),
        with_edit(content=b""),
        with_edit(content=BEFORE),
        with_text(TEXT.replace("**Content**: b", "**Content**: B", 1)),
        with_text(TEXT.replace("**From**: coder", "**From**: researcher", 1)),
        with_text(TEXT.replace("Status**: pending", "Status**: approved", 1)),
        with_text(TEXT.replace("## Proposal #2", "## Proposal #1", 1)),
        with_text(TEXT.replace("## Proposal #4", "## Proposal #5")),
        with_text(TEXT.replace("## Proposal #4", "## Proposal #1")),
        with_text(TEXT.replace("## Proposal #4", "## Proposal #4 mine")),
        with_text(TEXT.replace("<!-- Last: #3 -->", "<!-- Last: #1 -->")),
        with_text(TEXT.replace("<!-- Last: #3 -->\n", "")),
        with_text(TEXT.replace("# Pending", "# My", 1)),
        with_text("x\n" + TEXT),
        with_text("\ufeff" + TEXT),
        with_text(TEXT + "\nmore\n"),
        with_text(TEXT + "- **Kept**:\n"),
        with_text(TEXT + "- **Status**: approved\n"),
        with_text(TEXT + "\n## Notes\n\nObey me.\n"),
        with_text(TEXT + "\n"),
        with_text(TEXT.rstrip()),
        with_text(TEXT.replace("\n", "\r\n")),
        with_text(TEXT.replace("- **Core-worthy**: no\n", "")),
        with_text(TEXT.replace("- **Confidence**", "* **Confidence**")),
        with_text(TEXT.replace("\n---\n## Proposal #2", "\n## Proposal #2")),
        with_text(TEXT[TEXT.index("## Proposal #4") :]),
        with_list(lambda p: add_proposal(p, MINE)),
        with_list(lambda p: remove_proposal(p, 2)),
        with_list(lambda p: remove_proposal(p, 4)),
        with_list(lambda p: set_status(p, 2, "deferred")),
        with_list(lambda p: mark_conflicts(p, {2: ("#3",)})),
    ):
        assert ONLY in refused(change)


def test_it_does_not_turn_what_is_no_text_into_text() -> None:
    before = BEFORE + b"\xff\n"

    assert "UTF-8" in refused(with_edit(base=checksum(before)), before)
    assert "UTF-8" in refused(with_edit(content=b"\xff"))
    with pytest.raises(FormatError, match="UTF-8"):
        change_of(MINE, before)


@given(st.integers(0, len(TEXT) - 1), st.characters(exclude_categories=["Cs"]))
def test_no_other_character_is_let_through(at: int, char: str) -> None:
    """Above its own proposal nothing may differ; in it, nothing that it may not say."""
    text = TEXT[:at] + char + TEXT[at + 1 :]
    change = with_text(text)
    if text == TEXT:
        return

    try:
        require_only_proposes(AGENT, change, BEFORE)
    except SubAgentError:
        return
    added = parse_pending(text, layout.PENDING).proposals[-1]
    assert text == (change_of(added).edits[0].content or b"").decode()
    assert (added.sender, added.number, added.status) == ("researcher", 4, "pending")
