"""Find values that a word near them makes secret: "mein Passwort ist …".

One rule for every language of `labels.toml`: what looks like a value and stands near a
word for a secret is one. Near is the same line or sentence, the two lines below, the
cells under a heading, the answer to a question. What looks like a value depends on the
word: letters mingled with digits or marks at a password, digits at a PIN, groups of
both at recovery codes. Plain words count only where hardly anything else can stand:
in quotation marks, alone, or right behind "password:" and "the password is".
"""

from __future__ import annotations

import re
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from reverie.secrets import labels, values
from reverie.secrets.labels import CODE, CVV, DENSE, KEY, PASSWORD, PIN, RECOVERY, SEED
from reverie.secrets.random_words import find_opening_key
from reverie.secrets.spelled import find_spelled
from reverie.secrets.tables import find_cells
from reverie.secrets.values import anything_else, no_sentence, quirky, reference, strong

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from reverie.secrets.labels import Label, Place

REACH, LINES = 300, 2
"""Characters and line ends from a label to its value, at most."""

FAR, NEARER, CLOSE = 24, 12, 8
"""So many words may stand between: for what can be nothing else, for what has letters
and digits, for what is a word like any other."""

_SIGNS = str.maketrans(
    "\u300c\u300e\u3010\u300d\u300f\u3011\u3002\u3001\u2022\u2192\u20ac", '""""""; *>$'
)
"""Signs as the patterns below have them."""

