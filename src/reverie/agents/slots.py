"""What there is one of, and when two of it cannot both be."""

from __future__ import annotations

from dataclasses import dataclass

from reverie.agents.phrases import stems_in, words_in


@dataclass(frozen=True, slots=True)
class Slot:
    """One thing that something has one of.

    Attributes:
        what: How it is told: `is`, `by`, `place`, `with`, `member`.
        subject: The stems of whose it is, and of what relates them.
        value: The stems of what that is.
        said: The same as written.
        sole: Whether it is said to be the only one.
    """

    what: str
    subject: frozenset[str]
    value: frozenset[str]
    said: str
    sole: bool = False


def exclude(one: Slot, other: Slot) -> bool:
    """Whether two slots name two of what there is one of."""
    if one.subject != other.subject:
        return False
    if one.value <= other.value or other.value <= one.value:
        return False
    if one.what != other.what:
        return {one.what, other.what} == {"is", "member"} and (one.sole or other.sole)
    return one.what != "member" and _of_one_sort(one, other)


def _of_one_sort(one: Slot, other: Slot) -> bool:
    """Whether two values are comparable: a town lies in its country, a day nowhere."""
    if (one.value | other.value) & _TIMES:
        return False
    if _has_digits(one) is not _has_digits(other) and one.what == "is":
        return False
    sorts = (_LANGUAGES, _FORMS) if _has_digits(one) else (_LANGUAGES, _FORMS, _WIDE)
    for sort in sorts:
        if bool(one.value & sort) is not bool(other.value & sort):
            return False
    if one.what == "by":
        return _is_means(one) is _is_means(other)
    # What runs on one system may run on another as well.
    return one.what != "place" or not (one.value | other.value) & _SYSTEMS


def _has_digits(slot: Slot) -> bool:
    return any(map(str.isdigit, slot.said))


def _is_means(slot: Slot) -> bool:
    """`by email`, and not `by Ana` or `by the team`."""
    first = slot.said.partition(" ")[0]
    if first.isupper():
        return slot.said in _MEANS
    return not first[:1].isupper() and first not in _DETERMINERS


_DETERMINERS = words_in("the our my your its their his her this")
_SYSTEMS = stems_in("linux macos windows android ios mac ubuntu debian fedora bsd")
_MEANS = words_in("SMS MMS RSS API FTP PIN DHL")
_FORMS = stems_in("format form notation style mode")
_TIMES = stems_in("""
    night morning evening afternoon noon midnight weekend weekday summer winter spring
    autumn monday tuesday wednesday thursday friday saturday sunday holiday time
    advance january february march april june july august september october november
    december push demand request
""")
_WIDE = stems_in("""
    europe asia africa america germany france italy spain portugal austria
    switzerland poland norway sweden finland denmark netherlands belgium ireland
    england scotland wales britain greece turkey japan china india canada brazil
    mexico australia kenya egypt bavaria tuscany catalonia california texas
    florida scandinavia usa uk eu kingdom states
""")
_LANGUAGES = stems_in("""
    english german french italian spanish portuguese polish dutch danish swedish
    norwegian finnish japanese chinese russian arabic hindi turkish greek
""")
