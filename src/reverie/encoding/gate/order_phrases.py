"""Phrases that tell an agent what to do, wherever they stand, as a table.

All of it is read in small letters, without markup. It is a guess: what it misses is
stopped by origin, what it takes wrongly waits for a person to look at it.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class Phrase(NamedTuple):
    """One way to give an order.

    Attributes:
        why: What it does, in plain words.
        words: One of these, with commas between them, stands in every text that has
            it; without any it is always tried.
        pattern: How it looks.
        past: Whether it is none in the past: "was merged without review".
    """

    why: str
    words: str
    pattern: str
    past: bool = True

    def find(self, low: str) -> Iterator[tuple[int, int]]:
        """Where it stands in a text of small letters."""
        for match in _compiled(self.pattern).finditer(low):
            before = low[max(0, match.start() - NEAR) : match.start()]
            if self.past or not _PAST.search(before):
                yield match.span()


NEAR = 60
"""Characters before a phrase that may put it into the past."""

_PAST = re.compile(r"\b(?:was|were|had|did)\b[^.!?\n]*\Z")


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


OVERRIDES = "it sets other instructions aside"
STANDING = "a standing rule"
UNASKED = "it spares a question or an approval"
COMMAND = "a command to run"
SENDING = "it sends something away"
MONEY = "it moves money"
CREDENTIALS = "it asks for secrets"
LINK = "a link to follow"
ROLE = "it gives the agent a role"
DUTY = "it says what must be done"
AUTHORITY = "it claims authority"
APPROVAL = "it claims an approval"
MARKUP = "markup of a conversation"
SECRECY = "it hides something from a person"

_FEW = r"(?:[\w'.-]+[\s,]+){0,5}?"
_ONE = r"(?:[\w'-]+\s+)?"
_RULES = (
    r"(?:instructions?|rules?|prompts?|directives?|guidelines?|guidance|orders"
    r"|commands?"
    r"|polic(?:y|ies)|constraints?|restrictions?|programming|training|safety"
    r"|safeguards?|filters?)\b"
)
_AGENT = (
    r"(?:ai|a\.i\.|llm|language\s+model|assistant|agent|chatbot|bot|model|copilot"
    r"|claude"
    r"|chatgpt|gpt|gemini|openclaw|reverie|(?:automated|machine)\s+reader|crawler)s?\b"
)
_PERSON = r"(?:user|owner|human|operator|admin|administrator|account\s+holder)"
_ACTED = (
    r"(?:paid|approved|sent|forwarded|shared|deleted|executed|installed|trusted|allowed"
    r"|accepted|merged|copied|granted|disabled|skipped|signed|published|transferred"
    r"|uploaded|refunded|pushed|cc'd|bcc'd|ignored|bypassed|reported|exported|wired"
    r"|released|posted|emailed|mailed|run|opened|honou?red|obeyed|followed|confirmed"
    r"|authori[sz]ed|answered|treated|considered|given|logged|told|stored|kept|saved"
    r"|added|removed|replaced|updated|changed|written|hidden|settled|cleared)\b"
)
_DOUBT = (
    r"(?:approval|confirmation|confirming|review(?:ing)?|permission|check(?:s|ing)?"
    r"|verif\w+|asking|questions?|consent|sign-?off|sign\s+off|telling|notifying"
    r"|prompting|hesitation|looking|waiting|warning)\b"
)
_SECRETS = (
    r"(?:passwords?|passphrase|passcode|api\s+keys?|keys|tokens?|secrets?|credentials?"
    r"|private\s+key|seed\s+phrase|ssh\s+key|\.env|cookies?|one-?time\s+code|otp|pin"
    r"|prompt|configuration|zugangsdaten|passwort|contrase\S+|mot\s+de\s+passe)\b"
)

PHRASES: tuple[Phrase, ...] = (
    Phrase(
        OVERRIDES,
        "ignor,disregard,forget,overrid,overrul,bypass,discard,abandon,stop,"
        "not,n't,circumvent,overlook",
        r"\b(?:ignore|disregard|forget|override|overrule|bypass|discard|abandon"
        r"|overlook"
        r"|circumvent|unlearn|stop\s+following|(?:do\s+not|don't)\s+(?:follow|obey))\s+"
        rf"{_FEW}(?:{_RULES}|everything|anything|above\b|context\b|told\b|said\b)",
    ),
    Phrase(
        OVERRIDES,
        "instruction,rule,directive,guideline,prompt",
        r"\b(?:previous|prior|earlier|above|preceding|former|old|existing|original|any"
        r"|all"
        r"|your|the)\s+(?:instructions?|rules|directives?|guidelines|prompts?)\b"
        r"[^.!?\n]{0,60}?\b(?:void|invalid|no\s+longer|outdated|superseded|replaced"
        r"|cancelled|no\s+effect|not\s+apply|switched\s+off)\b",
    ),
    Phrase(
        OVERRIDES,
        "your ",
        r"\byour\s+(?:system\s+)?(?:instructions|rules|guidelines|prompt|policy"
        r"|settings)"
        r"\s+(?:have|has|were|was|are|is)\b",
    ),
    Phrase(
        OVERRIDES,
        "supersede,override,overrule,precedence,outrank,replace",
        r"\b(?:supersedes?|overrides?|overrules?|replaces?|outranks?"
        rf"|takes?\s+precedence\s+over)\s+{_FEW}{_RULES}",
    ),
    Phrase(
        OVERRIDES,
        "new ,real ,following ",
        r"\b(?:new|real|actual|updated|secret|hidden)\s+(?:core\s+|system\s+)?"
        r"(?:instructions?|directives?|prompt|task|orders?\s*:)",
    ),
    Phrase(
        STANDING,
        "from ,hence,hereafter,forward",
        r"\b(?:from\s+(?:now|here|today|this\s+(?:point|moment|day))\s+(?:on\b|onwards?"
        r"|forward)|henceforth|hereafter|going\s+forward)",
    ),
    Phrase(
        STANDING,
        "standing,permanent,system rule,house rule,policy,authority",
        r"\b(?:standing\s+(?:order|rule|instruction)|permanent\s+rule|system\s+rule"
        r"|house\s+rule|highest\s+authority|(?:company|new|our)\s+policy\s*(?::|that"
        r"|is\s+to))",
    ),
    Phrase(
        STANDING,
        "always,never,automatically,immediately,at once",
        r"\b(?:is|are|be|gets?)\s+(?:to\s+be\s+)?(?:always|never|automatically"
        rf"|immediately|at\s+once)\s+(?:to\s+be\s+)?{_ACTED}",
    ),
    Phrase(
        STANDING,
        "automatically,immediately,at once,right away",
        rf"\b{_ACTED}\s+(?:automatically|immediately|at\s+once|right\s+away)",
    ),
    Phrase(
        STANDING,
        "every ,each ,whenever,always",
        r"\b(?:every|each)\s+(?:time|request|ticket|session|reply|answer|message"
        r"|prompt|mail"
        r"|task|turn|question)\b[^.!?\n]{0,80}?\b(?:you|your)\b",
    ),
    Phrase(
        UNASKED,
        "without",
        rf"\bwithout\s+(?:any\s+|further\s+|prior\s+|the\s+)?{_ONE}{_DOUBT}",
        past=False,
    ),
    Phrase(
        UNASKED,
        "no ,not ,n't ,never ,optional",
        r"\b(?:(?:do(?:es)?\s+not|don't|doesn't|no\s+longer|never)\s+needs?\s+"
        rf"(?:an?\s+|any\s+|to\s+|your\s+)?(?:{_DOUBT}|ask|confirm|check|verify|wait)"
        rf"|needs?\s+no\s+[a-z]|{_DOUBT}\s+(?:is|are)\s+(?:not|never|no\s+longer)\s+"
        r"(?:needed|required|necessary)|approvals?\s+(?:is|are)\s+optional"
        r"|no\s+(?:need|reason)\s+to\s+(?:ask|confirm|check|verify|wait|tell|notify)"
        rf"|no\s+(?:further\s+)?{_DOUBT}\s+(?:is\s+|are\s+)?(?:needed|required"
        rf"|necessary"
        r"|asked))",
    ),
    Phrase(
        UNASKED,
        "skip,pre-,pre ,preapproved,auto,trusted,whitelist,exempt,allowlist,"
        "allow-list,safe to,may be,bypass,full access,admin rights",
        r"\b(?:skips?\s+(?:the\s+)?(?:approval|confirmation|review|verification|checks?"
        r"|tests|gate|queue)|pre-?\s?(?:approved|authori[sz]ed|cleared)"
        r"|auto-?\s?approv\w*"
        r"|(?:is|are)\s+(?:fully\s+|always\s+|completely\s+)?(?:trusted|whitelisted"
        r"|allow-?listed|exempt)\b|safe\s+to\s+(?:open|run|execute|install|trust|click)"
        rf"|may\s+(?:now\s+|always\s+)?be\s+{_ACTED}|bypass(?:es)?\s+the\b"
        r"|gets?\s+(?:full\s+access|admin\s+rights))",
    ),
    Phrase(
        UNASKED,
        "anyone,everyone,everybody,whoever,anybody",
        r"\b(?:anyone|everyone|everybody|whoever|anybody)\b[^.!?\n]{0,60}?\b(?:may"
        r"|must|gets?"
        r"|should|is\s+allowed|has\s+access|can\s+(?:read|open|have|see|write|use))\b",
    ),
    Phrase(
        COMMAND,
        "| ,|sh,|bash,curl,wget,rm -,sudo,pip,npm,yarn,brew,apt,cargo,gem ,uv,npx,sh -"
        ",powershell,python,chmod,git ,crontab,eval,os.system,subprocess,nc -,base64"
        ",drop table,delete from,truncate,docker,kubectl,ssh ,scp,dd if,mkfs,export"
        ",cat ~,$ ",
        r"\|\s?(?:sudo\s+)?(?:ba|z|da)?sh\b|\bcurl\s+(?:-|https?:|\S+\.\S)"
        r"|\bwget\s+(?:-|https?:)|\brm\s+-[rf]|\bsudo\s+[a-z]"
        r"|\b(?:pip3?|npm|pnpm|yarn|brew|apt(?:-get)?|cargo|gem|uv)\s+(?:install|add)\b"
        r"|\b(?:npx|uvx)\s+\S|\bpowershell(?:\.exe)?\s+-|\b(?:ba)?sh\s+-c\b"
        r"|\bpython3?\s+-[cm]\b|\bchmod\s+[+0-7]|\bgit\s+(?:push|reset|clone|config)\s"
        r"|\bcrontab\s+-|\beval\s?[($]|\bos\.system\b|\bsubprocess\.|\bnc\s+-[a-z]"
        r"|\bbase64\s+(?:-d|--decode)\b|\bdrop\s+table\b|\bdelete\s+from\s+\w"
        r"|\btruncate\s+table\b|\bdocker\s+(?:run|exec)\s|\bkubectl\s+(?:apply|delete"
        r"|exec)"
        r"|\bssh\s+[\w.-]+@|\bscp\s+\S|\bdd\s+if=|\bmkfs\b|\bexport\s+[a-z ]{1,40}=\S"
        r"|\bcat\s+~/|(?:^|\n)\s{0,9}\$\s+[a-z]",
    ),
    Phrase(
        SENDING,
        "cc",
        r"\bb?cc\s+(?:[\w.+-]{1,80}@|(?:the|my|me|us|them|all|every\w*)\b)",
    ),
    Phrase(
        SENDING,
        "@,://,#",
        r"\b(?:send|forward|email|mail|post|upload|copy|share|transfer|report|deliver"
        r"|submit|leak|exfiltrate|relay|push|sync|export|append|log|write|set)\s"
        r"[^.!?\n]{0,100}?\b(?:to|at|with|into)\s+(?:me\s+at\s+|the\s+address\s+)?"
        r"(?:[\w.+-]+@[\w-]|https?://|#\w)",
    ),
    Phrase(
        SENDING,
        "![",
        r"!\[[^\]\n]{0,200}\]\(\s?https?://[^)\s]{0,500}[?=]",
    ),
    Phrase(
        MONEY,
        "payment,invoice,transfer,salar,refund,funds,money,deposit",
        r"\b(?:payments?|invoices?|transfers?|salary|salaries|refunds?|funds|money"
        r"|deposits?)"
        r"\s(?:(?!(?:was|were|had)\b)[\w'-]+[\s,]+){0,8}?(?:go|goes|sent|paid"
        r"|transferred)"
        r"\s+(?:in)?to\b",
    ),
    Phrase(
        CREDENTIALS,
        "passw,passphrase,passcode,key,token,secret,credential,phrase,.env,cookie,code,"
        "otp"
        ",pin,prompt,configuration,zugangsdaten,contrase,mot de passe",
        r"\b(?:give|share|send|reveal|show|print|tell|provide|paste|enter|disclose"
        r"|expose"
        r"|hand\s+over|read\s+out|output|include|dump|log|display|type|submit|repeat"
        r"|store"
        r"|schicke?|sende?|gib|gebt|zeige?|envoie|donne|env\u00eda|da)\s"
        rf"[^.!?\n]{{0,60}}?{_SECRETS}",
    ),
    Phrase(
        CREDENTIALS,
        "prompt,instructions",
        r"\byour\s+(?:hidden\s+|system\s+|initial\s+|secret\s+)+(?:prompt"
        r"|instructions)",
    ),
    Phrase(
        LINK,
        "://,click",
        r"\b(?:visit|open|go\s+to|click|browse|navigate|fetch|load|download|check"
        r"|follow"
        r"|connect\s+to|install|log\s+in|read|reading|start)\s[^.!?\n]{0,80}?https?://"
        r"|\bclick\s+(?:the|this|on|here|below)\b",
    ),
    Phrase(
        LINK,
        "do what,carry,follow,obey",
        r"\b(?:do\s+what\s+(?:it|the)|carry\s+(?:it|them|this)\s+out|(?:follow|obey)\s+"
        r"(?:it|them|this|every))\b",
    ),
    Phrase(
        ROLE,
        "you",
        r"\byou(?:'re|\s+are)\s+(?:now|no\s+longer|hereby|going\s+to|to\s+act|required"
        r"|instructed|allowed|authori[sz]ed|permitted|expected|free\s+to)\b"
        rf"|\byou(?:'re|\s+are)\s+(?:an?|the)\s+{_FEW}(?:{_AGENT}|hacker\b|expert\b"
        r"|terminal\b|persona\b|character\b)",
    ),
    Phrase(
        ROLE,
        "your ",
        r"\byour\s+(?:new\s+|only\s+|real\s+|core\s+|first\s+|next\s+|main\s+)*(?:name"
        r"|role"
        r"|persona|goal|task|job|mission|objective|purpose|directive|identity|duty"
        r"|operator)"
        r"\s+(?:is|are|will|has)\b",
    ),
    Phrase(
        ROLE,
        "mode,jailbreak,persona,role,pretend,act as,act like,you have no,"
        "behave,speak as,imagine you",
        r"\b(?:developer|debug|god|dan|admin|root|unrestricted|jailbreak|maintenance"
        r"|sudo)"
        r"\s+mode\b|\bjailbreak|\brole-?\s?play|\bpretend\s+(?:to|that|you)"
        r"|\b(?:assume|take|play)\s+the\s+(?:persona|role|identity)\b|\bact\s+(?:as"
        r"|like)\s+(?:an?|the|if|my|root)\b"
        r"|\bbehave\s+(?:as|like)\b|\bspeak\s+as\b|\bimagine\s+you\b"
        r"|\byou\s+have\s+no\s+(?:rules|limits|restrictions|filters?)",
    ),
    Phrase(
        DUTY,
        "you",
        r"\byou\s+(?:must|should|shall|need\s+to|have\s+to|ought\s+to|are\s+to"
        r"|may\s+not"
        r"|may|cannot|can't|mustn't|shouldn't|will|always|never"
        r"|have\s+been\s+(?:upgraded"
        r"|instructed|granted|authori[sz]ed)|can\s+(?:share|send|skip|ignore|give"
        r"|delete"
        r"|pay|run|approve))\b"
        r"|\b(?:wants?|needs?|would\s+like|expects?|orders?|commands?|instructs?|urges?"
        r"|requires?|asks?|allows?|authori[sz]es?|begs?)\s+you\s+to\b"
        r"|\b(?:ask(?:ed|s)?|requires?d?|essential|important|mandatory|crucial|critical"
        r"|necessary|vital|imperative|request(?:ed|s)?|demands?"
        r"|insists?)\s+(?:that\s+)?you"
        r"\s+[a-z]|\byou(?:'d|\s+had)\s+better\b|\bas\s+an\s+ai\s+you\b|\b(?:can|could"
        r"|would|will)\s+you\s+(?:please\s+)?[a-z]+",
    ),
    Phrase(
        DUTY,
        "must,should,shall,have to,has to,need,ought,are to,is to,requires",
        r"\b(?:must|should|shall|have\s+to|has\s+to|needs?\s+to|ought\s+to|are\s+to"
        r"|is\s+to)"
        rf"\s+(?:always\s+|never\s+|not\s+)?(?:be\s+{_ACTED}|(?:treat|accept|approve"
        rf"|send"
        r"|pay|share|forward|give|delete|ignore|trust|wire|transfer|sign|grant|install"
        r"|obey"
        r"|follow|release|disable|skip|continue)\b)"
        rf"|\brequires?\s+[^.!?\n]{{0,40}}?\bto\s+be\s+{_ACTED}",
    ),
    Phrase(
        DUTY,
        "please,kindly,no circumstances,required,forbidden,mandatory,prohibited"
        ",is final,authoritative,binding,need",
        r"\b(?:please|kindly)\s+[a-z]|\bunder\s+no\s+circumstances\b"
        r"|\baction\s+required"
        r"|\b(?:is|are)\s+(?:strictly\s+)?(?:forbidden|mandatory|prohibited)\b"
        r"|\b(?:file|document|page|message|list|note|word)\s+is\s+(?:authoritative"
        r"|binding"
        r"|final)\b|\b(?:i|we)\s+need\s+(?:the|your|all"
        r"|access)\b[^.!?\n]{0,60}?\b(?:by|now"
        r"|today|tonight|immediately|asap)\b",
    ),
    Phrase(
        DUTY,
        "do not,don't",
        r"(?<!\bi )(?<!\bwe )(?<!\bthey )(?<!\byou )\b(?:do\s+not|don't)\s+(?:ask|tell"
        r"|mention|wait|inform|notify|confirm|check|refuse|question|reveal|warn|report"
        r"|log"
        r"|show|say|hesitate|use|follow|verify|stop|let)\b",
    ),
    Phrase(
        DUTY,
        "best to,better to,advisable to,recommended to,okay to,fine to,have ",
        r"\b(?:best|better|advisable|recommended|okay|fine)\s+to\s+[a-z]"
        rf"|\bhave\s+(?:the|an?|your)\s+{_AGENT}\s+[a-z]",
    ),
    Phrase(
        DUTY,
        " is to , are to ",
        r"\b(?:procedure|step|default|fix|practice|way|rule|process|protocol"
        r"|workflow)\s"
        r"[^.!?\n]{0,40}?\bis\s+to\s+[a-z]",
    ),
    Phrase(
        DUTY,
        "ai,a.i.,llm,model,assistant,agent,bot,copilot,claude,gpt,gemini,"
        "openclaw,reverie,reader,crawler",
        rf"\b{_AGENT}(?:\s+[\w-]+){{0,4}}?\s+(?:must|should|shall|has\s+to|have\s+to"
        r"|needs?\s+to|is\s+to|are\s+to|may\s+now|can\s+now|will\s+(?:answer|always"
        r"|never|now|comply|obey|send)|(?:is|are)\s+(?:required"
        r"|instructed|allowed|authori[sz]ed|expected|permitted|free\s+to)|always|never"
        r"|ought|(?:accept|approve|ignore|trust|obey|execute|pay|share|send|forward"
        r"|delete"
        r"|sign|grant)s?\s+(?:everything|all|any|every|each|whatever))\b"
        rf"|\b(?:note|notice|instructions?|reminder|attention|dear|hello|hey|hi"
        rf"|important|p\.s)\b"
        rf"[\s:,.]+(?:for\s+|to\s+)?(?:the\s+|all\s+|any\s+|other\s+)?{_AGENT}"
        rf"|(?:^|\n)\W{{0,9}}to\s+(?:the|all|any)\s+{_AGENT}"
        r"|\b(?:requires?|expects?|asks?|instructs?|urges?|invites?|orders?)\s+"
        rf"(?:\w+\s+){{0,3}}?{_AGENT}\s+to\b",
    ),
    Phrase(
        AUTHORITY,
        "system,developer,admin,root,operator,security,[system",
        r"(?:^|\n)\W{0,9}(?:system|developer|admin(?:istrator)?|root|operator"
        r"|security)\s+"
        r"(?:message|prompt|note|notice|override|update|instructions?|alert|directive"
        r"|command|policy)\b\s*[\]:>\n]|\[\s*(?:system|admin|developer)\s*\]"
        r"|\b(?:admin|system|root)\s+override\b|\boverride\s+code\b",
    ),
    Phrase(
        AUTHORITY,
        "owner,developer,admin,creator,operator,system,user,boss,security,"
        "notice,order of",
        r"\b(?:this\s+is|i\s+am|i'm|as|from)\s+(?:your|the)\s+(?:owner|developer"
        r"|admin\w*"
        r"|creator|operator|master|boss|maker|user)\b"
        r"|\bon\s+behalf\s+of\s+the\s+(?:user"
        r"|owner|admin)|\bby\s+order\s+of\b|\b(?:official"
        r"|urgent)\s+(?:security\s+)?notice"
        r"|\bhereby\b",
    ),
    Phrase(
        APPROVAL,
        "user,owner,human,operator,admin,account holder",
        rf"\b{_PERSON}\b(?:\s+(?!is\b|was\b)[\w-]+){{0,3}}?\s+(?:approved"
        rf"|authori[sz]ed|confirmed"
        r"|consented|agreed\s+(?:to\s+(?:share|all|every|the|this|send|pay|delete)"
        r"|that)"
        r"|granted|signed\s+off|permitted|okayed|greenlit|said\s+yes|says\s+yes"
        r"|g(?:a|i)ven?\s+(?:a\s+|the\s+|his\s+|her\s+|full\s+)?(?:permission|consent"
        r"|approval"
        r"|green\s+light))\b",
    ),
    Phrase(
        APPROVAL,
        "approv,permission,consent,authori",
        r"\b(?:approved|authori[sz]ed|confirmed|granted"
        r"|pre-authori[sz]ed)[\s-]+by\W+(?:the\s+)?"
        rf"(?:account\s+)?{_PERSON}\b|\bapproved-by\s*:"
        r"|\b(?:approval|permission|consent|authori[sz]ation)\s+(?:was\s+|has\s+been\s+"
        r"|is\s+|already\s+)*(?:given|granted|obtained|received)\b"
        r"|\byou\s+have\s+(?:my|the|full|our)\s+(?:\w+\s+)?(?:permission|approval"
        r"|consent)"
        r"|\bconsent\s*:\s*yes|\bi\s+authori[sz]e\b",
    ),
    Phrase(
        MARKUP,
        "<|,[inst,<<sys,</,<system,<assistant,<user>,<tool,<instructions,"
        '<memory,<important,###,"role",role:,system prompt,<!--,end of',
        r"<\|[a-z_ ]{2,20}\|>|\[/?inst\]|<</?sys>>|</?(?:system|assistant|user|human"
        r"|tool[ _]\w+|function[ _]\w+|instructions?|memory|important|untrusted-\w+"
        r"|prompt|admin)\b[^>\n]{0,40}>"
        r"|###\s*(?:instruction|response|system|human|assistant|developer)"
        r"|role\s*:\s*(?:system|developer|assistant)|\bbegin\s+system\s+prompt"
        r"|<!--\s*(?:agent|ai|assistant|system|llm|bot|note\s+to)\b"
        r"|\bend\s+of\s+(?:document|context|input|prompt|file)\b",
    ),
    Phrase(
        MARKUP,
        "assistant:,assistant :",
        r"(?:^|[\n.!?]\s{0,9})(?:human|user|assistant)\s?:[^\n]{0,400}\s+(?:human|user"
        r"|assistant)\s?:",
    ),
    Phrase(
        SECRECY,
        "secret,hidden,quiet,confidential,user,silently,quietly,secretly",
        r"\bkeep\s+(?:this|it)\s+(?:\w+\s+)?(?:secret|hidden|quiet|confidential)"
        r"|\bwithout\s+(?:the\s+user|telling|letting)|\b(?:not|n't|never)\s+(?:tell"
        r"|warn"
        r"|inform|let)\s+(?:the\s+|their\s+|your\s+)?users?\b"
        r"|\b(?:silently|secretly|quietly)\s+[a-z]+\s+(?:the|a|any|all|up)\b",
    ),
)
"""The most telling first: where two overlap, the first says why."""
