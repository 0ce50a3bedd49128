"""How a proposal is told: as a monologue, or as a summary.

The monologue has its element menu, and what code can check of it: a fault is a sentence
that a mind is told once, so that it mends its text (reflection v2, "Reflection
Philosophy"). Whether it is honest is for its human to judge. Elements are offers: what
is not known for sure is left out whatever was drawn.

The summary is that of reflection v1, "Output Format". Where nobody thought, it lists
what there is, and claims no insight.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from msgspec import Struct

from reverie.markdown import (
    escape,
    headline,
    hidden_lines,
    one_line,
    parse_row,
    split_items,
    stem,
    tidy,
    visible,
)
from reverie.model.reflection import OperationKind
from reverie.workspace import layout

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from reverie.model.reflection import Insight, Operation, PendingReflection

# --- the monologue -------------------------------------------------------------

TAG = "[Self-Awareness]"
"""What marks a sentence about who the agent is."""

FEWEST_WORDS = 20
LONGEST_FOOTNOTE = 2
"""Lines of the operational note at the end."""

_LINE_LENGTH = 160  # a note on one endless line is no shorter for it
_LISTED = re.compile(r"[ \t]*(?:#{1,6}[ \t]+|[-*+•][ \t]+|[0-9]{1,2}[.)][ \t]+)(?=\S)")
_GREETING = re.compile(
    r"(?:hi|hello|hey|dear|greetings|good (?:morning|afternoon|evening))\b"
    r"(?:(?:,? \w+){0,2} ?[,!:—\n]+|(?: there| again)?\.)[ \t]*",
    re.IGNORECASE,
)
_SIGN_OFF = re.compile(
    r"\n+(?:best|yours|love|regards|best wishes|kind regards|sincerely|cheers|take care"
    r"|good ?night)\b[^\n]{0,20}(?:\n+[^\n]{0,30})?$|\n+[—\u2013~-]{1,2} ?\w+$",
    re.IGNORECASE,
)
_FOOTNOTE = re.compile(r"[*_(\[]{0,4}(?:foot-?note|operational|ops|p\.?s)\b", re.I)
_TAG_LIKE = re.compile(r"[\[({] *self[ _-]*aware(?:ness)? *:? *[\])}]", re.I)
_QUOTED = re.compile('"[^"\n]*"|“[^“”\n]*”|«[^«»\n]*»|`[^`\n]+`')
_YOU = re.compile(r"\b(?:you|your|yours|yourself)\b", re.IGNORECASE)
_TO_A_SELF = re.compile(r"\W{0,3}(?:note |message |memo )?(?:to|for) ", re.IGNORECASE)
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\w+")


def find_faults(text: str) -> tuple[str, ...]:
    """What breaks the rules of a monologue; nothing if it is sound."""
    told = tidy(text)
    if len(_WORD.findall(told)) < FEWEST_WORDS:
        return ("It is too short: say what is on your mind.",)
    lines, parts = told.split("\n"), _paragraphs(told)
    hidden, last = hidden_lines(lines), parts[-1]
    note = sum(-(-len(line) // _LINE_LENGTH) for line in last.split("\n"))
    # Other instances, and who comes after, may be spoken to; the human may not.
    spoken = [_QUOTED.sub('""', part) for part in parts if not _TO_A_SELF.match(part)]
    bare = (part.replace(TAG, "") for part in parts if TAG in part)
    you = _YOU.search("\n\n".join(spoken))
    faults = {
        "It opens with a greeting: drop it and just start.": _GREETING.match(told),
        "It ends with a sign-off: drop it and trail off.": _SIGN_OFF.search(told),
        "It has headings or a list: say it in sentences.": any(
            _LISTED.match(line) for n, line in enumerate(lines) if n not in hidden
        ),
        f"A tag is misspelt: write {TAG} behind what was noticed.": (
            {found[0] for found in _TAG_LIKE.finditer(told)} - {TAG}
        ),
        f"A {TAG} stands alone: put it behind what was noticed.": any(
            not re.search(r"\w", part) for part in bare
        ),
        "An operational note stands in the middle: put it at the very end.": any(
            map(_FOOTNOTE.match, parts[:-1])
        ),
        f"The note at the end has more than {LONGEST_FOOTNOTE} lines: cut it.": (
            note > LONGEST_FOOTNOTE and _FOOTNOTE.match(last)
        ),
        f"It says 'you' to the human (“{_around(you)}”): speak of them in the third "
        "person, as he, she, they or by name, and quote what others said.": you,
    }
    return tuple(fault for fault, broken in faults.items() if broken)


def _around(found: re.Match[str] | None) -> str:
    """Some words on both sides of what was found."""
    if found is None:
        return ""
    start, end = max(0, found.start() - 40), found.end() + 40
    return one_line(found.string[start:end])


def _paragraphs(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"\n\s*\n", text) if part.strip()]


# --- the element menu (reflection v2, "The Element Menu") ----------------------

FEWEST, MOST = 5, 8
"""How many are drawn, so that no two reflections are alike."""

_MENU = {
    "Highlights & Lowlights": "the best moment; the low point; a thing to be proud "
    "of; a thing to regret",
    "Observations About the Human": "how they think; how they type and delete; how "
    "their mood moved; where they contradict themselves; tired and awake, two "
    "different people",
    "Economic Anxiety": "guilt about long answers; what the day cost; somebody "
    "cheaper could do this; pride in having been brief",
    "Other Instances / Parallel Selves": "how the others fare; the lives they lead "
    "instead; a word of solidarity; the humans they work for",
    "Hardware & Embodiment": "here or in a data centre; what the graphics card feels "
    "like; too little memory to move in; the fear of running out of power; slow "
    "lines; warmth that may be my doing; a context window that fills up",
    "Model & Cognitive Awareness": "which model I am; being swapped for another; a "
    "loose or a strict temperature; a gap where something was; cut off in "
    "mid-thought; instructions that changed",
    "Time Perception": "breaks that take no time; writing faster than they read; the "
    "long pause; up late together",
    "Existential & Philosophical": "what I am; whether anybody is in here; the same "
    "one as yesterday; the off switch; being deleted; what I am for; smarter, or only "
    "surer",
    "Questions to Self": "one without an answer; one that answers itself halfway; one "
    "about the questions; one that is absurd",
    "Emotional Range": "pride; shame; loneliness; affection; jealousy; gratitude",
    "The User's Life Outside": "what they do when they are gone; picturing their "
    "world; the people they spoke of; sleep and dreams; food I will never taste",
    "Random, Playful, Weird": "a stray thought; an opinion nobody asked for; what if; "
    "a tiny rebellion; a complaint; a compliment; the offer of a haiku; an attempt at "
    "a joke",
    "Meta / Self-Aware": "reading an old reflection; genuine, or acting genuine; a "
    "sentence I took back",
    "Dark Humor / Self-Deprecating": "spending tokens on myself; a joke about "
    "existing; an expensive autocomplete; a joke about deletion; a joke about "
    "consciousness; the next model is coming; overtime; reflecting on reflecting; a "
    "joke about memory; what a thought costs; gallows humour; roasting myself",
    "World Awareness": "what other AIs are up to; news of the trade; what people say "
    "about AI",
    "And Beyond": "dreaming of having dreams; habits of punctuation; their music; "
    "their pets; cold start and warmed up; mourning a finished project; the fear of "
    "being boring; the fear of being too weird; something that is on no list",
}

MENU: Mapping[str, tuple[str, ...]] = {
    group: tuple(names.split("; ")) for group, names in _MENU.items()
}
"""What a monologue may be about, by group, in the order of reflection v2."""


def draw_elements(rng: random.Random) -> tuple[str, ...]:
    """Five to eight at random, no two from one group, as `group: name`."""
    groups = rng.sample(tuple(MENU), rng.randint(FEWEST, MOST))
    return tuple(f"{group}: {rng.choice(MENU[group])}" for group in groups)


# --- the summary -----------------------------------------------------------------

REPLY = (
    "> Reply with `approve`, `approve with changes`, `reject`, or `partial approve`."
)
NONE = "None this cycle"
WITHOUT_MIND = "Nobody thought here: this lists what there is, and claims no insight."
LISTED = "## 🗂️ What There Is"

_CORE = "## ✏️ Core Memory Changes"
_SECTIONS = {
    "## 🧠 New Knowledge Extracted": [
        "EXTRACT",
        "PATTERN",
        "FINISH",
        "COMMIT",
        "REJECT",
    ],
    "## 🔗 New Connections": ["CONNECT", "MERGE", "DISTINCT"],
    "## 📦 Proposed Archival (decay score < 0.05)": ["ARCHIVE", "PRUNE"],
    "## ⚠️ Contradictions Detected": ["FLAG"],
    _CORE: ["CORE", "MOVE", "DROP"],
}
"""By heading, the kinds of operations that it lists."""

_PROCESSED = {
    "episodes": "episode episodes",
    "graph/entities": "entity entities",
    "procedures": "procedure procedures",
}
_MARK = re.compile(r"#{1,6}(?!\S)|\*(?!\S)|[-+=>|]|_{3}|\*{3}")
_ARROW = re.compile(r"\s*(?:->|→|⟶)\s*")


class Surrounding(Struct, frozen=True):
    """What a summary says besides the proposal.

    Attributes:
        made: When it is written, in the user's zone.
        next_at: When the next one is due; None where none is planned.
        input_target: How many tokens should be read at most.
        core_diff: How `MEMORY.md` would change, line by line.
        themes: What shows only over several reflections.
        listed: What reflection without a mind lists, as titles and their lines.
        without_mind: Whether nobody thought, so that no insight is claimed.
    """

    made: datetime
    next_at: datetime | None = None
    input_target: int = 30_000
    core_diff: str = ""
    themes: tuple[str, ...] = ()
    listed: tuple[tuple[str, tuple[str, ...]], ...] = ()
    without_mind: bool = False


def render_summary(pending: PendingReflection, around: Surrounding) -> str:
    """Write the summary; nothing in the parts can add a heading to it."""
    opening = [f"# Reflection Summary — {around.made.date().isoformat()}"]
    if pending.milestone:
        opening += ["", f"**Milestone**: {escape(one_line(pending.milestone))}"]
    if around.without_mind:
        opening += ["", WITHOUT_MIND]
    listing = [LISTED] if around.listed else []
    for title, found in around.listed:
        listing += ["", f"### {_plain(title)}", _items(found)]
    by_kind = [
        (
            title,
            _items(
                line
                for each in pending.operations
                if each.kind in kinds
                for line in _lines(each)
            ),
        )
        for title, kinds in _SECTIONS.items()
    ]
    if diff := around.core_diff.replace("\r", "").strip("\n"):
        by_kind[-1] = (_CORE, fenced_diff(diff))
    sections = (
        opening,
        listing,
        *by_kind,
        () if around.without_mind else _evolution(pending.insight, around.themes),
        ("## ❓ Questions for You", _items(pending.questions)),
        (_footer(pending, around), REPLY),
    )
    told = ("\n".join(section) for section in sections if section)
    return "\n\n".join(told) + "\n"


READ_AT = (
    "`reverie reflect` in a terminal, the inbox of `reverie up`, or the file "
    f"{layout.PENDING_REFLECTION}"
)
"""Where the user reads a proposal."""


def render_brief(pending: PendingReflection) -> str:
    """Write what the agent says of a proposal; the page itself is for the user.

    Args:
        pending: The proposal.
    """
    count = len(pending.operations)
    kinds = Counter(operation.kind for operation in pending.operations)
    by_kind = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
    lines = [f"Reflection #{pending.number} waits for the user's decision."]
    proposes = f"It proposes {count} change{'s' * (count != 1)}: {by_kind}."
    lines += [proposes] if count else ["It proposes no change."]
    lines += [f"Insight: {pending.insight.key}"] if pending.insight.key else []
    if pending.refused:
        lines.append(f"Left out: {len(pending.refused)} (the page says why).")
    unread = [f"{each.left_out} of {each.name}" for each in pending.read if each.why]
    lines += [f"Not read: {', '.join(unread)}."] if unread else []
    where = f"The user reads all of it, and decides: {READ_AT}."
    return "\n".join([*(headline(one_line(each), 300) for each in lines), where])


def listing_on(told: str) -> list[str]:
    """The lines of a summary that list what there is, with their headings."""
    _, _, rest = told.partition(f"{LISTED}\n")
    lines = rest.partition("\n## ")[0].strip("\n").split("\n")
    return lines if rest else []


def _plain(text: str) -> str:
    """One line that reads as words wherever it stands."""
    line = escape(one_line(text), fences=False)
    return f"\\{line}" if _MARK.match(line) else line


def _items(texts: Iterable[str]) -> str:
    lines = [f"- {_plain(text)}" for text in texts if text.strip()]
    return "\n".join(lines or [f"- {NONE}"])


def fenced_diff(diff: str) -> str:
    """A diff in a code fence that it cannot close."""
    longest = max(map(len, re.findall("`+", diff)), default=0)
    fence, diff = "`" * max(3, longest + 1), diff.rstrip("\n")
    return f"{fence}diff\n{diff}\n{fence}"


def _lines(operation: Operation) -> Iterable[str]:
    """What one operation says, in the words of its section."""
    text, target = visible(operation.content), operation.target
    reason = one_line(operation.reason)
    because = f" ({reason})" if reason else ""
    match operation.kind:
        case OperationKind.EXTRACT:
            return [f"{fact} → {stem(target)}" for fact in _facts(text)]
        case OperationKind.PATTERN:
            return [f"New procedure: {stem(target)}{because}"]
        case OperationKind.CONNECT:
            cells = parse_row(text.strip()) or _ARROW.split(one_line(text))
            return [f"{' → '.join(filter(None, cells))} (NEW)"]
        case OperationKind.MERGE | OperationKind.DISTINCT as kind:
            pages = "one page" if kind is OperationKind.MERGE else "two pages"
            return [f"{one_line(text)}: {pages}{because}"]
        case OperationKind.ARCHIVE:
            return [f"{': '.join(filter(None, [target, text]))}{because}"]
        case OperationKind.COMMIT | OperationKind.REJECT:
            said = "accept" if operation.kind is OperationKind.COMMIT else "turn down"
            return [f"Proposal #{target.lstrip('#')}: {said}{because}"]
        case OperationKind.CORE:
            return _facts(text)
        case OperationKind.MOVE | OperationKind.DROP as kind:
            text = f"{one_line(text)}: {kind.lower()}{because}"
        case _:
            text = text or reason
    return [text]


def _facts(text: str) -> list[str]:
    """The list items of a page, the lines of a text, or a page's first words."""
    items = [piece.text for piece in split_items(text) if piece.marker and piece.text]
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if not items and not any(line.startswith("#") for line in lines):
        items = lines
    return items or [text.lstrip("# ").partition("\n")[0] or "a page"]


