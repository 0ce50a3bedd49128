"""What must be true of a memory that was lived with; each tells what is not."""

from __future__ import annotations

import re
import subprocess
import zlib
from collections import Counter
from typing import TYPE_CHECKING

from tests.memory.home import GIT_ENVIRONMENT

from reverie import Reach
from reverie.interfaces.cli.output import render_json

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.years.life import Life, Told

    Answer = list[tuple[str, float]]

REACHES = (Reach.AUTOMATIC, Reach.EXPLICIT)
ASKED = 60
"""So many questions are asked before and after the index is lost."""


def kept(life: Life) -> Iterator[str]:
    """What was used again is active or fading."""
    shown = {each.id: each for each in life.memory.items()}
    for one in life.told:
        if one.used and one.thing and one.state == "told":
            page = shown[f"entity:{one.thing.id}"]
            if page.status not in {"active", "fading"}:
                yield f"{one.id} was used, and is {page.status} ({page.score:.3f})"


def over(life: Life) -> Iterator[str]:
    """What was superseded is told as past, and never as what holds."""
    for one in life.told:
        if one.state != "over" or one.thing is None:
            continue
        asked = f"{one.thing.name} {one.text}"
        hits = life.memory.recall(asked, now=life.clock.now, limit=30).hits
        if any(one.word in hit.text and hit.id.startswith("entity") for hit in hits):
            yield f"{one.id} ({one.by}) is told as if it held"
        past = any(one.word in gone for hit in hits for gone in hit.outdated)
        if not past and one.by not in {"hand", "settle neither"}:
            yield f"{one.id} ({one.by}) is not told as past"
        told = life.memory.context(asked, now=life.clock.now)
        for line in told.split("\n"):
            if one.word in line and "no longer" not in line:
                yield f"{one.id} ({one.by}) is in a prompt: {line}"


def gone(life: Life) -> Iterator[str]:
    """No word of what was forgotten or erased is in any answer."""
    memory, now = life.memory, life.clock.now
    words = {t.word: t for t in life.told if t.state in {"forgotten", "erased"}}
    everywhere = {
        "graph": memory.graph(),
        "health": render_json(memory.health()),
        "pending": render_json(memory.pending()),
        "contradictions": render_json(memory.contradictions()),
        "items": render_json([i for i in memory.items() if i.status != "archived"]),
        "wake": render_json(memory.wake("another", new=True)),
        "overview": render_json(memory.overview()),
        "expectations": render_json(memory.expectations()),
        "check": render_json(memory.check()),
        "pairs": render_json(memory.pairs()),
    }
    for thing in life.living():
        everywhere[thing.id] = memory.show(f"entity:{thing.id}").text
    for where, said in everywhere.items():
        for word, one in words.items():
            if word in said:
                yield f"{one.id}, {one.state}, is in {where}"
    for word, one in words.items():
        asked = one.text + (f" {one.thing.name}" if one.thing else "")
        for reach in (
            *REACHES,
            *((Reach.EVERYTHING,) if one.state == "erased" else ()),
        ):
            found = memory.recall(asked, now=now, reach=reach, limit=30)
            if word in render_json(found.hits):
                yield f"{one.id}, {one.state}, is recalled ({reach})"
        if word in memory.context(asked, now=now):
            yield f"{one.id}, {one.state}, is in a prompt"
        if word in memory.attend("another", asked).memories:
            yield f"{one.id}, {one.state}, is brought up"


def told(life: Life) -> Iterator[str]:
    """What was told, and nothing else happened to it, is found by its words."""
    for one in life.told:
        if one.state == "told":
            # Nothing fits better, so what has faded is shown as well.
            found = life.memory.recall(one.word, now=life.clock.now).hits
            if not any(one.word in hit.text for hit in found):
                yield f"{one.id} is not found by {one.word!r}"


def erased(life: Life) -> Iterator[str]:
    """No byte of what was erased is below the workspace."""
    words = {t.word.encode(): t for t in life.told if t.state == "erased"}
    some = re.compile(b"|".join(words) or b"$^", re.IGNORECASE)
    for where, data in contents(life.root):
        for word in {*some.findall(data)}:
            yield f"{words[word.lower()].id}, erased, is in {where}"


def contents(root: Path) -> Iterator[tuple[str, bytes]]:
    """Every name, every file, and every object of the ledger, unpacked."""
    for file in root.rglob("*"):
        yield f"the name {file}", str(file).encode()
        if file.is_file() and not file.is_symlink():
            data = file.read_bytes()
            yield f"the file {file}", data
            if re.search(r"/objects/../[0-9a-f]{38}$", str(file)):
                yield f"the object {file}", zlib.decompress(data)
    batch = ("cat-file", "--batch-all-objects", "--batch", "--unordered")
    out = subprocess.run(
        ["git", f"--git-dir={root}/.audit", *batch],
        check=True,
        capture_output=True,
        env=GIT_ENVIRONMENT,
    ).stdout
    yield "an object of git", out


def sound(life: Life) -> Iterator[str]:
    """Check finds nothing wrong."""
    yield from map(str, life.memory.check())


def same_again(life: Life) -> Iterator[str]:
    """An index that was lost, or made anew, gives the same answers and scores."""
    asked = life.chance.sample(life.told, min(ASKED, len(life.told)))
    # What was of use is written down when a session ends.
    life.restart(lose=False)
    before, scores = answers(life, asked), standing(life)
    life.restart(lose=True)
    for name, again in (("lost", False), ("made anew", True)):
        if again:
            life.memory.rebuild()
        for one, was, now in zip(asked, before, answers(life, asked), strict=True):
            if was != now:
                yield f"index {name}: {one.id}: {was[:3]} became {now[:3]}"
        found = standing(life)
        for id_ in scores.keys() | found.keys():
            if scores.get(id_) != found.get(id_):
                yield f"index {name}: {id_}: {scores.get(id_)} became {found.get(id_)}"


def answers(life: Life, asked: list[Told]) -> list[Answer]:
    """What is found for some questions."""
    now = life.clock.now
    found = (life.memory.recall(one.text, now=now, limit=5).hits for one in asked)
    return [[(hit.id, round(hit.score, 4)) for hit in hits] for hits in found]


def standing(life: Life) -> dict[str, tuple[float, int, str]]:
    """How vivid everything is; turns and core memory do not fade."""
    return {
        i.id: (round(i.score, 3), i.accesses, i.status)
        for i in life.memory.items()
        if not i.id.startswith(("turn:", "core:"))
    }


def undone(life: Life) -> Iterator[str]:
    """As many changes were taken back as there were to be."""
    if life.done["undone"] < life.amounts.undone:
        yield f"only {life.done['undone']} changes were taken back"


PROMISES = (kept, over, gone, told, erased, undone, sound, same_again)


def vividness(life: Life) -> dict[str, Counter[str]]:
    """How many pages are how vivid: those that were used, and the others."""
    shown = {each.id: each.status for each in life.memory.items()}
    used = {t.thing.id for t in life.told if t.used and t.thing}
    found: dict[str, Counter[str]] = {"used again": Counter(), "not used": Counter()}
    for thing in life.living():
        status = shown.get(f"entity:{thing.id}", "gone")
        found["used again" if thing.id in used else "not used"][status] += 1
    return found
