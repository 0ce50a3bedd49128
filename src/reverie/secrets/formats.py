"""The formats of secrets that can be told by their own looks: two tables.

Facts about prefixes and lengths, as their issuers publish them. A new format is a new
row. What only the words beside it give away ("my password is …") is in `labels.py`.

Not in the tables: what is no secret though it looks like one. A publishable key, a
public key, a fingerprint, a hash. An IBAN either: it stands on every invoice, and
people want it remembered; it lets nobody take money without a signed mandate.
"""

from __future__ import annotations

from typing import NamedTuple


class Token(NamedTuple):
    """A prefix that its issuer put there so that it is found, and what follows it.

    Attributes:
        kind: What it is, in plain words.
        words: One of these, in small letters, stands in every text that has it.
        prefix: How it begins.
        rest: What a machine made.
    """

    kind: str
    words: str
    prefix: str
    rest: str


class Shape(NamedTuple):
    """Something that is told by how it looks, or by a word that stands at it.

    Attributes:
        kind: What it is, in plain words.
        words: One of these, in small letters, stands in every text that has it; `_` is
            a blank. Empty where no word does.
        pattern: How it looks. The secret is the group `secret`, or all of it.
        check: Which function of `values.py` has to say yes to the secret.
        short: Whether it may be shorter than sixteen characters in a row.
        not_after: What shortly before it says that it is something else.
    """

    kind: str
    words: str
    pattern: str
    check: str = "issued"
    short: bool = False
    not_after: str = ""


MASKED = "\0"
"""What stands where a secret was found already; no pattern may cross it."""

