"""Entity pages."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from tests import strategies

from reverie.model.items import Entity, Fact, Link, Severity, Statement
from reverie.stores.entities import new_entity, parse_entity, render_entity

PATH = "memory/graph/entities/project--moltbot-memory.md"
SEED = """\
# project--moltbot-memory

<!-- Type: project | Created: 2026-01-15 | Last updated: 2026-02-02 -->
<!-- Decay score: 0.95 | Access count: 14 | Pinned: no -->

## Summary
Building an intelligent memory system for Moltbot/OpenClaw agent. Goal is
human-like memory.

## Facts
- Routing: LLM-classified (not keyword heuristic)
- Core memory budget: ~3,000 tokens

## Timeline
- 2026-01-15: Initial research into memory architectures began

## Open Questions
- Reflection token budget cap

## Relations
- Developed by: [[person--alex]]
- Inspired by: [[concept--letta-sleep-time]], [[concept--cognitive-memory-systems]]
"""


@given(strategies.files)
def test_a_page_gives_back_its_text(text: str) -> None:
    assert render_entity(parse_entity(text, PATH)) == text
    assert render_entity(parse_entity(text, "x.md")) == text


@given(strategies.entities)
def test_an_entity_survives_being_written_and_read_back(entity: Entity) -> None:
    page = parse_entity(new_entity(entity), f"memory/graph/entities/{entity.name}.md")

    assert page.entity == entity
    kept = [e.item.fact for e in page.entries if isinstance(e.item, Statement)]
    assert kept == [fact for fact in entity.facts if fact.current]
    assert all("no fact here" in finding.what for finding in page.findings)


def test_the_seeds_page_is_read() -> None:
    page = parse_entity(SEED, PATH)

    assert page.entity == Entity(
        "project",
        "moltbot-memory",
        "Moltbot Memory",
        summary="Building an intelligent memory system for Moltbot/OpenClaw agent. "
        "Goal is\nhuman-like memory.",
        facts=(
            Fact("Routing: LLM-classified (not keyword heuristic)"),
            Fact("Core memory budget: ~3,000 tokens"),
        ),
        timeline=(
            (date(2026, 1, 15), "Initial research into memory architectures began"),
        ),
        questions=("Reflection token budget cap",),
        links=(
            Link("Developed by", ("person--alex",)),
            Link(
                "Inspired by",
                ("concept--letta-sleep-time", "concept--cognitive-memory-systems"),
            ),
        ),
        created=date(2026, 1, 15),
        updated=date(2026, 2, 2),
        accesses=14,
    )
    assert page.findings == ()
    assert str(page.entries[0].id) == "entity:project--moltbot-memory"


def test_a_new_page_is_written_as_in_the_seed() -> None:
    entity = Entity(
        "person",
        "alex",
        "Alex “Al” Doe",
        summary="The user.",
        facts=(
            Fact(
                "Lives in Rome",
                since=date(2026, 2, 2),
                source="episode:2026-02-02:14:30",
            ),
        ),
        aliases=("Al", "Doe, Alex"),
        created=date(2026, 2, 2),
        updated=date(2026, 2, 2),
    )

    assert new_entity(entity) == (
        "# person--alex\n\n"
        "<!-- Type: person | Created: 2026-02-02 | Last updated: 2026-02-02 | "
        "Label: Alex “Al” Doe | Aliases: Al, Doe\\, Alex -->\n"
        "<!-- Pinned: no -->\n\n"
        "## Summary\nThe user.\n\n"
        "## Facts\n"
        "- Lives in Rome "
        "<!-- since: 2026-02-02 | source: episode:2026-02-02:14:30 -->\n"
    )


def test_a_search_finds_what_holds_and_what_people_wrote_themselves() -> None:
    text = SEED.replace("- Routing", "- ~~Deadline: May~~\nprose too\n- Routing")

    entry, *facts = parse_entity(text + "\n## Mine\nmy own words\n", PATH).entries

    assert not any("Deadline" in each.text for each in (entry, *facts))
    for words in ("human-like memory", "prose too", "my own words", "person--alex"):
        assert words in entry.text
    assert any(each.text.startswith("Routing") for each in facts)


def test_what_is_wrong_in_a_page_is_reported_with_its_line() -> None:
    text = (
        "# person--bob\n<!-- Type: tool | Created: soon -->\n"
        "## Facts\n- a <!-- since: then -->\n- ~~b~~ <!-- superseded-by: 12345678 -->\n"
        "## Timeline\n- once: c\n- 2026-02-31: d\n## Relations\n- nobody\n"
    )

    page = parse_entity(text, "memory/graph/entities/person--alex.md")

    assert [(f.line, f.what) for f in page.findings] == [
        (1, "the title is not person--alex, the name of the file"),
        (2, "Created is not a day: 'soon'"),
        (2, "the type is not that of the name, person--alex"),
        (4, "since is not a day: 'then'"),
        (5, "superseded-by points at 12345678, which is no fact here"),
        (7, "expected '- YYYY-MM-DD: what happened'"),
        (8, "expected '- YYYY-MM-DD: what happened'"),
        (10, "expected '- Label: [[type--name]]'"),
    ]
    assert {f.severity for f in page.findings} == {Severity.WARNING}


def test_a_page_whose_file_has_no_entitys_name_is_a_concept_of_that_name() -> None:
    page = parse_entity(SEED, "memory/graph/entities/Hot Yoga.md")

    (entry, *_), (found,) = page.entries, page.findings
    assert (str(entry.id), entry.title) == ("entity:concept--hot-yoga", "Hot Yoga")
    assert found.severity is Severity.WARNING
    assert found.mend.startswith("It is read as concept--hot-yoga.")


def test_prose_above_the_first_section_and_headings_of_ones_own_are_found() -> None:
    text = (
        "# Yoga\n\nMy mat is purple.\n\n## Teachers\n- Ines\n\n## Facts\n- Tuesdays.\n"
    )
    page = parse_entity(text, "memory/graph/entities/concept--yoga.md")

    entry, fact = page.entries
    assert fact.text == "Tuesdays."
    assert {"Yoga", "My mat is purple.", "Teachers", "Ines"} <= {
        *entry.text.split("\n")
    }


def test_a_page_without_a_title_is_reported_and_read() -> None:
    page = parse_entity("## Facts\n- a\n", PATH)

    assert [f.what for f in page.findings] == [
        "the title is not project--moltbot-memory, the name of the file"
    ]
    assert page.entity.facts == (Fact("a"),)


def test_a_link_may_carry_an_alias_and_lack_a_label() -> None:
    text = "# project--moltbot-memory\n\n## Relations\n- [[person--alex|Alex]]\n"

    page = parse_entity(text, PATH)

    assert page.entity.links == (Link("Relates to", ("person--alex",)),)


def test_a_hostile_text_is_read_to_its_end() -> None:
    for line in [
        "## Facts\n",
        "- [[",
        "- x <!-- a | b\n",
        "## Relations\n- [[a|\n",
        "~~",
    ]:
        text = "## Facts\n- " + line * (100_000 // len(line))

        assert render_entity(parse_entity(text, PATH)) == text
