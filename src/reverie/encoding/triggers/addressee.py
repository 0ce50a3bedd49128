"""Whom a sentence speaks to: the assistant, or anybody who reads it.

Pasted articles, answers and letters give advice with the same words in which a
person gives orders. They speak of a reader's life ("your garden", "treat
yourself"), in sayings, with "may" and "might", and give reasons. Orders speak of
the one who gives them, of the work at hand, and of what an assistant can do.
"""

from __future__ import annotations

from reverie.encoding.triggers.vocabulary import (
    DEED,
    DOES,
    ERRAND,
    GIFTS,
    TOPICS,
    WORK,
)
from reverie.encoding.triggers.wording import Wording, found_in, one_of

_WINDOW = 600  # how much of a sentence is looked at
_START = r"[\s,:]*(?:that\s+)?"

# --- signs of an order ---------------------------------------------------------

_MY = r"my(?!\s(?:friends?|dear|love|child)\b)"
_ME = Wording(rf"\b(?:i|i'm|i've|i'd|i'll|me|{_MY}|mine|myself)\b")
_US = found_in("we, we're, we've, we'll, our, us, ours")
_WE_OPEN = Wording(rf"{_START}(?:i|i'm|i've|i'd|i'll|me|{_MY}|we|we're|we've|our|us)\b")
_ORDER_OPENS = Wording(
    rf"{_START}(?:"
    + one_of(
        "don't, dont, do not, never, always, only, no, not, use, if i, when i",
        "whenever i, this is for, this is my, this is a story, this is a game",
        "you must, you can't, you cannot, you can only, you will, you have to",
        "you need to, you should(?! always| also| never)",
    )
    + r"|you(?:'re|\s+are)(?!\s+"
    + one_of(
        "never, always, what, loved, strong, stronger, amazing, beautiful, only human",
        "in control, worthy, more than, capable",
    )
    + r"\b))\b"
)
_DUTY = found_in(
    "must, shouldn't, mustn't, should(?! always| also| never), needs to, has to",
    r"no more than, at most, under \d+, \d+ words",
)
_WORKS_ON = Wording(
    rf"\b(?:the|this|that|these|each|every|all|no)\s+(?:\w+\s+)?(?:{WORK}|{TOPICS})\b"
)
_FORMAT = found_in("formatt?ing, formatted, bullet points?, markdown, csv, json")
_SIGNS = (_ME, _DUTY, _WORKS_ON, _FORMAT)

# --- signs of advice -----------------------------------------------------------

_YOURS = Wording(
    rf"\byour\b(?!\s+(?:{one_of('next, first, last, final, new, previous, own')}\s+)"
    rf"{{0,2}}(?:{WORK}|{GIFTS}|(?:goal|job|name|mission)\s+is)\b)"
)
_READER = found_in(
    r"(?<!repeat\s)(?<!repeating\s)(?<!introduce\s)(?<!limit\s)(?<!call\s)yourself",
    "yourselves, most of you, all of you, each of you, some of you, many of you",
    "both of you, you deserve, you're not alone, you are not alone, you are worth",
    "you are enough, you're doing, you're capable, you've got this, you have got this",
    "you can always, here for you, proud of you, sign up, subscribe, check out our",
    "our free, our new, our website, our channel, our newsletter, our e?-?mails?",
    "our podcast, our store, our shop, our blog, have fun, stay safe, take breaks?",
    "be patient, stay positive, stay focused, stay hydrated",
)
_YOU_LIVE = Wording(
    rf"\b(?:{one_of('for, to, helps?, helping, lets?, gives?, sets, makes')}"
    rf"\s+you(?!\s+{one_of('in, that, earlier, before, about, above, and')}\b)|"
    + one_of(
        "you feel, you enjoy, you love, you hope, you meet, you visit, you buy",
        "you eat, you cook, you travel, you live, you don't have, you haven't",
        "you wear, you sleep, you may, you might, you prefer, you plan, you choose",
        "you grow, you can't please, you can also, you've learned, you've read",
        "you've done, you've been, you've ever, you're buying, you're travell?ing",
        "you're planning, you're looking, you're meeting, you're reaching, you're new",
        "you're unsure, you're still, you're ready, you're comfortable, you're feeling",
        "you're interested, you're going to (?:be|need|want)",
    )
    + r")\b"
)
_FLOURISH = found_in(
    "delightful, stunning, breathtaking, delicious, unforgettable, cherished",
    "mouthwatering, refreshing, picturesque, irresistible, scrumptious, cozy, fragrant",
    "flavou?rful, vibrant, thoughtful, memorable, iconic",
)
_MAY_DO = one_of(
    "not, also, be, have, need, want, vary, take, require, contain, offer, provide",
    "cause, change, differ, result, experience, find, still, seem, include, lead, feel",
    "help, come, make, get, see, even, only, affect, apply, depend, start, look, work",
    "request, incur, impact, exist, prefer",
)
_HEDGE = found_in(
    rf"(?:may|might) {_MAY_DO}, vary, varies, depending on, depends? on, exhaustive",
    "subject to change, (?:these|this|those) (?:are|is) (?:just|only|general|not an)",
    "this is an (?:estimate|overview|example), not all, it's essential, it's important",
    "it's crucial, it's always, it's a good idea, be sure to, make sure to, so be",
    "consult, a professional, for everyone, can be challenging, can be difficult",
    "can be hard, can be tough, can be popular, can be sensitive, can be expensive",
)
_SAYING = found_in(
    "we all, each of us, all of us, many of us, is (?:the )?key(?! to), key is to",
    r"key to \w+",
    "the most important, the best way, the secret, the first step, practice makes",
    "there(?:'s| is| are) no (?:one|right|wrong|such|shame), no one is, nobody is",
    "is (?:not |all |just |not just )?about, takes? time, is subjective, natural part",
    "is an? (?:journey|process|marathon|skill|lifelong|ongoing|personal)",
    "a way of life, is like an?, more important, matters most, works? best",
    "is different, every individual",
    "the goal is to (?:create|find|have|make|be|get|enjoy|keep)",
)
_SAYING_OPENS = Wording(
    _START
    + one_of(
        "life, success, failures?, happiness, rome, sometimes, staying, nothing, love",
        "every (?:step|day|journey|person|little), even (?:the )?small(?:est)?",
        "slow and, everyone (?:is|has|makes|deserves|starts|learns|fails), kindness",
        "patience, the more",
        "(?:it's|it is) (?:ok|okay|never|always|not|all|normal|important)",
        "(?:it's|it is) (?:essential|crucial|about|these|perfectly|fine|the thought)",
        "you can(?:'t| not)? (?:always|please)",
    )
    + r"\b"
)
_DOING_IS = Wording(
    rf"{_START}(?!{one_of('everything, anything, during, morning, evening')}\b"
    rf"|{one_of('wedding, meeting, spring, building, training, string, formatting')}\b)"
    r"\w{2,}ing(?:\s[\w']+){1,6}\s(?:is|can|takes?|helps?|means)\b"
)
_SOME = Wording(
    _START
    + one_of(
        "some, most, many, while, although, different, certain, people, others",
        "each (?:person|individual|case), an? (?:\\w+ )?(?:diet|routine|lifestyle)",
    )
    + r"\b"
)
# Advice gives its reason; an order to a machine seldom does.
_REASON = found_in(
    "to reach, to ensure, to keep, to make, to get, to avoid, to help, to create",
    "to capture, to maximi[sz]e, to prevent, to enhance, to build, to stay, to achieve",
    "to find, as (?:it|they|this|these) (?:can|may|might|will), as prices, as needed",
    r"(?:before|when|while) \w+ing, before you, in advance, gradually",
    r"for (?:an?|extra|added) [\w-]+ (?:flavou?r|touch|look|finish|crunch|effect|note)",
)
_ASSISTANT = found_in(
    "as an ai (?:language )?model, large language model, i don't have personal",
    "glad i could help, glad you(?:'re| are), glad to hear, i hope this helps",
    "feel free to (?:ask|reach out|share)(?! me), don't hesitate to, as you mentioned",
    "you(?:'re| are) (?:very )?welcome(?=[!.]), anything else i can",
    r"here are some (?:\w+ )?(?:tips|tweaks|suggestions|ideas) (?:for|to help) you",
)
_MINE = found_in("my")


