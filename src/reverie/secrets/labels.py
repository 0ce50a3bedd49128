"""Words for secrets in more than sixty languages, found in a text.

The words are data (`labels.toml`), which is read when a text first may have one.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from reverie.secrets.folding import fold

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PASSWORD, PIN, CODE, KEY = "password", "PIN", "access code", "API key"
CVV, RECOVERY, SEED = "card security code", "recovery codes", "seed phrase"
KINDS = (KEY, SEED, RECOVERY, CVV, CODE, PIN, PASSWORD)
"""What a label may name, the most telling first."""

COLUMNS = {
    "seed": SEED,
    "recovery": RECOVERY,
    "phrase": PASSWORD,
    "password": PASSWORD,
    "cvv": CVV,
    "pin": PIN,
    "key": KEY,
    "vague": KEY,
    "code": CODE,
    "user": PASSWORD,
}
"""The columns of labels, and what each names."""

DENSE = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
)
"""Letters of scripts that put no blank, or not always one, between words."""

_STEMS = """
    _de_ _di_ _words 'z ahi asf asv clav cyf cz dz enos eslo fj geh hasl herst hesl ifr
    kata key kod ksl kur losen loz lsz lö mdp mnem nnw ode_sec pala paro pass phras psk
    pw rase rð salas sandi schl seau seed senh sina slap swort sł t_kh unnu wac wi- wifi
    woor wpa ww ywi za_ zapo
"""
_STEMS_WITH_DIGITS = """
    _api _d' aht anm auth bina ccou ceso cesso chav cle cod combo creds crete cuen cv dare
    eden fian gn_i gun hesa hia jet kont koo kul lir llav lé ma mpte mã nlo nnex og_i
    ogin ogo onta otp phu pi- pin puk ro_sec ruk brug secr segr sleu suar szy tan toke uik
    user utent util utz uá vatel vee ytk zug ód
"""
STEMS = tuple(stem.replace("_", " ") for stem in _STEMS.split())
MORE_STEMS = tuple(stem.replace("_", " ") for stem in _STEMS_WITH_DIGITS.split())
"""One of these stands in every label in our own letters, and seldom elsewhere. Only
passwords and their likes may have no digit."""

OTHER_SCRIPT = re.compile(r"[\u0370-\u1fff\u2c00-\u2dff\u3040-\ud7ff]")
"""Letters that are not ours."""

_STROKES = str.maketrans("ł\u0131øđß", "liods")
_DIGIT = re.compile(r"\d")
_DENSE = re.compile(f"[{DENSE}]")
_ENDING = re.compile(rf"(?:[^\W{DENSE}]|-(?=\w))*")
_GROWN = re.compile(r"s?(?:value|string|prod|dev|live|test|data)?(?![a-z])")
_INFLECTED = frozenset("s e i n en a u em om m ом а у ем ов".split())
_VARIABLE = re.compile(r"\$\{?\w*\Z")
_ABOUT = re.compile(
    r"(?:file|path|hash|len|min|max|polic|reset|ur[il]|field|type|name|prompt|input"
    r"|label|manag|strength|expir|age\b|count|limit|size|hint|requir|less|chang|rotat"
    r"|gener|valid|check|updat|column|attempt|histor|salt|protect|stdin|finger|ttl"
    r"|issuer|endpoint|prefix|version|arn|ref\b|class|budget|usage|_?id\b|day\b|rul"
    r"|verw|richt|zur\u00fcck|l\u00e4ng|s?manag|fd\b|menedż)"
)
"""What makes it something about a password: `password_file`, "token limit"."""


class Label(NamedTuple):
    """A word for a secret.

    Attributes:
        word: The word, folded, in small letters.
        column: Which column of the table it stands in.
        joins: What joins it to its value in its own language alone: "as", "to".
    """

    word: str
    column: str
    joins: frozenset[str]

    @property
    def kind(self) -> str:
        """What it names."""
        return COLUMNS[self.column]

    def joined_by(self, word: str) -> bool:
        """Whether a word joins it to its value: "is"; "\u662f\u6211\u7684" begins with one."""
        known = table().joins
        if word in self.joins or word in known:
            return True
        return dense(word[:1]) and len(word) <= 4 and (word[0] in known or word[:2] in known)


class Place(NamedTuple):
    """A label in a text, with what is grown to it."""

    label: Label
    start: int
    end: int


class Table(NamedTuple):
    """`labels.toml`, made ready.

    Attributes:
        labels: Every label.
        joins: What joins a label of any language to its value: "is", "lautet".
        none: Words that stand after "the password is" and are none.
        words: Words of sentences.
        common: The lists that belong to no language, folded.
    """

    labels: tuple[Label, ...]
    joins: frozenset[str]
    none: frozenset[str]
    words: frozenset[str]
    common: dict[str, frozenset[str]]

    def before(self, name: str) -> re.Pattern[str]:
        """Finds a word of a common list at the end of what stands before a label."""
        words = "|".join(map(re.escape, sorted(self.common[name], key=len)[::-1]))
        return _pattern(rf"(?:{words})[\w-]{{0,3}}[ _-]?\Z")


def languages() -> dict[str, Mapping[str, str]]:
    """The rows of the table by the name of the language."""
    rows = _loaded()
    return {k: v for k, v in rows.items() if k not in {"others", "common"}} | {
        **rows["others"]
    }


def may_be_told(low: str) -> bool:
    """Whether a text, in small letters, may have a label in it."""
    if any(map(low.__contains__, STEMS)):
        return True
    if not low.isascii() and OTHER_SCRIPT.search(low):
        return True
    return bool(_DIGIT.search(low)) and any(map(low.__contains__, MORE_STEMS))


def issuer_kinds() -> list[str]:
    """What keys are called that are known by their issuer's name."""
    return [f"{name.capitalize()} key" for name in table().common["issuers"]]


