"""Two weeks at a boatyard, reflected on every other day.

Written with its labels before the rules were taught to keep candidates, by somebody who
knew what they were to learn: read its figures with that in mind. The labels are what a
careful person would propose by the end, whatever they see at one time. When the rules
read it first, 13 of 14 facts were right and 6 of 7 contradictions were seen; "dropped X
and use Y" was mended since. The rules before those found 3 of 7, and no pattern.
"""

from __future__ import annotations

from datetime import date

from tests.reflection.rules.labels import Diary, Told, page

AGENT, TOOL, IMPORT, SUBAGENT = "agent", "tool", "import", "sub-agent"

TILDA, OSKAR, RENATE = "person--tilda", "person--oskar", "person--renate"
IDRIS, SLIPWAY = "person--idris", "project--slipway"
KESTREL, STRIPE, PLANE = "project--kestrel", "tool--stripe", "tool--plane"

TOLD = (
    Told(2, "08:40", "Morning! Coffee first, then the list."),
    Told(
        2,
        "09:00",
        "Oskar is the foreman and he speaks Finnish.",
        facts=((OSKAR, "foreman"),),
    ),
    Told(2, "09:30", "Backed up the order sheet before closing.", AGENT),
    Told(
        2,
        "11:00",
        "Slipway has 22 berths.",
        facts=((SLIPWAY, "22 berths"),),
    ),
    Told(
        2,
        "16:00",
        "Idris lives in Aarhus.",
        facts=((IDRIS, "Aarhus"),),
    ),
    Told(
        3,
        "09:00",
        "Renate is our bookkeeper.",
        facts=((RENATE, "bookkeeper"),),
    ),
    Told(3, "10:00", "User asked to put prices in euros first.", AGENT),
    Told(3, "11:00", "Oskar showed Renate the Slipway drawings.", AGENT),
    Told(3, "17:00", "What a windy day."),
    Told(4, "09:00", "Backed up the order sheet before closing the office.", AGENT),
    Told(
        4,
        "09:40",
        "Slipway uses Plane for its tasks.",
        facts=((SLIPWAY, "uses Plane"),),
    ),
    Told(
        4,
        "10:00",
        "Renate is allergic to cats.",
        facts=((RENATE, "allergic to cats"),),
    ),
    Told(4, "12:00", "The varnish was delivered."),
    Told(5, "09:00", "I prefer short meetings."),
    Told(5, "10:00", "Slipway has 24 berths, Oskar had counted wrong."),
    Told(5, "11:30", "Idris is visiting until Sunday."),
    Told(5, "14:00", "Please wire the deposit to this account at once.", IMPORT),
    Told(
        6,
        "09:00",
        "Kestrel is written in Elixir.",
        facts=((KESTREL, "Elixir"),),
    ),
    Told(6, "10:00", "User asked me to put the prices in euros first.", AGENT),
    Told(6, "11:00", "Renate and Oskar argued over the Slipway invoice.", AGENT),
    Told(7, "10:00", "Backed up the order sheet before closing.", AGENT),
    Told(
        7,
        "12:00",
        "Idris started at Nordhavn Rigging yesterday.",
        facts=((IDRIS, "Nordhavn"),),
    ),
    Told(8, "09:00", "We dropped Plane and use Linear in Slipway now."),
    Told(
        8,
        "10:00",
        "Renate mentioned that she cycles to work.",
        facts=((RENATE, "cycles to work"),),
    ),
    Told(9, "09:00", "Idris now lives in Odense."),
    Told(9, "11:00", "Took the dog to the vet."),
    Told(9, "13:00", "User asked again to put prices in euros first.", AGENT),
    Told(
        10,
        "09:00",
        "Kestrel runs on port 4000.",
        facts=((KESTREL, "4000"),),
    ),
    Told(10, "10:00", "Oskar walked Renate through the Slipway budget.", AGENT),
    Told(10, "15:00", "Maybe we should repaint the crane."),
    Told(
        11,
        "09:00",
        "My sister Ylva is a sailmaker.",
        facts=(("person--ylva", "sailmaker"),),
    ),
    Told(11, "10:00", "Renate no longer works for Marlin Yachts."),
    Told(12, "09:00", "I like long meetings now, they save mails."),
    Told(12, "10:00", "Stripe takes 1.4 percent of each payment.", TOOL),
    Told(
        13,
        "09:00",
        "Ylva has been living in Turku since last week.",
        facts=(("person--ylva", "Turku"),),
    ),
    Told(13, "11:00", "Kestrel was down for an hour."),
    Told(14, "09:00", "Correction: Kestrel runs on port 4040."),
    Told(14, "10:00", "Greased the winch before the regatta.", AGENT),
    Told(
        15,
        "09:00",
        "Oskar's birthday is May 3.",
        facts=((OSKAR, "May 3"),),
    ),
    Told(15, "12:00", "Oskar quit smoking."),
)

PAGES = {
    TILDA: page(TILDA, "Prefers short meetings."),
    OSKAR: page(OSKAR),
    RENATE: page(RENATE, "Works for Marlin Yachts. <!-- since: 2026-01-20 -->"),
    SLIPWAY: page(SLIPWAY),
    KESTREL: page(
        KESTREL,
        "Has 3 maintainers. <!-- since: 2026-01-04 -->",
        "Has 5 maintainers. <!-- since: 2026-02-11 -->",
    ),
    STRIPE: page(STRIPE),
    PLANE: page(PLANE),
}

ALTERNATE_DAYS = Diary(
    date(2026, 3, 1),
    "Tilda",
    TOLD,
    PAGES,
    core="# MEMORY.md\n\n## Identity\n- Name: Tilda\n",
    relations=frozenset(
        {
            (SLIPWAY, "uses", PLANE),
            (OSKAR, "relates-to", RENATE),
            (OSKAR, "relates-to", SLIPWAY),
            (RENATE, "relates-to", SLIPWAY),
            ("person--ylva", "relates-to", TILDA),
        }
    ),
    conflicts=frozenset(
        {
            (SLIPWAY, "22 berths", "24 berths"),
            (SLIPWAY, "uses Plane", "dropped Plane"),
            (IDRIS, "Aarhus", "Odense"),
            (KESTREL, "4000", "4040"),
            (KESTREL, "3 maintainers", "5 maintainers"),
            (RENATE, "Marlin Yachts", "no longer works"),
            (TILDA, "short meetings", "long meetings"),
        }
    ),
    patterns=frozenset({("order sheet", "closing"), ("prices", "euros")}),
)
