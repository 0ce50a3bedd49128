"""Sentences as what they claim: one clause each, without what only dates or excuses it.

`Marta is the designer and lives in Porto` says two things, and only one of them may be
another way next week.
"""

from __future__ import annotations

import re

from reverie.encoding.routing.clauses import base_of, clause_of
from reverie.encoding.routing.lexicon import PAST, PRESENT, words_in
from reverie.encoding.routing.reading import read
from reverie.reflection.rules.listening import LONGEST

MOST_CLAUSES = 4
"""So many things one sentence says; what comes after them is left with the last."""


def clauses(text: str) -> tuple[str, ...]:
    """What a sentence says, each as a sentence of its own."""
    who = _subject(text) if len(text) <= LONGEST and _AND.search(text) else ""
    if not who:
        return (text,)
    found: list[str] = []
    start, lead = 0, ""
    for joint in _AND.finditer(text):
        if len(found) == MOST_CLAUSES - 1:
            break
        tail = f"{who} {text[joint.end() :]}"
        if _goes_on(tail, who):
            found.append(f"{lead}{text[start : joint.start()].rstrip(' ,;.')}.")
            start, lead = joint.end(), f"{who} "
    return (*found, f"{lead}{text[start:]}")


def _subject(text: str) -> str:
    """Whom the first clause is about; empty where that is nobody one can name again."""
    sentences = read(text)
    clause = clause_of(sentences[0].words) if len(sentences) == 1 else None
    if clause is None or clause.before or not clause.subject:
        return ""
    who = " ".join(word.text for word in clause.subject)
    return who if text.startswith(who) and "and" not in who.split() else ""


def _goes_on(text: str, who: str) -> bool:
    """Whether words after an `and` are the next verb, and not one more thing."""
    words = read(text)[0].words if read(text) else ()
    clause = clause_of(words)
    if clause is None or len(clause.rest) < 2:
        return False
    verb = clause.rest[0].low
    known = verb in _BE or verb in PAST or base_of(verb) in PRESENT
    return known and " ".join(word.text for word in clause.subject) == who


_AND = re.compile(
    r",? (?:and|but) (?:(?:he|she|they|it) (?=[a-z]))?|; (?:he|she|they|it) (?=[a-z])"
)
_BE = words_in("is are am was were has have had does do can will")


def plain(text: str) -> str:
    """A sentence as it would stand without what happened to the statement.

    When it began, that somebody was wrong before, and whole jobs that end.
    """
    bare = _WRONG_BEFORE.sub("", text, count=1)
    bare = _WRONG.sub("", bare, count=1)
    bare = _WHEN.sub("", bare)
    bare = _BEEN.sub(r"is \1", bare, count=1)
    bare = _NEW.sub(" ", bare, count=1)
    bare = _THERE_ARE.sub(r"\3 has \1 \2", bare, count=1)
    bare = _QUIT.sub("no longer works at ", bare, count=1)
    return _AMOUNTS_TO.sub(r"\1's \2 is \3", bare, count=1) or text


_SLIP = r"\b(?:wrong|wrongly|mistaken|mistake|miscounted|misread|misheard|typo)\b"
_WRONG_BEFORE = re.compile(
    rf"^(?:[^,;:.]{{0,60}}{_SLIP}[^,;:.]{{0,20}}[,;:]|[Ii]t turns out,?|[Tt]urns out,?)"
    r" (?:that )?",
)
_WRONG = re.compile(rf"(?:[,;:]| -| \u2013) [^,;]{{0,60}}{_SLIP}[^,;]{{0,40}}$")
_WHEN = re.compile(
    r",? (?:since )?(?:yesterday|today|(?:last|this) (?:week|weekend|month|year"
    r"|morning|night|spring|summer|autumn|winter)"
    r"|(?:on|since|last) (?:mon|tues|wednes|thurs|fri|satur|sun)day)(?=[ .,;!]|$)",
    re.IGNORECASE,
)
_NEW = re.compile(
    r"(?<=(?:'s|my|My)) (?:new|current) (?=[a-z]{3,20}(?: [a-z]{3,20})? is\b)"
)
_THERE_ARE = re.compile(
    r"^There (?:are|is) (?:now )?(\d[\d,.]{0,9}|[a-z]{3,9}) ([a-z]{3,20}) (?:on|in|at)"
    r" ((?:the )?[A-Z][^,;.]{1,40})"
)
_BEEN = re.compile(r"\bha(?:s|ve) been (living|working|based)\b")
_QUIT = re.compile(
    r"\b(?:quit|left|lost|resigned from|gave up) (?:his|her|their|my|the) "
    r"(?:job|post|position|role) (?:at|with|in) "
    r"|\b(?:quit|resigned from|was fired (?:from|by)|was laid off (?:from|by)) "
    r"(?=[A-Z])"
)
_AMOUNTS_TO = re.compile(
    r"^((?:[Tt]he )?[\w'-]{1,30}(?: [\w'-]{1,30}){0,3}) has an? "
    r"([a-z]{3,20}) of (?=[^.;]{0,12}\d)(.+)"
)
