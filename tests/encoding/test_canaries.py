"""Canaries through every place that is derived, then erased: not a byte is left.

The scanner knows nothing of ours: it reads every file and name under the workspace,
inflates loose objects itself, lets git print all others, and reads databases both raw
and cell by cell.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from tests.encoding.test_erase import objects

from reverie import (
    Block,
    Core,
    Episodic,
    Observation,
    Procedural,
    ReverieError,
    Role,
    Semantic,
    Vault,
)
from reverie.model.ids import slug
from reverie.stores.entities import fact_id

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import pytest
    from tests.memory.home import Home

    Ways = dict[str, dict[str, Any]]
    Plant = Callable[[Home, str], Ways]

FULL = 100


def canary(number: int) -> str:
    """Two words that stand nowhere else; one of them is not spelled in ASCII."""
    return f"Zq{number:03}kö Wren"


def core_of(said: str) -> str:
    """What every spelling of a canary has in it."""
    return said.partition("ö")[0].casefold()


def places_of(root: Path, said: str) -> list[str]:
    """Every place under a folder where a canary stands, however it is spelled."""
    spelled = {said, slug(said), quote(said), json.dumps(said)[1:-1], core_of(said)}
    wanted = [each.casefold().encode() for each in spelled]

    def holds(data: bytes) -> bool:
        folded = data.lower()
        return any(each in folded for each in wanted)

    found = []
    for file in root.rglob("*"):
        found += [f"name {file}"] if holds(str(file.relative_to(root)).encode()) else []
        if not file.is_file() or file.is_symlink():
            continue
        data = file.read_bytes()
        found += [f"file {file}"] if holds(data) else []
        if data[:1] == b"x" and "/objects/" in str(file):
            found += [f"loose {file}"] if holds(zlib.decompress(data)) else []
        if data.startswith(b"SQLite format 3"):
            found += [f"cell of {file}: {c!r}" for c in _cells(file) if holds(c)]
    return found + [f"object {name}" for name, data in objects(root) if holds(data)]


def _cells(file: Path) -> Iterator[bytes]:
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as rows:
        tables = rows.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        for (table,) in tables.fetchall():
            for row in rows.execute(f'SELECT * FROM "{table}"'):  # noqa: S608 - ours
                for cell in row:
                    yield cell if isinstance(cell, bytes) else str(cell).encode()


def _page(home: Home, name: str, section: str, line: str) -> None:
    """A person writes into a page."""
    path = f"memory/graph/entities/{name}.md"
    home.type(path, f"{home.text(path).rstrip()}\n\n## {section}\n{line}\n")
    home.memory.alerts()


def _said(
    home: Home, window: str, text: str, role: Role = Role.USER, speaker: str = ""
) -> str:
    turn = home.memory.window(window).say(text, role=role, speaker=speaker)
    return f"turn:{turn.window}/{turn.number}/{turn.role}/0"


def _who(said: str) -> str:
    """A name for a page that no other canary has."""
    return f"Bo {core_of(said)[2:5]}"


def _page_name(said: str) -> str:
    return f"person--{slug(_who(said))}"


def _fact(home: Home, said: str, *links: tuple[str, str]) -> Ways:
    text = f"Has a {said} at home"
    home.memory.remember(text, Semantic(_who(said), "person", links=links))
    name = _page_name(said)
    return {
        "id": {"item_id": fact_id(name, text)},
        "entity": {"item_id": f"entity:{name}"},
        "text": {"text": said},
    }


def episode(home: Home, said: str) -> Ways:
    (id_,) = home.memory.remember(f"Met {said} today.", Episodic()).ids
    return {"id": {"item_id": id_}, "text": {"text": said}}


def episode_tag(home: Home, said: str) -> Ways:
    (id_,) = home.memory.remember("Some event.", Episodic(tags=(said,))).ids
    return {"id": {"item_id": id_}, "text": {"text": said}}


def corrected_episode(home: Home, said: str) -> Ways:
    (id_,) = home.memory.remember(f"Met {said} in Rome.", Episodic()).ids
    home.memory.correct(id_, f"Met nobody {core_of(said)[2:5]} in Rome.")
    return {"id": {"item_id": id_}, "text": {"text": said}}


def quoted_episode(home: Home, said: str) -> Ways:
    (id_,) = home.memory.remember(f"Told of {said}.", Episodic()).ids
    home.memory.remember(f"Asked why. Told of {said}. Odd.", Episodic())
    return {"id": {"item_id": id_, "quotes": True}, "text": {"text": said}}


def fact(home: Home, said: str) -> Ways:
    return _fact(home, said)


def dangling_link(home: Home, said: str) -> Ways:
    return _fact(home, said, ("avoids", f"concept--{slug(said)}"))


def inverse_link(home: Home, said: str) -> Ways:
    target = f"project--ark-{slug(_who(said))}"
    ways = _fact(home, said, ("develops", target))
    link = (("developed by", _page_name(said)),)
    home.memory.remember("Floats", Semantic(target, links=link))
    return ways


def superseded_fact(home: Home, said: str) -> Ways:
    ways = _fact(home, said)
    old = f"Has a {said} at home"
    home.memory.remember("Has none", Semantic(_page_name(said), supersedes=old))
    return ways


def forgotten_fact(home: Home, said: str) -> Ways:
    ways = _fact(home, said)
    found = home.memory.find_to_forget(ways["id"]["item_id"])
    home.memory.forget(found.matches[:1])
    return ways


def mended_by_undo(home: Home, said: str) -> Ways:
    ways = _fact(home, said)
    undone = home.memory.undo()
    home.memory.undo(undone.commit)
    return ways


def summary(home: Home, said: str) -> Ways:
    ways = _fact(home, said)
    _page(home, _page_name(said), "Summary", f"One who has a {said} at home.")
    return _with_quotes(ways)


def timeline(home: Home, said: str) -> Ways:
    ways = _fact(home, said)
    _page(home, _page_name(said), "Timeline", f"- 2026-02-01: got a {said} at home")
    return _with_quotes(ways)


def open_question(home: Home, said: str) -> Ways:
    ways = _fact(home, said)
    _page(home, _page_name(said), "Open Questions", f"- Has a {said} at home, really?")
    return _with_quotes(ways)


def _with_quotes(ways: Ways) -> Ways:
    ways["id"]["quotes"] = True
    return ways


def contradiction(home: Home, said: str) -> Ways:
    ways = _fact(home, said)
    name, other = _page_name(said), "Has nothing at all"
    home.memory.remember(other, Semantic(name))
    ids = f"{ways['id']['item_id']} or {fact_id(name, other)}"
    _page(home, name, "Open Questions", f"- Which holds: {ids}?")
    return ways


def entity_name(home: Home, said: str) -> Ways:
    home.memory.remember("Is a person", Semantic(said, "person"))
    link = (("Knows", f"person--{slug(said)}"),)
    home.memory.remember("Is new", Semantic(_who(said), "person", links=link))
    named = {"item_id": f"entity:person--{slug(said)}"}
    return {"entity": named, "text": {"text": said}, "person": {"person": said}}


def renamed_entity(home: Home, said: str) -> Ways:
    entity_name(home, said)
    home.memory.rename(f"person--{slug(said)}", f"Cy {core_of(said)[2:5]}")
    named = {"item_id": f"entity:person--cy-{core_of(said)[2:5]}"}
    return {"entity": named, "text": {"text": said}, "person": {"person": said}}


def merged_entity(home: Home, said: str) -> Ways:
    home.memory.remember("Is a person", Semantic(said, "person"))
    home.memory.remember("Sings", Semantic(_who(said), "person"))
    home.memory.merge(f"person--{slug(said)}", _page_name(said))
    named = {"item_id": f"entity:{_page_name(said)}"}
    return {"entity": named, "text": {"text": said}, "person": {"person": said}}


def page_renamed_by_hand(home: Home, said: str) -> Ways:
    home.memory.remember("Is a person", Semantic(said, "person"))
    folder = home.root / "memory/graph/entities"
    new = f"person--dy-{core_of(said)[2:5]}"
    (folder / f"person--{slug(said)}.md").rename(folder / f"{new}.md")
    home.memory.alerts()
    return {"entity": {"item_id": f"entity:{new}"}, "text": {"text": said}}


def core_item(home: Home, said: str) -> Ways:
    (id_, *_) = home.memory.remember(f"{said}: yes", Core(Block.CONTEXT)).ids
    return {"id": {"item_id": id_}, "text": {"text": said}}


def procedure(home: Home, said: str) -> Ways:
    (id_,) = home.memory.remember(f"say {said}", Procedural(f"greet {said}")).ids
    return {"id": {"item_id": id_}, "text": {"text": said}}


def vault_note(home: Home, said: str) -> Ways:
    (id_,) = home.memory.remember(f"{said} is the key", Vault(said)).ids
    return {"id": {"item_id": id_}, "text": {"text": said}}


def note(home: Home, said: str) -> Ways:
    path = f"SOUL{core_of(said)[2:5]}.md"
    home.type(path, f"# Soul\n\nI am fond of {said} at noon.\n")
    home.memory.alerts()
    (found,) = home.memory.items(path=path)
    return {"id": {"item_id": found.id}, "text": {"text": said}}


def turn(home: Home, said: str) -> Ways:
    window = f"talk {core_of(said)[2:5]}"
    id_ = _said(
        home, window, f"I saw {said} here.", speaker=f"Eve {core_of(said)[2:5]}"
    )
    _said(home, window, "How nice.", role=Role.ASSISTANT)
    person = {"person": f"Eve {core_of(said)[2:5]}"}
    return {"id": {"item_id": id_}, "text": {"text": said}, "person": person}


def turn_of_somebody(home: Home, said: str) -> Ways:
    _said(home, "all", "It is warm here.", speaker=said)
    return {"person": {"person": said}, "text": {"text": said}}


def deleted_turn(home: Home, said: str) -> Ways:
    id_ = _said(home, f"gone {core_of(said)[2:5]}", f"I saw {said} there.")
    home.memory.forget(home.memory.find_to_forget(id_).matches[:1])
    return {"text": {"text": said}}


def window_name(home: Home, said: str) -> Ways:
    id_ = _said(home, f"chat with {said}", "Hello there, friend.")
    return {"id": {"item_id": id_}, "text": {"text": said}}


def summed_up(home: Home, said: str) -> Ways:
    ways = turn(home, said)
    window = home.memory.window(f"talk {core_of(said)[2:5]}")
    window.note(f"They saw {said} here.")
    return ways


def observation(home: Home, said: str) -> Ways:
    ways = turn(home, said)
    seen = Observation(f"Saw {said} on Monday.", turn=1)
    about = Observation(f"Is fond of {said}", about=_page_name(said), turn=1)
    window = f"talk {core_of(said)[2:5]}"
    home.memory.observe([seen, about], window=window)
    return ways


def claim(home: Home, said: str) -> Ways:
    whose = f"Fay {core_of(said)[2:5]}"
    home.memory.observe([Observation(f"Owns {said}", claim=whose)])
    return {"person": {"person": whose}, "text": {"text": said}}


def scoped_episode(home: Home, said: str) -> Ways:
    whose = f"Gus {core_of(said)[2:5]}"
    place = Episodic(scope=whose)
    (id_,) = home.memory.remember(f"Hides {said} there.", place).ids
    way = {"item_id": id_}
    return {"person": {"person": whose}, "id": way, "text": {"text": said}}


def proposal(home: Home, said: str) -> Ways:
    ways = _fact(home, said)
    with home.memory.acting_as("researcher") as agent:
        agent.propose(f"Has a {said} at home", entities=(_page_name(said),))
    return ways


def expectation(home: Home, said: str) -> Ways:
    ways = _fact(home, said)
    asked = f"What has {_who(said)}?"
    home.memory.expect(asked, f"Has a {said} at home")
    return ways


def reflection_record(home: Home, said: str) -> Ways:
    ways = _fact(home, said)
    path = "memory/meta/reflection-log.md"
    home.type(path, f"{home.text(path)}\nWent over: Has a {said} at home.\n")
    home.memory.alerts()
    return ways


def pending_reflection(home: Home, said: str) -> Ways:
    ways = _fact(home, said)
    path = "memory/meta/pending-reflection.md"
    home.type(path, f"# Pending\n\n- Has a {said} at home\n")
    home.memory.alerts()
    return ways


def imported(home: Home, said: str) -> Ways:
    file = home.root.parent / f"{slug(said)}.md"
    file.write_text(f"# Diary\n\nOn Monday I found {said} below the stairs.\n")
    home.memory.import_from(file)
    (id_,) = (each.id for each in home.memory.items() if said in each.text)
    return {"id": {"item_id": id_, "quotes": True}, "text": {"text": said}}


def told(home: Home, said: str) -> Ways:
    ways = _fact(home, said)
    home.memory.window("host").attend(f"What of {said} at home?")
    return ways


def host_question(home: Home, said: str) -> Ways:
    with suppress(ReverieError):
        home.reopen(REVERIE_MIND_KIND="host").remember(f"Bo is fond of {said}.")
    home.reopen()
    asked = (home.root / ".reverie/questions").rglob("*")
    assert any(core_of(said).encode() in f.read_bytes().lower() for f in asked)
    return episode(home, said)


def pinned(home: Home, said: str) -> Ways:
    ways = vault_note(home, said)
    home.memory.reinforce([ways["id"]["item_id"]])
    home.memory.rebuild()
    return ways


PLANTS: list[Plant] = [
    *(fact, dangling_link, entity_name, summed_up, observation, merged_entity),
    *(episode, window_name, imported, claim, proposal, told, summary, pinned),
    *(inverse_link, superseded_fact, forgotten_fact, mended_by_undo, timeline),
    *(open_question, contradiction, renamed_entity, page_renamed_by_hand, core_item),
    *(procedure, vault_note, note, turn, turn_of_somebody, deleted_turn),
    *(scoped_episode, expectation, reflection_record, pending_reflection),
    *(episode_tag, corrected_episode, quoted_episode, host_question),
]
WAYS = ("id", "entity", "person", "text")


def stories(count: int) -> list[tuple[Plant, int]]:
    """Each planting once, then again, to be erased in another way."""
    again = -(-count // len(PLANTS))
    return [(plant, turn) for turn in range(again) for plant in PLANTS][:count]


def test_canaries_are_erased_from_every_derived_place(
    home: Home,
    request: pytest.FixtureRequest,
    record_property: Callable[[str, object], None],
) -> None:
    full = request.getfixturevalue("full")
    home.furnish()
    planted = []
    for number, (plant, turn) in enumerate(stories(FULL if full else 13)):
        said = canary(number)
        ways = plant(home, said)
        known = [way for way in WAYS if way in ways]
        way = known[(turn + number) % len(known)]
        planted.append((f"{plant.__name__} by {way}", said, ways[way]))
        home.clock.forward(minutes=1)
    home.memory.rebuild()
    before = {p: home.raw(p) for p in ("memory/vault/passport.md",)}
    left = {}
    for name, said, how in planted:
        assert places_of(home.root, said), name
        home.memory.erase(**how)
        found = places_of(home.root, said)
        if found:
            left[name] = found
        else:
            record_property(f"attempts: find an erased canary, {name}", 1)

    assert left == {}
    assert {p: home.raw(p) for p in before} == before
    assert home.disagreements() == []
    assert home.git("fsck", "--strict", "--no-dangling") == ""
