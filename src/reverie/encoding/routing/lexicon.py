"""Words that give a sentence away: verbs, kin, feelings, trades."""

from __future__ import annotations


def words_in(text: str) -> frozenset[str]:
    """The words of a list written as a text."""
    return frozenset(text.split())


KIN = words_in("""
    mother father mum mom dad mummy daddy mama papa parent parents sister brother
    siblings twin son daughter child children kid kids baby wife husband spouse
    partner girlfriend boyfriend fiancé fiancée fiance fiancee aunt uncle cousin niece
    nephew grandma grandpa grandmother grandfather granny grandson granddaughter
    godmother godfather mother-in-law father-in-law brother-in-law sister-in-law
    son-in-law daughter-in-law stepmother stepfather stepson stepdaughter stepbrother
    stepsister friend friends boss manager colleague coworker co-worker teammate
    flatmate roommate neighbour neighbor landlord landlady tenant teacher tutor coach
    trainer therapist doctor dentist physiotherapist vet accountant lawyer solicitor
    supervisor mentor assistant client dog cat puppy kitten horse rabbit hamster
    parrot contact agent plumber cleaner gardener babysitter nanny driver barber
    hairdresser electrician
""")
"""Whom somebody may call their own,"""

LONE_KIN = words_in("""
    mum mom dad mummy daddy mama papa mother father grandma grandpa granny grandmother
    grandfather
""")
"""and whom they call so without a `my`."""

TITLES = words_in("""
    mr mrs ms miss dr prof professor sir madam aunt uncle auntie captain judge
    reverend rabbi coach
""")

PROJECT_NOUNS = words_in("""
    project app application service repo repository codebase client frontend backend
    website site platform bot server api dashboard plugin extension library package
    pipeline prototype product
""")
"""What somebody makes; the name stands before or after it."""

GENERIC_TAILS = PROJECT_NOUNS | {"flow", "system", "team", "framework", "tool", "stack"}
"""Words at the end of a name that are not part of it."""

QUALIFIERS = words_in("""
    mobile web desktop internal external new old current main own existing legacy
    latest first second public private other same former next whole entire
""")

DETERMINERS = words_in("""
    the a an this that these those some any each every my our your his her its their
    all both
""")

QUANTIFIERS = words_in("""
    one two three four five six seven eight nine ten some many most few several both all
    each every no another half plenty dozens hundreds
""")

PREPOSITIONS = words_in("""
    in on at of for from by with to into onto over under about after before during since
    until till near behind beside between through without within across against around
    as via per inside outside above below despite toward towards like than
""")

PRONOUNS = words_in("""
    it he she they this that these those there you someone somebody everyone everybody
    nobody one him her them something everything nothing which who what here
""")

PRESENT = words_in("""
    live work use need require contain include consist depend rely belong support run
    speak know prefer like love hate dislike enjoy avoid want own eat drink keep play
    teach study read write go come take make give get cost last start begin end open
    close expire mean have do produce provide replace supersede follow precede
    maintain develop build manage lead report handle return store hold serve ship deal
    sit stand face weigh measure grow cause prevent drop allow accept reject send
    receive talk listen connect point expect assume sound look seem feel taste smell
    fit match cover offer sell charge pay repair collect raise breed train sing dance
    paint cook bake drive ride fly swim wear sleep snore smoke commute volunteer
    operate host power occur happen exist consume absorb melt boil freeze orbit
    protect attract affect increase reduce improve differ vary range become remain
    stay travel arrive leave matter help change move set put let cut hit spread think
    believe agree owe lie leak sting bark bite swell overheat crash lag compile render
    cache log parse validate retry poll stream index rank sort filter throw emit fire
    trigger block expose import export extend inherit wrap call process appear tend
    struggle suffer recover complain worry forget remember trust respect visit attend
    join skip share rent lend borrow order deliver ask answer text email sign approve
    review publish deploy monitor track schedule plan earn save invest donate cycle
    jog hike climb garden knit sew draw sketch photograph film record gossip shout
    whisper laugh smile cry argue recommend suggest fail land hurt meet prepare
""")
"""Verbs of states and habits, as with `they`."""

NOUNS_TOO = words_in("""
    use need work study run cost start end open close report return store drop point
    look sound fit match cover offer charge train dance paint cook drive ride fly
    smoke host power range change move set cut hit spread help matter talk ship deal
    face measure cause sleep play read stay support love hate like hold stand taste
    smell travel leave show handle leak sting bark bite crash lag cache log stream
    index rank sort filter block export import extend wrap call process order visit
    answer text email sign review track schedule plan cycle hike climb garden sketch
    film record shout whisper laugh smile cry poll fire trigger throw share rent
""")
"""Those of them that are nouns as often."""

PAST = words_in("""
    was were had did used went met bought sent came ran caught won gave got made spent
    took broke brought built chose told said saw found left lost paid sold wrote began
    felt fell kept knew led lent held heard grew flew drove drank ate drew dealt
    forgot froze fought hung hid laid rang rode rose sang sank sat shook shot slept
    slid spoke stole stood stuck swam swore taught thought threw understood woke wore
    became bit blew bent bound bred burnt crept dug fed learnt lit meant overcame
    rebuilt sought spun struck swept tore withdrew quit
""")
"""Forms that tell of what is over and do not end in `ed`."""

PARTICIPLES = PAST | words_in("""
    been done gone seen given taken written broken chosen driven eaten fallen flown
    forgotten frozen grown hidden known ridden risen shown spoken stolen thrown worn
    become begun come run put set cut hit drunk sung
""")

