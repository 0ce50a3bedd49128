"""The tables of phrases, one file a language, made into patterns.

In a table `[a]` may be left out, `a/b` is either word (with `_` for a blank inside),
`…` stands for what the phrase is about, and a phrase that ends with `.` ends its
sentence. Accents, capitals and apostrophes do not matter.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.encoding.triggers.mask import MASK, plain
from reverie.model.route import TriggerKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.config import TriggersConfig

KINDS = {
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

OWN = ("remember", "forget", "search", "reflect", "farewell")
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
    return f"{front}{made}{back}{'()' if alone else ''}"


class Tables:
    """The tables of a workspace, and a quick look at which of their lists may matter.

    Args:
        every: The lists of each table.
    """

    def __init__(self, every: list[dict[str, list[str]]]) -> None:
        self.tables = tuple(map(PhraseTable, every))
        self._words: dict[str, list[tuple[list[set[str]], tuple[int, str]]]] = {}
        pieces: dict[str, set[tuple[int, str]]] = {}
        for number, lists in enumerate(every):
            for name in KINDS:
                for phrase in lists.get(name, ()):
                    must = list(_must(phrase))
                    if re.search(f"[{_WIDE}]", phrase):
                        best = max(must, key=lambda ways: min(map(len, ways)))
                        for piece in best:
                            pieces.setdefault(piece, set()).add((number, name))
                        continue
                    must.sort(key=lambda ways: min(map(len, ways)))
                    for word in must[-1]:
                        entry = (must[:-1], (number, name))
                        self._words.setdefault(word, []).append(entry)
        self._pieces: dict[str, set[tuple[int, str]]] = {}
        for piece, lists_of in sorted(pieces.items(), key=lambda one: len(one[0])):
            short = next((known for known in self._pieces if known in piece), piece)
            self._pieces.setdefault(short, set()).update(lists_of)

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


def _read(language: str) -> dict[str, list[str]]:
    text = Path(__file__).with_name(f"{language}.toml").read_text(encoding="utf-8")
    return {
        name: [" ".join(one.split()) for one in plain(entries).split(",")]
        for name, entries in tomllib.loads(text).items()
    }


def _own(phrase: str) -> str:
    """A phrase of a workspace: what is a sign in a table is none in it."""
    words = re.sub(r"[\[\]/_<>,]|\.(?=\s|\Z)", " ", phrase.replace("...", GAP))
    return " ".join(plain(words).split())
