"""Find the words for secrets that a text has, in more than sixty languages.

The words are data (`labels.toml`), which is read when a text first may have one. Who
looks for something looks in a plain copy of a text (`fold`), and cuts in the original:
invisible characters go, full-width and styled letters become plain ones, every kind of
blank, dash and quotation mark the common one.
"""

from __future__ import annotations

import re
import string
import unicodedata
from array import array
from functools import cache, lru_cache
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

# --- a text as it reads ---------------------------------------------------------

_LINE_ENDS = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
_INVISIBLE = frozenset(("Cc", "Cf", "Mn", "Me"))
_BLANK = "\u115f\u1160\u2800\u3164\uffa0"
_QUOTES = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2039\u203a\u2032", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033", '"'),
}
_ALIKE = str.maketrans(
    "авекмнорстухіјѕԁһԛԝАВЕКМНОРСТУХІЈЅαεικνορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "abekmhopctyxijsdhqwABEKMHOPCTYXIJSaeikvoptuxABEZHIKMNOPTYX",
)
"""Letters of other alphabets that look like ours."""

_SMALL = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_ESCAPED = re.compile(
    r"\\{1,4}u(?:([dD][89abAB][0-9a-fA-F]{2})\\{1,4}u([dD][c-fC-F][0-9a-fA-F]{2})"
    r"|([0-9a-fA-F]{4}))"
)
"""A letter as JSON may write it; two of these stand for one of the rarer letters."""

_UNUSUAL = re.compile(r"[^\n\t -~]")
_MIXED = re.compile(r"[a-zA-Z][\u0370-\u052f]|[\u0370-\u052f][a-zA-Z]")


class Folded(Struct, frozen=True):
    """A plain copy of a text.

    Attributes:
        text: What is left of it.
        places: Where each character of `text` stands in the original; empty where
            both are the same.
        ends: Where each of them ends there; empty where each is one character long.
    """

    text: str
    places: Sequence[int] = ()
    ends: Sequence[int] = ()

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where a stretch of the copy, which is not empty, stands in the original."""
        if not self.places:
            return start, end
        last = self.ends[end - 1] if self.ends else self.places[end - 1] + 1
        return self.places[start], last


def fold(text: str) -> Folded:
    """The plain copy of a text; letters that JSON escapes are letters in it."""
    if "\\u" not in text or not _ESCAPED.search(text):
        return _fold_letters(text)
    pieces: list[str] = []
    places, ends = array("Q"), array("Q")
    done = 0
    for match in _ESCAPED.finditer(text):
        pieces += text[done : match.start()], _unescape(match)
        places.extend(range(done, match.start()))
        ends.extend(range(done + 1, match.start() + 1))
        places.append(match.start())
        ends.append(match.end())
        done = match.end()
    pieces.append(text[done:])
    places.extend(range(done, len(text)))
    ends.extend(range(done + 1, len(text) + 1))
    copy = _fold_letters("".join(pieces))
    kept = copy.places or range(len(copy.text))
    return Folded(copy.text, [places[n] for n in kept], [ends[n] for n in kept])


def _unescape(match: re.Match[str]) -> str:
    high, low, single = (int(digits or "0", 16) for digits in match.groups())
    return chr(0x10000 + ((high & 0x3FF) << 10) + (low & 0x3FF)) if low else chr(single)


def _fold_letters(text: str) -> Folded:
    if not _UNUSUAL.search(text):
        return Folded(text)
    unusual = set(text)
    changes = {char: plain for char in unusual if (plain := _plain(char)) != char}
    return _changed(text, changes) if changes else Folded(text)


def lowered(text: str) -> str:
    """A text in small letters, of the same length: a Turkish capital I is two."""
    low = text.lower()
    return low if len(low) == len(text) else text.translate(_SMALL)


def look_alike(text: str) -> str:
    """A text of the same length whose foreign letters are ours where they look so.

    Only where alphabets are mixed within a word: Russian stays Russian.
    """
    return text.translate(_ALIKE) if _MIXED.search(text) else text


def _changed(text: str, changes: Mapping[str, str]) -> Folded:
    pieces: list[str] = []
    places = array("Q")
    done = 0
    for match in re.finditer(f"[{re.escape(''.join(changes))}]", text):
        at = match.start()
        plain = changes[match[0]]
        pieces += (text[done:at], plain)
        places.extend(range(done, at))
        places.extend([at] * len(plain))
        done = at + 1
    pieces.append(text[done:])
    places.extend(range(done, len(text)))
    return Folded("".join(pieces), places)


@lru_cache(maxsize=4096)
def _plain(char: str) -> str:
    if " " <= char <= "~" or char in "\n\t":
        return char
    if char in _LINE_ENDS:
        return "\n"
    category = unicodedata.category(char)
    if category in _INVISIBLE or char in _BLANK:
        return ""
    if category == "Zs":
        return " "
    if category == "Pd" or char == "\u2212":
        return "-"
    if category == "Nd":
        return str(unicodedata.digit(char))
    if char in _QUOTES:
        return _QUOTES[char]
    plain = unicodedata.normalize("NFKC", char)
    # One for one: a letter that stood for two could be cut in the middle.
    return plain if len(plain) == 1 and plain.isascii() else char


# --- words for secrets -----------------------------------------------------------

PASSWORD, PIN, CODE, KEY = "password", "PIN", "access code", "API key"
CVV, RECOVERY, SEED = "card security code", "recovery codes", "seed phrase"
RANDOM = "password or key"
KINDS = (KEY, SEED, RECOVERY, CVV, CODE, PIN, PASSWORD, RANDOM)
"""What a label may name, the most telling first; last, what no label names."""

COLUMNS = {
    name: kind
    for kind, names in (
        (SEED, "seed"),
        (RECOVERY, "recovery"),
        (PASSWORD, "phrase password"),
        (CVV, "cvv"),
        (PIN, "pin"),
        (KEY, "key vague"),
        (CODE, "code lock"),
        (PASSWORD, "user answer network"),
    )
    for name in names.split()
}
"""The columns of labels, and what each names."""

WITHOUT_DIGITS = {"password", "phrase", "seed", "key", "network", "answer"}
"""Columns of labels whose values may have no digit."""

DENSE = "[\u0e00-\u109f\u3040-\ud7af]"
"""Letters of scripts that put no blank, or not always one, between words."""

_STEMS = """
    'z _de_ _di_ _words ahi asf asv bbox clav cyf cz dz ebox enos es_mots eslo fj
    fraz geh hasl herst hesl ifr itsant itsfra kata key kod ksl kur losen loz lsz lö
    m_satz mdp mnem nnw ode_sec odem osuz otead pala paro pass pasw phras psk pw rase
    rity_a rity_q ritz rout rutad ruter rð salas sandi schl seau secr seed segre
    senh sina slap speedp ssid swort sł t_kh terau toke tspot twerk unkne unnu venli
    vraag wac wi- wifi wlan woor wpa ww ywi za_ zapo
