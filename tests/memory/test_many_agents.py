"""Six agents propose at once while the main agent decides.

`benchmarks/conversation.py company` does the same with a hundred proposals each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks import company

if TYPE_CHECKING:
    from pathlib import Path


def test_nothing_is_lost_or_numbered_twice_and_pairs_are_marked(
    tmp_path: Path,
) -> None:
    done = company.run(tmp_path / "agent", each=20)

    assert done.proposed == 20 * len(company.AGENTS)
    assert done.lost == []
    assert done.doubled == []
    assert done.found == len(company.PLANTED) == 40
    assert done.false == []
    assert min(done.decided[how] for how in ("accepted", "rejected", "put off")) > 0


def test_every_agent_proposes_as_much_and_pairs_come_from_two() -> None:
    for each in (20, company.EACH):
        shares = company.contents(each)
        owner = {text: name for name, texts in shares.items() for text in texts}

        assert {len(texts) for texts in shares.values()} == {each}
        assert len(owner) == each * len(company.AGENTS)
        assert all(owner[one] != owner[other] for one, other in company.PLANTED)
