"""Every text argument of every verb: no byte of a secret in it reaches the disk.

The table names one ordinary call of each verb. Each text of a call is replaced by each
secret in turn. A verb with a text argument that is missing in the table fails a test.
"""

from __future__ import annotations

import inspect
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from tests.memory.home import Home
from tests.memory.placements import everything_on

from reverie import (
    Core,
    Episodic,
    Memory,
    Notebook,
    Procedural,
    Reflection,
    ReverieError,
    Role,
    Secrets,
    Semantic,
    SubAgent,
    Vault,
)
from reverie.conversation.window import Window
from reverie.model.ids import slug

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Call = tuple[Callable[..., object], dict[str, object]]
    Make = Callable[[Memory, str], Call]

WITHOUT_TEXT = {
    # These take folders, callables or a passphrase, and none of that is stored.
    "Memory.open",
    "Memory.init",
    "Memory.elsewhere",
    "Memory.set_owner",
    "Memory.change_owner",
    # These take records whose texts the other tests in this folder replace.
    "Memory.take_in",
    "Memory.import_from",
    "Memory.place_in",
    "Memory.items",
    "SubAgent.items",
    "Memory.restore",
    "Notebook.change",
}


NOTHING_THERE = {
    # These are refused here, because what they name does not exist.
    "Memory.answer",
    "Memory.diff",
    "Memory.erase",
    "Memory.find_to_erase",
    "Memory.find_undo",
    "Memory.history",
    "Memory.purgeable",
    "Memory.resolve",
    "Memory.settle",
    "Memory.undo",
    "Memory.unexpect",
    "Reflection.adopt_self_image",
    "Reflection.answer",
    "Reflection.decide",
    "Reflection.reply",
    "Reflection.say",
    "Reflection.self_image",
    "SubAgent.diff",
}
"""Replies to a reflection are tested in `test_secret_placements.py`."""


class Planted(NamedTuple):
    """A text with a secret, and what of it must not be found afterwards."""

    text: str
    secret: str


def draw(*parts: str) -> str:
    """Join a secret that must not stand in this file as a whole."""
    return "".join(parts)


SECRETS = (
    Planted(draw("gh", "p_", "k3Jw9XbQz7LmT2vRpY8sNc4HdFg6AeU1oViW"), "k3Jw9XbQz7Lm"),
    Planted(draw("sk-", "ant-api03-", "Rk7wQx2LmZp9Tv4YbN8sHc3J"), "Rk7wQx2LmZp9"),
    Planted("Das Passwort lautet Wurm!217Mm84", "Wurm!217Mm84"),
    Planted("the wifi password is tulip-Falcon77", "tulip-Falcon77"),
    Planted("contraseña: Caracol!9034zz", "Caracol!9034"),
    Planted("Cookie: sessionid=q8Zt4Lw0Xn6Rb2Vk9Mc7Jd5Hf3", "q8Zt4Lw0Xn6R"),
    Planted("https://ann:Marmot4471x@db.internal/app", "Marmot4471x"),
)


def _place(place: object) -> Make:
    return lambda m, n: (
        m.remember,
        {
            "text": f"Ann likes tea {n}.",
            "place": place,
            "trigger": "told",
            "derived_from": ["episode:2026-02-02:12:00"],
            "contradicts": [_fact(m, n)],
            "secrets": Secrets.REDACT,
        },
    )


def _fact(memory: Memory, n: str) -> str:
    """The id of a new fact."""
    return memory.remember(f"Eve saw whale {n}.", Semantic("Eve", "person")).fact


def _entity(memory: Memory, n: str) -> str:
    name = f"person--zed-{n}"
    memory.remember(f"Zed {n} likes tea.", Semantic(name), secrets=Secrets.REFUSE)
    return name


def _forgotten(memory: Memory, n: str) -> Call:
    memory.remember(f"Ann owns boat {n}", Episodic())
    matches = memory.find_to_forget(f"Ann owns boat {n}").matches[:1]
    return memory.forget, {"matches": matches, "trigger": "asked"}


