"""Ways of doing something: what they are called, when they apply, what to do."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.encoding.routing.lexicon import ORDERS, words_in
from reverie.encoding.routing.reading import MOST_READ

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LONGEST_TITLE = 80
"""So many characters the name of a procedure may have."""

LONGEST_TOLD = 4_000
"""So many characters a procedure may have that is not a list of lines."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A way of doing something, as a text tells it.

    Attributes:
        name: What it is called, in words of the text.
        trigger: When to do it; empty where the text does not say.
        steps: What to do, in order.
    """

    name: str
    trigger: str
    steps: tuple[str, ...]


def recipe_in(text: str) -> Recipe | None:
    """The procedure a text tells; None where it tells none."""
    clean = _OPENER.sub("", text.replace("\u2019", "'").strip(), count=1)
    readers = (_listed,) if len(clean) > LONGEST_TOLD else _READERS
    for reads in readers:
        found = reads(clean)
        if found and found.steps:
            return found
    return None


def steps_of(text: str) -> str:
    """The steps of a procedure, one on each line; other texts stay as they are."""
    found = recipe_in(text)
    return "\n".join(found.steps) if found else text.strip()


# --- lists -------------------------------------------------------------------


def _listed(text: str) -> Recipe | None:
    """Lines with numbers or dashes, perhaps under a heading."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    marks = [_ITEM.match(line) for line in lines]
    first = next((n for n, mark in enumerate(marks) if mark), len(lines))
    if len(lines) - first < 2 or first > 2:
        return None
    items = _joined(lines[first:])
    numbered = lines[first][0].isdigit()
    heading = " ".join(lines[:first])
    told = numbered or _PROCESS.search(heading[:LONGEST_TITLE])
    if len(items) < 2 or not (told or sum(map(_orders, items)) * 2 > len(items)):
        return None
    return _titled(heading, items)


def _joined(lines: Sequence[str]) -> list[str]:
    """Items without their marks; a line without one goes on with the last."""
    items: list[list[str]] = []
    for line in lines:
        mark = _ITEM.match(line)
        if mark or not items:
            items.append([])
        items[-1].append(line[mark.end() if mark else 0 :].strip())
    return [" ".join(item) for item in items if any(item)]


def _inline(text: str) -> Recipe | None:
    """`1. Stop the service 2. Copy the database`."""
    if "\n" in text or not _ONE_TWO.search(text[:MOST_READ]):
        return None
    heading, *parts = _NUMBER.split(text)
    return _titled(
        heading, [part.strip(" ,;.") for part in parts if part.strip(" ,;.")]
    )


def _titled(heading: str, steps: Sequence[str]) -> Recipe | None:
    """A list under a heading, which may say when it applies or what it is for."""
    title = heading.strip(" :\u2013\u2014-#*")
    found = _FOR.match(title)
    if found:
        title = found[1].strip()
    title = _HIS.sub("", title)
    name = title or (steps[0] if steps else "")
    return Recipe(_short(name), _asked(title), tuple(steps)) if name else None


# --- sentences ---------------------------------------------------------------


def _to(text: str) -> Recipe | None:
    """`To deploy, run the tests`, `to get a visa you fill in the form`."""
    found = _TO.match(text)
    if not found or found["goal"].split()[0].lower() in _NO_GOALS:
        return None
    body = found["body"]
    if not found["you"] and not _begins(body) and not _may_order(body):
        return None
    return _goal(found["goal"], _steps(body))


def _may_order(body: str) -> bool:
    """Whether a clause has no subject, so that its first word must be a verb."""
    first = body.split(maxsplit=1)[0]
    return first.isalpha() and first.islower() and first not in _SUBJECTS


def _how_to(text: str) -> Recipe | None:
    found = _HOW_TO.match(text)
    return _goal(found["goal"], _steps(found["body"])) if found else None


