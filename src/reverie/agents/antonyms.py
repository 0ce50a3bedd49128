"""Words of which only one can hold: `open` and `closed`, `signed` and `unsigned`."""

from __future__ import annotations

from reverie.agents.phrases import words_in
from reverie.index.words import stems

SHORTEST = 4
"""So many letters a word has that may be denied by what is put before it."""


def exclude_each_other(one: str, other: str) -> bool:
    """Whether two stems are opposites wherever they stand."""
    return bool(_GROUPS.get(one, _NONE) & _GROUPS.get(other, _NONE))


def are_rival_tastes(one: str, other: str) -> bool:
    """Whether two stems are opposites for somebody who prefers one of them."""
    return bool(_TASTES.get(one, _NONE) & _TASTES.get(other, _NONE))


def are_rivals(one: str, other: str) -> bool:
    """Whether two stems name two things of a sort, of which somebody prefers one."""
    return bool(_RIVALS.get(one, _NONE) & _RIVALS.get(other, _NONE))


def are_replacements(one: str, other: str) -> bool:
    """Whether two stems name two things of which one is used instead of the other."""
    return bool(_SOLE.get(one, _NONE) & _SOLE.get(other, _NONE))


def is_denied_by(one: str, other: str) -> bool:
    """Whether two words are one, and the same denied: `mutable`, `immutable`."""
    return _denies(one, other) or _denies(other, one)


def _denies(longer: str, word: str) -> bool:
    """`unsigned` and `signed`, `careless` and `careful`."""
    if longer.endswith("less") and word.endswith("ful"):
        return longer[:-4] == word[:-3]
    before = longer.removesuffix(word)
    told = len(word) >= SHORTEST and before != longer
    return told and before in _PREFIXES and longer not in _NOT_DENIED


def _grouped(table: str) -> dict[str, frozenset[int]]:
    """For each word the lines it stands on; two on one line exclude each other."""
    groups: dict[str, set[int]] = {}
    for number, line in enumerate(table.strip().splitlines()):
        for stem in stems(line.split()):
            groups.setdefault(stem, set()).add(number)
    return {stem: frozenset(found) for stem, found in groups.items()}


_NONE: frozenset[int] = frozenset()
_PREFIXES = frozenset(("un", "in", "im", "ir", "il", "non", "dis", "a", "de", "mis"))
_NOT_DENIED = words_in("""
    inside import imported imports inform informed income intake impress impressed
    improve improved improves invaluable define defined design designed depart
    decode implant along around aside await awaits award awarded aware install
    installed instance district display displayed index invest invested defend
    detail detailed until deliver delivered inaction invoice involved involves
    increase increased depends deposit deserve describe described debate debated
    decrease decreased
""")
"""Words that only look as if they denied another."""