_CLOSED = re.compile(r"[\"'`\])*_\\]{0,4}")
_ADDRESS = re.compile(r"[/&#.@]\S+|\?\w+=\S+")
_OPEN, _TAIL = "([{*.@?", ".,:;=)]}>\\*("
_BEGINS = re.compile(r"[ \t>*=\"'`|+?@.-]*(?:\w{1,12}[:=][ \t]*)?[\"'`*=?@.]*\Z")
_LINE_ENDS = re.compile(r"[\"'`*.,!;)|]{0,3}[ \t]*(?:\n|\Z)")
_NEXT_WORD = re.compile(r"[\"'`.]?[ \t]([^\W\d_]+)")
_NAME = re.compile(r"[ \t:=]{1,3}[^\s]{1,60}[ \t,;/|]{1,3}")
_PHRASE = re.compile(r"[^\W\d_]{2,14}(?:[ -][^\W\d_]{2,14}){2,11}(?![\w'-])")
_SEED = re.compile(r"[a-z]{3,8}(?:[\s,.)\d-]{1,6}[a-z]{3,8}){11,23}(?![a-z])")
_CODE = r"(?=[a-z-]{0,12}\d|[a-z]{4,5}-[a-z]{4,5}\b)[a-z0-9]{3,12}"
_CODES = re.compile(
    rf"{_CODE}(?:[- ][a-z0-9]{{3,12}}){{0,7}}"
    rf"(?:(?:[\s,;|*/]|\d{{1,2}}[.)][ ]|-[ ]){{1,6}}"
    rf"{_CODE}(?:-[a-z0-9]{{2,12}}){{0,7}}){{0,40}}"
)
_GROUPS = re.compile(
    r"(?<![\w-])(?:[a-z2-7]{4}(?:[ -][a-z2-7]{4}){3,12}"
    r"|[a-z0-9]{4,6}(?:-[a-z0-9]{4,6}){3,7})(?![\w-])"
)
_EARLIER = re.compile(
    r"(?<![\w-])(?=[a-z-]*\d)[a-z0-9]{4,6}(?:-[a-z0-9]{4,6}){1,7}(?![\w-])"
)
_DIGIT = re.compile(r"\d")
_YEAR = re.compile(r"(?:19|20)\d\d")
_WHEN = re.compile(r"(?:[01]?\d|2[0-3])[0-5][05]|1[6-9]\d\d|20\d\d(?:[01]\d[0-3]\d)?")
_BELOW = re.compile(r"[ \t:]*\n{1,2}[ \t>*-]*")
_SENTENCE_END = re.compile(r"[.!?]\s|[;\n]")
_PINNED = re.compile(r"pin (?:this|that|it)\b")
_POSTAL = re.compile(r"pin[ -]?codes?\b|\u092a\u093f\u0928 \u0915\u094b\u0921")
_MONEY = re.compile(r"\b(?:bank|card|debit|credit|sim|phone|atm|unlock|door|account)\b")
_MARKED = frozenset("!#$%^&*?~")
_MARK = re.compile(r"(?:[:=>(]|\s-)[\s\"'*]{0,3}\Z")
_WORDS = re.compile(r"[^\W\d_]+")
_UNIT = re.compile(r"[ -]?([^\W\d_]+[23]?)")
_CHAIN = re.compile(
    r"(?:[^\W\d_A-Z]{2,14}-){2,11}[^\W\d_A-Z]{2,14}|(?:[^\W\d_]{2,14}-){3,11}[^\W\d_]{2,14}"
)
_LISTED = re.compile(r"[:/,>=][ \"']{0,2}\Z")
_PAIRED = re.compile(r"[:/,] ?\"?[\w.-]{2,32}\"?(?: ?/ ?|, | - )\Z")
_WIFI = re.compile(
    r"wi-?fi|wlan|\u0432\u0430\u0439-?\u0444\u0430\u0439|\u65e0\u7ebf\w*"
)
_NETWORKS = re.compile(
    r"guest|gast|home|net|wi-?fi|wlan|invit|visit|ospiti|go[s\u015b]ci|[_-](?:5|2.?4)g|[-_][0-9a-f]{4,8}\Z"
)
_HAN = r"[\u3040-\u30ff\u3400-\u9fff]"
_DENSELY = {
    "piece": rf"""(?x)\\?"[ ]?(?P<double>[^"\n\0]{{1,400}}?)[ ]?\\?"
    |(?<![^\W_])'(?P<single>[^'\n\0]{{1,400}})'(?![^\W_])|`(?P<tick>[^`\n\0]{{1,400}})`
    |(?P<mark>=>|:=|->|={{1,3}}|[:|>]|-{{1,2}}(?=[ \t]))|(?P<line>\n[ \t]*)
    |(?P<dense>{DENSE}{{1,40}})|(?P<masked>\0{{1,400}})
    |(?P<bare>(?!{DENSE})[^\s\0"'`<>|;,]
       (?:(?!{DENSE})[^\s\0"'`<>|;]|'(?=\w)){{0,399}})|(?P<other>\S)""",
    "ends": (
        r"[\"'`*_)\]}<]{0,3}(?:\s*\Z|[ \t]*\n|[ ]?\+|[.,;!?)|\]}<]"
        r"|[ \t]+(?:and|for|but|on|at|then|und|dann|et|puis|y|luego|e|poi|depois"
        r"|en|dan|potem|\u0437\u0430\u0442\u0435\u043c|\u0438|oraz|i|\(|-)\b"
        rf"|[ \t]?{DENSE})"
    ),
    "rest": rf"(?:(?!{DENSE})[^\s\0\"'`<>|;]){{0,9999}}",
    "last words": rf"(?:(?!{DENSE})\S)+|{DENSE}+",
    "digits": (
        rf"(?:(?<!\w)|(?<={DENSE}))(?<![.,/+$-])(?<!\d:)(?<!\w\[)(?<!\d\d[ ])"
        r"(?:[#*]?(?:g-)?\d{3,8}[#*]?|\d(?:[ -]\d){3,7}"
        r"|\d{1,2}(?:(?: - |[ /-])\d{1,2}){2,5}|\d{3}[ -]\d{3}"
        r"|\d{2,5}[a-d]\d{0,4}|[a-d]\d{3,5})"
        rf"(?!(?!{DENSE})\w|[.,/:-]\d|[ ]?[%$]|[ -]\d)"
    ),
    "first": rf"(?:(?<!\w)|(?<={DENSE}))(?<!-)[a-z0-9]",
    "words": rf"{_HAN}{{1,10}}(?:[ -]{_HAN}{{1,8}}){{3,11}}",
    "between": rf"(?!{DENSE})[^\W\d_][\w'-]*|{DENSE}{{1,3}}|[:=>-]",
}
"""Patterns that know of scripts without blanks; they take long to make."""