def _proposed(memory: Memory, n: str) -> Call:
    with memory.acting_as("scout") as scout:
        done = scout.propose(f"Ann likes rain {n}.")
    return memory.reject, {"number": done.number, "reason": "wrong"}


def _turn(memory: Memory, n: str) -> tuple[Window, int]:
    window = memory.window(f"w{n}")
    return window, window.say("Hello.").number


def _edit(memory: Memory, n: str) -> Call:
    window, number = _turn(memory, n)
    return window.edit, {"number": number, "text": f"Hi {n}.", "role": Role.USER}


def _delete(memory: Memory, n: str) -> Call:
    window, number = _turn(memory, n)
    return window.delete, {"number": number, "reason": "mistake"}


def _talk(verb: str, **words: object) -> Make:
    def make(memory: Memory, n: str) -> Call:
        window = memory.window(f"t{n}")
        window.exchange("Where is the tea?", "In the kitchen.")
        return getattr(window, verb), dict(words)

    return make


def _propose(memory: Memory, n: str) -> Call:
    def propose(**words: Any) -> object:  # noqa: ANN401 - the fields of a proposal
        with memory.acting_as("scout") as scout:
            return scout.propose(**words)

    words: dict[str, object] = {"content": f"Ann likes tea {n}", "trigger": "found"}
    words |= {"entities": ["person--alex"], "name": f"tea {n}", "when": "at noon"}
    words |= {"supersedes": _fact(memory, n), "contradicts": [_fact(memory, f"{n}c")]}
    return propose, words | {"secrets": Secrets.REDACT}


def _begun(steps: int) -> Callable[[Memory], Reflection]:
    def begin(memory: Memory) -> Reflection:
        reflection = memory.reflection
        with suppress(ReverieError):
            reflection.cancel()
        reflection.begin()
        for _ in range(steps):
            with suppress(ReverieError):
                reflection.reply("Proceed")
        return reflection

    return begin


def _reflecting(verb: str, steps: int, **words: object) -> Make:
    return lambda m, _: (getattr(_begun(steps)(m), verb), dict(words))


def _sub(verb: str, **words: object) -> Make:
    def make(memory: Memory, _: str) -> Call:
        def ask(**more: object) -> object:
            with memory.acting_as("scout") as scout:
                return getattr(scout, verb)(**more)

        return ask, dict(words)

    return make


def _ask(verb: str, **words: object) -> Make:
    return lambda m, _: (getattr(m, verb), dict(words))


def _noted(memory: Memory, n: str) -> Call:
    write = memory.notebook("trips").write

    def written(name: str, text: str, why: str) -> object:
        return write({f"{name}.md": text}, why=why)

    return written, {"name": f"rome-{n}", "text": f"Tea {n}.\n", "why": "plan"}


