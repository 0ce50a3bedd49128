"""Find values that a word near them makes secret: "mein Passwort ist …".

One rule for every language of `labels.toml`: what looks like a value and stands near a
word for a secret is one. The odder a value looks, the further off it may stand: what
nobody writes by chance anywhere in the sentence and the lines below, a plain word only
right behind "password:" and "the password is", digits where something opens with them.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from reverie.secrets import values
from reverie.secrets.values import WORDLESS, Looks, data, looks_of, no_sentence

if TYPE_CHECKING:
    from collections.abc import Iterator

PASSWORD, PIN, CODE, KEY = "password", "PIN", "access code", "API key"
CVV, RECOVERY, SEED = "card security code", "recovery codes", "seed phrase"
COLUMNS = {"seed": SEED, "recovery": RECOVERY, "phrase": PASSWORD, "password": PASSWORD}
COLUMNS |= {
    "cvv": CVV,
    "pin": PIN,
    "key": KEY,
    "vague": KEY,
    "code": CODE,
    "lock": CODE,
}
COLUMNS |= dict.fromkeys(("user", "answer", "network"), PASSWORD)
"""The columns of labels, the most telling first, and what each names."""

REACH, LINES = 300, 2
"""Characters and line ends from a label to its value, at most."""

FAR, NEARER, CLOSE = 24, 12, 8
"""So many words may stand between: before what can be nothing else, before what has
letters and digits, before a plain word."""

_BEGUN = 4
_WIDE = f"[{WORDLESS}]"
_SIGNS = str.maketrans(
    "\u300c\u300e\u3010\u300d\u300f\u3011\u3002\u3001\u2022\u2192\u2190\u20ac",
    '""""""; *==$',
)
"""Signs as the patterns below have them."""

_TOKEN = re.compile(
    rf"""(?x)\\?"[ ]?(?P<double>[^"\n\0]{{1,400}}?)[ ]?\\?"
    |(?<![^\W_])'(?P<single>[^'\n\0]{{1,400}})'(?![^\W_])|`(?P<tick>[^`\n\0]{{1,400}})`
    |(?P<mark>=>|:=|->|={{1,3}}|[:|>(\[]|-{{1,2}}(?=[ \t]))|(?P<line>\n[ \t]*)
    |(?P<wide>{_WIDE}{{1,40}})|(?P<masked>\0{{1,400}})
    |(?P<bare>[^\s\0"'`<>|;,)\]}}{WORDLESS}](?:[^\s\0"'`<>|;{WORDLESS}]|'(?=\w)){{0,399}})
    |(?P<other>\S)"""
)
_DIGITS = re.compile(
    rf"(?:(?<!\w)|(?<={_WIDE}))(?<![.,/+$-])(?<!\d:)(?<!\w\[)(?<!\d\d[ ])"
    r"(?:[#*]?(?:g-)?\d{3,8}[#*]?|\d(?:[ -]\d){3,7}"
    r"|\d{1,2}(?:(?:[ ]-[ ]|[ /-])\d{1,2}){2,5}|\d{3}[ -]\d{3}"
    r"|\d{2,5}[a-d]\d{0,4}|[a-d]\d{3,5})"
    rf"(?![^\W{WORDLESS}]|[.,/:-]\d|[ ]?[%$]|[ -]\d)"
)
_CODE = r"(?=[a-z-]{0,12}\d|[a-z]{4,5}-[a-z]{4,5}\b)[a-z0-9]{3,12}"
_CODES = re.compile(
    rf"{_CODE}(?:[- ][a-z0-9]{{3,12}}){{0,7}}"
    rf"(?:(?:[\s,;|*/]|\d{{1,2}}[.)][ ]|-[ ]){{1,6}}{_CODE}"
    rf"(?:-[a-z0-9]{{2,12}}){{0,7}}){{0,40}}"
)
_GROUPS = re.compile(
    r"(?:[a-z2-7]{4}(?:[ -][a-z2-7]{4}){3,12}"
    r"|[a-z0-9]{4,6}(?:-[a-z0-9]{4,6}){2,7})(?![\w-])"
)
_SEED = re.compile(r"[a-z]{3,8}(?:[\s,.)\d-]{1,6}[a-z]{3,8}){11,23}(?![a-z])")
_PHRASE = re.compile(r"[^\W\d_]{2,14}(?:[ -][^\W\d_]{2,14}){2,11}(?![\w'-])")
_CLOSED = re.compile(r"[/&#.@]\S+|\?\w+=\S+|[\"'`\])*_\\]{0,4}")
_OPEN, _TAIL = "([{*.@?", ".,:;=)]}>\\*("
_LINE_BEGINS = re.compile(r"[ \t>*=\"'`|+?@.-]*(?:\w{1,12}[:=][ \t]*)?[\"'`*=?@.]*\Z")
_LINE_ENDS = re.compile(r"[\"'`*.,!;)|]{0,3}[ \t]*(?:\n|\Z)")
_COUNTERS = "年月日円元块人個个回分秒時时点号室階楼层次件米位桁番원명개년월일시분층호번"
_ENDS = re.compile(
    rf"[\"'`*_)\]}}<]{{0,3}}(?:\s*\Z|[ \t]*\n|[ ]?\+|[.,;!?)|\]}}<(]|[ ][(-]"
    rf"|[ ]?(?![{_COUNTERS}]){_WIDE}"
    r"|[ ](?:and|but|then|und|dann|et|puis|y|luego|e|poi|en|dan|i|oraz|\u0438)\b)"
)
_LONG = re.compile(r"[\w./+=-]*")
_NEXT = re.compile(r"[\"'`.]?[ \t-]+([^\W\d_]+)")
_NO_PIN = re.compile(r"pin (?:this|that|it)\b|pin[ -]?codes?(?: \w+)? \d{6}\b")
_VARIABLE = re.compile(r"\$\{?\w*\Z")
_REST = re.compile(r"(?:\w|-(?=\w)){0,26}")
_GROWN = re.compile(
    r"s?(?:value|string|prod|dev|live|test|data)?(?![a-z])|[a-z]{1,2}\b|[\W_\d]"
)
_STROKES = str.maketrans("ł\u0131øđß", "liods")


class Label(NamedTuple):
    """A word for a secret: folded, its column, and what alone joins it to its value."""

    word: str
    column: str
    joins: frozenset[str]


class Place(NamedTuple):
    """A label in a text, with what is grown to it."""

    label: Label
    start: int
    end: int


class Value(NamedTuple):
    """Something near a label.

    Attributes:
        text: What it says, without quotation marks.
        start: Where it begins.
        end: Where it ends.
        quoted: Whether it stands in quotation marks.
        joined: Whether a mark or "is" stands right between it and its label (2), or
            only something like "with" or "now" (1).
        gap: How many words stand between.
        lines: How many line ends do.
        stops: How many ends of sentences do.
    """

    text: str
    start: int
    end: int
    quoted: bool
    joined: int
    gap: int
    lines: int = 0
    stops: int = 0


class LabelTable(NamedTuple):
    """`labels.toml`, made ready: labels by how they begin, and lists of words."""

    labels: dict[str, list[Label]]
    short: tuple[list[str], list[str]]
    joins: frozenset[str]
    by: frozenset[str]
    common: dict[str, frozenset[str]]


@cache
def table() -> LabelTable:
    """The table, made ready when a text first has need of it."""
    known = data("labels.toml")
    common = {name: frozenset(words_of(row)) for name, row in known["common"].items()}
    rows = [
        {name: words_of(row) for name, row in tongue.items()}
        for tongue in known["languages"].values()
    ]
    joins, by = (
        frozenset(w for row in rows for w in row.get(name, ())) for name in ("is", "by")
    )
    joins -= common["ambiguous"]
    labels: dict[str, Label] = {}
    for column in COLUMNS:
        for row in rows:
            own = frozenset(row.get("is", set()) - joins)
            for word in row.get(column, ()):
                label = labels.setdefault(word, Label(word, column, own))
                labels[word] = label._replace(joins=label.joins | own)
    begun: dict[str, list[Label]] = {}
    for label in labels.values():
        begun.setdefault(label.word[:_BEGUN], []).append(label)
        if label.column in {"lock", "network"}:
            common[label.column] = common.get(label.column, frozenset()) | {label.word}
    common["things"] |= {w for w in common["lock"] if len(w) > 2 or not w.isascii()}
    short = [start for start in begun if len(start) < _BEGUN]
    plain = [start for start in short if start.isascii()]
    return LabelTable(begun, (short, plain), joins, by, common)


def words_of(column: str) -> set[str]:
    """The words of a column; accents may be missing."""
    plain = column.lower()
    bare = unicodedata.normalize("NFD", plain.translate(_STROKES))
    bare = "".join(char for char in bare if not unicodedata.combining(char))
    return {word.replace("_", " ") for word in (*plain.split(), *bare.split())}


def wide(text: str) -> bool:
    """Whether it begins in a script without blanks between words."""
    return "\u0e00" <= text[:1] <= "\u109f" or "\u3040" <= text[:1] <= "\ud7af"


def has(name: str, text: str) -> bool:
    """Whether a word of a common list, or a part of one, stands in a text."""
    return any(word in text for word in table().common[name])


# --- labels --------------------------------------------------------------------


def find_labels(low: str) -> list[Place]:
    """The labels of a text in their order; of those in one place the longest."""
    known = table()
    starts = {low[at : at + _BEGUN] for at in range(len(low))} & known.labels.keys()
    starts.update(each for each in known.short[low.isascii()] if each in low)
    here = [label for s in starts for label in known.labels[s] if label.word in low]
    taken: set[int] = set()
    found = []
    for label in sorted(here, key=lambda label: (-len(label.word), label.word)):
        at = low.find(label.word)
        while at >= 0:
            end = at + len(label.word)
            if at not in taken and end - 1 not in taken:
                rest = _rest(label, low, at, end)
                if rest is not None:
                    taken.update(range(at, end))
                    found.append(Place(label, at, end + len(rest)))
            at = low.find(label.word, end)
    return sorted(found, key=lambda place: place.start)


def _rest(label: Label, low: str, at: int, end: int) -> str | None:
    """What is grown to a label; None where it is part of another word, or public."""
    word, column = label.word, label.column
    before = low[max(0, at - 24) : at]
    alone = not before[-1:].isalnum() or wide(before[-1:]) or wide(word)
    long = (len(word) >= 6 and column not in {"code", "user"}) or word == "code"
    if not (alone or long or (label.column in {"key", "vague"} and word != "auth")):
        return None
    last = re.findall(r"[^\W_]+", before)[-1:]
    if _VARIABLE.search(before) or not table().common["public"].isdisjoint(last):
        return None
    if before.endswith("://") or (column == "lock" and before[-1:] == "_"):
        return None
    if wide(word[-1]) or not word[-1].isalnum():
        return ""
    found = _REST.match(low, end)
    rest = re.split(_WIDE, found[0] if found else "")[0]
    short = len(word) < 5 or column in {"code", "user", "vague"}
    if rest[:1].isalpha() and short and (word == "pin" or not _GROWN.match(rest)):
        return None if rest not in {"s", "u", "em", "om", "ом"} else rest
    about = "_" in rest if column == "lock" else values.about().search(rest)
    return None if about else rest


# --- what stands near ----------------------------------------------------------


def told(text: str, low: str) -> Iterator[tuple[str, int, int]]:
    """The kinds of secrets that labels give away, and where they stand.

    Args:
        text: A folded text.
        low: The same in small letters, and as long.
    """
    text, low = text.translate(_SIGNS), low.translate(_SIGNS)
    done = 0
    for place in find_labels(low):
        kind, column = COLUMNS[place.label.column], place.label.column
        if _NO_PIN.match(low, place.start):
            continue
        if column in {"password", "phrase"} and place.start >= done:
            for start, done in _cells(text, low, place):
                yield kind, start, done
        for value in (*_after(text, low, place), *_before(text, low, place)):
            if end := _fits(text, low, place, value):
                yield kind, value.start, end
                break


def _joins(label: Label, word: str) -> int:
    """How a word joins a label to its value; a wide one by how it begins or ends."""
    known = table()
    ends = {word}
    if wide(word) and len(word) <= 6:
        ends |= {word[:1], word[:2], word[-1:], word[-2:], word[-3:]}
    if word in label.joins or not ends.isdisjoint(known.joins):
        return 2
    return int(not ends.isdisjoint(known.by))


def _after(text: str, low: str, place: Place) -> Iterator[Value]:
    """The values that follow a label: in its line, or in the two below."""
    label, at = place.label, place.end
    line = text.rfind("\n", max(0, at - REACH), at) + 1 or max(0, at - REACH)
    if text[at : at + 1] not in {'"', "'", "`"} or text.count(text[at], line, at) % 2:
        begun = _CLOSED.match(low, at)
        at = begun.end() if begun else at
    glued = wide(label.word[-1]) and text[at : at + 1] > " "
    last = label.word.rpartition(" ")[2]
    joined = 2 if glued or last[-1:] == ":" else int(last in table().by)
    gap = lines = stops = 0
    keyed = False
    for token in _TOKEN.finditer(text, at, at + 2 * REACH):
        group, said = token.lastgroup or "", token[0].lower()
        if token.start() > place.end + REACH or gap > FAR or lines > LINES:
            return
        match group:
            case "mark":
                own = joined or not gap or said in {":", "=", "->", "=>", "(", "["}
                joined = 2 if own and not keyed else joined
            case "line":
                lines += 1
            case "wide":
                if joined and _PHRASE.match(text, token.start()):
                    yield Value(said, *token.span(), quoted=False, joined=2, gap=gap)
                joined, gap = _joins(label, said), gap + len(said) // 4
            case "masked":
                joined, gap = 0, gap + 1
            case "other":
                stops += said == ";"
            case _:
                yield _value(token)._replace(
                    joined=joined, gap=gap, lines=lines, stops=stops
                )
                word = said.rstrip(".,:;!?")
                about = values.about().match(word) or word in table().common["public"]
                if about and not gap and label.column != "lock":
                    return
                gap, keyed = gap + 1, group != "bare"
                small = token[0].islower() and len(word) < 4
                kept = joined and int(small or word in values.words())
                joined = 2 if said[-1] in ":=" else _joins(label, word) or kept
                stops += (
                    said[-1] in ".!?" and text[token.end() : token.end() + 1] in " \n"
                )


def _before(text: str, low: str, place: Place) -> Iterator[Value]:
    """The values of "… is my password", in the same sentence."""
    label, start, end = place
    following = _NEXT.match(low, end)
    if following and values.about().match(following[1]):
        return
    line = low.rfind("\n", max(0, start - REACH), start) + 1 or max(0, start - REACH)
    joined = gap = 0
    for token in [*_TOKEN.finditer(text, line, start)][::-1]:
        group, said = token.lastgroup or "", token[0].lower()
        if group == "mark":
            joined = 2 if said in {"(", "-", "--", "=", "->"} else joined
        elif group == "wide":
            joined = max(joined, _joins(label, said))
        elif group in {"masked", "other"}:
            joined = 0
        elif said[-1] in ":;" or (said[-1] in ".!?" and said[:-1].isalpha()):
            return
        elif gap <= NEARER:
            yield _value(token)._replace(joined=joined, gap=gap)
            joined, gap = max(joined, _joins(label, said.strip(",."))), gap + 1


def _value(token: re.Match[str]) -> Value:
    group = token.lastgroup or "bare"
    shown, start, end = token[group], *token.span(group)
    if group != "bare":
        return Value(shown, start, end, quoted=True, joined=0, gap=0)
    bare = shown.lstrip(_OPEN).rstrip(_TAIL)
    bare = plain if values.spoken(plain := bare.rstrip("?!")) else bare
    start += len(shown) - len(shown.lstrip(_OPEN))
    return Value(bare, start, start + len(bare), quoted=False, joined=0, gap=0)


# --- whether it fits -----------------------------------------------------------


def _fits(text: str, low: str, place: Place, value: Value) -> int:
    """Where the secret ends that begins with a value; 0 if it is none."""
    column, after = place.label.column, value.start > place.start
    if not value.text:
        return 0
    if column in {"pin", "code", "lock", "cvv"}:
        return _opens(low, place, value)
    if column in {"recovery", "seed"}:
        return _listed(low, value, seed=column == "seed")
    if column in {"password", "phrase"} and (end := _words(low, value, column)):
        return end
    looks = looks_of(value.text)
    groups = _GROUPS.match(low, value.start)
    if groups and value.gap <= NEARER and column != "user" and no_sentence(groups[0]):
        return groups.end()
    match column:
        case "key" | "vague":
            fits = _is_key(low, place, value, looks)
        case "user":
            name, _, shown = value.text.rpartition(":")
            paired = name or re.search(
                r"\w(?: ?/ ?| - )\Z", text[max(0, value.start - 6) : value.start]
            )
            here = after and not value.lines and not value.stops and value.gap < NEARER
            sure = not value.gap and values.very_random(value.text)
            fits = here and (sure or (bool(paired) and looks_of(shown) >= Looks.ODD))
        case "network":
            known = value.joined or looks is Looks.MARKED
            named = values.network_name(value.text)
            odd = looks >= Looks.ODD and not named
            fits = bool(known) and odd and not value.lines
        case _:
            far = place.label.word == "pass" and value.gap > 3
            fits = not far and _is_password(text, low, place, value, looks)
    rest = _LONG.match(text, value.end) if len(value.text) > REACH else None
    return (rest.end() if rest else value.end) if fits else 0


def _is_password(  # noqa: PLR0911 - by looks
    text: str, low: str, place: Place, value: Value, looks: Looks
) -> bool:
    gap, joined, after = value.gap, value.joined, value.start > place.start
    if value.quoted and not value.lines:
        beside = after and not gap and "," not in text[place.end : value.start]
        next_to = joined == 2 or beside
        least = Looks.WORD if next_to else Looks.ODD
        return looks >= least and gap <= NEARER and not value.stops
    line = text.rfind("\n", max(0, value.start - REACH), value.start) + 1
    last = bool(_LINE_ENDS.match(text, value.end))
    alone = last and bool(_LINE_BEGINS.match(text, line, value.start))
    if value.lines and not alone:
        return joined == 2 and not gap and looks >= Looks.STRONG
    ends = bool(_ENDS.match(low, value.end))
    match looks:
        case Looks.NOTHING:
            return False
        case Looks.TERM:
            return after and joined == 2 and not gap
        case Looks.WORD:
            direct = after and joined == 2 and gap <= CLOSE and not value.stops
            return direct and ends and (not value.lines or gap == 0)
        case Looks.DIGITS:
            near = joined or (after and not gap)
            ends = ends or _follows_on(low, value.end)
            return bool(near) and ends and gap <= NEARER
        case Looks.ODD:
            here = gap <= NEARER and not value.stops
            return (here or last) if after else bool(joined)
        case _ if after:
            return gap <= FAR and value.stops < 2
        case _:
            return bool(joined or looks is Looks.MARKED)


def _is_key(low: str, place: Place, value: Value, looks: Looks) -> bool:
    """After "key" alone, which may be a table's or a song's, it must be very random."""
    shown, near = value.text, low[max(0, place.start - 48) : place.start]
    if values.reference(shown) or shown.startswith("AAAA"):
        return False
    if has("network", low[max(0, place.start - REACH) : value.start]):
        return looks >= Looks.DIGITS and bool(value.joined or not value.gap)
    near = near.rpartition("\n")[2]
    named = place.label.column == "key" or near[-1:] == "_" or has("programs", near)
    named = named or has("programs", low[place.end : value.start])
    if not named or value.stops > 1 or not (value.joined or len(shown) >= 16):
        return values.very_random(shown)
    return values.random_looking(shown)


def _words(low: str, value: Value, column: str) -> int:
    """Where the words of a passphrase end that begins at a value, or 0."""
    near = value.joined == 2 or (column == "phrase" and value.gap <= 1)
    if not near or value.quoted or value.stops or value.lines > 1 or value.gap > CLOSE:
        return 0
    found = _PHRASE.match(low, value.start)
    words = re.split(r"[ -]", found[0]) if found else []
    count = next((n for n, w in enumerate(words) if w in values.words()), len(words))
    end = value.start + len(" ".join(words[:count]))
    ended = count == len(words) and _ENDS.match(low, end)
    short = value.joined == 2 and ended and count and looks_of(words[0]) is Looks.WORD
    return end if count >= (3 if short else 5 if column == "password" else 4) else 0


def _listed(low: str, value: Value, *, seed: bool) -> int:
    """Where recovery codes, or the words of a wallet, end that begin at a value."""
    found = (_SEED if seed else _CODES).match(low, value.start)
    if not found or seed:
        return found.end() if found and no_sentence(found[0]) else 0
    first = found[0].split()[0].strip(",;")
    coded = "-" in first or (sum(map(str.isdigit, first)) > 1 and len(found[0]) > 5)
    harmless = not first.isdigit() and values.anything_else(first)
    return found.end() if coded and not harmless else 0


def _follows_on(low: str, end: int) -> bool:
    """Whether a word of sentences follows, and nothing that was counted."""
    found = _NEXT.match(low, end)
    return found is not None and found[1] in values.words()


def _opens(low: str, place: Place, value: Value) -> int:
    """Where the digits end that open something; 0 where they count or number it."""
    column, known = place.label.column, table()
    digits = _DIGITS.match(low, value.start)
    if not digits or value.gap > NEARER or value.stops or value.lines > 1:
        wordy = column == "pin" and value.gap < 2 and looks_of(value.text) >= Looks.ODD
        return value.end if wordy else 0
    end, count = digits.end(), sum(map(str.isdigit, digits[0]))
    if column == "cvv":
        return end if count in {3, 4} else 0
    after = low[end : end + 24].lstrip(" -")
    typed = any(after.startswith(word) for word in known.common["typed"])
    leading = re.findall(r"[^\W\d_]+", low[max(0, value.start - 20) : value.start])[-1:]
    joined = max(value.joined, int(not known.by.isdisjoint(leading)))
    ended = _ENDS.match(low, end) or _follows_on(low, end)
    year = re.fullmatch(r"(?:19|20)\d\d", digits[0])
    if year and (column, value.joined) != ("pin", 2):
        return 0
    reach = {"pin": CLOSE, "code": 3}.get(column, -1)
    close = ended and value.gap <= reach and value.start > place.start
    sure = typed or (value.joined == 2 and (ended or column != "lock"))
    sure = sure or (column == "pin" and not value.gap)
    near_it = sure or close or (joined and ended)
    if not near_it or count < (3 if value.joined == 2 else 4):
        return 0
    near = low[max(0, place.start - 80) : end + 60]
    if column != "pin" and (has("other_codes", near) or not has("things", near)):
        return 0
    return end


def _cells(text: str, low: str, place: Place) -> Iterator[tuple[int, int]]:
    """The cells of a table below a heading that is a label."""
    begin = low.rfind("\n", max(0, place.start - REACH), place.start) + 1
    stop = low.find("\n", place.start, place.start + REACH)
    heading = text[begin:stop] if stop > 0 else ""
    mark = next((mark for mark in "|;\t," if mark in heading), "")
    following = _NEXT.match(low, place.end)
    headings = heading.split(mark) if mark else []
    if (following and values.about().match(following[1])) or not headings:
        return
    if mark != "|" and any(len(h.split()) > 2 or len(h) > 40 for h in headings):
        return
    column = heading[: place.start - begin].count(mark)
    for row in re.compile(r"[^\n]+").finditer(text, stop + 1):
        cells = row[0].split(mark)
        more = len(cells) - len(headings)
        if more < 0 or (more and '"' not in row[0]):
            break
        value = cells[column].strip(" \t\"'`*")
        if values.password(value) and not set(value) <= set("-: "):
            start = row.start() + sum(len(cell) + 1 for cell in cells[:column])
            start += cells[column].index(value)
            yield start, start + len(value)
