"""What was imported reaches the pages of entities through a mind."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from tests.memory.home import NOON, agrees

from reverie import Memory, Origin, Store
from reverie.importers.intake import STRETCH, stretches
from reverie.importers.walk import Chat, ChatTurn, Passage, Provenance
from reverie.minds.mind import MindUnavailableError
from reverie.minds.scripted import ScriptedMind
from reverie.model.items import UNFILED, Role, Turn

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from reverie.minds.mind import Question
    from reverie.minds.scripted import Script


def opened(root: Path, script: Script | None) -> Memory:
    mind = ScriptedMind(script) if script is not None else None
    return Memory.init(root, clock=lambda: NOON, environ={}, human=agrees, mind=mind)


def page(text: str, name: str = "a.md") -> Passage:
    return Passage(Provenance("markdown", name, 1), "", text, NOON)


def fact(
    piece: int, words: str, about: str, name: str, *links: tuple[str, str, str]
) -> dict[str, Any]:
    relations = [{"from": a, "relation": b, "to": c} for a, b, c in links]
    said = {"piece": piece, "words": words, "about": about, "name": name}
    return {**said, "relations": relations}


def answer(
    *facts: dict[str, Any], topics: Sequence[dict[str, Any]] = ()
) -> dict[str, Any]:
    return {"facts": [*facts], "topics": [*topics]}


def alex(root: Path, name: str = "person--ines") -> str:
    return (root / f"memory/graph/entities/{name}.md").read_text("utf-8")


PAGES = [
    page("Ines teaches yoga. It rained all day.", "a.md"),
    page("The boiler was installed by Tomasz.", "b.md"),
]


def test_statements_of_passages_become_facts_with_their_source(tmp_path: Path) -> None:
    script = [
        answer(
            fact(1, "Ines teaches yoga.", "person--ines", "Ines"),
            fact(
                2,
                "The boiler was installed by Tomasz.",
                "concept--boiler",
                "boiler",
                ("concept--boiler", "installed-by", "person--tomasz"),
            ),
        )
    ]
    with opened(tmp_path, script) as memory:
        report = memory.take_in(PAGES)

        assert (report.added, report.filed, report.waiting) == (2, 2, 0)
        assert len(memory.items(Store.EPISODIC)) == 2
        (ines,) = [hit for hit in memory.recall("yoga").hits if "entity:" in hit.id][:1]
        assert ines.origin is Origin.IMPORT
        assert memory.alerts() == []

    assert "> Ines teaches yoga." in alex(tmp_path)
    assert "source: import | from: episode:2026-02-02:12:00" in alex(tmp_path)
    assert "[[person--tomasz]]" in alex(tmp_path, "concept--boiler")
    assert UNFILED not in (tmp_path / "memory/episodes/2026-02-02.md").read_text(
        "utf-8"
    )


def test_without_a_mind_an_import_stays_what_it_is(tmp_path: Path) -> None:
    with opened(tmp_path, None) as memory:
        report = memory.take_in(PAGES)

        assert (report.filed, report.waiting) == (0, 0)

    assert UNFILED not in (tmp_path / "memory/episodes/2026-02-02.md").read_text(
        "utf-8"
    )


def test_several_pieces_are_asked_about_at_once(tmp_path: Path) -> None:
    asked: list[str] = []

    def script(question: Question) -> dict[str, Any]:
        asked.append(question.text)
        return answer()

    many = [page(f"Passage {n} " + "word " * 100, f"{n}.md") for n in range(40)]
    with opened(tmp_path, script) as memory:
        memory.take_in(many)

    assert 1 < len(asked) < 8
    assert all(f"Passage {n} " in "\n".join(asked) for n in range(40))


def test_what_is_no_word_of_its_piece_or_makes_no_sense_is_left_out(
    tmp_path: Path,
) -> None:
    script = [
        answer(
            fact(1, "Ines is a spy.", "person--ines", "Ines"),
            fact(9, "Ines teaches yoga.", "person--ines", "Ines"),
            fact(1, "Ines teaches yoga.", "../../etc", "Ines"),
            fact(1, "Ines teaches yoga.", "person--ines", "Ines"),
        )
    ]
    with opened(tmp_path, script) as memory:
        assert memory.take_in(PAGES[:1]).filed == 1

    assert alex(tmp_path).count("\n- ") == 1


def test_what_was_forgotten_does_not_come_back(tmp_path: Path) -> None:
    said = fact(1, "Ines teaches yoga.", "person--ines", "Ines")

    def script(question: Question) -> dict[str, Any]:
        wish = {"target": "Ines teaches yoga", "permanent": False}
        return wish if question.operation == "forget" else answer(said)

    with opened(tmp_path, script) as memory:
        memory.take_in(PAGES[:1])
        memory.forget(memory.find_to_forget("Ines teaches yoga").matches)

        text = "By the way: Ines teaches yoga. And it snows."
        assert memory.take_in([page(text, "c.md")]).filed == 0


def test_a_mind_that_goes_away_leaves_the_rest_waiting_and_it_goes_on_later(
    tmp_path: Path,
) -> None:
    gone = MindUnavailableError("scripted", "no server")
    with opened(tmp_path, [gone]) as memory:
        memory.tidy_on_close = False
        report = memory.take_in(PAGES)
        assert (report.filed, report.waiting) == (0, 2)
        assert len(memory.recall("yoga").hits) == 1

    said = fact(1, "Ines teaches yoga.", "person--ines", "Ines")
    with opened(tmp_path, [answer(said)]) as memory:
        memory.tidy()

    assert "Ines teaches yoga." in alex(tmp_path)


def test_an_answer_that_cannot_be_used_is_not_asked_for_for_ever(
    tmp_path: Path,
) -> None:
    with opened(tmp_path, lambda _: "no JSON at all") as memory:
        report = memory.take_in(PAGES)

        assert (report.filed, report.waiting) == (0, 0)
        assert len(memory.items(Store.EPISODIC)) == 2


def test_importing_again_asks_nothing(tmp_path: Path) -> None:
    with opened(tmp_path, [answer()]) as memory:
        memory.take_in(PAGES)

        assert (memory.take_in(PAGES).known, memory.take_in(PAGES).filed) == (2, 0)


# --- conversations -------------------------------------------------------------


def talk(*moments: datetime | None) -> Chat:
    roles = ("user", "assistant")
    said = tuple(
        ChatTurn(roles[n % 2], f"Statement {n}.", at) for n, at in enumerate(moments)
    )
    return Chat(Provenance("chatgpt", "c1"), "Plans", NOON, said)


def turn(number: int, at: datetime | None, text: str = "x", role: str = "user") -> Turn:
    return Turn("w", number, Role(role), text, at)


def test_a_conversation_is_cut_at_pauses_and_where_it_gets_long() -> None:
    day = timedelta(days=1)
    told = [turn(1, NOON), turn(2, NOON), turn(3, NOON + day), turn(4, None)]
    assert [[t.number for t in some] for some in stretches(told)] == [[1, 2], [3, 4]]

    long = "word " * STRETCH
    told = [turn(1, NOON, long), turn(1, NOON, long, "assistant"), turn(2, NOON, long)]
    assert [[t.number for t in some] for some in stretches(told)] == [[1, 1], [2]]

    many = [turn(n, NOON) for n in range(1, 101)]
    cut = list(stretches(many))
    assert [t for some in cut for t in some] == many
    assert max(map(len, cut)) <= 40
    assert list(stretches([])) == []


def test_a_conversation_becomes_its_topics_and_facts_of_its_turns(
    tmp_path: Path,
) -> None:
    later = NOON - timedelta(days=1)
    script = [
        answer(
            fact(1, "Statement 0.", "concept--plan", "plan"),
            topics=[
                {"first": 1, "last": 1, "summary": "They planned the ferry."},
                {"first": 2, "last": 2, "summary": "They spoke of a cat."},
            ],
        ),
        answer(topics=[{"first": 1, "last": 2, "summary": "The tax return."}]),
    ]
    start = later - timedelta(days=1)
    with opened(tmp_path, script) as memory:
        report = memory.take_in([talk(start, start, later, later)])

        assert (report.filed, report.waiting) == (1, 0)
        told = [item.text for item in memory.items(Store.EPISODIC)]
        assert sorted(told) == [
            "The tax return.",
            "They planned the ferry.",
            "They spoke of a cat.",
        ]
        assert len(memory.items(Store.TURNS)) == 4
        (ferry, *_) = memory.recall("ferry").hits
        assert ferry.origin is Origin.IMPORT

    assert "from: turn:chatgpt-c1/1/user/0" in alex(tmp_path, "concept--plan")


def test_without_a_mind_a_conversation_is_its_turns_and_no_lump(tmp_path: Path) -> None:
    with opened(tmp_path, None) as memory:
        memory.take_in([talk(NOON, NOON)])

        assert memory.items(Store.EPISODIC) == []
        assert len(memory.items(Store.TURNS)) == 2


def test_the_topics_of_a_conversation_are_purged_with_it(tmp_path: Path) -> None:
    script = [answer(topics=[{"first": 1, "last": 2, "summary": "The tax return."}])]
    with opened(tmp_path, script) as memory:
        memory.take_in([talk(NOON, NOON)])
        memory.purge(memory.purgeable(Origin.IMPORT, source="chatgpt:c1"))

        assert memory.items(Store.EPISODIC) == []
        assert memory.items(Store.TURNS) == []