"""
_STEMS_WITH_DIGITS = """
    _api _d' abre aht anm appid auth bina brug ccou ceso cesso chav ckup cle cod
    combo creds crete cuen cv dare desbloq eden fian gn_i gun hesa hia jet kont koo
    kul lir llav lé ma mpte mã nlo nnex og_i ogin ogo onta opens otp phu pi- pin puk
    ro_sec ruk s'ou sblocc segr si_a sleu suar szy tan toke uik unlock user utent
    util utz uá vatel vee verrou y_num ytk zug ód
"""
_STEMS_OF_LOCKS = """
    adura ajto ajtó alarm barri bavul boks bram brana brána cacif cajit cance casie
    cofre colis deado denas deur door dorr drzw dvere dveře dörr fnet_ forte furtk
    gara garáz garáž gate gebou gembo haust hek henge ifici ifíci kapi kapu kapı
    kasa kassa kilid kilit klatk klodk kluis lacat lacăt lakat larm llarm lock lukko
    lytin mmeub ndado nglas nterco nterfo nterko nterph ntranc ntrar_ ntrare ntrer
    ntrieg ntry_p o_don oa_cu ocal_ odblo offer offre oftor omofo ondom onsig ovedd
    painh paket pakke penge poart poort port ranka rbang rcel_ redio riasz rille
    riyer rmári rrera rédio s_hau safe sbarr schra schrá schuu seif sejf serra serru
    shed skryt skrzy slagb slot sperr sprec szafk szef széf t_in_ t_met t_ope t_sat
    tatio tecla telef tgren tiera tifur tivol to_th tofon tor tranc trast treso
    trezo trong tsenp ttina tur tür ucche uerta uerte uggag uilla uitca uppen usein
    utota valig valis vault verja visio voord waliz wiatu wideo x_aut yckel ykell
    zamek zamk zamka zavor zlaba zámek áo_độ ávora änglå ét_sắ óa_cử
