"""The phrases that may ask something of memory: one table to look at and extend.

Each family has a name, stems and a pattern, all in small letters. A message without
any of a family's stems is not looked at further, so a new spelling that holds none
of them needs a stem of its own. A match says only that the words are there;
`remembering`, `noting`, `forgetting` and `reflecting` say whether they are meant.
"""

from __future__ import annotations

from typing import NamedTuple

from reverie.encoding.triggers.wording import Wording

_MEMORY = r"(?:(?:your|the|my|our|long[- ]term)\s+){0,2}memory"


class Phrase(NamedTuple):
    """Words of a family where they stand."""

    start: int
    end: int
    family: str


# Family: stems, pattern. Of two that begin at one place the upper one counts.
_TABLE: dict[str, tuple[tuple[str, ...], str]] = {
    # --- search
    "what do you remember": (
        ("remember", "recall", "memor", "store", "save", "note"),
        r"what\s+(?:all\s+|else\s+)?(?:do|can|did)\s+you\s+(?:still\s+|actually\s+)?"
        r"(?:remember|recall)\s+(?:about|of|from|regarding)"
        r"|what\s+(?:have\s+you|you(?:'ve|\s+have)?)\s+(?:remembered|stored|saved|noted"
        r"|remember)\s+(?:about|of|from|regarding)"
        rf"|(?:search|check|look\s+(?:in|into|through|up\s+in)|consult)\s+{_MEMORY}"
        r"\s+(?:for|about|to\s+see)"
        r"|do\s+you\s+have\s+(?:any\s+|some\s+)?memor(?:y|ies)\s+(?:of|about)"
        r"|what(?:'s|\s+is|\s+do\s+you\s+have)\s+in\s+your\s+memory\s+(?:about|on)",
    ),
    # --- remember
    "note that": (
        ("note", "remember", " down"),
        r"(?:jot|note|write)\s+(?:this|that|it)\s+down|note\s+down\s+that"
        r"|note\s+that|(?:note|remember)\s+to\s+self|take\s+note(?:\s+(?:that|of))?|note\s*:"
        r"|make\s+a\s+(?:mental\s+|quick\s+)?note(?:\s+(?:that|of|to))?",
    ),
    "remember": (("remember", "memor"), r"remember|memori[sz]e"),
    "don't forget": (
        ("forget",),
        r"(?:do\s?n'?t|do\s+not|never)\s+(?:(?:you|ever|please|also|just)\s+)?forget",
    ),
    "keep in mind": (("mind",), r"(?:keep|bear)\s+in\s+mind"),
    "keep this in mind": (
        ("mind",),
        r"(?:keep|bear|hold)\s+(?:[^\s.!?;:,\0]{1,40}\s+){1,8}?in\s+mind",
    ),
    "important:": (
        ("important",),
        r"important(?:\s+(?:note|info|information))?\s*:",
    ),
    "for future reference": (
        ("future",),
        r"for\s+(?:(?:your|my|our)\s+)?future\s+reference",
    ),
    "save this": (
        ("save", "store"),
        r"(?:save|store)\s+(?:this|that|it|these|the\s+following)",
    ),
    "save to memory": (
        ("memor",),
        r"(?:save|store|add|put|keep|record|commit)\s+(?:[^\s.!?;:\0]{1,40}\s+){0,12}?"
        rf"(?:in|to|into)\s+{_MEMORY}",
    ),
    "FYI for later": (
        ("fyi", "for later"),
        r"fyi\b\W{0,3}(?:just\s+)?for\s+(?:later|the\s+future|future|next\s+time)"
        r"|for\s+later\s*:",
    ),
    "from now on": (
        ("now on", "here on", "nt on", "forward", "future"),
        r"from\s+(?:now|here|this\s+(?:point|moment))\s+(?:on(?:wards?)?|forwards?)"
        r"(?:\s+out)?|(?:going|moving)\s+forwards?|(?:in|for)\s+(?:the\s+)?future",
    ),
    # --- forget
    "forget": (
        ("forget",),
        r"(?:permanently\s+)?forget(?:\s+(?:all\s+)?about)?",
    ),
    "disregard": (("disregard",), r"disregard"),
    "ignore": (("ignore",), r"ignore"),
    "never mind": (("mind", "nvm"), r"never[\s-]?mind|nvm"),
    "scratch that": (("scratch", "strike"), r"(?:scratch|strike)\s+(?:that|this)"),
    "no longer relevant": (
        ("relevant",),
        r"no\s+longer\s+relevant|(?:not|n't)\s+relevant\s+any\s?more",
    ),
    "remove from memory": (
        ("memor", "permanently", "you know"),
        r"(?:permanently\s+)?(?:remove|delete|erase|wipe|clear|purge)",
    ),
    # --- reflect
    "reflect": (
        ("reflect",),
        r"reflect|reflection\s+time|time\s+to\s+reflect"
        r"|time\s+for\s+(?:a\s+|some\s+|your\s+)?reflection",
    ),
    "tend memories": (
        ("memor", "consolidate"),
        r"(?:consolidate|review|clean(?:\s+up)?|tidy(?:\s+up)?|go\s+(?:through|over)"
        r"|organi[sz]e)\s+(?:(?:all|of|your|my|our|the)\s+){0,3}memor(?:y|ies)"
        r"|consolidate\s+your\s+self[\s-]image|consolidate",
    ),
    # --- take leave
    "goodnight": (("night",), r"good\s?night|g'?night|nighty?[\s-]night"),
    "going to sleep": (
        ("sleep", " bed"),
        r"(?:going|off|heading|gonna\s+go|about)\s+to\s+(?:go\s+to\s+)?(?:sleep|bed)"
        r"|gonna\s+sleep|time\s+for\s+bed",
    ),
    "logging off": ((" off",), r"logging\s+off|log\s+off"),
    "signing off": ((" off",), r"signing\s+off|sign\s+off"),
    "heading out": (("heading o", "head out"), r"heading\s+(?:out|off)|head\s+out"),
    "done for today": (
        ("for to", "done for"),
        r"done\s+for\s+(?:today|tonight|the\s+(?:day|night))"
        r"|(?:it|all)\s+for\s+(?:today|tonight)",
    ),
    "calling it a night": (
        ("night", "it a day"),
        r"call(?:ing)?\s+it\s+a\s+(?:night|day)",
    ),
}

