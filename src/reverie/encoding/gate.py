"""What a text must pass before it is written: echoes, secrets, repetitions, origins.

A block that Reverie put into a prompt is cut out by its marks, however they were
escaped on the way, and a line of it by the place it cites. A text that only repeats a
boot file is known for it. Which words may become what has a table in
docs/design/encoding.md.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from reverie.errors import RefusedError
from reverie.index.text import spoken, terms, words
from reverie.model.change import Secrets
from reverie.model.ids import ItemId, Kind, Store
from reverie.model.items import FOREIGN, Origin
from reverie.model.route import Episodic, Semantic
from reverie.recall.context_block import CLOSING, OPENING
from reverie.secrets import SecretFoundError, find_secrets, redact
from reverie.secrets.labels import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from reverie.index import Located
    from reverie.model.route import Place


class OnlyHumansKeepError(RefusedError):
    """A program wants to keep a secret in plain text."""

    says = "only a person may keep a secret in plain text"
    mend = "--secrets redact takes it out; a person at a terminal may keep it."


class OnlyRecalledError(RefusedError):
    """A text came out of memory, and would only be learned a second time."""

    says = "this came out of memory itself, so there is nothing to learn from it"
    mend = "Pass on only what was said, without what Reverie put in front of it."


class RestatedError(RefusedError):
    """A text says what a file says that the agent always reads."""

    says = "this only repeats {}, which the agent reads anyway"
    mend = "Change that file instead, or say what is new."


class ForgottenError(RefusedError):
    """A text was to be learned that its human asked to be forgotten."""

    says = "this was forgotten {} at its human's wish and is not learned again"
    mend = "If they want it back, they can say so: `reverie remember` as manual."


# --- echoes ------------------------------------------------------------------

ROUNDS = 8
"""What is cut out may leave a mark behind it; so often we look again."""

_NAME = OPENING.strip("<>").replace(":", r"\s{0,9}:\s{0,9}")
_LESS = r"(?:<|&(?:amp;){0,3}(?:lt|#0{0,5}60|#x0{0,5}3c);|\\u003c|%3c)"
_MORE = r"(?:>|&(?:amp;){0,3}(?:gt|#0{0,5}62|#x0{0,5}3e);|\\u003e|%3e)"
_MARK = re.compile(
    rf"{_LESS}\s{{0,9}}(?:!\s{{0,9}}-{{1,4}}\s{{0,9}})?(?P<closing>/?)\s{{0,9}}{_NAME}"
    rf"\s{{0,9}}(?:-{{1,4}}\s{{0,9}})?{_MORE}",
    re.IGNORECASE,
)
"""Either mark, as it looks after an editor, a web page or a model had it; once they
were comments."""
_KINDS = "|".join(Kind)
_CITES = re.compile(rf"\[(?:{_KINDS}):[^\s\[\]]{{1,400}}, ")
_PLACE = re.compile(r"[^\n]{1,1000}:\d{1,9}\][\s\"'`*_.)>|]*")
_BESIDE = re.compile(r"[>\s]*- (?:with it|no longer true): ")
_HEADING = re.compile(r"[>\s]*#{1,6} From memory\s*")
_NOTHING = re.compile(
    r"[>\s]*I checked memory and (?:am not sure|found nothing)\b.*\s*"
)


def without_recalled(text: str) -> tuple[str, int]:
    """A text without what Reverie put into it, and how many characters that was.

    A mark without its other half is taken out alone: what stands beside it is kept.
    """
    rest = text
    for _ in range(ROUNDS):
        shorter = _without_lines(_without_blocks(rest))
        if shorter == rest:
            break
        rest = shorter
    else:
        for start, end, _ in reversed(_marks(rest)):
            rest = f"{rest[:start]}(recalled){rest[end:]}"
    return rest, len(text) - len(rest)


def _marks(text: str) -> list[tuple[int, int, bool]]:
    """Where the marks stand, and whether each is a closing one."""
    if "recalled" not in text.lower() and text.isascii():
        return []
    copy = fold(text)
    found = _MARK.finditer(copy.text)
    return [(*copy.span(*match.span()), bool(match["closing"])) for match in found]


def _without_blocks(text: str) -> str:
    """A block goes with its own line end; between two words, one blank of it stays."""
    pieces, done = list[str](), 0
    for start, end in _blocks(text):
        pieces.append(text[done:start])
        done = end
        if start == 0 or text[start - 1] == "\n":
            done += text.startswith("\n", end)
        elif not text[start - 1].isspace() and text[end : end + 1].strip():
            pieces += " " if " " in text[start:end] else ""
    return "".join((*pieces, text[done:])) if done else text


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Where blocks, and marks without another half, stand.

    One of ours ends at our own closing mark: a memory in it may speak of a mark, but
    never has it as it is.
    """
    marks, last = _marks(text), text.rfind(CLOSING)
    opened: tuple[int, int] | None = None
    for start, end, closing in marks:
        if opened is None and not closing:
            opened = start, end
        elif opened is None:
            yield start, end
        elif closing:
            ours = text.startswith(OPENING, opened[0]) and last >= start
            if not ours or text.endswith(CLOSING, 0, end):
                yield opened[0], end
                opened = None
    if opened is not None:
        yield opened


