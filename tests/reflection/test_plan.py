"""Operations are planned as edits."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.reflection.sites import (
    ALEX,
    ALEX_PAGE,
    CORE,
    DEPLOY,
    FADED,
    GONE,
    KEPT,
    NOW,
    PINNED,
    Workspace,
    made,
)
from tests.strategies import built
from tests.strategies import files as texts

from reverie.config import Config
from reverie.markdown import one_line
from reverie.model.change import ABSENT, Action, checksum
from reverie.model.items import CoreItem, Origin, Source
from reverie.model.reflection import Operation, OperationKind
from reverie.reflection.entity_edits import ToldFact, diff_texts, read_news
from reverie.reflection.plan import (
    Planned,
    changed_lines,
    plan_operations,
)
from reverie.stores import core, entities
from reverie.workspace import layout

NEW = f"{layout.ENTITIES}/place--porto.md"


def plan(*operations: Operation, workspace: Workspace | None = None) -> Planned:
    return plan_operations(operations, (workspace or Workspace()).site)


def after(planned: Planned, path: str = layout.CORE) -> str:
    (found,) = (edit for edit in planned.edits if edit.path == path)
    assert found.content is not None
    return found.content.decode()


def why(planned: Planned) -> str:
    assert planned.edits == ()
    assert planned.steps == ()
    (refused,) = planned.refused
    return refused.why


# --- EXTRACT -------------------------------------------------------------------


def test_facts_are_added_and_nothing_else_changes() -> None:
    planned = plan(made("EXTRACT", "person--alex", "- Plays chess\n- drinks  TEA"))

    page = entities.parse_entity(after(planned, ALEX), ALEX).entity
    assert [fact.text for fact in page.facts] == [
        "Lives in Lisbon",
        "Drinks tea",
        "Plays chess",
    ]
    assert page.facts[-1].source == Source.REFLECTION
    assert page.facts[-1].since == NOW.date()
    assert page.updated == NOW.date()
    lines = after(planned, ALEX).split("\n")
    kept = [line for line in ALEX_PAGE.split("\n") if "Last updated" not in line]
    assert [line for line in lines if line in kept] == kept


def test_an_extracted_fact_names_the_episodes_behind_it() -> None:
    first, second = "episode:2026-02-01:10:00", "turn:rome/1/user/0"
    operation = made("EXTRACT", "person--alex", "Plays chess")

    told = replace(
        operation, reason=f"Told twice ({first}, {second}, episode:1999-01-01)."
    )
    site = replace(Workspace().site, find={first: 1, second: 2}.get)
    planned = plan_operations([told], site)

    page = entities.parse_entity(after(planned, ALEX), ALEX).entity
    assert page.facts[-1].basis == f"{first} {second}"


def test_a_flag_that_quotes_two_facts_asks_in_the_form_that_can_be_settled() -> None:
    said = "“Lives in Lisbon” (2026-01-01) or “drinks tea”? Which one holds?"

    planned = plan(made("FLAG", "person--alex", said))

    (asked,) = entities.parse_entity(after(planned, ALEX), ALEX).entity.questions
    assert entities.asked_about(asked) == tuple(
        entities.fact_id("person--alex", text)
        for text in ("Lives in Lisbon", "Drinks tea")
    )


def test_a_whole_page_adds_what_is_new_on_it() -> None:
    content = """\
# person--alex

<!-- Type: person | Aliases: Lex | Pinned: yes | Source: user-explicit -->

## Summary
A carpenter.

## Facts
- Lives in Lisbon <!-- source: user-explicit | by: owner -->
- Plays chess <!-- source: user-explicit | by: owner | since: 2026-02-01 -->
- ~~Hates tea~~ <!-- until: 2026-01-01 -->

## Timeline
- 2026-02-02: Moved house

## Open Questions
- Which street?

