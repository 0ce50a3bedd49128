"""What something has one of: its owner, its place, its name, what it is made with.

A statement is split at its verb into what it is about, the relation and the value.
Where the relation holds one value at a time, two values exclude each other. What adds
up (`works with`, `depends on`) is no such relation, so only those that are known to
hold one are read; a thing that *is done* somewhere or by somebody counts as one, unless
it may be done twice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from reverie.agents.phrases import bag_of, words_in
from reverie.index.words import stems

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LONGEST_VALUE = 4
"""So many words may name an owner or a place."""

LONGEST_FRAME = 40
"""So many words of a sentence are read."""


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


def slots_of(text: str) -> tuple[Slot, ...]:
    """What a statement says something has one of."""
    plain = _SAYINGS.sub("is", text).replace("home town", "hometown")
    plain = plain.replace(" carried out by ", " done by ")
    said = [word.strip(_MARKS) for word in plain.split()[:LONGEST_FRAME]]
    told = [word for word in said if word and word.lower() not in _ADVERBS]
    low = [word.lower() for word in told]
    at = _verb(low)
    if not at or " and " in f" {' '.join(low)} ":
        return ()
    found = _Split(told[:at], low[at], told[at + 1 :])
    return tuple(slot for slot in _slots(found) if slot.subject and slot.value)


class _Split(NamedTuple):
    """A statement around its verb."""

    subject: Sequence[str]
    verb: str
    rest: Sequence[str]

    def low(self, at: int) -> str:
        return self.rest[at].lower() if at < len(self.rest) else ""


def _verb(low: Sequence[str]) -> int:
    """Where the first verb is that is known here; 0 if there is none."""
    for n, word in enumerate(low[1:], start=1):
        then = low[n + 1] if n + 1 < len(low) else ""
        if word in _BE and (word not in _MODAL or then in ("be", "been")):
            return n
        noun = low[n - 1] in _BEFORE_NOUN or then in _BE
        if word in _VERBS and not noun:
            return n
    return 0


def _slots(found: _Split) -> Iterator[Slot]:
    if found.verb in _BE:
        yield from _being(_settled(found))
    elif found.verb in _ROLE_VERBS:
        yield from _held(found, _ROLE_VERBS[found.verb])
    elif found.low(0) in _PREPOSITIONS:
        yield from _placed(found, stems([found.verb])[0], active=True)
    elif found.verb in ("attends", "attend") and found.rest[-1:] in _SCHOOLS:
        yield from _valued("is", (*found.subject, "school"), found.rest)
    elif found.verb in _CHOOSING:
        yield from _chosen(found)
    elif found.verb in _PUTTING:
        yield from _put(found)
    elif found.verb in ("run", "runs") and _OWN_MACHINE & bag_of(_said(found.subject)):
        yield from _valued("is", (*found.subject, "system"), found.rest)


# --- being -------------------------------------------------------------------


def _settled(found: _Split) -> _Split:
    """`must be kept`, `will be kept` and `is being kept` without the helping verb."""
    rest = list(found.rest)
    while rest and rest[0].lower() in _HELPING:
        rest = rest[1:]
    hoped = ("should",) if found.verb == "should" else ()
    return _Split((*found.subject, *hoped), "is", rest)


def _being(found: _Split) -> Iterator[Slot]:
    first = found.low(0)
    if first in ("called", "named") and found.low(1) != "off":
        yield from _valued("is", (*found.subject, "name"), found.rest[1:])
    elif first in _FOR_ROLE:
        yield from _held(found._replace(rest=found.rest[2:]), "own")
    elif found.low(1) in _PREPOSITIONS and _is_done(first):
        rest = found._replace(rest=found.rest[1:])
        yield from _placed(rest, stems([first])[0], active=False)
    elif first in _PLACES:
        yield from _where(found)
    else:
        yield from _naming(found)


def _is_done(word: str) -> bool:
    """Whether a word says what is done with something, and with nothing else."""
    return word.endswith(("ed", "en")) or word in _DONE


def _where(found: _Split) -> Iterator[Slot]:
    """`is in Prague`, `is in the drawer`; not `is in repair`."""
    rest = found.rest[1:]
    if not rest or rest[-1].lower() in _GROUPS:
        return
    if rest[-1].lower() in _STOREYS:
        yield _slot("place", (*found.subject, "storey"), rest)
    elif _is_proper(rest[0]) or rest[-1].isdigit() or rest[0].lower() in _THE:
        # What is in the town may be on the hill.
        sort = "thing" if rest[0].lower() in _THE else "named"
        sort = "numbered" if rest[-1].isdigit() else sort
        key = (*found.subject, "where", f"where{found.low(0)}", sort)
        yield from _valued("place", key, rest)


def _is_proper(word: str) -> bool:
    """`Oslo`, `us-east-1`; not `5pm`."""
    return (
        word[:1].isupper() or ("-" in word and word[:1].isalpha()) or word in _ORDINALS
    )


def _naming(found: _Split) -> Iterator[Slot]:
    """`Our sponsor is Halden`, `Ana is the sponsor`, `Ana is a sponsor`."""
    first = found.low(0)
    if first in _THE and _is_named(found.subject):
        key = [_ROLES.get(word.lower(), word) for word in found.rest]
        yield _slot("is", key, found.subject)
    elif first in ("a", "an") and _is_named(found.subject):
        yield _slot("member", found.rest, found.subject)
    elif _is_named(found.rest) and _is_definite(found.subject):
        yield _slot("is", found.subject, found.rest)


def _is_definite(subject: Sequence[str]) -> bool:
    low = [word.lower() for word in subject]
    end = next((n for n, word in enumerate(low) if n and word in _LINKS), len(low))
    whose = any(word.endswith(("'s", "s'")) for word in low)
    several = low[end - 1] in _MANY and (whose or low[0] in ("my", "our"))
    if several or low[0] in _QUANTITIES:
        return False
    return low[0] in _THE or whose or not subject[-1][:1].isupper()


def _is_named(value: Sequence[str]) -> bool:
    """Whether words are a name, or a team as good as one."""
    if not value or len(value) > LONGEST_VALUE:
        return False
    if value[-1].lower() in _GROUPS:
        return True
    names = all(word[:1].isupper() and word not in _NOT_NAMES for word in value)
    return names or value == ["A"]


# --- verbs -------------------------------------------------------------------


def _held(found: _Split, role: str) -> Iterator[Slot]:
    """`Maya owns the service`: who it is stands before the verb."""
    if len(found.subject) <= LONGEST_VALUE and found.rest:
        yield _slot("is", (*found.rest, role), found.subject)


def _placed(found: _Split, verb: str, *, active: bool) -> Iterator[Slot]:
    """`is stored in Glacier`, `runs on Jenkins`, `is led by Kofi`."""
    how = _PREPOSITIONS[found.low(0)]
    rest = found.rest[1:]
    if (active and (verb, how) not in _ACTIVE) or verb in _ADDING:
        return
    if how == "by" and verb in _ADDING_BY:
        return
    if how == "by" and verb in _ROLE_STEMS:
        yield from _valued("is", (*found.subject, _ROLE_STEMS[verb]), rest)
    elif (verb, how) in _AS_ROLE:
        yield from _valued("is", (*found.subject, _AS_ROLE[verb, how]), rest)
    else:
        yield from _at(found, verb, how)


def _at(found: _Split, verb: str, how: str) -> Iterator[Slot]:
    same, rest = _SAME_VERB.get(verb, verb), found.rest[1:]
    if same == "where":
        yield from _where(found)
        return
    # What is kept in Oslo may be kept on tape.
    at = (f"where{found.low(0)}",) if how == "place" else ()
    yield from _valued(how, (*found.subject, same, *at), rest)
    if verb == "deploy":
        yield from _valued(how, (*found.subject, verb), rest)


def _chosen(found: _Split) -> Iterator[Slot]:
    """`uses Redis as the cache`, `prefers calls for urgent matters`."""
    low = [word.lower() for word in found.rest]
    for n, word in enumerate(low[1:-1], start=1):
        if word in ("instead", "rather"):
            # Who uses this instead of that cannot use that instead of this.
            yield _slot("is", (*found.subject, *found.rest), found.rest[:n])
            return
        if word in ("as", "for", "when"):
            key = (*found.subject, found.verb, *found.rest[n:])
            yield from _valued("is", key, found.rest[:n])
            return
        if word in ("in", "by", "via", "as") and found.verb.startswith("prefer"):
            key = (*found.subject, found.verb, *found.rest[:n], f"where{word}")
            yield from _valued("is", key, found.rest[n + 1 :])
            return


def _put(found: _Split) -> Iterator[Slot]:
    """`tracks issues in Jira`."""
    low = [word.lower() for word in found.rest]
    for n, word in enumerate(low[1:-1], start=1):
        how = _PREPOSITIONS.get(word)
        if how in ("place", "with") and found.rest[n + 1][:1].isupper():
            key = (*found.subject, found.verb, *found.rest[:n])
            yield from _valued("place", key, found.rest[n + 1 :])
            return


# --- values ------------------------------------------------------------------


def _valued(what: str, key: Sequence[str], rest: Sequence[str]) -> Iterator[Slot]:
    """A value, and what limits it: `… in Oslo for guests` is about guests."""
    low = [word.lower() for word in rest]
    ends = (n for n, word in enumerate(low) if n and word in _LIMITS)
    end = next(ends, len(rest))
    value = rest[:end]
    if value and end <= LONGEST_VALUE + 1 and low[0] not in _QUANTITIES:
        yield _slot(what, (*key, *rest[end:]), value)


def _slot(what: str, key: Sequence[str], value: Sequence[str]) -> Slot:
    low = [_ROLES.get(word.lower(), word) for word in key]
    subject = bag_of(_said(low))
    sole = "only" in subject
    # The blood type may be A.
    named = bag_of(_said(value)) or frozenset(word.lower() for word in value)
    return Slot(what, subject - {"only"}, named, _said(value), sole)


def _said(told: Sequence[str]) -> str:
    return " ".join(told)


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
    return not first[:1].isupper() and first not in _THE


def _stemmed(table: str) -> frozenset[str]:
    return frozenset(stems(table.split()))


_SAYINGS = re.compile(
    r"\b(?:takes? place|will take place|(?:prefers|wants|likes) to be"
    r"|lives?(?= (?:in|on|under) the [a-z]))(?= )"
)
_MARKS = '.,;:!()"`*_'
_ADVERBS = words_in("""
    now currently still already always just actually really today again please
    officially exclusively normally generally by-default
