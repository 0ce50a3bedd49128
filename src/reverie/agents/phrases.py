"""The words of a statement, brought to what they mean here."""

from __future__ import annotations

import re

from reverie.index.words import STOP_WORDS, stems, words


def words_in(table: str) -> frozenset[str]:
    """The words of a table."""
    return frozenset(table.split())


def stems_in(table: str) -> frozenset[str]:
    """The stems of the words of a table."""
    return frozenset(stems(table.split()))


def _sayings(*pairs: tuple[str, str]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(rf"\b(?:{said})"), plain) for said, plain in pairs)


_SAYINGS = _sayings(
    (r"can(?:not|'t)\b", "can not"),
    (r"won't\b", "will not"),
    (r"(?:in person|face to face)\b", "inperson"),
    (
        r"(do|does|is|are|has|have|was|were|did|must|should|need)n't\b",
        r"\1 not",
    ),
    (r"(?:refused|declined|failed) to\b", "did not"),
    (r"employs (\d+) people\b", r"has \1 employees"),
    (r"phone calls?\b", "phone"),
    (r"(?:next|this|coming) (?=(?:mon|tues|wednes|thurs|fri|satur|sun)day\b)", ""),
    (r"(?:need not|do(?:es)? not (?:have|need) to)\b", "must not"),
    (r"(?:shall|ha(?:s|ve) to|needs? to) (?=[a-z])", "must "),
    (r"ahead of schedule\b", "early"),
    (r"(?:in the office|on[- ]site)\b", "onsite"),
    (r"from home\b", "remotely"),
    (r"is in (alpha|beta|preview|production)(?= $)", r"is \1stage"),
    (
        r"(?:no longer|not any ?more|(?:ha(?:s|ve) )?(?:stopped|quit|gave up|given up"
        r"|ceased)(?= [a-z]+ing\b)|has not been|have not been|is yet to be|lacks?"
        r"|without|fails? to|refuses? to)\b",
        "not",
    ),
    (r"(?:hates?|dislikes?|detests?|loathes?|can not stand)\b", "not like"),
    (
        r"(?:(?:is|am|are) (?:fond of|a fan of|into)|enjoys?|loves?|adores?)\b",
        "likes",
    ),
    (
        r"(?:due date|deadline|is due|(?:must|has to|have to) be "
        r"(?:in|done|finished|ready|submitted|handed in))\b",
        "due",
    ),
    (r"(?:go(?:es)? live|comes? out|(?:go-live|launch|release) date)\b", "launches"),
    (r"start(?:ing)? date\b", "starts"),
    (r"end date\b", "ends"),
    (r"(?:carried out|performed|conducted|executed)\b", "done"),
    (
        r"(?:takes? place|(?:is|are|will be) (?:held|scheduled|planned|slated|set)"
        r"(?= (?:for|on|at|in)\b)|happens?|occurs?)\b",
        "is",
    ),
    (r"(?:moved|pushed|postponed|shifted|rescheduled)(?: back)?\b", "is"),
    (
        r"(?:is|was|are|were|has been|been) (?:changed|raised|lowered|set|bumped)\b",
        "is",
    ),
    (r"(?:turned|switched) on\b", "enabled"),
    (r"(?:turned|switched) off\b", "disabled"),
    (r"(?:in progress|under ?way|ongoing|not yet|to be done)\b", "unfinished"),
    (r"out of order\b", "broken"),
    (r"(?:on hold|put off|on ice)\b", "paused"),
    (r"called off\b", "cancelled"),
    (r"(is|are) on(?= (?:by|in|for) | $)", r"\1 enabled"),
    (r"(is|are) off\b", r"\1 disabled"),
    (r"on (?:time|track|schedule)\b", "punctual"),
    (r"(?:behind schedule|running late)\b", "late"),
    (r"(?:runs? (?:out|until)|goes on until|lasts until)\b", "ends"),
    (r"open until\b", "closes"),
    (r"in use\b", "used"),
    (r"full[- ]time\b", "fulltime"),
    (r"part[- ]time\b", "parttime"),
    (r"there (?:is|are)\b", "has"),
    (r"(?:is )?(?:listen(?:s|ing) on|run(?:s|ning) on|uses|on|at) (?=port )", "is "),
    (r"half an? (?=hour|day|year)", "0.5 "),
    (r"an (?=hour\b)", "one "),
    (
        r"after (?=\d|(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve) "
        r"(?:second|minute|hour|day|week|month|year)s?\b)",
        "",
    ),
    (r"eats? meat\b", "is omnivore"),
    (
        r"(?:takes?|(?:goes|commutes) by) (?:the )?(train|bus|tram|metro|bike|ferry)"
        r" to\b",
        r"rides \1 to",
    ),
    (r"drives? to\b", "rides car to"),
    (r"(?:cycles?|bikes?) to\b", "rides bike to"),
    (r"walks? to\b", "rides foot to"),
    (r"(?:took place|went ahead)\b", "was held"),
    (r"(?:open[- ]source)\b", "opensource"),
    (r"read[- ]only\b", "readonly"),
    (r"self[- ]hosted\b", "selfhosted"),
    (r"(left|right)[- ]handed\b", r"\1handed"),
)
_FROM = re.compile(r" from [^ ]+(?: [^ ]+){0,3}? (?:to|until) ")


def plain(low: str) -> str:
    """A sentence in small letters in which sayings are the words they mean."""
    low = _FROM.sub(" to ", low)
    for pattern, meant in _SAYINGS:
        low = pattern.sub(meant, low)
    return low


DENIALS = words_in("not never no neither nor none")
_FILLING = words_in("""
    now currently still already yet just actually really today always please again with
    within ever any per each take takes set have has having
""")
_TELLING = words_in("i me my we our us from should may must")
_DROPPED = (STOP_WORDS - _TELLING) | DENIALS | _FILLING


def _meaning(table: str) -> dict[str, str]:
    """Each further word of a line, and the first one, which stands for it."""
    rows = (line.split() for line in table.strip().splitlines())
    return {word: row[0] for row in rows for word in row[1:]}


_SAME = _meaning("""
    user i me my
    we our us
    memory ram
    repository repo repos
    database db
    postgresql postgres
    kubernetes k8s
    javascript js
    typescript ts
    app application apps applications
    documentation docs
    production prod
    colour color
    favourite favorite
    developer dev engineer
    licence license
    email mail mails
    cancelled canceled
    retained retention
""")
_MEANT = {
    stems([word])[0]: stems([first])[0]
    for word, first in _meaning("""
        done finish complete
        require need
        launch release ship
        buy purchase
        cost price fee charge
        fix repair
        employee staff
        forbid prohibit ban
        keep retain store
    """).items()
}
_EMPTY = frozenset(stems(("start", "begin")))


def bag_of(text: str) -> frozenset[str]:
    """The stems of the telling words of a text."""
    told = (word for word in words(text) if word not in _DROPPED)
    found = stems(_SAME.get(word, word) for word in told)
    return frozenset(_MEANT.get(stem, stem) for stem in found) - _EMPTY