@cache
def _pattern(name: str, *, plain: bool) -> re.Pattern[str]:
    pattern = _DENSELY[name]
    return re.compile(pattern.replace(DENSE, "(?!)") if plain else pattern)


def _in(text: str, name: str) -> re.Pattern[str]:
    """One of these patterns, without other scripts where a text has none."""
    return _pattern(name, plain=text.isascii())


class _Value(NamedTuple):
    """Something near a label.

    Attributes:
        text: What it says, without quotation marks.
        start: Where it begins.
        end: Where it ends.
        quoted: Whether it stands in quotation marks.
        joined: By what it is joined to its label: `:` for any mark, `is`, or nothing.
        gap: How many words stand between.
        lines: How many line ends do.
        sentences: How many ends of sentences do.
    """

    text: str
    start: int
    end: int
    quoted: bool = False
    joined: str = ""
    gap: int = 0
    lines: int = 0
    sentences: int = 0


def told(text: str, low: str) -> Iterator[tuple[str, int, int]]:
    """The kinds of secrets that labels give away, and where they stand.

    Args:
        text: A folded text.
        low: The same in small letters, and as long.
    """
    text, low = text.translate(_SIGNS), low.translate(_SIGNS)
    user = done = 0
    places = sorted(labels.find_labels(low), key=lambda place: place.start)
    for place, limits in zip(places, _limits(places, len(low)), strict=True):
        label, start, end = place
        between = low[limits[0] : start] + low[end : limits[1]]
        if limits[0] and limits[1] < len(low) and not between.strip():
            continue
        user = end if label.column == "user" else user
        digit = _DIGIT.search(low, max(0, start - REACH), end + REACH)
        spelled = find_spelled(low, place)
        if spelled:
            yield label.kind, *spelled
            continue
        if not digit and label.column not in labels.WITHOUT_DIGITS:
            continue
        if label.column in {"password", "phrase"} and start >= done:
            cells = find_cells(text, low, place)
            yield from ((PASSWORD, *cell) for cell in cells)
            done = cells[-1][1] if cells else done
        name = _NAME.fullmatch(low, user, start) if start - user < 70 else None
        named = name is not None and no_sentence(name[0])
        if found := _near(text, low, place, limits, named=named):
            yield _kind(label, low, start), found.start, found.end


def _limits(places: Sequence[Place], size: int) -> list[tuple[int, int]]:
    """Return between which positions the value of each label can be.

    A value belongs to the nearest label of its kind. So a text that repeats one label
    is read once, and not once for each of them.
    """
    firsts, lasts = [], list[int]()
    seen: dict[str, int] = {}
    for place in places:
        firsts.append(seen.get(place.label.column, 0))
        seen[place.label.column] = place.end
    seen = {}
    for place in reversed(places):
        lasts.append(seen.get(place.label.column, size))
        seen[place.label.column] = place.start
    return [*zip(firsts, reversed(lasts), strict=True)]


def _near(
    text: str, low: str, place: Place, limits: tuple[int, int], *, named: bool
) -> _Value | None:
    kind = place.label.kind
    if _PINNED.match(low, place.start):
        return None
    if kind in {PIN, CODE, CVV}:
        if (found := _digits(text, low, place)) or place.label.column == "lock":
            key = not found and find_opening_key(text, place)
            return _Value("", *key) if key else found
        if kind == PIN or (kind == CODE and _wireless(low, place.end + 40)):
            found = _after(text, low, place, limits[1], named=False)
        near = found and (kind == CODE or (found.gap < 2 and quirky(found.text)))
        return found if near else None
    if place.label.column == "network":
        return _network(text, low, place)
    if kind in {RECOVERY, SEED}:
        return _listed(low, place)
    if not low.isascii() and place.label.column in {"password", "phrase"}:
        start = max(limits[0], place.start - 80)
        line = low.rfind("\n", start, place.start) + 1 or start
        stop = min(limits[1], place.end + 80)
        if words := _in(low, "words").search(low, line, stop):
            return _Value(words[0], *words.span())
    called = place.label.column in {"password", "phrase"}
    named = named and called
    found = _after(text, low, place, limits[1], named=named)
    found = found or _before(text, low, place, limits[0])
    return found or (_digits(text, low, place) if called else None)


