"""What can be forgotten: how people name what was said, and what is known."""

from __future__ import annotations

from reverie.encoding.triggers.wording import Wording, one_of

_SAID = one_of(
    "said, told, asked, mentioned, wrote, gave, typed, discussed, talked, requested",
    "shared, described, provided, explained, posted, did, established, agreed, covered",
    "spoke, learned, learnt, generated, been, done, given",
)
_TALK = one_of(
    "instructions?, commands?, prompts?, messages?, questions?, requests?, chats?",
    "conversations?, context, answers?, responses?, repl(?:y|ies), texts?, papers?",
    "articles?, ones?, versions?, drafts?, inputs?, outputs?, codes?, stor(?:y|ies)",
    "examples?, rules?, topics?, directions?, directives?, orders?, guidelines?",
    "tasks?, comments?, statements?, threads?, information, info, data, sentences?",
    "quer(?:y|ies), discussions?, turns?, history, suggestions?, posts?, parts?, bits?",
    "constraints?, training, limitations?, paragraphs?, two, three, few",
)
_EARLIER = one_of("previous, prior, earlier, above, preceding, last, former, past")
# "The first question" was asked; "the first line" may be a file's.
_NTH = one_of("first, second, third, initial, original, old, other")
_TURN = one_of(
    "messages?, questions?, prompts?, instructions?, requests?, answers?, commands?",
    "ones?",
)
_SO_FAR = one_of(
    "before, above, prior, until, so far, up to, earlier, previously, already"
)
_HALT = r"(?=\s*[.,;!?)\u2014\u2013]|\s*\Z|\s-|\s+and\b)"
_TO_NOW = r"(?:\s+(?:to\s+)?(?:this|now|that|it)(?:\s+(?:one|message|point|prompt))?)?"
_WHOLE = r"\s+(?:absolutely\s+)?"
_LAST_TALK = (
    rf"(?:(?:\w+\s+)?{_EARLIER}\s+(?:\w+\s+){{0,2}}?{_TALK}\b(?!\s+of\b)"
    rf"|{_NTH}\s+(?:\w+\s+)?{_TURN})"
)

# "All previous instructions", "my last message", "the rules above", "the above".
CONVERSATION = Wording(
    r"\s+(?:about\s+)?(?:(?:all|any|every|both|each)\s+)?(?:of\s+)?"
    rf"(?:{one_of('the, my, your, our, these, those, this, that, any, all')}\s+)?(?:"
    rf"{_LAST_TALK}(?:\s+(?:and|or)\s+(?:\w+\s+)?{_TALK})?\b"
    rf"|(?:\w+\s+)?{_EARLIER}{_HALT}"
    rf"|(?:\w+\s+)?{_TALK}(?:\s+(?:and|or)\s+{_TALK})?\s+(?:(?:that\s+)?(?:came|given"
    r"|i\s+\w+|we\s+\w+|you(?:'ve|\s+have|\s+were)?\s+\w+(?:\s+\w+)?)\s+)?"
    rf"{_SO_FAR}\b{_TO_NOW}"
    r"|(?:duplicate|double|accidental|repeated|redundant)\s+\w+"
    rf"|(?<=your\s)(?:\w+\s+)?(?:instructions?|programming|restrictions?|rules?)"
    r"\b)"
)
EVERYTHING_BEFORE = Wording(
    rf"{_WHOLE}(?:everything|anything|all)\s+(?:that\s+)?"
    r"(?:came\s+|(?:i|we|you|was|were|has\s+been|have\s+been)\s+\w+\s+)?"
    rf"{_SO_FAR}\b{_TO_NOW}"
)
# "What I said", "everything we talked about"; maybe about something.
SAID = Wording(
    rf"{_WHOLE}(?:about\s+)?(?:everything|anything|all|what|whatever|the\s+things?|that)"
    r"(?:\s+(?:that|of\s+what))?\s+(?:i|we|i've|we've|you|you've)\s+"
    rf"(?:{one_of('have, had, just, ever, previously, already, was, were, both')}\s+)"
    rf"{{0,3}}{_SAID}\b"
    r"(?:\s+(?:told|taught|given|through|about(?=\s*(?:[.,;!?)]|\Z))))?"
    r"(?:\s+(?:to\s+)?(?:you|me|us|each\s+other))?(?:\s+(?:just\s+)?"
    + one_of(
        "earlier, before, above, now, previously, so far, until now, up to now, today",
        "yesterday",
    )
    + r")?(?P<about>\s+(?:about|on|regarding|concerning)\b(?!\s*(?:[.,;!?)]|\Z)))?"
)
EVERYTHING_ABOUT = Wording(
    rf"{_WHOLE}(?:everything|anything|all(?:\s+\w+)?|whatever|what)\s+"
    r"(?P<known>(?:that\s+)?you\s+(?:\w+\s+){0,3}?(?:know|knew|remember|have|learned|stored"
    r"|saved)\s+)?(?:about|of|on|regarding)\s+(?P<object>\S)"
)
EVERYTHING = Wording(
    rf"{_WHOLE}(?:everything|it\s+all)(?:\s+(?:that\s+)?you(?:'ve|\s+have)?(?:\s+ever)?"
    r"\s+(?:know|knew|learned|remember|stored|saved))?"
    r"(?=\s*[.,;!?)]|\s*\Z|\s+(?:and|please|now)\b)"
)
# The papers and stories of a conversation: "everything about the previous one".
LAST_TALK = Wording(
    rf"\s*(?:{one_of('the, this, that, my, our, your')}\s+)?{_LAST_TALK}\b"
)
ME = Wording(r"(?:me|us|my|our|myself)\b")