def _way_to(text: str) -> Recipe | None:
    found = _WAY_TO.match(text) or _BY_DOING.match(text)
    return _goal(found["goal"], _steps(found["body"])) if found else None


def _when(text: str) -> Recipe | None:
    """`When the alarm goes off, check the back door first`."""
    found = _WHEN.match(text)
    if not found or not _begins(found["body"]):
        return None
    when = found["when"].strip()
    name = _short(re.sub(r"^for ", "", when[0].lower() + when[1:]))
    return Recipe(name, f"{when[0].upper()}{when[1:]}.", _steps(found["body"]))


def _always(text: str) -> Recipe | None:
    """`Always run the linter before committing`."""
    found = _ALWAYS.match(text)
    if not found or found["body"].split()[0].lower() not in ORDERS:
        return None
    when = found["when"].strip(" .!")
    return Recipe(_short(when), f"{when[0].upper()}{when[1:]}.", _steps(found["body"]))


def _process(text: str) -> Recipe | None:
    """`Our release process: freeze the branch, run the checks`."""
    found = _PROCESS_LINE.match(text)
    if not found or not (_begins(found["body"]) or "," in found["body"]):
        return None
    return _titled(found["title"], _steps(found["body"]))


def _first_then(text: str) -> Recipe | None:
    found = _FIRST.match(text)
    if not found or not _THEN.search(found["body"]) or not _orders(found["body"]):
        return None
    steps = _steps(found["body"])
    return Recipe(_short(steps[0]), "", steps)


_READERS: tuple[Callable[[str], Recipe | None], ...] = (
    _listed,
    _inline,
    _how_to,
    _way_to,
    _process,
    _to,
    _when,
    _always,
    _first_then,
)


def _goal(goal: str, steps: tuple[str, ...]) -> Recipe:
    clean = goal.strip(" ,:")
    return Recipe(_short(f"how to {clean}"), f"When asked to {clean}.", steps)


def _asked(title: str) -> str:
    return f"When asked about: {title}." if title else ""


def _short(name: str) -> str:
    clean = " ".join(name.split()).strip(" .,;:")
    if len(clean) <= LONGEST_TITLE:
        return clean
    return clean[:LONGEST_TITLE].rsplit(" ", 1)[0]


def _begins(body: str) -> bool:
    """Whether a clause tells somebody what to do."""
    return _orders(body) or _TELLS.match(body) is not None


def _orders(text: str) -> bool:
    words = _WORD.findall(text[:80].lower())
    while words and words[0] in _BEFORE_ORDERS:
        words = words[1:]
    return bool(words) and words[0] in ORDERS


def _steps(body: str) -> tuple[str, ...]:
    """What to do, cut where the next thing to do begins."""
    steps: list[str] = []
    for piece in _CUT.split(body.strip()):
        step = _LEAD.sub("", piece.strip(" ,;.")).strip(" ,;.")
        if not step:
            continue
        joint = _AND_THEN.match(step)
        bare = step[joint.end() :] if joint else step
        if steps and not _orders(bare):
            steps[-1] += f", {step}"
        else:
            steps.append(bare if steps else step)
    return tuple(part for step in steps for part in _at_and(step))


def _at_and(step: str) -> list[str]:
    """`clear the cache and rerun the job` is two steps; `tag and push` is one."""
    cut: list[str] = []
    for piece in step.split(" and "):
        bare = _AND_THEN.sub("", piece)
        apart = cut and len(cut[-1].split()) > 1 and len(bare.split()) > 1
        if not cut or (apart and _orders(bare)):
            cut.append(bare)
        else:
            cut[-1] += f" and {piece}"
    return cut