ORDERS = words_in("""
    adapt add adjust agree aim align allow answer append apply approve archive arrange
    ask assign attach attend audit avoid back backup bake balance be bend blend bless
    block boil book brew bring browse brush buckle budget build bump burn buy
    calculate calibrate call cancel capture carry catch celebrate change charge check
    choose chop clamp clean clear click clip clone close coat code collect comb
    combine come comment commit compare compile complete compress conduct configure
    confirm connect consider consult contact continue convert cook cool copy correct
    count cover crack create crop cross crush cut dampen decide decline decorate
    define defrost delegate delete deliver depart deploy describe design detach dig
    dip direct disable discard disconnect discuss dismiss display dissolve distribute
    dive divide do document donate double download drag drain draw drill drink drive
    drop dry dust ease eat edit eject email embed empty enable encourage encrypt
    engage enjoy enrol ensure enter erase escalate escape establish estimate evaluate
    examine execute exercise exit expand explain export extend extract face fasten
    feed fetch fight file fill filter find finish fit fix flash flatten flip focus
    fold follow force format forward freeze fry gather gauge generate get give glue go
    grab grate grease greet grill grind grow guard guide halt hammer hand handle hang
    harvest heat help hide hire hold hone hook host hug hunt hurry identify ignore
    illustrate implement import improve include increase inflate inform initialise
    initialize inquire insert inspect install introduce invest investigate invite
    invoice involve iron isolate issue join jot judge jump keep kill knead kneel knock
    label launch lay lead lean learn leave let lick lift limit link list listen load
    locate lock log look loop loosen lower lubricate mail maintain make manage map
    marinate mark mash measure meet melt memorise mend mention merge message migrate
    mind mix monitor mount move mow mute nail name negotiate note notify number obtain
    offer oil omit open operate order organise organize outline overwrite pack paint
    park paste patch pause pay peel peg perform permit phone photograph pick pin ping
    place plan plant play plug poke polish post pour practice practise prefer preheat
    prepare press prevent prime print process produce program promote prompt protect
    prove provide prune publish pull pump punch purchase push put query quit quote
    raise rake rank reach react read rearrange rebase reboot rebuild recite recommend
    reconnect record recover recycle redeploy redo reduce refer refill reflect refresh
    refund refuse regenerate register rehearse reinstall reject relax release reload
    rely remember remind remove rename render renew rent reorder repair repeat replace
    reply report request rerun reschedule research resend reserve reset resize resolve
    respect respond rest restart restore retain retrieve retry return reuse revert
    review reward rewrite ride ring rinse roast roll rotate row rub run sand save scan
    schedule scoop scrape screw scrub seal search season see seek select sell send
    separate serve set sew shake share sharpen shave shift ship show shred shrink
    shuffle shut sift sign simmer simplify sing sit sketch skip slice slide smell
    smile snap soak solve sort speak specify spend spin splash split spot spray spread
    sprinkle squash squeeze stack stage stamp stand start stay steam steer step
    sterilise stick stir stitch stop store straighten strain stretch strike strip
    strop study submit subscribe subtract suggest summarise summarize supervise supply
    support surround swallow swap sweep swim swipe switch sync tag take talk tap tape
    target taste teach tear tell test thank thaw think throw tick tidy tie tighten
    tilt toast toggle top toss touch tow trace track train transcribe transfer
    translate travel treat trigger trim trust try tune turn twist type undo unfold
    uninstall unite unlock unmount unpack unplug unscrew unsubscribe untie unwrap
    update upgrade upload use vacuum validate vent verify visit vote wait wake walk
    warm warn wash watch water wear weed weigh wet whisk win wind wipe wire withdraw
    work wrap write zip zoom
""")
"""Verbs one tells somebody to do something with."""

FEELINGS = words_in("""
    excited sad happy unhappy frustrated worried stressed relieved overwhelmed annoyed
    exhausted tired nervous anxious proud upset angry mad afraid scared frightened
    lonely grateful thankful disappointed ashamed embarrassed jealous hopeful bored
    depressed glad thrilled delighted furious miserable heartbroken confident calm
    hurt shocked confused cheerful homesick irritated devastated terrified optimistic
    pessimistic discouraged motivated touched moved guilty restless drained content
    burned-out burnt-out fed-up desperate ecstatic gutted livid melancholy touchy moody
""")

TRADES = words_in("""
    nurse chef cook judge pilot midwife student vet surgeon coach lead cto ceo cfo
    founder intern monk priest clerk guide barista architect farmer scientist freelancer
    consultant accountant data-scientist mechanic critic cleric dad mom mum mother
    father parent widow paramedic medic plumber dentist analyst optician translator
    pensioner retiree
""")
TRADE_ENDINGS = ("eer", "ist", "ian", "tor", "sor", "man", "woman", "smith", "wright")
TRADE_ENDINGS_TOO = ("er", "or", "ant", "ent")
NO_TRADES = words_in("""
    fan bit lot believer person member beginner sucker number lover owner user
    customer newcomer late-sleeper riser
""")

HEALTH = words_in("""
    allergic allergy allergies intolerant diabetic diabetes asthma asthmatic epilepsy
    epileptic pacemaker insulin vegetarian vegan coeliac celiac pregnant medication
    migraines haemophilia hemophilia anaphylaxis epipen pescatarian hypertension
    dialysis arrhythmia
""")
"""Words on which somebody's health may hang."""

PERSONAL = words_in("""
    live work speak teach play like hate love prefer enjoy dislike eat drink study know
    want own marry sing dance cook bake paint drive commute volunteer snore smoke sleep
    manage repair think believe swim wear collect
""")
"""What only people do."""