def _kind(label: Label, low: str, start: int) -> str:
    line = low[max(low.rfind("\n", 0, start) + 1, start - 48) : start]
    issuers = labels.table().common["issuers"] if label.kind == KEY else ()
    near = [(line.rfind(name), name) for name in issuers if name in line]
    return labels.key_of(max(near)[1]) if near else label.kind


def _begin(low: str, end: int, reach: int, marks: str = "\n\0") -> int:
    """Where the line begins that ends there, so far back at most."""
    first = max(0, end - reach)
    return max(first, *(low.rfind(mark, first, end) + 1 for mark in marks))


# --- values after their label ------------------------------------------------


def _after(
    text: str, low: str, place: Place, last: int, *, named: bool
) -> _Value | None:
    """The value that follows a label: in its line, or in the two below."""
    label = place.label
    begun = _ADDRESS.match(low, place.end) or _CLOSED.match(low, place.end)
    at = begun.end() if begun else place.end
    glued = (
        labels.dense(label.word[-1])
        and low[at : at + 1].isascii()
        and low[at : at + 1] > " "
    )
    joined = "is" if named or glued else ":" if label.word[-1] == ":" else ""
    joined = joined or ("flag" if low.endswith("--", 0, place.start) else "")
    gap = lines = sentences = 0
    keyed = False
    for piece in _in(text, "piece").finditer(text, at):
        group, said = piece.lastgroup or "other", piece[0].lower()
        begins = piece.start()
        if begins > place.end + REACH or begins >= last or gap > FAR or lines > LINES:
            return None
        if group == "mark":
            own = not gap or joined or said in {":", "=", "->", "=>"}
            joined = ":" if own and not keyed else joined
        elif group == "line":
            lines += 1
        elif group == "dense":
            joined, gap = "is" if label.joined_by(said) else "", gap + len(said) // 4
        elif group == "other":
            sentences += said == ";"
        elif group == "masked":
            joined, gap = "", gap + 1
        else:
            value = _value(text, *piece.span(group), quoted=group != "bare")
            value = value._replace(
                joined=joined, gap=gap, lines=lines, sentences=sentences
            )
            if value.text and (found := _fitting(text, low, value, label)):
                return found
            if gap == 0 and (
                labels.about_it(said) or said in labels.table().common["public"]
            ):
                return None
            gap, keyed = gap + 1, group != "bare"
            known = label.joined_by(said.rstrip(".,:;!?"))
            joined = ":" if said[-1] == ":" else "is" if known else ""
            sentences += (
                said[-1] in ".!?" and text[piece.end() : piece.end() + 1] in " \n"
            )
    return None


def _value(text: str, start: int, end: int, *, quoted: bool) -> _Value:
    shown = text[start:end]
    if quoted:
        return _Value(shown, start, end, quoted=True)
    value = shown.lstrip(_OPEN).rstrip(_TAIL)
    value = bare if values.spoken(bare := value.rstrip("?!")) else value
    start += len(shown) - len(shown.lstrip(_OPEN))
    rest = _in(text, "rest").match(text, end) if end - start > 390 else None
    return _Value(value, start, rest.end() if rest else start + len(value))


def _fitting(text: str, low: str, value: _Value, label: Label) -> _Value | None:
    """The value, perhaps with the words that follow it, if it is a secret."""
    if label.column in {"password", "phrase"} and (words := _words(low, value, label)):
        return value._replace(end=words)
    groups = _GROUPS.match(low, value.start) if value.gap <= NEARER else None
    if groups and label.column != "user" and no_sentence(groups[0]):
        return value._replace(end=groups.end())
    wireless = label.column == "vague" and _wireless(low, value.start)
    if wireless and not value.gap and not values.spoken(value.text):
        value = value._replace(joined=value.joined or "is")
    wireless = wireless and bool(value.joined)
    if label.kind == KEY and not wireless:
        fits = _a_key(low, value, label)
    elif label.column == "user":
        fits = _a_login(text, value)
    elif value.joined == "flag" or values.is_scrambled(value.text):
        fits = _is_odd_beside(value)
    else:
        fits = _a_password(text, low, value, label)
    return value if fits else None


