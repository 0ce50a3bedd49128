"""Whether a phrase stands where an order stands, and how the assistant is asked.

An order opens its clause ("remember…", "ok, also remember…") or follows a request
("I want you to remember…", "can you remember…"). "I remember", "to remember",
"people forget" have something else before the phrase, and are none.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

from reverie.encoding.triggers.addressee import to_a_reader
from reverie.encoding.triggers.vocabulary import (
    IMPERATIVE,
    WRITES,
)
from reverie.encoding.triggers.wording import Wording, found_in, one_of

if TYPE_CHECKING:
    import re

RUN_ON = "run on"
_LEAD = 240  # how far back the words before a phrase matter


class Request(Enum):
    """How the assistant is asked."""

    NONE = auto()
    WISH = auto()  # I want you to
    QUESTION = auto()  # can you
    DUTY = auto()  # you should, make sure you: often said to a reader
    LEAVE = auto()  # you may
    TOGETHER = auto()  # let's


@dataclass(frozen=True, slots=True)
class Opening:
    """The words before a phrase that open an order.

    Attributes:
        start: Where they begin.
        request: How the assistant is asked.
        join: What joins them to the words before: a mark, "and", "please", `RUN_ON`.
        alone: Whether nothing but fillers stands before them in the sentence.
        asks: Whether it asks politely, so that a question mark changes nothing.
        kind: Whether there is a "please" in them, or a request.
        follows_order: Whether another order stands before them in the sentence.
        continues: Whether "and", "but" or "or" takes up what was said before.
        general: Whether what was said before is about a reader: "when you travel".
    """

    start: int
    request: Request
    join: str
    alone: bool = False
    asks: bool = False
    kind: bool = False
    follows_order: bool = False
    continues: bool = False
    general: bool = False


# Words that may stand before an order and change nothing.
_FILLERS = one_of(
    "ok, okay, k, alright, all right, right, well, so, now, then, yes, yeah, yep, yup",
    "sure, no, nope, great, good, perfect, cool, nice, excellent, awesome, wonderful",
    "fine, thanks, thank you, thank you so much, thank you very much, thx, hi, hey",
    "hello, dear, also, and, but, or, plus, btw, by the way, oh, ah, um, uh, hmm, wait",
    "actually, seriously, honestly, again, once again, finally, lastly, first, firstly",
    "first of all, second, secondly, next, anyway, anyways, listen, look, just, simply",
    "please, pls, plz, kindly, always, additionally, in addition, furthermore",
    "moreover, most importantly, importantly, above all, ps",
    r"p\\.s",
    "continue, go on, for now, one more thing, one last thing, one other thing",
    "for this, do, real quick, quick, quickly, to be clear, as always, as usual",
    "instead, therefore, thus, hence, however, chatgpt, gpt, claude, assistant, ai",
    "bot, never mind, nevermind, reminder, from now on, going forward",
    "in (?:the )?future, for (?:the )?future, maybe, perhaps, i think, got it",
    "understood, correct, exactly, absolutely, lol, haha, sorry, my bad, oops, whoops",
    "ugh",
)
_WISHES = (
    r"(?:i(?:'d|'ll|\s+(?:will|would|do|just|only|really|also|kindly|still)){0,2}\s+"
    r"(?:want|need|like|love|expect|ask|require|beg|prefer|request)(?:\s+for)?\s+you\s+to|"
    + one_of(
        "i(?:'m| am) (?:asking|telling|begging|instructing|ordering) you to",
        "i(?:'d| would) appreciate it if you(?: could| would)?",
        "we (?:want|need|would like|'d like) you to, you(?: are|'re) to",
        "your (?:first |next )?(?:task|job|goal|role) is to",
    )
    + ")"
)
_QUESTIONS = one_of(
    "(?:can|could|would|will|won't|can't) (?:you|u)(?: be able to| try to| try and)?",
    "are you able to, do you think you (?:can|could), is it possible (?:for you )?to",
    "may i ask you to",
)
_DUTIES = one_of(
    "you(?: also| really| just)? (?:should|must|need to|have to|ought to|gotta)",
    "try to, you(?:'ll| will)(?: also)? (?:need|have) to",
    "(?:make|be) (?:sure|certain)(?: that)?(?: you| to| and)",
    "(?:it's|it is)(?: very| really)? (?:important|crucial|essential|vital) that you",
)
_LEAVES = one_of("feel free to, you can, you may, you(?:'re| are) (?:free|allowed) to")
_ADVERBS = one_of("please, kindly, also, just, always, only, simply, maybe, now, then")
_PLEASE = found_in("please, pls, plz, kindly")

_EDGE = r"[\s\-#\u2022\u00b7\"'(\[+|>]*(?:\d{1,3}[.)])?"
_FILLED = rf"(?:{_FILLERS}(?:[\s,.!:;\u2026\u2014\u2013-]+|\Z))*"
_LEADS = Wording(
    rf"(?P<join>\A{_EDGE}|[,;:(\[\u2014\u2013\u2026\0]|\.\.+|\s-+(?=\s)"
    rf"|\b(?:and|but|so|please|pls|plz)\b|(?=\b{_WISHES}))\s*{_FILLED}"
    rf"(?:(?:(?P<wish>{_WISHES})|(?P<question>{_QUESTIONS})|(?P<duty>{_DUTIES})"
    rf"|(?P<leave>{_LEAVES})|(?P<together>let's|lets|let\s+us))\s+"
    rf"(?:{_ADVERBS}\s+)*)?\Z"
)
_FILLED_FRONT = Wording(rf"{_EDGE}\s*{_FILLED}")
_REQUESTS = {
    "wish": Request.WISH,
    "question": Request.QUESTION,
    "duty": Request.DUTY,
    "leave": Request.LEAVE,
    "together": Request.TOGETHER,
}

# Somebody else's words: "my mother said, remember …"
_TOLD = Wording(
    r"(?<!\bi\s)(?<!\bwe\s)(?<!\bi've\s)(?<!\bi\shave\s)\b"
    + one_of(
        "said, says, saying, told, tells, telling, replied, wrote, writes, called",
        "titled, named, quote, reads, sings, goes, shouted, whispered, yelled, phrase",
        "words?, lyrics?, mantra, motto, slogan, reminded, reminds",
    )
    + r"\b[^,;:]{0,30}\Z"
)
# What may stand before a colon and an order: "one more thing: remember …"
_BEFORE_COLON = Wording(
    r"(?:[\w\s]{0,40}\b)?"
    + one_of(
        "thing, things, note, ps, reminder, instructions?, rules?, task, important",
        "edit, update, context, prompt, user, me, human, question, request, favou?r",
        "tips?, caveat, warning, fyi, heads up, lastly, also",
        r"step \d+",
    )
    + r"\s*\Z"
)
# "When you travel, …", "when buying a tent, …" speak to a reader.
_READER_DOES = Wording(
    r"\b(?:as|when|while|whenever|if|once|after|before|until|since)\s+"
    rf"you(?:'re|'ve|\s+are|\s+have)?\b(?!\s+(?:\w+\s+)?{WRITES})"
    rf"|\b(?:when|while|before|after|if)\s+(?!{WRITES}|during)\w{{3,}}ing\b"
)
# "For the next part keep in mind that …"
_ABOUT = Wording(
    rf"\s*{_FILLED}(?:for|in|during|throughout|with)\s"
    r"(?:the|this|these|your|our|my|each|all|every)(?:\s\w+){1,4}\s*\Z"
)
# A word that takes the phrase into its own sentence: "he can remember", "to forget".
_NOT_AN_ORDER = Wording(
    r"\b"
    + one_of(
        "to, i, you, he, she, we, they, it, who, that, which, what, how, why, can",
        "could, will, would, must, should, might, may, not, n't, don't, didn't, always",
        "never, often, still, me, him, her, us, them, people, users?, students?",
        "readers?, and, or, a, an, the, my, your, of, for, in, on, with, by, if, when",
        "because, than, as",
    )
    + r"\s+\Z"
)
_ASKED = Wording(rf"(?:{_WISHES}|{_QUESTIONS})\b")
_POLITE = Wording(rf"{_QUESTIONS}\b")
_CONTINUES = Wording(r"[\s,]*(?:and|but|or)\b")
_HOWEVER = found_in("however")


def opening(text: str, first: int, at: int) -> Opening | None:
    """How an order opens before a phrase; `None` where none does.

    Args:
        text: The veiled message.
        first: Where the sentence begins.
        at: Where the phrase begins.
    """
    start = max(first, at - _LEAD)
    lead = text[start:at]
    found = _LEADS.search(lead)
    if found is None:
        return _run_on(start, lead)
    front = lead[: found.start()]
    join = found["join"].strip()
    order = gives_an_order(front)
    alone = found.start() == 0 or is_filler(front)
    if not alone and not _joins(join, front, order=order):
        return None
    request = _request(found)
    return Opening(
        start=start + found.start(),
        request=request,
        join=join,
        alone=alone,
        asks=request is Request.QUESTION or bool(_POLITE.search(front)),
        kind=request is not Request.NONE or bool(_PLEASE.search(found[0])),
        follows_order=order,
        continues=bool(_CONTINUES.match(lead, found.start())),
        general=bool(_READER_DOES.search(front) or _HOWEVER.search(lead)),
    )


def is_filler(front: str) -> bool:
    """Whether these words before an order change nothing."""
    return bool(_FILLED_FRONT.fullmatch(front))


def gives_an_order(front: str) -> bool:
    """Whether these words give an order, at their start or in their last clause."""
    clause = max(front.rfind(mark) for mark in ",;:\u2014\u2013") + 1
    for start in (0, clause):
        filled = _FILLED_FRONT.match(front, start)
        if filled and IMPERATIVE.match(front, filled.end()):
            return True
    return bool(_ASKED.search(front))


def _request(found: re.Match[str]) -> Request:
    name = next((name for name in _REQUESTS if found[name]), "")
    return _REQUESTS.get(name, Request.NONE)


def _joins(join: str, front: str, *, order: bool) -> bool:
    """Whether an order may follow these words, joined like this."""
    if _TOLD.search(front) or to_a_reader(front, 0, len(front)):
        return False
    if join == ":":
        return bool(_BEFORE_COLON.match(front))
    if join == "and":
        return order or front.rstrip().endswith(",")
    return True


def _run_on(start: int, lead: str) -> Opening | None:
    """An order that follows another without a mark: "write a poem remember to …"."""
    if _NOT_AN_ORDER.search(lead) or not (_ABOUT.match(lead) or gives_an_order(lead)):
        return None
    return Opening(start + len(lead), Request.NONE, RUN_ON, follows_order=True)
