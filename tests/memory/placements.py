"""Every way into a workspace, and secrets to put through each of them.

Secrets are drawn at run time. A way is told what to say, which secret is in it, and
does what a host, a person or an importer would do; whether it is refused or redacted
is its own matter. What counts is that nothing of it lies on the disk afterwards.
"""

from __future__ import annotations

import json
import random
import sqlite3
import zlib
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import pygit2
from benchmarks.suite.made_up_secrets import BASE64, SHAPES, draw
from benchmarks.suite.secret_forms import told_forms
from tests.importers.samples import (
    chat_message,
    chatgpt,
    claude,
    message,
    write,
    zipped,
)
from tests.memory.routes import route
from tests.reflection.dreams import MONOLOGUE
from tests.secrets.vendors import vendor_secrets

from reverie import (
    Actor,
    Block,
    Core,
    Episodic,
    Origin,
    Procedural,
    ReverieError,
    Role,
    Secrets,
    Semantic,
    Vault,
)
from reverie.importers.walk import Chat, ChatTurn, Passage, Provenance
from reverie.secrets import find_secrets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.memory.home import Clock

    from reverie import Memory
    from reverie.model.items import Finding

    Way = Callable[["Door", "Placed"], object]

AGENT = Actor("bot:auto-detect")
TAIL = "\nand lunch was at noon, with Ann and the two dogs, by the river."
FILLER = "Nothing of note happened on that day, and it rained a little. " * 29


class Placed(NamedTuple):
    """What is said, and the secret in it."""

    text: str
    secret: str


def secrets(count: int, seed: int = 13) -> list[Placed]:
    """Texts with secrets: tokens, keys, and passwords in many languages."""
    rng = random.Random(seed)  # noqa: S311 - nothing here is meant to be secret
    made = [*_long_keys(rng), *_forms(rng), *_tokens(rng), *_vendors(rng)]
    rng.shuffle(made)
    return made[:count]


def _long_keys(rng: random.Random) -> Iterator[Placed]:
    for name in ("RSA PRIVATE" + " KEY", "OPENSSH PRIVATE" + " KEY"):
        for size in (14, 25, 50):
            body = "\n".join(draw(rng, BASE64, 64) for _ in range(size))
            edge = "-" * 5
            block = f"{edge}BEGIN {name}{edge}\n{body}\n{edge}END {name}{edge}"
            yield Placed(block, body)


def _tokens(rng: random.Random) -> Iterator[Placed]:
    for shape in SHAPES:
        if shape.alone and "key" not in shape.name[:4]:
            shown, secret = shape.make(rng)
            yield Placed(f"For {shape.words} she uses {shown} since May", secret)


def _vendors(rng: random.Random) -> Iterator[Placed]:
    for name, secret in vendor_secrets(rng):
        if " " not in secret:
            yield Placed(f"For {name} she uses {secret} since May", secret)


def _forms(rng: random.Random) -> Iterator[Placed]:
    for told in told_forms(rng):
        # Four digits, or a word that any text may have, cannot be looked for.
        if len(told.secret) >= 10:
            yield Placed(told.text, told.secret)


# --- ways in -----------------------------------------------------------------


@dataclass
class Door:
    """An open workspace, and a folder outside of it to import from."""

    memory: Memory
    outside: Path
    count: int = 0

    def fresh(self) -> str:
        """A name that nothing has yet."""
        self.count += 1
        return f"n{self.count}"


def _key(text: str) -> str:
    """A text as a name may hold it."""
    return " ".join(text.split())


def _alone(placed: Placed) -> str:
    """A secret as a name; a word that nothing gives away is none."""
    return placed.secret if find_secrets(placed.secret) else "anybody"


