"""How well a mind routes that sees nothing but the prompt.

    .venv/bin/python benchmarks/route_prompts.py render DIR
    .venv/bin/python benchmarks/route_prompts.py score DIR

`render` makes a workspace that knows the 30 facts of `routing_cases.jsonl`, writes the
prompt for each of its 100 statements to `DIR/001.md` and so on, and prints what they
cost. Whoever answers sees one prompt and writes one JSON object to `DIR/001.json`.
`score` counts what came out right and prints what did not. The statements are our own,
in five languages: facts, preferences, plans, procedures, corrections and updates of
what is known, and others that look like updates and are none.
"""

from __future__ import annotations

import json
import re
import statistics
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reverie import Block, Core, Memory, Semantic
from reverie.errors import ReverieError
from reverie.minds.json_answers import find_problem
from reverie.minds.prompts import render_prompt
from reverie.model.route import ROUTE_SCHEMA
from reverie.stores.entities import fact_id
from reverie.tokens import count_tokens

if TYPE_CHECKING:
    from reverie.minds.mind import Answer, Question

CASES = Path(__file__).with_name("routing_cases.jsonl")
_OFFERED = re.compile(r"^(\S+--\S+#[0-9a-f]{6}): ", re.MULTILINE)


class AskedError(ReverieError):
    """Somebody asked; nothing is stored."""

    def __init__(self) -> None:
        super().__init__("this mind only takes down questions")


class Recorder:
    """A mind that only takes down what it is asked."""

    name = "a recorder"

    def __init__(self) -> None:
        self.asked: list[Question] = []

    def think(self, question: Question) -> Answer:
        """Take a question down."""
        self.asked.append(question)
        raise AskedError


def main(arguments: list[str]) -> int:
    """Render prompts, or score answers."""
    if len(arguments) != 2 or arguments[0] not in {"render", "score"}:
        print(__doc__, file=sys.stderr)
        return 2
    folder = Path(arguments[1])
    return render(folder) if arguments[0] == "render" else score(folder)


def load() -> tuple[dict[str, dict[str, Any]], list[dict[str, Any]]]:
    """The known facts by name, and the cases."""
    lines = [json.loads(line) for line in CASES.read_text("utf-8").splitlines()]
    known = {each["known"]: each for each in lines if "known" in each}
    return known, [each for each in lines if "case" in each]


def render(folder: Path) -> int:
    """Write the prompts, and print what they cost and whether they offer enough."""
    folder.mkdir(parents=True, exist_ok=True)
    known, cases = load()
    with tempfile.TemporaryDirectory() as made:
        questions = asked(Path(made), known, cases)
        with tempfile.TemporaryDirectory() as empty:
            (bare,) = asked(Path(empty), {}, cases[:1])
    schema = json.dumps(ROUTE_SCHEMA)
    missing = 0
    for case, question in zip(cases, questions, strict=True):
        words = {"question": question.text, "schema": schema}
        text = render_prompt("shape", {}, words)
        (folder / f"{case['case']:03}.md").write_text(text + "\n", "utf-8")
        offered = _OFFERED.findall(question.text)
        for name in case["supersedes"]:
            if cited(known[name]) not in offered:
                missing += 1
                print(f"not offered: {case['case']:03} {case['text']}")
    tokens = [count_tokens(question.text) for question in questions]
    print(
        f"{len(questions)} prompts in {folder}; facts that were not offered: {missing}"
    )
    print(
        f"tokens of a prompt: {count_tokens(bare.text)} with nothing known, "
        f"{statistics.median(tokens):.0f} in the middle, {max(tokens)} at most; "
        f"its schema {count_tokens(schema)}"
    )
    return 1 if missing else 0


def asked(
    folder: Path, known: dict[str, dict[str, Any]], cases: list[dict[str, Any]]
) -> list[Question]:
    """The questions that a workspace asks about some statements."""
    with Memory.init(folder, human=lambda _: True) as memory:
        memory.remember("Name: Robin", Core(Block.IDENTITY))
        for each in known.values():
            kind = each["page"].partition("--")[0]
            memory.remember(each["text"], Semantic(each["page"], kind))
    recorder = Recorder()
    with Memory(folder, mind=recorder, human=lambda _: True) as memory:
        for case in cases:
            try:
                memory.remember(case["text"])
            except AskedError:
                continue
    return recorder.asked


def cited(known: dict[str, Any]) -> str:
    """The id of a known fact."""
    return fact_id(known["page"], known["text"])


def score(folder: Path) -> int:
    """Count what answers have right."""
    known, cases = load()
    counts = dict.fromkeys(("read", "store", "entity", "found", "false"), 0)
    updates = sum(bool(case["supersedes"]) for case in cases)
    for case in cases:
        said, problem = answer(folder, case)
        if problem:
            print(f"{case['case']:03} no answer: {problem}")
            continue
        counts["read"] += 1
        wanted = {cited(known[name]) for name in case["supersedes"]}
        gone = {id_.strip(" `") for id_ in said["supersedes"]}
        right = {
            "store": said["store"] in case["store"],
            "entity": case["about"] == ["*"] or said["about"] in case["about"],
            "found": bool(wanted) and wanted <= gone,
            "false": bool(gone - wanted),
        }
        for name, holds in right.items():
            counts[name] += holds
        wrong = [n for n in ("store", "entity") if not right[n]]
        wrong += ["missed"] if wanted and not right["found"] else []
        wrong += ["false"] if right["false"] else []
        if wrong:
            told = f"{said['store']} {said['about']} {sorted(gone)}"
            print(f"{case['case']:03} {', '.join(wrong)}: {case['text']} -> {told}")
    read = counts["read"] or 1
    print(
        f"answers {counts['read']}/{len(cases)}, store right "
        f"{counts['store'] / read:.0%}, entity right {counts['entity'] / read:.0%}, "
        f"updates recognised {counts['found']}/{updates}, false ones {counts['false']}"
    )
    return 0


def answer(folder: Path, case: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """What somebody answered, and what is wrong with it."""
    path = folder / f"{case['case']:03}.json"
    if not path.exists():
        return {}, "there is none"
    try:
        said = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        return {}, str(error)
    offered = _OFFERED.findall(path.with_suffix(".md").read_text("utf-8"))
    problem = find_problem(said, ROUTE_SCHEMA)
    if not problem:
        named = {id_.strip(" `") for id_ in said["supersedes"] + said["contradicts"]}
        problem = "" if named <= set(offered) else "names a fact that was not offered"
    return said, problem


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