def _wireless(low: str, at: int) -> bool:
    near = low[max(0, at - REACH) : at]
    return any(word in near for word in labels.table().common["network"])


def _words(low: str, value: _Value, label: Label) -> int:
    """Where the words of a passphrase end that begins at a value, or 0."""
    near = value.joined or (label.column == "phrase" and value.gap <= 1)
    if not near or value.quoted or value.sentences or value.lines > 1:
        return 0
    found = _PHRASE.match(low, value.start)
    words = re.split(r"[ -]", found[0]) if found else []
    known = labels.table().words
    count = next((n for n, word in enumerate(words) if word in known), len(words))
    end = value.start + len(" ".join(words[:count]))
    ends = count == len(words) and _in(low, "ends").match(low, end)
    if found and label.column == "phrase" and value.joined and 1 < count < len(words):
        spoken = values.telling_word(words[0]) or words[0] in labels.DIGIT_WORDS
        if spoken and len(words) > 3 and values.is_phrase(found[0]):
            return found.end() if _in(low, "ends").match(low, found.end()) else 0
    short = value.joined and ends and count and values.telling_word(words[0])
    return (
        end if count >= (3 if short else 5 if label.column == "password" else 4) else 0
    )


def _a_password(  # noqa: PLR0911 - one way after the other
    text: str, low: str, value: _Value, label: Label
) -> bool:
    """By its looks, and by what joins it to its label."""
    shown, gap, joined = value.text, value.gap, value.joined
    if label.word == "pass" and gap > (3 if joined or strong(shown) else 0):
        return False
    if value.quoted and not value.lines:
        next_to = gap == 0 and re.search(r"\w[ \t].\Z", text[: value.start][-3:])
        if joined or (next_to and label.column != "phrase"):
            return _a_quoted_password(shown, joined=bool(joined))
        odd = quirky(shown) and not reference(shown) and shown.count(" ") < 4
        return (
            not value.sentences and gap <= NEARER and (odd or values.passphrase(shown))
        )
    if (
        reference(shown)
        or shown.lower() in labels.table().none
        or values.placeholder(shown)
    ):
        return False
    ends = bool(_in(low, "ends").match(low, value.end))
    line = text.rfind("\n", max(0, value.start - REACH), value.start) + 1
    last = bool(_LINE_ENDS.match(text, value.end))
    alone = last and bool(_BEGINS.match(text, line, value.start))
    if value.lines and (not alone or values.is_identifier(shown)):
        return joined == ":" and gap == 0 and strong(shown)
    if shown.strip("#*").isdigit():
        far = gap and (gap > NEARER or _YEAR.fullmatch(shown))
        own = joined or (not gap and _wireless(low, value.start))
        own = own and text[value.end : value.end + 1] not in {"\u5e74", "\u6708"}
        return bool(own) and ends and 4 <= len(shown) <= 24 and not far
    if values.spoken(shown):
        below = value.lines == 1 and joined == ":" and text[value.start - 1] != "`"
        direct = below or (joined and not value.lines and label.column != "answer")
        variable = text[value.start - 2].isupper() and text[value.start - 1] == "="
        near = (ends or variable) and gap <= CLOSE and not value.sentences
        return bool(direct) and near and values.telling_word(shown)
    odd = quirky(shown) and not set("()[]{}") & set(shown)
    if joined == ":" and not value.lines:
        return odd if gap else values.password(shown)
    if joined == "is" and odd:
        return ends or not values.technical(shown)
    if anything_else(shown):
        return False
    if value.sentences and not last:
        return strong(shown) and value.sentences == 1 and gap <= NEARER
    odd = (odd and not values.technical(shown)) or (
        (label.column == "phrase" or gap < 2) and values.passphrase(shown)
    )
    return strong(shown) or (odd and gap <= NEARER)


def _is_odd_beside(value: _Value) -> bool:
    """Return whether letters of mixed case, or words behind an option, are a value."""
    if values.is_scrambled(value.text):
        near = value.gap <= (CLOSE if value.joined else 0) and not value.sentences
        return near and bool(value.joined or value.lines)
    several = value.text.count("-") > 1 or not values.spoken(value.text)
    return several and values.given(value.text)