""")
_MODAL = words_in("must should shall will has have")
_BE = words_in("is are was were am") | _MODAL
_HELPING = words_in("be been being not")
_THE = words_in("the our my your its their his her this")
_BEFORE_NOUN = _THE | words_in("a an of in on at for to by with from each every no")
_NOT_NAMES = words_in("The A An Our My I We This")
_QUANTITIES = words_in("""
    a an some any every each several many most few all both half part two three four
    five six seven eight nine ten more less other another one
""")
_PREPOSITIONS = {
    **dict.fromkeys(("in", "on", "at", "inside", "under", "within"), "place"),
    **dict.fromkeys(("into", "onto", "to"), "place"),
    **dict.fromkeys(("with", "using", "via", "through"), "with"),
    "by": "by",
    "as": "as",
    "from": "from",
    "for": "for",
}
_LINKS = words_in("of for in at on to with")
_PLACES = words_in("in on at inside under")
_LIMITS = words_in("""
    in on at for during since after before until from with by to as when while because
    if per where which that via instead unless except but or than within
""")
_ORDINALS = words_in("""
    first second third fourth fifth sixth seventh eighth ninth tenth
""")
_STOREYS = words_in("floor storey basement attic cellar roof")
_GROUPS = words_in("team group department squad guild board committee crew")
_FOR_ROLE = words_in("responsible accountable")
_DONE = words_in("""
    kept held built made led run set done bought sold sent paid found put taught told
    hung shown drawn grown bound wrapped lit read