_GROUPS = _grouped("""
    passed failed
    passing failing broken
    succeeded failed
    successful failed unsuccessful
    before after
    accepted rejected declined refused denied
    approved rejected declined refused denied
    granted denied refused revoked
    allowed forbidden prohibited banned blocked
    permitted forbidden prohibited banned
    enabled disabled
    activated deactivated
    mandatory optional voluntary
    required optional
    compulsory optional voluntary
    public private secret
    internal external
    open closed shut
    green red broken failing
    works broken
    working broken
    online offline
    online inperson
    remote inperson
    remotely onsite
    alphastage betastage previewstage productionstage
    up down
    on off
    active inactive dormant
    alive dead
    present absent
    available unavailable
    reachable unreachable down
    paid unpaid free
    signed unsigned
    merged unmerged
    done unfinished pending paused cancelled open
    finished pending ongoing
    finished started
    confirmed cancelled
    held cancelled
    punctual late delayed overdue
    synchronous asynchronous
    encrypted unencrypted plaintext
    increased decreased
    increased fell
    increased dropped
    increases decreases
    rose fell
    rises falls
    rising falling
    grew shrank
    growing shrinking
    gained lost
    won lost
    improved worsened
    higher lower
    faster slower
    more less
    better worse
    earlier later
    larger smaller
    bigger smaller
    longer shorter
    older newer
    older younger
    cheaper pricier
    manual automatic automated
    manually automatically
    daily weekly monthly yearly hourly nightly quarterly biweekly annually
    metric imperial
    fulltime parttime
    permanent temporary
    vegetarian vegan omnivore
    married divorced single widowed
    left right
    lefthanded righthanded
    indoors outdoors
    stable unstable flaky
    safe unsafe dangerous
    secure insecure vulnerable
    compatible incompatible
    valid invalid expired
    known unknown
    supported unsupported deprecated
    fast slow
    quick slow
    early late
    full empty
    always never
    hot cold
    warm cold
    wet dry
    noisy quiet
    loud quiet
    busy idle
    busy free
    occupied vacant free
    taken vacant free
    filled vacant
    clean dirty
    light heavy
    rich poor
    cheap expensive
    strong weak
    easy hard difficult
    simple complicated complex
    happy unhappy sad
    satisfied dissatisfied unhappy
    healthy sick ill
    awake asleep
    right wrong
    correct wrong incorrect
    true false
    odd even
    locked unlocked
    visible hidden
    included excluded
    includes excludes
    accepts rejects
    allows forbids
    permits forbids
    requires forbids
    respects ignores
    follows ignores
    encourages discourages
    loves hates
    likes hates
    likes dislikes
    trusts distrusts
    supports opposes
    agrees disagrees
    attends skips
    keeps deletes
    keeps discards
    remembers forgets
    starts stops
    begins ends
    joined left
    hired fired
    arrived departed
    buys sells rents
    owns rents leases
    centralised distributed decentralised
    shared separate
    shared dedicated
    horizontal vertical
    ascending descending
    static dynamic
    strict lenient
    strict loose
    mutable readonly
    writable readonly editable
    youngest oldest
    largest smallest
    biggest smallest
    highest lowest
    fastest slowest
    best worst
    earliest latest
    newest oldest
    cheapest dearest
    day night
    opaque transparent
    beginner expert
    novice expert
    introvert extrovert
    optimist pessimist
    junior senior
    first last
    minimum maximum
    majority minority
    upstream downstream
    inbound outbound
    incoming outgoing
    domestic foreign
    urban rural
    legal illegal
    formal informal casual
    train bus tram metro bike car foot ferry plane
    stateful stateless
    monolith microservices
    reliable flaky
    blocking nonblocking
    opensource proprietary
    unlimited limited
    refundable nonrefundable
    retired employed unemployed
    pinned floating
    hosted selfhosted
    alphabetical chronological
""")
_TASTES = _grouped("""
    short long
    brief detailed long
    concise verbose detailed
    dark light
    big small
    large small
    hot cold
    loud quiet
    formal informal casual
    morning evening afternoon
    mornings evenings afternoons
    sweet savoury
    written spoken
    tabs spaces
    window aisle
    paper digital
    early late
    warm cold
    single double
    serif sans
    red blue green yellow orange purple black white grey
    bright dark
    few many
    british american
    english german french italian spanish portuguese polish dutch
    still sparkling
    metric imperial
""")
_SOLE = _grouped("""
    postgresql mysql mariadb oracle sqlite mssql cockroachdb
    npm yarn pnpm bun
    pip poetry uv pipenv conda
    maven gradle bazel
    rest graphql grpc soap
    scrum kanban waterfall
    react vue angular svelte
    django flask fastapi rails laravel
    jenkins circleci travis buildkite teamcity
    jira linear trello asana
    git mercurial subversion svn
    webpack vite parcel rollup
    tabs spaces
    bash zsh fish powershell
    terraform pulumi cloudformation
    oauth saml ldap
    celsius fahrenheit
""")
"""Things of a sort, of which one is in use at a time."""

_RIVALS = _grouped("""
    tea coffee
    vim emacs vscode nano
    cats dogs
    phone email chat
    calls emails messages
    train plane
    trains flights
    remote office
    markdown html pdf
    bullets prose
    lists prose
    snakecase camelcase
    merge rebase squash
""")
OUTCOMES = frozenset(
    stem
    for line in (
        "passed failed succeeded accepted rejected declined refused denied",
        "approved granted increased decreased rose fell dropped grew shrank gained",
        "lost won improved worsened up down held cancelled",
    )
    for stem in stems(line.split())
)
"""How something that happened ended; it ends one way."""