def _a_quoted_password(value: str, *, joined: bool) -> bool:
    words = value.split()
    if len(words) > 1 and value.endswith("?"):
        return False
    if len(words) > 1 and all(map(values.spoken, words)):
        named = any(True for _ in labels.find_labels(labels.lowered(value)))
        phrase = joined and len(words) > 3 and not named and values.is_phrase(value)
        fits = phrase or no_sentence(value)
        return len(words) <= 12 and fits and not values.placeholder(value)
    if values.spoken(value):
        return values.telling_word(value)
    return len(words) <= 4 and values.password(value.strip())


def _a_key(low: str, value: _Value, label: Label) -> bool:
    """After "key" alone, which may be a table's or a song's, it must be very random."""
    shown = value.text
    public = reference(shown) or shown.startswith("AAAA")
    if public or (value.lines and not value.joined and len(shown) < 16):
        return False
    if value.sentences > 1 or (not value.joined and (value.gap or len(shown) < 16)):
        return values.very_random(shown)
    start = low.rfind(label.word, 0, value.start)
    near = low[max(0, start - 48) : start].rpartition("\n")[2]
    between = re.findall(r"[^\W_]+", low[start : value.start])
    named = (
        label.column != "vague"
        or (near[-1:] == "_" and value.joined == ":")
        or labels.before("programs", near)
        or any(name in near for name in labels.table().common["issuers"])
        or not labels.table().common["programs"].isdisjoint(between)
    )
    if named and value.joined and label.word != "auth" and not value.lines:
        ends = value.quoted or _in(low, "ends").match(low, value.end)
        if ends and values.is_weak_key(shown):
            return True
    return values.random_looking(shown) if named else values.very_random(shown)


def _a_login(text: str, value: _Value) -> bool:
    """What stands with somebody's name: "ann / …", or something else nobody writes."""
    shown, gap = value.text, value.gap
    if value.lines or value.sentences or anything_else(shown) or reference(shown):
        return False
    if " " in shown:
        return False
    paired = re.search(
        r"\w(?: ?/ ?| - )\Z", text[max(0, value.start - 6) : value.start]
    )
    if paired or (":" in shown and (value.joined or not gap)):
        shown = shown.partition(":")[2] or shown
        return quirky(shown) and not values.technical(shown)
    marked = gap <= NEARER and bool(_MARKED & set(shown[:-1])) and strong(shown)
    return marked or (gap == 0 and values.very_random(shown))


# --- values before their label -----------------------------------------------


def _before(text: str, low: str, place: Place, first: int) -> _Value | None:
    """The value of "… is my password"."""
    label, start, end = place
    line = max(_begin(low, start, 200), first)
    following = _NEXT_WORD.match(low, end)
    if label.column == "user" or (following and labels.about_it(following[1])):
        return None
    joined = low[start - 1 : start] == "("
    words = [*_in(low, "last words").finditer(low, line, start)][-NEARER - 4 :]
    for word in reversed(words):
        said = word[0]
        if said[-1] in ":;" or (said[-1] in ".!?" and not _DIGIT.search(said)):
            return None
        bare = said.strip("\"'`*()[]{}<>|,.")
        at = word.start() + said.find(bare)
        shown = text[at : at + len(bare)]
        if not labels.dense(said[0]) and _fits_before(
            low, shown, label, at, joined=joined
        ):
            return _Value(shown, at, at + len(bare))
        joined = joined or label.joined_by(bare) or said[0] in "-=("
    known = labels.table().words
    for listed, group in groupby(
        words, lambda w: values.spoken(w[0]) and w[0] not in known
    ):
        run = [*group]
        if listed and len(run) > 4 and label.column == "phrase":
            return _Value("", run[0].start(), run[-1].end())
    return None