_SUBJECTS = words_in("""
    i we you he she it they there this that these those the a an my our your his her its
    their some many most all no one nothing everyone somebody what who which
""")
_BEFORE_ORDERS = words_in("""
    always never first please then you we just simply make sure to not do should must
    can need have and finally next only
""")
_NO_GOALS = words_in("""
    be my our his her their the a an all some whom me you us him them date summarize
    summarise recap clarify this that which what avoid
""")
_WORD = re.compile(r"[a-z]+")
_OPENER = re.compile(
    r"(?:please )?(?:remember|note|keep in mind|fyi|important|for future reference)"
    r"(?: that)?[:,]?\s+(?!forever)",
    re.IGNORECASE,
)
_ITEM = re.compile(r"(?:[0-9]{1,3}[.)]|[-*\u2022])\s+")
_ONE_TWO = re.compile(r"(?:^|\s)1[.)]\s.{1,600}?\s2[.)]\s")
_NUMBER = re.compile(r"(?:^|(?<=\s))[0-9]{1,2}[.)]\s+")
_NOUN = (
    r"(?:steps|process|procedure|workflow|recipe|checklist|instructions|routine"
    r"|runbook|playbook|how-to|method)"
)
_PROCESS = re.compile(_NOUN, re.IGNORECASE)
_FOR = re.compile(
    rf"(?:the |our |my )?{_NOUN} (?:for|to|of) (.{{1,80}}?)(?: is)?$", re.I
)
_HIS = re.compile(r"^(?:the|our|my)\s|^steps$|^how to$", re.IGNORECASE)
_GOAL = r"(?P<goal>[^,.:;\n]{2,100}?)"
_BODY = r"(?P<body>.+)$"
_ANY = re.IGNORECASE | re.DOTALL
_TO = re.compile(
    rf"(?:in order )?to {_GOAL}(?:,| (?P<you>you|we|one|just)(?: (?:first|then|need to"
    rf"|have to|must|should|can|just))?) {_BODY}",
    _ANY,
)
_HOW_TO = re.compile(
    rf"(?:(?:here|this) is )?how (?:to|we|i|you) {_GOAL}"
    rf"\s?(?::|\n|\u2014| - )\s*{_BODY}",
    _ANY,
)
_WAY_TO = re.compile(
    rf"the (?:[a-z]+ )?(?:way|trick|secret) to {_GOAL}(?: is|:) (?:to |by )?{_BODY}",
    _ANY,
)
_BY_DOING = re.compile(
    rf"(?:you|we|one) (?:can )?{_GOAL} by (?P<body>[a-z]+ing .+)$", _ANY
)
_WHEN = re.compile(
    r"(?P<when>(?:when|whenever|if|before|after|once|every time|each time|any ?time"
    rf"|as soon as|while|for) [^,.;\n]{{2,120}}?), {_BODY}",
    _ANY,
)
_ALWAYS = re.compile(
    r"(?:please )?always (?P<body>.{2,120}?) (?P<when>(?:before|after|when|whenever"
    r"|while|if) .{2,120})$",
    _ANY,
)
_PROCESS_LINE = re.compile(
    rf"(?P<title>(?:[a-z' -]{{0,60}} )?{_NOUN}"
    rf"(?: (?:for|to|of) [^:\n]{{1,60}}?)?(?: is)?)"
    rf":\s*{_BODY}",
    _ANY,
)
_FIRST = re.compile(rf"first,? {_BODY}", _ANY)
_THEN = re.compile(r"\b(?:then|finally|after that|afterwards)\b", re.IGNORECASE)
_TELLS = re.compile(
    r"(?:always|never|first|please|make sure|do not|don't|you (?:should|must|need|have)"
    r"|we (?:always|never|first|should|must|need))\b",
    re.IGNORECASE,
)
_CUT = re.compile(
    r"[;\n]|[.!](?=\s|$)|,?\s(?:and )?(?:then|finally|after that|afterwards)\b,?"
    r"|,(?=\s)",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:(?:always|first|finally|then|just)\b,?\s{1,3}){1,3}", re.IGNORECASE
)
_AND_THEN = re.compile(r"^(?:and|then)\s(?:then\s)?", re.IGNORECASE)
