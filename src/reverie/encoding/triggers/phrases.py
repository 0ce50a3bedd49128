"""The tables of phrases, one file a language, and what in a message nobody says.

In a table `[a]` may be left out, `a/b` is either word (with `_` for a blank inside),
`…` stands for what the phrase is about, and a phrase that ends with `.` ends its
sentence. Accents, capitals and apostrophes do not matter: `plain` writes small letters
without accents and with straight marks. `mask` puts `MASK` where code, quotations, mail
and markup stand. Every character keeps its place.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.model.route import TriggerKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from reverie.config import TriggersConfig

MASK = "\0"
PHRASE = 4
"""So many quoted words are a statement; fewer may be a name or a title."""

TYPED = 400
"""Characters; in a longer line only the sentence that opens it is taken for typed."""

LONG, EDGE = 3_000, 1_500
"""Of a message longer than the first, so much at either edge may ask for something."""

_TRADITIONAL = (
    "請煩幫給對謝話麼現還應該務們讓徹這個點說過關於記著別備註將來後從開慮"
    "刪無視當沒係時帶樣問題憶顧鞏間線門裡遠頂釘嗎囉夢見"
)
_SIMPLIFIED = (
    "请烦帮给对谢话么现还应该务们让彻这个点说过关于记着别备注将来后从开虑"
    "删无视当没系时带样问题忆顾巩间线门里远顶钉吗啰梦见"
)
_PLAIN = str.maketrans(
    {
        **{chr(n): unicodedata.normalize("NFD", chr(n))[0] for n in range(0xC0, 0x250)},
        **dict.fromkeys("\u2018\u2019\u201b\u02bc\u00b4\uff07", "'"),
        **dict.fromkeys("“”„‟«»「」『』", '"'),
        **dict.fromkeys("\u00a0\u2007\u202f\u3000\r*¿¡", " "),
        **{chr(sign + 0xFEE0): chr(sign) for sign in b"!(),:;?~"},  # wide marks
        "\u3001": ",",
        **dict(zip(_TRADITIONAL, _SIMPLIFIED, strict=True)),
    }
)
_FACES = re.compile("[\u2190-\u2bff\ufe0f\u200d\U0001f000-\U0001faff]")
_ASCII_SMALL = {upper: upper + 32 for upper in range(65, 91)}
_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s<>]++")
# What must be in a text for it to be looked for, and how it is found; in this order.
_SHOWN = tuple(
    (mark, re.compile(pattern, re.MULTILINE))
    for mark, pattern in (
        ("```", r"^[ \t]*+```[^\n]*(?:\n(?![ \t]*```)[^\n]*)*+(?:\n.*)?"),
        ("~~~", r"^[ \t]*+~~~[^\n]*(?:\n(?![ \t]*~~~)[^\n]*)*+(?:\n.*)?"),
        ("`", r"``[^`\n]++``|`[^`\n]++`"),
        ('"""', r'"""(?:[^"]|"(?!""))*+"""'),
        ("'''", r"'''(?:[^']|'(?!''))*+'''"),
        (">", r"^[ \t]*+>[^\n]*"),
        ("/", _ADDRESS.pattern),
        ("{", r"\{[^{}]*+\}"),
        ('"', r'(?<![\w"])"(?=[^\s"])[^"\n]*+(?:\n(?![ \t]*\n)[^"\n]*+)*+"(?!\w)'),
        ("'", r"(?<![\w'])'(?=\w)(?:[^'\n]|(?<=\w)'(?=\w)){1,400}+'(?!\w)"),
        (":", r"^[ \t]*+(?:assistant|ai|chatgpt|gpt|bot|system)[ \t]*+:[^\n]*"),
    )
)
_PAIRS = ("“”", "«»", "„“", "„”", "「」", "『』")
_PAIRED = re.compile("|".join(f"{two[0]}[^{two}\n]*+{two[1]}" for two in _PAIRS))
_MAIL = re.compile(
    r"^(?:on [^\n]{4,200} wrote:|-{2,}[ \t]*+(?:original|forwarded) message\b[^\n]*"
    r"|begin forwarded message:|(?:from|von|de): [^\n]*\n[a-z]{2,12}: [^\n]*)[ \t]*$",
    re.MULTILINE,
)
_TAG = re.compile(r"</?[a-z][a-z0-9_-]{0,20}(?:\s[^<>\n]{0,200})?/?>")


def plain(message: str) -> str:
    """The message in small letters, without accents, faces and typographic marks."""
    low = message.lower()
    if low.isascii():
        return low.replace("*", " ").replace("\r", " ")
    if len(low) != len(message):
        low = message.translate(_ASCII_SMALL)
    return _FACES.sub(" ", low.translate(_PLAIN))