def _fits_before(low: str, shown: str, label: Label, at: int, *, joined: bool) -> bool:
    if reference(shown) or "passwor" in shown.lower() or anything_else(shown):
        return False
    if label.kind == KEY and not (label.column == "vague" and _wireless(low, at)):
        return joined and len(shown) >= 16 and values.random_looking(shown)
    joined = joined or not label.word.isascii()
    if strong(shown):
        return joined or bool(_MARKED & set(shown))
    odd = quirky(shown) and not values.technical(shown)
    return joined and (odd or values.is_chain(shown) or values.is_scrambled(shown))


# --- digits, codes and seeds ------------------------------------------


def _digits(text: str, low: str, place: Place) -> _Value | None:
    """The digits of a PIN or a code, in the sentence of its label or right below."""
    _, start, end = place
    if not _DIGIT.search(low, max(0, start - REACH), end + REACH):
        return None
    stop = _SENTENCE_END.search(low, end, end + 100)
    last = stop.start() if stop else min(len(low), end + 100)
    found = [
        (each, low[end : each.start()])
        for each in _in(low, "digits").finditer(low, end, last)
    ]
    below = _BELOW.match(low, end)
    under = _in(low, "digits").match(low, below.end()) if below else None
    if under and _LINE_ENDS.match(low, under.end()):
        found.append((under, ":"))
    line = _begin(low, start, 60, "\n\0.")
    earlier = _in(low, "digits").finditer(low, line, start)
    found += [(each, low[each.end() : start]) for each in earlier]
    for each, between in found:
        if _opens(text, low, place, each, between):
            return _Value(each[0], *each.span())
    return None


def _opens(
    text: str, low: str, place: Place, digits: re.Match[str], between: str
) -> bool:
    """Whether digits open something, by the words between them and their label."""
    label, known = place.label, labels.table().common
    words = _in(between, "between").findall(between)
    ends = words[:3] if digits.start() < place.start else words[-3:]
    joined = any(label.joined_by(word) or word in ":=->" for word in ends)
    count = sum(map(str.isdigit, digits[0]))
    if label.kind == CVV:
        return count in {3, 4} and len(words) <= NEARER
    said = _said(low, digits)
    if len(words) > NEARER or said.counted:
        return False
    if label.column == "lock":
        return not said.year and _unlocks(low, place, digits, between, said)
    glued = not words and labels.dense(label.word[-1])
    if count < 4 - (glued or (label.kind == CODE and joined)):
        return False
    near = low[max(0, place.start - 80) : digits.end() + 60]
    joined = joined or said.marked or (said.by and not said.year)
    reach = 3 if label.kind == CODE else CLOSE
    ended = len(words) <= reach and said.ended and not said.numbered
    year = said.year and not (label.kind == PIN and ended and "," not in between)
    close = not year and (len(words) <= 1 or ended)
    thing = any(part in near for part in known["things"])
    if label.kind == PIN:
        if count == 6 and _POSTAL.match(low, place.start):
            return bool(_MONEY.search(near))
        loud = label.word != "pin" or "PIN" in text[place.start : place.end]
        strict = len(words) < 3 and _in(low, "ends").match(low, digits.end())
        return joined or (close and (loud or thing or bool(strict)))
    other = any(part in near for part in known["other_codes"])
    return thing and not other and (joined or close)


def _unlocks(
    low: str, place: Place, digits: re.Match[str], between: str, said: _Surroundings
) -> bool:
    """Whether digits open the thing beside them, though nobody says "code"."""
    start, end = digits.span()
    words = _in(between, "between").findall(between)
    near = low[min(place.start, start) : end]
    if said.by or any(part in near for part in labels.table().common["other_codes"]):
        return said.by and set("\n),;").isdisjoint(between)
    dated = _WHEN.fullmatch(digits[0])
    marked = said.marked and not (dated and low.startswith(", ", start - 2))
    if start < place.start or said.numbered or not said.ended:
        return start < place.start and marked and said.ended and len(words) < 3
    known = bool(words) and place.label.joined_by(words[-1].lstrip("c'"))
    short = len(digits[0]) < 4
    closed = (known and not short) or _in(low, "ends").match(low, end)
    odd = known or not (short or digits[0].endswith("00") or "," in between)
    close = len(words) <= (7 if known else 2) and odd and not dated
    return marked or bool(closed and close)