TOKENS: tuple[Token, ...] = (
    Token("private key", "age-secret-key-1", "AGE-SECRET-KEY-1", "[A-Z0-9]{58}"),
    Token("private key", "nsec1", "nsec1", "[a-z0-9]{58}"),
    Token("private key", "prv", "[xyzt]prv", "[1-9A-HJ-NP-Za-km-z]{100,112}"),
    Token(
        "AWS access key",
        "akia asia abia acca",
        "(?:AKIA|ASIA|ABIA|ACCA)",
        "[A-Z2-7]{16}",
    ),
    Token(
        "GitHub token",
        "ghp_ gho_ ghu_ ghs_ ghr_",
        "gh[pousr]_",
        "[A-Za-z0-9]{36,}",
    ),
    Token("GitHub token", "github_pat_", "github_pat_", "[A-Za-z0-9_]{36,}"),
    Token(
        "GitLab token",
        "glpat- gldt- glrt glcbt- glptt- glft- glsoat- glimt- glagent- gloas- glffct-",
        "gl(?:pat|dt|rt|rtr|cbt|ptt|ft|soat|imt|agent|oas|ffct)-",
        r"[A-Za-z0-9_-]{20,}(?:\.[A-Za-z0-9_-]{2,12}){0,2}",
    ),
    Token("Slack token", "xox", r"xox[a-z](?:\.xox[a-z])?-", "[A-Za-z0-9-]{12,}"),
    Token("Slack token", "xapp-", "xapp-", r"\d-[A-Za-z0-9-]{20,}"),
    Token("Stripe key", "k_live_ k_test_", "[sr]k_(?:live|test)_", "[A-Za-z0-9]{16,}"),
    Token("Stripe key", "whsec_", "whsec_", "[A-Za-z0-9+/=]{24,}"),
    Token("Anthropic key", "sk-ant-", "sk-ant-", "[A-Za-z0-9_-]{20,}"),
    Token("OpenAI key", "sk-", "sk-(?:proj|svcacct|admin|None)-", "[A-Za-z0-9_-]{20,}"),
    Token("OpenAI key", "sk-", "sk-", "[A-Za-z0-9]{20,}(?:[A-Za-z0-9_-]*[A-Za-z0-9])?"),
    Token("OpenRouter key", "sk-or-", "sk-or-", "v1-[0-9a-f]{32,}"),
    Token("Google API key", "aiza", "AIza", "[A-Za-z0-9_-]{35}"),
    Token("Google client secret", "gocspx-", "GOCSPX-", "[A-Za-z0-9_-]{24,}"),
    Token("Google token", "ya29.", r"ya29\.", "[A-Za-z0-9_-]{20,}"),
    Token("Google token", "1//0", "1//0", "[A-Za-z0-9_-]{30,}"),
    Token("npm token", "npm_", "npm_", "[A-Za-z0-9]{36,}"),
    Token("PyPI token", "pypi-", "pypi-", "Ag[A-Za-z0-9_-]{40,}"),
    Token("Twilio key", "sk", "SK", "[0-9a-f]{32}"),
    Token(
        "SendGrid key", "sg.", r"SG\.", r"[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}"
    ),
    Token("Hugging Face token", "hf_", "hf_", "[A-Za-z0-9]{30,}"),
    Token("DigitalOcean token", "_v1_", "do[opr]_v1_", "[0-9a-f]{64}"),
    Token("Heroku key", "hrku-", "HRKU-", "[A-Za-z0-9_-]{36,}"),
    Token("Mailgun key", "key-", "key-", "[0-9a-f]{32}"),
    Token("Mailgun key", "mailgun key", "", "[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}"),
    Token("Mailchimp key", "-us", "", r"[0-9a-f]{32}-us\d{1,2}"),
    Token("Brevo key", "xkeysib-", "xkeysib-", "[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    Token("Shopify token", "shp", "shp(?:at|ca|pa|ss)_", "[0-9a-fA-F]{32}"),
    Token("Square token", "sq0", "sq0[a-z]{3}-", "[A-Za-z0-9_-]{22,}"),
    Token("Facebook token", "eaa", "EAA", "[A-Za-z0-9]{80,}"),
    Token("Linear key", "lin_", "lin_(?:api|oauth)_", "[A-Za-z0-9]{32,}"),
    Token("Notion token", "secret_ ntn_", "(?:secret|ntn)_", "[A-Za-z0-9]{40,}"),
    Token("Airtable token", "pat", "pat", r"[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    Token("Figma token", "figd_", "figd_", "[A-Za-z0-9_-]{38,}"),
    Token("Postman key", "pmak-", "PMAK-", "[0-9a-f]{24}-[0-9a-f]{34}"),
    Token("Databricks token", "dapi", "dapi", r"[0-9a-f]{32}(?:-\d)?"),
    Token("Dropbox token", "sl.", r"sl\.", "[A-Za-z0-9_-]{60,}"),
    Token("Grafana token", "glc_ glsa_", "gl(?:c|sa)_", "[A-Za-z0-9+/=_]{32,}"),
    Token("Vault token", "hvs. hvb. hvr.", r"hv[sbr]\.", "[A-Za-z0-9_-]{24,}"),
    Token("Terraform token", ".atlasv1.", "", r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,}"),
    Token(
        "New Relic key",
        "nrak- nrii- nrjs- nrra-",
        "NR(?:AK|II|JS|RA)-",
        "[A-Za-z0-9]{24,}",
    ),
    Token("Sentry token", "sntry", "sntry[su]_", "[A-Za-z0-9+/=_-]{40,}"),
    Token(
        "Supabase key", "sbp_ sb_secret_", "(?:sbp|sb_secret)_", "[A-Za-z0-9_-]{24,}"
    ),
    Token("Groq key", "gsk_", "gsk_", "[A-Za-z0-9]{40,}"),
    Token("xAI key", "xai-", "xai-", "[A-Za-z0-9]{40,}"),
    Token("Perplexity key", "pplx-", "pplx-", "[A-Za-z0-9]{40,}"),
    Token("Replicate token", "r8_", "r8_", "[A-Za-z0-9]{32,}"),
    Token("LangSmith key", "lsv2_", "lsv2_(?:pt|sk)_", "[0-9a-f_]{32,}"),
    Token("RubyGems key", "rubygems_", "rubygems_", "[0-9a-f]{48}"),
    Token("Docker Hub token", "dckr_pat_", "dckr_pat_", "[A-Za-z0-9_-]{24,}"),
    Token(
        "Atlassian token",
        "atatt3 atbb atctt3",
        "AT(?:ATT3|BB|CTT3)",
        "[A-Za-z0-9_=-]{28,}",
    ),
    Token("Tailscale key", "tskey-", "tskey-", "(?:auth|api|client)-[A-Za-z0-9-]{16,}"),
    Token("Netlify token", "nfp_", "nfp_", "[A-Za-z0-9]{36,}"),
    Token(
        "PlanetScale token",
        "pscale_",
        "pscale_(?:tkn|pw|oauth)_",
        "[A-Za-z0-9_.=-]{32,}",
    ),
    Token("Doppler token", "dp.", r"dp\.(?:pt|st|ct|sa)\.", r"[A-Za-z0-9_.-]{32,}"),
    Token("Fly token", "fm1_ fm2_", "fm[12]_", "[A-Za-z0-9+/=,_-]{60,}"),
    Token("Pulumi token", "pul-", "pul-", "[0-9a-f]{40}"),
    Token("Mapbox token", "sk.eyj", r"sk\.eyJ", r"[\w-]{20,}\.[\w-]{20,}"),
    Token("ElevenLabs key", "sk_", "sk_", "[0-9a-f]{48}"),
    Token("Alibaba key", "ltai", "LTAI", "[A-Za-z0-9]{16,}"),
    Token(
        "Teams webhook",
        "webhook.office.com",
        r"webhook\.office\.com/webhookb2/",
        "[A-Za-z0-9@/-]{60,}",
    ),
)

_ARMOUR = (
    r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[^\0-]*(?:-(?!----)[^\0-]*)*-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY"
    r"(?: BLOCK)?-----|(?:(?:\s|\\[nr]|>){1,6}(?:[A-Z][A-Za-z-]{2,20}: [^\n\0]{1,80}|"
    r"[A-Za-z0-9+/=]{16,}))+(?:(?:\s|\\[nr])>?[ \t]?[A-Za-z0-9+/=]{1,80})?)"
)
_LEFT, _RIGHT = r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9])"
_OTHER_NUMBERS = (
    r"\b(?:order|invoice|tracking|imei|serial|ticket|parcel|ref|shipment|batch|phone"
    r"|isbn|ean|gtin|timestamp|id|account|iban|booking|case|article|part|member"
    r"|customer)"
)
"""Words before sixteen digits that are no card."""