def mask(message: str, said: str) -> str:
    """The plain text of a message with everything masked that its writer only shows."""
    text = _masked(said, (found.span() for found in _PAIRED.finditer(message)))
    for mark, pattern in _SHOWN:
        if mark in text:
            text = _masked(text, (found.span() for found in pattern.finditer(text)))
    # From the first tag to the last that closes one; a mail to its end.
    if "<" in text and (tag := _TAG.search(text)):
        last = text.find(">", text.rfind("</"))
        text = _masked(text, [(tag.start(), max(tag.end(), last + 1))])
    head = _MAIL.search(text)
    return _masked(text, [(head.start(), len(text))] if head else [])


def _masked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with these stretches masked; lines stay lines."""
    pieces: list[str] = []
    at = 0
    for start, end in spans:
        pieces += (text[at:start], re.sub(r"[^\n]", MASK, text[start:end]))
        at = end
    return "".join((*pieces, text[at:])) if pieces else text


# --- whose words they are ------------------------------------------------------

_SPACE = f" \t\r\n\f\v\x1c\x1d\x1e\x85\u2028\u2029{MASK}"
_BLANK = re.compile(r"\n[^\S\n]*\n\s*")
_PART = re.compile(r"\s*(?:[-+*•·#|]|\d{1,3}[.)]\s|(?:user|human)\s?:)", re.IGNORECASE)
_ENTITY = re.compile(r"&#?\w{2,6};")


class Authorship:
    """What in a message is its sender's own, told by where it stands alone.

    Words are theirs where a message is one line of theirs. In one of several lines
    nobody can tell what was typed from what was pasted, and in the middle of several
    paragraphs nothing is asked for at all.

    Args:
        message: What was said.
        said: The same, plain.
        text: The same, masked.
    """

    def __init__(self, message: str, said: str, text: str) -> None:
        self._message, self._said, self._text = message, said, text
        ends = (blank.end() for blank in _BLANK.finditer(text))
        paragraphs = self._speaking((0, *ends, len(text)))
        self._edges = (*paragraphs[:1], *paragraphs[-1:])
        sizes = map(len, message.splitlines(keepends=True))
        lines = self._speaking(accumulate(sizes, initial=0))
        self._line = lines[0] if len(lines) == 1 else (0, 0)

    def _speaking(self, bounds: Iterable[int]) -> list[tuple[int, int]]:
        """The stretches between bounds that are not all masked."""
        spans = pairwise(bounds)
        return [(a, b) for a, b in spans if self._text[a:b].strip(_SPACE)]

    def commands(self, place: int) -> bool:
        """Whether what stands here may ask for something: at either edge."""
        size = len(self._text)
        if size > LONG and EDGE < place < size - EDGE:
            return False
        return any(start <= place < end for start, end in self._edges)

    def is_own(
        self, content: tuple[int, int], sentence: tuple[int, int], asks: int
    ) -> bool:
        """Whether what a sentence that asks is about are the sender's own words.

        Args:
            content: Where that stands.
            sentence: Where the sentence stands.
            asks: Where in it the phrase begins.
        """
        (first, last), (start, end) = self._line, sentence
        if not first <= content[0] <= content[1] <= last > 0:
            return False
        opens = not self._text[first:start].strip(_SPACE)
        closes = last - first <= TYPED and not self._text[end:last].strip(_SPACE)
        # A part of a page, a table or a list, or what goes on behind an address.
        copied = (
            _PART.match(self._message, first, asks)
            or _TAG.search(self._said, first, last)
            or _ENTITY.search(self._said, first, last)
            or _ADDRESS.search(self._said, first, asks)
        )
        return (opens or closes) and not copied and not self._quoted(*content)

    def _quoted(self, start: int, end: int) -> bool:
        """Whether most of some words is a quotation, or a statement among them is."""
        said = _ADDRESS.sub(lambda found: MASK * len(found[0]), self._said[start:end])
        shown = zip(said, self._text[start:end], strict=True)
        quoted = "".join(letter if seen == MASK else MASK for letter, seen in shown)
        parts = [part for part in quoted.split(MASK) if part.strip()]
        most = max((len(part.split()) for part in parts), default=0)
        return most >= PHRASE or 2 * sum(map(len, parts)) > end - start


# --- the tables ------------------------------------------------------------------

KINDS = {
    "withhold": TriggerKind.WITHHOLD,
    "pin": TriggerKind.REMEMBER,
    "remember": TriggerKind.REMEMBER,
    "forget": TriggerKind.FORGET,
    "dismiss": TriggerKind.DISMISS,
    "search": TriggerKind.SEARCH,
    "self_image": TriggerKind.SELF_IMAGE,
    "reflect": TriggerKind.REFLECT,
    "farewell": TriggerKind.REFLECT_SOFT,
}
"""What each list of phrases asks for."""

OWN = ("remember", "withhold", "forget", "search", "reflect", "farewell")
"""The lists that a workspace can extend."""

GAP = "…"
# Of languages without a table that deny behind the verb, for a workspace's phrases.
_BEHIND = {
    "negations": "niet, nooit, geen, ikke, aldri, aldrig, inte, nie, nigdy, non",
    "negated": "niet, nooit, ikke, aldri, inte, … niet, … nooit, … ikke, … inte",
    "telling": "ik, jij, hij, wij, we, jeg, jag, han, vi",
}
_WIDE = "\u3040-\u30ff\u3400-\u9fff"  # letters of languages that write no blanks
_LETTER = rf"[^\W{_WIDE}]"
_SEP = rf"(?:[\s,.!?:;…~\u2013\u2014-]+|(?<=[{_WIDE}])|\Z)"
_SPELLINGS = {
    "'": r"'?\s?",
    "_": r"\s++",
    " ": r",?\s++",
    ":": r"\s{0,3}:",
    GAP: rf"([^.!?\n。{MASK}]{{1,90}}?)",
}
# What is looked for around a phrase; `<<a+b>>` is any entry of these lists.
_AROUND = {
    "opening": r"(?:\A[\s.!?\"'()~\u2013\u2014-]*|(?P<mark>[,;.~()\0\u2013\u2014-])\s*)"
    rf"(?:<<joins>>{_SEP})?(?P<open>(?:<<openers+requests>>{_SEP})*)\Z",
    "ending": r"(?:[\s,!.…]*<<tail+polite>>)*\s*(?:\Z|[.,!?;:…~()。\n\0\"-])",
    "manners": r"(?:[\s,.!?…~]+<<polite>>)+[\s.!?…)~]*\Z",
    "greeting": rf"\s*(?:<<polite>>{_SEP})*",
    "pointing": r"(?P<points>(?:\s*<<points>>)*)(?:[\s,]*<<tail+polite>>)*\s*"
    r"(?:\Z|[.!?…。,:;\u2013\u2014-]+\s*)",
    "pointed": r"(?:\s*<<points>>)+\s*\Z",
    "negated": r"(?:\s+(?P<about><<points>>))?\s+(?P<no><<negated>>)",
    "negated_last": r"(?!(?:\s+<<drop>>)*\s+<<telling>>)"
    r"\s+(?P<about>[^,:;\n\0]{1,90}?)\s+(?P<no><<…negated>>)(?:[\s,]*<<tail+polite>>)*[\s.!…)~]*\Z",
    "drop": r"(?:[\s,:;.!…~\u2013\u2014]|-(?=\s))*" rf"(?P<drop><<drop+{{}}>>{_SEP})?",
}


class PhraseTable:
    """The phrases and words of one language.

    Args:
        lists: Each list by its name.
    """

    def __init__(self, lists: dict[str, list[str]]) -> None:
        self.lists = lists
        self._made: dict[str, re.Pattern[str]] = {}

    def leading(self, name: str) -> re.Pattern[str]:
        """The entries of a list, or its phrases that stand before what they are about.

        A group of the match holds what a phrase stands around; an empty one says that
        the phrase has to end its sentence.
        """
        return self._compiled(name, f"<<{name}>>")

    def trailing(self, name: str) -> re.Pattern[str]:
        """The phrases of a list that follow what they are about."""
        return self._compiled(GAP + name, f"<<{GAP}{name}>>")

    def around(self, name: str, more: str = "") -> re.Pattern[str]:
        """What is looked for around a phrase."""
        return self._compiled(f"{name} {more}", _AROUND[name].replace("{}", more))

    def _compiled(self, name: str, pattern: str) -> re.Pattern[str]:
        if name not in self._made:
            made = re.sub(r"<<([\w+…]+)>>", lambda lists: self._any(lists[1]), pattern)
            self._made[name] = re.compile(made)
        return self._made[name]

    def _any(self, names: str) -> str:
        trailing = names[0] == GAP
        every = (
            p for name in names.split("+") for p in self.lists.get(name.strip(GAP), ())
        )
        ways = [p.lstrip(GAP).strip() for p in every if (p[0] == GAP) == trailing]
        ways.sort(key=len, reverse=True)
        return f"(?:{'|'.join(map(_pattern, ways))})" if ways else "(?!)"


def _pattern(phrase: str) -> str:
    """A phrase as a regular expression that takes the usual spellings."""
    alone, phrase = phrase.endswith("."), phrase.rstrip(".")
    # The colon belongs to all alternatives: `note/notez:` is none without one.
    colon, phrase = phrase.endswith(":"), phrase.rstrip(":")

    def spelt(word: re.Match[str]) -> str:
        ways = (
            "".join(_SPELLINGS.get(sign, re.escape(sign)) for sign in way)
            for way in sorted(word[0].split("/"), key=len, reverse=True)
        )
        return f"(?:{'|'.join(ways)})"

    made = re.sub(r"\[([^\]]*)\] ", r"<\1 >", phrase)
    made = re.sub(r" \[([^\]]*)\]", r"< \1>", made).replace("[", "<").replace("]", ">")
    made = re.sub(r"[^\s<>]+", spelt, made).replace(" ", _SPELLINGS[" "])
    made = re.sub(r"<([^<>]*)>", r"(?:\1)?", made)
    front = r"(?<![\w'@#/\\.-])" if re.match(_LETTER, phrase) else ""
    back = r"(?![\w'/@]|-\w)" if re.search(rf"{_LETTER}\]?\Z", phrase) else ""
    back = _SPELLINGS[":"] if colon else back
    return f"{front}{made}{back}{'()' if alone else ''}"


class Tables:
    """The tables of a workspace, and a quick look at which of their lists may matter.

    Args:
        every: The lists of each table.
    """

    def __init__(self, every: list[dict[str, list[str]]]) -> None:
        self.tables = tuple(map(PhraseTable, every))
        self._words: dict[str, list[tuple[list[set[str]], tuple[int, str]]]] = {}
        self._pieces: dict[str, set[tuple[int, str]]] = {}
        for number, lists in enumerate(every):
            for name, phrase in ((n, p) for n in KINDS for p in lists.get(n, ())):
                *others, best = sorted(_must(phrase), key=lambda w: min(map(len, w)))
                for word in best:
                    if re.search(f"[{_WIDE}]", phrase):
                        self._pieces.setdefault(word, set()).add((number, name))
                    else:
                        entry = (others, (number, name))
                        self._words.setdefault(word, []).append(entry)

    def lists_in(self, said: str) -> set[tuple[int, str]]:
        """Which lists of which tables may be spoken in a plain text; mostly none."""
        words = set(_WORD.findall(said))
        found = {
            place
            for word in self._words.keys() & words
            for others, place in self._words[word]
            if not any(ways.isdisjoint(words) for ways in others)
        }
        if not said.isascii():
            found.update(*(at for piece, at in self._pieces.items() if piece in said))
        return found


_WORD = re.compile(r"[^\W_]+")


def _must(phrase: str) -> Iterator[set[str]]:
    """The words that every text with a phrase has; each set holds alternatives."""
    for word in re.sub(r"\[[^\]]*\]|[…:.]", " ", phrase).split():
        ways = {*word.split("/"), *word.replace("'", "").split("/")}
        yield {max(_WORD.findall(way), key=len) for way in ways}


@cache
def tables_of(settings: TriggersConfig) -> Tables:
    """The tables of a workspace's languages, and one of its own phrases."""
    every = [_read(language) for language in settings.languages]
    own = {name: list(map(_own, getattr(settings, name))) for name in OWN}
    if any(own.values()):
        names = {name for lists in every for name in lists} - KINDS.keys()
        words = {
            name: [
                word
                for lists in every
                for word in lists.get(name, ())
                # In one language "de" is an article, in another it is "of".
                if len(word) > 2 or not name.startswith("drop")
            ]
            for name in names
        }
        for name, more in _BEHIND.items():
            words[name] = [*words.get(name, ()), *more.split(", ")]
        words["denied"] = words["negations"]
        words["negatable"] = [*own["remember"], *own["forget"]]
        every.append(words | own)
    return Tables(every)


@cache
def list_of(name: str, settings: TriggersConfig) -> Tables:
    """One list of all tables of a workspace, for who need not wait for the others."""
    every = [_entries(_file(language)[name]) for language in settings.languages]
    own = list(map(_own, getattr(settings, name)))
    return Tables([{name: phrases} for phrases in (*every, own)])


def _read(language: str) -> dict[str, list[str]]:
    return {name: _entries(entries) for name, entries in _file(language).items()}


@cache
def _file(language: str) -> dict[str, str]:
    text = Path(__file__).with_name(f"{language}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _entries(entries: str) -> list[str]:
    return [" ".join(one.split()) for one in plain(entries).split(",")]


def _own(phrase: str) -> str:
    """A phrase of a workspace: what is a sign in a table is none in it."""
    words = re.sub(r"[\[\]/_<>,]|\.(?=\s|\Z)", " ", phrase.replace("...", GAP))
    return " ".join(plain(words).split())