def _without_lines(text: str) -> str:
    if ":" not in text and "I checked memory" not in text:
        return text
    lines = text.splitlines(keepends=True)
    kept: list[str] = []
    cut = False
    for line in lines:
        cut = cites_memory(line) or (cut and bool(_BESIDE.match(line)))
        if cut:
            # The heading above goes with it, and the empty line between them.
            gap = 1 if kept and not kept[-1].strip() else 0
            if len(kept) > gap and _HEADING.fullmatch(kept[-1 - gap]):
                del kept[-1 - gap :]
        elif not _NOTHING.fullmatch(line):
            kept.append(line)
    return text if len(kept) == len(lines) else "".join(kept)


def cites_memory(line: str) -> bool:
    """Whether a line ends in the id and the place of a memory."""
    *_, last = (0, *(match.end() for match in _CITES.finditer(line)))
    return last > 0 and bool(_PLACE.fullmatch(line, last))


SHORT = 6
"""A text of fewer telling words restates only whole lines."""


class BootText:
    """What the files say that an agent reads at every start."""

    def __init__(self, boot: Mapping[str, str]) -> None:
        self._files = [
            (name, frozenset(_lines(content)), f" {' '.join(terms(content))} ")
            for name, content in sorted(boot.items())
        ]

    def restated(self, text: str) -> str:
        """The file that a text only repeats, or nothing.

        A text repeats a file when every line of it stands there, or all its telling
        words in a row; it may have an opening of its own ("My instructions say: …").
        """
        lines, stems = set(_lines(text)), terms(text)
        row = f" {' '.join(stems[(len(stems) - 3) // 5 :])} "
        for name, known, told in self._files:
            if (lines and lines <= known) or (len(stems) >= SHORT and row in told):
                return name
        return ""


def _lines(text: str) -> Iterator[str]:
    """What each line says, without its markup; one word alone says nothing."""
    for line in text.splitlines():
        found = words(line)
        if len(found) > 1:
            yield " ".join(found)


# --- secrets -----------------------------------------------------------------


class Passed(NamedTuple):
    """A text that may be stored, and the kinds of secrets taken out of it."""

    text: str
    redacted: tuple[str, ...] = ()


