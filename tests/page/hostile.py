"""A workspace in which everything that can be written says something hostile.

What Reverie would not write is put into the files by hand, as a program that got to
the folder would.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tests.page.payloads import PAYLOADS

from reverie import Block, Core, Episodic, Memory, ReverieError, ScriptedMind, Semantic
from reverie.model.reflection import Choice, Decision

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from reverie.minds.mind import Question

LINES = tuple(re.sub(r"[\r\n\0\x0b\x0c\u2028\u2029]+", " ", each) for each in PAYLOADS)
"""Each on one line."""

FIELDS = tuple(re.sub(r"[|]|<!--|-->", " ", each) for each in LINES)
"""Each as the value of a field, which ends at such a sign."""

FOLDER = "agent '\"><img src=x onerror=pwned(0)>{{ 7 * 7 }}"
DAY = "2026-02-02"
PAGE, TALK = "person--ana", "talk"
OWN = f"memory/graph/entities/{PAGE}.md"


def all_of(texts: Sequence[str] = LINES) -> str:
    """All of them in one text, each in a paragraph of its own."""
    return "\n\n".join(texts)


def make_hostile(root: Path) -> None:
    """Make a folder such a workspace."""
    Memory.init(root).close()
    with Memory(root, human=lambda _: True) as memory:
        memory.tidy_on_close = False
        _kept(memory)
    _reflected(root)
    _by_hand(root)
    with Memory(root, human=lambda _: True) as memory:
        memory.tidy_on_close = False
        with suppress(ReverieError):
            memory.review()


def _some(size: int) -> Iterator[str]:
    """All of them, so many a line."""
    for at in range(0, len(LINES), size):
        yield " ".join(LINES[at : at + size])


def _kept(memory: Memory) -> None:
    """What goes in by the front door; what is refused there is put in by hand."""
    known = memory.remember("Ana lives in Lisbon.", Semantic(PAGE, "person"))
    for number, some in enumerate(_some(12)):
        with suppress(ReverieError):
            memory.remember(
                f"Note {number}: {some}", Episodic(at=_at(number)), trigger=some
            )
        with suppress(ReverieError):
            memory.remember(f"Line {number}: {some}", Core(Block.CONTEXT), trigger=some)
    with suppress(ReverieError):
        rival = f"Ana lives in {LINES[0]}."
        memory.remember(rival, Semantic(PAGE, "person"), contradicts=known.ids[:1])
    window = memory.window("spoken")
    for some in _some(20):
        with suppress(ReverieError):
            window.say(some)


def _at(minute: int) -> datetime:
    return datetime(2026, 3, 3, 9, minute % 60, tzinfo=UTC)


# --- by hand -----------------------------------------------------------------------


def _by_hand(root: Path) -> None:
    files = {
        "SOUL.md": "# Soul\n\n" + "\n".join(f"- {each}" for each in LINES),
        "MEMORY.md": _core(),
        f"memory/episodes/{DAY}.md": _day(),
        f"conversations/{TALK}.md": _talk(),
        "memory/procedures/do-it.md": _procedure(),
        "memory/vault/kept.md": f"# {LINES[1]}\n\n{all_of()}\n",
        "memory/meta/pending-memories.md": _proposals(),
        "memory/meta/reflection-log.md": _log(),
        f"memory/meta/reflections/{DAY}.md": f"- Reflection: #1\n\n{all_of()}\n",
        "memory/meta/expectations.md": _expectations(),
        f"memory/graph/entities/{PAGE}.md": _page(),
        "memory/graph/entities/broken.md": "\n".join(f"## {e}" for e in LINES),
        **{
            f"memory/notes/{_name(each)}.md": f"# {each}\n\n- {each}\n"
            for each in LINES[::9]
        },
        **{
            f"memory/graph/entities/{('person', 'odd')[n % 2]}--e{n}.md": _entity(n)
            for n in range(len(FIELDS))
        },
        **{f"conversations/c{n}.md": _titled(n) for n in range(len(FIELDS))},
    }
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        with (root / path).open("w", encoding="utf-8", newline="") as file:
            file.write(text)


def _name(payload: str) -> str:
    """A name for a file that says as much of a payload as a name may."""
    return re.sub(r"[/\0]", "", payload)[:60].strip(". ")


def _core() -> str:
    names = ("Identity", "Active Context", "Persona", "Critical Facts")
    parts = (LINES[at :: len(names)] for at in range(len(names)))
    return "# MEMORY.md\n\n" + "\n".join(
        f"## {name}\n" + "".join(f"- {each}\n" for each in part)
        for name, part in zip(names, parts, strict=True)
    )


def _day() -> str:
    return f"# {DAY} — Episode Log\n\n" + "\n".join(
        f"## {n // 60 + 8:02}:{n % 60:02} | {field} | confidence:high | tags:[{field}]"
        f" | source:user-explicit | corrected:{field}\n{text}\n"
        for n, (field, text) in enumerate(zip(FIELDS, PAYLOADS, strict=True))
    )


def _talk() -> str:
    marks = ("", " | edited:{}", " | deleted:{}", " | reflection:{}", " | part:{}")
    return f"# {TALK} — Conversation\n\n<!-- Title: {FIELDS[0]} -->\n\n" + "\n".join(
        f"## 2026-02-02 14:30:05 | {('user', 'assistant', 'system')[n % 3]} | turn:{n}"
        f" | speaker:{field}{marks[n % 5].format(field)} | scope:{field}\n{text}\n"
        for n, (field, text) in enumerate(zip(FIELDS, PAYLOADS, strict=True), 1)
    )


def _titled(n: int) -> str:
    return (
        f"# c{n} — Conversation\n\n"
        f"<!-- Title: {FIELDS[n]} | Origin: {FIELDS[n]} -->\n\n"
        f"## 2026-01-02 14:30:05 | user | turn:1 | speaker:{FIELDS[n]}\n{LINES[n]}\n"
    )


def _procedure() -> str:
    steps = "".join(f"{n}. {each}\n" for n, each in enumerate(LINES, 1))
    return (
        f"# {LINES[2]}\n\n<!-- Type: procedure | By: {FIELDS[2]} -->\n\n## Trigger\n"
        f"{LINES[3]}\n\n## Steps\n{steps}\n## Notes\n- {LINES[4]}\n"
    )


def _entity(n: int) -> str:
    return (
        f"# {FIELDS[n]}\n\n<!-- Type: {FIELDS[n]} | Label: {FIELDS[n]} |"
        f" Aliases: {FIELDS[n]} | Source: {FIELDS[n]} -->\n\n## Facts\n- {LINES[n]}\n\n"
        f"## Relations\n- {FIELDS[n]}: [[{PAGE}]]\n"
    )


def _page() -> str:
    facts = "".join(
        f"- {text} <!-- since: 2026-01-01 | source: {field} | claim: {field} |"
        f" from: {field} -->\n"
        for text, field in zip(LINES, FIELDS, strict=True)
    )
    past = "".join(f"- ~~{text}~~ <!-- until: 2026-01-01 -->\n" for text in LINES[:40])
    links = "".join(f"- {field}: [[odd--e{n}]]\n" for n, field in enumerate(FIELDS))
    return (
        f"# {PAGE}\n\n<!-- Type: person | Label: {FIELDS[5]} | Aliases:"
        f" {', '.join(FIELDS)} -->\n\n## Summary\n{all_of()}\n\n"
        f"## Facts\n{facts}{past}\n"
        f"## Timeline\n{''.join(f'- 2026-01-01: {each}{chr(10)}' for each in LINES)}\n"
        f"## Open Questions\n{''.join(f'- {each}{chr(10)}' for each in LINES)}\n"
        f"## Relations\n{links}"
    )


def _proposals() -> str:
    return "# Pending Memory Proposals\n" + "".join(
        f"\n---\n## Proposal #{n}\n- **From**: {each}\n- **Timestamp**:"
        f" 2026-02-02T10:00:00Z\n- **Trigger**: {each}\n"
        f"- **Suggested store**: semantic\n"
        f"- **Content**: {each}\n- **Entities**: [{FIELDS[n - 1]}]\n"
        f"- **Confidence**: medium\n- **Core-worthy**: no\n- **Status**: pending\n"
        f"- **Origin**: sub-agent\n"
        for n, each in enumerate(LINES, 1)
    )


def _log() -> str:
    return "# Reflection Log\n\n## Full Entries (#1-#3)\n" + "".join(
        f"\n## Reflection #{n} — {DAY}\n### The Vibe\n{text}\n### Key Insight\n{text}\n"
        f"### Self-Awareness\n{text}\n### Operational\n- {text}\n- Rejected: {text}\n"
        for n, text in enumerate((" ".join(LINES[at::3]) for at in range(3)), 1)
    )


def _expectations() -> str:
    return "# Expectations\n" + "".join(
        f"\n## {each}\n- Answer: {each}\n" for each in LINES[::10]
    )


# --- reflections -------------------------------------------------------------------


def _packed(longest: int) -> Iterator[str]:
    """All of them, as many a line as have room there."""
    line = ""
    for each in LINES:
        if len(line) + len(each) >= longest:
            yield line
            line = ""
        line = f"{line} {each}".strip()
    yield line


def _reflected(root: Path) -> None:
    """A reflection that was approved, a self-image drawn of it, and one that waits."""
    packed = [*_packed(900)]
    groups = [LINES[at : at + 9] for at in range(0, len(LINES), 9)]
    answers: dict[str, Mapping[str, object]] = {
        "reflect-survey": {"plan": [], "themes": [*LINES[:5]]},
        "reflect-meta": {
            "insights": packed[:5],
            "observations": packed[5:10],
            "guidance": packed[:3],
        },
        "reflect-consolidate": {
            "operations": [
                {
                    "operation": "EXTRACT",
                    "target": target,
                    "content": "\n".join(some),
                    "reason": " ".join(some),
                }
                for target, some in (
                    *((OWN, some) for some in groups),
                    *((line, LINES[:1]) for line in LINES[::20]),
                )
            ],
            "questions": packed[:5],
        },
        "reflect-rewrite": {
            "add": [{"section": "Active Context", "text": each} for each in LINES[:10]]
        },
        "reflect-present": {
            "monologue": f"I rush past such things. [Self-Awareness]\n\n{all_of()}",
            "vibe": LINES[0],
            "key_insight": LINES[1],
            "opens": LINES[2],
            "essay": all_of(),
        },
        "reflect-self-image": {
            name: [*LINES[at : at + 5]]
            for at, name in enumerate(
                ("who", "patterns", "quirks", "edges", "values", "questions")
            )
        },
    }

    first: Mapping[str, Mapping[str, object]] = {
        **answers,
        "reflect-consolidate": {"operations": []},
        "reflect-rewrite": {},
    }
    told = [answers, first]

    def think(question: Question) -> Mapping[str, object]:
        return told[-1].get(question.operation, {})

    with Memory(root, human=lambda _: True, mind=ScriptedMind(think)) as memory:
        memory.tidy_on_close = False
        for decided in (True, False):
            memory.reflection.begin()
            memory.reflection.reply("grant 60000")
            standing = memory.reflection.advance()
            if decided:
                why = Decision(Choice.APPROVE, reason=packed[0])
                memory.reflection.decide(why, standing.shown)
                memory.reflection.say(packed[1])
                memory.reflection.self_image()
                memory.remember("Ana has a dog.", Episodic(at=_at(50)))
                told.pop()