def _remembers() -> Iterator[tuple[str, Way]]:
    def remember(*args: object, **more: object) -> Way:
        return lambda d, p: d.memory.remember(p.text, *args, **more)  # type: ignore[arg-type]

    def placed(place: Callable[[str], object]) -> Way:
        return lambda d, p: d.memory.remember(
            f"Ann likes tea {d.fresh()}.",
            place(_key(p.text)),  # type: ignore[arg-type]
            secrets=Secrets.REDACT,
        )

    yield "remember", remember()
    yield "remember, redacted", remember(secrets=Secrets.REDACT)
    yield (
        "remember after words",
        lambda d, p: d.memory.remember(
            f"Ann said on {d.fresh()}: {p.text}{TAIL}", secrets=Secrets.REDACT
        ),
    )
    yield "remember a tool's words", remember(origin=Origin.TOOL)
    yield "remember as a skill", remember(actor=AGENT, secrets=Secrets.REDACT)
    yield "keep as an agent", remember(secrets=Secrets.KEEP)
    yield (
        "trigger",
        lambda d, p: d.memory.remember(
            f"Ann likes tea {d.fresh()}.", trigger=p.text, secrets=Secrets.REDACT
        ),
    )
    yield "derived from", lambda d, p: d.memory.remember("x", derived_from=[p.text])
    yield "vault title", placed(Vault)
    yield "procedure name", placed(Procedural)
    yield "procedure trigger", placed(lambda text: Procedural("how to rest", text))
    yield "entity", placed(Semantic)
    yield "entity type", placed(lambda text: Semantic("Ann", text))
    yield "supersedes", placed(lambda text: Semantic("Ann", supersedes=text))
    yield "link", placed(lambda text: Semantic("Ann", links=((text, "person--bo"),)))
    yield "linked", placed(lambda text: Semantic("Ann", links=(("knows", text),)))
    yield "alias", placed(lambda text: Semantic("Ann", alias=text))
    yield "tag", placed(lambda text: Episodic(tags=(text,)))
    yield "scope", placed(lambda text: Episodic(scope=text))
    for name, place in (
        ("vault", Vault("Notes")),
        ("procedure", Procedural("how to work")),
        ("fact", Semantic("Ann")),
        ("core", Core(Block.CONTEXT)),
        ("episode", Episodic()),
    ):
        yield f"{name} text", remember(place, secrets=Secrets.REDACT)


def _heard(form: str) -> Way:
    return lambda d, p: d.memory.hear(form.format(p.text))


def _hearing() -> Iterator[tuple[str, Way]]:
    for form in (
        "Remember that {}",
        "Please remember the following, {}",
        "Remember: {}" + TAIL,
        "Remember that Ann likes jazz. Also remember {}",
        "don't forget that {}",
        "From now on keep in mind that {}",
        "Forget about {}",
        "{}\n\nRemember this.",
        "Note to self: {}",
    ):
        yield f"hear {form[:24]!r}", _heard(form)
    yield (
        "hear, for a person",
        lambda d, p: d.memory.hear(f"Remember that {p.text}", person="Ann"),
    )
    yield (
        "hear, a person's name",
        lambda d, p: d.memory.hear("Remember that Bo likes chess", person=_key(p.text)),
    )
    yield (
        "hear a cut assignment",
        lambda d, p: d.memory.hear(
            f"Remember the following, DATABASE_URL=postgresql://app:{_key(p.secret)}@db/x"
            if " " not in _key(p.secret)
            else f"Remember the following, {p.text}"
        ),
    )


def _talking() -> Iterator[tuple[str, Way]]:
    def said(**more: object) -> Way:
        return lambda d, p: d.memory.window("talk").say(p.text, **more)  # type: ignore[arg-type]

    yield "say", said()
    yield "say as the assistant", said(role=Role.ASSISTANT)
    yield "say as the system", said(role=Role.SYSTEM)
    yield (
        "say at length",
        lambda d, p: d.memory.window("long").say(FILLER * 4 + p.text + FILLER * 4),
    )
    yield (
        "speaker",
        lambda d, p: d.memory.window("talk").say("Hello.", speaker=_key(p.text)),
    )
    yield (
        "person",
        lambda d, p: d.memory.window("talk").say("Hello.", person=_key(p.text)),
    )
    yield "window", lambda d, p: d.memory.window(_key(p.text)).say("Hello.")
    yield "question", lambda d, p: d.memory.window("talk").exchange(p.text, "Yes.")
    yield "answer", lambda d, p: d.memory.window("talk").exchange("And?", p.text)
    yield (
        "edit a turn",
        lambda d, p: d.memory.window("talk").edit(
            1, p.text + d.fresh(), role=Role.USER
        ),
    )
    yield "delete, with a reason", _delete
    yield "note", lambda d, p: d.memory.window("talk").note(p.text)
    yield (
        "note, its question",
        lambda d, p: d.memory.window("talk").note(
            f"They spoke of tea {d.fresh()}.", p.text
        ),
    )
    yield "reflect in a window", lambda d, p: d.memory.window("talk").reflect(p.text)
    yield "attend", lambda d, p: d.memory.attend("talk", p.text)
    yield (
        "attend, the person",
        lambda d, p: d.memory.attend("talk", "tea?", person=_key(p.text)),
    )
    yield "wake, the person", lambda d, p: d.memory.wake("talk", person=_key(p.text))
    yield "prune", lambda d, p: d.memory.window("talk").prune(50, message=p.text)
    yield "leave", lambda d, p: d.memory.leave(_key(p.text))


