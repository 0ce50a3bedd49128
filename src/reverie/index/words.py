"""The words of a text as the index knows them: lower-cased, stemmed, telling ones."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+")

_STOP = """
    a an the this that these those some
    i me my we our us you your he him his she her it its they them their
    am is are was were be been being do does did have has had
    can could will would should shall may might must
    and or but if so than then as of in on at to for from by with into
    what when where which who whom whose why how there
    s t m re ve d ll
"""
STOP_WORDS = frozenset(_STOP.split())
"""Words that stand in every other sentence and tell nothing apart."""


_FORMS = """
    be:was,were,been become:became begin:began,begun bite:bit,bitten blow:blew,blown
    break:broke,broken bring:brought build:built buy:bought catch:caught
    choose:chose,chosen come:came deal:dealt dig:dug draw:drew,drawn drink:drank,drunk
    drive:drove,driven eat:ate,eaten fall:fell,fallen feed:fed feel:felt fight:fought
    find:found fly:flew,flown forget:forgot,forgotten forgive:forgave,forgiven
    freeze:froze,frozen get:got,gotten give:gave,given go:went,gone grow:grew,grown
    hang:hung hear:heard hide:hid,hidden hold:held keep:kept know:knew,known lead:led
    leave:left lend:lent lose:lost make:made mean:meant meet:met pay:paid
    ride:rode,ridden ring:rang,rung rise:rose,risen run:ran say:said see:saw,seen
    sell:sold send:sent shake:shook,shaken shoot:shot show:shown sing:sang,sung
    sink:sank,sunk sit:sat sleep:slept speak:spoke,spoken spend:spent stand:stood
    steal:stole,stolen stick:stuck swear:swore,sworn swim:swam,swum take:took,taken
    teach:taught tell:told think:thought throw:threw,thrown understand:understood
    wake:woke,woken wear:wore,worn win:won write:wrote,written
    child:children foot:feet man:men mouse:mice person:people tooth:teeth woman:women
    wife:wives life:lives knife:knives leaf:leaves
"""
_IRREGULAR = {
    form: base
    for base, _, forms in (entry.partition(":") for entry in _FORMS.split())
    for form in forms.split(",")
}
"""Forms that no rule of stemming brings back to their word."""

MOST_KNOWN = 100_000
"""Stems that are kept, because the same words come again and again."""

_KNOWN: dict[str, str] = {}


def words(text: str) -> list[str]:
    """The words of a text in lower case, in order."""
    return _WORD.findall(text.lower())


def terms(text: str) -> list[str]:
    """The stems of a text's telling words, in order."""
    return stems(word for word in words(text) if word not in STOP_WORDS)


def stems(found: Iterable[str]) -> list[str]:
    """The stems of some lower-case words."""
    known = [_KNOWN.get(word) or _stem(word) for word in found]
    if len(_KNOWN) > MOST_KNOWN:
        _KNOWN.clear()
    return known


def _stem(word: str) -> str:
    stem = _KNOWN[word] = _stemmer().stemWord(_IRREGULAR.get(word, word))
    return stem


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802 - its name


@lru_cache(maxsize=1)
def _stemmer() -> _Stemmer:
    import Stemmer  # noqa: PLC0415 - only who searches pays for it

    made: _Stemmer = Stemmer.Stemmer("english")
    return made