_BARE = r"[\"'`]?(?P<secret>[^\s\0\"'`,;:<>|][^\s\0\"'`;<>|]{0,199})"
_COOKIE = r"[A-Za-z0-9%._~+/:|!-]{16,}={0,2}"
_LOCKS = (
    r"(?:door|gate|alarm|safe|lock|locker|lockbox|garage|entry|keypad|building|access"
    r"|unlock|verification|security|puk|voicemail|house|apartment)"
)
_CODE_JOINT = (
    r"(?:[ \t](?:for|of|to|on)(?:[ \t][\w'-]{1,20}){1,5}?)?[\"'*]{0,2}"
    r"(?:[ \t]{0,3}[:=#]|[ \t](?:is|was)\b|(?=[ \t]))[ \t:]{0,3}[\"'`*]{0,2}"
)

SHAPES: tuple[Shape, ...] = (
    Shape("private key", "private_key", _ARMOUR, "armoured"),
    Shape(
        "private key",
        "putty-user-key-file",
        r"PuTTY-User-Key-File-\d:[^\0]{0,4000}?Private-MAC: ?[0-9a-f]+",
        "anything",
    ),
    Shape(
        "private key",
        "",
        rf"{_LEFT}(?:[5KL9c][1-9A-HJ-NP-Za-km-z]{{50,51}}|6P[1-9A-HJ-NP-Za-km-z]{{56}})"
        rf"{_RIGHT}",
        "base58_checked",
    ),
    Shape(
        "recovery key",
        "-",
        r"(?<![\d-])\d{6}(?:-\d{6}){7}(?![\d-])",
        "anything",
    ),
    Shape(
        "one-time password seed",
        "otpauth://",
        r"(?i)otpauth://[th]otp/[^\s\0\"'<>]{0,300}secret=[a-z2-7]{8,}"
        r"[^\s\0\"'<>]{0,300}",
        "anything",
    ),
    Shape(
        "AWS secret key",
        "akia asia aws secret_access_key secretaccesskey secret_access",
        r"(?<![A-Za-z0-9/+_-])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=_-])",
        "very_random",
    ),
    Shape(
        "Slack webhook",
        "hooks.slack.com",
        r"(?i)hooks\.slack\.com/(?:services|workflows|triggers)"
        r"/(?P<secret>[A-Za-z0-9/_-]{20,})",
    ),
    Shape(
        "Discord webhook",
        "/api/webhooks/ /webhooks/",
        r"(?i)discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d{10,20}/"
        r"(?P<secret>[\w-]{40,})",
    ),
    Shape(
        "Azure key",
        "accountkey sharedaccesskey",
        r"(?i)(?:account|sharedaccess)key ?= ?[\"']?"
        r"(?P<secret>[A-Za-z0-9+/]{40,88}={0,2})",
    ),
    Shape(
        "Azure key",
        "sig=",
        r"(?i)[?&;]sig=(?P<secret>[A-Za-z0-9%+/]{40,120}(?:={1,2}|%3d){0,2})",
    ),
    Shape(
        "Azure key", "q~", rf"{_LEFT}[A-Za-z0-9_~.-]{{3}}\dQ~[A-Za-z0-9_~.-]{{31,34}}"
    ),
    Shape(
        "JSON web token",
        "eyj",
        rf"{_LEFT}eyJ[A-Za-z0-9_-]{{8,}}\.[A-Za-z0-9_-]{{8,}}"
        r"(?:\.[A-Za-z0-9_-]+){0,3}",
    ),
    Shape(
        "Telegram bot token",
        ":aa",
        rf"{_LEFT}\d{{8,10}}:AA[A-Za-z0-9_-]{{32,34}}{_RIGHT}",
    ),
    Shape(
        "Discord token",
        "",
        r"[MNO](?<![A-Za-z0-9][MNO])[A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}"
        r"\.[A-Za-z0-9_-]{27,40}",
        "snowflake",
    ),
    Shape(
        "password in a URL",
        "://",
        r"://[^\s/:@?#\"'<>\0]{0,100}:(?!\d{1,5}/)(?P<secret>[^\s\"'<>\0]{4,200})"
        r"@[\w.\[-]",
        "filled_in",
        short=True,
    ),
    Shape(
        "token in a URL",
        "://",
        r"://(?P<secret>[A-Za-z0-9_-]{20,200})@[\w.\[-]",
        "very_random",
    ),
    Shape(
        "Authorization header",
        "bearer_",
        r"(?i)(?<![a-z])bearer[ \t:]{1,3}[\"'`]?(?P<secret>[A-Za-z0-9._~+/=-]{16,})",
    ),
    Shape(
        "Authorization header",
        "basic_",
        r"(?i)(?<![a-z])basic[ \t:]{1,3}(?P<secret>[A-Za-z0-9+/]{8,}={0,2})",
        "login",
        short=True,
    ),
    Shape(
        "session cookie",
        "cookie",
        r"(?i)(?<![a-z])cookie2?[\"']?[ \t]{0,2}[:=][ \t]{0,2}[\"']?(?:[\w.-]{1,60}="
        rf"[^;\n\0]{{0,200}};[ \t]?){{0,20}}?[\w.-]{{1,60}}=\"?(?P<secret>{_COOKIE})",
        "unguessable",
    ),
    Shape(
        "session cookie",
        "sess sid=",
        r"(?i)(?<![a-z])[\w.]{0,30}(?:sess(?:ion)?(?:[_.-]?(?:id|key|token))?|sid)"
        rf"[\"']?[ \t]?=[ \t]?[\"']?(?P<secret>{_COOKIE})",
        "unguessable",
    ),
    Shape(
        "payment card",
        "",
        r"\d(?<![A-Za-z0-9.,/+_#-]\d)(?<!\d[ -]\d)(?:\d{13,18}"
        r"|\d{3}(?P<gap>[ -])(?:\d{4}(?P=gap)\d{4}(?P=gap)\d{4}|\d{6}(?P=gap)\d{4,5}))"
        r"(?![A-Za-z0-9_]|[.,]\d|[ -]\d{4}(?!\d))",
        "card_number",
        short=True,
        not_after=_OTHER_NUMBERS,
    ),
    Shape(
        "password",
        ":",
        r":(?<=[A-Za-z0-9*]:)(?:\d{2,5}|\*):(?![0-9a-f:]{1,40}(?:\s|$))"
        r"(?:\*|[A-Za-z][\w-]{0,40}):(?:\*|[A-Za-z][\w.-]{0,40}):"
        r"(?P<secret>[^\s\0\"'`]{4,200})(?=[\s\"'`]|$)",
        "given",
        short=True,
    ),
    Shape(
        "password",
        "wifi:",
        r"(?i)wifi:[^\n\0]{0,120}?p:(?P<secret>[^;\n\0]{4,64});",
        "anything",
        short=True,
    ),
    Shape(
        "password",
        "sshpass mysql mariadb redis-cli docker_login podman_login net_user psexec",
        r"(?i)(?:sshpass[ \t]+-p[ \t]{0,2}|(?:mysql|mariadb)(?:dump|admin)?[ \t]"
        r"[^\n\0]{0,60}?(?<=[ \t])-p(?![ \t])"
        r"|redis-cli[ \t][^\n\0]{0,60}?(?<=[ \t])-a[ \t]"
        r"|(?:docker|podman)[ \t]login[ \t][^\n\0]{0,80}?(?<=[ \t])-p[ \t]"
        rf"|net[ \t]user[ \t][\w.-]{{1,40}}[ \t](?!/)){_BARE}",
        "given",
        short=True,
    ),
    Shape(
        "password",
        "identified",
        r"(?i)identified[ \t](?:with[ \t]\S{1,40}[ \t])?(?:by|as)[ \t]'"
        r"(?P<secret>[^'\n\0]{4,200})'",
        "given",
        short=True,
    ),
    Shape(
        "password",
        "_-u --user",
        r"[ \t](?:-u|--user)[ \t=]{1,2}[\"']?[^\s:\"'\0$]{1,60}:"
        r"(?P<secret>[^\s\0\"'`$<>]{1,200})",
        "given",
        short=True,
    ),
    Shape(
        "password",
        "credential creds login log_in log-in account",
        r"(?i)(?:credentials?|creds|logins?|log[ -]in|account)"
        r"(?:[ \t](?:is|are|with|as))?[ \t:=]{1,3}[\w.@+-]{2,40}(?::|[ \t][/|][ \t])"
        r"(?P<secret>[^\s\0\"'`,;<>|/:][^\s\0\"'`;<>|]{0,199})",
        "odd_word",
        short=True,
    ),
    Shape(
        "social security number",
        "ssn social_security",
        r"(?i)(?:(?<![a-z])ssn|social security)[^\n\0]{0,40}?(?<!\d)"
        r"(?P<secret>\d{3}[ -]?\d\d[ -]?\d{4})(?![\d-])",
        "social_security",
        short=True,
    ),
    Shape(
        "social security number",
        "ssn social_security",
        r"(?i)(?<![\d-])(?P<secret>\d{3}-\d\d-\d{4})"
        r"(?=[^\n\0]{0,30}(?:ssn|social security))",
        "social_security",
        short=True,
    ),
    Shape(
        "card security code",
        "cvv cvc",
        rf"(?i)(?<![a-z])cv[vc]2?{_CODE_JOINT}(?P<secret>\d{{3,4}})(?!\d)",
        "anything",
        short=True,
    ),
    Shape(
        "access code",
        "code combination combo",
        rf"(?i)(?:(?<![a-z]){_LOCKS}(?:'s)?[ -]?(?:[a-z]{{2,12}}[ -])?"
        r"(?:code|combination|combo)"
        r"|(?:code|combination)[ \t](?:to|for|of)[ \t](?:the|my|our)[ \t]"
        rf"(?:[a-z]{{2,12}}[ \t])?{_LOCKS}(?:[ \t](?:door|lock))?)"
        rf"{_CODE_JOINT}(?P<secret>[#*]?\d{{3,8}}[#*]?"
        r"|\d{1,2}(?:[ -]\d{1,2}){2,5})(?![\w%]|[.,/:]\d)",
        "anything",
        short=True,
    ),
    Shape(
        "seed phrase",
        "phrase mnemonic seed_words recovery_words",
        r"(?i)(?:(?:seed|recovery|backup|secret|wallet)[ -](?:recovery[ -])?"
        r"(?:phrase|words)|mnemonic)[^\n\0]{0,40}?[:=\"'\s-][\s\"'\d.)]{0,6}"
        r"(?P<secret>[a-z]{3,8}(?:[\s,.)\d-]{1,6}[a-z]{3,8}){11,23})(?![a-z])",
        "no_sentence",
        short=True,
    ),
    Shape(
        "recovery codes",
        "recovery_code backup_code rescue_code 2fa_code",
        r"(?i)(?:recovery|backup|rescue|2fa)[ -]?codes?[^\n\0:]{0,40}?[:\s\"'-]{1,6}"
        r"(?:(?:is|are)[:\s]{1,3})?(?P<secret>[a-z0-9]{0,20}\d[a-z0-9]{0,20}"
        r"(?:-[a-z0-9]{2,10}){0,4}(?:[\s,;]{1,4}[a-z0-9]{0,10}\d[a-z0-9]{0,10}"
        r"(?:-[a-z0-9]{2,10}){0,4}){0,24})",
        "codes",
        short=True,
    ),
)
"""The most telling first: where two overlap, the first names what was found."""

ISSUERS = (
    *("datadog", "heroku", "twilio", "mailgun", "cloudflare", "algolia", "mistral"),
    *("cohere", "fastly", "okta", "zendesk", "pagerduty", "segment", "amplitude"),
    *("openweather", "asana", "trello", "hubspot", "intercom", "snyk", "circleci"),
    *("codecov", "jenkins", "vercel", "spotify", "twitch", "deepseek", "pinecone"),
    *("wandb", "azure", "rapidapi", "newsapi", "sonarqube", "bitbucket", "telegram"),
)
"""Whose keys look like any number, and are known by the issuer's name beside them."""
