"""Values that a word near them makes secret: "mein Passwort ist …".

One rule for every language of `labels.toml`: what looks like a value and stands near a
word for a secret is one. Near is the same line or sentence, the two lines below, the
cells under a heading, the answer to a question. What looks like a value depends on the
word: letters mingled with digits or marks at a password, digits at a PIN, groups of both
at recovery codes. Plain words count only where hardly anything else can stand: in
quotation marks, alone, or right behind "password:" and "the password is".
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from reverie.secrets.labels import (
    CODE,
    CVV,
    DENSE,
    KEY,
    PASSWORD,
    PIN,
    RECOVERY,
    SEED,
    Label,
    Place,
    about_it,
    dense,
    find_labels,
    table,
)
from reverie.secrets.values import (
    anything_else,
    no_sentence,
    password,
    passphrase,
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

FAR, NEARER, CLOSE = 24, 12, 8
"""So many words may stand between: for what can be nothing else, for what has letters
and digits, for what is a word like any other."""

LINES = 2
"""So many line ends may."""

_CLOSED = re.compile(r"[\"'`\])*_\\]{0,4}")
_PIECE = re.compile(
    rf"""\\?"[ ]?(?P<double>[^"\n\0]{{1,400}}?)[ ]?\\?"
    |(?<![^\W_])'(?P<single>[^'\n\0]{{1,400}})'(?![^\W_])|`(?P<tick>[^`\n\0]{{1,400}})`
    |[\u300c\u300e\u3010](?P<corner>[^\u300d\u300f\u3011\n\0]{{1,200}})
    |(?P<mark>=>|:=|->|\u2192|={{1,3}}|[:|>]|-{{1,2}}(?=[ \t]))|(?P<line>\n[ \t]*)
    |(?P<dense>[{DENSE}]+)|(?P<masked>\0+)
    |(?P<bare>[^\s\0"'`<>|;,{DENSE}\u3000-\u303f]
       (?:[^\s\0"'`<>|;{DENSE}\u3000-\u303f]|'(?=\w)){{0,999}})|(?P<other>\S)""",
    re.VERBOSE,
)
_QUOTES = ("double", "single", "tick", "corner")
_OPEN, _TAIL = "([{*\u2022.@?", ".,:;=)]}>\\*"
_QUERY = re.compile(r"&\w{1,30}=")
_ENDS = re.compile(
    r"[\"'`*_)\]}\u300d\u300f<]{0,3}(?:\s*\Z|[ \t]*\n|[.,;!?)|\]}<\u3002\u3001]"
    r"|[ \t]+(?:and|for|but|on|at|und|et|y|e|en|\u0438|oraz|i|\(|-)\b"
    rf"|[ \t]?[{DENSE}])"
)
_BEGINS = re.compile(r"[ \t>*\u2022\u2192=\"'`|+-]*(?:\w{1,12}[:=][ \t]*)?[\"'`*]*\Z")
_LINE_ENDS = re.compile(r"[\"'`*.,!;)|]{0,3}[ \t]*(?:\n|\Z)")
_PHRASE = re.compile(r"[^\W\d_]{2,14}(?:[ -][^\W\d_]{2,14}){2,11}(?![\w'-])")
_DENSE_PHRASE = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff]{1,10}(?:[ -][\u3040-\u30ff\u3400-\u9fff]{1,8}){3,11}"
)
_ADDRESS = re.compile(r"[/&#.@]\S+|\?\w+=\S+")
_SEED = re.compile(r"[a-z]{3,8}(?:[\s,.)\d-]{1,6}[a-z]{3,8}){11,23}(?![a-z])")
_CODES = re.compile(
    r"(?=[a-z-]{0,12}\d|[a-z]{4,5}-[a-z]{4,5}\b)[a-z0-9]{3,12}(?:[- ][a-z0-9]{3,12}){0,7}"
    r"(?:(?:[\s,;|*\u2022/]|\d{1,2}[.)][ ]|-[ ]){1,6}(?=[a-z-]{0,12}\d|[a-z]{4,5}-[a-z]{4,5}\b)"
    r"[a-z0-9]{3,12}(?:-[a-z0-9]{2,12}){0,7}){0,40}",
)
_GROUPS = re.compile(
    r"(?<![\w-])(?:[a-z2-7]{4}(?:[ -][a-z2-7]{4}){3,12}|[a-z0-9]{4,6}(?:-[a-z0-9]{4,6}){3,7})"
    r"(?![\w-])"
)
_DIGITS = re.compile(
    rf"(?<![^\W{DENSE}])(?<![.,/:+$\u20ac-])"
    r"(?P<bare>[#*]?(?:g-)?\d{3,8}[#*]?|\d(?:[ -]\d){3,7}"
    r"|\d{1,2}(?:(?: - |[ /-])\d{1,2}){2,5}|\d{3}[ -]\d{3}|\d{2,5}[a-d]\d{0,4}|[a-d]\d{3,5})"
    rf"(?![^\W{DENSE}]|[.,/:-]\d|[ ]?[%\u20ac$]|[ -]\d)"
)
_FIRST = re.compile(rf"(?<![^\W{DENSE}])(?<!-)[a-z0-9]")
_WIRELESS = re.compile(r"wi-?fi|wlan|ssid|wpa|hotspot|router")
_NAME = re.compile(r"[ \t:=]{1,3}[^\s]{1,60}[ \t,;/|]{1,3}")
_YEAR = re.compile(r"(?:19|20)\d\d")
_SENTENCE_END = re.compile(r"[.!?;\u3002]\s|\n")
_POSTAL = re.compile(r"pin[ -]?codes?\b|\u092a\u093f\u0928")
_MONEY = re.compile(
    r"\b(?:bank|card|debit|credit|sim|phone|atm|unlock|door|account)\b"
    r"|\u0915\u093e\u0930\u094d\u0921|\u092c\u0948\u0902\u0915|\u090f\u091f\u0940\u090f\u092e"
)
_DIGIT = re.compile(r"\d")
_HEADINGS = (
    re.compile(r"[ ]?[\"']?[\w./-]{0,30}(?:[ ][\w./-]{1,20})?[\"']?"),
    re.compile(r"[^|\n]{0,40}"),
)


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
    places = [*find_labels(low)]
    for place in places:
        label, start, end = place
        digit = _DIGIT.search(low, max(0, start - REACH), end + REACH)
        if not digit and (label.kind not in {PASSWORD, SEED} or label.column == "user"):
            continue
        if label.column in {"password", "phrase"}:
            yield from _cells(text, low, place)
        names = (low[p.end : start] for p in places if p.label.column == "user")
        named = label.column == "password" and any(map(_NAME.fullmatch, names))
        if found := _near(text, low, place, named=named):
            yield _kind(label, low, start), found.start, found.end


def _near(text: str, low: str, place: Place, *, named: bool) -> _Value | None:
    kind = place.label.kind
    if kind in {PIN, CODE, CVV}:
        return _digits(text, low, place)
    if kind in {RECOVERY, SEED}:
        return _listed(low, place)
    found = _after(text, low, place, named=named) or _before(text, low, place)
    return found or (_digits(text, low, place) if kind == PASSWORD else None)


def _kind(label: Label, low: str, start: int) -> str:
    if label.kind != KEY:
        return label.kind
    line = low[max(low.rfind("\n", 0, start) + 1, start - 48) : start]
    near = [(line.rfind(name), name) for name in table().common["issuers"] if name in line]
    return f"{max(near)[1].capitalize()} key" if near else KEY


# --- values after their label ------------------------------------------------


def _after(text: str, low: str, place: Place, *, named: bool) -> _Value | None:
    """The value that follows a label: in its line, or in the two below."""
    label = place.label
    begun = _ADDRESS.match(low, place.end) or _CLOSED.match(low, place.end)
    at = begun.end() if begun else place.end
    joined = ":" if label.word[-1] == ":" or low[at - 1 : at + 1] in {"',", '",'} else ""
    joined = "is" if named else joined
    gap = lines = sentences = 0
    for piece in _PIECE.finditer(text, at, min(len(text), place.end + REACH)):
        group = piece.lastgroup or "other"
        said = piece[0].lower()
        if group == "mark":
            joined = ":" if not gap or joined or said in {":", "="} else joined
        elif group == "line":
            lines += 1
            if lines > LINES:
                return None
        elif group == "dense":
            if words := _DENSE_PHRASE.match(low, piece.start()):
                return _Value(words[0], *words.span())
            joined = "is" if label.joined_by(said) else ""
            gap += len(said) // 4
            sentences += "\u3002" in said
        elif group == "other":
            sentences += said in "\u3002;"
        elif group == "masked":
            gap, joined = gap + 1, ""
        else:
            value = _value(text, piece, group)._replace(
                joined=joined, gap=gap, lines=lines, sentences=sentences
            )
            if value.text and (found := _fitting(text, low, value, label)):
                return found
            if gap == 0 and (about_it(said) or said in table().common["public"]):
                return None
            gap += 1
            bare = said.rstrip(".,:;!?")
            joined = ":" if said[-1] == ":" else "is" if label.joined_by(bare) else ""
            sentences += said[-1] in ".!?" and text[piece.end() : piece.end() + 1] in " \n"
            if gap > FAR:
                return None
    return None


def _value(text: str, piece: re.Match[str], group: str) -> _Value:
    start, end = piece.span(group)
    if group in _QUOTES:
        return _Value(text[start:end], start, end, quoted=True)
    shown = text[start:end]
    query = _QUERY.search(shown) if "?" in text[max(0, start - 200) : start] else None
    shown = shown[: query.start()] if query else shown
    value = shown.lstrip(_OPEN).rstrip(_TAIL)
    value = bare if spoken(bare := value.rstrip("?!")) else value
    start += len(shown) - len(shown.lstrip(_OPEN))
    return _Value(value, start, start + len(value))


def _fitting(text: str, low: str, value: _Value, label: Label) -> _Value | None:
    """The value, perhaps with the words that follow it, if it is a secret."""
    if label.column in {"password", "phrase"} and (words := _words(low, value, label)):
        return value._replace(end=words)
    groups = _GROUPS.match(low, value.start)
    if groups and label.column != "user" and value.gap <= NEARER:
        if no_sentence(groups[0]) and not anything_else(groups[0]):
            return value._replace(end=groups.end())
    wireless = label.column == "vague" and _WIRELESS.search(low)
    if label.kind == KEY and not (wireless and value.joined):
        fits = _a_key(low, value, label)
    elif label.column == "user":
        fits = _a_login(text, value)
    else:
        fits = _a_password(text, low, value, label)
    return value if fits else None


def _words(low: str, value: _Value, label: Label) -> int:
    """Where the words of a passphrase end that begins at a value, or 0."""
    if value.quoted or value.sentences or value.lines > 1:
        return 0
    near = value.joined or (label.column == "phrase" and value.gap <= 1)
    found = _PHRASE.match(low, value.start) if near else None
    if not found:
        return 0
    words = re.split(r"[ -]", found[0])
    known = table().words
    count = next((n for n, word in enumerate(words) if word in known), len(words))
    end = found.start() + len(re.match(rf"(?:\W*\w+){{{count}}}", found[0])[0])
    ends = bool(_ENDS.match(low, end)) or count < len(words)
    short = ends and count == len(words) and telling_word(words[0])
    least = 4 if label.column == "phrase" else 5
    return end if count >= (3 if value.joined and short else least) else 0


def _a_password(text: str, low: str, value: _Value, label: Label) -> bool:
    """By its looks, and by what joins it to its label."""
    shown, direct = value.text, bool(value.joined) and not value.lines
    if value.quoted and not value.lines:
        if label.word == "pass" and value.gap:
            return False
        if direct or (value.gap == 0 and re.search(r"\w[ \t].\Z", text[: value.start])):
            return _a_quoted_password(shown)
        return not value.sentences and value.gap <= NEARER and _odd_or_phrase(shown)
    if reference(shown) or shown.lower() in table().none or placeholder(shown):
        return False
    if label.word == "pass" and value.gap > (3 if value.joined or strong(shown) else 0):
        return False
    ends = bool(_ENDS.match(low, value.end))
    alone = _alone(text, value)
    if value.lines and not alone:
        return value.joined == ":" and value.gap == 0 and strong(shown)
    if shown.isdigit():
        far = value.gap and (value.gap > NEARER or _YEAR.fullmatch(shown))
        return bool(value.joined) and ends and 4 <= len(shown) <= 24 and not far
    if spoken(shown):
        below = value.lines == 1 and value.joined == ":" and text[value.start - 1] != "`"
        fits = (below or direct) and ends and value.gap <= CLOSE
        return fits and telling_word(shown)
    odd = quirky(shown) and not set("()[]{}") & set(shown)
    if value.joined == ":" and not value.lines:
        return odd if value.gap else password(shown)
    if value.joined == "is" and odd:
        return ends or not technical(shown)
    if anything_else(shown):
        return False
    if label.column == "phrase" and passphrase(shown):
        return value.gap <= NEARER
    if value.sentences and not (alone or _LINE_ENDS.match(text, value.end)):
        return strong(shown) and value.sentences == 1 and value.gap <= NEARER
    if strong(shown):
        return True
    return odd and not technical(shown) and value.gap <= NEARER


def _odd_or_phrase(shown: str) -> bool:
    return (quirky(shown) and not reference(shown)) or passphrase(shown)


def _alone(text: str, value: _Value) -> bool:
    """Whether a value has a line to itself, but for a mark or a word before it."""
    line = text.rfind("\n", 0, value.start) + 1
    begins = _BEGINS.match(text, line, value.start)
    return bool(begins and _LINE_ENDS.match(text, value.end))


def _a_quoted_password(value: str) -> bool:
    words = value.split()
    if len(words) > 1 and all(map(spoken, words)):
        return len(words) <= 12 and no_sentence(value) and not placeholder(value)
    if spoken(value):
        return telling_word(value)
    return len(words) <= 4 and password(value.strip())


def _a_key(low: str, value: _Value, label: Label) -> bool:
    """After "key" alone, which may be a table's or a song's, it must be very random."""
    shown = value.text
    public = reference(shown) or shown.startswith("AAAA")
    if public or (value.lines and not value.joined and len(shown) < 16):
        return False
    if value.sentences > 1 or (not value.joined and (value.gap or len(shown) < 16)):
        return very_random(shown)
    if label.column != "vague":
        return random_looking(shown)
    start = low.rfind(label.word, 0, value.start)
    before = low[max(0, start - 48) : start].rpartition("\n")[2]
    variable = before[-1:] == "_" and value.joined == ":"
    issuer = any(name in before for name in table().common["issuers"])
    between = re.findall(r"[^\W_]+", low[start : value.start])
    named = variable or issuer or table().before("programs").search(before)
    named = named or not table().common["programs"].isdisjoint(between)
    return random_looking(shown) if named else very_random(shown)


def _a_login(text: str, value: _Value) -> bool:
    """What stands with somebody's name: "ann / …", or something else nobody writes."""
    shown = value.text
    if value.lines or value.sentences or anything_else(shown) or reference(shown):
        return False
    before = text[max(0, value.start - 6) : value.start]
    if re.search(r"\w ?/ ?\Z", before) or (":" in shown and (value.joined or not value.gap)):
        return quirky(shown) and not technical(shown)
    marked = set("!#$%^&*?~") & set(shown[:-1])
    return (bool(marked) and strong(shown) and value.gap <= NEARER) or (
        value.gap == 0 and very_random(shown)
    )


# --- values before their label -----------------------------------------------

_LAST_WORDS = re.compile(rf"[^\s{DENSE}]+|[{DENSE}]+")


def _before(text: str, low: str, place: Place) -> _Value | None:
    """The value of "… is my password"."""
    label, start, end = place
    line = max(low.rfind("\n", 0, start), low.rfind("\0", 0, start), start - 200) + 1
    following = re.compile(r"[\"'`.]?[ \t]([^\W\d_]+)").match(low, end)
    if following and about_it(following[1]):
        return None
    joined = low[start - 1 : start] == "("
    words = [*_LAST_WORDS.finditer(low, line, start)][-NEARER - 4 :]
    for gap, word in enumerate(reversed(words)):
        said = word[0]
        if said[-1] in ":;" or (said[-1] in ".!?" and not _DIGIT.search(said)):
            return None
        value = _shown(text, word)
        if value and not dense(said[0]) and _fits_before(low, value, label, joined=joined):
            return value
        bare = said.strip("\"'`()[],")
        joined = joined or label.joined_by(bare) or said in {"-", "--", "=", "->"} or said[0] == "("
    return _words_before(low, words) if label.column == "phrase" else None


def _words_before(low: str, words: list[re.Match[str]]) -> _Value | None:
    """Five words or more that make no sentence, before "that is the passphrase"."""
    known = table().words
    for listed, group in groupby(words, lambda w: spoken(w[0]) and w[0] not in known):
        run = [*group]
        if listed and len(run) > 4:
            return _Value("", run[0].start(), run[-1].end())
    return None


def _shown(text: str, word: re.Match[str]) -> _Value | None:
    marks = "\"'`*()[]{}<>|,."
    shown = text[word.start() : word.end()]
    value = shown.strip(marks)
    start = word.start() + len(shown) - len(shown.lstrip(marks))
    return _Value(value, start, start + len(value)) if value else None


def _fits_before(low: str, value: _Value, label: Label, *, joined: bool) -> bool:
    shown = value.text
    if reference(shown) or "passwor" in shown.lower() or anything_else(shown):
        return False
    if label.kind == KEY and not (label.column == "vague" and _WIRELESS.search(low)):
        return joined and len(shown) >= 16 and random_looking(shown)
    if label.column == "user":
        return False
    joined = joined or not label.word.isascii()
    if strong(shown):
        return joined or bool(set("!#$%^&*?~") & set(shown))
    odd = quirky(shown) and not technical(shown)
    return joined and (odd or passphrase(shown))


# --- digits, codes, seeds and cells ------------------------------------------


def _digits(text: str, low: str, place: Place) -> _Value | None:
    """The digits of a PIN or a code, in the sentence of its label or right below."""
    label, start, end = place
    stop = _SENTENCE_END.search(low, end, end + 100)
    after = _DIGITS.finditer(low, end, stop.start() if stop else min(len(low), end + 100))
    for found in after:
        value = _Value(found["bare"], *found.span("bare"))
        if _opens(text, low, place, value, low[end : value.start]):
            return value
    below = re.compile(r"[ \t:]*\n{1,2}[ \t>*-]*").match(low, end)
    found = _DIGITS.match(low, below.end()) if below else None
    if found and _LINE_ENDS.match(low, found.end()):
        value = _Value(found["bare"], *found.span("bare"))
        return value if _opens(text, low, place, value, ":") else None
    line = max(low.rfind(mark, 0, start) for mark in "\n\0.") + 1
    for found in _DIGITS.finditer(low, max(line, start - 60), start):
        value = _Value(found["bare"], *found.span("bare"))
        if _opens(text, low, place, value, low[value.end : start]):
            return value
    return None


def _opens(text: str, low: str, place: Place, value: _Value, between: str) -> bool:
    """Whether digits open something, by the words between them and their label."""
    label = place.label
    words = re.findall(rf"[^\W\d_{DENSE}][\w'-]*|[{DENSE}]|[:=\u2192-]", between)
    if len(words) > NEARER:
        return False
    joined = any(label.joined_by(w) or w in ":=-\u2192" for w in words[-3:])
    near = low[max(0, place.start - 80) : value.end + 60]
    if label.kind == CVV:
        return len(value.text) in {3, 4}
    if len(re.sub(r"\D", "", value.text)) < 4 - (label.kind == CODE and joined):
        return False
    if label.kind == PIN:
        if len(value.text) == 6 and _POSTAL.match(label.word):
            return bool(_MONEY.search(near))
        loud = label.word != "pin" or "PIN" in text[place.start : place.end]
        year = _YEAR.fullmatch(value.text)
        return joined or (not year and ((loud and len(words) <= 3) or bool(_MONEY.search(near))))
    if any(part in near for part in table().common["other_codes"]):
        return False
    thing = any(part in near for part in table().common["things"])
    near = not _YEAR.fullmatch(value.text) and label.kind == CODE and len(words) <= 3
    close = joined or near
    return thing and (close or len(words) <= 1)


def _listed(low: str, place: Place) -> _Value | None:
    """Recovery codes, or the words of a wallet, as far as they go."""
    pattern = _SEED if place.label.kind == SEED else _CODES
    stop = min(len(low), place.end + REACH)
    for word in _FIRST.finditer(low, place.end, stop):
        found = pattern.match(low, word.start())
        if not found:
            continue
        if place.label.kind == SEED and not no_sentence(found[0]):
            continue
        first = found[0].split()[0].strip(",;")
        digits = sum(map(str.isdigit, first))
        if place.label.kind == SEED or (digits >= 2 and len(found[0]) >= 6) or "-" in first:
            if first.isdigit() or not anything_else(first):
                return _Value(found[0], found.start(), found.end())
    return None


def _cells(text: str, low: str, place: Place) -> Iterator[tuple[str, int, int]]:
    """The cells of a table below a heading that is a label."""
    begin = low.rfind("\n", 0, place.start) + 1
    stop = low.find("\n", place.start)
    if stop < 0:
        return
    heading = text[begin:stop]
    mark = next((m for m in "|;\t," if m in heading), "")
    if not mark:
        return
    before = heading[: place.start - begin]
    column, count = before.count(mark), heading.count(mark)
    if not all(map(_HEADINGS[mark == "|"].fullmatch, heading.split(mark))):
        return
    at = stop + 1
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        row = text[at:end]
        cells = row.split(mark)
        if row.count(mark) < count or (len(cells) > count + 1 and '"' not in row):
            return
        if column < len(cells):
            start = at + sum(len(each) + 1 for each in cells[:column])
            shown = cells[column]
            value = shown.strip(" \t\"'`*")
            if password(value) and not set(value) <= set("-: "):
                start += shown.index(value)
                yield PASSWORD, start, start + len(value)
        at = end + 1