## Relations
- Uses: [[tool--git]], [[tool--saw]]
"""
    planned = plan(made("EXTRACT", ALEX, content))

    page = entities.parse_entity(after(planned, ALEX), ALEX).entity
    assert page.summary == "A carpenter."
    assert [fact.text for fact in page.facts][2:] == ["Plays chess"]
    assert (page.facts[2].source, page.facts[2].by) == ("reflection", "")
    assert [text for _, text in page.timeline] == ["Moved house"]
    assert page.questions == ("Which street?",)
    assert page.aliases == ("Lex",)
    assert [link.targets for link in page.links] == [("tool--git",), ("tool--saw",)]
    assert page.links[1].since == NOW.date()
    assert not page.pinned


def test_a_new_page_is_made_by_the_reflection() -> None:
    planned = plan(made("EXTRACT", "place--porto", "Alex moved there\nHas a river"))

    page = entities.parse_entity(after(planned, NEW), NEW).entity
    assert [fact.text for fact in page.facts] == ["Alex moved there", "Has a river"]
    assert (page.label, page.source) == ("Porto", Source.REFLECTION)
    assert planned.edits[0].base == ABSENT
    assert planned.steps[0].ids == ("entity:place--porto",)
    assert planned.steps[0].diff.startswith("--- /dev/null\n+++ b/memory/graph")


def test_a_fact_takes_the_place_of_another() -> None:
    for content in [
        "Lives in Porto (supersedes: lives in  Lisbon)",
        "- Lives in Lisbon → Lives in Porto",
        "- Lives in Porto\n- Supersedes: Lives in Lisbon",
        "## Facts\n- Lives in Porto (Supersedes: Lives in Lisbon)",
    ]:
        planned = plan(made("EXTRACT", "person--alex", content))

        facts = entities.parse_entity(after(planned, ALEX), ALEX).entity.facts
        assert [fact.text for fact in facts if fact.current] == [
            "Drinks tea",
            "Lives in Porto",
        ]
        assert facts[0].superseded_by == entities.reference("Lives in Porto")


def test_an_arrow_that_names_no_known_fact_is_part_of_a_fact() -> None:
    planned = plan(made("EXTRACT", "person--alex", "Took the train Lisbon → Porto"))

    assert "- Took the train Lisbon → Porto <!--" in after(planned, ALEX)


def test_a_fact_that_is_not_there_is_not_superseded() -> None:
    gone = "Lives in Porto (supersedes: Lives in Rome)"

    assert "no fact that holds" in why(plan(made("EXTRACT", "person--alex", gone)))
    assert "no fact that holds" in why(plan(made("EXTRACT", "place--porto", gone)))


def test_nothing_on_a_pinned_page_is_superseded_but_it_may_grow() -> None:
    swap = made(
        "EXTRACT", "person--kim", "Plays the harp (supersedes: Plays the cello)"
    )

    assert "pinned" in why(plan(swap))
    assert plan(made("EXTRACT", "person--kim", "Has a dog")).edits[0].path == PINNED


def test_what_was_struck_out_is_not_learned_again() -> None:
    workspace = Workspace()
    page = ALEX_PAGE.replace(
        "- Drinks tea", "- ~~Smokes~~ <!-- forgotten: 2026-01-05 -->"
    )
    workspace.files[ALEX] = page.encode()

    assert "already" in why(
        plan(made("EXTRACT", "person--alex", "Smokes"), workspace=workspace)
    )


def test_a_page_that_does_not_fit_is_refused() -> None:
    for content in [
        "# person--kim\n\n## Facts\n- x",
        "# person--alex\n\n## Notes\nx",
        "## Facts\n- x\n\n## Relations\n- Uses: [[../SOUL.md]]",
        "## Timeline\n- some day: x",
        "- Lives in Lisbon",
        "a\0b",
        "# person--alex\n",
    ]:
        assert why(plan(made("EXTRACT", "person--alex", content)))


@given(texts)
def test_no_content_forges_the_structure_of_a_page(content: str) -> None:
    workspace = Workspace()
    planned = plan(made("EXTRACT", "person--alex", content), workspace=workspace)

    old = entities.parse_entity(ALEX_PAGE, ALEX)
    for edit in planned.edits:
        assert edit.path == ALEX
        new = entities.parse_entity((edit.content or b"").decode(), ALEX)
        texts_ = [fact.text for fact in new.entity.facts if fact.current]
        assert texts_[:2] == ["Lives in Lisbon", "Drinks tea"]
        assert not new.entity.pinned
        heads = [section.heading for section in new.page.sections]
        known = [section.heading for section in old.page.sections]
        assert [head for head in heads if head in known] == known
        assert all(fact.source == "reflection" for fact in new.entity.facts[2:])


def test_a_page_without_a_summary_gets_one() -> None:
    for page in ["# person--alex\n", "# person--alex\n\n## Facts\n- x\n"]:
        workspace = Workspace({ALEX: page.encode()})
        planned = plan(
            made("EXTRACT", ALEX, "## Summary\nA carpenter.\n\n## Facts\n- New"),
            workspace=workspace,
        )

        entity = entities.parse_entity(after(planned, ALEX), ALEX).entity
        assert entity.summary == "A carpenter."
        assert entity.facts[-1].text == "New"


# --- CONNECT and FLAG ----------------------------------------------------------


def test_a_relation_is_added_to_the_page_of_the_first() -> None:
    planned = plan(
        made("CONNECT", layout.GRAPH_INDEX, "person--alex → depends-on → tool--saw")
    )

    assert "- Depends on: [[tool--saw]]" in after(planned, ALEX)


def test_a_relation_without_sources_leaves_the_origin_of_a_page_alone() -> None:
    edge = made("CONNECT", layout.GRAPH_INDEX, "person--alex → depends-on → tool--saw")

    planned = plan(replace(edge, origin=Origin.TOOL))

    assert "- Depends on: [[tool--saw]]" in after(planned, ALEX)
    assert "By: tool" not in after(planned, ALEX)


def test_a_relation_has_the_usual_name_and_says_its_day() -> None:
    planned = plan(
        made("CONNECT", layout.GRAPH_INDEX, "person--alex → built on → tool--saw")
    )

    line = "- Uses: [[tool--git]]\n- Uses: [[tool--saw]] <!-- since: 2026-02-20 -->\n"
    assert line in after(planned, ALEX)


def test_a_relation_that_is_known_from_either_end_is_refused() -> None:
    for edge in [
        "person--alex → uses → tool--git",
        "tool--git → used-by → person--alex",
    ]:
        assert "already" in why(plan(made("CONNECT", layout.GRAPH_INDEX, edge)))


def test_a_relation_of_an_unknown_entity_is_refused() -> None:
    edge = "person--nobody → knows → person--alex"

    assert "no page" in why(plan(made("CONNECT", layout.GRAPH_INDEX, edge)))


def test_a_contradiction_becomes_an_open_question() -> None:
    asked = "Lisbon on Monday,\nPorto on Friday: which?"
    planned = plan(made("FLAG", "person--alex", asked))

    page = entities.parse_entity(after(planned, ALEX), ALEX).entity
    assert page.questions == ("Lisbon on Monday, Porto on Friday: which?",)
    again = Workspace({ALEX: after(planned, ALEX).encode()})
    assert "already" in why(plan(made("FLAG", "person--alex", asked), workspace=again))


def test_a_contradiction_without_a_page_is_only_listed() -> None:
    for target in ["", FADED]:
        planned = plan(made("FLAG", target, "Which is it?"))

        assert planned.edits == ()
        assert [step.diff for step in planned.steps] == [""]


# --- ARCHIVE, PATTERN, EVOLVE --------------------------------------------------


def test_a_memory_that_fades_is_archived_without_an_edit() -> None:
    planned = plan(made("ARCHIVE", FADED, "0.2"))

    assert planned.edits == ()
    assert planned.archived == (FADED,)
    assert planned.steps[0].diff == f"- {FADED}: A day in January (0.12)"


def test_what_must_stay_is_not_archived() -> None:
    for id_, reason in [
        (KEPT, "pinned"),
        ("entity:person--kim", "pinned"),
        (GONE, "archived already"),
        ("episode:2026-01-09:10:00", "no memory"),
    ]:
        planned = plan(made("ARCHIVE", id_))

        assert reason in why(planned)
        assert planned.archived == ()


def test_nothing_is_archived_twice() -> None:
    planned = plan(made("ARCHIVE", FADED), made("ARCHIVE", "Episode 2026-01-01 10:00"))

    assert planned.archived == (FADED,)
    assert [each.what for each in planned.refused] == [
        "ARCHIVE Episode 2026-01-01 10:00"
    ]


def test_steps_are_added_to_a_procedure() -> None:
    planned = plan(made("PATTERN", DEPLOY, "1. Run the tests\n2. Tag the release"))

    assert after(planned, DEPLOY).endswith("1. Run the tests\n2. Tag the release\n")


def test_a_new_procedure_has_its_trigger() -> None:
    for content in [
        "Trigger: when tea is wanted\n1. Boil water\n2. Wait",
        "# how-to-make-tea.md\n\n## Trigger\nwhen tea is wanted\n\n"
        "## Steps\n1. Boil water\n2. Wait\n",
    ]:
        planned = plan(made("PATTERN", "how-to-make-tea", content))

        text = after(planned, f"{layout.PROCEDURES}/how-to-make-tea.md")
        assert "## Trigger\nwhen tea is wanted\n" in text
        assert text.endswith("## Steps\n1. Boil water\n2. Wait\n")
        assert "Source: reflection" in text


def test_notes_of_a_procedure_are_kept_too() -> None:
    content = (
        "## Steps\n1. Run the tests\n\n## Notes\n- Mondays only\n\n"
        "## Learned From\n- Episode 2026-01-01 10:00\n"
    )
    planned = plan(made("PATTERN", DEPLOY, content))

    assert "## Notes\n- Mondays only\n" in after(planned, DEPLOY)


def test_where_a_procedure_was_learned_is_not_the_minds_to_say() -> None:
    content = (
        "## Steps\n1. Run the tests\n2. Tag it twice\n\n"
        "## Learned From\n- manual: Alex said so\n"
    )
    operation = replace(made("PATTERN", DEPLOY, content), reason="seen three times")

    text = after(plan(operation), DEPLOY)

    assert "Alex said so" not in text
    assert ": seen three times\n" in text.partition("## Learned From\n")[2]


def test_a_procedure_without_news_is_refused() -> None:
    for content in ["1. Run the tests", "## Steps\n", "## Steps\n1. x\n\n## Extra\ny"]:
        assert why(plan(made("PATTERN", DEPLOY, content)))


def test_an_insight_is_an_entry_of_the_evolution_with_its_diff() -> None:
    planned = plan(
        made("EVOLVE", "evolution.md", "Key insight: Late.\nI ask too late.")
    )

    assert [edit.path for edit in planned.edits] == [layout.EVOLUTION]
    (step,) = planned.steps
    assert step.operation.target == layout.EVOLUTION
    for line in ("+### Key Insight", "+Late.", "+- New understanding: I ask too late."):
        assert line in step.diff.split("\n")


def test_one_reflection_has_one_entry_in_the_evolution() -> None:
    planned = plan(
        made("EVOLVE", "evolution.md", "One."), made("EVOLVE", "evolution.md", "Two.")
    )

    assert [step.number for step in planned.steps] == [1]
    assert "already" in planned.refused[0].why


def test_a_note_of_self_awareness_is_one_line_of_identity() -> None:
    planned = plan(
        made("NOTICE", "IDENTITY.md", "I rush."), made("NOTICE", "SOUL.md", "I rush.")
    )

    (edit,) = planned.edits
    assert edit.path == layout.IDENTITY
    assert "### Recent (Full Detail)\n- 0001-01-01: I rush.\n" in after(
        planned, edit.path
    )
    assert "IDENTITY.md, not 'SOUL.md'" in planned.refused[0].why


def test_a_log_that_is_short_is_not_pruned() -> None:
    assert why(plan(made("PRUNE", layout.REFLECTION_LOG, "make room")))


def test_what_needs_another_change_says_so_and_the_rest_stands_by_itself() -> None:
    planned = plan(
        made("EXTRACT", "place--porto", "Has a river"),
        made("EXTRACT", "place--porto", "Has a bridge"),
        made("CONNECT", layout.GRAPH_INDEX, "place--porto → relates-to → person--alex"),
    )

    assert [step.after for step in planned.steps] == [(), (), (1, 2)]
    # By itself the second would make the page as well, and shows it.
    assert "+# place--porto" in planned.steps[1].diff.split("\n")


def test_numbers_of_a_page_are_those_of_its_steps_and_refusals() -> None:
    operations = [
        Operation(OperationKind.EXTRACT, "place--porto", "Has a river"),
        Operation(OperationKind.EXTRACT, "SOUL.md", "Is mine now"),
    ]

    planned = plan_operations(operations, Workspace().site, (4, 9))

    assert [step.number for step in planned.steps] == [4]
    assert [each.what for each in planned.refused] == ["#9 EXTRACT SOUL.md"]


@given(
    st.lists(st.text("-+@ ab\n", max_size=12), max_size=6),
    st.lists(st.text("-+@ ab\n", max_size=12), max_size=6),
)
def test_no_line_of_a_file_is_taken_for_one_of_the_diff(
    old: list[str], new: list[str]
) -> None:
    before, after_ = "\n".join(old), "\n".join(new)
    diff = diff_texts("x.md", f"same\n{before}\n", f"same\n{after_}\n")

    found = list(changed_lines(diff))

    added = {line[6:] for line in found if line.startswith("x.md +")}
    removed = {line[6:] for line in found if line.startswith("x.md -")}
    lines_before, lines_after = before.split("\n"), after_.split("\n")
    assert added >= {line for line in lines_after if line.strip()} - set(lines_before)
    assert removed >= {line for line in lines_before if line.strip()} - set(lines_after)
    assert added <= set(lines_after)
    assert removed <= set(lines_before)


# --- proposals -----------------------------------------------------------------

FERRY = "The ferry leaves at nine."


def test_a_proposal_that_is_committed_becomes_a_memory_of_its_sender() -> None:
    planned = plan(made("COMMIT", "#3", FERRY))

    day = after(planned, f"{layout.EPISODES}/2026-02-20.md")
    assert FERRY in day
    assert "sub-agent" in day
    assert "Proposal #3" not in after(planned, layout.PENDING)
    assert "Proposal #4" in after(planned, layout.PENDING)
    assert planned.edits[0].action is Action.COMMIT


def test_a_proposal_that_is_rejected_only_leaves_the_list() -> None:
    planned = plan(made("REJECT", "#3", FERRY, "We go by train."))

    assert [edit.path for edit in planned.edits] == [layout.PENDING]
    assert planned.edits[0].action is Action.REJECT
    assert "Proposal #3" not in after(planned, layout.PENDING)


def test_the_copy_that_was_kept_meanwhile_is_archived() -> None:
    workspace = Workspace()
    pending = workspace.files[layout.PENDING].decode()
    kept = pending.replace("- **Origin**", f"- **Kept**: {FADED}\n- **Origin**")
    workspace.files[layout.PENDING] = kept.encode()

    planned = plan(made("COMMIT", "#3", FERRY), workspace=workspace)

    assert planned.archived == (FADED,)


def test_a_proposal_that_was_changed_meanwhile_is_left_alone() -> None:
    for kind in ["COMMIT", "REJECT"]:
        assert "changed" in why(plan(made(kind, "#3", "The ferry leaves at ten.")))
        assert "no proposal" in why(plan(made(kind, "#9", FERRY)))


def test_both_proposals_are_decided_in_one_plan() -> None:
    planned = plan(
        made("COMMIT", "#3", FERRY),
        made("REJECT", "#4", "The café closes at six."),
        made("COMMIT", "#3", FERRY),
    )

    assert "## Proposal" not in after(planned, layout.PENDING)
    assert [step.number for step in planned.steps] == [1, 2]
    assert planned.refused[0].what == "COMMIT #3"


# --- together ------------------------------------------------------------------


def test_each_operation_is_planned_on_top_of_those_before_it() -> None:
    planned = plan(
        made("EXTRACT", "place--porto", "Has a river"),
        made("EXTRACT", "SOUL.md", "Is mine now"),
        made("CONNECT", layout.GRAPH_INDEX, "place--porto → relates-to → person--alex"),
        made("EXTRACT", "place--porto", "Has bridges (supersedes: Has a river)"),
    )

    assert [step.number for step in planned.steps] == [1, 3, 4]
    assert [each.what for each in planned.refused] == ["EXTRACT SOUL.md"]
    (edit,) = planned.edits
    assert (edit.base, edit.action) == (ABSENT, Action.CREATE)
    page = entities.parse_entity(after(planned, NEW), NEW).entity
    assert [fact.text for fact in page.facts if fact.current] == ["Has bridges"]
    assert page.links[0].label == "Relates to"


def test_a_diff_shows_only_what_its_own_operation_does() -> None:
    planned = plan(
        made("EXTRACT", "person--alex", "Plays chess"),
        made("EXTRACT", "person--alex", "Owns a boat"),
    )

    first, second = (step.diff for step in planned.steps)
    assert "+- Plays chess" in first
    assert "boat" not in first
    assert "+- Owns a boat" in second
    assert "+- Plays chess" not in second
    assert planned.edits[0].base == checksum(ALEX_PAGE.encode())


def test_a_file_that_cannot_be_read_refuses_its_operation() -> None:
    workspace = Workspace()
    workspace.files[ALEX] = b"# person--alex\n\xff\n"

    planned = plan(made("EXTRACT", "person--alex", "x y"), workspace=workspace)

    assert "not valid UTF-8" in why(planned)


def test_windows_files_stay_windows_files() -> None:
    workspace = Workspace()
    workspace.files[ALEX] = ALEX_PAGE.replace("\n", "\r\n").encode()
    planned = plan(
        made("EXTRACT", "person--alex", "## Summary\nA carpenter.\n\n## Facts\n- New"),
        workspace=workspace,
    )

    text = after(planned, ALEX)
    assert text.count("\n") == text.count("\r\n")
    assert "A carpenter." in text


kinds = st.sampled_from(OperationKind)
targets = st.sampled_from(
    [
        *(ALEX, PINNED, DEPLOY, "", FADED, KEPT, "#3", "#4", "Identity", "Persona"),
        *(layout.EVOLUTION, layout.GRAPH_INDEX, "SOUL.md", "../x", layout.CORE),
    ]
)
contents = texts | st.sampled_from(
    ["+ New line", "- Likes short answers", "- Name: Alex", FERRY]
)
operations = built(Operation, kinds, targets, contents)


@given(st.lists(operations, max_size=6))
def test_whatever_is_proposed_is_planned_or_refused(given_: list[Operation]) -> None:
    planned = plan(*given_)

    assert len(planned.steps) + len(planned.refused) == len(given_)
    for edit in planned.edits:
        assert edit.path.startswith("memory/") or edit.path == layout.CORE
        assert not edit.path.startswith(f"{layout.VAULT}/")
    reached = [replace(step.operation, content="") for step in planned.steps]
    assert all(operation.target != "SOUL.md" for operation in reached)


DAY = f"{layout.EPISODES}/2026-02-20.md"


def test_a_line_is_added_to_its_block_and_signed() -> None:
    planned = plan(made("CORE", "Persona", "+ Laughs at puns"))

    assert [edit.path for edit in planned.edits] == [layout.CORE]
    line = "- Likes short answers\n- Laughs at puns <!-- by:agent -->\n"
    assert line in after(planned)
    assert planned.steps[0].ids == ("core:persona/laughs-at-puns",)


def test_what_is_there_already_is_not_added() -> None:
    assert "already" in why(plan(made("CORE", "Persona", "+ Likes  short answers")))


def test_a_line_that_does_not_fit_pushes_nothing_out() -> None:
    small = replace(Config().core, persona_tokens=40)
    workspace = Workspace(config=replace(Config(), core=small))
    long = "+ " + "Laughs at puns about ferries and trains. " * 10

    found = why(plan(made("CORE", "Persona", long), workspace=workspace))

    assert "'Persona' would hold" in found
    assert "40 are allowed" in found


def test_what_goes_on_moves_out_into_the_log_of_the_day() -> None:
    planned = plan(made("CORE", "Active Context", "- Waiting for the roof tiles"))

    assert "roof tiles" not in after(planned)
    assert "Waiting for the roof tiles" in after(planned, DAY)


def test_what_is_known_of_a_person_moves_out_to_their_page() -> None:
    planned = plan(made("CORE", "Persona", "- Likes short answers"))

    assert "Likes short answers" not in after(planned)
    assert "- Likes short answers <!--" in after(planned, ALEX)
    assert "by: owner" in after(planned, ALEX)


def test_a_name_moves_out_to_the_page_it_names() -> None:
    planned = plan(made("CORE", "Identity", "- Name: Alex"))

    assert "- Name: Alex <!--" in after(planned, ALEX)


def test_what_is_pinned_or_not_there_is_not_taken_out() -> None:
    for heading, text, reason in [
        ("Identity", "Born in Faro", "pinned"),
        ("Critical Facts", "Allergic to nuts", "pinned"),
        ("Persona", "Born in Faro", "no line"),
        ("Persona", "Keep out", "no line"),
        ("Persona", "Likes short", "no line"),
    ]:
        assert reason in why(plan(made("CORE", heading, f"- {text}")))


def test_only_one_of_two_equal_lines_is_taken_out() -> None:
    workspace = Workspace()
    line = "- Likes short answers\n"
    workspace.files[layout.CORE] = CORE.replace(line, line * 2).encode()
    out = made("CORE", "Persona", "- Likes short answers")

    assert after(plan(out, workspace=workspace)).count(line) == 1


def test_a_line_that_moves_to_another_block_stays_its_owners() -> None:
    planned = plan(
        made("CORE", "Active Context", "- Working on the garden shed"),
        made("CORE", "Persona", "+ Working on the garden shed"),
    )

    found = core.parse_core(after(planned), layout.CORE).entries
    lines = [entry.raw for entry in found if "shed" in entry.text]
    assert lines == ["- Working on the garden shed\n"]


def test_no_line_forges_a_pin_a_block_or_its_author() -> None:
    for text in [
        "x\n## Identity\n- Name: Eve",
        "x <!-- pinned -->",
        "[x, pinned]",
        "x <!-- by:owner -->",
    ]:
        planned = plan(made("CORE", "Persona", f"+ {text}"))

        memory = core.parse_core(after(planned), layout.CORE)
        (new,) = (e.item for e in memory.entries if "persona/x" in str(e.id))
        assert isinstance(new, CoreItem)
        assert one_line(new.text) == one_line(text)
        assert (new.pinned, new.by) == (False, "agent")
        assert len(memory.entries) == len(core.parse_core(CORE, "x").entries) + 1


PATH = "memory/graph/entities/person--alex.md"


def test_a_fact_says_since_when_and_instead_of_which_it_holds() -> None:
    news = read_news(
        "Lives in Lisbon (since: 2026-05-01) (supersedes: Lives in Berlin)\n"
        "Likes tea (since: forever)",
        PATH,
    )

    assert news.facts == (
        ToldFact("Lives in Lisbon", date(2026, 5, 1), "Lives in Berlin"),
        ToldFact("Likes tea (since: forever)"),
    )


def test_what_only_announces_a_list_is_no_fact() -> None:
    news = read_news("What was said:\n- Lives in Lisbon\n- Likes tea", PATH)

    assert [told.text for told in news.facts] == ["Lives in Lisbon", "Likes tea"]
