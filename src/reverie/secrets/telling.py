"""Values that the word beside them makes secret: "mein Passwort ist …".

One rule for every language of `labels.py`: a word for a secret, something that joins
it to a value, and a value that looks like one. The less joins the two, the less may the
value look like a word. "The password was changed on Monday", `password: str` and
"reset my password" say nothing secret.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from reverie.secrets.folding import plain_word
from reverie.secrets.formats import ISSUERS
from reverie.secrets.labels import (
    AMBIGUOUS,
    KEY,
    OTHER_SCRIPT,
    PASSWORD,
    PIN,
    PROGRAMS,
    PUBLIC,
    STEMS,
    TONGUES,
    USERS,
)
from reverie.secrets.values import (
    NO_PASSWORD,
    SENTENCE_WORDS,
    password,
    placeholder,
    quirky,
    random_looking,
    reference,
    spoken,
    strong,
    technical,
    telling_word,
    very_random,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

REACH = 300
"""Characters from a label to its value, at most."""

FAR = 9
"""So many words may stand between a label and its value."""

_PLAIN_TONGUES = ("English", "German")
"""Of these `values.py` knows which words are no passwords."""

_DENSE = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
)
"""Letters of scripts that put no blank, or not always one, between words."""

_ENDING = re.compile(rf"(?:[^\W{_DENSE}]|-(?=\w))*")
_PARTICLE = re.compile(rf"[{_DENSE}]{{0,8}}")
_SEPARATOR = re.compile(
    r"[\"'`\])*_\\]{0,4}[ \t]{0,8}(?P<mark>=>|:=|->|={1,3}|:|>|\||-{1,2}(?=[ \t]))"
    r"[ \t]{0,8}(?P<line>\n{1,2}[ \t]{0,8})?\*{0,2}"
)
_LOOSE = frozenset(("|", "-", "--", ">"))
_GAP = re.compile(r"[\"'`\])*]{0,2}[ \t]{1,4}")
_VALUE = re.compile(
    r"\\?\"[ ]?(?P<double>[^\"\n\0]{1,1000}?)[ ]?\\?\"|'(?P<single>[^'\n\0]{1,1000})'"
    r"|`(?P<tick>[^`\n\0]{1,1000})`"
    r"|[\u300c\u300e\u3010(]?(?P<bare>[^\s\0\"'`,;:<>|][^\s\0\"'`;<>|]{0,999})"
)
_SKIPPED = re.compile(r"\([^()\n\0]{1,30}\)|[^\W_][\w'&.@/-]{0,30}")
_TAIL = ".,:;)]}>\\*\u300d\u300f\u3011"
_QUERY = re.compile(r"&\w{1,30}=")
_ENDS = re.compile(
    r"[\"'`*_)\]}\u300d\u300f]{0,3}(?:\s*\Z|[ \t]*\n|[.,;!?)|\]}\u3002\u3001]"
    r"|[ \t]+(?:and|for|but|on|at|und|\(|-)"
    r"|[ \t]?(?:\u3067\u3059|\u3060|\uc785\ub2c8\ub2e4|\uc774))"
)
_PHRASE = re.compile(
    r"[a-z]{2,12}(?:[ -][a-z]{2,12}){2,11}(?=[ \t]*(?:\Z|[\n.,;!?\"'`]))"
)
_DIGITS = re.compile(
    r"[\"'`*]{0,2}(?P<bare>[#*]?\d{3,8}[#*]?|\d(?:[ -]\d){3,7})"
    r"(?![a-z%_]|[.,/:-]\d| ?%|\d)"
)
_DIGIT = re.compile(r"\d")
_VARIABLE = re.compile(r"\$\{?\w*\Z")
_MANY = re.compile(r"e?s\Z")
_ABOUT_IT = re.compile(
    r"(?:file|path|hash|len|min|max|polic|reset|ur[il]|field|type|name|prompt|input"
    r"|label|manag|strength|expir|age\b|count|limit|size|hint|requir|less|chang|rotat"
    r"|gener|valid|check|updat|column|attempt|histor|salt|protect|stdin|finger|ttl"
    r"|issuer|endpoint|prefix|version|arn|ref\b|class|budget|usage|_?id\b|day\b|rul"
    r"|verw|richt|zur\u00fcck|l\u00e4ng)"
)
"""Endings that make it something about a password: `password_file`, `token_limit`."""

_MONEY = re.compile(r"\b(?:bank|card|debit|credit|sim|phone|atm|unlock|door|account)\b")
_POSTAL = re.compile(r"pin[ -]?code\b")
_BRACKETS = frozenset("()[]{}")
_COUNTED = frozenset("0123456789-_")


class Label(NamedTuple):
    """A word for a secret.

    Attributes:
        word: The word, folded, in small letters.
        kind: What it names.
        plain: Whether an ordinary word after it may be the secret.
        bare: Whether nothing need join it to its value.
        joins: What joins it to its value.
    """

    word: str
    kind: str
    plain: bool
    bare: bool
    joins: frozenset[str]

    @property
    def short(self) -> bool:
        """Whether it must stand alone: `pass`, and no `compass`."""
        short = len(self.word) < 5 and not _dense(self.word[0]) and self.kind != KEY
        return short or self.word == "auth"


class _Place(NamedTuple):
    """How a value is joined to its label.

    Attributes:
        label: The word for a secret.
        joined: By what: `:` for any mark, `is`, `to`, or nothing.
        loose: Whether a line end or a table's bar is all that joins them.
        gap: How many words stand between.
        beyond: Whether a comma does.
        many: Whether the label is about several of them.
        login: Whether it follows somebody's name at once.
    """

    label: Label
    joined: str
    loose: bool
    gap: int
    beyond: bool
    many: bool
    login: bool


class _Value(NamedTuple):
    text: str
    start: int
    end: int
    quoted: bool


def told(text: str, low: str) -> Iterator[tuple[str, int, int]]:
    """The kinds of secrets that labels give away, and where they stand.

    Args:
        text: A folded text.
        low: The same in small letters, and as long.
    """
    for label, start in _labels(low):
        end = start + len(label.word)
        ending = _ending(label, low, end)
        if ending is None or not _counts(label, low, start):
            continue
        # Only a password may be a plain word.
        if label.kind != PASSWORD and not _DIGIT.search(
            low, max(0, start - REACH), end + REACH
        ):
            continue
        found = _after(text, low, label, end + len(ending), ending)
        found = found or _before(text, low, label, start, end + len(ending))
        if found:
            yield _kind(label, low, start), found.start, found.end


# --- labels ------------------------------------------------------------------


def _words(column: str) -> set[str]:
    """The words of a column, folded; accents may be missing."""
    words = {plain_word(word.replace("_", " ")) for word in column.split()}
    return words | {_unaccented(word) for word in words}


def _unaccented(word: str) -> str:
    split = unicodedata.normalize("NFD", word)
    return "".join(char for char in split if not unicodedata.combining(char))


class _Table(NamedTuple):
    """The tables of `labels.py`, made ready when a text first has need of them.

    Attributes:
        latin: Labels by what is looked for first, the longest first.
        other: Labels in other scripts than ours, the longest first.
        turns: Words before a new value.
        none: Words that are no password.
        users: Finds who logs in, at the end of what stands before a label.
        public: Finds what makes a key a public one.
        programs: Finds what makes a key a program's.
    """

    latin: dict[str, list[Label]]
    other: list[Label]
    turns: frozenset[str]
    none: frozenset[str]
    users: re.Pattern[str]
    public: re.Pattern[str]
    programs: re.Pattern[str]


@cache
def _table() -> _Table:
    labels: dict[str, Label] = {}
    common = {word for tongue in TONGUES.values() for word in _words(tongue.joins)}
    common -= _words(AMBIGUOUS)
    for name, tongue in TONGUES.items():
        joins = frozenset(common | _words(tongue.joins))
        columns = ((PASSWORD, tongue.password), (PIN, tongue.pin), (KEY, tongue.key))
        for kind, column in columns:
            for word in _words(column):
                plain = name in _PLAIN_TONGUES
                bare = tongue.bare or _dense(word[0])
                label = labels.setdefault(word, Label(word, kind, plain, bare, joins))
                labels[word] = label._replace(joins=label.joins | joins)
    ordered = sorted(labels.values(), key=lambda label: -len(label.word))
    latin = {stem: [each for each in ordered if stem in each.word] for stem in STEMS}
    users = "|".join(sorted(_words(USERS), key=len, reverse=True))
    return _Table(
        latin,
        [each for each in ordered if OTHER_SCRIPT.search(each.word)],
        frozenset(word for t in TONGUES.values() for word in _words(t.turns)),
        frozenset(word for t in TONGUES.values() for word in _words(t.none)),
        re.compile(
            rf"(?:{users})[ \t:=]{{1,3}}\S{{1,60}}[ \t,;/|]{{1,3}}(?:\w{{1,3}}[ \t])?\Z"
        ),
        re.compile(rf"(?:{'|'.join(_words(PUBLIC))})[\w-]{{0,3}}[ _-]?\Z"),
        re.compile(rf"(?:{'|'.join(_words(PROGRAMS))})[ _-]?\Z"),
    )


def _dense(char: str) -> bool:
    return bool(_PARTICLE.fullmatch(char))


_ISSUERS = re.compile("|".join(ISSUERS))


def _labels(low: str) -> Iterator[tuple[Label, int]]:
    """The labels of a text; of those in one place the longest."""
    table = _table()
    stems = [stem for stem in STEMS if stem in low]
    other = not low.isascii() and OTHER_SCRIPT.search(low)
    sets = [table.latin[stem] for stem in stems] + [table.other if other else []]
    taken: set[int] = set()
    for label in (label for labels in sets for label in labels if label.word in low):
        word = label.word
        at = low.find(word)
        while at >= 0:
            if at not in taken:
                taken.update(range(at, at + len(word)))
                yield label, at
            at = low.find(word, at + len(word))


def _counts(label: Label, low: str, start: int) -> bool:
    """Whether a label stands alone where it must, and names no public key."""
    before = low[max(0, start - 24) : start]
    alone = not before[-1:].isalpha() or _dense(before[-1]) or _dense(label.word[0])
    if _VARIABLE.search(before) or (
        label.kind != KEY and len(label.word) < 6 and not alone
    ):
        return False
    if label.kind != KEY:
        return True
    return not _table().public.search(before) and (alone or label.word != "auth")


def _ending(label: Label, low: str, end: int) -> str | None:
    """What is grown to a label; None where that makes it another word."""
    if _dense(label.word[-1]):
        found = _PARTICLE.match(low, end)
        return found[0] if found else ""
    found = _ENDING.match(low, end, end + 26)
    ending = found[0] if found else ""
    first = ending[:1]
    if first.isalpha() and (label.short or label.kind == KEY):
        plural = re.match(
            r"s?(?:value|string|prod|dev|live|test|data)?(?![a-z])", ending
        )
        if label.short or not plural:
            return None
    return None if _ABOUT_IT.search(ending) else ending


def _kind(label: Label, low: str, start: int) -> str:
    if label.kind != KEY:
        return label.kind
    line = low.rfind("\n", max(0, start - 48), start)
    near = [*_ISSUERS.finditer(low, max(line, start - 48, 0), start)]
    return f"{near[-1][0].capitalize()} key" if near else KEY


# --- values after their label ------------------------------------------------


def _after(text: str, low: str, label: Label, at: int, ending: str) -> _Value | None:
    """The value that follows a label, as far as nine words away."""
    dense = (bool(ending) and _dense(ending[-1])) or _dense(low[at : at + 1] or " ")
    joined = "is" if dense and len(ending) <= 4 else ""
    loose = beyond = False
    many = label.kind != PIN and bool(_MANY.fullmatch(ending))
    start = at - len(ending) - len(label.word)
    named = bool(_table().users.search(low[max(0, start - 80) : start]))
    for gap in range(FAR):
        mark = _SEPARATOR.match(low, at)
        space = None if mark else _GAP.match(low, at)
        if mark:
            joined, loose = ":", bool(mark["line"]) or mark["mark"] in _LOOSE
        elif not space and not (dense and gap == 0):
            return None
        step = mark or space
        at = step.end() if step else at
        place = _Place(label, joined, loose, gap, beyond, many, named and not gap)
        value = _read(text, low, at, place)
        if value and (joined == ":" or not many) and _secret(text, low, value, place):
            return value
        word = _SKIPPED.match(low, at)
        if joined == ":" or not word or (gap == 0 and _ABOUT_IT.match(word[0])):
            return None
        said = word[0].rstrip(".,")
        joined = "is" if said in label.joins else "to" if said in _table().turns else ""
        at = word.end()
        if low[at - 1] == "." or low[at : at + 1] in {"!", "?", ";"}:
            return None
        if low[at : at + 1] == ",":
            at, beyond = at + 1, True
        dense = False
    return None


def _read(text: str, low: str, at: int, place: _Place) -> _Value | None:
    """What stands at a place, without quotation marks and the full stop after it."""
    if place.label.kind == PIN:
        digits = _DIGITS.match(low, at)
        return (
            _Value(digits["bare"], *digits.span("bare"), quoted=False)
            if digits
            else None
        )
    phrase = (
        _PHRASE.match(low, at)
        if place.joined and place.label.plain and not place.many
        else None
    )
    if (
        phrase
        and not place.loose
        and not SENTENCE_WORDS.intersection(phrase[0].split())
    ):
        return _Value(text[at : phrase.end()], at, phrase.end(), quoted=True)
    found = _VALUE.match(text, at)
    if not found:
        return None
    name = found.lastgroup or "bare"
    start, end = found.span(name)
    if name != "bare":
        return _Value(text[start:end], start, end, quoted=True)
    return _trimmed(text, start, end)


def _trimmed(text: str, start: int, end: int) -> _Value:
    value = text[start:end]
    query = _QUERY.search(value)
    value = value[: query.start()] if query else value
    value = _without_dense(value)
    value = value.rstrip(_TAIL) or value
    value = bare if spoken(bare := value.rstrip("?!")) else value
    return _Value(value.rstrip("\\"), start, start + len(value), quoted=False)


def _without_dense(value: str) -> str:
    """A value without the letters of a script in which no blank ends it."""
    cut = next((n for n, char in enumerate(value) if _dense(char)), len(value))
    return value[:cut] if cut else value


def _secret(text: str, low: str, value: _Value, place: _Place) -> bool:
    """Whether a value is a secret, by its looks and by what joins it to its label."""
    if place.label.kind == PIN:
        return _a_pin(text, low, value, place)
    if place.label.kind == KEY:
        return _a_key(low, value, place)
    ends = bool(_ENDS.match(low, value.end))
    if value.quoted:
        joined = place.joined in {":", "is"} and not place.beyond
        return _a_quoted_password(value.text) if joined else quirky(value.text)
    if reference(value.text) or value.text.lower() in NO_PASSWORD:
        return False
    if value.text.isdigit():
        return place.joined in {":", "is"} and ends and 4 <= len(value.text) <= 16
    if spoken(value.text):
        return ends and _a_spoken_password(value, place)
    joined = _next_word(low, value.end) in place.label.joins
    return _a_bare_password(value, place, ends=ends or joined)


def _a_bare_password(value: _Value, place: _Place, *, ends: bool) -> bool:
    text = value.text
    odd = quirky(text) and _BRACKETS.isdisjoint(text)
    if place.beyond:
        return place.joined in {":", "is"} and (strong(text) or (odd and ends))
    if place.joined == ":":
        return odd if place.loose or place.gap else password(text)
    if place.joined == "is":
        return odd and (ends or not technical(text))
    odd = odd and not technical(text)
    if place.joined == "to" and sum(char in _COUNTED for char in text) >= 3:
        return odd
    near = place.gap < 4 if place.label.bare else not place.gap
    if place.joined or place.login or near:
        return strong(text) or (odd and (ends or place.login))
    return strong(text) and (not text.isalnum() or not text.isupper())


def _a_quoted_password(value: str) -> bool:
    words = value.split()
    if len(words) > 1 and all(map(spoken, words)):
        fits = len(words) <= 12 and not placeholder(value)
        return fits and SENTENCE_WORDS.isdisjoint(map(str.lower, words))
    if spoken(value):
        return telling_word(value)
    return len(words) <= 4 and password(value.strip())


def _a_spoken_password(value: _Value, place: _Place) -> bool:
    """An ordinary word counts where nothing goes on after it: "… is sunflower."."""
    if place.loose or place.beyond or value.text.lower() in _table().none:
        return False
    if place.label.plain:
        return (place.joined in {":", "is"} or place.login) and telling_word(value.text)
    return place.joined == ":" and not place.gap and telling_word(value.text)


def _a_pin(text: str, low: str, value: _Value, place: _Place) -> bool:
    """Six digits after "PIN code" are a place in India, unless a card is near.

    Without anything that joins them, only the word in capitals counts.
    """
    start = max(0, value.start - 80)
    near = bool(_MONEY.search(low, start, min(len(low), value.end + 80)))
    if len(value.text) == 6 and _POSTAL.match(place.label.word):
        return near
    loud = place.gap == 0 and "PIN" in text[max(0, value.start - 12) : value.start]
    joined = place.joined in {":", "is"}
    return joined or loud or (place.gap == 0 and (near or place.label.bare))


def _a_key(low: str, value: _Value, place: _Place) -> bool:
    """After "key" alone, which may be a table's or a song's, it must be very random."""
    text = value.text
    if reference(text) or (not place.joined and len(text) < 16):
        return False
    if place.beyond or (not place.joined and place.gap):
        return very_random(text)
    return random_looking(text) if _named(low, value, place) else very_random(text)


def _named(low: str, value: _Value, place: _Place) -> bool:
    """Whether it is an API key, a signing key; in programs, any `STRIPE_KEY=`."""
    if place.label.word != "key":
        return True
    start = low.rfind("key", 0, value.start)
    before = low[max(0, start - 48) : start].rpartition("\n")[2]
    variable = before[-1:] == "_" and place.joined == ":"
    return variable or bool(_table().programs.search(before) or _ISSUERS.search(before))


def _next_word(low: str, at: int) -> str:
    found = re.compile(r"[\"'`.]?[ \t]([^\W\d_]+)").match(low, at)
    return found[1] if found else ""


# --- values before their label -----------------------------------------------

_LAST_WORDS = re.compile(r"\S+")
_DENSE_BEFORE = re.compile(rf"(?P<bare>[!-~]{{6,200}})[ ]?[{_DENSE} ]{{1,8}}\Z")


def _before(text: str, low: str, label: Label, start: int, end: int) -> _Value | None:
    """The value of "… is my password"."""
    if label.kind == PIN:
        return None
    line = max(low.rfind("\n", 0, start), low.rfind("\0", 0, start), start - 260) + 1
    if label.bare and (found := _DENSE_BEFORE.search(text, line, start)):
        value = found["bare"]
        return (
            _Value(value, *found.span("bare"), quoted=False) if strong(value) else None
        )
    if _ABOUT_IT.match(_next_word(low, end)):
        return None
    words = [*_LAST_WORDS.finditer(low, line, start)][-7:]
    for n in range(len(words) - 1, 0, -1):
        said = words[n][0]
        if said[-1] in ".;:!?,":
            return None
        shown = _shown(text, words[n - 1]) if said in label.joins else None
        close = len(words) - n <= 2
        if shown and _fits_before(low, shown.text, label, end, close=close):
            return shown
    return None


def _shown(text: str, word: re.Match[str]) -> _Value | None:
    marks = "\"'`*()[]{}<>|,"
    shown = text[word.start() : word.end()]
    value = shown.strip(marks)
    start = word.start() + len(shown) - len(shown.lstrip(marks))
    quoted = shown[-1:] in marks
    return _Value(value, start, start + len(value), quoted) if value else None


def _fits_before(low: str, value: str, label: Label, end: int, *, close: bool) -> bool:
    if reference(value) or "passwor" in value.lower():
        return False
    if label.kind == KEY:
        return len(value) >= 16 and random_looking(value)
    if strong(value):
        return True
    ends = close or bool(_ENDS.match(low, end)) or _next_word(low, end) in {"to", "of"}
    return ends and quirky(value) and not technical(value)