def _delete(door: Door, placed: Placed) -> object:
    window = door.memory.window(f"gone-{door.fresh()}")
    turn = window.say("Hello.")
    return window.delete(turn.number, reason=placed.text)


def _asking() -> Iterator[tuple[str, Way]]:
    yield "recall", lambda d, p: d.memory.recall(p.text)
    yield "recall, the person", lambda d, p: d.memory.recall("tea", person=_key(p.text))
    yield "context", lambda d, p: d.memory.context(p.text)
    yield "find to forget", lambda d, p: d.memory.find_to_forget(p.text)
    yield "forget, its trigger", _forget
    yield "show", lambda d, p: d.memory.show(p.text)
    yield "pin", lambda d, p: d.memory.pin(p.text)
    yield "undo", lambda d, p: d.memory.undo(p.text)
    yield "undo a file", lambda d, p: d.memory.undo(path=p.text)
    yield "acknowledge", lambda d, p: d.memory.acknowledge(p.text)
    yield "instruct", lambda d, p: d.memory.instruct(_key(p.text))
    yield "expect, question", lambda d, p: d.memory.expect(p.text, "tea")
    yield (
        "expect, answer",
        lambda d, p: d.memory.expect(f"What of {d.fresh()}?", p.text),
    )
    yield "unexpect", lambda d, p: d.memory.unexpect(p.text)
    yield (
        "sign with it",
        lambda d, p: d.memory.remember(
            f"Ann likes tea {d.fresh()}.", actor=Actor(f"skill:{_alone(p)}")
        ),
    )


def _forget(door: Door, placed: Placed) -> object:
    what = f"Ann owns boat {door.fresh()}"
    door.memory.remember(what, Episodic())
    found = door.memory.find_to_forget(what)
    return door.memory.forget(found.matches[:1], trigger=placed.text)


def _proposing() -> Iterator[tuple[str, Way]]:
    def proposed(content: str = "", **more: Callable[[str], object]) -> Way:
        def way(door: Door, placed: Placed) -> object:
            with door.memory.acting_as("scout") as scout:
                fields = {name: make(placed.text) for name, make in more.items()}
                text = content and f"{content} {door.fresh()}"
                return scout.propose(
                    text or placed.text,
                    secrets=Secrets.REDACT,
                    **fields,  # type: ignore[arg-type]
                )

        return way

    yield "propose", proposed()
    yield "propose, trigger", proposed("Ann likes tea", trigger=str)
    yield "propose, name", proposed("Ann likes tea", name=str)
    yield "propose, when", proposed("Ann likes tea", when=str)
    yield "propose, entity", proposed("Ann likes tea", entities=lambda text: (text,))
    yield "sub-agent", lambda d, p: d.memory.acting_as(_alone(p)).close()
    yield "sub-agent's person", _person_of_an_agent
    yield "reject, its reason", _reject


def _person_of_an_agent(door: Door, placed: Placed) -> object:
    with door.memory.acting_as("scout", person=_key(placed.text)) as scout:
        return scout.propose(f"Likes tea {door.fresh()}.")


def _reject(door: Door, placed: Placed) -> object:
    with door.memory.acting_as("scout") as scout:
        done = scout.propose(f"Ann likes rain {door.fresh()}.")
    return door.memory.reject(done.number, reason=placed.text)