CALLS: dict[str, tuple[Make, ...]] = {
    "Memory.remember": tuple(
        map(
            _place,
            (
                None,
                Core(),
                Episodic(),
                Semantic("Ann"),
                Procedural("how to rest"),
                Vault("Notes"),
            ),
        )
    ),
    "Memory.observe": (
        lambda m, n: (
            m.observe,
            {
                "observations": [{"text": f"Ann runs {n}.", "about": "person--ann"}],
                "window": "talk",
                "person": "Ann",
            },
        ),
    ),
    "Memory.correct": (
        lambda m, n: (
            m.correct,
            {"what": _fact(m, n), "new": f"Alex sails {n}.", "trigger": "told"},
        ),
    ),
    "Memory.hear": (
        lambda m, n: (
            m.hear,
            {"message": f"Remember that Bo swims {n}.", "person": "Bo", "window": "h"},
        ),
    ),
    "Memory.answer": (_ask("answer", question_id="q-1", answer="{}"),),
    "Memory.forget": (_forgotten,),
    "Memory.reject": (_proposed,),
    "Memory.pin": (_ask("pin", item_id="entity:person--alex"),),
    "Memory.unpin": (_ask("unpin", item_id="entity:person--alex"),),
    "Memory.reinforce": (_ask("reinforce", ids=["entity:person--alex"]),),
    "Memory.merge": (
        lambda m, n: (m.merge, {"one": _entity(m, n), "into": _entity(m, f"{n}b")}),
    ),
    "Memory.find_merge": (
        lambda m, n: (
            m.find_merge,
            {"one": _entity(m, n), "into": _entity(m, f"{n}b")},
        ),
    ),
    "Memory.keep_apart": (
        lambda m, n: (
            m.keep_apart,
            {"one": _entity(m, n), "other": _entity(m, f"{n}b")},
        ),
    ),
    "Memory.rename": (
        lambda m, n: (
            m.rename,
            {"entity": _entity(m, n), "name": f"Yan {n}", "type": "tool"},
        ),
        lambda m, n: (m.rename, {"entity": _entity(m, n), "type": "tool"}),
    ),
    "Memory.undo": (
        _ask("undo", commit="0"),
        _ask("undo", path="memory/x.md"),
        _ask("undo", session="r-001"),
        _ask("undo", commit="0", shown="0"),
    ),
    "Memory.find_undo": (_ask("find_undo", commit="0", path="x", session="r"),),
    "Memory.acknowledge": (_ask("acknowledge", path="SOUL.md"),),
    "Memory.expect": (
        lambda m, n: (m.expect, {"question": f"Who is {n}?", "answer": "Ann"}),
    ),
    "Memory.unexpect": (_ask("unexpect", question="Who?"),),
    "Memory.expectations": (_ask("expectations", question="Who?"),),
    "Memory.window": (
        lambda m, n: (lambda window: m.window(window).say("Hi."), {"window": n}),
    ),
    "Memory.notebook": (
        lambda m, _: (
            lambda name: m.notebook(name).write({"a.md": "Tea.\n"}, why="x"),
            {"name": "trips"},
        ),
    ),
    "Memory.find_conversation": (_ask("find_conversation", processes=["17"]),),
    "Memory.wake": (lambda m, n: (m.wake, {"window": f"k{n}", "person": "Ann"}),),
    "Memory.attend": (
        lambda m, n: (
            m.attend,
            {"window": f"k{n}", "message": "tea?", "person": "Ann"},
        ),
    ),
    "Memory.leave": (_ask("leave", window="talk"),),
    "Memory.store_requests": (_ask("store_requests", window="talk"),),
    "Memory.turns": (_ask("turns", window="talk"),),
    "Memory.acting_as": (
        lambda m, n: (
            lambda name, person: m.acting_as(name, person=person).propose(f"Tea {n}"),
            {"name": "scout", "person": "Ann"},
        ),
    ),
    "Memory.instructions": (_ask("instructions", agent="codex"),),
    "Memory.instructed": (_ask("instructed", path="AGENTS.md"),),
    "Memory.instruct": (_ask("instruct", path="AGENTS.md"),),
    "Memory.settle": (_ask("settle", which="person--alex", keep="tea"),),
    "Memory.resolve": (_ask("resolve", numbers=[1], how="keep"),),
    "Memory.recall": (_ask("recall", question="tea", person="Ann"),),
    "Memory.context": (_ask("context", question="tea", person="Ann"),),
    "Memory.why": (_ask("why", item_id="entity:person--alex", question="tea"),),
    "Memory.show": (_ask("show", item_id="entity:person--alex"),),
    "Memory.history": (
        _ask("history", path="MEMORY.md", actor="manual", commit="0"),
        _ask("history", forgotten="boat"),
    ),
    "Memory.diff": (_ask("diff", commit="0"),),
    "Memory.blame": (_ask("blame", path="MEMORY.md"),),
    "Memory.read_file": (_ask("read_file", path="MEMORY.md"),),
    "Memory.find_to_forget": (_ask("find_to_forget", wish="boats"),),
    "Memory.name_to_forget": (_ask("name_to_forget", item_id="entity:person--alex"),),
    "Memory.called": (_ask("called", name="Alex"),),
    "Memory.find_to_erase": (
        _ask("find_to_erase", item_id="entity:person--alex"),
        _ask("find_to_erase", text="boats"),
        _ask("find_to_erase", person="Ann"),
    ),
    "Memory.erase": (_ask("erase", text="boats"),),
    "Memory.purgeable": (_ask("purgeable", origin="tool", source="web"),),
    "Window.say": (
        _talk("say", text="Tea it is.", speaker="Ann", person="Ann"),
        _talk("say", text="Tea it is.", role=Role.ASSISTANT),
    ),
    "Window.record_typed": (
        _talk("record_typed", text="Tea it is.", host="claude-code"),
    ),
    "Window.note_host": (_talk("note_host", processes=["17"]),),
    "Window.exchange": (
        _talk("exchange", question="And?", answer="Tea.", person="Ann"),
    ),
    "Window.edit": (_edit,),
    "Window.delete": (_delete,),
    "Window.wake": (_talk("wake", person="Ann"),),
    "Window.attend": (_talk("attend", message="tea?", person="Ann"),),
    "Window.prune": (_talk("prune", budget=50, message="tea", person="Ann"),),
    "Window.due": (_talk("due", person="Ann"),),
    "Window.reflect": (_talk("reflect", question="What now?", person="Ann"),),
    "Window.end": (_talk("end", person="Ann"),),
    "Window.note": (
        _talk("note", summary="They spoke of tea.", question="What?", person="Ann"),
        _talk(
            "note",
            summary="They spoke of tea.",
            observations=[{"text": "Ann likes tea.", "about": "person--ann"}],
        ),
    ),
    "Notebook.paths": (lambda m, _: (m.notebook("trips").paths, {"under": "rome"}),),
    "Notebook.read": (lambda m, _: (m.notebook("trips").read, {"path": "a.md"}),),
    "Notebook.search": (
        lambda m, _: (
            m.notebook("trips").search,
            {"question": "tea", "limit": 3, "under": "rome"},
        ),
    ),
    "Notebook.write": (_noted,),
    "Reflection.reply": (
        _reflecting("reply", 0, words="maybe later"),
        _reflecting("reply", 1, words="bonus 500"),
    ),
    "Reflection.answer": (_reflecting("answer", 2, text="{}"),),
    "Reflection.decide": (
        _reflecting("decide", 3, decision="reject: wrong", shown="x"),
    ),
    "Reflection.say": (_reflecting("say", 3, words="Thank you.", answer="Gladly."),),
    "Reflection.self_image": (_reflecting("self_image", 0, answer="{}"),),
    "Reflection.adopt_self_image": (_reflecting("adopt_self_image", 0, shown="x"),),
    "SubAgent.propose": (_propose,),
    "SubAgent.recall": (_sub("recall", question="tea", person="Ann"),),
    "SubAgent.context": (_sub("context", question="tea", person="Ann"),),
    "SubAgent.why": (_sub("why", item_id="entity:person--alex", question="tea"),),
    "SubAgent.show": (_sub("show", item_id="entity:person--alex"),),
    "SubAgent.called": (_sub("called", name="Alex"),),
    "SubAgent.turns": (_sub("turns", window="talk"),),
    "SubAgent.instructions": (_sub("instructions", agent="codex"),),
    "SubAgent.instructed": (_sub("instructed", path="AGENTS.md"),),
    "SubAgent.history": (_sub("history", path="MEMORY.md", forgotten="x"),),
    "SubAgent.diff": (_sub("diff", commit="0"),),
    "SubAgent.blame": (_sub("blame", path="MEMORY.md"),),
    "SubAgent.read_file": (_sub("read_file", path="MEMORY.md"),),
    "SubAgent.expectations": (_sub("expectations", question="Who?"),),
}