"""
STEMS, MORE_STEMS, LOCK_STEMS = (
    tuple(stem.replace("_", " ") for stem in stems.split())
    for stems in (_STEMS, _STEMS_WITH_DIGITS, _STEMS_OF_LOCKS)
)
"""One of these stands in every label in our own letters, and seldom elsewhere. Only
passwords and their likes may have no digit, and no lock has less than three."""

_DIGIT_WORDS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen
    fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty
    sixty seventy eighty ninety double null eins zwei zwo drei vier fünf fuenf sechs
    sieben acht neun zehn elf zwölf zwanzig dreißig vierzig fünfzig sechzig siebzig
    achtzig neunzig zéro un deux trois quatre cinq sept huit neuf dix onze douze
    vingt trente quarante cinquante soixante cero uno dos tres cuatro cinco seis
    siete ocho nueve diez once doce veinte treinta cuarenta cincuenta sesenta
    setenta ochenta noventa um dois três quatro sete oito nove meia dez vinte trinta
    due tre quattro cinque sei sette otto dieci venti nul een één twee drie vijf zes
    zeven negen tien jeden dwa trzy cztery pięć sześć siedem osiem dziewięć ноль
    один два три четыре пять шесть семь восемь девять sıfır bir iki üç dört beş altı
    yedi sekiz dokuz ett två fyra fem sex sju åtta nio nula jedna dva tri čtyři pět
    šest sedm osm devět
"""
DIGIT_WORDS = frozenset(_DIGIT_WORDS.split())
"""Words for the digits of a PIN; a sentence has seldom four of them in a row."""

_STROKES = str.maketrans("ł\u0131øđß", "liods")
_DIGIT, _DIGITS = re.compile(r"\d"), re.compile(r"\d(?:[ -]?\d){2}")
_ENDING = re.compile(r"(?:\w|-(?=\w))*")
_GROWN = re.compile(r"s?(?:value|string|prod|dev|live|test|data)?(?![a-z])")
_INFLECTED = "s e i n en a u em om m ом а у ем"
_VARIABLE = re.compile(r"\$\{?\w*\Z")


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
        """Whether a word joins it to its value, or begins so in a dense script."""
        known = table().joins
        ends = {word[:1], word[:2], word[-1:], word[-2:]}
        glued = dense(word[:1]) and len(word) <= 4 and ends & known
        return word in self.joins or word in known or bool(glued)


class Place(NamedTuple):
    """A label in a text, with what is grown to it."""

    label: Label
    start: int
    end: int


class LabelTable(NamedTuple):
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


@cache
def data(name: str) -> dict[str, Any]:
    """A file of tables that lies beside this module, folded as texts are."""
    import tomllib  # noqa: PLC0415 - what has no secrets to look for goes without

    text = Path(__file__).with_name(name).read_text("utf-8")
    return tomllib.loads(_fold_letters(text).text)


def languages() -> Mapping[str, Mapping[str, str]]:
    """The rows of the table by the name of the language."""
    rows: Mapping[str, Mapping[str, str]] = data("labels.toml")["languages"]
    return rows


@lru_cache(maxsize=2)
def may_be_told(low: str) -> bool:
    """Whether a text, in small letters, may have a label in it."""
    if any(map(low.__contains__, STEMS)):
        return True
    if other_script(low):
        return True
    spelled = has_spelled_digits(low)
    digit = spelled or _DIGIT.search(low)
    if digit and any(map(low.__contains__, MORE_STEMS)):
        return True
    digits = spelled or _DIGITS.search(low)
    return bool(digits) and any(map(low.__contains__, LOCK_STEMS))


def has_spelled_digits(low: str) -> bool:
    """Return whether a text, in small letters, has three words for digits in a row."""
    words = low.split()
    if DIGIT_WORDS.isdisjoint(words) and "," not in low:
        return False
    words = low.replace(",", " ").replace("-", " ").split()
    if DIGIT_WORDS.isdisjoint(words):
        return False
    digits = "".join(["1" if word in DIGIT_WORDS else " " for word in words])
    return "111" in digits


def key_of(issuer: str) -> str:
    """What a key is called that is known by its issuer's name beside it."""
    return f"{issuer.capitalize()} key"


