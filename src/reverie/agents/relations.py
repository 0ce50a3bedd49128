"""Verbs and roles that relate a thing to one other at a time, and those that do not."""

from __future__ import annotations

from reverie.agents.phrases import stems_in, words_in
from reverie.index.words import stems

DONE = words_in("""
    kept held built made led run set done bought sold sent paid found put taught told
    hung shown drawn grown bound wrapped lit read
""")
ADDING = stems_in("""
    used tested reviewed supported affected blocked mentioned included linked connected
    integrated interested involved loved liked known needed required exposed visited
    attended listed seen covered shared discussed described presented played read
    translated quoted cited taken given followed joined inspired influenced motivated
    annoyed worried excited impressed bored scared even often broken open allowed
    forbidden invited excluded enabled disabled asked available sent compared related
    similar
""")
"""What may be done with the same thing twice."""

ADDING_BY = stems_in("""
    opened filed reported noticed found caused triggered raised requested sponsored
    funded backed signed endorsed audited checked seen
""")
"""What several may do with the same thing."""

ACTIVE = {
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
SAME_VERB = {
    stems([verb])[0]: same
    for same, table in {
        "host": "deploy host run",
        "store": "store keep save",
        "where": "locate situate base happen headquarter hold",
        "made": "write implement build code program",
    }.items()
    for verb in table.split()
}
AS_ROLE = {
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
ROLES = {
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
ROLE_VERBS = {
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
ROLE_STEMS = {
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
CHOOSING = words_in("uses use prefers prefer takes take picks pick chooses choose")
PUTTING = words_in("""
    tracks track stores store keeps keep documents document hosts host archives archive
    publishes publish plans plan writes write drafts draft saves save manages files
""")
VERBS = (
    frozenset(ROLE_VERBS)
    | CHOOSING
    | PUTTING
    | words_in("""
        runs run sits sit listens listen deploys deploy
        reports belongs belong publishes pushes push logs log points point defaults
        default resolves resolve redirects redirect happens happen stands stand parks
        banks studies works work trains falls boots boot comes come stems hails ships
        serves acts attends attend builds starts start begins begin
    """)
)
