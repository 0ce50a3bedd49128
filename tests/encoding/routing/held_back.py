"""Labelled sentences that were held back while the rules were written.

They were written down before any rule existed. When the rules read them first, 118 of
123 came out right in every respect; plain mistakes that showed were mended since.
"""

from __future__ import annotations

from tests.encoding.routing.labels import (
    core,
    correction,
    decision,
    event,
    fact,
    feeling,
    howto,
    likes,
    task,
    unsure,
    vault,
)

HELD_BACK = (
    # people
    fact(
        "Alex works for Meridian Labs.",
        "person--alex",
        "person--alex relates-to concept--meridian-labs",
    ),
    fact(
        "Dr. Okafor is my dentist.",
        "person--dr-okafor",
        "person--dr-okafor relates-to person--user",
    ),
    fact(
        "My cousin Tomas lives in Lisbon.",
        "person--tomas",
        "person--tomas relates-to person--user",
        "person--tomas relates-to place--lisbon",
    ),
    fact("Ingrid speaks Danish and a little Polish.", "person--ingrid"),
    fact("Alex's birthday is on the 4th of June.", "person--alex"),
    fact(
        "Our neighbour Femi keeps a spare key for the house.",
        "person--femi",
        "person--femi relates-to person--user",
    ),
    fact(
        "Wanda is married to Piotr.",
        "person--wanda",
        "person--wanda relates-to person--piotr",
    ),
    fact("Yuki's phone number is 555 0134.", "person--yuki"),
    fact(
        "My son Leo is allergic to peanuts.",
        "person--leo",
        "person--leo relates-to person--user",
        core=True,
    ),
    fact("Grandma has a pacemaker.", "person--grandma"),
    fact(
        "Marta is the project lead for Atlas.",
        "person--marta",
        "person--marta relates-to project--atlas",
    ),
    fact(
        "Hassan maintains Atlas.",
        "person--hassan",
        "person--hassan develops project--atlas",
    ),
    # things and places
    fact("Atlas is written in Go.", "project--atlas", "project--atlas uses tool--go"),
    fact("The rate limit of Atlas is 50 requests per second.", "project--atlas"),
    fact(
        "Atlas depends on Postgres.",
        "project--atlas",
        "project--atlas depends-on tool--postgres",
    ),
    fact(
        "Kestrel replaces the old Sparrow scheduler.",
        "concept--kestrel",
        "concept--kestrel supersedes concept--sparrow-scheduler",
    ),
    fact(
        "The bakery on Mill Street is closed on Mondays.",
        "concept--bakery",
        also="place--mill-street",
    ),
    fact("Our staging database runs on port 5433.", "concept--staging-database"),
    fact("The warranty of the dishwasher ends in 2027.", "concept--dishwasher"),
    fact(
        "Moltbot runs on Postgres.",
        "project--moltbot",
        "project--moltbot uses tool--postgres",
    ),
    fact("Lake Vessna is a reservoir.", "place--lake-vessna"),
    fact(
        "The billing module is part of Atlas.",
        "concept--billing-module",
        "concept--billing-module part-of project--atlas",
    ),
    fact("Sourdough starter should be fed twice a week.", "concept--sourdough-starter"),
    fact("Harbour Café opens at 7 on weekdays.", "place--harbour-cafe"),
    fact("The guest wifi is called Seagull.", "concept--guest-wifi"),
    fact("Basalt is a volcanic rock.", "concept--basalt"),
    fact("Redis 7.2 supports functions.", "tool--redis-7-2"),
    fact("My bike has a 21 inch frame.", "person--user"),
    fact(
        "My bank is Nordhaven Savings.",
        "person--user",
        also="concept--nordhaven-savings",
    ),
    fact("I have two cats.", "person--user"),
    # preferences
    likes("I prefer window seats on long flights.", "window-seats-on-long-flights"),
    likes("I can't stand cilantro.", "-cilantro"),
    likes("User prefers short commit messages.", "short-commit-messages"),
    likes("I really enjoy trail running.", "trail-running"),
    likes("My favourite author is Tove Lindgren.", "tove-lindgren"),
    likes("I'd rather not get calls before nine.", "-calls-before-nine"),
    likes("I'm not a fan of horror films.", "-horror-films"),
    likes("I like my eggs soft boiled.", "eggs-soft-boiled"),
    fact(
        "Alex prefers tea.",
        "person--alex",
        "person--alex prefers concept--tea",
    ),
    # the owner
    core("My name is Rosalind.", "identity"),
    core("I'm a structural engineer.", "identity"),
    core("I am in the Pacific time zone.", "identity"),
    core("My pronouns are she/her.", "identity"),
    core("My native language is Portuguese.", "identity"),
    fact("I have type 1 diabetes.", "person--user", core=True),
    fact(
        "My emergency contact is Paula, 555 0188.",
        "person--user",
        also="person--paula",
        core=True,
    ),
    core("Never send an email without showing me the draft first.", "critical", ""),
    core("Always reply in British English.", "persona", ""),
    # how-tos
    howto(
        "To renew the parking permit, log in at the city portal, upload the "
        "registration, and pay the fee.",
        "how to renew the parking permit",
    ),
    howto(
        "When the build fails on CI, clear the cache and rerun the job.",
        "when the build fails on CI",
    ),
    howto(
        "How to descale the kettle: fill it with vinegar, boil it, rinse twice.",
        "how to descale the kettle",
    ),
    howto(
        "Steps for onboarding: create an account, add to the mailing list, order "
        "a laptop.",
        "onboarding",
    ),
    howto(
        "Release checklist:\n1. Bump the version\n2. Update the changelog\n3. Tag",
        "Release checklist",
    ),
    howto(
        "Before merging, always rebase onto main.",
        "before merging",
    ),
    howto(
        "The way to restart the boiler is to hold the red button for ten seconds.",
        "how to restart the boiler",
    ),
    howto(
        "If the printer jams, open the rear tray and pull the paper out slowly.",
        "if the printer jams",
    ),
    # decisions
    decision("We decided to postpone the launch until spring."),
    decision("Agreed with Alex that reviews happen on Thursdays.", "person--alex"),
    decision("I've decided to quit the gym."),
    decision("From now on we use two-week sprints."),
    fact(
        "We chose Postgres for Atlas.",
        "project--atlas",
        "project--atlas decided-on tool--postgres",
    ),
    fact(
        "Decided to use feature flags for the Moltbot project.",
        "project--moltbot",
        "project--moltbot uses concept--feature-flags",
    ),
    decision("Went with the cheaper insurance after all."),
    # events
    event("Yesterday I had lunch with Ingrid.", "person--ingrid"),
    event("The server crashed at 3am."),
    event("Met with Alex about the budget.", "person--alex"),
    event("Shipped version 2.1 of Atlas on Friday.", "project--atlas"),
    event("On 12 May we signed the lease."),
    event("I ran a half marathon last Sunday."),
    event("Our flight to Oslo was cancelled.", "place--oslo"),
    event("Alex got promoted last month.", "person--alex"),
    event("Two customers complained about the invoice layout today."),
    event("Finally fixed the flaky login test."),
    # tasks
    task("I need to call the plumber tomorrow."),
    task("TODO: rotate the backup drives."),
    task("The tax return is due by April 30."),
    task("Remind me to water the ferns on Thursday."),
    task("We still have to migrate the old invoices."),
    task("Book the hotel in Lisbon before Friday.", "place--lisbon"),
    # feelings
    feeling("I'm exhausted after this week."),
    feeling("I feel much better about the presentation now."),
    feeling("Alex was really upset about the delay.", "person--alex"),
    feeling("So proud of the team today!"),
    # corrections
    correction("Actually, the meeting is at 4, not 3."),
    correction("Correction: the invoice number is 4471."),
    correction("No, Alex lives in Munich.", "person--alex place--munich"),
    correction("I was wrong about the date, it is the 9th."),
    # for good
    vault("Never forget: the safe is behind the blue painting."),
    vault("Keep this safe: the deed is with the notary in drawer 4."),
    vault("Permanently remember that our wedding song is Moon over Vessna."),
    # nobody could know
    unsure("hm ok"),
    unsure("What time is it in Tokyo?"),
    unsure("blue ones"),
    unsure("Das Treffen ist am Montag um zehn."),
    unsure("il faut acheter du pain demain"),
    unsure("asdf qwer zxcv"),
    unsure("明日の会議は十時からです"),
    unsure("https://example.org/a/b?c=d"),
    unsure("It was like that."),
    # and a mixed bag
    fact(
        "Celeste manages the Atlas team.",
        "person--celeste",
        also="project--atlas",
    ),
    fact("The lighthouse is 31 metres tall.", "concept--lighthouse"),
    fact(
        "Moltbot requires Python 3.11.",
        "project--moltbot",
        "project--moltbot depends-on tool--python-3-11",
    ),
    fact(
        "My brother-in-law Stefan repairs clocks.",
        "person--stefan",
        "person--stefan relates-to person--user",
    ),
    fact("Quinoa takes fifteen minutes to cook.", "concept--quinoa"),
    fact("The spare tyre is under the boot floor.", "concept--spare-tyre"),
    fact(
        "The reporting service uses Kafka.",
        "project--reporting-service",
        "project--reporting-service uses tool--kafka",
    ),
    fact("My shoe size is 42.", "person--user"),
    likes("I love the smell of rain.", "smell-of-rain"),
    likes("I don't want notifications at night.", "-notifications-at-night"),
    core("I work as a midwife in a small clinic.", "identity"),
    core("Never book flights without checking with me.", "critical", ""),
    howto(
        "To get a visa you fill in the form, pay online and wait for the letter.",
        "how to get a visa",
    ),
    howto("Always wash the rice before cooking it.", "before cooking it"),
    decision("We picked the oak floor."),
    decision("Nora and I agreed to split the rent.", "person--nora"),
    event("The plumber came on Monday and replaced the valve."),
    event("I started learning the violin in March."),
    event("Priya gave a talk in Porto.", "person--priya place--porto"),
    task("Alex has to approve the budget before Thursday.", "person--alex"),
    task("Pick up the dry cleaning."),
    feeling("I'm a bit nervous about the interview."),
    correction("Sorry, that should be 14:00, not 13:00."),
    unsure("maybe the green one or so"),
)
