"""The whole way: from files to tables."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from benchmarks.recall_quality import main
from tests.benchmarks.made_up import LOCOMO, write_locomo

if TYPE_CHECKING:
    from pathlib import Path


def test_a_set_is_run_shown_and_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_locomo(tmp_path, [LOCOMO, LOCOMO])
    kept = tmp_path / "found.json"
    chosen = ["--sets", "locomo", "--systems", "grep,bm25", "--limit", "1"]

    code = main(["--data", str(tmp_path), *chosen, "--json", str(kept)])

    shown = capsys.readouterr().out
    assert code == 0
    assert "LoCoMo, turns" in shown
    assert "difference to bm25" in shown
    found = json.loads(kept.read_text(encoding="utf-8"))["locomo"]
    assert found["grep"]["counts"] == {"all": 2, "single-hop": 1, "multi-hop": 1}
    assert found["bm25"]["figures"]["all"]["recall@5"] == 1.0


def test_what_cannot_be_run_is_said_and_the_rest_is_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_locomo(tmp_path, [LOCOMO])
    chosen = ["--sets", "beam,locomo", "--systems", "json:loads,bm25"]

    code = main(["--data", str(tmp_path), *chosen])

    said = capsys.readouterr()
    assert code == 1
    assert "beam: " in said.err
    assert "chat.json is not there" in said.err
    assert "json:loads failed" in said.err
    assert "bm25" in said.out


@pytest.mark.parametrize(
    ("argument", "what"),
    [
        (["--sets", "nothing"], "no set is called 'nothing'"),
        (["--systems", "nothing"], "no module:function"),
        (["--limit", "0"], "--limit"),
    ],
)
def test_an_argument_that_names_nothing_is_refused(
    argument: list[str], what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["--data", ".", *argument])

    assert what in capsys.readouterr().err