_FAMILIES = tuple(
    (name, Wording(rf"(?:{pattern})(?![\w'/@]|-\w)"))
    for name, (_, pattern) in _TABLE.items()
)
_STEMS = tuple(
    (
        stem,
        [number for number, (stems, _) in enumerate(_TABLE.values()) if stem in stems],
    )
    for stem in dict.fromkeys(stem for stems, _ in _TABLE.values() for stem in stems)
)
_NOT_BEFORE = frozenset("'@#/\\.-_")


def families_in(small: str) -> set[int]:
    """The families whose stems a text in small letters holds; mostly none."""
    found = [numbers for stem, numbers in _STEMS if stem in small]
    return {number for numbers in found for number in numbers} if found else set()


def phrases(text: str, families: set[int]) -> list[Phrase]:
    """The phrases of these families in a text, in order, none inside another."""
    found = [
        (match.start(), number, match.end())
        for number in families
        for match in _FAMILIES[number][1].finditer(text)
        if _begins_a_word(text, match.start())
    ]
    kept: list[Phrase] = []
    done = 0
    for start, number, end in sorted(found):
        if start >= done:
            kept.append(Phrase(start, end, _FAMILIES[number][0]))
            done = end
    return kept


def _begins_a_word(text: str, at: int) -> bool:
    before = text[at - 1] if at else " "
    return not before.isalnum() and before not in _NOT_BEFORE