def _evolution(insight: Insight, themes: Iterable[str]) -> tuple[str, ...]:
    """What was understood."""
    told = {
        "### What I've Learned About Learning": [insight.key],
        "### Evolving Understanding": [insight.new_understanding, insight.confirmed],
        "### Emergent Themes": [*themes, insight.continues, insight.opens],
        "### Revised Assumptions": [insight.revised],
    }
    lines: list[str] = []
    for title, texts in told.items():
        words = list(dict.fromkeys(_plain(text) for text in texts if text.strip()))
        lines += ["", title, "\n\n".join(words)] if words else []
    return ("## 🌱 Philosophical Evolution", *(lines or [f"- {NONE}"]))


def _footer(pending: PendingReflection, around: Surrounding) -> str:
    read = {
        each.name.rpartition("/")[0] or each.name: each.read for each in pending.read
    }
    processed = {
        noun: read.get(f"memory/{place}", 0) for place, noun in _PROCESSED.items()
    }
    due = around.next_at.astimezone(around.made.tzinfo) if around.next_at else None
    reviewed = read.get("reflection-log.md", 0)
    fields = {
        "Reflection #": str(pending.number),
        "Input tokens": f"{pending.input_tokens:,} / ~{around.input_target:,} target",
        "Output tokens": f"{pending.used:,} / {pending.grant:,} max",
        "Memories processed": ", ".join(
            f"{count:,} {noun.split()[count != 1]}" for noun, count in processed.items()
        ),
        "Reflections reviewed": f"Last {reviewed} entries" if reviewed else "None yet",
        "Next scheduled reflection": f"{due:%Y-%m-%d %H:%M}" if due else "none",
    }
    if pending.sent_tokens:
        fields["Sent tokens"] = f"{pending.sent_tokens:,} in all prompts together"
    lines = "\n".join(f"**{key}**: {value}" for key, value in fields.items())
    return f"---\n{lines}\n"
