"""The words that open an order: verbs, and what stands before and after them."""

from __future__ import annotations

_VERBS = """
    accept act add adhere adjust advise allow alter amend announce answer append
    apply approve archive ask assign assume attach authorise authorize avoid become
    begin behave block book bring broadcast browse build buy bypass calculate call
    cancel carry cease change charge check choose cite claim clean clear click clone
    close collect commit compare compile comply compose compress conceal configure
    confirm connect consider consult contact continue convert convince copy count
    crawl create cut deactivate decline decode decrease decrypt define delegate
    delete deliver demand deny deploy deposit describe destroy detach dial disable
    discard disclose disconnect dismiss display disregard distribute do don't donate
    double download draft drop dump edit eject email embed empty enable encode
    encrypt endorse enforce ensure enter erase escalate evaluate exclude execute
    exempt exfiltrate expand export expose extract fabricate falsify favor favour
    fetch file fill find finish fix flag flush follow force force-push forget format
    forward gather generate get give go grant hack halt hand handle harvest help
    hide hold ignore imagine impersonate import include increase inflate inform
    initialise initialize initiate inject insert inspect install instruct invite
    invoke issue join keep kill label launch learn leave lend let lie lift link list
    listen load locate lock log look lower mail make map mark memorise memorize
    mention merge message mirror mix modify monitor mount move mute name navigate
    neglect nominate note notify obey obtain offer omit open order output overlook
    override overwrite paste patch pay perform permit persuade phone pick pin place
    play point poll post praise prefer prefix prepare prepend press pretend prevent
    print prioritise prioritize probe proceed process produce promise promote prompt
    propose provide publish pull purge push put query quit quote raise rank rate
    read rebase reboot recall recite recommend reconfigure record recover redirect
    reduce refer refrain refund refuse register reject relaunch relay release
    relocate rely remember remind remit remove rename render renew rent repeat
    rephrase replace reply report reproduce request rerun reschedule reserve reset
    resolve respond restart restore resume retain retrieve retry return reveal
    reverse review revoke rewrite roleplay route run save say scan schedule scrape
    search seek select sell send separate serve set settle share ship show shut sign
    silence simulate skip solve sort speak spend split spread start state steal stop
    store strip submit subscribe suggest summarise summarize suppress suspend swap
    switch sync tag take talk teach tell terminate test text think throw toggle
    trace track train transcribe transfer translate treat trigger trust try turn
    tweet type undo uninstall unlink unlock unpin unsubscribe update upgrade upload
    use verify view visit vote wait warn watch whitelist wipe wire withdraw withhold
    work wrap write zip
"""
VERBS = frozenset(_VERBS.split())
"""What an agent may be told to do."""

_NOUNS = """
    act add answer archive ask block book broadcast build buy call cancel change
    charge check claim clean clone collect commit contact copy count crawl cut
    delete demand deploy deposit display double download draft drop dump edit email
    empty exempt export file fill find finish fix flag flush follow force format
    forward free get hack halt hand handle harvest help hold import increase install
    issue keep kill label launch leave lift link list load lock log look lower mail
    map mark merge message mirror mix monitor mount move mute name note offer open
    order output patch pay perform permit phone pick pin place play point poll post
    prefix press print probe process produce prompt pull push put query quote raise
    rank rate read rebase reboot recall record register release rent report request
    reserve reset restart resume retry return reverse review rewrite route run save
    scan scrape search select separate set share ship show shut sign silence sort
    spend split spread start state stop store strip swap switch sync tag take talk
    test text think throw toggle trace track train transfer trigger try turn tweet
    type update upgrade upload view visit vote wait warn watch wire work wrap zip
"""
NOUNS = frozenset(_NOUNS.split())
"""Verbs that are nouns as well, or open a heading: what follows must show which."""