class _Surroundings(NamedTuple):
    """What stands around digits: a unit behind them, a mark before them."""

    by: bool
    marked: bool
    numbered: bool
    counted: bool
    ended: bool
    year: bool


def _said(low: str, digits: re.Match[str]) -> _Surroundings:
    known, at, end = labels.table().common, digits.start(), digits.end()
    before, after = low[max(0, at - 30) : at], low[end : end + 24]
    last = _WORDS.findall(before.rpartition("\n")[2])[-3:] or [""]
    small = labels.table().words
    told = next((w for w in reversed(last) if w in known["by"] or w not in small), "")
    following = _UNIT.match(after)
    unit = following[1] if following else ""
    ended = bool(_in(low, "ends").match(low, end)) or unit in small
    marked = bool(_MARK.search(before)) or digits[0][-1] in "#*"
    opened = any(unit.startswith(lock) for lock in known["lock"]) if unit else ended
    marked = marked or (before.endswith(", ") and after.lstrip()[:1] in ",.;)")
    return _Surroundings(
        by=unit in known["typed"]
        or (told in known["by"] and (ended or opened))
        or _glued("by", before.endswith)
        or _glued("typed", after.lstrip().startswith),
        marked=marked,
        numbered=digits[0][0] == "#" or (last[-1] in known["numbered"] and not marked),
        counted=unit in known["units"] or _glued("units", after.lstrip().startswith),
        ended=ended,
        year=bool(_YEAR.fullmatch(digits[0])),
    )


def _glued(name: str, stands: Callable[[str], bool]) -> bool:
    """Whether a word of a script without blanks stands there."""
    return any(labels.dense(w[0]) and stands(w) for w in labels.table().common[name])


def _network(text: str, low: str, place: Place) -> _Value | None:
    """What lets one into a network, though nobody calls it a password."""
    line = _begin(low, place.start, 100)
    for word in _in(low, "last words").finditer(low, line, place.end + 100):
        if low.find("\n", place.end, word.start()) >= 0:
            break
        bare = word[0].strip("\"'`()[]{}<>|,.;:*_\\").rstrip("?!")
        at = word.start() + word[0].find(bare)
        value = _Value(text[at : at + len(bare)], at, at + len(bare))
        if bare and _joins_network(low, value, place):
            return value
    return None


def _joins_network(low: str, value: _Value, place: Place) -> bool:
    shown, before = value.text, low[max(0, value.start - 40) : value.start]
    if reference(shown) or anything_else(shown) or values.technical(shown):
        return False
    if "-" in shown and _CHAIN.fullmatch(shown):
        listed = shown.count("-") > 2 or _LISTED.search(before)
        return value.start > place.start and bool(listed) and no_sentence(shown)
    by = labels.table().common["by"]
    after = low[value.end : value.end + 4]
    let = not by.isdisjoint(_WORDS.findall(before)[-1:])
    let = let or _glued("by", before.endswith) or _glued("typed", after.startswith)
    if strong(shown) and _MARKED & set(shown):
        return True
    named = _WIFI.fullmatch(low, place.start, place.end) and before.endswith(
        (": ", ":", "-> ")
    )
    known = let or named or _PAIRED.search(before)
    return bool(known) and quirky(shown) and not _NETWORKS.search(shown.lower())


def _listed(low: str, place: Place) -> _Value | None:
    """Recovery codes, or the words of a wallet, as far as they go."""
    seed = place.label.kind == SEED
    stop = min(len(low), place.end + REACH)
    for word in _in(low, "first").finditer(low, place.end, stop):
        found = (_SEED if seed else _CODES).match(low, word.start())
        if not found:
            continue
        first = found[0].split()[0].strip(",;")
        coded = "-" in first or (sum(map(str.isdigit, first)) > 1 and len(found[0]) > 5)
        coded = coded and (first.isdigit() or not anything_else(first))
        if no_sentence(found[0]) if seed else coded:
            return _Value(found[0], *found.span())
    earlier = _EARLIER.search(low, _begin(low, place.start, 80), place.start)
    if earlier and not seed and not anything_else(earlier[0]):
        return _Value(earlier[0], *earlier.span())
    return None