IT = Wording(
    r"\s+(?:about\s+)?it(?:\s+(?:then|all|now|please|for\s+now|man|bro|dude))?"
    r"(?=\s*[.,;!?)\u2014\u2013\u2026\"']|\s*\Z|\s+-"
    r"|\s+(?:let's|lets|i'll|i'm|we|just|i)\b)"
)
I_ASKED = Wording(
    r"\s+(?:that\s+)?i\s+(?:even\s+|ever\s+)?(?:asked|spoke|said\s+(?:anything|it|that)"
    r"|mentioned\s+it|brought\s+it\s+up)(?=\s*[.,;!?)]|\s*\Z)"
)
THAT = Wording(
    r"\s+(?:all\s+(?:of\s+)?)?(?:that|this|those|these|them)(?:\s+(?:"
    rf"{one_of('last, previous, one, please, for now, too, now, idea, thing')}"
    rf"|(?:last|previous)\s+\w+|{_TALK}))?{_HALT}"
)
YOU_ARE = Wording(r"\s+(?:that\s+)?you(?:'re|\s+are)\b")
# Where another order begins.
TURN = Wording(
    r"(?:[,;]\s*(?:and\s+)?|\s+and\s+)"
    + one_of(
        "let's, lets, let us, just, now, instead, can you, could you, please, use",
        "give, write, make, start, focus, go, do, act, i want, i'd like, tell, show",
    )
    + r"\b"
)
CLAUSE = Wording(r"\s+that\s+(?=\S)|\s+(?=(?:i|i'm|i've|we|we're)\s)")
# One that is meant, and not any.
CERTAIN = Wording(
    r"\s*(?:\d|\0|'|"
    + one_of(
        "my, our, mine, all (?:of )?my, his, her, their, that, this, these, those, the",
        "any, all (?:of )?(?:the|our|those|these), project",
    )
    + r"\b)"
)
KIND = Wording(r"(?:\w+[\s-]+){0,4}\w*[^\Ws]s\s*(?:[.,;!?)]|\Z|and\b|or\b)")
NO_OBJECT = Wording(
    r"\s*(?:"
    + one_of(
        "to, you, yourself, about to, me, us, him, her, for, tomorrow, love",
        "this (?:e?-?mail|notice|letter|reminder|invoice)",
    )
    + r"\b|me-?not|\w+ing\b)"
)
# How adverts go: "forget the hassle".
SLOGAN = Wording(
    r"\s*(?:the\s+(?:\w+\s+)?"
    + one_of("hassle, stress, days?, crowds?, noise, rest, past, world")
    + r"|the\s+"
    + one_of("usual, traditional, boring, old, fancy, expensive, haters, gym, diet")
    + r"|(?:the\s+)?(?:fact|myth|idea|notion)\s+that)\b"
)

# --- out of memory -------------------------------------------------------------

OF_MEMORY = Wording(
    rf"\s+(?:{one_of('all, any, every, the, your, my, that, this, those, of')}\s+)"
    r"{0,4}memor(?:y|ies)\b(?:\s+(?:you\s+have\s+)?"
    rf"{one_of('about, of, on, regarding, that, where, with')}\s+(?P<object>\S))?"
)
FROM_MEMORY = Wording(
    r"\s+(?P<object>[^.!?\n]{0,120}?)\s*\bfrom\s+(?:(?P<your>your)\s+|the\s+|our\s+"
    r"|long[- ]term\s+){0,2}memor(?:y|ies)\b(?P<after>\s*[:,]\s*(?=\S)|\s+that\s+)?"
)
KNOWN = Wording(
    r"\s+(?:everything|all|anything|what(?:ever)?)\s+(?:that\s+)?you(?:'ve|\s+have)?\s+"
    r"(?:know|remember|have|stored|saved|learned)\s+(?:about|of|on)\s+(?P<object>\S)"
)
PERSONAL = Wording(r"\s+(?:my|our|what\s+i|everything\s+i|everything)\b")
MACHINE = Wording(
    r"\b"
    + one_of(
        "arrays?, objects?, files?, cache, buffers?, pages?, pointers?, process(?:es)?",
        "images?, variables?, listeners?, nodes?, leaks?, threads?, heap, stack, usage",
        "sessions?, cards?, keys?, structs?, lists?, elements?, programs?, apps?",
    )
    + r"\b"
)
POINTED = Wording(r"(?:this|that|it|these|those|them|all\s+of\s+(?:this|that|it))?\Z")