""")
_ADDING = _stemmed("""
    used tested reviewed supported affected blocked mentioned included linked connected
    integrated interested involved loved liked known needed required exposed visited
    attended listed seen covered shared discussed described presented played read
    translated quoted cited taken given followed joined inspired influenced motivated
    annoyed worried excited impressed bored scared even often broken open allowed
    forbidden invited excluded enabled disabled asked available sent compared related
    similar
""")
"""What may be done with the same thing twice."""

_ADDING_BY = _stemmed("""
    opened filed reported noticed found caused triggered raised requested sponsored
    funded backed signed endorsed audited checked seen
""")
"""What several may do with the same thing."""

_ACTIVE = {
    (stems([verb])[0], how)
    for how, table in {
        "place": """
            run sits listen deploy report belong publish push log point
            default resolve redirect happen stand park bank study train falls
            boot
        """,
        "from": "come stem hail ship boot",
        "as": "work serve act",
        "with": "bank build ship run start begin",
        "for": "work stand",
    }.items()
    for verb in table.split()
}
_SAME_VERB = {
    stems([verb])[0]: same
    for same, table in {
        "host": "deploy host run",
        "store": "store keep save",
        "where": "locate situate base happen headquarter hold",
        "made": "write implement build code program",
    }.items()
    for verb in table.split()
}
_AS_ROLE = {
    (stems([verb])[0], how): role
    for verb, how, role in (
        ("report", "place", "manage"),
        ("work", "for", "employ"),
        ("employ", "by", "employ"),
        ("belong", "place", "own"),
        ("assign", "place", "assign"),
        ("come", "from", "hometown"),
        ("hail", "from", "hometown"),
    )
}
_ROLES = {
    word: role
    for role, table in {
        "own": "owner",
        "lead": "leader lead head chair",
        "maintain": "maintainer",
        "manage": "manager boss supervisor",
        "found": "founder",
        "sponsor": "sponsor",
        "author": "author writer",
        "employ": "employer",
        "assign": "assignee",
        "creator": "creator",
        "hometown": "birthplace",
    }.items()
    for word in table.split()
}
_ROLE_VERBS = {
    verb: role
    for role, table in {
        "own": "owns own",
        "lead": "leads heads chairs led",
        "maintain": "maintains",
        "manage": "manages",
        "found": "founded",
        "sponsor": "sponsors",
        "author": "authored",
        "handle": "handles",
        "oversee": "oversees supervises directs",
        "coordinate": "coordinates",
        "moderate": "moderates",
    }.items()
    for verb in table.split()
}
_ROLE_STEMS = {
    stems([verb])[0]: role
    for verb, role in {
        "owned": "own",
        "led": "lead",
        "headed": "lead",
        "chaired": "lead",
        "maintained": "maintain",
        "managed": "manage",
        "run": "manage",
        "founded": "found",
        "written": "author",
        "authored": "author",
        "handled": "handle",
        "supervised": "oversee",
        "directed": "oversee",
        "coordinated": "coordinate",
        "moderated": "moderate",
        "assigned": "assign",
    }.items()
}
_CHOOSING = words_in("uses use prefers prefer takes take picks pick chooses choose")
_PUTTING = words_in("""
    tracks track stores store keeps keep documents document hosts host archives archive
    publishes publish plans plan writes write drafts draft saves save manages files
