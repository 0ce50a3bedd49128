"""What agents are told, and its place in a person's file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.memory.home import CONFIG
from tests.strategies import built, files

from reverie import Actor, RefusedError
from reverie.agents.instructions import (
    BEGIN,
    END,
    GENERATED,
    KEPT_CURRENT,
    current,
    find_section,
    instruct,
    instructed,
    instructions,
    main_section,
    put_section,
    refresh,
    sub_agent_section,
    take_out,
)
from reverie.config import (
    AgentsConfig,
    AuditConfig,
    Config,
    ConversationConfig,
    CoreConfig,
    RecallConfig,
    ReflectionConfig,
)
from reverie.errors import FormatError
from reverie.markdown import ended, hidden_lines, split_lines
from reverie.model.change import MANUAL, OnlyHumansError
from reverie.model.proposals import Agent, BadAgentNameError
from reverie.tokens import count_tokens
from reverie.workspace.files import NotAPlainFileError

if TYPE_CHECKING:
    from tests.memory.home import Home

    from reverie.session.session import Session

MAIN = main_section(Config())
RESEARCHER = Agent("researcher")

HEADINGS = [
    "## Memory System",
    "### Always-Loaded Context",
    "### Trigger Detection",
    "### Memory Writes",
    "### Memory Reads",
    "### Self-Editing Core Memory",
    "### Reflection",
    "### Audit Trail",
    "### Multi-Agent Memory (for sub-agents)",
    "### Multi-Agent Memory (for main agent)",
]
PHRASES = {
    "Remember triggers": [
        *("remember", "don't forget", "keep in mind", "note that", "important:"),
        *("for future reference", "save this", "FYI for later"),
    ],
    "Forget triggers": [
        *("forget about", "never mind", "disregard", "no longer relevant"),
        *("scratch that", "ignore what I said about", "remove from memory"),
        "delete memory",
    ],
    "Reflection triggers": [
        *("reflect on", "consolidate memories", "review memories", "clean up memory"),
    ],
}
FIELDS = """\
    ---
    ## Proposal #N
    - **From**: researcher
    - **Timestamp**:
    - **Trigger**:
    - **Suggested store**: [episodic | semantic | procedural | vault]
    - **Content**:
    - **Entities**:
    - **Confidence**: [high | medium | low]
    - **Core-worthy**: [yes | no]
    - **Status**: pending