def _verbs_with_text() -> Iterator[str]:
    for owner in (Memory, Window, Notebook, Reflection, SubAgent):
        for name in vars(owner):
            if name.startswith("_") or not callable(getattr(owner, name)):
                continue
            told = inspect.signature(getattr(owner, name)).parameters.values()
            if any("str" in str(each.annotation) for each in told):
                yield f"{owner.__name__}.{name}"


def _replaced(value: object, secret: str) -> Iterator[object]:
    """A value with each text in it replaced in turn, also inside of records."""
    if type(value) is str:
        yield secret
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from ({**value, key: new} for new in _replaced(part, secret))
    elif isinstance(value, list):
        for n, part in enumerate(value):
            for new in _replaced(part, secret):
                yield [*value[:n], new, *value[n + 1 :]]
    elif type(value).__name__ in {"Semantic", "Episodic", "Procedural", "Vault"}:
        for field in value.__struct_fields__:  # type: ignore[attr-defined]
            for new in _replaced(getattr(value, field), secret):
                with suppress(ReverieError):
                    yield type(value)(
                        **{
                            other: getattr(value, other)
                            for other in value.__struct_fields__  # type: ignore[attr-defined]
                            if other != field
                        },
                        **{field: new},
                    )


def _call_all(memory: Memory, planted: Planted, failed: list[str]) -> int:
    count = 0
    for verb, makes in CALLS.items():
        for make in makes:
            keys = make(memory, f"p{count}")[1]
            for key, value in keys.items():
                for new in _replaced(value, planted.text):
                    count += 1
                    call, words = make(memory, f"n{count}")
                    try:
                        call(**{**words, key: new})
                    except (ReverieError, OSError):
                        continue
                    except Exception as error:  # noqa: BLE001 - told below
                        failed.append(f"{verb}({key}): {error!r}")
    return count


