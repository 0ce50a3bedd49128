"""What the tour shows, as data: a new capability adds a step here."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from reverie.model.ids import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from reverie.memory import Memory

NO_TIME = timedelta()


@dataclass(frozen=True, slots=True)
class Type:
    """A command of ours, typed as a user would.

    Attributes:
        line: What is typed; `{names}` are filled in from LOOKUPS.
        code: The exit code it should end with.
    """

    line: str
    code: int = 0


@dataclass(frozen=True, slots=True)
class Shell:
    """Something a person does outside Reverie: an editor, a plain git."""

    line: str


@dataclass(frozen=True, slots=True)
class Kill:
    """A program that writes many memories and is killed in the middle of it."""

    after: int


Command = Type | Shell | Kill


@dataclass(frozen=True, slots=True)
class Step:
    """One stop of the tour.

    Attributes:
        title: What it is about.
        says: What happens, in a sentence or two.
        commands: What is typed.
        passes: How much time has passed since the step before.
        needs: A program without which the step is left out.
    """

    title: str
    says: str
    commands: tuple[Command, ...]
    passes: timedelta = NO_TIME
    needs: str = ""


def _day_log(memory: Memory) -> str:
    return memory.items(Store.EPISODIC)[-1].path


def _newest(memory: Memory) -> str:
    return memory.history(actor="manual", limit=1)[0].commit[:10]


LOOKUPS: Mapping[str, Callable[[Memory], str]] = {
    "{day-log}": _day_log,
    "{newest}": _newest,
}
"""What is only known once the tour is under way."""

STEPS = (
    Step(
        "A workspace is a folder",
        "Plain Markdown, for you and the agent to read. .audit/ is a git repository "
        "that keeps every change; .reverie/ is an index that may be thrown away.",
        (Type("reverie init"), Shell("ls -A")),
    ),
    Step(
        "Five stores for five kinds of memory",
        "What happened, what is known, how things are done, what is protected, and "
        "the little that is always in sight. Each answer means: committed and "
        "synced to disk. A killed process or a power cut does not lose it.",
        (
            Type('reverie remember "Chose SQLite for the index." --kind decision'),
            Type(
                'reverie remember "Works at Acme." \\\n'
                "    --store semantic --about Alex --type person"
            ),
            Type(
                "reverie remember 'Run make check.\nTag the version.' \\\n"
                '    --store procedural --name "cut a release"'
            ),
            Type(
                'reverie remember "Passport X1234567, until 2031." \\\n'
                "    --store vault --title Passport"
            ),
            Type('reverie remember "Moving house this month." --store core'),
            Type("reverie show"),
        ),
    ),
    Step(
        "A person edits a file",
        "Any editor will do, at any time. The edit is noticed at the next look, "
        "kept as yours (manual), and never overwritten.",
        (
            Shell("echo '- Allergic to peanuts.' >> MEMORY.md"),
            Type("reverie history MEMORY.md --limit 1"),
            Type("reverie diff {newest}"),
            Type("reverie show core"),
        ),
        passes=timedelta(days=1, hours=3),
    ),
    Step(
        "Core memory has a budget",
        "It is always in the agent's context, so it must stay small. When a block "
        "is full, its least relevant item moves to the store it belongs to. Here "
        "the block is made tiny for one command, to see it happen.",
        (
            Type(
                "REVERIE_CORE_CONTEXT_TOKENS=85 \\\n"
                '    reverie remember "Paper due on Friday." --store core'
            ),
            Type("reverie show episodic"),
        ),
        passes=timedelta(hours=2),
    ),
    Step(
        "A fact takes the place of another",
        "The old fact is struck out and kept, with the day it stopped holding. It "
        "is no longer told as current.",
        (
            Type(
                'reverie remember "Works at Globex." --store semantic --about Alex \\\n'
                '    --type person --supersedes "Works at Acme."'
            ),
            Shell("grep -o '^- [^<]*' memory/graph/entities/person--alex.md"),
            Type("reverie show entity:person--alex"),
        ),
        passes=timedelta(hours=1),
    ),
    Step(
        "Ask in plain words",
        "Every answer says where it stands and why it was found, by words, by "
        "meaning and by the graph. Nothing leaves this machine. What it is not sure "
        "of, it says. `context` makes a block of it for an agent's prompt.",
        (
            Type("reverie recall where does Alex work"),
            Type("reverie why entity:person--alex where does Alex work"),
            Type("reverie context where does Alex work"),
            Type("reverie recall the password of the neighbours"),
        ),
        passes=timedelta(minutes=10),
    ),
    Step(
        "Bring in what you have",
        "Documents, notes, chat exports of ChatGPT and Claude. Doing it again adds "
        "nothing twice, and an import that was cut off goes on.",
        (
            Shell(
                "mkdir drafts && printf "
                "'# Lisbon\\n\\nStayed in Alfama, close to the river.\\n' \\\n"
                "    > drafts/2025-05-01-trip.md"
            ),
            Type("reverie import drafts"),
            Type("reverie import drafts"),
            Shell("rm -r drafts"),
            Type("reverie embed"),
            Type("reverie recall where did I stay in Lisbon in May 2025"),
        ),
        passes=timedelta(minutes=10),
    ),
    Step(
        "Memories fade, unless they are pinned",
        "Standing is a score between 0 and 1 that sinks while a memory is of no use.",
        (
            Type("reverie reinforce procedure:cut-a-release"),
            Type("reverie pin entity:person--alex"),
            Type("reverie show semantic"),
        ),
        passes=timedelta(minutes=20),
    ),
    Step(
        "Critical files raise an alert",
        "SOUL.md says who the agent is. Whoever changes it, you are told until you "
        "say that you have seen it.",
        (
            Shell("echo 'Be kind, be brief.' > SOUL.md"),
            Type("reverie alerts"),
            Type("reverie alerts --ack SOUL.md"),
        ),
        passes=timedelta(minutes=30),
    ),
    Step(
        "Who wrote this, and when?",
        "Every line of every file is accounted for.",
        (
            Type("reverie blame memory/graph/entities/person--alex.md"),
            Type("reverie history --actor bot --limit 2"),
        ),
        passes=timedelta(minutes=5),
    ),
    Step(
        "Why was it forgotten?",
        "Somebody removes a file by hand. History says who and when, and undo takes "
        "back that one change; what came after it stays.",
        (
            Shell("rm memory/procedures/cut-a-release.md"),
            Type("reverie history --forgotten release"),
            Type("reverie undo {newest}"),
            Type("reverie show procedural"),
        ),
        passes=timedelta(hours=4),
    ),
    Step(
        "Back to a moment",
        "An agent has a bad hour. The whole workspace goes back to before it; that "
        "is one more change, so it can be undone as well.",
        (
            Type('reverie remember "The moon is made of cheese." --kind fact'),
            Type(
                'reverie remember "Loves peanuts." --store semantic --about Alex \\\n'
                "    --type person"
            ),
            Type('reverie restore --at "2 hours ago" --yes'),
            Type("reverie show episodic"),
        ),
        passes=timedelta(hours=5),
    ),
    Step(
        "A mistake in a file stops nothing",
        "A heading typed wrongly is reported with file and line. The file stays as "
        "it is, and everything else works on.",
        (
            Shell("printf '\\n## lunch\\nSoup.\\n' >> {day-log}"),
            Type("reverie check", code=1),
            Type('reverie remember "Soup on Mondays." --store core'),
            Type("reverie undo --file {day-log}"),
            Type("reverie check"),
        ),
        passes=timedelta(hours=1),
    ),
    Step(
        "Killed in the middle of it",
        "A program writes one memory after another and is killed without warning. "
        "Every write it was told about is there.",
        (Kill(after=20), Type("reverie check")),
    ),
    Step(
        "It is plain git underneath",
        "No tool of ours is needed to read, copy or verify the history.",
        (
            Shell("git log --oneline | tail -4"),
            Shell("git status --short"),
            Shell("git fsck --strict && echo intact"),
        ),
        needs="git",
    ),
    Step(
        "The index can be thrown away",
        "Files are the truth; the rest is made from them.",
        (Shell("rm -r .reverie"), Type("reverie rebuild")),
    ),
    Step(
        "Erased for good",
        "Forgetting keeps history, erasing does not: every version goes, and a scan "
        "of all files and git objects shows that nothing is left.",
        (
            Type("reverie erase vault:passport --yes"),
            Shell("grep -r X1234567 . || echo 'not found'"),
        ),
    ),
)