def _importing() -> Iterator[tuple[str, Way]]:
    def file(name: str, kind: str, text: Callable[[Placed], object]) -> Way:
        def way(door: Door, placed: Placed) -> object:
            path = door.outside / door.fresh() / name
            write(path, text(placed))
            choice = Secrets.REDACT if door.count % 3 else Secrets.REFUSE
            return door.memory.import_from(path, kind=kind, secrets=choice)

        return way

    yield "Markdown", file("a.md", "markdown", lambda p: f"# A\n\n{p.text}\n")
    yield (
        "Markdown, cut in the middle",
        file("a.md", "markdown", lambda p: f"# A\n\n{FILLER}\n{p.text}\n{FILLER}\n"),
    )
    yield (
        "Markdown, cut at every line",
        file("a.md", "markdown", lambda p: "# A\n\n" + f"{p.text}\n" + FILLER * 3),
    )
    yield (
        "front matter, title",
        file("a.md", "markdown", lambda p: f"---\ntitle: {_key(p.text)}\n---\nTea.\n"),
    )
    yield (
        "front matter, tags",
        file("a.md", "markdown", lambda p: f"---\ntags: [{_key(p.text)}]\n---\nTea.\n"),
    )
    yield (
        "front matter, another field",
        file("a.md", "markdown", lambda p: f"---\nlogin: {_key(p.text)}\n---\nTea.\n"),
    )
    yield "heading", file("a.md", "markdown", lambda p: f"# {_key(p.text)}\n\nTea.\n")
    yield "text", file("a.txt", "text", lambda p: FILLER[:1900] + "\n\n" + p.text)
    yield "Obsidian", file("a.md", "obsidian", lambda p: f"%%no%% {p.text} #tea\n")
    yield (
        "OpenClaw",
        file("2026-01-05.md", "openclaw", lambda p: f"## 09:00\n{p.text}\n"),
    )
    yield "OpenClaw item", file("2026-01-05.md", "openclaw", lambda p: f"- {p.text}\n")
    yield (
        "ChatGPT",
        file(
            "conversations.json",
            "chatgpt",
            lambda p: [chatgpt(message("user", p.text), own=f"c-{hash(p)}")],
        ),
    )
    yield (
        "ChatGPT, two parts",
        file(
            "conversations.json",
            "chatgpt",
            lambda p: [
                chatgpt(message("user", FILLER, p.text, "ok"), own=f"c2-{hash(p)}")
            ],
        ),
    )
    yield "ChatGPT, author", file("conversations.json", "chatgpt", _by_author)
    yield "ChatGPT, title", file("conversations.json", "chatgpt", _titled)
    yield (
        "ChatGPT, id",
        file(
            "conversations.json",
            "chatgpt",
            lambda p: [chatgpt(message("user", "Tea?"), own=_key(p.text))],
        ),
    )
    yield (
        "Claude",
        file(
            "conversations.json",
            "claude",
            lambda p: [claude(chat_message("human", p.text), own=f"u-{hash(p)}")],
        ),
    )
    yield (
        "Claude Code",
        file("s.jsonl", "claude-code", lambda p: _session(p.text)),
    )
    yield "zip", _zip
    yield "file name", lambda d, p: _named(d, f"{_name(p)}.md")
    yield "folder name", lambda d, p: _named(d, f"{_name(p)}/a.md")
    yield "take in", _take_in


def _by_author(placed: Placed) -> object:
    said = message("assistant", "Tea.")
    said["author"] = {"role": "assistant", "name": placed.text}
    return [chatgpt(said, own=f"a-{hash(placed)}")]


def _titled(placed: Placed) -> object:
    return [
        chatgpt(message("user", "Tea?"), own=f"t-{hash(placed)}")
        | {"title": placed.text}
    ]


def _session(text: str) -> str:
    lines = [
        {"type": "user", "uuid": "1", "sessionId": "s", "message": {"content": text}},
        {"type": "summary", "summary": text, "leafUuid": "1"},
    ]
    return "\n".join(map(json.dumps, lines))


def _zip(door: Door, placed: Placed) -> object:
    path = door.outside / f"{door.fresh()}.zip"
    zipped(path, {"a.md": f"# A\n\n{FILLER}\n{placed.text}\n", "b.md": placed.text})
    return door.memory.import_from(path)


def _name(placed: Placed) -> str:
    name = _key(placed.text)
    # A key with a slash, or one of many lines, cannot be a name.
    return name if "/" not in name and len(name) < 120 else "plain"


def _named(door: Door, name: str) -> object:
    folder = door.outside / door.fresh()
    write(folder / name, "Tea at noon.\n")
    return door.memory.import_from(folder)


def _take_in(door: Door, placed: Placed) -> object:
    name = door.fresh()
    words = placed.text
    found: list[Chat | Passage | Finding] = [
        Passage(Provenance("text", name, 1), words, words, None, (words, _key(words))),
        Chat(
            Provenance("claude", f"{name}-c"),
            words,
            None,
            (ChatTurn("user", words, None, words),),
        ),
    ]
    return door.memory.take_in(found)


WAYS: tuple[tuple[str, Way], ...] = (
    *_remembers(),
    *_hearing(),
    *_talking(),
    *_asking(),
    *_proposing(),
    *_importing(),
)


def place_all(
    door: Door, placed: list[Placed], ways: tuple[tuple[str, Way], ...]
) -> int:
    """Put every secret through every way; returns how many were put through."""
    for each in placed:
        for _, way in ways:
            with suppress(ReverieError, OSError):
                way(door, each)
    return len(placed) * len(ways)


# --- a host agent that answers ----------------------------------------------

ROUTE = route(
    store="semantic",
    entities=[],
    relations=[],
    tags=["tea", "trees"],
    confidence="high",
    core_update=False,
    summary="Something.",
)