def words_of(column: str) -> set[str]:
    """The words of a column; accents may be missing."""
    plain = column.lower()
    bare = unicodedata.normalize("NFD", plain.translate(_STROKES))
    bare = "".join(char for char in bare if not unicodedata.combining(char))
    return {word.replace("_", " ") for word in (*plain.split(), *bare.split())}


def dense(char: str) -> bool:
    """Whether it belongs to a script without blanks between words."""
    return "\u0e00" <= char <= "\u109f" or "\u3040" <= char <= "\ud7af"


def other_script(text: str) -> bool:
    """Whether it has letters that are not Latin."""
    if text.isascii():
        return False
    return any("\u0370" <= c < "\u1e00" or "\u2c00" <= c < "\ud800" for c in {*text})


def about_it(word: str) -> bool:
    """Whether the next word makes it something about a password: "token limit"."""
    return bool(_pattern("about").match(word))


def before(name: str, text: str) -> bool:
    """Whether a word of a common list stands at the end of a text."""
    return bool(_pattern(name).search(text))


def find_labels(low: str) -> Iterator[Place]:
    """The labels of a text; of those in one place the longest."""
    stems = [stem for stem in (*STEMS, *MORE_STEMS, *LOCK_STEMS) if stem in low]
    if other_script(low):
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


def _counts(label: Label, low: str, start: int) -> bool:
    """Whether a label stands alone where it must, and names no public key."""
    near = low[max(0, start - 24) : start]
    alone = not near[-1:].isalnum() or dense(near[-1]) or dense(label.word[0])
    if _VARIABLE.search(near) or before("public", near):
        return False
    if label.kind == KEY:
        return alone or label.word != "auth"
    if label.column == "user" and near.endswith("://"):
        return False
    if label.column == "lock":
        return near[-1:] != "_" and (alone or len(label.word) > 6)
    return alone or (len(label.word) >= 6 and label.column not in {"code", "user"})


def _ending(label: Label, low: str, end: int) -> str | None:
    """What is grown to a label; None where that makes it another word."""
    if dense(label.word[-1]) or not label.word[-1].isalnum():
        return ""
    found = _ENDING.match(low, end, end + 26)
    ending = "".join(takewhile(lambda char: not dense(char), found[0] if found else ""))
    short = len(label.word) < 5 or label.column in {"code", "user", "vague"}
    if ending[:1].isalpha() and (short or (label.kind == KEY and len(label.word) < 8)):
        grown = label.kind == KEY and label.word != "auth" and _GROWN.match(ending)
        inflected = ending in _INFLECTED.split() and (
            label.word != "pin" or ending not in "aein"
        )
        if not grown and not inflected:
            return None
    other = (
        "_" in ending if label.column == "lock" else _pattern("about").search(ending)
    )
    return None if other else ending


@cache
def _with(stem: str) -> list[Label]:
    """Labels that have a stem in them; in other scripts than ours, for none."""
    labels = table().labels
    if not stem:
        return [label for label in labels if other_script(label.word)]
    return [label for label in labels if stem in label.word]


@cache
def _pattern(name: str) -> re.Pattern[str]:
    if name == "about":
        return re.compile(data("labels.toml")[name])
    words = "|".join(map(re.escape, sorted(table().common[name], key=len)[::-1]))
    return re.compile(rf"(?:{words})[\w-]{{0,3}}[ _-]?\Z")


@cache
def table() -> LabelTable:
    """The table, made ready when a text first has need of it."""
    known = data("labels.toml")
    common = {name: frozenset(words_of(row)) for name, row in known["common"].items()}
    rows = [
        {name: words_of(row) for name, row in tongue.items()}
        for tongue in languages().values()
    ]
    for name in ("lock", "network", "by"):
        common[name] = frozenset(w for row in rows for w in row.get(name, ()))
    common["things"] |= {w for w in common["lock"] if len(w) > 2 or dense(w[0])}
    joins = {word for row in rows for word in row.get("is", ())} - common["ambiguous"]
    labels: dict[str, Label] = {}
    for column in COLUMNS:
        for row in rows:
            own = frozenset(row.get("is", set()) - joins)
            for word in row.get(column, ()):
                label = labels.setdefault(word, Label(word, column, own))
                labels[word] = label._replace(joins=label.joins | own)
    none, words = (
        frozenset(words_of(" ".join(known[name].values())))
        for name in ("none", "words")
    )
    return LabelTable(tuple(labels.values()), frozenset(joins), none, words, common)