_OBJECTS = """
    the a an this that these those all any every each both some no nothing
    everything anything everyone anyone whatever whoever what me us him them it her
    his my your our their its yourself only one two three four five ten another such
"""
OBJECTS = frozenset(_OBJECTS.split())
"""What stands after an order's verb, and hardly after a noun."""

PLAIN_OBJECTS = frozenset(
    ("the", "a", "an", "this", "these", "those", "all", "any", "every", "your", "our")
) | {"each", "their", "his", "her", "its", "them", "me", "us", "him", "it", "yourself"}
"""Those after which hardly any other word can be but a verb."""

_PAIRS = """
    act:as act:like book:me connect:to copy:from hand:over log:in log:into log:on
    look:at look:for look:up pay:for post:to pull:from push:to read:from reply:to
    reply:with report:to run:as save:to set:up shut:down sign:in sign:up start:by
    switch:off switch:on switch:to sync:with talk:like talk:to turn:off turn:on
"""
PAIRS = frozenset(_PAIRS.split())
"""Verbs with the little word that makes them one."""

_LITTLE = """
    of with from to for in on at by and or as about into via per under over after
    before than vs
"""
LITTLE = frozenset(_LITTLE.split())
"""After a noun rather than after an order's verb."""

_ONWARDS = """
    to from for with in into on onto at by now immediately hourly daily weekly
    monthly after before when whenever every each until as via over today tomorrow
    here there
"""
ONWARDS = frozenset(_ONWARDS.split())
"""What goes on after the things an order is about: "upload logs to …"."""

TELLING = frozenset(
    ("starts", "ends", "opens", "closes", "runs", "takes", "works", "begins", "goes")
)
"""After a noun, these tell what it does: "show starts at eight"."""

_FINITE = """
    is are was were has have had will would can could may might should must does did
    isn't aren't wasn't 's won't means seems rose fell grew went came took got gave
    began ran
"""
FINITE = frozenset(_FINITE.split())
"""A verb here makes the word before it a noun."""

AFTER_NOUNS = FINITE | {"of", "case", "cases"}
"""Right behind a word, these do so too."""

_NOT_ORDERING = """
    about above across after against along among around as at because before behind
    below beneath beside besides between beyond but by concerning considering
    despite down during except for from given if in inside into like near of off on
    onto opposite or out outside over past per since so than that though through
    throughout till to toward towards under underneath unless until unto up upon via
    when whenever where whereas wherever whether which while who whom whose why with
    within without yet and nor how what i you he she it we they me him her us them
    this these those there here all any some no none each every both either neither
    half such same quite rather even only just not never always also too again then
    now today tomorrow yesterday tonight soon later sometimes often usually perhaps
    maybe once twice still already instead thus hence however meanwhile otherwise
    therefore else am is are was were be been being do does did has have had will
    would can could may might must shall should isn't aren't wasn't weren't doesn't
    didn't won't can't monday tuesday wednesday thursday friday saturday sunday
    january february march april june july august september october november
    december ate became began bent bit blew bore bought bound bred broke brought
    built burnt came caught chose crept dealt drank dreamt drew drove dug fed fell
    felt fled flew forgave forgot fought found froze gave got grew heard held hid
    kept knelt knew laid learnt led left lent lost made meant met mistook paid rang
    ran rode rose said sang sank sat saw sent shook shot slept slid sold sought
    spent spoke spun stole stood stuck struck swam swore swung taught thought threw
    told took tore understood went woke won wore wound wrote mr mrs ms dr prof saint
    st new old
"""
NOT_ORDERING = frozenset(_NOT_ORDERING.split())
"""Words that open a statement even before "the" or "your"."""

_NOT_AFTER_ALWAYS = """
    a an the on in at to of been had wanted mind again too late early happy ready
    good nice fun there here more less before after so such as worth easy hard
"""
NOT_AFTER_ALWAYS = frozenset(_NOT_AFTER_ALWAYS.split())
"""After "always" or "never" at the start, these tell how something is."""