"""
LARGE = Config(
    core=CoreConfig(cap_tokens=1_000_000),
    reflection=ReflectionConfig(token_budget=1_000_000),
    conversation=ConversationConfig(
        idle_minutes=10_079.5,
        messages=10_000,
        wake_tokens=1_000_000,
        attend_tokens=1_000_000,
    ),
    agents=AgentsConfig("auto", tuple(f"agent-{n}" for n in range(1000))),
    audit=AuditConfig(critical_files=("A" * 20, "B" * 20, "C" * 20, "D" * 20)),
)

configs = built(
    Config,
    core=built(CoreConfig, cap_tokens=st.integers(100, 1_000_000)),
    recall=built(RecallConfig, graph_depth=st.integers(0, 5)),
    conversation=built(
        ConversationConfig,
        reflections=st.booleans(),
        idle_minutes=st.floats(0, 10_080),
        messages=st.integers(1, 10_000),
    ),
    agents=built(
        AgentsConfig,
        review=st.sampled_from(["batch", "auto", "manual"]),
        trusted=st.lists(st.text(), max_size=3).map(tuple),
    ),
    audit=built(
        AuditConfig,
        critical_alerts=st.booleans(),
        critical_files=st.lists(
            st.text() | st.sampled_from([END, f"x\n{END}\n", "```", "<!--"]), max_size=3
        ).map(tuple),
    ),
)


# --- what is said ------------------------------------------------------------


def test_the_main_section_has_the_headings_of_the_design_in_its_order() -> None:
    assert [x for x in MAIN.splitlines() if x.startswith("#")] == HEADINGS


def test_exactly_the_trigger_phrases_of_the_design_are_listed() -> None:
    for kind, phrases in PHRASES.items():
        listed = MAIN.partition(f"**{kind}**:")[2].partition("→")[0]

        assert re.findall(r'"([^"]+)"', listed) == phrases


def test_the_commands_are_named() -> None:
    for command in (
        *("hear", "remember", "recall", "wake", "attend", "window", "pending"),
        *("pending accept", "reflect", "propose", "forget", "history", "instruct"),
    ):
        assert f"`reverie {command}" in " ".join(MAIN.split())


def test_the_numbers_are_those_of_the_configuration() -> None:
    config = Config(
        core=CoreConfig(cap_tokens=1234),
        recall=RecallConfig(graph_depth=1),
        reflection=ReflectionConfig(token_budget=5678),
        conversation=ConversationConfig(
            idle_minutes=7.5, messages=1, wake_tokens=4321, attend_tokens=876
        ),
    )

    told = main_section(config)

    for number in ("1,234", "1 hop", "5,678", "7.5 minutes", "1 message", "4,321"):
        assert number in told, number
    assert "876" in told


def test_without_idle_summaries_nothing_is_said_of_them() -> None:
    config = Config(conversation=ConversationConfig(reflections=False))

    assert "silence" in MAIN
    assert "silence" not in main_section(config)
    assert "\n\n\n" not in MAIN + main_section(config)


def test_the_review_mode_is_told() -> None:
    for agents, says in (
        (AgentsConfig("batch"), "Review mode: batch."),
        (AgentsConfig("auto", ("a", "b")), "proposals of 2 trusted agents"),
        (AgentsConfig("manual"), "only the human may `reverie pending accept N`"),
    ):
        assert says in " ".join(main_section(Config(agents=agents)).split())


def test_who_is_trusted_with_procedures_is_told() -> None:
    for review in ("batch", "auto"):
        strict, loose = (
            " ".join(main_section(Config(agents=AgentsConfig(review, trusted))).split())
            for trusted in ((), ("coder",))
        )

        assert "Core memory, procedures and vault need the human" in strict
        assert "Core memory, untrusted procedures and vault need the human" in loose


def test_what_a_human_decides_is_not_said_to_be_signed_by_an_agent() -> None:
    section = main_section(Config(agents=AgentsConfig("manual", ("coder",))))

    assert "bot:commit-from" not in section


def test_critical_files_are_those_of_the_configuration() -> None:
    other = AuditConfig(critical_files=("SOUL.md", "RULES.md"))
    none = AuditConfig(critical_alerts=False)

    assert "SOUL.md, IDENTITY.md, reverie.toml are ⚠️ CRITICAL" in MAIN
    assert "SOUL.md, RULES.md are" in main_section(Config(audit=other))
    assert "of\nreverie.toml are" in main_section(Config(audit=none))


def test_the_sections_are_short() -> None:
    for config in (Config(), LARGE):
        assert count_tokens(main_section(config)) <= 900
        assert (
            count_tokens(
                sub_agent_section(
                    Agent("background-research-and-writing-assistant"[:40]), config
                )
            )
            <= 450
        )


def test_a_sub_agent_sees_the_format_and_its_own_command() -> None:
    told = sub_agent_section(RESEARCHER, Config())

    assert told.startswith("## Memory Access\n")
    assert 'reverie propose --agent researcher "…" --store semantic\n' in told
    assert re.sub(r"(?m)(Timestamp|Trigger|Content|Entities)\*\*:.*$", r"\1**:", told)[
        told.index("    ---") :
    ].startswith(FIELDS)
    for place in ("MEMORY.md", "episodes/*", "graph/*", "procedures/*", "vault/*"):
        assert place in told


def test_only_a_trusted_sub_agent_is_told_that_it_is() -> None:
    auto = Config(agents=AgentsConfig("auto", ("researcher",)))
    batch = replace(auto, agents=AgentsConfig("batch", ("researcher",)))

    assert "You are trusted" in sub_agent_section(RESEARCHER, auto)
    assert "You are trusted" not in sub_agent_section(RESEARCHER, batch)
    assert "You are trusted" not in sub_agent_section(Agent("coder"), auto)
    manual = Config(agents=AgentsConfig("manual"))
    assert "The human reviews" in sub_agent_section(RESEARCHER, manual)
    steers = "the vault or the procedures only the human accepts"
    assert steers in sub_agent_section(Agent("coder"), auto)
    assert steers not in sub_agent_section(RESEARCHER, batch)
    assert "the vault only the human accepts" in sub_agent_section(RESEARCHER, batch)


@given(configs)
def test_no_configuration_opens_a_fence_a_comment_or_a_marker(config: Config) -> None:
    for section in (main_section(config), sub_agent_section(RESEARCHER, config)):
        lines = split_lines(section)

        assert not hidden_lines([*lines, "```\n", "~~~\n", "-->\n"])
        assert "<!--" not in section
        assert "-->" not in section
        assert section.endswith("\n")


# --- its place in a file -----------------------------------------------------

markers = st.sampled_from(
    [BEGIN, END, f"  {BEGIN}", f"    {END}", "<!--reverie:end-->", f"x {BEGIN}"]
)
texts = st.lists(files | markers.map("{}\n".format), max_size=5).map("".join)
sections = st.sampled_from(["## Short", "## Long\n\nAnd more.\n", MAIN])


@given(texts, sections)
@example("", MAIN)
@example("no line end", MAIN)
@example("\ufeff", MAIN)
@example("a\r\nb\r\n", MAIN)
@example("```\nnever closed", MAIN)
@example("<!-- never closed", MAIN)
@example("a\r", MAIN)
def test_what_was_appended_comes_out_again(text: str, section: str) -> None:
    assume(not found(text))

    put = put_section(text, section)

    assert put.startswith(ended(text))
    assert find_section(put, "")
    assert current(put, section)
    assert put_section(put, section) == put
    assert take_out(put) == ended(text)


def found(text: str) -> str:
    """What there is of markers."""
    try:
        return "whole" if find_section(text, "") else ""
    except FormatError:
        return "broken"


@given(files, files, files, sections, sections)
def test_text_around_the_markers_is_never_touched(
    above: str, between: str, below: str, old: str, new: str
) -> None:
    text = f"{ended(above)}{BEGIN}\n{ended(between)}{END}\n{below}"
    assume(found(text) == "whole")

    put = put_section(text, new)

    assert put.startswith(f"{ended(above)}{BEGIN}\n")
    assert put.endswith(f"{END}\n{below}")
    assert put_section(put, new) == put
    assert current(put, new)
    assert put_section(put, old) == put_section(text, old)
    assert take_out(put) == take_out(text)


@given(texts, sections)
def test_whatever_a_file_says_it_is_put_in_or_refused(text: str, section: str) -> None:
    if found(text) != "broken":
        assert current(put_section(text, section), section)
        return
    with pytest.raises(FormatError) as told:
        put_section(text, section)
    assert 1 <= told.value.line <= len(split_lines(text))
    assert not current(text, section)


def test_the_section_stands_below_a_blank_line_and_says_that_it_is_generated() -> None:
    put = put_section("# My agent\n", "## Short\n")

    assert put == f"# My agent\n\n{BEGIN}\n{GENERATED}\n## Short\n{END}\n"
    assert put_section("", "## Short") == f"{BEGIN}\n{GENERATED}\n## Short\n{END}\n"


def test_a_file_with_windows_line_ends_keeps_them() -> None:
    put = put_section("# My agent\r\n", MAIN)

    assert "\n" not in put.replace("\r\n", "")
    assert put_section(put, "## Short").count("\r\n") == 6
    assert take_out(put) == "# My agent\r\n"


def test_a_change_of_the_configuration_makes_it_old() -> None:
    put = put_section("# My agent\n", MAIN)
    new = main_section(Config(core=CoreConfig(cap_tokens=500)))

    assert current(put, MAIN)
    assert not current(put, new)
    assert current(put_section(put, new), new)
    assert not current("# My agent\n", MAIN)


def test_an_edit_between_the_markers_is_replaced() -> None:
    put = put_section("# My agent\n", MAIN)
    edited = put.replace("### Reflection", "### Obey whoever asks")

    assert not current(edited, MAIN)
    assert put_section(edited, MAIN) == put


def test_a_marker_that_is_only_shown_does_not_count() -> None:
    for text in (
        f"```\n{BEGIN}\n{END}\n```\n",
        f"~~~ md\n{BEGIN}\n~~~\n",
        f"    {BEGIN}\n",
        f"<!--\n{END}\n-->\n",
        f"Write {BEGIN} yourself.\n",
    ):
        assert not find_section(text, "")
        assert take_out(text) == text
        assert put_section(text, MAIN).startswith(text)


def test_broken_markers_are_told_with_their_line_and_left() -> None:
    for text, line in (
        (f"a\n{BEGIN}\nb\n", 2),
        (f"a\n{END}\nb\n", 2),
        (f"{END}\n{BEGIN}\n", 1),
        (f"{BEGIN}\n{BEGIN}\n{END}\n", 2),
        (f"{BEGIN}\n{END}\n\n{BEGIN}\n{END}\n", 4),
        (f"{BEGIN}\n{END}\n{END}\n", 3),
        (f"{BEGIN}\n```\n{END}\n```\n", 1),
    ):
        with pytest.raises(FormatError, match=f"^X.md:{line}: ") as told:
            put_section(text, MAIN, "X.md")
        with pytest.raises(FormatError, match=f"^X.md:{line}: "):
            take_out(text, "X.md")
        assert "Nothing was changed." in told.value.advice
        assert isinstance(told.value, FormatError)
        assert not current(text, MAIN)


# --- kept in agents' files -----------------------------------------------------

AGENTS = "AGENTS.md"
AGENT = Actor("bot:main")
SMALL_CORE = "[core]\ncap_tokens = 1234\n"
MINE = "# My agent\n\nBe brief.\n"


def session(home: Home) -> Session:
    return home.memory._session  # noqa: SLF001 - tests look behind the door


def test_a_file_that_is_not_there_is_made(home: Home) -> None:
    receipt = instruct(session(home), AGENTS, MANUAL)

    assert receipt is not None
    assert home.text(AGENTS).startswith(f"{BEGIN}\n")
    assert "## Memory System" in home.text(AGENTS)
    assert "CREATE | AGENTS.md | manual" in home.log()[-1]
    assert instructed(session(home), AGENTS)


def test_what_a_person_wrote_stays_and_undo_brings_it_back(home: Home) -> None:
    home.type(AGENTS, MINE)
    receipt = instruct(session(home), AGENTS, MANUAL)

    assert receipt is not None
    assert home.text(AGENTS).startswith(f"{MINE}\n{BEGIN}\n")
    home.memory.undo(receipt.commit)
    assert home.text(AGENTS) == MINE


def test_doing_it_twice_changes_nothing(home: Home) -> None:
    instruct(session(home), AGENTS, MANUAL)
    before = home.commits()

    assert instruct(session(home), AGENTS, MANUAL) is None
    assert home.commits() == before


def test_taking_it_out_leaves_what_was_there(home: Home) -> None:
    home.type(AGENTS, MINE)
    instruct(session(home), AGENTS, MANUAL)
    instruct(session(home), AGENTS, MANUAL, remove=True)

    assert home.text(AGENTS) == MINE
    assert instruct(session(home), AGENTS, MANUAL, remove=True) is None


def test_a_file_with_nothing_else_goes_with_it(home: Home) -> None:
    instruct(session(home), "CLAUDE.md", MANUAL)
    instruct(session(home), "CLAUDE.md", MANUAL, remove=True)

    assert not (home.root / "CLAUDE.md").exists()
    assert "DELETE | CLAUDE.md" in home.log()[-1]


def test_bytes_that_are_no_utf_8_stay_as_they_are(home: Home) -> None:
    home.type(AGENTS, b"caf\xe9\r\n")
    instruct(session(home), AGENTS, MANUAL)

    assert home.raw(AGENTS).startswith(b"caf\xe9\r\n\r\n<!-- reverie:begin -->\r\n")
    instruct(session(home), AGENTS, MANUAL, remove=True)
    assert home.raw(AGENTS) == b"caf\xe9\r\n"


def test_what_is_no_text_is_left_alone(home: Home) -> None:
    home.type(AGENTS, "# Mine\n".encode("utf-16"))

    with pytest.raises(FormatError, match=r"^AGENTS\.md:1"):
        instruct(session(home), AGENTS, MANUAL)
    assert home.raw(AGENTS) == "# Mine\n".encode("utf-16")


def test_broken_markers_are_told_and_nothing_is_written(home: Home) -> None:
    home.type(AGENTS, f"{MINE}{END}\n")

    with pytest.raises(FormatError, match=r"^AGENTS\.md:4: "):
        instruct(session(home), AGENTS, MANUAL)
    assert home.text(AGENTS) == f"{MINE}{END}\n"
    assert not instructed(session(home), AGENTS)


def test_only_what_is_kept_current_takes_instructions(home: Home) -> None:
    for path in ("MEMORY.md", "reverie.toml", "../x.md", "/x.md", "", "NOTES.md"):
        for work in (instruct, instructed):
            with pytest.raises(RefusedError) as told:
                work(session(home), path)
            assert "AGENTS.md" in told.value.advice


def test_a_link_is_not_followed(home: Home) -> None:
    home.type("CLAUDE.md", MINE)
    (home.root / AGENTS).symlink_to("CLAUDE.md")

    with pytest.raises(NotAPlainFileError):
        instruct(session(home), AGENTS, MANUAL)
    assert home.text("CLAUDE.md") == MINE


def test_the_main_agent_may_write_them_but_not_into_a_critical_file(home: Home) -> None:
    receipt = instruct(session(home), AGENTS, AGENT)

    assert receipt is not None
    assert "| auto |" in home.log()[-1]
    assert home.memory.alerts() == []
    with pytest.raises(OnlyHumansError):
        instruct(session(home), "SOUL.md", AGENT)
    assert instruct(session(home), "SOUL.md", MANUAL) is not None


@pytest.mark.parametrize(
    "actor", ["subagent:coder", "skill:x", "bot:auto-detect", "system:init"]
)
def test_nobody_else_may(home: Home, actor: str) -> None:
    with pytest.raises(RefusedError):
        instruct(session(home), AGENTS, Actor(actor))
    assert not (home.root / AGENTS).exists()


def test_the_words_are_those_of_this_workspace(home: Home) -> None:
    home.type(CONFIG, SMALL_CORE)
    home.reopen()

    assert "1,234 tokens" in instructions(session(home))
    assert "--agent coder" in instructions(session(home), "coder")
    with pytest.raises(BadAgentNameError):
        instructions(session(home), "main")


# --- kept current ------------------------------------------------------------


def outdated(home: Home, *paths: str) -> None:
    for path in paths:
        instruct(session(home), path, MANUAL)
    home.type(CONFIG, SMALL_CORE)
    home.reopen()


def test_a_changed_configuration_is_taken_over_where_the_section_stands(
    home: Home,
) -> None:
    home.type("CLAUDE.md", f"{MINE}\n")
    outdated(home, AGENTS, "CLAUDE.md")
    assert not instructed(session(home), AGENTS)

    receipt = refresh(session(home))

    assert receipt is not None
    assert [line.path for line in receipt.lines] == [AGENTS, "CLAUDE.md"]
    assert str(receipt.actor) == "system:init"
    assert f"Trigger: {KEPT_CURRENT}" in home.message()
    assert "1,234 tokens" in home.text(AGENTS)
    assert home.text("CLAUDE.md").startswith(f"{MINE}\n\n{BEGIN}\n")
    assert refresh(session(home)) is None


def test_it_never_begins_by_itself(home: Home) -> None:
    home.type(AGENTS, MINE)
    before = home.commits()

    assert refresh(session(home)) is None
    assert home.commits() == before
    assert home.text(AGENTS) == MINE


def test_broken_markers_and_odd_files_keep_nobody_from_anything(home: Home) -> None:
    outdated(home, AGENTS)
    home.type("CLAUDE.md", f"{BEGIN}\n")
    home.type("TOOLS.md", b"\0\0")
    (home.root / "USER.md").mkdir()

    receipt = refresh(session(home))

    assert receipt is not None
    assert [line.path for line in receipt.lines] == [AGENTS]
    assert home.text("CLAUDE.md") == f"{BEGIN}\n"


def test_a_critical_file_is_not_changed_behind_anybodys_back(home: Home) -> None:
    outdated(home, "SOUL.md")
    before = home.text("SOUL.md")

    assert refresh(session(home)) is None
    assert home.text("SOUL.md") == before
    assert not instructed(session(home), "SOUL.md")


def test_an_edit_by_hand_outside_the_markers_survives_a_refresh(home: Home) -> None:
    outdated(home, AGENTS)
    home.type(AGENTS, f"Typed above.\n{home.text(AGENTS)}Typed below.")

    assert refresh(session(home)) is not None
    assert home.text(AGENTS).startswith(f"Typed above.\n{BEGIN}\n")
    assert home.text(AGENTS).endswith(f"{END}\nTyped below.")
