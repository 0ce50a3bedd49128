"""Taking leave: the chance to ask whether to reflect now."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reverie.encoding.triggers.reading import Reading
from reverie.encoding.triggers.wording import Wording, one_of
from reverie.model.triggers import TriggerKind

if TYPE_CHECKING:
    from reverie.encoding.triggers.reading import Seen

_SMALL_TALK = one_of(
    "ok, okay, k, alright, all right, right, well, so, anyway, anyways, thanks, thx",
    "thank you, great, cool, good, perfect, and, yeah, yes, now, oh, hey, welp, bye",
    "that's it, that's all, cheers, no, nice, awesome, sorry, got it, it's late",
    "it's getting late, i'm tired, i'm exhausted, so much, very much, for your help",
    "for the help, for everything, a lot, then, but, see you tomorrow",
)
# The speaker himself, and now: "my son is going to sleep" is no farewell.
_MYSELF = one_of(
    "i'm, i am, im, we're, we are, i think i'm, i think i am, i'll be, i think i'll be",
    "i gotta, i have to, i need to, i should, i'll, i will, i think i'll, i'm going to",
    "i'm gonna, let's, lets, let me, imma, time to, it's time to, think i'm",
    "think i'll, gonna, gotta, that's, that is, that's about, that will be, that'll be",
    "it's",
)
_ADVERBS = one_of("just, now, probably, finally, about, also, going to, gonna, all")
_SPEAKER = Wording(
    rf"[\s\"'-]*(?:{_SMALL_TALK}[\s,.!;]+)*(?:{_MYSELF}\s+(?:{_ADVERBS}\s+)*)?"
)
_WISHER = Wording(rf"[\s\"'-]*(?:{_SMALL_TALK}[\s,.!;]+)*(?:have\s+a\s+)?")
_WHEN = one_of(
    "now, for now, soon, then, here, for today, for the (?:day|night|evening|weekend)",
    "tonight, for tonight, for a (?:bit|while), in a (?:bit|minute|few), early, today",
    "everyone, all, guys, folks, friend, my friend, buddy, dear, claude, assistant",
    "to you, too, and, until tomorrow, already, work",
)
_THEN = one_of(
    "thanks, thank, see, talk, bye, sleep well, sweet, until, catch, i'll, we'll",
    "we can, let's, have, hope, will, but, so, because, since, as, it's",
)
_MARKS = r"[,;\u2014\u2013-]"
_LEAVES = Wording(
    rf"(?:\s+{_WHEN})*(?:\s*(?:[.,!;\u2026~)\u2014\u2013\"'\0]|\Z|:\))|\s-|\s+{_THEN}\b)"
)


def read_farewell(seen: Seen) -> Reading | None:
    """Reads "I'm logging off", "good night!": the speaker himself, and now."""
    who = _WISHER if seen.family == "goodnight" else _SPEAKER
    # Whatever comes before a mark: "thanks for all that, I'm logging off".
    clause = re.split(_MARKS, seen.before(120))[-1]
    if seen.asks or not who.fullmatch(clause) or not seen.match(_LEAVES):
        return None
    none = (seen.end, seen.end)
    return Reading(TriggerKind.REFLECT_SOFT, seen.family, seen.end, none)