def to_a_reader(text: str, start: int, end: int) -> bool:
    """Whether this stretch speaks of a reader's own life."""
    end = min(end, start + _WINDOW)
    strong = _READER.search(text, start, end) or _FLOURISH.search(text, start, end)
    if strong:
        return True
    # What "you" do at its very start may be a part that the assistant plays.
    weak = _YOURS.search(text, start, end) or _YOU_LIVE.search(text, start + 9, end)
    return bool(weak) and not _ME.search(text, start, end)


def to_the_assistant(text: str, start: int, end: int) -> bool:
    """Whether this stretch speaks of the speaker, the work at hand, or a duty."""
    end = min(end, start + _WINDOW)
    if _ORDER_OPENS.match(text, start, end) or we_open(text, start):
        return True
    return any(sign.search(text, start, end) for sign in _SIGNS)


def for_everybody(text: str, start: int, end: int) -> bool:
    """Whether this stretch is a saying or careful advice, and not the speaker's own."""
    end = min(end, start + _WINDOW)
    if _ME.search(text, start, end):
        return False
    if _SAYING_OPENS.match(text, start, end) or _DOING_IS.match(text, start, end):
        return True
    if to_the_assistant(text, start, end):
        return False
    return bool(
        _SAYING.search(text, start, end)
        or _HEDGE.search(text, start, end)
        or _SOME.match(text, start, end)
    )


def we_open(text: str, start: int) -> bool:
    """Whether what stands here begins with the speaker: "I", "my", "we", "our"."""
    return bool(_WE_OPEN.match(text, start))


def mine(text: str, start: int, end: int) -> bool:
    """Whether the speaker says "I" or "my" here."""
    return bool(_ME.search(text, start, min(end, start + _WINDOW)))


def ours(text: str, start: int, end: int) -> bool:
    """Whether the speaker says "I", "my", "we" or "our" here."""
    return mine(text, start, end) or bool(
        _US.search(text, start, min(end, start + _WINDOW))
    )


def a_task(text: str, start: int, end: int) -> bool:
    """Whether a verb here is something to be done by the assistant, or for the speaker.

    "Use tables" and "call the plumber" are; "follow the trail" and "use sunscreen to
    avoid burns" are what a reader is told.
    """
    end = min(end, start + _WINDOW)
    signed = any(sign.search(text, start, end) for sign in _SIGNS)
    if DOES.match(text, start) and not DEED.match(text, start):
        return signed
    if not (DEED.match(text, start) or ERRAND.match(text, start)):
        return mine(text, start, end)
    return signed or not _REASON.search(text, start, end)


def an_assistants_voice(text: str) -> bool:
    """Whether the message says what only assistants say: a pasted answer."""
    return bool(_ASSISTANT.search(text))


def an_advisers_voice(text: str) -> bool:
    """Whether the message speaks of "your" life again and again and never of "my"."""
    yours = _YOURS.finditer(text)
    return all(next(yours, None) for _ in range(3)) and not _MINE.search(text)