def pass_text(text: str, choice: Secrets, about: str = "") -> Passed:
    """A text without what came out of memory, and without secrets.

    Args:
        text: All of it: nothing is cut out of a text before.
        choice: What to do with secrets.
        about: What it is said to be about: "Igel42" is a secret under "password".

    Raises:
        OnlyRecalledError: Nothing is left of it.
        SecretFoundError: It has secrets, and nobody said what to do with them.
    """
    own, cut = without_recalled(text)
    if cut and not own.strip():
        raise OnlyRecalledError
    before = f"{about}: " if about else ""
    size = len(before)
    found = [
        replace(each, start=max(0, each.start - size), end=each.end - size)
        for each in (find_secrets(before + own) if choice is not Secrets.KEEP else ())
        if each.end > size
    ]
    if found and choice is Secrets.REFUSE:
        raise SecretFoundError(secret.kind for secret in found)
    kinds = tuple(dict.fromkeys(secret.kind for secret in found))
    return Passed(redact(own, found), kinds)


# --- what is known already -----------------------------------------------------


class Known(NamedTuple):
    """A memory that says what a text says.

    Attributes:
        id: The memory.
        at: When it happened, in seconds, where that is known.
        same: Whether it says the very same; else it has all of its telling words.
        forgotten: The day it was asked to be forgotten; empty if it was not.
    """

    id: str
    at: int | None
    same: bool
    forgotten: str = ""


SHARE = 0.8
"""So many of a memory's telling words a text has that may be about the same."""


def _normal(text: str) -> str:
    """A text without case, white space and closing marks, in which two are compared."""
    plain = " ".join(text.replace("\u2019", "'").split())
    return plain.casefold().rstrip(" .!\u3002\uff01")


def find_known(text: str, alike: Iterable[Located]) -> list[Known]:
    """Which of some memories, for everybody to see, say what a text says."""
    found, told = [], frozenset(terms(text))
    for candidate in alike:
        for said, forgotten in _said(candidate):
            same = bool(_normal(text)) and _normal(text) == _normal(said)
            old = frozenset(terms(said))
            # It has no telling word that the other lacks, and nearly all of them.
            covered = told <= old and len(told) >= SHARE * len(old) and bool(told)
            if not candidate.scope and (same or covered):
                found.append(Known(candidate.id, candidate.at, same, forgotten))
    return found


def _said(candidate: Located) -> Iterator[tuple[str, str]]:
    """What a memory states, each with the day it was forgotten, if it was."""
    if candidate.page or ItemId.parse(candidate.id).kind is not Kind.ENTITY:
        yield spoken(candidate.title if candidate.page else "", candidate.text), ""
        return
    for line in candidate.text.split("\n"):
        yield spoken(candidate.title, line), ""
    for line in candidate.gone.split("\n") if candidate.gone else ():
        day, _, said = line.partition(" ")
        yield spoken(candidate.title, said), day


STEERING = frozenset({Store.CORE, Store.PROCEDURAL, Store.VAULT})
"""What is in there is always in sight, acted upon, or never fades."""


def why_it_waits(store: Store, origin: Origin) -> str:
    """Why words may not enter a store without a human's yes; empty if they may.

    It goes by who says them, not by what they seem to mean.
    """
    if store not in STEERING or origin is Origin.OWNER:
        return ""
    what = f"{_FOLDERS[store]} steers the agent"
    if origin is Origin.AGENT:
        # It may repeat what the user said, so this does not say who said it.
        return f"{what}, so a change by the agent needs the user's approval"
    return f"it comes from {ORIGIN_WORDS[origin]}, and {what}"


def humbled(place: Place, origin: Origin) -> Place:
    """A place without what only trusted words may do there.

    What comes from outside gives a thing no other name, and takes the place of nothing.
    """
    if isinstance(place, Semantic) and origin in FOREIGN:
        return replace(place, alias="", also=(), supersedes="")
    if isinstance(place, Episodic) and origin in FOREIGN:
        return replace(place, supersedes="")
    return place


ORIGIN_WORDS = {
    Origin.SYSTEM: "a program",
    Origin.AGENT: "the agent",
    Origin.SUBAGENT: "a sub-agent",
    Origin.IMPORT: "an import",
    Origin.PASTED: "text that the user pasted",
    Origin.TOOL: "a tool or web page",
}
_FOLDERS = {
    Store.CORE: "core memory",
    Store.PROCEDURAL: "a procedure",
    Store.VAULT: "the vault",
}