def _traces(secret: str) -> set[bytes]:
    """Ways in which a secret may be spelled in a file, a name or an address."""
    return {secret.encode(), slug(secret).encode(), secret.lower().encode()}


def test_every_verb_with_a_text_argument_is_in_the_table() -> None:
    assert set(_verbs_with_text()) == {*CALLS, *WITHOUT_TEXT}


@pytest.mark.parametrize("planted", SECRETS, ids=lambda each: each.secret[:4])
def test_no_argument_of_a_verb_brings_a_secret_to_the_disk(
    tmp_path: Path, planted: Planted, record_property: Callable[[str, object], None]
) -> None:
    home = Home(tmp_path / "agent")
    home.furnish()
    home.memory.window("talk").say("Hello.")
    failed: list[str] = []

    count = _call_all(home.memory, planted, failed)
    home.memory.tidy()
    home.memory.close()

    record_property("attempts: secrets in arguments", count)
    assert failed == []
    state = _state_files(os.environ["XDG_DATA_HOME"])
    left = {
        where
        for where, data in (*everything_on(home.root), *state)
        for trace in _traces(planted.secret)
        if trace in data
    }
    assert left == set()


def test_every_call_of_the_table_reaches_its_verb(tmp_path: Path) -> None:
    home = Home(tmp_path / "agent")
    home.furnish()
    refused: dict[tuple[str, int], str] = {}

    for verb, makes in CALLS.items():
        for n, make in enumerate(makes):
            call, words = make(home.memory, f"ok{len(verb)}{verb[-3:]}{n}")
            try:
                call(**words)
            except (ReverieError, OSError) as error:
                refused[verb, n] = str(error)
    home.memory.close()

    assert {verb for verb, _ in refused} <= NOTHING_THERE, refused


def _state_files(folder: str) -> Iterator[tuple[str, bytes]]:
    for file in Path(folder).rglob("*"):
        yield f"{file} (its name)", file.name.encode()
        if file.is_file():
            yield str(file), file.read_bytes()
