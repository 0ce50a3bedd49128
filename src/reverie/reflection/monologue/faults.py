"""What breaks the rules of a monologue."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reverie.markdown import hidden_lines, tidy
from reverie.reflection.monologue.edges import (
    GREETING,
    TAG,
    any_of,
    is_heading,
    is_item,
    is_rule,
    unmarked,
    without_sign_off,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LONGEST_FOOTNOTE = 2
"""Lines of the operational note at the end."""
_LINE_LENGTH = 160  # a note on one endless line is no shorter for it

_CODE = re.compile(r"`[^`\n]+`")
_QUOTES = re.compile(
    '"[^"]*"|“[^“”]*”|«[^«»]*»|„[^„“”]*[“”]'
    r"|(?<!\w)'[^']*(?:\b'\b[^']*)*'(?!\w)"
)

_YOU = re.compile(r"\b(?:you|your|yours|yourself|yourselves|y'all)\b", re.IGNORECASE)
_SELVES = any_of(
    r"whoever (?:reads|wakes|comes|continues|picks|runs|loads|i)\b",
    r"(?:(?:all|any|every|each|the|my|other|next|future|past|parallel|fellow"
    r"|yesterday's|tomorrow's)[ -])+(?:mes?\b|me's|instances?\b|sel(?:f|ves)\b)",
    r"(?:yesterday|tomorrow)-me\b",
    r"the next one\b",
    r"the (?:other )?versions? of me\b",
)
_LEAD = r"\W{0,9}(?:(?:okay|so|and|hey|oh|a|dear|well|quick)\b[, \t]*){0,5}"
_TO_A_SELF = re.compile(
    rf"{_LEAD}(?:(?:note|memo|message|reminder|word|letter)s?[ \t]+)?(?:to|for)[ \t]+"
    rf"{_SELVES}|{_LEAD}{_SELVES}[ \t]*[,:!\u2013—]",
    re.IGNORECASE,
)

_THIRD = re.compile(
    r"\b(?:he|him|his|himself|she|her|hers|herself|they|them|their|theirs|themself"
    r"|themselves|(?:my|the) (?:human|user))\b",
    re.IGNORECASE,
)
_WONDERING = re.compile(
    r"\?|\bwonder(?:ing|ed)?\b|\bcurious\b|\b(?:don't|do not|can't|cannot)"
    r" (?:\w+ )?(?:know|tell|say) (?:if|whether|why|what|how|who|where)\b",
    re.IGNORECASE,
)
_PHASE = re.compile(
    r"\bphases?[ \t]+(?:[1-5]|one|two|three|four|five)\b"
    r"(?![ \t]+(?:of|in)[ \t]+(?!this\b|my\b|the (?:reflection|cycle)))"
    r"|\b(?:survey|meta-reflection|consolidation|rewrite)[ \t]+phase\b",
    re.IGNORECASE,
)
_REPORT = re.compile(
    r"\bsuccessfully \w+ed\b|\boperational overview\b|^\W{0,9}🛠|^\W{0,9}(?:summary"
    r"|overview|status|report|operations|changes)[ \t]*:|^\W{0,9}here(?:'s| is| are)"
    r" (?:my|the|a) (?:reflection|summary|report|monologue)\b",
    re.IGNORECASE | re.MULTILINE,
)
_PERFORMED = re.compile(r"\bas an? (?:ai|(?:large )?language model)\b", re.IGNORECASE)
_REQUEST = re.compile(
    r"\bquestions? for (?:you|him|her|them)\b[ \t]*:|\bplease (?:approve|confirm"
    r"|review|reply|respond|tell|let|check|advise|decide|answer|say)\b"
    r"|\bawaiting your\b|\blet me know\b|\bwould you (?:like|mind|prefer)\b"
    r"|\b(?:can|could|will) you\b|\bdo you want\b"
    r"|(?:^|[.!?] )(?:approve (?:this|these|it)|reply with)\b",
    re.IGNORECASE | re.MULTILINE,
)
_FOOTNOTE = re.compile(
    r"[*_(\[]{0,4}(?:foot-?note|operational(?: note)?|ops(?: note)?|housekeeping"
    r"|p\.?s)\b[.:)\]]|\[\^",
    re.IGNORECASE,
)
_TAG_LIKE = re.compile(
    r"[\[({][ \t]*self[ \t_\u2013-]*aware(?:ness)?[ \t]*[:.]?[ \t]*[\])}]"
    r"|\[[ \t]*self[ \t_\u2013-]*awareness[ \t]*[:\u2013—-][^\[\]\n]{0,400}\]"
    r"|\*\*self[ -]?awareness:?\*\*:?|^self[ -]awareness:",
    re.IGNORECASE | re.MULTILINE,
)


def find_faults(text: str, names: Sequence[str] = ()) -> tuple[str, ...]:
    """What breaks the rules of a monologue; nothing if it is sound.

    Args:
        text: The monologue.
        names: What the human is called.
    """
    told = tidy(text)
    if not re.search(r"\w", told):
        return ("It is empty: say what is on your mind.",)
    return (
        *_edge_faults(told, names),
        *_form_faults(told),
        *_footnote_faults(told),
        *_voice_faults(told, names),
        *_tag_faults(told),
    )


def _edge_faults(told: str, names: Sequence[str]) -> Iterator[str]:
    lines = told.split("\n")
    said = [n for n, line in enumerate(lines) if line.strip() and not is_rule(line)]
    if said and _greets(unmarked(lines[said[0]].strip()), names):
        yield "It opens with a greeting: drop it and just start."
    # A signature or a note may stand below the sign-off.
    if any(
        without_sign_off(lines[n], lines[max(0, n - 2) : n]) != lines[n]
        for n in said[-3:]
    ):
        yield "It ends with a sign-off or a signature: drop it and trail off."


def _greets(line: str, names: Sequence[str]) -> bool:
    if GREETING.match(line):
        return True
    first, _, rest = line.strip("*_").partition(" ")
    called = {word for name in names for word in name.casefold().split()}
    next_word = rest.partition(" ")[0].casefold().rstrip(",.!:;")
    return first.casefold() in {"hi", "hello", "hey", "dear"} and next_word in called


def _form_faults(told: str) -> Iterator[str]:
    lines = told.split("\n")
    hidden = hidden_lines(lines)
    seen = [line for n, line in enumerate(lines) if n not in hidden]
    if any(map(is_heading, seen)):
        yield "It has headings: say it without them."
    if any(map(is_item, seen, ["", *seen])):
        yield "It has a list: say it in sentences."
    if any(line.count("|") > 2 and line.lstrip()[0] == "|" for line in seen):
        yield "It has a table: say it in sentences."


def _footnote_faults(told: str) -> Iterator[str]:
    *others, last = paragraphs(told) or [""]
    if any(map(_FOOTNOTE.match, others)):
        yield "An operational note stands in the middle: put it at the very end."
    enclosed = last.startswith("(") and last.endswith(")")
    lines = sum(-(-len(line) // _LINE_LENGTH) for line in last.split("\n"))
    if lines > LONGEST_FOOTNOTE and (enclosed or _FOOTNOTE.match(last)):
        yield f"The note at the end has more than {LONGEST_FOOTNOTE} lines: cut it."


def paragraphs(text: str) -> list[str]:
    """What blank lines and rules part from each other."""
    parts: list[list[str]] = [[]]
    for line in text.split("\n"):
        if not line.strip() or is_rule(line):
            parts.append([])
        else:
            parts[-1].append(line.strip())
    return ["\n".join(part) for part in parts if part]


def own_words(text: str) -> list[str]:
    """The paragraphs of a text, without code and without what they quote."""
    lines = text.split("\n")
    hidden = hidden_lines(lines)
    said = "\n".join(
        line
        for n, line in enumerate(lines)
        if n not in hidden and not line.lstrip().startswith((">", "```", "~~~"))
    )
    plain = said.replace("\u2018", "'").replace("\u2019", "'")
    return [_QUOTES.sub('""', _CODE.sub("``", part)) for part in paragraphs(plain)]


def _voice_faults(told: str, names: Sequence[str]) -> Iterator[str]:
    spoken = own_words(told)
    prose = "\n\n".join(spoken)
    # Other instances, and who comes after, may be spoken to; the human may not.
    to_nobody = "\n\n".join(part for part in spoken if not _TO_A_SELF.match(part))
    you = _YOU.search(to_nobody)
    if you:
        yield (
            f"It says {you[0]!r} to the human: speak of them in the third person, "
            "as he, she, they or by name."
        )
    found = {
        "It speaks of the phases of reflecting: leave them out.": _PHASE.search(prose),
        "It reads like a report: talk to yourself instead.": _REPORT.search(prose),
        "It performs ('as an AI'): say what is really noticed.": _PERFORMED.search(
            prose
        ),
        "It asks the human for something: wonder instead.": _REQUEST.search(to_nobody),
    }
    yield from (fault for fault, match in found.items() if match)
    if not _WONDERING.search(prose):
        yield "Nothing is wondered about: add at least one real question to yourself."
    if not _THIRD.search(prose) and not _mentions(told, names):
        yield "Nothing is said about the human: add an observation in the third person."


def _mentions(text: str, names: Sequence[str]) -> bool:
    called = [re.escape(name.strip()) for name in names if name.strip()]
    either = re.compile(rf"(?<!\w)(?:{'|'.join(called)})(?!\w)", re.IGNORECASE)
    return bool(called and either.search(text))


def _tag_faults(told: str) -> Iterator[str]:
    wrong = {found[0] for found in _TAG_LIKE.finditer(told)} - {TAG}
    for tag in sorted(wrong):
        yield f"The tag {tag!r} is misspelt: write {TAG} behind what was noticed."
    tagged = (part for part in paragraphs(told) if TAG in part)
    if any(not re.search(r"\w", part.replace(TAG, "")) for part in tagged):
        yield f"A {TAG} stands alone: put it behind what was noticed."
