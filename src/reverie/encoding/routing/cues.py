"""Words that say what sort of thing a sentence is: a choice, a task, a mood."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reverie.encoding.routing.clauses import Tense, clause_of
from reverie.encoding.routing.lexicon import FEELINGS, ORDERS, words_in
from reverie.model.items import Block, EpisodeKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.encoding.routing.clauses import Clause
    from reverie.encoding.routing.reading import Sentence

_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_KEEP = r"(?:remember|keep|store|save|preserve|record)"

VAULT = re.compile(
    rf"^(?:please )?(?:(?:never|do not ever|don't ever) (?:ever )?forget\b(?! to\b)"
    rf"|(?:permanently|forever|for ever) {_KEEP}\b|pin (?:this|that|it)\b"
    rf"|(?:keep|store) (?:this|that|it) (?:safe|forever|for ever|for good|permanently)"
    rf"|{_KEEP} (?:this |that |it )?(?:forever|for ever|for good|permanently)\b"
    rf"|always keep\b(?!.* (?:when|before|after|while)\b)"
    rf"|(?:put|keep|store|save) (?:this|that|it) in(?:to)? (?:the|my) vault\b"
    rf"|vault:)"
    rf"|\b(?<!not )(?<!n't )(?:pin this|keep this forever|keep this safe"
    rf"|never forget this)[.!]?$",
)
"""What its human wants kept for good,"""

_CORRECTION = re.compile(
    r"^(?:actually\b|correction\b|no,? wait\b|no, |nope, |wait, |scratch that\b|oops\b"
    r"|(?:that|this|it) (?:is|was) (?:wrong|incorrect|not (?:right|true|correct))\b"
    r"|(?:sorry|apologies)[,:]? (?:i|that|it|the)\b.*\b(?:misspoke|meant|mistake|wrong"
    r"|should)\b"
    r"|i (?:meant|misspoke|mistyped|was wrong|was mistaken|made a mistake|got .* wrong)"
    r"|it is not [^,]{1,40}, it is\b|let me correct\b|to correct\b)"
    r"|\b(?:should be|is) [^,]{1,40}, not [^,]{1,40} as i said\b"
)
_DECISION = re.compile(
    r"^(?:decision|decided|agreed|agreement|it is (?:settled|decided))\b"
    r"|(?<!not )(?<!yet )(?<!to )\b(?:decided|chose|have chosen|has chosen|opted)\b"
    r"|^(?:we |i |they |so we |[a-z]+ and i |[a-z]+ and [a-z]+ )?"
    r"(?:finally |both |all )?"
    r"(?:went with|picked(?! up)|settled on|agreed (?:that|to|with|on)"
    r"|ruled out|signed off on|am going with|are going with|committed to)\b"
    r"|\bvoted (?:to|for|against)\b|\bmade up (?:my|our|his|her|their) minds?\b"
    r"|^from now on,? (?:we|i|the|our|all|every|no)\b|\b(?:board|committee|council"
    r"|team|boss|manager|client|parliament) (?:has )?(?:approved|rejected|decided)\b"
)
_UNDECIDED = re.compile(
    r"\b(?:not|yet to|un|cannot|never|have to|need to|should|must) ?(?:yet )?decided?\b"
)
_TASK = re.compile(
    r"^(?:to ?do|to-do|next(?: step)?s?|action items?|tasks?)\s?[:\u2013-]"
    r"|^(?:please )?(?:remind me|(?:do not|never) forget|remember) to\b"
    r"|^remind me\b|^(?:i |we )?(?:gotta|got to)\b"
    r"|^(?:[a-z' -]{1,40} )?(?:need|needs|have|has|ought|still have) to\b"
    r"|^(?:i|we|you) (?:really )?(?:must|should|gotta)\b"
    r"|\b(?:is|are) due\b|\bdeadline for me\b"
    r"|^(?:i|we) (?:want|plan|intend|hope|am planning|are planning) to\b"
    r"|^(?:i|we) (?:am|are) (?:trying|hoping|looking) to\b"
    r"|^(?:i|we) would like to\b|\bmust be [a-z]+ (?:by|before|until)\b"
    r"|^(?:i|we) need [^.]{1,60} (?:by|before|until) [a-z0-9]+"
    r"|^(?:i|we) have an? [a-z -]{0,30}(?:appointment|meeting|interview|exam|flight"
    r"|call|deadline|checkup|date)\b"
)
_MOODS = "|".join(sorted(FEELINGS))
_EMOTION = re.compile(
    rf"\b(?:am|is|are|was|were|feels?|felt|feeling|seems?|seemed|sounds?|sounded|looks?|looked|got"
    rf"|been|gets?|became)"
    rf"(?: (?:a bit|a little|really|so|very|all|quite|pretty|extremely|too|rather|just"
    rf"|still|also|kind of|super|totally|incredibly)){{0,3}} (?:{_MOODS})\b"
    rf"|^(?:so|very|really|feeling|quite)(?: [a-z]+)? (?:{_MOODS})\b"
    rf"|^i (?:feel|felt|am feeling) (?!that|like|as|the|we|it|i |you)[a-z]+\b"
    rf"|^feeling [a-z]+|^i (?:really |so |still )?miss \b"
)
_IDIOM = re.compile(
    r"\b(?:over the moon|fed up|burn(?:ed|t) out|on edge|in tears"
    r"|in a (?:bad|good) mood|heart is broken|can not wait|can not stop crying)\b"
)
_MADE = re.compile(rf"\bma(?:ke|kes|de) (?:me|us) (?:so |very |really )?(?:{_MOODS})\b")
_PAST_TIME = re.compile(
    rf"\b(?:yesterday|last (?:night|week|month|year|weekend|summer|winter|spring|autumn"
    rf"|{_WEEKDAY})|ago|this morning|earlier today|the other day)\b"
)
_DATED = re.compile(
    rf"\b(?:on|at|in) (?:the )?(?:[0-9]|{_WEEKDAY}|jan|feb|mar|apr|may\b|jun|jul|aug"
    rf"|sep|oct|nov|dec)|\b(?:today|tonight|just|{_WEEKDAY})\b"
)
_STANDING = re.compile(
    r"(?:was|were) (?:born|founded|established|named|invented|created|released"
    r"|published|discovered|(?:written|built|made|installed|designed|painted|bought"
    r"|developed) (?:in|by|with|on|from)|replaced by|superseded by)\b"
    r"|used to\b"
)
"""What is told in the past and holds still."""

_OCCASION = re.compile(
    r"^(?:the |our |my |next )?[a-z ]{0,30}(?:meeting|party|wedding|appointment|exam"
    r"|launch|demo|interview|flight|concert|dinner|lunch|call|match|trip|visit)"
    r"[a-z ]{0,30}"
    r" (?:is|are|starts|takes place|will be)"
    r" (?:on|at|this|next|tomorrow|tonight|today)\b"
)
_APPOINTMENT = re.compile(
    r"^(?:[a-z]+ )?(?:lunch|dinner|breakfast|coffee|drinks|meeting|call|appointment"
    r"|dentist|doctor|haircut|flight|train|party|wedding|exam|interview|concert)\b"
    r"[^.]{0,60}\b(?:tomorrow|today|tonight|(?:on|next|this) [a-z]+"
    rf"|{_WEEKDAY}|at [0-9]|[0-9]{{1,2}}(?:am|pm))"
)
_HEDGE = re.compile(
    r"^(?:i|we) (?:think|guess|suppose|wonder|believe|assume|(?:am|are) (?:thinking"
    r"|considering|not sure|wondering))\b|^(?:maybe|perhaps|possibly)\b"
    r"|^[a-z' ]{1,40} (?:might|may|could) (?!be reached)"
)
_WISHED = re.compile(r"^(?:i|we) (?:want|would like|need|expect) you to\b")
_RULE = re.compile(
    r"^(?:please )?(?:never|do not ever|under no circumstances) (?!forget\b)[a-z]+"
    r"|^(?:please )?always (?!keep\b)[a-z]+|^(?:please )?do not (?!forget\b)[a-z]+"
    r"|^from now on,? (?:please )?(?:always |never )?(?=[a-z])"
    r"|^only (?:contact|call|email|message|use|reply|write|send|book|buy) "
)
_MANNER = re.compile(
    r"\b(?:repl(?:y|ies)|answers?|respond|responses?|emojis?|tone|(?:in)?formal(?:ly)?"
    r"|sarcas\w+|bullet points|metric|imperial|concise|brief|verbose|polite|jokes?"
    r"|apologi[sz]e|explanations?|english|spelling|address me|talk to me"
    r"|interrupt me|summari[sz]e|markdown|exclamation)\b"
)


def kind_of(sentences: Sequence[Sentence]) -> EpisodeKind:
    """What sort of episode a text would be."""
    for sentence in sentences:
        if sentence.english and not sentence.asks:
            kind = cue_of(sentence, clause_of(sentence.words))
            if kind:
                return kind
    return EpisodeKind.FACT


def cue_of(sentence: Sentence, clause: Clause | None) -> EpisodeKind | None:
    """What sort of episode a sentence plainly is; None where nothing says so."""
    low = sentence.low
    if _CORRECTION.search(low):
        return EpisodeKind.CORRECTION
    if _DECISION.search(low) and not _UNDECIDED.search(low):
        return EpisodeKind.DECISION
    if _TASK.search(low) or is_order(sentence):
        return EpisodeKind.TASK
    if _EMOTION.search(low) or _IDIOM.search(low) or _MADE.search(low):
        return EpisodeKind.EMOTION
    return EpisodeKind.EVENT if is_event(sentence, clause) else None


def is_hedged(sentence: Sentence) -> bool:
    """Whether a sentence says itself that nothing is settled."""
    return len(sentence.words) > 3 and _HEDGE.match(sentence.low) is not None


def is_dated(sentence: Sentence) -> bool:
    """Whether a sentence says when it happened."""
    return (
        _PAST_TIME.search(sentence.low) is not None
        or _DATED.search(sentence.low) is not None
    )


def is_event(sentence: Sentence, clause: Clause | None) -> bool:
    """Whether a sentence tells of something that happened or will."""
    if clause is None:
        timed = _PAST_TIME.search(sentence.low) or _APPOINTMENT.match(sentence.low)
        return timed is not None
    if _OCCASION.match(sentence.low) or clause.tense is Tense.AHEAD:
        return True
    if clause.tense is Tense.OVER:
        return not _STANDING.match(clause.said)
    # "hit", "put": only the time tells that it is over
    either = clause.rest[0].low in _EITHER
    return either and _PAST_TIME.search(sentence.low) is not None


_EITHER = frozenset(
    ("hit", "put", "set", "cut", "let", "read", "spread", "shut", "hurt")
)


def is_order(sentence: Sentence) -> bool:
    """Whether a sentence tells somebody to do something, as `Buy milk`."""
    first = sentence.words[0]
    if first.low not in ORDERS or len(sentence.words) < 2:
        return False
    following = sentence.words[1]
    if first.stop or _is_statement([word.low for word in sentence.words[1:4]]):
        return False
    # "Work starts at nine", "Water boils at 100 degrees": a noun, then its verb
    return first.low not in _NOUNS or following.low in _OBJECTS


def _is_statement(lows: Sequence[str]) -> bool:
    """Whether a verb follows so soon that the first word must be a noun."""
    for low in lows:
        if low in _ASIDE:
            return False
        if low in _NO_OBJECTS:
            return True
    return lows[:1] in (["and"], ["of"])


_ASIDE = frozenset(("that", "if", "whether", "when", "what", "where", "how", "who"))
_NO_OBJECTS = frozenset(
    ("is", "are", "was", "were", "has", "had", "will", "can", "does")
)
_OBJECTS = frozenset(
    ("the", "a", "an", "my", "our", "your", "his", "her", "their", "up", "out", "off")
)
_NOUNS = words_in("""
    work water talk show test file email mail paint iron season park order report review
    store plant start tie heat steam toast label list log phone play train salt butter
    oil change cover charge place post plan name link lock load flash fold hand guard
    cut top
""")


def rule_block(sentence: Sentence) -> Block | None:
    """Which block of core memory a standing rule belongs in; None where it is none."""
    manner = _MANNER.search(sentence.low)
    if _WISHED.match(sentence.low) or (manner and is_order(sentence)):
        return Block.PERSONA
    found = _RULE.match(sentence.low)
    if not found:
        return None
    following = (sentence.low[found.end() :].split() or [""])[0]
    if found[0].startswith("from now on") and following not in ORDERS:
        return None
    return Block.PERSONA if manner else Block.CRITICAL
