"""A life of a few sessions that is said, slept on and approved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks import life

if TYPE_CHECKING:
    from pathlib import Path

SAID = {
    "9:00 am on 1 March, 2026": [
        ("Ida", "I adopted a greyhound, he is called Comet."),
        ("Jon", "Lovely! I am still learning the cello, every Tuesday."),
    ],
    "7:30 pm on 12 March, 2026": [
        ("Jon", "I dropped the cello, the teacher moved to Oslo."),
        ("Ida", "Comet ate my slippers."),
    ],
    "8:15 am on 2 April, 2026": [
        ("Ida", "I have a greyhound called Comet, and now a cat named Dot."),
        ("Jon", "Two pets! I start at the bakery on Monday."),
    ],
}
NOTED = {
    "9:00 am on 1 March, 2026": [
        ("Ida", "Ida has a greyhound called Comet.", "D1:1"),
        ("Jon", "Jon learns the cello on Tuesdays.", "D1:2"),
    ],
    "7:30 pm on 12 March, 2026": [
        ("Jon", "Jon dropped the cello.", "D2:1"),
        ("Ida", "Comet ate Ida's slippers.", "D2:2"),
    ],
    "8:15 am on 2 April, 2026": [
        ("Ida", "Ida has a greyhound called Comet.", "D3:1"),
        ("Ida", "Ida has a cat named Dot.", "D3:1"),
        ("Jon", "Jon starts at the bakery.", "D3:2"),
    ],
}


def conversation() -> dict[str, Any]:
    """The same in the form in which the data set has its own."""
    talk: dict[str, Any] = {}
    seen: dict[str, Any] = {}
    for number, (time, turns) in enumerate(SAID.items(), 1):
        talk[f"session_{number}_date_time"] = time
        talk[f"session_{number}"] = [
            {"speaker": who, "text": text, "dia_id": f"D{number}:{place}"}
            for place, (who, text) in enumerate(turns, 1)
        ]
        noted: dict[str, list[list[str]]] = {}
        for about, text, source in NOTED[time]:
            noted.setdefault(about, []).append([text, source])
        seen[f"session_{number}_observation"] = noted
    return {"conversation": talk, "observation": seen}


def test_what_a_mind_extracts_is_on_its_page_once_with_day_and_source(
    tmp_path: Path,
) -> None:
    corpus, facts = life.locomo(conversation())
    memory = life.live(str(tmp_path / "agent"), corpus, facts)

    try:
        assert life.kept(memory, facts) == {
            "there": 6,
            "lost": 0,
            "doubled": 0,
            "without day or source": 0,
        }
        page = (memory.root / "memory/graph/entities/person--ida.md").read_text()
        (comet,) = (line for line in page.split("\n") if "greyhound" in line)
        # Said twice, and it knows both turns.
        assert comet.count("turn:") == 2
        awake = memory.wake("tomorrow").stable
        assert "Dot" in awake
        assert "bakery" in memory.context("What does Jon do now?")
    finally:
        memory.close()