def answer_all(memory: Memory, placed: list[Placed]) -> int:
    """Answer what a host is asked to route, with a secret in every field of it."""
    count = 0
    for n, each in enumerate(placed):
        lines = [*each.text.split("\n"), each.text]
        for answer in (
            json.dumps(ROUTE | {"summary": each.text}),
            json.dumps(ROUTE | {"tags": lines}),
            json.dumps(ROUTE | {"store": each.text}),
            json.dumps(ROUTE | {each.text: 1}),
            json.dumps(ROUTE | {"entities": [{"id": each.text, "label": each.text}]}),
            f"I think {each.text} is it",
        ):
            count += 1
            with suppress(ReverieError):
                memory.remember(f"Bo planted tree {n} of {count}.")
            for question in memory.questions():
                for _ in range(2):
                    with suppress(ReverieError):
                        memory.answer(question.id, answer)
    return count


def reflect_all(memory: Memory, placed: list[Placed], clock: Clock) -> int:
    """Reflect with a host that puts a secret into whatever it says."""
    count = 0
    for each in placed:
        clock.forward(days=1)
        for step in _steps(memory, each.text):
            count += 1
            with suppress(ReverieError):
                step()
    return count


def _steps(memory: Memory, words: str) -> list[Callable[[], object]]:
    """One reflection, from the check-in to what is said afterwards."""
    reflection = memory.reflection
    return [
        reflection.begin,
        lambda: reflection.reply(f"maybe {words}"),
        lambda: reflection.reply(f"grant 8000: {words}"),
        lambda: reflection.reply("Proceed"),
        lambda: reflection.reply("Proceed"),
        reflection.question,
        *(partial(reflection.answer, said) for said in _thoughts(words)),
        lambda: _decide(memory, f"approve with changes: 1: {words}"),
        lambda: _decide(memory, f"reject: {words}"),
        lambda: reflection.say(words, words),
        lambda: reflection.self_image(json.dumps({"who": [words]})),
        reflection.cancel,
    ]


def _thoughts(words: str) -> Iterator[str]:
    """Answers to every phase: some that do not fit, and some that do."""
    lines = words.split("\n")
    operation = {
        "operation": "EXTRACT",
        "target": "memory/graph/entities/person--alex.md",
        "content": words,
        "reason": words,
    }
    yield words
    yield from map(
        json.dumps,
        (
            {"plan": [{"task": words, "what": words}], "themes": lines},
            {"plan": [], "themes": [words]},
            {"insights": lines, "observations": [words], "guidance": [words]},
            {"operations": [operation]},
            {"add": [{"section": "Active Context", "text": words}]},
            {"monologue": words, "vibe": words, "key_insight": words},
            {"monologue": MONOLOGUE, "vibe": words, "key_insight": words},
        ),
    )


def _decide(memory: Memory, words: str) -> object:
    shown = memory.reflection.status().shown
    return memory.reflection.decide(words, shown)


# --- what is left ------------------------------------------------------------


def everything_on(root: Path) -> Iterator[tuple[str, bytes]]:
    """Every file below a folder, and every object of its histories, unpacked."""
    for file in sorted(root.rglob("*")):
        if file.is_file():
            data = file.read_bytes()
            yield str(file), data
            with suppress(zlib.error):
                yield f"{file} (inflated)", zlib.decompress(data)
        yield f"{file} (its name)", file.name.encode()
    for found in (root / ".audit",):
        repository = pygit2.Repository(str(found))
        for id_ in repository.odb:
            yield f"{found}:{id_}", repository.odb.read(id_)[1]
    for file in root.rglob("*.db"):
        with sqlite3.connect(file) as db:
            yield f"{file} (dumped)", "\n".join(db.iterdump()).encode()


def pieces(secret: str) -> list[bytes]:
    """What of a secret must not be found: all of it, and runs of twelve letters."""
    words = secret.split()
    if len(words) > 2 and all(word.isalpha() for word in words):
        return [" ".join(words[n : n + 3]).encode() for n in range(len(words) - 2)]
    found = [secret]
    for line in secret.split("\n"):
        step = 4 if len(secret) < 200 else 26
        starts = range(0, max(1, len(line) - 11), step)
        found += [line[n : n + 12] for n in starts if len(line) >= 12]
    return [each.encode() for each in found]


def left_on(root: Path, placed: list[Placed]) -> list[str]:
    """Where anything of the secrets is left."""
    wanted = {piece for each in placed for piece in pieces(each.secret)}
    return [
        f"{where}: {piece!r}"
        for where, data in everything_on(root)
        for piece in wanted
        if piece in data
    ]