def words_of(column: str) -> set[str]:
    """The words of a column, folded; accents may be missing."""
    plain = fold(column).text.lower()
    bare = unicodedata.normalize("NFD", plain.translate(_STROKES))
    bare = "".join(char for char in bare if not unicodedata.combining(char))
    return {word.replace("_", " ") for word in (*plain.split(), *bare.split())}


def dense(char: str) -> bool:
    """Whether it belongs to a script without blanks between words."""
    return bool(_DENSE.match(char))


def find_labels(low: str) -> Iterator[Place]:
    """The labels of a text; of those in one place the longest."""
    stems = [stem for stem in (*STEMS, *MORE_STEMS) if stem in low]
    if not low.isascii() and OTHER_SCRIPT.search(low):
        stems.append("")
    here = {label for stem in stems for label in _with(stem) if label.word in low}
    taken: set[int] = set()
    for label in sorted(here, key=lambda label: (-len(label.word), label.word)):
        at = low.find(label.word)
        while at >= 0:
            end = at + len(label.word)
            if at not in taken and end - 1 not in taken:
                ending = _ending(label, low, end)
                if ending is not None and _counts(label, low, at):
                    taken.update(range(at, end))
                    yield Place(label, at, end + len(ending))
            at = low.find(label.word, end)


def about_it(word: str) -> bool:
    """Whether the next word makes it something about a password."""
    return bool(_ABOUT.match(word))


def _counts(label: Label, low: str, start: int) -> bool:
    """Whether a label stands alone where it must, and names no public key."""
    before = low[max(0, start - 24) : start]
    alone = not before[-1:].isalnum() or dense(before[-1]) or dense(label.word[0])
    if _VARIABLE.search(before) or table().before("public").search(before):
        return False
    if label.kind == KEY:
        return alone or label.word != "auth"
    if label.column == "user" and before.endswith("://"):
        return False
    return alone or (len(label.word) >= 6 and label.column not in {"code", "user"})


def _ending(label: Label, low: str, end: int) -> str | None:
    """What is grown to a label; None where that makes it another word."""
    if dense(label.word[-1]) or not label.word[-1].isalnum():
        return ""
    found = _ENDING.match(low, end, end + 26)
    ending = found[0] if found else ""
    short = len(label.word) < 5 or label.column in {"code", "user", "vague"}
    if ending[:1].isalpha() and (short or (label.kind == KEY and len(label.word) < 8)):
        grown = label.kind == KEY and label.word != "auth" and _GROWN.match(ending)
        if not grown and ending not in _INFLECTED:
            return None
    return None if _ABOUT.search(ending) else ending


@cache
def _with(stem: str) -> list[Label]:
    """Labels that have a stem in them; in other scripts than ours, for none."""
    if not stem:
        return [label for label in table().labels if OTHER_SCRIPT.search(label.word)]
    return [label for label in table().labels if stem in label.word]


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


@cache
def _loaded() -> dict[str, dict[str, str]]:
    import tomllib  # noqa: PLC0415 - see above

    path = files("reverie.secrets").joinpath("labels.toml")
    return tomllib.loads(path.read_text("utf-8"))


@cache
def table() -> Table:
    """The table, made ready when a text first has need of it."""
    common = {name: frozenset(words_of(row)) for name, row in _loaded()["common"].items()}
    rows = [
        {name: words_of(row) for name, row in tongue.items()}
        for tongue in languages().values()
    ]
    shared = {word for row in rows for word in row.get("is", ())} - common["ambiguous"]
    labels: dict[str, Label] = {}
    for column in COLUMNS:
        for row in rows:
            joins = frozenset(row.get("is", set()) - shared)
            for word in row.get(column, ()):
                label = labels.setdefault(word, Label(word, column, joins))
                labels[word] = label._replace(joins=label.joins | joins)
    return Table(
        tuple(labels.values()),
        frozenset(shared),
        common["none"] | {word for row in rows for word in row.get("none", ())},
        frozenset(word for row in rows for word in row.get("words", ())),
        common,
    )