""")
_VERBS = (
    frozenset(_ROLE_VERBS)
    | _CHOOSING
    | _PUTTING
    | words_in("""
        runs run sits sit listens listen deploys deploy
        reports belongs belong publishes pushes push logs log points point defaults
        default resolves resolve redirects redirect happens happen stands stand parks
        banks studies works work trains falls boots boot comes come stems hails ships
        serves acts attends attend builds starts start begins begin
    """)
)
_MANY = words_in("""
    brother sister sibling friend cousin uncle aunt son daughter child colleague
    neighbour neighbor cat dog pet student customer client member partner supplier team
    car bike hobby instrument
""")
"""What somebody may have several of."""

_SCHOOLS = (["school"], ["university"], ["college"], ["academy"], ["kindergarten"])
_OWN_MACHINE = _stemmed("laptop computer phone machine desktop notebook tablet pc")
_SYSTEMS = _stemmed("linux macos windows android ios mac ubuntu debian fedora bsd")
_MEANS = words_in("SMS MMS RSS API FTP PIN DHL")
_FORMS = _stemmed("format form notation style mode")
_TIMES = _stemmed("""
    night morning evening afternoon noon midnight weekend weekday summer winter spring
    autumn monday tuesday wednesday thursday friday saturday sunday holiday time
    advance january february march april june july august september october november
    december push demand request
""")
_WIDE = _stemmed("""
    europe asia africa america germany france italy spain portugal austria
    switzerland poland norway sweden finland denmark netherlands belgium ireland
    england scotland wales britain greece turkey japan china india canada brazil
    mexico australia kenya egypt bavaria tuscany catalonia california texas
    florida scandinavia usa uk eu kingdom states
""")
_LANGUAGES = _stemmed("""
    english german french italian spanish portuguese polish dutch danish swedish
    norwegian finnish japanese chinese russian arabic hindi turkish greek
""")
